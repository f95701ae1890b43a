//! Bound expressions and their evaluation: synchronous, over the rows at hand.
//!
//! What needs I/O (a subquery, SLEEP) is a slot that the executor has filled before: see [`Node::Sub`].

use super::adapt::Adapt;
use super::branches::{chosen, is_unwatched};
use super::fitted::{answer, is_literal, with_digits};
use super::frame::{Frame, SubResult};
use super::json_value::{Wanted, json_value};
use super::lists::{self, ListId, Lists, info_at_run};
use super::members::{in_rows, quantified};
use super::overflow;
use crate::context::UserVars;
use crate::func::{FuncDef, temporal};
use crate::memory::{Held, LARGE, heap_of};
use crate::value::arith::{self, BitOp, Op};
use crate::value::cast::{CastTarget, cast, coerce_choice};
use crate::value::compare::{CompareRule, are_integers, compare, type_of};
use crate::value::temporal::interval::{Unit, difference};
use crate::value::{Collation, Date, DateTime, EvalCtx, SqlType, TypeInfo, Value, ValueError};
use crate::vars::{SelectValue, SessionVars, SetTarget, Var};
use smallvec::SmallVec;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

pub type Eval<'v> = Result<Value<'v>, ValueError>;

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
    /// A window function of this block, until the block is bound: then it stands behind the aggregates.
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

/// What evaluation changes and asks beside the rows.
pub struct Ev<'a> {
    pub cx: EvalCtx<'a>,
    pub vars: &'a SessionVars,
    pub user_vars: &'a mut UserVars,
    pub lists: Lists,
}

impl Ev<'_> {
    /// In a statement that changes rows and whose mode is strict, some warnings of evaluations are errors.
    pub fn refuse_strict(&mut self) -> Result<(), ValueError> {
        if !self.cx.strict_dml || !self.cx.warnings.has_strict() {
            return Ok(());
        }
        self.cx.warnings.strict_error().map_or(Ok(()), Err)
    }

    /// Makes numbers of these operands' values: without a word of those that MySQL reads so.
    fn numbers<'e, T>(
        &mut self,
        operands: impl IntoIterator<Item = (&'e BExpr, &'e Value<'e>)>,
        make: impl FnOnce(&mut EvalCtx<'_>) -> T,
    ) -> T {
        if !operands.into_iter().any(|(e, v)| v.is_string() && is_unwatched(e)) {
            return make(&mut self.cx);
        }
        let before = std::mem::replace(&mut self.cx.warnings.quiet, true);
        let made = make(&mut self.cx);
        self.cx.warnings.quiet = before;
        made
    }

    /// Charges a large value while somebody waits with it for others.
    pub fn hold_large(&mut self, bytes: usize) -> Result<(), ValueError> {
        Ok(self.cx.large.grow(self.cx.session.memory(), bytes)?)
    }
}

/// Memory of a value's own.
pub fn owned_bytes(v: &Value<'_>) -> usize {
    match v {
        Value::Str(Cow::Owned(b), _) | Value::Bytes(Cow::Owned(b)) => b.len(),
        Value::Json(j) => j.owned_bytes(),
        _ => 0,
    }
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
            Node::Sub(s)
            | Node::SubColumn { sub: s, .. }
            | Node::Call { sub: s, .. }
            | Node::Match { sub: s, .. }
            | Node::InSub { sub: s, .. }
            | Node::Quantified { sub: s, .. } => bits |= of_sub(*s),
            _ => {}
        });
        bits
    }

    /// Subqueries of this block that must be evaluated before the expression.
    pub fn subs(&self, out: &mut Vec<u32>) {
        self.walk(&mut |e| {
            if let Node::Sub(s)
            | Node::SubColumn { sub: s, .. }
            | Node::Call { sub: s, .. }
            | Node::Match { sub: s, .. }
            | Node::InSub { sub: s, .. }
            | Node::Quantified { sub: s, .. } = &e.node
                && !out.contains(s)
            {
                out.push(*s);
            }
        });
        // What the arguments of a call need was bound before it, and is run before it.
        out.sort_unstable();
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
                constant &= def.deterministic
                    || matches!(
                        def.name,
                        "NOW"
                            | "CURDATE"
                            | "CURRENT_TIMESTAMP"
                            | "CURRENT_DATE"
                            | "DATABASE"
                            | "CONNECTION_ID"
                    );
            }
            _ => {}
        });
        constant
    }
}

