//! Definition statements in the redo log: which are noted there, and which of them somebody means.

/// Bytes of a statement that the log has.
pub const NOTED: usize = 1024;

/// Objects whose CREATE and ALTER have no password in them.
const OBJECTS: &[&str] = &[
    "TABLE", "DATABASE", "SCHEMA", "VIEW", "INDEX", "UNIQUE", "FULLTEXT", "SPATIAL", "ONLINE",
    "OFFLINE",
];

/// Whether a statement's text may stand in the log: it defines, and what it says is no secret. CREATE USER and its like are not noted.
pub fn is_noted(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(&text[..text.len().min(NOTED)]);
    let mut words = without_comments(&text).into_iter();
    let first = words.next().unwrap_or_default().to_ascii_uppercase();
    match first.as_str() {
        "DROP" | "TRUNCATE" | "RENAME" => words.next().is_some(),
        "CREATE" | "ALTER" => {
            words.next().is_some_and(|w| OBJECTS.iter().any(|o| o.eq_ignore_ascii_case(&w)))
        }
        _ => false,
    }
}

/// The first words of a statement.
fn without_comments(text: &str) -> Vec<String> {
    let mut rest = text.trim_start();
    while let Some(comment) = rest.strip_prefix("/*").filter(|c| !c.starts_with('!')) {
        rest = comment.split_once("*/").map_or("", |(_, behind)| behind).trim_start();
    }
    rest.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|w| !w.is_empty())
        .take(2)
        .map(str::to_owned)
        .collect()
}

/// A statement as it is compared: words in lower case except for what stands in quotes, one blank between, no backticks, no semicolon.
fn plain(text: &str) -> String {
    let (mut out, mut quote) = (String::with_capacity(text.len()), None);
    for c in text.trim().trim_end_matches(';').trim_end().chars() {
        match (quote, c) {
            (Some(q), _) => {
                out.push(c);
                if c == q {
                    quote = None;
                }
            }
            (None, '\'' | '"') => {
                quote = Some(c);
                out.push(c);
            }
            (None, '`') => {}
            (None, c) if c.is_whitespace() => {
                if !out.is_empty() && !out.ends_with([' ', ',', '(', '.']) {
                    out.push(' ');
                }
            }
            (None, c) => {
                if matches!(c, ',' | ')' | '(' | '.') && out.ends_with(' ') {
                    out.pop();
                }
                out.extend(c.to_lowercase());
            }
        }
    }
    out
}

/// Whether the log's text is the statement that is asked for. Of a long one the log has the beginning.
pub fn is_meant(noted: &str, asked: &str) -> bool {
    match noted.len() >= NOTED {
        true => plain(asked).starts_with(plain(noted).trim_end()),
        false => plain(noted) == plain(asked),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_noted() {
        for text in [
            "drop table t",
            "/* app */ TRUNCATE t",
            "alter table t add c int",
            "Create Unique Index i on t (a)",
            "rename table a to b",
            "drop user u",
        ] {
            assert!(is_noted(text.as_bytes()), "{text}");
        }
        for text in [
            "create user u identified by 'secret'",
            "alter user u identified by 'secret'",
            "create server s foreign data wrapper mysql options (password 'x')",
            "create procedure p() set password = 'x'",
            "select 1",
            "set password = 'x'",
            "",
            "drop",
        ] {
            assert!(!is_noted(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn a_statement_is_found_as_people_write_it() {
        for (noted, asked) in [
            ("DROP TABLE `shop` . `orders` ;", "drop table shop.orders"),
            ("drop  table\n a,b", "DROP TABLE a, b"),
            (
                "alter table t add c varchar(9) default 'X  y'",
                "ALTER TABLE t ADD c varchar (9) DEFAULT 'X  y'",
            ),
        ] {
            assert!(is_meant(noted, asked), "{noted}: {} {}", plain(noted), plain(asked));
        }
        assert!(
            !is_meant("drop table a", "drop table ab")
                && !is_meant("x default 'A'", "x default 'a'")
        );
        let long = format!("alter table t comment '{}'", "x".repeat(2000));
        assert!(is_meant(&long[..NOTED], &long));
    }
}
