//! The computers by name. A drive's figures are those of its maker's data sheet where there is one; `docs/reproduction.md` compares
//! what comes out with published measurements.

use super::array::Layout;
use super::cache::{Cache, Cached};
use super::drive::{Drive, Spindle};
use super::elevator::Elevator;
use super::files::{FileSystem, Places};
use super::kept::OwnCache;
use super::solid::{Flash, Solid};
use super::{Counters, Cpu, Device, MachineDisk, Volume};
use std::sync::Arc;
use weir_rt::Rt;

/// A disk of 2009 with 7,200 turns per minute: 750 GB, 8.5 ms on average, 100 MB/s in the outer third.
pub const SATA_7200: Drive = Drive {
    bytes: 750_000_000_000,
    turns_per_minute: 7200.0,
    shortest_seek: 1.0,
    longest_seek: 15.0,
    write_settle: 0.5,
    bytes_per_second: 90e6,
    queue: 32,
    elevator: Elevator::Arrival,
    cache: None,
};

/// The same disk as a server of 2009 had it: one command at a time, behind Linux's deadline elevator, with a memory of 16 MiB for writes.
/// A status print of such a server has 4.56 ms for a write, which waits for the command before it.
pub const SATA_2009: Drive =
    Drive { queue: 1, elevator: Elevator::Deadline, cache: Some(OWN_CACHE), ..SATA_7200 };

/// 16 MiB, as data sheets of such disks have; an interface of 1.5 Gbit/s, and 0.2 ms of a command's way there and back (an estimate). The
/// firmware's choice among four is an estimate as well.
const OWN_CACHE: OwnCache =
    OwnCache { bytes: 16 << 20, command: 200.0, interface: 150e6, choice: 4 };

/// A disk for servers of 2009 with 15,000 turns per minute: 146 GB, 3.5 ms on average.
pub const SAS_15000: Drive = Drive {
    bytes: 146_000_000_000,
    turns_per_minute: 15000.0,
    shortest_seek: 0.3,
    longest_seek: 6.5,
    write_settle: 0.4,
    bytes_per_second: 125e6,
    queue: 64,
    elevator: Elevator::Arrival,
    cache: None,
};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Storage {
    Drives { count: usize, drive: Drive, layout: Layout, own_cache: Option<Cache> },
    Solid(Solid),
}

/// A computer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preset {
    pub name: &'static str,
    pub what: &'static str,
    pub processors: usize,
    pub storage: Storage,
    pub controller: Option<Cache>,
    pub fs: FileSystem,
    /// Processor time of a statement and of a request to the volume, in microseconds.
    pub statement_cpu: f64,
    pub request_cpu: f64,
}

/// Linux 2.6 holds the mutex of an ext2 file's inode for the whole of a direct write, and a direct read takes it for its start (`DIO_LOCKING`
/// in `fs/direct-io.c`).
const EXT2: FileSystem = FileSystem { journal_writes: 0, barriers: false, locks_writes: true };
/// Of servers whose text names no file system.
const UNNAMED: FileSystem = FileSystem { locks_writes: false, ..EXT2 };
const EXT4: FileSystem = FileSystem { journal_writes: 2, barriers: true, locks_writes: false };
/// A journal in the cache of the drive or of the controller.
const EXT4_FAST: FileSystem = FileSystem { journal_writes: 1, barriers: true, locks_writes: false };

const DRIVE_CACHE: Cache = Cache { bytes: 16 << 20, battery: false, write: 120.0, depth: 4 };
const CONTROLLER: Cache = Cache { bytes: 256 << 20, battery: true, write: 100.0, depth: 64 };

/// Microseconds of a call of the engine. From one figure of `tpcc-memory-2009`: TPC-C in memory on the same computers did 36,674
/// New-Orders per minute at 16 users. If that took all eight processors it is 5.7 ms for each of the 2.3 transactions to a New-Order, of
/// 41 calls on average.
const STATEMENT_2009: f64 = 139.0;
/// The same for the sixteen processors of `raid10-2009`: its highest published rate in memory, 8,524 New-Orders in ten seconds, as a rate that
/// took all processors.
const STATEMENT_R900: f64 = 199.0;
/// Of a request: an estimate (a system call, an interrupt, a thread that is woken, checksums).
const REQUEST_2009: f64 = 50.0;
/// Estimates, as are those of 2014 below: what depends on them alone is no finding.
const STATEMENT_TODAY: f64 = 25.0;
const REQUEST_TODAY: f64 = 8.0;

