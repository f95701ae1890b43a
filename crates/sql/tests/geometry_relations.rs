//! What lies how to what: touching, crossing and overlapping, simple and valid shapes, and what follows lines. What a real MySQL 9.7 answers.

use crate::common::*;

fn check(cases: &[(&str, &str)]) {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(cases).await;
        c.0.close().await;
    });
}

const SHAPES: &[&str] = &[
    "POINT(1 1)",
    "POINT(0 0)",
    "MULTIPOINT(1 1,5 5)",
    "MULTIPOINT(1 1,2 2)",
    "LINESTRING(0 0,2 2)",
    "LINESTRING(0 2,2 0)",
    "LINESTRING(1 1,3 3)",
    "LINESTRING(2 2,4 4)",
    "LINESTRING(0 0,1 1,2 0)",
    "LINESTRING(0 0,4 0,4 4,0 0)",
    "MULTILINESTRING((0 0,2 2),(2 2,4 0))",
    "POLYGON((0 0,2 0,2 2,0 2,0 0))",
    "POLYGON((2 0,4 0,4 2,2 2,2 0))",
    "POLYGON((1 1,3 1,3 3,1 3,1 1))",
    "POLYGON((0 0,6 0,6 6,0 6,0 0),(1 1,1 3,3 3,3 1,1 1))",
    "POLYGON((2 2,4 2,4 4,2 4,2 2))",
    "MULTIPOLYGON(((0 0,1 0,1 1,0 1,0 0)),((3 3,4 3,4 4,3 4,3 3)))",
    "LINESTRING(-1 1,5 1)",
    "LINESTRING(2 0,2 2)",
    "LINESTRING(0 1,2 1)",
    "POINT(3 3)",
    "MULTIPOINT(2 1,9 9)",
    "GEOMETRYCOLLECTION(POINT(1 1))",
    "LINESTRING(1 0,1 3)",
    "MULTILINESTRING((0 0,1 1),(1 1,2 2))",
];

/// For each shape what the function says of it and each of the shapes.
fn check_relation(function: &str, wanted: &[&str]) {
    assert_eq!(wanted.len(), SHAPES.len());
    with_server(1, |server| async move {
        let mut c = server.client();
        for (a, want) in SHAPES.iter().zip(wanted) {
            let calls: Vec<String> = SHAPES
                .iter()
                .map(|b| format!("{function}(st_geomfromtext('{a}'), st_geomfromtext('{b}'))"))
                .collect();
            let got = c.rows(&format!("select {}", calls.join(", "))).await;
            assert_eq!(got.replace("NULL", "N").replace('|', ""), *want, "{function} of {a}");
        }
        c.0.close().await;
    });
}

#[test]
fn touching() {
    check_relation(
        "ST_Touches",
        &[
            "NNNN0010000001101000NNN00",
            "NNNN1000101100101000NNN01",
            "NNNN0010000001001000NNN00",
            "NNNN0001000010111010NNN00",
            "0100000100001001001000000",
            "0000001000001100101000000",
            "1010010010001010111110110",
            "0001100000111000001000001",
            "0100001000001100001000000",
            "0000000000001000001000000",
            "0100000100000001001000000",
            "0100000100001001001001000",
            "0001111111010001001101001",
            "1010010010000010110111110",
            "1101001000000100000011100",
            "0001100000111000001000001",
            "1111011000000100010110110",
            "0000001000000100100000000",
            "0001111111111001000100001",
            "0000001000001100101001000",
            "NNNN0010000001101000NNN00",
            "NNNN0000000111100001NNN00",
            "NNNN0010000001101000NNN00",
            "0000001000000100100000000",
            "0100000100001001001000000",
        ],
    );
}

#[test]
fn crossing() {
    check_relation(
        "ST_Crosses",
        &[
            "NNNN0000000000000000NNN00",
            "NNNN0000000000000000NNN00",
            "NNNN1100111100000101NNN11",
            "NNNN0100100000000101NNN10",
            "NNNN0100000001101101NNN10",
            "NNNN1000011000000101NNN11",
            "NNNN0000000100010000NNN00",
            "NNNN0000000001101000NNN00",
            "NNNN0000000000001101NNN10",
            "NNNN0100000101111101NNN10",
            "NNNN0100000111101101NNN10",
            "NNNNNNNNNNNNNNNNNNNNNNNNN",
            "NNNNNNNNNNNNNNNNNNNNNNNNN",
            "NNNNNNNNNNNNNNNNNNNNNNNNN",
            "NNNNNNNNNNNNNNNNNNNNNNNNN",
            "NNNNNNNNNNNNNNNNNNNNNNNNN",
            "NNNNNNNNNNNNNNNNNNNNNNNNN",
            "NNNN1100111110100010NNN11",
            "NNNN0000000001100100NNN00",
            "NNNN1100111000000000NNN11",
            "NNNN0000000000000000NNN00",
            "NNNN0000000000000110NNN00",
            "NNNN0000000000000000NNN00",
            "NNNN1100111100000101NNN01",
            "NNNN0100000001101101NNN10",
        ],
    );
}

