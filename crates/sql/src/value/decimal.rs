//! DECIMAL: exact numbers of up to 65 digits, 30 of them behind the point. What is computed, and a literal, may be longer until a column takes it.

mod literal;

use std::cmp::Ordering;
use std::fmt;

pub const MAX_PRECISION: u8 = 65;
pub const MAX_SCALE: u8 = 30;
/// Digits of a result that no column has to hold. MySQL has nine words of nine digits; 256 bits hold five digits fewer.
pub const LONGEST: u8 = 76;

/// The digits of MySQL's words.
const WORD: u8 = 9;

/// Little-endian 64-bit limbs of the coefficient; 10^76 needs 253 bits.
type Mag = [u64; 4];
/// Intermediate results: a 76-digit coefficient times 10^76 needs 505 bits.
type Wide = [u32; 20];

/// `(-1)^neg * mag / 10^scale`. Zero is never negative.
#[derive(Debug, Clone, Copy)]
pub struct Decimal {
    neg: bool,
    scale: u8,
    mag: Mag,
}

/// The result has more than [`LONGEST`] digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overflow;

impl Decimal {
    pub const ZERO: Decimal = Decimal { neg: false, scale: 0, mag: [0; 4] };

    pub fn from_i64(v: i64) -> Self {
        Self::make(v < 0, 0, [v.unsigned_abs(), 0, 0, 0])
    }

    pub fn from_u64(v: u64) -> Self {
        Self::make(false, 0, [v, 0, 0, 0])
    }

    pub fn from_i128(v: i128, scale: u8) -> Self {
        Self::make(v < 0, scale, mag_of(v.unsigned_abs()))
    }

    fn make(neg: bool, scale: u8, mag: Mag) -> Self {
        Decimal { neg: neg && mag != [0; 4], scale, mag }
    }

    /// Sign, scale and limbs, for anyone who writes them down.
    pub fn parts(&self) -> (bool, u8, [u64; 4]) {
        (self.neg, self.scale, self.mag)
    }

    /// Of what [`Decimal::parts`] told.
    pub fn from_parts(neg: bool, scale: u8, limbs: [u64; 4]) -> Self {
        Self::make(neg, scale, limbs)
    }

    pub fn scale(&self) -> u8 {
        self.scale
    }

    pub fn is_zero(&self) -> bool {
        self.mag == [0; 4]
    }

    pub fn is_negative(&self) -> bool {
        self.neg
    }

    /// Digits of the coefficient, at least 1, at least the scale.
    pub fn precision(&self) -> u8 {
        (digits(&self.mag) as u8).max(self.scale).max(1)
    }

    /// The largest value of DECIMAL(p,s): 99...9.
    pub fn max_value(precision: u8, scale: u8, neg: bool) -> Self {
        let mut w = pow10_wide(u32::from(precision));
        wide_sub(&mut w, &wide_one());
        Self::make(neg, scale, mag_from_wide(&w).unwrap_or([u64::MAX; 4]))
    }

    #[must_use]
    pub fn negated(mut self) -> Self {
        self.neg = !self.neg && !self.is_zero();
        self
    }

    #[must_use]
    pub fn abs(mut self) -> Self {
        self.neg = false;
        self
    }

    fn small(&self) -> Option<u128> {
        (self.mag[2] | self.mag[3] == 0).then(|| small_of(&self.mag))
    }

    fn wide(&self) -> Wide {
        let mut w = [0; 20];
        for (i, limb) in self.mag.iter().enumerate() {
            w[2 * i] = *limb as u32;
            w[2 * i + 1] = (*limb >> 32) as u32;
        }
        w
    }

    fn from_wide(neg: bool, scale: u8, w: &Wide) -> Result<Self, Overflow> {
        let mag = mag_from_wide(w).ok_or(Overflow)?;
        let d = Self::make(neg, scale, mag);
        if digits(&mag) > usize::from(LONGEST) { Err(Overflow) } else { Ok(d) }
    }

