//! The control file: identity of the data directory and the checkpoint, in two slots written in turn.
//!
//! A slot is 4096 bytes: magic 8 | sequence 8 | directory id 16 | page size 4 | format 4 | checkpoint LSN 8 |
//! segment size 8 | segment count 4 | ended cleanly 1 | epoch count 1 | damaged count 2 | durable LSN 8 |
//! sample length 4 | sample CRC32C 4 | history 8 | zeros; from byte 128: epochs of (start LSN 8, number 4); from byte 2560: ids of
//! damaged spaces (4 each) | zeros | CRC32C in the last four bytes (drawn in `docs/format.md`). The valid slot with the higher sequence counts; a torn write destroys at most the slot that was being written.
//!
//! Invariants
//! - Either slot alone is enough for a start: before log space is reused, and before the first log write of a life, both slots
//!   say what makes it right (`write_both`).
//! - `clean` means that the log ends exactly at the checkpoint, so that nothing behind it has to be looked at. It is withdrawn in
//!   both slots, durably, before the first log write of the next life.
//! - The log had been synced up to `durable`, so a log that ends earlier is not the one that belongs to this file.

use crate::error::{Error, Result};
use crate::ids::{Lsn, SpaceId};
use crate::page::{get_u16, get_u32, get_u64, put_u16, put_u32, put_u64};
use crate::planted::{self, Bug};
use std::sync::Arc;
use weir_disk::{Disk, File, IoBuf, Mode, OpenOptions};

pub const FILE: &str = "weir.ctl";
const MAGIC: u64 = u64::from_le_bytes(*b"WEIRctl1");
const SLOT: usize = 4096;
const EPOCHS: usize = 128;
/// More recoveries than this without a checkpoint in between ask for one before the server opens.
pub const EPOCHS_MAX: usize = 200;
const DAMAGED: usize = 2560;
const _: () = assert!(EPOCHS + 12 * (EPOCHS_MAX + 1) <= DAMAGED);
/// Damaged spaces that the file can name.
pub const DAMAGED_MAX: usize = 256;
const _: () = assert!(DAMAGED + 4 * DAMAGED_MAX <= SLOT - 4);
pub const FORMAT: u32 = 3;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Control {
    pub seq: u64,
    pub id: [u8; 16],
    pub page_size: u32,
    pub checkpoint: Lsn,
    pub segment_size: u64,
    pub segments: u32,
    /// The log ends at the checkpoint.
    pub clean: bool,
    /// The log had been synced up to here when this was written.
    pub durable: Lsn,
    /// Number and checksum of the last bytes below `durable`. The log that belongs to this file has these bytes.
    pub sample: (u32, u32),
    /// Drawn when a backup becomes a directory; 0 in one that was never restored. Backups and archives of different histories do not fit
    /// together, although the directory id is the same.
    pub history: u64,
    /// Spaces whose redo or undo had to be skipped: what their files hold is not what was committed.
    pub damaged: Vec<SpaceId>,
    /// Epochs of the log that a reader may still meet, oldest first: the LSN at which each begins, and its number.
    pub epochs: Vec<(Lsn, u32)>,
}

impl Control {
    /// The epoch in which the group at `lsn` was written.
    pub fn epoch_at(&self, lsn: Lsn) -> u32 {
        self.epochs.iter().rev().find(|(start, _)| *start <= lsn).map_or(0, |e| e.1)
    }

    /// Begins a new epoch at `lsn`; those that end below the checkpoint are forgotten.
    pub fn begin_epoch(&mut self, lsn: Lsn) {
        let next = self.epochs.last().map_or(1, |e| e.1 + 1);
        self.epochs.retain(|(start, _)| *start != lsn);
        self.epochs.push((lsn, next));
        while self.epochs.len() > 1 && self.epochs[1].0 <= self.checkpoint {
            self.epochs.remove(0);
        }
    }

    fn encode(&self) -> Vec<u8> {
        let mut b = vec![0u8; SLOT];
        put_u64(&mut b, 0, MAGIC);
        put_u64(&mut b, 8, self.seq);
        b[16..32].copy_from_slice(&self.id);
        put_u32(&mut b, 32, self.page_size);
        put_u32(&mut b, 36, FORMAT);
        put_u64(&mut b, 40, self.checkpoint);
        put_u64(&mut b, 48, self.segment_size);
        put_u32(&mut b, 56, self.segments);
        b[60] = self.clean as u8;
        b[61] = self.epochs.len() as u8;
        put_u16(&mut b, 62, self.damaged.len() as u16);
        put_u64(&mut b, 64, self.durable);
        put_u32(&mut b, 72, self.sample.0);
        put_u32(&mut b, 76, self.sample.1);
        put_u64(&mut b, 80, self.history);
        for (i, space) in self.damaged.iter().enumerate() {
            put_u32(&mut b, DAMAGED + i * 4, *space);
        }
        for (i, (start, number)) in self.epochs.iter().enumerate() {
            put_u64(&mut b, EPOCHS + i * 12, *start);
            put_u32(&mut b, EPOCHS + i * 12 + 8, *number);
        }
        let crc = crc32c::crc32c(&b[..SLOT - 4]);
        put_u32(&mut b, SLOT - 4, crc);
        b
    }

