//! Regular expressions. Case follows the collation unless a match type says otherwise.

use super::facts::Arg;
use super::infer;
use super::long_match::{LONG, LongMatch, Stopped, next_char};
use super::regexp_errors::{failure, numbered, too_big};
use super::regexp_folds::{several, with_folds};
use super::regexp_parts::{check_braces, expand, with_unicode_classes};
use super::{FuncCtx, FuncDef, Out, def};
use crate::errno;
use crate::value::{Value, ValueError};
use fancy_regex::{Regex, RegexInput};
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// How many of the arguments are texts that a regular expression is about; `None` for functions without one.
pub fn compared_texts(def: &FuncDef) -> Option<usize> {
    match def.name {
        "REGEXP_REPLACE" => Some(3),
        name if name.starts_with("REGEXP_") => Some(2),
        _ => None,
    }
}

pub(super) const TABLE: &[FuncDef] = &[
    def("REGEXP_LIKE", 2, 3, infer::boolean, like)
        .takes(&[Arg::Text, Arg::Text, Arg::Any])
        .compares_in_set()
        .truth(),
    def("REGEXP_INSTR", 2, 6, infer::int::<21>, instr)
        .takes(&[Arg::Text, Arg::Text, Arg::Any])
        .compares_in_set(),
    def("REGEXP_SUBSTR", 2, 5, infer::like_first_null, substr)
        .takes(&[Arg::Text, Arg::Text, Arg::Any])
        .compares_in_set(),
    def("REGEXP_REPLACE", 3, 6, infer::longest_text, replace)
        .takes(&[Arg::Text, Arg::Text, Arg::Text, Arg::Any])
        .compares_in_set(),
];

/// Most steps of back-tracking in one match; a pattern that needs more is error 3699.
const STEP_LIMIT: usize = 1_000_000;

/// The longest pattern: compiling a byte takes microseconds, and nothing can end it.
const LONGEST_PATTERN: usize = 64 * 1024;

/// What a pattern is compiled of, as the statement has it.
#[derive(PartialEq)]
struct Written {
    pattern: String,
    flags: Flags,
    /// Letters of the text that matter.
    folded: Vec<char>,
}

/// Case is ignored, lines have ends, a dot takes newlines.
#[derive(Clone, Copy, PartialEq)]
struct Flags {
    i: bool,
    m: bool,
    s: bool,
}

impl Flags {
    fn of(ignore_case: bool, letters: &str) -> Result<Flags, ValueError> {
        let mut flags = Flags { i: ignore_case, m: false, s: false };
        for c in letters.chars() {
            match c {
                'c' => flags.i = false,
                'i' => flags.i = true,
                'm' => flags.m = true,
                'n' => flags.s = true,
                'u' => {}
                _ => return Err(ValueError::wrong_arguments("regexp_like")),
            }
        }
        Ok(flags)
    }

    /// The pattern with its flags in front.
    fn put(self, pattern: &str) -> String {
        let on = [(self.i, 'i'), (self.m, 'm'), (self.s, 's')].into_iter().filter(|(on, _)| *on);
        let flags: String = on.map(|(_, c)| c).collect();
        match flags.is_empty() {
            true => pattern.to_string(),
            false => format!("(?{flags}){pattern}"),
        }
    }
}

/// A compiled pattern; the statement keeps its last one from row to row.
struct Pattern {
    written: Written,
    source: String,
    regex: Regex,
    /// For long texts, once there was one.
    long: OnceLock<Option<LongMatch>>,
}

impl Pattern {
    /// How a text of `len` bytes is searched, where that may take long.
    fn long(&self, len: usize) -> Option<&LongMatch> {
        if len < LONG {
            return None;
        }
        self.long.get_or_init(|| LongMatch::new(&self.source)).as_ref()
    }

