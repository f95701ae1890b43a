//! Rows and their columns.

use crate::error::{Error, Result};
use crate::value::{Date, DateTime, Decimal, Json, Time, Value};
use std::sync::Arc;
use weir_sql::session_api::{ColumnMeta, OutValue, column_flag, column_type};

/// What the values of a column are.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ColumnType {
    /// NULL in every row.
    Null,
    /// Any integer; YEAR.
    Int,
    /// Any unsigned integer.
    UInt,
    /// FLOAT.
    Float,
    /// DOUBLE.
    Double,
    /// DECIMAL.
    Decimal,
    /// Any text.
    Text,
    /// Any bytes; BIT, geometries.
    Bytes,
    /// JSON.
    Json,
    /// DATE.
    Date,
    /// TIME.
    Time,
    /// DATETIME, TIMESTAMP.
    DateTime,
}

/// One column of a result.
#[derive(Clone, Debug)]
pub struct Column {
    meta: ColumnMeta,
    ty: ColumnType,
}

impl Column {
    fn new(meta: ColumnMeta) -> Column {
        let ty = column_kind(&meta);
        Column { meta, ty }
    }

    /// Whether it was made of this. Names are not compared but by their place.
    fn is_of(&self, m: &ColumnMeta) -> bool {
        let a = &self.meta;
        let numbers = |m: &ColumnMeta| (m.collation_id, m.length, m.type_code, m.flags, m.decimals);
        let place = |a: &Arc<str>, b: &Arc<str>| Arc::ptr_eq(a, b);
        numbers(a) == numbers(m)
            && place(&a.name, &m.name)
            && place(&a.table, &m.table)
            && place(&a.schema, &m.schema)
            && place(&a.org_name, &m.org_name)
            && place(&a.org_table, &m.org_table)
            && a.text == m.text
            && a.encoded.is_none()
            && m.encoded.is_none()
    }

    /// Its name, or its alias in the statement.
    pub fn name(&self) -> &str {
        &self.meta.name
    }

    /// The table that it is of, by its alias in the statement; empty for an expression.
    pub fn table(&self) -> &str {
        &self.meta.table
    }

    /// The schema of that table.
    pub fn schema(&self) -> &str {
        &self.meta.schema
    }

    /// The column's own name in its table; empty for an expression.
    pub fn origin(&self) -> &str {
        &self.meta.org_name
    }

    /// What its values are.
    pub fn column_type(&self) -> ColumnType {
        self.ty
    }

    /// MySQL's number of the type (`MYSQL_TYPE_*`).
    pub fn type_code(&self) -> u8 {
        self.meta.type_code
    }

    /// Whether it can be NULL.
    pub fn is_nullable(&self) -> bool {
        self.meta.flags & column_flag::NOT_NULL == 0
    }

    /// Digits behind the point, of numbers and times.
    pub fn decimals(&self) -> u8 {
        self.meta.decimals
    }

    /// The longest value in bytes, as it is shown.
    pub fn display_length(&self) -> u32 {
        self.meta.length
    }
}

/// MySQL's number of the collation of bytes.
const BINARY: u16 = 63;

fn column_kind(meta: &ColumnMeta) -> ColumnType {
    use column_type as t;
    let unsigned = meta.flags & column_flag::UNSIGNED != 0;
    match meta.type_code {
        t::NULL => ColumnType::Null,
        t::TINY | t::SHORT | t::LONG | t::INT24 | t::LONGLONG if unsigned => ColumnType::UInt,
        t::TINY | t::SHORT | t::LONG | t::INT24 | t::LONGLONG | t::YEAR => ColumnType::Int,
        t::FLOAT => ColumnType::Float,
        t::DOUBLE => ColumnType::Double,
        t::DECIMAL | t::NEWDECIMAL => ColumnType::Decimal,
        t::DATE => ColumnType::Date,
        t::TIME => ColumnType::Time,
        t::DATETIME | t::TIMESTAMP => ColumnType::DateTime,
        t::JSON => ColumnType::Json,
        t::BIT | t::GEOMETRY => ColumnType::Bytes,
        _ if meta.collation_id == BINARY => ColumnType::Bytes,
        _ => ColumnType::Text,
    }
}

