//! Files that are not used: missing, damaged, or without changes that had to be skipped. The table that such a file is of can be
//! dropped, and nothing else.

use super::{Space, Spaces, path_of};
use crate::ids::SpaceId;
use crate::sync::atomic::Ordering;
use std::sync::Arc;
use weir_disk::{Disk, File};

/// Why a file is not used.
#[derive(Clone, Debug)]
pub struct Refusal {
    pub missing: bool,
    pub why: String,
}

impl Space {
    pub fn refusal(&self) -> Option<&Refusal> {
        self.refused.get()
    }

    /// From now on the file is not used. False: it was not before, for another reason.
    pub fn refuse(&self, missing: bool, why: String) -> bool {
        self.refused.set(Refusal { missing, why }).is_ok()
    }

    /// Whether the file is there.
    pub async fn has_file(&self, disk: &dyn Disk) -> bool {
        !matches!(disk.exists(&self.path).await, Ok(false))
    }

    /// Whether the file has lost pages that were in it.
    pub async fn is_cut_short(&self) -> bool {
        let want = u64::from(self.pages()) * self.page_bytes;
        matches!(self.file.len().await, Ok(len) if len < want)
    }

    /// One more change that could not be undone because a read failed; returns how many there were.
    pub fn note_failed_undo(&self) -> u32 {
        self.failed_undos.fetch_add(1, Ordering::Relaxed) + 1
    }
}

impl Spaces {
    /// A space whose file is not there, for the table that has to be named.
    pub fn insert_missing(&self, id: SpaceId, why: String) -> Arc<Space> {
        let path = path_of(id);
        // Nobody opens it: the space is refused before anybody sees it.
        let file = self.files.existing(&path);
        let s = self.insert(id, path, file, 0);
        s.refuse(true, why);
        s
    }
}
