//! Ranks against a second evaluation, by the formula alone.

use super::question::parse;
use super::rank::{Document, Ranking};
use super::terms::Terms;
use super::words::{Rules, Words};
use crate::value::Collation;
use proptest::prelude::*;
use std::collections::BTreeMap;

const RULES: Rules = Rules { min: 3, max: 84, ngram: None, stopwords: true };

/// The rows that a question finds, by number, and their ranks.
fn search_by(rules: Rules, rows: &[String], text: &str, boolean: bool) -> BTreeMap<usize, f32> {
    let words = Words::new(Collation::Utf8mb4GeneralCi, rules);
    let list = parse(text.as_bytes(), boolean, &words).expect("a right question");
    let mut terms = Terms::new(words);
    let asked = terms.of(&list).expect("short phrases");
    let documents: Vec<Document> =
        rows.iter().map(|r| Document { found: terms.look(&[r.as_bytes()]), rows: 1 }).collect();
    let ranks = Ranking::new(&terms, &documents).ranks(&asked, &[], rows.len() as u64);
    ranks.into_iter().map(|(n, r)| (n as usize, r)).collect()
}

fn search(rows: &[&str], text: &str, boolean: bool) -> Vec<usize> {
    let rows: Vec<String> = rows.iter().map(|r| (*r).to_owned()).collect();
    search_by(RULES, &rows, text, boolean).into_keys().collect()
}

/// Words of one letter, thrice: long enough to be found.
fn texts() -> impl Strategy<Value = Vec<String>> {
    let word = prop_oneof![Just("aaa"), Just("bbb"), Just("ccc"), Just("the"), Just("x")];
    let row = proptest::collection::vec(word, 0..8).prop_map(|w| w.join(" "));
    proptest::collection::vec(row, 1..12)
}

proptest! {
    /// In natural language a row is worth the sum over the words, each of which may be asked for once.
    #[test]
    fn the_sum_over_words(rows in texts(), asked in proptest::sample::subsequence(vec!["aaa", "bbb", "ccc", "ddd"], 0..4)) {
        let found = search_by(RULES, &rows, &asked.join(" "), false);
        for (n, row) in rows.iter().enumerate() {
            let mut sum = 0f32;
            for word in &asked {
                let times = row.split(' ').filter(|w| w == word).count();
                let with = rows.iter().filter(|r| r.split(' ').any(|w| w == *word)).count();
                let idf = match with {
                    0 => 0.0,
                    all if all == rows.len() => 1.0001f64.log10(),
                    _ => (rows.len() as f64 / with as f64).log10(),
                };
                if times > 0 {
                    sum += (times as f64 * idf * idf) as f32;
                }
            }
            let any = asked.iter().any(|w| row.split(' ').any(|x| x == *w));
            prop_assert_eq!(found.contains_key(&n), any);
            if any {
                prop_assert!((found[&n] - sum).abs() < 1e-6, "{} {} {}", row, found[&n], sum);
            }
        }
    }

    /// `+` and `-` are sets; what has no operator finds nothing beside `+`.
    #[test]
    fn sets_of_rows(rows in texts(), with in 0usize..3, without in 0usize..3) {
        const WORDS: [&str; 3] = ["aaa", "bbb", "ccc"];
        let has = |row: &str, n: usize| row.split(' ').any(|w| w == WORDS[n]);
        let text = format!("ddd +{} -{}", WORDS[with], WORDS[without]);
        let found: Vec<usize> = search_by(RULES, &rows, &text, true).into_keys().collect();
        let numbered = rows.iter().enumerate();
        let naive: Vec<usize> =
            numbered.filter(|(_, r)| has(r, with) && !has(r, without)).map(|(n, _)| n).collect();
        prop_assert_eq!(found, naive);
    }

    /// A phrase is a run of words, whatever they are, except for what stands before the first one that can be found.
    #[test]
    fn phrases_are_runs(rows in texts(), n in 0usize..12, from in 0usize..8, len in 1usize..4) {
        let row = &rows[n % rows.len()];
        let words: Vec<&str> = row.split(' ').filter(|w| !w.is_empty()).collect();
        let run: Vec<&str> = words.iter().copied().skip(from).take(len).collect();
        let first = run.iter().position(|w| !["the", "x"].contains(w));
        let found = search_by(RULES, &rows, &format!("\"{}\"", run.join(" ")), true);
        let naive: Vec<usize> = match first {
            None => Vec::new(),
            Some(first) => {
                let run = &run[first..];
                let has = |r: &String| {
                    let words: Vec<&str> = r.split(' ').collect();
                    words.windows(run.len()).any(|w| w == run)
                };
                (0..rows.len()).filter(|n| has(&rows[*n])).collect()
            }
        };
        prop_assert_eq!(found.into_keys().collect::<Vec<_>>(), naive);
    }
}

#[test]
fn operators() {
    let rows = ["aaa bbb", "aaa", "bbb ccc", "ccc aaab", "ddd"];
    let boolean = |text: &str| search(&rows, text, true);
    assert_eq!(boolean("aaa bbb"), [0, 1, 2]);
    assert_eq!(boolean("+aaa bbb"), [0, 1]);
    assert_eq!(boolean("-aaa"), [0; 0]);
    assert_eq!(boolean("aaa*"), [0, 1, 3]);
    assert_eq!(boolean("+aaa* +(bbb ccc)"), [0, 3]);
    assert_eq!(boolean("ddd ~aaa"), [4]);
    assert_eq!(boolean("+the aaa"), [0; 0]);
    assert_eq!(boolean("\"bbb aaa\"@2"), [0]);
    assert_eq!(boolean("\"bbb aaa\""), [0; 0]);
    assert_eq!(search(&rows, "+aaa -bbb", false), [0, 1, 2]);
}

#[test]
fn pieces() {
    let rules = Rules { ngram: Some(2), ..RULES };
    let rows: Vec<String> =
        ["数据库管理", "据库", "库数据"].iter().map(|r| (*r).to_owned()).collect();
    let find = |text: &str, boolean| -> Vec<usize> {
        search_by(rules, &rows, text, boolean).into_keys().collect()
    };
    assert_eq!(find("数据库", false), [0, 1, 2]);
    assert_eq!(find("数据库", true), [0]);
    assert_eq!(find("数*", true), [0, 2]);
    assert_eq!(find("据库", true), [0, 1]);
}

/// As deep as a question can be, on a small stack.
#[test]
fn depth_is_bounded() {
    let deep = || {
        let text = format!("{}aaa{}", "+(".repeat(32), ")".repeat(32));
        assert_eq!(search(&["aaa", "bbb"], &text, true), [0]);
        let wide = "(aaa) ".repeat(20_000);
        assert_eq!(search(&["aaa", "bbb"], &wide, true), [0]);
    };
    let small = std::thread::Builder::new().stack_size((128 << 10) * weir_rt::STACK_SCALE);
    let thread = small.spawn(deep).expect("a thread");
    thread.join().expect("it fits");
}
