//! What columns without an alias are called.

use super::Parser;
use crate::lex::MYSQL_VERSION_ID;
use crate::lex::token::T;

impl<'a> Parser<'a> {
    /// The name of an item that is no string and no column: its text, without the marks of versioned comments.
    pub(crate) fn column_text(&self, first: usize) -> Box<str> {
        let text = self.text_since(first);
        let text = match self.opts.client {
            Some(_) => String::from_utf8_lossy(&self.plain(text.as_bytes().into())).into(),
            None => text,
        };
        if text.contains("/*!") { without_version_marks(&text).into() } else { text }
    }

    /// The string that an item begins with, perhaps behind an introducer or as N'...', in its quotes.
    pub(crate) fn first_string(&self, first: usize) -> Option<&'a [u8]> {
        let token = self.tokens[first];
        match token.kind {
            T::Str => Some(self.raw(token)),
            T::NStr => Some(&self.raw(token)[1..]),
            _ => {
                let next = self.tokens.get(first + 1).filter(|t| t.kind == T::Str)?;
                self.raw(token).starts_with(b"_").then(|| self.raw(*next))
            }
        }
    }
}

/// The text without `/*!50000` and its end, and without what is for later versions. Quoted text and other comments stay.
fn without_version_marks(text: &str) -> String {
    let (mut out, mut rest, mut inside) = (String::new(), text, false);
    while let Some(c) = rest.chars().next() {
        let taken = match c {
            '\'' | '"' | '`' => rest[1..].find(c).map_or(rest.len(), |n| n + 2),
            '/' if rest.starts_with("/*!") && !inside => {
                let digits = rest[3..].bytes().take(6).take_while(u8::is_ascii_digit).count();
                let digits = if digits < 5 { 0 } else { digits };
                let version = rest[3..3 + digits].parse().unwrap_or(0);
                if version > MYSQL_VERSION_ID {
                    rest = rest.find("*/").map_or("", |end| &rest[end + 2..]);
                } else {
                    inside = true;
                    rest = &rest[3 + digits..];
                }
                continue;
            }
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '*' if inside && rest.starts_with("*/") => {
                inside = false;
                rest = &rest[2..];
                continue;
            }
            _ => c.len_utf8(),
        };
        out.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::without_version_marks;

    #[test]
    fn marks_of_versions_go_and_what_they_hold_stays() {
        let shown = [
            ("1 /*!32301 +1", "1  +1"),
            ("1 + /*!00000 2 */ + 3 /*!999999 noise*/ + 4", "1 +  2  + 3  + 4"),
            ("1 /* a */ + '/*!1*/' /*! + 2 */", "1 /* a */ + '/*!1*/'  + 2 "),
            ("'it''s /*!1' /*!1", "'it''s /*!1' 1"),
        ];
        for (text, name) in shown {
            assert_eq!(without_version_marks(text), name);
        }
    }
}
