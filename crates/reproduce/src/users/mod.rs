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
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use weir_bench::workload::calls::{self, Calls, Compute, Rows};
use weir_disk::{File, IoBuf};
use weir_engine::{Db, Durability, Error};
use weir_rt::{JoinHandle, Rt, WaitQueue};

/// What the users of a run share.
pub struct World {
    pub rt: Rt,
    pub db: Db,
    pub plan: Plan,
    /// The processors of a computed machine, and nanoseconds of a statement; none on a real one.
    pub costs: Option<(Arc<Cpu>, u64)>,
    pub durability: Durability,
    /// Where commits go one after the other: each syncs a record here, that it is prepared, and then its own in the engine.
    pub serial: Option<Arc<Serial>>,
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
        Calls::computed(Arc::new(Costs(self.clone())), self.rt.clone())
    }

    /// Ends the run; the first reason counts.
    fn fail(&self, why: String) {
        self.recording.failed(why);
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether a transaction is tried again: after a conflict, while the run goes on. After another error the run is over.
    fn is_tried_again(&self, e: &Error) -> bool {
        // Rows that sysbench deletes and inserts again meet in two transactions; no other load makes a key twice.
        let twice =
            matches!(e, Error::DuplicateKey { .. }) && matches!(self.plan.load, Load::Oltp { .. });
        if twice || matches!(e, Error::Deadlock | Error::LockWaitTimeout) {
            self.recording.retried();
            return !self.is_over();
        }
        self.fail(e.to_string());
        false
    }
}

/// Commits of a server with a binary log of that time: one after the other, from its first sync to its last.
pub struct Serial {
    file: Arc<dyn File>,
    busy: Mutex<bool>,
    left: WaitQueue,
}

/// A commit's turn, which ends with it.
struct Turn(Arc<Serial>);

impl Drop for Turn {
    fn drop(&mut self) {
        *self.0.lock() = false;
        self.0.left.wake_one();
    }
}

impl Serial {
    pub fn new(file: Arc<dyn File>) -> Serial {
        Serial { file, busy: Mutex::new(false), left: WaitQueue::new() }
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn turn(self: &Arc<Serial>) -> Turn {
        loop {
            let left = self.left.wait();
            if !std::mem::replace(&mut *self.lock(), true) {
                return Turn(self.clone());
            }
            left.await;
        }
    }

    async fn prepare(&self) -> weir_disk::Result<()> {
        self.file.write(0, IoBuf::new(512)).await.1?;
        self.file.sync().await
    }
}

struct Costs(Arc<World>);

impl Compute for Costs {
    fn statement(&self) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let Some((cpu, ns)) = self.0.costs.clone() else { return Box::pin(async {}) };
        Box::pin(async move { cpu.work(ns).await })
    }

    fn rows(&self, rows: Rows) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let Some((cpu, ns)) = self.0.costs.clone() else { return Box::pin(async {}) };
        let mut left = (self.0.plan.load.calls_of(rows) * ns as f64) as u64;
        Box::pin(async move {
            while left > 0 {
                let piece = left.min(ns.max(1));
                cpu.work(piece).await;
                left -= piece;
            }
        })
    }

    fn commit(&self) -> Pin<Box<dyn Future<Output = calls::Turn> + Send>> {
        let Some(serial) = self.0.serial.clone() else { return Box::pin(async { None }) };
        let w = self.0.clone();
        Box::pin(async move {
            let turn = serial.turn().await;
            if let Err(e) = serial.prepare().await {
                w.fail(e.to_string());
            }
            Some(Box::new(turn) as Box<_>)
        })
    }
}

/// Starts all users of a plan.
pub fn start(w: &Arc<World>) -> Vec<JoinHandle<()>> {
    match w.plan.load.clone() {
        Load::Tpcc { dbt2, .. } => tpcc::start(w, w.plan.load.warehouses(w.plan.size), dbt2),
        Load::Insert { start_rows, rows, query_users, rows_per_query, .. } => {
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
