//! PARTITION BY: from the clause to what is kept of it, and whether the rest of the definition goes with it.
//!
//! Checked here is what the clause says by itself; that the expression is a number is checked where it is bound (`query::bind::rules`).

use super::expression::{self, Purpose};
use super::{Env, env, literal, partition_function, subpartition};
use crate::context::StatementCtx;
use crate::errno;
use crate::meta::partition::{
    Function, MAX_PARTITIONS, Method, Partition, Subpartitioning, Values,
};
use crate::meta::{ColumnDefault, Partitioning, SpecialKey, SqlColumn, TableMeta, same_name};
use crate::session_api::SqlError;
use crate::value::{Class, DatumBuf, SqlType, Value};
use std::collections::HashSet;
use weir_syntax::ast::{
    Expr, Ident, OptionValue, PartitionBy, PartitionDef, PartitionMethod, PartitionValues,
    TableOption,
};

/// The most columns that a list can have.
const MAX_COLUMNS: usize = 16;

fn error(number: u16, text: impl Into<String>) -> SqlError {
    SqlError::new(number, text)
}

/// What PARTITION BY of a table with these columns comes to.
pub fn define(
    by: &PartitionBy,
    place: (&str, &str),
    table: &TableMeta,
    ctx: &mut StatementCtx<'_>,
) -> Result<Box<Partitioning>, SqlError> {
    for (count, what) in [(by.count, "partitions"), (by.sub_count, "subpartitions")] {
        if count == Some(0) {
            return Err(error(
                errno::ER_NO_PARTS_ERROR,
                format!("Number of {what} = 0 is not an allowed value"),
            ));
        }
    }
    let method = method(&by.method)?;
    let numbered = by.partitions.is_empty();
    if numbered && !method.is_hash() {
        let text = format!("For {} partitions each partition must be defined", method.kind());
        return Err(error(errno::ER_PARTITIONS_MUST_BE_DEFINED_ERROR, text));
    }
    let (subparts, how) = subpartition::count(by)?;
    let given = by.count.unwrap_or(by.partitions.len().max(1) as u64);
    if !numbered && by.partitions.len() as u64 != given {
        return Err(error(
            errno::ER_PARTITION_WRONG_NO_PART_ERROR,
            "Wrong number of partitions defined, mismatch with previous setting",
        ));
    }
    subpartition::check_mixed(by, method)?;
    let function = function(&by.method, "partition", place.1, table)?;
    let sub = by.sub_method.as_ref().map(|m| self::function(m, "subpartition", place.1, table));
    let sub = sub.transpose()?;
    check_number(given.saturating_mul(subparts))?;
    let sub =
        sub.map(|function| Subpartitioning { function, count: subparts as usize, given: how });
    let mut made = Partitioning { function, numbered, parts: Vec::new(), sub };
    made.parts = match numbered {
        true => (0..given as usize).map(numbered_part).collect(),
        false => partitions(&made, &by.partitions, place, table, ctx)?,
    };
    check_values(&made, table)?;
    Ok(Box::new(made))
}

/// 1499.
pub fn check_number(partitions: u64) -> Result<(), SqlError> {
    match partitions > MAX_PARTITIONS as u64 {
        true => Err(error(
            errno::ER_TOO_MANY_PARTITIONS_ERROR,
            "Too many partitions (including subpartitions) were defined",
        )),
        false => Ok(()),
    }
}

/// A partition of which only the number was given.
pub fn numbered_part(n: usize) -> Partition {
    Partition {
        name: format!("p{n}"),
        values: Values::None,
        comment: String::new(),
        max_rows: 0,
        min_rows: 0,
        subparts: Vec::new(),
    }
}

fn method(by: &PartitionMethod) -> Result<Method, SqlError> {
    Ok(match by {
        PartitionMethod::Hash { linear, .. } => Method::Hash { linear: *linear },
        PartitionMethod::Key { linear, algorithm, .. } => match algorithm {
            None | Some(2) => Method::Key { linear: *linear, old: false },
            Some(1) => Method::Key { linear: *linear, old: true },
            Some(_) => return Err(SqlError::not_supported("KEY ALGORITHM other than 1 and 2")),
        },
        PartitionMethod::Range(_) => Method::Range,
        PartitionMethod::RangeColumns(_) => Method::RangeColumns,
        PartitionMethod::List(_) => Method::List,
        PartitionMethod::ListColumns(_) => Method::ListColumns,
    })
}

