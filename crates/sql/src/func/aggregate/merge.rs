//! Parts of a group put together: what aggregates have come to over vectors, level by level of WITH ROLLUP.

use super::{Accumulator, AggSpec, State};
use crate::func::FuncCtx;
use crate::value::decimal::Overflow;
use crate::value::{Decimal, ValueError};

impl Accumulator {
    /// Takes what others of the same aggregate have come to over vectors: counts, sums of exact numbers, the least and the largest.
    pub fn merge(
        &mut self,
        spec: &AggSpec,
        more: State,
        cx: &mut FuncCtx<'_>,
    ) -> Result<(), ValueError> {
        let too_big = |_: Overflow| ValueError::out_of_range("DECIMAL", "sum()");
        let decimal = |sum: i128| Decimal::from_i128(sum, 0);
        match (&mut self.state, more) {
            (_, State::Empty) => {}
            (State::Count(n), State::Count(more)) => *n += more,
            (_, State::Best(v)) => self.update(spec, std::slice::from_ref(&v), cx)?,
            (state @ State::Empty, more) => *state = more,
            (State::Whole { sum, n }, State::Whole { sum: s, n: m }) => match sum.checked_add(s) {
                Some(all) => (*sum, *n) = (all, *n + m),
                None => {
                    let all = decimal(*sum).checked_add(decimal(s)).map_err(too_big)?;
                    self.state = State::Exact { sum: all, n: *n + m };
                }
            },
            (State::Exact { sum, n }, State::Exact { sum: s, n: m }) => {
                *sum = sum.checked_add(s).map_err(too_big)?;
                *n += m;
            }
            (State::Exact { sum, n }, State::Whole { sum: s, n: m }) => {
                *sum = sum.checked_add(decimal(s)).map_err(too_big)?;
                *n += m;
            }
            _ => debug_assert!(false, "of other aggregates no two are put together"),
        }
        Ok(())
    }
}
