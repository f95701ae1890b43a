//! `weir reproduce`: the published measurements of flush policies, run again on a computed machine or on this one.
//!
//! `machine` computes processors and disks in virtual time, `plan` says what is run and `figures` what came out, `published` has what was
//! published, as data; `data` loads, `users` work, `world` runs a plan; `report` sets the published tables beside ours and judges what was observed;
//! `work` makes many runs, `cli` is the command.
//!
//! Each room uses only those named before it. The engine, the policies and the transactions are those of the server and of `weir bench`: what
//! is reproduced is what runs.
#![forbid(unsafe_code)]

mod cli;
mod data;
mod figures;
mod machine;
mod plan;
mod published;
mod report;
mod users;
mod work;
mod world;

pub use cli::main;
