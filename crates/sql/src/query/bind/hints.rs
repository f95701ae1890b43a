//! Optimizer hints: `/*+ NAME(arguments) ... */`. Here they are read, and those of a statement's first block that are about the whole of it
//! take effect: how long it may run, and values of variables for its time. What those about joins and indexes say is done in
//! `bind::hinted`.

use weir_syntax::ast::{self, Statement};

/// Names that a hint may have.
const NAMES: [&str; 37] = [
    "BKA",
    "BNL",
    "DERIVED_CONDITION_PUSHDOWN",
    "GROUP_INDEX",
    "HASH_JOIN",
    "INDEX",
    "INDEX_MERGE",
    "JOIN_FIXED_ORDER",
    "JOIN_INDEX",
    "JOIN_ORDER",
    "JOIN_PREFIX",
    "JOIN_SUFFIX",
    "MAX_EXECUTION_TIME",
    "MERGE",
    "MRR",
    "NO_BKA",
    "NO_BNL",
    "NO_DERIVED_CONDITION_PUSHDOWN",
    "NO_GROUP_INDEX",
    "NO_HASH_JOIN",
    "NO_ICP",
    "NO_INDEX",
    "NO_INDEX_MERGE",
    "NO_JOIN_INDEX",
    "NO_MERGE",
    "NO_MRR",
    "NO_ORDER_INDEX",
    "NO_RANGE_OPTIMIZATION",
    "NO_SEMIJOIN",
    "NO_SKIP_SCAN",
    "ORDER_INDEX",
    "QB_NAME",
    "RESOURCE_GROUP",
    "SEMIJOIN",
    "SET_VAR",
    "SKIP_SCAN",
    "SUBQUERY",
];

/// A hint with its arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hint {
    /// In upper case.
    pub name: String,
    /// `@name`: the block that it is about.
    pub block: Option<String>,
    pub words: Vec<Word>,
}

/// A table, index or strategy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    pub name: String,
    /// `table@name`: the block that the table is of.
    pub block: Option<String>,
}

/// Where the text stops being hints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HintError {
    pub near: String,
}

/// The hints of a text, as far as it can be read.
pub fn parse(text: &str) -> (Vec<Hint>, Option<HintError>) {
    let mut at = Text { rest: text.trim_start() };
    let mut out = Vec::new();
    while !at.rest.is_empty() {
        let before = at.rest;
        match at.hint() {
            Ok(hint) => out.push(hint),
            Err(unread) => {
                let near = unread.unwrap_or(before).trim_end().to_owned();
                return (out, Some(HintError { near }));
            }
        }
    }
    (out, None)
}

struct Text<'t> {
    rest: &'t str,
}

impl<'t> Text<'t> {
    fn skip(&mut self, c: char) -> bool {
        let found = self.rest.strip_prefix(c);
        if let Some(rest) = found {
            self.rest = rest.trim_start();
        }
        found.is_some()
    }

    /// A name, bare or in backquotes.
    fn name(&mut self) -> Option<String> {
        if let Some(quoted) = self.rest.strip_prefix('`') {
            let (name, rest) = quoted.split_once('`')?;
            self.rest = rest;
            return Some(name.to_owned());
        }
        let of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '#');
        let len = self.rest.find(|c| !of_name(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(len);
        self.rest = rest;
        (len > 0).then(|| name.to_owned())
    }

    /// `Err`: what cannot be read; none: the name itself.
    fn hint(&mut self) -> Result<Hint, Option<&'t str>> {
        let name = self.name().ok_or(None)?.to_uppercase();
        if !NAMES.contains(&name.as_str()) {
            return Err(None);
        }
        self.rest = self.rest.trim_start();
        let mut hint = Hint { name, ..Hint::default() };
        if !self.skip('(') {
            return Err(Some(self.rest));
        }
        if matches!(hint.name.as_str(), "SET_VAR" | "MAX_EXECUTION_TIME") {
            self.rest = &self.rest[inner_len(self.rest)..];
            return if self.skip(')') { Ok(hint) } else { Err(Some(self.rest)) };
        }
        hint.block = self.block()?;
        while !self.skip(')') {
            let name = self.name().ok_or(Some(self.rest))?;
            let block = self.block()?;
            self.rest = self.rest.trim_start();
            hint.words.push(Word { name, block });
            self.skip(',');
        }
        Ok(hint)
    }

