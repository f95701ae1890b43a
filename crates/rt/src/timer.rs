//! A wait for a point in time.

use crate::{Nanos, Runtime};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// Resolves when its time has come.
pub struct Sleep {
    rt: Arc<dyn Runtime>,
    at: Nanos,
    key: Option<u64>,
}

impl Sleep {
    pub(crate) fn new(rt: Arc<dyn Runtime>, at: Nanos) -> Sleep {
        Sleep { rt, at, key: None }
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if let Some(k) = self.key.take() {
            self.rt.timer_off(k);
        }
        if self.rt.now() >= self.at {
            return Poll::Ready(());
        }
        // A fresh registration per poll: the waker may have changed.
        self.key = Some(self.rt.timer_on(self.at, cx.waker().clone()));
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(k) = self.key {
            self.rt.timer_off(k);
        }
    }
}
