//! What can go wrong, as one type: MySQL's number, its SQLSTATE, its text, and the class that a program decides by.

use std::fmt;
use std::path::PathBuf;
use weir_sql::errno::*;
use weir_sql::session_api::SqlError;

/// The result of everything in this crate that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// What a program does about an error depends on its class, not on its number.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// The text of the statement cannot be read.
    Syntax,
    /// A table, column, schema or another thing of that name is not there.
    NotFound,
    /// A thing of that name is there already.
    Exists,
    /// The rows that were to be written break a key, a foreign key, NOT NULL or a CHECK.
    Constraint,
    /// A value does not fit its column, or is not of its type.
    Data,
    /// Another transaction was in the way: roll back and do the whole transaction again.
    Retryable,
    /// The statement may not be executed: rights, read-only transactions and settings.
    Access,
    /// Memory, disk space, files or another limit is used up.
    Resource,
    /// The statement was interrupted, or its time was over.
    Interrupted,
    /// It is MySQL, and not built here.
    NotSupported,
    /// There is no database to ask: it cannot be opened, is closed, or cannot go on.
    Unavailable,
    /// The program has called in a wrong order or with wrong arguments.
    Usage,
    /// Everything else.
    Other,
}

/// An error of the database or of its use.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// A statement failed.
    Sql {
        /// MySQL's number, for example 1062.
        number: u16,
        /// Its five characters of SQLSTATE.
        sqlstate: [u8; 5],
        /// MySQL's text.
        message: String,
    },
    /// The data directory belongs to another process, or to this one, which has opened it before.
    InUse {
        /// The data directory.
        path: PathBuf,
        /// Who uses it, as far as that is known: the process's number stands in the text.
        message: String,
    },
    /// The database cannot be opened.
    Open {
        /// Why.
        message: String,
    },
    /// An option that there is not, or a value that it does not take.
    Option {
        /// Its name as it was given.
        name: String,
        /// What is wrong with it.
        message: String,
    },
    /// A value of a row is not of the type that was asked for.
    Conversion {
        /// The column: its name, or its number from 0.
        column: String,
        /// What was found and what was wanted.
        message: String,
    },
    /// A row has no such column.
    NoSuchColumn {
        /// The name, or the number from 0.
        column: String,
    },
    /// There is no row, and one was asked for.
    NoRow,
    /// A transaction's guard is still there, and its transaction has ended: by a deadlock, by a statement that commits, or by COMMIT or
    /// ROLLBACK as a statement. What follows would be outside of it.
    TransactionEnded,
    /// This process was forked from the one that has opened the database. Its threads are not here, and its files are not this process's.
    Forked {
        /// The process that has opened it.
        pid: u32,
    },
    /// The connection was killed, or the database is closed.
    Closed,
    /// The call cannot be made now, or not with these arguments.
    Misuse {
        /// What was wrong with the call.
        message: String,
    },
    /// The storage engine cannot go on, and nothing more can be promised: the next open recovers what was committed.
    Failed {
        /// What has happened.
        message: String,
    },
}

/// CR_CONNECTION_ERROR, of MySQL's client library.
const CR_CONNECTION_ERROR: u16 = 2002;
/// CR_SERVER_GONE_ERROR.
const CR_SERVER_GONE: u16 = 2006;
/// CR_COMMANDS_OUT_OF_SYNC.
const CR_OUT_OF_SYNC: u16 = 2014;
/// CR_UNSUPPORTED_PARAM_TYPE.
const CR_WRONG_TYPE: u16 = 2036;
/// CR_NO_DATA.
const CR_NO_DATA: u16 = 2051;
/// ER_NO_SUCH_COLUMN's place is taken by that of a statement's unknown column.
const NO_SUCH_COLUMN: u16 = ER_BAD_FIELD_ERROR;
/// ER_ERROR_DURING_COMMIT.
const ER_ERROR_DURING_COMMIT: u16 = 1180;

/// Classes of MySQL's numbers whose SQLSTATE does not tell it.
const BY_NUMBER: &[(Class, &[u16])] = &[
    (Class::Retryable, &[ER_LOCK_DEADLOCK, ER_LOCK_WAIT_TIMEOUT, 3572, ER_CHECKREAD, 1412]),
    (Class::Interrupted, &[ER_QUERY_INTERRUPTED, 3024, 1028]),
    (Class::NotSupported, &[ER_NOT_SUPPORTED_YET, 1178, 1286, 1289, 1295, 1845, 1846]),
    (Class::NotFound, &[1008, ER_BAD_DB_ERROR, 1091, 1094, 1176, 1243, 1305, 1360, 1539, 1054]),
    (Class::Exists, &[1007, 1050, 1060, 1061, 1304, 1359, 1537, 1826]),
    (Class::Constraint, &[1169, 1216, 1217, 1364, 1369, 1451, 1452, 1557, 1761, 1762, 3819]),
    (Class::Access, &[1044, 1045, 1142, 1143, 1227, 1290, 1370, 1792, 1836, 3955]),
    (
        Class::Resource,
        &[1021, 1037, 1038, 1040, 1041, 1114, 1135, 1203, 1206, 1226, 1390, 1461, 1637, 4081, 4082],
    ),
    (Class::Syntax, &[1064, 1065, 1149]),
    (Class::Data, &[1136, 1264, 1265, 1292, 1366, 1406, 1411, 1416, 1525, 1690, 3140, 3156]),
    (Class::Unavailable, &[1053, 1927, 4031]),
    (Class::Usage, &[1046, 1210, 1156]),
];

