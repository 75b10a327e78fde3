//! The grammar of keys: parts separated by `/`. No part is empty, `.` or `..`, or contains control characters.
//!
//! Keys come from files, because they contain names of variables and groups, and become paths. A key that passes these checks never leads
//! outside a store.

use crate::error::{Error, ErrorKind, Result};

/// Checks a key.
///
/// # Errors
/// Returns [`ErrorKind::BadName`] for an invalid key.
pub fn check(key: &str) -> Result<()> {
    match key.split('/').all(is_part) {
        true => Ok(()),
        false => Err(bad(key)),
    }
}

/// Checks a prefix: empty, or a key followed by `/`.
///
/// # Errors
/// Returns [`ErrorKind::BadName`] for an invalid prefix.
pub fn check_prefix(prefix: &str) -> Result<()> {
    match prefix.strip_suffix('/') {
        Some(key) => check(key),
        None if prefix.is_empty() => Ok(()),
        None => Err(bad(prefix)),
    }
}

/// Checks a part of a key between `/`.
#[must_use]
pub fn is_part(part: &str) -> bool {
    let separates = |c: char| cfg!(windows) && matches!(c, '\\' | ':');
    !matches!(part, "" | "." | "..") && !part.chars().any(|c| c.is_control() || separates(c))
}

fn bad(key: &str) -> Error {
    let what = format!("`{}` cannot be a key of a store", key.escape_debug());
    Error::new(ErrorKind::BadName, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_lead_nowhere_else() {
        for key in [".zgroup", "v/.zarray", "v/c/0/1", "ü/a b/..x", "..."] {
            assert!(check(key).is_ok(), "{key}");
            assert!(check_prefix(&format!("{key}/")).is_ok());
        }
        for key in [
            "", "/", "/etc", "a//b", "a/", "..", "../x", "a/../b", "./a", "a\0b", "a\n",
        ] {
            assert_eq!(check(key).unwrap_err().kind(), ErrorKind::BadName, "{key}");
            assert!(key.is_empty() || check_prefix(&format!("{key}/")).is_err());
        }
        assert!(check_prefix("").is_ok());
        assert!(check_prefix("a").is_err());
    }

    #[test]
    #[cfg(windows)]
    fn what_separates_names_on_windows_is_in_none() {
        assert!(check("a\\..\\b").is_err() && check("c:x").is_err());
    }
}
