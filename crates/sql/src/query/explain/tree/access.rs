//! How one table is read, as a line of the tree.

use super::Trees;
use crate::query::expr::keyed::Keyed;
use crate::query::expr::usable::Alt;
use crate::query::expr::{BExpr, CmpOp};
use crate::query::plan::index_merge::{IndexMerge, MergeKind};
use crate::query::plan::key::{Key, Search};
use crate::query::plan::profile::{Branch, Part, place};
use crate::query::plan::{Access, Block, Source, Step, TableSlot};

/// So many ranges are written out; of more the first two.
const RANGES: usize = 3;

fn index_name(key: &Key) -> &str {
    &key.table.engine.def.indexes[key.index].name
}

fn backwards(reverse: bool) -> &'static str {
    if reverse { " (reverse)" } else { "" }
}

/// Whose rows an `IN (SELECT ...)` is looked for in.
fn name_of(slot: &TableSlot, number: i64) -> String {
    match slot.of_in {
        true => format!("<subquery{number}>"),
        false => slot.alias.to_string(),
    }
}

/// A name at the head of a sentence.
fn capital(covering: &str, what: &str) -> String {
    match covering {
        "" => what.to_owned(),
        _ => {
            let mut rest = what.chars();
            let first = rest.next().map(|c| c.to_lowercase().to_string()).unwrap_or_default();
            format!("{covering} {first}{}", rest.as_str())
        }
    }
}

impl<'p> Trees<'p> {
    /// The line of a step's table, over what the table is made of.
    pub(super) fn read(&mut self, b: &'p Block, step: &'p Step) -> Branch {
        let slot = &b.tables[step.table];
        let derived = self.note.scopes.last().and_then(|s| s.derived.get(step.table));
        let table = name_of(slot, derived.copied().unwrap_or(0));
        let covering = if step.index_only.is_some() { "Covering" } else { "" };
        let mut under = Vec::new();
        let what = match (&step.access, &slot.source) {
            (Access::Scan { index: 0, reverse }, Source::Table(_)) => {
                format!("Table scan on {table}{}", backwards(*reverse))
            }
            (Access::Scan { index, reverse }, Source::Table(t)) => {
                let name = &t.engine.def.indexes[*index].name;
                let scan = capital(covering, "Index scan");
                format!("{scan} on {table} using {name}{}", backwards(*reverse))
            }
            (Access::Point(key), _) => {
                let covers = if covering.is_empty() { "" } else { "covering " };
                let by = self.searched(key);
                format!("Single-row {covers}index lookup on {table} using {} {by}", index_name(key))
            }
            (Access::Ranges { key, reverse }, _) => {
                let back = backwards(*reverse);
                self.ranges((covering, &table), key, back)
            }
            (Access::Loose { index, .. }, Source::Table(t)) => {
                let name = &t.engine.def.indexes[*index].name;
                let whose = if b.agg.is_some() { "grouping" } else { "deduplication" };
                format!("Covering index skip scan for {whose} on {table} using {name}")
            }
            (Access::Skip(s), _) => {
                let over = self.over(&s.key, s.skipped);
                let name = index_name(&s.key);
                format!("Covering index skip scan on {table} using {name} over {over}")
            }
            (Access::Merged(m), _) if m.kind == MergeKind::MultiValued => {
                self.ranges(("", &table), &m.keys[0], "")
            }
            (Access::Merged(m), _) => {
                under = self.merged(m, &table);
                match m.kind {
                    MergeKind::Union => "Deduplicate rows sorted by row ID".into(),
                    MergeKind::Intersection => "Intersect rows sorted by row ID".into(),
                    MergeKind::SortUnion | MergeKind::MultiValued => {
                        "Sort-deduplicate by row ID".into()
                    }
                }
            }
            (Access::Mem { hash }, source) => {
                under = self.made(b, step.table);
                match source {
                    Source::Working(..) => format!("Scan new records on {table}"),
                    _ if hash.is_empty() || step.kept.is_some() => format!("Table scan on {table}"),
                    _ => {
                        let by = self.hashed(step.table, hash);
                        format!("Index lookup on {table} using <auto_key0> ({by})")
                    }
                }
            }
            _ => {
                under = self.made(b, step.table);
                format!("Table scan on {table}")
            }
        };
        let batched = self.batches && step.in_batches(self.reads.vars);
        let what = if batched { what + " in batches" } else { what };
        Branch { what, rows: step.rows, part: Some((place(step), Part::Read)), under }
    }

    /// What the rows of a table in memory are found by.
    fn hashed(&mut self, table: usize, hash: &[(u16, Keyed, BExpr)]) -> String {
        let mut by = Vec::new();
        for (col, _, e) in hash {
            let column = self.text(|n| n.column_of(0, table, usize::from(*col)));
            let own = column.rsplit('.').next().unwrap_or_default().to_owned();
            by.push(format!("{own}={}", self.expr(e)));
        }
        by.join(", ")
    }

