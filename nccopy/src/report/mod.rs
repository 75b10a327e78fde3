//! `--report`: results of a run.

pub(crate) mod json;
pub(crate) mod method;
pub(crate) mod table;

use std::path::Path;
use std::time::{Duration, Instant};

use netcdf_core::copy::CopyReport;
use netcdf_core::copy::report::VarReport;
use netcdf_core::error::{Error, Result, list_names};
use netcdf_core::io::file;
use netcdf_core::json::{Between, Json};
use netcdf_core::notes::Note;
use netcdf_core::shown::{self, ShownAddress};
use netcdf_core::tool::Io;

use crate::inputs::CopyPair;
use crate::outcome::{CopyOutcome, DoneCopy};
use crate::request::{CopyRequest, ReportForm, ReportRequest};

/// Result counts of a run.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Totals {
    inputs: usize,
    copied: usize,
    skipped: usize,
    failed: usize,
    before: u64,
    after: u64,
}

impl Totals {
    /// Returns totals for this number of inputs, without results.
    pub(crate) fn of(inputs: usize) -> Self {
        Self {
            inputs,
            ..Self::default()
        }
    }

    fn add(&mut self, outcome: &CopyOutcome) {
        match outcome {
            CopyOutcome::Copied(report) => self.copied(report.stored()),
            CopyOutcome::Skipped(_) => self.skipped += 1,
            CopyOutcome::Failed(_) => self.failed += 1,
        }
    }

    /// Adds a copy and its stored bytes in input and output.
    fn copied(&mut self, (before, after): (u64, u64)) {
        self.copied += 1;
        self.before = self.before.saturating_add(before);
        self.after = self.after.saturating_add(after);
    }

    /// Returns the number of inputs that an interrupted run did not reach.
    fn left(&self) -> usize {
        let begun = self.copied + self.skipped + self.failed;
        self.inputs.saturating_sub(begun)
    }
}

/// A report. JSON lines are printed after each input, tables at the end of the run.
#[derive(Debug)]
pub(crate) struct RunReport {
    form: ReportForm,
    /// Whether the report goes to standard error, because standard output receives a dataset.
    aside: bool,
    start: Instant,
    totals: Totals,
    tables: String,
}

impl RunReport {
    /// Begins the report, with `--report`. The first JSON line contains version, date and options.
    ///
    /// # Errors
    /// Returns I/O errors.
    pub(crate) fn begin(
        request: &CopyRequest,
        copies: &[CopyPair],
        io: &mut Io,
    ) -> Result<Option<Self>> {
        let taken = copies.iter().any(|copy| file::in_place(&copy.output.path));
        let Some(form) = request.reported() else {
            return Ok(None);
        };
        Self::new(&request.report, (form, copies.len(), taken), io).map(Some)
    }

    /// Begins the report of a plan with this number of inputs, in the requested form.
    ///
    /// # Errors
    /// Returns I/O errors.
    pub(crate) fn of_plan(
        (form, plan): (Option<ReportForm>, &CopyRequest),
        inputs: usize,
        io: &mut Io,
    ) -> Result<Option<Self>> {
        let Some(form) = form else {
            return Ok(None);
        };
        Self::new(&plan.report, (form, inputs, false), io).map(Some)
    }

    fn new(
        request: &ReportRequest,
        (form, inputs, aside): (ReportForm, usize, bool),
        io: &mut Io,
    ) -> Result<Self> {
        let report = Self {
            form,
            aside,
            start: Instant::now(),
            totals: Totals::of(inputs),
            tables: String::new(),
        };
        if form == ReportForm::Json {
            report.line(&json::begin(request), io)?;
        }
        Ok(report)
    }

    /// Adds a finished input.
    ///
    /// # Errors
    /// Returns I/O errors.
    pub(crate) fn add(&mut self, done: &DoneCopy, io: &mut Io) -> Result<()> {
        self.totals.add(&done.outcome);
        match self.form {
            ReportForm::Table => {
                self.tables.push_str(&table::of(done));
                Ok(())
            }
            ReportForm::Json => self.line(&json::of(done), io),
        }
    }

    /// Adds an input with the report line of its part.
    ///
    /// # Errors
    /// Returns I/O errors.
    pub(crate) fn add_reported(&mut self, line: &Json, io: &mut Io) -> Result<()> {
        match line.get("error") {
            Some(_) => self.totals.failed += 1,
            None => self.totals.copied(json::stored(line)),
        }
        match self.form {
            ReportForm::Table => {
                self.tables.push_str(&table::of_line(line));
                Ok(())
            }
            ReportForm::Json => self.line(line, io),
        }
    }

    /// Ends the report with the totals. `time` replaces the time since the beginning.
    ///
    /// # Errors
    /// Returns I/O errors.
    pub(crate) fn end(self, time: Option<Duration>, io: &mut Io) -> Result<()> {
        let time = time.unwrap_or_else(|| self.start.elapsed());
        match self.form {
            ReportForm::Json => self.line(&json::end(&self.totals, time), io),
            ReportForm::Table => {
                let sums = match self.totals.inputs {
                    0 | 1 => String::new(),
                    _ => table::sums(&self.totals, time),
                };
                self.print(&format!("{}{sums}", self.tables), io)
            }
        }
    }

