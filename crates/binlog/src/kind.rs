//! The types of events, by their numbers.

/// An event's type. The names are MySQL's and MariaDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Query,
    Stop,
    Rotate,
    Intvar,
    AppendBlock,
    DeleteFile,
    Rand,
    UserVar,
    FormatDescription,
    Xid,
    BeginLoadQuery,
    ExecuteLoadQuery,
    TableMap,
    WriteRowsV1,
    UpdateRowsV1,
    DeleteRowsV1,
    Incident,
    Heartbeat,
    Ignorable,
    RowsQuery,
    WriteRows,
    UpdateRows,
    DeleteRows,
    Gtid,
    AnonymousGtid,
    PreviousGtids,
    TransactionContext,
    ViewChange,
    XaPrepare,
    PartialUpdateRows,
    TransactionPayload,
    HeartbeatV2,
    GtidTagged,
    MariaAnnotateRows,
    MariaBinlogCheckpoint,
    MariaGtid,
    MariaGtidList,
    MariaStartEncryption,
    MariaQueryCompressed,
    MariaWriteRowsCompressedV1,
    MariaUpdateRowsCompressedV1,
    MariaDeleteRowsCompressedV1,
    MariaWriteRowsCompressed,
    MariaUpdateRowsCompressed,
    MariaDeleteRowsCompressed,
    /// A number that neither server has given to a type known here.
    Unknown(u8),
}

use Kind::*;

/// Number, type, and the name in messages and in SHOW BINLOG EVENTS.
const TABLE: &[(u8, Kind, &str)] = &[
    (2, Query, "Query"),
    (3, Stop, "Stop"),
    (4, Rotate, "Rotate"),
    (5, Intvar, "Intvar"),
    (9, AppendBlock, "Append_block"),
    (11, DeleteFile, "Delete_file"),
    (13, Rand, "RAND"),
    (14, UserVar, "User_var"),
    (15, FormatDescription, "Format_desc"),
    (16, Xid, "Xid"),
    (17, BeginLoadQuery, "Begin_load_query"),
    (18, ExecuteLoadQuery, "Execute_load_query"),
    (19, TableMap, "Table_map"),
    (23, WriteRowsV1, "Write_rows_v1"),
    (24, UpdateRowsV1, "Update_rows_v1"),
    (25, DeleteRowsV1, "Delete_rows_v1"),
    (26, Incident, "Incident"),
    (27, Heartbeat, "Heartbeat"),
    (28, Ignorable, "Ignorable"),
    (29, RowsQuery, "Rows_query"),
    (30, WriteRows, "Write_rows"),
    (31, UpdateRows, "Update_rows"),
    (32, DeleteRows, "Delete_rows"),
    (33, Gtid, "Gtid"),
    (34, AnonymousGtid, "Anonymous_Gtid"),
    (35, PreviousGtids, "Previous_gtids"),
    (36, TransactionContext, "Transaction_context"),
    (37, ViewChange, "View_change"),
    (38, XaPrepare, "XA_prepare"),
    (39, PartialUpdateRows, "Update_rows_partial"),
    (40, TransactionPayload, "Transaction_payload"),
    (41, HeartbeatV2, "Heartbeat_v2"),
    (42, GtidTagged, "Gtid_tagged"),
    (160, MariaAnnotateRows, "Annotate_rows"),
    (161, MariaBinlogCheckpoint, "Binlog_checkpoint"),
    (162, MariaGtid, "Gtid"),
    (163, MariaGtidList, "Gtid_list"),
    (164, MariaStartEncryption, "Start_encryption"),
    (165, MariaQueryCompressed, "Query_compressed"),
    (166, MariaWriteRowsCompressedV1, "Write_rows_compressed_v1"),
    (167, MariaUpdateRowsCompressedV1, "Update_rows_compressed_v1"),
    (168, MariaDeleteRowsCompressedV1, "Delete_rows_compressed_v1"),
    (169, MariaWriteRowsCompressed, "Write_rows_compressed"),
    (170, MariaUpdateRowsCompressed, "Update_rows_compressed"),
    (171, MariaDeleteRowsCompressed, "Delete_rows_compressed"),
];

impl Kind {
    pub fn of(number: u8) -> Kind {
        TABLE.iter().find(|(n, ..)| *n == number).map_or(Unknown(number), |(_, k, _)| *k)
    }

    pub fn number(self) -> u8 {
        match self {
            Unknown(number) => number,
            kind => TABLE.iter().find(|(_, k, _)| *k == kind).map_or(0, |(n, ..)| *n),
        }
    }

    pub fn name(self) -> &'static str {
        TABLE.iter().find(|(_, k, _)| *k == self).map_or("Unknown", |(.., name)| name)
    }

    /// An event that changes rows.
    pub fn changes_rows(self) -> bool {
        crate::rows::Change::of(self).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_types_are_one_to_one() {
        for n in 0..=255 {
            assert_eq!(Kind::of(n).number(), n);
        }
        assert_eq!((Kind::of(33), Kind::of(1)), (Gtid, Unknown(1)));
        assert_eq!((Kind::of(39).name(), Kind::of(200).name()), ("Update_rows_partial", "Unknown"));
    }
}
