//! How fast the machine is at the moment: a fixed piece of computing, and small synced writes.
//!
//! Virtual machines change their speed from minute to minute; a comparison has to know.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Instant;

/// Milliseconds for a fixed computation; the best of five, so that another process in between does not count.
pub fn cpu_ms() -> f64 {
    (0..5).map(|_| compute()).fold(f64::INFINITY, f64::min)
}

fn compute() -> f64 {
    let begun = Instant::now();
    let mut table = vec![0u64; 1 << 15];
    let mut x = 0x9E37_79B9_7F4A_7C15u64;
    for i in 0..4_000_000usize {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        let slot = &mut table[(x >> 20) as usize & 0x7FFF];
        *slot = slot.wrapping_add(x ^ i as u64);
    }
    std::hint::black_box(&table);
    begun.elapsed().as_secs_f64() * 1e3
}

/// Median milliseconds of a synced write of 4 KiB in a directory; none where it cannot be written.
pub fn sync_ms(dir: &Path) -> Option<f64> {
    let path = dir.join(format!(".weir-bench-sync-{}", std::process::id()));
    let measured = sync_in(&path);
    let _ = std::fs::remove_file(&path);
    measured.ok()
}

fn sync_in(path: &Path) -> std::io::Result<f64> {
    let mut f = File::create(path)?;
    f.write_all(&[0; 4096])?;
    f.sync_all()?;
    let mut times = Vec::new();
    for n in 0..21u8 {
        let begun = Instant::now();
        f.seek(SeekFrom::Start(0))?;
        f.write_all(&[n; 4096])?;
        f.sync_data()?;
        times.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_measure_something() {
        assert!(cpu_ms() > 0.0);
        assert!(sync_ms(&std::env::temp_dir()).is_some_and(|ms| ms > 0.0));
        assert_eq!(sync_ms(Path::new("/nowhere")), None);
    }
}
