//! `--plan`: decides what all parts share.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use netcdf_core::chunk::Dataset;
use netcdf_core::chunk::rechunk::InParts;
use netcdf_core::copy::parts::{Division, PartSize, Through, sketch};
use netcdf_core::copy::{Plan, jobs};
use netcdf_core::error::{Error, ErrorKind, OrInternal as _, Result};
use netcdf_core::format;
use netcdf_core::io::dir::shared;
use netcdf_core::io::file;
use netcdf_core::io::lease;
use netcdf_core::io::locator::{Destination, OutputForm};
use netcdf_core::model::{CreateOptions, Schema};
use netcdf_core::notes::{Note, Notes, few};
use netcdf_core::shown::{ShownAddress, number_agreement};
use netcdf_core::sum::Digest;
use netcdf_core::tool::{self, Idle, Io, Status};

use super::emit::memory;
use super::estimate::Estimate;
use super::files::{self, Listed, Size};
use super::folder::{BETWEEN, Folder, StoredPlan};
use super::record::{
    DatasetRecord, FilesRecord, InputRecord, PlanRecord, StorePlace, VariableRecord, Work,
};
use super::{MOST_PARTS, claimed, wrong};
use crate::cli::Cli;
use crate::inputs::Copy;
use crate::ready::{self, Asked, Ready};
use crate::{copies, environment, history};

/// A plan of one dataset, the schema of the store between two stages, if there are two, and the costs.
type Planned = (PlanRecord, Option<Schema>, Estimate);

/// Bytes of elements of a part, if nobody says how many parts there are.
const PART: u64 = 1 << 30;

