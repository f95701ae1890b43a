//! CREATE TRIGGER, and what happens to triggers when their tables go or move.

use super::Session;
use super::programs::check_variables;
use crate::context::{AdminResult, SYSTEM_SCHEMA};
use crate::ddl::view::is_not;
use crate::ddl::{engine_error, is_virtual_schema};
use crate::errno;
use crate::meta::cache::no_such_table;
use crate::meta::program::{ProgramMeta, TriggerMeta, object_name};
use crate::query::program::check_trigger;
use crate::session_api::SqlError;
use std::sync::Arc;
use weir_engine::{Object, ObjectKind};
use weir_syntax::ast::{CreateTrigger, TableName};

/// Triggers for one event are numbered with this room between them, so that one can come between two others.
const STEP: u32 = 1 << 16;

impl Session {
    pub(super) async fn create_trigger(
        &mut self,
        t: &CreateTrigger,
    ) -> Result<AdminResult, SqlError> {
        // Without a schema the trigger's is the default one, whatever its table's is.
        let table = t.table.name.as_str();
        let given = t.table.schema.as_ref().map(|s| s.as_str());
        let place = given.or(self.info.database.as_deref());
        let own = t.name.schema.as_ref().map(|s| s.as_str()).or(self.info.database.as_deref());
        if let (Some(place), Some(own)) = (place, own)
            && place != own
        {
            // The error for a table that does not exist comes first.
            let there = self.inst.db.table(place, table).is_some()
                || self.inst.db.object(ObjectKind::View, place, table).is_some()
                || is_virtual_schema(place);
            return Err(match there {
                true => SqlError::of(errno::ER_TRG_IN_WRONG_SCHEMA, &[]),
                false => no_such_table(place, table),
            });
        }
        let (schema, name) = self.program_place(&t.name)?;
        if schema == SYSTEM_SCHEMA {
            return Err(SqlError::of(errno::ER_NO_TRIGGERS_ON_SYSTEM_SCHEMA, &[]));
        }
        let db = &self.inst.db;
        if db.object(ObjectKind::View, &schema, table).is_some() {
            return Err(is_not(&schema, table, "BASE TABLE"));
        }
        if self.temporaries.has(&schema, table) {
            return Err(SqlError::of(errno::ER_TRG_ON_VIEW_OR_TEMP_TABLE, &[&table]));
        }
        // With a name that a DROP TABLE takes meanwhile, its handle is stale, and the statement begins again.
        let of = db.table(&schema, table).ok_or_else(|| no_such_table(&schema, table))?;
        if db.object(ObjectKind::Trigger, &schema, &object_name(&name)).is_some() {
            let text = "Trigger already exists";
            if t.if_not_exists {
                self.current.note(errno::ER_TRG_ALREADY_EXISTS, || text.to_owned());
                return Ok(AdminResult::ok());
            }
            return Err(SqlError::new(errno::ER_TRG_ALREADY_EXISTS, text));
        }
        check_variables(&t.body)?;
        let definer = self.program_definer(t.definer.as_ref())?;
        let mut meta = self.new_program(&schema, &name, definer);
        meta.body = t.body_text.to_string();
        meta.trigger = Some(TriggerMeta {
            table: table.to_owned(),
            before: t.before,
            event: t.event,
            order: match self.place_of(t, &schema)? {
                Some(order) => order,
                None => return self.spread(t, &schema).await,
            },
        });
        let (kind, name, text) = (ObjectKind::Trigger, object_name(&name), meta.encode());
        let object = Arc::new(Object { kind, schema, name, text });
        check_trigger(reads!(self), &object)?;
        let change = [(object.clone(), Some(object.text.clone()))];
        let ddl = reads!(self).ddl();
        self.inst.db.change_objects_of(&of, &change, true, &ddl).await.map_err(engine_error)?;
        Ok(AdminResult::ok())
    }

