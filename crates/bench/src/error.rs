//! Errors as the command shows them, and what a workload does about each kind.

use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The server answered a statement with an error.
    Server { errno: u16, message: String },
    /// The connection is gone; another one may work.
    Lost(String),
    /// Wrong usage, or something that no retry can change; the text names the object and the way out.
    Other(String),
}

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub fn other(text: impl Into<String>) -> Error {
        Error::Other(text.into())
    }

    /// The transaction was rolled back or can be; running it again may succeed.
    ///
    /// 1205 lock wait timeout, 1213 deadlock, 1020 a row changed since the snapshot (MariaDB's snapshot isolation).
    pub fn is_conflict(&self) -> bool {
        matches!(self, Error::Server { errno: 1020 | 1205 | 1213, .. })
    }

    /// The server is going away or refuses for the moment: as good as a lost connection.
    pub fn is_lost(&self) -> bool {
        match self {
            Error::Lost(_) => true,
            Error::Server { errno, .. } => matches!(errno, 1040 | 1053 | 1077 | 1927 | 2006 | 2013),
            Error::Other(_) => false,
        }
    }

    pub fn errno(&self) -> u16 {
        match self {
            Error::Server { errno, .. } => *errno,
            _ => 0,
        }
    }

    /// The same error, told what it was about.
    pub fn at(self, what: impl fmt::Display) -> Error {
        match self {
            Error::Server { errno, message } => {
                Error::Server { errno, message: format!("{message} ({what})") }
            }
            Error::Lost(m) => Error::Lost(format!("{m} ({what})")),
            Error::Other(m) => Error::Other(format!("{m} ({what})")),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Server { errno, message } => write!(f, "the server says {errno}: {message}"),
            Error::Lost(m) => write!(f, "connection lost: {m}"),
            Error::Other(m) => f.write_str(m),
        }
    }
}

impl std::error::Error for Error {}

impl From<std::io::Error> for Error {
    fn from(e: std::io::Error) -> Error {
        Error::Lost(e.to_string())
    }
}
