//! Tables about things that do not exist here (files, ...): their columns, and no rows.

use super::cells::{BIGINT, LONGTEXT, c, text};
use super::virtual_table;
use crate::context::VirtualTable;

pub fn all() -> Vec<&'static dyn VirtualTable> {
    vec![&Files]
}
virtual_table!(
    Files,
    "information_schema",
    "FILES",
    (None, None),
    [
        c("FILE_ID", BIGINT),
        c("FILE_NAME", LONGTEXT),
        c("FILE_TYPE", text(256)),
        c("TABLESPACE_NAME", text(268)),
        c("TABLE_CATALOG", text(0)),
        c("TABLE_SCHEMA", text(0)),
        c("TABLE_NAME", text(0)),
        c("LOGFILE_GROUP_NAME", text(256)),
        c("LOGFILE_GROUP_NUMBER", BIGINT),
        c("ENGINE", text(64)),
        c("FULLTEXT_KEYS", text(256)),
        c("DELETED_ROWS", text(256)),
        c("UPDATE_COUNT", text(256)),
        c("FREE_EXTENTS", BIGINT),
        c("TOTAL_EXTENTS", BIGINT),
        c("EXTENT_SIZE", BIGINT),
        c("INITIAL_SIZE", BIGINT),
        c("MAXIMUM_SIZE", BIGINT),
        c("AUTOEXTEND_SIZE", BIGINT),
        c("CREATION_TIME", text(256)),
        c("LAST_UPDATE_TIME", text(256)),
        c("LAST_ACCESS_TIME", text(256)),
        c("RECOVER_TIME", text(256)),
        c("TRANSACTION_COUNTER", text(256)),
        c("VERSION", BIGINT),
        c("ROW_FORMAT", text(256)),
        c("TABLE_ROWS", text(256)),
        c("AVG_ROW_LENGTH", text(256)),
        c("DATA_LENGTH", text(256)),
        c("MAX_DATA_LENGTH", text(256)),
        c("INDEX_LENGTH", text(256)),
        c("DATA_FREE", BIGINT),
        c("CREATE_TIME", text(256)),
        c("UPDATE_TIME", text(256)),
        c("CHECK_TIME", text(256)),
        c("CHECKSUM", text(256)),
        c("STATUS", text(256)),
        c("EXTRA", text(256)),
    ],
    |_, _| Vec::new()
);
