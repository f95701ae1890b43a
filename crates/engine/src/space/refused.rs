//! Files that are not used: missing, damaged, or without changes that had to be skipped. The table that such a file is of can be
//! dropped, and nothing else.

use super::{Space, Spaces, path_of};
use crate::ids::SpaceId;
use crate::sync::atomic::Ordering;
use std::sync::Arc;
use weir_disk::{DiskError, File, IoBuf, OpFuture};

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
        let s = self.insert(id, path.clone(), Arc::new(NoFile { path }), 0);
        s.refuse(true, why);
        s
    }
}

/// Stands for a file that is missing: every operation fails.
struct NoFile {
    path: String,
}

impl NoFile {
    fn error(&self, op: &'static str) -> DiskError {
        DiskError::new(op, &self.path, &std::io::Error::from(std::io::ErrorKind::NotFound))
    }

    fn fails<T: Send + 'static>(&self, op: &'static str) -> OpFuture<'_, weir_disk::Result<T>> {
        let e = self.error(op);
        Box::pin(async move { Err(e) })
    }
}

impl File for NoFile {
    fn read(&self, _: u64, buf: IoBuf) -> OpFuture<'_, (IoBuf, weir_disk::Result<()>)> {
        let e = self.error("read");
        Box::pin(async move { (buf, Err(e)) })
    }

    fn write(&self, _: u64, buf: IoBuf) -> OpFuture<'_, (IoBuf, weir_disk::Result<()>)> {
        let e = self.error("write");
        Box::pin(async move { (buf, Err(e)) })
    }

    fn read_all(
        &self,
        batch: Vec<(u64, IoBuf)>,
    ) -> OpFuture<'_, (Vec<IoBuf>, weir_disk::Result<()>)> {
        let e = self.error("read");
        Box::pin(async move { (batch.into_iter().map(|b| b.1).collect(), Err(e)) })
    }

    fn write_all(
        &self,
        batch: Vec<(u64, IoBuf)>,
    ) -> OpFuture<'_, (Vec<IoBuf>, weir_disk::Result<()>)> {
        let e = self.error("write");
        Box::pin(async move { (batch.into_iter().map(|b| b.1).collect(), Err(e)) })
    }

    fn sync(&self) -> OpFuture<'_, weir_disk::Result<()>> {
        self.fails("sync")
    }

    fn allocate(&self, _: u64, _: bool) -> OpFuture<'_, weir_disk::Result<()>> {
        self.fails("allocate")
    }

    fn truncate(&self, _: u64) -> OpFuture<'_, weir_disk::Result<()>> {
        self.fails("truncate")
    }

    fn len(&self) -> OpFuture<'_, weir_disk::Result<u64>> {
        self.fails("look at")
    }
}
