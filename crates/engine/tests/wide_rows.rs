//! Rows whose columns cannot leave the page, of any length up to the longest there is: inserted, grown, shrunk, deleted, rolled back,
//! purged and cut off by crashes, in pages of all sizes and in both forms of rows, against a map.
use crate::common::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use weir_disk::sim::SimDisk;
use weir_engine::page::slotted;
use weir_engine::row::{
    Collation, Datum, DatumBuf, KeyPart, PhysCol, PhysType, RowBuilder, RowForm, RowView,
};
use weir_engine::*;
use weir_rt::Rng;
use weir_rt::sim::SimRt;

/// Bytes of a text in a column: too few for it to be moved to a page of its own.
const PIECE: usize = 40;
/// Bytes of a column of fixed width: a length, and a piece of a text.
const WIDTH: usize = 8;
/// Bytes of a cell beside its key and its row: slot, head, version header.
const BESIDE: usize = 6 + 4 + 14;

type Texts = BTreeMap<i64, Vec<u8>>;

/// `t (id BIGINT PRIMARY KEY, c0 VARBINARY(40), c1 ..., KEY (c1(6)))`, with more columns than fit; where rows are sparse, the columns are
/// `BINARY(8) NULL` and the index is over a whole one.
fn pieces(page_size: usize, form: RowForm) -> NewTable {
    let sparse = form == RowForm::Sparse;
    let ty = match sparse {
        true => PhysType::Fixed { len: WIDTH as u16 },
        false => PhysType::Var { collation: Collation::Binary, max_bytes: PIECE as u32 },
    };
    let col = |name: String, ty: PhysType, nullable: bool| ColumnDef {
        name,
        phys: PhysCol::new(ty, nullable),
        default: if nullable { DatumBuf::Null } else { ty.zero() },
    };
    let n = slotted::max_cell(page_size) / if sparse { WIDTH } else { PIECE + 2 } + 2;
    let mut new = NewTable { form, ..new_table("t") };
    new.columns = vec![col("id".into(), INT8, false)];
    new.columns.extend((0..n).map(|i| col(format!("c{i}"), ty, sparse)));
    new.indexes.truncate(2);
    let prefix = if sparse { None } else { Some(6) };
    new.indexes[1].parts = vec![KeyPart { prefix, ..KeyPart::asc(2) }];
    new
}

/// A row with a text that is spread over its columns.
fn row_of(t: &Table, id: i64, text: &[u8]) -> Vec<u8> {
    let sparse = t.def.form == RowForm::Sparse;
    let with_length = |c: &[u8]| [&[c.len() as u8], c, &[0; WIDTH - 1][c.len()..]].concat();
    let pieces: Vec<Vec<u8>> = match sparse {
        true => text.chunks(WIDTH - 1).map(with_length).collect(),
        false => text.chunks(PIECE).map(<[u8]>::to_vec).collect(),
    };
    let mut b = RowBuilder::new(&t.layout);
    b.push(Datum::Int(id));
    for i in 1..t.layout.len() {
        b.push(match pieces.get(i - 1) {
            Some(p) => Datum::Bytes(p),
            None if sparse => Datum::Null,
            None => Datum::Bytes(b""),
        });
    }
    let mut out = Vec::new();
    b.finish_into(&mut out).unwrap();
    out
}

fn text_of(t: &Table, row: &[u8]) -> (i64, Vec<u8>) {
    let v = RowView::new(&t.layout, row);
    let piece = |i| {
        let b = v.get(i).as_bytes().unwrap_or_default();
        match t.def.form {
            RowForm::Sparse if !b.is_empty() => b[1..=b[0] as usize].to_vec(),
            _ => b.to_vec(),
        }
    };
    (v.get(0).as_i64().unwrap(), (1..t.layout.len()).flat_map(piece).collect())
}

/// Bytes that a text may have in its row.
fn longest(t: &Table, page_size: usize) -> usize {
    let room = slotted::max_cell(page_size) - BESIDE - key(1).len() - row_of(t, 1, b"").len();
    if t.def.form == RowForm::Sparse { room / WIDTH * (WIDTH - 1) } else { room }
}

/// Lengths around those that matter: none, what two rows of a page have, the longest, one more.
fn some_text(rng: &mut Rng, longest: usize) -> Vec<u8> {
    let len = match rng.below(10) {
        0..=2 => rng.below(30),
        3 => longest as u64 - rng.below(3),
        4 => longest as u64 + 1,
        5..=6 => longest as u64 * 3 / 4 + rng.below(40),
        _ => rng.below(longest as u64 + 1),
    };
    let byte = b'a' + rng.below(4) as u8;
    (0..len).map(|i| if i % 9 == 0 { b'a' + rng.below(20) as u8 } else { byte }).collect()
}

