//! The tables of the character sets that `tools/gen_charsets.py` writes, and what is looked up in them.
//!
//! A table leads from codes to code points. The way back is made of it when it is asked for first, and kept.

use std::sync::OnceLock;

/// No character has this code.
const NONE: u16 = 0xFFFF;
/// Where a vendor's table has a code without a character.
const REPLACEMENT: u16 = 0xFFFD;
const SINGLE_SETS: usize = 23;

static SINGLE: &[u8; SINGLE_SETS * 512] = include_bytes!("single.bin");
static ORDER: &[u8; SINGLE_SETS * 256] = include_bytes!("order.bin");
static SINGLE_BACK: [OnceLock<Vec<(u16, u8)>>; SINGLE_SETS] =
    [const { OnceLock::new() }; SINGLE_SETS];

fn word(table: &[u8], at: usize) -> Option<u32> {
    let &[low, high] = table.get(2 * at..2 * at + 2)? else { return None };
    Some(u16::from_le_bytes([low, high])).filter(|w| *w != NONE).map(u32::from)
}

/// A set of one byte for each character, by its place in the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Single(pub u8);

impl Single {
    pub fn decode(self, b: u8) -> Option<u32> {
        word(SINGLE, usize::from(self.0) * 256 + usize::from(b))
    }

    pub fn encode(self, cp: u32) -> Option<u8> {
        let cp = u16::try_from(cp).ok()?;
        let back = SINGLE_BACK[usize::from(self.0)].get_or_init(|| {
            let codes = (0..=255).filter_map(|b| Some((self.decode(b)? as u16, b)));
            let mut back: Vec<_> = codes.filter(|(cp, _)| *cp != REPLACEMENT).collect();
            back.sort_unstable();
            // The first code of a character that has several.
            back.dedup_by_key(|(cp, _)| *cp);
            back
        });
        back.binary_search_by_key(&cp, |(cp, _)| *cp).ok().map(|at| back[at].1)
    }

    /// The weights of the default collation.
    pub const fn order(self) -> &'static [u8; 256] {
        match ORDER.split_at(self.0 as usize * 256).1.first_chunk() {
            Some(order) => order,
            None => panic!("a set of the file"),
        }
    }
}

/// Codes of two bytes.
#[derive(Debug)]
pub struct Double {
    file: &'static [u8],
    back: OnceLock<Vec<u16>>,
    /// Lead bytes whose characters have another code, which is the one that is written.
    second: &'static [u8],
    /// The trail bytes, in ranges.
    trails: &'static [(u8, u8)],
}

/// Trail bytes that are no ASCII.
const HIGH: &[(u8, u8)] = &[(0xA1, 0xFE)];
const SHIFT_JIS: &[(u8, u8)] = &[(0x40, 0x7E), (0x80, 0xFC)];
const CHINESE: &[(u8, u8)] = &[(0x40, 0x7E), (0x80, 0xFE)];
const TAIWANESE: &[(u8, u8)] = &[(0x40, 0x7E), (0xA1, 0xFE)];
const KOREAN: &[(u8, u8)] = &[(0x41, 0x5A), (0x61, 0x7A), (0x81, 0xFE)];

pub static GBK: Double = Double::new(include_bytes!("gbk.bin"), &[], CHINESE);
pub static GB2312: Double = Double::new(include_bytes!("gb2312.bin"), &[], HIGH);
pub static GB18030: Double = Double::new(include_bytes!("gb18030.bin"), &[], CHINESE);
pub static BIG5: Double = Double::new(include_bytes!("big5.bin"), &[], TAIWANESE);
pub static EUCKR: Double = Double::new(include_bytes!("euckr.bin"), &[], KOREAN);
pub static SJIS: Double = Double::new(include_bytes!("sjis.bin"), &[], SHIFT_JIS);
/// NEC's selection of IBM's characters is written with IBM's codes.
pub static CP932: Double = Double::new(include_bytes!("cp932.bin"), &[0xED, 0xEE], SHIFT_JIS);
pub static UJIS: Double = Double::new(include_bytes!("ujis.bin"), &[], HIGH);
pub static JISX0212: Double = Double::new(include_bytes!("jisx0212.bin"), &[], HIGH);
pub static EUCJPMS: Double = Double::new(include_bytes!("eucjpms.bin"), &[], HIGH);
pub static JISX0212_MS: Double = Double::new(include_bytes!("jisx0212ms.bin"), &[], HIGH);

