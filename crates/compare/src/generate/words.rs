//! The words of the generator as data: literals of each class, and templates of expressions that have that class.
//! A function is here only where MySQL and MariaDB both have it.

pub const LITERALS_NUMBER: &[&str] = &[
    "0", "1", "-1", "2", "10", "255", "-128", "1.5", "-1.5", "0.5", "2.5", "1e0", "1.5e3", "-1e-3", "1e308", "0.1", "9223372036854775807",
    "-9223372036854775808", "18446744073709551615", "9223372036854775808", "99999999999999999999", "0.000000001", "123456789.123456789",
    "-0.0", "1.005", "12345678901234567890.12345", "0x41", "b'101'", "TRUE", "65535", "3.14159", "-99.995", "1e15", "1e16", "0.1e0",
];

pub const LITERALS_TEXT: &[&str] = &[
    "''", "'a'", "'A'", "'abc'", "'ABC '", "'  x '", "'12'", "'12abc'", "'-1.5e2'", "'abc,def,ghi'", "'ä'", "'ß'", "'日本'", "'%'", "'a_c'",
    "'0'", "'1e5'", "'2024-02-29'", "'10:11:12'", "x'41'", "_latin1'x'", "_binary'abc'", "'é'", "' 7'", "'7 '", "'.5'", "'+3'", "'\\\\'",
    "'it''s'", "_utf8mb4'b' COLLATE utf8mb4_bin", "'aaaaaaaaaaaaaaaaaaaaaaaaa'", "'99999999999999999999'", "'-'", "'0x10'", "'Z'",
];

pub const LITERALS_DATE: &[&str] = &[
    "'2024-02-29'", "DATE'2024-12-31'", "TIMESTAMP'2024-01-01 00:00:00'", "TIME'10:11:12'", "'2023-06-15 12:34:56.789'", "20240229",
    "20240229101112", "TIMESTAMP'2024-06-30 23:59:59.999999'", "DATE'1000-01-01'", "DATE'9999-12-31'", "TIME'-838:59:59'",
    "TIME'00:00:00.5'", "'2024-13-01'", "'2024-02-30'", "'1999-1-1'", "DATE'2000-01-01'", "TIMESTAMP'1970-01-01 00:00:01'", "101112",
    "'24:00:00'", "'2024-00-00'", "DATE'2024-03-31'", "TIME'838:59:59'", "'1 10:00:00'",
];

pub const LITERALS_INTEGER: &[&str] =
    &["0", "1", "2", "3", "-1", "-2", "5", "7", "10", "16", "36", "100", "1000", "-5", "31", "64", "'2'", "1.5"];

pub const LITERALS_JSON: &[&str] = &[
    "'{\"a\": 1}'", "'[1, 2, 3]'", "'null'", "'\"text\"'", "'{\"a\": {\"b\": [1, 2]}}'", "'[]'", "'{}'", "'1.5'", "'true'", "'[1, \"a\", null]'",
    "'{bad'", "''", "'12'",
];

pub const NUMBERS: &[&str] = &[
    "({n} + {n})", "({n} - {n})", "({n} * {n})", "({n} / {n})", "({n} % {n})", "({n} DIV {n})", "(-{n})", "ABS({n})", "SIGN({n})",
    "CEIL({n})", "FLOOR({n})", "ROUND({n})", "ROUND({n}, {i})", "TRUNCATE({n}, {i})", "MOD({n}, {n})", "POW({n}, {i})", "SQRT({n})",
    "EXP({i})", "LN({n})", "LOG(2, {n})", "LOG10({n})", "LOG2({n})", "GREATEST({n}, {n})", "LEAST({n}, {n}, {n})",
    "CAST({e} AS SIGNED)", "CAST({e} AS UNSIGNED)", "CAST({e} AS DECIMAL(10,2))", "CAST({e} AS DECIMAL(65,30))", "CAST({e} AS DOUBLE)",
    "CAST({n} AS DECIMAL(5,0))", "IFNULL({n}, {n})", "NULLIF({n}, {n})", "COALESCE({n}, {n}, {n})", "IF({c}, {n}, {n})",
    "CASE WHEN {c} THEN {n} ELSE {n} END", "CASE {n} WHEN {n} THEN {n} END", "({n} & {n})", "({n} | {n})", "({n} ^ {n})", "(~{n})",
    "({n} << {i})", "({n} >> {i})", "BIT_COUNT({n})", "CRC32({s})", "DEGREES({n})", "RADIANS({n})", "ATAN({n})", "ATAN2({n}, {n})", "COS({i})",
    "ASIN({n})", "ACOS({n})", "SIN({i})", "TAN({i})", "COT({i})", "UNIX_TIMESTAMP({d})", "TIME_TO_SEC({d})", "TO_SECONDS({d})", "({n} + 0)", "({s} + 0)", "({d} + 0)",
    "CONVERT({e}, SIGNED)", "CONVERT({e}, DECIMAL(20,4))", "FORMAT({n}, {i})", "INET_ATON({s})", "ROUND({n}, 2)", "ROUND(CAST({n} AS DECIMAL(20,5)), {i})",
];

