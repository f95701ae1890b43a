//! Path expressions: `$.name[1][last]**."quoted name"[1 to last-1][*].*`.

use super::super::ValueError;
use super::dom::Dom;
use super::parse::parse;
use crate::errno;

/// Where a path has gone wrong: the number of bytes before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathError(pub usize);

impl PathError {
    /// 3143.
    pub fn error(self) -> ValueError {
        ValueError::of(errno::ER_INVALID_JSON_PATH, &[&self.0, &""])
    }
}

/// The place of an element, from the array's beginning or its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    pub n: u32,
    pub from_end: bool,
}

impl Cell {
    /// The index in an array of this length, where there is such an element.
    pub fn within(self, len: usize) -> Option<usize> {
        let n = self.n as usize;
        match (n < len, self.from_end) {
            (false, _) => None,
            (true, false) => Some(n),
            (true, true) => Some(len - 1 - n),
        }
    }

    /// The index at which an element is inserted: at an end where the array is too short.
    pub fn position(self, len: usize) -> usize {
        self.within(len).unwrap_or(if self.from_end { 0 } else { len })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Leg {
    Member(Box<[u8]>),
    AnyMember,
    Cell(Cell),
    /// First and last element.
    Range(Cell, Cell),
    AnyCell,
    /// `**`: the value itself and all that is inside.
    Ellipsis,
}

impl Leg {
    /// It may match several values.
    pub fn is_wild(&self) -> bool {
        !matches!(self, Leg::Member(_) | Leg::Cell(_))
    }

    /// The range of indexes in an array of this length.
    pub fn range(first: Cell, last: Cell, len: usize) -> std::ops::Range<usize> {
        let from = first.position(len);
        let to = match last.within(len) {
            Some(at) => at + 1,
            None => last.position(len),
        };
        from..to.max(from)
    }

    /// It matches a value that is no array, which counts as an array of one element.
    pub fn wraps(&self) -> bool {
        match self {
            Leg::Cell(c) => c.within(1).is_some(),
            Leg::Range(a, b) => !Leg::range(*a, *b, 1).is_empty(),
            _ => false,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Path {
    pub legs: Vec<Leg>,
}

impl Path {
    pub fn parse(text: &[u8]) -> Result<Path, PathError> {
        let mut p = Parser { text, at: 0 };
        let legs = p.path();
        legs.map(|legs| Path { legs }).ok_or(PathError(p.at))
    }

    pub fn is_wild(&self) -> bool {
        self.legs.iter().any(Leg::is_wild)
    }

    /// Appends the path as JSON_SEARCH shows it.
    pub fn write_leg(leg: &Leg, out: &mut Vec<u8>) {
        match leg {
            Leg::Member(name) => {
                out.push(b'.');
                match is_identifier(name) {
                    true => out.extend_from_slice(name),
                    false => super::quote(name, out),
                }
            }
            Leg::Cell(c) => out.extend_from_slice(format!("[{}]", c.n).as_bytes()),
            _ => {}
        }
    }
}

/// A name that stands without quotes.
fn is_identifier(name: &[u8]) -> bool {
    let Ok(name) = std::str::from_utf8(name) else { return false };
    let first = |c: char| c.is_alphabetic() || c == '_' || c == '$';
    name.starts_with(first)
        && name.chars().all(|c| first(c) || c.is_numeric() || !c.is_ascii() && !c.is_whitespace())
}

struct Parser<'t> {
    text: &'t [u8],
    /// Where the parser is, and where it has stopped when there is an error.
    at: usize,
}

/// `None` is an error at the parser's place.
impl Parser<'_> {
    fn rest(&self) -> &[u8] {
        &self.text[self.at..]
    }

    fn blank(&mut self) {
        while self.rest().first().is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn consume(&mut self, b: u8) -> bool {
        let there = self.rest().first() == Some(&b);
        self.at += usize::from(there);
        there
    }

    fn path(&mut self) -> Option<Vec<Leg>> {
        self.blank();
        if !self.consume(b'$') {
            // The place is behind what stands there instead.
            self.at = (self.at + 1).min(self.text.len());
            return None;
        }
        let mut legs = Vec::new();
        self.blank();
        while !self.rest().is_empty() {
            legs.push(self.leg()?);
            self.blank();
        }
        if legs.last() == Some(&Leg::Ellipsis) { None } else { Some(legs) }
    }

    fn leg(&mut self) -> Option<Leg> {
        match self.rest().first()? {
            b'[' => self.cells(),
            b'.' => self.member(),
            b'*' => self.ellipsis(),
            _ => None,
        }
    }

    fn ellipsis(&mut self) -> Option<Leg> {
        self.at += 1;
        if !self.consume(b'*') {
            return None;
        }
        // A leg must follow, and `***` is hard to read.
        match self.rest().first() {
            None | Some(b'*') => None,
            Some(_) => Some(Leg::Ellipsis),
        }
    }

    fn cells(&mut self) -> Option<Leg> {
        self.at += 1;
        self.blank();
        let leg = if self.consume(b'*') {
            Leg::AnyCell
        } else {
            let first = self.cell()?;
            let spaced = self.at > 0 && self.text[self.at - 1].is_ascii_whitespace();
            let at = self.at;
            self.blank();
            let spaced = spaced || self.at > at;
            let is_to = self.rest().starts_with(b"to")
                && self.rest().get(2).is_some_and(u8::is_ascii_whitespace);
            if spaced && is_to {
                self.at += 2;
                self.blank();
                let last = self.cell()?;
                let backwards = match (first.from_end, last.from_end) {
                    (false, false) => first.n > last.n,
                    (true, true) => first.n < last.n,
                    _ => false,
                };
                if backwards {
                    return None;
                }
                Leg::Range(first, last)
            } else {
                Leg::Cell(first)
            }
        };
        self.blank();
        if self.consume(b']') {
            return Some(leg);
        }
        // The place is behind what stands there instead.
        self.at = (self.at + 1).min(self.text.len());
        None
    }

    fn cell(&mut self) -> Option<Cell> {
        if !self.rest().starts_with(b"last") {
            return Some(Cell { n: self.number()?, from_end: false });
        }
        self.at += 4;
        let at = self.at;
        self.blank();
        if !self.consume(b'-') {
            self.at = at;
            return Some(Cell { n: 0, from_end: true });
        }
        self.blank();
        Some(Cell { n: self.number()?, from_end: true })
    }

    fn number(&mut self) -> Option<u32> {
        let n = self.rest().iter().take_while(|b| b.is_ascii_digit()).count();
        let digits = std::str::from_utf8(&self.rest()[..n]).ok()?;
        let value = digits.parse().ok()?;
        self.at += n;
        Some(value)
    }

    fn member(&mut self) -> Option<Leg> {
        self.at += 1;
        self.blank();
        match self.rest().first()? {
            b'*' => {
                self.at += 1;
                Some(Leg::AnyMember)
            }
            b'"' => self.quoted(),
            _ => {
                let end = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'.' | b'[' | b'*');
                let n = self.rest().iter().position(end).unwrap_or(self.rest().len());
                let name: Box<[u8]> = self.rest()[..n].into();
                self.at += n;
                is_identifier(&name).then_some(Leg::Member(name))
            }
        }
    }

    fn quoted(&mut self) -> Option<Leg> {
        let mut n = 1;
        loop {
            match self.rest().get(n) {
                None => {
                    self.at = self.text.len();
                    return None;
                }
                Some(b'\\') => n += 2,
                Some(b'"') => break,
                Some(_) => n += 1,
            }
        }
        let name = parse(&self.rest()[..=n]);
        self.at += n + 1;
        match name {
            Ok(Dom::Str(name)) => Some(Leg::Member(name)),
            _ => None,
        }
    }
}
