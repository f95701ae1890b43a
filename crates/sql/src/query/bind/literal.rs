//! Literals: their values, and what they become beside the values they meet.
//!
//! A hexadecimal or bit literal is binary text among texts and an unsigned integer among numbers. A number or text
//! compared with a YEAR is one, so that 24 is 2024. Literals that were taken out of a statement's text come here as
//! parameters whose class is known; the parameters of prepared statements are values, never literals.

use super::digits::{as_moment, unrounded};
use super::{Bind, Binder};
use crate::ddl::refused::value_error;
use crate::errno;
use crate::func::FuncDef;
use crate::func::facts::Id;
use crate::func::{self, clock};
use crate::query::expr::adapt::{Adapt, JsonAs};
use crate::query::expr::{BExpr, Node};
use crate::query::plan::deprecated::Deprecated;
use crate::session_api::SqlError;
use crate::value::cast::CastTarget;
use crate::value::sent::{introduced, sent_text};
use crate::value::temporal::parse::{self, FoundDateTime, Reading};
use crate::value::types::protocol::column_type;
use crate::value::types::{NOT_FIXED, coercibility};
use crate::value::{
    Charset, Class, Collation, Decimal, LobKind, SqlMode, SqlType, TypeInfo, Value, ValueError,
    Warnings, literal_text,
};
use weir_syntax::ast::{Expr, Literal};
use weir_syntax::parse::LiteralClass;

