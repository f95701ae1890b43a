//! Real files under a data directory.
//!
//! Sessions and background tasks each have a thread, so a single operation is one system call on the caller's thread;
//! batches go to io_uring, or to a small thread pool where io_uring is not allowed (containers, old kernels). On somebody
//! else's executor, where blocking would hurt others, single operations go to the pool too.

mod again;
mod batch;
mod holder;
mod pool;
mod uring;

use crate::{Disk, DiskError, File, IoBuf, Mode, OpFuture, OpenOptions, Result};
use batch::{Dir, Run};
use pool::Pool;
use rustix::fs::{FallocateFlags, FlockOperation, OFlags};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Name of the file whose lock says that a process uses the directory.
const LOCK_FILE: &str = "weir.lock";

/// How batches are submitted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Backend {
    /// io_uring, else threads with a logged line.
    Auto,
    /// io_uring, else an error.
    Uring,
    Threads,
}

struct Shared {
    root: PathBuf,
    pool: Pool,
    uring: Option<uring::Uring>,
    direct_refused: AtomicBool,
    read_only: bool,
    reserve: again::Reserve,
    log: Box<dyn Fn(&str) + Send + Sync>,
}

/// A data directory on a file system, locked against other processes while this exists.
pub struct RealDisk {
    shared: Arc<Shared>,
    /// None: the directory is only read, and has no lock file.
    _lock: Option<OwnedFd>,
}

fn os(e: rustix::io::Errno) -> io::Error {
    io::Error::from_raw_os_error(e.raw_os_error())
}

/// Makes a directory with those above it. The names of those that were missing are durable afterwards: what is synced in a directory is
/// lost with it.
fn make_durably(dir: &Path) -> io::Result<()> {
    if dir.is_dir() {
        return Ok(());
    }
    let mut missing: Vec<&Path> = dir.ancestors().take_while(|d| !d.is_dir()).collect();
    // The last ancestor of a relative path is the working directory, without a name.
    missing.retain(|d| !d.as_os_str().is_empty());
    std::fs::DirBuilder::new().recursive(true).mode(0o750).create(dir)?;
    for parent in missing.iter().filter_map(|d| d.parent()) {
        let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
        match std::fs::File::open(parent) {
            // Somebody else's, where entering is allowed and reading is not.
            Err(e) if e.kind() == io::ErrorKind::PermissionDenied => {}
            opened => opened?.sync_all()?,
        }
    }
    Ok(())
}

