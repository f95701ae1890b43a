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
        let layout = &self.table.engine.layout;
        let form = |same: bool| if same { Form::Same } else { Form::Moment };
        let no_type = || SqlError::internal("a stored value is not of its column's type");
        // One column is found without a look where the others are.
        if let [(column, ty, same)] = &self.columns[..] {
            let datum = RowView::column(layout, row, usize::from(*column));
            let v = formed(form(*same), ty, datum, tz).ok_or_else(no_type)?;
            return Ok(sink.row(&[v])?);
        }
        let view = RowView::new(layout, row);
        let mut out: SmallVec<[OutValue<'_>; 16]> = SmallVec::new();
        for (column, ty, same) in &self.columns {
            let datum = view.get(usize::from(*column));
            out.push(formed(form(*same), ty, datum, tz).ok_or_else(no_type)?);
        }
        Ok(sink.row(&out)?)
    }
}
