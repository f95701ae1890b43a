//! The weights of a text in a language of version 9.0.0, level by level.
//!
//! Known differences from MySQL, which has them by accident: a Japanese text that begins with a mark of repetition or length is taken there
//! for one behind the text's last letter, from the second level on; and Lithuanian's dot over an accented i has a first weight of
//! zero there.

use super::super::charset::Charset;
use super::language::{FOREIGN, Language, on_level};
use super::levels::{self, Elements};
use super::table::{self, Entry, UCA_900};

/// Hangul syllables to which MySQL gives another third weight than to their letters.
const SYLLABLES_APART: std::ops::RangeInclusive<u32> = 0xD700..=0xD7AF;
const SYLLABLE: u16 = 3;

/// The weights of an ideograph behind the first level.
static SECONDARY: [u16; 1] = [levels::COMMON_SECONDARY as u16];
static TERTIARY: [u16; 1] = [levels::COMMON_TERTIARY as u16];

/// The weights of a text on one level.
pub struct Stream<'a> {
    language: &'static Language,
    charset: Charset,
    rest: &'a [u8],
    level: u8,
    /// The character before.
    before: u32,
    /// What the last character still has: weights of the language, and of the table in a list, in a word, and behind the first level.
    own: &'static [u16],
    list: &'static [u16],
    computed: u64,
    accents: Option<Elements<'a>>,
    /// A weight that [`FOREIGN`] went before.
    held: u16,
}

impl<'a> Stream<'a> {
    pub fn new(
        language: &'static Language,
        charset: Charset,
        s: &'a [u8],
        level: u8,
    ) -> Stream<'a> {
        let before = u32::MAX;
        let (own, list): (&[u16], &[u16]) = (&[], &[]);
        Stream {
            language,
            charset,
            rest: s,
            level,
            before,
            own,
            list,
            computed: 0,
            accents: None,
            held: 0,
        }
    }

    /// Takes the weights of the next character or sequence; `None` at the end.
    fn advance(&mut self) -> Option<()> {
        let &b = self.rest.first()?;
        let language = self.language;
        let Some((cp, n)) = self.charset.decode(self.rest) else {
            self.take_from_table(1, u32::MAX, b);
            return Some(());
        };
        if let Some((list, n)) = language.sequence(cp, self.charset, self.rest) {
            self.own = on_level(list, self.level);
            self.rest = &self.rest[n..];
            self.before = u32::MAX;
            return Some(());
        }
        let before = std::mem::replace(&mut self.before, cp);
        if let Some(list) = language.behind(before, cp).or_else(|| language.letter(cp)) {
            self.own = on_level(list, self.level);
        } else if let Some(weight) = language.ideograph(cp) {
            match self.level {
                1 => self.held = weight,
                2 => self.own = &SECONDARY,
                3 => self.own = &TERTIARY,
                _ => {}
            }
        } else {
            self.take_from_table(n, cp, b);
            return Some(());
        }
        self.rest = &self.rest[n..];
        Some(())
    }

    /// Takes the weights that the table has for a character of `n` bytes.
    fn take_from_table(&mut self, n: usize, cp: u32, b: u8) {
        let (c, rest) = self.rest.split_at(n);
        self.rest = rest;
        match self.level {
            1 if cp == u32::MAX => self.computed = table::ill_formed(b),
            1 => match UCA_900.entry(cp) {
                Entry::Ignorable => {}
                Entry::One(weight) => self.computed = u64::from(weight),
                Entry::List(list) => self.list = list,
                Entry::Computed(weights) => {
                    let first = self.language.implicit(weights as u16);
                    self.computed = weights & !0xFFFF | u64::from(first);
                }
            },
            2 | 3 => self.accents = Some(Elements::new(c, self.charset)),
            _ => {}
        }
    }

    /// A primary weight of the table, as the language has it.
    fn place(&mut self, weight: u16) -> u16 {
        let language = self.language;
        if language.is_foreign(weight) {
            self.held = weight;
            return FOREIGN;
        }
        language.moved(weight)
    }
}

impl Iterator for Stream<'_> {
    type Item = u16;

    fn next(&mut self) -> Option<u16> {
        loop {
            if self.held != 0 {
                return Some(std::mem::take(&mut self.held));
            }
            if let [weight, rest @ ..] = self.own {
                self.own = rest;
                return Some(*weight);
            }
            if let [weight, rest @ ..] = self.list {
                self.list = rest;
                let weight = self.language.implicit(*weight);
                return Some(self.place(weight));
            }
            if self.computed != 0 {
                let weight = self.computed as u16;
                self.computed >>= 16;
                return Some(self.place(weight));
            }
            if let Some(e) = self.accents.as_mut().and_then(Iterator::next) {
                return Some(match self.level {
                    2 => e >> levels::TERTIARY_BITS,
                    _ if SYLLABLES_APART.contains(&self.before) => self.language.third(SYLLABLE),
                    _ => self.language.third(e & levels::TERTIARY),
                });
            }
            self.advance()?;
        }
    }
}
