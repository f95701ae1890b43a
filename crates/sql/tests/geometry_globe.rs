//! Measuring and comparing in a geographic SRS. The wanted answers are MySQL's.
use crate::common::*;

#[test]
fn what_mysql_answers() {
    let cases: &[(&str, &str)] = &[
        (
            "select round(st_distance(st_geomfromtext('POINT(52.5 13.4)', 4326), st_geomfromtext('POINT(48.1 11.6)', 4326)) * 1000)",
            "505916967",
        ),
        (
            "select round(st_distance(st_geomfromtext('POINT(0 179)', 4326), st_geomfromtext('POINT(0 -179)', 4326)) * 1000)",
            "222638982",
        ),
        (
            "select round(st_distance(st_geomfromtext('POINT(10 20)', 4326), st_geomfromtext('POINT(10 20)', 4326)) * 1000)",
            "0",
        ),
        (
            "select round(st_distance(st_geomfromtext('POINT(90 0)', 4326), st_geomfromtext('POINT(-90 0)', 4326)) * 1000)",
            "20003917357",
        ),
        (
            "select round(st_distance(st_geomfromtext('POINT(52.5 13.4)', 4326), st_geomfromtext('POINT(48.1 11.6)', 4326), 'kilometre') * 1000)",
            "505917",
        ),
        (
            "select round(st_distance(st_geomfromtext('POINT(52.5 13.4)', 4326), st_geomfromtext('POINT(48.1 11.6)', 4326), 'US SURVEY FOOT') * 1000)",
            "1659829249",
        ),
        (
            "select round(st_distance(st_geomfromtext('POINT(52.5 13.4)', 4326), st_geomfromtext('POINT(48.1 11.6)', 4326), null) * 1000)",
            "NULL",
        ),
        (
            "select round(st_distance(st_geomfromtext('POINT(52.5 13.4)', 4326), st_geomfromtext('POINT(48.1 11.6)', 4326), 'ell') * 1000)",
            "E3902 There's no unit of measure named 'ell'.",
        ),
        (
            "select round(st_distance(st_geomfromtext('POINT(50 13.4)', 4326), st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326)) * 1000)",
            "222611638",
        ),
        (
            "select round(st_distance(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326), st_geomfromtext('POINT(52.5 13.4)', 4326)) * 1000)",
            "0",
        ),
        (
            "select round(st_distance(st_geomfromtext('LINESTRING(45 0,45 90)', 4326), st_geomfromtext('POINT(60 40)', 4326)) * 1000)",
            "593198546",
        ),
        (
            "select round(st_distance(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326), st_geomfromtext('POINT(5 180)', 4326)) * 1000)",
            "389007182",
        ),
        (
            "select round(st_distance(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326), st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326)) * 1000)",
            "13013130908",
        ),
        (
            "select round(st_distance(st_geomfromtext('MULTIPOINT((1 1),(2 2))', 4326), st_geomfromtext('MULTIPOINT((3 3),(9 9))', 4326)) * 1000)",
            "156827576",
        ),
        (
            "select round(st_distance(st_geomfromtext('POLYGON((0 0,0 40,40 40,40 0,0 0),(10 10,10 20,20 20,20 10,10 10))', 4326), st_geomfromtext('POINT(15 15)', 4326)) * 1000)",
            "537706753",
        ),
        (
            "select round(st_distance(st_geomfromtext('GEOMETRYCOLLECTION(POINT(1 1),LINESTRING(5 5,6 6))', 4326), st_geomfromtext('POINT(5 7)', 4326)) * 1000)",
            "156547208",
        ),
        (
            "select round(st_distance(st_geomfromtext('GEOMETRYCOLLECTION()', 4326), st_geomfromtext('POINT(5 7)', 4326)) * 1000)",
            "NULL",
        ),
        (
            "select round(st_distance(st_geomfromtext('POINT(0 0)', 3857), st_geomfromtext('POINT(3 4)', 3857), 'foot'), 9)",
            "16.404199475",
        ),
        (
            "select st_distance(point(0, 0), point(1, 1), 'metre')",
            "E3882 The geometry passed to function st_distance is in SRID 0, which doesn't specify a length unit. Can't convert to 'metre'.",
        ),
        (
            "select st_length(st_geomfromtext('LINESTRING(0 0,1 1)'), 'metre')",
            "E3882 The geometry passed to function st_length is in SRID 0, which doesn't specify a length unit. Can't convert to 'metre'.",
        ),
        (
            "select round(st_length(st_geomfromtext('LINESTRING(45 0,45 90)', 4326)), 3)",
            "6690224.465",
        ),
        (
            "select round(st_length(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326)), 3)",
            "3130184.554",
        ),
        (
            "select round(st_length(st_geomfromtext('MULTILINESTRING((0 0,1 1),(2 2,3 3))', 4326)), 3)",
            "313725.376",
        ),
        ("select round(st_length(st_geomfromtext('POINT(1 1)', 4326)), 3)", "NULL"),
        (
            "select round(st_length(st_geomfromtext('LINESTRING(45 0,45 90)', 4326), 'nautical mile'), 6)",
            "3612.432217",
        ),
        (
            "select round(st_area(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326)), -3)",
            "7556566000",
        ),
        (
            "select round(st_area(st_geomfromtext('POLYGON((0 0,0 40,40 40,40 0,0 0),(10 10,10 20,20 20,20 10,10 10))', 4326)), -3)",
            "17420216471000",
        ),
        (
            "select round(st_area(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326)), -3)",
            "1634783589000",
        ),
        (
            "select round(st_area(st_geomfromtext('MULTIPOLYGON(((0 0,0 1,1 1,0 0)),((5 5,5 6,6 6,5 5)))', 4326)), -3)",
            "12287005000",
        ),
        (
            "select round(st_area(st_geomfromtext('POINT(1 1)', 4326)), -3)",
            "E3516 POLYGON/MULTIPOLYGON value is a geometry of unexpected type POINT in st_area.",
        ),
        (
            "select st_contains(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POINT(52.5 13.4)', 4326)), st_within(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POINT(52.5 13.4)', 4326)), st_intersects(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POINT(52.5 13.4)', 4326)), st_disjoint(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POINT(52.5 13.4)', 4326)), st_touches(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POINT(52.5 13.4)', 4326)), st_crosses(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POINT(52.5 13.4)', 4326)), st_overlaps(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POINT(52.5 13.4)', 4326)), st_equals(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POINT(52.5 13.4)', 4326))",
            "1|0|1|0|0|NULL|NULL|0",
        ),
        (
            "select st_contains(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POINT(52 13)', 4326)), st_within(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POINT(52 13)', 4326)), st_intersects(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POINT(52 13)', 4326)), st_disjoint(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POINT(52 13)', 4326)), st_touches(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POINT(52 13)', 4326)), st_crosses(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POINT(52 13)', 4326)), st_overlaps(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POINT(52 13)', 4326)), st_equals(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POINT(52 13)', 4326))",
            "0|0|1|0|1|NULL|NULL|0",
        ),
        (
            "select st_contains(st_geomfromtext('POLYGON((0 0,0 40,40 40,40 0,0 0),(10 10,10 20,20 20,20 10,10 10))', 4326),st_geomfromtext('POINT(15 15)', 4326)), st_within(st_geomfromtext('POLYGON((0 0,0 40,40 40,40 0,0 0),(10 10,10 20,20 20,20 10,10 10))', 4326),st_geomfromtext('POINT(15 15)', 4326)), st_intersects(st_geomfromtext('POLYGON((0 0,0 40,40 40,40 0,0 0),(10 10,10 20,20 20,20 10,10 10))', 4326),st_geomfromtext('POINT(15 15)', 4326)), st_disjoint(st_geomfromtext('POLYGON((0 0,0 40,40 40,40 0,0 0),(10 10,10 20,20 20,20 10,10 10))', 4326),st_geomfromtext('POINT(15 15)', 4326)), st_touches(st_geomfromtext('POLYGON((0 0,0 40,40 40,40 0,0 0),(10 10,10 20,20 20,20 10,10 10))', 4326),st_geomfromtext('POINT(15 15)', 4326)), st_crosses(st_geomfromtext('POLYGON((0 0,0 40,40 40,40 0,0 0),(10 10,10 20,20 20,20 10,10 10))', 4326),st_geomfromtext('POINT(15 15)', 4326)), st_overlaps(st_geomfromtext('POLYGON((0 0,0 40,40 40,40 0,0 0),(10 10,10 20,20 20,20 10,10 10))', 4326),st_geomfromtext('POINT(15 15)', 4326)), st_equals(st_geomfromtext('POLYGON((0 0,0 40,40 40,40 0,0 0),(10 10,10 20,20 20,20 10,10 10))', 4326),st_geomfromtext('POINT(15 15)', 4326))",
            "0|0|0|1|0|NULL|NULL|0",
        ),
        (
            "select st_contains(st_geomfromtext('POLYGON((0 0,0 40,40 40,40 0,0 0),(10 10,10 20,20 20,20 10,10 10))', 4326),st_geomfromtext('POINT(5 5)', 4326)), st_within(st_geomfromtext('POLYGON((0 0,0 40,40 40,40 0,0 0),(10 10,10 20,20 20,20 10,10 10))', 4326),st_geomfromtext('POINT(5 5)', 4326)), st_intersects(st_geomfromtext('POLYGON((0 0,0 40,40 40,40 0,0 0),(10 10,10 20,20 20,20 10,10 10))', 4326),st_geomfromtext('POINT(5 5)', 4326)), st_disjoint(st_geomfromtext('POLYGON((0 0,0 40,40 40,40 0,0 0),(10 10,10 20,20 20,20 10,10 10))', 4326),st_geomfromtext('POINT(5 5)', 4326)), st_touches(st_geomfromtext('POLYGON((0 0,0 40,40 40,40 0,0 0),(10 10,10 20,20 20,20 10,10 10))', 4326),st_geomfromtext('POINT(5 5)', 4326)), st_crosses(st_geomfromtext('POLYGON((0 0,0 40,40 40,40 0,0 0),(10 10,10 20,20 20,20 10,10 10))', 4326),st_geomfromtext('POINT(5 5)', 4326)), st_overlaps(st_geomfromtext('POLYGON((0 0,0 40,40 40,40 0,0 0),(10 10,10 20,20 20,20 10,10 10))', 4326),st_geomfromtext('POINT(5 5)', 4326)), st_equals(st_geomfromtext('POLYGON((0 0,0 40,40 40,40 0,0 0),(10 10,10 20,20 20,20 10,10 10))', 4326),st_geomfromtext('POINT(5 5)', 4326))",
            "1|0|1|0|0|NULL|NULL|0",
        ),
        (
            "select st_contains(st_geomfromtext('POLYGON((0 0,0 40,40 40,40 0,0 0),(10 10,10 20,20 20,20 10,10 10))', 4326),st_geomfromtext('LINESTRING(5 5,5 35)', 4326)), st_within(st_geomfromtext('POLYGON((0 0,0 40,40 40,40 0,0 0),(10 10,10 20,20 20,20 10,10 10))', 4326),st_geomfromtext('LINESTRING(5 5,5 35)', 4326)), st_intersects(st_geomfromtext('POLYGON((0 0,0 40,40 40,40 0,0 0),(10 10,10 20,20 20,20 10,10 10))', 4326),st_geomfromtext('LINESTRING(5 5,5 35)', 4326)), st_disjoint(st_geomfromtext('POLYGON((0 0,0 40,40 40,40 0,0 0),(10 10,10 20,20 20,20 10,10 10))', 4326),st_geomfromtext('LINESTRING(5 5,5 35)', 4326)), st_touches(st_geomfromtext('POLYGON((0 0,0 40,40 40,40 0,0 0),(10 10,10 20,20 20,20 10,10 10))', 4326),st_geomfromtext('LINESTRING(5 5,5 35)', 4326)), st_crosses(st_geomfromtext('POLYGON((0 0,0 40,40 40,40 0,0 0),(10 10,10 20,20 20,20 10,10 10))', 4326),st_geomfromtext('LINESTRING(5 5,5 35)', 4326)), st_overlaps(st_geomfromtext('POLYGON((0 0,0 40,40 40,40 0,0 0),(10 10,10 20,20 20,20 10,10 10))', 4326),st_geomfromtext('LINESTRING(5 5,5 35)', 4326)), st_equals(st_geomfromtext('POLYGON((0 0,0 40,40 40,40 0,0 0),(10 10,10 20,20 20,20 10,10 10))', 4326),st_geomfromtext('LINESTRING(5 5,5 35)', 4326))",
            "1|0|1|0|0|NULL|NULL|0",
        ),
        (
            "select st_contains(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('LINESTRING(50 45,60 45)', 4326)), st_within(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('LINESTRING(50 45,60 45)', 4326)), st_intersects(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('LINESTRING(50 45,60 45)', 4326)), st_disjoint(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('LINESTRING(50 45,60 45)', 4326)), st_touches(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('LINESTRING(50 45,60 45)', 4326)), st_crosses(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('LINESTRING(50 45,60 45)', 4326)), st_overlaps(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('LINESTRING(50 45,60 45)', 4326)), st_equals(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('LINESTRING(50 45,60 45)', 4326))",
            "0|0|1|0|0|1|0|0",
        ),
        (
            "select st_contains(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('LINESTRING(40 45,50 45)', 4326)), st_within(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('LINESTRING(40 45,50 45)', 4326)), st_intersects(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('LINESTRING(40 45,50 45)', 4326)), st_disjoint(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('LINESTRING(40 45,50 45)', 4326)), st_touches(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('LINESTRING(40 45,50 45)', 4326)), st_crosses(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('LINESTRING(40 45,50 45)', 4326)), st_overlaps(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('LINESTRING(40 45,50 45)', 4326)), st_equals(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('LINESTRING(40 45,50 45)', 4326))",
            "0|0|0|1|0|0|0|0",
        ),
        (
            "select st_contains(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('LINESTRING(40 45,60 45)', 4326)), st_within(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('LINESTRING(40 45,60 45)', 4326)), st_intersects(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('LINESTRING(40 45,60 45)', 4326)), st_disjoint(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('LINESTRING(40 45,60 45)', 4326)), st_touches(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('LINESTRING(40 45,60 45)', 4326)), st_crosses(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('LINESTRING(40 45,60 45)', 4326)), st_overlaps(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('LINESTRING(40 45,60 45)', 4326)), st_equals(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('LINESTRING(40 45,60 45)', 4326))",
            "0|0|1|0|0|1|0|0",
        ),
        (
            "select st_contains(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('LINESTRING(10 170,-10 -170)', 4326)), st_within(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('LINESTRING(10 170,-10 -170)', 4326)), st_intersects(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('LINESTRING(10 170,-10 -170)', 4326)), st_disjoint(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('LINESTRING(10 170,-10 -170)', 4326)), st_touches(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('LINESTRING(10 170,-10 -170)', 4326)), st_crosses(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('LINESTRING(10 170,-10 -170)', 4326)), st_overlaps(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('LINESTRING(10 170,-10 -170)', 4326)), st_equals(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('LINESTRING(10 170,-10 -170)', 4326))",
            "0|0|1|0|0|1|0|0",
        ),
        (
            "select st_contains(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('LINESTRING(10 -10,-10 10)', 4326)), st_within(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('LINESTRING(10 -10,-10 10)', 4326)), st_intersects(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('LINESTRING(10 -10,-10 10)', 4326)), st_disjoint(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('LINESTRING(10 -10,-10 10)', 4326)), st_touches(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('LINESTRING(10 -10,-10 10)', 4326)), st_crosses(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('LINESTRING(10 -10,-10 10)', 4326)), st_overlaps(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('LINESTRING(10 -10,-10 10)', 4326)), st_equals(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('LINESTRING(10 -10,-10 10)', 4326))",
            "0|0|0|1|0|0|0|0",
        ),
        (
            "select st_contains(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326),st_geomfromtext('POINT(89 50)', 4326)), st_within(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326),st_geomfromtext('POINT(89 50)', 4326)), st_intersects(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326),st_geomfromtext('POINT(89 50)', 4326)), st_disjoint(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326),st_geomfromtext('POINT(89 50)', 4326)), st_touches(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326),st_geomfromtext('POINT(89 50)', 4326)), st_crosses(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326),st_geomfromtext('POINT(89 50)', 4326)), st_overlaps(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326),st_geomfromtext('POINT(89 50)', 4326)), st_equals(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326),st_geomfromtext('POINT(89 50)', 4326))",
            "1|0|1|0|0|NULL|NULL|0",
        ),
        (
            "select st_contains(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326),st_geomfromtext('POINT(70 50)', 4326)), st_within(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326),st_geomfromtext('POINT(70 50)', 4326)), st_intersects(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326),st_geomfromtext('POINT(70 50)', 4326)), st_disjoint(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326),st_geomfromtext('POINT(70 50)', 4326)), st_touches(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326),st_geomfromtext('POINT(70 50)', 4326)), st_crosses(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326),st_geomfromtext('POINT(70 50)', 4326)), st_overlaps(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326),st_geomfromtext('POINT(70 50)', 4326)), st_equals(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326),st_geomfromtext('POINT(70 50)', 4326))",
            "0|0|0|1|0|NULL|NULL|0",
        ),
        (
            "select st_contains(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326),st_geomfromtext('POLYGON((85 0,85 120,85 -120,85 0))', 4326)), st_within(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326),st_geomfromtext('POLYGON((85 0,85 120,85 -120,85 0))', 4326)), st_intersects(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326),st_geomfromtext('POLYGON((85 0,85 120,85 -120,85 0))', 4326)), st_disjoint(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326),st_geomfromtext('POLYGON((85 0,85 120,85 -120,85 0))', 4326)), st_touches(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326),st_geomfromtext('POLYGON((85 0,85 120,85 -120,85 0))', 4326)), st_crosses(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326),st_geomfromtext('POLYGON((85 0,85 120,85 -120,85 0))', 4326)), st_overlaps(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326),st_geomfromtext('POLYGON((85 0,85 120,85 -120,85 0))', 4326)), st_equals(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326),st_geomfromtext('POLYGON((85 0,85 120,85 -120,85 0))', 4326))",
            "1|0|1|0|0|NULL|0|0",
        ),
        (
            "select st_contains(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326)), st_within(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326)), st_intersects(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326)), st_disjoint(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326)), st_touches(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326)), st_crosses(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326)), st_overlaps(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326)), st_equals(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326))",
            "1|1|1|0|0|NULL|0|1",
        ),
        (
            "select st_contains(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52 14,53 14,53 15,52 15,52 14))', 4326)), st_within(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52 14,53 14,53 15,52 15,52 14))', 4326)), st_intersects(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52 14,53 14,53 15,52 15,52 14))', 4326)), st_disjoint(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52 14,53 14,53 15,52 15,52 14))', 4326)), st_touches(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52 14,53 14,53 15,52 15,52 14))', 4326)), st_crosses(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52 14,53 14,53 15,52 15,52 14))', 4326)), st_overlaps(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52 14,53 14,53 15,52 15,52 14))', 4326)), st_equals(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52 14,53 14,53 15,52 15,52 14))', 4326))",
            "0|0|1|0|1|NULL|0|0",
        ),
        (
            "select st_contains(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52.5 13.5,53.5 13.5,53.5 14.5,52.5 14.5,52.5 13.5))', 4326)), st_within(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52.5 13.5,53.5 13.5,53.5 14.5,52.5 14.5,52.5 13.5))', 4326)), st_intersects(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52.5 13.5,53.5 13.5,53.5 14.5,52.5 14.5,52.5 13.5))', 4326)), st_disjoint(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52.5 13.5,53.5 13.5,53.5 14.5,52.5 14.5,52.5 13.5))', 4326)), st_touches(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52.5 13.5,53.5 13.5,53.5 14.5,52.5 14.5,52.5 13.5))', 4326)), st_crosses(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52.5 13.5,53.5 13.5,53.5 14.5,52.5 14.5,52.5 13.5))', 4326)), st_overlaps(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52.5 13.5,53.5 13.5,53.5 14.5,52.5 14.5,52.5 13.5))', 4326)), st_equals(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52.5 13.5,53.5 13.5,53.5 14.5,52.5 14.5,52.5 13.5))', 4326))",
            "0|0|1|0|0|NULL|1|0",
        ),
        (
            "select st_contains(st_geomfromtext('LINESTRING(0 0,0 10)', 4326),st_geomfromtext('LINESTRING(0 5,0 20)', 4326)), st_within(st_geomfromtext('LINESTRING(0 0,0 10)', 4326),st_geomfromtext('LINESTRING(0 5,0 20)', 4326)), st_intersects(st_geomfromtext('LINESTRING(0 0,0 10)', 4326),st_geomfromtext('LINESTRING(0 5,0 20)', 4326)), st_disjoint(st_geomfromtext('LINESTRING(0 0,0 10)', 4326),st_geomfromtext('LINESTRING(0 5,0 20)', 4326)), st_touches(st_geomfromtext('LINESTRING(0 0,0 10)', 4326),st_geomfromtext('LINESTRING(0 5,0 20)', 4326)), st_crosses(st_geomfromtext('LINESTRING(0 0,0 10)', 4326),st_geomfromtext('LINESTRING(0 5,0 20)', 4326)), st_overlaps(st_geomfromtext('LINESTRING(0 0,0 10)', 4326),st_geomfromtext('LINESTRING(0 5,0 20)', 4326)), st_equals(st_geomfromtext('LINESTRING(0 0,0 10)', 4326),st_geomfromtext('LINESTRING(0 5,0 20)', 4326))",
            "0|0|1|0|0|0|1|0",
        ),
        (
            "select st_contains(st_geomfromtext('LINESTRING(0 0,0 10,0 20)', 4326),st_geomfromtext('LINESTRING(0 20,0 0)', 4326)), st_within(st_geomfromtext('LINESTRING(0 0,0 10,0 20)', 4326),st_geomfromtext('LINESTRING(0 20,0 0)', 4326)), st_intersects(st_geomfromtext('LINESTRING(0 0,0 10,0 20)', 4326),st_geomfromtext('LINESTRING(0 20,0 0)', 4326)), st_disjoint(st_geomfromtext('LINESTRING(0 0,0 10,0 20)', 4326),st_geomfromtext('LINESTRING(0 20,0 0)', 4326)), st_touches(st_geomfromtext('LINESTRING(0 0,0 10,0 20)', 4326),st_geomfromtext('LINESTRING(0 20,0 0)', 4326)), st_crosses(st_geomfromtext('LINESTRING(0 0,0 10,0 20)', 4326),st_geomfromtext('LINESTRING(0 20,0 0)', 4326)), st_overlaps(st_geomfromtext('LINESTRING(0 0,0 10,0 20)', 4326),st_geomfromtext('LINESTRING(0 20,0 0)', 4326)), st_equals(st_geomfromtext('LINESTRING(0 0,0 10,0 20)', 4326),st_geomfromtext('LINESTRING(0 20,0 0)', 4326))",
            "1|1|1|0|0|0|0|1",
        ),
        (
            "select st_contains(st_geomfromtext('LINESTRING(10 5,20 5)', 4326),st_geomfromtext('LINESTRING(15 5,30 5)', 4326)), st_within(st_geomfromtext('LINESTRING(10 5,20 5)', 4326),st_geomfromtext('LINESTRING(15 5,30 5)', 4326)), st_intersects(st_geomfromtext('LINESTRING(10 5,20 5)', 4326),st_geomfromtext('LINESTRING(15 5,30 5)', 4326)), st_disjoint(st_geomfromtext('LINESTRING(10 5,20 5)', 4326),st_geomfromtext('LINESTRING(15 5,30 5)', 4326)), st_touches(st_geomfromtext('LINESTRING(10 5,20 5)', 4326),st_geomfromtext('LINESTRING(15 5,30 5)', 4326)), st_crosses(st_geomfromtext('LINESTRING(10 5,20 5)', 4326),st_geomfromtext('LINESTRING(15 5,30 5)', 4326)), st_overlaps(st_geomfromtext('LINESTRING(10 5,20 5)', 4326),st_geomfromtext('LINESTRING(15 5,30 5)', 4326)), st_equals(st_geomfromtext('LINESTRING(10 5,20 5)', 4326),st_geomfromtext('LINESTRING(15 5,30 5)', 4326))",
            "0|0|1|0|0|0|1|0",
        ),
        (
            "select st_contains(st_geomfromtext('MULTIPOINT((1 1),(2 2))', 4326),st_geomfromtext('MULTIPOINT((2 2),(3 3))', 4326)), st_within(st_geomfromtext('MULTIPOINT((1 1),(2 2))', 4326),st_geomfromtext('MULTIPOINT((2 2),(3 3))', 4326)), st_intersects(st_geomfromtext('MULTIPOINT((1 1),(2 2))', 4326),st_geomfromtext('MULTIPOINT((2 2),(3 3))', 4326)), st_disjoint(st_geomfromtext('MULTIPOINT((1 1),(2 2))', 4326),st_geomfromtext('MULTIPOINT((2 2),(3 3))', 4326)), st_touches(st_geomfromtext('MULTIPOINT((1 1),(2 2))', 4326),st_geomfromtext('MULTIPOINT((2 2),(3 3))', 4326)), st_crosses(st_geomfromtext('MULTIPOINT((1 1),(2 2))', 4326),st_geomfromtext('MULTIPOINT((2 2),(3 3))', 4326)), st_overlaps(st_geomfromtext('MULTIPOINT((1 1),(2 2))', 4326),st_geomfromtext('MULTIPOINT((2 2),(3 3))', 4326)), st_equals(st_geomfromtext('MULTIPOINT((1 1),(2 2))', 4326),st_geomfromtext('MULTIPOINT((2 2),(3 3))', 4326))",
            "0|0|1|0|NULL|NULL|1|0",
        ),
        (
            "select st_contains(st_geomfromtext('GEOMETRYCOLLECTION()', 4326),st_geomfromtext('GEOMETRYCOLLECTION()', 4326)), st_within(st_geomfromtext('GEOMETRYCOLLECTION()', 4326),st_geomfromtext('GEOMETRYCOLLECTION()', 4326)), st_intersects(st_geomfromtext('GEOMETRYCOLLECTION()', 4326),st_geomfromtext('GEOMETRYCOLLECTION()', 4326)), st_disjoint(st_geomfromtext('GEOMETRYCOLLECTION()', 4326),st_geomfromtext('GEOMETRYCOLLECTION()', 4326)), st_touches(st_geomfromtext('GEOMETRYCOLLECTION()', 4326),st_geomfromtext('GEOMETRYCOLLECTION()', 4326)), st_crosses(st_geomfromtext('GEOMETRYCOLLECTION()', 4326),st_geomfromtext('GEOMETRYCOLLECTION()', 4326)), st_overlaps(st_geomfromtext('GEOMETRYCOLLECTION()', 4326),st_geomfromtext('GEOMETRYCOLLECTION()', 4326)), st_equals(st_geomfromtext('GEOMETRYCOLLECTION()', 4326),st_geomfromtext('GEOMETRYCOLLECTION()', 4326))",
            "NULL|NULL|NULL|NULL|NULL|NULL|NULL|1",
        ),
        (
            "select mbrcontains(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('POINT(50 45)', 4326)), mbrwithin(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('POINT(50 45)', 4326)), mbrcovers(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('POINT(50 45)', 4326)), mbrcoveredby(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('POINT(50 45)', 4326)), mbrintersects(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('POINT(50 45)', 4326)), mbrdisjoint(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('POINT(50 45)', 4326)), mbrtouches(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('POINT(50 45)', 4326)), mbroverlaps(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('POINT(50 45)', 4326)), mbrequals(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('POINT(50 45)', 4326))",
            "1|0|1|0|1|0|0|0|0",
        ),
        (
            "select mbrcontains(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('POINT(56 45)', 4326)), mbrwithin(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('POINT(56 45)', 4326)), mbrcovers(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('POINT(56 45)', 4326)), mbrcoveredby(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('POINT(56 45)', 4326)), mbrintersects(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('POINT(56 45)', 4326)), mbrdisjoint(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('POINT(56 45)', 4326)), mbrtouches(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('POINT(56 45)', 4326)), mbroverlaps(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('POINT(56 45)', 4326)), mbrequals(st_geomfromtext('LINESTRING(45 0,45 90)', 4326),st_geomfromtext('POINT(56 45)', 4326))",
            "0|0|0|0|0|1|0|0|0",
        ),
        (
            "select mbrcontains(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('POINT(5 180)', 4326)), mbrwithin(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('POINT(5 180)', 4326)), mbrcovers(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('POINT(5 180)', 4326)), mbrcoveredby(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('POINT(5 180)', 4326)), mbrintersects(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('POINT(5 180)', 4326)), mbrdisjoint(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('POINT(5 180)', 4326)), mbrtouches(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('POINT(5 180)', 4326)), mbroverlaps(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('POINT(5 180)', 4326)), mbrequals(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('POINT(5 180)', 4326))",
            "1|0|1|0|1|0|0|0|0",
        ),
        (
            "select mbrcontains(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('POINT(5 0)', 4326)), mbrwithin(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('POINT(5 0)', 4326)), mbrcovers(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('POINT(5 0)', 4326)), mbrcoveredby(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('POINT(5 0)', 4326)), mbrintersects(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('POINT(5 0)', 4326)), mbrdisjoint(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('POINT(5 0)', 4326)), mbrtouches(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('POINT(5 0)', 4326)), mbroverlaps(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('POINT(5 0)', 4326)), mbrequals(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('POINT(5 0)', 4326))",
            "0|0|0|0|0|1|0|0|0",
        ),
        (
            "select mbrcontains(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326),st_geomfromtext('POINT(85 50)', 4326)), mbrwithin(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326),st_geomfromtext('POINT(85 50)', 4326)), mbrcovers(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326),st_geomfromtext('POINT(85 50)', 4326)), mbrcoveredby(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326),st_geomfromtext('POINT(85 50)', 4326)), mbrintersects(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326),st_geomfromtext('POINT(85 50)', 4326)), mbrdisjoint(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326),st_geomfromtext('POINT(85 50)', 4326)), mbrtouches(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326),st_geomfromtext('POINT(85 50)', 4326)), mbroverlaps(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326),st_geomfromtext('POINT(85 50)', 4326)), mbrequals(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326),st_geomfromtext('POINT(85 50)', 4326))",
            "1|0|1|0|1|0|0|0|0",
        ),
        (
            "select mbrcontains(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52.5 13.5,53.5 13.5,53.5 14.5,52.5 14.5,52.5 13.5))', 4326)), mbrwithin(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52.5 13.5,53.5 13.5,53.5 14.5,52.5 14.5,52.5 13.5))', 4326)), mbrcovers(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52.5 13.5,53.5 13.5,53.5 14.5,52.5 14.5,52.5 13.5))', 4326)), mbrcoveredby(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52.5 13.5,53.5 13.5,53.5 14.5,52.5 14.5,52.5 13.5))', 4326)), mbrintersects(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52.5 13.5,53.5 13.5,53.5 14.5,52.5 14.5,52.5 13.5))', 4326)), mbrdisjoint(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52.5 13.5,53.5 13.5,53.5 14.5,52.5 14.5,52.5 13.5))', 4326)), mbrtouches(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52.5 13.5,53.5 13.5,53.5 14.5,52.5 14.5,52.5 13.5))', 4326)), mbroverlaps(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52.5 13.5,53.5 13.5,53.5 14.5,52.5 14.5,52.5 13.5))', 4326)), mbrequals(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52.5 13.5,53.5 13.5,53.5 14.5,52.5 14.5,52.5 13.5))', 4326))",
            "0|0|0|0|1|0|0|1|0",
        ),
        (
            "select mbrcontains(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326)), mbrwithin(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326)), mbrcovers(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326)), mbrcoveredby(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326)), mbrintersects(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326)), mbrdisjoint(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326)), mbrtouches(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326)), mbroverlaps(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326)), mbrequals(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326))",
            "1|1|1|1|1|0|0|0|1",
        ),
        (
            "select mbrcontains(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('LINESTRING(5 175,20 -160)', 4326)), mbrwithin(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('LINESTRING(5 175,20 -160)', 4326)), mbrcovers(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('LINESTRING(5 175,20 -160)', 4326)), mbrcoveredby(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('LINESTRING(5 175,20 -160)', 4326)), mbrintersects(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('LINESTRING(5 175,20 -160)', 4326)), mbrdisjoint(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('LINESTRING(5 175,20 -160)', 4326)), mbrtouches(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('LINESTRING(5 175,20 -160)', 4326)), mbroverlaps(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('LINESTRING(5 175,20 -160)', 4326)), mbrequals(st_geomfromtext('LINESTRING(-10 170,10 -170)', 4326),st_geomfromtext('LINESTRING(5 175,20 -160)', 4326))",
            "0|0|0|0|1|0|0|1|0",
        ),
        (
            "select mbrcontains(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('GEOMETRYCOLLECTION()', 4326)), mbrwithin(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('GEOMETRYCOLLECTION()', 4326)), mbrcovers(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('GEOMETRYCOLLECTION()', 4326)), mbrcoveredby(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('GEOMETRYCOLLECTION()', 4326)), mbrintersects(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('GEOMETRYCOLLECTION()', 4326)), mbrdisjoint(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('GEOMETRYCOLLECTION()', 4326)), mbrtouches(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('GEOMETRYCOLLECTION()', 4326)), mbroverlaps(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('GEOMETRYCOLLECTION()', 4326)), mbrequals(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326),st_geomfromtext('GEOMETRYCOLLECTION()', 4326))",
            "NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|0",
        ),
        (
            "select st_issimple(st_geomfromtext('LINESTRING(0 0,0 10,5 5,-5 5)', 4326)), st_isvalid(st_geomfromtext('LINESTRING(0 0,0 10,5 5,-5 5)', 4326)), st_validate(st_geomfromtext('LINESTRING(0 0,0 10,5 5,-5 5)', 4326)) is null",
            "0|1|0",
        ),
        (
            "select st_issimple(st_geomfromtext('LINESTRING(0 170,10 -170,10 170,0 -170)', 4326)), st_isvalid(st_geomfromtext('LINESTRING(0 170,10 -170,10 170,0 -170)', 4326)), st_validate(st_geomfromtext('LINESTRING(0 170,10 -170,10 170,0 -170)', 4326)) is null",
            "0|1|0",
        ),
        (
            "select st_issimple(st_geomfromtext('LINESTRING(0 0,0 10,5 5)', 4326)), st_isvalid(st_geomfromtext('LINESTRING(0 0,0 10,5 5)', 4326)), st_validate(st_geomfromtext('LINESTRING(0 0,0 10,5 5)', 4326)) is null",
            "1|1|0",
        ),
        (
            "select st_issimple(st_geomfromtext('POLYGON((0 0,0 40,40 40,40 0,0 0),(10 10,10 20,20 20,20 10,10 10))', 4326)), st_isvalid(st_geomfromtext('POLYGON((0 0,0 40,40 40,40 0,0 0),(10 10,10 20,20 20,20 10,10 10))', 4326)), st_validate(st_geomfromtext('POLYGON((0 0,0 40,40 40,40 0,0 0),(10 10,10 20,20 20,20 10,10 10))', 4326)) is null",
            "1|1|0",
        ),
        (
            "select st_issimple(st_geomfromtext('POLYGON((0 0,0 10,10 0,10 10,0 0))', 4326)), st_isvalid(st_geomfromtext('POLYGON((0 0,0 10,10 0,10 10,0 0))', 4326)), st_validate(st_geomfromtext('POLYGON((0 0,0 10,10 0,10 10,0 0))', 4326)) is null",
            "1|0|1",
        ),
        (
            "select st_issimple(st_geomfromtext('POLYGON((0 0,0 10,10 10,10 0,0 0),(1 1,1 12,2 2,1 1))', 4326)), st_isvalid(st_geomfromtext('POLYGON((0 0,0 10,10 10,10 0,0 0),(1 1,1 12,2 2,1 1))', 4326)), st_validate(st_geomfromtext('POLYGON((0 0,0 10,10 10,10 0,0 0),(1 1,1 12,2 2,1 1))', 4326)) is null",
            "1|0|1",
        ),
        (
            "select st_issimple(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326)), st_isvalid(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326)), st_validate(st_geomfromtext('POLYGON((80 0,80 120,80 -120,80 0))', 4326)) is null",
            "1|1|0",
        ),
        (
            "select st_issimple(st_geomfromtext('MULTIPOINT((1 1),(1 1))', 4326)), st_isvalid(st_geomfromtext('MULTIPOINT((1 1),(1 1))', 4326)), st_validate(st_geomfromtext('MULTIPOINT((1 1),(1 1))', 4326)) is null",
            "0|1|0",
        ),
        (
            "select st_geometrytype(b), st_numpoints(st_exteriorring(b)), round(st_x(st_startpoint(st_exteriorring(b))) * 1e6), round(st_y(st_pointn(st_exteriorring(b), 5)) * 1e6), round(st_area(b), -3) from (select st_buffer(st_geomfromtext('POINT(10 20)', 4326), 100000) b) d",
            "POLYGON|33|9095880|20643706|31213851000",
        ),
        ("select st_astext(st_buffer(st_geomfromtext('POINT(10 20)', 4326), 0))", "POINT(10 20)"),
        (
            "select st_astext(st_buffer(st_geomfromtext('POINT(10 20)', 4326), -1))",
            "E1210 Incorrect arguments to st_buffer",
        ),
        (
            "select st_astext(st_buffer(st_geomfromtext('LINESTRING(1 1,2 2)', 4326), 1))",
            "E3618 st_buffer(LINESTRING) has not been implemented for geographic spatial reference systems.",
        ),
        (
            "select st_astext(st_buffer(st_geomfromtext('POINT(10 20)', 4326), 1, st_buffer_strategy('point_square')))",
            "E1210 Incorrect arguments to st_buffer",
        ),
        (
            "select round(st_latitude(st_lineinterpolatepoint(st_geomfromtext('LINESTRING(45 0,45 90)', 4326), 0.5)), 6), round(st_longitude(st_lineinterpolatepoint(st_geomfromtext('LINESTRING(45 0,45 90)', 4326), 0.5)), 6)",
            "54.763085|44.999944",
        ),
        (
            "select round(st_latitude(st_pointatdistance(st_geomfromtext('LINESTRING(45 0,45 90)', 4326), 1000000)), 6), round(st_longitude(st_pointatdistance(st_geomfromtext('LINESTRING(45 0,45 90)', 4326), 1000000)), 6)",
            "49.664914|11.336292",
        ),
        (
            "select round(st_latitude(st_lineinterpolatepoint(st_geomfromtext('LINESTRING(45 0,45 90)', 4326), 2)), 6), round(st_longitude(st_lineinterpolatepoint(st_geomfromtext('LINESTRING(45 0,45 90)', 4326), 2)), 6)",
            "E1690 Distance value is out of range in 'st_lineinterpolatepoint'",
        ),
        (
            "select st_numgeometries(st_lineinterpolatepoints(st_geomfromtext('LINESTRING(45 0,45 90)', 4326), 0.25))",
            "4",
        ),
        (
            "select round(st_hausdorffdistance(st_geomfromtext('LINESTRING(45 0,45 90)', 4326), st_geomfromtext('LINESTRING(44 0,44 80)', 4326)), 3), round(st_frechetdistance(st_geomfromtext('LINESTRING(45 0,45 90)', 4326), st_geomfromtext('LINESTRING(44 0,44 80)', 4326)), 3)",
            "802489.505|802489.505",
        ),
        (
            "select st_hausdorffdistance(st_geomfromtext('POINT(1 1)', 4326), st_geomfromtext('POINT(1 1)', 4326))",
            "E3618 st_hausdorffdistance(POINT, POINT) has not been implemented for geographic spatial reference systems.",
        ),
        (
            "select st_centroid(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326))",
            "E3618 st_centroid(POLYGON) has not been implemented for geographic spatial reference systems.",
        ),
        (
            "select st_convexhull(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326))",
            "E3618 st_convexhull(POLYGON) has not been implemented for geographic spatial reference systems.",
        ),
        (
            "select st_envelope(st_geomfromtext('POLYGON((52 13,53 13,53 14,52 14,52 13))', 4326))",
            "E3618 st_envelope(POLYGON) has not been implemented for geographic spatial reference systems.",
        ),
        (
            "select round(st_distance(st_geomfromtext('POINT(1 1)', 4258), st_geomfromtext('POINT(2 2)', 4258)), 3), round(st_area(st_geomfromtext('POLYGON((0 0,0 1,1 1,0 0))', 4269)))",
            "156874.386|6154855102",
        ),
    ];
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(cases).await;
        c.0.close().await;
        drop(server);
    });
}

