//! Evaluation of bound expressions: synchronous, over the rows at hand.
//!
//! `as_stored` is what clients get of stored bytes, `frame` the rows that an expression sees, `lists` and `members` are IN, `branches` CASE and its like, `row_set` the rows of a subquery, `fitted` values in the form of their
//! type, `json_value` parts of documents, `once` constants of a run, `ranks` what rows are worth to a search, `overflow` names in error 1690. May use expressions, plans
//! as far as names in errors go, values and functions.
//!
//! What needs I/O (a subquery, SLEEP) is a slot that the executor has filled before: see [`Node::Sub`].

pub mod as_stored;
pub mod branches;
pub mod fitted;
pub mod frame;
pub mod json_value;
pub mod lists;
mod members;
mod once;
mod overflow;
pub mod packed;
pub mod ranks;
pub mod row_set;

use crate::context::UserVars;
use crate::errno;
use crate::func::facts::{Id, Nulls};
use crate::func::string::is_taken;
use crate::func::temporal;
use crate::memory::{Held, LARGE, heap_of};
use crate::query::expr::adapt::Adapt;
use crate::query::expr::compared::rule_between;
use crate::query::expr::{BExpr, CmpOp, Node, Truth};
use crate::value::arith::{self, Op};
use crate::value::cast::{CastTarget, cast, coerce_choice};
use crate::value::compare::{CompareRule, compare, rule_of_integers, sent_moment};
use crate::value::temporal::interval::{Unit, difference};
use crate::value::{Date, DateTime, EvalCtx, SqlType, Value, ValueError};
use crate::vars::{SelectValue, SessionVars, SetTarget, Var};
use branches::{chosen, is_unwatched};
use fitted::{answer, is_literal, with_digits};
use frame::{Frame, SubResult};
use json_value::json_value;
use lists::{Lists, info_at_run};
use members::{in_rows, quantified};
use smallvec::SmallVec;
use std::borrow::Cow;
use std::cmp::Ordering;

pub type Eval<'v> = Result<Value<'v>, ValueError>;

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

    /// Evaluates what a variable of a stored program is given: what a change would refuse in a strict mode is refused, whatever
    /// conditions of the same statement have warned of.
    pub fn strictly<T>(
        &mut self,
        evaluate: impl FnOnce(&mut Self) -> Result<T, ValueError>,
    ) -> Result<T, ValueError> {
        let dml = std::mem::replace(&mut self.cx.strict_dml, true);
        let before = self.cx.warnings.set_strict_aside();
        let done = evaluate(self);
        let refused = self.refuse_strict();
        self.cx.strict_dml = dml;
        self.cx.warnings.put_strict_back(before);
        refused.and(done)
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
    // A literal whose kind was not known before the run, beside an integer's column: compared as a known one is.
    let as_integers = || rule_of_integers(x, y).filter(|_| beside_integer(a, b));
    let rule = match rule.or_else(as_integers) {
        Some(r) => r,
        None => rule_between((a, &info_at_run(a, x)), (b, &info_at_run(b, y)), "=")?,
    };
    let before = ev.cx.warnings.quiet;
    for (text, v, other) in [(a, x, y), (b, y, x)] {
        let constant = matches!(text.node, Node::Const(_) | Node::Param(_) | Node::UserVar(_));
        if constant && v.is_string() && other.is_numeric() && ev.lists.has_told(text) {
            ev.cx.warnings.quiet = true;
        }
    }
    let compared = ev.numbers([(a, x), (b, y)], |cx| compare(x, y, rule, cx));
    ev.cx.warnings.quiet = before;
    compared
}

/// An integer's column beside a literal or a parameter.
fn beside_integer(a: &BExpr, b: &BExpr) -> bool {
    let column =
        |e: &BExpr| matches!(e.node, Node::Col(_)) && matches!(e.info.ty, SqlType::Int { .. });
    let literal = |e: &BExpr| matches!(e.node, Node::Const(_) | Node::Param(_));
    column(a) && literal(b) || column(b) && literal(a)
}

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

/// The value of an expression. Most are columns and constants, which need none of what the others do.
#[inline]
pub fn eval<'v>(e: &'v BExpr, f: &Frame<'v>, ev: &mut Ev<'_>) -> Eval<'v> {
    match &e.node {
        Node::Col(c) => Ok(f.column(*c, ev.cx.tz)),
        Node::Const(v) => Ok(v.borrow()),
        _ => computed(e, f, ev),
    }
}

fn computed<'v>(e: &'v BExpr, f: &Frame<'v>, ev: &mut Ev<'_>) -> Eval<'v> {
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
            SubResult::Question(asked) => asked.of(columns, f, ev),
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
        Node::SysVar(Var::last_insert_id, _) => Ok(Value::UInt(ev.cx.session.last_insert_id())),
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
            let unsigned = e.info.ty.is_unsigned();
            let apply = |cx: &mut EvalCtx<'_>| arith::apply_as(*op, unsigned, &x, &y, cx);
            ev.numbers([(&**a, &x), (&**b, &y)], apply)
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
        Node::Func(def, args)
            if matches!(
                def.id,
                Id::If | Id::IfItself | Id::Ifnull | Id::Coalesce | Id::AnyValue
            ) =>
        {
            chosen(def.id, args, &e.info.ty, f, ev)
        }
        Node::Func(def, args) => {
            let mut values: SmallVec<[Value<'v>; 4]> = SmallVec::new();
            let mut large = 0;
            // What a call costs without any text.
            let mut work = 64;
            let mut places = match def.nulls {
                Nulls::Places => Some(eval(&args[1], f, ev)?),
                _ => None,
            };
            if places.as_ref().is_some_and(Value::is_null) {
                return Ok(Value::Null);
            }
            for (n, a) in args.iter().enumerate() {
                let ends = match def.nulls {
                    Nulls::Any => values.last().is_some_and(Value::is_null),
                    Nulls::First => n == 1 && values[0].is_null(),
                    Nulls::None | Nulls::Places | Nulls::Chooses => false,
                };
                if ends {
                    return Ok(Value::Null);
                }
                if def.nulls == Nulls::Chooses && n > 0 && !is_taken(def.id, &values[0], n) {
                    values.push(Value::Null);
                    continue;
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
            let v = answer(def, v.as_text(), &e.info.ty);
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
            match how {
                Adapt::Sent(ty) => Ok(sent_moment(ty, x, &mut ev.cx)),
                _ => how.apply(x, &mut ev.cx.warnings),
            }
        }
        Node::Once { id, moment, expr } => once::value(*id, *moment, expr, f, ev),
        Node::JsonValue(doc, wanted) => {
            let doc = eval(doc, f, ev)?;
            json_value(doc, wanted, ev)
        }
        Node::Row(_) => Err(ValueError::of(errno::ER_OPERAND_COLUMNS, &[&"1"])),
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
        SelectValue::Str(s) => Value::text(s.into_owned().into_bytes(), crate::func::infer::SYSTEM),
    }
}
