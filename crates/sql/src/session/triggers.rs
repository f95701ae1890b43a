//! CREATE TRIGGER, and what happens to triggers when their tables go or move.

use super::Session;
use super::programs::check_variables;
use crate::context::AdminResult;
use crate::ddl::view::is_not;
use crate::errno;
use crate::meta::cache::no_such_table;
use crate::meta::program::{ProgramMeta, TriggerMeta, object_name};
use crate::query::program::check_trigger;
use crate::session_api::SqlError;
use std::sync::Arc;
use weir_engine::{Object, ObjectKind};
use weir_syntax::ast::CreateTrigger;

/// Triggers for one event are numbered with this room between them, so that one can come between two others.
const STEP: u32 = 1 << 16;

impl Session {
    pub(super) async fn create_trigger(
        &mut self,
        t: &CreateTrigger,
    ) -> Result<AdminResult, SqlError> {
        let of_table = t.table.schema.as_ref().or(t.name.schema.as_ref());
        let (schema, name) = self.program_place(&weir_syntax::ast::TableName {
            schema: t.name.schema.as_ref().or(of_table).cloned(),
            name: t.name.name.clone(),
        })?;
        let table = t.table.name.as_str();
        let place = of_table.map_or(self.info.database.as_deref(), |s| Some(s.as_str()));
        if place.is_some_and(|s| s != schema) {
            let text = "Trigger in wrong schema";
            return Err(SqlError::new(errno::ER_TRG_IN_WRONG_SCHEMA, text));
        }
        let db = &self.inst.db;
        if db.object(ObjectKind::View, &schema, table).is_some() {
            return Err(is_not(&schema, table, "BASE TABLE"));
        }
        if db.table(&schema, table).is_none() {
            return Err(no_such_table(&schema, table));
        }
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
            order: self.place_of(t, &schema)?,
        });
        let object = Object {
            kind: ObjectKind::Trigger,
            schema: schema.clone(),
            name: object_name(&name),
            text: meta.encode(),
        };
        check_trigger(reads!(self), &Arc::new(object))?;
        self.put_program(ObjectKind::Trigger, schema, &meta, false).await?;
        Ok(AdminResult::ok())
    }

    /// The number of a new trigger: behind all others, or beside the one that is named.
    fn place_of(&self, t: &CreateTrigger, schema: &str) -> Result<u32, SqlError> {
        let mut known: Vec<(u32, String)> = Vec::new();
        for o in self.inst.db.objects(ObjectKind::Trigger, schema) {
            let p = ProgramMeta::of(&o)?;
            if let Some(m) = &p.trigger
                && m.table == t.table.name.as_str()
                && (m.event, m.before) == (t.event, t.before)
            {
                known.push((m.order, o.name.clone()));
            }
        }
        known.sort();
        let last = known.last().map_or(0, |(n, _)| *n);
        let Some((follows, other)) = &t.order else { return Ok(last.saturating_add(STEP)) };
        let Some(at) = known.iter().position(|(_, n)| *n == object_name(other.as_str())) else {
            let text = format!(
                "Referenced trigger '{other}' for the given action time and event type does not exist."
            );
            return Err(SqlError::new(errno::ER_REFERENCED_TRG_DOES_NOT_EXIST, text));
        };
        let number = |at: usize| known.get(at).map(|(n, _)| *n);
        let (low, high) = match follows {
            true => (known[at].0, number(at + 1).unwrap_or(last.saturating_add(2 * STEP))),
            false => (at.checked_sub(1).and_then(number).unwrap_or(0), known[at].0),
        };
        let between = low + (high - low) / 2;
        if between == low {
            let text = "No place is left between these triggers; drop and create them again";
            return Err(SqlError::internal(text));
        }
        Ok(between)
    }
}
