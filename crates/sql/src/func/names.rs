//! Names of the functions that the grammar calls by an operator or by words.

pub const CHAR: &str = "CHAR";
/// CHAR() into a character set of two bytes a character.
pub const CHAR_OF_PAIRS: &str = "CHAR OF PAIRS";
pub const CHAR_OF_FOURS: &str = "CHAR OF FOURS";
pub const CONCAT: &str = "CONCAT";
pub const GET_FORMAT: &str = "GET_FORMAT";
pub const JSON_EXTRACT: &str = "JSON_EXTRACT";
pub const JSON_UNQUOTE: &str = "JSON_UNQUOTE";
pub const LEFT: &str = "LEFT";
pub const LIKE: &str = "LIKE";
pub const LTRIM: &str = "LTRIM";
pub const MEMBER_OF: &str = "MEMBER OF";
pub const REGEXP_LIKE: &str = "REGEXP_LIKE";
pub const RPAD: &str = "RPAD";
pub const RTRIM: &str = "RTRIM";
pub const SOUNDEX: &str = "SOUNDEX";
pub const TRIM: &str = "TRIM";
pub const WEIGHT_STRING: &str = "WEIGHT_STRING";

/// Functions that are nothing without OVER.
pub fn is_window_function(upper: &str) -> bool {
    matches!(
        upper,
        "ROW_NUMBER"
            | "RANK"
            | "DENSE_RANK"
            | "PERCENT_RANK"
            | "CUME_DIST"
            | "NTILE"
            | "LAG"
            | "LEAD"
            | "FIRST_VALUE"
            | "LAST_VALUE"
            | "NTH_VALUE"
    )
}

/// A function of SQL's own, whatever stored functions there are.
pub fn is_built_in(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    super::lookup(&upper).is_some()
        || super::aggregate::lookup(&upper).is_some()
        || super::special::lookup(&upper).is_some()
        || is_window_function(&upper)
}
