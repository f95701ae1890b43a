//! Regular expressions. Case follows the collation unless a match type says otherwise.

use super::infer;
use super::{FuncCtx, FuncDef, Out, def};
use crate::value::{Value, ValueError};
use fancy_regex::Regex;
use std::sync::Arc;

pub(super) const TABLE: &[FuncDef] = &[
    def("REGEXP_LIKE", 2, 3, infer::boolean, like),
    def("REGEXP_INSTR", 2, 6, infer::bigint, instr),
    def("REGEXP_SUBSTR", 2, 5, infer::long_text, substr),
    def("REGEXP_REPLACE", 3, 6, infer::long_text, replace),
];

/// Most steps of back-tracking in one match; a pattern that needs more is error 3699.
const STEP_LIMIT: usize = 1_000_000;

fn failure(e: &fancy_regex::Error) -> ValueError {
    match e {
        fancy_regex::Error::RuntimeError(_) => {
            ValueError::new(3699, "HY000", "Timeout exceeded in regular expression match.".into())
        }
        other => {
            let text = format!("Syntax error in regular expression: {other}");
            ValueError::new(3685, "HY000", text)
        }
    }
}

/// The compiled pattern with the match type's letters: c, i, m (lines), n (dot takes newlines), u.
fn compile(
    cx: &mut FuncCtx<'_>,
    pattern: &str,
    ignore_case: bool,
    letters: &str,
) -> Result<Arc<Regex>, ValueError> {
    if pattern.is_empty() {
        let text = "Illegal argument to a regular expression.".to_string();
        return Err(ValueError::new(3685, "HY000", text));
    }
    let (mut i, mut m, mut s) = (ignore_case, false, false);
    for c in letters.chars() {
        match c {
            'c' => i = false,
            'i' => i = true,
            'm' => m = true,
            'n' => s = true,
            'u' => {}
            _ => return Err(ValueError::wrong_arguments("regexp_like")),
        }
    }
    let flags: String =
        [(i, 'i'), (m, 'm'), (s, 's')].into_iter().filter(|(on, _)| *on).map(|(_, c)| c).collect();
    let source =
        if flags.is_empty() { pattern.to_string() } else { format!("(?{flags}){pattern}") };
    if let Some((known, regex)) = &cx.regex
        && *known == source
    {
        return Ok(Arc::clone(regex));
    }
    let built = fancy_regex::RegexBuilder::new(&source).backtrack_limit(STEP_LIMIT).build();
    let regex = Arc::new(built.map_err(|e| failure(&e))?);
    cx.regex = Some((source, Arc::clone(&regex)));
    Ok(regex)
}

struct Call {
    text: String,
    regex: Arc<Regex>,
}

/// Text, pattern and match type; `None` when one is NULL.
fn prepare(
    cx: &mut FuncCtx<'_>,
    args: &[Value<'_>],
    match_type: usize,
) -> Result<Option<Call>, ValueError> {
    let c = super::string::collation_of(cx, &args[..2]);
    let (Some(text), Some(pattern)) = (args[0].to_string_lossy(), args[1].to_string_lossy()) else {
        return Ok(None);
    };
    let letters = match args.get(match_type) {
        Some(v) => match v.to_string_lossy() {
            Some(l) => l,
            None => return Ok(None),
        },
        None => String::new(),
    };
    let regex = compile(cx, &pattern, !c.is_bytewise(), &letters)?;
    Ok(Some(Call { text, regex }))
}

/// An optional number argument; `None` for NULL.
fn number(cx: &mut FuncCtx<'_>, args: &[Value<'_>], at: usize, default: i64) -> Option<i64> {
    args.get(at).map_or(Some(default), |v| v.to_i64(&mut cx.warnings))
}

/// Byte offset of a 1-based character position; an error past the end.
fn offset(text: &str, position: i64) -> Result<usize, ValueError> {
    let chars = text.chars().count() as i64;
    if position < 1 || position > chars + 1 {
        let message = "Index out of bounds in regular expression search.".to_string();
        return Err(ValueError::new(3686, "HY000", message));
    }
    Ok(text.char_indices().nth(position as usize - 1).map_or(text.len(), |(i, _)| i))
}

fn like(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(call) = prepare(cx, args, 2)? else { return Ok(Value::Null) };
    let hit = call.regex.is_match(call.text.as_str()).map_err(|e| failure(&e))?;
    Ok(Value::bool(hit))
}

