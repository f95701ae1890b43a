//! What is written is read again, whatever it is; what is cut short is damage, never a panic.

use super::constraint::ACTIONS;
use super::index::SPECIAL_KINDS;
use super::types::{INT_KINDS, LOB_KINDS};
use super::*;
use crate::meta::foreign::{ForeignKey, TablePlace};
use crate::meta::histogram::{Bucket, Histogram, Kind};
use crate::meta::partition::{
    Function, Given, Method, Partition, Partitioning, Subpartitioning, Values,
};
use crate::meta::{
    CheckConstraint, ColumnDefault, ConstraintName, IndexPart, SpecialKey, SpecialKind, SqlColumn,
    SqlIndex, UsingClause,
};
use crate::value::{Collation, DatumBuf, GeoKind, Members, SqlType};
use proptest::prelude::*;
use std::sync::Arc;

fn collations() -> impl Strategy<Value = Collation> {
    (0..weir_engine::row::collation::ALL.len()).prop_map(|i| weir_engine::row::collation::ALL[i])
}

fn types() -> impl Strategy<Value = SqlType> {
    let digits = || proptest::option::of((1u8..255, 0u8..31));
    prop_oneof![
        (0usize..5, any::<bool>(), any::<bool>(), proptest::option::of(1u8..=255)).prop_map(
            |(k, unsigned, zerofill, width)| SqlType::Int {
                kind: INT_KINDS[k],
                unsigned,
                zerofill,
                width
            }
        ),
        (1u8..66, 0u8..31, any::<bool>(), any::<bool>()).prop_map(
            |(precision, scale, unsigned, zerofill)| SqlType::Decimal {
                precision,
                scale,
                unsigned,
                zerofill
            }
        ),
        (any::<bool>(), any::<bool>(), digits()).prop_map(|(unsigned, zerofill, digits)| {
            SqlType::Float { unsigned, zerofill, digits }
        }),
        (any::<bool>(), any::<bool>(), digits()).prop_map(|(unsigned, zerofill, digits)| {
            SqlType::Double { unsigned, zerofill, digits }
        }),
        (any::<u32>(), collations())
            .prop_map(|(chars, collation)| SqlType::Char { chars, collation }),
        (any::<u32>(), collations())
            .prop_map(|(chars, collation)| SqlType::Varchar { chars, collation }),
        (0usize..4, collations())
            .prop_map(|(k, collation)| SqlType::Text { kind: LOB_KINDS[k], collation }),
        Just(SqlType::Date),
        Just(SqlType::Year),
        Just(SqlType::Json),
        (0usize..8, proptest::option::of(any::<u32>()))
            .prop_map(|(kind, srid)| { SqlType::Geometry { kind: GeoKind::ALL[kind], srid } }),
        (1u8..=64).prop_map(|bits| SqlType::Bit { bits }),
        (lists(), collations())
            .prop_map(|(members, collation)| SqlType::Enum { members, collation }),
        (lists(), collations())
            .prop_map(|(members, collation)| SqlType::Set { members, collation }),
        (0u8..7).prop_map(|fsp| SqlType::Time { fsp }),
        (0u8..7).prop_map(|fsp| SqlType::DateTime { fsp }),
        (0u8..7).prop_map(|fsp| SqlType::Timestamp { fsp }),
    ]
}

fn lists() -> impl Strategy<Value = Members> {
    proptest::collection::vec("[a-c]{0,2}", 1..4)
        .prop_map(|names| Members::new(names.into_iter().map(|n| n.into_bytes().into()).collect()))
}

fn defaults() -> impl Strategy<Value = ColumnDefault> {
    prop_oneof![
        Just(ColumnDefault::None),
        Just(ColumnDefault::Null),
        (0u8..7).prop_map(ColumnDefault::CurrentTimestamp),
        ".*".prop_map(ColumnDefault::Expr),
        (".*", any::<bool>()).prop_map(|(expr, stored)| ColumnDefault::Generated { expr, stored }),
        any::<i64>().prop_map(|v| ColumnDefault::Literal(DatumBuf::Int(v))),
        any::<u64>().prop_map(|v| ColumnDefault::Literal(DatumBuf::UInt(v))),
        (-1e9f64..1e9).prop_map(|v| ColumnDefault::Literal(DatumBuf::Float(v))),
        any::<Vec<u8>>().prop_map(|v| ColumnDefault::Literal(DatumBuf::Bytes(v))),
    ]
}

