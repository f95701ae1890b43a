//! Unions, intersections, differences and buffers, and the geometries of a group. Where nothing else is said, what a real MySQL 9.7 answers.

use crate::common::*;

fn check(cases: &[(&str, &str)]) {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(cases).await;
        c.0.close().await;
    });
}

const SHAPES: &[(&str, &str)] = &[
    ("P", "POINT(1 1)"),
    ("P2", "POINT(5 5)"),
    ("MP", "MULTIPOINT(1 1,5 5,20 20)"),
    ("L", "LINESTRING(-5 5,20 5)"),
    ("L2", "LINESTRING(5 -5,5 5,15 5)"),
    ("ML", "MULTILINESTRING((0 0,10 10),(0 10,10 0),(20 20,30 30))"),
    ("A", "POLYGON((0 0,10 0,10 10,0 10,0 0),(2 2,4 2,4 4,2 4,2 2))"),
    ("A2", "POLYGON((5 5,15 5,15 15,5 15,5 5))"),
    ("MA", "MULTIPOLYGON(((0 0,3 0,3 3,0 3,0 0)),((8 8,12 8,12 12,8 12,8 8)))"),
    (
        "C",
        "GEOMETRYCOLLECTION(POINT(1 1),LINESTRING(-5 5,20 5),POLYGON((5 5,15 5,15 15,5 15,5 5)))",
    ),
    ("E", "GEOMETRYCOLLECTION EMPTY"),
];

