//! Tables with so many partitions that what a statement notes of each would not fit into a page, and partitions that change places with
//! tables.
use crate::common::*;
use std::sync::Arc;
use weir_disk::sim::SimDisk;
use weir_engine::row::KeyPart;
use weir_engine::*;
use weir_rt::Interrupt;
use weir_rt::sim::SimRt;

const MANY: usize = 1200;

/// What ADD INDEX takes out of the dictionary for all partitions at once goes through the log as one change.
fn roomy() -> Options {
    Options { log_buffer: 1 << 20, buffer_pool: 512 * 4096, ..options(16 << 20) }
}

async fn insert(db: &Db, t: &Arc<Table>, ids: std::ops::Range<i64>) {
    let mut txn = db.begin(TxnOptions::default());
    for id in ids {
        let row = Row { k: id, u: Some(id), body: vec![b'r'; 100] };
        txn.insert(t, &encode(t, id, &row)).await.unwrap();
    }
    txn.commit(Durability::Lazy).await.unwrap();
}

#[test]
fn indexes_of_many_partitions_come_and_go() {
    let sim = SimRt::new(1);
    let disk = SimDisk::new(sim.rt(), 1);
    sim.run(async {
        let db = open(&sim.rt(), &disk, roomy()).await.unwrap();
        db.create_schema(schema()).await.unwrap();
        let mut new = NewTable { parts: MANY, ..new_table("t") };
        new.indexes.truncate(2);
        let t = db.create_table(new).await.unwrap();
        insert(&db, &t.parts[MANY - 1], 0..20).await;
        let added = IndexDef { name: "x".into(), unique: false, parts: vec![KeyPart::asc(2)] };
        let t = db.add_indexes(&t, &[added], Vec::new(), &ddl()).await.unwrap();
        let t = db.alter_extra(&t, vec![7; 100], &ddl()).await.unwrap();
        assert!(t.parts.iter().all(|p| p.indexes.len() == 3));
        let names = ["k".to_string(), "x".to_string()];
        let t = db.drop_indexes(&t, &names, Vec::new(), &ddl()).await.unwrap();
        assert!(t.parts.iter().all(|p| p.indexes.len() == 1));
        db.shutdown().await.unwrap();
        let db = open(&sim.rt(), &disk, roomy()).await.unwrap();
        let t = db.table("test", "t").unwrap();
        assert_eq!(t.parts.len(), MANY);
        let mut txn = db.begin(TxnOptions::default());
        assert_eq!(scan(&mut txn, &t.parts[MANY - 1], spec(0)).await.unwrap().len(), 20);
        txn.rollback().await.unwrap();
        db.shutdown().await.unwrap();
    })
    .unwrap();
}

/// What could not be written down at the end is refused before the rows are read.
#[test]
fn indexes_that_do_not_fit_the_log_are_not_begun() {
    let sim = SimRt::new(1);
    let disk = SimDisk::new(sim.rt(), 1);
    sim.run(async {
        let small = Options { log_buffer: 64 << 10, ..roomy() };
        let db = open(&sim.rt(), &disk, small).await.unwrap();
        db.create_schema(schema()).await.unwrap();
        let mut new = NewTable { parts: MANY, ..new_table("t") };
        new.indexes.truncate(1);
        let t = db.create_table(new).await.unwrap();
        insert(&db, &t.parts[0], 0..20).await;
        // Its rows are not unique: it would be found out if they were read.
        let of = |name: &str| IndexDef {
            name: name.into(),
            unique: true,
            parts: vec![KeyPart { prefix: Some(4), ..KeyPart::asc(3) }],
        };
        let done = db.add_indexes(&t, &[of("x"), of("y")], Vec::new(), &ddl()).await;
        let Err(Error::Unsupported(text)) = done else { panic!("begun") };
        assert!(text.contains("innodb_log_buffer_size"), "{text}");
        let t = db.table("test", "t").unwrap();
        assert_eq!(t.def.indexes.len(), 1);
        db.shutdown().await.unwrap();
        let db = open(&sim.rt(), &disk, roomy()).await.unwrap();
        let t = db.table("test", "t").unwrap();
        let done = db.add_indexes(&t, &[of("x")], Vec::new(), &ddl()).await;
        assert!(matches!(done, Err(Error::DuplicateKey { .. })));
        db.shutdown().await.unwrap();
    })
    .unwrap();
}

