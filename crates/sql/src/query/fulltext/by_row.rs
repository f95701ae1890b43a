//! Searches IN BOOLEAN MODE without a FULLTEXT key, by MyISAM's rules: each row is judged by itself.
//!
//! A question is a tree of groups, whose leaves are words. A word that a row has is an event: it climbs the tree from its leaf, adds its weight to
//! each group and goes on where the group is complete: all that must be there (`+`) has been met. What must not be there (`-`) closes its
//! group. A row is found if the uppermost group is complete, not closed, and of a weight above zero, which is the row's rank. Weights
//! are of single precision, as MyISAM's.
//!
//! Invariant: the order of events is that of the words in the row, and of equal leaves the deepest comes first, for a group that is complete
//! has given its weight away before another event can close it.

use super::words::Words;
use crate::value::Collation;
use std::collections::HashMap;
use std::convert::Infallible;

/// The weight of a word or group, by `>` and `<`: 1.5 to the power of their difference, which counts to five.
const FACTOR: f32 = 1.5;
const MOST: i32 = 5;

/// What `~` makes of a weight.
const NEGATED: f32 = -0.5;

/// MyISAM's words that no index has: those of the SMART system, as the manual lists them.
pub const STOPWORDS: &str = "\
    able about above according accordingly across actually after afterwards again against all allow allows almost alone \
    along already also although always am among amongst an and another any anybody anyhow anyone anything anyway anyways \
    anywhere apart appear appreciate appropriate are around as aside ask asking associated at available away awfully be \
    became because become becomes becoming been before beforehand behind being believe below beside besides best better \
    between beyond both brief but by came can cannot cant cause causes certain certainly changes clearly co com come comes \
    concerning consequently consider considering contain containing contains corresponding could course currently definitely \
    described despite did different do does doing done down downwards during each edu eg eight either else elsewhere enough \
    entirely especially et etc even ever every everybody everyone everything everywhere ex exactly example except far few \
    fifth first five followed following follows for former formerly forth four from further furthermore get gets getting \
    given gives go goes going gone got gotten greetings had happens hardly has have having he hello help hence her here \
    hereafter hereby herein hereupon hers herself hi him himself his hither hopefully how howbeit however ie if ignored \
    immediate in inasmuch inc indeed indicate indicated indicates inner insofar instead into inward is it its itself just \
    keep keeps kept know knows known last lately later latter latterly least less lest let like liked likely little look \
    looking looks ltd mainly many may maybe me mean meanwhile merely might more moreover most mostly much must my myself \
    name namely nd near nearly necessary need needs neither never nevertheless new next nine no nobody non none noone nor \
    normally not nothing novel now nowhere obviously of off often oh ok okay old on once one ones only onto or other others \
    otherwise ought our ours ourselves out outside over overall own particular particularly per perhaps placed please plus \
    possible presumably probably provides que quite qv rather rd re really reasonably regarding regardless regards \
    relatively respectively right said same saw say saying says second secondly see seeing seem seemed seeming seems seen \
    self selves sensible sent serious seriously seven several shall she should since six so some somebody somehow someone \
    something sometime sometimes somewhat somewhere soon sorry specified specify specifying still sub such sup sure take \
    taken tell tends th than thank thanks thanx that thats the their theirs them themselves then thence there thereafter \
    thereby therefore therein theres thereupon these they think third this thorough thoroughly those though three through \
    throughout thru thus to together too took toward towards tried tries truly try trying twice two un under unfortunately \
    unless unlikely until unto up upon us use used useful uses using usually value various very via viz vs want wants was \
    way we welcome well went were what whatever when whence whenever where whereafter whereas whereby wherein whereupon \
    wherever whether which while whither who whoever whole whom whose why will willing wish with within without wonder would \
    yes yet you your yours yourself yourselves zero";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Must,
    MustNot,
    May,
    /// Of an event that adds weight to the groups above one that was complete before.
    WeightOnly,
}

#[derive(Debug)]
struct Group {
    up: Option<usize>,
    sign: Sign,
    weight: f32,
    /// How many of its members must be there.
    must: u32,
    /// The words of a phrase, one behind the other, of which short ones and stopwords count.
    phrase: Vec<Vec<u8>>,
}

