//! What was done: `--report`.

use std::path::Path;
use std::time::Duration;

use netcdf_core::copy::report::{VarReport, ratio};
use netcdf_core::copy::{Changes, Report};
use netcdf_core::env::Note;
use netcdf_core::error::{Error, Result, list_names};
use netcdf_core::io::file;
use netcdf_core::json::{Between, Json};
use netcdf_core::shown::{self, Shown};
use netcdf_core::tool::Io;
use netcdf_core::tool::table::Table;

use crate::cli::Form;
use crate::dry_run::{add_changes, method};
use crate::inputs::Copy;
use crate::job::Outcome;

/// What became of all inputs.
#[derive(Debug, Default, PartialEq)]
struct Totals {
    copied: usize,
    skipped: usize,
    failed: usize,
    before: u64,
    after: u64,
}

impl Totals {
    fn of(outcomes: &[(&Copy, Outcome)]) -> Self {
        let mut totals = Self::default();
        for (_, outcome) in outcomes {
            match outcome {
                Outcome::Copied(report) => {
                    let (before, after) = report.stored();
                    totals.copied += 1;
                    totals.before = totals.before.saturating_add(before);
                    totals.after = totals.after.saturating_add(after);
                }
                Outcome::Skipped => totals.skipped += 1,
                Outcome::Failed(_) => totals.failed += 1,
            }
        }
        totals
    }

    fn inputs(&self) -> usize {
        self.copied + self.skipped + self.failed
    }
}

