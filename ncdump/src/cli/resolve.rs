//! The request of a command line.

use std::path::{Path, PathBuf};

use netcdf_core::diff::Tolerance;
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::io::locator::Location;
use netcdf_core::shown::ShownAddress;
use netcdf_core::survey::RuleSet;
use netcdf_grammar::cdl::write::SpecialAttributes;
use netcdf_grammar::ignore_list::IgnoreList;
use netcdf_grammar::join::JoinRequest;
use netcdf_grammar::selection::names;
use netcdf_grammar::time::Separator;

use super::args::{Cli, RuleName};
use super::value::{annotation, digits, fill_type, line_length, tolerance};

use crate::file_series::shown;
use crate::request::{
    DiffRequest, DumpRequest, JOINED, LayoutRequest, OutputJob, PrintRequest, ProcessRequest,
    Request, SelectionRequest,
};

/// Returns the request of a command line.
///
/// # Errors
/// Returns [`ErrorKind::Argument`] for too many files, and for an invalid option value.
pub(super) fn request(cli: Cli) -> Result<Request> {
    if cli.form.diff {
        return diff(cli).map(Request::Diff);
    }
    let inputs = inputs(&cli)?;
    if cli.output.layout || cli.output.require.is_some() {
        return layout(cli, inputs).map(Request::Layout);
    }
    let (job, parts) = (job(&cli)?, cli.select.parts().to_vec());
    let (inputs, join) = joined(&cli, inputs);
    Ok(Request::Print(PrintRequest {
        inputs,
        join,
        job,
        parts,
        json: cli.form.json,
        process: process(cli),
    }))
}

fn diff(cli: Cli) -> Result<DiffRequest> {
    let (inputs, join) = sides(&cli)?;
    Ok(DiffRequest {
        inputs,
        join,
        tolerance: cli
            .comparison
            .tolerance
            .as_deref()
            .map_or(Ok(Tolerance::default()), tolerance)?,
        layout: cli.comparison.compare_layout,
        values: !cli.print.header,
        json: cli.form.json,
        select: select(&cli),
        parts: cli.select.parts().to_vec(),
        left_out: IgnoreList::new(&names(cli.comparison.ignore.as_deref())),
        process: process(cli),
    })
}

/// Returns the two datasets of a comparison, and the join that is the first dataset.
fn sides(cli: &Cli) -> Result<([PathBuf; 2], Option<JoinRequest>)> {
    let mut all = paths(cli);
    let last = all.pop().filter(|_| cli.join.is_given());
    match last.filter(|_| !all.is_empty() || cli.join.has_list()) {
        Some(last) => Ok(([JOINED.into(), last], cli.join.request(all))),
        None => Ok((pair(cli)?, None)),
    }
}

/// Returns the two datasets of a comparison.
fn pair(cli: &Cli) -> Result<[PathBuf; 2]> {
    let lacking = || Error::new(ErrorKind::Argument, "--diff: needs two datasets");
    let (other, more) = cli.others.split_first().ok_or_else(lacking)?;
    if let Some(third) = more.first() {
        let e = Error::new(ErrorKind::Argument, "--diff compares two datasets");
        return Err(e.of(ShownAddress::of(third).text()));
    }
    let inputs = [cli.input.clone().ok_or_else(lacking)?, other.clone()];
    if inputs.iter().all(|path| is_standard(path)) {
        let what = "--diff: only one dataset can be standard input";
        return Err(Error::new(ErrorKind::Argument, what));
    }
    Ok(inputs)
}

/// Returns the files. Only some options accept several files, and only one file can be standard input.
fn inputs(cli: &Cli) -> Result<Vec<PathBuf>> {
    let several = takes_several(cli) || cli.join.is_given();
    let second = cli.others.first().filter(|_| !several);
    if let Some(second) = second {
        let e = Error::new(
            ErrorKind::Argument,
            "only one file can be printed at a time",
        );
        let remedy = "options for several files: --sum, --stats, --layout, --require, --filters, -k, -K; for two: --diff";
        return Err(e.of(&shown(second)).with_remedy(remedy));
    }
    let paths = paths(cli);
    if paths.iter().filter(|path| is_standard(path)).count() > 1 {
        let what = "only one of the files can be standard input";
        return Err(Error::new(ErrorKind::Argument, what));
    }
    Ok(paths)
}

