//! How ALTER TABLE reaches the table: the smallest call of the engine that makes the change, and whether the statement's ALGORITHM and
//! LOCK allow it.
//!
//! Columns come and go without a look at the rows where MySQL's INSTANT lets them ([why](../../../../docs/decisions/catalog.md)). Without
//! an ALGORITHM that is done wherever it can be; ALGORITHM=INSTANT is refused where MySQL refuses it, with its number and text.

use super::plan::{Algorithm, Lock, Plan};
use super::{build, expression};
use crate::errno;
use crate::meta::{ColumnDefault, IndexPart, SqlColumn, SqlIndex, SqlTable, TableMeta, same_name};
use crate::session_api::SqlError;
use crate::value::store::same_values;
use weir_engine::row::{DatumBuf, PhysCol, RowForm, RowLayout};
use weir_engine::{BesideIt, Db};

/// How a change reaches the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    Nothing,
    /// Only what the engine does not look at.
    Meta,
    /// Names of columns, longer ones, and columns that come or go: rows stay as they are.
    Columns,
    /// Positions in the new list of indexes.
    AddIndexes(Vec<usize>),
    DropIndexes(Vec<String>),
    Rebuild {
        converts: bool,
    },
}

/// So many statements may add or drop columns, in MySQL, until the rows are rewritten.
const MAX_VERSIONS: u32 = 64;

/// Columns that a row may have a place for, those that are gone included; the same number bounds a definition.
const MAX_PLACES: usize = 1017;

/// The smallest engine call that makes the change. `come`: what rows that exist have in the columns that come, where that is one value for
/// all of them.
pub fn classify(old: &SqlTable, plan: &Plan, come: Option<&[DatumBuf]>) -> Change {
    let new = &plan.meta;
    let pairs = || new.columns.iter().zip(&plan.sources).filter_map(|(c, s)| Some((c, (*s)?)));
    // A column that begins to count has numbers instead of what asks for one.
    let converts = pairs().any(|(c, s)| {
        let was = &old.columns[s];
        !same_values(was.ty, c.ty) || c.auto_increment && !was.auto_increment
    });
    if adds_check(old, new) || recomputes(old, plan) {
        return Change::Rebuild { converts: true };
    }
    let kept = plan.sources.iter().enumerate().all(|(i, s)| *s == Some(i))
        && plan.sources.len() == old.columns.len();
    let same_phys = pairs().all(|(c, s)| c.phys() == old.columns[s].phys());
    // The engine's definition carries column names and the column that its counter follows, too.
    let same_auto = new.auto_increment() == old.auto_increment() && new.counter() == old.counter();
    let same_names = same_auto && pairs().all(|(c, s)| c.name == old.columns[s].name);
    let same_keys = clustered_view(old) == clustered_view(new);
    if plan.force || !kept || converts || !same_phys || !same_names || !same_keys {
        let copies = plan.force || plan.algorithm == Algorithm::Copy || converts;
        return match !copies && come.is_some() && rows_stay(old, plan) {
            true => Change::Columns,
            false => Change::Rebuild { converts },
        };
    }
    let has = |list: &[SqlIndex], index: &SqlIndex| {
        list.iter().any(|i| engine_view(i) == engine_view(index))
    };
    let added: Vec<usize> =
        (0..new.indexes.len()).filter(|&i| !has(&old.indexes, &new.indexes[i])).collect();
    let gone = old.indexes.iter().filter(|i| !has(&new.indexes, i));
    let dropped: Vec<String> = gone.map(|i| i.name.clone()).collect();
    // An index is made of what rows have, and some do not have the values of a column that came later.
    let late = |i: &usize| new.indexes[*i].parts.iter().any(|p| old.rules.late.contains(&p.column));
    match (added.is_empty(), dropped.is_empty()) {
        (true, true) if old.meta == *new => Change::Nothing,
        (true, true) => Change::Meta,
        (false, true) if !added.iter().any(late) => Change::AddIndexes(added),
        (true, false) => Change::DropIndexes(dropped),
        (false, _) => Change::Rebuild { converts: false },
    }
}

/// Whether the columns that stay are read as they are stored and keep their order, and all indexes stay, with their columns.
fn rows_stay(old: &SqlTable, plan: &Plan) -> bool {
    let new = &plan.meta;
    let at = |was: usize| plan.sources.iter().position(|s| *s == Some(was));
    let in_order = plan.sources.iter().flatten().is_sorted();
    let reads = plan
        .sources
        .iter()
        .zip(&new.columns)
        .all(|(s, c)| s.is_none_or(|s| c.phys().reads(old.columns[s].phys())));
    let same_auto = old.auto_increment().and_then(at) == new.auto_increment();
    let part = |p: &IndexPart| Some(IndexPart { column: at(p.column)?, ..*p });
    let moved = |i: &SqlIndex| {
        let parts: Option<Vec<IndexPart>> = i.parts.iter().map(part).collect();
        new.indexes
            .iter()
            .any(|n| (&n.name, n.unique, Some(&n.parts)) == (&i.name, i.unique, parts.as_ref()))
    };
    let same_indexes = old.indexes.len() == new.indexes.len() && old.indexes.iter().all(moved);
    in_order && reads && same_auto && same_indexes
}

