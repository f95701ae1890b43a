//! The power fails at each write of each kind of definition statement. Whatever was acknowledged is there; a statement that was not is
//! there as a whole or not at all; no file and no page is left behind.
//!
//! `WEIR_DDL_STEP=3` tries every third operation of the device, to be quicker.
use crate::common::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use weir_disk::Disk;
use weir_disk::sim::SimDisk;
use weir_engine::*;
use weir_rt::Interrupt;
use weir_rt::sim::SimRt;

/// Rows of each table.
const ROWS: i64 = 60;
/// Tables of the schema that is dropped: more than one mini-transaction takes out of the dictionary.
const MANY: usize = 24;

/// Bytes that make a definition too long for one entry of the dictionary.
const LONG: usize = 9000;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    CreateSchema,
    CreateTable,
    DropTable,
    DropTables,
    Truncate,
    Rename,
    /// A table that moves, and another one whose metadata follows it.
    RenameBeside,
    /// The same with a new table, a rebuilt one, and one that gets an index.
    CreateBeside,
    RebuildBeside,
    AddIndexBeside,
    AddIndex,
    DropIndex,
    AlterExtra,
    NoteExtra,
    /// Columns with other names and one behind them; the rows stay.
    AlterColumns,
    ColumnBetween,
    AddColumn,
    DropColumn,
    Rebuild,
    PutView,
    RenameView,
    DropView,
    DropSchema,
    /// Of a table with three partitions: as a whole, in part, and one of them against another table.
    CreateParts,
    DropParts,
    TruncateParts,
    IndexOfParts,
    IndexesGoOfParts,
    ChangeParts,
    ExchangePart,
}

const KINDS: [Kind; 30] = [
    Kind::CreateSchema,
    Kind::CreateTable,
    Kind::DropTable,
    Kind::DropTables,
    Kind::Truncate,
    Kind::Rename,
    Kind::RenameBeside,
    Kind::CreateBeside,
    Kind::RebuildBeside,
    Kind::AddIndexBeside,
    Kind::AddIndex,
    Kind::DropIndex,
    Kind::AlterExtra,
    Kind::NoteExtra,
    Kind::AlterColumns,
    Kind::ColumnBetween,
    Kind::AddColumn,
    Kind::DropColumn,
    Kind::Rebuild,
    Kind::PutView,
    Kind::RenameView,
    Kind::DropView,
    Kind::DropSchema,
    Kind::CreateParts,
    Kind::DropParts,
    Kind::TruncateParts,
    Kind::IndexOfParts,
    Kind::IndexesGoOfParts,
    Kind::ChangeParts,
    Kind::ExchangePart,
];

/// What a client sees: schemas, and of each table its columns, its indexes, the last byte of what its owner notes, and how many
/// rows it has.
type Shown = BTreeMap<String, Vec<(String, Vec<String>, Vec<String>, Option<u8>, usize)>>;

async fn insert(db: &Db, t: &Arc<Table>, n: i64) {
    let mut txn = db.begin(TxnOptions::default());
    for id in 0..n {
        let row = Row { k: id % 7, u: Some(id), body: vec![b'r'; 150] };
        txn.insert(t, &encode(t, id, &row)).await.unwrap();
    }
    txn.commit(Durability::Flush).await.unwrap();
}

fn options() -> Options {
    crate::common::options(2 << 20)
}

fn in_schema(schema: &str, name: &str) -> NewTable {
    NewTable { schema: schema.into(), ..new_table(name) }
}

fn view(schema: &str, name: &str, last: u8) -> Object {
    let text = vec![last; LONG];
    Object { kind: ObjectKind::View, schema: schema.into(), name: name.into(), text }
}

