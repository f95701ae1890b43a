//! Functions of text.

mod chosen;
mod sets;
mod table;
mod weights;

pub use chosen::{FIELD_OF_NUMBERS, is_taken};
pub use sets::{IN_SET, OF_CONNECTION};
pub(super) use table::TABLE;

use super::infer;
use super::{ANY, FuncCtx, FuncDef, Out, def};
use crate::errno;
use crate::value::{Charset, Collation, SqlMode, Value, ValueError};
use std::borrow::Cow;

/// The collation a function of these values works in.
pub(crate) fn collation_of(cx: &FuncCtx<'_>, args: &[Value<'_>]) -> Collation {
    let mut best: Option<Collation> = None;
    for c in args.iter().filter_map(Value::collation) {
        best = Some(match best {
            None => c,
            Some(b) if b == c || b.is_binary() => b,
            Some(_) if c.is_binary() => c,
            Some(b) if b.charset() != c.charset() => {
                crate::value::compare::wider(b, c).unwrap_or(b)
            }
            // Binding gave the arguments one collation, except for parameters of unknown type: those have the
            // connection's, and the weaker claim.
            Some(b) if b.is_bytewise() || c == cx.collation => b,
            Some(_) => c,
        });
    }
    best.unwrap_or(cx.collation)
}

fn text<'v>(v: &'v Value<'_>, c: Collation) -> Option<Cow<'v, [u8]>> {
    v.to_text_in(c)
}

/// NULL with warning 1301 when a result would pass max_allowed_packet. Functions whose results may be many times as long as
/// their arguments ask before they make one, and it is charged here; for the others it is asked of the result.
pub(crate) fn too_big(cx: &mut FuncCtx<'_>, len: usize, name: &str) -> Result<bool, ValueError> {
    if len <= cx.max_packet {
        cx.reserve(len)?;
        return Ok(false);
    }
    let max = cx.max_packet;
    let text =
        || format!("Result of {name}() was larger than max_allowed_packet ({max}) - truncated");
    cx.warnings.warn(errno::ER_WARN_ALLOWED_PACKET_OVERFLOWED, text);
    Ok(true)
}

/// Bytes of a text for which memory is taken before it is known whether it may be as long.
const SHORT: usize = 4096;

fn concat(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let c = collation_of(cx, args);
    // Short texts are put together in one piece of memory.
    let room: usize = args.iter().map(|v| if let Value::Str(b, _) = v { b.len() } else { 8 }).sum();
    let mut out = Vec::with_capacity(room.min(SHORT));
    for v in args {
        match text(v, c) {
            Some(t) => {
                if too_big(cx, out.len() + t.len(), "concat")? {
                    return Ok(Value::Null);
                }
                out.extend_from_slice(&t);
            }
            None => return Ok(Value::Null),
        }
    }
    Ok(Value::text(out, c))
}

/// Length of parts with a separator between each two.
fn joined<T: AsRef<[u8]>>(parts: &[T], separator: &[u8]) -> usize {
    parts.iter().map(|p| p.as_ref().len()).sum::<usize>() + separator.len() * parts.len()
}

fn concat_ws(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let c = collation_of(cx, args);
    let Some(separator) = text(&args[0], c) else { return Ok(Value::Null) };
    let parts: Vec<_> = args[1..].iter().filter_map(|v| text(v, c)).collect();
    if too_big(cx, joined(&parts, &separator), "concat_ws")? {
        return Ok(Value::Null);
    }
    Ok(Value::text(parts.join(&separator[..]), c))
}

fn length(_: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    Ok(octets(&args[0]).map_or(Value::Null, |n| Value::Int(n as i64)))
}

fn octets(v: &Value<'_>) -> Option<usize> {
    match v {
        Value::Str(b, c) => Some(c.charset().octets(b)),
        other => other.to_bytes().map(|b| b.len()),
    }
}

