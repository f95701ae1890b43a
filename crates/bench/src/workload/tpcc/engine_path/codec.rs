//! Values as the SQL layer stores them: DECIMAL with two digits, CHAR, DATETIME.

use crate::workload::calls::Calls;
use weir_engine::row::Datum;
use weir_sql::value::decimal::fixed_len;
use weir_sql::value::temporal::DateTime;

/// Bytes of DECIMAL(12,2) and DECIMAL(6,2).
pub const WIDE: u8 = 12;
pub const NARROW: u8 = 6;

/// A DECIMAL(p,2) as it stands in a row.
#[derive(Clone, Copy)]
pub struct Money {
    bytes: [u8; 8],
    len: usize,
}

impl Money {
    /// Big-endian two's complement of the cents with the sign bit flipped.
    pub fn new(cents: i64, precision: u8) -> Money {
        let len = fixed_len(precision);
        let mut bytes = cents.to_be_bytes();
        bytes[8 - len] ^= 0x80;
        Money { bytes, len }
    }

    pub fn datum(&self) -> Datum<'_> {
        Datum::Bytes(&self.bytes[8 - self.len..])
    }
}

/// Cents of a stored DECIMAL(p,2).
pub fn cents(d: Datum<'_>) -> i64 {
    let b = d.as_bytes().unwrap_or_default();
    let mut all = [0; 8];
    let at = 8usize.saturating_sub(b.len());
    all[at..].copy_from_slice(&b[b.len().saturating_sub(8)..]);
    let Some(first) = all.get_mut(at) else { return 0 };
    *first ^= 0x80;
    if *first & 0x80 != 0 {
        all[..at].fill(0xFF);
    }
    i64::from_be_bytes(all)
}

impl Calls {
    /// Now, as a DATETIME column holds it.
    pub(super) fn now(&self) -> Datum<'static> {
        datetime((self.wall_micros() / 1_000_000) as i64)
    }
}

/// Seconds since 1970 as a DATETIME column holds them.
pub fn datetime(seconds: i64) -> Datum<'static> {
    let at = DateTime::from_civil_micros(seconds * 1_000_000, 0);
    Datum::UInt(at.unwrap_or(DateTime::ZERO).pack())
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_sql::value::decimal::Decimal;

    #[test]
    fn money_is_what_sql_stores() {
        for n in [0, 1, -1, 99_999, -99_999, 123_456_789] {
            for p in [WIDE, NARROW] {
                let Some(stored) = Decimal::from_i128(n.into(), 2).to_fixed(p, 2) else { continue };
                let money = Money::new(n, p);
                assert_eq!(money.datum(), Datum::Bytes(&stored), "{n} in DECIMAL({p},2)");
                assert_eq!(cents(Datum::Bytes(&stored)), n);
            }
        }
    }
}
