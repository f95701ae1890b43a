//! `peers STORE DIR ROWS CACHE-MIB MIX-SECONDS ITEMS`: the same calls on one store, a line for each test: its name, operations per second by wall
//! clock, CPU microseconds of the whole process per operation, bytes written to the device per operation.
//! `peers STORE DIR ROWS CACHE-MIB one TEST COUNT`: a test alone, within the function `measured`, for tools that count instructions.

#[cfg(feature = "lmdb")]
mod lmdb;
mod mix;
mod redb;
#[cfg(feature = "rocksdb")]
mod rocks;
mod sqlite;
mod store;
mod weir;

use mix::{Random, Terminal};
use std::hint::black_box;
use std::os::unix::fs::MetadataExt;
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use store::{Settings, Store, Worker};

fn open(name: &str, s: &Settings) -> Box<dyn Store> {
    match name {
        "weir" => weir::open(s),
        "sqlite" => sqlite::open(s),
        "redb" => redb::open(s),
        #[cfg(feature = "lmdb")]
        "lmdb" => lmdb::open(s),
        #[cfg(feature = "rocksdb")]
        "rocksdb" => rocks::open(s),
        other => panic!("no store is called '{other}', or it was not built"),
    }
}

/// Seconds of the processors that this process has used.
fn cpu() -> f64 {
    let mut r = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the kernel fills the structure, of which zeros are a value.
    let r = unsafe {
        libc::getrusage(libc::RUSAGE_SELF, r.as_mut_ptr());
        r.assume_init()
    };
    let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 / 1e6;
    seconds(r.ru_utime) + seconds(r.ru_stime)
}

fn of_proc(file: &str, name: &str) -> u64 {
    let text = std::fs::read_to_string(file).expect("the kernel tells it");
    let line = text.lines().find_map(|l| l.strip_prefix(name)).expect("a line of that name");
    line.split_whitespace().next().expect("a number").parse().expect("a number")
}

/// The counters of the device that the data are on. They are this program's where nothing else uses the device.
static DEVICE: OnceLock<String> = OnceLock::new();

/// Bytes that were written to that device. What the kernel counts for a process is no measure: it counts the whole of a large folio of which a few
/// bytes are changed.
fn written() -> u64 {
    let text = DEVICE.get().and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
    // Sectors of 512 bytes.
    text.split_whitespace().nth(6).and_then(|n| n.parse::<u64>().ok()).unwrap_or(0) * 512
}

fn counters_of(dir: &str) -> String {
    let dev = std::fs::metadata(dir).expect("the folder is there").dev();
    format!("/sys/dev/block/{}:{}/stat", libc::major(dev), libc::minor(dev))
}

struct Begun(Instant, f64, u64);

impl Begun {
    fn now() -> Begun {
        Begun(Instant::now(), cpu(), written())
    }

    fn told(&self, name: &str, count: u64) {
        let (n, seconds) = (count as f64, self.0.elapsed().as_secs_f64());
        let bytes = (written() - self.2) as f64 / n;
        println!("{name} {:.1} {:.3} {bytes:.0}", n / seconds, (cpu() - self.1) * 1e6 / n);
    }
}

/// A test by its name: what it does, so many times. `rows` are there, with keys from 1.
#[inline(never)]
fn measured(w: &mut dyn Worker, test: &str, rows: u64, count: u64) {
    let mut random = Random(88172645463325252);
    let mut id = || random.below(rows) + 1;
    match test {
        "point-read" => (0..count).for_each(|_| {
            black_box(w.get(id()));
        }),
        "range-of-100" => (0..count).for_each(|_| {
            let first = id();
            black_box(w.range(first, first + 99));
        }),
        "update" => (0..count).for_each(|_| w.update(id())),
        "insert" => (0..count).for_each(|i| w.insert(rows + 1 + i)),
        "bulk" => w.bulk(rows + 1, count),
        other => panic!("no test is called '{other}'"),
    }
}

fn timed(store: &dyn Store, name: &str, test: &str, rows: u64, count: u64) {
    let mut w = store.worker();
    let begun = Begun::now();
    measured(w.as_mut(), test, rows, count);
    begun.told(name, count);
}

/// Threads that run the mix for some time; transactions that ended are counted.
fn mixed(store: &dyn Store, threads: u64, round: u64, seconds: u64, items: u64) {
    let begun = Begun::now();
    let until = Instant::now() + Duration::from_secs(seconds);
    let all: u64 = std::thread::scope(|s| {
        let run = |n: u64| {
            let (mut w, mut t, mut done) =
                (store.worker(), Terminal::new(round * 16 + n, items), 0);
            while Instant::now() < until {
                w.work(&t.next());
                done += 1;
            }
            done
        };
        let hands: Vec<_> = (0..threads).map(|n| s.spawn(move || run(n))).collect();
        hands.into_iter().map(|h| h.join().expect("a terminal")).sum()
    });
    begun.told(&format!("mix-{threads}-threads"), all);
}

fn all(name: &str, dir: &str, rows: u64, cache: u64, seconds: u64, items: u64) {
    let settings = |durable| Settings { dir, cache, durable, in_memory: false };
    let begun = Begun::now();
    let store = open(name, &settings(false));
    begun.told("open-empty", 1);
    timed(store.as_ref(), "bulk-insert", "bulk", 0, rows);
    timed(store.as_ref(), "point-read", "point-read", rows, 200_000);
    timed(store.as_ref(), "range-of-100", "range-of-100", rows, 20_000);
    // Each with its end: what a store writes later belongs to it.
    let begun = Begun::now();
    timed(store.as_ref(), "update-not-durable", "update", rows, 50_000);
    store.close();
    begun.told("update-not-durable-and-close", 50_000);
    let begun = Begun::now();
    let store = open(name, &settings(false));
    begun.told("open-existing", 1);
    timed(store.as_ref(), "insert-not-durable", "insert", rows, 50_000);
    mix::load(store.worker().as_mut(), items);
    for (round, threads) in [(1, 1), (2, 2), (3, 8)] {
        mixed(store.as_ref(), threads, round, seconds, items);
    }
    println!("memory-MiB {:.1} 0 0", of_proc("/proc/self/status", "VmHWM:") as f64 / 1024.0);
    store.close();
    let store = open(name, &settings(true));
    timed(store.as_ref(), "update-durable", "update", rows, 500);
    timed(store.as_ref(), "insert-durable", "insert", rows + 100_000, 500);
    store.close();
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize| args[i].parse::<u64>().unwrap_or_else(|e| panic!("{}: {e}", args[i]));
    if let Some(dir) = args.get(1) {
        DEVICE.set(counters_of(dir)).expect("it is set once");
    }
    match args.len() {
        6 => all(&args[0], &args[1], number(2), number(3) << 20, number(4), number(5)),
        7 if args[4] == "one" => {
            let dir = &args[1];
            let store = open(
                &args[0],
                &Settings { dir, cache: number(3) << 20, durable: false, in_memory: true },
            );
            {
                let mut w = store.worker();
                w.bulk(1, number(2));
                measured(w.as_mut(), &args[5], number(2), number(6));
            }
            store.close();
        }
        _ => panic!("usage: peers STORE DIR ROWS CACHE-MIB (MIX-SECONDS ITEMS | one TEST COUNT)"),
    }
}
