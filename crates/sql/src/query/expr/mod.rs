//! Bound expressions: names are columns, operators and functions are nodes, each with its type.
//!
//! `walk` goes through them, `guessed` says what share of rows a condition leaves where nothing is known, `usable` finds conditions that an
//! index can be searched for, `collations` says which collation texts meet in,
//! `compared` by which rule two sides are compared, `keyed` makes keys that are equal where values are. May use
//! values and functions. Nothing here has rows: evaluation is `eval`.
//!
//! Invariant: a node says nothing of its surroundings but places (table and column, number of a subquery or aggregate), so it may be moved
//! within its block.

pub mod adapt;
pub mod collations;
pub mod compared;
pub mod guessed;
pub mod json;
pub mod keyed;
pub mod usable;
mod walk;

use crate::func::FuncDef;
use crate::value::arith::{BitOp, Op};
use crate::value::cast::CastTarget;
use crate::value::compare::{CompareRule, type_of};
use crate::value::temporal::interval::Unit;
use crate::value::{Collation, SqlType, TypeInfo, Value};
use crate::vars::{SetTarget, Var};
use adapt::Adapt;
use json::Wanted;
use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{self, AtomicU64};

/// A comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CmpOp {
    Eq,
    NullSafe,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl CmpOp {
    pub fn holds(self, o: Ordering) -> bool {
        match self {
            CmpOp::Eq | CmpOp::NullSafe => o == Ordering::Equal,
            CmpOp::Ne => o != Ordering::Equal,
            CmpOp::Lt => o == Ordering::Less,
            CmpOp::Le => o != Ordering::Greater,
            CmpOp::Gt => o == Ordering::Greater,
            CmpOp::Ge => o != Ordering::Less,
        }
    }

    pub fn sign(self) -> &'static str {
        match self {
            CmpOp::Eq => "=",
            CmpOp::NullSafe => "<=>",
            CmpOp::Ne => "<>",
            CmpOp::Lt => "<",
            CmpOp::Le => "<=",
            CmpOp::Gt => ">",
            CmpOp::Ge => ">=",
        }
    }

    /// The sign of an operator that asks for an order. Geometries have none: they are only equal or not.
    pub fn ordering_sign(self) -> Option<&'static str> {
        let ordered = !matches!(self, CmpOp::Eq | CmpOp::NullSafe | CmpOp::Ne);
        ordered.then(|| self.sign())
    }

    /// The operator with its sides exchanged.
    pub fn swapped(self) -> CmpOp {
        match self {
            CmpOp::Lt => CmpOp::Gt,
            CmpOp::Le => CmpOp::Ge,
            CmpOp::Gt => CmpOp::Lt,
            CmpOp::Ge => CmpOp::Le,
            other => other,
        }
    }
}

/// A column: how many query blocks out, which table there, which column of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColRef {
    pub depth: u8,
    pub table: u16,
    pub col: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    Null,
    True,
    False,
}

