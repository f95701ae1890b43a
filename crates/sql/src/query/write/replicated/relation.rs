//! Which types of the source's columns fit which of this table's: the same ones, or those that `replica_type_conversions` admits.

use super::How;
use crate::value::types::LobKind;
use crate::value::{Collation, SqlType};
use std::cmp::Ordering;
use weir_binlog::table_map::{Column, ColumnType};

/// How the values of a column relate to those of another one of the same kind.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    Same,
    /// All of them are values of the other.
    Wider,
    Narrower,
}

pub fn fits(theirs: &Column, own: &SqlType, how: How) -> bool {
    match relation(&theirs.ty, own) {
        None => false,
        Some(Relation::Same) => true,
        Some(Relation::Wider) => how.non_lossy,
        Some(Relation::Narrower) => how.lossy,
    }
}

/// `None`: the types have nothing to do with each other.
fn relation(theirs: &ColumnType, own: &SqlType) -> Option<Relation> {
    number(theirs, own).or_else(|| text(theirs, own)).or_else(|| moment(theirs, own))
}

/// By the sizes of two columns.
fn by(theirs: impl Into<u64>, own: impl Into<u64>) -> Relation {
    match theirs.into().cmp(&own.into()) {
        Ordering::Equal => Relation::Same,
        Ordering::Less => Relation::Wider,
        Ordering::Greater => Relation::Narrower,
    }
}

fn number(theirs: &ColumnType, own: &SqlType) -> Option<Relation> {
    Some(match (theirs, own) {
        (ColumnType::Int { bytes }, SqlType::Int { kind, .. }) => by(*bytes, kind.bytes()),
        (ColumnType::Float, SqlType::Float { .. })
        | (ColumnType::Double, SqlType::Double { .. })
        | (ColumnType::Year, SqlType::Year) => Relation::Same,
        (ColumnType::Float, SqlType::Double { .. }) => Relation::Wider,
        (ColumnType::Double, SqlType::Float { .. }) => Relation::Narrower,
        (
            ColumnType::Decimal { precision, scale },
            SqlType::Decimal { precision: p, scale: s, .. },
        ) => match (by(precision - scale, p - s), by(*scale, *s)) {
            (Relation::Narrower, _) | (_, Relation::Narrower) => Relation::Narrower,
            (Relation::Same, Relation::Same) => Relation::Same,
            _ => Relation::Wider,
        },
        (ColumnType::Bit { bits }, SqlType::Bit { bits: own }) => by(*bits, *own),
        (ColumnType::Enum { bytes }, SqlType::Enum { members, .. }) => {
            by(*bytes, if members.names().len() > 255 { 2u8 } else { 1 })
        }
        (ColumnType::Set { bytes }, SqlType::Set { members, .. }) => {
            let own = match members.names().len().div_ceil(8) {
                n @ 0..=4 => n.max(1) as u64,
                _ => 8,
            };
            by(*bytes, own)
        }
        _ => return None,
    })
}

fn text(theirs: &ColumnType, own: &SqlType) -> Option<Relation> {
    let bytes_of =
        |chars: u32, c: Collation| u64::from(chars) * c.charset().max_char_bytes() as u64;
    Some(match (theirs, own) {
        (ColumnType::Char { bytes }, SqlType::Char { chars, collation })
        | (ColumnType::Varchar { bytes }, SqlType::Varchar { chars, collation }) => {
            by(*bytes, bytes_of(*chars, *collation))
        }
        (
            ColumnType::Char { bytes } | ColumnType::Varchar { bytes },
            SqlType::Char { chars, collation } | SqlType::Varchar { chars, collation },
        ) => match by(*bytes, bytes_of(*chars, *collation)) {
            Relation::Narrower => Relation::Narrower,
            _ => Relation::Wider,
        },
        (ColumnType::Blob { length }, SqlType::Text { kind, .. }) => {
            let own = match kind {
                LobKind::Tiny => 1u8,
                LobKind::Normal => 2,
                LobKind::Medium => 3,
                LobKind::Long => 4,
            };
            by(*length, own)
        }
        (ColumnType::Json { .. }, SqlType::Json)
        | (ColumnType::Geometry { .. }, SqlType::Geometry { .. }) => Relation::Same,
        _ => return None,
    })
}

fn moment(theirs: &ColumnType, own: &SqlType) -> Option<Relation> {
    Some(match (theirs, own) {
        (ColumnType::Date, SqlType::Date) => Relation::Same,
        (ColumnType::Time { fsp }, SqlType::Time { fsp: own })
        | (ColumnType::DateTime { fsp }, SqlType::DateTime { fsp: own })
        | (ColumnType::Timestamp { fsp }, SqlType::Timestamp { fsp: own }) => by(*fsp, *own),
        // MySQL takes the old forms for the new ones of whole seconds.
        (ColumnType::OldTime, SqlType::Time { fsp })
        | (ColumnType::OldDateTime, SqlType::DateTime { fsp })
        | (ColumnType::OldTimestamp, SqlType::Timestamp { fsp }) => by(0u8, *fsp),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::IntKind;

    #[test]
    fn types_fit_as_the_variable_says() {
        let (lossy, non_lossy) =
            (How { lossy: true, ..How::default() }, How { non_lossy: true, ..How::default() });
        let column = |ty| Column {
            ty,
            nullable: true,
            unsigned: None,
            collation: None,
            name: None,
            members: Vec::new(),
        };
        let int = column(ColumnType::Int { bytes: 4 });
        let text = column(ColumnType::Varchar { bytes: 40 });
        let varchar = |n| SqlType::varchar(n, Collation::Utf8mb4Bin);
        for (theirs, own, want) in [
            (&int, SqlType::INT, [true, true, true]),
            (&int, SqlType::BIGINT, [false, false, true]),
            (&int, SqlType::int(IntKind::Tiny, false), [false, true, false]),
            (&int, varchar(10), [false, false, false]),
            (&text, varchar(10), [true, true, true]),
            (&text, varchar(11), [false, false, true]),
            (&text, varchar(9), [false, true, false]),
        ] {
            let found = [How::default(), lossy, non_lossy].map(|how| fits(theirs, &own, how));
            assert_eq!(found, want, "{theirs:?} {own:?}");
        }
    }
}