impl RealDisk {
    /// Makes the directory when it is missing and takes its lock.
    pub fn open(
        root: &Path,
        backend: Backend,
        log: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<RealDisk> {
        let name = root.display().to_string();
        // A new one is the server's and its group's, as MySQL's is.
        make_durably(root).map_err(|e| DiskError::new("create data directory", &name, &e))?;
        let lock = Self::lock(root, OFlags::RDWR | OFlags::CREATE)?;
        Self::with(root, backend, Some(lock), false, Box::new(log))
    }

    /// A directory that nothing is written to, and nothing made in: every operation that would is refused, whatever the rights of the
    /// process. Takes the lock as `open` does, if there is a lock file; one that is missing was never used by a server.
    pub fn open_read_only(
        root: &Path,
        log: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<RealDisk> {
        let lock = match Self::lock(root, OFlags::RDONLY) {
            Err(e) if e.is_missing() && root.is_dir() => None,
            lock => Some(lock?),
        };
        Self::with(root, Backend::Threads, lock, true, Box::new(log))
    }

    /// The lock of a directory, which lasts as long as the descriptor.
    fn lock(root: &Path, how: OFlags) -> Result<OwnedFd> {
        let name = root.display().to_string();
        let lock = rustix::fs::open(root.join(LOCK_FILE), how | OFlags::CLOEXEC, 0o640.into())
            .map_err(|e| DiskError::new("open lock file of data directory", &name, &os(e)))?;
        rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive).map_err(|e| {
            let mut e = DiskError::new("lock data directory", &name, &os(e));
            if e.kind == io::ErrorKind::WouldBlock {
                e.message = format!("data directory '{name}' is in use by {}", holder::told(root));
            }
            e
        })?;
        if how.contains(OFlags::RDWR) {
            holder::note(&lock);
        }
        Ok(lock)
    }

    fn with(
        root: &Path,
        backend: Backend,
        lock: Option<OwnedFd>,
        read_only: bool,
        log: Box<dyn Fn(&str) + Send + Sync>,
    ) -> Result<RealDisk> {
        let uring = match backend {
            Backend::Threads => None,
            Backend::Auto | Backend::Uring => match uring::Uring::start() {
                Ok(u) => Some(u),
                Err(e) if backend == Backend::Uring => {
                    return Err(DiskError::new(
                        "set up io_uring for",
                        &root.display().to_string(),
                        &e,
                    ));
                }
                Err(e) => {
                    log(&format!(
                        "io_uring is not available here ({e}): batches of reads and writes go through a thread pool"
                    ));
                    None
                }
            },
        };
        let shared = Shared {
            root: root.to_path_buf(),
            pool: Pool::new(),
            uring,
            direct_refused: AtomicBool::new(false),
            read_only,
            reserve: again::Reserve::new(),
            log,
        };
        Ok(RealDisk { shared: Arc::new(shared), _lock: lock })
    }

    /// Runs file system calls where they harm nobody.
    fn run<'a, T: Send + 'static>(
        &'a self,
        f: impl FnOnce(&Shared) -> T + Send + 'static,
    ) -> OpFuture<'a, T> {
        let shared = self.shared.clone();
        Box::pin(async move {
            if weir_rt::on_dedicated_thread() {
                return f(&shared);
            }
            let s = shared.clone();
            shared.pool.call(move || f(&s)).await
        })
    }
}

impl Shared {
    /// Refuses what would change a directory that is only read.
    fn may_change(&self, op: &'static str, path: &str) -> Result<()> {
        match self.read_only {
            true => Err(DiskError::new(op, path, &os(rustix::io::Errno::ROFS))),
            false => Ok(()),
        }
    }

    fn open(self: &Arc<Self>, path: &str, o: OpenOptions) -> Result<Arc<dyn File>> {
        let mut flags = OFlags::CLOEXEC;
        flags |= if self.read_only { OFlags::RDONLY } else { OFlags::RDWR };
        if o.create || o.create_new {
            self.may_change("create", path)?;
            flags |= OFlags::CREATE;
        }
        if o.create_new {
            flags |= OFlags::EXCL;
        }
        if o.mode.is_dsync() {
            flags |= OFlags::DSYNC;
        }
        let full = self.root.join(path);
        let open = |flags| rustix::fs::open(&full, flags, 0o640.into());
        let fd = if o.mode.is_direct() {
            match open(flags | OFlags::DIRECT) {
                Err(rustix::io::Errno::INVAL) => {
                    if !self.direct_refused.swap(true, Ordering::Relaxed) {
                        (self.log)(
                            "this file system has no O_DIRECT: files are written through the page cache and synced",
                        );
                    }
                    // The refused call may have made the file already.
                    open(flags - OFlags::EXCL)
                }
                other => other,
            }
        } else {
            open(flags)
        };
        let fd = fd.map_err(|e| DiskError::new("open", path, &os(e)))?;
        Ok(Arc::new(RealFile(Arc::new(Opened {
            fd,
            path: path.to_string(),
            mode: o.mode,
            disk: self.clone(),
        }))))
    }

    fn list(&self, dir: &str) -> Result<Vec<String>> {
        let fail = |e: io::Error| DiskError::new("list", dir, &e);
        let read = || std::fs::read_dir(self.root.join(dir)).map_err(fail);
        let entries = match self.reserve.lend(read) {
            Err(e) if e.is_missing() => return Ok(Vec::new()),
            other => other?,
        };
        let mut names = Vec::new();
        for e in entries {
            let e = e.map_err(fail)?;
            if e.file_type().map_err(fail)?.is_file() {
                names.push(e.file_name().to_string_lossy().into_owned());
            }
        }
        names.sort();
        Ok(names)
    }
}

