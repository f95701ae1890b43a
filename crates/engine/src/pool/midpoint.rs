//! InnoDB's order of replacement: one list, from the page used last to the next to go, whose last three eighths are *old*.
//!
//! A page that is read enters at the border of the old part, a new one at the head. A page that is used goes to the head, but only
//! when more pages have left since it was there last than 1/1024 of the pool: who is at the front anyway is not moved. A list of fewer
//! than 80 pages has no old part. Border and length of the old part differ from three eighths by 20 pages at most, so that not every
//! step moves it.
//!
//! Invariants
//! - A frame is in the list at most once; `old` is the first of the old part, and all behind it are old and no others are.
//! - A frame whose uses are at their most was at the head lately, so its use needs no look at the list. `fresh` has those frames in the
//!   order in which they were used, and each leaves it when 1/1024 of the pool has left memory since; who leaves it has no uses any more,
//!   and the next use comes here.

use super::frame::{Frame, FrameNo, NONE};
use std::collections::VecDeque;

/// Fewer pages have no old part.
pub const OLD_MIN: usize = 80;
const TOLERANCE: usize = 20;

#[derive(Clone, Copy)]
struct Node {
    /// Towards the head, and towards the tail.
    prev: FrameNo,
    next: FrameNo,
    linked: bool,
    old: bool,
    /// Pages that had left when this one was at the head last; 0: it was read, and has not been there.
    stamp: u64,
    /// How many pages had come to the head when this one did, or as its neighbour's where it was put in between.
    position: u64,
    used: bool,
}

const UNLINKED: Node =
    Node { prev: NONE, next: NONE, linked: false, old: false, stamp: 0, position: 0, used: false };

pub struct Midpoint {
    nodes: Vec<Node>,
    head: FrameNo,
    tail: FrameNo,
    len: usize,
    /// First page of the old part; `NONE`: there is none.
    old: FrameNo,
    old_len: usize,
    /// Frames of the pool.
    frames: usize,
    /// Pages that have left.
    clock: u64,
    /// Pages that have come to the head.
    heads: u64,
    fresh: VecDeque<Fresh>,
}

/// A frame whose uses came to their most: how many pages had left by then, and its stamp, by which it is known to be the same stay still.
#[derive(Clone, Copy, Debug)]
struct Fresh {
    no: FrameNo,
    at: u64,
    stamp: u64,
}

impl Midpoint {
    /// For frames up to `max`, of which `frames` are the pool.
    pub fn new(max: usize, frames: usize) -> Midpoint {
        Midpoint {
            nodes: vec![UNLINKED; max],
            head: NONE,
            tail: NONE,
            len: 0,
            old: NONE,
            old_len: 0,
            frames,
            clock: 0,
            heads: 0,
            fresh: VecDeque::new(),
        }
    }

