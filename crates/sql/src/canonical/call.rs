//! Calls as text: MySQL has one name for each function, whatever it was called by, and an operator for some.

use super::Printer;
use crate::func::{self, aggregate};
use weir_syntax::ast::{CastType, Expr, FunctionCall, Ident, IsTest, Over, TimeUnit};

/// Functions that MySQL knows by another name.
const NAMES: [(&str, &str); 22] = [
    ("substring", "substr"),
    ("mid", "substr"),
    ("position", "locate"),
    ("ucase", "upper"),
    ("lcase", "lower"),
    ("character_length", "char_length"),
    ("octet_length", "length"),
    ("ceil", "ceiling"),
    ("power", "pow"),
    ("day", "dayofmonth"),
    ("current_date", "curdate"),
    ("current_time", "curtime"),
    ("current_timestamp", "now"),
    ("localtime", "now"),
    ("localtimestamp", "now"),
    ("schema", "database"),
    ("session_user", "user"),
    ("system_user", "user"),
    ("sha1", "sha"),
    ("stddev", "std"),
    ("stddev_pop", "std"),
    ("var_pop", "variance"),
];

/// A function that answers with true or false.
pub fn tests(name: &Ident) -> bool {
    let tests = [
        "isnull",
        "regexp_like",
        "json_contains",
        "json_contains_path",
        "json_overlaps",
        "json_schema_valid",
        "is_uuid",
        "is_ipv4",
        "is_ipv6",
        "is_ipv4_compat",
        "is_ipv4_mapped",
    ];
    tests.iter().any(|t| name.is(t))
}

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
        if let (true, [_]) = (c.schema.is_none(), &c.args[..]) {
            // What is left out is written.
            let zero = ["round", "week", "yearweek"].iter().any(|n| c.name.is(n));
            self.push(if zero { ",0" } else { "" });
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
        let named = [
            "sleep",
            "get_lock",
            "benchmark",
            "grouping",
            "load_file",
            "name_const",
            "coercibility",
        ];
        let known = c.over.is_some()
            || c.star
            || named.contains(&lower.as_str())
            || aggregate::lookup(&lower).is_some()
            || func::lookup(&lower).is_some();
        match NAMES.iter().find(|(n, _)| *n == lower) {
            Some((_, name)) if known => self.push(name),
            _ if known => self.push(&lower),
            _ => self.name(c.name.as_str()),
        }
    }

    /// Calls that are another thing in MySQL.
    fn operation(&mut self, c: &FunctionCall) -> bool {
        let lower = c.name.as_str().to_ascii_lowercase();
        match (lower.as_str(), &c.args[..]) {
            ("isnull", [e]) => self.is(e, IsTest::Null, false),
            ("mod", [a, b]) => self.infix(a, "%", b),
            ("adddate", [date, n]) => self.interval(date, n, TimeUnit::Day, false),
            ("subdate", [date, n]) => self.interval(date, n, TimeUnit::Day, true),
            ("datediff", [a, b]) => {
                self.wrapped("(to_days(", a, ") - ");
                self.wrapped("to_days(", b, "))");
            }
            ("date", [e]) => {
                let to = Box::new(CastType::Date);
                self.expr(&Expr::Cast { expr: Box::new(e.clone()), to, array: false });
            }
            ("instr", [text, wanted]) => {
                self.wrapped("locate(", wanted, ",");
                self.wrapped("", text, ")");
            }
            ("weekofyear", [e]) => self.wrapped("week(", e, ",3)"),
            ("cot", [e]) => self.wrapped("(1 / tan(", e, "))"),
            _ => return false,
        }
        true
    }
}
