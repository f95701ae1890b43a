//! The strict reader of what a session sends.
//!
//! A statement answers with `columns row* end`, or with `ok`, or returns an error, which may come after `columns` and some
//! rows. Anything else would put a connection out of step with its client.

use weir_sql::session_api::{ColumnMeta, OkInfo, OutValue, ResultSink, SinkError, SqlError};

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
enum State {
    #[default]
    Nothing,
    Rows,
    Ended,
}

/// What one statement has answered.
#[derive(Default, Debug)]
pub struct Answer {
    state: State,
    pub columns: Vec<String>,
    pub rows: Vec<Vec<String>>,
    pub affected: u64,
    pub error: Option<SqlError>,
    /// The first step that the grammar does not have.
    wrong: Option<String>,
    patience: Option<usize>,
}

impl Answer {
    /// `patience`: the client vanishes after this many rows.
    pub fn for_client(patience: Option<usize>) -> Answer {
        Answer { patience, ..Answer::default() }
    }

    fn wrong(&mut self, what: String) {
        self.wrong.get_or_insert(what);
    }

    /// The statement has returned; the violation, if the stream before was none of those that there are.
    pub fn end(&mut self, result: Result<(), SqlError>) -> Option<String> {
        match result {
            Ok(()) if self.state != State::Ended => {
                self.wrong(format!("success without an end, after {:?}", self.state));
            }
            Err(ref e) if self.state == State::Ended => {
                self.wrong(format!("an error behind the end: {e}"));
            }
            _ => {}
        }
        self.error = result.err();
        self.wrong.take()
    }

    pub fn errno(&self) -> u16 {
        self.error.as_ref().map_or(0, |e| e.errno)
    }

    /// The number in the first column of the only row.
    pub fn number(&self) -> Option<i64> {
        match self.rows.as_slice() {
            [row] => row.first()?.parse().ok(),
            _ => None,
        }
    }
}

impl ResultSink for Answer {
    fn columns(&mut self, cols: &[ColumnMeta]) -> Result<(), SinkError> {
        if self.state != State::Nothing {
            self.wrong(format!("a second header of {} columns", cols.len()));
        }
        if cols.is_empty() {
            self.wrong("a header without columns".into());
        }
        self.state = State::Rows;
        self.columns = cols.iter().map(|c| c.name.to_string()).collect();
        Ok(())
    }

    fn row(&mut self, row: &[OutValue<'_>]) -> Result<(), SinkError> {
        if self.state != State::Rows {
            self.wrong(format!("a row after {:?}", self.state));
        }
        if row.len() != self.columns.len() {
            let (n, of) = (row.len(), self.columns.len());
            self.wrong(format!("a row of {n} values under a header of {of} columns"));
        }
        if self.patience.is_some_and(|n| self.rows.len() >= n) {
            return Err(SinkError);
        }
        self.rows.push(row.iter().map(text).collect());
        Ok(())
    }

    fn end_rows(&mut self, _: &OkInfo<'_>) -> Result<(), SinkError> {
        if self.state != State::Rows {
            self.wrong(format!("the end of rows after {:?}", self.state));
        }
        self.state = State::Ended;
        Ok(())
    }

    fn ok(&mut self, ok: &OkInfo<'_>) -> Result<(), SinkError> {
        if self.state != State::Nothing {
            self.wrong(format!("OK after {:?}", self.state));
        }
        self.affected = ok.affected_rows;
        self.state = State::Ended;
        Ok(())
    }
}

fn text(v: &OutValue<'_>) -> String {
    match v {
        OutValue::Null => "NULL".into(),
        OutValue::Int(n) => n.to_string(),
        OutValue::UInt(n) => n.to_string(),
        OutValue::Bytes(b) | OutValue::Shown(_, b) => String::from_utf8_lossy(b).into_owned(),
        other => format!("{other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn violation(steps: &str, result: Result<(), SqlError>) -> Option<String> {
        let mut a = Answer { columns: vec!["a".into()], ..Answer::default() };
        for s in steps.chars() {
            let ok = OkInfo::default();
            let done = match s {
                'c' => {
                    // The header's content is of no account here.
                    a.wrong =
                        a.wrong.take().or((a.state != State::Nothing).then(|| "twice".into()));
                    a.state = State::Rows;
                    Ok(())
                }
                'r' => a.row(&[OutValue::Null]),
                'e' => a.end_rows(&ok),
                _ => a.ok(&ok),
            };
            done.unwrap();
        }
        a.end(result)
    }

    #[test]
    fn only_the_streams_of_the_protocol_pass() {
        let error = || Err(SqlError::interrupted());
        for good in ["ce", "crre", "o"] {
            assert_eq!(violation(good, Ok(())), None, "{good}");
        }
        for good in ["", "c", "cr"] {
            assert_eq!(violation(good, error()), None, "{good} and an error");
        }
        for bad in ["", "c", "ccre", "cro", "oo", "cee", "re", "crer"] {
            assert!(violation(bad, Ok(())).is_some(), "{bad}");
        }
        for bad in ["ce", "o", "cc"] {
            assert!(violation(bad, error()).is_some(), "{bad} and an error");
        }
    }
}
