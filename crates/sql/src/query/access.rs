//! From conditions on columns to ranges of an index: what can be searched, and the key bytes at run time.
//!
//! A range may be wider than its conditions, never narrower: conditions are checked on the row again. A value that is not
//! one of the column's type exactly (1.5 for an INT, a text for a DATE) becomes the nearest bound, or no bound.
//! Only where every integer column was searched with integers are the ranges exact, and the conditions that
//! [`Key::implies`] need no second look.

use super::expr::{BExpr, CmpOp, Ev, Node, Truth, eval};
use super::frame::Frame;
use crate::meta::SqlTable;
use crate::value::compare::CompareRule;
use crate::value::{DatumBuf, SqlType, StoreCtx, Value, ValueError, Warnings};
use std::sync::Arc;
use weir_engine::row::key::{encode_text_prefix, prefix_successor};
use weir_engine::row::{KeyPartType, encode_datum};

/// Ranges of one access at most; beyond, the rest of the key is left to the row conditions.
const MAX_RANGES: usize = 16_384;

/// A value that a key column may have.
#[derive(Clone, Debug)]
pub struct Alt {
    pub expr: BExpr,
    pub rule: Option<CompareRule>,
    /// `<=>` and IS NULL: NULL is a value.
    pub null_safe: bool,
}

impl Alt {
    /// Certainly the same value at run time.
    fn same_value(&self, other: &Alt) -> bool {
        match (&self.expr.node, &other.expr.node) {
            (Node::Param(a), Node::Param(b)) => a == b,
            (Node::Col(a), Node::Col(b)) => a == b,
            (Node::Const(Value::Int(a)), Node::Const(Value::Int(b))) => a == b,
            (Node::Const(Value::UInt(a)), Node::Const(Value::UInt(b))) => a == b,
            _ => false,
        }
    }
}

/// A search in one index.
#[derive(Clone)]
pub struct Key {
    pub table: Arc<SqlTable>,
    /// Position in the engine's definition.
    pub index: usize,
    /// For each leading part its possible values.
    pub eq: Vec<Vec<Alt>>,
    /// Bounds of the part behind: any of these, each with all its bounds.
    pub range: Vec<Vec<(CmpOp, Alt)>>,
    /// LIKE pattern on the part behind.
    pub like: Option<BExpr>,
    /// Equality on all parts of a unique index, with single values: at most one row.
    pub unique: bool,
    /// Subqueries whose results the values need.
    pub subs: Vec<u32>,
}

/// A half-open range of encoded keys.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyRange {
    pub start: Vec<u8>,
    pub end: Option<Vec<u8>>,
}

impl KeyRange {
    pub fn all() -> KeyRange {
        KeyRange { start: Vec::new(), end: None }
    }
}

/// The ranges of a search.
pub struct Ranges {
    /// Sorted and disjoint.
    pub list: Vec<KeyRange>,
    /// A value could not be searched for: its key part is left to the row conditions, and those behind with it. The
    /// order of the rows is that of the whole index then, not that behind the constants.
    pub widened: bool,
    /// Rows in the ranges fulfil what [`Key::implies`].
    pub exact: bool,
}

/// Start and end of a range within a prefix.
type Bounds = (Vec<u8>, Option<Vec<u8>>);

/// A value as a column can hold it.
enum Point {
    Exact(DatumBuf),
    /// Not a value of the column: the largest one below.
    Between(DatumBuf),
    Below,
    Above,
    Null,
    /// Not comparable in the column's own order.
    Unknown,
}

impl Key {
    pub fn part_type(&self, part: usize) -> KeyPartType {
        self.table.engine.def.indexes[self.index].parts[part].of(&self.table.engine.layout)
    }

    pub fn column(&self, part: usize) -> usize {
        self.table.engine.def.indexes[self.index].parts[part].col
    }

    fn sql_type(&self, part: usize) -> SqlType {
        self.table.meta.columns[self.column(part)].ty
    }