#[derive(Debug)]
struct Leaf {
    group: usize,
    sign: Sign,
    weight: f32,
    depth: u32,
    /// The key of the word, or of its beginning of so many characters.
    key: Vec<u8>,
    begins: Option<usize>,
}

/// A question as it is put to each row.
pub struct Question {
    words: Words,
    groups: Vec<Group>,
    /// In the order of their keys, and among equal ones of their depth.
    leaves: Vec<Leaf>,
    by_key: HashMap<Vec<u8>, Vec<usize>>,
    beginnings: Vec<usize>,
}

impl std::fmt::Debug for Question {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Question({})", self.leaves.len())
    }
}

/// What a group has of the row at hand.
#[derive(Clone, Copy, Default)]
struct State {
    weight: f32,
    met: u32,
    closed: bool,
    touched: bool,
}

/// Reads the text of AGAINST.
struct Reader<'t> {
    text: &'t [u8],
    at: usize,
    /// The last byte that was no operator, of which those count that come after a space.
    last: u8,
    quoted: bool,
    sign: Sign,
    raised: i32,
    negated: bool,
}

impl Reader<'_> {
    fn forget_operators(&mut self) {
        self.sign = if self.quoted { Sign::Must } else { Sign::May };
        (self.raised, self.negated) = (0, false);
    }

    fn weight(&self) -> f32 {
        let weight = FACTOR.powi(self.raised.clamp(-MOST, MOST));
        if self.negated { NEGATED * weight } else { weight }
    }

    /// Takes an operator; false if the byte is not one here.
    fn operator(&mut self, b: u8) -> bool {
        match b {
            b'+' => self.sign = Sign::Must,
            b' ' => self.sign = Sign::May,
            b'-' => self.sign = Sign::MustNot,
            b'>' => self.raised = self.raised.saturating_add(1),
            b'<' => self.raised = self.raised.saturating_sub(1),
            b'~' => self.negated = !self.negated,
            _ => return false,
        }
        true
    }
}

/// The same bytes for words that the collation has as equal.
fn key_of(collation: Collation, word: &[u8], out: &mut Vec<u8>) {
    out.clear();
    match collation.is_bytewise() {
        true => out.extend_from_slice(word),
        false => collation.weights(word, out),
    }
}

impl Question {
    pub fn new(text: &[u8], words: Words) -> Question {
        let root = Group { up: None, sign: Sign::Must, weight: 1.0, must: 0, phrase: Vec::new() };
        let mut q = Question {
            words,
            groups: vec![root],
            leaves: Vec::new(),
            by_key: HashMap::new(),
            beginnings: Vec::new(),
        };
        q.read(text);
        q.leaves.sort_by(|a, b| (&a.key, a.depth).cmp(&(&b.key, b.depth)));
        for (n, leaf) in q.leaves.iter().enumerate() {
            match leaf.begins {
                Some(_) => q.beginnings.push(n),
                None => q.by_key.entry(leaf.key.clone()).or_default().push(n),
            }
        }
        q
    }

    fn read(&mut self, text: &[u8]) {
        let charset = self.words.collation.charset();
        let mut r = Reader {
            text,
            at: 0,
            last: b' ',
            quoted: false,
            sign: Sign::May,
            raised: 0,
            negated: false,
        };
        let (mut group, mut depth) = (0, 0);
        while r.at < text.len() {
            let rest = &r.text[r.at..];
            let word = self.words.first(rest);
            if !word.is_empty() {
                r.at += word.len();
                self.word(&mut r, word, (group, depth));
                r.last = b'A';
                r.forget_operators();
                continue;
            }
            let b = rest[0];
            r.at += charset.char_at(rest).max(1).min(rest.len());
            match b {
                b'"' if r.quoted => {
                    r.quoted = false;
                    (group, depth) = self.close(group, depth);
                    r.forget_operators();
                }
                b'(' | b'"' if !r.quoted => {
                    group = self.open(&r, group);
                    depth += 1;
                    r.quoted = b == b'"';
                    r.forget_operators();
                }
                b')' if !r.quoted => {
                    (group, depth) = self.close(group, depth);
                    r.forget_operators();
                }
                _ if !r.quoted && r.last == b' ' && r.operator(b) => {}
                _ => {
                    r.last = b;
                    r.forget_operators();
                }
            }
        }
    }