/// Prints what became of the copies, and the sums: on standard output, or on standard error if that is what a dataset went to.
///
/// # Errors
/// [`netcdf_core::ErrorKind::Io`].
pub fn print(form: Form, outcomes: &[(&Copy, Outcome)], time: Duration, io: &mut Io) -> Result<()> {
    let text = match form {
        Form::Table => tables(outcomes, time),
        Form::Json => {
            let line = json(outcomes, time).line(Between::CommaBlank)?;
            format!("{}\n", shown::json(&line))
        }
    };
    let taken = outcomes
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

/// A table for each copy, and, of several inputs, a line with the sums.
fn tables(outcomes: &[(&Copy, Outcome)], time: Duration) -> String {
    let one = |(copy, outcome): &(&Copy, Outcome)| match outcome {
        Outcome::Copied(report) => of_copy(copy, report),
        Outcome::Skipped => format!("{}\nskipped: it is there already\n", title(copy)),
        Outcome::Failed(why) => format!("{}\nnot copied: {}\n", title(copy), Shown::new(why)),
    };
    let mut text: String = outcomes.iter().map(one).collect();
    let totals = Totals::of(outcomes);
    if totals.inputs() > 1 {
        let Totals {
            copied,
            skipped,
            failed,
            before,
            after,
        } = totals;
        let inputs = totals.inputs();
        let ratio = times(before, after);
        let seconds = time.as_secs_f64();
        let sums = format!(
            "{inputs} inputs: {copied} copied, {skipped} skipped, {failed} failed; {before} bytes before, {after} after, ratio {ratio}, {seconds:.3} seconds\n"
        );
        text.push_str(&sums);
    }
    text
}

fn title(copy: &Copy) -> String {
    let (input, output) = names(copy);
    format!("{} -> {}", Shown::new(&input), Shown::new(&output))
}

fn names(copy: &Copy) -> (String, String) {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    (text(&copy.input), text(&copy.output.path))
}

fn times(before: u64, after: u64) -> String {
    ratio(before, after).map_or("-".to_owned(), |r| format!("{r:.2}"))
}

/// A table with a line a variable, and the sums.
fn of_copy(copy: &Copy, report: &Report) -> String {
    let titles = ["variable", "method", "before", "after", "ratio", "seconds"];
    let mut rows = vec![titles.map(str::to_owned).to_vec()];
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
    let title = title(copy);
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

/// `{"copies": [{"input": …, "output": …, "variables": [{"name": …, …}], "before": …, "after": …, "ratio": …}], "totals": {…}}`; of a
/// copy that was not made `"error"` or `"skipped"`.
fn json(outcomes: &[(&Copy, Outcome)], time: Duration) -> Json {
    let one = |(copy, outcome): &(&Copy, Outcome)| {
        let (input, output) = names(copy);
        let mut members = vec![
            ("input", Json::text(&input)),
            ("output", Json::text(&output)),
        ];
        match outcome {
            Outcome::Copied(report) => members.extend(of_report(report)),
            Outcome::Skipped => members.push(("skipped", Json::Bool(true))),
            Outcome::Failed(why) => members.push(("error", Json::text(why))),
        }
        object(members)
    };
    let totals = Totals::of(outcomes);
    let mut sums = vec![
        ("inputs", Json::int(totals.inputs())),
        ("copied", Json::int(totals.copied)),
        ("skipped", Json::int(totals.skipped)),
        ("failed", Json::int(totals.failed)),
    ];
    sums.extend(sizes(totals.before, totals.after));
    sums.push(("seconds", seconds(time)));
    object(vec![
        ("copies", Json::Array(outcomes.iter().map(one).collect())),
        ("totals", object(sums)),
    ])
}

type Members = Vec<(&'static str, Json)>;

fn object(members: Members) -> Json {
    let named = |(name, value): (&str, Json)| (name.to_owned(), value);
    Json::Object(members.into_iter().map(named).collect())
}

fn of_report(report: &Report) -> Members {
    let (before, after) = report.stored();
    let vars = report.vars.iter().map(variable).collect();
    let mut members = vec![("variables", Json::Array(vars))];
    members.extend(sizes(before, after));
    if !report.retyped.is_empty() {
        let names = report.retyped.iter().map(|a| Json::text(a)).collect();
        members.push(("retyped_attributes", Json::Array(names)));
    }
    members
}

fn variable(v: &VarReport) -> Json {
    let mut members = vec![
        ("name", Json::text(&v.path)),
        ("method", Json::text(&method(v.method))),
        ("raw", Json::int(v.raw)),
    ];
    members.extend(sizes(v.before, v.after));
    members.push(("seconds", seconds(v.time)));
    members.extend(changes(&v.changes));
    object(members)
}

/// The members that say what changes values; none where nothing does.
fn changes(changes: &Changes) -> Members {
    let mut members = vec![];
    if let Some(q) = changes.quantize {
        let text = format!("{},{}", q.algorithm.name(), q.keep);
        members.push(("quantized", Json::text(&text)));
    }
    if let Some(why) = &changes.passed_over {
        members.push(("passed_over", Json::text(why)));
    }
    if let Some(largest) = changes.largest {
        // There is no infinity in JSON.
        let number = match largest.is_finite() {
            true => Json::Number(largest.to_string()),
            false => Json::Null,
        };
        members.push(("largest_difference", number));
    }
    members
}

fn seconds(time: Duration) -> Json {
    Json::Number(format!("{:.6}", time.as_secs_f64()))
}

fn sizes(before: u64, after: u64) -> Members {
    let ratio = ratio(before, after).map_or(Json::Null, |r| Json::Number(format!("{r:.4}")));
    vec![
        ("before", Json::int(before)),
        ("after", Json::int(after)),
        ("ratio", ratio),
    ]
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
        let failed = Outcome::Failed("no \"disk\"".to_owned());
        let outcomes = [
            (&copy, Outcome::Copied(report)),
            (&copy, failed),
            (&copy, Outcome::Skipped),
        ];
        let json = json(&outcomes, Duration::from_secs(2));
        assert_eq!(
            json.line(Between::CommaBlank).unwrap(),
            "{\"copies\": [{\"input\": \"in.nc\", \"output\": \"out \\\"1\\\".nc\", \"variables\": [{\"name\": \"/v\", \
             \"method\": \"move\", \"raw\": 80, \"before\": 80, \"after\": 20, \"ratio\": 4.0000, \"seconds\": 1.500000}, \
             {\"name\": \"/g/\\u0001\", \"method\": \"move\", \"raw\": 80, \"before\": 8, \"after\": 0, \"ratio\": null, \
             \"seconds\": 1.500000}], \"before\": 88, \"after\": 20, \"ratio\": 4.4000}, \
             {\"input\": \"in.nc\", \"output\": \"out \\\"1\\\".nc\", \"error\": \"no \\\"disk\\\"\"}, \
             {\"input\": \"in.nc\", \"output\": \"out \\\"1\\\".nc\", \"skipped\": true}], \
             \"totals\": {\"inputs\": 3, \"copied\": 1, \"skipped\": 1, \"failed\": 1, \"before\": 88, \"after\": 20, \
             \"ratio\": 4.4000, \"seconds\": 2.000000}}"
        );
    }
}
