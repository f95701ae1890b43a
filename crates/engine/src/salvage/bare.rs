//! A directory whose redo log or control file is of no use is made to be opened without them: what they say of it is taken from its
//! spaces. For a device that keeps changes to itself (`weir_disk::Overlay`).

use crate::error::{Error, Result};
use crate::force::Force;
use crate::ids::{LSN_START, PageId};
use crate::log::control::{self, Control, ControlFile};
use crate::log::{DIR as REDO, SEGMENT_HEADER};
use crate::page;
use crate::space;
use weir_disk::{Disk, IoBuf, Mode, OpenOptions};

/// The level at which a directory is opened afterwards.
pub const BARE: Force = Force(6);

/// Takes the redo log away, and makes a control file if there is none that can be read.
pub async fn without_log(disk: &dyn Disk) -> Result<()> {
    for file in disk.list(REDO).await? {
        disk.remove(&format!("{REDO}/{file}")).await?;
    }
    let known = disk.exists(control::FILE).await? && ControlFile::open(disk).await.is_ok();
    if known {
        return Ok(());
    }
    let (page_size, id) = identity(disk).await?;
    let state = Control {
        seq: 0,
        id,
        page_size: page_size as u32,
        checkpoint: LSN_START,
        segment_size: SEGMENT_HEADER + (1 << 20),
        segments: 0,
        clean: false,
        durable: LSN_START,
        sample: (0, 0),
        history: 0,
        damaged: Vec::new(),
        epochs: vec![(LSN_START, 1)],
    };
    ControlFile::create_as(disk, control::FILE, state).await?;
    Ok(())
}

/// Page size and directory id, from the first header of a space that is whole.
async fn identity(disk: &dyn Disk) -> Result<(usize, [u8; 16])> {
    let tables = disk.list(space::DIR).await?;
    let tables = tables.iter().filter_map(|name| space::id_of(name));
    for id in [space::SYSTEM, space::UNDO].into_iter().chain(tables) {
        let how = OpenOptions { create: false, create_new: false, mode: Mode::Buffered };
        let Ok(file) = disk.open(&space::path_of(id), how).await else { continue };
        for size in page::SIZES {
            let (header, read) = file.read(0, IoBuf::new(size)).await;
            if read.is_ok() && page::verify(&header, PageId::new(id, 0)).is_ok() {
                let at = space::HEADER_DIRECTORY;
                let directory = header[at..at + 16].try_into().expect("sixteen bytes");
                return Ok((size, directory));
            }
        }
    }
    Err(Error::Corrupt {
        what: "neither the control file nor the header of any space can be read".into(),
        place: "data directory".into(),
    })
}
