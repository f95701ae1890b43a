//! Weir: rt.
