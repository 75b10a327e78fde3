//! What was done: `--report`.

use std::fmt::Write as _;
use std::path::Path;

use netcdf_core::copy::report::{VarReport, ratio};
use netcdf_core::copy::{Changes, Report};
use netcdf_core::env::Note;
use netcdf_core::error::{Error, Result, list_names};
use netcdf_core::io::file;
use netcdf_core::shown::{self, Shown};
use netcdf_core::tool::Io;
use netcdf_core::tool::table::Table;

use crate::cli::Form;
use crate::dry_run::{add_changes, method};
use crate::inputs::Copy;

/// Prints the reports of the copies that were made: on standard output, or on standard error if that is what a dataset went to.
///
/// # Errors
/// [`netcdf_core::ErrorKind::Io`].
pub fn print(form: Form, reports: &[(&Copy, Report)], io: &mut Io) -> Result<()> {
    let text = match form {
        Form::Table => reports.iter().map(|(copy, r)| of_copy(copy, r)).collect(),
        Form::Json => json(reports),
    };
    let taken = reports
        .iter()
        .any(|(copy, _)| file::in_place(&copy.output.path));
    let out = if taken {
        &mut io.stderr
    } else {
        &mut io.stdout
    };
    let failed = |e| Error::io("cannot write", "the report", e);
    out.write_all(text.as_bytes()).map_err(failed)
}

/// A table with a line a variable, and the sums.
fn of_copy(copy: &Copy, report: &Report) -> String {
    let titles = ["variable", "method", "before", "after", "ratio", "seconds"];
    let mut rows = vec![titles.map(str::to_owned).to_vec()];
    let times = |before, after| ratio(before, after).map_or("-".to_owned(), |r| format!("{r:.2}"));
    for v in &report.vars {
        rows.push(vec![
            v.path.clone(),
            method(v.method),
            v.before.to_string(),
            v.after.to_string(),
            times(v.before, v.after),
            format!("{:.3}", v.time.as_secs_f64()),
        ]);
    }
    let (before, after) = report.stored();
    add_changes(&mut rows, report.vars.iter().map(|v| v.changes.clone()));
    let sums = [
        "total".to_owned(),
        String::new(),
        before.to_string(),
        after.to_string(),
    ];
    rows.push([&sums[..], &[times(before, after)]].concat());
    let (input, output) = (
        copy.input.to_string_lossy(),
        copy.output.path.to_string_lossy(),
    );
    let title = format!("{} -> {}", Shown::new(&input), Shown::new(&output));
    let retyped = report.retyped.iter().map(|a| Shown::new(a).to_string());
    let retyped = match retyped.collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => none,
        list => format!("attributes of other types: {list}\n"),
    };
    let table = Table::flush_right(&[2, 3, 4, 5]).with(rows);
    format!("{title}\n{}{retyped}", table.text())
}

/// What `--verify` allowed to differ, if anything does.
pub fn allowed(report: &Report, output: &Path) -> Option<Note> {
    let largest = |v: &VarReport| v.changes.largest.filter(|&n| n > 0.0);
    let values = report.vars.iter().filter_map(|v| {
        let largest = largest(v)?;
        Some(format!("{} by at most {largest}", v.path))
    });
    let values: Vec<_> = values.collect();
    let mut parts = vec![];
    if !values.is_empty() {
        parts.push(format!("values of {}", list_names(&values)));
    }
    if !report.retyped.is_empty() {
        parts.push(format!(
            "types of attributes {}",
            list_names(&report.retyped)
        ));
    }
    (!parts.is_empty()).then(|| Note {
        object: output.to_string_lossy().into_owned(),
        what: format!("verified; what differs as it may: {}", parts.join("; ")),
        remedy: None,
    })
}

/// `{"copies": [{"input": …, "output": …, "variables": [{"name": …, …}], "before": …, "after": …, "ratio": …}]}`
fn json(reports: &[(&Copy, Report)]) -> String {
    let one = |(copy, report): &(&Copy, Report)| {
        let (input, output) = (
            copy.input.to_string_lossy(),
            copy.output.path.to_string_lossy(),
        );
        let vars: Vec<_> = report.vars.iter().map(variable).collect();
        let (before, after) = report.stored();
        format!(
            "{{\"input\": {}, \"output\": {}, \"variables\": [{}], {}{}}}",
            quoted(&input),
            quoted(&output),
            vars.join(", "),
            sizes(before, after),
            retyped(&report.retyped)
        )
    };
    let copies: Vec<_> = reports.iter().map(one).collect();
    format!("{{\"copies\": [{}]}}\n", copies.join(", "))
}

