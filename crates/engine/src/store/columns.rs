//! Rust's types as columns of rows and parts of keys.

use crate::error::{Error, Result};
use crate::row::{Collation, Datum, KeyPartType, PhysCol, PhysType, RowView, encode_datum};
use crate::table::Table as Stored;

/// Bytes of a value at most: what the length of a column is written in.
const LONGEST: u32 = u32::MAX;

/// A type that one column holds: integers, floats, `bool`, `String`, `Vec<u8>`, `[u8; N]`, and `Option` of these.
pub trait Column: Sized {
    /// How a value is handed over, without a copy: `&str` for a `String`, `&[u8]` for a `Vec<u8>`, the value itself for numbers.
    type Ref<'a>: Copy;
    #[doc(hidden)]
    const COLUMN: PhysCol;
    #[doc(hidden)]
    fn datum<'a>(value: Self::Ref<'a>) -> Datum<'a>;
    #[doc(hidden)]
    fn value(datum: Datum<'_>) -> Option<Self>;
    #[doc(hidden)]
    fn lend(&self) -> Self::Ref<'_>;
}

/// What a row has behind its key, or the columns of an index: one [`Column`], a tuple of up to eight, or `()`.
pub trait Columns: Sized {
    /// How values are handed over, see [`Column::Ref`].
    type Ref<'a>: Copy;
    #[doc(hidden)]
    const COLUMNS: &'static [PhysCol];
    #[doc(hidden)]
    fn push<'a>(values: Self::Ref<'a>, to: &mut dyn FnMut(Datum<'a>));
    /// Reads the columns from `first` on.
    #[doc(hidden)]
    fn read(row: &RowView<'_>, first: usize) -> Option<Self>;
    #[doc(hidden)]
    fn lend_all(&self) -> Self::Ref<'_>;
}

/// What rows are found by: columns that are never NULL, in the order of their values, the first one first. Texts are in the order of their bytes.
pub trait Key: Columns {}

macro_rules! columns_of_one {
    ([$($of:tt)*] $type:ty) => {
        impl<$($of)*> Columns for $type {
            type Ref<'a> = <$type as Column>::Ref<'a>;
            const COLUMNS: &'static [PhysCol] = &[<$type as Column>::COLUMN];

            fn push<'a>(value: Self::Ref<'a>, to: &mut dyn FnMut(Datum<'a>)) {
                to(<$type as Column>::datum(value));
            }

            fn read(row: &RowView<'_>, first: usize) -> Option<Self> {
                <$type as Column>::value(row.get(first))
            }

            fn lend_all(&self) -> Self::Ref<'_> {
                self.lend()
            }
        }
    };
}

macro_rules! integer {
    ($($type:ty, $bytes:literal, $unsigned:literal, $datum:ident, $as:ty;)*) => {$(
        impl Column for $type {
            type Ref<'a> = $type;
            const COLUMN: PhysCol =
                PhysCol { ty: PhysType::Int { bytes: $bytes, unsigned: $unsigned }, nullable: false };

            fn datum<'a>(value: Self::Ref<'a>) -> Datum<'a> {
                Datum::$datum(<$as>::from(value))
            }

            fn value(datum: Datum<'_>) -> Option<$type> {
                match datum {
                    Datum::$datum(n) => <$type>::try_from(n).ok(),
                    _ => None,
                }
            }

            fn lend(&self) -> $type {
                *self
            }
        }

        columns_of_one!([] $type);
        impl Key for $type {}
    )*};
}

integer! {
    i8, 1, false, Int, i64;
    i16, 2, false, Int, i64;
    i32, 4, false, Int, i64;
    i64, 8, false, Int, i64;
    u8, 1, true, UInt, u64;
    u16, 2, true, UInt, u64;
    u32, 4, true, UInt, u64;
    u64, 8, true, UInt, u64;
}

impl Column for bool {
    type Ref<'a> = bool;
    const COLUMN: PhysCol = <u8 as Column>::COLUMN;

    fn datum<'a>(value: Self::Ref<'a>) -> Datum<'a> {
        Datum::UInt(u64::from(value))
    }

    fn value(datum: Datum<'_>) -> Option<bool> {
        u8::value(datum).map(|n| n != 0)
    }

    fn lend(&self) -> bool {
        *self
    }
}

columns_of_one!([] bool);
impl Key for bool {}

impl Column for f64 {
    type Ref<'a> = f64;
    const COLUMN: PhysCol = PhysCol { ty: PhysType::F64, nullable: false };

    fn datum<'a>(value: Self::Ref<'a>) -> Datum<'a> {
        Datum::Float(value)
    }

    fn value(datum: Datum<'_>) -> Option<f64> {
        match datum {
            Datum::Float(x) => Some(x),
            _ => None,
        }
    }

    fn lend(&self) -> f64 {
        *self
    }
}

columns_of_one!([] f64);

impl Column for f32 {
    type Ref<'a> = f32;
    const COLUMN: PhysCol = PhysCol { ty: PhysType::F32, nullable: false };

    fn datum<'a>(value: Self::Ref<'a>) -> Datum<'a> {
        Datum::Float(f64::from(value))
    }

    fn value(datum: Datum<'_>) -> Option<f32> {
        f64::value(datum).map(|x| x as f32)
    }

    fn lend(&self) -> f32 {
        *self
    }
}

columns_of_one!([] f32);

const BYTES: PhysCol = PhysCol {
    ty: PhysType::Var { collation: Collation::Binary, max_bytes: LONGEST },
    nullable: false,
};