    fn point(
        &self,
        part: usize,
        alt: &Alt,
        f: &Frame<'_>,
        ev: &mut Ev<'_>,
        exact: &mut bool,
    ) -> Result<Point, ValueError> {
        let v = eval(&alt.expr, f, ev)?;
        *exact &= matches!(v, Value::Int(_) | Value::UInt(_) | Value::Null)
            || !matches!(self.sql_type(part), SqlType::Int { .. });
        // Conversions made only to find rows complain about nothing.
        let warnings = std::mem::replace(&mut ev.cx.warnings, Warnings::with_limit(0));
        let p = point_of(&self.sql_type(part), &v, alt.rule, ev);
        ev.cx.warnings = warnings;
        Ok(p)
    }

    /// Whether a row in the ranges fulfils the condition, provided that they are exact.
    pub fn implies(&self, cond: &BExpr, t: u16) -> bool {
        let Some((col, of)) = usable(cond, t, &|_| true) else { return false };
        let parts = self.table.engine.def.indexes[self.index].parts.len();
        let used = parts.min(self.eq.len() + 1);
        let Some(part) = (0..used).find(|p| self.column(*p) == usize::from(col)) else {
            return false;
        };
        if !matches!(self.sql_type(part), SqlType::Int { .. }) {
            return false;
        }
        match (of, self.eq.get(part)) {
            (Usable::Eq(alts), Some(searched)) => {
                alts.len() == searched.len()
                    && alts.iter().zip(searched).all(|(a, b)| !a.null_safe && a.same_value(b))
            }
            (Usable::Range(op, alt), None) => {
                let [conj] = &self.range[..] else { return false };
                conj.iter().any(|(o, a)| *o == op && a.same_value(&alt))
            }
            _ => false,
        }
    }

    /// The key of a unique search. `Some(false)`: no row can match. `None`: it cannot be told; scan.
    /// `exact` becomes false where the key may find rows that the conditions exclude.
    pub fn unique_key(
        &self,
        f: &Frame<'_>,
        ev: &mut Ev<'_>,
        exact: &mut bool,
        out: &mut Vec<u8>,
    ) -> Result<Option<bool>, ValueError> {
        out.clear();
        for (part, alts) in self.eq.iter().enumerate() {
            let alt = &alts[0];
            match self.point(part, alt, f, ev, exact)? {
                Point::Exact(d) => {
                    if encode_datum(&self.part_type(part), d.as_ref(), out).is_err() {
                        return Ok(Some(false));
                    }
                }
                Point::Unknown => return Ok(None),
                _ => return Ok(Some(false)),
            }
        }
        Ok(Some(true))
    }

    /// The ranges to read.
    pub fn ranges(&self, f: &Frame<'_>, ev: &mut Ev<'_>) -> Result<Ranges, ValueError> {
        let mut exact = true;
        let (list, widened) = self.list_ranges(f, ev, &mut exact)?;
        Ok(Ranges { list, widened, exact: exact && !widened })
    }