fn columns() -> impl Strategy<Value = SqlColumn> {
    let bools = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (".{0,8}", types(), defaults(), proptest::option::of(0u8..7), ".{0,8}", bools).prop_map(
        |(name, ty, default, on_update_now, comment, (a, b, c, d))| SqlColumn {
            name,
            ty,
            nullable: a,
            default,
            on_update_now,
            auto_increment: b,
            comment,
            invisible: c,
            hidden: a && d,
            array: (a && d).then_some(SqlType::Date),
            explicit_collation: d,
        },
    )
}

fn indexes() -> impl Strategy<Value = SqlIndex> {
    let part = (0usize..1, proptest::option::of(1u32..), any::<bool>())
        .prop_map(|(column, prefix, desc)| IndexPart { column, prefix, desc, elements: None });
    let using =
        prop_oneof![Just(None), Just(Some(UsingClause::BTree)), Just(Some(UsingClause::Hash))];
    let parts = proptest::collection::vec(part, 0..4);
    let bits = (any::<bool>(), any::<bool>());
    (".{0,8}", any::<bool>(), parts, ".{0,8}", using, bits).prop_map(
        |(name, unique, parts, comment, using, (visible, generated))| SqlIndex {
            name,
            unique,
            parts,
            comment,
            using,
            visible,
            generated,
        },
    )
}

fn tables() -> impl Strategy<Value = TableMeta> {
    (
        proptest::collection::vec(columns(), 1..6),
        proptest::collection::vec(indexes(), 0..4),
        collations(),
        ".{0,20}",
        proptest::collection::vec((".{0,8}", ".{0,8}"), 0..3),
        proptest::collection::vec(checks(), 0..3),
        proptest::collection::vec(foreign(), 0..3),
        proptest::option::of(partitionings()),
        proptest::collection::vec(special(), 0..3),
        proptest::collection::vec(histogram().prop_map(Arc::new), 0..3),
    )
        .prop_map(
            |(
                columns,
                mut indexes,
                collation,
                comment,
                options,
                checks,
                foreign,
                partitions,
                special,
                histograms,
            )| {
                // A part of an index says of its column what that says of itself.
                for part in indexes.iter_mut().flat_map(|i: &mut SqlIndex| &mut i.parts) {
                    part.elements = columns[part.column].array.map(|ty: SqlType| ty.phys());
                }
                TableMeta {
                    columns,
                    indexes,
                    special,
                    collation,
                    comment,
                    options,
                    checks,
                    foreign,
                    partitions: partitions.map(Box::new),
                    histograms,
                }
            },
        )
}

fn histogram() -> impl Strategy<Value = Histogram> {
    let bucket = (any::<i64>(), 0.0f64..1.0, any::<u64>());
    let buckets = proptest::collection::vec(bucket, 0..4);
    (buckets, any::<bool>(), any::<bool>(), 0.0f64..1.0, any::<u16>(), any::<i64>()).prop_map(
        |(buckets, equi_height, automatic, nulls, specified, updated_micros)| {
            let bucket = |(v, cumulative, distinct): (i64, f64, u64)| {
                let (lower, text) = (DatumBuf::Int(v), DatumBuf::Bytes(v.to_le_bytes().into()));
                match equi_height {
                    true => Bucket { lower, upper: text, cumulative, distinct },
                    false => Bucket { lower: lower.clone(), upper: lower, cumulative, distinct: 1 },
                }
            };
            Histogram {
                column: 0,
                kind: if equi_height { Kind::EquiHeight } else { Kind::Singleton },
                buckets: buckets.into_iter().map(bucket).collect(),
                nulls,
                sampling: 1.0 - nulls,
                specified,
                updated_micros,
                automatic,
            }
        },
    )
}

