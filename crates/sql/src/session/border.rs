//! The calls by which a session is driven, as its drivers see them: boxed futures, and calls that wait on the caller's thread.
//!
//! The future of an `async fn` is compiled in each optimised crate that awaits it, with the futures of the executor and the engine inside.
//! Behind this border they are compiled once. The server's hot calls end in `_here`: they save the allocation, too.

use super::Session;
use crate::session_api::{ParamValue, QueryEnd, ResultSink, SqlError};
use std::pin::pin;
use weir_rt::{Boxed, Rt};

impl Session {
    /// Executes one statement from the front of `sql`.
    pub fn query<'a>(
        &'a mut self,
        sql: &'a [u8],
        sink: &'a mut dyn ResultSink,
    ) -> Boxed<'a, QueryEnd> {
        Box::pin(async move {
            if let Some(end) = self.run_point_sent(sql, sink) {
                return end;
            }
            if let Some(mut written) = self.write_point_sent(sql) {
                if let Some(owed) = written.owed.take() {
                    written.settled(self.settle_one(owed).await);
                }
                return self.answer_sent_write(written, sink);
            }
            self.query_front(sql, sink).await
        })
    }

    /// The same for what the call before has left of its text: that is not converted once more for each of its statements.
    pub fn query_rest<'a>(
        &'a mut self,
        sql: &'a [u8],
        sink: &'a mut dyn ResultSink,
    ) -> Boxed<'a, QueryEnd> {
        Box::pin(self.query_front_rest(sql, sink))
    }

    /// Executes a prepared statement.
    pub fn execute<'a>(
        &'a mut self,
        id: u32,
        params: &'a [ParamValue],
        sink: &'a mut dyn ResultSink,
    ) -> Boxed<'a, Result<(), SqlError>> {
        Box::pin(async move {
            if let Some(done) = self.run_point_prepared(id, params, sink) {
                return done;
            }
            if let Some(mut written) = self.write_point_prepared(id, params) {
                if let Some(owed) = written.owed.take() {
                    written.settled(self.settle_one(owed).await);
                }
                return self.answer_write(written, sink);
            }
            self.run_execute(id, params, sink).await
        })
    }

    /// Waits until the statement's commit is as durable as was asked. An error stands in the place of the answer.
    pub fn settle(&mut self) -> Boxed<'_, Result<(), SqlError>> {
        Box::pin(self.run_settle())
    }

    // A statement's future is some 9 KiB. It is pinned where it is made, because `block_on` would copy all of it.

    /// As [`Session::query`], on this thread.
    pub fn query_here(&mut self, rt: &Rt, sql: &[u8], sink: &mut dyn ResultSink) -> QueryEnd {
        if let Some(end) = self.run_point_sent(sql, sink) {
            return end;
        }
        if let Some(mut written) = self.write_point_sent(sql) {
            if let Some(owed) = written.owed.take() {
                written.settled(rt.block_on(pin!(self.settle_one(owed))));
            }
            return self.answer_sent_write(written, sink);
        }
        rt.block_on(pin!(self.query_front(sql, sink)))
    }

    /// As [`Session::query_rest`], on this thread.
    pub fn query_rest_here(&mut self, rt: &Rt, sql: &[u8], sink: &mut dyn ResultSink) -> QueryEnd {
        rt.block_on(pin!(self.query_front_rest(sql, sink)))
    }

    /// As [`Session::execute`], on this thread.
    pub fn execute_here(
        &mut self,
        rt: &Rt,
        id: u32,
        params: &[ParamValue],
        sink: &mut dyn ResultSink,
    ) -> Result<(), SqlError> {
        if let Some(done) = self.run_point_prepared(id, params, sink) {
            return done;
        }
        if let Some(mut written) = self.write_point_prepared(id, params) {
            if let Some(owed) = written.owed.take() {
                written.settled(rt.block_on(pin!(self.settle_one(owed))));
            }
            return self.answer_write(written, sink);
        }
        rt.block_on(pin!(self.run_execute(id, params, sink)))
    }

    /// Whether [`Session::execute_now`] is worth a try.
    pub fn may_execute_now(&self, id: u32) -> bool {
        self.prepared
            .get(&id)
            .and_then(|p| p.plan.as_ref())
            .is_some_and(|plan| plan.point().is_some())
    }

    /// Executes a prepared SELECT by a key, where that waits for nothing. `None`: nothing was done or counted; the sink may have columns, and rows
    /// that were taken back.
    pub fn execute_now(
        &mut self,
        id: u32,
        params: &[ParamValue],
        sink: &mut dyn ResultSink,
    ) -> Option<Result<(), SqlError>> {
        self.run_point_prepared(id, params, sink)
    }

    /// As [`Session::settle`], on this thread.
    pub fn settle_here(&mut self, rt: &Rt) -> Result<(), SqlError> {
        rt.block_on(pin!(self.run_settle()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Plan;
    use std::sync::Arc;

    type Sink = &'static mut dyn ResultSink;

    /// Bytes of the future that a call would give.
    fn size<F: Future>(_: impl FnOnce(&'static mut Session, Sink) -> F) -> usize {
        size_of::<F>()
    }

    fn none<T: ?Sized>() -> &'static T {
        unreachable!("no future is made")
    }

    /// What a statement passes through is moved when it is made and when it is pinned, and each byte of it is copied then: what few statements
    /// need stands in a box.
    #[test]
    fn hot_futures_are_small() {
        const MOST: usize = 8 * 1024 + 512;
        let plan = || None::<Arc<Plan>>;
        let sizes = [
            ("query_front", size(|s, sink| s.query_front(&[], sink)), MOST),
            ("run_execute", size(|s, sink| s.run_execute(0, &[], sink)), MOST),
            ("execute_inner", size(|s, sink| s.execute_inner(0, &[], sink)), MOST),
            (
                "execute_values",
                size(|s, sink| s.execute_values(0, none(), plan(), &[], sink)),
                MOST,
            ),
            ("run_plan", size(|s, sink| s.run_plan(none(), &[], sink)), MOST - 512),
        ];
        for (name, bytes, most) in sizes {
            assert!(bytes <= most, "the future of {name} has {bytes} bytes");
        }
    }
}
