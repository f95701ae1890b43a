//! What is asked: the text of AGAINST as a tree, in both modes. One grammar reads both, as in InnoDB; in natural language there are
//! words, phrases and `*` only.
//!
//! The bound on depth is [`MAX_DEPTH`] parentheses; whatever else follows each other is a list.

use super::words::Words;
use crate::session_api::SqlError;
use crate::value::Collation;

/// Parentheses within each other; InnoDB says that it has no memory for more.
pub const MAX_DEPTH: usize = 32;

/// What stands before a word, a phrase or a parenthesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oper {
    /// Nothing: rows with it are found.
    None,
    /// `+`: only rows with it are found.
    Exist,
    /// `-`: no row with it is found.
    Ignore,
    /// `>`, `<`: found, and worth more or less.
    Incr,
    Decr,
    /// `~`: what was found before is worth less with it.
    Negate,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    Word {
        text: Vec<u8>,
        prefix: bool,
    },
    /// Several words that stood together, with something between them that is no part of a word. Their operator holds for each, and is
    /// obeyed at once.
    Words(Vec<What>),
    /// Words next to each other; `within`: anywhere within so many words.
    Phrase {
        text: Vec<u8>,
        within: Option<u64>,
    },
    Parens(List),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    pub oper: Oper,
    pub what: What,
}

/// Items in stages: each begins with a parenthesis, but the first. A stage is worked off as a whole before the next: what is optional first,
/// then `+`, then `-`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct List {
    pub stages: Vec<Vec<Item>>,
}

impl List {
    fn push(&mut self, item: Item, begins: bool) {
        if begins || self.stages.is_empty() {
            self.stages.push(Vec::new());
        }
        if let Some(stage) = self.stages.last_mut() {
            stage.push(item);
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Oper(u8),
    Number(Vec<u8>),
    Term(Vec<u8>),
    Text(Vec<u8>),
    End,
}

impl Piece {
    /// As errors name it.
    fn name(&self) -> String {
        match self {
            Piece::Oper(b) => format!("'{}'", char::from(*b)),
            Piece::Number(_) => "FTS_NUMB".into(),
            Piece::Term(_) => "FTS_TERM".into(),
            Piece::Text(_) => "FTS_TEXT".into(),
            Piece::End => "$end".into(),
        }
    }
}

/// 1064, with what might have stood there where that is little.
fn unexpected(piece: &Piece, expected: &str) -> SqlError {
    let expecting = if expected.is_empty() { "" } else { ", expecting " };
    let text = format!("syntax error, unexpected {}{expecting}{expected}", piece.name());
    SqlError::new(crate::errno::ER_PARSE_ERROR, text)
}

const AFTER_STAR: &str = "FTS_TERM or FTS_NUMB or '*'";

struct Lexer<'q> {
    rest: &'q [u8],
    collation: Collation,
    boolean: bool,
}

impl Lexer<'_> {
    /// The length of what stands before a byte that ends it. Bytes within a character end nothing.
    fn until(&self, ends: impl Fn(u8) -> bool) -> usize {
        let charset = self.collation.charset();
        let mut at = 0;
        while at < self.rest.len() {
            let n = charset.char_at(&self.rest[at..]).max(1);
            if n == 1 && ends(self.rest[at]) {
                return at;
            }
            at += n;
        }
        self.rest.len()
    }

    fn next(&mut self) -> Piece {
        loop {
            let Some(&b) = self.rest.first() else { return Piece::End };
            if b == b'"' {
                let inner = &self.rest[1..];
                let behind = Lexer { rest: inner, ..*self }.until(|b| b == b'"' || b == b'\n');
                if inner.get(behind) == Some(&b'"') {
                    let text = inner[..behind].to_vec();
                    self.rest = &inner[behind + 1..];
                    return Piece::Text(text);
                }
            }
            let n = match self.boolean {
                true => self.until(|b| b"\" \n*()+-<>~@%".contains(&b)),
                false => self.until(|b| b"\" \n".contains(&b)),
            };
            let word = &self.rest[..n];
            if !self.boolean && word == b"*" {
                self.rest = &self.rest[1..];
                return Piece::Oper(b'*');
            }
            if n == 0 || word.iter().all(|b| *b == b'\t') {
                self.rest = &self.rest[n.max(1)..];
                if n == 0 && self.boolean && b"*()+-<>~@".contains(&b) {
                    return Piece::Oper(b);
                }
                continue;
            }
            let blank = word.iter().take_while(|b| **b == b'\t').count();
            let word = word[blank..].to_vec();
            self.rest = &self.rest[n..];
            return match self.boolean && word.iter().all(u8::is_ascii_digit) {
                true => Piece::Number(word),
                false => Piece::Term(word),
            };
        }
    }
}

