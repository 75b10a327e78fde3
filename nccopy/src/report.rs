//! What was done: `--report`.

use std::path::Path;
use std::time::Duration;

use netcdf_core::copy::report::{VarReport, ratio};
use netcdf_core::copy::{Changes, Report};
use netcdf_core::error::{Error, Result, list_names};
use netcdf_core::io::file;
use netcdf_core::json::{Between, Json};
use netcdf_core::notes::{Note, Taken};
use netcdf_core::shown::{self, Shown, ShownAddress, without_secrets};
use netcdf_core::tool::Io;
use netcdf_core::tool::table::Table;

use crate::cli::Form;
use crate::dry_run::{add_changes, method};
use crate::inputs::Copy;
use crate::job::{DoneCopy, Outcome};

/// What became of all inputs.
#[derive(Debug, Default, PartialEq)]
struct Totals {
    inputs: usize,
    copied: usize,
    skipped: usize,
    failed: usize,
    before: u64,
    after: u64,
}

impl Totals {
    fn of(done: &[DoneCopy], inputs: usize) -> Self {
        let mut totals = Self {
            inputs,
            ..Self::default()
        };
        for DoneCopy { outcome, .. } in done {
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

    /// The inputs that an interrupted run did not come to.
    fn left(&self) -> usize {
        let begun = self.copied + self.skipped + self.failed;
        self.inputs.saturating_sub(begun)
    }
}

/// Prints what became of the copies, and the sums: on standard output, or on standard error if that is what a dataset went to. `run` is
/// the number of all inputs and the time that the run took.
///
/// # Errors
/// [`netcdf_core::ErrorKind::Io`].
pub fn print(form: Form, done: &[DoneCopy], run: (usize, Duration), io: &mut Io) -> Result<()> {
    let text = match form {
        Form::Table => tables(done, run),
        Form::Json => {
            let line = json(done, run).line(Between::CommaBlank)?;
            format!("{}\n", shown::json(&line))
        }
    };
    let taken = done.iter().any(|d| file::in_place(&d.copy.output.path));
    let out = if taken {
        &mut io.stderr
    } else {
        &mut io.stdout
    };
    let failed = |e| Error::io("cannot write", "the report", e);
    out.write_all(text.as_bytes()).map_err(failed)
}

/// A table for each copy with what was said of it, and, of several inputs, a line with the sums.
fn tables(done: &[DoneCopy], (inputs, time): (usize, Duration)) -> String {
    let one = |done: &DoneCopy| {
        let title = title(done.copy);
        let what = match &done.outcome {
            Outcome::Copied(report) => of_copy(report),
            Outcome::Skipped => "skipped: it is there already\n".to_owned(),
            Outcome::Failed(why) => format!("not copied: {}\n", Shown::new(why)),
        };
        format!("{title}\n{what}{}", note_lines(&done.notes))
    };
    let mut text: String = done.iter().map(one).collect();
    let totals = Totals::of(done, inputs);
    if inputs > 1 {
        text.push_str(&sums(&totals, time));
    }
    text
}

/// A line for each note.
pub fn note_lines(notes: &Taken) -> String {
    let line = |note: &Note| format!("note: {}\n", Shown::new(&note.to_string()));
    notes.together().iter().map(line).collect()
}

fn sums(totals: &Totals, time: Duration) -> String {
    let Totals {
        inputs,
        copied,
        skipped,
        failed,
        before,
        after,
    } = totals;
    let left = match totals.left() {
        0 => String::new(),
        left => format!(", {left} not begun"),
    };
    let ratio = times(*before, *after);
    let seconds = time.as_secs_f64();
    format!(
        "{inputs} inputs: {copied} copied, {skipped} skipped, {failed} failed{left}; {before} bytes before, {after} after, ratio {ratio}, {seconds:.3} seconds\n"
    )
}

fn title(copy: &Copy) -> String {
    let (input, output) = names(copy);
    format!("{} -> {}", Shown::new(&input), Shown::new(&output))
}

fn names(copy: &Copy) -> (String, String) {
    let text = |path: &Path| ShownAddress::of(path).into_text();
    (text(&copy.input), text(&copy.output.path))
}

fn times(before: u64, after: u64) -> String {
    ratio(before, after).map_or("-".to_owned(), |r| format!("{r:.2}"))
}

/// A table with a line a variable, and the sums.
fn of_copy(report: &Report) -> String {
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
    let retyped = report.retyped.iter().map(|a| Shown::new(a).to_string());
    let retyped = match retyped.collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => none,
        list => format!("attributes of other types: {list}\n"),
    };
    let table = Table::flush_right(&[2, 3, 4, 5]).with(rows);
    format!("{}{retyped}", table.text())
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
        object: ShownAddress::of(output).into_text(),
        what: format!("verified; what differs as it may: {}", parts.join("; ")),
        remedy: None,
    })
}

