//! The thread that receives: it connects, asks the source for its log, and puts the events into the channel's queue.

use crate::channel::Channel;
use crate::lock;
use crate::manager::Shared;
use crate::queue::Item;
use crate::source::{Dump, Result, Source, SourceError, Target, Tls};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;
use weir_binlog::event::{Event, flag};
use weir_binlog::{Body, Checksum, Format, Header, Kind};
use weir_sql::errno;
use weir_sql::replication::settings::{Assign, Reading};
use weir_sql::replication::{Failure, Position, Running, SourceSettings, Transaction};
use weir_sql::vars::Var;

/// MySQL's number for errors after which the thread does not try again.
const FATAL: u16 = 13117;
/// The source has refused to send its log.
const SOURCE_FATAL: u16 = 13114;
const CANNOT_SEND: u16 = errno::ER_SOURCE_FATAL_ERROR_READING_BINLOG;
/// An event cannot be queued as it is.
const UNREADABLE: u16 = 1595;

/// Runs until it is stopped or an error comes that another connection would meet as well.
pub fn run(shared: &Arc<Shared>, channel: &Arc<Channel>) {
    let listed = shared.host.enter("");
    channel.tell(|s| {
        s.receiver_thread = Some(listed.id);
        s.receiver_error = None;
    });
    let mut attempts = 0;
    while !is_stopped(shared, channel) {
        set_state(channel, Running::Connecting, "Connecting to source");
        let settings = lock(&channel.state).settings.clone();
        let mut received = false;
        let done = receive(shared, channel, &settings, &mut received);
        channel.set_socket(None);
        channel.tell(|s| s.semi_sync = false);
        if is_stopped(shared, channel) {
            break;
        }
        if channel.was_renewed() {
            continue;
        }
        let Err(e) = done else {
            // The source has ended the stream: it stops.
            attempts = 0;
            continue;
        };
        attempts = if received { 1 } else { attempts + 1 };
        let fatal = !e.lost;
        note(shared, channel, &e, attempts, &settings);
        if fatal || attempts > settings.retry_count {
            break;
        }
        // A connection that has worked is made again at once, unless it has brought what cannot be read.
        if !received || e.errno == UNREADABLE {
            set_state(
                channel,
                Running::Connecting,
                "Reconnecting after a failed source event read",
            );
            if !channel.sleep(Duration::from_secs(settings.connect_retry), &channel.receiver) {
                break;
            }
        }
    }
    set_state(channel, Running::No, "");
    shared.changed.notify_all();
}

fn is_stopped(shared: &Shared, channel: &Channel) -> bool {
    channel.receiver.is_stopped() || shared.host.is_stopping()
}

fn set_state(channel: &Channel, running: Running, state: &'static str) {
    channel.tell(|s| (s.receiver, s.receiver_state) = (running, state));
}

fn note(
    shared: &Shared,
    channel: &Channel,
    e: &SourceError,
    attempts: u64,
    settings: &SourceSettings,
) {
    let text = match e.lost || e.errno < 10_000 {
        true if e.errno != CANNOT_SEND => {
            let SourceSettings { user, host, port, connect_retry, .. } = settings;
            let why = format!("Message: {}", e.text);
            format!(
                "Error connecting to source '{user}@{host}:{port}'. This was attempt {attempts}/{}, with a delay of {connect_retry} seconds between attempts. {why}",
                settings.retry_count
            )
        }
        _ => e.text.clone(),
    };
    let name = &channel.name;
    shared
        .host
        .error(&format!("Replica I/O for channel '{name}': {text}, Error_code: {}", e.errno));
    let failure = Failure { errno: e.errno, text, at: shared.now() };
    channel.tell(|s| s.receiver_error = Some(failure));
}

fn fatal(why: &str) -> SourceError {
    SourceError::new(FATAL, format!("Fatal error: {why}"))
}

fn target(settings: &SourceSettings, login: Option<(String, String)>) -> Target {
    let (user, password) = login.unwrap_or((settings.user.clone(), settings.password.clone()));
    Target {
        host: settings.host.clone(),
        port: settings.port,
        user,
        password,
        bind: settings.bind.clone(),
        tls: Tls {
            on: settings.tls,
            ca: settings.tls_ca.clone(),
            ca_path: settings.tls_capath.clone(),
            certificate: settings.tls_cert.clone(),
            key: settings.tls_key.clone(),
            verifies_name: settings.tls_verify,
        },
        asks_key: settings.get_public_key,
        key_file: settings.public_key_path.clone(),
    }
}

