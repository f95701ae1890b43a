//! performance_schema.data_locks and data_lock_waits: row locks, and who waits for whom.

use super::cells::{Row, ou, s, u};
use super::engine_told::Told;
use crate::context::{TableReads, VirtualTable};
use crate::meta::temporary::HIDDEN;
use crate::meta::{MetaCache, SqlTable};
use crate::value::{TimeZone, Value};
use std::collections::HashMap;
use std::sync::Arc;
use weir_engine::row::{KeyPart, KeyPartType, decode_datum, decode_len};
use weir_engine::{Db, Index, LockInfo, LockKind, LockStrength, Table};

pub fn all() -> Vec<&'static dyn VirtualTable> {
    vec![&LOCKS, &WAITS]
}

const SCHEMA: &str = "performance_schema";
const ENGINE: &str = "INNODB";

static LOCKS: Told = Told::new(
    SCHEMA,
    "data_locks",
    "ENGINE V32! ENGINE_LOCK_ID V128! ENGINE_TRANSACTION_ID U THREAD_ID U EVENT_ID U OBJECT_SCHEMA V64 OBJECT_NAME V64
     PARTITION_NAME V64 SUBPARTITION_NAME V64 INDEX_NAME V64 OBJECT_INSTANCE_BEGIN U! LOCK_TYPE V32! LOCK_MODE V32! LOCK_STATUS V32!
     LOCK_DATA V8192",
    locks,
);

static WAITS: Told = Told::new(
    SCHEMA,
    "data_lock_waits",
    "ENGINE V32! REQUESTING_ENGINE_LOCK_ID V128! REQUESTING_ENGINE_TRANSACTION_ID U REQUESTING_THREAD_ID U REQUESTING_EVENT_ID U
     REQUESTING_OBJECT_INSTANCE_BEGIN U! BLOCKING_ENGINE_LOCK_ID V128! BLOCKING_ENGINE_TRANSACTION_ID U BLOCKING_THREAD_ID U
     BLOCKING_EVENT_ID U BLOCKING_OBJECT_INSTANCE_BEGIN U!",
    waits,
);

/// The index of a lock, with the table that users know.
pub(super) struct Place {
    pub(super) table: Arc<SqlTable>,
    pub(super) stored: Arc<Table>,
    partition: Option<String>,
    subpartition: Option<String>,
    pub(super) index: usize,
}

/// Places by the ids of indexes.
fn places(cx: TableReads<'_>) -> HashMap<u64, Place> {
    places_of(cx.reads.db(), cx.reads.meta())
}

pub(super) fn places_of(db: &Db, meta: &MetaCache) -> HashMap<u64, Place> {
    let mut all = HashMap::new();
    // Of temporary tables nobody else's statement can want a lock.
    for schema in db.schemas().iter().filter(|s| s.name != HIDDEN) {
        for table in meta.tables(db, &schema.name) {
            for (at, stored) in table.engine.stored().iter().enumerate() {
                let leaf = table.partitions.as_ref().and_then(|p| p.leaf(at));
                for (index, i) in stored.indexes.iter().enumerate() {
                    let partition = leaf.map(|(p, _)| p.name.clone());
                    let subpartition = leaf.and_then(|(_, sub)| sub).map(|p| p.name.clone());
                    let (table, stored) = (table.clone(), stored.clone());
                    all.insert(i.id, Place { table, stored, partition, subpartition, index });
                }
            }
        }
    }
    all
}

/// A name of a lock that is the same as long as it is there.
pub(super) fn id_of(l: &LockInfo) -> String {
    use std::hash::{Hash, Hasher};
    let mut h = std::hash::DefaultHasher::new();
    (&l.name.key, format!("{:?}", l.what)).hash(&mut h);
    format!("{}:{}:{:016x}", l.serial, l.name.index, h.finish())
}

/// The number of a transaction. That which InnoDB gives to those that have only read is far from the others, too.
pub(super) fn number(id: u64, serial: u64) -> u64 {
    const READERS: u64 = 1 << 48;
    if id == 0 { READERS + serial } else { id }
}