    pub fn resize(&mut self, frames: usize) {
        self.frames = frames;
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn old_len(&self) -> usize {
        self.old_len
    }

    fn node(&mut self, no: FrameNo) -> &mut Node {
        &mut self.nodes[no as usize]
    }

    /// A page came into memory: `young` when it is new, otherwise it was read.
    pub fn admit(&mut self, no: FrameNo, young: bool) {
        self.unlink(no);
        if young || self.old == NONE {
            self.link_behind(NONE, no);
            (self.node(no).old, self.node(no).stamp) = (false, self.clock);
            // Anyone who makes a page uses it.
            self.node(no).used = young;
        } else {
            self.link_behind(self.old, no);
            (self.node(no).old, self.node(no).stamp) = (true, 0);
            self.old_len += 1;
        }
        self.grown();
    }

    /// A use of a page whose frame has not the most uses. True: the first since it came.
    pub fn used(&mut self, no: FrameNo, frames: &[Frame]) -> bool {
        let node = self.nodes[no as usize];
        let frame = &frames[no as usize];
        if !node.linked || frame.is_hot() {
            return false;
        }
        if self.is_stale(node.stamp) {
            self.unlink(no);
            self.admit(no, true);
        }
        let stamp = self.nodes[no as usize].stamp;
        if !self.is_stale(stamp) {
            frame.set_hot();
            self.fresh.push_back(Fresh { no, at: self.clock, stamp });
        }
        self.node(no).used = true;
        !node.used
    }

    /// How many of these were used and are among the last eighth of the list to have come to the head; in a short list wherever they
    /// are. Without a branch, so that the processor fetches the nodes side by side.
    pub fn used_lately(&self, list: &[FrameNo]) -> usize {
        let first = if self.head == NONE { 0 } else { self.nodes[self.head as usize].position };
        let limit = if self.len < OLD_MIN { 0 } else { first.saturating_sub(self.len as u64 / 8) };
        let one = |no: &FrameNo| {
            let node = &self.nodes[*no as usize];
            usize::from(node.linked & node.used & (node.position > limit))
        };
        list.iter().map(one).sum()
    }

    /// When it came to the head, as a number that grows; `None`: it was not used.
    pub fn used_at(&self, no: FrameNo) -> Option<u64> {
        let node = &self.nodes[no as usize];
        (node.linked && node.used).then_some(node.position)
    }

    /// So many have left since that the page may be in danger.
    fn is_stale(&self, stamp: u64) -> bool {
        self.clock > stamp + (self.frames / 1024) as u64
    }

    /// The page has left memory.
    pub fn gone(&mut self, no: FrameNo, frames: &[Frame]) {
        self.unlink(no);
        self.clock += 1;
        // By the time of the use, which grows along the queue as stamps do not: a page may be used long after it came to the head.
        while let Some(f) = self.fresh.front().copied().filter(|f| self.is_stale(f.at)) {
            self.fresh.pop_front();
            let node = self.nodes[f.no as usize];
            if node.linked && node.stamp == f.stamp {
                frames[f.no as usize].set_cold();
            }
        }
    }

    /// The next to go: it was written in order to.
    pub fn make_old(&mut self, no: FrameNo) {
        let before = self.nodes[no as usize];
        if !before.linked {
            return;
        }
        self.unlink(no);
        self.link_last(no);
        // `fresh` knows it by its stamp, and makes it cold when the time has come.
        (self.node(no).stamp, self.node(no).used) = (before.stamp, before.used);
    }

    /// A candidate that nobody has in the list, because it was taken while pages were replaced in another order. `fresh` does not know
    /// it, so its next use has to look at the list.
    pub fn put_last(&mut self, no: FrameNo, frames: &[Frame]) {
        if !self.nodes[no as usize].linked {
            self.link_last(no);
            frames[no as usize].set_cold();
        }
    }

    fn link_last(&mut self, no: FrameNo) {
        self.link_behind(self.tail, no);
        self.node(no).old = true;
        if self.old != NONE {
            self.old_len += 1;
        }
        self.grown();
    }

    pub fn is_old(&self, no: FrameNo) -> bool {
        let node = self.nodes[no as usize];
        self.old != NONE && node.linked && node.old
    }

    /// From the next to go to the page used last.
    pub fn last_first(&self) -> impl Iterator<Item = FrameNo> + '_ {
        let next = |no: &FrameNo| Some(self.nodes[*no as usize].prev).filter(|n| *n != NONE);
        std::iter::successors(Some(self.tail).filter(|n| *n != NONE), next)
    }

    /// Some of the next to go: `n` from `from` on, or from the end of the list when there is none or it has left. Returns where to go on,
    /// unless the list is at its head. A frame that counts as used lately and was not, since its last uses fell into an exchange of
    /// the order, is put right.
    pub fn stretch(
        &self,
        from: Option<FrameNo>,
        n: usize,
        frames: &[Frame],
        out: &mut Vec<FrameNo>,
    ) -> Option<FrameNo> {
        let from = from.filter(|no| self.nodes[*no as usize].linked);
        let mut at = from.unwrap_or(self.tail);
        for _ in 0..n {
            if at == NONE {
                return None;
            }
            let (node, frame) = (self.nodes[at as usize], &frames[at as usize]);
            if frame.is_hot() && self.is_stale(node.stamp) {
                frame.set_cold();
            }
            out.push(at);
            at = node.prev;
        }
        Some(at).filter(|at| *at != NONE)
    }

