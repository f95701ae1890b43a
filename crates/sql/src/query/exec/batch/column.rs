//! Columns of a leaf as vectors: numbers of 64 bits, or bytes copied one behind the other.

use super::constants::{Constants, settled};
use crate::func::facts::Length;
use crate::query::expr::{BExpr, Node};
use crate::value::types::Class;
use crate::value::{Charset, Collation, Date, DateTime, Decimal, SqlType, Value};
use std::borrow::Cow;
use weir_engine::row::{ColumnReader, Datum, PhysType, RowLayout};

/// What the numbers of a vector mean. Those of one kind order as the values do, doubles excepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Int,
    /// BIGINT UNSIGNED, with the highest bit turned, so that a vector of `i64` orders as the values do.
    UInt,
    /// The coefficients of exact numbers with so many digits behind the point.
    Exact(u8),
    /// The bits of doubles.
    Real,
    /// Dates and datetimes as they are packed.
    Date,
    DateTime,
    /// The number of an ENUM's member. It orders as the member's place, so that it can only be told from others.
    Member,
    Text(Collation),
}

/// Bytes of decimals that are kept in 64 bits: those of up to 18 digits.
const SHORT: u16 = 8;
const TOP: i64 = i64::MIN;

impl Kind {
    /// `None`: values of the type have no vectors.
    pub fn of(ty: &SqlType) -> Option<Kind> {
        // They are shown or stored in ways of their own.
        let odd = matches!(
            ty,
            SqlType::Year
                | SqlType::Bit { .. }
                | SqlType::Timestamp { .. }
                | SqlType::Geometry { .. }
        );
        Some(match (ty.class(), ty.phys()) {
            _ if odd => return None,
            (Class::Int, PhysType::Int { bytes: 8, unsigned: true }) => Kind::UInt,
            (Class::Int, PhysType::Int { .. }) => Kind::Int,
            (Class::Decimal, PhysType::Fixed { len: ..=SHORT }) => {
                Kind::Exact(ty.facts().number?.1)
            }
            (Class::Real, PhysType::F32 | PhysType::F64) => Kind::Real,
            (Class::Date, PhysType::Int { .. }) => Kind::Date,
            (Class::DateTime, PhysType::Int { .. }) => Kind::DateTime,
            (Class::Text, PhysType::Int { .. }) if matches!(ty, SqlType::Enum { .. }) => {
                Kind::Member
            }
            (Class::Text, PhysType::Var { .. }) => Kind::Text(ty.collation()?),
            _ => return None,
        })
    }
}

/// One column of a table, and its values in the rows of the current leaf.
pub struct Column {
    /// Its place in the table.
    at: usize,
    /// Of each text only these characters.
    cut: Option<Cut>,
    pub ty: SqlType,
    pub kind: Kind,
    reader: ColumnReader,
    /// For each row its number; of rows that are not selected any.
    pub numbers: Vec<i64>,
    /// For each row whether it is NULL; empty: none is.
    pub nulls: Vec<bool>,
    nullable: bool,
    texts: Vec<u8>,
    spans: Vec<(u32, u32)>,
    loaded: bool,
}

/// The characters that SUBSTRING and LEFT leave of a text: behind so many, at most so many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Cut {
    behind: usize,
    most: usize,
}

impl Cut {
    /// `None`: the expression is no part of a column's text, or which part differs from row to row.
    fn of<'e>(e: &'e BExpr, cx: &mut Constants<'_, '_, '_>) -> Option<(&'e BExpr, Cut)> {
        let Node::Func(def, args) = &e.node else { return None };
        let mut number = |e: &BExpr| match settled(e, cx)? {
            Value::Int(n) => usize::try_from(n).ok(),
            _ => None,
        };
        match (def.length, &args[..]) {
            (Length::Left, [text, most]) => Some((text, Cut { behind: 0, most: number(most)? })),
            (Length::Substring, [text, from, rest @ ..]) => {
                let behind = number(from)?.checked_sub(1)?;
                let most = match rest {
                    [most] => number(most)?,
                    _ => usize::MAX,
                };
                Some((text, Cut { behind, most }))
            }
            _ => None,
        }
    }

    fn apply(self, text: &[u8], collation: Collation) -> &[u8] {
        let end = self.behind.saturating_add(self.most).min(text.len());
        // A character of ASCII is a byte in the sets that have one byte for it.
        if collation.max_char_bytes() == 1 || (is_utf8(collation) && text[..end].is_ascii()) {
            return &text[self.behind.min(end)..end];
        }
        let rest = &text[collation.prefix_bytes(text, self.behind)..];
        &rest[..collation.prefix_bytes(rest, self.most)]
    }
}

fn is_utf8(collation: Collation) -> bool {
    matches!(collation.charset(), Charset::Utf8mb4 | Charset::Utf8mb3)
}

impl Column {
    fn new(layout: &RowLayout, (at, cut): (usize, Option<Cut>), ty: SqlType, kind: Kind) -> Column {
        Column {
            at,
            cut,
            ty,
            kind,
            reader: ColumnReader::new(layout, at),
            numbers: Vec::new(),
            nulls: Vec::new(),
            nullable: layout.col(at).nullable,
            texts: Vec::new(),
            spans: Vec::new(),
            loaded: false,
        }
    }

