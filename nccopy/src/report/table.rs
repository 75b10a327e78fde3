//! Report tables.

use std::time::Duration;

use netcdf_core::copy::report::ratio;
use netcdf_core::copy::{Changes, CopyReport};
use netcdf_core::json::Json;
use netcdf_core::notes::{CollectedNotes, Note};
use netcdf_core::shown::{ShownText, number_agreement};
use netcdf_core::tool::table::TextTable;

use super::method::method;
use super::{Totals, json, names};
use crate::outcome::{CopyOutcome, DoneCopy};

/// Returns the table and the notes of a copy.
pub(crate) fn of(done: &DoneCopy) -> String {
    let (input, output) = names(done.copy);
    let what = match &done.outcome {
        CopyOutcome::Copied(report) => of_copy(report),
        other => other.not_copied(),
    };
    let notes = note_lines(&done.notes);
    format!("{}\n{what}{notes}", title(&input, &output))
}

/// Returns a line for each note.
pub(crate) fn note_lines(notes: &CollectedNotes) -> String {
    let line = |note: &Note| format!("note: {}\n", ShownText::new(&note.to_string()));
    notes.together().iter().map(line).collect()
}

/// Returns the lines of a copy from the report of a part.
pub(crate) fn of_line(line: &Json) -> String {
    let text = |name: &str| {
        let member = line.get(name).and_then(Json::as_str);
        member.unwrap_or_default().to_owned()
    };
    let title = title(&text("input"), &text("output"));
    if line.get("error").is_some() {
        return format!("{title}\nnot copied: {}\n", ShownText::new(&text("error")));
    }
    let (before, after) = json::stored(line);
    let ratio = times(before, after);
    format!("{title}\n{before} bytes before, {after} after, ratio {ratio}\n")
}

/// Returns the line with the totals.
pub(crate) fn sums(totals: &Totals, time: Duration) -> String {
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
    let text = format!(
        "{inputs} inputs: {copied} copied, {skipped} skipped, {failed} failed{left}; {before} bytes before, {after} after, ratio {ratio}, {seconds:.3} seconds\n"
    );
    number_agreement(text.into()).into_owned()
}

fn title(input: &str, output: &str) -> String {
    format!("{} -> {}", ShownText::new(input), ShownText::new(output))
}

fn times(before: u64, after: u64) -> String {
    ratio(before, after).map_or("-".to_owned(), |r| format!("{r:.2}"))
}

/// Returns a table with one line per variable, and the sums.
fn of_copy(report: &CopyReport) -> String {
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
    let retyped = report.retyped.iter().map(|a| ShownText::new(a).to_string());
    let retyped = match retyped.collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => none,
        list => format!("attributes of other types: {list}\n"),
    };
    let table = TextTable::flush_right(&[2, 3, 4, 5]).with(rows);
    format!("{}{retyped}", table.text())
}

/// Adds a column with the changes of values, if there are any.
pub(crate) fn add_changes(rows: &mut [Vec<String>], changes: impl Iterator<Item = Changes>) {
    let texts: Vec<_> = changes.map(|c| c.text()).collect();
    if texts.iter().all(String::is_empty) {
        return;
    }
    let cells = std::iter::once("values".to_owned());
    let cells = cells.chain(texts.into_iter().map(|text| match text.is_empty() {
        true => "-".to_owned(),
        false => text,
    }));
    rows.iter_mut()
        .zip(cells)
        .for_each(|(row, cell)| row.push(cell));
}
