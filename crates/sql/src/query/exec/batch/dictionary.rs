//! Numbers of texts: equal ones, as their collation sees them, have one.

use super::texts::Texts;
use crate::memory::Held;
use crate::query::eval::Ev;
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

    /// The number of the spelling of a text with this number.
    pub fn spelling_of(
        &mut self,
        (text, number): (&[u8], u64),
        held: &mut Held,
        ev: &Ev<'_>,
    ) -> Result<u64, ValueError> {
        if let Some(spelling) = self.spellings.find(text) {
            return Ok(spelling.into());
        }
        ev.cx.hold(held, Texts::entry(text) + size_of::<u32>())?;
        self.numbers.push(number as u32);
        Ok(self.spellings.put(text).into())
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
        if let Some(spelling) = self.spellings.find(text) {
            return Some(self.numbers[spelling as usize].into());
        }
        self.scratch.clear();
        self.collation.weights(text, &mut self.scratch);
        self.weights.find(&self.scratch).map(u64::from)
    }

    #[inline]
    pub fn number(&mut self, text: &[u8], held: &mut Held, ev: &Ev<'_>) -> Result<u64, ValueError> {
        if let Some(spelling) = self.spellings.find(text) {
            return Ok(self.numbers[spelling as usize].into());
        }
        self.scratch.clear();
        self.collation.weights(text, &mut self.scratch);
        let number = match self.weights.find(&self.scratch) {
            Some(n) => {
                if self.spellings.len() >= SPELLINGS {
                    return Ok(n.into());
                }
                n
            }
            None => {
                ev.cx.hold(held, Texts::entry(&self.scratch) + size_of::<u32>())?;
                self.firsts.push(self.spellings.len() as u32);
                self.weights.put(&self.scratch)
            }
        };
        ev.cx.hold(held, Texts::entry(text) + size_of::<u32>())?;
        self.spellings.put(text);
        self.numbers.push(number);
        Ok(number.into())
    }
}