/// Writes the plan that the command line asks for into a folder.
///
/// # Errors
/// Those of the copy as far as metadata tells, and of the folder.
pub fn run(cli: &Cli, (args, folder): (&[OsString], &Path), io: &mut Io) -> Result<Status> {
    tool::catch_limits()?;
    let (parts, bytes, what, costs) = match files::listed(cli)? {
        Some((copies, notes)) => {
            let listed = of_files((cli, io.terminal && !cli.quiet), (args, folder), &copies)?;
            let said = Notes::default();
            notes.into_iter().for_each(|note| said.remark(note));
            refused(&listed)
                .into_iter()
                .for_each(|note| said.remark(note));
            if !cli.quiet {
                tool::tell("nccopy", &said, io);
            }
            let what = number_agreement(format!("bytes in {} files", copies.len()).into());
            let costs = of_copies(cli, &listed).text();
            (listed.parts, listed.bytes, what, costs)
        }
        None => {
            let (record, between, estimate) = of_dataset(cli, args, io)?;
            let costs = stages_of(&record) + &estimate.text();
            let fill = || {
                if let Some(schema) = between {
                    let place = folder.join(BETWEEN);
                    format::begin_between(schema, &place, !cli.no_sync, &environment(cli))?;
                }
                Ok(record)
            };
            let begin = |folder: &Folder, plan: &StoredPlan| match plan.record.store() {
                Some(StorePlace::Directory(store)) => folder.mark(plan).begin(store, !cli.no_sync),
                Some(StorePlace::Claimed(_)) | None => claimed::begin(cli, &plan.record, io),
            };
            let record = Folder::create((folder, cli.parts.allow_secrets), fill, begin)?;
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

/// Returns the arguments for all parts, with the time for `--history`.
fn arguments(cli: &Cli, args: &[OsString]) -> Vec<OsString> {
    let time = || format!("{}{}", history::TIME, cli.started).into();
    let time = (cli.edit.history && cli.edit.history_time.is_none()).then(time);
    let given = args.iter().skip(1).cloned();
    // Only paths may follow `--`.
    time.into_iter().chain(given).collect()
}

/// What the parts of two stages do.
fn stages_of(record: &PlanRecord) -> String {
    match record.stages().as_slice() {
        [first, second] => format!(
            "two stages: parts {} to {} cut chunks of the input into pieces, parts {} to {} put these together\n",
            first.start,
            first.end - 1,
            second.start,
            second.end - 1
        ),
        _ => String::new(),
    }
}

/// Plans the copies of many files.
fn of_files(
    (cli, shown): (&Cli, bool),
    (args, folder): (&[OsString], &Path),
    copies: &[Copy],
) -> Result<Listed> {
    let size = match (cli.parts.parts, cli.parts.part_size) {
        (Some(parts), _) => Size::Parts(parts),
        (None, bytes) => Size::Bytes(bytes.unwrap_or(PART)),
    };
    let mut all = None;
    let began = lease::now();
    let fill = || {
        let listed = all.insert(files::plan((cli, shown), folder, copies, size)?);
        Ok(PlanRecord {
            identity: claimed::tag(),
            directory: here()?,
            arguments: arguments(cli, args),
            output: cli.paths().1.to_string_lossy().into_owned(),
            parts: listed.parts,
            bytes: listed.bytes,
            time: began,
            work: Work::Files(FilesRecord {
                files: copies.len() as u64,
                estimate: of_copies(cli, listed).json(),
            }),
        })
    };
    Folder::create((folder, cli.parts.allow_secrets), fill, |_, _| Ok(()))?;
    all.or_internal("the lists of the plan")
}

/// What the copies of many files are going to take.
fn of_copies(cli: &Cli, listed: &Listed) -> Estimate {
    Estimate {
        costs: listed.costs,
        memory: memory(environment(cli).memory.0),
    }
}

/// A note about files that cannot be copied as far as their headers tell.
fn refused(listed: &Listed) -> Option<Note> {
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
        remedy: Some("parts try, and --finish names what could not be copied".to_owned()),
    })
}

/// The directory that relative paths start from.
fn here() -> Result<PathBuf> {
    std::env::current_dir().map_err(|e| Error::io("cannot find", ".", e))
}

/// Plans the copy of one dataset.
fn of_dataset(cli: &Cli, args: &[OsString], io: &mut Io) -> Result<Planned> {
    let copy = one_copy(cli)?;
    let env = environment(cli);
    let began = lease::now();
    let asked = Asked {
        cli,
        copy: &copy,
        idle: &Idle::default(),
    };
    let record = ready::with(asked, &env, io, |ready, _| {
        // What refuses the output is better known now than in the end. Elsewhere, to begin it may remove what is there: a store is
        // begun once there is a plan.
        if copy.output.remote.is_none() {
            drop(ready.target(cli, &copy)?);
        }
        env.notes.check()?;
        record((cli, began), &copy, (args, &ready))
    });
    if !cli.quiet || env.notes.is_strict() {
        tool::tell("nccopy", &env.notes, io);
    }
    record
}

/// The copy that the command line asks for.
///
/// # Errors
/// [`ErrorKind::Argument`] for copies that cannot be made in parts.
pub fn one_copy(cli: &Cli) -> Result<Copy> {
    let (mut copies, _) = copies(cli)?;
    let copy = match (copies.pop(), copies.is_empty()) {
        (Some(copy), true) => copy,
        (Some(_) | None, _) => {
            let what = "--plan: expected one input and one output";
            return Err(Error::new(ErrorKind::Argument, what));
        }
    };
    if copy.input.as_os_str() == "-" || netcdf_core::io::file::in_place(&copy.output.path) {
        let what =
            "--plan: other processes cannot read or write this: give files, stores or addresses";
        return Err(wrong(&copy.input, what));
    }
    if let OutputForm::Zip { .. } = copy.output.form {
        let what = "a zip file cannot be made in parts";
        let e = wrong(&copy.output.path, what);
        return Err(e.with_remedy("make a directory in parts, then copy it: nccopy a.zarr a.zip"));
    }
    Ok(copy)
}

fn record(
    (cli, began): (&Cli, u64),
    copy: &Copy,
    (args, ready): (&[OsString], &Ready<'_>),
) -> Result<Planned> {
    let (set, plan) = (ready.set, &ready.plan);
    let mut writer = sketch(plan.schema.clone(), ready.create, set.env)?;
    let jobs = jobs(set, plan, &mut *writer)?;
    let size = match (cli.parts.parts, cli.parts.part_size) {
        (Some(parts), _) => PartSize::Number(parts),
        (None, Some(bytes)) => PartSize::Bytes(bytes),
        (None, None) => PartSize::Bytes(PART),
    };
    let division = Division::new(jobs, &*writer, size);
    let (through, first_stage) = stages(cli, set, &division);
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
    let digest = of_output(plan, ready.create);
    let store = store((&ready.output, &directory), &digest);
    let schema = set.reader.schema();
    let chunks = through.as_ref().map_or(&[][..], Through::vars);
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
            state: ready.state.clone(),
            metadata: of_input(schema),
        },
        selected: ready.selected.clone(),
        store,
        schema: digest,
        first_stage,
        estimate: estimate.json(),
        variables: variables.collect(),
    };
    let record = PlanRecord {
        identity: claimed::tag(),
        directory,
        arguments: arguments(cli, args),
        output: copy.output.path.to_string_lossy().into_owned(),
        parts,
        bytes: division.bytes(),
        time: began.max(ready.reads.newest()),
        work: Work::Dataset(dataset),
    };
    Ok((record, between, estimate))
}

/// The variables that go through a store between two stages, and the number of parts of the first one.
fn stages(cli: &Cli, set: Dataset<'_>, division: &Division) -> (Option<Through>, u64) {
    let memory = set.env.memory.0;
    let choose = |parts: InParts<'_>| match cli.parts.stages {
        Some(1) => None,
        Some(_) => Some(parts.between(memory)),
        None => parts.cheaper(memory),
    };
    match division.stages(set, &choose) {
        None => (None, 0),
        through => (through, division.parts()),
    }
}

/// The place of the store that the parts write together, if the output is a store.
fn store((output, directory): (&Destination, &Path), digest: &Digest) -> Option<StorePlace> {
    let tag: String = digest.to_string().chars().take(8).collect();
    let place = || match output.remote {
        Some(_) => StorePlace::Claimed(claimed::tag()),
        None => StorePlace::Directory(shared::place(
            &file::real(&directory.join(&output.path)),
            &tag,
        )),
    };
    (output.form == OutputForm::Directory).then(place)
}

/// The digest of an input's metadata.
pub fn of_input(schema: &Schema) -> Digest {
    Digest::of_bytes(format!("{schema:?}").as_bytes())
}

/// The digest of what is to be written: the output's schema and storage, and whose data goes there.
pub fn of_output(plan: &Plan, create: CreateOptions) -> Digest {
    let Plan {
        schema,
        data,
        cloud,
        lengths,
        ..
    } = plan;
    Digest::of_bytes(format!("{schema:?} {data:?} {cloud:?} {lengths:?} {create:?}").as_bytes())
}
