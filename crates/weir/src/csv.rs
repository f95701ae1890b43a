//! Rows from and to comma-separated values, as RFC 4180 has them.
//!
//! A field in quotation marks may contain separators, line ends and quotation marks, which are doubled. An empty field without quotation
//! marks is NULL; an empty text is `""`. Lines end with LF or CR LF; what is written ends with LF.

use crate::connection::Connection;
use crate::error::{Error, Result};
use crate::params::Params;
use crate::statement::Sql;
use crate::value::Value;
use std::io::{BufRead, Write};

/// How the values of a file are separated.
///
/// ```
/// # fn main() -> weir::Result<()> {
/// # let mut conn = weir::Database::open_in_memory()?.connect()?;
/// # conn.execute_batch("CREATE DATABASE app; USE app; CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20))")?;
/// let file = "id;name\n1;Ada\n2;\n";
/// let csv = weir::Csv::new().separator(b';');
/// assert_eq!(conn.import_csv("t", &["id", "name"], file.as_bytes(), csv)?, 2);
/// let mut out = Vec::new();
/// conn.export_csv("SELECT id, name FROM t ORDER BY id", (), &mut out, csv)?;
/// assert_eq!(String::from_utf8_lossy(&out), file);
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Csv {
    separator: u8,
    header: bool,
}

impl Default for Csv {
    fn default() -> Csv {
        Csv { separator: b',', header: true }
    }
}

impl Csv {
    /// Commas, and a first line of the columns' names.
    pub fn new() -> Csv {
        Csv::default()
    }

    /// Another byte between values: neither a quotation mark nor a line end.
    pub fn separator(self, separator: u8) -> Csv {
        Csv { separator, ..self }
    }

    /// Whether the first line has names and no values.
    pub fn header(self, header: bool) -> Csv {
        Csv { header, ..self }
    }

    fn check(self) -> Result<()> {
        match self.separator {
            b'"' | b'\n' | b'\r' | 0x80.. => Err(Error::misuse(
                "the separator of values is one ASCII character that is neither a quotation mark nor a line end",
            )),
            _ => Ok(()),
        }
    }
}

impl Connection {
    /// Inserts the rows of a file, whose values are in the order of `columns`, whatever a first line calls them. Returns how many there were.
    /// A transaction makes them all or none; without one they are committed by some 256.
    ///
    /// Errors: [`Error::Misuse`] with the number of the line where the file is not well formed; those of INSERT.
    pub fn import_csv(
        &mut self,
        table: &str,
        columns: &[&str],
        file: impl BufRead,
        csv: Csv,
    ) -> Result<u64> {
        csv.check()?;
        let mut records = Records { file, separator: csv.separator, line: 0, text: Vec::new() };
        if csv.header && records.next()?.is_none() {
            return Ok(0);
        }
        let mut rows = self.appender(table, columns)?;
        while let Some(row) = records.next()? {
            if row.len() != columns.len() {
                let text = format!("{} values for {} columns", row.len(), columns.len());
                return Err(records.wrong(&text));
            }
            rows.append(row)?;
        }
        rows.finish()
    }

    /// Writes the rows of a query as they come. Returns how many there were. Bytes that are no text are written as `0x` and their digits.
    pub fn export_csv(
        &mut self,
        sql: impl Sql,
        params: impl Params,
        mut to: impl Write,
        csv: Csv,
    ) -> Result<u64> {
        csv.check()?;
        let mut rows = self.query(sql, params)?;
        let mut line = Vec::new();
        if csv.header {
            let names = rows.columns().iter().map(|c| Some(c.name().to_owned()));
            put_line(&mut line, names.collect(), csv.separator);
        }
        let mut count = 0;
        loop {
            if line.len() >= BUFFERED {
                to.write_all(&line).map_err(|e| unwritten(&e))?;
                line.clear();
            }
            let Some(row) = rows.next().transpose()? else { break };
            put_line(&mut line, row.into_values().iter().map(text).collect(), csv.separator);
            count += 1;
        }
        to.write_all(&line).and_then(|()| to.flush()).map_err(|e| unwritten(&e))?;
        Ok(count)
    }
}

