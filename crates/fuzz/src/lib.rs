//! Fuzz targets: what reads bytes that somebody else wrote, as plain functions over any bytes.
//!
//! A target may not panic, run away or answer against its own promise; what it makes of the bytes is its own affair.
//! `fuzz/` runs them under libFuzzer (see CONTRIBUTING.md); `tests/corpus.rs` runs them, on any toolchain, over the corpus
//! of `fuzz/corpus/<target>` and seeded mutations of it. An input that once failed stays in the corpus.
#![forbid(unsafe_code)]

mod log;
pub mod mutate;
mod packet;
mod page;
mod redo;
mod row;
mod sql;

pub use log::log;
pub use packet::packet;
pub use page::page;
pub use redo::redo;
pub use row::row;
pub use sql::sql;

/// A target: its name and its function.
pub type Target = (&'static str, fn(&[u8]));

pub const TARGETS: [Target; 6] =
    [("page", page), ("redo", redo), ("log", log), ("row", row), ("packet", packet), ("sql", sql)];

/// The first byte, which chooses a variant, and the rest.
fn split(data: &[u8]) -> (u8, &[u8]) {
    data.split_first().map_or((0, data), |(a, rest)| (*a, rest))
}
