//! Binding: names to tables and columns, operators and functions to nodes, types inferred. Synchronous; `optimize` fills
//! in the access later.
//!
//! [`Binder`] is what all of it shares. `query` binds query expressions, `select` blocks, `from` the tables of a block;
//! `name`, `literal`, `dated`, `expr`, `operator`, `call`, `convert` and `subquery` bind expressions; `scope` has the names. `rules` are the expressions
//! of a table's definition, and `partition` where its rows go. May use the syntax tree, the dictionary, the functions, and evaluation of
//! constants; reads no rows.
//!
//! Invariants:
//! - Every `enter` has its `leave`; on an error the block at hand may be left standing, those around it are not touched.
//! - A plan depends on what is bound only: what the session may change under it clears [`Binder::cacheable`].

mod call;
mod convert;
mod created;
mod dated;
mod deprecated;
pub mod digits;
mod drawn;
mod effort;
mod expr;
mod fixed_places;
mod from;
mod functional;
mod functional_dependency;
mod grouped;
mod hinted;
pub mod hints;
mod inserted;
mod json;
mod key_values;
mod lengths;
mod literal;
mod matching;
mod merge;
mod name;
mod operator;
pub mod outer_joins;
pub mod own_reads;
pub mod partition;
mod query;
mod readers;
mod recursive;
pub use created::created_columns;
pub use effort::must_go_on;
pub use expr::{bind_alone, bind_over, unit};
pub use from::{MAX_TABLES, shapes_of, table_scope, too_many_tables};
pub use literal::{as_number, by_place, number_as_text};
pub use name::default_value;
pub use rollup::GROUPING;
pub use select::split_and;
pub use view::{ViewPlan, no_delete, several_bases};
pub use zero_days::find_zero_days;

use crate::context::{ShowResult, VirtualColumn};
use crate::func::aggregate::AggSpec;
use crate::meta::{SqlColumn, SqlTable};
use crate::query::expr::BExpr;
use crate::query::plan::beside::Beside;
use crate::query::plan::deprecated::Deprecated;
use crate::query::plan::env::PlanEnv;
use crate::query::plan::param_kind::ParamKind;
use crate::query::plan::{OutColumn, Sub, Window};
use crate::rights::{BoundUses, Need};
use crate::session_api::SqlError;
use crate::value::{Collation, TypeInfo};
use crate::vars::switches::Switch;
use scope::{Place, Scope, ScopeTable};
use std::collections::HashMap;
use std::sync::Arc;
use weir_syntax::ast;
use weir_syntax::parse::stack_position;
mod rollup;
pub mod rules;
pub mod scope;
mod select;
pub mod semijoin;
mod settled;
mod subquery;
mod using;
mod view;
mod window;
mod zero_days;

/// Among the tables of a block that a subquery reads: an aggregate of it.
const AGGREGATE: u16 = u16::MAX;

type Bind<T> = Result<T, SqlError>;

/// A column by its name, as the block has it that it is of.
pub struct Named {
    pub place: Place,
    pub column: BExpr,
    /// It is a subquery of the block that names it.
    pub within: bool,
}

/// A block being bound.
pub struct BlockCtx {
    pub scope: Scope,
    /// Tables that LATERAL and JSON_TABLE do not see where they stand, as bits: those at the left of RIGHT JOIN.
    pub unreachable: u64,
    pub subs: Vec<Sub>,
    /// Where in `subs` each search and each call of a function is, by its text: many of them are not compared with each other.
    pub sub_texts: HashMap<String, u32>,
    pub aggs: Vec<(AggSpec, Vec<BExpr>)>,
    /// Where in `aggs` each is, by its text.
    pub agg_texts: HashMap<String, usize>,
    /// The arguments of each call of GROUPING().
    pub groupings: Vec<Vec<BExpr>>,
    pub aliases: Vec<(Arc<str>, BExpr)>,
    pub alias_first: bool,
    /// The columns of GROUP BY by their names, for HAVING.
    pub key_names: Vec<(Arc<str>, BExpr)>,
    /// The aliases of the select list so far, which subqueries further on may name.
    pub shown: Vec<(Arc<str>, BExpr)>,
    /// Columns of the block that the expression at hand names, outside of aggregates.
    pub named: Vec<Named>,
    /// The argument of ANY_VALUE() is being bound, of which nothing is asked.
    pub unasked: bool,
    pub agg_ok: bool,
    pub in_agg: bool,
    /// The arguments of the aggregate at hand name an alias of a block around.
    pub alias_in_agg: bool,
    /// A window function's own parts are being bound.
    pub in_window: bool,
    /// The name of the window whose PARTITION BY and ORDER BY are being bound.
    pub in_specification: Option<Box<str>>,
    /// WINDOW clauses, by name.
    pub named_windows: Vec<(ast::Ident, ast::WindowSpec)>,
    pub windows: Vec<Window>,
    /// Where in `windows` each is, by its text.
    pub window_texts: HashMap<String, usize>,
    pub window_calls: u32,
    /// What the merged query is sorted by that the block begins with.
    pub inherited: Vec<(BExpr, bool)>,
    pub place: &'static str,
}

