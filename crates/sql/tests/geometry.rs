//! Geometries: the types, the functions, and what the values are beside others. Results are those of MySQL's manual.
use crate::common::*;

fn check(setup: &'static [&'static str], cases: &[(&str, &str)]) {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(setup).await;
        c.check(cases).await;
        c.0.close().await;
        drop(server);
    });
}

const NO_GEOMETRY: &str =
    "E1416 Cannot get geometry object from data you send to the GEOMETRY field";

#[test]
fn a_column_takes_geometries_only() {
    check(
        &["create table t (id int primary key, g geometry, p point)"],
        &[
            ("insert into t values (1, point(1, 2), st_geomfromtext('POINT(3 4)'))", "ok 1"),
            // The stored form, as dumps have it: Sakila's first address.
            (
                "insert into t values (2, 0x0000000001010000003E0A325D63345CC0761FDB8D99D94840, null)",
                "ok 1",
            ),
            (
                "select id, st_astext(g), st_astext(p) from t order by id",
                "1|POINT(1 2)|POINT(3 4); 2|POINT(-112.8185647 49.6999986)|NULL",
            ),
            (
                "select hex(g), length(g) from t where id = 1",
                "000000000101000000000000000000F03F0000000000000040|25",
            ),
            ("insert into t values (3, 'POINT(1 1)', null)", NO_GEOMETRY),
            ("insert into t values (3, 1, null)", NO_GEOMETRY),
            ("insert into t values (3, 1.5, null)", NO_GEOMETRY),
            ("insert into t values (3, now(), null)", NO_GEOMETRY),
            ("insert into t values (3, '', null)", NO_GEOMETRY),
            ("insert ignore into t values (3, 'x', null)", NO_GEOMETRY),
            ("insert into t values (3, null, st_geomfromtext('LINESTRING(0 0,1 1)'))", NO_GEOMETRY),
            ("update t set p = cast('{}' as json)", NO_GEOMETRY),
            // WKB without an SRID, a byte too many, a byte too few, the other order, four billion points.
            ("insert into t values (3, st_aswkb(point(1, 1)), null)", "E3055"),
            ("insert into t values (3, concat(point(1, 1), 'x'), null)", NO_GEOMETRY),
            ("insert into t values (3, left(point(1, 1), 24), null)", NO_GEOMETRY),
            (
                "insert into t values (3, 0x0000000000000000013FF00000000000003FF0000000000000, null)",
                "E3055 Geometry byte string must be little endian.",
            ),
            ("insert into t values (3, 0x000000000102000000FFFFFFFF00000000, null)", NO_GEOMETRY),
            ("select count(*) from t", "2"),
            (
                "select column_name, data_type, column_type, character_maximum_length, character_set_name, srs_id from information_schema.columns where table_name = 't' order by ordinal_position",
                "id|int|int|NULL|NULL|NULL; g|geometry|geometry|NULL|NULL|NULL; p|point|point|NULL|NULL|NULL",
            ),
        ],
    );
}

#[test]
fn every_type_has_its_column() {
    check(
        &[
            "create table t (a geometry, b point, c linestring, d polygon, e multipoint, f multilinestring, g multipolygon, h geometrycollection, i geomcollection)",
        ],
        &[
            (
                "show create table t",
                "t|CREATE TABLE `t` (\n  `a` geometry DEFAULT NULL,\n  `b` point DEFAULT NULL,\n  `c` linestring DEFAULT NULL,\n  `d` polygon DEFAULT NULL,\n  `e` multipoint DEFAULT NULL,\n  `f` multilinestring DEFAULT NULL,\n  `g` multipolygon DEFAULT NULL,\n  `h` geomcollection DEFAULT NULL,\n  `i` geomcollection DEFAULT NULL\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci",
            ),
            (
                "insert into t (c, d, e, f, g, h, i) values (st_geomfromtext('LINESTRING(0 0,1 1)'), st_geomfromtext('POLYGON((0 0,1 0,1 1,0 0))'), st_geomfromtext('MULTIPOINT(0 0,1 1)'), st_geomfromtext('MULTILINESTRING((0 0,1 1))'), st_geomfromtext('MULTIPOLYGON(((0 0,1 0,1 1,0 0)))'), st_geomfromtext('GEOMETRYCOLLECTION(POINT(1 1))'), st_geomfromtext('GEOMETRYCOLLECTION EMPTY'))",
                "ok 1",
            ),
            (
                "select st_astext(c), st_astext(d), st_astext(e), st_astext(f), st_astext(g), st_astext(h), st_astext(i) from t",
                "LINESTRING(0 0,1 1)|POLYGON((0 0,1 0,1 1,0 0))|MULTIPOINT((0 0),(1 1))|MULTILINESTRING((0 0,1 1))|MULTIPOLYGON(((0 0,1 0,1 1,0 0)))|GEOMETRYCOLLECTION(POINT(1 1))|GEOMETRYCOLLECTION EMPTY",
            ),
            (
                "select st_geometrytype(c), st_geometrytype(e), st_geometrytype(h) from t",
                "LINESTRING|MULTIPOINT|GEOMCOLLECTION",
            ),
            (
                "select column_name, geometry_type_name, srs_id from information_schema.st_geometry_columns where column_name in ('a', 'i')",
                "a|geometry|NULL; i|geomcollection|NULL",
            ),
        ],
    );
}

