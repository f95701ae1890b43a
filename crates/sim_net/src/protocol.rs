//! Packets and answers of the protocol, as a strict client reads them: numbers of packets in a row, each answer whole and of its form.

use weir_wire::{Capabilities, Malformed, Reader, Status};

/// Bytes in front of each packet.
pub const HEADER: usize = 4;

/// A payload as the packet of this number. The clients here say nothing that is longer than one packet may be.
pub fn packet(sequence: u8, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_le_bytes();
    [&length[..3], &[sequence], payload].concat()
}

/// What one command has answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Rows of the last result; `None` is NULL.
    pub rows: Vec<Vec<Option<String>>>,
    pub affected: u64,
    /// Results and OKs before the last one.
    pub results: u64,
    pub error: Option<(u16, String)>,
    pub status: u16,
}

impl Answer {
    pub fn errno(&self) -> u16 {
        self.error.as_ref().map_or(0, |e| e.0)
    }

    /// The number in the only column of the only row.
    pub fn number(&self) -> Option<i64> {
        match self.rows.as_slice() {
            [row] => row.first()?.as_ref()?.parse().ok(),
            _ => None,
        }
    }
}

/// What comes next in an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Expect {
    /// The first packet of a result, or of the answer.
    First,
    Columns(u64),
    /// Behind the columns, for clients that know no other end of rows.
    EndOfColumns,
    Rows(u64),
    Done,
}

/// How the client's command is answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// COM_QUERY and commands that answer OK or an error.
    Text,
    /// COM_STMT_EXECUTE: rows are binary, and all columns are BIGINT.
    Numbers,
}

/// Reads one answer packet by packet.
pub struct Reading {
    form: Form,
    capabilities: Capabilities,
    expect: Expect,
    pub answer: Answer,
}

impl Reading {
    pub fn new(form: Form, capabilities: Capabilities) -> Reading {
        Reading { form, capabilities, expect: Expect::First, answer: Answer::default() }
    }

    pub fn is_done(&self) -> bool {
        self.expect == Expect::Done
    }

    /// Takes the next packet. An error says what the protocol does not have.
    pub fn take(&mut self, payload: &[u8]) -> Result<(), String> {
        let form = |e: Malformed| format!("{:?} cannot read {payload:?}: {e:?}", self.expect);
        if payload.first() == Some(&0xFF) && !matches!(self.expect, Expect::Columns(_)) {
            self.answer.error = Some(error(payload).map_err(form)?);
            self.expect = Expect::Done;
            return Ok(());
        }
        match self.expect {
            Expect::First => self.first(payload),
            Expect::Columns(left) => {
                column(payload).map_err(form)?;
                let eof = !self.capabilities.has(Capabilities::DEPRECATE_EOF);
                let count = self.answer.affected;
                self.expect = match left {
                    1 if eof => Expect::EndOfColumns,
                    1 => Expect::Rows(count),
                    n => Expect::Columns(n - 1),
                };
                Ok(())
            }
            Expect::EndOfColumns => match payload {
                [0xFE, _, _, _, _] => {
                    self.expect = Expect::Rows(self.answer.affected);
                    Ok(())
                }
                other => Err(format!("no end of columns: {other:?}")),
            },
            Expect::Rows(columns) => self.row(columns, payload),
            Expect::Done => Err(format!("a packet behind the end of an answer: {payload:?}")),
        }
    }

    fn first(&mut self, payload: &[u8]) -> Result<(), String> {
        match payload {
            [0, ..] => {
                let (affected, status) =
                    ok(payload).map_err(|e| format!("OK of {payload:?}: {e:?}"))?;
                self.answer.rows.clear();
                self.answer.affected = affected;
                self.end(status);
                Ok(())
            }
            [n @ 1..=0xFA] => {
                self.answer.rows.clear();
                self.answer.affected = u64::from(*n);
                self.expect = Expect::Columns(u64::from(*n));
                Ok(())
            }
            other => Err(format!("no answer begins with {other:?}")),
        }
    }

    fn row(&mut self, columns: u64, payload: &[u8]) -> Result<(), String> {
        let wrong = |e: Malformed| format!("a row of {columns} columns in {payload:?}: {e:?}");
        let deprecated = self.capabilities.has(Capabilities::DEPRECATE_EOF);
        if payload.first() == Some(&0xFE) && payload.len() < 9 {
            let status = match (deprecated, payload) {
                (true, _) => ok(payload).map_err(wrong)?.1,
                (false, [0xFE, _, _, low, high]) => u16::from_le_bytes([*low, *high]),
                (false, _) => return Err(format!("no end of rows: {payload:?}")),
            };
            self.end(status);
            return Ok(());
        }
        let row = match self.form {
            Form::Text => text_row(columns, payload),
            Form::Numbers => numbers_row(columns, payload),
        };
        self.answer.rows.push(row.map_err(wrong)?);
        Ok(())
    }

