//! Optimizer hints of a statement's first block: `/*+ NAME(arguments) ... */`. What two of them say is obeyed (how long the statement may
//! run, and values of variables for its time); the others name algorithms of another optimizer, and change no result.

use weir_syntax::ast::{self, Statement};

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
            ast::ExplainTarget::Statement(of) => self::of(of),
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
