//! Futures, on an executor of the test's own.

use crate::{filled, memory};
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;
use weir::{Error, params};

struct Unpark(std::thread::Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn block_on<F: Future>(f: F) -> F::Output {
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let (mut f, mut cx) = (pin!(f), Context::from_waker(&waker));
    loop {
        match f.as_mut().poll(&mut cx) {
            Poll::Ready(v) => return v,
            Poll::Pending => std::thread::park(),
        }
    }
}

/// Two futures on one thread, until both are ready.
fn both<A: Future, B: Future>(a: A, b: B) -> (A::Output, B::Output) {
    let (mut a, mut b) = (Box::pin(a), Box::pin(b));
    let (mut of_a, mut of_b) = (None, None);
    block_on(std::future::poll_fn(|cx| {
        if of_a.is_none()
            && let Poll::Ready(v) = a.as_mut().poll(cx)
        {
            of_a = Some(v);
        }
        if of_b.is_none()
            && let Poll::Ready(v) = b.as_mut().poll(cx)
        {
            of_b = Some(v);
        }
        match of_a.is_some() && of_b.is_some() {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    }));
    (of_a.unwrap(), of_b.unwrap())
}

#[test]
fn the_same_calls_as_futures() {
    let (db, mut conn) = memory();
    filled(&mut conn, 5_000);
    block_on(async {
        let mut conn = db.connect_async().unwrap();
        conn.use_database("app").await.unwrap();
        let mut rows = conn.query("SELECT id FROM t WHERE id >= ?", params![1000]).await.unwrap();
        let mut n = 0;
        while let Some(row) = rows.next().await.unwrap() {
            n += i32::from(row.get::<i64>("id").unwrap() >= 1000);
        }
        assert_eq!(n, 4000);
        drop(rows);
        let done = conn.execute("UPDATE t SET n = 1 WHERE id < ?", params![10]).await.unwrap();
        assert_eq!(done.affected_rows(), 10);
        let stmt = conn.prepare("SELECT n FROM t WHERE id = ?").await.unwrap();
        let row = conn.query_row(&stmt, params![3]).await.unwrap();
        assert_eq!(row.get::<i64>(0).unwrap(), 1);
        let all: Vec<(i64,)> = conn.query_as("SELECT id FROM t LIMIT 2", ()).await.unwrap();
        assert_eq!(all, [(0,), (1,)]);
        assert_eq!(conn.query("SELECT * FROM nowhere", ()).await.unwrap_err().number(), 1146);
        let mut tx = conn.transaction().await.unwrap();
        tx.execute("DELETE FROM t", ()).await.unwrap();
        drop(tx);
        let n = conn.query_row("SELECT COUNT(*) FROM t", ()).await.unwrap();
        assert_eq!(n.get::<i64>(0).unwrap(), 5000);
        let mut tx = conn.transaction().await.unwrap();
        tx.execute("DELETE FROM t WHERE id = 1", ()).await.unwrap();
        tx.commit().await.unwrap();
        let mut tx = conn.transaction().await.unwrap();
        tx.execute("CREATE TABLE u (i INT)", ()).await.unwrap();
        assert!(matches!(tx.query("SELECT 1", ()).await, Err(Error::TransactionEnded)));
        tx.rollback().await.unwrap();
        conn.close().await.unwrap();
    });
    let n = conn.query_row("SELECT COUNT(*) FROM t", ()).unwrap();
    assert_eq!(n.get::<i64>(0).unwrap(), 4999);
}

/// One waits for the other's lock, on one thread: nothing blocks it.
#[test]
fn waiting_blocks_no_thread() {
    let (db, mut conn) = memory();
    filled(&mut conn, 1);
    let (mut a, mut b) = (db.connect_async().unwrap(), db.connect_async().unwrap());
    block_on(async {
        a.use_database("app").await.unwrap();
        b.use_database("app").await.unwrap();
    });
    let first = async {
        let mut tx = a.transaction().await.unwrap();
        tx.execute("UPDATE t SET n = n + 1", ()).await.unwrap();
        tx.query_row("SELECT SLEEP(0.2)", ()).await.unwrap();
        tx.commit().await.unwrap();
    };
    let second = async { b.execute("UPDATE t SET n = n + 10", ()).await.unwrap() };
    both(first, second);
    let n = conn.query_row("SELECT n FROM t", ()).unwrap();
    assert_eq!(n.get::<i64>(0).unwrap(), 11);
}

/// A future that is dropped on its way leaves nothing behind that others would wait for.
#[test]
fn dropped_futures_end_their_statements() {
    let (db, mut conn) = memory();
    filled(&mut conn, 500);
    let mut other = db.connect_async().unwrap();
    block_on(other.use_database("app")).unwrap();
    let mut tx = conn.transaction().unwrap();
    tx.execute("UPDATE t SET n = 1 WHERE id = 400", ()).unwrap();
    for _ in 0..3 {
        let mut f = Box::pin(other.execute("UPDATE t SET n = n + 100", ()));
        let mut cx = Context::from_waker(Waker::noop());
        // It waits for the row's lock.
        assert!(f.as_mut().poll(&mut cx).is_pending());
        drop(f);
        let handle = other.interrupt_handle();
        handle.interrupt();
        let row = block_on(other.query_row("SELECT SUM(n) FROM t", ())).unwrap();
        assert_eq!(row.get::<i64>(0).unwrap(), 0);
    }
    // It locks nothing any more.
    assert_eq!(tx.execute("UPDATE t SET n = 1", ()).unwrap().affected_rows(), 499);
    tx.commit().unwrap();
    block_on(async {
        let mut rows = other.query("SELECT a.id FROM t a, t b, t c", ()).await.unwrap();
        rows.next().await.unwrap().unwrap();
        drop(rows);
        let begun = std::time::Instant::now();
        let row = other.query_row("SELECT SUM(n) FROM t", ()).await.unwrap();
        assert_eq!(row.get::<i64>(0).unwrap(), 500);
        assert!(begun.elapsed() < Duration::from_secs(10));
    });
}
