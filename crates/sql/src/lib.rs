//! Weir: sql.

pub mod errno;
pub mod session_api;
