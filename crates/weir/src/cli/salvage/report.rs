//! What came of a salvage, as a text for anyone who has lost data: what is whole, what is lost, and where.

use std::fmt::Write as _;
use weir_engine::Table;
use weir_engine::salvage::{self, Losses};

/// Most lines about single rows of a table.
const ROWS: usize = 100;

/// A table's outcome.
#[derive(Default)]
pub struct Outcome {
    pub copied: u64,
    /// Rows with long columns that cannot be read, told by their keys and columns: left out, or copied without them.
    pub broken: Vec<String>,
    pub losses: Losses,
    /// Why the table could not be read at all.
    pub failed: Option<String>,
}

impl Outcome {
    pub fn is_whole(&self) -> bool {
        let l = &self.losses;
        self.failed.is_none()
            && self.broken.is_empty()
            && l.gaps.is_empty()
            && l.rows.is_empty()
            && l.doubtful == 0
    }
}

/// The lines about a table.
pub fn table(t: &Table, o: &Outcome, lossy: bool) -> String {
    let mut out = format!("{}.{}: ", t.def.schema, t.def.name);
    if let Some(why) = &o.failed {
        let _ = writeln!(out, "NOT READ: {why}");
        return out;
    }
    let copied = o.copied;
    let _ = match o.is_whole() {
        true => writeln!(out, "{copied} rows, all that there are"),
        false => writeln!(out, "{copied} rows copied; SOME ARE LOST OR DOUBTFUL"),
    };
    let file = t.space_file();
    let l = &o.losses;
    for (page, why) in &l.pages {
        let _ = writeln!(out, "  page {page} of '{file}': {why}");
    }
    for gap in &l.gaps {
        let keys = salvage::gap_text(t, gap);
        let _ = writeln!(out, "  lost with page {}: rows {keys}", gap.page);
    }
    match &l.missing {
        Some((index, n)) => {
            let _ = writeln!(out, "  index '{index}' has {n} entries of rows with these keys");
        }
        None if !l.gaps.is_empty() => {
            let expected = salvage::rows_expected(t);
            let _ = writeln!(
                out,
                "  how many rows these were is not known; at the last clean stop the table had about {expected}"
            );
        }
        None => {}
    }
    if l.doubtful > 0 {
        let _ = writeln!(
            out,
            "  {} of the rows copied come from pages that may not be in use any more",
            l.doubtful
        );
    }
    some(&mut out, "rows were left out, for their pages can be read but they cannot", &l.rows);
    let broken = match lossy {
        true => "rows were copied without columns that cannot be read",
        false => {
            "rows were left out for long columns that cannot be read (--lossy-blobs copies the rest of them)"
        }
    };
    some(&mut out, broken, &o.broken);
    out
}

fn some(out: &mut String, what: &str, rows: &[String]) {
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(out, "  {} {what}:", rows.len());
    for row in rows.iter().take(ROWS) {
        let _ = writeln!(out, "    {row}");
    }
    if rows.len() > ROWS {
        let _ = writeln!(out, "    and {} more", rows.len() - ROWS);
    }
}
