//! Durations of statements as a histogram of Prometheus: what took at most so long, for bounds that double.

use weir_sql::digests::Durations;

/// Bounds are powers of two nanoseconds, 16 microseconds to 34 seconds: at these the classes of durations have their edges, so the counts are exact.
const BOUNDS: std::ops::RangeInclusive<u32> = 14..=35;

/// Upper bounds in seconds, with how many took less.
pub fn buckets(durations: &Durations) -> Vec<(f64, u64)> {
    BOUNDS.map(|bits| ((1u64 << bits) as f64 / 1e9, durations.below(bits))).collect()
}
