//! What binding and optimizing produce: shared between sessions and executions, and immutable except for the plans that a program keeps with its
//! instructions (`code`).
//!
//! [`Plan`] is a statement, [`QueryPlan`] and [`Block`] its queries; `change`, `insert`, `foreign`, `handler_read`, `json_table`, `matching`, `into` and `code`
//! have what one kind of statement or subquery needs beside them. `key`, `index_merge` and `pruning` are searches, `point` is a search that needs no executor, `cond` conditions, `raw` is what the optimizer works from, `told`
//! is the metadata of the columns. `env` is what planning needs, `outcome` how an execution ended. May use expressions and definitions;
//! nothing here is worked out over rows.
//!
//! Invariant: what depends on parameters or on the session's time stands here as an expression, never as a value.

mod aggregation;
mod batched;
pub mod beside;
pub mod change;
pub mod code;
mod cond;
pub mod deprecated;
pub mod env;
mod examined;
pub mod foreign;
pub mod handler_read;
pub mod index_merge;
pub mod insert;
pub mod into;
pub mod json_table;
pub mod kept;
pub mod key;
pub mod matching;
mod out_column;
pub mod outcome;
pub mod param_kind;
pub mod point;
pub mod point_write;
pub mod profile;
pub mod pruning;
pub mod raw;
pub mod shape;
pub mod skip;
mod slot;
pub mod told;
pub mod watched;
mod writers;

pub(super) use crate::query::plan::out_column::{Origin, OutColumn};
pub(super) use aggregation::{Aggregation, Drawn, Rollup};
pub(super) use cond::Cond;
pub(super) use slot::TableSlot;

use crate::context::{VirtualHint, VirtualTable};
use crate::digests::Summary;
use crate::func::{aggregate::AggSpec, special::WaitFor};
use crate::locks::{rmfail, temporary_in_branch};
use crate::meta::{SqlTable, same_name};
use crate::query::expr::BExpr;
use crate::query::expr::keyed::Keyed;
use crate::rights::Need;
use crate::session_api::{ColumnMeta, SqlError};
use crate::value::Value;
use beside::Beside;
use deprecated::Deprecated;
use foreign::ForeignPlan;
use json_table::JsonTable;
use key::Key;
use param_kind::ParamKind;
use point::PointPlan;
use point_write::PointWrite;
use pruning::Pruning;
use raw::Raw;
use shape::Shape;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, OnceLock};
use watched::Watched;
use weir_engine::LockMode;
use weir_syntax::ast::{self, SqlCommand, Statement};

/// A planned statement.
pub struct Plan {
    pub(super) kind: Kind,
    pub(super) command: SqlCommand,
    pub(super) columns: Vec<ColumnMeta>,
    /// Rights that each execution checks.
    pub(super) needs: Vec<Need>,
    pub(super) params: usize,
    /// By the numbers of the parameters; one that is left out takes its value as it comes.
    pub(super) param_kinds: Arc<[(u32, ParamKind)]>,
    pub(super) version: u64,
    /// About what it takes in memory.
    pub bytes: usize,
    pub(super) cacheable: bool,
    /// Tables with their rows when the plan was made.
    pub(super) sizes: Vec<(Arc<SqlTable>, u64)>,
    /// Searches that may be of another width with other values.
    pub(super) watched: Vec<Watched>,
    /// What the foreign keys of the tables that change ask for.
    pub(super) foreign: Option<Arc<ForeignPlan>>,
    pub(super) virtuals: bool,
    pub(super) open_types: bool,
    /// Milliseconds of the hint MAX_EXECUTION_TIME, which stands before the variable's.
    pub(super) time_limit: Option<u64>,
    /// Constants that must be dates, times or numbers if they are texts.
    pub(super) constants: Vec<Beside>,
    /// Where its statements are summed up, and the generation of that table.
    pub digest: OnceLock<(u64, Arc<Summary>)>,
    /// It reads some rows FOR UPDATE.
    pub(super) locks_rows: bool,
    /// What its text says that should be said in another way.
    pub(super) deprecated: Vec<Deprecated>,
    /// A shorter way for the executions that want nothing but the row.
    pub(super) point: Option<Box<PointPlan>>,
    /// The same of a write.
    pub(super) point_write: Option<Box<PointWrite>>,
}

