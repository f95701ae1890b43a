//! The MySQL client/server protocol as a codec: bytes in, events out.
//!
//! Sans I/O: [`frame`] cuts the byte stream into packets, [`handshake`] and [`auth`] read and
//! write the login, [`command`] decodes what a client asks, [`params`] the parameters of prepared
//! statements, and [`response`], [`text`] and [`binary`] append answers to one output buffer.
//! `compress` (a feature) is the layer below the packets when the client asks for it.
//! Nothing here reads a socket, hashes a password or knows SQL.
//!
//! Invariants: decoders never panic and never allocate more than a small multiple of what they
//! were given; encoders only append; every packet that leaves is framed by [`frame::Writer`],
//! which alone counts sequence numbers and splits at 16 MiB - 1.
//!
//! Source: MySQL 8.0 "Client/Server Protocol" in the MySQL internals documentation.
#![forbid(unsafe_code)]

pub mod auth;
pub mod binary;
pub mod command;
#[cfg(feature = "compress")]
pub mod compress;
pub mod constants;
pub mod frame;
pub mod handshake;
mod number;
pub mod params;
mod reader;
pub mod response;
pub mod text;

pub use constants::{Capabilities, Status};
pub use frame::{FrameError, Framer, Writer};
pub use reader::{Malformed, Reader};

/// Appends a length-encoded integer.
#[inline]
pub fn put_lenenc_int(out: &mut Vec<u8>, n: u64) {
    match n {
        0..=250 => out.push(n as u8),
        _ => put_long_int(out, n),
    }
}

fn put_long_int(out: &mut Vec<u8>, n: u64) {
    match n {
        251..=0xFFFF => {
            out.push(0xFC);
            out.extend_from_slice(&(n as u16).to_le_bytes());
        }
        0x1_0000..=0xFF_FFFF => {
            out.push(0xFD);
            out.extend_from_slice(&(n as u32).to_le_bytes()[..3]);
        }
        _ => {
            out.push(0xFE);
            out.extend_from_slice(&n.to_le_bytes());
        }
    }
}

/// Appends a length-encoded string.
#[inline]
pub fn put_lenenc_str(out: &mut Vec<u8>, text: &[u8]) {
    put_lenenc_int(out, text.len() as u64);
    out.extend_from_slice(text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lenenc_borders() {
        for (n, len) in [(0, 1), (250, 1), (251, 3), (65_535, 3), (65_536, 4), (1 << 24, 9)] {
            let mut out = Vec::new();
            put_lenenc_int(&mut out, n);
            assert_eq!(out.len(), len, "{n}");
        }
    }

    proptest! {
        #[test]
        fn lenenc_round_trips(n: u64, text: Vec<u8>) {
            let mut out = Vec::new();
            put_lenenc_int(&mut out, n);
            put_lenenc_str(&mut out, &text);
            let mut reader = Reader::new(&out);
            prop_assert_eq!(reader.lenenc_int().unwrap(), n);
            prop_assert_eq!(reader.lenenc_str().unwrap(), &text[..]);
            prop_assert!(reader.is_empty());
        }
    }
}
