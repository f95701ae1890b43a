//! Weir: engine.
