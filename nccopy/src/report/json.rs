//! Report lines in JSON.

use std::time::Duration;

use netcdf_core::copy::report::{VarReport, ratio};
use netcdf_core::copy::{Changes, CopyReport};
use netcdf_core::json::Json;
use netcdf_core::notes::{CollectedNotes, Note};
use netcdf_core::shown::without_secrets;

use super::method::method;
use super::{Totals, names};
use crate::clock::ClockTime;
use crate::outcome::{CopyOutcome, DoneCopy};
use crate::request::ReportRequest;

/// The first line: `{"version": …, "date": …, "options": […]}`.
pub(crate) fn begin(request: &ReportRequest) -> Json {
    let options = request
        .options
        .iter()
        .map(|word| Json::text(word))
        .collect();
    Json::object([
        ("version", Json::text(env!("CARGO_PKG_VERSION"))),
        ("date", Json::text(&ClockTime(request.started).iso())),
        ("options", Json::Array(options)),
    ])
}

/// The line of a copy: `{"input": …, "output": …, "variables": [{"name": …, …}], "before": …, "after": …, "ratio": …, "notes": [{"object":
/// …, "what": …}, …]}`. The line of a failed copy has `"error"`, and the line of a skipped copy `"skipped"` and `"reason"`.
pub(crate) fn of(done: &DoneCopy) -> Json {
    let what = match &done.outcome {
        CopyOutcome::Copied(report) => of_report(report, true),
        other => not_copied(other),
    };
    with_names(names(done.copy), what, &done.notes)
}

/// The report of a copy. `before` is false if input bytes were not counted.
#[derive(Debug)]
pub(crate) struct CopyCounts {
    pub report: CopyReport,
    pub before: bool,
}

/// Returns the line of a copy in a part.
pub(crate) fn of_part(names: (String, String), copied: CopyCounts, notes: &CollectedNotes) -> Json {
    with_names(names, of_report(&copied.report, copied.before), notes)
}

/// Returns the line of a failed copy in a part.
pub(crate) fn of_failed(names: (String, String), why: &str) -> Json {
    with_names(
        names,
        vec![("error", Json::text(why))],
        &CollectedNotes::default(),
    )
}

/// Returns the members that explain a missing copy.
pub(crate) fn not_copied(outcome: &CopyOutcome) -> JsonMembers {
    match outcome {
        CopyOutcome::Copied(_) => vec![],
        CopyOutcome::Skipped(why) => vec![
            ("skipped", Json::Bool(true)),
            ("reason", Json::text(why.text())),
        ],
        CopyOutcome::Failed(why) => vec![("error", Json::text(why))],
    }
}

fn with_names(
    (input, output): (String, String),
    what: JsonMembers,
    notes: &CollectedNotes,
) -> Json {
    let mut members = vec![
        ("input", Json::text(&input)),
        ("output", Json::text(&output)),
    ];
    members.extend(what);
    members.extend(with_notes(notes));
    Json::object(members)
}

/// Returns the member with the notes, if there are any.
pub(crate) fn with_notes(notes: &CollectedNotes) -> Option<(&'static str, Json)> {
    let notes: Vec<_> = notes.notes().map(of_note).collect();
    (!notes.is_empty()).then_some(("notes", Json::Array(notes)))
}

/// Returns the stored bytes in input and output from a line.
pub(crate) fn stored(line: &Json) -> (u64, u64) {
    let number = |name: &str| line.get(name).and_then(Json::as_u64).unwrap_or_default();
    (number("before"), number("after"))
}

/// The last line: `{"totals": {…}}`.
pub(crate) fn end(totals: &Totals, time: Duration) -> Json {
    let mut sums = vec![
        ("inputs", Json::int(totals.inputs)),
        ("copied", Json::int(totals.copied)),
        ("skipped", Json::int(totals.skipped)),
        ("failed", Json::int(totals.failed)),
    ];
    if totals.left() > 0 {
        sums.push(("not_begun", Json::int(totals.left())));
    }
    sums.extend(sizes(Some(totals.before), totals.after));
    sums.push(("seconds", seconds(time)));
    Json::object([("totals", Json::object(sums))])
}

fn of_note(note: &Note) -> Json {
    let mut members = vec![
        ("object", Json::text(&without_secrets(&note.object))),
        ("what", Json::text(&without_secrets(&note.what))),
    ];
    if let Some(remedy) = &note.remedy {
        members.push(("remedy", Json::text(&without_secrets(remedy))));
    }
    Json::object(members)
}

/// Members of an object.
pub(crate) type JsonMembers = Vec<(&'static str, Json)>;

fn of_report(report: &CopyReport, counted: bool) -> JsonMembers {
    let (before, after) = report.stored();
    let vars = report.vars.iter().map(|v| variable(v, counted)).collect();
    let mut members = vec![("variables", Json::Array(vars))];
    members.extend(sizes(counted.then_some(before), after));
    if !report.retyped.is_empty() {
        let names = report.retyped.iter().map(|a| Json::text(a)).collect();
        members.push(("retyped_attributes", Json::Array(names)));
    }
    members
}

fn variable(v: &VarReport, counted: bool) -> Json {
    let mut members = vec![
        ("name", Json::text(&v.path)),
        ("method", Json::text(&method(v.method))),
        ("raw", Json::int(v.raw)),
    ];
    members.extend(sizes(counted.then_some(v.before), v.after));
    members.push(("seconds", seconds(v.time)));
    members.extend(changes(&v.changes));
    Json::object(members)
}

/// Returns the members for changed values.
pub(crate) fn changes(changes: &Changes) -> JsonMembers {
    let mut members = vec![];
    if let Some(q) = changes.quantize {
        let text = format!("{},{}", q.algorithm.name(), q.keep);
        members.push(("quantized", Json::text(&text)));
    }
    if let Some(why) = &changes.passed_over {
        members.push(("passed_over", Json::text(why)));
    }
    if let Some(largest) = changes.largest {
        // JSON has no infinity.
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

/// Returns stored bytes of input (if counted) and output.
fn sizes(before: Option<u64>, after: u64) -> JsonMembers {
    let ratio = before.and_then(|before| ratio(before, after));
    let ratio = ratio.map_or(Json::Null, |r| Json::Number(format!("{r:.4}")));
    vec![
        ("before", before.map_or(Json::Null, Json::int)),
        ("after", Json::int(after)),
        ("ratio", ratio),
    ]
}