/// The expression's text and columns, or the columns of the list. `what`: partition or subpartition, for messages.
fn function(
    by: &PartitionMethod,
    what: &str,
    name: &str,
    table: &TableMeta,
) -> Result<Function, SqlError> {
    let method = method(by)?;
    let made = |expr, columns, implied| Ok(Function { method, expr, columns, implied });
    match by {
        PartitionMethod::Hash { expr, .. }
        | PartitionMethod::Range(expr)
        | PartitionMethod::List(expr) => {
            let written = expression::written(expr, Purpose::Default(name));
            let written = written.map_err(partition_function::disallowed)?;
            if written.columns.is_empty() {
                return Err(constant_function());
            }
            let columns = named(written.columns.iter().map(String::as_str), table)?;
            partition_function::allowed(expr, table)?;
            made(written.text, columns, false)
        }
        PartitionMethod::Key { columns, .. } if columns.is_empty() => {
            made(String::new(), implied(table)?, true)
        }
        PartitionMethod::Key { columns, .. }
        | PartitionMethod::RangeColumns(columns)
        | PartitionMethod::ListColumns(columns) => {
            if columns.len() > MAX_COLUMNS {
                return Err(error(
                    errno::ER_TOO_MANY_PARTITION_FUNC_FIELDS_ERROR,
                    format!("Too many fields in 'list of {what} fields'"),
                ));
            }
            let list = named(columns.iter().map(Ident::as_str), table)?;
            for (n, at) in list.iter().enumerate() {
                if list[..n].contains(at) {
                    let text = format!("Duplicate partition field name '{}'", columns[n]);
                    return Err(error(errno::ER_SAME_NAME_PARTITION_FIELD, text));
                }
                let key = matches!(by, PartitionMethod::Key { .. });
                check_listed(&table.columns[*at], key)?;
            }
            made(String::new(), list, false)
        }
    }
}

/// The columns of KEY (): those of the primary key, or of the first unique one without NULL. 1488: there is none.
pub fn implied(table: &TableMeta) -> Result<Vec<usize>, SqlError> {
    let not_null = |i: &&crate::meta::SqlIndex| {
        i.unique && i.parts.iter().all(|p| !table.columns[p.column].nullable)
    };
    let key = table.primary().or_else(|| table.indexes.iter().find(not_null));
    let key = key.ok_or_else(|| {
        error(
            errno::ER_FIELD_NOT_FOUND_PART_ERROR,
            "Field in list of fields for partition function not found in table",
        )
    })?;
    Ok(key.parts.iter().map(|p| p.column).collect())
}

fn named<'n>(
    names: impl Iterator<Item = &'n str>,
    table: &TableMeta,
) -> Result<Vec<usize>, SqlError> {
    let find = |name: &str| {
        table.column(name).ok_or_else(|| {
            error(
                errno::ER_FIELD_NOT_FOUND_PART_ERROR,
                "Field in list of fields for partition function not found in table",
            )
        })
    };
    names.map(find).collect()
}

pub fn wrong_field(name: &str) -> SqlError {
    let text = format!("Field '{name}' is of a not allowed type for this type of partitioning");
    error(errno::ER_FIELD_TYPE_NOT_ALLOWED_AS_PARTITION_FIELD, text)
}

pub fn constant_function() -> SqlError {
    error(
        errno::ER_WRONG_EXPR_IN_PARTITION_FUNC_ERROR,
        "Constant, random or timezone-dependent expressions in (sub)partitioning function are not allowed",
    )
}

/// 1502 and 1659 for columns that KEY, RANGE COLUMNS and LIST COLUMNS do not take.
fn check_listed(column: &SqlColumn, key: bool) -> Result<(), SqlError> {
    if column.ty.is_lob() {
        return Err(error(
            errno::ER_BLOB_FIELD_IN_PART_FUNC_ERROR,
            "A BLOB field is not allowed in partition function",
        ));
    }
    match may_be_listed(column.ty, key) {
        true => Ok(()),
        false => Err(wrong_field(&column.name)),
    }
}

