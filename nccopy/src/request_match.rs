//! Checks whether a dataset is already stored as requested: `--in-place` then skips it.
//!
//! A dataset is skipped only if the copy would write the same definitions and move all stored bytes unchanged. In doubt, nccopy copies it.

use netcdf_core::chunk::Dataset;
use netcdf_core::copy::parts::sketch;
use netcdf_core::copy::{CopyJob, Plan, jobs};
use netcdf_core::diff;
use netcdf_core::error::Result;
use netcdf_core::format::traits;
use netcdf_core::io::Container;
use netcdf_core::io::locator::OutputRequest;
use netcdf_core::model::kind::StorageFormat;
use netcdf_core::model::{Attribute, CreateOptions, FillMode, Schema, Values, VarId};
use netcdf_core::survey::{self, DatasetSize, RuleSet, Survey};

use crate::history;
use crate::request::CopyRequest;

/// Properties of a stored dataset that its reader does not provide.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StoredFile {
    /// The size of the dataset.
    pub size: DatasetSize,
    /// Whether the dataset is a store with consolidated metadata.
    pub consolidated: bool,
}

impl StoredFile {
    /// Determines the size only if an option needs it: the size of a store requires a list of all keys.
    ///
    /// # Errors
    /// Returns I/O errors of the list.
    pub(crate) fn of(request: &CopyRequest, input: &Container, consolidated: bool) -> Result<Self> {
        let size = match request.if_smaller() || request.storage.cloud.is_some() {
            true => survey::size(input)?,
            false => DatasetSize::default(),
        };
        Ok(Self { size, consolidated })
    }
}

/// A planned copy.
#[derive(Clone, Copy)]
pub(crate) struct PlannedCopy<'a> {
    pub request: &'a CopyRequest,
    /// The input as stored.
    pub stored: Dataset<'a>,
    /// The input with the changes of `--rename`, `--attribute` and `--history`.
    pub set: Dataset<'a>,
    pub plan: &'a Plan,
    pub create: CreateOptions,
}

impl PlannedCopy<'_> {
    /// Checks whether the dataset is already stored as requested. Errors count as no.
    pub(crate) fn matches_request(self, file: StoredFile) -> bool {
        let same = requests_change(self.request)
            && self.defines_the_same()
            && self.is_whole_the_same(file);
        same && self.stores_the_same(file).unwrap_or(false)
    }

    /// Checks whether the output would have the same definitions.
    fn defines_the_same(self) -> bool {
        let mut planned = self.plan.schema.clone();
        if let Some(line) = &self.request.edit.history {
            history::take_out(&mut planned, line);
        }
        let all = self.plan.data.len() == planned.vars.len();
        all && defines_the_same(planned, self.stored.reader.schema().clone())
    }

    /// Checks file properties that belong to no variable.
    fn is_whole_the_same(self, file: StoredFile) -> bool {
        let (output, kind) = (self.request.output, self.plan.schema.kind);
        let hdf5 = kind.storage == StorageFormat::Hdf5;
        // HDF5 files of other programs may lack dimension scales and other netCDF-4 structures.
        let foreign = hdf5 && self.stored.reader.provenance().properties.is_none();
        let consolidated = file.consolidated == self.create.zarr.consolidated;
        let keys = !traits(kind).keys || (consolidated && !changes_keys(output));
        keys && !(foreign && output.kind.is_some())
    }

    /// Checks whether all data would be stored in the same form.
    fn stores_the_same(self, file: StoredFile) -> Result<bool> {
        if !traits(self.plan.schema.kind).settings {
            // The definitions determine all offsets.
            return Ok(true);
        }
        let mut writer = sketch(self.plan.schema.clone(), self.create, self.set.env)?;
        let jobs = jobs(self.set, self.plan, &mut *writer)?;
        if !jobs.iter().all(is_moved) {
            return Ok(false);
        }
        // Store keys have no order.
        if self.request.storage.cloud.is_none() || traits(self.plan.schema.kind).keys {
            return Ok(true);
        }
        let survey = survey::survey(self.stored, file.size)?;
        Ok(self.is_for_the_cloud(&survey) && self.is_in_order(&survey, &jobs))
    }

    /// Checks the `--cloud` rules for the whole file.
    fn is_for_the_cloud(self, survey: &Survey) -> bool {
        let paged = self.request.storage.cloud.and_then(|rules| rules.paged);
        let (rules, size) = match paged {
            None => (RuleSet::Cloud, None),
            Some(size) => (RuleSet::Paged, size),
        };
        let pages = survey.file().and_then(|file| file.pages);
        let found = rules.shortcomings(survey, self.stored.reader.schema());
        let size = size.is_none_or(|size| pages.is_some_and(|pages| pages.size == size));
        let paged = paged.is_some() == pages.is_some();
        paged && size && found.iter().all(|lack| lack.var.is_some())
    }

    /// Checks whether the data is in the order of `--cloud`.
    fn is_in_order(self, survey: &Survey, jobs: &[CopyJob]) -> bool {
        let distance = |var: VarId| {
            let job = jobs.iter().find(|job| job.pair.from == var);
            job.map(|job| job.distance(self.set))
        };
        let places = survey.vars.iter();
        let mut places: Vec<_> = places
            .filter_map(|var| Some((var.first?, distance(var.var))))
            .collect();
        places.sort_unstable();
        places.is_sorted_by_key(|(_, distance)| *distance)
    }
}

