//! BACKUP: a copy of the whole database while it runs.
//!
//! `BACKUP STREAM` gives the engine's blocks as rows of one column, in their order, for a program that stores them (`weir backup`). `BACKUP TO`
//! has the server store them. The statement reads no table and needs no transaction; KILL ends it between two blocks.

use super::Session;
use crate::context::{ShowResult, VirtualColumn};
use crate::ddl::engine_error;
use crate::errno;
use crate::files::{BackupAsked, not_allowed};
use crate::session_api::{
    ColumnMeta, OkInfo, OutValue, ResultSink, SqlError, column_flag, column_type,
};
use crate::status::Stat;
use crate::value::{Collation, SqlType, Value};
use weir_engine::backup::{Backup, BackupOptions, Base, Block};
use weir_syntax::ast;

const COLUMNS: [VirtualColumn; 6] = [
    VirtualColumn::new("Backup", SqlType::varchar(32, Collation::Utf8mb4GeneralCi)),
    VirtualColumn::new("Start_lsn", SqlType::BIGINT),
    VirtualColumn::new("End_lsn", SqlType::BIGINT),
    VirtualColumn::new("Pages", SqlType::BIGINT),
    VirtualColumn::new("Redo_bytes", SqlType::BIGINT),
    VirtualColumn::new("Stored_bytes", SqlType::BIGINT),
];

/// Highest level of zstd.
const COMPRESSION_MAX: u64 = 22;
/// `binary`.
const BINARY: u16 = 63;

/// What makes the backup, as it stands in it.
pub const PROGRAM: &str = concat!("weir ", env!("CARGO_PKG_VERSION"));

/// How BACKUP STREAM names the base of an incremental backup: id, history and start, as `weir backup` takes them from its manifest.
fn base_of(text: &str) -> Option<Base> {
    let mut parts = text.split(':');
    let id = parts.next().filter(|id| id.len() == 32 && id.is_ascii())?;
    let mut backup = [0; 16];
    for (i, b) in backup.iter_mut().enumerate() {
        *b = u8::from_str_radix(&id[2 * i..2 * i + 2], 16).ok()?;
    }
    let (history, start) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    parts.next().is_none().then_some(Base { backup, history, start })
}

impl Session {
    pub(super) async fn back_up(
        &mut self,
        b: &ast::Backup,
        sink: &mut dyn ResultSink,
    ) -> Result<(), SqlError> {
        if b.compression > COMPRESSION_MAX {
            let text = format!("COMPRESSION of BACKUP is a level of zstd, 0 to {COMPRESSION_MAX}");
            return Err(SqlError::new(errno::ER_WRONG_ARGUMENTS, text));
        }
        let inst = self.inst.clone();
        inst.status.inc(Stat::Weir_backups_running);
        let done = match &b.to {
            Some(directory) => self.store_backup(directory, b, sink).await,
            None => self.stream_backup(b, sink).await,
        };
        inst.status.dec(Stat::Weir_backups_running);
        match &done {
            Ok(()) => {
                inst.status.inc(Stat::Weir_backups);
                let now = inst.db.rt().wall_micros() / 1_000_000;
                inst.status.set(Stat::Weir_backup_last_time, now);
            }
            Err(_) => inst.status.inc(Stat::Weir_backups_failed),
        }
        done
    }

    async fn begin_backup(&self, base: Option<Base>, rate: u64) -> Result<Backup, SqlError> {
        let interrupt = self.interrupt.clone();
        let o = BackupOptions { base, rate, program: PROGRAM.into(), apart: false, interrupt };
        self.inst.db.begin_backup(o).await.map_err(engine_error)
    }

    async fn stream_backup(
        &mut self,
        b: &ast::Backup,
        sink: &mut dyn ResultSink,
    ) -> Result<(), SqlError> {
        let base = match &b.since {
            None => None,
            Some(text) => Some(base_of(text).ok_or_else(|| {
                let text = format!(
                    "SINCE of BACKUP STREAM: '{text}' is no backup's id, history and start LSN"
                );
                SqlError::new(errno::ER_WRONG_ARGUMENTS, text)
            })?),
        };
        let mut backup = self.begin_backup(base, b.rate).await?;
        sink.columns(&[block_column()])?;
        while let Some(block) = backup.next_block().await.map_err(engine_error)? {
            sink.row(&[OutValue::Bytes(&block.encode())])?;
        }
        self.info.set_row_count(-1);
        let ok = self.ok_info(OkInfo::default());
        sink.end_rows(&ok)?;
        Ok(())
    }

    async fn store_backup(
        &mut self,
        directory: &str,
        b: &ast::Backup,
        sink: &mut dyn ResultSink,
    ) -> Result<(), SqlError> {
        let inst = self.inst.clone();
        let files = inst.backup_files.get().ok_or_else(not_allowed)?;
        let asked = BackupAsked {
            directory,
            since: b.since.as_deref(),
            compression: b.compression,
            key_file: b.key_file.as_deref(),
        };
        let mut file = files.begin(&asked)?;
        let mut backup = self.begin_backup(file.base(), b.rate).await?;
        let (start, mut told) = (backup.begin().start, (0, 0, 0));
        while let Some(block) = backup.next_block().await.map_err(engine_error)? {
            file.put(&block)?;
            if let Block::End(e) = &block {
                told = (e.end, e.copied_pages, e.redo_bytes);
            }
        }
        let made = file.finish()?;
        let mut result = ShowResult::new(COLUMNS.to_vec());
        let number = |n: u64| Value::Int(i64::try_from(n).unwrap_or(i64::MAX));
        let id = Value::text(made.backup.into_bytes(), Collation::Utf8mb4GeneralCi);
        let (end, pages, redo) = told;
        let numbers = [start, end, pages, redo, made.bytes].map(number);
        result.rows.push(std::iter::once(id).chain(numbers).collect());
        self.send_rows(&result, sink)
    }
}

fn block_column() -> ColumnMeta {
    ColumnMeta {
        schema: "".into(),
        table: "".into(),
        org_table: "".into(),
        name: "Block".into(),
        org_name: "".into(),
        collation_id: BINARY,
        length: u32::MAX,
        type_code: column_type::LONG_BLOB,
        flags: column_flag::BLOB | column_flag::BINARY,
        decimals: 0,
        text: None,
        encoded: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_is_named_by_id_history_and_start() {
        let id = "000102030405060708090a0b0c0d0e0f";
        let base = base_of(&format!("{id}:7:4096")).unwrap();
        assert_eq!((base.backup[15], base.history, base.start), (15, 7, 4096));
        for bad in
            ["", id, "x:7:1", &format!("{id}:7"), &format!("{id}:7:1:2"), &format!("{id}:a:1")]
        {
            assert!(base_of(bad).is_none(), "{bad}");
        }
    }
}
