//! Histories of lists and registers, and the search for cycles in them (after Adya, as Elle does it).
//!
//! Every value is written once, so a read tells whose write it saw. Writers read with an exclusive lock before they write,
//! so the order of a cell's versions is known: a list names it, a register's writer names the value it replaced.
//!
//! Edges between committed transactions: `ww` (next version), `wr` (saw the version), `rw` (saw the version before).
//! Not every cycle is forbidden: under READ COMMITTED, and under InnoDB's REPEATABLE READ for transactions that also
//! write, a plain read may be older than what the transaction overwrites later (lost update, read skew, write skew). An
//! `rw` edge therefore counts only where the level promises the order: reads with locks (SERIALIZABLE always reads so), and
//! the reads of transactions under REPEATABLE READ that neither write nor lock, which all have one snapshot. Between such edges
//! every cycle is a violation: `G0` (only ww), `G1c` (ww and wr), `G-single` (one rw), `G2` (more). Apart from cycles:
//! `G1a` (saw what was rolled back), `G1b` (saw a value that its writer replaced before it committed), and versions that
//! two transactions replaced (lost update under locks).

use crate::model::{Failure, Tid, failed};
use crate::schema::{Content, numbers};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use weir_engine::Isolation;

/// A row with a list or a register, by table and id.
pub type Cell = (Tid, i64);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    Append {
        cell: Cell,
        value: u64,
    },
    /// `before`: the value that it replaced.
    Write {
        cell: Cell,
        before: u64,
        value: u64,
    },
    /// What was there: the whole list, or the register's value alone. `locked`: it cannot change until the reader ends.
    Read {
        cell: Cell,
        values: Vec<u64>,
        locked: bool,
    },
}

impl Event {
    pub fn is_write(&self) -> bool {
        !matches!(self, Event::Read { .. })
    }

