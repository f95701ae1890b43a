//! The house as its own code describes it: which room uses which (`floors`), and how long, how safe and how finished the
//! code in them is (`tidy`). Nothing is built or run here; the sources are read as text.

mod floors;
mod source;
mod tidy;
