//! The engine on a data directory, set up by the variables.

use crate::options::ServeOptions;
use crate::{persisted, profile};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use weir_disk::{Backend, Disk, Mode, RealDisk, Speed, ThrottledDisk};
use weir_engine::{
    ArchivedFn, ChangeBufferLimits, Db, FatalFn, Follower, Force, LogFn, Options, UndoLimits,
};
use weir_rt::Rt;
use weir_source::BinaryLog;
use weir_sql::vars::{GlobalVars, Var};

/// The variables as a start with these options would have them, SET PERSIST's values included, and what it would log of them.
pub fn settings(options: &ServeOptions) -> Result<(Arc<GlobalVars>, Vec<String>), String> {
    let vars = Arc::new(GlobalVars::default());
    let mut notes = options.apply(&vars)?;
    let datadir = PathBuf::from(vars.text(Var::datadir));
    let (_, of_kept) = persisted::load(&datadir, &vars, options)?;
    notes.extend(of_kept);
    Ok((vars, notes))
}

/// What the engine tells the program it is part of.
pub struct Embedding {
    /// What happens to the data: recovery, stalls, the end.
    pub log: LogFn,
    /// What is worth knowing, and is no fault.
    pub note: LogFn,
    pub warning: LogFn,
    /// Called once when the engine cannot go on.
    pub fatal: FatalFn,
    /// How far an archive of the redo log has come, if there is one.
    pub archived: Option<ArchivedFn>,
    /// It is a server, which may keep a binary log.
    pub serves: bool,
    /// The redo log takes room on the device as it is filled, and not all of it at the first start.
    pub log_on_demand: bool,
}

impl Embedding {
    /// One function takes all that is said.
    pub fn new(log: LogFn, fatal: FatalFn) -> Embedding {
        let (note, warning) = (log.clone(), log.clone());
        Embedding { note, warning, log, fatal, archived: None, serves: false, log_on_demand: false }
    }
}

/// The engine on a data directory, set up by the variables.
pub fn open(
    rt: &Rt,
    datadir: &Path,
    vars: &GlobalVars,
    options: &ServeOptions,
    embedding: Embedding,
) -> Result<Db, String> {
    open_with_log(rt, datadir, vars, options, embedding).map(|(db, _)| db)
}

/// The same with the binary log, if there is one. What a crash has kept from its files is in them then.
pub fn open_with_log(
    rt: &Rt,
    datadir: &Path,
    vars: &GlobalVars,
    options: &ServeOptions,
    embedding: Embedding,
) -> Result<(Db, Option<Arc<BinaryLog>>), String> {
    crate::foreign::refuse_to_make_one_in(datadir)?;
    crate::unfinished::refuse(datadir)?;
    open_both(rt, datadir, vars, options, embedding)
}

/// The same without a look at what the directory has in it.
pub fn open_directory(
    rt: &Rt,
    datadir: &Path,
    vars: &GlobalVars,
    options: &ServeOptions,
    embedding: Embedding,
) -> Result<Db, String> {
    open_both(rt, datadir, vars, options, embedding).map(|(db, _)| db)
}

fn open_both(
    rt: &Rt,
    datadir: &Path,
    vars: &GlobalVars,
    options: &ServeOptions,
    embedding: Embedding,
) -> Result<(Db, Option<Arc<BinaryLog>>), String> {
    let backend =
        if vars.bool(Var::innodb_use_native_aio) { Backend::Auto } else { Backend::Threads };
    let note = embedding.note.clone();
    let disk =
        RealDisk::open(datadir, backend, move |line| note(line)).map_err(|e| e.to_string())?;
    let mut disk: Arc<dyn Disk> = Arc::new(disk);
    if options.is_given(Var::weir_throttle_iops) {
        disk = throttled(rt, disk, vars);
    } else {
        let refuse = "the device was not opened for it: start with --weir-throttle-iops";
        vars.on_change(Var::weir_throttle_iops, Box::new(move |_| Err(refuse.into())));
    }
    let binlog = crate::binary_log::open(rt, &disk, datadir, vars, &embedding)?;
    let mut o = engine_options(vars, options, embedding);
    o.follower = binlog.clone().map(|log| log as Arc<dyn Follower>);
    let db = rt
        .block_on(Db::open(rt, disk, o))
        .map_err(|e| format!("cannot open the data directory '{}': {e}", datadir.display()))?;
    vars.put(Var::innodb_page_size, weir_sql::vars::VarValue::UInt(db.page_size() as u64));
    if let Some(log) = &binlog {
        rt.block_on(log.start(&db)).map_err(|e| format!("cannot begin the binary log: {e}"))?;
    }
    Ok((db, binlog))
}

