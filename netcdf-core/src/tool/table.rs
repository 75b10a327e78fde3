//! Text tables.

use crate::shown::ShownText;

/// A table with columns as wide as their widest cell, separated by two blanks. Cells may contain text from files.
#[derive(Debug, Default)]
pub struct TextTable {
    rows: Vec<Vec<String>>,
    right: Vec<usize>,
}

impl TextTable {
    /// Creates a table with these columns aligned right.
    #[must_use]
    pub fn flush_right(columns: &[usize]) -> Self {
        Self {
            rows: vec![],
            right: columns.to_vec(),
        }
    }

    /// Adds a row. The last cell may extend over the following columns.
    pub fn row<S: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = S>) {
        let cells = cells.into_iter();
        let shown = cells.map(|cell| ShownText::new(cell.as_ref()).to_string());
        self.rows.push(shown.collect());
    }

    /// Returns the table with more rows.
    #[must_use]
    pub fn with(mut self, rows: impl IntoIterator<Item = Vec<String>>) -> Self {
        rows.into_iter().for_each(|row| self.row(row));
        self
    }

    /// Returns the lines without trailing blanks.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut widths = vec![0; columns];
        for row in &self.rows {
            for (n, (width, cell)) in widths.iter_mut().zip(row).enumerate() {
                // The last cell of a shorter row extends over the following columns.
                let reaches = n + 1 == row.len() && row.len() < columns;
                if !reaches || self.right.contains(&n) {
                    *width = cell.chars().count().max(*width);
                }
            }
        }
        self.rows
            .iter()
            .map(|row| self.line(row, &widths))
            .collect()
    }

    fn line(&self, row: &[String], widths: &[usize]) -> String {
        let mut line = String::new();
        for (n, (cell, width)) in row.iter().zip(widths).enumerate() {
            if n > 0 {
                line.push_str("  ");
            }
            match self.right.contains(&n) {
                true => line.push_str(&right(cell, *width)),
                false => line.push_str(&left(cell, *width)),
            }
        }
        line.truncate(line.trim_end().len());
        line
    }

    /// Returns the lines, each with a line end.
    #[must_use]
    pub fn text(&self) -> String {
        self.lines().into_iter().map(|line| line + "\n").collect()
    }
}

/// Pads `text` with blanks on the right to `width` characters. Formatting (`{text:width$}`) panics beyond 65,535.
#[must_use]
pub fn left(text: &str, width: usize) -> String {
    format!("{text}{}", blanks(text, width))
}

/// Pads `text` with blanks on the left to `width` characters.
#[must_use]
pub fn right(text: &str, width: usize) -> String {
    format!("{}{text}", blanks(text, width))
}

fn blanks(text: &str, width: usize) -> String {
    " ".repeat(width.saturating_sub(text.chars().count()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut table = TextTable::default();
        table.row(["a", "bcd", ""]);
        table.row(["äöü", "b", "c"]);
        table.row(["abc", "a word on something"]);
        let lines = ["a    bcd", "äöü  b    c", "abc  a word on something"];
        assert_eq!(table.lines(), lines);
        let mut table = TextTable::flush_right(&[1]);
        table.row(["a", "1", ""]);
        table.row(["größe", "100", "x"]);
        assert_eq!(table.text(), "a        1\ngröße  100  x\n");
        assert_eq!(TextTable::default().text(), "");
    }

    /// Checks widths above the 16-bit limit of format widths.
    #[test]
    fn columns_are_as_wide_as_they_need() {
        let wide = "x".repeat(70_000);
        let mut table = TextTable::default();
        table.row([&wide, "1"]);
        table.row(["y", "2"]);
        let lines = table.lines();
        assert_eq!(lines[0], format!("{wide}  1"));
        assert_eq!(lines[1].len(), 70_003);
        assert_eq!(right("ab", 70_000).len(), 70_000);
    }

    #[test]
    fn cells_are_text() {
        let mut table = TextTable::default();
        table.row(["a\n\x1b[2J", "b"]);
        assert_eq!(table.lines(), ["a\\n\\x1b[2J  b"]);
    }
}
