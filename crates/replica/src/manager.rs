//! The channels of a server, and the statements about them.

use crate::channel::{Channel, State, Until};
use crate::store::{self, Name};
use crate::{Host, applier, lock, receiver};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use weir_binlog::GtidSet;
use weir_rt::{Boxed, Notify, Rt};
use weir_source::BinaryLog;
use weir_sql::errno;
use weir_sql::replication::settings::{Assign, Reading};
use weir_sql::replication::{ChannelStatus, Note, Position, Replicas, SourceSettings};
use weir_sql::session::{Instance, Session};
use weir_sql::session_api::SqlError;
use weir_sql::show::replication::no_channel;
use weir_sql::vars::{Var, VarValue};
use weir_syntax::ast::{ReplicationFilter, RunReplica, SourceOption, SourceValue};

/// What all channels share.
pub struct Shared {
    pub inst: Arc<Instance>,
    pub rt: Rt,
    pub host: Arc<dyn Host>,
    executed: Mutex<GtidSet>,
    pub changed: Notify,
}

impl Shared {
    /// Microseconds since 1970 UTC.
    pub fn now(&self) -> i64 {
        self.rt.wall_micros() as i64
    }

    /// Transactions of all servers that were executed here: those of `mysql.gtid_executed`, and those of this server's log.
    pub fn executed(&self) -> GtidSet {
        let mut all = self.in_table();
        if let Some(log) = self.inst.binlog.get() {
            all.union(&log.executed());
        }
        all
    }

    /// Those of `mysql.gtid_executed`, which channels have applied.
    pub fn in_table(&self) -> GtidSet {
        lock(&self.executed).clone()
    }

    /// The log that what channels apply goes to.
    pub fn log_of_channels(&self) -> Option<&Arc<BinaryLog>> {
        let log = self.inst.binlog.get().filter(|l| l.is_on());
        log.filter(|_| self.inst.vars.bool(Var::log_replica_updates))
    }

    /// A transaction's end is durable.
    pub fn has_executed(&self, channel: &Channel, name: &Name) {
        match name {
            Name::Anonymous => {}
            Name::Gtid(g) => {
                let mut set = lock(&self.executed);
                set.add(g);
                self.tell(&set);
            }
            Name::Maria(g) => channel.tell(|s| {
                s.maria.retain(|known| known.domain != g.domain);
                s.maria.push(*g);
            }),
        }
    }

    fn set_executed(&self, set: GtidSet) {
        self.tell(&set);
        *lock(&self.executed) = set;
        self.changed.notify_all();
    }

    /// The variables: without a log of its own all that was executed is purged.
    fn tell(&self, set: &GtidSet) {
        if let Some(log) = self.inst.binlog.get() {
            log.set_others(set);
        }
        let text: Arc<str> = set.to_string().into();
        self.inst.vars.put(Var::gtid_executed, VarValue::Str(text.clone()));
        self.inst.vars.put(Var::gtid_purged, VarValue::Str(text));
    }

    /// A session for what a statement about channels writes.
    fn session(&self) -> Session {
        let mut s = Session::of_replica(&self.inst, u64::from(u32::MAX), Arc::default());
        _ = store::ask(self, &mut s, "SET sql_mode = '', autocommit = 1");
        s
    }
}

pub struct Manager {
    shared: Arc<Shared>,
    channels: Mutex<BTreeMap<String, Arc<Channel>>>,
    /// Statements about channels come one at a time.
    alone: Mutex<()>,
}

impl Manager {
    /// Reads what is kept of the channels, and starts their threads.
    pub fn open(
        inst: &Arc<Instance>,
        rt: &Rt,
        host: Arc<dyn Host>,
    ) -> Result<Arc<Manager>, SqlError> {
        let shared = Arc::new(Shared {
            inst: inst.clone(),
            rt: rt.clone(),
            host,
            executed: Mutex::default(),
            changed: Notify::default(),
        });
        let manager = Arc::new(Manager {
            shared: shared.clone(),
            channels: Mutex::default(),
            alone: Mutex::default(),
        });
        let kept = store::channels(&shared)?;
        let mut s = shared.session();
        let executed = store::executed(&shared, &mut s)?;
        bring_to_log(&shared, &executed)?;
        shared.set_executed(executed);
        for (name, settings) in kept {
            let applied = store::position(&shared, &mut s, &name)?.unwrap_or_default();
            let maria = store::maria(&shared, &mut s)?;
            let received = applied.clone();
            let state = State { settings, applied, received, maria, ..State::default() };
            lock(&manager.channels).insert(name.clone(), Arc::new(Channel::new(&name, state)));
        }
        shared.rt.block_on(s.close());
        Ok(manager)
    }

