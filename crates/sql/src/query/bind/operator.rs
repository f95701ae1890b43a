//! Operators and comparisons, rows among them.

use super::dated::{among_dates, are_dates, null_safe_sent};
use super::digits::{as_decimal, is_long, rounded, whole_average};
use super::fixed_places::near_where_fixed;
use super::literal::{adapted, as_json, as_number, chosen_number, json_as_text, no_geometries};
use super::subquery::{placed, without_limit};
use super::{Bind, Binder, by_place};
use crate::ddl::refused::value_error;
use crate::errno;
use crate::func::names;
use crate::query::expr::adapt::{Adapt, JsonAs};
use crate::query::expr::collations::{against, all_in_one, collated};
use crate::query::expr::compared::{is_integer_in_text, rule_between};
use crate::query::expr::{BExpr, CmpOp, ListId, Node};
use crate::query::plan::SubKind;
use crate::query::plan::deprecated::Deprecated;
use crate::session_api::SqlError;
use crate::value::arith::{self, BitOp, Op};
use crate::value::cast::CastTarget;
use crate::value::compare::CompareRule;
use crate::value::types::coercibility;
use crate::value::{Class, Decimal, SqlType, TypeInfo, Value};
use weir_syntax::ast::{self, BinaryOp, Expr, Literal, UnaryOp};

fn is_document(e: &BExpr) -> bool {
    e.info.ty == SqlType::Json
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

/// The number of an ENUM or SET where it is computed with: MySQL takes it as a double there, so that -2 + 1 is in range.
fn as_real(e: BExpr) -> BExpr {
    let info = CastTarget::Double.result_type(&e.info);
    BExpr::new(Node::Cast(CastTarget::Double, Box::new(e)), info)
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

/// The sign of an operator that computes, as errors call it.
fn computing_sign(op: BinaryOp) -> Option<&'static str> {
    Some(match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::IntDiv => "DIV",
        BinaryOp::Mod => "%",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::BitXor => "^",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        _ => return None,
    })
}

pub fn columns_expected(n: usize) -> SqlError {
    SqlError::of(errno::ER_OPERAND_COLUMNS, &[&n])
}

pub fn both(a: BExpr, b: BExpr) -> BExpr {
    let nullable = a.info.nullable || b.info.nullable;
    BExpr::boolean(Node::And(joined(a, b, |n| matches!(n, Node::And(_)))), nullable)
}

pub fn either(a: BExpr, b: BExpr) -> BExpr {
    let nullable = a.info.nullable || b.info.nullable;
    BExpr::boolean(Node::Or(joined(a, b, |n| matches!(n, Node::Or(_)))), nullable)
}

/// The operands of both sides. A chain of operators comes from the left, so its list is gone on with and never copied.
fn joined(a: BExpr, b: BExpr, same: impl Fn(&Node) -> bool) -> Vec<BExpr> {
    let parts = |e: BExpr| match same(&e.node) {
        true => match e.node {
            Node::And(l) | Node::Or(l) => l,
            _ => Vec::new(),
        },
        false => vec![e],
    };
    let mut all = parts(a);
    all.extend(parts(b));
    all
}

pub fn not(e: BExpr) -> BExpr {
    let nullable = e.info.nullable;
    BExpr::boolean(Node::Not(Box::new(e)), nullable)
}

fn is_binary(e: &BExpr) -> bool {
    e.info.ty.collation().is_some_and(|c| c.is_binary())
}

fn is_shift(op: BitOp) -> bool {
    matches!(op, BitOp::ShiftLeft | BitOp::ShiftRight)
}

/// Bit operators take binary strings as such, except for two literals, which are numbers; each side with whether it is one.
fn works_on_bytes(op: BitOp, (a, hex): (&BExpr, bool), (b, other): (&BExpr, bool)) -> bool {
    if is_shift(op) {
        is_binary(a) && !hex
    } else {
        is_binary(a) && is_binary(b) && !(hex && other)
    }
}

