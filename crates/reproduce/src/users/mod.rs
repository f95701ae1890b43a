//! Users in virtual time: each a task that runs one transaction after the other, as `weir bench` draws them.
//!
//! They call the engine, with the statements of the workloads; a statement costs the computer's processors their time. Uses `machine`,
//! `plan`, `data` and `figures`.
//!
//! Invariant: a transaction is tried again after a conflict only; another error ends the run, and is what the run says.

mod insert;
mod oltp;
mod tpcc;

use crate::figures::Recording;
use crate::machine::Cpu;
use crate::plan::{Load, Plan};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use weir_bench::workload::calls::{Calls, Compute};
use weir_disk::{File, IoBuf};
use weir_engine::{Db, Durability, Error};
use weir_rt::{AsyncMutex, JoinHandle, Rt};

/// What the users of a run share.
pub struct World {
    pub rt: Rt,
    pub db: Db,
    pub plan: Plan,
    /// The processors of a computed machine, and nanoseconds of a statement; none on a real one.
    pub costs: Option<(Arc<Cpu>, u64)>,
    pub durability: Durability,
    /// Where commits wait for each other: a log that each syncs twice, alone. The engine's own then needs no sync.
    pub beside: Option<Arc<dyn File>>,
    pub turn: Arc<AsyncMutex<()>>,
    pub recording: Recording,
    pub stop: AtomicBool,
    /// Work that is left: transactions, or the number of the next row.
    pub left: AtomicU64,
}

impl World {
    pub fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn calls(self: &Arc<World>) -> Calls {
        let costs = Costs {
            costs: self.costs.clone(),
            beside: self.beside.clone(),
            turn: self.turn.clone(),
        };
        Calls::computed(Arc::new(costs), self.rt.clone())
    }

    /// False: it was a conflict, and the transaction is tried again.
    fn is_conflict(&self, e: &Error) -> bool {
        let again =
            matches!(e, Error::Deadlock | Error::LockWaitTimeout | Error::DuplicateKey { .. });
        if again {
            self.recording.retried();
        } else {
            self.recording.failed(e.to_string());
            self.stop.store(true, Ordering::Relaxed);
        }
        again
    }
}

struct Costs {
    costs: Option<(Arc<Cpu>, u64)>,
    beside: Option<Arc<dyn File>>,
    turn: Arc<AsyncMutex<()>>,
}

impl Compute for Costs {
    fn statement(&self) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let Some((cpu, ns)) = self.costs.clone() else { return Box::pin(async {}) };
        Box::pin(async move { cpu.work(ns).await })
    }

    fn commit(&self) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let Some(file) = self.beside.clone() else { return Box::pin(async {}) };
        let turn = self.turn.clone();
        Box::pin(async move {
            let _turn = turn.lock().await;
            // Prepared, then committed: what fails here fails in no computed world.
            for part in 0..2 {
                let _ = file.write(part * 512, IoBuf::new(512)).await;
                let _ = file.sync().await;
            }
        })
    }
}

/// Starts all users of a plan.
pub fn start(w: &Arc<World>) -> Vec<JoinHandle<()>> {
    match w.plan.load.clone() {
        Load::Tpcc { warehouses, dbt2, .. } => tpcc::start(w, warehouses, dbt2),
        Load::Insert { start_rows, rows, query_users, rows_per_query } => {
            let by = w.plan.size.rows();
            insert::start(
                w,
                start_rows / by,
                rows / by / w.plan.size.shorter,
                query_users,
                rows_per_query,
            )
        }
        Load::Oltp { rows, .. } => oltp::start(w, rows / w.plan.size.rows()),
    }
}
