//! More transactions that write at the same time than one page of the undo space's directory can list, up to the limit.
use crate::common::*;
use std::sync::Arc;
use weir_disk::sim::SimDisk;
use weir_engine::*;
use weir_rt::sim::SimRt;

fn of_pages(page_size: usize) -> Options {
    let buffer_pool = 48 * page_size as u64;
    Options { page_size, buffer_pool, ..options(16 << 20) }
}

async fn insert(db: &Db, t: &Arc<Table>, id: i64) -> Result<Txn> {
    let mut txn = db.begin(TxnOptions::default());
    let row = Row { k: 1, u: None, body: vec![1] };
    txn.insert(t, &encode(t, id, &row)).await?;
    Ok(txn)
}

/// So many transactions insert a row each before the first one ends; every other one commits, the rest is cut off by a crash and
/// rolled back by the next start.
fn open_at_once(writers: i64, page_size: usize) {
    let sim = SimRt::new(1);
    let rt = sim.rt();
    let disk = SimDisk::new(rt.clone(), 1);
    let device = disk.clone();
    let done = sim.run(async move {
        let db = Db::open(&rt, Arc::new(device), of_pages(page_size)).await.unwrap();
        db.create_schema(schema()).await.unwrap();
        let t = db.create_table(new_table("t")).await.unwrap();
        let mut open = Vec::new();
        for id in 0..writers {
            open.push(insert(&db, &t, id).await.unwrap());
        }
        let mut cut_off = Vec::new();
        for (id, txn) in open.into_iter().enumerate() {
            if id % 2 == 0 {
                txn.commit(Durability::Lazy).await.unwrap();
            } else {
                cut_off.push(txn);
            }
        }
        insert(&db, &t, writers).await.unwrap().commit(Durability::Flush).await.unwrap();
        std::mem::forget(cut_off);
    });
    done.map_err(|_| "stuck").unwrap();
    let sim = SimRt::new(2);
    let rt = sim.rt();
    let disk = disk.crash(rt.clone(), 2);
    let rows = sim.run(async move {
        let db = Db::open(&rt, Arc::new(disk), of_pages(page_size)).await.unwrap();
        let t = db.table("test", "t").unwrap();
        let mut txn = db.begin(TxnOptions::default());
        let rows = scan(&mut txn, &t, spec(0)).await.unwrap().len() as i64;
        txn.commit(Durability::Lazy).await.unwrap();
        // Waits until the others are rolled back.
        let damage = db.check_table(&t, &weir_rt::Interrupt::new()).await.unwrap();
        assert_eq!(damage, Vec::<String>::new());
        db.shutdown().await.unwrap();
        rows
    });
    assert_eq!(rows.map_err(|_| "stuck").unwrap(), writers / 2 + 1);
}

/// A page of 4 KiB lists 1,015 slots: these need three.
#[test]
fn thousands_write_at_once_and_are_taken_back() {
    open_at_once(2_100, 4096);
}

#[test]
fn twenty_thousand_write_at_once_with_small_pages() {
    open_at_once(20_000, 4096);
}

#[test]
fn twenty_thousand_write_at_once_with_pages_of_16_kib() {
    open_at_once(20_000, 16384);
}

/// The one beyond the limit gets the limit's error and nothing else happens to it; the others go on, and make room.
#[test]
fn the_limit_is_told() {
    let sim = SimRt::new(1);
    let rt = sim.rt();
    let disk = SimDisk::new(rt.clone(), 1);
    sim.run(async move {
        let db = Db::open(&rt, Arc::new(disk), of_pages(4096)).await.unwrap();
        db.create_schema(schema()).await.unwrap();
        let t = db.create_table(new_table("t")).await.unwrap();
        let mut open = Vec::new();
        let told = loop {
            match insert(&db, &t, open.len() as i64).await {
                Ok(txn) => open.push(txn),
                Err(e) => break e,
            }
        };
        assert!(matches!(told, Error::TooManyTransactions { max: 32_000 }), "{told:?}");
        assert!(told.to_string().contains("32000"), "{told}");
        assert_eq!(open.len(), 32_000);
        open.pop().unwrap().commit(Durability::Lazy).await.unwrap();
        insert(&db, &t, 40_000).await.unwrap().commit(Durability::Lazy).await.unwrap();
        for txn in open {
            txn.commit(Durability::Lazy).await.unwrap();
        }
        assert_eq!(
            scan(&mut db.begin(TxnOptions::default()), &t, spec(0)).await.unwrap().len(),
            32_001
        );
        db.shutdown().await.unwrap();
    })
    .map_err(|_| "stuck")
    .unwrap();
}
