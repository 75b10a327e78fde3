//! Columns of text; sizes, shapes and ratios for people.

/// A table whose columns are as wide as their widest cell. The last cell of a row may reach over the columns behind it.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The lines, with two blanks between columns and none at the ends.
    pub fn lines(&self) -> Vec<String> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        let width = |n: usize| {
            let rows = self.rows.iter().filter(|row| row.len() > n + 1);
            let cells = rows.filter_map(|row| row.get(n));
            cells
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or_default()
        };
        let widths: Vec<_> = (0..columns).map(width).collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths);
            let cells: Vec<_> = cells
                .map(|(cell, width)| format!("{cell:width$}"))
                .collect();
            cells.join("  ").trim_end().to_owned()
        };
        self.rows.iter().map(line).collect()
    }
}

/// `12x3`; `scalar` for no dimensions.
pub(crate) fn shape(lengths: &[u64]) -> String {
    if lengths.is_empty() {
        return "scalar".to_owned();
    }
    let lengths: Vec<_> = lengths.iter().map(u64::to_string).collect();
    lengths.join("x")
}

/// `17 B`, `1.5 kB`, `2.0 GB`: three digits at most and decimal units.
#[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
pub(crate) fn size(bytes: u64) -> String {
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut number = bytes as f64 / 1000.0;
    let mut units = ["kB", "MB", "GB", "TB", "PB", "EB"].into_iter();
    let mut unit = units.next().unwrap_or_default();
    for next in units {
        if number < 999.5 {
            break;
        }
        number /= 1000.0;
        unit = next;
    }
    match number < 9.95 {
        true => format!("{number:.1} {unit}"),
        false => format!("{number:.0} {unit}"),
    }
}

/// How many times smaller what is stored is: `3.2`, or `-` where nothing is stored or raw bytes are not known.
#[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
pub(crate) fn ratio(raw: Option<u64>, stored: u64) -> String {
    match raw {
        Some(raw) if stored > 0 => format!("{:.1}", raw as f64 / stored as f64),
        Some(_) | None => "-".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::default();
        table.row(["a".into(), "bcd".into(), String::new()]);
        table.row(["äöü".into(), "b".into(), "c".into()]);
        table.row(["abc".into(), "a word on something".into()]);
        let lines = ["a    bcd", "äöü  b    c", "abc  a word on something"];
        assert_eq!(table.lines(), lines);
    }

    #[test]
    fn sizes_for_people() {
        for (bytes, text) in [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.0 kB"),
            (9949, "9.9 kB"),
            (9951, "10 kB"),
            (999_499, "999 kB"),
            (999_500, "1.0 MB"),
            (u64::MAX, "18 EB"),
        ] {
            assert_eq!(size(bytes), text);
        }
        assert_eq!(shape(&[]), "scalar");
        assert_eq!(shape(&[3, 4]), "3x4");
        assert_eq!(ratio(Some(32), 10), "3.2");
        assert_eq!(ratio(None, 10), "-");
        assert_eq!(ratio(Some(1), 0), "-");
    }
}
