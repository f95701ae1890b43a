//! Constants of an IN list, found by hash. Going through them for each row is what makes long lists slow, and programs send lists of tens
//! of thousands.
//!
//! Invariants:
//! - What is kept says what comparing the items one by one says: it is made of whole numbers or of texts of one character set alone, which
//!   are compared in one way. All else is compared item by item.
//! - It is kept for a run of a statement, in which constants and parameters stay what they are. Expressions of programs, whose
//!   variables are parameters that change, keep nothing.
//! - It is made when a list is met for the second time: going through one once is cheaper, and a statement of a function may do so
//!   for each of many calls.

use super::frame::Frame;
use super::once::Kept;
use super::{Ev, compare_sides, eval};
use crate::func::aggregate::distinct_key;
use crate::memory::Held;
use crate::query::expr::compared::is_settled;
use crate::query::expr::{BExpr, ListId, Node};
use crate::value::cast::CastTarget;
use crate::value::compare::{CompareRule, is_date, type_of};
use crate::value::key_hash::KeyHash;
use crate::value::{Collation, SqlType, TypeInfo, Value, ValueError};
use std::borrow::Cow;
use std::cmp::Ordering as Order;
use std::collections::{HashMap, HashSet};

/// Bytes that an item takes in a set at most, without its text: an entry, half as much again for its table's free places, and twice
/// that while the table grows.
const ENTRY: usize = 3 * (size_of::<i128>() + size_of::<Vec<u8>>());

/// Shorter lists are compared item by item. To compare two texts takes longer than to compare two numbers.
const SHORT: usize = 8;
const SHORT_OF_TEXTS: usize = 3;
/// Texts whose answer is kept, each at the place that its bytes say.
const ASKED: usize = 64;

/// The lists that a run has met, and the constant texts that it has warned of; none where they may change.
#[derive(Default)]
pub struct Lists(Option<HashMap<u64, Met>>, Vec<usize>, Kept);

impl Lists {
    /// For a run in which parameters do not change.
    pub fn kept() -> Lists {
        Lists(Some(HashMap::new()), Vec::new(), Kept::default())
    }

    /// The constants of the run, where they stay what they are.
    pub fn once(&mut self) -> Option<&mut Kept> {
        self.0.is_some().then_some(&mut self.2)
    }

    /// Whether a constant has been compared with a number before in this run: MySQL makes the number of its text once.
    pub fn has_told(&mut self, constant: &BExpr) -> bool {
        let place = std::ptr::from_ref(constant).addr();
        let known = self.1.contains(&place);
        if !known && self.0.is_some() {
            self.1.push(place);
        }
        known
    }
}

enum Met {
    Once,
    /// Its items are of several kinds, or the session may not take the memory.
    ItemByItem,
    ByHash(Box<Known>),
}

/// A list's items.
struct Known {
    set: Set,
    has_null: bool,
    _held: Held,
}

enum Set {
    /// `signed`: there is no unsigned one, so any rule compares them as they are.
    Ints { set: HashSet<i128, KeyHash>, signed: bool },
    Texts {
        set: HashSet<Vec<u8>, KeyHash>,
        compared_in: Collation,
        /// Short texts that were asked for, and whether they are among them: most columns have few texts, and weighing one takes a while.
        asked: Vec<(Vec<u8>, bool)>,
    },
}

/// Longer texts are weighed each time.
const SHORT_TEXT: usize = 32;

/// The place of a short text.
fn place(text: &[u8]) -> usize {
    let byte = |at: usize| usize::from(*text.get(at).unwrap_or(&0));
    (text.len() + 7 * byte(0) + 31 * byte(text.len() / 2) + 3 * byte(text.len().saturating_sub(1)))
        % ASKED
}

/// Is a text in a set of weights?
fn has_text(
    set: &HashSet<Vec<u8>, KeyHash>,
    asked: &mut Vec<(Vec<u8>, bool)>,
    (text, compared_in): (&[u8], Collation),
) -> bool {
    let find = |text: &[u8]| set.contains(&text_key(text, compared_in));
    if text.len() > SHORT_TEXT {
        return find(text);
    }
    if asked.is_empty() {
        asked.resize(ASKED, (Vec::new(), find(b"")));
    }
    let (known, answer) = &mut asked[place(text)];
    if known != text {
        *answer = find(text);
        known.clear();
        known.extend_from_slice(text);
    }
    *answer
}

type List = [(Option<CompareRule>, BExpr)];

