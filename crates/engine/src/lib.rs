//! Weir: engine.

pub mod row;
