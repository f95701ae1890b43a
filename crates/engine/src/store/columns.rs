//! Rust's types as columns of rows and parts of keys.

use crate::error::{Error, Result};
use crate::row::{Collation, Datum, KeyPartType, Pen, PhysCol, PhysType, RowView, encode_datum};
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
    /// The value of a column of a stored row, without a copy; `None`: what is there is of another type.
    #[doc(hidden)]
    fn lent<'a>(row: &RowView<'a>, i: usize) -> Option<Self::Ref<'a>>;
    #[doc(hidden)]
    fn own(value: Self::Ref<'_>) -> Self;
    #[doc(hidden)]
    fn lend(&self) -> Self::Ref<'_>;
    /// Appends the bytes by which a tree finds a value of a column that is never NULL, as [`encode_datum`] does. False: that has to do it.
    #[doc(hidden)]
    fn put_key(_: Self::Ref<'_>, _: &mut Vec<u8>) -> bool {
        false
    }
    /// Writes a column of a row. False: a [`RowBuilder`](crate::row::RowBuilder) has to write the row.
    #[doc(hidden)]
    fn put(_: Self::Ref<'_>, _: usize, _: &mut Pen<'_>) -> bool {
        false
    }
}

/// What a row has behind its key, or the columns of an index: one [`Column`], a tuple of up to eight, or `()`.
pub trait Columns: Sized {
    /// How values are handed over, see [`Column::Ref`].
    type Ref<'a>: Copy;
    #[doc(hidden)]
    const COLUMNS: &'static [PhysCol];
    #[doc(hidden)]
    fn push<'a>(values: Self::Ref<'a>, to: &mut dyn FnMut(Datum<'a>));
    /// The columns of a stored row from `first` on, without a copy.
    #[doc(hidden)]
    fn lent_all<'a>(row: &RowView<'a>, first: usize) -> Option<Self::Ref<'a>>;
    #[doc(hidden)]
    fn own_all(values: Self::Ref<'_>) -> Self;
    #[doc(hidden)]
    fn lend_all(&self) -> Self::Ref<'_>;
    /// Appends the bytes by which a tree finds the values, where each column does so itself. False: `out` is of no use.
    #[doc(hidden)]
    fn put_keys(values: Self::Ref<'_>, out: &mut Vec<u8>) -> bool;
    /// Writes the columns from `first` on, see [`Column::put`].
    #[doc(hidden)]
    fn put_all(values: Self::Ref<'_>, first: usize, pen: &mut Pen<'_>) -> bool;
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

            fn lent_all<'a>(row: &RowView<'a>, first: usize) -> Option<Self::Ref<'a>> {
                <$type as Column>::lent(row, first)
            }

            fn own_all(value: Self::Ref<'_>) -> Self {
                <$type as Column>::own(value)
            }

            fn lend_all(&self) -> Self::Ref<'_> {
                self.lend()
            }

            fn put_keys(value: Self::Ref<'_>, out: &mut Vec<u8>) -> bool {
                <$type as Column>::put_key(value, out)
            }

            fn put_all(value: Self::Ref<'_>, first: usize, pen: &mut Pen<'_>) -> bool {
                <$type as Column>::put(value, first, pen)
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

            #[inline]
            fn lent<'a>(row: &RowView<'a>, i: usize) -> Option<$type> {
                if let Some(bytes) = row.fixed(i) {
                    return Some(<$type>::from_le_bytes(*bytes));
                }
                match row.get(i) {
                    Datum::$datum(n) => <$type>::try_from(n).ok(),
                    _ => None,
                }
            }

            fn own(value: $type) -> $type {
                value
            }

            fn lend(&self) -> $type {
                *self
            }

            #[inline]
            fn put_key(value: $type, out: &mut Vec<u8>) -> bool {
                // Negative numbers are below the others: their sign is turned over.
                out.extend_from_slice(&(value ^ <$type>::MIN).to_be_bytes());
                true
            }

            #[inline]
            fn put(value: $type, i: usize, pen: &mut Pen<'_>) -> bool {
                pen.fixed(i, &value.to_le_bytes())
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

    fn lent<'a>(row: &RowView<'a>, i: usize) -> Option<bool> {
        u8::lent(row, i).map(|n| n != 0)
    }

    fn own(value: bool) -> bool {
        value
    }

    fn lend(&self) -> bool {
        *self
    }

    fn put_key(value: bool, out: &mut Vec<u8>) -> bool {
        u8::put_key(value.into(), out)
    }

    fn put(value: bool, i: usize, pen: &mut Pen<'_>) -> bool {
        u8::put(value.into(), i, pen)
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

    fn lent<'a>(row: &RowView<'a>, i: usize) -> Option<f64> {
        match row.get(i) {
            Datum::Float(x) => Some(x),
            _ => None,
        }
    }

    fn own(value: f64) -> f64 {
        value
    }

    fn put(value: f64, i: usize, pen: &mut Pen<'_>) -> bool {
        pen.fixed(i, &value.to_le_bytes())
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

    fn lent<'a>(row: &RowView<'a>, i: usize) -> Option<f32> {
        f64::lent(row, i).map(|x| x as f32)
    }

    fn own(value: f32) -> f32 {
        value
    }

    fn put(value: f32, i: usize, pen: &mut Pen<'_>) -> bool {
        pen.fixed(i, &value.to_le_bytes())
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

    #[inline]
    fn lent<'a>(row: &RowView<'a>, i: usize) -> Option<&'a str> {
        std::str::from_utf8(<Vec<u8> as Column>::lent(row, i)?).ok()
    }

    fn own(value: &str) -> String {
        value.to_owned()
    }

    fn put(value: &str, i: usize, pen: &mut Pen<'_>) -> bool {
        pen.var(i, value.as_bytes())
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

    #[inline]
    fn lent<'a>(row: &RowView<'a>, i: usize) -> Option<&'a [u8]> {
        row.var(i).or_else(|| row.get(i).as_bytes())
    }

    fn own(value: &[u8]) -> Vec<u8> {
        value.to_vec()
    }

    fn put(value: &[u8], i: usize, pen: &mut Pen<'_>) -> bool {
        pen.var(i, value)
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

    #[inline]
    fn lent<'a>(row: &RowView<'a>, i: usize) -> Option<&'a [u8; N]> {
        row.fixed(i).or_else(|| row.get(i).as_bytes()?.try_into().ok())
    }

    fn own(value: &[u8; N]) -> [u8; N] {
        *value
    }

    fn put_key(value: &[u8; N], out: &mut Vec<u8>) -> bool {
        out.extend_from_slice(value);
        true
    }

    fn put(value: &[u8; N], i: usize, pen: &mut Pen<'_>) -> bool {
        pen.fixed(i, value)
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

    fn lent<'a>(row: &RowView<'a>, i: usize) -> Option<Option<T::Ref<'a>>> {
        match row.is_null(i) {
            true => Some(None),
            false => T::lent(row, i).map(Some),
        }
    }

    fn own(value: Option<T::Ref<'_>>) -> Option<T> {
        value.map(T::own)
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

    fn lent_all<'a>(_: &RowView<'a>, _: usize) -> Option<()> {
        Some(())
    }

    fn own_all((): ()) {}

    fn lend_all(&self) {}

    fn put_keys((): (), _: &mut Vec<u8>) -> bool {
        true
    }

    fn put_all((): (), _: usize, _: &mut Pen<'_>) -> bool {
        true
    }
}

