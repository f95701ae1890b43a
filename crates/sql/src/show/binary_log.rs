//! SHOW of the binary log: its files, its place, its events, and the replicas that follow it.

use crate::context::{ShowResult, StatementCtx};
use crate::ddl::engine_error;
use crate::errno;
use crate::infoschema::cells::{s, u};
use crate::infoschema::columns_of;
use crate::memory::{Held, row_bytes};
use crate::session_api::SqlError;
use crate::value::Value;
use std::sync::Arc;
use weir_binlog::event::MAGIC;
use weir_binlog::{Body, Checksum, Event, Format, Kind};
use weir_source::BinaryLog;
use weir_syntax::ast::{Expr, Limit, Literal};

/// What a packed event may come to.
const UNPACKED_MAX: u64 = 1 << 30;

fn log<'c>(cx: &StatementCtx<'c>) -> Option<&'c Arc<BinaryLog>> {
    cx.reads.shared.binlog.get().filter(|l| l.is_on())
}

/// SHOW BINARY LOGS.
pub async fn files(cx: &StatementCtx<'_>) -> Result<ShowResult, SqlError> {
    let Some(log) = log(cx) else {
        return Err(SqlError::of(errno::ER_NO_BINARY_LOGGING, &[]));
    };
    log.settle_told().await.map_err(engine_error)?;
    let mut r = ShowResult::new(columns_of("Log_name V255! File_size U! Encrypted V3!"));
    r.rows.extend(log.files().into_iter().map(|(name, size)| vec![s(name), u(size), s("No")]));
    Ok(r)
}

/// SHOW MASTER STATUS, SHOW BINARY LOG STATUS.
pub async fn status(cx: &StatementCtx<'_>) -> Result<ShowResult, SqlError> {
    let columns = "File V255! Position U! Binlog_Do_DB V255! Binlog_Ignore_DB V255! Executed_Gtid_Set V20480!";
    let mut r = ShowResult::new(columns_of(columns));
    if let Some(log) = log(cx) {
        log.settle_told().await.map_err(engine_error)?;
        let place = log.place();
        let executed = cx.reads.shared.vars.text(crate::vars::Var::gtid_executed);
        r.rows.push(vec![s(place.file), u(place.position), s(""), s(""), s(executed.to_string())]);
    }
    Ok(r)
}

/// SHOW REPLICAS.
pub fn replicas(cx: &StatementCtx<'_>) -> ShowResult {
    let columns = "Server_Id N! Host V60! Port N! Source_Id N! Replica_UUID V36!";
    let mut r = ShowResult::new(columns_of(columns));
    if let Some(log) = log(cx) {
        let own = u64::from(log.settings.server_id());
        r.rows.extend(log.replicas().into_iter().map(|x| {
            vec![u(u64::from(x.server_id)), s(x.host), u(u64::from(x.port)), u(own), s(x.uuid)]
        }));
    }
    r
}

/// 1220.
fn failed(why: &str) -> SqlError {
    SqlError::of(errno::ER_ERROR_WHEN_EXECUTING_COMMAND, &[&"SHOW BINLOG EVENTS", &why])
}

fn number(e: &Expr) -> Option<u64> {
    match e {
        Expr::Literal(Literal::Int(n)) => Some(*n),
        _ => None,
    }
}

