//! Expressions: what each form of the syntax tree becomes; literals.

use super::digits::{is_long, rounded, whole_average};
use super::literal::as_json;
use super::operator::{columns_expected, compare_as_doubles, compare_exprs, not};
use super::scope::{Scope, ScopeColumn, ScopeTable};
use super::{Bind, Binder};
use crate::context::{VirtualColumn, check_user_var};
use crate::ddl::refused::value_error;
use crate::errno;
use crate::func::infer;
use crate::func::names;
use crate::func::string::NO_ESCAPE;
use crate::query::expr::collations::{of_connection, one_explicit_of};
use crate::query::expr::{BExpr, CmpOp, Node, Truth};
use crate::query::plan::SubKind;
use crate::query::plan::deprecated::Deprecated;
use crate::query::plan::env::PlanEnv;
use crate::session_api::SqlError;
use crate::value::cast::CastTarget;
use crate::value::temporal::interval::Unit;
use crate::value::types::coercibility;
use crate::value::{Charset, SqlMode, SqlType, TypeInfo, Value, ValueError};
use std::sync::Arc;
use weir_syntax::ast::{self, Expr, IsTest, TimeUnit};
use weir_syntax::parse::stack_position;

/// An expression without tables, and whether it may be kept. `None`: something must be run before it.
pub fn bind_alone(expr: &Expr, env: &PlanEnv<'_>) -> Bind<Option<(BExpr, bool, Vec<Deprecated>)>> {
    let mut b = Binder::new(env);
    b.enter(Scope::default());
    let e = b.expr(expr)?;
    let ctx = b.leave();
    Ok(ctx.subs.is_empty().then_some((e, b.cacheable, b.deprecated)))
}

