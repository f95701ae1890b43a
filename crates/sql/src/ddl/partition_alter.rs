//! ALTER TABLE ... PARTITION: the statements that change partitions, each by one call of the engine.
//!
//! What becomes of the partitions is worked out first as a list ([`NewParts`]): which stay, which are new, and whose rows go into the new
//! ones. PARTITION BY and REMOVE PARTITIONING are no such statements: they make the table again, with whatever else ALTER TABLE says.

use super::alter_run::altered;
use super::partition_rows::{Placement, findings};
use super::plan::{Algorithm, Lock};
use super::{alter, engine_error, foreign, partition, resolve, subpartition, writable_schema};
use crate::context::{AdminResult, ShowResult, StatementCtx};
use crate::errno;
use crate::meta::partition::{Values, end_of};
use crate::meta::{
    CheckConstraint, Partitioning, SqlColumn, SqlIndex, SqlTable, TableMeta, codec, same_name,
};
use crate::session_api::SqlError;
use crate::value::DatumBuf;
use std::collections::HashSet;
use std::sync::Arc;
use weir_engine::NewParts;
use weir_engine::row::{RowBuilder, RowView};
use weir_syntax::ast::{AlterSpec, Ident, PartitionDef, PartitionNames, TableName};

fn error(number: u16, text: impl Into<String>) -> SqlError {
    SqlError::new(number, text)
}

fn list_error(what: &str) -> SqlError {
    error(errno::ER_DROP_PARTITION_NON_EXISTENT, format!("Error in list of partitions to {what}"))
}

/// Runs the statement if one of its clauses is about partitions.
pub async fn run(
    old: &Arc<SqlTable>,
    specs: &[AlterSpec],
    ctx: &mut StatementCtx<'_>,
) -> Result<Option<AdminResult>, SqlError> {
    let Some(spec) = specs.iter().find(|s| is_about_partitions(s)) else { return Ok(None) };
    let Some(by) = old.meta.partitions.as_deref() else {
        let e = SqlError::of(errno::ER_PARTITION_MGMT_ON_NONPARTITIONED, &[]);
        return match looked_at(spec) {
            Some((op, _)) => Ok(Some(failed(old, op, e.message))),
            None => Err(e),
        };
    };
    let (mut algorithm, mut lock, mut validate) = (Algorithm::Default, Lock::Default, true);
    for s in specs {
        match s {
            AlterSpec::Algorithm(word) => algorithm = alter::algorithm(word)?,
            AlterSpec::Lock(word) => lock = alter::lock(word)?,
            AlterSpec::Validation(v) => validate = *v,
            s if std::ptr::eq(s, spec) => {}
            // MySQL's grammar has no such list.
            _ => {
                return Err(error(
                    errno::ER_PARSE_ERROR,
                    "You have an error in your SQL syntax; a clause about partitions stands alone in ALTER TABLE, but for ALGORITHM, LOCK and VALIDATION",
                ));
            }
        }
    }
    check_online(spec, by, algorithm, lock)?;
    if let AlterSpec::ExchangePartition { partition, table, validate: also } = spec {
        return exchange(old, partition, table, validate && *also, ctx).await.map(Some);
    }
    if let Some((op, names)) = looked_at(spec) {
        return look(old, by, (op, names), ctx).await.map(Some);
    }
    let place = (old.schema().to_owned(), old.name().to_owned());
    let mut meta = old.meta.clone();
    let (now, mut new) = changed(by, spec, (&place.0, &place.1), &old.meta, ctx)?;
    partition::check_values(&now, &old.meta)?;
    meta.partitions = Some(Box::new(now));
    new.extra = codec::encode_table(&meta);
    apply(old, &meta, &new, ctx).await?;
    Ok(Some(altered(0, ctx)))
}

