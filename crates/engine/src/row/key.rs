//! Keys whose `memcmp` order is the order of the values.
//!
//! | part | bytes |
//! |---|---|
//! | nullable column | 00 for NULL (and nothing more), else 01 and the value |
//! | integer | big-endian, sign bit flipped when signed |
//! | float | IEEE big-endian, sign bit flipped, all bits when negative; -0 becomes 0 |
//! | fixed | as it is |
//! | binary, `0900_bin` | 00 becomes 00 FF; 00 00 ends it |
//! | text (PAD SPACE) | weights in order; a run of spaces is the space's weight (20, but in latin7's languages) and a run code ([`super::spaces`]); it and 80 end it |
//! | the same, a set of two or three bytes | ASCII is one byte, any other code two, a byte that is no character FF and itself |
//! | text, Unicode collation | the same with the codes of [`super::collation::uca`]; NO PAD: no run codes, 00 ends it |
//! | text, `0900_as_ci`, `0900_as_cs` | the codes, then 00 and a level's weights ([`super::collation::uca::levels`]) once or twice; 00 ends it |
//!
//! DESC inverts every byte of the part, the NULL byte included.

use super::RowError;
use super::collation::uca::{Uca, levels};
use super::collation::{self, Collation, WeightForm, put_weight};
use super::datum::{Datum, DatumBuf, PhysType};
use super::layout::RowLayout;
use super::spaces::{TEXT_END, invert, put_run, run_len};
use super::view::RowView;

pub(super) const IS_NULL: u8 = 0;
const NOT_NULL: u8 = 1;
const UCA_END: u8 = 0;

/// One column of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyPart {
    pub col: usize,
    /// Only this many characters of text, or bytes of binary data.
    pub prefix: Option<u32>,
    pub desc: bool,
    /// The column is a list whose elements are of this type: a row has an entry for each of them. At most one part of an index has it.
    pub elements: Option<PhysType>,
}

impl KeyPart {
    pub fn asc(col: usize) -> Self {
        KeyPart { col, prefix: None, desc: false, elements: None }
    }

    pub fn of(&self, layout: &RowLayout) -> KeyPartType {
        if let Some(ty) = self.elements {
            return KeyPartType { ty, nullable: true, prefix: None, desc: self.desc };
        }
        let col = layout.col(self.col);
        KeyPartType { ty: col.ty, nullable: col.nullable, prefix: self.prefix, desc: self.desc }
    }

    /// Whether the part's value is the whole value of its column.
    pub fn tells_column(&self) -> bool {
        self.prefix.is_none() && self.elements.is_none()
    }
}

/// What a key part's encoding depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyPartType {
    pub ty: PhysType,
    pub nullable: bool,
    pub prefix: Option<u32>,
    pub desc: bool,
}

impl KeyPartType {
    pub fn asc(ty: PhysType, nullable: bool) -> Self {
        KeyPartType { ty, nullable, prefix: None, desc: false }
    }

    /// Can [`decode_datum`] give the value back?
    pub fn is_reversible(&self) -> bool {
        match self.ty {
            PhysType::Var { collation, .. } => collation.is_binary() && self.prefix.is_none(),
            _ => true,
        }
    }
}

/// Appends the key of a row. A part over an off-page column is refused: fetch its bytes and use [`encode_datum`].
pub fn encode_key(
    parts: &[KeyPart],
    layout: &RowLayout,
    row: &RowView<'_>,
    out: &mut Vec<u8>,
) -> Result<(), RowError> {
    for part in parts {
        if row.is_external(part.col) {
            return Err(RowError::External { column: part.col });
        }
        encode_datum(&part.of(layout), row.get(part.col), out)
            .map_err(|e| at_column(e, part.col))?;
    }
    Ok(())
}

fn at_column(e: RowError, column: usize) -> RowError {
    match e {
        RowError::WrongType { .. } => RowError::WrongType { column },
        RowError::NullInNotNull { .. } => RowError::NullInNotNull { column },
        RowError::TooLong { .. } => RowError::TooLong { column },
        other => other,
    }
}

