//! Data for a run: tables and rows as `weir bench` prepares them, by SQL, smaller by what a plan's size says. Uses `plan`, the SQL layer and the
//! benchmark's generators.

use crate::plan::{Load, Size};
use std::sync::Arc;
use weir_bench::workload::insert::{self, rows};
use weir_bench::workload::load::Field;
use weir_bench::workload::tpcc::load as tpcc;
use weir_bench::workload::tpcc::random::Scale;
use weir_bench::workload::tpcc::schema;
use weir_engine::Db;
use weir_sql::session::{Instance, Session};
use weir_sql::session_api::{
    ColumnMeta, ConnInfo, KillSwitch, OkInfo, OutValue, ParamValue, ResultSink, SinkError,
};
use weir_sql::vars::GlobalVars;

/// Rows of one INSERT, and of one transaction.
const BATCH: usize = 200;
const COMMIT: usize = 20_000;

pub const TPCC: &str = "tpcc";
pub const SEED: u64 = 42;
/// When the rows were made: a world's data depend on no clock.
const DATE: &str = "2009-04-01 12:00:00";

/// Takes answers and keeps nothing.
struct Nobody;

impl ResultSink for Nobody {
    fn columns(&mut self, _: &[ColumnMeta]) -> Result<(), SinkError> {
        Ok(())
    }
    fn row(&mut self, _: &[OutValue<'_>]) -> Result<(), SinkError> {
        Ok(())
    }
    fn end_rows(&mut self, _: &OkInfo<'_>) -> Result<(), SinkError> {
        Ok(())
    }
    fn ok(&mut self, _: &OkInfo<'_>) -> Result<(), SinkError> {
        Ok(())
    }
}

/// A session that loads.
struct Loading {
    session: Session,
    in_transaction: usize,
}

impl Loading {
    async fn open(db: &Db) -> Result<Loading, String> {
        let vars = Arc::new(GlobalVars::default());
        let hasher = Box::new(weir_server::crypto::Hasher::new(db.rt().clone()));
        let inst = Instance::open(db.clone(), vars, hasher).await.map_err(|e| e.message)?;
        let session = Session::open(
            &inst,
            ConnInfo {
                id: 1,
                user: "root".into(),
                host: "localhost".into(),
                account_user: "root".into(),
                account_host: "localhost".into(),
                database: String::new(),
                collation_id: 45,
                found_rows: false,
                interactive: false,
                ignore_space: false,
                multi_statements: false,
                multi_results: false,
                out_params: false,
                attributes: Vec::new(),
                compression: None,
                tls: None,
                kill: Arc::new(KillSwitch::default()),
            },
        );
        let mut l = Loading { session, in_transaction: 0 };
        // The default of those servers.
        l.query("SET collation_server = latin1_swedish_ci").await?;
        Ok(l)
    }

    async fn query(&mut self, sql: &str) -> Result<(), String> {
        let end = self.session.query(sql.as_bytes(), &mut Nobody).await;
        end.result.map_err(|e| format!("{}: {}", &sql[..sql.len().min(60)], e.message))
    }

    async fn rows(&mut self, table: &str, rows: &[Vec<Field>]) -> Result<(), String> {
        let mut prepared = (0, 0);
        for batch in rows.chunks(BATCH) {
            if prepared.1 != batch.len() {
                let one = format!("({})", vec!["?"; batch[0].len()].join(","));
                let sql =
                    format!("INSERT INTO {table} VALUES {}", vec![one; batch.len()].join(","));
                let info = self.session.prepare(sql.as_bytes()).await;
                prepared = (info.map_err(|e| e.message)?.id, batch.len());
            }
            if self.in_transaction == 0 {
                self.query("BEGIN").await?;
            }
            let values: Vec<ParamValue> = batch.iter().flatten().map(value).collect();
            let done = self.session.execute(prepared.0, &values, &mut Nobody).await;
            done.map_err(|e| format!("loading {table}: {}", e.message))?;
            self.in_transaction += batch.len();
            if self.in_transaction >= COMMIT {
                self.commit().await?;
            }
        }
        self.commit().await
    }

