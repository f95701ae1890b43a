//! performance_schema's sums of what was read and changed by table and index, and of requests to the device by file.
//!
//! Rows are counted (`weir_engine::Uses`), and what they took is not measured: their times are 0, as on a MySQL whose instruments are not
//! timed. A whole scan of the clustered index, and what is put into a table, use no index, so they have the row without a name. MySQL counts
//! a change at the index that found the row, and here it is the clustered one, through which the row is written.

use super::cells::{Row, os, s, u};
use super::engine_told::Told;
use crate::context::{TableReads, VirtualTable};
use crate::ddl::is_virtual_schema;
use crate::meta::SqlTable;
use crate::meta::temporary::HIDDEN;
use crate::value::Value;
use std::sync::Arc;
use weir_engine::{FileSums, IoSums, Use, UseCounts};

pub fn all() -> Vec<&'static dyn VirtualTable> {
    ALL.iter().map(|t| t as &dyn VirtualTable).collect()
}

const SCHEMA: &str = "performance_schema";

/// The columns from COUNT_STAR to MAX_TIMER_DELETE.
macro_rules! io_waits {
    ($names:literal) => {
        concat!(
            $names,
            " COUNT_STAR U! SUM_TIMER_WAIT U! MIN_TIMER_WAIT U! AVG_TIMER_WAIT U! MAX_TIMER_WAIT U! COUNT_READ U! SUM_TIMER_READ U!
              MIN_TIMER_READ U! AVG_TIMER_READ U! MAX_TIMER_READ U! COUNT_WRITE U! SUM_TIMER_WRITE U! MIN_TIMER_WRITE U!
              AVG_TIMER_WRITE U! MAX_TIMER_WRITE U! COUNT_FETCH U! SUM_TIMER_FETCH U! MIN_TIMER_FETCH U! AVG_TIMER_FETCH U!
              MAX_TIMER_FETCH U! COUNT_INSERT U! SUM_TIMER_INSERT U! MIN_TIMER_INSERT U! AVG_TIMER_INSERT U! MAX_TIMER_INSERT U!
              COUNT_UPDATE U! SUM_TIMER_UPDATE U! MIN_TIMER_UPDATE U! AVG_TIMER_UPDATE U! MAX_TIMER_UPDATE U! COUNT_DELETE U!
              SUM_TIMER_DELETE U! MIN_TIMER_DELETE U! AVG_TIMER_DELETE U! MAX_TIMER_DELETE U!"
        )
    };
}

const TABLE_WAITS: &str = io_waits!("OBJECT_TYPE V64 OBJECT_SCHEMA V64 OBJECT_NAME V64");
const INDEX_WAITS: &str =
    io_waits!("OBJECT_TYPE V64 OBJECT_SCHEMA V64 OBJECT_NAME V64 INDEX_NAME V64");

const FILE_EVENTS: &str =
    "EVENT_NAME V128! COUNT_STAR U! SUM_TIMER_WAIT U! MIN_TIMER_WAIT U! AVG_TIMER_WAIT U! MAX_TIMER_WAIT U! COUNT_READ U!
     SUM_TIMER_READ U! MIN_TIMER_READ U! AVG_TIMER_READ U! MAX_TIMER_READ U! SUM_NUMBER_OF_BYTES_READ I! COUNT_WRITE U!
     SUM_TIMER_WRITE U! MIN_TIMER_WRITE U! AVG_TIMER_WRITE U! MAX_TIMER_WRITE U! SUM_NUMBER_OF_BYTES_WRITE I! COUNT_MISC U!
     SUM_TIMER_MISC U! MIN_TIMER_MISC U! AVG_TIMER_MISC U! MAX_TIMER_MISC U!";

const FILE_INSTANCES: &str =
    "FILE_NAME V512! EVENT_NAME V128! OBJECT_INSTANCE_BEGIN U! COUNT_STAR U! SUM_TIMER_WAIT U! MIN_TIMER_WAIT U! AVG_TIMER_WAIT U!
     MAX_TIMER_WAIT U! COUNT_READ U! SUM_TIMER_READ U! MIN_TIMER_READ U! AVG_TIMER_READ U! MAX_TIMER_READ U!
     SUM_NUMBER_OF_BYTES_READ I! COUNT_WRITE U! SUM_TIMER_WRITE U! MIN_TIMER_WRITE U! AVG_TIMER_WRITE U! MAX_TIMER_WRITE U!
     SUM_NUMBER_OF_BYTES_WRITE I! COUNT_MISC U! SUM_TIMER_MISC U! MIN_TIMER_MISC U! AVG_TIMER_MISC U! MAX_TIMER_MISC U!";

static ALL: [Told; 5] = [
    Told::new(SCHEMA, "table_io_waits_summary_by_table", TABLE_WAITS, by_table),
    Told::new(SCHEMA, "table_io_waits_summary_by_index_usage", INDEX_WAITS, by_index),
    Told::new(
        SCHEMA,
        "objects_summary_global_by_type",
        "OBJECT_TYPE V64 OBJECT_SCHEMA V64 OBJECT_NAME V64 COUNT_STAR U! SUM_TIMER_WAIT U! MIN_TIMER_WAIT U! AVG_TIMER_WAIT U!
         MAX_TIMER_WAIT U!",
        |cx| each(cx).iter().map(|t| Waits::of(all_of(t)).row(names(t), false)).collect(),
    ),
    Told::new(SCHEMA, "file_summary_by_instance", FILE_INSTANCES, by_file),
    Told::new(SCHEMA, "file_summary_by_event_name", FILE_EVENTS, by_kind_of_file),
];

