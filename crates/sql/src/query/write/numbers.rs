//! The numbers of AUTO_INCREMENT columns that an INSERT gives: those of the table's counter, and in tables that were declared as MyISAM's
//! those within the groups of a key.
//!
//! Invariant: a number is given when the row is through all that may refuse it, and so after its BEFORE triggers.

use super::insert::Inserter;
use crate::errno;
use crate::meta::SqlTable;
use crate::query::exec::Runner;
use crate::query::expr::{BExpr, Node};
use crate::query::plan::outcome::Run;
use crate::session_api::SqlError;
use crate::status::Stat;
use crate::value::{DatumBuf, SqlMode, StoreCtx, Value, ValueError, Warnings};
use weir_engine::row::key::prefix_successor;
use weir_engine::row::{RowView, encode_datum};
use weir_engine::{LockMode, OnLocked, ScanSpec};

impl Inserter<'_> {
    /// Whether the row leaves its AUTO_INCREMENT column to the counter, as far as can be told before evaluation.
    pub(super) fn generates(&self, r: &Runner<'_, '_>, row: &[Option<BExpr>]) -> bool {
        let auto = self.p.table.rules.counter;
        let Some(at) = self.p.targets.iter().position(|t| Some(*t) == auto) else { return true };
        let leaves = |v: &Value<'_>| v.is_null() || matches!(v, Value::Int(0));
        match &row[at] {
            None => true,
            Some(BExpr { node: Node::Const(v), .. }) => leaves(v),
            Some(BExpr { node: Node::Param(n), .. }) => {
                r.params.get(*n as usize).is_some_and(leaves)
            }
            Some(_) => false,
        }
    }

    /// Sets aside consecutive values for a statement of many rows, so that they follow each other.
    pub(super) async fn reserve_for(
        &mut self,
        r: &mut Runner<'_, '_>,
        rows: &[Vec<Option<BExpr>>],
    ) -> Run<()> {
        let n = rows.iter().filter(|row| self.generates(r, row)).count() as u64;
        if n > 1 && !self.begin_where_told(r) {
            self.let_counter_follow(r).await?;
            let (increment, offset) = r.reads.settings.auto_increment;
            let first = self.p.table.engine.auto_increment_reserve(n, increment, offset).await?;
            self.reserved = (first, n);
        }
        Ok(())
    }

    /// The statement's values begin at what SET insert_id said, if it did.
    fn begin_where_told(&mut self, r: &Runner<'_, '_>) -> bool {
        let first = r.ev.cx.session.take_insert_id();
        if first > 0 {
            self.reserved = (first, u64::MAX);
            self.forced = true;
        }
        self.forced
    }

    /// Before a value is drawn: the counter goes beyond those that the statement gave so far.
    async fn let_counter_follow(&mut self, r: &mut Runner<'_, '_>) -> Run<()> {
        match self.writer.moves_counter() {
            true => self.writer.flush(r, &self.p.table).await,
            false => Ok(()),
        }
    }

    /// Fills in the AUTO_INCREMENT column with a number that is drawn for it. A column that may be NULL keeps the NULL and has one
    /// drawn all the same, as in MySQL.
    pub(super) async fn auto_value(&mut self, r: &mut Runner<'_, '_>) -> Run<Option<u64>> {
        let Some(col) = self.p.table.rules.counter else { return Ok(None) };
        let zero_generates = !r.ev.cx.mode.has(SqlMode::NO_AUTO_VALUE_ON_ZERO);
        let column = &self.p.table.meta.columns[col];
        let generate = match &self.row[col] {
            DatumBuf::Null => true,
            DatumBuf::Int(0) | DatumBuf::UInt(0) => zero_generates,
            DatumBuf::Float(x) => zero_generates && *x == 0.0,
            _ => false,
        };
        if !generate {
            return Ok(None);
        }
        self.begin_where_told(r);
        let value = match self.p.table.rules.groups {
            Some(key) if self.reserved.1 == 0 => self.next_of_group(r, key, col).await?,
            _ => self.next_of_counter(r, col).await?,
        };
        let (value, stored) = value;
        if !(column.nullable && self.row[col] == DatumBuf::Null) {
            self.row[col] = stored;
        }
        Ok(Some(value))
    }

    /// The table's next number, as it is and as the column keeps it.
    async fn next_of_counter(
        &mut self,
        r: &mut Runner<'_, '_>,
        col: usize,
    ) -> Run<(u64, DatumBuf)> {
        let (increment, offset) = r.reads.settings.auto_increment;
        let column = &self.p.table.meta.columns[col];
        let first = self.first_generated == 0;
        let value = if self.reserved.1 > 0 {
            let v = self.reserved.0;
            if v == u64::MAX {
                return Err(exhausted().into());
            }
            self.reserved = (v.saturating_add(increment), self.reserved.1 - 1);
            v
        } else {
            self.let_counter_follow(r).await?;
            self.p.table.engine.auto_increment_reserve(1, increment, offset).await?
        };
        let mut none = Warnings::with_limit(0);
        match self.as_stored(r, col, value, &mut none) {
            Ok(d) => Ok((value, d)),
            // The last number of all is given again and again: what it says is that it is there (1062), unless its row is gone.
            Err(_) if first && increment == 1 => {
                let last = column.ty.largest_integer().ok_or_else(exhausted)?;
                let d = self.as_stored(r, col, last, &mut none).map_err(|_| exhausted())?;
                Ok((last, d))
            }
            Err(_) => Err(exhausted().into()),
        }
    }

    fn as_stored(
        &self,
        r: &Runner<'_, '_>,
        col: usize,
        value: u64,
        warnings: &mut Warnings,
    ) -> Result<DatumBuf, ValueError> {
        let column = &self.p.table.meta.columns[col];
        let mut cx = StoreCtx {
            column: &column.name,
            table: None,
            row: self.records,
            strict: true,
            mode: r.ev.cx.mode,
            tz: r.ev.cx.tz,
            now_micros: r.ev.cx.now_micros,
            warnings,
            session: Some(r.ev.cx.session),
        };
        column.ty.store(&Value::UInt(value), &mut cx)
    }

    /// The number behind the largest one of the row's group, as MyISAM gives it. Until the end of the transaction nobody else gives a
    /// number of the group, so that no two get the same. 1264 where the column has none left.
    async fn next_of_group(
        &mut self,
        r: &mut Runner<'_, '_>,
        (index, parts): (usize, usize),
        col: usize,
    ) -> Run<(u64, DatumBuf)> {
        let p = self.p;
        // The statement's own rows count.
        self.writer.flush(r, &p.table).await?;
        let key = &p.table.meta.indexes[index];
        let index = p.table.engine_indexes[index];
        let values: Vec<&DatumBuf> =
            key.parts[..parts].iter().map(|part| &self.row[part.column]).collect();
        let largest =
            largest_of_group(r, &p.table, (index, key.parts[parts].desc), &values, col).await?;
        let (increment, offset) = r.reads.settings.auto_increment;
        let value = following(largest, increment.max(1), offset);
        let mut none = Warnings::with_limit(0);
        let stored = self.as_stored(r, col, value, &mut none)?;
        Ok((value, stored))
    }

    /// A number whose row was not inserted goes to the statement's next row, which may be of another group.
    pub(super) fn give_back(&mut self, generated: Option<u64>) {
        if let Some(v) = generated.filter(|_| self.forced || self.p.table.rules.groups.is_none()) {
            self.reserved = (v, self.reserved.1.saturating_add(1));
        }
    }
}

