//! Compares groups and arrays of two stores by path.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use netcdf_core::env::Env;
use netcdf_core::error::Result;
use netcdf_core::io::Store;
use netcdf_core::json::Json;

use super::raw::{self, StoredNode};
use super::report::{DiffReport, StoreDifference};
use super::{attributes, data, meta};
use crate::array::OpenArray;
use crate::table::shape;
use crate::words::{dtype, version_number};
use netcdf_core::format::zarr::survey::{Node, NodeContent, StoreSurvey};

/// A store and its content.
type StoreSide<'a> = (&'a Arc<dyn Store>, &'a StoreSurvey);

/// Compares all nodes of two stores.
///
/// # Errors
/// Returns errors of the stores, and write errors.
pub(super) fn compare(
    a: StoreSide<'_>,
    b: StoreSide<'_>,
    (env, report): (&Env, &mut DiffReport<'_>),
) -> Result<()> {
    let mut paths: BTreeMap<&str, [Option<StoredNode<'_>>; 2]> = BTreeMap::new();
    for (n, (store, survey)) in [a, b].into_iter().enumerate() {
        for node in &survey.nodes {
            let sides = paths.entry(&node.path).or_default();
            if let Some(side) = sides.get_mut(n) {
                *side = Some(StoredNode { store, node });
            }
        }
    }
    let mut versions = BTreeSet::new();
    for (path, sides) in paths {
        env.cancel.check()?;
        match sides {
            [Some(x), Some(y)] => {
                version((x.node, y.node), &mut versions, report)?;
                both(x, y, env, report)?;
            }
            [Some(x), None] => alone(x.node, has_below(b.1, path), (report, false))?,
            [None, Some(y)] => alone(y.node, has_below(a.1, path), (report, true))?,
            [None, None] => {}
        }
    }
    Ok(())
}

/// Checks whether there are nodes below a path, which is then a group without metadata.
fn has_below(survey: &StoreSurvey, path: &str) -> bool {
    let below = |node: &Node| match path {
        "" => true,
        path => node
            .path
            .strip_prefix(path)
            .is_some_and(|rest| rest.starts_with('/')),
    };
    survey.nodes.iter().any(below)
}

/// Reports a node that only one store has.
fn alone(node: &Node, implied: bool, (report, second): (&mut DiffReport<'_>, bool)) -> Result<()> {
    let (kind, text) = what(node);
    let json = Some(Json::text(&text));
    let (a, b) = if second { (None, json) } else { (json, None) };
    let group = matches!(node.what, NodeContent::Group | NodeContent::Nothing);
    let layout = implied && group;
    let path = node.shown();
    report.tell(&path, StoreDifference::new(kind, a, b).of_layout(layout))?;
    if !layout {
        return Ok(());
    }
    let node = Some(node);
    let sides = if second { (None, node) } else { (node, None) };
    attributes::compare(&path, sides, None, report)
}

/// Returns the kind and the description of a node.
fn what(node: &Node) -> (&'static str, String) {
    match &node.what {
        NodeContent::Group | NodeContent::Nothing => ("group", "group".to_owned()),
        NodeContent::Broken(why) => ("broken", format!("broken: {why}")),
        NodeContent::Array(array) => {
            let described = &array.described;
            let (shape, ty) = (shape(&described.shape), dtype(array));
            ("array", format!("array {shape} of {ty}"))
        }
    }
}

/// Compares the versions of nodes. Each pair of versions is reported once.
fn version(
    (a, b): (&Node, &Node),
    said: &mut BTreeSet<(u8, u8)>,
    report: &mut DiffReport<'_>,
) -> Result<()> {
    let number = |node: &Node| node.version.map_or(0, version_number);
    let pair = (number(a), number(b));
    if pair.0 == pair.1 || !said.insert(pair) {
        return Ok(());
    }
    let json = |n: u8| (n > 0).then(|| Json::int(n));
    let difference = StoreDifference::new("version", json(pair.0), json(pair.1));
    report.tell(&a.shown(), difference.of_layout(true))
}

/// Compares a node that both stores have.
fn both(
    a: StoredNode<'_>,
    b: StoredNode<'_>,
    env: &Env,
    report: &mut DiffReport<'_>,
) -> Result<()> {
    let (x, y) = (a.node, b.node);
    let path = x.shown();
    let ((kind, text), (other, other_text)) = (what(x), what(y));
    if kind == "broken" && other == kind && raw::unchanged(a, b, env)? {
        return Ok(());
    }
    if kind != other || kind == "broken" {
        return report.tell(&path, StoreDifference::texts("node", &text, &other_text));
    }
    let arrays = OpenArray::new(a.store, env, x).zip(OpenArray::new(b.store, env, y));
    let Some((x_array, y_array)) = arrays else {
        return attributes::compare(&path, (Some(x), Some(y)), None, report);
    };
    let comparable = meta::compare((x, &x_array), (y, &y_array), report)?;
    let arrays = Some((&x_array, &y_array));
    attributes::compare(&path, (Some(x), Some(y)), arrays, report)?;
    match comparable {
        true => data::compare((&x_array, &y_array), report),
        false => Ok(()),
    }
}
