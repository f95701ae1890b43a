//! Geometries at their edges: limits, signed zeros, lines without extent, collections, what texts of functions are compared with.
use crate::common::*;

fn relations(cases: &[(&str, &str, &str, &str)]) {
    with_server(1, |server| async move {
        let mut c = server.client();
        for (function, a, b, want) in cases {
            let sql = format!("select {function}(st_geomfromtext('{a}'), st_geomfromtext('{b}'))");
            c.check(&[(&sql, want)]).await;
        }
        c.0.close().await;
        drop(server);
    });
}

const TOUCHING: &str = "MULTIPOLYGON(((0 0,10 0,10 10,0 10,0 0)),((10 5,20 0,20 10,10 5)))";

#[test]
fn lines_through_a_point_where_polygons_touch() {
    relations(&[
        ("st_within", "LINESTRING(5 5,15 5)", TOUCHING, "1"),
        ("st_contains", TOUCHING, "LINESTRING(15 5,5 5)", "1"),
        ("st_within", "LINESTRING(5 4,15 4)", TOUCHING, "0"),
        ("st_within", "LINESTRING(5 5,10 5,10 6)", TOUCHING, "1"),
        ("st_within", "LINESTRING(5 5,15 5,25 5)", TOUCHING, "0"),
        ("st_equals", TOUCHING, TOUCHING, "1"),
        ("st_within", "POLYGON((1 1,2 1,2 2,1 1))", TOUCHING, "1"),
        ("st_within", "POLYGON((5 5,15 4,15 6,5 5))", TOUCHING, "0"),
    ]);
}

#[test]
fn zeros_have_no_sign() {
    relations(&[
        ("st_equals", "LINESTRING(0 0,0 10)", "LINESTRING(0 0,0 3,-0 5,0 10)", "1"),
        ("st_equals", "POINT(-0 0)", "POINT(0 -0)", "1"),
        ("st_within", "POINT(-0 0)", "LINESTRING(0 0,-0 -0)", "1"),
        // Three lines end in one place, which is their boundary.
        ("st_within", "POINT(0 0)", "MULTILINESTRING((1 0,0 0),(1 1,-0 0),(1 2,0 -0))", "0"),
        ("st_within", "POINT(0 0)", "MULTILINESTRING((1 0,0 0),(1 1,-0 0))", "1"),
    ]);
    check(&[
        (
            "select st_astext(st_convexhull(st_geomfromtext('MULTIPOINT(-0 5,-0 7,0 1)')))",
            "LINESTRING(0 1,0 7)",
        ),
        (
            "select st_astext(st_convexhull(st_geomfromtext('MULTIPOINT(-0 5,-0 7,0 1,1 1)')))",
            "POLYGON((0 1,1 1,0 7,0 1))",
        ),
    ]);
}

#[test]
fn lines_without_extent_are_points() {
    let far = "MULTILINESTRING((1 1,2 2),(99 99,99 99))";
    relations(&[
        ("st_within", "LINESTRING(9 9,9 9)", "LINESTRING(0 0,1 1)", "0"),
        ("st_equals", "LINESTRING(9 9,9 9)", "LINESTRING(5 5,5 5)", "0"),
        ("st_equals", "LINESTRING(9 9,9 9)", "LINESTRING(9 9,9 9,9 9)", "1"),
        ("st_within", "LINESTRING(1 1,1 1)", "LINESTRING(0 0,2 2)", "1"),
        ("st_within", "LINESTRING(0 0,0 0)", "LINESTRING(0 0,2 2)", "0"),
        ("st_within", far, "LINESTRING(0 0,3 3)", "0"),
        ("st_within", far, "POLYGON((0 0,9 0,9 9,0 9,0 0))", "0"),
        ("st_within", "LINESTRING(5 5,5 5)", "POLYGON((0 0,9 0,9 9,0 9,0 0))", "1"),
        ("st_within", "LINESTRING(0 5,0 5)", "POLYGON((0 0,9 0,9 9,0 9,0 0))", "0"),
    ]);
}

