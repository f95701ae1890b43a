//! Differences that are known, as data: what they look like, who is as MySQL 8.0 documents it, and why.
//!
//! A row here hides findings, so it names as little as it can: words that the smallest failing statement must have, the kind of
//! the difference, and words of an error message. docs/compatibility.md is made from this table.

use crate::judge::Kind;

/// Who does as MySQL 8.0's manual says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    Weir,
    /// The manual leaves it open.
    Either,
    /// A difference of Weir that is not repaired yet.
    Other,
}

#[derive(Clone, Copy, Debug)]
pub struct Known {
    pub what: &'static str,
    /// Any of these.
    pub kinds: &'static [Kind],
    /// All of these in the statement.
    pub words: &'static [&'static str],
    /// In one of the two answers; empty: whatever they say.
    pub answer: &'static str,
    pub right: Right,
    pub why: &'static str,
}

pub const KNOWN: &[Known] = &[
Known{what:"A constant that is no date beside a date",kinds:&[Kind::Refused],words:&[],answer:"error 1525",right:Right::Weir,why:"MySQL compares such a constant as a date and refuses it (error 1525); MariaDB warns and goes on."},
Known{what:"PERIOD_ADD and PERIOD_DIFF of no period",kinds:&[Kind::Refused],words:&["PERIOD_"],answer:"error 1210",right:Right::Weir,why:"MySQL refuses an argument that is no period (error 1210); MariaDB counts with it."},
Known{what:"A frame beside RANK and its kin",kinds:&[Kind::Refused],words:&["OVER ("],answer:"error 4017",right:Right::Weir,why:"MySQL accepts a frame for window functions that work on the whole partition, and ignores it."},
Known{what:"JSON functions over what is no JSON",kinds:&[Kind::Refused],words:&["JSON_"],answer:"error 3141",right:Right::Weir,why:"MySQL refuses a text that is no JSON document (error 3141); MariaDB warns and answers NULL."},
Known{what:"JSON functions over other types",kinds:&[Kind::Refused],words:&["JSON_"],answer:"error 3146",right:Right::Weir,why:"MySQL takes only texts and JSON values as documents (error 3146); MariaDB takes any value as a text."},
Known{what:"UNIX_TIMESTAMP of no date",kinds:&[Kind::Rows],words:&["UNIX_TIMESTAMP("],answer:"",right:Right::Weir,why:"MySQL answers 0 for a value that is no date, and fractional seconds by the type of the argument; MariaDB answers NULL."},
Known{what:"Comparing or merging numbers with texts in LEAST and GREATEST",kinds:&[Kind::Rows, Kind::Refused],words:&["LEAST("],answer:"",right:Right::Weir,why:"MySQL aggregates the types of the arguments as CASE does, so that a number beside a text is a text; MariaDB compares such lists as numbers."},
Known{what:"Comparing or merging numbers with texts in LEAST and GREATEST",kinds:&[Kind::Rows, Kind::Refused],words:&["GREATEST("],answer:"",right:Right::Weir,why:"MySQL aggregates the types of the arguments as CASE does, so that a number beside a text is a text; MariaDB compares such lists as numbers."},
Known{what:"A number of eight digits as a time",kinds:&[Kind::Rows, Kind::Refused],words:&["20240229"],answer:"",right:Right::Weir,why:"In MySQL only numbers of more than ten digits are dates where a time is wanted; others are out of the range of TIME."},
Known{what:"REGEXP functions over no match",kinds:&[Kind::Rows],words:&["REGEXP_SUBSTR("],answer:"",right:Right::Weir,why:"MySQL's REGEXP_SUBSTR answers NULL where nothing matches; MariaDB an empty text."},
Known{what:"Rounding times",kinds:&[Kind::Rows],words:&["CEIL("],answer:"rows of types 11",right:Right::Weir,why:"In MySQL CEIL, FLOOR, ROUND and TRUNCATE of a time are numbers; in MariaDB times."},
Known{what:"Rounding times",kinds:&[Kind::Rows],words:&["FLOOR("],answer:"",right:Right::Weir,why:"In MySQL CEIL, FLOOR, ROUND and TRUNCATE of a time are numbers; in MariaDB times."},
Known{what:"Rounding times",kinds:&[Kind::Rows],words:&["ROUND("],answer:"",right:Right::Weir,why:"In MySQL CEIL, FLOOR, ROUND and TRUNCATE of a time are numbers; in MariaDB times."},
Known{what:"Rounding times",kinds:&[Kind::Rows],words:&["TRUNCATE("],answer:"",right:Right::Weir,why:"In MySQL CEIL, FLOOR, ROUND and TRUNCATE of a time are numbers; in MariaDB times."},
];

impl Known {
    fn covers(&self, kind: Kind, statement: &str, answers: [&str; 2]) -> bool {
        self.kinds.contains(&kind)
            && self.words.iter().all(|w| statement.contains(w))
            && (self.answer.is_empty() || answers.iter().any(|a| a.contains(self.answer)))
    }
}

/// The row that explains a difference.
pub fn explain(kind: Kind, statement: &str, answers: [&str; 2]) -> Option<&'static Known> {
    KNOWN.iter().find(|k| k.covers(kind, statement, answers))
}