pub(super) enum Kind {
    Query(QueryPlan),
    /// SELECT ... INTO variables.
    Into(QueryPlan, Vec<crate::query::plan::into::Target>),
    /// SELECT ... INTO OUTFILE and DUMPFILE.
    IntoFile(QueryPlan, crate::query::plan::into::FileTarget),
    /// The rows are kept for a stored program: of a cursor, or of an expression that needs a plan.
    Collect(QueryPlan),
    Insert(Box<insert::InsertPlan>),
    Change(Box<change::ChangePlan>),
    /// HANDLER ... READ.
    Handler(Box<handler_read::HandlerRead>),
    Do(Vec<BExpr>, Vec<Sub>),
    Explain(Vec<Line>, Option<String>),
    /// EXPLAIN ANALYZE: a query, and its tree.
    Analyze(QueryPlan, Vec<profile::Branch>),
}

impl Plan {
    /// What anyone who has written the text is warned of.
    pub fn deprecated(&self) -> impl Iterator<Item = (u16, String)> {
        self.deprecated.iter().map(|d| d.warning())
    }

    /// What parameters are where they stand, for the values that come as texts.
    pub fn param_kinds(&self) -> &Arc<[(u32, ParamKind)]> {
        &self.param_kinds
    }

    /// Columns of the result; empty when there is none.
    pub fn columns(&self) -> &[ColumnMeta] {
        &self.columns
    }

    /// The type of a result column is that of a parameter: better planned with its value.
    pub fn has_open_types(&self) -> bool {
        self.open_types
    }

    pub fn param_count(&self) -> usize {
        self.params
    }

    /// A shorter way, see [`PointPlan`].
    pub fn point(&self) -> Option<&PointPlan> {
        self.point.as_deref()
    }

    pub fn point_write(&self) -> Option<&PointWrite> {
        self.point_write.as_deref()
    }

    /// A query that takes no locks and changes nothing.
    pub fn is_read_only(&self) -> bool {
        match &self.kind {
            Kind::Query(q)
            | Kind::Into(q, _)
            | Kind::IntoFile(q, _)
            | Kind::Collect(q)
            | Kind::Analyze(q, _) => !q.locks(),
            Kind::Explain(..) | Kind::Do(..) | Kind::Handler(_) => true,
            Kind::Insert(_) | Kind::Change(_) => false,
        }
    }

    /// Whether the statement changes rows of the table.
    pub(super) fn changes(&self, t: &Arc<SqlTable>) -> bool {
        match &self.kind {
            Kind::Insert(i) => Arc::ptr_eq(&i.table, t),
            Kind::Change(c) => c.changes(t),
            _ => false,
        }
    }

    /// Rows go to the client.
    pub fn has_result(&self) -> bool {
        matches!(
            self.kind,
            Kind::Query(_) | Kind::Explain(..) | Kind::Analyze(..) | Kind::Handler(_)
        )
    }

    /// Rights that anyone who runs it must have.
    pub fn needs(&self) -> &[Need] {
        &self.needs
    }

    /// Milliseconds that it may take; `of_session`: where it says nothing itself. 0: no limit.
    pub fn time_limit(&self, of_session: u64) -> u64 {
        if self.is_change() { 0 } else { self.time_limit.unwrap_or(of_session) }
    }

    /// The kind of its statement, under which it is counted.
    pub fn stat(&self) -> SqlCommand {
        self.command
    }

    pub fn catalog_version(&self) -> u64 {
        self.version
    }

    /// It reads information_schema or its like.
    pub fn reads_virtual(&self) -> bool {
        self.virtuals
    }

    /// May it run in a branch of a distributed transaction that is in this state? 1399 for one with tables of the engine where the branch
    /// is not active, 4091 for one with temporary tables, which end with the session that the branch is to outlive.
    pub fn fits_branch(&self, branch: Option<&'static str>) -> Result<(), SqlError> {
        let Some(state) = branch else { return Ok(()) };
        let temporary = |t: &SqlTable| t.engine.def.schema == crate::meta::temporary::HIDDEN;
        if self.sizes.iter().any(|(t, _)| temporary(t)) {
            return Err(temporary_in_branch());
        }
        if state != "ACTIVE" && !self.sizes.is_empty() {
            return Err(rmfail(state));
        }
        Ok(())
    }

