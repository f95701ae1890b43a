//! Definitions of spatial reference systems: WKT as OGC's "Coordinate Transformation Services" has it.
//!
//! What is read is what computations need. Projected systems are planes with a unit, whatever their projection. Geographic systems
//! must be in degrees from Greenwich to the north and the east, in either order.

use crate::errno;
use crate::value::ValueError;

/// What a definition says.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    pub geographic: bool,
    pub lat_long: bool,
    pub ellipsoid: (f64, f64),
    pub unit: f64,
    /// The shift of its datum to WGS 84, of seven numbers.
    pub shift: Option<Vec<f64>>,
}

/// `KEYWORD["text", 1.5, WORD, KEYWORD[...]]`.
struct Node {
    keyword: String,
    items: Vec<Item>,
}

enum Item {
    /// A name, which says nothing that is computed with.
    Text,
    Number(f64),
    Word(String),
    Node(Node),
}

/// Brackets inside each other.
const DEPTH: usize = 16;
const DEGREE: f64 = std::f64::consts::PI / 180.0;

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
        self.rest.bytes().next()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let hit = self.byte() == Some(byte);
        if hit {
            self.rest = &self.rest[1..];
        }
        hit
    }

    fn take(&mut self, while_in: impl Fn(char) -> bool) -> String {
        let end = self.rest.find(|c| !while_in(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken.to_owned()
    }

    fn item(&mut self, depth: usize) -> Option<Item> {
        match self.byte()? {
            b'"' => {
                let end = self.rest[1..].find('"')?;
                self.rest = &self.rest[end + 2..];
                Some(Item::Text)
            }
            b'0'..=b'9' | b'-' | b'+' | b'.' => {
                let digits = self.take(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
                digits.parse().ok().filter(|x: &f64| x.is_finite()).map(Item::Number)
            }
            _ => {
                let keyword = self.take(|c| c.is_ascii_alphanumeric() || c == '_');
                if keyword.is_empty() {
                    return None;
                }
                match self.byte() {
                    Some(b'[' | b'(') => Some(Item::Node(self.node(keyword, depth)?)),
                    _ => Some(Item::Word(keyword)),
                }
            }
        }
    }

    /// Behind the keyword.
    fn node(&mut self, keyword: String, depth: usize) -> Option<Node> {
        if depth == DEPTH {
            return None;
        }
        let close = if self.eat(b'[') { b']' } else { b')' };
        if close == b')' && !self.eat(b'(') {
            return None;
        }
        let mut items = vec![self.item(depth + 1)?];
        while self.eat(b',') {
            items.push(self.item(depth + 1)?);
        }
        self.eat(close).then(|| Node { keyword: keyword.to_ascii_uppercase(), items })
    }
}

impl Node {
    /// The first one of a keyword inside.
    fn inner(&self, keyword: &str) -> Option<&Node> {
        self.all(keyword).next()
    }

    fn all(&self, keyword: &str) -> impl Iterator<Item = &Node> {
        self.items.iter().filter_map(move |i| match i {
            Item::Node(n) if n.keyword == keyword => Some(n),
            _ => None,
        })
    }

    /// The name and the numbers behind it.
    fn named(&self) -> Option<Vec<f64>> {
        let Item::Text = self.items.first()? else { return None };
        let number = |i: &Item| if let Item::Number(x) = i { Some(*x) } else { None };
        Some(self.items[1..].iter().map_while(number).collect())
    }

    /// The directions of its axes: none, or two.
    fn axes(&self) -> Option<Vec<String>> {
        let direction = |n: &Node| match &n.items[..] {
            [Item::Text, Item::Word(word)] => Some(word.to_ascii_uppercase()),
            _ => None,
        };
        let axes: Vec<String> = self.all("AXIS").map(direction).collect::<Option<_>>()?;
        matches!(axes.len(), 0 | 2).then_some(axes)
    }
}

fn error(errno: u16) -> ValueError {
    ValueError::of(errno, &[])
}

fn not_supported(what: &str) -> ValueError {
    ValueError::of(errno::ER_NOT_SUPPORTED_YET, &[&what])
}

/// 3517 for what is no definition, and the errors of its numbers.
pub fn parse(srid: u32, text: &str) -> Result<Definition, ValueError> {
    let bad = || ValueError::of(errno::ER_SRS_PARSE_ERROR, &[&srid]);
    let mut reader = Reader { rest: text };
    let Some(Item::Node(root)) = reader.item(0) else { return Err(bad()) };
    if reader.byte().is_some() {
        return Err(bad());
    }
    match root.keyword.as_str() {
        "GEOGCS" => geographic(srid, &root),
        "PROJCS" => projected(srid, &root),
        _ => Err(bad()),
    }
}

fn projected(srid: u32, root: &Node) -> Result<Definition, ValueError> {
    let bad = || ValueError::of(errno::ER_SRS_PARSE_ERROR, &[&srid]);
    root.named().ok_or_else(bad)?;
    let base = geographic(srid, root.inner("GEOGCS").ok_or_else(bad)?)?;
    root.inner("PROJECTION").and_then(Node::named).ok_or_else(bad)?;
    for parameter in root.all("PARAMETER") {
        parameter.named().filter(|n| n.len() == 1).ok_or_else(bad)?;
    }
    let unit = root.inner("UNIT").and_then(Node::named).ok_or_else(bad)?;
    let unit = *unit.first().ok_or_else(bad)?;
    root.axes().ok_or_else(bad)?;
    if unit <= 0.0 {
        return Err(bad());
    }
    Ok(Definition { geographic: false, lat_long: false, unit, ..base })
}

fn geographic(srid: u32, root: &Node) -> Result<Definition, ValueError> {
    let bad = || ValueError::of(errno::ER_SRS_PARSE_ERROR, &[&srid]);
    root.named().ok_or_else(bad)?;
    let datum = root.inner("DATUM").ok_or_else(bad)?;
    datum.named().ok_or_else(bad)?;
    let spheroid = datum.inner("SPHEROID").and_then(Node::named).ok_or_else(bad)?;
    let [a, inverse] = spheroid[..] else { return Err(bad()) };
    let shift = match datum.inner("TOWGS84") {
        None => None,
        Some(n) => {
            let number = |i: &Item| if let Item::Number(x) = i { Some(*x) } else { None };
            let all: Option<Vec<f64>> = n.items.iter().map(number).collect();
            Some(all.filter(|l| l.len() == 7).ok_or_else(bad)?)
        }
    };
    let first = |keyword: &str| {
        let numbers = root.inner(keyword).and_then(Node::named).ok_or_else(bad)?;
        numbers.first().copied().ok_or_else(bad)
    };
    let (meridian, unit) = (first("PRIMEM")?, first("UNIT")?);
    let axes = root.axes().filter(|a| a.len() == 2).ok_or_else(bad)?;
    if a <= 0.0 {
        return Err(error(errno::ER_SRS_INVALID_SEMI_MAJOR_AXIS));
    }
    if inverse != 0.0 && inverse <= 1.0 {
        return Err(error(errno::ER_SRS_INVALID_INVERSE_FLATTENING));
    }
    if unit <= 0.0 {
        return Err(error(errno::ER_SRS_INVALID_ANGULAR_UNIT));
    }
    let half = 180.0 * DEGREE / unit;
    if !(-half < meridian && meridian <= half) {
        return Err(error(errno::ER_SRS_INVALID_PRIME_MERIDIAN));
    }
    let lat_long = lat_long(srid, &axes)?;
    if (unit - DEGREE).abs() > 1e-9 * DEGREE || meridian != 0.0 {
        return Err(not_supported(
            "Geographic spatial reference systems in other units than degrees from Greenwich",
        ));
    }
    Ok(Definition { geographic: true, lat_long, ellipsoid: (a, inverse), unit: 1.0, shift })
}

/// Whether the latitude stands first. 3736 for axes that are none of a globe.
fn lat_long(srid: u32, axes: &[String]) -> Result<bool, ValueError> {
    let vertical = |a: &str| a == "NORTH" || a == "SOUTH";
    let horizontal = |a: &str| a == "EAST" || a == "WEST";
    let (first, second) = (axes[0].as_str(), axes[1].as_str());
    let lat_long = vertical(first) && horizontal(second);
    let long_lat = horizontal(first) && vertical(second);
    if !lat_long && !long_lat {
        let args: [&dyn std::fmt::Display; 3] = [&srid, &first, &second];
        return Err(ValueError::of(errno::ER_SRS_GEOGCS_INVALID_AXES, &args));
    }
    if axes.iter().any(|a| a == "SOUTH" || a == "WEST") {
        return Err(not_supported(
            "Geographic spatial reference systems with axes to the south or the west",
        ));
    }
    Ok(lat_long)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GLOBE: &str = concat!(
        r#"GEOGCS["x",DATUM["d",SPHEROID["s",6378137,298.25]],PRIMEM["Greenwich",0],"#,
        r#"UNIT["degree",0.017453292519943278],AXIS["Lon",EAST],AXIS["Lat",NORTH]]"#
    );

    fn errno(text: &str) -> u16 {
        parse(7, text).expect_err("no definition").errno
    }

    #[test]
    fn what_is_read() {
        let found = parse(7, GLOBE).expect("a definition");
        assert!(found.geographic && !found.lat_long);
        assert_eq!(found.ellipsoid, (6_378_137.0, 298.25));
        let plane = format!(
            r#" projcs ( "p" , {GLOBE}, PROJECTION["m"], PARAMETER["k", 1e0], UNIT["foot", 0.3048] ) "#
        );
        let found = parse(7, &plane).expect("a definition");
        assert!(!found.geographic);
        assert_eq!(found.unit, 0.3048);
        let shifted = GLOBE.replace("298.25]", "298.25],TOWGS84[1,2,3,4,5,6,7]");
        assert_eq!(parse(7, &shifted).expect("a definition").shift.map(|s| s.len()), Some(7));
    }

    #[test]
    fn what_is_refused() {
        for bad in ["", "foo", "GEOGCS[", &GLOBE[..GLOBE.len() - 1], &format!("{GLOBE},"), "\0"] {
            assert_eq!(errno(bad), errno::ER_SRS_PARSE_ERROR, "{bad}");
        }
        assert_eq!(errno(&"A[".repeat(5000)), errno::ER_SRS_PARSE_ERROR);
        let with = |from: &str, to: &str| errno(&GLOBE.replace(from, to));
        assert_eq!(with("6378137", "-1"), errno::ER_SRS_INVALID_SEMI_MAJOR_AXIS);
        assert_eq!(with("298.25", "0.5"), errno::ER_SRS_INVALID_INVERSE_FLATTENING);
        assert_eq!(with("0.017453292519943278", "0"), errno::ER_SRS_INVALID_ANGULAR_UNIT);
        assert_eq!(with("NORTH", "EAST"), errno::ER_SRS_GEOGCS_INVALID_AXES);
        assert_eq!(with("NORTH", "SOUTH"), errno::ER_NOT_SUPPORTED_YET);
        assert_eq!(with(r#""Greenwich",0"#, r#""Paris",2.3"#), errno::ER_NOT_SUPPORTED_YET);
        assert_eq!(
            with(r#""Greenwich",0"#, r#""Paris",200"#),
            errno::ER_SRS_INVALID_PRIME_MERIDIAN
        );
    }
}
