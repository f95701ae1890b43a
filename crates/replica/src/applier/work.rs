//! A transaction at work: its events are gathered until it ends, then carried out, so that it can be tried again, and so that a stream
//! that breaks off has done nothing. One too large to be kept is carried out as it comes.

use super::failure::Stop;
use super::origin::Origin;
use super::{Applier, UNPACKED_MAX};
use crate::channel::Until;
use crate::lock;
use crate::queue::Item;
use crate::store::{self, Name, Rode};
use std::collections::HashMap;
use std::time::Duration;
use weir_binlog::body::XaPrepare;
use weir_binlog::event::{Event, packed};
use weir_binlog::gtid::MariaBegin;
use weir_binlog::query::Query;
use weir_binlog::rows::Rows;
use weir_binlog::table_map::TableMap;
use weir_binlog::{Body, Checksum, Format, Header, Kind};
use weir_sql::errno;
use weir_sql::replication::{Position, Transaction};
use weir_sql::session_api::SqlError;

/// The events of a transaction, as they come.
#[derive(Default)]
pub struct Work {
    items: Vec<Item>,
    /// It has begun with BEGIN, or with MariaDB's event, and needs an end.
    open: bool,
    /// MariaDB says that one statement is all.
    standalone: bool,
}

/// What the end of an event means for its transaction.
enum Effect {
    Begins,
    Goes,
    Ends,
}

impl Work {
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The first event of a transaction that has one.
    pub fn first(&self) -> &Item {
        &self.items[0]
    }

    pub fn is_standalone(&self) -> bool {
        self.standalone
    }

    /// Takes the next event. True: the transaction is whole.
    pub fn take(&mut self, item: Item) -> Result<bool, Stop> {
        let effect = self.effect(&item)?;
        self.items.push(item);
        match effect {
            Effect::Begins => self.open = true,
            Effect::Goes => {}
            Effect::Ends => return Ok(true),
        }
        Ok(false)
    }

    fn effect(&mut self, item: &Item) -> Result<Effect, Stop> {
        let broken = |e: weir_binlog::Error| Stop::broken("the beginning of a transaction", &e);
        let event = Event::decode(&item.event, item.format.checksum).map_err(broken)?;
        let kind = event.header.kind;
        Ok(match kind {
            Kind::Xid | Kind::XaPrepare | Kind::TransactionPayload => Effect::Ends,
            Kind::MariaGtid => {
                let begin = MariaBegin::decode(event.body, event.header.server_id);
                match begin.map_err(broken)?.is_standalone() {
                    true => {
                        self.standalone = true;
                        Effect::Goes
                    }
                    false => Effect::Begins,
                }
            }
            Kind::Query | Kind::MariaQueryCompressed => {
                let packed = kind == Kind::MariaQueryCompressed;
                let q = Query::decode(event.body, packed, UNPACKED_MAX).map_err(broken)?;
                if q.is("BEGIN") || q.text.starts_with(b"XA START") {
                    Effect::Begins
                } else if q.is("COMMIT") || q.is("ROLLBACK") || !self.open {
                    Effect::Ends
                } else {
                    Effect::Goes
                }
            }
            // Rows without BEGIN are nobody's, and a large transaction's events are all needed.
            _ => Effect::Goes,
        })
    }
}

/// What has been found out of a transaction while it is carried out.
#[derive(Default)]
struct Progress {
    name: Option<Name>,
    begun: bool,
    /// BEGIN was said to the session.
    in_transaction: bool,
    /// The branch is prepared already: a crash came behind that and before its position was written.
    done_before: bool,
    recorded: bool,
    tables: HashMap<u64, TableMap>,
    /// Tables whose rows pass the filters not.
    skipped: Vec<u64>,
    seconds: u32,
    /// CREATE TABLE ... START TRANSACTION has come: the table is there with the COMMIT.
    creates: bool,
}

