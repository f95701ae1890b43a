//! Stored programs: ROUTINES, PARAMETERS, TRIGGERS. Each is shown to its definer and to anyone who has a right on it.

use super::cells::{
    BIGINT, LONGTEXT, NAME, Row, TIMESTAMP, UINT, at, c, i, n, os, ou, s, text, yes_no,
};
use super::tables::schemas;
use super::virtual_table;
use crate::account::{Access, Privileges};
use crate::context::{TableReads, VirtualHint, VirtualTable};
use crate::meta::SqlColumn;
use crate::meta::program::ProgramMeta;
use crate::value::SqlMode;
use std::sync::Arc;
use weir_engine::{Object, ObjectKind};
use weir_syntax::ast::ParamMode;

pub fn all() -> Vec<&'static dyn VirtualTable> {
    vec![&Triggers, &Routines, &Parameters]
}

type Known = (Arc<Object>, ProgramMeta);

/// Whether a listing shows it; with the text, whether that.
pub fn may_see(access: &mut Access, o: &Object, p: &ProgramMeta) -> (bool, bool) {
    let (user, host) = access.account();
    let own = p.definer.0 == user && p.definer.1.eq_ignore_ascii_case(host);
    let granted = access.on_database(&o.schema);
    let belongs = match o.kind {
        ObjectKind::Trigger => Some(Privileges::TRIGGER),
        ObjectKind::Event => Some(Privileges::EVENT),
        ObjectKind::View
        | ObjectKind::Procedure
        | ObjectKind::Function
        | ObjectKind::ReferenceSystem => None,
    };
    if let Some(right) = belongs {
        let sees = granted.contains(right);
        return (sees, sees);
    }
    let any = Privileges::EXECUTE | Privileges::ALTER_ROUTINE | Privileges::CREATE_ROUTINE;
    let granted = granted | access.on_routine(o.kind == ObjectKind::Procedure, &o.schema, &p.name);
    // The text is for the definer and those who may read everything.
    let reads = own || access.global().contains(Privileges::SELECT);
    (own || granted.intersects(any) || reads, reads)
}

/// Programs of these kinds that the session may see, and whether it may see their texts.
pub fn visible(cx: TableReads<'_>, hint: &VirtualHint, kinds: &[ObjectKind]) -> Vec<(Known, bool)> {
    let mut access = cx.access.clone();
    let mut out = Vec::new();
    for (schema, _) in schemas(cx, hint).iter() {
        for kind in kinds {
            for o in cx.reads.db().objects(*kind, schema) {
                let Ok(p) = ProgramMeta::of(&o) else { continue };
                if let (true, text) = may_see(&mut access, &o, &p) {
                    out.push(((o, p), text));
                }
            }
        }
    }
    out
}

fn definer(p: &ProgramMeta) -> String {
    format!("{}@{}", p.definer.0, p.definer.1)
}

fn type_word(kind: ObjectKind) -> &'static str {
    if kind == ObjectKind::Function { "FUNCTION" } else { "PROCEDURE" }
}

const ROUTINES: [ObjectKind; 2] = [ObjectKind::Function, ObjectKind::Procedure];
const BY_SCHEMA: (Option<&str>, Option<&str>) = (None, None);

/// DATA_TYPE to COLLATION_NAME of a parameter or of a value.
fn type_cells(column: Option<&SqlColumn>) -> Vec<super::cells::Row> {
    let Some(column) = column else { return vec![vec![s("")], vec![crate::value::Value::Null; 7]] };
    let facts = column.ty.facts();
    let collation = super::describe::shown_collation(column.ty);
    let rest = vec![
        ou(facts.text.map(|t| t.0)),
        ou(facts.text.map(|t| t.1)),
        ou(facts.precision.map(|p| u64::from(p.0))),
        ou(facts.precision.and_then(|p| p.1).map(u64::from)),
        ou(facts.fsp.map(u64::from)),
        os(collation.map(|c| c.charset().name())),
        os(collation.map(|c| c.name())),
    ];
    vec![vec![s(facts.name)], rest]
}

