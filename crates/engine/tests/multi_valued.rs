//! An index over a list: a row has an entry for each element, no matter who changes, undoes, builds or purges.
use crate::common::*;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use weir_disk::sim::SimDisk;
use weir_engine::row::{Datum, KeyPart, KeyPartType, PhysType, encode_datum};
use weir_engine::*;
use weir_rt::sim::SimRt;
use weir_rt::{Interrupt, Rng, Rt};

const ROWS: u64 = 40;
const ELEMENTS: u64 = 60;
const INT4: PhysType = PhysType::Int { bytes: 4, unsigned: false };

fn run(seed: u64, f: impl AsyncFnOnce(SimDisk, Rt)) {
    plant();
    let sim = SimRt::new(seed);
    let (rt, disk) = (sim.rt(), SimDisk::new(sim.rt(), seed));
    sim.run(f(disk, rt)).map_err(|_| "stuck").unwrap();
}

/// `body` is the list.
fn indexes() -> Vec<IndexDef> {
    let list = KeyPart { elements: Some(INT4), ..KeyPart::asc(3) };
    let index = |name: &str, parts| IndexDef { name: name.into(), unique: false, parts };
    vec![
        index("l", vec![list]),
        index("kl", vec![KeyPart::asc(1), KeyPart { desc: true, ..list }, KeyPart::asc(2)]),
    ]
}

fn element(n: i64) -> Vec<u8> {
    let mut out = Vec::new();
    encode_datum(&KeyPartType::asc(INT4, true), Datum::Int(n), &mut out).unwrap();
    out
}

fn list(of: &BTreeSet<i64>) -> Vec<u8> {
    of.iter().flat_map(|n| element(*n)).collect()
}

/// Short lists, empty ones, and some that are longer than a page or make more entries obsolete than an undo record has room for.
fn random(rng: &mut Rng) -> Row {
    let n = match rng.below(12) {
        0 => 0,
        1 => 300 + rng.below(600),
        _ => rng.below(6),
    };
    let most = if n > 100 { 5000 } else { ELEMENTS };
    let elements: BTreeSet<i64> = (0..n).map(|_| rng.below(most) as i64).collect();
    Row { k: rng.below(3) as i64, u: None, body: list(&elements) }
}

async fn write(db: &Db, rng: &mut Rng) -> Result<()> {
    let Some(t) = db.table("test", "t") else { return Ok(()) };
    let mut txn = db.begin(TxnOptions {
        lock_timeout: Duration::from_millis(20),
        mdl_timeout: Duration::from_secs(10),
        ..TxnOptions::default()
    });
    let mut back = None;
    for _ in 0..1 + rng.below(4) {
        txn.begin_statement();
        if rng.chance(0.2) {
            back = Some(txn.savepoint());
        }
        let id = rng.below(ROWS) as i64;
        txn.use_table(&t, true).await?;
        let row = encode(&t, id, &random(rng));
        let s = ScanSpec { start: key(id), lock: LockMode::Exclusive, unique_eq: true, ..spec(0) };
        let mut cursor = txn.scan(&t, s);
        let found = cursor.next(&mut txn).await?.then(|| cursor.row().to_vec());
        match found.filter(|row| decode(&t, row).0 == id) {
            None => txn.insert(&t, &row).await?,
            Some(old) if rng.chance(0.3) => txn.delete(&t, &key(id), &old).await?,
            Some(old) => txn.update(&t, &key(id), &old, &row).await?,
        }
        if let (Some(to), true) = (back, rng.chance(0.3)) {
            txn.rollback_to(to).await?;
            back = None;
        }
        db.rt().sleep(Duration::from_micros(rng.below(300))).await;
    }
    match rng.chance(0.6) {
        true => txn.commit(Durability::Lazy).await,
        false => txn.rollback().await,
    }
}

async fn is_whole(db: &Db) {
    let t = db.table("test", "t").unwrap();
    assert_eq!(db.check_table(&t, &Interrupt::new()).await.unwrap(), Vec::<String>::new());
}

/// What a reader finds by each element is what the rows that it sees have in them, no matter who writes meanwhile.
async fn finds_what_it_sees(db: &Db, rng: &mut Rng) {
    let t = db.table("test", "t").unwrap();
    let Some(index) = t.def.indexes.iter().position(|i| i.name == "l") else { return };
    let mut txn = db.begin(TxnOptions::default());
    let rows = scan(&mut txn, &t, spec(0)).await.unwrap();
    db.rt().sleep(Duration::from_micros(rng.below(2000))).await;
    let mut want: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for (id, row) in &rows {
        for n in 0..ELEMENTS as i64 {
            if row.body.chunks(5).any(|e| e == element(n)) {
                want.entry(n).or_default().push(*id);
            }
        }
    }
    for n in 0..ELEMENTS as i64 {
        let (start, end) = (element(n), Some(element(n + 1)));
        let found = scan(&mut txn, &t, ScanSpec { start, end, ..spec(index) }).await.unwrap();
        let found: Vec<i64> = found.into_iter().map(|(id, _)| id).collect();
        assert_eq!(found, want.remove(&n).unwrap_or_default(), "element {n}");
    }
    txn.rollback().await.unwrap();
}

#[test]
fn each_element_has_an_entry() {
    for seed in 0..6 {
        run(seed, async |disk, rt| {
            let o = Options { sort_bytes: 5000, ..options(8 << 20) };
            let db = open(&rt, &disk, o.clone()).await.unwrap();
            db.create_schema(schema()).await.unwrap();
            let mut new = new_table("t");
            new.indexes.truncate(1);
            if seed % 2 == 0 {
                new.indexes.extend(indexes());
            }
            let mut t = db.create_table(new).await.unwrap();
            let writer = |n: u64| {
                let (db, mut rng) = (db.clone(), Rng::new(seed * 10 + n));
                rt.spawn("test", async move {
                    for _ in 0..120 {
                        match write(&db, &mut rng).await {
                            Ok(())
                            | Err(
                                Error::LockWaitTimeout
                                | Error::Deadlock
                                | Error::TableChanged { .. },
                            ) => {}
                            Err(e) => panic!("a writer: {e}"),
                        }
                    }
                })
            };
            let all: Vec<_> = (0..3).map(writer).collect();
            let mut rng = Rng::new(seed);
            for _ in 0..4 {
                rt.sleep(Duration::from_millis(4)).await;
                if seed % 2 == 1 {
                    t = db.add_indexes(&t, &indexes(), Vec::new(), &ddl()).await.unwrap();
                }
                finds_what_it_sees(&db, &mut rng).await;
                is_whole(&db).await;
                if seed % 2 == 1 {
                    let names = ["l".to_string(), "kl".to_string()];
                    t = db.drop_indexes(&t, &names, Vec::new(), &ddl()).await.unwrap();
                }
            }
            for w in all {
                w.await;
            }
            if seed % 2 == 1 {
                db.add_indexes(&t, &indexes(), Vec::new(), &ddl()).await.unwrap();
            }
            finds_what_it_sees(&db, &mut rng).await;
            is_whole(&db).await;
            db.shutdown().await.unwrap();
            let db = open(&rt, &disk, o).await.unwrap();
            is_whole(&db).await;
            finds_what_it_sees(&db, &mut rng).await;
            db.shutdown().await.unwrap();
        });
    }
}
