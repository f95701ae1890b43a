//! Rows as the text of a file, as SELECT ... INTO OUTFILE writes them.

use super::Format;
use crate::errno;
use crate::files::WriteFile;
use crate::session_api::SqlError;
use crate::value::{Charset, SqlType, Value, Warnings};

/// Bytes that are gathered before they are written.
const PIECE: usize = 64 * 1024;

/// What is written of a column.
struct Column {
    ty: SqlType,
    /// Enclosed and escaped as texts are; numbers are not, unless a delimiter could be part of one.
    text: bool,
    /// Bytes of the field where fields have fixed widths.
    width: usize,
}

/// Writes rows to a file.
pub struct TextWriter {
    file: Box<dyn WriteFile>,
    format: Format,
    columns: Vec<Column>,
    /// The set that texts are converted to; none: they are written as they are.
    charset: Option<Charset>,
    fixed: bool,
    /// The first byte between fields is one of those an escape gives a meaning to: it is doubled instead.
    ambiguous: bool,
    /// It may stand in a number.
    unsafe_in_numbers: bool,
    line: Vec<u8>,
    scratch: Vec<u8>,
    rows: u64,
}

impl TextWriter {
    pub fn new(
        file: Box<dyn WriteFile>,
        mut format: Format,
        types: impl Iterator<Item = SqlType>,
        charset: Option<Charset>,
        warnings: &mut Warnings,
    ) -> TextWriter {
        let columns: Vec<Column> = types
            // The bytes of a BIT may be any.
            .map(|ty| {
                let text = !ty.is_numeric() || matches!(ty, SqlType::Bit { .. });
                Column { ty, text, width: ty.field_width() }
            })
            .collect();
        if format.line_end.is_empty() {
            format.line_end = format.field_end.clone();
        }
        let separator = format.enclosed.or(format.field_end.first().copied());
        let ambiguous = separator.is_some_and(|b| b"ntrb0ZN".contains(&b));
        let in_number = |b: u8| b".0123456789e+-".contains(&b);
        let unsafe_in_numbers = separator.is_some_and(in_number);
        let texts = columns.iter().any(|c| c.text);
        let numbers = columns.iter().any(|c| !c.text);
        let bare = format.enclosed.is_none();
        let field_first = format.field_end.first().copied();
        let bare_numbers = (bare || format.optionally) && numbers;
        if (ambiguous && bare && (texts || unsafe_in_numbers))
            || (bare_numbers && field_first.is_some_and(in_number))
        {
            warnings.warn(errno::ER_AMBIGUOUS_FIELD_TERM, || {
                "First character of the FIELDS TERMINATED string is ambiguous; please use non-optional and non-empty FIELDS ENCLOSED BY".into()
            });
        }
        let blobs = columns.iter().any(|c| c.ty.is_lob());
        TextWriter {
            file,
            fixed: format.is_fixed() && !blobs,
            format,
            columns,
            charset,
            ambiguous,
            unsafe_in_numbers,
            line: Vec::with_capacity(PIECE + 1024),
            scratch: Vec::new(),
            rows: 0,
        }
    }

