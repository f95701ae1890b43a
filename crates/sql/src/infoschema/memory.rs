//! performance_schema's summaries of memory: what the process has, by owner, and what sessions are charged.
//!
//! Memory is accounted by owner, not by allocation, so a row says how much there is and how much there was at most, and counts things
//! (sessions, locks, plans) where MySQL counts allocations; what was freed is in no count. The rows of the process add up to what the system
//! counts as its own: what no owner is charged for has a row of its own. The names are MySQL's where it has the same owner.

use super::cells::{Row, i, os, s, u};
use super::engine_told::Told;
use super::sessions::{host_of, visible};
use crate::context::{TableReads, VirtualTable};
use crate::session_api::ProcessInfo;
use crate::status::Stat;
use crate::value::Value;
use std::collections::BTreeMap;

pub fn all() -> Vec<&'static dyn VirtualTable> {
    ALL.iter().map(|t| t as &dyn VirtualTable).collect()
}

const SCHEMA: &str = "performance_schema";

/// Columns of a summary by `$keys`.
macro_rules! by {
    ($keys:literal) => {
        concat!(
            $keys,
            " EVENT_NAME V128! COUNT_ALLOC U! COUNT_FREE U! SUM_NUMBER_OF_BYTES_ALLOC U! SUM_NUMBER_OF_BYTES_FREE U! LOW_COUNT_USED I!
             CURRENT_COUNT_USED I! HIGH_COUNT_USED I! LOW_NUMBER_OF_BYTES_USED I! CURRENT_NUMBER_OF_BYTES_USED I!
             HIGH_NUMBER_OF_BYTES_USED I!"
        )
    };
}

static ALL: [Told; 5] = [
    Told::new(SCHEMA, "memory_summary_global_by_event_name", by!(""), of_the_process),
    Told::new(SCHEMA, "memory_summary_by_thread_by_event_name", by!("THREAD_ID U!"), of_threads),
    Told::new(SCHEMA, "memory_summary_by_account_by_event_name", by!("USER C32 HOST C255"), |cx| {
        summed(cx, |user, host| vec![s(user), s(host)])
    }),
    Told::new(SCHEMA, "memory_summary_by_user_by_event_name", by!("USER C32"), |cx| {
        summed(cx, |user, _| vec![s(user)])
    }),
    Told::new(SCHEMA, "memory_summary_by_host_by_event_name", by!("HOST C255"), |cx| {
        summed(cx, |_, host| vec![os(Some(host))])
    }),
];

/// What a session is charged ([`crate::memory`]).
const OF_SESSIONS: &str = "memory/sql/THD::main_mem_root";

/// How many things of a kind there are, their bytes, and the most bytes that there were.
#[derive(Clone, Copy, Default)]
struct Used {
    count: u64,
    bytes: u64,
    most: u64,
}

impl Used {
    fn now(count: u64, bytes: u64) -> Used {
        Used { count, bytes, most: bytes }
    }

    fn plus(self, other: Used) -> Used {
        Used {
            count: self.count + other.count,
            bytes: self.bytes + other.bytes,
            most: self.most + other.most,
        }
    }

    /// The columns after the keys.
    fn row(self, mut keys: Row, name: &str) -> Row {
        keys.push(s(name));
        keys.extend([u(self.count), u(0), u(self.bytes), u(0), i(0)]);
        keys.extend([self.count, self.count, 0, self.bytes, self.most].map(|n| i(n as i64)));
        keys
    }
}

fn of_the_process(cx: TableReads<'_>) -> Vec<Row> {
    let shared = cx.reads.shared;
    let stat = |stat: Stat| shared.status.get(stat);
    let (pool, whole) = shared.db.pool_memory();
    let (locks, lock_bytes) = shared.db.lock_memory();
    let charged = Used {
        count: shared.memory.by_session().len() as u64,
        bytes: shared.memory.used() as u64,
        most: shared.memory.most() as u64,
    };
    let log = shared.db.log_buffer_memory();
    let plans = [Stat::Weir_plan_cache_plans, Stat::Weir_plan_cache_bytes].map(stat);
    let mut owners = vec![
        ("memory/innodb/buf_buf_pool", Used::now(1, pool as u64)),
        ("memory/innodb/log_buffer_memory", Used::now(1, log)),
        ("memory/innodb/lock0lock", Used::now(locks as u64, lock_bytes)),
        (OF_SESSIONS, charged),
        ("memory/weir/plan_cache", Used::now(plans[0], plans[1])),
    ];
    // The measure has the part of the pool that is still to be filled in it.
    if let Some(measured) = shared.memory.measured() {
        let own = measured.saturating_sub(whole.saturating_sub(pool)) as u64;
        let known: u64 = owners.iter().map(|(_, used)| used.bytes).sum();
        owners.push(("memory/weir/other", Used::now(1, own.saturating_sub(known))));
    }
    owners.into_iter().map(|(name, used)| used.row(Row::new(), name)).collect()
}

/// Sessions that may be shown, and what they are charged.
fn sessions(cx: TableReads<'_>) -> Vec<(ProcessInfo, Used)> {
    let memory = cx.reads.shared.memory.by_session();
    let one = |p: ProcessInfo| {
        let (bytes, most) = memory.get(&p.id).copied().unwrap_or_default();
        (p, Used { count: 1, bytes: bytes as u64, most: most as u64 })
    };
    visible(cx).into_iter().map(one).collect()
}

fn of_threads(cx: TableReads<'_>) -> Vec<Row> {
    sessions(cx).into_iter().map(|(p, used)| used.row(vec![u(p.id)], OF_SESSIONS)).collect()
}

/// Sessions that are there, summed up by what `keys` makes of user and host.
fn summed(cx: TableReads<'_>, keys: fn(String, String) -> Row) -> Vec<Row> {
    let mut sums: BTreeMap<Vec<String>, (Vec<Value<'static>>, Used)> = BTreeMap::new();
    for (p, used) in sessions(cx) {
        let host = host_of(&p).to_owned();
        let keys = keys(p.user, host);
        let names = keys.iter().map(|v| v.to_string_lossy().unwrap_or_default()).collect();
        let sum = sums.entry(names).or_insert_with(|| (keys, Used::default()));
        sum.1 = sum.1.plus(used);
    }
    sums.into_values().map(|(keys, used)| used.row(keys, OF_SESSIONS)).collect()
}
