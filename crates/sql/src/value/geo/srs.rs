//! Spatial reference systems: what the numbers of coordinates mean.
//!
//! SRID 0 is the plane without units. Of the five thousand systems that MySQL knows these are here from the start: the geographic ones
//! that data comes in most, and Web Mercator, whose coordinates are those of maps. Definitions are the EPSG registry's. Others are
//! defined by statements, and so are others in the place of these ([`ReferenceSystems`]).

use super::spheroid::Spheroid;
use crate::errno;
use crate::value::ValueError;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

#[derive(Debug, Clone, PartialEq)]
pub struct Srs {
    pub srid: u32,
    pub name: Cow<'static, str>,
    /// Who gave the system which number.
    pub organization: Option<(Cow<'static, str>, u32)>,
    /// Coordinates are longitudes and latitudes in degrees.
    pub geographic: bool,
    /// The latitude stands first in WKT and WKB.
    pub lat_long: bool,
    /// Semi-major axis in metres and inverse flattening of the ellipsoid; zeros for the plane without units.
    pub ellipsoid: (f64, f64),
    /// Metres in a unit of length: of a geographic system that of its ellipsoid.
    pub unit: f64,
    /// One of those that are there from the start, which ST_Transform() knows.
    pub known: bool,
    /// The WKT of the definition.
    pub definition: Cow<'static, str>,
    pub description: Option<String>,
}

const GRS80: (f64, f64) = (6_378_137.0, 298.257222101);
const WGS84: (f64, f64) = (6_378_137.0, 298.257223563);

const BUILT_IN: [Srs; 5] = [
    Srs {
        srid: 0,
        organization: None,
        name: Cow::Borrowed(""),
        geographic: false,
        lat_long: false,
        ellipsoid: (0.0, 0.0),
        unit: 1.0,
        known: true,
        description: None,
        definition: Cow::Borrowed(""),
    },
    Srs {
        srid: 3857,
        organization: Some((Cow::Borrowed("EPSG"), 3857)),
        name: Cow::Borrowed("WGS 84 / Pseudo-Mercator"),
        geographic: false,
        lat_long: false,
        ellipsoid: WGS84,
        unit: 1.0,
        known: true,
        description: None,
        definition: Cow::Borrowed(concat!(
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
        )),
    },
    Srs {
        srid: 4258,
        organization: Some((Cow::Borrowed("EPSG"), 4258)),
        name: Cow::Borrowed("ETRS89"),
        geographic: true,
        lat_long: true,
        ellipsoid: GRS80,
        unit: 1.0,
        known: true,
        description: None,
        definition: Cow::Borrowed(concat!(
            r#"GEOGCS["ETRS89",DATUM["European Terrestrial Reference System 1989",SPHEROID["GRS 1980","#,
            r#"6378137,298.257222101,AUTHORITY["EPSG","7019"]],TOWGS84[0,0,0,0,0,0,0],"#,
            r#"AUTHORITY["EPSG","6258"]],PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],UNIT["degree","#,
            r#"0.017453292519943278,AUTHORITY["EPSG","9122"]],AXIS["Lat",NORTH],AXIS["Lon",EAST],"#,
            r#"AUTHORITY["EPSG","4258"]]"#
        )),
    },
    Srs {
        srid: 4269,
        organization: Some((Cow::Borrowed("EPSG"), 4269)),
        name: Cow::Borrowed("NAD83"),
        geographic: true,
        lat_long: true,
        ellipsoid: GRS80,
        unit: 1.0,
        known: true,
        description: None,
        definition: Cow::Borrowed(concat!(
            r#"GEOGCS["NAD83",DATUM["North American Datum 1983",SPHEROID["GRS 1980",6378137,"#,
            r#"298.257222101,AUTHORITY["EPSG","7019"]],TOWGS84[0,0,0,0,0,0,0],AUTHORITY["EPSG","6269"]],"#,
            r#"PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],UNIT["degree",0.017453292519943278,"#,
            r#"AUTHORITY["EPSG","9122"]],AXIS["Lat",NORTH],AXIS["Lon",EAST],AUTHORITY["EPSG","4269"]]"#
        )),
    },
    Srs {
        srid: 4326,
        organization: Some((Cow::Borrowed("EPSG"), 4326)),
        name: Cow::Borrowed("WGS 84"),
        geographic: true,
        lat_long: true,
        ellipsoid: WGS84,
        unit: 1.0,
        known: true,
        description: None,
        definition: Cow::Borrowed(concat!(
            r#"GEOGCS["WGS 84",DATUM["World Geodetic System 1984",SPHEROID["WGS 84",6378137,298.257223563,"#,
            r#"AUTHORITY["EPSG","7030"]],AUTHORITY["EPSG","6326"]],PRIMEM["Greenwich",0,"#,
            r#"AUTHORITY["EPSG","8901"]],UNIT["degree",0.017453292519943278,AUTHORITY["EPSG","9122"]],"#,
            r#"AXIS["Lat",NORTH],AXIS["Lon",EAST],AUTHORITY["EPSG","4326"]]"#
        )),
    },
];

/// Shared by all who look at them.
static SHARED: LazyLock<[Arc<Srs>; 5]> = LazyLock::new(|| BUILT_IN.map(Arc::new));

impl Srs {
    /// One that is there from the start.
    pub fn built_in(srid: u32) -> Option<Arc<Srs>> {
        SHARED.iter().find(|s| s.srid == srid).cloned()
    }

    /// 3548.
    pub fn not_found(srid: u32) -> ValueError {
        ValueError::of(errno::ER_SRS_NOT_FOUND, &[&srid])
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

/// The systems of a database: those that are there from the start, and what statements have made of them.
#[derive(Debug, Default)]
pub struct ReferenceSystems {
    /// None: the system has been dropped.
    changed: RwLock<BTreeMap<u32, Option<Arc<Srs>>>>,
}

impl ReferenceSystems {
    pub fn get(&self, srid: u32) -> Option<Arc<Srs>> {
        let changed = self.changed.read().unwrap_or_else(PoisonError::into_inner);
        match changed.get(&srid) {
            Some(now) => now.clone(),
            None => Srs::built_in(srid),
        }
    }

    /// All of them, by their numbers.
    pub fn all(&self) -> Vec<Arc<Srs>> {
        let changed = self.changed.read().unwrap_or_else(PoisonError::into_inner);
        let mut all: BTreeMap<u32, Arc<Srs>> = SHARED.iter().map(|s| (s.srid, s.clone())).collect();
        for (srid, now) in changed.iter() {
            match now {
                Some(srs) => all.insert(*srid, srs.clone()),
                None => all.remove(srid),
            };
        }
        all.into_values().collect()
    }

    /// A system is another one from now on, or not there any more.
    pub fn set(&self, srid: u32, now: Option<Arc<Srs>>) {
        self.changed.write().unwrap_or_else(PoisonError::into_inner).insert(srid, now);
    }
}
