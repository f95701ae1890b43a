//! The machine: what of its settings makes a database slow, or ends it.

use super::finding::{Finding, Report};
use rustix::process::{Resource, getrlimit};
use std::path::Path;
use weir_server::budget;
use weir_sql::vars::{GlobalVars, Var};

/// Clock sources that are read without a system call, or nearly.
const FAST_CLOCKS: [&str; 5] =
    ["tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page", "hyperv_clocksource"];

/// `root`: `/`, or a tree that stands for it in tests.
pub fn look(root: &Path, vars: &GlobalVars, report: &mut Report) {
    let read = |path: &str| std::fs::read_to_string(root.join(path.trim_start_matches('/'))).ok();
    huge_pages(read("/sys/kernel/mm/transparent_hugepage/enabled"), report);
    swapping(read("/proc/swaps"), read("/proc/sys/vm/swappiness"), report);
    clock(read("/sys/devices/system/clocksource/clocksource0/current_clocksource"), report);
    memory(vars, budget::allowed(read), report);
    open_files(vars, getrlimit(Resource::Nofile).maximum, report);
}

fn huge_pages(enabled: Option<String>, report: &mut Report) {
    let subject = "transparent huge pages";
    let chosen = enabled.as_deref().and_then(|t| t.split('[').nth(1)?.split(']').next());
    report.add(match chosen {
        Some("always") => Finding::warning(
            subject,
            "always",
            "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled (and for the next boots transparent_hugepage=madvise on the kernel's command line)",
            "the kernel joins small pages to large ones while the server runs: statements wait for that, and the process grows beyond what it uses",
        ),
        Some(other) => Finding::fine(subject, other),
        None => Finding::fine(subject, "this kernel has none"),
    });
}

fn swapping(swaps: Option<String>, swappiness: Option<String>, report: &mut Report) {
    let subject = "swapping";
    // The first line is the head.
    let has_swap = swaps.is_some_and(|t| t.lines().count() > 1);
    let value = swappiness.and_then(|t| t.trim().parse::<u32>().ok());
    report.add(match value {
        _ if !has_swap => Finding::fine(subject, "there is no swap space"),
        Some(n) if n > 10 => Finding::warning(
            subject,
            format!("vm.swappiness is {n}"),
            "sysctl vm.swappiness=1, and a line vm.swappiness=1 in /etc/sysctl.d/60-weir.conf",
            "the kernel moves frames of the buffer pool to disk in favour of files that are read once; a statement then waits for a page that the server holds to be in memory",
        ),
        Some(n) => Finding::fine(subject, format!("vm.swappiness is {n}")),
        None => Finding::fine(subject, "the kernel does not tell vm.swappiness"),
    });
}

fn clock(source: Option<String>, report: &mut Report) {
    let subject = "clock";
    report.add(match source.as_deref().map(str::trim) {
        Some(s) if !FAST_CLOCKS.contains(&s) => Finding::warning(
            subject,
            format!("the clock source is {s}"),
            "echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource, if available_clocksource beside it has tsc",
            "the server reads the clock several times for each statement; with this source each reading is a system call, or an access to a slow device",
        ),
        Some(s) => Finding::fine(subject, s),
        None => Finding::fine(subject, "the kernel does not tell its source"),
    });
}

