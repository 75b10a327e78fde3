//! The kinds that users can request, by the names that `-k` accepts.

use super::table::FORMATS;
use super::{BareFill, KindRow};
use crate::model::Kind;

/// Returns the rows of all writable kinds, in format order.
fn rows() -> impl Iterator<Item = &'static KindRow> {
    FORMATS.iter().flat_map(|format| format.kinds)
}

/// Returns the row of a kind, or `None` for read-only kinds.
#[must_use]
pub fn kind_row(kind: Kind) -> Option<&'static KindRow> {
    rows().find(|row| row.kind == kind)
}

/// Returns the meaning of a fill value without an attribute in datasets of a kind.
#[must_use]
pub fn bare_fill(kind: Kind) -> BareFill {
    kind_row(kind).map_or(BareFill::Nothing, |row| row.bare_fill)
}

/// Checks whether datasets of a kind contain netCDF metadata.
#[must_use]
pub fn has_own_metadata(kind: Kind) -> bool {
    kind_row(kind).is_none_or(|row| row.own_metadata)
}

/// Returns the name of a kind in messages.
#[must_use]
pub fn kind_label(kind: Kind) -> &'static str {
    kind_row(kind).map_or_else(|| kind.name(), |row| row.label)
}

/// Returns the kind with this name, in any letter case. Names are the values of `_Format`, aliases, and numbers.
#[must_use]
pub fn kind_named(name: &str) -> Option<Kind> {
    let is = |known: &str| known.eq_ignore_ascii_case(name);
    let named = |row: &&KindRow| is(row.kind.name()) || row.names.iter().any(|known| is(known));
    rows().find(named).map(|row| row.kind)
}

/// Returns one word per kind, for shell completion of `-k`.
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
                let upper = name.to_uppercase();
                assert_eq!(kind_named(&upper), Some(row.kind), "{upper}");
            }
        }
        assert_eq!(kind_named("3"), Some(Kind::NETCDF4));
        assert_eq!(kind_named("CDF5"), Some(Kind::CDF5));
        assert_eq!(kind_named("NetCDF-4"), Some(Kind::NETCDF4));
        assert_eq!(kind_named("cdf6"), None);
    }
}
