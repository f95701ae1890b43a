//! FULLTEXT and SPATIAL keys: what a definition says of them.
//!
//! They stand beside the indexes of a table, since the engine keeps no tree for them: nothing that chooses an access, writes rows or
//! copies a table meets one. What they are good for is decided where they are asked: MATCH ... AGAINST wants a FULLTEXT key over its
//! columns. Their names are the names of keys, in one list with those of the indexes.

use super::{TableMeta, same_name};

/// What a special key is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpecialKind {
    /// The first parser makes words of letters and digits, the second pieces of so many characters as `ngram_token_size` says.
    FullText {
        ngram: bool,
    },
    Spatial,
}

/// A FULLTEXT or SPATIAL key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecialKey {
    pub name: String,
    pub kind: SpecialKind,
    /// Positions of its columns in the table; whole columns, whatever length was written.
    pub columns: Vec<usize>,
    pub comment: String,
    pub visible: bool,
}

impl SpecialKey {
    pub fn is_fulltext(&self) -> bool {
        matches!(self.kind, SpecialKind::FullText { .. })
    }

    /// INDEX_TYPE of information_schema.
    pub fn type_name(&self) -> &'static str {
        if self.is_fulltext() { "FULLTEXT" } else { "SPATIAL" }
    }

    /// SUB_PART: a rectangle of four doubles stands for a geometry.
    pub fn sub_part(&self) -> Option<u64> {
        (!self.is_fulltext()).then_some(32)
    }
}

impl TableMeta {
    /// A FULLTEXT or SPATIAL key by name, in any letter case.
    pub fn special_key(&self, name: &str) -> Option<&SpecialKey> {
        self.special.iter().find(|k| same_name(&k.name, name))
    }

    /// The FULLTEXT key over exactly these columns, in any order, that a search may use.
    pub fn fulltext_over(&self, columns: &[usize]) -> Option<&SpecialKey> {
        let among = |list: &[usize], c: &usize| list.contains(c);
        self.special.iter().filter(|k| k.is_fulltext() && k.visible).find(|k| {
            columns.iter().all(|c| among(&k.columns, c))
                && k.columns.iter().all(|c| among(columns, c))
        })
    }
}