impl Disk for RealDisk {
    fn open<'a>(&'a self, path: &'a str, o: OpenOptions) -> OpFuture<'a, Result<Arc<dyn File>>> {
        let (path, shared) = (path.to_string(), self.shared.clone());
        self.run(move |_| shared.open(&path, o))
    }

    fn open_needed<'a>(
        &'a self,
        path: &'a str,
        o: OpenOptions,
    ) -> OpFuture<'a, Result<Arc<dyn File>>> {
        let (path, shared) = (path.to_string(), self.shared.clone());
        self.run(move |_| shared.reserve.lend(|| shared.open(&path, o)))
    }

    fn list<'a>(&'a self, dir: &'a str) -> OpFuture<'a, Result<Vec<String>>> {
        let dir = dir.to_string();
        self.run(move |s| s.list(&dir))
    }

    fn rename<'a>(&'a self, from: &'a str, to: &'a str) -> OpFuture<'a, Result<()>> {
        let (from, to) = (from.to_string(), to.to_string());
        self.run(move |s| {
            s.may_change("rename", &from)?;
            std::fs::rename(s.root.join(&from), s.root.join(&to))
                .map_err(|e| DiskError::new("rename", &from, &e))
        })
    }

    fn remove<'a>(&'a self, path: &'a str) -> OpFuture<'a, Result<()>> {
        let path = path.to_string();
        self.run(move |s| {
            s.may_change("remove", &path)?;
            std::fs::remove_file(s.root.join(&path))
                .map_err(|e| DiskError::new("remove", &path, &e))
        })
    }

    fn create_dir<'a>(&'a self, path: &'a str) -> OpFuture<'a, Result<()>> {
        let path = path.to_string();
        self.run(move |s| {
            s.may_change("create folder", &path)?;
            std::fs::create_dir_all(s.root.join(&path))
                .map_err(|e| DiskError::new("create folder", &path, &e))
        })
    }

    fn sync_dir<'a>(&'a self, path: &'a str) -> OpFuture<'a, Result<()>> {
        let path = path.to_string();
        self.run(move |s| {
            let sync = || std::fs::File::open(s.root.join(&path)).and_then(|d| d.sync_all());
            s.reserve.lend(|| sync().map_err(|e| DiskError::new("sync folder", &path, &e)))
        })
    }

    fn exists<'a>(&'a self, path: &'a str) -> OpFuture<'a, Result<bool>> {
        let path = path.to_string();
        self.run(move |s| {
            s.root.join(&path).try_exists().map_err(|e| DiskError::new("look for", &path, &e))
        })
    }

    fn describe(&self) -> String {
        let how = if self.shared.uring.is_some() { "io_uring" } else { "threads" };
        format!("data directory '{}', batches by {how}", self.shared.root.display())
    }
}

/// Zeros for files that grow, aligned for direct writes.
#[repr(align(4096))]
struct Zeros([u8; 64 << 10]);

static ZEROS: Zeros = Zeros([0; 64 << 10]);
/// Bytes of one call that writes zeros.
const ZEROS_AT_ONCE: u64 = 1 << 20;

/// An open file; shared with operations in flight, so that the descriptor outlives them.
struct Opened {
    fd: OwnedFd,
    path: String,
    mode: Mode,
    disk: Arc<Shared>,
}

struct RealFile(Arc<Opened>);

impl Opened {
    fn fail(&self, op: &'static str, e: io::Error) -> DiskError {
        DiskError::new(op, &self.path, &e)
    }

    fn sync(&self) -> Result<()> {
        rustix::fs::fdatasync(&self.fd).map_err(|e| self.fail("sync", os(e)))
    }

    fn len(&self) -> Result<u64> {
        rustix::fs::fstat(&self.fd).map(|s| s.st_size as u64).map_err(|e| self.fail("stat", os(e)))
    }