fn is_about_partitions(spec: &AlterSpec) -> bool {
    matches!(
        spec,
        AlterSpec::AddPartition(_)
            | AlterSpec::AddPartitions(_)
            | AlterSpec::DropPartition(_)
            | AlterSpec::TruncatePartition(_)
            | AlterSpec::CoalescePartition(_)
            | AlterSpec::ReorganizePartition { .. }
            | AlterSpec::ExchangePartition { .. }
            | AlterSpec::AnalyzePartition(_)
            | AlterSpec::CheckPartition(_)
            | AlterSpec::OptimizePartition(_)
            | AlterSpec::RebuildPartition(_)
            | AlterSpec::RepairPartition(_)
    )
}

/// ALGORITHM and LOCK: refused where they cannot be kept (1845, 1846).
fn check_online(
    spec: &AlterSpec,
    by: &Partitioning,
    algorithm: Algorithm,
    lock: Lock,
) -> Result<(), SqlError> {
    let looks = matches!(
        spec,
        AlterSpec::AnalyzePartition(_)
            | AlterSpec::CheckPartition(_)
            | AlterSpec::RepairPartition(_)
    );
    let exchanges = matches!(spec, AlterSpec::ExchangePartition { .. });
    if algorithm == Algorithm::Instant && !looks && !exchanges {
        let text =
            "ALGORITHM=INSTANT is not supported for this operation. Try ALGORITHM=COPY/INPLACE.";
        return Err(error(errno::ER_ALTER_OPERATION_NOT_SUPPORTED, text));
    }
    let brief = match spec {
        AlterSpec::AddPartition(_) => !by.function.method.is_hash(),
        AlterSpec::DropPartition(_) | AlterSpec::TruncatePartition(_) => true,
        _ => looks,
    };
    if matches!(lock, Lock::None | Lock::Shared) && !brief {
        return Err(error(
            errno::ER_ALTER_OPERATION_NOT_SUPPORTED_REASON,
            "LOCK=NONE/SHARED is not supported. Reason: the table is locked while it is changed. Try LOCK=EXCLUSIVE.",
        ));
    }
    Ok(())
}

/// The engine's call, with rows that go where the new definition says.
async fn apply(
    old: &SqlTable,
    meta: &TableMeta,
    new: &NewParts,
    ctx: &mut StatementCtx<'_>,
) -> Result<(), SqlError> {
    let mut exprs = ctx.reads.bind_rows(ctx.now_micros, old.name(), meta)?;
    let columns: Vec<usize> = meta.partitions.iter().flat_map(|p| p.all_columns()).collect();
    let mut values = vec![DatumBuf::Null; meta.columns.len()];
    let mut refused = None;
    let mut map = |row: RowView<'_>, out: &mut Vec<u8>| {
        // The definition stays, and with it what rows lack that are older than a column.
        let mut b = RowBuilder::like(&old.engine.layout, row.count());
        for i in 0..meta.columns.len() {
            b.push(row.get(i));
        }
        b.finish_into(out).map_err(|e| e.to_string())?;
        columns.iter().for_each(|c| values[*c] = row.get(*c).to_buf());
        let Some(exprs) = &mut exprs else { return Ok(0) };
        exprs.partition(&values).map_err(|e| {
            let text = e.message.clone();
            refused.get_or_insert(e);
            text
        })
    };
    let ddl = ctx.reads.ddl();
    let done = ctx.reads.db().change_parts(&old.engine, new, &mut map, &ddl).await;
    match (done, refused) {
        (Ok(_), _) => Ok(()),
        (Err(_), Some(e)) => Err(e),
        (Err(e), None) => Err(engine_error(e)),
    }
}

