//! Who moves entries out of the change buffer, and how much may wait there.
//!
//! In InnoDB the master thread merges a number of pages now and then ([`Action::Merge`](super::Action::Merge)), a page that is read for any
//! reason is merged, and an insert that makes the buffer grow *contracts* it once it is large: it has up to eight pages merged, and
//! waits for that when the buffer is at its limit. Ten pages beyond the limit nothing is buffered any more. (facts: InnoDB's
//! `ibuf_contract_after_insert`, 5.0 to 5.6.) Here nothing is merged because a page is read.

use super::Settings;

/// Pages that a contraction merges at most: an aligned area of eight pages in InnoDB.
pub const CONTRACTION: u64 = 8;
/// Percentage points that buffer trees stay away from the limit of dirty pages under `weir`: flushing needs room to move, and a buffer
/// tree's pages are changed again as soon as they are written.
const DIRTY_MARGIN: f64 = 10.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferRules {
    /// Pages that all buffer trees together may have.
    pub pages: u64,
    pub keeper: Keeper,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeper {
    /// The sweep keeps the buffer trees below most of their limit. Beyond the limit an insert makes a move first.
    Sweep,
    /// The policy's steps merge, and inserts that make the buffer grow while it has at least `from` pages.
    Contraction { from: u64 },
}

impl Default for BufferRules {
    fn default() -> BufferRules {
        BufferRules { pages: 0, keeper: Keeper::Sweep }
    }
}

impl BufferRules {
    /// `weir`: as much as the option says, but less than may be dirty.
    pub fn weir(s: &Settings, pool: u64) -> BufferRules {
        let percent = (s.change_buffer_pct as f64).min((s.max_dirty_pct - DIRTY_MARGIN).max(1.0));
        BufferRules { pages: (pool as f64 * percent / 100.0) as u64, keeper: Keeper::Sweep }
    }

    /// 5.0 to 5.5: half of the pool, and contraction from there on.
    pub fn innodb(_: &Settings, pool: u64) -> BufferRules {
        BufferRules { pages: pool / 2, keeper: Keeper::Contraction { from: pool / 2 } }
    }

    /// 5.6 and later.
    pub fn by_option(s: &Settings, pool: u64) -> BufferRules {
        let pages = pool * s.change_buffer_pct / 100;
        BufferRules { pages, keeper: Keeper::Contraction { from: pages } }
    }

    /// Google v4: contraction begins at the soft limit.
    pub fn google(s: &Settings, pool: u64) -> BufferRules {
        let from = google_soft(s, pool).min(pool / 2);
        BufferRules { pages: pool / 2, keeper: Keeper::Contraction { from } }
    }

    pub fn xtradb(s: &Settings, pool: u64) -> BufferRules {
        // The size is an option of a time when all pages were of 16 KiB.
        let most = if s.ibuf_max_size == 0 { u64::MAX } else { s.ibuf_max_size / 16384 };
        let pages = most.min(pool / 2);
        let from = if s.ibuf_active_contract { 0 } else { pages };
        BufferRules { pages, keeper: Keeper::Contraction { from } }
    }
}

/// Pages from which Google's master merges faster.
pub fn google_soft(s: &Settings, pool: u64) -> u64 {
    pool * s.ibuf_max_pct / 100
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contraction(pages: u64, from: u64) -> BufferRules {
        BufferRules { pages, keeper: Keeper::Contraction { from } }
    }

    #[test]
    fn sizes() {
        let mut s = Settings::default();
        assert_eq!(BufferRules::weir(&s, 16_384).pages, 4096);
        s.max_dirty_pct = 20.0;
        assert_eq!(BufferRules::weir(&s, 16_384).pages, 1638, "ten points below the dirty limit");
        s.max_dirty_pct = 5.0;
        assert_eq!(BufferRules::weir(&s, 16_384).pages, 163);
        assert_eq!(BufferRules::innodb(&s, 16_384), contraction(8192, 8192));
        assert_eq!(BufferRules::by_option(&s, 16_384), contraction(4096, 4096));
        s.ibuf_max_pct = 10;
        assert_eq!(BufferRules::google(&s, 16_384), contraction(8192, 1638));
        assert_eq!(BufferRules::xtradb(&s, 131_072), contraction(65_536, 65_536));
        // As published: 200M, active contraction.
        s.ibuf_max_size = 200 << 20;
        s.ibuf_active_contract = true;
        assert_eq!(BufferRules::xtradb(&s, 131_072), contraction(12_800, 0));
    }
}