    /// Starts the threads of all channels, as a start of the server does.
    pub fn start_all(&self) {
        for channel in self.all() {
            if let Err(e) = self.start_threads(&channel, true, true) {
                self.shared.host.error(&format!("cannot start a replica: {}", e.message));
            }
        }
    }

    /// Ends all threads: what they have begun of transactions is rolled back.
    pub fn stop_all(&self) {
        let all = self.all();
        for c in &all {
            c.receiver.ask_to_stop();
            c.hang_up();
        }
        for c in all {
            c.stop_applier();
            c.stop_receiver();
        }
    }

    fn all(&self) -> Vec<Arc<Channel>> {
        lock(&self.channels).values().cloned().collect()
    }

    /// The channel that is named, or all. 3074 for one that is not there.
    fn named(&self, channel: Option<&str>) -> Result<Vec<Arc<Channel>>, SqlError> {
        let Some(name) = channel else { return Ok(self.all()) };
        match lock(&self.channels).get(name) {
            Some(c) => Ok(vec![c.clone()]),
            None if name.is_empty() => Ok(Vec::new()),
            None => Err(no_channel(name)),
        }
    }

    fn start_threads(
        &self,
        channel: &Arc<Channel>,
        receiver: bool,
        applier: bool,
    ) -> Result<bool, SqlError> {
        let cannot = |e: String| {
            SqlError::new(
                errno::ER_REPLICA_THREAD,
                format!("Could not create replica thread; check system resources ({e})"),
            )
        };
        let mut started = false;
        if applier {
            let (shared, c) = (self.shared.clone(), channel.clone());
            let again = channel.receiver.is_running();
            let body = move || applier::run(&shared, &c, again);
            started |= channel.applier.start("weir-applier", body).map_err(cannot)?;
        }
        if receiver {
            let (shared, c) = (self.shared.clone(), channel.clone());
            let body = move || receiver::run(&shared, &c);
            started |= channel.receiver.start("weir-receiver", body).map_err(cannot)?;
        }
        Ok(started)
    }

    fn change(&self, name: &str, options: &[SourceOption]) -> Result<Vec<Note>, SqlError> {
        let _alone = lock(&self.alone);
        let known = lock(&self.channels).get(name).cloned();
        if let Some(c) = &known
            && c.is_running()
        {
            return Err(SqlError::of(errno::ER_REPLICA_CHANNEL_MUST_STOP, &[&name]));
        }
        if name.chars().count() > 64 {
            let text = "Couldn't create channel: Channel name is either invalid or too long.";
            return Err(SqlError::new(errno::ER_REPLICA_NEW_CHANNEL_WRONG_REPOSITORY, text));
        }
        let channel = known.unwrap_or_else(|| Arc::new(Channel::new(name, State::default())));
        let (mut settings, mut at) = {
            let s = lock(&channel.state);
            (s.settings.clone(), s.applied.clone())
        };
        let moved = settings.change(options)?;
        self.check_gtids(&settings)?;
        if moved.server && moved.file.is_none() && moved.offset.is_none() {
            at = Position { file: String::new(), offset: 4 };
        }
        if let Some(file) = moved.file {
            at = Position { file, offset: moved.offset.unwrap_or(4) };
        } else if let Some(offset) = moved.offset {
            at.offset = offset;
        }
        at.offset = at.offset.max(4);
        let mut s = self.shared.session();
        let done = self.keep(&mut s, name, &settings, &at);
        self.shared.rt.block_on(s.close());
        done?;
        let assigns = settings.assign != Assign::Off;
        channel.tell(|state| {
            (state.settings, state.applied, state.received) = (settings, at.clone(), at);
            state.retrieved = GtidSet::default();
        });
        lock(&self.channels).insert(name.to_owned(), channel);
        let names: Vec<String> = lock(&self.channels).keys().cloned().collect();
        store::keep_channels(&self.shared, &names)?;
        let mut notes = Vec::new();
        if options.iter().any(|o| o.name == "ASSIGN_GTIDS_TO_ANONYMOUS_TRANSACTIONS") && assigns {
            let number = errno::ER_USING_ASSIGN_GTIDS_TO_ANONYMOUS_TRANSACTIONS_AS_LOCAL_OR_UUID;
            notes.push((number, errno::message(number, &[])));
        }
        let secret = options.iter().any(|o| o.name == "SOURCE_PASSWORD");
        let text = "Storing MySQL user name or password information in the connection metadata repository is not secure and is therefore not recommended. Please consider using the USER and PASSWORD connection options for START REPLICA; see the 'START REPLICA Syntax' in the MySQL Manual for more information.";
        if secret {
            notes.push((errno::ER_INSECURE_CHANGE_SOURCE, text.to_owned()));
        }
        Ok(notes)
    }

