//! Rows of the old table into rows of the new one.

use super::Env;
use super::change::comes_late;
use super::literal::plain_eval;
use super::plan::Plan;
use super::refused::value_error;
use crate::context::RowExprs;
use crate::errno;
use crate::meta::{ColumnDefault, SqlColumn, TableMeta};
use crate::session_api::SqlError;
use crate::value::convert::now;
use crate::value::store::same_values;
use crate::value::{Collation, SqlMode, SqlType, StoreCtx, TimeZone, Value, ValueError, Warnings};
use weir_engine::row::{Datum, DatumBuf, RowBuilder, RowForm, RowLayout, RowView};

/// Where a new column's values come from.
enum Source {
    Copy(usize),
    /// The same datum, which must not be NULL any more.
    NotNull(usize),
    Convert(usize),
    /// The column counts from now on: NULL and 0 get numbers.
    Numbered(usize),
    Constant(DatumBuf),
    /// '0000-00-00' where the mode forbids it: an error as soon as there is a row.
    Forbidden(SqlError),
    /// A new AUTO_INCREMENT column counts the rows.
    Number,
    /// By the column's expression.
    Made,
}

impl Source {
    /// What the new row has where nothing was made for it.
    fn datum<'r>(&'r self, row: RowView<'r>) -> Datum<'r> {
        match self {
            Source::Copy(c) | Source::NotNull(c) | Source::Convert(c) | Source::Numbered(c) => {
                row.get(*c)
            }
            Source::Constant(datum) => datum.as_ref(),
            Source::Number | Source::Forbidden(_) | Source::Made => Datum::Null,
        }
    }
}

/// Turns rows of the old definition into rows of the new one.
pub struct Mapper<'e> {
    layout: RowLayout,
    sources: Vec<Source>,
    old: Vec<SqlColumn>,
    new: Vec<SqlColumn>,
    /// Position of the AUTO_INCREMENT column.
    auto: Option<usize>,
    /// The largest number seen there.
    pub auto_max: u64,
    /// The first number of a new AUTO_INCREMENT column, and how far the next ones are from each other.
    numbers: (u64, u64),
    pub rows: u64,
    mode: SqlMode,
    tz: TimeZone,
    now_micros: i64,
    pub warnings: Warnings,
    /// The first error of the mapping itself.
    pub error: Option<SqlError>,
    /// The new definition's expressions, where each row is checked.
    exprs: Option<Box<dyn RowExprs + 'e>>,
    /// Rows count as copied, whatever becomes of their values.
    copies: bool,
    checks: bool,
    partitioned: bool,
}

