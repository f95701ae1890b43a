//! SHOW, EXPLAIN, DESCRIBE.

use super::{PResult, Parser};
use crate::ast::{
    DescribeColumn, Explain, ExplainFormat, ExplainTarget, Ident, Limit, Show, ShowFilter,
    ShowKind, Statement, TableName,
};
use crate::lex::{Kw, T};

impl Parser<'_> {
    #[inline(never)]
    pub(crate) fn show(&mut self) -> PResult<Statement> {
        self.expect(Kw::SHOW)?;
        let kind = self.show_kind()?;
        let filtered = matches!(
            kind,
            ShowKind::Databases
                | ShowKind::Tables { .. }
                | ShowKind::TableStatus { .. }
                | ShowKind::OpenTables { .. }
                | ShowKind::Triggers { .. }
                | ShowKind::Events { .. }
                | ShowKind::Columns { .. }
                | ShowKind::Variables { .. }
                | ShowKind::Status { .. }
                | ShowKind::ProcedureStatus
                | ShowKind::FunctionStatus
                | ShowKind::CharacterSet
                | ShowKind::Collation
        );
        let mut filter = None;
        if filtered && self.eat(Kw::LIKE) {
            filter = Some(ShowFilter::Like(self.string()?));
        } else if (filtered || matches!(kind, ShowKind::Index { .. })) && self.eat(Kw::WHERE) {
            filter = Some(ShowFilter::Where(self.expr()?));
        }
        Ok(Statement::Show(Box::new(Show { kind, filter })))
    }

    fn show_kind(&mut self) -> PResult<ShowKind> {
        let start = self.pos;
        let kw = self.kw();
        self.advance();
        Ok(match kw {
            Kw::DATABASES | Kw::SCHEMAS => ShowKind::Databases,
            Kw::FULL | Kw::EXTENDED => {
                self.pos = start;
                return self.show_full();
            }
            Kw::TABLES
            | Kw::TRIGGERS
            | Kw::COLUMNS
            | Kw::FIELDS
            | Kw::INDEX
            | Kw::INDEXES
            | Kw::KEYS
            | Kw::PROCESSLIST => {
                self.pos = start;
                return self.show_full();
            }
            Kw::TABLE => {
                self.expect(Kw::STATUS)?;
                ShowKind::TableStatus { schema: self.in_schema()? }
            }
            Kw::OPEN => {
                self.expect(Kw::TABLES)?;
                ShowKind::OpenTables { schema: self.in_schema()? }
            }
            Kw::EVENTS => ShowKind::Events { schema: self.in_schema()? },
            Kw::GLOBAL | Kw::SESSION | Kw::LOCAL => {
                let global = kw == Kw::GLOBAL;
                match self.eat_any(&[Kw::VARIABLES, Kw::STATUS]) {
                    Some(Kw::VARIABLES) => ShowKind::Variables { global },
                    Some(_) => ShowKind::Status { global },
                    None => return Err(self.error()),
                }
            }
            Kw::VARIABLES => ShowKind::Variables { global: false },
            Kw::STATUS => ShowKind::Status { global: false },
            Kw::CREATE => return self.show_create(),
            Kw::PROCEDURE | Kw::FUNCTION => return self.show_routine(kw == Kw::PROCEDURE),
            Kw::ENGINE => {
                let name =
                    if self.at(Kw::ALL) { self.any_word()? } else { self.ident_or_string()? };
                if !matches!(self.kw(), Kw::STATUS | Kw::MUTEX | Kw::LOGS) {
                    return Err(self.error());
                }
                ShowKind::Engine { name, what: self.any_word()? }
            }
            Kw::INNODB => {
                let known = self.at(Kw::STATUS);
                self.pos = start;
                if !known {
                    return Err(self.error());
                }
                let (near, line) = self.rest();
                self.pos = start + 2;
                ShowKind::InnodbStatus { near, line }
            }
            Kw::STORAGE => {
                self.expect(Kw::ENGINES)?;
                ShowKind::Engines
            }
            Kw::ENGINES => ShowKind::Engines,
            Kw::WARNINGS => ShowKind::Warnings(self.limit()?),
            Kw::ERRORS => ShowKind::Errors(self.limit()?),
            Kw::COUNT => {
                self.expect_t(T::LParen)?;
                self.expect_t(T::Star)?;
                self.expect_t(T::RParen)?;
                match self.eat_any(&[Kw::WARNINGS, Kw::ERRORS]) {
                    Some(Kw::WARNINGS) => ShowKind::CountWarnings,
                    Some(_) => ShowKind::CountErrors,
                    None => return Err(self.error()),
                }
            }
            Kw::GRANTS => return self.show_grants(),
            Kw::CHARSET => ShowKind::CharacterSet,
            Kw::CHARACTER | Kw::CHAR => {
                self.expect(Kw::SET)?;
                ShowKind::CharacterSet
            }
            Kw::COLLATION => ShowKind::Collation,
            Kw::PLUGINS => ShowKind::Plugins,
            Kw::PRIVILEGES => ShowKind::Privileges,
            Kw::PROFILES => ShowKind::Profiles,
            Kw::PROFILE => return self.show_profile(),
            _ => {
                self.pos = start;
                return self.show_replication();
            }
        })
    }

    fn show_replication(&mut self) -> PResult<ShowKind> {
        let start = self.pos;
        let kw = self.kw();
        self.advance();
        Ok(match kw {
            Kw::MASTER | Kw::BINARY => {
                if self.eat(Kw::LOGS) {
                    return Ok(ShowKind::BinaryLogs);
                }
                if kw == Kw::BINARY && !self.at(Kw::STATUS) {
                    // SHOW BINARY LOG STATUS; LOG is not a keyword elsewhere.
                    if !self.raw(self.token()).eq_ignore_ascii_case(b"log") {
                        return Err(self.error());
                    }
                    self.advance();
                }
                self.expect(Kw::STATUS)?;
                ShowKind::BinaryLogStatus
            }
            Kw::BINLOG | Kw::RELAYLOG => {
                self.expect(Kw::EVENTS)?;
                let log = if self.eat(Kw::IN) { Some(self.string()?) } else { None };
                let position = if self.eat(Kw::FROM) { Some(self.number()?) } else { None };
                let limit: Option<Limit> = self.limit()?;
                if kw == Kw::BINLOG {
                    ShowKind::BinlogEvents { log, position, limit }
                } else {
                    let channel = self.for_channel()?;
                    ShowKind::RelaylogEvents { log, position, limit, channel }
                }
            }
            Kw::REPLICA | Kw::SLAVE if self.eat(Kw::STATUS) => {
                ShowKind::ReplicaStatus { old: kw == Kw::SLAVE, channel: self.for_channel()? }
            }
            Kw::SLAVE if self.eat(Kw::HOSTS) => ShowKind::Replicas,
            Kw::REPLICAS => ShowKind::Replicas,
            _ => {
                self.pos = start;
                return Err(self.error());
            }
        })
    }

    /// What may follow FULL or EXTENDED.
    fn show_full(&mut self) -> PResult<ShowKind> {
        let extended = self.eat(Kw::EXTENDED);
        let full = self.eat(Kw::FULL);
        let start = self.pos;
        let kw = self.kw();
        self.advance();
        Ok(match kw {
            Kw::TABLES => ShowKind::Tables { full, extended, schema: self.in_schema()? },
            Kw::TRIGGERS if !extended => ShowKind::Triggers { full, schema: self.in_schema()? },
            Kw::COLUMNS | Kw::FIELDS => {
                ShowKind::Columns { full, extended, table: self.shown_table()? }
            }
            Kw::INDEX | Kw::INDEXES | Kw::KEYS if !full => {
                ShowKind::Index { extended, table: self.shown_table()? }
            }
            Kw::PROCESSLIST if !extended => ShowKind::Processlist { full },
            _ => {
                self.pos = start;
                return Err(self.error());
            }
        })
    }

    /// `[FROM | IN schema]`.
    fn in_schema(&mut self) -> PResult<Option<Ident>> {
        match self.eat_any(&[Kw::FROM, Kw::IN]) {
            Some(_) => Ok(Some(self.ident()?)),
            None => Ok(None),
        }
    }

    /// `FROM [schema.]table [FROM schema]`.
    fn shown_table(&mut self) -> PResult<TableName> {
        if self.eat_any(&[Kw::FROM, Kw::IN]).is_none() {
            return Err(self.error());
        }
        let mut table = self.table_name()?;
        if let Some(schema) = self.in_schema()? {
            table.schema = Some(schema);
        }
        Ok(table)
    }

    fn show_create(&mut self) -> PResult<ShowKind> {
        let start = self.pos;
        let kw = self.kw();
        self.advance();
        Ok(match kw {
            Kw::TABLE => ShowKind::CreateTable(self.table_name()?),
            Kw::VIEW => ShowKind::CreateView(self.table_name()?),
            Kw::DATABASE | Kw::SCHEMA => {
                let if_not_exists = self.if_not_exists();
                ShowKind::CreateDatabase { if_not_exists, name: self.ident()? }
            }
            Kw::PROCEDURE => ShowKind::CreateProcedure(self.table_name()?),
            Kw::FUNCTION => ShowKind::CreateFunction(self.table_name()?),
            Kw::TRIGGER => ShowKind::CreateTrigger(self.table_name()?),
            Kw::EVENT => ShowKind::CreateEvent(self.table_name()?),
            Kw::USER => ShowKind::CreateUser(self.user_spec()?),
            _ => {
                self.pos = start;
                return Err(self.error());
            }
        })
    }

    fn show_routine(&mut self, procedure: bool) -> PResult<ShowKind> {
        if self.eat(Kw::CODE) {
            return Ok(ShowKind::RoutineCode(self.table_name()?));
        }
        self.expect(Kw::STATUS)?;
        Ok(if procedure { ShowKind::ProcedureStatus } else { ShowKind::FunctionStatus })
    }

    fn show_grants(&mut self) -> PResult<ShowKind> {
        if !self.eat(Kw::FOR) {
            return Ok(ShowKind::Grants { user: None, using: Vec::new() });
        }
        let user = Some(self.user_spec()?);
        let using = if self.eat(Kw::USING) { self.user_list()? } else { Vec::new() };
        Ok(ShowKind::Grants { user, using })
    }

    fn show_profile(&mut self) -> PResult<ShowKind> {
        let mut types = Vec::new();
        while self.kind() == T::Word && !matches!(self.kw(), Kw::FOR | Kw::LIMIT) {
            let mut words = self.any_word()?.0.to_ascii_uppercase();
            if matches!(self.kw(), Kw::SWITCHES | Kw::IO | Kw::FAULTS) {
                words.push(' ');
                words.push_str(self.any_word()?.as_str());
            }
            types.push(words.into());
            if !self.eat_t(T::Comma) {
                break;
            }
        }
        let query = if self.eat_all(&[Kw::FOR, Kw::QUERY]) { Some(self.number()?) } else { None };
        Ok(ShowKind::Profile { types, query, limit: self.limit()? })
    }

    #[inline(never)]
    pub(crate) fn explain(&mut self) -> PResult<Statement> {
        self.advance();
        let mut analyze = false;
        let mut format = ExplainFormat::Default;
        if self.at(Kw::ANALYZE) {
            self.advance();
            analyze = true;
        } else if matches!(self.kw(), Kw::EXTENDED | Kw::PARTITIONS) {
            // Removed from MySQL 8.0's grammar as prefixes; still sent by old clients.
            let verb = matches!(
                self.ahead(1).kw,
                Kw::SELECT | Kw::INSERT | Kw::REPLACE | Kw::UPDATE | Kw::DELETE | Kw::WITH
            );
            if verb {
                self.advance();
            }
        }
        if self.at(Kw::FORMAT) && self.ahead(1).kind == T::Eq {
            self.pos += 2;
            let word = self.ident_or_string()?;
            format = match word.as_str().to_ascii_lowercase().as_str() {
                "traditional" => ExplainFormat::Traditional,
                "json" => ExplainFormat::Json,
                "tree" => ExplainFormat::Tree,
                _ => {
                    let message = format!("Unknown EXPLAIN format name: '{word}'");
                    return Err(super::ParseError { errno: 1791, message: message.into() });
                }
            };
        }
        let target = match self.kw() {
            Kw::FOR if self.ahead(1).kw == Kw::CONNECTION => {
                self.pos += 2;
                ExplainTarget::Connection(self.whole_number()?)
            }
            Kw::SELECT
            | Kw::INSERT
            | Kw::REPLACE
            | Kw::UPDATE
            | Kw::DELETE
            | Kw::WITH
            | Kw::TABLE
            | Kw::VALUES => ExplainTarget::Statement(Box::new(self.statement()?)),
            _ if self.kind() == T::LParen => ExplainTarget::Statement(Box::new(self.statement()?)),
            _ if !analyze && format == ExplainFormat::Default => return self.describe(),
            _ => return Err(self.error()),
        };
        Ok(Statement::Explain(Box::new(Explain { analyze, format, target })))
    }

    fn describe(&mut self) -> PResult<Statement> {
        let table = self.table_name()?;
        let column = match self.kind() {
            T::Str => Some(DescribeColumn::Pattern(self.string()?)),
            T::Word | T::Quoted => Some(DescribeColumn::Name(self.ident()?)),
            _ => None,
        };
        Ok(Statement::Describe { table, column })
    }
}
