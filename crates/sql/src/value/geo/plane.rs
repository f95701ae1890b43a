//! Where points, lines and polygons of a plane lie to each other.
//!
//! Every decision rests on the side of a line on which a point lies ([`side`]), which is computed exactly: rounding decides
//! nothing while coordinates are between 1e-140 and 1e140.

use super::surface::Surface;
use super::{Coord, Ring, Shape};
use std::cmp::Ordering;

/// Where a point lies to a polygon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Inside,
    Boundary,
    Outside,
}

/// A geometry taken apart by dimension. No coordinate of it is a negative zero, so that what is equal is sorted as equal.
#[derive(Debug, Default)]
pub struct Pieces {
    pub points: Vec<Coord>,
    pub lines: Vec<Vec<Coord>>,
    pub polygons: Vec<Vec<Ring>>,
    /// What they lie on.
    pub on: Surface,
}

impl Pieces {
    /// In a plane.
    pub fn of(shape: &Shape) -> Pieces {
        Pieces::over(shape, Surface::Plane)
    }

    pub fn over(shape: &Shape, on: Surface) -> Pieces {
        let mut all = Pieces { on, ..Pieces::default() };
        match on {
            Surface::Plane => all.add(shape),
            Surface::Globe(_) => all.add(&on.tidy(shape)),
        }
        all
    }

    fn add(&mut self, shape: &Shape) {
        match shape {
            Shape::Point(c) => self.points.push(unsigned_zero(*c)),
            Shape::MultiPoint(l) => self.points.extend(plain(l)),
            Shape::LineString(l) => self.lines.push(plain(l)),
            Shape::MultiLineString(l) => self.lines.extend(l.iter().map(|l| plain(l))),
            Shape::Polygon(p) => self.polygons.push(p.iter().map(|r| plain(r)).collect()),
            Shape::MultiPolygon(l) => {
                let polygon = |p: &Vec<Ring>| p.iter().map(|r| plain(r)).collect();
                self.polygons.extend(l.iter().map(polygon));
            }
            Shape::Collection(parts) => parts.iter().for_each(|p| self.add(p)),
        }
    }

    /// Points and lines, or lines and polygons, or all of them.
    pub fn is_mixed(&self) -> bool {
        let kinds = [!self.points.is_empty(), !self.lines.is_empty(), !self.polygons.is_empty()];
        kinds.into_iter().filter(|there| *there).count() > 1
    }

    /// The edges of lines and of rings.
    pub fn edges(&self) -> Vec<Edge> {
        let lines = self.lines.iter().chain(self.polygons.iter().flatten());
        lines.flat_map(|l| edges(l)).collect()
    }

    pub fn locate(&self, c: Coord) -> Place {
        let mut best = Place::Outside;
        for p in &self.polygons {
            match self.on.locate(c, p) {
                Place::Inside => return Place::Inside,
                Place::Boundary => best = Place::Boundary,
                Place::Outside => {}
            }
        }
        best
    }
}

/// The same place without the sign of a zero: adding zero takes it away.
fn unsigned_zero(c: Coord) -> Coord {
    Coord { x: c.x + 0.0, y: c.y + 0.0 }
}

fn plain(line: &[Coord]) -> Vec<Coord> {
    line.iter().copied().map(unsigned_zero).collect()
}

/// From one point to the next.
pub type Edge = (Coord, Coord);

pub fn edges(line: &[Coord]) -> impl Iterator<Item = Edge> + '_ {
    line.windows(2).map(|w| (w[0], w[1]))
}

fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let t = s - a;
    (s, (a - (s - t)) + (b - t))
}

fn two_product(a: f64, b: f64) -> (f64, f64) {
    let p = a * b;
    (p, a.mul_add(b, -p))
}

/// The sign of an exact sum: terms are added to a list of numbers that do not overlap, the smallest first (Shewchuk's expansions).
fn sign_of_sum(terms: &[f64]) -> Ordering {
    let mut sum: Vec<f64> = Vec::with_capacity(terms.len());
    for t in terms {
        let mut carry = *t;
        let mut next = Vec::with_capacity(sum.len() + 1);
        for part in &sum {
            let (high, low) = two_sum(carry, *part);
            if low != 0.0 {
                next.push(low);
            }
            carry = high;
        }
        if carry != 0.0 {
            next.push(carry);
        }
        sum = next;
    }
    sum.last().map_or(Ordering::Equal, |x| x.total_cmp(&0.0))
}

/// Greater: `c` lies to the left of the way from `a` to `b`. Less: to its right. Equal: on the line through both.
pub fn side(a: Coord, b: Coord, c: Coord) -> Ordering {
    let (left, right) = ((a.x - c.x) * (b.y - c.y), (a.y - c.y) * (b.x - c.x));
    let det = left - right;
    // Three roundings of a relative error of 2^-53 each, and those of the bound itself.
    let bound = 3.4e-16 * (left.abs() + right.abs());
    if det.abs() > bound {
        return det.total_cmp(&0.0);
    }
    let difference = |p: f64, q: f64| {
        let (high, low) = two_sum(p, -q);
        [high, low]
    };
    let mut terms = Vec::with_capacity(16);
    let mut add = |p: [f64; 2], q: [f64; 2], sign: f64| {
        for x in p {
            for y in q {
                let (high, low) = two_product(x, y);
                terms.extend([sign * low, sign * high]);
            }
        }
    };
    add(difference(a.x, c.x), difference(b.y, c.y), 1.0);
    add(difference(a.y, c.y), difference(b.x, c.x), -1.0);
    sign_of_sum(&terms)
}

