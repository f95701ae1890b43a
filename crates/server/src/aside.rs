//! Answers that are sent aside: by whoever writes the log, several at a time, while the connection's own thread reads on.
//!
//! Invariants
//! - While an answer is here the connection's thread sends nothing: it waits in [`Aside::wait`] before it writes to its socket. So answers
//!   stay in order.
//! - While an answer waits for the log, the thread does nothing about what it has read either ([`Aside::wait_for_end`]): a client that
//!   sends several commands at once has them run one by one. When the answer is being sent it may go on, for a client that has its
//!   answer asks again before the call that has sent it to several is over.
//! - Whoever gives answers never waits for a client. What a socket does not take at once goes to a thread of its own.

use crate::transport::{TOGETHER, Together, Transport};
use crate::workers::Workers;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use weir_engine::Answer;

/// A longer answer is not worth its copy.
const LONGEST: usize = 4096;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Nothing is here.
    Free,
    /// An answer waits for its end.
    Left,
    /// It has its end, and is on its way.
    Sent,
}

struct State {
    phase: Phase,
    /// The connection's thread waits for the next phase.
    awaited: bool,
    bytes: Vec<u8>,
}

/// The place for one connection's answer.
pub struct Aside {
    transport: Arc<dyn Transport>,
    workers: Arc<Workers>,
    outbox: Arc<Outbox>,
    state: Mutex<State>,
    given: Condvar,
}

/// Answers that have their end, of all connections, until a round of the log has given all of its own.
pub struct Outbox {
    ready: Mutex<Vec<Arc<Aside>>>,
    together: Together,
}

impl Outbox {
    pub fn start() -> Arc<Outbox> {
        Arc::new(Outbox { ready: Mutex::default(), together: Together::start() })
    }

    /// Sends them.
    pub fn send(&self) {
        let ready = std::mem::take(&mut *lock(&self.ready));
        for some in ready.chunks(TOGETHER) {
            let bytes: Vec<Vec<u8>> = some.iter().map(|aside| aside.begin()).collect();
            let all: Vec<(&dyn Transport, &[u8])> =
                some.iter().zip(&bytes).map(|(a, b)| (&*a.transport, &b[..])).collect();
            let sent = self.together.send(&all);
            for ((aside, bytes), sent) in some.iter().zip(bytes).zip(sent) {
                aside.sent(bytes, sent);
            }
        }
    }
}

fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Aside {
    /// `None`: bytes of this transport must be sent by whoever reads from it.
    pub fn of(
        transport: &Arc<dyn Transport>,
        workers: &Arc<Workers>,
        outbox: &Arc<Outbox>,
    ) -> Option<Arc<Aside>> {
        transport.sends_aside().then(|| {
            let state = State { phase: Phase::Free, awaited: false, bytes: Vec::new() };
            Arc::new(Aside {
                transport: transport.clone(),
                workers: workers.clone(),
                outbox: outbox.clone(),
                state: Mutex::new(state),
                given: Condvar::new(),
            })
        })
    }

    /// Prepares an answer to be left. False: it is too long.
    pub fn put(&self, answer: &[u8]) -> bool {
        if answer.len() > LONGEST {
            return false;
        }
        let mut state = self.until(|phase| phase == Phase::Free);
        state.bytes.clear();
        state.bytes.extend_from_slice(answer);
        state.phase = Phase::Left;
        true
    }

    /// The answer was not taken: its own thread sends it.
    pub fn take_back(&self) {
        lock(&self.state).phase = Phase::Free;
    }

    /// Waits until what was left has been sent.
    pub fn wait(&self) {
        drop(self.until(|phase| phase == Phase::Free));
    }

    /// Waits until what was left has its end.
    pub fn wait_for_end(&self) {
        drop(self.until(|phase| phase != Phase::Left));
    }

    fn until(&self, reached: impl Fn(Phase) -> bool) -> MutexGuard<'_, State> {
        let mut state = lock(&self.state);
        while !reached(state.phase) {
            state.awaited = true;
            state = self.given.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state
    }

    fn enter(&self, phase: Phase, bytes: Option<Vec<u8>>) -> Vec<u8> {
        let mut state = lock(&self.state);
        state.phase = phase;
        let before = std::mem::replace(&mut state.bytes, bytes.unwrap_or_default());
        let awaited = std::mem::take(&mut state.awaited);
        drop(state);
        if awaited {
            self.given.notify_all();
        }
        before
    }

    fn begin(&self) -> Vec<u8> {
        self.enter(Phase::Sent, None)
    }

    fn end(&self, bytes: Vec<u8>) {
        self.enter(Phase::Free, Some(bytes));
    }

    /// So much of it was taken.
    fn sent(self: &Arc<Self>, bytes: Vec<u8>, taken: std::io::Result<usize>) {
        let taken = match taken {
            Ok(n) if n < bytes.len() => n,
            // An error is met by its own thread when it reads.
            _ => return self.end(bytes),
        };
        let me = self.clone();
        let rest = move || {
            if me.transport.write_all(&bytes[taken..]).is_err() {
                // Half an answer is out: nothing that follows would be understood.
                me.transport.shutdown();
            }
            me.end(bytes);
        };
        if self.workers.submit(Box::new(rest)).is_err() {
            self.transport.shutdown();
            self.end(Vec::new());
        }
    }
}