    /// Whether what the channel asks for can stand in this server's log.
    fn check_gtids(&self, settings: &SourceSettings) -> Result<(), SqlError> {
        let log = self.shared.log_of_channels();
        let has_gtids = log.is_some_and(|l| l.has_gtids());
        if settings.assign != Assign::Off && !has_gtids {
            let number = errno::ER_ASSIGN_GTIDS_TO_ANONYMOUS_TRANSACTIONS_REQUIRES_GTID_MODE_ON;
            return Err(SqlError::of(number, &[]));
        }
        if settings.reading == Reading::Gtids && log.is_some() && !has_gtids {
            return Err(SqlError::of(errno::ER_AUTO_POSITION_REQUIRES_GTID_MODE_NOT_OFF, &[]));
        }
        Ok(())
    }

    fn keep(
        &self,
        s: &mut Session,
        name: &str,
        settings: &SourceSettings,
        at: &Position,
    ) -> Result<(), SqlError> {
        store::make_tables(&self.shared, s)?;
        store::forget(&self.shared, s, name, false)?;
        store::set_position(&self.shared, s, name, at)?;
        store::keep_settings(&self.shared, name, settings)
    }

    fn run(&self, channel: Option<&str>, run: &RunReplica) -> Result<Vec<Note>, SqlError> {
        let _alone = lock(&self.alone);
        let all = self.named(channel)?;
        if all.is_empty() {
            return Err(weir_sql::admin::replication::not_configured());
        }
        let until = until_of(&run.until)?;
        let login = login_of(&run.login)?;
        let mut notes = Vec::new();
        for c in all {
            let name = &c.name;
            let settings = lock(&c.state).settings.clone();
            if settings.host.is_empty() {
                return Err(weir_sql::admin::replication::not_configured());
            }
            self.check_start(&settings, &until)?;
            c.tell(|s| {
                if !c.applier.is_running() {
                    s.until = until.clone();
                    s.skip = self.shared.inst.vars.u64(Var::sql_replica_skip_counter);
                }
                s.login = login.clone();
            });
            self.shared.inst.vars.put(Var::sql_replica_skip_counter, VarValue::UInt(0));
            if !self.start_threads(&c, run.receiver, run.applier)? {
                let text =
                    format!("Replication thread(s) for channel '{name}' are already running.");
                notes.push((errno::ER_REPLICA_CHANNEL_WAS_RUNNING, text));
            }
        }
        Ok(notes)
    }

    /// What may have changed since CHANGE REPLICATION SOURCE.
    fn check_start(&self, settings: &SourceSettings, until: &Until) -> Result<(), SqlError> {
        if settings.assign == Assign::Off {
            return Ok(());
        }
        if matches!(until, Until::BeforeGtids(_) | Until::AfterGtids(_)) {
            let number = errno::ER_CANT_SET_SQL_AFTER_OR_BEFORE_GTIDS_WITH_ANONYMOUS_TO_GTID;
            return Err(SqlError::of(number, &[]));
        }
        if !self.shared.log_of_channels().is_some_and(|l| l.has_gtids()) {
            let number = errno::ER_CANT_USE_ANONYMOUS_TO_GTID_WITH_GTID_MODE_NOT_ON;
            return Err(SqlError::of(number, &[&""]));
        }
        Ok(())
    }