/// A closed directory with the schemas `test` (two tables with rows) and `many`.
fn base() -> SimDisk {
    let sim = SimRt::new(1);
    let disk = SimDisk::new(sim.rt(), 1);
    sim.run(async {
        let db = open(&sim.rt(), &disk, options()).await.unwrap();
        db.create_schema(schema()).await.unwrap();
        db.create_schema(SchemaDef { name: "many".into(), extra: vec![] }).await.unwrap();
        for name in ["t", "other"] {
            let new = NewTable { extra: vec![b'o'; LONG], ..new_table(name) };
            let t = db.create_table(new).await.unwrap();
            insert(&db, &t, ROWS).await;
        }
        let t = db.create_table(NewTable { parts: 3, ..new_table("parts") }).await.unwrap();
        for (n, part) in t.parts.iter().enumerate() {
            insert(&db, part, 7 + n as i64).await;
        }
        for i in 0..MANY {
            db.create_table(in_schema("many", &format!("m{i}"))).await.unwrap();
        }
        db.put_object(view("test", "w", b'o'), false).await.unwrap();
        let kind = ObjectKind::Trigger;
        let trigger = Object { kind, name: "g".into(), ..view("test", "w", b'o') };
        db.put_object(trigger, false).await.unwrap();
        db.put_object(view("many", "w", b'o'), false).await.unwrap();
        db.shutdown().await.unwrap();
    })
    .unwrap();
    sim.kill_all();
    disk.reopen(SimRt::new(2).rt(), 2)
}

/// The table's definition with another last column, or without it.
fn redefined(t: &Table, columns: usize) -> NewTable {
    let mut new = in_schema(&t.def.schema, &t.def.name);
    let last = new.columns[1].clone();
    new.columns.resize(columns, ColumnDef { name: "more".into(), ..last });
    new
}

/// Copies the columns that both definitions have.
async fn copy_into(db: &Db, t: &Arc<Table>, new: NewTable, d: &DdlContext) -> Result<()> {
    use weir_engine::row::{Datum, PhysCol, RowBuilder, RowLayout};
    let cols: Vec<PhysCol> = new.columns.iter().map(|c| c.phys).collect();
    let layout = RowLayout::new(&cols);
    let shared = t.def.columns.len().min(cols.len());
    let mut map = |row: weir_engine::row::RowView<'_>, out: &mut Vec<u8>| {
        let mut b = RowBuilder::new(&layout);
        for i in 0..cols.len() {
            b.push(if i < shared { row.get(i) } else { Datum::Int(7) });
        }
        b.finish_into(out).map(|()| 0).map_err(|e| e.to_string())
    };
    db.rebuild_table(t, new, &mut map, d).await.map(|_| ())
}

fn added() -> IndexDef {
    let part = weir_engine::row::KeyPart::asc(3);
    let part = weir_engine::row::KeyPart { prefix: Some(40), ..part };
    IndexDef { name: "added".into(), unique: false, parts: vec![part] }
}

/// New metadata of these tables, which the statement has alone together with `t`.
async fn beside(db: &Db, names: &[&str]) -> DdlContext {
    let held = Arc::new(HeldTables::default());
    let (limit, interrupt) = (std::time::Duration::from_secs(5), Interrupt::new());
    for name in ["t", "other"] {
        let t = db.table("test", name).expect("there");
        held.add(db.lock_table(&t, MdlMode::Exclusive, limit, &interrupt).await.unwrap());
    }
    let new = |name: &&str| (db.table("test", name).expect("there"), vec![b'n'; LONG]);
    DdlContext { held: Some(held), beside: names.iter().map(new).collect(), ..ddl() }
}

