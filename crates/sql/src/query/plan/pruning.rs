//! What conditions say about partitioning columns.

use super::key::Key;

/// Searches that both hold: over the columns of the partitions' function, and over those of the subpartitions'.
pub struct Searched {
    pub outer: Option<Key>,
    pub inner: Option<Key>,
}

impl Searched {
    fn keys(&self) -> impl Iterator<Item = &Key> {
        self.outer.iter().chain(&self.inner)
    }

    pub fn is_any(&self) -> bool {
        self.keys().next().is_some()
    }
}

/// What conditions say about the partitioning columns: of each list one holds.
pub struct Pruning(pub Vec<Vec<Searched>>);

impl Pruning {
    pub fn keys(&self) -> impl Iterator<Item = &Key> {
        self.0.iter().flatten().flat_map(Searched::keys)
    }
}
