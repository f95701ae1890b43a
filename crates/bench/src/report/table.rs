//! Tables as the published results have them: pipes, a line under the heading, figures to the right.

/// A table being made.
#[derive(Clone, Debug, Default)]
pub struct Table {
    heading: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new<S: Into<String>>(heading: impl IntoIterator<Item = S>) -> Table {
        Table { heading: heading.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        let mut cells: Vec<String> = cells.into_iter().map(Into::into).collect();
        cells.resize(self.heading.len(), String::new());
        self.rows.push(cells);
    }

    pub fn html(&self) -> String {
        let row = |cells: &[String], tag: &str| {
            let cells = cells.iter().map(|t| format!("<{tag}>{}</{tag}>", super::svg::escape(t)));
            format!("<tr>{}</tr>", cells.collect::<String>())
        };
        let rows = self.rows.iter().map(|r| row(r, "td"));
        format!("<table>{}{}</table>", row(&self.heading, "th"), rows.collect::<String>())
    }

    /// With a line break at its end.
    pub fn text(&self) -> String {
        let width = |c: usize| {
            let cells = self.rows.iter().map(|r| &r[c]).chain([&self.heading[c]]);
            cells.map(|t| t.chars().count()).max().unwrap_or(0).max(3)
        };
        let widths: Vec<usize> = (0..self.heading.len()).map(width).collect();
        let line = |cells: &[String]| {
            let padded = cells.iter().zip(&widths).enumerate().map(|(i, (t, w))| {
                if i == 0 { format!(" {t:<w$} ") } else { format!(" {t:>w$} ") }
            });
            format!("|{}|\n", padded.collect::<Vec<_>>().join("|"))
        };
        let mut out = line(&self.heading);
        let rule = widths.iter().enumerate().map(|(i, w)| match i {
            0 => format!(":{}", "-".repeat(w + 1)),
            _ => format!("{}:", "-".repeat(w + 1)),
        });
        out.push_str(&format!("|{}|\n", rule.collect::<Vec<_>>().join("|")));
        self.rows.iter().for_each(|r| out.push_str(&line(r)));
        out
    }
}

/// A figure that may be missing.
pub fn number(v: Option<f64>, decimals: usize) -> String {
    v.map_or("-".into(), |v| format!("{v:.decimals$}"))
}

pub fn percent(v: Option<f64>) -> String {
    v.map_or("-".into(), |v| format!("{v:.1}%"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut t = Table::new(["Binary", "TpmC"]);
        t.row(["v4-5037", "3386"]);
        t.row(["x"]);
        let want =
            "| Binary  | TpmC |\n|:--------|-----:|\n| v4-5037 | 3386 |\n| x       |      |\n";
        assert_eq!(t.text(), want);
        assert_eq!((number(None, 1), percent(Some(26.04))), ("-".into(), "26.0%".into()));
    }
}
