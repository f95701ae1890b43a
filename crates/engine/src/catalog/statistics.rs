//! What the planner's estimates rest on: leaves, rows per key and values of each column by samples.

use super::Catalog;
use super::distinct::Sampler;
use super::values;
use crate::btree;
use crate::error::Result;
use crate::sync::atomic::Ordering;
use crate::table::{HeldTables, Index, MdlMode, Table};
use std::sync::Arc;
use weir_rt::Interrupt;

/// How long ANALYZE TABLE waits for a definition statement.
const ANALYZE_WAITS: std::time::Duration = std::time::Duration::from_secs(60);

/// Partitions that one statement looks at for its estimates.
const LOOKED_AT: usize = 16;

/// The table has grown or shrunk by an eighth since it was sampled.
fn is_old(t: &Table) -> bool {
    let seen = t.sampled_rows.load(Ordering::Relaxed);
    seen == u64::MAX || t.estimated_rows().abs_diff(seen) > seen / 8
}

impl Catalog {
    /// Samples again when the table has grown or shrunk by an eighth since the last time.
    pub async fn refresh_statistics(&self, t: &Arc<Table>) -> Result<()> {
        if t.parts.is_empty() {
            return self.refresh_one(t).await;
        }
        // A statement waits for a few of them; the next ones look at the others. One that is known to be damaged takes no other's turn.
        let old: Vec<&Arc<Table>> =
            t.parts.iter().filter(|p| p.usable().is_ok() && is_old(p)).collect();
        let mut done = Ok(());
        for p in old.iter().step_by(old.len().div_ceil(LOOKED_AT).max(1)) {
            // A damaged partition does not keep the others from being known.
            done = done.and(self.refresh_one(p).await);
        }
        if !old.is_empty() {
            t.sum_parts();
        }
        done
    }

    async fn refresh_one(&self, t: &Arc<Table>) -> Result<()> {
        if !is_old(t) {
            return Ok(());
        }
        let (rows, seen) = (t.estimated_rows(), t.sampled_rows.load(Ordering::Relaxed));
        let _hold = t.mdl_glance()?;
        t.met().await?;
        t.sampled_rows.store(rows, Ordering::Relaxed);
        // Row counts are written down by a clean stop only: after a crash the table is as large as its leaves say.
        // Those of partitions are not written down at all.
        let counted = seen != u64::MAX || !(self.recovered || t.is_part());
        for (i, index) in t.indexes.iter().enumerate() {
            let (leaves, cells, own) = self.measure(index).await?;
            index.leaves.store(leaves, Ordering::Relaxed);
            if i == 0 && !counted {
                t.rows.store(cells as i64, Ordering::Relaxed);
                t.sampled_rows.store(cells, Ordering::Relaxed);
            }
            if i == 0 {
                values::sample(&self.core, t, cells).await?;
            }
            self.sample_keys(t, i, own).await?;
        }
        Ok(())
    }

    /// Leaves, rows per key: what the planner's estimates rest on.
    pub async fn analyze_table(&self, t: &Arc<Table>, held: Option<&HeldTables>) -> Result<()> {
        let _hold = match held.is_some_and(|h| h.mode_of(t).is_some()) {
            true => None,
            false => {
                let stop = Interrupt::new();
                Some(t.mdl_for(&self.rt, ANALYZE_WAITS, &stop, MdlMode::Read).await?)
            }
        };
        for part in t.stored() {
            part.met().await?;
            for (i, index) in part.indexes.iter().enumerate() {
                let (leaves, cells, own) = self.measure(index).await?;
                index.leaves.store(leaves, Ordering::Relaxed);
                if i == 0 {
                    part.rows.store(cells as i64, Ordering::Relaxed);
                    values::sample(&self.core, part, cells).await?;
                }
                self.sample_keys(part, i, own).await?;
            }
        }
        if !t.parts.is_empty() {
            t.sum_parts();
        }
        Ok(())
    }

    /// Leaves and cells of an index, in both of its trees, and the cells of its main tree.
    async fn measure(&self, index: &Index) -> Result<(u64, u64, u64)> {
        let (mut leaves, mut cells, mut own) = (0, 0, 0);
        for tree in index.trees().each() {
            let (l, c) = btree::leaf_statistics(&self.core, tree).await?;
            tree.set_leaves(l);
            (leaves, cells) = (leaves + l, cells + c);
            if std::ptr::eq(&**tree, &*index.tree) {
                own = c;
            }
        }
        Ok((leaves, cells, own))
    }

    /// Estimates the rows of each value of an index's prefixes. `cells`: those of its main tree, which is the one that is sampled.
    async fn sample_keys(&self, t: &Arc<Table>, i: usize, cells: u64) -> Result<()> {
        let index = &t.indexes[i];
        // All parts of a unique key have one row for each value.
        let unique = index.def.unique || i == 0;
        let most = index.def.parts.len().saturating_sub(usize::from(unique));
        if most == 0 || cells == 0 {
            return Ok(());
        }
        let mut sampler = Sampler::new(&self.core, &index.tree, index.types());
        let distinct = sampler.distinct(most).await?;
        for (p, values) in distinct.into_iter().enumerate() {
            t.set_rows_per_key(i, p + 1, (cells as f64 / values).max(1.0));
        }
        Ok(())
    }
}
