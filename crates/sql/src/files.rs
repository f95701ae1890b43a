//! Files that statements name, LOAD DATA and SELECT ... INTO OUTFILE, as this crate sees them.
//!
//! Nothing in here opens a file: the server does ([`ServerFiles`]), and it alone knows which paths `secure_file_priv` allows. A
//! file of the client comes through the sink of the statement ([`crate::session_api::ResultSink::client_file`]). Reads and writes
//! block the thread of the session that waits for them, which is the session's own, as its answers to the client do; no latch is
//! held meanwhile, since they happen between the operations of the engine.

use crate::errno;
use crate::session_api::SqlError;
use weir_engine::backup::{Base, Block};

/// The bytes of a file, from its beginning.
pub trait ReadFile: Send {
    /// Appends the next piece, of bounded length. False: the file has ended.
    fn read(&mut self, into: &mut Vec<u8>) -> Result<bool, SqlError>;
}

/// A file that is being written. One that is dropped before [`WriteFile::finish`] is removed: a statement that fails leaves none.
pub trait WriteFile: Send {
    fn write(&mut self, bytes: &[u8]) -> Result<(), SqlError>;
    fn finish(&mut self) -> Result<(), SqlError>;
}

/// The files of the machine that the server runs on.
pub trait ServerFiles: Send + Sync {
    /// Opens a file to be read. 1290 where `secure_file_priv` forbids it, 13 and 29 where the system does.
    fn open(&self, path: &[u8]) -> Result<Box<dyn ReadFile>, SqlError>;
    /// Makes a new file: 1086 when there is one already.
    fn create(&self, path: &[u8]) -> Result<Box<dyn WriteFile>, SqlError>;
}

/// A line of the error log.
#[derive(Clone, Debug, Default)]
pub struct ErrorLogLine {
    /// Microseconds since 1970 UTC. No two lines have the same.
    pub micros: u64,
    /// 0: the server itself.
    pub connection: u64,
    pub level: &'static str,
    /// `MY-010931`.
    pub code: String,
    pub subsystem: &'static str,
    pub text: String,
}

/// The error log of the server.
pub trait ErrorLog: Send + Sync {
    /// The last lines that it has written, the oldest first.
    fn lines(&self) -> Vec<ErrorLogLine>;
}

/// What BACKUP TO asks for.
pub struct BackupAsked<'a> {
    pub directory: &'a str,
    /// The directory of the backup that an incremental one is made to.
    pub since: Option<&'a str>,
    /// Of zstd; 0: not compressed.
    pub compression: u64,
    pub key_file: Option<&'a str>,
}

/// What has become of it.
pub struct BackupMade {
    pub backup: String,
    pub bytes: u64,
}

/// Where a server stores backups.
pub trait BackupFiles: Send + Sync {
    fn begin(&self, asked: &BackupAsked<'_>) -> Result<Box<dyn BackupFile>, SqlError>;
}

/// A backup that is being stored. One that is dropped before [`BackupFile::finish`] is left marked as not complete.
pub trait BackupFile: Send {
    /// The backup that this one is an increment of.
    fn base(&self) -> Option<Base>;
    fn put(&mut self, block: &Block) -> Result<(), SqlError>;
    fn finish(self: Box<Self>) -> Result<BackupMade, SqlError>;
}

/// The logs of statements that a server writes.
pub trait StatementLogs: Send + Sync {
    /// FLUSH LOGS: goes on in new files, should the old ones have been renamed.
    fn reopen(&self, general: bool, slow: bool) -> Result<(), SqlError>;
    /// FLUSH ERROR LOGS.
    fn reopen_errors(&self) -> Result<(), SqlError>;
}

/// Where there is no server no statement reads or writes files.
pub struct NoFiles;

impl ServerFiles for NoFiles {
    fn open(&self, _: &[u8]) -> Result<Box<dyn ReadFile>, SqlError> {
        Err(not_allowed())
    }

    fn create(&self, _: &[u8]) -> Result<Box<dyn WriteFile>, SqlError> {
        Err(not_allowed())
    }
}

/// 1290: the file is not where `secure_file_priv` says.
pub fn not_allowed() -> SqlError {
    SqlError::of(errno::ER_OPTION_PREVENTS_STATEMENT, &[&"--secure-file-priv"])
}
