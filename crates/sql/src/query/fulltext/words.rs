//! Words: where a text's words begin and end, which of them a search can find, and which are equal.

use crate::value::Collation;
use std::collections::HashSet;
use std::sync::LazyLock;

/// InnoDB's words that no index has.
const STOPWORDS: &str = "a about an are as at be by com de en for from how i in is it la of on or that the this to was what when where \
    who will with und the www";

/// Code points of the first plane that words are made of, as bits: letters, digits, marks that stand on them, and `_`. There are
/// none beyond it, as in MySQL.
static LETTERS: LazyLock<Vec<u64>> = LazyLock::new(|| {
    let letter = fancy_regex::Regex::new(r"^[\p{L}\p{M}\p{N}_]$").expect("a pattern that is right");
    let mut bits = vec![0; 0x1_0000 / 64];
    for c in (0..0x1_0000).filter_map(char::from_u32) {
        if letter.is_match(c.encode_utf8(&mut [0; 4])).unwrap_or(false) {
            bits[c as usize / 64] |= 1 << (c as usize % 64);
        }
    }
    bits
});

fn is_letter(cp: u32) -> bool {
    match u8::try_from(cp) {
        Ok(b) if b < 0x80 => b.is_ascii_alphanumeric() || b == b'_',
        _ => LETTERS.get(cp as usize / 64).is_some_and(|bits| bits >> (cp % 64) & 1 != 0),
    }
}

/// What words are under the settings of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// `innodb_ft_min_token_size` and `innodb_ft_max_token_size`, in characters.
    pub min: usize,
    pub max: usize,
    /// `ngram_token_size` of a key that has that parser.
    pub ngram: Option<usize>,
    /// `innodb_ft_enable_stopword`.
    pub stopwords: bool,
}

/// Finds words in texts of one collation.
pub struct Words {
    pub collation: Collation,
    pub rules: Rules,
    /// Stopwords as the collation that they are compared by has them, which is latin1's, whatever the text's is.
    stop: HashSet<Vec<u8>>,
    /// Bytes of the longest of them.
    longest: usize,
}

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'t> {
    pub text: &'t [u8],
    pub chars: usize,
}

/// As InnoDB compares stopwords: bytes by latin1's rule.
fn stop_key(word: &[u8], out: &mut Vec<u8>) {
    out.clear();
    Collation::Latin1SwedishCi.weights(word, out);
}

impl Words {
    /// Words by InnoDB's list of stopwords.
    pub fn new(collation: Collation, rules: Rules) -> Words {
        Words::of(collation, rules, STOPWORDS)
    }

    /// The same by a list of stopwords with spaces between them.
    pub fn of(collation: Collation, rules: Rules, list: &str) -> Words {
        let list = if rules.stopwords { list } else { "" };
        let key = |w: &str| {
            let mut key = Vec::new();
            stop_key(w.as_bytes(), &mut key);
            key
        };
        let longest = list.split_ascii_whitespace().map(str::len).max().unwrap_or(0);
        let stop = list.split_ascii_whitespace().map(key).collect();
        Words { collation, rules, stop, longest }
    }

