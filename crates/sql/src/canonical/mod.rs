//! The canonical text of a view's query, as MySQL 8.0 shows it: key words in small letters, columns with their tables, every operation in
//! parentheses.
//!
//! `names` writes the tables into the names of a syntax tree and `*` out, with the names of a block in `level`; `query`, `expr`, `literal` and `call` write a tree as text. The note of
//! EXPLAIN (`query::print`) writes bound plans instead: what the optimizer made of a statement, which is for people only. A view's
//! text is read again by every load of a dump, so it is made of the tree, which has all that was said.
//!
//! May use the dictionary and the names of functions; binds nothing.
//!
//! Invariant: the text, parsed and written again, is the same text, and the view made of it has the same rows.

mod call;
mod expr;
mod form;
mod level;
mod literal;
mod names;
mod query;
mod truth;

pub use form::rewritten;
pub use literal::returned;
pub use names::name_columns;
pub use truth::is_boolean;

use crate::context::Reads;
use crate::meta::view::ViewMeta;
use crate::session_api::SqlError;
use names::Names;
use weir_engine::{Object, ObjectKind};
use weir_syntax::ast::Query;

/// How the text is written.
#[derive(Clone, Copy)]
pub struct Style {
    /// Around names: a double quote under ANSI_QUOTES.
    pub quote: char,
    /// Without schemas: all tables are in the one at hand.
    pub compact: bool,
    /// Literals with the character set that was written before them.
    pub introducers: bool,
}

/// Writes a query.
struct Printer {
    out: String,
    style: Style,
}

/// A view's query as text.
pub fn text_of(query: &Query, style: Style) -> String {
    let mut printer = Printer { out: String::new(), style };
    printer.query(query, true);
    printer.out
}

/// The query of a view with the tables of its columns, and what is known of it.
pub struct Shown {
    pub query: Box<Query>,
    /// All tables and columns that it names are there.
    pub valid: bool,
    /// They are all in the view's schema.
    pub one_schema: bool,
}

/// What is stored of a view may be older than its tables, and than the rule that columns have their tables.
pub fn shown(o: &Object, view: &ViewMeta, reads: Reads<'_>) -> Result<Shown, SqlError> {
    let mut query = view.parse()?;
    let known = names::name(&mut query, reads);
    let mut shown = Shown { query, valid: known.valid, one_schema: true };
    below(o, &known, reads, 0, &mut shown);
    Ok(shown)
}

/// The tables and views that a query names, with their schemas.
pub fn tables_of(query: &mut Query, reads: Reads<'_>) -> Vec<(String, String)> {
    names::name(query, reads).tables
}

/// Views may stand on views, which cannot stand on themselves.
fn below(of: &Object, known: &Names<'_>, reads: Reads<'_>, depth: u8, shown: &mut Shown) {
    for (schema, name) in &known.tables {
        shown.one_schema &= *schema == of.schema;
        let Some(o) = reads.db().object(ObjectKind::View, schema, name) else { continue };
        let inner = ViewMeta::of(&o).and_then(|v| v.parse());
        let (Ok(mut query), true) = (inner, depth < 60) else {
            shown.valid = false;
            continue;
        };
        let inner = names::name(&mut query, reads);
        shown.valid &= inner.valid;
        below(of, &inner, reads, depth + 1, shown);
    }
}