fn class_of(number: u16, sqlstate: &[u8; 5]) -> Class {
    let listed = BY_NUMBER.iter().find(|(_, numbers)| numbers.contains(&number));
    if let Some((class, _)) = listed {
        return *class;
    }
    match sqlstate {
        b"40001" => Class::Retryable,
        b"42S02" | b"42S22" => Class::NotFound,
        b"42S01" | b"42S21" => Class::Exists,
        b"28000" => Class::Access,
        s if s.starts_with(b"23") => Class::Constraint,
        s if s.starts_with(b"22") || s.starts_with(b"21") => Class::Data,
        s if s.starts_with(b"08") => Class::Unavailable,
        s if s.starts_with(b"25") => Class::Access,
        s if s.starts_with(b"42") => Class::Syntax,
        _ => Class::Other,
    }
}

impl Error {
    /// MySQL's number. What a server cannot say has the number that MySQL's client library gives it.
    pub fn number(&self) -> u16 {
        match self {
            Error::Sql { number, .. } => *number,
            Error::InUse { .. } | Error::Open { .. } => CR_CONNECTION_ERROR,
            Error::Option { .. } => ER_WRONG_VALUE_FOR_VAR,
            Error::Conversion { .. } => CR_WRONG_TYPE,
            Error::NoSuchColumn { .. } => NO_SUCH_COLUMN,
            Error::NoRow => CR_NO_DATA,
            Error::TransactionEnded => ER_ERROR_DURING_COMMIT,
            Error::Forked { .. } | Error::Closed | Error::Failed { .. } => CR_SERVER_GONE,
            Error::Misuse { .. } => CR_OUT_OF_SYNC,
        }
    }

    /// The SQLSTATE: five characters.
    pub fn sqlstate(&self) -> &str {
        let bytes: &[u8; 5] = match self {
            Error::Sql { sqlstate, .. } => sqlstate,
            Error::InUse { .. } | Error::Open { .. } => b"08001",
            Error::Forked { .. } | Error::Closed | Error::Failed { .. } => b"08S01",
            Error::NoSuchColumn { .. } => b"42S22",
            Error::NoRow => b"02000",
            Error::Option { .. } => b"42000",
            _ => b"HY000",
        };
        std::str::from_utf8(bytes).unwrap_or("HY000")
    }

    /// What a program decides by.
    pub fn class(&self) -> Class {
        match self {
            Error::Sql { number, sqlstate, .. } => class_of(*number, sqlstate),
            Error::InUse { .. } | Error::Open { .. } | Error::Closed | Error::Failed { .. } => {
                Class::Unavailable
            }
            Error::Option { .. } | Error::Misuse { .. } | Error::Forked { .. } => Class::Usage,
            Error::Conversion { .. } => Class::Data,
            Error::NoSuchColumn { .. } | Error::NoRow => Class::NotFound,
            Error::TransactionEnded => Class::Retryable,
        }
    }

    /// Whether the whole transaction may well succeed when it is done again.
    pub fn is_retryable(&self) -> bool {
        self.class() == Class::Retryable
    }

    pub(crate) fn misuse(message: impl Into<String>) -> Error {
        Error::Misuse { message: message.into() }
    }
}

impl From<SqlError> for Error {
    fn from(e: SqlError) -> Error {
        Error::Sql { number: e.errno, sqlstate: e.sqlstate, message: e.message }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Sql { number, message, .. } => {
                write!(f, "ERROR {number} ({}): {message}", self.sqlstate())
            }
            Error::InUse { message, .. }
            | Error::Open { message }
            | Error::Misuse { message }
            | Error::Failed { message } => f.write_str(message),
            Error::Option { name, message } => write!(f, "option '{name}': {message}"),
            Error::Conversion { column, message } => write!(f, "column {column}: {message}"),
            Error::NoSuchColumn { column } => write!(f, "the row has no column {column}"),
            Error::NoRow => f.write_str("the statement gave no row"),
            Error::TransactionEnded => f.write_str(
                "the transaction has ended before its guard: by a deadlock, or by a statement that commits or rolls back",
            ),
            Error::Forked { pid } => write!(
                f,
                "the database was opened by process {pid}, from which this one was forked: open it after the fork"
            ),
            Error::Closed => f.write_str("the connection is closed"),
        }
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_well_known_errors() {
        let class = |number| Error::from(SqlError::new(number, "")).class();
        for (number, expected) in [
            (1213, Class::Retryable),
            (1205, Class::Retryable),
            (1062, Class::Constraint),
            (1048, Class::Constraint),
            (1452, Class::Constraint),
            (3819, Class::Constraint),
            (1064, Class::Syntax),
            (1146, Class::NotFound),
            (1054, Class::NotFound),
            (1049, Class::NotFound),
            (1050, Class::Exists),
            (1264, Class::Data),
            (1366, Class::Data),
            (1317, Class::Interrupted),
            (3024, Class::Interrupted),
            (1235, Class::NotSupported),
            (1142, Class::Access),
            (1792, Class::Access),
            (1114, Class::Resource),
            (1053, Class::Unavailable),
            (1105, Class::Other),
        ] {
            assert_eq!(class(number), expected, "{number}");
        }
    }

    #[test]
    fn no_number_is_in_two_classes() {
        let mut seen = std::collections::HashMap::new();
        for (class, numbers) in BY_NUMBER {
            for n in *numbers {
                if let Some(other) = seen.insert(*n, *class) {
                    assert_eq!((other, *n), (*class, *n));
                }
            }
        }
    }
}