    fn block(&mut self) -> Result<Option<String>, Option<&'t str>> {
        let Some(rest) = self.rest.strip_prefix('@') else { return Ok(None) };
        self.rest = rest;
        let name = self.name().ok_or(Some(self.rest))?;
        self.rest = self.rest.trim_start();
        Ok(Some(name))
    }
}

/// `SET_VAR(name = value)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetVar {
    pub name: String,
    pub value: String,
    /// The value stood in quotes.
    pub quoted: bool,
}

/// The hint `MAX_EXECUTION_TIME(n)` of a query; 0 leaves the session's limit in charge.
pub fn time_limit(stmt: &Statement) -> Option<u64> {
    let text = match stmt {
        Statement::Select(_) => of(stmt)?,
        Statement::Explain(e) if e.analyze => of(stmt)?,
        _ => return None,
    };
    let given = each(text).into_iter().filter(|(name, _)| name == "MAX_EXECUTION_TIME");
    let n = given.filter_map(|(_, inner)| inner.trim().parse::<u32>().ok()).next()?;
    (n > 0).then_some(n.into())
}

/// The variables that the statement's hints set.
pub fn variables(stmt: &Statement) -> Vec<SetVar> {
    let Some(text) = of(stmt) else { return Vec::new() };
    let given = each(text).into_iter().filter(|(name, _)| name == "SET_VAR");
    given.filter_map(|(_, inner)| set_var(inner)).collect()
}

fn set_var(inner: &str) -> Option<SetVar> {
    let (name, value) = inner.split_once('=')?;
    let value = value.trim();
    let bare = |q: char| value.strip_prefix(q).and_then(|v| v.strip_suffix(q));
    let in_quotes = bare('\'').or_else(|| bare('"'));
    Some(SetVar {
        name: name.trim().trim_matches('`').to_owned(),
        value: in_quotes.unwrap_or(value).to_owned(),
        quoted: in_quotes.is_some(),
    })
}

/// The hints of the statement, or of the first block of its query.
fn of(stmt: &Statement) -> Option<&str> {
    match stmt {
        Statement::Select(q) => of_body(&q.body),
        Statement::Insert(i) => i.hints.as_deref(),
        Statement::Update(u) => u.hints.as_deref(),
        Statement::Delete(d) => d.hints.as_deref(),
        Statement::Explain(e) => match &e.target {
            ast::ExplainTarget::Statement(of) => super::hints::of(of),
            ast::ExplainTarget::Connection(_) => None,
        },
        _ => None,
    }
}

fn of_body(mut body: &ast::QueryBody) -> Option<&str> {
    loop {
        body = match body {
            ast::QueryBody::Select(block) => return block.hints.as_deref(),
            ast::QueryBody::SetOp { left, .. } => left,
            ast::QueryBody::Nested(q) => &q.body,
            _ => return None,
        };
    }
}

/// Names in upper case, and what stands in their parentheses. What is no hint is passed over.
fn each(text: &str) -> Vec<(String, &str)> {
    let mut out = Vec::new();
    let mut name = String::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        at += c.len_utf8();
        match c {
            '(' => {
                let len = inner_len(&text[at..]);
                out.push((std::mem::take(&mut name), &text[at..at + len]));
                at = (at + len + 1).min(text.len());
            }
            c if c.is_alphanumeric() || c == '_' => name.extend(c.to_uppercase()),
            // Names in quotes are no hints.
            '`' => at += text[at..].find('`').map_or(text.len() - at, |n| n + 1),
            _ => name.clear(),
        }
    }
    out
}

