//! A plan as it was read, and whether it still holds.

use netcdf_core::chunk::Writer;
use netcdf_core::copy::parts::{self, Division, PartSize};
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_grammar::hyperslab::Hyperslab;

use super::folder::StoredPlan;
use super::plan::{of_input, of_output};
use super::record::{DatasetRecord, Work};
use crate::cli::Cli;
use crate::ready::Ready;

impl StoredPlan {
    /// The command line of the plan, with what this one says about the process itself.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] for arguments that are none.
    pub fn command_line(&self, now: &Cli) -> Result<Cli> {
        let name = std::iter::once("nccopy".into());
        let args = name.chain(self.record.arguments.iter().cloned());
        let wrong = |e: clap::Error| {
            Error::new(
                ErrorKind::Corrupt,
                format!("a plan with wrong arguments: {e}"),
            )
        };
        let mut cli = crate::cli::parse(args).map_err(wrong)?;
        for path in &mut cli.paths {
            *path = self.record.located(path);
        }
        if let Work::Dataset(dataset) = &self.record.work {
            let selected = dataset.selected.iter().cloned();
            cli.part
                .replace(selected.map(Hyperslab::of_indices).collect());
        }
        cli.threads = now.threads.or(cli.threads);
        cli.memory = now.memory.or(cli.memory);
        cli.network = now.network.or(&cli.network);
        cli.plugins = now.plugins.or(&cli.plugins);
        cli.quiet |= now.quiet;
        cli.no_sync |= now.no_sync;
        cli.trace |= now.trace;
        Ok(cli)
    }

    /// The division into parts of the last stage, if the input and what is to be written are as planned. `writer` was made for the output.
    ///
    /// # Errors
    /// [`ErrorKind::Changed`] if not.
    pub fn division(&self, ready: &Ready<'_>, writer: &mut dyn Writer) -> Result<Division> {
        let Work::Dataset(record) = &self.record.work else {
            return Err(Error::internal("parts of files that are divided"));
        };
        let changed = |what: &'static str| {
            let e = Error::new(ErrorKind::Changed, what);
            e.with_remedy("make the plan again: nccopy --clean FOLDER, then nccopy --plan FOLDER …")
        };
        if ready.state != record.input.state {
            return Err(changed(
                "the input is another one than when the plan was made",
            ));
        }
        if of_input(ready.set.reader.schema()) != record.input.metadata {
            return Err(changed(
                "the metadata is not what it was when the plan was made",
            ));
        }
        if of_output(&ready.plan, ready.create) != record.schema {
            return Err(changed("the copy would not be stored as planned"));
        }
        let division = self.divided(ready, record, writer)?;
        match division.bytes() == self.record.bytes
            && record.variables.len() == ready.plan.data.len()
        {
            true => Ok(division),
            false => Err(changed("the data would not be divided as planned")),
        }
    }

    /// The division after [`Ready::size_strings`], without the checks of [`StoredPlan::division`]. `writer` was made for the output with these
    /// string lengths.
    ///
    /// # Errors
    /// Returns errors of the input.
    pub fn sized_division(&self, ready: &Ready<'_>, writer: &mut dyn Writer) -> Result<Division> {
        match &self.record.work {
            Work::Dataset(record) => self.divided(ready, record, writer),
            Work::Files(_) => Err(Error::internal("parts of files that are divided")),
        }
    }

    fn divided(
        &self,
        ready: &Ready<'_>,
        record: &DatasetRecord,
        writer: &mut dyn Writer,
    ) -> Result<Division> {
        let fills: Vec<bool> = record.variables.iter().map(|var| var.same_fill).collect();
        let jobs = parts::jobs(ready.set, &ready.plan, &fills, writer)?;
        let parts = self.record.parts - record.first_stage;
        let mut division = Division::new(jobs, writer, PartSize::Number(parts));
        if let Some(through) = record.through() {
            division = division.through(&through);
        }
        Ok(division)
    }
}
