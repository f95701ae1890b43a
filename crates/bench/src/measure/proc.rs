//! /proc: disks, processors, a process.

use super::series::MachineRates;
use std::fs::read_to_string;
use std::path::Path;
use std::time::Instant;

/// Clock ticks per second of /proc/*/stat: fixed by the kernel's interface on every Linux that Weir runs on.
const TICKS: f64 = 100.0;
const SECTOR: f64 = 512.0;
const MB: f64 = 1e6;

/// Counters at one moment.
#[derive(Clone, Debug)]
pub struct Snapshot {
    at: Instant,
    /// Reads, sectors read, writes, sectors written, of all disks.
    disk: [f64; 4],
    /// Busy, idle, waiting for I/O, total.
    cpu: [f64; 4],
    server_cpu: Option<f64>,
    server_rss_mb: Option<f64>,
    own_cpu: Option<f64>,
}

/// Takes snapshots; `server` is its process, when it is on this machine.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    pub server: Option<u32>,
}

impl Machine {
    pub fn snapshot(&self) -> Snapshot {
        let own = std::process::id();
        Snapshot {
            at: Instant::now(),
            disk: disks(&read_to_string("/proc/diskstats").unwrap_or_default(), |name| {
                Path::new("/sys/block").join(name).exists()
            }),
            cpu: cpu(&read_to_string("/proc/stat").unwrap_or_default()),
            server_cpu: self.server.and_then(process_cpu),
            server_rss_mb: self.server.and_then(process_rss_mb),
            own_cpu: if self.server == Some(own) { None } else { process_cpu(own) },
        }
    }
}

impl Snapshot {
    /// What happened since an earlier snapshot.
    pub fn since(&self, before: &Snapshot) -> MachineRates {
        let seconds = self.at.duration_since(before.at).as_secs_f64().max(1e-6);
        let per = |a: f64, b: f64| (a - b).max(0.0) / seconds;
        let [r, rs, w, ws] = std::array::from_fn(|i| per(self.disk[i], before.disk[i]));
        let total = (self.cpu[3] - before.cpu[3]).max(1.0);
        let share = |i: usize| (self.cpu[i] - before.cpu[i]).max(0.0) * 100.0 / total;
        let process = |a: Option<f64>, b: Option<f64>| Some(per(a?, b?) * 100.0);
        MachineRates {
            reads: r,
            writes: w,
            read_mb: rs * SECTOR / MB,
            write_mb: ws * SECTOR / MB,
            cpu_pct: share(0),
            idle_pct: share(1),
            wait_pct: share(2),
            server_cpu_pct: process(self.server_cpu, before.server_cpu),
            server_rss_mb: self.server_rss_mb,
            generator_cpu_pct: process(self.own_cpu, before.own_cpu),
        }
    }
}

/// Whole disks only: what lies on partitions and device mappers is counted below them.
fn disks(text: &str, is_whole: impl Fn(&str) -> bool) -> [f64; 4] {
    let mut sum = [0.0; 4];
    for line in text.lines() {
        let f: Vec<&str> = line.split_whitespace().collect();
        let Some(name) = f.get(2) else { continue };
        let layered = ["loop", "ram", "zram", "dm-", "md", "sr", "fd"];
        if layered.iter().any(|p| name.starts_with(p)) || !is_whole(name) {
            continue;
        }
        for (s, i) in sum.iter_mut().zip([3, 5, 7, 9]) {
            *s += f.get(i).and_then(|n| n.parse::<f64>().ok()).unwrap_or(0.0);
        }
    }
    sum
}

/// Of the line for all processors.
fn cpu(text: &str) -> [f64; 4] {
    let line = text.lines().find(|l| l.starts_with("cpu ")).unwrap_or("");
    let n: Vec<f64> = line.split_whitespace().skip(1).filter_map(|n| n.parse().ok()).collect();
    let at = |i: usize| n.get(i).copied().unwrap_or(0.0);
    // user nice system idle iowait irq softirq steal; guest time is part of user time.
    let total: f64 = n.iter().take(8).sum();
    [total - at(3) - at(4) - at(7), at(3), at(4), total]
}

/// Seconds of processor time of a process.
pub fn process_cpu(pid: u32) -> Option<f64> {
    let text = read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = text.rsplit_once(')')?;
    let f: Vec<&str> = rest.split_whitespace().collect();
    let ticks = f.get(11)?.parse::<f64>().ok()? + f.get(12)?.parse::<f64>().ok()?;
    Some(ticks / TICKS)
}

fn process_rss_mb(pid: u32) -> Option<f64> {
    let text = read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = text.lines().find(|l| l.starts_with("VmRSS:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}

/// The process that listens on a TCP port of this machine.
pub fn listener(port: u16) -> Option<u32> {
    let inode = ["/proc/net/tcp", "/proc/net/tcp6"]
        .iter()
        .find_map(|f| listening_inode(&read_to_string(f).ok()?, port))?;
    let wanted = format!("socket:[{inode}]");
    for entry in std::fs::read_dir("/proc").ok()?.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|n| n.parse::<u32>().ok()) else {
            continue;
        };
        // Another user's process: its descriptors are not ours to see.
        let Ok(list) = std::fs::read_dir(entry.path().join("fd")) else { continue };
        let is_it = |f: std::fs::DirEntry| {
            std::fs::read_link(f.path()).is_ok_and(|l| l.as_os_str() == wanted.as_str())
        };
        if list.flatten().any(is_it) {
            return Some(pid);
        }
    }
    None
}

fn listening_inode(text: &str, port: u16) -> Option<String> {
    let end = format!(":{port:04X}");
    text.lines().skip(1).find_map(|l| {
        let f: Vec<&str> = l.split_whitespace().collect();
        let listens = f.get(1)?.ends_with(&end) && *f.get(3)? == "0A";
        listens.then(|| f.get(9).map(|i| i.to_string())).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_disks_count() {
        let text = "   8       0 sda 100 0 800 1 50 0 400 1 0 0 0\n   8       1 sda1 90 0 700 1 40 0 300 1 0 0 0\n 253 0 dm-0 5 0 5 5 5 5 5\n";
        assert_eq!(disks(text, |n| n == "sda" || n == "dm-0"), [100.0, 800.0, 50.0, 400.0]);
    }

    #[test]
    fn processor_shares() {
        let before = cpu("cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 1 1 1 1");
        assert_eq!(before, [150.0, 800.0, 50.0, 1000.0]);
        let text = "  sl  local_address rem_address   st\n   0: 0100007F:0CEA 00000000:0000 0A 0:0 0:0 0 0 0 4711 1\n   1: 0100007F:0CEB 00000000:0000 01 0:0 0:0 0 0 0 4712 1\n";
        assert_eq!(listening_inode(text, 3306).as_deref(), Some("4711"));
        assert_eq!(listening_inode(text, 3307), None);
    }

    #[test]
    fn this_process_can_be_seen() {
        let own = std::process::id();
        assert!(process_cpu(own).is_some() && process_rss_mb(own).is_some_and(|m| m > 0.5));
        let l = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        assert_eq!(listener(l.local_addr().unwrap().port()), Some(own));
    }
}