fn memory(vars: &GlobalVars, allowed: Option<(u64, &'static str)>, report: &mut Report) {
    let subject = "memory";
    let mib = |n: u64| format!("{} MiB", n >> 20);
    let needs = budget::needs(vars);
    let Some((limit, whose)) = allowed else {
        return report.add(Finding::fine(subject, "the system does not say how much there is"));
    };
    let of_sessions = vars.u64(Var::global_connection_memory_limit);
    let counted = vars.bool(Var::global_connection_memory_tracking) && of_sessions < 1 << 62;
    report.add(if needs > limit {
        Finding::error(
            subject,
            format!("buffers take {}, and the {whose} has {}", mib(needs), mib(limit)),
            format!("--innodb-buffer-pool-size={}M or less", (limit / 2) >> 20),
            "the kernel ends the server when the pool has filled",
        )
    } else if counted && needs.saturating_add(of_sessions) > limit {
        Finding::warning(
            subject,
            format!("buffers take {}, sessions may take {}, and the {whose} has {}", mib(needs), mib(of_sessions), mib(limit)),
            "a smaller innodb_buffer_pool_size or global_connection_memory_limit",
            "the kernel ends the server when both are used",
        )
    } else if !counted {
        Finding::warning(
            subject,
            format!("buffers take {} of the {} of the {whose}; sessions have no limit", mib(needs), mib(limit)),
            format!("--global-connection-memory-tracking=ON --global-connection-memory-limit={}M", ((limit - needs) / 2) >> 20),
            "statements that keep many rows, or many sessions, can take all memory, and then the kernel ends the server; with a limit they are refused (4081)",
        )
    } else {
        Finding::fine(subject, format!("{} with all sessions, of {} of the {whose}", mib(needs + of_sessions), mib(limit)))
    });
}

fn open_files(vars: &GlobalVars, allowed: Option<u64>, report: &mut Report) {
    let subject = "open files";
    let wanted = weir_server::boot::descriptors_wanted(vars);
    report.add(match allowed {
        Some(n) if n < wanted => Finding::warning(
            subject,
            format!("the limit is {n}, and connections and tables may need {wanted}"),
            format!("LimitNOFILE={wanted} in the unit, or `ulimit -Hn {wanted}` before the start"),
            "max_connections and the tables that are open at once are cut at the start until they fit",
        ),
        Some(n) => Finding::fine(subject, format!("{n} allowed, {wanted} needed at most")),
        None => Finding::fine(subject, "no limit"),
    });
}

#[cfg(test)]
mod tests {
    use super::super::finding::Level;
    use super::*;

    fn level(look: impl FnOnce(&mut Report)) -> (Level, String) {
        let mut r = Report::default();
        look(&mut r);
        assert_eq!(r.text().lines().filter(|l| l.starts_with(['f', 'W', 'E'])).count(), 1);
        let first = r.text();
        let level = match r.code() {
            0 => Level::Fine,
            1 => Level::Warning,
            _ => Level::Error,
        };
        (level, first)
    }

    fn some(text: &str) -> Option<String> {
        Some(text.into())
    }

    #[test]
    fn huge_pages_are_found() {
        assert_eq!(level(|r| huge_pages(some("[always] madvise never\n"), r)).0, Level::Warning);
        assert_eq!(level(|r| huge_pages(some("always [madvise] never\n"), r)).0, Level::Fine);
        assert_eq!(level(|r| huge_pages(None, r)).0, Level::Fine);
    }

    #[test]
    fn swapping_matters_where_there_is_swap() {
        let swaps = "Filename Type Size Used Priority\n/dev/sda2 partition 1 0 -2\n";
        assert_eq!(level(|r| swapping(some(swaps), some("60\n"), r)).0, Level::Warning);
        assert_eq!(level(|r| swapping(some(swaps), some("1\n"), r)).0, Level::Fine);
        assert_eq!(level(|r| swapping(some("Filename\n"), some("60\n"), r)).0, Level::Fine);
    }

    #[test]
    fn slow_clocks_are_found() {
        assert_eq!(level(|r| clock(some("hpet\n"), r)).0, Level::Warning);
        assert_eq!(level(|r| clock(some("tsc\n"), r)).0, Level::Fine);
    }

    #[test]
    fn memory_is_compared_with_what_is_allowed() {
        let vars = GlobalVars::default();
        let of = |limit: u64| level(|r| memory(&vars, Some((limit, "control group")), r));
        assert_eq!(of(100 << 20).0, Level::Error, "the pool has 128 MiB");
        let (found, text) = of(1 << 30);
        assert_eq!(found, Level::Warning);
        assert!(text.contains("sessions have no limit"), "{text}");
    }

    #[test]
    fn descriptors_are_compared_with_what_is_needed() {
        let vars = GlobalVars::default();
        assert_eq!(level(|r| open_files(&vars, Some(1024), r)).0, Level::Warning);
        assert_eq!(level(|r| open_files(&vars, Some(1 << 20), r)).0, Level::Fine);
        assert_eq!(level(|r| open_files(&vars, None, r)).0, Level::Fine);
    }

    #[test]
    fn a_tree_stands_for_the_machine() {
        let root = std::env::temp_dir().join(format!("weir-doctor-root-{}", std::process::id()));
        let put = |path: &str, text: &str| {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        put("sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never");
        put("proc/meminfo", "MemTotal: 65536 kB\n");
        let mut r = Report::default();
        look(&root, &GlobalVars::default(), &mut r);
        std::fs::remove_dir_all(&root).unwrap();
        assert_eq!(r.of("transparent huge pages")[0].level, Level::Warning);
        assert_eq!(r.of("memory")[0].level, Level::Error, "{}", r.text());
    }
}
