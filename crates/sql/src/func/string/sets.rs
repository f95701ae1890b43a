//! Texts in another character set: what binding puts around expressions, and no call can name.

use crate::func::{FuncCtx, Out};
use crate::value::{Value, ValueError};

/// The first text in the collation of the second one, 3854 if its set has not all of it: what binding puts around a literal. No call can
/// name it.
pub const IN_SET: &str = "IN SET";

pub fn in_set(_: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let converted = args[1].collation().and_then(|c| Some((args[0].to_exact_text_in(c)?, c)));
    match (converted, &args[0], args[1].collation()) {
        (Some((text, c)), Value::Str(..), _) => Ok(Value::text(text.into_owned(), c)),
        (None, Value::Str(text, own), Some(c)) => {
            Err(ValueError::cannot_convert(text, own.charset(), c.charset()))
        }
        _ => Ok(args[0].borrow().into_owned()),
    }
}

/// A function's text in the set of the second one, where a character that it lacks is `?`: what binding puts around calls for connections of
/// other sets than Unicode's. No call can name it.
pub const OF_CONNECTION: &str = "OF CONNECTION";

pub fn of_connection(_: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    match (&args[0], args[1].collation()) {
        (Value::Str(text, own), Some(c)) => {
            Ok(Value::text(own.charset().convert(text, c.charset()).0, c))
        }
        _ => Ok(args[0].borrow().into_owned()),
    }
}