#[test]
fn collections_of_one_kind() {
    let squares = "GEOMETRYCOLLECTION(POLYGON((0 0,4 0,4 4,0 4,0 0)),GEOMETRYCOLLECTION(POLYGON((9 9,12 9,12 12,9 9))))";
    relations(&[
        ("st_within", "POINT(1 1)", squares, "1"),
        ("st_within", "LINESTRING(1 1,2 2)", squares, "1"),
        ("st_within", "GEOMETRYCOLLECTION(POINT(1 1),POINT(11 10))", squares, "1"),
        ("st_within", "GEOMETRYCOLLECTION(LINESTRING(1 1,2 2))", "LINESTRING(0 0,3 3)", "1"),
        ("st_within", "GEOMETRYCOLLECTION(POINT(1 1),LINESTRING(1 1,2 2))", squares, "1"),
        ("st_within", squares, "GEOMETRYCOLLECTION(POINT(1 1),LINESTRING(1 1,2 2))", "0"),
        // Polygons that lie over each other are what they cover together.
        (
            "st_within",
            "POINT(1 1)",
            "GEOMETRYCOLLECTION(POLYGON((0 0,4 0,4 4,0 4,0 0)),POLYGON((2 2,6 2,6 6,2 6,2 2)))",
            "1",
        ),
        ("st_within", "GEOMETRYCOLLECTION()", "POINT(1 1)", "NULL"),
    ]);
}