pub const INTEGERS: &[&str] = &[
    "LENGTH({s})", "CHAR_LENGTH({s})", "BIT_LENGTH({s})", "ASCII({s})", "ORD({s})", "LOCATE({s}, {s})", "LOCATE({s}, {s}, {i})", "INSTR({s}, {s})",
    "FIELD({e}, {e}, {e})", "FIND_IN_SET({s}, {s})", "STRCMP({s}, {s})", "INTERVAL({n}, {n}, {n})", "YEAR({d})", "MONTH({d})", "DAY({d})",
    "HOUR({d})", "MINUTE({d})", "SECOND({d})", "MICROSECOND({d})", "DAYOFWEEK({d})", "DAYOFYEAR({d})", "WEEKDAY({d})", "WEEK({d})", "WEEK({d}, {i})",
    "WEEKOFYEAR({d})", "YEARWEEK({d})", "YEARWEEK({d}, {i})", "QUARTER({d})", "TO_DAYS({d})", "DATEDIFF({d}, {d})", "TIMESTAMPDIFF(SECOND, {d}, {d})",
    "TIMESTAMPDIFF(MONTH, {d}, {d})", "TIMESTAMPDIFF(DAY, {d}, {d})", "TIMESTAMPDIFF(YEAR, {d}, {d})", "EXTRACT(YEAR_MONTH FROM {d})", "EXTRACT(DAY_HOUR FROM {d})",
    "EXTRACT(MICROSECOND FROM {d})", "EXTRACT(HOUR FROM {d})", "EXTRACT(DAY_MICROSECOND FROM {d})", "EXTRACT(WEEK FROM {d})", "PERIOD_ADD({n}, {i})",
    "PERIOD_DIFF({n}, {n})", "POSITION({s} IN {s})", "({c})", "NOT {n}", "({n} <=> {n})", "ISNULL({e})", "CAST({d} AS SIGNED)", "COERCIBILITY({s})",
    "JSON_LENGTH({j})", "JSON_VALID({e})", "JSON_DEPTH({j})", "JSON_CONTAINS({j}, {j})", "JSON_CONTAINS_PATH({j}, 'one', '$.a')", "SIGN({n})", "IS_IPV4({s})",
    "OCTET_LENGTH({e})", "CHAR_LENGTH({e})", "TIMESTAMPDIFF(QUARTER, {d}, {d})", "TIMESTAMPDIFF(WEEK, {d}, {d})", "TIMESTAMPDIFF(MICROSECOND, {d}, {d})",
];