/// `{"copies": [{"input": …, "output": …, "variables": [{"name": …, …}], "before": …, "after": …, "ratio": …, "notes": [{"object": …,
/// "what": …}, …]}], "totals": {…}}`; of a copy that was not made `"error"` or `"skipped"`.
fn json(done: &[DoneCopy], (inputs, time): (usize, Duration)) -> Json {
    let one = |done: &DoneCopy| {
        let (input, output) = names(done.copy);
        let mut members = vec![
            ("input", Json::text(&input)),
            ("output", Json::text(&output)),
        ];
        match &done.outcome {
            Outcome::Copied(report) => members.extend(of_report(report)),
            Outcome::Skipped => members.push(("skipped", Json::Bool(true))),
            Outcome::Failed(why) => members.push(("error", Json::text(why))),
        }
        members.extend(notes(&done.notes));
        Json::object(members)
    };
    let totals = Totals::of(done, inputs);
    let mut sums = vec![
        ("inputs", Json::int(inputs)),
        ("copied", Json::int(totals.copied)),
        ("skipped", Json::int(totals.skipped)),
        ("failed", Json::int(totals.failed)),
    ];
    if totals.left() > 0 {
        sums.push(("not_begun", Json::int(totals.left())));
    }
    sums.extend(sizes(totals.before, totals.after));
    sums.push(("seconds", seconds(time)));
    Json::object(vec![
        ("copies", Json::Array(done.iter().map(one).collect())),
        ("totals", Json::object(sums)),
    ])
}

/// The member with the notes, if there are any.
pub fn notes(notes: &Taken) -> Option<(&'static str, Json)> {
    let notes: Vec<_> = notes.notes().map(of_note).collect();
    (!notes.is_empty()).then_some(("notes", Json::Array(notes)))
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
pub type Members = Vec<(&'static str, Json)>;

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
    Json::object(members)
}

/// The members that say what changes values; none where nothing does.
pub fn changes(changes: &Changes) -> Members {
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
    use netcdf_core::io::locator::{Asked, Destination, Location};
    use netcdf_core::notes::Notes;
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
            remote: None,
            output: Destination::resolve(&Location::new("out \"1\".nc").unwrap(), Asked::default())
                .unwrap(),
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
        let table = "in.nc -> out \"1\".nc\n\
             variable  method  before  after  ratio  seconds\n\
             /v        move        80     20   4.00    1.500\n\
             /g/\\x01   move         8      0      -    1.500\n\
             total                 88     20   4.40\n\
             note: /r and /s: left out\n";
        let mut done = vec![DoneCopy {
            copy: &copy,
            outcome: Outcome::Copied(report),
            notes: notes(),
        }];
        let time = Duration::from_secs(2);
        assert_eq!(super::tables(&done, (1, time)), table);
        done.push(DoneCopy::quietly(&copy, Outcome::Failed("odd".to_owned())));
        let more = "in.nc -> out \"1\".nc\n\
             not copied: odd\n\
             5 inputs: 1 copied, 0 skipped, 1 failed, 3 not begun; 88 bytes before, 20 after, ratio 4.40, 2.000 seconds\n";
        assert_eq!(super::tables(&done, (5, time)), format!("{table}{more}"));
    }

    #[test]
    fn json_is_json() {
        let (copy, report) = sample();
        let done = [
            DoneCopy {
                copy: &copy,
                outcome: Outcome::Copied(report),
                notes: notes(),
            },
            DoneCopy::quietly(&copy, Outcome::Failed("no \"disk\"".to_owned())),
            DoneCopy::quietly(&copy, Outcome::Skipped),
        ];
        let json = json(&done, (4, Duration::from_secs(2)));
        assert_eq!(
            json.line(Between::CommaBlank).unwrap(),
            "{\"copies\": [{\"input\": \"in.nc\", \"output\": \"out \\\"1\\\".nc\", \"variables\": [{\"name\": \"/v\", \
             \"method\": \"move\", \"raw\": 80, \"before\": 80, \"after\": 20, \"ratio\": 4.0000, \"seconds\": 1.500000}, \
             {\"name\": \"/g/\\u0001\", \"method\": \"move\", \"raw\": 80, \"before\": 8, \"after\": 0, \"ratio\": null, \
             \"seconds\": 1.500000}], \"before\": 88, \"after\": 20, \"ratio\": 4.4000, \
             \"notes\": [{\"object\": \"/r\", \"what\": \"left out\"}, {\"object\": \"/s\", \"what\": \"left out\"}]}, \
             {\"input\": \"in.nc\", \"output\": \"out \\\"1\\\".nc\", \"error\": \"no \\\"disk\\\"\"}, \
             {\"input\": \"in.nc\", \"output\": \"out \\\"1\\\".nc\", \"skipped\": true}], \
             \"totals\": {\"inputs\": 4, \"copied\": 1, \"skipped\": 1, \"failed\": 1, \"not_begun\": 1, \"before\": 88, \
             \"after\": 20, \"ratio\": 4.4000, \"seconds\": 2.000000}}"
        );
    }

    fn notes() -> Taken {
        let notes = Notes::default();
        for object in ["/r", "/s"] {
            notes.say(Note {
                object: object.to_owned(),
                what: "left out".to_owned(),
                remedy: None,
            });
        }
        notes.take_all()
    }
}
