//! Optimizer hints of a block that choose the order of its joins, its indexes, and whether rows are kept. The other hints name algorithms of
//! another optimizer, and choose nothing here; names of tables and indexes in them are looked at all the same.
//!
//! A hint that names what there is not is left out with a warning, as in MySQL, and so is one that contradicts one before it. One that goes against an outer
//! join gives way to that in silence, as there. Hints that speak of another block (`@name`) do nothing.

use super::Binder;
use super::hints::{Hint, HintError, parse};
use crate::errno;
use crate::meta::same_name;
use crate::query::plan::deprecated::Deprecated;
use crate::query::plan::raw::Raw;
use crate::query::plan::{Source, TableSlot};

const UNRESOLVED: u16 = errno::ER_UNRESOLVED_HINT_NAME;
const NO_SUCH_BLOCK: u16 = errno::ER_WARN_UNKNOWN_QB_NAME;
const CONFLICT: u16 = errno::ER_WARN_CONFLICTING_HINT;
const NO_RESOURCE_GROUP: u16 = errno::ER_RESOURCE_GROUP_NOT_EXISTS;

/// Hints with the name of a table behind which names of indexes may stand.
const OF_INDEXES: [&str; 16] = [
    "INDEX",
    "NO_INDEX",
    "JOIN_INDEX",
    "NO_JOIN_INDEX",
    "GROUP_INDEX",
    "NO_GROUP_INDEX",
    "ORDER_INDEX",
    "NO_ORDER_INDEX",
    "INDEX_MERGE",
    "NO_INDEX_MERGE",
    "MRR",
    "NO_MRR",
    "NO_ICP",
    "NO_RANGE_OPTIMIZATION",
    "SKIP_SCAN",
    "NO_SKIP_SCAN",
];

/// Hints with names of tables.
const OF_TABLES: [&str; 10] = [
    "BKA",
    "NO_BKA",
    "BNL",
    "NO_BNL",
    "HASH_JOIN",
    "NO_HASH_JOIN",
    "MERGE",
    "NO_MERGE",
    "DERIVED_CONDITION_PUSHDOWN",
    "NO_DERIVED_CONDITION_PUSHDOWN",
];

/// What has been obeyed so far, which later hints may contradict.
#[derive(Default)]
struct Obeyed {
    fixed: bool,
    ordered: Vec<&'static str>,
    indexed: u64,
}

