//! What is wrong with bytes that should be an event.

use std::fmt;
use weir_wire::Malformed;

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The bytes are not what their type says. The text names what could not be read.
    Malformed(&'static str),
    /// The checksum of the event is another one than its bytes have.
    Checksum,
    /// The event is well formed, and nothing here can read it. The text names it.
    Refused(String),
    /// Unpacked it would be larger than this many bytes, which is what the caller allows.
    TooLarge(u64),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Malformed(what) => write!(f, "{what} cannot be read"),
            Error::Checksum => f.write_str("the checksum of the event is wrong"),
            Error::Refused(what) => write!(f, "{what} is not supported"),
            Error::TooLarge(limit) => {
                write!(f, "the compressed event has more than {limit} bytes, which is the limit")
            }
        }
    }
}

impl std::error::Error for Error {}

impl From<Malformed> for Error {
    fn from(_: Malformed) -> Error {
        Error::Malformed("the event")
    }
}
