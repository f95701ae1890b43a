//! Expressions: names to columns, operators to nodes, types inferred.

use super::bind_select::Binder;
use super::collations::{against, collated, in_one_collation};
use super::expr::{BExpr, CmpOp, Node, Truth};
use super::plan::{Sub, SubKind};
use super::scope::{Found, Scope, ScopeColumn, ScopeTable, ambiguous, unknown_column};
use super::{PlanEnv, plan};
use crate::ast::{self, BinaryOp, Expr, IsTest, Literal, TimeUnit, UnaryOp};
use crate::ddl::rebuild::value_error;
use crate::func::aggregate::{self, AggKind, AggSpec};
use crate::func::{self, infer, temporal};
use crate::meta::VirtualColumn;
use crate::session_api::SqlError;
use crate::value::arith::{self, BitOp, Op};
use crate::value::cast::CastTarget;
use crate::value::compare::CompareRule;
use crate::value::temporal::interval::Unit;
use crate::value::temporal::parse;
use crate::value::types::coercibility;
use crate::value::{Charset, Collation, Decimal, IntKind, SqlType, TypeInfo, Value};
use crate::vars::{SetTarget, resolve_read};

type Bind<T> = Result<T, SqlError>;

/// An expression without tables.
pub fn bind_alone(expr: &Expr, env: &PlanEnv<'_>) -> Bind<BExpr> {
    let mut b = Binder::new(env);
    b.enter(Scope::default());
    let e = b.expr(expr)?;
    let ctx = b.leave();
    if !ctx.subs.is_empty() {
        return Err(SqlError::not_supported("subquery here"));
    }
    Ok(e)
}

/// An expression over one table of values.
pub fn bind_over(expr: &Expr, columns: &[VirtualColumn], env: &PlanEnv<'_>) -> Bind<BExpr> {
    let mut b = Binder::new(env);
    let columns = columns
        .iter()
        .map(|c| ScopeColumn {
            name: c.name.as_ref().into(),
            info: TypeInfo::column(c.ty, c.nullable),
            hidden: false,
            origin: None,
        })
        .collect();
    let table = ScopeTable { schema: "".into(), alias: "".into(), columns, nullable: false };
    b.enter(Scope { tables: vec![table], merged: Vec::new() });
    b.place("where clause");
    let e = b.expr(expr)?;
    let ctx = b.leave();
    if !ctx.subs.is_empty() {
        return Err(SqlError::not_supported("subquery in SHOW"));
    }
    Ok(e)
}

pub fn cmp_op(op: BinaryOp) -> Option<CmpOp> {
    Some(match op {
        BinaryOp::Eq => CmpOp::Eq,
        BinaryOp::NullSafeEq => CmpOp::NullSafe,
        BinaryOp::Ne => CmpOp::Ne,
        BinaryOp::Lt => CmpOp::Lt,
        BinaryOp::Le => CmpOp::Le,
        BinaryOp::Gt => CmpOp::Gt,
        BinaryOp::Ge => CmpOp::Ge,
        _ => return None,
    })
}

fn arith_op(op: BinaryOp) -> Option<Op> {
    Some(match op {
        BinaryOp::Add => Op::Add,
        BinaryOp::Sub => Op::Sub,
        BinaryOp::Mul => Op::Mul,
        BinaryOp::Div => Op::Div,
        BinaryOp::IntDiv => Op::IntDiv,
        BinaryOp::Mod => Op::Mod,
        _ => return None,
    })
}

fn bit_op(op: BinaryOp) -> Option<BitOp> {
    Some(match op {
        BinaryOp::BitAnd => BitOp::And,
        BinaryOp::BitOr => BitOp::Or,
        BinaryOp::BitXor => BitOp::Xor,
        BinaryOp::Shl => BitOp::ShiftLeft,
        BinaryOp::Shr => BitOp::ShiftRight,
        _ => return None,
    })
}

pub fn unit(u: TimeUnit) -> Unit {
    match u {
        TimeUnit::Microsecond => Unit::Microsecond,
        TimeUnit::Second => Unit::Second,
        TimeUnit::Minute => Unit::Minute,
        TimeUnit::Hour => Unit::Hour,
        TimeUnit::Day => Unit::Day,
        TimeUnit::Week => Unit::Week,
        TimeUnit::Month => Unit::Month,
        TimeUnit::Quarter => Unit::Quarter,
        TimeUnit::Year => Unit::Year,
        TimeUnit::SecondMicrosecond => Unit::SecondMicrosecond,
        TimeUnit::MinuteMicrosecond => Unit::MinuteMicrosecond,
        TimeUnit::MinuteSecond => Unit::MinuteSecond,
        TimeUnit::HourMicrosecond => Unit::HourMicrosecond,
        TimeUnit::HourSecond => Unit::HourSecond,
        TimeUnit::HourMinute => Unit::HourMinute,
        TimeUnit::DayMicrosecond => Unit::DayMicrosecond,
        TimeUnit::DaySecond => Unit::DaySecond,
        TimeUnit::DayMinute => Unit::DayMinute,
        TimeUnit::DayHour => Unit::DayHour,
        TimeUnit::YearMonth => Unit::YearMonth,
    }
}

