//! Calls as text: MySQL has one name for each function, whatever it was called by, and an operator for some.

use super::Printer;
use crate::func::{self, aggregate, special};
use weir_syntax::ast::{FunctionCall, Over};

impl Printer {
    pub fn call(&mut self, c: &FunctionCall) {
        if c.schema.is_none() && c.over.is_none() && self.operation(c) {
            return;
        }
        self.called(c);
        self.push("(");
        self.push(if c.distinct { "distinct " } else { "" });
        self.push(if c.star { "0" } else { "" });
        self.list(&c.args, ",", |p, e| p.expr(e));
        if c.name.is("group_concat") && c.schema.is_none() {
            for (i, o) in c.order_by.iter().enumerate() {
                self.push(if i > 0 { "," } else { " order by " });
                self.expr(&o.expr);
                self.push(if o.descending { " DESC" } else { " ASC" });
            }
            self.push(" separator ");
            self.text(c.separator.as_deref().unwrap_or(b","));
        }
        self.push(")");
        if c.from_last {
            self.push(" from last");
        }
        self.push(match c.ignore_nulls {
            Some(true) => " ignore nulls",
            Some(false) | None => "",
        });
        match &c.over {
            Some(Over::Name(name)) => {
                self.push(" OVER ");
                self.name(name.as_str());
            }
            Some(Over::Spec(spec)) => {
                self.push(" OVER ");
                self.window(spec);
            }
            None => {}
        }
    }

    /// The name of what is called.
    fn called(&mut self, c: &FunctionCall) {
        let lower = c.name.as_str().to_ascii_lowercase();
        if let Some(schema) = &c.schema {
            self.name(schema.as_str());
            self.push(".");
            return self.name(c.name.as_str());
        }
        let def = func::lookup(&lower);
        match (aggregate::shown(&lower), special::lookup(&lower), def) {
            (Some(name), ..) => self.push(name),
            (None, Some(special), _) => self.push(special.shown()),
            (None, None, Some(def)) => self.push(&def.shown()),
            // A function of windows alone, or one that is stored.
            _ if c.over.is_some() || c.star => self.push(&lower),
            _ => self.name(c.name.as_str()),
        }
    }

    /// Calls that are another thing in MySQL.
    fn operation(&mut self, c: &FunctionCall) -> bool {
        let Some(e) = super::form::rewritten(c) else { return false };
        self.expr(&e);
        true
    }
}
