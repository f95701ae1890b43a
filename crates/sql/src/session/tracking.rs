//! What clients with CLIENT_SESSION_TRACK learn of their session at the end of a statement: variables, the default database, that
//! something has changed at all, and the transaction. Proxies and pools of connections repeat it on another connection.
//!
//! The notes are taken while a statement runs and are given away with its answer; without such a client they cost a look at a flag.
//! Strings and orders are those that a MySQL sends: a transaction's state is sent when it differs from what was sent last.

use super::Session;
use crate::query::Plan;
use crate::vars::Var;
use std::collections::BTreeMap;
use std::pin::pin;
use weir_binlog::GtidSet;
use weir_engine::{Isolation, Xid};
use weir_rt::Rt;
use weir_syntax::ast::StartTransaction;

/// A change of the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tracked {
    Variable(&'static str, String),
    Schema(String),
    /// `session_track_state_change`: something that a new connection would not have.
    Changed,
    /// `session_track_gtids`: the transactions of the statement, or all that were executed.
    Gtids(String),
    /// Eight characters, see [`Transaction::state`].
    Transaction(String),
    /// The statements that begin such a transaction.
    Characteristics(String),
}

/// What has happened in a transaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Happened {
    /// Of tables that outlive the session, and of temporary ones.
    read: bool,
    wrote: bool,
    read_temporary: bool,
    wrote_temporary: bool,
    /// A statement whose rows may come in another order on another server.
    unsafe_rows: bool,
    result: bool,
}

#[derive(Debug)]
pub(super) struct Tracking {
    variables: BTreeMap<&'static str, Var>,
    schema: bool,
    changed: bool,
    /// How START TRANSACTION or XA START was said.
    started: Option<String>,
    /// SET TRANSACTION ISOLATION LEVEL for this transaction alone.
    isolation: Option<Isolation>,
    happened: Happened,
    told: String,
    told_characteristics: String,
    /// Transactions of the statement, as far as they have names.
    gtids: GtidSet,
}

/// Values of `session_track_gtids`.
const OWN_GTID: u8 = 1;
const ALL_GTIDS: u8 = 2;

const NO_TRANSACTION: &str = "________";

impl Default for Tracking {
    fn default() -> Tracking {
        Tracking {
            variables: BTreeMap::new(),
            schema: false,
            changed: false,
            started: None,
            isolation: None,
            happened: Happened::default(),
            told: NO_TRANSACTION.to_owned(),
            told_characteristics: String::new(),
            gtids: GtidSet::default(),
        }
    }
}

impl Tracking {
    pub(super) fn changed(&mut self) {
        self.changed = true;
    }

    pub(super) fn schema(&mut self) {
        (self.schema, self.changed) = (true, true);
    }

    pub(super) fn variable(&mut self, var: Var) {
        self.variables.insert(var.name(), var);
        self.changed = true;
    }

    /// `once`: the isolation that SET TRANSACTION has asked for.
    pub(super) fn began(&mut self, t: &StartTransaction, once: Option<Isolation>) {
        self.isolation = once;
        let mut said = "START TRANSACTION".to_owned();
        if t.consistent_snapshot {
            said.push_str(" WITH CONSISTENT SNAPSHOT");
            self.happened.read = true;
        }
        match t.read_only {
            Some(true) => {
                said.push_str(if t.consistent_snapshot { ", READ ONLY" } else { " READ ONLY" })
            }
            Some(false) => {
                said.push_str(if t.consistent_snapshot { ", READ WRITE" } else { " READ WRITE" })
            }
            None => {}
        }
        said.push(';');
        self.started = Some(said);
    }

    /// COMMIT AND CHAIN has begun a transaction of the same kind, which is sent once more. Its isolation was not asked for.
    pub(super) fn chained(&mut self) {
        self.isolation = None;
        self.told_characteristics.clear();
    }

    pub(super) fn began_branch(&mut self, xid: &Xid) {
        let text = |b: &[u8]| format!("'{}'", String::from_utf8_lossy(b));
        let mut name = text(&xid.gtrid);
        if !xid.bqual.is_empty() || xid.format != 1 {
            name.push_str(&format!(",{}", text(&xid.bqual)));
        }
        if xid.format != 1 {
            name.push_str(&format!(",{}", xid.format));
        }
        self.started = Some(format!("XA START {name};"));
    }

    pub(super) fn isolated(&mut self, level: Isolation) {
        self.isolation = Some(level);
    }

    pub(super) fn ended(&mut self) {
        (self.started, self.isolation, self.happened) = (None, None, Happened::default());
    }

    /// A statement has run.
    pub(super) fn ran(&mut self, plan: &Plan) {
        let touched = plan.touched();
        let h = &mut self.happened;
        h.read |= touched.reads;
        h.read_temporary |= touched.reads_temporary;
        h.wrote |= touched.writes;
        h.wrote_temporary |= touched.writes_temporary;
        h.unsafe_rows |= touched.writes && touched.reads || plan.reads_virtual();
        h.result |= plan.gives_rows();
    }
}

impl Session {
    /// A variable of the session was set.
    pub(super) fn track_variable(&mut self, var: Var) {
        self.tracking.changed = true;
        let list = self.vars.text(Var::session_track_system_variables);
        let is_own = |name: &str| name.trim().eq_ignore_ascii_case(var.name());
        if list.trim() == "*" || list.split(',').any(is_own) {
            self.tracking.variable(var);
        }
    }