async fn statement(db: &Db, kind: Kind) -> Result<()> {
    let t = db.table("test", "t").expect("there");
    match kind {
        Kind::CreateSchema => {
            db.create_schema(SchemaDef { name: "new".into(), extra: vec![] }).await
        }
        Kind::CreateTable => db.create_table(new_table("new")).await.map(|_| ()),
        // What belongs to the table goes with it, or moves.
        Kind::DropTable => {
            let g = db.object(ObjectKind::Trigger, "test", "g").expect("there");
            db.drop_tables(&[t], &DdlContext { objects: vec![(g, None)], ..ddl() }).await
        }
        Kind::DropTables => db.drop_tables(&db.tables("many"), &ddl()).await,
        Kind::Truncate => db.truncate_table(&t, &ddl()).await.map(|_| ()),
        Kind::Rename => {
            let other = db.table("test", "other").expect("there");
            let to = |schema: &str, name: &str| (schema.to_string(), name.to_string());
            let ((a, b), (c, d)) = (to("many", "moved"), to("test", "t"));
            let g = db.object(ObjectKind::Trigger, "test", "g").expect("there");
            let objects = vec![(g, Some(vec![b'n'; LONG]))];
            let with = DdlContext { objects, ..ddl() };
            db.rename_tables(&[(t, a, b), (other, c, d)], &with).await
        }
        Kind::RenameBeside => {
            let moves = [(t.clone(), "many".to_string(), "moved".to_string())];
            db.rename_tables(&moves, &beside(db, &["t", "other"]).await).await
        }
        Kind::CreateBeside => {
            let d = beside(db, &["other"]).await;
            db.create_table_beside(new_table("new"), &d).await.map(|_| ())
        }
        Kind::RebuildBeside => {
            copy_into(db, &t, redefined(&t, 5), &beside(db, &["other"]).await).await
        }
        Kind::AddIndexBeside => {
            let d = beside(db, &["other"]).await;
            db.add_indexes(&t, &[added()], vec![b'n'; LONG], &d).await.map(|_| ())
        }
        Kind::AddIndex => db.add_indexes(&t, &[added()], vec![], &ddl()).await.map(|_| ()),
        Kind::DropIndex => {
            let names = ["k".to_string(), "b".to_string()];
            db.drop_indexes(&t, &names, vec![], &ddl()).await.map(|_| ())
        }
        Kind::AlterExtra => db.alter_extra(&t, vec![b'n'; LONG], &ddl()).await.map(|_| ()),
        Kind::NoteExtra => db.note_extra(&t, vec![b'n'; LONG], &ddl()).await.map(|_| ()),
        Kind::AlterColumns => {
            let mut columns = redefined(&t, 5).columns;
            columns[4].default = weir_engine::row::DatumBuf::Int(7);
            db.alter_columns(&t, NewColumns::behind(4, columns), vec![b'n'; LONG], &ddl())
                .await
                .map(|_| ())
        }
        Kind::ColumnBetween => {
            let mut columns = redefined(&t, 5).columns;
            columns.swap(3, 4);
            let sources = vec![Some(0), Some(1), Some(2), None, Some(3)];
            let new = NewColumns { columns, sources, counts: true };
            db.alter_columns(&t, new, vec![b'n'; LONG], &ddl()).await.map(|_| ())
        }
        Kind::AddColumn => copy_into(db, &t, redefined(&t, 5), &ddl()).await,
        Kind::DropColumn => {
            let mut new = redefined(&t, 3);
            new.indexes.retain(|i| i.name != "b");
            copy_into(db, &t, new, &ddl()).await
        }
        Kind::Rebuild => {
            let mut new = redefined(&t, 4);
            new.indexes.retain(|i| i.name != "k");
            copy_into(db, &t, new, &ddl()).await
        }
        Kind::PutView => db.put_object(view("test", "w", b'n'), true).await,
        Kind::RenameView => {
            let old = db.object(ObjectKind::View, "test", "w").expect("there");
            db.rename_object(&old, "many", "moved").await
        }
        Kind::DropView => db.drop_objects(&db.objects(ObjectKind::View, "test")).await,
        Kind::DropSchema => db.drop_schema("many", &mut |_| Ok(()), &ddl()).await.map(|_| ()),
        Kind::CreateParts => {
            db.create_table(NewTable { parts: 2, ..new_table("new") }).await.map(|_| ())
        }
        _ => statement_of_parts(db, kind, &t).await,
    }
}

