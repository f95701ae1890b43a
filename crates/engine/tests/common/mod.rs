//! A table, its rows as plain values, and an engine on a simulated device. Shared by the black-box tests.
#![allow(dead_code)]

pub mod load;

use std::collections::BTreeMap;
use std::sync::Arc;
use weir_disk::sim::SimDisk;
use weir_engine::row::{
    Collation, Datum, DatumBuf, KeyPart, KeyPartType, PhysCol, PhysType, RowBuilder, RowView,
    encode_datum,
};
use weir_engine::*;
use weir_rt::{Rng, Rt};

/// `t (id BIGINT PRIMARY KEY, k INT, u BIGINT NULL UNIQUE, body VARBINARY, KEY (k), KEY (body(20), k))`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub k: i64,
    pub u: Option<i64>,
    pub body: Vec<u8>,
}

pub type Rows = BTreeMap<i64, Row>;

pub const INT8: PhysType = PhysType::Int { bytes: 8, unsigned: false };
const INT4: PhysType = PhysType::Int { bytes: 4, unsigned: false };
pub const BODY: PhysType = PhysType::Var { collation: Collation::Binary, max_bytes: 1 << 20 };

pub fn new_table(name: &str) -> NewTable {
    let col = |name: &str, ty: PhysType, nullable: bool| ColumnDef {
        name: name.into(),
        phys: PhysCol::new(ty, nullable),
        default: if nullable { DatumBuf::Null } else { ty.zero() },
    };
    let index = |name: &str, unique: bool, parts: Vec<KeyPart>| IndexDef {
        name: name.into(),
        unique,
        parts,
    };
    NewTable {
        schema: "test".into(),
        name: name.into(),
        columns: vec![
            col("id", INT8, false),
            col("k", INT4, false),
            col("u", INT8, true),
            col("body", BODY, false),
        ],
        indexes: vec![
            index("PRIMARY", true, vec![KeyPart::asc(0)]),
            index("k", false, vec![KeyPart::asc(1)]),
            index("u", true, vec![KeyPart::asc(2)]),
            index(
                "b",
                false,
                vec![KeyPart { prefix: Some(20), ..KeyPart::asc(3) }, KeyPart::asc(1)],
            ),
        ],
        auto_increment: None,
        auto_increment_start: 1,
        parts: 0,
        form: Default::default(),
        extra: b"extra".to_vec(),
    }
}

pub fn key(id: i64) -> Vec<u8> {
    let mut k = Vec::new();
    encode_datum(&KeyPartType::asc(INT8, false), Datum::Int(id), &mut k).expect("an integer fits");
    k
}

pub fn encode(t: &Table, id: i64, r: &Row) -> Vec<u8> {
    let mut b = RowBuilder::new(&t.layout);
    b.push(Datum::Int(id))
        .push(Datum::Int(r.k))
        .push(r.u.map_or(Datum::Null, Datum::Int))
        .push(Datum::Bytes(&r.body));
    let mut out = Vec::new();
    b.finish_into(&mut out).expect("a row of the table's columns");
    out
}

pub fn decode(t: &Table, bytes: &[u8]) -> (i64, Row) {
    let v = RowView::new(&t.layout, bytes);
    let int = |i| v.get(i).as_i64();
    let row = Row { k: int(1).unwrap(), u: int(2), body: v.get(3).as_bytes().unwrap().to_vec() };
    (int(0).unwrap(), row)
}

pub fn spec(index: usize) -> ScanSpec {
    ScanSpec {
        index,
        start: Vec::new(),
        end: None,
        reverse: false,
        lock: LockMode::None,
        on_locked: OnLocked::Wait,
        unique_eq: false,
        expect: 0,
        fetch_external: true,
        rows_only: false,
        index_only: None,
    }
}

/// All rows by one index, in its order.
pub async fn scan(txn: &mut Txn, t: &Arc<Table>, s: ScanSpec) -> Result<Vec<(i64, Row)>> {
    let mut c = txn.scan(t, s);
    let mut out = Vec::new();
    while c.next(txn).await? {
        out.push(decode(t, c.row()));
    }
    Ok(out)
}

pub fn random_row(rng: &mut Rng, unique: Option<i64>) -> Row {
    let len = match rng.below(20) {
        0 => 3000 + rng.below(9000),
        1..=4 => 200 + rng.below(900),
        _ => rng.below(60),
    };
    let body = (0..len).map(|_| b'a' + rng.below(4) as u8).collect();
    Row { k: rng.below(12) as i64, u: unique, body }
}

pub fn options(redo: u64) -> Options {
    Options {
        page_size: 4096,
        buffer_pool: 48 * 4096,
        redo_capacity: redo,
        log_buffer: 128 << 10,
        fatal: Arc::new(|e| panic!("the engine gave up: {e}")),
        log: Arc::new(|m| {
            if std::env::var_os("WEIR_TEST_LOG").is_some() {
                eprintln!("  engine: {m}");
            }
        }),
        ..Options::default()
    }
}

pub async fn open(rt: &Rt, disk: &SimDisk, o: Options) -> Result<Db> {
    Db::open(rt, Arc::new(disk.clone()), o).await
}

pub fn schema() -> SchemaDef {
    SchemaDef { name: "test".into(), extra: Vec::new() }
}

pub fn ddl() -> DdlContext {
    DdlContext {
        lock_timeout: std::time::Duration::from_secs(5),
        interrupt: Arc::new(weir_rt::Interrupt::new()),
        ..DdlContext::default()
    }
}

/// Plants the bug that the environment names, for anyone who asks which tests find it: `WEIR_PLANT=bug`, `--features planted`.
pub fn plant() {
    #[cfg(feature = "planted")]
    planted::plant_named();
}

/// Makes what a statement has logged durable whenever it waits, as commits of others would: the crash finds it half done.
pub async fn sync_always(db: Db, rt: Rt) {
    while db.inner().core.log.flush_all(log::Reach::Durable).await.is_ok() {
        rt.sleep(std::time::Duration::from_micros(50)).await;
    }
}
