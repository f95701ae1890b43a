//! Results whose length, or digits, a constant argument tells: LEFT(t, 3) has three characters at most.

use super::Binder;
use crate::errno;
use crate::func::facts::{Id, Length};
use crate::func::{self, FuncDef, infer};
use crate::query::expr::{BExpr, Node};
use crate::session_api::SqlError;
use crate::value::arith::real;
use crate::value::cast::{octet_length, text_length};
use crate::value::temporal::format::format_parts;
use crate::value::temporal::parse;
use crate::value::{SqlType, TypeInfo, Value, Warnings};

impl Binder<'_> {
    /// A text that is made of no text, in the connection's collation.
    pub fn in_connections_set(&self, mut info: TypeInfo) -> TypeInfo {
        let connection = self.env.reads.settings.collation;
        if let SqlType::Char { collation, .. } | SqlType::Varchar { collation, .. } = &mut info.ty
            && *collation == infer::TEXT
            && connection.charset() == infer::TEXT.charset()
        {
            *collation = connection;
        }
        info
    }
}

impl Binder<'_> {
    /// What a constant argument tells of the result, and the function that computes it then. STR_TO_DATE() is what its format has; where
    /// that is known with the rows, a date and time. A format that stands in the plan as a parameter makes it a plan for the values.
    pub fn with_known_format(
        &mut self,
        def: &'static FuncDef,
        args: &[BExpr],
        info: &mut TypeInfo,
    ) -> &'static FuncDef {
        if def.id == Id::UnixTimestamp && args.first().is_some_and(|a| a.info.ty.is_string()) {
            self.with_known_fraction(&args[0], info);
        }
        if def.id != Id::StrToDate {
            return def;
        }
        if !is_known(&args[1]) {
            info.ty = SqlType::DateTime { fsp: 6 };
            return &func::temporal::STR_TO_DATE_OF_ANY;
        }
        let Some(format) = self.known_text(&args[1]) else { return def };
        let parts = format_parts(&format);
        let fsp = if parts.fraction { 6 } else { 0 };
        info.ty = match (parts.date, parts.time) {
            (_, false) => SqlType::Date,
            (false, true) => SqlType::Time { fsp },
            (true, true) => SqlType::DateTime { fsp },
        };
        def
    }

    /// UNIX_TIMESTAMP() of a constant text has the digits that stand in it.
    fn with_known_fraction(&mut self, arg: &BExpr, info: &mut TypeInfo) {
        let Some(text) = self.known_text(arg) else { return };
        // What is no date may have any digits.
        let found = parse::datetime(text.as_bytes(), true);
        let digits = found.map_or(6, |found| found.value.fsp);
        info.ty = match digits {
            0 => SqlType::BIGINT,
            fsp => SqlType::decimal(12 + fsp, fsp),
        };
    }

    fn known_text(&mut self, arg: &BExpr) -> Option<String> {
        match &arg.node {
            Node::Const(v) => v.to_string_lossy(),
            Node::Param(n) => {
                self.open_types = true;
                self.env.params.get(*n as usize).and_then(Value::to_string_lossy)
            }
            _ => None,
        }
    }
}

/// Is the value known before the rows are? A user variable may change until then.
fn is_known(e: &BExpr) -> bool {
    let mut known = super::matching::is_constant(e);
    e.walk(&mut |e| known &= !matches!(e.node, Node::UserVar(_)));
    known
}

/// Characters of the longest text that MySQL counts before it is made.
const LONGEST: u32 = 1 << 24;

/// An argument that is known now: MySQL has a number below zero for one as large as can be.
fn number(args: &[BExpr], at: usize) -> Option<i64> {
    match &args.get(at)?.node {
        Node::Const(Value::Int(n)) => Some(*n),
        Node::Const(Value::UInt(n)) => Some(i64::try_from(*n).unwrap_or(i64::MAX)),
        _ => None,
    }
}

fn text(args: &[BExpr], at: usize) -> Option<&[u8]> {
    match &args.get(at)?.node {
        Node::Const(v) => v.as_bytes(),
        _ => None,
    }
}

/// Puts what the arguments tell into the type of the call.
pub fn with_known_length(def: &FuncDef, args: &[BExpr], info: &mut TypeInfo) {
    match &mut info.ty {
        SqlType::Varchar { chars, collation } => {
            let first = args.first().map_or(0, |a| match collation.is_binary() {
                true => octet_length(&a.info.ty),
                false => text_length(&a.info.ty),
            });
            if let Some(n) = length_of_text(def.length, args, first) {
                *chars = n;
            }
        }
        SqlType::DateTime { fsp } | SqlType::Time { fsp } if def.has_digits() => {
            if let Some(n @ 0..=6) = number(args, 0) {
                *fsp = n as u8;
            }
        }
        _ => {}
    }
}

