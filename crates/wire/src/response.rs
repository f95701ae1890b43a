//! Answers: OK, error, end of rows, column definitions, the head of a prepared statement. Each
//! function appends the payload of one packet.

use crate::constants::{BINARY_COLLATION, Capabilities, Status, column_type};
use crate::{put_lenenc_int, put_lenenc_str};

/// Contents of an OK packet.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ok<'a> {
    pub affected_rows: u64,
    pub last_insert_id: u64,
    pub status: Status,
    pub warnings: u16,
    pub info: &'a str,
    /// What clients with CLIENT_SESSION_TRACK learn of the session.
    pub changes: &'a [Change<'a>],
}

/// A change of session state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change<'a> {
    /// A system variable has a new value.
    Variable(&'a str, &'a str),
    /// There is another default database.
    Schema(&'a str),
    /// Something of the session has changed.
    State,
    /// Identifiers of transactions.
    Gtids(&'a str),
    /// The statements that would begin such a transaction.
    Characteristics(&'a str),
    /// The state of the transaction, eight characters.
    Transaction(&'a str),
}

/// An OK packet.
pub fn put_ok(out: &mut Vec<u8>, capabilities: Capabilities, ok: &Ok<'_>) {
    put_ok_as(out, 0x00, capabilities, ok);
}

/// What ends a list of rows: an OK packet with EOF's first byte, or an EOF packet.
pub fn put_end_of_rows(out: &mut Vec<u8>, capabilities: Capabilities, ok: &Ok<'_>) {
    if capabilities.has(Capabilities::DEPRECATE_EOF) {
        put_ok_as(out, 0xFE, capabilities, ok);
    } else {
        put_eof(out, ok.warnings, ok.status);
    }
}

fn put_ok_as(out: &mut Vec<u8>, first: u8, capabilities: Capabilities, ok: &Ok<'_>) {
    let any = capabilities.has(Capabilities::SESSION_TRACK) && !ok.changes.is_empty();
    if !any && ok.info.is_empty() && ok.affected_rows <= 250 && ok.last_insert_id <= 250 {
        // Nearly all of them: numbers of one byte and nothing behind the warnings.
        let ([s0, s1], [w0, w1]) = (ok.status.0.to_le_bytes(), ok.warnings.to_le_bytes());
        let (rows, id) = (ok.affected_rows as u8, ok.last_insert_id as u8);
        return out.extend_from_slice(&[first, rows, id, s0, s1, w0, w1]);
    }
    let changed = if any { Status::SESSION_STATE_CHANGED.0 } else { 0 };
    out.push(first);
    put_lenenc_int(out, ok.affected_rows);
    put_lenenc_int(out, ok.last_insert_id);
    out.extend_from_slice(&(ok.status.0 | changed).to_le_bytes());
    out.extend_from_slice(&ok.warnings.to_le_bytes());
    // With or without tracking, whatever the manual says: clients read a length here.
    if any || !ok.info.is_empty() {
        put_lenenc_str(out, ok.info.as_bytes());
    }
    if any {
        let mut entries = Vec::new();
        ok.changes.iter().for_each(|c| put_change(&mut entries, *c));
        put_lenenc_str(out, &entries);
    }
}

/// One change of session state: its type (SESSION_TRACK_*), its data with their length.
fn put_change(out: &mut Vec<u8>, change: Change<'_>) {
    let (kind, texts) = match change {
        Change::Variable(name, value) => (0, vec![name, value]),
        Change::Schema(name) => (1, vec![name]),
        Change::State => (2, Vec::new()),
        Change::Gtids(set) => (3, vec![set]),
        Change::Characteristics(said) => (4, vec![said]),
        Change::Transaction(state) => (5, vec![state]),
    };
    let mut data = Vec::new();
    if matches!(change, Change::Gtids(_)) {
        // How they are written: as text.
        data.push(0);
    }
    texts.iter().for_each(|t| put_lenenc_str(&mut data, t.as_bytes()));
    if change == Change::State {
        data.push(b'1');
    }
    out.push(kind);
    put_lenenc_str(out, &data);
}

/// An EOF packet, for clients without CLIENT_DEPRECATE_EOF.
pub fn put_eof(out: &mut Vec<u8>, warnings: u16, status: Status) {
    out.push(0xFE);
    out.extend_from_slice(&warnings.to_le_bytes());
    out.extend_from_slice(&status.0.to_le_bytes());
}

/// An error packet. MySQL cuts messages at 512 bytes.
pub fn put_error(out: &mut Vec<u8>, errno: u16, sqlstate: &[u8; 5], message: &[u8]) {
    out.push(0xFF);
    out.extend_from_slice(&errno.to_le_bytes());
    out.push(b'#');
    out.extend_from_slice(sqlstate);
    put_message(out, message);
}

/// The same in the place of a greeting, where it has no SQLSTATE.
pub fn put_error_before_greeting(out: &mut Vec<u8>, errno: u16, message: &[u8]) {
    out.push(0xFF);
    out.extend_from_slice(&errno.to_le_bytes());
    put_message(out, message);
}

fn put_message(out: &mut Vec<u8>, message: &[u8]) {
    let mut end = message.len().min(511);
    // UTF-8 is cut between characters; texts in other sets come no longer than this.
    while message.get(end).is_some_and(|b| b & 0xC0 == 0x80) && end > 0 {
        end -= 1;
    }
    out.extend_from_slice(&message[..end]);
}

/// Asks the client for a file (LOAD DATA LOCAL): it sends packets of the content, and an empty one behind the last.
pub fn put_file_request(out: &mut Vec<u8>, name: &[u8]) {
    out.push(0xFB);
    out.extend_from_slice(name);
}

/// One column of a result.
#[derive(Clone, Copy, Debug)]
pub struct Column<'a> {
    /// Schema, table, original table, name, original name, in the client's character set.
    pub names: [&'a [u8]; 5],
    pub collation: u16,
    pub length: u32,
    pub type_code: u8,
    pub flags: u16,
    pub decimals: u8,
}

impl Column<'_> {
    /// How a parameter of a prepared statement is announced.
    pub const PARAMETER: Column<'static> = Column {
        names: [b"", b"", b"", b"?", b""],
        collation: BINARY_COLLATION,
        length: 0,
        type_code: column_type::VAR_STRING,
        flags: 128,
        decimals: 0,
    };
}

/// A column definition.
pub fn put_column(out: &mut Vec<u8>, column: &Column<'_>) {
    put_lenenc_str(out, b"def");
    for name in column.names {
        put_lenenc_str(out, name);
    }
    out.push(0x0C);
    out.extend_from_slice(&column.collation.to_le_bytes());
    out.extend_from_slice(&column.length.to_le_bytes());
    out.push(column.type_code);
    out.extend_from_slice(&column.flags.to_le_bytes());
    out.push(column.decimals);
    out.extend_from_slice(&[0, 0]);
}

/// A column definition as COM_FIELD_LIST answers it: the default (here NULL) follows.
pub fn put_field(out: &mut Vec<u8>, column: &Column<'_>) {
    put_column(out, column);
    out.push(0xFB);
}

/// The head of the answer to COM_STMT_PREPARE.
pub fn put_prepared(out: &mut Vec<u8>, id: u32, columns: u16, params: u16, warnings: u16) {
    out.push(0);
    out.extend_from_slice(&id.to_le_bytes());
    out.extend_from_slice(&columns.to_le_bytes());
    out.extend_from_slice(&params.to_le_bytes());
    out.push(0);
    out.extend_from_slice(&warnings.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ok_with_and_without_tracking() {
        let ok = Ok {
            affected_rows: 1,
            last_insert_id: 300,
            status: Status::AUTOCOMMIT,
            warnings: 2,
            info: "hi",
            changes: &[Change::Schema("db")],
        };
        let mut out = Vec::new();
        put_ok(&mut out, Capabilities::PROTOCOL_41, &ok);
        assert_eq!(out, b"\x00\x01\xFC\x2C\x01\x02\x00\x02\x00\x02hi");
        out.clear();
        put_ok(&mut out, Capabilities::SESSION_TRACK, &ok);
        assert_eq!(out, b"\x00\x01\xFC\x2C\x01\x02\x40\x02\x00\x02hi\x05\x01\x03\x02db");
        // A variable and the schema, in one list; nothing for who cannot read it.
        let both = Ok { changes: &[Change::Variable("v", "850"), Change::Schema("db")], ..ok };
        out.clear();
        put_ok(&mut out, Capabilities::PROTOCOL_41, &both);
        assert_eq!(out, b"\x00\x01\xFC\x2C\x01\x02\x00\x02\x00\x02hi");
        out.clear();
        put_ok(&mut out, Capabilities::SESSION_TRACK, &Ok { info: "", ..both });
        assert_eq!(
            out,
            b"\x00\x01\xFC\x2C\x01\x02\x40\x02\x00\x00\x0D\x00\x06\x01v\x03850\x01\x03\x02db"
        );
        out.clear();
        let changes =
            &[Change::State, Change::Transaction("T_______"), Change::Characteristics("")];
        put_ok(&mut out, Capabilities::SESSION_TRACK, &Ok { changes, ..Ok::default() });
        assert_eq!(
            out,
            b"\x00\x00\x00\x00\x40\x00\x00\x00\x11\x02\x011\x05\x09\x08T_______\x04\x01\x00"
        );
    }

    #[test]
    fn end_of_rows_both_ways() {
        let ok = Ok { status: Status::IN_TRANS, warnings: 1, ..Ok::default() };
        let mut out = Vec::new();
        put_end_of_rows(&mut out, Capabilities::PROTOCOL_41, &ok);
        assert_eq!(out, [0xFE, 1, 0, 1, 0]);
        out.clear();
        put_end_of_rows(&mut out, Capabilities::OFFERED, &ok);
        assert_eq!(out, [0xFE, 0, 0, 1, 0, 1, 0]);
    }

    #[test]
    fn long_messages_are_cut_between_characters() {
        let mut out = Vec::new();
        put_error(&mut out, 1064, b"42000", "ä".repeat(400).as_bytes());
        assert_eq!(out.len(), 9 + 510);
        assert!(std::str::from_utf8(&out[9..]).is_ok());
    }
}
