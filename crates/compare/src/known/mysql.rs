//! What MySQL 9 answers otherwise than 8.0, which Weir follows, and what MySQL does against its own manual.

use super::{Known, Right, Says, row};
use crate::judge::Kind;

const REFUSED: &[Kind] = &[Kind::Refused, Kind::Errno];
const CHANGED: &[Kind] = &[Kind::Rows, Kind::Affected];
const ANY: &[Kind] = &[Kind::Rows, Kind::Affected, Kind::Refused];

/// What Weir says of numbers below 101, which 8.0 takes for no dates.
const SMALL: &[&str] = &[
    "datetime value: '1'",
    "datetime value: '2'",
    "datetime value: '3'",
    "datetime value: '5'",
    "datetime value: '7'",
    "datetime value: '10'",
    "datetime value: '12'",
    "datetime value: '64'",
    "date value: '1'",
    "date value: '2'",
    "date value: '3'",
    "date value: '5'",
    "date value: '7'",
];

/// And of years alone.
const YEARS: &[&str] = &[
    "datetime value: '19",
    "datetime value: '20",
    "datetime value: '0'",
    "datetime value: '0000-00-00",
];

pub const ROWS: &[Known] = &[
    row(
        "MD5() and SHA1() without their component",
        REFUSED,
        &[],
        Says::OtherOf(&["MD5 does not exist", "SHA1 does not exist"]),
        Right::Weir,
        "Since MySQL 9.6 they are functions of a component; 8.0 has them.",
    ),
    row(
        "Numbers below 101 as dates",
        ANY,
        &[],
        Says::WeirOf(SMALL),
        Right::Weir,
        "MySQL 9 reads a day of the year 2000; in 8.0 they are no dates.",
    ),
    row(
        "A YEAR as a date, in MySQL 9",
        ANY,
        &[":year"],
        Says::WeirOf(YEARS),
        Right::Weir,
        "MySQL 9 reads the first of January; in 8.0 it is the number that it is.",
    ),
    row(
        "FROM_DAYS() of the year 0, in MySQL 9",
        CHANGED,
        &["FROM_DAYS("],
        Says::Weir("0000-00-00"),
        Right::Weir,
        "MySQL 9 has days of the year 0; 8.0 answers the zero date.",
    ),
    row(
        "FROM_DAYS() of the year 0, as NULL",
        CHANGED,
        &["FROM_DAYS("],
        Says::Weir("NULL"),
        Right::Weir,
        "MySQL 9 has days of the year 0; 8.0 answers the zero date.",
    ),
    row(
        "WEEK() in the mode NULL",
        CHANGED,
        &["WEEK("],
        Says::Other("'0'"),
        Right::Weir,
        "In 8.0 it is the mode 0; MySQL 9 answers 0.",
    ),
    row(
        "What is no date in LEAST() and GREATEST()",
        CHANGED,
        &[],
        Says::Other("16383-15"),
        Right::Weir,
        "MySQL 9 shows a date that there is not; in 8.0 it is the zero date.",
    ),
    row(
        "JSON_VALID() and IS_IPV4() of NULL",
        CHANGED,
        &[],
        Says::Both("NULL", "'0'"),
        Right::Weir,
        "They are NULL.",
    )
    .with_any(&["JSON_VALID("]),
    row(
        "IS_IPV4() of NULL",
        CHANGED,
        &["IS_IPV"],
        Says::Both("'0'", "NULL"),
        Right::Weir,
        "8.0 answers 0, MySQL 9 NULL.",
    ),
    row(
        "A double beyond BIGINT",
        REFUSED,
        &[],
        Says::Other("error 1690: BIGINT value is out of range"),
        Right::Other,
        "MySQL refuses what a function computes as a double where an integer is wanted; Weir takes the nearest integer.",
    ),
    row(
        "LOG2() to the last digit",
        CHANGED,
        &["LOG2("],
        Says::Anything,
        Right::Either,
        "MySQL 8.0 divides logarithms; MySQL 9 has a function of its own.",
    ),
    row(
        "Collations that do not meet in TRIM()",
        REFUSED,
        &["TRIM("],
        Says::Weir("error 1267"),
        Right::Weir,
        "8.0 refuses them, MySQL 9 does not.",
    ),
    row(
        "Arguments of PERIOD_ADD() and PERIOD_DIFF()",
        REFUSED,
        &["PERIOD_"],
        Says::Either("error 1210"),
        Right::Either,
        "Which numbers beyond BIGINT are a period is not documented.",
    ),
    row(
        "Bytes that are no text of the other set",
        REFUSED,
        &[],
        Says::Other("error 3854"),
        Right::Other,
        "MySQL refuses a constant of bytes beside a text where the bytes are none; Weir where they meet.",
    ),
    row(
        "JSON functions that are not reached",
        REFUSED,
        &["JSON_"],
        Says::Either("error 3146"),
        Right::Either,
        "Which arguments are looked at first is not documented.",
    ),
    row(
        "A text of a date alone, with a time added",
        CHANGED,
        &["TIME("],
        Says::Either("00:20:2"),
        Right::Weir,
        "MySQL 9 reads a date; in 8.0 its first digits are a time.",
    ),
    row(
        "A date and time, added to a time",
        CHANGED,
        &["ADDTIME("],
        Says::Weir("NULL"),
        Right::Weir,
        "What is added is a TIME in 8.0; MySQL 9 takes the time of a date.",
    ),
    row(
        "A date and time, taken from a time",
        CHANGED,
        &["SUBTIME("],
        Says::Weir("NULL"),
        Right::Weir,
        "What is taken away is a TIME in 8.0; MySQL 9 takes the time of a date.",
    ),
];