/// The partitioning that a clause comes to, and how the engine gets there: whatever is done to a partition is done to its leaves.
fn changed(
    by: &Partitioning,
    spec: &AlterSpec,
    place: (&str, &str),
    table: &TableMeta,
    ctx: &mut StatementCtx<'_>,
) -> Result<(Partitioning, NewParts), SqlError> {
    let mut now = by.clone();
    let all = (0..by.leaves()).map(Some).collect();
    let mut new = NewParts { parts: all, ..NewParts::default() };
    match spec {
        AlterSpec::AddPartitions(n) => add_numbered(by, *n, &mut now, &mut new)?,
        AlterSpec::AddPartition(defs) => {
            subpartition::check_more(&mut now, defs, subpartition::wrong_added)?;
            now.parts.extend(partition::partitions(by, defs, place, table, ctx)?);
            new.parts.resize(now.leaves(), None);
            if by.function.method.is_hash() {
                now.numbered = false;
                new.parts = vec![None; now.parts.len()];
                new.copied = (0..by.parts.len()).collect();
            }
        }
        AlterSpec::DropPartition(names) => {
            if by.function.method.is_hash() {
                return Err(error(
                    errno::ER_ONLY_ON_RANGE_LIST_PARTITION,
                    "DROP PARTITION can only be used on RANGE/LIST partitions",
                ));
            }
            let gone = positions(by, names, "DROP")?;
            if gone.len() == by.parts.len() {
                return Err(error(
                    errno::ER_DROP_LAST_PARTITION,
                    "Cannot remove all partitions, use DROP TABLE instead",
                ));
            }
            let mut stays = vec![true; by.parts.len()];
            gone.iter().for_each(|n| stays[*n] = false);
            let stay = || (0..by.parts.len()).filter(|n| stays[*n]);
            now.parts = stay().map(|n| by.parts[n].clone()).collect();
            new.parts = stay().flat_map(|n| by.leaves_of(n)).map(Some).collect();
        }
        AlterSpec::TruncatePartition(names) => {
            let all = truncated(by, names, place.1)?;
            all.into_iter().for_each(|n| new.parts[n] = None);
        }
        AlterSpec::RebuildPartition(names) => {
            // Unlike the others this one takes no names of subpartitions, in MySQL neither.
            let parts = match names {
                PartitionNames::All => (0..by.parts.len()).collect(),
                PartitionNames::Some(names) => positions(by, names, "REBUILD")?,
            };
            new.copied = parts.into_iter().flat_map(|n| by.leaves_of(n)).collect();
            new.copied.iter().for_each(|n| new.parts[*n] = None);
        }
        AlterSpec::CoalescePartition(n) => coalesce(by, *n, &mut now, &mut new)?,
        AlterSpec::ReorganizePartition { from, into } => {
            reorganize(by, (from, into), place, table, ctx, &mut now, &mut new)?;
        }
        _ => return Err(SqlError::internal("a clause that is not about partitions")),
    }
    Ok((now, new))
}

/// The leaves of TRUNCATE PARTITION, which unlike other clauses takes a name twice.
fn truncated(
    by: &Partitioning,
    names: &PartitionNames,
    table: &str,
) -> Result<Vec<usize>, SqlError> {
    let PartitionNames::Some(names) = names else { return Ok((0..by.leaves()).collect()) };
    let leaves = by.leaves_named(names.iter().map(|n| n.as_str()));
    let unknown = |n: &str| SqlError::of(errno::ER_UNKNOWN_PARTITION, &[&n, &table]);
    Ok(leaves.map_err(unknown)?.into_iter().flatten().collect())
}

/// ADD PARTITION PARTITIONS n: all rows are spread again.
fn add_numbered(
    by: &Partitioning,
    n: u64,
    now: &mut Partitioning,
    new: &mut NewParts,
) -> Result<(), SqlError> {
    if !by.function.method.is_hash() {
        let text =
            format!("For {} partitions each partition must be defined", by.function.method.kind());
        return Err(error(errno::ER_PARTITIONS_MUST_BE_DEFINED_ERROR, text));
    }
    if n == 0 {
        return Err(error(
            errno::ER_ADD_PARTITION_NO_NEW_PARTITION,
            "At least one partition must be added",
        ));
    }
    let first = by.parts.len();
    partition::check_number(n.saturating_add(first as u64))?;
    now.parts.extend((0..n as usize).map(|i| partition::numbered_part(first + i)));
    (new.parts, new.copied) = (vec![None; now.parts.len()], (0..first).collect());
    Ok(())
}

