//! JSON text into a tree, with the messages and positions that MySQL's parser gives.
//!
//! Numbers without point and exponent are integers as long as they fit 64 bits. As in MySQL a positive one of more than 32 bits is
//! unsigned.

use super::super::{Look, ValueError};
use super::dom::{Dom, Key, sorted};
use super::{MAX_DEPTH, too_deep};
use crate::errno;

/// What is wrong with a text, and at which byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParseError {
    Syntax(&'static str, usize),
    TooDeep,
}

impl ParseError {
    /// 3140, with the column's full name.
    pub fn in_column(self, column: &str) -> ValueError {
        match self {
            ParseError::Syntax(what, at) => {
                ValueError::of(errno::ER_INVALID_JSON_TEXT, &[&what, &at, &column])
            }
            ParseError::TooDeep => too_deep(),
        }
    }

    /// 3141; arguments count from 1.
    pub fn in_argument(self, argument: usize, function: &str) -> ValueError {
        match self {
            ParseError::Syntax(what, at) => ValueError::of(
                errno::ER_INVALID_JSON_TEXT_IN_PARAM,
                &[&argument, &function, &what, &at, &""],
            ),
            ParseError::TooDeep => too_deep(),
        }
    }
}

type Parsed<T> = Result<T, ParseError>;

/// Parses a whole text in UTF-8.
pub fn parse(text: &[u8]) -> Parsed<Dom> {
    parse_looking(text, &mut Look::none())
}

/// The same, of a text that may be long: where `look` says so, it ends with an error that means nothing.
pub fn parse_looking(text: &[u8], look: &mut Look<'_>) -> Parsed<Dom> {
    let mut p = Parser { text, at: 0, depth: 0, look };
    p.blank();
    if p.peek() == 0 {
        return p.fail("The document is empty.");
    }
    let dom = p.value()?;
    p.blank();
    if p.at < text.len() {
        return p.fail("The document root must not be followed by other values.");
    }
    Ok(dom)
}

/// What a value costs beside its bytes.
const VALUE: usize = 16;

struct Parser<'t, 'l, 's> {
    text: &'t [u8],
    at: usize,
    depth: usize,
    look: &'l mut Look<'s>,
}