impl Binder<'_> {
    pub fn literal(&mut self, l: &Literal) -> Bind<BExpr> {
        let v = match l {
            Literal::Null => Value::Null,
            Literal::Bool(b) => Value::bool(*b),
            Literal::Int(v) => i64::try_from(*v).map_or(Value::UInt(*v), Value::Int),
            Literal::Decimal(text) => Value::Decimal(self.decimal(text)),
            Literal::Float(v, _) => Value::Double(*v),
            Literal::Str { bytes, charset: None, national: true } => {
                self.deprecated(Deprecated::National);
                let collation = self.env.reads.vars.default_of(Charset::Utf8mb3);
                introduced(bytes, collation).map_err(value_error)?
            }
            Literal::Str { bytes, charset, .. } => match charset {
                Some(cs) => self.introduced(cs, bytes)?,
                None => literal_text(bytes, self.connection()),
            },
            Literal::Sent { bytes, charset } => sent_text(bytes, charset, self.connection()),
            Literal::Hex { bytes, charset } | Literal::Bit { bytes, charset } => match charset {
                Some(cs) => self.introduced(cs, bytes)?,
                None => Value::Bytes(bytes.to_vec().into()),
            },
            Literal::Date(t) => match self.written_moment(t) {
                Some(f) if !f.truncated && f.date_only => Value::Date(f.value.date),
                _ => return Err(bad_temporal("DATE", t)),
            },
            Literal::Timestamp(t) => match self.written_moment(t) {
                Some(f) if f.truncated || f.date_only => return Err(bad_temporal("DATETIME", t)),
                // It is a point in time, whose reading depends on the session's zone, and the plan does not.
                Some(f) if f.offset.is_some() => {
                    let text = literal_text(t.as_bytes(), self.connection());
                    let target = CastTarget::DateTime { fsp: f.value.fsp };
                    let text = BExpr::constant(text);
                    let info = target.result_type(&text.info);
                    return Ok(BExpr::new(Node::Cast(target, Box::new(text)), info));
                }
                Some(f) => Value::DateTime(f.value),
                _ => return Err(bad_temporal("DATETIME", t)),
            },
            Literal::Time(t) => match parse::time(t.as_bytes()) {
                Some(f) if parse::is_time(t.as_bytes()) => Value::Time(f.value),
                _ => return Err(bad_temporal("TIME", t)),
            },
        };
        let mut e = BExpr::constant(v);
        match l {
            Literal::Int(v) => e.info.ty = literal_type(*v),
            // Without a digit before the point it has none there.
            Literal::Decimal(text) if text.starts_with('.') => {
                e.info.ty = e.info.ty.bare_fraction()
            }
            // As long as it is written.
            Literal::Float(_, text) => e.info.ty = SqlType::wide_double(text.len().min(23) as u8),
            _ => {}
        }
        if let Literal::Bool(_) = l {
            e.info.ty = SqlType::BOOL;
        }
        Ok(e)
    }

    /// The largest number where there are more digits than any has, with MySQL's warning.
    fn decimal(&mut self, text: &str) -> Decimal {
        Decimal::of_literal(text).unwrap_or_else(|digits| {
            let said = ValueError::truncated_wrong("DECIMAL", digits);
            self.deprecated(Deprecated::Said(said.errno, said.message.into()));
            Decimal::LARGEST
        })
    }

    /// `{d '...'}` and its like are texts where a plain literal would be refused.
    pub fn odbc(&mut self, e: &Expr) -> Bind<BExpr> {
        match (self.expr(e), e.moment_text()) {
            (Err(error), Some(text)) if error.errno == errno::ER_WRONG_VALUE => {
                let text = literal_text(text.as_bytes(), self.connection());
                Ok(BExpr::constant(text))
            }
            (bound, _) => bound,
        }
    }

    /// The text of a literal of dates, if the SQL mode takes the day that it names.
    fn written_moment(&self, text: &str) -> Option<FoundDateTime> {
        let mode = self.env.reads.settings.mode;
        let found = parse::datetime_as(text.as_bytes(), Reading::of(mode))?;
        let day = found.value.date;
        let refused = match day.is_zero() {
            true => mode.has(SqlMode::NO_ZERO_DATE),
            false => day.has_zero_part() && mode.has(SqlMode::NO_ZERO_IN_DATE),
        };
        (!refused).then_some(found)
    }

    /// A literal behind the name of its character set; 1300 where it is not well formed there.
    fn introduced(&mut self, charset: &str, bytes: &[u8]) -> Bind<Value<'static>> {
        let collation = self.charset_collation(charset)?;
        introduced(bytes, collation).map_err(value_error)
    }

    pub fn class(&self, e: &Expr) -> Option<LiteralClass> {
        match e {
            Expr::Param(n) => self.env.literals.get(*n as usize).map(|l| l.class),
            _ => None,
        }
    }

    /// A hexadecimal or bit literal without a character set.
    pub fn is_hex(&self, e: &Expr) -> bool {
        match e {
            Expr::Literal(Literal::Hex { charset, .. } | Literal::Bit { charset, .. }) => {
                charset.is_none()
            }
            _ => matches!(self.class(e), Some(LiteralClass::Hex | LiteralClass::Bit)),
        }
    }

    /// A text that was taken out of the statement's text.
    pub fn is_text(&self, e: &Expr) -> bool {
        self.class(e) == Some(LiteralClass::Str)
    }

    pub fn is_number(&self, e: &Expr, b: &BExpr) -> bool {
        use LiteralClass::{Decimal, Float, Int};
        b.info.ty.is_numeric() || matches!(self.class(e), Some(Int | Decimal | Float))
    }

    /// Whether one is a decimal and the other a text. CASE, and a list that has numbers, too, compare them as doubles, also where the text is a constant.
    pub fn are_decimal_and_text(&self, a: (&Expr, &BExpr), b: (&Expr, &BExpr)) -> bool {
        let decimal = |(_, e): (&Expr, &BExpr)| e.info.ty.class() == Class::Decimal;
        let text = |(w, e): (&Expr, &BExpr)| e.info.ty.class() == Class::Text || self.is_text(w);
        decimal(a) && text(b) || decimal(b) && text(a)
    }

    /// An expression of one value whose place is a number's, or a condition's.
    pub fn numeric(&mut self, e: &Expr) -> Bind<BExpr> {
        let b = self.scalar(e)?;
        Ok(self.as_operand(e, b))
    }

    /// What is bound, as what is computed with.
    pub fn as_operand(&self, e: &Expr, b: BExpr) -> BExpr {
        match self.is_hex(e) {
            true => as_number(b),
            false => {
                let b = by_place(self.with_numbers_chosen(e, b));
                chosen_number(extreme_number(as_moment(unrounded(b))))
            }
        }
    }

    /// IF(), NULLIF() and CASE ask what they take for a number where a number is wanted, so that a hexadecimal literal there is one.
    /// COALESCE() and IFNULL() make a text of it first.
    fn with_numbers_chosen(&self, e: &Expr, mut b: BExpr) -> BExpr {
        let number = |written: &Expr, b: &mut BExpr| {
            let branch = std::mem::replace(b, BExpr::constant(Value::Null));
            *b = match self.is_hex(written) {
                true => as_number(branch),
                false => self.with_numbers_chosen(written, branch),
            };
        };
        match (e, &mut b.node) {
            (Expr::Call(c), Node::Func(def, args)) => {
                let taken = match def.id {
                    Id::If => 1..args.len(),
                    Id::Nullif => 0..1,
                    _ => return b,
                };
                let pairs = c.args.iter().zip(args);
                pairs.skip(taken.start).take(taken.len()).for_each(|(e, b)| number(e, b));
            }
            (Expr::Case { whens: written, else_: last, .. }, Node::Case { whens, otherwise }) => {
                written.iter().zip(whens).for_each(|((_, e), (_, b))| number(e, b));
                if let (Some(e), Some(b)) = (last, otherwise) {
                    number(e, b);
                }
            }
            _ => {}
        }
        b
    }

    /// An expression whose value goes to a column.
    pub fn stored(&mut self, e: &Expr, column: &SqlType) -> Bind<BExpr> {
        let b = self.scalar(e)?;
        Ok(match column.is_numeric() {
            true if self.is_hex(e) => as_number(b),
            // A column's; what a function makes of it is a text.
            true if matches!(b.node, Node::Col(_)) => by_place(b),
            true => self.with_numbers_chosen(e, b),
            false if column.is_string() && b.info.ty == SqlType::Year => number_as_text(b),
            // A TEXT or BLOB takes what a column shows.
            false if matches!((column, &b.node), (SqlType::Text { .. }, Node::Col(_))) => {
                number_as_text(as_bytes(b))
            }
            false => b,
        })
    }

    /// What `b` becomes when it is compared with `other`; none: it stays.
    fn beside(&self, e: &Expr, b: &BExpr, other: &Expr, o: &BExpr) -> Option<BExpr> {
        if self.is_hex(e) {
            return (self.is_number(other, o)).then(|| as_number(b.clone()));
        }
        if b.info.ty.is_list() && self.is_number(other, o) {
            return Some(by_place(b.clone()));
        }
        let dated = |e: &BExpr| matches!(e.info.ty.class(), Class::Date | Class::DateTime);
        let by_year = matches!(b.node, Node::Col(_)) && o.is_statement_constant();
        if b.info.ty == SqlType::Year && dated(o) && !by_year {
            let info = CastTarget::Date.result_type(&b.info);
            return Some(adapted(Adapt::YearAsDate, b.clone(), info));
        }
        None
    }

    /// Each of two sides as a column on the other would keep it.
    fn fitted_both(&self, a: &BExpr, b: &BExpr) -> (Option<BExpr>, Option<BExpr>) {
        let cuts = Reading::of(self.env.reads.settings.mode).cuts;
        (fitted(a, b, false, cuts), fitted(b, a, false, cuts))
    }

    /// The sides of an operator as each is beside the other.
    pub fn operands(&mut self, left: (&Expr, BExpr), right: (&Expr, BExpr)) -> (BExpr, BExpr) {
        self.constant_beside((left.0, &left.1), &right.1);
        self.constant_beside((right.0, &right.1), &left.1);
        let (c, d) = self.fitted_both(&left.1, &right.1);
        let (a, b) = (c.unwrap_or(left.1), d.unwrap_or(right.1));
        self.met((left.0, a), (right.0, b), true)
    }

    /// The same of two columns of rows.
    pub fn row_operands(&mut self, left: (&Expr, BExpr), right: (&Expr, BExpr)) -> (BExpr, BExpr) {
        self.constant_beside((left.0, &left.1), &right.1);
        self.constant_beside((right.0, &right.1), &left.1);
        self.met(left, right, true)
    }

    /// The sides of a comparison as each is beside the other.
    pub fn pair(&mut self, left: (&Expr, BExpr), right: (&Expr, BExpr)) -> (BExpr, BExpr) {
        let (c, d) = self.fitted_both(&left.1, &right.1);
        let (a, b) = (c.unwrap_or(left.1), d.unwrap_or(right.1));
        self.unfitted_pair((left.0, a), (right.0, b))
    }

    /// The same for CASE and for lists, where any text beside a time is read as one; `fits`: a constant beside a column becomes one of
    /// its values, with all digits of a second.
    pub fn list_pair(
        &mut self,
        left: (&Expr, BExpr),
        right: (&Expr, BExpr),
        fits: bool,
    ) -> (BExpr, BExpr) {
        let cuts = Reading::of(self.env.reads.settings.mode).cuts;
        let timed = |e: BExpr, other: Class| match other {
            Class::Time if e.info.ty.is_string() => {
                let ty = SqlType::Time { fsp: 6 };
                let nullable = e.info.nullable;
                adapted(Adapt::Fitted(ty, cuts), e, TypeInfo::new(ty, nullable))
            }
            _ => e,
        };
        let classes = (left.1.info.ty.class(), right.1.info.ty.class());
        let (a, b) = (timed(left.1, classes.1), timed(right.1, classes.0));
        // A number beside a YEAR is no short year here, as it is for an operator.
        let fit = |e: &BExpr, column: &BExpr| match fits && column.info.ty != SqlType::Year {
            true => fitted(e, column, true, cuts),
            false => None,
        };
        let (c, d) = (fit(&a, &b), fit(&b, &a));
        self.met((left.0, c.unwrap_or(a)), (right.0, d.unwrap_or(b)), fits)
    }

    /// The same where a constant beside a column of dates, times or years stays what it is: in rows, and in BETWEEN of anything but a
    /// column.
    pub fn unfitted_pair(&mut self, left: (&Expr, BExpr), right: (&Expr, BExpr)) -> (BExpr, BExpr) {
        self.met(left, right, false)
    }

    /// The same; `alike`: by an operator or in a list, where a parameter that is compared with a DATE is a DATE. Elsewhere it is a DATETIME.
    fn met(&mut self, left: (&Expr, BExpr), right: (&Expr, BExpr), alike: bool) -> (BExpr, BExpr) {
        let ((x, a), (y, b)) = (left, right);
        let (c, d) = (self.beside(x, &a, y, &b), self.beside(y, &b, x, &a));
        let (a, b) = (c.unwrap_or(a), d.unwrap_or(b));
        let (a, b) = self.sent_pair(a, b, alike);
        match (a.info.ty, b.info.ty) {
            (SqlType::Json, _) => (a, as_json(Some(y), b)),
            (_, SqlType::Json) => (as_json(Some(x), a), b),
            // Beside a number what is chosen is compared as the number that it is, as it is computed with.
            _ if self.is_number(y, &b) => (chosen_number(a), b),
            _ if self.is_number(x, &a) => (a, chosen_number(b)),
            _ => (a, b),
        }
    }
}