impl Applier<'_> {
    /// Carries out a transaction, again where it met the lock of another one.
    pub fn carry_out(&mut self, work: &Work) -> Result<(), Stop> {
        let last = &work.items[work.items.len() - 1];
        let end = self.end_of(last);
        let origin = Origin::of(work)?;
        let name = origin.name.clone();
        if self.is_known(&name) {
            return self.pass_over(&name, end);
        }
        let foreign = self.foreign(&origin)?;
        if let (Until::BeforeGtids(set), Name::Gtid(g)) = (&lock(&self.channel.state).until, &name)
            && set.contains(g)
        {
            return Err(Stop::Reached);
        }
        let skips = self.skips_one();
        if !skips && !self.wait_until_due(&origin) {
            return Ok(());
        }
        if let Some(foreign) = foreign
            && !self.shared.rt.block_on(self.session.apply_as(foreign)).map_err(Stop::own)?
        {
            // Another session has committed it, with what that has to write of its name.
            return self.pass_over(&Name::Anonymous, end);
        }
        let done = match skips {
            true => self.pass_over(&name, end),
            false => self.carry_out_as(work, &origin, end),
        };
        self.session.has_applied();
        done
    }

    fn carry_out_as(&mut self, work: &Work, origin: &Origin, end: Position) -> Result<(), Stop> {
        let name = origin.name.clone();
        self.tell_begin(origin);
        let mut tries = 0;
        loop {
            match self.try_once(work, &name, &end) {
                Ok(()) => break,
                Err(e) if e.is_transient() && tries < self.retries() && !self.is_stopped() => {
                    self.roll_back();
                    tries += 1;
                    self.channel.tell(|s| s.retries += 1);
                    let pause = Duration::from_millis(100 * tries.min(50));
                    self.channel.sleep(pause, &self.channel.applier);
                }
                Err(e) => {
                    self.roll_back();
                    return Err(e);
                }
            }
        }
        self.has_carried_out(&name, end);
        Ok(())
    }

    /// The position behind a transaction whose last event this is.
    fn end_of(&self, last: &Item) -> Position {
        let header = Header::decode(&last.event);
        let offset = header.map_or(0, |h| u64::from(h.end));
        Position { file: last.file.to_string(), offset }
    }

    fn is_known(&self, name: &Name) -> bool {
        match name {
            Name::Gtid(g) => self.shared.executed().contains(g),
            _ => false,
        }
    }

    /// `sql_replica_skip_counter` has something left.
    fn skips_one(&self) -> bool {
        let mut s = lock(&self.channel.state);
        let skips = s.skip > 0;
        s.skip = s.skip.saturating_sub(1);
        skips
    }

    /// The transaction counts as carried out.
    fn pass_over(&mut self, name: &Name, end: Position) -> Result<(), Stop> {
        let name = if self.is_known(name) { Name::Anonymous } else { name.clone() };
        self.own("BEGIN")?;
        self.record(&name, &end)?;
        self.own("COMMIT")?;
        self.has_carried_out(&name, end);
        Ok(())
    }

    fn record(&mut self, name: &Name, end: &Position) -> Result<(), Stop> {
        let known = self.shared.in_table();
        let channel = self.channel.clone();
        self.session.ends_applied();
        self.recorder
            .record(self.shared, &mut self.session, &channel.name, (end, name), &known)
            .map_err(Stop::own)
    }

    fn has_carried_out(&mut self, name: &Name, end: Position) {
        self.shared.has_executed(self.channel, name);
        self.first = false;
        let now = self.shared.now();
        self.channel.tell(|s| {
            s.applied = end.clone();
            let done = Transaction { ended: now, ..std::mem::take(&mut s.applying) };
            if !done.name.is_empty() {
                s.last = done;
            }
        });
        self.channel.acks.applied(&end);
        self.at = end;
        self.shared.changed.notify_all();
    }

    fn tell_begin(&self, origin: &Origin) {
        let ((original, immediate), seconds) = (origin.commits(), origin.seconds);
        let begun = self.shared.now();
        let name = origin.name.to_string();
        self.channel.tell(|s| {
            s.at_work = seconds;
            s.applier_state = "Applying batch of row changes";
            s.applying = Transaction { name, original, immediate, begun, ended: 0 };
        });
    }

    /// SOURCE_DELAY. False: the applier is to stop.
    fn wait_until_due(&mut self, origin: &Origin) -> bool {
        let (delay, ahead) = {
            let s = lock(&self.channel.state);
            (s.settings.delay as i64, s.ahead)
        };
        let due = origin.commits().1 + (ahead + delay) * 1_000_000;
        let left = due - self.shared.now();
        if delay == 0 || left <= 0 {
            return true;
        }
        self.channel.tell(|s| {
            s.delayed_until = Some(due);
            s.at_work = origin.seconds;
            s.applier_state = "Waiting until SOURCE_DELAY seconds after source executed event";
        });
        let go = self.channel.sleep(Duration::from_micros(left as u64), &self.channel.applier);
        self.channel.tell(|s| s.delayed_until = None);
        go
    }

    fn try_once(&mut self, work: &Work, name: &Name, end: &Position) -> Result<(), Stop> {
        let mut p = Progress { name: Some(name.clone()), ..Progress::default() };
        for item in &work.items {
            let what = |e: weir_binlog::Error| Stop::broken(&item.file, &e);
            let event = Event::decode(&item.event, item.format.checksum).map_err(what)?;
            self.event(&event, &item.format, &item.file, &mut p, end)?;
        }
        // What ended without a commit of its own has only its position to write.
        if !p.recorded {
            self.finish(&mut p, end)?;
        }
        Ok(())
    }

    fn event(
        &mut self,
        event: &Event<'_>,
        format: &Format,
        file: &str,
        p: &mut Progress,
        end: &Position,
    ) -> Result<(), Stop> {
        let what = |e: weir_binlog::Error| Stop::broken(event.header.kind.name(), &e);
        p.seconds = event.header.timestamp;
        match Body::decode(event, format, UNPACKED_MAX).map_err(what)? {
            Body::Query(q) => self.statement(&q, format, p, end),
            Body::TableMap(map) => {
                self.take_table(map, p);
                Ok(())
            }
            Body::Rows(rows) => self.rows(&rows, (file, event.header.end), p),
            Body::Xid(_) => self.finish(p, end),
            Body::XaPrepare(x) => self.xa_prepare(&x, p, end),
            Body::MariaBegin(b) => match b.prepares() {
                Some(xid) => self.xa_start(format!("XA START {xid}").as_bytes(), "", p),
                None if b.is_standalone() => Ok(()),
                None => self.begin(p),
            },
            Body::LastInsertId(n) => self.own(&format!("SET last_insert_id = {n}")),
            Body::InsertId(n) => self.own(&format!("SET insert_id = {n}")),
            Body::Rand(a, b) => self.own(&format!("SET rand_seed1 = {a}, rand_seed2 = {b}")),
            Body::UserVar(v) => self.set_user_var(&v),
            Body::Payload(events) => {
                let plain = Format { checksum: Checksum::None, ..format.clone() };
                for bytes in packed(&events) {
                    let inner = bytes.and_then(|b| Event::decode(b, Checksum::None));
                    let inner = inner.map_err(what)?;
                    if inner.header.kind == Kind::TransactionPayload {
                        return Err(what(weir_binlog::Error::Malformed("a payload in a payload")));
                    }
                    self.event(&inner, &plain, file, p, end)?;
                }
                Ok(())
            }
            Body::Incident { number, message } => {
                let text = String::from_utf8_lossy(message);
                let text = format!(
                    "The incident LOST_EVENTS occurred on the source. Message: {text} ({number})"
                );
                Err(Stop::Failed { errno: errno::ER_REPLICA_INCIDENT, text })
            }
            _ => Ok(()),
        }
    }

    fn begin(&mut self, p: &mut Progress) -> Result<(), Stop> {
        (p.begun, p.in_transaction) = (true, true);
        self.session.happens_at(p.seconds);
        self.own("BEGIN")
    }

    /// The transaction ends: its position goes with it.
    fn finish(&mut self, p: &mut Progress, end: &Position) -> Result<(), Stop> {
        let name = p.name.clone().unwrap_or(Name::Anonymous);
        if std::mem::take(&mut p.creates) {
            // The table gets its name in a step that is no transaction, and the position rides with that.
            let rode = Rode { before: self.at.clone(), behind: end.clone(), name: name.clone() };
            let _rider = store::ride(self.shared, &self.channel.name, &rode);
            self.own("COMMIT")?;
            p.in_transaction = false;
        }
        if !p.in_transaction {
            self.session.happens_at(p.seconds);
            self.own("BEGIN")?;
        }
        self.record(&name, end)?;
        self.own("COMMIT")?;
        (p.in_transaction, p.recorded) = (false, true);
        Ok(())
    }

    fn take_table(&mut self, mut map: TableMap, p: &mut Progress) {
        let passes = {
            let s = lock(&self.channel.state);
            let own = s.filters.rewritten(&map.schema).to_owned();
            let passes = s.filters.admits_schema(&own) && s.filters.admits_table(&own, &map.table);
            map.schema = own;
            passes
        };
        match passes {
            true => p.skipped.retain(|id| *id != map.id),
            false => p.skipped.push(map.id),
        }
        p.tables.insert(map.id, map);
    }

    fn rows(&mut self, rows: &Rows<'_>, place: (&str, u32), p: &mut Progress) -> Result<(), Stop> {
        if rows.is_dummy() || p.done_before || p.skipped.contains(&rows.table) {
            return Ok(());
        }
        if !p.in_transaction {
            self.begin(p)?;
        }
        let Some(map) = p.tables.get(&rows.table) else {
            let e = weir_binlog::Error::Malformed("the table of a rows event");
            return Err(Stop::broken("Table_map", &e));
        };
        let done = self.shared.rt.block_on(self.session.apply_rows(map, rows, p.seconds));
        let table = || format!("{}.{}", map.schema, map.table);
        done.map(drop).map_err(|e| Stop::rows(rows.change, &table(), &e, place))
    }

    fn statement(
        &mut self,
        q: &Query<'_>,
        format: &Format,
        p: &mut Progress,
        end: &Position,
    ) -> Result<(), Stop> {
        if q.is("BEGIN") {
            return if p.in_transaction { Ok(()) } else { self.begin(p) };
        }
        if q.is("COMMIT") {
            return self.finish(p, end);
        }
        if q.is("ROLLBACK") {
            self.own("ROLLBACK")?;
            p.in_transaction = false;
            return self.finish(p, end);
        }
        let schema = String::from_utf8_lossy(q.schema).into_owned();
        let passes = lock(&self.channel.state).filters.admits_statement(&schema, &[]);
        if !passes {
            return Ok(());
        }
        self.set_up(q, p.seconds, format.is_mariadb())?;
        let text = trimmed(&q.text);
        if text.starts_with(b"XA ") {
            return self.xa(text, q, p, end);
        }
        let name = p.name.clone().unwrap_or(Name::Anonymous);
        let rode = Rode { before: self.at.clone(), behind: end.clone(), name };
        p.creates = text.ends_with(b"START TRANSACTION");
        let rider = match p.creates {
            true => None,
            false => Some(store::ride(self.shared, &self.channel.name, &rode)),
        };
        let done = self.run(text);
        drop(rider);
        match done {
            Ok(()) => {}
            Err(e) if q.error != 0 && e.errno == q.error => {}
            Err(e) => {
                let query = String::from_utf8_lossy(text);
                return Err(Stop::statement(&e, &schema, &query));
            }
        }
        if p.creates {
            (p.begun, p.in_transaction) = (true, true);
            return Ok(());
        }
        if p.begun { Ok(()) } else { self.finish(p, end) }
    }

    fn run(&mut self, text: &[u8]) -> Result<(), SqlError> {
        let mut nowhere = weir_sql::session_api::Discard;
        self.shared.rt.block_on(self.session.query(text, &mut nowhere)).result
    }

    /// XA START, END, COMMIT, ROLLBACK. A branch holds no position: after a crash the state of the branch says whether it was done.
    fn xa(
        &mut self,
        text: &[u8],
        q: &Query<'_>,
        p: &mut Progress,
        end: &Position,
    ) -> Result<(), Stop> {
        let schema = String::from_utf8_lossy(q.schema);
        if text.starts_with(b"XA START") {
            return self.xa_start(text, &schema, p);
        }
        if p.done_before {
            return Ok(());
        }
        let ends = !p.begun;
        match self.run(text) {
            Ok(()) => {}
            // It is no longer there: it was ended before a crash.
            Err(e) if self.first && ends && e.errno == errno::ER_XAER_NOTA => {}
            Err(e) => return Err(Stop::statement(&e, &schema, &String::from_utf8_lossy(text))),
        }
        if ends { self.finish(p, end) } else { Ok(()) }
    }

    fn xa_start(&mut self, text: &[u8], schema: &str, p: &mut Progress) -> Result<(), Stop> {
        (p.begun, p.in_transaction) = (true, true);
        match self.run(text) {
            Ok(()) => Ok(()),
            Err(e) if self.first && e.errno == errno::ER_XAER_DUPID => {
                p.done_before = true;
                Ok(())
            }
            Err(e) => Err(Stop::statement(&e, schema, &String::from_utf8_lossy(text))),
        }
    }

    fn xa_prepare(
        &mut self,
        x: &XaPrepare<'_>,
        p: &mut Progress,
        end: &Position,
    ) -> Result<(), Stop> {
        let hex = |b: &[u8]| b.iter().map(|b| format!("{b:02x}")).collect::<String>();
        let xid = format!("X'{}',X'{}',{}", hex(x.gtrid), hex(x.bqual), x.format);
        match x.one_phase {
            _ if p.done_before => {}
            true => self.own(&format!("XA COMMIT {xid} ONE PHASE"))?,
            false => self.own(&format!("XA PREPARE {xid}"))?,
        }
        p.in_transaction = false;
        self.finish(p, end)
    }
}

/// Without white space and the comments that servers add at the end.
fn trimmed(text: &[u8]) -> &[u8] {
    text.trim_ascii()
}
