//! Constants of a run, before the first row.

use crate::query::eval::frame::Frame;
use crate::query::eval::{Ev, eval};
use crate::query::expr::{BExpr, Node};
use crate::value::{SqlType, Value, Warnings};

/// What constants are evaluated with, and the types of the table's columns.
pub struct Constants<'c, 'f, 'a> {
    pub frame: &'c Frame<'f>,
    pub ev: &'c mut Ev<'a>,
    pub types: &'c dyn Fn(usize) -> SqlType,
}

/// The value of an expression that is the same for all rows. `None`: it is not, or there is something to warn of, or an error: then each row
/// evaluates it, and says what it has to say.
pub fn settled(e: &BExpr, cx: &mut Constants<'_, '_, '_>) -> Option<Value<'static>> {
    if !e.is_statement_constant() || !e.has_no_subs() {
        return None;
    }
    if let Node::Const(v) = &e.node {
        return Some(v.clone());
    }
    let before = std::mem::replace(&mut cx.ev.cx.warnings, Warnings::with_limit(0));
    let found = eval(e, cx.frame, cx.ev).map(Value::into_owned);
    let said = std::mem::replace(&mut cx.ev.cx.warnings, before).total() > 0;
    found.ok().filter(|_| !said)
}