/// Types of the columns of KEY, RANGE COLUMNS and LIST COLUMNS.
fn may_be_listed(ty: SqlType, key: bool) -> bool {
    match ty.class() {
        Class::Null | Class::Json => false,
        Class::Int => key || matches!(ty, SqlType::Int { .. }),
        Class::Decimal | Class::Real => key,
        Class::Text => key || !ty.is_list(),
        Class::DateTime => key || !matches!(ty, SqlType::Timestamp { .. }),
        Class::Date | Class::Time => true,
    }
}

/// The partitions of a list with their subpartitions, for a table that is partitioned as `by` says. Nothing is said yet of how their
/// values go together.
pub fn partitions(
    by: &Partitioning,
    defs: &[PartitionDef],
    place: (&str, &str),
    table: &TableMeta,
    ctx: &mut StatementCtx<'_>,
) -> Result<Vec<Partition>, SqlError> {
    let mut out: Vec<Partition> = Vec::with_capacity(defs.len());
    for def in defs {
        let name = checked_name(&def.name)?;
        let values = values(by, def, place, table, ctx)?;
        let mut part = Partition { name, values, ..numbered_part(0) };
        options(&mut part, &def.options, place, ctx)?;
        if let Some(sub) = &by.sub {
            part.subparts = subpartition::of(&part, sub.count, &def.subpartitions, place, ctx)?;
        }
        out.push(part);
    }
    Ok(out)
}

/// 1059 and 1567 for what is no name of a partition or subpartition.
pub fn checked_name(name: &Ident) -> Result<String, SqlError> {
    let name = name.as_str();
    super::refused::check_length(name)?;
    if name.is_empty() || name.ends_with(' ') {
        return Err(error(
            errno::ER_WRONG_PARTITION_NAME,
            format!("The partition name '{name}' is not allowed"),
        ));
    }
    Ok(name.to_owned())
}

fn values(
    by: &Partitioning,
    def: &PartitionDef,
    place: (&str, &str),
    table: &TableMeta,
    ctx: &mut StatementCtx<'_>,
) -> Result<Values, SqlError> {
    let by = &by.function;
    let (kind, name) = (by.method.kind(), def.name.as_str());
    let width = if by.method.has_expr() { 1 } else { by.columns.len() };
    let inconsistent = || {
        error(
            errno::ER_PARTITION_COLUMN_LIST_ERROR,
            "Inconsistency in usage of column lists for partitioning",
        )
    };
    let mut value = |n: usize, e: &Expr| {
        let ty = match by.method.has_expr() {
            true => number_type(by, table),
            false => table.columns[by.columns[n]].ty,
        };
        constant(e, (ty, by.method.has_expr()), name, place, ctx)
    };
    match (&def.values, by.method) {
        (None, m) if m.is_hash() => Ok(Values::None),
        (None, _) => {
            let word = if by.method.is_range() { "LESS THAN" } else { "IN" };
            Err(error(
                errno::ER_PARTITION_REQUIRES_VALUES_ERROR,
                format!(
                    "Syntax error: {kind} PARTITIONING requires definition of VALUES {word} for each partition"
                ),
            ))
        }
        (Some(PartitionValues::LessThan(list)), m) if m.is_range() => {
            if list.len() != width {
                // MAXVALUE without parentheses is one value, whatever the list.
                return Err(inconsistent());
            }
            let mut bound = Vec::with_capacity(width);
            for (n, e) in list.iter().enumerate() {
                let v = e.as_ref().map(|e| value(n, e)).transpose()?;
                if v == Some(DatumBuf::Null) {
                    return Err(error(
                        errno::ER_NULL_IN_VALUES_LESS_THAN,
                        "Not allowed to use NULL value in VALUES LESS THAN",
                    ));
                }
                bound.push(v);
            }
            Ok(Values::LessThan(bound))
        }
        (Some(PartitionValues::In(list)), m) if m.is_list() => {
            let mut all = Vec::with_capacity(list.len());
            for tuple in list {
                if tuple.len() != width {
                    return Err(inconsistent());
                }
                let mut values = Vec::with_capacity(width);
                for (n, e) in tuple.iter().enumerate() {
                    let e = e.as_ref().ok_or_else(|| {
                        error(
                            errno::ER_MAXVALUE_IN_VALUES_IN,
                            "Cannot use MAXVALUE as value in VALUES IN",
                        )
                    })?;
                    values.push(value(n, e)?);
                }
                all.push(values);
            }
            Ok(Values::In(all))
        }
        (Some(PartitionValues::LessThan(_)), _) => Err(error(
            errno::ER_PARTITION_WRONG_VALUES_ERROR,
            "Only RANGE PARTITIONING can use VALUES LESS THAN in partition definition",
        )),
        (Some(PartitionValues::In(_)), _) => Err(error(
            errno::ER_PARTITION_WRONG_VALUES_ERROR,
            "Only LIST PARTITIONING can use VALUES IN in partition definition",
        )),
    }
}

