//! INSERT, REPLACE, UPDATE, DELETE, LOAD DATA, HANDLER.

use super::{PResult, Parser};
use crate::ast::{
    Assignment, BinaryOp, Delete, Expr, Handler, HandlerMove, HandlerRead, Insert, InsertPriority,
    InsertSource, LoadData, LoadDuplicates, LoadTarget, RowAlias, Statement, TableFactor,
    TableName, TableRef, Update, With,
};
use crate::lex::{Kw, T};

impl Parser<'_> {
    #[inline(never)]
    pub(crate) fn insert(&mut self) -> PResult<Statement> {
        let replace = self.at(Kw::REPLACE);
        self.advance();
        let hints = self.hints();
        let priority = match self.kw() {
            Kw::LOW_PRIORITY => Some(InsertPriority::Low),
            Kw::DELAYED => Some(InsertPriority::Delayed),
            Kw::HIGH_PRIORITY if !replace => Some(InsertPriority::High),
            _ => None,
        };
        if priority.is_some() {
            self.advance();
        }
        let ignore = !replace && self.eat(Kw::IGNORE);
        self.eat(Kw::INTO);
        let mut insert = Box::new(Insert {
            replace,
            hints,
            priority,
            ignore,
            table: self.table_name()?,
            partitions: self.partition_names()?,
            columns: None,
            source: InsertSource::Values(Vec::new()),
            row_alias: None,
            on_duplicate: Vec::new(),
        });
        self.insert_source(&mut insert)?;
        if !replace {
            let query = matches!(insert.source, InsertSource::Query(_));
            if !query && self.eat(Kw::AS) {
                let name = self.ident()?;
                insert.row_alias = Some(RowAlias { name, columns: self.opt_paren_idents()? });
            }
            if self.eat_all(&[Kw::ON, Kw::DUPLICATE, Kw::KEY, Kw::UPDATE]) {
                insert.on_duplicate = self.assignments()?;
            }
        }
        Ok(Statement::Insert(insert))
    }

    fn insert_source(&mut self, insert: &mut Insert) -> PResult<()> {
        if self.eat(Kw::SET) {
            let (columns, values) =
                self.assignments()?.into_iter().map(|a| (a.column, a.value)).unzip();
            insert.columns = Some(columns);
            insert.source = InsertSource::Values(vec![values]);
            return Ok(());
        }
        if self.kind() == T::LParen && !self.at_subquery() {
            self.advance();
            let mut columns = Vec::new();
            if self.kind() != T::RParen {
                columns = self.comma_list(Parser::column_ref)?;
            }
            self.expect_t(T::RParen)?;
            // An empty list is as good as none: `INSERT INTO t() VALUES (1)`.
            insert.columns = (!columns.is_empty()).then_some(columns);
        }
        let rows = self.at(Kw::VALUE) || (self.at(Kw::VALUES) && self.ahead(1).kw != Kw::ROW);
        if rows {
            self.advance();
            insert.source = InsertSource::Values(self.comma_list(Parser::value_row)?);
            return Ok(());
        }
        if self.at_all(&[Kw::VALUES, Kw::ROW]) {
            self.advance();
            insert.source = InsertSource::Values(self.comma_list(|p| {
                p.expect(Kw::ROW)?;
                p.value_row()
            })?);
            return Ok(());
        }
        if self.kind() != T::LParen
            && !matches!(self.kw(), Kw::SELECT | Kw::WITH | Kw::TABLE | Kw::VALUES)
        {
            return Err(self.error());
        }
        insert.source = InsertSource::Query(self.outer_query(false)?);
        Ok(())
    }

    /// `(1, DEFAULT, ..)`, possibly empty.
    pub(crate) fn value_row(&mut self) -> PResult<Vec<Expr>> {
        self.expect_t(T::LParen)?;
        let mut row = Vec::new();
        if self.kind() != T::RParen {
            row = self.comma_list(Parser::expr_or_default)?;
        }
        self.expect_t(T::RParen)?;
        Ok(row)
    }

    fn expr_or_default(&mut self) -> PResult<Expr> {
        if self.at(Kw::DEFAULT) && self.ahead(1).kind != T::LParen {
            self.advance();
            return Ok(Expr::Default);
        }
        self.expr()
    }

    pub(crate) fn assignments(&mut self) -> PResult<Vec<Assignment>> {
        self.comma_list(|p| {
            let column = p.column_ref()?;
            if !p.eat_t(T::Assign) {
                p.expect_t(T::Eq)?;
            }
            Ok(Assignment { column, value: p.expr_or_default()? })
        })
    }

    #[inline(never)]
    pub(crate) fn update(&mut self, with: Option<With>) -> PResult<Statement> {
        self.expect(Kw::UPDATE)?;
        let hints = self.hints();
        let low_priority = self.eat(Kw::LOW_PRIORITY);
        let ignore = self.eat(Kw::IGNORE);
        let tables = self.table_refs()?;
        self.expect(Kw::SET)?;
        let assignments = self.assignments()?;
        let where_ = self.where_clause()?;
        let mut update = Box::new(Update {
            with,
            hints,
            low_priority,
            ignore,
            tables,
            assignments,
            where_,
            order_by: Vec::new(),
            limit: None,
        });
        if self.eat_all(&[Kw::ORDER, Kw::BY]) {
            update.order_by = self.order_items()?;
        }
        update.limit = self.limit_of_change()?;
        Ok(Statement::Update(update))
    }

    #[inline(never)]
    pub(crate) fn delete(&mut self, with: Option<With>) -> PResult<Statement> {
        self.expect(Kw::DELETE)?;
        let mut delete = Box::new(Delete {
            with,
            hints: self.hints(),
            low_priority: false,
            quick: false,
            ignore: false,
            targets: Vec::new(),
            from: Vec::new(),
            where_: None,
            order_by: Vec::new(),
            limit: None,
        });
        loop {
            match self.kw() {
                Kw::LOW_PRIORITY => delete.low_priority = true,
                // Not the table named so in `DELETE quick FROM ..`.
                Kw::QUICK if self.ahead(1).kind == T::Word => delete.quick = true,
                Kw::IGNORE => delete.ignore = true,
                _ => break,
            }
            self.advance();
        }
        if !self.eat(Kw::FROM) {
            delete.targets = self.comma_list(Parser::delete_target)?;
            self.expect(Kw::FROM)?;
            delete.from = self.table_refs()?;
            delete.where_ = self.where_clause()?;
            return Ok(Statement::Delete(delete));
        }
        let first = self.delete_target()?;
        let mut targets = vec![first];
        while self.eat_t(T::Comma) {
            targets.push(self.delete_target()?);
        }
        if self.eat(Kw::USING) {
            delete.targets = targets;
            delete.from = self.table_refs()?;
            delete.where_ = self.where_clause()?;
            return Ok(Statement::Delete(delete));
        }
        if targets.len() != 1 {
            return Err(self.error());
        }
        self.delete_single(&mut delete, targets.remove(0))?;
        Ok(Statement::Delete(delete))
    }

    fn delete_single(&mut self, delete: &mut Delete, name: TableName) -> PResult<()> {
        let alias = self.table_alias()?;
        let partitions = self.partition_names()?;
        let factor = TableFactor { name, partitions, alias, index_hints: Vec::new() };
        delete.from = vec![TableRef::Table(Box::new(factor))];
        delete.where_ = self.where_clause()?;
        if self.eat_all(&[Kw::ORDER, Kw::BY]) {
            delete.order_by = self.order_items()?;
        }
        delete.limit = self.limit_of_change()?;
        Ok(())
    }

    /// `t`, `t.*`, `db.t`, `db.t.*`.
    fn delete_target(&mut self) -> PResult<TableName> {
        let first = self.ident()?;
        if !self.eat_t(T::Dot) {
            return Ok(TableName { schema: None, name: first });
        }
        if self.eat_t(T::Star) {
            return Ok(TableName { schema: None, name: first });
        }
        let name = self.ident()?;
        if self.eat_t(T::Dot) {
            self.expect_t(T::Star)?;
        }
        Ok(TableName { schema: Some(first), name })
    }

    #[inline(never)]
    pub(crate) fn load(&mut self) -> PResult<Statement> {
        self.expect(Kw::LOAD)?;
        let xml = match self.eat_any(&[Kw::DATA, Kw::XML]) {
            Some(kw) => kw == Kw::XML,
            None if self.at_all(&[Kw::INDEX, Kw::INTO]) => {
                return self.load_index();
            }
            None => return Err(self.error()),
        };
        let low_priority = self.eat(Kw::LOW_PRIORITY);
        let concurrent = self.eat(Kw::CONCURRENT);
        let local = self.eat(Kw::LOCAL);
        self.expect(Kw::INFILE)?;
        let path = self.string()?;
        let duplicates = match self.eat_any(&[Kw::REPLACE, Kw::IGNORE]) {
            Some(Kw::REPLACE) => LoadDuplicates::Replace,
            Some(_) => LoadDuplicates::Ignore,
            None => LoadDuplicates::Error,
        };
        self.expect_all(&[Kw::INTO, Kw::TABLE])?;
        let table = self.table_name()?;
        let partitions = self.partition_names()?;
        let charset = if self.eat_charset() { Some(self.charset_name()?) } else { None };
        let mut rows_identified_by = None;
        if self.eat_all(&[Kw::ROWS, Kw::IDENTIFIED, Kw::BY]) {
            rows_identified_by = Some(self.string()?);
        }
        let format = self.file_format()?;
        let mut ignore_lines = 0;
        if self.eat(Kw::IGNORE) {
            ignore_lines = self.number()?;
            if self.eat_any(&[Kw::LINES, Kw::ROWS]).is_none() {
                return Err(self.error());
            }
        }
        let targets = self.load_targets()?;
        let set = if self.eat(Kw::SET) { self.assignments()? } else { Vec::new() };
        Ok(Statement::LoadData(Box::new(LoadData {
            xml,
            low_priority,
            concurrent,
            local,
            path,
            duplicates,
            table,
            partitions,
            charset,
            rows_identified_by,
            format,
            ignore_lines,
            targets,
            set,
        })))
    }

    fn load_targets(&mut self) -> PResult<Vec<LoadTarget>> {
        if !self.eat_t(T::LParen) {
            return Ok(Vec::new());
        }
        let mut list = Vec::new();
        if self.kind() != T::RParen {
            list = self.comma_list(|p| {
                Ok(match p.kind() {
                    T::At => LoadTarget::UserVar(p.user_var()?),
                    _ => LoadTarget::Column(p.column_ref()?),
                })
            })?;
        }
        self.expect_t(T::RParen)?;
        Ok(list)
    }

    pub(crate) fn handler(&mut self) -> PResult<Statement> {
        self.expect(Kw::HANDLER)?;
        self.no_subqueries = true;
        let table = self.table_name()?;
        let handler = if self.eat(Kw::OPEN) {
            Handler::Open { table, alias: self.table_alias()? }
        } else if table.schema.is_some() {
            // An open handler is known by its own name, which has no schema.
            return Err(self.error());
        } else if self.eat(Kw::CLOSE) {
            Handler::Close(table.name)
        } else {
            self.expect(Kw::READ)?;
            self.handler_read(table)?
        };
        self.no_subqueries = false;
        Ok(Statement::Handler(Box::new(handler)))
    }

    fn handler_read(&mut self, table: TableName) -> PResult<Handler> {
        let handler = table.name;
        let scan = matches!(self.kw(), Kw::FIRST | Kw::NEXT);
        let index = if scan { None } else { Some(self.key_name()?) };
        let how = match self.eat_any(&[Kw::FIRST, Kw::NEXT, Kw::PREV, Kw::LAST]) {
            Some(Kw::FIRST) => HandlerMove::First,
            Some(Kw::NEXT) => HandlerMove::Next,
            Some(Kw::PREV) => HandlerMove::Prev,
            Some(_) => HandlerMove::Last,
            None => {
                let op = match self.kind() {
                    T::Eq => BinaryOp::Eq,
                    T::Lt => BinaryOp::Lt,
                    T::Le => BinaryOp::Le,
                    T::Gt => BinaryOp::Gt,
                    T::Ge => BinaryOp::Ge,
                    _ => return Err(self.error()),
                };
                self.advance();
                let end = self.pos + 1;
                let values = self.value_row()?;
                // A row of INSERT may be empty, a key has a value at least.
                if values.is_empty() {
                    self.pos = end;
                    return Err(self.error());
                }
                HandlerMove::Key { op, values }
            }
        };
        let where_ = self.where_clause()?;
        Ok(Handler::Read(HandlerRead { handler, index, how, where_, limit: self.limit()? }))
    }
}
