//! Properties of the relations over a small grid, against reckoning in whole numbers that looks at every place.

use crate::func::testing::call;
use crate::value::Value;
use crate::value::geo::{Coord, Geometry, Shape};
use proptest::prelude::*;

type Point = (i64, i64);

fn ask(function: &str, a: &Shape, b: &Shape) -> Option<bool> {
    let bytes = |s: &Shape| Geometry { srid: 0, shape: s.clone() }.to_stored();
    let (a, b) = (bytes(a), bytes(b));
    let args = [Value::Bytes(a.as_slice().into()), Value::Bytes(b.as_slice().into())];
    match call(function, &args).expect("no error") {
        Value::Int(n) => Some(n != 0),
        _ => None,
    }
}

/// A number with either sign of zero.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![Just(-0.0), Just(0.0), Just(1.0), Just(2.0), Just(3.0), Just(4.0)]
}

fn coord() -> impl Strategy<Value = Coord> {
    (number(), number()).prop_map(|(x, y)| Coord { x, y })
}

fn line() -> impl Strategy<Value = Vec<Coord>> {
    proptest::collection::vec(coord(), 2..5)
}

/// A triangle that has an area.
fn triangle() -> impl Strategy<Value = Vec<Coord>> {
    let has_area = |l: &Vec<Coord>| cross(whole(l[0]), whole(l[1]), whole(l[2])) != 0;
    proptest::collection::vec(coord(), 3).prop_filter("an area", has_area).prop_map(|mut l| {
        l.push(l[0]);
        l
    })
}

fn shapes() -> impl Strategy<Value = Shape> {
    prop_oneof![
        coord().prop_map(Shape::Point),
        proptest::collection::vec(coord(), 1..4).prop_map(Shape::MultiPoint),
        line().prop_map(Shape::LineString),
        proptest::collection::vec(line(), 1..3).prop_map(Shape::MultiLineString),
        triangle().prop_map(|r| Shape::Polygon(vec![r])),
    ]
}

/// Triangles, which may lie over each other.
fn polygons() -> impl Strategy<Value = Vec<Vec<Vec<Coord>>>> {
    proptest::collection::vec(triangle().prop_map(|t| vec![t]), 1..4)
}

/// What a function makes of two shapes.
fn make(function: &str, a: &Shape, b: &Shape) -> Shape {
    let bytes = |s: &Shape| Geometry { srid: 0, shape: s.clone() }.to_stored();
    let (a, b) = (bytes(a), bytes(b));
    let args = [Value::Bytes(a.as_slice().into()), Value::Bytes(b.as_slice().into())];
    let made = call(function, &args).expect("no error");
    Geometry::from_stored(made.as_bytes().expect("bytes")).expect("stored").shape
}

/// Whether a point lies on a shape that a function has made. Where two edges cross, the corner of such a shape is rounded, so a
/// place of the grid on an edge that begins there may lie a rounding away from it. A place of the grid that is not on an edge
/// between two others is at least 1/6 away from it.
fn is_near(point: &Shape, made: &Shape) -> bool {
    let stored = |s: &Shape| Geometry { srid: 0, shape: s.clone() }.to_stored();
    let (point, made) = (stored(point), stored(made));
    let args = [Value::Bytes(point.as_slice().into()), Value::Bytes(made.as_slice().into())];
    match call("ST_DISTANCE", &args).expect("no error") {
        Value::Double(d) => d < 1e-12,
        _ => false,
    }
}

fn area(s: &Shape) -> f64 {
    let polygons = crate::value::geo::plane::Pieces::of(s).polygons;
    let ring = |r: &Vec<Coord>| crate::value::geo::plane::doubled_area(r) / 2.0;
    polygons.iter().flatten().map(ring).sum()
}

fn whole(c: Coord) -> Point {
    (c.x as i64, c.y as i64)
}

fn cross(o: Point, a: Point, b: Point) -> i64 {
    (a.0 - o.0) * (b.1 - o.1) - (a.1 - o.1) * (b.0 - o.0)
}

