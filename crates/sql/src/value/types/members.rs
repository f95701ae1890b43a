//! Members of ENUM and SET.
//!
//! A type is copied with every expression, so the list of its members is kept once for each different list and for the life of the
//! process. What it holds on to is bounded by the lists that were ever defined.

use std::collections::HashSet;
use std::sync::{Mutex, OnceLock, PoisonError};
use weir_engine::row::Collation;

type Names = &'static [Box<[u8]>];

/// A list of names in the character set of their column; two lists of the same names are one.
#[derive(Clone, Copy)]
pub struct Members(Names);

/// A name as members are kept, and as texts are looked for among them: spaces at the end are none of it, other blanks are.
pub fn without_spaces(name: &[u8]) -> &[u8] {
    let end = name.iter().rposition(|b| *b != b' ').map_or(0, |last| last + 1);
    &name[..end]
}

impl Members {
    pub fn new(names: Vec<Box<[u8]>>) -> Members {
        static ALL: OnceLock<Mutex<HashSet<Names>>> = OnceLock::new();
        let all = ALL.get_or_init(Mutex::default);
        let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = all.get(&names[..]) {
            return Members(known);
        }
        let kept: Names = Box::leak(names.into_boxed_slice());
        all.insert(kept);
        Members(kept)
    }

    pub fn names(self) -> Names {
        self.0
    }

    pub fn len(self) -> usize {
        self.0.len()
    }

    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// Place of a name, from 0.
    pub fn find(self, name: &[u8], collation: Collation) -> Option<usize> {
        let exact = self.0.iter().position(|n| **n == *name);
        exact.or_else(|| self.0.iter().position(|n| collation.compare(n, name).is_eq()))
    }

    /// The list that text means, names joined by commas; a name that is not one is left out, and told by false.
    pub fn bits_of(self, text: &[u8], collation: Collation) -> (u64, bool) {
        let text = without_spaces(text);
        if text.is_empty() {
            return (0, true);
        }
        let mut known = true;
        let bits =
            text.split(|b| *b == b',').fold(0, |bits, name| match self.find(name, collation) {
                Some(at) => bits | 1 << at,
                None => {
                    known = false;
                    bits
                }
            });
        (bits, known)
    }

    /// The names of these bits joined by commas.
    pub fn text_of(self, bits: u64) -> Vec<u8> {
        let mut out = Vec::new();
        for (i, name) in self.0.iter().enumerate().filter(|(i, _)| bits & 1 << i != 0) {
            if bits & ((1 << i) - 1) != 0 {
                out.push(b',');
            }
            out.extend_from_slice(name);
        }
        out
    }

    /// Do the names begin with those of `other`, so that every stored value of the other means the same here?
    pub fn continues(self, other: Members) -> bool {
        self.0.starts_with(other.0)
    }

    /// Characters of the longest name, and of all of them with commas between.
    pub fn lengths(self, collation: Collation) -> (u32, u32) {
        let chars = self.0.iter().map(|n| collation.char_len(n) as u32);
        let all: u32 = chars.clone().sum();
        (chars.max().unwrap_or(0), all + (self.0.len() as u32).saturating_sub(1))
    }

    /// The same names in the character set of another collation.
    pub fn converted(self, from: Collation, to: Collation) -> Members {
        if from.charset() == to.charset() {
            return self;
        }
        let convert = |n: &[u8]| from.charset().convert(n, to.charset()).0.into_boxed_slice();
        Members::new(self.0.iter().map(|n| convert(n)).collect())
    }
}

impl PartialEq for Members {
    fn eq(&self, other: &Members) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Members {}

impl std::fmt::Debug for Members {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.iter().map(|n| String::from_utf8_lossy(n))).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(names: &[&str]) -> Members {
        Members::new(names.iter().map(|n| n.as_bytes().into()).collect())
    }

    #[test]
    fn lists_are_kept_once() {
        let m = members(&["a", "b"]);
        assert!(m == members(&["a", "b"]) && m != members(&["b", "a"]));
        assert!(members(&["a", "b", "c"]).continues(m) && !m.continues(members(&["b"])));
    }

    #[test]
    fn sets_are_bits() {
        let m = members(&["a", "b", "c"]);
        let ci = Collation::Utf8mb4GeneralCi;
        assert_eq!(m.bits_of(b"C,a", ci), (5, true));
        assert_eq!(m.bits_of(b"a,x", ci), (1, false));
        assert_eq!(m.text_of(6), b"b,c");
        assert_eq!(m.text_of(0), b"");
        assert_eq!(m.lengths(ci), (1, 5));
    }
}