async fn check(db: &Db, texts: &Texts) {
    let t = db.table("test", "t").unwrap();
    let mut txn = db.begin(TxnOptions::default());
    for index in 0..2 {
        let mut found = Texts::new();
        let mut c = txn.scan(&t, spec(index));
        while c.next(&mut txn).await.unwrap() {
            let (id, text) = text_of(&t, c.row());
            assert!(found.insert(id, text).is_none(), "a row twice");
        }
        assert!(found == *texts, "index {index} has other rows");
    }
    txn.commit(Durability::Lazy).await.unwrap();
    let bad = db.check_table(&t, &weir_rt::Interrupt::new()).await.unwrap();
    assert!(bad.is_empty(), "{bad:#?}");
}

/// One statement; what it left in `now`.
async fn one(txn: &mut Txn, t: &Arc<Table>, now: &mut Texts, rng: &mut Rng, longest: usize) {
    let (id, save) = (rng.below(40) as i64, txn.begin_statement());
    let text = some_text(rng, longest);
    let mut buf = RowBuf::default();
    let there =
        txn.get(t, 0, &key(id), LockMode::Exclusive, OnLocked::Wait, &mut buf).await.unwrap();
    assert_eq!(there.then(|| text_of(t, &buf.row).1), now.get(&id).cloned());
    let before = now.clone();
    if there && rng.chance(0.3) {
        txn.delete(t, &buf.key, &buf.row).await.unwrap();
        now.remove(&id);
    } else {
        let row = row_of(t, id, &text);
        let done = match there {
            true => txn.update(t, &buf.key, &buf.row, &row).await,
            false => txn.insert(t, &row).await,
        };
        match done {
            Ok(()) => {
                assert!(text.len() <= longest, "{} bytes", text.len());
                now.insert(id, text);
            }
            Err(Error::RowTooLarge { .. }) => assert!(text.len() > longest, "{} bytes", text.len()),
            Err(e) => panic!("{e}"),
        }
    }
    if rng.chance(0.1) {
        txn.rollback_to(save).await.unwrap();
        *now = before;
    }
}

async fn life(db: &Db, texts: &mut Texts, rng: &mut Rng, (page_size, form): (usize, RowForm)) {
    if db.schema("test").is_none() {
        db.create_schema(schema()).await.unwrap();
        db.create_table(pieces(page_size, form)).await.unwrap();
    }
    check(db, texts).await;
    let t = db.table("test", "t").unwrap();
    let longest = longest(&t, page_size);
    for n in 0..60 {
        let mut txn = db.begin(TxnOptions::default());
        let mut now = texts.clone();
        for _ in 0..rng.below(8) {
            one(&mut txn, &t, &mut now, rng, longest).await;
        }
        if rng.chance(0.25) {
            txn.rollback().await.unwrap();
        } else {
            txn.commit(Durability::Flush).await.unwrap();
            *texts = now;
        }
        if n % 20 == 19 {
            check(db, texts).await;
        }
    }
    // What the crash finds half done is undone.
    let mut txn = db.begin(TxnOptions::default());
    let mut now = texts.clone();
    for _ in 0..6 {
        one(&mut txn, &t, &mut now, rng, longest).await;
    }
    db.inner().core.log.flush_all(log::Reach::Durable).await.unwrap();
    std::mem::forget(txn);
}

fn lives(seed: u64, page_size: usize, form: RowForm) {
    let (mut texts, mut rng) = (Texts::new(), Rng::new(seed));
    let mut sim = SimRt::new(seed);
    let mut disk = SimDisk::new(sim.rt(), seed);
    for n in 0..4 {
        let o = Options {
            page_size,
            buffer_pool: 40 * page_size as u64,
            log_buffer: (128 << 10).max(page_size * 8),
            ..options(2 << 20)
        };
        let run = async {
            let db = open(&sim.rt(), &disk, o).await.unwrap();
            life(&db, &mut texts, &mut rng, (page_size, form)).await;
        };
        sim.run(run).unwrap_or_else(|s| panic!("seed {seed}, life {n}: {s:?}"));
        sim.kill_all();
        sim = SimRt::new(seed + 100 + n);
        disk = disk.reopen(sim.rt(), seed + 100 + n);
    }
}

/// Run alone with `--features planted` and `WEIR_PLANT=lone-cell-left` or `row-beyond-its-page`, it fails.
#[test]
fn rows_up_to_the_longest_come_and_go() {
    plant();
    for seed in 0..8 {
        for page_size in [512, 1024, 4096, 16384] {
            lives(seed, page_size, RowForm::Plain);
            lives(seed, page_size, RowForm::Sparse);
        }
    }
}

