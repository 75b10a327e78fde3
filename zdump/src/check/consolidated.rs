//! Compares consolidated metadata with the original objects.

use std::collections::{BTreeMap, BTreeSet};

use netcdf_core::json::Json;

use super::context::{CheckedStore, FindingCollector};
use super::report::CheckReport;
use super::rule::Rule;
use super::text::shown;
use crate::array::values::same_numbers;
use netcdf_core::format::zarr::survey::{Node, StoreSurvey, join, split};

/// The objects that `.zmetadata` copies.
const REPEATED: [&str; 3] = [".zgroup", ".zarray", ".zattrs"];

/// Checks all nodes with consolidated metadata.
pub(super) fn check(checked: CheckedStore<'_>, report: &mut CheckReport) {
    for node in &checked.survey.nodes {
        if let Some(json) = node.json(".zmetadata") {
            v2(checked.survey, (node, json), report);
        }
        let json = node.json("zarr.json");
        let json = json.and_then(|json| json.get("consolidated_metadata"));
        if let Some(json) = json.filter(|json| **json != Json::Null) {
            v3(checked.survey, (node, json), report);
        }
    }
}

/// Returns the objects in consolidated metadata, by name.
fn repeated<'j>(
    json: &'j Json,
    about: &mut FindingCollector<'_>,
) -> Option<BTreeMap<&'j str, &'j Json>> {
    let all = json.get("metadata");
    let all = all.filter(|all| matches!(all, Json::Object(_)));
    if all.is_none() {
        about.say(Rule::ConsolidatedWrong, "it has no object \"metadata\"");
    }
    Some(
        all?.members()
            .iter()
            .map(|(key, json)| (key.as_str(), json))
            .collect(),
    )
}

/// Returns the nodes at and below a path, with the rest of their paths.
fn below<'a>(survey: &'a StoreSurvey, path: &str) -> impl Iterator<Item = (&'a Node, &'a str)> {
    let prefix = if path.is_empty() {
        String::new()
    } else {
        format!("{path}/")
    };
    let itself = survey.node(path).map(|node| (node, ""));
    let first = survey.nodes.partition_point(|node| node.path < prefix);
    let rest = survey.nodes.iter().skip(first);
    let rest = rest.map_while(move |node| Some((node, node.path.strip_prefix(&prefix)?)));
    itself
        .into_iter()
        .chain(rest.filter(|(_, rest)| !rest.is_empty()))
}

fn v2(survey: &StoreSurvey, (node, json): (&Node, &Json), report: &mut CheckReport) {
    let mut about = FindingCollector::object(report, node, ".zmetadata");
    let format = json.get("zarr_consolidated_format");
    if format.and_then(Json::as_u64) != Some(1) {
        let found = format.map_or_else(|| "missing".to_owned(), shown);
        let what = format!("zarr_consolidated_format is {found}, not 1");
        about.say(Rule::ConsolidatedWrong, what);
    }
    let Some(all) = repeated(json, &mut about) else {
        return;
    };
    let own = |name: &&str| node.objects.get(*name).is_some_and(|o| o.size.is_some());
    let alone = ![".zgroup", ".zarray"].iter().any(own);
    if alone {
        let what = "the store does not have the objects that it repeats";
        about.say(Rule::ConsolidatedOnly, what);
    }
    let mut seen = BTreeSet::new();
    for (found, rest) in below(survey, &node.path) {
        for name in REPEATED {
            let Some(object) = found.objects.get(name).filter(|o| o.size.is_some()) else {
                continue;
            };
            let key = join(rest, name);
            let copy = all.get(key.as_str()).copied();
            compare((&key, object.json.as_ref().ok()), copy, &mut about);
            seen.insert(key);
        }
    }
    for key in all.keys().filter(|key| !alone && !seen.contains(**key)) {
        let what = match REPEATED.contains(&split(key).1) {
            true => format!("{key} is no longer in the store"),
            false => format!("{key} is not a metadata key"),
        };
        about.say(Rule::ConsolidatedStale, what);
    }
}