/// Appends one key part. Search keys are built with it part by part: a key of fewer parts is a byte prefix of every
/// key that agrees in them. Integers outside the column's range are an error (the caller knows which end of the
/// range that means).
pub fn encode_datum(
    part: &KeyPartType,
    datum: Datum<'_>,
    out: &mut Vec<u8>,
) -> Result<(), RowError> {
    let start = out.len();
    let result = encode_asc(part, datum, out);
    if result.is_err() {
        out.truncate(start);
    } else if part.desc {
        invert(&mut out[start..]);
    }
    result
}

fn encode_asc(part: &KeyPartType, datum: Datum<'_>, out: &mut Vec<u8>) -> Result<(), RowError> {
    if datum.is_null() {
        if !part.nullable {
            return Err(RowError::NullInNotNull { column: 0 });
        }
        out.push(IS_NULL);
        return Ok(());
    }
    if part.nullable {
        out.push(NOT_NULL);
    }
    match (part.ty, datum) {
        (PhysType::Int { bytes, unsigned }, Datum::Int(_) | Datum::UInt(_)) => {
            put_int(bytes, unsigned, datum, out)?;
        }
        (PhysType::F32, Datum::Float(v)) => {
            out.extend_from_slice(&order_f32(v as f32).to_be_bytes());
        }
        (PhysType::F64, Datum::Float(v)) => out.extend_from_slice(&order_f64(v).to_be_bytes()),
        (PhysType::Fixed { len }, Datum::Bytes(b)) if b.len() == usize::from(len) => {
            out.extend_from_slice(b);
        }
        (PhysType::Var { collation, .. }, Datum::Bytes(b)) => {
            put_ended(collation, cut(collation, b, part.prefix), out);
        }
        _ => return Err(RowError::WrongType { column: 0 }),
    }
    Ok(())
}

/// A text with the mark of its end.
pub(super) fn put_ended(collation: Collation, b: &[u8], out: &mut Vec<u8>) {
    match form(collation) {
        Form::Raw => {
            put_binary(b, out);
            out.extend_from_slice(&[0, 0]);
        }
        Form::Padded => {
            put_text(collation, b, out);
            out.extend_from_slice(&[collation.space_weight() as u8, TEXT_END]);
        }
        Form::Uca(uca) => {
            collation::put_text(uca, b, out);
            match uca.pad {
                true => out.extend_from_slice(&[uca.table.codes.space(), TEXT_END]),
                false => {
                    uca.encode_levels(b, out);
                    out.push(UCA_END);
                }
            }
        }
    }
}

/// The bytes with which the keys of all texts begin that begin with `b`.
pub(super) fn put_beginning(collation: Collation, b: &[u8], out: &mut Vec<u8>) {
    match form(collation) {
        Form::Raw => put_binary(b, out),
        Form::Padded => put_text(collation, b, out),
        Form::Uca(uca) => collation::put_text(uca, uca.settled(b), out),
    }
}

/// How a text is written.
enum Form {
    Raw,
    Padded,
    Uca(Uca),
}

fn form(collation: Collation) -> Form {
    match collation {
        Collation::Binary | Collation::Utf8mb40900Bin => Form::Raw,
        c => c.uca().map_or(Form::Padded, Form::Uca),
    }
}

fn cut(collation: Collation, b: &[u8], prefix: Option<u32>) -> &[u8] {
    match prefix {
        Some(n) => &b[..collation.prefix_bytes(b, n as usize)],
        None => b,
    }
}

/// Appends the start that the keys of all texts beginning with `prefix` share (for LIKE 'abc%'). Keys of some other
/// texts may share it as well, so the condition still has to be checked. Ascending parts of a `Var` type only.
pub fn encode_text_prefix(
    part: &KeyPartType,
    prefix: &[u8],
    out: &mut Vec<u8>,
) -> Result<(), RowError> {
    let PhysType::Var { collation, .. } = part.ty else {
        return Err(RowError::WrongType { column: 0 });
    };
    let start = out.len();
    if part.nullable {
        out.push(NOT_NULL);
    }
    put_beginning(collation, cut(collation, prefix, part.prefix), out);
    if part.desc {
        invert(&mut out[start..]);
    }
    Ok(())
}

