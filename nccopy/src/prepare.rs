//! Opens the input of a copy, and plans the copy.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use netcdf_core::arithmetic::Amount;
use netcdf_core::chunk::{Dataset, ReadCache, Reader, Writer};
use netcdf_core::copy::references::ReferencePlan;
use netcdf_core::copy::{self, CopyOptions, CopyReport, NewRecords, Plan};
use netcdf_core::env::Env;
use netcdf_core::error::{Error, Result};
use netcdf_core::format;
use netcdf_core::io::deferred::{DeferredOutput, defer_commit};
use netcdf_core::io::key_reads::KeyReads;
use netcdf_core::io::locator::{Destination, InputAccess, Location, OutputForm};
use netcdf_core::io::references::MissingSource;
use netcdf_core::io::trace::Trace;
use netcdf_core::io::{Container, Output};
use netcdf_core::model::{CreateOptions, FileSpace, Kind, Schema, ZarrOptions};
use netcdf_core::notes::Note;
use netcdf_core::survey;
use netcdf_core::tool::{Idle, Io};
use netcdf_grammar::hyperslab::SelectedIndices;
use netcdf_grammar::join;

use crate::inputs::CopyPair;
use crate::request::{CloudRules, CopyRequest, PartRequest};
use crate::request_match::{PlannedCopy, StoredFile};
use crate::{append, cloud, edited_input, in_place, options, references, report, unfinished};

/// Estimated maximum metadata bytes of a file, apart from chunk metadata.
const METADATA: u64 = 1 << 20;

/// A requested copy of one dataset.
#[derive(Clone, Copy)]
pub(crate) struct RequestedCopy<'a> {
    pub request: &'a CopyRequest,
    pub copy: &'a CopyPair,
    /// Whether a signal may end the process at once.
    pub idle: &'a Idle,
}

/// Returns settings for opening inputs.
fn access(request: &CopyRequest, trace: Trace, env: &Env) -> InputAccess {
    InputAccess {
        trace,
        allow_external: request.checks.allow_external,
        limits: env.limits.clone(),
        notes: Arc::clone(&env.notes),
        network: Arc::clone(&env.network),
        siblings: env.siblings.clone(),
        missing: match request.checks.fill_missing {
            true => MissingSource::Skip,
            false => MissingSource::Error,
        },
        ..InputAccess::default()
    }
}

/// An open input with its cache, before the requested changes.
pub(crate) struct CopyInput<'e> {
    reader: Box<dyn Reader + 'e>,
    cache: ReadCache,
    name: Arc<str>,
    /// The properties of the file, for `--in-place`.
    file: Option<StoredFile>,
    /// Whether the input has consolidated metadata.
    consolidated: bool,
    state: Option<String>,
    reads: Arc<KeyReads>,
    /// Whether the output already has all records of the inputs.
    is_unchanged: bool,
    /// The records that extend the output.
    records: Option<NewRecords>,
    trace: Trace,
}

impl<'e> CopyInput<'e> {
    /// Opens the input of a copy.
    ///
    /// # Errors
    /// Returns errors of opening, and of inputs that `--in-place` cannot replace.
    pub(crate) fn new(
        (request, copy): (&CopyRequest, &CopyPair),
        env: &'e Env,
        io: &mut Io,
    ) -> Result<Self> {
        let trace = Trace::from_environment(request.process.trace);
        let access = access(request, trace.clone(), env);
        if let Some(join) = &request.files.join {
            if request.extends() {
                append::check((request, copy), &access, env)?;
            }
            let joined = join::open(join, access, &mut *io.stdin, env)?;
            return Ok(Self {
                reader: Box::new(joined.reader),
                cache: ReadCache::new(env),
                name: copy.input.to_string_lossy().into(),
                file: None,
                consolidated: false,
                state: request.is_in_parts().then_some(joined.state),
                reads: Arc::default(),
                is_unchanged: joined.is_unchanged && request.extends(),
                records: joined.records,
                trace,
            });
        }
        if request.in_place().is_some() && request.dry_run().is_none() {
            unfinished::end_if_any(&copy.local, env)?;
        }
        let input = access.input(&Location::new(&copy.input)?, &mut *io.stdin)?;
        let name = Arc::clone(input.name());
        // Read errors are ignored: `open` reports them.
        let consolidated =
            is_store(copy.output.form) && in_place::is_consolidated(&input).unwrap_or(false);
        let file = stored(request, &input, consolidated)?;
        let replaceable = match request.in_place() {
            Some(_) => in_place::check(copy, &input),
            None => Ok(()),
        };
        // Only plans compare states. The state of a store needs the metadata of each key.
        let reads = Arc::new(KeyReads::default());
        let state = match request.is_in_parts() {
            true => {
                input.watch(&reads);
                input.state()?
            }
            false => None,
        };
        // Errors of `open` identify foreign files.
        let reader = format::open(input, env)?;
        if request.in_place().is_some() {
            in_place::check_kind(copy, &*reader)?;
        }
        replaceable?;
        Ok(Self {
            reader,
            cache: ReadCache::new(env),
            name,
            file,
            consolidated,
            state,
            reads,
            is_unchanged: false,
            records: None,
            trace,
        })
    }

