//! Rows that have one writer each: what was acknowledged is there, what failed is not, and a change that nobody has answered is there as a
//! whole or not at all.

use std::collections::BTreeMap;

/// What a transaction does to rows: key and new value, `None` where the row goes.
pub type Change = BTreeMap<i64, Option<i64>>;

/// The rows of a table by their keys. No key is in two changes that are under way at once.
#[derive(Clone, Default, Debug)]
pub struct Kept {
    rows: BTreeMap<i64, i64>,
    under_way: Vec<Change>,
}

impl Kept {
    /// The rows of one writer, as the last answer left them.
    pub fn of(&self, low: i64, high: i64) -> BTreeMap<i64, i64> {
        self.rows.range(low..high).map(|(k, v)| (*k, *v)).collect()
    }

    /// The change is about to be asked for.
    pub fn begin(&mut self, c: &Change) {
        self.under_way.push(c.clone());
    }

    /// It was acknowledged.
    pub fn succeeded(&mut self, c: &Change) {
        self.failed(c);
        put(&mut self.rows, c);
    }

    /// It has failed, and nothing of it was done.
    pub fn failed(&mut self, c: &Change) {
        self.under_way.retain(|x| x != c);
    }

    /// After a start.
    pub fn recovered(&mut self, found: BTreeMap<i64, i64>) -> Result<(), String> {
        let under_way = std::mem::take(&mut self.under_way);
        for c in &under_way {
            let done = c.iter().all(|(k, v)| found.get(k) == v.as_ref());
            let not_done = c.keys().all(|k| found.get(k) == self.rows.get(k));
            if done {
                put(&mut self.rows, c);
            } else if !not_done {
                return Err(format!("a part of the change {c:?} is there and another part is not"));
            }
        }
        if let Some(what) = difference(&self.rows, &found) {
            return Err(what);
        }
        Ok(())
    }
}

/// Carries a change out.
pub fn put(rows: &mut BTreeMap<i64, i64>, c: &Change) {
    for (k, v) in c {
        match v {
            Some(v) => _ = rows.insert(*k, *v),
            None => _ = rows.remove(k),
        }
    }
}

/// The first row that is not as it should be.
pub fn difference(want: &BTreeMap<i64, i64>, found: &BTreeMap<i64, i64>) -> Option<String> {
    let key = want.keys().chain(found.keys()).find(|k| want.get(k) != found.get(k))?;
    Some(format!("row {key} is {:?} instead of {:?}", found.get(key), want.get(key)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(all: &[(i64, i64)]) -> BTreeMap<i64, i64> {
        all.iter().copied().collect()
    }

    #[test]
    fn a_change_is_there_whole_or_not_at_all() {
        let mut k = Kept::default();
        let first: Change = [(1, Some(10)), (2, Some(20))].into();
        k.begin(&first);
        k.succeeded(&first);
        assert_eq!(k.of(0, 2), rows(&[(1, 10)]));
        let next: Change = [(1, None), (3, Some(30))].into();
        k.begin(&next);
        assert!(k.clone().recovered(rows(&[(1, 10), (2, 20)])).is_ok());
        assert!(k.clone().recovered(rows(&[(2, 20), (3, 30)])).is_ok());
        assert!(k.clone().recovered(rows(&[(1, 10), (2, 20), (3, 30)])).is_err());
        k.failed(&next);
        assert!(k.clone().recovered(rows(&[(2, 20), (3, 30)])).is_err());
        assert!(k.recovered(rows(&[(1, 10)])).is_err());
    }
}