    /// The ranges, and whether parts of the key were left out; `exact` becomes false where a value is not one of the column's.
    fn list_ranges(
        &self,
        f: &Frame<'_>,
        ev: &mut Ev<'_>,
        exact: &mut bool,
    ) -> Result<(Vec<KeyRange>, bool), ValueError> {
        let mut prefixes: Vec<Vec<u8>> = vec![Vec::new()];
        for (part, alts) in self.eq.iter().enumerate() {
            let ty = self.part_type(part);
            let mut pieces: Vec<Vec<u8>> = Vec::with_capacity(alts.len());
            let mut known = prefixes.len() * alts.len() <= MAX_RANGES;
            for alt in alts {
                let mut piece = Vec::new();
                let fits = match self.point(part, alt, f, ev, exact)? {
                    Point::Exact(d) => encode_datum(&ty, d.as_ref(), &mut piece).is_ok(),
                    Point::Null if alt.null_safe => {
                        encode_datum(&ty, DatumBuf::Null.as_ref(), &mut piece).is_ok()
                    }
                    Point::Unknown => {
                        known = false;
                        break;
                    }
                    _ => false,
                };
                if fits {
                    pieces.push(piece);
                }
            }
            if !known {
                return Ok((whole(prefixes), true));
            }
            pieces.sort_unstable();
            pieces.dedup();
            prefixes = prefixes
                .iter()
                .flat_map(|p| {
                    pieces.iter().map(move |q| {
                        let mut k = Vec::with_capacity(p.len() + q.len());
                        k.extend_from_slice(p);
                        k.extend_from_slice(q);
                        k
                    })
                })
                .collect();
        }
        let part = self.eq.len();
        if let Some(pattern) = &self.like {
            *exact = false;
            return Ok((self.like_ranges(part, pattern, prefixes, f, ev)?, false));
        }
        if self.range.is_empty() {
            return Ok((whole(prefixes), false));
        }
        let mut out = Vec::new();
        for conj in &self.range {
            let Some((start, end)) = self.bounds(part, conj, f, ev, exact)? else { continue };
            for p in &prefixes {
                let mut s = p.clone();
                s.extend_from_slice(&start);
                let e = match &end {
                    Some(e) => {
                        let mut k = p.clone();
                        k.extend_from_slice(e);
                        Some(k)
                    }
                    // An empty prefix has no successor: the range is open.
                    None => prefix_successor(p),
                };
                if e.as_ref().is_none_or(|e| *e > s) {
                    out.push(KeyRange { start: s, end: e });
                }
            }
        }
        Ok((disjoint(out), false))
    }

    /// Start and end within one prefix; `None`: nothing can match.
    fn bounds(
        &self,
        part: usize,
        conj: &[(CmpOp, Alt)],
        f: &Frame<'_>,
        ev: &mut Ev<'_>,
        exact: &mut bool,
    ) -> Result<Option<Bounds>, ValueError> {
        let ty = self.part_type(part);
        let (mut start, mut end): Bounds = (Vec::new(), None);
        if ty.nullable {
            let mut null = Vec::new();
            if encode_datum(&ty, DatumBuf::Null.as_ref(), &mut null).is_ok() {
                if ty.desc {
                    end = Some(null);
                } else {
                    start = prefix_successor(&null).unwrap_or_default();
                }
            }
        }
        for (op, alt) in conj {
            let mut k = Vec::new();
            let mut encode = |d: &DatumBuf| encode_datum(&ty, d.as_ref(), &mut k).is_ok();
            // The bound as "column is above/below the bytes": inclusive or not.
            let (lower, inclusive) = match (self.point(part, alt, f, ev, exact)?, op) {
                (Point::Null, _) => return Ok(None),
                (Point::Unknown, _) => {
                    *exact = false;
                    continue;
                }
                (Point::Above, CmpOp::Gt | CmpOp::Ge) | (Point::Below, CmpOp::Lt | CmpOp::Le) => {
                    return Ok(None);
                }
                (
                    Point::Above | Point::Below,
                    CmpOp::Gt | CmpOp::Ge | CmpOp::Lt | CmpOp::Le | CmpOp::Ne,
                ) => continue,
                (Point::Exact(d), op) => {
                    if !encode(&d) {
                        *exact = false;
                        continue;
                    }
                    if matches!(op, CmpOp::Eq | CmpOp::NullSafe) {
                        start = start.max(k.clone());
                        if let Some(e) = prefix_successor(&k) {
                            end = Some(end.map_or(e.clone(), |old| old.min(e)));
                        }
                        continue;
                    }
                    match op {
                        CmpOp::Gt => (true, ty.prefix.is_some()),
                        CmpOp::Ge => (true, true),
                        CmpOp::Lt => (false, ty.prefix.is_some()),
                        _ => (false, true),
                    }
                }
                (Point::Between(_) | Point::Above | Point::Below, CmpOp::Eq | CmpOp::NullSafe) => {
                    return Ok(None);
                }
                (Point::Between(d), op) => {
                    if !encode(&d) {
                        *exact = false;
                        continue;
                    }
                    (matches!(op, CmpOp::Gt | CmpOp::Ge), !matches!(op, CmpOp::Gt | CmpOp::Ge))
                }
            };
            // In a descending part large values come first.
            if lower != ty.desc {
                let s = if inclusive { Some(k) } else { prefix_successor(&k) };
                match s {
                    Some(s) => start = start.max(s),
                    None => return Ok(None),
                }
            } else {
                let e = if inclusive { prefix_successor(&k) } else { Some(k) };
                if let Some(e) = e {
                    end = Some(match end {
                        Some(old) => old.min(e),
                        None => e,
                    });
                }
            }
        }
        Ok(Some((start, end)))
    }

