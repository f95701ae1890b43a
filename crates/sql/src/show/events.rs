//! SHOW EVENTS and SHOW CREATE EVENT.

use super::create_table::{Style, literal};
use crate::account::Privileges;
use crate::context::{ShowResult, StatementCtx, VirtualColumn};
use crate::errno;
use crate::infoschema::cells::{DATETIME, LONGTEXT, NAME, UINT, c, n, os, s, text, u};
use crate::infoschema::events::schedule_cells;
use crate::meta::program::{ProgramMeta, object_name};
use crate::session_api::SqlError;
use crate::value::{SqlMode, Value};
use weir_engine::ObjectKind;
use weir_syntax::ast::{Ident, TableName};

/// SHOW CREATE EVENT.
pub fn create(name: &TableName, cx: &mut StatementCtx<'_>) -> Result<ShowResult, SqlError> {
    let schema = cx.reads.schema_of(name.schema.as_ref().map(|i| i.as_str()))?.to_string();
    let missing = || SqlError::of(errno::ER_EVENT_DOES_NOT_EXIST, &[&name.name]);
    let found = cx.reads.db().object(ObjectKind::Event, &schema, &object_name(name.name.as_str()));
    let p = ProgramMeta::of(&*found.ok_or_else(missing)?)?;
    let event = p.event.as_ref().ok_or_else(missing)?;
    let mode = SqlMode(p.mode);
    let style = Style::of(cx.reads.settings.mode, cx.reads.settings.tz);
    let columns = vec![
        n("Event", text(64)),
        n("sql_mode", text(512)),
        n("time_zone", text(64)),
        VirtualColumn::new("Create Event", LONGTEXT),
        n("character_set_client", text(64)),
        n("collation_connection", text(64)),
        n("Database Collation", text(64)),
    ];
    let row = vec![
        s(p.name.clone()),
        s(mode.to_string()),
        s(event.time_zone.clone()),
        s(p.text(|name| style.name(name), literal)),
        s(p.client.clone()),
        s(p.connection.clone()),
        s(p.database.clone()),
    ];
    Ok(ShowResult { columns, rows: vec![row] })
}

/// SHOW EVENTS.
pub fn list(schema: Option<&Ident>, cx: &mut StatementCtx<'_>) -> Result<ShowResult, SqlError> {
    let schema = cx.reads.schema_of(schema.map(|s| s.as_str()))?.to_string();
    if cx.reads.db().schema(&schema).is_none() && !crate::ddl::is_virtual_schema(&schema) {
        return Err(SqlError::unknown_database(&schema));
    }
    let columns = vec![
        n("Db", NAME),
        n("Name", text(64)),
        n("Definer", text(288)),
        n("Time zone", text(64)),
        n("Type", text(9)),
        c("Execute at", DATETIME),
        c("Interval value", text(256)),
        c("Interval field", text(18)),
        c("Starts", DATETIME),
        c("Ends", DATETIME),
        n("Status", text(18)),
        n("Originator", UINT),
        n("character_set_client", text(64)),
        n("collation_connection", text(64)),
        n("Database Collation", text(64)),
    ];
    let sees = cx.changes.access.on_database(&schema).contains(Privileges::EVENT);
    let all = if sees { cx.reads.db().objects(ObjectKind::Event, &schema) } else { Vec::new() };
    let row = |p: ProgramMeta| -> Option<Vec<Value<'static>>> {
        let e = p.event.as_ref()?;
        let mut row = vec![
            s(schema.clone()),
            s(p.name.clone()),
            s(format!("{}@{}", p.definer.0, p.definer.1)),
            s(e.time_zone.clone()),
        ];
        row.extend(schedule_cells(e));
        row.extend([
            s(e.status_text()),
            u(1),
            s(p.client.clone()),
            s(p.connection.clone()),
            os(Some(p.database.clone())),
        ]);
        Some(row)
    };
    let rows = all.iter().filter_map(|o| ProgramMeta::of(o).ok()).filter_map(row).collect();
    Ok(ShowResult { columns, rows })
}