fn columns_expected(n: usize) -> SqlError {
    SqlError::new(1241, format!("Operand should contain {n} column(s)"))
}

fn both(a: BExpr, b: BExpr) -> BExpr {
    let nullable = a.info.nullable || b.info.nullable;
    let mut list = Vec::new();
    for e in [a, b] {
        match e.node {
            Node::And(l) => list.extend(l),
            _ => list.push(e),
        }
    }
    BExpr::boolean(Node::And(list), nullable)
}

fn either(a: BExpr, b: BExpr) -> BExpr {
    let nullable = a.info.nullable || b.info.nullable;
    let mut list = Vec::new();
    for e in [a, b] {
        match e.node {
            Node::Or(l) => list.extend(l),
            _ => list.push(e),
        }
    }
    BExpr::boolean(Node::Or(list), nullable)
}

fn not(e: BExpr) -> BExpr {
    let nullable = e.info.nullable;
    BExpr::boolean(Node::Not(Box::new(e)), nullable)
}

/// `a op b` of single values.
pub fn compare_exprs(op: CmpOp, a: BExpr, b: BExpr) -> Bind<BExpr> {
    let rule = rule_of(&a, &b)?;
    let nullable = op != CmpOp::NullSafe && (a.info.nullable || b.info.nullable);
    Ok(BExpr::boolean(Node::Cmp { op, rule, a: Box::new(a), b: Box::new(b) }, nullable))
}

fn rule_of(a: &BExpr, b: &BExpr) -> Bind<Option<CompareRule>> {
    if a.is_untyped() || b.is_untyped() {
        return Ok(None);
    }
    CompareRule::of(&a.info, &b.info, "=").map(Some).map_err(value_error)
}