#[test]
fn a_column_may_be_limited_to_an_srid() {
    check(
        &["create table t (g geometry not null /*!80003 srid 4326 */, p point srid 0 comment 'x')"],
        &[
            (
                "show create table t",
                "t|CREATE TABLE `t` (\n  `g` geometry NOT NULL /*!80003 SRID 4326 */,\n  `p` point /*!80003 SRID 0 */ DEFAULT NULL COMMENT 'x'\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci",
            ),
            (
                "insert into t (g) values (point(1, 1))",
                "E3643 The SRID of the geometry does not match the SRID of the column 'g'. The SRID of the geometry is 0, but the SRID of the column is 4326. Consider changing the SRID of the geometry or the SRID property of the column.",
            ),
            ("insert into t (g) values (st_geomfromtext('POINT(10 20)', 4326))", "ok 1"),
            (
                "create table u (g geometry srid 1)",
                "E3548 There's no spatial reference system with SRID 1.",
            ),
            (
                "create table u (g int srid 0)",
                "E1221 Incorrect usage of SRID and non-geometry column",
            ),
            (
                "select column_name, srs_name, srs_id from information_schema.st_geometry_columns where table_name = 't'",
                "g|WGS 84|4326; p||0",
            ),
            (
                "select srs_id, srs_name, organization from information_schema.st_spatial_reference_systems order by 1",
                "0||NULL; 3857|WGS 84 / Pseudo-Mercator|EPSG; 4258|ETRS89|EPSG; 4269|NAD83|EPSG; 4326|WGS 84|EPSG",
            ),
            (
                "alter table t modify g geometry not null srid 0",
                "E3643 The SRID of the geometry does not match the SRID of the column 'g'. The SRID of the geometry is 4326, but the SRID of the column is 0. Consider changing the SRID of the geometry or the SRID property of the column.",
            ),
            ("alter table t modify g geometry not null", "ok 1"),
            ("alter table t modify g point not null srid 4326", "ok 1"),
            ("alter table t modify g linestring not null", NO_GEOMETRY),
            ("alter table t add q point not null", NO_GEOMETRY),
            ("alter table t add q point, modify g longblob", "ok 1"),
            ("select st_astext(g) from t", "POINT(10 20)"),
            ("alter table t modify g geometry", "ok 1"),
            ("select st_astext(g) from t", "POINT(10 20)"),
        ],
    );
}

#[test]
fn definitions_with_geometries() {
    check(
        &["set sql_mode = ''", "set weir_skip_unsupported_indexes = off"],
        &[
            ("create table u (g point(10))", "E1064"),
            (
                "create table u (g geometry default 'x')",
                "E1101 BLOB, TEXT, GEOMETRY or JSON column 'g' can't have a default value",
            ),
            (
                "create table u (g geometry default '')",
                "E1101 BLOB, TEXT, GEOMETRY or JSON column 'g' can't have a default value",
            ),
            (
                "create table u (g geometry primary key)",
                "E1170 BLOB/TEXT column 'g' used in key specification without a key length",
            ),
            (
                "create table u (g geometry, key (g))",
                "E1170 BLOB/TEXT column 'g' used in key specification without a key length",
            ),
            ("create table u (g geometry not null, spatial key k (g))", "ok 0"),
            (
                "show warnings",
                "Note|1235|SPATIAL index 'k' of table 'test.u' is no index on disk here: no search uses it",
            ),
            ("drop table u", "ok 0"),
            (
                "create table u (g geometry, spatial key (g))",
                "E1252 All parts of a SPATIAL index must be NOT NULL",
            ),
            (
                "create table u (g int not null, spatial key (g))",
                "E1687 A SPATIAL index may only contain a geometrical type column",
            ),
            (
                "create table u (g point not null, h point not null, spatial key (g, h))",
                "E1070 Too many key parts specified; max 1 parts allowed",
            ),
            ("create table s (g geometry not null)", "ok 0"),
            ("create spatial index k on s (g)", "ok 0"),
            // No value stands for one that is missing.
            ("insert into s values ()", "E1364 Field 'g' doesn't have a default value"),
            ("insert into s values (null)", "E1048 Column 'g' cannot be null"),
            ("insert into s values (point(1, 1)), (null)", "E1048 Column 'g' cannot be null"),
            ("insert into s select null", "E1048 Column 'g' cannot be null"),
            ("insert into s values (point(1, 1))", "ok 1"),
            ("update s set g = null", "E1048 Column 'g' cannot be null"),
            ("update ignore s set g = null", "E1048 Column 'g' cannot be null"),
            ("insert ignore into s values (null)", "E1048 Column 'g' cannot be null"),
            ("update s set g = 'x'", NO_GEOMETRY),
            ("alter table s add h point not null", NO_GEOMETRY),
            (
                "create table u (id int, g point default (point(1, 2)), x double as (st_x(g)) stored, l linestring as (linestring(g, point(0, 0))), key (g), key (g(9)), check (st_y(g) < 5))",
                "ok 0",
            ),
            (
                "show create table u",
                "u|CREATE TABLE `u` (\n  `id` int DEFAULT NULL,\n  `g` point DEFAULT (point(1,2)),\n  `x` double GENERATED ALWAYS AS (st_x(`g`)) STORED,\n  `l` linestring GENERATED ALWAYS AS (linestring(`g`,point(0,0))) VIRTUAL,\n  KEY `g` (`g`(25)),\n  KEY `g_2` (`g`(9)),\n  CONSTRAINT `u_chk_1` CHECK ((st_y(`g`) < 5))\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci",
            ),
            ("insert into u (id) values (1)", "ok 1"),
            ("insert into u (id, g) values (2, point(3, 4))", "ok 1"),
            (
                "insert into u (id, g) values (2, point(3, 6))",
                "E3819 Check constraint 'u_chk_1' is violated.",
            ),
            (
                "select id, x, st_astext(l) from u order by id",
                "1|1|LINESTRING(1 2,0 0); 2|3|LINESTRING(3 4,0 0)",
            ),
            ("select id from u where g = point(3, 4)", "2"),
            ("select id from u where g in (point(1, 2), point(9, 9))", "1"),
            ("create table v as select g, x, st_envelope(g) as e, st_centroid(g) c from u", "ok 2"),
            (
                "select column_name, column_type, is_nullable from information_schema.columns where table_name = 'v' order by ordinal_position",
                "g|point|YES; x|double|YES; e|geometry|YES; c|point|YES",
            ),
            ("create temporary table w like u", "ok 0"),
            ("insert into w (id, g) select id, g from u", "ok 2"),
            ("select st_x(g) from w order by 1", "1; 3"),
            ("create view z as select id, g, st_astext(g) as t from u", "ok 0"),
            ("select t, st_y(g) from z order by id", "POINT(1 2)|2; POINT(3 4)|4"),
            ("replace into u (id, g) select id + 10, point(st_x(g) + 1, 1) from u", "ok 2"),
            ("select count(distinct g), count(*) from u", "4|4"),
        ],
    );
}

