//! What a channel keeps in the database.
//!
//! Settings stand in the engine's key-value store, for they change with statements. How far a channel is stands in tables of `mysql`, so
//! that it is written in the transaction that it belongs to: `slave_relay_log_info` has the position of each channel, `gtid_executed` the
//! identifiers of MySQL's transactions, as ranges that are always joined, and `gtid_slave_pos` the last one of each domain of a MariaDB.
//! A definition statement has no transaction: what it would write there rides with it as an entry of the key-value store ([`Rode`]), and
//! the next start takes that over if the crash came before the tables were written.

use crate::manager::Shared;
use weir_binlog::gtid::MariaGtid;
use weir_binlog::{Gtid, GtidSet, Source};
use weir_sql::replication::{Position, SourceSettings};
use weir_sql::session::Session;
use weir_sql::session_api::{
    ColumnMeta, OkInfo, OutValue, ParamValue, ResultSink, SinkError, SqlError,
};

/// The tables, as MySQL 8.3 and MariaDB have them.
const TABLES: [(&str, &str); 3] = [
    (
        "slave_relay_log_info",
        "CREATE TABLE mysql.slave_relay_log_info (Number_of_lines INT UNSIGNED NOT NULL, Relay_log_name TEXT,
         Relay_log_pos BIGINT UNSIGNED, Master_log_name TEXT, Master_log_pos BIGINT UNSIGNED, Sql_delay INT,
         Number_of_workers INT UNSIGNED, Id INT UNSIGNED, Channel_name VARCHAR(64) NOT NULL,
         PRIMARY KEY (Channel_name)) DEFAULT CHARSET=utf8mb3 COMMENT='Relay Log Information'",
    ),
    (
        "gtid_executed",
        "CREATE TABLE mysql.gtid_executed (source_uuid CHAR(36) NOT NULL, interval_start BIGINT NOT NULL,
         interval_end BIGINT NOT NULL, gtid_tag CHAR(32) NOT NULL,
         PRIMARY KEY (source_uuid, gtid_tag, interval_start)) DEFAULT CHARSET=utf8mb4",
    ),
    (
        "gtid_slave_pos",
        "CREATE TABLE mysql.gtid_slave_pos (domain_id INT UNSIGNED NOT NULL, sub_id BIGINT UNSIGNED NOT NULL,
         server_id INT UNSIGNED NOT NULL, seq_no BIGINT UNSIGNED NOT NULL, PRIMARY KEY (domain_id, sub_id))
         DEFAULT CHARSET=latin1 COMMENT='Replication slave GTID position'",
    ),
];

fn settings_key(channel: &str) -> Vec<u8> {
    format!("replica.settings.{channel}").into_bytes()
}

fn rode_key(channel: &str) -> Vec<u8> {
    format!("replica.rode.{channel}").into_bytes()
}

const CHANNELS: &[u8] = b"replica.channels";

/// Keeps the rows of a query as text.
#[derive(Default)]
pub struct Rows(pub Vec<Vec<String>>);

impl ResultSink for Rows {
    fn columns(&mut self, _: &[ColumnMeta]) -> Result<(), SinkError> {
        Ok(())
    }

    fn row(&mut self, row: &[OutValue<'_>]) -> Result<(), SinkError> {
        let text = |v: &OutValue<'_>| match v {
            OutValue::Int(n) => n.to_string(),
            OutValue::UInt(n) => n.to_string(),
            OutValue::Bytes(b) => String::from_utf8_lossy(b).into_owned(),
            _ => String::new(),
        };
        self.0.push(row.iter().map(text).collect());
        Ok(())
    }

    fn end_rows(&mut self, _: &OkInfo<'_>) -> Result<(), SinkError> {
        Ok(())
    }

    fn ok(&mut self, _: &OkInfo<'_>) -> Result<(), SinkError> {
        Ok(())
    }
}

/// Runs a statement of the server's own; its rows.
pub fn ask(shared: &Shared, s: &mut Session, sql: &str) -> Result<Vec<Vec<String>>, SqlError> {
    let mut rows = Rows::default();
    shared.rt.block_on(s.query(sql.as_bytes(), &mut rows)).result?;
    Ok(rows.0)
}

/// Makes the tables that are not there.
pub fn make_tables(shared: &Shared, s: &mut Session) -> Result<(), SqlError> {
    for (name, create) in TABLES {
        if shared.inst.db.table("mysql", name).is_some() {
            if name == "gtid_executed" {
                add_tags(shared, s)?;
            }
            continue;
        }
        // It takes the place of a computed one of that name.
        ask(shared, s, create)?;
    }
    Ok(())
}

