//! Definitions and their bytes in the dictionary.

use crate::change_buffer::BUFFER;
use crate::error::{Error, Result};
use crate::page::codec::{Reader, Truncated, put_bytes, put_varint};
use crate::planted::{self, Bug};
use crate::row::{
    Collation, DatumBuf, KeyPart, MAX_COLUMNS, PhysCol, PhysType, Places, RowForm, RowLayout,
};

#[derive(Debug, Clone)]
pub struct ColumnDef {
    pub name: String,
    pub phys: PhysCol,
    /// What rows written before the column existed have in it.
    pub default: DatumBuf,
}

#[derive(Debug, Clone)]
pub struct IndexDef {
    pub name: String,
    pub unique: bool,
    pub parts: Vec<KeyPart>,
}

impl IndexDef {
    /// The part that makes the index multi-valued, if it is.
    pub fn list_part(&self) -> Option<usize> {
        self.parts.iter().position(|p| p.elements.is_some())
    }
}

/// What DDL hands over. `indexes[0]` is the clustered index; with empty `parts` the engine adds a hidden row id as its key.
#[derive(Debug, Clone)]
pub struct NewTable {
    pub schema: String,
    pub name: String,
    pub columns: Vec<ColumnDef>,
    pub indexes: Vec<IndexDef>,
    pub auto_increment: Option<usize>,
    pub auto_increment_start: u64,
    /// How many partitions the rows are kept in; 0: the table is not partitioned.
    pub parts: usize,
    /// As which its rows are written, for as long as it is stored as it is now.
    pub form: RowForm,
    /// The owner's metadata, opaque here.
    pub extra: Vec<u8>,
}

/// The columns that a table is to have while its rows stay as they are.
#[derive(Debug, Clone)]
pub struct NewColumns {
    pub columns: Vec<ColumnDef>,
    /// For each of them the old column that it is, or none for one that comes.
    pub sources: Vec<Option<usize>>,
    /// Whether the statement counts as one that changed which columns rows have ([`ColumnHistory::versions`]).
    pub counts: bool,
}

impl NewColumns {
    /// The first `kept` columns stay where they are, the others come behind them.
    pub fn behind(kept: usize, columns: Vec<ColumnDef>) -> NewColumns {
        let sources = (0..columns.len()).map(|i| Some(i).filter(|i| *i < kept)).collect();
        NewColumns { counts: columns.len() > kept, sources, columns }
    }
}

/// What ALTER TABLE has done to the columns without a look at the rows, since all rows were last rewritten.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ColumnHistory {
    pub places: Places,
    /// How many places the oldest rows may have; 0: no column has come or gone.
    pub oldest: u32,
    /// How many statements have changed which columns rows have (the owner says which ones count).
    pub versions: u32,
}

#[derive(Debug, Clone)]
pub struct TableDef {
    pub id: u64,
    /// Grows with every change of the definition.
    pub version: u64,
    pub schema: String,
    pub name: String,
    pub columns: Vec<ColumnDef>,
    pub indexes: Vec<IndexDef>,
    pub auto_increment: Option<usize>,
    pub form: RowForm,
    pub history: ColumnHistory,
    pub extra: Vec<u8>,
    pub created_micros: u64,
}

impl TableDef {
    /// The layout of its rows.
    pub fn layout(&self) -> RowLayout {
        RowLayout::placed(&self.phys(), self.form, &self.history.places)
            .with_defaults(self.columns.iter().map(|c| c.default.clone()).collect())
    }

    fn phys(&self) -> Vec<PhysCol> {
        self.columns.iter().map(|c| c.phys).collect()
    }

    /// Whether rows may be older than the column.
    pub fn came_later(&self, column: usize) -> bool {
        let h = &self.history;
        h.oldest > 0 && h.places.of(column) >= h.oldest as usize
    }

    /// How many places a row has that is written now.
    pub fn width(&self) -> usize {
        self.history.places.width(self.columns.len())
    }