/// Three-valued comparison of two evaluated sides.
pub fn compare_sides(
    a: &BExpr,
    x: &Value<'_>,
    b: &BExpr,
    y: &Value<'_>,
    rule: Option<CompareRule>,
    ev: &mut Ev<'_>,
) -> Result<Option<Ordering>, ValueError> {
    if let (Value::Int(p), Value::Int(q)) = (x, y) {
        return Ok(Some(p.cmp(q)));
    }
    if x.is_null() || y.is_null() {
        return Ok(None);
    }
    let rule = match rule {
        Some(r) => r,
        // A literal whose kind was not known before the run, beside an integer's column: compared as a known one is.
        None if beside_integer(a, b) && are_integers(x, y) => CompareRule::Int,
        None => CompareRule::of(&info_at_run(a, x), &info_at_run(b, y), "=")?,
    };
    ev.numbers([(a, x), (b, y)], |cx| compare(x, y, rule, cx))
}

/// An integer's column beside a literal or a parameter.
fn beside_integer(a: &BExpr, b: &BExpr) -> bool {
    let column =
        |e: &BExpr| matches!(e.node, Node::Col(_)) && matches!(e.info.ty, SqlType::Int { .. });
    let literal = |e: &BExpr| matches!(e.node, Node::Const(_) | Node::Param(_));
    column(a) && literal(b) || column(b) && literal(a)
}

/// Functions that look at nothing more where their first argument is NULL; CONCAT() where any is.
const ENDS_WITH_NULL: [&str; 4] = ["ADDTIME", "LIKE", "SUBTIME", "TIMESTAMP"];

fn three(v: Option<bool>) -> Value<'static> {
    v.map_or(Value::Null, Value::bool)
}

/// WHERE and its like: true, and not false or unknown.
pub fn is_true(e: &BExpr, f: &Frame<'_>, ev: &mut Ev<'_>) -> Result<bool, ValueError> {
    Ok(truth(e, f, ev)? == Some(true))
}

/// Truth of a condition without a detour over numbers.
pub fn truth(e: &BExpr, f: &Frame<'_>, ev: &mut Ev<'_>) -> Result<Option<bool>, ValueError> {
    match &e.node {
        Node::And(list) => {
            let mut unknown = false;
            for c in list {
                match truth(c, f, ev)? {
                    Some(false) => return Ok(Some(false)),
                    None => unknown = true,
                    Some(true) => {}
                }
            }
            Ok((!unknown).then_some(true))
        }
        Node::Or(list) => {
            let mut unknown = false;
            for c in list {
                match truth(c, f, ev)? {
                    Some(true) => return Ok(Some(true)),
                    None => unknown = true,
                    Some(false) => {}
                }
            }
            Ok((!unknown).then_some(false))
        }
        Node::Not(c) => Ok(truth(c, f, ev)?.map(|b| !b)),
        Node::Xor(a, b) => match truth(a, f, ev)? {
            Some(a) => Ok(truth(b, f, ev)?.map(|b| a != b)),
            None => Ok(None),
        },
        Node::Cmp { op, rule, a, b } => {
            let x = eval(a, f, ev)?;
            // Beside NULL nothing is looked at, whatever there is to say of it.
            if x.is_null() && *op != CmpOp::NullSafe {
                return Ok(None);
            }
            let y = eval(b, f, ev)?;
            if *op == CmpOp::NullSafe && (x.is_null() || y.is_null()) {
                return Ok(Some(x.is_null() && y.is_null()));
            }
            Ok(compare_sides(a, &x, b, &y, *rule, ev)?.map(|o| op.holds(o)))
        }
        Node::In { left, list, negated, id } => {
            let x = eval(left, f, ev)?;
            let found = lists::holds((*id, list), (left, &x), f, ev)?;
            Ok(found.map(|found| found != *negated))
        }
        Node::InSub { left, sub, negated } => {
            Ok(in_rows(left, f, &f.subs[*sub as usize], ev)?.map(|b| b != *negated))
        }
        Node::Quantified { op, left, sub, all } => {
            quantified(*op, left, *all, f, &f.subs[*sub as usize], ev)
        }
        Node::Is { expr, test, negated } => {
            let yes = match test {
                Truth::Null => eval(expr, f, ev)?.is_null(),
                Truth::True => truth(expr, f, ev)? == Some(true),
                Truth::False => truth(expr, f, ev)? == Some(false),
            };
            Ok(Some(yes != *negated))
        }
        _ => {
            let v = eval(e, f, ev)?;
            Ok(ev.numbers([(e, &v)], |cx| v.to_bool(&mut cx.warnings)))
        }
    }
}