/// What the values of an expression are compared as.
fn number_type(by: &Function, table: &TableMeta) -> SqlType {
    let unsigned = by.columns.iter().any(|c| {
        let ty = table.columns[*c].ty;
        ty.class() == Class::Int && ty.is_unsigned()
    });
    if unsigned { SqlType::UBIGINT } else { SqlType::BIGINT }
}

/// The value of a constant as a column of type `ty` has it. A number may be worked out; so may what a column is compared with. As in
/// MySQL an integer goes with integers, and a text, or a date, with all other columns.
fn constant(
    e: &Expr,
    (ty, number): (SqlType, bool),
    partition: &str,
    place: (&str, &str),
    ctx: &mut StatementCtx<'_>,
) -> Result<DatumBuf, SqlError> {
    let wrong = || match number {
        true => error(
            errno::ER_PARTITION_CONST_DOMAIN_ERROR,
            "Partition constant is out of partition function domain",
        ),
        false => wrong_value(),
    };
    literal::check_introduced(e).map_err(crate::ddl::refused::value_error)?;
    let (class, v) = match literal::constant(e, ctx.reads.settings.collation) {
        Some(v) => (class_of(&v), v),
        None => {
            let (ty, v) = computed(e, partition, place, ctx)?.ok_or_else(wrong)?;
            // A number is what it turns out to be: UNIX_TIMESTAMP of a text has a fraction if the text has one.
            (if ty.is_numeric() { class_of(&v) } else { Class::Text }, v)
        }
    };
    if v.is_null() {
        return Ok(DatumBuf::Null);
    }
    let integer = class == Class::Int;
    if number && !integer {
        let text = format!("VALUES value for partition '{partition}' must have type INT");
        return Err(error(errno::ER_VALUES_IS_NOT_INT_TYPE_ERROR, text));
    }
    let exact = matches!(class, Class::Decimal | Class::Real);
    if exact || integer != (ty.class() == Class::Int) {
        return Err(wrong_value());
    }
    let env = env(ctx, place.0, place.1);
    literal::store_default(ty, &v, partition, &env).map_err(|_| wrong())
}

fn wrong_value() -> SqlError {
    error(errno::ER_WRONG_TYPE_COLUMN_VALUE_ERROR, "Partition column values of incorrect type")
}

fn class_of(v: &Value<'_>) -> Class {
    match v {
        Value::Int(_) | Value::UInt(_) => Class::Int,
        Value::Decimal(_) => Class::Decimal,
        Value::Double(_) => Class::Real,
        _ => Class::Text,
    }
}

/// The value of an expression without columns, and its type. `None`: it has none, for it fails.
fn computed(
    e: &Expr,
    partition: &str,
    place: (&str, &str),
    ctx: &mut StatementCtx<'_>,
) -> Result<Option<(SqlType, Value<'static>)>, SqlError> {
    let written = expression::written(e, Purpose::Default(partition));
    let written = written.map_err(partition_function::disallowed)?;
    if written.columns.is_empty() && !written.varies {
        partition_function::allowed_constant(e)?;
    }
    if !written.columns.is_empty() || written.varies {
        return Err(constant_function());
    }
    let default = ColumnDefault::Expr(written.text);
    let column = SqlColumn { default, ..SqlColumn::new("value", SqlType::BIGINT) };
    let alone = TableMeta::new(vec![column], ctx.reads.settings.collation);
    let exprs = ctx.reads.bind_rows(ctx.now_micros, place.1, &alone)?;
    Ok(exprs.and_then(|mut e| e.default_value(0).ok()))
}