/// The function, the names of two shapes and the result.
const RESULTS: &[(&str, &str, &str, &str)] = &[
    ("st_union", "P", "P2", "MULTIPOINT((1 1),(5 5))"),
    ("st_union", "P", "MP", "MULTIPOINT((1 1),(5 5),(20 20))"),
    ("st_union", "P", "L", "GEOMETRYCOLLECTION(LINESTRING(-5 5,20 5),POINT(1 1))"),
    (
        "st_union",
        "MP",
        "C",
        "GEOMETRYCOLLECTION(POLYGON((5 5,15 5,15 15,5 15,5 5)),LINESTRING(-5 5,5 5),LINESTRING(15 5,20 5),POINT(1 1),POINT(20 20))",
    ),
    ("st_union", "L", "L2", "MULTILINESTRING((-5 5,20 5),(5 -5,5 5))"),
    ("st_union", "L2", "L", "MULTILINESTRING((5 -5,5 5,15 5),(-5 5,5 5),(15 5,20 5))"),
    ("st_union", "L", "ML", "MULTILINESTRING((-5 5,20 5),(0 0,10 10),(0 10,10 0),(20 20,30 30))"),
    (
        "st_union",
        "L",
        "A",
        "GEOMETRYCOLLECTION(POLYGON((0 0,10 0,10 10,0 10,0 0),(2 2,2 4,4 4,4 2,2 2)),LINESTRING(-5 5,0 5),LINESTRING(10 5,20 5))",
    ),
    (
        "st_union",
        "ML",
        "A",
        "GEOMETRYCOLLECTION(POLYGON((0 0,10 0,10 10,0 10,0 0),(2 2,2 4,4 4,4 2,2 2)),LINESTRING(2 2,4 4),LINESTRING(20 20,30 30))",
    ),
    ("st_union", "ML", "ML", "MULTILINESTRING((0 0,10 10),(0 10,10 0),(20 20,30 30))"),
    (
        "st_union",
        "A",
        "A2",
        "POLYGON((5 10,0 10,0 0,10 0,10 5,15 5,15 15,5 15,5 10),(2 2,2 4,4 4,4 2,2 2))",
    ),
    ("st_union", "A", "P", "POLYGON((0 0,10 0,10 10,0 10,0 0),(2 2,2 4,4 4,4 2,2 2))"),
    ("st_union", "E", "A", "POLYGON((0 0,10 0,10 10,0 10,0 0),(2 2,2 4,4 4,4 2,2 2))"),
    ("st_union", "E", "E", "GEOMETRYCOLLECTION EMPTY"),
    (
        "st_union",
        "MP",
        "A",
        "GEOMETRYCOLLECTION(POLYGON((0 0,10 0,10 10,0 10,0 0),(2 2,2 4,4 4,4 2,2 2)),POINT(20 20))",
    ),
    (
        "st_union",
        "L",
        "C",
        "GEOMETRYCOLLECTION(POLYGON((5 5,15 5,15 15,5 15,5 5)),LINESTRING(-5 5,5 5),LINESTRING(15 5,20 5),POINT(1 1))",
    ),
    ("st_union", "A", "E", "POLYGON((0 0,10 0,10 10,0 10,0 0),(2 2,2 4,4 4,4 2,2 2))"),
    (
        "st_union",
        "ML",
        "MA",
        "GEOMETRYCOLLECTION(POLYGON((0 0,3 0,3 3,0 3,0 0)),POLYGON((8 8,12 8,12 12,8 12,8 8)),LINESTRING(3 3,8 8),LINESTRING(0 10,10 0),LINESTRING(20 20,30 30))",
    ),
    ("st_intersection", "P", "P2", "GEOMETRYCOLLECTION EMPTY"),
    ("st_intersection", "P", "MP", "POINT(1 1)"),
    ("st_intersection", "P", "L", "GEOMETRYCOLLECTION EMPTY"),
    ("st_intersection", "L", "L2", "LINESTRING(5 5,15 5)"),
    ("st_intersection", "L2", "L", "LINESTRING(5 5,15 5)"),
    ("st_intersection", "L", "ML", "POINT(5 5)"),
    ("st_intersection", "L", "A", "LINESTRING(0 5,10 5)"),
    (
        "st_intersection",
        "ML",
        "A",
        "GEOMETRYCOLLECTION(LINESTRING(0 0,2 2),LINESTRING(4 4,10 10),LINESTRING(0 10,10 0))",
    ),
    ("st_intersection", "ML", "ML", "MULTILINESTRING((0 0,10 10),(0 10,10 0),(20 20,30 30))"),
    ("st_intersection", "A2", "MA", "POLYGON((8 8,12 8,12 12,8 12,8 8))"),
    ("st_intersection", "A", "P", "POINT(1 1)"),
    ("st_intersection", "E", "A", "GEOMETRYCOLLECTION EMPTY"),
    ("st_intersection", "E", "E", "GEOMETRYCOLLECTION EMPTY"),
    ("st_intersection", "MP", "A", "MULTIPOINT((1 1),(5 5))"),
    ("st_intersection", "A", "E", "GEOMETRYCOLLECTION EMPTY"),
    (
        "st_intersection",
        "ML",
        "MA",
        "GEOMETRYCOLLECTION(LINESTRING(0 0,3 3),LINESTRING(8 8,10 10))",
    ),
    ("st_difference", "P", "P2", "POINT(1 1)"),
    ("st_difference", "P", "MP", "GEOMETRYCOLLECTION EMPTY"),
    ("st_difference", "P", "L", "POINT(1 1)"),
    ("st_difference", "MP", "C", "POINT(20 20)"),
    ("st_difference", "L", "L2", "MULTILINESTRING((-5 5,5 5),(15 5,20 5))"),
    ("st_difference", "L2", "L", "LINESTRING(5 -5,5 5)"),
    ("st_difference", "L", "ML", "LINESTRING(-5 5,20 5)"),
    ("st_difference", "L", "A", "MULTILINESTRING((-5 5,0 5),(10 5,20 5))"),
    ("st_difference", "ML", "A", "MULTILINESTRING((2 2,4 4),(20 20,30 30))"),
    ("st_difference", "ML", "ML", "GEOMETRYCOLLECTION EMPTY"),
    (
        "st_difference",
        "A",
        "A2",
        "POLYGON((5 10,0 10,0 0,10 0,10 5,5 5,5 10),(2 2,2 4,4 4,4 2,2 2))",
    ),
    ("st_difference", "A", "P", "POLYGON((0 0,10 0,10 10,0 10,0 0),(2 2,2 4,4 4,4 2,2 2))"),
    (
        "st_difference",
        "C",
        "A",
        "GEOMETRYCOLLECTION(POLYGON((10 5,15 5,15 15,5 15,5 10,10 10,10 5)),LINESTRING(-5 5,0 5),LINESTRING(15 5,20 5))",
    ),
    ("st_difference", "C", "C", "GEOMETRYCOLLECTION EMPTY"),
    ("st_difference", "E", "A", "GEOMETRYCOLLECTION EMPTY"),
    ("st_difference", "E", "E", "GEOMETRYCOLLECTION EMPTY"),
    ("st_difference", "MP", "A", "POINT(20 20)"),
    ("st_difference", "L", "C", "GEOMETRYCOLLECTION EMPTY"),
    ("st_difference", "A", "E", "POLYGON((0 0,10 0,10 10,0 10,0 0),(2 2,2 4,4 4,4 2,2 2))"),
    ("st_difference", "ML", "MA", "MULTILINESTRING((3 3,8 8),(0 10,10 0),(20 20,30 30))"),
    ("st_symdifference", "P", "P2", "MULTIPOINT((1 1),(5 5))"),
    ("st_symdifference", "P", "MP", "MULTIPOINT((5 5),(20 20))"),
    ("st_symdifference", "P", "L", "GEOMETRYCOLLECTION(LINESTRING(-5 5,20 5),POINT(1 1))"),
    ("st_symdifference", "L", "L2", "MULTILINESTRING((-5 5,5 5),(15 5,20 5),(5 -5,5 5))"),
    ("st_symdifference", "L2", "L", "MULTILINESTRING((5 -5,5 5),(-5 5,5 5),(15 5,20 5))"),
    (
        "st_symdifference",
        "L",
        "ML",
        "MULTILINESTRING((-5 5,20 5),(0 0,10 10),(0 10,10 0),(20 20,30 30))",
    ),
    (
        "st_symdifference",
        "L",
        "A",
        "GEOMETRYCOLLECTION(POLYGON((0 0,10 0,10 10,0 10,0 0),(2 2,2 4,4 4,4 2,2 2)),LINESTRING(-5 5,0 5),LINESTRING(10 5,20 5))",
    ),
    (
        "st_symdifference",
        "ML",
        "A",
        "GEOMETRYCOLLECTION(POLYGON((0 0,10 0,10 10,0 10,0 0),(2 2,2 4,4 4,4 2,2 2)),LINESTRING(2 2,4 4),LINESTRING(20 20,30 30))",
    ),
    ("st_symdifference", "ML", "ML", "GEOMETRYCOLLECTION EMPTY"),
    ("st_symdifference", "A", "P", "POLYGON((0 0,10 0,10 10,0 10,0 0),(2 2,2 4,4 4,4 2,2 2))"),
    ("st_symdifference", "C", "C", "GEOMETRYCOLLECTION EMPTY"),
    ("st_symdifference", "E", "A", "POLYGON((0 0,10 0,10 10,0 10,0 0),(2 2,2 4,4 4,4 2,2 2))"),
    ("st_symdifference", "E", "E", "GEOMETRYCOLLECTION EMPTY"),
    (
        "st_symdifference",
        "MP",
        "A",
        "GEOMETRYCOLLECTION(POLYGON((0 0,10 0,10 10,0 10,0 0),(2 2,2 4,4 4,4 2,2 2)),POINT(20 20))",
    ),
    ("st_symdifference", "A", "E", "POLYGON((0 0,10 0,10 10,0 10,0 0),(2 2,2 4,4 4,4 2,2 2))"),
    (
        "st_symdifference",
        "ML",
        "MA",
        "GEOMETRYCOLLECTION(MULTIPOLYGON(((0 0,3 0,3 3,0 3,0 0)),((8 8,12 8,12 12,8 12,8 8))),LINESTRING(3 3,8 8),LINESTRING(0 10,10 0),LINESTRING(20 20,30 30))",
    ),
];