    fn written(&self) -> Option<u64> {
        match self {
            Event::Append { value, .. } | Event::Write { value, .. } => Some(*value),
            Event::Read { .. } => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    Committed,
    Aborted,
    /// The life ended first, before anybody could see it.
    Unknown,
}

#[derive(Clone, Debug)]
struct Txn {
    no: u64,
    isolation: Isolation,
    status: Status,
    events: Vec<Event>,
    wrote: bool,
}

#[derive(Clone, Debug, Default)]
pub struct History {
    txns: Vec<Txn>,
    /// Values taken back by a rollback to a savepoint.
    taken_back: BTreeSet<u64>,
    /// Versions of each cell at the beginning, oldest first.
    base: BTreeMap<Cell, Vec<u64>>,
    register: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Edge {
    Ww,
    Wr,
    Rw,
}

impl History {
    /// A new life begins with these rows.
    pub fn begin(&mut self, rows: Vec<(Tid, i64, Vec<u8>)>, content: Content) {
        *self = History { register: content == Content::Register, ..History::default() };
        for (tid, id, body) in rows {
            self.base.insert((tid, id), numbers(&body).unwrap_or_default());
        }
    }

    pub fn add(
        &mut self,
        no: u64,
        isolation: Isolation,
        status: Status,
        events: Vec<Event>,
        wrote: bool,
    ) {
        if !events.is_empty() {
            self.txns.push(Txn { no, isolation, status, events, wrote });
        }
    }

    pub fn aborted_writes(&mut self, events: &[Event]) {
        self.taken_back.extend(events.iter().filter_map(Event::written));
    }

    /// Transactions in it.
    pub fn count(&self) -> usize {
        self.txns.len()
    }

    pub fn check(&self) -> Result<(), Failure> {
        let orders = self.orders()?;
        self.reads_are_committed()?;
        let graph = self.graph(&orders)?;
        match shortest_cycle(&graph) {
            None => Ok(()),
            Some(cycle) => failed("history", name_cycle(&cycle)),
        }
    }

    fn committed(&self) -> impl Iterator<Item = &Txn> {
        self.txns.iter().filter(|t| t.status == Status::Committed)
    }

    /// All versions of each cell in their order.
    fn orders(&self) -> Result<BTreeMap<Cell, Vec<u64>>, Failure> {
        let mut orders = self.base.clone();
        if self.register {
            let mut next: BTreeMap<(Cell, u64), (u64, u64)> = BTreeMap::new();
            for t in self.committed() {
                for e in &t.events {
                    let Event::Write { cell, before, value } = e else { continue };
                    if let Some((other, _)) = next.insert((*cell, *before), (t.no, *value)) {
                        return failed(
                            "history",
                            format!(
                                "lost update: transactions {other} and {} both replaced value {before} of {cell:?}",
                                t.no
                            ),
                        );
                    }
                }
            }
            for (cell, order) in &mut orders {
                while let Some((_, v)) = next.remove(&(*cell, order.last().copied().unwrap_or(0))) {
                    order.push(v);
                }
            }
            if let Some(((cell, before), (no, _))) = next.first_key_value() {
                return failed(
                    "history",
                    format!(
                        "transaction {no} replaced value {before} of {cell:?}, which was never committed"
                    ),
                );
            }
            return Ok(orders);
        }
        for t in self.committed() {
            let mut now: BTreeMap<Cell, Vec<u64>> = BTreeMap::new();
            for e in &t.events {
                match e {
                    Event::Read { cell, values, locked: true } => {
                        now.insert(*cell, values.clone());
                    }
                    Event::Append { cell, value } => {
                        let list = now.entry(*cell).or_default();
                        list.push(*value);
                        let known = orders.entry(*cell).or_default();
                        if list.len() > known.len() {
                            known.clone_from(list);
                        }
                    }
                    _ => {}
                }
            }
        }
        Ok(orders)
    }

    /// G1a and G1b.
    fn reads_are_committed(&self) -> Result<(), Failure> {
        let mut writer: BTreeMap<u64, &Txn> = BTreeMap::new();
        let mut replaced: BTreeMap<u64, (u64, Cell)> = BTreeMap::new();
        for t in &self.txns {
            let mut last: BTreeMap<Cell, u64> = BTreeMap::new();
            for e in &t.events {
                let (Event::Append { cell, value } | Event::Write { cell, value, .. }) = e else {
                    continue;
                };
                writer.insert(*value, t);
                if let Some(old) = last.insert(*cell, *value) {
                    replaced.insert(old, (*value, *cell));
                }
            }
        }
        for t in self.txns.iter().filter(|t| t.isolation != Isolation::ReadUncommitted) {
            for e in &t.events {
                let Event::Read { cell, values, .. } = e else { continue };
                for v in values {
                    if self.taken_back.contains(v) && !writer.contains_key(v) {
                        return failed(
                            "history",
                            format!(
                                "G1a: transaction {} saw {v} in {cell:?}, which was rolled back",
                                t.no
                            ),
                        );
                    }
                    let Some(w) = writer.get(v).filter(|w| w.no != t.no) else { continue };
                    if w.status != Status::Committed {
                        return failed(
                            "history",
                            format!(
                                "G1a: transaction {} saw {v} in {cell:?}, which transaction {} never committed",
                                t.no, w.no
                            ),
                        );
                    }
                    if let Some((later, c)) = replaced.get(v)
                        && c == cell
                        && (self.register || !values.contains(later))
                    {
                        return failed(
                            "history",
                            format!(
                                "G1b: transaction {} saw {v} in {cell:?}, which its writer {} replaced by {later}",
                                t.no, w.no
                            ),
                        );
                    }
                }
            }
        }
        Ok(())
    }

    fn graph(
        &self,
        orders: &BTreeMap<Cell, Vec<u64>>,
    ) -> Result<BTreeMap<u64, BTreeSet<(u64, Edge)>>, Failure> {
        let mut writer: BTreeMap<u64, u64> = BTreeMap::new();
        for t in self.committed() {
            writer.extend(t.events.iter().filter_map(Event::written).map(|v| (v, t.no)));
        }
        let mut graph: BTreeMap<u64, BTreeSet<(u64, Edge)>> = BTreeMap::new();
        let mut edge = |from: u64, to: u64, e: Edge| {
            if from != to {
                graph.entry(from).or_default().insert((to, e));
            }
        };
        for order in orders.values() {
            for pair in order.windows(2) {
                if let (Some(a), Some(b)) = (writer.get(&pair[0]), writer.get(&pair[1])) {
                    edge(*a, *b, Edge::Ww);
                }
            }
        }
        for t in self.committed().filter(|t| t.isolation != Isolation::ReadUncommitted) {
            // A reader that also reads with locks sees the newest rows beside those of its snapshot.
            let locks = t.events.iter().any(|e| matches!(e, Event::Read { locked: true, .. }));
            let snapshot = t.isolation == Isolation::RepeatableRead && !t.wrote && !locks;
            for e in &t.events {
                let Event::Read { cell, values, locked } = e else { continue };
                let empty = Vec::new();
                let order = orders.get(cell).unwrap_or(&empty);
                let at = if self.register {
                    match values.last().and_then(|v| order.iter().position(|o| o == v)) {
                        Some(i) => i + 1,
                        None => continue,
                    }
                } else {
                    if !order.starts_with(values) {
                        return failed(
                            "history",
                            format!(
                                "transaction {} saw the list {values:?} in {cell:?}, which is no beginning of {order:?}",
                                t.no
                            ),
                        );
                    }
                    values.len()
                };
                if at > 0
                    && let Some(w) = writer.get(&order[at - 1])
                {
                    edge(*w, t.no, Edge::Wr);
                }
                if (*locked || snapshot)
                    && let Some(w) = order.get(at).and_then(|v| writer.get(v))
                {
                    edge(t.no, *w, Edge::Rw);
                }
            }
        }
        Ok(graph)
    }
}

type Graph = BTreeMap<u64, BTreeSet<(u64, Edge)>>;

/// Strongly connected components (Tarjan, without recursion) of more than one node.
fn components(graph: &Graph) -> Vec<BTreeSet<u64>> {
    #[derive(Default)]
    struct Node {
        index: usize,
        low: usize,
        on_stack: bool,
    }
    let mut nodes: BTreeMap<u64, Node> = BTreeMap::new();
    let (mut stack, mut out) = (Vec::new(), Vec::new());
    let next = |n: u64| graph.get(&n).into_iter().flatten().map(|e| e.0).collect::<Vec<u64>>();
    for root in graph.keys() {
        if nodes.contains_key(root) {
            continue;
        }
        let mut work: Vec<(u64, Vec<u64>)> = Vec::new();
        let mut enter = Some(*root);
        loop {
            if let Some(n) = enter.take() {
                let index = nodes.len();
                nodes.insert(n, Node { index, low: index, on_stack: true });
                stack.push(n);
                work.push((n, next(n)));
            }
            let Some((n, rest)) = work.last_mut() else { break };
            let n = *n;
            if let Some(to) = rest.pop() {
                match nodes.get(&to) {
                    None => enter = Some(to),
                    Some(t) if t.on_stack => {
                        let low = t.index;
                        if let Some(me) = nodes.get_mut(&n) {
                            me.low = me.low.min(low);
                        }
                    }
                    Some(_) => {}
                }
                continue;
            }
            work.pop();
            let (index, low) = nodes.get(&n).map_or((0, 0), |me| (me.index, me.low));
            if let Some(parent) = work.last().and_then(|(p, _)| nodes.get_mut(p)) {
                parent.low = parent.low.min(low);
            }
            if index == low {
                let mut part = BTreeSet::new();
                while let Some(m) = stack.pop() {
                    if let Some(x) = nodes.get_mut(&m) {
                        x.on_stack = false;
                    }
                    part.insert(m);
                    if m == n {
                        break;
                    }
                }
                if part.len() > 1 {
                    out.push(part);
                }
            }
        }
    }
    out
}

/// The shortest cycle of the first component that has one, as (from, edge, to).
fn shortest_cycle(graph: &Graph) -> Option<Vec<(u64, Edge, u64)>> {
    let part = components(graph).into_iter().next()?;
    let mut best: Option<Vec<(u64, Edge, u64)>> = None;
    for start in &part {
        let mut from: BTreeMap<u64, (u64, Edge)> = BTreeMap::new();
        let mut queue = VecDeque::from([*start]);
        while let Some(n) = queue.pop_front() {
            for (to, e) in graph.get(&n).into_iter().flatten().filter(|t| part.contains(&t.0)) {
                if !from.contains_key(to) {
                    from.insert(*to, (n, *e));
                    queue.push_back(*to);
                }
            }
        }
        let mut cycle = Vec::new();
        let mut at = *start;
        while let Some((before, e)) = from.get(&at) {
            cycle.push((*before, *e, at));
            at = *before;
            if at == *start {
                break;
            }
        }
        cycle.reverse();
        if at == *start && !cycle.is_empty() && best.as_ref().is_none_or(|b| cycle.len() < b.len())
        {
            best = Some(cycle);
        }
    }
    best
}

fn name_cycle(cycle: &[(u64, Edge, u64)]) -> String {
    let rw = cycle.iter().filter(|e| e.1 == Edge::Rw).count();
    let wr = cycle.iter().any(|e| e.1 == Edge::Wr);
    let class = match (rw, wr) {
        (0, false) => "G0 (write cycle)",
        (0, true) => "G1c (circular information flow)",
        (1, _) => "G-single (read skew or lost update)",
        _ => "G2 (anti-dependency cycle)",
    };
    let steps: Vec<String> = cycle
        .iter()
        .map(|(a, e, b)| format!("{a} -{}-> {b}", format!("{e:?}").to_lowercase()))
        .collect();
    format!("{class}: {}", steps.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Isolation::{ReadCommitted, RepeatableRead, Serializable};

    const X: Cell = (1, 1);
    const Y: Cell = (1, 2);

    fn read(cell: Cell, values: &[u64], locked: bool) -> Event {
        Event::Read { cell, values: values.to_vec(), locked }
    }

    fn append(cell: Cell, seen: &[u64], value: u64) -> [Event; 2] {
        [read(cell, seen, true), Event::Append { cell, value }]
    }

    fn history(txns: Vec<(Isolation, Status, Vec<Event>)>) -> Result<(), String> {
        let mut h = History::default();
        for (i, (isolation, status, events)) in txns.into_iter().enumerate() {
            let wrote = events.iter().any(Event::is_write);
            h.add(i as u64 + 1, isolation, status, events, wrote);
        }
        h.check().map_err(|f| f.what)
    }

    use Status::{Aborted, Committed};

    #[test]
    fn serial_histories_pass() {
        let t1 = append(X, &[], 1).to_vec();
        let t2 = append(X, &[1], 2).to_vec();
        let t3 = vec![read(X, &[1, 2], false)];
        let all = vec![
            (Serializable, Committed, t1),
            (ReadCommitted, Committed, t2),
            (RepeatableRead, Committed, t3),
        ];
        assert_eq!(history(all), Ok(()));
    }

    #[test]
    fn each_class_is_named() {
        let cases: Vec<(&str, Vec<(Isolation, Status, Vec<Event>)>)> = vec![
            (
                "G1a",
                vec![
                    (RepeatableRead, Aborted, append(X, &[], 1).to_vec()),
                    (RepeatableRead, Committed, vec![read(X, &[1], false)]),
                ],
            ),
            (
                "G1b",
                vec![
                    (RepeatableRead, Committed, [append(X, &[], 1), append(X, &[1], 2)].concat()),
                    (ReadCommitted, Committed, vec![read(X, &[1], false)]),
                ],
            ),
            (
                "G0",
                vec![
                    (RepeatableRead, Committed, [append(X, &[], 1), append(Y, &[4], 2)].concat()),
                    (RepeatableRead, Committed, [append(X, &[1], 3), append(Y, &[], 4)].concat()),
                ],
            ),
            (
                "G1c",
                vec![
                    (
                        ReadCommitted,
                        Committed,
                        [append(X, &[], 1).to_vec(), vec![read(Y, &[2], false)]].concat(),
                    ),
                    (
                        ReadCommitted,
                        Committed,
                        [append(Y, &[], 2).to_vec(), vec![read(X, &[1], false)]].concat(),
                    ),
                ],
            ),
            (
                "G-single",
                vec![
                    (RepeatableRead, Committed, [append(X, &[], 1), append(Y, &[], 2)].concat()),
                    (RepeatableRead, Committed, vec![read(X, &[1], false), read(Y, &[], false)]),
                ],
            ),
            (
                "G2",
                vec![
                    (
                        Serializable,
                        Committed,
                        [vec![read(Y, &[], true)], append(X, &[], 1).to_vec()].concat(),
                    ),
                    (
                        Serializable,
                        Committed,
                        [vec![read(X, &[], true)], append(Y, &[], 2).to_vec()].concat(),
                    ),
                ],
            ),
        ];
        for (class, txns) in cases {
            let e = history(txns).expect_err(class);
            assert!(e.starts_with(class), "{class}: {e}");
        }
    }

    #[test]
    fn what_a_level_allows_is_no_cycle() {
        // Write skew of plain reads under REPEATABLE READ.
        let t1 = [vec![read(Y, &[], false)], append(X, &[], 1).to_vec()].concat();
        let t2 = [vec![read(X, &[], false)], append(Y, &[], 2).to_vec()].concat();
        assert_eq!(
            history(vec![(RepeatableRead, Committed, t1), (RepeatableRead, Committed, t2)]),
            Ok(())
        );
    }

    #[test]
    fn a_register_replaced_twice_is_a_lost_update() {
        let mut h = History::default();
        h.begin(Vec::new(), Content::Register);
        h.base.insert(X, vec![0]);
        for no in 1..3 {
            let e = Event::Write { cell: X, before: 0, value: no + 10 };
            h.add(no, Serializable, Committed, vec![e], true);
        }
        assert!(h.check().unwrap_err().what.starts_with("lost update"));
    }
}
