//! Finding a regular expression in a long text so that the statement can end meanwhile.
//!
//! A search of the library knows no way out, and a text of some megabytes under a pattern like `a.{500}b` takes it minutes. So
//! the search is made here, a byte at a time, on the library's own lazily built automata: forwards to the end of the match that
//! the pattern prefers at the leftmost place, then backwards to that place. Between the bytes `look` is asked.
//!
//! Only patterns that mean the same to the automata as to the engine of `REGEXP` come here; [`LongMatch::new`] gives none for
//! the others.

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::hybrid::{BuildError, LazyStateID};
use regex_automata::nfa::thompson;
use regex_automata::{Anchored, Input, MatchKind};
use std::sync::{Mutex, PoisonError};

/// Shorter texts are left to the engine's own search, which is faster and over in some milliseconds whatever the pattern.
pub const LONG: usize = 32 * 1024;
/// Bytes of text between two looks, and the work that they count: a byte may cost building a state, which is as long as the
/// pattern.
const STRIDE: usize = 64;
const WORK: usize = 4096;

/// A pattern as a pair of automata.
pub struct LongMatch {
    forward: DFA,
    backward: DFA,
    caches: Mutex<(Cache, Cache)>,
}

/// Why a search did not come to an answer.
pub enum Stopped<E> {
    /// `look` said so.
    Told(E),
    /// The automata cannot decide it: a word boundary beside text that is not ASCII.
    Undecided,
}

impl LongMatch {
    /// None: the pattern needs the other engine.
    pub fn new(source: &str) -> Option<LongMatch> {
        if !is_plain(source) {
            return None;
        }
        let build = |backward: bool| -> Result<DFA, Box<BuildError>> {
            let kind = if backward { MatchKind::All } else { MatchKind::LeftmostFirst };
            let config = DFA::config()
                .match_kind(kind)
                .unicode_word_boundary(true)
                .skip_cache_capacity_check(true)
                .minimum_cache_clear_count(None);
            DFA::builder()
                .configure(config)
                .thompson(thompson::Config::new().reverse(backward))
                .build(source)
                .map_err(Box::new)
        };
        let (forward, backward) = (build(false).ok()?, build(true).ok()?);
        let caches = Mutex::new((forward.create_cache(), backward.create_cache()));
        Some(LongMatch { forward, backward, caches })
    }