    /// Takes frames at or above `first` out: the pool shrinks.
    pub fn retire(&mut self, first: FrameNo) {
        for no in first..self.nodes.len() as FrameNo {
            self.unlink(no);
        }
    }

    /// Links the frame behind another one, or in front of all.
    fn link_behind(&mut self, before: FrameNo, no: FrameNo) {
        let (next, position) = match before {
            NONE => {
                self.heads += 1;
                (self.head, self.heads)
            }
            b => (self.nodes[b as usize].next, self.nodes[b as usize].position),
        };
        *self.node(no) = Node { prev: before, next, linked: true, position, ..UNLINKED };
        match before {
            NONE => self.head = no,
            b => self.node(b).next = no,
        }
        match next {
            NONE => self.tail = no,
            n => self.node(n).prev = no,
        }
        self.len += 1;
    }

    fn unlink(&mut self, no: FrameNo) {
        let node = self.nodes[no as usize];
        if !node.linked {
            return;
        }
        if no == self.old && node.prev != NONE {
            // The border moves one page to the front; the adjustment below may move it back.
            self.old = node.prev;
            self.node(node.prev).old = true;
            self.old_len += 1;
        }
        match node.prev {
            NONE => self.head = node.next,
            p => self.node(p).next = node.next,
        }
        match node.next {
            NONE => self.tail = node.prev,
            n => self.node(n).prev = node.prev,
        }
        *self.node(no) = UNLINKED;
        self.len -= 1;
        if self.len < OLD_MIN {
            (self.old, self.old_len) = (NONE, 0);
        } else if self.old != NONE {
            self.old_len -= usize::from(node.old);
            self.adjust();
        }
    }

    /// A page more: there may be an old part now.
    fn grown(&mut self) {
        if self.old != NONE {
            return self.adjust();
        }
        if self.len >= OLD_MIN {
            let mut at = self.head;
            while at != NONE {
                self.node(at).old = true;
                at = self.nodes[at as usize].next;
            }
            (self.old, self.old_len) = (self.head, self.len);
            self.adjust();
        }
    }

