//! Values that become others: times that become numbers, numbers that become times, doubles that become texts.

use super::{HEX, Known, Right, Says, row};
use crate::judge::Kind;

const ROWS_ONLY: &[Kind] = &[Kind::Rows];
const CHANGED: &[Kind] = &[Kind::Rows, Kind::Affected];
const BITS: &[&str] = &[" << ", " >> ", " & ", " | ", " ^ ", "(~"];
const ORDERS: &[&str] = &[" < ", " > ", " >= ", " <= ", " = ", " <> ", "<=>"];

pub const ROWS: &[Known] = &[
    row("LIKE with a pattern that is NULL", ROWS_ONLY, &["LIKE CAST("], Says::Both("0 rows", "[1292 Truncated incorrect datetime value"), Right::Weir, "It is NULL, and no row is met."),
    row("Fractions of times as bits", CHANGED, &["59.999999'"], Says::Both("202407010000", "202406302359"), Right::Weir, "Times become integers by rounding in MySQL, and are cut in MariaDB.").with_any(BITS),
    row("Fractions of times, to choose by", CHANGED, &["ELT(", ":time(3)"], Says::Both("('", "(NULL"), Right::Weir, "Times become integers by rounding in MySQL, and are cut in MariaDB."),
    row("Fractions of columns of times, cast", CHANGED, &[":datetime(6)", "SIGNED"], Says::Both("'20", "'20"), Right::Weir, "Times become integers by rounding in MySQL, and are cut in MariaDB."),
    row("REPLACE() by NULL of what is not there", CHANGED, &["REPLACE(", ", NULL)"], Says::Weir("NULL"), Right::Either, "There is nothing to replace, so that MariaDB does not look at the last argument."),
    row("-0 of doubles, in bytes", ROWS_ONLY, &[], Says::Both("'-0\\0\\0'", "'0\\0\\0\\0'"), Right::Weir, "A double keeps its sign in MySQL, also that of zero; MariaDB drops it."),
    row("-0 of doubles, to fill up with", ROWS_ONLY, &["PAD("], Says::Both("1-0", "10"), Right::Weir, "A double keeps its sign in MySQL, also that of zero; MariaDB drops it."),
    row("A number as a text, in a SET", CHANGED, &[], Says::Weir("[1265 Data truncated"), Right::Weir, "MySQL refuses a text of a number beyond all members; MariaDB takes the bits that there are.").with_any(&[":set('x','y','z')) SELECT", "→set(", ":set('x','y','z') = "]),
    row("INSERT() of a number and a text", CHANGED, &["INSERT("], Says::Both("日本", "æ—¥æœ¬"), Right::Weir, "MariaDB reads the text's bytes in another set."),
    row("A number of eight digits as a time, of a date", CHANGED, &["CAST(DATE'"], Says::Weir("[1292 Truncated incorrect time value: '20"), Right::Weir, "In MySQL only numbers beyond 10000000000 are dates where a time is wanted; others are out of the range of TIME."),
    row("CONVERT_TZ() beyond 2038", CHANGED, &["CONVERT_TZ("], Says::Both("05:30:00'", "00:00:00'"), Right::Weir, "MySQL has dates until 3001 here since 8.0.28."),
    row("Numbers of short dates and a fraction", CHANGED, &[":datetime"], Says::Both(":00'", ":01'"), Right::Weir, "The number of a day has no fraction of a second in MySQL.").with_any(&["DEGREES(", "RADIANS(", "SQRT("]),
    row("Dates of small fractions, stored", CHANGED, &[":datetime(6)", ":double"], Says::Both("00:00:00.1", "00:00:00.000000'"), Right::Either, "0.1 is the zero date and a tenth of a second; the manual says nothing of it."),
    row("Dates of small fractions, cast", CHANGED, &["CAST(0.5 AS DATETIME)"], Says::Both("'0000-00-00 00:00:00'", "'0000-00-00 00:00:01'"), Right::Either, "0.5 is the zero date and half a second; the manual says nothing of it."),
    row("LPAD() and RPAD() with an empty text, as keys", ROWS_ONLY, &[], Says::Both("rows of types", "rows of types"), Right::Weir, "MySQL answers an empty text where there is nothing to pad with; MariaDB NULL.").with_any(&["GROUP BY LPAD(", "GROUP BY RPAD("]),
    row("FORMAT() with many decimals, as a key or a digest", CHANGED, &[], Says::Either("row"), Right::Weir, "MySQL has at most 30 decimals here, MariaDB 38.").with_any(&["GROUP BY FORMAT(", "SHA1(FORMAT(", "MD5(FORMAT(", "SHA2(FORMAT("]),
    row("FORMAT() with a huge number of decimals, cut", ROWS_ONLY, &["FORMAT("], Says::Both("'0.00000", "'0'"), Right::Either, "MariaDB counts them in 32 bits."),
    row("FROM_DAYS() of the year 0, counted from", CHANGED, &["DATEDIFF(", "FROM_DAYS("], Says::Weir("(NULL"), Right::Weir, "MySQL answers the zero date, from which no days are counted; MariaDB has days of the year 0."),
    row("FROM_DAYS() of the year 0, as a key", ROWS_ONLY, &["GROUP BY FROM_DAYS("], Says::Both("rows of types", "rows of types"), Right::Weir, "MySQL answers the zero date; MariaDB has days of the year 0."),
    row("Outer joins with conditions that NULL meets", ROWS_ONLY, &[" JOIN ", " ON NULL WHERE "], Says::Other("0 rows"), Right::Weir, "None of these is NULL because one of its arguments is; MariaDB takes the join for an inner one.").with_any(&["CHAR(", "FIELD(", ") IN ((", "MAKE_SET("]),
    row("A day that no month has, in functions", CHANGED, &["'2024-02-30'"], Says::Other("[1292 Incorrect datetime value: '2024-02-30'"), Right::Weir, "Under ALLOW_INVALID_DATES it is a date in MySQL, also as a text."),
    row("A time among texts and numbers of BETWEEN", CHANGED, &[" BETWEEN "], Says::Other("[1292 Truncated incorrect time value"), Right::Weir, "MySQL compares texts, or numbers where there is one; MariaDB times.").with_any(&["STR_TO_DATE(", "TIME'"]),
    row("The text of a time among numbers of BETWEEN", CHANGED, &[" BETWEEN ", "COALESCE(", ":time"], Says::Weir("[1292 Truncated incorrect DOUBLE value: '00:"), Right::Weir, "COALESCE() of a time and a number is a text in MySQL, and compared with numbers as one."),
    row("A time beside a number that is no time", CHANGED, &["TIME'"], Says::Other("[1292 Truncated incorrect time value: '"), Right::Weir, "MySQL compares numbers; MariaDB times.").with_any(ORDERS),
    row("A time in NULLIF() and CASE", CHANGED, &[":time"], Says::Other("[1292 Trunc"), Right::Weir, "MySQL compares numbers; MariaDB times.").with_any(&["NULLIF(", "CASE "]),
    row("NULLIF() of an ENUM as a number", CHANGED, &["NULLIF(", ":enum("], Says::OtherOf(&["DOUBLE value: '", "INTEGER value: '"]), Right::Weir, "MySQL asks the column for its number; MariaDB for its text."),
    row("A time, inserted as a YEAR", CHANGED, &["→year"], Says::Both("'2024'", "'0000'"), Right::Weir, "MySQL stores the current year; MariaDB 0."),
    row("YEAR 0000 in LIKE", CHANGED, &[":year", " LIKE "], Says::Either("'0000'"), Right::Either, "The manual does not say whether it is shown as a column or as a number.").with_any(&["COALESCE(", "IFNULL("]),
    row("Doubles beyond the range of TIME", CHANGED, &[], Says::Weir("[1292 Truncated incorrect time value: '1e"), Right::Weir, "MySQL answers NULL; MariaDB the largest time.").with_any(&["1e15", "1e16", "1e308"]),
    row("MICROSECOND() beyond 838:59:59", CHANGED, &["MICROSECOND("], Says::Both("'0'", "'999999'"), Right::Weir, "MySQL's largest TIME has no fraction."),
    row("Doubles of sixteen digits and more, in texts", ROWS_ONLY, &["CONCAT("], Says::Weir("e15"), Right::Weir, "MySQL writes doubles of sixteen digits with an exponent."),
    row("Doubles of sixteen digits and more, in texts", ROWS_ONLY, &["CONCAT("], Says::Weir("e18"), Right::Weir, "MySQL writes doubles of sixteen digits with an exponent."),
    row("Negative doubles as BIGINT UNSIGNED", CHANGED, &["UNSIGNED"], Says::Other("[1916 Got overflow when converting '-"), Right::Weir, "MySQL takes the bits of the integer; MariaDB 0."),
    row("SEC_TO_TIME() of a negative time", CHANGED, &["SEC_TO_TIME(", "TIME'-"], Says::Both("'-838:59:59'", "'838:59:59'"), Right::Weir, "MariaDB drops the sign."),
    row("SPACE() of a date", CHANGED, &["SPACE("], Says::Other("[1301 Result of space()"), Right::Weir, "There is room for as many spaces in MySQL's packets, which are of 64 MB; MariaDB's are of 16."),
    row("A hexadecimal literal as a condition", CHANGED, &["IF("], Says::OtherOf(&["DOUBLE value: '\\x05'", "DOUBLE value: 'A'"]), Right::Weir, "MySQL takes it as a number where one is wanted; MariaDB as a text.").with_any(HEX),
    row("Bit operators of columns of TEXT", CHANGED, &[":text"], Says::Other("[1292 Truncated incorrect DECIMAL value"), Right::Weir, "MySQL reads an integer, without a word; MariaDB a decimal, which it rounds.").with_any(BITS),
    row("Texts of dates with more behind them", CHANGED, &["{bad'"], Says::Both("[1292 Truncated incorrect datetime value", "[1292 Incorrect datetime value"), Right::Either, "Whether six digits before other characters are a date is not documented."),
    row("Products of zero in a UNION with texts", ROWS_ONLY, &["UNION", " * "], Says::Both("'0.000000'", "'0'"), Right::Either, "Whether a product that is -0 keeps its digits is not documented."),
    row("Decimals of several scales, stored as texts", CHANGED, &["DECIMAL(20,4)"], Says::Both(".0000'", "'1'"), Right::Other, "MySQL stores the branch that is taken with its own digits; Weir with those of the common type."),
    row("Doubles that a UNION has little room for", ROWS_ONLY, &["UNION"], Says::Both("'-0.001'", "'-1e-3'"), Right::Other, "In MySQL a literal is as wide as it was written; Weir gives all doubles room."),
    row("CONCAT_WS() in a UNION", ROWS_ONLY, &["UNION", "CONCAT_WS("], Says::Both("-0.001'", "-0.00'"), Right::Weir, "MariaDB cuts the text."),
    row("Bytes in a UNION under a collation", ROWS_ONLY, &["UNION", "COLLATE"], Says::Other("[1300 Invalid utf8mb4 character string"), Right::Either, "Whether bytes that are no text are kept is not documented."),
    row("Sums of addresses", ROWS_ONLY, &["SUM(INET_NTOA("], Says::Both(".", "'8'"), Right::Either, "The digits of the sum of a text that begins as a number are not documented."),
    row("COERCIBILITY() of NULL in SOUNDEX()", ROWS_ONLY, &["COERCIBILITY(SOUNDEX(NULL"], Says::Both("'4'", "'6'"), Right::Other, "In MySQL it is that of the argument."),
    row("A time and days, stored as a time", CHANGED, &[":time", " DAY)"], Says::Both("'00:00:00'", "'24:00:00'"), Right::Weir, "In MySQL an interval of days makes a date and time of a TIME; in MariaDB it stays a TIME."),
    row("The name of a day of a time", CHANGED, &["NAME(TIMEDIFF("], Says::Other("(NULL"), Right::Weir, "MySQL takes the current date; MariaDB answers NULL."),
];