fn variable(v: &VarReport) -> String {
    format!(
        "{{\"name\": {}, \"method\": {}, \"raw\": {}, {}, \"seconds\": {:.6}{}}}",
        quoted(&v.path),
        quoted(&method(v.method)),
        v.raw,
        sizes(v.before, v.after),
        v.time.as_secs_f64(),
        changes(&v.changes)
    )
}

/// The members that say what changes values, each behind a comma; none where nothing does.
fn changes(changes: &Changes) -> String {
    let mut members = String::new();
    let quantized = changes
        .quantize
        .map(|q| format!("{},{}", q.algorithm.name(), q.keep));
    for (name, text) in [
        ("quantized", quantized),
        ("passed_over", changes.passed_over.clone()),
    ] {
        if let Some(text) = text {
            // Writing to a string does not fail.
            let _ = write!(members, ", \"{name}\": {}", quoted(&text));
        }
    }
    if let Some(largest) = changes.largest {
        // There is no infinity in JSON.
        let number = if largest.is_finite() {
            largest.to_string()
        } else {
            "null".to_owned()
        };
        let _ = write!(members, ", \"largest_difference\": {number}");
    }
    members
}

/// The member that names attributes of other types; nothing if there are none.
fn retyped(attributes: &[String]) -> String {
    if attributes.is_empty() {
        return String::new();
    }
    let names: Vec<_> = attributes.iter().map(|a| quoted(a)).collect();
    format!(", \"retyped_attributes\": [{}]", names.join(", "))
}

fn sizes(before: u64, after: u64) -> String {
    let ratio = ratio(before, after).map_or("null".to_owned(), |r| format!("{r:.4}"));
    format!("\"before\": {before}, \"after\": {after}, \"ratio\": {ratio}")
}

/// A string of JSON.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if shown::is_control(c) => {
                // Writing to a string does not fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use netcdf_core::copy::methods::Method;
    use netcdf_core::io::locator::{Asked, Destination};
    use std::time::Duration;

    fn sample() -> (Copy, Report) {
        let var = |path: &str, before, after| VarReport {
            path: path.to_owned(),
            method: Method::Move,
            raw: 80,
            before,
            after,
            time: Duration::from_millis(1500),
            changes: Changes::default(),
        };
        let copy = Copy {
            input: "in.nc".into(),
            local: "in.nc".into(),
            output: Destination::resolve(Path::new("out \"1\".nc"), Asked::default()).unwrap(),
        };
        let vars = vec![var("/v", 80, 20), var("/g/\u{1}", 8, 0)];
        (
            copy,
            Report {
                vars,
                retyped: vec![],
            },
        )
    }

    #[test]
    fn tables() {
        let (copy, report) = sample();
        assert_eq!(
            of_copy(&copy, &report),
            "in.nc -> out \"1\".nc\n\
             variable  method  before  after  ratio  seconds\n\
             /v        move        80     20   4.00    1.500\n\
             /g/\\x01   move         8      0      -    1.500\n\
             total                 88     20   4.40\n"
        );
    }

    #[test]
    fn json_is_json() {
        let (copy, report) = sample();
        assert_eq!(
            json(&[(&copy, report)]),
            "{\"copies\": [{\"input\": \"in.nc\", \"output\": \"out \\\"1\\\".nc\", \"variables\": [{\"name\": \"/v\", \
             \"method\": \"move\", \"raw\": 80, \"before\": 80, \"after\": 20, \"ratio\": 4.0000, \"seconds\": 1.500000}, \
             {\"name\": \"/g/\\u0001\", \"method\": \"move\", \"raw\": 80, \"before\": 8, \"after\": 0, \"ratio\": null, \
             \"seconds\": 1.500000}], \"before\": 88, \"after\": 20, \"ratio\": 4.4000}]}\n"
        );
    }
}
