//! Options of tables and of partitions, and which values each of them takes.

use super::{PResult, Parser};
use crate::ast::{Ident, OptionValue, TableOption};
use crate::lex::{Kw, T, literal};

/// What may come after an option's name.
#[derive(Clone, Copy)]
enum Takes {
    /// A number without a sign; of a fraction the whole part counts. `hex`: it may be hexadecimal.
    Number {
        hex: bool,
    },
    /// 0, 1 or DEFAULT.
    Switch,
    /// A number of pages, or DEFAULT.
    Pages,
    /// A number of bytes, with its suffix if it has one.
    Size,
    Text,
    Name,
    NameOrText,
    NameOrTextOrNull,
    /// One of these words, or DEFAULT where `true` is said.
    Words(&'static [&'static [u8]], bool),
    /// Tables in parentheses.
    Tables,
}

const ROW_FORMATS: &[&[u8]] = &[b"FIXED", b"DYNAMIC", b"COMPRESSED", b"REDUNDANT", b"COMPACT"];
const INSERT_METHODS: &[&[u8]] = &[b"NO", b"FIRST", b"LAST"];
const MEDIA: &[&[u8]] = &[b"DISK", b"MEMORY"];

/// Options of one word whose name is that word.
const OPTIONS: [(Kw, Takes); 25] = [
    (Kw::ENGINE, Takes::NameOrText),
    (Kw::SECONDARY_ENGINE, Takes::NameOrTextOrNull),
    (Kw::AUTO_INCREMENT, Takes::Number { hex: false }),
    (Kw::AVG_ROW_LENGTH, Takes::Number { hex: false }),
    (Kw::MAX_ROWS, Takes::Number { hex: false }),
    (Kw::MIN_ROWS, Takes::Number { hex: false }),
    (Kw::CHECKSUM, Takes::Number { hex: true }),
    (Kw::DELAY_KEY_WRITE, Takes::Number { hex: true }),
    (Kw::KEY_BLOCK_SIZE, Takes::Number { hex: true }),
    (Kw::AUTOEXTEND_SIZE, Takes::Size),
    (Kw::COMMENT, Takes::Text),
    (Kw::COMPRESSION, Takes::Text),
    (Kw::CONNECTION, Takes::Text),
    (Kw::ENCRYPTION, Takes::Text),
    (Kw::PASSWORD, Takes::Text),
    (Kw::ENGINE_ATTRIBUTE, Takes::Text),
    (Kw::SECONDARY_ENGINE_ATTRIBUTE, Takes::Text),
    (Kw::PACK_KEYS, Takes::Switch),
    (Kw::STATS_AUTO_RECALC, Takes::Switch),
    (Kw::STATS_PERSISTENT, Takes::Switch),
    (Kw::STATS_SAMPLE_PAGES, Takes::Pages),
    (Kw::ROW_FORMAT, Takes::Words(ROW_FORMATS, true)),
    (Kw::INSERT_METHOD, Takes::Words(INSERT_METHODS, false)),
    (Kw::TABLESPACE, Takes::Name),
    (Kw::UNION, Takes::Tables),
];

/// Those that a partition may have.
const OF_PARTITIONS: [Kw; 5] =
    [Kw::ENGINE, Kw::MAX_ROWS, Kw::MIN_ROWS, Kw::COMMENT, Kw::TABLESPACE];

