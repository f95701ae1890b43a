//! Locking scans of a secondary index meet entries that another transaction has changed and not committed: marked, unmarked
//! again, new, moved away and back, of a row deleted and inserted again. They wait until it is known what is there.
use crate::common::*;
use std::sync::Arc;
use std::time::Duration;
use weir_disk::sim::SimDisk;
use weir_engine::*;
use weir_rt::sim::SimRt;

/// Position of the index on `k`.
const K: usize = 1;

#[derive(Clone, Copy, Debug)]
enum Step {
    Insert(i64, i64),
    /// A row gets this `k`.
    Move(i64, i64),
    Delete(i64),
    BackToSavepoint,
}
use Step::*;

/// Id and `k`.
type Pair = (i64, i64);

async fn step(txn: &mut Txn, t: &Arc<Table>, s: Step, save: Savepoint) {
    let row = |k| Row { k, u: None, body: vec![b'x'; 30] };
    let mut found = RowBuf::default();
    match s {
        Insert(id, k) => txn.insert(t, &encode(t, id, &row(k))).await.unwrap(),
        Move(id, _) | Delete(id) => {
            let exclusive = LockMode::Exclusive;
            assert!(txn.get(t, 0, &key(id), exclusive, OnLocked::Wait, &mut found).await.unwrap());
            match s {
                Move(_, k) => {
                    txn.update(t, &key(id), &found.row, &encode(t, id, &row(k))).await.unwrap();
                }
                _ => txn.delete(t, &key(id), &found.row).await.unwrap(),
            }
        }
        BackToSavepoint => txn.rollback_to(save).await.unwrap(),
    }
}

/// The rows by the index on `k`, read with shared locks by somebody who does not wait long.
async fn locked(db: &Db, t: &Arc<Table>, isolation: Isolation, reverse: bool) -> Option<Vec<Pair>> {
    let lock_timeout = Duration::from_millis(50);
    let mut txn = db.begin(TxnOptions { isolation, lock_timeout, ..TxnOptions::default() });
    let s = ScanSpec { lock: LockMode::Shared, reverse, ..spec(K) };
    let rows = match scan(&mut txn, t, s).await {
        Ok(rows) => Some(rows.iter().map(|(id, r)| (*id, r.k)).collect()),
        Err(Error::LockWaitTimeout) => None,
        Err(e) => panic!("{e}"),
    };
    txn.rollback().await.unwrap();
    rows
}

#[test]
fn a_locking_scan_passes_no_entry_that_another_transaction_has_changed() {
    let before = [(1, 10), (2, 20), (3, 30)];
    let cases: &[(&[Step], &[Pair])] = &[
        (&[Delete(2)], &[(1, 10), (3, 30)]),
        (&[Insert(4, 25)], &[(1, 10), (2, 20), (4, 25), (3, 30)]),
        (&[Move(2, 5)], &[(2, 5), (1, 10), (3, 30)]),
        (&[Move(2, 40)], &[(1, 10), (3, 30), (2, 40)]),
        (&[Move(2, 40), Move(2, 20)], &before),
        (&[Delete(2), Insert(2, 20)], &before),
        (&[Delete(2), Insert(2, 40)], &[(1, 10), (3, 30), (2, 40)]),
        (&[Delete(2), Insert(2, 40), Move(2, 20)], &before),
        (&[Delete(2), Insert(2, 40), Delete(2)], &[(1, 10), (3, 30)]),
        (&[Move(1, 40), Delete(2), BackToSavepoint, Delete(3)], &[(1, 10), (2, 20)]),
        (&[Delete(2), BackToSavepoint], &before),
        (&[Insert(4, 25), Delete(4)], &before),
    ];
    let sim = SimRt::new(3);
    let disk = SimDisk::new(sim.rt(), 3);
    sim.run(async {
        let db = open(&sim.rt(), &disk, options(2 << 20)).await.unwrap();
        db.create_schema(schema()).await.unwrap();
        for (no, (steps, after)) in cases.iter().enumerate() {
            for isolation in [Isolation::ReadCommitted, Isolation::RepeatableRead] {
                for (reverse, commit) in
                    [(false, true), (false, false), (true, true), (true, false)]
                {
                    let case = format!("{steps:?}, {isolation:?}, {reverse}, {commit}");
                    let name = format!("t{no}{}{reverse}{commit}", isolation as u8);
                    let t = db.create_table(new_table(&name)).await.unwrap();
                    let mut txn = db.begin(TxnOptions::default());
                    let save = txn.savepoint();
                    for (id, k) in before {
                        step(&mut txn, &t, Insert(id, k), save).await;
                    }
                    txn.commit(Durability::Lazy).await.unwrap();
                    let mut writer = db.begin(TxnOptions::default());
                    let save = writer.savepoint();
                    for s in *steps {
                        step(&mut writer, &t, *s, save).await;
                    }
                    assert_eq!(locked(&db, &t, isolation, reverse).await, None, "{case}");
                    if commit {
                        writer.commit(Durability::Lazy).await.unwrap();
                    } else {
                        writer.rollback().await.unwrap();
                    }
                    let mut want = if commit { after.to_vec() } else { before.to_vec() };
                    if reverse {
                        want.reverse();
                    }
                    assert_eq!(locked(&db, &t, isolation, reverse).await, Some(want), "{case}");
                }
            }
        }
        db.shutdown().await.unwrap();
    })
    .unwrap();
}

/// A unique value that was found gone stays so, wherever its new row would stand beside the old one's entry.
#[test]
fn a_unique_value_that_a_locking_read_did_not_find_is_not_inserted() {
    let sim = SimRt::new(4);
    let disk = SimDisk::new(sim.rt(), 4);
    sim.run(async {
        let db = open(&sim.rt(), &disk, options(2 << 20)).await.unwrap();
        db.create_schema(schema()).await.unwrap();
        let t = db.create_table(new_table("t")).await.unwrap();
        let row = |k| Row { k, u: Some(15), body: vec![b'x'; 30] };
        let mut txn = db.begin(TxnOptions::default());
        txn.insert(&t, &encode(&t, 5, &row(1))).await.unwrap();
        txn.commit(Durability::Lazy).await.unwrap();
        // Keeps the deleted row's entry from being purged.
        let mut old = db.begin(TxnOptions::default());
        old.open_snapshot();
        let mut txn = db.begin(TxnOptions::default());
        let save = txn.savepoint();
        step(&mut txn, &t, Delete(5), save).await;
        txn.commit(Durability::Lazy).await.unwrap();
        let mut reader = db.begin(TxnOptions::default());
        let value = t.secondary_key(2, &encode(&t, 5, &row(1)), &[]).unwrap();
        let (mut found, shared) = (RowBuf::default(), LockMode::Shared);
        assert!(!reader.get(&t, 2, &value, shared, OnLocked::Wait, &mut found).await.unwrap());
        for id in [1, 5, 9] {
            let lock_timeout = Duration::from_millis(50);
            let mut other = db.begin(TxnOptions { lock_timeout, ..TxnOptions::default() });
            let r = other.insert(&t, &encode(&t, id, &row(2))).await;
            assert!(matches!(r, Err(Error::LockWaitTimeout)), "row {id}: {r:?}");
            other.rollback().await.unwrap();
        }
        reader.commit(Durability::Lazy).await.unwrap();
        old.commit(Durability::Lazy).await.unwrap();
        let mut other = db.begin(TxnOptions::default());
        other.insert(&t, &encode(&t, 1, &row(2))).await.unwrap();
        other.commit(Durability::Lazy).await.unwrap();
        db.shutdown().await.unwrap();
    })
    .unwrap();
}
