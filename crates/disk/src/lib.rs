//! Weir: disk.