    fn is_match(&self, cx: &mut FuncCtx<'_>, text: &str) -> Result<bool, ValueError> {
        if let Some(long) = self.long(text.len()) {
            match long.is_match(text, 0, |work| cx.work(work)) {
                Ok(is) => return Ok(is),
                Err(Stopped::Told(e)) => return Err(e),
                Err(Stopped::Undecided) => {}
            }
        }
        if text.len() >= LONG {
            return Ok(self.find_by_places(cx, text, 0)?.is_some());
        }
        self.regex.is_match(text).map_err(|e| failure(&e, ""))
    }

    /// The first match at or behind `from`.
    fn find(
        &self,
        cx: &mut FuncCtx<'_>,
        text: &str,
        from: usize,
    ) -> Result<Option<(usize, usize)>, ValueError> {
        if let Some(long) = self.long(text.len()) {
            match long.find(text, from, |work| cx.work(work)) {
                Ok(found) => return Ok(found),
                Err(Stopped::Told(e)) => return Err(e),
                Err(Stopped::Undecided) => {}
            }
        }
        if text.len() >= LONG {
            return self.find_by_places(cx, text, from);
        }
        let found = self.regex.find_from_pos(text, from).map_err(|e| failure(&e, ""))?;
        Ok(found.map(|m| (m.start(), m.end())))
    }

    /// The same, asked at one place after the other, so that the statement can end between them: the library searches a whole
    /// text in one call, which takes minutes where each place looks ahead to the end.
    fn find_by_places(
        &self,
        cx: &mut FuncCtx<'_>,
        text: &str,
        mut at: usize,
    ) -> Result<Option<(usize, usize)>, ValueError> {
        let here = RegexInput::new(text).anchored(true);
        while at <= text.len() {
            cx.work(64 + text.len() - at)?;
            let found = self.regex.find_input(here.clone().from_pos(at));
            if let Some(m) = found.map_err(|e| failure(&e, ""))? {
                return Ok(Some((m.start(), m.end())));
            }
            at = next_char(text, at);
        }
        Ok(None)
    }
}

/// The matches of a text, one after the other: none is empty where the one before ended.
struct Matches {
    at: usize,
    end: Option<usize>,
}

impl Matches {
    fn new() -> Matches {
        Matches { at: 0, end: None }
    }

    fn next(
        &mut self,
        cx: &mut FuncCtx<'_>,
        call: &Call<'_>,
    ) -> Result<Option<(usize, usize)>, ValueError> {
        while self.at <= call.text.len() {
            let Some((a, b)) = call.pattern.find(cx, &call.text, self.at)? else { break };
            // What one match costs without any text.
            cx.work(64)?;
            if a == b && self.end == Some(b) {
                self.at = next_char(&call.text, b);
                continue;
            }
            (self.at, self.end) = (b, Some(b));
            return Ok(Some((a, b)));
        }
        Ok(None)
    }
}

/// The compiled pattern with the match type's letters: c, i, m (lines), n (dot takes newlines), u.
fn compile(
    cx: &mut FuncCtx<'_>,
    (pattern, text): (&str, &str),
    ignore_case: bool,
    letters: &str,
) -> Result<Arc<Pattern>, ValueError> {
    if pattern.is_empty() {
        return Err(numbered(errno::ER_REGEXP_ILLEGAL_ARGUMENT));
    }
    if pattern.len() > LONGEST_PATTERN {
        return Err(too_big());
    }
    let flags = Flags::of(ignore_case, letters)?;
    // Which letters of the text matter is a part of what was compiled.
    let folded = if flags.i { several(text) } else { Vec::new() };
    let known = cx.regex.as_ref().and_then(|p| p.clone().downcast::<Pattern>().ok());
    if let Some(known) = known.filter(|known| {
        let w = &known.written;
        w.pattern == pattern && w.flags == flags && same_letters(&w.folded, &folded)
    }) {
        return Ok(known);
    }
    check_braces(pattern)?;
    let classes = with_unicode_classes(pattern)?;
    let source = flags.put(&if flags.i { with_folds(&classes, &folded) } else { classes });
    let regex = fancy_regex::RegexBuilder::new(&source).backtrack_limit(STEP_LIMIT).build();
    let regex = regex.map_err(|e| failure(&e, pattern))?;
    let written = Written { pattern: pattern.to_string(), flags, folded };
    let built = Arc::new(Pattern { written, source, regex, long: OnceLock::new() });
    cx.regex = Some(built.clone());
    Ok(built)
}