    fn adjust(&mut self) {
        let aim = 3 * (self.len / 8);
        loop {
            let at = self.nodes[self.old as usize];
            if self.old_len + TOLERANCE < aim && at.prev != NONE {
                self.old = at.prev;
                self.node(at.prev).old = true;
                self.old_len += 1;
            } else if self.old_len > aim + TOLERANCE && at.next != NONE {
                self.node(self.old).old = false;
                self.old = at.next;
                self.old_len -= 1;
            } else {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(n: usize) -> Vec<Frame> {
        (0..n).map(|_| Frame::new()).collect()
    }

    fn list(m: &Midpoint) -> Vec<FrameNo> {
        m.last_first().collect()
    }

    /// The links agree in both directions, and old are exactly those behind the border.
    fn check(m: &Midpoint) {
        let all = list(m);
        assert_eq!(all.len(), m.len);
        let mut old: Vec<bool> = all.iter().map(|no| m.is_old(*no)).collect();
        assert_eq!(old.iter().filter(|o| **o).count(), m.old_len);
        old.dedup();
        assert!(old.len() <= 2 && (old.len() < 2 || old[0]), "old pages are the last ones");
        if m.old != NONE {
            assert_eq!(all[m.old_len - 1], m.old);
            let aim = 3 * (m.len / 8);
            assert!(m.old_len.abs_diff(aim) <= TOLERANCE, "{} of {}", m.old_len, m.len);
        } else {
            assert!(m.len < OLD_MIN);
        }
        let mut at = (m.head, 0);
        while at.0 != NONE {
            at = (m.nodes[at.0 as usize].next, at.1 + 1);
        }
        assert_eq!(at.1, m.len);
    }

    #[test]
    fn new_pages_at_the_head_and_read_ones_at_the_border() {
        let mut m = Midpoint::new(200, 200);
        for no in 0..79 {
            m.admit(no, false);
            check(&m);
        }
        assert_eq!(list(&m)[0], 0, "a short list has no border");
        for no in 79..160 {
            m.admit(no, true);
            check(&m);
        }
        assert_eq!(list(&m)[159], 159);
        m.admit(160, false);
        let at = list(&m).iter().position(|no| *no == 160).unwrap();
        assert!(m.is_old(160) && at == m.old_len - 2, "behind the first of the old part");
        check(&m);
    }

    #[test]
    fn a_page_in_danger_goes_to_the_head_when_it_is_used() {
        let frames = frames(2200);
        let mut m = Midpoint::new(2200, 2048);
        for no in 0..2100 {
            m.admit(no, true);
        }
        let last = |m: &Midpoint| list(m).last().copied();
        // Of 2048 frames, 1 + 2 pages have to leave.
        m.used(5, &frames);
        assert!(frames[5].is_hot() && last(&m) != Some(5));
        m.gone(0, &frames);
        m.gone(1, &frames);
        assert!(frames[5].is_hot());
        m.gone(2, &frames);
        assert!(!frames[5].is_hot());
        m.used(5, &frames);
        assert_eq!(last(&m), Some(5));
        // A page that was read is moved by its first use, as soon as so many have left at all.
        m.admit(2101, false);
        assert!(m.is_old(2101));
        m.used(2101, &frames);
        assert!(!m.is_old(2101) && last(&m) == Some(2101));
        check(&m);
    }

    #[test]
    fn when_pages_were_used() {
        let frames = frames(400);
        let mut m = Midpoint::new(400, 400);
        for no in 0..160 {
            m.admit(no, false);
            m.gone(300, &frames);
            assert!(m.used(no, &frames), "the first use");
            assert!(!m.used(no, &frames));
        }
        assert!(
            m.used_at(10) < m.used_at(11),
            "each use of a page that was read brings it to the head"
        );
        // The last eighth of 160.
        let lately: Vec<FrameNo> = (0..160).filter(|no| m.used_lately(&[*no]) == 1).collect();
        assert_eq!(lately, (140..160).collect::<Vec<_>>());
        m.admit(170, false);
        assert_eq!((m.used_at(170), m.used_lately(&[170])), (None, 0));
        m.admit(171, true);
        assert_eq!(m.used_lately(&[171]), 1, "a page that was made");
    }

    #[test]
    fn what_was_written_to_go_is_next() {
        let frames = frames(100);
        let mut m = Midpoint::new(100, 100);
        for no in 0..100 {
            m.admit(no, true);
        }
        m.make_old(90);
        assert_eq!(list(&m)[..2], [90, 0]);
        m.gone(90, &frames);
        m.make_old(90);
        assert_eq!(list(&m)[0], 0, "who has left stays away");
        m.put_last(90, &frames);
        m.put_last(90, &frames);
        assert_eq!(list(&m)[..2], [90, 0]);
        check(&m);
        m.retire(50);
        assert_eq!(m.len(), 50);
        check(&m);
    }

    /// A frame that counts as used lately is in `fresh` under the stamp that it has in the list, so it will be cold in time.
    fn check_hot(m: &Midpoint, frames: &[Frame]) {
        for no in m.last_first().filter(|no| frames[*no as usize].is_hot()) {
            let stamp = m.nodes[no as usize].stamp;
            let known = m.fresh.iter().any(|f| (f.no, f.stamp) == (no, stamp));
            assert!(known, "{no} is hot and nobody will make it cold");
        }
        assert!(m.fresh.iter().is_sorted_by_key(|f| f.at));
        assert!(m.fresh.iter().all(|f| !m.is_stale(f.at)), "whoever has left is cold");
    }

    #[test]
    fn a_written_page_that_is_used_again_comes_back_to_the_head() {
        let frames = frames(2100);
        let mut m = Midpoint::new(2100, 2048);
        for no in 0..2000 {
            m.admit(no, true);
        }
        m.used(1990, &frames);
        m.make_old(1990);
        check_hot(&m, &frames);
        for gone in 0..3 {
            m.gone(gone, &frames);
        }
        assert!(!frames[1990].is_hot(), "so its next use looks at the list");
        m.used(1990, &frames);
        assert_eq!(list(&m).last(), Some(&1990));
        // In the hands of an eviction while the order was exchanged, and used often before.
        frames[2050].set_hot();
        m.put_last(2050, &frames);
        assert!(!frames[2050].is_hot());
        // Its last use fell into the exchange.
        frames[2051].set_hot();
        m.put_last(2051, &frames);
        frames[2051].set_hot();
        let mut some = Vec::new();
        m.stretch(None, 2, &frames, &mut some);
        assert_eq!(some, [2051, 2050]);
        assert!(!frames[2051].is_hot());
    }

    #[test]
    fn a_walk_from_the_end_goes_on_where_it_was() {
        let frames = frames(300);
        let mut m = Midpoint::new(300, 300);
        for no in 0..250 {
            m.admit(no, true);
        }
        let (mut all, mut at) = (Vec::new(), None);
        loop {
            at = m.stretch(at, 100, &frames, &mut all);
            // What was looked at leaves; where the walk goes on stays.
            all.iter().for_each(|no| m.gone(*no, &frames));
            if at.is_none() {
                break;
            }
        }
        assert_eq!(all, (0..250).collect::<Vec<_>>());
        (0..5).for_each(|no| m.admit(no, true));
        all.clear();
        // Where it would go on has left: it begins again.
        assert_eq!(m.stretch(Some(200), 2, &frames, &mut all), Some(2));
        assert_eq!(all, [0, 1]);
    }

    /// A page that came to the head early is used behind one that came later: each is made cold by its own use's time.
    #[test]
    fn uses_end_in_the_order_in_which_they_began() {
        let frames = frames(2300);
        let mut m = Midpoint::new(2300, 2048);
        for no in 0..2100 {
            m.admit(no, true);
        }
        let gone = |m: &mut Midpoint, no| {
            m.gone(no, &frames);
            check_hot(m, &frames);
        };
        gone(&mut m, 0);
        gone(&mut m, 1);
        m.admit(2200, true);
        m.used(2200, &frames);
        m.used(50, &frames);
        assert!(m.nodes[50].stamp < m.nodes[2200].stamp);
        gone(&mut m, 2);
        gone(&mut m, 3);
        assert!(frames[50].is_hot() && frames[2200].is_hot());
        gone(&mut m, 4);
        assert!(!frames[50].is_hot() && !frames[2200].is_hot());
    }

    #[test]
    fn any_order_of_steps() {
        let mut rng = weir_rt::Rng::new(11);
        let frames = frames(300);
        let mut m = Midpoint::new(300, 300);
        for _ in 0..if cfg!(miri) { 200 } else { 20_000 } {
            let no = rng.below(300) as FrameNo;
            match rng.below(6) {
                step @ 0..3 => {
                    // A frame that is emptied has no uses any more.
                    frames[no as usize].set_cold();
                    if step == 2 { m.gone(no, &frames) } else { m.admit(no, rng.chance(0.5)) }
                }
                3 => m.make_old(no),
                _ => {
                    m.used(no, &frames);
                }
            }
            check(&m);
            check_hot(&m, &frames);
        }
    }
}
