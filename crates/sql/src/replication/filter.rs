//! What of a source's changes is applied: CHANGE REPLICATION FILTER.
//!
//! The rules are MySQL's ("How Servers Evaluate Replication Filtering Rules"): of databases, then of tables by name, then by pattern. A
//! changed row is asked for its own database; a statement for its default database, and for the tables that it changes.

use weir_syntax::ast::{FilterKind, ReplicationFilter};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filters {
    pub do_db: Vec<String>,
    pub ignore_db: Vec<String>,
    pub do_table: Vec<(String, String)>,
    pub ignore_table: Vec<(String, String)>,
    /// `database.table` with `%` and `_`.
    pub wild_do: Vec<String>,
    pub wild_ignore: Vec<String>,
    pub rewrite: Vec<(String, String)>,
}

impl Filters {
    /// Each filter that the statement names is another one from now on.
    pub fn change(&mut self, filters: &[ReplicationFilter]) {
        for f in filters {
            let firsts = || f.values.iter().map(|(a, _)| a.to_string()).collect::<Vec<_>>();
            let pairs = || {
                let pair = |(a, b): &(Box<str>, Option<Box<str>>)| {
                    (a.to_string(), b.as_deref().unwrap_or("").to_owned())
                };
                f.values.iter().map(pair).collect::<Vec<_>>()
            };
            match f.kind {
                FilterKind::DoDb => self.do_db = firsts(),
                FilterKind::IgnoreDb => self.ignore_db = firsts(),
                FilterKind::DoTable => self.do_table = pairs(),
                FilterKind::IgnoreTable => self.ignore_table = pairs(),
                FilterKind::WildDoTable => self.wild_do = firsts(),
                FilterKind::WildIgnoreTable => self.wild_ignore = firsts(),
                FilterKind::RewriteDb => self.rewrite = pairs(),
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        *self == Filters::default()
    }

    fn names_tables(&self) -> bool {
        !self.do_table.is_empty()
            || !self.ignore_table.is_empty()
            || !self.wild_do.is_empty()
            || !self.wild_ignore.is_empty()
    }

    /// The database under which changes of this one are applied.
    pub fn rewritten<'s>(&'s self, schema: &'s str) -> &'s str {
        self.rewrite.iter().find(|(from, _)| from == schema).map_or(schema, |(_, to)| to)
    }

    /// Whether a database passes. A statement without a default database passes.
    pub fn admits_schema(&self, schema: &str) -> bool {
        let names = |list: &[String]| list.iter().any(|s| s == schema);
        match (schema.is_empty(), self.do_db.is_empty()) {
            (true, _) => self.do_db.is_empty(),
            (false, false) => names(&self.do_db),
            (false, true) => !names(&self.ignore_db),
        }
    }

    /// Whether changes of a table's rows pass, its database having passed.
    pub fn admits_table(&self, schema: &str, table: &str) -> bool {
        let named = |list: &[(String, String)]| list.iter().any(|(s, t)| s == schema && t == table);
        let full = format!("{schema}.{table}");
        let like = |list: &[String]| list.iter().any(|p| matches(p.as_bytes(), full.as_bytes()));
        if named(&self.do_table) {
            return true;
        }
        if named(&self.ignore_table) {
            return false;
        }
        if like(&self.wild_do) {
            return true;
        }
        if like(&self.wild_ignore) {
            return false;
        }
        self.do_table.is_empty() && self.wild_do.is_empty()
    }

    /// Whether a statement passes: by its default database, and by tables where some filter names tables and the statement changes some.
    pub fn admits_statement(&self, schema: &str, tables: &[(String, String)]) -> bool {
        self.admits_schema(schema)
            && (!self.names_tables()
                || tables.is_empty()
                || tables.iter().any(|(s, t)| self.admits_table(s, t)))
    }

    /// Name and rule of each filter that has one, as `performance_schema` shows them.
    pub fn rules(&self) -> Vec<(&'static str, String)> {
        let dotted = |l: &[(String, String)]| {
            l.iter().map(|(a, b)| format!("{a}.{b}")).collect::<Vec<_>>().join(",")
        };
        let pairs = |l: &[(String, String)]| {
            l.iter().map(|(a, b)| format!("({a},{b})")).collect::<Vec<_>>().join(",")
        };
        let all = [
            ("REPLICATE_DO_DB", self.do_db.join(",")),
            ("REPLICATE_IGNORE_DB", self.ignore_db.join(",")),
            ("REPLICATE_DO_TABLE", dotted(&self.do_table)),
            ("REPLICATE_IGNORE_TABLE", dotted(&self.ignore_table)),
            ("REPLICATE_WILD_DO_TABLE", self.wild_do.join(",")),
            ("REPLICATE_WILD_IGNORE_TABLE", self.wild_ignore.join(",")),
            ("REPLICATE_REWRITE_DB", pairs(&self.rewrite)),
        ];
        all.into_iter().filter(|(_, rule)| !rule.is_empty()).collect()
    }
}

/// LIKE over bytes, with the backslash that takes the next byte as it is. The work is bounded by the product of the lengths.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while t < text.len() {
        let (step, hit) = match pattern.get(p) {
            Some(b'%') => {
                retry = Some((p + 1, t));
                p += 1;
                continue;
            }
            Some(b'_') => (1, true),
            Some(b'\\') if p + 1 < pattern.len() => (2, pattern[p + 1] == text[t]),
            Some(c) => (1, *c == text[t]),
            None => (0, false),
        };
        match (hit, retry) {
            (true, _) => (p, t) = (p + step, t + 1),
            (false, Some((behind, from))) => {
                (p, t) = (behind, from + 1);
                retry = Some((behind, from + 1));
            }
            (false, None) => return false,
        }
    }
    pattern[p..].iter().all(|c| *c == b'%')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(names: &[&str]) -> Vec<String> {
        names.iter().map(|n| (*n).to_owned()).collect()
    }

