//! Few descriptors, many files: on a device that counts them and forgets what is not synced.

use super::*;
use proptest::prelude::*;
use weir_disk::sim::SimDisk;
use weir_rt::sim::SimRt;

const FILES: usize = 8;
const BLOCK: usize = 512;

/// A simulated device that has only a few descriptors.
struct Narrow {
    inner: SimDisk,
    open: Arc<AtomicUsize>,
    max: usize,
}

struct Counted {
    inner: Arc<dyn File>,
    open: Arc<AtomicUsize>,
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.open.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Disk for Narrow {
    fn open<'a>(&'a self, path: &'a str, o: OpenOptions) -> OpFuture<'a, Result<Arc<dyn File>>> {
        Box::pin(async move {
            if self.open.load(Ordering::SeqCst) >= self.max {
                return Err(DiskError::new("open", path, &std::io::Error::from_raw_os_error(24)));
            }
            self.open.fetch_add(1, Ordering::SeqCst);
            let open = self.open.clone();
            match self.inner.open(path, o).await {
                Ok(inner) => Ok(Arc::new(Counted { inner, open }) as Arc<dyn File>),
                Err(e) => {
                    open.fetch_sub(1, Ordering::SeqCst);
                    Err(e)
                }
            }
        })
    }
    fn list<'a>(&'a self, dir: &'a str) -> OpFuture<'a, Result<Vec<String>>> {
        self.inner.list(dir)
    }
    fn rename<'a>(&'a self, from: &'a str, to: &'a str) -> OpFuture<'a, Result<()>> {
        self.inner.rename(from, to)
    }
    fn remove<'a>(&'a self, path: &'a str) -> OpFuture<'a, Result<()>> {
        self.inner.remove(path)
    }
    fn create_dir<'a>(&'a self, path: &'a str) -> OpFuture<'a, Result<()>> {
        self.inner.create_dir(path)
    }
    fn sync_dir<'a>(&'a self, path: &'a str) -> OpFuture<'a, Result<()>> {
        self.inner.sync_dir(path)
    }
    fn exists<'a>(&'a self, path: &'a str) -> OpFuture<'a, Result<bool>> {
        self.inner.exists(path)
    }
    fn describe(&self) -> String {
        self.inner.describe()
    }
}

impl File for Counted {
    fn read(&self, off: u64, buf: IoBuf) -> OpFuture<'_, (IoBuf, Result<()>)> {
        self.inner.read(off, buf)
    }
    fn write(&self, off: u64, buf: IoBuf) -> OpFuture<'_, (IoBuf, Result<()>)> {
        self.inner.write(off, buf)
    }
    fn read_all(&self, batch: Vec<(u64, IoBuf)>) -> OpFuture<'_, (Vec<IoBuf>, Result<()>)> {
        self.inner.read_all(batch)
    }
    fn write_all(&self, batch: Vec<(u64, IoBuf)>) -> OpFuture<'_, (Vec<IoBuf>, Result<()>)> {
        self.inner.write_all(batch)
    }
    fn sync(&self) -> OpFuture<'_, Result<()>> {
        self.inner.sync()
    }
    fn allocate(&self, len: u64, zero: bool) -> OpFuture<'_, Result<()>> {
        self.inner.allocate(len, zero)
    }
    fn truncate(&self, len: u64) -> OpFuture<'_, Result<()>> {
        self.inner.truncate(len)
    }
    fn len(&self) -> OpFuture<'_, Result<u64>> {
        self.inner.len()
    }
}

fn path(i: usize) -> String {
    format!("f{i}")
}

fn block(value: u8) -> IoBuf {
    let mut b = IoBuf::new(BLOCK);
    b.fill(value);
    b
}

async fn value(f: &SpaceFile) -> u8 {
    let (b, done) = f.read(0, IoBuf::new(BLOCK)).await;
    done.unwrap();
    assert!(b.iter().all(|x| *x == b[0]));
    b[0]
}

#[derive(Clone, Debug)]
enum Op {
    Write(u8),
    Sync,
    Read,
    /// Ends the file's use, if it is this one.
    Retire(usize),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        4 => (1u8..).prop_map(Op::Write),
        3 => Just(Op::Sync),
        3 => Just(Op::Read),
        1 => (0..FILES / 4).prop_map(Op::Retire),
    ]
}

/// What one file is known to have: the last value written, and the last one that a sync has covered.
#[derive(Clone, Copy, Default)]
struct Known {
    written: u8,
    synced: u8,
    retired: bool,
}

