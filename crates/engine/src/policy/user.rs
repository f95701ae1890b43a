//! What a session does before a change: InnoDB's margin procedure, Google v4's dirty limit, waiting for a checkpoint.
//!
//! `check` gives the orders of one round; the mechanism carries them out and comes again where they say so. InnoDB keeps a
//! flag that mini-transactions set, so that most checks look at nothing else; here `may_act` and `armed` are that flag,
//! computed from the same numbers, and never miss a round in which `check` would order something.

use super::{
    Batch, Cause, FreeRule, NO_LIMIT, Preflush, UserDirty, UserOrder, UserRules, UserView,
};

impl UserRules {
    /// The orders of one round, empty when there is nothing to do.
    pub fn check(&self, v: &UserView) -> UserOrder {
        if let Some(d) = self.dirty_passed(v) {
            // Waits even if the batch is refused, and once a check: the next round begins behind it.
            let pages = d.pages.min(v.write_free);
            let batch = (pages > 0).then(|| Batch {
                neighbours: d.neighbours,
                ..Batch::oldest(pages, NO_LIMIT, Cause::UserDirty)
            });
            return UserOrder { batch, await_list: true, again: true, ..UserOrder::default() };
        }
        let mut order = self.preflush.map_or_else(UserOrder::default, |p| p.margin(v));
        order.wait_age = self.wait_age.filter(|&w| checkpoint_age(v) > w);
        order
    }

    /// Whether `check` orders anything.
    pub fn armed(&self, v: &UserView) -> bool {
        let age = v.lsn.saturating_sub(v.oldest);
        self.dirty_passed(v).is_some()
            || self
                .preflush
                .is_some_and(|p| age > p.first() || checkpoint_age(v) > p.checkpoint_first())
            || self.wait_age.is_some_and(|w| checkpoint_age(v) > w)
    }

    /// Like `armed`, without the oldest change: never false when `armed` is true, since the checkpoint lies behind it.
    pub fn may_act(&self, checkpoint_age: u64, dirty: usize, pool: usize) -> bool {
        self.dirty.is_some_and(|d| whole_pct(dirty, pool) > d.above_pct)
            || self.preflush.is_some_and(|p| checkpoint_age > p.first().min(p.checkpoint_first()))
            || self.wait_age.is_some_and(|w| checkpoint_age > w)
    }

    fn dirty_passed(&self, v: &UserView) -> Option<UserDirty> {
        self.dirty.filter(|d| !v.dirty_checked && whole_pct(v.dirty, v.pool) > d.above_pct)
    }
}

impl Preflush {
    /// The least age at which a session flushes.
    fn first(&self) -> u64 {
        self.flush_async.unwrap_or(self.flush_sync).min(self.flush_sync)
    }

    fn checkpoint_first(&self) -> u64 {
        self.checkpoint_async.min(self.checkpoint_sync)
    }

    /// One round of the margin procedure. A batch is bounded by its LSN only. Behind the synchronous limit it goes twice
    /// as far, and a session whose batch was refused has waited for somebody else's, which may have stopped earlier.
    fn margin(&self, v: &UserView) -> UserOrder {
        let age = v.lsn.saturating_sub(v.oldest);
        let sync = age > self.flush_sync;
        let advance = match self.flush_async {
            _ if sync => 2 * (age - self.flush_sync),
            Some(limit) => age.saturating_sub(limit),
            None => 0,
        };
        let cause = if sync { Cause::UserSync } else { Cause::UserAsync };
        let batch = (advance > 0).then(|| Batch {
            neighbours: self.neighbours,
            ..Batch::oldest(usize::MAX, v.oldest.saturating_add(advance), cause)
        });
        let since = checkpoint_age(v);
        let urgent = since > self.checkpoint_sync;
        UserOrder {
            batch,
            await_list: sync,
            again_if_refused: sync,
            checkpoint: (urgent || since > self.checkpoint_async).then_some(urgent),
            wait_age: None,
            again: urgent,
        }
    }
}

impl FreeRule {
    /// The rule for a pool of this many frames. From 2048 frames on it is as published. Below, InnoDB shrinks the area of
    /// neighbours, and margin and scan with it; the extra pages it does not shrink, here they are at most an eighth of the
    /// pool, since a hundred may be more than a small pool has.
    pub fn for_pool(self, pool: usize) -> FreeRule {
        match self {
            FreeRule::Users { neighbours, .. } if pool < 2048 => {
                let area = 64.min(pool.div_ceil(32).next_power_of_two()).min(pool / 16);
                let margin = 5 + area;
                let extra = (margin / 4 + 100).min(pool / 8);
                FreeRule::Users { margin, extra, scan: 5 + 2 * area, neighbours }
            }
            rule => rule,
        }
    }
}

