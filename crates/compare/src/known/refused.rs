//! What one of the two refuses.

use super::{Known, Right, Says, row};
use crate::judge::Kind;

const REFUSED: &[Kind] = &[Kind::Refused];

pub const ROWS: &[Known] = &[
    row(
        "A constant that is no date, beside a date",
        REFUSED,
        &[],
        Says::Weir("error 1525"),
        Right::Weir,
        "MySQL compares such a constant as a date and refuses it; MariaDB warns and goes on.",
    ),
    row(
        "PERIOD_ADD() and PERIOD_DIFF() of what is no period",
        REFUSED,
        &["PERIOD_"],
        Says::Weir("error 1210"),
        Right::Weir,
        "MySQL refuses an argument that is no period; MariaDB counts with it.",
    ),
    row(
        "A frame beside RANK() and its kin",
        REFUSED,
        &["OVER ("],
        Says::Other("error 4017"),
        Right::Weir,
        "MySQL accepts a frame for window functions that work on the whole partition, and ignores it.",
    ),
    row(
        "JSON functions over what is no JSON",
        REFUSED,
        &["JSON_"],
        Says::Weir("error 314"),
        Right::Weir,
        "MySQL refuses a text that is no document (3141) and a value that is neither text nor JSON (3146); MariaDB warns and answers NULL, or takes any value as a text.",
    ),
    row(
        "JSON_QUOTE() and JSON_UNQUOTE() of no text",
        REFUSED,
        &["QUOTE("],
        Says::Weir("error 3064"),
        Right::Weir,
        "MySQL takes only texts here.",
    ),
    row(
        "The same function twice under ONLY_FULL_GROUP_BY",
        REFUSED,
        &["GROUP BY"],
        Says::Other("error 1055"),
        Right::Weir,
        "MySQL knows that an expression of the select list is one of GROUP BY; MariaDB asks for columns.",
    ),
    row(
        "A zero date, kept as it is by UPDATE",
        REFUSED,
        &["UPDATE"],
        Says::Either("'0000-00-00'"),
        Right::Either,
        "MySQL checks a date that is copied only under some modes; the manual says nothing of it.",
    ),
    row(
        "HAVING with a column that is neither selected nor grouped",
        REFUSED,
        &["HAVING"],
        Says::Other("in 'HAVING'"),
        Right::Other,
        "MySQL refuses it (1054); Weir takes the column of any row.",
    ),
    row(
        "TRIM(LEADING ... FROM ...) over two collations",
        REFUSED,
        &["TRIM("],
        Says::Other("error 1267"),
        Right::Other,
        "MySQL refuses the mix (1267); Weir takes the bytes.",
    ),
    row(
        "INSERT ... SELECT that leaves out a column without a default, of no rows",
        REFUSED,
        &["SELECT"],
        Says::Other("error 1364"),
        Right::Other,
        "MySQL refuses before it reads (1364); Weir when there is a row.",
    ),
    row(
        "Strict modes: what a change's expressions warn of",
        REFUSED,
        &[],
        Says::Warned,
        Right::Weir,
        "MySQL refuses a change whose expressions raise a warning that its manual lists under strict mode; MariaDB only what cannot be stored.",
    ),
    row(
        "Strict modes: logarithms of what has none",
        REFUSED,
        &[],
        Says::Weir("error 3020"),
        Right::Weir,
        "MySQL has an error of its own for them (3020), which strict mode raises; MariaDB warns of a division by zero.",
    ).with_any(&["LN(", "LOG(", "LOG2(", "LOG10("]),
];