    pub fn row<'v>(
        &mut self,
        row: impl Iterator<Item = Value<'v>>,
        warnings: &mut Warnings,
    ) -> Result<(), SqlError> {
        self.rows += 1;
        self.line.extend_from_slice(&self.format.line_start);
        for (n, v) in row.enumerate() {
            if n > 0 {
                self.line.extend_from_slice(&self.format.field_end);
            }
            self.field(n, &v, warnings);
        }
        self.line.extend_from_slice(&self.format.line_end);
        if self.line.len() >= PIECE {
            self.file.write(&self.line)?;
            self.line.clear();
        }
        Ok(())
    }

    /// The number of rows that were written.
    pub fn finish(mut self) -> Result<u64, SqlError> {
        self.file.write(&self.line)?;
        self.file.finish()?;
        Ok(self.rows)
    }

    fn field(&mut self, n: usize, v: &Value<'_>, warnings: &mut Warnings) {
        let Column { ty, text, width } = self.columns[n];
        let quote = self.format.enclosed.filter(|_| text || !self.format.optionally);
        if v.is_null() {
            match (self.fixed, self.format.escape) {
                (true, _) => self.line.extend(std::iter::repeat_n(b' ', width)),
                (false, Some(e)) => self.line.extend([e, b'N']),
                (false, None) => self.line.extend_from_slice(b"NULL"),
            }
            return;
        }
        let mut bytes = std::mem::take(&mut self.scratch);
        bytes.clear();
        let set = self.text_of(&ty, v, n, &mut bytes, warnings);
        self.line.extend(quote);
        let from = self.line.len();
        let shown = if self.fixed { &bytes[..bytes.len().min(width)] } else { &bytes[..] };
        match self.format.escape.filter(|_| text || self.unsafe_in_numbers) {
            Some(e) => self.escaped(shown, e, quote.is_some(), set),
            None => self.line.extend_from_slice(shown),
        }
        if self.fixed {
            let pad = (from + width).saturating_sub(self.line.len());
            self.line.extend(std::iter::repeat_n(b' ', pad));
        }
        self.line.extend(quote);
        self.scratch = bytes;
    }

    /// The bytes of a value and the set they are in. A character that the file's set lacks becomes `?`, with a warning.
    fn text_of(
        &self,
        ty: &SqlType,
        v: &Value<'_>,
        column: usize,
        out: &mut Vec<u8>,
        warnings: &mut Warnings,
    ) -> Charset {
        let own = match v {
            Value::Bytes(_) => Charset::Binary,
            Value::Str(_, c) => c.charset(),
            _ => Charset::Ascii,
        };
        let Some(to) = self.charset.filter(|c| *c != Charset::Binary && own != Charset::Binary)
        else {
            match v {
                Value::Str(b, _) => out.extend_from_slice(&own.own_bytes(b)),
                _ => ty.write_text(v, out),
            }
            return own;
        };
        match v {
            Value::Str(b, _) if own != to || to.is_wide() => {
                let (text, lost) = own.convert(b, to);
                if lost > 0 {
                    let (row, place) = (self.rows, column + 1);
                    warnings.warn(errno::ER_TRUNCATED_WRONG_VALUE_FOR_FIELD, || {
                        let shown = crate::value::error::shown(b);
                        format!(
                            "Incorrect string value: '{shown}' for column '{place}' at row {row}"
                        )
                    });
                }
                out.extend_from_slice(&to.own_bytes(&text));
            }
            _ => ty.write_text(v, out),
        }
        to
    }

    /// Text with an escape before each byte that would mean something.
    fn escaped(&mut self, text: &[u8], escape: u8, enclosed: bool, set: Charset) {
        let field_first = self.format.field_end.first().copied();
        // As in MySQL: a character of several bytes never has a meaning of its own.
        if set.is_wide() {
            return self.line.extend_from_slice(text);
        }
        let separator = self.format.enclosed.or(field_first);
        let own = if enclosed { self.format.enclosed } else { field_first };
        let line_first = self.format.line_end.first().copied();
        let mut at = 0;
        while at < text.len() {
            let n = set.char_at(&text[at..]).max(1);
            let b = text[at];
            let special = n == 1
                && (b == escape || b == 0 || Some(b) == own || Some(b) == line_first)
                // Doubled, it would end the field: only quotes may be doubled.
                && (enclosed || !self.ambiguous || Some(b) != field_first);
            if special {
                let doubled = self.ambiguous && Some(b) == separator;
                self.line.push(if doubled { b } else { escape });
                self.line.push(if b == 0 { b'0' } else { b });
            } else {
                self.line.extend_from_slice(&text[at..at + n]);
            }
            at += n;
        }
    }
}