pub struct Cte {
    pub name: Arc<str>,
    pub columns: Vec<ast::Ident>,
    pub query: Arc<ast::Query>,
    /// It sees the names of the blocks below this one.
    pub level: usize,
    /// WITH RECURSIVE: it may name itself.
    pub recursive: bool,
    /// It is being bound, and stands for the rows that came last.
    pub working: Option<Working>,
    /// Which of the statement's common tables it is.
    pub number: u32,
}

/// The rows of a recursive common table, as its own query sees them.
#[derive(Clone)]
pub struct Working {
    pub number: u32,
    pub columns: Vec<OutColumn>,
}

impl Working {
    /// The rows of SHOW, for its WHERE. Recursive common tables are numbered from 1.
    fn shown(rows: &ShowResult) -> Working {
        let column = |c: &VirtualColumn| {
            OutColumn::stored(c.name.as_ref().into(), TypeInfo::column(c.ty, c.nullable))
        };
        Working { number: 0, columns: rows.columns.iter().map(column).collect() }
    }
}

pub struct Binder<'a> {
    pub env: &'a PlanEnv<'a>,
    pub stack: Vec<BlockCtx>,
    /// For each subquery being bound: the level it begins at, and the outer tables it reads.
    pub collectors: Vec<(usize, Vec<(usize, u16)>)>,
    pub uses: BoundUses,
    /// The columns of the table whose definition is being bound, where it asks for their defaults.
    pub defined: Vec<SqlColumn>,
    pub params: usize,
    pub cacheable: bool,
    /// A type of the plan depends on values of parameters.
    pub open_types: bool,
    /// What parameters are where they stand.
    pub param_kinds: Vec<(u32, ParamKind)>,
    pub varying: bool,
    /// What has been bound of the subquery at hand gives another value each time it is run.
    pub draws: bool,
    /// Table of the block that holds the row to be inserted (ON DUPLICATE KEY UPDATE).
    pub new_row: Option<u16>,
    /// The next query is that of a SELECT statement, which may say where its rows go.
    pub may_into: bool,
    /// User variables that LOAD DATA sets to fields of its file, and their collation: texts, whatever they are now.
    pub file_vars: Vec<Arc<str>>,
    pub file_collation: Collation,
    /// Tables read, for [`crate::query::Plan::is_outgrown`].
    pub seen: Vec<Arc<SqlTable>>,
    /// A computed table is read.
    pub virtuals: bool,
    /// Constants compared with what they may have to be values of.
    pub constants: Vec<Beside>,
    /// The scope of the next block is wanted in [`Binder::kept_scope`]: ON DUPLICATE KEY UPDATE sees the tables of its SELECT.
    pub keep_scope: bool,
    pub kept_scope: Option<Scope>,
    /// The next block is an operand of a set operation: what its rows are ordered by is only looked at for its names.
    pub idle_order: bool,
    /// Calls of RAND(seed) so far.
    pub generators: i64,
    pub ctes: Vec<Cte>,
    /// References to recursive common tables within themselves, by number.
    pub references: Vec<u32>,
    /// Recursive common tables so far, and all common tables.
    pub recursions: u32,
    pub commons: u32,
    pub depth: usize,
    pub effort: effort::Effort,
    /// Views that are being bound, each within the one before.
    pub views: Vec<view::OpenView>,
    /// Rights that the tables of views ask for.
    pub view_needs: Vec<Need>,
    /// Derived tables are merged where that goes: the statement changes no rows. Where one does, what it reads is settled by their being read
    /// before it changes anything, as anyone who nests a query to be allowed to read the target (1093) counts on.
    pub merges_derived: bool,
    /// Columns of merged queries may have subqueries.
    pub merges_subqueries: bool,
    /// A subquery names such a column, which it cannot: the statement is to be bound again without them.
    pub met_sub_column: bool,
    /// Queries that were bound for a merge and did not fit.
    pub failed_merges: u32,
    /// The tables being bound are those of a change, of views all that can be changed through them.
    pub finds_targets: bool,
    /// The view being bound is one that rows are put into without reading it: what its select list shows needs no right to be read.
    pub fills_view: bool,
    /// A view is being made, which is not there before.
    pub defines_view: bool,
    pub deprecated: Vec<Deprecated>,
    /// Names that hints have given to blocks.
    pub block_names: Vec<String>,
    /// What each `*` of the query itself stands for, in order, where somebody asks.
    pub wildcards: Option<Vec<Vec<ast::SelectItem>>>,
    /// Where the stack was when the statement began to be bound, and how far from there it may be.
    stack_base: usize,
    stack_most: usize,
}