impl Answer for Aside {
    fn give(self: Arc<Self>, end: weir_engine::Result<()>) {
        if end.is_err() {
            // Whether the commit is durable is not known, and a connection that ends says just that. The server ends as well.
            self.transport.shutdown();
            return self.end(Vec::new());
        }
        lock(&self.outbox.ready).push(self.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::Socket;
    use std::io::Read;
    use std::os::unix::net::UnixStream;
    use std::time::Duration;
    use weir_sql::status::Status;

    /// Gives the answer, as a round that has this one alone.
    fn give(a: &Arc<Aside>) {
        a.clone().give(Ok(()));
        a.outbox.send();
    }

    fn aside() -> (Arc<Aside>, Arc<dyn Transport>, UnixStream) {
        let (ours, client) = UnixStream::pair().unwrap();
        let transport: Arc<dyn Transport> = Arc::new(Socket::unix(ours));
        let workers = Workers::new(1 << 18, Arc::new(Status::default()));
        (Aside::of(&transport, &workers, &Outbox::start()).unwrap(), transport, client)
    }

    #[test]
    fn an_answer_is_sent_by_another_thread_and_awaited() {
        let (a, _, mut client) = aside();
        a.wait();
        assert!(!a.put(&[0; LONGEST + 1]));
        for round in 0..100u8 {
            assert!(a.put(&[round; 7]));
            let giver = std::thread::spawn({
                let a = a.clone();
                move || give(&a)
            });
            a.wait();
            let mut got = [0; 7];
            client.read_exact(&mut got).unwrap();
            assert_eq!(got, [round; 7]);
            giver.join().unwrap();
        }
    }

    #[test]
    fn an_answer_that_was_not_taken_is_free_again() {
        let (a, _, _client) = aside();
        assert!(a.put(b"mine"));
        a.take_back();
        a.wait();
    }

    #[test]
    fn a_client_that_takes_nothing_holds_up_nobody_who_gives() {
        let (a, transport, mut client) = aside();
        let mut filled = 0;
        loop {
            match transport.write_now(&[1; 1000]).unwrap() {
                0 => break,
                n => filled += n,
            }
        }
        assert!(a.put(&[2; LONGEST]));
        // On this thread: it would hang if it waited for the client.
        give(&a);
        let mut got = vec![0; filled + LONGEST];
        client.read_exact(&mut got).unwrap();
        assert!(got[..filled].iter().all(|b| *b == 1) && got[filled..].iter().all(|b| *b == 2));
        a.wait();
    }

    #[test]
    fn without_durability_there_is_no_answer() {
        let (a, transport, mut client) = aside();
        client.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        assert!(a.put(b"not true"));
        a.clone().give(Err(weir_engine::Error::ShuttingDown));
        a.wait();
        let mut got = Vec::new();
        client.read_to_end(&mut got).unwrap();
        assert!(got.is_empty() && transport.read(&mut [0]).unwrap() == 0);
    }
}