/// `t` with four columns that fill half a page, each first in two indexes: what an update of all makes obsolete is longer than a page.
fn indexed() -> NewTable {
    let col = |name: &str, ty: PhysType| ColumnDef {
        name: name.into(),
        phys: PhysCol::new(ty, false),
        default: ty.zero(),
    };
    let text = PhysType::Var { collation: Collation::Binary, max_bytes: 1900 };
    let mut new = new_table("t");
    new.columns = vec![col("id", INT8)];
    new.columns.extend(["a", "b", "c", "d"].map(|n| col(n, text)));
    new.indexes.truncate(1);
    for i in 0..8 {
        let mut parts = vec![KeyPart::asc(1 + i / 2)];
        parts.extend((i % 2 == 1).then(|| KeyPart::asc(0)));
        new.indexes.push(IndexDef { name: format!("k{i}"), unique: false, parts });
    }
    new
}

fn indexed_row(t: &Table, id: i64, byte: u8) -> Vec<u8> {
    let mut b = RowBuilder::new(&t.layout);
    let texts: Vec<Vec<u8>> = (0..4).map(|i| vec![byte + i; 1900]).collect();
    b.push(Datum::Int(id));
    texts.iter().for_each(|text| _ = b.push(Datum::Bytes(text)));
    let mut out = Vec::new();
    b.finish_into(&mut out).unwrap();
    out
}

/// `alone`: nobody has the table, so that CHECK TABLE can have it.
async fn check_indexed(db: &Db, want: &[(i64, u8)], alone: bool) {
    let t = db.table("test", "t").unwrap();
    let mut txn = db.begin(TxnOptions::default());
    for index in 0..t.def.indexes.len() {
        let (mut c, mut n) = (txn.scan(&t, spec(index)), 0);
        while c.next(&mut txn).await.unwrap() {
            let (id, byte) = want[n];
            assert!(c.row() == indexed_row(&t, id, byte), "row {id} by index {index}");
            n += 1;
        }
        assert_eq!(n, want.len(), "index {index}");
    }
    txn.commit(Durability::Lazy).await.unwrap();
    if alone {
        let bad = db.check_table(&t, &weir_rt::Interrupt::new()).await.unwrap();
        assert!(bad.is_empty(), "{bad:#?}");
    }
}

/// An update and an insert over a deleted row make more entries obsolete than one undo record can name.
#[test]
fn what_a_record_cannot_name_is_told_before() {
    let sim = SimRt::new(3);
    let rt = sim.rt();
    let disk = SimDisk::new(rt.clone(), 3);
    let o = Options {
        page_size: 16384,
        buffer_pool: 8 << 20,
        log_buffer: 1 << 20,
        ..options(16 << 20)
    };
    let run = async {
        let db = open(&rt, &disk, o).await.unwrap();
        db.create_schema(schema()).await.unwrap();
        let t = db.create_table(indexed()).await.unwrap();
        let mut txn = db.begin(TxnOptions::default());
        for id in 1..4 {
            txn.insert(&t, &indexed_row(&t, id, b'a' + id as u8)).await.unwrap();
        }
        txn.commit(Durability::Flush).await.unwrap();
        let first = [(1, b'b'), (2, b'c'), (3, b'd')];
        check_indexed(&db, &first, true).await;
        let mut reader = db.begin(TxnOptions::default());
        let mut found = RowBuf::default();
        assert!(
            reader.get(&t, 0, &key(2), LockMode::None, OnLocked::Wait, &mut found).await.unwrap()
        );
        for commit in [false, true] {
            let mut txn = db.begin(TxnOptions::default());
            let old = |id: i64| indexed_row(&t, id, b'a' + id as u8);
            txn.update(&t, &key(2), &old(2), &indexed_row(&t, 2, b'p')).await.unwrap();
            txn.delete(&t, &key(3), &old(3)).await.unwrap();
            txn.insert(&t, &indexed_row(&t, 3, b'q')).await.unwrap();
            match commit {
                true => txn.commit(Durability::Flush).await.unwrap(),
                false => txn.rollback().await.unwrap(),
            }
            let now = if commit { [(1, b'b'), (2, b'p'), (3, b'q')] } else { first };
            check_indexed(&db, &now, false).await;
        }
        assert!(
            reader.get(&t, 0, &key(2), LockMode::None, OnLocked::Wait, &mut found).await.unwrap()
        );
        assert!(found.row == indexed_row(&t, 2, b'c'), "the reader has its snapshot");
        reader.commit(Durability::Lazy).await.unwrap();
        rt.sleep(std::time::Duration::from_secs(30)).await;
        assert_eq!(db.inner().purge.history_length(), 0);
        check_indexed(&db, &[(1, b'b'), (2, b'p'), (3, b'q')], true).await;
        db.shutdown().await.unwrap();
    };
    sim.run(run).unwrap_or_else(|s| panic!("{s:?}"));
}
