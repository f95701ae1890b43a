//! The Unicode Collation Algorithm as MySQL has it: compare, hash and encode texts by the primary weights of
//! their characters.
//!
//! A character has any number of weights from none to eight, and only the sequence of all weights of a text
//! counts: 'ß' is 'ss', U+0001 is nothing. No normalization in any version, and contractions in few languages only ([`tailor`]): else
//! what a character weighs does not depend on its neighbours. So the weights of a text are the weights of its parts in
//! a row, and texts whose characters agree one by one (LIKE) have keys that begin alike; with contractions, up to the first letter that
//! may begin one ([`Uca::settled`]). The converse does not hold: equal texts may have different numbers of characters, so that a key
//! cut after n characters cannot be searched for the first n characters of a text.
//!
//! The languages of version 9.0.0 have a stream of weights of their own, [`stream`], for each level.
//!
//! With PAD SPACE it is weights that are padded, with the weight of the space.

mod code;
pub mod language;
pub mod levels;
mod stream;
mod table;
pub mod tailor;

pub use code::LONG;
pub use table::{Table, UCA_400, UCA_520, UCA_900};

use super::charset::Charset;
use std::cmp::Ordering;
use std::hash::Hasher;
use table::{Entry, Version};

/// The weights of a text in order, on the first level.
pub enum Weights<'a> {
    Table(Primary<'a>),
    Language(stream::Stream<'a>),
}

impl Iterator for Weights<'_> {
    type Item = u16;

    #[inline]
    fn next(&mut self) -> Option<u16> {
        match self {
            Weights::Table(weights) => weights.next(),
            Weights::Language(weights) => weights.next(),
        }
    }
}

/// The same of a version's table, and of the older languages.
pub struct Primary<'a> {
    table: &'static Table,
    charset: Charset,
    rest: &'a [u8],
    /// What the last character still has.
    list: &'static [u16],
    computed: u64,
}

impl Iterator for Primary<'_> {
    type Item = u16;

    #[inline]
    fn next(&mut self) -> Option<u16> {
        loop {
            if let [weight, rest @ ..] = self.list {
                self.list = rest;
                return Some(*weight);
            }
            if self.computed != 0 {
                let weight = self.computed as u16;
                self.computed >>= 16;
                return Some(weight);
            }
            let (&b, rest) = self.rest.split_first()?;
            if !self.table.contractions.is_empty()
                && let Some((list, n)) = self.table.contraction(self.charset, self.rest)
            {
                (self.list, self.rest) = (list, &self.rest[n..]);
                continue;
            }
            if b < 0x80 {
                self.rest = rest;
                match self.table.ascii[usize::from(b)] {
                    0 => continue,
                    weight => return Some(weight),
                }
            }
            let Some((cp, n)) = self.charset.decode(self.rest) else {
                self.rest = rest;
                self.computed = table::ill_formed(b);
                continue;
            };
            self.rest = &self.rest[n..];
            match self.table.entry(cp) {
                Entry::Ignorable => {}
                Entry::One(weight) => return Some(weight),
                Entry::List(list) => self.list = list,
                Entry::Computed(weights) => self.computed = weights,
            }
        }
    }
}

/// A collation of this kind: which weights, which encoding, PAD SPACE or NO PAD.
#[derive(Debug, Clone, Copy)]
pub struct Uca {
    pub table: &'static Table,
    pub charset: Charset,
    pub pad: bool,
    /// 1: base letters only; 2: accents as well; 3: and case; 4: and hiragana before katakana, in Japanese. More than one in version 9.0.0 only.
    pub levels: u8,
}

