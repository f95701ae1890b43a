//! A skip scan of an index: a search of the parts behind the first ones, for each value of those.

use crate::query::plan::key::Key;

#[derive(Clone)]
pub struct SkipScan {
    /// The search, over the columns of the parts behind the first ones.
    pub key: Key,
    /// How many parts of the index come before them.
    pub skipped: usize,
}
