//! COMPRESS and its opposites: the length of the text in four bytes, lowest first, and a zlib stream behind it.

use super::{FuncCtx, FuncDef, Out, def, infer};
use crate::errno;
use crate::value::cast::octet_length;
use crate::value::{Collation, TypeInfo, Value};
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

pub(super) const TABLE: &[FuncDef] = &[
    def("COMPRESS", 1, 1, infer_compress, compress).texts(),
    def("UNCOMPRESS", 1, 1, infer_uncompress, uncompress).texts(),
    def("UNCOMPRESSED_LENGTH", 1, 1, infer::int::<11>, uncompressed_length).texts(),
];

/// Bytes of the length in front.
const HEADER: usize = 4;
/// The upper two bits of the length mean nothing.
const LENGTH_MASK: u32 = 0x3FFF_FFFF;
/// Bytes that are worked off between two looks whether the statement is to end.
const PIECE: usize = 64 * 1024;

/// Bytes that a value of the type can have.
pub(super) fn octets(a: &TypeInfo) -> u32 {
    octet_length(&a.ty)
}

fn infer_compress(args: &[TypeInfo]) -> TypeInfo {
    // What zlib may need, the length in front, and a byte behind a space.
    let n = args.iter().map(octets).next().unwrap_or(0);
    let more = (n >> 12) + (n >> 14) + (n >> 25) + 18;
    let most = n.saturating_add(more).min(1 << 24);
    TypeInfo::new(infer::text_type(most, Collation::Binary), infer::any_null(args))
}

/// LONGBLOB, as in MySQL: nobody knows the length before.
fn infer_uncompress(_: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(infer::text_type(1 << 24, Collation::Binary), true)
}

fn compress(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(b) = args[0].to_octets() else { return Ok(Value::Null) };
    if b.is_empty() {
        return Ok(Value::Bytes(Vec::new().into()));
    }
    let mut out = Vec::with_capacity(b.len() / 4 + 64);
    out.extend_from_slice(&(b.len() as u32 & LENGTH_MASK).to_le_bytes());
    let mut stream = Compress::new(Compression::default(), true);
    loop {
        let at = stream.total_in() as usize;
        let end = b.len().min(at + PIECE);
        let last = end == b.len();
        out.reserve(PIECE);
        let flush = if last { FlushCompress::Finish } else { FlushCompress::None };
        let before = out.len();
        let status = stream.compress_vec(&b[at..end], &mut out, flush);
        let done = stream.total_in() as usize - at + out.len() - before;
        cx.work(done)?;
        match status {
            Ok(Status::StreamEnd) => break,
            Ok(_) if done > 0 => {}
            // It had room and did nothing: zlib's own failure.
            _ => return Ok(corrupted(cx)),
        }
    }
    // A CHAR column would lose a blank at the end.
    if out.last() == Some(&b' ') {
        out.push(b'.');
    }
    Ok(Value::Bytes(out.into()))
}

/// The length in front. `None` with a warning where there is no more than that.
fn claimed(cx: &mut FuncCtx<'_>, b: &[u8]) -> Option<usize> {
    match b.first_chunk::<HEADER>() {
        Some(head) if b.len() > HEADER => Some((u32::from_le_bytes(*head) & LENGTH_MASK) as usize),
        _ => {
            corrupted(cx);
            None
        }
    }
}