impl Double {
    const fn new(
        file: &'static [u8],
        second: &'static [u8],
        trails: &'static [(u8, u8)],
    ) -> Double {
        Double { file, back: OnceLock::new(), second, trails }
    }

    /// Are these the bytes of one character, which the table may lack?
    pub fn is_code(&self, lead: u8, trail: u8) -> bool {
        let is_trail = |(first, last): &(u8, u8)| (*first..=*last).contains(&trail);
        (self.file[0]..=self.file[1]).contains(&lead) && self.trails.iter().any(is_trail)
    }

    fn row_len(&self) -> usize {
        usize::from(self.file[3] - self.file[2]) + 1
    }

    /// The place of a code in the table.
    pub fn index(&self, lead: u8, trail: u8) -> Option<usize> {
        let (leads, trails) = (self.file[0]..=self.file[1], self.file[2]..=self.file[3]);
        let row = usize::from(lead.wrapping_sub(self.file[0]));
        (leads.contains(&lead) && trails.contains(&trail))
            .then(|| row * self.row_len() + usize::from(trail - self.file[2]))
    }

    pub fn decode(&self, lead: u8, trail: u8) -> Option<u32> {
        word(&self.file[4..], self.index(lead, trail)?)
    }

    pub fn encode(&self, cp: u32) -> Option<[u8; 2]> {
        let back = self.back.get_or_init(|| self.reversed());
        back.get(cp as usize).filter(|code| **code != 0).map(|code| code.to_be_bytes())
    }

    fn reversed(&self) -> Vec<u16> {
        let mut back = vec![0; 0x1_0000];
        for lead in self.file[0]..=self.file[1] {
            if self.second.contains(&lead) {
                continue;
            }
            for trail in self.file[2]..=self.file[3] {
                // ASCII is one byte; what has several codes is written with the first.
                if let Some(cp @ 0x80..) = self.decode(lead, trail)
                    && back[cp as usize] == 0
                    && cp != u32::from(REPLACEMENT)
                {
                    back[cp as usize] = u16::from_be_bytes([lead, trail]);
                }
            }
        }
        back
    }
}

/// The place of a kanji among those of JIS X 0208, in the order of their codes.
pub fn kanji_place(cp: u32) -> Option<u16> {
    const FIRST: u32 = 0x4E00;
    // The rows of the first and the second level, and how many kanji the first has.
    const ROWS: [u8; 2] = [0xB0, 0xD0];
    const COMMON: u16 = 2965;
    const CELLS: u16 = 94;
    if !(FIRST..=0xFFFF).contains(&cp) {
        return None;
    }
    let [row, cell] = UJIS.encode(cp)?;
    let place = |row: u8| u16::from(row) * CELLS + u16::from(cell - 0xA1);
    match row {
        0xB0..=0xCF => Some(place(row - ROWS[0])),
        0xD0..=0xF4 => Some(COMMON + place(row - ROWS[1])),
        _ => None,
    }
}

/// The code points of the BMP that GB 18030 writes with four bytes, in the order of their codes: all that have none
/// of two bytes.
pub fn four_byte_points() -> &'static [u16] {
    static POINTS: OnceLock<Vec<u16>> = OnceLock::new();
    POINTS.get_or_init(|| {
        // As in the edition of 2000: its letters of two bytes.
        let free = |cp: &u16| match cp {
            0x1E3F => true,
            0xE7C7 | 0xD800..0xE000 => false,
            cp => GB18030.encode(u32::from(*cp)).is_none(),
        };
        (0x80..=0xFFFF).filter(free).collect()
    })
}
