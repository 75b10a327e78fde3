//! The filters of the output's variables.
//!
//! Filters named for a variable override the input and all other options. For variables without named filters, `-F none` removes all
//! filters. `-d` replaces all filters except the checksum, which netCDF-C keeps as well.

use super::{StorageCase, StorageNotes, is_heap};
use crate::copy::options::Filtering;
use crate::error::{Error, ErrorKind, Result};
use crate::filter::ids::{BLOSC, DEFLATE, FLETCHER32, SHUFFLE};
use crate::filter::missing_filter;
use crate::filter::substitutes::replacement;
use crate::filter::{FilterReplacement, FilterTable, Suits, codec, policy};
use crate::format::kind_row;
use crate::model::kind::Filterable;
use crate::model::{Atomic, FilterSpec, Storage, ZarrVersion};
use crate::notes::Note;

/// Returns the name of a filter.
pub(super) fn name(filter: &FilterSpec) -> String {
    let label = FilterTable::default().label(filter);
    label.name.unwrap_or_else(|| filter.id.to_string())
}

/// Returns the name of a filter, with the Blosc codec in the form of `-F` if the codec matters.
fn full_name(filter: &FilterSpec) -> String {
    let inner = match (filter.id, filter.params.get(6)) {
        (BLOSC, Some(3)) => ",codec=snappy",
        (BLOSC, Some(5)) => ",codec=zstd",
        _ => "",
    };
    name(filter) + inner
}

/// Adds shuffle if deflate replaces Blosc with byte shuffle.
fn keep_shuffle(filter: &FilterSpec, other: &FilterSpec, storage: &mut Storage) {
    if filter.id == BLOSC && other.id == DEFLATE && filter.params.get(5) == Some(&1) {
        let (id, params) = (SHUFFLE, vec![]);
        storage.set_filter(FilterSpec { id, params });
    }
}