impl<'e> Mapper<'e> {
    /// `form`: that of the new rows.
    pub fn new(
        old: &TableMeta,
        plan: &Plan,
        form: RowForm,
        env: &Env<'_>,
    ) -> Result<Mapper<'e>, SqlError> {
        let phys: Vec<_> = plan.meta.columns.iter().map(SqlColumn::phys).collect();
        let sources = plan.meta.columns.iter().zip(&plan.sources);
        let sources = sources
            .map(|(column, source)| match source {
                Some(i) => Ok(kept(&old.columns[*i], column, *i)),
                None if column.auto_increment && plan.meta.counts_within().is_some() => {
                    Ok(Source::Forbidden(numbers_groups()))
                }
                None => added(column, env),
            })
            .collect::<Result<_, SqlError>>()?;
        Ok(Mapper {
            layout: RowLayout::of(&phys, form),
            sources,
            old: old.columns.clone(),
            new: plan.meta.columns.clone(),
            auto: plan.meta.auto_increment(),
            auto_max: 0,
            numbers: first_number(plan, env),
            rows: 0,
            mode: env.mode,
            tz: env.tz,
            now_micros: env.now_micros,
            warnings: Warnings::default(),
            error: None,
            exprs: None,
            copies: false,
            checks: false,
            partitioned: plan.meta.partitions.is_some(),
        })
    }

    /// The expressions of the new definition. Generated columns are always worked out; rows are checked if values change or
    /// `again`: there are checks that they have not passed yet.
    pub fn compute_rows_by(&mut self, exprs: Option<Box<dyn RowExprs + 'e>>, anew: bool) {
        let made = |s: &Source| matches!(s, Source::Made);
        let generated = self.new.iter().any(SqlColumn::is_generated);
        let needed = anew
            || generated
            || self.partitioned
            || self.converts()
            || self.sources.iter().any(made);
        self.exprs = exprs.filter(|_| needed);
        self.copies = anew;
        self.checks = anew || self.converts();
    }

    /// Does any column change its values? (MySQL copies for that.)
    pub fn converts(&self) -> bool {
        let changes = |s: &Source| match s {
            Source::Convert(_) | Source::Numbered(_) => true,
            Source::NotNull(_) => !self.mode.strict(),
            _ => false,
        };
        self.copies || self.sources.iter().any(changes)
    }

    /// Appends the new row to `out`; the partition it goes to.
    pub fn map(&mut self, row: RowView<'_>, out: &mut Vec<u8>) -> Result<usize, String> {
        self.rows += 1;
        self.map_row(row, out).map_err(|e| {
            let message = e.message.clone();
            self.error.get_or_insert(e);
            message
        })
    }

    fn map_row(&mut self, row: RowView<'_>, out: &mut Vec<u8>) -> Result<usize, SqlError> {
        let mut made = self.made_values(&row)?;
        if self.exprs.is_some() {
            self.computed_values(&row, &mut made)?;
        }
        let mut builder = RowBuilder::new(&self.layout);
        let mut auto = None;
        for (i, source) in self.sources.iter().enumerate() {
            let datum = match (&made[i], source) {
                (Some(datum), _) => datum.as_ref(),
                (None, source) => source.datum(row),
            };
            if self.auto == Some(i) {
                auto = datum.as_u64();
            }
            builder.push(datum);
        }
        builder
            .finish_into(out)
            .map_err(|e| SqlError::internal(format!("ALTER TABLE cannot build row: {e}")))?;
        self.auto_max = self.auto_max.max(auto.unwrap_or(0));
        let Some(exprs) = self.exprs.as_mut().filter(|_| self.partitioned) else { return Ok(0) };
        // Where rows are evaluated all values were worked out.
        let values: Vec<DatumBuf> = made.into_iter().flatten().collect();
        exprs.partition(&values)
    }

    /// Works out what follows from the other columns, and checks the row.
    fn computed_values(
        &mut self,
        row: &RowView<'_>,
        made: &mut Vec<Option<DatumBuf>>,
    ) -> Result<(), SqlError> {
        let Some(exprs) = &mut self.exprs else { return Ok(()) };
        let value = |(m, source): (&mut Option<DatumBuf>, &Source)| match (m.take(), source) {
            (Some(d), _) => d,
            (None, source) => source.datum(*row).to_buf(),
        };
        let mut values: Vec<DatumBuf> = made.iter_mut().zip(&self.sources).map(value).collect();
        let added = |(i, s): (usize, &Source)| matches!(s, Source::Made).then_some(i);
        let added: Vec<usize> = self.sources.iter().enumerate().filter_map(added).collect();
        exprs.complete(&mut values, &added, self.rows)?;
        for (value, column) in values.iter().zip(&self.new) {
            if *value == DatumBuf::Null && !column.nullable {
                return Err(value_error(ValueError::bad_null(&column.name)));
            }
        }
        if self.checks {
            exprs.check(&values)?;
        }
        *made = values.into_iter().map(Some).collect();
        Ok(())
    }

    /// The values that are not taken over as they are.
    fn made_values(&mut self, row: &RowView<'_>) -> Result<Vec<Option<DatumBuf>>, SqlError> {
        let mut made = Vec::with_capacity(self.sources.len());
        for i in 0..self.sources.len() {
            made.push(match &self.sources[i] {
                Source::Copy(_) | Source::Constant(_) | Source::Made => None,
                Source::NotNull(c) if row.is_null(*c) => Some(self.null_value(i)?),
                Source::NotNull(_) => None,
                Source::Numbered(c) => Some(self.numbered(*c, i, row.get(*c))?),
                Source::Convert(c) => Some(self.converted(*c, i, row.get(*c))?),
                Source::Forbidden(error) => return Err(error.clone()),
                Source::Number => {
                    let (first, increment) = self.numbers;
                    let before = (self.rows - 1).saturating_mul(increment);
                    Some(self.drawn(i, first.saturating_add(before))?)
                }
            });
        }
        Ok(made)
    }

    /// NULL where there can be none any more: 1138, and outside of strict modes the type's zero.
    fn null_value(&mut self, to: usize) -> Result<DatumBuf, SqlError> {
        let column = &self.new[to];
        if self.mode.strict() || matches!(column.ty, SqlType::Geometry { .. }) {
            return Err(SqlError::of(errno::ER_INVALID_USE_OF_NULL, &[]));
        }
        let text = || format!("Data truncated for column '{}' at row {}", column.name, self.rows);
        self.warnings.warn(errno::ER_WARN_DATA_TRUNCATED, text);
        Ok(column.ty.zero())
    }

    /// A value of a column that becomes AUTO_INCREMENT: the next number for NULL, and for 0 where that asks for one.
    fn numbered(&mut self, from: usize, to: usize, datum: Datum<'_>) -> Result<DatumBuf, SqlError> {
        let ty = self.new[to].ty;
        if !datum.is_null() {
            let kept = self.converted(from, to, datum)?;
            if self.mode.has(SqlMode::NO_AUTO_VALUE_ON_ZERO) || kept != number(ty, 0) {
                return Ok(kept);
            }
        }
        self.drawn(to, self.auto_max.saturating_add(1))
    }

    /// A number that is given to a row. 1467 where the column has none left.
    fn drawn(&self, to: usize, n: u64) -> Result<DatumBuf, SqlError> {
        let mut unheard = Warnings::default();
        let mut cx = StoreCtx {
            column: &self.new[to].name,
            table: None,
            row: self.rows,
            strict: true,
            mode: self.mode,
            tz: self.tz,
            now_micros: self.now_micros,
            warnings: &mut unheard,
            session: None,
        };
        self.new[to]
            .ty
            .store(&Value::UInt(n), &mut cx)
            .map_err(|_| SqlError::of(errno::ER_AUTOINC_READ_FAILED, &[]))
    }

    fn converted(
        &mut self,
        from: usize,
        to: usize,
        datum: Datum<'_>,
    ) -> Result<DatumBuf, SqlError> {
        let column = &self.new[to];
        if datum.is_null() {
            return if column.nullable { Ok(DatumBuf::Null) } else { self.null_value(to) };
        }
        // What an ENUM is to a number is its place.
        let value: Value<'_> = match datum {
            Datum::UInt(n) if self.old[from].ty.is_list() && column.ty.is_numeric() => {
                Value::UInt(n)
            }
            _ => self.old[from].ty.load(datum, self.tz),
        };
        let old = &self.old[from].ty;
        let value = match column.ty {
            SqlType::Json => as_json_text(value, old),
            SqlType::Bit { .. } => as_bits(value, self.mode.strict(), &mut self.warnings)?,
            SqlType::Text { .. } => as_shown(value, old),
            ty if ty.is_string() && !matches!(old, SqlType::Bit { .. }) => as_shown(value, old),
            _ => value,
        };
        let mut cx = StoreCtx {
            column: &column.name,
            table: None,
            row: self.rows,
            strict: self.mode.strict(),
            mode: self.mode,
            tz: self.tz,
            now_micros: self.now_micros,
            warnings: &mut self.warnings,
            session: None,
        };
        column.ty.store(&value, &mut cx).map_err(value_error)
    }
}

