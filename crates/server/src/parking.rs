//! Idle connections: without a thread, watched together until their client says something.

use crate::dispatch::Connection;
use rustix::event::{Timespec, epoll};
use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Why a connection is wanted again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Woken {
    /// The login is done.
    LoggedIn,
    /// There is something to read, or the end of the stream.
    Ready,
    /// Its `wait_timeout` is over.
    Expired,
}

struct Parked {
    connection: Box<Connection>,
    until: Instant,
}

pub struct Parking {
    epoll: OwnedFd,
    /// Who is watched is in the map, and the other way round, whenever the lock is free.
    parked: Mutex<HashMap<u64, Parked>>,
}

/// How exactly the timeouts are kept.
const TICK: Duration = Duration::from_millis(500);
const EVENTS: usize = 256;

impl Parking {
    pub fn new() -> std::io::Result<Parking> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        Ok(Parking { epoll, parked: Mutex::default() })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Parked>> {
        self.parked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Watches an idle connection; gives it back when the system cannot.
    pub fn park(&self, connection: Box<Connection>, until: Instant) -> Result<(), Box<Connection>> {
        let (id, stream) = (connection.id(), connection.stream());
        let mut parked = self.lock();
        let interest = epoll::EventFlags::IN | epoll::EventFlags::RDHUP;
        let watched = epoll::add(&self.epoll, &*stream, epoll::EventData::new_u64(id), interest);
        if watched.is_err() {
            return Err(connection);
        }
        parked.insert(id, Parked { connection, until });
        Ok(())
    }

    fn take(&self, parked: &mut HashMap<u64, Parked>, id: u64) -> Option<Box<Connection>> {
        let found = parked.remove(&id)?;
        // It was added when it was parked, and nobody else takes it out.
        let _ = epoll::delete(&self.epoll, &*found.connection.stream());
        Some(found.connection)
    }

    /// What the watching thread does; it ends with an error only. Calls `tick` now and then.
    pub fn watch(
        &self,
        mut wake: impl FnMut(Box<Connection>, Woken),
        mut tick: impl FnMut(),
    ) -> std::io::Result<()> {
        let at_most = Timespec { tv_sec: 0, tv_nsec: TICK.subsec_nanos().into() };
        let mut events = Vec::with_capacity(EVENTS);
        let mut scanned = Instant::now();
        loop {
            let waited = epoll::wait(
                &self.epoll,
                rustix::buffer::spare_capacity(&mut events),
                Some(&at_most),
            );
            match waited {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(e) => return Err(e.into()),
            }
            let mut woken = Vec::new();
            let mut parked = self.lock();
            for event in events.drain(..) {
                let connection = self.take(&mut parked, event.data.u64());
                woken.extend(connection.map(|c| (c, Woken::Ready)));
            }
            let now = Instant::now();
            let ticked = now.duration_since(scanned) >= TICK;
            if ticked {
                scanned = now;
                let over: Vec<u64> =
                    parked.iter().filter(|(_, p)| p.until <= now).map(|(id, _)| *id).collect();
                for id in over {
                    let connection = self.take(&mut parked, id);
                    woken.extend(connection.map(|c| (c, Woken::Expired)));
                }
            }
            drop(parked);
            woken.into_iter().for_each(|(c, why)| wake(c, why));
            if ticked {
                tick();
            }
        }
    }
}
