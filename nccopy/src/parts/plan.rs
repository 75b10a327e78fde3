//! `--plan`: fixes the decisions that all parts share.

use std::path::{Path, PathBuf};

use netcdf_core::chunk::Dataset;
use netcdf_core::chunk::rechunk::InParts;
use netcdf_core::copy::jobs;
use netcdf_core::copy::parts::{Division, IntermediatePlan, sketch};
use netcdf_core::error::{Error, ErrorKind, OrInternal as _, Result};
use netcdf_core::format;
use netcdf_core::io::dir::shared;
use netcdf_core::io::file;
use netcdf_core::io::lease;
use netcdf_core::io::locator::{Destination, OutputForm};
use netcdf_core::model::Schema;
use netcdf_core::notes::{Note, Notes, few};
use netcdf_core::shown::{ShownAddress, number_agreement};
use netcdf_core::sum::Digest;
use netcdf_core::tool::{self, Idle, Io, Status};

use super::claim;
use super::digests::{of_input, of_output};
use super::emit::memory;
use super::estimate::Estimate;
use super::files::{self, PlanLists};
use super::one_copy::one_copy;
use super::plan_directory::{BETWEEN, PlanDirectory, StoredPlan};
use super::record::{
    DatasetRecord, FilesRecord, InputRecord, PartWork, PlanRecord, StorePlace, VariableRecord,
};
use crate::copies;
use crate::environment::environment;
use crate::inputs::CopyPair;
use crate::prepare::{self, PreparedCopy, RequestedCopy};
use crate::request::{CopyRequest, MOST_PARTS, PlanRequest};

/// A plan of one dataset, the schema of the intermediate store if there are two stages, and the costs.
type DatasetPlan = (PlanRecord, Option<Schema>, Estimate);

/// Writes the requested plan into its directory.
///
/// # Errors
/// Returns errors of the copy that metadata reveals, and errors of the plan directory.
pub(super) fn run(request: &PlanRequest, io: &mut Io) -> Result<Status> {
    tool::catch_limits()?;
    let (folder, process) = (&request.folder, &request.copy.process);
    let (parts, bytes, what, costs) = match files::listed(&request.copy)? {
        Some((copies, notes)) => {
            let listed = of_files((request, io.terminal && !process.quiet), &copies)?;
            let said = Notes::default();
            notes.into_iter().for_each(|note| said.remark(note));
            refused(&listed)
                .into_iter()
                .for_each(|note| said.remark(note));
            if !process.quiet {
                tool::tell("nccopy", &said, io);
            }
            let what = number_agreement(format!("bytes in {} files", copies.len()).into());
            let costs = of_copies(&request.copy, &listed).text();
            (listed.parts, listed.bytes, what, costs)
        }
        None => {
            let (record, between, estimate) = of_dataset(request, io)?;
            let costs = stages_of(&record) + &estimate.text();
            let fill = || {
                if let Some(schema) = between {
                    let place = folder.join(BETWEEN);
                    let env = environment(&request.copy);
                    format::begin_between(schema, &place, !process.no_sync, &env)?;
                }
                Ok(record)
            };
            let begin = |folder: &PlanDirectory, plan: &StoredPlan| match plan.record.store() {
                Some(StorePlace::Directory(store)) => {
                    folder.mark(plan).begin(store, !process.no_sync)
                }
                Some(StorePlace::Claimed(_)) | None => {
                    claim::begin(&request.copy, &plan.record, io)
                }
            };
            let record = PlanDirectory::create((folder, request.allow_secrets), fill, begin)?;
            let what = "bytes of elements".into();
            (record.parts, record.bytes, what, costs)
        }
    };
    let numbers = match parts {
        1 => "1 part, number 0".to_owned(),
        _ => format!("{parts} parts, numbers 0 to {}", parts - 1),
    };
    let text = format!("{numbers}; {bytes} {what}\n{costs}");
    let failed = |e| Error::io("cannot write", "(stdout)", e);
    io.stdout.write_all(text.as_bytes()).map_err(failed)?;
    Ok(Status::Success)
}

/// Describes the parts of two stages.
fn stages_of(record: &PlanRecord) -> String {
    match record.stages().as_slice() {
        [first, second] => format!(
            "two stages: parts {} to {} split input chunks into fragments, parts {} to {} join the fragments\n",
            first.start,
            first.end - 1,
            second.start,
            second.end - 1
        ),
        _ => String::new(),
    }
}

/// Plans the copies of many files.
fn of_files((request, shown): (&PlanRequest, bool), copies: &[CopyPair]) -> Result<PlanLists> {
    let mut all = None;
    let began = lease::now();
    let output = request.copy.to().unwrap_or(Path::new(""));
    let fill = || {
        let listed = all.insert(files::plan((request, shown), copies)?);
        Ok(PlanRecord {
            identity: claim::tag(),
            directory: here()?,
            arguments: request.arguments.clone(),
            output: output.to_string_lossy().into_owned(),
            parts: listed.parts,
            bytes: listed.bytes,
            time: began,
            work: PartWork::Files(FilesRecord {
                files: copies.len() as u64,
                estimate: of_copies(&request.copy, listed).json(),
            }),
        })
    };
    let folder = (request.folder.as_path(), request.allow_secrets);
    PlanDirectory::create(folder, fill, |_, _| Ok(()))?;
    all.or_internal("the lists of the plan")
}

/// Estimates the costs of copying many files.
fn of_copies(request: &CopyRequest, listed: &PlanLists) -> Estimate {
    Estimate {
        costs: listed.costs,
        memory: memory(environment(request).memory.0),
    }
}