pub fn options(
    part: &mut Partition,
    options: &[TableOption],
    (schema, name): (&str, &str),
    ctx: &mut StatementCtx<'_>,
) -> Result<(), SqlError> {
    let number = |v: &OptionValue| match v {
        OptionValue::Int(n) => *n,
        _ => 0,
    };
    for o in options {
        match o.name {
            "COMMENT" => {
                let mut env = env(ctx, schema, name);
                let found = super::options::read(
                    name,
                    std::slice::from_ref(o),
                    crate::value::Collation::Utf8mb4GeneralCi,
                    &mut env,
                )?;
                part.comment = found.comment.unwrap_or_default();
            }
            "MAX_ROWS" => part.max_rows = number(&o.value),
            "MIN_ROWS" => part.min_rows = number(&o.value),
            "ENGINE" => {
                let mut env = env(ctx, schema, name);
                super::options::read(
                    name,
                    std::slice::from_ref(o),
                    crate::value::Collation::Utf8mb4GeneralCi,
                    &mut env,
                )?;
            }
            other => {
                let text = format!("<{other}> option ignored");
                ctx.changes.warnings.warn(errno::WARN_OPTION_IGNORED, || text);
            }
        }
    }
    Ok(())
}

/// How the values of all partitions go together: names, 1481, 1493, 1495.
pub fn check_values(by: &Partitioning, table: &TableMeta) -> Result<(), SqlError> {
    let mut names: HashSet<String> = HashSet::new();
    for p in by.parts.iter().flat_map(|p| std::iter::once(p).chain(&p.subparts)) {
        if !names.insert(p.name.to_lowercase()) {
            return Err(error(
                errno::ER_SAME_NAME_PARTITION,
                format!("Duplicate partition name {}", p.name),
            ));
        }
    }
    check_number(by.leaves() as u64)?;
    let ends: Vec<Bound> =
        by.parts.iter().filter_map(|p| Bound::of(by, &p.values, table)).collect();
    for pair in ends.windows(2) {
        if pair[0].is_max() {
            return Err(error(
                errno::ER_PARTITION_MAXVALUE_ERROR,
                "MAXVALUE can only be used in last partition definition",
            ));
        }
        if !pair[0].is_below(&pair[1]) {
            return Err(error(
                errno::ER_RANGE_NOT_INCREASING_ERROR,
                "VALUES LESS THAN value must be strictly increasing for each partition",
            ));
        }
    }
    let mut seen: HashSet<Vec<u8>> = HashSet::new();
    for p in &by.parts {
        let Values::In(list) = &p.values else { continue };
        for tuple in list {
            if !seen.insert(tuple_key(by, table, tuple)) {
                return Err(error(
                    errno::ER_MULTIPLE_DEF_CONST_IN_LIST_PART_ERROR,
                    "Multiple definition of same constant in list partitioning",
                ));
            }
        }
    }
    Ok(())
}

/// A tuple of values as bytes that are equal where the values are.
fn tuple_key(by: &Partitioning, table: &TableMeta, tuple: &[DatumBuf]) -> Vec<u8> {
    crate::meta::partition::key_of(&by.function, table, tuple).unwrap_or_default()
}

/// The end of a RANGE partition.
struct Bound(Option<Vec<u8>>);

impl Bound {
    fn of(by: &Partitioning, values: &Values, table: &TableMeta) -> Option<Bound> {
        let Values::LessThan(bound) = values else { return None };
        Some(Bound(crate::meta::partition::end_of(&by.function, table, bound)))
    }

    fn is_max(&self) -> bool {
        self.0.is_none()
    }

    fn is_below(&self, other: &Bound) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => a < b,
            (Some(_), None) => true,
            (None, _) => false,
        }
    }
}

/// What the rest of a definition must be for its partitions: 1503, 1506.
pub fn check_table(table: &TableMeta) -> Result<(), SqlError> {
    let Some(by) = &table.partitions else { return Ok(()) };
    if !table.foreign.is_empty() {
        return Err(no_foreign_keys());
    }
    if table.special.iter().any(SpecialKey::is_fulltext) {
        let text = "The used table type doesn't support FULLTEXT indexes";
        return Err(error(errno::ER_TABLE_CANT_HANDLE_FT, text));
    }
    for index in table.indexes.iter().filter(|i| i.unique) {
        let has = |c: usize| index.parts.iter().any(|p| p.column == c && p.prefix.is_none());
        if !by.all_columns().all(has) {
            let what = if index.is_primary() { "PRIMARY KEY" } else { "UNIQUE INDEX" };
            return Err(error(
                errno::ER_UNIQUE_KEY_NEED_ALL_FIELDS_IN_PF,
                format!(
                    "A {what} must include all columns in the table's partitioning function (prefixed columns are not considered)."
                ),
            ));
        }
    }
    Ok(())
}

