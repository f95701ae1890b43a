//! Statements of any bytes.

use crate::split;
use weir_syntax::lex::SqlMode;
use weir_syntax::parse::{
    NormalizedBuf, ParseOptions, normalize, parse_expr, parse_normalized, parse_one,
};

/// Parses, or says what is wrong; a statement's text without its literals parses as the statement does; an expression
/// that is printed is the same expression.
pub fn sql(data: &[u8]) {
    let (how, text) = split(data);
    let bit = |n: u8| how >> n & 1 == 1;
    let sql_mode = SqlMode {
        ansi_quotes: bit(0),
        no_backslash_escapes: bit(1),
        pipes_as_concat: bit(2),
        ignore_space: bit(3),
        high_not_precedence: bit(4),
        real_as_float: bit(5),
    };
    let opts = ParseOptions { sql_mode, allow_params: bit(6), ..Default::default() };
    let parsed = parse_one(text, &opts);
    if let Ok(p) = &parsed {
        assert!(p.consumed <= text.len());
    }
    let mut buf = NormalizedBuf::default();
    if let Some(n) = normalize(text, &sql_mode, &mut buf) {
        assert_eq!(n, buf.literals.len());
        for l in &buf.literals {
            let _ = l.value(text, &sql_mode, None);
        }
        let again = parse_normalized(text, &opts);
        assert_eq!(again.is_ok(), parsed.is_ok(), "{again:?} and {parsed:?}");
    }
    if let Ok(e) = parse_expr(text, &opts) {
        let printed = e.to_string();
        let opts = ParseOptions { allow_params: true, ..Default::default() };
        match parse_expr(printed.as_bytes(), &opts) {
            Ok(back) => assert_eq!(back.to_string(), printed),
            // Parentheses that the text did not need may nest too deep.
            Err(e) => assert_eq!(e.errno, 1436, "{printed}: {e}"),
        }
    }
}
