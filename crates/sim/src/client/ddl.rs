//! Definitions that change under the transactions.

use super::{Client, Done};
use crate::model::{Ddl, Failure, Promise, Range, Shared, Stop, failed};
use crate::schema::{
    Content, Handle, POSSIBLE_INDEXES, SCHEMA, TableSpec, decode, encode_in, later_column,
    possible_index,
};
use std::time::Duration;
use weir_engine::row::{DatumBuf, RowLayout};
use weir_engine::{BesideIt, ColumnDef, Db, DdlContext, Error, IndexDef, NewColumns, OnLocked};
use weir_rt::Rng;

fn context(rng: &mut Rng) -> DdlContext {
    DdlContext {
        lock_timeout: Duration::from_millis(50 + rng.below(500)),
        beside_it: match rng.below(6) {
            0 => BesideIt::Nobody,
            1 => BesideIt::Readers,
            _ => BesideIt::Everybody,
        },
        ..DdlContext::default()
    }
}

/// Ends a definition change in the model. What became durable with it, so did everything before.
fn ended(
    db: &Db,
    world: &Shared,
    id: u64,
    from: u64,
    r: Result<Option<Handle>, Error>,
) -> Done<()> {
    let mut w = world.lock();
    let log = db.inner().core.log.published();
    match r {
        Ok(new) => {
            w.ddl_end(id, new.as_deref(), log)?;
            w.acknowledged(from, Promise::Durable);
            Ok(())
        }
        Err(e) => {
            // An engine that stopped does not know whether its last change got into the log.
            if db.inner().core.log.failure().is_ok() {
                let half =
                    matches!(e, Error::Io { .. } | Error::DiskFull { .. } | Error::Corrupt { .. });
                w.ddl_failed(id, half, log);
            }
            Err(Stop::Engine(e))
        }
    }
}

pub async fn create(db: &Db, world: &Shared, name: &str, spec: &TableSpec) -> Done<()> {
    let (id, from) = {
        let mut w = world.lock();
        (w.ddl_begin(Ddl::Create { name: name.into(), spec: spec.clone() }), w.seq)
    };
    let r = db.create_table(spec.new_table(name)).await.map(Some);
    ended(db, world, id, from, r)
}

/// A table gets no more columns than that.
const MOST_COLUMNS: usize = 12;

impl Client {
    pub(super) async fn define(&mut self) -> Done<()> {
        let Some((t, spec)) = self.table(Content::Random)? else {
            return self.create_another(None).await;
        };
        let d = context(&mut self.rng);
        let tid = t.def.id;
        let what = if self.world.lock().is_redefining() { 11 } else { self.rng.below(12) };
        let kind = match what {
            0 => return self.create_another(Some(spec)).await,
            1 => Ddl::Drop { tid },
            2 | 3 => Ddl::Truncate { tid },
            4 => Ddl::Rename { tid, to: format!("r{}", self.rng.below(4)) },
            5 | 6 => Ddl::Rebuild { tid },
            _ => Ddl::Alter { tid },
        };
        let (id, from) = {
            let mut w = self.world.lock();
            (w.ddl_begin(kind.clone()), w.seq)
        };
        let db = self.db.clone();
        let takes_file =
            matches!(kind, Ddl::Drop { .. } | Ddl::Truncate { .. } | Ddl::Rebuild { .. });
        let file = takes_file.then(|| t.space.path().to_string());
        let r = match kind {
            Ddl::Drop { .. } => db.drop_tables(&[t], &d).await.map(|()| None),
            Ddl::Truncate { .. } => db.truncate_table(&t, &d).await.map(Some),
            Ddl::Rename { to, .. } => {
                db.rename_tables(&[(t, SCHEMA.into(), to)], &d).await.map(|()| None)
            }
            Ddl::Rebuild { .. } => self.rebuild(&t, &spec, &d).await?,
            Ddl::Create { .. } | Ddl::Alter { .. } => self.alter(&t, &d).await?,
        };
        let new = r.as_ref().ok().cloned().flatten();
        ended(&db, &self.world, id, from, r)?;
        if let Some(path) = file {
            self.note_gone(path).await;
        }
        match new {
            Some(t) => self.look_through(&t).await,
            None => Ok(()),
        }
    }

    /// The file went with the statement, unless the device failed; then the next start removes it.
    async fn note_gone(&self, path: String) {
        let disk = self.db.inner().core.spaces.disk().clone();
        let there = disk.exists(&path).await;
        if matches!(there, Ok(false)) && !self.injector.happened().sync {
            self.world.lock().gone.push(path);
        }
    }

    /// What a definition statement has made has the rows that the model says, by every index.
    async fn look_through(&mut self, t: &Handle) -> Done<()> {
        let mut o = self.begin();
        let mut r = Ok(());
        for index in 0..t.indexes.len() {
            let reverse = self.rng.chance(0.5);
            let all = Range { index, start: Vec::new(), end: None, reverse, limit: None };
            o.txn.begin_statement();
            let lock = o.plain();
            r = self.scan(&mut o, t, &all, lock, OnLocked::Wait).await.map(|_| ());
            if r.is_err() {
                break;
            }
        }
        self.finish(o, r).await
    }

