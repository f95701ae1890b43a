//! MATCH ... AGAINST.

use crate::query::expr::BExpr;
use crate::value::Collation;

/// A MATCH as it is planned, beside the query that reads its columns.
#[derive(Clone, Debug)]
pub struct Matching {
    pub against: BExpr,
    pub boolean: bool,
    /// WITH QUERY EXPANSION.
    pub expands: bool,
    pub collation: Collation,
    /// The key has the parser of pieces.
    pub ngram: bool,
    /// The table's place in the statement and the columns, in the key's order: two searches with the same of all are one.
    pub place: (u8, u16),
    pub columns: Vec<usize>,
}
