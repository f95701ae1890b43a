//! Stored programs at work: procedures, functions, triggers.
//!
//! `code` is a program that was read, with what is kept of its plans; `machine` runs its instructions, `frame` is one program on
//! the way with its variables, cursors and handlers, `inner` is what runs inside of a statement, `triggers` what rows set off, `conditions` is SIGNAL, RESIGNAL and GET DIAGNOSTICS. Whoever has the machine
//! run is its [`Host`]: the session for CALL, the executor for what a statement calls. May use the rest of `query`; knows no sessions.
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
pub(in crate::query) mod triggers;

pub use code::{Code, definer, does_not_exist, env, load, of_object, schema_collation};
pub use conditions::{get_diagnostics, no_stacked, signalled};
pub use frame::condition_of;
pub use host::{Done, Fault, Host, What};
pub use inner::Inside;
pub(in crate::query) use inner::call_function;
pub use machine::{Machine, OutTarget, check_count, not_a_variable};
pub use triggers::check as check_trigger;