    /// The word at the beginning of a text; empty where there is none.
    pub fn first<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        let charset = self.collation.charset();
        let mut at = 0;
        while let Some((cp, n)) = charset.decode(&text[at..]).filter(|_| at < text.len()) {
            if !is_letter(cp) {
                break;
            }
            at += n;
        }
        &text[..at]
    }

    /// Calls `f` for each word, in order, whether or not a search can find it.
    pub fn each<'t, E>(
        &self,
        text: &'t [u8],
        mut f: impl FnMut(Token<'t>) -> Result<(), E>,
    ) -> Result<(), E> {
        match self.rules.ngram {
            Some(n) => self.each_piece(text, n.max(1), f),
            None => {
                let charset = self.collation.charset();
                let (mut at, mut begin, mut chars) = (0, 0, 0);
                while at < text.len() {
                    let (letter, n) = match charset.decode(&text[at..]) {
                        Some((cp, n)) => (is_letter(cp), n),
                        None => (false, charset.char_at(&text[at..]).max(1)),
                    };
                    if letter {
                        chars += 1;
                    } else if chars > 0 {
                        f(Token { text: &text[begin..at], chars })?;
                    }
                    at += n;
                    if !letter {
                        (begin, chars) = (at, 0);
                    }
                }
                match chars {
                    0 => Ok(()),
                    _ => f(Token { text: &text[begin..], chars }),
                }
            }
        }
    }

    /// Pieces of `n` characters, each beginning a character further on; only spaces divide. What is shorter is one piece.
    fn each_piece<'t, E>(
        &self,
        text: &'t [u8],
        n: usize,
        mut f: impl FnMut(Token<'t>) -> Result<(), E>,
    ) -> Result<(), E> {
        let charset = self.collation.charset();
        for run in text.split(|b| *b == b' ').filter(|r| !r.is_empty()) {
            // Where the last characters begin, at most `n` of them.
            let mut begins = std::collections::VecDeque::with_capacity(n + 1);
            let (mut at, mut any) = (0, false);
            while at < run.len() {
                begins.push_back(at);
                at = (at + charset.char_at(&run[at..]).max(1)).min(run.len());
                if begins.len() == n {
                    any = true;
                    let begin = begins.pop_front().unwrap_or(0);
                    f(Token { text: &run[begin..at], chars: n })?;
                }
            }
            if !any {
                f(Token { text: run, chars: begins.len() })?;
            }
        }
        Ok(())
    }

    /// Can a search find the word?
    pub fn is_indexed(&self, t: Token<'_>, buffer: &mut Vec<u8>) -> bool {
        match self.rules.ngram {
            Some(n) => t.chars == n && !self.has_stopword(t, buffer),
            None => {
                (self.rules.min..=self.rules.max).contains(&t.chars)
                    && !self.is_stop(t.text, buffer)
            }
        }
    }

    fn is_stop(&self, word: &[u8], buffer: &mut Vec<u8>) -> bool {
        if self.stop.is_empty() || word.len() > self.longest {
            return false;
        }
        stop_key(word, buffer);
        self.stop.contains(buffer)
    }

    /// A piece is left out that has a stopword somewhere in it, as in MySQL.
    fn has_stopword(&self, t: Token<'_>, buffer: &mut Vec<u8>) -> bool {
        let charset = self.collation.charset();
        let mut begin = 0;
        while begin < t.text.len() {
            let mut end = begin;
            while end < t.text.len() {
                end = (end + charset.char_at(&t.text[end..]).max(1)).min(t.text.len());
                if self.is_stop(&t.text[begin..end], buffer) {
                    return true;
                }
            }
            begin += charset.char_at(&t.text[begin..]).max(1);
        }
        false
    }

    /// The same bytes for equal words. Letter case counts in binary collations only, as in InnoDB.
    pub fn key(&self, word: &[u8], out: &mut Vec<u8>) {
        out.clear();
        if self.collation.is_bytewise() {
            return out.extend_from_slice(word);
        }
        let lower = word.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'_');
        match lower {
            true => self.collation.weights(word, out),
            false => self.collation.weights(&self.collation.lower(word), out),
        }
    }

    /// The first so many characters of a word; `None` where it has fewer.
    pub fn prefix<'t>(&self, t: Token<'t>, chars: usize) -> Option<&'t [u8]> {
        (t.chars >= chars).then(|| &t.text[..self.collation.prefix_bytes(t.text, chars)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::convert::Infallible;

    const PLAIN: Rules = Rules { min: 3, max: 84, ngram: None, stopwords: true };

    fn found(words: &Words, text: &str) -> Vec<String> {
        let mut out = Vec::new();
        let _ = words.each(text.as_bytes(), |t| {
            out.push(String::from_utf8_lossy(t.text).into_owned());
            Ok::<(), Infallible>(())
        });
        out
    }

    fn indexed(words: &Words, text: &str) -> Vec<String> {
        let (mut out, mut buffer) = (Vec::new(), Vec::new());
        let _ = words.each(text.as_bytes(), |t| {
            if words.is_indexed(t, &mut buffer) {
                out.push(String::from_utf8_lossy(t.text).into_owned());
            }
            Ok::<(), Infallible>(())
        });
        out
    }

    #[test]
    fn words_are_runs_of_letters_digits_and_underscores() {
        let words = Words::new(Collation::Utf8mb4GeneralCi, PLAIN);
        let text =
            "under_score O'Reilly rock'n'roll 3,000 foo²bar cafe\u{301} x😀emoji–日本語 हिन्दी";
        let want = [
            "under_score",
            "O",
            "Reilly",
            "rock",
            "n",
            "roll",
            "3",
            "000",
            "foo²bar",
            "cafe\u{301}",
            "x",
            "emoji",
            "日本語",
            "हिन्दी",
        ];
        assert_eq!(found(&words, text), want);
        assert_eq!(
            indexed(&words, "The www of an ox: who ate Oxen's hay?"),
            ["ate", "Oxen", "hay"]
        );
        assert_eq!(
            indexed(&words, &format!("{} {}", "x".repeat(84), "y".repeat(85))),
            ["x".repeat(84)]
        );
    }

    #[test]
    fn pieces_of_two_characters() {
        let words = Words::new(Collation::Utf8mb4GeneralCi, Rules { ngram: Some(2), ..PLAIN });
        assert_eq!(found(&words, "abcd 日本語 x"), ["ab", "bc", "cd", "日本", "本語", "x"]);
        // `a` is a stopword, `x` is shorter than a piece.
        assert_eq!(indexed(&words, "abcd 日本語 x"), ["bc", "cd", "日本", "本語"]);
    }

    #[test]
    fn equal_words() {
        let key = |c: Collation, w: &str| {
            let mut out = Vec::new();
            Words::new(c, PLAIN).key(w.as_bytes(), &mut out);
            out
        };
        for c in [Collation::Utf8mb4GeneralCi, Collation::Utf8mb40900AiCi] {
            assert_eq!(key(c, "Café"), key(c, "cafe"));
        }
        assert_ne!(key(Collation::Utf8mb4Bin, "Cafe"), key(Collation::Utf8mb4Bin, "cafe"));
    }

    proptest! {
        /// Whatever the bytes, words are pieces of the text, in order, with their true length.
        #[test]
        fn words_are_pieces(text in any::<Vec<u8>>(), ngram in proptest::option::of(1usize..4)) {
            let words = Words::new(Collation::Utf8mb4GeneralCi, Rules { ngram, ..PLAIN });
            let base = text.as_ptr() as usize;
            let mut last = 0;
            let _ = words.each(&text, |t| {
                let at = t.text.as_ptr() as usize - base;
                assert!(at >= last && at + t.text.len() <= text.len() && !t.text.is_empty());
                assert_eq!(t.chars, words.collation.char_len(t.text));
                last = at;
                Ok::<(), Infallible>(())
            });
        }

        /// ASCII by the plain definition.
        #[test]
        fn words_of_ascii(text in "[a-zA-Z0-9_ '.,-]{0,40}") {
            let words = Words::new(Collation::Latin1SwedishCi, PLAIN);
            let naive: Vec<String> = text
                .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .filter(|w| !w.is_empty())
                .map(str::to_owned)
                .collect();
            prop_assert_eq!(found(&words, &text), naive);
        }
    }
}