/// A dump of MySQL 8.0 has made the table, which has no tags there.
fn add_tags(shared: &Shared, s: &mut Session) -> Result<(), SqlError> {
    if ask(shared, s, "SHOW COLUMNS FROM mysql.gtid_executed LIKE 'gtid_tag'")?.is_empty() {
        let sql =
            "ALTER TABLE mysql.gtid_executed ADD COLUMN gtid_tag CHAR(32) NOT NULL DEFAULT '',
                   DROP PRIMARY KEY, ADD PRIMARY KEY (source_uuid, gtid_tag, interval_start)";
        ask(shared, s, sql)?;
    }
    Ok(())
}

/// The names of the channels that there are.
pub fn channels(shared: &Shared) -> Result<Vec<(String, SourceSettings)>, SqlError> {
    let Some(bytes) = get(shared, CHANNELS)? else { return Ok(Vec::new()) };
    let names = String::from_utf8_lossy(&bytes).into_owned();
    let mut all = Vec::new();
    for name in names.split('\n') {
        let text = get(shared, &settings_key(name))?.unwrap_or_default();
        all.push((name.to_owned(), SourceSettings::of_text(&String::from_utf8_lossy(&text))));
    }
    Ok(all)
}

pub fn keep_channels(shared: &Shared, names: &[String]) -> Result<(), SqlError> {
    match names.is_empty() {
        true => delete(shared, CHANNELS),
        false => put(shared, CHANNELS, names.join("\n").as_bytes()),
    }
}

pub fn keep_settings(shared: &Shared, channel: &str, s: &SourceSettings) -> Result<(), SqlError> {
    put(shared, &settings_key(channel), s.to_text().as_bytes())
}

/// Forgets a channel: its position too.
pub fn forget(shared: &Shared, s: &mut Session, channel: &str, all: bool) -> Result<(), SqlError> {
    if all {
        delete(shared, &settings_key(channel))?;
    }
    delete(shared, &rode_key(channel))?;
    let name = quoted(channel);
    ask(shared, s, &format!("DELETE FROM mysql.slave_relay_log_info WHERE Channel_name = {name}"))
        .map(drop)
}

fn engine(e: weir_engine::Error) -> SqlError {
    SqlError::internal(e.to_string())
}

fn get(shared: &Shared, key: &[u8]) -> Result<Option<Vec<u8>>, SqlError> {
    shared.rt.block_on(shared.inst.db.meta_get(key)).map_err(engine)
}

fn put(shared: &Shared, key: &[u8], value: &[u8]) -> Result<(), SqlError> {
    shared.rt.block_on(shared.inst.db.meta_put(key, value)).map_err(engine)
}

fn delete(shared: &Shared, key: &[u8]) -> Result<(), SqlError> {
    shared.rt.block_on(shared.inst.db.meta_delete(key)).map_err(engine)
}

/// A text as a literal of SQL, whatever the mode says of backslashes.
pub fn quoted(text: &str) -> String {
    let hex: String = text.bytes().map(|b| format!("{b:02x}")).collect();
    if hex.is_empty() { "''".into() } else { format!("CONVERT(x'{hex}' USING utf8mb4)") }
}

/// The position of a channel; nothing where it has none.
pub fn position(
    shared: &Shared,
    s: &mut Session,
    channel: &str,
) -> Result<Option<Position>, SqlError> {
    let sql = format!(
        "SELECT Master_log_name, Master_log_pos FROM mysql.slave_relay_log_info WHERE Channel_name = {}",
        quoted(channel)
    );
    let row = ask(shared, s, &sql)?.into_iter().next();
    Ok(row.map(|r| Position { file: r[0].clone(), offset: r[1].parse().unwrap_or(4) }))
}

pub fn set_position(
    shared: &Shared,
    s: &mut Session,
    channel: &str,
    at: &Position,
) -> Result<(), SqlError> {
    let sql = format!(
        "REPLACE INTO mysql.slave_relay_log_info (Number_of_lines, Relay_log_name, Relay_log_pos, Master_log_name, Master_log_pos, Sql_delay,
         Number_of_workers, Id, Channel_name) VALUES (9, '', 4, {}, {}, 0, 0, 1, {})",
        quoted(&at.file),
        at.offset,
        quoted(channel)
    );
    ask(shared, s, &sql).map(drop)
}

