//! Long columns off the page: chains of blob pages.
//!
//! A chain belongs to the row version that made it. While the maker is active its first page stands in the undo log, so
//! that rollback frees it; afterwards purge frees it with the last version that refers to it.
//! A reference in a row is 20 bytes: first page u32, length u64, zeros. A blob page holds, behind the common header, the
//! next page u32, its byte count u32, and the bytes.

use super::undo;
use super::{Need, RowAttempt, Txn};
use crate::error::{Error, Result};
use crate::ids::{PageId, PageNo};
use crate::mtr::{self, Attempt, Core, Gather, P};
use crate::page::redo::Redo;
use crate::page::{HEADER, PageType, get_u32, get_u64, slotted};
use crate::planted::{self, Bug};
use crate::pool::{Access, LatchMode};
use crate::row::{
    Datum, EXTERNAL_REF_LEN, PhysCol, PhysType, RowBuilder, RowForm, RowLayout, RowView,
    encode_datum,
};
use crate::space::{self, Space};
use crate::table::{Entries, Table};
use std::sync::Arc;

const NEXT: usize = HEADER;
const LEN: usize = HEADER + 4;
const DATA: usize = HEADER + 8;

pub type Reference = [u8; EXTERNAL_REF_LEN];

fn reference(first: PageNo, len: u64) -> Reference {
    let mut r = [0; EXTERNAL_REF_LEN];
    r[..4].copy_from_slice(&first.to_le_bytes());
    r[4..12].copy_from_slice(&len.to_le_bytes());
    r
}

pub fn first_page(reference: &[u8]) -> PageNo {
    get_u32(reference, 0)
}

/// First pages of all chains that a row refers to.
pub fn chains(table: &Table, row: &[u8]) -> Vec<PageNo> {
    let v = RowView::new(&table.layout, row);
    if !v.has_external() {
        return Vec::new();
    }
    v.references().map(first_page).collect()
}

/// Reads one long column. `None`: [`free_tail`] has had a part of it.
pub async fn fetch(core: &Core, space: &Space, reference: &[u8]) -> Result<Option<Vec<u8>>> {
    let (mut page, len) = (first_page(reference), get_u64(reference, 4));
    // A damaged reference may say anything.
    let mut out = Vec::with_capacity(len.min(16 << 20) as usize);
    while page != 0 && (out.len() as u64) < len {
        let id = PageId::new(space.id, page);
        let (next, part) = mtr::run(core, 0, |w| {
            let mut g = w.gather();
            let p = g.fix(id, LatchMode::S)?;
            let b = g.bytes(p);
            let n = get_u32(b, LEN) as usize;
            // A page without a byte could lead to itself for ever.
            if crate::page::page_type(b) != Some(PageType::Blob) || n == 0 || DATA + n > b.len() {
                return Err(
                    Error::corrupt_page(id, space.path(), "not a page of a long column").into()
                );
            }
            Ok((get_u32(b, NEXT), b[DATA..DATA + n].to_vec()))
        })
        .await?;
        out.extend_from_slice(&part);
        page = next;
    }
    Ok((out.len() as u64 == len).then_some(out))
}

/// The row with every long column in place.
pub async fn materialise(core: &Core, table: &Table, row: &[u8]) -> Result<Vec<u8>> {
    whole(core, table, row).await?.ok_or_else(|| Error::Corrupt {
        what: "a long column ends early".into(),
        place: format!("file '{}'", table.space.path()),
    })
}

/// As `materialise`; `None`: purge was about to remove the row, and has freed a part of its long columns.
pub async fn whole(core: &Core, table: &Table, row: &[u8]) -> Result<Option<Vec<u8>>> {
    let v = RowView::new(&table.layout, row);
    if !v.has_external() {
        return Ok(Some(row.to_vec()));
    }
    let mut long: Vec<(usize, Vec<u8>)> = Vec::new();
    for i in 0..table.layout.len() {
        if v.is_external(i)
            && let Some(r) = v.get(i).as_bytes()
        {
            let Some(bytes) = fetch(core, &table.space, r).await? else { return Ok(None) };
            long.push((i, bytes));
        }
    }
    let mut b = RowBuilder::like(&table.layout, v.count());
    for i in 0..table.layout.len() {
        match long.iter().find(|(c, _)| *c == i) {
            Some((_, bytes)) => b.push(Datum::Bytes(bytes)),
            None => b.push(v.get(i)),
        };
    }
    let mut out = Vec::new();
    b.finish_into(&mut out)
        .map_err(|e| Error::Corrupt { what: e.to_string(), place: table.def.name.clone() })?;
    Ok(Some(out))
}

