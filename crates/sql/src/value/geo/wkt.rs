//! Well-known text: `POLYGON((0 0,1 0,1 1,0 0))`.

use super::{Coord, GeoKind, MAX_DEPTH, Shape};
use crate::value::Look;
use crate::value::double::{parse_prefix, write_double};

/// What a point costs.
const POINT: usize = 32;

#[cfg(test)]
pub fn parse(text: &[u8]) -> Option<Shape> {
    parse_looking(text, &mut Look::none())
}

/// Reads a text that is one geometry and nothing else. None, too, where `look` ends it.
pub fn parse_looking(text: &[u8], look: &mut Look<'_>) -> Option<Shape> {
    let mut p = Parser { rest: text, look };
    let shape = p.shape(1)?;
    p.space();
    (p.rest.is_empty() && shape.is_well_formed()).then_some(shape)
}

struct Parser<'a, 'l, 's> {
    rest: &'a [u8],
    look: &'l mut Look<'s>,
}

impl Parser<'_, '_, '_> {
    fn space(&mut self) {
        self.rest = self.rest.trim_ascii_start();
    }

    fn eat(&mut self, byte: u8) -> bool {
        self.space();
        match self.rest.split_first() {
            Some((b, rest)) if *b == byte => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.eat(byte).then_some(())
    }

    /// A word in upper case.
    fn word(&mut self) -> Vec<u8> {
        self.space();
        let n = self.rest.iter().take_while(|b| b.is_ascii_alphabetic()).count();
        let (word, rest) = self.rest.split_at(n);
        self.rest = rest;
        word.to_ascii_uppercase()
    }

    fn number(&mut self) -> Option<f64> {
        self.space();
        // A number has digits: words like `inf` are none.
        let first = *self.rest.first()?;
        if !(first.is_ascii_digit() || b"+-.".contains(&first)) {
            return None;
        }
        let (_, used) = parse_prefix(self.rest);
        // What is too large would be the largest double there, and is no coordinate here.
        let text = std::str::from_utf8(&self.rest[..used]).ok()?;
        let x = text.trim().parse::<f64>().ok().filter(|x| x.is_finite())?;
        self.rest = &self.rest[used..];
        Some(x)
    }

    fn coord(&mut self) -> Option<Coord> {
        if !self.look.go_on(POINT) {
            return None;
        }
        let x = self.number()?;
        if !self.rest.first()?.is_ascii_whitespace() {
            return None;
        }
        Some(Coord { x, y: self.number()? })
    }

    /// `(a,b,...)`.
    fn list<T>(&mut self, one: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        self.expect(b'(')?;
        let mut all = vec![one(self)?];
        while self.eat(b',') {
            all.push(one(self)?);
        }
        self.expect(b')')?;
        Some(all)
    }

    fn line(&mut self) -> Option<Vec<Coord>> {
        self.list(Self::coord)
    }

    fn polygon(&mut self) -> Option<Vec<Vec<Coord>>> {
        self.list(Self::line)
    }

    /// `(1 2)`, or without the parentheses in a MULTIPOINT.
    fn in_parentheses(&mut self) -> Option<Coord> {
        let open = self.eat(b'(');
        let c = self.coord()?;
        if open {
            self.expect(b')')?;
        }
        Some(c)
    }

    fn shape(&mut self, depth: usize) -> Option<Shape> {
        let word = self.word();
        Some(match &word[..] {
            b"POINT" => {
                self.expect(b'(')?;
                let c = self.coord()?;
                self.expect(b')')?;
                Shape::Point(c)
            }
            b"LINESTRING" => Shape::LineString(self.line()?),
            b"POLYGON" => Shape::Polygon(self.polygon()?),
            b"MULTIPOINT" => {
                let before = self.rest;
                let all = self.list(Self::in_parentheses)?;
                // Either all points are in parentheses, or none is.
                let opened = before[..before.len() - self.rest.len()].iter();
                let opened = opened.filter(|b| **b == b'(').count() - 1;
                if opened != 0 && opened != all.len() {
                    return None;
                }
                Shape::MultiPoint(all)
            }
            b"MULTILINESTRING" => Shape::MultiLineString(self.list(Self::line)?),
            b"MULTIPOLYGON" => Shape::MultiPolygon(self.list(Self::polygon)?),
            b"GEOMETRYCOLLECTION" | b"GEOMCOLLECTION" => self.collection(depth)?,
            _ => return None,
        })
    }

    fn collection(&mut self, depth: usize) -> Option<Shape> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.space();
        if !self.rest.starts_with(b"(") {
            return (self.word() == b"EMPTY").then(|| Shape::Collection(Vec::new()));
        }
        let before = self.rest;
        if self.eat(b'(') && self.eat(b')') {
            return Some(Shape::Collection(Vec::new()));
        }
        self.rest = before;
        self.list(|p| p.shape(depth + 1)).map(Shape::Collection)
    }
}

