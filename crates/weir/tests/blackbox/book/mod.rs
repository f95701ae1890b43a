//! The book (`docs/book`) as a reader would try it: its SQL runs on a server and gives what is printed under it, the options of its
//! commands are those of the command line, and the page of commands is what `--help` says.
//!
//! `WEIR_WRITE_DOCS=1` writes the page of commands again, and the outputs under statements that have one.

mod commands;
mod pages;
mod sql;
