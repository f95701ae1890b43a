use super::*;
use proptest::prelude::*;

const ALL: [Algorithm; 4] =
    [Algorithm::Zlib, Algorithm::Zstd(1), Algorithm::Zstd(3), Algorithm::Zstd(22)];

/// Feeds `bytes` by `step` and takes out into rooms of `room`.
fn unpack(
    unpacker: &mut Unpacker,
    mut bytes: &[u8],
    step: usize,
    room: usize,
) -> Result<Vec<u8>, FrameError> {
    let mut got = Vec::new();
    let mut into = vec![0; room];
    loop {
        let n = unpacker.unpack(&mut into)?;
        got.extend_from_slice(&into[..n]);
        if n > 0 {
            continue;
        }
        if bytes.is_empty() {
            return Ok(got);
        }
        let space = unpacker.space();
        let n = bytes.len().min(step).min(space.len());
        space[..n].copy_from_slice(&bytes[..n]);
        unpacker.filled(n);
        bytes = &bytes[n..];
    }
}

fn pack(packer: &mut Packer, plain: &[u8]) -> Vec<u8> {
    plain.chunks(PIECE).flat_map(|piece| packer.pack(piece).to_vec()).collect()
}

/// A packet by hand: sequence number, claimed length, bytes.
fn packet(sequence: u8, plain: usize, bytes: &[u8]) -> Vec<u8> {
    let mut out = (bytes.len() as u32).to_le_bytes()[..3].to_vec();
    out.push(sequence);
    out.extend_from_slice(&(plain as u32).to_le_bytes()[..3]);
    out.extend_from_slice(bytes);
    out
}

fn compressed(algorithm: Algorithm, plain: &[u8]) -> Vec<u8> {
    let mut out = vec![0; plain.len() + 1000];
    let n = Compressor::new(algorithm).unwrap().compress(plain, &mut out).unwrap();
    out.truncate(n);
    out
}

fn fresh(algorithm: Algorithm) -> Unpacker {
    algorithm.layer(64 << 20).0
}

fn text(len: usize) -> Vec<u8> {
    (0..len).map(|i| b"insert into t values (1, 'abc'), "[(i * i / 7) % 33]).collect()
}

#[test]
fn every_cut_gives_the_same_bytes() {
    let plain = text(300);
    for algorithm in ALL {
        let packed = pack(&mut algorithm.layer(1 << 20).1, &plain);
        assert!(packed.len() < plain.len());
        for step in 1..packed.len() + 1 {
            for room in [1, 2, 7, 299, 300, 301, 4096] {
                let got = unpack(&mut fresh(algorithm), &packed, step, room);
                assert_eq!(got.as_ref(), Ok(&plain), "{algorithm:?} {step} {room}");
            }
        }
        for cut in 0..packed.len() {
            let got = unpack(&mut fresh(algorithm), &packed[..cut], 64, 4096).unwrap();
            assert!(got.len() < plain.len(), "the end is kept until the packet is whole");
        }
    }
}

#[test]
fn short_and_random_bytes_go_as_they_are() {
    for algorithm in ALL {
        let (mut unpacker, mut packer) = algorithm.layer(1 << 20);
        let short = [7; LEAST - 1];
        let packed = packer.pack(&short).to_vec();
        assert_eq!(packed, packet(0, 0, &short));
        let mut x = 1u32;
        let noise: Vec<u8> = (0..1000)
            .map(|_| {
                x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (x >> 24) as u8
            })
            .collect();
        let packed = packer.pack(&noise).to_vec();
        assert_eq!(packed, packet(1, 0, &noise));
        unpacker.begin_command();
        unpacker.sequence.store(1, Relaxed);
        assert_eq!(unpack(&mut unpacker, &packed, 100, 64), Ok(noise));
        assert_eq!(packer.pack(&[7; LEAST]).len(), packer.out.len());
        assert!(packer.out.len() < LEAST && packer.out[3] == 2, "both halves count together");
    }
}

#[test]
fn lies_about_lengths_and_broken_bytes() {
    let plain = text(5000);
    for algorithm in ALL {
        let bytes = compressed(algorithm, &plain);
        let with = |claimed: usize, bytes: &[u8], step| {
            unpack(&mut fresh(algorithm), &packet(0, claimed, bytes), step, 4096)
        };
        assert_eq!(with(5000, &bytes, 9).as_ref(), Ok(&plain));
        for step in [1, 100, 100_000] {
            for claimed in [1, 2, 4999, 5001, 16 << 10, MAX_FRAME] {
                let got = with(claimed, &bytes, step);
                assert_eq!(got, Err(FrameError::Uncompress), "{algorithm:?} {claimed} {step}");
            }
            for cut in [0, 1, bytes.len() / 2, bytes.len() - 1] {
                assert_eq!(with(5000, &bytes[..cut], step), Err(FrameError::Uncompress), "{cut}");
            }
            let mut longer = bytes.clone();
            longer.push(0);
            assert_eq!(with(5000, &longer, step), Err(FrameError::Uncompress));
            assert_eq!(with(5000, &plain, step), Err(FrameError::Uncompress), "not compressed");
        }
    }
    // The sum at the end of zlib's bytes.
    let mut bytes = compressed(Algorithm::Zlib, &plain);
    *bytes.last_mut().unwrap() ^= 1;
    let got = unpack(&mut fresh(Algorithm::Zlib), &packet(0, 5000, &bytes), 100, 4096);
    assert_eq!(got, Err(FrameError::Uncompress));
}