impl Uca {
    pub fn weights(self, s: &[u8]) -> Weights<'_> {
        let Uca { table, charset, .. } = self;
        match table.language {
            None => Weights::Table(Primary { table, charset, rest: s, list: &[], computed: 0 }),
            Some(of) => Weights::Language(stream::Stream::new(of, charset, s, 1)),
        }
    }

    /// The weights of a further level, in order.
    pub fn level(self, s: &[u8], level: u8) -> impl Iterator<Item = u16> + '_ {
        let spoken = self.table.language.map(|of| stream::Stream::new(of, self.charset, s, level));
        let plain = if spoken.is_none() { s } else { &[] };
        let plain = levels::Elements::new(plain, self.charset).map(move |e| {
            if level == 2 { e >> levels::TERTIARY_BITS } else { e & levels::TERTIARY }
        });
        plain.chain(spoken.into_iter().flatten())
    }

    /// Level by level: the next one counts where the texts are equal in all before.
    pub fn compare(self, a: &[u8], b: &[u8]) -> Ordering {
        if a == b {
            return Ordering::Equal;
        }
        let mut order = self.compare_primary(a, b);
        for level in 2..=self.levels {
            order = order.then_with(|| self.level(a, level).cmp(self.level(b, level)));
        }
        order
    }

    fn compare_primary(self, a: &[u8], b: &[u8]) -> Ordering {
        let (mut i, mut n) = (common_characters(a, b), a.len().min(b.len()));
        if !self.table.is_simple {
            // What is common may end within a pair.
            (i, n) = (0, 0);
        }
        // While both sides are ASCII no decoding is needed.
        while i < n && (a[i] | b[i]) < 0x80 {
            let x = self.table.ascii[usize::from(a[i])];
            let y = self.table.ascii[usize::from(b[i])];
            if x != y {
                if x != 0 && y != 0 {
                    return x.cmp(&y);
                }
                break;
            }
            i += 1;
        }
        let (mut a, mut b) = (self.weights(&a[i..]), self.weights(&b[i..]));
        loop {
            match (a.next(), b.next()) {
                (None, None) => return Ordering::Equal,
                (Some(x), Some(y)) if x == y => {}
                (Some(x), Some(y)) => return x.cmp(&y),
                (Some(x), None) => return self.compare_rest(x, a),
                (None, Some(y)) => return self.compare_rest(y, b).reverse(),
            }
        }
    }

    /// The rest of a longer text, `first` and then `rest`, against its end.
    fn compare_rest(self, first: u16, mut rest: Weights<'_>) -> Ordering {
        if !self.pad {
            return Ordering::Greater;
        }
        let space = self.table.space();
        let mut weight = Some(first);
        while let Some(w) = weight {
            if w != space {
                return w.cmp(&space);
            }
            weight = rest.next();
        }
        Ordering::Equal
    }

    /// Are the weights the same, without any padding?
    pub fn same_weights(self, a: &[u8], b: &[u8]) -> bool {
        a == b || self.weights(a).eq(self.weights(b)) && self.same_levels(a, b)
    }

    fn same_levels(self, a: &[u8], b: &[u8]) -> bool {
        (2..=self.levels).all(|level| self.level(a, level).eq(self.level(b, level)))
    }

    /// The beginning of a text whose weights no text that LIKE finds equal, character by character, has otherwise, whatever follows: all
    /// of it, but where the language has pairs what stands before the first letter that may begin one.
    pub fn settled(self, s: &[u8]) -> &[u8] {
        let mut at = 0;
        while !self.table.is_simple && at < s.len() {
            match self.charset.decode(&s[at..]) {
                Some((cp, _)) if self.table.is_unsettled(cp) => return &s[..at],
                Some((_, n)) => at += n,
                None => at += 1,
            }
        }
        s
    }

    /// LIKE's equality of two characters. One whose weights are not in the table is equal to itself only.
    pub fn same_char(self, a: &[u8], b: &[u8]) -> bool {
        if let ([x], [y]) = (a, b)
            && (*x | *y) < 0x80
            && self.levels == 1
            && (self.table.is_simple || self.table.language.is_none())
        {
            return self.table.ascii[usize::from(*x)] == self.table.ascii[usize::from(*y)];
        }
        let in_table = |s: &[u8]| match self.charset.decode(s) {
            Some((cp, _)) if self.table.language.is_some_and(|of| of.is_listed(cp)) => true,
            Some((cp, _)) if cp > 0xFFFF => {
                self.table.version != Version::V400
                    && !matches!(self.table.entry(cp), Entry::Computed(_))
            }
            Some((cp, _)) => !matches!(self.table.entry(cp), Entry::Computed(_)),
            None => false,
        };
        a == b
            || (in_table(a)
                && in_table(b)
                && self.weights(a).eq(self.weights(b))
                // Hiragana are like katakana, as in MySQL.
                && Uca { levels: self.levels.min(3), ..self }.same_levels(a, b))
    }

    /// Feeds a hasher so that equal texts hash alike.
    pub fn hash(self, s: &[u8], state: &mut impl Hasher) {
        let space = self.table.space();
        let mut spaces = 0;
        for weight in self.weights(s) {
            if self.pad && weight == space {
                spaces += 1;
                continue;
            }
            for _ in 0..std::mem::take(&mut spaces) {
                state.write_u16(space);
            }
            state.write_u16(weight);
        }
        for level in 2..=self.levels {
            self.level(s, level).for_each(|weight| state.write_u16(weight));
        }
    }

    /// Appends what a key has behind the first level: see [`levels`].
    pub fn encode_levels(self, s: &[u8], out: &mut Vec<u8>) {
        for level in 2..=self.levels {
            out.push(levels::END);
            if let Some(of) = self.table.language {
                // Secondary weights reach beyond a byte, too, and have no case.
                let in_key = |weight| if level == 2 { weight } else { of.key_weight(weight) };
                let weights = self.level(s, level).map(in_key);
                levels::put_runs(weights, of.common(level), out);
                continue;
            }
            let start = out.len();
            self.level(s, level).for_each(|weight| levels::put(weight, out));
            let common =
                if level == 2 { levels::COMMON_SECONDARY } else { levels::COMMON_TERTIARY };
            let kept = out[start..].iter().rposition(|b| *b != common).map_or(0, |at| at + 1);
            out.truncate(start + kept);
        }
    }

    /// Appends the codes of the weights ([`code`]). With PAD SPACE the text loses its trailing spaces, and `put_run`
    /// writes the other runs of them: how many, and whether what follows weighs more than a space.
    pub fn encode(
        self,
        s: &[u8],
        put_run: impl Fn(u8, usize, bool, &mut Vec<u8>),
        out: &mut Vec<u8>,
    ) {
        let codes = &self.table.codes;
        let (space, space_weight) = (codes.space(), self.table.space());
        out.reserve(s.len() + 2);
        let mut spaces = 0;
        let mut rest = s;
        let pairs = !self.table.is_simple;
        while !rest.is_empty() {
            if spaces == 0 {
                rest = &rest[self.put_plain(rest, out)..];
            }
            if let Some(b) = rest.first().filter(|b| **b < 0x80 && !pairs) {
                match codes.ascii[usize::from(*b)] {
                    0 => {}
                    c if c == space && self.pad => spaces += 1,
                    c => {
                        if spaces > 0 {
                            // A language's letters are behind the space, too.
                            let above = c > space || c == code::LONG;
                            put_run(space, std::mem::take(&mut spaces), above, out);
                        }
                        match c {
                            code::LONG => codes.put(self.table.ascii[usize::from(*b)], out),
                            c => out.push(c),
                        }
                    }
                }
                rest = &rest[1..];
                continue;
            }
            let wide = rest.iter().position(|b| *b < 0x80 && !pairs).unwrap_or(rest.len());
            for weight in self.weights(&rest[..wide]) {
                if self.pad && weight == space_weight {
                    spaces += 1;
                    continue;
                }
                if spaces > 0 {
                    put_run(space, std::mem::take(&mut spaces), weight > space_weight, out);
                }
                codes.put(weight, out);
            }
            rest = &rest[wide..];
        }
    }
}

/// Length of the characters that two texts have in common at the start. A byte that is not 10xxxxxx always begins a
/// character, so after stepping back to such a byte the place is a boundary in both texts.
fn common_characters(a: &[u8], b: &[u8]) -> usize {
    // Eight bytes at a time as long as they agree.
    let eights = a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0);
    let agreed = 8 * eights.take_while(|(x, y)| x == y).count();
    let rest = a[agreed..].iter().zip(&b[agreed..]);
    let mut i = agreed + rest.take_while(|(x, y)| x == y).count();
    let inside = |s: &[u8], i: usize| s.get(i).is_some_and(|b| b & 0xC0 == 0x80);
    if inside(a, i) || inside(b, i) {
        while i > 0 {
            i -= 1;
            if !inside(a, i) {
                break;
            }
        }
    }
    i
}
