//! What the system says of this process.

/// Ticks of processor time to a second, on every Linux (`USER_HZ`).
pub const TICKS: f64 = 100.0;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Process {
    /// Bytes of memory that are resident.
    pub resident: u64,
    pub cpu_ticks: u64,
    /// Bytes read from and written to devices.
    pub io_bytes: u64,
}

fn text(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

impl Process {
    pub fn now() -> Process {
        let (status, io) = (text("/proc/self/status"), text("/proc/self/io"));
        Process::read(&status, &text("/proc/self/stat"), &io)
    }

    /// Of the files of those names; what is not there is 0.
    fn read(status: &str, stat: &str, io: &str) -> Process {
        let number = |line: &str, name| -> Option<u64> {
            line.strip_prefix(name)?.split_whitespace().next()?.parse().ok()
        };
        let kib = status.lines().find_map(|l| number(l, "VmRSS:")).unwrap_or(0);
        // Behind the name, which may have blanks, utime and stime are the 12th and 13th.
        let times = stat.rsplit(") ").next().unwrap_or("").split(' ').skip(11).take(2);
        let bytes = |name| io.lines().find_map(|l| number(l, name)).unwrap_or(0);
        Process {
            resident: kib * 1024,
            cpu_ticks: times.filter_map(|t| t.parse::<u64>().ok()).sum(),
            io_bytes: bytes("read_bytes:") + bytes("write_bytes:"),
        }
    }

    /// Descriptors that are open.
    pub fn descriptors() -> usize {
        std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_are_read() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194304 100 0 0 0 25 17 0 0 20 0 1 0 99 1000 10";
        let io = "rchar: 9\nread_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 1\n";
        let p = Process::read("Name:\tx\nVmRSS:\t  12 kB\n", stat, io);
        assert_eq!(p, Process { resident: 12 * 1024, cpu_ticks: 42, io_bytes: 12288 });
        assert_eq!(Process::read("", "", "nonsense"), Process::default());
        assert!(Process::now().resident > 0 && Process::descriptors() > 0);
    }
}
