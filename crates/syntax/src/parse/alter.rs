//! ALTER statements.

use super::{PResult, Parser};
use crate::ast::{
    AlterSpec, AlterTable, ColumnAttr, ColumnPlace, Expr, Ident, OrderItem, PartitionNames,
    Statement, TableElement,
};
use crate::lex::{Kw, T};

impl Parser<'_> {
    #[inline(never)]
    pub(crate) fn alter(&mut self) -> PResult<Statement> {
        let first = self.pos;
        self.expect(Kw::ALTER)?;
        match self.kw() {
            Kw::TABLE => self.alter_table(),
            Kw::DATABASE | Kw::SCHEMA => {
                self.advance();
                let name = if self.at_database_option() { None } else { Some(self.ident()?) };
                let options = self.database_options(true)?;
                if options.is_empty() {
                    return Err(self.error());
                }
                Ok(Statement::AlterDatabase { name, options })
            }
            Kw::USER => self.alter_user(),
            Kw::INSTANCE => self.alter_instance(),
            Kw::TABLESPACE | Kw::UNDO => Ok(self.unsupported("ALTER TABLESPACE")),
            Kw::LOGFILE => Ok(self.unsupported("ALTER LOGFILE GROUP")),
            Kw::SERVER => Ok(self.unsupported("ALTER SERVER")),
            Kw::RESOURCE => Ok(self.unsupported("ALTER RESOURCE GROUP")),
            _ => self.create_defined(first),
        }
    }

    /// After ALTER, at INSTANCE.
    fn alter_instance(&mut self) -> PResult<Statement> {
        self.advance();
        let is = |p: &Self, word: &[u8]| p.raw(p.token()).eq_ignore_ascii_case(word);
        if !self.eat(Kw::RELOAD) || !is(self, b"tls") {
            return Ok(self.unsupported("ALTER INSTANCE other than RELOAD TLS"));
        }
        self.advance();
        let channel = match self.eat_all(&[Kw::FOR, Kw::CHANNEL]) {
            true => Some(self.ident()?),
            false => None,
        };
        let no_rollback = self.eat_all(&[Kw::NO, Kw::ROLLBACK, Kw::ON]);
        if no_rollback {
            if !is(self, b"error") {
                return Err(self.error());
            }
            self.advance();
        }
        Ok(Statement::ReloadTls { no_rollback, channel })
    }

    fn at_database_option(&self) -> bool {
        match self.kw() {
            Kw::DEFAULT | Kw::CHARACTER | Kw::CHAR | Kw::COLLATE | Kw::READ => true,
            // Without DEFAULT these two are names of schemas.
            Kw::CHARSET | Kw::ENCRYPTION if self.lenient() => {
                matches!(self.ahead(1).kind, T::Eq | T::Str)
                    || self.ahead(1).kind == T::Word
                        && matches!(self.ahead(2).kind, T::End | T::Semicolon)
            }
            _ => false,
        }
    }

    fn alter_table(&mut self) -> PResult<Statement> {
        self.expect(Kw::TABLE)?;
        let name = self.table_name()?;
        let mut specs = Vec::new();
        if !self.at_end() {
            let mut comma = false;
            loop {
                // How it is partitioned from now on follows the rest without a comma, and ends the statement.
                let partition = self.at_all(&[Kw::PARTITION, Kw::BY]) || self.at(Kw::REMOVE);
                if partition && comma && !self.lenient() {
                    return Err(self.error());
                }
                if self.at_all(&[Kw::PARTITION, Kw::BY]) {
                    specs.push(AlterSpec::PartitionBy(Box::new(self.partition_by()?)));
                    break;
                }
                if self.at(Kw::REMOVE) {
                    self.expect_all(&[Kw::REMOVE, Kw::PARTITIONING])?;
                    specs.push(AlterSpec::RemovePartitioning);
                    break;
                }
                let spec = self.alter_spec()?;
                let (option, alone) = (matches!(spec, AlterSpec::Option(_)), stands_last(&spec));
                specs.push(spec);
                if alone && !self.lenient() {
                    break;
                }
                // Options may follow one another without a comma, and nothing else may follow them so.
                while option && let Some(next) = self.table_option()? {
                    specs.push(AlterSpec::Option(next));
                }
                comma = self.eat_t(T::Comma);
                let partition = self.at_all(&[Kw::PARTITION, Kw::BY]) || self.at(Kw::REMOVE);
                let any = option && self.lenient() && !self.at_end();
                if !comma && !partition && !any {
                    break;
                }
            }
        }
        Ok(Statement::AlterTable(Box::new(AlterTable { name, specs })))
    }

    #[inline(never)]
    fn alter_spec(&mut self) -> PResult<AlterSpec> {
        let start = self.pos;
        let kw = self.kw();
        self.advance();
        match kw {
            Kw::ADD => self.alter_add(),
            Kw::DROP => self.alter_drop(),
            Kw::MODIFY => {
                self.eat(Kw::COLUMN);
                let column = Box::new(self.column_def()?);
                Ok(AlterSpec::ModifyColumn { column, place: self.column_place()? })
            }
            Kw::CHANGE => {
                self.eat(Kw::COLUMN);
                let old = self.ident()?;
                let column = Box::new(self.column_def()?);
                Ok(AlterSpec::ChangeColumn { old, column, place: self.column_place()? })
            }
            Kw::ALTER => self.alter_alter(),
            Kw::RENAME => self.alter_rename(),
            Kw::CONVERT => {
                self.expect(Kw::TO)?;
                if !self.eat_charset() {
                    return Err(self.error());
                }
                if self.lenient() {
                    self.eat_equal();
                }
                let charset = match self.eat(Kw::DEFAULT) {
                    true => None,
                    false => Some(self.charset_name()?),
                };
                let collation = match self.eat(Kw::COLLATE) {
                    true => {
                        if self.lenient() {
                            self.eat_equal();
                        }
                        Some(self.charset_name()?)
                    }
                    false => None,
                };
                Ok(AlterSpec::ConvertCharset { charset, collation })
            }
            Kw::DISABLE if self.eat(Kw::KEYS) => Ok(AlterSpec::DisableKeys),
            Kw::ENABLE if self.eat(Kw::KEYS) => Ok(AlterSpec::EnableKeys),
            Kw::FORCE => Ok(AlterSpec::Force),
            Kw::ORDER => {
                self.expect(Kw::BY)?;
                Ok(AlterSpec::OrderBy(self.order_of_columns()?))
            }
            Kw::ALGORITHM => {
                self.eat_equal();
                Ok(AlterSpec::Algorithm(self.word_or_default()?))
            }
            Kw::LOCK => {
                self.eat_equal();
                Ok(AlterSpec::Lock(self.word_or_default()?))
            }
            Kw::WITH if self.eat(Kw::VALIDATION) => Ok(AlterSpec::Validation(true)),
            Kw::WITHOUT if self.eat(Kw::VALIDATION) => Ok(AlterSpec::Validation(false)),
            Kw::SECONDARY_LOAD => Ok(AlterSpec::SecondaryLoad),
            Kw::SECONDARY_UNLOAD => Ok(AlterSpec::SecondaryUnload),
            Kw::START if self.at(Kw::TRANSACTION) => Err(self.started_alter()),
            Kw::DISCARD | Kw::IMPORT => self.alter_tablespace(kw == Kw::DISCARD),
            _ => {
                self.pos = start;
                if let Some(spec) = self.alter_partition()? {
                    return Ok(spec);
                }
                match self.table_option()? {
                    Some(option) => Ok(AlterSpec::Option(option)),
                    None => Err(self.error()),
                }
            }
        }
    }

    /// A word for ALGORITHM or LOCK.
    pub(crate) fn word_or_default(&mut self) -> PResult<Ident> {
        if self.at(Kw::DEFAULT) || self.lenient() { self.any_word() } else { self.ident() }
    }

    /// The rows of a table are ordered by columns alone.
    fn order_of_columns(&mut self) -> PResult<Vec<OrderItem>> {
        if self.lenient() {
            return self.order_items();
        }
        self.comma_list(|p| {
            let expr = Expr::Column(p.column_ref()?);
            let descending = p.eat_any(&[Kw::ASC, Kw::DESC]) == Some(Kw::DESC);
            Ok(OrderItem { expr, descending })
        })
    }

    fn alter_tablespace(&mut self, discard: bool) -> PResult<AlterSpec> {
        if self.eat(Kw::TABLESPACE) {
            return Ok(match discard {
                true => AlterSpec::DiscardTablespace,
                false => AlterSpec::ImportTablespace,
            });
        }
        let names = self.alter_partition_names()?;
        self.expect(Kw::TABLESPACE)?;
        Ok(match discard {
            true => AlterSpec::DiscardPartitionTablespace(names),
            false => AlterSpec::ImportPartitionTablespace(names),
        })
    }

    /// `PARTITION ALL` or `PARTITION a, b`.
    fn alter_partition_names(&mut self) -> PResult<PartitionNames> {
        self.expect(Kw::PARTITION)?;
        if self.eat(Kw::ALL) {
            return Ok(PartitionNames::All);
        }
        Ok(PartitionNames::Some(self.ident_list()?))
    }

    fn alter_partition(&mut self) -> PResult<Option<AlterSpec>> {
        if self.ahead(1).kw != Kw::PARTITION {
            return Ok(None);
        }
        let kw = self.kw();
        let simple: fn(PartitionNames) -> AlterSpec = match kw {
            Kw::TRUNCATE => AlterSpec::TruncatePartition,
            Kw::ANALYZE => AlterSpec::AnalyzePartition,
            Kw::CHECK => AlterSpec::CheckPartition,
            Kw::OPTIMIZE => AlterSpec::OptimizePartition,
            Kw::REBUILD => AlterSpec::RebuildPartition,
            Kw::REPAIR => AlterSpec::RepairPartition,
            Kw::COALESCE => {
                self.pos += 2;
                return Ok(Some(AlterSpec::CoalescePartition(self.whole_number()?)));
            }
            Kw::REORGANIZE => {
                self.pos += 2;
                let from = if self.at(Kw::INTO) { Vec::new() } else { self.ident_list()? };
                self.expect(Kw::INTO)?;
                let into = self.partition_defs()?;
                return Ok(Some(AlterSpec::ReorganizePartition { from, into }));
            }
            Kw::EXCHANGE => {
                self.pos += 2;
                let partition = self.ident()?;
                self.expect_all(&[Kw::WITH, Kw::TABLE])?;
                let table = self.table_name()?;
                let validate = !self.eat_all(&[Kw::WITHOUT, Kw::VALIDATION]);
                if validate || self.lenient() {
                    self.eat_all(&[Kw::WITH, Kw::VALIDATION]);
                }
                return Ok(Some(AlterSpec::ExchangePartition { partition, table, validate }));
            }
            _ => return Ok(None),
        };
        self.advance();
        let names = self.alter_partition_names()?;
        // What is looked at is looked at whole, as with CHECK TABLE.
        let options: &[Kw] = match kw {
            Kw::CHECK => &[Kw::QUICK, Kw::FAST, Kw::MEDIUM, Kw::EXTENDED, Kw::CHANGED],
            Kw::REPAIR => &[Kw::QUICK, Kw::EXTENDED, Kw::USE_FRM],
            _ => &[],
        };
        while self.eat_any(options).is_some()
            || (kw == Kw::CHECK && self.eat_all(&[Kw::FOR, Kw::UPGRADE]))
        {}
        Ok(Some(simple(names)))
    }

    fn column_place(&mut self) -> PResult<ColumnPlace> {
        if self.eat(Kw::FIRST) {
            return Ok(ColumnPlace::First);
        }
        if self.eat(Kw::AFTER) {
            return Ok(ColumnPlace::After(self.ident()?));
        }
        Ok(ColumnPlace::Last)
    }

    fn alter_add(&mut self) -> PResult<AlterSpec> {
        match self.kw() {
            Kw::CONSTRAINT
            | Kw::PRIMARY
            | Kw::UNIQUE
            | Kw::INDEX
            | Kw::KEY
            | Kw::FULLTEXT
            | Kw::SPATIAL
            | Kw::FOREIGN
            | Kw::CHECK => {
                return Ok(match self.table_constraint()? {
                    TableElement::Key(key) => AlterSpec::AddKey(key),
                    TableElement::ForeignKey(key) => AlterSpec::AddForeignKey(key),
                    TableElement::Check(check) => AlterSpec::AddCheck(check),
                    TableElement::Column(column) => {
                        AlterSpec::AddColumn { column, place: ColumnPlace::Last }
                    }
                });
            }
            Kw::PARTITION => {
                self.advance();
                self.eat_any(&[Kw::NO_WRITE_TO_BINLOG]);
                if self.eat(Kw::PARTITIONS) {
                    return Ok(AlterSpec::AddPartitions(self.whole_number()?));
                }
                return Ok(AlterSpec::AddPartition(self.partition_defs()?));
            }
            _ => {}
        }
        self.eat(Kw::COLUMN);
        if self.eat_t(T::LParen) {
            let list = self.comma_list(Parser::table_element)?;
            self.expect_t(T::RParen)?;
            return Ok(AlterSpec::AddElements(list));
        }
        let column = Box::new(self.column_def()?);
        Ok(AlterSpec::AddColumn { column, place: self.column_place()? })
    }

    fn alter_drop(&mut self) -> PResult<AlterSpec> {
        let kw = self.eat_any(&[
            Kw::INDEX,
            Kw::KEY,
            Kw::PRIMARY,
            Kw::FOREIGN,
            Kw::CHECK,
            Kw::CONSTRAINT,
            Kw::PARTITION,
            Kw::COLUMN,
        ]);
        Ok(match kw {
            Some(Kw::INDEX | Kw::KEY) => AlterSpec::DropKey(self.key_name()?),
            Some(Kw::PRIMARY) => {
                self.expect(Kw::KEY)?;
                AlterSpec::DropPrimaryKey
            }
            Some(Kw::FOREIGN) => {
                self.expect(Kw::KEY)?;
                AlterSpec::DropForeignKey(self.ident()?)
            }
            Some(Kw::CHECK) => AlterSpec::DropCheck(self.ident()?),
            Some(Kw::CONSTRAINT) => AlterSpec::DropConstraint(self.key_name()?),
            Some(Kw::PARTITION) => AlterSpec::DropPartition(self.ident_list()?),
            _ => {
                let column = self.ident()?;
                self.eat_any(&[Kw::RESTRICT, Kw::CASCADE]);
                AlterSpec::DropColumn(column)
            }
        })
    }

    fn alter_alter(&mut self) -> PResult<AlterSpec> {
        if self.eat(Kw::INDEX) {
            let index = self.key_name()?;
            return match self.eat_any(&[Kw::VISIBLE, Kw::INVISIBLE]) {
                Some(kw) => Ok(AlterSpec::SetIndexVisible { index, visible: kw == Kw::VISIBLE }),
                None => Err(self.error()),
            };
        }
        if let Some(kw) = self.eat_any(&[Kw::CHECK, Kw::CONSTRAINT]) {
            let name = self.ident()?;
            let enforced = !self.eat(Kw::NOT);
            self.expect(Kw::ENFORCED)?;
            let any = kw == Kw::CONSTRAINT;
            return Ok(AlterSpec::SetCheckEnforced { name, enforced, any });
        }
        self.eat(Kw::COLUMN);
        let column = self.ident()?;
        if self.eat_all(&[Kw::DROP, Kw::DEFAULT]) {
            return Ok(AlterSpec::DropDefault(column));
        }
        self.expect(Kw::SET)?;
        if let Some(kw) = self.eat_any(&[Kw::VISIBLE, Kw::INVISIBLE]) {
            return Ok(AlterSpec::SetColumnVisible { column, visible: kw == Kw::VISIBLE });
        }
        self.expect(Kw::DEFAULT)?;
        if self.at_now() && !self.lenient() {
            return Err(self.error());
        }
        match self.column_default()? {
            ColumnAttr::Default(value) => {
                Ok(AlterSpec::SetDefault { column, value, parens: false })
            }
            ColumnAttr::DefaultExpr(value) => {
                Ok(AlterSpec::SetDefault { column, value, parens: true })
            }
            _ => Err(self.error()),
        }
    }

    fn alter_rename(&mut self) -> PResult<AlterSpec> {
        if self.eat(Kw::COLUMN) {
            let old = self.ident()?;
            self.expect(Kw::TO)?;
            return Ok(AlterSpec::RenameColumn { old, new: self.ident()? });
        }
        if self.eat_any(&[Kw::INDEX, Kw::KEY]).is_some() {
            let old = self.key_name()?;
            self.expect(Kw::TO)?;
            return Ok(AlterSpec::RenameIndex { old, new: self.ident()? });
        }
        if !self.eat(Kw::TO) && !self.eat(Kw::AS) {
            self.eat_t(T::Eq);
        }
        Ok(AlterSpec::RenameTo(self.table_name()?))
    }
}

/// A command about partitions, with which the statement ends.
fn stands_last(spec: &AlterSpec) -> bool {
    matches!(
        spec,
        AlterSpec::AddPartition(_)
            | AlterSpec::AddPartitions(_)
            | AlterSpec::DropPartition(_)
            | AlterSpec::TruncatePartition(_)
            | AlterSpec::AnalyzePartition(_)
            | AlterSpec::CheckPartition(_)
            | AlterSpec::OptimizePartition(_)
            | AlterSpec::RebuildPartition(_)
            | AlterSpec::RepairPartition(_)
            | AlterSpec::CoalescePartition(_)
            | AlterSpec::ReorganizePartition { .. }
            | AlterSpec::ExchangePartition { .. }
    )
}