#[test]
fn geometries_beside_other_values() {
    check(
        &[
            "create table t (id int, g geometry)",
            "insert into t values (1, point(1, 1)), (2, point(2, 2)), (3, point(1, 1)), (4, null)",
        ],
        &[
            ("select count(*), min(id) from t group by g order by 2", "2|1; 1|2; 1|4"),
            ("select distinct st_astext(g) from t order by 1", "NULL; POINT(1 1); POINT(2 2)"),
            ("select id from t order by g, id", "4; 2; 1; 3"),
            ("select a.id from t a join t b on a.g = b.g where a.id < b.id", "1"),
            ("select min(g) from t", "E1210 Incorrect arguments to min"),
            ("select max(g) from t", "E1210 Incorrect arguments to max"),
            ("select sum(g) from t", "E1210 Incorrect arguments to sum"),
            ("select max(g) over () from t", "E1210 Incorrect arguments to max"),
            ("select g + 1 from t", "E1210 Incorrect arguments to +"),
            ("select -g from t", "E1210 Incorrect arguments to -"),
            ("select g & g from t", "E1210 Incorrect arguments to &"),
            ("select abs(g) from t", "E1210 Incorrect arguments to abs"),
            ("select count(g), if(max(id) > 9, 1, 2) from t", "3|2"),
            ("select if(g, 1, 2), not g from t where id = 1", "2|1"),
            (
                "select st_astext(coalesce(null, g)), st_astext(if(id = 2, g, null)) from t where id < 3 order by id",
                "POINT(1 1)|NULL; POINT(2 2)|POINT(2 2)",
            ),
            (
                "select st_astext(case when id = 1 then g else linestring(g, point(0, 0)) end) from t where id < 3 order by id",
                "POINT(1 1); LINESTRING(2 2,0 0)",
            ),
            (
                "select st_astext(g) from (select g from t where id = 1 union all select linestring(point(1, 1), point(2, 2))) as u",
                "POINT(1 1); LINESTRING(1 1,2 2)",
            ),
            (
                "select json_object('g', g), cast(g as json) from t where id = 1",
                "{\"g\": {\"type\": \"Point\", \"coordinates\": [1.0, 1.0]}}|{\"type\": \"Point\", \"coordinates\": [1.0, 1.0]}",
            ),
            (
                "select json_arrayagg(g) from t where id in (1, 4)",
                "[{\"type\": \"Point\", \"coordinates\": [1.0, 1.0]}, null]",
            ),
            (
                "select hex(cast(g as binary)), hex(concat(g, '')) = hex(g) from t where id = 2",
                "00000000010100000000000000000000400000000000000040|1",
            ),
            ("set @g = (select g from t where id = 2)", "ok 0"),
            ("select st_astext(@g), st_srid(@g)", "POINT(2 2)|0"),
            ("prepare s from 'select st_astext(?), st_x(?)'", "ok 0"),
            ("execute s using @g, @g", "POINT(2 2)|2"),
            ("set @n = 5", "ok 0"),
            ("execute s using @g, @n", "E3037 Invalid GIS data provided to function st_x."),
            ("prepare i from 'insert into t values (9, ?)'", "ok 0"),
            ("execute i using @g", "ok 1"),
            ("execute i using @n", NO_GEOMETRY),
            ("delete from t where g = point(2, 2)", "ok 2"),
            ("update t set g = st_srid(g, 4326) where id = 1", "ok 1"),
        ],
    );
}