virtual_table!(
    Routines,
    "information_schema",
    "ROUTINES",
    BY_SCHEMA,
    [
        n("SPECIFIC_NAME", text(64)),
        n("ROUTINE_CATALOG", NAME),
        n("ROUTINE_SCHEMA", NAME),
        n("ROUTINE_NAME", text(64)),
        n("ROUTINE_TYPE", text(10)),
        c("DATA_TYPE", LONGTEXT),
        c("CHARACTER_MAXIMUM_LENGTH", BIGINT),
        c("CHARACTER_OCTET_LENGTH", BIGINT),
        c("NUMERIC_PRECISION", UINT),
        c("NUMERIC_SCALE", UINT),
        c("DATETIME_PRECISION", UINT),
        c("CHARACTER_SET_NAME", text(64)),
        c("COLLATION_NAME", text(64)),
        c("DTD_IDENTIFIER", LONGTEXT),
        n("ROUTINE_BODY", text(3)),
        c("ROUTINE_DEFINITION", LONGTEXT),
        c("EXTERNAL_NAME", text(64)),
        n("EXTERNAL_LANGUAGE", text(64)),
        n("PARAMETER_STYLE", text(3)),
        n("IS_DETERMINISTIC", text(3)),
        n("SQL_DATA_ACCESS", text(17)),
        c("SQL_PATH", text(64)),
        n("SECURITY_TYPE", text(7)),
        n("CREATED", TIMESTAMP),
        n("LAST_ALTERED", TIMESTAMP),
        n("SQL_MODE", text(512)),
        n("ROUTINE_COMMENT", LONGTEXT),
        n("DEFINER", text(288)),
        n("CHARACTER_SET_CLIENT", text(64)),
        n("COLLATION_CONNECTION", text(64)),
        n("DATABASE_COLLATION", text(64)),
    ],
    |cx, hint| {
        let tz = cx.reads.settings.tz;
        let row = |((o, p), shows): (Known, bool)| -> Row {
            let mut row = vec![
                s(p.name.clone()),
                s("def"),
                s(o.schema.clone()),
                s(p.name.clone()),
                s(type_word(o.kind)),
            ];
            row.extend(type_cells(p.returns.as_ref().map(|r| &r.1)).into_iter().flatten());
            row.extend([
                os(p.returns.as_ref().map(|r| r.1.ty.show_create())),
                s("SQL"),
                os(shows.then(|| p.body.clone())),
                crate::value::Value::Null,
                s("SQL"),
                s("SQL"),
                yes_no(p.deterministic),
                s(p.access_text()),
                crate::value::Value::Null,
                s(p.security_text()),
                at(p.created as u64, tz),
                at(p.modified as u64, tz),
                s(SqlMode(p.mode).to_string()),
                s(p.comment.clone()),
                s(definer(&p)),
                s(p.client.clone()),
                s(p.connection.clone()),
                s(p.database.clone()),
            ]);
            row
        };
        visible(cx, hint, &ROUTINES).into_iter().map(row).collect()
    }
);

virtual_table!(
    Parameters,
    "information_schema",
    "PARAMETERS",
    BY_SCHEMA,
    [
        n("SPECIFIC_CATALOG", NAME),
        n("SPECIFIC_SCHEMA", NAME),
        n("SPECIFIC_NAME", text(64)),
        n("ORDINAL_POSITION", BIGINT),
        c("PARAMETER_MODE", text(5)),
        c("PARAMETER_NAME", text(64)),
        c("DATA_TYPE", LONGTEXT),
        c("CHARACTER_MAXIMUM_LENGTH", BIGINT),
        c("CHARACTER_OCTET_LENGTH", BIGINT),
        c("NUMERIC_PRECISION", UINT),
        c("NUMERIC_SCALE", UINT),
        c("DATETIME_PRECISION", UINT),
        c("CHARACTER_SET_NAME", text(64)),
        c("COLLATION_NAME", text(64)),
        n("DTD_IDENTIFIER", LONGTEXT),
        n("ROUTINE_TYPE", text(9)),
    ],
    |cx, hint| {
        let mut rows = Vec::new();
        for ((o, p), _) in visible(cx, hint, &ROUTINES) {
            let value = p.returns.iter().map(|(_, c)| (0, None, c));
            let params = p.params.iter().enumerate().map(|(n, (mode, c))| {
                let mode = match mode {
                    ParamMode::In => "IN",
                    ParamMode::Out => "OUT",
                    ParamMode::InOut => "INOUT",
                };
                (n as i64 + 1, Some(mode), c)
            });
            for (place, mode, column) in value.chain(params) {
                let mut row = vec![
                    s("def"),
                    s(o.schema.clone()),
                    s(p.name.clone()),
                    i(place),
                    os(mode),
                    os(mode.map(|_| column.name.clone())),
                ];
                row.extend(type_cells(Some(column)).into_iter().flatten());
                row.extend([s(column.ty.show_create()), s(type_word(o.kind))]);
                rows.push(row);
            }
        }
        rows
    }
);

