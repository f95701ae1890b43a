//! GROUP BY: groups by hash, a kept row for each (columns outside of aggregates).
//!
//! When the groups take as much memory as they may (`tmp_table_size`), no more are begun: rows of other groups are put aside with the values of
//! their aggregates' arguments, and come when the groups at hand have gone out. The groups of WITH ROLLUP sum each other up and stay together:
//! where they have no room, they are made of sorted rows instead (`rolled`).
//!
//! What aggregates with DISTINCT have seen is in one set for all groups at hand ([`Told`]). When that is full, the arguments that it does not
//! know are put aside as well, and reach their groups before these go out.

mod adopted;
mod rolled;

use super::Boxed;
use super::distinct::Distinct;
use super::order::SortOrder;
use super::slots::{decode_slot, encode_slot};
use super::spool::{Part, Spool, damaged};
use crate::context::Reads;
use crate::func::aggregate::{Accumulator, AggSpec, arguments_key, key_of};
use crate::memory::{Held, row_bytes};
use crate::query::eval::frame::{Frame, Slot};
use crate::query::eval::{Ev, eval};
use crate::query::expr::{BExpr, ColRef, Node};
use crate::query::plan::outcome::Run;
use crate::query::plan::shape::Shape;
use crate::query::plan::{Aggregation, Block};
use crate::value::encoded::{decode, encode};
use crate::value::key_hash::KeyHash;
use crate::value::{TypeInfo, Value, ValueError};
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::collections::HashMap;

pub struct Group {
    /// A row of the group, for columns that all its rows have in common. Empty: nobody looks at one.
    pub slots: Vec<Slot>,
    accs: Vec<Accumulator>,
    /// WITH ROLLUP: the keys that its rows have in common. Fewer than there are: it is a super-aggregate row.
    keys: Vec<Value<'static>>,
}

impl Group {
    /// The values of the aggregates, and what comes after them.
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
    by_key: HashMap<Vec<u8>, usize, KeyHash>,
    list: Vec<Group>,
    key: Vec<u8>,
    /// No column outside of aggregates is looked at: the row need not be kept.
    bare: bool,
    /// Tables of the block.
    tables: usize,
    /// WITH ROLLUP: keys that are columns and that subqueries may look at, with their place among the keys.
    seen_keys: Vec<(usize, ColRef)>,
    held: Held,
    /// Bytes of groups that may be in memory.
    memory: usize,
    /// Rows of the groups that have no room.
    spool: Option<Spool>,
    /// What aggregates with DISTINCT have seen, if there are some.
    told: Option<Box<Told>>,
    /// The rows of a group come one behind the other: there is one group at a time, with this key.
    streams: bool,
    last: Vec<u8>,
}

/// The arguments that aggregates with DISTINCT have been told, each with its group and its aggregate.
struct Told {
    seen: Distinct,
    key: Vec<u8>,
}

