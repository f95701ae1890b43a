//! Lines cut at the borders of areas and along other lines, and the points in which borders and lines meet.

use super::super::measure::EDGE_WORK;
use super::*;
use crate::value::geo::edges::{EdgeIndex, Rect};
use crate::value::geo::plane::{self, Edge, Place};

pub type Lines = Vec<Vec<Coord>>;

/// What lines are cut along.
#[derive(Clone, Copy)]
pub enum Along<'i> {
    Lines(&'i EdgeIndex),
    Areas(&'i EdgeIndex),
}

/// The point in which two edges cross that are known to do so.
fn crossing((a, b): Edge, (c, d): Edge) -> Coord {
    let (dx, dy, ex, ey) = (b.x - a.x, b.y - a.y, d.x - c.x, d.y - c.y);
    let t = ((c.x - a.x) * ey - (c.y - a.y) * ex) / (dx * ey - dy * ex);
    let t = if t.is_finite() { t.clamp(0.0, 1.0) } else { 0.5 };
    Coord { x: a.x + t * dx, y: a.y + t * dy }
}

/// The only point that two edges have in common.
fn common_point(e: Edge, f: Edge) -> Coord {
    let end = [f.0, f.1].into_iter().find(|c| plane::on_edge(e, *c));
    let end = end.or_else(|| [e.0, e.1].into_iter().find(|c| plane::on_edge(f, *c)));
    end.unwrap_or_else(|| crossing(e, f))
}

/// How far along an edge a point of it lies.
fn share((a, b): Edge, c: Coord) -> f64 {
    let (dx, dy) = (b.x - a.x, b.y - a.y);
    if dx.abs() > dy.abs() { (c.x - a.x) / dx } else { (c.y - a.y) / dy }
}

/// The ends of an edge and the places between them at which it is cut, in order.
fn cuts(e: Edge, near: &[Edge], areal: bool) -> Vec<Coord> {
    let mut at: Vec<(f64, Coord)> = Vec::new();
    for f in near.iter().filter(|f| plane::meet(e, **f)) {
        let ends = [f.0, f.1].into_iter().filter(|c| plane::on_edge(e, *c));
        let before = at.len();
        at.extend(ends.map(|c| (share(e, c), c)));
        let own_end = || plane::on_edge(*f, e.0) || plane::on_edge(*f, e.1);
        if areal && at.len() == before && !own_end() {
            let c = crossing(e, *f);
            at.push((share(e, c), c));
        }
    }
    at.sort_by(|a, b| a.0.total_cmp(&b.0));
    let inner = at.into_iter().map(|(_, c)| c).filter(|c| *c != e.0 && *c != e.1);
    let mut all = vec![e.0];
    all.extend(inner);
    all.push(e.1);
    all.dedup();
    all
}

/// Collects pieces that follow each other into lines.
#[derive(Default)]
struct Collector {
    done: Lines,
    open: Vec<Coord>,
    /// The edge from which the last piece came: another piece of it makes it longer.
    edge: usize,
}

impl Collector {
    fn add(&mut self, (u, v): Edge, edge: usize) {
        if self.open.last() != Some(&u) {
            self.end();
            self.open.push(u);
        } else if self.open.len() > 1 && self.edge == edge {
            self.open.pop();
        }
        self.open.push(v);
        self.edge = edge;
    }

    fn end(&mut self) {
        if self.open.len() > 1 {
            self.done.push(std::mem::take(&mut self.open));
        }
        self.open.clear();
    }
}

/// The pieces of lines whose place is one that is wanted: along the borders or lines, inside of areas, or outside.
pub fn pieces(
    cx: &mut FuncCtx<'_>,
    lines: &Lines,
    along: Along<'_>,
    wanted: fn(Place) -> bool,
) -> Result<Lines, ValueError> {
    let (Along::Lines(index) | Along::Areas(index)) = along;
    let areal = matches!(along, Along::Areas(_));
    let mut all = Collector::default();
    let (mut near, mut rays) = (Vec::new(), Vec::new());
    for line in lines {
        for (i, e) in plane::edges(line).enumerate().filter(|(_, e)| e.0 != e.1) {
            let work = &mut |n| cx.work(EDGE_WORK * n);
            index.near(Rect::of(e), work, &mut near)?;
            let cuts = cuts(e, &near, areal);
            for (u, v) in plane::edges(&cuts) {
                cx.work(EDGE_WORK * near.len())?;
                let covers = |f: &Edge| plane::on_edge(*f, u) && plane::on_edge(*f, v);
                let place = if near.iter().any(covers) {
                    Place::Boundary
                } else if areal {
                    let middle = Coord { x: u.x / 2.0 + v.x / 2.0, y: u.y / 2.0 + v.y / 2.0 };
                    match index.locate(middle, &mut |n| cx.work(EDGE_WORK * n), &mut rays)? {
                        // Only rounding has brought it there: what lies along a border is known exactly.
                        Place::Boundary => Place::Inside,
                        other => other,
                    }
                } else {
                    Place::Outside
                };
                if wanted(place) {
                    cx.hold_tree(2 * size_of::<Coord>())?;
                    all.add((u, v), i);
                } else {
                    all.end();
                }
            }
        }
        all.end();
    }
    Ok(all.done)
}

/// The points in which the edges of two lists meet without running along each other, each of them once.
pub fn meetings(
    cx: &mut FuncCtx<'_>,
    edges: &EdgeIndex,
    others: &EdgeIndex,
    corners_only: bool,
) -> Result<Vec<Coord>, ValueError> {
    let (mut found, mut near) = (Vec::new(), Vec::new());
    for e in edges.edges() {
        others.near(Rect::of(*e), &mut |n| cx.work(EDGE_WORK * n), &mut near)?;
        for f in near.iter().filter(|f| plane::meet(*e, **f) && !plane::run_along(*e, **f)) {
            let c = common_point(*e, *f);
            let corner = [e.0, e.1, f.0, f.1].contains(&c);
            if corner || !corners_only {
                cx.hold_tree(size_of::<Coord>())?;
                found.push(c);
            }
        }
    }
    found.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    found.dedup();
    Ok(found)
}

/// Pieces of the borders of two areas along which these lie on different sides. Rings are oriented, so that the area is to the left.
pub fn common_borders(
    cx: &mut FuncCtx<'_>,
    of_a: &EdgeIndex,
    of_b: &EdgeIndex,
) -> Result<Lines, ValueError> {
    let mut all = Collector::default();
    let mut near = Vec::new();
    for (i, e) in of_a.edges().iter().enumerate() {
        of_b.near(Rect::of(*e), &mut |n| cx.work(EDGE_WORK * n), &mut near)?;
        near.retain(|f| plane::run_along(*e, *f) && against(*e, *f));
        let cuts = cuts(*e, &near, false);
        for (u, v) in plane::edges(&cuts) {
            if near.iter().any(|f| plane::on_edge(*f, u) && plane::on_edge(*f, v)) {
                cx.hold_tree(2 * size_of::<Coord>())?;
                all.add((u, v), i);
            }
        }
    }
    all.end();
    Ok(all.done)
}

/// Whether two edges on one line run in opposite directions.
fn against((a, b): Edge, (c, d): Edge) -> bool {
    if a.x != b.x { (a.x < b.x) != (c.x < d.x) } else { (a.y < b.y) != (c.y < d.y) }
}

/// The points that lie on none of the edges, not even by what rounding may have moved these.
pub fn points_off(
    cx: &mut FuncCtx<'_>,
    points: Vec<Coord>,
    index: &EdgeIndex,
) -> Result<Vec<Coord>, ValueError> {
    let mut near = Vec::new();
    let mut off = Vec::with_capacity(points.len());
    for c in points {
        let slack = 1e-12 * c.x.abs().max(c.y.abs());
        let around = Rect::of((c, c)).wider(slack);
        index.near(around, &mut |n| cx.work(EDGE_WORK * n), &mut near)?;
        if !near.iter().any(|e| plane::distance_to_edge(c, *e) <= slack) {
            off.push(c);
        }
    }
    Ok(off)
}