    /// Returns the dataset with its cache.
    pub(crate) fn set<'a>(&'a self, env: &'a Env) -> Dataset<'a> {
        Dataset::new(&*self.reader, env).with(&self.cache)
    }
}

/// A planned copy with its open input.
pub(crate) struct PreparedCopy<'a> {
    /// The input with the requested changes.
    pub set: Dataset<'a>,
    /// The input as stored.
    pub stored: Dataset<'a>,
    /// The indices of the dimensions that `--select` names.
    pub selected: Vec<SelectedIndices>,
    /// The plan of the copy.
    pub plan: Plan,
    /// The references to write, for outputs that contain references.
    pub references: Option<ReferencePlan>,
    /// The destination of the copy.
    pub output: Destination,
    /// Storage options of the whole output.
    pub create: CreateOptions,
    /// The state of the input, for a copy in parts.
    pub state: Option<String>,
    /// The keys of the input that are read, for a copy in parts.
    pub reads: Arc<KeyReads>,
    /// Whether the output stays: with `--in-place`, it is already stored as requested; with `--append`, it has all records.
    pub matches_request: bool,
    /// Whether to count stored bytes of the input.
    pub counts: bool,
    /// The records that extend the output.
    pub records: Option<NewRecords>,
    /// The number of bytes that a change in place writes, for `--dry-run`.
    pub changed_bytes: Option<u64>,
    /// The input size for `--if-smaller`.
    bytes: Option<u64>,
    trace: Trace,
}

/// Opens the input of a copy, plans the copy, and calls `then`. Errors name the input.
///
/// # Errors
/// Returns errors of opening and planning, and of `then`.
pub(crate) fn with<R>(
    asked: RequestedCopy<'_>,
    env: &Env,
    io: &mut Io,
    then: impl FnOnce(PreparedCopy<'_>, &mut Io) -> Result<R>,
) -> Result<R> {
    let input = opened(asked, env, io)?;
    with_input((asked, &input), env, io, then)
}

/// Opens the input of a copy. Meanwhile, a signal may end the process at once.
///
/// # Errors
/// Returns errors of opening.
pub(crate) fn opened<'e>(
    asked: RequestedCopy<'_>,
    env: &'e Env,
    io: &mut Io,
) -> Result<CopyInput<'e>> {
    asked.idle.store(true, Ordering::Relaxed);
    let input = CopyInput::new((asked.request, asked.copy), env, io)?;
    // From here on, a temporary file may exist, which a signal must not leave behind.
    asked.idle.store(false, Ordering::Relaxed);
    Ok(input)
}

