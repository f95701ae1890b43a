//! What geometries lie on: a plane or an ellipsoid.
//!
//! One step is not exact: where a part of a line between two points of a boundary does not run along it, its middle is taken to tell
//! the side (see [`parts_of`]).

use super::plane::{self, Edge, Pieces, Place, edges};
use super::spheroid::Spheroid;
use super::{Coord, Ring, Shape, Srs, globe};

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Surface {
    #[default]
    Plane,
    /// Coordinates are degrees.
    Globe(Spheroid),
}

impl Surface {
    pub fn of(srs: &Srs) -> Surface {
        if srs.geographic { Surface::Globe(srs.spheroid()) } else { Surface::Plane }
    }

    pub fn is_globe(&self) -> bool {
        matches!(self, Surface::Globe(_))
    }

    /// A geometry as the functions here take it.
    pub fn tidy(&self, shape: &Shape) -> Shape {
        match self {
            Surface::Plane => shape.clone(),
            Surface::Globe(_) => globe::tidy(shape),
        }
    }

    pub fn on_edge(&self, e: Edge, c: Coord) -> bool {
        match self {
            Surface::Plane => plane::on_edge(e, c),
            Surface::Globe(s) => globe::on_edge(s, e, c),
        }
    }

    /// Both edges go through a point that is no end of either.
    fn cross(&self, e: Edge, f: Edge) -> bool {
        match self {
            Surface::Plane => plane::cross(e, f),
            Surface::Globe(s) => globe::cross(s, e, f),
        }
    }

    /// Whether two edges have a point in common.
    pub fn meet(&self, e: Edge, f: Edge) -> bool {
        match self {
            Surface::Plane => plane::meet(e, f),
            Surface::Globe(s) => globe::meet(s, e, f),
        }
    }

    /// Whether two edges on one line have more than a point in common.
    pub fn run_along(&self, e: Edge, f: Edge) -> bool {
        match self {
            Surface::Plane => plane::run_along(e, f),
            Surface::Globe(s) => globe::run_along(s, e, f),
        }
    }

    pub fn distance(&self, a: Coord, b: Coord) -> f64 {
        match self {
            Surface::Plane => plane::distance(a, b),
            Surface::Globe(s) => s.way(a, b).distance,
        }
    }

    /// The point at a part of the way from one to another one.
    pub fn between(&self, a: Coord, b: Coord, part: f64) -> Coord {
        match self {
            Surface::Plane => Coord { x: a.x + (b.x - a.x) * part, y: a.y + (b.y - a.y) * part },
            Surface::Globe(s) => {
                let way = s.way(a, b);
                s.end(a, way.azimuth, way.distance * part).0
            }
        }
    }

    pub fn locate(&self, c: Coord, polygon: &[Ring]) -> Place {
        match self {
            Surface::Plane => plane::locate(c, polygon),
            Surface::Globe(s) => plane::locate_by(polygon, |r| globe::locate_in_ring(s, c, r)),
        }
    }

    fn middle(&self, (u, v): Edge) -> Coord {
        match self {
            Surface::Plane => Coord { x: u.x / 2.0 + v.x / 2.0, y: u.y / 2.0 + v.y / 2.0 },
            Surface::Globe(s) => globe::middle(s, (u, v)),
        }
    }

    /// A point inside of a polygon. `work` is called for each look at all of the edges, and may end it.
    pub fn inner_point<E>(
        &self,
        polygon: &[Ring],
        work: &mut impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Option<Coord>, E> {
        match self {
            Surface::Plane => plane::inner_point(polygon, work),
            Surface::Globe(s) => globe::inner_point(s, polygon, work),
        }
    }

    /// The ends of an edge, and the corners of others between them, in order.
    fn split(&self, (a, b): Edge, others: &[Edge]) -> Vec<Coord> {
        let mut ends = vec![a, b];
        let corners = others.iter().flat_map(|f| [f.0, f.1]);
        ends.extend(corners.filter(|c| self.on_edge((a, b), *c)));
        // They are on one line of a plane, where x and y both only rise or only fall.
        let forward = |p: f64, q: f64, from: f64, to: f64| match from <= to {
            true => p.total_cmp(&q),
            false => q.total_cmp(&p),
        };
        ends.sort_by(|p, q| match self {
            Surface::Plane => forward(p.x, q.x, a.x, b.x).then(forward(p.y, q.y, a.y, b.y)),
            Surface::Globe(_) => globe::chord(a, *p).total_cmp(&globe::chord(a, *q)),
        });
        ends.dedup();
        ends
    }

    /// Whether one of the edges runs along all of this one.
    fn covered(&self, e: Edge, by: &[Edge]) -> bool {
        by.iter().any(|f| self.on_edge(*f, e.0) && self.on_edge(*f, e.1))
    }

    /// Whether lines run along all of an edge, one after the other.
    pub fn all_covered<E>(
        &self,
        e: Edge,
        by: &[Edge],
        work: &mut impl FnMut(usize) -> Result<(), E>,
    ) -> Result<bool, E> {
        work(by.len())?;
        if e.0 == e.1 {
            return Ok(self.covered(e, by));
        }
        for part in edges(&self.split(e, by)) {
            work(by.len())?;
            if !self.covered(part, by) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// What the parts of an edge are to polygons. None: it crosses a boundary, so that it has parts on both sides.
///
/// Where it does not, its parts between the corners that lie on it are each wholly inside, outside, or along the boundary. It
/// does not cross where a corner of the boundary lies on both edges, as where two polygons touch: it is cut there.
/// `work` is called for each look at all of the boundary, and may end it.
pub fn parts_of<E>(
    e: Edge,
    of: &Pieces,
    boundary: &[Edge],
    work: &mut impl FnMut(usize) -> Result<(), E>,
) -> Result<Option<Vec<Place>>, E> {
    work(boundary.len())?;
    if e.0 == e.1 {
        return Ok(Some(vec![of.locate(e.0)]));
    }
    let on = &of.on;
    let cuts = on.split(e, boundary);
    for f in boundary.iter().filter(|f| on.cross(e, **f)) {
        work(cuts.len())?;
        if !cuts.iter().any(|c| on.on_edge(*f, *c)) {
            return Ok(None);
        }
    }
    let mut places = Vec::new();
    for (u, v) in edges(&cuts) {
        work(boundary.len())?;
        if on.covered((u, v), boundary) {
            places.push(Place::Boundary);
            continue;
        }
        let known = [u, v].map(|c| of.locate(c)).into_iter().find(|p| *p != Place::Boundary);
        places.push(known.unwrap_or_else(|| of.locate(on.middle((u, v)))));
    }
    Ok(Some(places))
}
