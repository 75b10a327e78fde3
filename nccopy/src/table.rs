//! Tables of text.

/// A table: columns as wide as they need, two blanks between them; those that `right` names are
/// flush right. Lines have no blanks at their end.
#[must_use]
pub fn table(rows: &[Vec<String>], right: &[usize]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let len = |row: &Vec<String>, n: usize| row.get(n).map_or(0, |c| c.chars().count());
    let width = |n| rows.iter().map(|row| len(row, n)).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for (n, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            if n > 0 {
                line.push_str("  ");
            }
            let blanks = " ".repeat(width - cell.chars().count());
            if right.contains(&n) {
                line.push_str(&blanks);
                line.push_str(cell);
            } else {
                line.push_str(cell);
                line.push_str(&blanks);
            }
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// Text for a terminal: names in files are anything.
#[must_use]
pub fn printable(text: &str) -> String {
    text.replace(|c: char| c.is_control(), "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_they_need() {
        let row = |cells: &[&str]| cells.iter().map(|&c| c.to_owned()).collect::<Vec<_>>();
        let rows = [row(&["a", "1", ""]), row(&["größe", "100", "x"])];
        assert_eq!(table(&rows, &[1]), "a        1\ngröße  100  x\n");
        assert_eq!(table(&[], &[]), "");
    }
}