pub fn write(shape: &Shape) -> String {
    let out = write_up_to(shape, usize::MAX);
    String::from_utf8(out).expect("keywords and numbers are ASCII")
}

/// The text, or a beginning of it that is longer than `most` bytes, but not by much.
pub fn write_up_to(shape: &Shape, most: usize) -> Vec<u8> {
    let mut text = Text { out: Vec::new(), most };
    put_shape(&mut text, shape);
    text.out
}

struct Text {
    out: Vec<u8>,
    most: usize,
}

fn put_shape(text: &mut Text, shape: &Shape) {
    text.out.extend(shape.kind().word().as_bytes());
    match shape {
        Shape::Point(c) => put_list(text, &[*c], put_coord),
        Shape::LineString(l) => put_list(text, l, put_coord),
        Shape::Polygon(p) | Shape::MultiLineString(p) => {
            put_list(text, p, |text, l| put_line(text, l));
        }
        Shape::MultiPoint(l) => put_list(text, l, |text, c| put_list(text, &[*c], put_coord)),
        Shape::MultiPolygon(l) => {
            put_list(text, l, |text, p| put_list(text, p, |text, l| put_line(text, l)));
        }
        Shape::Collection(parts) if parts.is_empty() => text.out.extend(b" EMPTY"),
        Shape::Collection(parts) => put_list(text, parts, put_shape),
    }
}

fn put_line(text: &mut Text, line: &[Coord]) {
    put_list(text, line, put_coord);
}

fn put_coord(text: &mut Text, c: &Coord) {
    write_double(c.x, &mut text.out);
    text.out.push(b' ');
    write_double(c.y, &mut text.out);
}

fn put_list<T>(text: &mut Text, all: &[T], put: impl Fn(&mut Text, &T)) {
    text.out.push(b'(');
    for (i, one) in all.iter().enumerate() {
        if text.out.len() > text.most {
            return;
        }
        if i > 0 {
            text.out.push(b',');
        }
        put(text, one);
    }
    text.out.push(b')');
}

impl GeoKind {
    /// The name by which error messages and ST_GeometryType call it.
    pub const fn shown(self) -> &'static str {
        match self {
            GeoKind::Collection => "GEOMCOLLECTION",
            other => other.word(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_and_written() {
        let known = [
            ("POINT(1 2)", "POINT(1 2)"),
            (" point ( -1.5   2e3 ) ", "POINT(-1.5 2000)"),
            ("POINT(1e20 0)", "POINT(1e20 0)"),
            ("LINESTRING(0 0,1 1)", "LINESTRING(0 0,1 1)"),
            ("POLYGON((0 0,1 0,1 1,0 0))", "POLYGON((0 0,1 0,1 1,0 0))"),
            ("MULTIPOINT(1 1, 2 2)", "MULTIPOINT((1 1),(2 2))"),
            ("MULTIPOINT((1 1),(2 2))", "MULTIPOINT((1 1),(2 2))"),
            ("MULTILINESTRING((0 0,1 1),(2 2,3 3))", "MULTILINESTRING((0 0,1 1),(2 2,3 3))"),
            ("MULTIPOLYGON(((0 0,1 0,1 1,0 0)))", "MULTIPOLYGON(((0 0,1 0,1 1,0 0)))"),
            ("GEOMETRYCOLLECTION()", "GEOMETRYCOLLECTION EMPTY"),
            ("GEOMETRYCOLLECTION EMPTY", "GEOMETRYCOLLECTION EMPTY"),
            ("GeomCollection(POINT(1 1))", "GEOMETRYCOLLECTION(POINT(1 1))"),
        ];
        for (text, want) in known {
            let shape = parse(text.as_bytes()).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(write(&shape), want);
        }
    }

    #[test]
    fn other_texts_are_refused() {
        let bad = [
            "",
            "POINT",
            "POINT()",
            "POINT(1)",
            "POINT(1 2 3)",
            "POINT(1 2",
            "POINT(1 2))",
            "POINT(1,2)",
            "POINT(1-2)",
            "POINT(nan 1)",
            "POINT(inf 1)",
            "POINT(1e999 1)",
            "LINESTRING(0 0)",
            "LINESTRING()",
            "POLYGON((0 0,1 0,1 1,0 1))",
            "POLYGON((0 0,1 0,0 0))",
            "POLYGON(0 0,1 0,1 1,0 0)",
            "MULTIPOINT((1 1),2 2)",
            "MULTIPOINT()",
            "GEOMETRYCOLLECTION",
            "GEOMETRYCOLLECTION(EMPTY)",
            "CIRCLE(1 1)",
        ];
        for text in bad {
            assert_eq!(parse(text.as_bytes()), None, "{text}");
        }
        let deep = "GEOMETRYCOLLECTION(".repeat(100_000);
        assert_eq!(parse(deep.as_bytes()), None);
    }
}