/// Bytes that are written at once.
const BUFFERED: usize = 64 * 1024;

fn unwritten(e: &std::io::Error) -> Error {
    Error::Failed { message: format!("the rows cannot be written: {e}") }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::Bytes(bytes) => {
            let digits = bytes.iter().map(|b| format!("{b:02x}"));
            Some(format!("0x{}", digits.collect::<String>()))
        }
        other => Some(other.to_string()),
    }
}

fn put_line(out: &mut Vec<u8>, fields: Vec<Option<String>>, separator: u8) {
    // A line with nothing in it would be read as no row.
    let alone = fields.len() == 1;
    for (i, field) in fields.into_iter().enumerate() {
        if i > 0 {
            out.push(separator);
        }
        let special = |b: u8| b == separator || matches!(b, b'"' | b'\n' | b'\r');
        match field {
            None if alone => out.extend_from_slice(b"\\N"),
            None => {}
            Some(field)
                if field.is_empty() || field.bytes().any(special) || alone && field == "\\N" =>
            {
                out.push(b'"');
                out.extend_from_slice(field.replace('"', "\"\"").as_bytes());
                out.push(b'"');
            }
            Some(field) => out.extend_from_slice(field.as_bytes()),
        }
    }
    out.push(b'\n');
}

/// A file as rows of values.
struct Records<R> {
    file: R,
    separator: u8,
    /// Of the line that was read last, from 1.
    line: u64,
    text: Vec<u8>,
}

impl<R: BufRead> Records<R> {
    fn wrong(&self, what: &str) -> Error {
        Error::misuse(format!("line {} of the file: {what}", self.line))
    }

    /// Appends the next line to what was read already; false: the file has ended.
    fn read_line(&mut self) -> Result<bool> {
        let read = self.file.read_until(b'\n', &mut self.text);
        let read =
            read.map_err(|e| Error::Failed { message: format!("the file cannot be read: {e}") })?;
        self.line += u64::from(read > 0);
        Ok(read > 0)
    }

    fn next(&mut self) -> Result<Option<Vec<Value>>> {
        loop {
            self.text.clear();
            if !self.read_line()? {
                return Ok(None);
            }
            // An empty line is no row.
            if !matches!(self.text.as_slice(), b"\n" | b"\r\n") {
                return self.record().map(Some);
            }
        }
    }

    fn record(&mut self) -> Result<Vec<Value>> {
        let (mut row, mut at) = (Vec::new(), 0);
        loop {
            let value = match self.text.get(at) {
                Some(b'"') => {
                    let (text, behind) = self.quoted(at + 1)?;
                    at = behind;
                    Value::Text(text)
                }
                _ => {
                    let rest = &self.text[at..];
                    let ends = |b: &u8| *b == self.separator || *b == b'\n';
                    let len = rest.iter().position(ends).unwrap_or(rest.len());
                    let field = rest[..len]
                        .strip_suffix(b"\r")
                        .filter(|_| rest.get(len) != Some(&self.separator));
                    let field = field.unwrap_or(&rest[..len]);
                    if field.contains(&b'"') {
                        return Err(self.wrong("a quotation mark in the middle of a value"));
                    }
                    at += len;
                    match field {
                        b"" | b"\\N" => Value::Null,
                        field => Value::Text(self.utf8(field.to_vec())?),
                    }
                }
            };
            row.push(value);
            match &self.text[at..] {
                [] | b"\n" | b"\r\n" => return Ok(row),
                [b, ..] if *b == self.separator => at += 1,
                _ => {
                    return Err(self.wrong("something behind the quotation mark that ends a value"));
                }
            }
        }
    }

