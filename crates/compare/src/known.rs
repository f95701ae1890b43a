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

impl Right {
    pub fn name(self) -> &'static str {
        match self {
            Right::Weir => "Weir is right",
            Right::Either => "open",
            Right::Other => "**not Weir**",
        }
    }
}

/// Whose answer has the words: the mirror image of a known difference is a finding.
#[derive(Clone, Copy, Debug)]
pub enum Says {
    /// Whatever the two say.
    Anything,
    Weir(&'static str),
    /// The server that Weir is compared with.
    Other(&'static str),
    /// One of the two; only where either may be the one.
    Either(&'static str),
}

impl Says {
    /// `answers`: that of Weir and that of the other server.
    fn holds(self, answers: [&str; 2]) -> bool {
        match self {
            Says::Anything => true,
            Says::Weir(words) => answers[0].contains(words),
            Says::Other(words) => answers[1].contains(words),
            Says::Either(words) => answers.iter().any(|a| a.contains(words)),
        }
    }

    #[cfg(test)]
    fn names_something(self) -> bool {
        !matches!(self, Says::Anything)
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Known {
    pub what: &'static str,
    /// Any of these.
    pub kinds: &'static [Kind],
    /// All of these in the statement.
    pub words: &'static [&'static str],
    pub answer: Says,
    pub right: Right,
    pub why: &'static str,
}

pub const KNOWN: &[Known] = &[
    Known {
        what: "A constant that is no date, beside a date",
        kinds: &[Kind::Refused],
        words: &[],
        answer: Says::Weir("error 1525"),
        right: Right::Weir,
        why: "MySQL compares such a constant as a date and refuses it; MariaDB warns and goes on.",
    },
    Known {
        what: "PERIOD_ADD() and PERIOD_DIFF() of what is no period",
        kinds: &[Kind::Refused],
        words: &["PERIOD_"],
        answer: Says::Weir("error 1210"),
        right: Right::Weir,
        why: "MySQL refuses an argument that is no period; MariaDB counts with it.",
    },
    Known {
        what: "A frame beside RANK() and its kin",
        kinds: &[Kind::Refused],
        words: &["OVER ("],
        answer: Says::Other("error 4017"),
        right: Right::Weir,
        why: "MySQL accepts a frame for window functions that work on the whole partition, and ignores it.",
    },
    Known {
        what: "JSON functions over what is no JSON",
        kinds: &[Kind::Refused],
        words: &["JSON_"],
        answer: Says::Weir("error 314"),
        right: Right::Weir,
        why: "MySQL refuses a text that is no document (3141) and a value that is neither text nor JSON (3146); MariaDB warns and answers NULL, or takes any value as a text.",
    },
    Known {
        what: "JSON_QUOTE() and JSON_UNQUOTE() of no text",
        kinds: &[Kind::Refused],
        words: &["QUOTE("],
        answer: Says::Weir("error 3064"),
        right: Right::Weir,
        why: "MySQL takes only texts here.",
    },
    Known {
        what: "JSON_VALID() of a number",
        kinds: &[Kind::Rows],
        words: &["JSON_VALID("],
        answer: Says::Anything,
        right: Right::Weir,
        why: "In MySQL only texts and JSON values can be valid documents; MariaDB takes any value as a text.",
    },
    Known {
        what: "JSON_TYPE() of a text",
        kinds: &[Kind::Rows],
        words: &["JSON_TYPE("],
        answer: Says::Anything,
        right: Right::Weir,
        why: "In MariaDB the result is as wide as the argument, so that it is cut in CONCAT().",
    },
    Known {
        what: "UNIX_TIMESTAMP() of what is no date",
        kinds: &[Kind::Rows],
        words: &["UNIX_TIMESTAMP("],
        answer: Says::Anything,
        right: Right::Weir,
        why: "MySQL answers 0; MariaDB NULL.",
    },
    Known {
        what: "LEAST() and GREATEST() of numbers and texts",
        kinds: &[Kind::Rows, Kind::Refused],
        words: &["LEAST("],
        answer: Says::Anything,
        right: Right::Weir,
        why: "MySQL aggregates the types of the arguments as CASE does, so that a number beside a text is a text; MariaDB compares them as numbers.",
    },
    Known {
        what: "LEAST() and GREATEST() of numbers and texts",
        kinds: &[Kind::Rows, Kind::Refused],
        words: &["GREATEST("],
        answer: Says::Anything,
        right: Right::Weir,
        why: "MySQL aggregates the types of the arguments as CASE does, so that a number beside a text is a text; MariaDB compares them as numbers.",
    },
    Known {
        what: "A number of eight digits as a time",
        kinds: &[Kind::Rows, Kind::Refused],
        words: &["20240229"],
        answer: Says::Anything,
        right: Right::Weir,
        why: "In MySQL only numbers beyond 10000000000 are dates where a time is wanted; others are out of the range of TIME.",
    },
    Known {
        what: "A time as a YEAR",
        kinds: &[Kind::Rows],
        words: &["TIME'"],
        answer: Says::Weir("'2024'"),
        right: Right::Weir,
        why: "MySQL makes a date and time of it, with the current date; MariaDB stores 0.",
    },
    Known {
        what: "A time as a date",
        kinds: &[Kind::Rows],
        words: &["TIME'"],
        answer: Says::Weir("2024-"),
        right: Right::Weir,
        why: "MySQL takes the current date, also where the function takes dates with zeros; MariaDB takes 0000-00-00.",
    },
    Known {
        what: "A time and an interval of days",
        kinds: &[Kind::Rows],
        words: &["INTERVAL"],
        answer: Says::Weir("2024-"),
        right: Right::Weir,
        why: "In MySQL an interval of days makes a date and time of a TIME; in MariaDB it stays a TIME.",
    },
    Known {
        what: "REGEXP_SUBSTR() without a match",
        kinds: &[Kind::Rows, Kind::Affected],
        words: &["REGEXP_SUBSTR("],
        answer: Says::Anything,
        right: Right::Weir,
        why: "MySQL answers NULL where nothing matches; MariaDB an empty text.",
    },
    Known {
        what: "CEIL() of times",
        kinds: &[Kind::Rows],
        words: &["CEIL("],
        answer: Says::Anything,
        right: Right::Weir,
        why: "In MySQL CEIL(), FLOOR(), ROUND() and TRUNCATE() of a time are numbers; in MariaDB times.",
    },
    Known {
        what: "FLOOR() of times",
        kinds: &[Kind::Rows],
        words: &["FLOOR("],
        answer: Says::Anything,
        right: Right::Weir,
        why: "In MySQL CEIL(), FLOOR(), ROUND() and TRUNCATE() of a time are numbers; in MariaDB times.",
    },
    Known {
        what: "ROUND() of times",
        kinds: &[Kind::Rows],
        words: &["ROUND("],
        answer: Says::Anything,
        right: Right::Weir,
        why: "In MySQL CEIL(), FLOOR(), ROUND() and TRUNCATE() of a time are numbers; in MariaDB times.",
    },
    Known {
        what: "BIT_COUNT() and bit operators of binary texts",
        kinds: &[Kind::Rows],
        words: &["BIT_COUNT("],
        answer: Says::Anything,
        right: Right::Weir,
        why: "MySQL 8.0 has bit operations over binary strings; MariaDB takes them for numbers.",
    },
    Known {
        what: "FORMAT() with many decimals",
        kinds: &[Kind::Rows],
        words: &["FORMAT(1,"],
        answer: Says::Anything,
        right: Right::Weir,
        why: "MySQL has at most 30 decimals here, MariaDB 38.",
    },
    Known {
        what: "PERCENT_RANK() and CUME_DIST()",
        kinds: &[Kind::Rows],
        words: &["OVER ("],
        answer: Says::Other("000000000"),
        right: Right::Weir,
        why: "They are doubles, and MySQL shows as many digits as they need; MariaDB shows ten.",
    },
    Known {
        what: "A number as a SET",
        kinds: &[Kind::Rows],
        words: &["'12'"],
        answer: Says::Anything,
        right: Right::Weir,
        why: "MySQL refuses a text of a number beyond all members; MariaDB takes the bits that there are.",
    },
    Known {
        what: "A hexadecimal literal in a column of numbers",
        kinds: &[Kind::Rows],
        words: &["x'41'"],
        answer: Says::Anything,
        right: Right::Weir,
        why: "MySQL takes it as a number where a number is stored; MariaDB as a text.",
    },
    Known {
        what: "WEIGHT_STRING() of what is no text",
        kinds: &[Kind::Rows],
        words: &["WEIGHT_STRING("],
        answer: Says::Anything,
        right: Right::Either,
        why: "The manual calls its result for debugging only.",
    },
    Known {
        what: "The same function twice under ONLY_FULL_GROUP_BY",
        kinds: &[Kind::Refused],
        words: &["GROUP BY"],
        answer: Says::Other("error 1055"),
        right: Right::Weir,
        why: "MySQL knows that an expression of the select list is one of GROUP BY; MariaDB asks for columns.",
    },
    Known {
        what: "FROM_DAYS(0)",
        kinds: &[Kind::Rows],
        words: &["FROM_DAYS("],
        answer: Says::Weir("0000-00-00"),
        right: Right::Weir,
        why: "MySQL answers the zero date; MariaDB NULL.",
    },
    Known {
        what: "A zero date, kept as it is by UPDATE",
        kinds: &[Kind::Refused],
        words: &["UPDATE"],
        answer: Says::Either("'0000-00-00'"),
        right: Right::Either,
        why: "MySQL checks a date that is copied only under some modes; the manual says nothing of it.",
    },
    Known {
        what: "CHAR columns under PAD_CHAR_TO_FULL_LENGTH",
        kinds: &[Kind::Rows],
        words: &["t"],
        answer: Says::Other("       '"),
        right: Right::Other,
        why: "The mode is accepted and does nothing; MySQL deprecates it.",
    },
    Known {
        what: "HAVING with a column that is neither selected nor grouped",
        kinds: &[Kind::Refused],
        words: &["HAVING"],
        answer: Says::Other("in 'HAVING'"),
        right: Right::Other,
        why: "MySQL refuses it (1054); Weir takes the column of any row.",
    },
    Known {
        what: "TRIM(LEADING ... FROM ...) over two collations",
        kinds: &[Kind::Refused],
        words: &["TRIM("],
        answer: Says::Other("error 1267"),
        right: Right::Other,
        why: "MySQL refuses the mix (1267); Weir takes the bytes.",
    },
    Known {
        what: "INSERT ... SELECT that leaves out a column without a default, of no rows",
        kinds: &[Kind::Refused],
        words: &["SELECT"],
        answer: Says::Other("error 1364"),
        right: Right::Other,
        why: "MySQL refuses before it reads (1364); Weir when there is a row.",
    },
    Known {
        what: "CUME_DIST() in digits",
        kinds: &[Kind::Rows],
        words: &["CUME_DIST()"],
        answer: Says::Anything,
        right: Right::Weir,
        why: "It is a double, and MySQL shows as many digits as it needs; MariaDB shows ten.",
    },
    Known {
        what: "CHARSET() of names",
        kinds: &[Kind::Rows, Kind::Affected],
        words: &["CHARSET("],
        answer: Says::Either("utf8mb"),
        right: Right::Other,
        why: "In MySQL the names that CHARSET() and COLLATION() answer are utf8mb3; in Weir utf8mb4.",
    },
    Known {
        what: "TIMESTAMP() of a YEAR",
        kinds: &[Kind::Rows],
        words: &["TIMESTAMP(a."],
        answer: Says::Other("-00-00 00:00:00"),
        right: Right::Either,
        why: "The manual says nothing of a YEAR as a date; MariaDB makes a date without month and day of it.",
    },
    Known {
        what: "TIMESTAMPDIFF() from zero dates and small numbers",
        kinds: &[Kind::Rows],
        words: &["TIMESTAMPDIFF("],
        answer: Says::Anything,
        right: Right::Either,
        why: "MySQL answers NULL for what is no date; of dates with zeros the manual says nothing.",
    },
    Known {
        what: "Standard deviations and variances of decimals",
        kinds: &[Kind::Rows],
        words: &["STDDEV_SAMP("],
        answer: Says::Anything,
        right: Right::Weir,
        why: "They are doubles in MySQL; MariaDB rounds as for AVG().",
    },
    Known {
        what: "Standard deviations and variances of decimals",
        kinds: &[Kind::Rows],
        words: &["VAR_POP("],
        answer: Says::Anything,
        right: Right::Weir,
        why: "They are doubles in MySQL; MariaDB rounds as for AVG().",
    },
    Known {
        what: "YEAR 0000 among texts",
        kinds: &[Kind::Rows],
        words: &["IFNULL("],
        answer: Says::Other("'0000'"),
        right: Right::Other,
        why: "In MySQL a YEAR becomes a text of four digits; Weir writes 0 for 0000 in IFNULL() and COALESCE().",
    },
];

impl Known {
    fn covers(&self, kind: Kind, statement: &str, answers: [&str; 2]) -> bool {
        self.kinds.contains(&kind)
            && self.words.iter().all(|w| statement.contains(w))
            && self.answer.holds(answers)
    }
}

/// The row that explains a difference. `answers`: that of Weir and that of the other server.
pub fn explain(kind: Kind, statement: &str, answers: [&str; 2]) -> Option<&'static Known> {
    KNOWN.iter().find(|k| k.covers(kind, statement, answers))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write;

    const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/compatibility.md");
    const BEGIN: &str = "<!-- differences: begin -->\n";
    const END: &str = "<!-- differences: end -->";

    /// `WEIR_WRITE_DOCS=1` writes the section anew.
    #[test]
    fn the_document_lists_them() {
        let mut want = String::from("| what | who does as MySQL | why |\n|---|---|---|\n");
        for k in KNOWN {
            let _ = writeln!(want, "| {} | {} | {} |", k.what, k.right.name(), k.why);
        }
        let text = std::fs::read_to_string(DOCUMENT).unwrap();
        let (head, rest) = text.split_once(BEGIN).expect("the section begins");
        let (found, tail) = rest.split_once(END).expect("the section ends");
        if std::env::var_os("WEIR_WRITE_DOCS").is_some() {
            std::fs::write(DOCUMENT, format!("{head}{BEGIN}{want}{END}{tail}")).unwrap();
            return;
        }
        assert_eq!(found, want, "WEIR_WRITE_DOCS=1 writes it anew");
    }

    #[test]
    fn a_row_hides_only_what_it_names() {
        let answers = ["error 1525: Incorrect DATE value: 'x'", "1 row"];
        assert!(explain(Kind::Refused, "SELECT 'x' = DATE'2024-01-01'", answers).is_some());
        assert!(explain(Kind::Rows, "SELECT 'x' = DATE'2024-01-01'", answers).is_none());
        let mirrored = [answers[1], answers[0]];
        assert!(explain(Kind::Refused, "SELECT 'x' = DATE'2024-01-01'", mirrored).is_none());
        let frame = "SELECT RANK() OVER (ROWS CURRENT ROW)";
        let refused = "error 4017: no frame";
        assert!(explain(Kind::Refused, frame, ["1 row", refused]).is_some());
        assert!(explain(Kind::Refused, frame, [refused, "1 row"]).is_none());
        assert!(explain(Kind::Refused, "SELECT 1", ["1 row", "error 1064: syntax"]).is_none());
        assert!(KNOWN.iter().all(|k| !k.words.is_empty() || k.answer.names_something()));
    }
}
