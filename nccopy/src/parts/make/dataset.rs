//! Runs parts of one dataset.

use std::sync::Arc;

use netcdf_core::chunk::{Dataset, PutChunks, ReadCache, Writer};
use netcdf_core::copy::parts::segment::SegmentContent;
use netcdf_core::copy::parts::{self, PartOrigin, PartOutput, sketch};
use netcdf_core::env::Env;
use netcdf_core::error::{Error, ErrorKind, OrInternal as _, Result};
use netcdf_core::format;
use netcdf_core::io::Container;
use netcdf_core::io::claimed::ClaimedStore;
use netcdf_core::io::dir::DirStore;
use netcdf_core::io::sums::{KeySum, RunningSums};
use netcdf_core::model::CreateOptions;
use netcdf_core::sum::Digest;
use netcdf_core::tool::{self, Bar, Idle, Io};

use super::Failed;
use super::running_part::RunningPart;
use crate::parts::one_copy::one_copy;
use crate::parts::plan_directory::{PlanDirectory, StoredPlan};
use crate::parts::record::{DatasetRecord, DoneRecord, StorePlace};
use crate::prepare::{self, CopyInput, PreparedCopy, RequestedCopy};
use crate::request::CopyRequest;

/// The joined input of a plan. A process opens the input once for all its parts, because opening reads the headers of all inputs. Each
/// part opens any other input again.
pub(super) struct JoinedInput<'a> {
    env: &'a Env,
    opened: Option<CopyInput<'a>>,
}

impl<'a> JoinedInput<'a> {
    pub(super) fn new(env: &'a Env) -> Self {
        Self { env, opened: None }
    }

    /// Returns the open input of a join, or `None` without a join.
    fn get(&mut self, asked: RequestedCopy<'_>, io: &mut Io) -> Result<Option<&CopyInput<'a>>> {
        if asked.request.files.join.is_some() && self.opened.is_none() {
            self.opened = Some(prepare::opened(asked, self.env, io)?);
        }
        Ok(self.opened.as_ref())
    }
}

/// The parts of a dataset.
pub(super) struct DatasetParts<'a> {
    pub request: &'a CopyRequest,
    pub folder: &'a PlanDirectory,
    pub plan: &'a StoredPlan,
    pub dataset: &'a DatasetRecord,
}