/// InnoDB's numbers for an area of 64 pages: 5 + 64, 69 / 4 + 100, 5 + 2 * 64.
pub(super) fn users_free(neighbours: super::Neighbours) -> FreeRule {
    FreeRule::Users { margin: 69, extra: 117, scan: 133, neighbours }
}

fn checkpoint_age(v: &UserView) -> u64 {
    v.lsn.saturating_sub(v.checkpoint)
}

/// Dirty percent of the frames plus one, truncated: 25.83 is 25.
pub(super) fn whole_pct(dirty: usize, pool: usize) -> u64 {
    (100 * dirty / (pool + 1)) as u64
}

#[cfg(test)]
mod tests {
    use super::super::{Neighbours, Order};
    use super::*;

    const ASYNC: u64 = 700;
    const SYNC: u64 = 750;
    const C_ASYNC: u64 = 775;
    const C_SYNC: u64 = 800;

    fn rules() -> UserRules {
        let preflush = Preflush {
            flush_async: Some(ASYNC),
            flush_sync: SYNC,
            checkpoint_async: C_ASYNC,
            checkpoint_sync: C_SYNC,
            neighbours: Neighbours::Area,
        };
        UserRules { preflush: Some(preflush), ..UserRules::default() }
    }

    /// At log end 10000: ages of the oldest change and of the checkpoint.
    fn view(age: u64, since: u64) -> UserView {
        let (oldest, checkpoint) = (10_000 - age, 10_000 - since);
        UserView {
            lsn: 10_000,
            oldest,
            checkpoint,
            pool: 9999,
            write_free: 256,
            ..UserView::default()
        }
    }

    fn limit(o: &UserOrder) -> Option<(u64, Cause)> {
        o.batch.map(|b| (b.limit, b.cause))
    }

    #[test]
    fn margin_procedure() {
        // Age, checkpoint age; batch, waits, checkpoint, again.
        type Row = (u64, u64, Option<(u64, Cause)>, bool, Option<bool>, bool);
        let table: &[Row] = &[
            (0, 0, None, false, None, false),
            (ASYNC, ASYNC, None, false, None, false),
            (ASYNC + 1, ASYNC + 1, Some((10_000 - 701 + 1, Cause::UserAsync)), false, None, false),
            (SYNC, SYNC, Some((9250 + 50, Cause::UserAsync)), false, None, false),
            (SYNC + 1, SYNC + 1, Some((9249 + 2, Cause::UserSync)), true, None, false),
            (760, 770, Some((9240 + 20, Cause::UserSync)), true, None, false),
            (10, C_ASYNC, None, false, None, false),
            (10, C_ASYNC + 1, None, false, Some(false), false),
            (10, C_SYNC, None, false, Some(false), false),
            (10, C_SYNC + 1, None, false, Some(true), true),
            (790, 801, Some((9210 + 80, Cause::UserSync)), true, Some(true), true),
        ];
        for &(age, since, batch, waits, checkpoint, again) in table {
            let o = rules().check(&view(age, since));
            assert_eq!(limit(&o), batch, "{age} {since}");
            assert_eq!(
                (o.await_list, o.checkpoint, o.again),
                (waits, checkpoint, again),
                "{age} {since}"
            );
            assert_eq!(
                o.again_if_refused, waits,
                "a refused batch counts behind the synchronous limit only"
            );
            if let Some(b) = o.batch {
                assert_eq!((b.pages, b.neighbours, b.wait), (usize::MAX, Neighbours::Area, false));
            }
        }
    }

    #[test]
    fn nothing_dirty() {
        let v = UserView { oldest: 10_000, ..view(0, 790) };
        let o = rules().check(&v);
        assert_eq!((o.batch, o.checkpoint), (None, Some(false)));
    }

