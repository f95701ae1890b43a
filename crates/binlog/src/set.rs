//! Sets of identifiers of transactions: `uuid:1-5:9,uuid:tag:3`.
//!
//! Invariants: the ranges of a source are in order and apart from each other, and a source in the set has one.

use crate::error::{Error, Result};
use crate::tagged::varint;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use weir_wire::Reader;

/// Characters of a tag.
pub const TAG_MAX: usize = 32;
/// Numbers of transactions are less than this.
pub const NUMBER_END: u64 = i64::MAX as u64;

/// Where transactions come from: a server and, since MySQL 8.3, a tag, which may be empty.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Source {
    pub uuid: [u8; 16],
    pub tag: String,
}

impl Source {
    pub fn new(uuid: [u8; 16]) -> Source {
        Source { uuid, tag: String::new() }
    }

    /// Errors: a tag of other characters than MySQL's.
    pub fn with_tag(uuid: [u8; 16], tag: &str) -> Result<Source> {
        match tag.is_empty() {
            true => Ok(Source::new(uuid)),
            false => match normal_tag(tag) {
                Some(tag) => Ok(Source { uuid, tag }),
                None => Err(Error::Malformed("the tag of an identifier")),
            },
        }
    }

    pub fn parse_uuid(text: &str) -> Option<[u8; 16]> {
        let text = text.strip_prefix('{').and_then(|t| t.strip_suffix('}')).unwrap_or(text);
        let dashed =
            text.len() == 36 && [8, 13, 18, 23].iter().all(|at| text.as_bytes()[*at] == b'-');
        let bare: Vec<u8> = text.bytes().filter(|c| *c != b'-').collect();
        if bare.len() != 32 || !(dashed || text.len() == 32) {
            return None;
        }
        let digit = |c: u8| (c as char).to_digit(16);
        let mut uuid = [0; 16];
        for (byte, pair) in uuid.iter_mut().zip(bare.chunks(2)) {
            *byte = (digit(pair[0])? << 4 | digit(pair[1])?) as u8;
        }
        Some(uuid)
    }

    pub fn uuid_text(&self) -> String {
        let hex: String = self.uuid.iter().map(|b| format!("{b:02x}")).collect();
        let h = &hex;
        format!("{}-{}-{}-{}-{}", &h[..8], &h[8..12], &h[12..16], &h[16..20], &h[20..])
    }
}

/// A tag in lower case; `None` where it is not one.
fn normal_tag(text: &str) -> Option<String> {
    let first = text.chars().next()?;
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is = (first.is_ascii_alphabetic() || first == '_') && text.len() <= TAG_MAX;
    (is && text.chars().all(fits)).then(|| text.to_ascii_lowercase())
}

/// The identifier of one transaction.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Gtid {
    pub source: Source,
    pub number: u64,
}

impl Gtid {
    pub fn new(source: Source, number: u64) -> Result<Gtid> {
        match number {
            1..NUMBER_END => Ok(Gtid { source, number }),
            _ => Err(Error::Malformed("the number of a transaction")),
        }
    }
}

impl fmt::Display for Gtid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source.uuid_text())?;
        if !self.source.tag.is_empty() {
            write!(f, ":{}", self.source.tag)?;
        }
        write!(f, ":{}", self.number)
    }
}

impl FromStr for Gtid {
    type Err = Error;

    fn from_str(text: &str) -> Result<Gtid> {
        let bad = || Error::Malformed("the identifier of a transaction");
        let mut parts = text.trim().split(':').map(str::trim);
        let uuid = parts.next().and_then(Source::parse_uuid).ok_or_else(bad)?;
        let rest: Vec<&str> = parts.collect();
        let (tag, number) = match rest[..] {
            [number] => ("", number),
            [tag, number] if !tag.is_empty() => (tag, number),
            _ => return Err(bad()),
        };
        Gtid::new(Source::with_tag(uuid, tag)?, number.parse().map_err(|_| bad())?)
    }
}

/// A range of numbers, both ends of which are in it.
pub type Range = (u64, u64);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GtidSet(BTreeMap<Source, Vec<Range>>);

impl GtidSet {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn sources(&self) -> impl Iterator<Item = (&Source, &[Range])> {
        self.0.iter().map(|(s, r)| (s, &r[..]))
    }

    pub fn contains(&self, gtid: &Gtid) -> bool {
        self.range_of(gtid).is_some()
    }

    /// The range that the transaction is in.
    pub fn range_of(&self, gtid: &Gtid) -> Option<Range> {
        let ranges = self.0.get(&gtid.source)?;
        let at = ranges.partition_point(|(_, end)| *end < gtid.number);
        ranges.get(at).copied().filter(|(begin, _)| *begin <= gtid.number)
    }

    pub fn add(&mut self, gtid: &Gtid) {
        self.add_range(&gtid.source, (gtid.number, gtid.number));
    }

