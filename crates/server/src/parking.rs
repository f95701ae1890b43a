//! Idle connections: without a thread, watched together until their client says something.
//!
//! Invariant: a socket is watched only while its transport has nothing buffered. What a transport has read ahead makes no socket
//! readable, and its connection would sleep over a command. Nobody reads from a parked connection, so it stays true.

use crate::transport::Transport;
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

/// What can be parked.
pub trait Idle {
    fn id(&self) -> u64;
    fn transport(&self) -> &dyn Transport;
}

/// What became of a connection that was to be parked.
pub enum Park<C> {
    Watched,
    /// Its transport has something to read.
    Ready(Box<C>),
    /// The system cannot watch it.
    Refused(Box<C>),
}

struct Parked<C> {
    connection: Box<C>,
    until: Instant,
}

pub struct Parking<C> {
    epoll: OwnedFd,
    /// Who is watched is in the map, and the other way round, whenever the lock is free.
    parked: Mutex<HashMap<u64, Parked<C>>>,
}

/// How exactly the timeouts are kept.
const TICK: Duration = Duration::from_millis(500);
const EVENTS: usize = 256;

impl<C: Idle> Parking<C> {
    pub fn new() -> std::io::Result<Parking<C>> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        Ok(Parking { epoll, parked: Mutex::default() })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Parked<C>>> {
        self.parked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Watches an idle connection; gives it back when it is not idle after all, or the system cannot.
    pub fn park(&self, connection: Box<C>, until: Instant) -> Park<C> {
        let (id, transport) = (connection.id(), connection.transport());
        if transport.has_buffered() {
            return Park::Ready(connection);
        }
        let mut parked = self.lock();
        let interest = epoll::EventFlags::IN | epoll::EventFlags::RDHUP;
        let data = epoll::EventData::new_u64(id);
        if epoll::add(&self.epoll, transport.socket(), data, interest).is_err() {
            return Park::Refused(connection);
        }
        parked.insert(id, Parked { connection, until });
        Park::Watched
    }

    fn take(&self, parked: &mut HashMap<u64, Parked<C>>, id: u64) -> Option<Box<C>> {
        let found = parked.remove(&id)?;
        // It was added when it was parked, and nobody else takes it out.
        let _ = epoll::delete(&self.epoll, found.connection.transport().socket());
        Some(found.connection)
    }

    /// What the watching thread does; it ends with an error only.
    pub fn watch(&self, mut wake: impl FnMut(Box<C>, Woken)) -> std::io::Result<()> {
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
            if now.duration_since(scanned) >= TICK {
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
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conn::Conn;
    use crate::transport::testing::ReadsAhead;
    use std::io::Write;
    use std::os::unix::net::UnixStream;
    use std::sync::{Arc, mpsc};

    const SOON: Duration = Duration::from_millis(20);
    const LONG: Duration = Duration::from_secs(60);

    struct Client(u64, Conn);

    impl Idle for Client {
        fn id(&self) -> u64 {
            self.0
        }

        fn transport(&self) -> &dyn Transport {
            &*self.1.transport
        }
    }

    fn client(id: u64) -> (Box<Client>, UnixStream) {
        // A byte at a time: when the first packet is whole, the second is in the transport and nowhere else.
        let (transport, other) = ReadsAhead::new(1);
        (Box::new(Client(id, Conn::new(Arc::new(transport), Arc::default(), 1 << 20))), other)
    }

    const TWO: &[u8] = b"\x01\0\0\0a\x01\0\0\0b";

    #[test]
    fn a_command_behind_another_is_not_slept_over() {
        let parking = Parking::new().unwrap();
        let (mut c, mut other) = client(7);
        other.write_all(TWO).unwrap();
        assert!(c.1.wait_command(LONG, LONG).unwrap());
        assert_eq!(c.1.framer.packet(), b"a");
        assert!(!c.1.framer.has_buffered() && c.transport().has_buffered());
        let Park::Ready(mut c) = parking.park(c, Instant::now() + LONG) else {
            panic!("parked with a command in its transport");
        };
        assert!(c.1.wait_command(SOON, LONG).unwrap());
        assert_eq!(c.1.framer.packet(), b"b");
        assert!(matches!(parking.park(c, Instant::now() + LONG), Park::Watched));
    }

    /// One says something, one hangs up, one is silent for too long.
    #[test]
    fn a_parked_connection_is_woken_by_its_socket_or_its_time() {
        let parking = Arc::new(Parking::new().unwrap());
        let mut others = Vec::new();
        for (id, patience) in [(1, LONG), (2, LONG), (3, SOON)] {
            let (c, other) = client(id);
            assert!(matches!(parking.park(c, Instant::now() + patience), Park::Watched));
            others.push(other);
        }
        let (woken, told) = mpsc::channel();
        // It watches until the program ends.
        std::thread::spawn(move || {
            let wake = |c: Box<Client>, why| woken.send((c, why)).unwrap();
            parking.watch(wake)
        });
        others[0].write_all(TWO).unwrap();
        drop(others.remove(1));
        let mut seen = Vec::new();
        for _ in 0..3 {
            let (mut c, why) = told.recv().unwrap();
            let came = c.1.wait_command(SOON, LONG).ok();
            seen.push((c.0, why, came));
        }
        seen.sort_by_key(|(id, ..)| *id);
        let expected = [
            (1, Woken::Ready, Some(true)),
            (2, Woken::Ready, None),
            (3, Woken::Expired, Some(false)),
        ];
        assert_eq!(seen, expected);
    }
}
