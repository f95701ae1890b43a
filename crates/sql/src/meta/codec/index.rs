//! Bytes of indexes, and of FULLTEXT and SPATIAL keys.

use super::bytes::{Reader, Writer, damaged, flags};
use crate::meta::{IndexPart, SpecialKey, SpecialKind, SqlIndex, UsingClause};
use crate::session_api::SqlError;

pub const INDEX_UNIQUE: u8 = 1;

pub const INDEX_INVISIBLE: u8 = 2;

pub const INDEX_GENERATED: u8 = 16;

pub const INDEX_USING_BTREE: u8 = 4;

pub const INDEX_USING_HASH: u8 = 8;

pub fn put_index(w: &mut Writer, i: &SqlIndex) {
    w.str(&i.name);
    let bits = [
        (i.unique, INDEX_UNIQUE),
        (!i.visible, INDEX_INVISIBLE),
        (i.generated, INDEX_GENERATED),
        (i.using == Some(UsingClause::BTree), INDEX_USING_BTREE),
        (i.using == Some(UsingClause::Hash), INDEX_USING_HASH),
    ];
    w.u8(flags(&bits));
    w.str(&i.comment);
    w.count(i.parts.len());
    for part in &i.parts {
        w.u16(part.column as u16);
        w.u32(part.prefix.unwrap_or(0));
        w.u8(u8::from(part.desc));
    }
}

pub fn get_index(r: &mut Reader<'_>) -> Result<SqlIndex, SqlError> {
    let name = r.str()?;
    let flags = r.u8()?;
    let comment = r.str()?;
    let parts = r.list(|r| {
        let column = usize::from(r.u16()?);
        let prefix = Some(r.u32()?).filter(|&p| p > 0);
        Ok(IndexPart { column, prefix, desc: r.u8()? != 0, elements: None })
    })?;
    let using = match flags & (INDEX_USING_BTREE | INDEX_USING_HASH) {
        INDEX_USING_BTREE => Some(UsingClause::BTree),
        INDEX_USING_HASH => Some(UsingClause::Hash),
        _ => None,
    };
    let (unique, visible) = (flags & INDEX_UNIQUE != 0, flags & INDEX_INVISIBLE == 0);
    let generated = flags & INDEX_GENERATED != 0;
    Ok(SqlIndex { name, unique, parts, comment, using, visible, generated })
}

/// Their places are on disk: append, never change.
pub const SPECIAL_KINDS: [SpecialKind; 3] = [
    SpecialKind::FullText { ngram: false },
    SpecialKind::FullText { ngram: true },
    SpecialKind::Spatial,
];

pub fn put_special(w: &mut Writer, k: &SpecialKey) {
    w.str(&k.name);
    w.u8(SPECIAL_KINDS.iter().position(|kind| *kind == k.kind).unwrap_or(0) as u8);
    w.u8(u8::from(k.visible));
    w.str(&k.comment);
    w.count(k.columns.len());
    k.columns.iter().for_each(|c| w.u16(*c as u16));
}

pub fn get_special(r: &mut Reader<'_>) -> Result<SpecialKey, SqlError> {
    let name = r.str()?;
    let kind = SPECIAL_KINDS.get(usize::from(r.u8()?)).copied().ok_or_else(damaged)?;
    let visible = r.u8()? != 0;
    let comment = r.str()?;
    let columns = r.list(|r| Ok(usize::from(r.u16()?)))?;
    Ok(SpecialKey { name, kind, columns, comment, visible })
}
