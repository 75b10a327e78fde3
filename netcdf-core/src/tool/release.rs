//! The release of these tools, in the format of the netCDF library version that scripts parse.

/// The compatible release of netCDF-C.
const COMPATIBLE: &str = "4.10.2";

/// The release date, as in CHANGELOG.md. It is never the build time, so that equal sources make equal programs.
pub const DATE: &str = "2026-11-28";

/// Returns the last line of a tool's usage and version in the format of the C tool, or `None` for tools without a C counterpart.
#[must_use]
pub fn line(tool: &str) -> Option<String> {
    let library = match tool {
        "ncdump" | "ncgen" | "ncgen3" => "netcdf",
        "nccopy" => "netCDF",
        _ => return None,
    };
    let version = env!("CARGO_PKG_VERSION");
    Some(format!(
        "{library} library version {COMPATIBLE}-compatible (netcdf-tools {version}) of {DATE} $\n"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_date_is_that_of_the_changelog() {
        let changelog = include_str!("../../../CHANGELOG.md");
        let version = format!("## [{}] - ", env!("CARGO_PKG_VERSION"));
        let released = changelog.lines().find_map(|l| l.strip_prefix(&version));
        // An unreleased version has no date in the changelog.
        assert!(released.is_none_or(|date| date.trim() == DATE));
        let digits: Vec<_> = DATE.split('-').map(|part| part.parse::<u32>()).collect();
        assert!(digits.len() == 3 && digits.iter().all(Result::is_ok));
    }

    #[test]
    fn scripts_find_the_version() {
        let line = line("ncdump").unwrap();
        assert!(line.starts_with("netcdf library version 4.10.2-compatible (netcdf-tools "));
        assert!(line.ends_with(" $\n"));
        assert_eq!(super::line("zdump"), None);
    }
}
