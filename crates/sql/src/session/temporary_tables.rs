//! What a session's temporary tables ask of rights, and their end.

use super::Session;
use crate::meta::temporary::{HIDDEN, Temporaries};
use crate::rights::{self, Need};
use weir_syntax::ast::{AlterSpec, ShowKind, Statement, TableName};

/// Whether the names of a statement that is no query may be those of temporary tables, which ask for no right. With it a name that is
/// one of a permanent table all the same: what CREATE TABLE makes, or ALTER TABLE renames to.
fn names_own<'s>(stmt: &'s Statement, own: &Temporaries) -> Option<Option<&'s TableName>> {
    if own.is_empty() {
        return None;
    }
    match stmt {
        Statement::CreateTable(c) => Some(Some(&c.name)),
        Statement::AlterTable(a) => {
            let renames = a.specs.iter().find_map(|s| match s {
                AlterSpec::RenameTo(name) => Some(name),
                _ => None,
            });
            Some(renames)
        }
        Statement::CreateIndex(_)
        | Statement::DropIndex(_)
        | Statement::TruncateTable(_)
        | Statement::DropTable(_)
        | Statement::TableAdmin(_)
        | Statement::Describe { .. } => Some(None),
        // A temporary table stands in nobody's way there.
        Statement::Show(s) if matches!(s.kind, ShowKind::CreateView(_)) => None,
        Statement::Show(_) => Some(None),
        _ => None,
    }
}

impl Session {
    /// What a statement that is no query asks for, without what its temporary tables do.
    pub(super) fn spare_temporary(&self, stmt: &Statement, needs: Vec<Need>) -> Vec<Need> {
        let Some(permanent) = names_own(stmt, &self.temporaries) else { return needs };
        let database = self.info.database.as_deref();
        let stays = |n: &Need| permanent.is_some_and(|name| rights::is_of(n, name, database));
        let (mut needs, mut rest): (Vec<Need>, Vec<Need>) = needs.into_iter().partition(stays);
        rights::spare_temporary(&mut rest, &self.temporaries);
        needs.append(&mut rest);
        needs
    }

    /// Tables that were dropped while a transaction used them go when it has ended.
    pub(super) async fn drop_doomed(&mut self) {
        let doomed = self.temporaries.take_doomed();
        if doomed.is_empty() {
            return;
        }
        let ddl = reads!(self).ddl();
        for t in doomed {
            // Whatever cannot go now is what the next start takes away: nobody else knows of it.
            let _ = self.inst.db.drop_tables(&[t], &ddl).await;
        }
    }

    /// All temporary tables go. The session is in no transaction.
    pub(super) async fn drop_temporaries(&mut self) {
        let all = self.temporaries.take_all();
        for kept in all {
            if let Some(t) = self.inst.db.table(HIDDEN, &kept) {
                self.temporaries.doom(t);
            }
        }
        self.drop_doomed().await;
    }
}
