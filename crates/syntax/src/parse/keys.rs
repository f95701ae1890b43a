//! The parts, types and options of keys, wherever keys are defined.

use super::{PResult, Parser};
use crate::ast::{IndexOptions, IndexType, KeyKind, KeyPart, KeyPartKind};
use crate::lex::{Kw, T};

impl Parser<'_> {
    /// `USING type` or nothing. FULLTEXT and SPATIAL are types themselves.
    pub(crate) fn index_type_of(
        &mut self,
        kind: KeyKind,
        options: &mut IndexOptions,
    ) -> PResult<bool> {
        let typed = matches!(kind, KeyKind::FullText | KeyKind::Spatial) && !self.lenient();
        let given = !typed && self.eat_any(&[Kw::USING, Kw::TYPE]).is_some();
        if given {
            options.index_type = Some(self.index_type()?);
        }
        Ok(given)
    }

    pub(super) fn index_type(&mut self) -> PResult<IndexType> {
        match self.eat_any(&[Kw::BTREE, Kw::HASH, Kw::RTREE]) {
            Some(Kw::BTREE) => Ok(IndexType::BTree),
            Some(Kw::HASH) => Ok(IndexType::Hash),
            Some(_) => Ok(IndexType::RTree),
            None => Err(self.error()),
        }
    }

    pub(crate) fn key_parts(&mut self) -> PResult<Vec<KeyPart>> {
        self.expect_t(T::LParen)?;
        let parts = self.comma_list(|p| {
            let kind = if p.eat_t(T::LParen) {
                let expr = p.expr()?;
                p.expect_t(T::RParen)?;
                KeyPartKind::Expr(expr)
            } else {
                KeyPartKind::Column { name: p.ident()?, length: p.opt_paren_number()? }
            };
            let order = p.eat_any(&[Kw::ASC, Kw::DESC]);
            let descending = order == Some(Kw::DESC);
            Ok(KeyPart { kind, descending, explicit_order: order.is_some() })
        })?;
        self.expect_t(T::RParen)?;
        Ok(parts)
    }

    pub(crate) fn index_options(
        &mut self,
        kind: KeyKind,
        options: &mut IndexOptions,
    ) -> PResult<()> {
        loop {
            if self.index_type_of(kind, options)? {
                continue;
            }
            match self.kw() {
                Kw::KEY_BLOCK_SIZE => {
                    self.advance();
                    self.eat_equal();
                    options.key_block_size = Some(self.whole_number()?);
                }
                Kw::COMMENT => {
                    self.advance();
                    options.comment = Some(self.string()?);
                }
                Kw::WITH
                    if self.ahead(1).kw == Kw::PARSER
                        && (kind == KeyKind::FullText || self.lenient()) =>
                {
                    self.pos += 2;
                    options.parser = Some(self.ident()?);
                }
                Kw::VISIBLE | Kw::INVISIBLE => {
                    options.visible = Some(self.at(Kw::VISIBLE));
                    self.advance();
                }
                Kw::ENGINE_ATTRIBUTE => {
                    self.advance();
                    self.eat_equal();
                    options.engine_attribute = Some(self.string()?);
                }
                Kw::SECONDARY_ENGINE_ATTRIBUTE => {
                    self.advance();
                    self.eat_equal();
                    options.secondary_engine_attribute = Some(self.string()?);
                }
                _ => return Ok(()),
            }
        }
    }
}
