//! What the keys of texts that are LIKE a pattern look like. An index over a text has the weights of its characters, not the text; a pattern of plain
//! characters has weights as well, and where these are not in an entry, its row need not be read.
//!
//! Invariant: an entry that is turned down has no text that is LIKE the pattern. One that is let through may have one.

use super::datum::PhysType;
use super::key::{KeyPartType, decode_len};

/// LIKE `%` stands for any text, and `_` for a character, which may have any number of weights.
const WILD: [u8; 2] = *b"%_";
const ESCAPE: u8 = b'\\';
const NOT_NULL: u8 = 1;

/// A condition on the entries of an index.
#[derive(Debug)]
pub struct KeyLike {
    /// The parts in front of the text.
    before: Vec<KeyPartType>,
    part: KeyPartType,
    /// The weights that the text begins with, those in it one behind the other, and those that it ends with.
    begin: Vec<u8>,
    within: Vec<Vec<u8>>,
    end: Vec<u8>,
}

impl KeyLike {
    /// None: the keys do not tell anything. `parts`: of the index up to the text. The pattern's escape is the usual one.
    pub fn of(parts: &[KeyPartType], pattern: &[u8]) -> Option<KeyLike> {
        let (part, before) = parts.split_last()?;
        let PhysType::Var { collation, .. } = part.ty else { return None };
        let uca = collation.uca().filter(|uca| !uca.pad && uca.levels == 1)?;
        if part.prefix.is_some() || part.desc || !pattern.is_ascii() {
            return None;
        }
        let (mut pieces, mut piece) = (Vec::new(), Vec::new());
        let mut bytes = pattern.iter();
        while let Some(b) = bytes.next() {
            match *b {
                b if WILD.contains(&b) => pieces.push(std::mem::take(&mut piece)),
                ESCAPE => piece.push(*bytes.next()?),
                b => piece.push(b),
            }
        }
        pieces.push(piece);
        if pieces.len() == 1 || pieces.iter().all(Vec::is_empty) {
            return None;
        }
        let weights = |text: &Vec<u8>| {
            let mut codes = Vec::new();
            (uca.put_plain(text, &mut codes) == text.len()).then_some(codes)
        };
        let mut pieces = pieces.iter().map(weights).collect::<Option<Vec<_>>>()?;
        let (end, begin) = (pieces.pop()?, pieces.remove(0));
        pieces.retain(|piece| !piece.is_empty());
        Some(KeyLike { before: before.to_vec(), part: *part, begin, within: pieces, end })
    }

    /// Whether the entry with this key may have such a text.
    pub fn may_match(&self, key: &[u8]) -> bool {
        self.found(key).unwrap_or(true)
    }

    fn found(&self, key: &[u8]) -> Option<bool> {
        let key = key.get(decode_len(&self.before, key)?..)?;
        // The mark of the end is the last byte.
        let end = decode_len(std::slice::from_ref(&self.part), key)?.checked_sub(1)?;
        let mut text = key.get(..end)?;
        if self.part.nullable {
            let Some((&NOT_NULL, rest)) = text.split_first() else { return Some(false) };
            text = rest;
        }
        let text = text.strip_prefix(&self.begin[..]).and_then(|t| t.strip_suffix(&self.end[..]));
        let Some(mut text) = text else { return Some(false) };
        for piece in &self.within {
            let Some(at) = text.windows(piece.len()).position(|w| w == piece) else {
                return Some(false);
            };
            text = &text[at + piece.len()..];
        }
        Some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::super::collation::Collation;
    use super::super::datum::Datum;
    use super::super::key::encode_datum;
    use super::*;
    use proptest::prelude::*;

    const TEXTS: &[&str] = &["a", "A", "ä", "b", "7", "ß", "é", "日", "\u{301}", " ", "x", "%"];
    const PATTERNS: &[&str] = &["a", "B", "7", "%", "_", "\\%", "x", " "];

    fn parts(collation: Collation, nullable: bool) -> [KeyPartType; 2] {
        let text = PhysType::Var { collation, max_bytes: 400 };
        let int = PhysType::Int { bytes: 4, unsigned: false };
        [KeyPartType::asc(int, true), KeyPartType::asc(text, nullable)]
    }

    fn key(parts: &[KeyPartType; 2], text: Datum<'_>) -> Vec<u8> {
        let mut key = Vec::new();
        encode_datum(&parts[0], Datum::Int(5), &mut key).unwrap();
        encode_datum(&parts[1], text, &mut key).unwrap();
        key.extend_from_slice(b"primary");
        key
    }

    proptest! {
        #[test]
        fn no_text_that_matches_is_turned_down(
            text in proptest::collection::vec(proptest::sample::select(TEXTS), 0..8),
            pattern in proptest::collection::vec(proptest::sample::select(PATTERNS), 0..6),
            nullable: bool,
        ) {
            let collation = Collation::by_name("utf8mb4_0900_ai_ci").unwrap();
            let (text, pattern) = (text.concat(), pattern.concat());
            let parts = parts(collation, nullable);
            if let Some(like) = KeyLike::of(&parts, pattern.as_bytes()) {
                let is = collation.like(text.as_bytes(), pattern.as_bytes(), Some('\\'));
                let may = like.may_match(&key(&parts, Datum::Bytes(text.as_bytes())));
                prop_assert!(may || !is, "{text} like {pattern}");
            }
        }
    }

    #[test]
    fn most_others_are() {
        let collation = Collation::by_name("utf8mb4_0900_ai_ci").unwrap();
        let parts = parts(collation, true);
        let may = |pattern: &str, text: &str| {
            let like = KeyLike::of(&parts, pattern.as_bytes()).expect("it has weights");
            like.may_match(&key(&parts, Datum::Bytes(text.as_bytes())))
        };
        for (pattern, yes, no) in [
            ("%77", "key177", "key178"),
            ("KEY%7", "këy17", "ky7"),
            ("%1%2%", "x12", "x21"),
            ("a_c", "abc", "ab"),
            ("%aa", "Xaa", "a"),
        ] {
            assert!(may(pattern, yes) && !may(pattern, no), "{pattern}");
        }
        let like = KeyLike::of(&parts, b"a%").unwrap();
        assert!(!like.may_match(&key(&parts, Datum::Null)));
        for pattern in ["%", "abc", "__", "ä%"] {
            assert!(KeyLike::of(&parts, pattern.as_bytes()).is_none(), "{pattern}");
        }
        let general = self::parts(Collation::by_name("utf8mb4_general_ci").unwrap(), true);
        assert!(KeyLike::of(&general, b"a%").is_none());
    }
}