    fn like_ranges(
        &self,
        part: usize,
        pattern: &BExpr,
        prefixes: Vec<Vec<u8>>,
        f: &Frame<'_>,
        ev: &mut Ev<'_>,
    ) -> Result<Vec<KeyRange>, ValueError> {
        let ty = self.part_type(part);
        let Some(collation) = self.sql_type(part).collation() else { return Ok(whole(prefixes)) };
        let v = eval(pattern, f, ev)?;
        let (true, Some(text)) = (v.is_string(), v.to_text_in(collation)) else {
            return Ok(whole(prefixes));
        };
        let stop = text.iter().position(|b| matches!(b, b'%' | b'_' | b'\\')).unwrap_or(text.len());
        let stop = collation.well_formed(&text[..stop]);
        if stop == 0 || ty.desc {
            return Ok(whole(prefixes));
        }
        let mut piece = Vec::new();
        if encode_text_prefix(&ty, &text[..stop], &mut piece).is_err() {
            return Ok(whole(prefixes));
        }
        Ok(whole(
            prefixes
                .into_iter()
                .map(|mut p| {
                    p.extend_from_slice(&piece);
                    p
                })
                .collect(),
        ))
    }
}

/// Sorts ranges and joins those that touch, so that no row is read twice.
fn disjoint(mut list: Vec<KeyRange>) -> Vec<KeyRange> {
    if list.len() < 2 {
        return list;
    }
    list.sort_unstable();
    let mut out: Vec<KeyRange> = Vec::with_capacity(list.len());
    for r in list {
        match out.last_mut() {
            Some(l) if l.end.as_ref().is_none_or(|e| *e >= r.start) => {
                l.end = match (l.end.take(), r.end) {
                    (Some(a), Some(b)) => Some(a.max(b)),
                    _ => None,
                };
            }
            _ => out.push(r),
        }
    }
    out
}

/// Everything with these prefixes.
fn whole(prefixes: Vec<Vec<u8>>) -> Vec<KeyRange> {
    prefixes.into_iter().map(|p| KeyRange { end: prefix_successor(&p), start: p }).collect()
}

fn integer(n: i128, lo: i128, hi: i128, unsigned: bool) -> Point {
    if n < lo {
        Point::Below
    } else if n > hi {
        Point::Above
    } else {
        Point::Exact(if unsigned { DatumBuf::UInt(n as u64) } else { DatumBuf::Int(n as i64) })
    }
}

fn between(p: Point) -> Point {
    match p {
        Point::Exact(d) => Point::Between(d),
        other => other,
    }
}

/// Doubles beyond this are not exact integers.
const EXACT: f64 = 9.0e15;

