//! Which partition a row belongs to, and which partitions a search can find rows in.
//!
//! Both rest on one function of the partitioning columns ([`Router::key`]), whose value stands among the partitions as the key of a row
//! stands among the ranges of an index. Everything is worked out from values as they are stored, on a clock without time zone, so that no
//! setting of a session moves a row.
//!
//! Invariants
//! - A row is only ever looked for in the partition that its values give it.
//! - Pruning may keep a partition without rows, never leave out one with rows: the conditions are checked on the row again.

use super::access::{Key, KeyRange, Search};
use super::bind::Binder;
use super::expr::{BExpr, Ev, Node, eval};
use super::frame::{Frame, Shape, Slot};
use super::{Run, rules};
use crate::context::{Reads, UserVars};
use crate::ddl::expression;
use crate::meta::partition::{self, Method, Values, part_type};
use crate::meta::{Partitioning, SqlTable, TableMeta};
use crate::session_api::SqlError;
use crate::value::{DatumBuf, SqlMode, SqlType, TimeZone, Value, ValueError, Warnings};
use std::collections::HashMap;
use std::sync::Arc;
use weir_engine::Table;
use weir_engine::row::{RowView, encode_datum};

/// Values that a search has at most, to be looked at one by one.
const MAX_POINTS: usize = 4096;
/// Numbers of a range at most that are looked at one by one, as in MySQL.
const MAX_WALK: i128 = 32;

/// How the value of the expression follows its only column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rising {
    /// It is the column, an integer.
    Same,
    Days,
    Seconds,
    Unix,
    Year,
}

/// The partitioning of a table, bound.
pub struct Router {
    expr: Option<BExpr>,
    shapes: [Shape; 1],
    rising: Option<Rising>,
    /// Of RANGE: the key behind each partition.
    ends: Vec<Option<Vec<u8>>>,
    /// Of LIST: the partition of each key.
    lists: HashMap<Vec<u8>, usize>,
}

impl Router {
    pub fn bind(
        b: &mut Binder<'_>,
        by: &Partitioning,
        table: &TableMeta,
    ) -> Result<Router, SqlError> {
        let mut expr = None;
        if by.method.has_expr() {
            b.place("partition function");
            let e = b.numeric(&expression::parse(&by.expr)?)?;
            if !matches!(e.info.ty, SqlType::Int { .. } | SqlType::Year | SqlType::Bit { .. }) {
                return Err(SqlError::new(1491, "The PARTITION function returns the wrong type"));
            }
            expr = Some(e);
        }
        let mut lists = HashMap::new();
        let mut ends = Vec::new();
        for (n, p) in by.parts.iter().enumerate() {
            match &p.values {
                Values::None => {}
                Values::LessThan(bound) => ends.push(partition::end_of(by, table, bound)),
                Values::In(list) => {
                    let keys = list.iter().filter_map(|t| partition::key_of(by, table, t));
                    lists.extend(keys.map(|k| (k, n)));
                }
            }
        }
        let shapes = [Shape::Values(table.columns.iter().map(|c| c.ty).collect())];
        let rising = expr.as_ref().and_then(|e| rising(e, table));
        Ok(Router { expr, shapes, rising, ends, lists })
    }

    /// The value of the expression; NULL too where it is none that counts.
    fn number(
        &self,
        table: &TableMeta,
        by: &Partitioning,
        get: &dyn Fn(usize) -> DatumBuf,
        ev: &mut Ev<'_>,
    ) -> Result<DatumBuf, ValueError> {
        if self.rising == Some(Rising::Same) {
            return Ok(get(by.columns[0]));
        }
        let Some(e) = &self.expr else { return Ok(DatumBuf::Null) };
        let mut row = vec![Value::Null; table.columns.len()];
        for c in &by.columns {
            row[*c] = table.columns[*c].ty.load(get(*c).as_ref(), TimeZone::UTC).into_owned();
        }
        let slots = [Slot::Values(row)];
        let frame = Frame { shapes: &self.shapes, slots: &slots, ..Frame::empty(&[]) };
        let warnings = std::mem::replace(&mut ev.cx.warnings, Warnings::with_limit(0));
        // Neither the session's mode nor the day may move a row.
        let set = (TimeZone::UTC, false, SqlMode::default(), 0);
        let cx = &mut ev.cx;
        let before = (cx.tz, cx.strict_dml, cx.mode, cx.now_micros);
        (cx.tz, cx.strict_dml, cx.mode, cx.now_micros) = set;
        let v = eval(e, &frame, ev).map(Value::into_owned);
        let cx = &mut ev.cx;
        (cx.tz, cx.strict_dml, cx.mode, cx.now_micros) = before;
        ev.cx.warnings = warnings;
        Ok(match v? {
            Value::Int(n) => DatumBuf::Int(n),
            Value::UInt(n) => DatumBuf::UInt(n),
            _ => DatumBuf::Null,
        })
    }

