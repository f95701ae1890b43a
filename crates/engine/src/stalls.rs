//! Floor 8: who waits for what, by names: for monitors, for the log, for the watchdog. Takes short mutexes only, so that it
//! answers while everything else is stuck.

use crate::catalog::Catalog;
use crate::db::{Db, Inner};
use crate::ids::TrxId;
use crate::space;
use crate::sync::atomic::Ordering;
use crate::waits::stall::{Look, Stall, Stuck, Verdict, Waiting, Watchdog};
use crate::waits::{Blocker, Cause, Object, Open, Record, StatementFn, Totals, What};
use std::collections::HashMap;
use std::fmt::Write;

/// A wait, under way or ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitInfo {
    /// Wall clock, microseconds since 1970.
    pub started_micros: u64,
    pub micros: u64,
    /// It has not ended.
    pub lasts: bool,
    pub cause: &'static str,
    pub object: Option<String>,
    /// Sessions and transactions; 0: not known.
    pub blocker: u64,
    pub blocker_trx: TrxId,
    pub session: u64,
    pub trx: TrxId,
    /// The start of the statement; empty: not known.
    pub statement: String,
}

/// A row of the stall report.
#[derive(Clone, Debug, PartialEq)]
pub struct StallRow {
    pub ended_micros: u64,
    pub seconds: u32,
    pub run: u32,
    pub cause: &'static str,
    pub object: Option<String>,
    pub blocker: u64,
    pub waits: u64,
    pub micros: u64,
    pub share: f64,
    pub commits: u64,
}

/// A session that waited when a stall was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StuckInfo {
    pub since_micros: u64,
    pub cause: &'static str,
    pub object: Option<String>,
    pub blocker: u64,
    pub blocker_trx: TrxId,
    pub session: u64,
    pub trx: TrxId,
    pub statement: String,
}

/// A time without a commit while sessions waited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StallInfo {
    pub number: u64,
    pub began_micros: u64,
    pub ended_micros: Option<u64>,
    pub sessions: usize,
    pub stuck: Vec<StuckInfo>,
}

/// Names of what is waited for, or was.
struct Names {
    indexes: HashMap<u64, String>,
    tables: HashMap<u64, String>,
    spaces: HashMap<u32, String>,
}

impl Names {
    fn of(catalog: &Catalog) -> Names {
        let mut n = Names {
            indexes: HashMap::new(),
            tables: HashMap::new(),
            spaces: HashMap::from([
                (space::SYSTEM, "system tablespace".into()),
                (space::UNDO, "undo tablespace".into()),
            ]),
        };
        for t in catalog.names() {
            let (id, name) = t.table;
            n.spaces.insert(t.space, name.clone());
            n.tables.insert(id, name);
            n.indexes.extend(t.indexes);
        }
        n
    }

    /// What was dropped long ago has its number left.
    fn name(&self, o: Object) -> Option<String> {
        let or = |name: Option<&String>, what: &str, id: u64| {
            name.cloned().unwrap_or_else(|| format!("{what} {id} (gone)"))
        };
        Some(match o {
            Object::None => return None,
            Object::Index(id) => or(self.indexes.get(&id), "index", id),
            Object::Table(id) => or(self.tables.get(&id), "table", id),
            Object::Space(id) => or(self.spaces.get(&id), "tablespace", id.into()),
            Object::Page(p) => {
                format!(
                    "{} page {}",
                    or(self.spaces.get(&p.space), "tablespace", p.space.into()),
                    p.page
                )
            }
            Object::Scarce(c) => c.name().into(),
        })
    }
}

impl Db {
    /// From now on the log has the texts of definition statements.
    pub fn note_definitions_by(&self, f: crate::catalog::DefinitionFn) {
        *self.inner().catalog.statements.write() = Some(f);
    }

    /// From now on waits are reported with the start of the statement that waited.
    pub fn read_statements_by(&self, f: StatementFn) {
        self.inner().core.waits.read_statements_by(f);
    }

    /// What sessions wait for now, each with its number in it.
    pub fn waiting(&self) -> Vec<What> {
        self.inner().refresh_blockers();
        self.inner().core.waits.open().into_iter().map(|o| o.what).collect()
    }