/// What each kind becomes as each other one, where it can be one: the kinds in the order of the columns are point, linestring, polygon, multipoint,
/// multilinestring, multipolygon, geometrycollection.
#[test]
fn casts_to_other_kinds() {
    const KINDS: [&str; 7] = [
        "point",
        "linestring",
        "polygon",
        "multipoint",
        "multilinestring",
        "multipolygon",
        "geometrycollection",
    ];
    const NONE: &str = "E4032";
    const TURNED: &str = "E4033";
    let rows = [
        (
            "POINT(5 6)",
            [
                "POINT(5 6)",
                NONE,
                NONE,
                "MULTIPOINT((5 6))",
                NONE,
                NONE,
                "GEOMETRYCOLLECTION(POINT(5 6))",
            ],
        ),
        (
            "LINESTRING(1 1,7 1,7 7,1 1)",
            [
                NONE,
                "LINESTRING(1 1,7 1,7 7,1 1)",
                "POLYGON((1 1,7 1,7 7,1 1))",
                "MULTIPOINT((1 1),(7 1),(7 7),(1 1))",
                "MULTILINESTRING((1 1,7 1,7 7,1 1))",
                NONE,
                "GEOMETRYCOLLECTION(LINESTRING(1 1,7 1,7 7,1 1))",
            ],
        ),
        (
            "LINESTRING(1 1,7 7,7 1,1 1)",
            [
                NONE,
                "LINESTRING(1 1,7 7,7 1,1 1)",
                TURNED,
                "MULTIPOINT((1 1),(7 7),(7 1),(1 1))",
                "MULTILINESTRING((1 1,7 7,7 1,1 1))",
                NONE,
                "GEOMETRYCOLLECTION(LINESTRING(1 1,7 7,7 1,1 1))",
            ],
        ),
        (
            "POLYGON((1 1,7 7,7 1,1 1))",
            [
                NONE,
                "LINESTRING(1 1,7 1,7 7,1 1)",
                "POLYGON((1 1,7 1,7 7,1 1))",
                NONE,
                "MULTILINESTRING((1 1,7 1,7 7,1 1))",
                "MULTIPOLYGON(((1 1,7 1,7 7,1 1)))",
                "GEOMETRYCOLLECTION(POLYGON((1 1,7 1,7 7,1 1)))",
            ],
        ),
        (
            "MULTIPOINT((2 3))",
            [
                "POINT(2 3)",
                NONE,
                NONE,
                "MULTIPOINT((2 3))",
                NONE,
                NONE,
                "GEOMETRYCOLLECTION(POINT(2 3))",
            ],
        ),
        (
            "MULTIPOINT((2 3),(4 4))",
            [
                NONE,
                "LINESTRING(2 3,4 4)",
                NONE,
                "MULTIPOINT((2 3),(4 4))",
                NONE,
                NONE,
                "GEOMETRYCOLLECTION(POINT(2 3),POINT(4 4))",
            ],
        ),
        (
            "MULTILINESTRING((1 1,7 1,7 7,1 1))",
            [
                NONE,
                "LINESTRING(1 1,7 1,7 7,1 1)",
                "POLYGON((1 1,7 1,7 7,1 1))",
                NONE,
                "MULTILINESTRING((1 1,7 1,7 7,1 1))",
                "MULTIPOLYGON(((1 1,7 1,7 7,1 1)))",
                "GEOMETRYCOLLECTION(LINESTRING(1 1,7 1,7 7,1 1))",
            ],
        ),
        (
            "MULTIPOLYGON(((1 1,7 1,7 7,1 1)),((11 1,17 1,17 7,11 1)))",
            [
                NONE,
                NONE,
                NONE,
                NONE,
                "MULTILINESTRING((1 1,7 1,7 7,1 1),(11 1,17 1,17 7,11 1))",
                "MULTIPOLYGON(((1 1,7 1,7 7,1 1)),((11 1,17 1,17 7,11 1)))",
                "GEOMETRYCOLLECTION(POLYGON((1 1,7 1,7 7,1 1)),POLYGON((11 1,17 1,17 7,11 1)))",
            ],
        ),
        (
            "GEOMETRYCOLLECTION(POLYGON((1 1,7 1,7 7,1 1)))",
            [
                NONE,
                NONE,
                "POLYGON((1 1,7 1,7 7,1 1))",
                NONE,
                NONE,
                "MULTIPOLYGON(((1 1,7 1,7 7,1 1)))",
                "GEOMETRYCOLLECTION(POLYGON((1 1,7 1,7 7,1 1)))",
            ],
        ),
        ("GEOMETRYCOLLECTION()", [NONE, NONE, NONE, NONE, NONE, NONE, "GEOMETRYCOLLECTION EMPTY"]),
    ];
    let ask = |text, kind| format!("select st_astext(cast(st_geomfromtext('{text}') as {kind}))");
    let cases: Vec<(String, &str)> = rows
        .iter()
        .flat_map(|(text, answers)| KINDS.iter().zip(answers).map(move |(k, a)| (ask(text, k), *a)))
        .collect();
    let cases: Vec<(&str, &str)> = cases.iter().map(|(q, a)| (q.as_str(), *a)).collect();
    check(&[], &cases);
    check(
        &[
            "create table t (g geometry, h multipoint as (cast(g as multipoint)))",
            "insert into t (g) values (point(1, 2))",
        ],
        &[
            (
                "select st_astext(h), st_srid(cast(st_srid(g, 4326) as multipoint)) from t",
                "MULTIPOINT((1 2))|4326",
            ),
            ("select cast(null as polygon), cast(g as geomcollection) is null from t", "NULL|0"),
            (
                "select cast('no geometry' as polygon)",
                "E3037 Invalid GIS data provided to function cast_as_polygon.",
            ),
            (
                "select convert(1, geometrycollection)",
                "E3037 Invalid GIS data provided to function cast_as_geometrycollection.",
            ),
            ("select cast(g as linestring) from t", "E4032 Invalid cast from POINT to LINESTRING."),
            (
                "select cast(st_geomfromtext('MULTILINESTRING((1 1,7 7,7 1,1 1))') as polygon)",
                "E4033 Invalid cast from LINESTRING to POLYGON. A polygon ring is in the wrong direction.",
            ),
            ("select least(g, g) from t", "E1210 Incorrect arguments to least"),
        ],
    );
}

