//! Capability flags, status flags, command bytes.

/// `CLIENT_*` flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capabilities(pub u32);

impl Capabilities {
    pub const LONG_PASSWORD: Capabilities = Capabilities(1);
    pub const FOUND_ROWS: Capabilities = Capabilities(1 << 1);
    pub const LONG_FLAG: Capabilities = Capabilities(1 << 2);
    pub const CONNECT_WITH_DB: Capabilities = Capabilities(1 << 3);
    pub const COMPRESS: Capabilities = Capabilities(1 << 5);
    pub const LOCAL_FILES: Capabilities = Capabilities(1 << 7);
    pub const IGNORE_SPACE: Capabilities = Capabilities(1 << 8);
    pub const PROTOCOL_41: Capabilities = Capabilities(1 << 9);
    pub const INTERACTIVE: Capabilities = Capabilities(1 << 10);
    pub const SSL: Capabilities = Capabilities(1 << 11);
    pub const TRANSACTIONS: Capabilities = Capabilities(1 << 13);
    pub const SECURE_CONNECTION: Capabilities = Capabilities(1 << 15);
    pub const MULTI_STATEMENTS: Capabilities = Capabilities(1 << 16);
    pub const MULTI_RESULTS: Capabilities = Capabilities(1 << 17);
    pub const PS_MULTI_RESULTS: Capabilities = Capabilities(1 << 18);
    pub const PLUGIN_AUTH: Capabilities = Capabilities(1 << 19);
    pub const CONNECT_ATTRS: Capabilities = Capabilities(1 << 20);
    pub const PLUGIN_AUTH_LENENC_DATA: Capabilities = Capabilities(1 << 21);
    pub const CAN_HANDLE_EXPIRED_PASSWORDS: Capabilities = Capabilities(1 << 22);
    pub const SESSION_TRACK: Capabilities = Capabilities(1 << 23);
    pub const DEPRECATE_EOF: Capabilities = Capabilities(1 << 24);
    pub const ZSTD_COMPRESSION: Capabilities = Capabilities(1 << 26);
    pub const QUERY_ATTRIBUTES: Capabilities = Capabilities(1 << 27);

    /// What this server always offers: only what it does. Beside it are offered compression, as far as a variable has it, and TLS, if there are certificates.
    pub const OFFERED: Capabilities = Capabilities(
        Self::LONG_PASSWORD.0
            | Self::FOUND_ROWS.0
            | Self::LONG_FLAG.0
            | Self::CONNECT_WITH_DB.0
            | Self::LOCAL_FILES.0
            | Self::IGNORE_SPACE.0
            | Self::PROTOCOL_41.0
            | Self::INTERACTIVE.0
            | Self::TRANSACTIONS.0
            | Self::SECURE_CONNECTION.0
            | Self::MULTI_STATEMENTS.0
            | Self::MULTI_RESULTS.0
            | Self::PS_MULTI_RESULTS.0
            | Self::PLUGIN_AUTH.0
            | Self::CONNECT_ATTRS.0
            | Self::PLUGIN_AUTH_LENENC_DATA.0
            | Self::CAN_HANDLE_EXPIRED_PASSWORDS.0
            | Self::SESSION_TRACK.0
            | Self::DEPRECATE_EOF.0
            | Self::QUERY_ATTRIBUTES.0,
    );

    pub fn has(self, flag: Capabilities) -> bool {
        self.0 & flag.0 == flag.0
    }

    /// What both sides can.
    pub fn and(self, other: Capabilities) -> Capabilities {
        Capabilities(self.0 & other.0)
    }

    pub fn set(&mut self, flag: Capabilities, on: bool) {
        if on {
            self.0 |= flag.0;
        } else {
            self.0 &= !flag.0;
        }
    }
}

impl std::ops::BitOr for Capabilities {
    type Output = Capabilities;
    fn bitor(self, other: Capabilities) -> Capabilities {
        Capabilities(self.0 | other.0)
    }
}

/// `SERVER_STATUS_*` flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status(pub u16);

impl Status {
    pub const IN_TRANS: Status = Status(1);
    pub const AUTOCOMMIT: Status = Status(1 << 1);
    pub const MORE_RESULTS: Status = Status(1 << 3);
    /// A table was read whole; clients that report such queries look here.
    pub const NO_INDEX_USED: Status = Status(1 << 5);
    pub const CURSOR_EXISTS: Status = Status(1 << 6);
    pub const LAST_ROW_SENT: Status = Status(1 << 7);
    /// A backslash in a literal is a character like any other: clients that write literals themselves look here.
    pub const NO_BACKSLASH_ESCAPES: Status = Status(1 << 9);
    /// The statement took longer than the session's long_query_time.
    pub const QUERY_WAS_SLOW: Status = Status(1 << 11);
    /// The rows are the OUT parameters of a prepared CALL.
    pub const PS_OUT_PARAMS: Status = Status(1 << 12);
    /// The transaction reads only.
    pub const IN_TRANS_READONLY: Status = Status(1 << 13);
    pub const SESSION_STATE_CHANGED: Status = Status(1 << 14);

    pub fn new(in_transaction: bool, autocommit: bool, more_results: bool) -> Status {
        let bit = |on: bool, flag: Status| if on { flag.0 } else { 0 };
        Status(
            bit(in_transaction, Status::IN_TRANS)
                | bit(autocommit, Status::AUTOCOMMIT)
                | bit(more_results, Status::MORE_RESULTS),
        )
    }

    pub fn with(self, on: bool, flag: Status) -> Status {
        if on { Status(self.0 | flag.0) } else { self }
    }

    pub fn has(self, flag: Status) -> bool {
        self.0 & flag.0 == flag.0
    }
}

/// Largest payload of one frame; a packet of this length goes on in the next.
pub const MAX_FRAME: usize = 0xFF_FFFF;
/// Frame header: three bytes of length, one of sequence number.
pub const HEADER: usize = 4;
/// Collation id of binary strings, numbers and temporals.
pub const BINARY_COLLATION: u16 = 63;
/// Bytes of the challenge that both password methods use.
pub const SALT_LEN: usize = 20;

/// `MYSQL_TYPE_*` codes this codec must tell apart.
pub mod column_type {
    pub const DECIMAL: u8 = 0;
    pub const TINY: u8 = 1;
    pub const SHORT: u8 = 2;
    pub const LONG: u8 = 3;
    pub const FLOAT: u8 = 4;
    pub const DOUBLE: u8 = 5;
    pub const NULL: u8 = 6;
    pub const TIMESTAMP: u8 = 7;
    pub const LONGLONG: u8 = 8;
    pub const INT24: u8 = 9;
    pub const DATE: u8 = 10;
    pub const TIME: u8 = 11;
    pub const DATETIME: u8 = 12;
    pub const YEAR: u8 = 13;
    pub const VARCHAR: u8 = 15;
    pub const BIT: u8 = 16;
    pub const JSON: u8 = 245;
    pub const NEWDECIMAL: u8 = 246;
    pub const ENUM: u8 = 247;
    pub const SET: u8 = 248;
    pub const TINY_BLOB: u8 = 249;
    pub const MEDIUM_BLOB: u8 = 250;
    pub const LONG_BLOB: u8 = 251;
    pub const BLOB: u8 = 252;
    pub const VAR_STRING: u8 = 253;
    pub const STRING: u8 = 254;
    pub const GEOMETRY: u8 = 255;
}
