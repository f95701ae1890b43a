//! Tables that a seed may draw, their rows as plain values, and the way between both.

use crate::scenario::Workload;
use std::sync::Arc;
use weir_engine::page::slotted;
use weir_engine::row::{
    Collation, Datum, DatumBuf, KeyPart, PhysCol, PhysType, RowBuilder, RowForm, RowLayout, RowView,
};
use weir_engine::{ColumnDef, IndexDef, NewTable, Table};
use weir_rt::Rng;

pub const SCHEMA: &str = "sim";

/// `(id BIGINT, g INT, k INT NULL, u BIGINT NULL, s TEXT, body LONGBLOB or LONGTEXT, [w BINARY(n)])`; `g` follows from `id`, and `w`, which only tables
/// of wide rows have, from `k`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Row {
    pub id: i64,
    pub k: Option<i64>,
    pub u: Option<i64>,
    pub s: Vec<u8>,
    pub body: Vec<u8>,
}

const ID: usize = 0;
const G: usize = 1;
const K: usize = 2;
const U: usize = 3;
const S: usize = 4;
const BODY: usize = 5;
const W: usize = 6;

/// What is in the rows' long column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    Random,
    /// A list of numbers, each as long as `PAD`.
    List,
    /// One number.
    Register,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Primary {
    Id,
    IdDescending,
    /// Rows that follow each other in time are far from each other.
    Grouped,
    /// Updates of the text move the row.
    Text,
}

#[derive(Clone, Debug)]
pub struct TableSpec {
    pub name: String,
    pub primary: Primary,
    pub collation: Collation,
    pub content: Content,
    /// Which of the possible secondary indexes it begins with.
    pub indexes: Vec<usize>,
    /// Ids are drawn below this.
    pub ids: u64,
    /// Most bytes of a long column.
    pub long: u64,
    /// Bytes about which the rows' bodies are so long that a row is as long as it may be in its page. 0: bodies of any length.
    pub near: u64,
    /// Bytes of a column that cannot leave the page; 0: there is none.
    pub fixed: u16,
    pub form: RowForm,
}

fn part(col: usize) -> KeyPart {
    KeyPart::asc(col)
}

/// All secondary indexes that there are; a table has some of them at a time.
pub fn possible_index(i: usize) -> IndexDef {
    let (name, unique, parts) = match i {
        0 => ("k", false, vec![part(K)]),
        1 => ("u", true, vec![part(U)]),
        2 => ("b", false, vec![KeyPart { prefix: Some(12), ..part(BODY) }, part(K)]),
        3 => ("s", false, vec![KeyPart { prefix: Some(8), ..part(S) }]),
        4 => ("kd", false, vec![KeyPart { desc: true, ..part(K) }, part(G)]),
        _ => ("ug", true, vec![part(G), part(U)]),
    };
    IndexDef { name: name.into(), unique, parts }
}

pub const POSSIBLE_INDEXES: usize = 6;

impl TableSpec {
    pub fn random(rng: &mut Rng, w: Workload, no: u64) -> TableSpec {
        let content = match w {
            Workload::Append => Content::List,
            Workload::Register => Content::Register,
            _ => Content::Random,
        };
        let primary = match rng.below(6) {
            0..=2 => Primary::Id,
            3 => Primary::IdDescending,
            4 => Primary::Grouped,
            _ => Primary::Text,
        };
        let mut indexes: Vec<usize> = (0..POSSIBLE_INDEXES).filter(|_| rng.chance(0.45)).collect();
        let collations = [
            Collation::Binary,
            Collation::Latin1GeneralCi,
            Collation::Utf8mb4GeneralCi,
            Collation::Utf8mb40900AiCi,
        ];
        let collation = collations[rng.below(4) as usize];
        let ids = match w {
            Workload::Hot => 3 + rng.below(12),
            Workload::Append | Workload::Register => 2 + rng.below(8),
            Workload::Grow => 200 + rng.below(800),
            _ => 20 + rng.below(200),
        };
        let long = match w {
            Workload::Long => 8000 + rng.below(60_000),
            Workload::Hot => 60 + rng.below(2000),
            _ => 200 + rng.below(6000),
        };
        let primary = if content == Content::Random { primary } else { Primary::Id };
        if content != Content::Random {
            indexes.retain(|i| *i != 2);
        }
        TableSpec {
            name: format!("t{no}"),
            primary,
            collation,
            content,
            indexes,
            ids,
            long,
            near: 0,
            fixed: 0,
            form: RowForm::Plain,
        }
    }

    /// Its rows come near to what a page takes: to what moves the body off the page, or to the longest that there can be.
    pub fn widen(&mut self, rng: &mut Rng, page_size: usize) {
        let (good, most) = (slotted::good_cell(page_size), slotted::max_cell(page_size));
        self.form = if rng.chance(0.5) { RowForm::Plain } else { RowForm::Sparse };
        if rng.chance(0.5) {
            self.near = good as u64 - 60;
        } else {
            // What the other columns may take, those that come later among them, is left.
            let spare = if page_size < 4096 { page_size / 4 } else { 500 };
            self.fixed = (most - spare - rng.below(spare as u64 / 4) as usize) as u16;
            self.near = most as u64 - self.fixed as u64 - 100;
        }
    }

