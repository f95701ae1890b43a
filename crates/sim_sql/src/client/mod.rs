//! A client: statements of many kinds, each judged as soon as it has answered.
//!
//! - `connection`: a session, read strictly.
//! - `bank`: sums, own rows, counters, unique values; `registers`: transactions at all levels.
//! - `define`: definitions that change, and queries beside them; `rights`: somebody with few rights.
//! - `family`: foreign keys, temporary tables, tables made of a query.
//! - `joined`: changes of several tables at once, triggers, procedures; `versions`: views, programs, triggers and events that change.
//! - `branches`: XA; `partitions`: rows that change their partition; `loads`: files; `events`: the scheduler and events that run once.
//! - `crowd`: all want one row; `heavy`: more memory than there is; `vandal`: a table's file is cut short.

mod bank;
mod branches;
mod connection;
mod crowd;
mod define;
mod events;
mod family;
mod heavy;
mod joined;
mod loads;
mod partitions;
mod registers;
mod rights;
mod vandal;
mod versions;

pub use bank::{ACCOUNTS, TOTAL};
pub use branches::{end_branches, listed_of};
pub use connection::{Connection, KILL_LIMIT, KILL_LIMIT_LARGE, Registry, Stage};
pub use events::{FIRED, schedule};
pub use family::{FAMILY, ORPHANS};
pub use joined::{JOINED, UNPAIRED, UNSUMMED};
pub use loads::LOADED;
pub use partitions::{PARTED, pairs_of, parted_table};
pub use registers::REGISTERS;
pub use rights::{READER, found_rights, reader_tables};
pub use vandal::cut_a_file;
pub use versions::{VERSIONS, found_versions};

use crate::scenario::Scenario;
use std::time::Duration;
use weir_rt::Rng;
use weir_sim::{Size, mix};
use weir_sql::session_api::KillKind;

pub struct Client {
    pub no: u64,
    stage: Stage,
    rng: Rng,
    next_id: u64,
    patient: bool,
    crowd: bool,
    large: bool,
    /// The client that changes rights, and the one that rebuilds the table of registers.
    first: bool,
}

impl Client {
    pub fn new(stage: &Stage, s: &Scenario, life: u64, no: u64) -> Client {
        Client {
            no,
            stage: stage.clone(),
            rng: Rng::new(mix(&[s.seed, 21, life, no])),
            next_id: 1000 * (no + 1),
            patient: s.patient,
            crowd: s.crowd,
            large: s.size == Size::Large,
            first: no == 0,
        }
    }

    /// Sessions one after the other, until this many units are done or somebody has failed.
    pub async fn run(mut self, units: u64) {
        let mut c = self.connect().await;
        for n in 0..units {
            let over = self.stage.world().failure().is_some();
            if over || !self.stage.engine_works() {
                break;
            }
            if n == 0 && self.crowd {
                self.want_the_same(&mut c).await;
            } else {
                self.unit(&mut c).await;
            }
            if c.kill.pending() == Some(KillKind::Connection) || self.rng.chance(0.05) {
                c.close().await;
                c = self.connect().await;
            }
        }
        c.close().await;
    }

    fn seconds(&self) -> u64 {
        if self.patient { 60 } else { 1 }
    }

    fn new_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    async fn connect(&mut self) -> Connection {
        let id = self.new_id();
        let mut c = self.stage.connect(id, "root");
        let wait = self.seconds();
        let sql =
            format!("SET innodb_lock_wait_timeout = {wait}, lock_wait_timeout = {}", wait * 2);
        c.ask(&sql).await;
        c
    }

    async fn unit(&mut self, c: &mut Connection) {
        if self.large && self.rng.chance(0.25) {
            return self.bulk(c).await;
        }
        match self.rng.below(60) {
            0..=3 => self.transfer(c).await,
            4 | 5 => self.total(c).await,
            6 | 7 => self.own_row(c).await,
            8 | 9 => self.count(c).await,
            10..=15 => self.transaction(c).await,
            16..=19 => self.look(c).await,
            20..=22 => self.define(c).await,
            23 | 24 => self.kill(c).await,
            25 => self.unique(c).await,
            26 => self.with_few_rights().await,
            27 if self.first => self.rebuild(c).await,
            27 => self.change_rights(c).await,
            28 if self.rng.chance(0.4) => self.pairs(c).await,
            28 => self.heavy(c).await,
            30..=32 => self.family(c).await,
            33 => self.made_table(c).await,
            34..=36 => self.branch(c).await,
            37..=40 => self.move_rows(c).await,
            41 if self.first => self.divide(c).await,
            41..=43 => self.ask_version(c).await,
            44..=46 => self.define_version(c).await,
            47..=49 => self.summed(c).await,
            50..=52 => self.pair(c).await,
            53 | 54 => self.transfer_at_once(c).await,
            55 | 56 => self.load(c).await,
            57 => self.event(c).await,
            58 => self.with_few_rights().await,
            _ => self.lists(c).await,
        }
    }

    /// Thinks a while, so that others come in between.
    async fn pause(&mut self) {
        if self.rng.chance(0.3) {
            let most = 1 << self.rng.below(18);
            let time = Duration::from_micros(self.rng.below(most));
            self.stage.rt().sleep(time).await;
        }
    }

    /// Sometimes the client will be gone in a moment, as the server's watcher finds out.
    fn perhaps_vanish(&mut self, c: &Connection) {
        if !self.rng.chance(0.05) {
            return;
        }
        let after = Duration::from_micros(1 << self.rng.below(18));
        let (rt, kill) = (self.stage.rt().clone(), c.kill.clone());
        self.stage.rt().spawn("vanished", async move {
            rt.sleep(after).await;
            kill.kill(KillKind::Connection);
        });
    }

    async fn kill(&mut self, c: &mut Connection) {
        let ids = self.stage.registry.ids();
        let id = ids[self.rng.below(ids.len() as u64) as usize];
        let what = if self.rng.chance(0.6) { "QUERY " } else { "" };
        if id != c.id {
            // The session may have gone in between.
            c.may_fail_with = vec![1094];
            c.ask(&format!("KILL {what}{id}")).await;
        }
    }

    async fn lists(&mut self, c: &mut Connection) {
        const ALL: [&str; 10] = [
            "SHOW TABLES",
            "SHOW PROCESSLIST",
            "SELECT table_name, table_rows FROM information_schema.tables WHERE table_schema = 's'",
            "SHOW CREATE TABLE bank",
            "EXPLAIN SELECT * FROM bank WHERE v > 10",
            "SHOW COLUMNS FROM own",
            "SHOW GLOBAL STATUS LIKE 'Innodb%'",
            "SELECT * FROM information_schema.innodb_trx",
            "SHOW ENGINE INNODB STATUS",
            "CHECK TABLE bank, u",
        ];
        let sql = ALL[self.rng.below(ALL.len() as u64) as usize];
        let a = c.ask(sql).await;
        let check = sql.starts_with("CHECK");
        let bad = a.rows.iter().find(|r| check && r.last().is_some_and(|m| m != "OK"));
        if let Some(r) = bad.filter(|_| !self.stage.injector.happened().read) {
            self.stage.world().fail("structure", format!("{sql}: {r:?}"));
        }
    }
}