impl DatasetParts<'_> {
    /// Runs parts in sequence.
    ///
    /// # Errors
    /// Returns the first error, with the number of the failed part.
    pub(super) fn make(
        &self,
        (numbers, joined): (&[u64], &mut JoinedInput<'_>),
        env: &mut Env,
        io: &mut Io,
    ) -> std::result::Result<(), Failed> {
        let (request, of_none) = (self.request, |e| (None, e));
        let copy = one_copy(request).map_err(of_none)?;
        env.scratch = copy.output.scratch();
        let idle = Idle::default();
        let bar = Bar::over(
            vec![copy.local.clone()],
            io.terminal && !request.process.quiet,
        );
        tool::catch_signals(&env.cancel, &idle, &bar.line()).map_err(of_none)?;
        let mut at = None;
        let asked = RequestedCopy {
            request,
            copy: &copy,
            idle: &idle,
        };
        let make = |prepared: PreparedCopy<'_>, _: &mut Io| {
            bar.begin(0, env.progress.clone());
            for &part in numbers {
                at = Some(part);
                self.one(&prepared, part).or_else(|e| self.if_late(e))?;
            }
            Ok(())
        };
        let made = match joined.get(asked, io).map_err(of_none)? {
            Some(input) => prepare::with_input((asked, input), env, io, make),
            None => prepare::with(asked, env, io, make),
        };
        drop(bar);
        made.map_err(|e| (at, e))
    }

    /// Ignores an error after another process finished the plan: this process was a late copy of a part.
    fn if_late(&self, e: Error) -> Result<()> {
        let cancelled = e.kind() == ErrorKind::Cancelled;
        match !cancelled && self.folder.is_finished(self.plan)? {
            true => Ok(()),
            false => Err(e),
        }
    }

    fn one(&self, prepared: &PreparedCopy<'_>, part: u64) -> Result<()> {
        let running = RunningPart::new(self.folder, part, &prepared.set.env.progress)?;
        let (written, chunks) = match part.checked_sub(self.dataset.first_stage) {
            None => self.put_between(prepared, part)?,
            Some(number) => self.of_output(prepared, (part, number))?,
        };
        running.done(DoneRecord {
            plan: self.plan.digest,
            written,
            chunks,
            failed: vec![],
            reads: prepared.reads.record(),
            files: prepared.set.env.siblings.opened.states(),
            seconds: String::new(),
        })
    }

    /// Stores a part of the first stage.
    fn put_between(
        &self,
        prepared: &PreparedCopy<'_>,
        part: u64,
    ) -> Result<(SegmentContent, Vec<PutChunks>)> {
        let (set, through) = (prepared.set, self.dataset.through());
        let through = through.or_internal("variables of the first stage")?;
        let first = through.first(set, &prepared.plan.data)?;
        let place = self.folder.between();
        let (target, sums) = format::part_of_store(&place, None, self.is_synced(), set.env)?;
        let create = CreateOptions::default();
        let mut writer = format::create(target, first.schema.clone(), create, set.env)?;
        // Check that the plan still holds.
        self.plan.division(prepared, &mut *self.sketch(prepared)?)?;
        let parts = self.dataset.first_stage;
        let division = through.divided((set, &first), parts, &mut *writer)?;
        let origin = PartOrigin { set, between: None };
        parts::make(origin, &division, part, &mut *writer)?;
        self.check_reads(prepared)?;
        let chunks = writer.shared()?.end_part()?;
        writer.finish()?;
        Ok((written(&sums), chunks))
    }

    /// Stores a part of the output. The number counts parts of the same stage.
    fn of_output(
        &self,
        prepared: &PreparedCopy<'_>,
        (part, number): (u64, u64),
    ) -> Result<(SegmentContent, Vec<PutChunks>)> {
        let set = prepared.set;
        let env = set.env;
        let between = match self.dataset.first_stage {
            0 => None,
            _ => Some(Container::Store(Arc::new(DirStore::open(
                &self.folder.between(),
            )?))),
        };
        let between = between.map(|store| format::open(store, env)).transpose()?;
        let cache = ReadCache::new(env);
        let between = between
            .as_deref()
            .map(|b| Dataset::new(b, env).with(&cache));
        let origin = PartOrigin { set, between };
        match &self.dataset.store {
            Some(store) => self.put_chunks((prepared, origin), store, number),
            None => Ok((self.segment((prepared, origin), (part, number))?, vec![])),
        }
    }

    /// Checks that no key that was read has changed since the plan was made, and no other input file since it was opened.
    fn check_reads(&self, prepared: &PreparedCopy<'_>) -> Result<()> {
        prepared.set.env.siblings.opened.check()?;
        prepared.reads.check(self.plan.record.time)
    }

    /// Checks whether stored data is synced.
    fn is_synced(&self) -> bool {
        !self.request.process.no_sync
    }

    /// Returns a writer that only computes the output layout.
    fn sketch(&self, prepared: &PreparedCopy<'_>) -> Result<Box<dyn Writer>> {
        sketch(
            prepared.plan.schema.clone(),
            prepared.create,
            prepared.set.env,
        )
    }

    /// Stores a part in its segment.
    fn segment(
        &self,
        (prepared, origin): (&PreparedCopy<'_>, PartOrigin<'_>),
        (part, number): (u64, u64),
    ) -> Result<SegmentContent> {
        let whole = self.sketch(prepared)?;
        let target = self.folder.segment_target(part, self.is_synced())?;
        let mut output = PartOutput::new(whole, target);
        let division = self.plan.division(prepared, &mut output)?;
        parts::make(origin, &division, number, &mut output)?;
        self.check_reads(prepared)?;
        prepared.set.env.cancel.check()?;
        output.complete()
    }

    /// Writes the chunks of a part into the store.
    fn put_chunks(
        &self,
        (prepared, origin): (&PreparedCopy<'_>, PartOrigin<'_>),
        place: &StorePlace,
        number: u64,
    ) -> Result<(SegmentContent, Vec<PutChunks>)> {
        let (env, to) = (prepared.set.env, &prepared.output);
        let (target, sums) = match place {
            StorePlace::Directory(store) => {
                let mark = self.folder.mark(self.plan);
                format::part_of_store(store, Some(&mark), self.is_synced(), env)?
            }
            StorePlace::Claimed(tag) => {
                let run = &env.run();
                ClaimedStore { to, tag, run }.part()?
            }
        };
        let mut writer =
            format::create(target, prepared.plan.schema.clone(), prepared.create, env)?;
        let division = self.plan.division(prepared, &mut *writer)?;
        parts::make(origin, &division, number, &mut *writer)?;
        self.check_reads(prepared)?;
        let chunks = writer.shared()?.end_part()?;
        writer.finish()?;
        Ok((written(&sums), chunks))
    }
}

/// Returns size and digest of the data written to a store.
fn written(sums: &RunningSums) -> SegmentContent {
    let KeySum { bytes, sum } = sums.get();
    let digest = Digest::from_bytes(sum);
    SegmentContent { bytes, digest }
}
