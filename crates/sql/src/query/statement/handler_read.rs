//! HANDLER ... READ: the answer around its rows.

use crate::query::exec::Runner;
use crate::query::exec::destination::Out;
use crate::query::exec::out::Client;
use crate::query::plan::handler_read::HandlerRead;
use crate::query::plan::outcome::{Outcome, Run};
use crate::query::plan::told::announce;
use crate::session_api::{ColumnMeta, ResultSink};

/// What is wrong with a key is an error instead of a header.
pub async fn run(
    r: &mut Runner<'_, '_>,
    read: &HandlerRead,
    columns: &[ColumnMeta],
    sink: &mut dyn ResultSink,
) -> Run<Outcome> {
    let walk = r.walk_of(read)?;
    announce(columns, r.reads.settings, sink)?;
    let (results, tz, most) = (r.reads.settings.results, r.ev.cx.tz, r.ev.cx.max_packet);
    let client = Client::new(sink, &read.query.columns, results, tz, most);
    r.read_handler(read, walk, &mut Out::Client(client)).await?;
    // It says nothing of how many rows there are: FOUND_ROWS() stays as it is.
    let found_rows = r.reads.session.found_rows();
    Ok(Outcome { found_rows, sent_rows: true, ..Outcome::default() })
}