fn corrupted(cx: &mut FuncCtx<'_>) -> Value<'static> {
    cx.warnings.warn(errno::ER_ZLIB_Z_DATA_ERROR, || "ZLIB: Input data corrupted".into());
    Value::Null
}

fn no_room(cx: &mut FuncCtx<'_>) -> Value<'static> {
    let text = "ZLIB: Not enough room in the output buffer (probably, length of uncompressed data was corrupted)";
    cx.warnings.warn(errno::ER_ZLIB_Z_BUF_ERROR, || text.into());
    Value::Null
}

fn uncompress(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(b) = args[0].to_octets() else { return Ok(Value::Null) };
    if b.is_empty() {
        return Ok(Value::Bytes(Vec::new().into()));
    }
    let Some(length) = claimed(cx, &b) else { return Ok(Value::Null) };
    let max = cx.max_packet;
    if length > max {
        let text = || {
            format!(
                "Uncompressed data size too large; the maximum size is {max} (probably, length of uncompressed data was corrupted)"
            )
        };
        cx.warnings.warn(errno::ER_TOO_BIG_FOR_UNCOMPRESS, text);
        return Ok(Value::Null);
    }
    inflate(cx, &b[HEADER..], length)
}

/// What the stream holds, if it is no longer than `length`. Room is taken as it is filled: the length may be a lie.
fn inflate(cx: &mut FuncCtx<'_>, b: &[u8], length: usize) -> Out {
    let mut out = Vec::new();
    let mut room = [0; PIECE];
    let mut stream = Decompress::new(true);
    loop {
        let at = stream.total_in() as usize;
        let left = length - out.len();
        let piece = &mut room[..left.min(PIECE)];
        let status = stream.decompress(&b[at..], piece, FlushDecompress::None);
        let made = stream.total_out() as usize - out.len();
        out.extend_from_slice(&piece[..made]);
        let read = stream.total_in() as usize - at;
        cx.work(read + made)?;
        cx.reserve(out.len())?;
        match status {
            Ok(Status::StreamEnd) => return Ok(Value::Bytes(out.into())),
            Ok(_) if read + made > 0 => {}
            // Nothing is said of what comes behind the claimed length; before it, the stream ends too early.
            Ok(_) if left == 0 => return Ok(no_room(cx)),
            _ => return Ok(corrupted(cx)),
        }
    }
}

fn uncompressed_length(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(b) = args[0].to_octets() else { return Ok(Value::Null) };
    if b.is_empty() {
        return Ok(Value::Int(0));
    }
    Ok(claimed(cx, &b).map_or(Value::Null, |n| Value::Int(n as i64)))
}

#[cfg(test)]
mod tests {
    use super::super::{lookup, testing::*};
    use super::*;
    use crate::value::{EvalCtx, NoSession};

    fn bytes(b: &[u8]) -> Value<'static> {
        Value::Bytes(b.to_vec().into())
    }

    /// The result and the numbers of the warnings, with so large a packet.
    fn warned(name: &str, arg: Value<'_>, max: usize) -> (Option<Vec<u8>>, Vec<u16>) {
        let mut cx = EvalCtx::new(&NoSession);
        cx.max_packet = max;
        let v = (lookup(name).expect("there").eval)(&mut cx, &[arg]).expect("no error");
        let codes = cx.warnings.list().iter().map(|w| w.code).collect();
        (v.to_bytes().map(|b| b.to_vec()), codes)
    }

    #[test]
    fn what_is_compressed_comes_back() {
        for n in [0usize, 1, 5, 1000, PIECE - 1, PIECE, PIECE + 1, 5 * PIECE + 3] {
            let noise = |i: usize| (i.wrapping_mul(2_654_435_761) >> 13) as u8;
            for text in [vec![b'a'; n], (0..n).map(noise).collect()] {
                let packed = call("COMPRESS", &[bytes(&text)]).expect("packs");
                assert_eq!(run("UNCOMPRESSED_LENGTH", &[packed.borrow()]), Some(n.to_string()));
                let back = call("UNCOMPRESS", &[packed]).expect("unpacks");
                assert_eq!(back.as_bytes(), Some(&text[..]), "{n}");
            }
        }
        for name in ["COMPRESS", "UNCOMPRESS", "UNCOMPRESSED_LENGTH"] {
            assert_eq!(run(name, &[Value::Null]), None);
        }
        // A stream of zlib's own, at its default level.
        let foreign = b"\x03\0\0\0\x78\x9c\x4b\x4c\x4a\x06\0\x02\x4d\x01\x27";
        assert_eq!(run("UNCOMPRESS", &[bytes(foreign)]).as_deref(), Some("abc"));
    }

    #[test]
    fn broken_data_is_null_with_a_warning() {
        let good = warned("COMPRESS", s("abcabcabcabc"), 1 << 20).0.expect("packs");
        let with = |f: &dyn Fn(&mut Vec<u8>)| {
            let mut b = good.clone();
            f(&mut b);
            warned("UNCOMPRESS", bytes(&b), 1 << 20)
        };
        assert_eq!(warned("UNCOMPRESS", s("abcd"), 1 << 20), (None, vec![1259]));
        assert_eq!(warned("UNCOMPRESSED_LENGTH", s("abcd"), 1 << 20), (None, vec![1259]));
        assert_eq!(warned("UNCOMPRESS", s("aaaaaaaaaaaa"), 1 << 30), (None, vec![1259]));
        assert_eq!(with(&|b| b.truncate(b.len() - 7)), (None, vec![1259]), "cut in the text");
        assert_eq!(with(&|b| b.truncate(b.len() - 1)), (None, vec![1258]), "cut in the checksum");
        assert_eq!(with(&|b| b[8] ^= 0x55).0, None, "changed");
        assert_eq!(with(&|b| b[0] = 3), (None, vec![1258]), "longer than it says");
        assert_eq!(with(&|b| b[0] = 0), (None, vec![1258]), "nothing at all, it says");
        assert_eq!(with(&|b| b[2] = 0xFF), (None, vec![1256]), "too long, it says");
        // Shorter than it says, upper bits, and bytes behind the end are as good as MySQL finds them.
        let want = Some(b"abcabcabcabc".to_vec());
        assert_eq!(with(&|b| b[0] = 99), (want.clone(), vec![]));
        assert_eq!(with(&|b| b[3] = 0xC0), (want.clone(), vec![]));
        assert_eq!(with(&|b| b.push(b'.')), (want, vec![]));
        // A lie about the length takes no memory before the stream proves it.
        let mut lie = good.clone();
        lie[..4].copy_from_slice(&LENGTH_MASK.to_le_bytes());
        assert!(warned("UNCOMPRESS", bytes(&lie), 1 << 30).0.is_some());
    }
}
