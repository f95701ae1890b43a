//! The flight recorder: the history in a file of a fixed size, which a crash leaves readable.
//!
//! Two rings of 512-byte records, 3,600 of a second and 8,640 of ten seconds. A record has a number that grows by one, also
//! across runs; its place is the number modulo the ring's size. It carries its own checksum and fits a sector, so a write
//! that was torn costs that record and no other. Nothing is read but at the start; the file is synced once in ten seconds by
//! the task that writes it, which nobody waits for.
//!
//! Each record also tells how far the log was durable when it was made, and of which directory: a start whose log ends earlier has an
//! older log, or an older control file (`durable_end`).
//!
//! Invariant: what is shown after a restart was written as it is: a record with a wrong checksum, a wrong place or another
//! format is no record. Records of the format before waits were kept (`WFR1`) are read as rows in which nobody waited.

use super::seconds::Waited;
use super::seconds::{SECONDS, Second, TEN, TENS};
use crate::error::Result;
use crate::flush::pressure::Pressure;
use crate::ids::Lsn;
use crate::policy;
use crate::waits::CAUSES;
use crate::waits::Scarcity;
use std::sync::Arc;
use weir_disk::{Disk, File, IoBuf, Mode, OpenOptions};

/// In the data directory.
pub const FILE: &str = "flight-recorder.weir";
const RECORD: usize = 512;
const MAGIC: &[u8; 4] = b"WFR2";
/// The same without waits: zeros stand in their place.
const WITHOUT_WAITS: &[u8; 4] = b"WFR1";
/// Where the numbers of a row begin; how many there are. Another number of them is another format.
const NUMBERS_AT: usize = 32;
const NUMBERS: usize = 26;
const NAME_AT: usize = NUMBERS_AT + 8 * NUMBERS;
const NAME_MAX: usize = 32;
/// Behind the name: the durable end of the log (0: not told), and the id of the directory.
const DURABLE_AT: usize = NAME_AT + 1 + NAME_MAX;
const DIRECTORY_AT: usize = DURABLE_AT + 8;
const _: () = assert!(DIRECTORY_AT + 16 <= WAITED_AT);
/// Microseconds of each cause, then waits.
const WAITED_AT: usize = NAME_AT + 65;
const WAITS_AT: usize = WAITED_AT + 8 * CAUSES;
const _: () = assert!(WAITS_AT + 4 * CAUSES <= RECORD);
/// Bytes of one read at the start.
const CHUNK: usize = 64 * RECORD;
const SIZE: u64 = ((SECONDS + TENS) * RECORD) as u64;

/// A ring: its first slot, how many it has, the length of its rows.
#[derive(Clone, Copy)]
struct Ring {
    first: usize,
    slots: usize,
    seconds: u32,
}

const OF_SECONDS: Ring = Ring { first: 0, slots: SECONDS, seconds: 1 };
const OF_TENS: Ring = Ring { first: SECONDS, slots: TENS, seconds: TEN };

/// The open file.
pub struct Flight {
    file: Arc<dyn File>,
    directory: [u8; 16],
    /// Numbers of the next records of both rings.
    next: [u64; 2],
}

/// What earlier runs have left, oldest first.
#[derive(Debug, Default)]
pub struct Earlier {
    pub seconds: Vec<Second>,
    pub tens: Vec<Second>,
    /// The number of the last of them; 0: there was none.
    pub run: u32,
}

impl Flight {
    pub async fn open(disk: &dyn Disk, directory: [u8; 16]) -> Result<(Flight, Earlier)> {
        let new = !disk.exists(FILE).await?;
        let o = OpenOptions { create: true, create_new: false, mode: Mode::Buffered };
        let file = disk.open_needed(FILE, o).await?;
        if new || file.len().await? < SIZE {
            file.allocate(SIZE, false).await?;
            file.sync().await?;
            disk.sync_dir("").await?;
        }
        let mut found = [Vec::new(), Vec::new()];
        for (found, ring) in found.iter_mut().zip([OF_SECONDS, OF_TENS]) {
            each(file.as_ref(), ring, SIZE, |slot, record| {
                found.extend(decode(record, ring, slot))
            })
            .await?;
        }
        let mut next = [1, 1];
        for (list, next) in found.iter_mut().zip(&mut next) {
            list.sort_by_key(|(number, _)| *number);
            *next = list.last().map_or(1, |(number, _)| number + 1);
        }
        let [seconds, tens] = found.map(|l| l.into_iter().map(|(_, s)| s).collect::<Vec<_>>());
        let run = seconds.iter().chain(&tens).map(|s| s.run).max().unwrap_or(0);
        Ok((Flight { file, directory, next }, Earlier { seconds, tens, run }))
    }