/// Bytes of stack that binding may use, for each 256 KiB that the parser was told of (`set_stack_room`). The parser bounds the height of a
/// statement's trees, but a level takes more here than there; what walks the bound tree afterwards takes less. A session's thread has this
/// much beside `thread_stack`.
const MAX_STACK: usize = (1 << 20) * weir_rt::STACK_SCALE;

impl Binder<'_> {
    /// Whether `optimizer_switch` has this off.
    pub fn is_off(&self, s: Switch) -> bool {
        self.env.reads.settings.switches.is_off(s)
    }
}

impl<'a> Binder<'a> {
    pub fn new(env: &'a PlanEnv<'a>) -> Binder<'a> {
        Binder {
            env,
            stack_base: stack_position(),
            stack_most: MAX_STACK * weir_syntax::parse::stack_room() as usize,
            stack: Vec::new(),
            collectors: Vec::new(),
            uses: BoundUses::default(),
            defined: Vec::new(),
            params: 0,
            cacheable: true,
            open_types: false,
            param_kinds: Vec::new(),
            varying: false,
            draws: false,
            new_row: None,
            may_into: false,
            file_vars: Vec::new(),
            file_collation: Collation::Binary,
            seen: Vec::new(),
            virtuals: false,
            constants: Vec::new(),
            keep_scope: false,
            idle_order: false,
            kept_scope: None,
            generators: 0,
            ctes: Vec::new(),
            references: Vec::new(),
            recursions: 0,
            commons: 0,
            depth: 0,
            effort: effort::Effort::default(),
            views: Vec::new(),
            view_needs: Vec::new(),
            merges_derived: false,
            merges_subqueries: false,
            met_sub_column: false,
            failed_merges: 0,
            finds_targets: false,
            fills_view: false,
            defines_view: false,
            deprecated: Vec::new(),
            block_names: Vec::new(),
            wildcards: None,
        }
    }

    pub fn enter(&mut self, scope: Scope) {
        self.stack.push(BlockCtx {
            scope,
            unreachable: 0,
            subs: Vec::new(),
            sub_texts: HashMap::new(),
            aggs: Vec::new(),
            agg_texts: HashMap::new(),
            groupings: Vec::new(),
            aliases: Vec::new(),
            alias_first: false,
            key_names: Vec::new(),
            shown: Vec::new(),
            named: Vec::new(),
            unasked: false,
            agg_ok: false,
            in_agg: false,
            alias_in_agg: false,
            in_window: false,
            in_specification: None,
            named_windows: Vec::new(),
            windows: Vec::new(),
            window_texts: HashMap::new(),
            window_calls: 0,
            inherited: Vec::new(),
            place: "field list",
        });
    }

    pub fn leave(&mut self) -> BlockCtx {
        self.stack.pop().expect("every enter has its leave")
    }

    pub fn top(&self) -> &BlockCtx {
        self.stack.last().expect("expressions are bound inside of a block")
    }

    pub fn top_mut(&mut self) -> &mut BlockCtx {
        self.stack.last_mut().expect("expressions are bound inside of a block")
    }

    pub fn place(&mut self, place: &'static str) {
        self.top_mut().place = place;
    }

    /// A table that the statement changes: is it locked for that, if the session has locked tables?
    pub fn changes(&self, table: &SqlTable, target: &ScopeTable) -> Bind<()> {
        if table.is_temporary() {
            return Ok(());
        }
        let (schema, name) = match target.view() {
            Some(v) => (v.schema.as_str(), v.name.as_str()),
            None => (table.schema(), table.name()),
        };
        self.env.reads.may_write(schema, name, &target.alias)
    }

    /// Whether the name is that of a temporary table. Views see none: they mean what they meant when they were made.
    pub fn is_temporary(&self, schema: &str, name: &str) -> bool {
        self.views.is_empty() && self.env.reads.temporaries.has(schema, name)
    }

    /// The table of a name.
    pub fn table(&mut self, schema: &str, name: &str) -> Bind<Arc<SqlTable>> {
        if self.views.is_empty() {
            // Another session means another table by the name, and this one does after DROP. (A new temporary table changes the
            // catalog's version, so a plan that was made before it is not used again.)
            self.cacheable &= self.env.reads.temporaries.is_empty();
            return self.env.reads.table(schema, name);
        }
        self.env.reads.meta().lookup(self.env.reads.db(), schema, name)
    }

    pub fn note_outer(&mut self, level: usize, table: u16) {
        for (begin, refs) in &mut self.collectors {
            if level < *begin && !refs.contains(&(level, table)) {
                refs.push((level, table));
            }
        }
    }
}