/// 1210: a geometry is nothing to compute with.
pub fn no_geometries<'e>(
    args: impl IntoIterator<Item = &'e BExpr>,
    what: &str,
) -> Result<(), SqlError> {
    match args.into_iter().any(|a| a.info.ty.is_geometry()) {
        true => Err(value_error(ValueError::wrong_arguments(what))),
        false => Ok(()),
    }
}

/// The type of an integer literal: its digits, with room for a sign where its opposite is one of the same type.
fn literal_type(v: u64) -> SqlType {
    let digits = v.checked_ilog10().unwrap_or(0) as u8 + 1;
    let unsigned = i64::try_from(v).is_err();
    SqlType::wide_int(digits + u8::from(!unsigned), unsigned)
}

pub fn adapted(how: Adapt, e: BExpr, info: TypeInfo) -> BExpr {
    // A value that is known and says nothing by being adapted is adapted now.
    if let Node::Const(v) = &e.node {
        let mut warnings = Warnings::default();
        let v = how.apply(v.borrow(), &mut warnings).map(Value::into_owned);
        if let Ok(v) = v
            && warnings.total() == 0
        {
            return BExpr { info: TypeInfo { ty: info.ty, ..info }, node: Node::Const(v) };
        }
    }
    BExpr::new(Node::Adapted(how, Box::new(e)), info)
}