    pub fn add_range(&mut self, source: &Source, (begin, end): Range) {
        if begin > end {
            return;
        }
        let ranges = match self.0.get_mut(source) {
            Some(ranges) => ranges,
            None => self.0.entry(source.clone()).or_default(),
        };
        // Those that touch the new one become one with it.
        let from = ranges.partition_point(|(_, e)| e.saturating_add(1) < begin);
        let to = ranges.partition_point(|(b, _)| *b <= end.saturating_add(1));
        let joined = match from < to {
            true => (begin.min(ranges[from].0), end.max(ranges[to - 1].1)),
            false => (begin, end),
        };
        ranges.splice(from..to, [joined]);
    }

    pub fn union(&mut self, other: &GtidSet) {
        for (source, ranges) in &other.0 {
            ranges.iter().for_each(|r| self.add_range(source, *r));
        }
    }

    /// What is in this set and not in the other.
    pub fn minus(&self, other: &GtidSet) -> GtidSet {
        let rest = self.0.iter().filter_map(|(source, ranges)| {
            let taken = other.0.get(source).map_or(&[][..], |r| r);
            let left: Vec<Range> = ranges.iter().flat_map(|r| without(*r, taken)).collect();
            (!left.is_empty()).then(|| (source.clone(), left))
        });
        GtidSet(rest.collect())
    }

    pub fn is_subset(&self, other: &GtidSet) -> bool {
        self.minus(other).is_empty()
    }

    /// The form of PREVIOUS_GTIDS and of COM_BINLOG_DUMP_GTID.
    pub fn decode(bytes: &[u8]) -> Result<GtidSet> {
        let mut r = Reader::new(bytes);
        let head: [u8; 8] = r.array()?;
        // The last byte tells the form. With tags the first one does as well, and the count stands between the two.
        let (tagged, count) = match head[7] {
            0 => (false, u64::from_le_bytes(head)),
            1 => (true, u64::from_le_bytes(head) << 8 >> 16),
            _ => return Err(Error::Refused("the form of a set of identifiers".into())),
        };
        let mut set = GtidSet::default();
        for _ in 0..count {
            let uuid: [u8; 16] = r.array()?;
            let tag = match tagged {
                false => &[][..],
                true => {
                    let len = varint(&mut r)? as usize;
                    r.bytes(len.min(TAG_MAX + 1))?
                }
            };
            let tag = std::str::from_utf8(tag).map_err(|_| Error::Malformed("a tag"))?;
            let source = Source::with_tag(uuid, tag)?;
            for _ in 0..r.u64()? {
                let (begin, end) = (r.u64()?, r.u64()?);
                if begin == 0 || begin >= end || end > NUMBER_END {
                    return Err(Error::Malformed("a set of identifiers"));
                }
                set.add_range(&source, (begin, end - 1));
            }
        }
        Ok(set)
    }

    /// The same form. With tags only where there are some, for servers before 8.3 do not know it.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let tagged = self.0.keys().any(|s| !s.tag.is_empty());
        let count = self.0.len() as u64;
        let head = if tagged { count << 8 | 1 << 56 | 1 } else { count };
        out.extend_from_slice(&head.to_le_bytes());
        for (source, ranges) in &self.0 {
            out.extend_from_slice(&source.uuid);
            if tagged {
                // A tag's length is less than 64, which is one byte in the form of `tagged`.
                out.push((source.tag.len() as u8) << 1);
                out.extend_from_slice(source.tag.as_bytes());
            }
            out.extend_from_slice(&(ranges.len() as u64).to_le_bytes());
            for (begin, end) in ranges {
                out.extend_from_slice(&begin.to_le_bytes());
                out.extend_from_slice(&(end + 1).to_le_bytes());
            }
        }
    }
}

fn without((mut from, to): Range, taken: &[Range]) -> Vec<Range> {
    let mut left = Vec::new();
    let first = from;
    for (a, b) in taken.iter().filter(|(a, b)| *a <= to && *b >= first) {
        if *a > from {
            left.push((from, a - 1));
        }
        from = from.max(b.saturating_add(1));
    }
    if from <= to {
        left.push((from, to));
    }
    left
}

/// As MySQL shows sets: sources on lines of their own.
impl fmt::Display for GtidSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut last: Option<[u8; 16]> = None;
        for (source, ranges) in &self.0 {
            if last != Some(source.uuid) {
                let comma = if last.is_some() { ",\n" } else { "" };
                write!(f, "{comma}{}", source.uuid_text())?;
            }
            last = Some(source.uuid);
            if !source.tag.is_empty() {
                write!(f, ":{}", source.tag)?;
            }
            for (a, b) in ranges {
                match a == b {
                    true => write!(f, ":{a}")?,
                    false => write!(f, ":{a}-{b}")?,
                }
            }
        }
        Ok(())
    }
}

impl FromStr for GtidSet {
    type Err = Error;

    fn from_str(list: &str) -> Result<GtidSet> {
        let bad = || Error::Malformed("a set of identifiers of transactions");
        let mut set = GtidSet::default();
        for source in list.split(',').map(str::trim).filter(|s| !s.is_empty()) {
            let mut pieces = source.split(':').map(str::trim);
            let uuid = pieces.next().and_then(Source::parse_uuid).ok_or_else(bad)?;
            let mut from = Source::new(uuid);
            let mut any = false;
            for piece in pieces {
                if let Some(tag) = normal_tag(piece) {
                    (from, any) = (Source { uuid, tag }, false);
                    continue;
                }
                any = true;
                set.add_range(&from, range(piece).ok_or_else(bad)?);
            }
            if !any {
                return Err(bad());
            }
        }
        Ok(set)
    }
}