/// Returns a note about files that cannot be copied according to their headers.
fn refused(listed: &PlanLists) -> Option<Note> {
    let (first, e) = listed.refused.first()?;
    let names: Vec<&str> = listed
        .refused
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    Some(Note {
        object: few(&names),
        what: match e.to_string().strip_prefix(first.as_str()) {
            Some(why) => format!("cannot be copied{why}"),
            None => format!("cannot be copied: {e}"),
        },
        remedy: Some("parts try again, and --finish lists the failed files".to_owned()),
    })
}

/// Returns the base directory of relative paths.
fn here() -> Result<PathBuf> {
    std::env::current_dir().map_err(|e| Error::io("cannot find", ".", e))
}

/// Plans the copy of one dataset.
fn of_dataset(plan: &PlanRequest, io: &mut Io) -> Result<DatasetPlan> {
    let request = &plan.copy;
    let copy = one_copy(request)?;
    copies::check_new(request, &copy)?;
    let env = environment(request);
    let began = lease::now();
    let asked = RequestedCopy {
        request,
        copy: &copy,
        idle: &Idle::default(),
    };
    let record = prepare::with(asked, &env, io, |prepared, _| {
        // Detect output errors before the parts run. For a remote output, this check could remove the existing store, so the store begins
        // only after the plan exists.
        if copy.output.remote.is_none() {
            drop(prepared.target(request, &copy)?);
        }
        env.notes.check()?;
        record((plan, began), &copy, &prepared)
    });
    if !request.process.quiet || env.notes.is_strict() {
        tool::tell("nccopy", &env.notes, io);
    }
    record
}

fn record(
    (request, began): (&PlanRequest, u64),
    copy: &CopyPair,
    prepared: &PreparedCopy<'_>,
) -> Result<DatasetPlan> {
    let (set, plan) = (prepared.set, &prepared.plan);
    let mut writer = sketch(plan.schema.clone(), prepared.create, set.env)?;
    let jobs = jobs(set, plan, &mut *writer)?;
    let division = Division::new((set.reader, jobs), &*writer, request.size);
    let (through, first_stage) = stages(request.stages, set, &division);
    let parts = first_stage.checked_add(division.parts());
    let parts = parts.filter(|parts| *parts <= MOST_PARTS).ok_or_else(|| {
        let what = format!("--part-size: too many parts, at most {MOST_PARTS} are possible");
        Error::new(ErrorKind::Argument, what)
    })?;
    let between = match &through {
        Some(through) => Some(through.first(set, &plan.data)?.schema),
        None => None,
    };
    let directory = here()?;
    let digest = of_output(plan, prepared.create);
    let store = store((&prepared.output, &directory), &digest);
    let schema = set.reader.schema();
    let chunks = through.as_ref().map_or(&[][..], IntermediatePlan::vars);
    let variables = division
        .shares()
        .enumerate()
        .map(|(n, var)| VariableRecord {
            path: schema.var_path(var.pair.from),
            bytes: var.bytes,
            at_finish: var.at_join,
            same_fill: var.same_fill,
            between: chunks.get(n).cloned().flatten(),
        });
    let estimate = Estimate {
        costs: division.costs(set, chunks, (&*writer, store.is_none()))?,
        memory: memory(set.env.memory.0),
    };
    let dataset = DatasetRecord {
        input: InputRecord {
            path: ShownAddress::of(&copy.input).into_text(),
            state: prepared.state.clone(),
            metadata: of_input(schema),
            files: other_files(prepared, &directory)?,
        },
        selected: prepared.selected.clone(),
        store,
        schema: digest,
        first_stage,
        estimate: estimate.json(),
        variables: variables.collect(),
    };
    let record = PlanRecord {
        identity: claim::tag(),
        directory,
        arguments: request.arguments.clone(),
        output: copy.output.path.to_string_lossy().into_owned(),
        parts,
        bytes: division.bytes(),
        time: began.max(prepared.reads.newest()),
        work: PartWork::Dataset(Box::new(dataset)),
    };
    Ok((record, between, estimate))
}

/// Returns the other files that contain data of the input, with their states. Parts locate local files by absolute paths.
fn other_files(prepared: &PreparedCopy<'_>, directory: &Path) -> Result<Vec<(String, String)>> {
    let (set, pairs) = (prepared.set, &prepared.plan.data);
    for pair in pairs {
        if let Some(files) = set.reader.named_files(pair.from) {
            files.open(pair.from, set.env)?;
        }
    }
    let absolute = |(name, state): (String, String)| match name.contains("://") {
        true => (name, state),
        false => {
            let path = directory.join(name);
            (path.to_string_lossy().into_owned(), state)
        }
    };
    let files = set.env.siblings.opened.states();
    Ok(files.into_iter().map(absolute).collect())
}

/// Returns the variables that use the intermediate store, and the number of parts of the first stage.
fn stages(
    number: Option<u8>,
    set: Dataset<'_>,
    division: &Division,
) -> (Option<IntermediatePlan>, u64) {
    let memory = set.env.memory.0;
    let choose = |parts: InParts<'_>| match number {
        Some(1) => None,
        Some(_) => Some(parts.between(memory)),
        None => parts.cheaper(memory),
    };
    match division.stages(set, &choose) {
        None => (None, 0),
        through => (through, division.parts()),
    }
}

/// Returns the location of the store that the parts write concurrently, if the output is a store.
fn store((output, directory): (&Destination, &Path), digest: &Digest) -> Option<StorePlace> {
    let tag: String = digest.to_string().chars().take(8).collect();
    let place = || match output.remote {
        Some(_) => StorePlace::Claimed(claim::tag()),
        None => StorePlace::Directory(shared::place(
            &file::real(&directory.join(&output.path)),
            &tag,
        )),
    };
    (output.form == OutputForm::Directory).then(place)
}