impl Parser<'_> {
    /// The sign of a clause in which it may be left out, written `=` or `:=`.
    pub(crate) fn eat_equal(&mut self) {
        if !self.eat_t(T::Eq) {
            self.eat_t(T::Assign);
        }
    }

    /// One table option, its `=` optional.
    #[inline(never)]
    pub(crate) fn table_option(&mut self) -> PResult<Option<TableOption>> {
        let start = self.pos;
        self.eat(Kw::DEFAULT);
        let charset = self.eat_charset();
        if charset || self.eat(Kw::COLLATE) {
            self.eat_equal();
            let name = if charset { "CHARSET" } else { "COLLATE" };
            let value = match self.lenient() && self.eat(Kw::DEFAULT) {
                true => OptionValue::Default,
                false => OptionValue::Word(Ident(self.charset_name()?)),
            };
            return Ok(Some(TableOption { name, value }));
        }
        self.pos = start;
        if !self.lenient() && self.eat(Kw::STORAGE) {
            let value = self.option_value(Takes::Words(MEDIA, false))?;
            return Ok(Some(TableOption { name: "STORAGE", value }));
        }
        let Some((name, takes)) = self.option_name() else { return Ok(None) };
        self.eat_equal();
        let value = match self.lenient() {
            true => self.any_option_value(name)?,
            false => self.option_value(takes)?,
        };
        Ok(Some(TableOption { name, value }))
    }

    /// One option of a partition, which has fewer of them.
    pub(crate) fn partition_option(&mut self) -> PResult<Option<TableOption>> {
        if self.lenient() {
            self.eat(Kw::STORAGE);
            return self.table_option();
        }
        let storage = self.eat(Kw::STORAGE);
        let directory = matches!(self.kw(), Kw::DATA | Kw::INDEX);
        let legal = match storage {
            true => self.at(Kw::ENGINE),
            false => directory || OF_PARTITIONS.contains(&self.kw()),
        };
        if storage && !legal {
            return Err(self.error());
        }
        let rows = matches!(self.kw(), Kw::MAX_ROWS | Kw::MIN_ROWS);
        let Some((name, takes)) = (if legal { self.option_name() } else { None }) else {
            return Ok(None);
        };
        self.eat_equal();
        let value = match rows {
            true => OptionValue::Int(self.whole_number()?),
            false => self.option_value(takes)?,
        };
        Ok(Some(TableOption { name, value }))
    }

    /// The name of an option, which is taken, and what it takes.
    fn option_name(&mut self) -> Option<(&'static str, Takes)> {
        for (first, name) in [(Kw::DATA, "DATA DIRECTORY"), (Kw::INDEX, "INDEX DIRECTORY")] {
            if self.eat_all(&[first, Kw::DIRECTORY]) {
                return Some((name, Takes::Text));
            }
        }
        if self.eat_text(b"TABLE_CHECKSUM") {
            return Some(("CHECKSUM", Takes::Number { hex: true }));
        }
        if self.eat(Kw::STORAGE) {
            return Some(("STORAGE", Takes::Words(MEDIA, false)));
        }
        let (kw, takes) = OPTIONS.iter().find(|(kw, _)| self.at(*kw))?;
        self.advance();
        Some((kw.text(), *takes))
    }

    fn option_value(&mut self, takes: Takes) -> PResult<OptionValue> {
        let token = self.token();
        Ok(match takes {
            Takes::Number { hex } => OptionValue::Int(self.whole_part(hex)?),
            Takes::Switch | Takes::Pages if self.eat(Kw::DEFAULT) => OptionValue::Default,
            Takes::Switch => OptionValue::Int(u64::from(self.zero_or_one()?)),
            Takes::Pages => match self.whole_part(true)? {
                n @ 1..=65535 => OptionValue::Int(n),
                _ => {
                    let told = "The valid range for stats_sample_pages is [1, 65535]. Error";
                    return Err(self.error_at(self.pos - 1, told));
                }
            },
            Takes::Size if token.kind == T::Hex => OptionValue::Int(self.whole_number()?),
            Takes::Size => OptionValue::Int(self.size()?),
            Takes::Text => OptionValue::Str(self.string()?),
            Takes::Name => OptionValue::Word(self.ident()?),
            Takes::NameOrTextOrNull if self.at(Kw::NULL) => OptionValue::Word(self.any_word()?),
            Takes::NameOrText | Takes::NameOrTextOrNull => match token.kind {
                T::Str => OptionValue::Str(self.string()?),
                _ => OptionValue::Word(self.ident()?),
            },
            Takes::Words(_, true) if self.eat(Kw::DEFAULT) => OptionValue::Default,
            Takes::Words(words, _) if words.iter().any(|w| self.at_text(w)) => {
                OptionValue::Word(self.any_word()?)
            }
            Takes::Words(..) => return Err(self.error()),
            Takes::Tables => {
                self.expect_t(T::LParen)?;
                let mut tables = Vec::new();
                if self.kind() != T::RParen {
                    tables = self.comma_list(Parser::table_name)?;
                }
                self.expect_t(T::RParen)?;
                OptionValue::Tables(tables)
            }
        })
    }

    /// What older versions took behind any option.
    fn any_option_value(&mut self, name: &str) -> PResult<OptionValue> {
        Ok(match self.kind() {
            T::LParen if name == "UNION" => self.option_value(Takes::Tables)?,
            T::Str => OptionValue::Str(self.string()?),
            T::Int | T::Hex => OptionValue::Int(self.whole_number()?),
            T::Word if self.eat(Kw::DEFAULT) => OptionValue::Default,
            T::Word if name == "AUTOEXTEND_SIZE" => OptionValue::Int(self.size()?),
            T::Word | T::Quoted if name != "COMMENT" => OptionValue::Word(self.any_word()?),
            _ => return Err(self.error()),
        })
    }

    /// The whole part of a number without a sign; the largest there is for a greater one.
    fn whole_part(&mut self, hex: bool) -> PResult<u64> {
        let raw = self.raw(self.token());
        match self.kind() {
            T::Int | T::Decimal | T::Float => {
                let end = raw.iter().position(|b| !b.is_ascii_digit()).unwrap_or(raw.len());
                self.advance();
                Ok(if end == 0 { 0 } else { literal::int(&raw[..end]).unwrap_or(u64::MAX) })
            }
            T::Hex if hex => self.whole_number(),
            _ => Err(self.error()),
        }
    }

    /// 0 or 1.
    pub(crate) fn zero_or_one(&mut self) -> PResult<bool> {
        let first = self.pos;
        let value = self.whole_part(true)?;
        if value > 1 && !self.lenient() {
            self.pos = first;
            return Err(self.error());
        }
        Ok(value != 0)
    }

    /// A whole number, which may be hexadecimal.
    pub(crate) fn whole_number(&mut self) -> PResult<u64> {
        let token = self.token();
        match token.kind {
            T::Decimal | T::Float => {
                Err(self.error_at(self.pos, "Only integers allowed as number here"))
            }
            T::Hex => {
                let bytes = literal::hex(self.raw(token));
                if bytes.len() > 8 {
                    return Err(self.error());
                }
                self.advance();
                Ok(bytes.iter().fold(0, |acc, b| acc << 8 | u64::from(*b)))
            }
            _ => self.number(),
        }
    }
}
