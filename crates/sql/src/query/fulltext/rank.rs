//! Which rows a question finds, and what they are worth: InnoDB's way through the tree, set by set, and its sum.
//!
//! A word is worth `times * idf * idf` in a row, where idf is the logarithm (to base 10) of the number of rows through the number of rows
//! that have it. As in InnoDB, rows are counted once more each time that the question names the word, a word that all rows have is
//! worth a little, sums are of single precision, and `>`, `<` and `~` move a row by one, between minus one and one.
//!
//! Invariants: a row stands in a set by its place among the documents; nothing here reads a text. Recursion is as deep as the question's
//! parentheses, which have a bound.

use super::question::Oper;
use super::terms::{Asked, Found, Leaf, Terms};
use std::collections::BTreeMap;

/// Rows with one text.
#[derive(Debug)]
pub struct Document {
    pub found: Found,
    /// How many rows have the text.
    pub rows: u64,
}

/// A row in a set.
#[derive(Clone, Debug, Default)]
struct Member {
    rank: f32,
    /// Frequencies of its words, in no order.
    words: Vec<u32>,
}

type Set = BTreeMap<u32, Member>;

/// How a word occurs in all rows.
#[derive(Clone, Debug, Default)]
struct Frequency {
    rows: u64,
    /// Its place in the order in which words are added up.
    place: Option<u32>,
    /// The slots under which it was looked for, in order: the first that a row has says how often.
    slots: Vec<usize>,
}

/// Evaluates one question over what was found of it.
pub struct Ranking<'t> {
    terms: &'t Terms,
    documents: &'t [Document],
    /// For each slot the documents that have it.
    postings: Vec<Vec<u32>>,
    /// For each phrase.
    phrases: Vec<Vec<u32>>,
    frequencies: Vec<Frequency>,
    places: u32,
    set: Set,
    /// A `+` has been obeyed in this list.
    narrowed: bool,
}

/// The order of passes over a stage.
#[derive(Clone, Copy, PartialEq)]
enum Pass {
    Optional,
    Exist,
    Ignore,
}

