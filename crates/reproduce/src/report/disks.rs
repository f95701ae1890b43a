//! The simulated disks beside published figures of such disks.

use crate::machine::Request;
use crate::machine::presets;
use std::fmt::Write;
use weir_rt::Rng;
use weir_rt::sim::SimRt;

/// A published figure: machine, what, least and most that were published, and where.
struct Published {
    machine: &'static str,
    what: What,
    low: f64,
    high: f64,
    source: &'static str,
}

#[derive(Clone, Copy, Debug)]
enum What {
    /// Random reads of 16 KiB per second over the whole device, with so many under way.
    Random(u64),
    /// MB/s of reads one behind the other.
    Stream,
    /// Writes of a block per second, each followed by a sync.
    Synced,
}

impl What {
    fn words(self) -> String {
        match self {
            What::Random(n) => format!("random reads of 16 KiB per second, {n} under way"),
            What::Stream => "sequential reads, MB/s".into(),
            What::Synced => "writes of 4 KiB per second, a sync behind each".into(),
        }
    }
}

const DATA_SHEET: &str =
    "data sheets of such drives: 7,200 turns, 8.5 ms average seek, 4.16 ms average latency";

/// From data sheets: what a drive's own times give for one request at a time, and its maker's stream.
const TABLE: &[Published] = &[
    Published {
        machine: "desktop-2014",
        what: What::Random(1),
        low: 70.0,
        high: 90.0,
        source: DATA_SHEET,
    },
    Published {
        machine: "desktop-2014",
        what: What::Random(32),
        low: 130.0,
        high: 220.0,
        source: "measurements of native command queueing on drives of 7,200 turns: about twice one at a time",
    },
    Published {
        machine: "desktop-2014",
        what: What::Stream,
        low: 75.0,
        high: 125.0,
        source: "data sheets: 75 to 125 MB/s sustained",
    },
    Published {
        machine: "desktop-2014",
        what: What::Synced,
        low: 15.0,
        high: 50.0,
        source: "a block of data and two of a journal, each a turn of 8.3 ms or a seek and half a turn",
    },
    Published {
        machine: "raid0-2009",
        what: What::Random(64),
        low: 700.0,
        high: 1100.0,
        source: "ten times such a drive with one command at a time, whose elevator has six to order",
    },
    Published {
        machine: "raid0-2009+native-queue",
        what: What::Random(64),
        low: 900.0,
        high: 1700.0,
        source: "ten times such a drive with six under way, from 90 to 170 each",
    },
    Published {
        machine: "sata-ssd",
        what: What::Random(1),
        low: 5_000.0,
        high: 10_000.0,
        source: "data sheets: some 10,000 reads of 4 KiB at one under way",
    },
    Published {
        machine: "sata-ssd",
        what: What::Random(32),
        low: 25_000.0,
        high: 40_000.0,
        source: "540 MB/s of an interface of 6 Gbit/s, in requests of 16 KiB",
    },
    Published {
        machine: "nvme",
        what: What::Random(1),
        low: 9_000.0,
        high: 14_000.0,
        source: "data sheets: 10,000 to 14,000 reads at one under way",
    },
    Published {
        machine: "nvme",
        what: What::Random(64),
        low: 150_000.0,
        high: 220_000.0,
        source: "3.4 GB/s in requests of 16 KiB",
    },
    Published {
        machine: "network-volume",
        what: What::Random(64),
        low: 2_900.0,
        high: 3_050.0,
        source: "what such a volume is sold by: 3,000 requests per second",
    },
    Published {
        machine: "network-volume",
        what: What::Stream,
        low: 120.0,
        high: 132.0,
        source: "125 MiB/s",
    },
];

fn measure(machine: &str, what: What) -> f64 {
    let preset = presets::find(machine).expect("the table names machines that there are");
    let sim = SimRt::new(7);
    let rt = sim.rt();
    let done = sim.run(async {
        let m = preset.start(&rt, 1, 1);
        let bytes = preset.bytes();
        let begun = rt.now();
        let (count, per) = match what {
            What::Random(depth) => {
                let each = 3000 / depth.max(1) + 40;
                let reader = |n: u64| {
                    let device = m.device.clone();
                    rt.spawn("reader", async move {
                        let mut rng = Rng::new(n + 1);
                        for _ in 0..each {
                            let at = rng.below(bytes / 16384) * 16384;
                            device.serve(Request { at, bytes: 16384, write: false }).await;
                        }
                    })
                };
                for h in (0..depth).map(reader).collect::<Vec<_>>() {
                    h.await;
                }
                ((each * depth) as f64, 1.0)
            }
            What::Stream => {
                for n in 0..256 {
                    m.device.serve(Request { at: n << 20, bytes: 1 << 20, write: false }).await;
                }
                (256.0, (1 << 20) as f64 / 1e6)
            }
            What::Synced => {
                m.disk.start_time();
                synced(&m.disk).await;
                (100.0, 1.0)
            }
        };
        count * per * 1e9 / (rt.now() - begun) as f64
    });
    done.unwrap_or(f64::NAN)
}

async fn synced(disk: &crate::machine::MachineDisk) {
    use weir_disk::{Disk, IoBuf, Mode, OpenOptions};
    let o = OpenOptions { create: true, create_new: false, mode: Mode::Buffered };
    let Ok(f) = disk.open("redo/one", o).await else { return };
    for n in 0..100 {
        let _ = f.write(n * 4096, IoBuf::new(4096)).await;
        let _ = f.sync().await;
    }
}

/// The table of the page.
pub fn markdown() -> String {
    let mut out = String::from(
        "| machine | what | published | simulated | source |\n|---|---|--:|--:|---|\n",
    );
    for p in TABLE {
        let v = measure(p.machine, p.what);
        let _ = writeln!(
            out,
            "| {} | {} | {} to {} | {} | {} |",
            p.machine,
            p.what.words(),
            super::number(p.low),
            super::number(p.high),
            super::number(v),
            p.source
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simulated_disks_do_what_such_disks_do() {
        for p in TABLE {
            let v = measure(p.machine, p.what);
            assert!(
                (p.low..=p.high).contains(&v),
                "{} {:?}: {v}, published {} to {}",
                p.machine,
                p.what,
                p.low,
                p.high
            );
        }
    }
}
