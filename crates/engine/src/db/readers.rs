//! Floor 7: the task that reads ahead as InnoDB's builds did, with as many requests at the device at once as they had threads.

use super::Inner;
use super::writers::{Request, some_end};
use crate::ids::PageId;
use std::collections::VecDeque;
use std::sync::Arc;

pub async fn reader(db: Arc<Inner>) {
    let pool = &db.core.pool;
    let mut waiting: VecDeque<Vec<PageId>> = VecDeque::new();
    let mut busy: Vec<Request<'_>> = Vec::new();
    loop {
        if db.stop_cleaner.is_set() {
            waiting.clear();
            if busy.is_empty() {
                break;
            }
        }
        while waiting.is_empty()
            && let Some(hint) = pool.next_hint()
        {
            waiting.extend(pool.requests_for(hint));
        }
        while busy.len() < pool.read_threads()
            && let Some(pages) = waiting.pop_front()
        {
            let db = &db;
            busy.push(Box::pin(async move {
                db.core.pool.read_request(pages).await;
                if db.core.flush.users_free() {
                    // What came in has taken frames; sessions look after them.
                    db.core.flush.owe_margin();
                }
                Ok(())
            }));
        }
        // Reading ahead fails silently: the session that wants a page reads it and gets the error.
        _ = some_end(&mut busy, pool.hinted()).await;
    }
}
