//! What is stored of an event beyond its body, and the times that its schedule has.

use super::codec::bytes::{Reader, Writer, damaged};
use crate::session_api::SqlError;
use crate::value::convert::local_time;
use crate::value::temporal::DAY_MICROS;
use crate::value::temporal::interval::{Interval, Unit, difference};
use crate::value::{DateTime, TimeZone};
pub use weir_syntax::ast::EventStatus;

/// When an event runs. Points in time are microseconds since 1970 UTC, whole seconds.
#[derive(Debug, Clone, PartialEq)]
pub struct EventMeta {
    pub schedule: Schedule,
    pub status: EventStatus,
    /// ON COMPLETION PRESERVE.
    pub preserve: bool,
    /// The `time_zone` of anyone who defined it: its schedule counts in it, and it runs in it.
    pub time_zone: String,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Schedule {
    At(i64),
    Every {
        /// As the unit is written: a number, or numbers with colons between for one that is compound.
        amount: String,
        unit: Unit,
        starts: i64,
        ends: Option<i64>,
    },
}

impl EventMeta {
    fn zone(&self) -> TimeZone {
        TimeZone::parse(&self.time_zone).unwrap_or(TimeZone::SYSTEM)
    }

    /// The first time of the schedule behind `after`; `None`: it is over. What was missed is not made up for.
    pub fn next(&self, after: i64) -> Option<i64> {
        let (amount, unit, starts, ends) = match &self.schedule {
            Schedule::At(at) => return (*at > after).then_some(*at),
            Schedule::Every { amount, unit, starts, ends } => (amount, *unit, *starts, *ends),
        };
        let next = match interval(amount, unit)? {
            _ if starts > after => starts,
            Interval::Micros(step) => self.next_step(starts, step, after)?,
            Interval::Months(step) => self.next_month(starts, step, after)?,
        };
        ends.is_none_or(|ends| next <= ends).then_some(next)
    }

    /// Whole days are counted on the event's clock: what runs at three runs at three when clocks have been set. What is shorter goes on
    /// in between as it did before.
    fn next_step(&self, starts: i64, step: i64, after: i64) -> Option<i64> {
        if step % DAY_MICROS != 0 {
            return starts.checked_add(((after - starts) / step + 1).checked_mul(step)?);
        }
        let zone = self.zone();
        let (first, now) = (zone.to_local(starts), zone.to_local(after));
        let passed = (now - first) / step;
        let times = (passed.max(1) - 1..=passed + 2)
            .filter_map(|n| Some(zone.to_utc(first.checked_add(n.checked_mul(step)?)?)));
        times.into_iter().find(|at| *at > after)
    }

    /// Months are counted from the start, so that the 31st comes back behind a month without one.
    fn next_month(&self, starts: i64, step: i64, after: i64) -> Option<i64> {
        let zone = self.zone();
        let (first, now) = (local_time(starts, zone, 0)?, local_time(after, zone, 0)?);
        let passed = difference(Unit::Month, first, now) / step;
        let times = (passed..=passed + 2).filter_map(|n| {
            let at = first.plus(Interval::Months(n.checked_mul(step)?))?;
            Some(utc(at, zone))
        });
        times.into_iter().find(|at| *at > after)
    }

    /// A point in time on the event's clock.
    pub fn local(&self, at: i64) -> Option<DateTime> {
        local_time(at, self.zone(), 0).map(|t| t.truncate(0))
    }

    /// ON SCHEDULE to ENABLE, as SHOW CREATE EVENT tells it.
    pub fn text(&self) -> String {
        let at = |t: i64| self.local(t).map_or_else(String::new, |t| format!("'{t}'"));
        let schedule = match &self.schedule {
            Schedule::At(t) => format!("AT {}", at(*t)),
            Schedule::Every { amount, unit, starts, ends } => {
                let quote = if unit.is_compound() { "'" } else { "" };
                let ends = ends.map_or_else(String::new, |t| format!(" ENDS {}", at(t)));
                let unit = unit.name();
                format!("EVERY {quote}{amount}{quote} {unit} STARTS {}{ends}", at(*starts))
            }
        };
        let not = if self.preserve { "" } else { "NOT " };
        let status = match self.status {
            EventStatus::Enabled => "ENABLE",
            EventStatus::Disabled => "DISABLE",
            EventStatus::ReplicaSideDisabled => "DISABLE ON SLAVE",
        };
        format!("ON SCHEDULE {schedule} ON COMPLETION {not}PRESERVE {status}")
    }

