//! All that transactions stand on, in one piece. The catalog, and the engine as a whole, have more, and are above.

use super::{Between, Orphan, Prepared, Purge, Truncation, TrxSys, Turns, UndoSlots};
use crate::error::LogFn;
use crate::flush::pressure::{self, Pressure};
use crate::force::Force;
use crate::history::History;
use crate::lane::Counter;
use crate::lock::LockTable;
use crate::mtr::Core;
use crate::settings::Settings;
use crate::sync::Mutex;
use crate::sync::atomic::Ordering;
use crate::table::Handles;
use std::sync::Arc;
use weir_rt::{Event, Notify, Rt};

/// Counters of what transactions did.
#[derive(Default)]
pub struct Stats {
    pub commits: Counter,
    pub rollbacks: Counter,
    pub rows_read: Counter,
    /// Rows that index entries told by themselves, and entries of covering reads whose rows were asked all the same.
    pub rows_covered: Counter,
    pub rows_uncovered: Counter,
    pub rows_inserted: Counter,
    pub rows_updated: Counter,
    pub rows_deleted: Counter,
}

/// Transactions whose owner is gone.
#[derive(Default)]
pub struct Orphans {
    list: Mutex<Vec<Orphan>>,
    pub wake: Notify,
}

impl Orphans {
    pub fn push(&self, o: Orphan) {
        self.list.lock().push(o);
        self.wake.notify_one();
    }

    pub fn pop(&self) -> Option<Orphan> {
        self.list.lock().pop()
    }

    pub fn len(&self) -> usize {
        self.list.lock().len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What a transaction, rollback and purge need, and nothing of those who define tables or run the engine.
pub struct System {
    pub rt: Rt,
    pub core: Arc<Core>,
    pub trx: TrxSys,
    pub locks: Arc<LockTable>,
    pub purge: Purge,
    pub undo_slots: UndoSlots,
    pub undo_truncation: Truncation,
    pub orphans: Orphans,
    pub prepared: Prepared,
    pub turns: Turns,
    pub between: Between,
    /// Tables by the numbers that undo names them by.
    pub handles: Handles,
    pub settings: Settings,
    pub history: History,
    pub stats: Stats,
    pub log: LogFn,
    pub force: Force,
    /// The engine is about to end: nothing new is begun in the background.
    pub stop: Event,
}

impl System {
    pub fn stopping(&self) -> bool {
        self.stop.is_set()
    }

    /// How hard the engine is pressed: not older than a tenth of a second, rates not older than one.
    pub fn pressure(&self) -> Pressure {
        self.core.flush.pressure.get(self.rt.now(), || {
            let (pages_written, paced_micros) =
                self.history.last(|s| (s.pages_written, s.paced_micros)).unwrap_or_default();
            pressure::pressure(&self.view(pages_written, paced_micros))
        })
    }

    /// What pressure is made of: as it is, and rates of the second that ended last.
    pub(crate) fn view(&self, pages_written: u64, paced_micros: u64) -> pressure::View {
        let (pool, log, c) = (&self.core.pool, &self.core.log, &self.core.flush);
        pressure::View {
            checkpoint_age: log.published().saturating_sub(log.checkpoint()),
            log_capacity: log.capacity(),
            waiting_log: log.room_waiters(),
            waiting_frames: pool.waiting_for_frames(),
            free: pool.free_frames(),
            free_want: pool.low_water(),
            dirty: pool.dirty_pages(),
            pool: pool.size(),
            dirty_limit: self.settings.flush.lock().max_dirty_pct,
            history: self.purge.history_length(),
            device_pages: c.device_pages.load(Ordering::Relaxed) as f64,
            written: pages_written as f64,
            paced: paced_micros as f64 / 1e6,
        }
    }
}