/// The call, and as which rows are stored from then on. Columns that make rows too long for a page with room for each copy the rows, if
/// that lets NULLs, or columns that are gone, take no room; unless the statement says that they stay where they are.
pub fn choose(
    old: &SqlTable,
    plan: &Plan,
    come: Option<&[DatumBuf]>,
    db: &Db,
) -> Result<(Change, RowForm), SqlError> {
    let (mut change, was) = (classify(old, plan, come), old.engine.def.form);
    if !matches!(change, Change::Columns | Change::Rebuild { .. }) {
        return Ok((change, was));
    }
    let form = build::row_form(&plan.meta, db)?;
    if change == Change::Columns && plan.algorithm != Algorithm::Instant {
        let comes = plan.sources.contains(&None);
        let sparse = (was, form) == (RowForm::Plain, RowForm::Sparse) && comes;
        let long = comes && !db.rows_share_pages(&layout_after(old, plan));
        if sparse
            || long && !old.engine.def.history.places.gone.is_empty()
            || worn(old, plan).is_some()
        {
            change = Change::Rebuild { converts: false };
        }
    }
    Ok((change, form))
}

/// The layout of rows that get all columns while those that are there stay as they are.
fn layout_after(old: &SqlTable, plan: &Plan) -> RowLayout {
    let def = &old.engine.def;
    let was: Vec<PhysCol> = old.columns.iter().map(SqlColumn::phys).collect();
    let is: Vec<PhysCol> = plan.meta.columns.iter().map(SqlColumn::phys).collect();
    RowLayout::placed(&is, def.form, &def.history.places.after(&was, &plan.sources))
}

/// Whether the statement changes which columns rows have, as MySQL counts it: it has virtual ones in no row.
pub fn counts(old: &TableMeta, plan: &Plan) -> bool {
    let comes = plan.sources.iter().zip(&plan.meta.columns);
    let mut comes = comes.filter(|(s, _)| s.is_none()).map(|(_, c)| c);
    let mut stored = (0..old.columns.len()).filter(|i| !old.columns[*i].is_virtual());
    comes.any(|c| !c.is_virtual()) || stored.any(|i| !plan.sources.contains(&Some(i)))
}

/// 4092, 4158: columns have come and gone too often.
fn worn(old: &SqlTable, plan: &Plan) -> Option<SqlError> {
    let history = &old.engine.def.history;
    let name = format!("{}/{}", old.schema(), old.name());
    if history.versions >= MAX_VERSIONS && counts(old, plan) {
        let text = format!(
            "Maximum row versions reached for table {name}. No more columns can be added or dropped instantly. Please use COPY/INPLACE."
        );
        return Some(SqlError::new(errno::ER_INNODB_MAX_ROW_VERSION, text));
    }
    let coming = plan.sources.iter().filter(|s| s.is_none()).count();
    if coming > 0 && old.engine.def.width() + coming > MAX_PLACES {
        let text = format!(
            "Column can't be added to '{name}' with ALGORITHM=INSTANT anymore. Please try ALGORITHM=INPLACE/COPY."
        );
        return Some(SqlError::new(errno::ER_INNODB_INSTANT_ADD_NOT_SUPPORTED_MAX_FIELDS, text));
    }
    None
}

/// Whether a virtual column may come without a look at the rows: those that are there have no value of it, and it is worked out when they
/// are read. No index may need it, and a value is not looked at before.
pub fn comes_late(plan: &Plan, at: usize) -> bool {
    let column = &plan.meta.columns[at];
    column.is_virtual()
        && !column.hidden
        && !plan.validates
        && (column.nullable || column.ty.has_zero())
        && !plan.meta.indexes.iter().any(|i| i.parts.iter().any(|p| p.column == at))
}

/// Is there a check that the rows may not have passed yet?
pub fn adds_check(old: &TableMeta, new: &TableMeta) -> bool {
    new.checks.iter().any(|c| c.enforced && !old.checks.contains(c))
}

/// Does a column get the values of another expression?
pub fn recomputes(old: &TableMeta, plan: &Plan) -> bool {
    let pairs = plan.meta.columns.iter().zip(&plan.sources);
    pairs
        .filter_map(|(c, s)| Some((c, (*s)?)))
        .filter(|(c, _)| c.is_generated())
        .any(|(c, s)| c.default != old.columns[s].default || reads_others(old, plan, c))
}

/// Does the expression of a generated column name columns that had other names before?
fn reads_others(old: &TableMeta, plan: &Plan, column: &SqlColumn) -> bool {
    let ColumnDefault::Generated { expr, .. } = &column.default else { return false };
    if plan.sources.iter().zip(&plan.meta.columns).all(|(s, c)| keeps_name(old, *s, c)) {
        return false;
    }
    expression::columns_of(expr).iter().any(|name| {
        let mut pairs = plan.sources.iter().zip(&plan.meta.columns);
        pairs.any(|(s, c)| same_name(&c.name, name) && !keeps_name(old, *s, c))
    })
}

