//! What planning needs.

use super::watched::WatchList;
use crate::context::{Reads, UserVars};
use crate::value::{TypeInfo, Value};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use weir_syntax::parse::NormalizedLiteral;

/// What planning needs beside the session's surroundings.
pub struct PlanEnv<'a> {
    pub reads: Reads<'a>,
    pub user_vars: &'a UserVars,
    /// Values of the first execution, where known: hints for types and estimates, nothing more.
    pub params: &'a [Value<'static>],
    /// Of a text whose literals became parameters: what they were.
    pub literals: &'a [NormalizedLiteral],
    /// The plan is for these values only: parameters have the types of their values.
    pub typed_params: bool,
    /// Of a statement in a stored program: the types of its variables, which are its parameters.
    pub locals: &'a [TypeInfo],
    /// The rows of a query are wanted as values: [`Outcome::rows`].
    pub collects: bool,
    /// Set where the plan would be a bad one with other values, so that it is made again for them.
    pub by_values: AtomicBool,
    /// Searches that may be of another width with other values.
    pub watched: WatchList,
}

impl<'a> PlanEnv<'a> {
    pub fn new(
        reads: Reads<'a>,
        user_vars: &'a UserVars,
        params: &'a [Value<'static>],
    ) -> PlanEnv<'a> {
        PlanEnv {
            reads,
            user_vars,
            params,
            literals: &[],
            typed_params: false,
            locals: &[],
            collects: false,
            by_values: AtomicBool::new(false),
            watched: WatchList::default(),
        }
    }

    /// The plan is one for these values alone.
    pub fn choose_by_values(&self) {
        self.by_values.store(true, Relaxed);
    }

    pub fn is_by_values(&self) -> bool {
        self.by_values.load(Relaxed)
    }
}
