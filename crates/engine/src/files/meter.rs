//! Sums over requests to the device, as users of InnoDB's monitor know them: how many, of how many pages, how long they took.

use crate::sync::atomic::{AtomicU64, Ordering};
use weir_rt::Nanos;

/// What a meter has counted since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    pub requests: u64,
    pub pages: u64,
    pub nanos: u64,
    pub longest: Nanos,
}

impl Sums {
    pub fn add(&mut self, pages: u64, took: Nanos) {
        self.requests += 1;
        self.pages += pages;
        self.nanos += took;
        self.longest = self.longest.max(took);
    }

    pub fn plus(self, other: Sums) -> Sums {
        Sums {
            requests: self.requests + other.requests,
            pages: self.pages + other.pages,
            nanos: self.nanos + other.nanos,
            longest: self.longest.max(other.longest),
        }
    }

    pub fn seconds(&self) -> f64 {
        self.nanos as f64 / 1e9
    }

    /// Milliseconds of a request.
    pub fn mean(&self) -> f64 {
        self.nanos as f64 / 1e6 / self.requests.max(1) as f64
    }
}

/// The same, counted by several at once.
#[derive(Default)]
pub struct Meter {
    requests: AtomicU64,
    pages: AtomicU64,
    nanos: AtomicU64,
    longest: AtomicU64,
}

impl Meter {
    pub fn add(&self, pages: u64, took: Nanos) {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.pages.fetch_add(pages, Ordering::Relaxed);
        self.nanos.fetch_add(took, Ordering::Relaxed);
        self.longest.fetch_max(took, Ordering::Relaxed);
    }

    pub fn sums(&self) -> Sums {
        let n = |a: &AtomicU64| a.load(Ordering::Relaxed);
        Sums {
            requests: n(&self.requests),
            pages: n(&self.pages),
            nanos: n(&self.nanos),
            longest: n(&self.longest),
        }
    }
}

#[cfg(all(test, not(any(shuttle, loom))))]
mod tests {
    use super::*;

    #[test]
    fn requests_add_up() {
        let m = Meter::default();
        assert_eq!(m.sums().mean(), 0.0);
        m.add(64, 3_000_000);
        m.add(1, 5_000_000);
        let s = m.sums();
        assert_eq!((s.requests, s.pages, s.longest), (2, 65, 5_000_000));
        assert_eq!((s.mean(), s.seconds()), (4.0, 0.008));
    }
}