    /// Waits of a millisecond and more, the last some thousand, and those under way, in the order of their beginnings.
    pub fn waits(&self) -> Vec<WaitInfo> {
        let db = self.inner();
        let names = Names::of(&db.catalog);
        let info = |what: What, started_micros, nanos, lasts, statement| WaitInfo {
            started_micros,
            micros: nanos / 1000,
            lasts,
            cause: what.cause.name(),
            object: names.name(what.object),
            blocker: what.blocker.session,
            blocker_trx: what.blocker.trx,
            session: what.session,
            trx: what.trx,
            statement,
        };
        let ended = |r: Record| {
            let started = r.ended_micros.saturating_sub(r.nanos / 1000);
            info(r.what, started, r.nanos, false, r.statement.get())
        };
        let mut all: Vec<WaitInfo> = db.core.waits.records().into_iter().map(ended).collect();
        db.refresh_blockers();
        let (now, wall) = (db.rt.now(), db.rt.wall_micros());
        all.extend(db.core.waits.open().into_iter().map(|o| {
            let nanos = now.saturating_sub(o.begun);
            let statement = db.core.waits.statement_of(o.what.session).get();
            info(o.what, wall.saturating_sub(nanos / 1000), nanos, true, statement)
        }));
        all.sort_by_key(|w| w.started_micros);
        all
    }

    /// What sessions waited for: a row for each second of the last hour and each ten seconds of the last day, and each cause, object
    /// and blocker in it.
    pub fn stall_report(&self) -> Vec<StallRow> {
        let db = self.inner();
        let names = Names::of(&db.catalog);
        let row = |r: crate::history::report::Row| StallRow {
            ended_micros: r.at_micros,
            seconds: r.seconds,
            run: r.run,
            cause: r.what.cause.name(),
            object: names.name(r.what.object),
            blocker: r.what.blocker.session,
            waits: r.waits,
            micros: r.micros,
            share: r.share,
            commits: r.commits,
        };
        db.details.rows(&db.history.rows()).into_iter().map(row).collect()
    }

    /// The last stalls, oldest first.
    pub fn stalls(&self) -> Vec<StallInfo> {
        let db = self.inner();
        let names = Names::of(&db.catalog);
        let stuck = |s: &Stuck| {
            let what = s.open.what;
            StuckInfo {
                since_micros: s.since_micros,
                cause: what.cause.name(),
                object: names.name(what.object),
                blocker: what.blocker.session,
                blocker_trx: what.blocker.trx,
                session: what.session,
                trx: what.trx,
                statement: s.statement.get(),
            }
        };
        let info = |s: Stall| StallInfo {
            number: s.number,
            began_micros: s.began_micros,
            ended_micros: s.ended_micros,
            sessions: s.sessions,
            stuck: s.stuck.iter().map(stuck).collect(),
        };
        db.stalls.all().into_iter().map(info).collect()
    }

    /// Time by cause, for tests and tools.
    pub fn wait_totals(&self) -> Totals {
        self.inner().core.waits.totals()
    }
}

impl Inner {
    /// Who stands in the way changes while sessions wait: locks pass from one to the next before they are theirs.
    pub(crate) fn refresh_blockers(&self) {
        let locks = self.locks.blockers();
        self.core.waits.refresh(|what| match (what.cause, what.object) {
            (Cause::RowLock, _) => locks.get(&what.session).copied(),
            (Cause::Ddl, _) => Some(self.catalog.ddl_blocker()),
            // Clear when all others have let go.
            (Cause::MetadataLock, Object::Table(id)) if what.blocker.session == 0 => {
                self.catalog.by_id(id).map(|t| t.mdl_blocker(true))
            }
            _ => None,
        });
    }