/// A text that becomes a BIT is the number that it writes, while a text that is inserted is its bytes.
fn as_bits<'v>(
    value: Value<'v>,
    strict: bool,
    warnings: &mut Warnings,
) -> Result<Value<'v>, SqlError> {
    if !matches!(value, Value::Str(..) | Value::Bytes(_) | Value::Json(_)) {
        return Ok(value);
    }
    let mut said = Warnings::with_limit(1);
    let number = value.to_i64(&mut said).unwrap_or_default();
    match said.strict_error() {
        Some(error) if strict => Err(value_error(error)),
        error => {
            error.into_iter().for_each(|e| warnings.demote(e));
            Ok(Value::Int(number))
        }
    }
}

/// A number that becomes a text has the digits that its column shows, and a BIT that becomes a TEXT or BLOB is its bytes.
fn as_shown<'v>(value: Value<'v>, old: &SqlType) -> Value<'v> {
    if !value.is_numeric() {
        return value;
    }
    let mut text = Vec::new();
    old.write_text(&value, &mut text);
    match old {
        SqlType::Bit { .. } => Value::Bytes(text.into()),
        _ => Value::text(text, Collation::Utf8mb4Bin),
    }
}

/// A column that becomes JSON is read as the text that it shows: numbers are documents then, dates are none. The bits of a BIT are nobody's
/// text.
fn as_json_text<'v>(value: Value<'v>, old: &SqlType) -> Value<'v> {
    match value {
        Value::Json(_) | Value::Str(..) | Value::Bytes(_) => value,
        _ if matches!(old, SqlType::Bit { .. }) => Value::Bytes(Default::default()),
        other => {
            let mut text = Vec::new();
            old.write_text(&other, &mut text);
            Value::text(text, Collation::Utf8mb4Bin)
        }
    }
}