/// The first `limit` bytes of a long column, as part of an attempt.
fn head(core: &Core, space: &Space, reference: &[u8], limit: usize) -> Attempt<Vec<u8>> {
    let (mut page, len) = (first_page(reference), get_u64(reference, 4) as usize);
    let mut out = Vec::new();
    while page != 0 && out.len() < limit.min(len) {
        let id = PageId::new(space.id, page);
        let g = core.pool.fix(id, LatchMode::S, Access::Point)?;
        let b = g.bytes();
        let n = get_u32(b, LEN) as usize;
        if crate::page::page_type(b) != Some(PageType::Blob) || DATA + n > b.len() {
            return Err(Error::corrupt_page(id, space.path(), "not a page of a long column").into());
        }
        out.extend_from_slice(&b[DATA..DATA + n]);
        page = get_u32(b, NEXT);
    }
    out.truncate(limit);
    Ok(out)
}

/// A secondary index's entries for a stored row whose long columns may be off the page. The caller holds what keeps the row's version
/// alive.
pub fn entries(core: &Core, t: &Table, i: usize, row: &[u8], key: &[u8]) -> Attempt<Entries> {
    match t.entries_stored(i, row, key) {
        Some(e) => Ok(e),
        None => match t.indexes[i].def.list_part() {
            None => Ok(Entries::from_buf([entry(core, t, i, row, key)?])),
            Some(_) => Ok(t.entries(i, &with_columns_of(core, t, i, row)?, key)?),
        },
    }
}

/// Whether a stored row has this entry, as [`entries`] would tell.
pub fn has_entry(
    core: &Core,
    t: &Table,
    i: usize,
    row: &[u8],
    key: &[u8],
    wanted: &[u8],
) -> Attempt<bool> {
    match t.has_entry(i, row, key, wanted) {
        Some(has) => Ok(has),
        None => Ok(entries(core, t, i, row, key)?.iter().any(|e| e == wanted)),
    }
}

/// The row with those long columns in place that a multi-valued index is over.
fn with_columns_of(core: &Core, t: &Table, i: usize, row: &[u8]) -> Attempt<Vec<u8>> {
    let v = RowView::new(&t.layout, row);
    let mut long: Vec<(usize, Vec<u8>)> = Vec::new();
    for part in &t.def.indexes[i].parts {
        if let (true, Some(r)) = (v.is_external(part.col), v.get(part.col).as_bytes()) {
            long.push((part.col, head(core, &t.space, r, usize::MAX)?));
        }
    }
    let mut b = RowBuilder::like(&t.layout, v.count());
    for c in 0..t.layout.len() {
        let reference = v.get(c).as_bytes().filter(|_| v.is_external(c));
        match (long.iter().find(|(col, _)| *col == c), reference.map(<&Reference>::try_from)) {
            (Some((_, bytes)), _) => b.push(Datum::Bytes(bytes)),
            (None, Some(Ok(r))) => b.push_external(r),
            (None, _) => b.push(v.get(c)),
        };
    }
    let mut out = Vec::new();
    b.finish_into(&mut out)
        .map_err(|e| Error::Corrupt { what: e.to_string(), place: t.def.name.clone() })?;
    Ok(out)
}

/// The only entry of a stored row in an index that is not multi-valued. What such an index keeps of a column is short, so the beginning
/// of the chain is enough.
fn entry(core: &Core, t: &Table, i: usize, row: &[u8], key: &[u8]) -> Attempt<Vec<u8>> {
    let v = RowView::new(&t.layout, row);
    let mut out = Vec::with_capacity(key.len() + 64);
    for part in &t.def.indexes[i].parts {
        let long;
        let datum = match v.get(part.col) {
            Datum::Bytes(r) if v.is_external(part.col) => {
                // A character has at most four bytes; a part without a prefix is never longer than a key.
                let most = if planted::is(Bug::PrefixOfLongColumnCut) { 1 } else { 4 };
                let limit = part
                    .prefix
                    .map_or(slotted::max_key(core.spaces.page_size()) + 1, |n| n as usize * most);
                long = head(core, &t.space, r, limit)?;
                Datum::Bytes(&long)
            }
            other => other,
        };
        encode_datum(&part.of(&t.layout), datum, &mut out).map_err(|e| Error::Corrupt {
            what: e.to_string(),
            place: format!("table '{}'", t.def.name),
        })?;
    }
    out.extend_from_slice(key);
    Ok(out)
}

/// Key and row bytes of a clustered cell of so many bytes.
const fn inline(cell: usize) -> usize {
    cell - slotted::SLOT - slotted::CELL_HEAD - super::ROW_HEADER
}

/// Key and row bytes up to which a row is stored as it is. Of longer ones, columns move to chains.
pub const fn longest_inline(page_size: usize) -> usize {
    inline(slotted::good_cell(page_size))
}