/// SHOW BINLOG EVENTS.
pub async fn events(
    name: Option<&[u8]>,
    from: Option<u64>,
    limit: Option<&Limit>,
    cx: &StatementCtx<'_>,
) -> Result<ShowResult, SqlError> {
    let mut r = super::replication::log_events();
    let Some(log) = log(cx) else { return Ok(r) };
    log.settle_told().await.map_err(engine_error)?;
    let file = match name {
        Some(name) => String::from_utf8_lossy(name).into_owned(),
        None => log.files().first().map(|f| f.0.clone()).unwrap_or_default(),
    };
    let file_number = log.number_of(&file).ok_or_else(|| failed("Could not find target log"))?;
    let start = MAGIC.len() as u64;
    let from = from.unwrap_or(start).max(start);
    let skip = limit.and_then(|l| l.offset.as_ref()).and_then(number).unwrap_or(0);
    let most = limit.map_or(u64::MAX, |l| number(&l.count).unwrap_or(u64::MAX));
    let (mut reader, end) = log.read(file_number, start).await.map_err(engine_error)?;
    let mut format = None;
    let (mut seen, mut reached) = (0, from == start);
    // A file may have a gigabyte of events, and all rows are made before the first one goes out.
    let (mut held, account) = (Held::default(), cx.reads.session.memory());
    while let Some(bytes) = reader.next(end).await.map_err(engine_error)? {
        if cx.reads.interrupt.killed() != 0 {
            return Err(SqlError::interrupted());
        }
        let at = reader.position() - bytes.len() as u64;
        if format.is_none() {
            format = Format::decode(&bytes).ok();
        }
        reached |= at == from;
        if at < from {
            continue;
        }
        if !reached {
            return Err(failed("Wrong offset or I/O error"));
        }
        seen += 1;
        if seen > skip {
            if r.rows.len() as u64 >= most {
                break;
            }
            let row = row(&file, at, &bytes, format.as_ref());
            held.grow(account, row_bytes(&row))?;
            r.rows.push(row);
        }
    }
    if !reached && from < end {
        return Err(failed("Wrong offset or I/O error"));
    }
    Ok(r)
}

fn row(file: &str, at: u64, bytes: &[u8], format: Option<&Format>) -> Vec<Value<'static>> {
    let checksum = format.map_or(Checksum::None, |f| f.checksum);
    let Ok(event) = Event::decode(bytes, checksum) else {
        return vec![s(file.to_owned()), u(at), s("damaged"), u(0), u(at), s("")];
    };
    let info = format.map_or(String::new(), |f| info(&event, f));
    let h = event.header;
    vec![
        s(file.to_owned()),
        u(at),
        s(h.kind.name()),
        u(u64::from(h.server_id)),
        u(u64::from(h.end)),
        s(info),
    ]
}

/// What MySQL says of an event.
fn info(event: &Event<'_>, format: &Format) -> String {
    if event.header.kind == Kind::FormatDescription {
        return format!("Server ver: {}, Binlog ver: 4", format.server_version);
    }
    let Ok(body) = Body::decode(event, format, UNPACKED_MAX) else { return String::new() };
    match body {
        Body::Query(q) => {
            let text = String::from_utf8_lossy(&q.text).into_owned();
            match q.schema.is_empty() || event.header.has(weir_binlog::event::flag::SUPPRESS_USE) {
                true => text,
                false => format!("use `{}`; {text}", String::from_utf8_lossy(q.schema)),
            }
        }
        Body::Xid(n) => format!("COMMIT /* xid={n} */"),
        Body::TableMap(m) => format!("table_id: {} ({}.{})", m.id, m.schema, m.table),
        Body::Rows(rows) => {
            let ends = rows.flags & weir_binlog::rows::flag::STATEMENT_END != 0;
            format!("table_id: {}{}", rows.table, if ends { " flags: STMT_END_F" } else { "" })
        }
        Body::Begin(b) => match b.gtid {
            Some(gtid) => format!("SET @@SESSION.GTID_NEXT= '{gtid}'"),
            None => "SET @@SESSION.GTID_NEXT= 'ANONYMOUS'".into(),
        },
        Body::PreviousGtids(set) => set.to_string(),
        Body::Rotate { position, file } => {
            format!("{};pos={position}", String::from_utf8_lossy(file))
        }
        Body::XaPrepare(x) => {
            let hex = |b: &[u8]| b.iter().map(|b| format!("{b:02x}")).collect::<String>();
            format!("XA PREPARE X'{}',X'{}',{}", hex(x.gtrid), hex(x.bqual), x.format)
        }
        _ => String::new(),
    }
}

/// 1373.
pub fn no_such_file() -> SqlError {
    SqlError::of(errno::ER_UNKNOWN_TARGET_BINLOG, &[])
}
