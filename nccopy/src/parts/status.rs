//! `--status`: the progress of a plan.

use netcdf_core::error::{Error, Result};
use netcdf_core::json::{Between, Json};
use netcdf_core::shown::{ShownText, number_agreement};
use netcdf_core::tool::{Io, Status};

use super::plan_directory::{PlanDirectory, StoredPlan};

/// The part counts per state.
#[derive(Debug, Default)]
struct PartProgress {
    done: u64,
    begun: u64,
    failed: Vec<(u64, String)>,
    waiting: u64,
    /// The total seconds of finished parts.
    seconds: f64,
    /// The number of parts of the first stage, and the number of finished ones.
    first: Option<(u64, u64)>,
}

/// Prints the progress, as JSON if `json` is set.
///
/// # Errors
/// Returns errors of the plan directory and of standard output.
pub(super) fn run(json: bool, folder: &PlanDirectory, io: &mut Io) -> Result<Status> {
    let plan = folder.plan()?;
    let progress = progress(folder, &plan)?;
    let text = match json {
        true => progress.json(plan.record.parts)?,
        false => progress.text(plan.record.parts),
    };
    let failed = |e| Error::io("cannot write", "(stdout)", e);
    io.stdout.write_all(text.as_bytes()).map_err(failed)?;
    Ok(Status::Success)
}

fn progress(folder: &PlanDirectory, plan: &StoredPlan) -> Result<PartProgress> {
    let mut progress = PartProgress::default();
    if plan.record.first_stage() > 0 {
        let (all, lacks) = (plan.record.first_stage(), folder.first_lacks(plan)?);
        progress.first = Some((all, all - lacks.len() as u64));
    }
    for part in 0..plan.record.parts {
        if let Some(done) = folder.done(part)? {
            progress.done += 1;
            progress.seconds += done.seconds.parse().unwrap_or(0.0);
            continue;
        }
        let last = folder.last_logged(part)?;
        let member = |name: &str| last.as_ref()?.get(name)?.as_str();
        match member("event") {
            Some("failed") => {
                let error = member("error").unwrap_or_default().to_owned();
                progress.failed.push((part, error));
            }
            Some(_) => progress.begun += 1,
            None => progress.waiting += 1,
        }
    }
    Ok(progress)
}

impl PartProgress {
    /// Returns the remaining seconds of work, extrapolated from finished parts.
    fn left(&self, parts: u64) -> Option<f64> {
        let count = |n: u64| u32::try_from(n).map_or(f64::INFINITY, f64::from);
        let each = self.seconds / count(self.done);
        (self.done > 0).then(|| each * count(parts - self.done))
    }

    fn text(&self, parts: u64) -> String {
        let Self {
            done,
            begun,
            waiting,
            failed,
            ..
        } = self;
        let some = failed.len();
        let text = format!(
            "{parts} parts: {done} done, {begun} begun, {some} failed, {waiting} not begun\n"
        );
        let mut text = number_agreement(text.into()).into_owned();
        if let Some((all, done)) = self.first {
            let first = format!("first stage: {done} of {all} parts done\n");
            text += &number_agreement(first.into());
        }
        if let Some(left) = self.left(parts).filter(|_| *done < parts) {
            text += &format!("about {left:.0} s of work left, with one part at a time\n");
        }
        for (part, error) in failed {
            text += &format!("part {part}: {}\n", ShownText::new(error));
        }
        text
    }

    fn json(&self, parts: u64) -> Result<String> {
        let failed = self.failed.iter().map(|(part, error)| {
            Json::object([("part", Json::int(part)), ("error", Json::text(error))])
        });
        let left = self
            .left(parts)
            .map_or(Json::Null, |s| Json::Number(format!("{s:.3}")));
        let first = self.first.map_or(Json::Null, |(all, done)| {
            Json::object([("parts", Json::int(all)), ("done", Json::int(done))])
        });
        let json = Json::object([
            ("parts", Json::int(parts)),
            ("first_stage", first),
            ("done", Json::int(self.done)),
            ("begun", Json::int(self.begun)),
            ("waiting", Json::int(self.waiting)),
            ("failed", Json::Array(failed.collect())),
            ("seconds_left", left),
        ]);
        Ok(format!("{}\n", json.line(Between::CommaBlank)?))
    }
}