    pub fn checked_add(self, other: Self) -> Result<Self, Overflow> {
        let scale = self.scale.max(other.scale);
        if let (Some(a), Some(b)) = (self.signed_at(scale), other.signed_at(scale))
            && let Some(sum) = a.checked_add(b)
        {
            return Ok(Self::from_i128(sum, scale));
        }
        let (a, b) = (self.wide_at(scale), other.wide_at(scale));
        if self.neg == other.neg {
            let mut sum = a;
            wide_add(&mut sum, &b);
            return Self::from_wide(self.neg, scale, &sum);
        }
        let (mut big, small, neg) = match wide_cmp(&a, &b) {
            Ordering::Less => (b, a, other.neg),
            _ => (a, b, self.neg),
        };
        wide_sub(&mut big, &small);
        Self::from_wide(neg, scale, &big)
    }

    /// Adds a number of one word and of the same scale, if this one is not too long for it: most of the rows of a sum. False: it has not been
    /// added.
    #[inline]
    pub fn add_short(&mut self, other: &Decimal) -> bool {
        let ([word, 0, 0, 0], [low, high, 0, 0]) = (other.mag, self.mag) else { return false };
        if self.scale != other.scale || high >> 62 != 0 {
            return false;
        }
        let signed = |n: i128, neg: bool| if neg { -n } else { n };
        let own = signed(i128::from(high) << 64 | i128::from(low), self.neg);
        *self = Self::from_i128(own + signed(i128::from(word), other.neg), self.scale);
        true
    }

    pub fn checked_sub(self, other: Self) -> Result<Self, Overflow> {
        self.checked_add(other.negated())
    }

    /// Scales add up, to at most 30; what is behind is rounded.
    pub fn checked_mul(self, other: Self) -> Result<Self, Overflow> {
        let scale = self.scale + other.scale;
        let neg = self.neg != other.neg;
        if scale <= MAX_SCALE
            && let (Some(a), Some(b)) = (self.small(), other.small())
            && let Some(p) = a.checked_mul(b)
        {
            return Ok(Self::make(neg, scale, mag_of(p)));
        }
        let mut p = wide_mul(&self.wide(), &other.wide());
        let kept = scale.min(MAX_SCALE);
        p = wide_div_round(&p, &pow10_wide(u32::from(scale - kept)));
        Self::from_wide(neg, kept, &p)
    }

    /// Quotient with `self.scale + increment` digits behind the point, rounded. `None`: division by zero.
    pub fn checked_div(self, other: Self, increment: u8) -> Option<Result<Self, Overflow>> {
        if other.is_zero() {
            return None;
        }
        if self.scale > MAX_SCALE {
            return self.shorten(MAX_SCALE, true).checked_div(other, increment);
        }
        let scale = (self.scale + increment).min(MAX_SCALE);
        let neg = self.neg != other.neg;
        let shift = u32::from(scale + other.scale - self.scale.min(scale + other.scale));
        if let (Some(a), Some(b)) = (self.small(), other.small())
            && shift < 38
            && let Some(n) = a.checked_mul(10u128.pow(shift))
        {
            let (q, r) = (n / b, n % b);
            let q = q + u128::from(r >= b - r);
            return Some(Ok(Self::make(neg, scale, mag_of(q))));
        }
        let n = wide_mul(&self.wide(), &pow10_wide(shift));
        Some(Self::from_wide(neg, scale, &wide_div_round(&n, &other.wide())))
    }

    /// Quotient as it is computed with before it is shown: MySQL keeps decimals in words of nine digits, fills the last one that
    /// `checked_div` asks for, and cuts the rest. 1 / 3 * 3 is 0.999999999, which is shown as 1.0000.
    pub fn long_div(self, other: Self, increment: u8) -> Option<Result<Self, Overflow>> {
        if self.scale > MAX_SCALE {
            return self.checked_div(other, increment);
        }
        let words = |scale: u8| scale.div_ceil(WORD);
        let filled = (words(self.scale) + words(other.scale)) * WORD;
        let more = increment.saturating_sub(filled - self.scale - other.scale);
        let wanted = (filled + more).div_ceil(WORD) * WORD;
        let scale = wanted.clamp(self.scale, MAX_SCALE.max(self.scale));
        // A digit more, which is cut, so that nothing is rounded up.
        let one_more = self.checked_div(other, scale - self.scale + 1)?;
        Some(one_more.map(|q| q.shorten(scale, false)))
    }

