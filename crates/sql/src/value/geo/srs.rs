//! Spatial reference systems: what the numbers of coordinates mean.
//!
//! SRID 0 is the plane without units. Of the five thousand systems that MySQL knows these are here: the geographic ones that data
//! comes in most, and Web Mercator, whose coordinates are those of maps. Definitions are the EPSG registry's.

use super::spheroid::Spheroid;
use crate::errno;
use crate::value::ValueError;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Srs {
    pub srid: u32,
    pub name: &'static str,
    /// Coordinates are longitudes and latitudes in degrees.
    pub geographic: bool,
    /// The latitude stands first in WKT and WKB.
    pub lat_long: bool,
    /// Semi-major axis in metres and inverse flattening of the ellipsoid; zeros for the plane without units.
    pub ellipsoid: (f64, f64),
    /// Metres in a unit of length: of a geographic system that of its ellipsoid.
    pub unit: f64,
    /// The WKT of the definition.
    pub definition: &'static str,
}

const GRS80: (f64, f64) = (6_378_137.0, 298.257222101);
const WGS84: (f64, f64) = (6_378_137.0, 298.257223563);

const ALL: [Srs; 5] = [
    Srs {
        srid: 0,
        name: "",
        geographic: false,
        lat_long: false,
        ellipsoid: (0.0, 0.0),
        unit: 1.0,
        definition: "",
    },
    Srs {
        srid: 3857,
        name: "WGS 84 / Pseudo-Mercator",
        geographic: false,
        lat_long: false,
        ellipsoid: WGS84,
        unit: 1.0,
        definition: concat!(
            r#"PROJCS["WGS 84 / Pseudo-Mercator",GEOGCS["WGS 84",DATUM["World Geodetic System 1984","#,
            r#"SPHEROID["WGS 84",6378137,298.257223563,AUTHORITY["EPSG","7030"]],AUTHORITY["EPSG","6326"]],"#,
            r#"PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],UNIT["degree",0.017453292519943278,"#,
            r#"AUTHORITY["EPSG","9122"]],AXIS["Lat",NORTH],AXIS["Lon",EAST],AUTHORITY["EPSG","4326"]],"#,
            r#"PROJECTION["Popular Visualisation Pseudo Mercator",AUTHORITY["EPSG","1024"]],"#,
            r#"PARAMETER["Latitude of natural origin",0,AUTHORITY["EPSG","8801"]],"#,
            r#"PARAMETER["Longitude of natural origin",0,AUTHORITY["EPSG","8802"]],"#,
            r#"PARAMETER["False easting",0,AUTHORITY["EPSG","8806"]],PARAMETER["False northing",0,"#,
            r#"AUTHORITY["EPSG","8807"]],UNIT["metre",1,AUTHORITY["EPSG","9001"]],AXIS["X",EAST],"#,
            r#"AXIS["Y",NORTH],AUTHORITY["EPSG","3857"]]"#
        ),
    },
    Srs {
        srid: 4258,
        name: "ETRS89",
        geographic: true,
        lat_long: true,
        ellipsoid: GRS80,
        unit: 1.0,
        definition: concat!(
            r#"GEOGCS["ETRS89",DATUM["European Terrestrial Reference System 1989",SPHEROID["GRS 1980","#,
            r#"6378137,298.257222101,AUTHORITY["EPSG","7019"]],TOWGS84[0,0,0,0,0,0,0],"#,
            r#"AUTHORITY["EPSG","6258"]],PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],UNIT["degree","#,
            r#"0.017453292519943278,AUTHORITY["EPSG","9122"]],AXIS["Lat",NORTH],AXIS["Lon",EAST],"#,
            r#"AUTHORITY["EPSG","4258"]]"#
        ),
    },
    Srs {
        srid: 4269,
        name: "NAD83",
        geographic: true,
        lat_long: true,
        ellipsoid: GRS80,
        unit: 1.0,
        definition: concat!(
            r#"GEOGCS["NAD83",DATUM["North American Datum 1983",SPHEROID["GRS 1980",6378137,"#,
            r#"298.257222101,AUTHORITY["EPSG","7019"]],TOWGS84[0,0,0,0,0,0,0],AUTHORITY["EPSG","6269"]],"#,
            r#"PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],UNIT["degree",0.017453292519943278,"#,
            r#"AUTHORITY["EPSG","9122"]],AXIS["Lat",NORTH],AXIS["Lon",EAST],AUTHORITY["EPSG","4269"]]"#
        ),
    },
    Srs {
        srid: 4326,
        name: "WGS 84",
        geographic: true,
        lat_long: true,
        ellipsoid: WGS84,
        unit: 1.0,
        definition: concat!(
            r#"GEOGCS["WGS 84",DATUM["World Geodetic System 1984",SPHEROID["WGS 84",6378137,298.257223563,"#,
            r#"AUTHORITY["EPSG","7030"]],AUTHORITY["EPSG","6326"]],PRIMEM["Greenwich",0,"#,
            r#"AUTHORITY["EPSG","8901"]],UNIT["degree",0.017453292519943278,AUTHORITY["EPSG","9122"]],"#,
            r#"AXIS["Lat",NORTH],AXIS["Lon",EAST],AUTHORITY["EPSG","4326"]]"#
        ),
    },
];

impl Srs {
    pub fn all() -> &'static [Srs] {
        &ALL
    }

    pub fn find(srid: u32) -> Option<&'static Srs> {
        ALL.iter().find(|s| s.srid == srid)
    }

    /// 3548 for a system that is not known.
    pub fn get(srid: u32) -> Result<&'static Srs, ValueError> {
        Self::find(srid).ok_or_else(|| ValueError::of(errno::ER_SRS_NOT_FOUND, &[&srid]))
    }

    pub fn spheroid(&self) -> Spheroid {
        let (a, inverse) = self.ellipsoid;
        // A sphere is written with an inverse flattening of 0.
        Spheroid { a, f: if inverse == 0.0 { 0.0 } else { 1.0 / inverse } }
    }

    /// The mean radius of the ellipsoid in metres.
    pub fn mean_radius(&self) -> f64 {
        self.spheroid().radius()
    }
}