impl Parser<'_, '_, '_> {
    /// The next byte; 0 at the end.
    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    fn fail<T>(&self, what: &'static str) -> Parsed<T> {
        Err(ParseError::Syntax(what, self.at))
    }

    fn blank(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\n' | b'\r') {
            self.at += 1;
        }
    }

    fn consume(&mut self, b: u8) -> bool {
        let there = self.peek() == b && self.at < self.text.len();
        self.at += usize::from(there);
        there
    }

    fn value(&mut self) -> Parsed<Dom> {
        if !self.look.go_on(VALUE) {
            return self.fail("interrupted");
        }
        match self.peek() {
            b'n' => self.word(b"null", Dom::Null),
            b't' => self.word(b"true", Dom::Bool(true)),
            b'f' => self.word(b"false", Dom::Bool(false)),
            b'"' => Ok(Dom::Str(self.string()?)),
            b'{' => self.object(),
            b'[' => self.array(),
            _ => self.number(),
        }
    }

    fn word(&mut self, word: &[u8], value: Dom) -> Parsed<Dom> {
        for b in word {
            if !self.consume(*b) {
                return self.fail("Invalid value.");
            }
        }
        Ok(value)
    }

    fn enter(&mut self) -> Parsed<()> {
        self.at += 1;
        self.depth += 1;
        if self.depth > MAX_DEPTH { Err(ParseError::TooDeep) } else { Ok(()) }
    }

    fn object(&mut self) -> Parsed<Dom> {
        self.enter()?;
        self.blank();
        let mut members: Vec<(Key, Dom)> = Vec::new();
        if !self.consume(b'}') {
            loop {
                if self.peek() != b'"' {
                    return self.fail("Missing a name for object member.");
                }
                let name = self.string()?;
                self.blank();
                if !self.consume(b':') {
                    return self.fail("Missing a colon after a name of object member.");
                }
                self.blank();
                members.push((name, self.value()?));
                self.blank();
                if self.consume(b'}') {
                    break;
                }
                if !self.consume(b',') {
                    return self.fail("Missing a comma or '}' after an object member.");
                }
                self.blank();
            }
        }
        self.depth -= 1;
        Ok(Dom::Object(sorted(members)))
    }

    fn array(&mut self) -> Parsed<Dom> {
        self.enter()?;
        self.blank();
        let mut list = Vec::new();
        if !self.consume(b']') {
            loop {
                list.push(self.value()?);
                self.blank();
                if self.consume(b']') {
                    break;
                }
                if !self.consume(b',') {
                    return self.fail("Missing a comma or ']' after an array element.");
                }
                self.blank();
            }
        }
        self.depth -= 1;
        Ok(Dom::Array(list))
    }

    fn string(&mut self) -> Parsed<Box<[u8]>> {
        self.at += 1;
        let mut out = Vec::new();
        loop {
            let from = self.at;
            while !matches!(self.peek(), b'"' | b'\\' | 0..0x20) {
                self.at += 1;
            }
            out.extend_from_slice(&self.text[from..self.at]);
            if !self.look.go_on(self.at - from) {
                return self.fail("interrupted");
            }
            match self.peek() {
                b'"' => {
                    self.at += 1;
                    return Ok(out.into());
                }
                b'\\' => self.escape(&mut out)?,
                0 => return self.fail("Missing a closing quotation mark in string."),
                _ => return self.fail("Invalid encoding in string."),
            }
        }
    }

    fn escape(&mut self, out: &mut Vec<u8>) -> Parsed<()> {
        let from = self.at;
        let bad = |what| Err(ParseError::Syntax(what, from));
        self.at += 1;
        let b = match self.peek() {
            b @ (b'"' | b'\\' | b'/') => b,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                self.at += 1;
                let mut unit = self.hex(from)?;
                if (0xD800..0xE000).contains(&unit) {
                    let high = unit;
                    let follows = self.text[self.at..].starts_with(b"\\u");
                    if high >= 0xDC00 || !follows {
                        return bad("The surrogate pair in string is invalid.");
                    }
                    self.at += 2;
                    let low = self.hex(from)?;
                    if !(0xDC00..0xE000).contains(&low) {
                        return bad("The surrogate pair in string is invalid.");
                    }
                    unit = 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                }
                let c = char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER);
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                return Ok(());
            }
            _ => return bad("Invalid escape character in string."),
        };
        out.push(b);
        self.at += 1;
        Ok(())
    }

    fn hex(&mut self, escape: usize) -> Parsed<u32> {
        let mut n = 0;
        for _ in 0..4 {
            let Some(d) = char::from(self.peek()).to_digit(16) else {
                let what = "Incorrect hex digit after \\u escape in string.";
                return Err(ParseError::Syntax(what, escape));
            };
            n = n << 4 | d;
            self.at += 1;
        }
        Ok(n)
    }

    fn digits(&mut self) -> usize {
        let from = self.at;
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
        self.at - from
    }

    fn number(&mut self) -> Parsed<Dom> {
        let from = self.at;
        let negative = self.consume(b'-');
        if !self.consume(b'0') && self.digits() == 0 {
            return self.fail("Invalid value.");
        }
        let mut whole = true;
        if self.consume(b'.') {
            whole = false;
            if self.digits() == 0 {
                return self.fail("Miss fraction part in number.");
            }
        }
        if matches!(self.peek(), b'e' | b'E') {
            whole = false;
            self.at += 1;
            if !self.consume(b'+') {
                self.consume(b'-');
            }
            if self.digits() == 0 {
                return self.fail("Miss exponent in number.");
            }
        }
        let text = std::str::from_utf8(&self.text[from..self.at]).unwrap_or("0");
        if whole && let Some(n) = integer(text, negative) {
            return Ok(n);
        }
        match text.parse::<f64>() {
            Ok(x) if x.is_finite() => Ok(Dom::Double(x)),
            _ => Err(ParseError::Syntax("Number too big to be stored in double.", from)),
        }
    }
}

fn integer(text: &str, negative: bool) -> Option<Dom> {
    if negative {
        return text.parse().ok().map(Dom::Int);
    }
    let n: u64 = text.parse().ok()?;
    Some(match u32::try_from(n) {
        Ok(n) => Dom::Int(i64::from(n)),
        Err(_) => Dom::UInt(n),
    })
}