fn bit_length(_: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    Ok(octets(&args[0]).map_or(Value::Null, |n| Value::Int(n as i64 * 8)))
}

fn char_length(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let c = collation_of(cx, args);
    Ok(args[0].to_bytes().map_or(Value::Null, |b| Value::Int(c.char_len(&b) as i64)))
}

/// Bytes of `chars` characters from character `from` on.
fn slice(c: Collation, s: &[u8], from: usize, chars: usize) -> &[u8] {
    let start = c.prefix_bytes(s, from);
    let rest = &s[start..];
    &rest[..c.prefix_bytes(rest, chars)]
}

fn substring(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let c = collation_of(cx, &args[..1]);
    let w = &mut cx.warnings;
    let (Some(s), Some(position)) = (text(&args[0], c), args[1].to_i64(w)) else {
        return Ok(Value::Null);
    };
    let count = match args.get(2) {
        Some(v) => match v.to_i64(w) {
            Some(n) => n,
            None => return Ok(Value::Null),
        },
        None => i64::MAX,
    };
    let chars = c.char_len(&s) as i64;
    let start = match position {
        0 => return Ok(Value::text(Vec::new(), c)),
        p if p > 0 => p - 1,
        p => chars.saturating_add(p),
    };
    if start < 0 || start >= chars || count <= 0 {
        return Ok(Value::text(Vec::new(), c));
    }
    Ok(Value::text(slice(c, &s, start as usize, count as usize).to_vec(), c))
}

fn text_and_count<'v>(
    cx: &mut FuncCtx<'_>,
    args: &'v [Value<'_>],
) -> Option<(Collation, Cow<'v, [u8]>, i64)> {
    let c = collation_of(cx, &args[..1]);
    Some((c, text(&args[0], c)?, args[1].to_i64(&mut cx.warnings)?))
}

fn left(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some((c, s, n)) = text_and_count(cx, args) else { return Ok(Value::Null) };
    Ok(Value::text(slice(c, &s, 0, n.max(0) as usize).to_vec(), c))
}

fn right(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some((c, s, n)) = text_and_count(cx, args) else { return Ok(Value::Null) };
    let skip = c.char_len(&s).saturating_sub(n.max(0) as usize);
    Ok(Value::text(slice(c, &s, skip, usize::MAX).to_vec(), c))
}

fn pad(cx: &mut FuncCtx<'_>, args: &[Value<'_>], before: bool) -> Out {
    let c = collation_of(cx, &[args[0].borrow(), args[2].borrow()]);
    let (Some(s), Some(n), Some(fill)) =
        (text(&args[0], c), args[1].to_i64(&mut cx.warnings), text(&args[2], c))
    else {
        return Ok(Value::Null);
    };
    let Ok(n) = usize::try_from(n) else { return Ok(Value::Null) };
    let have = c.char_len(&s);
    if n <= have {
        return Ok(Value::text(slice(c, &s, 0, n).to_vec(), c));
    }
    let fill_chars = c.char_len(&fill);
    if fill_chars == 0 {
        return Ok(Value::text(Vec::new(), c));
    }
    if too_big(cx, n.saturating_mul(c.max_char_bytes()), if before { "lpad" } else { "rpad" })? {
        return Ok(Value::Null);
    }
    let missing = n - have;
    let times = missing / fill_chars;
    let mut out = Vec::with_capacity(s.len() + (times + 1) * fill.len());
    if !before {
        out.extend_from_slice(&s);
    }
    match fill[..] {
        [byte] => out.resize(out.len() + times, byte),
        _ => (0..times).for_each(|_| out.extend_from_slice(&fill)),
    }
    out.extend_from_slice(slice(c, &fill, 0, missing % fill_chars));
    if before {
        out.extend_from_slice(&s);
    }
    Ok(Value::text(out, c))
}

