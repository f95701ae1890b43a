//! Weir: sql.

pub mod value;