/// The columns of a result, shared by its rows.
#[derive(Debug, Default)]
pub(crate) struct Columns(pub Vec<Column>);

impl Columns {
    pub fn of(metas: &[ColumnMeta]) -> Arc<Columns> {
        Arc::new(Columns(metas.iter().cloned().map(Column::new).collect()))
    }

    /// The same, which may be those that are there already: a statement that is executed again has the names of its plan.
    pub fn like(there: &Arc<Columns>, metas: &[ColumnMeta]) -> Arc<Columns> {
        let same = |(a, b): (&Column, &ColumnMeta)| a.is_of(b);
        match there.0.len() == metas.len() && there.0.iter().zip(metas).all(same) {
            true => there.clone(),
            false => Columns::of(metas),
        }
    }

    fn find(&self, name: &str) -> Option<usize> {
        if let Some(at) = self.0.iter().position(|c| c.name() == name) {
            return Some(at);
        }
        // Names of columns are compared without regard to case, as everywhere in MySQL.
        let name = name.to_lowercase();
        self.0.iter().position(|c| c.name().to_lowercase() == name)
    }
}

/// A value of a row as the program gets it, and about how many bytes it takes.
pub(crate) fn value_of(v: &OutValue<'_>, column: &Column) -> Value {
    match *v {
        OutValue::Null => Value::Null,
        OutValue::Int(n) if column.ty == ColumnType::UInt => Value::UInt(n as u64),
        OutValue::UInt(n) if column.ty == ColumnType::Int => Value::Int(n as i64),
        OutValue::Int(n) => Value::Int(n),
        OutValue::UInt(n) => Value::UInt(n),
        OutValue::Double(x) | OutValue::Shown(x, _) if column.ty == ColumnType::Float => {
            Value::Float(x as f32)
        }
        OutValue::Double(x) | OutValue::Shown(x, _) => Value::Double(x),
        OutValue::Float(x) => Value::Float(x),
        OutValue::Bytes(b) => bytes_of(b, column),
        OutValue::Date { year, month, day } => Value::Date(Date { year, month, day }),
        OutValue::DateTime { year, month, day, hour, minute, second, micros, .. } => {
            let date = Date { year, month, day };
            Value::DateTime(DateTime { date, hour, minute, second, micros })
        }
        OutValue::Time { negative, hours, minutes, seconds, micros, .. } => {
            Value::Time(Time { negative, hours, minutes, seconds, micros })
        }
    }
}

fn bytes_of(b: &[u8], column: &Column) -> Value {
    let text = match (column.ty, std::str::from_utf8(b)) {
        (ColumnType::Bytes, _) | (_, Err(_)) => return Value::Bytes(b.to_vec()),
        (_, Ok(text)) => text,
    };
    let number = match column.ty {
        ColumnType::Decimal => Some(Value::Decimal(Decimal::of_column(text.to_owned()))),
        ColumnType::Json => Some(Value::Json(text.to_owned())),
        // Expressions that give another kind than they announced come as texts.
        ColumnType::Int => text.parse().ok().map(Value::Int),
        ColumnType::UInt => text.parse().ok().map(Value::UInt),
        ColumnType::Double => text.parse().ok().map(Value::Double),
        ColumnType::Float => text.parse().ok().map(Value::Float),
        _ => None,
    };
    number.unwrap_or_else(|| Value::Text(text.to_owned()))
}

/// One row of a result. It is the program's own: it stays when the next one is asked for.
#[derive(Clone, Debug)]
pub struct Row {
    columns: Arc<Columns>,
    values: Box<[Value]>,
}

impl Row {
    pub(crate) fn new(columns: Arc<Columns>, values: Box<[Value]>) -> Row {
        Row { columns, values }
    }