/// `a op b` of single values.
pub fn compare_exprs(op: CmpOp, a: BExpr, b: BExpr) -> Bind<BExpr> {
    let (a, b) = (whole_average(a), whole_average(b));
    let rule = rule_of(&a, &b, op.sign())?;
    let nullable = op != CmpOp::NullSafe && (a.info.nullable || b.info.nullable);
    let e = BExpr::boolean(Node::Cmp { op, rule, a: Box::new(a), b: Box::new(b) }, nullable);
    Ok(if op == CmpOp::NullSafe { null_safe_sent(e) } else { e })
}

/// The same of numbers that are compared as doubles, whatever their kinds are.
pub fn compare_as_doubles(op: CmpOp, a: BExpr, b: BExpr) -> BExpr {
    let nullable = a.info.nullable || b.info.nullable;
    let rule = Some(CompareRule::Double);
    BExpr::boolean(Node::Cmp { op, rule, a: Box::new(a), b: Box::new(b) }, nullable)
}

/// The rule by which two sides of an operator meet; 1267 names it.
pub fn rule_of(a: &BExpr, b: &BExpr, operator: &str) -> Bind<Option<CompareRule>> {
    if a.is_untyped() || b.is_untyped() || is_integer_in_text(a, b) || is_integer_in_text(b, a) {
        return Ok(None);
    }
    rule_between((a, &a.info), (b, &b.info), operator).map(Some).map_err(value_error)
}

