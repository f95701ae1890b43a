//! Unions, intersections and differences of polygons.
//!
//! The work is done by `i_overlay` on a grid of whole numbers, so that no rounding can tear a ring apart. The grid is fine enough
//! that coordinates up to a 256th of the largest one keep all their bits; corners of the result that are corners of a polygon
//! that was given get that polygon's coordinates again.
//!
//! The library cannot be interrupted. What it will have to do is known before: the edges, and the points in which they cross,
//! are counted here in steps that can be interrupted, charged as memory, and bounded by [`MOST_PIECES`].

use super::super::measure::EDGE_WORK;
use super::*;
use crate::value::geo::Ring;
use crate::value::geo::edges::{EdgeIndex, Rect};
use crate::value::geo::plane;
use i_overlay::core::fill_rule::FillRule;
use i_overlay::core::overlay::{IntOverlayOptions, Overlay, ShapeType};
use i_overlay::core::solver::Solver;
use i_overlay::i_float::int::point::IntPoint;
use std::collections::HashMap;

pub use i_overlay::core::overlay_rule::OverlayRule as Rule;

pub type Polygons = Vec<Vec<Ring>>;

/// Pieces of edges that one call of the library may be given: about two seconds of work.
const MOST_PIECES: usize = 2_000_000;
/// Bytes that the library and the tables here have for one piece, about.
const BYTES_PER_PIECE: usize = 400;
/// Bits of the largest coordinate on the grid; the library takes two more.
const GRID_BITS: i32 = 60;

/// Coordinates as whole numbers: a power of two, so that the same bits are there, and more of them where a number is small.
struct Grid {
    scale: f64,
}

impl Grid {
    fn around(bounds: &[Rect]) -> Grid {
        let largest = |r: &Rect| {
            let c = [r.low.x, r.low.y, r.high.x, r.high.y];
            c.into_iter().fold(0.0f64, |m, x| m.max(x.abs()))
        };
        let most = bounds.iter().map(largest).fold(f64::MIN_POSITIVE, f64::max);
        let bits = (GRID_BITS - 1 - most.log2().floor() as i32).clamp(-1000, 1000);
        Grid { scale: 2.0f64.powi(bits) }
    }

    fn to(&self, c: Coord) -> IntPoint<i64> {
        IntPoint::new((c.x * self.scale).round() as i64, (c.y * self.scale).round() as i64)
    }

    fn from(&self, p: IntPoint<i64>) -> Coord {
        Coord { x: p.x as f64 / self.scale, y: p.y as f64 / self.scale }
    }
}

/// Where a corner of the result comes from.
#[derive(Clone, Copy)]
struct Corner {
    at: Coord,
    ring: u32,
    /// Its place in that ring.
    place: usize,
    /// Another ring has it as well.
    shared: bool,
}

/// Outer rings against the clock and holes with it, without points at which they stay; rings that lie on one line are nothing.
pub fn oriented(polygons: &[Vec<Ring>]) -> Polygons {
    let turned = |ring: &Ring, clockwise: bool| {
        let mut ring = ring.clone();
        ring.dedup();
        if (plane::doubled_area(&ring) < 0.0) != clockwise {
            ring.reverse();
        }
        let [a, b, ..] = ring[..] else { return None };
        ring.iter().any(|c| plane::side(a, b, *c).is_ne()).then_some(ring)
    };
    let one = |p: &Vec<Ring>| {
        let (outer, holes) = p.split_first()?;
        let mut all = vec![turned(outer, false)?];
        all.extend(holes.iter().filter_map(|r| turned(r, true)));
        Some(all)
    };
    polygons.iter().filter_map(one).collect()
}