/// Two longitudes of a pole are one place, and an edge between opposite meridians goes over it.
#[test]
fn poles() {
    let of = |f: &str, a: &str, b: &str| {
        format!("select {f}(st_geomfromtext('{a}', 4326), st_geomfromtext('{b}', 4326))")
    };
    let cases = [
        (of("st_equals", "POINT(90 10)", "POINT(90 -50)"), "1"),
        (of("st_intersects", "LINESTRING(80 0,80 180)", "POINT(90 77)"), "1"),
        (of("st_contains", "POLYGON((80 0,80 90,80 180,80 -90,80 0))", "POINT(90 33)"), "1"),
        (of("st_touches", "POLYGON((50 0,50 40,90 0,50 0))", "POINT(90 33)"), "1"),
        (of("st_contains", "POLYGON((50 0,50 40,90 0,50 0))", "POINT(70 20)"), "1"),
        (
            of("st_within", "POINT(1 1)", "GEOMETRYCOLLECTION(POINT(5 5),LINESTRING(0 0,2 2))"),
            "E3618 st_within(POINT, GEOMCOLLECTION) has not been implemented for geographic spatial reference systems.",
        ),
    ];
    with_server(1, |server| async move {
        let mut c = server.client();
        for (sql, want) in &cases {
            c.check(&[(sql.as_str(), *want)]).await;
        }
        c.0.close().await;
        drop(server);
    });
}

