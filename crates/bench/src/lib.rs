//! `weir bench`: workloads against Weir in this process, or against any server of the MySQL protocol, and their results.
//!
//! `target` is what is measured, `workload` what is run, `measure` what is seen, `report` what comes out; `run` puts a run
//! together, `client` the connection of other commands to a server, `inserts` what the insert benchmark adds, `command`, `matrix` and `cli` are the commands, `sysbench` that program's line for one of them. Threads and the clock of std are used here: this is a program
//! beside the engine, not a part of it.
#![forbid(unsafe_code)]

mod args;
pub mod cli;
pub mod client;
mod command;
pub mod error;
mod inserts;
mod live;
mod matrix;
mod measure;
pub mod report;
mod run;
mod sysbench;
mod target;
pub mod workload;

pub use cli::main;