fn put_int(bytes: u8, unsigned: bool, datum: Datum<'_>, out: &mut Vec<u8>) -> Result<(), RowError> {
    let bits = u32::from(bytes) * 8;
    let too_long = RowError::TooLong { column: 0 };
    let raw = if unsigned {
        let v = datum.as_u64().ok_or(too_long)?;
        if bits < 64 && v >> bits != 0 {
            return Err(too_long);
        }
        v
    } else {
        let v = datum.as_i64().ok_or(too_long)?;
        if bits < 64 && (v << (64 - bits)) >> (64 - bits) != v {
            return Err(too_long);
        }
        (v as u64) ^ (1 << (bits - 1))
    };
    out.extend_from_slice(&raw.to_be_bytes()[8 - usize::from(bytes)..]);
    Ok(())
}

pub fn order_f64(v: f64) -> u64 {
    let bits = (v + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits ^ (1 << 63) }
}

fn order_f32(v: f32) -> u32 {
    let bits = (v + 0.0).to_bits();
    if bits >> 31 == 1 { !bits } else { bits ^ (1 << 31) }
}

pub(super) fn put_binary(b: &[u8], out: &mut Vec<u8>) {
    for &c in b {
        out.push(c);
        if c == 0 {
            out.push(0xFF);
        }
    }
}

/// Weights of a byte each: the order of a `_bin` collation of one byte for each character.
fn put_weights(weights: &[u8], out: &mut Vec<u8>) {
    put_text(Collation::Latin1Bin, weights, out);
}

/// Weights and space runs of a text, without its trailing spaces and without the end mark.
pub(super) fn put_text(collation: Collation, text: &[u8], out: &mut Vec<u8>) {
    if let Some(weights) = collation.expanded(text) {
        return put_weights(&weights, out);
    }
    let text = collation.trim_padding(text);
    let space = collation.space_weight() as u8;
    let bytewise = collation.is_bytewise();
    let weights = collation.weight_form();
    let plain = collation.plain();
    out.reserve(text.len() + 2);
    let mut at = 0;
    while at < text.len() {
        at += plain.map_or(0, |plain| plain.put(&text[at..], out));
        let Some(&b) = text.get(at) else { return };
        if collation.is_blank(b) {
            let run = text[at..].iter().take_while(|&&c| collation.is_blank(c)).count();
            at += run;
            // Trailing spaces are gone, so something follows the run.
            let above = collation.next_weight(&text[at..]).0 > u32::from(space);
            put_run(space, run, above, out);
        } else if bytewise {
            out.push(b);
            at += 1;
        } else {
            let (weight, n) = collation.next_weight(&text[at..]);
            put_weight(weight, weights, out);
            at += n;
        }
    }
}

/// Bytes that the given parts take at the start of `key`. `None` when the key ends before.
pub fn decode_len(parts: &[KeyPartType], key: &[u8]) -> Option<usize> {
    parts.iter().try_fold(0, |at, part| Some(at + part_len(part, key.get(at..)?)?))
}

fn part_len(part: &KeyPartType, key: &[u8]) -> Option<usize> {
    let mask = if part.desc { 0xFF } else { 0 };
    let byte = |i: usize| key.get(i).map(|b| b ^ mask);
    let mut at = 0;
    if part.nullable {
        if byte(0)? == IS_NULL {
            return Some(1);
        }
        at = 1;
    }
    let PhysType::Var { collation, .. } = part.ty else {
        let end = at + part.ty.fixed_len()?;
        return (key.len() >= end).then_some(end);
    };
    match form(collation) {
        Form::Raw => loop {
            match byte(at)? {
                0 if byte(at + 1)? == 0 => return Some(at + 2),
                0 => at += 2,
                _ => at += 1,
            }
        },
        Form::Padded => loop {
            let space = collation.space_weight() as u8;
            match byte(at)? {
                c if c == space && byte(at + 1)? == TEXT_END => return Some(at + 2),
                c if c == space => at += run_len(byte(at + 1)?),
                // The second byte of a pair may be that of the space.
                c if c >= 0x80 && collation.weight_form() == WeightForm::Pair => at += 2,
                _ => at += 1,
            }
        },
        Form::Uca(uca) if uca.pad => loop {
            match byte(at)? {
                c if c != uca.table.codes.space() => at += uca.table.codes.len(c),
                _ if byte(at + 1)? == TEXT_END => return Some(at + 2),
                _ => at += run_len(byte(at + 1)?),
            }
        },
        Form::Uca(uca) => {
            for level in 1..=uca.levels {
                loop {
                    match byte(at)? {
                        UCA_END => break,
                        c if level == 1 => at += uca.table.codes.len(c),
                        c => at += levels::len(c),
                    }
                }
                at += 1;
            }
            (key.len() >= at).then_some(at)
        }
    }
}