    /// The definition with other columns whose rows stay as they are. `sources`: for each new column the old one that it is. The parts
    /// of indexes and the AUTO_INCREMENT column go where their columns go; `None` where one of these is dropped.
    pub(crate) fn with_columns(
        &self,
        columns: Vec<ColumnDef>,
        sources: &[Option<usize>],
        counts: bool,
    ) -> Option<TableDef> {
        let moved = |old: usize| sources.iter().position(|s| *s == Some(old));
        let mut def = TableDef { columns, ..self.clone() };
        for part in def.indexes.iter_mut().flat_map(|i| &mut i.parts) {
            part.col = moved(part.col)?;
        }
        if let Some(auto) = self.auto_increment {
            def.auto_increment = Some(moved(auto)?);
        }
        let changed = sources.len() != self.columns.len() || sources.iter().any(Option::is_none);
        let h = &mut def.history;
        if h.oldest == 0 && changed {
            h.oldest = self.columns.len() as u32;
        }
        h.places = self.history.places.after(&self.phys(), sources);
        h.versions += u32::from(counts);
        Some(def)
    }

    /// Of a table whose rows are all gone: none of them is older than a column.
    pub(crate) fn forget_history(&mut self) {
        self.columns.iter_mut().for_each(|c| c.default = c.phys.empty());
        self.history = ColumnHistory::default();
    }

    /// Whether rows of the other table mean the same in this one, if the columns are the same and the owner asks for no more than the
    /// default where a row is older than a column.
    pub fn reads_rows_of(&self, other: &TableDef) -> bool {
        let same_default = |(a, b): (&ColumnDef, &ColumnDef)| a.default == b.default;
        self.form == other.form
            && self.history.places == other.history.places
            && self.columns.iter().zip(&other.columns).all(same_default)
    }
}

#[derive(Debug, Clone)]
pub struct SchemaDef {
    pub name: String,
    pub extra: Vec<u8>,
}

/// Where a table is stored: its space, (index id, root page) per index, the same of those that have a buffer tree, and its partitions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Storage {
    pub space: u32,
    pub roots: Vec<(u64, u32)>,
    pub buffers: Vec<(u64, u32)>,
    /// In the owner's order. Where there are some, the trees of the table itself stay empty.
    pub parts: Vec<Part>,
}

/// A partition: undo and locks know it as a table of its own, under this id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub id: u64,
    /// It has no partitions itself.
    pub storage: Storage,
}

impl Storage {
    /// A new table's: no index has a buffer tree yet.
    pub fn new(space: u32, roots: Vec<(u64, u32)>) -> Storage {
        Storage { space, roots, buffers: Vec::new(), parts: Vec::new() }
    }

    /// Changes this one and those of the partitions.
    pub fn each_mut(&mut self, mut f: impl FnMut(&mut Storage)) {
        self.parts.iter_mut().for_each(|p| f(&mut p.storage));
        f(self);
    }

    /// Takes out an index; its trees, with their space.
    pub fn take_index(&mut self, at: usize) -> Vec<(u32, (u64, u32))> {
        let (id, root) = self.roots.remove(at);
        let mut gone = vec![(self.space, (id, root))];
        if planted::is(Bug::BufferTreeLeaked) {
            self.buffers.retain(|b| b.0 != id);
        }
        if let Some(b) = self.buffers.iter().position(|b| b.0 == id) {
            gone.push((self.space, (id | BUFFER, self.buffers.remove(b).1)));
        }
        gone
    }

    /// The files.
    pub fn spaces(&self) -> Vec<u32> {
        std::iter::once(self.space).chain(self.parts.iter().map(|p| p.storage.space)).collect()
    }

    /// Root of an index's buffer tree.
    pub fn buffer_of(&self, index: u64) -> Option<u32> {
        self.buffers.iter().find(|b| b.0 == index).map(|b| b.1)
    }
}

/// Format 1 knew no buffer trees, format 2 no partitions, format 3 plain rows only, format 4 no columns that come and go, format 5 no
/// multi-valued indexes; a definition without any is still written in it.
const PLAIN: u8 = 1;
const WITH_BUFFERS: u8 = 2;
const WITH_PARTS: u8 = 3;
const SPARSE: u8 = 4;
const WITH_HISTORY: u8 = 5;
const WITH_LISTS: u8 = 6;

fn put_str(out: &mut Vec<u8>, s: &str) {
    put_bytes(out, s.as_bytes());
}

