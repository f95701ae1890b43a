//! What one of the two refuses because of what a value is made of: texts that are no numbers, times that are no dates, sums that have no
//! place. Beside `super::refused`, which has the statements.

use super::{HEX, Known, Right, Says, row};
use crate::judge::Kind;

const REFUSED: &[Kind] = &[Kind::Refused];
const TEXTS: &[&str] = &[":varchar(", ":char(", ":varbinary(", ":binary("];
const DAYS: &[&str] = &["ADDDATE(", "SUBDATE(", "TIMESTAMPADD("];

pub const ROWS: &[Known] = &[
    row(
        "Strict modes: columns of texts as numbers, in INSERT ... SELECT",
        REFUSED,
        &[" SELECT "],
        Says::Weir("error 1292: Truncated incorrect "),
        Right::Weir,
        "MySQL refuses a text that is no number; MariaDB says nothing of columns of texts here.",
    )
    .with_any(TEXTS),
    row(
        "Strict modes: bit operators of texts",
        REFUSED,
        &[":varchar(", "NULL)"],
        Says::Weir("error 1292: Truncated incorrect INTEGER value"),
        Right::Weir,
        "MySQL looks at both operands; MariaDB at none where one is NULL.",
    )
    .with_any(&["(c"]),
    row(
        "A YEAR as a date, refused",
        REFUSED,
        &[":year"],
        Says::Weir("error 1292: Incorrect datetime value: '"),
        Right::Either,
        "The manual says nothing of it: Weir reads the number that it is, which is no date; MariaDB makes a date without month and day of it.",
    ),
    row(
        "A time or date, inserted as a YEAR",
        REFUSED,
        &["→year"],
        Says::OtherOf(&[
            "error 1292: Incorrect time value",
            "error 1292: Incorrect date value",
            "error 1292: Incorrect datetime value",
        ]),
        Right::Weir,
        "MySQL stores the year, of a time the current one.",
    ),
    row(
        "A time and a number of days, refused",
        REFUSED,
        &[],
        Says::Other("error 1441: Datetime function: time field overflow"),
        Right::Weir,
        "In MySQL an interval of days makes a date and time of a TIME; in MariaDB it stays a TIME.",
    )
    .with_any(DAYS),
    row(
        "A time and a number of days, out of range",
        REFUSED,
        &[":time"],
        Says::Weir("error 1264"),
        Right::Weir,
        "In MySQL an interval of days makes a date and time of a TIME; in MariaDB it stays a TIME.",
    )
    .with_any(DAYS),
    row(
        "REGEXP_SUBSTR() without a match, stored",
        REFUSED,
        &["REGEXP_SUBSTR("],
        Says::Other("value: '' for column"),
        Right::Weir,
        "MySQL answers NULL where nothing matches; MariaDB an empty text.",
    ),
    row(
        "REGEXP_SUBSTR() without a match, stored",
        REFUSED,
        &["REGEXP_SUBSTR("],
        Says::Weir("error 1048: Column"),
        Right::Weir,
        "MySQL answers NULL where nothing matches; MariaDB an empty text.",
    ),
    row(
        "A hexadecimal literal, computed with",
        REFUSED,
        &[" * "],
        Says::Weir("error 1690: BIGINT UNSIGNED"),
        Right::Weir,
        "MySQL takes it as a number where one is wanted, without a sign; MariaDB as a text.",
    )
    .with_any(HEX),
    row(
        "A hexadecimal literal, stored as a number",
        REFUSED,
        &[],
        Says::OtherOf(&[
            "error 1366: Incorrect decimal value: 'A'",
            "error 1366: Incorrect integer value: 'A'",
            "error 1366: Incorrect double value: 'A'",
        ]),
        Right::Weir,
        "MySQL takes it as a number where a number is stored; MariaDB as a text.",
    )
    .with_any(HEX),
    row(
        "A hexadecimal literal as a condition of a change",
        REFUSED,
        &["WHERE x'41'"],
        Says::Other("[1292 Truncated incorrect DOUBLE value: 'A'"),
        Right::Weir,
        "MySQL takes it as a number where one is wanted; MariaDB as a text.",
    ),
    row(
        "The upper bound of BETWEEN",
        REFUSED,
        &[" BETWEEN "],
        Says::Other("error 1690"),
        Right::Other,
        "MySQL computes all three sides before it compares; Weir not the upper bound where the lower one decides, so that an index serves.",
    ),
    row(
        "Rows, behind a column that is NULL",
        REFUSED,
        &["(NULL, ", ") < ("],
        Says::Weir("error 1690"),
        Right::Other,
        "MySQL looks at nothing behind a column that is NULL.",
    ),
    row(
        "Texts and numbers in EXTRACT(), refused",
        REFUSED,
        &[],
        Says::Other("error 1292: Incorrect interval value"),
        Right::Weir,
        "MySQL reads a time; MariaDB an interval.",
    )
    .with_any(&["EXTRACT(HOUR ", "EXTRACT(DAY_"]),
    row(
        "Texts of dates in EXTRACT(), refused",
        REFUSED,
        &[],
        Says::Weir("error 1292: Truncated incorrect time value"),
        Right::Weir,
        "MySQL reads a time, of which a text of a date is the beginning or none; MariaDB a date.",
    )
    .with_any(&["EXTRACT(MICROSECOND ", "EXTRACT(HOUR ", "EXTRACT(DAY_"]),
    row(
        "Weeks of times and zero dates, refused",
        REFUSED,
        &["EXTRACT(WEEK "],
        Says::OtherOf(&["error 1406", "error 1264", "error 1690"]),
        Right::Either,
        "They are before the first week, and MariaDB's count overflows; the manual says nothing of it.",
    ),
    row(
        "EXTRACT(YEAR_MONTH) of columns of times, refused",
        REFUSED,
        &["EXTRACT(YEAR_MONTH FROM ", ":time"],
        Says::Weir("error 1264"),
        Right::Weir,
        "MySQL takes the current date; MariaDB answers 0, which has fewer digits.",
    ),
    row(
        "CAST() of doubles beyond the integers",
        REFUSED,
        &[":double", "SIGNED"],
        Says::Weir("error 1292: Truncated incorrect INTEGER value"),
        Right::Weir,
        "MySQL tells of a column's double that is no integer by a warning of the list that strict modes refuse; MariaDB by one of its own.",
    ),
    row(
        "The number 0 as a day",
        REFUSED,
        &[],
        Says::Other("error 1292: Incorrect datetime value: '0'"),
        Right::Weir,
        "It is the zero date, of which these functions answer NULL without a warning in MySQL.",
    )
    .with_any(&["TO_DAYS(", "TO_SECONDS("]),
    row(
        "LAST_DAY() of a month 0",
        REFUSED,
        &["LAST_DAY("],
        Says::Other("error 1292: Incorrect datetime value: '2024-00-00'"),
        Right::Weir,
        "It is NULL in MySQL, without a warning.",
    ),
    row(
        "TIMESTAMPDIFF() from dates with zeros, refused",
        REFUSED,
        &["TIMESTAMPDIFF("],
        Says::Other("error 1292: Incorrect datetime value: '24:00:00'"),
        Right::Either,
        "The manual says nothing of dates with zeros.",
    ),
    row(
        "A number that is no date, beside a column of dates",
        REFUSED,
        &[":datetime"],
        Says::OtherOf(&["error 1292: Incorrect datetime value: '1'", "error 1265: Data truncated"]),
        Right::Weir,
        "MySQL compares both as numbers, and no row is met.",
    )
    .with_any(&[" = 1", "1 <=> "]),
    row(
        "Sums beyond the integers, of columns and times",
        REFUSED,
        &[" + "],
        Says::Other("error 1690: BIGINT value"),
        Right::Weir,
        "A date or time and a BIGINT UNSIGNED make a BIGINT UNSIGNED in MySQL.",
    )
    .with_any(&[":time", ":date", "(DATE'", "(TIMESTAMP'", "STR_TO_DATE("]),
    row(
        "JSON_VALID() of a number, computed with",
        REFUSED,
        &["JSON_VALID(1)"],
        Says::Weir("error 1690"),
        Right::Weir,
        "In MySQL only texts and JSON values can be valid documents.",
    ),
    row(
        "Rows of texts without a collation, beside NULL",
        REFUSED,
        &[") IN (("],
        Says::Weir("(binary,IGNORABLE)"),
        Right::Either,
        "Whether their collations are looked at beside NULL is not documented.",
    ),
    row(
        "EXPORT_SET() of NULL",
        REFUSED,
        &["EXPORT_SET(NULL"],
        Says::Weir("error 1690"),
        Right::Other,
        "MySQL looks at nothing more where one of the first three is NULL.",
    ),
    row(
        "Constants, computed beforehand",
        REFUSED,
        &[],
        Says::Other("error 1690: BIGINT value"),
        Right::Either,
        "MariaDB computes constants before it asks whether there are rows.",
    )
    .with_any(&["(-9223372036854775808 * -1)", "ABS(-9223372036854775808)"]),
    row(
        "DATE_FORMAT() of a time, refused",
        REFUSED,
        &["DATE_FORMAT("],
        Says::Weir("error 1366"),
        Right::Weir,
        "MySQL takes the current date; MariaDB answers NULL.",
    )
    .with_any(&["TIME'", ":time", "TIME(", "AS TIME", "TIMEDIFF("]),
    row(
        "Regular expressions over bytes, refused",
        REFUSED,
        &["REGEXP"],
        Says::Weir("error 1406"),
        Right::Other,
        "MySQL refuses bytes beside texts (3995); Weir reads them as text, MariaDB byte by byte.",
    )
    .with_any(&[":binary", ":varbinary", ":blob"]),
];