virtual_table!(
    Triggers,
    "information_schema",
    "TRIGGERS",
    BY_SCHEMA,
    [
        n("TRIGGER_CATALOG", NAME),
        n("TRIGGER_SCHEMA", NAME),
        n("TRIGGER_NAME", text(64)),
        n("EVENT_MANIPULATION", text(6)),
        n("EVENT_OBJECT_CATALOG", NAME),
        n("EVENT_OBJECT_SCHEMA", NAME),
        n("EVENT_OBJECT_TABLE", NAME),
        n("ACTION_ORDER", UINT),
        c("ACTION_CONDITION", LONGTEXT),
        n("ACTION_STATEMENT", LONGTEXT),
        n("ACTION_ORIENTATION", text(3)),
        n("ACTION_TIMING", text(6)),
        c("ACTION_REFERENCE_OLD_TABLE", NAME),
        c("ACTION_REFERENCE_NEW_TABLE", NAME),
        n("ACTION_REFERENCE_OLD_ROW", text(3)),
        n("ACTION_REFERENCE_NEW_ROW", text(3)),
        n("CREATED", Hundredths::TYPE),
        n("SQL_MODE", text(512)),
        n("DEFINER", text(288)),
        n("CHARACTER_SET_CLIENT", text(64)),
        n("COLLATION_CONNECTION", text(64)),
        n("DATABASE_COLLATION", text(64)),
    ],
    |cx, hint| {
        let tz = cx.reads.settings.tz;
        let row = |((o, p), _): (Known, bool)| -> Option<Row> {
            let t = p.trigger.as_ref()?;
            Some(vec![
                s("def"),
                s(o.schema.clone()),
                s(p.name.clone()),
                s(t.event_text()),
                s("def"),
                s(o.schema.clone()),
                s(t.table.clone()),
                i(i64::from(t.order)),
                crate::value::Value::Null,
                s(p.body.clone()),
                s("ROW"),
                s(t.timing_text()),
                crate::value::Value::Null,
                crate::value::Value::Null,
                s("OLD"),
                s("NEW"),
                Hundredths::at(p.created, tz),
                s(SqlMode(p.mode).to_string()),
                s(definer(&p)),
                s(p.client.clone()),
                s(p.connection.clone()),
                s(p.database.clone()),
            ])
        };
        let mut list = visible(cx, hint, &[ObjectKind::Trigger]);
        number(&mut list);
        list.into_iter().filter_map(row).collect()
    }
);

/// Numbers the triggers of each table for each event from 1, in the order in which they run.
fn number(list: &mut [(Known, bool)]) {
    let place =
        |(o, p): &Known| p.trigger.as_ref().map(|t| (o.schema.clone(), t.table.clone(), t.place()));
    list.sort_by_cached_key(|(k, _)| place(k));
    let mut last = None;
    let mut next = 1;
    for ((o, p), _) in list {
        let Some(t) = &mut p.trigger else { continue };
        let of = (o.schema.clone(), t.table.clone(), t.event_text(), t.before);
        next = if last.as_ref() == Some(&of) { next + 1 } else { 1 };
        last = Some(of);
        t.order = next;
    }
}

/// The times of triggers have hundredths of a second.
pub struct Hundredths;

impl Hundredths {
    pub const TYPE: crate::value::SqlType = crate::value::SqlType::Timestamp { fsp: 2 };

    pub fn at(micros: i64, tz: crate::value::TimeZone) -> crate::value::Value<'static> {
        let local = crate::value::convert::local_time(micros, tz, 2);
        local.map_or(crate::value::Value::Null, |t| crate::value::Value::DateTime(t.truncate(2)))
    }
}
