//! Aggregates over vectors, a value for each group. What they come to is what `func::aggregate` would have come to row by row: sums of doubles
//! are added in the order of the rows, and the first of equal values stays.

use super::column::{Columns, Kind};
use super::constants::{Constants, settled};
use super::distinct::DistinctCount;
use super::number::Number;
use crate::func::aggregate::{AggKind, AggSpec, State};
use crate::query::expr::BExpr;
use crate::value::{Decimal, Value, ValueError};

/// An aggregate of all groups.
pub enum Sum {
    /// All rows.
    Rows(Vec<i64>),
    /// Rows in which no column of these is NULL.
    Count {
        columns: Vec<usize>,
        counts: Vec<i64>,
    },
    Exact(Exact),
    Real {
        column: usize,
        sums: Vec<f64>,
        counts: Vec<i64>,
    },
    Best {
        column: usize,
        least: bool,
        found: Vec<Option<i64>>,
    },
    /// Values of all rows, each once.
    Distinct(Box<DistinctCount>),
    /// Evaluated row by row.
    Each,
}

/// SUM or AVG of exact numbers.
pub struct Exact {
    of: Number,
    /// The columns in which a NULL leaves the row out.
    columns: Vec<usize>,
    sums: Vec<i128>,
    counts: Vec<i64>,
    /// Parts of sums that have left 128 bits, with their groups.
    carried: Vec<(usize, Decimal)>,
    numbers: Vec<i128>,
}

/// Of which group each of the selected rows is; `None`: all are of the only one.
pub type GroupsOfRows<'g> = Option<&'g [u32]>;

impl Sum {
    /// `None`: the aggregate has to be told its arguments one by one, and can be in a batch.
    pub fn of(
        (spec, args): (&AggSpec, &[BExpr]),
        columns: &mut Columns<'_>,
        cx: &mut Constants<'_, '_, '_>,
    ) -> Sum {
        let found = match (spec.kind, args) {
            (AggKind::CountAll, _) => Some(Sum::Rows(Vec::new())),
            (AggKind::Count, args) if !spec.distinct => counted(args, columns, cx),
            (AggKind::Sum | AggKind::Avg, [arg]) if !spec.distinct => summed(arg, columns, cx),
            (AggKind::Min | AggKind::Max, [arg]) => best(spec.kind, arg, columns, cx),
            _ => None,
        };
        found.unwrap_or(Sum::Each)
    }

    /// What parts of a group come to can be put together: sums of doubles depend on the order of all rows.
    pub fn is_exact(&self) -> bool {
        !matches!(self, Sum::Each | Sum::Distinct(_) | Sum::Real { .. })
    }

    pub fn columns(&self, out: &mut Vec<usize>) {
        match self {
            Sum::Rows(_) | Sum::Each => {}
            Sum::Count { columns, .. } => out.extend(columns),
            Sum::Exact(e) => out.extend(&e.columns),
            Sum::Distinct(d) => out.push(d.column),
            Sum::Real { column, .. } | Sum::Best { column, .. } => out.push(*column),
        }
    }

    /// There are so many groups by now.
    pub fn grow(&mut self, groups: usize) {
        match self {
            Sum::Rows(counts) | Sum::Count { counts, .. } => counts.resize(groups, 0),
            Sum::Exact(e) => {
                e.sums.resize(groups, 0);
                e.counts.resize(groups, 0);
            }
            Sum::Real { sums, counts, .. } => {
                sums.resize(groups, 0.0);
                counts.resize(groups, 0);
            }
            Sum::Best { found, .. } => found.resize(groups, None),
            Sum::Each | Sum::Distinct(_) => {}
        }
    }