impl Binder<'_> {
    /// Obeys the hints of the block at hand, whose tables are bound.
    pub fn obey_hints(&mut self, text: Option<&str>, raw: &mut Raw, tables: &[TableSlot]) {
        let Some(text) = text else { return };
        let (hints, error) = parse(text);
        let own = hints.iter().find(|h| h.name == "QB_NAME").and_then(|h| h.words.first());
        let own = own.map(|w| w.name.clone());
        let mut done = Obeyed::default();
        for hint in &hints {
            match &hint.block {
                Some(b) if own.as_ref().is_some_and(|o| same_name(o, b)) => {}
                // `select#1` and its like are MySQL's own names of blocks.
                Some(b) if b.starts_with("select#") => continue,
                Some(b) => {
                    let text =
                        format!("Query block name `{b}` is not found for {} hint", hint.name);
                    self.unless_elsewhere(b, NO_SUCH_BLOCK, text);
                    continue;
                }
                None => {}
            }
            self.obey(hint, &mut done, raw, tables);
        }
        if let Some(HintError { near }) = error {
            let text = format!("Optimizer hint syntax error near '{near} */' at line 1");
            self.deprecated(Deprecated::Hint(errno::ER_PARSE_ERROR, text.into()));
        }
    }

    /// Remembers the name that QB_NAME gives to the block, for the hints of those within it.
    pub fn name_block(&mut self, text: Option<&str>) {
        let named = text.map(parse).into_iter().flat_map(|(hints, _)| hints);
        let named =
            named.filter(|h| h.name == "QB_NAME").filter_map(|h| h.words.into_iter().next());
        self.block_names.extend(named.map(|w| w.name));
    }

    /// A block of the name may be further in: nobody is warned of what is.
    fn unless_elsewhere(&mut self, block: &str, errno: u16, text: String) {
        if !self.block_names.iter().any(|n| same_name(n, block)) {
            self.deprecated(Deprecated::Hint(errno, text.into()));
        }
    }

    fn obey(&mut self, hint: &Hint, done: &mut Obeyed, raw: &mut Raw, tables: &[TableSlot]) {
        match hint.name.as_str() {
            "JOIN_FIXED_ORDER" if !done.ordered.is_empty() => self.conflict("JOIN_FIXED_ORDER( )"),
            "JOIN_FIXED_ORDER" => {
                (done.fixed, raw.straight) = (true, true);
            }
            "JOIN_ORDER" => self.order(hint, "JOIN_ORDER", done, raw, tables),
            "JOIN_PREFIX" => self.order(hint, "JOIN_PREFIX", done, raw, tables),
            "JOIN_SUFFIX" => self.order(hint, "JOIN_SUFFIX", done, raw, tables),
            name if OF_TABLES.contains(&name) => {
                let place = format!("@`select#{}`", self.stack.len());
                let named = self.slots_of(hint, &place, tables);
                let all = match hint.words.is_empty() {
                    true => u64::MAX,
                    false => named.into_iter().fold(0, |bits, of| bits | of),
                };
                if matches!(name, "NO_BNL" | "NO_HASH_JOIN") {
                    raw.unkept |= all;
                }
                if name == "NO_DERIVED_CONDITION_PUSHDOWN" {
                    raw.unpushed |= all;
                }
            }
            name if OF_INDEXES.contains(&name) => self.indexes(hint, done, raw, tables),
            "RESOURCE_GROUP" => {
                let name = hint.words.first().map_or("", |w| &w.name);
                let text = format!("Resource Group '{name}' does not exist.");
                self.deprecated(Deprecated::Hint(NO_RESOURCE_GROUP, text.into()));
            }
            _ => {}
        }
    }

    fn conflict(&mut self, hint: &str) {
        let text = format!("Hint {hint} is ignored as conflicting/duplicated");
        self.deprecated(Deprecated::Hint(CONFLICT, text.into()));
    }

    /// The tables, as bits, that a name of the block stands for: those of a merged view are several.
    fn slots(&self, name: &str, tables: &[TableSlot]) -> u64 {
        let scope = &self.top().scope;
        let named = |t: &usize| same_name(&scope.owner(*t).alias, name);
        (0..tables.len()).filter(named).fold(0, |bits, t| bits | 1 << t)
    }

    /// The tables that a hint names, in its order; one that does not exist raises a warning, with `place` after its name.
    fn slots_of(&mut self, hint: &Hint, place: &str, tables: &[TableSlot]) -> Vec<u64> {
        let mut out = Vec::new();
        for word in &hint.words {
            // A table of another block has its place there.
            if word.block.is_some() {
                continue;
            }
            match self.slots(&word.name, tables) {
                0 => {
                    let (name, hint) = (&word.name, &hint.name);
                    let text = format!("Unresolved name `{name}`{place} for {hint} hint");
                    self.deprecated(Deprecated::Hint(UNRESOLVED, text.into()));
                }
                bits => out.push(bits),
            }
        }
        out
    }

    fn order(
        &mut self,
        hint: &Hint,
        name: &'static str,
        done: &mut Obeyed,
        raw: &mut Raw,
        tables: &[TableSlot],
    ) {
        let again = name != "JOIN_ORDER" && done.ordered.contains(&name);
        if done.fixed || again {
            let of: Vec<String> = hint.words.iter().map(|w| format!(" `{}`", w.name)).collect();
            return self.conflict(&format!("{name}({})", of.join(",")));
        }
        done.ordered.push(name);
        let named = self.slots_of(hint, "", tables);
        let all = named.iter().fold(0, |bits, of| bits | of);
        let others = |t: &usize| all & (1 << t) == 0;
        let mut before = 0;
        for bits in named {
            behind(raw, bits, before, tables.len());
            before |= bits;
        }
        let rest = (0..tables.len()).filter(others).fold(0, |bits, t| bits | 1u64 << t);
        match name {
            "JOIN_PREFIX" => behind(raw, rest, all, tables.len()),
            "JOIN_SUFFIX" => behind(raw, all, rest, tables.len()),
            _ => {}
        }
    }

    fn indexes(&mut self, hint: &Hint, done: &mut Obeyed, raw: &mut Raw, tables: &[TableSlot]) {
        let Some((table, names)) = hint.words.split_first() else { return };
        let number = self.stack.len();
        let shown = format!("`{}`@`select#{number}`", table.name);
        let wrong = |b: &mut Self, what: String| {
            let text = format!("Unresolved name {what} for {} hint", hint.name);
            b.deprecated(Deprecated::Hint(UNRESOLVED, text.into()));
        };
        if table.block.is_some() {
            return;
        }
        let bits = self.slots(&table.name, tables);
        let t = bits.trailing_zeros() as usize;
        let Some(Source::Table(of)) = tables.get(t).map(|slot| &slot.source) else {
            wrong(self, shown.clone());
            names.iter().for_each(|n| wrong(self, format!("{shown} `{}`", n.name)));
            return;
        };
        let no = hint.name.starts_with("NO_");
        if hint.name.ends_with("INDEX_MERGE") {
            match no {
                true => raw.unmerged |= bits,
                false => raw.merged |= bits,
            }
        }
        if hint.name.ends_with("SKIP_SCAN") {
            match no {
                true => raw.unskipped |= bits,
                false => raw.skipped |= bits,
            }
        }
        // Those for GROUP BY and ORDER BY alone choose no access to rows, and MRR and its like are ways that are not gone here.
        let chooses = matches!(&*hint.name, "INDEX" | "NO_INDEX" | "JOIN_INDEX" | "NO_JOIN_INDEX");
        let mut engine = Vec::new();
        for n in names {
            let primary = n.name.eq_ignore_ascii_case("PRIMARY");
            match of.meta.index(if primary { "PRIMARY" } else { &n.name }) {
                Some(i) => engine.push(of.engine_indexes[i]),
                None => wrong(self, format!("{shown} `{}`", n.name)),
            }
        }
        if !chooses || (engine.is_empty() && !names.is_empty()) {
            return;
        }
        if done.indexed & bits != 0 {
            let list: Vec<String> = names.iter().map(|n| format!(" `{}`", n.name)).collect();
            return self.conflict(&format!("{}(`{}` {})", hint.name, table.name, list.join(",")));
        }
        done.indexed |= bits;
        let all = || of.engine_indexes.clone();
        let usable = match (no, names.is_empty()) {
            (true, true) => Vec::new(),
            (true, false) => all().into_iter().filter(|i| !engine.contains(i)).collect(),
            (false, true) => all(),
            (false, false) => engine,
        };
        // What the table's own USE INDEX says does not count any more.
        raw.forced &= !bits;
        if !no {
            raw.forced |= bits;
        }
        raw.usable[t] = Some(usable);
    }
}

/// Puts tables behind others, except for those that are before them already.
fn behind(raw: &mut Raw, tables: u64, before: u64, count: usize) {
    for t in (0..count).filter(|t| tables & (1 << t) != 0) {
        for other in (0..count).filter(|o| before & (1 << o) != 0) {
            if !reaches(raw, other, t, count) {
                raw.put_behind(t, 1 << other);
            }
        }
    }
}

/// Whether table `t` is behind `other`, by however many steps.
fn reaches(raw: &Raw, t: usize, other: usize, count: usize) -> bool {
    let mut all = 1u64 << t;
    loop {
        let of = |n: usize| raw.behind.get(n).copied().unwrap_or(0);
        let next = (0..count).filter(|n| all & (1 << n) != 0).fold(all, |bits, n| bits | of(n));
        if next == all {
            return all & (1 << other) != 0;
        }
        all = next;
    }
}
