//! A simulated network: links between a client and the server, which deliver bytes in order, late and in pieces, or are cut.
//!
//! Invariants
//! - What is sent over a line arrives in its order, or not at all once the link is cut.
//! - A line has room for so many bytes that nobody has read yet; a sender waits for room, as it would for a full socket.

use std::collections::VecDeque;
use std::future::Future as _;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use weir_rt::{Nanos, Rng, Rt, wait_in_fiber};
use weir_server::simulated::{Origin, Readable, Transport, Watched};

/// How a link behaves.
#[derive(Clone, Copy, Debug)]
pub struct Weather {
    /// A piece is at most so many microseconds on its way; all that is sent at once may be late by a second.
    pub delay: u64,
    /// Bytes of a piece at most.
    pub piece: usize,
    /// Bytes that may be on their way or unread.
    pub room: usize,
    /// The server's end reads ahead, as a layer of encryption does, and gives what it has in pieces of its own.
    pub ahead: bool,
}

/// One direction.
#[derive(Default)]
struct Line {
    /// Pieces on their way, in order. Each has a task that delivers the first of them when its time has come.
    flying: VecDeque<Vec<u8>>,
    arrived: VecDeque<u8>,
    /// When the last piece that was sent arrives.
    last: Nanos,
    /// Nothing more is sent.
    closed: bool,
    reader: Option<Waker>,
    writer: Option<Waker>,
}

impl Line {
    fn unread(&self) -> usize {
        self.arrived.len() + self.flying.iter().map(Vec::len).sum::<usize>()
    }

    fn is_over(&self) -> bool {
        self.closed && self.flying.is_empty()
    }
}

struct State {
    rng: Rng,
    to_server: Line,
    to_client: Line,
    /// Both ends see an error from here on.
    cut: bool,
    /// The server does not read any more: its reads find the end of the stream.
    deaf: bool,
}

struct Link {
    rt: Rt,
    weather: Weather,
    state: Mutex<State>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Server,
    Client,
}

impl State {
    /// What the side reads from.
    fn read_by(&mut self, side: Side) -> &mut Line {
        match side {
            Side::Server => &mut self.to_server,
            Side::Client => &mut self.to_client,
        }
    }

    fn written_by(&mut self, side: Side) -> &mut Line {
        self.read_by(if side == Side::Server { Side::Client } else { Side::Server })
    }

    fn wakers(&mut self) -> Vec<Waker> {
        let lines = [&mut self.to_server, &mut self.to_client];
        lines.into_iter().flat_map(|l| [l.reader.take(), l.writer.take()]).flatten().collect()
    }
}

