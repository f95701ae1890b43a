//! GROUP BY: groups by hash, a kept row for each (columns outside of aggregates), and the ONLY_FULL_GROUP_BY check.

use super::bind::{GROUPING, Named};
use super::decided::{self, Known, is_any_value, loose_column, text};
use super::emit::SortOrder;
use super::expr::{BExpr, ColRef, Ev, Node, eval};
use super::frame::{Frame, Shape, Slot};
use super::plan::{Aggregation, Block};
use super::scope::{Place, Scope};
use crate::errno;
use crate::func::aggregate::{Accumulator, key_of};
use crate::memory::{Held, row_bytes};
use crate::session_api::SqlError;
use crate::value::{TypeInfo, Value, ValueError};
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

pub struct Group {
    /// A row of the group, for columns that all its rows have in common.
    pub slots: Vec<Slot>,
    accs: Vec<Accumulator>,
    /// WITH ROLLUP: the keys that its rows have in common. Fewer than there are: it is a super-aggregate row.
    keys: Vec<Value<'static>>,
}

impl Group {
    /// The values of the aggregates, and what stands behind them.
    pub fn values(
        &mut self,
        agg: &Aggregation,
        ev: &mut Ev<'_>,
    ) -> Result<Vec<Value<'static>>, ValueError> {
        let accs = std::mem::take(&mut self.accs).into_iter().zip(&agg.specs);
        let mut values: Vec<Value<'static>> =
            accs.map(|(a, (s, _))| a.finish(s, &mut ev.cx)).collect::<Result<_, _>>()?;
        let Some(rollup) = &agg.rollup else { return Ok(values) };
        let level = self.keys.len();
        values.append(&mut self.keys);
        values.extend((level..agg.keys.len()).map(|_| Value::Null));
        // The first argument has the highest bit.
        let bit = |bits: u64, key: &usize| bits << 1 | u64::from(*key >= level);
        let bits = |keys: &Vec<usize>| Value::Int(keys.iter().fold(0, bit) as i64);
        values.extend(rollup.groupings.iter().map(bits));
        Ok(values)
    }

    /// The order of the rows WITH ROLLUP: by the keys, a super-aggregate row behind the rows that it sums up.
    fn compare(&self, other: &Group, order: &SortOrder) -> Ordering {
        let (mine, theirs) = (&self.keys, &other.keys);
        let both = mine.iter().zip(theirs).enumerate();
        let by_key = both.map(|(n, (a, b))| order.compare_key(n, a, b)).find(|o| o.is_ne());
        by_key.unwrap_or_else(|| theirs.len().cmp(&mine.len()))
    }
}

pub struct Groups<'p> {
    agg: &'p Aggregation,
    by_key: HashMap<Vec<u8>, usize>,
    list: Vec<Group>,
    key: Vec<u8>,
    /// No column outside of aggregates is looked at: the row need not be kept.
    bare: bool,
    /// WITH ROLLUP: keys that are columns and that subqueries may look at, with their place among the keys.
    seen_keys: Vec<(usize, ColRef)>,
    held: Held,
}