macro_rules! tuple {
    ($($type:ident $name:ident $at:literal),*) => {
        impl<$($type: Column),*> Columns for ($($type,)*) {
            type Ref<'a> = ($($type::Ref<'a>,)*);
            const COLUMNS: &'static [PhysCol] = &[$($type::COLUMN),*];

            fn push<'a>(($($name,)*): Self::Ref<'a>, to: &mut dyn FnMut(Datum<'a>)) {
                $(to($type::datum($name));)*
            }

            #[inline]
            fn lent_all<'a>(row: &RowView<'a>, first: usize) -> Option<Self::Ref<'a>> {
                Some(($($type::lent(row, first + $at)?,)*))
            }

            fn own_all(($($name,)*): Self::Ref<'_>) -> Self {
                ($($type::own($name),)*)
            }

            fn lend_all(&self) -> Self::Ref<'_> {
                let ($($name,)*) = self;
                ($($name.lend(),)*)
            }

            fn put_keys(($($name,)*): Self::Ref<'_>, out: &mut Vec<u8>) -> bool {
                $($type::put_key($name, out))&&*
            }

            #[inline]
            fn put_all(($($name,)*): Self::Ref<'_>, first: usize, pen: &mut Pen<'_>) -> bool {
                $($type::put($name, first + $at, pen))&&*
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
    let start = out.len();
    if C::put_keys(values, out) {
        return Ok(());
    }
    out.truncate(start);
    encode_data::<C>(values, out)
}

fn encode_data<'a, C: Columns>(values: C::Ref<'a>, out: &mut Vec<u8>) -> Result<()> {
    let mut parts = C::COLUMNS.iter();
    let mut done = Ok(());
    C::push(values, &mut |datum| {
        let Some(column) = parts.next().filter(|_| done.is_ok()) else { return };
        done = encode_datum(&KeyPartType::asc(column.ty, column.nullable), datum, out);
    });
    done.map_err(|e| Error::Unsupported(format!("this cannot be a key: {e}")))
}

/// The columns of a stored row from `first` on.
#[inline]
pub(super) fn decode<C: Columns>(table: &Stored, row: &[u8], first: usize) -> Result<C> {
    lent::<C>(table, &RowView::new(&table.layout, row), first).map(C::own_all)
}

/// The same, without a copy.
#[inline]
pub(super) fn lent<'a, C: Columns>(
    table: &Stored,
    row: &RowView<'a>,
    first: usize,
) -> Result<C::Ref<'a>> {
    C::lent_all(row, first).ok_or_else(|| not_of_its_type(table))
}

#[cold]
fn not_of_its_type(table: &Stored) -> Error {
    Error::Corrupt {
        what: "a value does not have its column's type".to_owned(),
        place: format!("table '{}'", table.def.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys of columns that write their own are those of the general way.
    #[track_caller]
    fn is_the_same<C: Columns>(values: C::Ref<'_>) {
        let (mut own, mut general) = (Vec::new(), Vec::new());
        if C::put_keys(values, &mut own) {
            encode_data::<C>(values, &mut general).expect("a key");
            assert_eq!(own, general);
        }
    }

    #[test]
    fn own_keys_are_those_of_the_general_way() {
        for n in [i64::MIN, -300, -129, -1, 0, 1, 127, 128, 65_535, i64::MAX] {
            is_the_same::<i8>(n as i8);
            is_the_same::<i16>(n as i16);
            is_the_same::<i32>(n as i32);
            is_the_same::<i64>(n);
            is_the_same::<u8>(n as u8);
            is_the_same::<u16>(n as u16);
            is_the_same::<u32>(n as u32);
            is_the_same::<u64>(n as u64);
            is_the_same::<bool>(n > 0);
            is_the_same::<[u8; 8]>(&n.to_le_bytes());
            is_the_same::<(u32, i16, [u8; 8])>((n as u32, n as i16, &n.to_be_bytes()));
            is_the_same::<(u32, String)>((n as u32, "text"));
            is_the_same::<(u32, Option<i32>)>((n as u32, None));
        }
    }
}