    /// Compares what became of unique indexes with the model, in the moment in which the statement returned: nobody else
    /// has had a new index yet. `since`: commits when the statement began.
    fn judge(
        &self,
        tid: u64,
        made: &[IndexDef],
        first: usize,
        since: u64,
        r: &Result<Handle, Error>,
    ) -> Result<(), Failure> {
        let world = self.world.lock();
        match r {
            Ok(_) => made.iter().try_for_each(|i| world.check_index_made(tid, i)),
            Err(Error::DuplicateKey { index, key, .. }) => {
                match index.checked_sub(first).and_then(|i| made.get(i)) {
                    Some(i) => world.check_index_refused(tid, i, key, since),
                    None => failed(
                        "unique",
                        format!("index {index} refused a row, it was not to be made"),
                    ),
                }
            }
            Err(_) => Ok(()),
        }
    }

    async fn create_another(&mut self, like: Option<TableSpec>) -> Done<()> {
        if self.world.lock().is_redefining() {
            return Ok(());
        }
        let n = self.rng.below(4);
        let mut spec = TableSpec::random(&mut self.rng, self.workload, n);
        spec.name = format!("c{n}");
        if let Some(l) = like {
            spec.ids = l.ids;
        }
        let name = spec.name.clone();
        create(&self.db, &self.world, &name, &spec).await
    }

    async fn rebuild(
        &mut self,
        t: &Handle,
        spec: &TableSpec,
        d: &DdlContext,
    ) -> Done<Result<Option<Handle>, Error>> {
        let mut new = spec.new_table(&t.def.name);
        new.columns.clone_from(&t.def.columns);
        new.form = t.def.form;
        new.indexes.truncate(1);
        new.indexes
            .extend((0..POSSIBLE_INDEXES).filter(|_| self.rng.chance(0.4)).map(possible_index));
        let old = t.clone();
        let phys: Vec<_> = new.columns.iter().map(|c| c.phys).collect();
        let layout = RowLayout::of(&phys, new.form);
        let mut map = move |row: weir_engine::row::RowView<'_>, out: &mut Vec<u8>| {
            let row = decode(&old, row.bytes()).ok_or("a row contradicts itself".to_string())?;
            out.extend_from_slice(&encode_in(&old, &layout, &row));
            Ok(0)
        };
        let made = new.indexes.clone();
        let since = self.world.lock().seq;
        let r = self.db.rebuild_table(t, new, &mut map, d).await;
        self.judge(t.def.id, &made[1..], 1, since, &r)?;
        Ok(r.map(Some))
    }

    /// A column that came later may go, and another one may come, anywhere among those.
    fn other_columns(&mut self, t: &Handle, mut columns: Vec<ColumnDef>) -> NewColumns {
        let mut sources: Vec<Option<usize>> = (0..columns.len()).map(Some).collect();
        let first = columns.iter().position(|c| c.name.starts_with("later"));
        let later = first.unwrap_or(columns.len())..columns.len();
        if !later.is_empty() && self.rng.chance(0.3) {
            let at = later.start + self.rng.below(later.len() as u64) as usize;
            columns.remove(at);
            sources.remove(at);
        }
        if t.def.width() < MOST_COLUMNS {
            let room = columns.len() - later.start.min(columns.len());
            let at = columns.len() - self.rng.below(room as u64 + 1) as usize;
            columns.insert(at, later_column(t.def.width(), self.rng.below(1000) as i64));
            sources.insert(at, None);
        }
        NewColumns { columns, sources, counts: true }
    }

    async fn alter(&mut self, t: &Handle, d: &DdlContext) -> Done<Result<Option<Handle>, Error>> {
        let has = |i: usize| t.def.indexes.iter().any(|x| x.name == possible_index(i).name);
        let i = self.rng.below(POSSIBLE_INDEXES as u64) as usize;
        let db = &self.db;
        if self.rng.chance(0.3) {
            let extra = vec![self.rng.below(256) as u8; self.rng.below(100) as usize];
            if self.rng.chance(0.4) {
                // What is noted waits for nobody who uses the table.
                let changed = match extra.len() % 2 {
                    0 => db.alter_extra(t, extra, d).await,
                    _ => db.note_extra(t, extra, d).await,
                };
                return Ok(changed.map(Some));
            }
            let mut columns = t.def.columns.clone();
            // What rows of before have in a column is settled when it comes.
            for column in columns.iter_mut().filter(|c| c.name.starts_with("later")) {
                column.default = DatumBuf::Int(self.rng.below(100) as i64);
            }
            let new = self.other_columns(t, columns);
            return Ok(self.db.alter_columns(t, new, extra, d).await.map(Some));
        }
        if has(i) {
            Ok(db.drop_indexes(t, &[possible_index(i).name], Vec::new(), d).await.map(Some))
        } else {
            let made = [possible_index(i)];
            let since = self.world.lock().seq;
            let r = db.add_indexes(t, &made, Vec::new(), d).await;
            self.judge(t.def.id, &made, t.def.indexes.len(), since, &r)?;
            Ok(r.map(Some))
        }
    }
}