fn coalesce(
    by: &Partitioning,
    n: u64,
    now: &mut Partitioning,
    new: &mut NewParts,
) -> Result<(), SqlError> {
    if !by.function.method.is_hash() {
        let text = "COALESCE PARTITION can only be used on HASH/KEY partitions";
        return Err(error(errno::ER_COALESCE_ONLY_ON_HASH_PARTITION, text));
    }
    if n == 0 {
        return Err(error(
            errno::ER_COALESCE_PARTITION_NO_PARTITION,
            "At least one partition must be coalesced",
        ));
    }
    let left = (by.parts.len() as u64).saturating_sub(n) as usize;
    if left == 0 {
        return Err(error(
            errno::ER_DROP_LAST_PARTITION,
            "Cannot remove all partitions, use DROP TABLE instead",
        ));
    }
    now.parts.truncate(left);
    (new.parts, new.copied) = (vec![None; left], (0..by.parts.len()).collect());
    Ok(())
}

#[allow(clippy::too_many_arguments)]
fn reorganize(
    by: &Partitioning,
    (from, into): (&[Ident], &[PartitionDef]),
    place: (&str, &str),
    table: &TableMeta,
    ctx: &mut StatementCtx<'_>,
    now: &mut Partitioning,
    new: &mut NewParts,
) -> Result<(), SqlError> {
    if from.is_empty() {
        return Err(error(
            errno::ER_REORG_NO_PARAM_ERROR,
            "REORGANIZE PARTITION without parameters can only be used on auto-partitioned tables using HASH PARTITIONs",
        ));
    }
    if from.len() > by.parts.len() {
        return Err(error(
            errno::ER_REORG_PARTITION_NOT_EXIST,
            "More partitions to reorganize than there are partitions",
        ));
    }
    let mut old = positions(by, from, "REORGANIZE")?;
    old.sort_unstable();
    if by.function.method.is_hash() && from.len() != into.len() {
        return Err(error(
            errno::ER_REORG_HASH_ONLY_ON_SAME_NO,
            "REORGANIZE PARTITION can only be used to reorganize partitions not to change their numbers",
        ));
    }
    if old.windows(2).any(|w| w[0] + 1 != w[1]) {
        return Err(error(
            errno::ER_CONSECUTIVE_REORG_PARTITIONS,
            "When reorganizing a set of partitions they must be in consecutive order",
        ));
    }
    subpartition::check_more(now, into, subpartition::wrong_reorganized)?;
    let made = partition::partitions(by, into, place, table, ctx)?;
    let (first, last) = (old[0], old[old.len() - 1]);
    if by.function.method.is_range() {
        let end = |p: Option<&crate::meta::partition::Partition>| match p.map(|p| &p.values) {
            Some(Values::LessThan(bound)) => end_of(&by.function, table, bound),
            _ => None,
        };
        let (was, will) = (end(by.parts.get(last)), end(made.last()));
        let longer = match (&was, &will) {
            (Some(a), Some(b)) => b > a,
            (Some(_), None) => true,
            (None, _) => false,
        };
        if was != will && !(longer && last + 1 == by.parts.len()) {
            return Err(error(
                errno::ER_REORG_OUTSIDE_RANGE,
                "Reorganize of range partitions cannot change total ranges except for last partition where it can extend the range",
            ));
        }
    }
    let leaves = by.leaves_of(first).start..by.leaves_of(last).end;
    new.copied = leaves.clone().collect();
    new.parts.splice(leaves, vec![None; made.len() * by.per_part()]);
    now.parts.splice(first..=last, made);
    now.numbered = false;
    Ok(())
}

/// The partitions that a list of names means, each once.
fn positions(by: &Partitioning, names: &[Ident], what: &str) -> Result<Vec<usize>, SqlError> {
    let out = by.positions(names.iter().map(|n| n.as_str())).map_err(|_| list_error(what))?;
    let mut seen = vec![false; by.parts.len()];
    match out.iter().any(|at| std::mem::replace(&mut seen[*at], true)) {
        true => Err(list_error(what)),
        false => Ok(out),
    }
}