impl Told {
    /// Whether an aggregate is to be told these arguments now.
    fn is_new(
        &mut self,
        (group, n): (usize, usize),
        (spec, args): (&AggSpec, &[Value<'_>]),
        ev: &Ev<'_>,
    ) -> Result<bool, ValueError> {
        let data = spec.data(args);
        if data.iter().any(Value::is_null) {
            return Ok(false);
        }
        if self.seen.is_adjacent() {
            self.key.clear();
            arguments_key(data, &mut self.key);
            return Ok(self.seen.is_next(&mut self.key));
        }
        let whose = [group as u32, n as u32].map(u32::to_le_bytes);
        self.key.clear();
        self.key.extend_from_slice(whose.as_flattened());
        arguments_key(data, &mut self.key);
        let put = |to: &mut Vec<u8>| {
            to.extend_from_slice(whose.as_flattened());
            args.iter().for_each(|v| encode(v, to));
        };
        self.seen.is_first(&self.key, put, ev)
    }
}

impl<'p> Groups<'p> {
    /// `memory`: bytes of groups that may be in memory.
    pub fn new(agg: &'p Aggregation, b: &Block, memory: usize) -> Groups<'p> {
        let mut columns = false;
        let mut see = |e: &BExpr| e.walk(&mut |n| columns |= matches!(n.node, Node::Col(_)));
        b.items.iter().for_each(&mut see);
        b.order.iter().for_each(|(e, _)| see(e));
        b.having.iter().for_each(|c| see(&c.expr));
        b.drawn.exprs.iter().for_each(&mut see);
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
            by_key: HashMap::default(),
            list: Vec::new(),
            key: Vec::new(),
            bare: !columns,
            tables: b.tables.len(),
            held: Held::default(),
            memory,
            spool: None,
            told: agg
                .specs
                .iter()
                .any(|(s, _)| s.is_told_once())
                .then(|| Box::new(Told { seen: told_of(b, memory), key: Vec::new() })),
            streams: b.together.rows && !agg.implicit,
            last: Vec::new(),
        }
    }

    /// The rows do not come in the order of the groups after all. Before the first of them.
    pub fn disorder(&mut self) {
        self.streams = false;
        if let Some(told) = &mut self.told {
            told.seen.disorder();
        }
    }

    /// The rows of a group come one behind the other, and the current row is of another group than the one at hand, which is to go out
    /// first ([`Groups::finish`]). Before [`Groups::add`].
    #[inline]
    pub fn is_behind_group(&mut self, f: &Frame<'_>, ev: &mut Ev<'_>) -> Result<bool, ValueError> {
        if !self.streams {
            return Ok(false);
        }
        self.make_key(f, ev)?;
        Ok(!self.list.is_empty() && self.key != self.last)
    }

    fn make_key(&mut self, f: &Frame<'_>, ev: &mut Ev<'_>) -> Result<(), ValueError> {
        self.key.clear();
        for k in &self.agg.keys {
            let v = eval(k, f, ev)?;
            key_of(&v, &k.info.ty, &mut self.key);
        }
        Ok(())
    }

    /// Tells a group the arguments of one of its aggregates.
    #[inline]
    fn tell(
        &mut self,
        (group, n): (usize, usize),
        args: &[Value<'_>],
        ev: &mut Ev<'_>,
    ) -> Result<(), ValueError> {
        let spec = &self.agg.specs[n].0;
        if let Some(told) = &mut self.told
            && spec.is_told_once()
            && !told.is_new((group, n), (spec, args), ev)?
        {
            return Ok(());
        }
        self.list[group].accs[n].update(spec, args, &mut ev.cx)
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
        } else if self.streams {
            if self.list.is_empty() {
                self.push(slots, &[], ev)?;
                std::mem::swap(&mut self.last, &mut self.key);
            }
            0
        } else {
            self.make_key(f, ev)?;
            match self.by_key.get(&self.key) {
                Some(at) => *at,
                None if self.is_full() => return self.put_aside(f, slots, ev),
                None => self.group_of(slots, &[], ev)?,
            }
        };
        let agg = self.agg;
        for (n, (_, args)) in agg.specs.iter().enumerate() {
            match &args[..] {
                [] => self.tell((at, n), &[], ev)?,
                [arg] => {
                    let value = eval(arg, f, ev)?;
                    self.tell((at, n), std::slice::from_ref(&value), ev)?;
                }
                args => {
                    let values: SmallVec<[Value<'_>; 2]> =
                        args.iter().map(|a| eval(a, f, ev)).collect::<Result<_, _>>()?;
                    self.tell((at, n), &values, ev)?;
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
        let first = if agg.has_supers() { 0 } else { keys.len() };
        for level in first..=keys.len() {
            self.make_level(&keys[..level]);
            let known = self.list.len();
            let at = self.group_of(slots, &keys[..level], ev)?;
            if at == known {
                self.take_keys_away(at, level, f, ev);
            }
            for (n, values) in values.iter().enumerate() {
                self.tell((at, n), values, ev)?;
            }
        }
        Ok(())
    }

    /// WITH ROLLUP: the key of a group with these keys.
    fn make_level(&mut self, keys: &[Value<'_>]) {
        self.key.clear();
        self.key.extend_from_slice(&(keys.len() as u32).to_le_bytes());
        let typed = keys.iter().zip(&self.agg.keys);
        typed.for_each(|(v, k)| key_of(v, &k.info.ty, &mut self.key));
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
        let slots: Vec<Slot> = match self.bare {
            true if self.agg.rollup.is_none() => Vec::new(),
            true => slots.iter().map(|_| Slot::Null).collect(),
            false => slots.iter().map(Slot::keep).collect(),
        };
        let accs: Vec<Accumulator> =
            self.agg.specs.iter().map(|(s, _)| Accumulator::of_distinct(s)).collect();
        let keys: Vec<Value<'static>> = keys.iter().map(|k| k.borrow().into_owned()).collect();
        let group = Group { slots, accs, keys };
        ev.cx.hold(&mut self.held, group_bytes(&group))?;
        self.list.push(group);
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.held.bytes() >= self.memory && !self.list.is_empty()
    }

    /// The current row, whose key was made last, waits until the groups at hand have gone out.
    fn put_aside(
        &mut self,
        f: &Frame<'_>,
        slots: &[Slot],
        ev: &mut Ev<'_>,
    ) -> Result<(), ValueError> {
        let spool = match &mut self.spool {
            Some(spool) => spool,
            none => none.insert(Spool::new(self.memory, &ev.cx)?),
        };
        let to = spool.begin(&self.key);
        for arg in self.agg.specs.iter().flat_map(|(_, args)| args) {
            encode(&eval(arg, f, ev)?, to);
        }
        if !self.bare {
            slots.iter().for_each(|slot| encode_slot(slot, to));
        }
        spool.end();
        Ok(())
    }

    /// Rows that were put aside are to be written ([`Groups::write`]).
    pub fn is_due(&self) -> bool {
        self.spool.as_ref().is_some_and(Spool::is_due)
            || self.told.as_ref().is_some_and(|told| told.seen.is_due())
    }

    pub fn write<'g>(&'g mut self, reads: Reads<'g>) -> Boxed<'g, ()> {
        Box::pin(async move {
            if let Some(told) = &mut self.told {
                told.seen.write(reads).await?;
            }
            match &mut self.spool {
                Some(spool) => spool.write(reads).await,
                None => Ok(()),
            }
        })
    }

    /// The input has ended, or a part of what was put aside: the groups at hand receive what waits for them. To be called before [`Groups::finish`].
    pub async fn settle(&mut self, reads: Reads<'_>, ev: &mut Ev<'_>) -> Run<()> {
        let Some(told) = &mut self.told else { return Ok(()) };
        while let Some(mut part) = told.seen.next_part(reads).await? {
            while let Some(row) = told.seen.next_first(&mut part, reads, ev).await? {
                let (whose, mut rest) = row.split_first_chunk::<8>().ok_or_else(damaged)?;
                let number = |at: usize| {
                    let bytes = [whose[at], whose[at + 1], whose[at + 2], whose[at + 3]];
                    u32::from_le_bytes(bytes) as usize
                };
                let (spec, args) = self.agg.specs.get(number(4)).ok_or_else(damaged)?;
                let values = args.iter().map(|_| decode(&mut rest).ok_or_else(damaged));
                let values = values.collect::<Result<SmallVec<[Value<'static>; 2]>, _>>()?;
                let group = self.list.get_mut(number(0)).ok_or_else(damaged)?;
                group.accs[number(4)].update(spec, &values, &mut ev.cx)?;
            }
        }
        Ok(())
    }

    /// Takes in rows that were put aside; false: there are none.
    pub fn refill<'g>(&'g mut self, reads: Reads<'g>, ev: &'g mut Ev<'_>) -> Boxed<'g, bool> {
        Box::pin(async move {
            let Some(spool) = &mut self.spool else { return Ok(false) };
            let Some(mut part) = spool.next_part(reads).await? else { return Ok(false) };
            while self.take_back(&mut part, ev).await? {
                if self.is_due() {
                    self.write(reads).await?;
                }
            }
            Ok(true)
        })
    }

    /// As [`Groups::add`], for the next row of those that were put aside.
    async fn take_back(&mut self, part: &mut Part, ev: &mut Ev<'_>) -> Run<bool> {
        let Some((key, rest)) = part.next().await? else { return Ok(false) };
        ev.cx.work(key.len() + rest.len())?;
        self.key.clear();
        self.key.extend_from_slice(key);
        let known = self.by_key.get(&self.key).copied();
        if known.is_none() && self.is_full() {
            let Some(spool) = &mut self.spool else { return Ok(false) };
            spool.begin(key).extend_from_slice(rest);
            spool.end();
            return Ok(true);
        }
        let mut rest = rest;
        let mut values = Vec::with_capacity(self.agg.specs.len());
        for (_, args) in &self.agg.specs {
            let list = args.iter().map(|_| decode(&mut rest).ok_or_else(damaged));
            values.push(list.collect::<Result<SmallVec<[Value<'static>; 2]>, _>>()?);
        }
        let at = match known {
            Some(at) => at,
            None => {
                let slot = |_| match self.bare {
                    true => Some(Slot::Null),
                    false => decode_slot(&mut rest),
                };
                let slots: Option<Vec<Slot>> = (0..self.tables).map(slot).collect();
                self.group_of(&slots.ok_or_else(damaged)?, &[], ev)?
            }
        };
        for (n, values) in values.iter().enumerate() {
            self.tell((at, n), values, ev)?;
        }
        Ok(true)
    }

    /// The groups, and what is charged for them. More may come: [`Groups::refill`].
    pub fn finish(&mut self) -> (Vec<Group>, Held) {
        // WITH ROLLUP has its grand total, though there be nothing to sum up; no other super-aggregate row.
        if (self.agg.implicit || self.agg.has_supers()) && self.list.is_empty() {
            let slots = (0..self.tables).map(|_| Slot::Null).collect();
            let accs = self.agg.specs.iter().map(|(s, _)| Accumulator::new(s)).collect();
            self.list.push(Group { slots, accs, keys: Vec::new() });
        }
        if self.agg.has_supers() {
            let infos: Vec<TypeInfo> = self.agg.keys.iter().map(|k| k.info).collect();
            let order = SortOrder::new(&infos, infos.iter().map(|_| false));
            self.list.sort_by(|a, b| a.compare(b, &order));
        }
        self.by_key.clear();
        (std::mem::take(&mut self.list), std::mem::take(&mut self.held))
    }
}

/// What is charged for a group that begins.
fn group_bytes(g: &Group) -> usize {
    let kept = |s: &Slot| match s {
        Slot::Values(row) => row_bytes(row),
        other => other.bytes().map_or(0, <[u8]>::len),
    };
    let rows: usize = g.slots.iter().map(kept).sum();
    let own = size_of_val(&g.slots[..]) + size_of_val(&g.accs[..]) + row_bytes(&g.keys);
    size_of::<Group>() + rows + own
}

/// What aggregates with DISTINCT see.
fn told_of(b: &Block, memory: usize) -> Distinct {
    match b.together.arguments {
        true => Distinct::of_adjacent(memory),
        false => Distinct::new(memory),
    }
}

/// A key that is a column of the block.
fn own_column((n, key): (usize, &BExpr)) -> Option<(usize, ColRef)> {
    match key.node {
        Node::Col(c) if c.depth == 0 => Some((n, c)),
        _ => None,
    }
}
