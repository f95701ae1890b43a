//! The key bytes of the values that a part of a key is compared with.

use super::Bounds;
use super::point::Point;
use crate::query::expr::usable::Alt;
use crate::value::DatumBuf;
use weir_engine::row::key::prefix_successor;
use weir_engine::row::{KeyPartType, encode_datum};

/// What the values of a part are in a key.
pub(super) enum Pieces {
    Values(Vec<Vec<u8>>),
    /// One of them is only known to be within bounds: nothing can be said of the parts behind.
    Ranges(Vec<Bounds>),
    Unknown,
}

/// What the alternatives of a part have come to.
#[derive(Default)]
pub(super) struct Found {
    pub values: Vec<Vec<u8>>,
    pub around: Vec<Bounds>,
}

impl Found {
    /// Takes a value; false: it can be anywhere.
    pub fn put(&mut self, ty: &KeyPartType, alt: &Alt, point: Point) -> bool {
        match point {
            Point::Exact(d) => self.values.extend(encoded(ty, &d)),
            Point::Null if alt.null_safe => self.values.extend(encoded(ty, &DatumBuf::Null)),
            Point::Around(low, high) => match (encoded(ty, &low), encoded(ty, &high)) {
                (Some(a), Some(b)) => {
                    let (a, b) = if ty.desc { (b, a) } else { (a, b) };
                    self.around.push((a, prefix_successor(&b)));
                }
                _ => return false,
            },
            Point::Unknown => return false,
            Point::Between(_) | Point::Below | Point::Above | Point::Null => {}
        }
        true
    }

    pub fn pieces(self) -> Pieces {
        let Found { mut values, mut around } = self;
        values.sort_unstable();
        values.dedup();
        if around.is_empty() {
            return Pieces::Values(values);
        }
        around.extend(values.into_iter().map(|v| {
            let end = prefix_successor(&v);
            (v, end)
        }));
        Pieces::Ranges(around)
    }
}

pub(super) fn encoded(ty: &KeyPartType, d: &DatumBuf) -> Option<Vec<u8>> {
    let mut piece = Vec::new();
    encode_datum(ty, d.as_ref(), &mut piece).is_ok().then_some(piece)
}