#[test]
fn overlapping() {
    check_relation(
        "ST_Overlaps",
        &[
            "0000NNNNNNNNNNNNNNNN000NN",
            "0000NNNNNNNNNNNNNNNN000NN",
            "0001NNNNNNNNNNNNNNNN000NN",
            "0010NNNNNNNNNNNNNNNN000NN",
            "NNNN0010100NNNNNN000NNN00",
            "NNNN0000100NNNNNN000NNN00",
            "NNNN1001001NNNNNN000NNN01",
            "NNNN0010000NNNNNN000NNN00",
            "NNNN1100011NNNNNN000NNN01",
            "NNNN0000101NNNNNN000NNN00",
            "NNNN0010110NNNNNN000NNN00",
            "NNNNNNNNNNN001101NNNNNNNN",
            "NNNNNNNNNNN001100NNNNNNNN",
            "NNNNNNNNNNN110010NNNNNNNN",
            "NNNNNNNNNNN110010NNNNNNNN",
            "NNNNNNNNNNN001101NNNNNNNN",
            "NNNNNNNNNNN100010NNNNNNNN",
            "NNNN0000000NNNNNN000NNN00",
            "NNNN0000000NNNNNN000NNN00",
            "NNNN0000000NNNNNN000NNN00",
            "0000NNNNNNNNNNNNNNNN000NN",
            "0000NNNNNNNNNNNNNNNN000NN",
            "0000NNNNNNNNNNNNNNNN000NN",
            "NNNN0000000NNNNNN000NNN00",
            "NNNN0010100NNNNNN000NNN00",
        ],
    );
}

/// Each shape, whether it is simple and whether it is valid.
#[test]
fn simple_and_valid_shapes() {
    let wanted = [
        ("LINESTRING(0 0,2 2,0 2,2 0)", "0|1"),
        ("LINESTRING(0 0,1 1,0 0)", "0|1"),
        ("LINESTRING(1 1,1 1)", "0|0"),
        ("LINESTRING(0 0,1 0,1 1,0 0)", "1|1"),
        ("MULTIPOINT(1 1,1 1)", "0|1"),
        ("MULTILINESTRING((0 0,2 2),(0 2,2 0))", "0|1"),
        ("MULTILINESTRING((0 0,2 2),(2 2,4 0))", "1|1"),
        ("MULTILINESTRING((0 0,2 2),(1 1,4 0))", "0|1"),
        ("MULTILINESTRING((0 0,4 0),(1 0,2 0))", "0|1"),
        ("POLYGON((0 0,4 0,4 4,2 -1,0 0))", "1|0"),
        ("POLYGON((0 0,4 0,4 4,4 0,0 0))", "1|0"),
        ("POLYGON((0 0,4 0,4 4,0 4,0 0),(5 5,6 5,6 6,5 5))", "1|0"),
        ("POLYGON((0 0,4 0,4 4,0 4,0 0),(0 1,2 1,2 2,0 1))", "1|1"),
        ("POLYGON((0 0,4 0,4 4,0 4,0 0),(0 1,4 1,2 2,0 1))", "1|0"),
        ("POLYGON((0 0,4 0,4 4,0 4,0 0),(0 1,2 1,2 2,0 2,0 1))", "1|0"),
        ("POLYGON((0 0,9 0,9 9,0 9,0 0),(1 1,4 1,4 4,1 4,1 1),(2 2,3 2,3 3,2 3,2 2))", "1|0"),
        ("POLYGON((0 0,9 0,9 9,0 9,0 0),(1 1,4 1,4 4,1 4,1 1),(4 4,5 4,5 5,4 5,4 4))", "1|1"),
        ("POLYGON((0 0,9 0,9 9,0 9,0 0),(1 1,4 1,4 4,1 4,1 1),(3 3,5 3,5 5,3 5,3 3))", "1|0"),
        ("POLYGON((0 0,0 4,4 4,4 0,0 0),(1 1,2 1,1 2,1 1))", "1|1"),
        ("MULTIPOLYGON(((0 0,4 0,4 4,0 4,0 0)),((2 2,6 2,6 6,2 6,2 2)))", "1|0"),
        ("MULTIPOLYGON(((0 0,4 0,4 4,0 4,0 0)),((4 4,6 4,6 6,4 6,4 4)))", "1|1"),
        ("MULTIPOLYGON(((0 0,4 0,4 4,0 4,0 0)),((4 0,6 0,6 4,4 4,4 0)))", "1|0"),
        (
            "MULTIPOLYGON(((0 0,9 0,9 9,0 9,0 0),(1 1,4 1,4 4,1 4,1 1)),((2 2,3 2,3 3,2 3,2 2)))",
            "1|1",
        ),
        ("GEOMETRYCOLLECTION EMPTY", "1|1"),
        ("GEOMETRYCOLLECTION(POINT(1 1),LINESTRING(1 1,1 1))", "0|0"),
    ];
    with_server(1, |server| async move {
        let mut c = server.client();
        for (shape, want) in wanted {
            let g = format!("st_geomfromtext('{shape}')");
            let got = c.rows(&format!("select st_issimple({g}), st_isvalid({g})")).await;
            assert_eq!(got, want, "{shape}");
            let same = if want.ends_with('1') { "1" } else { "NULL" };
            assert_eq!(c.rows(&format!("select st_validate({g}) = {g}")).await, same, "{shape}");
        }
        c.0.close().await;
    });
}

