//! SHOW of stored programs: their texts, and lists of them.

use super::create_table::{Style, literal};
use crate::account::Privileges;
use crate::context::{ShowResult, StatementCtx, TableReads, VirtualColumn, VirtualHint};
use crate::errno;
use crate::infoschema::cells::{LONGTEXT, NAME, TIMESTAMP, at, n, os, s, text};
use crate::infoschema::programs::{Hundredths, may_see, visible};
use crate::meta::program::{ProgramMeta, object_name};
use crate::session_api::SqlError;
use crate::value::{SqlMode, Value};
use weir_engine::ObjectKind;
use weir_syntax::ast::{Ident, TableName};

/// SHOW CREATE PROCEDURE, FUNCTION, TRIGGER.
pub fn create(
    kind: ObjectKind,
    name: &TableName,
    cx: &mut StatementCtx<'_>,
) -> Result<ShowResult, SqlError> {
    let schema = cx.reads.schema_of(name.schema.as_ref().map(|i| i.as_str()))?.to_string();
    let found = cx.reads.db().object(kind, &schema, &object_name(name.name.as_str()));
    let missing = || match kind {
        ObjectKind::Trigger => SqlError::of(errno::ER_TRG_DOES_NOT_EXIST, &[]),
        _ => {
            let word = if kind == ObjectKind::Function { "FUNCTION" } else { "PROCEDURE" };
            SqlError::of(errno::ER_SP_DOES_NOT_EXIST, &[&word, &name.name])
        }
    };
    let o = found.ok_or_else(missing)?;
    let p = ProgramMeta::of(&o)?;
    let (seen, shows) = may_see(cx.changes.access, &o, &p);
    if !seen {
        return Err(missing());
    }
    // The names in front of a trigger's body are quoted as the session has it, those of routines as their own mode has it.
    let mode = match kind {
        ObjectKind::Trigger => cx.reads.settings.mode,
        _ => SqlMode(p.mode),
    };
    let style = Style::of(mode, cx.reads.settings.tz);
    let sql = shows.then(|| p.text(|name| style.name(name), literal));
    let mode = SqlMode(p.mode).to_string();
    let title = match kind {
        ObjectKind::Procedure => ["Procedure", "Create Procedure"],
        ObjectKind::Function => ["Function", "Create Function"],
        _ => ["Trigger", "SQL Original Statement"],
    };
    let mut columns = vec![
        n(title[0], text(64)),
        n("sql_mode", text(512)),
        VirtualColumn::new(title[1], LONGTEXT),
        n("character_set_client", text(64)),
        n("collation_connection", text(64)),
        n("Database Collation", text(64)),
    ];
    let mut row = vec![
        s(p.name.clone()),
        s(mode),
        os(sql),
        s(p.client.clone()),
        s(p.connection.clone()),
        s(p.database.clone()),
    ];
    if kind == ObjectKind::Trigger {
        columns.push(VirtualColumn::new("Created", Hundredths::TYPE));
        row.push(Hundredths::at(p.created, cx.reads.settings.tz));
    }
    Ok(ShowResult { columns, rows: vec![row] })
}

/// SHOW PROCEDURE STATUS, SHOW FUNCTION STATUS. LIKE looks at the name, which is the second column.
pub fn status(kind: ObjectKind, like: Option<&str>, cx: &mut StatementCtx<'_>) -> ShowResult {
    let word = if kind == ObjectKind::Function { "FUNCTION" } else { "PROCEDURE" };
    let columns = vec![
        n("Db", NAME),
        n("Name", text(64)),
        n("Type", text(9)),
        n("Definer", text(288)),
        n("Modified", TIMESTAMP),
        n("Created", TIMESTAMP),
        n("Security_type", text(7)),
        n("Comment", LONGTEXT),
        n("character_set_client", text(64)),
        n("collation_connection", text(64)),
        n("Database Collation", text(64)),
    ];
    let tz = cx.reads.settings.tz;
    let reads = TableReads { reads: cx.reads, access: &*cx.changes.access };
    let mut rows = Vec::new();
    for ((o, p), _) in visible(reads, &VirtualHint::default(), &[kind]) {
        if !fits(like, &p.name) {
            continue;
        }
        rows.push(vec![
            s(o.schema.clone()),
            s(p.name.clone()),
            s(word),
            s(format!("{}@{}", p.definer.0, p.definer.1)),
            at(p.modified as u64, tz),
            at(p.created as u64, tz),
            s(p.security_text()),
            s(p.comment.clone()),
            s(p.client.clone()),
            s(p.connection.clone()),
            s(p.database.clone()),
        ]);
    }
    ShowResult { columns, rows }
}

fn fits(like: Option<&str>, name: &str) -> bool {
    let lower = |t: &str| t.to_lowercase();
    like.is_none_or(|p| crate::account::host::like(&lower(p), &lower(name)))
}

/// SHOW TRIGGERS: LIKE looks at the name of the table.
pub fn triggers(
    schema: Option<&Ident>,
    like: Option<&str>,
    cx: &mut StatementCtx<'_>,
) -> Result<ShowResult, SqlError> {
    let schema = cx.reads.schema_of(schema.map(|s| s.as_str()))?.to_string();
    if cx.reads.db().schema(&schema).is_none() && !crate::ddl::is_virtual_schema(&schema) {
        return Err(SqlError::unknown_database(&schema));
    }
    let columns = vec![
        n("Trigger", text(64)),
        n("Event", text(6)),
        n("Table", NAME),
        n("Statement", LONGTEXT),
        n("Timing", text(6)),
        n("Created", Hundredths::TYPE),
        n("sql_mode", text(512)),
        n("Definer", text(288)),
        n("character_set_client", text(64)),
        n("collation_connection", text(64)),
        n("Database Collation", text(64)),
    ];
    let sees = cx.changes.access.on_database(&schema).contains(Privileges::TRIGGER);
    let mut list: Vec<ProgramMeta> = match sees {
        true => {
            let all = cx.reads.db().objects(ObjectKind::Trigger, &schema);
            all.iter().filter_map(|o| ProgramMeta::of(o).ok()).collect()
        }
        false => Vec::new(),
    };
    list.retain(|p| p.trigger.as_ref().is_some_and(|t| fits(like, &t.table)));
    // By table, then in the order in which they run.
    list.sort_by_key(|p| p.trigger.as_ref().map(|t| (t.table.clone(), t.place())));
    let tz = cx.reads.settings.tz;
    let row = |p: ProgramMeta| -> Option<Vec<Value<'static>>> {
        let t = p.trigger.as_ref()?;
        Some(vec![
            s(p.name.clone()),
            s(t.event_text()),
            s(t.table.clone()),
            s(p.body.clone()),
            s(t.timing_text()),
            Hundredths::at(p.created, tz),
            s(SqlMode(p.mode).to_string()),
            s(format!("{}@{}", p.definer.0, p.definer.1)),
            s(p.client.clone()),
            s(p.connection.clone()),
            s(p.database.clone()),
        ])
    };
    Ok(ShowResult { columns, rows: list.into_iter().filter_map(row).collect() })
}
