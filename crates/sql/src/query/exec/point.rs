//! The row of a point plan, on its way from its bytes to the client.

use crate::query::eval::as_stored::{Form, formed};
use crate::query::plan::point::PointPlan;
use crate::session_api::{OutValue, ResultSink, SqlError};
use crate::value::TimeZone;
use smallvec::SmallVec;
use weir_engine::row::RowView;

impl PointPlan {
    /// Sends the columns of a stored row, which is shorter than any packet may be.
    pub fn send(
        &self,
        row: &[u8],
        tz: TimeZone,
        sink: &mut dyn ResultSink,
    ) -> Result<(), SqlError> {
        let view = RowView::new(&self.table.engine.layout, row);
        let mut out: SmallVec<[OutValue<'_>; 16]> = SmallVec::new();
        for (column, ty, same) in &self.columns {
            let form = if *same { Form::Same } else { Form::Moment };
            let Some(v) = formed(form, ty, view.get(usize::from(*column)), tz) else {
                return Err(SqlError::internal("a stored value is not of its column's type"));
            };
            out.push(v);
        }
        Ok(sink.row(&out)?)
    }
}