    fn decode(b: &[u8]) -> Option<(Control, u32)> {
        if get_u64(b, 0) != MAGIC || get_u32(b, SLOT - 4) != crc32c::crc32c(&b[..SLOT - 4]) {
            return None;
        }
        let c = Control {
            seq: get_u64(b, 8),
            id: b[16..32].try_into().expect("sixteen bytes"),
            page_size: get_u32(b, 32),
            checkpoint: get_u64(b, 40),
            segment_size: get_u64(b, 48),
            segments: get_u32(b, 56),
            clean: b[60] != 0,
            durable: get_u64(b, 64),
            sample: (get_u32(b, 72), get_u32(b, 76)),
            history: get_u64(b, 80),
            damaged: (0..(get_u16(b, 62) as usize).min(DAMAGED_MAX))
                .map(|i| get_u32(b, DAMAGED + i * 4))
                .collect(),
            epochs: (0..b[61] as usize)
                .map(|i| (get_u64(b, EPOCHS + i * 12), get_u32(b, EPOCHS + i * 12 + 8)))
                .collect(),
        };
        Some((c, get_u32(b, 36)))
    }
}

/// The open control file with the state that is on disk.
pub struct ControlFile {
    file: Arc<dyn File>,
    pub state: Control,
    /// The slot that did not decode when the file was opened: from 0.
    pub bad_slot: Option<usize>,
}

impl ControlFile {
    /// Writes both slots of a new directory, under a name that the caller changes to `FILE` when everything is there.
    pub async fn create_as(disk: &dyn Disk, path: &str, state: Control) -> Result<ControlFile> {
        let mut c = Self::draft(disk, path, state).await?;
        c.write().await?;
        Ok(c)
    }

    /// The same with nothing synced: the first [`ControlFile::write`] makes both slots durable.
    pub async fn draft(disk: &dyn Disk, path: &str, state: Control) -> Result<ControlFile> {
        let how = OpenOptions { create: true, create_new: false, mode: Mode::Buffered };
        let file = disk.open_needed(path, how).await?;
        file.allocate(2 * SLOT as u64, true).await?;
        let mut c = ControlFile { file, state, bad_slot: None };
        c.put().await?;
        c.put().await?;
        Ok(c)
    }

    pub async fn open(disk: &dyn Disk) -> Result<ControlFile> {
        let how = OpenOptions { create: false, create_new: false, mode: Mode::Buffered };
        let file = disk.open_needed(FILE, how).await?;
        let damaged =
            |what: String| Error::Corrupt { what, place: format!("control file '{FILE}'") };
        let len = file.len().await? as usize;
        let mut slots = vec![0; 2 * SLOT];
        if len > 0 {
            let (buf, done) = file.read(0, IoBuf::new(len.min(2 * SLOT))).await;
            done?;
            slots[..buf.len()].copy_from_slice(&buf);
        }
        let found = [Control::decode(&slots[..SLOT]), Control::decode(&slots[SLOT..])];
        let bad_slot = found.iter().position(Option::is_none);
        match found.into_iter().flatten().max_by_key(|(c, _)| c.seq) {
            None => Err(damaged(
                "neither of its two slots is valid, so nobody knows where recovery begins; restore the \
                 whole directory from a backup"
                    .into(),
            )),
            Some((_, f)) if f != FORMAT => {
                Err(damaged(format!("format {f}, this program reads format {FORMAT}")))
            }
            Some((state, _)) => Ok(ControlFile { file, state, bad_slot }),
        }
    }

    /// Writes the state to both slots, so that either of them alone tells it.
    pub async fn write_both(&mut self) -> Result<()> {
        self.write().await?;
        self.write().await
    }

    /// Writes the next slot and syncs it; only then is the new state the durable one.
    pub async fn write(&mut self) -> Result<()> {
        self.put().await?;
        Ok(self.file.sync().await?)
    }

    async fn put(&mut self) -> Result<()> {
        self.state.seq += 1;
        let mut buf = IoBuf::new(SLOT);
        buf.copy_from_slice(&self.state.encode());
        let slot = if planted::is(Bug::CheckpointSlotReused) { 0 } else { self.state.seq % 2 };
        let at = slot * SLOT as u64;
        let (_, done) = self.file.write(at, buf).await;
        Ok(done?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_slot_does_not_decode() {
        let c = Control {
            seq: 5,
            id: [7; 16],
            page_size: 16384,
            checkpoint: 99,
            segment_size: 1 << 20,
            segments: 4,
            clean: true,
            durable: 120,
            sample: (20, 77),
            history: 88,
            damaged: vec![17, 40],
            epochs: vec![(5, 1), (70, 2)],
        };
        let mut b = c.encode();
        assert_eq!(Control::decode(&b), Some((c, FORMAT)));
        b[100] ^= 1;
        assert_eq!(Control::decode(&b), None);
    }
}