    fn halt(&self, channel: Option<&str>, run: &RunReplica) -> Result<Vec<Note>, SqlError> {
        let _alone = lock(&self.alone);
        let mut notes = Vec::new();
        for c in self.named(channel)? {
            let ran = (run.receiver && c.receiver.is_running())
                || (run.applier && c.applier.is_running());
            if run.applier {
                c.stop_applier();
            }
            if run.receiver {
                c.stop_receiver();
            }
            if !ran {
                let text =
                    format!("Replication thread(s) for channel '{}' are already stopped.", c.name);
                notes.push((errno::ER_REPLICA_CHANNEL_WAS_NOT_RUNNING, text));
            }
        }
        Ok(notes)
    }

    fn forget(&self, channel: Option<&str>, all: bool) -> Result<(), SqlError> {
        let _alone = lock(&self.alone);
        for c in self.named(channel)? {
            if c.is_running() {
                return Err(SqlError::of(errno::ER_REPLICA_CHANNEL_MUST_STOP, &[&c.name]));
            }
            let mut s = self.shared.session();
            let mut done = store::forget(&self.shared, &mut s, &c.name, all);
            let at = Position { file: String::new(), offset: 4 };
            if done.is_ok() && !all {
                done = store::set_position(&self.shared, &mut s, &c.name, &at);
            }
            self.shared.rt.block_on(s.close());
            done?;
            let kept = if all { Default::default() } else { lock(&c.state).settings.clone() };
            c.tell(|s| {
                let filters = std::mem::take(&mut s.filters);
                *s = State {
                    settings: kept,
                    filters,
                    received: at.clone(),
                    applied: at,
                    ..State::default()
                };
            });
            if all {
                lock(&self.channels).remove(&c.name);
                let names: Vec<String> = lock(&self.channels).keys().cloned().collect();
                store::keep_channels(&self.shared, &names)?;
            }
        }
        Ok(())
    }

    fn filter(&self, channel: Option<&str>, filters: &[ReplicationFilter]) -> Result<(), SqlError> {
        let _alone = lock(&self.alone);
        let all = self.named(channel)?;
        if let Some(c) = all.iter().find(|c| c.applier.is_running()) {
            let text = format!(
                "This operation cannot be performed with a running replica sql thread; run STOP REPLICA SQL_THREAD FOR CHANNEL '{}' first.",
                c.name
            );
            return Err(SqlError::new(errno::ER_REPLICA_SQL_THREAD_MUST_STOP, text));
        }
        all.iter().for_each(|c| c.tell(|s| s.filters.change(filters)));
        Ok(())
    }

    fn write_executed(&self, set: GtidSet) -> Result<(), SqlError> {
        let _alone = lock(&self.alone);
        let running = self.all().into_iter().find(|c| c.applier.is_running());
        if let Some(c) = running {
            return Err(SqlError::of(errno::ER_REPLICA_CHANNEL_MUST_STOP, &[&c.name]));
        }
        let mut s = self.shared.session();
        let done = store::make_tables(&self.shared, &mut s)
            .and_then(|()| store::set_executed(&self.shared, &mut s, &set));
        self.shared.rt.block_on(s.close());
        done?;
        self.shared.set_executed(set);
        Ok(())
    }
}

/// Transactions that were applied and not logged, or that a backup has brought along: no file of the log has them, and what the files begin
/// with says so to replicas.
fn bring_to_log(shared: &Shared, executed: &GtidSet) -> Result<(), SqlError> {
    let log = shared.inst.binlog.get().filter(|l| l.is_on() && l.has_gtids());
    let Some(log) = log else { return Ok(()) };
    let missing = executed.minus(&log.executed());
    if missing.is_empty() {
        return Ok(());
    }
    let added = shared.rt.block_on(log.add_purged(&missing));
    added.map_err(|e| SqlError::internal(e.to_string()))
}

