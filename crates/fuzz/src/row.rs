//! Rows and keys of any bytes.

use crate::split;
use weir_engine::row::{
    Collation, Datum, KeyPartType, PhysCol, PhysType, RowBuilder, RowLayout, RowView, decode_datum,
    decode_len, encode_datum, validate,
};

fn columns(how: u8) -> Vec<PhysCol> {
    let types = [
        PhysType::Int { bytes: 8, unsigned: false },
        PhysType::Int { bytes: 3, unsigned: true },
        PhysType::F64,
        PhysType::Fixed { len: 5 },
        PhysType::Var { collation: Collation::Binary, max_bytes: 1 << 16 },
        PhysType::Var { collation: Collation::Binary, max_bytes: 40 },
        PhysType::F32,
        PhysType::Int { bytes: 1, unsigned: false },
    ];
    let n = 1 + usize::from(how % 9);
    (0..n)
        .map(|i| {
            PhysCol::new(
                types[(i + usize::from(how >> 4)) % types.len()],
                (how >> (i % 7)) & 1 == 1,
            )
        })
        .collect()
}

/// Bytes that pass for a row can be read, and the values read make the same row again. Keys never lead a reader astray.
pub fn row(data: &[u8]) {
    let (how, rest) = split(data);
    let cols = columns(how);
    let layout = RowLayout::new(&cols);
    if validate(&layout, rest).is_ok() {
        read_row(&layout, rest);
    }
    for (i, c) in cols.iter().enumerate() {
        for desc in [false, true] {
            key_part(KeyPartType { ty: c.ty, nullable: c.nullable, prefix: None, desc }, rest);
        }
        let parts: Vec<_> = cols[i..].iter().map(|c| KeyPartType::asc(c.ty, c.nullable)).collect();
        if let Some(n) = decode_len(&parts, rest) {
            assert!(n <= rest.len());
        }
    }
}

fn read_row(layout: &RowLayout, bytes: &[u8]) {
    let v = RowView::new(layout, bytes);
    let values: Vec<Datum<'_>> = v.iter().collect();
    assert!(values.len() <= layout.len());
    for i in 0..layout.len() {
        let _ = (v.is_null(i), v.is_external(i), v.get(i));
    }
    if v.has_external() {
        return;
    }
    let mut b = RowBuilder::new(layout);
    for i in 0..layout.len() {
        b.push(v.get(i));
    }
    let mut again = Vec::new();
    // Refused is what no writer can have made: a value longer than its column, or no value where one must be.
    if b.finish_into(&mut again).is_ok() {
        assert_eq!(validate(layout, &again), Ok(()));
        let w = RowView::new(layout, &again);
        for i in 0..layout.len() {
            assert!(same(v.get(i), w.get(i)), "column {i}");
        }
    }
}

/// Equal, and a NaN is like itself.
fn same(a: Datum<'_>, b: Datum<'_>) -> bool {
    match (a, b) {
        (Datum::Float(x), Datum::Float(y)) => x == y || (x.is_nan() && y.is_nan()),
        _ => a == b,
    }
}

fn key_part(part: KeyPartType, bytes: &[u8]) {
    let Some((value, n)) = decode_datum(&part, bytes) else { return };
    assert!(n <= bytes.len());
    let mut key = Vec::new();
    if encode_datum(&part, value.as_ref(), &mut key).is_ok() {
        let back = decode_datum(&part, &key).expect("an encoded key decodes");
        assert!(same(back.0.as_ref(), value.as_ref()));
        assert_eq!(back.1, key.len());
    }
}