#[test]
fn texts_and_bytes() {
    check(
        &[],
        &[
            (
                "select st_astext(st_geomfromtext('GEOMETRYCOLLECTION(POINT(1 -1),LINESTRING(0 0,1 1),GEOMETRYCOLLECTION())'))",
                "GEOMETRYCOLLECTION(POINT(1 -1),LINESTRING(0 0,1 1),GEOMETRYCOLLECTION EMPTY)",
            ),
            (
                "select st_geomfromtext('POINT(1)')",
                "E3037 Invalid GIS data provided to function st_geomfromtext.",
            ),
            (
                "select st_geomfromtext(null), st_geomfromtext('POINT(1 1)', null), st_geomfromtext('POINT(1 1)', 0, null)",
                "NULL|NULL|NULL",
            ),
            (
                "select st_geomfromtext('POINT(1 1)', -1)",
                "E1690 SRID value is out of range in 'st_geomfromtext'",
            ),
            (
                "select st_geomfromtext('POINT(1 1)', 99)",
                "E3548 There's no spatial reference system with SRID 99.",
            ),
            (
                "select st_geomfromtext()",
                "E1582 Incorrect parameter count in the call to native function 'st_geomfromtext'",
            ),
            (
                "select st_pointfromtext('LINESTRING(0 0,1 1)')",
                "E3516 WKT value is a geometry of unexpected type LINESTRING in st_pointfromtext.",
            ),
            (
                "select st_astext(st_linefromtext('LINESTRING(0 0,1 1)')), st_astext(st_mpointfromtext('MULTIPOINT(1 1)'))",
                "LINESTRING(0 0,1 1)|MULTIPOINT((1 1))",
            ),
            (
                "select hex(st_aswkb(st_geomfromtext('POINT(1 -1)')))",
                "0101000000000000000000F03F000000000000F0BF",
            ),
            (
                "select st_astext(st_geomfromwkb(x'0101000000000000000000F03F000000000000F0BF'))",
                "POINT(1 -1)",
            ),
            (
                "select st_astext(st_geomfromwkb(x'00000000013FF0000000000000BFF0000000000000'))",
                "POINT(1 -1)",
            ),
            ("select st_astext(st_geomfromwkb(st_aswkb(point(1, 2)), 4326))", "POINT(1 2)"),
            (
                "select st_x(st_geomfromwkb(st_aswkb(point(1, 2)), 4326)), st_longitude(st_geomfromwkb(st_aswkb(point(1, 2)), 4326))",
                "1|2",
            ),
            (
                "select st_pointfromwkb(st_aswkb(linestring(point(1, 2), point(3, 4))))",
                "E3516 WKB value is a geometry of unexpected type LINESTRING in st_pointfromwkb.",
            ),
            (
                "select st_geomfromwkb('abc')",
                "E3037 Invalid GIS data provided to function st_geomfromwkb.",
            ),
            (
                "select st_astext('POINT(1 1)')",
                "E3037 Invalid GIS data provided to function st_astext.",
            ),
            ("select st_astext(1)", "E3037 Invalid GIS data provided to function st_astext."),
            ("select st_nothing(1)", "E1305 FUNCTION test.st_nothing does not exist"),
            // Geographic coordinates: the latitude first, unless something else is asked for.
            ("select st_astext(st_geomfromtext('POINT(10 170)', 4326))", "POINT(10 170)"),
            (
                "select st_astext(st_geomfromtext('POINT(170 10)', 4326, 'axis-order=long-lat'))",
                "POINT(10 170)",
            ),
            (
                "select st_astext(st_geomfromtext('POINT(10 170)', 4326), 'axis-order=long-lat')",
                "POINT(170 10)",
            ),
            (
                "select hex(st_aswkb(st_geomfromtext('POINT(10 170)', 4326))) = hex(st_aswkb(point(10, 170)))",
                "1",
            ),
            (
                "select hex(st_geomfromtext('POINT(1 2)', 4326))",
                "E610000001010000000000000000000040000000000000F03F",
            ),
            (
                "select st_geomfromtext('POINT(170 10)', 4326)",
                "E3617 Latitude 170.000000 is out of range in function st_geomfromtext. It must be within [-90.000000, 90.000000].",
            ),
            (
                "select st_geomfromtext('POINT(10 181)', 4326)",
                "E3616 Longitude 181.000000 is out of range in function st_geomfromtext. It must be within (-180.000000, 180.000000].",
            ),
            (
                "select st_geomfromtext('POINT(1 1)', 4326, 'axis-order')",
                "E3560 The string 'axis-order' is not a valid key = value pair in function st_geomfromtext.",
            ),
            (
                "select st_geomfromtext('POINT(1 1)', 4326, 'axis-order=x')",
                "E3559 Invalid value 'x' for option 'axis-order' in function 'st_geomfromtext'.",
            ),
            (
                "select st_geomfromtext('POINT(1 1)', 4326, 'order=x')",
                "E3558 Invalid option key 'order' in function st_geomfromtext.",
            ),
            (
                "select st_srid(st_srid(point(0, 0), 4326)), st_srid(point(0, 0), 1)",
                "E3548 There's no spatial reference system with SRID 1.",
            ),
            (
                "select st_srid(point(0, 100), 4326)",
                "E3732 A parameter of function st_srid contains a geometry with latitude 100.000000, which is out of range. It must be within [-90.000000, 90.000000].",
            ),
            ("select st_srid(0x010000000101000000000000000000F03F000000000000F0BF)", "1"),
            ("show warnings", "Warning|3519|There's no spatial reference system with SRID 1."),
            (
                "select st_x(0x010000000101000000000000000000F03F000000000000F0BF)",
                "E3548 There's no spatial reference system with SRID 1.",
            ),
        ],
    );
}

#[test]
fn constructors() {
    check(
        &[],
        &[
            ("select st_astext(point(1.5, '2')), point(null, 1)", "POINT(1.5 2)|NULL"),
            (
                "select st_astext(linestring(point(0, 0), point(1, 1), point(2, 2)))",
                "LINESTRING(0 0,1 1,2 2)",
            ),
            (
                "select linestring(point(0, 0))",
                "E3037 Invalid GIS data provided to function linestring.",
            ),
            (
                "select linestring(point(0, 0), linestring(point(1, 1), point(2, 2)))",
                "E1210 Incorrect arguments to linestring",
            ),
            (
                "select linestring(point(0, 0), 'x')",
                "E3037 Invalid GIS data provided to function linestring.",
            ),
            ("select linestring(point(0, 0), null)", "NULL"),
            (
                "select st_astext(polygon(linestring(point(0, 0), point(1, 0), point(1, 1), point(0, 0))))",
                "POLYGON((0 0,1 0,1 1,0 0))",
            ),
            (
                "select polygon(linestring(point(0, 0), point(1, 0), point(1, 1), point(0, 1)))",
                "E3037 Invalid GIS data provided to function polygon.",
            ),
            ("select st_astext(multipoint(point(0, 0), point(1, 1)))", "MULTIPOINT((0 0),(1 1))"),
            (
                "select st_astext(multilinestring(linestring(point(0, 0), point(1, 1))))",
                "MULTILINESTRING((0 0,1 1))",
            ),
            (
                "select st_astext(multipolygon(polygon(linestring(point(0, 0), point(1, 0), point(1, 1), point(0, 0)))))",
                "MULTIPOLYGON(((0 0,1 0,1 1,0 0)))",
            ),
            (
                "select st_astext(geometrycollection(point(0, 0), multipoint(point(1, 1)))), st_astext(geomcollection())",
                "GEOMETRYCOLLECTION(POINT(0 0),MULTIPOINT((1 1)))|GEOMETRYCOLLECTION EMPTY",
            ),
            (
                "select st_astext(st_makeenvelope(point(0, 0), point(1, 2))), st_astext(st_makeenvelope(point(1, 1), point(1, 1)))",
                "POLYGON((0 0,1 0,1 2,0 2,0 0))|POINT(1 1)",
            ),
            ("select point(1), point(1, 2)", "E1064"),
        ],
    );
}

