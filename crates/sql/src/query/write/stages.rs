//! The first two stages of a row: what is worked out before it, and what refuses it.
//!
//! Nothing here writes, and no number of the AUTO_INCREMENT counter is drawn before an inserted row is through: as in MySQL, a row that
//! a trigger or a CHECK refuses takes none with it.

use super::image::{build, values_after, zero};
use super::{RowWriter, ThroughView, WriteKind, triggers};
use crate::ddl::refused::value_error;
use crate::meta::SqlTable;
use crate::query::bind::rules::{self, Storing};
use crate::query::eval::frame::{Frame, Slot, SubResult};
use crate::query::exec::{Boxed, Runner};
use crate::query::plan::outcome::Run;
use crate::query::plan::shape::Shape;
use crate::value::{DatumBuf, ValueError, Warnings};
use std::sync::Arc;
use weir_syntax::ast::TriggerEvent;

/// Generated columns of a row of values.
pub fn generate(
    r: &mut Runner<'_, '_>,
    table: &Arc<SqlTable>,
    row: &mut [DatumBuf],
    ignore: bool,
) -> Run<()> {
    let rules = rules::of(table, r.reads, r.ev.user_vars)?;
    let shapes = [Shape::Table(table.clone())];
    let how = Storing { strict: r.ev.cx.mode.strict() && !ignore, row: 1 };
    rules.generate(&shapes, &table.meta.columns, row, how, &mut r.ev)
}