async fn statement_of_parts(db: &Db, kind: Kind, other: &Arc<Table>) -> Result<()> {
    let t = db.table("test", "parts").expect("there");
    match kind {
        Kind::DropParts => db.drop_tables(&[t], &ddl()).await,
        Kind::TruncateParts => db.truncate_table(&t, &ddl()).await.map(|_| ()),
        Kind::IndexOfParts => db.add_indexes(&t, &[added()], vec![b'n'], &ddl()).await.map(|_| ()),
        Kind::IndexesGoOfParts => {
            let names = ["k".to_string(), "b".to_string()];
            db.drop_indexes(&t, &names, vec![b'n'], &ddl()).await.map(|_| ())
        }
        // The first goes, the second stays, the rows of the last go into two new ones.
        Kind::ChangeParts => {
            let new = NewParts {
                parts: vec![Some(1), None, None],
                copied: vec![2],
                extra: vec![b'n'; LONG],
            };
            let cols: Vec<_> = t.def.columns.iter().map(|c| c.phys).collect();
            let layout = weir_engine::row::RowLayout::new(&cols);
            let mut map = |row: weir_engine::row::RowView<'_>, out: &mut Vec<u8>| {
                let mut b = weir_engine::row::RowBuilder::new(&layout);
                for i in 0..cols.len() {
                    b.push(row.get(i));
                }
                let odd = row.get(0).as_u64().unwrap_or(0) as usize % 2;
                b.finish_into(out).map(|()| 1 + odd).map_err(|e| e.to_string())
            };
            db.change_parts(&t, &new, &mut map, &ddl()).await.map(|_| ())
        }
        _ => db.exchange_part(&t, 1, other, &ddl()).await,
    }
}

async fn shown(db: &Db) -> Shown {
    let mut all = Shown::new();
    for s in db.schemas() {
        let mut tables = Vec::new();
        for t in db.tables(&s.name) {
            let mut txn = db.begin(TxnOptions::default());
            let mut rows = 0;
            for (n, part) in t.stored().iter().enumerate() {
                let mut cursor = txn.scan(part, spec(0));
                while cursor.next(&mut txn).await.unwrap() {
                    rows += 1000usize.pow(n as u32);
                }
            }
            let columns = t.def.columns.iter().map(|c| c.name.clone()).collect();
            let indexes = t.def.indexes.iter().map(|i| i.name.clone()).collect();
            let extra = t.def.extra.last().copied();
            tables.push((t.def.name.clone(), columns, indexes, extra, rows));
        }
        let views = db.objects(ObjectKind::View, &s.name);
        for o in views.into_iter().chain(db.objects(ObjectKind::Trigger, &s.name)) {
            let last = o.text.last().copied();
            tables.push((o.name.clone(), vec!["view".into()], vec![], last, o.text.len()));
        }
        all.insert(s.name.clone(), tables);
    }
    all
}

/// Everything that is wrong.
async fn damage(db: &Db, disk: &SimDisk) -> Vec<String> {
    let mut found = db.check_spaces().await.unwrap();
    match db.left_to_finish().await.unwrap() {
        0 => {}
        n => found.push(format!("{n} entries of half trees and dropped tables")),
    }
    let mut files = Vec::new();
    for s in db.schemas() {
        for t in db.tables(&s.name) {
            let of_table = db.check_table(&t, &Interrupt::new()).await.unwrap();
            found.extend(of_table.into_iter().map(|p| format!("{}: {p}", t.def.name)));
            let all = std::iter::once(&t).chain(&t.parts);
            files.extend(all.map(|t| format!("{:08x}.weir", t.space.id)));
        }
    }
    files.sort();
    let there = disk.list("tables").await.unwrap();
    if there != files {
        found.push(format!("files {there:?}, tables {files:?}"));
    }
    found
}

/// Whether it ended before the device stopped.
async fn until_frozen<T>(disk: &SimDisk, f: impl Future<Output = T>) -> Option<T> {
    let (mut f, mut frozen) = (std::pin::pin!(f), std::pin::pin!(disk.frozen()));
    std::future::poll_fn(|cx| {
        if let std::task::Poll::Ready(v) = f.as_mut().poll(cx) {
            return std::task::Poll::Ready(Some(v));
        }
        frozen.as_mut().poll(cx).map(|()| None)
    })
    .await
}

