//! Deferred acknowledgements of a connection: the thread that writes the log sends the answer, while the connection's own thread reads on.
//!
//! Invariants
//! - While an answer is left here, the connection's thread sends nothing: it waits in [`DeferredAck::wait`] before it does anything about
//!   what it has read. So answers stay in order, and a client that sends several commands at once gets them one by one.
//! - Anyone who gives answers never waits for a client. What a socket does not take at once goes to a thread of its own.

use crate::transport::Transport;
use crate::workers::Workers;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use weir_engine::Answer;

/// A longer answer is not worth its copy.
const LONGEST: usize = 4096;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Nothing is left here.
    Free,
    /// An answer is on its way.
    Left,
    /// The same, and the connection's thread waits.
    Awaited,
}

struct State {
    phase: Phase,
    bytes: Vec<u8>,
    /// Wakes the fiber that waits, in a simulation.
    waiter: Option<Waker>,
}

/// The place for one connection's answer.
pub struct DeferredAck {
    transport: Arc<dyn Transport>,
    workers: Arc<Workers>,
    state: Mutex<State>,
    given: Condvar,
}

impl DeferredAck {
    /// `None`: bytes of this transport must be sent by anyone who reads from it.
    pub fn of(transport: &Arc<dyn Transport>, workers: &Arc<Workers>) -> Option<Arc<DeferredAck>> {
        transport.sends_aside().then(|| {
            Arc::new(DeferredAck {
                transport: transport.clone(),
                workers: workers.clone(),
                state: Mutex::new(State { phase: Phase::Free, bytes: Vec::new(), waiter: None }),
                given: Condvar::new(),
            })
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prepares an answer to be left. False: it is too long.
    pub fn put(&self, answer: &[u8]) -> bool {
        let mut state = self.lock();
        debug_assert!(state.phase == Phase::Free);
        if answer.len() > LONGEST {
            return false;
        }
        state.bytes.clear();
        state.bytes.extend_from_slice(answer);
        state.phase = Phase::Left;
        true
    }

    /// The answer was not taken: its own thread sends it.
    pub fn take_back(&self) {
        self.lock().phase = Phase::Free;
    }

    /// Waits until what was left has been sent.
    pub fn wait(&self) {
        if weir_rt::wait_in_fiber(|cx| self.poll_free(cx)).is_some() {
            return;
        }
        let mut state = self.lock();
        while state.phase != Phase::Free {
            state.phase = Phase::Awaited;
            state = self.given.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn poll_free(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.lock();
        if state.phase == Phase::Free {
            return Poll::Ready(());
        }
        state.phase = Phase::Awaited;
        state.waiter = Some(cx.waker().clone());
        Poll::Pending
    }

    fn sent(&self, bytes: Vec<u8>) {
        let mut state = self.lock();
        state.bytes = bytes;
        let before = std::mem::replace(&mut state.phase, Phase::Free);
        let waiter = state.waiter.take();
        drop(state);
        if before == Phase::Awaited {
            self.given.notify_all();
        }
        if let Some(waker) = waiter {
            waker.wake();
        }
    }
}

impl Answer for DeferredAck {
    fn give(self: Arc<Self>, end: weir_engine::Result<()>) {
        let bytes = std::mem::take(&mut self.lock().bytes);
        if end.is_err() {
            // Whether the commit is durable is not known, and a connection that ends says just that. The server ends as well.
            self.transport.shutdown();
            return self.sent(bytes);
        }
        let taken = match self.transport.write_now(&bytes) {
            Ok(n) if n < bytes.len() => n,
            // An error is met by its own thread when it reads.
            _ => return self.sent(bytes),
        };
        let me = self.clone();
        let rest = move || {
            if me.transport.write_all(&bytes[taken..]).is_err() {
                // Half an answer is out: nothing that follows would be understood.
                me.transport.shutdown();
            }
            me.sent(bytes);
        };
        if self.workers.submit(Box::new(rest)).is_err() {
            self.transport.shutdown();
            self.sent(Vec::new());
        }
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

    fn aside() -> (Arc<DeferredAck>, Arc<dyn Transport>, UnixStream) {
        let (ours, client) = UnixStream::pair().unwrap();
        let transport: Arc<dyn Transport> = Arc::new(Socket::unix(ours));
        let workers = Workers::new(1 << 18, Arc::new(Status::default()));
        (DeferredAck::of(&transport, &workers).unwrap(), transport, client)
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
                move || a.give(Ok(()))
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
        a.clone().give(Ok(()));
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