    /// May be kept for other executions of the same text.
    pub fn is_cacheable(&self) -> bool {
        self.cacheable
    }
}

/// A query expression: what makes its rows, and what applies to all of them.
pub(super) struct QueryPlan {
    pub body: Body,
    /// ORDER BY over the output columns of a set operation; a block sorts by itself.
    pub order: Vec<(BExpr, bool)>,
    pub limit: Option<Limit>,
    pub columns: Vec<OutColumn>,
}

pub(super) enum Body {
    Block(Box<Block>),
    Set {
        op: ast::SetOp,
        all: bool,
        left: Box<QueryPlan>,
        right: Box<QueryPlan>,
    },
    Values(Vec<Vec<BExpr>>),
    /// JSON_TABLE, the rows of a document.
    Json(Box<JsonTable>),
    /// A common table that names itself: the rows of `seed`, and of `steps` over the rows that came last, until none come.
    Recursive(Box<Recursive>),
    /// A parenthesised query with an ORDER BY or LIMIT around it.
    Nested(Box<QueryPlan>),
}

/// WITH RECURSIVE.
pub(super) struct Recursive {
    pub seed: QueryPlan,
    pub steps: Vec<QueryPlan>,
    /// UNION ALL throughout; else equal rows are there once.
    pub all: bool,
    /// Its name and those of its columns, for messages.
    pub name: Arc<str>,
    pub names: Vec<Arc<str>>,
    /// Which rows the steps read: [`Source::Working`].
    pub number: u32,
}

impl QueryPlan {
    pub fn locks(&self) -> bool {
        match &self.body {
            Body::Block(b) => {
                b.tables.iter().any(|t| t.lock != LockMode::None)
                    || b.tables.iter().any(|t| matches!(&t.source, Source::Derived(q) if q.locks()))
            }
            Body::Set { left, right, .. } => left.locks() || right.locks(),
            Body::Nested(q) => q.locks(),
            Body::Recursive(r) => r.seed.locks() || r.steps.iter().any(QueryPlan::locks),
            Body::Json(j) => j.source.locks(),
            Body::Values(_) => false,
        }
    }

    /// SQL_CALC_FOUND_ROWS of the first SELECT: FOUND_ROWS() tells what there would be without LIMIT.
    pub fn counts_all(&self) -> bool {
        match &self.body {
            Body::Block(b) => b.calc_found_rows,
            Body::Set { left, .. } => left.counts_all(),
            Body::Nested(q) => q.counts_all(),
            Body::Values(_) | Body::Recursive(_) | Body::Json(_) => false,
        }
    }

    /// The whole result is bounded by a LIMIT of its own.
    pub fn is_limited(&self) -> bool {
        match &self.body {
            Body::Block(b) => b.limit.is_some(),
            Body::Set { .. }
            | Body::Values(_)
            | Body::Nested(_)
            | Body::Recursive(_)
            | Body::Json(_) => self.limit.is_some(),
        }
    }

    /// Who reads rows of a table while the query's own rows are asked for; a derived table is read before. `alias`: only under this name.
    fn reader(&self, t: &SqlTable, alias: Option<&str>) -> Option<&TableSlot> {
        let deep = |q: &'_ QueryPlan| q.reader(t, alias).is_some();
        let named = |s: &TableSlot| alias.is_none_or(|a| same_name(&s.alias, a));
        match &self.body {
            Body::Block(b) => {
                let reads = |s: &&TableSlot| match &s.source {
                    Source::Table(x) => {
                        x.name() == t.name() && x.schema() == t.schema() && named(s)
                    }
                    Source::Derived(q) => s.lateral.is_some() && deep(q),
                    Source::Virtual(..) | Source::Working(..) => false,
                };
                let own = b.tables.iter().find(reads);
                own.or_else(|| b.subs.iter().find_map(|s| s.reader(t, alias)))
            }
            Body::Set { left, right, .. } => {
                left.reader(t, alias).or_else(|| right.reader(t, alias))
            }
            Body::Nested(q) => q.reader(t, alias),
            Body::Json(j) => j.source.reader(t, alias),
            Body::Recursive(r) => {
                let steps = r.steps.iter().find_map(|s| s.reader(t, alias));
                r.seed.reader(t, alias).or(steps)
            }
            Body::Values(_) => None,
        }
    }
}