fn transaction(l: &LockInfo) -> Value<'static> {
    u(number(l.trx, l.serial))
}

fn session(l: &LockInfo) -> Value<'static> {
    ou((l.session != 0).then_some(l.session))
}

pub(super) fn mode(l: &LockInfo) -> String {
    let (strength, kind) = l.what;
    let strength = match strength {
        LockStrength::S => "S",
        LockStrength::X => "X",
    };
    let supremum = l.name.key.is_none();
    let of = match kind {
        LockKind::NextKey => "",
        LockKind::Gap if supremum => "",
        LockKind::Record => ",REC_NOT_GAP",
        LockKind::Gap => ",GAP",
        LockKind::InsertIntention if supremum => ",INSERT_INTENTION",
        LockKind::InsertIntention => ",GAP,INSERT_INTENTION",
    };
    format!("{strength}{of}")
}

fn locks(cx: TableReads<'_>) -> Vec<Row> {
    let places = places(cx);
    let tz = cx.reads.settings.tz;
    let row = |l: LockInfo| {
        let place = places.get(&l.name.index)?;
        let index = &place.stored.indexes[place.index];
        let part = |name: &Option<String>| name.as_deref().map_or(Value::Null, s);
        Some(vec![
            s(ENGINE),
            s(id_of(&l)),
            transaction(&l),
            session(&l),
            Value::Null,
            s(place.table.schema()),
            s(place.table.name()),
            part(&place.partition),
            part(&place.subpartition),
            s(index.def.name.as_str()),
            u(l.name.index),
            s("RECORD"),
            s(mode(&l)),
            s(if l.waits { "WAITING" } else { "GRANTED" }),
            s(data(place, index, l.name.key.as_deref(), tz)),
        ])
    };
    cx.reads.db().locks().into_iter().filter_map(row).collect()
}

fn waits(cx: TableReads<'_>) -> Vec<Row> {
    let all = cx.reads.db().locks();
    let mut rows = Vec::new();
    for l in all.iter().filter(|l| l.waits) {
        for other in l.waits_for.iter().map(|at| &all[*at]) {
            let side = |l: &LockInfo| {
                [s(id_of(l)), transaction(l), session(l), Value::Null, u(l.name.index)]
            };
            rows.push([s(ENGINE)].into_iter().chain(side(l)).chain(side(other)).collect());
        }
    }
    rows
}

/// The record's key, as InnoDB shows it. Of texts under a collation the key has the weights only: they are shown as they are.
pub(super) fn data(place: &Place, index: &Index, key: Option<&[u8]>, tz: TimeZone) -> String {
    let Some(mut rest) = key else { return "supremum pseudo-record".into() };
    let clustered = &place.stored.indexes[0];
    let mut parts: Vec<(&KeyPart, &KeyPartType)> =
        index.def.parts.iter().zip(index.types()).collect();
    if place.index > 0 {
        parts.extend(clustered.def.parts.iter().zip(clustered.types()));
    }
    let mut shown = Vec::new();
    for (part, ty) in parts {
        let Some(len) = decode_len(std::slice::from_ref(ty), rest) else { break };
        let bytes = &rest[..len];
        rest = &rest[len..];
        shown.push(match decode_datum(ty, bytes) {
            Some((datum, _)) => {
                let column = place.table.columns[part.col].ty;
                let value = column.load(datum.as_ref(), tz);
                let mut text = Vec::new();
                match value {
                    Value::Null => text.extend_from_slice(b"NULL"),
                    ref v => column.write_text(v, &mut text),
                }
                let text = String::from_utf8_lossy(&text).into_owned();
                let plain = column.is_numeric() || matches!(value, Value::Null);
                if plain { text } else { format!("'{text}'") }
            }
            None => hex(bytes),
        });
    }
    // The number of a row in a table without a primary key.
    if !rest.is_empty() {
        shown.push(hex(rest));
    }
    shown.join(", ")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().take(32).fold("0x".to_owned(), |text, b| text + &format!("{b:02X}"))
}
