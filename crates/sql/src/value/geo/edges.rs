//! Edges with boxes around groups of them, so that those near a place are found without a look at all of them.
//!
//! Edges that follow each other on a line or ring lie near each other, so that groups of neighbours in the list have small boxes
//! without any sorting.

use super::plane::{self, Edge, Place};
use super::{Coord, Ring};

/// Edges in a group, and groups in the one above.
const GROUP: usize = 8;

/// A box with sides along the axes; it may be a line or a point, or reach to infinity.
#[derive(Debug, Clone, Copy)]
pub struct Rect {
    pub low: Coord,
    pub high: Coord,
}

impl Rect {
    pub fn of((a, b): Edge) -> Rect {
        Rect {
            low: Coord { x: a.x.min(b.x), y: a.y.min(b.y) },
            high: Coord { x: a.x.max(b.x), y: a.y.max(b.y) },
        }
    }

    pub fn wider(self, by: f64) -> Rect {
        Rect {
            low: Coord { x: self.low.x - by, y: self.low.y - by },
            high: Coord { x: self.high.x + by, y: self.high.y + by },
        }
    }

    pub fn meets(&self, o: &Rect) -> bool {
        self.low.x <= o.high.x
            && o.low.x <= self.high.x
            && self.low.y <= o.high.y
            && o.low.y <= self.high.y
    }

    fn with(self, o: Rect) -> Rect {
        Rect {
            low: Coord { x: self.low.x.min(o.low.x), y: self.low.y.min(o.low.y) },
            high: Coord { x: self.high.x.max(o.high.x), y: self.high.y.max(o.high.y) },
        }
    }
}

#[derive(Debug, Default)]
pub struct EdgeIndex {
    edges: Vec<Edge>,
    /// The boxes of groups of edges, then of groups of these, until one is left.
    levels: Vec<Vec<Rect>>,
}

impl EdgeIndex {
    pub fn new(edges: Vec<Edge>) -> EdgeIndex {
        let group = |boxes: &[Rect]| boxes[1..].iter().fold(boxes[0], |all, b| all.with(*b));
        let single: Vec<Rect> = edges.iter().map(|e| Rect::of(*e)).collect();
        let mut levels: Vec<Vec<Rect>> = vec![single.chunks(GROUP).map(group).collect()];
        while let Some(last) = levels.last().filter(|l| l.len() > 1) {
            levels.push(last.chunks(GROUP).map(group).collect());
        }
        EdgeIndex { edges, levels }
    }

    pub fn of_rings(polygons: &[Vec<Ring>]) -> EdgeIndex {
        EdgeIndex::new(polygons.iter().flatten().flat_map(|r| plane::edges(r)).collect())
    }

    pub fn of_lines(lines: &[Vec<Coord>]) -> EdgeIndex {
        EdgeIndex::new(lines.iter().flat_map(|l| plane::edges(l)).collect())
    }

    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// The box around all edges.
    pub fn bounds(&self) -> Option<Rect> {
        self.levels.last()?.first().copied()
    }

    /// Puts the edges whose boxes meet this one into `found`, which is emptied before. `work` is called with the number of boxes
    /// that were looked at, and may end the search.
    pub fn near<E>(
        &self,
        place: Rect,
        work: &mut impl FnMut(usize) -> Result<(), E>,
        found: &mut Vec<Edge>,
    ) -> Result<(), E> {
        found.clear();
        let Some(top) = self.levels.len().checked_sub(1) else { return Ok(()) };
        let mut open: Vec<(usize, usize)> = (0..self.levels[top].len()).map(|i| (top, i)).collect();
        while let Some((level, i)) = open.pop() {
            if !self.levels[level][i].meets(&place) {
                continue;
            }
            work(GROUP)?;
            let from = i * GROUP;
            if let Some(below) = level.checked_sub(1) {
                let to = (from + GROUP).min(self.levels[below].len());
                open.extend((from..to).rev().map(|i| (below, i)));
            } else {
                let to = (from + GROUP).min(self.edges.len());
                let these = self.edges[from..to].iter().copied();
                found.extend(these.filter(|e| Rect::of(*e).meets(&place)));
            }
        }
        Ok(())
    }

    /// Where a point lies to the area whose borders these edges are: a ray to the right crosses an odd number of them inside.
    pub fn locate<E>(
        &self,
        c: Coord,
        work: &mut impl FnMut(usize) -> Result<(), E>,
        near: &mut Vec<Edge>,
    ) -> Result<Place, E> {
        let far = Coord { x: f64::INFINITY, y: c.y };
        self.near(Rect { low: c, high: far }, work, near)?;
        let mut inside = false;
        for (a, b) in near.iter().copied() {
            if plane::on_edge((a, b), c) {
                return Ok(Place::Boundary);
            }
            if (a.y > c.y) != (b.y > c.y) {
                let (low, high) = if a.y < b.y { (a, b) } else { (b, a) };
                inside ^= plane::side(low, high, c).is_gt();
            }
        }
        Ok(if inside { Place::Inside } else { Place::Outside })
    }

    /// Whether a point lies on one of the edges.
    pub fn touches<E>(
        &self,
        c: Coord,
        work: &mut impl FnMut(usize) -> Result<(), E>,
        near: &mut Vec<Edge>,
    ) -> Result<bool, E> {
        self.near(Rect::of((c, c)), work, near)?;
        Ok(near.iter().any(|e| plane::on_edge(*e, c)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn c(x: f64, y: f64) -> Coord {
        Coord { x, y }
    }

    #[test]
    fn what_is_near_is_found_and_nothing_else() {
        let line: Vec<Coord> = (0..1000).map(|i| c(f64::from(i), f64::from(i % 7))).collect();
        let index = EdgeIndex::of_lines(std::slice::from_ref(&line));
        let mut seen = 0;
        let mut work = |n| {
            seen += n;
            Ok::<_, ()>(())
        };
        let place = Rect { low: c(499.5, 0.0), high: c(501.5, 9.0) };
        let mut found = Vec::new();
        index.near(place, &mut work, &mut found).expect("no end");
        let all: Vec<Edge> = plane::edges(&line).filter(|e| Rect::of(*e).meets(&place)).collect();
        assert_eq!(found, all);
        assert!(seen < 200, "{seen}");
        assert_eq!(index.near(place, &mut |_| Err(7), &mut found), Err(7));
        assert!(EdgeIndex::new(Vec::new()).is_empty());
    }

    #[test]
    fn places_are_those_of_the_polygon() {
        let ring = |low: f64, high: f64| {
            vec![c(low, low), c(high, low), c(high, high), c(low, high), c(low, low)]
        };
        let polygons = vec![vec![ring(0.0, 10.0), ring(4.0, 6.0)], vec![ring(20.0, 30.0)]];
        let index = EdgeIndex::of_rings(&polygons);
        for (x, y) in [(1.0, 1.0), (5.0, 5.0), (4.0, 5.0), (10.0, 4.0), (25.0, 25.0), (15.0, 25.0)]
        {
            let by_rings = [0, 1].map(|i| plane::locate(c(x, y), &polygons[i]));
            let want = by_rings.into_iter().find(|p| *p != Place::Outside);
            let found = index.locate(c(x, y), &mut |_| Ok::<_, ()>(()), &mut Vec::new());
            assert_eq!(found, Ok(want.unwrap_or(Place::Outside)), "{x} {y}");
        }
    }
}
