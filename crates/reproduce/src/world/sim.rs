//! A run in virtual time.

use super::measure::{Computed, measure};
use crate::data::{self, Watch};
use crate::figures::{Measured, Recording};
use crate::machine::presets::{self, Machine, Preset};
use crate::machine::{Cpu, Image};
use crate::plan::{Load, Plan};
use crate::users::{self, World};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;
use weir_disk::{Disk, Mode, OpenOptions};
use weir_engine::{Db, Durability, Options};
use weir_rt::Rt;
use weir_rt::sim::SimRt;
use weir_server::boot::{self, Embedding};
use weir_server::options::{self, Wanted};
use weir_sql::vars::{GlobalVars, Var};

/// The engine's options, and how durable a commit is.
pub fn engine(plan: &Plan) -> Result<(Options, Durability), String> {
    let args: Vec<String> = plan.options.iter().map(|o| format!("--{o}")).collect();
    let Wanted::Serve(given) = options::read(&args)? else {
        return Err("an option file has no 'help'".into());
    };
    let vars = GlobalVars::default();
    given.apply(&vars)?;
    let embedding = Embedding { log: Arc::new(|_| {}), fatal: Arc::new(|_| {}) };
    let mut o = boot::engine_options(&vars, &given, embedding);
    let (size, rows) = (plan.size, plan.size.rows());
    o.page_size = size.page_size() as usize;
    o.buffer_pool /= rows;
    o.redo_capacity /= size.divided;
    o.flush.log_file_size /= size.divided;
    o.flush.ibuf_max_size /= rows;
    o.flight_recorder = false;
    o.stall_seconds = 0;
    let durability = match vars.u64(Var::innodb_flush_log_at_trx_commit) {
        0 => Durability::Lazy,
        2 => Durability::Write,
        _ => Durability::Flush,
    };
    Ok((o, durability))
}

fn preset(plan: &Plan) -> Result<&'static Preset, String> {
    presets::find(&plan.machine).ok_or_else(|| {
        let names: Vec<_> = presets::ALL.iter().map(|p| p.name).collect();
        format!("there is no machine '{}'; there are {}", plan.machine, names.join(", "))
    })
}

/// Data for plans of one [`Load::data`]: a directory that was stopped cleanly.
pub fn prepare(plan: &Plan, watch: Watch<'_>) -> Result<Image, String> {
    let (mut o, _) = engine(plan)?;
    // Loading is no part of what is measured: Weir's own policy, and memory enough.
    o.flush_policy = "weir";
    o.flush = weir_engine::FlushSettings::default();
    o.doublewrite = false;
    o.buffer_pool = o.buffer_pool.max(64 << 20);
    let preset = preset(plan)?;
    let sim = SimRt::new(plan.seed);
    let rt = sim.rt();
    let done = sim.run(async {
        let m = preset.start(&rt, plan.size.pages, plan.size.divided);
        let db = Db::open(&rt, Arc::new(m.disk.clone()), o).await.map_err(|e| e.to_string())?;
        data::load(&db, &plan.load, plan.size, watch).await?;
        db.shutdown().await.map_err(|e| e.to_string())?;
        Ok(m.disk.image())
    });
    done.map_err(|stuck| format!("loading does not come to an end: {:?}", stuck.tasks))?
}

/// Runs a plan on data of its own kind. It ends early, with an error, when `watch` says so.
pub fn run(plan: &Plan, image: &Image, watch: Watch<'_>) -> Result<Measured, String> {
    let begun = Instant::now();
    let (o, durability) = engine(plan)?;
    let preset = preset(plan)?;
    let sim = SimRt::new(plan.seed);
    let rt = sim.rt();
    let redo = o.redo_capacity;
    let done = sim.run(async {
        let m = preset.start(&rt, plan.size.pages, plan.size.divided);
        m.disk.put(image.clone());
        let db = Db::open(&rt, Arc::new(m.disk.clone()), o).await.map_err(|e| e.to_string())?;
        m.disk.start_time();
        let world = world(&rt, plan, &db, &m, durability).await?;
        let users = users::start(&world);
        let measured = measure(&world, &Computed(&m), redo, watch).await;
        world.stop.store(true, Ordering::Relaxed);
        for u in users {
            u.await;
        }
        match world.recording.failure() {
            Some(e) => Err(format!("{}: {e}", plan.name)),
            None => measured,
        }
    });
    let digest = sim.trace_hash();
    let done = done.map_err(|stuck| {
        format!("{} hangs at {} s: {:?}", plan.name, stuck.at / 1_000_000_000, stuck.tasks)
    })?;
    let computed_in = begun.elapsed().as_secs_f64();
    Ok(Measured { digest, computed_in, ..done? })
}

async fn world(
    rt: &Rt,
    plan: &Plan,
    db: &Db,
    m: &Machine,
    durability: Durability,
) -> Result<Arc<World>, String> {
    let costs = Some((m.cpu.clone(), m.statement_cpu));
    shared(rt, plan, db, &m.disk, durability, costs).await
}

/// What users share, on any disk.
pub async fn shared(
    rt: &Rt,
    plan: &Plan,
    db: &Db,
    disk: &dyn Disk,
    durability: Durability,
    costs: Option<(Arc<Cpu>, u64)>,
) -> Result<Arc<World>, String> {
    let o = OpenOptions { create: true, create_new: false, mode: Mode::Buffered };
    let beside = match plan.serial_commits && durability == Durability::Flush {
        true => Some(disk.open("redo-of-the-server", o).await.map_err(|e| e.to_string())?),
        false => None,
    };
    let durability = if beside.is_some() { Durability::Write } else { durability };
    let left = match plan.load {
        Load::Oltp { requests, .. } => requests,
        _ => 0,
    };
    Ok(Arc::new(World {
        rt: rt.clone(),
        db: db.clone(),
        plan: plan.clone(),
        costs,
        durability,
        beside,
        turn: Arc::new(weir_rt::AsyncMutex::new(())),
        recording: Recording::default(),
        stop: AtomicBool::new(false),
        left: AtomicU64::new(left),
    }))
}
