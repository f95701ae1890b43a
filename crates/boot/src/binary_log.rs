//! The binary log of a start, by the variables.

use crate::engine::Embedding;
use crate::identity;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use weir_binlog::{GtidSet, Source};
use weir_disk::Disk;
use weir_rt::Rt;
use weir_source::log::Settings;
use weir_source::semi_sync::SemiSync;
use weir_source::{BinaryLog, Options};
use weir_sql::vars::{GlobalVars, SERVER_VERSION, Var, VarValue};

/// The base name of the files, where `--log-bin` gives none.
const BASE: &str = "binlog";

/// `None`: none is wanted, and no earlier life has left one.
pub fn open(
    rt: &Rt,
    disk: &Arc<dyn Disk>,
    datadir: &Path,
    vars: &GlobalVars,
    embedding: &Embedding,
) -> Result<Option<Arc<BinaryLog>>, String> {
    // A program with the database inside it completes what a server has left, and logs nothing itself.
    let on = vars.bool(Var::log_bin) && embedding.serves;
    if !on {
        // As in MySQL the variable then says that nothing of it is logged.
        vars.put(Var::log_replica_updates, VarValue::Bool(false));
    }
    let gtids = wants_gtids(vars, on, embedding)?;
    if on && vars.u64(Var::binlog_format) != 2 {
        return Err("option '--binlog-format': the binary log has rows only, ROW".into());
    }
    if on && vars.u64(Var::binlog_error_action) != 1 {
        return Err("option '--binlog-error-action': the server does not go on without its binary log, ABORT_SERVER".into());
    }
    let base = base_name(&vars.text(Var::log_bin_basename), embedding)?;
    let left = || rt.block_on(disk.exists(weir_source::STATE)).unwrap_or(true);
    if !on && !left() {
        return Ok(None);
    }
    let (uuid, _) = identity::server_uuid(datadir)?;
    let uuid = Source::parse_uuid(&uuid).ok_or("the server's UUID cannot be read")?;
    let settings = Arc::new(Settings {
        rt: rt.clone(),
        server_id: AtomicU32::new(vars.u64(Var::server_id) as u32),
        checksum: AtomicBool::new(vars.u64(Var::binlog_checksum) == 1),
        max_size: AtomicU64::new(vars.u64(Var::max_binlog_size)),
        expire_seconds: AtomicU64::new(vars.u64(Var::binlog_expire_logs_seconds)),
        stopping: AtomicBool::new(false),
        semi_sync: SemiSync::new(rt.clone(), embedding.warning.clone()),
    });
    let o = Options {
        base: base.clone(),
        on,
        gtids,
        uuid,
        version: SERVER_VERSION.into(),
        settings,
        log: embedding.warning.clone(),
    };
    let opened = rt.block_on(BinaryLog::open(disk.clone(), o));
    let log = opened.map_err(|e| format!("cannot open the binary log: {e}"))?;
    if let Some(log) = log.as_ref().filter(|_| on) {
        let path = datadir.join(&base).display().to_string();
        vars.put(Var::log_bin_index, VarValue::Str(format!("{path}.index").into()));
        vars.put(Var::log_bin_basename, VarValue::Str(path.into()));
        follow_variables(log, vars);
    }
    Ok(log)
}

/// `gtid_mode`, which means nothing where no commit is logged.
fn wants_gtids(vars: &GlobalVars, on: bool, embedding: &Embedding) -> Result<bool, String> {
    let wanted = vars.u64(Var::gtid_mode) == 1;
    if wanted && !on {
        if embedding.serves {
            (embedding.warning)("option 'gtid-mode=ON' has no effect without --log-bin");
        }
        vars.put(Var::gtid_mode, VarValue::Enum(0));
        return Ok(false);
    }
    if wanted && vars.u64(Var::enforce_gtid_consistency) != 1 {
        return Err("GTID_MODE = ON requires ENFORCE_GTID_CONSISTENCY = ON.".into());
    }
    Ok(wanted)
}

/// The name of the files without their number. As in MySQL an extension is left out. Files lie in the data directory, with which
/// they are copied and recovered.
fn base_name(named: &str, embedding: &Embedding) -> Result<String, String> {
    let file = named.rsplit('/').next().unwrap_or(named);
    let base = file.split('.').next().unwrap_or(file);
    if named.is_empty() {
        return Ok(BASE.to_owned());
    }
    if base.is_empty() || base.contains(['\\', '\n']) || base.len() > 200 {
        return Err(format!("option '--log-bin={named}': it needs a name for the files"));
    }
    if base != named {
        let text = format!(
            "option 'log-bin={named}' is taken as '{base}': the files lie in the data directory"
        );
        (embedding.warning)(&text);
    }
    Ok(base.to_owned())
}

/// What a variable's value does to the log.
type Take = fn(&BinaryLog, u64);

/// Variables of semi-synchronous replication. The switch comes last, when all others are known.
const SEMI_SYNC: [(Var, Take); 5] = [
    (Var::rpl_semi_sync_source_timeout, |l, n| l.settings.semi_sync.set_timeout(n as u32)),
    (Var::rpl_semi_sync_source_wait_for_replica_count, |l, n| {
        l.settings.semi_sync.set_replicas(n as u32);
    }),
    (Var::rpl_semi_sync_source_wait_no_replica, |l, n| {
        l.settings.semi_sync.set_waits_alone(n == 1);
    }),
    (Var::rpl_semi_sync_source_wait_point, |l, n| {
        l.settings.semi_sync.set_before_visible(n == 0);
    }),
    (Var::rpl_semi_sync_source_enabled, |l, n| l.settings.semi_sync.enable(n == 1)),
];

/// Those that may change while the server runs.
fn follow_variables(log: &Arc<BinaryLog>, vars: &GlobalVars) {
    let follow = |var: Var, take: Take| {
        let log = Arc::downgrade(log);
        vars.on_change(
            var,
            Box::new(move |value| {
                let number = match value {
                    VarValue::UInt(n) => *n,
                    VarValue::Enum(n) => u64::from(*n),
                    VarValue::Bool(on) => u64::from(*on),
                    _ => return Ok(()),
                };
                if let Some(log) = log.upgrade() {
                    take(&log, number);
                }
                Ok(())
            }),
        );
    };
    follow(Var::server_id, |l, n| l.settings.server_id.store(n as u32, Ordering::Relaxed));
    follow(Var::binlog_checksum, |l, n| l.settings.checksum.store(n == 1, Ordering::Relaxed));
    follow(Var::max_binlog_size, |l, n| l.settings.max_size.store(n, Ordering::Relaxed));
    follow(Var::binlog_expire_logs_seconds, |l, n| {
        l.settings.expire_seconds.store(n, Ordering::Relaxed);
    });
    for (var, take) in SEMI_SYNC {
        take(log, vars.u64(var));
        follow(var, take);
    }
    let own = Arc::downgrade(log);
    vars.read_gtids_by(Box::new(move |purged, others| {
        let mut all: GtidSet = others.parse().unwrap_or_default();
        match own.upgrade() {
            Some(log) if purged => all = log.purged(),
            Some(log) => all.union(&log.executed()),
            None => {}
        }
        all.to_string()
    }));
}