    pub fn status_text(&self) -> &'static str {
        match self.status {
            EventStatus::Enabled => "ENABLED",
            EventStatus::Disabled => "DISABLED",
            EventStatus::ReplicaSideDisabled => "SLAVESIDE_DISABLED",
        }
    }
}

/// Of a unit at most, as in MySQL.
const MOST: i64 = 1_000_000_000;

/// The interval of an amount; `None`: it is no positive one, or too long.
pub fn interval(amount: &str, unit: Unit) -> Option<Interval> {
    let mut fields = amount.split(|c: char| !c.is_ascii_digit()).filter(|f| !f.is_empty());
    if !fields.all(|f| f.parse::<i64>().is_ok_and(|n| n <= MOST)) {
        return None;
    }
    let i = match unit.is_compound() {
        true => Interval::parse(amount.as_bytes(), unit)?,
        false => Interval::of(amount.parse().ok()?, unit)?,
    };
    let (Interval::Micros(n) | Interval::Months(n)) = i;
    (n > 0).then_some(i)
}

/// The text of a compound unit's interval, as MySQL shows it: what a field has too much goes into the one before it.
pub fn compound_text(i: Interval, unit: Unit) -> String {
    let seconds = match i {
        Interval::Months(n) => return format!("{}-{}", n / 12, n % 12),
        Interval::Micros(n) => n / 1_000_000,
    };
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match unit {
        Unit::DayHour => format!("{days} {}", hours % 24),
        Unit::DayMinute => format!("{days} {}:{}", hours % 24, minutes % 60),
        Unit::DaySecond => {
            format!("{days} {}:{}:{}", hours % 24, minutes % 60, seconds % 60)
        }
        Unit::HourMinute => format!("{hours}:{}", minutes % 60),
        Unit::HourSecond => format!("{hours}:{}:{}", minutes % 60, seconds % 60),
        _ => format!("{minutes}:{}", seconds % 60),
    }
}

/// The point in time that a clock of this zone shows.
pub fn utc(at: DateTime, zone: TimeZone) -> i64 {
    zone.to_utc(at.civil_micros())
}

pub(super) fn put(w: &mut Writer, e: &EventMeta) {
    w.u8(match e.status {
        EventStatus::Enabled => 0,
        EventStatus::Disabled => 1,
        EventStatus::ReplicaSideDisabled => 2,
    });
    w.u8(u8::from(e.preserve));
    w.str(&e.time_zone);
    match &e.schedule {
        Schedule::At(t) => {
            w.u8(0);
            w.u64(*t as u64);
        }
        Schedule::Every { amount, unit, starts, ends } => {
            w.u8(if ends.is_some() { 2 } else { 1 });
            w.str(amount);
            w.str(unit.name());
            w.u64(*starts as u64);
            w.u64(ends.unwrap_or(0) as u64);
        }
    }
}