    /// DROP TRIGGER, under its table's lock; a trigger whose table is gone goes as it is.
    pub(super) async fn drop_trigger(&mut self, o: Arc<Object>) -> Result<(), SqlError> {
        let of = ProgramMeta::of(&o).ok().and_then(|p| p.trigger);
        let db = &self.inst.db;
        let done = match of.and_then(|t| db.table(&o.schema, &t.table)) {
            Some(table) => {
                let ddl = reads!(self).ddl();
                db.change_objects_of(&table, &[(o, None)], false, &ddl).await
            }
            None => db.drop_objects(&[o]).await,
        };
        done.map_err(engine_error)
    }

    /// Schema and table of a trigger, where there is one of the name.
    pub(super) fn table_of_trigger(&self, name: &TableName) -> Option<(String, String)> {
        let (schema, name) = self.program_name(name).ok()?;
        let o = self.inst.db.object(ObjectKind::Trigger, &schema, &object_name(&name))?;
        let of = ProgramMeta::of(&o).ok()?.trigger?;
        Some((schema, of.table))
    }

    /// The triggers for one event of a table, in the order in which they run.
    fn beside(&self, t: &CreateTrigger, schema: &str) -> Result<Vec<Beside>, SqlError> {
        let mut known = Vec::new();
        for object in self.inst.db.objects(ObjectKind::Trigger, schema) {
            let meta = ProgramMeta::of(&object)?;
            if let Some(m) = &meta.trigger
                && m.table == t.table.name.as_str()
                && (m.event, m.before) == (t.event, t.before)
            {
                known.push(Beside { order: m.order, object, meta });
            }
        }
        known.sort_by_key(|b| b.order);
        Ok(known)
    }

    /// Makes room between the triggers for the same event, after which the statement begins again. They get numbers beyond the last
    /// one, from the last on, so that they are in their order after each step.
    async fn spread(&mut self, t: &CreateTrigger, schema: &str) -> Result<AdminResult, SqlError> {
        let mut known = self.beside(t, schema)?;
        let last = known.last().map_or(0, |b| b.order);
        let numbers = known.len() as u32;
        if last.checked_add((numbers + 2).saturating_mul(STEP)).is_none() {
            let text = "No place is left between these triggers; drop and create them again";
            return Err(SqlError::internal(text));
        }
        for (n, b) in known.iter_mut().enumerate().rev() {
            if let Some(m) = &mut b.meta.trigger {
                m.order = last + (n as u32 + 1) * STEP;
            }
            let table = t.table.name.as_str();
            let of = self.inst.db.table(schema, table);
            let of = of.ok_or_else(|| no_such_table(schema, table))?;
            let change = [(b.object.clone(), Some(b.meta.encode()))];
            let ddl = reads!(self).ddl();
            self.inst
                .db
                .change_objects_of(&of, &change, false, &ddl)
                .await
                .map_err(engine_error)?;
        }
        Err(SqlError::new(errno::ER_TABLE_DEF_CHANGED, "The triggers have got other numbers"))
    }

    /// The number of a new trigger: behind all others, or beside the one that is named. `None`: there is no room beside it.
    fn place_of(&self, t: &CreateTrigger, schema: &str) -> Result<Option<u32>, SqlError> {
        let known = self.beside(t, schema)?;
        let last = known.last().map_or(0, |b| b.order);
        let Some((follows, other)) = &t.order else { return Ok(last.checked_add(STEP)) };
        let name = object_name(other.as_str());
        let Some(at) = known.iter().position(|b| b.object.name == name) else {
            return Err(SqlError::of(errno::ER_REFERENCED_TRG_DOES_NOT_EXIST, &[&other]));
        };
        let number = |at: usize| known.get(at).map(|b| b.order);
        let (low, high) = match follows {
            true => (known[at].order, number(at + 1).unwrap_or(last.saturating_add(2 * STEP))),
            false => (at.checked_sub(1).and_then(number).unwrap_or(0), known[at].order),
        };
        let between = low + (high - low) / 2;
        Ok((between > low).then_some(between))
    }
}

/// A trigger for the same event as the one that is made.
struct Beside {
    order: u32,
    object: Arc<Object>,
    meta: ProgramMeta,
}