/// SELECT ... INTO DUMPFILE: the values of one row, one behind the other, as they are.
pub fn write_raw(
    file: &mut dyn WriteFile,
    types: impl Iterator<Item = SqlType>,
    row: &[Value<'_>],
) -> Result<(), SqlError> {
    let mut bytes = Vec::new();
    for (ty, v) in types.zip(row).filter(|(_, v)| !v.is_null()) {
        bytes.clear();
        match v {
            Value::Str(b, c) => bytes.extend_from_slice(&c.charset().own_bytes(b)),
            _ => ty.write_text(v, &mut bytes),
        }
        file.write(&bytes)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::textfile::{Field, Reader};
    use crate::value::Collation;
    use std::sync::{Arc, Mutex};
    use weir_syntax::ast::FileFormat;

    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl WriteFile for Kept {
        fn write(&mut self, bytes: &[u8]) -> Result<(), SqlError> {
            self.0.lock().expect("one thread").extend_from_slice(bytes);
            Ok(())
        }
        fn finish(&mut self) -> Result<(), SqlError> {
            Ok(())
        }
    }

    struct Once(Option<Vec<u8>>);

    impl crate::files::ReadFile for Once {
        fn read(&mut self, into: &mut Vec<u8>) -> Result<bool, SqlError> {
            Ok(self.0.take().map(|b| into.extend_from_slice(&b)).is_some())
        }
    }

    fn text() -> SqlType {
        SqlType::varchar(20, Collation::Utf8mb4GeneralCi)
    }

    fn written(f: &FileFormat, rows: &[Vec<Value<'static>>], types: &[SqlType]) -> Vec<u8> {
        let kept = Kept::default();
        let w = &mut Warnings::default();
        let format = Format::of(f, true).expect("a format");
        let mut out =
            TextWriter::new(Box::new(kept.clone()), format, types.iter().copied(), None, w);
        for row in rows {
            out.row(row.iter().cloned(), w).expect("written");
        }
        out.finish().expect("finished");
        std::mem::take(&mut *kept.0.lock().expect("one thread"))
    }

    fn csv() -> FileFormat {
        FileFormat {
            fields_terminated: Some((*b",").into()),
            fields_enclosed: Some((*b"\"").into()),
            optionally_enclosed: true,
            ..FileFormat::default()
        }
    }

    #[test]
    fn the_default_escapes_what_it_must() {
        let row = vec![Value::Int(1), Value::str("a\tb\n\\\0"), Value::Null];
        let types = [crate::value::compare::type_of(&Value::Int(1)), text(), text()];
        assert_eq!(written(&FileFormat::default(), &[row], &types), b"1\ta\\\tb\\\n\\\\\\0\t\\N\n");
    }

    #[test]
    fn quotes_around_texts_only() {
        let row = vec![Value::Int(-1), Value::str("a,\"b\"")];
        let types = [crate::value::compare::type_of(&Value::Int(1)), text()];
        assert_eq!(written(&csv(), &[row], &types), b"-1,\"a,\\\"b\\\"\"\n");
    }

    #[test]
    fn what_is_written_is_read_again() {
        let texts = [
            "",
            "a",
            "NULL",
            "\\N",
            "N",
            "a,b",
            "\"",
            "\"\"",
            "x\ny",
            "\t\r\x08\x1a",
            "ä€😀",
            "'\\'",
        ];
        let quoted_all = FileFormat { optionally_enclosed: false, ..csv() };
        let long = FileFormat {
            fields_terminated: Some((*b"<>").into()),
            lines_terminated: Some((*b"%%\r\n").into()),
            ..FileFormat::default()
        };
        let begun = FileFormat { lines_starting: Some((*b"* ").into()), ..FileFormat::default() };
        for f in [FileFormat::default(), csv(), quoted_all, long, begun] {
            let rows: Vec<Vec<Value<'static>>> =
                texts.iter().map(|t| vec![Value::str(t), Value::Null, Value::str("end")]).collect();
            let bytes = written(&f, &rows, &[text(), text(), text()]);
            let mut source = Once(Some(bytes));
            let format = Format::of(&f, true).expect("a format");
            let mut r = Reader::new(&mut source, format, Charset::Utf8mb4, 1 << 20);
            for t in texts {
                assert_eq!(r.read_field(None).expect("reads"), Some(Field::Text), "{t:?} {f:?}");
                assert_eq!(r.field(), t.as_bytes(), "{f:?}");
                assert_eq!(r.read_field(None).expect("reads"), Some(Field::Null), "{f:?}");
                r.read_field(None).expect("reads");
                assert_eq!(r.field(), b"end");
                assert_eq!(r.next_line(None).expect("reads"), Some(false));
            }
        }
    }

    #[test]
    fn fixed_widths_are_filled_up() {
        let f = FileFormat { fields_terminated: Some(Box::default()), ..FileFormat::default() };
        let latin = SqlType::varchar(4, Collation::default_of(Charset::Latin1));
        let rows =
            [vec![Value::str("ab"), Value::Null], vec![Value::str("abcdef"), Value::str("x")]];
        assert_eq!(written(&f, &rows, &[latin, latin]), b"ab      \nabcdx   \n");
    }
}
