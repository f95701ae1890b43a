//! Texts side by side, each in a column of its own.

/// Space between two columns.
const GAP: usize = 3;

/// One column for each text, under its heading.
pub fn by_side(columns: &[(String, String)]) -> String {
    let lines: Vec<Vec<&str>> = columns
        .iter()
        .map(|(head, text)| {
            [head.as_str(), ""].into_iter().chain(text.trim_end().lines()).collect()
        })
        .collect();
    let width = |column: &[&str]| column.iter().map(|l| l.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = lines.iter().map(|c| width(c) + GAP).collect();
    let mut out = String::new();
    for n in 0..lines.iter().map(Vec::len).max().unwrap_or(0) {
        let mut row = String::new();
        for (column, width) in lines.iter().zip(&widths) {
            row.push_str(&format!("{:<width$}", column.get(n).unwrap_or(&"")));
        }
        out.push_str(row.trim_end());
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_side_by_side() {
        let columns = [
            ("a = 1".to_string(), "one\nlonger line\n".to_string()),
            ("a = 0".into(), "é\n\nx".into()),
        ];
        assert_eq!(
            by_side(&columns),
            "a = 1         a = 0\n\none           é\nlonger line\n              x\n"
        );
        assert_eq!(by_side(&[]), "");
    }
}
