//! Column types, column attributes and constraints.

use super::{PResult, Parser};
use crate::ast::{
    CharsetWord, CheckDef, ColumnAttr, ColumnDef, DataType, Expr, ForeignKeyDef, Ident,
    IndexOptions, KeyDef, KeyKind, References, ReferentialAction, ReferentialMatch, TableElement,
    TypeKind,
};
use crate::lex::{Kw, T};

impl Parser<'_> {
    /// `name type attributes`.
    pub(crate) fn column_def(&mut self) -> PResult<ColumnDef> {
        let name = self.ident()?;
        self.column_body(name)
    }

    pub(crate) fn column_body(&mut self, name: Ident) -> PResult<ColumnDef> {
        let mut attrs = Vec::new();
        let data_type = if self.eat(Kw::SERIAL) {
            attrs.extend([ColumnAttr::NotNull, ColumnAttr::AutoIncrement, ColumnAttr::Unique]);
            DataType { unsigned: true, ..plain_type(TypeKind::BigInt) }
        } else {
            self.data_type()?
        };
        let mut first = self.pos;
        let collates = |a: &ColumnAttr| matches!(a, ColumnAttr::Collate(_));
        loop {
            // What a column is generated from stands before its other attributes, save a collation.
            if matches!(self.kw(), Kw::AS | Kw::GENERATED)
                && !attrs.iter().all(collates)
                && !self.lenient()
            {
                return Err(self.error());
            }
            let Some(attr) = self.column_attr()? else { break };
            if collates(&attr) && attrs.iter().any(collates) {
                return Err(self.error_at(first, "Multiple COLLATE clauses"));
            }
            // What a column refers to is its last attribute.
            let last = matches!(attr, ColumnAttr::References(_)) && !self.lenient();
            attrs.push(attr);
            first = self.pos;
            if last {
                break;
            }
        }
        Ok(ColumnDef { name, data_type, attrs })
    }

    #[inline(never)]
    pub(crate) fn data_type(&mut self) -> PResult<DataType> {
        let token = self.token();
        self.advance();
        let kind = match token.kw {
            Kw::TINYINT | Kw::INT1 => TypeKind::TinyInt,
            Kw::SMALLINT | Kw::INT2 => TypeKind::SmallInt,
            Kw::MEDIUMINT | Kw::INT3 | Kw::MIDDLEINT => TypeKind::MediumInt,
            Kw::INT | Kw::INTEGER | Kw::INT4 => TypeKind::Int,
            Kw::BIGINT | Kw::INT8 => TypeKind::BigInt,
            Kw::DECIMAL | Kw::DEC | Kw::NUMERIC | Kw::FIXED => TypeKind::Decimal,
            Kw::FLOAT | Kw::FLOAT4 => TypeKind::Float,
            Kw::DOUBLE | Kw::FLOAT8 => {
                self.eat(Kw::PRECISION);
                TypeKind::Double
            }
            Kw::REAL if self.opts.sql_mode.real_as_float => TypeKind::Float,
            Kw::REAL => TypeKind::Double,
            Kw::BOOL | Kw::BOOLEAN => {
                return Ok(DataType { length: Some(1), ..plain_type(TypeKind::TinyInt) });
            }
            Kw::BIT => TypeKind::Bit,
            Kw::DATE => TypeKind::Date,
            Kw::TIME => TypeKind::Time,
            Kw::DATETIME => TypeKind::DateTime,
            Kw::TIMESTAMP => TypeKind::Timestamp,
            Kw::YEAR => TypeKind::Year,
            Kw::JSON => TypeKind::Json,
            Kw::BINARY => TypeKind::Binary,
            Kw::VARBINARY => TypeKind::VarBinary,
            Kw::TINYBLOB => TypeKind::TinyBlob,
            Kw::BLOB => TypeKind::Blob,
            Kw::MEDIUMBLOB => TypeKind::MediumBlob,
            Kw::LONGBLOB => TypeKind::LongBlob,
            Kw::GEOMETRY => TypeKind::Geometry,
            Kw::POINT => TypeKind::Point,
            Kw::LINESTRING => TypeKind::LineString,
            Kw::POLYGON => TypeKind::Polygon,
            Kw::MULTIPOINT => TypeKind::MultiPoint,
            Kw::MULTILINESTRING => TypeKind::MultiLineString,
            Kw::MULTIPOLYGON => TypeKind::MultiPolygon,
            Kw::GEOMETRYCOLLECTION | Kw::GEOMCOLLECTION => TypeKind::GeometryCollection,
            _ => {
                self.pos -= 1;
                return self.text_type();
            }
        };
        let mut data_type = plain_type(kind);
        if matches!(kind, TypeKind::Decimal | TypeKind::Float | TypeKind::Double) {
            (data_type.length, data_type.scale) = self.precision()?;
            // A double has two numbers or none.
            let double = matches!(token.kw, Kw::DOUBLE | Kw::FLOAT8 | Kw::REAL);
            let one = data_type.length.is_some() && data_type.scale.is_none();
            if double && one && !self.lenient() {
                self.pos -= 1;
                return Err(self.error());
            }
        } else if has_length(kind) || (self.lenient() && !is_geometry(kind)) {
            data_type.length = self.opt_paren_number()?;
        }
        self.number_attrs(&mut data_type);
        Ok(data_type)
    }

    fn number_attrs(&mut self, data_type: &mut DataType) {
        let numeric = matches!(
            data_type.kind,
            TypeKind::TinyInt
                | TypeKind::SmallInt
                | TypeKind::MediumInt
                | TypeKind::Int
                | TypeKind::BigInt
                | TypeKind::Decimal
                | TypeKind::Float
                | TypeKind::Double
                | TypeKind::Year
        );
        if !numeric {
            return;
        }
        loop {
            match self.kw() {
                Kw::UNSIGNED => data_type.unsigned = true,
                Kw::SIGNED => {}
                // It implies UNSIGNED, which is warned of only where it is written.
                Kw::ZEROFILL => data_type.zerofill = true,
                _ => return,
            }
            self.advance();
        }
    }

    /// Character types, ENUM and SET.
    fn text_type(&mut self) -> PResult<DataType> {
        let token = self.token();
        self.advance();
        let mut national = matches!(token.kw, Kw::NCHAR | Kw::NVARCHAR | Kw::NATIONAL);
        let kind = match token.kw {
            Kw::CHAR | Kw::CHARACTER | Kw::NCHAR => {
                let varying = self.eat(Kw::VARYING)
                    || (token.kw == Kw::NCHAR && self.eat_any(&[Kw::VARCHAR]).is_some());
                if varying { TypeKind::VarChar } else { TypeKind::Char }
            }
            Kw::NATIONAL => match self.eat_any(&[Kw::CHAR, Kw::CHARACTER, Kw::VARCHAR]) {
                Some(Kw::VARCHAR) => TypeKind::VarChar,
                Some(_) if self.eat(Kw::VARYING) => TypeKind::VarChar,
                Some(_) => TypeKind::Char,
                None => return Err(self.error()),
            },
            Kw::VARCHAR | Kw::VARCHARACTER | Kw::NVARCHAR => TypeKind::VarChar,
            Kw::TINYTEXT => TypeKind::TinyText,
            Kw::TEXT => TypeKind::Text,
            Kw::MEDIUMTEXT => TypeKind::MediumText,
            Kw::LONGTEXT => TypeKind::LongText,
            Kw::LONG => {
                if self.eat(Kw::VARBINARY) {
                    return Ok(plain_type(TypeKind::MediumBlob));
                }
                if !self.eat(Kw::VARCHAR) && self.eat_any(&[Kw::CHAR, Kw::CHARACTER]).is_some() {
                    self.expect(Kw::VARYING)?;
                }
                TypeKind::MediumText
            }
            Kw::ENUM => TypeKind::Enum,
            Kw::SET => TypeKind::Set,
            _ => {
                self.pos -= 1;
                return Err(self.error());
            }
        };
        let mut data_type = plain_type(kind);
        if matches!(kind, TypeKind::Enum | TypeKind::Set) {
            self.expect_t(T::LParen)?;
            data_type.members = self.comma_list(Parser::text_bytes)?;
            self.expect_t(T::RParen)?;
        } else if has_length(kind) || self.lenient() {
            data_type.length = self.opt_paren_number()?;
        }
        match self.lenient() {
            true => self.any_charset_attrs(&mut data_type, &mut national)?,
            false if national => data_type.binary = self.eat(Kw::BINARY),
            false => self.charset_attrs(&mut data_type)?,
        }
        if national {
            data_type.charset = Some("utf8mb3".into());
            data_type.charset_word = Some(CharsetWord::National);
        }
        Ok(data_type)
    }

    /// BYTE alone, or a character set with BINARY before or behind it, or either of these two.
    fn charset_attrs(&mut self, data_type: &mut DataType) -> PResult<()> {
        if self.eat(Kw::BYTE) {
            data_type.kind = of_bytes(data_type.kind);
            return Ok(());
        }
        data_type.binary = self.eat(Kw::BINARY);
        if self.charset_attr(data_type)? && !data_type.binary {
            data_type.binary = self.eat(Kw::BINARY);
        }
        Ok(())
    }

    /// A character set, or a word that stands for one. False: there is none.
    fn charset_attr(&mut self, data_type: &mut DataType) -> PResult<bool> {
        if self.eat_charset() {
            data_type.charset = Some(self.charset_name()?);
        } else if self.eat_text(b"ascii") {
            data_type.charset = Some("latin1".into());
            data_type.charset_word = Some(CharsetWord::Ascii);
        } else if self.eat_text(b"unicode") {
            data_type.charset = Some("ucs2".into());
            data_type.charset_word = Some(CharsetWord::Unicode);
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// The same as older versions took it: any of them, any number of times.
    fn any_charset_attrs(&mut self, data_type: &mut DataType, national: &mut bool) -> PResult<()> {
        loop {
            if self.eat(Kw::BINARY) {
                data_type.binary = true;
            } else if self.eat(Kw::BYTE) {
                data_type.kind = of_bytes(data_type.kind);
                *national = false;
            } else if !self.charset_attr(data_type)? {
                return Ok(());
            }
        }
    }

    #[inline(never)]
    fn column_attr(&mut self) -> PResult<Option<ColumnAttr>> {
        let kw = self.kw();
        let attr = match kw {
            Kw::NULL => ColumnAttr::Null,
            Kw::NOT if self.ahead(1).kw == Kw::NULL => {
                self.advance();
                ColumnAttr::NotNull
            }
            Kw::AUTO_INCREMENT => ColumnAttr::AutoIncrement,
            Kw::VISIBLE => ColumnAttr::Visible,
            Kw::INVISIBLE => ColumnAttr::Invisible,
            Kw::KEY => ColumnAttr::Key,
            Kw::UNIQUE => {
                if self.ahead(1).kw == Kw::KEY {
                    self.advance();
                }
                ColumnAttr::Unique
            }
            Kw::PRIMARY => {
                self.advance();
                if !self.at(Kw::KEY) {
                    return Err(self.error());
                }
                ColumnAttr::PrimaryKey
            }
            _ => return self.column_attr_with_value(kw),
        };
        self.advance();
        Ok(Some(attr))
    }

    fn column_attr_with_value(&mut self, kw: Kw) -> PResult<Option<ColumnAttr>> {
        let first = self.pos;
        self.advance();
        Ok(Some(match kw {
            Kw::DEFAULT => self.column_default()?,
            Kw::ON => {
                self.expect(Kw::UPDATE)?;
                ColumnAttr::OnUpdateNow(self.now_precision()?)
            }
            Kw::COMMENT => ColumnAttr::Comment(self.string()?),
            Kw::COLLATE => ColumnAttr::Collate(Ident(self.charset_name()?)),
            Kw::SERIAL => {
                self.expect_all(&[Kw::DEFAULT, Kw::VALUE])?;
                ColumnAttr::SerialDefault
            }
            Kw::GENERATED => {
                self.expect_all(&[Kw::ALWAYS, Kw::AS])?;
                self.generated()?
            }
            Kw::AS => self.generated()?,
            Kw::CONSTRAINT | Kw::CHECK => {
                self.pos = first;
                let name = self.constraint_name()?;
                let check = self.check_def(name, true)?;
                ColumnAttr::Check { name: check.name, expr: check.expr, enforced: check.enforced }
            }
            Kw::REFERENCES => ColumnAttr::References(Box::new(self.references()?)),
            Kw::SRID => ColumnAttr::Srid(self.whole_number()?),
            Kw::COLUMN_FORMAT => {
                ColumnAttr::ColumnFormat(self.one_of(&[Kw::DEFAULT, Kw::FIXED, Kw::DYNAMIC])?)
            }
            Kw::STORAGE => {
                ColumnAttr::Storage(self.one_of(&[Kw::DEFAULT, Kw::DISK, Kw::MEMORY])?)
            }
            Kw::ENGINE_ATTRIBUTE => {
                self.eat_equal();
                ColumnAttr::EngineAttribute(self.string()?)
            }
            Kw::SECONDARY_ENGINE_ATTRIBUTE => {
                self.eat_equal();
                ColumnAttr::SecondaryEngineAttribute(self.string()?)
            }
            _ => {
                self.pos = first;
                return Ok(None);
            }
        }))
    }

    /// One of these words.
    fn one_of(&mut self, words: &[Kw]) -> PResult<Ident> {
        if !words.contains(&self.kw()) && !self.lenient() {
            return Err(self.error());
        }
        self.any_word()
    }

    /// NOW, CURRENT_TIMESTAMP, LOCALTIME or LOCALTIMESTAMP with an optional precision.
    fn now_precision(&mut self) -> PResult<u8> {
        if !self.at_now() {
            return Err(self.error());
        }
        self.advance();
        if !self.eat_t(T::LParen) {
            return Ok(0);
        }
        let fsp = if self.kind() == T::RParen { 0 } else { self.number()? };
        self.expect_t(T::RParen)?;
        u8::try_from(fsp).map_err(|_| self.error())
    }

    pub(super) fn at_now(&self) -> bool {
        match self.kw() {
            Kw::CURRENT_TIMESTAMP | Kw::LOCALTIME | Kw::LOCALTIMESTAMP => true,
            Kw::NOW => self.ahead(1).kind == T::LParen,
            _ => false,
        }
    }

    /// After DEFAULT.
    pub(crate) fn column_default(&mut self) -> PResult<ColumnAttr> {
        if self.kind() == T::LParen {
            self.advance();
            let expr = self.expr()?;
            self.expect_t(T::RParen)?;
            return Ok(ColumnAttr::DefaultExpr(expr));
        }
        if self.at_now() {
            // Every spelling is stored as CURRENT_TIMESTAMP[(fsp)].
            let fsp = self.now_precision()?;
            let args = if fsp == 0 { Vec::new() } else { vec![Expr::int(u64::from(fsp))] };
            let call = self.call(None, Ident::new("CURRENT_TIMESTAMP"), args);
            return Ok(ColumnAttr::Default(Expr::Call(Box::new(call))));
        }
        if !self.lenient() {
            self.check_sign_of_default()?;
        }
        let mut expr = self.unary()?;
        // A collation behind the value is the column's.
        while let Expr::Collate { expr: value, .. } = expr {
            expr = *value;
            self.pos -= 2;
        }
        let mut inner = &expr;
        while let Expr::Unary { expr, .. } = inner {
            inner = expr;
        }
        if matches!(inner, Expr::Literal(_)) {
            Ok(ColumnAttr::Default(expr))
        } else {
            Err(self.error())
        }
    }

    /// A sign belongs to a plain number. No other operator stands before a default, nor is it written as ODBC does.
    fn check_sign_of_default(&mut self) -> PResult<()> {
        if matches!(self.kind(), T::Plus | T::Minus) {
            let number = matches!(self.ahead(1).kind, T::Int | T::Decimal | T::Float);
            if !number {
                self.advance();
                return Err(self.error());
            }
        }
        let operator = matches!(self.kind(), T::Bang | T::Tilde | T::LBrace)
            || matches!(self.kw(), Kw::BINARY | Kw::NOT);
        if operator { Err(self.error()) } else { Ok(()) }
    }

    fn generated(&mut self) -> PResult<ColumnAttr> {
        self.expect_t(T::LParen)?;
        let expr = self.expr()?;
        self.expect_t(T::RParen)?;
        let stored = self.eat_any(&[Kw::STORED, Kw::VIRTUAL]) == Some(Kw::STORED);
        Ok(ColumnAttr::Generated { expr, stored })
    }

    /// `CONSTRAINT [name]` or nothing.
    pub(crate) fn constraint_name(&mut self) -> PResult<Option<Ident>> {
        if self.eat(Kw::CONSTRAINT) && self.at_ident() { Ok(Some(self.ident()?)) } else { Ok(None) }
    }

    /// `CHECK (expr) [[NOT] ENFORCED]`. Of a column: the last word about it counts.
    fn check_def(&mut self, name: Option<Ident>, of_column: bool) -> PResult<CheckDef> {
        self.expect(Kw::CHECK)?;
        self.expect_t(T::LParen)?;
        let expr = self.expr()?;
        self.expect_t(T::RParen)?;
        let mut enforced = true;
        while self.at(Kw::ENFORCED) || self.at_all(&[Kw::NOT, Kw::ENFORCED]) {
            enforced = !self.eat(Kw::NOT);
            self.expect(Kw::ENFORCED)?;
            if !of_column && !self.lenient() {
                break;
            }
        }
        Ok(CheckDef { name, expr, enforced })
    }

    /// After REFERENCES.
    fn references(&mut self) -> PResult<References> {
        let mut refs = References {
            table: self.table_name()?,
            columns: self.opt_paren_idents()?,
            match_: None,
            on_delete: None,
            on_update: None,
        };
        if self.eat(Kw::MATCH) {
            let word = self.any_word()?;
            refs.match_ = Some(if word.is("full") {
                ReferentialMatch::Full
            } else if word.is("partial") {
                ReferentialMatch::Partial
            } else if word.is("simple") {
                ReferentialMatch::Simple
            } else {
                return Err(self.error());
            });
        }
        loop {
            let known = match self.ahead(1).kw {
                Kw::DELETE => refs.on_delete.is_some(),
                _ => refs.on_update.is_some(),
            };
            if known && self.at(Kw::ON) && !self.lenient() {
                self.advance();
                return Err(self.error());
            }
            if self.eat_all(&[Kw::ON, Kw::DELETE]) {
                refs.on_delete = Some(self.referential_action()?);
            } else if self.at_all(&[Kw::ON, Kw::UPDATE]) {
                self.pos += 2;
                refs.on_update = Some(self.referential_action()?);
            } else {
                return Ok(refs);
            }
        }
    }

    fn referential_action(&mut self) -> PResult<ReferentialAction> {
        Ok(if self.eat(Kw::RESTRICT) {
            ReferentialAction::Restrict
        } else if self.eat(Kw::CASCADE) {
            ReferentialAction::Cascade
        } else if self.eat_all(&[Kw::SET, Kw::NULL]) {
            ReferentialAction::SetNull
        } else if self.eat_all(&[Kw::SET, Kw::DEFAULT]) {
            ReferentialAction::SetDefault
        } else if self.eat(Kw::NO) && self.raw(self.token()).eq_ignore_ascii_case(b"action") {
            self.advance();
            ReferentialAction::NoAction
        } else {
            return Err(self.error());
        })
    }

    /// An element of CREATE TABLE's parentheses.
    #[inline(never)]
    pub(crate) fn table_element(&mut self) -> PResult<TableElement> {
        match self.kw() {
            Kw::CONSTRAINT
            | Kw::PRIMARY
            | Kw::UNIQUE
            | Kw::INDEX
            | Kw::KEY
            | Kw::FULLTEXT
            | Kw::SPATIAL
            | Kw::FOREIGN
            | Kw::CHECK => self.table_constraint(),
            _ => Ok(TableElement::Column(Box::new(self.column_def()?))),
        }
    }

    pub(crate) fn table_constraint(&mut self) -> PResult<TableElement> {
        let constrained = self.at(Kw::CONSTRAINT);
        let constraint = self.constraint_name()?;
        let kind = match self.kw() {
            Kw::CHECK => {
                return Ok(TableElement::Check(Box::new(self.check_def(constraint, false)?)));
            }
            Kw::FOREIGN => {
                self.advance();
                self.expect(Kw::KEY)?;
                let name = if self.at_ident() { Some(self.ident()?) } else { None };
                self.expect_t(T::LParen)?;
                // The order that may come after a column says nothing of a foreign key.
                let columns = self.comma_list(Parser::ordered_ident)?;
                self.expect_t(T::RParen)?;
                self.expect(Kw::REFERENCES)?;
                let references = self.references()?;
                let def = ForeignKeyDef { constraint, name, columns, references };
                return Ok(TableElement::ForeignKey(Box::new(def)));
            }
            Kw::PRIMARY => KeyKind::Primary,
            Kw::UNIQUE => KeyKind::Unique,
            Kw::INDEX | Kw::KEY if !constrained => KeyKind::Index,
            Kw::FULLTEXT if !constrained => KeyKind::FullText,
            Kw::SPATIAL if !constrained => KeyKind::Spatial,
            _ => return Err(self.error()),
        };
        self.advance();
        match kind {
            KeyKind::Primary => self.expect(Kw::KEY)?,
            KeyKind::Index => {}
            _ => {
                self.eat_any(&[Kw::INDEX, Kw::KEY]);
            }
        }
        let name = if self.at_ident() { Some(self.ident()?) } else { None };
        let mut options = IndexOptions::default();
        self.index_type_of(kind, &mut options)?;
        let parts = self.key_parts()?;
        self.index_options(kind, &mut options)?;
        Ok(TableElement::Key(Box::new(KeyDef { kind, constraint, name, parts, options })))
    }
}

fn plain_type(kind: TypeKind) -> DataType {
    DataType {
        kind,
        length: None,
        scale: None,
        unsigned: false,
        zerofill: false,
        charset: None,
        charset_word: None,
        collation: None,
        binary: false,
        members: Vec::new(),
    }
}

/// Types of which a length may be given; those of numbers with a fraction have rules of their own.
fn has_length(kind: TypeKind) -> bool {
    use TypeKind as K;
    !is_geometry(kind)
        && !matches!(
            kind,
            K::Date
                | K::Json
                | K::TinyText
                | K::MediumText
                | K::LongText
                | K::TinyBlob
                | K::MediumBlob
                | K::LongBlob
        )
}

/// CHAR BYTE and TEXT BYTE are the binary types.
fn of_bytes(kind: TypeKind) -> TypeKind {
    match kind {
        TypeKind::Char => TypeKind::Binary,
        TypeKind::VarChar => TypeKind::VarBinary,
        TypeKind::TinyText => TypeKind::TinyBlob,
        TypeKind::Text => TypeKind::Blob,
        TypeKind::MediumText => TypeKind::MediumBlob,
        TypeKind::LongText => TypeKind::LongBlob,
        other => other,
    }
}

/// Types that have no length.
fn is_geometry(kind: TypeKind) -> bool {
    matches!(
        kind,
        TypeKind::Geometry
            | TypeKind::Point
            | TypeKind::LineString
            | TypeKind::Polygon
            | TypeKind::MultiPoint
            | TypeKind::MultiLineString
            | TypeKind::MultiPolygon
            | TypeKind::GeometryCollection
    )
}