fn reads_clock(e: &BExpr) -> bool {
    let dated = |f: &FuncDef| f.clock.is_some_and(|gives| gives != clock::Gives::Time);
    let mut found = false;
    e.walk(&mut |e| found |= matches!(&e.node, Node::Func(f, _) if dated(f)));
    found
}

/// A constant beside a column of dates or times, as one of them, rounded as the column would unless it is `exact`. A text beside a date is
/// read as one by the comparison itself.
fn fitted(e: &BExpr, column: &BExpr, exact: bool, cuts: bool) -> Option<BExpr> {
    if !matches!(column.node, Node::Col(_)) || e.info.ty == SqlType::Year {
        return None;
    }
    let dated = matches!(e.info.ty.class(), Class::Date | Class::DateTime);
    let fixed = e.is_statement_constant();
    if column.info.ty == SqlType::Year && fixed && !matches!(e.node, Node::SysVar(..)) {
        let ty = match e.info.ty.class() {
            _ if dated => SqlType::Year,
            Class::Decimal | Class::Real => SqlType::BIGINT,
            _ => e.info.ty,
        };
        let info = TypeInfo { ty, ..e.info };
        return Some(adapted(Adapt::Year, e.clone(), info));
    }
    if !fixed && !matches!(e.node, Node::UserVar(_)) {
        return None;
    }
    let number = matches!(e.info.ty.class(), Class::Int | Class::Decimal | Class::Real);
    let some = number || e.is_untyped() && !matches!(e.node, Node::Const(_));
    let fits = match column.info.ty.class() {
        // What is counted from the moment stays a date: only constants of the text are times before anything is compared.
        Class::Time => some || dated && !reads_clock(e) || e.info.ty.is_string(),
        Class::Date | Class::DateTime => some,
        _ => false,
    };
    let ty = match exact {
        true => column.info.ty.with_all_digits(),
        false => column.info.ty,
    };
    let e = fits.then(|| adapted(Adapt::Fitted(ty, cuts), e.clone(), TypeInfo::new(ty, true)))?;
    // What is known to be none keeps its own type.
    match &e.node {
        Node::Const(v) if !v.is_temporal() => None,
        _ => Some(e),
    }
}