/// Bytes up to the parenthesis that closes, which stands in no quotes.
fn inner_len(text: &str) -> usize {
    let (mut quote, mut depth) = (None, 0);
    for (n, c) in text.char_indices() {
        match (quote, c) {
            (Some(q), c) if q == c => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => quote = Some(c),
            (None, '(') => depth += 1,
            (None, ')') if depth == 0 => return n,
            (None, ')') => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(sql: &str) -> Statement {
        let options = weir_syntax::parse::ParseOptions::default();
        weir_syntax::parse::parse_one(sql.as_bytes(), &options).expect("parses").stmt
    }

    #[test]
    fn limits() {
        let limit = |hints: &str| time_limit(&parsed(&format!("select /*+ {hints} */ 1")));
        assert_eq!(limit("MAX_EXECUTION_TIME(5)"), Some(5));
        assert_eq!(limit("BKA(t1) max_execution_time( 7 ) MAX_EXECUTION_TIME(9)"), Some(7));
        assert_eq!(limit("NO_BNL() `MAX_EXECUTION_TIME`(5)"), None);
        assert_eq!(limit("MAX_EXECUTION_TIME(0)"), None);
        assert_eq!(limit("MAX_EXECUTION_TIME(x) INDEX(t ("), None);
        assert_eq!(time_limit(&parsed("delete /*+ MAX_EXECUTION_TIME(5) */ from t")), None);
    }

    #[test]
    fn hints_are_read_as_far_as_they_go() {
        let word = |name: &str, block: Option<&str>| Word {
            name: name.to_owned(),
            block: block.map(str::to_owned),
        };
        let (hints, error) = parse(
            " qb_name(q) JOIN_ORDER(@q t1, `t 2`@sub) SET_VAR(a='x)') Index(t PRIMARY, k)NO_BNL() ",
        );
        let names: Vec<&str> = hints.iter().map(|h| h.name.as_str()).collect();
        assert_eq!(names, ["QB_NAME", "JOIN_ORDER", "SET_VAR", "INDEX", "NO_BNL"]);
        assert_eq!(error, None);
        assert_eq!(hints[1].block.as_deref(), Some("q"));
        assert_eq!(hints[1].words, [word("t1", None), word("t 2", Some("sub"))]);
        assert_eq!(hints[3].words.len(), 3);
        let near = |text: &str| parse(text).1.map(|e| e.near);
        assert_eq!(near("INDEX(t) NOPE(t) INDEX(u)").as_deref(), Some("NOPE(t) INDEX(u)"));
        for cut in ["INDEX(t", "INDEX", "INDEX(`t", "INDEX(@", "INDEX(t@)", "(", "INDEX(t ; u)"] {
            assert!(near(cut).is_some(), "{cut}");
        }
    }

    #[test]
    fn variables_are_read() {
        let set = |hints: &str| {
            let list = variables(&parsed(&format!("select /*+ {hints} */ 1 union select 2")));
            list.into_iter().map(|v| (v.name, v.value, v.quoted)).collect::<Vec<_>>()
        };
        let one = |n: &str, v: &str, q| vec![(n.to_string(), v.to_string(), q)];
        assert_eq!(set("SET_VAR(sort_buffer_size = 16M)"), one("sort_buffer_size", "16M", false));
        assert_eq!(set("set_var(sql_mode='a)b')"), one("sql_mode", "a)b", true));
        assert_eq!(set("SET_VAR(x)"), vec![]);
        assert_eq!(set("SET_VAR(a=1) MRR(t) SET_VAR(b=2)").len(), 2);
        for cut in ["SET_VAR(", "SET_VAR(a='", "(", "`", "a(b(c)"] {
            assert_eq!(set(cut).len(), usize::from(cut == "SET_VAR(a='"), "{cut}");
        }
    }
}