fn point_of(ty: &SqlType, v: &Value<'_>, rule: Option<CompareRule>, ev: &mut Ev<'_>) -> Point {
    if v.is_null() {
        return Point::Null;
    }
    match *ty {
        SqlType::Int { kind, unsigned, .. } => {
            let (lo, hi) = kind.range(unsigned);
            match v {
                Value::Int(n) => integer(i128::from(*n), lo, hi, unsigned),
                Value::UInt(n) => integer(i128::from(*n), lo, hi, unsigned),
                Value::Decimal(d) => match d.floor() {
                    Ok(fl) => {
                        let whole = fl == *d;
                        let p = integer(fl.to_i128().unwrap_or(i128::MAX), lo, hi, unsigned);
                        if whole { p } else { between(p) }
                    }
                    Err(_) => Point::Unknown,
                },
                Value::Double(_) | Value::Str(..) | Value::Bytes(_) => {
                    match v.to_f64(&mut ev.cx.warnings) {
                        Some(x) if x.abs() < EXACT => {
                            let p = integer(x.floor() as i128, lo, hi, unsigned);
                            if x == x.floor() { p } else { between(p) }
                        }
                        _ => Point::Unknown,
                    }
                }
                _ => Point::Unknown,
            }
        }
        SqlType::Year => match v {
            Value::Int(n) if (1901..=2155).contains(n) => {
                Point::Exact(DatumBuf::UInt(*n as u64 - 1900))
            }
            Value::UInt(n) if (1901..=2155).contains(n) => Point::Exact(DatumBuf::UInt(*n - 1900)),
            _ => Point::Unknown,
        },
        SqlType::Decimal { precision, scale, .. } => {
            if !matches!(v, Value::Int(_) | Value::UInt(_) | Value::Decimal(_)) {
                return Point::Unknown;
            }
            let Some(d) = v.to_decimal(&mut ev.cx.warnings) else { return Point::Unknown };
            match d.round(scale) {
                Ok(r) if r == d => match d.to_fixed(precision, scale) {
                    Some(b) => Point::Exact(DatumBuf::Bytes(b)),
                    None if d.is_negative() => Point::Below,
                    None => Point::Above,
                },
                _ => Point::Unknown,
            }
        }
        SqlType::Double { .. } => match v.to_f64(&mut ev.cx.warnings) {
            Some(x) if !v.is_temporal() => Point::Exact(DatumBuf::Float(x)),
            _ => Point::Unknown,
        },
        SqlType::Float { .. } => match v.to_f64(&mut ev.cx.warnings) {
            Some(x) if !v.is_temporal() && f64::from(x as f32) == x => {
                Point::Exact(DatumBuf::Float(x))
            }
            _ => Point::Unknown,
        },
        SqlType::Char { collation, .. }
        | SqlType::Varchar { collation, .. }
        | SqlType::Text { collation, .. } => {
            let same = match rule {
                Some(CompareRule::Text(c)) => c == collation,
                Some(_) => false,
                None => v.is_string(),
            };
            match v.to_text_in(collation) {
                Some(b) if same && v.is_string() => Point::Exact(DatumBuf::Bytes(b.into_owned())),
                _ => Point::Unknown,
            }
        }
        SqlType::Date | SqlType::DateTime { .. } | SqlType::Timestamp { .. } => {
            temporal_point(ty, v, ev)
        }
        SqlType::Time { .. } => {
            if !matches!(v, Value::Time(_) | Value::Str(..)) {
                return Point::Unknown;
            }
            stored(ty, v, ev)
        }
        SqlType::Null => Point::Unknown,
    }
}

fn temporal_point(ty: &SqlType, v: &Value<'_>, ev: &mut Ev<'_>) -> Point {
    if matches!(v, Value::Double(_) | Value::Decimal(_) | Value::Bytes(_) | Value::Time(_)) {
        return Point::Unknown;
    }
    let Some(d) = v.to_datetime(&mut ev.cx) else { return Point::Unknown };
    match *ty {
        SqlType::Date => {
            let day = DatumBuf::UInt(u64::from(d.date.pack()));
            if d.time().micros == 0 { Point::Exact(day) } else { Point::Between(day) }
        }
        SqlType::DateTime { fsp } => {
            let cut = d.truncate(fsp);
            let packed = DatumBuf::UInt(cut.pack());
            if cut.pack() == d.pack() { Point::Exact(packed) } else { Point::Between(packed) }
        }
        _ => {
            if d.truncate(ty.fsp()).pack() != d.pack() {
                return Point::Unknown;
            }
            stored(ty, v, ev)
        }
    }
}

/// As a strict INSERT would store it.
fn stored(ty: &SqlType, v: &Value<'_>, ev: &mut Ev<'_>) -> Point {
    let mut none = Warnings::with_limit(0);
    let mut cx = StoreCtx {
        column: "",
        row: 1,
        strict: true,
        mode: ev.cx.mode,
        tz: ev.cx.tz,
        now_micros: ev.cx.now_micros,
        warnings: &mut none,
    };
    let kept = ty.store(v, &mut cx);
    match kept {
        Ok(d) if none.total() == 0 => Point::Exact(d),
        _ => Point::Unknown,
    }
}

