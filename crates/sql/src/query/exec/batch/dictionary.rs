//! Numbers of texts: equal ones, as their collation sees them, have one.

use crate::memory::Held;
use crate::query::eval::Ev;
use crate::query::exec::texts::{TextHash, Texts};
use crate::value::{Collation, ValueError};

/// Spellings that a dictionary remembers of texts that it knows. Others are looked up by their weights.
const SPELLINGS: usize = 1 << 16;

pub struct Dictionary {
    pub collation: Collation,
    spellings: Texts,
    /// For each spelling the text's number.
    numbers: Vec<u32>,
    weights: Texts,
    /// For each number the spelling that came first.
    firsts: Vec<u32>,
    /// The spelling of the text whose number was asked for last, if it is remembered.
    last: Option<u32>,
    habit: Habit,
    scratch: Vec<u8>,
}

impl Dictionary {
    pub fn new(collation: Collation) -> Dictionary {
        Dictionary {
            collation,
            spellings: Texts::default(),
            numbers: Vec::new(),
            weights: Texts::default(),
            firsts: Vec::new(),
            last: None,
            habit: Habit::new(),
            scratch: Vec::new(),
        }
    }

    /// How many different texts there are.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// The text with this number that came first.
    pub fn first(&self, number: u64) -> &[u8] {
        self.spellings.get(self.firsts[number as usize])
    }

    /// The spelling with this number ([`Dictionary::spelling_of`]).
    pub fn spelling(&self, spelling: u64) -> &[u8] {
        self.spellings.get(spelling as u32)
    }

    /// The number of the spelling of the text that [`Dictionary::number`] has just given this number.
    pub fn spelling_of(
        &mut self,
        (text, number): (&[u8], u64),
        held: &mut Held,
        ev: &Ev<'_>,
    ) -> Result<u64, ValueError> {
        match self.last {
            Some(spelling) => Ok(spelling.into()),
            None => self.remember(text, None, number as u32, held, ev).map(u64::from),
        }
    }

    /// Remembers a spelling, which is found again where it has a hash.
    fn remember(
        &mut self,
        text: &[u8],
        hash: Option<TextHash>,
        number: u32,
        held: &mut Held,
        ev: &Ev<'_>,
    ) -> Result<u32, ValueError> {
        ev.cx.hold(held, Texts::entry(text) + size_of::<u32>())?;
        self.numbers.push(number);
        let spelling = match hash {
            Some(hash) => self.spellings.put(text, hash),
            None => self.spellings.append(text),
        };
        self.last = Some(spelling);
        Ok(spelling)
    }

    /// Forgets all texts but this one, whose new number it returns.
    pub fn keep(&mut self, text: &[u8], held: &mut Held, ev: &Ev<'_>) -> Result<u64, ValueError> {
        self.spellings.clear();
        self.numbers.clear();
        self.weights.clear();
        self.firsts.clear();
        self.number(text, held, ev)
    }

    /// The number of a text that is known; none: it is not.
    #[inline]
    pub fn known(&mut self, text: &[u8]) -> Option<u64> {
        if let Some(spelling) = self.spellings.find(text, self.spellings.hash_of(text)) {
            return Some(self.numbers[spelling as usize].into());
        }
        self.scratch.clear();
        self.collation.weights(text, &mut self.scratch);
        self.weights.find(&self.scratch, self.weights.hash_of(&self.scratch)).map(u64::from)
    }

    #[inline]
    pub fn number(&mut self, text: &[u8], held: &mut Held, ev: &Ev<'_>) -> Result<u64, ValueError> {
        let hash = match self.habit.asks() {
            true => {
                let hash = self.spellings.hash_of(text);
                self.last = self.spellings.find(text, hash);
                if let Some(spelling) = self.last {
                    self.habit.met(true);
                    return Ok(self.numbers[spelling as usize].into());
                }
                Some(hash)
            }
            false => None,
        };
        self.scratch.clear();
        self.collation.weights(text, &mut self.scratch);
        let weighed = self.weights.hash_of(&self.scratch);
        let known = self.weights.find(&self.scratch, weighed);
        self.habit.met(known.is_some() && hash.is_none());
        let number = match known {
            Some(n) => {
                let first = self.firsts[n as usize];
                self.last = (self.spellings.get(first) == text).then_some(first);
                if hash.is_none() || self.spellings.len() >= SPELLINGS {
                    return Ok(n.into());
                }
                n
            }
            None => {
                ev.cx.hold(held, Texts::entry(&self.scratch) + size_of::<u32>())?;
                self.firsts.push(self.spellings.len() as u32);
                self.weights.put(&self.scratch, weighed)
            }
        };
        self.remember(text, hash, number, held, ev)?;
        Ok(number.into())
    }
}

/// Whether texts are looked up by their spellings first. Where nearly all are new, that is one more table of them, which tells nothing.
struct Habit {
    asks: bool,
    /// Texts since that was decided, and those among them that were known.
    texts: u32,
    known: u32,
}

/// Texts between two decisions.
const WINDOW: u32 = 8192;

impl Habit {
    fn new() -> Habit {
        Habit { asks: true, texts: 0, known: 0 }
    }

    #[inline]
    fn asks(&self) -> bool {
        self.asks
    }

    /// A text came that was known by its spelling; or without spellings by its weights.
    #[inline]
    fn met(&mut self, known: bool) {
        self.texts += 1;
        self.known += u32::from(known);
        if self.texts == WINDOW {
            let enough = if self.asks { WINDOW / 8 } else { WINDOW / 2 };
            *self = Habit { asks: self.known >= enough, ..Habit::new() };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_are_asked_while_they_tell() {
        let mut habit = Habit::new();
        let mut window = |known: u32| {
            (0..WINDOW).for_each(|n| habit.met(n < known));
            habit.asks()
        };
        assert_eq!([0, 100, WINDOW / 8, WINDOW / 2].map(&mut window), [false, false, false, true]);
        assert_eq!([WINDOW / 8, WINDOW / 8 - 1].map(&mut window), [true, false]);
    }
}