pub const ALL: &[Preset] = &[
    Preset {
        name: "raid0-2009",
        what: "8 processors of 2009, ten disks of 7,200 turns that do one command at a time, as RAID 0 in software with stripes of 1 MiB, ext2",
        processors: 8,
        storage: Storage::Drives {
            count: 10,
            drive: SATA_2009,
            layout: Layout::Raid0 { stripe: 1 << 20 },
            own_cache: None,
        },
        controller: None,
        fs: EXT2,
        statement_cpu: STATEMENT_2009,
        request_cpu: REQUEST_2009,
    },
    Preset {
        name: "raid10-2009",
        what: "16 processors of 2008, eight disks of 15,000 turns in four pairs (each reads as one disk) behind a controller with 256 MiB and a battery",
        processors: 16,
        storage: Storage::Drives {
            count: 4,
            drive: SAS_15000,
            layout: Layout::Raid0 { stripe: 64 << 10 },
            own_cache: None,
        },
        controller: Some(CONTROLLER),
        fs: UNNAMED,
        statement_cpu: STATEMENT_R900,
        request_cpu: REQUEST_2009,
    },
    Preset {
        name: "raid10-2008",
        what: "8 processors of 2009, six disks of 15,000 turns in three pairs (each reads as one disk) behind a controller with 256 MiB and a battery",
        processors: 8,
        storage: Storage::Drives {
            count: 3,
            drive: SAS_15000,
            layout: Layout::Raid0 { stripe: 64 << 10 },
            own_cache: None,
        },
        controller: Some(CONTROLLER),
        fs: UNNAMED,
        statement_cpu: STATEMENT_2009,
        request_cpu: REQUEST_2009,
    },
    Preset {
        name: "raid5-2009",
        what: "8 processors of 2009, six disks of 15,000 turns as RAID 5 with stripes of 64 KiB behind a controller with 256 MiB and a battery",
        processors: 8,
        storage: Storage::Drives {
            count: 6,
            drive: SAS_15000,
            layout: Layout::Raid5 { stripe: 64 << 10 },
            own_cache: None,
        },
        controller: Some(CONTROLLER),
        fs: UNNAMED,
        statement_cpu: STATEMENT_2009,
        request_cpu: REQUEST_2009,
    },
    Preset {
        name: "raid5-plain",
        what: "8 processors of 2009, six disks of 15,000 turns as RAID 5 with stripes of 64 KiB, no memory in front of them",
        processors: 8,
        storage: Storage::Drives {
            count: 6,
            drive: SAS_15000,
            layout: Layout::Raid5 { stripe: 64 << 10 },
            own_cache: None,
        },
        controller: None,
        fs: UNNAMED,
        statement_cpu: STATEMENT_2009,
        request_cpu: REQUEST_2009,
    },
    Preset {
        name: "desktop-2014",
        what: "4 processors of 2014, one disk of 7,200 turns without a write cache, ext4",
        processors: 4,
        storage: Storage::Drives {
            count: 1,
            drive: SATA_7200,
            layout: Layout::Single,
            own_cache: None,
        },
        controller: None,
        fs: EXT4,
        statement_cpu: 100.0,
        request_cpu: 30.0,
    },
    Preset {
        name: "desktop-cached",
        what: "the same with the disk's write cache on, emptied at each sync",
        processors: 4,
        storage: Storage::Drives {
            count: 1,
            drive: SATA_7200,
            layout: Layout::Single,
            own_cache: Some(DRIVE_CACHE),
        },
        controller: None,
        fs: EXT4,
        statement_cpu: 100.0,
        request_cpu: 30.0,
    },
    Preset {
        name: "sata-ssd",
        what: "8 processors of today, a SATA flash drive",
        processors: 8,
        storage: Storage::Solid(Solid {
            channels: 16,
            read: 140.0,
            write: 60.0,
            flush: 1500.0,
            read_bytes_per_second: 540e6,
            write_bytes_per_second: 480e6,
            requests_per_second: 90_000.0,
        }),
        controller: None,
        fs: EXT4_FAST,
        statement_cpu: STATEMENT_TODAY,
        request_cpu: REQUEST_TODAY,
    },
    Preset {
        name: "nvme",
        what: "8 processors of today, an NVMe drive",
        processors: 8,
        storage: Storage::Solid(Solid {
            channels: 64,
            read: 85.0,
            write: 20.0,
            flush: 400.0,
            read_bytes_per_second: 3400e6,
            write_bytes_per_second: 2500e6,
            requests_per_second: 500_000.0,
        }),
        controller: None,
        fs: EXT4_FAST,
        statement_cpu: STATEMENT_TODAY,
        request_cpu: REQUEST_TODAY,
    },
    Preset {
        name: "network-volume",
        what: "8 processors of today, a volume over the network that is sold with 3,000 requests and 125 MiB per second",
        processors: 8,
        storage: Storage::Solid(Solid {
            channels: 64,
            read: 700.0,
            write: 900.0,
            flush: 300.0,
            read_bytes_per_second: 131e6,
            write_bytes_per_second: 131e6,
            requests_per_second: 3000.0,
        }),
        controller: None,
        fs: EXT4_FAST,
        statement_cpu: STATEMENT_TODAY,
        request_cpu: REQUEST_TODAY,
    },
];

/// What a machine with disks can have otherwise than it is, one at a time: `NAME+SWITCH+SWITCH`.
pub const SWITCHES: &[(&str, &str)] = &[
    ("native-queue", "its disks take 32 commands at once and choose"),
    ("passing-cache", "a write into a disk's cache does not wait for the command before it"),
    ("no-write-cache", "its disks write to the platters"),
    ("no-controller", "no memory of a controller stands before its disks"),
    ("no-elevator", "the kernel gives requests to its disks in the order in which they come"),
    ("no-file-lock", "no file is locked during a direct write, as ext2 locks it"),
];

