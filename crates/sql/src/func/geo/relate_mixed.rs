//! Relations of collections whose parts are of several dimensions, or lie over each other: as the sets of points that they are.
//!
//! `overlay` takes them apart so that no part covers another one. Their areas may have corners that were computed, so that the exact
//! sides say nothing of them: areas have something in common where it is more than rounding could make.

use super::overlay::{Operand, Rule};
use super::relate::interiors_meet;
use super::*;
use crate::value::geo::plane::{self, Pieces};

/// A part of the smaller area that rounding may make or lose.
const ROUNDING: f64 = 1e-12;

/// Two geometries, each in the form in which no part covers another one.
pub struct Mixed<'f> {
    a: Operand,
    b: Operand,
    function: &'f str,
}

type Asked = Result<bool, ValueError>;

fn size(polygons: &[Vec<Vec<Coord>>]) -> f64 {
    polygons.iter().flatten().map(|r| plane::doubled_area(r)).sum()
}

impl<'f> Mixed<'f> {
    pub fn of(
        cx: &mut FuncCtx<'_>,
        a: &Shape,
        b: &Shape,
        function: &'f str,
    ) -> Result<Mixed<'f>, ValueError> {
        let (a, b) = (Operand::of(cx, a, function)?, Operand::of(cx, b, function)?);
        Ok(Mixed { a, b, function })
    }

    /// The highest dimensions that they have.
    pub fn dimensions(&self) -> (u8, u8) {
        (self.a.dimension(), self.b.dimension())
    }

    /// Whether one is points alone, and the other has points of its own as well.
    pub fn are_points(&self) -> bool {
        let points = |x: &Operand, y: &Operand| x.dimension() == 0 && y.has_points();
        points(&self.a, &self.b) || points(&self.b, &self.a)
    }

    /// No point of the first is outside of the second, and their interiors have one in common.
    pub fn within(&self, cx: &mut FuncCtx<'_>) -> Asked {
        Ok(self.covered(cx, &self.a, &self.b)? && self.interiors(cx)?.is_some())
    }

    pub fn equal(&self, cx: &mut FuncCtx<'_>) -> Asked {
        Ok(self.covered(cx, &self.a, &self.b)? && self.covered(cx, &self.b, &self.a)?)
    }

    fn covered(&self, cx: &mut FuncCtx<'_>, p: &Operand, q: &Operand) -> Asked {
        if !p.is_covered_below_areas(cx, q)? {
            return Ok(false);
        }
        let rest = p.areas_with(cx, q, Rule::Difference, self.function)?;
        Ok(size(&rest) <= ROUNDING * size(p.polygons()))
    }

    /// The dimension of what the interiors have in common; `None`: nothing.
    pub fn interiors(&self, cx: &mut FuncCtx<'_>) -> Result<Option<u8>, ValueError> {
        let common = self.a.areas_with(cx, &self.b, Rule::Intersect, self.function)?;
        let least = size(self.a.polygons()).min(size(self.b.polygons()));
        if size(&common) > ROUNDING * least {
            return Ok(Some(2));
        }
        let (of_a, of_b) = (self.a.by_dimension(), self.b.by_dimension());
        let mut highest = None;
        for (i, p) in of_a.iter().enumerate() {
            for (j, q) in of_b.iter().enumerate() {
                if (i, j) != (2, 2) && !is_nothing(p) && !is_nothing(q) {
                    highest = highest.max(interiors_meet(cx, p, q)?);
                }
            }
        }
        Ok(highest)
    }

    pub fn crosses(&self, cx: &mut FuncCtx<'_>) -> Asked {
        let common = self.interiors(cx)?;
        match self.dimensions() {
            (1, 1) => Ok(common == Some(0)),
            _ => Ok(common.is_some() && !self.covered(cx, &self.a, &self.b)?),
        }
    }

    pub fn overlap(&self, cx: &mut FuncCtx<'_>) -> Asked {
        Ok(self.interiors(cx)? == Some(self.a.dimension())
            && !self.covered(cx, &self.a, &self.b)?
            && !self.covered(cx, &self.b, &self.a)?)
    }
}

fn is_nothing(p: &Pieces) -> bool {
    p.points.is_empty() && p.lines.is_empty() && p.polygons.is_empty()
}