/// The leaves that names of partitions and of subpartitions mean. None is named twice, but a subpartition may be beside its partition.
fn leaves(by: &Partitioning, names: &PartitionNames, what: &str) -> Result<Vec<usize>, SqlError> {
    let PartitionNames::Some(names) = names else { return Ok((0..by.leaves()).collect()) };
    let found = by.leaves_named(names.iter().map(|n| n.as_str())).map_err(|_| list_error(what))?;
    let mut seen = HashSet::new();
    if !names.iter().all(|n| seen.insert(n.as_str().to_lowercase())) {
        return Err(list_error(what));
    }
    let mut all: Vec<usize> = found.into_iter().flatten().collect();
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

/// Statements that answer with rows.
fn looked_at(spec: &AlterSpec) -> Option<(&'static str, &PartitionNames)> {
    match spec {
        AlterSpec::AnalyzePartition(n) => Some(("analyze", n)),
        AlterSpec::CheckPartition(n) => Some(("check", n)),
        AlterSpec::OptimizePartition(n) => Some(("optimize", n)),
        AlterSpec::RepairPartition(n) => Some(("repair", n)),
        _ => None,
    }
}

/// The answer of such a statement that cannot look.
fn failed(old: &SqlTable, op: &'static str, why: String) -> AdminResult {
    let mut result = ShowResult::new(super::maintain::COLUMNS.to_vec());
    let name = format!("{}.{}", old.schema(), old.name());
    for (kind, text) in [("Error", why), ("status", "Operation failed".to_owned())] {
        let cells = [name.clone(), op.to_owned(), kind.to_owned(), text];
        result.rows.push(cells.into_iter().map(super::maintain::text_value).collect());
    }
    AdminResult::Rows(result)
}

/// ANALYZE, CHECK, OPTIMIZE and REPAIR PARTITION. The first two look at all partitions, whichever are named.
async fn look(
    old: &SqlTable,
    by: &Partitioning,
    (op, names): (&'static str, &PartitionNames),
    ctx: &mut StatementCtx<'_>,
) -> Result<AdminResult, SqlError> {
    let shown = format!("{}.{}", old.schema(), old.name());
    let mut found: Vec<(&'static str, String)> = Vec::new();
    let ok = || ("status", "OK".to_owned());
    let held = ctx.reads.locked.map(|l| l.held.clone());
    match (leaves(by, names, op), op) {
        (Err(_), _) => {
            found.push(("Error", format!("Error in list of partitions to {shown}")));
            found.push(("status", "Operation failed".into()));
        }
        (Ok(_), "analyze") => {
            let done = ctx.reads.db().analyze_table_of(&old.engine, held.as_deref()).await;
            done.map_err(engine_error)?;
            found.push(ok());
        }
        (Ok(parts), "check") => {
            let interrupt = ctx.reads.interrupt.clone();
            let (db, limit) = (ctx.reads.db(), ctx.reads.settings.ddl_timeout);
            let wrong = db.check_table_of(&old.engine, &interrupt, held.as_deref(), limit).await;
            let mut wrong = wrong.map_err(engine_error)?;
            if wrong.is_empty() {
                wrong = findings(old, Some(&parts), ctx).await?;
            }
            let clean = wrong.is_empty();
            found.extend(wrong.into_iter().map(|text| ("error", text)));
            found.push(if clean { ok() } else { ("error", "Corrupt".to_owned()) });
        }
        (Ok(all), "optimize") => {
            let text = "Table does not support optimize on partitions. All partitions will be rebuilt and analyzed.";
            found.push(("note", text.into()));
            let mut new = NewParts { extra: old.engine.def.extra.clone(), ..NewParts::default() };
            new.parts = (0..by.leaves()).map(Some).collect();
            all.iter().for_each(|n| new.parts[*n] = None);
            new.copied = all;
            apply(old, &old.meta, &new, ctx).await?;
            found.push(ok());
        }
        _ => found.push(("note", "The storage engine for the table doesn't support repair".into())),
    }
    let mut result = ShowResult::new(super::maintain::COLUMNS.to_vec());
    for (kind, text) in found {
        let cells = [shown.clone(), op.into(), kind.into(), text];
        result.rows.push(cells.into_iter().map(super::maintain::text_value).collect());
    }
    Ok(AdminResult::Rows(result))
}

/// EXCHANGE PARTITION. The table's rows are looked at, WITHOUT VALIDATION too: a row in a partition that is not its own would never be
/// found again.
async fn exchange(
    old: &SqlTable,
    name: &Ident,
    with: &TableName,
    validate: bool,
    ctx: &mut StatementCtx<'_>,
) -> Result<AdminResult, SqlError> {
    let (schema, table) = resolve(with, ctx)?;
    writable_schema(&schema, ctx)?;
    super::view::refuse_view(&schema, &table, ctx)?;
    if ctx.reads.temporaries.has(&schema, &table) {
        let text = format!("Table to exchange with partition is temporary: '{table}'");
        return Err(error(errno::ER_PARTITION_EXCHANGE_TEMP_TABLE, text));
    }
    let at = exchanged(old, name)?;
    let other = ctx.reads.meta().lookup(ctx.reads.db(), &schema, &table)?;
    if other.meta.partitions.is_some() {
        let text = format!("Table to exchange with partition is partitioned: '{table}'");
        return Err(error(errno::ER_PARTITION_EXCHANGE_PART_TABLE, text));
    }
    let referenced = !ctx.reads.meta().references(ctx.reads.db()).to(&schema, &table).is_empty();
    if referenced || !other.meta.foreign.is_empty() {
        let text =
            format!("Table to exchange with partition has foreign key references: '{table}'");
        return Err(error(errno::ER_PARTITION_EXCHANGE_FOREIGN_KEY, text));
    }
    let (mine, its) = (&old.engine.def.indexes[0], &other.engine.def.indexes[0]);
    let same_order = mine.name == its.name && mine.parts == its.parts;
    let same_form = old.engine.def.form == other.engine.def.form;
    if !same_order || !same_form || !alike(&old.meta, &other.meta) {
        return Err(error(
            errno::ER_TABLES_DIFFERENT_METADATA,
            "Tables have different definitions",
        ));
    }
    let both = [old.engine.clone(), other.engine.clone()];
    let held = foreign::alone(&both, ctx).await?;
    // Rows from before a column's coming go by what their table says of it.
    let same_late = old.rules.late == other.rules.late;
    if !same_late || !old.engine.def.reads_rows_of(&other.engine.def) {
        return Err(error(
            errno::ER_PARTITION_EXCHANGE_DIFFERENT_OPTION,
            "Non matching attribute 'INSTANT COLUMN(s)' between partition and table",
        ));
    }
    if !validate {
        ctx.changes.warnings.note(errno::ER_NOT_SUPPORTED_YET, || {
            "WITHOUT VALIDATION: the rows are looked at all the same".to_owned()
        });
    }
    check_rows(old, at, &other, &held, ctx).await?;
    let ddl = foreign::ddl(&held, Vec::new(), ctx);
    let done = ctx.reads.db().exchange_part(&old.engine, at, &other.engine, &ddl).await;
    done.map_err(engine_error)?;
    Ok(altered(0, ctx))
}

/// The leaf that EXCHANGE PARTITION names: a partition that has subpartitions is not one.
fn exchanged(old: &SqlTable, name: &Ident) -> Result<usize, SqlError> {
    let unknown = || {
        error(
            errno::ER_UNKNOWN_PARTITION,
            format!("Unknown partition '{name}' in table '{}'", old.name()),
        )
    };
    let by = old.meta.partitions.as_deref().ok_or_else(unknown)?;
    let name = || std::iter::once(name.as_str());
    if by.sub.is_some() && by.positions(name()).is_ok() {
        let text = "Subpartitioned table, use subpartition instead of partition";
        return Err(error(errno::ER_PARTITION_INSTEAD_OF_SUBPARTITION, text));
    }
    let leaf = by.leaves_named(name()).map_err(|_| unknown())?;
    leaf.into_iter().flatten().next().ok_or_else(unknown)
}

/// Whether rows of one table are rows of the other, in the same form. The clustered index, which rows are in the order of, is looked at
/// beside this: it may be any of the unique ones.
fn alike(a: &TableMeta, b: &TableMeta) -> bool {
    let column = |(x, y): (&SqlColumn, &SqlColumn)| {
        same_name(&x.name, &y.name)
            && x.ty == y.ty
            && x.nullable == y.nullable
            && x.auto_increment == y.auto_increment
            && x.is_generated() == y.is_generated()
            && (!x.is_generated() || x.default == y.default)
    };
    let index = |x: &SqlIndex| {
        b.indexes.iter().any(|y| y.name == x.name && y.unique == x.unique && y.parts == x.parts)
    };
    a.columns.len() == b.columns.len()
        && a.columns.iter().zip(&b.columns).all(column)
        && a.indexes.len() == b.indexes.len()
        && a.indexes.iter().all(index)
        && a.special == b.special
        && kept_by(a, b)
        && kept_by(b, a)
}

/// Rows of `b` keep the checks of `a`.
fn kept_by(a: &TableMeta, b: &TableMeta) -> bool {
    let has = |c: &CheckConstraint| b.checks.iter().any(|d| d.expr == c.expr && d.enforced);
    a.checks.iter().filter(|c| c.enforced).all(has)
}

/// 1737 for a row of `other` that does not belong to leaf `at`.
async fn check_rows(
    old: &SqlTable,
    at: usize,
    other: &SqlTable,
    held: &Arc<weir_engine::HeldTables>,
    ctx: &StatementCtx<'_>,
) -> Result<(), SqlError> {
    let mut placement = Placement::new(old, Some(held.clone()), ctx)?;
    match placement.misplaced(at, &other.engine).await? {
        None => Ok(()),
        Some(_) => Err(error(
            errno::ER_ROW_DOES_NOT_MATCH_PARTITION,
            "Found a row that does not match the partition",
        )),
    }
}

/// What PARTITION BY and REMOVE PARTITIONING make of a definition; whether they were there.
pub fn repartition(
    old: &SqlTable,
    meta: &mut TableMeta,
    specs: &[AlterSpec],
    ctx: &mut StatementCtx<'_>,
) -> Result<bool, SqlError> {
    let mut changed = false;
    for spec in specs {
        match spec {
            AlterSpec::PartitionBy(by) => {
                if old.is_temporary() {
                    return Err(temporary());
                }
                let place = (old.schema(), old.name());
                meta.partitions = Some(partition::define(by, place, meta, ctx)?);
                changed = true;
            }
            AlterSpec::RemovePartitioning => {
                if old.meta.partitions.is_none() {
                    return Err(error(
                        errno::ER_PARTITION_MGMT_ON_NONPARTITIONED,
                        "Partition management on a not partitioned table is not possible",
                    ));
                }
                changed = true;
            }
            _ => {}
        }
    }
    // An index of all columns of KEY () may have changed.
    if meta.partitions.as_ref().is_some_and(|p| p.function.implied) {
        let columns = partition::implied(meta)?;
        if let Some(by) = &mut meta.partitions {
            changed |= columns != by.function.columns;
            by.function.columns = columns;
        }
    }
    partition::check_table(meta)?;
    partition::check_again(meta)?;
    if meta.partitions.is_some() {
        ctx.reads.bind_rows(ctx.now_micros, old.name(), meta)?;
    }
    let references = ctx.reads.meta().references(ctx.reads.db());
    if meta.partitions.is_some() && !references.to(old.schema(), old.name()).is_empty() {
        return Err(partition::no_foreign_keys());
    }
    Ok(changed)
}

/// 1562.
pub fn temporary() -> SqlError {
    error(errno::ER_PARTITION_NO_TEMPORARY, "Cannot create temporary table with partitions")
}