    fn ranges(&mut self, (covering, table): (&str, &str), key: &Key, back: &str) -> String {
        let name = index_name(key).to_owned();
        let single = matches!(&key.searches[..], [one] if one.is_single());
        if single {
            let by = self.searched(key);
            let lookup = capital(covering, "Index lookup");
            return format!("{lookup} on {table} using {name} {by}{back}");
        }
        let over = self.over(key, 0);
        let scan = capital(covering, "Index range scan");
        format!("{scan} on {table} using {name} over {over}{back}")
    }

    /// Each search gives its rows by itself.
    fn merged(&mut self, m: &IndexMerge, table: &str) -> Vec<Branch> {
        let each = m.keys.iter().map(|key| Branch::new(self.ranges(("", table), key, "")));
        each.collect()
    }

    fn part(key: &Key, skipped: usize, n: usize) -> String {
        let column = match &key.over {
            Some(columns) => columns.get(n).copied(),
            None => key.table.engine.def.indexes[key.index].parts.get(skipped + n).map(|p| p.col),
        };
        let column = column.and_then(|c| key.table.meta.columns.get(c));
        column.map_or("?".into(), |c| c.name.to_string())
    }

    /// `(a=3, b=t.c)`.
    fn searched(&mut self, key: &Key) -> String {
        let Some(search) = key.searches.first() else { return String::new() };
        let mut all = Vec::new();
        for (n, values) in search.eq.iter().enumerate() {
            let Some(value) = values.first() else { continue };
            all.push(format!("{}={}", Self::part(key, 0, n), self.expr(&value.expr)));
        }
        format!("({})", all.join(", "))
    }

    /// The ranges of a search: `(1 < a < 3) OR (7 <= a)`.
    fn over(&mut self, key: &Key, skipped: usize) -> String {
        let mut all = Vec::new();
        for search in &key.searches {
            self.ranges_of(key, skipped, search, &mut all);
        }
        let count = all.len();
        if count > RANGES {
            all.truncate(2);
            return format!("{} OR ({} more)", all.join(" OR "), count - 2);
        }
        all.join(" OR ")
    }

    fn ranges_of(&mut self, key: &Key, skipped: usize, search: &Search, all: &mut Vec<String>) {
        // Combinations of the values of the leading parts.
        let mut prefixes: Vec<Vec<String>> = vec![Vec::new()];
        let name = |n: usize| Self::part(key, skipped, n);
        for (n, values) in search.eq.iter().enumerate() {
            let texts: Vec<String> =
                values.iter().map(|a| format!("{} = {}", name(n), self.expr(&a.expr))).collect();
            let with = |p: &Vec<String>| {
                let extended = texts.iter().map(|t| [&p[..], std::slice::from_ref(t)].concat());
                extended.collect::<Vec<_>>()
            };
            // More than a screen of them are only counted by what is left out anyway.
            prefixes = prefixes.iter().flat_map(with).take(1 << 12).collect();
        }
        let last = name(search.eq.len());
        let mut ends: Vec<Option<String>> =
            search.range.iter().map(|bounds| Some(self.between(&last, bounds))).collect();
        if let Some(like) = &search.like {
            ends.push(Some(format!("{last} LIKE {}", self.expr(like))));
        }
        if ends.is_empty() {
            ends.push(None);
        }
        for prefix in prefixes {
            for end in &ends {
                let whole: Vec<String> = prefix.iter().chain(end).cloned().collect();
                all.push(format!("({})", whole.join(" AND ")));
            }
        }
    }

    /// The bounds of one range around the name of its column.
    fn between(&mut self, name: &str, bounds: &[(CmpOp, Alt)]) -> String {
        let (mut low, mut high, mut others) = (String::new(), String::new(), Vec::new());
        for (op, alt) in bounds {
            let value = self.expr(&alt.expr);
            match op {
                CmpOp::Gt if low.is_empty() => low = format!("{value} < "),
                CmpOp::Ge if low.is_empty() => low = format!("{value} <= "),
                CmpOp::Lt if high.is_empty() => high = format!(" < {value}"),
                CmpOp::Le if high.is_empty() => high = format!(" <= {value}"),
                CmpOp::Gt => others.push(format!("{value} < {name}")),
                CmpOp::Ge => others.push(format!("{value} <= {name}")),
                CmpOp::Lt => others.push(format!("{name} < {value}")),
                CmpOp::Le => others.push(format!("{name} <= {value}")),
                CmpOp::Ne => others.push(format!("{name} <> {value}")),
                CmpOp::Eq | CmpOp::NullSafe => others.push(format!("{name} = {value}")),
            }
        }
        if !low.is_empty() || !high.is_empty() {
            others.insert(0, format!("{low}{name}{high}"));
        }
        others.join(" AND ")
    }
}