fn trim(cx: &mut FuncCtx<'_>, args: &[Value<'_>], leading: bool, trailing: bool) -> Out {
    let c = collation_of(cx, args);
    let Some(s) = text(&args[0], c) else { return Ok(Value::Null) };
    let remove = match args.get(1) {
        None => Cow::Borrowed(&b" "[..]),
        Some(v) => match text(v, c) {
            Some(r) => r,
            None => return Ok(Value::Null),
        },
    };
    let mut rest = &s[..];
    if !remove.is_empty() {
        while leading && rest.starts_with(&remove) {
            rest = &rest[remove.len()..];
        }
        if trailing {
            rest = without_end(c, rest, &remove);
        }
    }
    Ok(Value::text(rest.to_vec(), c))
}

/// A text without `remove` at its end, as often as it stands there. Where a character's later bytes may be those of another one,
/// the end counts from a character's start only.
fn without_end<'s>(c: Collation, mut s: &'s [u8], remove: &[u8]) -> &'s [u8] {
    let mut starts = Vec::new();
    if c.max_char_bytes() > 1 && !c.charset().is_utf8() && s.ends_with(remove) {
        let mut at = 0;
        while at < s.len() {
            starts.push(at);
            at += c.charset().char_at(&s[at..]).max(1);
        }
    }
    while let Some(rest) = s.strip_suffix(remove)
        && (starts.is_empty() || starts.binary_search(&rest.len()).is_ok())
    {
        s = rest;
    }
    s
}

fn upper(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let c = collation_of(cx, args);
    Ok(text(&args[0], c).map_or(Value::Null, |s| Value::text(c.upper(&s), c)))
}

fn lower(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let c = collation_of(cx, args);
    Ok(text(&args[0], c).map_or(Value::Null, |s| Value::text(c.lower(&s), c)))
}

/// First place of `needle` at or behind `from`, at a character's start.
fn find(
    cx: &mut FuncCtx<'_>,
    c: Collation,
    s: &[u8],
    needle: &[u8],
    from: usize,
) -> Result<Option<usize>, ValueError> {
    let mut at = from;
    while at + needle.len() <= s.len() {
        // Texts that are much alike make this quadratic, so the comparison counts where it is more than a byte's.
        cx.work(if s.get(at) == needle.first() { needle.len() } else { 1 })?;
        if s[at..].starts_with(needle) {
            return Ok(Some(at));
        }
        at += c.charset().char_at(&s[at..]).max(1);
    }
    Ok(None)
}

fn replace(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let c = collation_of(cx, args);
    let (Some(s), Some(from), Some(to)) = (text(&args[0], c), text(&args[1], c), text(&args[2], c))
    else {
        return Ok(Value::Null);
    };
    if from.is_empty() {
        return Ok(Value::text(s.into_owned(), c));
    }
    let mut out = Vec::with_capacity(s.len());
    let mut at = 0;
    while let Some(hit) = find(cx, c, &s, &from, at)? {
        out.extend_from_slice(&s[at..hit]);
        out.extend_from_slice(&to);
        at = hit + from.len();
        if too_big(cx, out.len(), "replace")? {
            return Ok(Value::Null);
        }
    }
    out.extend_from_slice(&s[at..]);
    Ok(Value::text(out, c))
}

fn repeat(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some((c, s, n)) = text_and_count(cx, args) else { return Ok(Value::Null) };
    let n = n.max(0) as usize;
    if too_big(cx, s.len().saturating_mul(n), "repeat")? {
        return Ok(Value::Null);
    }
    Ok(Value::text(s.repeat(n), c))
}

fn reverse(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let c = collation_of(cx, args);
    let Some(s) = text(&args[0], c) else { return Ok(Value::Null) };
    let mut out = vec![0; s.len()];
    let mut at = 0;
    while at < s.len() {
        let n = c.charset().char_at(&s[at..]).max(1);
        let to = s.len() - at - n;
        out[to..to + n].copy_from_slice(&s[at..at + n]);
        at += n;
    }
    Ok(Value::text(out, c))
}

