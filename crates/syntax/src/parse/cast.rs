//! Types that CAST and its kin name.

use super::{PResult, Parser};
use crate::ast::CastType;
use crate::lex::{Kw, T};

impl Parser<'_> {
    /// `CHAR(n)` or `BINARY(n)`.
    pub(super) fn weight_type(&mut self) -> PResult<CastType> {
        let binary = match self.eat_any(&[Kw::CHAR, Kw::CHARACTER, Kw::BINARY]) {
            Some(kw) => kw == Kw::BINARY,
            None => return Err(self.error()),
        };
        self.expect_t(T::LParen)?;
        let length = Some(self.number()?);
        self.expect_t(T::RParen)?;
        Ok(match binary {
            true => CastType::Binary(length),
            false => CastType::Char { length, charset: None, binary: false, national: false },
        })
    }

    /// One of the numbers of WEIGHT_STRING: decimal or hexadecimal.
    pub(super) fn weight_number(&mut self) -> PResult<u64> {
        if self.kind() != T::Hex {
            return self.number();
        }
        let bytes = self.text_bytes()?;
        let value = bytes.iter().fold(0u64, |n, b| (n << 8) | u64::from(*b));
        Ok(value)
    }

    /// Target of CAST.
    pub(crate) fn cast_type(&mut self) -> PResult<CastType> {
        let token = self.token();
        self.advance();
        Ok(match token.kw {
            Kw::BINARY => CastType::Binary(self.opt_paren_number()?),
            Kw::CHAR | Kw::CHARACTER => self.cast_char(false)?,
            Kw::NCHAR => self.cast_char(true)?,
            Kw::NATIONAL => {
                self.expect(Kw::CHAR)?;
                self.cast_char(true)?
            }
            Kw::SIGNED | Kw::UNSIGNED => {
                if !self.eat(Kw::INTEGER) {
                    self.eat(Kw::INT);
                }
                if token.kw == Kw::SIGNED { CastType::Signed } else { CastType::Unsigned }
            }
            Kw::DATE => CastType::Date,
            Kw::YEAR => CastType::Year,
            Kw::TIME => CastType::Time(self.opt_paren_number()?),
            Kw::DATETIME => CastType::Datetime(self.opt_paren_number()?),
            Kw::DECIMAL | Kw::DEC => {
                let (precision, scale) = self.precision()?;
                CastType::Decimal { precision, scale }
            }
            Kw::FLOAT => CastType::Float(self.opt_paren_number()?),
            Kw::DOUBLE => {
                self.eat(Kw::PRECISION);
                CastType::Double
            }
            Kw::REAL => CastType::Real,
            Kw::JSON => CastType::Json,
            Kw::POINT
            | Kw::LINESTRING
            | Kw::POLYGON
            | Kw::MULTIPOINT
            | Kw::MULTILINESTRING
            | Kw::MULTIPOLYGON
            | Kw::GEOMETRYCOLLECTION
            | Kw::GEOMCOLLECTION => CastType::Geometry(token.kw.text().into()),
            _ => {
                self.pos -= 1;
                return Err(self.error());
            }
        })
    }

    /// At a word that is a keyword here alone.
    pub(crate) fn at_text(&self, word: &[u8]) -> bool {
        let token = self.token();
        token.kind == T::Word && self.raw(token).eq_ignore_ascii_case(word)
    }

    pub(crate) fn eat_text(&mut self, word: &[u8]) -> bool {
        let found = self.at_text(word);
        if found {
            self.advance();
        }
        found
    }

    fn cast_char(&mut self, national: bool) -> PResult<CastType> {
        let length = self.opt_paren_number()?;
        let (mut charset, mut binary) = (None, false);
        if !self.lenient() {
            if !national {
                (charset, binary) = self.charset_of_cast()?;
            }
            return Ok(CastType::Char { length, charset, binary, national });
        }
        loop {
            if self.eat_charset() {
                charset = Some(self.charset_name()?);
            } else if self.eat(Kw::BINARY) {
                binary = true;
            } else if charset.is_none() && self.eat_text(b"ASCII") {
                charset = Some("latin1".into());
            } else if charset.is_none() && self.eat_text(b"UNICODE") {
                charset = Some("ucs2".into());
            } else if charset.is_none() && self.eat(Kw::BYTE) {
                charset = Some("binary".into());
            } else {
                return Ok(CastType::Char { length, charset, binary, national });
            }
        }
    }

    /// BYTE alone, or a character set with BINARY before or behind it, or either of these two.
    fn charset_of_cast(&mut self) -> PResult<(Option<Box<str>>, bool)> {
        if self.eat(Kw::BYTE) {
            return Ok((Some("binary".into()), false));
        }
        let binary = self.eat(Kw::BINARY);
        let charset = if self.eat_charset() {
            self.charset_name()?
        } else if self.eat_text(b"ASCII") {
            "latin1".into()
        } else if self.eat_text(b"UNICODE") {
            "ucs2".into()
        } else {
            return Ok((None, binary));
        };
        Ok((Some(charset), binary || self.eat(Kw::BINARY)))
    }

    /// `[(m [, d])]`.
    pub(crate) fn precision(&mut self) -> PResult<(Option<u64>, Option<u64>)> {
        if !self.eat_t(T::LParen) {
            return Ok((None, None));
        }
        let precision = self.number()?;
        let scale = if self.eat_t(T::Comma) { Some(self.number()?) } else { None };
        self.expect_t(T::RParen)?;
        Ok((Some(precision), scale))
    }
}