    /// The vector tells the values as rows have them: not of doubles, whose zeros are one group, nor of an ENUM, whose number may be asked for.
    pub fn is_shown(&self) -> bool {
        self.cut.is_none() && !matches!(self.kind, Kind::Real | Kind::Member)
    }

    /// Another leaf is read.
    pub fn forget(&mut self) {
        self.loaded = false;
    }

    /// Reads the values of the selected rows, if that has not been done.
    pub fn load(&mut self, layout: &RowLayout, rows: &[Cow<'_, [u8]>], selected: &[u32]) {
        if std::mem::replace(&mut self.loaded, true) {
            return;
        }
        self.nulls.clear();
        if self.nullable {
            self.nulls.resize(rows.len(), false);
        }
        let nulls = &mut self.nulls;
        // A row that is older than its column may lack a value that the column must have by now.
        let mut null = |at: usize| {
            if nulls.is_empty() {
                nulls.resize(rows.len(), false);
            }
            nulls[at] = true;
        };
        if let Kind::Text(collation) = self.kind {
            self.texts.clear();
            self.spans.resize(rows.len(), (0, 0));
            let (texts, spans, cut) = (&mut self.texts, &mut self.spans, self.cut);
            return self.reader.texts(layout, rows, selected, |at, bytes| match bytes {
                None => null(at),
                Some(bytes) => {
                    let begin = texts.len() as u32;
                    texts.extend_from_slice(cut.map_or(bytes, |c| c.apply(bytes, collation)));
                    spans[at] = (begin, texts.len() as u32);
                }
            });
        }
        self.numbers.resize(rows.len(), 0);
        self.reader.numbers(layout, rows, selected, &mut self.numbers, null);
        if self.kind == Kind::UInt {
            selected.iter().for_each(|at| self.numbers[*at as usize] ^= TOP);
        }
    }

    #[inline]
    pub fn is_null(&self, row: u32) -> bool {
        self.nulls.get(row as usize).is_some_and(|null| *null)
    }

    #[inline]
    pub fn number(&self, row: u32) -> i64 {
        self.numbers[row as usize]
    }

    #[inline]
    pub fn real(&self, row: u32) -> f64 {
        f64::from_bits(self.numbers[row as usize] as u64)
    }

    #[inline]
    pub fn text(&self, row: u32) -> &[u8] {
        let (begin, end) = self.spans[row as usize];
        &self.texts[begin as usize..end as usize]
    }

    /// The value that a number of the vector stands for.
    pub fn value(&self, number: i64) -> Value<'static> {
        match self.kind {
            Kind::Int if self.ty.is_unsigned() => Value::UInt(number as u64),
            Kind::Int => Value::Int(number),
            Kind::UInt => Value::UInt((number ^ TOP) as u64),
            Kind::Exact(scale) => Value::Decimal(Decimal::from_i128(number.into(), scale)),
            Kind::Real => Value::Double(f64::from_bits(number as u64)),
            Kind::Date => Value::Date(Date::unpack(number as u32)),
            Kind::DateTime => Value::DateTime(DateTime::unpack(number as u64, self.ty.fsp())),
            Kind::Member => {
                let datum = Datum::UInt(number as u64);
                self.ty.load(datum, crate::value::TimeZone::UTC).into_owned()
            }
            Kind::Text(_) => Value::Null,
        }
    }
}

/// The columns that a step has vectors of.
pub struct Columns<'b> {
    layout: &'b RowLayout,
    /// The table's place in the block.
    table: usize,
    pub list: Vec<Column>,
}

impl<'b> Columns<'b> {
    pub fn new(layout: &'b RowLayout, table: usize) -> Columns<'b> {
        Columns { layout, table, list: Vec::new() }
    }

    /// The place of the vector of a column of the step's table, or of a part of such a column's texts.
    pub fn place(&mut self, e: &BExpr, cx: &mut Constants<'_, '_, '_>) -> Option<usize> {
        let (column, cut) = match Cut::of(e, cx) {
            Some((column, cut)) => (column, Some(cut)),
            None => (e, None),
        };
        let Node::Col(c) = &column.node else { return None };
        if c.depth != 0 || usize::from(c.table) != self.table {
            return None;
        }
        let at = usize::from(c.col);
        if let Some(known) = self.list.iter().position(|c| c.at == at && c.cut == cut) {
            return Some(known);
        }
        let mut ty = (cx.types)(at);
        let kind = Kind::of(&ty)?;
        if cut.is_some() {
            // Binary strings have values of another kind.
            let Kind::Text(own) = kind else { return None };
            if own.is_binary() || e.info.ty.collation() != Some(own) {
                return None;
            }
            ty = e.info.ty;
        }
        self.list.push(Column::new(self.layout, (at, cut), ty, kind));
        Some(self.list.len() - 1)
    }

    pub fn forget(&mut self) {
        self.list.iter_mut().for_each(Column::forget);
    }

    pub fn load(&mut self, which: &[usize], rows: &[Cow<'_, [u8]>], selected: &[u32]) {
        for at in which {
            self.list[*at].load(self.layout, rows, selected);
        }
    }
}
