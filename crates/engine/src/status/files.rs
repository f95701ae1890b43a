//! Requests to the device by file: those of tablespaces since the start, and what has been written to the log.

use super::table::n;
use crate::db::Db;
use crate::files::Sums;

/// Requests for the pages of a tablespace.
#[derive(Clone, Debug)]
pub struct FileSums {
    /// Relative to the data directory.
    pub path: String,
    pub reads: Sums,
    pub writes: Sums,
}

/// What has been done with the files of the redo log.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogSums {
    pub writes: u64,
    pub bytes: u64,
    pub syncs: u64,
}

impl Db {
    /// By the number of the tablespace.
    pub fn file_sums(&self) -> Vec<FileSums> {
        let spaces = self.inner().core.spaces.all();
        let of = |s: std::sync::Arc<crate::space::Space>| FileSums {
            path: s.path().to_owned(),
            reads: s.meters[0].sums(),
            writes: s.meters[1].sums(),
        };
        spaces.into_iter().map(of).collect()
    }

    pub fn log_sums(&self) -> LogSums {
        let log = &self.inner().core.log.stats;
        LogSums { writes: n(&log.writes), bytes: n(&log.bytes_written), syncs: n(&log.syncs) }
    }
}