    /// The partition of a row with these values; otherwise the value that none is for, as 1526 tells it.
    fn place(
        &self,
        table: &TableMeta,
        get: &dyn Fn(usize) -> DatumBuf,
        ev: &mut Ev<'_>,
    ) -> Result<Result<usize, String>, ValueError> {
        let Some(by) = &table.partitions else { return Ok(Ok(0)) };
        let n = by.parts.len();
        if let Method::Key { linear, .. } = by.method {
            return Ok(Ok(spread(column_hash(by, table, get), n, linear)));
        }
        let values = match by.method.has_expr() {
            true => vec![self.number(table, by, get, ev)?],
            false => by.columns.iter().map(|c| get(*c)).collect(),
        };
        if let Method::Hash { linear } = by.method {
            return Ok(Ok(match (linear, signed(&values[0])) {
                (true, v) => spread(v as u64, n, true),
                (false, v) => (v % n as i64).unsigned_abs() as usize,
            }));
        }
        let nowhere = || match (&values[..], by.method.has_expr()) {
            ([DatumBuf::Int(v)], true) => v.to_string(),
            ([DatumBuf::UInt(v)], true) => v.to_string(),
            (_, true) => "NULL".to_owned(),
            (_, false) => "from column_list".to_owned(),
        };
        let Some(key) = partition::key_of(by, table, &values) else { return Ok(Err(nowhere())) };
        let found = match by.method.is_range() {
            true => Some(self.among(&key)).filter(|at| *at < n),
            false => self.lists.get(&key).copied(),
        };
        Ok(found.ok_or_else(nowhere))
    }

    /// The first partition whose end is behind the key; their number, where there is none.
    fn among(&self, key: &[u8]) -> usize {
        self.ends.partition_point(|e| e.as_ref().is_some_and(|e| &e[..] <= key))
    }
}

/// What the value of an expression over one column is to the column.
fn rising(e: &BExpr, table: &TableMeta) -> Option<Rising> {
    match &e.node {
        Node::Col(c) => {
            let ty = table.columns[usize::from(c.col)].ty;
            matches!(ty, SqlType::Int { .. }).then_some(Rising::Same)
        }
        Node::Func(def, args) => {
            let [BExpr { node: Node::Col(c), .. }] = &args[..] else { return None };
            let ty = table.columns[usize::from(c.col)].ty;
            let dated = matches!(ty, SqlType::Date | SqlType::DateTime { .. });
            match def.name {
                "TO_DAYS" if dated => Some(Rising::Days),
                "TO_SECONDS" if dated => Some(Rising::Seconds),
                "YEAR" if dated => Some(Rising::Year),
                "UNIX_TIMESTAMP" if matches!(ty, SqlType::Timestamp { .. }) => Some(Rising::Unix),
                _ => None,
            }
        }
        _ => None,
    }
}

/// A number as HASH takes it: 64 bits with a sign; NULL is 0.
fn signed(d: &DatumBuf) -> i64 {
    match d {
        DatumBuf::Int(v) => *v,
        DatumBuf::UInt(v) => *v as i64,
        _ => 0,
    }
}

/// One of `n` by a hash value. LINEAR: by the lowest bits, so that a number more splits one partition alone.
fn spread(hash: u64, n: usize, linear: bool) -> usize {
    let n = n as u64;
    if !linear {
        return (hash % n) as usize;
    }
    let mask = n.next_power_of_two() - 1;
    let at = hash & mask;
    (if at >= n { hash & (mask >> 1) } else { at }) as usize
}

