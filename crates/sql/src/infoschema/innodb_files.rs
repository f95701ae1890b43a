//! Foreign keys and files under InnoDB's names.

use super::cells::{Row, i, s, u};
use super::engine_told::Told;
use super::innodb_objects::{Named, SCHEMA, SPACE_FLAG, each, of_each};
use crate::context::{TableReads, VirtualTable};
use crate::meta::SqlTable;
use crate::meta::foreign::{Action, ForeignKey};
use crate::value::Value;

pub fn all() -> Vec<&'static dyn VirtualTable> {
    ALL.iter().map(|t| t as &dyn VirtualTable).collect()
}

static ALL: [Told; 4] = [
    Told::new(
        SCHEMA,
        "INNODB_FOREIGN",
        "ID V129 FOR_NAME V129 REF_NAME V129 N_COLS I! TYPE U!",
        |cx| of_each_key(cx, |t, key| vec![foreign(t, key)]),
    ),
    Told::new(
        SCHEMA,
        "INNODB_FOREIGN_COLS",
        "ID V129 FOR_COL_NAME V64! REF_COL_NAME V64! POS N!",
        |cx| of_each_key(cx, pairs),
    ),
    Told::new(SCHEMA, "INNODB_DATAFILES", "SPACE B256 PATH V512!", |cx| {
        files(cx).into_iter().map(|f| vec![f.space, s(f.path)]).collect()
    }),
    Told::new(
        SCHEMA,
        "INNODB_TABLESPACES_BRIEF",
        "SPACE B256 NAME V268! PATH V512! FLAG B256 SPACE_TYPE V7!",
        |cx| {
            let row = |f: File| vec![f.space, s(f.name), s(f.path), f.flag, s(f.kind)];
            files(cx).into_iter().map(row).collect()
        },
    ),
];

/// Partitioned tables have no foreign keys, so each is listed once.
fn of_each_key(cx: TableReads<'_>, rows: impl Fn(&SqlTable, &ForeignKey) -> Vec<Row>) -> Vec<Row> {
    of_each(cx, |t| t.table.foreign.iter().flat_map(|key| rows(&t.table, key)).collect())
}

fn id(t: &SqlTable, key: &ForeignKey) -> String {
    format!("{}/{}", t.schema(), key.text(t.name()))
}

fn foreign(t: &SqlTable, key: &ForeignKey) -> Row {
    vec![
        s(id(t, key)),
        s(format!("{}/{}", t.schema(), t.name())),
        s(format!("{}/{}", key.parent.schema, key.parent.name)),
        i(key.columns.len() as i64),
        u(type_bits(key)),
    ]
}

/// A bit for each action; RESTRICT is not one.
fn type_bits(key: &ForeignKey) -> u64 {
    let of = |action, cascade, set_null, no_action| match action {
        Action::Cascade => cascade,
        Action::SetNull => set_null,
        Action::NoAction => no_action,
        Action::Restrict => 0,
    };
    of(key.on_delete, 1, 2, 16) | of(key.on_update, 4, 8, 32)
}

fn pairs(t: &SqlTable, key: &ForeignKey) -> Vec<Row> {
    let pairs = key.columns.iter().zip(&key.parent_columns).enumerate();
    let row = |(n, (own, theirs)): (usize, (&usize, &String))| {
        let own = t.columns[*own].name.as_str();
        vec![s(id(t, key)), s(own), s(theirs.as_str()), u(n as u64 + 1)]
    };
    pairs.map(row).collect()
}

struct File {
    space: Value<'static>,
    name: String,
    path: String,
    flag: Value<'static>,
    kind: &'static str,
}

/// InnoDB's flags of its system space, and of one with undo records.
const SYSTEM_FLAG: u64 = 18_432;
const UNDO_FLAG: u64 = 0;

/// The files of the engine itself, and one for each table or partition.
fn files(cx: TableReads<'_>) -> Vec<File> {
    let own = cx.reads.db().system_files().into_iter().map(|(space, path)| {
        let system = space == 0;
        File {
            space: digits(space.into()),
            name: if system { "innodb_system" } else { "innodb_undo_001" }.into(),
            path: if system { path } else { format!("./{path}") },
            flag: digits(if system { SYSTEM_FLAG } else { UNDO_FLAG }),
            kind: if system { "System" } else { "Single" },
        }
    });
    let of_table = |t: Named| File {
        space: digits(t.stored.space_id()),
        path: format!("./{}", t.stored.space_file()),
        name: t.name,
        flag: digits(SPACE_FLAG),
        kind: "Single",
    };
    own.chain(each(cx).into_iter().map(of_table)).collect()
}

/// MySQL's dictionary has these numbers as texts.
fn digits(n: u64) -> Value<'static> {
    Value::Bytes(n.to_string().into_bytes().into())
}
