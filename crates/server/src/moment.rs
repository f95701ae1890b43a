//! Points in time of the monotonic clock, as one number: what a statement took is a subtraction, where two `Instant`s cost some fifty
//! instructions. A statement looks at this clock when it begins and when its end is known.

use std::time::Duration;

/// Nanoseconds of the monotonic clock, which begins at no point in particular.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Moment(u64);

impl Moment {
    #[inline]
    pub fn now() -> Moment {
        Moment(weir_rt::moment())
    }

    pub fn from_nanos(nanos: u64) -> Moment {
        Moment(nanos)
    }

    pub fn nanos(self) -> u64 {
        self.0
    }

    /// Nanoseconds from an earlier moment to this one; 0 if that one is later.
    #[inline]
    pub fn since(self, earlier: Moment) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    pub fn elapsed(self) -> Duration {
        Duration::from_nanos(Moment::now().since(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_goes_on_as_the_clock_does() {
        let (at, instant) = (Moment::now(), std::time::Instant::now());
        std::thread::sleep(Duration::from_millis(20));
        // The longer of the two encloses the other one.
        let by_instant = instant.elapsed();
        let took = at.elapsed();
        assert!(took >= by_instant && by_instant >= Duration::from_millis(20));
        assert!(took < by_instant + Duration::from_secs(10));
        assert_eq!(at.since(Moment::now()), 0, "the clock does not go back");
    }
}