/// All tables but temporary ones, which MySQL counts under the names of their files.
fn each(cx: TableReads<'_>) -> Vec<Arc<SqlTable>> {
    let db = cx.reads.db();
    let schemas = db.schemas().into_iter().map(|schema| schema.name.clone());
    let told = schemas.filter(|schema| schema != HIDDEN && !is_virtual_schema(schema));
    told.flat_map(|schema| cx.reads.meta().tables(db, &schema)).collect()
}

fn names(t: &SqlTable) -> Row {
    vec![s("TABLE"), s(t.schema()), s(t.name())]
}

/// Rows that were read, put in, changed and deleted.
#[derive(Clone, Copy, Default)]
struct Waits([u64; 4]);

impl Waits {
    fn of(uses: UseCounts) -> Waits {
        let read = uses.of(Use::Fetched) + uses.of(Use::Scanned);
        Waits([read, uses.of(Use::Inserted), uses.of(Use::Updated), uses.of(Use::Deleted)])
    }

    /// The columns after the names; `kinds`: those of each use too.
    fn row(self, mut names: Row, kinds: bool) -> Row {
        let [read, put, changed, deleted] = self.0;
        let written = put + changed + deleted;
        let untimed = |n: u64| [n, 0, 0, 0, 0].map(u);
        names.extend(untimed(read + written));
        if kinds {
            names
                .extend([read, written, read, put, changed, deleted].into_iter().flat_map(untimed));
        }
        names
    }
}

fn all_of(t: &SqlTable) -> UseCounts {
    let uses = (0..t.engine.indexes.len()).map(|i| t.engine.uses_of(i));
    uses.fold(UseCounts::default(), UseCounts::plus)
}

fn by_table(cx: TableReads<'_>) -> Vec<Row> {
    each(cx).iter().map(|t| Waits::of(all_of(t)).row(names(t), true)).collect()
}

fn by_index(cx: TableReads<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    for t in each(cx) {
        let clustered = t.engine.uses_of(0);
        let mut unnamed = [clustered.of(Use::Scanned), clustered.of(Use::Inserted), 0, 0];
        let by_key =
            [clustered.of(Use::Fetched), 0, clustered.of(Use::Updated), clustered.of(Use::Deleted)];
        let mut push = |index: Option<&str>, waits: [u64; 4]| {
            let mut names = names(&t);
            names.push(os(index));
            rows.push(Waits(waits).row(names, true));
        };
        for (i, index) in t.engine.indexes.iter().enumerate() {
            match (i, t.engine.has_hidden_key()) {
                (0, false) => push(Some(&index.def.name), by_key),
                (0, true) => {
                    unnamed.iter_mut().zip(by_key).for_each(|(sum, n)| *sum += n);
                }
                _ => push(Some(&index.def.name), [t.engine.uses_of(i).of(Use::Fetched), 0, 0, 0]),
            }
        }
        push(None, unnamed);
    }
    rows
}

/// The instruments of files under MySQL's names.
const DATA: &str = "wait/io/file/innodb/innodb_data_file";
const LOG: &str = "wait/io/file/innodb/innodb_log_file";

/// Requests of one kind: their number, their times in picoseconds.
fn timed(sums: IoSums) -> [Value<'static>; 5] {
    let pico = |nanos: u64| u(nanos.saturating_mul(1000));
    let mean = sums.nanos.checked_div(sums.requests).unwrap_or(0);
    // The shortest one is not kept.
    [u(sums.requests), pico(sums.nanos), u(0), pico(mean), pico(sums.longest)]
}

/// The columns after the names. `bytes`: read and written; `syncs`: what else was done.
fn requests(mut row: Row, [reads, writes]: [IoSums; 2], bytes: [u64; 2], syncs: u64) -> Row {
    let misc = IoSums { requests: syncs, ..IoSums::default() };
    row.extend(timed(reads.plus(writes).plus(misc)));
    row.extend(timed(reads));
    row.push(u(bytes[0]));
    row.extend(timed(writes));
    row.push(u(bytes[1]));
    row.extend(timed(misc));
    row
}

fn by_file(cx: TableReads<'_>) -> Vec<Row> {
    let page = cx.reads.db().page_size() as u64;
    let row = |f: FileSums| {
        let names = vec![s(format!("./{}", f.path)), s(DATA), u(0)];
        requests(names, [f.reads, f.writes], [f.reads.pages * page, f.writes.pages * page], 0)
    };
    cx.reads.db().file_sums().into_iter().map(row).collect()
}

fn by_kind_of_file(cx: TableReads<'_>) -> Vec<Row> {
    let db = cx.reads.db();
    let page = db.page_size() as u64;
    let sum = |sums: [IoSums; 2], f: FileSums| [sums[0].plus(f.reads), sums[1].plus(f.writes)];
    let data = db.file_sums().into_iter().fold([IoSums::default(); 2], sum);
    let log = db.log_sums();
    let written = IoSums { requests: log.writes, ..IoSums::default() };
    vec![
        requests(vec![s(DATA)], data, data.map(|sums| sums.pages * page), 0),
        requests(vec![s(LOG)], [IoSums::default(), written], [0, log.bytes], log.syncs),
    ]
}
