//! String quoting for script languages.

use std::fmt::Write as _;

use netcdf_core::shown::is_control;

/// Quotes a shell word.
pub(super) fn shell(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Quotes a Python string.
pub(super) fn python(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if is_control(c) => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_shell() {
        assert_eq!(shell("/a b/$x"), "'/a b/$x'");
        assert_eq!(shell("it's \"x\" \\"), r#"'it'\''s "x" \'"#);
        assert_eq!(shell(""), "''");
    }

    #[test]
    fn strings_of_python() {
        assert_eq!(python("/a b/it's {x}"), "\"/a b/it's {x}\"");
        assert_eq!(python("\"\\\n\u{202e}é🌍"), "\"\\\"\\\\\\u000a\\u202eé🌍\"");
    }
}
