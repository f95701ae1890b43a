//! Bytes of CHECK and foreign keys.

use super::bytes::{Reader, Writer, damaged};
use crate::meta::foreign::{Action, ForeignKey, TablePlace};
use crate::meta::{CheckConstraint, ConstraintName};
use crate::session_api::SqlError;

pub fn put_name(w: &mut Writer, name: &ConstraintName) {
    match name {
        ConstraintName::Numbered(n) => w.u32(*n),
        ConstraintName::Given(name) => {
            w.u32(0);
            w.str(name);
        }
    }
}

pub fn get_name(r: &mut Reader<'_>) -> Result<ConstraintName, SqlError> {
    Ok(match r.u32()? {
        0 => ConstraintName::Given(r.str()?),
        n => ConstraintName::Numbered(n),
    })
}

pub fn get_check(r: &mut Reader<'_>) -> Result<CheckConstraint, SqlError> {
    let name = get_name(r)?;
    Ok(CheckConstraint { name, expr: r.str()?, enforced: r.u8()? != 0 })
}

/// Their places are on disk: append, never change.
pub const ACTIONS: [Action; 4] =
    [Action::NoAction, Action::Restrict, Action::Cascade, Action::SetNull];

pub fn put_foreign(w: &mut Writer, key: &ForeignKey) {
    put_name(w, &key.name);
    w.count(key.columns.len());
    for (own, theirs) in key.columns.iter().zip(&key.parent_columns) {
        w.u16(*own as u16);
        w.str(theirs);
    }
    w.str(&key.parent.schema);
    w.str(&key.parent.name);
    for action in [key.on_delete, key.on_update] {
        w.u8(ACTIONS.iter().position(|a| *a == action).unwrap_or(0) as u8);
    }
}

pub fn get_foreign(r: &mut Reader<'_>) -> Result<ForeignKey, SqlError> {
    let name = get_name(r)?;
    let pairs = r.list(|r| Ok((usize::from(r.u16()?), r.str()?)))?;
    let (columns, parent_columns) = pairs.into_iter().unzip();
    let parent = TablePlace { schema: r.str()?, name: r.str()? };
    let on_delete = get_action(r)?;
    let on_update = get_action(r)?;
    Ok(ForeignKey { name, columns, parent, parent_columns, on_delete, on_update })
}

pub fn get_action(r: &mut Reader<'_>) -> Result<Action, SqlError> {
    ACTIONS.get(usize::from(r.u8()?)).copied().ok_or_else(damaged)
}