fn put_phys(out: &mut Vec<u8>, c: &PhysCol) {
    out.push(c.nullable as u8);
    match c.ty {
        PhysType::Int { bytes, unsigned } => out.extend_from_slice(&[0, bytes, unsigned as u8]),
        PhysType::F32 => out.push(1),
        PhysType::F64 => out.push(2),
        PhysType::Fixed { len } => {
            out.push(3);
            put_varint(out, len as u64);
        }
        PhysType::Var { collation, max_bytes } => {
            out.push(4);
            put_varint(out, collation.id() as u64);
            put_varint(out, max_bytes as u64);
        }
    }
}

fn take_phys(r: &mut Reader<'_>) -> Result<PhysCol> {
    let nullable = r.u8()? != 0;
    let ty = match r.u8()? {
        0 => PhysType::Int { bytes: r.u8()?, unsigned: r.u8()? != 0 },
        1 => PhysType::F32,
        2 => PhysType::F64,
        3 => PhysType::Fixed { len: r.varint()? as u16 },
        4 => {
            let id = r.varint()? as u16;
            let collation = Collation::by_id(id).ok_or_else(|| Error::Corrupt {
                what: format!("unknown collation {id}"),
                place: "data dictionary".into(),
            })?;
            PhysType::Var { collation, max_bytes: r.varint_u32()? }
        }
        _ => return Err(Truncated.into()),
    };
    Ok(PhysCol { ty, nullable })
}

fn put_datum(out: &mut Vec<u8>, d: &DatumBuf) {
    match d {
        DatumBuf::Null => out.push(0),
        DatumBuf::Int(v) => {
            out.push(1);
            out.extend_from_slice(&v.to_le_bytes());
        }
        DatumBuf::UInt(v) => {
            out.push(2);
            out.extend_from_slice(&v.to_le_bytes());
        }
        DatumBuf::Float(v) => {
            out.push(3);
            out.extend_from_slice(&v.to_bits().to_le_bytes());
        }
        DatumBuf::Bytes(b) => {
            out.push(4);
            put_bytes(out, b);
        }
    }
}

fn take_datum(r: &mut Reader<'_>) -> Result<DatumBuf> {
    Ok(match r.u8()? {
        0 => DatumBuf::Null,
        1 => DatumBuf::Int(r.u64()? as i64),
        2 => DatumBuf::UInt(r.u64()?),
        3 => DatumBuf::Float(f64::from_bits(r.u64()?)),
        4 => DatumBuf::Bytes(r.bytes()?.to_vec()),
        _ => return Err(Truncated.into()),
    })
}

pub fn encode_table(d: &TableDef, s: &Storage) -> Vec<u8> {
    let format = match (d.form, s.parts.is_empty(), s.buffers.is_empty()) {
        _ if d.indexes.iter().any(|i| i.list_part().is_some()) => WITH_LISTS,
        _ if d.history != ColumnHistory::default() => WITH_HISTORY,
        (RowForm::Sparse, _, _) => SPARSE,
        (RowForm::Plain, false, _) => WITH_PARTS,
        (RowForm::Plain, true, false) => WITH_BUFFERS,
        (RowForm::Plain, true, true) => PLAIN,
    };
    let mut o = vec![format];
    put_varint(&mut o, d.id);
    put_varint(&mut o, d.version);
    put_str(&mut o, &d.schema);
    put_str(&mut o, &d.name);
    put_varint(&mut o, d.created_micros);
    put_varint(&mut o, d.columns.len() as u64);
    for c in &d.columns {
        put_str(&mut o, &c.name);
        put_phys(&mut o, &c.phys);
        put_datum(&mut o, &c.default);
    }
    put_varint(&mut o, d.indexes.len() as u64);
    for i in &d.indexes {
        put_str(&mut o, &i.name);
        o.push(i.unique as u8);
        put_varint(&mut o, i.parts.len() as u64);
        for p in &i.parts {
            put_varint(&mut o, p.col as u64);
            put_varint(&mut o, p.prefix.map_or(0, |n| n as u64 + 1));
            o.push(p.desc as u8);
        }
    }
    put_varint(&mut o, d.auto_increment.map_or(0, |c| c as u64 + 1));
    put_bytes(&mut o, &d.extra);
    put_varint(&mut o, s.space as u64);
    put_roots(&mut o, &s.roots);
    if format != PLAIN {
        put_roots(&mut o, &s.buffers);
    }
    if format >= WITH_PARTS {
        put_varint(&mut o, s.parts.len() as u64);
        for p in &s.parts {
            put_varint(&mut o, p.id);
            put_varint(&mut o, p.storage.space as u64);
            put_roots(&mut o, &p.storage.roots);
            put_roots(&mut o, &p.storage.buffers);
        }
    }
    if format >= WITH_HISTORY {
        o.push(u8::from(d.form == RowForm::Sparse));
        put_history(&mut o, &d.history);
    }
    if format >= WITH_LISTS {
        put_lists(&mut o, &d.indexes);
    }
    o
}

