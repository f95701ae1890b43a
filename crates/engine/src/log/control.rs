//! The control file: identity of the data directory and the checkpoint, in two slots written in turn.
//!
//! A slot is 4096 bytes: magic 8 | sequence 8 | directory id 16 | page size 4 | format 4 | checkpoint LSN 8 |
//! segment size 8 | segment count 4 | clean shutdown 1 | epoch count 1 | zeros; from byte 128: epochs of (start LSN 8,
//! number 4) | zeros | CRC32C in the last four bytes. The valid slot with the
//! higher sequence counts; a torn write destroys at most the slot that was being written.

use crate::error::{Error, Result};
use crate::ids::Lsn;
use crate::page::{get_u32, get_u64, put_u32, put_u64};
use crate::planted::{self, Bug};
use std::sync::Arc;
use weir_disk::{Disk, File, IoBuf, Mode, OpenOptions};

pub const FILE: &str = "weir.ctl";
const MAGIC: u64 = u64::from_le_bytes(*b"WEIRctl1");
const SLOT: usize = 4096;
const EPOCHS: usize = 128;
/// More recoveries than this without a checkpoint in between ask for one before the server opens.
pub const EPOCHS_MAX: usize = 200;
pub const FORMAT: u32 = 1;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Control {
    pub seq: u64,
    pub id: [u8; 16],
    pub page_size: u32,
    pub checkpoint: Lsn,
    pub segment_size: u64,
    pub segments: u32,
    pub clean: bool,
    /// Epochs of the log that a reader may still meet, oldest first: from which LSN on, and its number.
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
}

impl ControlFile {
    /// Writes both slots of a new directory, under a name that the caller changes to `FILE` when everything is there.
    pub async fn create_as(disk: &dyn Disk, path: &str, state: Control) -> Result<ControlFile> {
        let how = OpenOptions { create: true, create_new: false, mode: Mode::Buffered };
        let file = disk.open(path, how).await?;
        file.allocate(2 * SLOT as u64, true).await?;
        let mut c = ControlFile { file, state };
        c.write().await?;
        c.write().await?;
        Ok(c)
    }

    pub async fn open(disk: &dyn Disk) -> Result<ControlFile> {
        let how = OpenOptions { create: false, create_new: false, mode: Mode::Buffered };
        let file = disk.open(FILE, how).await?;
        let (buf, done) = file.read(0, IoBuf::new(2 * SLOT)).await;
        done?;
        let best = [Control::decode(&buf[..SLOT]), Control::decode(&buf[SLOT..2 * SLOT])]
            .into_iter()
            .flatten()
            .max_by_key(|(c, _)| c.seq);
        match best {
            None => Err(Error::Corrupt {
                what: "neither checkpoint slot is valid".into(),
                place: format!("control file '{FILE}'"),
            }),
            Some((_, f)) if f != FORMAT => Err(Error::Corrupt {
                what: format!("format {f}, this program reads format {FORMAT}"),
                place: format!("control file '{FILE}'"),
            }),
            Some((state, _)) => Ok(ControlFile { file, state }),
        }
    }

    /// Writes the next slot and syncs it; only then is the new state the durable one.
    pub async fn write(&mut self) -> Result<()> {
        self.state.seq += 1;
        let mut buf = IoBuf::new(SLOT);
        buf.copy_from_slice(&self.state.encode());
        let slot = if planted::is(Bug::CheckpointSlotReused) { 0 } else { self.state.seq % 2 };
        let at = slot * SLOT as u64;
        let (_, done) = self.file.write(at, buf).await;
        done?;
        self.file.sync().await?;
        Ok(())
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
            epochs: vec![(5, 1), (70, 2)],
        };
        let mut b = c.encode();
        assert_eq!(Control::decode(&b), Some((c, FORMAT)));
        b[100] ^= 1;
        assert_eq!(Control::decode(&b), None);
    }
}
