//! Where the columns of a table stand in its rows, once columns have come and gone without a look at the rows.
//!
//! A row has its columns one behind the other and knows how many it has. A column that comes takes the next place behind all others,
//! wherever the definition lists it; a column that goes leaves its place to nobody. So the first `n` places mean the same in every row of
//! a table that has `n` of them, however old the row is.

use super::datum::PhysCol;

/// Invariant: there is a column, and each place below [`Places::width`] belongs to one column, or to one that is gone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    /// The place of each column; empty: the columns stand in the order of the definition, and none is gone.
    pub order: Vec<u32>,
    /// Columns that are gone, with their places.
    pub gone: Vec<(u32, PhysCol)>,
}

impl Places {
    /// The place of a column.
    pub fn of(&self, column: usize) -> usize {
        self.order.get(column).map_or(column, |at| *at as usize)
    }

    /// How many places a row has that is written now.
    pub fn width(&self, columns: usize) -> usize {
        columns + self.gone.len()
    }

    /// The places after a change of columns. `sources`: for each new column the old one that it is, or none for a column that comes.
    pub fn after(&self, old: &[PhysCol], sources: &[Option<usize>]) -> Places {
        let mut next = self.width(old.len()) as u32;
        let come = |source: &Option<usize>| match source {
            Some(old) => self.of(*old) as u32,
            None => {
                next += 1;
                next - 1
            }
        };
        let order: Vec<u32> = sources.iter().map(come).collect();
        let dropped = (0..old.len()).filter(|i| !sources.contains(&Some(*i)));
        let mut gone = self.gone.clone();
        gone.extend(dropped.map(|i| (self.of(i) as u32, old[i])));
        let plain = gone.is_empty() && order.iter().enumerate().all(|(i, at)| i == *at as usize);
        Places { order: if plain { Vec::new() } else { order }, gone }
    }

    /// Whether the invariant holds for so many columns.
    pub fn fit(&self, columns: usize) -> bool {
        if self.order.is_empty() {
            return self.gone.is_empty();
        }
        let mut taken = vec![false; self.width(columns)];
        let all = self.order.iter().chain(self.gone.iter().map(|(at, _)| at));
        let once =
            |at: &u32| taken.get_mut(*at as usize).is_some_and(|t| !std::mem::replace(t, true));
        self.order.len() == columns && { all }.all(once)
    }
}

#[cfg(test)]
mod tests {
    use super::super::datum::PhysType;
    use super::*;

    #[test]
    fn columns_come_and_go() {
        let col = |bytes| PhysCol::new(PhysType::Int { bytes, unsigned: false }, true);
        let old = [col(1), col(2), col(3)];
        let none = Places::default();
        let same = none.after(&old, &[Some(0), Some(1), Some(2), None]);
        assert_eq!(same, Places::default(), "a column at the end changes no place");
        let first = none.after(&old, &[None, Some(0), Some(2)]);
        assert_eq!(first, Places { order: vec![3, 0, 2], gone: vec![(1, col(2))] });
        assert!(first.fit(3) && !first.fit(2));
        let now = [col(4), old[0], old[2]];
        let next = first.after(&now, &[Some(1), None, Some(2)]);
        let gone = vec![(1, col(2)), (3, col(4))];
        assert_eq!(next, Places { order: vec![0, 4, 2], gone });
        assert!(next.fit(3) && none.fit(7));
        assert!(!Places { order: vec![0, 0], gone: Vec::new() }.fit(2));
        assert!(!Places { order: vec![0, 2], gone: Vec::new() }.fit(2));
    }
}
