//! Why a client cannot log in, by itself: what a server says in an error packet is not here.

use std::fmt;
use weir_wire::Malformed;
use weir_wire::auth::{CACHING_SHA2, NATIVE};

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    Malformed,
    /// TLS is asked for, and the server has none.
    NoTls,
    /// The account logs in by a method that is unknown here.
    UnknownMethod(String),
    UnknownDialogue,
    /// The password would have to be sent in clear.
    Unprotected,
    /// The server was asked for its RSA key and sent something else.
    NoKey,
    /// The RSA key cannot be used.
    BadKey,
    /// The password is longer than what the key can seal.
    TooLong,
}

impl Error {
    /// The number of MySQL's client library.
    pub fn errno(&self) -> u16 {
        match self {
            Error::Malformed => 2027,
            Error::NoTls => 2026,
            Error::UnknownMethod(_) | Error::UnknownDialogue => 2059,
            Error::Unprotected | Error::NoKey | Error::BadKey | Error::TooLong => 2061,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reported = match self {
            Error::Malformed => return f.write_str("Malformed packet"),
            Error::NoTls => {
                return f.write_str(
                    "SSL connection error: SSL is required, but the server does not support it",
                );
            }
            Error::UnknownMethod(name) => {
                return write!(
                    f,
                    "Authentication plugin '{name}' cannot be loaded: use an account with {CACHING_SHA2} or {NATIVE}"
                );
            }
            Error::UnknownDialogue => {
                return f.write_str("The server wants a login dialogue that is unknown here");
            }
            Error::Unprotected => "Authentication requires secure connection.",
            Error::NoKey => "The server did not send its RSA key.",
            Error::BadKey => "The server's RSA key cannot be used.",
            Error::TooLong => "The password is too long for the server's RSA key.",
        };
        write!(f, "Authentication plugin '{CACHING_SHA2}' reported error: {reported}")
    }
}

impl std::error::Error for Error {}

impl From<Malformed> for Error {
    fn from(_: Malformed) -> Error {
        Error::Malformed
    }
}