impl RowWriter<'_> {
    /// Whether BEFORE INSERT triggers look at each row: they may give a value to a column that has none.
    pub fn has_before_insert(&mut self, r: &Runner<'_, '_>, table: &SqlTable) -> bool {
        let fired = self.fired(r, table, TriggerEvent::Insert);
        fired.is_some_and(|t| !t.of(TriggerEvent::Insert, true).is_empty())
    }

    /// Whether BEFORE UPDATE triggers do: they see the NULL that is assigned to a column that takes none, and may set it.
    pub fn has_before_update(&mut self, r: &Runner<'_, '_>, table: &SqlTable) -> bool {
        let fired = self.fired(r, table, TriggerEvent::Update);
        fired.is_some_and(|t| !t.of(TriggerEvent::Update, true).is_empty())
    }

    /// NOT NULL of assigned columns behind the triggers that have seen them.
    pub(super) fn settle_nulls(
        &self,
        r: &mut Runner<'_, '_>,
        table: &SqlTable,
        changes: &mut [(usize, DatumBuf)],
    ) -> Run<()> {
        let fails = match self.kind {
            WriteKind::Update => r.ev.cx.mode.strict() && !self.ignore,
            _ => self.nulls_fail,
        };
        for (col, d) in changes {
            let column = &table.meta.columns[*col];
            if *d != DatumBuf::Null || column.nullable {
                continue;
            }
            let e = ValueError::bad_null(&column.name);
            if fails || !column.ty.has_zero() {
                return Err(value_error(e).into());
            }
            r.ev.cx.warnings.demote(e);
            *d = zero(table, *col);
        }
        Ok(())
    }

    /// BEFORE INSERT triggers, which see generated columns as they are of the statement's values.
    pub async fn before_insert(
        &mut self,
        r: &mut Runner<'_, '_>,
        table: &Arc<SqlTable>,
        row: &mut [DatumBuf],
    ) -> Run<()> {
        let Some(t) = self.fired(r, table, TriggerEvent::Insert) else { return Ok(()) };
        if t.of(TriggerEvent::Insert, true).is_empty() {
            return Ok(());
        }
        if !table.rules.generated.is_empty() {
            generate(r, table, row, self.ignore)?;
        }
        triggers::before_insert(r, &t, table, row).await
    }

    /// The first column that takes no NULL and has one behind the triggers: `given` had a value before them, and of the others a trigger sets
    /// those that nobody gave one.
    pub(super) fn nulled(
        &mut self,
        r: &Runner<'_, '_>,
        table: &SqlTable,
        row: &[DatumBuf],
        (before, missing): (&[usize], &[usize]),
    ) -> Option<usize> {
        let columns = table.meta.columns.iter().enumerate();
        let null = |c: usize| row[c] == DatumBuf::Null && table.rules.counter != Some(c);
        let mut nulls = columns.filter(|(n, c)| !c.nullable && null(*n)).map(|(n, _)| n).peekable();
        nulls.peek()?;
        let fired = self.fired(r, table, TriggerEvent::Insert)?;
        let sets = |c: usize| triggers::before_insert_sets(r.reads, &fired, c);
        nulls.find(|c| !before.contains(c) || !missing.contains(c) && !self.ignore || sets(*c))
    }

    /// Generated columns of the row to insert, and all that may refuse it before it is written. False: IGNORE leaves it out. A number
    /// that the counter is still to give is zero to those who look.
    pub fn settle(
        &mut self,
        r: &mut Runner<'_, '_>,
        table: &Arc<SqlTable>,
        row: &mut [DatumBuf],
    ) -> Run<bool> {
        if !table.rules.generated.is_empty() {
            generate(r, table, row, self.ignore)?;
        }
        self.check_insert(table, row, &mut r.ev.cx.warnings)?;
        if self.view.is_none() && !table.rules.checked {
            return Ok(true);
        }
        let open = table.rules.counter.filter(|c| row[*c] == DatumBuf::Null);
        let open = open.filter(|c| !table.meta.columns[*c].nullable);
        if let Some(c) = open {
            row[c] = zero(table, c);
        }
        build(table, row, &mut self.new)?;
        if let Some(c) = open {
            row[c] = DatumBuf::Null;
        }
        // The caller goes on with those that it can wait for.
        if self.asks_subqueries() { Ok(true) } else { self.passes(r, table) }
    }

    /// Generated columns of a row that changes, as changes.
    pub(super) fn generate_changed(
        &self,
        r: &mut Runner<'_, '_>,
        table: &Arc<SqlTable>,
        old: &[u8],
        changes: &mut Vec<(usize, DatumBuf)>,
    ) -> Run<()> {
        let columns = &table.meta.columns;
        let mut row = values_after(table, old, changes);
        generate(r, table, &mut row, self.ignore)?;
        for &col in &table.rules.generated {
            if row[col] == DatumBuf::Null && !columns[col].nullable {
                let e = ValueError::bad_null(&columns[col].name);
                if (r.ev.cx.mode.strict() && !self.ignore) || !columns[col].ty.has_zero() {
                    return Err(value_error(e).into());
                }
                r.ev.cx.warnings.demote(e);
                row[col] = zero(table, col);
            }
            changes.push((col, std::mem::replace(&mut row[col], DatumBuf::Null)));
        }
        Ok(())
    }

    /// Whether conditions of the view that is written through have subqueries: these are run for the image after the change, which the
    /// other rules are not.
    #[inline]
    pub fn asks_subqueries(&self) -> bool {
        self.view.as_ref().is_some_and(|v| v.rows.has_subs)
    }

    /// [`Self::passes`] with the subqueries of the view's conditions.
    pub fn passes_subqueries<'b>(
        &'b mut self,
        r: &'b mut Runner<'_, '_>,
        table: &'b Arc<SqlTable>,
    ) -> Boxed<'b, bool> {
        Box::pin(async move {
            if let Some(view) = self.view.clone() {
                let slots = self.slots_of(&view);
                let done = self.ask(r, &view, &slots).await;
                self.take_back(&view, slots);
                if !done? {
                    return Ok(false);
                }
            }
            self.passes_checks(r, table)
        })
    }

    /// Runs the subqueries and looks at the conditions. What does not depend on the row is run once for the statement.
    async fn ask(
        &mut self,
        r: &mut Runner<'_, '_>,
        view: &ThroughView<'_>,
        slots: &[Slot],
    ) -> Run<bool> {
        let mut needed = Vec::new();
        view.rows.conds.iter().for_each(|c| c.subs(&mut needed));
        self.answers.resize_with(view.subs.len(), || SubResult::Pending);
        for n in needed.into_iter().map(|n| n as usize) {
            let sub = &view.subs[n];
            let lasts = sub.is_query() && !sub.correlated && !sub.draws;
            if lasts && !matches!(self.answers[n], SubResult::Pending) {
                continue;
            }
            let (shapes, subs) = (view.shapes, &self.answers[..]);
            let frame = Frame { shapes, slots, subs, ..Frame::empty(r.params) };
            let answer = r.run_sub(sub, &frame).await?;
            self.answers[n] = answer;
        }
        let (shapes, subs) = (view.shapes, &self.answers[..]);
        let frame = Frame { shapes, slots, subs, ..Frame::empty(r.params) };
        view.rows.check(&frame, &mut r.ev, self.ignore)
    }

    /// The view's conditions and CHECK, of the image after the change: whatever the table works out itself (generated columns,
    /// ON UPDATE) is in it. False: IGNORE leaves the row out.
    pub(super) fn passes(&mut self, r: &mut Runner<'_, '_>, table: &Arc<SqlTable>) -> Run<bool> {
        if let Some(view) = self.view.clone()
            && !self.is_of_view(r, view)?
        {
            return Ok(false);
        }
        self.passes_checks(r, table)
    }

    fn passes_checks(&mut self, r: &mut Runner<'_, '_>, table: &Arc<SqlTable>) -> Run<bool> {
        if !table.rules.checked {
            return Ok(true);
        }
        let rules = rules::of(table, r.reads, r.ev.user_vars)?;
        match rules.refusal_of_image(table, &mut self.new, &mut r.ev)? {
            None => Ok(true),
            Some(e) => self.refuse(e, &mut r.ev.cx.warnings).map(|()| false),
        }
    }

    /// Whether the image is one of the view's rows.
    fn is_of_view(&mut self, r: &mut Runner<'_, '_>, view: ThroughView<'_>) -> Run<bool> {
        let slots = self.slots_of(&view);
        let frame = Frame { shapes: view.shapes, slots: &slots, ..Frame::empty(r.params) };
        let done = view.rows.check(&frame, &mut r.ev, self.ignore);
        self.take_back(&view, slots);
        done
    }

    /// The rows that conditions of a view look at, the image among them, which [`Self::take_back`] has back.
    fn slots_of(&mut self, view: &ThroughView<'_>) -> Vec<Slot> {
        let table = view.rows.table;
        let known = |slot: usize| view.beside.as_ref().and_then(|rows| rows.get(slot)?.clone());
        let width = view.shapes.len().max(table + 1);
        let mut slots: Vec<Slot> =
            (0..width).map(|s| known(s).map_or(Slot::Null, Slot::Bytes)).collect();
        slots[table] = Slot::Bytes(std::mem::take(&mut self.new));
        slots
    }

    fn take_back(&mut self, view: &ThroughView<'_>, mut slots: Vec<Slot>) {
        if let Slot::Bytes(image) = &mut slots[view.rows.table] {
            self.new = std::mem::take(image);
        }
    }

    /// NOT NULL, except for the column that the counter fills. Of an update the assigned values alone can break it, and they are checked
    /// where they are converted.
    fn check_insert(
        &self,
        table: &SqlTable,
        row: &mut [DatumBuf],
        warnings: &mut Warnings,
    ) -> Run<()> {
        let counter = table.rules.counter;
        for &col in table.rules.required.iter().filter(|c| Some(**c) != counter) {
            if !matches!(row[col], DatumBuf::Null) {
                continue;
            }
            let e = ValueError::bad_null(&table.meta.columns[col].name);
            if self.nulls_fail || !table.meta.columns[col].ty.has_zero() {
                return Err(value_error(e).into());
            }
            warnings.demote(e);
            row[col] = zero(table, col);
        }
        Ok(())
    }
}