/// The value of a part at the start of `key` and the bytes it took. `None` when the type is not reversible
/// (text) or the key ends before.
pub fn decode_datum(part: &KeyPartType, key: &[u8]) -> Option<(DatumBuf, usize)> {
    if !part.is_reversible() {
        return None;
    }
    let len = part_len(part, key)?;
    let mut bytes = std::borrow::Cow::Borrowed(&key[..len]);
    if part.desc {
        invert(bytes.to_mut());
    }
    let value = if part.nullable {
        if bytes[0] == IS_NULL {
            return Some((DatumBuf::Null, len));
        }
        &bytes[1..]
    } else {
        &bytes[..]
    };
    Some((decode_value(part.ty, value)?, len))
}

fn decode_value(ty: PhysType, b: &[u8]) -> Option<DatumBuf> {
    let raw = |b: &[u8]| b.iter().fold(0u64, |v, &c| v << 8 | u64::from(c));
    Some(match ty {
        PhysType::Int { unsigned: true, .. } => DatumBuf::UInt(raw(b)),
        PhysType::Int { bytes, unsigned: false } => {
            let bits = u32::from(bytes) * 8;
            let v = raw(b) ^ (1 << (bits - 1));
            DatumBuf::Int(((v << (64 - bits)) as i64) >> (64 - bits))
        }
        PhysType::F64 => {
            let v = raw(b);
            DatumBuf::Float(f64::from_bits(if v >> 63 == 1 { v ^ (1 << 63) } else { !v }))
        }
        PhysType::F32 => {
            let v = raw(b) as u32;
            let bits = if v >> 31 == 1 { v ^ (1 << 31) } else { !v };
            DatumBuf::Float(f64::from(f32::from_bits(bits)))
        }
        PhysType::Fixed { .. } => DatumBuf::Bytes(b.to_vec()),
        PhysType::Var { .. } => {
            let mut out = Vec::with_capacity(b.len());
            let mut rest = b.strip_suffix(&[0, 0])?;
            while let [c, tail @ ..] = rest {
                out.push(*c);
                rest = if *c == 0 { tail.get(1..)? } else { tail };
            }
            DatumBuf::Bytes(out)
        }
    })
}

/// The smallest key above every key that begins with `prefix`; `None` when there is none (all bytes 0xFF).
pub fn prefix_successor(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|&b| b != 0xFF)?;
    let mut next = prefix[..=last].to_vec();
    next[last] += 1;
    Some(next)
}

#[cfg(test)]
mod tests {
    use super::super::collation::ALL;
    use super::super::datum::PhysCol;
    use super::super::write::RowBuilder;
    use super::*;
    use proptest::prelude::*;
    use std::cmp::Ordering;

    fn encode(part: &KeyPartType, d: Datum<'_>) -> Vec<u8> {
        let mut out = Vec::new();
        encode_datum(part, d, &mut out).expect("value fits");
        out
    }

    fn parts(ty: PhysType) -> [KeyPartType; 4] {
        [(false, false), (false, true), (true, false), (true, true)]
            .map(|(nullable, desc)| KeyPartType { ty, nullable, prefix: None, desc })
    }

