//! The chunk numbers of an array in the parquet layout: row-major numbers, with keys such as `1.0.12`.

use crate::arithmetic::exact;
use crate::json::Json;
use crate::model::region::product;

/// The chunk grid of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ArrayGrid {
    cells: Vec<u64>,
}

impl ArrayGrid {
    /// Returns the grid of a `.zarray` object.
    pub(super) fn of(json: &Json) -> Option<Self> {
        let (shape, chunks) = (
            json.get("shape")?.lengths()?,
            json.get("chunks")?.lengths()?,
        );
        if shape.len() != chunks.len() {
            return None;
        }
        let lengths = shape.iter().zip(&chunks);
        let cells = lengths.map(|(len, chunk)| len.div_ceil((*chunk).max(1)));
        let cells: Vec<u64> = cells.collect();
        product(&cells)?;
        Some(Self { cells })
    }

    /// The number of chunks.
    pub(super) fn count(&self) -> u64 {
        product(&self.cells).unwrap_or(0)
    }

    /// Returns the number of a chunk by its key. A scalar has the key `0`.
    pub(super) fn number(&self, key: &str) -> Option<u64> {
        if self.cells.is_empty() {
            return (key == "0").then_some(0);
        }
        let mut number = exact(0u64);
        let mut parts = key.split('.');
        for cells in &self.cells {
            let part = parts.next()?;
            let at: u64 = part.parse().ok()?;
            // Only the usual spelling is a key: no sign, no leading zeros.
            if at >= *cells || at.to_string() != part {
                return None;
            }
            number = number * *cells + at;
        }
        parts.next().is_none().then(|| number.get().ok()).flatten()
    }

    /// Returns the key of a chunk.
    pub(super) fn key(&self, number: u64) -> String {
        let mut rest = number;
        let mut parts = vec![];
        for cells in self.cells.iter().rev() {
            let cells = (*cells).max(1);
            parts.push((rest % cells).to_string());
            rest /= cells;
        }
        parts.reverse();
        match parts.is_empty() {
            true => "0".to_owned(),
            false => parts.join("."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_numbers() {
        let json = Json::parse(br#"{"shape": [5, 7], "chunks": [2, 3]}"#).unwrap();
        let grid = ArrayGrid::of(&json).unwrap();
        assert_eq!(grid.count(), 9);
        for number in 0..9 {
            assert_eq!(grid.number(&grid.key(number)), Some(number));
        }
        assert_eq!(grid.key(5), "1.2");
        for wrong in [
            "", "0", "3.0", "0.3", "0.0.0", "00.1", "+1.0", "a.b", ".zarray",
        ] {
            assert_eq!(grid.number(wrong), None, "{wrong}");
        }
        let scalar = Json::parse(br#"{"shape": [], "chunks": []}"#).unwrap();
        let scalar = ArrayGrid::of(&scalar).unwrap();
        assert_eq!((scalar.count(), scalar.number("0")), (1, Some(0)));
        let huge = br#"{"shape": [9000000000000000000, 9], "chunks": [1, 1]}"#;
        assert_eq!(ArrayGrid::of(&Json::parse(huge).unwrap()), None);
    }
}