fn shape(name: &str) -> String {
    let found = SHAPES.iter().find(|(n, _)| *n == name);
    format!("st_geomfromtext('{}')", found.expect("a shape of the list").1)
}

#[test]
fn two_shapes_make_one() {
    with_server(1, |server| async move {
        let mut c = server.client();
        for (function, a, b, want) in RESULTS {
            let sql = format!("select st_astext({function}({}, {}))", shape(a), shape(b));
            assert_eq!(c.rows(&sql).await, *want, "{function} of {a} and {b}");
        }
        c.0.close().await;
    });
}

/// Of all pairs: what must hold of the four results together.
#[test]
fn the_four_results_agree() {
    with_server(1, |server| async move {
        let mut c = server.client();
        for (n, _) in SHAPES {
            for (m, _) in SHAPES {
                let (a, b) = (shape(n), shape(m));
                let sql = format!(
                    "select st_astext(st_union(st_union(st_difference({a}, {b}), st_difference({b}, {a})), st_intersection({a}, {b}))), st_astext(st_union({a}, {b}))"
                );
                let got = c.rows(&sql).await;
                let (parts, whole) = got.split_once('|').expect("two columns");
                let size = |t: &str| t.matches(' ').count() > 0;
                assert_eq!(size(parts), size(whole), "{n} {m}: {got}");
                let sql = format!(
                    "select st_astext(st_intersection({a}, st_difference({b}, {a}))) regexp 'POLYGON', st_isempty(st_symdifference(st_union({a}, {b}), st_union({b}, {a})))"
                );
                assert_eq!(c.rows(&sql).await, "0|1", "{n} {m}");
            }
        }
        c.0.close().await;
    });
}

