//! How many rows a LIMIT lets out.

use super::Runner;
use crate::errno;
use crate::query::eval::eval;
use crate::query::eval::frame::Frame;
use crate::query::expr::BExpr;
use crate::query::plan::Limit;
use crate::query::plan::outcome::Run;
use crate::session_api::SqlError;
use crate::value::Value;

impl Runner<'_, '_> {
    /// Offset and count; no limit is the largest number.
    pub fn limits(&mut self, l: Option<&Limit>) -> Run<(usize, usize)> {
        let Some(l) = l else { return Ok((0, usize::MAX)) };
        let frame = Frame::empty(self.params);
        let mut number = |e: &BExpr| -> Run<usize> {
            let v = eval(e, &frame, &mut self.ev)?;
            match &v {
                // No row, and none left out.
                Value::Null => Ok(0),
                Value::UInt(n) => Ok(*n as usize),
                Value::Int(n) if *n >= 0 => Ok(*n as usize),
                Value::Int(_) => Err(SqlError::of(
                    errno::ER_DATA_OUT_OF_RANGE,
                    &[&"unsigned integer", &"EXECUTE"],
                )
                .into()),
                // A prepared statement may send it as text.
                Value::Str(..) | Value::Bytes(_) => {
                    match v.to_string_lossy().and_then(|s| s.trim().parse().ok()) {
                        Some(n) => Ok(n),
                        None => Err(SqlError::of(errno::ER_WRONG_ARGUMENTS, &[&"LIMIT"]).into()),
                    }
                }
                _ => Err(SqlError::of(errno::ER_WRONG_ARGUMENTS, &[&"LIMIT"]).into()),
            }
        };
        let offset = match &l.offset {
            Some(o) => number(o)?,
            None => 0,
        };
        Ok((offset, number(&l.count)?))
    }
}
