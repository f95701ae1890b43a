//! Idle connections: without a thread, watched together until their client says something.
//!
//! A server watches sockets, by epoll and a thread; a simulated one the ends of its network, by a task.
//!
//! Invariant: a connection is watched only while its transport has nothing buffered. What a transport has read ahead makes no socket
//! readable, and its connection would sleep over a command. Nobody reads from a parked connection, so it stays true.

use crate::planted::{self, Bug};
use crate::transport::{Transport, Watched};
use rustix::event::{EventfdFlags, Timespec, epoll, eventfd};
use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};
use weir_rt::Rt;

/// Why a connection is wanted again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Woken {
    /// The login is done.
    LoggedIn,
    /// There is something to read, or the end of the stream.
    Ready,
    /// Its `wait_timeout` is over.
    Expired,
    /// Its transaction has kept a snapshot for too long. The connection goes on being idle, with this end of its `wait_timeout`.
    TooOld(Instant),
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

struct Lot<C> {
    /// A connection is in the map and watched, or neither, whenever the lock is free.
    map: HashMap<u64, Parked<C>>,
    /// No timeout of those in the map is over before this; `None`: there is no timeout.
    next: Option<Instant>,
}

/// How connections are watched.
enum Watch {
    Sockets {
        epoll: OwnedFd,
        /// Wakes the watching thread, whose next timeout has become an earlier one.
        earlier: OwnedFd,
    },
    /// What wakes the watching task.
    Simulated(Mutex<Waker>),
}

pub struct Parking<C> {
    watch: Watch,
    parked: Mutex<Lot<C>>,
    ended: AtomicBool,
}

/// How exactly the timeouts are kept.
const TICK: Duration = Duration::from_millis(500);
const EVENTS: usize = 256;

/// The number of `earlier` among those of connections, which begin with 1.
const EARLIER: u64 = 0;