    async fn commit(&mut self) -> Result<(), String> {
        self.in_transaction = 0;
        self.query("COMMIT").await
    }
}

fn value(f: &Field) -> ParamValue {
    match f {
        Field::Null => ParamValue::Null,
        Field::Int(n) => ParamValue::Int(*n),
        Field::Cents(n) => {
            let sign = if *n < 0 { "-" } else { "" };
            let n = n.unsigned_abs();
            ParamValue::Decimal(format!("{sign}{}.{:02}", n / 100, n % 100).into_bytes())
        }
        Field::Text(t) => ParamValue::Bytes(t.as_bytes().to_vec()),
    }
}

/// Rows of one part, as they are drawn.
#[derive(Default)]
struct Drawn(Vec<(&'static str, Vec<Vec<Field>>)>);

impl tpcc::Rows for Drawn {
    fn table(
        &mut self,
        name: &'static str,
        rows: &mut dyn Iterator<Item = Vec<Field>>,
    ) -> weir_bench::error::Result<()> {
        self.0.push((name, rows.collect()));
        Ok(())
    }
}

pub fn scale(size: Size) -> Scale {
    Scale::divided(size.rows())
}

/// The insert benchmark's settings for a world.
pub fn insert_config(start_rows: u64, rows: u64, rows_per_query: u64) -> insert::Config {
    insert::Config {
        schema: "insertbench".into(),
        table: "purchases_index".into(),
        rows: Some(rows),
        start_rows,
        rows_per_commit: 1000,
        rows_per_query,
        inserters: 1,
        query_users: 4,
        pause: std::time::Duration::ZERO,
        checks: 0,
        check_every: std::time::Duration::ZERO,
        path: weir_bench::workload::calls::PathKind::Engine,
        seed: SEED,
    }
}

/// The observer: it gets the share that is done, and says whether to go on.
pub type Watch<'a> = &'a (dyn Fn(f64) -> bool + Sync);

fn told(watch: Watch<'_>, share: f64) -> Result<(), String> {
    if watch(share) { Ok(()) } else { Err(STOPPED.into()) }
}

/// What a run that was interrupted says.
pub const STOPPED: &str = "stopped";

/// Makes the tables of a load and fills them.
pub async fn load(db: &Db, load: &Load, size: Size, watch: Watch<'_>) -> Result<(), String> {
    let mut l = Loading::open(db).await?;
    match load {
        Load::Tpcc { warehouses, foreign_keys, .. } => {
            tpcc(&mut l, *warehouses, *foreign_keys, scale(size), watch).await?;
        }
        Load::Insert { start_rows, .. } => {
            let c = insert_config(*start_rows / size.rows(), 0, 1);
            inserts(&mut l, &c, watch).await?;
        }
        Load::Oltp { rows, .. } => oltp(&mut l, *rows / size.rows(), watch).await?,
    }
    l.session.close().await;
    Ok(())
}

async fn tpcc(
    l: &mut Loading,
    warehouses: i64,
    foreign_keys: bool,
    scale: Scale,
    watch: Watch<'_>,
) -> Result<(), String> {
    for sql in schema::statements(TPCC, "InnoDB", foreign_keys) {
        l.query(&sql).await?;
    }
    l.query(&format!("USE {TPCC}")).await?;
    let parts = tpcc::parts(warehouses);
    for n in 0..=parts {
        let mut drawn = Drawn::default();
        let done = match n < parts {
            true => tpcc::part(SEED, scale, DATE, n, &mut drawn),
            false => tpcc::warehouses(SEED, scale, warehouses, &mut drawn),
        };
        done.map_err(|e| e.to_string())?;
        for (table, rows) in drawn.0 {
            l.rows(table, &rows).await?;
        }
        told(watch, n as f64 / parts as f64)?;
    }
    Ok(())
}

async fn inserts(l: &mut Loading, c: &insert::Config, watch: Watch<'_>) -> Result<(), String> {
    l.query(&format!("CREATE DATABASE {}", c.schema)).await?;
    l.query(&format!("USE {}", c.schema)).await?;
    l.query(&insert::create(c, "InnoDB")).await?;
    let mut n = 0;
    while n < c.start_rows {
        let end = (n + c.rows_per_commit).min(c.start_rows);
        l.query(&rows::batch(c, n..end)).await?;
        n = end;
        told(watch, n as f64 / c.start_rows as f64)?;
    }
    Ok(())
}

async fn oltp(l: &mut Loading, rows: u64, watch: Watch<'_>) -> Result<(), String> {
    let (schema, table) = ("sbtest", "sbtest");
    l.query(&format!("CREATE DATABASE {schema}")).await?;
    l.query(&format!("USE {schema}")).await?;
    l.query(&weir_bench::workload::oltp::create(schema, table, "InnoDB")).await?;
    for first in (1..=rows).step_by(10_000) {
        let one = |id: u64| weir_bench::workload::oltp::first_row(id).to_vec();
        let list: Vec<_> = (first..(first + 10_000).min(rows + 1)).map(one).collect();
        l.rows(table, &list).await?;
        told(watch, first as f64 / rows as f64)?;
    }
    Ok(())
}