impl Link {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends as much as there is room for, and gives its length.
    fn send(
        self: &Arc<Link>,
        side: Side,
        bytes: &[u8],
        cx: Option<&mut Context<'_>>,
    ) -> io::Result<usize> {
        let mut state = self.lock();
        let state = &mut *state;
        if state.cut || state.written_by(side).closed {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let room = self.weather.room.saturating_sub(state.written_by(side).unread());
        let taken = room.min(bytes.len());
        let mut rest = &bytes[..taken];
        let late = if state.rng.chance(0.005) { state.rng.below(1_000_000) } else { 0 };
        // What is long does not travel byte by byte: it would be all that a life does.
        let most = self.weather.piece.max(taken / 64);
        while !rest.is_empty() {
            let n = 1 + state.rng.below(most.min(rest.len()) as u64) as usize;
            let delay = late + state.rng.below(self.weather.delay + 1);
            let at = self.rt.now() + delay * 1000;
            let line = state.written_by(side);
            line.last = line.last.max(at);
            line.flying.push_back(rest[..n].to_vec());
            rest = &rest[n..];
            self.deliver(side, Duration::from_nanos(line.last - self.rt.now()));
        }
        if taken < bytes.len()
            && let Some(cx) = cx
        {
            state.written_by(side).writer = Some(cx.waker().clone());
        }
        Ok(taken)
    }

    /// Takes the first piece that is on its way from this side to its end, after some time.
    fn deliver(self: &Arc<Link>, from: Side, after: Duration) {
        let link = self.clone();
        self.rt.spawn("network", async move {
            link.rt.sleep(after).await;
            let reader = {
                let mut state = link.lock();
                let line = state.written_by(from);
                let piece = line.flying.pop_front();
                line.arrived.extend(piece.into_iter().flatten());
                line.reader.take()
            };
            if let Some(waker) = reader {
                waker.wake();
            }
        });
    }

    /// Reads what has arrived; 0: the end of the stream.
    fn poll_read(
        &self,
        side: Side,
        into: &mut [u8],
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        let mut state = self.lock();
        let deaf = state.deaf && side == Side::Server;
        if state.cut {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        let line = state.read_by(side);
        if deaf || line.arrived.is_empty() && line.is_over() {
            return Poll::Ready(Ok(0));
        }
        if line.arrived.is_empty() {
            line.reader = Some(cx.waker().clone());
            return Poll::Pending;
        }
        let n = into.len().min(line.arrived.len());
        into.iter_mut().zip(line.arrived.drain(..n)).for_each(|(to, byte)| *to = byte);
        let writer = line.writer.take();
        drop(state);
        if let Some(waker) = writer {
            waker.wake();
        }
        Poll::Ready(Ok(n))
    }

    /// Ready when a read would not wait.
    fn poll_readable(&self, side: Side, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.lock();
        let over = state.cut || state.deaf && side == Side::Server;
        let line = state.read_by(side);
        if over || !line.arrived.is_empty() || line.is_over() {
            return Poll::Ready(());
        }
        line.reader = Some(cx.waker().clone());
        Poll::Pending
    }

    /// Changes the link and wakes all who wait for it.
    fn change(&self, how: impl FnOnce(&mut State)) {
        let wakers = {
            let mut state = self.lock();
            how(&mut state);
            state.wakers()
        };
        wakers.into_iter().for_each(Waker::wake);
    }

    /// The side sends nothing more.
    fn close(&self, side: Side) {
        self.change(|state| state.written_by(side).closed = true);
    }
}

/// The server's end: a transport that blocks, in a fiber.
pub struct ServerEnd {
    link: Arc<Link>,
    from: Origin,
    timeouts: Mutex<(Duration, Duration)>,
    /// What was read ahead.
    buffered: Mutex<VecDeque<u8>>,
}

/// The client's end.
pub struct ClientEnd {
    link: Arc<Link>,
}

/// A link and its ends.
pub fn link(rt: &Rt, seed: u64, weather: Weather) -> (Arc<ServerEnd>, ClientEnd) {
    let state = State {
        rng: Rng::new(seed),
        to_server: Line::default(),
        to_client: Line::default(),
        cut: false,
        deaf: false,
    };
    let link = Arc::new(Link { rt: rt.clone(), weather, state: Mutex::new(state) });
    let server = ServerEnd {
        link: link.clone(),
        from: Origin::Local,
        timeouts: Mutex::new((Duration::MAX, Duration::MAX)),
        buffered: Mutex::default(),
    };
    (Arc::new(server), ClientEnd { link })
}

impl std::fmt::Debug for ServerEnd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ServerEnd({:?})", self.link.weather)
    }
}

impl Drop for ServerEnd {
    fn drop(&mut self) {
        self.link.change(|state| {
            state.to_client.closed = true;
            state.deaf = true;
        });
    }
}

