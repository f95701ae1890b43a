//! Batches through io_uring: one system call submits all runs, one thread reaps what is done. An unsafe module.
//!
//! Contract: a flight (the runs' buffers and their iovecs) stays in `flights`, at one place in memory, from its submission
//! until its completion was reaped; the file's descriptor is kept open by the flight's `Arc<Opened>`.

use super::batch::{Dir, Item};
use super::{Opened, batch, os};
use crate::{DiskError, Result};
use io_uring::{IoUring, opcode, types};
use std::future::poll_fn;
use std::io;
use std::os::fd::AsRawFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

/// Operations in flight at once.
const ENTRIES: u32 = 256;
const STOP: u64 = u64::MAX;

fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The kernel's `struct iovec`.
#[repr(C)]
struct Vector {
    at: usize,
    len: usize,
}

struct Flight {
    group: Arc<Group>,
    /// Position in the group.
    slot: usize,
    items: Vec<Item>,
    /// Addresses of the items' buffers, as the kernel reads them.
    vectors: Vec<Vector>,
}

/// Runs of one batch, those that are back and how many are not.
struct Group {
    file: Arc<Opened>,
    dir: Dir,
    state: Mutex<GroupState>,
}

struct GroupState {
    back: Vec<Vec<Item>>,
    left: usize,
    error: Option<DiskError>,
    waker: Option<Waker>,
}

#[derive(Default)]
struct Flights {
    slots: Vec<Option<Box<Flight>>>,
    free: Vec<usize>,
    in_flight: usize,
}

struct Ring {
    ring: IoUring,
    /// Held while the submission queue is touched.
    flights: Mutex<Flights>,
}

pub struct Uring(Arc<Ring>);

impl Uring {
    pub fn start() -> io::Result<Uring> {
        let ring = Arc::new(Ring {
            ring: IoUring::new(ENTRIES)?,
            flights: Mutex::new(Flights::default()),
        });
        // Some sandboxes allow the set-up and refuse its use: try it out.
        ring.push_stop(0)?;
        ring.wait()?;
        // SAFETY: the reaping thread does not run yet, so this is the only user of the completion queue.
        if unsafe { ring.ring.completion_shared() }.next().is_none() {
            return Err(io::Error::other("a submitted operation did not complete"));
        }
        let own = ring.clone();
        std::thread::Builder::new()
            .name("weir-uring".into())
            .stack_size(128 * 1024)
            .spawn(move || reap(&own))?;
        Ok(Uring(ring))
    }

    pub async fn run(
        &self,
        file: Arc<Opened>,
        runs: Vec<Vec<Item>>,
        dir: Dir,
    ) -> (Vec<Vec<Item>>, Result<()>) {
        let n = runs.len();
        let state = GroupState {
            back: (0..n).map(|_| Vec::new()).collect(),
            left: n,
            error: None,
            waker: None,
        };
        let group = Arc::new(Group { file, dir, state: Mutex::new(state) });
        self.0.submit(&group, runs);
        poll_fn(|cx| {
            let mut s = lock(&group.state);
            if s.left == 0 {
                let done = s.error.take().map_or(Ok(()), Err);
                return Poll::Ready((std::mem::take(&mut s.back), done));
            }
            s.waker = Some(cx.waker().clone());
            Poll::Pending
        })
        .await
    }
}

impl Drop for Uring {
    fn drop(&mut self) {
        // No flight is left: each holds a file, and files hold the disk that is being dropped.
        let _ = self.0.push_stop(STOP);
    }
}

impl Group {
    fn land(&self, slot: usize, items: Vec<Item>, done: Result<()>) {
        let waker = {
            let mut s = lock(&self.state);
            s.back[slot] = items;
            s.left -= 1;
            if let Err(e) = done {
                s.error.get_or_insert(e);
            }
            if s.left == 0 { s.waker.take() } else { None }
        };
        if let Some(w) = waker {
            w.wake();
        }
    }

    /// With plain system calls, on this thread.
    fn run_here(&self, slot: usize, mut items: Vec<Item>) {
        let done = batch::execute(&self.file, &mut items, self.dir);
        self.land(slot, items, done);
    }
}

impl Ring {
    fn push_stop(&self, data: u64) -> io::Result<()> {
        let _own = lock(&self.flights);
        let nop = opcode::Nop::new().build().user_data(data);
        // SAFETY: the lock makes this the only user of the submission queue; a Nop touches no memory.
        unsafe { self.ring.submission_shared().push(&nop) }
            .map_err(|_| io::Error::other("the ring is full"))?;
        self.ring.submitter().submit().map(drop)
    }

