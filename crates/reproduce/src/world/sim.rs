//! A run in virtual time.

use super::measure::{Computed, Meter, measure};
use crate::data::{self, Watch};
use crate::figures::{Measured, Recording};
use crate::machine::presets::{self, Machine};
use crate::machine::{Cpu, Image};
use crate::plan::{Load, Plan};
use crate::users::{self, Serial, World};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use weir_disk::{Disk, Mode, OpenOptions};
use weir_engine::policy::{self, Keeper};
use weir_engine::{ChangeBufferLimits, Db, Durability, Options, SettingValue};
use weir_rt::Rt;
use weir_rt::sim::SimRt;
use weir_server::boot::{self, Embedding};
use weir_server::options::{self, Wanted};
use weir_sql::vars::{GlobalVars, Var};

/// What a plan's option lines make of a server.
pub struct Server {
    pub options: Options,
    pub durability: Durability,
    pub vars: GlobalVars,
}

/// Pool of whatever loads, always the same: what is loaded depends on nothing that a run changes.
const LOADING_POOL: u64 = 512 << 20;

pub fn server(plan: &Plan) -> Result<Server, String> {
    let args: Vec<String> = plan.options.iter().map(|o| format!("--{o}")).collect();
    let Wanted::Serve(given) = options::read(&args)? else {
        return Err("an option file has no 'help'".into());
    };
    let vars = GlobalVars::default();
    given.apply(&vars)?;
    let embedding = Embedding::new(Arc::new(|_| {}), Arc::new(|_| {}));
    let mut o = boot::engine_options(&vars, &given, embedding);
    let (size, rows) = (plan.size, plan.size.rows());
    o.page_size = size.page_size() as usize;
    o.buffer_pool /= rows;
    o.redo_capacity /= size.divided;
    o.flush.log_file_size /= size.divided;
    o.log_buffer = (o.log_buffer / size.divided as usize).max(1 << 20);
    // Bytes of pages of 16 KiB, whatever their size here.
    o.flush.ibuf_max_size /= size.divided;
    o.flush.checkpoint_age_target /= size.divided;
    o.flight_recorder = false;
    o.stall_seconds = 0;
    let durability = match vars.u64(Var::innodb_flush_log_at_trx_commit) {
        0 => Durability::Lazy,
        2 => Durability::Write,
        _ => Durability::Flush,
    };
    Ok(Server { options: o, durability, vars })
}

/// Options that data are loaded with: Weir's own policy, and memory enough, since loading is no part of what is measured. What they leave in the
/// change buffer is as large as the policy's own entries.
pub fn loading(o: &Options) -> Options {
    let large_entries = has_large_entries(o);
    Options {
        change_buffer: ChangeBufferLimits { large_entries, ..ChangeBufferLimits::default() },
        page_size: o.page_size,
        redo_capacity: o.redo_capacity,
        data_mode: o.data_mode,
        buffer_pool: LOADING_POOL,
        flush_policy: "weir",
        doublewrite: false,
        flight_recorder: false,
        stall_seconds: 0,
        ..Options::default()
    }
}

fn has_large_entries(o: &Options) -> bool {
    let rules = |p: &dyn policy::FlushPolicy| p.buffer_rules(&o.flush, 1).without(o.flush.left_out);
    policy::named(o.flush_policy).is_some_and(|p| rules(&*p).large_entries)
}

/// Pages that the change buffer has at the end of loading, at most. Where rows are inserted they are what the system's own rules would have
/// left, since a measurement that begins with the buffer of another system shows for its whole length how that changes.
fn buffered(plan: &Plan, o: &Options) -> Option<u64> {
    let (Load::Insert { .. }, Some(p)) = (&plan.load, policy::named(o.flush_policy)) else {
        return None;
    };
    let rules = p.buffer_rules(&o.flush, o.buffer_pool / o.page_size as u64);
    let pages = match rules.keeper {
        // Those that contract from the first page on have their limit.
        Keeper::Contraction { from } if from > 0 => from.min(rules.pages),
        _ => rules.pages,
    };
    // In whole percent of the pool that loads, so that sizes that are about the same are the same data.
    let one = LOADING_POOL / o.page_size as u64 / 100;
    Some(pages.div_ceil(one).max(1) * one)
}