/// The bytes of a hexadecimal or bit literal as an unsigned integer.
pub fn as_number(e: BExpr) -> BExpr {
    adapted(Adapt::Number, e, TypeInfo::new(SqlType::UBIGINT, false))
}

/// An ENUM or SET as the number that it is stored as, which is what it is where a number is wanted, and what it is sorted by.
pub fn by_place(e: BExpr) -> BExpr {
    // Of these MySQL takes the text, whatever it is of.
    let text = match &e.node {
        Node::Case { .. } => true,
        // Neither is what was put aside of several rows, or of another query.
        Node::Agg(_)
        | Node::OuterAgg { .. }
        | Node::Window(_)
        | Node::Sub(_)
        | Node::SubColumn { .. } => true,
        Node::Func(def, _) => matches!(def.id, Id::AnyValue | Id::Coalesce | Id::Ifnull),
        _ => false,
    };
    if text || !e.info.ty.is_list() {
        return e;
    }
    let info = TypeInfo::new(SqlType::UBIGINT, e.info.nullable);
    adapted(Adapt::Place(e.info.ty), e, info)
}

/// LEAST() and GREATEST() of a date or time and others, which is a text: where a number is wanted MySQL compares dates, or, where
/// there are times only, numbers.
fn extreme_number(e: BExpr) -> BExpr {
    let Node::Func(def, args) = &e.node else { return e };
    let dated = |a: &BExpr| matches!(a.info.ty.class(), Class::Date | Class::DateTime);
    let temporal = |a: &BExpr| dated(a) || a.info.ty.class() == Class::Time;
    if !e.info.ty.is_string() || !args.iter().any(temporal) {
        return e;
    }
    let dated = args.iter().any(dated);
    let Some(def) = func::numeric::extreme_of_numbers(def.id, dated) else { return e };
    let args = args.clone();
    BExpr::new(Node::Func(def, args), TypeInfo::new(SqlType::DOUBLE, true))
}

/// IF() and CASE of a date, a time, an ENUM or a SET and others, which is a text: where a number is wanted MySQL takes the number of the one
/// that is chosen.
pub fn chosen_number(mut e: BExpr) -> BExpr {
    if !e.info.ty.is_string() && !e.info.ty.is_list() {
        return e;
    }
    let numbered = |b: &BExpr| b.info.ty.is_temporal() || b.info.ty.is_list() || is_bits(b);
    let mut branches: Vec<&mut BExpr> = match &mut e.node {
        Node::Func(def, args) if matches!(def.id, Id::If | Id::Elt) => {
            args.iter_mut().skip(1).collect()
        }
        Node::Case { whens, otherwise } => {
            whens.iter_mut().map(|(_, v)| v).chain(otherwise.as_deref_mut()).collect()
        }
        _ => return e,
    };
    if branches.iter().any(|b| numbered(b)) {
        for b in &mut branches {
            let branch = std::mem::replace(*b, BExpr::constant(Value::Null));
            **b = chosen_number(by_place(unless_bits(branch)));
        }
        e.info.ty = SqlType::DOUBLE;
    }
    e
}

/// One of several values, whose text is asked for where a text is.
pub fn is_chosen(e: &BExpr) -> bool {
    match &e.node {
        Node::Func(def, _) => matches!(def.id, Id::If | Id::Elt),
        Node::Case { .. } => true,
        _ => false,
    }
}