    /// A value from behind its first quotation mark, and the place behind its last one.
    fn quoted(&mut self, mut at: usize) -> Result<(String, usize)> {
        let mut out = Vec::new();
        loop {
            match self.text[at..].iter().position(|b| *b == b'"') {
                None => {
                    out.extend_from_slice(&self.text[at..]);
                    at = self.text.len();
                    if !self.read_line()? {
                        return Err(self.wrong("a value has no quotation mark at its end"));
                    }
                }
                Some(len) => {
                    out.extend_from_slice(&self.text[at..at + len]);
                    at += len + 1;
                    if self.text.get(at) != Some(&b'"') {
                        return Ok((self.utf8(out)?, at));
                    }
                    out.push(b'"');
                    at += 1;
                }
            }
        }
    }

    fn utf8(&self, bytes: Vec<u8>) -> Result<String> {
        String::from_utf8(bytes).map_err(|_| self.wrong("a value is no UTF-8"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(file: &str) -> Result<Vec<Vec<Value>>> {
        let mut r = Records { file: file.as_bytes(), separator: b',', line: 0, text: Vec::new() };
        let mut out = Vec::new();
        while let Some(row) = r.next()? {
            out.push(row);
        }
        Ok(out)
    }

    fn rows(of: &[&[Option<&str>]]) -> Vec<Vec<Value>> {
        let value = |v: &Option<&str>| v.map_or(Value::Null, |v| Value::Text(v.to_owned()));
        of.iter().map(|row| row.iter().map(value).collect()).collect()
    }

    #[test]
    fn quotation_marks_line_ends_and_nulls() {
        let file = "1,a\r\n\n2,\"\"\n3,\n4,\"a \"\"b\"\", c\nd\r\n\"\n\"5\",x\r";
        let want: &[&[Option<&str>]] = &[
            &[Some("1"), Some("a")],
            &[Some("2"), Some("")],
            &[Some("3"), None],
            &[Some("4"), Some("a \"b\", c\nd\r\n")],
            &[Some("5"), Some("x")],
        ];
        assert_eq!(read(file).unwrap(), rows(want));
        assert_eq!(read("").unwrap(), rows(&[]));
        assert_eq!(read("\\N\n\"\\N\"").unwrap(), rows(&[&[None], &[Some("\\N")]]));
    }

    #[test]
    fn what_is_written_is_read_again() {
        let all: &[&[Option<&str>]] = &[
            &[Some("a"), None, Some("")],
            &[Some("x\"y"), Some("l\nm\r\nn"), Some("\\N,")],
            &[None, None, None],
            &[Some(" "), Some("é"), Some("\r")],
        ];
        let mut out = Vec::new();
        for row in all {
            put_line(&mut out, row.iter().map(|f| f.map(str::to_owned)).collect(), b',');
        }
        assert_eq!(read(std::str::from_utf8(&out).unwrap()).unwrap(), rows(all));
        for one in [None, Some(""), Some("\\N"), Some("x")] {
            let mut out = Vec::new();
            put_line(&mut out, vec![one.map(str::to_owned)], b',');
            assert_eq!(read(std::str::from_utf8(&out).unwrap()).unwrap(), rows(&[&[one]]));
        }
    }

    #[test]
    fn what_is_not_well_formed_is_told_with_its_line() {
        for (file, line, what) in [
            ("1\n2,\"a\n\nb", 4, "no quotation mark at its end"),
            ("1\n\"a\"b\n", 2, "behind the quotation mark"),
            ("a\"b\"\n", 1, "in the middle"),
        ] {
            let text = read(file).unwrap_err().to_string();
            assert!(text.contains(&format!("line {line} ")) && text.contains(what), "{text}");
        }
        let mut r = Records { file: &b"\xff"[..], separator: b',', line: 0, text: Vec::new() };
        assert!(r.next().is_err());
        assert!(Csv::new().separator(b'"').check().is_err());
    }
}
