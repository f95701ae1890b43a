//! Floor 3: What happened: the last hour and day in rows (`seconds`), what sessions waited for in them (`report`), and the file that keeps
//! both across runs (`flight`).
//!
//! May use: `flush` (the pressure at a row's end), `policy`, `waits`. Written by the recorder, read by reports; nothing that
//! decides anything reads it.
//!
//! Invariant: a row is never changed once it is there, so a reader needs no more than a copy.

pub(crate) mod flight;
pub mod printed;
pub(crate) mod report;
pub mod seconds;

pub use seconds::{History, Second};
