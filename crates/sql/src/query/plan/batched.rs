//! Whether a step is read by the leaf.

use super::Step;
use crate::vars::{SessionVars, Var};

/// Rows from which on vectors are worth being made.
const ROWS: f64 = 200.0;
/// `weir_batches`: off, on, and for tables of any size.
const OFF: u64 = 0;
const ALWAYS: u64 = 2;

impl Step {
    /// The session reads it by the leaf.
    pub fn in_batches(&self, vars: &SessionVars) -> bool {
        self.batched
            && match vars.u64(Var::weir_batches) {
                OFF => false,
                ALWAYS => true,
                _ => self.rows >= ROWS,
            }
    }
}