#[test]
fn results_are_limited() {
    with_server(1, |server| async move {
        let mut root = server.client();
        root.all(&["set global max_allowed_packet = 1024"]).await;
        let mut c = server.client();
        c.all(&["set @g = point(1, 1)"]).await;
        for _ in 0..5 {
            c.all(&["set @g = geometrycollection(@g, @g)"]).await;
        }
        let tail = "was larger than max_allowed_packet (1024) - truncated";
        let warned = |name: &str| format!("Warning|1301|Result of {name}() {tail}");
        c.check(&[("select length(@g) < 1024, length(@g) > 900", "1|1")]).await;
        for (sql, name) in [
            ("select geometrycollection(@g, @g)", "geomcollection"),
            ("select st_asgeojson(@g)", "st_asgeojson"),
        ] {
            c.check(&[(sql, "NULL"), ("show warnings", &warned(name))]).await;
        }
        // Seventeen bytes for each number in the text, eight in WKB.
        let points: Vec<String> =
            (101..141).map(|i| format!("0.1234567890123{i} 1.123456789012{i}")).collect();
        let all = points
            .chunks(8)
            .map(|some| format!("st_geomfromtext('LINESTRING({})')", some.join(",")));
        let sql = format!("set @l = multilinestring({})", all.collect::<Vec<_>>().join(","));
        c.all(&[&sql]).await;
        c.check(&[
            ("select length(@l) < 1024", "1"),
            ("select st_astext(@l)", "NULL"),
            ("show warnings", &warned("st_astext")),
            ("select length(st_aswkb(@l)) = length(@l) - 4", "1"),
        ])
        .await;
        root.all(&["set global max_allowed_packet = default"]).await;
        root.0.close().await;
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn texts_of_functions_beside_literals() {
    check(&[
        ("set names utf8mb4 collate utf8mb4_0900_ai_ci", "ok 0"),
        ("create table t (g geometry, c varchar(10) collate utf8mb4_general_ci)", "ok 0"),
        ("insert into t values (point(1, 2), 'x')", "ok 1"),
        (
            "select count(*) from t where st_geometrytype(g) = 'POINT' and st_astext(g) = 'POINT(1 2)' and st_geohash(g, 1) = 's'",
            "1",
        ),
        (
            "select count(*) from t where md5(c) = '9dd4e461268c8034f5c8564e155c67a6' and hex(c) = '78' and to_base64(c) = 'eA==' and dayname('2024-01-01') = 'Monday'",
            "1",
        ),
        (
            "select collation(st_astext(g)), collation(md5(c)), collation(quote(c)) from t",
            "utf8mb4_0900_ai_ci|utf8mb4_0900_ai_ci|utf8mb4_general_ci",
        ),
        ("select count(*) from t where quote(c) = '\\'x\\'' and soundex(c) = 'X000'", "1"),
    ]);
}

#[test]
fn arguments_are_what_they_are_declared_as() {
    check(&[
        // Bytes are WKB; those of the stored form have an SRID in front.
        ("set @g = st_srid(point(1, 2), 4326)", "ok 0"),
        (
            "select st_geomfromwkb(@g)",
            "E3037 Invalid GIS data provided to function st_geomfromwkb.",
        ),
        ("create table t (g geometry)", "ok 0"),
        ("insert into t values (@g)", "ok 1"),
        ("select st_srid(st_geomfromwkb(g)), st_srid(st_geomfromwkb(g, 0)) from t", "4326|4326"),
        ("select st_geomfromwkb(g, null), st_geomfromwkb(null) from t", "NULL|NULL"),
        ("select st_linefromwkb(g) from t", "E3516"),
        ("select st_geomfromwkb(g, 99) from t", "E3548"),
        ("select st_geohash(g, 1, 1) from t", "E1210"),
        ("select st_geohash(1, g, 1) from t", "E1210"),
        ("select st_geohash(g, g) from t", "E1210"),
        ("select st_geomfromtext('POINT(1e999 0)')", "E3037"),
        (
            "select st_pointn(st_geomfromtext('LINESTRING(0 0,1 1)'), -1e300), st_geometryn(st_geomfromtext('MULTIPOINT(1 1)'), 1e300)",
            "NULL|NULL",
        ),
        (
            "select st_isclosed(st_srid(st_geomfromtext('LINESTRING(0 0,1 1,0 0)'), 4326)), st_srid(st_makeenvelope(st_srid(point(0, 0), 3857), st_srid(point(1, 1), 3857)))",
            "1|3857",
        ),
    ]);
}

#[test]
fn keys_on_points() {
    check(&[
        ("create table t (id int primary key, p varchar(10), g geometry not null)", "ok 0"),
        ("create index k on t (g)", "E1170"),
        ("alter table t add spatial key (g(10))", "E1089"),
        ("alter table t drop column p, add column p point", "ok 0"),
        ("alter table t add key p (p)", "ok 0"),
        ("alter table t modify p point not null", "ok 0"),
        ("create table u (b varbinary(25), key (b))", "ok 0"),
        ("alter table u modify b point", "ok 0"),
        ("insert into u values (point(1, 1))", "ok 1"),
        ("select count(*) from u where b = point(1, 1)", "1"),
        ("select sub_part from information_schema.statistics where table_name = 'u'", "25"),
        ("create table v (b varbinary(25), key (b))", "ok 0"),
        ("alter table v modify b geometry", "E1170"),
    ]);
}

#[test]
fn documents_no_deeper_than_documents_may_be() {
    check(&[
        ("create table t (g geometry)", "ok 0"),
        (
            "insert into t select st_geomfromtext(concat(repeat('GEOMETRYCOLLECTION(', 60), 'POINT(1 1)', repeat(')', 60)))",
            "ok 1",
        ),
        ("select st_asgeojson(g) from t", "E3157"),
        ("select json_array(g) from t", "E3157"),
        ("select json_object('g', g) from t", "E3157"),
        ("select json_arrayagg(g) from t", "E3157"),
    ]);
}

/// Geometries are equal or not, and have no order: 1210 where one is asked for.
#[test]
fn geometries_have_no_order() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&["create table t (g geometry)", "insert into t values (point(1, 1))"]).await;
        c.check(&[
            (
                "select g = point(1, 1), g <> point(1, 2), g <=> null, g in (point(1, 1)) from t",
                "1|1|0|1",
            ),
            ("select * from t where g < point(2, 2)", "E1210 Incorrect arguments to <"),
            ("select * from t where g >= 1", "E1210 Incorrect arguments to >="),
            ("select * from t where 1 > g", "E1210 Incorrect arguments to >"),
            ("select * from t where g between g and g", "E1210 Incorrect arguments to between"),
            ("select * from t where g like 'x'", "E1210 Incorrect arguments to like"),
            ("select conv(g, 10, 2) from t", "E1210 Incorrect arguments to conv"),
        ])
        .await;
    });
}