impl<C: Idle> Parking<C> {
    pub fn new() -> std::io::Result<Parking<C>> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let earlier = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        // Told once for each write, so that nobody has to read it.
        let interest = epoll::EventFlags::IN | epoll::EventFlags::ET;
        epoll::add(&epoll, &earlier, epoll::EventData::new_u64(EARLIER), interest)?;
        Ok(Parking::by(Watch::Sockets { epoll, earlier }))
    }

    /// Of a simulated server: [`Parking::watch_simulated`] watches.
    pub fn simulated() -> Parking<C> {
        Parking::by(Watch::Simulated(Mutex::new(Waker::noop().clone())))
    }

    fn by(watch: Watch) -> Parking<C> {
        let parked = Mutex::new(Lot { map: HashMap::new(), next: None });
        Parking { watch, parked, ended: AtomicBool::new(false) }
    }

    fn lock(&self) -> MutexGuard<'_, Lot<C>> {
        self.parked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Watches an idle connection; gives it back when it is not idle after all, or the system cannot.
    pub fn park(&self, connection: Box<C>, until: Instant) -> Park<C> {
        let (id, transport) = (connection.id(), connection.transport());
        if transport.has_buffered() {
            return Park::Ready(connection);
        }
        let mut parked = self.lock();
        match (&self.watch, transport.watched()) {
            (Watch::Sockets { epoll, .. }, Watched::Socket(socket)) => {
                let interest = epoll::EventFlags::IN | epoll::EventFlags::RDHUP;
                let data = epoll::EventData::new_u64(id);
                if epoll::add(epoll, socket, data, interest).is_err() {
                    return Park::Refused(connection);
                }
            }
            (Watch::Simulated(_), Watched::Simulated(_)) => {}
            _ => return Park::Refused(connection),
        }
        parked.map.insert(id, Parked { connection, until });
        let earlier = parked.next.is_none_or(|next| until < next);
        if earlier {
            parked.next = Some(until);
        }
        drop(parked);
        // A task has to look at each connection that is new to it, a thread has epoll for that.
        if earlier || matches!(self.watch, Watch::Simulated(_)) {
            self.ring();
        }
        Park::Watched
    }

    /// Wakes the thread or the task that watches.
    fn ring(&self) {
        match &self.watch {
            // It cannot fail: the counter holds more writes than there are connections.
            Watch::Sockets { earlier, .. } => {
                let _ = rustix::io::write(earlier, &1u64.to_ne_bytes());
            }
            Watch::Simulated(_) if planted::is(Bug::ParkedUnseen) => {}
            Watch::Simulated(waker) => {
                waker.lock().unwrap_or_else(PoisonError::into_inner).wake_by_ref();
            }
        }
    }

    fn take(&self, parked: &mut Lot<C>, id: u64) -> Option<Box<C>> {
        let found = parked.map.remove(&id)?;
        if let (Watch::Sockets { epoll, .. }, Watched::Socket(socket)) =
            (&self.watch, found.connection.transport().watched())
        {
            // It was added when it was parked, and nobody else takes it out.
            let _ = epoll::delete(epoll, socket);
        }
        Some(found.connection)
    }

    /// A connection that is parked, and when its timeout is over.
    pub fn unpark(&self, id: u64) -> Option<(Box<C>, Instant)> {
        let mut parked = self.lock();
        let until = parked.map.get(&id)?.until;
        self.take(&mut parked, id).map(|c| (c, until))
    }

    /// The connections whose timeouts are over, and when the next one is.
    fn expired(&self, parked: &mut Lot<C>, now: Instant) -> Vec<Box<C>> {
        let over = |p: &Parked<C>| p.until <= now;
        let mut ids: Vec<u64> =
            parked.map.iter().filter(|(_, p)| over(p)).map(|(id, _)| *id).collect();
        ids.sort_unstable();
        let gone = ids.into_iter().filter_map(|id| self.take(parked, id)).collect();
        parked.next = parked.map.values().map(|p| p.until).min();
        gone
    }

    /// Ends the watch. Connections that are parked then stay so until they are dropped with the rest.
    pub fn end(&self) {
        self.ended.store(true, Ordering::Release);
        self.ring();
    }

    /// What the watching thread does until [`Parking::end`], or an error. It sleeps until a socket or a timeout wakes it.
    pub fn watch(&self, mut wake: impl FnMut(Box<C>, Woken)) -> std::io::Result<()> {
        let Watch::Sockets { epoll, .. } = &self.watch else { return Ok(()) };
        let mut events = Vec::with_capacity(EVENTS);
        let mut scanned = Instant::now();
        loop {
            let next = self.lock().next.map(|next| next.max(scanned + TICK));
            let left = next.map(|at| at.saturating_duration_since(Instant::now()));
            let limit = left
                .map(|l| Timespec { tv_sec: l.as_secs() as i64, tv_nsec: l.subsec_nanos().into() });
            let room = rustix::buffer::spare_capacity(&mut events);
            match epoll::wait(epoll, room, limit.as_ref()) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(e) => return Err(e.into()),
            }
            if self.ended.load(Ordering::Acquire) {
                return Ok(());
            }
            let mut woken = Vec::new();
            let mut parked = self.lock();
            for event in events.drain(..) {
                let connection = self.take(&mut parked, event.data.u64());
                woken.extend(connection.map(|c| (c, Woken::Ready)));
            }
            let now = Instant::now();
            if next.is_some_and(|at| at <= now) {
                scanned = now;
                let over = self.expired(&mut parked, now).into_iter();
                woken.extend(over.map(|c| (c, Woken::Expired)));
            }
            drop(parked);
            woken.into_iter().for_each(|(c, why)| wake(c, why));
        }
    }

    /// The same for a simulated server.
    pub async fn watch_simulated(&self, rt: &Rt, mut wake: impl FnMut(Box<C>, Woken)) {
        while !self.ended.load(Ordering::Acquire) {
            let next = self.lock().next;
            let left = next.map_or(Duration::MAX, |at| at.saturating_duration_since(rt.instant()));
            let look = std::future::poll_fn(|cx| self.poll_woken(cx, next));
            let woken = rt.timeout(left, look).await;
            for (connection, why) in woken.unwrap_or_default() {
                wake(connection, why);
            }
            let over = self.expired(&mut self.lock(), rt.instant());
            over.into_iter().for_each(|c| wake(c, Woken::Expired));
        }
    }

    /// The connections that have something to read, in the order of their numbers. Ready also when the next timeout is another one than
    /// `next`, and at the end.
    fn poll_woken(
        &self,
        cx: &mut Context<'_>,
        next: Option<Instant>,
    ) -> Poll<Vec<(Box<C>, Woken)>> {
        let Watch::Simulated(waker) = &self.watch else { return Poll::Ready(Vec::new()) };
        *waker.lock().unwrap_or_else(PoisonError::into_inner) = cx.waker().clone();
        let mut parked = self.lock();
        let mut ids: Vec<u64> = parked.map.keys().copied().collect();
        ids.sort_unstable();
        ids.retain(|id| {
            let transport = parked.map[id].connection.transport();
            matches!(transport.watched(), Watched::Simulated(end) if end.poll_readable(cx).is_ready())
        });
        if ids.is_empty() && parked.next == next && !self.ended.load(Ordering::Acquire) {
            return Poll::Pending;
        }
        let taken = ids.into_iter().filter_map(|id| self.take(&mut parked, id));
        Poll::Ready(taken.map(|c| (c, Woken::Ready)).collect())
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