pub fn executed(shared: &Shared, s: &mut Session) -> Result<GtidSet, SqlError> {
    let mut set = GtidSet::default();
    if shared.inst.db.table("mysql", "gtid_executed").is_none() {
        return Ok(set);
    }
    let rows = ask(shared, s, "SELECT * FROM mysql.gtid_executed")?;
    for row in rows {
        let [uuid, begin, end, tag @ ..] = &row[..] else { continue };
        let tag = tag.first().map_or("", String::as_str);
        let source = Source::parse_uuid(uuid).and_then(|u| Source::with_tag(u, tag).ok());
        let (Some(source), Ok(begin), Ok(end)) = (source, begin.parse(), end.parse()) else {
            continue;
        };
        set.add_range(&source, (begin, end));
    }
    Ok(set)
}

/// Writes the whole set, in a transaction of its own.
pub fn set_executed(shared: &Shared, s: &mut Session, set: &GtidSet) -> Result<(), SqlError> {
    ask(shared, s, "BEGIN")?;
    ask(shared, s, "DELETE FROM mysql.gtid_executed")?;
    for (source, ranges) in set.sources() {
        for (begin, end) in ranges {
            let (uuid, tag) = (source.uuid_text(), &source.tag);
            ask(
                shared,
                s,
                &format!(
                    "INSERT INTO mysql.gtid_executed VALUES ('{uuid}', {begin}, {end}, '{tag}')"
                ),
            )?;
        }
    }
    ask(shared, s, "COMMIT").map(drop)
}

pub fn maria(shared: &Shared, s: &mut Session) -> Result<Vec<MariaGtid>, SqlError> {
    if shared.inst.db.table("mysql", "gtid_slave_pos").is_none() {
        return Ok(Vec::new());
    }
    let sql = "SELECT domain_id, server_id, seq_no FROM mysql.gtid_slave_pos ORDER BY domain_id";
    let gtid = |r: Vec<String>| r.join("-").parse().ok();
    Ok(ask(shared, s, sql)?.into_iter().filter_map(gtid).collect())
}

/// The identifier of a transaction of either family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    Anonymous,
    Gtid(Gtid),
    Maria(MariaGtid),
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Name::Anonymous => f.write_str("ANONYMOUS"),
            Name::Gtid(g) => write!(f, "{g}"),
            Name::Maria(g) => write!(f, "{g}"),
        }
    }
}

/// What rode with a definition statement: where the channel was before and is behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rode {
    pub before: Position,
    pub behind: Position,
    pub name: Name,
}

impl Rode {
    pub fn encode(&self) -> Vec<u8> {
        let (kind, name) = match &self.name {
            Name::Anonymous => ("a", String::new()),
            Name::Gtid(g) => ("g", g.to_string()),
            Name::Maria(g) => ("m", g.to_string()),
        };
        let (b, e) = (&self.before, &self.behind);
        let parts = [
            b.file.clone(),
            b.offset.to_string(),
            e.file.clone(),
            e.offset.to_string(),
            kind.into(),
            name,
        ];
        parts.join("\0").into_bytes()
    }

    pub fn decode(bytes: &[u8]) -> Option<Rode> {
        let text = std::str::from_utf8(bytes).ok()?;
        let [bf, bo, ef, eo, kind, name] =
            <[&str; 6]>::try_from(text.split('\0').collect::<Vec<_>>()).ok()?;
        let at = |file: &str, offset: &str| {
            Some(Position { file: file.to_owned(), offset: offset.parse().ok()? })
        };
        Some(Rode {
            before: at(bf, bo)?,
            behind: at(ef, eo)?,
            name: match kind {
                "g" => Name::Gtid(name.parse().ok()?),
                "m" => Name::Maria(name.parse().ok()?),
                _ => Name::Anonymous,
            },
        })
    }
}

pub fn rode(shared: &Shared, channel: &str) -> Result<Option<Rode>, SqlError> {
    Ok(get(shared, &rode_key(channel))?.and_then(|b| Rode::decode(&b)))
}

/// Has `rode` written with the next definition statement of the session that acts on this thread.
pub fn ride(shared: &Shared, channel: &str, rode: &Rode) -> weir_engine::Rider {
    shared.inst.db.ride(&rode_key(channel), rode.encode())
}