fn play(seed: u64, limit: usize, max: usize, scripts: Vec<Vec<Op>>) {
    let sim = SimRt::new(seed);
    let rt = sim.rt();
    let disk = SimDisk::new(rt.clone(), seed);
    let device = disk.clone();
    let known = sim.run(async move {
        let open = Arc::new(AtomicUsize::new(0));
        let narrow = Narrow { inner: device.clone(), open: open.clone(), max };
        let files = Files::new(Arc::new(narrow), Mode::Buffered);
        files.set_limit(limit);
        let mut all = Vec::new();
        for i in 0..FILES {
            let f = files.create(&path(i)).await.unwrap();
            f.write(0, block(0)).await.1.unwrap();
            f.sync().await.unwrap();
            all.push(Arc::new(f));
        }
        device.sync_dir("").await.unwrap();
        // A file has one user, so that its content is known; the files share the descriptors.
        let tasks: Vec<_> = (0..FILES)
            .map(|i| {
                let (f, script) = (all[i].clone(), scripts[i % scripts.len()].clone());
                rt.spawn("user", async move {
                    let mut k = Known::default();
                    for op in script {
                        match op {
                            Op::Write(v) => {
                                f.write(0, block(v)).await.1.unwrap();
                                k.written = v;
                            }
                            Op::Sync => {
                                f.sync().await.unwrap();
                                k.synced = k.written;
                            }
                            Op::Read if !k.retired => assert_eq!(value(&f).await, k.written),
                            Op::Retire(n) if n == i => {
                                f.retire().await;
                                k.retired = true;
                            }
                            _ => {}
                        }
                    }
                    k
                })
            })
            .collect();
        let mut known = Vec::new();
        for t in tasks {
            known.push(t.await);
        }
        // All were in use at once, perhaps; what is clean does not stay open beyond the limit.
        for f in &all {
            f.sync().await.unwrap();
        }
        known.iter_mut().for_each(|k: &mut Known| k.synced = k.written);
        assert!(files.open_now() <= limit, "{} open", files.open_now());
        assert_eq!(open.load(Ordering::SeqCst), files.open_now(), "a descriptor leaked");
        for f in &all {
            f.retire().await;
        }
        assert_eq!(open.load(Ordering::SeqCst), 0, "a retired file has a descriptor");
        known
    });
    let known = known.map_err(|_| "stuck").unwrap();
    let sim = SimRt::new(seed + 1);
    let after = disk.crash(sim.rt(), seed);
    for (i, k) in known.iter().enumerate().filter(|(_, k)| !k.retired) {
        let now = after.content(&path(i)).unwrap()[0];
        assert_eq!(now, k.synced, "file {i}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 300 }))]
    #[test]
    fn files_share_few_descriptors(
        seed in 0u64..1000,
        limit in 1usize..6,
        scripts in prop::collection::vec(prop::collection::vec(op(), 1..20), 1..FILES),
    ) {
        // Every user may be in an operation at once: beyond the limit only those are open.
        play(seed, limit, FILES, scripts);
    }
}

/// A simulated device whose next sync fails once.
#[test]
fn a_sync_that_failed_at_closing_is_told_to_whoever_syncs_next() {
    let sim = SimRt::new(1);
    let rt = sim.rt();
    let done = sim.run(async move {
        let disk = SimDisk::new(rt, 1);
        let files = Files::new(Arc::new(disk.clone()), Mode::Buffered);
        files.set_limit(1);
        let a = files.create("a").await.unwrap();
        a.write(0, block(1)).await.1.unwrap();
        disk.set_fault(Some(Box::new(|op| {
            (op.kind == "sync").then_some(weir_disk::sim::Fault::Io)
        })));
        // Opening another one closes the first.
        let b = files.create("b").await.unwrap();
        b.write(0, block(2)).await.1.unwrap();
        disk.set_fault(None);
        assert_eq!(value(&a).await, 1, "it can still be read");
        assert!(a.sync().await.is_err(), "the failure was lost");
        assert!(a.sync().await.is_err(), "and it does not go away");
        b.sync().await.unwrap();
    });
    done.map_err(|_| "stuck").unwrap();
}

#[test]
fn an_operation_keeps_its_file_open() {
    let sim = SimRt::new(1);
    let rt = sim.rt();
    let done = sim.run(async move {
        let disk = SimDisk::new(rt, 1);
        let files = Files::new(Arc::new(disk), Mode::Buffered);
        files.set_limit(1);
        let a = files.create("a").await.unwrap();
        let held = a.0.enter(a.0.reopen()).await.unwrap().unwrap();
        let b = files.create("b").await.unwrap();
        assert_eq!(
            files.open_now(),
            2,
            "more than the limit, for both are in use or were just opened"
        );
        let c = files.create("c").await.unwrap();
        assert!(matches!(a.0.state.lock().phase, Phase::Open(_)), "closed under an operation");
        drop((held, b, c));
    });
    done.map_err(|_| "stuck").unwrap();
}

/// All descriptors are in use for some seconds: what opens a file then waits, as a page cleaner must, whose failure ends the server.
#[test]
fn a_descriptor_is_waited_for() {
    let sim = SimRt::new(1);
    let rt = sim.rt();
    let done = sim.run(async move {
        let disk = SimDisk::new(rt.clone(), 1);
        let files = Files::new(Arc::new(disk.clone()), Mode::Buffered);
        let until = rt.now() + 3_000_000_000;
        let clock = rt.clone();
        disk.set_fault(Some(Box::new(move |op| {
            let opens = matches!(op.kind, "open" | "create") && clock.now() < until;
            opens.then_some(weir_disk::sim::Fault::NoDescriptor)
        })));
        let a = files.create("a").await.unwrap();
        assert!(rt.now() >= until);
        a.write(0, block(1)).await.1.unwrap();
        disk.set_fault(Some(Box::new(|op| {
            (op.kind == "create").then_some(weir_disk::sim::Fault::NoDescriptor)
        })));
        let refused = files.create("b").await.err().expect("none comes");
        assert!(refused.lacks_descriptor());
        assert_eq!(files.open_now(), 0, "the one open file was closed for it");
        assert_eq!(value(&a).await, 1);
    });
    done.map_err(|_| "stuck").unwrap();
}