/// Waits until no more is buffered than is to be.
pub async fn settle(rt: &Rt, db: &Db, plan: &Plan, o: &Options) -> Result<(), String> {
    let Some(pages) = buffered(plan, o) else { return Ok(()) };
    let percent = (pages * 100).div_ceil(LOADING_POOL / o.page_size as u64);
    let value = SettingValue::Int(percent as i64);
    db.set("innodb_change_buffer_max_size", value).await.map_err(|e| e.to_string())?;
    let size = || db.status().iter().find(|s| s.0 == "Innodb_ibuf_size").map_or(0, |s| s.1);
    while size() > pages {
        rt.sleep(Duration::from_millis(100)).await;
    }
    Ok(())
}

/// A loaded directory that was stopped cleanly, and the digest of the run that made it.
pub struct Data {
    image: Image,
    digest: u64,
}

/// Plans with the same key begin with the same data: it holds all that [`prepare`] looks at.
pub fn data_key(plan: &Plan) -> Result<String, String> {
    let o = server(plan)?.options;
    let (load, buffered) = (plan.load.data(plan.size), buffered(plan, &o));
    let (page, redo, mode) = (o.page_size, o.redo_capacity, o.data_mode);
    let large = has_large_entries(&o);
    Ok(format!("{load} {page} {redo} {mode:?} {buffered:?} {large} {}", plan.machine))
}

pub fn prepare(plan: &Plan, watch: Watch<'_>) -> Result<Data, String> {
    let own = server(plan)?.options;
    let o = loading(&own);
    let preset = presets::find(&plan.machine)?;
    let sim = SimRt::new(data::SEED);
    let rt = sim.rt();
    let done = sim.run(async {
        let m = preset.start(&rt, plan.size.pages, plan.size.divided);
        let db = Db::open(&rt, Arc::new(m.disk.clone()), o).await.map_err(|e| e.to_string())?;
        data::load(&db, &plan.load, plan.size, watch).await?;
        settle(&rt, &db, plan, &own).await?;
        db.shutdown().await.map_err(|e| e.to_string())?;
        Ok(m.disk.image())
    });
    let digest = sim.trace_hash();
    let done: Result<Image, String> =
        done.map_err(|stuck| format!("loading does not come to an end: {:?}", stuck.tasks))?;
    Ok(Data { image: done?, digest })
}

/// Runs a plan on data of its own kind, which it takes for itself when nobody else has them. It ends early, with an error, when `watch`
/// says so.
pub fn run(plan: &Plan, data: Arc<Data>, watch: Watch<'_>) -> Result<Measured, String> {
    let begun = Instant::now();
    let loaded = data.digest;
    let image = Arc::try_unwrap(data).map_or_else(|shared| shared.image.clone(), |own| own.image);
    let Server { options: o, durability, .. } = server(plan)?;
    let preset = presets::find(&plan.machine)?;
    let sim = SimRt::new(plan.seed);
    let rt = sim.rt();
    let redo = o.redo_capacity;
    let done = sim.run(async {
        let m = preset.start(&rt, plan.size.pages, plan.size.divided);
        m.disk.put(image);
        let db = Db::open(&rt, Arc::new(m.disk.clone()), o).await.map_err(|e| e.to_string())?;
        m.disk.start_time();
        if let Some(a) = plan.array {
            m.disk.find_requests_in(a);
        }
        let world = world(&rt, plan, &db, &m, durability).await?;
        work(&world, &Computed(&m), redo, watch).await
    });
    let digest = sim.trace_hash() ^ loaded.rotate_left(1);
    let done = done.map_err(|stuck| {
        format!("{} hangs at {} s: {:?}", plan.name, stuck.at / 1_000_000_000, stuck.tasks)
    })?;
    let computed_in = begun.elapsed().as_secs_f64();
    Ok(Measured { digest, computed_in, ..done? })
}

/// Users from their begin to their end, and what was measured of them.
pub async fn work(
    world: &Arc<World>,
    m: &dyn Meter,
    redo: u64,
    watch: Watch<'_>,
) -> Result<Measured, String> {
    let users = users::start(world);
    let measured = measure(world, m, redo, watch).await;
    world.stop.store(true, Ordering::Relaxed);
    for u in users {
        u.await;
    }
    match world.recording.failure() {
        Some(e) => Err(format!("{}: {e}", world.plan.name)),
        None => measured,
    }
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
    let serial = match plan.serial_commits && durability == Durability::Flush {
        true => Some(disk.open("redo-of-the-server", o).await.map_err(|e| e.to_string())?),
        false => None,
    };
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
        serial: serial.map(|file| Arc::new(Serial::new(file))),
        recording: Recording::default(),
        stop: AtomicBool::new(false),
        left: AtomicU64::new(left),
    }))
}
