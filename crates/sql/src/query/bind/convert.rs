//! CAST, CONVERT, COLLATE, and date arithmetic.

use super::{Bind, Binder};
use crate::ddl::refused::value_error;
use crate::errno;
use crate::func::names;
use crate::func::temporal;
use crate::query::expr::collations::{collated, of_connection};
use crate::query::expr::{BExpr, Node};
use crate::query::plan::deprecated::Deprecated;
use crate::query::plan::param_kind::ParamKind;
use crate::session_api::SqlError;
use crate::value::cast::CastTarget;
use crate::value::geo::GeoKind;
use crate::value::temporal::interval::Unit;
use crate::value::types::coercibility;
use crate::value::{Charset, Collation, TypeInfo, Value, ValueError};
use weir_syntax::ast::{self, Expr};

/// What was cast to a text claims its collation against literals, as a column does in MySQL, whether or not the character set was
/// named.
pub fn claimed(to: &ast::CastType, mut info: TypeInfo) -> TypeInfo {
    if matches!(to, ast::CastType::Char { .. } | ast::CastType::Binary(_)) {
        info.coercibility = coercibility::IMPLICIT;
    }
    info
}

impl Binder<'_> {
    /// What WEIGHT_STRING(... AS CHAR(n)) and AS BINARY(n) weigh: n characters, filled up with spaces where the collation has them, or n bytes
    /// with zeros. 1064 for none.
    pub fn weighed(&mut self, e: BExpr, to: Option<&ast::CastType>) -> Bind<BExpr> {
        match to {
            None => Ok(e),
            Some(ast::CastType::Char { length: Some(0), .. } | ast::CastType::Binary(Some(0))) => {
                Err(SqlError::parse("0", 1))
            }
            Some(ast::CastType::Char { length: Some(n), .. }) => {
                let n = BExpr::constant(Value::Int(i64::try_from(*n).unwrap_or(i64::MAX)));
                let own = e.info.ty.collation().unwrap_or(self.env.reads.settings.collation);
                // Where spaces are characters as others are, none are added.
                if !own.pad_space() {
                    return self.func(names::LEFT, vec![e, n]);
                }
                let (space, _) = Charset::Utf8mb4.convert(b" ", own.charset());
                let space = Value::text(space, own);
                self.func(names::RPAD, vec![e, n, BExpr::constant(space)])
            }
            Some(to @ ast::CastType::Binary(Some(_))) => {
                let target = self.cast_target(to)?;
                let info = target.result_type(&e.info);
                Ok(BExpr::new(Node::Cast(target, Box::new(e)), info))
            }
            // MySQL's grammar has nothing else.
            Some(_) => Err(SqlError::parse("", 1)),
        }
    }

    pub fn cast_target(&mut self, to: &ast::CastType) -> Bind<CastTarget> {
        use ast::CastType as T;
        let fsp = |n: &Option<u64>| match n.unwrap_or(0) {
            n @ 0..=6 => Ok(n as u8),
            n => Err(SqlError::of(errno::ER_TOO_BIG_PRECISION, &[&n, &"CAST", &"6"])),
        };
        let length = |n: &Option<u64>| match n.map(u32::try_from).transpose() {
            Ok(n) => Ok(n),
            Err(_) => {
                Err(SqlError::of(errno::ER_TOO_BIG_DISPLAYWIDTH, &[&"cast as char", &"4294967295"]))
            }
        };
        Ok(match to {
            T::Binary(n) => CastTarget::Binary { bytes: length(n)? },
            T::Char { length: n, charset, binary, national } => {
                let collation = self.cast_collation(charset.as_deref(), *binary, *national)?;
                // Of the set of bytes it is BINARY, zeros behind what is shorter included.
                match collation.is_binary() {
                    true => CastTarget::Binary { bytes: length(n)? },
                    false => CastTarget::Char { chars: length(n)?, collation },
                }
            }
            T::Signed => CastTarget::Signed,
            T::Unsigned => CastTarget::Unsigned,
            T::Date => CastTarget::Date,
            T::Year => CastTarget::Year,
            T::Time(n) => CastTarget::Time { fsp: fsp(n)? },
            T::Datetime(n) => CastTarget::DateTime { fsp: fsp(n)? },
            T::DatetimeAt { zone, interval, digits } => {
                // The only zone there is, by its name or its distance from itself.
                match (&**zone, interval) {
                    ("+00:00", _) | ("UTC", false) => CastTarget::Utc { fsp: fsp(digits)? },
                    _ => return Err(value_error(ValueError::unknown_time_zone(zone))),
                }
            }
            T::Decimal { precision, scale } => {
                let (p, s) = (precision.unwrap_or(10), scale.unwrap_or(0));
                if p > 65 || s > 30 || s > p {
                    return Err(SqlError::of(errno::ER_TOO_BIG_PRECISION, &[&p, &"CAST", &"65"]));
                }
                CastTarget::Decimal { precision: if p == 0 { 10 } else { p as u8 }, scale: s as u8 }
            }
            T::Float(Some(n)) if *n > 53 => {
                return Err(SqlError::of(errno::ER_TOO_BIG_PRECISION, &[&n, &"CAST", &"53"]));
            }
            T::Float(n) if n.is_some_and(|n| n > 24) => CastTarget::Double,
            T::Float(_) => CastTarget::Float,
            T::Double | T::Real => CastTarget::Double,
            T::Json => CastTarget::Json,
            ast::CastType::Geometry(name) => {
                let named = |k: &GeoKind| {
                    name.eq_ignore_ascii_case(k.type_name()) || name.eq_ignore_ascii_case(k.word())
                };
                let kind = GeoKind::ALL.into_iter().find(named);
                CastTarget::Geometry(kind.ok_or_else(|| SqlError::internal("no kind of geometry"))?)
            }
        })
    }

    fn cast_collation(
        &mut self,
        charset: Option<&str>,
        binary: bool,
        national: bool,
    ) -> Bind<Collation> {
        let collation = match charset {
            Some(cs) => self.charset_collation(cs)?,
            None if national => {
                self.deprecated(Deprecated::National);
                self.env.reads.vars.default_of(Charset::Utf8mb3)
            }
            None => self.connection(),
        };
        Ok(if binary { Collation::bin_of(collation.charset()) } else { collation })
    }

    /// What AT TIME ZONE takes: a TIMESTAMP, of a column or written as one, for of nothing else a zone is known. 3998.
    pub fn point_in_time(&mut self, expr: &Expr) -> Bind<BExpr> {
        let e = self.scalar(expr)?;
        let written = matches!(expr, Expr::Literal(ast::Literal::Timestamp(_)));
        let null = matches!(expr, Expr::Literal(ast::Literal::Null));
        if !written && !null && !e.info.ty.is_point_in_time() {
            return Err(SqlError::of(errno::ER_INVALID_CAST, &[&"TIMESTAMP WITH TIME ZONE"]));
        }
        Ok(e)
    }

    pub fn charset_collation(&mut self, name: &str) -> Bind<Collation> {
        match Charset::by_name(name) {
            Some(cs) => {
                if let Some(old) = Deprecated::of_charset(cs, name) {
                    self.deprecated(old);
                }
                Ok(self.env.reads.vars.default_of(cs))
            }
            None => Err(SqlError::of(errno::ER_UNKNOWN_CHARACTER_SET, &[&name])),
        }
    }

    pub fn collate(&mut self, expr: &Expr, name: &str) -> Bind<BExpr> {
        let e = self.scalar(expr)?;
        let Some(c) = Collation::by_name(name) else {
            return Err(SqlError::of(errno::ER_UNKNOWN_COLLATION, &[&name]));
        };
        if matches!(expr, Expr::Literal(ast::Literal::Null)) && !c.is_binary() {
            return Err(SqlError::of(
                errno::ER_COLLATION_CHARSET_MISMATCH,
                &[&c.name(), &"binary"],
            ));
        }
        // A BIT is bytes here.
        if let Some(own) = super::literal::as_bytes(e.clone()).info.ty.collation()
            && own.charset() != c.charset()
        {
            if self.is_of_dictionary(&e) && c.charset() == Charset::Utf8mb3 {
                let target = CastTarget::Char { chars: None, collation: c };
                let info = target.result_type(&e.info);
                let mut e = BExpr::new(Node::Cast(target, Box::new(e)), info);
                e.info.coercibility = coercibility::EXPLICIT;
                return Ok(e);
            }
            return Err(SqlError::of(
                errno::ER_COLLATION_CHARSET_MISMATCH,
                &[&c.name(), &own.charset().name()],
            ));
        }
        let mut e = collated(e, c);
        e.info.coercibility = coercibility::EXPLICIT;
        e.info = self.null_if_malformed(e.info);
        Ok(e)
    }

    /// A column of information_schema, whose texts are UTF8MB3 in MySQL: statements name collations of that set for them.
    fn is_of_dictionary(&self, e: &BExpr) -> bool {
        let Node::Col(c) = &e.node else { return false };
        let level = self.stack.len().checked_sub(1 + usize::from(c.depth));
        let table = level.and_then(|l| self.stack[l].scope.tables.get(usize::from(c.table)));
        table.is_some_and(|t| t.schema.eq_ignore_ascii_case("information_schema"))
    }

    /// A function that makes a text answers NULL in strict mode where the text is not well formed.
    pub fn null_if_malformed(&self, mut info: TypeInfo) -> TypeInfo {
        let text = info.ty.is_string() && !info.ty.is_geometry();
        info.nullable |= text && self.env.reads.settings.mode.strict();
        info
    }

    /// What is made of these, of which a text may be none.
    pub fn made_of(&self, of: &[TypeInfo], info: TypeInfo) -> TypeInfo {
        if of.iter().any(|i| i.ty.is_string()) { info } else { self.in_connections_set(info) }
    }

    pub fn date_add(&mut self, date: BExpr, amount: BExpr, unit: Unit, subtract: bool) -> BExpr {
        let amount = match unit {
            Unit::Second => self.settle(amount),
            // Several numbers are read of a text, which a BIT is the bytes of.
            _ if unit.is_compound() => super::literal::as_bytes(amount),
            _ => amount,
        };
        self.note_kind(&date, ParamKind::Moment { timed: !unit.is_date_unit() });
        let info = temporal::date_add_type(&date.info, &amount.info, unit);
        let info = self.in_connections_set(info);
        let date = super::digits::chosen_moment(date);
        let node = Node::DateAdd { date: Box::new(date), amount: Box::new(amount), unit, subtract };
        of_connection(BExpr::new(node, info), self.env.reads.settings.collation)
    }
}