    fn open(&mut self, r: &Reader<'_>, group: usize) -> usize {
        self.groups[group].must += u32::from(r.sign == Sign::Must);
        let (up, phrase) = (Some(group), Vec::new());
        self.groups.push(Group { up, sign: r.sign, weight: r.weight(), must: 0, phrase });
        self.groups.len() - 1
    }

    fn close(&self, group: usize, depth: u32) -> (usize, u32) {
        self.groups[group].up.map_or((group, depth), |up| (up, depth - 1))
    }

    /// A word of the question, which has been read. A star behind it makes it a beginning, of any length.
    fn word(&mut self, r: &mut Reader<'_>, word: &[u8], (group, depth): (usize, u32)) {
        let collation = self.words.collation;
        let chars = collation.char_len(word);
        let begins = r.text.get(r.at) == Some(&b'*');
        r.at += usize::from(begins);
        let mut key = Vec::new();
        key_of(collation, word, &mut key);
        if r.quoted {
            self.groups[group].phrase.push(key.clone());
        }
        let mut buffer = Vec::new();
        let known = self.words.is_indexed(super::words::Token { text: word, chars }, &mut buffer);
        let sought = known || begins && chars <= self.words.rules.max;
        if !sought {
            return;
        }
        self.groups[group].must += u32::from(r.sign == Sign::Must);
        self.leaves.push(Leaf {
            group,
            sign: r.sign,
            weight: r.weight(),
            depth: depth + u32::from(r.sign == Sign::MustNot),
            key,
            begins: begins.then_some(chars),
        });
    }

    /// What a row with this text is worth.
    pub fn rank(&self, text: &[u8]) -> f32 {
        let mut states = vec![State::default(); self.groups.len()];
        let mut met = vec![false; self.leaves.len()];
        let (mut key, mut buffer, mut found) = (Vec::new(), Vec::new(), Vec::new());
        let done: Result<(), Infallible> = self.words.each(text, |t| {
            if !self.words.is_indexed(t, &mut buffer) {
                return Ok(());
            }
            found.clear();
            for n in &self.beginnings {
                let leaf = &self.leaves[*n];
                let prefix = leaf.begins.and_then(|chars| self.words.prefix(t, chars));
                if let Some(prefix) = prefix {
                    key_of(self.words.collation, prefix, &mut key);
                    found.extend((key == leaf.key).then_some(*n));
                }
            }
            key_of(self.words.collation, t.text, &mut key);
            found.extend(self.by_key.get(&key).into_iter().flatten());
            found.sort_unstable();
            for n in found.iter().rev() {
                if !std::mem::replace(&mut met[*n], true) {
                    self.climb(&self.leaves[*n], &mut states, text);
                }
            }
            Ok(())
        });
        let Ok(()) = done;
        let (root, whole) = (states[0], self.groups[0].must);
        let matched = root.touched && root.weight > 0.0 && root.met >= whole && !root.closed;
        if matched { root.weight } else { 0.0 }
    }

    /// An event goes up the tree.
    fn climb(&self, leaf: &Leaf, states: &mut [State], text: &[u8]) {
        let (mut sign, mut weight, mut at) = (leaf.sign, leaf.weight, Some(leaf.group));
        while let Some(n) = at {
            let (group, state) = (&self.groups[n], &mut states[n]);
            state.touched = true;
            if state.closed {
                return;
            }
            match sign {
                Sign::MustNot => {
                    state.closed = true;
                    return;
                }
                Sign::Must => {
                    state.weight += weight / group.must as f32;
                    state.met += 1;
                    if state.met != group.must {
                        return;
                    }
                    (sign, weight) = (group.sign, state.weight * group.weight);
                    if !group.phrase.is_empty() && !self.has_phrase(&group.phrase, text) {
                        return;
                    }
                }
                Sign::May | Sign::WeightOnly => {
                    if group.must > 0 {
                        weight /= 3.0;
                    }
                    state.weight += weight;
                    if state.met < group.must {
                        return;
                    }
                    if sign == Sign::May {
                        let completes = state.met == group.must;
                        sign = if completes { group.sign } else { Sign::WeightOnly };
                        state.met += 1;
                    }
                    weight *= group.weight;
                }
            }
            at = group.up;
        }
    }