#[derive(Clone)]
pub(super) struct Limit {
    pub offset: Option<BExpr>,
    pub count: BExpr,
}

/// A query block: SELECT ... FROM ... WHERE ... GROUP BY ... HAVING ... ORDER BY.
pub(super) struct Block {
    /// In the order of FROM: columns are numbered by it.
    pub tables: Vec<TableSlot>,
    pub shapes: Vec<Shape>,
    /// In join order.
    pub steps: Vec<Step>,
    pub groups: Vec<OuterGroup>,
    /// Conditions without a table, checked once.
    pub gate: Vec<Cond>,
    pub subs: Vec<Sub>,
    pub agg: Option<Aggregation>,
    /// For each aggregate the query that finds it, when indexes have them all: then there are no steps.
    pub extremes: Option<Vec<QueryPlan>>,
    /// Window functions; their values are behind those of the aggregates.
    pub windows: Vec<Window>,
    /// What each row, or group, evaluates once, in front of HAVING; the values are behind those of the aggregates.
    pub drawn: Drawn,
    pub having: Option<Cond>,
    pub items: Vec<BExpr>,
    /// Subqueries in `items` and in the sort keys.
    pub item_subs: Vec<u32>,
    pub distinct: bool,
    /// Sort keys with "descending"; empty when the access delivers the order.
    pub order: Vec<(BExpr, bool)>,
    pub limit: Option<Limit>,
    pub calc_found_rows: bool,
    /// The order that the first step's index delivers, so that `order` is empty. Rows are sorted by it after all when a
    /// value turns out to be none that the index can be searched for.
    pub index_order: Vec<(BExpr, bool)>,
    /// What comes one behind the other because of the order in which the first step reads. Not so where a value turns out to be none that the
    /// index can be searched for.
    pub together: Together,
    /// Rows that the optimizer guesses its tables to have together.
    pub guessed: f64,
    /// Queries of its conditions may become tables of the block while it is optimized.
    pub joins_queries: bool,
    /// Consumed by the optimizer.
    pub raw: Option<Raw>,
    /// Rows that the last execution read, if there was one: the next one makes room for as many. A hint only.
    pub seen: AtomicU32,
}

/// What comes one behind the other.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Together {
    /// The rows of each group, or equal rows of DISTINCT.
    pub rows: bool,
    /// Within a group equal arguments of the only aggregate with DISTINCT.
    pub arguments: bool,
}

impl Block {
    /// Something rests on the order in which the first step's index is read.
    pub fn keeps_order(&self) -> bool {
        !self.index_order.is_empty() || self.together.rows
    }
}

