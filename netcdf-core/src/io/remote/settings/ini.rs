//! Files of sections, as Amazon's tools write them: `[name]`, then `key = value`. Lines after a `#` or `;` at their start are comments,
//! lines that begin with blanks belong to a value before them, and are of no use here.

use std::collections::BTreeMap;

/// Sections by their names, each with values by their keys, in lower case.
#[derive(Debug, Default)]
pub struct Ini(BTreeMap<String, BTreeMap<String, String>>);

impl Ini {
    /// The sections of a text. What is no section and no value is left out.
    pub fn parse(text: &str) -> Self {
        let mut sections = BTreeMap::new();
        let mut section: Option<&mut BTreeMap<String, String>> = None;
        for line in text.lines() {
            if line.starts_with(['#', ';', ' ', '\t']) {
                continue;
            }
            let line = line.trim_end();
            if let Some(name) = line.strip_prefix('[').and_then(|l| l.split(']').next()) {
                section = Some(sections.entry(words(name)).or_default());
            } else if let (Some(values), Some((key, value))) = (&mut section, line.split_once('='))
            {
                let key = key.trim().to_ascii_lowercase();
                values.insert(key, without_comment(value).trim().to_owned());
            }
        }
        Self(sections)
    }

    /// Whether there is such a section.
    pub fn has(&self, section: &str) -> bool {
        self.0.contains_key(section)
    }

    /// A value that is not empty.
    pub fn get(&self, section: &str, key: &str) -> Option<&str> {
        let value = self.0.get(section)?.get(key)?;
        (!value.is_empty()).then_some(value.as_str())
    }
}

/// A name with one blank between its words, and without quotes.
fn words(name: &str) -> String {
    let name = name.replace(['"', '\''], "");
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A value without the comment that follows a blank.
fn without_comment(value: &str) -> &str {
    let ends = [" #", " ;", "\t#", "\t;"];
    let end = ends.iter().filter_map(|mark| value.find(mark)).min();
    end.and_then(|end| value.get(..end)).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_and_values() {
        let ini = Ini::parse(
            "lost = 1\n[default]\nA=1\n# b = 2\nc = x=y ; more\n  nested = 3\n\n[profile  \"some name\"]\nd =\n[default]\ne=5\nbroken\n",
        );
        let get = |section, key| ini.get(section, key);
        assert_eq!(get("default", "a"), Some("1"));
        assert_eq!(get("default", "b"), None);
        assert_eq!(get("default", "c"), Some("x=y"));
        assert_eq!(get("default", "nested"), None);
        assert_eq!(get("default", "e"), Some("5"));
        assert!(ini.has("profile some name") && !ini.has("profile"));
        assert_eq!(get("profile some name", "d"), None);
    }
}