#[test]
fn what_overlays_are_given() {
    let bow = "st_geomfromtext('POLYGON((0 0,4 4,4 0,0 4,0 0))')";
    check(&[
        ("select st_union(null, point(1, 1)), st_union(point(1, 1), null)", "NULL|NULL"),
        (
            "select st_union('x', point(1, 1))",
            "E3037 Invalid GIS data provided to function st_union.",
        ),
        (
            "select st_difference(st_geomfromtext('POINT(0 0)', 4326), point(1, 1))",
            "E3033 Binary geometry function st_difference given two geometries of different srids: 4326 and 0, which should have been identical.",
        ),
        (
            "select st_srid(g), st_astext(g) from (select st_union(st_geomfromtext('POINT(0 0)', 4326), st_geomfromtext('POINT(0 1)', 4326)) g) d",
            "4326|MULTIPOINT((0 0),(0 1))",
        ),
        (
            "select st_union(st_geomfromtext('LINESTRING(0 0,1 1)', 4326), st_geomfromtext('POINT(0 1)', 4326))",
            "E3618 st_union(LINESTRING, POINT) has not been implemented for geographic spatial reference systems.",
        ),
        ("select st_union(point(1, 1))", "E1582"),
        // Borders that touch in lines and points.
        (
            "select st_astext(st_intersection(st_geomfromtext('POLYGON((0 0,4 0,4 4,0 4,0 0))'), st_geomfromtext('POLYGON((4 0,6 0,6 6,3 6,3 3,4 2,4 0))')))",
            "GEOMETRYCOLLECTION(LINESTRING(4 0,4 2),POLYGON((3 4,3 3,4 2,4 4,3 4)))",
        ),
        (
            "select st_astext(st_intersection(st_geomfromtext('POLYGON((0 0,1 0,1 1,0 1,0 0))'), st_geomfromtext('POLYGON((1 1,2 1,2 2,1 2,1 1))')))",
            "POINT(1 1)",
        ),
        (
            "select st_astext(st_intersection(st_geomfromtext('POLYGON((0 0,4 0,4 4,0 4,0 0))'), st_geomfromtext('LINESTRING(3 5,5 3,2 2,2 9)')))",
            "GEOMETRYCOLLECTION(LINESTRING(4 2.6666666666666665,2 2,2 4),POINT(4 4))",
        ),
        (
            "select st_astext(st_intersection(st_geomfromtext('MULTILINESTRING((0 0,10 0),(0 5,10 5))'), st_geomfromtext('MULTILINESTRING((0 0,5 0),(7 -5,7 15))')))",
            "GEOMETRYCOLLECTION(MULTIPOINT((7 0),(7 5)),LINESTRING(0 0,5 0))",
        ),
        (
            "select st_astext(st_difference(st_geomfromtext('LINESTRING(0 0,5 0,10 0)'), st_geomfromtext('POLYGON((2 -1,3 -1,3 1,2 1,2 -1))')))",
            "MULTILINESTRING((0 0,2 0),(3 0,5 0,10 0))",
        ),
        // A square whose hole touches its border in four points is four triangles.
        (
            "select st_isvalid(g), st_numgeometries(g), st_area(g) from (select st_difference(st_geomfromtext('POLYGON((0 0,10 0,10 10,0 10,0 0))'), st_geomfromtext('POLYGON((0 5,5 0,10 5,5 10,0 5))')) g) d",
            "1|4|50",
        ),
        // MySQL says that such a polygon is invalid, or gives it back as it is.
        (
            &format!(
                "select st_area(g), st_isvalid(g) from (select st_union({bow}, st_geomfromtext('POLYGON((4 0,6 0,6 4,4 4,4 0))')) g) d"
            ),
            "16|1",
        ),
    ]);
}