fn v3(survey: &StoreSurvey, (node, json): (&Node, &Json), report: &mut CheckReport) {
    let mut about = FindingCollector::object(report, node, "zarr.json");
    let kind = json.get("kind");
    if let Some(kind) = kind.filter(|kind| kind.as_str() != Some("inline")) {
        let what = format!(
            "the kind of consolidated metadata is {}, not \"inline\"",
            shown(kind)
        );
        about.say(Rule::ConsolidatedWrong, what);
    }
    let Some(all) = repeated(json, &mut about) else {
        return;
    };
    let mut seen = BTreeSet::new();
    for (found, rest) in below(survey, &node.path).filter(|(_, rest)| !rest.is_empty()) {
        let object = found.objects.get("zarr.json");
        if let Some(object) = object.filter(|o| o.size.is_some()) {
            let copy = all.get(rest).copied();
            compare((rest, object.json.as_ref().ok()), copy, &mut about);
            seen.insert(rest);
        }
    }
    for path in all.keys().filter(|path| !seen.contains(**path)) {
        let what = format!("{path} is no longer in the store");
        about.say(Rule::ConsolidatedStale, what);
    }
}

/// Compares an object with its copy. An unreadable object is a separate finding. Empty attributes may be missing.
fn compare(
    (key, object): (&str, Option<&Json>),
    copy: Option<&Json>,
    about: &mut FindingCollector<'_>,
) {
    let Some(object) = object else { return };
    match copy {
        None if *object == Json::Object(vec![]) => {}
        None => about.say(Rule::ConsolidatedStale, format!("{key} is missing from it")),
        Some(copy) => {
            if let Some(path) = difference(object, copy, 0) {
                let place = if path.is_empty() {
                    path
                } else {
                    format!(" in {path}")
                };
                let what = format!("{key} differs from the object itself{place}");
                about.say(Rule::ConsolidatedStale, what);
            }
        }
    }
}

/// Checks whether a member is compared. Ignores empty members that mean the same as missing members, and copies of objects below the group.
fn counts(name: &str, json: &Json) -> bool {
    match name {
        "consolidated_metadata" => false,
        "attributes" | "storage_transformers" | "dimension_names" => {
            let nothing = [Json::Null, Json::Object(vec![]), Json::Array(vec![])];
            !nothing.contains(json)
        }
        _ => true,
    }
}

/// Returns the compared members.
fn members(json: &Json, depth: usize) -> BTreeMap<&str, &Json> {
    let all = json.members().iter();
    let all = all.filter(|(name, json)| depth > 0 || counts(name, json));
    all.map(|(name, json)| (name.as_str(), json)).collect()
}

/// Returns the path at which two values differ. Ignores the order of members and the notation of numbers.
fn difference(a: &Json, b: &Json, depth: usize) -> Option<String> {
    let here = |same: bool| (!same).then(String::new);
    match (a, b) {
        (Json::Object(_), Json::Object(_)) => {
            let (a, b) = (members(a, depth), members(b, depth));
            let names: BTreeSet<_> = a.keys().chain(b.keys()).collect();
            names.into_iter().find_map(|name| {
                let inner = match (a.get(name), b.get(name)) {
                    (Some(a), Some(b)) => difference(a, b, depth + 1),
                    _ => here(false),
                };
                inner.map(|inner| format!("/{name}{inner}"))
            })
        }
        (Json::Array(a), Json::Array(b)) if a.len() == b.len() => {
            let mut pairs = a.iter().zip(b);
            pairs.find_map(|(a, b)| difference(a, b, depth + 1))
        }
        (Json::Number(a), Json::Number(b)) => here(a == b || same_numbers(a, b)),
        _ => here(a == b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differ(a: &str, b: &str) -> Option<String> {
        let json = |text: &str| Json::parse(text.as_bytes()).unwrap();
        difference(&json(a), &json(b), 0)
    }

    #[test]
    fn order_and_spelling_do_not_count() {
        for (a, b) in [
            (r#"{"a":1,"b":[1.0,NaN]}"#, r#"{"b":[1,NaN],"a":1}"#),
            (r#"{"a":1e3}"#, r#"{"a":1000.0}"#),
            (r#"{"attributes":{}}"#, "{}"),
            (r#"{"consolidated_metadata":{"a":1}}"#, "{}"),
        ] {
            assert_eq!(differ(a, b), None, "{a}");
        }
    }

    #[test]
    fn differences_have_places() {
        for (a, b, place) in [
            (r#"{"a":{"b":1}}"#, r#"{"a":{"b":2}}"#, "/a/b"),
            (r#"{"a":[1,2]}"#, r#"{"a":[1]}"#, "/a"),
            (
                r#"{"a":9007199254740993}"#,
                r#"{"a":9007199254740992}"#,
                "/a",
            ),
            (r#"{"attributes":{"attributes":{}}}"#, "{}", "/attributes"),
            (r#"{"x":{"attributes":{}}}"#, r#"{"x":{}}"#, "/x/attributes"),
            ("1", "\"1\"", ""),
        ] {
            assert_eq!(differ(a, b).as_deref(), Some(place), "{a}");
        }
    }
}