fn keeps_name(old: &TableMeta, source: Option<usize>, new: &SqlColumn) -> bool {
    source.is_some_and(|s| same_name(&old.columns[s].name, &new.name))
}

/// What of an index the engine knows.
fn engine_view(index: &SqlIndex) -> (&str, bool, &[IndexPart]) {
    (&index.name, index.unique, &index.parts)
}

fn clustered_view(table: &TableMeta) -> Option<(&str, bool, &[IndexPart])> {
    table.clustered().map(|i| engine_view(&table.indexes[i]))
}

/// ALGORITHM and LOCK: refused where they cannot be kept (1845, 1846).
pub fn check_online(
    old: &SqlTable,
    change: &Change,
    plan: &Plan,
    beside: BesideIt,
) -> Result<(), SqlError> {
    if plan.algorithm == Algorithm::Instant {
        check_instant(old, change, plan)?;
    }
    if let (Algorithm::Inplace, Change::Rebuild { converts: true }) = (plan.algorithm, change) {
        if adds_check(old, &plan.meta) {
            let text = "ALGORITHM=INPLACE is not supported for this operation. Try ALGORITHM=COPY.";
            return Err(SqlError::new(errno::ER_ALTER_OPERATION_NOT_SUPPORTED, text));
        }
        return Err(reason("ALGORITHM=INPLACE", CONVERTS, "ALGORITHM=COPY"));
    }
    if (plan.algorithm, plan.lock) == (Algorithm::Copy, Lock::None) {
        return Err(reason("LOCK=NONE", "COPY algorithm requires a lock", "LOCK=SHARED"));
    }
    match plan.lock {
        Lock::None if beside != BesideIt::Everybody => {
            let why = match change {
                Change::Rebuild { converts: true } => CONVERTS,
                _ => "rows do not keep their places in the table",
            };
            Err(reason("LOCK=NONE", why, "LOCK=SHARED"))
        }
        _ => Ok(()),
    }
}

const CONVERTS: &str = "Cannot change column type INPLACE";

/// What MySQL says of virtual columns that come between others.
const COMBINED: &str =
    "INPLACE ADD or DROP of virtual columns cannot be combined with other ALTER TABLE actions";

const FULLTEXT: &str = "InnoDB presently supports one FULLTEXT index creation at a time";

fn reason(clause: &str, why: &str, instead: &str) -> SqlError {
    SqlError::of(errno::ER_ALTER_OPERATION_NOT_SUPPORTED_REASON, &[&clause, &why, &instead])
}

/// What ALGORITHM=INSTANT refuses.
fn check_instant(old: &SqlTable, change: &Change, plan: &Plan) -> Result<(), SqlError> {
    if plan.lock != Lock::Default {
        return Err(SqlError::of(
            errno::ER_WRONG_USAGE,
            &[&"ALGORITHM=INSTANT", &"LOCK=NONE/SHARED/EXCLUSIVE"],
        ));
    }
    let not = |instead: &str| {
        let text = format!(
            "ALGORITHM=INSTANT is not supported for this operation. Try ALGORITHM={instead}."
        );
        SqlError::new(errno::ER_ALTER_OPERATION_NOT_SUPPORTED, text)
    };
    let because = |why| Err(reason("ALGORITHM=INSTANT", why, "ALGORITHM=COPY/INPLACE"));
    let new = || plan.sources.iter().zip(&plan.meta.columns).filter(|(s, _)| s.is_none());
    match change {
        Change::Nothing | Change::Meta => Ok(()),
        Change::Columns if old.is_temporary() => Err(not("COPY")),
        Change::Columns => {
            let shown = plan.meta.columns.iter().filter(|c| !c.hidden).count();
            let behind = |at: usize| plan.sources[at..shown].iter().all(Option::is_none);
            let late: Vec<usize> = (0..plan.sources.len())
                .filter(|i| plan.sources[*i].is_none() && plan.meta.columns[*i].is_virtual())
                .collect();
            let between =
                shown < plan.meta.columns.len() || late.first().is_some_and(|i| !behind(*i));
            if !late.is_empty() && between {
                return because(COMBINED);
            }
            if old.special.len() != plan.meta.special.len() {
                return Err(not("COPY/INPLACE"));
            }
            let has_fulltext = old.special.iter().any(|k| k.is_fulltext());
            if has_fulltext && counts(old, plan) {
                return because(FULLTEXT);
            }
            worn(old, plan).map_or(Ok(()), Err)
        }
        Change::Rebuild { converts: true } if adds_check(old, &plan.meta) => Err(not("COPY")),
        Change::Rebuild { converts: true } => {
            Err(reason("ALGORITHM=INSTANT", CONVERTS, "ALGORITHM=COPY"))
        }
        _ if new().any(|(_, c)| c.auto_increment) => {
            because("Adding an auto-increment column requires a lock")
        }
        _ if new().any(|(_, c)| c.is_virtual() && !c.hidden) && !plan.validates => {
            because("ADD COLUMN col...VIRTUAL, ADD INDEX(col)")
        }
        _ => Err(not("COPY/INPLACE")),
    }
}
