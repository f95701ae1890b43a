//! Dates and times as texts. Digits are put in their places one by one: a query may show a million of them, and the standard
//! formatter takes most of the time of a date function.

use super::{Date, DateTime, Time};
use std::fmt;

/// Longer than any of these texts: a sign, hours of ten digits, a fraction; or a date, a time and a fraction.
const LONGEST: usize = 40;

struct Text {
    bytes: [u8; LONGEST],
    len: usize,
}

impl Text {
    fn new() -> Text {
        Text { bytes: [0; LONGEST], len: 0 }
    }

    fn push(&mut self, byte: u8) {
        self.bytes[self.len] = byte;
        self.len += 1;
    }

    /// A number with so many digits at least.
    fn number(&mut self, n: u32, width: usize) {
        let mut digits = width;
        while digits < 10 && n >= 10u32.pow(digits as u32) {
            digits += 1;
        }
        let mut rest = n;
        for at in (self.len..self.len + digits).rev() {
            self.bytes[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        self.len += digits;
    }

    fn date(&mut self, d: Date) {
        self.number(d.year.into(), 4);
        self.push(b'-');
        self.number(d.month.into(), 2);
        self.push(b'-');
        self.number(d.day.into(), 2);
    }

    fn clock(&mut self, (hour, minute, second): (u32, u8, u8), micro: u32, fsp: u8) {
        self.number(hour, 2);
        self.push(b':');
        self.number(minute.into(), 2);
        self.push(b':');
        self.number(second.into(), 2);
        if fsp > 0 {
            let fsp = fsp.min(6);
            self.push(b'.');
            self.number(micro / 10u32.pow(6 - u32::from(fsp)), fsp.into());
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Nothing but ASCII is put into it.
        f.write_str(std::str::from_utf8(&self.bytes[..self.len]).unwrap_or_default())
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Text::new();
        text.date(*self);
        text.write(f)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (negative, hour, minute, second, micro) = self.parts();
        let mut text = Text::new();
        if negative {
            text.push(b'-');
        }
        text.clock((hour, minute, second), micro, self.fsp);
        text.write(f)
    }
}

impl fmt::Display for DateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Text::new();
        text.date(self.date);
        text.push(b' ');
        let clock = (u32::from(self.hour), self.minute, self.second);
        text.clock(clock, self.micro, self.fsp);
        text.write(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fraction(micro: u32, fsp: u8) -> String {
        match fsp {
            0 => String::new(),
            n => format!(".{:0width$}", micro / 10u32.pow(6 - u32::from(n)), width = n.into()),
        }
    }

    proptest! {
        /// What the standard formatter writes, whatever the parts.
        #[test]
        fn as_the_standard_formatter(year: u16, month: u8, day: u8, h: u8, m: u8, s: u8, micro in 0u32..1_000_000, fsp in 0u8..=6, micros: i64) {
            let date = Date::new(year, month, day);
            let of_date = format!("{year:04}-{month:02}-{day:02}");
            prop_assert_eq!(date.to_string(), of_date.clone());
            let dt = DateTime { date, hour: h, minute: m, second: s, micro, fsp, later: false };
            let text = format!("{of_date} {h:02}:{m:02}:{s:02}{}", fraction(micro, fsp));
            prop_assert_eq!(dt.to_string(), text);
            let time = Time { micros: micros / 8, fsp };
            let (negative, h, m, s, micro) = time.parts();
            let sign = if negative { "-" } else { "" };
            let text = format!("{sign}{h:02}:{m:02}:{s:02}{}", fraction(micro, fsp));
            prop_assert_eq!(time.to_string(), text);
        }
    }
}
