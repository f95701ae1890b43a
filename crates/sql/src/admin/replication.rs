//! Statements about replicas and the binary log. The server carries them out ([`Replicas`]); without one there is no replica, and what would
//! make one is refused (1235). Statements about the binary log are answered as by a MySQL that was started with `--skip-log-bin`.

use crate::context::{StatementCtx, refused};
use crate::errno;
use crate::replication::{Note, Replicas};
use crate::session_api::SqlError;
use crate::show::replication::check_channel;
use std::sync::Arc;
use weir_syntax::ast::Replication;

/// The name of a channel as channels are known by.
pub fn channel_name(channel: Option<&[u8]>) -> Option<String> {
    channel.map(|c| String::from_utf8_lossy(c).to_lowercase())
}

pub async fn run(stmt: &Replication, cx: &mut StatementCtx<'_>) -> Result<(), SqlError> {
    let Some(replicas) = cx.reads.shared.replicas.get().cloned() else { return without(stmt) };
    for (number, text) in carry_out(stmt, &replicas).await? {
        cx.changes.warnings.note(number, || text);
    }
    Ok(())
}

async fn carry_out(
    stmt: &Replication,
    replicas: &Arc<dyn Replicas>,
) -> Result<Vec<Note>, SqlError> {
    match stmt {
        Replication::ChangeSource { options, channel } => {
            let channel = channel_name(channel.as_deref()).unwrap_or_default();
            replicas.change_source(&channel, options).await
        }
        Replication::ChangeFilter { filters, channel } => {
            let channel = channel_name(channel.as_deref());
            replicas.change_filter(channel.as_deref(), filters).await.map(|()| Vec::new())
        }
        Replication::Run(run) => {
            let channel = channel_name(run.channel.as_deref());
            match run.starts {
                true => replicas.start(channel.as_deref(), run).await,
                false => replicas.stop(channel.as_deref(), run).await,
            }
        }
        Replication::Group { .. } => Err(no_group()),
    }
}

fn no_group() -> SqlError {
    SqlError::of(errno::ER_GROUP_REPLICATION_CONFIGURATION, &[])
}

/// 1200.
pub fn not_configured() -> SqlError {
    SqlError::of(errno::ER_BAD_SLAVE, &[])
}

/// The same in a program that has a database without a server.
fn without(stmt: &Replication) -> Result<(), SqlError> {
    match stmt {
        Replication::ChangeSource { .. } => Err(refused(
            "CHANGE REPLICATION SOURCE: a database without a server cannot be a replica",
        )),
        Replication::ChangeFilter { channel, .. } => {
            if channel.as_ref().is_some_and(|c| !c.is_empty()) {
                return Err(SqlError::of(errno::ER_REPLICA_CONFIGURATION, &[]));
            }
            Err(refused(
                "CHANGE REPLICATION FILTER: a database without a server cannot be a replica",
            ))
        }
        Replication::Run(run) => {
            check_channel(run.channel.as_deref())?;
            // No thread of a replica runs.
            if run.starts { Err(not_configured()) } else { Ok(()) }
        }
        Replication::Group { .. } => Err(no_group()),
    }
}