    /// A value by its column's name or number (from 0), as a type that it has, exactly: an integer that does not fit, or a fraction as an
    /// integer, is [`Error::Conversion`].
    pub fn get<T: FromValue>(&self, column: impl ColumnIndex) -> Result<T> {
        let at = column.find(self)?;
        T::from_value(&self.values[at]).map_err(|wanted| Error::Conversion {
            column: format!("'{}'", self.columns.0[at].name()),
            message: format!("{} is no {wanted}", described(&self.values[at])),
        })
    }

    /// The value itself.
    pub fn value(&self, column: impl ColumnIndex) -> Result<&Value> {
        Ok(&self.values[column.find(self)?])
    }

    /// All values, in the order of the columns.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// All values, given away.
    pub fn into_values(self) -> Vec<Value> {
        self.values.into_vec()
    }

    /// The columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns.0
    }

    /// How many values it has.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether it has no values, which no result's row is.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The whole row as a type.
    pub fn into_typed<T: FromRow>(self) -> Result<T> {
        T::from_row(&self)
    }
}

/// A value for a message: the beginning of long ones.
fn described(v: &Value) -> String {
    match v {
        Value::Null => "NULL".into(),
        Value::Bytes(_) => v.kind().into(),
        _ => {
            let text = v.to_string();
            let short: String = text.chars().take(40).collect();
            let more = if short.len() < text.len() { "..." } else { "" };
            format!("{} ({short}{more})", v.kind())
        }
    }
}

/// A column's number from 0, or its name.
pub trait ColumnIndex {
    #[doc(hidden)]
    fn find(&self, row: &Row) -> Result<usize>;
}

impl ColumnIndex for usize {
    fn find(&self, row: &Row) -> Result<usize> {
        match *self < row.values.len() {
            true => Ok(*self),
            false => Err(Error::NoSuchColumn { column: self.to_string() }),
        }
    }
}

impl ColumnIndex for &str {
    fn find(&self, row: &Row) -> Result<usize> {
        let none = || Error::NoSuchColumn { column: format!("'{self}'") };
        row.columns.find(self).ok_or_else(none)
    }
}

/// A type that a value can be read as.
pub trait FromValue: Sized {
    /// The value, or the name of what was wanted. Nothing is rounded, cut or guessed.
    fn from_value(value: &Value) -> std::result::Result<Self, &'static str>;
}

macro_rules! integers {
    ($($ty:ty),*) => {$(
        impl FromValue for $ty {
            fn from_value(value: &Value) -> std::result::Result<$ty, &'static str> {
                let whole = match value {
                    Value::Int(n) => i128::from(*n),
                    Value::UInt(n) => i128::from(*n),
                    // SUM() of integers is a decimal.
                    Value::Decimal(d) => d.to_i128().ok_or(stringify!($ty))?,
                    _ => return Err(stringify!($ty)),
                };
                whole.try_into().map_err(|_| stringify!($ty))
            }
        }
    )*};
}

integers!(i8, i16, i32, i64, i128, u8, u16, u32, u64, usize, isize);

impl FromValue for f64 {
    fn from_value(value: &Value) -> std::result::Result<f64, &'static str> {
        match value {
            Value::Double(x) => Ok(*x),
            Value::Float(x) => Ok(f64::from(*x)),
            Value::Decimal(d) => Ok(d.to_f64()),
            Value::Int(n) => Ok(*n as f64),
            Value::UInt(n) => Ok(*n as f64),
            _ => Err("f64"),
        }
    }
}

impl FromValue for f32 {
    fn from_value(value: &Value) -> std::result::Result<f32, &'static str> {
        match value {
            Value::Float(x) => Ok(*x),
            _ => Err("f32"),
        }
    }
}

impl FromValue for bool {
    fn from_value(value: &Value) -> std::result::Result<bool, &'static str> {
        match value {
            Value::Int(0) | Value::UInt(0) => Ok(false),
            Value::Int(1) | Value::UInt(1) => Ok(true),
            _ => Err("bool"),
        }
    }
}