#[derive(Clone, Debug)]
pub enum Node {
    Const(Value<'static>),
    /// The n-th parameter or taken-out literal.
    Param(u32),
    Col(ColRef),
    /// An aggregate of this block.
    Agg(u32),
    /// An aggregate of a block around this one, so many blocks further out.
    OuterAgg {
        depth: u8,
        at: u32,
    },
    /// A window function of this block, until the block is bound: then it comes after the aggregates.
    Window(u32),
    /// A subquery (or SLEEP) of this block, evaluated before.
    Sub(u32),
    /// A column of the only row of such a subquery.
    SubColumn {
        sub: u32,
        column: u32,
    },
    /// A stored function's call, run before the expression. The arguments stand here too, for what they need in their turn.
    Call {
        sub: u32,
        args: Vec<BExpr>,
    },
    /// Membership in a subquery's rows.
    InSub {
        left: Vec<BExpr>,
        sub: u32,
        negated: bool,
    },
    /// `left op ALL|ANY (subquery)`.
    Quantified {
        op: CmpOp,
        left: Box<BExpr>,
        sub: u32,
        all: bool,
    },
    UserVar(Arc<str>),
    Assign(Arc<str>, Box<BExpr>),
    SysVar(Var, SetTarget),
    And(Vec<BExpr>),
    Or(Vec<BExpr>),
    Xor(Box<BExpr>, Box<BExpr>),
    Not(Box<BExpr>),
    /// `rule` none: a side's type is known at run time only.
    Cmp {
        op: CmpOp,
        rule: Option<CompareRule>,
        a: Box<BExpr>,
        b: Box<BExpr>,
    },
    In {
        left: Box<BExpr>,
        list: Vec<(Option<CompareRule>, BExpr)>,
        negated: bool,
        id: ListId,
    },
    Arith(Op, Box<BExpr>, Box<BExpr>),
    Bits(BitOp, Box<BExpr>, Box<BExpr>),
    BitNot(Box<BExpr>),
    Neg(Box<BExpr>),
    Is {
        expr: Box<BExpr>,
        test: Truth,
        negated: bool,
    },
    /// Conditions with their values; `operand` comparisons are conditions by now.
    Case {
        whens: Vec<(BExpr, BExpr)>,
        otherwise: Option<Box<BExpr>>,
    },
    Cast(CastTarget, Box<BExpr>),
    /// The same bytes under another collation.
    Collate(Collation, Box<BExpr>),
    Func(&'static FuncDef, Vec<BExpr>),
    DateAdd {
        date: Box<BExpr>,
        amount: Box<BExpr>,
        unit: Unit,
        subtract: bool,
    },
    Extract(Unit, Box<BExpr>),
    TimestampDiff(Unit, Box<BExpr>, Box<BExpr>),
    /// A literal as it is beside what it meets.
    Adapted(Adapt, Box<BExpr>),
    /// What is the same during a run and is evaluated once in it; `moment`: a text is read as a date.
    Once {
        id: ListId,
        moment: bool,
        expr: Box<BExpr>,
    },
    /// JSON_VALUE of a document.
    JsonValue(Box<BExpr>, Arc<Wanted>),
    /// What a row is worth to a search, which a subquery has made before. The columns stand in the order of their key.
    Match {
        sub: u32,
        columns: Vec<BExpr>,
    },
    /// A row of values; only ever a side of something that was expanded.
    Row(Vec<BExpr>),
}

/// An expression with its type.
#[derive(Clone, Debug)]
pub struct BExpr {
    pub node: Node,
    pub info: TypeInfo,
}

impl BExpr {
    pub fn new(node: Node, info: TypeInfo) -> BExpr {
        BExpr { node, info }
    }

    pub fn constant(v: Value<'static>) -> BExpr {
        let info = TypeInfo::new(type_of(&v), v.is_null());
        BExpr { node: Node::Const(v), info }
    }

    pub fn boolean(node: Node, nullable: bool) -> BExpr {
        BExpr { node, info: TypeInfo::new(SqlType::BOOL, nullable) }
    }

    /// The type is only known with the values of the parameters.
    pub fn is_untyped(&self) -> bool {
        self.info.ty == SqlType::Null && !matches!(self.node, Node::Const(_))
    }

    /// The column that is written where a view shows this expression: one under another collation is that column still.
    pub fn written_column(&self) -> Option<ColRef> {
        match &self.node {
            Node::Col(c) => Some(*c),
            Node::Collate(_, text) => text.written_column(),
            _ => None,
        }
    }

    /// Window functions get their places behind this many aggregates.
    pub fn place_windows(&mut self, behind: u32) {
        if let Node::Window(n) = self.node {
            self.node = Node::Agg(behind + n);
        }
        self.for_children_mut(&mut |e| e.place_windows(behind));
    }

    /// Tables of this block that the expression reads, as bits; subqueries count through `of_sub`.
    pub fn tables(&self, of_sub: &dyn Fn(u32) -> u64) -> u64 {
        let mut bits = 0;
        self.walk(&mut |e| match &e.node {
            Node::Col(c) if c.depth == 0 => bits |= 1 << c.table,
            _ => bits |= e.sub().map_or(0, &of_sub),
        });
        bits
    }

    /// The subquery of this block whose result this node reads.
    pub fn sub(&self) -> Option<u32> {
        match &self.node {
            Node::Sub(s)
            | Node::SubColumn { sub: s, .. }
            | Node::Call { sub: s, .. }
            | Node::Match { sub: s, .. }
            | Node::InSub { sub: s, .. }
            | Node::Quantified { sub: s, .. } => Some(*s),
            _ => None,
        }
    }

    /// Subqueries of this block that must be evaluated before the expression, added to those in `out`, which are in order: what the
    /// arguments of a call need was bound before it, and is run before it.
    pub fn subs(&self, out: &mut Vec<u32>) {
        debug_assert!(out.is_sorted(), "a list that another expression has filled");
        self.walk(&mut |e| {
            if let Some(s) = e.sub()
                && let Err(at) = out.binary_search(&s)
            {
                out.insert(at, s);
            }
        });
    }

    pub fn has_agg(&self) -> bool {
        let mut found = false;
        self.walk(&mut |e| found |= matches!(e.node, Node::Agg(_)));
        found
    }

    /// No row and no function of time is needed: the value is the same during the statement.
    pub fn is_statement_constant(&self) -> bool {
        let mut constant = true;
        self.walk(&mut |e| match &e.node {
            Node::Const(_) | Node::Param(_) | Node::SysVar(..) => {}
            Node::Col(_)
            | Node::Agg(_)
            | Node::OuterAgg { .. }
            | Node::Window(_)
            | Node::Sub(_)
            | Node::SubColumn { .. }
            | Node::Call { .. }
            | Node::Match { .. }
            | Node::InSub { .. }
            | Node::Quantified { .. }
            | Node::UserVar(_)
            | Node::Assign(..) => constant = false,
            Node::Func(def, _) => {
                constant &= def.is_settled_in_statement();
            }
            _ => {}
        });
        constant
    }
}

/// Tells a list, or what is evaluated once, from all others, and from none of its copies. It is no part of what the list says.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ListId(pub(in crate::query) u64);

impl ListId {
    pub fn fresh() -> ListId {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        ListId(NEXT.fetch_add(1, atomic::Ordering::Relaxed))
    }
}

/// Expressions are compared by this text.
impl fmt::Debug for ListId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("_")
    }
}