#[test]
fn making_many_partitions_can_be_stopped() {
    let sim = SimRt::new(1);
    let disk = SimDisk::new(sim.rt(), 1);
    sim.run(async {
        let db = open(&sim.rt(), &disk, options(2 << 20)).await.unwrap();
        db.create_schema(schema()).await.unwrap();
        let d = ddl();
        d.interrupt.kill(1);
        let new = NewTable { parts: 8, ..new_table("t") };
        let done = db.create_table_beside(new, &d).await;
        assert!(matches!(done, Err(Error::Interrupted)));
        assert!(db.table("test", "t").is_none());
        db.shutdown().await.unwrap();
    })
    .unwrap();
}

/// The rows would be read by the order of another index.
#[test]
fn no_exchange_between_other_clustered_indexes() {
    let sim = SimRt::new(1);
    let disk = SimDisk::new(sim.rt(), 1);
    sim.run(async {
        let db = open(&sim.rt(), &disk, options(2 << 20)).await.unwrap();
        db.create_schema(schema()).await.unwrap();
        let t = db.create_table(NewTable { parts: 2, ..new_table("t") }).await.unwrap();
        let mut turned = new_table("o");
        turned.indexes.swap(0, 2);
        let o = db.create_table(turned).await.unwrap();
        assert!(matches!(db.exchange_part(&t, 0, &o, &ddl()).await, Err(Error::Owner(_))));
        let mut other_order = new_table("p");
        other_order.indexes.swap(1, 3);
        let p = db.create_table(other_order).await.unwrap();
        insert(&db, &p, 0..30).await;
        insert(&db, &t.parts[0], 100..110).await;
        db.exchange_part(&t, 0, &p, &ddl()).await.unwrap();
        for name in ["t", "o", "p"] {
            let t = db.table("test", name).unwrap();
            let wrong = db.check_table(&t, &Interrupt::new()).await.unwrap();
            assert_eq!(wrong, Vec::<String>::new(), "{name}");
        }
        let mut txn = db.begin(TxnOptions::default());
        let t = db.table("test", "t").unwrap();
        assert_eq!(scan(&mut txn, &t.parts[0], spec(0)).await.unwrap().len(), 30);
        txn.rollback().await.unwrap();
        db.shutdown().await.unwrap();
    })
    .unwrap();
}

/// A start that knows nothing of the partitions' rows, and finds some of the files damaged.
#[test]
fn damaged_partitions_take_no_turns_of_others() {
    let sim = SimRt::new(1);
    let disk = SimDisk::new(sim.rt(), 1);
    let damaged = |at: usize| at.is_multiple_of(5);
    let files = sim
        .run(async {
            let db = open(&sim.rt(), &disk, options(2 << 20)).await.unwrap();
            db.create_schema(schema()).await.unwrap();
            let t = db.create_table(NewTable { parts: 40, ..new_table("t") }).await.unwrap();
            insert(&db, &t.parts[1], 0..20).await;
            db.shutdown().await.unwrap();
            t.parts.iter().map(|p| p.space_file().to_owned()).collect::<Vec<_>>()
        })
        .unwrap();
    sim.kill_all();
    for file in files.iter().enumerate().filter(|(at, _)| damaged(*at)).map(|(_, f)| f) {
        disk.set_content(file, Vec::new());
    }
    disk.set_content("doublewrite.weir", vec![0; 4096]);
    let sim = SimRt::new(2);
    let disk = disk.reopen(sim.rt(), 2);
    sim.run(async {
        let db = open(&sim.rt(), &disk, options(2 << 20)).await.unwrap();
        let t = db.table("test", "t").unwrap();
        let known = |at: &usize| {
            t.parts[*at].sampled_rows.load(std::sync::atomic::Ordering::Relaxed) != u64::MAX
        };
        assert!(db.refresh_statistics(&t).await.is_err(), "the first partition is damaged");
        let first = (0..40).filter(known).count();
        assert!((1..=16).contains(&first), "{first}");
        for _ in 0..2 {
            let _ = db.refresh_statistics(&t).await;
        }
        let unknown: Vec<usize> = (0..40).filter(|at| !known(at)).collect();
        assert!(unknown.iter().all(|at| damaged(*at)), "{unknown:?}");
        // Nothing is left to be looked at: those that cannot be used are not asked again.
        db.refresh_statistics(&t).await.unwrap();
        assert_eq!(t.parts[1].estimated_rows(), 20);
        db.shutdown().await.unwrap();
    })
    .unwrap();
}