/// A condition on one column of a table, usable for a search.
pub enum Usable {
    Eq(Vec<Alt>),
    Range(CmpOp, Alt),
    /// Any of these, each with all its bounds.
    AnyRange(Vec<Vec<(CmpOp, Alt)>>),
    Like(BExpr),
}

/// What `cond` says about a column of table `t`, where values may come from the tables in `known`.
pub fn usable(cond: &BExpr, t: u16, known: &dyn Fn(&BExpr) -> bool) -> Option<(u16, Usable)> {
    let column = |e: &BExpr| match e.node {
        Node::Col(c) if c.depth == 0 && c.table == t => Some(c.col),
        _ => None,
    };
    let alt =
        |e: &BExpr, rule: Option<CompareRule>, null_safe| Alt { expr: e.clone(), rule, null_safe };
    match &cond.node {
        Node::Cmp { op, rule, a, b } => {
            let (col, op, value) = match (column(a), column(b)) {
                (Some(c), _) if known(b) => (c, *op, b),
                (_, Some(c)) if known(a) => (c, op.swapped(), a),
                _ => return None,
            };
            match op {
                CmpOp::Eq => Some((col, Usable::Eq(vec![alt(value, *rule, false)]))),
                CmpOp::NullSafe => Some((col, Usable::Eq(vec![alt(value, *rule, true)]))),
                CmpOp::Ne => None,
                op => Some((col, Usable::Range(op, alt(value, *rule, false)))),
            }
        }
        Node::In { left, list, negated: false } => {
            let col = column(left)?;
            let all = list.iter().all(|(_, e)| known(e));
            all.then(|| (col, Usable::Eq(list.iter().map(|(r, e)| alt(e, *r, false)).collect())))
        }
        Node::Is { expr, test: Truth::Null, negated: false } => {
            let col = column(expr)?;
            Some((
                col,
                Usable::Eq(vec![Alt {
                    expr: BExpr::constant(Value::Null),
                    rule: None,
                    null_safe: true,
                }]),
            ))
        }
        Node::Func(def, args) if def.name == "LIKE" && args.len() == 2 => {
            let col = column(&args[0])?;
            known(&args[1]).then(|| (col, Usable::Like(args[1].clone())))
        }
        Node::Or(list) => {
            let mut eq = Vec::new();
            let mut any: Vec<Vec<(CmpOp, Alt)>> = Vec::new();
            let mut col = None;
            let mut same = |c: u16| *col.get_or_insert(c) == c;
            for e in list {
                // A branch may be several bounds of the column joined by AND.
                let parts = match &e.node {
                    Node::And(parts) => parts.iter().collect::<Vec<_>>(),
                    _ => vec![e],
                };
                let mut conj = Vec::new();
                for p in parts {
                    match usable(p, t, known)? {
                        (c, Usable::Eq(alts)) if same(c) && parts_is_one(e) => eq.extend(alts),
                        (c, Usable::Eq(alts))
                            if same(c) && alts.len() == 1 && !alts[0].null_safe =>
                        {
                            conj.extend(alts.into_iter().map(|a| (CmpOp::Eq, a)));
                        }
                        (c, Usable::Range(op, a)) if same(c) => conj.push((op, a)),
                        _ => return None,
                    }
                }
                if !conj.is_empty() {
                    any.push(conj);
                }
            }
            let col = col?;
            if any.is_empty() {
                return Some((col, Usable::Eq(eq)));
            }
            if eq.iter().any(|a| a.null_safe) {
                return None;
            }
            any.extend(eq.into_iter().map(|a| vec![(CmpOp::Eq, a)]));
            Some((col, Usable::AnyRange(any)))
        }
        _ => None,
    }
}

fn parts_is_one(e: &BExpr) -> bool {
    !matches!(e.node, Node::And(_))
}
