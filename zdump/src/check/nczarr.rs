//! Compares netCDF's group content lists with the existing nodes.

use std::collections::{BTreeMap, BTreeSet};

use netcdf_core::format::zarr::nczarr::{Contents, NczarrPart};

use super::context::{CheckedStore, FindingCollector, part};
use super::report::CheckReport;
use super::rule::Rule;
use super::text::shown;
use netcdf_core::format::zarr::survey::{Node, NodeContent, split};

/// The nodes directly below each node, by name.
type NodeChildren<'a> = BTreeMap<&'a str, BTreeMap<&'a str, &'a Node>>;

/// Checks all groups with content lists.
pub(super) fn check(checked: CheckedStore<'_>, report: &mut CheckReport) {
    let mut children = NodeChildren::new();
    for node in checked.survey.nodes.iter().filter(|n| !n.path.is_empty()) {
        let (group, name) = split(&node.path);
        children.entry(group).or_default().insert(name, node);
    }
    let none = BTreeMap::new();
    for node in &checked.survey.nodes {
        let Some((json, object)) = part(node, NczarrPart::Group) else {
            continue;
        };
        let mut about = FindingCollector::object(report, node, object);
        let children = children.get(node.path.as_str()).unwrap_or(&none);
        match Contents::of(json) {
            None => {
                let what = format!("the contents of a group cannot be read: {}", shown(json));
                about.say(Rule::NczarrWrong, what);
            }
            Some(contents) => lists(&contents, children, &mut about),
        }
    }
}

/// Compares both lists with the nodes.
fn lists(contents: &Contents, children: &BTreeMap<&str, &Node>, about: &mut FindingCollector<'_>) {
    for (list, what, array) in [
        (&contents.arrays, "array", true),
        (&contents.groups, "group", false),
    ] {
        let listed: BTreeSet<&str> = list.iter().map(String::as_str).collect();
        for name in &listed {
            let there = children.get(name).is_some_and(|node| may_be(node, array));
            if !there {
                about.say(
                    Rule::NczarrListed,
                    format!("the {what} {name} is not there"),
                );
            }
        }
        for (name, node) in children {
            if is(node, array) && !listed.contains(name) {
                about.say(
                    Rule::NczarrUnlisted,
                    format!("the {what} {name} is not in the list"),
                );
            }
        }
    }
}

fn is(node: &Node, array: bool) -> bool {
    match node.what {
        NodeContent::Array(_) => array,
        NodeContent::Group => !array,
        NodeContent::Broken(_) | NodeContent::Nothing => false,
    }
}

fn may_be(node: &Node, array: bool) -> bool {
    is(node, array) || matches!(node.what, NodeContent::Broken(_))
}