/// A definition of a geographic system.
fn globe(axis: f64, axes: &str) -> String {
    format!(
        r#"'GEOGCS["x",DATUM["d",SPHEROID["s",{axis},298.257223563]],PRIMEM["Greenwich",0],UNIT["degree",0.017453292519943278],{axes}]'"#
    )
}

const LONG_LAT: &str = r#"AXIS["Lon",EAST],AXIS["Lat",NORTH]"#;
const LAT_LONG: &str = r#"AXIS["Lat",NORTH],AXIS["Lon",EAST]"#;

async fn check_all(c: &mut Client, cases: &[(String, &str)]) {
    for (sql, want) in cases {
        c.check(&[(sql.as_str(), *want)]).await;
    }
}

#[test]
fn reference_systems_are_made_and_dropped() {
    let create = |srid: &str, rest: &str| format!("create spatial reference system {srid} {rest}");
    let (one, two) = (globe(6_378_137.0, LONG_LAT), globe(6_378_137.0, LAT_LONG));
    let larger = globe(6_378_138.0, LONG_LAT);
    let replace = |name: &str, definition: &str| {
        format!(
            "create or replace spatial reference system 990001 name '{name}' definition {definition}"
        )
    };
    let cases = [
        (create("990001", &format!("name 'a' definition {one}")), "ok 0"),
        (create("990001", &format!("name 'b' definition {one}")), "E3712 There is already a spatial reference system with SRID 990001."),
        (create("if not exists 990001", &format!("name 'b' definition {one}")), "ok 0"),
        ("show warnings".into(), "Warning|3713|There is already a spatial reference system with SRID 990001."),
        (create("990002", &format!("name 'A' definition {one}")), "E1062 Duplicate entry '1-A' for key 'st_spatial_reference_systems.SRS_NAME'"),
        (create("990002", &format!("name 'n' organization 'epsg' identified by 4326 definition {one}")), "E1062 Duplicate entry '1-epsg-4326' for key 'st_spatial_reference_systems.ORGANIZATION_AND_ID'"),
        (create("990002", "name 'b'"), "E3708 Missing mandatory attribute DEFINITION."),
        (create("990002", "definition 'x'"), "E3708 Missing mandatory attribute NAME."),
        (create("990002", "name 'b' name 'c' definition 'x'"), "E3709 Multiple definitions of attribute NAME."),
        (create("990002", "name 'b' definition 'x'"), "E3517 Can't parse the spatial reference system definition of SRID 990002."),
        (create("990002", "name ' b' definition 'x'"), "E3710"),
        (create("990002", "name 'b' organization '' identified by 1 definition 'x'"), "E3711"),
        (create("990002", "name 'b' organization 'o' definition 'x'"), "E1064"),
        (create("990002", &format!("name '{}' definition 'x'", "n".repeat(81))), "E3718 Attribute NAME is too long. The maximum length is 80 characters."),
        (create("990002", "name 'b\\0' definition 'x'"), "E3717 Invalid character in attribute NAME."),
        (create("0", "name 'b' definition 'x'"), "E3714 SRID 0 is not modifiable."),
        (create("5000000000", "name 'b' definition 'x'"), "E1690 SRID value is out of range in 'CREATE SPATIAL REFERENCE SYSTEM'"),
        (create("-1", "name 'b' definition 'x'"), "E1064"),
        (create("2000000000", &format!("name 'far' definition {two}")), "ok 0"),
        ("show warnings".into(), "Warning|3715|The SRID range [2000000000, 2147483647] has been reserved for system use. SRSs in this range may be added, modified or removed without warning during upgrade."),
        ("select st_longitude(st_geomfromtext('point(100 50)', 990001)), st_longitude(st_geomfromtext('point(50 100)', 2000000000))".into(), "100|100"),
        ("create table t (g geometry srid 990001)".into(), "ok 0"),
        ("insert into t values (st_geomfromtext('point(100 50)', 990001))".into(), "ok 1"),
        ("select st_astext(g), st_latitude(g) from t".into(), "POINT(100 50)|50"),
        ("select srs_name, srs_id from information_schema.st_geometry_columns where table_name = 't'".into(), "a|990001"),
        ("drop spatial reference system 990001".into(), "E3716 Can't modify SRID 990001. There is at least one column depending on it."),
        (replace("a2", &one), "ok 0"),
        (replace("a2", &larger), "E3716"),
        (replace("a2", &two), "E3716"),
        ("select st_transform(g, 4326) from t".into(), "E3741 Transformation from SRID 990001 is not supported."),
        ("drop table t".into(), "ok 0"),
        (replace("a3", &larger), "ok 0"),
        ("drop spatial reference system 990001".into(), "ok 0"),
        ("drop spatial reference system 990001".into(), "E3548 There's no spatial reference system with SRID 990001."),
        ("drop spatial reference system if exists 990001".into(), "ok 0"),
        ("show warnings".into(), "Warning|3519|There's no spatial reference system with SRID 990001."),
        ("select st_geomfromtext('point(1 1)', 990001)".into(), "E3548"),
        ("prepare s from 'drop spatial reference system 990001'".into(), "E1295"),
        ("begin".into(), "ok 0"),
        ("drop spatial reference system 2000000000".into(), "ok 0"),
        ("rollback".into(), "ok 0"),
        ("select count(*) from information_schema.st_spatial_reference_systems".into(), "5"),
    ];
    with_server(1, |server| async move {
        let mut c = server.client();
        check_all(&mut c, &cases).await;
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn reference_systems_are_kept() {
    check_lives(&[
        &[
            (
                r#"create spatial reference system 990001 name 'kept' organization 'o' identified by 7 description 'd' definition 'PROJCS["x",GEOGCS["x",DATUM["d",SPHEROID["s",6378137,298]],PRIMEM["Greenwich",0],UNIT["degree",0.017453292519943278],AXIS["Lon",EAST],AXIS["Lat",NORTH]],PROJECTION["p"],UNIT["foot",0.3048],AXIS["X",EAST],AXIS["Y",NORTH]]'"#,
                "ok 0",
            ),
            ("drop spatial reference system 4269", "ok 0"),
        ],
        &[
            (
                "select srs_id, srs_name, organization, organization_coordsys_id, description from information_schema.st_spatial_reference_systems where srs_id > 4258",
                "4326|WGS 84|EPSG|4326|NULL; 990001|kept|o|7|d",
            ),
            (
                "select st_distance(st_geomfromtext('point(0 0)', 990001), st_geomfromtext('point(3 4)', 990001), 'metre')",
                "1.524",
            ),
            ("select st_geomfromtext('point(0 0)', 4269)", "E3548"),
            ("drop spatial reference system 990001", "ok 0"),
        ],
        &[("select count(*) from information_schema.st_spatial_reference_systems", "4")],
    ]);
}
