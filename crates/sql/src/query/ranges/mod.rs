//! From searches to ranges of an index: the key bytes at run time. `point` is a value as the column's own type can hold it. May use plans and
//! evaluation.
//!
//! A range may be wider than its conditions, never narrower: conditions are checked on the row again. A value that is not
//! one of the column's type exactly (1.5 for an INT, a text for a DATE) becomes the nearest bound, or no bound.
//! Only where every integer column was searched with integers are the ranges exact, and the conditions that
//! [`Key::implies`] need no second look.

mod pieces;
pub mod point;

use crate::query::eval::frame::Frame;
use crate::query::eval::{Ev, eval};
use crate::query::expr::usable::{Alt, Usable, is_finer, usable};
use crate::query::expr::{BExpr, CmpOp, Node};
use crate::query::plan::key::{Key, Search};
use crate::value::compare::CompareRule;
use crate::value::json::elements;
use crate::value::{Charset, Collation, DatumBuf, SqlType, Value, ValueError, Warnings};
use pieces::{Found, Pieces, encoded};
use point::{Point, point_of};
use weir_engine::row::key::{encode_text_prefix, prefix_successor};
use weir_engine::row::{KeyPart, KeyPartType, encode_datum};

/// Ranges of one access at most; beyond, the rest of the key is left to the row conditions.
const MAX_RANGES: usize = 131_072;
/// Bytes that most keys of equalities have room in.
const KEY_ROOM: usize = 24;

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

/// An end of what a bound leaves, and whether it belongs to it.
pub type Side = Option<(DatumBuf, bool)>;

/// Start and end of a range within a prefix.
type Bounds = (Vec<u8>, Option<Vec<u8>>);