/// Where the text at index `needle` stands in that at index `hay`, by the collation; 0 when nowhere.
/// Looks for texts that are equal to one of another length: `e` is É where accents do not matter, and `ss` is ß.
struct Alike {
    collation: Collation,
    weights: Vec<u8>,
    /// More characters are not equal to it.
    most: usize,
}

impl Alike {
    /// `None` where only as many bytes may be equal: in ASCII, or bytewise. A blank at the end weighs nothing in some collations.
    fn new(collation: Collation, text: &[u8], sub: &[u8]) -> Option<Alike> {
        let ascii = collation.charset().has_ascii() && text.is_ascii() && sub.is_ascii();
        if ascii || collation.is_bytewise() || sub.is_empty() || sub.ends_with(b" ") {
            return None;
        }
        let mut weights = Vec::new();
        collation.weights(sub, &mut weights);
        // A character is at most three others.
        Some(Alike { collation, weights, most: collation.char_len(sub) * 3 })
    }

    fn begins(&self, text: &[u8]) -> bool {
        let mut found = Vec::new();
        (1..=self.most.min(self.collation.char_len(text))).any(|chars| {
            found.clear();
            let end = self.collation.prefix_bytes(text, chars);
            self.collation.weights(&text[..end], &mut found);
            found == self.weights
        })
    }
}

fn locate_in(cx: &mut FuncCtx<'_>, args: &[Value<'_>], hay: usize, needle: usize) -> Out {
    let c = collation_of(cx, &args[..2]);
    let (Some(s), Some(sub)) = (text(&args[hay], c), text(&args[needle], c)) else {
        return Ok(Value::Null);
    };
    let from = match args.get(2) {
        None => 1,
        Some(v) => match v.to_i64(&mut cx.warnings) {
            Some(n) => n,
            None => return Ok(Value::Null),
        },
    };
    if from < 1 {
        return Ok(Value::Int(0));
    }
    let skip = (from - 1) as usize;
    if skip > c.char_len(&s) {
        return Ok(Value::Int(0));
    }
    let mut at = c.prefix_bytes(&s, skip);
    let mut position = from;
    let alike = Alike::new(c, &s, &sub);
    loop {
        cx.work(sub.len())?;
        if c.starts_like(&s[at..], &sub) || alike.as_ref().is_some_and(|a| a.begins(&s[at..])) {
            return Ok(Value::Int(position));
        }
        at += c.charset().char_at(&s[at..]).max(1);
        position += 1;
        if at > s.len() {
            return Ok(Value::Int(0));
        }
    }
}

fn find_in_set(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let c = collation_of(cx, args);
    let (Some(s), Some(set)) = (text(&args[0], c), text(&args[1], c)) else {
        return Ok(Value::Null);
    };
    if set.is_empty() || s.contains(&b',') {
        return Ok(Value::Int(0));
    }
    for (n, item) in (1..).zip(set.split(|&b| b == b',')) {
        cx.work(16 + item.len())?;
        if c.eq(item, &s) {
            return Ok(Value::Int(n));
        }
    }
    Ok(Value::Int(0))
}

fn ascii(_: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let byte = |b: Cow<'_, [u8]>| Value::Int(i64::from(b.first().copied().unwrap_or(0)));
    Ok(args[0].to_octets().map_or(Value::Null, byte))
}

/// The bytes of the first character as one big-endian number.
fn ord(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let c = collation_of(cx, args);
    let Some(s) = text(&args[0], c) else { return Ok(Value::Null) };
    let n = c.charset().char_at(&s);
    let own = c.charset().own_bytes(&s[..n]);
    Ok(Value::Int(own.iter().fold(0, |v, &b| v << 8 | i64::from(b))))
}

