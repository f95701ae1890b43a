//! JSON Schema, draft 4: the keywords that say what a value must be.
//!
//! `$ref` leads to places within the schema (`#/definitions/x`); others, in files and the net, are refused. A schema that leads in a
//! circle without looking deeper into the document ends at a fixed depth, with the error of documents that are nested too deep.

use crate::errno;
use crate::value::json::{self, Item, MAX_DEPTH, View};
use crate::value::{EvalCtx, ValueError};
use fancy_regex::Regex;
use std::cell::RefCell;
use std::collections::HashMap;

/// The first requirement that a document does not meet.
#[derive(Debug, Clone, PartialEq)]
pub struct Broken {
    pub keyword: &'static str,
    /// Where in the schema, as a URI fragment.
    pub schema: String,
    pub document: String,
}

pub struct Schema<'a> {
    root: View<'a>,
    /// The patterns met so far, compiled. None: it is no pattern.
    patterns: RefCell<HashMap<&'a [u8], Option<Regex>>>,
}

/// Where the check is, in both documents.
#[derive(Clone)]
struct At {
    schema: String,
    document: String,
    depth: usize,
}

impl At {
    fn deeper(&self, schema: &[&[u8]], document: Option<String>) -> At {
        let mut at = self.clone();
        for step in schema {
            at.schema.push('/');
            at.schema.push_str(&String::from_utf8_lossy(step));
        }
        if let Some(step) = document {
            at.document.push('/');
            at.document.push_str(&step);
        }
        at.depth += 1;
        at
    }

    fn breaks(&self, keyword: &'static str) -> Checked {
        let (schema, document) = (self.schema.clone(), self.document.clone());
        Ok(Some(Broken { keyword, schema, document }))
    }
}

/// None: nothing is broken.
type Checked = Result<Option<Broken>, ValueError>;

fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

fn count(v: View<'_>) -> Option<usize> {
    match v.item() {
        Item::Int(n) => usize::try_from(n).ok(),
        Item::UInt(n) => usize::try_from(n).ok(),
        Item::Double(x) if x >= 0.0 && x == x.trunc() => Some(x as usize),
        _ => None,
    }
}

fn is_true(v: Option<View<'_>>) -> bool {
    matches!(v.map(View::item), Some(Item::Bool(true)))
}

fn number(v: View<'_>) -> Option<f64> {
    match v.item() {
        Item::Int(n) => Some(n as f64),
        Item::UInt(n) => Some(n as f64),
        Item::Double(x) => Some(x),
        Item::Decimal(d) => Some(d.to_f64()),
        _ => None,
    }
}

fn is_type(v: View<'_>, name: &[u8]) -> bool {
    match (name, v.item()) {
        (b"object", Item::Object)
        | (b"array", Item::Array)
        | (b"boolean", Item::Bool(_))
        | (b"null", Item::Null)
        | (b"integer", Item::Int(_) | Item::UInt(_)) => true,
        (b"integer", Item::Double(x)) => x == x.trunc(),
        (b"number", _) => number(v).is_some(),
        (b"string", item) => {
            !matches!(item, Item::Object | Item::Array | Item::Bool(_) | Item::Null)
                && number(v).is_none()
        }
        _ => false,
    }
}

/// Bytes of work for each byte of a pattern that is compiled, roughly.
const COMPILING: usize = 256;

