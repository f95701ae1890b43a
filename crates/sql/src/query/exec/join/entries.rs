//! Entries of the first step's index whose rows need not be read: a condition says LIKE of a text that the index has the weights of.

use super::Joiner;
use crate::func::facts::Id;
use crate::func::string::collation_of;
use crate::query::eval::frame::Frame;
use crate::query::exec::Runner;
use crate::query::exec::batch::constants::{Constants, settled};
use crate::query::expr::{BExpr, Node};
use crate::query::plan::{Access, Source};
use crate::value::{Collation, SqlType, Value};
use std::sync::Arc;
use weir_engine::row::KeyLike;
use weir_engine::{Cursor, LockMode};

impl Joiner<'_> {
    /// Has the cursor of the first step pass over the entries that a condition turns down.
    pub(super) fn only_like(&mut self, cursor: &mut Cursor, r: &mut Runner<'_, '_>) {
        if self.like.is_none() {
            self.like = Some(self.entries_like(r));
        }
        if let Some(Some(like)) = &self.like {
            cursor.only_like(like.clone());
        }
    }

    /// The first such condition. None where rows are locked, which have to be met, and where the run is measured.
    fn entries_like(&self, r: &mut Runner<'_, '_>) -> Option<Arc<KeyLike>> {
        let b = self.block;
        let step = b.steps.first()?;
        let slot = &b.tables[step.table];
        let index = match &step.access {
            Access::Scan { index, .. } => *index,
            Access::Ranges { key, .. } => key.index,
            _ => 0,
        };
        let plain = index > 0 && step.begins.is_empty() && r.profile.is_none();
        if !plain || r.lock_of(slot) != LockMode::None {
            return None;
        }
        let Source::Table(table) = &slot.source else { return None };
        let index = &table.engine.indexes[index];
        step.conds.iter().filter(|c| c.subs.is_empty()).find_map(|c| {
            let Node::Func(def, args) = &c.expr.node else { return None };
            let ([text, pattern], Id::Like) = (&args[..], def.id) else { return None };
            let Node::Col(col) = text.node else { return None };
            if col.depth != 0 || usize::from(col.table) != step.table {
                return None;
            }
            let col = usize::from(col.col);
            let own = table.meta.columns[col].ty.collation()?;
            let at = index.def.parts.iter().position(|p| p.col == col && p.tells_column())?;
            let pattern = constant(pattern, own, r)?;
            KeyLike::of(&index.types()[..=at], &pattern.to_exact_text_in(own)?).map(Arc::new)
        })
    }
}

/// A pattern that is the same for all rows, and compared in the column's collation.
fn constant(pattern: &BExpr, own: Collation, r: &mut Runner<'_, '_>) -> Option<Value<'static>> {
    let frame = Frame::empty(r.params);
    let cx = &mut Constants { frame: &frame, ev: &mut r.ev, types: &|_| SqlType::Null };
    let pattern = settled(pattern, cx).filter(|p| matches!(p, Value::Str(..)))?;
    let texts = [Value::text(Vec::new(), own), pattern.borrow()];
    (collation_of(&r.ev.cx, &texts) == own).then_some(pattern)
}