/// One connection, until it ends. `received`: it has come so far that the source sends.
fn receive(
    shared: &Arc<Shared>,
    channel: &Arc<Channel>,
    settings: &SourceSettings,
    received: &mut bool,
) -> Result<()> {
    let patience = Duration::from_secs(shared.inst.vars.u64(Var::replica_net_timeout).max(1));
    let login = lock(&channel.state).login.clone();
    let mut source = Source::connect(&target(settings, login), patience)?;
    channel.set_socket(Some(source.socket()?));
    if is_stopped(shared, channel) {
        return Ok(());
    }
    let (maria, checksum) = introduce(shared, channel, settings, &mut source, patience)?;
    let stopped = || is_stopped(shared, channel);
    if !channel.queue.restart(&stopped) {
        return Ok(());
    }
    let from = beginning(shared, channel, settings, maria, &mut source)?;
    let bell = match lock(&channel.state).semi_sync {
        true => Some(channel.acks.begin().map_err(SourceError::from)?),
        false => None,
    };
    let server_id = shared.inst.vars.u64(Var::server_id) as u32;
    let host = shared.inst.vars.text(Var::report_host);
    let port = shared.inst.vars.u64(Var::port) as u16;
    source.register(server_id, &host, port)?;
    source.dump(server_id, &from)?;
    set_state(channel, Running::Yes, "Waiting for source to send event");
    let mut stream = Stream::new(shared, channel, settings, checksum);
    loop {
        if let Some(bell) = bell {
            acknowledge_until_event(channel, &mut source, bell, patience)?;
        }
        let event = source.event(bell.is_some()).map_err(|e| match (e.lost, e.errno) {
            (false, CANNOT_SEND) => SourceError::new(
                SOURCE_FATAL,
                format!(
                    "Got fatal error 1236 from source when reading data from binary log: '{}'",
                    e.text
                ),
            ),
            _ => e,
        })?;
        let Some((bytes, asked)) = event else { return Ok(()) };
        *received = true;
        channel.tell(|s| s.receiver_error = None);
        stream.asked = asked;
        if !stream.event(bytes)? || stopped() {
            return Ok(());
        }
    }
}

/// Acknowledges what the applier has done, until the source has something to say.
fn acknowledge_until_event(
    channel: &Channel,
    source: &mut Source,
    bell: &OwnedFd,
    patience: Duration,
) -> Result<()> {
    loop {
        if let Some(at) = channel.acks.take_due() {
            source.acknowledge(&at)?;
        }
        if source.listen(bell, patience)? {
            return Ok(());
        }
    }
}

/// Whether this server acknowledges transactions to the source, which it has agreed to.
fn agree_on_semi_sync(shared: &Shared, channel: &Channel, source: &mut Source) -> Result<()> {
    if !shared.inst.vars.bool(Var::rpl_semi_sync_replica_enabled) {
        return Ok(());
    }
    let mut knows = false;
    for name in ["rpl_semi_sync_source_enabled", "rpl_semi_sync_master_enabled"] {
        match source.value(&format!("SELECT @@global.{name}")) {
            Ok(_) => knows = true,
            Err(e) if e.lost => return Err(e),
            // 1193: it has the other name, or nothing of this kind.
            Err(_) => {}
        }
    }
    let name = &channel.name;
    if !knows {
        shared.host.error(&format!(
            "Replica I/O for channel '{name}': the source knows no semi-synchronous replication, it is followed asynchronously"
        ));
        return Ok(());
    }
    source.query("SET @rpl_semi_sync_replica = 1, @rpl_semi_sync_slave = 1")?;
    channel.tell(|s| s.semi_sync = true);
    Ok(())
}