/// Mostly there are none: to compare no bytes at no address takes a processor with wide registers a hundred nanoseconds.
fn same_letters(a: &[char], b: &[char]) -> bool {
    a.is_empty() && b.is_empty() || a == b
}

struct Call<'v> {
    text: Cow<'v, str>,
    pattern: Arc<Pattern>,
}

/// Text, pattern and match type; `None` when one is NULL.
fn prepare<'v>(
    cx: &mut FuncCtx<'_>,
    args: &'v [Value<'_>],
    match_type: usize,
) -> Result<Option<Call<'v>>, ValueError> {
    let c = super::string::collation_of(cx, &args[..2]);
    let (Some(text), Some(pattern)) = (args[0].as_string_lossy(), args[1].as_string_lossy()) else {
        return Ok(None);
    };
    let letters = match args.get(match_type) {
        Some(v) => match v.as_string_lossy() {
            Some(l) => l,
            None => return Ok(None),
        },
        None => Cow::Borrowed(""),
    };
    let folds = !c.is_bytewise() && !c.name().contains("_cs");
    let pattern = compile(cx, (&pattern, &text), folds, &letters)?;
    Ok(Some(Call { text, pattern }))
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
        return Err(ValueError::new(errno::ER_REGEXP_INDEX_OUTOFBOUNDS_ERROR, message));
    }
    Ok(text.char_indices().nth(position as usize - 1).map_or(text.len(), |(i, _)| i))
}

fn like(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(call) = prepare(cx, args, 2)? else { return Ok(Value::Null) };
    Ok(Value::bool(call.pattern.is_match(cx, &call.text)?))
}

/// The n-th match from a position on.
fn nth(
    cx: &mut FuncCtx<'_>,
    call: &Call<'_>,
    from: usize,
    n: i64,
) -> Result<Option<(usize, usize)>, ValueError> {
    let wanted = n.max(1) as usize - 1;
    let mut seen = 0;
    let mut matches = Matches::new();
    while let Some((a, b)) = matches.next(cx, call)? {
        if a < from {
            continue;
        }
        if seen == wanted {
            return Ok(Some((a, b)));
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
    if !matches!(end, 0 | 1) {
        let what = "regexp_instr: return_option must be 1 or 0.";
        return Err(ValueError::wrong_arguments(what));
    }
    let hit = nth(cx, &call, offset(&call.text, position)?, n)?;
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
    let hit = nth(cx, &call, offset(&call.text, position)?, n)?;
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
    let mut matches = Matches::new();
    while let Some((a, b)) = matches.next(cx, &call)? {
        if a < at {
            continue;
        }
        seen += 1;
        if n > 0 && seen != n {
            continue;
        }
        out.push_str(&call.text[at..a]);
        if to.contains(['$', '\\']) {
            let here = RegexInput::new(&*call.text).anchored(true).from_pos(a);
            let groups = call.pattern.regex.captures_input(here);
            match groups.map_err(|e| failure(&e, ""))? {
                Some(groups) => expand(&call.pattern.regex, &groups, &to, &mut out)?,
                None => out.push_str(&to),
            }
        } else {
            out.push_str(&to);
        }
        at = b;
        if super::string::too_big(cx, out.len(), "regexp_replace")? {
            return Ok(Value::Null);
        }
        if n > 0 {
            break;
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
        assert_eq!(call("REGEXP_LIKE", &[s("a"), s("(")]).expect_err("syntax").errno, 3691);
    }
}