    /// Is there a match at or behind `from`?
    pub fn is_match<E>(
        &self,
        text: &str,
        from: usize,
        mut look: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<bool, Stopped<E>> {
        // An empty match in the middle of a character is not one.
        if self.forward.get_nfa().has_empty() {
            return Ok(self.find(text, from, look)?.is_some());
        }
        let mut caches = self.caches.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(self.end(&mut caches.0, text, from, true, &mut look)?.is_some())
    }

    /// The match that the pattern prefers at the leftmost place at or behind `from`.
    pub fn find<E>(
        &self,
        text: &str,
        mut from: usize,
        mut look: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Option<(usize, usize)>, Stopped<E>> {
        let mut caches = self.caches.lock().unwrap_or_else(PoisonError::into_inner);
        let (forward, backward) = &mut *caches;
        while let Some(end) = self.end(forward, text, from, false, &mut look)? {
            let begin = self.begin(backward, text, from, end, &mut look)?;
            if text.is_char_boundary(begin) && text.is_char_boundary(end) {
                return Ok(Some((begin, end)));
            }
            // Empty, in the middle of a character.
            from = next_char(text, begin);
        }
        Ok(None)
    }

    /// Where the match ends; with `earliest`, where one is sure to be.
    fn end<E>(
        &self,
        cache: &mut Cache,
        text: &str,
        from: usize,
        earliest: bool,
        look: &mut impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Option<usize>, Stopped<E>> {
        let input = Input::new(text).span(from..text.len());
        let dfa = &self.forward;
        let mut state = dfa.start_state_forward(cache, &input).map_err(|_| Stopped::Undecided)?;
        let mut found = None;
        for (at, byte) in text.bytes().enumerate().skip(from) {
            if at.is_multiple_of(STRIDE) {
                look(WORK).map_err(Stopped::Told)?;
            }
            state = dfa.next_state(cache, state, byte).map_err(|_| Stopped::Undecided)?;
            if state.is_tagged() {
                // A match is known one byte after its last.
                match tag(state) {
                    Tag::Match => found = Some(at),
                    Tag::Dead => return Ok(found),
                    Tag::Quit => return Err(Stopped::Undecided),
                    Tag::None => {}
                }
                if earliest && found.is_some() {
                    return Ok(found);
                }
            }
        }
        state = dfa.next_eoi_state(cache, state).map_err(|_| Stopped::Undecided)?;
        Ok(if state.is_match() { Some(text.len()) } else { found })
    }

    /// Where the match begins that ends at `end`: the leftmost place from which one comes there.
    fn begin<E>(
        &self,
        cache: &mut Cache,
        text: &str,
        from: usize,
        end: usize,
        look: &mut impl FnMut(usize) -> Result<(), E>,
    ) -> Result<usize, Stopped<E>> {
        let input = Input::new(text).span(from..end).anchored(Anchored::Yes);
        let dfa = &self.backward;
        let mut state = dfa.start_state_reverse(cache, &input).map_err(|_| Stopped::Undecided)?;
        let mut begin = end;
        for (at, byte) in text.bytes().enumerate().take(end).skip(from).rev() {
            if at.is_multiple_of(STRIDE) {
                look(WORK).map_err(Stopped::Told)?;
            }
            state = dfa.next_state(cache, state, byte).map_err(|_| Stopped::Undecided)?;
            if state.is_tagged() {
                match tag(state) {
                    Tag::Match => begin = at + 1,
                    Tag::Dead => return Ok(begin),
                    Tag::Quit => return Err(Stopped::Undecided),
                    Tag::None => {}
                }
            }
        }
        // What stands before `from` is looked at by `^` and `\b`, as in a search that begins there.
        state = match from.checked_sub(1) {
            None => dfa.next_eoi_state(cache, state),
            Some(before) => dfa.next_state(cache, state, text.as_bytes()[before]),
        }
        .map_err(|_| Stopped::Undecided)?;
        Ok(if state.is_match() { from } else { begin })
    }
}

/// Where the character behind the one at or around `at` begins; beyond the text's end when there is none.
pub fn next_char(text: &str, at: usize) -> usize {
    let rest = text.as_bytes().get(at + 1..).unwrap_or_default();
    at + 1 + rest.iter().take_while(|b| **b & 0xC0 == 0x80).count()
}

enum Tag {
    Match,
    Dead,
    Quit,
    None,
}

fn tag(state: LazyStateID) -> Tag {
    if state.is_match() {
        Tag::Match
    } else if state.is_dead() {
        Tag::Dead
    } else if state.is_quit() {
        Tag::Quit
    } else {
        Tag::None
    }
}

/// Does the pattern mean the same to both engines? Possessive repetitions would be read as nested ones, some escapes differ, and
/// of a repeated group that holds a lazy repetition the two find different lengths; so only what is known to agree passes.
fn is_plain(source: &str) -> bool {
    let mut before = ' ';
    // Of each open group, and of the whole, whether it holds a lazy repetition. A bracket in a class makes it more careful at most.
    let mut lazy = vec![false];
    let mut chars = source.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '?' && matches!(before, '*' | '+' | '?' | '}') {
            *lazy.last_mut().expect("the whole is never closed") = true;
        }
        if c == '(' {
            lazy.push(false);
        }
        if c == ')' {
            let holds = if lazy.len() > 1 { lazy.pop() == Some(true) } else { lazy[0] };
            *lazy.last_mut().expect("the whole is never closed") |= holds;
            if holds && chars.peek().is_some_and(|n| "*+?{".contains(*n)) {
                return false;
            }
        }
        match c {
            '\\' => match chars.next() {
                Some(e) if e.is_ascii_alphanumeric() && !"dDwWsSbBntr".contains(e) => return false,
                None => return false,
                _ => {}
            },
            '+' if matches!(before, '*' | '+' | '?' | '}') => return false,
            '(' if chars.peek() == Some(&'?') => {
                let kind = chars.clone().nth(1);
                if !kind.is_some_and(|k| matches!(k, ':' | 'i' | 'm' | 's')) {
                    return false;
                }
            }
            _ => {}
        }
        before = if c == '\\' { ' ' } else { c };
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(found: impl Fn(usize) -> Option<(usize, usize)>, text: &str) -> Vec<(usize, usize)> {
        let mut at = 0;
        let mut list = Vec::new();
        while at <= text.len()
            && let Some((a, b)) = found(at)
        {
            list.push((a, b));
            at = if b > a { b } else { next_char(text, b) };
        }
        list
    }

    fn pattern() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            "[ab]",
            Just("é".to_string()),
            Just(".".to_string()),
            Just("[a-c]".to_string()),
            Just("^".to_string()),
            Just("$".to_string()),
            Just("\\d".to_string()),
            Just("\\b".to_string()),
            Just(String::new()),
        ];
        leaf.prop_recursive(4, 24, 3, |inner| {
            prop_oneof![
                (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a}{b}")),
                (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("(?:{a}|{b})")),
                (inner.clone(), "[*+?]|[*+?][?]|\\{2\\}|\\{1,3\\}")
                    .prop_map(|(a, n)| format!("({a}){n}")),
            ]
        })
    }

    proptest! {
        /// Every match of the one engine is a match of the other, at the same places.
        #[test]
        fn agrees_with_the_engine(pattern in pattern(), flags in "(\\(\\?[ims]\\))?", text in "[abcé1\n ]{0,24}") {
            let source = format!("{flags}{pattern}");
            // Lazy within repeated is left to the engine.
            let Some(long) = LongMatch::new(&source) else {
                prop_assert!(source.contains('?'));
                return Ok(());
            };
            let engine = fancy_regex::Regex::new(&source).expect("a pattern");
            let undecided = std::cell::Cell::new(false);
            let ours = all(
                |at| match long.find(&text, at, |_| Ok::<_, ()>(())) {
                    Ok(m) => m,
                    Err(_) => { undecided.set(true); None }
                },
                &text,
            );
            if undecided.get() {
                prop_assert!(!text.is_ascii() && source.contains("\\b"));
                return Ok(());
            }
            let theirs = all(
                |at| engine.find_from_pos(&text, at).expect("no limit").map(|m| (m.start(), m.end())),
                &text,
            );
            prop_assert_eq!(&ours, &theirs);
            let is = long.is_match(&text, 0, |_| Ok::<_, ()>(()));
            prop_assert!(is.is_err() || is.is_ok_and(|is| is != theirs.is_empty()));
        }
    }

    #[test]
    fn patterns_of_the_other_engine_are_left_to_it() {
        for p in [
            "a*+",
            "a++",
            "a?+",
            "a{2}+",
            "(a)\\1",
            "(?=a)",
            "(?<=a)b",
            "(?>a)",
            "\\Ga",
            "a\\K",
            "((.)+?)*",
            "(?:a(b??)c)+",
        ] {
            assert!(LongMatch::new(p).is_none(), "{p}");
        }
        for p in ["a\\++", "(?i)a+b*?c{2,3}", "(?:a|b)+", "[[:alpha:]]+", "\\bword\\b", "\\."] {
            assert!(LongMatch::new(p).is_some(), "{p}");
        }
    }

    /// The pattern that would take minutes ends at the first look that says so.
    #[test]
    fn ends_when_told() {
        let long = LongMatch::new("a.{300}b").expect("plain");
        let text = "a".repeat(1 << 20);
        let mut looks = 0;
        let end = long.is_match(&text, 0, |_| {
            looks += 1;
            if looks == 20 { Err("killed") } else { Ok(()) }
        });
        assert!(matches!(end, Err(Stopped::Told("killed"))));
        assert_eq!(looks, 20);
    }
}
