//! The engine in a program of one's own: a table of accounts, a transfer, a look at the sum.
//!
//!     cargo run --release -p weir-engine --example accounts
//!
//! Run it again: the accounts are still there.

use std::error::Error;
use weir_engine::blocking::Database;
use weir_engine::row::{
    Collation, Datum, DatumBuf, KeyPart, KeyPartType, PhysCol, PhysType, RowBuilder, RowView,
    encode_datum,
};
use weir_engine::{
    ColumnDef, Durability, IndexDef, LockMode, NewTable, OnLocked, RowBuf, ScanSpec, Table,
    TxnOptions,
};

const ID: PhysType = PhysType::Int { bytes: 8, unsigned: false };
const NAME: PhysType = PhysType::Var { collation: Collation::Utf8mb4GeneralCi, max_bytes: 200 };

fn column(name: &str, ty: PhysType) -> ColumnDef {
    ColumnDef { name: name.into(), phys: PhysCol::new(ty, false), default: DatumBuf::Int(0) }
}

fn accounts() -> NewTable {
    NewTable {
        schema: "bank".into(),
        name: "accounts".into(),
        columns: vec![
            column("id", ID),
            ColumnDef { default: DatumBuf::Bytes(Vec::new()), ..column("name", NAME) },
            column("balance", ID),
        ],
        indexes: vec![
            IndexDef { name: "PRIMARY".into(), unique: true, parts: vec![KeyPart::asc(0)] },
            IndexDef { name: "name".into(), unique: true, parts: vec![KeyPart::asc(1)] },
        ],
        auto_increment: None,
        auto_increment_start: 1,
        parts: 0,
        form: Default::default(),
        extra: Vec::new(),
    }
}

fn row(t: &Table, id: i64, name: &[u8], balance: i64) -> Vec<u8> {
    let mut out = Vec::new();
    let mut b = RowBuilder::new(&t.layout);
    b.push(Datum::Int(id)).push(Datum::Bytes(name)).push(Datum::Int(balance));
    b.finish_into(&mut out).expect("the values fit the columns");
    out
}

fn key(id: i64) -> Vec<u8> {
    let mut k = Vec::new();
    encode_datum(&KeyPartType::asc(ID, false), Datum::Int(id), &mut k).expect("an integer fits");
    k
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::temp_dir().join("weir-example-accounts");
    let db = Database::open(&path, Default::default())?;
    if db.table("bank", "accounts").is_none() {
        db.create_schema("bank")?;
        let t = db.create_table(accounts())?;
        let mut txn = db.begin(TxnOptions::default());
        for (id, name) in [(1, "Ada"), (2, "Grace"), (3, "Edsger")] {
            txn.insert(&t, &row(&t, id, name.as_bytes(), 100))?;
        }
        txn.commit(Durability::Flush)?;
    }
    let t = db.table("bank", "accounts").ok_or("the table was just made")?;

    // Ada pays Grace 10: both rows locked, both changed, durable when commit returns.
    let mut txn = db.begin(TxnOptions::default());
    for (id, amount) in [(1, -10), (2, 10)] {
        let mut found = RowBuf::default();
        if !txn.get(&t, 0, &key(id), LockMode::Exclusive, &mut found)? {
            return Err("an account is missing".into());
        }
        let v = RowView::new(&t.layout, &found.row);
        let name = v.get(1).as_bytes().unwrap_or_default().to_vec();
        let balance = v.get(2).as_i64().unwrap_or_default();
        let new = row(&t, id, &name, balance + amount);
        txn.update(&t, &found.key, &found.row, &new)?;
    }
    txn.commit(Durability::Flush)?;

    let mut txn = db.begin(TxnOptions::default());
    let by_name = ScanSpec {
        index: 1,
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
    };
    let mut sum = 0;
    txn.scan(&t, by_name, |_, bytes| {
        let v = RowView::new(&t.layout, bytes);
        let name = String::from_utf8_lossy(v.get(1).as_bytes().unwrap_or_default()).into_owned();
        let balance = v.get(2).as_i64().unwrap_or_default();
        println!("{name:<8} {balance:>6}");
        sum += balance;
        true
    })?;
    txn.commit(Durability::Lazy)?;
    println!("{:<8} {sum:>6}   in {}", "sum", path.display());
    db.close()?;
    Ok(())
}