/// ROUND() and TRUNCATE(): the digits asked for are part of the type when they are known now.
pub fn with_known_digits(def: &FuncDef, args: &[BExpr], info: &mut TypeInfo) {
    if !matches!(def.id, Id::Round | Id::Truncate) {
        return;
    }
    if let (SqlType::Double { .. }, Some(Node::Const(Value::Int(n)))) =
        (info.ty, args.get(1).map(|a| &a.node))
    {
        info.ty = real(u8::try_from((*n).max(0)).ok());
    }
    if let SqlType::Decimal { precision, scale, .. } = info.ty {
        let digits = match args.get(1).map(|a| &a.node) {
            None => Some(0),
            Some(Node::Const(v)) => {
                v.to_i64(&mut Warnings::with_limit(0)).map(|n| n.clamp(0, 30) as u8)
            }
            Some(_) => None,
        };
        if let Some(n) = digits.filter(|n| *n < scale) {
            // Rounding up may need a digit more.
            let carried = u8::from(def.id == Id::Round);
            info.ty = SqlType::decimal((precision - scale + n + carried).clamp(1, 65), n);
        }
    }
}

/// 1426 for a clock that is to have more than six digits, which is raised before anything is run.
pub fn check_digits(def: &FuncDef, args: &[BExpr]) -> Result<(), SqlError> {
    match number(args, 0) {
        Some(n) if def.has_digits() && !(0..=6).contains(&n) => {
            let clock = def.shown();
            Err(SqlError::of(errno::ER_TOO_BIG_PRECISION, &[&n, &clock, &"6"]))
        }
        _ => Ok(()),
    }
}

/// `first`: characters of the first argument.
fn length_of_text(length: Length, args: &[BExpr], first: u32) -> Option<u32> {
    let at_most = |n: i64| u32::try_from(n.max(0)).unwrap_or(u32::MAX);
    Some(match length {
        Length::Unknown => return None,
        Length::Left => first.min(at_most(number(args, 1)?)),
        Length::Substring => {
            let rest = match number(args, 1) {
                None => first,
                Some(0) => 0,
                Some(from @ 1..) => first.saturating_sub(at_most(from - 1)),
                Some(from) => first.min(u32::try_from(from.unsigned_abs()).unwrap_or(u32::MAX)),
            };
            match number(args, 2) {
                Some(n) => rest.min(at_most(n)),
                None => rest,
            }
        }
        Length::Repeat => match number(args, 1)? {
            0.. => first.saturating_mul(at_most(number(args, 1)?)).min(LONGEST),
            _ => LONGEST,
        },
        Length::Pad => match number(args, 1)? {
            n @ 0.. => at_most(n).min(LONGEST),
            _ => LONGEST,
        },
        Length::Spaces => match number(args, 0)? {
            n @ 0.. => at_most(n).min(LONGEST),
            _ => LONGEST,
        },
        Length::Digest => match number(args, 1)? {
            224 => 56,
            384 => 96,
            512 => 128,
            _ => 64,
        },
        Length::Format => length_of_format(text(args, 1)?),
    })
}

/// Characters of the longest text that a format of dates gives.
fn length_of_format(format: &[u8]) -> u32 {
    let mut length: u32 = 0;
    let mut rest = String::from_utf8_lossy(format).into_owned().into_bytes().into_iter().peekable();
    while let Some(b) = rest.next() {
        // A sign for each character, however many bytes it has.
        if b != b'%' || rest.peek().is_none() {
            length += u32::from(b & 0xC0 != 0x80);
            continue;
        }
        length += match rest.next() {
            Some(b'M' | b'W') => 64,
            Some(b'a' | b'b') => 32,
            Some(b'r') => 11,
            Some(b'T') => 8,
            Some(b'H' | b'k') => 7,
            Some(b'f') => 6,
            Some(b'D' | b'Y' | b'x' | b'X') => 4,
            Some(b'j') => 3,
            Some(
                b'c' | b'd' | b'e' | b'h' | b'I' | b'i' | b'l' | b'm' | b'p' | b'S' | b's' | b'U'
                | b'u' | b'V' | b'v' | b'y',
            ) => 2,
            _ => 1,
        };
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats() {
        for (format, length) in [("%Y-%m-%d", 10), ("%M %D", 69), ("%T.%f", 15), ("é%%%", 3)] {
            assert_eq!(length_of_format(format.as_bytes()), length, "{format}");
        }
    }
}
