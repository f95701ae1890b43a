//! From settings to an open database: what the server and a program with the database inside it have in common.
//!
//! `options` reads names and values as `weir serve` takes them, `profile` and `persisted` add those of published servers and of SET
//! PERSIST. `engine` opens a data directory with them. `unfinished` marks a directory that is being made. `passwords`, `files`, `identity` and `budget` are what an instance asks of its
//! machine: hashes of accounts, files that statements read and write, the server's UUID, and the memory of the process. `binary_log` opens
//! the binary log.
//!
//! Uses `sql`, `source`, `binlog`, `engine`, `disk` and `rt`. There is no socket here, no thread and no cryptography but the hashes of accounts.
#![forbid(unsafe_code)]

pub mod binary_log;
pub mod budget;
pub mod engine;
pub mod files;
pub mod foreign;
pub mod identity;
pub mod options;
pub mod passwords;
pub mod persisted;
mod profile;
pub mod unfinished;
