//! Tokens from statement bytes, as MySQL 8.0's lexer sees them.
//!
//! Works on bytes (a statement may hold binary data inside strings), copies nothing, allocates
//! nothing. What depends on `sql_mode` or on the previous token is decided here, so that the
//! parser and the normaliser agree by construction. Uses nothing outside this folder.
//!
//! Invariants: tokens come in order and do not overlap; after [`T::End`] only `End` follows;
//! a word right after a dot or `@` is never a keyword.

pub mod client;
pub mod keyword;
pub mod literal;
pub mod token;

pub use client::Client;
pub use keyword::Kw;
pub use token::{T, Token};

/// Version that `/*!nnnnn` comments are compared with.
pub const MYSQL_VERSION_ID: u32 = 80036;

/// The parts of `sql_mode` that change how text is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SqlMode {
    pub ansi_quotes: bool,
    pub no_backslash_escapes: bool,
    pub pipes_as_concat: bool,
    pub ignore_space: bool,
    pub high_not_precedence: bool,
    pub real_as_float: bool,
}

const SPACE: u8 = 1;
const IDENT: u8 = 2;
const DIGIT: u8 = 4;

/// Byte classes. All bytes from 0x80 up may be part of an identifier.
const CLASS: [u8; 256] = {
    let mut table = [0u8; 256];
    let mut i = 0;
    while i < 256 {
        let b = i as u8;
        table[i] = match b {
            b' ' | b'\t'..=b'\r' => SPACE,
            b'0'..=b'9' => DIGIT | IDENT,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | 0x80..=0xff => IDENT,
            _ => 0,
        };
        i += 1;
    }
    table
};

fn is(b: u8, class: u8) -> bool {
    CLASS[b as usize] & class != 0
}

/// A cursor over one statement.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    sql: &'a [u8],
    pos: usize,
    mode: SqlMode,
    prev: T,
    prev_kw: Kw,
    prev_end: usize,
    /// Inside an executed `/*! .. */`.
    in_versioned: bool,
    /// Some `/*!` comment was met, executed or not.
    saw_versioned: bool,
    /// A semicolon does not end the text.
    in_body: bool,
}