/// 1506.
pub fn no_foreign_keys() -> SqlError {
    error(
        errno::ER_FOREIGN_KEY_ON_PARTITIONED,
        "Foreign keys are not yet supported in conjunction with partitioning",
    )
}

/// Whether the partitions are still some after ALTER TABLE: the columns may have other types or collations now.
pub fn check_again(table: &TableMeta) -> Result<(), SqlError> {
    let Some(by) = &table.partitions else { return Ok(()) };
    check_values(by, table)?;
    let sub = by.sub.iter().map(|s| &s.function);
    for f in std::iter::once(&by.function).chain(sub).filter(|f| f.method.has_expr()) {
        partition_function::allowed(&expression::parse(&f.expr)?, table)?;
    }
    if !by.function.method.has_expr() {
        return Ok(());
    }
    let unsigned = number_type(&by.function, table) == SqlType::UBIGINT;
    let outside = |d: &DatumBuf| match d {
        DatumBuf::Int(v) => unsigned && *v < 0,
        DatumBuf::UInt(v) => !unsigned && i64::try_from(*v).is_err(),
        _ => false,
    };
    let any = by.parts.iter().any(|p| match &p.values {
        Values::None => false,
        Values::LessThan(bound) => bound.iter().flatten().any(outside),
        Values::In(list) => list.iter().flatten().any(outside),
    });
    match any {
        true => Err(error(
            errno::ER_PARTITION_CONST_DOMAIN_ERROR,
            "Partition constant is out of partition function domain",
        )),
        false => Ok(()),
    }
}

/// The partitioning over the columns as ALTER TABLE leaves them. `sources`: for each new column the old one.
pub fn carried(
    old: &TableMeta,
    new: &TableMeta,
    sources: &[Option<usize>],
    env: &Env<'_>,
) -> Result<Option<Box<Partitioning>>, SqlError> {
    let Some(by) = &old.partitions else { return Ok(None) };
    let mut by = by.clone();
    let now_at = |at: usize| {
        let was = &old.columns[at].name;
        let now = sources.iter().position(|s| *s == Some(at));
        now.filter(|n| same_name(&new.columns[*n].name, was)).ok_or_else(|| {
            error(
                errno::ER_DEPENDENT_BY_PARTITION_FUNC,
                format!("Column '{was}' has a partitioning function dependency and cannot be dropped or renamed."),
            )
        })
    };
    let types: Vec<SqlType> = by.function.columns.iter().map(|c| old.columns[*c].ty).collect();
    for f in by.functions_mut() {
        for at in &mut f.columns {
            *at = now_at(*at)?;
        }
        let key = matches!(f.method, Method::Key { .. });
        for c in f.columns.iter().filter(|_| !f.method.has_expr()) {
            check_listed(&new.columns[*c], key)?;
        }
    }
    if !by.function.method.has_expr() {
        let now = by.function.columns.iter().map(|c| new.columns[*c].ty);
        let types: Vec<(SqlType, SqlType)> = types.into_iter().zip(now).collect();
        convert(&mut by.parts, &types, env)?;
    }
    Ok(Some(by))
}

/// The values of partitions as columns of other types have them.
fn convert(
    parts: &mut [Partition],
    types: &[(SqlType, SqlType)],
    env: &Env<'_>,
) -> Result<(), SqlError> {
    let one = |d: &mut DatumBuf, (was, now): (SqlType, SqlType)| -> Result<(), SqlError> {
        if was == now || *d == DatumBuf::Null {
            return Ok(());
        }
        let v = was.load(d.as_ref(), env.tz).into_owned();
        let stored = literal::store_default(now, &v, "partition", env);
        *d = stored.map_err(|_| wrong_value())?;
        Ok(())
    };
    for p in parts {
        match &mut p.values {
            Values::None => {}
            Values::LessThan(bound) => {
                for (d, ty) in bound.iter_mut().zip(types) {
                    d.as_mut().map_or(Ok(()), |d| one(d, *ty))?;
                }
            }
            Values::In(list) => {
                for tuple in list {
                    for (d, ty) in tuple.iter_mut().zip(types) {
                        one(d, *ty)?;
                    }
                }
            }
        }
    }
    Ok(())
}
