//! Whose a transaction is, and as what it goes to this server's own log (`log_replica_updates`).

use super::failure::Stop;
use super::work::Work;
use super::{Applier, UNPACKED_MAX};
use crate::lock;
use crate::store::Name;
use weir_binlog::event::Event;
use weir_binlog::gtid::maria_flag;
use weir_binlog::{Body, Source};
use weir_source::Named;
use weir_sql::errno;
use weir_sql::replication::settings::Assign;
use weir_sql::session::Foreign;

/// What MySQL writes for a server's version that it does not know.
const UNKNOWN_VERSION: u32 = 999_999;

/// What the first event of a transaction says of it.
pub struct Origin {
    pub name: Name,
    /// The time of the event, in seconds since 1970.
    pub seconds: u32,
    /// Microseconds since 1970 at which it was committed at the source; 0: the event does not say.
    pub immediate: u64,
    original: u64,
    version: u32,
    server_id: u32,
    /// Where the event stands.
    place: (String, u64),
}

impl Origin {
    pub fn of(work: &Work) -> Result<Origin, Stop> {
        let first = work.first();
        let broken = |e: weir_binlog::Error| Stop::broken("the identifier of a transaction", &e);
        let event = Event::decode(&first.event, first.format.checksum).map_err(broken)?;
        let header = &event.header;
        let mut origin = Origin {
            name: Name::Anonymous,
            seconds: header.timestamp,
            immediate: 0,
            original: 0,
            version: UNKNOWN_VERSION,
            server_id: header.server_id,
            place: (first.file.to_string(), u64::from(header.end.saturating_sub(header.len))),
        };
        match Body::decode(&event, &first.format, UNPACKED_MAX).map_err(broken)? {
            Body::Begin(b) => {
                origin.name = b.gtid.map_or(Name::Anonymous, Name::Gtid);
                (origin.immediate, origin.original) = (b.immediate_commit, b.original_commit);
                if b.original_version > 0 {
                    origin.version = b.original_version;
                }
            }
            Body::MariaBegin(b) => {
                let phases =
                    maria_flag::START_ALTER | maria_flag::COMMIT_ALTER | maria_flag::ROLLBACK_ALTER;
                if work.is_standalone() && b.extra_flags & phases != 0 {
                    let text =
                        "ALTER TABLE in two phases (binlog_alter_two_phase) is not supported";
                    return Err(not_supported(text));
                }
                origin.name = Name::Maria(b.gtid);
            }
            _ => {}
        }
        Ok(origin)
    }

    /// Microseconds since 1970 at which it was committed first, and at the source, as far as the event says so.
    pub fn commits(&self) -> (i64, i64) {
        let began = i64::from(self.seconds) * 1_000_000;
        match self.immediate {
            0 => (began, began),
            n => (self.original as i64, n as i64),
        }
    }
}

fn not_supported(text: &str) -> Stop {
    Stop::Failed { errno: errno::ER_NOT_SUPPORTED_YET, text: text.into() }
}

impl Applier<'_> {
    /// As what a transaction is logged. `None`: this server logs nothing of what it applies. An error says that its log cannot have it.
    pub fn foreign(&self, origin: &Origin) -> Result<Option<Foreign>, Stop> {
        let Some(log) = self.shared.log_of_channels() else { return Ok(None) };
        let assign = lock(&self.channel.state).settings.assign.clone();
        let cannot = |number: u16| {
            let (file, offset) = &origin.place;
            let text = errno::message(number, &[file, offset]);
            Err(Stop::Failed { errno: number, text })
        };
        let named = match (&origin.name, log.has_gtids(), &assign) {
            (Name::Gtid(g), true, _) if !g.source.tag.is_empty() => {
                return Err(not_supported("an identifier with a tag in the binary log"));
            }
            (Name::Gtid(g), true, _) => Named::Given(g.clone()),
            (Name::Gtid(_), false, _) => {
                return cannot(errno::ER_CANT_REPLICATE_GTID_WITH_GTID_MODE_OFF);
            }
            (_, false, _) => Named::Anonymous,
            (_, true, Assign::Off) => {
                return cannot(errno::ER_CANT_REPLICATE_ANONYMOUS_WITH_GTID_MODE_ON);
            }
            (_, true, Assign::Local) => Named::Automatic,
            (_, true, Assign::Uuid(text)) => {
                let uuid = Source::parse_uuid(text);
                Named::Next(uuid.ok_or_else(|| not_supported("a UUID that cannot be read"))?)
            }
        };
        Ok(Some(Foreign {
            named,
            server_id: origin.server_id,
            original: origin.original,
            original_version: origin.version,
        }))
    }
}
