//! CHECK TABLE: trees, entries against rows both ways, space map.

use super::table::Table;
use crate::btree;
use crate::db::Inner;
use crate::error::Result;
use crate::mtr;
use crate::row::{RowView, validate};
use crate::space;
use crate::sync::atomic::Ordering;
use crate::txn::external;
use crate::txn::{ROW_HEADER, RowHeader, kept_chains};
use crate::waits::{Cause, Object, What};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use weir_rt::Interrupt;

/// How long ANALYZE TABLE waits for a definition statement.
const ANALYZE_WAITS: std::time::Duration = std::time::Duration::from_secs(60);

impl Inner {
    /// Everything that is wrong with a table; empty when it is clean. The table is locked against writers and purge meanwhile.
    pub async fn check_table(&self, t: &Arc<Table>, interrupt: &Interrupt) -> Result<Vec<String>> {
        if let Some(r) = t.space.refusal() {
            return Ok(vec![r.why.clone()]);
        }
        let limit = std::time::Duration::from_secs(3600);
        let _hold = t.mdl_exclusive(&self.rt, limit, interrupt).await?;
        // The lock may be free because the engine has stopped in the middle of a rollback: no state to be judged.
        self.core.log.failure()?;
        // Older versions in the history have long columns of their own, until purge has them.
        let turn = || What::new(Cause::Turn, Object::Table(t.def.id));
        let running = self.core.waits.during(turn, self.purge.running.lock()).await;
        let _no_purge = t.hold_purge().await;
        let old = kept_chains(self, t.def.id).await?;
        drop(running);
        let mut problems = Vec::new();
        let mut pages: HashSet<u32> = HashSet::new();
        let bits = space::bits_per_map(self.core.spaces.page_size());
        for k in 0..t.space.pages().div_ceil(bits) {
            pages.insert(space::map_page(self.core.spaces.page_size(), k * bits));
        }
        pages.insert(0);
        // What must be in the secondary indexes: entries of live rows, as hashes per index.
        let mut expected: Vec<HashMap<u64, u32>> =
            t.indexes.iter().map(|_| HashMap::new()).collect();
        let mut live = 0i64;
        let mut chains = old;
        let mut rows: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
        let report = btree::check(&self.core, &t.indexes[0].tree, |k, v| {
            if v.len() < ROW_HEADER {
                problems.push("a clustered record without its header".to_string());
                return;
            }
            let (h, row) = (RowHeader::read(v), &v[ROW_HEADER..]);
            if let Err(e) = validate(&t.layout, row) {
                problems.push(format!("damaged row: {e}"));
                return;
            }
            let view = RowView::new(&t.layout, row);
            for i in (0..t.layout.len()).filter(|i| view.is_external(*i)) {
                if let Some(r) = view.get(i).as_bytes() {
                    chains.push(external::first_page(r));
                }
            }
            if h.is_deleted() {
                return;
            }
            live += 1;
            if view.has_external() {
                rows.push((k.to_vec(), row.to_vec()));
                return;
            }
            if !t.has_hidden_key() && t.clustered_key(row).ok().as_deref() != Some(k) {
                problems.push("a row stands under another key than its columns say".to_string());
            }
            for (i, e) in expected.iter_mut().enumerate().skip(1) {
                if let Some(entry) = t.secondary_key_stored(i, row, k) {
                    *e.entry(hash(&entry)).or_default() += 1;
                }
            }
        })
        .await?;
        for (k, row) in rows {
            let full = external::materialise(&self.core, t, &row).await?;
            for (i, e) in expected.iter_mut().enumerate().skip(1) {
                *e.entry(hash(&t.secondary_key(i, &full, &k)?)).or_default() += 1;
            }
        }
        problems.extend(report.problems);
        pages.extend(report.pages);
        t.rows.store(live, Ordering::Relaxed);
        for (i, e) in expected.iter_mut().enumerate().skip(1) {
            self.check_secondary(t, i, e, &mut pages, &mut problems).await?;
        }
        for c in chains {
            self.chain_pages(t, c, &mut pages).await?;
        }
        self.check_map(t, &pages, &mut problems).await?;
        Ok(problems)
    }

    async fn check_secondary(
        &self,
        t: &Arc<Table>,
        i: usize,
        expected: &mut HashMap<u64, u32>,
        pages: &mut HashSet<u32>,
        problems: &mut Vec<String>,
    ) -> Result<()> {
        let name = &t.indexes[i].def.name;
        let (mut extra, mut bad) = (0u64, 0u64);
        let report = btree::check(&self.core, &t.indexes[i].tree, |k, v| {
            if v.len() != 3 || external_offset(v) > k.len() {
                bad += 1;
                return;
            }
            if v[0] & 1 != 0 {
                return;
            }
            match expected.get_mut(&hash(k)) {
                Some(n) if *n > 0 => *n -= 1,
                _ => extra += 1,
            }
        })
        .await?;
        let missing: u64 = expected.values().map(|n| *n as u64).sum();
        if bad > 0 {
            problems.push(format!("index '{name}': {bad} damaged entries"));
        }
        if extra > 0 {
            problems.push(format!("index '{name}': {extra} entries without a row"));
        }
        if missing > 0 {
            problems.push(format!("index '{name}': {missing} rows without an entry"));
        }
        problems.extend(report.problems);
        pages.extend(report.pages);
        Ok(())
    }