/// The hash of KEY: MySQL's over the bytes of integers, and the same over the key bytes of other values.
fn column_hash(by: &Partitioning, table: &TableMeta, get: &dyn Fn(usize) -> DatumBuf) -> u64 {
    let (mut a, mut b) = (1u64, 4u64);
    for c in &by.columns {
        let d = get(*c);
        let ty = part_type(table, *c);
        let mut bytes = Vec::new();
        match (&d, ty.ty) {
            (DatumBuf::Null, _) => {
                a ^= (a << 1) | 1;
                continue;
            }
            (DatumBuf::Int(v), weir_engine::row::PhysType::Int { bytes: n, .. }) => {
                bytes.extend_from_slice(&v.to_le_bytes()[..usize::from(n)]);
            }
            (DatumBuf::UInt(v), weir_engine::row::PhysType::Int { bytes: n, .. }) => {
                bytes.extend_from_slice(&v.to_le_bytes()[..usize::from(n)]);
            }
            _ => {
                // A value that the column cannot have is in no row.
                let _ = encode_datum(&ty, d.as_ref(), &mut bytes);
            }
        }
        for x in bytes {
            let mixed = (a & 63).wrapping_add(b).wrapping_mul(u64::from(x));
            a ^= mixed.wrapping_add(a << 8);
            b = b.wrapping_add(3);
        }
    }
    u64::from(a as u32)
}

/// 1526.
pub fn no_partition(value: &str) -> SqlError {
    SqlError::new(1526, format!("Table has no partition for value {value}"))
}

/// The partition's number of a row in its stored form.
pub fn number_of(
    table: &SqlTable,
    row: &[u8],
    reads: Reads<'_>,
    ev: &mut Ev<'_>,
) -> Run<Result<usize, String>> {
    let rules = rules::of(table, reads, ev.user_vars)?;
    let Some(router) = &rules.partitions else { return Ok(Ok(0)) };
    let view = RowView::new(&table.engine.layout, row);
    Ok(router.place(&table.meta, &|c| view.get(c).to_buf(), ev)?)
}

/// The same of a row of values, for ALTER TABLE.
pub fn number_of_values(
    router: &Router,
    meta: &TableMeta,
    row: &[DatumBuf],
    ev: &mut Ev<'_>,
) -> Result<usize, SqlError> {
    let placed =
        router.place(meta, &|c| row[c].clone(), ev).map_err(crate::ddl::rebuild::value_error)?;
    placed.map_err(|v| no_partition(&v))
}

/// Where a row is, or is to be: the table itself unless it is partitioned.
pub fn home<'t>(
    table: &'t SqlTable,
    row: &[u8],
    reads: Reads<'_>,
    ev: &mut Ev<'_>,
) -> Run<&'t Arc<Table>> {
    if table.engine.parts.is_empty() {
        return Ok(&table.engine);
    }
    match number_of(table, row, reads, ev)? {
        Ok(at) => Ok(&table.engine.parts[at]),
        Err(value) => Err(no_partition(&value).into()),
    }
}

/// The partitions that PARTITION (...) names, by number in rising order; 1735, or 1747 for a table without.
pub fn selected(
    table: &SqlTable,
    names: &[weir_syntax::ast::Ident],
) -> Result<Option<Arc<[usize]>>, SqlError> {
    if names.is_empty() {
        return Ok(None);
    }
    let Some(by) = &table.meta.partitions else {
        return Err(SqlError::new(1747, "PARTITION () clause on non partitioned table"));
    };
    let mut out = by.positions(names.iter().map(|n| n.as_str())).map_err(|n| {
        let text = format!("Unknown partition '{n}' in table '{}'", table.name());
        SqlError::new(1735, text)
    })?;
    out.sort_unstable();
    out.dedup();
    Ok(Some(out.into()))
}

/// The partitions, by number, that rows of a search can be in. `key`: the search over the partitioning columns, if there is one.
pub fn pruned(
    table: &SqlTable,
    key: Option<&Key>,
    selected: Option<&[usize]>,
    f: &Frame<'_>,
    (reads, ev): (Reads<'_>, &mut Ev<'_>),
) -> Run<Vec<usize>> {
    let n = table.engine.parts.len();
    let mut wanted = vec![key.is_none(); n];
    if let Some(key) = key {
        let rules = rules::of(table, reads, ev.user_vars)?;
        if let Some(router) = &rules.partitions {
            for search in &key.searches {
                if !router.prune(&table.meta, key, search, &mut wanted, f, ev)? {
                    wanted.fill(true);
                    break;
                }
            }
        }
    }
    let selected = |at: &usize| selected.is_none_or(|s| s.binary_search(at).is_ok());
    Ok((0..n).filter(|at| wanted[*at]).filter(selected).collect())
}