/// Whether a point of the line through an edge lies within its ends.
fn between((a, b): Edge, c: Coord) -> bool {
    let within = |p: f64, q: f64, x: f64| p.min(q) <= x && x <= p.max(q);
    within(a.x, b.x, c.x) && within(a.y, b.y, c.y)
}

pub fn on_edge(e: Edge, c: Coord) -> bool {
    between(e, c) && side(e.0, e.1, c).is_eq()
}

/// Both edges go through a point that is no end of either.
pub fn cross((a, b): Edge, (c, d): Edge) -> bool {
    let opposite = |x: Ordering, y: Ordering| x.is_ne() && x == y.reverse();
    opposite(side(a, b, c), side(a, b, d)) && opposite(side(c, d, a), side(c, d, b))
}

/// Whether two edges have a point in common.
pub fn meet(e: Edge, f: Edge) -> bool {
    let boxes =
        |p: (f64, f64), q: (f64, f64)| p.0.min(p.1) <= q.0.max(q.1) && q.0.min(q.1) <= p.0.max(p.1);
    boxes((e.0.x, e.1.x), (f.0.x, f.1.x))
        && boxes((e.0.y, e.1.y), (f.0.y, f.1.y))
        && (on_edge(e, f.0) || on_edge(e, f.1) || on_edge(f, e.0) || on_edge(f, e.1) || cross(e, f))
}

/// Whether two edges on one line have more than a point in common.
pub fn run_along(e: Edge, f: Edge) -> bool {
    let straight = side(e.0, e.1, f.0).is_eq() && side(e.0, e.1, f.1).is_eq();
    let inner = [e.0, e.1, f.0, f.1].into_iter().filter(|c| between(e, *c) && between(f, *c));
    let mut common: Vec<Coord> = inner.collect();
    common.dedup();
    straight && e.0 != e.1 && f.0 != f.1 && common.iter().any(|c| *c != common[0])
}

/// A ray to the right crosses the ring once for each time that the point is inside of it.
fn locate_in_ring(c: Coord, ring: &[Coord]) -> Place {
    let mut inside = false;
    for (a, b) in edges(ring) {
        if on_edge((a, b), c) {
            return Place::Boundary;
        }
        if (a.y > c.y) != (b.y > c.y) {
            let (low, high) = if a.y < b.y { (a, b) } else { (b, a) };
            inside ^= side(low, high, c).is_gt();
        }
    }
    if inside { Place::Inside } else { Place::Outside }
}

pub fn locate(c: Coord, polygon: &[Ring]) -> Place {
    locate_by(polygon, |ring| locate_in_ring(c, ring))
}

/// Where a point lies to a polygon of which a function says where it lies to a ring.
pub fn locate_by(polygon: &[Ring], in_ring: impl Fn(&Ring) -> Place) -> Place {
    let Some((outer, holes)) = polygon.split_first() else { return Place::Outside };
    match in_ring(outer) {
        Place::Inside => {}
        other => return other,
    }
    for hole in holes {
        match in_ring(hole) {
            Place::Inside => return Place::Outside,
            Place::Boundary => return Place::Boundary,
            Place::Outside => {}
        }
    }
    Place::Inside
}

/// Levels of a polygon that are looked at for a point inside of it.
const LEVELS: usize = 32;

/// A point inside of a polygon: in the middle of the widest part of a level that goes through no corner. `work` is called for each
/// look at all of the edges, and may end it.
pub fn inner_point<E>(
    polygon: &[Ring],
    work: &mut impl FnMut(usize) -> Result<(), E>,
) -> Result<Option<Coord>, E> {
    let corners = polygon.iter().map(Vec::len).sum();
    work(corners)?;
    let mut levels: Vec<f64> = polygon.iter().flatten().map(|c| c.y).collect();
    levels.sort_by(f64::total_cmp);
    levels.dedup();
    let widest = |y: f64| {
        let crossing = |(a, b): Edge| {
            ((a.y > y) != (b.y > y)).then(|| a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x))
        };
        let mut at: Vec<f64> = polygon.iter().flat_map(|r| edges(r)).filter_map(crossing).collect();
        at.sort_by(f64::total_cmp);
        let spans = at.chunks_exact(2).map(|s| (s[1] - s[0], s[0] / 2.0 + s[1] / 2.0));
        spans.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(width, x)| (width, Coord { x, y }))
    };
    // The widest levels, and not all of them: each is a look at every edge.
    let mut gaps: Vec<(f64, f64)> = levels.windows(2).map(|w| (w[1] - w[0], w[0])).collect();
    gaps.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut best: Option<(f64, Coord)> = None;
    for (gap, low) in gaps.iter().take(LEVELS) {
        work(corners)?;
        if let Some(found) = widest(low + gap / 2.0)
            && best.is_none_or(|(width, _)| width <= found.0)
        {
            best = Some(found);
        }
    }
    Ok(best.map(|(_, c)| c))
}

