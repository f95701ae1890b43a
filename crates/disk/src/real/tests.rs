use super::*;
use weir_rt::Rt;

struct Temp(PathBuf);

impl Temp {
    fn new(name: &str) -> Temp {
        let p = std::env::temp_dir().join(format!("weir-disk-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&p);
        Temp(p)
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn open(t: &Temp, b: Backend) -> RealDisk {
    RealDisk::open(&t.0, b, |_| {}).expect("the directory is ours")
}

const NEW: OpenOptions = OpenOptions { create: true, create_new: false, mode: Mode::Buffered };

fn pages(n: u64, tag: u8) -> Vec<(u64, IoBuf)> {
    (0..n)
        .map(|i| {
            // Every third page apart, so that there are several runs.
            let mut b = IoBuf::new(4096);
            b.fill(tag ^ i as u8);
            ((i + i / 3) * 4096, b)
        })
        .collect()
}

async fn batches(d: &RealDisk, mode: Mode) {
    let f = d.open("f", OpenOptions { mode, ..NEW }).await.unwrap();
    f.allocate(500 * 4096, false).await.unwrap();
    let (back, done) = f.write_all(pages(300, 5)).await;
    done.unwrap();
    assert_eq!((back.len(), back[7][0]), (300, 5 ^ 7));
    f.sync().await.unwrap();
    let asked = pages(300, 0).into_iter().map(|(o, _)| (o, IoBuf::new(4096))).collect();
    let (got, done) = f.read_all(asked).await;
    done.unwrap();
    for (i, b) in got.iter().enumerate() {
        assert!(b.iter().all(|&x| x == 5 ^ i as u8), "page {i}");
    }
    let (_, past) = f.read(499 * 4096, IoBuf::new(8192)).await;
    assert_eq!(past.unwrap_err().op, "read");
}

#[test]
#[cfg_attr(miri, ignore = "system calls that Miri does not know")]
fn batches_by_every_backend_and_mode() {
    for (i, backend) in [Backend::Threads, Backend::Auto].into_iter().enumerate() {
        for mode in [Mode::Buffered, Mode::Direct, Mode::Dsync, Mode::DirectDsync] {
            let t = Temp::new(&format!("batch{i}{mode:?}"));
            let d = open(&t, backend);
            Rt::real().block_on(batches(&d, mode));
        }
    }
}

/// An executor that is not ours: operations go to the pool.
#[test]
#[cfg_attr(miri, ignore = "system calls that Miri does not know")]
fn works_on_a_foreign_executor() {
    use std::task::{Context, Poll, Wake, Waker};
    struct Unpark(std::thread::Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let t = Temp::new("foreign");
    let d = open(&t, Backend::Threads);
    let mut f = std::pin::pin!(batches(&d, Mode::Buffered));
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    while f.as_mut().poll(&mut Context::from_waker(&waker)) == Poll::Pending {
        std::thread::park();
    }
}

use std::future::Future;

#[test]
fn a_directory_has_one_user() {
    let t = Temp::new("lock");
    let d = open(&t, Backend::Threads);
    let e = RealDisk::open(&t.0, Backend::Threads, |_| {}).err().expect("locked");
    assert!(e.to_string().contains("is in use by this process"), "{e}");
    drop(d);
    open(&t, Backend::Threads);
}

#[test]
#[cfg_attr(miri, ignore = "system calls that Miri does not know")]
fn names() {
    let t = Temp::new("names");
    let d = open(&t, Backend::Threads);
    Rt::real().block_on(async {
        d.create_dir("a").await.unwrap();
        d.create_dir("a").await.unwrap();
        d.open("a/x", NEW).await.unwrap();
        let again = d.open("a/x", OpenOptions { create_new: true, ..NEW }).await;
        assert_eq!(again.err().unwrap().kind, io::ErrorKind::AlreadyExists);
        d.rename("a/x", "a/y").await.unwrap();
        d.sync_dir("a").await.unwrap();
        assert_eq!(d.list("a").await.unwrap(), ["y"]);
        assert_eq!(d.list("nowhere").await.unwrap(), Vec::<String>::new());
        d.remove("a/y").await.unwrap();
        assert!(!d.exists("a/y").await.unwrap());
        let missing = d.open("a/y", OpenOptions { create: false, ..NEW }).await;
        assert!(missing.err().unwrap().is_missing());
    });
}

#[test]
#[cfg_attr(miri, ignore = "system calls that Miri does not know")]
fn a_directory_that_is_only_read_is_not_changed_and_takes_the_lock() {
    let t = Temp::new("read-only");
    let first = open(&t, Backend::Threads);
    Rt::real().block_on(async { first.open("f", NEW).await.unwrap().truncate(9).await.unwrap() });
    let second = RealDisk::open_read_only(&t.0, |_| {});
    assert!(second.err().unwrap().message.contains("in use by this process"));
    drop(first);
    let d = RealDisk::open_read_only(&t.0, |_| {}).unwrap();
    Rt::real().block_on(async {
        let f = d.open("f", OpenOptions { create: false, ..NEW }).await.unwrap();
        f.read(0, IoBuf::new(9)).await.1.unwrap();
        assert!(f.write(0, IoBuf::new(9)).await.1.is_err());
        assert!(f.truncate(1).await.is_err());
        assert!(d.open("g", NEW).await.is_err());
        assert!(d.remove("f").await.is_err() && d.rename("f", "g").await.is_err());
    });
    assert!(RealDisk::open(&t.0, Backend::Threads, |_| {}).is_err());
    drop(d);
    std::fs::remove_file(t.0.join(LOCK_FILE)).unwrap();
    RealDisk::open_read_only(&t.0, |_| {}).unwrap();
    assert!(!t.0.join(LOCK_FILE).exists());
}

#[test]
#[cfg_attr(miri, ignore = "system calls that Miri does not know")]
fn a_file_grows_by_zeros_of_any_length_over_what_stood_there() {
    for mode in [Mode::Buffered, Mode::Direct] {
        let t = Temp::new(&format!("zeros{mode:?}"));
        let d = open(&t, Backend::Threads);
        let rt = Rt::real();
        rt.block_on(async {
            let f = d.open("f", OpenOptions { mode, ..NEW }).await.unwrap();
            let mut first = IoBuf::new(4096);
            first.fill(7);
            f.write(0, first).await.1.unwrap();
            // Less than a block of zeros, several of them, and more than one call takes.
            for len in [12_288, 12_288 + (192 << 10), (3 << 20) + 4096] {
                f.allocate(len, true).await.unwrap();
                assert_eq!(f.len().await.unwrap(), len);
                let (all, done) = f.read(0, IoBuf::new(len as usize)).await;
                done.unwrap();
                assert!(all[..4096].iter().all(|b| *b == 7) && all[4096..].iter().all(|b| *b == 0));
            }
        });
    }
}

#[test]
#[cfg_attr(miri, ignore = "system calls that Miri does not know")]
fn a_directory_is_made_with_those_above_it() {
    let t = Temp::new("above");
    let deep = t.0.join("a/b/c");
    make_durably(&deep).unwrap();
    make_durably(&deep).unwrap();
    assert!(deep.is_dir());
    std::fs::write(t.0.join("file"), "x").unwrap();
    assert!(make_durably(&t.0.join("file/d")).is_err());
}
