//! Reads `docs/format.md`: tables of fields with offsets, pictures of the same fields, tables of tagged forms, examples in hex.

use std::collections::BTreeMap;

const TEXT: &str = include_str!("../../../../docs/format.md");

/// The lines under a heading, up to the next one.
pub fn section(title: &str) -> Vec<&'static str> {
    let is = |l: &&str| l.trim_start_matches('#').trim() == title && l.starts_with('#');
    let mut lines = TEXT.lines().skip_while(|l| !is(l));
    assert!(lines.next().is_some(), "docs/format.md has no heading '{title}'");
    lines.take_while(|l| !l.starts_with('#')).collect()
}

/// The headings of all sections that draw fields.
pub fn drawn() -> Vec<&'static str> {
    let titles =
        TEXT.lines().filter(|l| l.starts_with("###")).map(|l| l.trim_start_matches("###").trim());
    titles.filter(|t| section(t).contains(&"| at | bytes | field | what |")).collect()
}

/// The cells of the table rows of a section.
pub fn rows(title: &str) -> Vec<Vec<&'static str>> {
    let lines = section(title).into_iter().filter(|l| l.starts_with('|'));
    let cells = lines.map(|l| l.trim_matches('|').split('|').map(str::trim).collect());
    cells.collect()
}

/// The bytes in a cell of hexadecimal digits.
pub fn hex(cell: &str) -> Vec<u8> {
    let digits = cell.split(['`', ',', ' ']).filter(|d| !d.is_empty());
    digits.map(|d| u8::from_str_radix(d, 16).unwrap_or_else(|_| panic!("'{cell}'"))).collect()
}

/// A structure with fixed offsets.
pub struct Layout {
    title: &'static str,
    fields: Vec<(usize, usize, &'static str)>,
}

pub fn layout(title: &'static str) -> Layout {
    let number = |c: &str| c.parse::<usize>().ok();
    let fields: Vec<_> = rows(title)
        .into_iter()
        .filter_map(|r| match r[..] {
            [at, bytes, field, _] => Some((number(at)?, number(bytes)?, field)),
            _ => None,
        })
        .collect();
    assert!(!fields.is_empty(), "'{title}' has no fields");
    Layout { title, fields }
}

impl Layout {
    /// Offset and width.
    pub fn at(&self, field: &str) -> (usize, usize) {
        let found = self.fields.iter().find(|f| f.2 == field);
        let f = found.unwrap_or_else(|| panic!("'{}' has no field '{field}'", self.title));
        (f.0, f.1)
    }

    pub fn offset(&self, field: &str) -> usize {
        self.at(field).0
    }

    pub fn bytes<'b>(&self, of: &'b [u8], field: &str) -> &'b [u8] {
        let (at, width) = self.at(field);
        &of[at..at + width]
    }

    pub fn int(&self, of: &[u8], field: &str) -> u64 {
        self.bytes(of, field).iter().rev().fold(0, |n, b| n << 8 | u64::from(*b))
    }

    pub fn int_be(&self, of: &[u8], field: &str) -> u64 {
        self.bytes(of, field).iter().fold(0, |n, b| n << 8 | u64::from(*b))
    }

    /// Behind the last field.
    pub fn end(&self) -> usize {
        self.fields.iter().map(|f| f.0 + f.1).max().expect("it has fields")
    }

    /// Fields follow each other, and the picture has them where the table has them.
    pub fn check(&self) {
        for pair in self.fields.windows(2) {
            assert!(
                pair[0].0 + pair[0].1 <= pair[1].0,
                "'{}': '{}' overlaps",
                self.title,
                pair[1].2
            );
        }
        let mut pictured: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for line in section(self.title).into_iter().filter(|l| l.starts_with("    ")) {
            let Some((label, cells)) = line.split_once('|') else { continue };
            let Ok(mut at) = label.trim().parse::<usize>() else { continue };
            for cell in cells.trim_end().trim_end_matches('|').split('|') {
                let width = (cell.len() + 1) / 5;
                pictured.entry(cell.trim()).or_default().extend(at..at + width);
                at += width;
            }
        }
        assert!(!pictured.is_empty(), "'{}' has no picture", self.title);
        for (name, bytes) in pictured.into_iter().filter(|(name, _)| !name.is_empty()) {
            let (at, width) = self.at(name);
            assert_eq!(bytes, (at..at + width).collect::<Vec<_>>(), "'{}': '{name}'", self.title);
        }
    }
}