pub fn eval<'v>(e: &'v BExpr, f: &Frame<'v>, ev: &mut Ev<'_>) -> Eval<'v> {
    match &e.node {
        Node::Const(v) => Ok(v.borrow()),
        Node::Param(n) => Ok(f.params.get(*n as usize).map_or(Value::Null, Value::borrow)),
        Node::Col(c) => Ok(f.column(*c, ev.cx.tz)),
        Node::Window(_) => {
            debug_assert!(false, "a window function outside of its block");
            Ok(Value::Null)
        }
        Node::Agg(n) => Ok(f.aggs.get(*n as usize).map_or(Value::Null, Value::borrow)),
        Node::OuterAgg { depth, at } => Ok(f.aggregate(*depth, *at)),
        Node::SubColumn { sub, column } => Ok(match f.subs[*sub as usize].get() {
            SubResult::Rows { rows, .. } => {
                let row = rows.first();
                row.map_or(Value::Null, |r| r[*column as usize].borrow())
            }
            _ => Value::Null,
        }),
        Node::Match { sub, columns } => match f.subs[*sub as usize].get() {
            SubResult::Ranks(ranks) => ranks.of(columns, f, ev),
            _ => Ok(Value::Null),
        },
        Node::Sub(n) | Node::Call { sub: n, .. } => match f.subs[*n as usize].get() {
            SubResult::Scalar(v) => Ok(v.borrow()),
            SubResult::Rows { rows, .. } => Ok(Value::bool(!rows.is_empty())),
            _ => Ok(Value::Null),
        },
        Node::UserVar(name) => Ok(ev.user_vars.get(name).cloned().unwrap_or(Value::Null)),
        Node::Assign(name, v) => {
            let v = eval(v, f, ev)?.into_owned();
            ev.user_vars.set(ev.cx.session.memory(), name, v.clone())?;
            Ok(v)
        }
        Node::SysVar(var, target) => Ok(sys_var(*var, *target, ev.vars)),
        Node::And(_)
        | Node::Or(_)
        | Node::Not(_)
        | Node::Xor(..)
        | Node::Cmp { .. }
        | Node::In { .. }
        | Node::InSub { .. }
        | Node::Quantified { .. }
        | Node::Is { .. } => Ok(three(truth(e, f, ev)?)),
        Node::Arith(op, a, b) => {
            let x = eval(a, f, ev)?;
            if x.is_null() && looks_left_first(*op, e, a, b) {
                return Ok(Value::Null);
            }
            let y = eval(b, f, ev)?;
            ev.numbers([(&**a, &x), (&**b, &y)], |cx| arith::apply(*op, &x, &y, cx))
                .map_err(|error| overflow::named(error, e, f))
        }
        Node::Bits(op, a, b) => {
            let (x, y) = (eval(a, f, ev)?, eval(b, f, ev)?);
            if e.info.ty.is_string() {
                return arith::binary_bits(*op, &x, &y, &mut ev.cx.warnings);
            }
            let bits = |cx: &mut EvalCtx<'_>| arith::bits(*op, &x, &y, &mut cx.warnings);
            Ok(ev.numbers([(&**a, &x), (&**b, &y)], bits))
        }
        Node::BitNot(a) => {
            let x = eval(a, f, ev)?;
            if e.info.ty.is_string() {
                return Ok(arith::binary_not(&x));
            }
            Ok(ev.numbers([(&**a, &x)], |cx| arith::bit_not(&x, &mut cx.warnings)))
        }
        Node::Neg(a) => {
            let x = eval(a, f, ev)?;
            ev.numbers([(&**a, &x)], |cx| arith::negate(&x, cx))
                .map_err(|error| overflow::named(error, e, f))
        }
        Node::Case { whens, otherwise } => {
            for (w, t) in whens {
                if is_true(w, f, ev)? {
                    let v = eval(t, f, ev)?.as_text();
                    return Ok(coerce_choice(v, &e.info.ty, &mut ev.cx));
                }
            }
            match otherwise {
                Some(o) => {
                    let v = eval(o, f, ev)?.as_text();
                    Ok(coerce_choice(v, &e.info.ty, &mut ev.cx))
                }
                None => Ok(Value::Null),
            }
        }
        Node::Cast(target, a) => {
            let x = eval(a, f, ev)?;
            // Of a text that becomes an integer MySQL says whether it is one, wherever it is from.
            match target {
                // Nor of a double of the statement whether it is beyond the integers.
                CastTarget::Signed if is_literal(a) && matches!(x, Value::Double(_)) => {
                    Ok(x.to_i64(&mut ev.cx.warnings).map_or(Value::Null, Value::Int))
                }
                CastTarget::Signed | CastTarget::Unsigned => cast(&x, *target, &mut ev.cx),
                _ => ev.numbers([(&**a, &x)], |cx| cast(&x, *target, cx)),
            }
        }
        Node::Collate(c, a) => Ok(match eval(a, f, ev)? {
            Value::Str(b, _) => Value::text(b, *c),
            v @ Value::Bytes(_) => v,
            Value::Null => Value::Null,
            v => Value::text(v.to_text_in(*c).map_or_else(Vec::new, |b| b.into_owned()), *c),
        }),
        Node::Func(def, args) if matches!(def.name, "IF" | "IFNULL" | "COALESCE" | "ANY_VALUE") => {
            chosen(def.name, args, &e.info.ty, f, ev)
        }
        Node::Func(def, args) => {
            let mut values: SmallVec<[Value<'v>; 4]> = SmallVec::new();
            let mut large = 0;
            // What a call costs without any text.
            let mut work = 64;
            // FORMAT() asks for the places first, and nothing more where they are NULL.
            let mut places = match def.name {
                "FORMAT" => Some(eval(&args[1], f, ev)?),
                _ => None,
            };
            if places.as_ref().is_some_and(Value::is_null) {
                return Ok(Value::Null);
            }
            for (n, a) in args.iter().enumerate() {
                let ends = match def.name {
                    "CONCAT" => values.last().is_some_and(Value::is_null),
                    name => n == 1 && values[0].is_null() && ENDS_WITH_NULL.contains(&name),
                };
                if ends {
                    return Ok(Value::Null);
                }
                let v = match places.take() {
                    Some(v) if n == 1 => v,
                    kept => {
                        places = kept;
                        eval(a, f, ev)?
                    }
                };
                work += heap_of(&v);
                if owned_bytes(&v) >= LARGE {
                    ev.hold_large(owned_bytes(&v))?;
                    large += owned_bytes(&v);
                }
                values.push(v);
            }
            let v = ev.numbers(args.iter().zip(&values), |cx| (def.eval)(cx, &values));
            ev.cx.trees = Held::default();
            ev.cx.result = Held::default();
            let v = v.map_err(|error| overflow::named(error, e, f))?;
            let v = answer(def.name, v.as_text(), &e.info.ty);
            ev.cx.work(work + heap_of(&v))?;
            if large > 0 {
                ev.cx.large.shrink(large);
            }
            if owned_bytes(&v) > ev.cx.max_packet
                && values.iter().all(|a| heap_of(a) < owned_bytes(&v))
            {
                crate::func::string::too_big(
                    &mut ev.cx,
                    owned_bytes(&v),
                    &def.name.to_lowercase(),
                )?;
                return Ok(Value::Null);
            }
            Ok(v)
        }
        Node::DateAdd { date, amount, unit, subtract } => {
            let d = eval(date, f, ev)?;
            if d.is_null() {
                return Ok(Value::Null);
            }
            let mut n = eval(amount, f, ev)?;
            if n.is_string() && is_unwatched(amount) && !unit.is_compound() && *unit != Unit::Second
            {
                let whole = ev.numbers([(&**amount, &n)], |cx| n.to_integer(&mut cx.warnings));
                let whole = whole.map(|n| i64::try_from(n).unwrap_or(i64::MAX));
                n = whole.map_or(Value::Null, Value::Int);
            }
            let sum = temporal::add_interval(&mut ev.cx, &d, &n, *unit, *subtract)?;
            Ok(with_digits(sum, &e.info.ty))
        }
        Node::Extract(unit, a) => {
            let x = eval(a, f, ev)?;
            temporal::extract(&mut ev.cx, *unit, &x)
        }
        Node::TimestampDiff(unit, a, b) => {
            let x = eval(a, f, ev)?;
            if x.is_null() {
                return Ok(Value::Null);
            }
            let y = eval(b, f, ev)?;
            let (x, y) = (x.to_datetime(&mut ev.cx), y.to_datetime(&mut ev.cx));
            // From the zero date nothing is counted; of other dates with zeros it is.
            let zero = |d: &DateTime| d.date == Date::new(0, 0, 0);
            Ok(match (x, y) {
                (Some(x), Some(y)) if !zero(&x) && !zero(&y) => Value::Int(difference(*unit, x, y)),
                _ => Value::Null,
            })
        }
        Node::Adapted(how, a) => {
            // A SET may have an empty member, whose text is that of no member at all.
            if let (Adapt::Place(_), Node::Col(c)) = (how, &a.node)
                && let Some(number) = f.stored_number(*c)
            {
                return Ok(Value::UInt(number));
            }
            let x = eval(a, f, ev)?;
            how.apply(x, &mut ev.cx.warnings)
        }
        Node::JsonValue(doc, wanted) => {
            let doc = eval(doc, f, ev)?;
            json_value(doc, wanted, ev)
        }
        Node::Row(_) => {
            Err(ValueError::new(1241, "21000", "Operand should contain 1 column(s)".into()))
        }
    }
}

/// Decimals are computed with one after the other, so that beside NULL the right one is not looked at; doubles and integers at once.
fn looks_left_first(op: Op, e: &BExpr, a: &BExpr, b: &BExpr) -> bool {
    match op {
        Op::IntDiv => !(a.info.ty.is_integer() && b.info.ty.is_integer()),
        _ => matches!(e.info.ty, SqlType::Decimal { .. }),
    }
}

fn sys_var(var: Var, target: SetTarget, vars: &SessionVars) -> Value<'static> {
    let value = match target {
        SetTarget::Global => vars.globals().get(var),
        SetTarget::Session => vars.get(var),
    };
    select_value(var.def().select(&value))
}

pub fn select_value(v: SelectValue<'_>) -> Value<'static> {
    match v {
        SelectValue::Null => Value::Null,
        SelectValue::Int(v) => Value::Int(v),
        SelectValue::UInt(v) => Value::UInt(v),
        SelectValue::Float(v) => Value::Double(v),
        SelectValue::Str(s) => {
            Value::text(s.into_owned().into_bytes(), Collation::Utf8mb4GeneralCi)
        }
    }
}
