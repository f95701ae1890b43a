//! How many rows of a table a hash finds for each row before it.
//!
//! Of an equality of two columns whose numbers of different values are known it is what System R assumed: each value of the column with
//! fewer values is among those of the other one, so that a row finds a row in so many as the larger number says. Where only the number of
//! one side is known, that one is taken; where neither is, MySQL's guess for an equality.
//!
//! Values that are often there on both sides meet more often than that. Where samples know them, their shares multiplied are the share of the
//! pairs that they alone make, as PostgreSQL's `eqjoinsel` has it: a value of half of the rows on both sides makes a quarter of all pairs.

use super::searches::On;
use super::{Optimizer, order::SAMPLED_ROWS};
use crate::query::expr::guessed::EQUAL;
use crate::query::expr::keyed::Keyed;
use crate::query::expr::usable::{Alt, Usable};
use crate::query::expr::{BExpr, Node};
use crate::query::plan::Source;
use crate::query::plan::key::Key;
use weir_engine::ColumnSample;

/// Rows that a hash finds.
#[derive(Clone, Copy)]
pub struct Matches {
    pub rows: f64,
    /// Numbers of values say so; else it is a guess.
    pub is_known: bool,
}

/// The most rows that a hash is guessed to find where the number of rows among which it looks says nothing.
const GUESSED: f64 = 20.0;

/// Rows among `total` that equal something in so many columns, or in what is computed of them, and `most` at most.
pub fn guessed_matches(total: f64, columns: usize, most: f64) -> f64 {
    match columns {
        0 => total,
        n => (total * EQUAL.powi(n as i32)).min(most).max(1.0),
    }
}

/// Between the rows that a value finds on average and those that frequent values find: the geometric mean. A condition on the way decides about
/// a value as a whole, so that the few frequent ones are either all there still or gone, and the products of their shares alone made
/// two of the twenty join orders of the bench six and seven times slower.
pub fn between(average: f64, common: f64) -> f64 {
    if common > average { (average * common).sqrt() } else { average }
}

/// What is known of the values of a column: how many there are, and the share of the rows that have one.
#[derive(Clone, Copy)]
struct Distinct {
    values: f64,
    rows: f64,
}

impl Optimizer<'_> {
    /// Among `total` rows of table `t`, by columns that equal something of the tables before.
    pub fn matches(&self, t: usize, total: f64, equal: &[(u16, Keyed, BExpr)], on: &On) -> Matches {
        // How many rows a derived table has is a guess itself.
        let is_table = matches!(self.b.tables[t].source, Source::Table(_));
        let mut share = 1.0;
        let mut is_known = is_table && !equal.is_empty();
        for (col, _, other) in equal {
            let own = self.distinct(t, usize::from(*col));
            let other = match &other.node {
                Node::Col(c) if c.depth == 0 => {
                    self.distinct(usize::from(c.table), usize::from(c.col))
                }
                _ => None,
            }
            .filter(|_| is_table);
            let of_common = self.share_of_common(t, *col, on);
            share *= between(
                match (own, other) {
                    (Some(own), Some(other)) => own.rows / own.values.max(other.values),
                    (Some(one), None) => one.rows / one.values,
                    (None, Some(other)) => 1.0 / other.values,
                    (None, None) => EQUAL,
                },
                of_common,
            );
            is_known &= own.is_some() || other.is_some();
        }
        match (is_known, equal.len()) {
            (true, 1) => Matches { rows: total * share, is_known },
            // Columns by which tables are joined together often say the same, so that several of them find no fewer than one row.
            (true, _) => Matches { rows: (total * share).max(1.0), is_known },
            (false, n) => {
                Matches { rows: guessed_matches(total, n, self.most_guessed(t)), is_known }
            }
        }
    }

    /// The share of table `t` that a row of the tables before finds by values that are often there on both sides, where conditions on column
    /// `col` equate it with columns of those tables.
    pub fn share_of_common(&self, t: usize, col: u16, on: &On) -> f64 {
        let Some(own) = self.sample(t, usize::from(col)) else { return 0.0 };
        if own.common.is_empty() {
            return 0.0;
        }
        let others = on.all.iter().filter(|(c, _)| *c == col).filter_map(|(_, u)| match u {
            Usable::Eq(alts) => match &alts[..] {
                [Alt { expr: BExpr { node: Node::Col(c), .. }, .. }] if c.depth == 0 => Some(c),
                _ => None,
            },
            _ => None,
        });
        let pairs = others.filter_map(|c| {
            let other = self.sample(usize::from(c.table), usize::from(c.col))?;
            Some(own.common_pairs(&other))
        });
        pairs.fold(0.0, f64::max)
    }

    /// The same of a search by the first column of an index, by a value that a row before has.
    pub fn share_of_common_by(&self, t: usize, key: &Key, on: &On) -> f64 {
        let [search] = &key.searches[..] else { return 0.0 };
        // Further columns would cut it again.
        let by_one = search.is_single() && search.eq.len() == 1;
        if by_one { self.share_of_common(t, key.column(0) as u16, on) } else { 0.0 }
    }

    fn sample(&self, t: usize, col: usize) -> Option<ColumnSample> {
        let Source::Table(table) = &self.b.tables.get(t)?.source else { return None };
        // A virtual column has no place in the rows.
        let is_sampled = table.engine.estimated_rows() >= SAMPLED_ROWS
            && table.engine.layout.len() == table.columns.len();
        is_sampled.then(|| table.engine.values.of(col))?
    }

    /// The most that is guessed of a hash in table `t`. A block that is run for each row around it has few rows before a table in one run,
    /// so that how many rows there are says nothing; nor does it of a derived table, whose number is a guess.
    pub fn most_guessed(&self, t: usize) -> f64 {
        match self.b.tables[t].source {
            Source::Table(_) if !self.is_run_again() => f64::INFINITY,
            _ => GUESSED,
        }
    }

    /// `None`: nothing is known of the column.
    fn distinct(&self, t: usize, col: usize) -> Option<Distinct> {
        let Source::Table(table) = &self.b.tables.get(t)?.source else { return None };
        let rows = table.engine.estimated_rows();
        if table.is_unique_alone(col) {
            return Some(Distinct { values: rows.max(1) as f64, rows: 1.0 });
        }
        let sample = self.sample(t, col)?;
        let values = sample.values as f64;
        Some(Distinct { values, rows: sample.average() * values })
    }
}
