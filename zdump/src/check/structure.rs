//! The tree of nodes: all ancestors must be groups of the same version, with names that every file system accepts.

use std::collections::{BTreeMap, BTreeSet};

use netcdf_core::model::ZarrVersion;

use super::context::{CheckedStore, FindingCollector, main_object};
use super::report::{CheckReport, Finding};
use super::rule::Rule;
use crate::words::version_number;
use netcdf_core::format::zarr::survey::{Node, NodeContent, join, split};

/// Checks all nodes.
pub(super) fn check(checked: CheckedStore<'_>, report: &mut CheckReport) {
    let mut missing = BTreeSet::new();
    let mut names = BTreeMap::new();
    for node in &checked.survey.nodes {
        own(node, report);
        if has_own(node) {
            above(checked, node, &mut missing, report);
        }
        case(node, &mut names, report);
    }
}

/// Checks whether a node has its own objects, not only consolidated ones.
fn has_own(node: &Node) -> bool {
    node.objects.values().any(|o| o.size.is_some())
}

/// Checks the objects of a node.
fn own(node: &Node, report: &mut CheckReport) {
    let has = |name: &&str| node.objects.get(*name).is_some_and(|o| o.size.is_some());
    let old: Vec<_> = [".zgroup", ".zarray", ".zattrs"]
        .into_iter()
        .filter(has)
        .collect();
    if has(&"zarr.json") && !old.is_empty() {
        let what = format!("the node also has {} of version 2", old.join(", "));
        FindingCollector::object(report, node, "zarr.json").say(Rule::MixedVersions, what);
    }
    if has(&".zgroup") && has(&".zarray") {
        let what = "the node has a .zarray and a .zgroup";
        FindingCollector::object(report, node, ".zgroup").say(Rule::GroupOrArray, what);
    }
    if let (NodeContent::Nothing, Some((name, _))) = (&node.what, node.objects.first_key_value()) {
        let what = "metadata of neither a group nor an array";
        FindingCollector::object(report, node, name).say(Rule::OrphanMetadata, what);
    }
}

/// Checks the nodes above a node.
fn above<'a>(
    checked: CheckedStore<'a>,
    node: &'a Node,
    missing: &mut BTreeSet<&'a str>,
    report: &mut CheckReport,
) {
    let Some(name) = main_object(node) else {
        return;
    };
    let mut path = node.path.as_str();
    let mut version = node.version;
    while !path.is_empty() {
        path = split(path).0;
        let found = checked.survey.node(path);
        if let (Some(one), Some(other)) = (version, found.and_then(|n| n.version)) {
            if one != other {
                let (above, one, other) = (shown(path), version_number(one), version_number(other));
                let what = format!("version {one} below {above}, which is of version {other}");
                FindingCollector::object(report, node, name).say(Rule::MixedVersions, what);
            }
            version = None;
        }
        match found.map(|n| &n.what) {
            Some(NodeContent::Array(_)) => {
                let what = format!("it is below the array {}", shown(path));
                FindingCollector::object(report, node, name).say(Rule::BelowArray, what);
                return;
            }
            Some(NodeContent::Group | NodeContent::Broken(_)) => {}
            Some(NodeContent::Nothing) | None if !missing.insert(path) => return,
            Some(NodeContent::Nothing) | None => report.add(path, no_group(node, path)),
        }
    }
}

fn no_group(node: &Node, path: &str) -> Finding {
    let name = match node.version {
        Some(ZarrVersion::V3) => "zarr.json",
        Some(ZarrVersion::V2) | None => ".zgroup",
    };
    let what = format!("there is no group, but {} lies below it", shown(&node.path));
    Finding::new(Rule::GroupMissing, join(path, name), what)
}

fn shown(path: &str) -> String {
    format!("/{path}")
}

/// Finds names in one group that differ only in case.
fn case<'a>(
    node: &'a Node,
    names: &mut BTreeMap<(&'a str, String), &'a str>,
    report: &mut CheckReport,
) {
    let (group, name) = split(&node.path);
    if name.is_empty() {
        return;
    }
    let first = names.entry((group, name.to_lowercase())).or_insert(name);
    let object = main_object(node).or_else(|| node.objects.keys().next().map(String::as_str));
    if let (true, Some(object)) = (*first != name, object) {
        let what = format!("the name differs from {first} only in case");
        FindingCollector::object(report, node, object).say(Rule::NamesCase, what);
    }
}