impl Binder<'_> {
    /// Whether the three sides of BETWEEN are numbers, and texts or times: then all are compared as doubles, whichever two meet. A column of
    /// integers or times takes constants as such first, and a date makes dates of all.
    fn is_mixed(&self, written: [&Expr; 3], sides: [&BExpr; 3]) -> bool {
        let time = |b: &BExpr| b.info.ty.class() == Class::Time;
        let own = sides[0].info.ty.is_integer() || time(sides[0]);
        let takes = own && matches!(sides[0].node, Node::Col(_));
        if takes && sides[1].is_statement_constant() && sides[2].is_statement_constant() {
            return false;
        }
        let (mut numbers, mut texts) = (0, 0);
        for (e, b) in written.into_iter().zip(sides) {
            let text = b.info.ty.class() == Class::Text || time(b) || self.is_text(e);
            numbers += usize::from(self.is_number(e, b));
            texts += usize::from(text);
            let null = matches!(b.node, Node::Const(Value::Null));
            if !(null || text || self.is_number(e, b)) {
                return false;
            }
        }
        numbers > 0 && texts > 0
    }

    /// An operand and what it is as a text: a literal that was taken out of the statement is one of the connection's.
    fn with_text(&self, written: &Expr, e: BExpr) -> (BExpr, TypeInfo) {
        let info = match e.is_untyped() {
            true if self.is_text(written) => {
                TypeInfo::new(SqlType::varchar(0, self.env.reads.settings.collation), false)
            }
            // Of a number, and of what may be one.
            true => TypeInfo::new(SqlType::BIGINT, true),
            false => e.info,
        };
        (e, info)
    }

    /// The sides of BETWEEN where some are documents: beside a number they are doubles, and beside texts alone the texts that they are. Dates
    /// are compared as such.
    fn documents_among(&self, written: [&Expr; 3], sides: [BExpr; 3]) -> [BExpr; 3] {
        if !sides.iter().any(is_document) || sides.iter().any(|e| e.info.ty.is_temporal()) {
            return sides;
        }
        let number = written.iter().zip(&sides).any(|(w, e)| self.is_number(w, e));
        sides.map(|e| match is_document(&e) {
            true if number => as_real(e),
            true => json_as_text(e),
            false => e,
        })
    }

    /// The same of two sides of CASE, or of rows in a list: JSON is not compared as such there.
    pub fn documents_in_pair(
        &self,
        (x, a): (&Expr, BExpr),
        (y, b): (&Expr, BExpr),
    ) -> (BExpr, BExpr) {
        if is_document(&a) == is_document(&b) || [&a, &b].iter().any(|e| e.info.ty.is_temporal()) {
            return (a, b);
        }
        let number = self.is_number(x, &a) || self.is_number(y, &b);
        let plain = |e: BExpr| match is_document(&e) {
            true if number => as_real(e),
            true => json_as_text(e),
            false => e,
        };
        (plain(a), plain(b))
    }

    /// `expr BETWEEN low AND high`: of one type, it is two comparisons; else types are converted among all three.
    pub fn between(&mut self, expr: &Expr, low: &Expr, high: &Expr) -> Bind<BExpr> {
        let (e, l, h) = (self.scalar(expr)?, self.scalar(low)?, self.scalar(high)?);
        no_geometries([&e, &l, &h], "between")?;
        self.tell_json_compared([&e, &l, &h].into_iter(), "in the BETWEEN operator");
        let written = [expr, low, high];
        let [e, l, h] = self.documents_among(written, [e, l, h]);
        let sides = [(expr, e), (low, l), (high, h)].map(|(w, e)| self.with_text(w, e)).to_vec();
        let Ok([e, l, h]) = <[BExpr; 3]>::try_from(all_in_one("between", sides)?) else {
            return Err(SqlError::internal("BETWEEN without its operands"));
        };
        if !self.is_mixed([expr, low, high], [&e, &l, &h]) {
            let dated = are_dates([&e, &l, &h], written.map(|w| self.is_text(w)));
            let column = matches!(e.node, Node::Col(_));
            let mut pair = |e, (written, bound)| match column {
                true => self.pair((expr, e), (written, bound)),
                false => self.unfitted_pair((expr, e), (written, bound)),
            };
            let (x, l) = pair(e.clone(), (low, l));
            let (y, h) = pair(e, (high, h));
            let (l, h) = (compare_exprs(CmpOp::Ge, x, l)?, compare_exprs(CmpOp::Le, y, h)?);
            return Ok(both(among_dates(l, dated), among_dates(h, dated)));
        }
        let number = |this: &Self, written: &Expr, e: BExpr| match this.is_hex(written) {
            true => as_number(e),
            false => chosen_number(by_place(e)),
        };
        let (e, l, h) = (number(self, expr, e), number(self, low, l), number(self, high, h));
        let low = compare_as_doubles(CmpOp::Ge, e.clone(), l);
        Ok(both(low, compare_as_doubles(CmpOp::Le, e, h)))
    }

    pub fn unary(&mut self, op: UnaryOp, expr: &Expr) -> Bind<BExpr> {
        // A sign belongs to its literal: -9223372036854775808 is a BIGINT.
        if let (UnaryOp::Neg, Expr::Literal(Literal::Int(v))) = (op, expr)
            && let Some(n) = 0i64.checked_sub_unsigned(*v)
        {
            let mut e = BExpr::constant(Value::Int(n));
            e.info.ty = SqlType::wide_int(v.checked_ilog10().unwrap_or(0) as u8 + 2, false);
            return Ok(e);
        }
        // Below the smallest BIGINT it is a DECIMAL, although the digits alone would be a BIGINT UNSIGNED.
        if let (UnaryOp::Neg, Expr::Literal(Literal::Int(v))) = (op, expr)
            && let Some(d) = Decimal::parse(v.to_string().as_bytes()).value
        {
            return Ok(BExpr::constant(Value::Decimal(d.negated())));
        }
        let e = self.scalar(expr)?;
        match op {
            UnaryOp::Neg => no_geometries([&e], "-")?,
            UnaryOp::BitNot => no_geometries([&e], "~")?,
            UnaryOp::Plus | UnaryOp::Not | UnaryOp::Bang | UnaryOp::Binary => {}
        }
        let hex = self.is_hex(expr);
        if op == UnaryOp::BitNot && is_binary(&e) && !hex {
            let info = TypeInfo::new(e.info.ty, e.info.nullable);
            return Ok(BExpr::new(Node::BitNot(Box::new(e)), info));
        }
        let e = match op {
            UnaryOp::Binary | UnaryOp::Plus if !hex => e,
            UnaryOp::Binary => e,
            _ => self.as_operand(expr, e),
        };
        // Its opposite is no BIGINT.
        if op == UnaryOp::Neg && matches!(e.node, Node::Const(Value::Int(i64::MIN))) {
            let opposite = Decimal::from_i128(-i128::from(i64::MIN), 0);
            return Ok(BExpr::constant(Value::Decimal(opposite)));
        }
        Ok(match op {
            UnaryOp::Plus => e,
            UnaryOp::Neg => {
                // Of a constant beyond the BIGINTs MySQL knows beforehand that its opposite is not one.
                let unsigned = matches!(e.info.ty, SqlType::Int { unsigned: true, .. });
                let e = if unsigned && e.is_statement_constant() { as_decimal(e) } else { e };
                let ty = match e.info.ty {
                    SqlType::Int { .. } | SqlType::Year | SqlType::Bit { .. } => {
                        let digits = e.info.ty.facts().number.map_or(20, |(digits, _)| digits);
                        SqlType::wide_int(digits + 1, false)
                    }
                    SqlType::Decimal { precision, scale, .. } => SqlType::decimal(precision, scale),
                    ty => arith::real(arith::places(&ty)),
                };
                let info = TypeInfo::new(ty, e.info.nullable);
                let long = is_long(&e);
                let e = BExpr::new(Node::Neg(Box::new(e)), info);
                if long { rounded(e) } else { e }
            }
            UnaryOp::BitNot => {
                let info = TypeInfo::new(SqlType::LONG_UINT, e.info.nullable);
                BExpr::new(Node::BitNot(Box::new(e)), info)
            }
            UnaryOp::Not | UnaryOp::Bang => not(e),
            UnaryOp::Binary => {
                // As of CAST: the bytes decide against a column, too.
                self.deprecated(Deprecated::BinaryOperator);
                let target = CastTarget::Binary { bytes: None };
                let mut info = self.null_if_malformed(target.result_type(&e.info));
                info.coercibility = coercibility::IMPLICIT;
                BExpr::new(Node::Cast(target, Box::new(e)), info)
            }
        })
    }

    pub fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Bind<BExpr> {
        if let Some(op) = cmp_op(op) {
            return self.comparison(op, left, right);
        }
        let (a, b) = (self.scalar(left)?, self.scalar(right)?);
        if let Some(sign) = computing_sign(op) {
            no_geometries([&a, &b], sign)?;
        }
        let hex = (self.is_hex(left), self.is_hex(right));
        if let Some(op) = bit_op(op)
            && works_on_bytes(op, (&a, hex.0), (&b, hex.1))
        {
            let b = if hex.1 && is_shift(op) { as_number(b) } else { b };
            let info = TypeInfo::new(a.info.ty, a.info.nullable || b.info.nullable);
            return Ok(BExpr::new(Node::Bits(op, Box::new(a), Box::new(b)), info));
        }
        let text = matches!(
            op,
            BinaryOp::Concat
                | BinaryOp::SoundsLike
                | BinaryOp::JsonExtract
                | BinaryOp::JsonExtractUnquote
        );
        let computes = arith_op(op).is_some();
        let number = |e: &Expr, b: BExpr| match () {
            () if text => b,
            () if computes && b.info.ty.is_list() => as_real(chosen_number(by_place(b))),
            () => self.as_operand(e, b),
        };
        let (a, b) = (number(left, a), number(right, b));
        if computes || bit_op(op).is_some() {
            self.note_numbers(&[&a, &b]);
        }
        if let Some(op) = arith_op(op) {
            return Ok(self.arithmetic(op, a, b));
        }
        if let Some(op) = bit_op(op) {
            let info = TypeInfo::new(SqlType::LONG_UINT, a.info.nullable || b.info.nullable);
            return Ok(BExpr::new(Node::Bits(op, Box::new(a), Box::new(b)), info));
        }
        Ok(match op {
            BinaryOp::And => both(a, b),
            BinaryOp::Or => either(a, b),
            BinaryOp::Xor => {
                let nullable = a.info.nullable || b.info.nullable;
                BExpr::boolean(Node::Xor(Box::new(a), Box::new(b)), nullable)
            }
            BinaryOp::Concat => self.func(names::CONCAT, vec![a, b])?,
            BinaryOp::SoundsLike => {
                let (a, b) =
                    (self.func(names::SOUNDEX, vec![a])?, self.func(names::SOUNDEX, vec![b])?);
                compare_exprs(CmpOp::Eq, a, b)?
            }
            BinaryOp::JsonExtract => self.func(names::JSON_EXTRACT, vec![a, b])?,
            BinaryOp::JsonExtractUnquote => {
                let part = self.func(names::JSON_EXTRACT, vec![a, b])?;
                self.func(names::JSON_UNQUOTE, vec![part])?
            }
            _ => return Err(SqlError::internal("an operator without a meaning")),
        })
    }

    /// Decimals are rounded to the digits of their type where nothing more is computed with them.
    fn arithmetic(&self, op: Op, a: BExpr, b: BExpr) -> BExpr {
        let settings = self.env.reads.settings;
        let mut info = arith::result_type(op, &a.info, &b.info, settings.div_increment);
        if op == Op::Sub && settings.mode.has(crate::value::SqlMode::NO_UNSIGNED_SUBTRACTION) {
            info.ty = info.ty.signed();
        }
        let op = match (op, info.ty) {
            (Op::Div, SqlType::Decimal { .. }) => Op::LongDiv,
            _ => op,
        };
        let long = op == Op::LongDiv || [&a, &b].into_iter().any(is_long);
        let e = BExpr::new(Node::Arith(op, Box::new(a), Box::new(b)), info);
        if long { rounded(e) } else { e }
    }

    /// `a op b`, rows taken apart.
    pub fn comparison(&mut self, op: CmpOp, left: &Expr, right: &Expr) -> Bind<BExpr> {
        let (a, b) = (self.expr(left)?, self.expr(right)?);
        if let Some(sign) = op.ordering_sign() {
            no_geometries([&a, &b], sign)?;
        }
        match (a.node, b.node) {
            (Node::Row(l), Node::Row(r)) => {
                let (l, r) = self.row_pairs((left, l), (right, r), true)?;
                compare_rows(op, l, r)
            }
            (Node::Row(l), _) | (_, Node::Row(l)) => Err(columns_expected(l.len())),
            (x, y) => {
                let (a, b) = (BExpr::new(x, a.info), BExpr::new(y, b.info));
                let (a, b) = self.operands((left, a), (right, b));
                Ok(near_where_fixed(compare_exprs(op, a, b)?))
            }
        }
    }

    /// The columns of two rows as each is beside its fellow; `alone`: not among others of a list.
    fn row_pairs(
        &mut self,
        left: (&Expr, Vec<BExpr>),
        right: (&Expr, Vec<BExpr>),
        alone: bool,
    ) -> Bind<(Vec<BExpr>, Vec<BExpr>)> {
        let ((x, l), (y, r)) = (left, right);
        if l.len() != r.len() {
            return Err(columns_expected(l.len()));
        }
        let (Expr::Row(x), Expr::Row(y)) = (x, y) else { return Ok((l, r)) };
        let pairs = x.iter().zip(l).zip(y.iter().zip(r));
        Ok(pairs
            .map(|(a, b)| match alone {
                true => self.row_operands(a, b),
                false => {
                    let ((x, a), (y, b)) = (a, b);
                    // A document on the left is compared with a number as what it is.
                    let (a, b) = match is_document(&a) && self.is_number(y, &b) {
                        true => (a, b),
                        false => self.documents_in_pair((x, a), (y, b)),
                    };
                    self.unfitted_pair((x, a), (y, b))
                }
            })
            .unzip())
    }

    pub fn in_list(&mut self, expr: &Expr, list: &[Expr], negated: bool) -> Bind<BExpr> {
        let left = self.expr(expr)?;
        let items = list.iter().map(|e| self.expr(e)).collect::<Bind<Vec<_>>>()?;
        if let Node::Row(l) = &left.node {
            if list.len() > 1 {
                let rows = items.iter().filter_map(|item| match &item.node {
                    Node::Row(r) => Some(r),
                    _ => None,
                });
                let place = "within a ROW in the IN operator";
                self.tell_json_compared(l.iter().chain(rows.flatten()), place);
            }
            let mut any = None;
            for (at, item) in list.iter().zip(items) {
                let Node::Row(r) = item.node else { return Err(columns_expected(l.len())) };
                let (l, r) = self.row_pairs((expr, l.clone()), (at, r), list.len() == 1)?;
                // One row is compared as by `=`; among several the collations are those of the left side.
                let r = if list.len() > 1 { in_lefts_collations(&l, r) } else { r };
                let equal = compare_rows(CmpOp::Eq, l, r)?;
                any = Some(match any {
                    None => equal,
                    Some(e) => either(e, equal),
                });
            }
            let any = any.ok_or_else(|| columns_expected(l.len()))?;
            return Ok(if negated { not(any) } else { any });
        }
        self.in_values((expr, left), (list, items), negated)
    }

    /// The same of single values.
    fn in_values(
        &mut self,
        (expr, left): (&Expr, BExpr),
        (list, items): (&[Expr], Vec<BExpr>),
        negated: bool,
    ) -> Bind<BExpr> {
        let written = std::iter::once(expr).chain(list);
        let bound = std::iter::once(left).chain(items);
        let sides = written.zip(bound).map(|(w, e)| self.with_text(w, e)).collect();
        // A list of one is an equation.
        let operation = if list.len() == 1 { "=" } else { " IN " };
        let mut items = all_in_one(operation, sides)?.into_iter();
        let left = items.next().ok_or_else(|| columns_expected(1))?;
        let items: Vec<BExpr> = items.map(whole_average).collect();
        // One document makes documents of all that it is compared with.
        let left = match whole_average(left) {
            left if list.len() > 1 && !is_document(&left) && items.iter().any(is_document) => {
                match as_json(Some(expr), left) {
                    left if is_document(&left) => left,
                    left => {
                        let info = TypeInfo::new(SqlType::Json, left.info.nullable);
                        adapted(Adapt::Json(JsonAs::Scalar), left, info)
                    }
                }
            }
            left => left,
        };
        let nullable = left.info.nullable || items.iter().any(|i| i.info.nullable);
        let mut pairs = Vec::with_capacity(items.len());
        // What is on the left may be another value for each item: a literal beside numbers, a truth value beside JSON.
        let mut changing = self.is_hex(expr);
        for (at, item) in list.iter().zip(items) {
            if matches!(item.node, Node::Row(_)) {
                return Err(columns_expected(1));
            }
            // A list of one is the operator `=`.
            let (l, item) = match list.len() {
                1 => self.operands((expr, left.clone()), (at, item)),
                _ => self.list_pair((expr, left.clone()), (at, item), true),
            };
            changing |= is_changed(&left, &l);
            pairs.push((l, item));
        }
        if changing {
            let mut any: Option<BExpr> = None;
            for (l, item) in pairs {
                let equal = compare_exprs(CmpOp::Eq, l, item)?;
                any = Some(match any {
                    None => equal,
                    Some(e) => either(e, equal),
                });
            }
            let any = any.ok_or_else(|| columns_expected(1))?;
            return Ok(if negated { not(any) } else { any });
        }
        let numbers = list.iter().zip(&pairs).any(|(w, (_, item))| self.is_number(w, item));
        let rule = |(w, (_, item)): (&Expr, (BExpr, BExpr))| {
            let doubles = numbers && self.are_decimal_and_text((expr, &left), (w, &item));
            let rule =
                if doubles { Some(CompareRule::Double) } else { rule_of(&left, &item, "=")? };
            Ok((rule, item))
        };
        let pairs = list.iter().zip(pairs).map(rule).collect::<Bind<Vec<_>>>()?;
        Ok(BExpr::boolean(
            Node::In { left: Box::new(left), list: pairs, negated, id: ListId::fresh() },
            nullable,
        ))
    }

    pub fn in_query(&mut self, expr: &Expr, query: &ast::Query, negated: bool) -> Bind<BExpr> {
        without_limit(query)?;
        let left = match self.expr(expr)? {
            BExpr { node: Node::Row(l), .. } => l,
            one => vec![one],
        };
        self.in_rows(left, query, negated)
    }

    pub fn in_rows(&mut self, left: Vec<BExpr>, query: &ast::Query, negated: bool) -> Bind<BExpr> {
        if left.iter().any(|e| matches!(e.node, Node::Row(_))) {
            return Err(columns_expected(1));
        }
        let sub = self.subquery(query, SubKind::Rows, None)?;
        let n = self.sub_columns(sub).len();
        if n != left.len() {
            return Err(columns_expected(left.len()));
        }
        self.places_of_lists(sub, &left);
        let columns = self.sub_columns(sub);
        let left = left.into_iter().zip(columns.iter());
        let left = left.map(|(e, c)| against(placed(e, c), c)).collect::<Bind<Vec<_>>>()?;
        Ok(BExpr::boolean(Node::InSub { left, sub, negated }, true))
    }

    pub fn quantified(
        &mut self,
        op: BinaryOp,
        left: &Expr,
        quantifier: ast::Quantifier,
        query: &ast::Query,
    ) -> Bind<BExpr> {
        without_limit(query)?;
        let Some(op) = cmp_op(op) else {
            return Err(SqlError::internal("a quantified operator compares"));
        };
        let left = self.expr(left)?;
        if let Node::Row(l) = left.node {
            // Of rows there are these two, which are IN and NOT IN.
            return match (op, quantifier) {
                (CmpOp::Eq, ast::Quantifier::Any) => self.in_rows(l, query, false),
                (CmpOp::Ne, ast::Quantifier::All) => self.in_rows(l, query, true),
                _ => Err(columns_expected(1)),
            };
        }
        match (op, quantifier) {
            (CmpOp::Eq, ast::Quantifier::Any) => return self.in_rows(vec![left], query, false),
            (CmpOp::Ne, ast::Quantifier::All) => return self.in_rows(vec![left], query, true),
            _ => {}
        }
        let sub = self.subquery(query, SubKind::Rows, None)?;
        self.places_of_lists(sub, std::slice::from_ref(&left));
        let columns = self.sub_columns(sub);
        let [column] = &columns[..] else { return Err(columns_expected(1)) };
        let left = against(placed(left, column), column)?;
        let all = quantifier == ast::Quantifier::All;
        Ok(BExpr::boolean(Node::Quantified { op, left: Box::new(left), sub, all }, true))
    }
}