#[test]
fn parts_of_geometries() {
    check(
        &[
            "set @l = st_geomfromtext('LineString(1 1,2 2,3 3)')",
            "set @p = st_geomfromtext('Polygon((0 0,0 3,3 3,3 0,0 0),(1 1,1 2,2 2,2 1,1 1))')",
            "set @c = st_geomfromtext('GeometryCollection(Point(1 1),LineString(2 2, 3 3))')",
            "set @e = st_geomfromtext('POINT(45 90)', 4326)",
        ],
        &[
            (
                "select st_x(point(56.7, 53.34)), st_y(point(56.7, 53.34)), st_astext(st_x(point(56.7, 53.34), 10.5)), st_astext(st_y(point(1, 2), 3))",
                "56.7|53.34|POINT(10.5 53.34)|POINT(1 3)",
            ),
            ("select st_x(@e), st_y(@e), st_latitude(@e), st_longitude(@e)", "45|90|45|90"),
            (
                "select st_astext(st_latitude(@e, 10)), st_astext(st_longitude(@e, 10)), st_astext(st_x(@e, 11))",
                "POINT(10 90)|POINT(45 10)|POINT(11 90)",
            ),
            (
                "select st_latitude(@e, 91)",
                "E3617 Latitude 91.000000 is out of range in function st_latitude. It must be within [-90.000000, 90.000000].",
            ),
            (
                "select st_latitude(point(1, 1))",
                "E3726 Function st_latitude is only defined for geographic spatial reference systems, but one of its arguments is in SRID 0, which is not geographic.",
            ),
            (
                "select st_x(@l)",
                "E3516 POINT value is a geometry of unexpected type LINESTRING in st_x.",
            ),
            (
                "select st_dimension(@l), st_dimension(@p), st_dimension(point(1, 1)), st_dimension(@c), st_dimension(geomcollection())",
                "1|2|0|1|NULL",
            ),
            (
                "select st_isempty(@l), st_isempty(geomcollection()), st_isempty(geomcollection(geomcollection()))",
                "0|1|1",
            ),
            (
                "select st_numpoints(@l), st_numpoints(@p), st_astext(st_pointn(@l, 2)), st_pointn(@l, 0), st_pointn(@l, 4)",
                "3|NULL|POINT(2 2)|NULL|NULL",
            ),
            (
                "select st_astext(st_startpoint(@l)), st_astext(st_endpoint(@l)), st_startpoint(@p)",
                "POINT(1 1)|POINT(3 3)|NULL",
            ),
            (
                "select st_isclosed(@l), st_isclosed(st_geomfromtext('LINESTRING(0 0,1 1,0 0)')), st_isclosed(@p)",
                "0|1|NULL",
            ),
            (
                "select st_astext(st_exteriorring(@p)), st_astext(st_interiorringn(@p, 1)), st_interiorringn(@p, 2), st_interiorringn(@p, 0)",
                "LINESTRING(0 0,0 3,3 3,3 0,0 0)|LINESTRING(1 1,1 2,2 2,2 1,1 1)|NULL|NULL",
            ),
            (
                "select st_numinteriorrings(@p), st_numinteriorring(@p), st_numinteriorrings(@l)",
                "1|1|NULL",
            ),
            (
                "select st_numgeometries(@c), st_astext(st_geometryn(@c, 1)), st_geometryn(@c, 3), st_numgeometries(@l)",
                "2|POINT(1 1)|NULL|NULL",
            ),
            (
                "select st_astext(st_swapxy(st_geomfromtext('LINESTRING(1 2,3 4)')))",
                "LINESTRING(2 1,4 3)",
            ),
            (
                "select st_x(null), st_dimension(null), st_pointn(null, 1), st_pointn(@l, null)",
                "NULL|NULL|NULL|NULL",
            ),
            ("select st_isclosed(st_srid(@l, 4326))", "0"),
        ],
    );
}