#[test]
fn numbers_and_limits_are_seen_at_the_header() {
    for algorithm in ALL {
        let header = &packet(1, 5, b"")[..7];
        let e = unpack(&mut fresh(algorithm), header, 100, 64).unwrap_err();
        assert_eq!(e, FrameError::OutOfOrder { want: 0, got: 1 });
        let (mut small, _) = algorithm.layer(100_000);
        let header = packet(0, 100_005, b"");
        assert_eq!(unpack(&mut small, &header, 100, 64), Err(FrameError::TooLarge));
        let mut header = packet(0, 100, b"");
        header[..3].copy_from_slice(&[0xFF; 3]);
        let (mut small, _) = algorithm.layer(100_000);
        assert_eq!(unpack(&mut small, &header, 100, 64), Err(FrameError::TooLarge));
        // An empty one is nothing.
        let both = [packet(0, 0, b""), packet(1, 0, b"x")].concat();
        assert_eq!(unpack(&mut fresh(algorithm), &both, 1, 64), Ok(b"x".to_vec()));
    }
}

/// 16 MiB of zeros in a few bytes: they pass through, and nothing is kept.
#[test]
fn a_bomb_needs_no_memory() {
    let plain = vec![0; MAX_FRAME];
    for algorithm in [Algorithm::Zlib, Algorithm::Zstd(3)] {
        let bytes = packet(0, MAX_FRAME, &compressed(algorithm, &plain));
        let mut unpacker = fresh(algorithm);
        assert!(unpack(&mut unpacker, &bytes, 1 << 20, 4096).is_ok_and(|got| got == plain));
        assert!(unpacker.raw.len() <= CHUNK);
        assert!(unpacker.decompressor.is_none(), "a large window is not kept");
        unpacker.shrink();
        assert_eq!(unpacker.raw.capacity(), 0);
    }
}

/// A frame of zstd that wants a window larger than any packet.
#[test]
fn a_window_that_is_only_claimed_is_refused() {
    // Magic number, no single segment, a window of 2^27 bytes; then a block of one byte.
    let frame = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x88, 0x09, 0x00, 0x00, b'x'];
    let (mut unpacker, _) = Algorithm::Zstd(3).layer(1 << 20);
    assert_eq!(unpack(&mut unpacker, &packet(0, 1, &frame), 100, 64), Err(FrameError::Uncompress));
    // With 2^16 it is in order.
    let frame = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x30, 0x09, 0x00, 0x00, b'x'];
    let (mut unpacker, _) = Algorithm::Zstd(3).layer(1 << 20);
    assert_eq!(unpack(&mut unpacker, &packet(0, 1, &frame), 100, 64), Ok(b"x".to_vec()));
}

proptest! {
    #[test]
    fn round_trips(
        pieces in proptest::collection::vec(proptest::collection::vec(0u8..4, 0..2000), 0..6),
        which in 0usize..4,
        step in 1usize..3000,
        room in 1usize..3000,
    ) {
        let (_, mut packer) = ALL[which].layer(1 << 20);
        let packed: Vec<u8> = pieces.iter().flat_map(|p| packer.pack(p).to_vec()).collect();
        let mut unpacker = fresh(ALL[which]);
        let got = unpack(&mut unpacker, &packed, step, room);
        prop_assert_eq!(got, Ok(pieces.concat()));
        prop_assert!(!unpacker.has_buffered());
    }

    #[test]
    fn garbage_never_panics(
        bytes: Vec<u8>,
        claimed in 0usize..5000,
        which in 0usize..4,
        step in 1usize..64,
    ) {
        let _ = unpack(&mut fresh(ALL[which]), &packet(0, claimed, &bytes), step, 100);
        // What is nearly right goes deeper.
        let mut nearly = compressed(ALL[which], &text(claimed));
        if let (Some(at), Some(b)) = (bytes.first(), bytes.get(1)) {
            let at = usize::from(*at) % nearly.len();
            nearly[at] ^= b;
        }
        let got = unpack(&mut fresh(ALL[which]), &packet(0, claimed, &nearly), step, 100);
        prop_assert!(got.is_err() || got.is_ok_and(|g| g.len() <= claimed.max(nearly.len())));
    }
}