fn special() -> impl Strategy<Value = SpecialKey> {
    (".{0,8}", 0usize..3, 1usize..3, ".{0,8}", any::<bool>()).prop_map(
        |(name, kind, columns, comment, visible)| SpecialKey {
            name,
            kind: SPECIAL_KINDS[kind],
            columns: vec![0; columns],
            comment,
            visible,
        },
    )
}

fn foreign() -> impl Strategy<Value = ForeignKey> {
    let names = proptest::collection::vec(".{0,8}", 0..3);
    (names, ".{0,8}", ".{0,8}", 0usize..4, 0usize..4, 1u32..).prop_map(
        |(parent_columns, schema, name, delete, update, number)| ForeignKey {
            name: ConstraintName::Numbered(number),
            columns: vec![0; parent_columns.len()],
            parent: TablePlace { schema, name },
            parent_columns,
            on_delete: ACTIONS[delete],
            on_update: ACTIONS[update],
        },
    )
}

fn checks() -> impl Strategy<Value = CheckConstraint> {
    let name = prop_oneof![
        ".{0,8}".prop_map(ConstraintName::Given),
        (1u32..).prop_map(ConstraintName::Numbered),
    ];
    (name, ".{0,8}", any::<bool>()).prop_map(|(name, expr, enforced)| CheckConstraint {
        name,
        expr,
        enforced,
    })
}

fn values(n: usize) -> Values {
    match n % 3 {
        0 => Values::None,
        1 => Values::LessThan(vec![Some(DatumBuf::Int(n as i64)), None]),
        _ => Values::In(vec![vec![DatumBuf::UInt(n as u64)], vec![DatumBuf::Null]]),
    }
}

fn part(name: String, values: Values) -> Partition {
    let comment = format!("of {name}");
    Partition { name, values, comment, max_rows: 7, min_rows: 8, subparts: Vec::new() }
}

fn partitionings() -> impl Strategy<Value = Partitioning> {
    let methods = prop_oneof![
        Just(Method::Range),
        Just(Method::ListColumns),
        Just(Method::Hash { linear: true }),
        Just(Method::Key { linear: false, old: true }),
    ];
    let inner = (any::<bool>(), 1usize..4, 0usize..3);
    (methods, any::<bool>(), 1usize..4, proptest::option::of(inner)).prop_map(
        |(method, numbered, n, inner)| {
            let function = |method| Function {
                method,
                expr: "`a`".into(),
                columns: vec![0, 0],
                implied: false,
            };
            let parts = (0..n).map(|n| part(format!("p{n}"), values(n))).collect();
            let mut by = Partitioning { function: function(method), numbered, parts, sub: None };
            by.function.implied = numbered;
            if let Some((linear, count, given)) = inner {
                let given = [Given::Nothing, Given::Number, Given::Names][given];
                let method = Method::Hash { linear };
                by.sub = Some(Subpartitioning { function: function(method), count, given });
                for p in &mut by.parts {
                    let named = |n| part(format!("{}sp{n}", p.name), Values::None);
                    p.subparts = (0..count).map(named).collect();
                }
            }
            by
        },
    )
}

