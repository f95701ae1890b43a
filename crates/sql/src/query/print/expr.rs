//! Bound expressions as text, for the note of EXPLAIN: names are looked up where the expression stands, operators are in parentheses.

use super::{Note, quoted};
use crate::func::aggregate::{AggKind, AggSpec};
use crate::func::facts::Id;
use crate::func::string::{IN_SET, OF_CONNECTION};
use crate::query::expr::{BExpr, CmpOp, Node, Truth};
use crate::query::plan::insert::{FIRST_SOURCE, InsertPlan, Rows};
use crate::query::plan::shape::Shape;
use crate::query::plan::{Block, Body, OutColumn, Source, Sub, SubKind, WindowFunction};
use crate::value::Value;
use crate::value::arith::{BitOp, Op};
use crate::value::cast::CastTarget;
use crate::vars::SetTarget;
use std::fmt::Write as _;

/// What the names of expressions mean at one place.
pub struct Scope<'p> {
    names: Names<'p>,
    /// Numbers of derived tables, by table.
    pub derived: Vec<i64>,
    /// Subqueries with their numbers.
    pub subs: Vec<(&'p Sub, i64)>,
}

enum Names<'p> {
    Nothing,
    Block(&'p Block),
    /// The table, and the row that was to be inserted.
    Insert(&'p InsertPlan),
    /// Of a set operation's result.
    Columns(&'p [OutColumn]),
    /// A row of a table by itself, whose columns have no more than their names.
    Row(&'p [Shape]),
}

impl<'p> Scope<'p> {
    fn new(names: Names<'p>) -> Scope<'p> {
        Scope { names, derived: Vec::new(), subs: Vec::new() }
    }

    pub fn nothing() -> Scope<'p> {
        Scope::new(Names::Nothing)
    }

    /// Of a row of a table by itself.
    pub fn row(shapes: &'p [Shape]) -> Scope<'p> {
        Scope::new(Names::Row(shapes))
    }

    pub fn block(b: &'p Block) -> Scope<'p> {
        Scope::new(Names::Block(b))
    }

    pub fn insert(p: &'p InsertPlan) -> Scope<'p> {
        Scope::new(Names::Insert(p))
    }

    pub fn columns(columns: &'p [OutColumn]) -> Scope<'p> {
        Scope::new(Names::Columns(columns))
    }
}

impl<'p> Note<'p> {
    pub fn list<'e>(&mut self, list: impl Iterator<Item = &'e BExpr>, between: &str)
    where
        'p: 'e,
    {
        for (i, e) in list.enumerate() {
            self.out.push_str(if i > 0 { between } else { "" });
            self.expr(e);
        }
    }

    fn scope(&self, depth: u8) -> Option<&Scope<'p>> {
        self.scopes.iter().rev().nth(usize::from(depth))
    }

    /// A column's qualified name.
    pub fn column_of(&mut self, depth: u8, table: usize, col: usize) {
        let text = match self.scope(depth).map(|s| &s.names) {
            Some(Names::Block(b)) => self.column_in(b, table, col),
            Some(Names::Insert(p)) => self.column_around(p, table, col),
            Some(Names::Columns(columns)) => {
                let name = columns.get(col).map_or("", |c| &c.name);
                if self.short { name.to_owned() } else { quoted(name) }
            }
            Some(Names::Row(shapes)) => match shapes.get(table) {
                Some(Shape::Table(t)) => quoted(&t.meta.columns[col].name),
                _ => "?".to_owned(),
            },
            Some(Names::Nothing) | None => "?".to_owned(),
        };
        self.out.push_str(&text);
    }

    /// What ON DUPLICATE KEY UPDATE sees: the row in the table, the row that was to be inserted, and the SELECT's tables.
    fn column_around(&self, p: &InsertPlan, table: usize, col: usize) -> String {
        if let Some(of_source) = table.checked_sub(FIRST_SOURCE) {
            return match &p.rows {
                Rows::Query(q) => match &q.body {
                    Body::Block(b) => self.column_in(b, of_source, col),
                    _ => q.columns.get(col).map_or("?".to_owned(), |c| quoted(&c.name)),
                },
                Rows::Values(_) | Rows::File(_) => "?".to_owned(),
            };
        }
        let t = &p.table;
        let Some(column) = t.meta.columns.get(col) else { return "?".to_owned() };
        let name = format!("{}.{}.{}", quoted(t.schema()), quoted(t.name()), quoted(&column.name));
        if table == 1 { format!("values({name})") } else { name }
    }

    fn column_in(&self, b: &Block, table: usize, col: usize) -> String {
        let Some(t) = b.tables.get(table) else { return "?".to_owned() };
        let quoted = |name: &str| if self.short { name.to_owned() } else { quoted(name) };
        let alias = quoted(&t.alias);
        let named = |columns: &[OutColumn]| columns.get(col).map(|c| quoted(&c.name));
        let name = match &t.source {
            Source::Table(t) => {
                let column = t.meta.columns.get(col).map(|c| quoted(&c.name));
                let column = column.unwrap_or_else(|| "?".to_owned());
                if self.short {
                    return format!("{alias}.{column}");
                }
                return format!("{}.{alias}.{column}", quoted(t.schema()));
            }
            Source::Derived(q) => named(&q.columns),
            Source::Virtual(v, _) => v.columns().get(col).map(|c| quoted(&c.name)),
            Source::Working(_, columns) => named(columns),
        };
        format!("{alias}.{}", name.unwrap_or_else(|| "?".to_owned()))
    }

    pub fn expr(&mut self, e: &BExpr) {
        match &e.node {
            Node::Const(v) => self.value(v),
            Node::Param(n) => match self.params.get(*n as usize) {
                Some(v) => self.value(&v.clone()),
                None => self.out.push('?'),
            },
            Node::Col(c) => self.column_of(c.depth, usize::from(c.table), usize::from(c.col)),
            Node::Agg(n) => self.aggregate(0, *n as usize),
            Node::OuterAgg { depth, at } => self.aggregate(*depth, *at as usize),
            Node::Sub(n) => self.sub(*n as usize),
            Node::SubColumn { sub, column } => {
                self.sub(*sub as usize);
                let _ = write!(self.out, "[{column}]");
            }
            Node::Match { sub, columns } => self.search(*sub as usize, columns),
            Node::Call { sub, args } => self.call(*sub as usize, args),
            Node::InSub { left, sub, negated } => {
                self.out.push('(');
                self.row(left);
                self.out.push_str(if *negated { " not in " } else { " in " });
                self.sub(*sub as usize);
                self.out.push(')');
            }
            Node::Quantified { op, left, sub, all } => {
                self.out.push('(');
                self.expr(left);
                let _ = write!(self.out, " {} {} ", sign(*op), if *all { "all" } else { "any" });
                self.sub(*sub as usize);
                self.out.push(')');
            }
            Node::UserVar(name) => {
                let _ = write!(self.out, "(@{})", quoted(name));
            }
            Node::Assign(name, value) => {
                let _ = write!(self.out, "(@{}:=", quoted(name));
                self.expr(value);
                self.out.push(')');
            }
            Node::SysVar(var, target) => {
                let global = if *target == SetTarget::Global { "global." } else { "" };
                let _ = write!(self.out, "@@{global}{}", var.name());
            }
            Node::Window(_) => self.out.push_str("window function"),
            _ => self.operation(e),
        }
    }

    fn operation(&mut self, e: &BExpr) {
        match &e.node {
            Node::And(list) => self.joined(list, " and "),
            Node::Or(list) => self.joined(list, " or "),
            Node::Xor(a, b) => self.infix(a, "xor", b),
            Node::Not(a) => self.wrapped("(not(", a, "))"),
            Node::Cmp { op, a, b, .. } => self.infix(a, sign(*op), b),
            Node::In { left, list, negated, .. } => {
                self.out.push('(');
                self.expr(left);
                self.out.push_str(if *negated { " not in (" } else { " in (" });
                self.list(list.iter().map(|(_, e)| e), ",");
                self.out.push_str("))");
            }
            Node::Arith(op, a, b) => self.infix(a, operator(*op), b),
            Node::Bits(op, a, b) => self.infix(a, bit_operator(*op), b),
            Node::BitNot(a) => self.wrapped("~(", a, ")"),
            Node::Neg(a) => self.wrapped("-(", a, ")"),
            Node::Is { expr, test, negated } => {
                self.out.push('(');
                self.expr(expr);
                let what = match test {
                    Truth::Null => "null",
                    Truth::True => "true",
                    Truth::False => "false",
                };
                let _ = write!(self.out, " is {}{what})", if *negated { "not " } else { "" });
            }
            Node::Case { whens, otherwise } => {
                self.out.push_str("(case");
                for (when, then) in whens {
                    self.wrapped(" when ", when, " then ");
                    self.expr(then);
                }
                if let Some(e) = otherwise {
                    self.wrapped(" else ", e, "");
                }
                self.out.push_str(" end)");
            }
            Node::Row(list) => self.row(list),
            _ => self.function(e),
        }
    }

    fn function(&mut self, e: &BExpr) {
        match &e.node {
            Node::Cast(to, a) => {
                let at = matches!(to, CastTarget::Utc { .. });
                let at = if at { " AT TIME ZONE '+00:00'" } else { "" };
                let to = cast_target(to);
                self.wrapped("cast(", a, &format!("{at} as {to})"));
            }
            Node::Collate(to, a) => self.wrapped("(", a, &format!(" collate {})", to.name())),
            Node::Func(def, args) => {
                if let (Id::Like, [a, pattern]) = (def.id, &args[..]) {
                    return self.infix(a, "like", pattern);
                }
                // A text in the character set of what it is compared with, or of the connection: nobody has written a call.
                if let (IN_SET | OF_CONNECTION, [text, _]) = (def.name, &args[..]) {
                    return self.expr(text);
                }
                let _ = write!(self.out, "{}(", def.shown());
                match (def.id, &args[..]) {
                    (Id::Nullif, [a, BExpr { node: Node::Cmp { b, .. }, .. }]) => {
                        self.list([a, &**b].into_iter(), ",");
                    }
                    _ => self.list(args.iter(), ","),
                }
                self.out.push(')');
            }
            Node::DateAdd { date, amount, unit, subtract } => {
                let sign = if *subtract { '-' } else { '+' };
                self.wrapped("(", date, &format!(" {sign} interval "));
                self.wrapped("", amount, &format!(" {})", unit.name().to_lowercase()));
            }
            Node::Extract(unit, a) => {
                self.wrapped(&format!("extract({} from ", unit.name().to_lowercase()), a, ")");
            }
            Node::TimestampDiff(unit, a, b) => {
                self.wrapped(&format!("timestampdiff({},", unit.name()), a, ",");
                self.wrapped("", b, ")");
            }
            // What a literal is taken for beside what it meets has no text.
            Node::Adapted(_, a) | Node::Once { expr: a, .. } => self.expr(a),
            Node::JsonValue(a, _) => self.wrapped("json_value(", a, ")"),
            _ => {}
        }
    }

    fn wrapped(&mut self, before: &str, e: &BExpr, after: &str) {
        self.out.push_str(before);
        self.expr(e);
        self.out.push_str(after);
    }

    fn infix(&mut self, a: &BExpr, op: &str, b: &BExpr) {
        self.wrapped("(", a, &format!(" {op} "));
        self.wrapped("", b, ")");
    }

    fn joined(&mut self, list: &[BExpr], word: &str) {
        self.out.push('(');
        self.list(list.iter(), word);
        self.out.push(')');
    }

    fn row(&mut self, list: &[BExpr]) {
        match list {
            [one] => self.expr(one),
            _ => self.joined(list, ","),
        }
    }

    fn value(&mut self, v: &Value<'static>) {
        match v {
            Value::Null => self.out.push_str("NULL"),
            Value::Bytes(b) => {
                self.out.push_str("0x");
                b.iter().for_each(|b| _ = write!(self.out, "{b:02x}"));
            }
            Value::Date(d) => _ = write!(self.out, "DATE'{d}'"),
            Value::Time(t) => _ = write!(self.out, "TIME'{t}'"),
            Value::DateTime(t) => _ = write!(self.out, "TIMESTAMP'{t}'"),
            Value::Str(..) | Value::Json(_) => {
                let text = v.to_string_lossy().unwrap_or_default();
                let _ = write!(self.out, "'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"));
            }
            number => {
                let text = number.to_string_lossy().unwrap_or_default();
                match text.strip_prefix('-') {
                    Some(n) => _ = write!(self.out, "-({n})"),
                    None => self.out.push_str(&text),
                }
            }
        }
    }

    /// A subquery, or what else is run before the expression.
    fn sub(&mut self, n: usize) {
        let Some(&(sub, id)) = self.scopes.last().and_then(|s| s.subs.get(n)) else {
            return self.out.push('?');
        };
        if let Some(q) = &sub.plan {
            let exists = if matches!(sub.kind, SubKind::Exists) { "exists" } else { "" };
            if self.short {
                let _ = write!(self.out, "{exists}(select #{id})");
                return;
            }
            let _ = write!(self.out, "{exists}(");
            self.query(q, id);
            return self.out.push(')');
        }
        let (name, args): (_, Vec<&BExpr>) = match &sub.kind {
            SubKind::Sleep(e) => ("sleep", vec![e]),
            SubKind::LoadFile(e) => ("load_file", vec![e]),
            SubKind::Benchmark(n, e) => ("benchmark", vec![n, e]),
            SubKind::GetLock(name, seconds) => ("get_lock", vec![name, seconds]),
            SubKind::Wait(what, args) => (what.shape().0, args.iter().collect()),
            _ => return self.out.push('?'),
        };
        let _ = write!(self.out, "{name}(");
        self.list(args.into_iter(), ",");
        self.out.push(')');
    }

    /// MATCH ... AGAINST.
    fn search(&mut self, n: usize, columns: &[BExpr]) {
        let Some(&(sub, _)) = self.scopes.last().and_then(|s| s.subs.get(n)) else {
            return self.out.push('?');
        };
        let SubKind::Match(m) = &sub.kind else { return self.out.push('?') };
        self.out.push_str("(match ");
        self.list(columns.iter(), ",");
        self.out.push_str(" against (");
        self.expr(&m.against);
        self.out.push_str(match (m.boolean, m.expands) {
            (true, _) => " in boolean mode))",
            (_, true) => " with query expansion))",
            _ => "))",
        });
    }

    /// A stored function.
    fn call(&mut self, n: usize, args: &[BExpr]) {
        let sub = self.scopes.last().and_then(|s| s.subs.get(n)).map(|(s, _)| &s.kind);
        let name = match sub {
            Some(SubKind::Call(code, _)) => {
                format!("{}.{}", quoted(code.schema()), quoted(&code.object.name))
            }
            Some(SubKind::Benchmark(..)) => "benchmark".to_owned(),
            _ => "?".to_owned(),
        };
        let _ = write!(self.out, "{name}(");
        self.list(args.iter(), ",");
        self.out.push(')');
    }

    /// What the values of a group are, behind the columns: aggregates, keys of rollups, items that are evaluated once, and window functions.
    pub fn aggregate(&mut self, depth: u8, at: usize) {
        let Some(Names::Block(b)) = self.scope(depth).map(|s| &s.names) else {
            return self.out.push('?');
        };
        let b: &'p Block = b;
        let specs = b.agg.as_ref().map_or(&[][..], |a| &a.specs[..]);
        if let Some((spec, args)) = specs.get(at) {
            return self.aggregated(spec, args);
        }
        if let Some(agg) = &b.agg
            && agg.rollup.is_some()
            && let Some(key) = at.checked_sub(specs.len()).and_then(|k| agg.keys.get(k))
        {
            return self.expr(key);
        }
        let before = b.agg.as_ref().map_or(0, |a| a.width());
        if let Some(drawn) = at.checked_sub(before).and_then(|n| b.drawn.exprs.get(n)) {
            return self.expr(drawn);
        }
        let before = before + b.drawn.exprs.len();
        let mut calls = b.windows.iter().flat_map(|w| w.calls.iter().map(move |c| (w, c)));
        match calls.find(|(_, c)| before + c.at == at) {
            Some((w, call)) => {
                match &call.function {
                    WindowFunction::Aggregate(spec) => self.aggregated(spec, &call.args),
                    other => {
                        self.out.push_str(window_name(other));
                        self.out.push('(');
                        self.list(call.args.iter(), ",");
                        self.out.push(')');
                    }
                }
                self.out.push_str(" OVER (");
                if !w.partition.is_empty() {
                    self.out.push_str("PARTITION BY ");
                    self.list(w.partition.iter(), ",");
                }
                for (i, (e, descending)) in w.order.iter().enumerate() {
                    let first = if w.partition.is_empty() { "ORDER BY " } else { " ORDER BY " };
                    self.out.push_str(if i > 0 { "," } else { first });
                    self.expr(e);
                    self.out.push_str(if *descending { " desc" } else { "" });
                }
                self.out.push_str(if w.order.is_empty() { ")" } else { " )" });
            }
            None => self.out.push_str("grouping(...)"),
        }
    }

    fn aggregated(&mut self, spec: &AggSpec, args: &[BExpr]) {
        let name = match spec.kind {
            AggKind::CountAll => return self.out.push_str("count(0)"),
            AggKind::Count => "count",
            AggKind::Sum => "sum",
            AggKind::Avg => "avg",
            AggKind::Min => "min",
            AggKind::Max => "max",
            AggKind::GroupConcat => "group_concat",
            AggKind::BitAnd => "bit_and",
            AggKind::BitOr => "bit_or",
            AggKind::BitXor => "bit_xor",
            AggKind::StdPop => "std",
            AggKind::StdSamp => "stddev_samp",
            AggKind::VarPop => "variance",
            AggKind::VarSamp => "var_samp",
            AggKind::JsonArray => "json_arrayagg",
            AggKind::JsonObject => "json_objectagg",
            AggKind::Collect => "st_collect",
        };
        let distinct = if spec.distinct { "distinct " } else { "" };
        let _ = write!(self.out, "{name}({distinct}");
        let own = args.len().saturating_sub(spec.order.len());
        self.list(args.iter().take(own), ",");
        for (i, (e, descending)) in args.iter().skip(own).zip(&spec.order).enumerate() {
            self.out.push_str(if i > 0 { "," } else { " order by " });
            self.expr(e);
            self.out.push_str(if *descending { " desc" } else { "" });
        }
        if matches!(spec.kind, AggKind::GroupConcat) {
            let _ = write!(self.out, " separator '{}'", String::from_utf8_lossy(&spec.separator));
        }
        self.out.push(')');
    }
}

fn sign(op: CmpOp) -> &'static str {
    match op {
        CmpOp::Eq => "=",
        CmpOp::NullSafe => "<=>",
        CmpOp::Ne => "<>",
        CmpOp::Lt => "<",
        CmpOp::Le => "<=",
        CmpOp::Gt => ">",
        CmpOp::Ge => ">=",
    }
}

fn operator(op: Op) -> &'static str {
    match op {
        Op::Add => "+",
        Op::Sub => "-",
        Op::Mul => "*",
        Op::Div | Op::LongDiv => "/",
        Op::IntDiv => "DIV",
        Op::Mod => "%",
    }
}

fn bit_operator(op: BitOp) -> &'static str {
    match op {
        BitOp::And => "&",
        BitOp::Or => "|",
        BitOp::Xor => "^",
        BitOp::ShiftLeft => "<<",
        BitOp::ShiftRight => ">>",
    }
}

fn window_name(f: &WindowFunction) -> &'static str {
    match f {
        WindowFunction::RowNumber => "row_number",
        WindowFunction::Rank => "rank",
        WindowFunction::DenseRank => "dense_rank",
        WindowFunction::PercentRank => "percent_rank",
        WindowFunction::CumeDist => "cume_dist",
        WindowFunction::Ntile => "ntile",
        WindowFunction::Lag => "lag",
        WindowFunction::Lead => "lead",
        WindowFunction::FirstValue => "first_value",
        WindowFunction::LastValue => "last_value",
        WindowFunction::NthValue => "nth_value",
        WindowFunction::Aggregate(_) => "",
    }
}

fn cast_target(to: &CastTarget) -> String {
    let fraction = |name: &str, fsp: u8| match fsp {
        0 => name.to_owned(),
        n => format!("{name}({n})"),
    };
    let length = |n: Option<u32>| n.map_or(String::new(), |n| format!("({n})"));
    match to {
        CastTarget::Signed => "signed".into(),
        CastTarget::Unsigned => "unsigned".into(),
        CastTarget::Decimal { precision, scale } => format!("decimal({precision},{scale})"),
        CastTarget::Float => "float".into(),
        CastTarget::Double => "double".into(),
        CastTarget::Char { chars, collation } => {
            format!("char{} charset {}", length(*chars), collation.charset().name())
        }
        CastTarget::Binary { bytes } => format!("char{} charset binary", length(*bytes)),
        CastTarget::Date => "date".into(),
        CastTarget::DateTime { fsp } | CastTarget::Utc { fsp } => fraction("datetime", *fsp),
        CastTarget::Time { fsp } => fraction("time", *fsp),
        CastTarget::Year => "year".into(),
        CastTarget::Json => "json".into(),
        CastTarget::Geometry(kind) => kind.word().to_ascii_lowercase(),
        CastTarget::Array { .. } => "array".into(),
    }
}
