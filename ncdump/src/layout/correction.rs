//! The `nccopy` command that corrects rule violations.

use std::path::Path;

use netcdf_core::model::Kind;
use netcdf_core::model::kind::StorageFormat;
use netcdf_core::shown::{ShownAddress, is_control};
use netcdf_core::survey::RuleSet;

/// Returns the `nccopy` command whose output follows the rules, for a POSIX shell or Bash.
pub(super) fn correction(input: &Path, rules: RuleSet, kind: Kind) -> String {
    let (how, output) = match (rules, kind.storage) {
        (RuleSet::Cloud, StorageFormat::Zarr(_)) => ("--cloud", "out.zarr"),
        (RuleSet::Cloud, StorageFormat::Hdf5 | StorageFormat::Cdf(_)) => ("--cloud", "out.nc"),
        (RuleSet::Cloud, StorageFormat::ReadOnly(_)) => ("--cloud", "out.nc"),
        (RuleSet::Cmip7, StorageFormat::Hdf5) => ("--cloud=cmip7", "out.nc"),
        (RuleSet::Cmip7, _) => ("-k nc4 --cloud=cmip7", "out.nc"),
        (RuleSet::Paged, StorageFormat::Hdf5) => ("--cloud=paged", "out.nc"),
        (RuleSet::Paged, _) => ("-k nc4 --cloud=paged", "out.nc"),
    };
    format!(
        "nccopy {how} {} {output}",
        quoted(&ShownAddress::path(input))
    )
}

/// Quotes a path as one shell word.
fn quoted(path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    let option = bytes.starts_with(b"-") && bytes.len() > 1;
    let bytes = [if option { &b"./"[..] } else { b"" }, bytes].concat();
    match std::str::from_utf8(&bytes) {
        Ok(text) if !text.is_empty() && text.chars().all(is_plain) => text.to_owned(),
        Ok(text) if !text.contains(is_control) => format!("'{}'", text.replace('\'', r"'\''")),
        Ok(_) | Err(_) => format!("$'{}'", bytes.escape_ascii()),
    }
}

/// Checks whether a character needs no quotes in a shell.
fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || "-_./:,+@%^".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words_of_a_shell() {
        for (name, want) in [
            ("a.nc", "a.nc"),
            ("/data/größe_1.nc", "/data/größe_1.nc"),
            ("a b.nc", "'a b.nc'"),
            ("it's.nc", r"'it'\''s.nc'"),
            ("$x;`y`*.nc", "'$x;`y`*.nc'"),
            ("-k.nc", "./-k.nc"),
            ("-", "-"),
            ("a\n\x1b'.nc", r"$'a\n\x1b\'.nc'"),
            ("s3://b/a.nc?x=1#y", "'s3://b/a.nc?x=1#y'"),
        ] {
            assert_eq!(quoted(Path::new(name)), want);
        }
    }
}
