//! SUBPARTITION BY: how many subpartitions each partition has, how they are called, and what MySQL takes of them where.

use super::partition;
use crate::context::StatementCtx;
use crate::errno;
use crate::meta::Partitioning;
use crate::meta::partition::{Given, Method, Partition, Values};
use crate::session_api::SqlError;
use weir_syntax::ast::{PartitionBy, PartitionDef};

fn error(number: u16, text: impl Into<String>) -> SqlError {
    SqlError::new(number, text)
}

fn wrong_number() -> SqlError {
    error(
        errno::ER_PARTITION_WRONG_NO_SUBPART_ERROR,
        "Wrong number of subpartitions defined, mismatch with previous setting",
    )
}

/// 1500.
fn mixed() -> SqlError {
    error(
        errno::ER_SUBPARTITION_ERROR,
        "It is only possible to mix RANGE/LIST partitioning with HASH/KEY partitioning for subpartitioning",
    )
}

/// How many subpartitions each partition of a list defines; 0: it leaves them to what is known otherwise. 1485: not all do alike.
fn listed(defs: &[PartitionDef]) -> Result<usize, SqlError> {
    let first = defs.first().map_or(0, |p| p.subpartitions.len());
    match defs.iter().all(|p| p.subpartitions.len() == first) {
        true => Ok(first),
        false => Err(wrong_number()),
    }
}

/// How many subpartitions each partition is given, and how.
pub fn count(by: &PartitionBy) -> Result<(u64, Given), SqlError> {
    match (listed(&by.partitions)? as u64, by.sub_count) {
        (0, None) => Ok((1, Given::Nothing)),
        (0, Some(n)) => Ok((n, Given::Number)),
        (listed, Some(n)) if listed != n => Err(wrong_number()),
        (listed, _) => Ok((listed, Given::Names)),
    }
}

/// 1500 where subpartitions are defined of partitions that have none.
pub fn check_mixed(by: &PartitionBy, method: Method) -> Result<(), SqlError> {
    let wrong = match by.sub_method {
        Some(_) => method.is_hash(),
        None => by.partitions.iter().any(|p| !p.subpartitions.is_empty()),
    };
    if wrong { Err(mixed()) } else { Ok(()) }
}

/// The subpartitions of a partition, by their definitions, if there are some. What they do not say of themselves their partition says.
pub fn of(
    part: &Partition,
    count: usize,
    defs: &[PartitionDef],
    place: (&str, &str),
    ctx: &mut StatementCtx<'_>,
) -> Result<Vec<Partition>, SqlError> {
    let called = |name: String| Partition { name, values: Values::None, ..part.clone() };
    let mut out = Vec::with_capacity(count);
    if defs.is_empty() {
        for n in 0..count {
            let name = format!("{}sp{n}", part.name);
            super::refused::check_length(&name)?;
            out.push(called(name));
        }
    }
    for def in defs {
        let mut sub = called(partition::checked_name(&def.name)?);
        partition::options(&mut sub, &def.options, place, ctx)?;
        out.push(sub);
    }
    Ok(out)
}

/// What partitions that come to those of `now` may say of their subpartitions: as many as the others have, otherwise `number`. From
/// where they are named on, SHOW CREATE TABLE names all. Their number is looked at before each gets its own.
pub fn check_more(
    now: &mut Partitioning,
    defs: &[PartitionDef],
    number: fn() -> SqlError,
) -> Result<(), SqlError> {
    partition::check_number(defs.len().saturating_mul(now.per_part()) as u64)?;
    let listed = listed(defs)?;
    if listed == 0 {
        return Ok(());
    }
    let sub = now.sub.as_mut().ok_or_else(mixed)?;
    if listed != sub.count {
        return Err(number());
    }
    sub.given = Given::Names;
    Ok(())
}

/// Of ADD PARTITION.
pub fn wrong_added() -> SqlError {
    error(
        errno::ER_ADD_PARTITION_SUBPART_ERROR,
        "Trying to Add partition(s) with wrong number of subpartitions",
    )
}

/// Of REORGANIZE PARTITION.
pub fn wrong_reorganized() -> SqlError {
    wrong_number()
}
