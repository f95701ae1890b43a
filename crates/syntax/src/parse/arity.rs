//! Functions of which the grammar itself fixes how many arguments they have. Another number of them is a syntax error; for every
//! other function it is an error of that function (1582).

use super::{PResult, Parser};
use crate::ast::Expr;
use crate::lex::{T, Token};

/// So many arguments or more.
const MANY: usize = usize::MAX;

/// The name, the fewest arguments and the most, by the yacc rules `function_call_keyword`, `function_call_nonkeyword`,
/// `function_call_conflict` and `window_func_call`.
const FIXED: [(&str, usize, usize); 51] = [
    ("ascii", 1, 1),
    ("charset", 1, 1),
    ("coalesce", 1, MANY),
    ("collation", 1, 1),
    ("cume_dist", 0, 0),
    ("curdate", 0, 0),
    ("database", 0, 0),
    ("date", 1, 1),
    ("day", 1, 1),
    ("dense_rank", 0, 0),
    ("first_value", 1, 1),
    ("format", 2, 3),
    ("hour", 1, 1),
    ("if", 3, 3),
    ("insert", 4, 4),
    ("interval", 2, MANY),
    ("last_value", 1, 1),
    ("left", 2, 2),
    ("linestring", 1, MANY),
    ("microsecond", 1, 1),
    ("minute", 1, 1),
    ("mod", 2, 2),
    ("month", 1, 1),
    ("multilinestring", 1, MANY),
    ("multipoint", 1, MANY),
    ("multipolygon", 1, MANY),
    ("nth_value", 2, 2),
    ("percent_rank", 0, 0),
    ("point", 2, 2),
    ("polygon", 1, MANY),
    ("quarter", 1, 1),
    ("rank", 0, 0),
    ("repeat", 2, 2),
    ("replace", 3, 3),
    ("reverse", 1, 1),
    ("right", 2, 2),
    ("row_count", 0, 0),
    ("row_number", 0, 0),
    ("schema", 0, 0),
    ("second", 1, 1),
    ("session_user", 0, 0),
    ("system_user", 0, 0),
    ("time", 1, 1),
    ("timestamp", 1, 2),
    ("truncate", 2, 2),
    ("user", 0, 0),
    ("week", 1, 2),
    ("year", 1, 1),
    // Digits of a second, as a plain number.
    ("curtime", 0, 1),
    ("now", 0, 1),
    ("sysdate", 0, 1),
];

/// Functions whose argument is a number of digits.
const DIGITS: [&str; 3] = ["curtime", "now", "sysdate"];

impl Parser<'_> {
    /// The arguments of a function, behind its parenthesis; `None` where any number of them is grammatical.
    pub(super) fn fixed_arguments(&mut self, name: Token) -> Option<PResult<Vec<Expr>>> {
        if name.kind != T::Word || self.lenient() {
            return None;
        }
        let raw = self.raw(name);
        let is = |known: &str| raw.eq_ignore_ascii_case(known.as_bytes());
        let (_, fewest, most) = FIXED.iter().find(|(known, ..)| is(known))?;
        if DIGITS.iter().any(|known| is(known)) {
            return Some(self.digits_argument());
        }
        Some(self.some_arguments(*fewest, *most))
    }

    /// A plain number, which may have been made a parameter, or nothing.
    pub(super) fn digits_argument(&mut self) -> PResult<Vec<Expr>> {
        match self.kind() {
            T::RParen => Ok(Vec::new()),
            T::Int => Ok(vec![self.operand()?]),
            T::Slot if self.at_plain_number() => Ok(vec![self.operand()?]),
            _ => Err(self.error()),
        }
    }

    fn some_arguments(&mut self, fewest: usize, most: usize) -> PResult<Vec<Expr>> {
        let mut args = Vec::new();
        while args.len() < most {
            let more = match args.is_empty() {
                true => self.kind() != T::RParen,
                false => self.kind() == T::Comma,
            };
            if args.len() >= fewest && !more {
                break;
            }
            if !args.is_empty() {
                self.expect_t(T::Comma)?;
            }
            args.push(self.expr()?);
        }
        Ok(args)
    }
}