    fn line(&self, line: &Json, io: &mut Io) -> Result<()> {
        let line = line.line(Between::CommaBlank)?;
        self.print(&format!("{}\n", shown::json(&line)), io)
    }

    fn print(&self, text: &str, io: &mut Io) -> Result<()> {
        let out = match self.aside {
            true => &mut io.stderr,
            false => &mut io.stdout,
        };
        let failed = |e| Error::io("cannot write", "the report", e);
        let wrote = out.write_all(text.as_bytes());
        wrote.and_then(|()| out.flush()).map_err(failed)
    }
}

/// Returns input and output names without secrets.
pub(crate) fn names(copy: &CopyPair) -> (String, String) {
    let text = |path: &Path| ShownAddress::of(path).into_text();
    (text(&copy.input), text(&copy.output.path))
}

/// Returns a note about allowed differences that `--verify` found.
pub(crate) fn allowed(report: &CopyReport, output: &Path) -> Option<Note> {
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
        what: format!("verified; allowed differences: {}", parts.join("; ")),
        remedy: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Skip;
    use netcdf_core::copy::Changes;
    use netcdf_core::copy::methods::Method;
    use netcdf_core::io::locator::{Destination, Location, OutputRequest};
    use netcdf_core::notes::{CollectedNotes, Notes};

    fn sample() -> (CopyPair, CopyReport) {
        let var = |path: &str, before, after| VarReport {
            path: path.to_owned(),
            method: Method::Move,
            raw: 80,
            before,
            after,
            time: Duration::from_millis(1500),
            changes: Changes::default(),
        };
        let copy = CopyPair {
            input: "in.nc".into(),
            local: "in.nc".into(),
            remote: None,
            makes_folder: false,
            part: None,
            output: Destination::resolve(
                &Location::new("out \"1\".nc").unwrap(),
                OutputRequest::default(),
            )
            .unwrap(),
        };
        let vars = vec![var("/v", 80, 20), var("/g/\u{1}", 8, 0)];
        (
            copy,
            CopyReport {
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
             note: /r and /s: skipped\n";
        let done = DoneCopy {
            copy: &copy,
            outcome: CopyOutcome::Copied(report),
            notes: notes(),
        };
        let failed = DoneCopy::quietly(&copy, CopyOutcome::Failed("odd".to_owned()));
        assert_eq!(table::of(&done), table);
        let mut totals = Totals::of(5);
        totals.add(&done.outcome);
        totals.add(&failed.outcome);
        assert_eq!(
            table::of(&failed),
            "in.nc -> out \"1\".nc\nnot copied: odd\n"
        );
        let sums = "5 inputs: 1 copied, 0 skipped, 1 failed, 3 not begun; 88 bytes before, 20 after, ratio 4.40, 2.000 seconds\n";
        assert_eq!(table::sums(&totals, Duration::from_secs(2)), sums);
    }

    #[test]
    fn json_is_json() {
        let (copy, report) = sample();
        let done = [
            DoneCopy {
                copy: &copy,
                outcome: CopyOutcome::Copied(report),
                notes: notes(),
            },
            DoneCopy::quietly(&copy, CopyOutcome::Failed("no \"disk\"".to_owned())),
            DoneCopy::quietly(&copy, CopyOutcome::Skipped(Skip::Exists)),
        ];
        let mut totals = Totals::of(4);
        let line = |json: Json| json.line(Between::CommaBlank).unwrap() + "\n";
        let mut lines = String::new();
        for done in &done {
            totals.add(&done.outcome);
            lines += &line(json::of(done));
        }
        lines += &line(json::end(&totals, Duration::from_secs(2)));
        assert_eq!(
            lines,
            "{\"input\": \"in.nc\", \"output\": \"out \\\"1\\\".nc\", \"variables\": [{\"name\": \"/v\", \
             \"method\": \"move\", \"raw\": 80, \"before\": 80, \"after\": 20, \"ratio\": 4.0000, \"seconds\": 1.500000}, \
             {\"name\": \"/g/\\u0001\", \"method\": \"move\", \"raw\": 80, \"before\": 8, \"after\": 0, \"ratio\": null, \
             \"seconds\": 1.500000}], \"before\": 88, \"after\": 20, \"ratio\": 4.4000, \
             \"notes\": [{\"object\": \"/r\", \"what\": \"skipped\"}, {\"object\": \"/s\", \"what\": \"skipped\"}]}\n\
             {\"input\": \"in.nc\", \"output\": \"out \\\"1\\\".nc\", \"error\": \"no \\\"disk\\\"\"}\n\
             {\"input\": \"in.nc\", \"output\": \"out \\\"1\\\".nc\", \"skipped\": true, \"reason\": \"the output exists\"}\n\
             {\"totals\": {\"inputs\": 4, \"copied\": 1, \"skipped\": 1, \"failed\": 1, \"not_begun\": 1, \"before\": 88, \
             \"after\": 20, \"ratio\": 4.4000, \"seconds\": 2.000000}}\n"
        );
    }

    fn notes() -> CollectedNotes {
        let notes = Notes::default();
        for object in ["/r", "/s"] {
            notes.say(Note {
                object: object.to_owned(),
                what: "skipped".to_owned(),
                remedy: None,
            });
        }
        notes.take_all()
    }
}