    pub fn new_table(&self, name: &str) -> NewTable {
        let col = |name: &str, ty: PhysType, nullable: bool| ColumnDef {
            name: name.into(),
            phys: PhysCol::new(ty, nullable),
            default: if nullable { DatumBuf::Null } else { ty.zero() },
        };
        let int = |bytes| PhysType::Int { bytes, unsigned: false };
        let text = PhysType::Var { collation: self.collation, max_bytes: 400 };
        let collation = if self.has_text() { self.collation } else { Collation::Binary };
        let long = PhysType::Var { collation, max_bytes: 1 << 20 };
        let primary = match self.primary {
            Primary::Id => vec![part(ID)],
            Primary::IdDescending => vec![KeyPart { desc: true, ..part(ID) }],
            Primary::Grouped => vec![part(G), part(ID)],
            Primary::Text => vec![KeyPart { prefix: Some(6), ..part(S) }, part(ID)],
        };
        let mut indexes = vec![IndexDef { name: "PRIMARY".into(), unique: true, parts: primary }];
        indexes.extend(self.indexes.iter().map(|i| possible_index(*i)));
        let mut columns = vec![
            col("id", int(8), false),
            col("g", int(4), false),
            col("k", int(4), true),
            col("u", int(8), true),
            col("s", text, false),
            col("body", long, false),
        ];
        if self.fixed > 0 {
            columns.push(col("w", PhysType::Fixed { len: self.fixed }, true));
        }
        NewTable {
            schema: SCHEMA.into(),
            name: name.into(),
            columns,
            indexes,
            auto_increment: None,
            auto_increment_start: 1,
            parts: 0,
            form: self.form,
            extra: Vec::new(),
        }
    }

    /// The long column is a text, not bytes.
    fn has_text(&self) -> bool {
        let wide = [Collation::Utf8mb4GeneralCi, Collation::Utf8mb40900AiCi];
        self.content == Content::Random && wide.contains(&self.collation)
    }

    /// A row with this id; everything else is drawn.
    pub fn random_row(&self, rng: &mut Rng, id: i64) -> Row {
        let len = match rng.below(20) {
            0..=6 if self.near > 0 => (self.near + rng.below(80)).saturating_sub(40),
            0 => rng.below(self.long),
            1..=4 => rng.below(600).min(self.long),
            _ => rng.below(40),
        };
        let body = match self.content {
            Content::Random => {
                let letters: Vec<u8> = (0..len).map(|_| b'a' + rng.below(4) as u8).collect();
                if self.has_text() && len % 3 == 0 { four_bytes_each(&letters) } else { letters }
            }
            Content::List => Vec::new(),
            Content::Register => vec![b'0'; PAD],
        };
        let s = (0..rng.below(14))
            .map(|_| b'A' + rng.below(3) as u8 + 32 * rng.below(2) as u8)
            .collect();
        Row {
            id,
            k: (!rng.chance(0.1)).then(|| rng.below(12) as i64),
            u: rng.chance(0.6).then(|| rng.below(self.ids * 4) as i64),
            s,
            body,
        }
    }
}

/// As many bytes, of characters that have four: an index keeps so many characters of a text, not bytes.
fn four_bytes_each(letters: &[u8]) -> Vec<u8> {
    letters.chunks_exact(4).flat_map(|c| [0xf0, 0x90, 0x90, 0x80 + (c[0] - b'a')]).collect()
}

/// Bytes of one number in a list or register.
pub const PAD: usize = 24;

pub fn number(n: u64) -> Vec<u8> {
    format!("{n:0PAD$}").into_bytes()
}

/// The numbers of a list or register; `None` when the bytes are not what anybody wrote.
pub fn numbers(body: &[u8]) -> Option<Vec<u64>> {
    if !body.len().is_multiple_of(PAD) {
        return None;
    }
    body.chunks(PAD).map(|c| std::str::from_utf8(c).ok()?.parse().ok()).collect()
}

/// A column that came to a table, with its number. Its name tells what the rows have in it that are there already.
pub fn later_column(n: usize, old_rows: i64) -> ColumnDef {
    let ty = PhysType::Int { bytes: 8, unsigned: false };
    let name = format!("later{n}_{old_rows}");
    ColumnDef {
        name,
        phys: PhysCol::new(ty, n.is_multiple_of(2)),
        default: DatumBuf::Int(old_rows),
    }
}

/// The columns that came later, in any order, behind `w` where there is one.
fn later(t: &Table) -> std::ops::Range<usize> {
    W + usize::from(has_wide(t))..t.layout.len()
}