/// Key and row bytes that a clustered cell takes at most, for rows that cannot be shortened enough.
const fn most_inline(page_size: usize) -> usize {
    inline(slotted::max_cell(page_size))
}

/// As which a table that is made now keeps rows of these columns: sparse, if what is of fixed width is too long to stand in a page
/// with another row, and some of it may be NULL. An error, if not even the shortest row has a place in a page.
pub fn form_of_rows(columns: &[PhysCol], page_size: usize) -> Result<RowForm> {
    let mut layout = RowLayout::new(columns);
    let absent = |c: &PhysCol| c.nullable && c.ty.fixed_len().is_some();
    if layout.least() > longest_inline(page_size) && columns.iter().any(absent) {
        layout = RowLayout::of(columns, RowForm::Sparse);
    }
    match layout.least() > most_inline(page_size) {
        true => Err(Error::RowTooLarge { len: layout.least(), max: slotted::row_limit(page_size) }),
        false => Ok(layout.form()),
    }
}

/// A column is worth moving from so many bytes on.
const WORTH_MOVING: usize = 2 * EXTERNAL_REF_LEN + 1;

/// Which columns of a row move off the page: the longest ones, of (bytes, column), until what is left of `len` bytes is at most `good`;
/// if all of them do not help so far, until it is at most `most`, since a column that moves takes a page. `first`: what the first one
/// to move adds.
fn to_move(
    mut columns: Vec<(usize, usize)>,
    len: usize,
    first: usize,
    (good, most): (usize, usize),
) -> Option<Vec<usize>> {
    columns.retain(|(n, _)| *n >= WORTH_MOVING);
    columns.sort_unstable_by(|a, b| b.cmp(a));
    let upto = |bound: usize| {
        let (mut len, mut moved) = (len, Vec::new());
        for (n, i) in &columns {
            if len <= bound {
                break;
            }
            len += if moved.is_empty() { first } else { 0 };
            len -= n - EXTERNAL_REF_LEN;
            moved.push(*i);
        }
        (len <= bound).then_some(moved)
    };
    upto(good).or_else(|| upto(most))
}

impl Txn {
    /// The row as it will be stored: when it is too long for a cell, its longest columns move to chains. `stored` is the
    /// row's present form, whose chains are kept for columns that did not change (`old` is the same row in full).
    pub(crate) async fn store_form(
        &mut self,
        table: &Arc<Table>,
        key_len: usize,
        new: &[u8],
        stored: Option<(&[u8], &[u8])>,
    ) -> Result<Vec<u8>> {
        let size = self.db.core.spaces.page_size();
        let good = longest_inline(size);
        let has_chains = stored.is_some_and(|(s, _)| RowView::new(&table.layout, s).has_external());
        if new.len() + key_len <= good && !has_chains {
            return Ok(new.to_vec());
        }
        let v = RowView::new(&table.layout, new);
        let mut refs: Vec<(usize, Reference)> = Vec::new();
        let mut len = new.len() + key_len;
        if let Some((s, old)) = stored {
            let (sv, ov) = (RowView::new(&table.layout, s), RowView::new(&table.layout, old));
            for i in (0..table.layout.len()).filter(|i| sv.is_external(*i)) {
                if let (Some(r), Some(a), Some(b)) =
                    (sv.get(i).as_bytes(), ov.get(i).as_bytes(), v.get(i).as_bytes())
                    && a == b
                {
                    len -= b.len() - EXTERNAL_REF_LEN.min(b.len());
                    refs.push((i, r.try_into().expect("references have one length")));
                }
            }
        }
        let columns = (0..table.layout.len())
            .filter(|i| matches!(table.layout.col(*i).ty, PhysType::Var { .. }))
            .filter(|i| !refs.iter().any(|(c, _)| c == i) && !table.in_clustered_key(*i))
            .filter(|i| !v.lacks(*i))
            .filter_map(|i| v.get(i).as_bytes().map(|b| (b.len(), i)))
            .collect();
        let bitmap = table.layout.external_bytes();
        len += if refs.is_empty() { 0 } else { bitmap };
        let first = if refs.is_empty() { bitmap } else { 0 };
        let beyond = if planted::is(Bug::RowBeyondItsPage) { size / 4 } else { 0 };
        let most = most_inline(size) + beyond;
        let Some(moved) = to_move(columns, len, first, (good, most)) else {
            return Err(Error::RowTooLarge { len: new.len(), max: slotted::row_limit(size) });
        };
        for i in moved {
            let data = v.get(i).as_bytes().unwrap_or_default();
            refs.push((i, self.write_chain(table, data).await?));
        }
        let mut b = RowBuilder::like(&table.layout, v.count());
        for i in 0..table.layout.len() {
            match refs.iter().find(|(c, _)| *c == i) {
                Some((_, r)) => b.push_external(r),
                None => b.push(v.get(i)),
            };
        }
        let mut out = Vec::new();
        b.finish_into(&mut out)
            .map_err(|e| Error::Unsupported(format!("row of table '{}': {e}", table.def.name)))?;
        Ok(out)
    }