/// What the variables mean for the engine.
pub fn engine_options(vars: &GlobalVars, options: &ServeOptions, embedding: Embedding) -> Options {
    let page_size = if options.is_given(Var::innodb_page_size) {
        vars.u64(Var::innodb_page_size) as usize
    } else {
        0
    };
    let (data_mode, log_mode) = match vars.u64(Var::innodb_flush_method) {
        0 => (Mode::Buffered, Mode::Buffered),
        1 => (Mode::Buffered, Mode::Dsync),
        _ => (Mode::Direct, Mode::Buffered),
    };
    let (flush_policy, flush) = profile::flush_settings(vars, options);
    Options {
        page_size,
        buffer_pool: vars.u64(Var::innodb_buffer_pool_size),
        redo_capacity: vars.u64(Var::innodb_redo_log_capacity),
        redo_on_demand: embedding.log_on_demand,
        log_buffer: vars.u64(Var::innodb_log_buffer_size) as usize,
        data_mode,
        log_mode,
        open_files: open_files(vars, &embedding.warning),
        doublewrite: vars.bool(Var::innodb_doublewrite),
        flush_policy,
        flight_recorder: vars.bool(Var::weir_flight_recorder),
        stall_seconds: vars.u64(Var::weir_stall_seconds),
        undo: UndoLimits {
            truncate: vars.bool(Var::innodb_undo_log_truncate),
            max_bytes: vars.u64(Var::innodb_max_undo_log_size),
            rounds: vars.u64(Var::innodb_purge_rseg_truncate_frequency),
            ..UndoLimits::default()
        },
        sort_bytes: vars.u64(Var::innodb_sort_buffer_size) as usize,
        row_log_bytes: vars.u64(Var::innodb_online_alter_log_max_size) as usize,
        change_buffer: ChangeBufferLimits {
            on: weir_engine::buffers_inserts(&vars.text(Var::innodb_change_buffering)),
            ..ChangeBufferLimits::default()
        },
        read_ahead: vars.u64(Var::weir_read_ahead) as usize,
        flush,
        force: Force(vars.u64(Var::innodb_force_recovery) as u8),
        log: embedding.log,
        fatal: embedding.fatal,
        archived: embedding.archived,
        ..Options::default()
    }
}

/// The device slowed down to `weir_throttle_iops`; SET GLOBAL changes by how much.
pub fn throttled(rt: &Rt, disk: Arc<dyn Disk>, vars: &GlobalVars) -> Arc<dyn Disk> {
    let speed = |iops: u64| (iops > 0).then(|| Speed::of_2009(iops));
    let wanted = speed(vars.u64(Var::weir_throttle_iops));
    let slow = Arc::new(ThrottledDisk::new(rt.clone(), disk, wanted));
    let hooked = slow.clone();
    vars.on_change(
        Var::weir_throttle_iops,
        Box::new(move |v| {
            if let weir_sql::vars::VarValue::UInt(n) = v {
                hooked.set_speed(speed(*n));
            }
            Ok(())
        }),
    );
    slow
}

/// Descriptors for what is neither a connection, a table's file nor a file of the redo log: system files, sockets, logs, scratch files.
const OTHER_FILES: u64 = 24;
/// However few descriptors there are, so many are for files of tables.
const TABLE_FILES_MIN: u64 = 4;

/// `innodb_open_files`, or what the system's limit leaves beside the connections. Where it does not leave enough for the connections that
/// may come, `max_connections` and `table_open_cache` are cut, as MySQL cuts them.
fn open_files(vars: &GlobalVars, warning: &LogFn) -> usize {
    use rustix::process::{Resource, getrlimit};
    let allowed = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let redo = weir_engine::redo_files(
        vars.u64(Var::innodb_redo_log_capacity),
        vars.u64(Var::innodb_page_size) as usize,
    );
    let share = Descriptors::share(
        allowed.saturating_sub(redo + OTHER_FILES),
        vars.u64(Var::innodb_open_files),
        vars.u64(Var::max_connections),
    );
    let put = |var, n| vars.put(var, weir_sql::vars::VarValue::UInt(n));
    put(Var::innodb_open_files, share.files);
    if share.connections < vars.u64(Var::max_connections) {
        let cache = vars.u64(Var::table_open_cache).min(share.files.max(1));
        warning(&format!(
            "the system allows {allowed} open files, of which the redo log takes {redo}: max_connections is {} (was {}), \
             innodb_open_files {}, table_open_cache {cache} (was {})",
            share.connections,
            vars.u64(Var::max_connections),
            share.files,
            vars.u64(Var::table_open_cache),
        ));
        put(Var::max_connections, share.connections);
        put(Var::table_open_cache, cache);
    }
    share.files as usize
}

/// Descriptors that a server may come to need.
pub fn descriptors_wanted(vars: &GlobalVars) -> u64 {
    let redo = weir_engine::redo_files(
        vars.u64(Var::innodb_redo_log_capacity),
        vars.u64(Var::innodb_page_size) as usize,
    );
    let (files, connections) = (vars.u64(Var::innodb_open_files), vars.u64(Var::max_connections));
    // One more connection than allowed may come.
    redo + OTHER_FILES + files + connections + 1
}

/// How descriptors are shared out.
#[derive(Debug, PartialEq, Eq)]
struct Descriptors {
    files: u64,
    connections: u64,
}

impl Descriptors {
    /// A quarter is for files even where the connections allowed would take all.
    fn share(free: u64, files: u64, connections: u64) -> Descriptors {
        let least = TABLE_FILES_MIN.max(free / 4).min(files);
        let files = files.min(free.saturating_sub(connections + 1).max(least));
        // One more connection than allowed may come, to look what the others do.
        let left = free.saturating_sub(files + 1).max(1);
        Descriptors { files, connections: connections.min(left) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_are_shared_out() {
        let share = |free, files, connections| {
            let d = Descriptors::share(free, files, connections);
            (d.files, d.connections)
        };
        assert_eq!(share(1_000_000, 4000, 151), (4000, 151));
        assert_eq!(share(960, 4000, 151), (808, 151));
        assert_eq!(share(200, 4000, 151), (50, 149));
        assert_eq!(share(8, 4000, 151), (4, 3));
        assert_eq!(share(0, 4000, 151), (4, 1));
    }
}