/// Says who this is and what it wants to know. Answers whether the source is a MariaDB, and what its events have for a checksum.
fn introduce(
    shared: &Shared,
    channel: &Channel,
    settings: &SourceSettings,
    source: &mut Source,
    patience: Duration,
) -> Result<(bool, Checksum)> {
    let version = source.value("SELECT VERSION()")?.unwrap_or_default();
    let maria = version.to_ascii_lowercase().contains("mariadb");
    let clock = source.value("SELECT UNIX_TIMESTAMP()")?;
    let clock = clock.and_then(|t| t.parse::<i64>().ok());
    let id = source.value("SELECT @@GLOBAL.SERVER_ID")?.and_then(|t| t.parse().ok()).unwrap_or(0);
    if id == shared.inst.vars.u64(Var::server_id) as u32 {
        return Err(fatal(
            "The replica I/O thread stops because source and replica have equal MySQL server ids; these ids must be different for replication to work (or the --replicate-same-server-id option must be used on replica but this does not always make sense; please check the manual before using it).",
        ));
    }
    let uuid = match maria {
        true => String::new(),
        false => source.value("SELECT @@GLOBAL.SERVER_UUID")?.unwrap_or_default(),
    };
    if !uuid.is_empty() && uuid == shared.inst.vars.text(Var::server_uuid) {
        return Err(fatal(
            "The replica I/O thread stops because source and replica have equal MySQL server UUIDs; these UUIDs must be different for replication to work.",
        ));
    }
    channel.tell(|s| {
        s.source_id = id;
        s.source_uuid = uuid;
        s.ahead = clock.map_or(0, |c| shared.now() / 1_000_000 - c);
    });
    if !maria {
        check_modes(shared, settings, source)?;
    }
    let period = settings.heartbeat.map_or(patience / 2, Duration::from_millis).as_nanos();
    source.query(&format!(
        "SET @master_heartbeat_period = {period}, @source_heartbeat_period = {period}"
    ))?;
    source.query("SET @master_binlog_checksum = @@global.binlog_checksum, @source_binlog_checksum = @@global.binlog_checksum")?;
    let checksum = match source.value("SELECT @@global.binlog_checksum")?.as_deref() {
        Some("CRC32") => Checksum::Crc32,
        _ => Checksum::None,
    };
    if maria {
        source.query("SET @mariadb_slave_capability = 4")?;
    }
    let own = shared.inst.vars.text(Var::server_uuid);
    source.query(&format!("SET @slave_uuid = '{own}', @replica_uuid = '{own}'"))?;
    agree_on_semi_sync(shared, channel, source)?;
    Ok((maria, checksum))
}

/// As in MySQL: whether this server's log can have the transactions of the source's, as far as their `gtid_mode` tells. Sources before
/// MySQL 5.6 have none.
fn check_modes(shared: &Shared, settings: &SourceSettings, source: &mut Source) -> Result<()> {
    let Some(log) = shared.log_of_channels() else { return Ok(()) };
    let mode = match source.value("SELECT @@GLOBAL.GTID_MODE") {
        Ok(Some(mode)) => mode.to_ascii_uppercase(),
        Ok(None) => return Ok(()),
        Err(e) if e.lost => return Err(e),
        Err(_) => "OFF".to_owned(),
    };
    let own = if log.has_gtids() { "ON" } else { "OFF" };
    let far = match own {
        "ON" => matches!(&*mode, "OFF" | "OFF_PERMISSIVE") && settings.assign == Assign::Off,
        _ => matches!(&*mode, "ON" | "ON_PERMISSIVE"),
    };
    match far {
        true => Err(fatal(&format!(
            "The replication receiver thread cannot start because the source has GTID_MODE = {mode} and this server has GTID_MODE = {own}."
        ))),
        false => Ok(()),
    }
}

/// From where on the applier needs the log. Nobody moves that meanwhile: the queue is empty.
fn beginning(
    shared: &Shared,
    channel: &Channel,
    settings: &SourceSettings,
    maria: bool,
    source: &mut Source,
) -> Result<Dump> {
    match (settings.reading, maria) {
        (Reading::Gtids, false) => {
            let set = shared.executed();
            channel.tell(|s| s.received = Position { file: String::new(), offset: 4 });
            Ok(Dump::Gtids(set))
        }
        (Reading::Gtids, true) => Err(fatal(
            "SOURCE_AUTO_POSITION = 1 needs a MySQL as source; a MariaDB is followed with MASTER_USE_GTID = slave_pos, or by file and position.",
        )),
        (Reading::MariaGtids, false) => Err(fatal("MASTER_USE_GTID needs a MariaDB as source.")),
        (Reading::MariaGtids, true) => {
            let known = lock(&channel.state).maria.clone();
            let list: Vec<String> = known.iter().map(ToString::to_string).collect();
            source.query(&format!("SET @slave_connect_state = '{}'", list.join(",")))?;
            source.query("SET @slave_gtid_strict_mode = 0")?;
            source.query("SET @slave_gtid_ignore_duplicates = 0")?;
            Ok(Dump::Position { file: String::new(), offset: 4 })
        }
        (Reading::Position, _) => {
            let mut at = lock(&channel.state).applied.clone();
            at.offset = at.offset.max(4);
            channel.tell(|s| s.received = at.clone());
            Ok(Dump::Position { file: at.file, offset: at.offset })
        }
    }
}