/// Of each multi-valued index: its place, the place of its part that is a list, and the type of the elements.
fn put_lists(o: &mut Vec<u8>, indexes: &[IndexDef]) {
    let lists: Vec<(usize, usize)> = indexes
        .iter()
        .enumerate()
        .filter_map(|(i, index)| index.list_part().map(|part| (i, part)))
        .collect();
    put_varint(o, lists.len() as u64);
    for (i, part) in lists {
        put_varint(o, i as u64);
        put_varint(o, part as u64);
        let ty = indexes[i].parts[part].elements.expect("the part is a list");
        put_phys(o, &PhysCol { ty, nullable: true });
    }
}

fn take_lists(r: &mut Reader<'_>, indexes: &mut [IndexDef]) -> Result<()> {
    for _ in 0..r.len()? {
        let (i, part) = (r.varint()? as usize, r.varint()? as usize);
        let ty = take_phys(r)?.ty;
        let found = indexes.get_mut(i).and_then(|index| index.parts.get_mut(part));
        found.ok_or(Truncated)?.elements = Some(ty);
    }
    Ok(())
}

fn put_history(o: &mut Vec<u8>, h: &ColumnHistory) {
    put_varint(o, h.oldest.into());
    put_varint(o, h.versions.into());
    put_varint(o, h.places.order.len() as u64);
    for at in &h.places.order {
        put_varint(o, (*at).into());
    }
    put_varint(o, h.places.gone.len() as u64);
    for (at, phys) in &h.places.gone {
        put_varint(o, (*at).into());
        put_phys(o, phys);
    }
}

fn take_history(r: &mut Reader<'_>, columns: usize) -> Result<ColumnHistory> {
    let (oldest, versions) = (r.varint_u32()?, r.varint_u32()?);
    let mut places = Places::default();
    for _ in 0..r.len()? {
        places.order.push(r.varint_u32()?);
    }
    for _ in 0..r.len()? {
        places.gone.push((r.varint_u32()?, take_phys(r)?));
    }
    if !places.fit(columns) || places.width(columns) > MAX_COLUMNS {
        return Err(Error::Corrupt {
            what: "columns without places in their rows".into(),
            place: "data dictionary".into(),
        });
    }
    Ok(ColumnHistory { places, oldest, versions })
}

fn take_parts(r: &mut Reader<'_>) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    for _ in 0..r.len()? {
        let (id, space) = (r.varint()?, r.varint_u32()?);
        let (roots, buffers) = (take_roots(r)?, take_roots(r)?);
        parts.push(Part { id, storage: Storage { buffers, ..Storage::new(space, roots) } });
    }
    Ok(parts)
}

fn put_roots(o: &mut Vec<u8>, roots: &[(u64, u32)]) {
    put_varint(o, roots.len() as u64);
    for (id, root) in roots {
        put_varint(o, *id);
        put_varint(o, *root as u64);
    }
}

fn take_roots(r: &mut Reader<'_>) -> Result<Vec<(u64, u32)>> {
    let mut roots = Vec::new();
    for _ in 0..r.len()? {
        roots.push((r.varint()?, r.varint_u32()?));
    }
    Ok(roots)
}