pub const TEXTS: &[&str] = &[
    "CONCAT({s}, {s})", "CONCAT({e}, {e})", "CONCAT_WS({s}, {s}, {e})", "UPPER({s})", "LOWER({s})", "LEFT({s}, {i})", "RIGHT({s}, {i})",
    "SUBSTRING({s}, {i})", "SUBSTRING({s}, {i}, {i})", "SUBSTRING_INDEX({s}, {s}, {i})", "TRIM({s})", "LTRIM({s})", "RTRIM({s})",
    "TRIM(LEADING {s} FROM {s})", "TRIM(TRAILING {s} FROM {s})", "TRIM(BOTH {s} FROM {s})", "LPAD({s}, {i}, {s})", "RPAD({s}, {i}, {s})",
    "REPEAT({s}, {i})", "REPLACE({s}, {s}, {s})", "REVERSE({s})", "INSERT({s}, {i}, {i}, {s})", "SPACE({i})", "HEX({s})", "HEX({n})", "UNHEX({s})",
    "QUOTE({s})", "ELT({i}, {s}, {s})", "MAKE_SET({i}, {s}, {s})", "EXPORT_SET({i}, {s}, {s}, {s}, {i})", "CHAR({i}, {i})", "CHAR({n} USING utf8mb4)",
    "CONV({n}, {i}, {i})", "CONV({s}, {i}, {i})", "BIN({n})", "OCT({n})", "SOUNDEX({s})", "FORMAT({n}, {i})", "MD5({s})", "SHA1({s})", "SHA2({s}, 256)",
    "TO_BASE64({s})", "FROM_BASE64({s})", "CAST({e} AS CHAR)", "CAST({e} AS CHAR(3))", "CAST({e} AS BINARY)", "CAST({e} AS BINARY(4))",
    "CONVERT({s} USING utf8mb4)", "CONVERT({s} USING latin1)", "IFNULL({s}, {s})", "NULLIF({s}, {s})", "COALESCE({s}, {e})", "IF({c}, {s}, {e})",
    "CASE WHEN {c} THEN {s} ELSE {e} END", "GREATEST({s}, {s})", "LEAST({s}, {s})", "DATE_FORMAT({d}, '%Y-%m-%d %H:%i:%s.%f')",
    "DATE_FORMAT({d}, '%a %b %c %D %e %j %k %l %M %p %r %T %U %u %V %v %W %w %X %x %y %%')", "TIME_FORMAT({d}, '%H %k %h %I %l %i %p %r %s %T %f')",
    "DAYNAME({d})", "MONTHNAME({d})", "CONCAT({n}, {s})", "CONCAT({d}, '')", "({s} COLLATE utf8mb4_bin)", "INET_NTOA({n})", "MID({s}, {i}, {i})",
    "REGEXP_REPLACE({s}, '[a-c]+', 'X')", "REGEXP_SUBSTR({s}, '[a-z]+')", "JSON_TYPE({j})", "JSON_QUOTE({s})", "JSON_UNQUOTE({s})",
    "JSON_UNQUOTE(JSON_EXTRACT({j}, '$.a'))", "UCASE({s})", "CHARSET({s})", "COLLATION({s})", "NULLIF({e}, {e})", "WEIGHT_STRING({s})",
    "SEC_TO_TIME({n})", "LCASE({e})", "TRIM({e})",
];

pub const DATES: &[&str] = &[
    "DATE({d})", "TIME({d})", "TIMESTAMP({d})", "TIMESTAMP({d}, {d})", "DATE_ADD({d}, INTERVAL {i} DAY)", "DATE_ADD({d}, INTERVAL {i} MONTH)",
    "DATE_ADD({d}, INTERVAL {i} YEAR)", "DATE_SUB({d}, INTERVAL {i} HOUR)", "DATE_ADD({d}, INTERVAL {n} SECOND)", "DATE_ADD({d}, INTERVAL {s} MINUTE_SECOND)",
    "DATE_ADD({d}, INTERVAL '1:1' DAY_HOUR)", "DATE_SUB({d}, INTERVAL '1.5' SECOND_MICROSECOND)", "DATE_ADD({d}, INTERVAL {i} WEEK)",
    "DATE_ADD({d}, INTERVAL {i} QUARTER)", "DATE_ADD({d}, INTERVAL {i} MICROSECOND)", "({d} + INTERVAL {i} DAY)", "({d} - INTERVAL {i} MINUTE)", "ADDTIME({d}, {d})", "SUBTIME({d}, {d})",
    "TIMEDIFF({d}, {d})", "LAST_DAY({d})", "MAKEDATE({n}, {i})", "MAKETIME({i}, {i}, {n})", "SEC_TO_TIME({n})", "FROM_DAYS({n})", "FROM_UNIXTIME({n})",
    "FROM_UNIXTIME({n}, '%Y %D %M %h')", "STR_TO_DATE({s}, '%Y-%m-%d')", "STR_TO_DATE({d}, '%Y-%m-%d %H:%i:%s')", "STR_TO_DATE({s}, '%H:%i:%s')", "CAST({e} AS DATE)", "CAST({e} AS DATETIME)",
    "CAST({e} AS TIME)", "CAST({d} AS DATETIME(3))", "CAST({d} AS TIME(2))", "CONVERT_TZ({d}, '+00:00', '+05:30')", "TIMESTAMPADD(MONTH, {i}, {d})",
    "IFNULL({d}, {d})", "COALESCE({d}, {d})", "IF({c}, {d}, {d})", "GREATEST({d}, {d})", "LEAST({d}, {d})", "NULLIF({d}, {d})", "CASE WHEN {c} THEN {d} ELSE {d} END",
    "ADDDATE({d}, {i})", "SUBDATE({d}, {i})", "NULLIF({d}, {e})", "DATE_ADD({d}, INTERVAL '-1 2:3:4' DAY_SECOND)", "DATE_ADD({d}, INTERVAL {s} YEAR_MONTH)",
];