    /// All groups have gone out but the last one, which is the first from now on.
    pub fn keep_last(&mut self) {
        match self {
            Sum::Rows(counts) | Sum::Count { counts, .. } => keep_last(counts),
            Sum::Exact(e) => {
                let last = e.sums.len().saturating_sub(1);
                e.carried.retain(|(group, _)| *group == last);
                e.carried.iter_mut().for_each(|(group, _)| *group = 0);
                keep_last(&mut e.sums);
                keep_last(&mut e.counts);
            }
            Sum::Real { sums, counts, .. } => {
                keep_last(sums);
                keep_last(counts);
            }
            Sum::Best { found, .. } => keep_last(found),
            Sum::Each | Sum::Distinct(_) => {}
        }
    }

    /// Bytes that a group takes here.
    pub fn width(&self) -> usize {
        match self {
            Sum::Rows(_) | Sum::Count { .. } => 8,
            Sum::Exact(_) => 24,
            Sum::Real { .. } | Sum::Best { .. } => 16,
            Sum::Each | Sum::Distinct(_) => 0,
        }
    }

    /// So many rows of the only group.
    pub fn count_rows(&mut self, rows: usize) {
        if let Sum::Rows(counts) = self {
            counts[0] += rows as i64;
        }
    }

    /// Takes the selected rows.
    pub fn add(&mut self, columns: &Columns<'_>, selected: &[u32], groups: GroupsOfRows<'_>) {
        match self {
            Sum::Each | Sum::Distinct(_) => {}
            Sum::Rows(counts) => match groups {
                None => counts[0] += selected.len() as i64,
                Some(groups) => groups.iter().for_each(|g| counts[*g as usize] += 1),
            },
            Sum::Count { columns: of, counts } => {
                each(selected, groups, |row, g| {
                    let null = of.iter().any(|at| columns.list[*at].is_null(row));
                    counts[g] += i64::from(!null);
                });
            }
            Sum::Exact(e) => e.add(columns, selected, groups),
            Sum::Real { column, sums, counts } => {
                let c = &columns.list[*column];
                each(selected, groups, |row, g| {
                    if !c.is_null(row) {
                        // The first one is taken as it is: minus zero stays that.
                        sums[g] = if counts[g] == 0 { c.real(row) } else { sums[g] + c.real(row) };
                        counts[g] += 1;
                    }
                });
            }
            Sum::Best { column, least, found } => {
                let (c, least) = (&columns.list[*column], *least);
                let real = c.kind == Kind::Real;
                each(selected, groups, |row, g| {
                    if c.is_null(row) {
                        return;
                    }
                    let n = c.number(row);
                    let better = match found[g] {
                        None => true,
                        Some(best) if real => {
                            let (x, y) = (c.real(row), f64::from_bits(best as u64));
                            if least { x < y } else { x > y }
                        }
                        Some(best) => {
                            if least {
                                n < best
                            } else {
                                n > best
                            }
                        }
                    };
                    if better {
                        found[g] = Some(n);
                    }
                });
            }
        }
    }

    /// What a group has come to; `None`: it has been told row by row.
    pub fn state(&self, columns: &Columns<'_>, group: usize) -> Result<Option<State>, ValueError> {
        Ok(Some(match self {
            Sum::Each => return Ok(None),
            Sum::Rows(counts) | Sum::Count { counts, .. } => State::Count(counts[group]),
            Sum::Exact(e) => e.state(group)?,
            Sum::Distinct(d) => State::Count(d.count()),
            Sum::Real { sums, counts, .. } => match counts[group] {
                0 => State::Empty,
                n => State::Real { sum: sums[group], n },
            },
            Sum::Best { column, found, .. } => match found[group] {
                None => State::Empty,
                Some(n) => State::Best(columns.list[*column].value(n)),
            },
        }))
    }
}

impl Exact {
    fn add(&mut self, columns: &Columns<'_>, selected: &[u32], groups: GroupsOfRows<'_>) {
        let nulls = self.columns.iter().any(|at| !columns.list[*at].nulls.is_empty());
        // Of few rows a sum of 64 bits cannot overflow a sum of 128.
        if let (Some(at), false, None) = (self.of.column(), nulls, groups) {
            let c = &columns.list[at];
            let sum: i128 = selected.iter().map(|row| i128::from(c.number(*row))).sum();
            self.counts[0] += selected.len() as i64;
            return self.put(0, sum);
        }
        let mut numbers = std::mem::take(&mut self.numbers);
        self.of.of_rows(columns, selected, &mut numbers);
        for (at, (row, n)) in selected.iter().zip(&numbers).enumerate() {
            if nulls && self.columns.iter().any(|c| columns.list[*c].is_null(*row)) {
                continue;
            }
            let group = groups.map_or(0, |g| g[at] as usize);
            self.counts[group] += 1;
            self.put(group, *n);
        }
        self.numbers = numbers;
    }