    /// Waits for a completion.
    fn wait(&self) -> io::Result<()> {
        const GETEVENTS: u32 = 1;
        loop {
            // SAFETY: nothing is submitted and no signal mask is given.
            match unsafe { self.ring.submitter().enter::<()>(0, 1, GETEVENTS, None) } {
                Ok(_) => return Ok(()),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
    }

    fn submit(&self, group: &Arc<Group>, runs: Vec<Vec<Item>>) {
        let mut here = Vec::new();
        {
            let mut flights = lock(&self.flights);
            for (slot, items) in runs.into_iter().enumerate() {
                if flights.in_flight >= ENTRIES as usize {
                    here.push((slot, items));
                } else if let Err(items) = self.launch(&mut flights, group, slot, items) {
                    here.push((slot, items));
                }
            }
            let mut tries = 0;
            // What the kernel did not take now, the next submission or the reaper's turn takes.
            while self.ring.submitter().submit().is_err() && tries < 100 {
                tries += 1;
                std::thread::yield_now();
            }
        }
        for (slot, items) in here {
            group.run_here(slot, items);
        }
    }

    fn launch(
        &self,
        flights: &mut Flights,
        group: &Arc<Group>,
        slot: usize,
        items: Vec<Item>,
    ) -> std::result::Result<(), Vec<Item>> {
        let vectors = items
            .iter()
            .map(|i| Vector { at: i.buf.as_ptr().expose_provenance(), len: i.buf.len() })
            .collect();
        let off = items[0].off;
        let flight = Box::new(Flight { group: group.clone(), slot, items, vectors });
        let fd = types::Fd(group.file.fd.as_raw_fd());
        let n = flight.vectors.len() as u32;
        let at = flight.vectors.as_ptr();
        let entry = match group.dir {
            Dir::Read => opcode::Readv::new(fd, at.cast(), n).offset(off).build(),
            Dir::Write => opcode::Writev::new(fd, at.cast(), n).offset(off).build(),
        };
        let place = flights.free.pop().unwrap_or_else(|| {
            flights.slots.push(None);
            flights.slots.len() - 1
        });
        let entry = entry.user_data(place as u64);
        // SAFETY: `flights` is locked, so this is the only user of the submission queue; the flight is put into its slot
        // below and stays there until it is reaped.
        if unsafe { self.ring.submission_shared().push(&entry) }.is_err() {
            flights.free.push(place);
            return Err(flight.items);
        }
        flights.slots[place] = Some(flight);
        flights.in_flight += 1;
        Ok(())
    }
}

fn reap(ring: &Ring) {
    loop {
        if ring.wait().is_err() {
            // The kernel is out of memory for a moment; completions are not lost.
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        let mut landed = Vec::new();
        let mut stop = false;
        {
            let mut flights = lock(&ring.flights);
            // SAFETY: this thread is the only user of the completion queue.
            for c in unsafe { ring.ring.completion_shared() } {
                if c.user_data() == STOP {
                    stop = true;
                    continue;
                }
                let place = c.user_data() as usize;
                if let Some(f) = flights.slots.get_mut(place).and_then(Option::take) {
                    flights.free.push(place);
                    flights.in_flight -= 1;
                    landed.push((f, c.result()));
                }
            }
        }
        for (f, result) in landed {
            finish(*f, result);
        }
        if stop {
            return;
        }
    }
}

fn finish(f: Flight, result: i32) {
    let want: usize = f.items.iter().map(|i| i.buf.len()).sum();
    if result >= 0 && result as usize == want {
        f.group.land(f.slot, f.items, Ok(()));
        return;
    }
    // A part was done, or the kernel wants another try: plain calls do the whole of it again, which is harmless.
    let again = [rustix::io::Errno::AGAIN, rustix::io::Errno::INTR]
        .iter()
        .any(|e| -e.raw_os_error() == result);
    if result >= 0 || again {
        f.group.run_here(f.slot, f.items);
        return;
    }
    let op = if f.group.dir == Dir::Read { "read" } else { "write" };
    let e = os(rustix::io::Errno::from_raw_os_error(-result));
    let off = f.items.first().map_or(0, |i| i.off);
    let e = f.group.file.fail(op, e).at(off, want);
    f.group.land(f.slot, f.items, Err(e));
}
