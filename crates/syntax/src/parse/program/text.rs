//! The text of a body as MySQL keeps it.
//!
//! MySQL keeps what its lexer has read when the grammar is through. A block ends with its last word, behind which nothing has to be read;
//! any other statement may go on, so that comments up to its end have been read, too. Of comments with a version MySQL keeps what is in
//! them, and nothing where the version is above its own.

use crate::lex::{Kw, MYSQL_VERSION_ID, T};
use crate::parse::Parser;

/// Words that end a block that has no label at its end.
const ENDS: [Kw; 4] = [Kw::END, Kw::LOOP, Kw::WHILE, Kw::REPEAT];

impl Parser<'_> {
    /// The text of the body that begins with the token `first` and has been read.
    pub(super) fn program_text(&self, first: usize) -> Box<str> {
        let start = self.tokens[first].start as usize;
        let last = &self.tokens[self.pos.saturating_sub(1).max(first)];
        let labelled = self.tokens.get(first + 1).is_some_and(|t| t.kind == T::Colon);
        let ends = match (labelled, self.tokens[first].kw) {
            (true, _) => !ENDS.contains(&last.kw),
            (_, kw) => [Kw::BEGIN, Kw::IF, Kw::CASE].contains(&kw) || ENDS.contains(&kw),
        };
        let end = if ends { last.end } else { self.token().start.max(last.end) };
        let text = without_versions(&self.sql[start..end as usize]);
        String::from_utf8_lossy(text.trim_ascii_end()).into()
    }
}

/// The end of what begins with a quote, by the rules for text that the lexer has read already.
fn quoted(text: &[u8]) -> usize {
    let mut at = 1;
    while at < text.len() && text[at] != text[0] {
        at += if text[at] == b'\\' && text[0] != b'`' { 2 } else { 1 };
    }
    (at + 1).min(text.len())
}

/// Bytes up to and with `mark`, or all.
fn through(text: &[u8], mark: &[u8]) -> usize {
    let at = text.windows(mark.len()).position(|w| w == mark);
    at.map_or(text.len(), |at| at + mark.len())
}

/// The text without the marks of comments with a version, and without those that are for later versions.
fn without_versions(text: &[u8]) -> Vec<u8> {
    if !text.windows(3).any(|w| w == b"/*!") {
        return text.to_vec();
    }
    let (mut out, mut at, mut inside) = (Vec::with_capacity(text.len()), 0, false);
    while at < text.len() {
        let rest = &text[at..];
        let kept = match rest {
            [b'\'' | b'"' | b'`', ..] => quoted(rest),
            [b'#', ..] => through(rest, b"\n"),
            [b'-', b'-', next, ..] if next.is_ascii_whitespace() => through(rest, b"\n"),
            [b'*', b'/', ..] if inside => {
                (inside, at) = (false, at + 2);
                continue;
            }
            [b'/', b'*', b'!', ..] => {
                let digits = rest[3..].iter().take(6).take_while(|b| b.is_ascii_digit()).count();
                let digits = if digits < 5 { 0 } else { digits };
                let version = rest[3..3 + digits].iter();
                let version = version.fold(0, |n, b| n * 10 + u32::from(b - b'0'));
                match version <= MYSQL_VERSION_ID {
                    true => (inside, at) = (true, at + 3 + digits),
                    false => at += through(rest, b"*/"),
                }
                continue;
            }
            [b'/', b'*', ..] => through(rest, b"*/"),
            _ => 1,
        };
        out.extend_from_slice(&rest[..kept]);
        at += kept;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::without_versions;

    #[test]
    fn marks_of_versions_go() {
        for (text, want) in [
            ("select 1 /*! +1 */ /*!99999 +2 */ # end", "select 1  +1   # end"),
            ("select 1 /*!50000 + 1 */ /*!99999 + 2 */ -- f", "select 1  + 1   -- f"),
            ("set @a = '/*! x */' /* y */", "set @a = '/*! x */' /* y */"),
            ("select 'it\\'s /*!' /*! , 1*/", "select 'it\\'s /*!'  , 1"),
            ("select 1 /*!", "select 1 "),
            ("select `/*!` -- /*! \n /*!1 */", "select `/*!` -- /*! \n 1 "),
        ] {
            let kept = without_versions(text.as_bytes());
            assert_eq!(String::from_utf8_lossy(&kept), want, "{text}");
        }
    }
}
