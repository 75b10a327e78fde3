//! The keys of chunks.

use crate::json::Json;

/// The chunk key encoding of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkKeys {
    /// The prefix: `c` in the default encoding of version 3.
    pub lead: Option<char>,
    /// The separator between the numbers.
    pub separator: char,
}

impl ChunkKeys {
    /// Returns the encoding of version 2: `0.1`, or `0/1` if the array metadata has this separator.
    #[must_use]
    pub fn v2(separator: Option<&Json>) -> Self {
        // Other separators are reported as a problem of the array.
        let slash = separator.and_then(Json::as_str) == Some("/");
        Self {
            lead: None,
            separator: if slash { '/' } else { '.' },
        }
    }

    /// Returns the encoding of version 3: `c/0/1`, `c.0.1`, or the encoding of version 2. Returns `None` for unknown encodings.
    #[must_use]
    pub fn v3(encoding: &Json) -> Option<Self> {
        let name = encoding
            .as_str()
            .or_else(|| encoding.get("name")?.as_str())?;
        let configured = encoding.get("configuration");
        let separator = configured.and_then(|c| c.get("separator")?.as_str());
        let (lead, usual) = match name {
            "default" => (Some('c'), '/'),
            "v2" => (None, '.'),
            _ => return None,
        };
        let separator = match separator {
            None => usual,
            Some("/") => '/',
            Some(".") => '.',
            Some(_) => return None,
        };
        Some(Self { lead, separator })
    }

    /// Returns the chunk key, relative to the array.
    #[must_use]
    pub fn key(&self, place: &[u64]) -> String {
        let mut key: String = self.lead.iter().collect();
        for (n, at) in place.iter().enumerate() {
            if n > 0 || self.lead.is_some() {
                key.push(self.separator);
            }
            key.push_str(&at.to_string());
        }
        if key.is_empty() { "0".to_owned() } else { key }
    }

    /// Returns the row-major index of the chunk with this key in a grid, or `None` if the text is not a chunk key.
    #[must_use]
    pub fn index(&self, key: &str, grid: &[u64]) -> Option<u64> {
        if grid.is_empty() {
            return (key == self.key(&[])).then_some(0);
        }
        let mut rest = key;
        if let Some(lead) = self.lead {
            rest = rest.strip_prefix(lead)?.strip_prefix(self.separator)?;
        }
        let mut parts = rest.split(self.separator);
        let mut index = 0u64;
        for &cells in grid {
            let part = parts.next()?;
            let plain = part == "0" || !part.starts_with('0');
            let digits = plain && part.bytes().all(|b| b.is_ascii_digit());
            let at: u64 = part.parse().ok().filter(|&at| digits && at < cells)?;
            index = index.checked_mul(cells)?.checked_add(at)?;
        }
        parts.next().is_none().then_some(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_lead_back() {
        let grid = [3, 12];
        let v3 = |text: &str| ChunkKeys::v3(&Json::parse(text.as_bytes()).unwrap()).unwrap();
        for (keys, text) in [
            (ChunkKeys::v2(None), "2.11"),
            (ChunkKeys::v2(Some(&Json::text("/"))), "2/11"),
            (v3("\"default\""), "c/2/11"),
            (
                v3(r#"{"name":"default","configuration":{"separator":"."}}"#),
                "c.2.11",
            ),
            (v3(r#"{"name":"v2"}"#), "2.11"),
        ] {
            assert_eq!(keys.key(&[2, 11]), text);
            assert_eq!(keys.index(text, &grid), Some(35), "{text}");
        }
        assert_eq!(ChunkKeys::v2(None).key(&[]), "0");
        assert_eq!(v3("\"default\"").key(&[]), "c");
        assert_eq!(v3("\"default\"").index("c", &[]), Some(0));
    }

    #[test]
    fn other_keys_are_none() {
        let keys = ChunkKeys::v2(None);
        for text in [
            "", ".zarray", "3.0", "0.12", "00.1", "+1.0", "0", "0.0.0", "0/0",
        ] {
            assert_eq!(keys.index(text, &[3, 12]), None, "{text}");
        }
    }
}
