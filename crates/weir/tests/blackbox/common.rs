//! A server of its own for each test, and a small client that speaks raw packets.
//!
//! The client encodes and decodes by hand, so that it shares no mistake with the server's codec.

mod client;
mod compress;
mod server;
mod tls;

pub use client::{
    AUTOCOMMIT, Answer, Cell, Client, Failure, Fields, IN_TRANSACTION, Login, MORE_RESULTS,
    NO_INDEX_USED, Pipe, cap, execute_packet, failure, param,
};
pub use compress::{Method, pack};
pub use server::{Server, run_to_end};
pub use tls::{Certified, Trust, tls_client, tls_config};

use std::time::{Duration, Instant};

/// Longest wait for something that must happen; a machine under load may need some of it.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Waits until `ready` says so.
pub fn until(what: &str, mut ready: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !ready() {
        assert!(begun.elapsed() < PATIENCE, "waited too long until {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