impl Binder<'_> {
    pub fn expr(&mut self, e: &Expr) -> Bind<BExpr> {
        Ok(match e {
            Expr::Literal(l) => self.literal(l)?,
            Expr::Param(n) => {
                self.params = self.params.max(*n as usize + 1);
                let known = self.env.params.get(*n as usize).filter(|_| self.env.typed_params);
                let info = match known {
                    Some(v) if !v.is_null() => {
                        TypeInfo::new(crate::value::compare::type_of(v), false)
                    }
                    _ => TypeInfo::null(),
                };
                BExpr::new(
                    Node::Param(*n),
                    TypeInfo { coercibility: coercibility::COERCIBLE, ..info },
                )
            }
            Expr::Column(c) => self.column(c)?,
            Expr::UserVar(name) => {
                self.cacheable = false;
                let v = self.env.user_vars.get(name.as_str());
                let ty = v.map_or(SqlType::Null, crate::value::compare::type_of);
                let ty = if let SqlType::Varchar { collation, .. } = ty {
                    SqlType::varchar(16_383, collation)
                } else {
                    ty
                };
                BExpr::new(
                    Node::UserVar(name.as_str().to_lowercase().into()),
                    TypeInfo::new(ty, true),
                )
            }
            Expr::AssignVar { name, value } => {
                self.cacheable = false;
                let v = self.scalar(value)?;
                let info = v.info;
                BExpr::new(Node::Assign(name.as_str().to_lowercase().into(), Box::new(v)), info)
            }
            Expr::SysVar(v) => self.sys_var(v)?,
            Expr::Unary { op, expr } => self.unary(*op, expr)?,
            Expr::Binary { op, left, right } => self.binary(*op, left, right)?,
            Expr::Quantified { op, left, quantifier, query } => {
                self.quantified(*op, left, *quantifier, query)?
            }
            Expr::Is { expr, test, negated } => {
                let e = self.scalar(expr)?;
                let test = match test {
                    IsTest::Null | IsTest::Unknown => Truth::Null,
                    IsTest::True => Truth::True,
                    IsTest::False => Truth::False,
                };
                BExpr::boolean(Node::Is { expr: Box::new(e), test, negated: *negated }, false)
            }
            Expr::Like { expr, pattern, escape, negated } => {
                let mut args = vec![self.scalar(expr)?, self.scalar(pattern)?];
                if let Some(e) = escape {
                    args.push(self.scalar(e)?);
                }
                let e = self.func("LIKE", args)?;
                if *negated { not(e) } else { e }
            }
            Expr::Regexp { expr, pattern, negated } => {
                let args = vec![self.scalar(expr)?, self.scalar(pattern)?];
                let e = self.func("REGEXP_LIKE", args)?;
                if *negated { not(e) } else { e }
            }
            Expr::Between { expr, low, high, negated } => {
                let (e, l, h) = (self.scalar(expr)?, self.scalar(low)?, self.scalar(high)?);
                let both =
                    both(compare_exprs(CmpOp::Ge, e.clone(), l)?, compare_exprs(CmpOp::Le, e, h)?);
                if *negated { not(both) } else { both }
            }
            Expr::InList { expr, list, negated } => self.in_list(expr, list, *negated)?,
            Expr::InQuery { expr, query, negated } => self.in_query(expr, query, *negated)?,
            Expr::Row(items) => {
                let items = items.iter().map(|i| self.scalar(i)).collect::<Bind<Vec<_>>>()?;
                BExpr::new(Node::Row(items), TypeInfo::null())
            }
            Expr::Exists(q) => {
                let sub = self.subquery(q, SubKind::Exists, None)?;
                BExpr::boolean(Node::Sub(sub), false)
            }
            Expr::Subquery(q) => {
                let sub = self.subquery(q, SubKind::Scalar, None)?;
                let columns = self.sub_columns(sub);
                match &columns[..] {
                    [one] => BExpr::new(Node::Sub(sub), TypeInfo { nullable: true, ..*one }),
                    many => return Err(columns_expected(many.len().min(1))),
                }
            }
            Expr::Case { operand, whens, else_ } => {
                self.case(operand.as_deref(), whens, else_.as_deref())?
            }
            Expr::Cast { expr, to, array } => {
                if *array {
                    return Err(SqlError::not_supported("CAST ... AS ... ARRAY"));
                }
                let e = self.scalar(expr)?;
                let target = self.cast_target(to)?;
                let info = target.result_type(&e.info);
                BExpr::new(Node::Cast(target, Box::new(e)), info)
            }
            Expr::ConvertUsing { expr, charset } => {
                let e = self.scalar(expr)?;
                let collation = self.charset_collation(charset.as_str())?;
                let target = CastTarget::Char { chars: None, collation };
                let info = target.result_type(&e.info);
                BExpr::new(Node::Cast(target, Box::new(e)), info)
            }
            Expr::Collate { expr, collation } => self.collate(expr, collation.as_str())?,
            Expr::DateArith { date, amount, unit: u, subtract } => {
                let (d, n) = (self.scalar(date)?, self.scalar(amount)?);
                self.date_add(d, n, unit(*u), *subtract)
            }
            Expr::TimestampAdd { unit: u, amount, date } => {
                let (n, d) = (self.scalar(amount)?, self.scalar(date)?);
                self.date_add(d, n, unit(*u), false)
            }
            Expr::Extract { unit: u, expr } => {
                let e = self.scalar(expr)?;
                BExpr::new(
                    Node::Extract(unit(*u), Box::new(e)),
                    TypeInfo::new(SqlType::BIGINT, true),
                )
            }
            Expr::TimestampDiff { unit: u, from, to } => {
                let (a, b) = (self.scalar(from)?, self.scalar(to)?);
                BExpr::new(
                    Node::TimestampDiff(unit(*u), Box::new(a), Box::new(b)),
                    TypeInfo::new(SqlType::BIGINT, true),
                )
            }
            Expr::Trim { side, what, expr } => {
                let mut args = vec![self.scalar(expr)?];
                if let Some(w) = what {
                    args.push(self.scalar(w)?);
                }
                self.func(
                    match side {
                        ast::TrimSide::Both => "TRIM",
                        ast::TrimSide::Leading => "LTRIM",
                        ast::TrimSide::Trailing => "RTRIM",
                    },
                    args,
                )?
            }
            Expr::Char { args, charset } => {
                let args = args.iter().map(|a| self.scalar(a)).collect::<Bind<Vec<_>>>()?;
                let e = self.func("CHAR", args)?;
                match charset {
                    None => e,
                    Some(cs) => {
                        let target = CastTarget::Char {
                            chars: None,
                            collation: self.charset_collation(cs.as_str())?,
                        };
                        let info = target.result_type(&e.info);
                        BExpr::new(Node::Cast(target, Box::new(e)), info)
                    }
                }
            }
            Expr::WeightString { expr, to } => {
                if to.is_some() {
                    return Err(SqlError::not_supported("WEIGHT_STRING(... AS ...)"));
                }
                let e = self.scalar(expr)?;
                self.func("WEIGHT_STRING", vec![e])?
            }
            Expr::GetFormat { kind, expr } => {
                let k = BExpr::constant(Value::text(
                    kind.as_str().as_bytes().to_vec(),
                    self.env.collation,
                ));
                let e = self.scalar(expr)?;
                self.func("GET_FORMAT", vec![k, e])?
            }
            Expr::Call(c) => self.call(c)?,
            Expr::Odbc { expr, .. } => self.expr(expr)?,
            Expr::Default => return Err(SqlError::not_supported("DEFAULT in an expression")),
            Expr::DefaultOf(c) => self.default_of(c)?,
            Expr::ValuesOf(c) => self.values_of(c)?,
            Expr::MemberOf { .. } => return Err(SqlError::not_supported("MEMBER OF")),
            Expr::JsonValue(_) => return Err(SqlError::not_supported("JSON_VALUE")),
            Expr::Match { .. } => return Err(SqlError::not_supported("MATCH ... AGAINST")),
        })
    }

    /// An expression of one value.
    pub fn scalar(&mut self, e: &Expr) -> Bind<BExpr> {
        let b = self.expr(e)?;
        if matches!(b.node, Node::Row(_)) {
            return Err(columns_expected(1));
        }
        Ok(b)
    }

    fn literal(&self, l: &Literal) -> Bind<BExpr> {
        let v = match l {
            Literal::Null => Value::Null,
            Literal::Bool(b) => Value::bool(*b),
            Literal::Int(v) => i64::try_from(*v).map_or(Value::UInt(*v), Value::Int),
            Literal::Decimal(text) => match Decimal::parse(text.as_bytes()).value {
                Some(d) => Value::Decimal(d),
                None => Value::Double(text.parse().unwrap_or(f64::MAX)),
            },
            Literal::Float(v, _) => Value::Double(*v),
            Literal::Str { bytes, charset, .. } => {
                let collation = match charset {
                    Some(cs) => self.charset_collation(cs)?,
                    None => self.env.collation,
                };
                Value::text(bytes.to_vec(), collation)
            }
            Literal::Hex { bytes, charset } | Literal::Bit { bytes, charset } => match charset {
                Some(cs) => Value::text(bytes.to_vec(), self.charset_collation(cs)?),
                None => Value::Bytes(bytes.to_vec().into()),
            },
            Literal::Date(t) => match parse::datetime(t.as_bytes(), false) {
                Some(f) if !f.truncated => Value::Date(f.value.date),
                _ => return Err(bad_temporal("DATE", t)),
            },
            Literal::Timestamp(t) => match parse::datetime(t.as_bytes(), false) {
                Some(f) if !f.truncated => Value::DateTime(f.value),
                _ => return Err(bad_temporal("DATETIME", t)),
            },
            Literal::Time(t) => match parse::time(t.as_bytes()) {
                Some(f) => Value::Time(f.value),
                None => return Err(bad_temporal("TIME", t)),
            },
        };
        let mut e = BExpr::constant(v);
        if let Literal::Int(v) = l {
            let width = Some(v.checked_ilog10().unwrap_or(0) as u8 + 1);
            e.info.ty = SqlType::Int {
                kind: IntKind::Big,
                unsigned: i64::try_from(*v).is_err(),
                zerofill: false,
                width,
            };
        }
        if let Literal::Bool(_) = l {
            e.info.ty = SqlType::BOOL;
        }
        Ok(e)
    }

    /// Resolves a name from this block outwards.
    pub fn column(&mut self, c: &ast::ColumnRef) -> Bind<BExpr> {
        let place = self.top().place;
        let alias_first = self.top().alias_first && c.table.is_none();
        if alias_first && let Some(e) = self.alias(c) {
            return Ok(e);
        }
        for depth in 0..self.stack.len() {
            let level = self.stack.len() - 1 - depth;
            match self.stack[level].scope.find(c) {
                Found::Column(t, i) => {
                    if depth > 0 {
                        self.note_outer(level, t);
                    }
                    return Ok(self.stack[level].scope.column(t, i, depth as u8));
                }
                Found::Ambiguous => return Err(ambiguous(c, place)),
                Found::None if depth == 0 && c.table.is_none() => {
                    if let Some(e) = self.alias(c) {
                        return Ok(e);
                    }
                }
                Found::None => {}
            }
        }
        Err(unknown_column(c, place))
    }

    /// A column alias of the select list, where the clause may use one.
    fn alias(&self, c: &ast::ColumnRef) -> Option<BExpr> {
        if c.table.is_some() {
            return None;
        }
        let found =
            self.top().aliases.iter().find(|(n, _)| crate::meta::same_name(n, c.column.as_str()));
        found.map(|(_, e)| e.clone())
    }

    fn sys_var(&mut self, v: &ast::SysVar) -> Bind<BExpr> {
        self.cacheable = false;
        if let Some(c) = &v.component {
            return Err(SqlError::new(1193, format!("Unknown system variable '{c}.{}'", v.name)));
        }
        let scope = match v.scope {
            None => None,
            Some(ast::VarScope::Session) => Some(SetTarget::Session),
            Some(_) => Some(SetTarget::Global),
        };
        let (var, target) = resolve_read(v.name.as_str(), scope)?;
        let text = || TypeInfo::new(SqlType::varchar(1024, Collation::Utf8mb4GeneralCi), true);
        use crate::vars::VarType;
        let info = match var.def().ty {
            VarType::Bool => TypeInfo::new(SqlType::BIGINT, false),
            VarType::Int { .. } => TypeInfo::new(SqlType::BIGINT, false),
            VarType::UInt { .. } | VarType::Size { .. } => TypeInfo::new(SqlType::UBIGINT, false),
            VarType::Float { .. } => TypeInfo::new(SqlType::DOUBLE, false),
            _ => text(),
        };
        Ok(BExpr::new(Node::SysVar(var, target), info))
    }

    fn unary(&mut self, op: UnaryOp, expr: &Expr) -> Bind<BExpr> {
        // A sign belongs to its literal: -9223372036854775808 is a BIGINT.
        if let (UnaryOp::Neg, Expr::Literal(Literal::Int(v))) = (op, expr)
            && let Some(n) = 0i64.checked_sub_unsigned(*v)
        {
            return Ok(BExpr::constant(Value::Int(n)));
        }
        let e = self.scalar(expr)?;
        Ok(match op {
            UnaryOp::Plus => e,
            UnaryOp::Neg => {
                let ty = match e.info.ty {
                    SqlType::Int { .. } => SqlType::BIGINT,
                    SqlType::Decimal { precision, scale, .. } => SqlType::decimal(precision, scale),
                    _ => SqlType::DOUBLE,
                };
                let info = TypeInfo::new(ty, e.info.nullable);
                BExpr::new(Node::Neg(Box::new(e)), info)
            }
            UnaryOp::BitNot => {
                let info = TypeInfo::new(SqlType::UBIGINT, e.info.nullable);
                BExpr::new(Node::BitNot(Box::new(e)), info)
            }
            UnaryOp::Not | UnaryOp::Bang => not(e),
            UnaryOp::Binary => {
                let target = CastTarget::Binary { bytes: None };
                let info = target.result_type(&e.info);
                BExpr::new(Node::Cast(target, Box::new(e)), info)
            }
        })
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Bind<BExpr> {
        if let Some(op) = cmp_op(op) {
            return self.comparison(op, left, right);
        }
        let (a, b) = (self.scalar(left)?, self.scalar(right)?);
        if let Some(op) = arith_op(op) {
            let info = arith::result_type(op, &a.info, &b.info, self.env.div_increment);
            return Ok(BExpr::new(Node::Arith(op, Box::new(a), Box::new(b)), info));
        }
        if let Some(op) = bit_op(op) {
            let info = TypeInfo::new(SqlType::UBIGINT, a.info.nullable || b.info.nullable);
            return Ok(BExpr::new(Node::Bits(op, Box::new(a), Box::new(b)), info));
        }
        Ok(match op {
            BinaryOp::And => both(a, b),
            BinaryOp::Or => either(a, b),
            BinaryOp::Xor => {
                let nullable = a.info.nullable || b.info.nullable;
                BExpr::boolean(Node::Xor(Box::new(a), Box::new(b)), nullable)
            }
            BinaryOp::Concat => self.func("CONCAT", vec![a, b])?,
            BinaryOp::SoundsLike => {
                let (a, b) = (self.func("SOUNDEX", vec![a])?, self.func("SOUNDEX", vec![b])?);
                compare_exprs(CmpOp::Eq, a, b)?
            }
            _ => return Err(SqlError::not_supported("JSON operators")),
        })
    }

    /// `a op b`, rows taken apart.
    fn comparison(&mut self, op: CmpOp, left: &Expr, right: &Expr) -> Bind<BExpr> {
        if let (Expr::Row(l), Expr::Subquery(q)) = (left, right) {
            if !matches!(op, CmpOp::Eq | CmpOp::NullSafe) {
                return Err(SqlError::not_supported(
                    "comparison of a row with a subquery other than =",
                ));
            }
            let l = l.iter().map(|e| self.scalar(e)).collect::<Bind<Vec<_>>>()?;
            return self.in_rows(l, q, false);
        }
        let (a, b) = (self.expr(left)?, self.expr(right)?);
        match (a.node, b.node) {
            (Node::Row(l), Node::Row(r)) => compare_rows(op, l, r),
            (Node::Row(l), _) | (_, Node::Row(l)) => Err(columns_expected(l.len())),
            (x, y) => compare_exprs(op, BExpr::new(x, a.info), BExpr::new(y, b.info)),
        }
    }

    fn in_list(&mut self, expr: &Expr, list: &[Expr], negated: bool) -> Bind<BExpr> {
        let left = self.expr(expr)?;
        let items = list.iter().map(|e| self.expr(e)).collect::<Bind<Vec<_>>>()?;
        if let Node::Row(l) = &left.node {
            let mut any = None;
            for item in items {
                let Node::Row(r) = item.node else { return Err(columns_expected(l.len())) };
                let equal = compare_rows(CmpOp::Eq, l.clone(), r)?;
                any = Some(match any {
                    None => equal,
                    Some(e) => either(e, equal),
                });
            }
            let any = any.ok_or_else(|| columns_expected(l.len()))?;
            return Ok(if negated { not(any) } else { any });
        }
        let nullable = left.info.nullable || items.iter().any(|i| i.info.nullable);
        let mut pairs = Vec::with_capacity(items.len());
        for item in items {
            if matches!(item.node, Node::Row(_)) {
                return Err(columns_expected(1));
            }
            pairs.push((rule_of(&left, &item)?, item));
        }
        Ok(BExpr::boolean(Node::In { left: Box::new(left), list: pairs, negated }, nullable))
    }

    fn in_query(&mut self, expr: &Expr, query: &ast::Query, negated: bool) -> Bind<BExpr> {
        let left = match self.expr(expr)? {
            BExpr { node: Node::Row(l), .. } => l,
            one => vec![one],
        };
        self.in_rows(left, query, negated)
    }

    fn in_rows(&mut self, left: Vec<BExpr>, query: &ast::Query, negated: bool) -> Bind<BExpr> {
        let sub = self.subquery(query, SubKind::Rows, None)?;
        let n = self.sub_columns(sub).len();
        if n != left.len() {
            return Err(columns_expected(left.len()));
        }
        let columns = self.sub_columns(sub);
        let left = left.into_iter().zip(columns.iter());
        let left = left.map(|(e, column)| against(e, column)).collect::<Bind<Vec<_>>>()?;
        Ok(BExpr::boolean(Node::InSub { left, sub, negated }, true))
    }

    fn quantified(
        &mut self,
        op: BinaryOp,
        left: &Expr,
        quantifier: ast::Quantifier,
        query: &ast::Query,
    ) -> Bind<BExpr> {
        let Some(op) = cmp_op(op) else {
            return Err(SqlError::internal("a quantified operator compares"));
        };
        let left = self.scalar(left)?;
        let sub = self.subquery(query, SubKind::Rows, None)?;
        let columns = self.sub_columns(sub);
        let [column] = &columns[..] else { return Err(columns_expected(1)) };
        let left = against(left, column)?;
        let all = quantifier == ast::Quantifier::All;
        Ok(BExpr::boolean(Node::Quantified { op, left: Box::new(left), sub, all }, true))
    }

    fn case(
        &mut self,
        operand: Option<&Expr>,
        whens: &[(Expr, Expr)],
        otherwise: Option<&Expr>,
    ) -> Bind<BExpr> {
        let operand = operand.map(|o| self.scalar(o)).transpose()?;
        let mut bound = Vec::with_capacity(whens.len());
        for (w, t) in whens {
            let w = self.scalar(w)?;
            let w = match &operand {
                Some(o) => compare_exprs(CmpOp::Eq, o.clone(), w)?,
                None => w,
            };
            bound.push((w, self.scalar(t)?));
        }
        let otherwise = otherwise.map(|e| self.scalar(e)).transpose()?;
        let infos: Vec<TypeInfo> =
            bound.iter().map(|(_, t)| t.info).chain(otherwise.iter().map(|e| e.info)).collect();
        let mut info = infer::merge(&infos);
        info.nullable |= otherwise.is_none();
        Ok(BExpr::new(Node::Case { whens: bound, otherwise: otherwise.map(Box::new) }, info))
    }

    fn charset_collation(&self, name: &str) -> Bind<Collation> {
        match Charset::by_name(name) {
            Some(cs) => Ok(self.env.vars.default_of(cs)),
            None => Err(SqlError::new(1115, format!("Unknown character set: '{name}'"))),
        }
    }

    fn cast_target(&self, to: &ast::CastType) -> Bind<CastTarget> {
        use ast::CastType as T;
        let fsp = |n: &Option<u64>| match n.unwrap_or(0) {
            n @ 0..=6 => Ok(n as u8),
            n => Err(SqlError::new(
                1426,
                format!("Too-big precision {n} specified for 'CAST'. Maximum is 6."),
            )),
        };
        Ok(match to {
            T::Binary(n) => CastTarget::Binary { bytes: n.map(|n| n as u32) },
            T::Char { length, charset, binary, .. } => {
                let mut collation = match charset {
                    Some(cs) => self.charset_collation(cs)?,
                    None => self.env.collation,
                };
                if *binary {
                    collation = Collation::bin_of(collation.charset());
                }
                CastTarget::Char { chars: length.map(|n| n as u32), collation }
            }
            T::Signed => CastTarget::Signed,
            T::Unsigned => CastTarget::Unsigned,
            T::Date => CastTarget::Date,
            T::Year => CastTarget::Year,
            T::Time(n) => CastTarget::Time { fsp: fsp(n)? },
            T::Datetime(n) => CastTarget::DateTime { fsp: fsp(n)? },
            T::Decimal { precision, scale } => {
                let (p, s) = (precision.unwrap_or(10), scale.unwrap_or(0));
                if p > 65 || s > 30 || s > p {
                    return Err(SqlError::new(
                        1426,
                        format!("Too-big precision {p} specified for 'CAST'. Maximum is 65."),
                    ));
                }
                CastTarget::Decimal { precision: if p == 0 { 10 } else { p as u8 }, scale: s as u8 }
            }
            T::Float(n) if n.is_some_and(|n| n > 24) => CastTarget::Double,
            T::Float(_) => CastTarget::Float,
            T::Double | T::Real => CastTarget::Double,
            T::Json => return Err(SqlError::not_supported("CAST AS JSON")),
            T::Geometry(_) => return Err(SqlError::not_supported("CAST to a geometry")),
        })
    }

    fn collate(&mut self, expr: &Expr, name: &str) -> Bind<BExpr> {
        let e = self.scalar(expr)?;
        let Some(c) = Collation::by_name(name) else {
            return Err(SqlError::new(1273, format!("Unknown collation: '{name}'")));
        };
        if let Some(own) = e.info.ty.collation()
            && own.charset() != c.charset()
        {
            let text = format!(
                "COLLATION '{}' is not valid for CHARACTER SET '{}'",
                c.name(),
                own.charset().name()
            );
            return Err(SqlError::new(1253, text));
        }
        let mut e = collated(e, c);
        e.info.coercibility = coercibility::EXPLICIT;
        Ok(e)
    }

    fn date_add(&self, date: BExpr, amount: BExpr, unit: Unit, subtract: bool) -> BExpr {
        let info = temporal::date_add_type(&date.info, unit);
        BExpr::new(
            Node::DateAdd { date: Box::new(date), amount: Box::new(amount), unit, subtract },
            info,
        )
    }

    pub fn func(&self, name: &str, args: Vec<BExpr>) -> Bind<BExpr> {
        let Some(def) = func::lookup(name) else {
            let schema = self.env.schema.unwrap_or("");
            return Err(SqlError::new(1305, format!("FUNCTION {schema}.{name} does not exist")));
        };
        def.check_arity(args.len()).map_err(value_error)?;
        let args = in_one_collation(def.name, args)?;
        let infos: Vec<TypeInfo> = args.iter().map(|a| a.info).collect();
        let mut info = (def.infer)(&infos);
        // Of a constant text the digits of its fraction are known.
        if info.ty.is_temporal() && info.ty.fsp() == 6 {
            let texts = || args.iter().filter(|a| a.info.ty.is_string());
            let digits = |a: &BExpr| match &a.node {
                Node::Const(v) => v.as_bytes().map(|b| {
                    let dot = b.iter().position(|c| *c == b'.');
                    dot.map_or(0, |at| {
                        b[at + 1..].iter().take_while(|c| c.is_ascii_digit()).count()
                    })
                }),
                _ => None,
            };
            if texts().next().is_some() && texts().all(|a| digits(a).is_some()) {
                let other = args.iter().map(|a| a.info.ty.fsp()).max().unwrap_or(0);
                let fsp = texts().filter_map(digits).max().unwrap_or(0).min(6) as u8;
                let fsp = fsp.max(other);
                info.ty = match info.ty {
                    SqlType::Time { .. } => SqlType::Time { fsp },
                    SqlType::DateTime { .. } => SqlType::DateTime { fsp },
                    SqlType::Timestamp { .. } => SqlType::Timestamp { fsp },
                    other => other,
                };
            }
        }
        // The digits asked for are part of the type when they are known now.
        if matches!(def.name, "ROUND" | "TRUNCATE")
            && let SqlType::Decimal { precision, scale, .. } = info.ty
        {
            let digits = match args.get(1).map(|a| &a.node) {
                None => Some(0),
                Some(Node::Const(Value::Int(n))) => Some((*n).clamp(0, 30) as u8),
                Some(_) => None,
            };
            if let Some(n) = digits.filter(|n| *n < scale) {
                info.ty = SqlType::decimal((precision - scale + n + 1).clamp(1, 65), n);
            }
        }
        if info.ty.is_string() && infos.iter().all(|i| !i.ty.is_string()) {
            info = self.in_connection_collation(info);
        }
        Ok(BExpr::new(Node::Func(def, args), info))
    }

    fn in_connection_collation(&self, info: TypeInfo) -> TypeInfo {
        let c = self.env.collation;
        let ty = match info.ty {
            SqlType::Varchar { chars, collation }
                if !collation.is_binary() && collation.charset() == c.charset() =>
            {
                SqlType::Varchar { chars, collation: c }
            }
            other => other,
        };
        TypeInfo { ty, ..info }
    }

    fn call(&mut self, c: &ast::FunctionCall) -> Bind<BExpr> {
        let name = c.name.as_str();
        if c.over.is_some() {
            return Err(SqlError::not_supported("window functions"));
        }
        if let Some(s) = &c.schema {
            return Err(SqlError::new(1305, format!("FUNCTION {s}.{name} does not exist")));
        }
        if let Some(kind) = aggregate::lookup(name) {
            return self.aggregate(kind, c);
        }
        let upper = name.to_ascii_uppercase();
        match upper.as_str() {
            "SLEEP" => {
                let [arg] = &c.args[..] else {
                    return Err(SqlError::new(
                        1582,
                        "Incorrect parameter count in the call to native function 'SLEEP'",
                    ));
                };
                let arg = self.scalar(arg)?;
                let tables = self.expr_tables(&arg);
                let sub = self.push_sub(Sub {
                    kind: SubKind::Sleep(arg),
                    plan: None,
                    correlated: true,
                    tables,
                });
                return Ok(BExpr::new(Node::Sub(sub), TypeInfo::new(SqlType::BIGINT, false)));
            }
            "GET_LOCK" | "RELEASE_LOCK" | "IS_FREE_LOCK" | "IS_USED_LOCK" | "RELEASE_ALL_LOCKS"
            | "LOAD_FILE" | "GROUPING" | "ROW_NUMBER" | "RANK" => {
                return Err(SqlError::not_supported(format!("{upper}()")));
            }
            _ if upper.starts_with("JSON_") || upper.starts_with("ST_") => {
                return Err(SqlError::not_supported(format!("{upper}()")));
            }
            _ => {}
        }
        let args = c.args.iter().map(|a| self.scalar(a)).collect::<Bind<Vec<_>>>()?;
        if func::lookup(&upper).is_some_and(|d| !d.deterministic) {
            self.varying = true;
        }
        self.func(if func::lookup(&upper).is_some() { &upper } else { name }, args)
    }

    fn aggregate(&mut self, kind: AggKind, c: &ast::FunctionCall) -> Bind<BExpr> {
        let invalid = || SqlError::new(1111, "Invalid use of group function");
        if !self.top().agg_ok || self.top().in_agg {
            return Err(invalid());
        }
        let kind = if c.star { AggKind::CountAll } else { kind };
        if kind != AggKind::CountAll && c.args.is_empty() {
            return Err(SqlError::parse(")", 1));
        }
        self.top_mut().in_agg = true;
        let bound = (|| {
            let mut args = c.args.iter().map(|a| self.scalar(a)).collect::<Bind<Vec<_>>>()?;
            for o in &c.order_by {
                args.push(self.scalar(&o.expr)?);
            }
            Ok::<_, SqlError>(args)
        })();
        self.top_mut().in_agg = false;
        let args = bound?;
        let data = &args[..args.len() - c.order_by.len()];
        let infos: Vec<TypeInfo> = data.iter().map(|a| a.info).collect();
        let mut spec = AggSpec::new(kind, c.distinct, &infos, self.env.div_increment);
        if let Some(s) = &c.separator {
            spec.separator = s.to_vec();
        }
        spec.order = c.order_by.iter().map(|o| o.descending).collect();
        let info = spec.result;
        // The same aggregate twice is computed once.
        let text = format!("{kind:?}{:?}{args:?}{:?}{:?}", c.distinct, spec.separator, spec.order);
        let ctx = self.top_mut();
        let at = match ctx.agg_texts.iter().position(|t| *t == text) {
            Some(i) => i,
            None => {
                ctx.agg_texts.push(text);
                ctx.aggs.push((spec, args));
                ctx.aggs.len() - 1
            }
        };
        Ok(BExpr::new(Node::Agg(at as u32), info))
    }

    fn default_of(&mut self, c: &ast::ColumnRef) -> Bind<BExpr> {
        let e = self.column(c)?;
        let Node::Col(r) = e.node else { return Err(unknown_column(c, "field list")) };
        let default = self.column_default(r, c)?;
        Ok(BExpr { node: default.node, info: e.info })
    }

    fn values_of(&mut self, c: &ast::ColumnRef) -> Bind<BExpr> {
        match self.new_row {
            // The row that was to be inserted is the table behind the target.
            Some(table) => {
                let e = self.column_in(0, c)?;
                match e.node {
                    Node::Col(mut r) => {
                        r.table = table;
                        Ok(BExpr::new(Node::Col(r), TypeInfo { nullable: true, ..e.info }))
                    }
                    _ => Err(unknown_column(c, "field list")),
                }
            }
            None => {
                let e = self.column(c)?;
                Ok(BExpr::new(Node::Const(Value::Null), TypeInfo { nullable: true, ..e.info }))
            }
        }
    }

    pub fn expr_tables(&self, e: &BExpr) -> u64 {
        let subs = &self.top().subs;
        e.tables(&|s| subs.get(s as usize).map_or(0, |s| s.tables))
    }

    fn push_sub(&mut self, sub: Sub) -> u32 {
        let ctx = self.top_mut();
        ctx.subs.push(sub);
        ctx.subs.len() as u32 - 1
    }

    fn sub_columns(&self, sub: u32) -> Vec<TypeInfo> {
        let plan = self.top().subs[sub as usize].plan.as_ref();
        plan.map_or_else(Vec::new, |p: &plan::QueryPlan| p.columns.iter().map(|c| c.info).collect())
    }

    fn subquery(&mut self, q: &ast::Query, kind: SubKind, _hint: Option<()>) -> Bind<u32> {
        let here = self.stack.len();
        self.collectors.push((here, Vec::new()));
        let bound = self.bind_query(q);
        let (_, refs) = self.collectors.pop().unwrap_or_default();
        let plan = bound?;
        let mut tables = 0u64;
        for (level, table) in &refs {
            if *level + 1 == here {
                tables |= 1 << table;
            }
        }
        let correlated = !refs.is_empty();
        Ok(self.push_sub(Sub { kind, plan: Some(plan), correlated, tables }))
    }
}

