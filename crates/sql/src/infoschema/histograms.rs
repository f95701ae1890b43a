//! COLUMN_STATISTICS: the histograms of columns.

use super::cells::{NAME, n, s, text};
use super::tables::visible;
use super::virtual_table;
use crate::context::VirtualTable;
use crate::meta::histogram::to_json;
use crate::value::{SqlType, Value};

pub fn all() -> Vec<&'static dyn VirtualTable> {
    vec![&ColumnStatistics]
}

virtual_table!(
    ColumnStatistics,
    "information_schema",
    "COLUMN_STATISTICS",
    (Some("SCHEMA_NAME"), Some("TABLE_NAME")),
    [
        n("SCHEMA_NAME", NAME),
        n("TABLE_NAME", NAME),
        n("COLUMN_NAME", text(64)),
        n("HISTOGRAM", SqlType::Json),
    ],
    |cx, hint| {
        let (mut rows, mut access) = (Vec::new(), cx.access.clone());
        for t in visible(cx, hint) {
            let mut all: Vec<_> = t.histograms.iter().collect();
            // By name, as MySQL finds them in its dictionary.
            all.sort_by(|a, b| t.columns[a.column].name.cmp(&t.columns[b.column].name));
            for h in all {
                let column = &t.columns[h.column];
                if access.shown_on_column(t.schema(), t.name(), &column.name).is_none() {
                    continue;
                }
                // What cannot be shown would have more members than a document may have: there is no such histogram.
                let Ok(shown) = to_json(h, column) else { continue };
                rows.push(vec![
                    s(t.schema()),
                    s(t.name()),
                    s(column.name.clone()),
                    Value::Json(shown),
                ]);
            }
        }
        rows
    }
);