impl<'p> Groups<'p> {
    pub fn new(agg: &'p Aggregation, b: &Block) -> Groups<'p> {
        let mut columns = false;
        let mut see = |e: &BExpr| e.walk(&mut |n| columns |= matches!(n.node, Node::Col(_)));
        b.items.iter().for_each(&mut see);
        b.order.iter().for_each(|(e, _)| see(e));
        b.having.iter().for_each(|c| see(&c.expr));
        b.windows.iter().flat_map(|w| w.exprs()).for_each(&mut see);
        let correlated = b.subs.iter().any(|s| s.correlated);
        columns |= correlated;
        let seen_keys = match agg.rollup.is_some() && correlated {
            true => agg.keys.iter().enumerate().filter_map(own_column).collect(),
            false => Vec::new(),
        };
        Groups {
            seen_keys,
            agg,
            by_key: HashMap::new(),
            list: Vec::new(),
            key: Vec::new(),
            bare: !columns,
            held: Held::default(),
        }
    }

    pub fn add(
        &mut self,
        f: &Frame<'_>,
        slots: &[Slot],
        ev: &mut Ev<'_>,
    ) -> Result<(), ValueError> {
        if self.agg.rollup.is_some() {
            return self.add_rolled(f, slots, ev);
        }
        let at = if self.agg.implicit {
            if self.list.is_empty() {
                self.push(slots, &[], ev)?;
            }
            0
        } else {
            self.key.clear();
            for k in &self.agg.keys {
                let v = eval(k, f, ev)?;
                key_of(&v, &k.info.ty, &mut self.key);
            }
            self.group_of(slots, &[], ev)?
        };
        for ((spec, args), acc) in self.agg.specs.iter().zip(&mut self.list[at].accs) {
            match &args[..] {
                [] => acc.update(spec, &[], &mut ev.cx)?,
                [arg] => {
                    let value = eval(arg, f, ev)?;
                    acc.update(spec, std::slice::from_ref(&value), &mut ev.cx)?;
                }
                args => {
                    let values: SmallVec<[Value<'_>; 2]> =
                        args.iter().map(|a| eval(a, f, ev)).collect::<Result<_, _>>()?;
                    acc.update(spec, &values, &mut ev.cx)?;
                }
            }
        }
        Ok(())
    }

    /// The group whose key was made last.
    fn group_of(
        &mut self,
        slots: &[Slot],
        keys: &[Value<'_>],
        ev: &Ev<'_>,
    ) -> Result<usize, ValueError> {
        if let Some(at) = self.by_key.get(&self.key) {
            return Ok(*at);
        }
        self.push(slots, keys, ev)?;
        ev.cx.hold(&mut self.held, size_of::<Vec<u8>>() + self.key.len())?;
        self.by_key.insert(self.key.clone(), self.list.len() - 1);
        Ok(self.list.len() - 1)
    }

    /// WITH ROLLUP: the row is one of its group, and of the groups by fewer and fewer of the keys. Each has accumulators of its own,
    /// as what DISTINCT and GROUP_CONCAT have seen cannot be summed up.
    fn add_rolled(
        &mut self,
        f: &Frame<'_>,
        slots: &[Slot],
        ev: &mut Ev<'_>,
    ) -> Result<(), ValueError> {
        let agg = self.agg;
        let keys: SmallVec<[Value<'_>; 4]> =
            agg.keys.iter().map(|k| eval(k, f, ev)).collect::<Result<_, _>>()?;
        let evaluated = agg.specs.iter().map(|(_, args)| {
            args.iter().map(|a| eval(a, f, ev)).collect::<Result<SmallVec<[Value<'_>; 2]>, _>>()
        });
        let values: SmallVec<[SmallVec<[Value<'_>; 2]>; 4]> =
            evaluated.collect::<Result<_, _>>()?;
        for level in 0..=keys.len() {
            self.key.clear();
            self.key.extend_from_slice(&(level as u32).to_le_bytes());
            let typed = keys[..level].iter().zip(&agg.keys);
            typed.for_each(|(v, k)| key_of(v, &k.info.ty, &mut self.key));
            let known = self.list.len();
            let at = self.group_of(slots, &keys[..level], ev)?;
            if at == known {
                self.take_keys_away(at, level, f, ev);
            }
            let accs = self.list[at].accs.iter_mut();
            for (((spec, _), acc), values) in agg.specs.iter().zip(accs).zip(&values) {
                acc.update(spec, values, &mut ev.cx)?;
            }
        }
        Ok(())
    }

    /// The kept row of a new super-aggregate row has no keys where its group has none, as a subquery sees it.
    fn take_keys_away(&mut self, at: usize, level: usize, f: &Frame<'_>, ev: &Ev<'_>) {
        for (_, c) in self.seen_keys.iter().filter(|(n, _)| *n >= level) {
            let (table, col) = (usize::from(c.table), usize::from(c.col));
            let slot = &mut self.list[at].slots[table];
            if let Slot::Values(row) = slot {
                row[col] = Value::Null;
                continue;
            }
            let width = match &f.shapes[table] {
                Shape::Table(t) => t.meta.columns.len(),
                Shape::Values(types) => types.len(),
            };
            let value = |n: usize| match n == col {
                true => Value::Null,
                false => f.column(ColRef { col: n as u16, ..*c }, ev.cx.tz).into_owned(),
            };
            *slot = Slot::Values((0..width).map(value).collect());
        }
    }

    fn push(&mut self, slots: &[Slot], keys: &[Value<'_>], ev: &Ev<'_>) -> Result<(), ValueError> {
        let slots: Vec<Slot> = if self.bare {
            slots.iter().map(|_| Slot::Null).collect()
        } else {
            slots.iter().map(Slot::keep).collect()
        };
        let accs: Vec<Accumulator> =
            self.agg.specs.iter().map(|(s, _)| Accumulator::new(s)).collect();
        let kept = |s: &Slot| match s {
            Slot::Values(row) => row_bytes(row),
            other => other.bytes().map_or(0, <[u8]>::len),
        };
        let rows: usize = slots.iter().map(kept).sum();
        let keys: Vec<Value<'static>> = keys.iter().map(|k| k.borrow().into_owned()).collect();
        let own = size_of_val(&slots[..]) + size_of_val(&accs[..]) + row_bytes(&keys);
        ev.cx.hold(&mut self.held, size_of::<Group>() + rows + own)?;
        self.list.push(Group { slots, accs, keys });
        Ok(())
    }

    /// The groups, and what is charged for them.
    pub fn finish(mut self, tables: usize) -> (Vec<Group>, Held) {
        // WITH ROLLUP has its grand total, though there be nothing to sum up; no other super-aggregate row.
        if (self.agg.implicit || self.agg.rollup.is_some()) && self.list.is_empty() {
            let slots = (0..tables).map(|_| Slot::Null).collect();
            let accs = self.agg.specs.iter().map(|(s, _)| Accumulator::new(s)).collect();
            self.list.push(Group { slots, accs, keys: Vec::new() });
        }
        if self.agg.rollup.is_some() {
            let infos: Vec<TypeInfo> = self.agg.keys.iter().map(|k| k.info).collect();
            let order = SortOrder::new(&infos, infos.iter().map(|_| false));
            self.list.sort_by(|a, b| a.compare(b, &order));
        }
        (self.list, self.held)
    }
}

/// A key that is a column of the block.
fn own_column((n, key): (usize, &BExpr)) -> Option<(usize, ColRef)> {
    match key.node {
        Node::Col(c) if c.depth == 0 => Some((n, c)),
        _ => None,
    }
}

/// For each expression of the select list and of ORDER BY the columns that it names.
#[derive(Default)]
pub struct NamedIn {
    pub items: Vec<Vec<Named>>,
    pub order: Vec<Vec<Named>>,
}

/// 1055 and 1140: every column outside of aggregates must follow from the grouped ones, also where a subquery names it.
pub fn check_full_group_by(
    scope: &Scope,
    rows: &decided::Rows<'_>,
    keys: &[BExpr],
    (items, order): (&[BExpr], &[(BExpr, bool)]),
    named: &NamedIn,
) -> Result<(), SqlError> {
    let known = decided::closure(rows, keys);
    let items = items.iter().enumerate().map(|(i, e)| (i, e, "SELECT list", named.items.get(i)));
    let order = order.iter().enumerate();
    let order = order.map(|(i, (e, _))| (i, e, "ORDER BY clause", named.order.get(i)));
    for (i, e, list, named) in items.chain(order) {
        if known.exprs.contains(&text(e)) {
            continue;
        }
        let own = loose_column(e, &known);
        let mut named = named.into_iter().flatten().filter(|n| n.within || own.is_some());
        let by_name = named.find(|n| loose_column(&n.column, &known).is_some());
        let name = match (by_name, own) {
            (Some(n), _) => full_name(scope, n.place),
            (None, Some(c)) => name_of(scope, c),
            (None, None) => continue,
        };
        return Err(if keys.is_empty() {
            SqlError::new(
                1140,
                format!(
                    "In aggregated query without GROUP BY, expression #{} of {list} contains nonaggregated column '{name}'; this is incompatible with sql_mode=only_full_group_by",
                    i + 1
                ),
            )
        } else {
            SqlError::new(
                1055,
                format!(
                    "Expression #{} of {list} is not in GROUP BY clause and contains nonaggregated column '{name}' which is not functionally dependent on columns in GROUP BY clause; this is incompatible with sql_mode=only_full_group_by",
                    i + 1
                ),
            )
        });
    }
    Ok(())
}

/// A SELECT DISTINCT.
pub struct Distinct<'e> {
    pub items: &'e [BExpr],
    pub order: &'e [(BExpr, bool)],
    pub keys: &'e [BExpr],
    pub rollup: bool,
}

impl Distinct<'_> {
    /// No two rows are the same anyway: there is one, or one for each group with all its keys.
    pub fn is_of_groups(&self, grouped: bool) -> bool {
        let texts: Vec<String> = self.items.iter().map(text).collect();
        grouped && !self.rollup && self.keys.iter().all(|k| texts.contains(&text(k)))
    }
}

/// 3065 and 3066: what SELECT DISTINCT is ordered by must follow from its list, whose expressions are parts of others only by their names.
pub fn check_distinct_order(
    scope: &Scope,
    list: &Distinct<'_>,
    named: &NamedIn,
) -> Result<(), SqlError> {
    let exprs = list.items.iter().map(text).collect();
    let known = Known { columns: HashSet::new(), exprs };
    for (i, (e, _)) in list.order.iter().enumerate() {
        if known.exprs.contains(&text(e)) {
            continue;
        }
        let n = i + 1;
        if has_loose_sum(e) {
            let text = format!(
                "Expression #{n} of ORDER BY clause is not in SELECT list, contains aggregate function; this is incompatible with DISTINCT"
            );
            return Err(SqlError::new(errno::ER_AGGREGATE_IN_ORDER_NOT_SELECT, text));
        }
        let mut columns = named.order.get(i).into_iter().flatten();
        let loose = columns.find(|n| loose_column(&n.column, &known).is_some());
        let Some(c) = loose else { continue };
        let text = format!(
            "Expression #{n} of ORDER BY clause is not in SELECT list, references column '{}' which is not in SELECT list; this is incompatible with DISTINCT",
            full_name(scope, c.place)
        );
        return Err(SqlError::new(errno::ER_FIELD_IN_ORDER_NOT_SELECT, text));
    }
    Ok(())
}

/// An aggregate outside of ANY_VALUE(). GROUPING() is none: it tells of keys.
fn has_loose_sum(e: &BExpr) -> bool {
    let mut found = matches!(e.node, Node::Agg(n) if n < GROUPING);
    if !is_any_value(e) {
        e.for_children(&mut |c| found |= has_loose_sum(c));
    }
    found
}

/// A column as messages name it: schema, table, column.
fn full_name(scope: &Scope, (table, column): Place) -> String {
    let t = &scope.tables[usize::from(table)];
    let Some(col) = t.columns.get(usize::from(column)) else { return t.alias.to_string() };
    match col.origin.as_ref().map_or("", |o| &o.schema) {
        "" => format!("{}.{}", t.alias, col.name),
        schema => format!("{schema}.{}.{}", t.alias, col.name),
    }
}

/// One that nobody named: `*` shows it.
fn name_of(scope: &Scope, c: ColRef) -> String {
    let t = scope.owner(c.table.into());
    let shown = BExpr::new(Node::Col(c), TypeInfo::null());
    let owner = scope.tables.iter().position(|x| std::ptr::eq(x, t));
    match (owner, t.place_of(&shown)) {
        (Some(table), Some(column)) => full_name(scope, (table as u16, column as u16)),
        _ => t.alias.to_string(),
    }
}