impl StorageCase<'_> {
    /// Sets the filters.
    ///
    /// # Errors
    /// Returns the errors of [`Schema::takes_filters`](crate::model::Schema::takes_filters) for a variable that the user named.
    pub(super) fn filters(&self, storage: &mut Storage, log: &mut StorageNotes) -> Result<()> {
        match self.asked {
            Some(asked) => self.set_requested(asked, storage, log)?,
            None if self.ask.filters.none || self.to.dims.is_empty() => {}
            None => self.set_unnamed(storage, log),
        }
        self.drop_shuffle(storage, log);
        self.remark_shuffle(storage, log);
        Ok(())
    }

    /// Removes shuffle from text without a fixed size in chunks.
    fn drop_shuffle(&self, storage: &mut Storage, log: &mut StorageNotes) {
        let unsized_texts = kind_row(self.output.kind).is_some_and(|row| row.no_default_size);
        if !unsized_texts || self.to.ty != Atomic::String.into() {
            return;
        }
        let fixed = |f: &FilterSpec| policy(f.id).suits == Suits::FixedSize;
        let has = storage.filters.iter().any(fixed);
        if let Some(asked) = self.asked.filter(|_| has) {
            let note = Note {
                object: self.path(),
                what: "stored without shuffle, which does not help with text".to_owned(),
                remedy: None,
            };
            match asked.by_name {
                true => log.notes.push(note),
                false => log.remarks.push(note),
            }
        }
        storage.filters.retain(|f| !fixed(f));
    }

    /// Adds a remark on shuffle if a store becomes Zarr 3, whose specification has no shuffle codec.
    fn remark_shuffle(&self, storage: &Storage, log: &mut StorageNotes) {
        let (from, to) = (self.input.kind, self.output.kind);
        let version = to.as_zarr().map(|zarr| zarr.version);
        let shuffled = storage.filters.iter().any(|f| f.id == SHUFFLE);
        if shuffled && version == Some(ZarrVersion::V3) && from.storage != to.storage {
            log.remarks.push(Note {
                object: self.path(),
                what: "stored with numcodecs.shuffle, which Zarr 3 does not specify".to_owned(),
                remedy: Some("blosc shuffles and compresses: -F '*,blosc,codec=zstd'".to_owned()),
            });
        }
    }

    /// Returns the substitute for a filter in the output.
    fn instead(&self, filter: &FilterSpec) -> FilterReplacement {
        replacement(filter, self.input.kind.storage, self.output.kind.storage)
    }

    /// Adds a remark if common readers of the output lack a codec that the user names.
    fn remark_codecs(&self, filter: &FilterSpec, log: &mut StorageNotes) {
        if !self.has_codecs() || FilterTable::default().codec_names(filter.id).is_none() {
            return;
        }
        if let FilterReplacement::Substitute(other) = self.instead(filter) {
            log.remarks.push(Note {
                object: self.path(),
                what: format!(
                    "stored with {}, which zarr-python cannot read",
                    full_name(filter)
                ),
                remedy: Some(format!(
                    "choose a codec that it reads: -F '*,{}'",
                    full_name(&other)
                )),
            });
        }
    }

    /// Returns whether output filters may be codecs outside HDF5.
    pub(super) fn has_codecs(&self) -> bool {
        self.output.kind.storage.filterable() == Filterable::Arrays
    }

    /// Returns whether an HDF5 output needs HDF5 parameters for a plugin filter, but the input has codec parameters.
    pub(super) fn has_user_form(&self, storage: &Storage) -> bool {
        let codecs = self.input.kind.storage.filterable() == Filterable::Arrays;
        let table = FilterTable::default();
        codecs && !self.has_codecs() && storage.filters.iter().any(|f| !table.has(f.id))
    }

    /// Checks that the output supports the filters, some of which may exist only in Zarr.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`] for a Zarr-only filter in an HDF5 file.
    pub(super) fn has_filters(&self, storage: &Storage) -> Result<()> {
        if self.has_codecs() {
            return Ok(());
        }
        let Some(private) = storage.filters.iter().find(|f| codec::is_private(f.id)) else {
            return Ok(());
        };
        let table = FilterTable::default();
        if private.id != codec::UNKNOWN && !table.has(private.id) {
            return Err(table.no_filter_of_hdf5(private.id));
        }
        let what = format!("the Zarr codec {} is not an HDF5 filter", name(private));
        let remedy = match private.id {
            // Its data cannot be read, so other filters do not help.
            codec::UNKNOWN => missing_filter::UNKNOWN_CODEC.to_owned(),
            _ => format!(
                "choose another filter, -F '{0},zstd,3', or none, -F '{0},none'",
                self.path()
            ),
        };
        Err(Error::new(ErrorKind::Unsupported, what).with_remedy(remedy))
    }

    /// Removes decode-only filters of the input, unless chunks are moved unchanged.
    pub(super) fn drop_decode_only(&self, storage: &mut Storage, log: &mut StorageNotes) {
        if self.asked.is_some() {
            return;
        }
        let old = &self.from.storage;
        let heap = is_heap(self.input, self.pair.from);
        let same = old.layout == storage.layout && old.filters == storage.filters && !heap;
        let filters = storage.filters.iter();
        let moved = same && filters.clone().all(|f| self.is_of_whole_elements(f));
        // Heap elements are stored as references, which the output creates anew.
        let unsuited = |f: &FilterSpec| heap && policy(f.id).suits == Suits::Numbers;
        let stays = |f: &FilterSpec| !unsuited(f) && (moved || policy(f.id).read_only.is_none());
        for filter in filters.filter(|f| !stays(f)) {
            let why = match unsuited(filter) {
                true => "which is for numbers",
                false => "which can be read but not written",
            };
            log.remarks.push(Note {
                object: self.path(),
                what: format!("stored without {}, {why}", name(filter)),
                remedy: Some("use -d or -F for other compression".to_owned()),
            });
        }
        storage.filters.retain(stays);
    }

    /// Returns whether a bit-packing filter packs whole netCDF elements: all bits, and the same size.
    fn is_of_whole_elements(&self, f: &FilterSpec) -> bool {
        let size = self.input.memory_size(self.from.ty);
        let whole = policy(f.id).read_only;
        whole.is_none_or(|whole| whole(&f.params, size))
    }

    /// Sets the requested filters. [`super::pattern_filters`] handles pattern filters that do not fit.
    fn set_requested(
        &self,
        asked: &Filtering,
        storage: &mut Storage,
        log: &mut StorageNotes,
    ) -> Result<()> {
        // Patterns do not apply to scalars.
        if asked.filters.is_empty() || self.to.dims.is_empty() && !asked.by_name {
            return Ok(());
        }
        self.output.takes_filters(self.pair.to)?;
        for filter in asked.filters.iter().cloned() {
            self.remark_codecs(&filter, log);
            storage.define_filter(filter, self.output.kind.storage);
        }
        Ok(())
    }

    /// Sets the input's filters, or their substitutes in the output.
    fn set_kept(&self, storage: &mut Storage, log: &mut StorageNotes) {
        let (old, new) = match self.has_codecs() {
            false => ("codec", "filter"),
            true => ("filter", "codec"),
        };
        storage
            .filters
            .reserve_exact(self.from.storage.filters.len());
        for filter in &self.from.storage.filters {
            let stored = match self.instead(filter) {
                FilterReplacement::Keep => {
                    storage.filters.push(filter.clone());
                    continue;
                }
                FilterReplacement::Substitute(same) if full_name(&same) == full_name(filter) => {
                    storage.filters.push(same);
                    continue;
                }
                // The same compression in another container.
                FilterReplacement::Substitute(other)
                    if other.id == DEFLATE && filter.id == codec::ids::GZIP =>
                {
                    storage.set_filter(other);
                    continue;
                }
                FilterReplacement::Substitute(other) => {
                    let with = format!("with the {new} {} in place of", full_name(&other));
                    keep_shuffle(filter, &other, storage);
                    storage.set_filter(other);
                    with
                }
                FilterReplacement::DropSilently => continue,
                FilterReplacement::Drop => "without".to_owned(),
            };
            log.remarks.push(Note {
                object: self.path(),
                what: format!("stored {stored} the {old} {}", full_name(filter)),
                remedy: Some("use -F to choose other filters".to_owned()),
            });
        }
    }

    /// Sets the filters of a variable without an entry in `-F`.
    fn set_unnamed(&self, storage: &mut Storage, log: &mut StorageNotes) {
        let old = &self.from.storage.filters;
        let Some(level) = self.ask.deflate else {
            self.set_kept(storage, log);
            return;
        };
        let checksum = old.iter().filter(|f| f.id == FLETCHER32);
        checksum.for_each(|f| storage.set_filter(f.clone()));
        if level > 0 && !is_heap(self.output, self.pair.to) {
            if self.ask.shuffle {
                let (id, params) = (SHUFFLE, vec![]);
                storage.set_filter(FilterSpec { id, params });
            }
            let (id, params) = (DEFLATE, vec![level.into()]);
            storage.set_filter(FilterSpec { id, params });
        }
    }
}