impl Router {
    /// Marks the partitions that rows of a search can be in; false: they can be in all.
    fn prune(
        &self,
        table: &TableMeta,
        key: &Key,
        search: &Search,
        wanted: &mut [bool],
        f: &Frame<'_>,
        ev: &mut Ev<'_>,
    ) -> Result<bool, ValueError> {
        let Some(by) = &table.partitions else { return Ok(false) };
        if search.eq.len() == by.columns.len()
            && let Some(points) = key.points(search, MAX_POINTS, f, ev)?
        {
            for p in points {
                let at = |c: usize| by.columns.iter().position(|x| *x == c).map(|n| p[n].clone());
                match self.place(table, &|c| at(c).unwrap_or_default(), ev) {
                    Ok(Ok(at)) => wanted[at] = true,
                    Ok(Err(_)) => {}
                    // No row has these values; the function's error is not the statement's.
                    Err(_) => return Ok(false),
                }
            }
            return Ok(true);
        }
        match by.method {
            Method::RangeColumns => {
                for range in key.ranges_of(search, f, ev)? {
                    self.within(&range, wanted);
                }
                Ok(true)
            }
            Method::ListColumns => {
                let ranges = key.ranges_of(search, f, ev)?;
                let inside = |k: &[u8], r: &KeyRange| {
                    &r.start[..] <= k && r.end.as_ref().is_none_or(|e| k < &e[..])
                };
                for (k, at) in &self.lists {
                    wanted[*at] |= ranges.iter().any(|r| inside(k, r));
                }
                Ok(true)
            }
            _ => self.prune_numbers(table, by, key, search, wanted, f, ev),
        }
    }

    /// The RANGE partitions that a range of keys meets.
    fn within(&self, range: &KeyRange, wanted: &mut [bool]) {
        let first = self.among(&range.start);
        for (mine, wanted) in self.ends.iter().zip(wanted).skip(first) {
            *wanted = true;
            let behind = match (&range.end, mine) {
                (Some(end), Some(mine)) => mine >= end,
                (None, Some(_)) => false,
                (_, None) => true,
            };
            if behind {
                return;
            }
        }
    }

    /// Of an expression that rises with its only column: by its values at the ends of the ranges searched.
    #[allow(clippy::too_many_arguments)]
    fn prune_numbers(
        &self,
        table: &TableMeta,
        by: &Partitioning,
        key: &Key,
        search: &Search,
        wanted: &mut [bool],
        f: &Frame<'_>,
        ev: &mut Ev<'_>,
    ) -> Result<bool, ValueError> {
        let (Some(rising), true) = (self.rising, search.eq.is_empty() && search.like.is_none())
        else {
            return Ok(false);
        };
        for conj in &search.range {
            let Some(sides) = key.sides(conj, f, ev)? else { continue };
            let (mut low, mut high) = (i128::MIN, i128::MAX);
            for (from, to) in sides {
                if let Some((d, inclusive)) = from {
                    let n = self.at_end(table, by, &d, ev);
                    // Of other expressions values above the bound can have the same number.
                    let next = i128::from(rising == Rising::Same && !inclusive);
                    low = low.max(n.map_or(i128::MIN, |n| n + next));
                }
                if let Some((d, inclusive)) = to {
                    let n = self.at_end(table, by, &d, ev);
                    let before = !inclusive && begins_number(rising, table, by, &d);
                    high = high.min(n.map_or(i128::MAX, |n| n - i128::from(before)));
                }
            }
            if low > high {
                continue;
            }
            if !self.mark(by, low, high, wanted) {
                return Ok(false);
            }
        }
        if matches!(rising, Rising::Days | Rising::Seconds | Rising::Unix) {
            // A date that is none, as 2000-02-00, has no number: NULL.
            let null = self.place_number(by, &DatumBuf::Null);
            null.into_iter().for_each(|at| wanted[at] = true);
        }
        Ok(true)
    }