/// A machine by its name, with its switches.
pub fn find(name: &str) -> Result<Preset, String> {
    let mut words = name.split('+');
    let base = words.next().unwrap_or_default();
    let Some(found) = ALL.iter().find(|p| p.name == base) else {
        let names: Vec<_> = ALL.iter().map(|p| p.name).collect();
        return Err(format!("there is no machine '{base}'; there are {}", names.join(", ")));
    };
    words.try_fold(*found, |p, switch| p.switched(switch))
}

/// A computer at work.
pub struct Machine {
    pub cpu: Arc<Cpu>,
    pub disk: MachineDisk,
    pub device: Arc<dyn Device>,
    pub counters: Arc<Counters>,
    /// Nanoseconds.
    pub statement_cpu: u64,
}

impl Preset {
    fn switched(mut self, switch: &str) -> Result<Preset, String> {
        let Storage::Drives { drive, own_cache, .. } = &mut self.storage else {
            return Err(format!("'{}' has no disks that turn, and no switches", self.name));
        };
        match switch {
            "native-queue" => drive.queue = SATA_7200.queue,
            "passing-cache" => (drive.cache, *own_cache) = (None, Some(DRIVE_CACHE)),
            "no-write-cache" => (drive.cache, *own_cache) = (None, None),
            "no-controller" => self.controller = None,
            "no-elevator" => drive.elevator = Elevator::Arrival,
            "no-file-lock" => self.fs.locks_writes = false,
            _ => {
                let names: Vec<_> = SWITCHES.iter().map(|s| s.0).collect();
                let all = names.join(", ");
                return Err(format!("there is no switch '{switch}' of a machine; there are {all}"));
            }
        }
        Ok(self)
    }

    /// `page_factor` and `spread` as in [`Places`].
    pub fn start(&self, rt: &Rt, page_factor: u64, spread: u64) -> Machine {
        let counters: Arc<Counters> = Arc::default();
        let cpu = Arc::new(Cpu::new(rt.clone(), self.processors));
        let device = self.device(rt, spread);
        let request = Some((cpu.clone(), (self.request_cpu * 1e3) as u64));
        let places = Places { page_factor, spread };
        let disk = MachineDisk::new(rt, device.clone(), counters.clone(), self.fs, places, request);
        let statement_cpu = (self.statement_cpu * 1e3) as u64;
        Machine { cpu, disk, device, counters, statement_cpu }
    }

    /// Memories in front of disks are divided as the data are: else a small world would fit into them.
    fn device(&self, rt: &Rt, divided: u64) -> Arc<dyn Device> {
        let bytes = |bytes: u64| (bytes / divided).max(64 << 10);
        let part = |c: Cache| Cache { bytes: bytes(c.bytes), ..c };
        let volume: Arc<dyn Device> = match self.storage {
            Storage::Solid(s) => Arc::new(Flash::new(rt, s)),
            Storage::Drives { count, drive, layout, own_cache } => {
                let cache = drive.cache.map(|c| OwnCache { bytes: bytes(c.bytes), ..c });
                let drive = Drive { cache, ..drive };
                let one = |_| {
                    let spindle: Arc<dyn Device> = Spindle::start(rt, drive);
                    match own_cache {
                        Some(c) => Cached::new(rt, part(c), spindle),
                        None => spindle,
                    }
                };
                Arc::new(Volume::new(rt, layout, (0..count).map(one).collect()))
            }
        };
        match self.controller {
            Some(c) => Cached::new(rt, part(c), volume),
            None => volume,
        }
    }
}

impl Preset {
    /// How much the volume holds.
    pub fn bytes(&self) -> u64 {
        match self.storage {
            Storage::Drives { count, drive, layout, .. } => match layout {
                Layout::Raid5 { .. } => drive.bytes * (count as u64 - 1),
                _ => drive.bytes * count as u64,
            },
            Storage::Solid(_) => 1 << 40,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_with_switches_and_what_is_no_machine() {
        let drive = |name: &str| match find(name).unwrap().storage {
            Storage::Drives { drive, own_cache, .. } => (drive, own_cache),
            Storage::Solid(_) => panic!("{name} has disks"),
        };
        assert_eq!(drive("raid0-2009"), (SATA_2009, None));
        let old = drive("raid0-2009+native-queue+passing-cache+no-elevator");
        assert_eq!(old, (SATA_7200, Some(DRIVE_CACHE)));
        assert_eq!(drive("raid0-2009+no-write-cache").0.cache, None);
        let locks = |name| find(name).unwrap().fs.locks_writes;
        assert!(locks("raid0-2009") && !locks("raid0-2009+no-file-lock") && !locks("raid5-plain"));
        for (switch, _) in SWITCHES {
            assert!(find(&format!("raid0-2009+{switch}")).is_ok(), "{switch}");
        }
        for bad in ["abacus", "", "raid0-2009+", "raid0-2009+warp", "nvme+no-file-lock"] {
            assert!(find(bad).is_err(), "{bad}");
        }
    }
}