#[test]
fn along_lines_and_refusals() {
    check(&[
        (
            "select st_astext(st_lineinterpolatepoint(st_geomfromtext('linestring(0 0,4 0,4 4)'),0.75))",
            "POINT(4 2)",
        ),
        (
            "select st_astext(st_lineinterpolatepoint(st_geomfromtext('linestring(0 0,4 0,4 4)'),0))",
            "POINT(0 0)",
        ),
        (
            "select st_astext(st_lineinterpolatepoint(st_geomfromtext('linestring(0 0,4 0,4 4)'),1))",
            "POINT(4 4)",
        ),
        (
            "select st_lineinterpolatepoint(st_geomfromtext('linestring(0 0,4 0)'),1.5)",
            "E1690 Distance value is out of range in 'st_lineinterpolatepoint'",
        ),
        ("select st_lineinterpolatepoint(st_geomfromtext('linestring(0 0,4 0)'),null)", "NULL"),
        (
            "select st_lineinterpolatepoint(st_geomfromtext('point(0 0)'),0.5)",
            "E3516 LINESTRING value is a geometry of unexpected type POINT in st_lineinterpolatepoint.",
        ),
        (
            "select st_astext(st_lineinterpolatepoints(st_geomfromtext('linestring(0 0,4 0,4 4)'),0.25))",
            "MULTIPOINT((2 0),(4 0),(4 2),(4 4))",
        ),
        (
            "select st_astext(st_lineinterpolatepoints(st_geomfromtext('linestring(0 0,4 0)'),0))",
            "MULTIPOINT((0 0))",
        ),
        (
            "select st_astext(st_lineinterpolatepoints(st_geomfromtext('linestring(0 0,4 0)'),0.75))",
            "MULTIPOINT((3 0))",
        ),
        (
            "select st_astext(st_lineinterpolatepoints(st_geomfromtext('linestring(1 1,1 1)'),0.5))",
            "MULTIPOINT((1 1))",
        ),
        (
            "select st_astext(st_pointatdistance(st_geomfromtext('linestring(0 0,4 0,4 4)'),5))",
            "POINT(4 1)",
        ),
        (
            "select st_pointatdistance(st_geomfromtext('linestring(0 0,4 0)'),5)",
            "E1690 Distance value is out of range in 'st_pointatdistance'",
        ),
        (
            "select st_pointatdistance(st_geomfromtext('linestring(0 0,4 0)'),-1)",
            "E1690 Distance value is out of range in 'st_pointatdistance'",
        ),
        (
            "select st_astext(st_simplify(st_geomfromtext('linestring(0 0,1 0,2 0.1,3 5,4 6,5 7,6 8.1,7 9)'),0.6))",
            "LINESTRING(0 0,2 0.1,3 5,7 9)",
        ),
        (
            "select st_astext(st_simplify(st_geomfromtext('linestring(0 0,1 0,2 0.1,3 5,4 6,5 7,6 8.1,7 9)'),9))",
            "LINESTRING(0 0,7 9)",
        ),
        (
            "select st_simplify(st_geomfromtext('linestring(0 0,4 0)'),0)",
            "E1210 Incorrect arguments to st_simplify",
        ),
        (
            "select st_astext(st_simplify(st_geomfromtext('polygon((0 0,6 0,6 6,0 6,0 0),(1 1,1 3,3 3,3 1,1 1))'),0.6))",
            "POLYGON((6 6,0 6,0 0,6 0,6 6),(3 3,3 1,1 1,1 3,3 3))",
        ),
        (
            "select st_astext(st_simplify(st_geomfromtext('polygon((0 0,6 0,6 6,0 6,0 0),(1 1,1 1.1,1.1 1.1,1 1))'),1))",
            "POLYGON((6 6,0 6,0 0,6 0,6 6))",
        ),
        ("select st_astext(st_simplify(st_geomfromtext('polygon((0 0,6 0,6 6,0 0))'),50))", "NULL"),
        (
            "select st_astext(st_simplify(st_geomfromtext('multilinestring((0 0,1 0,2 0),(1 1,1 1))'),1))",
            "MULTILINESTRING((0 0,2 0))",
        ),
        (
            "select st_astext(st_simplify(st_geomfromtext('multipoint(1 1,1 1)'),1))",
            "MULTIPOINT((1 1),(1 1))",
        ),
        (
            "select st_hausdorffdistance(st_geomfromtext('linestring(0 0,2 2)'),st_geomfromtext('linestring(1 1,3 3)'))",
            "1.4142135623730951",
        ),
        (
            "select st_hausdorffdistance(st_geomfromtext('linestring(1 1,3 3)'),st_geomfromtext('linestring(0 2,2 0)'))",
            "3.1622776601683795",
        ),
        (
            "select st_hausdorffdistance(st_geomfromtext('multipoint(1 1,5 5)'),st_geomfromtext('multipoint(1 1,2 2)'))",
            "4.242640687119285",
        ),
        (
            "select st_hausdorffdistance(st_geomfromtext('multipoint(1 1,2 2)'),st_geomfromtext('multipoint(1 1,5 5)'))",
            "1.4142135623730951",
        ),
        (
            "select st_hausdorffdistance(st_geomfromtext('point(0 0)'),st_geomfromtext('multipoint(3 4,6 8)'))",
            "5",
        ),
        (
            "select st_hausdorffdistance(st_geomfromtext('multipoint(3 4,6 8)'),st_geomfromtext('point(0 0)'))",
            "5",
        ),
        (
            "select st_hausdorffdistance(st_geomfromtext('multilinestring((0 0,2 2),(2 2,4 0))'),st_geomfromtext('linestring(0 0,2 2)'))",
            "2.8284271247461903",
        ),
        (
            "select st_hausdorffdistance(st_geomfromtext('linestring(0 0,2 2)'),st_geomfromtext('multilinestring((0 0,2 2),(2 2,4 0))'))",
            "2.8284271247461903",
        ),
        (
            "select st_hausdorffdistance(st_geomfromtext('point(0 0)'),st_geomfromtext('point(0 0)'))",
            "E3704 st_hausdorffdistance(POINT, POINT) has not been implemented for Cartesian spatial reference systems.",
        ),
        (
            "select st_frechetdistance(st_geomfromtext('linestring(0 0,2 2)'),st_geomfromtext('linestring(0 2,2 0)'))",
            "2",
        ),
        (
            "select st_frechetdistance(st_geomfromtext('linestring(0 0,1 1,2 0)'),st_geomfromtext('linestring(0 0,4 0,4 4,0 0)'))",
            "4.242640687119285",
        ),
        (
            "select st_frechetdistance(st_geomfromtext('point(0 0)'),st_geomfromtext('linestring(0 2,2 0)'))",
            "E3704 st_frechetdistance(POINT, LINESTRING) has not been implemented for Cartesian spatial reference systems.",
        ),
        (
            "select st_touches(st_geomfromtext('point(1 1)',4326),st_geomfromtext('point(1 1)',4326))",
            "NULL",
        ),
        ("select st_touches(1,2)", "E3037 Invalid GIS data provided to function st_touches."),
        (
            "select st_crosses(st_geomfromtext('point(1 1)'),st_geomfromtext('point(1 1)',4326))",
            "E3033 Binary geometry function st_crosses given two geometries of different srids: 0 and 4326, which should have been identical.",
        ),
        ("select st_touches(null,point(1,1))", "NULL"),
        (
            "select icu_version(1)",
            "E1582 Incorrect parameter count in the call to native function 'icu_version'",
        ),
        (
            "select can_access_table('a','b')",
            "E3566 Access to native function 'can_access_table' is rejected.",
        ),
        ("select st_isvalid(st_geomfromtext('POINT(1 1)', 4326))", "1"),
        ("select source_pos_wait('a', 4)", "NULL"),
        ("select icu_version()", "73.1"),
        ("select nobodys_function(1)", "E1305"),
    ]);
}