#[test]
fn buffers() {
    let square = "st_geomfromtext('POLYGON((0 0,10 0,10 10,0 10,0 0))')";
    let wedge = "st_geomfromtext('POLYGON((0 0,10 0,10 10,5 1,0 10,0 0))')";
    let line = "st_geomfromtext('LINESTRING(0 0,10 0,12 10)')";
    let area = |args: &str| format!("select round(st_area(st_buffer({args})), 9)");
    let text = |args: &str| format!("select st_astext(st_buffer({args}), 'axis-order=long-lat')");
    let wrong = "E1210 Incorrect arguments to st_buffer";
    let cases: Vec<(String, &str)> = vec![
        (area(&format!("{wedge}, 1")), "107.970956160"),
        (area(&format!("{wedge}, -1")), "14.682547330"),
        (area(&format!("{wedge}, -0.3, st_buffer_strategy('join_miter', 2)")), "40.539916291"),
        (area("st_geomfromtext('LINESTRING(0 0,5 5,3 9,0 4,8 8)'), 0.7"), "34.938916658"),
        (area("st_geomfromtext('LINESTRING(0 0,5 0,1 1)'), 1, st_buffer_strategy('end_flat'), st_buffer_strategy('join_miter', 3)"), "15.100628296"),
        (area("st_geomfromtext('LINESTRING(0 0,10 0)'), 1, st_buffer_strategy('end_round', 5)"), "22.489898285"),
        (area("st_geomfromtext('LINESTRING(0 0,10 0)'), 1, st_buffer_strategy('end_round', 2)"), "22.000000000"),
        (area(&format!("{line}, 1, st_buffer_strategy('end_flat'), st_buffer_strategy('join_miter', 12)")), "40.396078054"),
        (area("st_geomfromtext('GEOMETRYCOLLECTION(POLYGON((0 0,10 0,10 10,0 10,0 0)),LINESTRING(5 5,9 9))'), -1"), "64.000000000"),
        (area(&format!("{square}, 1, st_buffer_strategy('join_miter', 5)")), "144.000000000"),
        (text(&format!("{square}, -9")), "GEOMETRYCOLLECTION EMPTY"),
        (text(&format!("{square}, 0")), "POLYGON((0 0,10 0,10 10,0 10,0 0))"),
        (text("point(0, 0), 1, st_buffer_strategy('point_square')"), "POLYGON((-1 -1,1 -1,1 1,-1 1,-1 -1))"),
        (text("point(0, 0), -1"), wrong),
        (text("point(0, 0), 1, 'x'"), wrong),
        (text("point(0, 0), 1, st_buffer_strategy('end_flat')"), wrong),
        (text("point(0, 0), 1, st_buffer_strategy('point_square'), st_buffer_strategy('point_square')"), wrong),
        (text(&format!("{square}, 1, st_buffer_strategy('end_flat')")), wrong),
        (text("point(0, 0), 1, null"), "NULL"),
        (text("st_geomfromtext('LINESTRING(0 0,1 1)', 4326), 1"), "E3618"),
        (text("st_geomfromtext('GEOMETRYCOLLECTION EMPTY'), 1"), "GEOMETRYCOLLECTION EMPTY"),
        (text("point(0, 0)"), "E1582"),
        (
            "select hex(st_buffer_strategy('END_FLAT')), hex(st_buffer_strategy('join_miter', 5)), st_buffer_strategy(null)".into(),
            "020000000000000000000000|040000000000000000001440|NULL",
        ),
        ("select st_buffer_strategy('point_circle', 0)".into(), "E1210 Incorrect arguments to st_buffer_strategy"),
        ("select st_buffer_strategy('end_flat', 1)".into(), "E1210"),
        (
            "select st_buffer_strategy('point_circle', 65537)".into(),
            "E3134 Parameter points_per_circle exceeds the maximum number of points in a geometry (65536) in function st_buffer_strategy.",
        ),
    ];
    let cases: Vec<(&str, &str)> = cases.iter().map(|(a, b)| (a.as_str(), *b)).collect();
    check(&cases);
}