    async fn write_chain(&mut self, table: &Arc<Table>, data: &[u8]) -> Result<Reference> {
        let per_page = self.db.core.spaces.page_size() - DATA;
        let mut chunks = data.chunks(per_page);
        let first = self.first_blob_page(table, chunks.next().unwrap_or_default()).await?;
        let mut last = first;
        for chunk in chunks {
            let want = chunk.len() + 512;
            let next =
                |_: &mut Txn, w: &mut mtr::Work<'_>| next_blob_page(w, &table.space, last, chunk);
            last = self.drive(want, next).await?;
        }
        Ok(reference(first, data.len() as u64))
    }

    async fn first_blob_page(&mut self, table: &Arc<Table>, chunk: &[u8]) -> Result<PageNo> {
        self.drive(chunk.len() + 512, |txn, w| txn.first_blob_attempt(w, table, chunk)).await
    }

    fn first_blob_attempt(
        &mut self,
        w: &mut mtr::Work<'_>,
        table: &Arc<Table>,
        chunk: &[u8],
    ) -> RowAttempt<PageNo> {
        let trx = self.id;
        let mut g = w.gather();
        let new = space::allocate(&mut g, &table.space, 0)?;
        let rec = undo::encode_external(table.def.id, new.id.page);
        let Some(place) = undo::prepare(&mut g, self.undo_mut(), rec.len())? else {
            return Err(Need::UndoPage.into());
        };
        let mut a = g.seal(chunk.len() + undo::append_need(rec.len()) + 128)?;
        new.mark(&mut a);
        fill(&mut a, new.page, table.space.id, chunk);
        if !planted::is(Bug::ChainNotInUndo) {
            undo::append(&mut a, self.undo_mut(), &place, trx, &rec);
        }
        a.commit();
        Ok(new.id.page)
    }
}

fn fill(a: &mut mtr::Apply<'_>, p: P, space: u32, chunk: &[u8]) {
    a.record(p, &Redo::PageInit { kind: PageType::Blob as u8, owner: space as u64 });
    a.record(p, &Redo::Bytes { off: LEN as u32, data: &(chunk.len() as u32).to_le_bytes() });
    a.record(p, &Redo::Bytes { off: DATA as u32, data: chunk });
}

fn next_blob_page(
    w: &mut mtr::Work<'_>,
    space: &Space,
    last: PageNo,
    chunk: &[u8],
) -> Attempt<PageNo> {
    let mut g = w.gather();
    let before = g.fix(PageId::new(space.id, last), LatchMode::X)?;
    let new = space::allocate(&mut g, space, last)?;
    let mut a = g.seal(chunk.len() + 256)?;
    new.mark(&mut a);
    fill(&mut a, new.page, space.id, chunk);
    a.record(before, &Redo::Bytes { off: NEXT as u32, data: &new.id.page.to_le_bytes() });
    a.commit();
    Ok(new.id.page)
}

/// Frees every page of a chain but the first, which goes with whatever refers to it.
pub async fn free_tail(core: &Core, space: &Arc<Space>, first: PageNo) -> Result<()> {
    loop {
        let more = mtr::run(core, 256, |w| {
            let mut g = w.gather();
            let head = g.fix(PageId::new(space.id, first), LatchMode::X)?;
            let second = get_u32(g.bytes(head), NEXT);
            if second == 0 {
                return Ok(false);
            }
            let p = g.fix(PageId::new(space.id, second), LatchMode::S)?;
            let third = get_u32(g.bytes(p), NEXT);
            let freed = space::free(&mut g, space, second)?;
            let mut a = g.seal(128)?;
            a.record(head, &Redo::Bytes { off: NEXT as u32, data: &third.to_le_bytes() });
            freed.clear(&mut a);
            a.commit();
            Ok(true)
        })
        .await?;
        if !more {
            return Ok(());
        }
    }
}

/// First half of freeing the heads of chains in somebody else's mini-transaction.
pub fn free_heads(
    g: &mut Gather<'_, '_>,
    space: &Space,
    heads: &[PageNo],
) -> Attempt<smallvec::SmallVec<[space::Freed; 4]>> {
    heads.iter().map(|h| space::free(g, space, *h)).collect()
}
