//! A rebuild copies every row once, whatever purge does to the old table meanwhile.
use crate::common::*;
use std::sync::Arc;
use std::time::{Duration, Instant};
use weir_disk::sim::SimDisk;
use weir_engine::*;
use weir_rt::Rt;

const ROWS: i64 = 64;

fn is_kept(id: i64) -> bool {
    id % 8 == 0
}

fn table(hidden: bool) -> NewTable {
    let mut new = new_table("t");
    new.indexes.truncate(2);
    if hidden {
        new.indexes[0].parts.clear();
    }
    new
}

/// A table whose leaves have one live row each among deleted ones, which `reader` still sees.
async fn thinned(db: &Db, hidden: bool) -> (Arc<Table>, Txn) {
    db.create_schema(schema()).await.unwrap();
    let t = db.create_table(table(hidden)).await.unwrap();
    let mut txn = db.begin(TxnOptions::default());
    for id in 0..ROWS {
        let row = Row { k: 0, u: None, body: vec![b'x'; 400] };
        txn.insert(&t, &encode(&t, id, &row)).await.unwrap();
    }
    txn.commit(Durability::Lazy).await.unwrap();
    let other = db.create_table(new_table("other")).await.unwrap();
    let mut reader = db.begin(TxnOptions::default());
    assert!(scan(&mut reader, &other, spec(0)).await.unwrap().is_empty());
    let mut txn = db.begin(TxnOptions::default());
    // From the end, as purge will do it: a leaf that becomes thin finds a thin one to its right.
    let backward = ScanSpec { lock: LockMode::Exclusive, reverse: true, ..spec(0) };
    let mut rows = txn.scan(&t, backward);
    while rows.next(&mut txn).await.unwrap() {
        if !is_kept(decode(&t, rows.row()).0) {
            let (key, row) = (rows.key().to_vec(), rows.row().to_vec());
            txn.delete(&t, &key, &row).await.unwrap();
        }
    }
    txn.commit(Durability::Lazy).await.unwrap();
    (t, reader)
}

/// Ends the reader and waits until purge has removed what was deleted, and merged the leaves that have become thin.
fn let_purge_have_it(rt: &Rt, db: &Db, reader: Txn) {
    let rt = rt.clone();
    let ended = std::thread::spawn(move || rt.block_on(reader.commit(Durability::Lazy)));
    ended.join().unwrap().unwrap();
    let patience = Instant::now() + Duration::from_secs(60);
    while db.inner().purge.history_length() > 0 {
        assert!(Instant::now() < patience, "purge does not come to an end");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn leaves_that_purge_merges_are_not_copied_twice() {
    plant();
    for hidden in [false, true] {
        let rt = Rt::real();
        let disk = SimDisk::new(rt.clone(), 1);
        rt.block_on(async {
            let db = open(&rt, &disk, options(4 << 20)).await.unwrap();
            let (t, reader) = thinned(&db, hidden).await;
            let mut reader = Some(reader);
            // The first leaf has been read when its first row comes here; the others have not.
            let mut copy = |row: row::RowView<'_>, out: &mut Vec<u8>| {
                if let Some(reader) = reader.take() {
                    let_purge_have_it(&rt, &db, reader);
                }
                out.extend_from_slice(row.bytes());
                Ok(0)
            };
            let new = db.rebuild_table(&t, table(hidden), &mut copy, &ddl()).await.unwrap();
            let mut txn = db.begin(TxnOptions::default());
            for index in 0..2 {
                let rows = scan(&mut txn, &new, spec(index)).await.unwrap();
                let ids: Vec<i64> = rows.into_iter().map(|(id, _)| id).collect();
                let kept: Vec<i64> = (0..ROWS).filter(|id| is_kept(*id)).collect();
                assert_eq!(ids, kept, "by index {index}, hidden key: {hidden}");
            }
            txn.commit(Durability::Lazy).await.unwrap();
            db.shutdown().await.unwrap();
        });
    }
}