#[test]
fn geometries_of_a_group() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table g (id int primary key, k int, p geometry)",
            "insert into g values (1, 1, point(1, 1)), (2, 1, point(2, 2)), (3, 2, st_geomfromtext('LINESTRING(0 0,1 1)')), (4, 2, st_geomfromtext('LINESTRING(2 2,3 3)')), (5, 3, st_geomfromtext('POLYGON((0 0,1 0,1 1,0 0))')), (6, 4, null), (7, 5, point(1, 1)), (8, 5, st_geomfromtext('LINESTRING(0 0,1 1)')), (9, 5, null)",
        ])
        .await;
        c.check(&[
            (
                "select k, st_astext(st_collect(p)) from g group by k order by k",
                "1|MULTIPOINT((1 1),(2 2)); 2|MULTILINESTRING((0 0,1 1),(2 2,3 3)); 3|MULTIPOLYGON(((0 0,1 0,1 1,0 0))); 4|NULL; 5|GEOMETRYCOLLECTION(POINT(1 1),LINESTRING(0 0,1 1))",
            ),
            (
                "select st_astext(st_collect(distinct p)) from g where k in (1, 5)",
                "GEOMETRYCOLLECTION(POINT(1 1),POINT(2 2),LINESTRING(0 0,1 1))",
            ),
            ("select st_astext(st_collect(p)) from g where k > 10", "NULL"),
            (
                "select id, st_astext(st_collect(p) over (order by id rows between 1 preceding and current row)) from g where k < 3",
                "1|MULTIPOINT((1 1)); 2|MULTIPOINT((1 1),(2 2)); 3|GEOMETRYCOLLECTION(POINT(2 2),LINESTRING(0 0,1 1)); 4|MULTILINESTRING((0 0,1 1),(2 2,3 3))",
            ),
            ("select st_collect(1)", "E3037 Invalid GIS data provided to function st_collect."),
            ("select st_collect(p order by id) from g", "E1064"),
            ("select st_collect(p, p) from g", "E1064"),
            ("select st_srid(st_collect(st_srid(p, 4326))) from g where id = 1", "4326"),
        ])
        .await;
        c.all(&["insert into g values (20, 9, st_geomfromtext('POINT(1 1)', 4326)), (21, 9, point(1, 1))"]).await;
        c.check(&[
            (
                "select st_collect(p) from g where k = 9",
                "E4034 Arguments to function st_collect contains geometries with different SRIDs: 4326 and 0. All geometries must have the same SRID.",
            ),
            (
                "create view v as select st_collect(distinct p) s from g where k = 1",
                "ok 0",
            ),
            ("select st_astext(s) from v", "MULTIPOINT((1 1),(2 2))"),
            ("create table made as select st_collect(p) c, st_union(p, p) u, st_buffer_strategy('end_flat') s from g where k = 1 group by u", "ok 2"),
            ("select group_concat(column_type order by ordinal_position) from information_schema.columns where table_name = 'made'", "geometry,geometry,varbinary(16)"),
        ])
        .await;
        c.0.close().await;
    });
}

#[test]
fn other_systems_of_coordinates() {
    let of = |text: &str, from: u32, to: &str| {
        format!("select st_astext(st_transform(st_geomfromtext('{text}', {from}), {to}))")
    };
    let cases: Vec<(String, &str)> = vec![
        (of("POINT(52.5 13.4)", 4326, "3857"), "POINT(1491681.1766298644 6891041.723891573)"),
        (
            of("POINT(1491681.18 6891041.72)", 3857, "4326"),
            "POINT(52.499999978718535 13.400000030274443)",
        ),
        (of("POINT(52.5 13.4)", 4326, "4258"), "POINT(52.5 13.4)"),
        (of("POINT(1e8 0)", 3857, "4326"), "POINT(0 178.31528411952152)"),
        // The edge of the map has no number beyond 180 here.
        (of("POINT(-20037508.342789244 0)", 3857, "4326"), "POINT(0 180)"),
        (of("POINT(89.9999999999 180)", 4326, "3857"), "NULL"),
        (of("POINT(1 1)", 0, "0"), "POINT(1 1)"),
        (of("POINT(1 1)", 0, "4326"), "E3741 Transformation from SRID 0 is not supported."),
        (of("POINT(1 1)", 4326, "0"), "E3742 Transformation to SRID 0 is not supported."),
        (
            of("POINT(1 1)", 4326, "-1"),
            "E3548 There's no spatial reference system with SRID 4294967295.",
        ),
        (of("POINT(1 1)", 4326, "null"), "NULL"),
        (of("GEOMETRYCOLLECTION EMPTY", 4326, "3857"), "GEOMETRYCOLLECTION EMPTY"),
        (
            "select st_transform('x', 3857)".into(),
            "E3037 Invalid GIS data provided to function st_transform.",
        ),
    ];
    let cases: Vec<(&str, &str)> = cases.iter().map(|(a, b)| (a.as_str(), *b)).collect();
    check(&cases);
}

