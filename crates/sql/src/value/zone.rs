//! Time zones: offsets from UTC, and the named ones of the IANA database, which is part of the program.
//!
//! Invariants:
//! - A point in time has one local time. The way back is MySQL's: a local time that comes twice is the first of the two, unless it was
//!   made from the second ([`DateTime::later`]), one that a clock passes over is the moment at which it is set.
//! - A zone that was used is kept for the life of the process, for there are some hundred names; so a [`TimeZone`] is copied.

use super::error::ValueError;
use super::temporal::{DateTime, MICROS};
use jiff::Timestamp;
use jiff::tz::{AmbiguousOffset, Offset, TimeZoneDatabase};
use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock, PoisonError, RwLock};

/// A session's time zone. SYSTEM is that of the machine, where anyone who runs the process asks for it ([`use_zone_of_machine`]); else it is UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TimeZone(Rule);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Rule {
    #[default]
    System,
    /// Seconds east of UTC.
    Offset(i32),
    Named(&'static Zone),
}

/// A zone with a name.
#[derive(Debug)]
struct Zone {
    name: String,
    rules: jiff::tz::TimeZone,
}

impl PartialEq for Zone {
    fn eq(&self, other: &Zone) -> bool {
        self.name == other.name
    }
}

impl Eq for Zone {}

static MACHINE: OnceLock<&'static Zone> = OnceLock::new();

/// From now on SYSTEM is the time zone of the machine: what `TZ` says, or `/etc/localtime`. Returns its name of today, as `CET` or `+03`;
/// an error tells why it is not known, and SYSTEM stays UTC. For servers, before the first session.
pub fn use_zone_of_machine() -> Result<String, String> {
    let rules = jiff::tz::TimeZone::try_system().map_err(|e| e.to_string())?;
    let today = rules.to_offset_info(Timestamp::now()).abbreviation().to_owned();
    let zone = Zone { name: "SYSTEM".to_owned(), rules };
    MACHINE.get_or_init(|| Box::leak(Box::new(zone)));
    Ok(today)
}

static ZONES: LazyLock<RwLock<HashMap<String, &'static Zone>>> = LazyLock::new(RwLock::default);

impl TimeZone {
    pub const SYSTEM: TimeZone = TimeZone(Rule::System);
    pub const UTC: TimeZone = TimeZone(Rule::Offset(0));

    /// Seconds east of UTC.
    pub const fn fixed(offset: i32) -> TimeZone {
        TimeZone(Rule::Offset(offset))
    }

    /// `SYSTEM`, `[+-]H[H]:MM` from -13:59 to +14:00, or a name in any letter case; 1298 for all else.
    pub fn parse(name: &str) -> Result<TimeZone, ValueError> {
        if name.eq_ignore_ascii_case("SYSTEM") {
            return Ok(TimeZone::SYSTEM);
        }
        if name.eq_ignore_ascii_case("UTC") {
            return Ok(TimeZone::UTC);
        }
        let found = offset_of(name).map(Rule::Offset).or_else(|| named(name).map(Rule::Named));
        found.map(TimeZone).ok_or_else(|| ValueError::unknown_time_zone(name))
    }

    /// What SYSTEM stands for.
    fn rule(self) -> Rule {
        match (self.0, MACHINE.get()) {
            (Rule::System, Some(zone)) => Rule::Named(zone),
            (rule, _) => rule,
        }
    }

    /// The time that a clock of this zone shows, in microseconds as if it were UTC.
    pub fn to_local(self, utc_micros: i64) -> i64 {
        utc_micros + self.offset_at(utc_micros)
    }

    /// Microseconds east of UTC at a point in time.
    fn offset_at(self, utc_micros: i64) -> i64 {
        match self.rule() {
            Rule::System => 0,
            Rule::Offset(seconds) => i64::from(seconds) * MICROS,
            Rule::Named(zone) => match Timestamp::from_microsecond(utc_micros) {
                Ok(at) => micros(zone.rules.to_offset(at)),
                Err(_) => 0,
            },
        }
    }

    /// The point in time at which a clock of this zone shows a local time.
    pub fn to_utc(self, local_micros: i64) -> i64 {
        let Rule::Named(zone) = self.rule() else { return local_micros - self.offset_at(0) };
        match zone.at_local(local_micros) {
            None => local_micros,
            Some(AmbiguousOffset::Unambiguous { offset }) => local_micros - micros(offset),
            Some(AmbiguousOffset::Fold { before, .. }) => local_micros - micros(before),
            Some(AmbiguousOffset::Gap { after, .. }) => {
                let earliest = local_micros - micros(after);
                let set = Timestamp::from_microsecond(earliest).ok();
                let set = set.and_then(|t| zone.rules.following(t).next());
                set.map_or(earliest, |t| t.timestamp().as_microsecond())
            }
        }
    }

    /// As [`TimeZone::to_utc`], for a value that may know that it is the second of two.
    pub fn time_of(self, d: DateTime) -> i64 {
        let local = d.civil_micros();
        match self.rule() {
            Rule::Named(zone) if d.later => match zone.at_local(local) {
                Some(AmbiguousOffset::Fold { after, .. }) => local - micros(after),
                _ => self.to_utc(local),
            },
            _ => self.to_utc(local),
        }
    }

    /// Is a point in time the second of two that have its local time?
    pub fn is_later(self, utc_micros: i64, local_micros: i64) -> bool {
        let Rule::Named(zone) = self.rule() else { return false };
        let Some(AmbiguousOffset::Fold { after, .. }) = zone.at_local(local_micros) else {
            return false;
        };
        local_micros - micros(after) == utc_micros
    }