/// As INSERT counts: from the table's AUTO_INCREMENT on, by the session's steps. An offset beyond the step is not one.
fn first_number(plan: &Plan, env: &Env<'_>) -> (u64, u64) {
    let (increment, offset) = env.reads.settings.auto_increment;
    let increment = increment.max(1);
    let offset = if offset > increment { 0 } else { offset % increment };
    let least = plan.auto_increment.unwrap_or(1).max(1);
    let behind = (least % increment + increment - offset) % increment;
    let first = if behind == 0 { least } else { least.saturating_add(increment - behind) };
    (first, increment)
}

fn number(ty: SqlType, n: u64) -> DatumBuf {
    if ty.is_unsigned() { DatumBuf::UInt(n) } else { DatumBuf::Int(n as i64) }
}

fn kept(old: &SqlColumn, new: &SqlColumn, at: usize) -> Source {
    if new.auto_increment && !old.auto_increment {
        Source::Numbered(at)
    } else if !same_values(old.ty, new.ty) {
        Source::Convert(at)
    } else if old.nullable && !new.nullable {
        Source::NotNull(at)
    } else {
        Source::Copy(at)
    }
}

/// Rows come in the order of the old table here, and groups without a bound to their number would each need their last number kept.
fn numbers_groups() -> SqlError {
    SqlError::not_supported("numbers within the groups of a key for rows that are there")
}

/// What rows that exist get in a column that is added.
fn added(column: &SqlColumn, env: &Env<'_>) -> Result<Source, SqlError> {
    if column.auto_increment {
        return Ok(Source::Number);
    }
    Ok(match &column.default {
        ColumnDefault::Literal(datum) => Source::Constant(datum.clone()),
        ColumnDefault::Null => Source::Constant(DatumBuf::Null),
        ColumnDefault::None if column.nullable => Source::Constant(DatumBuf::Null),
        ColumnDefault::None => implicit(column, env),
        ColumnDefault::CurrentTimestamp(fsp) => {
            let cx = plain_eval(env);
            let value = now(&cx, *fsp).map_or(Value::Null, Value::DateTime);
            let stored = super::literal::store_default(column.ty, &value, &column.name, env);
            Source::Constant(stored.map_err(value_error)?)
        }
        ColumnDefault::Expr(_) | ColumnDefault::Generated { .. } => Source::Made,
    })
}

/// What rows that exist read in the columns that come with a plan, in their order; none where it has to be worked out for each row, or may
/// not stand in any. Of a virtual column whose values are worked out when rows are read it does not matter.
pub fn read_by_old_rows(plan: &Plan, env: &Env<'_>) -> Result<Option<Vec<DatumBuf>>, SqlError> {
    let come = plan.meta.columns.iter().enumerate().filter(|(i, _)| plan.sources[*i].is_none());
    let constant = |(at, column): (usize, &SqlColumn)| {
        Ok(match added(column, env)? {
            Source::Constant(datum) => Some(datum),
            Source::Made if comes_late(plan, at) => Some(column.phys().empty()),
            _ => None,
        })
    };
    come.map(constant).collect()
}

/// The zero of the type; zero dates only where the mode allows them.
fn implicit(column: &SqlColumn, env: &Env<'_>) -> Source {
    let kind = match column.ty {
        SqlType::Geometry { .. } => {
            return Source::Forbidden(value_error(ValueError::no_geometry()));
        }
        SqlType::Date => "date",
        SqlType::DateTime { .. } | SqlType::Timestamp { .. } => "datetime",
        _ => return Source::Constant(column.ty.zero()),
    };
    if !(env.mode.strict() && env.mode.has(SqlMode::NO_ZERO_DATE)) {
        return Source::Constant(column.ty.zero());
    }
    let zero = if kind == "date" { "0000-00-00" } else { "0000-00-00 00:00:00" };
    Source::Forbidden(value_error(ValueError::incorrect_temporal(kind, zero, &column.name, 1)))
}