/// The events of one connection.
struct Stream<'c> {
    shared: &'c Shared,
    channel: &'c Channel,
    ignored: &'c [u32],
    own: u32,
    format: Arc<Format>,
    file: Arc<str>,
    /// The source wants to hear when the event at hand is applied.
    asked: bool,
    /// Where the last event ends that the applier was given.
    given: Option<Position>,
}

impl<'c> Stream<'c> {
    /// `checksum`: of the events that come before the log says what its events have.
    fn new(
        shared: &'c Shared,
        channel: &'c Channel,
        settings: &'c SourceSettings,
        checksum: Checksum,
    ) -> Stream<'c> {
        let own = shared.inst.vars.u64(Var::server_id) as u32;
        let ignored = &settings.ignore_server_ids;
        let format = Arc::new(Format { checksum, ..Format::default() });
        let file = "".into();
        Stream { shared, channel, ignored, own, format, file, asked: false, given: None }
    }

    /// False: the receiver is to stop.
    fn event(&mut self, bytes: &[u8]) -> Result<bool> {
        let header = Header::decode(bytes).map_err(broken)?;
        match header.kind {
            Kind::FormatDescription => {
                self.format = Arc::new(Format::decode(bytes).map_err(broken)?);
                return Ok(true);
            }
            Kind::Rotate | Kind::Heartbeat | Kind::HeartbeatV2 => {
                self.about_stream(bytes)?;
                return Ok(true);
            }
            Kind::Stop
            | Kind::PreviousGtids
            | Kind::MariaGtidList
            | Kind::MariaBinlogCheckpoint => {
                return Ok(true);
            }
            _ => {}
        }
        // The checksum is looked at here, so that what is damaged on its way is read once more.
        let event = Event::decode(bytes, self.format.checksum).map_err(broken)?;
        if header.has(flag::ARTIFICIAL) {
            return Ok(true);
        }
        let of_others = header.server_id != self.own && !self.ignored.contains(&header.server_id);
        self.note(&event);
        let end = Position { file: self.file.to_string(), offset: u64::from(header.end) };
        if of_others {
            self.given = Some(end.clone());
        }
        if self.asked {
            self.channel.acks.want(end, self.given.as_ref());
        }
        if of_others {
            let item =
                Item { event: bytes.into(), format: self.format.clone(), file: self.file.clone() };
            let stopped = || is_stopped(self.shared, self.channel);
            if !self.channel.queue.push(item, &stopped) {
                return Ok(false);
            }
        }
        if header.end > 0 {
            self.channel.tell(|s| s.received.offset = u64::from(header.end));
        }
        Ok(true)
    }

    /// Where the stream is, which no thread applies.
    fn about_stream(&mut self, bytes: &[u8]) -> Result<()> {
        let event = Event::decode(bytes, self.format.checksum).map_err(broken)?;
        match Body::decode(&event, &self.format, 0).map_err(broken)? {
            Body::Rotate { position, file } => {
                let name = String::from_utf8_lossy(file).into_owned();
                self.file = name.as_str().into();
                self.channel.tell(|s| s.received = Position { file: name, offset: position });
            }
            Body::Heartbeat { .. } => {
                let now = self.shared.now();
                self.channel.tell(|s| {
                    s.heartbeats += 1;
                    s.last_heartbeat = now;
                });
            }
            _ => {}
        }
        Ok(())
    }

    /// The identifiers of transactions that have come.
    fn note(&self, event: &Event<'_>) {
        if !matches!(event.header.kind, Kind::Gtid | Kind::GtidTagged | Kind::AnonymousGtid) {
            return;
        }
        let Ok(Body::Begin(b)) = Body::decode(event, &self.format, 0) else { return };
        let now = self.shared.now();
        self.channel.tell(|s| {
            if let Some(gtid) = &b.gtid {
                s.retrieved.add(gtid);
            }
            s.queued = Transaction {
                name: b.gtid.map_or("ANONYMOUS".into(), |g| g.to_string()),
                original: b.original_commit as i64,
                immediate: b.immediate_commit as i64,
                begun: now,
                ended: now,
            };
        });
    }
}

/// 1595, MySQL's number for an event that cannot be received. A new connection may bring it whole.
fn broken(e: weir_binlog::Error) -> SourceError {
    let text = format!("Relay log write failure: could not queue event from source: {e}");
    SourceError { errno: UNREADABLE, text, lost: matches!(e, weir_binlog::Error::Checksum) }
}