    fn truncate(&self, len: u64) -> Result<()> {
        rustix::fs::ftruncate(&self.fd, len).map_err(|e| self.fail("truncate", os(e)))
    }

    fn allocate(&self, len: u64, zero: bool) -> Result<()> {
        let from = self.len()?;
        if len <= from {
            return Ok(());
        }
        let fail = |e| self.fail("extend", os(e)).at(from, (len - from) as usize);
        match rustix::fs::fallocate(&self.fd, FallocateFlags::empty(), from, len - from) {
            Ok(()) if !zero => return Ok(()),
            Ok(()) => {}
            Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => {}
            Err(e) => {
                // Half-made room is given back: a full disk must not become fuller by trying.
                let _ = rustix::fs::ftruncate(&self.fd, from);
                return Err(fail(e));
            }
        }
        self.write_zeros(from, len)
    }

    /// Direct files take whole blocks only; lengths here are multiples of a page or of 4096. Every part of a write is the same block of
    /// zeros, so that a file of any length needs no memory of its own for them.
    fn write_zeros(&self, from: u64, to: u64) -> Result<()> {
        let mut at = from;
        while at < to {
            let n = (to - at).min(ZEROS_AT_ONCE) as usize;
            let mut run = Run::zeros(at, n, &ZEROS.0);
            if let Err(e) = run.write(self.fd.as_fd()) {
                let _ = rustix::fs::ftruncate(&self.fd, from);
                return Err(self.fail("extend", e).at(from, (to - from) as usize));
            }
            at += n as u64;
        }
        Ok(())
    }
}

impl RealFile {
    fn run<T: Send + 'static>(
        &self,
        f: impl FnOnce(&Opened) -> T + Send + 'static,
    ) -> OpFuture<'_, T> {
        let file = self.0.clone();
        Box::pin(async move {
            if weir_rt::on_dedicated_thread() {
                return f(&file);
            }
            let disk = file.disk.clone();
            disk.pool.call(move || f(&file)).await
        })
    }
}

impl File for RealFile {
    fn read(&self, off: u64, mut buf: IoBuf) -> OpFuture<'_, (IoBuf, Result<()>)> {
        self.run(move |f| {
            let done = batch::read_exact(f.fd.as_fd(), off, &mut buf);
            let n = buf.len();
            (buf, done.map_err(|e| f.fail("read", e).at(off, n)))
        })
    }

    fn write(&self, off: u64, buf: IoBuf) -> OpFuture<'_, (IoBuf, Result<()>)> {
        self.run(move |f| {
            let done = Run::one(off, &buf).write(f.fd.as_fd());
            let n = buf.len();
            (buf, done.map_err(|e| f.fail("write", e).at(off, n)))
        })
    }

    fn read_all(&self, batch: Vec<(u64, IoBuf)>) -> OpFuture<'_, (Vec<IoBuf>, Result<()>)> {
        Box::pin(batch::run(self.0.clone(), batch, Dir::Read))
    }

    fn write_all(&self, batch: Vec<(u64, IoBuf)>) -> OpFuture<'_, (Vec<IoBuf>, Result<()>)> {
        Box::pin(batch::run(self.0.clone(), batch, Dir::Write))
    }

    fn sync(&self) -> OpFuture<'_, Result<()>> {
        // A write with O_DSYNC is durable at its end; a new length is not needed to read it back.
        if self.0.mode.is_dsync() {
            return Box::pin(std::future::ready(Ok(())));
        }
        self.run(Opened::sync)
    }

    fn allocate(&self, len: u64, zero: bool) -> OpFuture<'_, Result<()>> {
        self.run(move |f| {
            f.allocate(len, zero).and_then(|()| if f.mode.is_dsync() { f.sync() } else { Ok(()) })
        })
    }

    fn truncate(&self, len: u64) -> OpFuture<'_, Result<()>> {
        self.run(move |f| f.truncate(len))
    }

    fn len(&self) -> OpFuture<'_, Result<u64>> {
        self.run(Opened::len)
    }
}

#[cfg(test)]
mod tests;