    fn end(&mut self, status: u16) {
        self.answer.status = status;
        let more = Status(status).has(Status::MORE_RESULTS);
        self.answer.results += u64::from(more);
        self.expect = if more { Expect::First } else { Expect::Done };
    }
}

/// Number and text of an error packet.
pub fn error(payload: &[u8]) -> Result<(u16, String), Malformed> {
    let mut r = Reader::new(payload);
    r.u8()?;
    let errno = r.u16()?;
    let text = r.rest();
    // The greeting has none before it.
    let text = text.strip_prefix(b"#").and_then(|t| t.get(5..)).unwrap_or(text);
    Ok((errno, String::from_utf8_lossy(text).into_owned()))
}

/// Affected rows and status of an OK, under either header.
fn ok(payload: &[u8]) -> Result<(u64, u16), Malformed> {
    let mut r = Reader::new(payload);
    r.u8()?;
    let affected = r.lenenc_int()?;
    r.lenenc_int()?;
    Ok((affected, r.u16()?))
}

/// A column's definition, to its last byte.
fn column(payload: &[u8]) -> Result<(), Malformed> {
    let mut r = Reader::new(payload);
    for _ in 0..6 {
        r.lenenc_str()?;
    }
    let fixed = r.lenenc_int()?;
    r.bytes(fixed as usize)?;
    if r.is_empty() { Ok(()) } else { Err(Malformed) }
}

fn text_row(columns: u64, payload: &[u8]) -> Result<Vec<Option<String>>, Malformed> {
    let mut r = Reader::new(payload);
    let mut row = Vec::new();
    for _ in 0..columns {
        let null = r.clone().u8()? == 0xFB;
        row.push(match null {
            true => r.u8().map(|_| None)?,
            false => Some(String::from_utf8_lossy(r.lenenc_str()?).into_owned()),
        });
    }
    if r.is_empty() { Ok(row) } else { Err(Malformed) }
}

/// A binary row of BIGINT columns.
fn numbers_row(columns: u64, payload: &[u8]) -> Result<Vec<Option<String>>, Malformed> {
    let mut r = Reader::new(payload);
    if r.u8()? != 0 {
        return Err(Malformed);
    }
    let nulls = r.bytes((columns as usize + 9) / 8)?;
    let is_null = |i: usize| nulls[(i + 2) / 8] & 1 << ((i + 2) % 8) != 0;
    let mut row = Vec::new();
    for i in 0..columns as usize {
        row.push(match is_null(i) {
            true => None,
            false => Some((r.u64()? as i64).to_string()),
        });
    }
    if r.is_empty() { Ok(row) } else { Err(Malformed) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EOF: Capabilities = Capabilities(0);
    const COLUMN: &[u8] = b"\x03def\0\0\0\x01a\0\x0C\x3F\0\x14\0\0\0\x08\0\0\0\0\0";

    fn read(capabilities: Capabilities, packets: &[&[u8]]) -> Result<Answer, String> {
        let mut reading = Reading::new(Form::Text, capabilities);
        packets.iter().try_for_each(|p| reading.take(p))?;
        match reading.is_done() {
            true => Ok(reading.answer),
            false => Err("it goes on".into()),
        }
    }

    #[test]
    fn answers_of_each_form_are_read() {
        let rows: &[&[u8]] =
            &[&[1], COLUMN, &[0xFE, 0, 0, 2, 0], b"\x0242", &[0xFB], &[0xFE, 0, 0, 2, 0]];
        let answer = read(EOF, rows).unwrap();
        assert_eq!(answer.rows, [vec![Some("42".into())], vec![None]]);
        let ok: &[u8] = &[0, 3, 0, 2, 0, 0, 0];
        assert_eq!(read(EOF, &[ok]).unwrap().affected, 3);
        let more: &[u8] = &[0, 0, 0, 10, 0, 0, 0];
        assert_eq!(read(EOF, &[more, ok]).unwrap().results, 1);
        let error = read(EOF, &[b"\xFF\x28\x04#42000wrong"]).unwrap();
        assert_eq!(error.error, Some((1064, "wrong".into())));
        let new: &[&[u8]] = &[&[1], COLUMN, b"\x0242", &[0xFE, 0, 0, 2, 0, 0, 0]];
        assert_eq!(read(Capabilities::DEPRECATE_EOF, new).unwrap().number(), Some(42));
    }

    #[test]
    fn what_is_no_answer_is_told() {
        let ok: &[u8] = &[0, 0, 0, 2, 0, 0, 0];
        for wrong in [
            &[ok, ok][..],
            &[&[1], COLUMN, b"\x0242"],
            &[&[1], b"\x03def"],
            &[&[]],
            &[&[1], COLUMN, &[0xFE, 0, 0, 2, 0], b"\x0342"],
        ] {
            assert!(read(EOF, wrong).is_err(), "{wrong:?}");
        }
    }
}