/// `n` or `n-m`; one whose end stands before its beginning is empty.
fn range(text: &str) -> Option<Range> {
    let number = |t: &str| t.trim().parse::<u64>().ok().filter(|n| (1..NUMBER_END).contains(n));
    match text.split_once('-') {
        None => number(text).map(|n| (n, n)),
        Some((a, b)) => Some((number(a)?, b.trim().parse().ok().filter(|b| *b < NUMBER_END)?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const A: &str = "3e11fa47-71ca-11e1-9e33-c80aa9429562";
    const B: &str = "2174b383-5441-11e8-b90a-c80aa9429562";

    fn set(text: &str) -> GtidSet {
        text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    #[test]
    fn texts() {
        for (text, shown) in [
            (format!("{A}:1-3:5"), format!("{A}:1-3:5")),
            (format!("{A}:3:1:2, {B}:7-5:9"), format!("{B}:9,\n{A}:1-3")),
            (format!("{A}:1-2:Blue:4:red:1-1,{A}:3"), format!("{A}:1-3:blue:4:red:1")),
            (format!("{{{A}}}:1"), format!("{A}:1")),
            (A.replace('-', "") + ":1", format!("{A}:1")),
            (" , ".into(), String::new()),
            (format!("{A}:9-1"), String::new()),
        ] {
            assert_eq!(set(&text).to_string(), shown, "{text}");
        }
        let long = "t".repeat(33);
        for bad in [
            "x",
            A,
            "a:1",
            &format!("{A}:"),
            &format!("{A}:0"),
            &format!("{A}:1-"),
            &format!("{A}:tag"),
            &format!("{A}:{long}:1"),
            &format!("{A}:9223372036854775807"),
        ] {
            assert!(bad.parse::<GtidSet>().is_err(), "{bad}");
        }
        assert_eq!(
            format!("{A}:Tag:7").parse::<Gtid>().map(|g| g.to_string()),
            Ok(format!("{A}:tag:7"))
        );
        for bad in [
            format!("{A}:1-2"),
            format!("{A}:0"),
            A.into(),
            format!("{A}:t:t:1"),
            format!("{A}::1"),
        ] {
            assert!(bad.parse::<Gtid>().is_err(), "{bad}");
        }
    }

    #[test]
    fn differences() {
        for (a, b, left) in [
            (format!("{A}:23"), format!("{A}:21-57"), String::new()),
            (format!("{A}:21-57"), format!("{A}:20-25"), format!("{A}:26-57")),
            (format!("{A}:23-25"), format!("{A}:24"), format!("{A}:23:25")),
            (format!("{A}:1-9"), format!("{A}:t:1-9"), format!("{A}:1-9")),
        ] {
            assert_eq!(set(&a).minus(&set(&b)).to_string(), left);
            assert_eq!(set(&a).is_subset(&set(&b)), left.is_empty());
        }
    }

    /// Numbers of a few sources as a set of pairs, which is the model.
    type Model = std::collections::BTreeSet<(u8, bool, u64)>;

    fn made(model: &Model) -> GtidSet {
        let mut set = GtidSet::default();
        model.iter().rev().for_each(|one| set.add(&gtid(one)));
        set
    }

    fn gtid((source, tagged, number): &(u8, bool, u64)) -> Gtid {
        let tag = if *tagged { "t" } else { "" };
        let source = Source::with_tag([*source; 16], tag).expect("a tag");
        Gtid::new(source, *number).expect("a number")
    }

    fn model() -> impl Strategy<Value = Model> {
        proptest::collection::btree_set((0u8..3, any::<bool>(), 1u64..30), 0..60)
    }

    proptest! {
        #[test]
        fn sets_are_sets(a in model(), b in model()) {
            let (x, y) = (made(&a), made(&b));
            prop_assert_eq!(x.minus(&y), made(&a.difference(&b).copied().collect()));
            let mut both = x.clone();
            both.union(&y);
            prop_assert_eq!(&both, &made(&a.union(&b).copied().collect()));
            prop_assert_eq!(x.is_subset(&y), a.is_subset(&b));
            for one in &b {
                prop_assert_eq!(x.contains(&gtid(one)), a.contains(one));
            }
            prop_assert_eq!(&x.to_string().parse::<GtidSet>().unwrap(), &x);
            let mut bytes = Vec::new();
            both.encode(&mut bytes);
            prop_assert_eq!(GtidSet::decode(&bytes).unwrap(), both);
        }

        #[test]
        fn any_bytes_and_texts(bytes: Vec<u8>, text: String) {
            let _ = GtidSet::decode(&bytes);
            let _ = text.parse::<GtidSet>();
            let _ = text.parse::<Gtid>();
        }
    }
}
