//! The thread that applies: the events of the queue, transaction by transaction, in a session of the server's own.
//!
//! `work` is a transaction at work, `origin` whose it is and as what it is logged here, `statement` what a statement is run under, `failure` the errors as MySQL tells them. The applier
//! begins where the channel's position is. Where a crash came behind a definition statement and before the tables were written, what rode
//! with it says so, and the tables are written first.

mod failure;
mod origin;
mod statement;
mod work;

use crate::channel::{Channel, Until};
use crate::lock;
use crate::manager::Shared;
use crate::queue::Next;
use crate::store::{self, Name, Recorder};
pub use failure::Stop;
use std::sync::Arc;
use weir_rt::{Actor, act_as};
use weir_sql::replication::{Failure, Position};
use weir_sql::session::Session;
use weir_sql::session_api::SqlError;
use weir_sql::vars::Var;
use work::Work;

/// Bytes that a compressed event may have: as many as an event.
pub const UNPACKED_MAX: u64 = 1 << 30;

/// What the applier works with.
pub struct Applier<'a> {
    pub shared: &'a Arc<Shared>,
    pub channel: &'a Arc<Channel>,
    pub session: Session,
    pub recorder: Recorder,
    pub at: Position,
    pub settings: statement::Kept,
    /// No transaction has been carried out since the start: one may have been, as far as it has no transaction of the engine's.
    pub first: bool,
}

/// Runs until it is stopped or an error comes. `again`: the receiver was at work before, and what the queue has may begin in the middle of
/// a transaction.
pub fn run(shared: &Arc<Shared>, channel: &Arc<Channel>, again: bool) {
    let listed = shared.host.enter("");
    let _acting = act_as(Actor::session(listed.id));
    channel.set_kill(Some(listed.kill.clone()));
    channel.tell(|s| {
        s.applier_thread = Some(listed.id);
        s.applier_error = None;
        s.applier_state = "Waiting for dependent transaction to commit";
    });
    let session = Session::of_replica(&shared.inst, listed.id, listed.kill.clone());
    channel.queue.applies(true);
    if again {
        channel.renew();
    }
    let done = apply(shared, channel, session);
    channel.queue.applies(false);
    channel.set_kill(None);
    let stopping = channel.applier.is_stopped() || shared.host.is_stopping();
    if let Err(Stop::Failed { errno, text }) = done
        && !stopping
    {
        let name = &channel.name;
        shared
            .host
            .error(&format!("Replica SQL for channel '{name}': {text}, Error_code: MY-{errno:06}"));
        let failure = Failure { errno, text, at: shared.now() };
        channel.tell(|s| s.applier_error = Some(failure));
    }
    channel.tell(|s| (s.at_work, s.applier_state, s.delayed_until) = (0, "", None));
    shared.changed.notify_all();
}

fn apply(shared: &Arc<Shared>, channel: &Arc<Channel>, session: Session) -> Result<(), Stop> {
    let mut applier = begin(shared, channel, session).map_err(Stop::of_start)?;
    let done = applier.serve();
    shared.rt.block_on(applier.session.close());
    done
}

fn begin<'a>(
    shared: &'a Arc<Shared>,
    channel: &'a Arc<Channel>,
    mut session: Session,
) -> Result<Applier<'a>, SqlError> {
    store::ask(shared, &mut session, "SET autocommit = 1, lock_wait_timeout = 31536000")?;
    if shared.log_of_channels().is_some() {
        // Texts of the source go on as texts where they do the same on any server. Rows are rows.
        store::ask(shared, &mut session, "SET binlog_format = 'STATEMENT'")?;
    }
    let recorder = Recorder::new(shared, &mut session)?;
    let at = take_over(shared, channel, &mut session, &recorder)?;
    channel.tell(|s| s.applied = at.clone());
    let settings = statement::Kept::default();
    Ok(Applier { shared, channel, session, recorder, at, settings, first: true })
}

/// Where the channel is. What rode with the last definition statement is written to the tables if that has not been done.
fn take_over(
    shared: &Shared,
    channel: &Channel,
    s: &mut Session,
    recorder: &Recorder,
) -> Result<Position, SqlError> {
    let at = store::position(shared, s, &channel.name)?.unwrap_or_default();
    let Some(rode) = store::rode(shared, &channel.name)? else { return Ok(at) };
    if rode.before != at {
        return Ok(at);
    }
    let known = shared.in_table();
    if matches!(&rode.name, Name::Gtid(g) if known.contains(g)) {
        return Ok(at);
    }
    store::ask(shared, s, "BEGIN")?;
    recorder.record(shared, s, &channel.name, (&rode.behind, &rode.name), &known)?;
    store::ask(shared, s, "COMMIT")?;
    shared.has_executed(channel, &rode.name);
    Ok(rode.behind)
}

impl Applier<'_> {
    pub fn is_stopped(&self) -> bool {
        self.channel.applier.is_stopped() || self.shared.host.is_stopping()
    }

    fn serve(&mut self) -> Result<(), Stop> {
        let channel = self.channel.clone();
        let mut work = Work::default();
        loop {
            if work.is_empty() && self.has_reached_end() {
                return Ok(());
            }
            let stopped = || channel.applier.is_stopped() || self.shared.host.is_stopping();
            let between = work.is_empty();
            let idle = || {
                channel.tell(|s| {
                    s.applier_state = "Replica has read all relay log; waiting for more updates";
                    if between {
                        s.at_work = 0;
                    }
                });
            };
            match channel.queue.next(&stopped, &idle) {
                Next::Stopped => return Ok(()),
                Next::Restart => {
                    self.roll_back();
                    work = Work::default();
                }
                Next::Item(item) => {
                    if work.take(item)? {
                        self.carry_out(&work)?;
                        work = Work::default();
                    }
                }
            }
        }
    }

    /// START REPLICA UNTIL says that this is enough.
    fn has_reached_end(&self) -> bool {
        match &lock(&self.channel.state).until {
            Until::Never | Until::BeforeGtids(_) => false,
            Until::Position(p) => {
                !self.at.file.is_empty() && (&self.at.file, self.at.offset) >= (&p.file, p.offset)
            }
            Until::AfterGtids(set) => set.is_subset(&self.shared.executed()),
        }
    }

    pub fn roll_back(&mut self) {
        self.session.applies_again();
        // There may be none, or the branch of a distributed one.
        _ = store::ask(self.shared, &mut self.session, "ROLLBACK");
    }

    /// How often a transaction is tried that met a lock of another one.
    pub fn retries(&self) -> u64 {
        self.shared.inst.vars.u64(Var::replica_transaction_retries)
    }
}