/// Whether a value is among the items; `None`: not known, beside NULL.
pub fn holds(
    (id, list): (ListId, &List),
    (left, x): (&BExpr, &Value<'_>),
    f: &Frame<'_>,
    ev: &mut Ev<'_>,
) -> Result<Option<bool>, ValueError> {
    if x.is_null() {
        return Ok(None);
    }
    if let Some(found) = find((id, list), (left, x), f, ev) {
        return Ok(found);
    }
    let mut unknown = false;
    for (rule, item) in list {
        let y = eval(item, f, ev)?;
        // A constant that is no date is nothing that a DATE is equal to, and is left out of the list.
        if matches!(x, Value::Date(_)) && y.is_string() && is_settled(item) && !is_date(&y, &ev.cx)
        {
            ev.cx.warnings.truncated("date", y.as_bytes().unwrap_or_default());
            continue;
        }
        match compare_sides(left, x, item, &y, *rule, ev)? {
            Some(Order::Equal) => return Ok(Some(true)),
            None => unknown = true,
            Some(_) => {}
        }
    }
    Ok((!unknown).then_some(false))
}

/// Whether a value that is not NULL is among the items: `Some(None)` if that is not known, `None` if they have to be compared.
fn find(
    (id, list): (ListId, &List),
    (left, x): (&BExpr, &Value<'_>),
    f: &Frame<'_>,
    ev: &mut Ev<'_>,
) -> Option<Option<bool>> {
    let short = match x {
        Value::Int(_) | Value::UInt(_) => SHORT,
        Value::Str(..) => SHORT_OF_TEXTS,
        _ => return None,
    };
    if list.len() < short {
        return None;
    }
    match ev.lists.0.as_ref()?.get(&id.0) {
        None => {
            ev.lists.0.as_mut()?.insert(id.0, Met::Once);
            return None;
        }
        Some(Met::Once) => {
            let known = known(list, (left, x), f, ev).map(Box::new);
            ev.lists.0.as_mut()?.insert(id.0, known.map_or(Met::ItemByItem, Met::ByHash));
        }
        Some(Met::ItemByItem | Met::ByHash(_)) => {}
    }
    let Some(Met::ByHash(known)) = ev.lists.0.as_mut()?.get_mut(&id.0) else { return None };
    let rule = list[0].0;
    let found = match (&mut known.set, x) {
        (Set::Ints { set, signed }, Value::Int(n)) if *signed || is_of_integers(rule) => {
            set.contains(&i128::from(*n))
        }
        (Set::Ints { set, .. }, Value::UInt(n)) if is_of_integers(rule) => {
            set.contains(&i128::from(*n))
        }
        (Set::Texts { set, compared_in, asked }, Value::Str(b, own))
            if same_set(*own, *compared_in) =>
        {
            has_text(set, asked, (b, *compared_in))
        }
        _ => return None,
    };
    Some(if found { Some(true) } else { (!known.has_null).then_some(false) })
}

fn is_of_integers(rule: Option<CompareRule>) -> bool {
    matches!(rule, None | Some(CompareRule::Int))
}

fn same_set(a: Collation, b: Collation) -> bool {
    a.charset() == b.charset()
}

fn text_key(text: &[u8], collation: Collation) -> Vec<u8> {
    let mut key = Vec::new();
    distinct_key(&Value::Str(Cow::Borrowed(text), collation), &mut key);
    key
}

/// What is known of an expression once its value is there.
pub fn info_at_run(e: &BExpr, v: &Value<'_>) -> TypeInfo {
    if e.info.ty == SqlType::Null { TypeInfo::new(type_of(v), true) } else { e.info }
}

/// The items by hash, where all of them are constants of one kind that are compared by one rule.
fn known(
    list: &List,
    (left, x): (&BExpr, &Value<'_>),
    f: &Frame<'_>,
    ev: &mut Ev<'_>,
) -> Option<Known> {
    let (first, one) = &list[0];
    let mut has_null = false;
    let mut held = Held::default();
    held.grow(ev.cx.session.memory(), list.len() * ENTRY).ok()?;
    let mut values = Vec::with_capacity(list.len());
    for (rule, item) in list {
        let alike = rule == first && item.info.coercibility == one.info.coercibility;
        if !alike || !is_constant(item) {
            return None;
        }
        match eval(item, f, ev).ok()? {
            Value::Null => has_null = true,
            v => values.push(v),
        }
    }
    let set = match x {
        Value::Str(..) => texts(&values, *first, (left, x), one, (&mut held, ev))?,
        _ => ints(&values)?,
    };
    Some(Known { set, has_null, _held: held })
}

/// Is it the same for all rows? A text may be put into the set and under the collation that it is compared in.
fn is_constant(item: &BExpr) -> bool {
    match &item.node {
        Node::Const(_) | Node::Param(_) => true,
        Node::Collate(_, text) | Node::Cast(CastTarget::Char { .. }, text) => is_constant(text),
        _ => false,
    }
}

fn ints(values: &[Value<'_>]) -> Option<Set> {
    let mut signed = true;
    let number = |v: &Value<'_>| match v {
        Value::Int(n) => Some(i128::from(*n)),
        Value::UInt(n) => {
            signed = false;
            Some(i128::from(*n))
        }
        _ => None,
    };
    let set = values.iter().map(number).collect::<Option<HashSet<_, _>>>()?;
    Some(Set::Ints { set, signed })
}

fn texts(
    values: &[Value<'_>],
    rule: Option<CompareRule>,
    (left, x): (&BExpr, &Value<'_>),
    one: &BExpr,
    (held, ev): (&mut Held, &Ev<'_>),
) -> Option<Set> {
    let first = values.first()?;
    let rule = match rule {
        Some(rule) => rule,
        None => CompareRule::of(&info_at_run(left, x), &info_at_run(one, first), "=").ok()?,
    };
    let CompareRule::Text(compared_in) = rule else { return None };
    let own = first.collation()?;
    let memory = ev.cx.session.memory();
    let key = |v: &Value<'_>| match v {
        Value::Str(b, c) if *c == own && same_set(own, compared_in) => {
            let key = text_key(b, compared_in);
            held.grow(memory, key.capacity()).ok()?;
            Some(key)
        }
        _ => None,
    };
    let set = values.iter().map(key).collect::<Option<HashSet<_, _>>>()?;
    Some(Set::Texts { set, compared_in, asked: Vec::new() })
}
