//! Metadata requirements for groups and arrays of all versions.

use netcdf_core::format::zarr::Dtype;
use netcdf_core::format::zarr::raw::RawArray;
use netcdf_core::json::Json;
use netcdf_core::model::ZarrVersion;

use super::context::{CheckedStore, FindingCollector};
use super::members::version;
use super::report::CheckReport;
use super::rule::Rule;
use super::text::shown;
use super::{v2, v3};
use netcdf_core::format::zarr::survey::{Node, NodeContent};

/// Checks the metadata of all nodes.
pub(super) fn check(checked: CheckedStore<'_>, report: &mut CheckReport) {
    for node in &checked.survey.nodes {
        for name in [".zgroup", ".zarray", ".zattrs", "zarr.json"] {
            let Some(json) = node.json(name) else {
                continue;
            };
            let mut about = FindingCollector::object(report, node, name);
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
fn described(checked: CheckedStore<'_>, node: &Node, report: &mut CheckReport) {
    let name = match node.version {
        Some(ZarrVersion::V2) => ".zarray",
        Some(ZarrVersion::V3) => "zarr.json",
        None => return,
    };
    let before = report.errors_of(&node.path);
    let mut about = FindingCollector::object(report, node, name);
    match &node.what {
        // Report the reason unless the member checks found it.
        NodeContent::Broken(why) if before == 0 => about.say(Rule::MemberWrong, why),
        NodeContent::Broken(_) | NodeContent::Group | NodeContent::Nothing => {}
        NodeContent::Array(array) => self::array(checked, (array, before > 0), &mut about),
    }
}

fn array(
    checked: CheckedStore<'_>,
    (array, wrong): (&RawArray, bool),
    about: &mut FindingCollector<'_>,
) {
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
        // The member checks found the reason.
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

/// Checks that the codecs are available, and that their parameters are valid.
fn codecs(checked: CheckedStore<'_>, array: &RawArray, about: &mut FindingCollector<'_>) {
    let available = checked.env.filters.check(&array.layout.filters, 0);
    let (rule, e) = match (available, array.chain(checked.env)) {
        (Err(e), _) => (Rule::CodecMissing, e),
        (Ok(()), Err(e)) => (Rule::CodecWrong, e),
        (Ok(()), Ok(_)) => return,
    };
    let remedy = e.remedy().unwrap_or_else(|| rule.remedy()).to_owned();
    about.advise(rule, e.what(), remedy);
}
