//! A plan read from its directory, and the check whether it still holds.

use netcdf_core::chunk::Writer;
use netcdf_core::copy::parts::{self, Division, PartSize};
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_grammar::hyperslab::Hyperslab;

use super::digests::{of_input, of_output};
use super::plan_directory::StoredPlan;
use super::record::{DatasetRecord, PartWork};
use crate::cli;
use crate::prepare::PreparedCopy;
use crate::request::{CopyMode, CopyRequest, ProcessRequest};

impl StoredPlan {
    /// Returns the planned copy. `process` takes precedence over the settings of the plan.
    ///
    /// # Errors
    /// Returns the errors of [`cli::planned`].
    pub(super) fn request(&self, process: &ProcessRequest) -> Result<CopyRequest> {
        let mut request = cli::planned(&self.record.arguments)?;
        for path in &mut request.files.inputs {
            *path = self.record.located(path);
        }
        if let Some(join) = &mut request.files.join {
            join.inputs = join.inputs.located(|path| self.record.located(path));
            join.trust_plan();
        }
        if let Some(to) = request.to() {
            let to = self.record.located(to);
            request.mode = CopyMode::InParts { to };
        }
        if let PartWork::Dataset(dataset) = &self.record.work {
            let selected = dataset.selected.iter().cloned();
            request.select.hyperslabs = selected.map(Hyperslab::of_indices).collect();
        }
        request.process = process.over(&request.process);
        Ok(request)
    }

    /// Returns the division into parts of the last stage, if input and output are as planned. `writer` was created for the output.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Changed`] if input or output differs.
    pub(super) fn division(
        &self,
        prepared: &PreparedCopy<'_>,
        writer: &mut dyn Writer,
    ) -> Result<Division> {
        let PartWork::Dataset(record) = &self.record.work else {
            return Err(Error::internal("parts of files that are divided"));
        };
        let changed = |what: &'static str| {
            let e = Error::new(ErrorKind::Changed, what);
            e.with_remedy(
                "create the plan again: nccopy --clean FOLDER, then nccopy --plan FOLDER …",
            )
        };
        if prepared.state != record.input.state {
            return Err(changed("the input has changed since the plan was made"));
        }
        if of_input(prepared.set.reader.schema()) != record.input.metadata {
            return Err(changed("the metadata has changed since the plan was made"));
        }
        for (name, state) in &record.input.files {
            prepared.set.env.siblings.opened.expect(name, state)?;
        }
        if of_output(&prepared.plan, prepared.create) != record.schema {
            return Err(changed("the copy would not be stored as planned"));
        }
        let division = self.divided(prepared, record, writer)?;
        match division.bytes() == self.record.bytes
            && record.variables.len() == prepared.plan.data.len()
        {
            true => Ok(division),
            false => Err(changed("the data would not be divided as planned")),
        }
    }

    /// Returns the division after [`PreparedCopy::size_strings`], without the checks of [`StoredPlan::division`]. `writer` was created for the
    /// output with these string lengths.
    ///
    /// # Errors
    /// Returns errors of the input.
    pub(super) fn sized_division(
        &self,
        prepared: &PreparedCopy<'_>,
        writer: &mut dyn Writer,
    ) -> Result<Division> {
        match &self.record.work {
            PartWork::Dataset(record) => self.divided(prepared, record, writer),
            PartWork::Files(_) => Err(Error::internal("parts of files that are divided")),
        }
    }

    fn divided(
        &self,
        prepared: &PreparedCopy<'_>,
        record: &DatasetRecord,
        writer: &mut dyn Writer,
    ) -> Result<Division> {
        let fills: Vec<bool> = record.variables.iter().map(|var| var.same_fill).collect();
        let jobs = parts::jobs(prepared.set, &prepared.plan, &fills, writer)?;
        let parts = self.record.parts - record.first_stage;
        let mut division =
            Division::new((prepared.set.reader, jobs), writer, PartSize::Number(parts));
        if let Some(through) = record.through() {
            division = division.through(&through);
        }
        Ok(division)
    }
}
