//! EXPLAIN at work: its lines to the client, and EXPLAIN ANALYZE, which runs the query before it tells of it.

use crate::query::exec::Runner;
use crate::query::exec::destination::Out;
use crate::query::exec::out::Client;
use crate::query::explain::text;
use crate::query::explain::text::Ran;
use crate::query::plan::outcome::{Outcome, Run};
use crate::query::plan::profile::Branch;
use crate::query::plan::{Line, QueryPlan};
use crate::session_api::{ColumnMeta, OkInfo, OutValue, ResultSink, SinkError};
use crate::value::{Collation, Value};

pub fn send(rows: &[Line], results: Option<Collation>, sink: &mut dyn ResultSink) -> Run<()> {
    let client = |v: &Value<'static>| match (v, results) {
        (Value::Str(..), Some(to)) => {
            v.to_text_in(to).map(|b| to.charset().own_bytes(&b).into_owned())
        }
        _ => None,
    };
    for row in rows {
        let texts: Vec<Option<Vec<u8>>> = row.iter().map(client).collect();
        let digits = |v: &Value<'static>| match v {
            // The share of rows that a condition leaves.
            Value::Double(x) => format!("{x:.2}").into_bytes(),
            _ => Vec::new(),
        };
        let shares: Vec<Vec<u8>> = row.iter().map(digits).collect();
        let out: Vec<OutValue<'_>> = (row.iter().zip(&texts).zip(&shares))
            .map(|((v, converted), share)| match (v, converted) {
                (_, Some(text)) => OutValue::Bytes(text),
                (Value::Int(n), _) => OutValue::Int(*n),
                (Value::Double(x), _) => OutValue::Shown(*x, share),
                (Value::Str(b, _) | Value::Bytes(b), _) => OutValue::Bytes(b),
                _ => OutValue::Null,
            })
            .collect();
        sink.row(&out)?;
    }
    Ok(())
}

/// Counts rows that nobody reads.
struct Counted(u64);

impl ResultSink for Counted {
    fn columns(&mut self, _: &[ColumnMeta]) -> Result<(), SinkError> {
        Ok(())
    }
    fn row(&mut self, _: &[OutValue<'_>]) -> Result<(), SinkError> {
        self.0 += 1;
        Ok(())
    }
    fn end_rows(&mut self, _: &OkInfo<'_>) -> Result<(), SinkError> {
        Ok(())
    }
    fn ok(&mut self, _: &OkInfo<'_>) -> Result<(), SinkError> {
        Ok(())
    }
}

/// EXPLAIN ANALYZE: the query runs, and its rows are counted.
pub async fn run(
    r: &mut Runner<'_, '_>,
    q: &QueryPlan,
    tree: &[Branch],
    columns: &[ColumnMeta],
    sink: &mut dyn ResultSink,
) -> Run<Outcome> {
    let began = r.ev.cx.session.clock_micros();
    let mut counted = Counted(0);
    let results = r.reads.settings.results;
    let (tz, largest) = (r.ev.cx.tz, r.ev.cx.max_packet);
    let mut out = Out::Client(Client::new(&mut counted, &q.columns, results, tz, largest));
    r.profile = Some(Box::default());
    let done = r.run_query(q, None, &mut out).await;
    let profile = r.profile.take().unwrap_or_default();
    done?;
    drop(out);
    let micros = r.ev.cx.session.clock_micros() - began;
    let ran = Ran { rows: counted.0, micros, profile: &profile };
    let shown = crate::query::explain::text::tree(tree, Some(&ran));
    crate::query::plan::told::announce(columns, r.reads.settings, sink)?;
    send(&[vec![text(shown)]], results, sink)?;
    Ok(Outcome { found_rows: 1, sent_rows: true, ..Outcome::default() })
}
