//! Weir: sql.