/// Plans a copy of an open input, and calls `then`. Errors name the input.
///
/// # Errors
/// Returns errors of planning, and of `then`.
pub(crate) fn with_input<R>(
    (RequestedCopy { request, copy, .. }, input): (RequestedCopy<'_>, &CopyInput<'_>),
    env: &Env,
    io: &mut Io,
    then: impl FnOnce(PreparedCopy<'_>, &mut Io) -> Result<R>,
) -> Result<R> {
    let CopyInput {
        reader,
        cache,
        name,
        file,
        consolidated,
        is_unchanged,
        records,
        ..
    } = input;
    let in_place = request.in_place();
    let whole = input.set(env);
    if in_place.is_some() {
        in_place::check_whole(copy, &**reader)?;
    }
    let select = request.select.of_part(copy.part.as_ref());
    let part = PartRequest {
        request,
        select: &select,
    };
    let edited = edited_input::edited(part, whole, cache);
    let edited = edited.map_err(|e| e.of(name))?;
    let of_edited = ReadCache::new(env);
    let set = match &edited {
        Some(edited) => Dataset::new(&edited.view, env).with(&of_edited),
        None => whole,
    };
    let named = edited
        .as_ref()
        .map_or(whole.reader.schema(), |edited| &edited.named);
    let kind = reader.schema().kind;
    let output = copy.output.clone().of_input(kind, request.output);
    let (plan, references) = plan(part, output.kind, (set, named)).map_err(|e| e.of(name))?;
    let mut create = create(request.storage.cloud, &output, plan.schema.kind);
    create.zarr.consolidated |= *consolidated;
    let planned = PlannedCopy {
        request,
        stored: whole,
        set,
        plan: &plan,
        create,
    };
    let unsaid = env.notes.check().is_ok();
    let force = in_place.is_some_and(|options| options.force);
    let prepared = PreparedCopy {
        counts: request.reported().is_some(),
        records: *records,
        matches_request: *is_unchanged
            || file.is_some_and(|file| !force && unsaid && planned.matches_request(file)),
        bytes: file
            .filter(|_| request.if_smaller())
            .and_then(|file| file.size.bytes),
        changed_bytes: None,
        create,
        set,
        stored: whole,
        selected: edited
            .as_ref()
            .map_or(vec![], |edited| edited.selected.clone()),
        plan,
        references,
        output,
        state: input.state.clone(),
        reads: Arc::clone(&input.reads),
        trace: input.trace.clone(),
    };
    then(prepared, io).map_err(|e| e.of(name))
}

impl PreparedCopy<'_> {
    /// Begins the output.
    ///
    /// # Errors
    /// Returns errors of the target. Returns notes as errors with `--strict`.
    pub(crate) fn target(&self, request: &CopyRequest, copy: &CopyPair) -> Result<Output> {
        self.set.env.notes.check()?;
        if let Some(folder) = copy.output.path.parent().filter(|_| copy.makes_folder) {
            let failed = |e| Error::io("cannot create", &folder.to_string_lossy(), e);
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        let output = Destination {
            at_most: match self.references {
                Some(_) => None,
                None => Some(self.at_most()?),
            },
            ..self.output.clone()
        };
        let sync = !request.process.no_sync;
        format::output(&output, sync, self.set.env, &self.trace)
    }

    /// Returns the maximum output size in bytes: all values without compression, plus metadata.
    fn at_most(&self) -> Result<u64> {
        let values = copy::verify::bytes(self.set.reader, &self.plan)?;
        Ok((Amount::of(values) + values / 16 + METADATA).get())
    }

    /// Reads strings of unknown length to find the length.
    ///
    /// # Errors
    /// Returns read errors.
    pub(crate) fn size_strings(&mut self) -> Result<()> {
        match self.plan.unsized_strings.is_empty() {
            true => Ok(()),
            false => copy::plan::size_strings(self.set, &mut self.plan),
        }
    }

    /// Writes the output. `fill` stores the data of the input. Returns `None` if `--if-smaller` keeps the input.
    ///
    /// # Errors
    /// Returns errors of the target and of `fill`. With `--verify`, returns differences from the input as errors.
    pub(crate) fn written(
        self,
        request: &CopyRequest,
        (copy, target): (&CopyPair, Output),
        fill: impl FnOnce(Dataset<'_>, &Plan, Box<dyn Writer>) -> Result<CopyReport>,
    ) -> Result<Option<CopyReport>> {
        let Self { set, plan, .. } = &self;
        let env = set.env;
        let (in_place, verify) = (request.in_place(), request.checks.verify);
        let replaces = self.output.replaces_store() && in_place.is_none() && !request.extends();
        let mtime = in_place
            .filter(|options| options.keep_mtime)
            .and_then(|_| in_place::modified(&copy.local));
        let (target, smaller) = held(target, request.if_smaller());
        let (target, kept) = held(target, verify);
        let writer = format::create(target, plan.schema.clone(), self.create, env)?;
        if verify {
            env.progress.expect(copy::verify::bytes(set.reader, plan)?);
        }
        let before = match self.counts {
            true => copy::report::before(*set, plan)?,
            false => vec![],
        };
        let mut report = fill(*set, plan, writer)?;
        report.add_before(&before);
        if let Some(kept) = kept {
            let allowed = copy::verify(*set, plan, &kept)?;
            report.add_allowed(plan, allowed);
            if request.reported().is_none()
                && let Some(note) = report::allowed(&report, &copy.output.path)
            {
                env.notes.remark(note);
            }
        }
        if let Some(smaller) = smaller
            && !self.is_replaced(smaller.take()?)?
        {
            return Ok(None);
        }
        in_place::keep_mtime(copy, mtime, &env.notes);
        if replaces {
            env.notes.remark(self.output.replaced());
        }
        Ok(Some(report))
    }

    /// Commits the output if it has fewer bytes than the input. An unknown size keeps the input.
    fn is_replaced(&self, mut output: Output) -> Result<bool> {
        let bytes = survey::size(&output.written()?)?.bytes;
        match self.bytes.zip(bytes).is_some_and(|(old, new)| new < old) {
            true => output.commit().map(|()| true),
            false => Ok(false),
        }
    }
}

/// Returns whether an output is a Zarr store.
fn is_store(form: OutputForm) -> bool {
    matches!(form, OutputForm::Directory | OutputForm::Zip { .. })
}

/// Collects properties of a dataset for `--in-place` before its reader takes the container.
fn stored(
    request: &CopyRequest,
    input: &Container,
    consolidated: bool,
) -> Result<Option<StoredFile>> {
    if request.in_place().is_none() {
        return Ok(None);
    }
    StoredFile::of(request, input, consolidated).map(Some)
}

/// Returns the storage options of the whole output.
fn create(cloud: Option<CloudRules>, output: &Destination, kind: Kind) -> CreateOptions {
    CreateOptions {
        // All data of classic files is written. Unselected data stays zero, as in C. For netCDF-4 variables, the plan decides.
        no_fill: !format::traits(kind).settings,
        header_pad: 0,
        space: cloud.map_or(FileSpace::Mixed, CloudRules::space),
        // Remote readers need the metadata of a store under one key.
        zarr: ZarrOptions {
            consolidated: output.zarr.consolidated || cloud.is_some(),
            ..output.zarr
        },
    }
}

/// Returns the target. With `verify`, the target stays hidden until the output has been verified.
fn held(target: Output, verify: bool) -> (Output, Option<DeferredOutput>) {
    if !verify {
        return (target, None);
    }
    let (target, kept) = defer_commit(target);
    (target, Some(kept))
}

/// Plans a copy. Options use the names in `named`, which has the same ids as the dataset.
fn plan(
    part: PartRequest<'_>,
    kind: Option<Kind>,
    (set, named): (Dataset<'_>, &Schema),
) -> Result<(Plan, Option<ReferencePlan>)> {
    let request = part.request;
    let (reader, env) = (set.reader, set.env);
    let fixed = cloud::fixed(request.storage.cloud, set)?;
    let options = options::resolve(part, kind, (named, fixed), &env.notes)?;
    let kind = options.kind.unwrap_or(reader.schema().kind);
    for what in options::without_effect(&request.storage, kind) {
        env.notes.say(Note {
            object: what.to_owned(),
            what: "no effect on classic output".to_owned(),
            remedy: Some("use -k nc4 for netCDF-4 output".to_owned()),
        });
    }
    if options::pages_without_effect(&request.storage, kind) {
        env.notes.say(Note {
            object: "--cloud=paged".to_owned(),
            what: "no effect on Zarr output".to_owned(),
            remedy: Some("use -k nc4 for netCDF-4 output".to_owned()),
        });
    }
    let mut plan = planned(request, set, &options)?;
    let references = match request.output.references {
        false => None,
        true => {
            let again = |options: &CopyOptions| planned(request, set, options);
            let made = references::plan((request, set), options, &mut plan, again)?;
            Some(made)
        }
    };
    Ok((plan, references))
}

/// Plans a copy with resolved options.
fn planned(request: &CopyRequest, set: Dataset<'_>, options: &CopyOptions) -> Result<Plan> {
    let env = set.env;
    let mut plan = copy::plan(set.reader.schema(), options)?;
    plan.notes.drain(..).for_each(|note| env.notes.say(note));
    let remarks = plan.remarks.drain(..);
    remarks.for_each(|remark| env.notes.remark(remark));
    copy::plan::keep_fill_values(set, &mut plan)?;
    match request.dry_run().is_some() || request.is_in_parts() {
        // Known strings are sized without reading data.
        true => copy::plan::size_known_strings(set, &mut plan)?,
        false => copy::plan::size_strings(set, &mut plan)?,
    }
    Ok(plan)
}