    /// Integer part of the quotient (DIV).
    pub fn div_int(self, other: Self) -> Option<Result<Self, Overflow>> {
        if other.is_zero() {
            return None;
        }
        let scale = self.scale.max(other.scale);
        let (q, _) = wide_div_rem(&self.wide_at(scale), &other.wide_at(scale));
        Some(Self::from_wide(self.neg != other.neg, 0, &q))
    }

    /// Remainder with the sign of the dividend. `None`: division by zero.
    pub fn checked_rem(self, other: Self) -> Option<Result<Self, Overflow>> {
        if other.is_zero() {
            return None;
        }
        let scale = self.scale.max(other.scale);
        let (_, r) = wide_div_rem(&self.wide_at(scale), &other.wide_at(scale));
        Some(Self::from_wide(self.neg, scale, &r))
    }

    /// The value with a larger scale, as i128 when it fits.
    fn signed_at(&self, scale: u8) -> Option<i128> {
        let up = u32::from(scale - self.scale);
        let m = self.small()?.checked_mul(10u128.checked_pow(up)?)?;
        let v = i128::try_from(m).ok()?;
        Some(if self.neg { -v } else { v })
    }

    fn wide_at(&self, scale: u8) -> Wide {
        wide_mul(&self.wide(), &pow10_wide(u32::from(scale - self.scale)))
    }

    /// Rounds half away from zero to `scale` digits behind the point, or appends zeros.
    pub fn round(self, scale: u8) -> Result<Self, Overflow> {
        if scale >= self.scale {
            if let Some(v) = self.signed_at(scale) {
                return Ok(Self::from_i128(v, scale));
            }
            return Self::from_wide(self.neg, scale, &self.wide_at(scale));
        }
        Ok(self.shorten(scale, true))
    }

    /// Cuts to `scale` digits behind the point.
    #[must_use]
    pub fn truncate(self, scale: u8) -> Self {
        if scale >= self.scale { self } else { self.shorten(scale, false) }
    }

    fn shorten(self, scale: u8, round: bool) -> Self {
        let down = u32::from(self.scale - scale);
        if let (Some(m), Some(p)) = (self.small(), 10u128.checked_pow(down)) {
            let (q, r) = (m / p, m % p);
            let up = round && r >= p - r;
            return Self::make(self.neg, scale, mag_of(q + u128::from(up)));
        }
        let p = pow10_wide(down);
        let q =
            if round { wide_div_round(&self.wide(), &p) } else { wide_div_rem(&self.wide(), &p).0 };
        // Fewer digits than before (or one more after 99..9), which always fits.
        Self::make(self.neg, scale, mag_from_wide(&q).unwrap_or([0; 4]))
    }

    /// ROUND(d, places) with negative places: zeros before the point.
    pub fn round_left(self, places: u32, round: bool) -> Result<Self, Overflow> {
        if places > u32::from(MAX_PRECISION) {
            return Ok(Self::ZERO);
        }
        let p = pow10_wide(u32::from(self.scale) + places);
        let q =
            if round { wide_div_round(&self.wide(), &p) } else { wide_div_rem(&self.wide(), &p).0 };
        Self::from_wide(self.neg, 0, &wide_mul(&q, &pow10_wide(places)))
    }

    pub fn floor(self) -> Result<Self, Overflow> {
        let cut = self.truncate(0);
        let exact = cut == self;
        if exact || !self.neg { Ok(cut) } else { cut.checked_sub(Self::from_i64(1)) }
    }

    pub fn ceil(self) -> Result<Self, Overflow> {
        let cut = self.truncate(0);
        let exact = cut == self;
        if exact || self.neg { Ok(cut) } else { cut.checked_add(Self::from_i64(1)) }
    }

    /// Rounded to an integer; `None` outside i128.
    pub fn to_i128(self) -> Option<i128> {
        let v = i128::try_from(self.shorten_to_int().small()?).ok()?;
        Some(if self.neg { -v } else { v })
    }

