//! What row operations cost in instructions, to be compared between two states of the code. Timings on a shared machine are noise;
//! these figures repeat to a few in ten thousand.
//!
//!     cargo build --release -p weir-engine --example instructions
//!     valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect='*measured_select*' \
//!         target/release/examples/instructions 2000
//!
//! The other patterns: `*measured_locking_read*`, `*measured_update*`, `*measured_insert*`, `*measured_scan*`. Each operation is a transaction;
//! callgrind says how many instructions were collected, the argument how many operations there were.

mod integers;

use integers::{key, table};
use std::sync::Arc;
use weir_disk::{Backend, RealDisk};
use weir_engine::{
    Db, Durability, LockMode, OnLocked, Result, RowBuf, ScanSpec, SchemaDef, Table, Txn, TxnOptions,
};
use weir_rt::Rt;

const ROWS: i64 = 2000;

/// A hundred different values of `k`.
fn row(t: &Table, id: i64, n: i64) -> Vec<u8> {
    integers::row(t, &[id, id % 100, n])
}

/// An operation as a transaction; `id` names a row.
async fn in_transactions(
    db: &Db,
    n: i64,
    mut one: impl AsyncFnMut(&mut Txn, i64) -> Result<()>,
) -> Result<()> {
    for i in 0..n {
        let mut txn = db.begin(TxnOptions::default());
        txn.begin_statement();
        one(&mut txn, i * 7 % ROWS).await?;
        txn.commit(Durability::Lazy).await?;
    }
    Ok(())
}

async fn read(txn: &mut Txn, t: &Arc<Table>, id: i64, lock: LockMode) -> Result<RowBuf> {
    let mut found = RowBuf::default();
    assert!(txn.get(t, 0, &key(id), lock, OnLocked::Wait, &mut found).await?);
    Ok(found)
}

#[inline(never)]
fn measured_select(rt: &Rt, db: &Db, t: &Arc<Table>, n: i64) -> Result<()> {
    rt.block_on(in_transactions(db, n, async |txn, id| {
        read(txn, t, id, LockMode::None).await.map(drop)
    }))
}

#[inline(never)]
fn measured_locking_read(rt: &Rt, db: &Db, t: &Arc<Table>, n: i64) -> Result<()> {
    rt.block_on(in_transactions(db, n, async |txn, id| {
        read(txn, t, id, LockMode::Exclusive).await.map(drop)
    }))
}

#[inline(never)]
fn measured_update(rt: &Rt, db: &Db, t: &Arc<Table>, n: i64) -> Result<()> {
    rt.block_on(in_transactions(db, n, async |txn, id| {
        let found = read(txn, t, id, LockMode::Exclusive).await?;
        txn.update(t, &key(id), &found.row, &row(t, id, id + 1)).await
    }))
}

#[inline(never)]
fn measured_insert(rt: &Rt, db: &Db, t: &Arc<Table>, n: i64) -> Result<()> {
    let mut next = ROWS;
    rt.block_on(in_transactions(db, n, async |txn, _| {
        next += 1;
        txn.insert(t, &row(t, next, 0)).await
    }))
}

#[inline(never)]
fn measured_scan(rt: &Rt, db: &Db, t: &Arc<Table>, n: i64) -> Result<()> {
    rt.block_on(in_transactions(db, n, async |txn, _| {
        let spec = ScanSpec {
            index: 1,
            start: key(7),
            end: Some(key(8)),
            reverse: false,
            lock: LockMode::None,
            on_locked: OnLocked::Wait,
            unique_eq: false,
            expect: 0,
            fetch_external: true,
            rows_only: false,
            index_only: None,
        };
        let mut scan = txn.scan(t, spec);
        let mut rows = 0;
        while scan.next(txn).await? {
            rows += 1;
        }
        assert!(rows >= ROWS / 100);
        Ok(())
    }))
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let n = std::env::args().nth(1).map_or(Ok(2000), |n| n.parse())?;
    let path = std::env::temp_dir().join(format!("weir-instructions-{}", std::process::id()));
    let rt = Rt::real();
    // Valgrind does not know io_uring.
    let disk = RealDisk::open(&path, Backend::Threads, |m| eprintln!("{m}"))?;
    let db = rt.block_on(Db::open(&rt, Arc::new(disk), Default::default()))?;
    rt.block_on(db.create_schema(SchemaDef { name: "test".into(), extra: Vec::new() }))?;
    let t = rt.block_on(db.create_table(table("test", &["id", "k", "n"], &[1])))?;
    rt.block_on(async {
        let mut txn = db.begin(TxnOptions::default());
        for id in 0..ROWS {
            txn.insert(&t, &row(&t, id, 0)).await?;
        }
        txn.commit(Durability::Lazy).await
    })?;
    measured_select(&rt, &db, &t, n)?;
    measured_locking_read(&rt, &db, &t, n)?;
    measured_update(&rt, &db, &t, n)?;
    measured_insert(&rt, &db, &t, n)?;
    measured_scan(&rt, &db, &t, n)?;
    drop(t);
    rt.block_on(db.shutdown())?;
    std::fs::remove_dir_all(&path)?;
    Ok(())
}
