//! Weir: server.
