//! Errors about full disks, with remedies.

use std::io::ErrorKind;
use std::path::Path;

use crate::error::Error;

/// Checks whether a file system or quota is full.
pub(crate) fn is_full(e: &std::io::Error) -> bool {
    remedy(e).is_some()
}

fn remedy(e: &std::io::Error) -> Option<&'static str> {
    match e.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            Some("free space there, or use another disk")
        }
        ErrorKind::FileTooLarge => Some("a limit of `ulimit -f`, or of this file system"),
        _ => None,
    }
}

/// The error for a failed operation on an output, with a remedy.
pub(crate) fn failed(what: &str, name: &str, e: std::io::Error) -> Error {
    let remedy = remedy(&e);
    let e = Error::io(what, name, e);
    match remedy {
        Some(remedy) => e.with_remedy(remedy),
        None => e,
    }
}

/// The name of a temporary file in messages.
pub(crate) fn temporary(folder: &Path) -> String {
    format!("temporary file in {}", folder.display())
}

/// Like [`failed`], for a file with the data of `name` in the system's temporary directory.
pub(crate) fn failed_temporary(what: &str, name: &str, e: std::io::Error) -> Error {
    failed_elsewhere(what, (&temporary(&std::env::temp_dir()), name), e)
}

/// Like [`failed`], for a temporary file (see [`temporary`]) with the data of `name` in another directory.
pub(crate) fn failed_elsewhere(
    what: &str,
    (temporary, name): (&str, &str),
    e: std::io::Error,
) -> Error {
    if !is_full(&e) {
        return failed(what, name, e);
    }
    let name = format!("{temporary} for {name}");
    let e = Error::io("cannot write", &name, e);
    e.with_remedy("free space there, or set TMPDIR to another directory")
}

/// Like [`failed_temporary`], for a file that cannot be created. The system's temporary directory may be missing.
pub(crate) fn failed_to_make(name: &str, e: std::io::Error) -> Error {
    let named = format!("{} for {name}", temporary(&std::env::temp_dir()));
    let full = is_full(&e);
    let e = Error::io("cannot create", &named, e);
    e.with_remedy(match full {
        true => "free space there, or set TMPDIR to another directory",
        false => "create that directory, or set TMPDIR to another one",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_has_a_way_out() {
        let full = || std::io::Error::from_raw_os_error(28);
        let e = failed("cannot write", "a.nc", full());
        assert_eq!(
            e.to_string(),
            "a.nc: cannot write: No space left on device (free space there, or use another disk)"
        );
        let e = failed_temporary("cannot read", "(stdin)", full()).to_string();
        assert!(
            e.starts_with("temporary file in ")
                && e.contains(" for (stdin): cannot write: No space"),
            "{e}"
        );
        assert!(e.contains("TMPDIR"), "{e}");
        let other = || std::io::Error::from_raw_os_error(5);
        assert_eq!(
            failed_temporary("cannot read", "(stdin)", other()).remedy(),
            None
        );
        assert!(is_full(&std::io::Error::from_raw_os_error(27)) && !is_full(&other()));
    }
}