    /// The limbs of the integer part, and what is behind the point as a number of `scale` digits; without the sign.
    pub fn split(self) -> ([u64; 4], u128) {
        if self.scale == 0 {
            return (self.mag, 0);
        }
        if let (Some(m), Some(p)) = (self.small(), 10u128.checked_pow(u32::from(self.scale))) {
            return (mag_of(m / p), m % p);
        }
        let (q, r) = wide_div_rem(&self.wide(), &pow10_wide(u32::from(self.scale)));
        let fraction = mag_from_wide(&r).map_or(0, |m| small_of(&m));
        (mag_from_wide(&q).unwrap_or([0; 4]), fraction)
    }

    fn shorten_to_int(self) -> Self {
        if self.scale == 0 { self } else { self.shorten(0, true) }
    }

    pub fn to_f64(self) -> f64 {
        // Exact digits through the parser give the nearest double.
        self.to_string().parse().unwrap_or(0.0)
    }

    /// The decimal that MySQL sees in a double: its shortest text, as far as 30 digits behind the point reach.
    pub fn from_f64(v: f64) -> Result<Self, Overflow> {
        if !v.is_finite() {
            return Err(Overflow);
        }
        match Self::parse(format!("{v:e}").as_bytes()) {
            Parsed { value: Some(d), .. } => Ok(d),
            _ => Err(Overflow),
        }
    }

    /// Reads the longest number at the start of `s`, behind leading space.
    pub fn parse(s: &[u8]) -> Parsed {
        let start = s.iter().take_while(|b| b.is_ascii_whitespace()).count();
        let (neg, mut at) = match s.get(start) {
            Some(b'-') => (true, start + 1),
            Some(b'+') => (false, start + 1),
            _ => (false, start),
        };
        let mut digits = Vec::with_capacity(s.len().min(100));
        let int_from = at;
        while let Some(b @ b'0'..=b'9') = s.get(at) {
            digits.push(b - b'0');
            at += 1;
        }
        let mut count = at - int_from;
        let mut fraction = 0i64;
        if s.get(at) == Some(&b'.') {
            let from = at + 1;
            let len = s[from..].iter().take_while(|b| b.is_ascii_digit()).count();
            if count + len > 0 {
                digits.extend(s[from..from + len].iter().map(|b| b - b'0'));
                at = from + len;
                count += len;
                fraction = len as i64;
            }
        }
        if count == 0 {
            return Parsed { value: Some(Self::ZERO), used: 0 };
        }
        if let Some((exp, used)) = parse_exponent(&s[at..]) {
            fraction -= exp;
            at += used;
        }
        Parsed { value: from_digits(neg, digits, fraction), used: at }
    }

    /// DECIMAL(p,s) as bytes of one length whose memcmp order is the numeric order: the coefficient at scale
    /// `s`, big-endian, plus a bias of half the range. `None` when the value does not fit.
    pub fn to_fixed(self, precision: u8, scale: u8) -> Option<Vec<u8>> {
        let d = self.round(scale).ok()?;
        if digits(&d.mag) > usize::from(precision) {
            return None;
        }
        let len = fixed_len(precision);
        let mut be: Vec<u8> = d.mag.iter().rev().flat_map(|l| l.to_be_bytes()).collect();
        be.drain(..32 - len);
        if d.neg {
            // Two's complement, so that less is less; the sign bit flips below.
            let mut carry = true;
            for b in be.iter_mut().rev() {
                let (v, c) = (!*b).overflowing_add(u8::from(carry));
                (*b, carry) = (v, c);
            }
        }
        be[0] ^= 0x80;
        Some(be)
    }