/// CHAR(n, ...): the bytes of each number, in whole units; NULLs are skipped.
fn char_of(cx: &mut FuncCtx<'_>, args: &[Value<'_>], unit: usize) -> Out {
    let mut out = Vec::new();
    for v in args {
        if let Some(n) = v.to_u64(&mut cx.warnings) {
            let bytes = (n as u32).to_be_bytes();
            let skip = bytes.iter().take(3).take_while(|&&b| b == 0).count();
            out.extend_from_slice(&bytes[skip / unit * unit..]);
        }
    }
    Ok(Value::Bytes(out.into()))
}

fn space(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(n) = args[0].to_i64(&mut cx.warnings) else { return Ok(Value::Null) };
    let n = n.max(0) as usize;
    if too_big(cx, n, "space")? {
        return Ok(Value::Null);
    }
    Ok(Value::text(vec![b' '; n], cx.collation))
}

fn strcmp(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let c = collation_of(cx, args);
    let (Some(a), Some(b)) = (text(&args[0], c), text(&args[1], c)) else {
        return Ok(Value::Null);
    };
    Ok(Value::Int(c.compare(&a, &b) as i64))
}

fn quote(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let c = collation_of(cx, args);
    let Some(s) = text(&args[0], c) else { return Ok(Value::text(b"NULL".to_vec(), c)) };
    let mut out = vec![b'\''];
    let mut at = 0;
    while at < s.len() {
        // The second byte of a character may be a backslash's.
        let n = c.charset().char_at(&s[at..]).max(1);
        match s[at] {
            b @ (b'\'' | b'\\') => out.extend_from_slice(&[b'\\', b]),
            0 => out.extend_from_slice(b"\\0"),
            0x1A => out.extend_from_slice(b"\\Z"),
            _ => out.extend_from_slice(&s[at..at + n]),
        }
        at += n;
    }
    out.push(b'\'');
    Ok(Value::text(out, c))
}

fn insert(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let c = collation_of(cx, &[args[0].borrow(), args[3].borrow()]);
    let w = &mut cx.warnings;
    let (Some(position), Some(len)) = (args[1].to_i64(w), args[2].to_i64(w)) else {
        return Ok(Value::Null);
    };
    let (Some(s), Some(new)) = (text(&args[0], c), text(&args[3], c)) else {
        return Ok(Value::Null);
    };
    let chars = c.char_len(&s) as i64;
    if position < 1 || position > chars {
        return Ok(Value::text(s.into_owned(), c));
    }
    let from = c.prefix_bytes(&s, (position - 1) as usize);
    let left = chars - position + 1;
    let len = if len < 0 || len > left { left } else { len };
    let to = from + c.prefix_bytes(&s[from..], len as usize);
    Ok(Value::text([&s[..from], &new, &s[to..]].concat(), c))
}

fn substring_index(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let c = collation_of(cx, &args[..2]);
    let Some(count) = args[2].to_i64(&mut cx.warnings) else { return Ok(Value::Null) };
    let (Some(s), Some(delimiter)) = (text(&args[0], c), text(&args[1], c)) else {
        return Ok(Value::Null);
    };
    if count == 0 || delimiter.is_empty() {
        return Ok(Value::text(Vec::new(), c));
    }
    let mut hits = Vec::new();
    let mut at = 0;
    while let Some(hit) = find(cx, c, &s, &delimiter, at)? {
        hits.push(hit);
        at = hit + delimiter.len();
    }
    let n = count.unsigned_abs() as usize;
    let part = if n > hits.len() {
        &s[..]
    } else if count > 0 {
        &s[..hits[n - 1]]
    } else {
        &s[hits[hits.len() - n] + delimiter.len()..]
    };
    Ok(Value::text(part.to_vec(), c))
}

