//! A device without moving parts: so many channels, a time for each request, and bounds on requests and bytes per second.
//!
//! A flash drive's writes end in its memory and cost a channel later only through the bandwidth; what a network volume is sold by, requests and
//! bytes per second, are bounds over all channels.

use super::{Device, Request, Served};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use weir_rt::{Nanos, Rt};

/// A device in numbers. Times in microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solid {
    pub channels: usize,
    pub read: f64,
    pub write: f64,
    pub flush: f64,
    /// Over all channels.
    pub read_bytes_per_second: f64,
    pub write_bytes_per_second: f64,
    /// 0: as many as the channels do.
    pub requests_per_second: f64,
}

struct State {
    free_at: Vec<Nanos>,
    /// Until when the bounds are used up.
    bytes_until: Nanos,
    requests_until: Nanos,
}

pub struct Flash {
    rt: Rt,
    solid: Solid,
    state: Mutex<State>,
}

impl Flash {
    pub fn new(rt: &Rt, solid: Solid) -> Flash {
        let free_at = vec![0; solid.channels.max(1)];
        let state = State { free_at, bytes_until: 0, requests_until: 0 };
        Flash { rt: rt.clone(), solid, state: Mutex::new(state) }
    }

    fn end(&self, r: Request) -> Nanos {
        let (now, d) = (self.rt.now(), &self.solid);
        let mut s = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (each, rate) = match r.write {
            true => (d.write, d.write_bytes_per_second),
            false => (d.read, d.read_bytes_per_second),
        };
        let first = (0..s.free_at.len()).min_by_key(|i| s.free_at[*i]).unwrap_or(0);
        let begun = s.free_at[first].max(now);
        s.bytes_until = s.bytes_until.max(now) + (r.bytes as f64 * 1e9 / rate) as Nanos;
        if d.requests_per_second > 0.0 {
            s.requests_until = s.requests_until.max(now) + (1e9 / d.requests_per_second) as Nanos;
        }
        let end = (begun + (each * 1e3) as Nanos).max(s.bytes_until).max(s.requests_until);
        s.free_at[first] = end;
        end
    }

    async fn until(&self, end: Nanos) {
        self.rt.sleep(Duration::from_nanos(end.saturating_sub(self.rt.now()))).await;
    }
}

impl Device for Flash {
    fn serve(&self, r: Request) -> Served<'_> {
        let end = self.end(r);
        Box::pin(self.until(end))
    }

    fn flush(&self) -> Served<'_> {
        let end = self.rt.now() + (self.solid.flush * 1e3) as Nanos;
        Box::pin(self.until(end))
    }
}