    /// The inverse of [`Decimal::to_fixed`].
    pub fn from_fixed(bytes: &[u8], scale: u8) -> Self {
        // Up to 18 digits, as most columns have: one word.
        if let len @ 1..=8 = bytes.len() {
            let mut be = [0u8; 8];
            be[..len].copy_from_slice(bytes);
            be[0] ^= 0x80;
            let v = i64::from_be_bytes(be) >> (64 - 8 * len);
            return Self::make(v < 0, scale, [v.unsigned_abs(), 0, 0, 0]);
        }
        let mut be = [0u8; 32];
        let at = 32usize.saturating_sub(bytes.len());
        be[at..].copy_from_slice(&bytes[..32 - at]);
        be[at] ^= 0x80;
        let neg = be[at] & 0x80 != 0;
        if neg {
            be[..at].fill(0xFF);
            let mut carry = true;
            for b in be.iter_mut().rev() {
                let (v, c) = (!*b).overflowing_add(u8::from(carry));
                (*b, carry) = (v, c);
            }
        }
        let mut mag = [0u64; 4];
        for (i, chunk) in be.rchunks(8).enumerate() {
            mag[i] = chunk.iter().fold(0, |v, &b| v << 8 | u64::from(b));
        }
        Self::make(neg, scale, mag)
    }
}

/// Bytes of the storage form of DECIMAL(p, s): room for 10^p and a sign bit.
pub fn fixed_len(precision: u8) -> usize {
    // ceil(p * log2(10)) + 1 bits; 3322/1000 is just above log2(10).
    (usize::from(precision) * 3322 / 1000 + 2).div_ceil(8)
}

/// What [`Decimal::parse`] found.
#[derive(Debug, Clone, Copy)]
pub struct Parsed {
    /// `None`: more than 65 digits before the point.
    pub value: Option<Decimal>,
    /// Bytes that belong to the number; 0 when there is none.
    pub used: usize,
}

fn parse_exponent(s: &[u8]) -> Option<(i64, usize)> {
    if !matches!(s.first(), Some(b'e' | b'E')) {
        return None;
    }
    let (neg, from) = match s.get(1) {
        Some(b'-') => (true, 2),
        Some(b'+') => (false, 2),
        _ => (false, 1),
    };
    let len = s[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    if len == 0 {
        return None;
    }
    let v = s[from..from + len].iter().fold(0i64, |v, b| (v * 10 + i64::from(b - b'0')).min(9999));
    Some((if neg { -v } else { v }, from + len))
}

/// Digits with `fraction` of them behind the point (may be negative or larger than their number).
fn from_digits(neg: bool, mut digits: Vec<u8>, mut fraction: i64) -> Option<Decimal> {
    let zeros = digits.iter().take_while(|&&d| d == 0).count();
    digits.drain(..zeros);
    if digits.is_empty() {
        return Some(Decimal {
            scale: fraction.clamp(0, i64::from(MAX_SCALE)) as u8,
            ..Decimal::ZERO
        });
    }
    let int_digits = digits.len() as i64 - fraction;
    if int_digits > i64::from(MAX_PRECISION) {
        return None;
    }
    if fraction < 0 {
        digits.extend(std::iter::repeat_n(0, (-fraction) as usize));
        fraction = 0;
    }
    // What neither 30 places nor 65 digits hold is rounded away.
    let keep = i64::from(MAX_SCALE).min(i64::from(MAX_PRECISION) - int_digits.max(0));
    let mut up = false;
    if fraction > keep {
        let cut = digits.len() as i64 - (fraction - keep);
        up = cut >= 0 && digits.get(cut as usize).is_some_and(|&d| d >= 5);
        digits.truncate(cut.max(0) as usize);
        fraction = keep;
    }
    let mut w: Wide = [0; 20];
    for d in digits {
        wide_mul_small(&mut w, 10, u32::from(d));
    }
    if up {
        wide_add(&mut w, &wide_one());
    }
    Decimal::from_wide(neg, fraction as u8, &w).ok()
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Decimal {}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let scale = self.scale.max(other.scale);
        if let (Some(a), Some(b)) = (self.signed_at(scale), other.signed_at(scale)) {
            return a.cmp(&b);
        }
        match (self.neg, other.neg) {
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (neg, _) => {
                let order = wide_cmp(&self.wide_at(scale), &other.wide_at(scale));
                if neg { order.reverse() } else { order }
            }
        }
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = match self.small() {
            Some(m) => m.to_string(),
            None => wide_text(self.wide()),
        };
        let scale = usize::from(self.scale);
        if text.len() <= scale {
            text.insert_str(0, &"0".repeat(scale + 1 - text.len()));
        }
        if scale > 0 {
            text.insert(text.len() - scale, '.');
        }
        if self.neg {
            text.insert(0, '-');
        }
        f.write_str(&text)
    }
}