pub(super) fn get(r: &mut Reader<'_>) -> Result<EventMeta, SqlError> {
    let status = match r.u8()? {
        0 => EventStatus::Enabled,
        1 => EventStatus::Disabled,
        2 => EventStatus::ReplicaSideDisabled,
        _ => return Err(damaged()),
    };
    let (preserve, time_zone) = (r.u8()? != 0, r.str()?);
    let schedule = match r.u8()? {
        0 => Schedule::At(r.u64()? as i64),
        kind @ (1 | 2) => {
            let amount = r.str()?;
            let unit = Unit::by_name(&r.str()?).ok_or_else(damaged)?;
            let (starts, ends) = (r.u64()? as i64, r.u64()? as i64);
            Schedule::Every { amount, unit, starts, ends: (kind == 2).then_some(ends) }
        }
        _ => return Err(damaged()),
    };
    Ok(EventMeta { schedule, status, preserve, time_zone })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every(amount: &str, unit: Unit, starts: &str, ends: Option<&str>, zone: &str) -> EventMeta {
        let tz = TimeZone::parse(zone).expect("a zone");
        let at = |t: &str| utc(point(t), tz);
        let (starts, ends) = (at(starts), ends.map(at));
        let schedule = Schedule::Every { amount: amount.into(), unit, starts, ends };
        let status = EventStatus::Enabled;
        EventMeta { schedule, status, preserve: false, time_zone: zone.into() }
    }

    fn point(t: &str) -> DateTime {
        let n = |a: usize, b: usize| t[a..b].parse::<u16>().expect("a number");
        DateTime {
            date: crate::value::Date::new(n(0, 4), n(5, 7) as u8, n(8, 10) as u8),
            hour: n(11, 13) as u8,
            minute: n(14, 16) as u8,
            second: n(17, 19) as u8,
            ..DateTime::ZERO
        }
    }

    fn next(e: &EventMeta, after: &str) -> Option<String> {
        let tz = TimeZone::parse(&e.time_zone).expect("a zone");
        e.next(utc(point(after), tz)).and_then(|t| e.local(t)).map(|t| t.to_string())
    }

    #[test]
    fn times_that_were_missed_are_passed_over() {
        let e =
            every("2", Unit::Hour, "2024-01-01 10:00:00", Some("2024-01-02 10:00:00"), "+00:00");
        let at = |t: &str| next(&e, t);
        assert_eq!(at("2023-01-01 00:00:00").as_deref(), Some("2024-01-01 10:00:00"));
        assert_eq!(at("2024-01-01 09:59:59").as_deref(), Some("2024-01-01 10:00:00"));
        assert_eq!(at("2024-01-01 10:00:00").as_deref(), Some("2024-01-01 12:00:00"));
        assert_eq!(at("2024-01-01 17:00:00").as_deref(), Some("2024-01-01 18:00:00"));
        assert_eq!(at("2024-01-02 10:00:00"), None);
    }

    #[test]
    fn days_are_counted_on_a_clock_that_is_set() {
        let e = every("1", Unit::Day, "2026-01-01 03:00:00", None, "Europe/Berlin");
        for (after, then) in [
            ("2026-03-28 03:00:00", "2026-03-29 03:00:00"),
            ("2026-03-29 03:00:00", "2026-03-30 03:00:00"),
            ("2026-10-25 03:00:00", "2026-10-26 03:00:00"),
            ("2026-01-01 02:00:00", "2026-01-01 03:00:00"),
        ] {
            assert_eq!(next(&e, after).as_deref(), Some(then), "{after}");
        }
        // One of the skipped hour runs at the moment of setting, and goes on a day later.
        let e = every("1", Unit::Day, "2026-01-01 02:30:00", None, "Europe/Berlin");
        assert_eq!(next(&e, "2026-03-28 12:00:00").as_deref(), Some("2026-03-29 03:00:00"));
        assert_eq!(next(&e, "2026-03-29 03:00:00").as_deref(), Some("2026-03-30 02:30:00"));
        // Hours go on through all of it.
        let e = every("1", Unit::Hour, "2026-01-01 00:00:00", None, "Europe/Berlin");
        assert_eq!(next(&e, "2026-03-29 01:00:00").as_deref(), Some("2026-03-29 03:00:00"));
    }

    #[test]
    fn months_are_counted_from_the_start() {
        let e = every("1", Unit::Month, "2024-01-31 00:30:00", None, "+02:00");
        let at = |t: &str| next(&e, t);
        assert_eq!(at("2024-01-31 00:30:00").as_deref(), Some("2024-02-29 00:30:00"));
        assert_eq!(at("2024-02-29 00:30:00").as_deref(), Some("2024-03-31 00:30:00"));
        assert_eq!(at("2024-04-01 00:00:00").as_deref(), Some("2024-04-30 00:30:00"));
        let e = every("1-3", Unit::YearMonth, "2020-01-01 00:00:00", None, "SYSTEM");
        assert_eq!(next(&e, "2023-01-01 00:00:00").as_deref(), Some("2023-10-01 00:00:00"));
    }

    #[test]
    fn stored_and_read_again() {
        for e in [
            every("1:30", Unit::MinuteSecond, "2024-01-01 10:00:00", None, "SYSTEM"),
            every("5", Unit::Day, "2024-01-01 10:00:00", Some("2025-01-01 00:00:00"), "-03:00"),
        ] {
            let mut w = Writer(Vec::new());
            put(&mut w, &e);
            assert_eq!(get(&mut Reader(&w.0)).expect("reads"), e);
        }
        for too_long in ["9223372036854", "1000000001", "99999999999999999999"] {
            assert_eq!(interval(too_long, Unit::Second), None, "{too_long}");
        }
        let far = every("1000000000", Unit::Week, "2024-01-01 10:00:00", None, "+00:00");
        assert_eq!(next(&far, "2024-01-01 10:00:00"), None, "no date is as far");
        assert_eq!(interval("0", Unit::Day), None);
        assert_eq!(interval("-1", Unit::Day), None);
    }
}