/// Waits in a fiber, at most for `limit`.
fn within<T>(
    rt: &Rt,
    limit: Duration,
    mut ask: impl FnMut(&mut Context<'_>) -> Poll<io::Result<T>>,
) -> io::Result<T> {
    let mut late = std::pin::pin!(rt.sleep(limit));
    let answer = wait_in_fiber(|cx| {
        if let Poll::Ready(answer) = ask(cx) {
            return Poll::Ready(answer);
        }
        late.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    });
    answer.expect("the server's connections run in fibers")
}

impl ServerEnd {
    fn buffered(&self) -> MutexGuard<'_, VecDeque<u8>> {
        self.buffered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn timeouts(&self) -> MutexGuard<'_, (Duration, Duration)> {
        self.timeouts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read_under(&self, into: &mut [u8]) -> io::Result<usize> {
        let limit = self.timeouts().0;
        within(&self.link.rt, limit, |cx| self.link.poll_read(Side::Server, into, cx))
    }
}

impl Transport for ServerEnd {
    fn read(&self, into: &mut [u8]) -> io::Result<usize> {
        if !self.link.weather.ahead {
            return self.read_under(into);
        }
        if self.buffered().is_empty() {
            let mut record = [0; 4096];
            let n = self.read_under(&mut record)?;
            self.buffered().extend(&record[..n]);
        }
        let mut buffered = self.buffered();
        let n = into.len().min(self.link.weather.piece).min(buffered.len());
        into.iter_mut().zip(buffered.drain(..n)).for_each(|(to, byte)| *to = byte);
        Ok(n)
    }

    fn write_all(&self, bytes: &[u8]) -> io::Result<()> {
        let limit = self.timeouts().1;
        let mut rest = bytes;
        while !rest.is_empty() {
            let n = within(&self.link.rt, limit, |cx| {
                match self.link.send(Side::Server, rest, Some(cx)) {
                    Ok(0) => Poll::Pending,
                    other => Poll::Ready(other),
                }
            })?;
            rest = &rest[n..];
        }
        Ok(())
    }

    fn sends_aside(&self) -> bool {
        !self.link.weather.ahead
    }

    fn write_now(&self, bytes: &[u8]) -> io::Result<usize> {
        self.link.send(Side::Server, bytes, None)
    }

    fn peek(&self, into: &mut [u8]) -> io::Result<usize> {
        let buffered = self.buffered();
        let state = self.link.lock();
        let there = buffered.iter().chain(&state.to_server.arrived);
        let n = into.iter_mut().zip(there).map(|(to, byte)| *to = *byte).count();
        match n {
            0 if !state.to_server.is_over() => Err(io::ErrorKind::WouldBlock.into()),
            n => Ok(n),
        }
    }

    fn has_buffered(&self) -> bool {
        !self.buffered().is_empty()
    }

    fn watched(&self) -> Watched<'_> {
        Watched::Simulated(self)
    }

    fn set_read_timeout(&self, timeout: Duration) -> io::Result<()> {
        self.timeouts().0 = timeout;
        Ok(())
    }

    fn set_write_timeout(&self, timeout: Duration) -> io::Result<()> {
        self.timeouts().1 = timeout;
        Ok(())
    }

    fn shutdown_read(&self) {
        self.link.change(|state| state.deaf = true);
    }

    fn shutdown(&self) {
        self.link.change(|state| {
            state.deaf = true;
            state.to_client.closed = true;
        });
    }

    fn is_hung_up(&self) -> bool {
        let buffered = self.has_buffered();
        let state = self.link.lock();
        state.cut || !buffered && state.to_server.is_over() && state.to_server.arrived.is_empty()
    }

    fn origin(&self) -> Origin {
        self.from
    }

    fn is_secure(&self) -> bool {
        true
    }
}

impl Readable for ServerEnd {
    fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<()> {
        self.link.poll_readable(Side::Server, cx)
    }
}

impl ClientEnd {
    /// Sends all of it.
    pub async fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let n = std::future::poll_fn(|cx| match self.link.send(Side::Client, rest, Some(cx)) {
                Ok(0) => Poll::Pending,
                other => Poll::Ready(other),
            });
            rest = &rest[n.await?..];
        }
        Ok(())
    }

    /// Reads what there is; 0: the end of the stream.
    pub async fn read(&self, into: &mut [u8]) -> io::Result<usize> {
        std::future::poll_fn(|cx| self.link.poll_read(Side::Client, into, cx)).await
    }

    /// Sends nothing more, and still reads.
    pub fn close(&self) {
        self.link.close(Side::Client);
    }

    /// The network loses the link after some time: both ends get an error.
    pub fn cut_after(&self, time: Duration) {
        let link = self.link.clone();
        self.link.rt.spawn("cut", async move {
            link.rt.sleep(time).await;
            link.change(|state| state.cut = true);
        });
    }
}

impl Drop for ClientEnd {
    fn drop(&mut self) {
        // A client whose process ends: what is on its way arrives, what comes back meets nobody.
        self.link.change(|state| {
            state.to_server.closed = true;
            state.to_client.closed = true;
        });
    }
}
