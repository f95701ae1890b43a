//! What a client may send.

use crate::split;
use weir_wire::{Capabilities, Framer, command, handshake, params};

/// A byte stream cut into packets, each decoded in every way that some state of a connection would.
pub fn packet(data: &[u8]) {
    let (how, rest) = split(data);
    let mut framer = Framer::new(4096);
    let step = usize::from(how % 32) + 1;
    for chunk in rest.chunks(step) {
        let space = framer.space();
        let n = chunk.len().min(space.len());
        space[..n].copy_from_slice(&chunk[..n]);
        framer.filled(n);
        loop {
            match framer.poll_packet() {
                Ok(true) => decode(framer.packet()),
                Ok(false) => break,
                Err(_) => return decode(rest),
            }
        }
    }
    decode(rest);
}

fn decode(p: &[u8]) {
    let _ = handshake::decode_hello(p);
    let _ = handshake::decode_greeting(p);
    for capabilities in [0, u32::MAX, p.iter().fold(7, |h, b| h.wrapping_mul(31) ^ u32::from(*b))] {
        let _ = handshake::decode_change_user(p, Capabilities(capabilities));
    }
    if let Ok(command::Command::StmtExecute(e)) = command::decode(p) {
        parameters(e.params);
    }
    parameters(p);
}

fn parameters(body: &[u8]) {
    for count in [0, 1, 7, 300] {
        let mut types = Vec::new();
        let mut seen = 0;
        let decoded = params::decode(body, count, &mut types, |i| i % 3 == 2, |_| seen += 1);
        assert!(seen <= count);
        assert!(decoded.is_err() || seen == count);
        // The second execution leaves the types out.
        let _ = params::decode(body, count, &mut types, |_| false, |_| ());
    }
}
