//! Physical values and column types.

use super::collation::Collation;
use std::cmp::Ordering;

/// A physical value as stored in a row. SQL types map onto these.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Datum<'a> {
    #[default]
    Null,
    Int(i64),
    UInt(u64),
    Float(f64),
    Bytes(&'a [u8]),
}

impl<'a> Datum<'a> {
    pub fn is_null(&self) -> bool {
        matches!(self, Datum::Null)
    }

    pub fn as_bytes(&self) -> Option<&'a [u8]> {
        match *self {
            Datum::Bytes(b) => Some(b),
            _ => None,
        }
    }

    /// Integer value when it fits i64.
    pub fn as_i64(&self) -> Option<i64> {
        match *self {
            Datum::Int(v) => Some(v),
            Datum::UInt(v) => i64::try_from(v).ok(),
            _ => None,
        }
    }

    /// Integer value when it fits u64.
    pub fn as_u64(&self) -> Option<u64> {
        match *self {
            Datum::Int(v) => u64::try_from(v).ok(),
            Datum::UInt(v) => Some(v),
            _ => None,
        }
    }

    pub fn to_buf(&self) -> DatumBuf {
        match *self {
            Datum::Null => DatumBuf::Null,
            Datum::Int(v) => DatumBuf::Int(v),
            Datum::UInt(v) => DatumBuf::UInt(v),
            Datum::Float(v) => DatumBuf::Float(v),
            Datum::Bytes(b) => DatumBuf::Bytes(b.to_vec()),
        }
    }
}

/// Owned [`Datum`].
#[derive(Debug, Clone, PartialEq, Default)]
pub enum DatumBuf {
    #[default]
    Null,
    Int(i64),
    UInt(u64),
    Float(f64),
    Bytes(Vec<u8>),
}

impl DatumBuf {
    pub fn as_ref(&self) -> Datum<'_> {
        match self {
            DatumBuf::Null => Datum::Null,
            DatumBuf::Int(v) => Datum::Int(*v),
            DatumBuf::UInt(v) => Datum::UInt(*v),
            DatumBuf::Float(v) => Datum::Float(*v),
            DatumBuf::Bytes(b) => Datum::Bytes(b),
        }
    }
}

impl From<Datum<'_>> for DatumBuf {
    fn from(d: Datum<'_>) -> Self {
        d.to_buf()
    }
}

/// How a column's values are stored and compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhysType {
    /// 1, 2, 3, 4 or 8 bytes.
    Int {
        bytes: u8,
        unsigned: bool,
    },
    F32,
    F64,
    /// Bytes of one length whose memcmp order is the value order (decimals and the like).
    Fixed {
        len: u16,
    },
    /// Char, varchar, binary, text, blob. `max_bytes` bounds the value.
    Var {
        collation: Collation,
        max_bytes: u32,
    },
}

impl PhysType {
    /// Width in the fixed area of a row; `None` for variable-length types.
    pub fn fixed_len(&self) -> Option<usize> {
        match *self {
            PhysType::Int { bytes, .. } => Some(usize::from(bytes)),
            PhysType::F32 => Some(4),
            PhysType::F64 => Some(8),
            PhysType::Fixed { len } => Some(usize::from(len)),
            PhysType::Var { .. } => None,
        }
    }

    /// The implicit default: what a NOT NULL column added without a default reads as.
    pub fn zero(&self) -> DatumBuf {
        match *self {
            PhysType::Int { unsigned: false, .. } => DatumBuf::Int(0),
            PhysType::Int { unsigned: true, .. } => DatumBuf::UInt(0),
            PhysType::F32 | PhysType::F64 => DatumBuf::Float(0.0),
            PhysType::Fixed { len } => DatumBuf::Bytes(vec![0; usize::from(len)]),
            PhysType::Var { .. } => DatumBuf::Bytes(Vec::new()),
        }
    }

    /// Order of two values of this type; NULL sorts first. This is the order keys keep.
    pub fn compare(&self, a: Datum<'_>, b: Datum<'_>) -> Ordering {
        match (a, b) {
            (Datum::Null, Datum::Null) => Ordering::Equal,
            (Datum::Null, _) => Ordering::Less,
            (_, Datum::Null) => Ordering::Greater,
            (Datum::Bytes(x), Datum::Bytes(y)) => match *self {
                PhysType::Var { collation, .. } => collation.compare(x, y),
                _ => x.cmp(y),
            },
            (Datum::Float(x), Datum::Float(y)) => x.partial_cmp(&y).unwrap_or(Ordering::Equal),
            _ => int_of(a).cmp(&int_of(b)),
        }
    }
}

fn int_of(d: Datum<'_>) -> i128 {
    match d {
        Datum::Int(v) => i128::from(v),
        Datum::UInt(v) => i128::from(v),
        // Floats never meet integers inside one column.
        Datum::Float(_) | Datum::Bytes(_) | Datum::Null => 0,
    }
}

/// One column of a layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhysCol {
    pub ty: PhysType,
    pub nullable: bool,
}

impl PhysCol {
    pub fn new(ty: PhysType, nullable: bool) -> Self {
        PhysCol { ty, nullable }
    }

    /// Whether bytes that were written as `old` are read as this column, in rows and in keys: it is the same, or holds longer values.
    pub fn reads(self, old: PhysCol) -> bool {
        let type_reads = match (old.ty, self.ty) {
            (
                PhysType::Var { collation: a, max_bytes: m },
                PhysType::Var { collation: b, max_bytes: n },
            ) => a == b && m <= n,
            (a, b) => a == b,
        };
        type_reads && old.nullable == self.nullable
    }

    /// NULL, or the zero of the type.
    pub fn empty(self) -> DatumBuf {
        if self.nullable { DatumBuf::Null } else { self.ty.zero() }
    }
}
