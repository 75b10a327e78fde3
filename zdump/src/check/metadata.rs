//! Requirements on the metadata of groups and arrays of all versions.

use netcdf_core::format::zarr::Dtype;
use netcdf_core::format::zarr::raw::RawArray;
use netcdf_core::json::Json;
use netcdf_core::model::ZarrVersion;

use super::context::{About, Checked, shown};
use super::report::Report;
use super::rule::Rule;
use super::{v2, v3};
use netcdf_core::format::zarr::survey::{Node, What};

/// Checks the metadata of all nodes.
pub(super) fn check(checked: Checked<'_>, report: &mut Report) {
    for node in &checked.survey.nodes {
        for name in [".zgroup", ".zarray", ".zattrs", "zarr.json"] {
            let Some(json) = node.json(name) else {
                continue;
            };
            let mut about = About::object(report, node, name);
            if !matches!(json, Json::Object(_)) {
                let what = format!("expected an object, found {}", shown(json));
                about.say(Rule::MemberWrong, what);
                continue;
            }
            match name {
                ".zgroup" => version(json, 2, &mut about),
                ".zarray" => v2::array(json, &mut about),
                "zarr.json" => v3::node(json, &mut about),
                _ => {}
            }
        }
        described(checked, node, report);
    }
}

/// Checks whether the metadata of an array can be used.
fn described(checked: Checked<'_>, node: &Node, report: &mut Report) {
    let name = match node.version {
        Some(ZarrVersion::V2) => ".zarray",
        Some(ZarrVersion::V3) => "zarr.json",
        None => return,
    };
    let before = report.errors_of(&node.path);
    let mut about = About::object(report, node, name);
    match &node.what {
        // Only if the checks of the members have not found it.
        What::Broken(why) if before == 0 => about.say(Rule::MemberWrong, why),
        What::Broken(_) | What::Group | What::Nothing => {}
        What::Array(array) => self::array(checked, (array, before > 0), &mut about),
    }
}

fn array(checked: Checked<'_>, (array, wrong): (&RawArray, bool), about: &mut About<'_>) {
    let described = &array.described;
    match (&described.stored.dtype, &described.problem) {
        (Dtype::Unknown(name, _), Some(problem)) if name == "object" => {
            let remedy = "store the array as texts (vlen-utf8) or bytes (vlen-bytes)";
            return about.advise(Rule::CodecMissing, problem, remedy);
        }
        (Dtype::Unknown(name, _), _) => {
            let what = format!("the type {name} is not known");
            return about.say(Rule::DtypeUnknown, what);
        }
        (_, Some(problem)) if array.layout.filters.len() < described.filters.len() => {
            about.say(Rule::CodecWrong, problem);
        }
        // The checks of the members have found the reason.
        (_, Some(_)) if wrong => {}
        (_, Some(problem)) => about.say(Rule::Undecodable, format!("not decoded here: {problem}")),
        (_, None) => codecs(checked, array, about),
    }
    if !array.fill_fits() {
        let what = format!(
            "the fill value {} is not a value of type {}",
            shown(&described.fill),
            described.stored.spelling()
        );
        about.say(Rule::FillWrong, what);
    }
}

/// Checks that the codecs are available, and that their parameters are possible.
fn codecs(checked: Checked<'_>, array: &RawArray, about: &mut About<'_>) {
    let available = checked.env.filters.check(&array.layout.filters, 0);
    let (rule, e) = match (available, array.chain(checked.env)) {
        (Err(e), _) => (Rule::CodecMissing, e),
        (Ok(()), Err(e)) => (Rule::CodecWrong, e),
        (Ok(()), Ok(_)) => return,
    };
    let remedy = e.remedy().unwrap_or_else(|| rule.remedy()).to_owned();
    about.advise(rule, e.what(), remedy);
}

/// Checks that `zarr_format` exists and is this version.
pub(super) fn version(json: &Json, version: u64, about: &mut About<'_>) {
    if let Some(found) = required(json, "zarr_format", about)
        && found.as_u64() != Some(version)
    {
        let what = format!("zarr_format is {}, not {version}", shown(found));
        about.say(Rule::FormatWrong, what);
    }
}

/// A required member.
pub(super) fn required<'j>(json: &'j Json, name: &str, about: &mut About<'_>) -> Option<&'j Json> {
    let found = json.get(name);
    if found.is_none() {
        about.say(Rule::MemberMissing, format!("there is no {name}"));
    }
    found
}

/// A list of whole numbers, each at least `least`.
pub(super) fn lengths(
    (name, json): (&str, &Json),
    least: u64,
    about: &mut About<'_>,
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

/// The shape of an array, and the least length of its chunks.
pub(super) fn shape(json: &Json, about: &mut About<'_>) -> (Option<Vec<u64>>, u64) {
    let shape = required(json, "shape", about).and_then(|j| lengths(("shape", j), 0, about));
    let empty = shape.as_ref().is_some_and(|s| s.contains(&0));
    (shape, u64::from(!empty))
}

/// Adds the finding that a member is not what it should be.
pub(super) fn wrong((name, json): (&str, &Json), expected: &str, about: &mut About<'_>) {
    let what = format!("{name} is {}: expected {expected}", shown(json));
    about.say(Rule::MemberWrong, what);
}

/// Checks that two lists have the same length.
pub(super) fn ranks(
    (one, a): (&str, Option<&[u64]>),
    (other, b): (&str, Option<&[u64]>),
    about: &mut About<'_>,
) {
    if let (Some(a), Some(b)) = (a, b)
        && a.len() != b.len()
    {
        let (a, b) = (a.len(), b.len());
        let what = format!("{one} has {a} dimensions, {other} has {b}");
        about.say(Rule::RankMismatch, what);
    }
}

/// Checks that a member is one of some words.
pub(super) fn word((name, json): (&str, &Json), words: &[&str], about: &mut About<'_>) {
    if !json.as_str().is_some_and(|word| words.contains(&word)) {
        let words: Vec<_> = words.iter().map(|word| format!("\"{word}\"")).collect();
        let what = format!("{name} is {}, not {}", shown(json), words.join(" or "));
        about.say(Rule::MemberWrong, what);
    }
}
