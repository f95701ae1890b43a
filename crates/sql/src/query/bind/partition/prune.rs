//! Which partitions of one level the rows of a search can be in.

use super::level::{Level, Rising, spread};
use crate::meta::TableMeta;
use crate::meta::partition::{self, Function, Method};
use crate::query::eval::Ev;
use crate::query::eval::frame::Frame;
use crate::query::plan::key::{Key, Search};
use crate::query::ranges::KeyRange;
use crate::value::{DatumBuf, TimeZone, Value, ValueError};

/// Values that a search has at most, to be looked at one by one.
const MAX_POINTS: usize = 4096;
/// Numbers of a range at most that are looked at one by one, as in MySQL.
const MAX_WALK: i128 = 32;

impl Level {
    /// The partitions that rows of a search can be in; all of them without one.
    pub fn wanted(
        &self,
        table: &TableMeta,
        key: Option<&Key>,
        f: &Frame<'_>,
        ev: &mut Ev<'_>,
    ) -> Result<Vec<bool>, ValueError> {
        let Some(key) = key else { return Ok(vec![true; self.n]) };
        let mut wanted = vec![false; self.n];
        for search in &key.searches {
            if !self.prune(table, key, search, &mut wanted, f, ev)? {
                wanted.fill(true);
                break;
            }
        }
        Ok(wanted)
    }

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
        let by = &self.by;
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
            _ => self.prune_numbers(table, key, search, wanted, f, ev),
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
                    let n = self.at_end(table, &d, ev);
                    // Of other expressions values above the bound can have the same number.
                    let next = i128::from(rising == Rising::Same && !inclusive);
                    low = low.max(n.map_or(i128::MIN, |n| n + next));
                }
                if let Some((d, inclusive)) = to {
                    let n = self.at_end(table, &d, ev);
                    let before = !inclusive && begins_number(rising, table, &self.by, &d);
                    high = high.min(n.map_or(i128::MAX, |n| n - i128::from(before)));
                }
            }
            if low > high {
                continue;
            }
            if !self.mark(low, high, wanted) {
                return Ok(false);
            }
        }
        if matches!(rising, Rising::Days | Rising::Seconds | Rising::Unix) {
            // A date that is not one, as 2000-02-00, has no number: NULL.
            let null = self.place_number(&DatumBuf::Null);
            null.into_iter().for_each(|at| wanted[at] = true);
        }
        Ok(true)
    }

    fn at_end(&self, table: &TableMeta, d: &DatumBuf, ev: &mut Ev<'_>) -> Option<i128> {
        // An end that has no number is an open one.
        match self.number(table, &|_| d.clone(), ev) {
            Ok(DatumBuf::Int(n)) => Some(i128::from(n)),
            Ok(DatumBuf::UInt(n)) => Some(i128::from(n)),
            _ => None,
        }
    }

    fn place_number(&self, d: &DatumBuf) -> Option<usize> {
        if self.by.method.is_list() {
            return self.lists.get(&partition::number_key(d)?).copied();
        }
        Some(self.among(&partition::number_key(d)?)).filter(|at| *at < self.n)
    }

    /// Marks the partitions of the numbers from `low` to `high`; false: all of them.
    fn mark(&self, low: i128, high: i128, wanted: &mut [bool]) -> bool {
        let key = |n: i128| match i64::try_from(n) {
            Ok(n) => partition::number_key(&DatumBuf::Int(n)),
            Err(_) => u64::try_from(n).ok().and_then(|n| partition::number_key(&DatumBuf::UInt(n))),
        };
        let (from, to) = (key(low), key(high));
        match self.by.method {
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
                            true => spread(n as i64 as u64, self.n, true),
                            false => (n as i64 % self.n as i64).unsigned_abs() as usize,
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
fn begins_number(rising: Rising, table: &TableMeta, by: &Function, d: &DatumBuf) -> bool {
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