fn soundex(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    const CODES: &[u8; 26] = b"01230120022455012623010202";
    let c = collation_of(cx, args);
    let Some(s) = args[0].to_string_lossy() else { return Ok(Value::Null) };
    // Bytes have no other letters than those of ASCII.
    let bytes = matches!(args[0], Value::Bytes(_));
    let letter = |ch: &char| if bytes { ch.is_ascii_alphabetic() } else { ch.is_alphabetic() };
    let mut out = String::new();
    let mut last = b'0';
    for ch in s.chars().filter(letter).map(|ch| ch.to_ascii_uppercase()) {
        let code = match ch {
            'A'..='Z' => CODES[usize::from(ch as u8 - b'A')],
            _ => b'0',
        };
        if out.is_empty() {
            out.push(ch);
            last = code;
        } else if code != b'0' && code != last {
            out.push(char::from(code));
            last = code;
        }
    }
    while !out.is_empty() && out.chars().count() < 4 {
        out.push('0');
    }
    let (bytes, _) = Charset::Utf8mb4.convert(out.as_bytes(), c.charset());
    Ok(Value::text(bytes, c))
}

/// The escape character of a LIKE that names none where SQL mode NO_BACKSLASH_ESCAPES has none; one that a statement names as
/// `''` is a text.
pub const NO_ESCAPE: Value<'static> = Value::Bytes(Cow::Borrowed(b""));

/// LIKE(text, pattern[, escape]): the kernel of the operator.
fn like(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let c = collation_of(cx, &args[..2]);
    let (Some(s), Some(pattern)) = (text(&args[0], c), text(&args[1], c)) else {
        return Ok(Value::Null);
    };
    let escape = match args.get(2) {
        None => Some('\\'),
        Some(v) => {
            let e = v.to_string_lossy().unwrap_or_else(|| "\\".into());
            let none = cx.mode.has(SqlMode::NO_BACKSLASH_ESCAPES) && *v != NO_ESCAPE;
            if e.chars().count() > 1 || (none && e.is_empty()) {
                return Err(crate::value::ValueError::wrong_arguments("ESCAPE"));
            }
            e.chars().next()
        }
    };
    Ok(Value::bool(c.like_until(&s, &pattern, escape, |bytes| cx.work(bytes))?))
}

