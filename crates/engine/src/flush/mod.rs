//! Flush decisions. `policy/` holds pure functions, one file a system; what they order is carried out by `cleaner`.

pub mod policy;
