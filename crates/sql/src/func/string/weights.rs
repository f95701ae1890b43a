//! WEIGHT_STRING(): the bytes by which a text is sorted.

use super::{slice, too_big};
use crate::func::{FuncCtx, Out};
use crate::value::{Charset, Collation, Value};

/// MySQL's MY_STRXFRM_PAD_TO_MAXLEN.
const FILL: u64 = 0x80;

/// Of a text; with three numbers, which is MySQL's way to ask for it from its own tests, so many bytes at most of so many characters.
pub fn weight_string(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let (Some(text), Some(c)) = (args[0].as_bytes(), args[0].collation()) else {
        return Ok(Value::Null);
    };
    let numbers: Vec<u64> = args[1..].iter().map(number).collect();
    if let [bytes, n, flags] = numbers[..] {
        return limited(cx, text, c, [bytes, n, flags]);
    }
    let mut out = Vec::new();
    c.weight_string(text, &mut out);
    Ok(Value::Bytes(out.into()))
}

fn number(v: &Value<'_>) -> u64 {
    match v {
        Value::UInt(n) => *n,
        Value::Int(n) => n.unsigned_abs(),
        _ => 0,
    }
}

/// Where spaces at the end count for nothing there are always as many characters as are asked for, spaces behind what is shorter.
fn limited(
    cx: &mut FuncCtx<'_>,
    text: &[u8],
    c: Collation,
    [bytes, count, flags]: [u64; 3],
) -> Out {
    let function = "weight_string";
    let cut = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    let (space, _) = Charset::Utf8mb4.convert(b" ", c.charset());
    let mut pad = Vec::new();
    if c.pad_space() {
        c.weight_string(&space, &mut pad);
    }
    // A character counts once, however many weights it has.
    let whole = if count > 0 { slice(c, text, 0, cut(count)) } else { text };
    let mut out = Vec::new();
    c.weight_string(whole, &mut out);
    if count > 0 && !pad.is_empty() {
        let there = cut(c.char_len(whole) as u64);
        let missing = cut(count).saturating_sub(there);
        let missing = if bytes > 0 { missing.min(cut(bytes)) } else { missing };
        if too_big(cx, out.len().saturating_add(missing.saturating_mul(pad.len())), function)? {
            return Ok(Value::Null);
        }
        (0..missing).for_each(|_| out.extend_from_slice(&pad));
    }
    if flags & FILL != 0 {
        if too_big(cx, cut(bytes), function)? {
            return Ok(Value::Null);
        }
        let fill = if pad.is_empty() { &[0][..] } else { &pad[..] };
        let missing = cut(bytes).saturating_sub(out.len()).div_ceil(fill.len());
        (0..missing).for_each(|_| out.extend_from_slice(fill));
    }
    if bytes > 0 {
        out.truncate(cut(bytes));
    }
    Ok(Value::Bytes(out.into()))
}