/// Changes every line and ring.
fn with_lines(s: &Shape, f: impl Fn(&[Coord]) -> Vec<Coord>) -> Shape {
    match s {
        Shape::LineString(l) => Shape::LineString(f(l)),
        Shape::MultiPoint(l) => Shape::MultiPoint(l.iter().rev().copied().collect()),
        Shape::MultiLineString(all) => Shape::MultiLineString(all.iter().map(|l| f(l)).collect()),
        Shape::Polygon(rings) => Shape::Polygon(rings.iter().map(|r| f(r)).collect()),
        other => other.clone(),
    }
}

fn reversed(l: &[Coord]) -> Vec<Coord> {
    l.iter().rev().copied().collect()
}

/// Each edge in two halves, whose common end is exact on this grid.
fn halved(l: &[Coord]) -> Vec<Coord> {
    let middle = |w: &[Coord]| Coord { x: (w[0].x + w[1].x) / 2.0, y: (w[0].y + w[1].y) / 2.0 };
    let mut out = vec![l[0]];
    l.windows(2).for_each(|w| out.extend([middle(w), w[1]]));
    out
}

/// Greater: inside of the triangle. Equal: on its border.
fn in_triangle(t: [Point; 3], p: Point) -> std::cmp::Ordering {
    let sign = cross(t[0], t[1], t[2]).signum();
    let sides = [(0, 1), (1, 2), (2, 0)].map(|(i, j)| sign * cross(t[i], t[j], p));
    sides.into_iter().min().unwrap_or(0).cmp(&0)
}

/// Whether a segment is within a triangle, or a triangle within another: both are convex, so that it is what their corners and
/// the middle of the corners say.
fn corners_within(corners: &[Point], t: [Point; 3]) -> bool {
    // Scaled, so that the middle of two and of three corners is whole.
    let scaled = |p: Point| (p.0 * 6, p.1 * 6);
    let t = t.map(scaled);
    let n = corners.len() as i64;
    let sum = corners.iter().fold((0, 0), |s, c| (s.0 + c.0, s.1 + c.1));
    corners.iter().all(|c| in_triangle(t, scaled(*c)).is_ge())
        && in_triangle(t, (sum.0 * 6 / n, sum.1 * 6 / n)).is_gt()
}