fn until_of(options: &[SourceOption]) -> Result<Until, SqlError> {
    let wrong = || SqlError::of(errno::ER_BAD_REPLICA_UNTIL_COND, &[]);
    let set = |v: &SourceValue| match v {
        SourceValue::Text(t) => {
            let text = String::from_utf8_lossy(t);
            let bad = |_| SqlError::of(errno::ER_MALFORMED_GTID_SET_SPECIFICATION, &[&text]);
            text.parse::<GtidSet>().map_err(bad)
        }
        _ => Err(wrong()),
    };
    let (mut file, mut offset) = (None, None);
    for o in options {
        match (o.name, &o.value) {
            ("SQL_BEFORE_GTIDS", v) if options.len() == 1 => {
                return Ok(Until::BeforeGtids(set(v)?));
            }
            ("SQL_AFTER_GTIDS", v) if options.len() == 1 => return Ok(Until::AfterGtids(set(v)?)),
            ("SOURCE_LOG_FILE", SourceValue::Text(t)) => {
                file = Some(String::from_utf8_lossy(t).into_owned());
            }
            ("SOURCE_LOG_POS", SourceValue::Number(n)) => offset = Some(*n),
            _ => return Err(wrong()),
        }
    }
    match (file, offset) {
        (None, None) => Ok(Until::Never),
        (Some(file), Some(offset)) => Ok(Until::Position(Position { file, offset })),
        _ => Err(wrong()),
    }
}

fn login_of(options: &[SourceOption]) -> Result<Option<(String, String)>, SqlError> {
    let text = |name: &str| {
        let given = options.iter().find(|o| o.name == name)?;
        match &given.value {
            SourceValue::Text(t) => Some(String::from_utf8_lossy(t).into_owned()),
            _ => None,
        }
    };
    if let Some(o) = options.iter().find(|o| !matches!(o.name, "USER" | "PASSWORD")) {
        return Err(SqlError::new(
            errno::ER_NOT_SUPPORTED_YET,
            format!("{} of START REPLICA: plugins are not loaded", o.name),
        ));
    }
    match (text("USER"), text("PASSWORD")) {
        (Some(user), password) => Ok(Some((user, password.unwrap_or_default()))),
        (None, Some(_)) => Err(SqlError::new(
            errno::ER_INSECURE_CHANGE_SOURCE,
            "PASSWORD of START REPLICA needs a USER",
        )),
        (None, None) => Ok(None),
    }
}

impl Replicas for Manager {
    fn change_source<'a>(
        &'a self,
        channel: &'a str,
        options: &'a [SourceOption],
    ) -> Boxed<'a, Result<Vec<Note>, SqlError>> {
        Box::pin(async move { self.change(channel, options) })
    }

    fn change_filter<'a>(
        &'a self,
        channel: Option<&'a str>,
        filters: &'a [ReplicationFilter],
    ) -> Boxed<'a, Result<(), SqlError>> {
        Box::pin(async move { self.filter(channel, filters) })
    }

    fn start<'a>(
        &'a self,
        channel: Option<&'a str>,
        run: &'a RunReplica,
    ) -> Boxed<'a, Result<Vec<Note>, SqlError>> {
        Box::pin(async move { self.run(channel, run) })
    }

    fn stop<'a>(
        &'a self,
        channel: Option<&'a str>,
        run: &'a RunReplica,
    ) -> Boxed<'a, Result<Vec<Note>, SqlError>> {
        Box::pin(async move { self.halt(channel, run) })
    }

    fn reset<'a>(&'a self, channel: Option<&'a str>, all: bool) -> Boxed<'a, Result<(), SqlError>> {
        Box::pin(async move { self.forget(channel, all) })
    }

    fn channels(&self) -> Vec<ChannelStatus> {
        let (executed, now) = (self.shared.executed(), self.shared.now());
        self.all().iter().map(|c| c.status(&executed, now)).collect()
    }

    fn executed(&self) -> GtidSet {
        self.shared.executed()
    }

    fn purge<'a>(&'a self, set: &'a GtidSet) -> Boxed<'a, Result<(), SqlError>> {
        Box::pin(async move {
            let mut all = self.shared.in_table();
            all.union(set);
            self.write_executed(all)
        })
    }

    fn forget_gtids(&self) -> Boxed<'_, Result<(), SqlError>> {
        Box::pin(async move {
            match self.shared.in_table().is_empty() {
                true => Ok(()),
                false => self.write_executed(GtidSet::default()),
            }
        })
    }

    fn changed(&self) -> &Notify {
        &self.shared.changed
    }
}