/// What a form gave: values by name, in order; those of a bracket are lists.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Int(u64),
    Bytes(Vec<u8>),
    List(Vec<Record>),
    Tagged(u8, Record),
}

pub type Record = Vec<(&'static str, Value)>;

pub fn int(r: &Record, name: &str) -> u64 {
    match get(r, name) {
        Value::Int(n) => *n,
        other => panic!("'{name}' is {other:?}"),
    }
}

pub fn bytes<'r>(r: &'r Record, name: &str) -> &'r [u8] {
    match get(r, name) {
        Value::Bytes(b) => b,
        other => panic!("'{name}' is {other:?}"),
    }
}

pub fn list<'r>(r: &'r Record, name: &str) -> &'r [Record] {
    match get(r, name) {
        Value::List(l) => l,
        other => panic!("'{name}' is {other:?}"),
    }
}

pub fn get<'r>(r: &'r Record, name: &str) -> &'r Value {
    &r.iter().find(|v| v.0 == name).unwrap_or_else(|| panic!("no '{name}' in {r:?}")).1
}

/// Tag, name, form and the further cells of each row of a table of forms.
pub fn forms(title: &str) -> Vec<(u8, &'static str, &'static str, Vec<&'static str>)> {
    let tagged = rows(title).into_iter().filter_map(|r| {
        let tag = r[0].parse().ok()?;
        Some((tag, r[1], r[2].split('`').nth(1).unwrap_or(""), r[3..].to_vec()))
    });
    tagged.collect()
}

pub fn form(title: &str, tag: u8) -> &'static str {
    let found = forms(title).into_iter().find(|f| f.0 == tag);
    found.unwrap_or_else(|| panic!("'{title}' has no tag {tag}")).2
}

/// Takes a form from the front of `b`.
pub fn take(form: &'static str, b: &mut &[u8]) -> Record {
    let mut out = Vec::new();
    let mut rest = form.trim();
    while !rest.is_empty() {
        let (name, after) = rest.split_once(' ').expect("name and type");
        let kind;
        if let Some(inner) = after.strip_prefix('[') {
            let close = closing(inner);
            let (body, mark) = (&inner[..close], &inner[close + 1..close + 2]);
            let times = if mark == "*" { varint(b) } else { u64::from(one(b)) };
            assert!(mark == "*" || times < 2, "a byte of 0 or 1 in front of '{body}'");
            let list = (0..times).map(|_| take(body, b)).collect();
            out.push((name, Value::List(list)));
            rest = &inner[close + 2..];
        } else {
            (kind, rest) = after.split_at(after.find(',').unwrap_or(after.len()));
            out.push((name, value(kind, b)));
        }
        rest = rest.trim_start_matches([',', ' ']);
    }
    out
}

/// Where the bracket that was opened before `s` closes.
fn closing(s: &str) -> usize {
    let mut depth = 1;
    for (i, c) in s.char_indices() {
        depth += i32::from(c == '[') - i32::from(c == ']');
        if depth == 0 {
            return i;
        }
    }
    panic!("no closing bracket in '{s}'")
}

fn value(kind: &'static str, b: &mut &[u8]) -> Value {
    let mut fixed = |n: usize| {
        let (head, tail) = b.split_at(n);
        *b = tail;
        head
    };
    match kind {
        "varint" => Value::Int(varint(b)),
        "bytes" => {
            let n = varint(b) as usize;
            let (head, tail) = b.split_at(n);
            *b = tail;
            Value::Bytes(head.to_vec())
        }
        k if k.starts_with(char::is_uppercase) => {
            let tag = one(b);
            Value::Tagged(tag, take(form(k, tag), b))
        }
        k => {
            let bits: usize =
                k.trim_start_matches('u').trim_end_matches("be").parse().expect("a type");
            let raw = fixed(bits / 8);
            let push = |n: u64, b: &u8| n << 8 | u64::from(*b);
            let be = k.ends_with("be");
            Value::Int(if be { raw.iter().fold(0, push) } else { raw.iter().rev().fold(0, push) })
        }
    }
}

fn one(b: &mut &[u8]) -> u8 {
    let first = b[0];
    *b = &b[1..];
    first
}

pub fn varint(b: &mut &[u8]) -> u64 {
    let (mut n, mut shift) = (0, 0);
    loop {
        let byte = one(b);
        n |= u64::from(byte & 0x7F) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            return n;
        }
    }
}
