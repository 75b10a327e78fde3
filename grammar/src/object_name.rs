//! References to objects: a name, the end of a path, or a path.

use netcdf_core::error::{Error, ErrorKind};
use netcdf_core::model::{GroupId, Schema};

use crate::diagnostic::nearest;
use crate::escape::trim_nuls;

/// Returns whether a text refers to an object: by name in any group, by a path from the root (`/g/x`), or by the end of a path (`g/x`).
/// Names are unescaped.
pub(crate) fn refers_to(schema: &Schema, wanted: &[u8], (group, own): (GroupId, &[u8])) -> bool {
    let own = trim_nuls(own);
    if wanted == own || !wanted.contains(&b'/') {
        return wanted == own;
    }
    let group = schema.group_path(group);
    let path = [group.trim_end_matches('/').as_bytes(), b"/", own].concat();
    wanted == path || path.ends_with(&[b"/", wanted].concat())
}

/// Returns the error for an unknown name; `known` has the existing names.
pub(crate) fn unknown_name<'a>(
    what: &str,
    wanted: &[u8],
    known: impl Iterator<Item = &'a [u8]>,
) -> Error {
    let wanted = String::from_utf8_lossy(wanted).into_owned();
    let known: Vec<String> = known
        .map(|name| String::from_utf8_lossy(name).into_owned())
        .collect();
    let e = Error::new(ErrorKind::NotFound, format!("no {what} {wanted}"));
    match nearest(&wanted, known.iter().map(String::as_str)) {
        Some(near) => e.with_remedy(format!("did you mean {near}?")),
        None => e,
    }
}

/// Adds the option and its text to an error. Read errors stay unchanged.
pub(crate) fn with_option(option: &str, text: &str, e: Error) -> Error {
    if !matches!(
        e.kind(),
        ErrorKind::Argument | ErrorKind::NotFound | ErrorKind::Exists
    ) {
        return e;
    }
    let told = Error::new(e.kind(), format!("{option} {text}: {}", e.what()));
    match e.remedy() {
        Some(remedy) => told.with_remedy(remedy.to_string()),
        None => told,
    }
}