    /// Whether the words of a phrase stand in the text one behind the other.
    fn has_phrase(&self, phrase: &[Vec<u8>], text: &[u8]) -> bool {
        let mut last: std::collections::VecDeque<Vec<u8>> = Default::default();
        self.words
            .each(text, |t| {
                let mut key = match last.len() == phrase.len() {
                    true => last.pop_front().unwrap_or_default(),
                    false => Vec::new(),
                };
                key_of(self.words.collation, t.text, &mut key);
                last.push_back(key);
                if last.iter().eq(phrase) { Err(()) } else { Ok(()) }
            })
            .is_err()
    }
}

#[cfg(test)]
mod tests {
    use super::super::words::Rules;
    use super::*;
    use proptest::prelude::*;

    fn question(text: &str) -> Question {
        let rules = Rules { min: 4, max: 83, ngram: None, stopwords: true };
        Question::new(text.as_bytes(), Words::of(Collation::Utf8mb40900AiCi, rules, STOPWORDS))
    }

    /// The answers are MySQL 9.7's.
    #[test]
    fn ranks_are_those_of_myisam() {
        let rows = [
            "mysql database tutorial quick brown foxes jump",
            "database systems; mysql lazy dogs sleep",
            "optimizing mysql queries brown sugar mysql mysql",
            "postgres isn't mysql database mysql",
            "brownish bread",
            "",
        ];
        let none = [0.0; 6];
        let third = 1.333_333_4;
        let all_mysql = [1.0, 1.0, 1.0, 1.0, 0.0, 0.0];
        for (text, want) in [
            ("mysql", all_mysql),
            ("+mysql database", [third, third, 1.0, third, 0.0, 0.0]),
            ("+mysql -database", [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
            ("+mysql ~database", [0.833_333_3, 0.833_333_3, 1.0, 0.833_333_3, 0.0, 0.0]),
            ("+mysql >database <tutorial", [1.722_222_2, 1.5, 1.0, 1.5, 0.0, 0.0]),
            ("brown*", [1.0, 0.0, 1.0, 0.0, 1.0, 0.0]),
            ("\"mysql database\"", [1.0, 0.0, 0.0, 1.0, 0.0, 0.0]),
            ("\"mysql queries brown\"", [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
            ("+(database queries) +mysql", all_mysql),
            ("+mysql +(>tutorial <systems)", [1.25, 0.833_333_4, 0.0, 0.0, 0.0, 0.0]),
            ("isn't", none),
            ("the", none),
            ("MYSQL mysql database", [3.0, 3.0, 2.0, 3.0, 0.0, 0.0]),
            ("-mysql", none),
            ("+mysql*", all_mysql),
            ("my* +dat*", [third, third, 0.0, third, 0.0, 0.0]),
            ("\"my*\"", none),
            ("(((mysql", all_mysql),
            (")+mysql", all_mysql),
            ("+", none),
        ] {
            let q = question(text);
            let ranks = rows.map(|row| q.rank(row.as_bytes()));
            assert_eq!(ranks, want, "{text}");
        }
    }

    #[test]
    fn words_of_any_length_count_in_phrases() {
        let q = |text: &str| question(text).rank(b"the zero abcd one");
        assert_eq!([q("\"abcd one\""), q("\"the zero abcd\""), q("\"zero one\"")], [1.0, 1.0, 0.0]);
    }

    proptest! {
        #[test]
        fn anything_is_a_question(text in any::<Vec<u8>>(), row in any::<Vec<u8>>()) {
            let rules = Rules { min: 1, max: 83, ngram: None, stopwords: false };
            let words = Words::of(Collation::Utf8mb4GeneralCi, rules, "");
            prop_assert!(Question::new(&text, words).rank(&row) >= 0.0);
        }

        #[test]
        fn operators_of_any_kind(text in "[ab \"*()+<>~@-]{0,40}", row in "[ab ]{0,20}") {
            let rules = Rules { min: 1, max: 83, ngram: None, stopwords: false };
            let words = Words::of(Collation::Utf8mb4GeneralCi, rules, "");
            prop_assert!(Question::new(text.as_bytes(), words).rank(row.as_bytes()) >= 0.0);
        }
    }
}
