//! What MySQL makes of a call when it reads it: an operator, a cast, or another function. The texts of views and of definitions show that.

use crate::func;
use crate::func::facts::Form;
use weir_syntax::ast::{BinaryOp, CastType, Expr, FunctionCall, Ident, IsTest, Literal, TimeUnit};

/// The expression that stands for the call in a text; `None`: it stays a call.
pub fn rewritten(call: &FunctionCall) -> Option<Expr> {
    if call.schema.is_some() || call.over.is_some() {
        return None;
    }
    let def = func::lookup(call.name.as_str())?;
    Some(match (def.form, &call.args[..]) {
        (Form::IsNull, [a]) => Expr::Is { expr: boxed(a), test: IsTest::Null, negated: false },
        (Form::Modulo, [a, b]) => binary(BinaryOp::Mod, a.clone(), b.clone()),
        (Form::PlusDays, [date, n]) => days(date, n, false),
        (Form::MinusDays, [date, n]) => days(date, n, true),
        (Form::DaysBetween, [a, b]) => {
            let to_days = |e: &Expr| named("to_days", vec![e.clone()]);
            binary(BinaryOp::Sub, to_days(a), to_days(b))
        }
        (Form::CastDate, [a]) => cast(a, CastType::Date),
        (Form::Locate, [text, wanted]) => named("locate", vec![wanted.clone(), text.clone()]),
        (Form::Week, [date]) => named("week", vec![date.clone(), int(3)]),
        (Form::WithZero, [a]) => named(def.name, vec![a.clone(), int(0)]),
        (Form::Binary, [n]) => named("conv", vec![n.clone(), int(10), int(2)]),
        (Form::Octal, [n]) => named("conv", vec![n.clone(), int(10), int(8)]),
        _ => return None,
    })
}

fn boxed(e: &Expr) -> Box<Expr> {
    Box::new(e.clone())
}

fn int(n: u64) -> Expr {
    Expr::Literal(Literal::Int(n))
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary { op, left: Box::new(left), right: Box::new(right) }
}

fn days(date: &Expr, n: &Expr, subtract: bool) -> Expr {
    let (date, amount) = (boxed(date), boxed(n));
    Expr::DateArith { date, amount, unit: TimeUnit::Day, subtract }
}

fn cast(e: &Expr, to: CastType) -> Expr {
    Expr::Cast { expr: boxed(e), to: Box::new(to), array: false }
}

fn named(name: &str, args: Vec<Expr>) -> Expr {
    Expr::Call(Box::new(FunctionCall::new(Ident::new(name), args)))
}