impl<'a> Schema<'a> {
    pub fn new(root: View<'a>) -> Schema<'a> {
        Schema { root, patterns: RefCell::default() }
    }

    pub fn check(&self, v: View<'_>, cx: &mut EvalCtx<'_>) -> Checked {
        let at = At { schema: "#".into(), document: "#".into(), depth: 0 };
        self.value(self.root, v, &at, cx)
    }

    /// Whether a text has a match. None: the pattern is not one.
    fn matches(
        &self,
        pattern: &'a [u8],
        text: &[u8],
        cx: &mut EvalCtx<'_>,
    ) -> Result<Option<bool>, ValueError> {
        cx.work(64 + pattern.len() + text.len())?;
        let mut patterns = self.patterns.borrow_mut();
        if !patterns.contains_key(pattern) {
            cx.work(COMPILING * pattern.len())?;
            let text = std::str::from_utf8(pattern).ok();
            patterns.insert(pattern, text.and_then(|p| Regex::new(p).ok()));
        }
        let Some(Some(regex)) = patterns.get(pattern) else { return Ok(None) };
        let text = std::str::from_utf8(text).ok();
        Ok(Some(text.is_some_and(|t| regex.is_match(t).unwrap_or(false))))
    }

    fn value(&self, s: View<'a>, v: View<'_>, at: &At, cx: &mut EvalCtx<'_>) -> Checked {
        cx.work(256)?;
        if at.depth > 2 * MAX_DEPTH {
            return Err(json::too_deep());
        }
        if let Some(Item::Str(to)) = s.member(b"$ref").map(View::item) {
            let Some(target) = self.reference(to)? else { return Ok(None) };
            return self.value(target, v, &At { schema: shown(to), ..at.deeper(&[], None) }, cx);
        }
        if let Some(b) = self.kind(s, v, at)? {
            return Ok(Some(b));
        }
        let own = match v.item() {
            Item::Object => self.object(s, v, at, cx)?,
            Item::Array => self.array(s, v, at, cx)?,
            Item::Str(text) => self.text(s, text, at, cx)?,
            _ => self.number(s, v, at)?,
        };
        match own {
            Some(b) => Ok(Some(b)),
            None => self.combined(s, v, at, cx),
        }
    }

    /// A place in the schema. None: there is no such place, which demands nothing.
    fn reference(&self, to: &[u8]) -> Result<Option<View<'a>>, ValueError> {
        let Some(path) = to.strip_prefix(b"#") else {
            return Err(ValueError::of(
                errno::ER_NOT_SUPPORTED_YET,
                &[&"references in JSON Schema"],
            ));
        };
        let mut at = self.root;
        for step in path.split(|b| *b == b'/').filter(|s| !s.is_empty()) {
            let name = shown(step).replace("~1", "/").replace("~0", "~");
            let element = || name.parse().ok().filter(|i| at.is_array() && *i < at.len());
            let next = at.member(name.as_bytes()).or_else(|| element().map(|i| at.element(i)));
            let Some(next) = next else { return Ok(None) };
            at = next;
        }
        Ok(at.is_object().then_some(at))
    }

    /// `type` and `enum`.
    fn kind(&self, s: View<'_>, v: View<'_>, at: &At) -> Checked {
        if let Some(ty) = s.member(b"type") {
            let is = |t: View<'_>| matches!(t.item(), Item::Str(name) if is_type(v, name));
            let fits = if ty.is_array() { ty.elements().any(is) } else { is(ty) };
            if !fits {
                return at.breaks("type");
            }
        }
        if let Some(list) = s.member(b"enum")
            && !list.elements().any(|e| json::compare(e, v).is_eq())
        {
            return at.breaks("enum");
        }
        Ok(None)
    }

    fn number(&self, s: View<'_>, v: View<'_>, at: &At) -> Checked {
        let Some(x) = number(v) else { return Ok(None) };
        let beyond = |limit: &[u8], exclusive: &[u8], want: std::cmp::Ordering| {
            let Some(limit) = s.member(limit).filter(|l| number(*l).is_some()) else {
                return false;
            };
            let order = json::compare(v, limit);
            order == want || order.is_eq() && is_true(s.member(exclusive))
        };
        if beyond(b"minimum", b"exclusiveMinimum", std::cmp::Ordering::Less) {
            return at.breaks("minimum");
        }
        if beyond(b"maximum", b"exclusiveMaximum", std::cmp::Ordering::Greater) {
            return at.breaks("maximum");
        }
        match s.member(b"multipleOf").and_then(number).filter(|m| *m > 0.0) {
            Some(m) if (x / m - (x / m).round()).abs() > 1e-9 => at.breaks("multipleOf"),
            _ => Ok(None),
        }
    }

    fn text(&self, s: View<'a>, text: &[u8], at: &At, cx: &mut EvalCtx<'_>) -> Checked {
        let chars = || String::from_utf8_lossy(text).chars().count();
        if s.member(b"minLength").and_then(count).is_some_and(|n| chars() < n) {
            return at.breaks("minLength");
        }
        if s.member(b"maxLength").and_then(count).is_some_and(|n| chars() > n) {
            return at.breaks("maxLength");
        }
        match s.member(b"pattern").map(View::item) {
            // A pattern that is not one demands nothing.
            Some(Item::Str(p)) if self.matches(p, text, cx)? == Some(false) => at.breaks("pattern"),
            _ => Ok(None),
        }
    }

