//! Requirements on single members of metadata.

use netcdf_core::json::Json;

use super::context::FindingCollector;
use super::rule::Rule;
use super::text::shown;

/// Checks that `zarr_format` exists and is this version.
pub(super) fn version(json: &Json, version: u64, about: &mut FindingCollector<'_>) {
    if let Some(found) = required(json, "zarr_format", about)
        && found.as_u64() != Some(version)
    {
        let what = format!("zarr_format is {}, not {version}", shown(found));
        about.say(Rule::FormatWrong, what);
    }
}

/// Returns a required member, or adds a finding.
pub(super) fn required<'j>(
    json: &'j Json,
    name: &str,
    about: &mut FindingCollector<'_>,
) -> Option<&'j Json> {
    let found = json.get(name);
    if found.is_none() {
        about.say(Rule::MemberMissing, format!("there is no {name}"));
    }
    found
}

/// Returns a list of whole numbers with the minimum `least`.
pub(super) fn lengths(
    (name, json): (&str, &Json),
    least: u64,
    about: &mut FindingCollector<'_>,
) -> Option<Vec<u64>> {
    let numbers = netcdf_core::format::zarr::lengths(Some(json));
    let numbers = numbers.filter(|all| all.iter().all(|n| *n >= least));
    if numbers.is_none() {
        let what = match least {
            0 => "a list of whole numbers",
            _ => "a list of whole numbers above 0",
        };
        wrong((name, json), what, about);
    }
    numbers
}

/// Returns the shape of an array, and the minimum chunk length.
pub(super) fn shape(json: &Json, about: &mut FindingCollector<'_>) -> (Option<Vec<u64>>, u64) {
    let shape = required(json, "shape", about).and_then(|j| lengths(("shape", j), 0, about));
    let empty = shape.as_ref().is_some_and(|s| s.contains(&0));
    (shape, u64::from(!empty))
}

/// Adds a finding about a wrong member.
pub(super) fn wrong((name, json): (&str, &Json), expected: &str, about: &mut FindingCollector<'_>) {
    let what = format!("{name} is {}: expected {expected}", shown(json));
    about.say(Rule::MemberWrong, what);
}

/// Checks that two lists have the same length.
pub(super) fn ranks(
    (one, a): (&str, Option<&[u64]>),
    (other, b): (&str, Option<&[u64]>),
    about: &mut FindingCollector<'_>,
) {
    if let (Some(a), Some(b)) = (a, b)
        && a.len() != b.len()
    {
        let (a, b) = (a.len(), b.len());
        let what = format!("{one} has {a} dimensions, {other} has {b}");
        about.say(Rule::RankMismatch, what);
    }
}

/// Checks that a member is one of the given words.
pub(super) fn word((name, json): (&str, &Json), words: &[&str], about: &mut FindingCollector<'_>) {
    if !json.as_str().is_some_and(|word| words.contains(&word)) {
        let words: Vec<_> = words.iter().map(|word| format!("\"{word}\"")).collect();
        let what = format!("{name} is {}, not {}", shown(json), words.join(" or "));
        about.say(Rule::MemberWrong, what);
    }
}