#[test]
fn measures() {
    check(
        &["set @p = st_geomfromtext('Polygon((0 0,0 3,3 0,0 0),(1 1,1 2,2 1,1 1))')"],
        &[
            (
                "select st_area(@p), st_area(st_geomfromtext('MultiPolygon(((0 0,0 3,3 3,3 0,0 0),(1 1,1 2,2 2,2 1,1 1)))'))",
                "4|8",
            ),
            (
                "select st_area(point(1, 1))",
                "E3516 POLYGON/MULTIPOLYGON value is a geometry of unexpected type POINT in st_area.",
            ),
            (
                "select st_length(st_geomfromtext('LineString(1 1,2 2,3 3)')), st_length(st_geomfromtext('MultiLineString((1 1,2 2,3 3),(4 4,5 5))')), st_length(@p)",
                "2.8284271247461903|4.242640687119286|NULL",
            ),
            (
                "select st_astext(st_centroid(st_geomfromtext('POLYGON((0 0,10 0,10 10,0 10,0 0),(5 5,7 5,7 7,5 7,5 5))')))",
                "POINT(4.958333333333333 4.958333333333334)",
            ),
            (
                "select st_astext(st_centroid(st_geomfromtext('MULTIPOINT(0 0,2 2,4 4)'))), st_astext(st_centroid(st_geomfromtext('LINESTRING(0 0,2 0)'))), st_centroid(geomcollection())",
                "POINT(2 2)|POINT(1 0)|NULL",
            ),
            (
                "select st_astext(st_envelope(st_geomfromtext('LineString(1 1,2 2)'))), st_astext(st_envelope(st_geomfromtext('LineString(1 1,1 2)'))), st_astext(st_envelope(point(1, 1)))",
                "POLYGON((1 1,2 1,2 2,1 2,1 1))|LINESTRING(1 1,1 2)|POINT(1 1)",
            ),
            (
                "select st_astext(st_convexhull(st_geomfromtext('MULTIPOINT(5 0,25 0,15 10,15 25)')))",
                "POLYGON((5 0,25 0,15 25,5 0))",
            ),
            (
                "select st_distance(point(1, 1), point(2, 2)), st_distance(point(0, 0), st_geomfromtext('LINESTRING(-1 1,1 1)')), st_distance(point(1, 1), st_geomfromtext('POLYGON((0 0,3 0,3 3,0 3,0 0))'))",
                "1.4142135623730951|1|0",
            ),
            (
                "select st_distance(st_geomfromtext('POLYGON((0 0,1 0,1 1,0 1,0 0))'), st_geomfromtext('POLYGON((4 5,5 5,5 6,4 6,4 5))')), st_distance(geomcollection(), point(1, 1))",
                "5|NULL",
            ),
            (
                "select st_distance(point(1, 1), st_srid(point(1, 1), 4326))",
                "E3033 Binary geometry function st_distance given two geometries of different srids: 0 and 4326, which should have been identical.",
            ),
            ("select st_distance(st_srid(point(1, 1), 4326), st_srid(point(1, 1), 4326))", "0"),
            (
                "select st_distance_sphere(point(0, 0), point(180, 0)), st_distance_sphere(point(0, 0), point(180, 0), 1)",
                "20015042.813723423|3.141592653589793",
            ),
            (
                "select st_distance_sphere(point(0, 0), point(1, 1), 0)",
                "E3706 Invalid radius provided to function st_distance_sphere: Radius must be greater than zero.",
            ),
            (
                "select st_distance_sphere(point(0, 0), point(0, 91))",
                "E3732 A parameter of function st_distance_sphere contains a geometry with latitude 91.000000, which is out of range. It must be within [-90.000000, 90.000000].",
            ),
            (
                "select st_distance_sphere(point(0, 0), st_geomfromtext('LINESTRING(0 0,1 1)'))",
                "E3704 st_distance_sphere(POINT, LINESTRING) has not been implemented for Cartesian spatial reference systems.",
            ),
            (
                "select st_centroid(st_srid(@p, 4326))",
                "E3618 st_centroid(POLYGON) has not been implemented for geographic spatial reference systems.",
            ),
        ],
    );
}

#[test]
fn relations() {
    check(
        &[
            "set @g1 = st_geomfromtext('Polygon((0 0,0 3,3 3,3 0,0 0))')",
            "set @g2 = st_geomfromtext('Polygon((0 0,0 5,5 5,5 0,0 0))')",
            "set @hole = st_geomfromtext('Polygon((0 0,10 0,10 10,0 10,0 0),(4 4,6 4,6 6,4 6,4 4))')",
            "set @far = st_geomfromtext('Polygon((5 5,5 10,10 10,10 5,5 5))')",
        ],
        &[
            (
                "select mbrcontains(@g1, point(1, 1)), mbrwithin(point(1, 1), @g1), mbrcontains(@g1, point(0, 0)), mbrcovers(@g1, point(0, 0)), mbrcoveredby(point(0, 0), @g1)",
                "1|1|0|1|1",
            ),
            (
                "select mbrwithin(@g1, @g2), mbrwithin(@g2, @g1), mbrequals(@g1, @g1), mbrintersects(@g1, @far), mbrdisjoint(@g1, @far)",
                "1|0|1|0|1",
            ),
            (
                "select mbroverlaps(@g2, st_geomfromtext('Polygon((4 4,4 7,7 7,7 4,4 4))')), mbroverlaps(@g1, @g2), mbrtouches(@g2, @far), mbrtouches(point(1, 1), point(1, 1))",
                "1|0|1|0",
            ),
            ("select mbrcontains(null, @g1), mbrcontains(geomcollection(), @g1)", "NULL|NULL"),
            (
                "select mbrcontains(@g1, st_srid(@g1, 4326))",
                "E3033 Binary geometry function mbrcontains given two geometries of different srids: 0 and 4326, which should have been identical.",
            ),
            ("select mbrequals(st_srid(point(1, 1), 4326), st_srid(point(1, 1), 4326))", "1"),
            ("select mbrcontains(st_srid(@g1, 4326), st_srid(point(1, 1), 4326))", "1"),
            (
                "select st_contains(@g1, point(1, 1)), st_contains(@g1, point(0, 1)), st_within(point(2, 2), @g1), st_contains(@hole, point(5, 5)), st_contains(@hole, point(1, 1))",
                "1|0|1|0|1",
            ),
            (
                "select st_contains(@g2, @g1), st_within(@g2, @g1), st_contains(@hole, st_geomfromtext('Polygon((3 3,7 3,7 7,3 7,3 3))')), st_contains(@hole, st_geomfromtext('Polygon((4 4,6 4,6 6,4 6,4 4))')), st_contains(@hole, st_geomfromtext('Polygon((1 1,3 1,3 3,1 3,1 1))'))",
                "1|0|0|0|1",
            ),
            (
                "select st_contains(@g1, st_geomfromtext('LINESTRING(0 0,3 3)')), st_contains(@g1, st_geomfromtext('LINESTRING(0 0,0 3)')), st_contains(@hole, st_geomfromtext('LINESTRING(1 5,9 5)')), st_contains(@g1, st_geomfromtext('LINESTRING(1 1,4 4)'))",
                "1|0|0|0",
            ),
            (
                "select st_within(st_geomfromtext('LINESTRING(1 1,2 2)'), st_geomfromtext('LINESTRING(0 0,1.5 1.5,3 3)')), st_within(st_geomfromtext('LINESTRING(1 1,4 4)'), st_geomfromtext('LINESTRING(0 0,3 3)')), st_contains(st_geomfromtext('LINESTRING(0 0,2 2)'), point(1, 1)), st_contains(st_geomfromtext('LINESTRING(0 0,2 2)'), point(0, 0))",
                "1|0|1|0",
            ),
            (
                "select st_equals(st_geomfromtext('LINESTRING(0 0,2 2)'), st_geomfromtext('LINESTRING(2 2,1 1,0 0)')), st_equals(@g1, st_geomfromtext('Polygon((3 3,0 3,0 0,3 0,3 3))')), st_equals(@g1, @g2), st_equals(point(1, 1), point(1, 1)), st_equals(point(1, 1), point(1, 2))",
                "1|1|0|1|0",
            ),
            (
                "select st_intersects(@g1, @far), st_intersects(@g2, @far), st_disjoint(@g1, @far), st_intersects(@g2, @g1), st_intersects(st_geomfromtext('LINESTRING(0 0,2 2)'), st_geomfromtext('LINESTRING(0 2,2 0)'))",
                "0|1|1|1|1",
            ),
            (
                "select st_intersects(@hole, point(5, 5)), st_intersects(@hole, point(4, 5)), st_intersects(geomcollection(point(9, 9), point(1, 1)), @g1)",
                "0|1|1",
            ),
            (
                "select st_contains(geomcollection(point(1, 1)), point(1, 1)), st_within(point(2, 1), geomcollection(@g1))",
                "1|1",
            ),
            ("select st_contains(geomcollection(point(1, 1), @g1), point(1, 1))", "1"),
            (
                "select st_contains(@g1, 'x')",
                "E3037 Invalid GIS data provided to function st_contains.",
            ),
        ],
    );
}

