//! The kinds that can be asked for, by the names that `-k` takes.

use super::FORMATS;
use crate::model::Kind;

/// A kind of a format.
#[derive(Debug, Clone, Copy)]
pub struct KindRow {
    /// The kind.
    pub kind: Kind,
    /// The names that `-k` takes, apart from [`Kind::name`]: short names, aliases of the C tools, and their old numbers.
    pub names: &'static [&'static str],
    /// The one of all names that shells complete.
    pub word: &'static str,
    /// What people call it: [`Kind::name`], where that tells it from others.
    pub label: &'static str,
    /// What a program adds to the mode of `nc_create`: names without `NC_`.
    pub mode: &'static [&'static str],
    /// The word for the mode of a URL that a program needs to create it; `None` if paths will do.
    pub url: Option<&'static str>,
    /// Whether programs can create it with netCDF-C.
    pub in_c: bool,
    /// Longest dimension, in elements.
    pub longest: u64,
    /// Whether several chunks can be stored together.
    pub shards: bool,
    /// Whether sizes of strings have no default.
    pub no_default_size: bool,
}

/// All rows of kinds that are written, in the order of the formats.
fn rows() -> impl Iterator<Item = &'static KindRow> {
    FORMATS.iter().flat_map(|format| format.kinds)
}

/// The row of a kind; `None` for kinds that are only read.
#[must_use]
pub fn kind_row(kind: Kind) -> Option<&'static KindRow> {
    rows().find(|row| row.kind == kind)
}

/// The kind with this name: the one of `_Format`, an alias or a number.
#[must_use]
pub fn kind_named(name: &str) -> Option<Kind> {
    let named = |row: &&KindRow| row.kind.name() == name || row.names.contains(&name);
    rows().find(named).map(|row| row.kind)
}

/// One word for each kind, for shell completion of `-k`.
#[must_use]
pub fn kind_words() -> Vec<&'static str> {
    rows().map(|row| row.word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_one_for_each_kind() {
        let kinds: Vec<_> = kind_words().into_iter().map(kind_named).collect();
        let all: Vec<_> = rows().map(|row| Some(row.kind)).collect();
        assert_eq!(kinds, all);
        assert_eq!(all.len(), 9);
    }

    #[test]
    fn names_and_numbers_lead_to_kinds() {
        for row in rows() {
            let named = kind_named(row.kind.name());
            let zarr = row.kind.as_zarr().map(|_| Kind::NETCDF4);
            assert_eq!(named, Some(zarr.unwrap_or(row.kind)));
            for name in row.names {
                assert_eq!(kind_named(name), Some(row.kind), "{name}");
            }
        }
        assert_eq!(kind_named("3"), Some(Kind::NETCDF4));
        assert_eq!(kind_named("CDF5"), None);
    }
}
