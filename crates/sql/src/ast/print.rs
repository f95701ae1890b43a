//! SQL text of syntax trees.