    fn pairs(names: &[(&str, &str)]) -> Vec<(String, String)> {
        names.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
    }

    #[test]
    fn patterns() {
        for (pattern, text, want) in [
            ("a.b", "a.b", true),
            ("a.%", "a.", true),
            ("a%.t_", "abc.t1", true),
            ("a%.t_", "abc.t", false),
            ("a\\_b.%", "a_b.x", true),
            ("a\\_b.%", "axb.x", false),
            ("%x%y", "axbyaxby", true),
            ("", "a", false),
        ] {
            assert_eq!(matches(pattern.as_bytes(), text.as_bytes()), want, "{pattern} {text}");
        }
    }

    #[test]
    fn what_passes() {
        let f = Filters { do_db: list(&["a"]), ..Filters::default() };
        assert!(f.admits_schema("a") && !f.admits_schema("b") && !f.admits_schema(""));
        let f = Filters { ignore_db: list(&["a"]), ..Filters::default() };
        assert!(!f.admits_schema("a") && f.admits_schema("b") && f.admits_schema(""));
        let f = Filters {
            do_table: pairs(&[("a", "t")]),
            wild_ignore: list(&["a.x%"]),
            ..Filters::default()
        };
        assert!(
            f.admits_table("a", "t") && !f.admits_table("a", "xy") && !f.admits_table("b", "t")
        );
        let f = Filters { ignore_table: pairs(&[("a", "t")]), ..Filters::default() };
        assert!(!f.admits_table("a", "t") && f.admits_table("a", "u"));
        assert!(f.admits_statement("a", &[]));
        assert!(!f.admits_statement("b", &pairs(&[("a", "t")])));
        let f = Filters { rewrite: pairs(&[("a", "b")]), ..Filters::default() };
        assert_eq!((f.rewritten("a"), f.rewritten("c")), ("b", "c"));
        assert_eq!(f.rules(), [("REPLICATE_REWRITE_DB", "(a,b)".to_owned())]);
    }
}
