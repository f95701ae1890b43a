//! A load on a table `f (id BIGINT PRIMARY KEY, body VARBINARY)` on a slow device in virtual time.

use super::{BODY, INT8, key};
use std::sync::Arc;
use std::time::Duration;
use weir_disk::sim::SimDisk;
use weir_disk::{Mode, Speed, ThrottledDisk};
use weir_engine::row::{Datum, KeyPart, PhysCol, RowBuilder};
use weir_engine::*;
use weir_rt::{Rng, Rt};

#[derive(Clone, Copy)]
pub struct Load {
    pub policy: &'static str,
    /// Frames, and rows of which about eight fill a page.
    pub pool: u64,
    pub rows: i64,
    pub redo: u64,
    pub iops: u64,
    pub clients: u64,
    /// Computing time of a transaction.
    pub think: Duration,
    pub max_dirty: f64,
    pub doublewrite: bool,
    pub seconds: usize,
}

pub const PAGE: u64 = 4096;
pub const CHANGES: u64 = 4;

pub fn table(name: &str) -> NewTable {
    let col = |name: &str, ty| ColumnDef {
        name: name.into(),
        phys: PhysCol::new(ty, false),
        default: ty.zero(),
    };
    NewTable {
        schema: "test".into(),
        name: name.into(),
        columns: vec![col("id", INT8), col("body", BODY)],
        indexes: vec![IndexDef {
            name: "PRIMARY".into(),
            unique: true,
            parts: vec![KeyPart::asc(0)],
        }],
        auto_increment: None,
        auto_increment_start: 1,
        parts: 0,
        form: Default::default(),
        extra: Vec::new(),
    }
}

pub fn row(t: &Table, id: i64, rng: &mut Rng) -> Vec<u8> {
    let body: Vec<u8> = (0..420).map(|_| b'a' + rng.below(20) as u8).collect();
    let mut b = RowBuilder::new(&t.layout);
    b.push(Datum::Int(id)).push(Datum::Bytes(&body));
    let mut out = Vec::new();
    b.finish_into(&mut out).expect("a row of the table's columns");
    out
}

pub async fn fill(db: &Db, rows: i64) -> Arc<Table> {
    db.create_schema(SchemaDef { name: "test".into(), extra: Vec::new() }).await.unwrap();
    let t = db.create_table(table("f")).await.unwrap();
    let mut rng = Rng::new(5);
    for first in (0..rows).step_by(500) {
        let mut txn = db.begin(TxnOptions::default());
        let mut list = RowList::default();
        for id in first..rows.min(first + 500) {
            list.push(&row(&t, id, &mut rng));
        }
        txn.insert_many(&t, &list).await.map_err(|e| e.1).unwrap();
        txn.commit(Durability::Write).await.unwrap();
    }
    t
}

/// Changes rows of the first `rows`, some at random.
pub async fn transaction(db: &Db, t: &Arc<Table>, rows: i64, rng: &mut Rng) -> Result<()> {
    let ids = (0..CHANGES).map(|_| rng.below(rows as u64) as i64).collect();
    change(db, t, ids, rng).await
}

/// Changes these rows in one transaction, in the order of their keys.
pub async fn change(db: &Db, t: &Arc<Table>, mut ids: Vec<i64>, rng: &mut Rng) -> Result<()> {
    ids.sort_unstable();
    ids.dedup();
    let mut txn = db.begin(TxnOptions::default());
    let mut buf = RowBuf::default();
    for id in ids {
        txn.begin_statement();
        txn.get(t, 0, &key(id), LockMode::Exclusive, OnLocked::Wait, &mut buf).await?;
        txn.update(t, &buf.key, &buf.row, &row(t, id, rng)).await?;
    }
    txn.commit(Durability::Write).await
}

pub fn slow(rt: &Rt, load: &Load, device: SimDisk) -> Arc<ThrottledDisk> {
    Arc::new(ThrottledDisk::new(rt.clone(), Arc::new(device), Some(Speed::of_2009(load.iops))))
}

pub async fn open(rt: &Rt, load: &Load) -> Db {
    let disk = slow(rt, load, SimDisk::new(rt.clone(), 7));
    Db::open(rt, disk, load.options()).await.unwrap()
}

impl Load {
    pub fn options(&self) -> Options {
        let load = self;
        let mut o = Options {
            page_size: PAGE as usize,
            buffer_pool: load.pool * PAGE,
            redo_capacity: load.redo,
            data_mode: Mode::Direct,
            doublewrite: load.doublewrite,
            flush_policy: load.policy,
            ..Options::default()
        };
        o.flush.max_dirty_pct = load.max_dirty;
        if !matches!(load.policy, "weir" | "mysql-8.0" | "mariadb-10.6") {
            // The default of their time.
            (o.flush.neighbours, o.flush.neighbours_foreground) =
                (Neighbours::Area, Neighbours::Area);
        }
        o.flush.check_max_dirty_foreground = true;
        o.flush.adaptive_checkpoint = true;
        o.flush.log_files = 2;
        o.flush.log_file_size = load.redo / 2;
        o
    }
}
