//! What views stand on: VIEW_TABLE_USAGE and VIEW_ROUTINE_USAGE.
//!
//! A row is shown to anyone who may read the view's definition, and may see what it names. Only what the view's own text names is shown: what
//! comes after a view that it reads, that view's rows tell.

use super::cells::{NAME, Row, n, s, text};
use super::programs::may_see;
use super::tables::{BY_TABLE, views};
use super::virtual_table;
use crate::account::{Access, Privileges};
use crate::context::{TableReads, VirtualHint, VirtualTable};
use crate::meta::program::{ProgramMeta, object_name};
use crate::meta::view::ViewMeta;
use crate::rights::{self, Need};
use std::collections::BTreeSet;
use weir_engine::{Object, ObjectKind};
use weir_syntax::ast::{Statement, called_functions};

pub fn all() -> Vec<&'static dyn VirtualTable> {
    vec![&ViewTableUsage, &ViewRoutineUsage]
}

/// Schemas and names, each once.
type Names = BTreeSet<(String, String)>;

virtual_table!(
    ViewTableUsage,
    "information_schema",
    "VIEW_TABLE_USAGE",
    (Some("VIEW_SCHEMA"), Some("VIEW_NAME")),
    [
        n("VIEW_CATALOG", NAME),
        n("VIEW_SCHEMA", NAME),
        n("VIEW_NAME", NAME),
        n("TABLE_CATALOG", NAME),
        n("TABLE_SCHEMA", NAME),
        n("TABLE_NAME", NAME),
    ],
    |cx, hint| usage(cx, hint, tables_of)
);

virtual_table!(
    ViewRoutineUsage,
    "information_schema",
    "VIEW_ROUTINE_USAGE",
    BY_TABLE,
    [
        n("TABLE_CATALOG", NAME),
        n("TABLE_SCHEMA", NAME),
        n("TABLE_NAME", NAME),
        n("SPECIFIC_CATALOG", NAME),
        n("SPECIFIC_SCHEMA", NAME),
        n("SPECIFIC_NAME", text(64)),
    ],
    |cx, hint| usage(cx, hint, functions_of)
);

type Named = fn(TableReads<'_>, &mut Access, &Object, &ViewMeta) -> Names;

fn usage(cx: TableReads<'_>, hint: &VirtualHint, named: Named) -> Vec<Row> {
    let (mut rows, mut access) = (Vec::new(), cx.access.clone());
    for (o, v) in views(cx, hint) {
        if !may_read(&mut access, &o, &v) {
            continue;
        }
        let names = named(cx, &mut access, &o, &v).into_iter();
        rows.extend(names.map(|(schema, name)| {
            let view = [s("def"), s(o.schema.clone()), s(o.name.clone())];
            view.into_iter().chain([s("def"), s(schema), s(name)]).collect()
        }));
    }
    rows
}

/// SHOW CREATE VIEW would tell the definition; the definer knows it.
fn may_read(access: &mut Access, o: &Object, v: &ViewMeta) -> bool {
    let (user, host) = access.account();
    let own = v.definer.0 == user && v.definer.1.eq_ignore_ascii_case(host);
    own || access.on_table(&o.schema, &o.name).contains(Privileges::SHOW_VIEW | Privileges::SELECT)
}

/// Tables and views that the text names; common tables are none. The rights that it needs are on just these.
fn tables_of(_: TableReads<'_>, access: &mut Access, o: &Object, v: &ViewMeta) -> Names {
    let needs = v.parse().and_then(|q| rights::of_query(&Statement::Select(q), Some(&o.schema)));
    let named = needs.unwrap_or_default().into_iter().filter_map(|need| match need {
        Need::Table { schema, table, .. } => Some((schema, table)),
        _ => None,
    });
    // Computed tables are named in any letter case.
    let told = named.map(|(schema, table)| match super::lookup(&schema, &table) {
        Some(v) => (v.schema().to_owned(), v.name().to_owned()),
        None => (schema, table),
    });
    told.filter(|(schema, table)| access.can_see_table(schema, table)).collect()
}

/// Stored functions that the text calls, and that are there: a name alone is one of the view's schema, unless it is a function of SQL.
fn functions_of(cx: TableReads<'_>, access: &mut Access, o: &Object, v: &ViewMeta) -> Names {
    let calls = v.parse().map_or_else(|_| Vec::new(), |q| called_functions(&q));
    let found = calls.into_iter().filter_map(|(schema, name)| {
        let plain = schema.is_none();
        if plain && crate::func::lookup(&name.as_str().to_ascii_uppercase()).is_some() {
            return None;
        }
        let schema = schema.as_ref().map_or(&*o.schema, |s| s.as_str());
        let name = object_name(name.as_str());
        let function = cx.reads.db().object(ObjectKind::Function, schema, &name)?;
        let meta = ProgramMeta::of(&function).ok()?;
        may_see(access, &function, &meta).0.then(|| (function.schema.clone(), meta.name.clone()))
    });
    found.collect()
}
