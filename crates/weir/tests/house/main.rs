//! The house as its own code describes it: which room uses which (`floors`), how long, how safe and how finished the code in
//! them is (`tidy`), where rows are written (`writes`), waits are (`waiting`), futures are compiled (`borders`), types are listed (`types`), statements are listed (`statements`), errors are raised (`errors`) and functions are named (`functions`), how small the interface for programs is (`interface`), which words comments do without (`words`), what is asserted (`assertions`), and whether what the documents name is there
//! (`documents`, for the packages `packaging`, for the book and all links `book`). Nothing is built or run here; the sources are read as text.

mod assertions;
mod book;
mod borders;
mod documents;
mod errors;
mod floors;
mod functions;
mod interface;
mod packaging;
mod source;
mod statements;
mod tidy;
mod types;
mod waiting;
mod words;
mod writes;
