//! What a table asks of every statement that writes its rows, worked out once when the table is bound: a table without a rule of
//! some kind pays one look at an empty list for it.

use super::TableMeta;
use weir_engine::TableDef;

/// Columns by position.
#[derive(Clone, Debug, Default)]
pub struct RowRules {
    /// NOT NULL.
    pub required: Vec<usize>,
    /// ON UPDATE CURRENT_TIMESTAMP, with the fractional digits.
    pub touched: Vec<(usize, u8)>,
    /// The AUTO_INCREMENT column.
    pub counter: Option<usize>,
    /// The same, where the table's counter gives the numbers and follows those that a statement gives itself.
    pub followed: Option<usize>,
    /// Where instead each group of a key counts for itself: [`TableMeta::counts_within`].
    pub groups: Option<(usize, usize)>,
    /// Generated columns.
    pub generated: Vec<usize>,
    /// Virtual columns that came without a look at the rows: those of before have no value, and it is worked out when they are read.
    pub late: Vec<usize>,
    /// There are checks that are enforced.
    pub checked: bool,
}

impl RowRules {
    pub fn of(meta: &TableMeta, def: &TableDef) -> RowRules {
        let columns = || meta.columns.iter().enumerate();
        RowRules {
            required: columns().filter(|(_, c)| !c.nullable).map(|(i, _)| i).collect(),
            touched: columns().filter_map(|(i, c)| Some((i, c.on_update_now?))).collect(),
            counter: meta.auto_increment(),
            followed: meta.counter(),
            groups: meta.counts_within(),
            generated: columns().filter(|(_, c)| c.is_generated()).map(|(i, _)| i).collect(),
            late: columns()
                .filter(|(i, c)| c.is_virtual() && def.came_later(*i))
                .map(|(i, _)| i)
                .collect(),
            checked: meta.checks.iter().any(|c| c.enforced),
        }
    }
}