pub fn decode_table(b: &[u8]) -> Result<(TableDef, Storage)> {
    let mut r = Reader::new(b);
    let format = r.u8()?;
    if !(PLAIN..=WITH_LISTS).contains(&format) {
        return Err(Error::Corrupt {
            what: format!("table definition of format {format}"),
            place: "data dictionary".into(),
        });
    }
    let (id, version) = (r.varint()?, r.varint()?);
    let (schema, name) = (r.string()?, r.string()?);
    let created_micros = r.varint()?;
    let mut columns = Vec::new();
    for _ in 0..r.len()? {
        columns.push(ColumnDef {
            name: r.string()?,
            phys: take_phys(&mut r)?,
            default: take_datum(&mut r)?,
        });
    }
    let mut indexes = Vec::new();
    for _ in 0..r.len()? {
        let (name, unique) = (r.string()?, r.u8()? != 0);
        let mut parts = Vec::new();
        for _ in 0..r.len()? {
            let col = r.varint()? as usize;
            let prefix = r.varint_u32()?.checked_sub(1);
            parts.push(KeyPart { prefix, desc: r.u8()? != 0, ..KeyPart::asc(col) });
        }
        indexes.push(IndexDef { name, unique, parts });
    }
    let auto_increment = (r.varint()? as usize).checked_sub(1);
    let extra = r.bytes()?.to_vec();
    let space = r.varint_u32()?;
    let roots = take_roots(&mut r)?;
    let buffers = if format != PLAIN { take_roots(&mut r)? } else { Vec::new() };
    let parts = if format >= WITH_PARTS { take_parts(&mut r)? } else { Vec::new() };
    let (mut sparse, mut history) = (format == SPARSE, ColumnHistory::default());
    if format >= WITH_HISTORY {
        sparse = r.u8()? != 0;
        history = take_history(&mut r, columns.len())?;
    }
    if format >= WITH_LISTS {
        take_lists(&mut r, &mut indexes)?;
    }
    let d = TableDef {
        id,
        version,
        schema,
        name,
        columns,
        indexes,
        auto_increment,
        form: if sparse { RowForm::Sparse } else { RowForm::Plain },
        history,
        extra,
        created_micros,
    };
    Ok((d, Storage { space, roots, buffers, parts }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_round_trip() {
        let d = TableDef {
            id: 9,
            version: 3,
            schema: "s".into(),
            name: "t".into(),
            columns: vec![ColumnDef {
                name: "a".into(),
                phys: PhysCol { ty: PhysType::Int { bytes: 4, unsigned: true }, nullable: false },
                default: DatumBuf::UInt(7),
            }],
            indexes: vec![IndexDef {
                name: "PRIMARY".into(),
                unique: true,
                parts: vec![KeyPart { prefix: Some(0), desc: true, ..KeyPart::asc(0) }],
            }],
            auto_increment: Some(0),
            form: RowForm::Plain,
            history: ColumnHistory::default(),
            extra: vec![1, 2, 3],
            created_micros: 5,
        };
        let part = Part { id: 10, storage: Storage::new(18, vec![(21, 2)]) };
        for (buffers, parts) in
            [(vec![], vec![]), (vec![(20, 7)], vec![]), (vec![], vec![part.clone(), part])]
        {
            let s = Storage { space: 17, roots: vec![(20, 2)], buffers, parts };
            let gone = (0, PhysCol { ty: PhysType::F32, nullable: true });
            let places = Places { order: vec![1], gone: vec![gone] };
            let history = ColumnHistory { places, oldest: 1, versions: 2 };
            for (form, history) in [
                (RowForm::Plain, ColumnHistory::default()),
                (RowForm::Sparse, ColumnHistory::default()),
                (RowForm::Plain, history.clone()),
                (RowForm::Sparse, history.clone()),
            ] {
                let plain = TableDef { form, history, ..d.clone() };
                let mut listed = plain.clone();
                listed.indexes[0].parts[0].elements = Some(PhysType::F64);
                for d in [plain, listed] {
                    let b = encode_table(&d, &s);
                    let (d2, s2) = decode_table(&b).unwrap();
                    assert_eq!(format!("{d:?}"), format!("{d2:?}"));
                    assert_eq!(s, s2);
                    for n in 0..b.len() {
                        assert!(decode_table(&b[..n]).is_err());
                    }
                }
            }
        }
    }
}