/// The statement in a life that ends `after` operations of the device; whether it was acknowledged. `synced`: what it logs is durable
/// at once, whatever it waits for.
fn cut_off(base: &SimDisk, kind: Kind, after: u64, synced: bool) -> (SimDisk, bool) {
    let sim = SimRt::new(after);
    let disk = base.copy(sim.rt(), after);
    let acknowledged = sim
        .run(async {
            let db = open(&sim.rt(), &disk, options()).await.unwrap();
            if synced {
                sim.rt().spawn("syncs the log", sync_always(db.clone(), sim.rt()));
            }
            disk.crash_at(disk.io_count() + after);
            until_frozen(&disk, statement(&db, kind)).await.map(|r| r.unwrap()).is_some()
        })
        .unwrap();
    sim.kill_all();
    (disk, acknowledged)
}

/// What is to be read in a copy under `innodb_force_recovery`, which finishes nothing (4) or not all (1).
async fn forced(sim: &SimRt, disk: &SimDisk, seed: u64) -> Shown {
    let copy = disk.copy(sim.rt(), seed);
    let force = Force([4, 1, 4, 3][(seed / 4 % 4) as usize]);
    let db = open(&sim.rt(), &copy, Options { force, ..options() }).await.unwrap();
    let all = shown(&db).await;
    db.shutdown().await.unwrap();
    all
}

/// What a start finds, twice: the second one after another crash, in the middle of what the first one had to finish.
fn recovered(disk: &SimDisk, seed: u64, kind: Kind) -> Shown {
    let sim = SimRt::new(seed);
    let first = disk.crash(sim.rt(), seed);
    sim.run(async {
        first.crash_at(first.io_count() + 1 + seed % 40);
        until_frozen(&first, open(&sim.rt(), &first, options())).await.map(|r| r.map(|_| ()))
    })
    .unwrap();
    sim.kill_all();
    let sim = SimRt::new(seed + 1);
    let disk = first.crash(sim.rt(), seed + 1);
    sim.run(async {
        let by_force =
            if seed.is_multiple_of(4) { Some(forced(&sim, &disk, seed).await) } else { None };
        let db = open(&sim.rt(), &disk, options()).await.unwrap();
        let now = shown(&db).await;
        assert!(
            by_force.is_none_or(|f| f == now),
            "{kind:?} after {seed}: by force something else"
        );
        let damage = damage(&db, &disk).await;
        assert!(damage.is_empty(), "{kind:?} cut off after {seed} operations: {damage:#?}");
        // The names are free for what comes next, and a clean start finds it.
        if db.schema("many").is_none() {
            db.create_schema(SchemaDef { name: "many".into(), extra: vec![] }).await.unwrap();
        }
        if db.table("many", "m3").is_none() {
            let t = db.create_table(in_schema("many", "m3")).await.unwrap();
            insert(&db, &t, 2).await;
        }
        let before = shown(&db).await;
        db.shutdown().await.unwrap();
        let db = open(&sim.rt(), &disk, options()).await.unwrap();
        assert_eq!(shown(&db).await, before);
        now
    })
    .unwrap()
}

/// Tables and views have one space of names, and a view goes with its schema.
#[test]
fn names_of_views() {
    let base = base();
    let sim = SimRt::new(7);
    let disk = base.copy(sim.rt(), 7);
    sim.run(async {
        let db = open(&sim.rt(), &disk, options()).await.unwrap();
        let exists = |r: Result<()>| assert!(matches!(r, Err(Error::TableExists { .. })), "{r:?}");
        let t = db.table("test", "t").unwrap();
        exists(db.put_object(view("test", "t", b'x'), true).await);
        exists(db.put_object(view("test", "w", b'x'), false).await);
        exists(db.create_table(new_table("w")).await.map(|_| ()));
        exists(db.rename_tables(&[(t, "test".into(), "w".into())], &ddl()).await);
        let w = db.object(ObjectKind::View, "test", "w").unwrap();
        exists(db.rename_object(&w, "test", "t").await);
        let unknown = db.put_object(view("nope", "w", b'x'), true).await;
        assert!(matches!(unknown, Err(Error::NoSuchSchema(_))));
        db.drop_schema("many", &mut |_| Ok(()), &ddl()).await.unwrap();
        db.create_schema(SchemaDef { name: "many".into(), extra: vec![] }).await.unwrap();
        assert!(db.objects(ObjectKind::View, "many").is_empty());
        db.shutdown().await.unwrap();
    })
    .unwrap();
}

