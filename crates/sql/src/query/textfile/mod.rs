//! The format of LOAD DATA and SELECT ... INTO OUTFILE: fields and lines with their delimiters, quotes and escapes.
//!
//! `reader` cuts a file into lines and fields, `writer` makes them of rows; both go by one [`Format`]. `xml` reads the rows of LOAD XML. They know bytes and
//! character sets, and no tables. What is done with the fields stands in `insert::load`, where the rows come from in `into`.
//!
//! The rules are MySQL's, byte for byte, so that files go to and fro between the servers. Invariant: a file that `writer` made is
//! read by `reader` with the same format as the same values, unless the format is one that MySQL calls ambiguous (1475).

mod reader;
mod writer;
mod xml;

pub use reader::{Field, Reader, text_value};
pub use writer::{TextWriter, write_raw};
pub use xml::XmlReader;

use crate::errno;
use crate::session_api::SqlError;
use weir_syntax::ast::FileFormat;

/// FIELDS and LINES with the defaults filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct Format {
    /// Between fields; empty with `enclosed` empty too: fields have fixed widths.
    pub field_end: Box<[u8]>,
    pub enclosed: Option<u8>,
    /// Quotes are around texts only.
    pub optionally: bool,
    pub escape: Option<u8>,
    pub line_start: Box<[u8]>,
    pub line_end: Box<[u8]>,
}

impl Format {
    /// 1083 for a quote or an escape of more than one character. `escapes`: the backslash is one where nothing was said, as the
    /// SQL mode NO_BACKSLASH_ESCAPES does not have it.
    pub fn of(f: &FileFormat, escapes: bool) -> Result<Format, SqlError> {
        let single = |given: &Option<Box<[u8]>>| match given.as_deref() {
            None | Some([]) => Ok(None),
            Some([one]) => Ok(Some(*one)),
            Some(_) => Err(SqlError::of(errno::ER_WRONG_FIELD_TERMINATORS, &[])),
        };
        let or = |given: &Option<Box<[u8]>>, default: &[u8]| -> Box<[u8]> {
            given.clone().unwrap_or_else(|| default.into())
        };
        let escape = match &f.fields_escaped {
            None => escapes.then_some(b'\\'),
            given => single(given)?,
        };
        Ok(Format {
            field_end: or(&f.fields_terminated, b"\t"),
            enclosed: single(&f.fields_enclosed)?,
            optionally: f.optionally_enclosed,
            escape,
            line_start: or(&f.lines_starting, b""),
            line_end: or(&f.lines_terminated, b"\n"),
        })
    }

    /// Fields have fixed widths.
    pub fn is_fixed(&self) -> bool {
        self.field_end.is_empty() && self.enclosed.is_none()
    }

    /// A delimiter is not of ASCII alone (1638).
    pub fn is_foreign(&self) -> bool {
        let texts = [&self.field_end, &self.line_start, &self.line_end];
        let bytes = texts.into_iter().flat_map(|t| t.iter().copied());
        bytes.chain(self.enclosed).chain(self.escape).any(|b| !b.is_ascii())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_said_is_mysqls_default() {
        let f = Format::of(&FileFormat::default(), true).expect("the default");
        assert_eq!(
            (&*f.field_end, &*f.line_end, &*f.line_start),
            (&b"\t"[..], &b"\n"[..], &b""[..])
        );
        assert_eq!((f.enclosed, f.escape), (None, Some(b'\\')));
        assert_eq!(Format::of(&FileFormat::default(), false).expect("the default").escape, None);
        let said = FileFormat { fields_escaped: Some((*b"\\").into()), ..FileFormat::default() };
        assert_eq!(Format::of(&said, false).expect("a character").escape, Some(b'\\'));
    }

    #[test]
    fn a_quote_is_one_character() {
        let long = FileFormat { fields_enclosed: Some((*b"''").into()), ..FileFormat::default() };
        assert_eq!(Format::of(&long, true).expect_err("two").errno, 1083);
    }
}
