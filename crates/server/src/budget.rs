//! What the server may take of memory, told at the start beside what the machine, or the control group of the process, allows.

use crate::log;
use std::path::Path;
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

/// The bytes that the process may take, and who says so. `read` gives the system's files.
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

pub fn tell(vars: &GlobalVars) {
    let limit = allowed(|path| std::fs::read_to_string(path).ok());
    let sessions = vars.u64(Var::global_connection_memory_limit);
    let counted = vars.bool(Var::global_connection_memory_tracking) && sessions < 1 << 62;
    let (text, over) = told(
        vars.u64(Var::innodb_buffer_pool_size),
        vars.u64(Var::innodb_log_buffer_size),
        counted.then_some(sessions),
        limit,
    );
    if over { log::warning(&text) } else { log::note(&text) }
}

#[cfg(test)]
mod tests {
    use super::*;

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