fn has_wide(t: &Table) -> bool {
    t.def.columns.get(W).is_some_and(|c| c.name == "w")
}

/// What `w` has in it: with `k` comes and goes what a row has in its page.
fn wide(t: &Table, k: Option<i64>) -> Option<Vec<u8>> {
    let len = t.layout.col(W).ty.fixed_len().unwrap_or(0);
    k.map(|k| (0..len).map(|i| (k as u8).wrapping_mul(i as u8 | 1)).collect())
}

/// The number of a column that came later, and what older rows have in it.
fn told(name: &str) -> Option<(i64, i64)> {
    let (n, old_rows) = name.strip_prefix("later")?.split_once('_')?;
    Some((n.parse().ok()?, old_rows.parse().ok()?))
}

/// What a row that is written with such a column has in it.
fn later_value(n: i64, id: i64) -> i64 {
    id.wrapping_mul(31) ^ n
}

pub fn encode(t: &Table, r: &Row) -> Vec<u8> {
    encode_in(t, &t.layout, r)
}

/// As `encode`, in another layout of the same columns.
pub fn encode_in(t: &Table, layout: &RowLayout, r: &Row) -> Vec<u8> {
    let int = |v: Option<i64>| v.map_or(Datum::Null, Datum::Int);
    let mut b = RowBuilder::new(layout);
    b.push(Datum::Int(r.id))
        .push(Datum::Int(r.id.rem_euclid(5)))
        .push(int(r.k))
        .push(int(r.u))
        .push(Datum::Bytes(&r.s))
        .push(Datum::Bytes(&r.body));
    let wide = if has_wide(t) { wide(t, r.k) } else { None };
    if has_wide(t) {
        b.push(wide.as_deref().map_or(Datum::Null, Datum::Bytes));
    }
    for column in later(t) {
        let (n, _) =
            told(&t.def.columns[column].name).expect("a later column's name has its number");
        b.push(Datum::Int(later_value(n, r.id)));
    }
    let mut out = Vec::new();
    b.finish_into(&mut out).expect("a row of the table's columns");
    out
}

/// `None` when the columns contradict each other.
pub fn decode(t: &Table, bytes: &[u8]) -> Option<Row> {
    let v = RowView::new(&t.layout, bytes);
    let id = v.get(ID).as_i64()?;
    if v.get(G).as_i64() != Some(id.rem_euclid(5)) {
        return None;
    }
    if has_wide(t) && v.get(W).as_bytes() != wide(t, v.get(K).as_i64()).as_deref() {
        return None;
    }
    for column in later(t) {
        let (n, old_rows) = told(&t.def.columns[column].name)?;
        let value = v.get(column).as_i64()?;
        // A row that was rewritten for another column has what it read before.
        if value != old_rows && (v.lacks(column) || value != later_value(n, id)) {
            return None;
        }
    }
    Some(Row {
        id,
        k: v.get(K).as_i64(),
        u: v.get(U).as_i64(),
        s: v.get(S).as_bytes()?.to_vec(),
        body: v.get(BODY).as_bytes()?.to_vec(),
    })
}

/// As `encode`, without the part of the long column that no index has.
fn encode_short(t: &Table, r: &Row) -> Vec<u8> {
    let body = r.body[..r.body.len().min(64)].to_vec();
    encode(t, &Row { body, s: r.s.clone(), ..*r })
}

/// The clustered key of a row.
pub fn key_of(t: &Table, r: &Row) -> Vec<u8> {
    t.clustered_key(&encode_short(t, r)).expect("the columns of a key are in the row")
}

/// A row's entry in an index; for the clustered one its key.
pub fn entry_of(t: &Table, index: usize, r: &Row) -> Vec<u8> {
    let bytes = encode_short(t, r);
    let key = t.clustered_key(&bytes).expect("the columns of a key are in the row");
    if index == 0 {
        return key;
    }
    t.secondary_key(index, &bytes, &key).expect("the columns of an index are in the row")
}

/// The values of a unique index's columns; `None` when a NULL makes them equal to nothing.
pub fn unique_values(t: &Table, index: usize, r: &Row) -> Option<Vec<i64>> {
    values_of(&t.indexes[index].def, r)
}

/// The same for an index that no table needs to have.
pub fn values_of(index: &IndexDef, r: &Row) -> Option<Vec<i64>> {
    let value = |col| match col {
        ID => Some(r.id),
        G => Some(r.id.rem_euclid(5)),
        K => r.k,
        _ => r.u,
    };
    index.parts.iter().map(|p| value(p.col)).collect()
}

/// The key under which an index has a row's columns, the clustered key left out.
pub fn columns_of(t: &Table, index: usize, r: &Row) -> Vec<u8> {
    if index == 0 {
        return key_of(t, r);
    }
    t.secondary_key(index, &encode_short(t, r), &[])
        .expect("the columns of an index are in the row")
}

pub type Handle = Arc<Table>;
