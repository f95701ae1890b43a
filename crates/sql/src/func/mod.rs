//! Built-in functions: names, argument counts, result types, evaluation; aggregates.
//!
//! Uses `value` only. A function is a row in a table: the parser and binder find it by name, the planner asks for
//! its type, the executor evaluates it. Units of time (`INTERVAL n DAY`, `EXTRACT(YEAR FROM d)`) stand as text
//! arguments, as the table in [`temporal`] says. Functions that wait or lock (SLEEP, GET_LOCK) are the executor's.

pub mod aggregate;
pub(crate) mod amounts;
pub mod clock;
pub mod concat;
pub mod control;
mod crypt;
pub mod encode;
#[cfg(test)]
mod ends;
pub mod facts;
mod formats;
pub mod geo;
pub mod gtid;
pub mod infer;
pub mod info;
pub mod json;
mod locale;
mod long_match;
mod merge;
pub mod monitoring;
pub mod names;
pub mod numeric;
mod periods;
pub mod refused;
pub mod regexp;
mod regexp_errors;
mod regexp_folds;
mod regexp_parts;
pub mod special;
pub mod string;
mod sums;
pub mod temporal;
mod xml;
mod zlib;

use crate::value::{EvalCtx, TypeInfo, Value, ValueError};
use facts::{
    Arg, Definitions, Form, Fraction, Id, Keyed, Length, Nulls, Partitions, Texts, Volatility,
};

pub type FuncCtx<'s> = EvalCtx<'s>;
pub type Out = Result<Value<'static>, ValueError>;
pub type Eval = fn(&mut FuncCtx<'_>, &[Value<'_>]) -> Out;
pub type Infer = fn(&[TypeInfo]) -> TypeInfo;

/// `max_args` of functions that take any number.
pub const ANY: u8 = u8::MAX;

/// A built-in function: all that is known of it ([`facts`] says what each field means).
#[derive(Debug, Clone, Copy)]
pub struct FuncDef {
    /// Upper case.
    pub name: &'static str,
    pub min_args: u8,
    pub max_args: u8,
    pub infer: Infer,
    pub eval: Eval,
    pub id: Id,
    written_name: &'static str,
    pub form: Form,
    takes: &'static [Arg],
    pub texts: Texts,
    pub branches: Option<u8>,
    pub volatility: Volatility,
    pub clock: Option<clock::Gives>,
    pub truth: bool,
    pub keyed: Keyed,
    pub partitions: Partitions,
    pub definitions: Definitions,
    pub length: Length,
    pub fraction: Fraction,
    pub nulls: Nulls,
}

const fn def(name: &'static str, min_args: u8, max_args: u8, infer: Infer, eval: Eval) -> FuncDef {
    FuncDef::new(name, min_args, max_args, infer, eval)
}

/// A function of the statement or session as well as of its arguments.
const fn varying(
    name: &'static str,
    min_args: u8,
    max_args: u8,
    infer: Infer,
    eval: Eval,
) -> FuncDef {
    FuncDef::new(name, min_args, max_args, infer, eval).of_session()
}

/// All functions, under the names that HELP has for their kinds.
const TABLES: [(&str, &[FuncDef]); 16] = [
    ("String Functions", string::TABLE),
    ("Encryption Functions", encode::TABLE),
    ("Encryption Functions", zlib::TABLE),
    ("Encryption Functions", crypt::TABLE),
    ("Numeric Functions", numeric::TABLE),
    ("Flow Control Functions", control::TABLE),
    ("Date and Time Functions", temporal::TABLE),
    ("Information Functions", info::TABLE),
    ("Performance Schema Functions", monitoring::TABLE),
    ("GTID", gtid::TABLE),
    ("XML", xml::TABLE),
    ("String Functions", regexp::TABLE),
    ("JSON Functions", json::TABLE),
    ("Spatial Functions", geo::TABLES[0]),
    ("Spatial Functions", geo::TABLES[1]),
    ("Spatial Functions", geo::TABLES[2]),
];

/// The function of that name, in any case.
pub fn lookup(name: &str) -> Option<&'static FuncDef> {
    all().find(|f| f.name.eq_ignore_ascii_case(name))
}

/// All functions.
pub fn all() -> impl Iterator<Item = &'static FuncDef> {
    TABLES.iter().flat_map(|(_, t)| t.iter())
}

/// The kind of a function, as HELP calls it.
pub fn kind_of(name: &str) -> Option<&'static str> {
    let (kind, _) = TABLES.iter().find(|(_, t)| t.iter().any(|f| f.name == name))?;
    Some(kind)
}

impl FuncDef {
    /// 1582 for a wrong number of arguments.
    pub fn check_arity(&self, args: usize) -> Result<(), ValueError> {
        let fits = args >= usize::from(self.min_args)
            && (self.max_args == ANY || args <= usize::from(self.max_args));
        if fits { Ok(()) } else { Err(ValueError::wrong_parameter_count(self.name)) }
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;
    use crate::value::NoSession;

    /// Evaluates by name; the result as text, `None` for NULL.
    pub fn run(name: &str, args: &[Value<'_>]) -> Option<String> {
        call(name, args).expect("no error").to_string_lossy()
    }

    pub fn call(name: &str, args: &[Value<'_>]) -> Out {
        let mut cx = EvalCtx::new(&NoSession);
        cx.now_micros = 1_705_313_472_123_456; // 2024-01-15 10:11:12.123456
        let f = lookup(name).unwrap_or_else(|| panic!("{name} is not there"));
        f.check_arity(args.len())?;
        (f.eval)(&mut cx, args)
    }

    pub fn s(text: &str) -> Value<'_> {
        Value::str(text)
    }

    pub fn i(n: i64) -> Value<'static> {
        Value::Int(n)
    }

    pub fn dec(text: &str) -> Value<'static> {
        Value::Decimal(crate::value::Decimal::parse(text.as_bytes()).value.expect("fits"))
    }

    /// Checks a table of (function, arguments, result).
    pub fn check(cases: &[(&str, &[Value<'_>], Option<&str>)]) {
        for (name, args, want) in cases {
            assert_eq!(run(name, args).as_deref(), *want, "{name}{args:?}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_upper_case() {
        let mut names: Vec<_> = all().map(|f| f.name).collect();
        let n = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), n);
        assert!(names.iter().all(|n| n.to_ascii_uppercase() == **n));
        assert!(n >= 150, "{n} functions");
        assert_eq!(lookup("concat").expect("there").check_arity(0).expect_err("none").errno, 1582);
    }

    /// Inference and NULL arguments must never panic, whatever the types.
    #[test]
    fn every_function_takes_nulls() {
        let session = crate::value::NoSession;
        for f in all() {
            let n = usize::from(f.min_args);
            (f.infer)(&vec![TypeInfo::null(); n]);
            let mut cx = EvalCtx::new(&session);
            let _ = (f.eval)(&mut cx, &vec![Value::Null; n]);
            for v in [Value::Int(-1), Value::str("x"), Value::Double(1e300), Value::UInt(u64::MAX)]
            {
                let _ = (f.eval)(&mut cx, &vec![v; n.max(1)]);
            }
        }
    }
}
