//! `performance_schema.error_log`: the last lines of the server's log.

use super::cells::{Row, s, u};
use super::engine_told::Told;
use crate::account::Privileges;
use crate::context::{TableReads, VirtualTable};
use crate::value::Value;
use crate::value::convert::local_time;

pub fn all() -> Vec<&'static dyn VirtualTable> {
    vec![&ERROR_LOG]
}

static ERROR_LOG: Told = Told::new(
    "performance_schema",
    "error_log",
    "LOGGED D6! THREAD_ID U PRIO V7! ERROR_CODE V10 SUBSYSTEM V7 DATA X!",
    lines,
);

/// Lines name accounts, files and statements: they are for those who may see other sessions, or who may read every table.
fn lines(cx: TableReads<'_>) -> Vec<Row> {
    let may = Privileges::PROCESS | Privileges::SELECT;
    if !cx.access.clone().global().intersects(may) {
        return Vec::new();
    }
    let Some(log) = cx.reads.shared.error_log.get() else { return Vec::new() };
    let tz = cx.reads.settings.tz;
    let row = |line: crate::files::ErrorLogLine| {
        let logged = local_time(line.micros as i64, tz, 6).map_or(Value::Null, Value::DateTime);
        vec![
            logged,
            u(line.connection),
            s(line.level),
            s(line.code),
            s(line.subsystem),
            s(line.text),
        ]
    };
    log.lines().into_iter().map(row).collect()
}