impl<'a> Lexer<'a> {
    /// Starts at the first byte.
    pub fn new(sql: &'a [u8], mode: SqlMode) -> Lexer<'a> {
        Lexer {
            sql,
            pos: 0,
            mode,
            prev: T::End,
            prev_kw: Kw::NOKW,
            prev_end: 0,
            in_versioned: false,
            saw_versioned: false,
            in_body: false,
        }
    }

    /// For the text of a stored program, in whose body semicolons stand between statements.
    pub fn of_body(sql: &'a [u8], mode: SqlMode) -> Lexer<'a> {
        Lexer { in_body: true, ..Lexer::new(sql, mode) }
    }

    /// Some versioned comment was met so far.
    pub fn saw_versioned(&self) -> bool {
        self.saw_versioned
    }

    /// Byte offset after the last token; after [`T::End`] it includes the semicolon.
    pub fn position(&self) -> usize {
        self.pos
    }

    /// The next token.
    #[inline]
    pub fn next_token(&mut self) -> Token {
        let ok = self.skip_blank();
        let start = self.pos;
        let (kind, kw) = if ok { self.scan() } else { (T::Bad, Kw::NOKW) };
        self.prev = kind;
        self.prev_kw = kw;
        self.prev_end = self.pos;
        let end = if kind == T::End { start } else { self.pos };
        Token { kind, kw, start: start as u32, end: end as u32 }
    }

    fn at(&self, offset: usize) -> u8 {
        self.sql.get(self.pos + offset).copied().unwrap_or(0)
    }

    /// Skips blanks and comments; false at an unterminated comment.
    #[inline]
    fn skip_blank(&mut self) -> bool {
        loop {
            let Some(&b) = self.sql.get(self.pos) else { return true };
            if is(b, SPACE) {
                self.pos += 1;
                continue;
            }
            let skipped = match b {
                b'#' | b'-' | b'/' | b'*' => self.skip_comment(b),
                _ => return true,
            };
            match skipped {
                Some(true) => {}
                Some(false) => return false,
                None => return true,
            }
        }
    }

    /// `Some(true)`: a comment was skipped; `Some(false)`: it does not end; `None`: no comment.
    fn skip_comment(&mut self, first: u8) -> Option<bool> {
        match first {
            b'#' => {
                self.skip_line();
                Some(true)
            }
            // Two dashes start a comment only before white space, a control byte or the end.
            b'-' if self.at(1) == b'-' && self.at(2) <= b' ' => {
                self.skip_line();
                Some(true)
            }
            b'*' if self.in_versioned && self.at(1) == b'/' => {
                self.in_versioned = false;
                self.pos += 2;
                Some(true)
            }
            b'/' if self.at(1) == b'*' => self.skip_block(),
            _ => None,
        }
    }

    fn skip_line(&mut self) {
        while self.pos < self.sql.len() && self.sql[self.pos] != b'\n' {
            self.pos += 1;
        }
    }

    fn skip_block(&mut self) -> Option<bool> {
        if self.at(2) == b'!' && !self.in_versioned {
            self.saw_versioned = true;
            let mut digits = 0;
            while digits < 6 && self.at(3 + digits).is_ascii_digit() {
                digits += 1;
            }
            if digits < 5 {
                self.pos += 3;
                self.in_versioned = true;
                return Some(true);
            }
            let version = self.sql[self.pos + 3..self.pos + 3 + digits]
                .iter()
                .fold(0u32, |acc, b| acc * 10 + u32::from(b - b'0'));
            if version <= MYSQL_VERSION_ID {
                self.pos += 3 + digits;
                self.in_versioned = true;
                return Some(true);
            }
            return Some(self.skip_to_comment_end(true));
        }
        let hint_place =
            matches!(self.prev_kw, Kw::SELECT | Kw::INSERT | Kw::REPLACE | Kw::UPDATE | Kw::DELETE);
        if self.at(2) == b'+' && hint_place {
            return None;
        }
        Some(self.skip_to_comment_end(false))
    }

    /// Skips `/* .. */`; a skipped versioned comment may hold ordinary comments.
    fn skip_to_comment_end(&mut self, nested: bool) -> bool {
        self.pos += 2;
        loop {
            match (self.sql.get(self.pos), self.at(1)) {
                (None, _) => return false,
                (Some(b'*'), b'/') => {
                    self.pos += 2;
                    return true;
                }
                (Some(b'/'), b'*') if nested => {
                    if !self.skip_to_comment_end(false) {
                        return false;
                    }
                }
                _ => self.pos += 1,
            }
        }
    }

    #[inline]
    fn scan(&mut self) -> (T, Kw) {
        let Some(&b) = self.sql.get(self.pos) else { return (T::End, Kw::NOKW) };
        let class = CLASS[b as usize];
        if class & IDENT != 0 {
            // Right after `@`, a name may hold dots and start with a digit.
            if self.prev == T::At && self.prev_end == self.pos {
                return self.host_name();
            }
            if self.prev == T::Dot {
                return self.word(false);
            }
            if class & DIGIT != 0 {
                return (self.number(), Kw::NOKW);
            }
            if self.at(1) == b'\'' {
                match b {
                    b'x' | b'X' => return (self.radix_string(T::Hex), Kw::NOKW),
                    b'b' | b'B' => return (self.radix_string(T::Bit), Kw::NOKW),
                    b'n' | b'N' => {
                        self.pos += 1;
                        let kind = self.string(b'\'', T::NStr);
                        return (kind, Kw::NOKW);
                    }
                    _ => {}
                }
            }
            return self.word(self.prev != T::At || self.prev_end != self.pos);
        }
        (self.symbol(b), Kw::NOKW)
    }

    fn word(&mut self, keywords: bool) -> (T, Kw) {
        let start = self.pos;
        let mut end = start;
        while end < self.sql.len() && is(self.sql[end], IDENT) {
            end += 1;
        }
        self.pos = end;
        let kw = if keywords { keyword::lookup(&self.sql[start..end]) } else { Kw::NOKW };
        (T::Word, kw)
    }

    fn host_name(&mut self) -> (T, Kw) {
        while self.pos < self.sql.len()
            && (is(self.sql[self.pos], IDENT) || self.sql[self.pos] == b'.')
        {
            self.pos += 1;
        }
        (T::Word, Kw::NOKW)
    }

    /// Digits, or an identifier that starts with digits.
    fn number(&mut self) -> T {
        if self.at(0) == b'0' && (self.at(1) == b'x' || self.at(1) == b'b') {
            let hex = self.at(1) == b'x';
            let mut n = 2;
            while if hex {
                self.at(n).is_ascii_hexdigit()
            } else {
                matches!(self.at(n), b'0' | b'1')
            } {
                n += 1;
            }
            if n > 2 && !is(self.at(n), IDENT) {
                self.pos += n;
                return if hex { T::Hex } else { T::Bit };
            }
        }
        let mut n = 1;
        while is(self.at(n), DIGIT) {
            n += 1;
        }
        match self.at(n) {
            b'.' => {
                self.pos += n;
                self.fraction()
            }
            b'e' | b'E' => match self.exponent_length(n) {
                Some(len) => {
                    self.pos += len;
                    T::Float
                }
                None => self.word(false).0,
            },
            b if is(b, IDENT) => self.word(false).0,
            _ => {
                self.pos += n;
                T::Int
            }
        }
    }

    /// Length up to the end of an exponent whose `e` is at `n`.
    fn exponent_length(&self, n: usize) -> Option<usize> {
        let mut k = n + 1;
        if matches!(self.at(k), b'+' | b'-') {
            k += 1;
        }
        if !is(self.at(k), DIGIT) {
            return None;
        }
        while is(self.at(k), DIGIT) {
            k += 1;
        }
        Some(k)
    }

    /// At the point of a number.
    fn fraction(&mut self) -> T {
        let mut n = 1;
        while is(self.at(n), DIGIT) {
            n += 1;
        }
        if matches!(self.at(n), b'e' | b'E')
            && let Some(len) = self.exponent_length(n)
        {
            self.pos += len;
            return T::Float;
        }
        self.pos += n;
        T::Decimal
    }

    /// `x'..'` and `b'..'`: only digits of the radix, an even number for hexadecimal.
    fn radix_string(&mut self, kind: T) -> T {
        let hex = kind == T::Hex;
        let mut n = 2;
        while if hex { self.at(n).is_ascii_hexdigit() } else { matches!(self.at(n), b'0' | b'1') } {
            n += 1;
        }
        if self.at(n) != b'\'' || (hex && n % 2 != 0) {
            return T::Bad;
        }
        self.pos += n + 1;
        kind
    }

    /// At an opening quote.
    fn string(&mut self, quote: u8, kind: T) -> T {
        let escapes = !self.mode.no_backslash_escapes && kind != T::Quoted;
        let mut i = self.pos + 1;
        while i < self.sql.len() {
            let b = self.sql[i];
            if b == quote {
                if self.sql.get(i + 1) == Some(&quote) {
                    i += 2;
                    continue;
                }
                self.pos = i + 1;
                return kind;
            }
            i += if b == b'\\' && escapes { 2 } else { 1 };
        }
        T::Bad
    }

    fn symbol(&mut self, b: u8) -> T {
        let (next, third) = (self.at(1), self.at(2));
        let (kind, len) = match b {
            b'\'' => return self.string(b'\'', T::Str),
            b'"' => {
                let kind = if self.mode.ansi_quotes { T::Quoted } else { T::Str };
                return self.string(b'"', kind);
            }
            b'`' => return self.string(b'`', T::Quoted),
            b';' => {
                self.pos += 1;
                return if self.in_body { T::Semicolon } else { T::End };
            }
            b'.' => return self.dot(next),
            b'/' if next == b'*' => {
                return if self.skip_to_comment_end(false) { T::Hint } else { T::Bad };
            }
            b'(' => (T::LParen, 1),
            b')' => (T::RParen, 1),
            b',' => (T::Comma, 1),
            b'=' => (T::Eq, 1),
            b'*' => (T::Star, 1),
            b'?' => (T::Param, 1),
            b'{' => (T::LBrace, 1),
            b'}' => (T::RBrace, 1),
            b'+' => (T::Plus, 1),
            b'/' => (T::Slash, 1),
            b'%' => (T::Percent, 1),
            b'^' => (T::Caret, 1),
            b'~' => (T::Tilde, 1),
            b'@' if next == b'@' => (T::AtAt, 2),
            b'@' => (T::At, 1),
            b':' if next == b'=' => (T::Assign, 2),
            b':' => (T::Colon, 1),
            b'<' if next == b'=' && third == b'>' => (T::NullEq, 3),
            b'<' if next == b'=' => (T::Le, 2),
            b'<' if next == b'>' => (T::Ne, 2),
            b'<' if next == b'<' => (T::Shl, 2),
            b'<' => (T::Lt, 1),
            b'>' if next == b'=' => (T::Ge, 2),
            b'>' if next == b'>' => (T::Shr, 2),
            b'>' => (T::Gt, 1),
            b'!' if next == b'=' => (T::Ne, 2),
            b'!' => (T::Bang, 1),
            b'&' if next == b'&' => (T::AmpAmp, 2),
            b'&' => (T::Amp, 1),
            b'|' if next == b'|' => (T::PipePipe, 2),
            b'|' => (T::Pipe, 1),
            b'-' if next == b'>' && third == b'>' => (T::ArrowText, 3),
            b'-' if next == b'>' => (T::Arrow, 2),
            b'-' => (T::Minus, 1),
            _ => (T::Bad, 0),
        };
        self.pos += len;
        kind
    }

    /// A point starts a number unless it follows a name without a gap.
    fn dot(&mut self, next: u8) -> T {
        let after_name = matches!(self.prev, T::Word | T::Quoted) && self.prev_end == self.pos;
        if is(next, DIGIT) && !after_name {
            return self.fraction();
        }
        self.pos += 1;
        T::Dot
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(sql: &str, mode: SqlMode) -> Vec<(T, String)> {
        let mut lexer = Lexer::new(sql.as_bytes(), mode);
        let mut out = Vec::new();
        loop {
            let token = lexer.next_token();
            if matches!(token.kind, T::End | T::Bad) {
                if token.kind == T::Bad {
                    out.push((T::Bad, String::new()));
                }
                return out;
            }
            let text = String::from_utf8_lossy(token.text(sql.as_bytes())).into_owned();
            out.push((token.kind, text));
        }
    }

    fn check(sql: &str, expect: &[(T, &str)]) {
        let got = kinds(sql, SqlMode::default());
        let expect: Vec<_> = expect.iter().map(|(k, t)| (*k, (*t).to_string())).collect();
        assert_eq!(got, expect, "{sql}");
    }

    #[test]
    fn numbers() {
        check(
            "1 1. .5 1.5e3 1e5 1e+5",
            &[
                (T::Int, "1"),
                (T::Decimal, "1."),
                (T::Decimal, ".5"),
                (T::Float, "1.5e3"),
                (T::Float, "1e5"),
                (T::Float, "1e+5"),
            ],
        );
        check(
            "1a 1e t.1a t.5",
            &[
                (T::Word, "1a"),
                (T::Word, "1e"),
                (T::Word, "t"),
                (T::Dot, "."),
                (T::Word, "1a"),
                (T::Word, "t"),
                (T::Dot, "."),
                (T::Word, "5"),
            ],
        );
        check(
            "0x41 x'4d' 0b01 b'1' 0xZ",
            &[
                (T::Hex, "0x41"),
                (T::Hex, "x'4d'"),
                (T::Bit, "0b01"),
                (T::Bit, "b'1'"),
                (T::Word, "0xZ"),
            ],
        );
        check("x'4'", &[(T::Bad, "")]);
    }

    #[test]
    fn comments() {
        check("1--1", &[(T::Int, "1"), (T::Minus, "-"), (T::Minus, "-"), (T::Int, "1")]);
        check("1 -- x\n2 # y\n/* z */ 3 --", &[(T::Int, "1"), (T::Int, "2"), (T::Int, "3")]);
        check("1 /*!99999 +1 */", &[(T::Int, "1")]);
        check("1 /*!99999 /* in */ +1 */ 2", &[(T::Int, "1"), (T::Int, "2")]);
        check("1 /*!40000 +1 */", &[(T::Int, "1"), (T::Plus, "+"), (T::Int, "1")]);
        check("1 /*! +1 */", &[(T::Int, "1"), (T::Plus, "+"), (T::Int, "1")]);
        check("1 /* +1", &[(T::Int, "1"), (T::Bad, "")]);
        check("select/*+ a */1", &[(T::Word, "select"), (T::Hint, "/*+ a */"), (T::Int, "1")]);
        check("1/*+ a */", &[(T::Int, "1")]);
    }

    #[test]
    fn strings_and_modes() {
        check(r"'a''b' 'c\'d'", &[(T::Str, "'a''b'"), (T::Str, r"'c\'d'")]);
        check("'abc", &[(T::Bad, "")]);
        let mode = SqlMode { ansi_quotes: true, no_backslash_escapes: true, ..Default::default() };
        assert_eq!(
            kinds(r#""a" 'b\'"#, mode),
            [(T::Quoted, "\"a\"".to_string()), (T::Str, r"'b\'".to_string())]
        );
        check("N'x' `a``b`", &[(T::NStr, "N'x'"), (T::Quoted, "`a``b`")]);
    }

    #[test]
    fn names() {
        check(
            "a@local.host @a.b @@global.x",
            &[
                (T::Word, "a"),
                (T::At, "@"),
                (T::Word, "local.host"),
                (T::At, "@"),
                (T::Word, "a.b"),
                (T::AtAt, "@@"),
                (T::Word, "global"),
                (T::Dot, "."),
                (T::Word, "x"),
            ],
        );
    }
}