/// Returns all paths of a command line.
fn paths(cli: &Cli) -> Vec<PathBuf> {
    cli.input.iter().chain(&cli.others).cloned().collect()
}

fn is_standard(path: &Path) -> bool {
    Location::new(path).is_ok_and(|at| at.is_standard())
}

/// Checks whether the options take several files.
fn takes_several(cli: &Cli) -> bool {
    let whole = cli.output.stats || cli.output.layout || cli.output.require.is_some();
    let first = cli.print.kind || cli.output.extended_kind || cli.output.filters;
    whole || first || cli.output.sum
}

/// Returns the datasets to print, and the join of all inputs. A join is one dataset.
fn joined(cli: &Cli, inputs: Vec<PathBuf>) -> (Vec<PathBuf>, Option<JoinRequest>) {
    match cli.join.request(inputs.clone()) {
        None => (inputs, None),
        join => {
            let first = cli.input.clone().unwrap_or_else(|| "joined".into());
            (vec![first], join)
        }
    }
}

fn layout(cli: Cli, inputs: Vec<PathBuf>) -> Result<LayoutRequest> {
    let (inputs, join) = joined(&cli, inputs);
    if join.is_some() && cli.output.require.is_some() {
        let what = "--require checks the storage of a file, which a joined dataset lacks";
        let e = Error::new(ErrorKind::Argument, what);
        return Err(e.with_remedy("check the inputs without a join, or the output of nccopy"));
    }
    Ok(LayoutRequest {
        inputs,
        join,
        listing: cli.output.layout,
        json: cli.form.json,
        rules: cli.output.require.map(rules),
        select: select(&cli),
        process: process(cli),
    })
}

fn rules(name: RuleName) -> RuleSet {
    match name {
        RuleName::Cloud => RuleSet::Cloud,
        RuleName::Cmip7 => RuleSet::Cmip7,
        RuleName::Paged => RuleSet::Paged,
    }
}

fn job(cli: &Cli) -> Result<OutputJob> {
    // Invalid values are errors in all jobs.
    let dump = dump(cli)?;
    Ok(if cli.output.check {
        OutputJob::Check
    } else if cli.output.sum {
        OutputJob::Sum(dump.select)
    } else if cli.output.stats {
        OutputJob::Statistics {
            select: dump.select,
            unpack: cli.output.unpack,
        }
    } else if cli.output.csv {
        OutputJob::Csv(dump)
    } else if cli.print.kind {
        OutputJob::Kind
    } else if cli.output.extended_kind {
        OutputJob::ExtendedKind
    } else if cli.output.filters {
        OutputJob::Filters(dump.select)
    } else if cli.output.ncml {
        OutputJob::Ncml(dump)
    } else if cli.form.json {
        OutputJob::Json(dump)
    } else {
        OutputJob::Cdl(dump)
    })
}

fn dump(cli: &Cli) -> Result<DumpRequest> {
    let special = match (cli.print.special, cli.text.all_filters) {
        (false, _) => SpecialAttributes::Hidden,
        (true, false) => SpecialAttributes::Shown,
        (true, true) => SpecialAttributes::Filters,
    };
    let times = if cli.text.iso_times {
        Some(Separator::T)
    } else {
        cli.print.times.then_some(Separator::Blank)
    };
    let (rows, values) = (cli.text.brief.as_deref(), cli.text.full.as_deref());
    Ok(DumpRequest {
        name: cli.text.name.clone(),
        select: select(cli),
        header: cli.print.header,
        annotation: annotation((rows, values), cli.full_last)?,
        line_length: line_length(cli.text.line_length.as_deref())?,
        digits: digits(cli.text.digits.as_deref(), cli.text.precision.as_deref())?,
        special,
        fill_type: fill_type(&cli.text.extra)?,
        times,
    })
}

fn select(cli: &Cli) -> SelectionRequest {
    SelectionRequest {
        variables: cli.print.variables.as_deref().map(|list| names([list])),
        groups: cli.print.groups.as_deref().map(|list| names([list])),
        coordinates: cli.print.coordinates,
    }
}

fn process(cli: Cli) -> ProcessRequest {
    ProcessRequest {
        threads: cli.process.threads,
        plugins: cli.plugins,
        network: cli.process.network,
        allow_external: cli.external.allow_external,
        fill_missing: cli.fill_missing,
        trace: cli.process.trace,
        strict: cli.strict.strict,
    }
}