    fn at_end(
        &self,
        table: &TableMeta,
        by: &Partitioning,
        d: &DatumBuf,
        ev: &mut Ev<'_>,
    ) -> Option<i128> {
        // An end that has no number is an open one.
        match self.number(table, by, &|_| d.clone(), ev) {
            Ok(DatumBuf::Int(n)) => Some(i128::from(n)),
            Ok(DatumBuf::UInt(n)) => Some(i128::from(n)),
            _ => None,
        }
    }

    fn place_number(&self, by: &Partitioning, d: &DatumBuf) -> Option<usize> {
        if by.method.is_list() {
            return self.lists.get(&partition::number_key(d)?).copied();
        }
        Some(self.among(&partition::number_key(d)?)).filter(|at| *at < by.parts.len())
    }

    /// Marks the partitions of the numbers from `low` to `high`; false: all of them.
    fn mark(&self, by: &Partitioning, low: i128, high: i128, wanted: &mut [bool]) -> bool {
        let key = |n: i128| match i64::try_from(n) {
            Ok(n) => partition::number_key(&DatumBuf::Int(n)),
            Err(_) => u64::try_from(n).ok().and_then(|n| partition::number_key(&DatumBuf::UInt(n))),
        };
        let (from, to) = (key(low), key(high));
        match by.method {
            Method::Range => {
                let start = from.unwrap_or_default();
                let end = to.map(|mut k| {
                    k.push(0);
                    k
                });
                self.within(&KeyRange { start, end }, wanted);
                true
            }
            Method::List => {
                for (k, at) in &self.lists {
                    let inside = k.len() > 1
                        && from.as_ref().is_none_or(|f| f <= k)
                        && to.as_ref().is_none_or(|t| k <= t);
                    wanted[*at] |= inside;
                }
                true
            }
            Method::Hash { linear } => {
                // No difference of two bounds is beyond 128 bits but that of open ends.
                let few = high.checked_sub(low).is_some_and(|d| d < MAX_WALK);
                for n in low..=high.min(low.saturating_add(MAX_WALK)) {
                    if few {
                        let at = match linear {
                            true => spread(n as i64 as u64, by.parts.len(), true),
                            false => (n as i64 % by.parts.len() as i64).unsigned_abs() as usize,
                        };
                        wanted[at] = true;
                    }
                }
                few
            }
            _ => false,
        }
    }
}

/// Whether every value below this one has a smaller number.
fn begins_number(rising: Rising, table: &TableMeta, by: &Partitioning, d: &DatumBuf) -> bool {
    if rising == Rising::Same {
        return true;
    }
    let v = table.columns[by.columns[0]].ty.load(d.as_ref(), TimeZone::UTC);
    let (date, midnight, whole) = match &v {
        Value::Date(d) => (*d, true, true),
        Value::DateTime(t) => {
            let whole = t.micro == 0;
            (t.date, whole && (t.hour, t.minute, t.second) == (0, 0, 0), whole)
        }
        _ => return false,
    };
    match rising {
        Rising::Same => true,
        Rising::Days => midnight,
        // Before the first of January come dates without month or day.
        Rising::Year => midnight && date.month == 0 && date.day == 0,
        Rising::Seconds | Rising::Unix => whole,
    }
}

/// Names of the partitions that a step reads, for EXPLAIN: all that cannot be left out with what is known now.
pub fn shown(
    table: &SqlTable,
    key: Option<&Key>,
    selected: Option<&[usize]>,
    reads: Reads<'_>,
    params: &[Value<'static>],
) -> Option<String> {
    let by = table.meta.partitions.as_ref()?;
    let constant = |k: &&Key| k.is_known(params);
    let mut user_vars = UserVars::default();
    let mut ev = Ev { cx: reads.eval(0), vars: reads.vars, user_vars: &mut user_vars };
    let frame = Frame::empty(params);
    let parts = pruned(table, key.filter(constant), selected, &frame, (reads, &mut ev)).ok()?;
    let names: Vec<&str> = parts.iter().map(|at| by.parts[*at].name.as_str()).collect();
    (!names.is_empty()).then(|| names.join(","))
}