/// What earlier versions wrote of a partitioned table, byte by byte.
#[test]
fn partitions_from_before_there_were_subpartitions() {
    let mut table = TableMeta::new(vec![SqlColumn::new("a", SqlType::BIGINT)], Collation::Binary);
    let mut bytes = encode_table(&table);
    bytes[0] = 4;
    // LIST, the text `a`, column 0, no flags, two partitions.
    bytes.extend(b"\x01\x03\0\0\0`a`\x01\0\0\0\0\x02\0");
    // p0: IN (5, NULL), comment c, MAX_ROWS 9.
    bytes.extend(b"\x02\0\0\0p0\x02\x02\0\0\0\x01\0\x01\x05\0\0\0\0\0\0\0\x01\0\0");
    bytes.extend(b"\x01\0\0\0c\x09\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    // p1: IN (6).
    bytes.extend(b"\x02\0\0\0p1\x02\x01\0\0\0\x01\0\x01\x06\0\0\0\0\0\0\0");
    bytes.extend([0; 20]);
    let known = |name: &str, values: Vec<Vec<DatumBuf>>| Partition {
        comment: String::new(),
        max_rows: 0,
        min_rows: 0,
        ..part(name.into(), Values::In(values))
    };
    let p0 = known("p0", vec![vec![DatumBuf::Int(5)], vec![DatumBuf::Null]]);
    table.partitions = Some(Box::new(Partitioning {
        function: Function {
            method: Method::List,
            expr: "`a`".into(),
            columns: vec![0],
            implied: false,
        },
        numbered: false,
        parts: vec![
            Partition { comment: "c".into(), max_rows: 9, ..p0 },
            known("p1", vec![vec![DatumBuf::Int(6)]]),
        ],
        sub: None,
    }));
    assert_eq!(decode_table(&bytes).expect("known bytes"), table);
    assert_eq!(encode_table(&table), bytes);
}

/// FULLTEXT and SPATIAL keys change nothing of what stood there before: they stand in front of it.
#[test]
fn special_keys_stand_before_the_rest() {
    let column = SqlColumn::new("a", SqlType::BIGINT);
    let mut table = TableMeta::new(vec![column], Collation::Binary);
    let plain = encode_table(&table);
    assert_eq!(plain[0], VERSION);
    table.special.push(SpecialKey {
        name: "f".into(),
        kind: SpecialKind::FullText { ngram: true },
        columns: vec![0],
        comment: "c".into(),
        visible: false,
    });
    let mut bytes = b"\x06\x01\0\x01\0\0\0f\x01\0\x01\0\0\0c\x01\0\0\0".to_vec();
    bytes.extend(&plain);
    assert_eq!(encode_table(&table), bytes);
    assert_eq!(decode_table(&bytes).expect("known bytes"), table);
    bytes[0] = 8;
    assert!(decode_table(&bytes).is_err());
}

/// Nor do histograms.
#[test]
fn histograms_stand_before_the_rest() {
    let mut table = TableMeta::new(vec![SqlColumn::new("a", SqlType::BIGINT)], Collation::Binary);
    let plain = encode_table(&table);
    let bucket =
        Bucket { lower: DatumBuf::Int(5), upper: DatumBuf::Int(5), cumulative: 1.0, distinct: 1 };
    table.histograms.push(Arc::new(Histogram {
        column: 0,
        kind: Kind::Singleton,
        buckets: vec![bucket],
        nulls: 0.0,
        sampling: 1.0,
        specified: 100,
        updated_micros: 3,
        automatic: true,
    }));
    let mut bytes = b"\x07\x01\0\0\0\x02".to_vec();
    bytes.extend(0f64.to_bits().to_le_bytes());
    bytes.extend(1f64.to_bits().to_le_bytes());
    bytes.extend(b"\x64\0\x03\0\0\0\0\0\0\0\x01\0\x01\x05\0\0\0\0\0\0\0");
    bytes.extend(1f64.to_bits().to_le_bytes());
    bytes.extend(&plain);
    assert_eq!(encode_table(&table), bytes);
    assert_eq!(decode_table(&bytes).expect("known bytes"), table);
}

proptest! {
    #[test]
    fn what_is_written_is_read(table in tables()) {
        let bytes = encode_table(&table);
        prop_assert_eq!(decode_table(&bytes).expect("own bytes"), table);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in any::<Vec<u8>>()) {
        let _ = decode_table(&bytes);
        let _ = decode_schema(&bytes);
    }

    #[test]
    fn a_cut_is_found(table in tables(), cut in 1usize..20) {
        let bytes = encode_table(&table);
        let end = bytes.len().saturating_sub(cut);
        prop_assert!(decode_table(&bytes[..end]).is_err());
    }
}

#[test]
fn schema_round_trip() {
    let schema = SchemaMeta { collation: Collation::Latin1SwedishCi };
    assert_eq!(decode_schema(&encode_schema(&schema)).expect("own bytes"), schema);
    assert_eq!(decode_schema(&[]).expect("empty"), SchemaMeta::default());
    assert!(decode_schema(&[9, 0, 0]).is_err());
}
