//! Starts under `innodb_force_recovery`, on copies of the device between two lives: what was committed is there to be read, no row
//! can be changed, and a start without force goes on from there as if nothing had been.

use crate::faults::Injector;
use crate::life::{Stage, everything};
use crate::model::{Failure, Found, Promise, Shared, Stop, failed};
use crate::panics::told_panic;
use crate::scenario::{Life, Scenario, Size, mix};
use crate::schema::{SCHEMA, TableSpec, encode};
use crate::spoil::options;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use weir_disk::sim::SimDisk;
use weir_engine::{Db, Error, Force, Options, TxnOptions};
use weir_rt::sim::SimRt;
use weir_rt::{Interrupt, Rng};

/// One end of a life in this many is followed by a look under force.
const ONE_IN: u64 = 12;

/// What a start puts into the log for itself: that its life begins.
const MARK: u64 = 16;

/// Looks, after some ends of lives, at a copy of the device as the next life finds it. `kept`: which promises the end did not break.
pub fn look(
    s: &Scenario,
    life: &Life,
    disk: &SimDisk,
    world: &Shared,
    kept: Option<Promise>,
) -> Result<(), Failure> {
    let mut rng = Rng::new(mix(&[s.seed, life.no, 12]));
    if rng.below(ONE_IN) > 0 || s.size != Size::Usual || disk.content("weir.ctl").is_none() {
        return Ok(());
    }
    // Level 5 shows what was not committed, and level 6 pages as the last end has left them.
    let level = 1 + rng.below(if kept.is_none() { 6 } else { 4 }) as u8;
    let sim = SimRt::new(rng.next_u64());
    let copy = disk.copy(sim.rt(), rng.next_u64());
    let injector = Injector::install(Vec::new(), None, &copy, sim.clock());
    let stage = Stage {
        scenario: s,
        life,
        rt: sim.rt(),
        disk: copy,
        world: world.clone(),
        injector,
        kept,
        trace: false,
        db: Mutex::new(None),
    };
    let done = catch_unwind(AssertUnwindSafe(|| sim.run(by_force(&stage, level))));
    let _ = catch_unwind(AssertUnwindSafe(|| sim.kill_all()));
    stage.disk.set_fault(None);
    let told =
        |checker, what| failed(checker, format!("under innodb_force_recovery={level}: {what}"));
    match done {
        Ok(Ok(Ok(()))) => Ok(()),
        Ok(Ok(Err(Stop::Failed(f)))) => told(f.checker, f.what),
        Ok(Ok(Err(Stop::Engine(e)))) => told("errors", e.to_string()),
        Ok(Err(stuck)) => told("liveness", stuck.tasks.join(", ")),
        Err(payload) => told("panic", told_panic(&*payload)),
    }
}

async fn by_force(s: &Stage<'_>, level: u8) -> Result<(), Stop> {
    let before = files(s, level);
    let db = Db::open(
        &s.rt,
        Arc::new(s.disk.clone()),
        Options { force: Force(level), ..options(s.scenario) },
    )
    .await?;
    let found = read_all(s, &db).await?;
    s.world.lock().would_be_recovered(&found, s.kept)?;
    let (begun, now) = (db.recovery_report().to, db.inner().core.log.published());
    if (4..6).contains(&level) && now > begun + MARK {
        let what = format!("the log has grown from {begun} to {now}");
        return failed("errors", what).map_err(Stop::Failed);
    }
    refuses_rows(s, &db, level).await?;
    db.shutdown().await?;
    if level >= 4 && files(s, level) != before {
        return failed("catalog", "files have come, gone or changed".to_string())
            .map_err(Stop::Failed);
    }
    let db = Db::open(&s.rt, Arc::new(s.disk.clone()), options(s.scenario)).await?;
    let found = read_all(s, &db).await?;
    s.world.lock().would_be_recovered(&found, s.kept)?;
    for t in db.tables(SCHEMA) {
        // A prepared transaction keeps its tables for as long as nobody decides on it.
        if !db.prepared().is_empty() {
            break;
        }
        let bad = db.check_table(&t, &Interrupt::new()).await?;
        let bad = s.world.lock().unexpected(t.def.id, bad);
        if !bad.is_empty() {
            let what = format!("table {} at the next start: {}", t.def.name, bad.join("; "));
            return failed("structure", what).map_err(Stop::Failed);
        }
    }
    Ok(())
}

/// The files of tables; where nothing at all is written, all files with what is in them.
fn files(s: &Stage<'_>, level: u8) -> Vec<(String, Vec<u8>)> {
    let mut paths = s.disk.paths();
    paths.retain(|p| level == 6 || p.starts_with("tables/"));
    let bytes = |p: &String| match level {
        6 => s.disk.content(p).unwrap_or_default(),
        _ => Vec::new(),
    };
    paths.into_iter().map(|p| (p.clone(), bytes(&p))).collect()
}

async fn read_all(s: &Stage<'_>, db: &Db) -> Result<Vec<Found>, Stop> {
    let mut found = Vec::new();
    for t in db.tables(SCHEMA) {
        let rows = everything(s, db, &t).await?;
        found.push(Found { tid: t.def.id, name: t.def.name.clone(), rows });
    }
    Ok(found)
}

/// Rows are to be read, not changed.
async fn refuses_rows(s: &Stage<'_>, db: &Db, level: u8) -> Result<(), Stop> {
    let Some(t) = db.tables(SCHEMA).into_iter().next() else { return Ok(()) };
    let mut rng = Rng::new(1);
    let row = TableSpec::random(&mut rng, s.scenario.workload, 0).random_row(&mut rng, 1);
    let mut txn = db.begin(TxnOptions::default());
    let r = txn.insert_boxed(&t, &encode(&t, &row)).await;
    txn.rollback().await?;
    match r {
        Err(Error::ForcedRecovery { level: l }) if l == level => Ok(()),
        other => failed("errors", format!("an insert came to {other:?}")).map_err(Stop::Failed),
    }
}
