//! Scripts for Snakemake.

use std::path::Path;

use netcdf_core::error::Result;

use super::facts::Facts;
use super::fill;
use crate::parts::paths::wrong;

/// Returns a Snakefile.
///
/// # Errors
/// Returns [`netcdf_core::error::ErrorKind::Argument`] for paths that Snakemake would read as patterns.
pub(super) fn script(facts: &Facts) -> Result<String> {
    if facts.folder.contains(['{', '}']) {
        let what = "Snakemake has no way to write paths with braces";
        let e = wrong(Path::new(&facts.folder), what);
        return Err(e.with_remedy("rename the directory, or go through a link with another name"));
    }
    let mut values = facts.of_python();
    values.extend([
        ("MINUTES", facts.minutes(1).to_string()),
        ("FINISH", facts.minutes_of_finish().to_string()),
    ]);
    Ok(fill(include_str!("Snakefile"), &values))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_are_refused() {
        assert!(script(&Facts::example("/a/it's \"b\"", 3)).is_ok());
        let e = script(&Facts::example("/a/{b}", 3)).unwrap_err();
        assert!(e.to_string().contains("braces"), "{e}");
    }
}
