//! What may stand in the expression of PARTITION BY: its value must follow from the row alone, whatever the day, the time zone and the
//! session's mode are. So functions of dates take dates only, those of times times, and arithmetic numbers: whatever else would be
//! converted first, by rules that a session sets.

use super::partition::{constant_function, wrong_field};
use crate::errno;
use crate::func;
use crate::func::facts::{Id, Partitions};
use crate::meta::TableMeta;
use crate::session_api::SqlError;
use crate::value::{Class, SqlType};
use weir_syntax::ast::{BinaryOp, Expr, Literal, TimeUnit, UnaryOp};

/// What an expression gives, as far as it matters for what it may be given to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Date,
    DateTime,
    Time,
    /// A text that stands in the definition.
    Written,
    Other,
}

/// 1564 for what may not stand in a partitioning function, 1486 for what depends on more than the row, 1659 for columns that are no
/// numbers by themselves.
pub fn allowed(e: &Expr, table: &TableMeta) -> Result<(), SqlError> {
    if let Expr::Column(c) = e {
        let ty = table.column(c.column.as_str()).map(|at| table.columns[at].ty);
        return match ty {
            Some(ty) if ty.class() == Class::Int => Ok(()),
            _ => Err(wrong_field(c.column.as_str())),
        };
    }
    kind(e, table).map(|_| ())
}

/// 1564 for what may not stand in VALUES: a constant is made of what a partitioning function may be made of.
pub fn allowed_constant(e: &Expr) -> Result<(), SqlError> {
    match e {
        Expr::Literal(_) | Expr::Param(_) => Ok(()),
        Expr::Unary { op: UnaryOp::Neg | UnaryOp::Plus, expr } | Expr::Extract { expr, .. } => {
            allowed_constant(expr)
        }
        Expr::Binary {
            op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::IntDiv | BinaryOp::Mod,
            left,
            right,
        } => allowed_constant(left).and_then(|()| allowed_constant(right)),
        Expr::Call(call) => {
            let def = func::lookup(call.name.as_str());
            match def.is_some_and(|d| d.partitions != Partitions::No) {
                true => call.args.iter().try_for_each(allowed_constant),
                false => Err(refused()),
            }
        }
        _ => Err(refused()),
    }
}

fn refused() -> SqlError {
    SqlError::of(errno::ER_PARTITION_FUNCTION_IS_NOT_ALLOWED, &[])
}

/// What may stand in no expression of a definition may not stand here: told as such, not as what it is for a default.
pub fn disallowed(e: SqlError) -> SqlError {
    // Functions, variables, rows.
    if (errno::ER_DEFAULT_VAL_GENERATED_FUNCTION_IS_NOT_ALLOWED
        ..=errno::ER_DEFAULT_VAL_GENERATED_VARIABLES)
        .contains(&e.errno)
    {
        refused()
    } else {
        e
    }
}

fn column(name: &str, table: &TableMeta) -> Kind {
    match table.column(name).map(|at| table.columns[at].ty.class()) {
        Some(Class::Int | Class::Decimal | Class::Real) => Kind::Number,
        Some(Class::Date) => Kind::Date,
        Some(Class::DateTime) => Kind::DateTime,
        Some(Class::Time) => Kind::Time,
        _ => Kind::Other,
    }
}

fn kind(e: &Expr, table: &TableMeta) -> Result<Kind, SqlError> {
    match e {
        Expr::Odbc { expr, .. } => kind(expr, table),
        Expr::Literal(Literal::Time(_)) => Err(constant_function()),
        Expr::Literal(Literal::Date(_)) => Ok(Kind::Date),
        Expr::Literal(Literal::Timestamp(_)) => Ok(Kind::DateTime),
        Expr::Literal(Literal::Str { .. } | Literal::Sent { .. }) => Ok(Kind::Written),
        Expr::Literal(_) => Ok(Kind::Number),
        // What it is depends on the session's time zone, except for UNIX_TIMESTAMP.
        Expr::Column(c) if is_timestamp(c.column.as_str(), table) => Err(constant_function()),
        Expr::Column(c) => Ok(column(c.column.as_str(), table)),
        Expr::Unary { op: UnaryOp::Neg | UnaryOp::Plus, expr } => numbers([&**expr], table),
        Expr::Binary {
            op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::IntDiv | BinaryOp::Mod,
            left,
            right,
        } => numbers([&**left, &**right], table),
        Expr::Extract { unit, expr } => takes([&**expr], extracted(*unit)?, table),
        Expr::Call(call) => {
            let Some(def) = func::lookup(call.name.as_str()) else { return Err(refused()) };
            match (def.partitions, &call.args[..]) {
                (Partitions::Stamp, [Expr::Column(c)])
                    if is_timestamp(c.column.as_str(), table) =>
                {
                    Ok(Kind::Number)
                }
                (Partitions::Stamp, _) => Err(constant_function()),
                (Partitions::Numbers, args) => numbers(args, table),
                (Partitions::DateAndMode, [date, mode]) => {
                    numbers([mode], table)?;
                    takes([date], DATES, table)
                }
                (Partitions::Dates | Partitions::DateAndMode, args) => takes(args, DATES, table),
                (Partitions::Times, args) => takes(args, TIMES, table),
                (Partitions::No, _) if def.clock.is_some() || def.id == Id::Rand => {
                    Err(constant_function())
                }
                (Partitions::No, _) => Err(refused()),
            }
        }
        _ => Err(refused()),
    }
}

const DATES: &[Kind] = &[Kind::Date, Kind::DateTime];
const TIMES: &[Kind] = &[Kind::Time, Kind::DateTime];

fn is_timestamp(name: &str, table: &TableMeta) -> bool {
    let ty = table.column(name).map(|at| table.columns[at].ty);
    matches!(ty, Some(SqlType::Timestamp { .. }))
}

/// What EXTRACT of a unit takes.
fn extracted(unit: TimeUnit) -> Result<&'static [Kind], SqlError> {
    use TimeUnit as U;
    Ok(match unit {
        U::Week => return Err(refused()),
        U::Day | U::Month | U::Quarter | U::Year | U::YearMonth => DATES,
        U::DayMicrosecond | U::DaySecond | U::DayMinute | U::DayHour => &[Kind::DateTime],
        _ => TIMES,
    })
}

/// Arguments of a function that gives a number; each is one of `kinds`. A text of the definition is read as a date or time beside a column.
fn takes<'e>(
    args: impl IntoIterator<Item = &'e Expr>,
    kinds: &[Kind],
    table: &TableMeta,
) -> Result<Kind, SqlError> {
    let mut known = false;
    for e in args {
        let kind = kind(e, table)?;
        known |= kinds.contains(&kind);
        if !kinds.contains(&kind) && kind != Kind::Written {
            return Err(constant_function());
        }
    }
    if known { Ok(Kind::Number) } else { Err(constant_function()) }
}

/// A text of the definition is no number: what it is read as may be a warning, or an error, by the session's mode.
fn numbers<'e>(
    args: impl IntoIterator<Item = &'e Expr>,
    table: &TableMeta,
) -> Result<Kind, SqlError> {
    for e in args {
        if kind(e, table)? != Kind::Number {
            return Err(constant_function());
        }
    }
    Ok(Kind::Number)
}
