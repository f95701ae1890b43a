//! Stored programs at work: procedures, functions, triggers.
//!
//! A program that was read is [`Code`] (`plan::code`); `code` makes its plans and keeps them. `machine` runs its instructions, `frame` is one
//! program on the way with its variables, cursors and handlers, `conditions` is SIGNAL, RESIGNAL and GET DIAGNOSTICS. Anyone who has the machine
//! run is its [`Host`]: the session for CALL, and `inner` for what runs inside of a statement, functions and triggers, which the executor and
//! the writer of rows ask for by the trait that [`Stored`] is of; `own` is what these run beside queries. May use the rest of `query`; knows no
//! sessions.
//!
//! Invariants:
//! - A procedure that calls another one pushes a frame: calls do not nest on the stack.
//! - A plan or expression that is kept belongs to the program's own `sql_mode`, collation and schema, so all sessions share it.
//! - A condition that no handler takes ends the program, and is then raised at the call.

mod code;
mod conditions;
mod frame;
mod host;
mod inner;
mod machine;
mod own;

pub use crate::query::plan::code::{
    Code, check_count, does_not_exist, env, load, of_object, schema_collation,
};
pub use code::{check_trigger, definer};
pub use conditions::{get_diagnostics, no_stacked, signalled};
pub use frame::condition_of;
pub use host::{Done, Fault, Host, What};
pub use inner::Stored;
pub use machine::{Machine, OutTarget, not_a_variable};