    #[test]
    fn without_the_asynchronous_limit_the_synchronous_one_stays() {
        let mut r = rules();
        if let Some(p) = &mut r.preflush {
            p.flush_async = None;
        }
        assert_eq!(r.check(&view(SYNC, SYNC)), UserOrder::default());
        assert!(!r.armed(&view(SYNC, SYNC)) && !r.may_act(SYNC, 0, 1));
        assert_eq!(limit(&r.check(&view(SYNC + 5, SYNC + 5))), Some((9245 + 10, Cause::UserSync)));
    }

    fn dirty_rules() -> UserRules {
        let dirty = UserDirty { above_pct: 25, pages: 500, neighbours: Neighbours::Run };
        UserRules { dirty: Some(dirty), ..rules() }
    }

    #[test]
    fn dirty_limit_in_whole_percent() {
        // Of 10000: 25.83 and 25.99 percent are 25 and do not count at a limit of 20 plus 5; 26.00 does.
        for (dirty, acts) in [(2500, false), (2583, false), (2599, false), (2600, true)] {
            let v = UserView { dirty, ..view(0, 0) };
            let o = dirty_rules().check(&v);
            assert_eq!(o.batch.is_some(), acts, "{dirty}");
            assert_eq!(o.await_list, acts);
            assert_eq!(dirty_rules().armed(&v), acts);
            assert_eq!(dirty_rules().may_act(0, dirty, 9999), acts);
        }
    }

    #[test]
    fn dirty_limit_comes_first_and_once() {
        let v = UserView { dirty: 5000, ..view(760, 770) };
        let o = dirty_rules().check(&v);
        let b = o.batch.expect("above the limit");
        assert_eq!((b.pages, b.limit, b.cause), (256, NO_LIMIT, Cause::UserDirty));
        assert_eq!((b.neighbours, b.order), (Neighbours::Run, Order::Oldest));
        assert!(o.await_list && o.again && !o.again_if_refused);
        // The next round is the margin procedure, though the share is as it was.
        let o = dirty_rules().check(&UserView { dirty_checked: true, ..v });
        assert_eq!(limit(&o), Some((9260, Cause::UserSync)));
        // No place for a request: waits all the same.
        let o = dirty_rules().check(&UserView { write_free: 0, ..v });
        assert_eq!((o.batch, o.await_list), (None, true));
        let o = dirty_rules().check(&UserView { write_free: 4096, ..v });
        assert_eq!(o.batch.map(|b| b.pages), Some(500));
    }

    #[test]
    fn waits_for_a_checkpoint() {
        let r = UserRules { wait_age: Some(900), ..UserRules::default() };
        assert_eq!(r.check(&view(0, 900)), UserOrder::default());
        let o = r.check(&view(0, 901));
        assert_eq!(o, UserOrder { wait_age: Some(900), ..UserOrder::default() });
    }

    #[test]
    fn the_tests_beforehand_never_miss_an_order() {
        let wait = UserRules { wait_age: Some(780), ..UserRules::default() };
        for r in [rules(), dirty_rules(), wait, UserRules::default()] {
            for age in (0..1000).step_by(7).chain([ASYNC, SYNC, ASYNC + 1, SYNC + 1]) {
                for more in [0, 1, 24, 25, 26, 75, 100, 101, 500] {
                    for dirty in [0, 2599, 2600, 9999] {
                        let v = UserView { dirty, ..view(age, age + more) };
                        let acts = r.check(&v) != UserOrder::default();
                        assert_eq!(r.armed(&v), acts, "{age} {more} {dirty}");
                        assert!(!acts || r.may_act(age + more, dirty, v.pool));
                    }
                }
            }
        }
        assert!(!UserRules::default().may_act(u64::MAX, 100, 100));
    }

    #[test]
    fn free_margin_follows_small_pools() {
        let of = |pool| match users_free(Neighbours::None).for_pool(pool) {
            FreeRule::Users { margin, extra, scan, .. } => (margin, extra, scan),
            FreeRule::Cleaner => panic!("users make frames free here"),
        };
        assert_eq!(of(1_000_000), (69, 117, 133));
        assert_eq!(of(2048), (69, 117, 133));
        assert_eq!(of(2047), (69, 117, 133));
        assert_eq!(of(1024), (37, 109, 69));
        assert_eq!(of(640), (37, 80, 69));
        assert_eq!(of(512), (21, 64, 37));
        assert_eq!(of(64), (7, 8, 9));
        assert_eq!(of(16), (6, 2, 7));
        assert_eq!(FreeRule::Cleaner.for_pool(64), FreeRule::Cleaner);
    }
}
