//! The server's files, as LOAD DATA and SELECT ... INTO OUTFILE have them: in memory, the same over all lives, never damaged.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use weir_sql::files::{ReadFile, ServerFiles, WriteFile};
use weir_sql::session_api::SqlError;

/// Bytes of a piece that a statement reads.
const PIECE: usize = 97;

type Content = Arc<Mutex<BTreeMap<Vec<u8>, Vec<u8>>>>;

#[derive(Clone, Default)]
pub struct Files(Content);

fn lock(c: &Content) -> MutexGuard<'_, BTreeMap<Vec<u8>, Vec<u8>>> {
    c.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Files {
    pub fn put(&self, path: &str, bytes: Vec<u8>) {
        lock(&self.0).insert(path.into(), bytes);
    }

    pub fn take(&self, path: &str) -> Option<Vec<u8>> {
        lock(&self.0).remove(path.as_bytes())
    }
}

struct Reading(Vec<u8>);

impl ReadFile for Reading {
    fn read(&mut self, into: &mut Vec<u8>) -> Result<bool, SqlError> {
        let n = self.0.len().min(PIECE);
        into.extend(self.0.drain(..n));
        Ok(n > 0)
    }
}

struct Writing {
    all: Content,
    path: Vec<u8>,
    bytes: Vec<u8>,
    finished: bool,
}

impl WriteFile for Writing {
    fn write(&mut self, bytes: &[u8]) -> Result<(), SqlError> {
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn finish(&mut self) -> Result<(), SqlError> {
        lock(&self.all).insert(std::mem::take(&mut self.path), std::mem::take(&mut self.bytes));
        self.finished = true;
        Ok(())
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        if !self.finished {
            lock(&self.all).remove(&self.path);
        }
    }
}

impl ServerFiles for Files {
    fn open(&self, path: &[u8]) -> Result<Box<dyn ReadFile>, SqlError> {
        match lock(&self.0).get(path) {
            Some(bytes) => Ok(Box::new(Reading(bytes.clone()))),
            None => {
                Err(SqlError::new(29, "File not found (OS errno 2 - No such file or directory)"))
            }
        }
    }

    fn create(&self, path: &[u8]) -> Result<Box<dyn WriteFile>, SqlError> {
        let mut all = lock(&self.0);
        if all.contains_key(path) {
            return Err(SqlError::new(1086, "File already exists"));
        }
        all.insert(path.to_vec(), Vec::new());
        let (path, bytes) = (path.to_vec(), Vec::new());
        Ok(Box::new(Writing { all: self.0.clone(), path, bytes, finished: false }))
    }
}
