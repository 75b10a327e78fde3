//! Whether a dataset is already stored as the options ask, so that `--in-place` leaves it alone.
//!
//! Any doubt means no: then the dataset is copied. A copy would have to move all stored bytes, and to write the same definitions.

use netcdf_core::chunk::Dataset;
use netcdf_core::copy::parts::sketch;
use netcdf_core::copy::{Job, Plan, jobs, verify};
use netcdf_core::error::Result;
use netcdf_core::format::traits;
use netcdf_core::io::Container;
use netcdf_core::model::kind::StorageFormat;
use netcdf_core::model::{Attribute, CreateOptions, Fill, Schema, Values, VarId};
use netcdf_core::survey::{self, Rules, Size, Survey};

use crate::cli::Cli;
use crate::history;

/// What is known of a dataset before it is opened.
#[derive(Debug, Clone, Copy)]
pub struct StoredFile {
    /// Its size.
    pub size: Size,
    /// Whether it is a store with consolidated metadata.
    pub consolidated: bool,
}

impl StoredFile {
    /// Looks at the size only if the command line needs it: for a store, all keys are listed.
    ///
    /// # Errors
    /// Those of listing keys.
    pub fn of(cli: &Cli, input: &Container, consolidated: bool) -> Result<Self> {
        let size = match cli.if_smaller || cli.storage.cloud.is_some() {
            true => survey::size(input)?,
            false => Size::default(),
        };
        Ok(Self { size, consolidated })
    }
}

/// A copy that is planned.
#[derive(Clone, Copy)]
pub struct PlannedCopy<'a> {
    pub cli: &'a Cli,
    /// The input as it is stored.
    pub stored: Dataset<'a>,
    /// The input as it is copied.
    pub set: Dataset<'a>,
    pub plan: &'a Plan,
    pub create: CreateOptions,
}

impl PlannedCopy<'_> {
    /// Whether the dataset is already stored as asked. What cannot be found out counts as no.
    pub fn is_as_asked(self, file: StoredFile) -> bool {
        let same = asks(self.cli) && self.defines_the_same() && self.is_whole_the_same(file);
        same && self.stores_the_same(file).unwrap_or(false)
    }

    /// Whether the output would have the same definitions.
    fn defines_the_same(self) -> bool {
        let mut planned = self.plan.schema.clone();
        if let Some(line) = history::line(self.cli) {
            history::take_out(&mut planned, &line);
        }
        let all = self.plan.data.len() == planned.vars.len();
        all && defines_the_same(planned, self.stored.reader.schema().clone())
    }

    /// Whether the output would be the same as a whole.
    fn is_whole_the_same(self, file: StoredFile) -> bool {
        let (cli, kind) = (self.cli, self.plan.schema.kind);
        let hdf5 = kind.storage == StorageFormat::Hdf5;
        // Files of other programs may lack what makes them netCDF-4.
        let foreign = hdf5 && self.stored.reader.provenance().properties.is_none();
        let consolidated = file.consolidated == self.create.zarr.consolidated;
        let keys = !traits(kind).keys || (consolidated && !cli.zarr.changes_keys());
        keys && !(foreign && cli.kind.kind().is_some())
    }

    /// Whether all data would be stored in the same way.
    fn stores_the_same(self, file: StoredFile) -> Result<bool> {
        if !traits(self.plan.schema.kind).settings {
            // Definitions decide where data lies.
            return Ok(true);
        }
        let mut writer = sketch(self.plan.schema.clone(), self.create, self.set.env)?;
        let jobs = jobs(self.set, self.plan, &mut *writer)?;
        let keys = traits(self.plan.schema.kind).keys;
        // Definitions of files name the fill values.
        let filled = |job: &Job| !keys || job.from.fill == job.to.fill;
        if !jobs.iter().all(|job| is_moved(job) && filled(job)) {
            return Ok(false);
        }
        // The keys of a store have no order.
        if self.cli.storage.cloud.is_none() || keys {
            return Ok(true);
        }
        let survey = survey::survey(self.stored, file.size)?;
        Ok(self.is_for_the_cloud(&survey) && self.is_in_order(&survey, &jobs))
    }

    /// Whether the file as a whole follows the rules of `--cloud`.
    fn is_for_the_cloud(self, survey: &Survey) -> bool {
        let paged = self.cli.storage.cloud.and_then(|rules| rules.paged);
        let (rules, size) = match paged {
            None => (Rules::Cloud, None),
            Some(size) => (Rules::Paged, size),
        };
        let pages = survey.file().and_then(|file| file.pages);
        let found = rules.shortcomings(survey, self.stored.reader.schema());
        let size = size.is_none_or(|size| pages.is_some_and(|pages| pages.size == size));
        let paged = paged.is_some() == pages.is_some();
        paged && size && found.iter().all(|lack| lack.var.is_some())
    }

    /// Whether data lies in the order in which `--cloud` stores it.
    fn is_in_order(self, survey: &Survey, jobs: &[Job]) -> bool {
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

/// Whether options ask how datasets are stored, or change them. Without such an option each dataset is written anew.
fn asks(cli: &Cli) -> bool {
    let (storage, edit) = (&cli.storage, &cli.edit);
    cli.kind.kind().is_some()
        || cli.select.fix_unlimited
        || cli.zarr.consolidated
        || storage.asks()
        || !edit.rename.is_empty()
        || !edit.attribute.is_empty()
}

/// Whether two schemas are the same, apart from the lengths of unlimited dimensions, which a plan does not have, and from storage that
/// layouts have in its stored form.
fn defines_the_same(mut a: Schema, mut b: Schema) -> bool {
    let (values_of_a, values_of_b) = (values(&mut a), values(&mut b));
    let same = |a: &Option<Values>, b: &Option<Values>| match (a, b) {
        (Some(a), Some(b)) => verify::same(a, b),
        (a, b) => a.is_none() && b.is_none(),
    };
    let values = values_of_a.len() == values_of_b.len()
        && values_of_a
            .iter()
            .zip(&values_of_b)
            .all(|(a, b)| same(a, b));
    values && without_storage(a) == without_storage(b)
}

/// Takes the values of all attributes and fill values out of a schema: they are compared bit by bit.
fn values(schema: &mut Schema) -> Vec<Option<Values>> {
    let taken = |a: &mut Attribute| Some(std::mem::replace(&mut a.values, Values::Byte(vec![])));
    let mut values: Vec<_> = schema
        .groups
        .iter_mut()
        .flat_map(|group| group.attributes.iter_mut().map(taken))
        .collect();
    for var in &mut schema.vars {
        values.extend(var.attributes.iter_mut().map(taken));
        values.push(var.storage.unwritten.take());
    }
    values
}

fn without_storage(mut schema: Schema) -> Schema {
    let keys = traits(schema.kind).keys;
    for storage in schema.vars.iter_mut().map(|var| &mut var.storage) {
        storage.filters.clear();
        storage.prepared = false;
        storage.codecs = None;
        if keys {
            // There are chunks with a fill value, whatever is said.
            storage.layout = None;
            storage.fill = Fill::default();
        }
    }
    let unlimited = schema.dims.iter_mut().filter(|dim| dim.unlimited);
    unlimited.for_each(|dim| dim.len = 0);
    schema
}

/// Whether the data of a variable is stored in the output as in the input.
fn is_moved(job: &Job) -> bool {
    let (from, to) = (&job.from, &job.to);
    let form = from.chunk == to.chunk && from.element == to.element;
    form && from.filters == to.filters && to.quantize.is_none()
}
