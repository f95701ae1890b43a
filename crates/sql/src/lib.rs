//! Weir: sql.

pub mod func;
pub mod value;
