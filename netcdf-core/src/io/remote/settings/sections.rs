//! The grammar of AWS's `config` and `credentials`: sections of settings.
//!
//! Like AWS's own tools, the parser skips lines that are neither a section name nor a setting, and further indented lines of a setting.

use std::collections::BTreeMap;

/// The settings of a section; names are in lower case.
pub(super) type SettingsSection = BTreeMap<String, String>;

/// The settings of all sections with a wanted name. `None` without such a section.
#[must_use]
pub(super) fn section(text: &str, is_wanted: impl Fn(&str) -> bool) -> Option<SettingsSection> {
    let mut found = None;
    let mut is_inside = false;
    let mut setting = None;
    for line in text.lines() {
        let bare = line.trim_start();
        let indent = line.len() - bare.len();
        if bare.is_empty() || bare.starts_with(['#', ';']) {
            continue;
        }
        if setting.is_some_and(|outer| indent > outer) {
            continue;
        }
        if let Some(name) = header(bare) {
            setting = None;
            is_inside = is_wanted(name);
            if is_inside {
                found.get_or_insert_with(SettingsSection::new);
            }
        } else if let Some((key, value)) = bare.split_once('=') {
            setting = Some(indent);
            let inside = found.as_mut().filter(|_| is_inside);
            if let Some(section) = inside {
                section.insert(key.trim().to_lowercase(), without_comment(value).to_owned());
            }
        }
    }
    found
}

/// The profile in a section name of `config`: `default`, or the text after `profile`.
#[must_use]
pub(super) fn profile(section: &str) -> Option<&str> {
    let Some(rest) = section.strip_prefix("profile") else {
        return (section == "default").then_some(section);
    };
    let name = rest.starts_with(char::is_whitespace).then(|| rest.trim())?;
    let quoted = |mark| name.strip_prefix(mark)?.strip_suffix(mark);
    Some(quoted('"').or_else(|| quoted('\'')).unwrap_or(name))
}

fn header(line: &str) -> Option<&str> {
    let (name, _) = line.strip_prefix('[')?.split_once(']')?;
    Some(name.trim())
}

/// A value up to a comment, which begins with `#` or `;` after a space.
fn without_comment(value: &str) -> &str {
    let starts = |mark: &str| value.find(mark);
    let marks = [" #", " ;", "\t#", "\t;"];
    let end = marks.into_iter().filter_map(starts).min();
    let value = end.and_then(|end| value.get(..end)).unwrap_or(value);
    value.trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "\
region = outside
[default] # c
Region=r1   # c
key = a#b;c ; d
# k = comment
; k = comment
  k = nested
s3 =
  key = nested
\tendpoint_url = nested
not a setting
k2 =
[ other ]
key = o
[broken
key = p
  [nested]
[default]
\tindented = x
\tnext = y=z
\t # c

region = r2
[empty]";

    #[test]
    fn sections_are_read_as_by_aws() {
        let named = |name: &'static str| section(FILE, move |found| found == name);
        let expected = [
            ("indented", "x"),
            ("k2", ""),
            ("key", "a#b;c"),
            ("next", "y=z"),
            ("region", "r2"),
            ("s3", ""),
        ];
        let pairs = expected.map(|(k, v)| (k.to_owned(), v.to_owned()));
        assert_eq!(named("default"), Some(SettingsSection::from(pairs)));
        let other = named("other").unwrap();
        assert_eq!(other.get("key").unwrap(), "p");
        assert_eq!(named("empty"), Some(SettingsSection::new()));
        for name in ["", "none", "nested", "broken", "OTHER"] {
            assert!(named(name).is_none(), "{name}");
        }
    }

    #[test]
    fn sections_of_config_name_profiles() {
        for (name, expected) in [
            ("default", Some("default")),
            ("profile default", Some("default")),
            ("profile\t u", Some("u")),
            ("profile \"a b\"", Some("a b")),
            ("profile 'a'", Some("a")),
            ("u", None),
            ("profile", None),
            ("profileu", None),
            ("sso-session u", None),
        ] {
            assert_eq!(profile(name), expected, "{name}");
        }
    }
}