    /// Writes a second, and the ten that ended with it; with a ten everything so far is made durable.
    pub async fn write(&mut self, second: &Second, ten: Option<&Second>) -> Result<()> {
        self.put(0, OF_SECONDS, second).await?;
        if let Some(ten) = ten {
            self.put(1, OF_TENS, ten).await?;
            self.sync().await?;
        }
        Ok(())
    }

    pub async fn sync(&self) -> Result<()> {
        Ok(self.file.sync().await?)
    }

    async fn put(&mut self, n: usize, ring: Ring, s: &Second) -> Result<()> {
        let number = self.next[n];
        let mut buf = IoBuf::new(RECORD);
        encode(&mut buf, number, self.directory, s);
        let slot = ring.first + (number % ring.slots as u64) as usize;
        self.file.write((slot * RECORD) as u64, buf).await.1?;
        self.next[n] = number + 1;
        Ok(())
    }
}

/// How far the log of a directory is known to have been durable, and when (microseconds since 1970). The newest second tells it.
pub async fn durable_end(disk: &dyn Disk, directory: [u8; 16]) -> Result<Option<(Lsn, u64)>> {
    if !disk.exists(FILE).await? {
        return Ok(None);
    }
    let o = OpenOptions { create: false, create_new: false, mode: Mode::Buffered };
    let file = disk.open_needed(FILE, o).await?;
    let mut newest = None;
    each(file.as_ref(), OF_SECONDS, file.len().await?, |slot, b| {
        if b[DIRECTORY_AT..DIRECTORY_AT + 16] == directory {
            let second = decode(b, OF_SECONDS, slot);
            newest = newest.max(second.map(|(_, s)| (s.durable, s.at_micros)));
        }
    })
    .await?;
    Ok(newest)
}

/// Shows the records of a ring as far as it was written. Records are written in the order of their places and synced every ten seconds,
/// so that zeros of a whole portion end a ring that has not come round yet.
async fn each(
    file: &dyn File,
    ring: Ring,
    len: u64,
    mut f: impl FnMut(usize, &[u8]),
) -> Result<()> {
    let end = (ring.first + ring.slots).min(len as usize / RECORD);
    let mut slot = ring.first;
    let mut bytes = IoBuf::new(CHUNK);
    while slot < end {
        let records = (CHUNK / RECORD).min(end - slot);
        if records * RECORD < bytes.len() {
            bytes = IoBuf::new(records * RECORD);
        }
        let (back, done) = file.read((slot * RECORD) as u64, bytes).await;
        done?;
        bytes = back;
        if bytes.iter().all(|b| *b == 0) {
            break;
        }
        bytes.chunks_exact(RECORD).enumerate().for_each(|(i, record)| f(slot + i, record));
        slot += records;
    }
    Ok(())
}

/// In the order of the file.
fn numbers(s: &Second) -> [u64; NUMBERS] {
    [
        s.at_micros,
        s.dirty_pages,
        s.pool_pages,
        s.free_pages,
        s.modified_age,
        s.checkpoint_age,
        s.log_capacity,
        s.log_bytes,
        s.changes,
        s.commits,
        s.pages_dirtied,
        s.pages_read,
        s.pages_written,
        s.written_dirty,
        s.written_age,
        s.written_extra,
        s.written_free,
        s.written_users,
        s.written_rescue,
        s.pages_rewritten,
        s.checkpoints,
        s.user_waits,
        s.user_wait_micros,
        s.paced_micros,
        s.admitted_per_second,
        s.read_micros_avg,
    ]
}