/// Prepared statements that write a position within a transaction.
pub struct Recorder {
    position: u32,
    insert: u32,
    extend: u32,
    move_begin: u32,
    delete: u32,
    maria: u32,
}

impl Recorder {
    pub fn new(shared: &Shared, s: &mut Session) -> Result<Recorder, SqlError> {
        let mut prepare = |sql: &str| shared.rt.block_on(s.prepare(sql.as_bytes())).map(|p| p.id);
        Ok(Recorder {
            position: prepare(
                "UPDATE mysql.slave_relay_log_info SET Master_log_name = ?, Master_log_pos = ? WHERE Channel_name = ?",
            )?,
            insert: prepare("INSERT INTO mysql.gtid_executed VALUES (?, ?, ?, ?)")?,
            extend: prepare(
                "UPDATE mysql.gtid_executed SET interval_end = ? WHERE source_uuid = ? AND gtid_tag = ? AND interval_start = ?",
            )?,
            move_begin: prepare(
                "UPDATE mysql.gtid_executed SET interval_start = ? WHERE source_uuid = ? AND gtid_tag = ? AND interval_start = ?",
            )?,
            delete: prepare(
                "DELETE FROM mysql.gtid_executed WHERE source_uuid = ? AND gtid_tag = ? AND interval_start = ?",
            )?,
            maria: prepare("REPLACE INTO mysql.gtid_slave_pos VALUES (?, 0, ?, ?)")?,
        })
    }

    fn run(
        shared: &Shared,
        s: &mut Session,
        id: u32,
        params: &[ParamValue],
    ) -> Result<(), SqlError> {
        let mut nowhere = weir_sql::session_api::Discard;
        shared.rt.block_on(s.execute(id, params, &mut nowhere))
    }

    /// Writes within the session's transaction that the channel is at `at` and that `name` has been carried out. `known`: the set before.
    pub fn record(
        &self,
        shared: &Shared,
        s: &mut Session,
        channel: &str,
        (at, name): (&Position, &Name),
        known: &GtidSet,
    ) -> Result<(), SqlError> {
        let text = |t: &str| ParamValue::Bytes(t.as_bytes().to_vec());
        let number = ParamValue::UInt;
        let position = [text(&at.file), number(at.offset), text(channel)];
        Recorder::run(shared, s, self.position, &position)?;
        let gtid = match name {
            Name::Anonymous => return Ok(()),
            Name::Maria(g) => {
                let params =
                    [number(u64::from(g.domain)), number(u64::from(g.server)), number(g.number)];
                return Recorder::run(shared, s, self.maria, &params);
            }
            Name::Gtid(g) => g,
        };
        let beside = |n: u64| {
            let other = Gtid { source: gtid.source.clone(), number: n };
            known.range_of(&other)
        };
        let (uuid, tag) = (text(&gtid.source.uuid_text()), text(&gtid.source.tag));
        match (beside(gtid.number - 1), beside(gtid.number + 1)) {
            (None, None) => {
                let n = number(gtid.number);
                Recorder::run(shared, s, self.insert, &[uuid, n.clone(), n, tag])
            }
            (Some((begin, _)), None) => {
                let params = [number(gtid.number), uuid, tag, number(begin)];
                Recorder::run(shared, s, self.extend, &params)
            }
            (None, Some((begin, _))) => {
                let params = [number(gtid.number), uuid, tag, number(begin)];
                Recorder::run(shared, s, self.move_begin, &params)
            }
            (Some((begin, _)), Some((next, end))) => {
                let params = [uuid.clone(), tag.clone(), number(next)];
                Recorder::run(shared, s, self.delete, &params)?;
                let params = [number(end), uuid, tag, number(begin)];
                Recorder::run(shared, s, self.extend, &params)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rode_comes_back() {
        let at = |file: &str, offset| Position { file: file.into(), offset };
        for name in [
            Name::Anonymous,
            Name::Gtid("3e11fa47-71ca-11e1-9e33-c80aa9429562:tag:7".parse().expect("one")),
            Name::Maria("1-2-3".parse().expect("one")),
        ] {
            let rode = Rode { before: at("f.1", 4), behind: at("f.2", 120), name };
            assert_eq!(Rode::decode(&rode.encode()), Some(rode));
        }
        assert_eq!(Rode::decode(b"nonsense"), None);
        assert_eq!(quoted("a'"), "CONVERT(x'6127' USING utf8mb4)");
    }
}