    /// A look of the watchdog, once a second; what it finds is kept and told once.
    pub(crate) fn watch(&self, dog: &mut Watchdog) {
        let open = self.core.waits.open();
        let n = |a: &crate::sync::atomic::AtomicU64| a.load(Ordering::Relaxed);
        let now = self.rt.now();
        let verdict = dog.look(Look {
            now,
            limit: n(&self.settings.stall_seconds).saturating_mul(1_000_000_000),
            commits: self.core.stats.commits.get(),
            changes: self.core.stats.mtrs.get(),
            reads: n(&self.core.pool.stats.reads),
            waiting: Waiting::of(open.iter().map(|o| o.what.cause)),
        });
        let wall = self.rt.wall_micros();
        match verdict {
            Verdict::Nothing | Verdict::Lasts => {}
            Verdict::Begins(since) => {
                let micros = |then: u64| wall.saturating_sub(now.saturating_sub(then) / 1000);
                let stuck = |o: &Open| Stuck {
                    open: *o,
                    since_micros: micros(o.begun),
                    statement: self.core.waits.statement_of(o.what.session),
                };
                let stuck: Vec<Stuck> = open.iter().map(stuck).collect();
                let text = describe(&Names::of(&self.catalog), &stuck, now.saturating_sub(since));
                let number = self.stalls.begin(micros(since), stuck);
                (self.log)(&format!("stall {number}: {text}"));
            }
            Verdict::Ends(nanos) => {
                self.stalls.end(wall);
                let number = self.stalls.count();
                (self.log)(&format!("stall {number} ended after {:.1} s", nanos as f64 / 1e9));
            }
        }
    }
}

/// Groups of a stall that its line in the log tells.
const TOLD: usize = 3;

/// A stall in one line: what most of the sessions wait for, and because of whom.
fn describe(names: &Names, stuck: &[Stuck], nanos: u64) -> String {
    let mut groups: Vec<(What, usize)> = Vec::new();
    for s in stuck {
        let w = &s.open.what;
        let by = Blocker { session: w.blocker.session, trx: 0 };
        let what = What::new(w.cause, w.object.coarse()).blocked_by(by);
        match groups.iter_mut().find(|g| g.0 == what) {
            Some(g) => g.1 += 1,
            None => groups.push((what, 1)),
        }
    }
    groups.sort_by_key(|g| std::cmp::Reverse(g.1));
    let who = match stuck.len() {
        1 => "1 session waits".to_string(),
        n => format!("{n} sessions wait"),
    };
    let mut s = format!("nothing has been committed for {:.1} s while {who}:", nanos as f64 / 1e9);
    for (i, (what, count)) in groups.iter().take(TOLD).enumerate() {
        let comma = if i > 0 { "," } else { "" };
        let _ = write!(s, "{comma} {count} for {}", what.cause.name());
        if let Some(o) = names.name(what.object) {
            let _ = write!(s, " ({o})");
        }
        if what.blocker.session != 0 {
            let _ = write!(s, " of connection {}", what.blocker.session);
        }
    }
    if groups.len() > TOLD {
        s.push_str(", and others");
    }
    s.push_str("; see information_schema.weir_stalls");
    s
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::waits::Text;

    #[test]
    fn a_stall_in_one_line() {
        let names = Names {
            indexes: HashMap::from([(5, "shop.orders.PRIMARY".to_string())]),
            tables: HashMap::new(),
            spaces: HashMap::new(),
        };
        let stuck = |what: What| Stuck {
            open: Open::new(what, 0),
            since_micros: 0,
            statement: Text::default(),
        };
        let by = |session| Blocker { session, trx: session + 1000 };
        let row = |n| What::new(Cause::RowLock, Object::Index(5)).blocked_by(by(n));
        let mut all = vec![stuck(Cause::LogSync.into())];
        all.extend((0..3).map(|_| stuck(row(12))));
        assert_eq!(
            describe(&names, &all, 2_100_000_000),
            "nothing has been committed for 2.1 s while 4 sessions wait: 3 for row lock (shop.orders.PRIMARY) of connection 12, \
             1 for log sync; see information_schema.weir_stalls"
        );
        let one = describe(&names, &all[..1], 2_000_000_000);
        assert!(one.contains("while 1 session waits: 1 for log sync; see"), "{one}");
        all.extend([stuck(row(13)), stuck(What::new(Cause::MetadataLock, Object::Table(9)))]);
        let text = describe(&names, &all, 5_000_000_000);
        assert!(text.contains("while 6 sessions wait: 3 for row lock"), "{text}");
        assert!(text.contains(", and others; see"), "{text}");
        assert_eq!(names.name(Object::Table(9)), Some("table 9 (gone)".into()));
    }
}