impl FromValue for String {
    fn from_value(value: &Value) -> std::result::Result<String, &'static str> {
        match value {
            Value::Text(t) | Value::Json(t) => Ok(t.clone()),
            Value::Decimal(d) => Ok(d.as_str().to_owned()),
            _ => Err("String"),
        }
    }
}

macro_rules! plain {
    ($($ty:ty: $name:literal, $($variant:pat => $value:expr),*;)*) => {$(
        impl FromValue for $ty {
            fn from_value(value: &Value) -> std::result::Result<$ty, &'static str> {
                match value {
                    $($variant => Ok($value),)*
                    _ => Err($name),
                }
            }
        }
    )*};
}

plain! {
    Vec<u8>: "bytes", Value::Bytes(b) => b.clone(), Value::Text(t) => t.clone().into_bytes();
    Decimal: "Decimal", Value::Decimal(d) => d.clone(), Value::Int(n) => (*n).into();
    Json: "Json", Value::Json(t) => Json(t.clone());
    Date: "Date", Value::Date(d) => *d;
    Time: "Time", Value::Time(t) => *t;
    DateTime: "DateTime", Value::DateTime(d) => *d;
}

impl FromValue for Value {
    fn from_value(value: &Value) -> std::result::Result<Value, &'static str> {
        Ok(value.clone())
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: &Value) -> std::result::Result<Option<T>, &'static str> {
        match value {
            Value::Null => Ok(None),
            other => T::from_value(other).map(Some),
        }
    }
}

/// A type that a whole row can be read as: tuples, structures that [`from_row!`](crate::from_row) defines, and what a program implements it for.
pub trait FromRow: Sized {
    /// The row as this type.
    fn from_row(row: &Row) -> Result<Self>;
}

impl FromRow for Row {
    fn from_row(row: &Row) -> Result<Row> {
        Ok(row.clone())
    }
}

/// 1318's sense for rows: a tuple has as many parts as the row has columns.
fn check_len(row: &Row, wanted: usize) -> Result<()> {
    match row.len() == wanted {
        true => Ok(()),
        false => Err(Error::misuse(format!(
            "a row of {} columns was asked for as a tuple of {wanted}",
            row.len()
        ))),
    }
}

macro_rules! row_tuples {
    ($($n:literal ($($name:ident $at:tt),*))*) => {$(
        impl<$($name: FromValue),*> FromRow for ($($name,)*) {
            fn from_row(row: &Row) -> Result<Self> {
                check_len(row, $n)?;
                Ok(($(row.get::<$name>($at)?,)*))
            }
        }
    )*};
}

row_tuples! {
    1 (A 0)
    2 (A 0, B 1)
    3 (A 0, B 1, C 2)
    4 (A 0, B 1, C 2, D 3)
    5 (A 0, B 1, C 2, D 3, E 4)
    6 (A 0, B 1, C 2, D 3, E 4, F 5)
    7 (A 0, B 1, C 2, D 3, E 4, F 5, G 6)
    8 (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_are_exact() {
        let int = |v: Value| i32::from_value(&v).ok();
        assert_eq!(int(Value::UInt(7)), Some(7));
        assert_eq!(int(Value::Decimal("12.00".parse().unwrap())), Some(12));
        for wrong in [
            Value::Int(1 << 40),
            Value::Decimal("1.5".parse().unwrap()),
            Value::Text("7".into()),
            Value::Double(7.0),
            Value::Null,
        ] {
            assert_eq!(int(wrong.clone()), None, "{wrong:?}");
        }
        assert_eq!(u8::from_value(&Value::Int(-1)), Err("u8"));
        assert_eq!(<Option<u8>>::from_value(&Value::Null), Ok(None));
        assert_eq!(bool::from_value(&Value::Int(2)), Err("bool"));
    }
}