fn three(ring: &[Coord]) -> [Point; 3] {
    [whole(ring[0]), whole(ring[1]), whole(ring[2])]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn a_shape_equals_itself(a in shapes()) {
        prop_assert_eq!(ask("ST_EQUALS", &a, &a), Some(true));
        prop_assert_eq!(ask("ST_WITHIN", &a, &a), Some(true));
        prop_assert_eq!(ask("ST_INTERSECTS", &a, &a), Some(true));
    }

    #[test]
    fn direction_and_corners_in_edges_change_nothing(a in shapes(), b in shapes()) {
        for other in [with_lines(&a, reversed), with_lines(&a, halved)] {
            prop_assert_eq!(ask("ST_EQUALS", &a, &other), Some(true), "{:?}", other);
            for f in ["ST_WITHIN", "ST_CONTAINS", "ST_INTERSECTS", "ST_EQUALS"] {
                prop_assert_eq!(ask(f, &a, &b), ask(f, &other, &b), "{} {:?}", f, other);
            }
        }
    }

    #[test]
    fn relations_agree(a in shapes(), b in shapes()) {
        prop_assert_eq!(ask("ST_WITHIN", &a, &b), ask("ST_CONTAINS", &b, &a));
        let (met, apart) = (ask("ST_INTERSECTS", &a, &b), ask("ST_DISJOINT", &a, &b));
        prop_assert_eq!(met, apart.map(|x| !x));
        if ask("ST_WITHIN", &a, &b) == Some(true) {
            prop_assert_eq!(met, Some(true));
        }
        let both = ask("ST_WITHIN", &a, &b) == Some(true) && ask("ST_WITHIN", &b, &a) == Some(true);
        prop_assert_eq!(ask("ST_EQUALS", &a, &b), Some(both));
    }

    #[test]
    fn what_is_in_a_triangle(t in triangle(), p in coord(), l in line(), u in triangle()) {
        let polygon = |r: &Vec<Coord>| Shape::Polygon(vec![r.clone()]);
        let point = in_triangle(three(&t), whole(p));
        prop_assert_eq!(ask("ST_WITHIN", &Shape::Point(p), &polygon(&t)), Some(point.is_gt()));
        prop_assert_eq!(ask("ST_INTERSECTS", &Shape::Point(p), &polygon(&t)), Some(point.is_ge()));
        let edge = Shape::LineString(l[..2].to_vec());
        let want = corners_within(&[whole(l[0]), whole(l[1])], three(&t));
        prop_assert_eq!(ask("ST_WITHIN", &edge, &polygon(&t)), Some(want), "{:?}", edge);
        let want = corners_within(&three(&u), three(&t));
        prop_assert_eq!(ask("ST_WITHIN", &polygon(&u), &polygon(&t)), Some(want), "{:?}", u);
    }

    #[test]
    fn areas_add_up(a in polygons(), b in polygons()) {
        let (a, b) = (Shape::MultiPolygon(a), Shape::MultiPolygon(b));
        let empty = Shape::Collection(Vec::new());
        // Triangles may lie over each other: what they cover together is a valid geometry.
        let tidy = |s: &Shape| make("ST_UNION", &Shape::Collection(vec![s.clone()]), &empty);
        let (a, b) = (tidy(&a), tidy(&b));
        let [union, common, left, right, either] = [
            make("ST_UNION", &a, &b),
            make("ST_INTERSECTION", &a, &b),
            make("ST_DIFFERENCE", &a, &b),
            make("ST_DIFFERENCE", &b, &a),
            make("ST_SYMDIFFERENCE", &a, &b),
        ];
        let close = |x: f64, y: f64| (x - y).abs() < 1e-12;
        prop_assert!(close(area(&a) + area(&b), area(&union) + area(&common)));
        prop_assert!(close(area(&left) + area(&common), area(&a)));
        prop_assert!(close(area(&left) + area(&right), area(&either)));
    }

    #[test]
    fn places_are_where_they_belong(a in shapes(), b in shapes(), c in coord()) {
        let point = Shape::Point(c);
        let there = |s: &Shape| ask("ST_INTERSECTS", &point, s) == Some(true);
        let near = |function| is_near(&point, &make(function, &a, &b));
        let (in_a, in_b) = (there(&a), there(&b));
        prop_assert_eq!(near("ST_UNION"), in_a || in_b);
        prop_assert_eq!(near("ST_INTERSECTION"), in_a && in_b);
        let left = near("ST_DIFFERENCE");
        prop_assert!(!left || in_a);
        prop_assert!(left || !in_a || in_b);
    }

    #[test]
    fn a_hull_covers_all_points(points in proptest::collection::vec(coord(), 1..9)) {
        let given = Geometry { srid: 0, shape: Shape::MultiPoint(points.clone()) }.to_stored();
        let hull = call("ST_CONVEXHULL", &[Value::Bytes(given.into())]).expect("no error");
        let hull = Geometry::from_stored(hull.as_bytes().expect("bytes")).expect("stored").shape;
        for p in &points {
            prop_assert_eq!(ask("ST_INTERSECTS", &Shape::Point(*p), &hull), Some(true));
        }
        if let Shape::Polygon(rings) = &hull {
            // Each corner is one of the points and turns to the left.
            let ring: Vec<Point> = rings[0].iter().map(|c| whole(*c)).collect();
            for i in 0..ring.len() - 1 {
                prop_assert!(points.iter().any(|p| whole(*p) == ring[i]));
                let after = ring[(i + 2) % (ring.len() - 1)];
                prop_assert!(cross(ring[i], ring[i + 1], after) > 0, "{:?}", ring);
            }
        }
    }
}