struct Parser<'q> {
    lexer: Lexer<'q>,
    piece: Piece,
    words: &'q Words,
}

/// Reads a question.
pub fn parse(text: &[u8], boolean: bool, words: &Words) -> Result<List, SqlError> {
    let lexer = Lexer { rest: text, collation: words.collation, boolean };
    let mut p = Parser { lexer, piece: Piece::End, words };
    p.advance();
    let list = p.list(0)?;
    match p.piece {
        Piece::End => Ok(list),
        piece => Err(unexpected(&piece, "$end")),
    }
}

impl Parser<'_> {
    fn advance(&mut self) -> Piece {
        std::mem::replace(&mut self.piece, self.lexer.next())
    }

    /// As many items as there are; what ends them stays.
    fn list(&mut self, depth: usize) -> Result<List, SqlError> {
        let mut list = List::default();
        loop {
            let oper = match self.piece {
                Piece::Oper(b'+') => Oper::Exist,
                Piece::Oper(b'-') => Oper::Ignore,
                Piece::Oper(b'>') => Oper::Incr,
                Piece::Oper(b'<') => Oper::Decr,
                Piece::Oper(b'~') => Oper::Negate,
                _ => Oper::None,
            };
            if oper != Oper::None {
                self.advance();
            }
            match &self.piece {
                Piece::Oper(b'(') => {
                    self.advance();
                    let inner = self.parens(depth + 1)?;
                    // Nothing in parentheses asks for nothing; what stands before it is worked off all the same.
                    match inner.stages.is_empty() {
                        true => list.stages.push(Vec::new()),
                        false => list.push(Item { oper, what: What::Parens(inner) }, true),
                    }
                }
                Piece::Oper(b'*') | Piece::Term(_) | Piece::Number(_) => {
                    // What has no word in it is not there.
                    if let Some(what) = self.term()? {
                        list.push(Item { oper, what }, false);
                    }
                }
                Piece::Text(_) => {
                    let what = self.phrase()?;
                    list.push(Item { oper, what }, false);
                }
                _ if oper == Oper::None => return Ok(list),
                other => return Err(unexpected(other, "")),
            }
        }
    }

    fn parens(&mut self, depth: usize) -> Result<List, SqlError> {
        if depth > MAX_DEPTH {
            return Err(SqlError::new(128, "Table handler out of memory"));
        }
        let list = self.list(depth)?;
        match self.advance() {
            Piece::Oper(b')') => Ok(list),
            other => Err(unexpected(&other, "")),
        }
    }

    fn term(&mut self) -> Result<Option<What>, SqlError> {
        while self.piece == Piece::Oper(b'*') {
            self.advance();
            if !matches!(self.piece, Piece::Term(_) | Piece::Number(_) | Piece::Oper(b'*')) {
                return Err(unexpected(&self.piece, AFTER_STAR));
            }
        }
        let text = match self.advance() {
            Piece::Term(text) | Piece::Number(text) => text,
            other => return Err(unexpected(&other, AFTER_STAR)),
        };
        let prefix = self.piece == Piece::Oper(b'*');
        if prefix {
            self.advance();
        }
        Ok(self.words_of(&text, prefix))
    }

    /// The words in something without spaces. All but the first are left out where they are too short.
    fn words_of(&self, text: &[u8], prefix: bool) -> Option<What> {
        if let Some(n) = self.words.rules.ngram {
            return self.pieces_of(text, n, prefix);
        }
        let mut list = Vec::new();
        let rules = self.words.rules;
        let each = self.words.each(text, |t| {
            if t.chars <= rules.max && (list.is_empty() || t.chars >= rules.min) {
                list.push(What::Word { text: t.text.to_vec(), prefix: false });
            }
            Ok::<(), std::convert::Infallible>(())
        });
        let Ok(()) = each;
        // The star is the last word's.
        if let Some(What::Word { prefix: p, .. }) = list.last_mut() {
            *p = prefix;
        }
        if list.len() > 1 { Some(What::Words(list)) } else { list.pop() }
    }

    /// With the parser of pieces a word is the union of its pieces in natural language, and their phrase else.
    fn pieces_of(&self, text: &[u8], n: usize, prefix: bool) -> Option<What> {
        let chars = self.words.collation.char_len(text);
        if chars <= n {
            let prefix = prefix && chars < n;
            return (chars > 0).then(|| What::Word { text: text.to_vec(), prefix });
        }
        if self.lexer.boolean {
            return Some(What::Phrase { text: text.to_vec(), within: None });
        }
        let mut list = Vec::new();
        let each = self.words.each(text, |t| {
            list.push(What::Word { text: t.text.to_vec(), prefix: false });
            Ok::<(), std::convert::Infallible>(())
        });
        let Ok(()) = each;
        Some(What::Words(list))
    }

    fn phrase(&mut self) -> Result<What, SqlError> {
        let text = match self.advance() {
            Piece::Text(text) => text,
            other => return Err(unexpected(&other, "FTS_TEXT")),
        };
        if self.piece != Piece::Oper(b'@') {
            return Ok(What::Phrase { text, within: None });
        }
        self.advance();
        match self.advance() {
            Piece::Number(n) => {
                let n = String::from_utf8_lossy(&n).parse().unwrap_or(u64::MAX);
                Ok(What::Phrase { text, within: (n > 0).then_some(n) })
            }
            other => Err(unexpected(&other, "FTS_NUMB")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::words::Rules;
    use super::*;
    use proptest::prelude::*;

    fn words() -> Words {
        let rules = Rules { min: 3, max: 84, ngram: None, stopwords: true };
        Words::new(Collation::Utf8mb4GeneralCi, rules)
    }

    fn error(text: &str) -> String {
        parse(text.as_bytes(), true, &words()).expect_err(text).message
    }

    fn item(oper: Oper, word: &str) -> Item {
        Item { oper, what: What::Word { text: word.as_bytes().to_vec(), prefix: false } }
    }

    #[test]
    fn errors_are_those_of_innodb() {
        for (text, behind) in [
            ("+", "$end"),
            ("mysql +", "$end"),
            ("(", "$end"),
            ("(mysql", "$end"),
            ("*", "$end, expecting FTS_TERM or FTS_NUMB or '*'"),
            ("mysql**", "$end, expecting FTS_TERM or FTS_NUMB or '*'"),
            ("* \"mysql\"", "FTS_TEXT, expecting FTS_TERM or FTS_NUMB or '*'"),
            ("*+", "'+', expecting FTS_TERM or FTS_NUMB or '*'"),
            ("@", "'@', expecting $end"),
            (")", "')', expecting $end"),
            ("(mysql))", "')', expecting $end"),
            ("(mysql @3)", "'@'"),
            ("+-mysql", "'-'"),
            ("+)", "')'"),
            ("\"a b\" @", "$end, expecting FTS_NUMB"),
            ("\"a b\"@abc", "FTS_TERM, expecting FTS_NUMB"),
        ] {
            assert_eq!(error(text), format!("syntax error, unexpected {behind}"), "{text}");
        }
        assert_eq!(error(&"(".repeat(33)), "Table handler out of memory");
        assert_eq!(error(&"(".repeat(100_000)), "Table handler out of memory");
    }

    #[test]
    fn stages_begin_with_parentheses() {
        let parens = |list| Item { oper: Oper::Incr, what: What::Parens(list) };
        let inner = List { stages: vec![vec![item(Oper::None, "bbb"), item(Oper::Negate, "ccc")]] };
        let want = List {
            stages: vec![
                vec![item(Oper::Exist, "aaa")],
                vec![parens(inner), item(Oper::Ignore, "1001")],
            ],
        };
        assert_eq!(parse(b"+aaa >(bbb ~ccc) -1001", true, &words()).expect("right"), want);
        let words_of = |list: &[&str]| {
            let word = |w: &&str| What::Word { text: w.as_bytes().to_vec(), prefix: false };
            What::Words(list.iter().map(word).collect())
        };
        let together = parse(b"a.bbb.c.ddd", false, &words()).expect("right");
        assert_eq!(together.stages[0][0].what, words_of(&["a", "bbb", "ddd"]));
        assert_eq!(parse(b" \t%\n\"", true, &words()).expect("right"), List::default());
    }

    proptest! {
        #[test]
        fn anything_is_read_or_refused(text in any::<Vec<u8>>(), boolean in any::<bool>()) {
            let _ = parse(&text, boolean, &words());
        }

        #[test]
        fn operators_of_any_kind(text in "[abc10 \"*()+<>~@%-]{0,40}", boolean in any::<bool>()) {
            if let Err(e) = parse(text.as_bytes(), boolean, &words()) {
                prop_assert_eq!(e.errno, 1064);
            }
        }
    }
}
