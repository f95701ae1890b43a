//! Weir: wire.
