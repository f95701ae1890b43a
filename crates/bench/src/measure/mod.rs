//! What is seen during a run: samples of the users, once an interval the server's counters and the machine's.
//!
//! A user thread only appends a number to its own list; the ticker's thread turns the lists into histograms. May use
//! `target` for the status probe; knows no workload.
//!
//! Invariants: a sample belongs to the interval in which its transaction ended, and is counted once; percentiles come from
//! histograms with three exact digits, never from averages of percentiles; a probe that waits delays nothing but itself.

pub mod collector;
pub mod proc;
pub mod recorder;
pub mod series;
pub mod speed;
pub mod status;

pub use collector::Collector;
pub use recorder::{Outcome, Recorder, UserStats};
pub use series::{Interval, MachineRates, ServerRates, Throughput};