    /// As [`Session::take_tracked`], after the names of the statement's transactions are known.
    #[inline]
    pub fn take_tracked_here(&mut self, rt: &Rt) -> Vec<Tracked> {
        if self.settings.tells_gtids != 0 && self.said.has_tickets() {
            self.learn_gtids_here(rt);
        }
        self.take_tracked()
    }

    /// Apart, so that an answer without names has no room for a future in its frame.
    #[cold]
    #[inline(never)]
    fn learn_gtids_here(&mut self, rt: &Rt) {
        rt.block_on(pin!(self.learn_gtids()));
    }

    /// A log that has failed gives no names. The answer does not depend on them.
    async fn learn_gtids(&mut self) {
        let tickets = self.said.take_tickets();
        let Some(log) = self.inst.binlog.get() else { return };
        for gtid in log.names_of(&tickets).await.unwrap_or_default() {
            self.tracking.gtids.add(&gtid);
        }
    }

    fn track_gtids(&mut self, all: &mut Vec<Tracked>) {
        let own = std::mem::take(&mut self.tracking.gtids);
        let told = match self.settings.tells_gtids {
            ALL_GTIDS if !self.in_transaction() => self.vars.text(Var::gtid_executed).to_string(),
            OWN_GTID => own.to_string(),
            _ => return,
        };
        if !told.is_empty() {
            all.push(Tracked::Gtids(told.replace('\n', "")));
        }
    }

    /// What the client is to be told now. Whether it can be told is the server's affair; what is not told now is not told later.
    pub fn take_tracked(&mut self) -> Vec<Tracked> {
        let mut all = Vec::new();
        let noted = &self.tracking;
        let nothing = noted.variables.is_empty() && !noted.schema && !noted.changed;
        let settings = &self.settings;
        if nothing && settings.tells_transactions == 0 && settings.tells_gtids == 0 {
            return all;
        }
        for (name, var) in std::mem::take(&mut self.tracking.variables) {
            let shown = var.def().show(&self.vars.get(var)).into_owned();
            all.push(Tracked::Variable(name, shown));
        }
        let schema = std::mem::take(&mut self.tracking.schema);
        if schema && self.vars.bool(Var::session_track_schema) {
            all.push(Tracked::Schema(self.database().to_owned()));
        }
        let changed = std::mem::take(&mut self.tracking.changed);
        if changed && self.settings.tells_changes {
            all.push(Tracked::Changed);
        }
        if self.settings.tells_gtids > 0 {
            self.track_gtids(&mut all);
        }
        if self.settings.tells_transactions > 0 {
            self.track_transaction(&mut all);
        }
        all
    }

    fn track_transaction(&mut self, all: &mut Vec<Tracked>) {
        let (open, explicit) = (self.in_transaction(), self.explicit || self.xa.is_some());
        if !open {
            self.tracking.ended();
        }
        let h = self.tracking.happened;
        let nothing = h == Happened::default();
        let begun = match (open, explicit) {
            (true, true) => 'T',
            (true, false) if !nothing => 'I',
            _ => '_',
        };
        let mark = |on: bool, c: char| if on && open { c } else { '_' };
        let state: String = [
            begun,
            mark(h.read_temporary, 'r'),
            mark(h.read, 'R'),
            mark(h.wrote_temporary, 'w'),
            mark(h.wrote, 'W'),
            mark(h.unsafe_rows, 's'),
            mark(h.result, 'S'),
            if self.locked.is_some() { 'L' } else { '_' },
        ]
        .into_iter()
        .collect();
        if state != self.tracking.told {
            self.tracking.told.clone_from(&state);
            all.push(Tracked::Transaction(state));
        }
        if self.settings.tells_transactions > 1 {
            let now = self.characteristics();
            if now != self.tracking.told_characteristics {
                self.tracking.told_characteristics.clone_from(&now);
                all.push(Tracked::Characteristics(now));
            }
        }
    }

    /// The statements that would begin the transaction at hand, or the next one, on another connection.
    fn characteristics(&self) -> String {
        let mut said = Vec::new();
        let level = self.next_isolation.or(self.tracking.isolation);
        if let Some(level) = level {
            let name = match level {
                Isolation::ReadUncommitted => "READ UNCOMMITTED",
                Isolation::ReadCommitted => "READ COMMITTED",
                Isolation::RepeatableRead => "REPEATABLE READ",
                Isolation::Serializable => "SERIALIZABLE",
            };
            said.push(format!("SET TRANSACTION ISOLATION LEVEL {name};"));
        }
        match (&self.tracking.started, self.next_read_only) {
            (Some(started), _) => {
                // SET TRANSACTION READ ONLY before it is part of it.
                let plain = started == "START TRANSACTION;" && self.is_read_only();
                said.push(match plain && !self.settings.read_only {
                    true => "START TRANSACTION READ ONLY;".to_owned(),
                    false => started.clone(),
                });
            }
            (None, Some(true)) => said.push("SET TRANSACTION READ ONLY;".to_owned()),
            (None, Some(false)) => said.push("SET TRANSACTION READ WRITE;".to_owned()),
            (None, None) => {}
        }
        said.join(" ")
    }
}
