//! Statements of a text, as the mysql client finds them: up to a delimiter that is in no quotes and no comment. DELIMITER changes it.

use std::io::{self, BufRead};

pub struct Splitter<R> {
    input: R,
    delimiter: Vec<u8>,
    line: Vec<u8>,
    /// Bytes read so far.
    pub read: u64,
}

/// What the text is in the middle of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum In {
    Code,
    Quote(u8),
    Comment,
}

impl<R: BufRead> Splitter<R> {
    pub fn new(input: R) -> Splitter<R> {
        Splitter { input, delimiter: b";".to_vec(), line: Vec::new(), read: 0 }
    }

    /// The next statement, without its delimiter; `None` at the end.
    pub fn next_statement(&mut self) -> io::Result<Option<Vec<u8>>> {
        let (mut out, mut state) = (Vec::new(), In::Code);
        loop {
            if self.line.is_empty() {
                let n = self.input.read_until(b'\n', &mut self.line)?;
                self.read += n as u64;
                if n == 0 {
                    let rest = out.trim_ascii().to_vec();
                    return Ok((!rest.is_empty()).then_some(rest));
                }
                if state == In::Code && out.trim_ascii().is_empty() && self.is_delimiter_line() {
                    self.line.clear();
                    continue;
                }
            }
            let line = std::mem::take(&mut self.line);
            if let Some(end) = self.scan(&line, &mut state, &mut out) {
                self.line = line[end..].to_vec();
                let statement = out.trim_ascii();
                if !statement.is_empty() {
                    return Ok(Some(statement.to_vec()));
                }
                out.clear();
            }
        }
    }

    /// `DELIMITER ;;`: a command of the client, on a line of its own.
    fn is_delimiter_line(&mut self) -> bool {
        let line = self.line.trim_ascii();
        let Some((word, rest)) = line.split_at_checked(9) else { return false };
        let rest = rest.trim_ascii();
        if !word.eq_ignore_ascii_case(b"delimiter") || rest.is_empty() {
            return false;
        }
        self.delimiter = rest.to_vec();
        true
    }

    /// Takes the line up to a delimiter, whose end it gives.
    fn scan(&self, line: &[u8], state: &mut In, out: &mut Vec<u8>) -> Option<usize> {
        let mut i = 0;
        while i < line.len() {
            let rest = &line[i..];
            match *state {
                In::Code if rest.starts_with(&self.delimiter) => {
                    return Some(i + self.delimiter.len());
                }
                In::Code if is_line_comment(rest) => return None,
                In::Code if rest.starts_with(b"/*") => {
                    *state = In::Comment;
                    out.extend_from_slice(b"/*");
                    i += 2;
                    continue;
                }
                In::Code if matches!(rest[0], b'\'' | b'"' | b'`') => *state = In::Quote(rest[0]),
                In::Quote(q) if rest[0] == b'\\' && q != b'`' && rest.len() > 1 => {
                    out.extend_from_slice(&rest[..2]);
                    i += 2;
                    continue;
                }
                // A doubled quote ends one and begins the next.
                In::Quote(q) if rest[0] == q => *state = In::Code,
                In::Comment if rest.starts_with(b"*/") => {
                    *state = In::Code;
                    out.extend_from_slice(b"*/");
                    i += 2;
                    continue;
                }
                _ => {}
            }
            out.push(rest[0]);
            i += 1;
        }
        None
    }
}

fn is_line_comment(rest: &[u8]) -> bool {
    rest[0] == b'#' || rest.starts_with(b"--") && rest.get(2).is_none_or(u8::is_ascii_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<String> {
        let mut s = Splitter::new(text.as_bytes());
        let mut out = Vec::new();
        while let Some(one) = s.next_statement().unwrap() {
            out.push(String::from_utf8(one).unwrap());
        }
        assert_eq!(s.read, text.len() as u64);
        out
    }

    #[test]
    fn statements_end_at_delimiters_in_code() {
        assert_eq!(all("a; b ;\n\nc"), ["a", "b", "c"]);
        assert_eq!(all("select ';', \"a;b\", `c;d`; x"), ["select ';', \"a;b\", `c;d`", "x"]);
        assert_eq!(all("select 'it''s; \\'; ' ; x"), ["select 'it''s; \\'; '", "x"]);
        assert_eq!(all("select '\\\\'; x"), ["select '\\\\'", "x"]);
        assert_eq!(all("-- a; b\nselect 1 -- c;\n; # d;\nx"), ["select 1", "x"]);
        assert_eq!(
            all("select 1--2; /* a; */ x; /*!40101 y */;"),
            ["select 1--2", "/* a; */ x", "/*!40101 y */"]
        );
        assert_eq!(all("select 'a\n;b';\nx;"), ["select 'a\n;b'", "x"]);
        assert_eq!(all(";;\n;"), Vec::<String>::new());
    }

    #[test]
    fn the_delimiter_can_be_changed() {
        let text = "DELIMITER ;;\ncreate procedure p() begin select 1; end ;;\ndelimiter ;\nx; y";
        assert_eq!(all(text), ["create procedure p() begin select 1; end", "x", "y"]);
        // Within a statement it is a word as any other.
        assert_eq!(all("select\ndelimiter\n;x"), ["select\ndelimiter", "x"]);
    }
}
