//! What an event says, by its type.

use crate::error::{Error, Result};
use crate::event::{Event, Format};
use crate::gtid::{Begin, MariaBegin, MariaGtid, maria_list};
use crate::kind::Kind;
use crate::payload;
use crate::query::{Query, UserVar};
use crate::rows::Rows;
use crate::set::GtidSet;
use crate::table_map::TableMap;
use weir_wire::Reader;

#[derive(Clone, Debug)]
pub enum Body<'a> {
    Query(Query<'a>),
    /// The file goes on in another one, from this position.
    Rotate {
        position: u64,
        file: &'a [u8],
    },
    /// The format of the events that follow; [`Format::decode`] reads it.
    FormatDescription,
    Stop,
    /// The values that LAST_INSERT_ID() and the next generated number have in the statement that follows.
    LastInsertId(u64),
    InsertId(u64),
    Rand(u64, u64),
    UserVar(UserVar<'a>),
    /// The transaction is committed.
    Xid(u64),
    XaPrepare(XaPrepare<'a>),
    Begin(Begin),
    MariaBegin(MariaBegin),
    PreviousGtids(GtidSet),
    MariaGtidList(Vec<MariaGtid>),
    TableMap(TableMap),
    Rows(Rows<'a>),
    /// The text of the statement whose rows follow, for people.
    RowsQuery(&'a [u8]),
    /// The events of a transaction, one behind the other, which have no checksums. See [`crate::event::packed`].
    Payload(Vec<u8>),
    /// The source is alive, and so far in this file.
    Heartbeat {
        position: u64,
        file: &'a [u8],
    },
    /// Something was lost at the source.
    Incident {
        number: u16,
        message: &'a [u8],
    },
    /// An event that changes nothing at a replica.
    Nothing,
}

/// The end of a prepared transaction's events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct XaPrepare<'a> {
    /// It is committed at once.
    pub one_phase: bool,
    pub format: u32,
    pub gtrid: &'a [u8],
    pub bqual: &'a [u8],
}

/// MySQL's limit of each part of an XA identifier.
const XA_PART_MAX: usize = 64;

impl<'a> Body<'a> {
    /// `limit`: bytes that compressed events may have.
    pub fn decode(event: &Event<'a>, format: &Format, limit: u64) -> Result<Body<'a>> {
        let kind = event.header.kind;
        let body = event.body;
        let mut r = Reader::new(body);
        Ok(match kind {
            Kind::Query => Body::Query(Query::decode(body, false, limit)?),
            Kind::MariaQueryCompressed => Body::Query(Query::decode(body, true, limit)?),
            Kind::Rotate => Body::Rotate { position: r.u64()?, file: r.rest() },
            Kind::FormatDescription => Body::FormatDescription,
            Kind::Stop => Body::Stop,
            Kind::Intvar => match (r.u8()?, r.u64()?) {
                (1, n) => Body::LastInsertId(n),
                (2, n) => Body::InsertId(n),
                _ => return Err(Error::Malformed("an Intvar event")),
            },
            Kind::Rand => Body::Rand(r.u64()?, r.u64()?),
            Kind::UserVar => Body::UserVar(UserVar::decode(body)?),
            Kind::Xid => Body::Xid(r.u64()?),
            Kind::XaPrepare => Body::XaPrepare(xa_prepare(r)?),
            Kind::Gtid => Body::Begin(Begin::decode(body, false)?),
            Kind::AnonymousGtid => Body::Begin(Begin::decode(body, true)?),
            Kind::GtidTagged => Body::Begin(Begin::decode_tagged(body)?),
            Kind::PreviousGtids => Body::PreviousGtids(GtidSet::decode(body)?),
            Kind::MariaGtid => Body::MariaBegin(MariaBegin::decode(body, event.header.server_id)?),
            Kind::MariaGtidList => Body::MariaGtidList(maria_list(body)?),
            Kind::TableMap => Body::TableMap(TableMap::decode(body, format)?),
            Kind::RowsQuery => {
                r.u8()?;
                Body::RowsQuery(r.rest())
            }
            Kind::MariaAnnotateRows => Body::RowsQuery(body),
            Kind::TransactionPayload => Body::Payload(payload::unpack(body, limit)?),
            Kind::Heartbeat => {
                Body::Heartbeat { position: u64::from(event.header.end), file: body }
            }
            Kind::HeartbeatV2 => heartbeat(r)?,
            Kind::Incident => {
                let (number, len) = (r.u16()?, usize::from(r.u8()?));
                Body::Incident { number, message: r.bytes(len)? }
            }
            Kind::MariaStartEncryption => {
                return Err(Error::Refused("an encrypted binary log".into()));
            }
            Kind::AppendBlock
            | Kind::DeleteFile
            | Kind::BeginLoadQuery
            | Kind::ExecuteLoadQuery => {
                let text = format!("LOAD DATA in statement format (event {})", kind.name());
                return Err(Error::Refused(text));
            }
            Kind::Ignorable
            | Kind::TransactionContext
            | Kind::ViewChange
            | Kind::MariaBinlogCheckpoint => Body::Nothing,
            kind if kind.changes_rows() => Body::Rows(Rows::decode(kind, body, format, limit)?),
            _ if event.header.has(crate::event::flag::IGNORABLE) => Body::Nothing,
            kind => return Err(Error::Refused(format!("event type {}", kind.number()))),
        })
    }
}

fn xa_prepare(mut r: Reader<'_>) -> Result<XaPrepare<'_>> {
    let one_phase = r.u8()? != 0;
    let (format, a, b) = (r.u32()?, r.u32()? as usize, r.u32()? as usize);
    if a > XA_PART_MAX || b > XA_PART_MAX {
        return Err(Error::Malformed("an XA identifier"));
    }
    Ok(XaPrepare { one_phase, format, gtrid: r.bytes(a)?, bqual: r.bytes(b)? })
}

/// Fields with a number and a length.
fn heartbeat(mut r: Reader<'_>) -> Result<Body<'_>> {
    let (mut position, mut file) = (0, &[][..]);
    while !r.is_empty() {
        match r.lenenc_int()? {
            0 => break,
            1 => file = r.lenenc_str()?,
            2 => position = Reader::new(r.lenenc_str()?).lenenc_int()?,
            _ => _ = r.lenenc_str()?,
        }
    }
    Ok(Body::Heartbeat { position, file })
}