fn mag_of(v: u128) -> Mag {
    [v as u64, (v >> 64) as u64, 0, 0]
}

fn small_of(m: &Mag) -> u128 {
    u128::from(m[0]) | u128::from(m[1]) << 64
}

fn digits(m: &Mag) -> usize {
    if m[2] | m[3] == 0 {
        return small_of(m).checked_ilog10().map_or(0, |l| l as usize + 1);
    }
    let d = Decimal { neg: false, scale: 0, mag: *m };
    wide_text(d.wide()).len()
}

fn mag_from_wide(w: &Wide) -> Option<Mag> {
    if w[8..].iter().any(|&l| l != 0) {
        return None;
    }
    let mut m = [0; 4];
    for (i, limb) in m.iter_mut().enumerate() {
        *limb = u64::from(w[2 * i]) | u64::from(w[2 * i + 1]) << 32;
    }
    Some(m)
}

fn wide_one() -> Wide {
    let mut w = [0; 20];
    w[0] = 1;
    w
}

fn pow10_wide(mut n: u32) -> Wide {
    let mut w = wide_one();
    while n > 0 {
        let step = n.min(9);
        wide_mul_small(&mut w, 10u32.pow(step), 0);
        n -= step;
    }
    w
}

/// `w = w * by + add`.
fn wide_mul_small(w: &mut Wide, by: u32, add: u32) {
    let mut carry = u64::from(add);
    for limb in w.iter_mut() {
        carry += u64::from(*limb) * u64::from(by);
        *limb = carry as u32;
        carry >>= 32;
    }
    debug_assert_eq!(carry, 0, "operands are bounded so that 640 bits hold every product");
}

fn wide_add(a: &mut Wide, b: &Wide) {
    let mut carry = 0u64;
    for (x, y) in a.iter_mut().zip(b) {
        carry += u64::from(*x) + u64::from(*y);
        *x = carry as u32;
        carry >>= 32;
    }
}

/// `a -= b`; a >= b.
fn wide_sub(a: &mut Wide, b: &Wide) {
    let mut borrow = 0i64;
    for (x, y) in a.iter_mut().zip(b) {
        let d = i64::from(*x) - i64::from(*y) + borrow;
        *x = d as u32;
        borrow = d >> 32;
    }
}

fn wide_cmp(a: &Wide, b: &Wide) -> Ordering {
    a.iter().rev().cmp(b.iter().rev())
}

fn wide_len(w: &Wide) -> usize {
    w.iter().rposition(|&l| l != 0).map_or(0, |i| i + 1)
}

fn wide_mul(a: &Wide, b: &Wide) -> Wide {
    let mut out = [0u32; 20];
    let n = wide_len(b);
    for i in 0..wide_len(a) {
        let mut carry = 0u64;
        for j in 0..n.min(20 - i) {
            carry += u64::from(a[i]) * u64::from(b[j]) + u64::from(out[i + j]);
            out[i + j] = carry as u32;
            carry >>= 32;
        }
        if i + n < 20 {
            out[i + n] = carry as u32;
        }
    }
    out
}

fn wide_div_small(w: &mut Wide, by: u32) -> u32 {
    let mut rem = 0u64;
    for limb in w.iter_mut().rev() {
        let n = rem << 32 | u64::from(*limb);
        *limb = (n / u64::from(by)) as u32;
        rem = n % u64::from(by);
    }
    rem as u32
}

/// Schoolbook division, one bit at a time over the quotient's length: rare and short enough.
fn wide_div_rem(n: &Wide, d: &Wide) -> (Wide, Wide) {
    if wide_len(d) == 1 {
        let mut q = *n;
        let mut r = [0; 20];
        r[0] = wide_div_small(&mut q, d[0]);
        return (q, r);
    }
    let (mut q, mut r) = ([0u32; 20], [0u32; 20]);
    for i in (0..wide_len(n) * 32).rev() {
        let mut carry = n[i / 32] >> (i % 32) & 1;
        for limb in r.iter_mut() {
            let next = *limb >> 31;
            *limb = *limb << 1 | carry;
            carry = next;
        }
        if wide_cmp(&r, d).is_ge() {
            wide_sub(&mut r, d);
            q[i / 32] |= 1 << (i % 32);
        }
    }
    (q, r)
}

