//! Files for rows that have no room in memory: one place that opens them, so that all are counted and under the same quota.

use crate::context::Reads;
use crate::query::plan::outcome::Run;
use crate::status::Stat;
use crate::vars::Var;
use weir_engine::Scratch;

/// A file without a name that ends with its owner. A write beyond `weir_temp_limit` is error 1114, as on a full device.
pub async fn temp_file(reads: Reads<'_>) -> Run<Scratch> {
    reads.work.inc(Stat::Created_tmp_files);
    let quota = match reads.shared.vars.u64(Var::weir_temp_limit) {
        0 => u64::MAX,
        bytes => bytes,
    };
    Ok(reads.shared.db.scratch(quota).await?)
}

/// The same for rows that stand for a table.
pub async fn temp_table(reads: Reads<'_>) -> Run<Scratch> {
    reads.work.inc(Stat::Created_tmp_disk_tables);
    temp_file(reads).await
}
