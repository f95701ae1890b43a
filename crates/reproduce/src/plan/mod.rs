//! What is run: a server's options, a load, a number of users, a size. Data only; uses those of `machine`.

mod run;
mod size;

pub use run::{Load, Plan};
pub use size::Size;