fn export_set(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let c = collation_of(cx, &args[1..]);
    if args.iter().any(Value::is_null) {
        return Ok(Value::Null);
    }
    let bits = args[0].to_u64(&mut cx.warnings).unwrap_or(0);
    let count = match args.get(4) {
        Some(v) => v.to_u64(&mut cx.warnings).unwrap_or(64).min(64),
        None => 64,
    };
    let (on, off) = (text(&args[1], c).unwrap_or_default(), text(&args[2], c).unwrap_or_default());
    let separator = match args.get(3) {
        Some(v) => text(v, c).unwrap_or_default(),
        None => Cow::Borrowed(&b","[..]),
    };
    let parts: Vec<&[u8]> =
        (0..count).map(|i| if bits >> i & 1 == 1 { &on[..] } else { &off[..] }).collect();
    if too_big(cx, joined(&parts, &separator), "export_set")? {
        return Ok(Value::Null);
    }
    Ok(Value::text(parts.join(&separator[..]), c))
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    #[test]
    fn cutting_and_joining() {
        check(&[
            ("CONCAT", &[s("My"), s("S"), s("QL")], Some("MySQL")),
            ("CONCAT", &[s("a"), Value::Null], None),
            ("CONCAT", &[dec("14.30")], Some("14.30")),
            ("CONCAT_WS", &[s(","), s("a"), Value::Null, s("b")], Some("a,b")),
            ("LENGTH", &[s("äb")], Some("3")),
            ("CHAR_LENGTH", &[s("äb")], Some("2")),
            ("SUBSTRING", &[s("Quadratically"), i(5)], Some("ratically")),
            ("SUBSTRING", &[s("Quadratically"), i(5), i(6)], Some("ratica")),
            ("SUBSTRING", &[s("Sakila"), i(-5), i(3)], Some("aki")),
            ("SUBSTRING", &[s("Sakila"), i(0)], Some("")),
            ("SUBSTRING", &[s("Sakila"), i(-7)], Some("")),
            ("LEFT", &[s("foobarbar"), i(5)], Some("fooba")),
            ("RIGHT", &[s("foobarbar"), i(4)], Some("rbar")),
            ("RIGHT", &[s("äöü"), i(2)], Some("öü")),
            ("LPAD", &[s("hi"), i(4), s("??")], Some("??hi")),
            ("LPAD", &[s("hi"), i(1), s("??")], Some("h")),
            ("RPAD", &[s("hi"), i(5), s("?!")], Some("hi?!?")),
            ("RPAD", &[s("hi"), i(-1), s("?")], None),
            ("TRIM", &[s("  bar   ")], Some("bar")),
            ("LTRIM", &[s("xxxbarxxx"), s("x")], Some("barxxx")),
            ("TRIM", &[s("xxxbarxxx"), s("x")], Some("bar")),
            ("RTRIM", &[s("barxxyz"), s("xyz")], Some("barx")),
            ("REPLACE", &[s("www.mysql.com"), s("w"), s("Ww")], Some("WwWwWw.mysql.com")),
            ("REPEAT", &[s("MySQL"), i(3)], Some("MySQLMySQLMySQL")),
            ("REVERSE", &[s("aäb")], Some("bäa")),
            ("INSERT", &[s("Quadratic"), i(3), i(4), s("What")], Some("QuWhattic")),
            ("INSERT", &[s("Quadratic"), i(-1), i(4), s("What")], Some("Quadratic")),
            ("INSERT", &[s("Quadratic"), i(3), i(100), s("What")], Some("QuWhat")),
            ("SUBSTRING_INDEX", &[s("www.mysql.com"), s("."), i(2)], Some("www.mysql")),
            ("SUBSTRING_INDEX", &[s("www.mysql.com"), s("."), i(-2)], Some("mysql.com")),
        ]);
    }

    #[test]
    fn finding() {
        check(&[
            ("INSTR", &[s("foobarbar"), s("bar")], Some("4")),
            ("INSTR", &[s("xbar"), s("foobar")], Some("0")),
            ("LOCATE", &[s("bar"), s("foobarbar"), i(5)], Some("7")),
            ("LOCATE", &[s("B"), s("ab")], Some("2")),
            ("LOCATE", &[s(""), s("ab")], Some("1")),
            ("FIND_IN_SET", &[s("b"), s("a,b,c,d")], Some("2")),
            ("ELT", &[i(4), s("Aa"), s("Bb"), s("Cc"), s("Dd")], Some("Dd")),
            ("ELT", &[i(5), s("Aa")], None),
            ("FIELD", &[s("bb"), s("Aa"), s("Bb"), s("Cc")], Some("2")),
            ("FIELD", &[s("Gg"), s("Aa")], Some("0")),
            ("STRCMP", &[s("text"), s("text2")], Some("-1")),
            ("STRCMP", &[s("text"), s("TEXT")], Some("0")),
            ("LIKE", &[s("David_"), s("David|_"), s("|")], Some("1")),
            ("ASCII", &[s("dx")], Some("100")),
            ("ORD", &[s("€")], Some("14844588")),
            ("CHAR", &[i(77), i(121), Value::Null, s("83")], Some("MyS")),
            ("QUOTE", &[s("Don't!")], Some("'Don\\'t!'")),
            ("QUOTE", &[Value::Null], Some("NULL")),
            ("SOUNDEX", &[s("Hello")], Some("H400")),
            ("SOUNDEX", &[s("Quadratically")], Some("Q36324")),
            ("MAKE_SET", &[i(5), s("hello"), s("nice"), s("world")], Some("hello,world")),
            ("EXPORT_SET", &[i(5), s("Y"), s("N"), s(","), i(4)], Some("Y,N,Y,N")),
            ("UPPER", &[s("äb")], Some("ÄB")),
        ]);
    }
}