/// Whether a value is known before the statement runs.
pub fn is_known(e: &BExpr, params: &[Value<'static>]) -> bool {
    let mut ok = e.is_statement_constant();
    e.walk(&mut |n| match n.node {
        Node::Param(p) => ok &= (p as usize) < params.len(),
        Node::SysVar(..) => ok = false,
        // What a clock or the session says is known when the statement runs.
        Node::Func(def, _) => ok &= def.is_pure(),
        _ => {}
    });
    ok
}

impl Key {
    pub fn part_type(&self, part: usize) -> KeyPartType {
        self.part(part).of(&self.table.engine.layout)
    }

    pub fn column(&self, part: usize) -> usize {
        self.part(part).col
    }

    fn part(&self, part: usize) -> KeyPart {
        match &self.over {
            Some(columns) => KeyPart::asc(columns[part]),
            None => self.table.engine.def.indexes[self.index].parts[part],
        }
    }

    /// Whether the values searched for are known before the statement runs.
    pub fn is_known(&self, params: &[Value<'static>]) -> bool {
        self.searches.iter().flat_map(Search::values).all(|e| is_known(e, params))
    }

    /// The combinations of the values of a search by equality alone; none when one of them is not known exactly, or they are too many.
    pub fn points(
        &self,
        search: &Search,
        most: usize,
        f: &Frame<'_>,
        ev: &mut Ev<'_>,
    ) -> Result<Option<Vec<Vec<DatumBuf>>>, ValueError> {
        let mut all: Vec<Vec<DatumBuf>> = vec![Vec::new()];
        for (part, alts) in search.eq.iter().enumerate() {
            if all.len().saturating_mul(alts.len()) > most {
                return Ok(None);
            }
            let mut values = Vec::with_capacity(alts.len());
            for alt in alts {
                match self.point(part, alt, f, ev, &mut true)? {
                    Point::Exact(d) => values.push(d),
                    Point::Null if alt.null_safe => values.push(DatumBuf::Null),
                    Point::Unknown | Point::Around(..) => return Ok(None),
                    Point::Between(_) | Point::Below | Point::Above | Point::Null => {}
                }
            }
            let with = |p: &Vec<DatumBuf>, d: &DatumBuf| [&p[..], std::slice::from_ref(d)].concat();
            all = all.iter().flat_map(|p| values.iter().map(move |d| with(p, d))).collect();
        }
        Ok(Some(all))
    }

    /// The ranges of one search.
    pub fn ranges_of(
        &self,
        search: &Search,
        f: &Frame<'_>,
        ev: &mut Ev<'_>,
    ) -> Result<Vec<KeyRange>, ValueError> {
        Ok(self.list_ranges(search, f, ev, &mut true)?.0)
    }

    /// What each bound of the first part leaves of it: the lowest and the highest value, and whether they belong to it. None: nothing is
    /// left.
    pub fn sides(
        &self,
        conj: &[(CmpOp, Alt)],
        f: &Frame<'_>,
        ev: &mut Ev<'_>,
    ) -> Result<Option<Vec<(Side, Side)>>, ValueError> {
        let mut out = Vec::with_capacity(conj.len());
        for (op, alt) in conj {
            let side = |e: Option<End>| e.map(|e| (e.value, e.inclusive));
            match ends(self.point(0, alt, f, ev, &mut true)?, *op) {
                Ends::Nothing => return Ok(None),
                Ends::Open | Ends::Unknown => {}
                Ends::Of(low, high) => out.push((side(low), side(high))),
            }
        }
        Ok(Some(out))
    }

    fn sql_type(&self, part: usize) -> SqlType {
        self.table.meta.columns[self.column(part)].key_type()
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

    /// As [`Key::point`], of a value that is to be equal: texts that are equal by their bytes are equal in the column's collation, too, so
    /// that those are found among the rows with an equal text.
    fn equal_point(
        &self,
        part: usize,
        alt: &Alt,
        f: &Frame<'_>,
        ev: &mut Ev<'_>,
        exact: &mut bool,
    ) -> Result<Point, ValueError> {
        let own = self.sql_type(part).collation();
        match (alt.rule, own) {
            (Some(CompareRule::Text(c)), Some(own)) if c != own && is_finer(c, own) => {
                let coarser = Alt { rule: Some(CompareRule::Text(own)), ..alt.clone() };
                self.point(part, &coarser, f, ev, exact)
            }
            _ => self.point(part, alt, f, ev, exact),
        }
    }

    /// Leading parts with the number of their values, as far as the order of the rows found depends on them: all rows have
    /// the same value where there is one.
    pub fn fixed(&self) -> Vec<usize> {
        let Some((first, others)) = self.searches.split_first() else { return Vec::new() };
        if others.is_empty() {
            return first.eq.iter().map(Vec::len).collect();
        }
        let common = |(part, alts): &(usize, &Vec<Alt>)| {
            let same = |s: &Search| {
                let [a] = &s.eq.get(*part).map_or(&[][..], |v| &v[..]) else { return false };
                a.null_safe == alts[0].null_safe && a.same_value(&alts[0])
            };
            alts.len() == 1 && others.iter().all(same)
        };
        first.eq.iter().enumerate().take_while(common).map(|_| 1).collect()
    }

    /// Whether a row in the ranges fulfils the condition, provided that they are exact.
    pub fn implies(&self, cond: &BExpr, t: u16) -> bool {
        let [search] = &self.searches[..] else { return false };
        let Some((col, of)) = usable(cond, t, &|_| true) else { return false };
        let parts = match &self.over {
            Some(columns) => columns.len(),
            None => self.table.engine.def.indexes[self.index].parts.len(),
        };
        let used = parts.min(search.eq.len() + 1);
        let Some(part) = (0..used).find(|p| self.column(*p) == usize::from(col)) else {
            return false;
        };
        if !matches!(self.sql_type(part), SqlType::Int { .. }) {
            return false;
        }
        match (of, search.eq.get(part)) {
            (Usable::Eq(alts), Some(searched)) => {
                alts.len() == searched.len()
                    && alts.iter().zip(searched).all(|(a, b)| !a.null_safe && a.same_value(b))
            }
            (Usable::Range(op, alt), None) => {
                let [conj] = &search.range[..] else { return false };
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
        for (part, alts) in self.searches.iter().flat_map(|s| &s.eq).enumerate() {
            let alt = &alts[0];
            match self.equal_point(part, alt, f, ev, exact)? {
                Point::Exact(d) => {
                    if encode_datum(&self.part_type(part), d.as_ref(), out).is_err() {
                        return Ok(Some(false));
                    }
                }
                Point::Unknown | Point::Around(..) => return Ok(None),
                _ => return Ok(Some(false)),
            }
        }
        Ok(Some(true))
    }

    /// The ranges to read.
    pub fn ranges(&self, f: &Frame<'_>, ev: &mut Ev<'_>) -> Result<Ranges, ValueError> {
        let (mut exact, mut widened) = (true, false);
        let mut list = Vec::new();
        for s in &self.searches {
            let (ranges, wide) = self.list_ranges(s, f, ev, &mut exact)?;
            widened |= wide;
            match list.is_empty() {
                true => list = ranges,
                false => list.extend(ranges),
            }
        }
        if self.searches.len() > 1 {
            list = disjoint(list);
        }
        Ok(Ranges { list, widened, exact: exact && !widened })
    }

    /// The ranges, and whether parts of the key were left out; `exact` becomes false where a value is not one of the column's.
    fn list_ranges(
        &self,
        search: &Search,
        f: &Frame<'_>,
        ev: &mut Ev<'_>,
        exact: &mut bool,
    ) -> Result<(Vec<KeyRange>, bool), ValueError> {
        let room = if search.eq.is_empty() { 0 } else { KEY_ROOM };
        let mut prefixes: Vec<Vec<u8>> = vec![Vec::with_capacity(room)];
        for (part, alts) in search.eq.iter().enumerate() {
            if prefixes.len() * alts.len() > MAX_RANGES {
                return Ok((whole(prefixes), true));
            }
            let pieces = match (&alts[..], &mut prefixes[..]) {
                // Mostly a key has one value for each part.
                ([alt], [prefix]) if self.is_plain(part, alt) => {
                    let (ty, from) = (self.part_type(part), prefix.len());
                    let point = self.equal_point(part, alt, f, ev, exact)?;
                    if let Point::Exact(d) = &point
                        && encode_datum(&ty, d.as_ref(), prefix).is_ok()
                    {
                        continue;
                    }
                    prefix.truncate(from);
                    let mut found = Found::default();
                    if found.put(&ty, alt, point) { found.pieces() } else { Pieces::Unknown }
                }
                _ => self.pieces(part, alts, f, ev, exact)?,
            };
            match pieces {
                Pieces::Values(pieces) => prefixes = joined(&prefixes, &pieces),
                Pieces::Ranges(pieces) => return Ok((within(&prefixes, &pieces), true)),
                Pieces::Unknown => return Ok((whole(prefixes), true)),
            }
        }
        let part = search.eq.len();
        if let Some(pattern) = &search.like {
            *exact = false;
            return Ok((self.like_ranges(part, pattern, prefixes, f, ev)?, false));
        }
        if search.range.is_empty() {
            return Ok((whole(prefixes), false));
        }
        let mut pieces = Vec::with_capacity(search.range.len());
        for conj in &search.range {
            let Some(bounds) = self.bounds(part, conj, f, ev, exact)? else { continue };
            let excluded = self.excluded(part, conj, f, ev, exact)?;
            pieces.extend(between(bounds, excluded));
        }
        Ok((within(&prefixes, &pieces), false))
    }

    /// The key bytes of the values of a part.
    fn pieces(
        &self,
        part: usize,
        alts: &[Alt],
        f: &Frame<'_>,
        ev: &mut Ev<'_>,
        exact: &mut bool,
    ) -> Result<Pieces, ValueError> {
        let ty = self.part_type(part);
        let mut found = Found::default();
        for alt in alts {
            if let Some(by) = alt.listed {
                *exact = false;
                let v = eval(&alt.expr, f, ev)?;
                match elements::wanted(by, &v, &self.sql_type(part)) {
                    Some(list) => {
                        found.values.extend(list.iter().filter_map(|d| encoded(&ty, d)));
                    }
                    None => return Ok(Pieces::Unknown),
                }
                continue;
            }
            if alt.is_padded(self.sql_type(part).collation()) {
                *exact = false;
                match self.padded(part, alt, f, ev)? {
                    Padded::Any(bounds) => found.around.extend(bounds),
                    Padded::Unknown => return Ok(Pieces::Unknown),
                }
                continue;
            }
            let point = self.equal_point(part, alt, f, ev, exact)?;
            if !found.put(&ty, alt, point) {
                return Ok(Pieces::Unknown);
            }
        }
        Ok(found.pieces())
    }

    /// The value of a part is looked for as it is.
    fn is_plain(&self, part: usize, alt: &Alt) -> bool {
        alt.listed.is_none() && !alt.is_padded(self.sql_type(part).collation())
    }

    /// The key bytes of the texts that begin with a value without the spaces at its end: among them are those that only differ in such spaces.
    fn padded(
        &self,
        part: usize,
        alt: &Alt,
        f: &Frame<'_>,
        ev: &mut Ev<'_>,
    ) -> Result<Padded, ValueError> {
        let ty = self.part_type(part);
        let Some(own) = self.sql_type(part).collation().filter(|_| !ty.desc) else {
            return Ok(Padded::Unknown);
        };
        let v = eval(&alt.expr, f, ev)?;
        if v.is_null() {
            return Ok(Padded::Any(None));
        }
        let Some(text) = v.to_exact_text_in(own).filter(|_| v.is_string()) else {
            return Ok(Padded::Unknown);
        };
        let kept = text.iter().rposition(|b| *b != b' ').map_or(0, |last| last + 1);
        let mut piece = Vec::new();
        if kept == 0 || encode_text_prefix(&ty, &text[..kept], &mut piece).is_err() {
            return Ok(Padded::Unknown);
        }
        let end = prefix_successor(&piece);
        Ok(Padded::Any(Some((piece, end))))
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
            let (low, high) = match ends(self.point(part, alt, f, ev, exact)?, *op) {
                Ends::Nothing => return Ok(None),
                Ends::Open => continue,
                Ends::Unknown => {
                    *exact = false;
                    continue;
                }
                Ends::Of(low, high) => (low, high),
            };
            // In a descending part large values come first.
            let (first, last) = if ty.desc { (high, low) } else { (low, high) };
            if let Some(e) = first {
                let Some((k, inclusive)) = e.encode(&ty, exact) else { continue };
                match if inclusive { Some(k) } else { prefix_successor(&k) } {
                    Some(s) => start = start.max(s),
                    None => return Ok(None),
                }
            }
            if let Some(e) = last {
                let Some((k, inclusive)) = e.encode(&ty, exact) else { continue };
                if let Some(e) = if inclusive { prefix_successor(&k) } else { Some(k) } {
                    end = Some(end.map_or(e.clone(), |old: Vec<u8>| old.min(e)));
                }
            }
        }
        Ok(Some((start, end)))
    }

    /// The key bytes of the values that `<>` leaves out, in order.
    fn excluded(
        &self,
        part: usize,
        conj: &[(CmpOp, Alt)],
        f: &Frame<'_>,
        ev: &mut Ev<'_>,
        exact: &mut bool,
    ) -> Result<Vec<Vec<u8>>, ValueError> {
        let ty = self.part_type(part);
        let mut out = Vec::new();
        for (_, alt) in conj.iter().filter(|(op, _)| *op == CmpOp::Ne) {
            // Of a cut column other values have the same bytes.
            if let Point::Exact(d) = self.point(part, alt, f, ev, exact)?
                && ty.prefix.is_none()
            {
                let mut piece = Vec::new();
                out.extend(encode_datum(&ty, d.as_ref(), &mut piece).is_ok().then_some(piece));
            }
        }
        out.sort_unstable();
        out.dedup();
        Ok(out)
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
        let begin = beginning(&text, collation);
        if begin.is_empty() || ty.desc {
            return Ok(whole(prefixes));
        }
        let mut piece = Vec::new();
        if encode_text_prefix(&ty, &begin, &mut piece).is_err() {
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

/// The text that all texts of a LIKE pattern begin with. A backslash stands before a character that is meant as such; where it may be the second
/// byte of a character, the text ends there.
fn beginning(pattern: &[u8], collation: Collation) -> Vec<u8> {
    let set = collation.charset();
    let escapes = set.max_char_bytes() == 1 || matches!(set, Charset::Utf8mb4 | Charset::Utf8mb3);
    let mut out = Vec::new();
    let mut bytes = pattern.iter();
    while let Some(b) = bytes.next() {
        match b {
            b'%' | b'_' => break,
            b'\\' if escapes => match bytes.next() {
                Some(meant) => out.push(*meant),
                None => break,
            },
            b'\\' => break,
            b => out.push(*b),
        }
    }
    out.truncate(collation.well_formed(&out));
    out
}

/// Where texts are that equal a value except for spaces at their ends.
enum Padded {
    Any(Option<Bounds>),
    Unknown,
}

/// One end of what a bound leaves of a column.
struct End {
    value: DatumBuf,
    inclusive: bool,
    /// Rows at the end, too, may fail the condition.
    wide: bool,
}

impl End {
    fn at(value: DatumBuf, inclusive: bool) -> Option<End> {
        Some(End { value, inclusive, wide: false })
    }

    fn about(value: DatumBuf) -> Option<End> {
        Some(End { value, inclusive: true, wide: true })
    }

    /// Key bytes, and whether they belong to the range: those of a cut column always do. None when the value has none.
    fn encode(self, ty: &KeyPartType, exact: &mut bool) -> Option<(Vec<u8>, bool)> {
        let mut k = Vec::new();
        let fits = encode_datum(ty, self.value.as_ref(), &mut k).is_ok();
        *exact &= fits && !self.wide;
        fits.then_some((k, self.inclusive || ty.prefix.is_some()))
    }
}

/// What a bound leaves of a column.
enum Ends {
    Nothing,
    Open,
    /// It cannot be told.
    Unknown,
    /// The lowest and the highest value.
    Of(Option<End>, Option<End>),
}

/// What `column op value` leaves, where the value stands at `point`.
fn ends(point: Point, op: CmpOp) -> Ends {
    use CmpOp::{Eq, Ge, Gt, Le, Lt, Ne, NullSafe};
    match (point, op) {
        (Point::Null, _) => Ends::Nothing,
        (Point::Unknown, _) => Ends::Unknown,
        (_, Ne) => Ends::Open,
        (Point::Above, Gt | Ge) | (Point::Below, Lt | Le) => Ends::Nothing,
        (Point::Above | Point::Below, Gt | Ge | Lt | Le) => Ends::Open,
        (Point::Between(_) | Point::Above | Point::Below, Eq | NullSafe) => Ends::Nothing,
        (Point::Exact(d), Eq | NullSafe) => Ends::Of(End::at(d.clone(), true), End::at(d, true)),
        (Point::Exact(d), Gt) => Ends::Of(End::at(d, false), None),
        (Point::Exact(d), Ge) => Ends::Of(End::at(d, true), None),
        (Point::Exact(d), Lt) => Ends::Of(None, End::at(d, false)),
        (Point::Exact(d), Le) => Ends::Of(None, End::at(d, true)),
        // The value is above the one that the column can hold.
        (Point::Between(d), Gt | Ge) => Ends::Of(End::at(d, false), None),
        (Point::Between(d), Lt | Le) => Ends::Of(None, End::at(d, true)),
        (Point::Around(low, _), Gt | Ge) => Ends::Of(End::about(low), None),
        (Point::Around(_, high), Lt | Le) => Ends::Of(None, End::about(high)),
        (Point::Around(low, high), Eq | NullSafe) => Ends::Of(End::about(low), End::about(high)),
    }
}

/// A range without the values that are left out of it.
fn between((mut start, end): Bounds, excluded: Vec<Vec<u8>>) -> Vec<Bounds> {
    let mut out = Vec::with_capacity(excluded.len() + 1);
    for piece in excluded {
        if piece < start || end.as_ref().is_some_and(|e| piece >= *e) {
            continue;
        }
        let Some(behind) = prefix_successor(&piece) else {
            out.push((start, Some(piece)));
            return out;
        };
        out.push((start, Some(piece)));
        start = behind;
    }
    out.push((start, end));
    out
}

/// Each prefix with each piece behind it.
fn joined(prefixes: &[Vec<u8>], pieces: &[Vec<u8>]) -> Vec<Vec<u8>> {
    prefixes.iter().flat_map(|p| pieces.iter().map(move |q| [&p[..], q].concat())).collect()
}

/// The ranges of the pieces behind each prefix.
fn within(prefixes: &[Vec<u8>], pieces: &[Bounds]) -> Vec<KeyRange> {
    let mut out = Vec::with_capacity(prefixes.len() * pieces.len());
    for (start, end) in pieces {
        for p in prefixes {
            let start = [&p[..], start].concat();
            let end = match end {
                Some(e) => Some([&p[..], e].concat()),
                // An empty prefix has no successor: the range is open.
                None => prefix_successor(p),
            };
            if end.as_ref().is_none_or(|e| *e > start) {
                out.push(KeyRange { start, end });
            }
        }
    }
    disjoint(out)
}

/// Sorts ranges and joins those that touch, so that no row is read twice.
pub fn disjoint(mut list: Vec<KeyRange>) -> Vec<KeyRange> {
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
pub fn whole(prefixes: Vec<Vec<u8>>) -> Vec<KeyRange> {
    prefixes.into_iter().map(|p| KeyRange { end: prefix_successor(&p), start: p }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_parts_a_range() {
        let b = |s: &[u8], e: Option<&[u8]>| (s.to_vec(), e.map(<[u8]>::to_vec));
        let out = between(b(&[1], Some(&[9])), vec![vec![0], vec![1], vec![4], vec![9]]);
        assert_eq!(out, [b(&[1], Some(&[1])), b(&[2], Some(&[4])), b(&[5], Some(&[9]))]);
        assert_eq!(between(b(&[], None), vec![vec![255]]), [b(&[], Some(&[255]))]);
    }

    #[test]
    fn a_pattern_begins_with_what_is_meant() {
        let of = |p: &[u8]| beginning(p, Collation::Utf8mb4GeneralCi);
        assert_eq!(of(b"key\\_%"), b"key_");
        assert_eq!(of(b"a\\%b_c"), b"a%b");
        assert_eq!(of(b"a\\"), b"a");
        assert_eq!(of(b"%"), b"");
        assert_eq!(of("ä\\ö%".as_bytes()), "äö".as_bytes());
    }
}