    async fn chain_pages(
        &self,
        t: &Arc<Table>,
        first: u32,
        pages: &mut HashSet<u32>,
    ) -> Result<()> {
        let mut page = first;
        while page != 0 && pages.insert(page) {
            let id = crate::ids::PageId::new(t.space.id, page);
            page = mtr::run(&self.core, 0, |w| {
                let g =
                    w.core.pool.fix(id, crate::pool::LatchMode::S, crate::pool::Access::Scan)?;
                Ok(crate::page::get_u32(g.bytes(), crate::page::HEADER))
            })
            .await?;
        }
        Ok(())
    }

    /// Every page in use must be taken in the map, and the other way round.
    async fn check_map(
        &self,
        t: &Arc<Table>,
        used: &HashSet<u32>,
        problems: &mut Vec<String>,
    ) -> Result<()> {
        let (mut lost, mut wild) = (0u64, 0u64);
        for page in 0..t.space.pages() {
            let set = mtr::run(&self.core, 0, |w| {
                let mut g = w.gather();
                space::is_allocated(&mut g, &t.space, page)
            })
            .await?;
            match (set, used.contains(&page)) {
                (true, false) => lost += 1,
                (false, true) => wild += 1,
                _ => {}
            }
        }
        if wild > 0 {
            problems.push(format!("space map: {wild} pages in use are marked free"));
        }
        // Pages of deleted rows are found through their rows, those of older versions through the history.
        if lost > 0 {
            problems.push(format!("space map: {lost} pages are taken but belong to nothing"));
        }
        Ok(())
    }

    /// Samples anew when the table has grown or shrunk by an eighth since the last time.
    pub async fn refresh_statistics(&self, t: &Arc<Table>) -> Result<()> {
        let rows = t.estimated_rows();
        let seen = t.sampled_rows.load(Ordering::Relaxed);
        if seen != u64::MAX && rows.abs_diff(seen) <= seen / 8 {
            return Ok(());
        }
        let _hold = t.mdl_glance()?;
        t.sampled_rows.store(rows, Ordering::Relaxed);
        // Row counts are written down by a clean stop only: after a crash the table is as large as its leaves say.
        let counted = seen != u64::MAX || self.recovery.to == self.recovery.from;
        for (i, index) in t.indexes.iter().enumerate() {
            let (leaves, cells) = btree::leaf_statistics(&self.core, &index.tree).await?;
            index.leaves.store(leaves, Ordering::Relaxed);
            if i == 0 && !counted {
                t.rows.store(cells as i64, Ordering::Relaxed);
                t.sampled_rows.store(cells, Ordering::Relaxed);
            }
            self.sample_keys(t, i).await?;
        }
        Ok(())
    }

    /// Leaves, rows per key: what the planner's estimates rest on.
    pub async fn analyze_table(&self, t: &Arc<Table>) -> Result<()> {
        let _hold = t.mdl_shared(&self.rt, ANALYZE_WAITS, &Interrupt::new()).await?;
        for (i, index) in t.indexes.iter().enumerate() {
            let (leaves, cells) = btree::leaf_statistics(&self.core, &index.tree).await?;
            index.leaves.store(leaves, Ordering::Relaxed);
            if i == 0 {
                t.rows.store(cells as i64, Ordering::Relaxed);
            }
            self.sample_keys(t, i).await?;
        }
        Ok(())
    }

    /// Samples leaves for the number of rows per distinct prefix.
    async fn sample_keys(&self, t: &Arc<Table>, i: usize) -> Result<()> {
        const SAMPLES: usize = 12;
        let index = &t.indexes[i];
        let parts = index.def.parts.len();
        let mut rows = vec![0u64; parts];
        let mut distinct = vec![0u64; parts];
        for n in 0..SAMPLES {
            let share = (n as f64 + 0.5) / SAMPLES as f64;
            let keys =
                mtr::run(&self.core, 0, |w| btree::sample_leaf(w.core, &index.tree, share)).await?;
            for p in 0..parts {
                let mut last: Option<&[u8]> = None;
                for k in &keys {
                    let Some(len) = crate::row::decode_len(&index.types()[..=p], k) else {
                        continue;
                    };
                    let prefix = &k[..len];
                    rows[p] += 1;
                    if last != Some(prefix) {
                        distinct[p] += 1;
                    }
                    last = Some(prefix);
                }
            }
        }
        for p in 0..parts {
            if distinct[p] > 0 {
                t.set_rows_per_key(i, p + 1, rows[p] as f64 / distinct[p] as f64);
            }
        }
        Ok(())
    }
}

fn external_offset(value: &[u8]) -> usize {
    u16::from_le_bytes([value[1], value[2]]) as usize
}

fn hash(k: &[u8]) -> u64 {
    use std::hash::{Hash, Hasher};
    let mut h = std::hash::DefaultHasher::new();
    k.hash(&mut h);
    h.finish()
}
