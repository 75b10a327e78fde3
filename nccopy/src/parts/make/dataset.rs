//! Makes parts of one dataset.

use netcdf_core::chunk::PutChunks;
use netcdf_core::copy::parts::segment::Written;
use netcdf_core::copy::parts::{self, PartOutput, sketch};
use netcdf_core::env::Env;
use netcdf_core::error::Result;
use netcdf_core::format;
use netcdf_core::io::claimed::ClaimedStore;
use netcdf_core::sum::Digest;
use netcdf_core::tool::{self, Bar, Idle, Io};

use super::Failed;
use super::begun::Begun;
use crate::cli::Cli;
use crate::parts::folder::{Folder, StoredPlan};
use crate::parts::plan::one_copy;
use crate::parts::record::{DatasetRecord, DoneRecord, StorePlace};
use crate::ready::{self, Asked, Ready};

/// The parts of a dataset.
pub struct DatasetParts<'a> {
    pub cli: &'a Cli,
    pub folder: &'a Folder,
    pub plan: &'a StoredPlan,
    pub dataset: &'a DatasetRecord,
}

impl DatasetParts<'_> {
    /// Makes parts, one after the other.
    ///
    /// # Errors
    /// The first one, with the part that could not be made.
    pub fn make(
        &self,
        numbers: &[u64],
        env: &mut Env,
        io: &mut Io,
    ) -> std::result::Result<(), Failed> {
        let (cli, of_none) = (self.cli, |e| (None, e));
        let copy = one_copy(cli).map_err(of_none)?;
        env.scratch = copy.output.scratch();
        let idle = Idle::default();
        let bar = Bar::over(vec![copy.local.clone()], io.terminal && !cli.quiet);
        tool::catch_signals(&env.cancel, &idle, &bar.line()).map_err(of_none)?;
        let mut at = None;
        let asked = Asked {
            cli,
            copy: &copy,
            idle: &idle,
        };
        let made = ready::with(asked, env, io, |ready, _| {
            bar.begin(0, env.progress.clone());
            for &part in numbers {
                at = Some(part);
                self.one(&ready, part)?;
            }
            Ok(())
        });
        drop(bar);
        made.map_err(|e| (at, e))
    }

    fn one(&self, ready: &Ready<'_>, part: u64) -> Result<()> {
        let begun = Begun::new(self.folder, part)?;
        let (written, chunks) = match &self.dataset.store {
            Some(place) => self.put_chunks(ready, place, part)?,
            None => (self.segment(ready, part)?, vec![]),
        };
        begun.done(DoneRecord {
            plan: self.plan.digest,
            written,
            chunks,
            failed: vec![],
            seconds: String::new(),
        })
    }

    /// Stores a part in its segment.
    fn segment(&self, ready: &Ready<'_>, part: u64) -> Result<Written> {
        let whole = sketch(ready.plan.schema.clone(), ready.create, ready.set.env)?;
        let target = self.folder.segment_target(part, !self.cli.no_sync)?;
        let mut output = PartOutput::new(whole, target);
        let division = self.plan.division(ready, &mut output)?;
        parts::make(ready.set, &division, part, &mut output)?;
        ready.set.env.cancel.check()?;
        output.complete()
    }

    /// Puts the chunks of a part into the store.
    fn put_chunks(
        &self,
        ready: &Ready<'_>,
        place: &StorePlace,
        part: u64,
    ) -> Result<(Written, Vec<PutChunks>)> {
        let (env, to) = (ready.set.env, &ready.output);
        let (target, sums) = match place {
            StorePlace::Directory(store) => format::part_of_store(store, !self.cli.no_sync, env)?,
            StorePlace::Claimed(tag) => {
                let run = &env.run();
                ClaimedStore { to, tag, run }.part()?
            }
        };
        let mut writer = format::create(target, ready.plan.schema.clone(), ready.create, env)?;
        let division = self.plan.division(ready, &mut *writer)?;
        parts::make(ready.set, &division, part, &mut *writer)?;
        let chunks = writer.finish_part()?;
        let (bytes, digest) = sums.get();
        let digest = Digest::from_bytes(digest);
        Ok((Written { bytes, digest }, chunks))
    }
}
