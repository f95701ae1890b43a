//! `mysql.gtid_executed` of a server that is no replica: the intervals of `gtid_executed`, as MySQL keeps them.
//!
//! A replica keeps its own in a table of the engine of that name, which takes the place of this one.

use super::cells::{n, s, text};
use super::virtual_table;
use crate::context::VirtualTable;
use crate::value::{SqlType, Value};
use crate::vars::Var;
use weir_binlog::GtidSet;

pub fn all() -> Vec<&'static dyn VirtualTable> {
    vec![&GtidExecuted]
}

virtual_table!(
    GtidExecuted,
    "mysql",
    "gtid_executed",
    (None, None),
    [
        n("source_uuid", text(36)),
        n("interval_start", SqlType::BIGINT),
        n("interval_end", SqlType::BIGINT),
    ],
    |cx, _| {
        let set: GtidSet =
            cx.reads.shared.vars.text(Var::gtid_executed).parse().unwrap_or_default();
        let mut rows = Vec::new();
        for (source, ranges) in set.sources() {
            rows.extend(ranges.iter().map(|(first, last)| {
                let number = |n: u64| Value::Int(n as i64);
                vec![s(source.uuid_text()), number(*first), number(*last)]
            }));
        }
        rows
    }
);
