//! Transactions, table locks, XA.

use super::{PResult, Parser};
use crate::ast::{Completion, LockTable, StartTransaction, Statement, TableLockKind, Xa, Xid};
use crate::lex::{Kw, T};

impl Parser<'_> {
    #[inline(never)]
    pub(crate) fn transaction_statement(&mut self) -> PResult<Statement> {
        let kw = self.kw();
        self.advance();
        match kw {
            Kw::BEGIN => {
                self.eat(Kw::WORK);
                Ok(Statement::Begin)
            }
            Kw::START => self.start(),
            Kw::COMMIT => {
                self.eat(Kw::WORK);
                Ok(Statement::Commit(self.completion()?))
            }
            Kw::ROLLBACK => {
                self.eat(Kw::WORK);
                if self.eat(Kw::TO) {
                    if self.at(Kw::SAVEPOINT) && Self::is_ident(self.ahead(1)) {
                        self.advance();
                    }
                    return Ok(Statement::RollbackTo(self.ident()?));
                }
                Ok(Statement::Rollback(self.completion()?))
            }
            Kw::SAVEPOINT => Ok(Statement::Savepoint(self.ident()?)),
            Kw::RELEASE => {
                self.expect(Kw::SAVEPOINT)?;
                Ok(Statement::ReleaseSavepoint(self.ident()?))
            }
            Kw::LOCK => self.lock(),
            Kw::UNLOCK => {
                if self.eat(Kw::INSTANCE) {
                    return Ok(Statement::UnlockInstance);
                }
                match self.eat_any(&[Kw::TABLES, Kw::TABLE]) {
                    Some(_) => Ok(Statement::UnlockTables),
                    None => Err(self.error()),
                }
            }
            _ => self.xa(),
        }
    }

    fn start(&mut self) -> PResult<Statement> {
        if matches!(self.kw(), Kw::SLAVE | Kw::REPLICA | Kw::GROUP_REPLICATION) {
            return self.run_replica(true);
        }
        self.expect(Kw::TRANSACTION)?;
        let mut start = StartTransaction::default();
        if self.at_end() {
            return Ok(Statement::StartTransaction(start));
        }
        loop {
            if self.eat_all(&[Kw::WITH, Kw::CONSISTENT, Kw::SNAPSHOT]) {
                start.consistent_snapshot = true;
            } else if start.read_only.is_none() && self.eat(Kw::READ) {
                start.read_only = Some(self.read_mode()?);
            } else {
                return Err(self.error());
            }
            if !self.eat_t(T::Comma) {
                return Ok(Statement::StartTransaction(start));
            }
        }
    }

    fn completion(&mut self) -> PResult<Completion> {
        let mut completion = Completion::default();
        if self.eat(Kw::AND) {
            completion.chain = Some(!self.eat(Kw::NO));
            self.expect(Kw::CHAIN)?;
        }
        if self.eat_all(&[Kw::NO, Kw::RELEASE]) {
            completion.release = Some(false);
        } else if self.eat(Kw::RELEASE) {
            // AND CHAIN RELEASE contradicts itself.
            if completion.chain == Some(true) {
                return Err(self.error());
            }
            completion.release = Some(true);
        }
        Ok(completion)
    }

    fn lock(&mut self) -> PResult<Statement> {
        if self.eat(Kw::INSTANCE) {
            self.expect_all(&[Kw::FOR, Kw::BACKUP])?;
            return Ok(Statement::LockInstance);
        }
        if self.eat_any(&[Kw::TABLES, Kw::TABLE]).is_none() {
            return Err(self.error());
        }
        Ok(Statement::LockTables(self.comma_list(|p| {
            let name = p.table_name()?;
            // LOCAL, LOW_PRIORITY, READ and WRITE belong to the lock; only LOCAL could be a name.
            let alias = p.table_alias()?;
            let kind = if p.eat(Kw::READ) {
                match p.eat(Kw::LOCAL) {
                    true => TableLockKind::ReadLocal,
                    false => TableLockKind::Read,
                }
            } else if p.eat(Kw::LOW_PRIORITY) {
                p.expect(Kw::WRITE)?;
                TableLockKind::LowPriorityWrite
            } else {
                p.expect(Kw::WRITE)?;
                TableLockKind::Write
            };
            Ok(LockTable { name, alias, kind })
        })?))
    }

    fn xa(&mut self) -> PResult<Statement> {
        let kw = self.eat_any(&[
            Kw::START,
            Kw::BEGIN,
            Kw::END,
            Kw::PREPARE,
            Kw::COMMIT,
            Kw::ROLLBACK,
            Kw::RECOVER,
        ]);
        if kw == Some(Kw::RECOVER) {
            let convert_xid = self.eat_all(&[Kw::CONVERT, Kw::XID]);
            return Ok(Statement::Xa(Xa::Recover { convert_xid }));
        }
        let Some(kw) = kw else { return Err(self.error()) };
        let xid = self.xid()?;
        Ok(Statement::Xa(match kw {
            Kw::START | Kw::BEGIN => {
                let join = self.eat(Kw::JOIN);
                let resume = !join && self.eat(Kw::RESUME);
                Xa::Start { xid, join, resume }
            }
            Kw::END => {
                let suspend = self.eat(Kw::SUSPEND);
                let for_migrate = suspend && self.eat_all(&[Kw::FOR, Kw::MIGRATE]);
                Xa::End { xid, suspend, for_migrate }
            }
            Kw::PREPARE => Xa::Prepare(xid),
            Kw::COMMIT => Xa::Commit { xid, one_phase: self.eat_all(&[Kw::ONE, Kw::PHASE]) },
            _ => Xa::Rollback(xid),
        }))
    }

    /// Either name of an XID has 64 bytes at most.
    fn xid_part(&mut self) -> PResult<Box<[u8]>> {
        let at = self.pos;
        let part = self.text_bytes()?;
        if part.len() > 64 {
            self.pos = at;
            return Err(self.error());
        }
        Ok(part)
    }

    fn xid(&mut self) -> PResult<Xid> {
        let gtrid = self.xid_part()?;
        let mut xid = Xid { gtrid, bqual: Box::default(), format_id: 1 };
        if self.eat_t(T::Comma) {
            xid.bqual = self.xid_part()?;
            if self.eat_t(T::Comma) {
                xid.format_id = self.whole_number()?;
            }
        }
        Ok(xid)
    }
}
