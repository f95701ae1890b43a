//! What the server may take of memory: told at the start with what the machine, or the control group of the process, allows, and
//! measured while it runs, so that statements are refused before the kernel ends the process (`weir_memory_limit`).

use std::path::Path;
use weir_sql::session::Instance;
use weir_sql::vars::{GlobalVars, Var};

/// What a server without sessions takes beside its buffers: code, stacks, definitions, two batches of a recovery.
const BASE: u64 = 64 << 20;

/// The memory limit of the process's control group or of one around it, in bytes; `None`: there is none.
fn group_limit(groups: &str, read: impl Fn(&str) -> Option<String>) -> Option<u64> {
    let mut least = None;
    let mut note = |text: Option<String>| {
        // A version 1 group without a limit has one of nearly 2^63.
        let bytes = text.and_then(|t| t.trim().parse::<u64>().ok()).filter(|n| *n < 1 << 62);
        least = [least, bytes].into_iter().flatten().min();
    };
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':');
        let (Some(_), Some(kinds), Some(path)) = (parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        let (root, file) = match kinds {
            "" => ("/sys/fs/cgroup", "memory.max"),
            k if k.split(',').any(|k| k == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => continue,
        };
        for at in Path::new(path).ancestors() {
            note(read(&format!("{root}{}/{file}", at.display().to_string().trim_end_matches('/'))));
        }
    }
    least
}

/// The memory of the machine in bytes, from `/proc/meminfo`.
fn machine(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find(|l| l.starts_with("MemTotal:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok()?.checked_mul(1024)
}

/// The line for the log, and whether it is a warning.
fn told(
    pool: u64,
    log_buffer: u64,
    sessions: Option<u64>,
    limit: Option<(u64, &str)>,
) -> (String, bool) {
    let mib = |n: u64| n.div_ceil(1 << 20);
    let needs = pool.saturating_add(log_buffer).saturating_add(BASE);
    let may = needs.saturating_add(sessions.unwrap_or(0));
    let of_sessions = match sessions {
        Some(n) => format!("{} MiB of all sessions", mib(n)),
        None => "what sessions take, which has no limit (global_connection_memory_limit)".into(),
    };
    let mut text = format!(
        "memory: buffer pool {} MiB, log buffer {} MiB, row locks as much as the buffer pool at most, and {of_sessions}",
        mib(pool),
        mib(log_buffer)
    );
    let Some((limit, whose)) = limit else { return (text, false) };
    text.push_str(&format!("; the {whose} allows {} MiB", mib(limit)));
    let over = may > limit;
    if over {
        text.push_str(", which is less: the system may end the server");
    }
    (text, over)
}

/// The bytes that the process may take, and what says so. `read` gives the system's files.
pub fn allowed(read: impl Fn(&str) -> Option<String>) -> Option<(u64, &'static str)> {
    let group = group_limit(&read("/proc/self/cgroup").unwrap_or_default(), &read);
    let machine = machine(&read("/proc/meminfo").unwrap_or_default());
    match (group, machine) {
        (Some(g), m) if m.is_none_or(|m| g < m) => Some((g, "control group")),
        (_, m) => m.map(|m| (m, "machine")),
    }
}

/// What the server takes of memory whatever its sessions do.
pub fn needs(vars: &GlobalVars) -> u64 {
    let (pool, log) =
        (vars.u64(Var::innodb_buffer_pool_size), vars.u64(Var::innodb_log_buffer_size));
    pool.saturating_add(log).saturating_add(BASE)
}

/// The text of a file of the system.
fn system_file(path: &str) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

/// Bytes of the process that are no file's, from `/proc/self/status`.
fn anonymous(status: &str) -> Option<usize> {
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    let number = kilobytes.trim().strip_suffix("kB")?.trim();
    number.parse::<usize>().ok().map(|n| n << 10)
}

/// The process is measured from now on. A sixteenth of what the system allows is left to what is not counted here: sockets, page tables,
/// files in memory.
pub fn enforce(inst: &Instance) {
    let default = allowed(system_file).map_or(u64::MAX, |(limit, _)| limit - limit / 16);
    let db = inst.db.clone();
    let measure = move || {
        let own = anonymous(&system_file("/proc/self/status")?)?;
        // The pool will be full sooner or later, and nobody is asked then.
        let (touched, whole) = db.pool_memory();
        Some(own.saturating_sub(touched) + whole)
    };
    inst.memory.limit_process(default as usize, Box::new(measure));
}

/// What the process will take and may take, as a line for a log, and whether that is a warning.
pub fn tell(vars: &GlobalVars) -> (String, bool) {
    let limit = allowed(system_file);
    let sessions = vars.u64(Var::global_connection_memory_limit);
    let counted = vars.bool(Var::global_connection_memory_tracking) && sessions < 1 << 62;
    let (mut text, over) = told(
        vars.u64(Var::innodb_buffer_pool_size),
        vars.u64(Var::innodb_log_buffer_size),
        counted.then_some(sessions),
        limit,
    );
    match (vars.u64(Var::weir_memory_limit), limit) {
        (0, None) => {}
        (0, Some((l, _))) => text.push_str(&refused_beyond(l - l / 16)),
        (given, _) => text.push_str(&refused_beyond(given)),
    }
    (text, over)
}

fn refused_beyond(limit: u64) -> String {
    format!(
        "; statements are refused where the process would have more than {} MiB (weir_memory_limit)",
        limit >> 20
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_files_is_not_the_process_own() {
        let status = "VmRSS:\t    1200 kB\nRssAnon:\t     800 kB\nRssFile:\t     400 kB\n";
        assert_eq!(anonymous(status), Some(800 << 10));
        assert_eq!(anonymous("nonsense"), None);
        assert!(system_file("/proc/self/status").and_then(|s| anonymous(&s)).is_some());
    }

    #[test]
    fn the_least_limit_of_the_groups_counts() {
        let files = |path: &str| {
            let text = match path {
                "/sys/fs/cgroup/a/b/memory.max" => "max\n",
                "/sys/fs/cgroup/a/memory.max" => "2147483648\n",
                "/sys/fs/cgroup/memory/x/memory.limit_in_bytes" => "1073741824\n",
                "/sys/fs/cgroup/memory/memory.limit_in_bytes" => "9223372036854771712\n",
                _ => return None,
            };
            Some(text.to_string())
        };
        assert_eq!(group_limit("0::/a/b\n", files), Some(2 << 30));
        assert_eq!(group_limit("5:cpu,memory:/x\n4:pids:/y\n0::/\n", files), Some(1 << 30));
        assert_eq!(group_limit("0::/\nnonsense\n", files), None);
        assert_eq!(machine("MemTotal:       1024 kB\nMemFree: 1 kB\n"), Some(1 << 20));
    }

    #[test]
    fn too_much_is_a_warning() {
        let (text, over) = told(128 << 20, 16 << 20, None, Some((160 << 20, "control group")));
        assert!(over && text.contains("buffer pool 128 MiB"), "{text}");
        assert!(text.contains("the control group allows 160 MiB, which is less"), "{text}");
        assert!(!told(128 << 20, 16 << 20, None, Some((1 << 30, "machine"))).1);
        assert!(told(128 << 20, 16 << 20, Some(1 << 30), Some((1 << 30, "machine"))).1);
    }
}
