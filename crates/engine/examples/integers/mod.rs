//! Tables of BIGINT columns, for the examples that measure. The first column is the primary key.

use weir_engine::row::{
    Datum, DatumBuf, KeyPart, KeyPartType, PhysCol, PhysType, RowBuilder, encode_datum,
};
use weir_engine::{ColumnDef, IndexDef, NewTable, Table};

const INT: PhysType = PhysType::Int { bytes: 8, unsigned: false };

/// Table `t`; each of `indexed` has an index of its own that is not unique.
pub fn table(schema: &str, columns: &[&str], indexed: &[usize]) -> NewTable {
    let column = |name: &&str| ColumnDef {
        name: (*name).into(),
        phys: PhysCol::new(INT, false),
        default: DatumBuf::Int(0),
    };
    let index = |name: &str, column: usize| IndexDef {
        name: name.into(),
        unique: column == 0,
        parts: vec![KeyPart::asc(column)],
    };
    let others = indexed.iter().map(|c| index(columns[*c], *c));
    NewTable {
        schema: schema.into(),
        name: "t".into(),
        columns: columns.iter().map(column).collect(),
        indexes: std::iter::once(index("PRIMARY", 0)).chain(others).collect(),
        auto_increment: None,
        auto_increment_start: 1,
        parts: 0,
        form: Default::default(),
        extra: Vec::new(),
    }
}

pub fn key(value: i64) -> Vec<u8> {
    let mut k = Vec::new();
    encode_datum(&KeyPartType::asc(INT, false), Datum::Int(value), &mut k).expect("it fits");
    k
}

pub fn row(t: &Table, values: &[i64]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut b = RowBuilder::new(&t.layout);
    values.iter().for_each(|v| _ = b.push(Datum::Int(*v)));
    b.finish_into(&mut out).expect("it fits");
    out
}