/// The n-th match from a position on.
fn nth(call: &Call, from: usize, n: i64) -> Result<Option<(usize, usize)>, ValueError> {
    let wanted = n.max(1) as usize - 1;
    let mut seen = 0;
    for m in call.regex.find_iter(call.text.as_str()) {
        let m = m.map_err(|e| failure(&e))?;
        if m.start() < from {
            continue;
        }
        if seen == wanted {
            return Ok(Some((m.start(), m.end())));
        }
        seen += 1;
    }
    Ok(None)
}

fn instr(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(call) = prepare(cx, args, 5)? else { return Ok(Value::Null) };
    let (Some(position), Some(n), Some(end)) =
        (number(cx, args, 2, 1), number(cx, args, 3, 1), number(cx, args, 4, 0))
    else {
        return Ok(Value::Null);
    };
    let hit = nth(&call, offset(&call.text, position)?, n)?;
    let place = |(from, to): (usize, usize)| {
        let at = if end == 1 { to } else { from };
        call.text[..at].chars().count() as i64 + 1
    };
    Ok(Value::Int(hit.map_or(0, place)))
}

fn substr(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(call) = prepare(cx, args, 4)? else { return Ok(Value::Null) };
    let (Some(position), Some(n)) = (number(cx, args, 2, 1), number(cx, args, 3, 1)) else {
        return Ok(Value::Null);
    };
    let hit = nth(&call, offset(&call.text, position)?, n)?;
    Ok(hit.map_or(Value::Null, |(a, b)| text_like(cx, args, &call.text[a..b])))
}

/// A text result in the collation of the first argument.
fn text_like(cx: &FuncCtx<'_>, args: &[Value<'_>], text: &str) -> Value<'static> {
    let c = super::string::collation_of(cx, &args[..1]);
    let utf8 = crate::value::Charset::Utf8mb4;
    Value::text(utf8.convert(text.as_bytes(), c.charset()).0, c)
}

/// Occurrence 0 replaces all. `$1` names a group.
fn replace(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(call) = prepare(cx, args, 5)? else { return Ok(Value::Null) };
    let Some(to) = args[2].to_string_lossy() else { return Ok(Value::Null) };
    let (Some(position), Some(n)) = (number(cx, args, 3, 1), number(cx, args, 4, 0)) else {
        return Ok(Value::Null);
    };
    let from = offset(&call.text, position)?;
    let mut out = call.text[..from].to_string();
    let (mut at, mut seen) = (from, 0);
    for caps in call.regex.captures_iter(call.text.as_str()) {
        let caps = caps.map_err(|e| failure(&e))?;
        let Some(m) = caps.get(0) else { continue };
        if m.start() < at {
            continue;
        }
        seen += 1;
        if n > 0 && seen != n {
            continue;
        }
        out.push_str(&call.text[at..m.start()]);
        caps.expand(&to, &mut out);
        at = m.end();
        if super::string::too_big(cx, out.len(), "regexp_replace") {
            return Ok(Value::Null);
        }
    }
    out.push_str(&call.text[at..]);
    Ok(text_like(cx, args, &out))
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    #[test]
    fn table() {
        check(&[
            ("REGEXP_LIKE", &[s("Michael!"), s(".*")], Some("1")),
            ("REGEXP_LIKE", &[s("CamelCase"), s("CAMELCASE")], Some("1")),
            ("REGEXP_LIKE", &[s("CamelCase"), s("CAMELCASE"), s("c")], Some("0")),
            ("REGEXP_LIKE", &[s("a"), s("^[a-d]")], Some("1")),
            ("REGEXP_INSTR", &[s("dog cat dog"), s("dog"), i(2)], Some("9")),
            ("REGEXP_INSTR", &[s("aa aaa aaaa"), s("a{4}")], Some("8")),
            ("REGEXP_SUBSTR", &[s("abc def ghi"), s("[a-z]+"), i(1), i(3)], Some("ghi")),
            ("REGEXP_SUBSTR", &[s("abc"), s("x")], None),
            ("REGEXP_REPLACE", &[s("a b c"), s("b"), s("X")], Some("a X c")),
            (
                "REGEXP_REPLACE",
                &[s("abc def ghi"), s("[a-z]+"), s("X"), i(1), i(3)],
                Some("abc def X"),
            ),
            ("REGEXP_LIKE", &[Value::Null, s("x")], None),
        ]);
        assert_eq!(call("REGEXP_LIKE", &[s("a"), s("(")]).expect_err("syntax").errno, 3685);
    }
}
