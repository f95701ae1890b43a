//! The strict reader of what a session sends.
//!
//! A CALL may answer with results of its statements before its own end. Any other statement answers with `columns row* end`, or with `ok`, or returns an error, which may come after `columns` and some
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
    /// The result at hand is not the last one of its CALL.
    more: bool,
    silent: bool,
    /// What is left of the file that the client sends, and whether it was asked for.
    file: Option<Vec<u8>>,
}

/// Bytes of a file in a packet of the client.
const PIECE: usize = 61;

impl Answer {
    /// `patience`: the client vanishes after this many rows.
    pub fn for_client(patience: Option<usize>) -> Answer {
        Answer { patience, ..Answer::default() }
    }

    /// The client sends this when it is asked for a file.
    pub fn with_file(mut self, file: Option<Vec<u8>>) -> Answer {
        self.file = file;
        self
    }

    fn wrong(&mut self, what: String) {
        self.wrong.get_or_insert(what);
    }

    /// It has no client: success has no stream.
    pub fn nothing_is_sent(&mut self) {
        self.state = State::Ended;
        self.silent = true;
    }

    /// The statement has returned; the violation, if the stream before was none of those that there are.
    pub fn end(&mut self, result: Result<(), SqlError>) -> Option<String> {
        match result {
            Ok(()) if self.state != State::Ended => {
                self.wrong(format!("success without an end, after {:?}", self.state));
            }
            Err(ref e) if self.state == State::Ended && !self.silent => {
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
        self.state = if std::mem::take(&mut self.more) { State::Nothing } else { State::Ended };
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

    fn more_follows(&mut self) {
        self.more = true;
    }

    fn client_file(&mut self, _: &[u8]) -> Result<(), SqlError> {
        if self.file.is_none() {
            self.wrong("a client was asked for a file that it has not offered".into());
            return Err(SqlError::local_disabled());
        }
        Ok(())
    }

    fn client_data(&mut self, into: &mut Vec<u8>) -> Result<bool, SqlError> {
        let Some(left) = &mut self.file else { return Ok(false) };
        let n = left.len().min(PIECE);
        into.extend(left.drain(..n));
        Ok(n > 0)
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
                'm' => {
                    a.more_follows();
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
        for good in ["ce", "crre", "o", "mcreo", "mcemceo"] {
            assert_eq!(violation(good, Ok(())), None, "{good}");
        }
        for good in ["", "c", "cr"] {
            assert_eq!(violation(good, error()), None, "{good} and an error");
        }
        for bad in ["", "c", "mcre", "ccre", "cro", "oo", "cee", "re", "crer"] {
            assert!(violation(bad, Ok(())).is_some(), "{bad}");
        }
        for bad in ["ce", "o", "cc"] {
            assert!(violation(bad, error()).is_some(), "{bad} and an error");
        }
    }
}
