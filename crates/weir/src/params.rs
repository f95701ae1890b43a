//! Parameters of statements.

use crate::value::{Date, DateTime, Decimal, Json, Time, Value};
use weir_sql::session_api::ParamValue;

mod sealed {
    /// Keeps the parameter's form out of the public interface.
    pub trait Sealed {}
}

/// A value that can be a parameter.
pub trait ToParam {
    /// The value that takes the place of the `?`.
    fn to_value(&self) -> Value;
}

macro_rules! to_param {
    ($($ty:ty => |$v:ident| $value:expr;)*) => {$(
        impl ToParam for $ty {
            fn to_value(&self) -> Value {
                let $v = self;
                $value
            }
        }
    )*};
}

to_param! {
    i8 => |v| Value::Int((*v).into());
    i16 => |v| Value::Int((*v).into());
    i32 => |v| Value::Int((*v).into());
    i64 => |v| Value::Int(*v);
    u8 => |v| Value::UInt((*v).into());
    u16 => |v| Value::UInt((*v).into());
    u32 => |v| Value::UInt((*v).into());
    u64 => |v| Value::UInt(*v);
    usize => |v| Value::UInt(*v as u64);
    isize => |v| Value::Int(*v as i64);
    bool => |v| Value::Int((*v).into());
    f32 => |v| Value::Float(*v);
    f64 => |v| Value::Double(*v);
    str => |v| Value::Text(v.to_owned());
    String => |v| Value::Text(v.clone());
    [u8] => |v| Value::Bytes(v.to_vec());
    Vec<u8> => |v| Value::Bytes(v.clone());
    Decimal => |v| Value::Decimal(v.clone());
    Date => |v| Value::Date(*v);
    Time => |v| Value::Time(*v);
    DateTime => |v| Value::DateTime(*v);
    Json => |v| Value::Json(v.0.clone());
    Value => |v| v.clone();
}

impl<const N: usize> ToParam for [u8; N] {
    fn to_value(&self) -> Value {
        Value::Bytes(self.to_vec())
    }
}

impl<T: ToParam> ToParam for Option<T> {
    fn to_value(&self) -> Value {
        self.as_ref().map_or(Value::Null, ToParam::to_value)
    }
}

impl<T: ToParam + ?Sized> ToParam for &T {
    fn to_value(&self) -> Value {
        (**self).to_value()
    }
}

/// The parameters of a statement, one for each `?`: `()` for none, the macro [`params!`](crate::params), a tuple, or a slice.
pub trait Params: sealed::Sealed {
    #[doc(hidden)]
    fn into_values(self) -> Vec<Value>;
}

impl sealed::Sealed for () {}
impl Params for () {
    fn into_values(self) -> Vec<Value> {
        Vec::new()
    }
}

impl sealed::Sealed for &[&dyn ToParam] {}
impl Params for &[&dyn ToParam] {
    fn into_values(self) -> Vec<Value> {
        self.iter().map(|p| p.to_value()).collect()
    }
}

impl sealed::Sealed for &[Value] {}
impl Params for &[Value] {
    fn into_values(self) -> Vec<Value> {
        self.to_vec()
    }
}

impl sealed::Sealed for Vec<Value> {}
impl Params for Vec<Value> {
    fn into_values(self) -> Vec<Value> {
        self
    }
}

macro_rules! tuples {
    ($(($($name:ident $at:tt),*))*) => {$(
        impl<$($name: ToParam),*> sealed::Sealed for ($($name,)*) {}
        impl<$($name: ToParam),*> Params for ($($name,)*) {
            fn into_values(self) -> Vec<Value> {
                vec![$(self.$at.to_value()),*]
            }
        }
    )*};
}

tuples! {
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
}

pub(crate) fn bound(params: impl Params) -> Vec<ParamValue> {
    params.into_values().into_iter().map(Value::into_param).collect()
}

/// Parameters of a statement, of any types that implement [`ToParam`].
///
/// ```
/// # use weir::{params, Database};
/// # fn main() -> weir::Result<()> {
/// let mut conn = Database::open_in_memory()?.connect()?;
/// let row = conn.query_row("SELECT ? + 1, ?", params![41, "text"])?;
/// assert_eq!((row.get::<i64>(0)?, row.get::<String>(1)?), (42, "text".to_string()));
/// # Ok(()) }
/// ```
#[macro_export]
macro_rules! params {
    ($($value:expr),* $(,)?) => {
        &[$(&$value as &dyn $crate::ToParam),*] as &[&dyn $crate::ToParam]
    };
}
