//! The examples of `docs/format.md` against the engine's coders.

use super::drawing::{self, Record, forms, hex, rows, varint};
use weir_engine::PageId;
use weir_engine::page::codec::Reader;
use weir_engine::page::redo::{self, Redo};
use weir_engine::row::{
    Collation, Datum, KeyPartType, PhysCol, PhysType, RowBuilder, RowForm, RowLayout, encode_datum,
};

/// Tag, page reference and fields of the redo record at the front of `b`, by the table of forms.
pub fn redo_record(b: &mut &[u8]) -> (u8, Option<(u64, u64)>, Record) {
    let (tag, same) = (b[0] & 0x7F, b[0] & 0x80 != 0);
    *b = &b[1..];
    let page = (tag < 20 && !same).then(|| (varint(b), varint(b)));
    (tag, page, drawing::take(drawing::form("Redo record", tag), b))
}

fn records() -> Vec<(u8, Redo<'static>)> {
    vec![
        (1, Redo::PageInit { kind: 4, owner: 7 }),
        (2, Redo::TreeInit { index: 20, level: 0, lower: b"a", upper: Some(b"b") }),
        (3, Redo::Bytes { off: 40, data: b"xyz" }),
        (4, Redo::SlotInsert { slot: 3, rest: b"k", value: b"v" }),
        (5, Redo::SlotRemove { slot: 300 }),
        (6, Redo::SlotReplace { slot: 0, value: b"" }),
        (7, Redo::SlotPatch { slot: 1, off: 2, data: b"q" }),
        (8, Redo::Keep { from: 1, to: 9, lower: b"", upper: None }),
        (9, Redo::Cells { run: b"\x01a\x01b" }),
        (10, Redo::MaxTrx { id: 300 }),
        (11, Redo::UndoAppend { data: b"u" }),
        (12, Redo::Bit { bit: 9, on: true }),
        (20, Redo::FileDelete { space: 12 }),
        (21, Redo::Mark { durable: 300 }),
        (22, Redo::Life { epoch: 7 }),
        (23, Redo::Events { data: b"e" }),
        (24, Redo::Statement { text: b"t" }),
    ]
}

#[test]
fn redo_records() {
    let table = forms("Redo record");
    let records = records();
    assert_eq!(table.len(), records.len(), "a kind of record is not drawn, or not tried here");
    for ((tag, name, _, more), (kind, rec)) in table.into_iter().zip(records) {
        assert_eq!(tag, kind, "{name}");
        let example = hex(more[0]);
        let page = (tag < 20).then_some(PageId::new(3, 5));
        let mut out = Vec::new();
        rec.encode(page, &mut None, &mut out);
        assert_eq!(out, example, "{name}");
        let decoded = redo::decode(&mut Reader::new(&example), &mut None);
        assert_eq!(decoded, Ok((page, rec.clone())), "{name}");
        let mut b = &example[..];
        assert_eq!(redo_record(&mut b).1, page.map(|p| (u64::from(p.space), u64::from(p.page))));
        assert!(b.is_empty(), "{name}: the form leaves {b:?}");
        // The same page once more: the reference is left out.
        let (mut again, mut last) = (Vec::new(), page);
        rec.encode(page, &mut last, &mut again);
        let short = if page.is_some() { [&[tag | 0x80], &example[3..]].concat() } else { example };
        assert_eq!(again, short, "{name}");
    }
}

#[test]
fn keys() {
    let int = |bytes, unsigned| PhysType::Int { bytes, unsigned };
    let text = |collation| PhysType::Var { collation, max_bytes: 100 };
    let asc = |ty| KeyPartType::asc(ty, false);
    let named = |name: &str| Collation::by_name(name).expect("a collation");
    let i32 = int(4, false);
    let cases = [
        ("i32", asc(i32), Datum::Int(1)),
        ("i32", asc(i32), Datum::Int(-1)),
        ("i32 descending", KeyPartType { desc: true, ..asc(i32) }, Datum::Int(1)),
        ("i32 nullable", KeyPartType::asc(i32, true), Datum::Null),
        ("i32 nullable", KeyPartType::asc(i32, true), Datum::Int(1)),
        ("u16", asc(int(2, true)), Datum::UInt(258)),
        ("f64", asc(PhysType::F64), Datum::Float(1.0)),
        ("f64", asc(PhysType::F64), Datum::Float(-1.0)),
        ("f32", asc(PhysType::F32), Datum::Float(1.0)),
        ("fixed bytes", asc(PhysType::Fixed { len: 3 }), Datum::Bytes(b"abc")),
        ("binary", asc(text(Collation::Binary)), Datum::Bytes(b"a\0b")),
        ("utf8mb4_general_ci", asc(text(named("utf8mb4_general_ci"))), Datum::Bytes(b"a b")),
        ("latin1_swedish_ci", asc(text(named("latin1_swedish_ci"))), Datum::Bytes(b"ab")),
        ("utf8mb4_0900_ai_ci", asc(text(named("utf8mb4_0900_ai_ci"))), Datum::Bytes(b"ab")),
        (
            "utf8mb4_ru_0900_as_cs",
            asc(text(named("utf8mb4_ru_0900_as_cs"))),
            Datum::Bytes("дa".as_bytes()),
        ),
        ("utf8mb4_da_0900_as_cs", asc(text(named("utf8mb4_da_0900_as_cs"))), Datum::Bytes(b"Aab")),
        ("gbk_chinese_ci", asc(text(named("gbk_chinese_ci"))), Datum::Bytes(b"\xd6\xd0a")),
        ("ujis_japanese_ci", asc(text(named("ujis_japanese_ci"))), Datum::Bytes(b"\xa1\xa1\xff")),
    ];
    let drawn = &rows("Key examples")[2..];
    assert_eq!(drawn.len(), cases.len());
    for (r, (name, part, value)) in drawn.iter().zip(cases) {
        let mut key = Vec::new();
        encode_datum(&part, value, &mut key).unwrap();
        assert_eq!((r[0], hex(r[2])), (name, key), "{}", r[1]);
    }
}

#[test]
fn rows_of_a_table() {
    let col = PhysCol::new;
    let var = PhysType::Var { collation: Collation::Binary, max_bytes: 10_000 };
    let int = |bytes| PhysType::Int { bytes, unsigned: false };
    let cols = [col(int(4), false), col(int(8), true), col(var, false), col(var, true)];
    let mut reference = [0; 20];
    reference[0] = 9;
    reference[4..6].copy_from_slice(&5000u16.to_le_bytes());
    let drawn = &rows("Row examples")[2..];
    let forms = [
        (RowForm::Plain, Datum::Null, false),
        (RowForm::Sparse, Datum::Null, false),
        (RowForm::Sparse, Datum::Int(5), false),
        (RowForm::Plain, Datum::Null, true),
    ];
    assert_eq!(drawn.len(), forms.len());
    for ((form, second, external), r) in forms.into_iter().zip(drawn) {
        let l = RowLayout::of(&cols, form);
        let mut b = RowBuilder::new(&l);
        b.push(Datum::Int(7)).push(second);
        match external {
            true => b.push_external(&reference),
            false => b.push(Datum::Bytes(b"ab")),
        };
        b.push(Datum::Bytes(b"c"));
        let mut out = Vec::new();
        b.finish_into(&mut out).unwrap();
        assert_eq!(hex(r[1]), out, "{}", r[0]);
    }
}