/// Quotient rounded half up (of magnitudes, so half away from zero).
fn wide_div_round(n: &Wide, d: &Wide) -> Wide {
    let (mut q, r) = wide_div_rem(n, d);
    let mut rest = *d;
    wide_sub(&mut rest, &r);
    if wide_cmp(&r, &rest).is_ge() {
        wide_add(&mut q, &wide_one());
    }
    q
}

fn wide_text(mut w: Wide) -> String {
    let mut chunks = Vec::new();
    while wide_len(&w) > 0 {
        chunks.push(wide_div_small(&mut w, 1_000_000_000));
    }
    let mut out = chunks.last().map_or_else(|| "0".into(), u32::to_string);
    for chunk in chunks.iter().rev().skip(1) {
        out.push_str(&format!("{chunk:09}"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn dec(s: &str) -> Decimal {
        let p = Decimal::parse(s.as_bytes());
        assert_eq!(p.used, s.len(), "{s}");
        p.value.expect("fits 65 digits")
    }

    #[test]
    fn text_round_trip() {
        let long = "9".repeat(35) + "." + &"8".repeat(30);
        for s in ["0", "-1.50", "0.001", "123456789012345678901234567890.5", &long] {
            assert_eq!(dec(s).to_string(), *s);
        }
        assert_eq!(dec("-0.0").to_string(), "0.0");
        assert_eq!(dec(".5").to_string(), "0.5");
        assert_eq!(dec("1e3").to_string(), "1000");
        assert_eq!(dec("1.5e-3").to_string(), "0.0015");
        assert_eq!(Decimal::parse(b"12abc").used, 2);
        assert_eq!(Decimal::parse(b"abc").used, 0);
        assert!(Decimal::parse("9".repeat(66).as_bytes()).value.is_none());
    }

    #[test]
    fn short_sums_are_those_of_long_ones() {
        let long = "99999999999999999999999999999.25";
        for a in ["0.00", "1.50", "-1.50", "184467440737095516.15", "-0.01", long] {
            for b in ["0.00", "2.25", "-2.25", "-184467440737095516.15", long] {
                let mut sum = dec(a);
                let added = sum.add_short(&dec(b));
                assert_eq!(added, b != long, "{a} {b}");
                let whole = dec(a).checked_add(dec(b)).expect("fits");
                assert_eq!(
                    if added { sum } else { whole }.to_string(),
                    whole.to_string(),
                    "{a} {b}"
                );
            }
        }
        assert!(!dec("1.5").add_short(&dec("1.50")));
    }

    #[test]
    fn fixed_forms_of_one_word_and_of_more() {
        for (precision, texts) in [
            (2, &["0", "99", "-99", "1"][..]),
            (4, &["9999", "-9999", "-1"]),
            (15, &["999999999999999", "-999999999999999", "0", "-1"]),
            (18, &["999999999999999999", "-999999999999999999"]),
            (19, &["9999999999999999999", "-9999999999999999999", "-1"]),
            (40, &["1234567890123456789012345678901234567890", "-1"]),
        ] {
            for text in texts {
                let bytes = dec(text).to_fixed(precision, 0).expect("fits");
                assert_eq!(bytes.len(), fixed_len(precision));
                assert_eq!(Decimal::from_fixed(&bytes, 0).to_string(), **text, "{precision}");
            }
        }
    }

    #[test]
    fn arithmetic_rules() {
        let div = |a: &str, b: &str| {
            dec(a).checked_div(dec(b), 4).expect("not zero").expect("fits").to_string()
        };
        assert_eq!(div("1", "3"), "0.3333");
        assert_eq!(div("2", "3"), "0.6667");
        assert_eq!(div("-1.00", "8"), "-0.125000");
        assert!(dec("1").checked_div(dec("0.00"), 4).is_none());
        assert_eq!(dec("1.10").checked_mul(dec("2.5")).expect("fits").to_string(), "2.750");
        assert_eq!(dec("0.1").checked_add(dec("0.22")).expect("fits").to_string(), "0.32");
        assert_eq!(
            dec("-7.5").checked_rem(dec("2")).expect("nz").expect("fits").to_string(),
            "-1.5"
        );
        assert_eq!(dec("-7.5").div_int(dec("2")).expect("nz").expect("fits").to_string(), "-3");
        let max = Decimal::max_value(65, 0, false);
        // Results have more digits than columns, until one takes them.
        let sum = max.checked_add(dec("1")).expect("fits").to_string();
        assert_eq!(sum, format!("1{}", "0".repeat(65)));
        let longest = Decimal::max_value(LONGEST, 0, false);
        assert_eq!(longest.checked_add(dec("1")), Err(Overflow));
        assert_eq!(max.checked_mul(max), Err(Overflow));
        assert_eq!(dec("2.5").round(0).expect("fits").to_string(), "3");
        assert_eq!(dec("-2.5").round(0).expect("fits").to_string(), "-3");
        assert_eq!(dec("-2.5").floor().expect("fits").to_string(), "-3");
        assert_eq!(dec("-2.5").ceil().expect("fits").to_string(), "-2");
        assert_eq!(dec("1250").round_left(2, true).expect("fits").to_string(), "1300");
        assert_eq!(Decimal::from_f64(1.1).expect("fits").to_string(), "1.1");
    }

    fn number() -> impl Strategy<Value = Decimal> {
        (any::<bool>(), "[0-9]{1,35}", "[0-9]{0,30}").prop_map(|(neg, i, f)| {
            let dot = if f.is_empty() { "" } else { "." };
            dec(&format!("{}{i}{dot}{f}", if neg { "-" } else { "" }))
        })
    }

    proptest! {
        #[test]
        fn fixed_keeps_order(a in number(), b in number()) {
            let (x, y) = (a.to_fixed(65, 30).expect("fits"), b.to_fixed(65, 30).expect("fits"));
            prop_assert_eq!(x.len(), fixed_len(65));
            prop_assert_eq!(x.cmp(&y), a.cmp(&b));
            prop_assert_eq!(Decimal::from_fixed(&x, 30), a);
        }

        #[test]
        fn small_fixed(v in -99_999i64..100_000) {
            let d = Decimal::from_i128(i128::from(v), 2);
            prop_assert_eq!(Decimal::from_fixed(&d.to_fixed(5, 2).expect("fits"), 2), d);
        }

        #[test]
        fn ring_laws(a in number(), b in number()) {
            if let (Ok(s), Ok(d)) = (a.checked_add(b), a.checked_sub(b)) {
                prop_assert_eq!(s.checked_sub(b).expect("fits"), a);
                prop_assert_eq!(d.checked_add(b).expect("fits"), a);
            }
            if !b.is_zero() && let (Some(Ok(q)), Some(Ok(r))) = (a.div_int(b), a.checked_rem(b)) {
                let back = q.checked_mul(b).and_then(|p| p.checked_add(r));
                if let Ok(back) = back { prop_assert_eq!(back, a); }
                prop_assert!(r.abs() < b.abs());
            }
        }

        #[test]
        fn small_and_wide_agree(a in any::<i64>(), b in any::<i64>(), s in 0u8..6, t in 0u8..6) {
            let (x, y) = (Decimal::from_i128(a.into(), s), Decimal::from_i128(b.into(), t));
            let p = Decimal::from_wide(a < 0, s + t, &wide_mul(&x.wide(), &y.wide()));
            let p = p.expect("38 digits");
            let want = x.checked_mul(y).expect("fits");
            prop_assert_eq!(want.abs(), p.abs());
            if b != 0 {
                let n = wide_mul(&x.wide(), &pow10_wide(u32::from(4 + t)));
                let q = wide_div_round(&n, &y.wide());
                let q = Decimal::from_wide((a < 0) != (b < 0), s + 4, &q).expect("fits");
                prop_assert_eq!(x.checked_div(y, 4).expect("nz").expect("fits"), q);
            }
        }
    }
}