impl<'t> Ranking<'t> {
    pub fn new(terms: &'t Terms, documents: &'t [Document]) -> Ranking<'t> {
        let mut postings = vec![Vec::new(); terms.slots.len()];
        let mut phrases = vec![Vec::new(); terms.phrases.len()];
        for (n, d) in (0u32..).zip(documents) {
            d.found.hits.iter().for_each(|h| postings[h.slot as usize].push(n));
            d.found.phrases.iter().for_each(|p| phrases[*p as usize].push(n));
        }
        Ranking {
            terms,
            documents,
            postings,
            phrases,
            frequencies: vec![Frequency::default(); terms.frequencies],
            places: 0,
            set: Set::new(),
            narrowed: false,
        }
    }

    /// Documents and their ranks. `more`: words that are looked for beside the question; `rows`: of the table.
    pub fn ranks(mut self, asked: &[Vec<Asked>], more: &[usize], rows: u64) -> Vec<(u32, f32)> {
        self.list(asked);
        for slot in more {
            self.word(*slot, Oper::None);
        }
        let idf: Vec<f64> = self.frequencies.iter().map(|f| idf(rows, f.rows)).collect();
        let set = std::mem::take(&mut self.set);
        set.into_iter().map(|(n, m)| (n, self.rank(n, m, &idf))).collect()
    }

    fn rank(&self, document: u32, mut m: Member, idf: &[f64]) -> f32 {
        m.words.sort_unstable_by_key(|w| self.frequencies[*w as usize].place);
        let mut rank = m.rank;
        for w in m.words {
            let weight = f64::from(self.times(document, w)) * idf[w as usize];
            rank += (weight * idf[w as usize]) as f32;
        }
        rank
    }

    fn times(&self, document: u32, word: u32) -> u32 {
        let hits = &self.documents[document as usize].found.hits;
        let of = |slot: &usize| {
            let at = hits.binary_search_by_key(&(*slot as u32), |h| h.slot).ok()?;
            Some(hits[at].times).filter(|t| *t > 0)
        };
        self.frequencies[word as usize].slots.iter().find_map(of).unwrap_or(0)
    }

    fn list(&mut self, stages: &[Vec<Asked>]) {
        for stage in stages {
            for pass in [Pass::Optional, Pass::Exist, Pass::Ignore] {
                stage.iter().for_each(|item| self.item(item, pass));
            }
        }
    }

    fn item(&mut self, item: &Asked, pass: Pass) {
        let due = match (item.oper, &item.leaf) {
            // Several words in one are not put off.
            (_, Leaf::Words(_)) => Pass::Optional,
            (Oper::Exist, _) => Pass::Exist,
            (Oper::Ignore, _) => Pass::Ignore,
            _ => Pass::Optional,
        };
        if pass != due {
            return;
        }
        match &item.leaf {
            Leaf::Word(slot) => self.word(*slot, item.oper),
            Leaf::Words(list) => list.iter().for_each(|s| self.word(*s, item.oper)),
            Leaf::Phrase(n) => self.phrase(*n, item.oper),
            Leaf::Parens(stages) => self.parens(stages, item.oper),
        }
    }

    /// Counts the rows that have a word, once more.
    fn count(&mut self, slot: usize) {
        let words = |n: &u32| {
            let d = &self.documents[*n as usize];
            let at = d.found.hits.binary_search_by_key(&(slot as u32), |h| h.slot);
            d.rows * at.map_or(0, |at| u64::from(d.found.hits[at].words))
        };
        let rows: u64 = self.postings[slot].iter().map(words).sum();
        let f = &mut self.frequencies[self.terms.slots[slot].frequency];
        f.rows += rows;
        if !f.slots.contains(&slot) {
            f.slots.push(slot);
        }
    }

    fn word(&mut self, slot: usize, oper: Oper) {
        // Of nothing there is nothing to take.
        if self.set.is_empty() && (oper == Oper::Ignore || oper == Oper::Exist && self.narrowed) {
            return;
        }
        self.count(slot);
        let with = std::mem::take(&mut self.postings[slot]);
        let word = self.terms.slots[slot].frequency as u32;
        self.merge(with.iter().map(|n| (*n, 0.0, std::slice::from_ref(&word))), oper);
        self.postings[slot] = with;
    }

    fn phrase(&mut self, n: usize, oper: Oper) {
        let mut words: Vec<u32> = Vec::new();
        for slot in self.terms.phrases[n].slots.iter().copied() {
            self.count(slot);
            if self.postings[slot].is_empty() {
                break;
            }
            words.push(self.terms.slots[slot].frequency as u32);
        }
        if self.terms.phrases[n].slots.is_empty() && oper != Oper::Exist {
            return;
        }
        let with = std::mem::take(&mut self.phrases[n]);
        self.merge(with.iter().map(|n| (*n, 0.0, &words[..])), oper);
        self.phrases[n] = with;
    }

    fn parens(&mut self, stages: &[Vec<Asked>], oper: Oper) {
        let outer = std::mem::take(&mut self.set);
        let narrowed = std::mem::replace(&mut self.narrowed, false);
        self.list(stages);
        let inner = std::mem::replace(&mut self.set, outer);
        self.narrowed = narrowed;
        self.merge(inner.iter().map(|(n, m)| (*n, m.rank, &m.words[..])), oper);
    }

    /// Does with the rows of a set what the operator says.
    fn merge<'m>(&mut self, with: impl Iterator<Item = (u32, f32, &'m [u32])>, oper: Oper) {
        let mut narrowed = Set::new();
        for (n, rank, words) in with {
            let member = match oper {
                Oper::Ignore => {
                    self.set.remove(&n);
                    continue;
                }
                Oper::Exist => match self.set.remove(&n) {
                    Some(mut m) => {
                        m.rank = (m.rank + rank).clamp(-1.0, 1.0);
                        narrowed.entry(n).or_insert(m)
                    }
                    None if self.narrowed => continue,
                    None => narrowed.entry(n).or_insert(Member { rank, words: Vec::new() }),
                },
                Oper::Negate => match self.set.get_mut(&n) {
                    Some(m) => m,
                    None => continue,
                },
                Oper::None | Oper::Incr | Oper::Decr => {
                    self.set.entry(n).or_insert(Member { rank, words: Vec::new() })
                }
            };
            match oper {
                Oper::Incr => member.rank = (member.rank + 1.0).min(1.0),
                Oper::Decr | Oper::Negate => member.rank = (member.rank - 1.0).max(-1.0),
                Oper::None | Oper::Exist | Oper::Ignore => {}
            }
            for w in words {
                if !member.words.contains(w) {
                    member.words.push(*w);
                }
                let f = &mut self.frequencies[*w as usize];
                if f.place.is_none() {
                    f.place = Some(self.places);
                    self.places += 1;
                }
            }
        }
        if oper == Oper::Exist {
            self.set = narrowed;
            self.narrowed = true;
        }
    }
}

/// What a word is worth by itself that so many of the rows have.
fn idf(rows: u64, with: u64) -> f64 {
    match with {
        0 => 0.0,
        _ if with == rows => 1.0001f64.log10(),
        _ => (rows as f64 / with as f64).log10(),
    }
}