    fn array(&self, s: View<'a>, v: View<'_>, at: &At, cx: &mut EvalCtx<'_>) -> Checked {
        if s.member(b"minItems").and_then(count).is_some_and(|n| v.len() < n) {
            return at.breaks("minItems");
        }
        if s.member(b"maxItems").and_then(count).is_some_and(|n| v.len() > n) {
            return at.breaks("maxItems");
        }
        if is_true(s.member(b"uniqueItems")) {
            let mut all: Vec<View<'_>> = v.elements().collect();
            all.sort_by(|a, b| json::compare(*a, *b));
            if all.windows(2).any(|w| json::compare(w[0], w[1]).is_eq()) {
                return at.breaks("uniqueItems");
            }
        }
        let items = s.member(b"items");
        let listed = items.filter(|i| i.is_array());
        let known = listed.map_or(0, View::len);
        if listed.is_some() && v.len() > known {
            let more = s.member(b"additionalItems").map(View::item);
            if matches!(more, Some(Item::Bool(false))) {
                return at.breaks("additionalItems");
            }
        }
        for (i, e) in v.elements().enumerate() {
            let schema = match (items, listed) {
                (_, Some(list)) if i < known => Some((list.element(i), &b"items"[..])),
                (_, Some(_)) => s.member(b"additionalItems").map(|s| (s, &b"additionalItems"[..])),
                (Some(one), None) => Some((one, &b"items"[..])),
                (None, None) => None,
            };
            if let Some((schema, step)) = schema.filter(|(s, _)| s.is_object()) {
                let at = at.deeper(&[step], Some(i.to_string()));
                if let Some(b) = self.value(schema, e, &at, cx)? {
                    return Ok(Some(b));
                }
            }
        }
        Ok(None)
    }

    fn object(&self, s: View<'a>, v: View<'_>, at: &At, cx: &mut EvalCtx<'_>) -> Checked {
        if s.member(b"minProperties").and_then(count).is_some_and(|n| v.len() < n) {
            return at.breaks("minProperties");
        }
        if s.member(b"maxProperties").and_then(count).is_some_and(|n| v.len() > n) {
            return at.breaks("maxProperties");
        }
        let absent = |list: View<'_>| {
            list.elements().any(|n| matches!(n.item(), Item::Str(n) if v.member(n).is_none()))
        };
        if s.member(b"required").is_some_and(absent) {
            return at.breaks("required");
        }
        for (name, needs) in s.member(b"dependencies").into_iter().flat_map(View::members) {
            if v.member(name).is_none() {
                continue;
            }
            if needs.is_array() && absent(needs) {
                return at.breaks("dependencies");
            }
            if needs.is_object()
                && let Some(b) =
                    self.value(needs, v, &at.deeper(&[b"dependencies", name], None), cx)?
            {
                return Ok(Some(b));
            }
        }
        for (name, value) in v.members() {
            if let Some(b) = self.property(s, name, value, at, cx)? {
                return Ok(Some(b));
            }
        }
        Ok(None)
    }

    /// One member, by its name, by patterns, or as an additional one.
    fn property(
        &self,
        s: View<'a>,
        name: &[u8],
        value: View<'_>,
        at: &At,
        cx: &mut EvalCtx<'_>,
    ) -> Checked {
        let mut known = false;
        let named = s.member(b"properties").and_then(|p| p.member(name));
        let mut by_pattern = Vec::new();
        for (p, schema) in s.member(b"patternProperties").into_iter().flat_map(View::members) {
            if self.matches(p, name, cx)? == Some(true) {
                by_pattern.push((p, schema));
            }
        }
        let all = named.map(|s| (&b"properties"[..], name, s)).into_iter();
        for (list, step, schema) in
            all.chain(by_pattern.into_iter().map(|(p, s)| (&b"patternProperties"[..], p, s)))
        {
            known = true;
            let at = at.deeper(&[list, step], Some(shown(name)));
            if let Some(b) = self.value(schema, value, &at, cx)? {
                return Ok(Some(b));
            }
        }
        match s.member(b"additionalProperties").filter(|_| !known) {
            Some(more) if more.is_object() => {
                let at = at.deeper(&[b"additionalProperties"], Some(shown(name)));
                self.value(more, value, &at, cx)
            }
            Some(more) if matches!(more.item(), Item::Bool(false)) => {
                at.breaks("additionalProperties")
            }
            _ => Ok(None),
        }
    }

    /// `allOf`, `anyOf`, `oneOf` and `not`.
    fn combined(&self, s: View<'a>, v: View<'_>, at: &At, cx: &mut EvalCtx<'_>) -> Checked {
        let deeper =
            |keyword: &[u8], i: usize| at.deeper(&[keyword, i.to_string().as_bytes()], None);
        for (i, one) in s.member(b"allOf").into_iter().flat_map(View::elements).enumerate() {
            if let Some(b) = self.value(one, v, &deeper(b"allOf", i), cx)? {
                return Ok(Some(b));
            }
        }
        for (keyword, one_only) in [(&b"anyOf"[..], false), (b"oneOf", true)] {
            let Some(list) = s.member(keyword) else { continue };
            let mut met = 0;
            for (i, one) in list.elements().enumerate() {
                met += usize::from(self.value(one, v, &deeper(keyword, i), cx)?.is_none());
            }
            if met == 0 || one_only && met > 1 {
                return at.breaks(if one_only { "oneOf" } else { "anyOf" });
            }
        }
        if let Some(other) = s.member(b"not")
            && self.value(other, v, &at.deeper(&[b"not"], None), cx)?.is_none()
        {
            return at.breaks("not");
        }
        Ok(None)
    }
}