/// A session with a table's handle from before a RENAME gets an error, and looks the name up again.
#[test]
fn a_handle_from_before_a_rename_is_stale() {
    let base = base();
    let sim = SimRt::new(8);
    let disk = base.copy(sim.rt(), 8);
    sim.run(async {
        let db = open(&sim.rt(), &disk, options()).await.unwrap();
        let t = db.table("test", "t").unwrap();
        let version = db.catalog_version();
        db.rename_tables(&[(t.clone(), "many".into(), "moved".into())], &ddl()).await.unwrap();
        assert_ne!(db.catalog_version(), version, "who keeps something of the catalog looks again");
        let row = Row { k: 1, u: None, body: Vec::new() };
        let mut txn = db.begin(TxnOptions::default());
        let stale = txn.insert(&t, &encode(&t, 5000, &row)).await;
        assert!(matches!(stale, Err(Error::TableChanged { .. })), "{stale:?}");
        let moved = db.table("many", "moved").unwrap();
        txn.insert(&moved, &encode(&moved, 5000, &row)).await.unwrap();
        txn.commit(Durability::Flush).await.unwrap();
        db.shutdown().await.unwrap();
    })
    .unwrap();
}

fn crash_everywhere(kind: Kind) {
    plant();
    let step = std::env::var("WEIR_DDL_STEP").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    let base = base();
    let (old, new) = {
        let sim = SimRt::new(7);
        let disk = base.copy(sim.rt(), 7);
        sim.run(async {
            let db = open(&sim.rt(), &disk, options()).await.unwrap();
            let old = shown(&db).await;
            statement(&db, kind).await.unwrap();
            (old, shown(&db).await)
        })
        .unwrap()
    };
    assert_ne!(old, new, "{kind:?} does nothing");
    let mut kept = 0;
    for synced in [false, true] {
        for after in (0..).step_by(step) {
            // The seed decides which unsynced writes the crash leaves; of the first few operations several seeds are tried.
            let seeds = (after..).step_by(1000).take(if after < 3 { 4 } else { 1 });
            let mut acknowledged = false;
            for seed in seeds {
                let disk;
                (disk, acknowledged) = cut_off(&base, kind, after, synced);
                let now = recovered(&disk, seed, kind);
                assert!(now == old || now == new, "{kind:?} after {after}: half of it: {now:#?}");
                assert!(now == new || !acknowledged, "{kind:?} after {after}: lost");
                kept += u32::from(now == old);
            }
            if acknowledged {
                break;
            }
        }
    }
    assert!(kept > 0, "{kind:?} was never cut off before its commit point");
}

macro_rules! kinds {
    ($($name:ident $kind:ident)*) => {
        $(#[test]
        fn $name() {
            crash_everywhere(Kind::$kind);
        })*

        #[test]
        fn every_kind_has_a_test() {
            assert_eq!(KINDS.len(), [$(Kind::$kind),*].len());
        }
    };
}

kinds! {
    create_schema CreateSchema
    create_table CreateTable
    drop_table DropTable
    drop_many_tables DropTables
    truncate Truncate
    rename Rename
    rename_beside RenameBeside
    create_beside CreateBeside
    rebuild_beside RebuildBeside
    add_index_beside AddIndexBeside
    add_index AddIndex
    drop_index DropIndex
    alter_extra AlterExtra
    note_extra NoteExtra
    alter_columns AlterColumns
    column_between ColumnBetween
    add_column AddColumn
    drop_column DropColumn
    rebuild Rebuild
    put_view PutView
    rename_view RenameView
    drop_view DropView
    drop_schema DropSchema
    create_parts CreateParts
    drop_parts DropParts
    truncate_parts TruncateParts
    index_of_parts IndexOfParts
    indexes_go_of_parts IndexesGoOfParts
    change_parts ChangeParts
    exchange_part ExchangePart
}