pub(super) enum Source {
    Table(Arc<SqlTable>),
    Derived(Box<QueryPlan>),
    Virtual(&'static dyn VirtualTable, VirtualHint),
    /// The rows of a recursive common table that came last, and its columns.
    Working(u32, Vec<OutColumn>),
}

/// One table in join order.
pub(super) struct Step {
    pub table: usize,
    pub access: Access,
    /// Checked on each row, with the rows of the steps before.
    pub conds: Vec<Cond>,
    /// Conditions that wait for outer groups: of WHERE (none), or of a group around those that end here.
    pub after: Vec<(Option<usize>, Cond)>,
    /// Outer groups that begin and end with this step, outermost first and last.
    pub begins: Vec<usize>,
    pub ends: Vec<usize>,
    /// Rows expected for each row before, for EXPLAIN and batch sizes.
    pub rows: f64,
    /// The share of them that conditions leave, except for those that kept rows are found by; for EXPLAIN.
    pub share: f64,
    /// The part of it that histograms tell.
    pub told: f64,
    /// The rows that are expected of the join of the steps up to it.
    pub joined: f64,
    /// The indexes that conditions could be searches of, for EXPLAIN.
    pub possible: Box<[usize]>,
    /// The columns that are looked at, where the index has them all.
    pub index_only: Option<Arc<[u16]>>,
    /// Of a partitioned table: the searches over its partitioning columns, if the conditions allow some.
    pub prune: Option<Box<Pruning>>,
    /// It may be read by the leaf: the only table, and summed up.
    pub batched: bool,
    /// It is an outer join's table of which a row is asked for that cannot be there: one row is enough to refuse that before.
    pub anti: bool,
    /// See [`TableSlot::completes`].
    pub completes: bool,
    /// Its rows are the same for all rows of the steps before: they are read once.
    pub kept: Option<Box<KeptBy>>,
}

/// How kept rows of a table are found.
#[derive(Clone, Debug, Default)]
pub(super) struct KeptBy {
    /// Columns of the table, and what of the tables before they equal.
    pub equal: Vec<(u16, Keyed, BExpr)>,
    /// The same of what is computed of the table's columns.
    pub computed: Vec<(BExpr, Keyed, BExpr)>,
    /// Nothing of the blocks around picks them: they are the same in each run of a subquery.
    pub lasting: bool,
}

impl KeptBy {
    /// Something is equated, so that rows are found by a hash.
    pub fn is_hashed(&self) -> bool {
        !self.equal.is_empty() || !self.computed.is_empty()
    }

    /// What of the tables before is equated, in the order of the keys.
    pub fn values(&self) -> impl Iterator<Item = (Keyed, &BExpr)> + Clone {
        let columns = self.equal.iter().map(|(_, kind, e)| (*kind, e));
        columns.chain(self.computed.iter().map(|(_, kind, e)| (*kind, e)))
    }
}

/// The inner side of an outer join: a run of steps.
#[derive(Clone, Copy)]
pub(super) struct OuterGroup {
    pub first: usize,
    pub last: usize,
}

#[derive(Clone)]
pub(super) enum Access {
    /// Whole table by an index; `reverse` for ORDER BY ... DESC.
    Scan {
        index: usize,
        reverse: bool,
    },
    /// Full key of a unique index: at most one row.
    Point(Key),
    Ranges {
        key: Key,
        reverse: bool,
    },
    /// The rows at the ends of each group of an index's first parts.
    Loose {
        index: usize,
        parts: usize,
        ends: Ends,
    },
    /// A search behind the first parts of an index.
    Skip(Box<skip::SkipScan>),
    /// Rows found through several indexes.
    Merged(Box<index_merge::IndexMerge>),
    /// Rows in memory; `hash`: columns of the table, and what of the tables before they equal.
    Mem {
        hash: Vec<(u16, Keyed, BExpr)>,
    },
}

/// Which rows of a group are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    First,
    Last,
    Both,
}

/// A window, and the functions over it.
pub(super) struct Window {
    pub partition: Vec<BExpr>,
    pub order: Vec<(BExpr, bool)>,
    pub calls: Vec<WindowCall>,
}

impl Window {
    /// All expressions that are evaluated for each row.
    pub fn exprs(&self) -> impl Iterator<Item = &BExpr> {
        let calls = self.calls.iter().flat_map(WindowCall::exprs);
        self.partition.iter().chain(self.order.iter().map(|(e, _)| e)).chain(calls)
    }

    pub fn exprs_mut(&mut self) -> impl Iterator<Item = &mut BExpr> {
        let calls = self.calls.iter_mut().flat_map(WindowCall::exprs_mut);
        self.partition.iter_mut().chain(self.order.iter_mut().map(|(e, _)| e)).chain(calls)
    }
}

/// A call of a window function.
pub(super) struct WindowCall {
    pub function: WindowFunction,
    pub args: Vec<BExpr>,
    pub frame: Frame,
    /// Its place among the window functions of the block.
    pub at: usize,
}

impl WindowCall {
    fn exprs(&self) -> impl Iterator<Item = &BExpr> {
        self.args.iter().chain(self.frame.start.expr()).chain(self.frame.end.expr())
    }

    fn exprs_mut(&mut self) -> impl Iterator<Item = &mut BExpr> {
        let frame = &mut self.frame;
        self.args.iter_mut().chain(frame.start.expr_mut()).chain(frame.end.expr_mut())
    }
}