/// A BIT as its bytes.
fn is_bits(e: &BExpr) -> bool {
    matches!(e.node, Node::Adapted(Adapt::Bits(_), _))
}

/// A BIT that stands for its bytes, as the number that it is.
fn unless_bits(e: BExpr) -> BExpr {
    match e.node {
        Node::Adapted(Adapt::Bits(_), number) => *number,
        _ => e,
    }
}

/// A BIT as its bytes, which is what it is where a text is wanted.
pub fn as_bytes(e: BExpr) -> BExpr {
    let SqlType::Bit { bits } = e.info.ty else { return e };
    let info = TypeInfo::new(SqlType::varbinary(u32::from(bits.div_ceil(8))), e.info.nullable);
    adapted(Adapt::Bits(bits), e, info)
}

/// What stands in a document, or beside one, as JSON where its type says more than the value: truth values, binary texts, BIT
/// and TIMESTAMP. `expr` is what was written.
pub fn as_json(expr: Option<&Expr>, e: BExpr) -> BExpr {
    let truth =
        matches!(expr, Some(Expr::Literal(Literal::Bool(_)) | Expr::Exists(_))) || is_predicate(&e);
    let how = match e.info.ty {
        _ if truth => JsonAs::Bool,
        SqlType::Timestamp { .. } => JsonAs::Stamp,
        SqlType::Bit { bits } => JsonAs::Bits(bits),
        SqlType::Geometry { .. } => JsonAs::Geo,
        ty if ty.is_list() => JsonAs::Name,
        SqlType::Char { collation, .. } if collation.is_binary() => {
            JsonAs::Opaque(column_type::STRING)
        }
        SqlType::Text { kind, collation } if collation.is_binary() => JsonAs::Opaque(match kind {
            LobKind::Tiny => 249,
            LobKind::Medium => 250,
            LobKind::Long => 251,
            LobKind::Normal => column_type::BLOB,
        }),
        _ => return e,
    };
    let info = TypeInfo::new(SqlType::Json, e.info.nullable);
    adapted(Adapt::Json(how), e, info)
}

fn is_predicate(e: &BExpr) -> bool {
    match &e.node {
        Node::And(_)
        | Node::Or(_)
        | Node::Not(_)
        | Node::Xor(..)
        | Node::Cmp { .. }
        | Node::In { .. }
        | Node::InSub { .. }
        | Node::Quantified { .. }
        | Node::Is { .. } => true,
        // One that gives one of its arguments gives a number, and so do others whose values are 0 and 1.
        Node::Func(def, _) => {
            let chooses = def.branches.is_some()
                || matches!(def.id, Id::Least | Id::Greatest | Id::Nullif | Id::IsFreeLock);
            def.truth || (e.info.ty == SqlType::BOOL && !chooses)
        }
        _ => false,
    }
}

/// A number whose type says more of its text than its value, where text is wanted: FLOAT, ZEROFILL, and reals with so many digits. It
/// stays a number for the types of what it stands in.
pub fn number_as_text(e: BExpr) -> BExpr {
    let info = e.info;
    let facts = info.ty.facts();
    let single = facts.name == "float";
    let fixed = facts.name == "double" && facts.decimals != NOT_FIXED;
    // These have the digits of their type, whatever they were made of.
    let padded = match &e.node {
        Node::Func(def, _) => {
            info.ty.class() == Class::Decimal
                && matches!(def.id, Id::Round | Id::Truncate | Id::Least | Id::Greatest)
        }
        _ => false,
    };
    if single || padded || fixed || info.ty.is_zerofill() || info.ty == SqlType::Year {
        adapted(Adapt::Shown(info.ty), e, info)
    } else {
        e
    }
}

/// JSON where text is wanted.
pub fn json_as_text(e: BExpr) -> BExpr {
    if e.info.ty != SqlType::Json {
        return e;
    }
    let target = CastTarget::Char { chars: None, collation: Collation::Utf8mb4Bin };
    let (nullable, coercibility) = (e.info.nullable, coercibility::IMPLICIT);
    let info = TypeInfo { nullable, coercibility, ..func::json::text(&[]) };
    BExpr::new(Node::Cast(target, Box::new(e)), info)
}

fn bad_temporal(kind: &str, text: &str) -> SqlError {
    SqlError::of(errno::ER_WRONG_VALUE, &[&kind, &text])
}
