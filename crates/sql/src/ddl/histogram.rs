//! ANALYZE TABLE ... UPDATE HISTOGRAM and DROP HISTOGRAM, and what becomes of histograms at ALTER TABLE.
//!
//! Anyone who uses the table is not waited for: a histogram is of no concern but to estimates (`Db::note_extra`).

use super::maintain::{COLUMNS, text_value};
use super::plan::Plan;
use super::refused::duplicate_column;
use super::{engine_error, is_virtual_schema, resolve, resolve_kept};
use crate::context::{AdminResult, ShowResult, StatementCtx};
use crate::errno;
use crate::memory::Held;
use crate::meta::cache::no_such_table;
use crate::meta::histogram::{self, BUCKETS, MOST_BUCKETS, Refused, Sample, Target};
use crate::meta::{Histogram, SqlTable, TableMeta, codec, folded};
use crate::session_api::SqlError;
use crate::vars::Var;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use weir_engine::row::{Datum, DatumBuf, RowView};
use weir_engine::{Isolation, LockMode, ObjectKind, OnLocked, ScanSpec, TxnOptions};
use weir_syntax::ast::{AdminVerb, Ident, TableAdmin};

/// Rows between two looks at what the values take.
const LOOK: u64 = 4096;

/// The messages with their levels, in the order of the columns' names, as in MySQL. What data are refused for comes before all of them.
type Told = BTreeMap<String, Vec<(&'static str, String)>>;

/// A histogram to be made: of which column, in how many buckets at most, and whether ANALYZE TABLE makes it again.
struct Wanted {
    column: usize,
    buckets: (u16, bool),
}

/// Runs the statement: a result set with what became of each column.
pub async fn run(stmt: &TableAdmin, ctx: &mut StatementCtx<'_>) -> Result<AdminResult, SqlError> {
    check(&stmt.verb)?;
    let error = |shown: &str, text: &str| Ok(rows(shown, [("Error", text.to_owned())]));
    let [name] = &stmt.tables[..] else {
        let text = "Only one table can be specified while modifying histogram statistics.";
        return error("", text);
    };
    if ctx.reads.shared.vars.is_read_only() {
        return error("", "The server is in read-only mode.");
    }
    let (schema, table) = resolve(name, ctx)?;
    let shown = format!("{schema}.{table}");
    if ctx.reads.temporaries.has(&schema, &table) {
        return error(&shown, "Cannot create histogram statistics for a temporary table.");
    }
    let (schema, table) = resolve_kept(name, ctx)?;
    // MySQL has views over its dictionary there.
    let view = ctx.reads.db().object(ObjectKind::View, &schema, &table).is_some();
    if view || is_virtual_schema(&schema) {
        return error(&shown, "Cannot create histogram statistics for a view.");
    }
    let known = match ctx.reads.meta().find(ctx.reads.db(), &schema, &table)? {
        Some(known) => known,
        None => return error(&shown, &no_such_table(&schema, &table).message),
    };
    let told = match &stmt.verb {
        AdminVerb::UpdateHistogram { columns, using_data: Some(data), .. } => {
            from_data(&known, (&schema, &table), columns, data, ctx).await?
        }
        AdminVerb::UpdateHistogram { columns, buckets, auto_update, .. } => {
            let buckets = buckets.map_or(BUCKETS, |n| n as u16);
            update(&known, columns, (buckets, *auto_update), ctx).await?
        }
        AdminVerb::DropHistogram { columns } => remove(&known, columns, ctx).await?,
        _ => return Err(SqlError::internal("a statement about histograms has one of their verbs")),
    };
    Ok(rows(&shown, told.into_values().flatten()))
}

/// What is wrong with the statement by itself.
fn check(verb: &AdminVerb) -> Result<(), SqlError> {
    let (AdminVerb::UpdateHistogram { columns, .. } | AdminVerb::DropHistogram { columns }) = verb
    else {
        return Ok(());
    };
    if let AdminVerb::UpdateHistogram { buckets: Some(n), .. } = verb
        && !(1..=u64::from(MOST_BUCKETS)).contains(n)
    {
        return Err(SqlError::of(
            errno::ER_DATA_OUT_OF_RANGE,
            &[&"Number of buckets", &"ANALYZE TABLE"],
        ));
    }
    let mut known = HashSet::new();
    match columns.iter().find(|c| !known.insert(folded(c.as_str()))) {
        Some(twin) => Err(duplicate_column(twin.as_str())),
        None => Ok(()),
    }
}

fn rows(shown: &str, told: impl IntoIterator<Item = (&'static str, String)>) -> AdminResult {
    let mut result = ShowResult::new(COLUMNS.to_vec());
    for (kind, text) in told {
        let cells = [shown.to_owned(), "histogram".into(), kind.into(), text];
        result.rows.push(cells.into_iter().map(text_value).collect());
    }
    AdminResult::Rows(result)
}

fn missing(column: &str) -> String {
    format!("The column '{column}' does not exist.")
}

/// The column of a name, or why it gets no histogram.
fn eligible(table: &TableMeta, name: &Ident) -> Result<usize, (String, String)> {
    let Some(at) = table.column(name.as_str()) else {
        return Err((name.to_string(), missing(name.as_str())));
    };
    let column = &table.columns[at];
    let refused =
        |what: &str| Err((column.name.clone(), format!("The column '{}' {what}", column.name)));
    if histogram::data_type(&column.ty).is_none() {
        return refused("has an unsupported data type.");
    }
    if table.is_unique_alone(at) {
        return refused("is covered by a single-part unique index.");
    }
    Ok(at)
}

/// The columns that can have histograms; for each of the others a message says why not.
fn sort_out(table: &TableMeta, names: &[Ident]) -> (Told, Vec<usize>) {
    let (mut told, mut columns) = (Told::new(), Vec::new());
    for name in names {
        match eligible(table, name) {
            Ok(column) => columns.push(column),
            Err((name, text)) => {
                told.insert(name, vec![("Error", text)]);
            }
        }
    }
    (told, columns)
}

async fn update(
    table: &Arc<SqlTable>,
    names: &[Ident],
    buckets: (u16, bool),
    ctx: &StatementCtx<'_>,
) -> Result<Told, SqlError> {
    let (mut told, columns) = sort_out(table, names);
    let wanted: Vec<Wanted> =
        columns.into_iter().map(|column| Wanted { column, buckets }).collect();
    let made = count(table, &wanted, ctx).await?;
    created(table, &made, &mut told);
    put(table, made, ctx).await?;
    Ok(told)
}

fn created(table: &TableMeta, made: &[Histogram], told: &mut Told) {
    for h in made {
        let name = &table.columns[h.column].name;
        let text = format!("Histogram statistics created for column '{name}'.");
        told.insert(name.clone(), vec![("status", text)]);
    }
}

async fn from_data(
    table: &Arc<SqlTable>,
    (schema, name): (&str, &str),
    names: &[Ident],
    data: &[u8],
    ctx: &StatementCtx<'_>,
) -> Result<Told, SqlError> {
    let (mut told, columns) = sort_out(table, names);
    let at = match columns[..] {
        [at] => at,
        [] => return Ok(told),
        _ => {
            let text = "Only one column can be specified while modifying histogram statistics with JSON data.";
            told.insert(String::new(), vec![("Error", text.into())]);
            return Ok(told);
        }
    };
    let made = match given(table, at, data, ctx) {
        Ok(made) => vec![made],
        Err(refused) => {
            let column = &table.columns[at].name;
            let unable = format!(
                "Unable to build histogram statistics for column '{column}' in table '{schema}'.'{name}'"
            );
            let after = [("Error", unable), ("Error", refused.text)];
            told.insert(String::new(), refused.before.into_iter().chain(after).collect());
            return Ok(told);
        }
    };
    created(table, &made, &mut told);
    put(table, made, ctx).await?;
    Ok(told)
}

fn given(
    table: &TableMeta,
    at: usize,
    data: &[u8],
    ctx: &StatementCtx<'_>,
) -> Result<Histogram, Refused> {
    let column = &table.columns[at];
    let (now_micros, mode) = (ctx.now_micros, ctx.reads.settings.mode);
    histogram::from_json(data, &Target { column, at, now_micros, mode })
}

async fn remove(
    table: &Arc<SqlTable>,
    names: &[Ident],
    ctx: &StatementCtx<'_>,
) -> Result<Told, SqlError> {
    let (mut told, mut meta) = (Told::new(), table.meta.clone());
    for name in names {
        let row = match meta.column(name.as_str()) {
            None => ("Error", missing(name.as_str())),
            Some(column) if meta.histogram(column).is_none() => {
                ("Error", format!("No histogram statistics found for column '{name}'."))
            }
            Some(column) => {
                meta.histograms.retain(|h| h.column != column);
                ("status", format!("Histogram statistics removed for column '{name}'."))
            }
        };
        told.insert(name.to_string(), vec![row]);
    }
    if meta.histograms.len() < table.histograms.len() {
        write(table, &meta, ctx).await?;
    }
    Ok(told)
}

/// ANALYZE TABLE: histograms with AUTO UPDATE are made again.
pub async fn refresh(schema: &str, table: &str, ctx: &StatementCtx<'_>) -> Result<(), SqlError> {
    let Some(known) = ctx.reads.meta().find(ctx.reads.db(), schema, table)? else { return Ok(()) };
    let automatic = known.histograms.iter().filter(|h| h.automatic);
    let wanted: Vec<Wanted> =
        automatic.map(|h| Wanted { column: h.column, buckets: (h.specified, true) }).collect();
    // Under LOCK TABLES ... READ nothing of the table is written.
    let held = ctx.reads.locked.map(|l| &l.held);
    let kept =
        held.is_some_and(|h| h.mode_of(&known.engine).is_some() && !h.is_alone(&known.engine));
    if wanted.is_empty() || kept || ctx.reads.shared.vars.is_read_only() {
        return Ok(());
    }
    let made = count(&known, &wanted, ctx).await?;
    put(&known, made, ctx).await
}

/// Reads the table's rows and makes histograms of them.
async fn count(
    table: &SqlTable,
    wanted: &[Wanted],
    ctx: &StatementCtx<'_>,
) -> Result<Vec<Histogram>, SqlError> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let reads = ctx.reads;
    let types = wanted.iter().map(|w| table.columns[w.column].ty.phys()).collect();
    let limit = reads.vars.u64(Var::histogram_generation_max_mem_size);
    let mut sample = Sample::new(types, usize::try_from(limit).unwrap_or(usize::MAX));
    let mut held = Held::default();
    let mut txn = reads.db().begin(TxnOptions {
        isolation: Isolation::ReadCommitted,
        read_only: true,
        lock_timeout: reads.settings.ddl_timeout,
        mdl_timeout: reads.settings.ddl_timeout,
        interrupt: reads.interrupt.clone(),
        session_id: reads.conn.id,
        held: reads.locked.map(|l| l.held.clone()),
        ..TxnOptions::default()
    });
    txn.begin_statement();
    txn.use_table(&table.engine, false).await.map_err(engine_error)?;
    let late = wanted.iter().any(|w| table.rules.late.contains(&w.column));
    let mut exprs = match late {
        true => reads.bind_rows(ctx.now_micros, table.name(), &table.meta)?,
        false => None,
    };
    let long = late || wanted.iter().any(|w| table.columns[w.column].ty.is_string());
    let mut n = 0;
    for part in table.engine.stored() {
        let mut scan = txn.scan(part, every_row(long));
        while scan.next(&mut txn).await.map_err(engine_error)? {
            let view = RowView::new(&part.layout, scan.row());
            if let Some(exprs) = &mut exprs {
                // Rows may be older than a virtual column: all of those are worked out.
                let mut whole: Vec<DatumBuf> = view.iter().map(DatumBuf::from).collect();
                exprs.complete(&mut whole, &[], n + 1)?;
                let row: Vec<_> = wanted.iter().map(|w| whole[w.column].as_ref()).collect();
                sample.add(&row);
            } else {
                let row: Vec<Datum<'_>> = wanted.iter().map(|w| view.get(w.column)).collect();
                sample.add(&row);
            }
            n += 1;
            if n % LOOK == 0 {
                held.set(reads.session.memory(), sample.bytes())?;
            }
        }
    }
    txn.rollback().await.map_err(engine_error)?;
    let made = wanted.iter().zip(sample.columns()).map(|(w, counted)| {
        histogram::build(w.column, counted, sample.rate(), w.buckets, ctx.now_micros)
    });
    Ok(made.collect())
}

fn every_row(external: bool) -> ScanSpec {
    ScanSpec {
        index: 0,
        start: Vec::new(),
        end: None,
        reverse: false,
        lock: LockMode::None,
        on_locked: OnLocked::Wait,
        unique_eq: false,
        expect: 0,
        fetch_external: external,
        rows_only: false,
        index_only: None,
    }
}

/// Histograms take the places of those that their columns have.
async fn put(
    table: &SqlTable,
    made: Vec<Histogram>,
    ctx: &StatementCtx<'_>,
) -> Result<(), SqlError> {
    if made.is_empty() {
        return Ok(());
    }
    let mut meta = table.meta.clone();
    meta.histograms.retain(|h| made.iter().all(|m| m.column != h.column));
    meta.histograms.extend(made.into_iter().map(Arc::new));
    meta.histograms.sort_by_key(|h| h.column);
    write(table, &meta, ctx).await
}

async fn write(table: &SqlTable, meta: &TableMeta, ctx: &StatementCtx<'_>) -> Result<(), SqlError> {
    let extra = codec::encode_table(meta);
    let done = ctx.reads.db().note_extra(&table.engine, extra, &ctx.reads.ddl()).await;
    done.map(|_| ()).map_err(engine_error)
}

/// The histograms that are left by ALTER TABLE: of columns that are there afterwards under the same name, with the same type, and that no
/// unique key is over alone.
pub fn carried(old: &TableMeta, plan: &Plan) -> Vec<Arc<Histogram>> {
    let new = &plan.meta;
    let moved = |h: &Arc<Histogram>| {
        let to = plan.sources.iter().position(|s| *s == Some(h.column))?;
        let moved = h.moved(&old.columns[h.column], &new.columns[to], to)?;
        (!new.is_unique_alone(to)).then(|| Arc::new(moved))
    };
    let mut left: Vec<Arc<Histogram>> = old.histograms.iter().filter_map(moved).collect();
    left.sort_by_key(|h| h.column);
    left
}
