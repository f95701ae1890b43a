//! Character sets whose characters have different numbers of bytes, with ASCII as single bytes. The bytes of a longer
//! character may be those of ASCII, except for the first one.

use super::tables::{self, Double};

/// Half width katakana: single bytes of Shift-JIS, and behind 8E in EUC.
const KATAKANA: u32 = 0xFF61;
const KATAKANA_BYTES: std::ops::RangeInclusive<u8> = 0xA1..=0xDF;
const EUC_KATAKANA: u8 = 0x8E;
const EUC_THIRD: u8 = 0x8F;
/// The first code of GB 18030 outside the BMP, counted from 81308130.
const SUPPLEMENTARY: u32 = 189_000;

/// How the bytes make characters.
#[derive(Debug, Clone, Copy)]
pub enum Multi {
    Double(&'static Double),
    /// Two bytes, or one of the half width katakana.
    ShiftJis(&'static Double),
    /// Two bytes, 8E and one, 8F and two of the second table.
    Euc(&'static Double, &'static Double),
    Gb18030,
}

impl Multi {
    /// Length of the first character, by the ranges of its bytes alone: a code without a character is one all the same, and its
    /// second byte is never looked at by itself. `None`: a byte that stands alone. `s` begins with no byte of ASCII.
    pub fn length(self, s: &[u8]) -> Option<usize> {
        let lead = *s.first()?;
        let kanji = |at: usize| s.get(at).is_some_and(|b| (0xA1..=0xFE).contains(b));
        match self {
            Multi::ShiftJis(_) if KATAKANA_BYTES.contains(&lead) => Some(1),
            Multi::ShiftJis(_) => {
                let double = matches!(lead, 0x81..=0x9F | 0xE0..=0xFC)
                    && matches!(s.get(1), Some(0x40..=0x7E | 0x80..=0xFC));
                double.then_some(2)
            }
            Multi::Euc(..) if lead == EUC_KATAKANA => {
                s.get(1).is_some_and(|b| KATAKANA_BYTES.contains(b)).then_some(2)
            }
            Multi::Euc(..) if lead == EUC_THIRD => (kanji(1) && kanji(2)).then_some(3),
            Multi::Euc(..) => (kanji(0) && kanji(1)).then_some(2),
            Multi::Double(t) => t.is_code(lead, *s.get(1)?).then_some(2),
            Multi::Gb18030 if tables::GB18030.is_code(lead, *s.get(1)?) => Some(2),
            Multi::Gb18030 => four_bytes(s).map(|_| 4),
        }
    }

    /// The first character; `s` begins with no byte of ASCII.
    pub fn decode(self, s: &[u8]) -> Option<(u32, usize)> {
        let lead = *s.first()?;
        if let Multi::ShiftJis(_) = self
            && KATAKANA_BYTES.contains(&lead)
        {
            return Some((KATAKANA + u32::from(lead - 0xA1), 1));
        }
        let trail = *s.get(1)?;
        match self {
            Multi::Double(t) | Multi::ShiftJis(t) => Some((t.decode(lead, trail)?, 2)),
            Multi::Euc(_, third) if lead == EUC_THIRD => {
                Some((third.decode(trail, *s.get(2)?)?, 3))
            }
            Multi::Euc(..) if lead == EUC_KATAKANA => {
                KATAKANA_BYTES.contains(&trail).then(|| (KATAKANA + u32::from(trail - 0xA1), 2))
            }
            Multi::Euc(t, _) => Some((t.decode(lead, trail)?, 2)),
            Multi::Gb18030 => match tables::GB18030.decode(lead, trail) {
                Some(cp) => Some((cp, 2)),
                None => Some((four_bytes(s)?, 4)),
            },
        }
    }

    /// Appends a code point that is not ASCII's; false when the set does not have it.
    pub fn encode(self, cp: u32, out: &mut Vec<u8>) -> bool {
        let katakana =
            (KATAKANA..=KATAKANA + 0x3E).contains(&cp).then(|| (cp - KATAKANA) as u8 + 0xA1);
        match self {
            Multi::ShiftJis(_) if katakana.is_some() => out.extend(katakana),
            Multi::Euc(..) if katakana.is_some() => {
                out.push(EUC_KATAKANA);
                out.extend(katakana);
            }
            Multi::Double(t) | Multi::ShiftJis(t) | Multi::Euc(t, _)
                if let Some(code) = t.encode(cp) =>
            {
                out.extend_from_slice(&code);
            }
            Multi::Euc(_, third) if let Some(code) = third.encode(cp) => {
                out.push(EUC_THIRD);
                out.extend_from_slice(&code);
            }
            Multi::Gb18030 => return encode_gb18030(cp, out),
            _ => return false,
        }
        true
    }

    /// A number for each character, in the order of the codes as far as they have the same length; below 0x110000, and except for
    /// gb18030 from 0x8000 to 0xFEFF.
    pub fn weight(self, s: &[u8]) -> Option<(u32, usize)> {
        let n = self.length(s)?;
        let code = |s: &[u8]| s.iter().fold(0, |w, b| w << 8 | u32::from(*b));
        Some(match (self, n) {
            // Among the codes of two bytes: no such code begins with this byte.
            (_, 1) => (u32::from(s[0]) << 8, n),
            // Katakana, then the codes of three bytes, then those of two: the order of the first bytes 8E, 8F, A1. Their
            // places in the tables of 94 rows are near enough to each other to have 16 bits.
            (Multi::Euc(..), 2) if s[0] == EUC_KATAKANA => (0x8000 | u32::from(s[1]), n),
            (Multi::Euc(..), 3) => (0x8100 + place(s[1], s[2]), n),
            (Multi::Euc(..), _) => (0x8100 + 94 * 94 + place(s[0], s[1]), n),
            (Multi::Gb18030, 2) => (0x100 + tables::GB18030.index(s[0], s[1])? as u32, n),
            (Multi::Gb18030, _) => match four_bytes(s)? {
                0..0x1_0000 => (0x6000 + linear(s)?, n),
                cp => (cp, n),
            },
            _ => (code(&s[..n]), n),
        })
    }
}

fn encode_gb18030(cp: u32, out: &mut Vec<u8>) -> bool {
    if let Some(code) = tables::GB18030.encode(cp) {
        out.extend_from_slice(&code);
        return true;
    }
    let linear = match u16::try_from(swapped(cp)) {
        Ok(cp) => match tables::four_byte_points().binary_search(&cp) {
            Ok(at) => at as u32,
            Err(_) => return false,
        },
        Err(_) if cp < 0x11_0000 => SUPPLEMENTARY + cp - 0x1_0000,
        Err(_) => return false,
    };
    out.extend_from_slice(&[
        0x81 + (linear / 12_600) as u8,
        0x30 + (linear / 1260 % 10) as u8,
        0x81 + (linear / 10 % 126) as u8,
        0x30 + (linear % 10) as u8,
    ]);
    true
}

/// The edition of 2005 gave U+1E3F the two bytes of U+E7C7, which took the four of the other.
fn swapped(cp: u32) -> u32 {
    match cp {
        0x1E3F => 0xE7C7,
        0xE7C7 => 0x1E3F,
        cp => cp,
    }
}

/// Place of a code in a table of 94 rows; both bytes are A1 to FE.
fn place(row: u8, cell: u8) -> u32 {
    u32::from(row - 0xA1) * 94 + u32::from(cell - 0xA1)
}

/// Place of a code of four bytes among all of them.
fn linear(s: &[u8]) -> Option<u32> {
    let &[a @ 0x81..=0xFE, b @ 0x30..=0x39, c @ 0x81..=0xFE, d @ 0x30..=0x39, ..] = s else {
        return None;
    };
    let [a, b, c, d] = [a - 0x81, b - 0x30, c - 0x81, d - 0x30].map(u32::from);
    Some(((a * 10 + b) * 126 + c) * 10 + d)
}

fn four_bytes(s: &[u8]) -> Option<u32> {
    let at = linear(s)?;
    match at.checked_sub(SUPPLEMENTARY) {
        Some(high) => Some(high + 0x1_0000).filter(|cp| *cp < 0x11_0000),
        None => tables::four_byte_points().get(at as usize).map(|cp| swapped(u32::from(*cp))),
    }
}
