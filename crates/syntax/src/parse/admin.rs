//! The remaining statements: USE, CALL, DO, PREPARE, KILL, FLUSH, table maintenance, ...

use super::{PResult, Parser};
use crate::ast::{
    AdminVerb, Backup, Flush, FlushKind, Ident, PrepareSource, PurgeBinaryLogs, ResetKind,
    Statement, TableAdmin, TableName,
};
use crate::lex::{Kw, T};

impl Parser<'_> {
    /// Behind BACKUP.
    fn backup(&mut self) -> PResult<Statement> {
        let mut b = Backup::default();
        match self.eat(Kw::TO) {
            true => b.to = Some(self.text()?),
            false => self.expect_word("STREAM")?,
        }
        while !self.at_end() {
            let stored = b.to.is_some();
            if self.eat_word(&["SINCE"]) {
                b.since = Some(self.text()?);
            } else if self.eat_word(&["RATE"]) {
                self.eat_equal();
                b.rate = self.number_or_size()?;
            } else if stored && self.eat_word(&["COMPRESSION"]) {
                self.eat_equal();
                b.compression = self.number()?;
            } else if stored && self.eat_word(&["KEY_FILE"]) {
                self.eat_equal();
                b.key_file = Some(self.text()?);
            } else {
                return Err(self.error());
            }
        }
        Ok(Statement::Backup(Box::new(b)))
    }

    fn number_or_size(&mut self) -> PResult<u64> {
        match self.kind() {
            T::Word => self.size(),
            _ => self.number(),
        }
    }

    /// DO is followed by a select list, whose aliases name nothing.
    fn do_statement(&mut self) -> PResult<Statement> {
        Ok(Statement::Do(self.comma_list(|p| {
            let e = p.expr()?;
            if p.eat(Kw::AS) || p.at_ident() || p.kind() == T::Str {
                p.ident_or_string()?;
            }
            Ok(e)
        })?))
    }

    #[inline(never)]
    pub(crate) fn admin_statement(&mut self) -> PResult<Statement> {
        let start = self.pos;
        let kw = self.kw();
        match kw {
            Kw::LOAD => return self.load(),
            Kw::HANDLER => return self.handler(),
            Kw::ANALYZE | Kw::CHECK | Kw::CHECKSUM | Kw::OPTIMIZE | Kw::REPAIR => {
                return self.table_admin();
            }
            Kw::FLUSH => return self.flush(),
            Kw::RESET => return self.reset(),
            _ => {}
        }
        self.advance();
        match kw {
            Kw::USE => Ok(Statement::Use(self.object_name()?)),
            Kw::DO => self.do_statement(),
            Kw::CALL => self.call_statement(),
            Kw::PREPARE => self.prepare(),
            Kw::EXECUTE => self.execute(),
            Kw::DEALLOCATE => {
                self.expect(Kw::PREPARE)?;
                Ok(Statement::Deallocate { name: self.ident()? })
            }
            Kw::KILL => {
                let query_only = self.eat_any(&[Kw::QUERY, Kw::CONNECTION]) == Some(Kw::QUERY);
                Ok(Statement::Kill { query_only, id: self.expr()? })
            }
            Kw::HELP => Ok(Statement::Help(self.ident_or_string()?.0.into_boxed_bytes())),
            Kw::SHUTDOWN => Ok(Statement::Shutdown),
            Kw::RESTART => Ok(Statement::Restart),
            Kw::BACKUP => self.backup(),
            Kw::BINLOG => Ok(Statement::Binlog(self.string()?)),
            Kw::PURGE => self.purge(),
            Kw::INSTALL if self.eat(Kw::PLUGIN) => {
                let name = self.ident()?;
                self.expect(Kw::SONAME)?;
                Ok(Statement::InstallPlugin { name, soname: self.text()? })
            }
            Kw::UNINSTALL if self.eat(Kw::PLUGIN) => Ok(Statement::UninstallPlugin(self.ident()?)),
            Kw::INSTALL if self.eat(Kw::COMPONENT) => {
                let urns = self.comma_list(Parser::text)?;
                let sets = self.at(Kw::SET);
                if sets {
                    self.set_statement()?;
                }
                Ok(Statement::InstallComponent { urns, sets })
            }
            Kw::UNINSTALL if self.eat(Kw::COMPONENT) => {
                Ok(Statement::UninstallComponent(self.comma_list(Parser::text)?))
            }
            Kw::CHANGE => self.change_replication(),
            Kw::STOP => self.run_replica(false),
            Kw::CACHE => self.cache_index(),
            Kw::CLONE => Ok(self.unsupported("CLONE")),
            Kw::IMPORT => Ok(self.unsupported("IMPORT TABLE")),
            Kw::SIGNAL => self.signal(false),
            Kw::RESIGNAL => self.signal(true),
            Kw::GET => self.get_diagnostics(),
            _ => {
                self.pos = start;
                Err(self.error())
            }
        }
    }

    fn execute(&mut self) -> PResult<Statement> {
        let name = self.ident()?;
        let mut using = Vec::new();
        if self.eat(Kw::USING) {
            using = self.comma_list(Parser::user_var)?;
        }
        Ok(Statement::Execute { name, using })
    }

    fn call_statement(&mut self) -> PResult<Statement> {
        let name = self.table_name()?;
        let mut args = Vec::new();
        if self.eat_t(T::LParen) {
            if self.kind() != T::RParen {
                args = self.expr_list()?;
            }
            self.expect_t(T::RParen)?;
        }
        Ok(Statement::Call { name, args })
    }

    fn prepare(&mut self) -> PResult<Statement> {
        let name = self.ident()?;
        self.expect(Kw::FROM)?;
        let source = match self.kind() {
            T::At => PrepareSource::UserVar(self.user_var()?),
            _ => PrepareSource::Text(self.sent_string()?.into()),
        };
        Ok(Statement::Prepare { name, source })
    }

    fn purge(&mut self) -> PResult<Statement> {
        if self.eat_any(&[Kw::BINARY, Kw::MASTER]).is_none() {
            return Err(self.error());
        }
        self.expect(Kw::LOGS)?;
        Ok(Statement::PurgeBinaryLogs(if self.eat(Kw::TO) {
            PurgeBinaryLogs::To(self.string()?)
        } else {
            self.expect(Kw::BEFORE)?;
            PurgeBinaryLogs::Before(self.expr()?)
        }))
    }

    fn table_admin(&mut self) -> PResult<Statement> {
        let kw = self.kw();
        self.advance();
        let local = !matches!(kw, Kw::CHECK | Kw::CHECKSUM)
            && self.eat_any(&[Kw::NO_WRITE_TO_BINLOG, Kw::LOCAL]).is_some();
        if self.eat_any(&[Kw::TABLE, Kw::TABLES]).is_none() {
            return Err(self.error());
        }
        let tables = self.comma_list(Parser::table_name)?;
        let mut admin = TableAdmin {
            verb: match kw {
                Kw::ANALYZE => AdminVerb::Analyze,
                Kw::CHECK => AdminVerb::Check,
                Kw::CHECKSUM => AdminVerb::Checksum,
                Kw::OPTIMIZE => AdminVerb::Optimize,
                _ => AdminVerb::Repair,
            },
            tables,
            local,
            options: Vec::new(),
        };
        if kw == Kw::ANALYZE {
            self.histogram(&mut admin)?;
        }
        let legal: &[Kw] = match kw {
            Kw::CHECK => &[Kw::QUICK, Kw::FAST, Kw::MEDIUM, Kw::EXTENDED, Kw::CHANGED],
            Kw::CHECKSUM => &[Kw::QUICK, Kw::EXTENDED],
            Kw::REPAIR => &[Kw::QUICK, Kw::EXTENDED, Kw::USE_FRM],
            _ => &[],
        };
        loop {
            if kw == Kw::CHECK && self.eat_all(&[Kw::FOR, Kw::UPGRADE]) {
                admin.options.push("FOR UPGRADE");
            } else if let Some(option) = self.eat_any(legal) {
                admin.options.push(option.text());
            } else {
                return Ok(Statement::TableAdmin(Box::new(admin)));
            }
        }
    }

    fn cache_index(&mut self) -> PResult<Statement> {
        self.expect(Kw::INDEX)?;
        let tables = self.comma_list(|p| p.cached_table(false))?;
        self.expect(Kw::IN)?;
        let cache = match self.eat(Kw::DEFAULT) {
            true => Ident::new("default"),
            false => self.ident()?,
        };
        Ok(key_cache(AdminVerb::AssignToKeyCache(cache), tables))
    }

    /// LOAD INDEX INTO CACHE, behind LOAD.
    pub(crate) fn load_index(&mut self) -> PResult<Statement> {
        for kw in [Kw::INDEX, Kw::INTO, Kw::CACHE] {
            self.expect(kw)?;
        }
        let tables = self.comma_list(|p| p.cached_table(true))?;
        Ok(key_cache(AdminVerb::PreloadKeys, tables))
    }

    /// A table with its partitions and indexes, which mean something to MyISAM alone. `load`: IGNORE LEAVES may follow.
    fn cached_table(&mut self, load: bool) -> PResult<TableName> {
        let name = self.table_name()?;
        if self.eat(Kw::PARTITION) {
            self.expect_t(T::LParen)?;
            if !self.eat(Kw::ALL) {
                self.ident_list()?;
            }
            self.expect_t(T::RParen)?;
        }
        if self.eat_any(&[Kw::INDEX, Kw::KEY]).is_some() || self.kind() == T::LParen {
            self.expect_t(T::LParen)?;
            if self.kind() != T::RParen && !self.eat(Kw::PRIMARY) {
                self.ident_list()?;
            }
            self.expect_t(T::RParen)?;
        }
        if load && self.eat(Kw::IGNORE) {
            self.expect(Kw::LEAVES)?;
        }
        Ok(name)
    }

    fn histogram(&mut self, admin: &mut TableAdmin) -> PResult<()> {
        if self.eat_all(&[Kw::DROP, Kw::HISTOGRAM, Kw::ON]) {
            admin.verb = AdminVerb::DropHistogram { columns: self.ident_list()? };
        } else if self.eat_all(&[Kw::UPDATE, Kw::HISTOGRAM, Kw::ON]) {
            let columns = self.ident_list()?;
            let (mut buckets, mut using_data, mut auto_update) = (None, None, false);
            if self.eat_all(&[Kw::USING, Kw::DATA]) {
                using_data = Some(self.string()?);
            } else {
                if self.eat(Kw::WITH) {
                    buckets = Some(self.number()?);
                    self.expect(Kw::BUCKETS)?;
                }
                auto_update = self.eat_all(&[Kw::AUTO, Kw::UPDATE]);
                if !auto_update && self.eat(Kw::MANUAL) {
                    self.expect(Kw::UPDATE)?;
                }
            }
            admin.verb = AdminVerb::UpdateHistogram { columns, buckets, using_data, auto_update };
        }
        Ok(())
    }

    fn flush(&mut self) -> PResult<Statement> {
        self.expect(Kw::FLUSH)?;
        let local = self.eat_any(&[Kw::NO_WRITE_TO_BINLOG, Kw::LOCAL]).is_some();
        if self.eat_any(&[Kw::TABLES, Kw::TABLE]).is_some() {
            let mut names = Vec::new();
            if self.at_ident() {
                names = self.comma_list(Parser::table_name)?;
            }
            let read_lock = self.at_all(&[Kw::WITH, Kw::READ, Kw::LOCK])
                && self.eat_all(&[Kw::WITH, Kw::READ, Kw::LOCK]);
            let export = !names.is_empty() && self.eat_all(&[Kw::FOR, Kw::EXPORT]);
            let what = vec![FlushKind::Tables { names, read_lock, export }];
            return Ok(Statement::Flush(Box::new(Flush { local, what })));
        }
        let what = self.comma_list(Parser::flush_kind)?;
        Ok(Statement::Flush(Box::new(Flush { local, what })))
    }

    fn flush_kind(&mut self) -> PResult<FlushKind> {
        let start = self.pos;
        let kw = self.kw();
        self.advance();
        Ok(match kw {
            Kw::PRIVILEGES => FlushKind::Privileges,
            Kw::LOGS => FlushKind::Logs,
            Kw::BINARY if self.eat(Kw::LOGS) => FlushKind::BinaryLogs,
            Kw::ENGINE if self.eat(Kw::LOGS) => FlushKind::EngineLogs,
            Kw::ERROR if self.eat(Kw::LOGS) => FlushKind::ErrorLogs,
            Kw::GENERAL if self.eat(Kw::LOGS) => FlushKind::GeneralLogs,
            Kw::SLOW if self.eat(Kw::LOGS) => FlushKind::SlowLogs,
            Kw::RELAY if self.eat(Kw::LOGS) => {
                FlushKind::RelayLogs { channel: self.for_channel()? }
            }
            Kw::STATUS => FlushKind::Status,
            Kw::USER_RESOURCES => FlushKind::UserResources,
            Kw::OPTIMIZER_COSTS => FlushKind::OptimizerCosts,
            Kw::HOSTS => FlushKind::Hosts,
            _ => {
                self.pos = start;
                return Err(self.error());
            }
        })
    }

    fn reset(&mut self) -> PResult<Statement> {
        self.expect(Kw::RESET)?;
        if self.eat(Kw::PERSIST) {
            let if_exists = self.if_exists();
            // IF EXISTS without a name would be all of them.
            let named = self.at_ident() || (if_exists && !self.lenient());
            let name = if named { Some(self.ident()?) } else { None };
            return Ok(Statement::Reset(vec![ResetKind::Persist { if_exists, name }]));
        }
        Ok(Statement::Reset(self.comma_list(|p| {
            let logs = p.eat_all(&[Kw::BINARY, Kw::LOGS, Kw::AND]);
            if logs {
                p.expect_word("GTIDS")?;
            }
            if logs || p.eat(Kw::MASTER) {
                let to = if p.eat(Kw::TO) { Some(p.whole_number()?) } else { None };
                return Ok(ResetKind::BinaryLogs(to));
            }
            if p.eat_any(&[Kw::REPLICA, Kw::SLAVE]).is_none() {
                return Err(p.error());
            }
            let all = p.eat(Kw::ALL);
            Ok(ResetKind::Replica { all, channel: p.for_channel()? })
        })?))
    }
}

fn key_cache(verb: AdminVerb, tables: Vec<TableName>) -> Statement {
    Statement::TableAdmin(Box::new(TableAdmin { verb, tables, local: false, options: Vec::new() }))
}
