//! The last deadlock, as SHOW ENGINE INNODB STATUS tells it, and `innodb_print_all_deadlocks` in the error log. Names of tables and keys are
//! worked out when somebody reads the report.

use super::cells::at;
use super::data_locks::{data, mode, number as id_of, places_of};
use crate::context::Shared;
use crate::value::{TimeZone, Value};
use std::fmt::Write;

/// Of a statement in the report, as in InnoDB's.
const STATEMENT: usize = 1024;

/// The report; `None`: there was no deadlock since the start.
pub fn report(shared: &Shared, tz: TimeZone) -> Option<String> {
    let seen = shared.deadlocks.last()?;
    let places = places_of(&shared.db, &shared.meta);
    let mut out = String::new();
    if let Value::DateTime(at) = at(seen.at_micros, tz) {
        let _ = writeln!(out, "{at}");
    }
    let count = seen.deadlock.members.len();
    for (n, (m, session)) in seen.deadlock.members.iter().zip(&seen.sessions).enumerate() {
        let number = n + 1;
        let _ = writeln!(out, "*** ({number}) TRANSACTION:");
        let id = id_of(m.trx, m.serial);
        let _ = writeln!(
            out,
            "TRANSACTION {id}, ACTIVE, {} undo log entries and lock struct(s)",
            seen.deadlock.weights.get(n).copied().unwrap_or(0)
        );
        match session {
            Some(p) => {
                let db = p.db.as_deref().unwrap_or("-");
                let _ = writeln!(
                    out,
                    "MySQL thread id {}, {} {} {db}, in this statement for {} sec",
                    p.id, p.host, p.user, p.time
                );
                if let Some(text) = &p.info {
                    let _ = writeln!(out, "{}", text.chars().take(STATEMENT).collect::<String>());
                }
            }
            None => {
                let _ = writeln!(out, "thread id {}", m.session);
            }
        }
        let holder = number % count + 1;
        let _ = writeln!(
            out,
            "*** ({number}) WAITS FOR THIS LOCK, WHICH ({holder}) HOLDS OR ASKED FOR BEFORE:"
        );
        match places.get(&m.name.index) {
            Some(place) => {
                let index = &place.stored.indexes[place.index];
                let _ = writeln!(
                    out,
                    "RECORD LOCKS index {} of table `{}`.`{}` trx id {id} lock_mode {} waiting",
                    index.def.name,
                    place.table.schema(),
                    place.table.name(),
                    mode(m)
                );
                let key = data(place, index, m.name.key.as_deref(), tz);
                let _ = writeln!(out, "Record: {key}");
            }
            None => {
                let _ = writeln!(
                    out,
                    "RECORD LOCKS index number {} of a table that is gone",
                    m.name.index
                );
            }
        }
    }
    let _ = writeln!(out, "*** WE ROLL BACK TRANSACTION ({})", seen.deadlock.victim + 1);
    Some(out)
}
