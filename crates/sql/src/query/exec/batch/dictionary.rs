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
        if let Some(spelling) = self.last {
            return Ok(spelling.into());
        }
        let hash = self.spellings.hash_of(text);
        self.remember((text, hash), number as u32, held, ev).map(u64::from)
    }

    /// Remembers a spelling that is not here.
    fn remember(
        &mut self,
        (text, hash): (&[u8], TextHash),
        number: u32,
        held: &mut Held,
        ev: &Ev<'_>,
    ) -> Result<u32, ValueError> {
        ev.cx.hold(held, Texts::entry(text) + size_of::<u32>())?;
        self.numbers.push(number);
        let spelling = self.spellings.put(text, hash);
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
        let hash = self.spellings.hash_of(text);
        self.last = self.spellings.find(text, hash);
        if let Some(spelling) = self.last {
            return Ok(self.numbers[spelling as usize].into());
        }
        self.scratch.clear();
        self.collation.weights(text, &mut self.scratch);
        let weighed = self.weights.hash_of(&self.scratch);
        let number = match self.weights.find(&self.scratch, weighed) {
            Some(n) => {
                if self.spellings.len() >= SPELLINGS {
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
        self.remember((text, hash), number, held, ev)?;
        Ok(number.into())
    }
}
