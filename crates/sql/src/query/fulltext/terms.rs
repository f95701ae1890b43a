//! What a question looks for, by number: words, beginnings of words, phrases; and how often a row has each of them.

use super::question::{Item, List, Oper, What};
use super::words::{Token, Words};
use crate::session_api::SqlError;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::convert::Infallible;

/// Words that a phrase may have.
const MAX_PHRASE: usize = 128;

/// What is no word of any phrase, and what stands between two columns.
const OTHER: u32 = u32::MAX;
const BORDER: u32 = u32::MAX - 1;

/// A word that is looked for, or the beginning of one. A word and a beginning that are equal share their frequency.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    pub frequency: usize,
}

#[derive(Debug)]
pub struct Phrase {
    /// The slots of the words that a search can find.
    pub slots: Vec<usize>,
    /// All words from the first of those on, as numbers.
    all: Vec<u32>,
    /// Those of them that a search can find, each once.
    near: Vec<u32>,
    within: Option<u64>,
}

/// An item with numbers in the place of texts.
#[derive(Debug)]
pub struct Asked {
    pub oper: Oper,
    pub leaf: Leaf,
}

#[derive(Debug)]
pub enum Leaf {
    Word(usize),
    Words(Vec<usize>),
    Phrase(usize),
    Parens(Vec<Vec<Asked>>),
}

/// How often a row has a word; of a beginning how often it has the first word with it, and how many words have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    pub slot: u32,
    pub times: u32,
    pub words: u32,
}

/// What a row has of what is looked for.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Found {
    pub hits: Vec<Hit>,
    pub phrases: Vec<u32>,
}

pub struct Terms {
    pub words: Words,
    pub slots: Vec<Slot>,
    pub phrases: Vec<Phrase>,
    pub frequencies: usize,
    by_key: HashMap<Vec<u8>, usize>,
    plain: HashMap<Vec<u8>, usize>,
    /// Beginnings of words, by their length in characters.
    begins: BTreeMap<usize, HashMap<Vec<u8>, usize>>,
    /// Numbers of the words of phrases.
    symbols: HashMap<Vec<u8>, u32>,
    // Room that is used again.
    key: Vec<u8>,
    buffer: Vec<u8>,
    stream: Vec<u32>,
}

impl Terms {
    pub fn new(words: Words) -> Terms {
        Terms {
            words,
            slots: Vec::new(),
            phrases: Vec::new(),
            frequencies: 0,
            by_key: HashMap::new(),
            plain: HashMap::new(),
            begins: BTreeMap::new(),
            symbols: HashMap::new(),
            key: Vec::new(),
            buffer: Vec::new(),
            stream: Vec::new(),
        }
    }

    /// The question with numbers; 191 for a phrase of too many words.
    pub fn of(&mut self, list: &List) -> Result<Vec<Vec<Asked>>, SqlError> {
        let stage = |t: &mut Terms, stage: &Vec<Item>| {
            let item = |i: &Item| Ok(Asked { oper: i.oper, leaf: t.leaf(&i.what)? });
            stage.iter().map(item).collect::<Result<Vec<_>, SqlError>>()
        };
        list.stages.iter().map(|s| stage(self, s)).collect()
    }

    fn leaf(&mut self, what: &What) -> Result<Leaf, SqlError> {
        Ok(match what {
            What::Word { text, prefix } => Leaf::Word(self.slot(text, *prefix)),
            What::Words(list) => {
                let one = |w: &What| match w {
                    What::Word { text, prefix } => Some(self.slot(text, *prefix)),
                    _ => None,
                };
                Leaf::Words(list.iter().filter_map(one).collect())
            }
            What::Phrase { text, within } => Leaf::Phrase(self.phrase(text, *within)?),
            What::Parens(list) => Leaf::Parens(self.of(list)?),
        })
    }

    /// The number of a word; it is looked for from now on.
    fn slot(&mut self, text: &[u8], prefix: bool) -> usize {
        let mut key = Vec::new();
        self.words.key(text, &mut key);
        self.slot_of(key, prefix.then(|| self.words.collation.char_len(text)))
    }

    fn slot_of(&mut self, key: Vec<u8>, begins: Option<usize>) -> usize {
        let frequency = *self.by_key.entry(key.clone()).or_insert_with(|| {
            self.frequencies += 1;
            self.frequencies - 1
        });
        let map = match begins {
            Some(chars) => self.begins.entry(chars).or_default(),
            None => &mut self.plain,
        };
        let slots = &mut self.slots;
        *map.entry(key).or_insert_with(|| {
            slots.push(Slot { frequency });
            slots.len() - 1
        })
    }

    /// A word of a document, by its key, that is looked for from now on; `None` where the question had it.
    pub fn expand(&mut self, key: Vec<u8>) -> Option<usize> {
        let known = self.by_key.contains_key(&key);
        (!known).then(|| self.slot_of(key, None))
    }