/// The largest number in a group of rows that have these values in the first parts of an index, and 0 in an empty one. The group is locked
/// for those who number its rows.
async fn largest_of_group(
    r: &mut Runner<'_, '_>,
    table: &SqlTable,
    (index, descending): (usize, bool),
    values: &[&DatumBuf],
    col: usize,
) -> Run<u64> {
    let mut start = Vec::new();
    for (part, value) in table.engine.def.indexes[index].parts.iter().zip(values) {
        encode_datum(&part.of(&table.engine.layout), value.as_ref(), &mut start)
            .map_err(|e| SqlError::internal(format!("no key of a group: {e}")))?;
    }
    r.txn.lock_numbers(&table.engine, index, &start).await?;
    r.reads.work.inc(Stat::Handler_read_key);
    let mut largest = 0;
    for part in table.engine.stored() {
        let spec = ScanSpec {
            index,
            start: start.clone(),
            end: prefix_successor(&start),
            reverse: !descending,
            lock: LockMode::Exclusive,
            on_locked: OnLocked::Wait,
            unique_eq: false,
            expect: 1,
            fetch_external: false,
            rows_only: true,
            index_only: None,
        };
        let mut cursor = r.txn.scan(part, spec);
        if cursor.next(r.txn).await? {
            let row = RowView::new(&part.layout, cursor.row());
            largest = largest.max(row.get(col).as_u64().unwrap_or(0));
        }
    }
    Ok(largest)
}

/// The first number above `largest` of those that `auto_increment_increment` and `auto_increment_offset` allow. An offset beyond the
/// increment is not one.
fn following(largest: u64, increment: u64, offset: u64) -> u64 {
    let offset = if offset > increment { 0 } else { offset };
    let steps = largest.saturating_add(increment - offset) / increment;
    steps.saturating_mul(increment).saturating_add(offset)
}

/// No value is left for an AUTO_INCREMENT column.
fn exhausted() -> SqlError {
    SqlError::of(errno::ER_AUTOINC_READ_FAILED, &[])
}

#[cfg(test)]
mod tests {
    use super::following;

    #[test]
    fn numbers_behind_the_largest() {
        for (largest, increment, offset, want) in [
            (0, 1, 1, 1),
            (41, 1, 1, 42),
            (0, 10, 3, 3),
            (3, 10, 3, 13),
            (14, 10, 3, 23),
            (4, 5, 9, 5),
            (u64::MAX, 1, 1, u64::MAX),
        ] {
            assert_eq!(
                following(largest, increment, offset),
                want,
                "{largest} {increment} {offset}"
            );
        }
    }
}