/// Checks whether an option requests a form of storage or a change. Without one, nccopy rewrites each dataset.
fn requests_change(request: &CopyRequest) -> bool {
    let (storage, edit) = (&request.storage, &request.edit);
    request.output.kind.is_some()
        || request.select.fix_unlimited
        || request.output.consolidated
        || storage.requests_any()
        || !edit.renames.is_empty()
        || !edit.attributes.is_empty()
}

/// Checks whether an option may change store keys.
fn changes_keys(output: OutputRequest) -> bool {
    output.zip_prefix.is_some() || output.overwrite
}

/// Compares two schemas. Lengths of unlimited dimensions are ignored: plans do not contain them. Filters are ignored: layouts contain
/// them in stored form.
pub(crate) fn defines_the_same(mut a: Schema, mut b: Schema) -> bool {
    let (values_of_a, values_of_b) = (values(&mut a), values(&mut b));
    let values = values_of_a.len() == values_of_b.len()
        && values_of_a
            .iter()
            .zip(&values_of_b)
            .all(|(x, y)| diff::same_values([&a, &b], [x, y]));
    values && without_storage(a) == without_storage(b)
}

/// Removes attribute values from a schema, for a comparison of bits. `==` fails for NaN.
fn values(schema: &mut Schema) -> Vec<Values> {
    let taken = |a: &mut Attribute| std::mem::replace(&mut a.values, Values::Byte(vec![]));
    let mut values: Vec<_> = schema
        .groups
        .iter_mut()
        .flat_map(|group| group.attributes.iter_mut().map(taken))
        .collect();
    for var in &mut schema.vars {
        values.extend(var.attributes.iter_mut().map(taken));
    }
    values
}

fn without_storage(mut schema: Schema) -> Schema {
    let keys = traits(schema.kind).keys;
    for storage in schema.vars.iter_mut().map(|var| &mut var.storage) {
        storage.filters.clear();
        storage.prepared = false;
        storage.codecs = None;
        // Options change fill values only through attributes.
        storage.unwritten = None;
        if keys {
            // All arrays have chunks and a fill value.
            storage.layout = None;
            storage.fill = FillMode::default();
        }
    }
    let unlimited = schema.dims.iter_mut().filter(|dim| dim.unlimited);
    unlimited.for_each(|dim| dim.len = 0);
    schema
}

/// Checks whether a variable has the same chunks, filters and elements in both datasets.
fn is_moved(job: &CopyJob) -> bool {
    let (from, to) = (&job.from, &job.to);
    let form = from.chunk == to.chunk && from.element == to.element;
    form && from.filters == to.filters && to.quantize.is_none()
}
