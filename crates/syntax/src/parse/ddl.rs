//! CREATE, DROP, TRUNCATE, RENAME of schemas, tables, indexes and views.

use super::{PResult, Parser};
use crate::ast::{
    CreateIndex, CreateTable, CreateView, DatabaseOption, Definer, DropBehavior, DropIndex,
    DropTable, IndexOptions, KeyDef, KeyKind, OnDuplicate, OnlineHow, PartitionBy, PartitionDef,
    PartitionMethod, PartitionValues, RoutineKind, Statement, ViewAlgorithm, ViewCheck,
};
use crate::lex::{Kw, T};

const ROW_OF_ONE: &str =
    "Row expressions in VALUES IN only allowed for multi-field column partitioning";

impl Parser<'_> {
    #[inline(never)]
    pub(crate) fn create(&mut self) -> PResult<Statement> {
        let first = self.pos;
        self.expect(Kw::CREATE)?;
        match self.kw() {
            Kw::TEMPORARY | Kw::TABLE => self.create_table(),
            Kw::SPATIAL if self.ahead(1).kw == Kw::REFERENCE => self.create_reference_system(false),
            Kw::OR => self.create_or_replace(first),
            Kw::UNIQUE | Kw::FULLTEXT | Kw::SPATIAL | Kw::INDEX => self.create_index(),
            Kw::DATABASE | Kw::SCHEMA => {
                self.advance();
                let if_not_exists = self.if_not_exists();
                let name = self.ident()?;
                let options = self.database_options(false)?;
                Ok(Statement::CreateDatabase { if_not_exists, name, options })
            }
            Kw::USER => self.create_user(),
            Kw::ROLE => {
                self.advance();
                let if_not_exists = self.if_not_exists();
                Ok(Statement::CreateRole { if_not_exists, roles: self.role_list()? })
            }
            Kw::TABLESPACE | Kw::UNDO => Ok(self.unsupported("CREATE TABLESPACE")),
            Kw::LOGFILE => Ok(self.unsupported("CREATE LOGFILE GROUP")),
            Kw::SERVER => Ok(self.unsupported("CREATE SERVER")),
            Kw::RESOURCE => Ok(self.unsupported("CREATE RESOURCE GROUP")),
            _ => self.create_defined(first),
        }
    }

    /// What may have OR REPLACE, ALGORITHM, DEFINER, SQL SECURITY in front: views and programs.
    pub(crate) fn create_defined(&mut self, first: usize) -> PResult<Statement> {
        let alter = self.tokens[first].kw == Kw::ALTER;
        let or_replace = !alter && self.eat_all(&[Kw::OR, Kw::REPLACE]);
        let algorithm = self.view_algorithm()?;
        let mut definer = None;
        if self.eat(Kw::DEFINER) {
            self.expect_t(T::Eq)?;
            definer = Some(match self.user_spec()? {
                crate::ast::UserSpec::CurrentUser => Definer::CurrentUser,
                user => Definer::User(user),
            });
        }
        let mut invoker = None;
        if self.eat_all(&[Kw::SQL, Kw::SECURITY]) {
            invoker = Some(match self.eat_any(&[Kw::INVOKER, Kw::DEFINER]) {
                Some(kw) => kw == Kw::INVOKER,
                None => return Err(self.error()),
            });
        }
        // These three belong to views. Programs may have a definer in front, unless a routine is altered.
        let of_view = or_replace || algorithm.is_some() || invoker.is_some();
        match self.kw() {
            Kw::VIEW => {}
            _ if of_view && !self.lenient() => return Err(self.error()),
            Kw::PROCEDURE | Kw::FUNCTION if alter && definer.is_none() => {
                return self.alter_routine();
            }
            Kw::PROCEDURE | Kw::FUNCTION if alter => return Err(self.error()),
            Kw::PROCEDURE | Kw::FUNCTION => return self.create_routine(definer),
            Kw::TRIGGER if !alter => return self.create_trigger(definer),
            Kw::EVENT => return self.event(alter, definer),
            _ => return Err(self.error()),
        }
        self.advance();
        let name = self.table_name()?;
        let columns = self.opt_paren_idents()?;
        self.expect(Kw::AS)?;
        let start = self.pos;
        let query = self.outer_query(false)?;
        let text = self.text_since(start);
        let check = self.view_check()?;
        Ok(Statement::CreateView(Box::new(CreateView {
            alter,
            or_replace,
            algorithm,
            definer,
            invoker,
            name,
            columns,
            query,
            text,
            check,
        })))
    }

    /// `ALGORITHM = x` or nothing.
    fn view_algorithm(&mut self) -> PResult<Option<ViewAlgorithm>> {
        if !self.eat(Kw::ALGORITHM) {
            return Ok(None);
        }
        self.expect_t(T::Eq)?;
        match self.eat_any(&[Kw::UNDEFINED, Kw::MERGE, Kw::TEMPTABLE]) {
            Some(Kw::UNDEFINED) => Ok(Some(ViewAlgorithm::Undefined)),
            Some(Kw::MERGE) => Ok(Some(ViewAlgorithm::Merge)),
            Some(_) => Ok(Some(ViewAlgorithm::TempTable)),
            None => Err(self.error()),
        }
    }

    /// `WITH [LOCAL | CASCADED] CHECK OPTION` or nothing.
    fn view_check(&mut self) -> PResult<ViewCheck> {
        if !self.eat(Kw::WITH) {
            return Ok(ViewCheck::None);
        }
        let kind = self.eat_any(&[Kw::LOCAL, Kw::CASCADED]);
        if self.lenient() {
            self.eat(Kw::CASCADED);
        }
        self.expect_all(&[Kw::CHECK, Kw::OPTION])?;
        Ok(if kind == Some(Kw::LOCAL) { ViewCheck::Local } else { ViewCheck::Cascaded })
    }

    fn create_table(&mut self) -> PResult<Statement> {
        let temporary = self.eat(Kw::TEMPORARY);
        self.expect(Kw::TABLE)?;
        let mut table = Box::new(CreateTable {
            temporary,
            if_not_exists: self.if_not_exists(),
            name: self.table_name()?,
            like: None,
            elements: Vec::new(),
            options: Vec::new(),
            starts_transaction: false,
            partition: None,
            on_duplicate: OnDuplicate::Error,
            query: None,
        });
        if self.eat(Kw::LIKE) {
            table.like = Some(self.table_name()?);
            return Ok(Statement::CreateTable(table));
        }
        if self.kind() == T::LParen && self.ahead(1).kw == Kw::LIKE {
            self.pos += 2;
            table.like = Some(self.table_name()?);
            self.expect_t(T::RParen)?;
            return Ok(Statement::CreateTable(table));
        }
        if self.kind() == T::LParen && !self.at_subquery() {
            self.advance();
            table.elements = self.comma_list(Parser::table_element)?;
            self.expect_t(T::RParen)?;
        }
        let mut comma = false;
        loop {
            if self.eat_all(&[Kw::START, Kw::TRANSACTION]) {
                table.starts_transaction = true;
            } else if let Some(option) = self.table_option()? {
                table.options.push(option);
            } else {
                break;
            }
            comma = self.eat_t(T::Comma);
        }
        if comma && !self.lenient() {
            return Err(self.error());
        }
        if self.at_all(&[Kw::PARTITION, Kw::BY]) {
            table.partition = Some(Box::new(self.partition_by()?));
        }
        match self.eat_any(&[Kw::IGNORE, Kw::REPLACE]) {
            Some(Kw::IGNORE) => table.on_duplicate = OnDuplicate::Ignore,
            Some(_) => table.on_duplicate = OnDuplicate::Replace,
            None => {}
        }
        let as_ = self.eat(Kw::AS);
        let query = as_
            || self.kind() == T::LParen
            || matches!(self.kw(), Kw::SELECT | Kw::WITH | Kw::TABLE | Kw::VALUES);
        if query {
            table.query = Some(self.outer_query(false)?);
        } else if table.elements.is_empty() || table.on_duplicate != OnDuplicate::Error {
            return Err(self.error());
        }
        Ok(Statement::CreateTable(table))
    }

    #[inline(never)]
    pub(crate) fn partition_by(&mut self) -> PResult<PartitionBy> {
        self.expect_all(&[Kw::PARTITION, Kw::BY])?;
        let method = self.partition_method(Kw::PARTITION)?;
        let mut by = PartitionBy {
            method,
            count: None,
            sub_method: None,
            sub_count: None,
            partitions: Vec::new(),
        };
        if self.eat(Kw::PARTITIONS) {
            by.count = Some(self.whole_number()?);
        }
        if self.eat(Kw::SUBPARTITION) {
            self.expect(Kw::BY)?;
            by.sub_method = Some(self.partition_method(Kw::SUBPARTITION)?);
            if self.eat(Kw::SUBPARTITIONS) {
                by.sub_count = Some(self.whole_number()?);
            }
        }
        if self.kind() == T::LParen {
            by.partitions = self.partition_defs()?;
        }
        Ok(by)
    }

    /// Subpartitions are made by HASH and KEY alone, and KEY lists its columns.
    fn partition_method(&mut self, word: Kw) -> PResult<PartitionMethod> {
        let (linear, sub) = (self.eat(Kw::LINEAR), word == Kw::SUBPARTITION);
        let kw = self.eat_any(match sub {
            true => &[Kw::HASH, Kw::KEY],
            false => &[Kw::HASH, Kw::KEY, Kw::RANGE, Kw::LIST],
        });
        match kw {
            Some(Kw::KEY) => {
                let mut algorithm = None;
                if self.eat(Kw::ALGORITHM) {
                    self.expect_t(T::Eq)?;
                    let given = self.whole_number()?;
                    if !matches!(given, 1 | 2) && !self.lenient() {
                        self.pos -= 1;
                        return Err(self.error());
                    }
                    algorithm = Some(given);
                }
                self.expect_t(T::LParen)?;
                let mut columns = Vec::new();
                if sub || self.kind() != T::RParen {
                    columns = self.ident_list()?;
                }
                self.expect_t(T::RParen)?;
                return Ok(PartitionMethod::Key { linear, algorithm, columns });
            }
            Some(kw @ (Kw::RANGE | Kw::LIST)) if !linear && self.eat(Kw::COLUMNS) => {
                let columns = self.paren_idents()?;
                return Ok(match kw {
                    Kw::RANGE => PartitionMethod::RangeColumns(columns),
                    _ => PartitionMethod::ListColumns(columns),
                });
            }
            _ => {}
        }
        let legal = kw == Some(Kw::HASH) || (kw.is_some() && !linear);
        if !legal {
            return Err(self.error());
        }
        self.expect_t(T::LParen)?;
        let expr = self.bit_expr(0)?;
        self.expect_t(T::RParen)?;
        Ok(match kw {
            Some(Kw::RANGE) => PartitionMethod::Range(expr),
            Some(Kw::LIST) => PartitionMethod::List(expr),
            _ => PartitionMethod::Hash { linear, expr },
        })
    }

    pub(crate) fn partition_defs(&mut self) -> PResult<Vec<PartitionDef>> {
        self.expect_t(T::LParen)?;
        let list = self.comma_list(|p| p.partition_def(Kw::PARTITION))?;
        self.expect_t(T::RParen)?;
        Ok(list)
    }

    fn partition_def(&mut self, word: Kw) -> PResult<PartitionDef> {
        self.expect(word)?;
        let name = if self.lenient() { self.ident_or_string()? } else { self.ident()? };
        let values = match word == Kw::PARTITION && self.eat(Kw::VALUES) {
            true => Some(self.partition_values()?),
            false => None,
        };
        let mut options = Vec::new();
        while let Some(option) = self.partition_option()? {
            options.push(option);
        }
        let mut subpartitions = Vec::new();
        if word == Kw::PARTITION && self.eat_t(T::LParen) {
            subpartitions = self.comma_list(|p| p.partition_def(Kw::SUBPARTITION))?;
            self.expect_t(T::RParen)?;
        }
        Ok(PartitionDef { name, values, options, subpartitions })
    }

    fn partition_values(&mut self) -> PResult<PartitionValues> {
        if self.eat_all(&[Kw::LESS, Kw::THAN]) {
            if self.eat(Kw::MAXVALUE) {
                return Ok(PartitionValues::LessThan(vec![None]));
            }
            return Ok(PartitionValues::LessThan(self.partition_tuple()?));
        }
        self.expect(Kw::IN)?;
        if self.kind() == T::LParen && self.ahead(1).kind == T::LParen {
            self.advance();
            let list = self.comma_list(|p| {
                let tuple = p.partition_tuple()?;
                match tuple.len() {
                    1 => Err(p.error_at(p.pos, ROW_OF_ONE)),
                    _ => Ok(tuple),
                }
            })?;
            self.expect_t(T::RParen)?;
            return Ok(PartitionValues::In(list));
        }
        let list = self.partition_tuple()?;
        Ok(PartitionValues::In(list.into_iter().map(|v| vec![v]).collect()))
    }

    fn partition_tuple(&mut self) -> PResult<Vec<Option<crate::ast::Expr>>> {
        self.expect_t(T::LParen)?;
        let list =
            self.comma_list(
                |p| {
                    if p.eat(Kw::MAXVALUE) { Ok(None) } else { Ok(Some(p.bit_expr(0)?)) }
                },
            )?;
        self.expect_t(T::RParen)?;
        Ok(list)
    }

    fn create_index(&mut self) -> PResult<Statement> {
        let kind = match self.eat_any(&[Kw::UNIQUE, Kw::FULLTEXT, Kw::SPATIAL]) {
            Some(Kw::UNIQUE) => KeyKind::Unique,
            Some(Kw::FULLTEXT) => KeyKind::FullText,
            Some(_) => KeyKind::Spatial,
            None => KeyKind::Index,
        };
        self.expect(Kw::INDEX)?;
        let name = Some(self.ident()?);
        let mut options = IndexOptions::default();
        self.index_type_of(kind, &mut options)?;
        self.expect(Kw::ON)?;
        let table = self.table_name()?;
        let parts = self.key_parts()?;
        self.index_options(kind, &mut options)?;
        let how = self.online_how()?;
        let key = KeyDef { kind, constraint: None, name, parts, options };
        Ok(Statement::CreateIndex(Box::new(CreateIndex { key, table, how })))
    }

    /// `ALGORITHM [=] x`, `LOCK [=] x`.
    fn online_how(&mut self) -> PResult<OnlineHow> {
        let mut how = OnlineHow::default();
        loop {
            // Each of them once.
            let said = match self.kw() {
                Kw::ALGORITHM => &mut how.algorithm,
                Kw::LOCK => &mut how.lock,
                _ => return Ok(how),
            };
            if said.is_some() && !self.lenient() {
                return Err(self.error());
            }
            self.advance();
            self.eat_equal();
            *said = Some(self.word_or_default()?);
        }
    }

    /// `alter`: READ ONLY, which no schema begins with, is one of them.
    pub(crate) fn database_options(&mut self, alter: bool) -> PResult<Vec<DatabaseOption>> {
        let mut list = Vec::new();
        loop {
            let start = self.pos;
            let default = self.eat(Kw::DEFAULT);
            if self.eat_charset() {
                self.eat_equal();
                list.push(DatabaseOption::Charset(self.charset_name()?));
            } else if self.eat(Kw::COLLATE) {
                self.eat_equal();
                list.push(DatabaseOption::Collate(self.charset_name()?));
            } else if self.eat(Kw::ENCRYPTION) {
                self.eat_equal();
                list.push(DatabaseOption::Encryption(self.string()?));
            } else if (alter && !default || self.lenient()) && self.eat_all(&[Kw::READ, Kw::ONLY]) {
                self.eat_equal();
                let on = !self.eat(Kw::DEFAULT) && self.zero_or_one()?;
                list.push(DatabaseOption::ReadOnly(on));
            } else {
                self.pos = start;
                return Ok(list);
            }
        }
    }

    fn drop_behavior(&mut self) -> Option<DropBehavior> {
        self.eat_any(&[Kw::RESTRICT, Kw::CASCADE]).map(|kw| match kw {
            Kw::CASCADE => DropBehavior::Cascade,
            _ => DropBehavior::Restrict,
        })
    }

    #[inline(never)]
    pub(crate) fn drop(&mut self) -> PResult<Statement> {
        self.expect(Kw::DROP)?;
        let temporary = self.eat(Kw::TEMPORARY);
        let kw = self.kw();
        let start = self.pos;
        self.advance();
        match kw {
            Kw::TABLE | Kw::TABLES => {
                let if_exists = self.if_exists();
                let names = self.comma_list(Parser::table_name)?;
                let behavior = self.drop_behavior();
                Ok(Statement::DropTable(DropTable { temporary, if_exists, names, behavior }))
            }
            _ if temporary => {
                self.pos = start;
                Err(self.error())
            }
            Kw::INDEX => {
                let name = self.key_name()?;
                self.expect(Kw::ON)?;
                let table = self.table_name()?;
                let how = self.online_how()?;
                Ok(Statement::DropIndex(Box::new(DropIndex { name, table, how })))
            }
            Kw::DATABASE | Kw::SCHEMA => {
                let if_exists = self.if_exists();
                Ok(Statement::DropDatabase { if_exists, name: self.object_name()? })
            }
            Kw::SPATIAL => self.drop_reference_system(),
            Kw::VIEW => {
                let if_exists = self.if_exists();
                let names = self.comma_list(Parser::table_name)?;
                Ok(Statement::DropView { if_exists, names, cascade: self.drop_behavior() })
            }
            Kw::PROCEDURE => self.drop_routine(RoutineKind::Procedure),
            Kw::FUNCTION => self.drop_routine(RoutineKind::Function),
            Kw::TRIGGER => self.drop_routine(RoutineKind::Trigger),
            Kw::EVENT => self.drop_routine(RoutineKind::Event),
            Kw::USER => {
                let if_exists = self.if_exists();
                Ok(Statement::DropUser { if_exists, users: self.user_list()? })
            }
            Kw::ROLE => {
                let if_exists = self.if_exists();
                Ok(Statement::DropRole { if_exists, roles: self.role_list()? })
            }
            Kw::PREPARE => Ok(Statement::Deallocate { name: self.ident()? }),
            Kw::TABLESPACE | Kw::UNDO => Ok(self.unsupported("DROP TABLESPACE")),
            Kw::LOGFILE => Ok(self.unsupported("DROP LOGFILE GROUP")),
            Kw::SERVER => Ok(self.unsupported("DROP SERVER")),
            Kw::RESOURCE => Ok(self.unsupported("DROP RESOURCE GROUP")),
            _ => {
                self.pos = start;
                Err(self.error())
            }
        }
    }

    fn drop_routine(&mut self, kind: RoutineKind) -> PResult<Statement> {
        let if_exists = self.if_exists();
        Ok(Statement::DropRoutine { kind, if_exists, name: self.table_name()? })
    }

    pub(crate) fn truncate_or_rename(&mut self) -> PResult<Statement> {
        if self.eat(Kw::TRUNCATE) {
            self.eat(Kw::TABLE);
            return Ok(Statement::TruncateTable(self.table_name()?));
        }
        self.expect(Kw::RENAME)?;
        if self.eat(Kw::USER) {
            return Ok(Statement::RenameUser(self.comma_list(|p| {
                let old = p.user_spec()?;
                p.expect(Kw::TO)?;
                Ok((old, p.user_spec()?))
            })?));
        }
        if self.eat_any(&[Kw::TABLE, Kw::TABLES]).is_none() {
            return Err(self.error());
        }
        Ok(Statement::RenameTable(self.comma_list(|p| {
            let old = p.table_name()?;
            p.expect(Kw::TO)?;
            Ok((old, p.table_name()?))
        })?))
    }
}