fn bad_temporal(kind: &str, text: &str) -> SqlError {
    SqlError::new(1525, format!("Incorrect {kind} value: '{text}'"))
}

/// `(a, b) op (c, d)`.
fn compare_rows(op: CmpOp, l: Vec<BExpr>, r: Vec<BExpr>) -> Bind<BExpr> {
    if l.len() != r.len() {
        return Err(columns_expected(l.len()));
    }
    let pairs: Vec<(BExpr, BExpr)> = l.into_iter().zip(r).collect();
    let all_equal = |op: CmpOp, pairs: &[(BExpr, BExpr)]| -> Bind<Option<BExpr>> {
        let mut all: Option<BExpr> = None;
        for (a, b) in pairs {
            let e = compare_exprs(op, a.clone(), b.clone())?;
            all = Some(match all {
                None => e,
                Some(x) => both(x, e),
            });
        }
        Ok(all)
    };
    let missing = || columns_expected(1);
    match op {
        CmpOp::Eq | CmpOp::NullSafe => all_equal(op, &pairs)?.ok_or_else(missing),
        CmpOp::Ne => Ok(not(all_equal(CmpOp::Eq, &pairs)?.ok_or_else(missing)?)),
        _ => {
            // a < c OR (a = c AND b < d), with the last column deciding about equality.
            let strict = if matches!(op, CmpOp::Lt | CmpOp::Le) { CmpOp::Lt } else { CmpOp::Gt };
            let mut any: Option<BExpr> = None;
            for i in 0..pairs.len() {
                let last = i + 1 == pairs.len();
                let (a, b) = pairs[i].clone();
                let mut e = compare_exprs(if last { op } else { strict }, a, b)?;
                if let Some(eq) = all_equal(CmpOp::Eq, &pairs[..i])? {
                    e = both(eq, e);
                }
                any = Some(match any {
                    None => e,
                    Some(x) => either(x, e),
                });
            }
            any.ok_or_else(missing)
        }
    }
}