/// An expression over one table of values.
pub fn bind_over(expr: &Expr, columns: &[VirtualColumn], env: &PlanEnv<'_>) -> Bind<Option<BExpr>> {
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
    let table = ScopeTable {
        schema: "".into(),
        alias: "".into(),
        columns,
        nullable: false,
        merged: None,
        row_id: None,
    };
    b.enter(Scope::of([table]));
    b.place("where clause");
    let e = b.expr(expr)?;
    let ctx = b.leave();
    Ok(ctx.subs.is_empty().then_some(e))
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

/// Characters that the text of a user variable may have.
pub const VARIABLE_CHARS: u32 = 67_108_860;

/// Characters of what EXTRACT() gives: the digits of all its units, and a sign.
fn extract_width(u: Unit) -> u8 {
    match u {
        Unit::Year => 5,
        Unit::YearMonth => 7,
        Unit::Quarter => 2,
        Unit::Month | Unit::Week | Unit::Day | Unit::Minute | Unit::Second => 3,
        Unit::Hour => 4,
        Unit::MinuteSecond => 5,
        Unit::HourMinute => 6,
        Unit::HourSecond => 8,
        Unit::DayHour | Unit::SecondMicrosecond => 9,
        Unit::DayMinute | Unit::MinuteMicrosecond => 11,
        Unit::DaySecond => 13,
        Unit::Microsecond => 7,
        Unit::HourMicrosecond => 14,
        Unit::DayMicrosecond => 20,
    }
}

impl Binder<'_> {
    pub fn expr(&mut self, e: &Expr) -> Bind<BExpr> {
        self.has_stack()?;
        self.note_step()?;
        Ok(match e {
            Expr::Literal(l) => self.literal(l)?,
            Expr::Param(n) => {
                self.params = self.params.max(*n as usize + 1);
                if let Some(info) = self.env.locals.get(*n as usize) {
                    return Ok(BExpr::new(Node::Param(*n), *info));
                }
                let known = self.env.params.get(*n as usize).filter(|_| self.env.typed_params);
                let info = match known {
                    // Unlike a literal, what a client sends may be NULL the next time.
                    Some(v) if !v.is_null() => {
                        let sent = self.env.literals.is_empty();
                        TypeInfo::new(crate::value::compare::type_of(v), sent)
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
                // What the statement itself sets is another value for each row.
                self.draws |= self.deprecated.contains(&Deprecated::Assignment);
                let of_file = |v: &Arc<str>| v.eq_ignore_ascii_case(name.as_str());
                let v = self.env.user_vars.get(name.as_str());
                let ty = match self.file_vars.iter().any(of_file) {
                    true => SqlType::varchar(0, self.file_collation),
                    false => v.map_or(SqlType::Null, crate::value::compare::type_of),
                };
                let ty = match ty {
                    SqlType::Varchar { collation, .. } => {
                        SqlType::varchar(VARIABLE_CHARS, collation)
                    }
                    SqlType::Int { unsigned, .. } => SqlType::wide_int(21, unsigned),
                    SqlType::Double { .. } => SqlType::LONG_DOUBLE,
                    other => other,
                };
                // Its collation has as much of a claim as a column's.
                let coercibility = coercibility::IMPLICIT;
                BExpr::new(
                    Node::UserVar(name.as_str().to_lowercase().into()),
                    TypeInfo { coercibility, ..TypeInfo::new(ty, true) },
                )
            }
            Expr::AssignVar { name, value } => {
                check_user_var(name.as_str())?;
                self.cacheable = false;
                self.draws = true;
                self.deprecated(Deprecated::Assignment);
                let v = whole_average(self.scalar(value)?);
                let long = is_long(&v);
                let mut info = v.info;
                info.ty = infer::merge(&[info]).ty;
                if let SqlType::Int { unsigned, .. } = info.ty {
                    info.ty = SqlType::wide_int(info.ty.display_length(1) as u8, unsigned);
                }
                let name = name.as_str().to_lowercase().into();
                let e = BExpr::new(Node::Assign(name, Box::new(v)), info);
                if long { rounded(e) } else { e }
            }
            Expr::SysVar(v) => self.sys_var(v)?,
            Expr::Unary { op, expr } => self.unary(*op, expr)?,
            Expr::Binary { op, left, right } => self.binary(*op, left, right)?,
            Expr::Quantified { op, left, quantifier, query } => {
                self.quantified(*op, left, *quantifier, query)?
            }
            Expr::Is { expr, test, negated } => {
                let e = self.numeric(expr)?;
                let test = match test {
                    IsTest::Null | IsTest::Unknown => Truth::Null,
                    IsTest::True => Truth::True,
                    IsTest::False => Truth::False,
                };
                let is = Node::Is { expr: Box::new(e), test, negated: *negated };
                BExpr::boolean(is, false)
            }
            Expr::Like { expr, pattern, escape, negated } => {
                let mut args = vec![self.scalar(expr)?, self.scalar(pattern)?];
                match escape {
                    // What a kept text says of itself: an index over the same expression has it without.
                    Some(e) if e.is_backslash() => {}
                    // In which order texts are compared it has no say.
                    Some(e) => {
                        let mut escape = self.escape_of_like(e)?;
                        escape.info.coercibility = coercibility::IGNORABLE;
                        args.push(escape);
                    }
                    None if self.env.reads.settings.mode.has(SqlMode::NO_BACKSLASH_ESCAPES) => {
                        args.push(BExpr::constant(NO_ESCAPE));
                    }
                    None => {}
                }
                let e = self.func(names::LIKE, args)?;
                if *negated { not(e) } else { e }
            }
            Expr::Regexp { expr, pattern, negated } => {
                let args = vec![self.scalar(expr)?, self.scalar(pattern)?];
                let e = self.func(names::REGEXP_LIKE, args)?;
                if *negated { not(e) } else { e }
            }
            Expr::Between { expr, low, high, negated } => {
                let both = self.between(expr, low, high)?;
                if *negated { not(both) } else { both }
            }
            Expr::InList { expr, list, negated } => self.in_list(expr, list, *negated)?,
            Expr::InQuery { expr, query, negated } => self.in_query(expr, query, *negated)?,
            Expr::Row(items) => {
                let items = items.iter().map(|i| self.expr(i)).collect::<Bind<Vec<_>>>()?;
                BExpr::new(Node::Row(items), TypeInfo::null())
            }
            Expr::Exists(q) => {
                let short = super::subquery::without_star(q);
                let sub = self.subquery(short.as_ref().unwrap_or(q), SubKind::Exists, None)?;
                BExpr::boolean(Node::Sub(sub), false)
            }
            Expr::Subquery(q) => {
                let sub = self.subquery(q, SubKind::Scalar, None)?;
                let columns = self.sub_columns(sub);
                match &columns[..] {
                    [one] => {
                        let info = TypeInfo { nullable: true, ..*one };
                        let e = BExpr::new(Node::Sub(sub), info);
                        if self.keeps_average(sub) { rounded(e) } else { e }
                    }
                    [] => return Err(columns_expected(1)),
                    many => self.row_of(sub, many),
                }
            }
            Expr::Case { operand, whens, else_ } => {
                self.case(operand.as_deref(), whens, else_.as_deref())?
            }
            Expr::Cast { expr, to, array } => {
                if *array {
                    return Err(crate::ddl::functional::array_elsewhere());
                }
                let target = self.cast_target(to)?;
                let number = target.is_numeric();
                let e = match number {
                    _ if target == CastTarget::Json => as_json(Some(expr), self.scalar(expr)?),
                    _ if matches!(target, CastTarget::Utc { .. }) => self.point_in_time(expr)?,
                    // Of a text that a function of dates gave the integer is that of the text.
                    true if matches!(target, CastTarget::Signed | CastTarget::Unsigned) => {
                        let e = self.scalar(expr)?;
                        // So it is of one that is chosen, whatever it was made of.
                        let chosen = super::literal::is_chosen(&e);
                        match e.info.ty.is_string() && !self.is_hex(expr) {
                            true if chosen => e,
                            true => super::digits::unmoved(self.as_operand(expr, e)),
                            false => self.as_operand(expr, e),
                        }
                    }
                    true => self.numeric(expr)?,
                    false => match target {
                        CastTarget::Date
                        | CastTarget::DateTime { .. }
                        | CastTarget::Time { .. } => {
                            super::digits::as_date_or_time(self.scalar(expr)?)
                        }
                        _ => super::literal::as_bytes(self.scalar(expr)?),
                    },
                };
                let info = super::convert::claimed(to, target.result_type(&e.info));
                let info = self.null_if_malformed(info);
                let texts = matches!(target, CastTarget::Char { .. });
                let e = if texts { super::literal::number_as_text(e) } else { e };
                BExpr::new(Node::Cast(target, Box::new(e)), info)
            }
            Expr::ConvertUsing { expr, charset } => {
                let e = super::literal::as_bytes(self.scalar(expr)?);
                let e = super::literal::number_as_text(e);
                let collation = self.charset_collation(charset.as_str())?;
                let target = CastTarget::Char { chars: None, collation };
                let mut info = self.null_if_malformed(target.result_type(&e.info));
                info.coercibility = coercibility::IMPLICIT;
                BExpr::new(Node::Cast(target, Box::new(e)), info)
            }
            Expr::Collate { expr, collation } => self.collate(expr, collation.as_str())?,
            Expr::DateArith { date, amount, unit: u, subtract } => {
                // The amount of several units is a text.
                let text = unit(*u).is_compound();
                let d = self.scalar(date)?;
                let n = if text { self.scalar(amount)? } else { self.numeric(amount)? };
                self.date_add(d, n, unit(*u), *subtract)
            }
            Expr::TimestampAdd { unit: u, amount, date } => {
                let (n, d) = (self.numeric(amount)?, self.scalar(date)?);
                self.date_add(d, n, unit(*u), false)
            }
            Expr::Extract { unit: u, expr } => {
                let e = super::digits::as_date_or_time(self.scalar(expr)?);
                BExpr::new(
                    Node::Extract(unit(*u), Box::new(e)),
                    TypeInfo::new(SqlType::wide_int(extract_width(unit(*u)), false), true),
                )
            }
            Expr::TimestampDiff { unit: u, from, to } => {
                let moment = super::digits::chosen_moment;
                let (a, b) = (moment(self.scalar(from)?), moment(self.scalar(to)?));
                BExpr::new(
                    Node::TimestampDiff(unit(*u), Box::new(a), Box::new(b)),
                    TypeInfo::new(SqlType::LONG_INT, true),
                )
            }
            Expr::Trim { side, what, expr } => {
                let mut args = vec![super::literal::as_bytes(self.scalar(expr)?)];
                if let Some(w) = what {
                    args.push(super::literal::as_bytes(self.scalar(w)?));
                }
                let call = self.func(
                    match side {
                        ast::TrimSide::Both => names::TRIM,
                        ast::TrimSide::Leading => names::LTRIM,
                        ast::TrimSide::Trailing => names::RTRIM,
                    },
                    args,
                )?;
                of_connection(call, self.env.reads.settings.collation)
            }
            Expr::Char { args, charset } => {
                let args = args.iter().map(|a| self.numeric(a)).collect::<Bind<Vec<_>>>()?;
                let unit = charset.as_ref().and_then(|cs| Charset::by_name(cs.as_str()));
                let name = match unit.map_or(1, Charset::min_char_bytes) {
                    2 => names::CHAR_OF_PAIRS,
                    4 => names::CHAR_OF_FOURS,
                    _ => names::CHAR,
                };
                let e = self.func(name, args)?;
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
            Expr::WeightString { expr, to, numbers } => {
                let e = self.scalar(expr)?;
                let mut args = vec![self.weighed(e, to.as_deref())?];
                args.extend(numbers.iter().flatten().map(|n| BExpr::constant(Value::UInt(*n))));
                self.func(names::WEIGHT_STRING, args)?
            }
            Expr::GetFormat { kind, expr } => {
                let k = BExpr::constant(Value::text(
                    kind.as_str().as_bytes().to_vec(),
                    self.env.reads.settings.collation,
                ));
                let e = self.scalar(expr)?;
                let call = self.func(names::GET_FORMAT, vec![k, e])?;
                of_connection(call, self.env.reads.settings.collation)
            }
            Expr::Call(c) => self.call(c)?,
            Expr::Odbc { expr, .. } => self.odbc(expr)?,
            Expr::Default => return Err(SqlError::not_supported("DEFAULT in an expression")),
            Expr::DefaultOf(c) => self.default_of(c)?,
            Expr::ValuesOf(c) => self.values_of(c)?,
            Expr::MemberOf { expr, array } => {
                let value = as_json(Some(expr), self.scalar(expr)?);
                let array = self.scalar(array)?;
                self.func(names::MEMBER_OF, vec![value, array])?
            }
            Expr::JsonValue(j) => self.json_value(j)?,
            Expr::Match { columns, against, mode } => {
                self.match_against(columns, against, *mode)?
            }
        })
    }

    /// The columns of a subquery's only row.
    fn row_of(&mut self, sub: u32, columns: &[TypeInfo]) -> BExpr {
        self.top_mut().subs[sub as usize].kind = SubKind::Row;
        let column = |(n, info): (usize, &TypeInfo)| {
            let node = Node::SubColumn { sub, column: n as u32 };
            BExpr::new(node, TypeInfo { nullable: true, ..*info })
        };
        let row = columns.iter().enumerate().map(column).collect();
        BExpr::new(Node::Row(row), TypeInfo::null())
    }

    /// ESCAPE: the same for all rows.
    fn escape_of_like(&mut self, e: &Expr) -> Bind<BExpr> {
        let e = self.scalar(e)?;
        let mut varies = false;
        e.walk(&mut |n| {
            varies |= matches!(n.node, Node::Col(_) | Node::Agg(_) | Node::Window(_));
        });
        match varies {
            true => Err(value_error(ValueError::wrong_arguments("ESCAPE"))),
            false => Ok(e),
        }
    }

    /// 1436 where the statement is nested too deeply to go on.
    pub fn has_stack(&self) -> Bind<()> {
        if stack_position().abs_diff(self.stack_base) <= self.stack_most {
            return Ok(());
        }
        let text = "Thread stack overrun:  the statement is nested too deeply.  Use fewer levels of nesting.";
        Err(SqlError::new(errno::ER_STACK_OVERRUN_NEED_MORE, text))
    }

    /// An expression of one value.
    pub fn scalar(&mut self, e: &Expr) -> Bind<BExpr> {
        let b = self.expr(e)?;
        if matches!(b.node, Node::Row(_)) {
            return Err(columns_expected(1));
        }
        Ok(b)
    }

    pub fn case(
        &mut self,
        operand: Option<&Expr>,
        whens: &[(Expr, Expr)],
        otherwise: Option<&Expr>,
    ) -> Bind<BExpr> {
        let value = match operand {
            Some(e) => Some((e, self.scalar(e)?)),
            None => None,
        };
        let (mut whens_bound, mut branches) = (Vec::with_capacity(whens.len()), Vec::new());
        for (written, t) in whens {
            let w = match &value {
                Some((e, o)) => {
                    // Unlike `=`, CASE looks at a document's text when it meets one, as in MySQL. A literal may be a parameter here.
                    let b = self.scalar(written)?;
                    let (a, b) = self.documents_in_pair((e, o.clone()), (written, b));
                    let (o, w) = self.list_pair((e, a), (written, b), false);
                    match self.are_decimal_and_text((e, &o), (written, &w)) {
                        true => compare_as_doubles(CmpOp::Eq, o, w),
                        false => compare_exprs(CmpOp::Eq, o, w)?,
                    }
                }
                None => self.numeric(written)?,
            };
            whens_bound.push(w);
            branches.push(self.scalar(t)?);
        }
        let last = otherwise.map(|e| self.scalar(e)).transpose()?;
        branches.extend(last);
        let mut branches = self.branches(branches);
        let otherwise = otherwise.and_then(|_| branches.pop());
        let branches = branches.into_iter().map(whole_average);
        let otherwise = otherwise.map(whole_average);
        let bound: Vec<(BExpr, BExpr)> = whens_bound.into_iter().zip(branches).collect();
        let long = bound.iter().map(|(_, b)| b).chain(&otherwise).any(is_long);
        let infos: Vec<TypeInfo> =
            bound.iter().map(|(_, t)| t.info).chain(otherwise.iter().map(|e| e.info)).collect();
        one_explicit_of("case", &infos)?;
        let mut info = infer::merge(&infos);
        info.nullable |= otherwise.is_none();
        info = self.made_of(&infos, info);
        let case = Node::Case { whens: bound, otherwise: otherwise.map(Box::new) };
        let case = BExpr::new(case, info);
        Ok(if long { rounded(case) } else { case })
    }
}