    /// Encodes both values every way and compares with the reference order.
    fn check(ty: PhysType, a: Datum<'_>, b: Datum<'_>) -> Result<(), TestCaseError> {
        for part in parts(ty) {
            if !part.nullable && (a.is_null() || b.is_null()) {
                continue;
            }
            let (mut x, mut y) = (encode(&part, a), encode(&part, b));
            prop_assert_eq!(decode_len(&[part], &x), Some(x.len()));
            prop_assert_eq!(decode_len(&[part], &x[..x.len() - 1]), None);
            if part.is_reversible() {
                prop_assert_eq!(decode_datum(&part, &x), Some((a.to_buf(), x.len())));
            }
            let want = ty.compare(a, b);
            let want = if part.desc { want.reverse() } else { want };
            prop_assert_eq!(x.cmp(&y), want, "{:?} {:?} {:?}", part, a, b);
            // Self-delimiting: what follows decides only between equal values.
            x.push(0xFF);
            y.push(0x00);
            let want = want.then(Ordering::Greater);
            prop_assert_eq!(x.cmp(&y), want);
        }
        Ok(())
    }

    fn text() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            4 => "[ aAbÄß\u{1}\t\u{1f}!€😀~]{0,7}".prop_map(String::into_bytes),
            4 => "[ sSßﬀfaä\u{1}\t\u{301}\u{a0}я中\u{2f00}한가\u{1100}\u{fdfa}𠀀😀~]{0,7}"
                .prop_map(String::into_bytes),
            1 => any::<String>().prop_map(String::into_bytes),
            2 => proptest::collection::vec(any::<u8>(), 0..6),
            // Letters that languages move.
            2 => "[ aiIzZyYjuUvVsåÄöØüñŁœħı\u{1}\t]{0,7}".prop_map(String::into_bytes),
            // Letters that are one in some languages.
            2 => "[cChHçaAåäāáLlJjdDžŽnN \u{1}]{0,7}".prop_map(String::into_bytes),
            // Letters that are one, and kana and ideographs that stand elsewhere, in the languages of 9.0.0.
            2 => "[dgzsyDZéêñöőžeEm\u{302}\u{304}\u{307}\u{300}沈阳жЖα1-]{0,7}".prop_map(String::into_bytes),
            2 => "[かカｶが\u{3099}ゝヽゞー亜中沈阳aａアж]{0,6}".prop_map(String::into_bytes),
            // Codes of two and three bytes, whole and cut, with spaces between.
            2 => proptest::collection::vec(
                proptest::sample::select(b" a\t\x00\x40\x7e\x81\x8e\x8f\xa1\xa3\xb0\xdf\xfe\xff".to_vec()),
                0..9,
            ),
            1 => ("[a \t]{0,2}", 100usize..120, "[a \t]{0,2}")
                .prop_map(|(a, n, b)| format!("{a}{}{b}", " ".repeat(n)).into_bytes()),
        ]
    }

    /// Whatever a key has of a character, its end is found, and so is the key behind it.
    #[test]
    fn every_character_ends() {
        for &collation in ALL {
            let part = parts(PhysType::Var { collation, max_bytes: 1000 })[0];
            for c in '\u{1}'..='\u{FFFF}' {
                let mut text = [0; 4];
                let text = c.encode_utf8(&mut text).as_bytes();
                let mut key = Vec::new();
                if encode_datum(&part, Datum::Bytes(text), &mut key).is_ok() {
                    assert_eq!(decode_len(&[part], &key), Some(key.len()), "{collation:?} {c:?}");
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn text_order(a in text(), b in text()) {
            for &collation in ALL {
                let ty = PhysType::Var { collation, max_bytes: 1000 };
                check(ty, Datum::Bytes(&a), Datum::Bytes(&b))?;
                check(ty, Datum::Bytes(&a), Datum::Null)?;
            }
        }

        #[test]
        fn prefix_range_covers(a in text(), cut in 0usize..7) {
            for &collation in ALL {
                let ty = PhysType::Var { collation, max_bytes: 1000 };
                for part in parts(ty) {
                    let n = collation.prefix_bytes(&a, cut);
                    let mut start = Vec::new();
                    encode_text_prefix(&part, &a[..n], &mut start).expect("text");
                    prop_assert!(encode(&part, Datum::Bytes(&a)).starts_with(&start));
                }
            }
        }

        #[test]
        fn like_prefix_covers(
            b in "([ sSßfaä\u{1}\t\u{301}\u{a0}中\u{2f00}한]{0,5}|[cCçhHlLjJaAdžnN]{0,4}|[dzsDZgyかカー沈阳e\u{302}]{0,5})",
            rest in text(),
        ) {
            const TWINS: [(char, char); 12] =
                [('d', 'D'), ('z', 'Z'), ('か', 'ｶ'), ('s', 'S'), ('a', 'ä'), ('\u{1}', '\u{301}'), (' ', '\u{a0}'), ('f', 'F'), ('c', 'ç'), ('h', 'H'), ('l', 'L'), ('j', 'J')];
            let twin = |c: char| {
                let of = |(x, y): &(char, char)| if c == *x { Some(*y) } else { (c == *y).then_some(*x) };
                TWINS.iter().find_map(of).unwrap_or(c)
            };
            let other: String = b.chars().map(twin).collect();
            for &collation in ALL {
                // What LIKE 'b%' finds is in the range of b.
                let text = [other.as_bytes(), &rest[..]].concat();
                if !collation.like(&text, format!("{b}%").as_bytes(), None) {
                    continue;
                }
                let part = KeyPartType::asc(PhysType::Var { collation, max_bytes: 1000 }, false);
                let mut start = Vec::new();
                encode_text_prefix(&part, b.as_bytes(), &mut start).expect("text");
                prop_assert!(encode(&part, Datum::Bytes(&text)).starts_with(&start), "{:?}", collation);
            }
        }

        #[test]
        fn int_order(a in any::<i64>(), b in any::<i64>(), near in any::<bool>(), w in 0usize..5) {
            let bytes = [1u8, 2, 3, 4, 8][w];
            let shift = 64 - 8 * u32::from(bytes);
            let b = if near { a.wrapping_add(1 << shift) } else { b };
            let signed = PhysType::Int { bytes, unsigned: false };
            check(signed, Datum::Int(a >> shift), Datum::Int(b >> shift))?;
            let unsigned = PhysType::Int { bytes, unsigned: true };
            check(unsigned, Datum::UInt(a as u64 >> shift), Datum::UInt(b as u64 >> shift))?;
        }

        #[test]
        fn float_order(a in proptest::num::f64::NORMAL | proptest::num::f64::ZERO,
                       b in proptest::num::f64::NORMAL | proptest::num::f64::ZERO) {
            check(PhysType::F64, Datum::Float(a + 0.0), Datum::Float(b + 0.0))?;
            let (a, b) = (f64::from(a as f32), f64::from(b as f32));
            check(PhysType::F32, Datum::Float(a + 0.0), Datum::Float(b + 0.0))?;
        }

        #[test]
        fn fixed_order(a in any::<[u8; 5]>(), b in any::<[u8; 5]>()) {
            check(PhysType::Fixed { len: 5 }, Datum::Bytes(&a), Datum::Bytes(&b))?;
        }
    }

    #[test]
    fn key_of_a_row() {
        let text = PhysType::Var { collation: Collation::Utf8mb4GeneralCi, max_bytes: 40 };
        let int = PhysType::Int { bytes: 4, unsigned: false };
        let layout = RowLayout::new(&[PhysCol::new(int, false), PhysCol::new(text, true)]);
        let mut row = Vec::new();
        RowBuilder::new(&layout)
            .push(Datum::Int(-1))
            .push(Datum::Bytes("Äbc".as_bytes()))
            .finish_into(&mut row)
            .expect("fits");
        let parts = [KeyPart { prefix: Some(2), ..KeyPart::asc(1) }, KeyPart::asc(0)];
        let mut key = Vec::new();
        encode_key(&parts, &layout, &RowView::new(&layout, &row), &mut key).expect("in-row");
        assert_eq!(key, [1, b'A', b'B', 0x20, 0x80, 0x7F, 0xFF, 0xFF, 0xFF]);
    }

    #[test]
    fn out_of_range_search_keys() {
        let part = KeyPartType::asc(PhysType::Int { bytes: 1, unsigned: true }, false);
        let mut out = vec![7];
        for d in [Datum::Int(-1), Datum::Int(256)] {
            let got = encode_datum(&part, d, &mut out);
            assert_eq!(got, Err(RowError::TooLong { column: 0 }));
        }
        assert_eq!(out, [7]);
    }
}