fn encode(out: &mut [u8], number: u64, directory: [u8; 16], s: &Second) {
    out.fill(0);
    out[..4].copy_from_slice(MAGIC);
    out[8..16].copy_from_slice(&number.to_le_bytes());
    out[16..20].copy_from_slice(&s.run.to_le_bytes());
    out[20..24].copy_from_slice(&s.seconds.to_le_bytes());
    out[24..26].copy_from_slice(&s.pressure.value.to_le_bytes());
    out[26] = s.pressure.cause as u8;
    for (to, n) in out[NUMBERS_AT..].chunks_exact_mut(8).zip(numbers(s)) {
        to.copy_from_slice(&n.to_le_bytes());
    }
    let name = &s.policy.as_bytes()[..s.policy.len().min(NAME_MAX)];
    out[NAME_AT] = name.len() as u8;
    out[NAME_AT + 1..NAME_AT + 1 + name.len()].copy_from_slice(name);
    out[DURABLE_AT..DURABLE_AT + 8].copy_from_slice(&s.durable.to_le_bytes());
    out[DIRECTORY_AT..DIRECTORY_AT + 16].copy_from_slice(&directory);
    for (to, n) in out[WAITED_AT..].chunks_exact_mut(8).zip(s.waited.micros) {
        to.copy_from_slice(&n.to_le_bytes());
    }
    for (to, n) in out[WAITS_AT..].chunks_exact_mut(4).zip(s.waited.waits) {
        to.copy_from_slice(&n.to_le_bytes());
    }
    let crc = crc32c::crc32c(&out[8..]);
    out[4..8].copy_from_slice(&crc.to_le_bytes());
}