/// Both are [`oriented`]. What the rule makes of the two; with no second one, the union of the first one's parts.
pub fn combine(
    cx: &mut FuncCtx<'_>,
    (a, b): (&Polygons, &Polygons),
    (of_a, of_b): (&EdgeIndex, &EdgeIndex),
    rule: Rule,
    function: &str,
) -> Result<Polygons, ValueError> {
    let bounds: Vec<Rect> = [of_a.bounds(), of_b.bounds()].into_iter().flatten().collect();
    let pieces = count_pieces(cx, of_a, of_b, function)?;
    let made = cx.with_tree(pieces.saturating_mul(BYTES_PER_PIECE), || {
        Ok(on_grid((a, b), &bounds, of_a.edges().len() + of_b.edges().len(), rule))
    })?;
    let corners: usize = made.iter().flatten().map(Vec::len).sum();
    cx.hold_tree(corners.saturating_mul(size_of::<Coord>()))?;
    Ok(made)
}

fn on_grid((a, b): (&Polygons, &Polygons), bounds: &[Rect], size: usize, rule: Rule) -> Polygons {
    let grid = Grid::around(bounds);
    let options = IntOverlayOptions { ogc: true, ..IntOverlayOptions::keep_all_points() };
    let mut overlay = Overlay::new_custom(size, options, Solver::default());
    let mut corners: HashMap<(i64, i64), Corner> = HashMap::with_capacity(size);
    let mut rings: Vec<&Ring> = Vec::new();
    for (polygons, which) in [(a, ShapeType::Subject), (b, ShapeType::Clip)] {
        for ring in polygons.iter().flatten() {
            let of = rings.len() as u32;
            let open = &ring[..ring.len() - 1];
            let points: Vec<IntPoint<i64>> = open.iter().map(|c| grid.to(*c)).collect();
            for (place, (p, c)) in points.iter().zip(open).enumerate() {
                let there = corners.entry((p.x, p.y));
                let fresh = Corner { at: *c, ring: of, place, shared: false };
                there.and_modify(|k| k.shared |= k.ring != of).or_insert(fresh);
            }
            overlay.add_contour(&points, which);
            rings.push(ring);
        }
    }
    let made = overlay.overlay(rule, FillRule::NonZero);
    let back = Back { grid, corners, rings };
    let whole = |shape: Vec<Vec<IntPoint<i64>>>| {
        let rings = shape.iter().map(|contour| back.ring(contour));
        let rings: Vec<Ring> = rings.collect();
        let there = rings.first().is_some_and(|r| r.len() > 3);
        there.then(|| rings.into_iter().filter(|r| r.len() > 3).collect())
    };
    made.into_iter().filter_map(whole).collect()
}

/// How many pieces of edges the library will work on; too many are 3044.
fn count_pieces(
    cx: &mut FuncCtx<'_>,
    of_a: &EdgeIndex,
    of_b: &EdgeIndex,
    function: &str,
) -> Result<usize, ValueError> {
    let mut pieces = of_a.edges().len() + of_b.edges().len();
    let mut near = Vec::new();
    for (index, others) in [(of_a, of_a), (of_a, of_b), (of_b, of_b)] {
        for e in index.edges() {
            others.near(Rect::of(*e), &mut |n| cx.work(EDGE_WORK * n), &mut near)?;
            // Neighbours have a corner in common, which is no piece more.
            let crossing = near.iter().filter(|f| {
                ![e.0, e.1].iter().any(|c| *c == f.0 || *c == f.1) && plane::meet(*e, **f)
            });
            pieces += crossing.count();
            if pieces > MOST_PIECES {
                let what = "too many edges and crossings";
                return Err(ValueError::of(errno::ER_STD_BAD_ALLOC_ERROR, &[&what, &function]));
            }
        }
    }
    Ok(pieces)
}

/// The way back from the grid.
struct Back<'r> {
    grid: Grid,
    corners: HashMap<(i64, i64), Corner>,
    rings: Vec<&'r Ring>,
}

