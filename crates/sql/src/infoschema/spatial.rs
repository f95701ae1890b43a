//! Geometry columns, and the spatial reference systems that are known.

use super::cells::{LONGTEXT, NAME, UINT, c, n, os, ou, s, text, u};
use super::tables::{BY_TABLE, visible};
use super::virtual_table;
use crate::context::VirtualTable;
use crate::value::geo::Srs;
use crate::value::{SqlType, Value};

pub fn all() -> Vec<&'static dyn VirtualTable> {
    vec![&GeometryColumns, &ReferenceSystems, &Units]
}

virtual_table!(
    GeometryColumns,
    "information_schema",
    "ST_GEOMETRY_COLUMNS",
    BY_TABLE,
    [
        n("TABLE_CATALOG", NAME),
        n("TABLE_SCHEMA", NAME),
        n("TABLE_NAME", NAME),
        c("COLUMN_NAME", text(64)),
        c("SRS_NAME", text(80)),
        c("SRS_ID", UINT),
        c("GEOMETRY_TYPE_NAME", LONGTEXT),
    ],
    |cx, hint| {
        let mut rows = Vec::new();
        for t in visible(cx, hint) {
            for column in &t.columns {
                let SqlType::Geometry { kind, srid } = column.ty else { continue };
                let srs = srid.and_then(Srs::find);
                rows.push(vec![
                    s("def"),
                    s(t.schema()),
                    s(t.name()),
                    s(column.name.clone()),
                    os(srs.map(|srs| srs.name)),
                    ou(srid.map(u64::from)),
                    s(kind.type_name()),
                ]);
            }
        }
        rows
    }
);

virtual_table!(
    ReferenceSystems,
    "information_schema",
    "ST_SPATIAL_REFERENCE_SYSTEMS",
    (None, None),
    [
        n("SRS_NAME", text(80)),
        n("SRS_ID", UINT),
        c("ORGANIZATION", text(256)),
        c("ORGANIZATION_COORDSYS_ID", UINT),
        n("DEFINITION", text(4096)),
        c("DESCRIPTION", text(2048)),
    ],
    |_, _| {
        let row = |srs: &Srs| {
            let registered = srs.srid != 0;
            vec![
                s(srs.name),
                u(u64::from(srs.srid)),
                os(registered.then_some("EPSG")),
                ou(registered.then_some(u64::from(srs.srid))),
                s(srs.definition),
                Value::Null,
            ]
        };
        Srs::all().iter().map(row).collect()
    }
);

virtual_table!(
    Units,
    "information_schema",
    "ST_UNITS_OF_MEASURE",
    (None, None),
    [
        c("UNIT_NAME", text(255)),
        c("UNIT_TYPE", text(7)),
        c("CONVERSION_FACTOR", SqlType::DOUBLE),
        c("DESCRIPTION", text(255)),
    ],
    |_, _| {
        let row = |(name, metres): &(&str, f64)| {
            vec![s(*name), s("LINEAR"), Value::Double(*metres), s("")]
        };
        UNITS.iter().map(row).collect()
    }
);

/// EPSG's units of length that MySQL knows, and how many metres each is.
const UNITS: [(&str, f64); 47] = [
    ("millimetre", 0.001),
    ("centimetre", 0.01),
    ("Clarke's link", 0.201166195164),
    ("British link (Sears 1922 truncated)", 0.20116756),
    ("British link (Sears 1922)", 0.2011676512155263),
    ("British link (Benoit 1895 A)", 0.201167824),
    ("British link (Benoit 1895 B)", 0.2011678249437587),
    ("link", 0.201168),
    ("US survey link", 0.2011684023368047),
    ("Clarke's foot", 0.3047972654),
    ("Indian foot (1937)", 0.30479841),
    ("British foot (Sears 1922 truncated)", 0.30479933333333337),
    ("British foot (Sears 1922)", 0.3047994715386762),
    ("Indian foot (1975)", 0.3047995),
    ("Indian foot", 0.30479951024814694),
    ("Indian foot (1962)", 0.3047996),
    ("Gold Coast foot", 0.3047997101815088),
    ("British foot (Benoit 1895 A)", 0.3047997333333333),
    ("British foot (Benoit 1895 B)", 0.30479973476327077),
    ("foot", 0.3048),
    ("US survey foot", 0.30480060960121924),
    ("British foot (1936)", 0.3048007491),
    ("British foot (1865)", 0.30480083333333335),
    ("Clarke's yard", 0.9143917962),
    ("Indian yard (1937)", 0.91439523),
    ("British yard (Sears 1922 truncated)", 0.914398),
    ("British yard (Sears 1922)", 0.9143984146160287),
    ("Indian yard (1975)", 0.9143985),
    ("Indian yard", 0.9143985307444408),
    ("Indian yard (1962)", 0.9143988),
    ("British yard (Benoit 1895 A)", 0.9143992),
    ("British yard (Benoit 1895 B)", 0.9143992042898124),
    ("yard", 0.9144),
    ("metre", 1.0),
    ("German legal metre", 1.0000135965),
    ("fathom", 1.8288),
    ("Clarke's chain", 20.1166195164),
    ("British chain (Sears 1922 truncated)", 20.116756),
    ("British chain (Sears 1922)", 20.116765121552632),
    ("British chain (Benoit 1895 A)", 20.1167824),
    ("British chain (Benoit 1895 B)", 20.116782494375872),
    ("chain", 20.1168),
    ("US survey chain", 20.11684023368047),
    ("kilometre", 1000.0),
    ("Statute mile", 1609.344),
    ("US survey mile", 1609.3472186944375),
    ("nautical mile", 1852.0),
];