pub const JSON: &[&str] = &["IFNULL({j}, {j})", "COALESCE({j}, {j})", "CONCAT('[', {n}, ']')"];

pub const ANY: &[&str] = &[
    "IFNULL({e}, {e})", "COALESCE({e}, {e}, {e})", "IF({c}, {e}, {e})", "CASE WHEN {c} THEN {e} WHEN {c} THEN {e} ELSE {e} END", "NULLIF({e}, {e})",
    "GREATEST({e}, {e})", "LEAST({e}, {e})", "CASE {e} WHEN {e} THEN {e} ELSE {e} END", "({e} + {e})", "({e} * {e})", "CONCAT({e}, {e})",
];

/// The first six stand at the leaves.
pub const CONDITIONS: &[&str] = &[
    "{e} = {e}", "{n} < {n}", "{s} = {s}", "{d} >= {d}", "{e} IS NULL", "{e} <=> {e}", "{n} BETWEEN {n} AND {n}", "{e} BETWEEN {e} AND {e}",
    "{e} IN ({e}, {e}, {e})", "{n} NOT IN ({n}, {n})", "{s} LIKE {s}", "{s} NOT LIKE {s}", "{s} LIKE {s} ESCAPE '|'", "({c} AND {c})", "({c} OR {c})",
    "(NOT {c})", "({c} XOR {c})", "{e} IS TRUE", "{n} IS NOT FALSE", "{n} IS UNKNOWN", "{e} <> {e}", "{s} > {s}", "{d} < {d}", "{d} = {e}",
    "{s} REGEXP '^[a-c]'", "{s} NOT REGEXP 'b+'", "({e}, {e}) = ({e}, {e})", "({n}, {s}) IN (({n}, {s}), ({n}, {s}))", "{e} IS NOT NULL", "{d} BETWEEN {d} AND {d}",
    "{s} IN ({s}, {s})", "{s} BETWEEN {s} AND {s}", "({n}, {n}) < ({n}, {n})", "{e}",
];

/// Aggregates; the row order does not matter to any of them.
pub const AGGREGATES: &[&str] = &[
    "COUNT(*)", "COUNT({e})", "COUNT(DISTINCT {e})", "SUM({n})", "SUM({e})", "AVG({n})", "MIN({e})", "MAX({e})", "SUM(DISTINCT {n})", "BIT_AND({n})",
    "BIT_OR({n})", "BIT_XOR({n})", "MIN({s})", "MAX({d})", "COUNT(DISTINCT {e}, {e})", "GROUP_CONCAT(DISTINCT {s} ORDER BY 1)", "AVG({e})",
    "MIN({d})", "SUM({c})", "VAR_POP({n})", "STDDEV_SAMP({n})", "COUNT(DISTINCT {s})",
];

/// Window functions whose value does not depend on the order among peers; `{o}` is the window.
pub const WINDOWS: &[&str] = &[
    "RANK() OVER ({o})", "DENSE_RANK() OVER ({o})", "COUNT(*) OVER ({o})", "SUM({n}) OVER ({o})", "MIN({e}) OVER ({o})", "MAX({e}) OVER ({o})",
    "CUME_DIST() OVER ({o})", "PERCENT_RANK() OVER ({o})", "COUNT({e}) OVER ({o})", "AVG({n}) OVER ({o})",
];