fn decode(b: &[u8], ring: Ring, slot: usize) -> Option<(u64, Second)> {
    let u32_at = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| b[at + i]));
    let u64_at = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| b[at + i]));
    let known = [MAGIC, WITHOUT_WAITS].contains(&&[b[0], b[1], b[2], b[3]]);
    if !known || u32_at(4) != crc32c::crc32c(&b[8..]) {
        return None;
    }
    let (number, seconds) = (u64_at(8), u32_at(20));
    let place = ring.first + (number % ring.slots as u64) as usize;
    if place != slot || seconds != ring.seconds {
        return None;
    }
    let n: [u64; NUMBERS] = std::array::from_fn(|i| u64_at(NUMBERS_AT + 8 * i));
    let name = &b[NAME_AT + 1..][..usize::from(b[NAME_AT]).min(NAME_MAX)];
    // A policy of a later version has no name here.
    let policy = policy::NAMES.iter().find(|p| p.as_bytes() == name).copied().unwrap_or("unknown");
    let pressure =
        Pressure { value: u16::from_le_bytes([b[24], b[25]]), cause: Scarcity::from_number(b[26]) };
    let second = Second {
        at_micros: n[0],
        policy,
        run: u32_at(16),
        seconds,
        dirty_pages: n[1],
        pool_pages: n[2],
        free_pages: n[3],
        modified_age: n[4],
        checkpoint_age: n[5],
        log_capacity: n[6],
        log_bytes: n[7],
        changes: n[8],
        commits: n[9],
        pages_dirtied: n[10],
        pages_read: n[11],
        pages_written: n[12],
        written_dirty: n[13],
        written_age: n[14],
        written_extra: n[15],
        written_free: n[16],
        written_users: n[17],
        written_rescue: n[18],
        pages_rewritten: n[19],
        checkpoints: n[20],
        user_waits: n[21],
        user_wait_micros: n[22],
        paced_micros: n[23],
        admitted_per_second: n[24],
        read_micros_avg: n[25],
        durable: u64_at(DURABLE_AT),
        pressure,
        waited: Waited {
            waits: std::array::from_fn(|i| u32_at(WAITS_AT + 4 * i)),
            micros: std::array::from_fn(|i| u64_at(WAITED_AT + 8 * i)),
        },
    };
    Some((number, second))
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_disk::sim::SimDisk;
    use weir_rt::sim::SimRt;

    fn second(at: u64, run: u32, seconds: u32) -> Second {
        let mut s = Second { at_micros: at, policy: "weir", run, seconds, ..Second::default() };
        (s.commits, s.read_micros_avg, s.durable) = (at * 7, at + 1, at * 1000);
        s.pressure = Pressure { value: 612, cause: Scarcity::DirtyLimit };
        s
    }

    #[test]
    fn a_record_is_read_as_it_was_written_or_not_at_all() {
        let mut s = second(0, 3, 10);
        // Every number is another one: none may stand in another's place.
        let mut b = vec![0; RECORD];
        encode(&mut b, 5, [7; 16], &s);
        for i in 0..NUMBERS {
            b[NUMBERS_AT + 8 * i] = i as u8 + 100;
        }
        for i in 0..CAUSES {
            b[WAITED_AT + 8 * i] = i as u8 + 1;
            b[WAITS_AT + 4 * i] = i as u8 + 50;
        }
        let crc = crc32c::crc32c(&b[8..]);
        b[4..8].copy_from_slice(&crc.to_le_bytes());
        let slot = SECONDS + 5;
        (_, s) = decode(&b, OF_TENS, slot).unwrap();
        assert_eq!(numbers(&s), std::array::from_fn(|i| i as u64 + 100));
        assert_eq!(s.waited.micros, std::array::from_fn(|i| i as u64 + 1));
        assert_eq!(s.waited.waits, std::array::from_fn(|i| i as u32 + 50));
        let mut again = vec![0; RECORD];
        encode(&mut again, 5, [7; 16], &s);
        assert_eq!(again, b);
        assert!(decode(&b, OF_TENS, slot + 1).is_none() && decode(&b, OF_SECONDS, 5).is_none());
        for byte in 0..RECORD {
            let mut bad = b.clone();
            bad[byte] ^= 0x10;
            assert!(decode(&bad, OF_TENS, slot).is_none(), "byte {byte}");
        }
        assert!(decode(&[0; RECORD], OF_SECONDS, 0).is_none());
    }

    #[test]
    fn a_record_of_the_format_before_has_no_waits() {
        let s = second(33, 3, 1);
        let mut b = vec![0; RECORD];
        encode(&mut b, 5, [7; 16], &s);
        b[..4].copy_from_slice(WITHOUT_WAITS);
        assert_eq!(decode(&b, OF_SECONDS, 5), Some((5, s)));
        b[..4].copy_from_slice(b"WFR3");
        assert!(decode(&b, OF_SECONDS, 5).is_none());
    }

    #[test]
    fn the_durable_end_is_that_of_the_newest_second_of_the_same_directory() {
        let sim = SimRt::new(1);
        let disk = SimDisk::new(sim.rt(), 1);
        sim.run(async {
            assert_eq!(durable_end(&disk, [7; 16]).await.unwrap(), None);
            let (mut f, _) = Flight::open(&disk, [7; 16]).await.unwrap();
            assert_eq!(durable_end(&disk, [7; 16]).await.unwrap(), None);
            for at in 1..=3 {
                f.write(&second(at, 1, 1), None).await.unwrap();
            }
            assert_eq!(durable_end(&disk, [7; 16]).await.unwrap(), Some((3000, 3)));
            assert_eq!(durable_end(&disk, [8; 16]).await.unwrap(), None);
        })
        .unwrap();
    }

    /// Writes seconds of a run, one by one, and crashes.
    fn run_and_crash(disk: &SimDisk, seed: u64, run: u32, count: u64) -> (SimDisk, Earlier) {
        let sim = SimRt::new(seed);
        let disk = disk.reopen(sim.rt(), seed);
        let earlier = sim
            .run(async {
                let (mut f, earlier) = Flight::open(&disk, [7; 16]).await.unwrap();
                for at in 1..=count {
                    let ten = (at % 10 == 0).then(|| second(at, run, 10));
                    f.write(&second(at, run, 1), ten.as_ref()).await.unwrap();
                }
                earlier
            })
            .unwrap();
        (disk.crash(sim.rt(), seed), earlier)
    }

    #[test]
    fn a_crash_leaves_all_but_the_last_moments() {
        let mut lost = 0;
        for seed in 0..20 {
            let sim = SimRt::new(seed);
            let empty = SimDisk::new(sim.rt(), seed);
            let (disk, first) = run_and_crash(&empty, seed, 1, 28);
            assert_eq!((first.run, first.seconds.len(), first.tens.len()), (0, 0, 0));
            let (disk, then) = run_and_crash(&disk, seed, 2, SECONDS as u64 - 8);
            assert_eq!((then.run, then.tens.len()), (1, 2));
            // What was synced is there; of the rest each record is there as it was, or is not.
            assert!((20..=28).contains(&then.seconds.len()), "{}", then.seconds.len());
            lost += 28 - then.seconds.len();
            assert!(then.seconds.iter().all(|s| *s == second(s.at_micros, 1, 1)));
            // A torn sector of another kind: the head of one record, the rest of another.
            let mut bytes = disk.content(FILE).unwrap();
            let at = 300 * RECORD;
            bytes.copy_within(at + RECORD..at + RECORD + 100, at);
            disk.set_content(FILE, bytes);
            let (_, last) = run_and_crash(&disk, seed, 3, 1);
            // The ring has gone round: what is left of the first run is what the second has not written over.
            let of = |run| last.seconds.iter().filter(|s| s.run == run).count();
            assert!(
                of(2) >= SECONDS - 20 && of(2) < SECONDS - 8 && of(1) <= 20,
                "{} {}",
                of(1),
                of(2)
            );
            let order: Vec<_> = last.seconds.iter().map(|s| (s.run, s.at_micros)).collect();
            assert!(order.is_sorted());
        }
        assert!(lost > 0, "the simulated device forgets now and then");
    }
}
