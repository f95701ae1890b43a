//! Functions that choose among their arguments, or look for one.

use super::*;
use crate::func::facts::Id;
use crate::value::Warnings;

/// Whether a function that chooses takes the argument of this number, from 1 on: it evaluates no other, as in MySQL.
pub fn is_taken(id: Id, chooses: &Value<'_>, at: usize) -> bool {
    let mut unsaid = Warnings::with_limit(0);
    match id {
        Id::Elt => chooses.to_i64(&mut unsaid).is_some_and(|n| usize::try_from(n) == Ok(at)),
        Id::MakeSet => {
            chooses.to_u64(&mut unsaid).is_some_and(|bits| at <= 64 && bits >> (at - 1) & 1 == 1)
        }
        _ => true,
    }
}

pub(super) fn elt(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let c = collation_of(cx, &args[1..]);
    let n = args[0].to_i64(&mut cx.warnings).and_then(|n| usize::try_from(n).ok());
    let picked = n.filter(|&n| n > 0).and_then(|n| args.get(n)).and_then(|v| text(v, c));
    Ok(picked.map_or(Value::Null, |t| Value::text(t.into_owned(), c)))
}

/// Texts are compared as texts where all arguments are, else all are compared as numbers. Dates and times count as texts.
pub(super) fn field(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    if args.iter().any(Value::is_numeric) {
        return field_of_numbers(cx, args);
    }
    if args[0].is_null() {
        return Ok(Value::Int(0));
    }
    let c = collation_of(cx, args);
    let wanted = text(&args[0], c).unwrap_or_default();
    for (i, v) in args.iter().enumerate().skip(1) {
        if text(v, c).is_some_and(|t| c.eq(&t, &wanted)) {
            return Ok(Value::Int(i as i64));
        }
    }
    Ok(Value::Int(0))
}

/// FIELD() where the type of an argument is a number, whether or not its value is NULL.
pub static FIELD_OF_NUMBERS: FuncDef =
    def("FIELD", 2, ANY, infer::int_always::<11>, field_of_numbers).id(Id::Field);

/// Integers are compared as such, of which MySQL takes 64 bits with their sign, exact numbers as decimals, and all else as doubles.
fn field_of_numbers(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let place = |found: Option<usize>| Value::Int(found.map_or(0, |at| at as i64 + 1));
    let (wanted, list) = (&args[0], &args[1..]);
    if wanted.is_null() {
        return Ok(place(None));
    }
    let bits = |v: &Value<'_>| match v {
        Value::Int(n) => Some(*n),
        Value::UInt(n) => Some(*n as i64),
        _ => None,
    };
    let exact = |v: &Value<'_>| v.is_null() || bits(v).is_some() || matches!(v, Value::Decimal(_));
    let said = &mut cx.warnings;
    let found = if args.iter().all(|v| v.is_null() || bits(v).is_some()) {
        list.iter().position(|v| bits(v) == bits(wanted))
    } else if args.iter().all(exact) {
        let wanted = wanted.to_decimal(said);
        list.iter().position(|v| !v.is_null() && v.to_decimal(said) == wanted)
    } else {
        let wanted = wanted.to_f64(said);
        list.iter().position(|v| !v.is_null() && v.to_f64(said) == wanted)
    };
    Ok(place(found))
}

pub(super) fn make_set(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let c = collation_of(cx, &args[1..]);
    let Some(bits) = args[0].to_u64(&mut cx.warnings) else { return Ok(Value::Null) };
    let picked = args[1..].iter().enumerate().filter(|(i, _)| *i < 64 && bits >> i & 1 == 1);
    let parts: Vec<_> = picked.filter_map(|(_, v)| text(v, c)).collect();
    if too_big(cx, joined(&parts, b","), "make_set")? {
        return Ok(Value::Null);
    }
    Ok(Value::text(parts.join(&b","[..]), c))
}