    #[inline]
    fn put(&mut self, group: usize, n: i128) {
        match self.sums[group].checked_add(n) {
            Some(sum) => self.sums[group] = sum,
            None => {
                let full = std::mem::replace(&mut self.sums[group], n);
                self.carried.push((group, Decimal::from_i128(full, self.of.scale)));
            }
        }
    }

    fn state(&self, group: usize) -> Result<State, ValueError> {
        let (sum, n) = (self.sums[group], self.counts[group]);
        if n == 0 {
            return Ok(State::Empty);
        }
        if self.of.whole {
            // Integers of 64 bits, of which there are less than 2^63.
            return Ok(State::Whole { sum, n });
        }
        let mut total = Decimal::from_i128(sum, self.of.scale);
        for (_, part) in self.carried.iter().filter(|(g, _)| *g == group) {
            total = total
                .checked_add(*part)
                .map_err(|_| ValueError::out_of_range("DECIMAL", "sum()"))?;
        }
        Ok(State::Exact { sum: total, n })
    }
}

fn keep_last<T>(list: &mut Vec<T>) {
    let before = list.len().saturating_sub(1);
    list.drain(..before);
}

#[inline]
fn each(selected: &[u32], groups: GroupsOfRows<'_>, mut take: impl FnMut(u32, usize)) {
    match groups {
        None => selected.iter().for_each(|row| take(*row, 0)),
        Some(groups) => {
            selected.iter().zip(groups).for_each(|(row, g)| take(*row, *g as usize));
        }
    }
}

fn counted(
    args: &[BExpr],
    columns: &mut Columns<'_>,
    cx: &mut Constants<'_, '_, '_>,
) -> Option<Sum> {
    let mut of = Vec::new();
    for arg in args {
        match columns.place(arg, cx) {
            Some(at) => of.push(at),
            None => {
                settled(arg, cx).filter(|v| !v.is_null())?;
            }
        }
    }
    Some(match of.is_empty() {
        true => Sum::Rows(Vec::new()),
        false => Sum::Count { columns: of, counts: Vec::new() },
    })
}

fn summed(arg: &BExpr, columns: &mut Columns<'_>, cx: &mut Constants<'_, '_, '_>) -> Option<Sum> {
    if let Some(column) = columns.place(arg, cx)
        && columns.list[column].kind == Kind::Real
    {
        return Some(Sum::Real { column, sums: Vec::new(), counts: Vec::new() });
    }
    let of = Number::of(arg, columns, cx)?;
    let mut list = Vec::new();
    of.columns(&mut list);
    list.sort_unstable();
    list.dedup();
    // A constant is no work for vectors.
    (!list.is_empty()).then(|| {
        Sum::Exact(Exact {
            of,
            columns: list,
            sums: Vec::new(),
            counts: Vec::new(),
            carried: Vec::new(),
            numbers: Vec::new(),
        })
    })
}

fn best(
    kind: AggKind,
    arg: &BExpr,
    columns: &mut Columns<'_>,
    cx: &mut Constants<'_, '_, '_>,
) -> Option<Sum> {
    let column = columns.place(arg, cx)?;
    let ordered = !matches!(columns.list[column].kind, Kind::Text(_) | Kind::Member);
    ordered.then(|| Sum::Best { column, least: kind == AggKind::Min, found: Vec::new() })
}

/// The value of an argument that is evaluated row by row.
pub type Told<'v> = smallvec::SmallVec<[Value<'v>; 2]>;