pub(super) enum WindowFunction {
    RowNumber,
    Rank,
    DenseRank,
    PercentRank,
    CumeDist,
    Ntile,
    Lag,
    Lead,
    FirstValue,
    LastValue,
    NthValue,
    Aggregate(AggSpec),
}

/// The rows around the current one that a function sees.
pub(super) struct Frame {
    /// Counted in rows; else by the value of the order.
    pub rows: bool,
    pub start: Bound,
    pub end: Bound,
}

pub(super) enum Bound {
    /// The partition's end on this side.
    Unbounded,
    Current,
    /// So many rows before the current one, or the value at which the frame ends on this side.
    Before(BExpr),
    After(BExpr),
}

impl Bound {
    pub fn expr(&self) -> Option<&BExpr> {
        match self {
            Bound::Before(e) | Bound::After(e) => Some(e),
            Bound::Unbounded | Bound::Current => None,
        }
    }

    pub fn expr_mut(&mut self) -> Option<&mut BExpr> {
        match self {
            Bound::Before(e) | Bound::After(e) => Some(e),
            Bound::Unbounded | Bound::Current => None,
        }
    }
}

pub(super) enum SubKind {
    Scalar,
    Exists,
    Row,
    Rows,
    Sleep(BExpr),
    /// So many evaluations of an expression.
    Benchmark(BExpr, BExpr),
    /// GET_LOCK: a name, and seconds.
    GetLock(BExpr, BExpr),
    /// WAIT_FOR_EXECUTED_GTID_SET and its family, with the arguments that there are.
    Wait(WaitFor, Vec<BExpr>),
    /// LOAD_FILE of a path.
    LoadFile(BExpr),
    Call(Arc<crate::query::plan::code::Code>, Vec<BExpr>),
    /// MATCH ... AGAINST; the plan reads the columns of the table.
    Match(Box<crate::query::plan::matching::Matching>),
}

pub(super) struct Sub {
    pub kind: SubKind,
    pub plan: Option<QueryPlan>,
    /// It reads rows of this block (or of one around it): to be run for every row.
    pub correlated: bool,
    /// Tables of this block that it reads.
    pub tables: u64,
    /// It has an aggregate of this block, so it has a value for groups of rows only.
    pub sums: bool,
    /// It gives another result each time it is run, whatever it reads: to be run for every row as well.
    pub draws: bool,
    /// The condition under which the expressions that have it read its result; none where they always do.
    pub guard: Option<BExpr>,
}

impl Sub {
    /// Its query is a table of the block by now, and nothing is left to be run.
    pub fn is_joined(&self) -> bool {
        self.plan.is_none() && matches!(self.kind, SubKind::Exists | SubKind::Rows)
    }

    /// A query of its own, neither a call nor a search.
    pub fn is_query(&self) -> bool {
        self.plan.is_some() && !matches!(self.kind, SubKind::Call(..) | SubKind::Match(_))
    }

    /// The same, or a call of a stored function.
    pub fn is_query_or_stored_call(&self) -> bool {
        self.is_query() || matches!(self.kind, SubKind::Call(..))
    }

    /// What may read tables: values that need it are worked out where the rows are found, before any is changed.
    pub fn is_query_or_call(&self) -> bool {
        self.plan.is_some() || matches!(self.kind, SubKind::Call(..))
    }

    /// Who reads a table in it, `alias`: under this name.
    pub fn reader(&self, t: &SqlTable, alias: Option<&str>) -> Option<&TableSlot> {
        // A search reads the statement's snapshot, before anything changes.
        let plan = self.plan.as_ref().filter(|_| !matches!(self.kind, SubKind::Match(_)));
        plan?.reader(t, alias)
    }
}

/// A row of EXPLAIN.
pub type Line = Vec<Value<'static>>;

/// Is the statement one that [`crate::query::plan`] takes?
pub fn is_query(stmt: &Statement) -> bool {
    matches!(
        stmt,
        Statement::Select(_)
            | Statement::Insert(_)
            | Statement::LoadData(_)
            | Statement::Update(_)
            | Statement::Delete(_)
            | Statement::Do(_)
            | Statement::Explain(_)
    )
}