/// The right side of a row in a list, where it has another collation with an equal claim.
fn in_lefts_collations(left: &[BExpr], right: Vec<BExpr>) -> Vec<BExpr> {
    let give = |(l, r): (&BExpr, BExpr)| match (l.info.ty.collation(), r.info.ty.collation()) {
        (Some(c), Some(d))
            if c.charset() == d.charset() && CompareRule::of(&l.info, &r.info, "in").is_err() =>
        {
            let mut r = collated(r, c);
            r.info.coercibility = l.info.coercibility;
            r
        }
        _ => r,
    };
    left.iter().zip(right).map(give).collect()
}

/// Whether what stands beside another value was made another expression for it.
fn is_changed(before: &BExpr, after: &BExpr) -> bool {
    match (&before.node, &after.node) {
        (Node::Const(a), Node::Const(b)) => a != b,
        // What IF() and CASE choose is a number there.
        (Node::Case { .. }, Node::Case { .. }) | (Node::Func(..), Node::Func(..)) => {
            before.info.ty != after.info.ty
        }
        (a, b) => std::mem::discriminant(a) != std::mem::discriminant(b),
    }
}

/// Parts of two rows, which may be rows.
fn compare_parts(op: CmpOp, a: BExpr, b: BExpr) -> Bind<BExpr> {
    match (a.node, b.node) {
        (Node::Row(l), Node::Row(r)) => compare_rows(op, l, r),
        (Node::Row(l), _) | (_, Node::Row(l)) => Err(columns_expected(l.len())),
        (x, y) => compare_exprs(op, BExpr::new(x, a.info), BExpr::new(y, b.info)),
    }
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
            let e = compare_parts(op, a.clone(), b.clone())?;
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
                let mut e = compare_parts(if last { op } else { strict }, a, b)?;
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
