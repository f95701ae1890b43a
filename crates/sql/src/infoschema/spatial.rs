//! Geometry columns, and the spatial reference systems that are known.

use super::cells::{LONGTEXT, NAME, UINT, c, n, os, ou, s, text, u};
use super::tables::{BY_TABLE, visible};
use super::virtual_table;
use crate::context::VirtualTable;
use crate::value::geo::Srs;
use crate::value::geo::units::UNITS;
use crate::value::{SqlType, Value};
use std::sync::Arc;

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
                let srs = srid.and_then(|n| cx.reads.shared.reference_systems.get(n));
                rows.push(vec![
                    s("def"),
                    s(t.schema()),
                    s(t.name()),
                    s(column.name.clone()),
                    os(srs.map(|srs| srs.name.to_string())),
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
    |cx, _| {
        let row = |srs: Arc<Srs>| {
            vec![
                s(srs.name.to_string()),
                u(u64::from(srs.srid)),
                os(srs.organization.as_ref().map(|(name, _)| name.to_string())),
                ou(srs.organization.as_ref().map(|(_, n)| u64::from(*n))),
                s(srs.definition.to_string()),
                os(srs.description.clone()),
            ]
        };
        cx.reads.shared.reference_systems.all().into_iter().map(row).collect()
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