    /// Does no clock of this zone ever show the local time?
    pub fn skips(self, local_micros: i64) -> bool {
        let Rule::Named(zone) = self.rule() else { return false };
        matches!(zone.at_local(local_micros), Some(AmbiguousOffset::Gap { .. }))
    }
}

impl Zone {
    fn at_local(&self, local_micros: i64) -> Option<AmbiguousOffset> {
        let local = Timestamp::from_microsecond(local_micros).ok()?;
        let local = Offset::UTC.to_datetime(local);
        Some(self.rules.to_ambiguous_timestamp(local).offset())
    }
}

fn micros(offset: Offset) -> i64 {
    i64::from(offset.seconds()) * MICROS
}

fn named(name: &str) -> Option<&'static Zone> {
    static DATABASE: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);
    // The longest name of the database has some thirty bytes.
    if name.len() > 64 {
        return None;
    }
    let key = name.to_ascii_lowercase();
    if let Some(zone) = ZONES.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return Some(zone);
    }
    let rules = DATABASE.get(name).ok().filter(|z| !z.is_unknown())?;
    let name = rules.iana_name().unwrap_or(name).to_owned();
    let mut zones = ZONES.write().unwrap_or_else(PoisonError::into_inner);
    Some(*zones.entry(key).or_insert_with(|| Box::leak(Box::new(Zone { name, rules }))))
}

/// Seconds east of UTC of `[+-]H[H]:MM`, from -13:59 to +14:00.
fn offset_of(name: &str) -> Option<i32> {
    let (sign, rest) = match name.as_bytes().first()? {
        b'+' => (1, &name[1..]),
        b'-' => (-1, &name[1..]),
        _ => return None,
    };
    let (h, m) = rest.split_once(':')?;
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    if h.is_empty() || h.len() > 2 || m.len() != 2 || !digits(h) || !digits(m) {
        return None;
    }
    let (h, m): (i32, i32) = (h.parse().ok()?, m.parse().ok()?);
    let offset = sign * (h * 3600 + m * 60);
    let fits = m < 60 && (-(13 * 3600 + 59 * 60)..=14 * 3600).contains(&offset);
    fits.then_some(offset)
}

impl std::fmt::Display for TimeZone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Rule::System => f.write_str("SYSTEM"),
            Rule::Offset(seconds) => {
                let (sign, o) = if seconds < 0 { ('-', -seconds) } else { ('+', seconds) };
                write!(f, "{sign}{:02}:{:02}", o / 3600, o / 60 % 60)
            }
            Rule::Named(zone) => f.write_str(&zone.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::convert::local_time;

    const HOUR: i64 = 3600 * MICROS;
    /// 2005-03-27 01:00:00 UTC, when clocks in Berlin are set from 2 to 3.
    const SPRING: i64 = 1_111_885_200 * MICROS;
    /// 2005-10-30 01:00:00 UTC, when they are set from 3 to 2.
    const AUTUMN: i64 = 1_130_634_000 * MICROS;

    #[test]
    fn names() {
        let berlin = TimeZone::parse("europe/BERLIN").expect("a zone");
        assert_eq!(berlin.to_string(), "Europe/Berlin");
        assert_eq!(berlin, TimeZone::parse("Europe/Berlin").expect("a zone"));
        assert_eq!(TimeZone::parse("-0:30").expect("an offset").to_string(), "-00:30");
        for good in ["-13:59", "+14:00", "+00:00", "-12:34"] {
            assert_eq!(TimeZone::parse(good).expect(good).to_string(), good);
        }
        let bad = ["", "Europe/Atlantis", "Etc/Unknown", "+15:00", "-14:00", "+14:01", "+1"];
        for bad in bad.into_iter().chain(["+1:60", "05:30", "+aa:00", "é"]) {
            assert_eq!(TimeZone::parse(bad).expect_err(bad).errno, 1298, "{bad}");
        }
    }

    #[test]
    fn clocks_that_are_set() {
        let berlin = TimeZone::parse("Europe/Berlin").expect("a zone");
        assert_eq!(berlin.to_local(SPRING - 1), SPRING - 1 + HOUR);
        assert_eq!(berlin.to_local(SPRING), SPRING + 2 * HOUR);
        // Half past two is passed over; what it means is the moment of setting.
        let missing = SPRING + HOUR + HOUR / 2;
        assert!(berlin.skips(missing) && !berlin.skips(SPRING + 2 * HOUR));
        assert_eq!(berlin.to_utc(missing), SPRING);
        // Half past two comes twice.
        let twice = AUTUMN + HOUR + HOUR / 2;
        assert!(!berlin.skips(twice));
        assert_eq!(berlin.to_utc(twice), AUTUMN - HOUR / 2);
        assert_eq!(berlin.to_local(AUTUMN + HOUR / 2), twice);
        // Shown and stored again, each of the two stays what it is.
        for at in [AUTUMN - HOUR / 2, AUTUMN + HOUR / 2, AUTUMN + HOUR, SPRING] {
            let shown = local_time(at, berlin, 0).expect("a time");
            assert_eq!((berlin.time_of(shown), shown.later), (at, at == AUTUMN + HOUR / 2));
        }
    }

    #[test]
    fn far_years_and_impossible_ones() {
        let york = TimeZone::parse("America/New_York").expect("a zone");
        // Noon of 1 July 2100: the rules go on.
        let noon = 4_118_126_400 * MICROS;
        assert_eq!(york.to_local(noon), noon - 4 * HOUR);
        assert_eq!(york.to_utc(york.to_local(noon)), noon);
        assert_eq!(york.to_utc(i64::MAX / 2), i64::MAX / 2);
    }
}