impl Back<'_> {
    fn corner(&self, p: IntPoint<i64>) -> Option<&Corner> {
        self.corners.get(&(p.x, p.y))
    }

    fn coord(&self, p: IntPoint<i64>) -> Coord {
        self.corner(p).map_or_else(|| self.grid.from(p), |k| k.at)
    }

    fn ring(&self, contour: &[IntPoint<i64>]) -> Ring {
        if let Some(ring) = self.untouched(contour) {
            return ring;
        }
        let mut bent = bends(contour);
        // As in MySQL a ring begins where two of the given ones meet, at the last such point along the first of them.
        let given = |p: &IntPoint<i64>| self.corner(*p).map(|k| (k.ring, k.place));
        let first = (0..bent.len()).filter(|i| given(&bent[*i]).is_some());
        if let Some(start) = first.min_by_key(|i| given(&bent[*i])) {
            bent.rotate_left(start);
        }
        let meets = |p: &IntPoint<i64>| self.corner(*p).is_none_or(|k| k.shared);
        if let Some(start) = bent.iter().rposition(meets) {
            bent.rotate_left(start);
        }
        let mut ring: Ring = bent.into_iter().map(|p| self.coord(p)).collect();
        ring.dedup();
        ring.extend(ring.first().copied());
        ring
    }

    /// The ring that was given, if this is all of it and nothing else.
    fn untouched(&self, contour: &[IntPoint<i64>]) -> Option<Ring> {
        let first = self.corner(*contour.first()?)?;
        let given = self.rings[first.ring as usize];
        let same =
            |p: &IntPoint<i64>| self.corner(*p).is_some_and(|k| !k.shared && k.ring == first.ring);
        if given.len() != contour.len() + 1 || !contour.iter().all(same) {
            return None;
        }
        // What was the border of a polygon may be that of a hole.
        let mut made: Ring = contour.iter().map(|p| self.coord(*p)).collect();
        made.extend(made.first().copied());
        let mut ring = given.clone();
        if (plane::doubled_area(&made) < 0.0) != (plane::doubled_area(&ring) < 0.0) {
            ring.reverse();
        }
        Some(ring)
    }
}

/// The corners at which a contour turns by more than the rounding of the grid can turn it.
fn bends(contour: &[IntPoint<i64>]) -> Vec<IntPoint<i64>> {
    let mut kept: Vec<IntPoint<i64>> = Vec::with_capacity(contour.len());
    for p in contour {
        while let [.., a, b] = kept[..]
            && runs_straight(a, b, *p)
        {
            kept.pop();
        }
        kept.push(*p);
    }
    // The first corners have not been seen with what comes before them.
    let mut from = 0;
    while let [.., a, b] = kept[from..]
        && kept.len() - from > 2
    {
        let first = kept[from];
        if runs_straight(a, b, first) {
            kept.pop();
        } else if runs_straight(b, first, kept[from + 1]) {
            from += 1;
        } else {
            break;
        }
    }
    kept.split_off(from)
}

/// A ring without the corners at which it goes straight on.
pub fn straightened(ring: &[Coord]) -> Ring {
    let open = &ring[..ring.len().saturating_sub(1)];
    let n = open.len();
    let turns = |i: &usize| plane::side(open[(i + n - 1) % n], open[*i], open[(i + 1) % n]).is_ne();
    let mut kept: Ring = (0..n).filter(turns).map(|i| open[i]).collect();
    kept.extend(kept.first().copied());
    kept
}

/// Whether the way from `a` to `c` leads through `b`, which may be off by two steps of the grid.
fn runs_straight(a: IntPoint<i64>, b: IntPoint<i64>, c: IntPoint<i64>) -> bool {
    let less = |p: IntPoint<i64>, q: IntPoint<i64>| (i128::from(p.x - q.x), i128::from(p.y - q.y));
    let (u, v, w) = (less(b, a), less(c, b), less(c, a));
    let turn = (u.0 * v.1 - u.1 * v.0).abs();
    let onward = u.0 * v.0 + u.1 * v.1 > 0;
    onward && turn <= 2 * w.0.abs().max(w.1.abs())
}