#[test]
fn documents_and_hashes() {
    check(
        &[],
        &[
            (
                "select st_asgeojson(st_geomfromtext('POINT(11.11111 12.22222)'), 2)",
                "{\"type\": \"Point\", \"coordinates\": [11.11, 12.22]}",
            ),
            (
                "select st_asgeojson(st_geomfromtext('LINESTRING(1 2,3 4)'), 5, 1)",
                "{\"bbox\": [1.0, 2.0, 3.0, 4.0], \"type\": \"LineString\", \"coordinates\": [[1.0, 2.0], [3.0, 4.0]]}",
            ),
            (
                "select st_asgeojson(st_geomfromtext('POINT(1 2)', 4326), 5, 2)",
                "{\"crs\": {\"type\": \"name\", \"properties\": {\"name\": \"EPSG:4326\"}}, \"type\": \"Point\", \"coordinates\": [2.0, 1.0]}",
            ),
            (
                "select st_asgeojson(geomcollection(point(1, 2)))",
                "{\"type\": \"GeometryCollection\", \"geometries\": [{\"type\": \"Point\", \"coordinates\": [1.0, 2.0]}]}",
            ),
            ("set @json = '{ \"type\": \"Point\", \"coordinates\": [102.0, 0.0]}'", "ok 0"),
            (
                "select st_astext(st_geomfromgeojson(@json)), st_srid(st_geomfromgeojson(@json)), st_srid(st_geomfromgeojson(@json, 1, 0))",
                "POINT(0 102)|4326|0",
            ),
            (
                "select st_astext(st_geomfromgeojson('{\"type\": \"Polygon\", \"coordinates\": [[[0,0],[1,0],[1,1],[0,0]]]}', 1, 0))",
                "POLYGON((0 0,1 0,1 1,0 0))",
            ),
            (
                "select st_astext(st_geomfromgeojson('{\"type\": \"FeatureCollection\", \"features\": [{\"type\": \"Feature\", \"properties\": null, \"geometry\": {\"type\": \"Point\", \"coordinates\": [1, 2]}}]}', 1, 0))",
                "GEOMETRYCOLLECTION(POINT(1 2))",
            ),
            (
                "select st_geomfromgeojson('{\"type\": \"Point\", \"coordinates\": [1, 2, 3]}')",
                "E3073 Unsupported number of coordinate dimensions in function st_geomfromgeojson: Found 3, expected 2",
            ),
            (
                "select st_astext(st_geomfromgeojson('{\"type\": \"Point\", \"coordinates\": [1, 2, 3]}', 2))",
                "POINT(2 1)",
            ),
            (
                "select st_geomfromgeojson('{\"type\": \"Point\"}')",
                "E3070 Invalid GeoJSON data provided to function st_geomfromgeojson: Missing required member 'coordinates'",
            ),
            (
                "select st_geomfromgeojson('{\"type\": 1, \"coordinates\": []}')",
                "E3071 Invalid GeoJSON data provided to function st_geomfromgeojson: Member 'type' must be of type 'string'",
            ),
            (
                "select st_geomfromgeojson('[1]')",
                "E3072 Invalid GeoJSON data provided to function st_geomfromgeojson",
            ),
            (
                "select st_geomfromgeojson('{')",
                "E3141 Invalid JSON text in argument 1 to function st_geomfromgeojson: \"Missing a name for object member.\" at position 1.",
            ),
            (
                "select st_geomfromgeojson(@json, 7)",
                "E1411 Incorrect option value: '7' for function st_geomfromgeojson",
            ),
            ("select st_geomfromgeojson(null), st_geomfromgeojson('null')", "NULL|NULL"),
            (
                "select st_geohash(180, 0, 10), st_geohash(-180, -90, 15)",
                "xbpbpbpbpb|000000000000000",
            ),
            ("select st_geohash(point(180, 0), 10)", "xbpbpbpbpb"),
            (
                "select st_geohash(181, 0, 10)",
                "E1690 longitude value is out of range in 'st_geohash'",
            ),
            (
                "select st_geohash(0, 0, 101)",
                "E1690 max geohash length value is out of range in 'st_geohash'",
            ),
            (
                "select st_latfromgeohash(st_geohash(45, -20, 10)), st_longfromgeohash(st_geohash(45, -20, 10))",
                "-20|45",
            ),
            ("select st_astext(st_pointfromgeohash(st_geohash(45, -20, 10), 0))", "POINT(45 -20)"),
            (
                "select st_latfromgeohash('a')",
                "E1411 Incorrect geohash value: 'a' for function st_latfromgeohash",
            ),
        ],
    );
}