/// The corners of the hull, against the clock, the first one again at the end where there are three and more.
pub fn convex_hull(all: Vec<Coord>) -> Vec<Coord> {
    let mut all = plain(&all);
    all.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    all.dedup();
    if all.len() < 3 {
        return all;
    }
    let half = |points: &mut dyn Iterator<Item = Coord>| {
        let mut chain: Vec<Coord> = Vec::new();
        for c in points {
            while let [.., a, b] = chain[..]
                && side(a, b, c).is_le()
            {
                chain.pop();
            }
            chain.push(c);
        }
        chain
    };
    let mut hull = half(&mut all.iter().copied());
    let upper = half(&mut all.iter().rev().copied());
    hull.extend(&upper[1..]);
    // All on one line: there and back.
    if hull.len() == 3 {
        hull.pop();
    }
    hull
}

pub fn distance(a: Coord, b: Coord) -> f64 {
    (a.x - b.x).hypot(a.y - b.y)
}

pub fn distance_to_edge(c: Coord, (a, b): Edge) -> f64 {
    let (dx, dy) = (b.x - a.x, b.y - a.y);
    let square = dx * dx + dy * dy;
    if square == 0.0 {
        return distance(a, c);
    }
    let t = (((c.x - a.x) * dx + (c.y - a.y) * dy) / square).clamp(0.0, 1.0);
    distance(c, Coord { x: a.x + t * dx, y: a.y + t * dy })
}

/// Between edges that have no point in common.
pub fn distance_of_edges(e: Edge, f: Edge) -> f64 {
    let all = [
        distance_to_edge(e.0, f),
        distance_to_edge(e.1, f),
        distance_to_edge(f.0, e),
        distance_to_edge(f.1, e),
    ];
    all.into_iter().fold(f64::INFINITY, f64::min)
}

/// Twice the signed area of a ring, taken from its first corner so that large coordinates lose no digits.
pub fn doubled_area(ring: &[Coord]) -> f64 {
    let Some(o) = ring.first() else { return 0.0 };
    let cross = |(a, b): Edge| (a.x - o.x) * (b.y - o.y) - (b.x - o.x) * (a.y - o.y);
    edges(ring).map(cross).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn c(x: f64, y: f64) -> Coord {
        Coord { x, y }
    }

    fn square(x: f64, y: f64, n: f64) -> Ring {
        vec![c(x, y), c(x + n, y), c(x + n, y + n), c(x, y + n), c(x, y)]
    }

    #[test]
    fn sides_are_exact() {
        assert!(side(c(0.0, 0.0), c(1.0, 1.0), c(0.0, 1.0)).is_gt());
        assert!(side(c(0.0, 0.0), c(1.0, 1.0), c(1.0, 0.0)).is_lt());
        // A point one unit in the last place beside a diagonal, far from its ends.
        let (a, b) = (c(12.0, 12.0), c(24.0, 24.0));
        let up = f64::from_bits(0.5f64.to_bits() + 1);
        assert!(side(a, b, c(0.5, 0.5)).is_eq());
        assert!(side(a, b, c(0.5, up)).is_gt());
        assert!(side(a, b, c(up, 0.5)).is_lt());
        assert!(side(a, b, c(up, up)).is_eq());
    }

    #[test]
    fn points_in_polygons() {
        let p = vec![square(0.0, 0.0, 10.0), square(4.0, 4.0, 2.0)];
        assert_eq!(locate(c(1.0, 1.0), &p), Place::Inside);
        assert_eq!(locate(c(0.0, 5.0), &p), Place::Boundary);
        assert_eq!(locate(c(10.0, 10.0), &p), Place::Boundary);
        assert_eq!(locate(c(5.0, 5.0), &p), Place::Outside);
        assert_eq!(locate(c(4.0, 5.0), &p), Place::Boundary);
        assert_eq!(locate(c(-1.0, 0.0), &p), Place::Outside);
        let inner = inner_point(&p, &mut |_| Ok::<_, ()>(())).expect("no end").expect("one");
        assert_eq!(locate(inner, &p), Place::Inside);
        assert_eq!(inner_point(&p, &mut |_| Err(7)), Err(7));
    }

    #[test]
    fn hulls() {
        let mut all = square(0.0, 0.0, 2.0);
        all.extend([c(1.0, 1.0), c(1.0, 0.0)]);
        assert_eq!(convex_hull(all), square(0.0, 0.0, 2.0));
        let line = convex_hull(vec![c(0.0, 0.0), c(2.0, 2.0), c(1.0, 1.0)]);
        assert_eq!(line, [c(0.0, 0.0), c(2.0, 2.0)]);
        assert_eq!(convex_hull(vec![c(1.0, 1.0), c(1.0, 1.0)]), [c(1.0, 1.0)]);
    }
}
