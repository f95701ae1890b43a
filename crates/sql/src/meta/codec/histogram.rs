//! Bytes of a table's histograms, before those of the table ([`super`]).
//!
//! `u16 column | u8 flags | u64 null share | u64 sampling rate | u16 buckets asked for | u64 updated | u16 n, n buckets`; a bucket is
//! `datum lower | datum upper | u64 cumulative | u64 distinct`, of a singleton histogram `datum | u64 cumulative`. Shares are the bits of a
//! double.

use super::bytes::{Reader, Writer, flags};
use super::partition::{get_datum, put_datum};
use crate::meta::histogram::{Bucket, Histogram, Kind};
use crate::session_api::SqlError;

const EQUI_HEIGHT: u8 = 1;
const AUTOMATIC: u8 = 2;

pub fn put(w: &mut Writer, h: &Histogram) {
    w.u16(h.column as u16);
    let equi_height = h.kind == Kind::EquiHeight;
    w.u8(flags(&[(equi_height, EQUI_HEIGHT), (h.automatic, AUTOMATIC)]));
    w.u64(h.nulls.to_bits());
    w.u64(h.sampling.to_bits());
    w.u16(h.specified);
    w.u64(h.updated_micros as u64);
    w.count(h.buckets.len());
    for b in &h.buckets {
        put_datum(w, &b.lower);
        if equi_height {
            put_datum(w, &b.upper);
        }
        w.u64(b.cumulative.to_bits());
        if equi_height {
            w.u64(b.distinct);
        }
    }
}

pub fn get(r: &mut Reader<'_>) -> Result<Histogram, SqlError> {
    let column = usize::from(r.u16()?);
    let flags = r.u8()?;
    let kind = if flags & EQUI_HEIGHT != 0 { Kind::EquiHeight } else { Kind::Singleton };
    let (nulls, sampling) = (f64::from_bits(r.u64()?), f64::from_bits(r.u64()?));
    let specified = r.u16()?;
    let updated_micros = r.u64()? as i64;
    let buckets = r.list(|r| {
        let lower = get_datum(r)?;
        let equi_height = kind == Kind::EquiHeight;
        let upper = if equi_height { get_datum(r)? } else { lower.clone() };
        let cumulative = f64::from_bits(r.u64()?);
        let distinct = if equi_height { r.u64()? } else { 1 };
        Ok(Bucket { lower, upper, cumulative, distinct })
    })?;
    let automatic = flags & AUTOMATIC != 0;
    Ok(Histogram { column, kind, buckets, nulls, sampling, specified, updated_micros, automatic })
}