/// Parts of several dimensions, and polygons that lie over each other.
#[test]
fn relations_of_collections() {
    let mixed = "st_geomfromtext('GEOMETRYCOLLECTION(POINT(1 1),LINESTRING(-5 5,20 5),POLYGON((5 5,15 5,15 15,5 15,5 5)))')";
    let over = "st_geomfromtext('GEOMETRYCOLLECTION(POLYGON((0 0,10 0,10 10,0 10,0 0)),POLYGON((5 5,15 5,15 15,5 15,5 5)))')";
    let square = "st_geomfromtext('POLYGON((5 5,15 5,15 15,5 15,5 5))')";
    let line = "st_geomfromtext('LINESTRING(0 0,5 5)')";
    let same = "st_geomfromtext('GEOMETRYCOLLECTION(POINT(1 1),LINESTRING(0 0,5 5))')";
    let all = |a: &str, b: &str| {
        let names =
            ["st_within", "st_contains", "st_equals", "st_touches", "st_crosses", "st_overlaps"];
        format!("select {}", names.map(|f| format!("{f}({a}, {b})")).join(", "))
    };
    let cases: Vec<(String, &str)> = vec![
        (all(mixed, mixed), "1|1|1|0|NULL|0"),
        (all(square, mixed), "1|0|0|0|NULL|0"),
        (all(over, square), "0|1|0|0|NULL|0"),
        (all(mixed, line), "0|0|0|0|NULL|NULL"),
        (all(line, mixed), "0|0|0|0|1|NULL"),
        (all(same, line), "1|1|1|0|0|0"),
        (all("point(0, 0)", over), "0|0|0|1|0|NULL"),
        (all("point(1, 1)", mixed), "1|0|0|NULL|0|NULL"),
        (all("geomcollection()", mixed), "NULL|NULL|0|NULL|NULL|NULL"),
        ("select st_within(null, geomcollection(point(1, 1)))".into(), "NULL"),
    ];
    let cases: Vec<(&str, &str)> = cases.iter().map(|(a, b)| (a.as_str(), *b)).collect();
    check(&cases);
}

/// A comb of many teeth: two of them cross in as many points as the product of their teeth.
fn comb(teeth: usize, upright: bool) -> String {
    let mut corners: Vec<(i64, i64)> = Vec::new();
    let high = 2 * teeth as i64;
    for i in 0..teeth as i64 {
        corners.extend([(2 * i, -1), (2 * i, high), (2 * i + 1, high), (2 * i + 1, -1)]);
    }
    corners.extend([(high, -1), (high, -2), (-1, -2), (-1, -1), (0, -1)]);
    let turned = |(x, y): (i64, i64)| if upright { format!("{x} {y}") } else { format!("{y} {x}") };
    let all: Vec<String> = corners.into_iter().map(turned).collect();
    format!("st_geomfromtext('POLYGON(({}))')", all.join(","))
}

#[test]
fn overlays_are_bounded() {
    with_server(1, |server| async move {
        let mut c = server.client();
        let (a, b) = (comb(40, true), comb(40, false));
        let sql = format!(
            "select st_area(st_union({a}, {b})) + st_area(st_geometryn(st_intersection({a}, {b}), 2)) - st_area({a}) - st_area({b})"
        );
        assert_eq!(c.rows(&sql).await, "0");
        let (a, b) = (comb(2000, true), comb(2000, false));
        c.check(&[(&format!("select st_area(st_union({a}, {b}))"), "E3044")]).await;
        c.0.close().await;
    });
}
