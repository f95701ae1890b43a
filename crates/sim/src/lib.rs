//! The simulator: the whole engine, its background tasks and many clients, in one thread and in virtual time, from one
//! seed. Finds what no other test finds, and shows it again as often as one likes.
//!
//! A seed is a [`Scenario`] (plain data: sizes, tables, clients, lives, faults); [`run`] plays it; [`shrink()`] makes one
//! that fails smaller. Uses `weir-rt`, `weir-disk` and `weir-engine`; no clock, file, thread or random source of the
//! machine. `weir simulate` is the command line around it.
//!
//! - `scenario`, `schema`, `faults`: what a seed draws.
//! - `client`: statements; `life`: a start of the engine up to its end; `run`: lives in a row.
//! - `model`, `history`: what must be true.
//! - `storey`: what the command line needs of this storey, and of `weir-sim-sql`, which stands on it.
//! - `spoil`: damage on purpose, to prove that the checks see it; `put_back`: older files and blocks, which must be told; `force`: starts under `innodb_force_recovery`.
#![forbid(unsafe_code)]

mod client;
mod faults;
mod force;
mod history;
mod life;
mod model;
mod panics;
mod put_back;
mod run;
mod scenario;
mod schema;
mod shrink;
mod spoil;
mod storey;

pub use faults::{FaultKind, FaultSet, Happened, Injector, KINDS as FAULT_KINDS, Planned};
pub use model::Failure;
pub use panics::{keep_panics_quiet, told_panic};
pub use run::{Report, run};
pub use scenario::{Overrides, SIZES, Scenario, Size, WORKLOADS, Workload, mix};
pub use shrink::{Shrunk, shrink};
pub use storey::{EngineStorey, Shape, Storey};
pub use weir_engine::FLUSH_POLICIES;
/// The engine's bugs on purpose.
#[cfg(feature = "planted")]
pub use weir_engine::planted;