impl Column for String {
    type Ref<'a> = &'a str;
    /// Of another collation than bytes are, and of the same order: a table of the one is not taken for a table of the other.
    const COLUMN: PhysCol = PhysCol {
        ty: PhysType::Var { collation: Collation::Utf8mb40900Bin, max_bytes: LONGEST },
        nullable: false,
    };

    fn datum<'a>(value: Self::Ref<'a>) -> Datum<'a> {
        Datum::Bytes(value.as_bytes())
    }

    fn value(datum: Datum<'_>) -> Option<String> {
        datum.as_bytes().and_then(|b| String::from_utf8(b.to_vec()).ok())
    }

    fn lend(&self) -> &str {
        self
    }
}

columns_of_one!([] String);
impl Key for String {}

impl Column for Vec<u8> {
    type Ref<'a> = &'a [u8];
    const COLUMN: PhysCol = BYTES;

    fn datum<'a>(value: Self::Ref<'a>) -> Datum<'a> {
        Datum::Bytes(value)
    }

    fn value(datum: Datum<'_>) -> Option<Vec<u8>> {
        datum.as_bytes().map(<[u8]>::to_vec)
    }

    fn lend(&self) -> &[u8] {
        self
    }
}

columns_of_one!([] Vec<u8>);
impl Key for Vec<u8> {}

impl<const N: usize> Column for [u8; N] {
    type Ref<'a> = &'a [u8; N];
    const COLUMN: PhysCol = PhysCol {
        ty: PhysType::Fixed {
            len: {
                assert!(0 < N && N <= 1024, "an array in a row has 1 to 1,024 bytes");
                N as u16
            },
        },
        nullable: false,
    };

    fn datum<'a>(value: Self::Ref<'a>) -> Datum<'a> {
        Datum::Bytes(value)
    }

    fn value(datum: Datum<'_>) -> Option<[u8; N]> {
        datum.as_bytes()?.try_into().ok()
    }

    fn lend(&self) -> &[u8; N] {
        self
    }
}

columns_of_one!([const N: usize] [u8; N]);
impl<const N: usize> Key for [u8; N] {}

impl<T: Column> Column for Option<T> {
    type Ref<'a> = Option<T::Ref<'a>>;
    const COLUMN: PhysCol = {
        assert!(!T::COLUMN.nullable, "an Option of an Option is no column");
        PhysCol { ty: T::COLUMN.ty, nullable: true }
    };

    fn datum<'a>(value: Self::Ref<'a>) -> Datum<'a> {
        value.map_or(Datum::Null, T::datum)
    }

    fn value(datum: Datum<'_>) -> Option<Option<T>> {
        match datum {
            Datum::Null => Some(None),
            datum => T::value(datum).map(Some),
        }
    }

    fn lend(&self) -> Option<T::Ref<'_>> {
        self.as_ref().map(T::lend)
    }
}

columns_of_one!([T: Column] Option<T>);

impl Columns for () {
    type Ref<'a> = ();
    const COLUMNS: &'static [PhysCol] = &[];

    fn push<'a>((): (), _: &mut dyn FnMut(Datum<'a>)) {}

    fn read(_: &RowView<'_>, _: usize) -> Option<()> {
        Some(())
    }

    fn lend_all(&self) {}
}

macro_rules! tuple {
    ($($type:ident $name:ident $at:literal),*) => {
        impl<$($type: Column),*> Columns for ($($type,)*) {
            type Ref<'a> = ($($type::Ref<'a>,)*);
            const COLUMNS: &'static [PhysCol] = &[$($type::COLUMN),*];

            fn push<'a>(($($name,)*): Self::Ref<'a>, to: &mut dyn FnMut(Datum<'a>)) {
                $(to($type::datum($name));)*
            }

            fn read(row: &RowView<'_>, first: usize) -> Option<Self> {
                Some(($($type::value(row.get(first + $at))?,)*))
            }

            fn lend_all(&self) -> Self::Ref<'_> {
                let ($($name,)*) = self;
                ($($name.lend(),)*)
            }
        }
    };
}

tuple!(A a 0, B b 1);
tuple!(A a 0, B b 1, C c 2);
tuple!(A a 0, B b 1, C c 2, D d 3);
tuple!(A a 0, B b 1, C c 2, D d 3, E e 4);
tuple!(A a 0, B b 1, C c 2, D d 3, E e 4, F f 5);
tuple!(A a 0, B b 1, C c 2, D d 3, E e 4, F f 5, G g 6);
tuple!(A a 0, B b 1, C c 2, D d 3, E e 4, F f 5, G g 6, H h 7);

impl<A: Column + Key, B: Column + Key> Key for (A, B) {}
impl<A: Column + Key, B: Column + Key, C: Column + Key> Key for (A, B, C) {}
impl<A: Column + Key, B: Column + Key, C: Column + Key, D: Column + Key> Key for (A, B, C, D) {}

/// Appends the bytes by which a tree finds the values.
pub(super) fn encode<'a, C: Columns>(values: C::Ref<'a>, out: &mut Vec<u8>) -> Result<()> {
    let mut parts = C::COLUMNS.iter();
    let mut done = Ok(());
    C::push(values, &mut |datum| {
        let Some(column) = parts.next().filter(|_| done.is_ok()) else { return };
        done = encode_datum(&KeyPartType::asc(column.ty, column.nullable), datum, out);
    });
    done.map_err(|e| Error::Unsupported(format!("this cannot be a key: {e}")))
}

/// The columns of a stored row from `first` on.
pub(super) fn decode<C: Columns>(table: &Stored, row: &[u8], first: usize) -> Result<C> {
    C::read(&RowView::new(&table.layout, row), first).ok_or_else(|| Error::Corrupt {
        what: "a value does not have its column's type".to_owned(),
        place: format!("table '{}'", table.def.name),
    })
}