    fn phrase(&mut self, text: &[u8], within: Option<u64>) -> Result<usize, SqlError> {
        let (mut all, mut near, mut slots) = (Vec::new(), Vec::new(), Vec::new());
        let mut found: Vec<(Vec<u8>, bool)> = Vec::new();
        let (words, buffer) = (&self.words, &mut self.buffer);
        let each = words.each(text, |t| {
            let mut key = Vec::new();
            words.key(t.text, &mut key);
            let indexed = words.is_indexed(t, buffer);
            // What stands before the first word that a search can find is not looked at.
            if indexed || !found.is_empty() {
                found.push((key, indexed));
            }
            Ok::<(), Infallible>(())
        });
        let Ok(()) = each;
        if found.len() > MAX_PHRASE {
            let text = "Too many words in a FTS phrase or proximity search";
            return Err(SqlError::new(191, text));
        }
        for (key, indexed) in found {
            let next = self.symbols.len() as u32;
            let symbol = *self.symbols.entry(key.clone()).or_insert(next);
            all.push(symbol);
            if indexed {
                if !near.contains(&symbol) {
                    near.push(symbol);
                }
                slots.push(self.slot_of(key, None));
            }
        }
        self.phrases.push(Phrase { slots, all, near, within });
        Ok(self.phrases.len() - 1)
    }

    /// What a row has of it. `texts`: of the columns, in the key's order.
    pub fn look(&mut self, texts: &[&[u8]]) -> Found {
        let mut plain: BTreeMap<usize, u32> = BTreeMap::new();
        let mut begun: BTreeMap<usize, BTreeMap<Vec<u8>, u32>> = BTreeMap::new();
        self.stream.clear();
        let Terms { words, plain: known, begins, symbols, key, buffer, stream, .. } = self;
        for text in texts {
            let each = words.each(text, |t| {
                words.key(t.text, key);
                if !symbols.is_empty() {
                    stream.push(symbols.get(key).copied().unwrap_or(OTHER));
                }
                if known.is_empty() && begins.is_empty() || !words.is_indexed(t, buffer) {
                    return Ok::<(), Infallible>(());
                }
                if let Some(slot) = known.get(key) {
                    *plain.entry(*slot).or_default() += 1;
                }
                begun_by(words, begins, t, key, &mut begun);
                Ok(())
            });
            let Ok(()) = each;
            stream.push(BORDER);
        }
        let of_plain = |(slot, times): (usize, u32)| Hit { slot: slot as u32, times, words: 1 };
        let mut hits: Vec<Hit> = plain.into_iter().map(of_plain).collect();
        hits.extend(begun.into_iter().map(|(slot, list)| Hit {
            slot: slot as u32,
            times: list.values().next().copied().unwrap_or(0),
            words: list.len() as u32,
        }));
        hits.sort_unstable_by_key(|h| h.slot);
        let has = |p: &Phrase| {
            p.slots.iter().all(|s| hits.binary_search_by_key(&(*s as u32), |h| h.slot).is_ok())
                && !p.slots.is_empty()
                && p.is_in(&self.stream)
        };
        let numbered = (0u32..).zip(&self.phrases);
        let phrases = numbered.filter(|(_, p)| has(p)).map(|(n, _)| n).collect();
        Found { hits, phrases }
    }

    /// All words of a text that a search can find, by their keys.
    pub fn gather(&mut self, text: &[u8], into: &mut HashSet<Vec<u8>>) -> usize {
        let (words, buffer) = (&self.words, &mut self.buffer);
        let (mut key, mut bytes) = (Vec::new(), 0);
        let each = words.each(text, |t| {
            if words.is_indexed(t, buffer) {
                words.key(t.text, &mut key);
                if !into.contains(&key) {
                    bytes += key.len() + 64;
                    into.insert(key.clone());
                }
            }
            Ok::<(), Infallible>(())
        });
        let Ok(()) = each;
        bytes
    }
}

/// Notes a word at each beginning that is looked for and that it has.
fn begun_by(
    words: &Words,
    begins: &BTreeMap<usize, HashMap<Vec<u8>, usize>>,
    t: Token<'_>,
    key: &[u8],
    begun: &mut BTreeMap<usize, BTreeMap<Vec<u8>, u32>>,
) {
    let mut prefix = Vec::new();
    for (chars, known) in begins {
        let Some(text) = words.prefix(t, *chars) else { return };
        words.key(text, &mut prefix);
        if let Some(slot) = known.get(&prefix) {
            *begun.entry(*slot).or_default().entry(key.to_vec()).or_default() += 1;
        }
    }
}

impl Phrase {
    fn is_in(&self, stream: &[u32]) -> bool {
        match self.within {
            None => stream.windows(self.all.len()).any(|w| w == self.all),
            Some(n) => self.is_within(stream, usize::try_from(n).unwrap_or(usize::MAX)),
        }
    }

    /// Are all its words that can be found within `n` words of the row, whatever column they are in?
    fn is_within(&self, stream: &[u32], n: usize) -> bool {
        let mut last = vec![None; self.near.len()];
        let mut at = 0usize;
        for symbol in stream.iter().filter(|s| **s != BORDER) {
            at += 1;
            let Some(w) = self.near.iter().position(|w| w == symbol) else { continue };
            last[w] = Some(at);
            if let Some(first) = last.iter().copied().min().flatten()
                && at - first < n
            {
                return true;
            }
        }
        false
    }
}
