//! The common context of all checks.

use std::sync::Arc;

use netcdf_core::env::Env;
use netcdf_core::format::zarr::nczarr::NczarrPart;
use netcdf_core::io::Store;
use netcdf_core::json::Json;
use netcdf_core::model::ZarrVersion;

use super::report::{CheckReport, Finding};
use super::rule::Rule;
use netcdf_core::format::zarr::survey::{Node, StoreSurvey, join};

/// The store under check.
#[derive(Clone, Copy)]
pub(crate) struct CheckedStore<'a> {
    /// The store.
    pub store: &'a Arc<dyn Store>,
    /// The nodes of the store.
    pub survey: &'a StoreSurvey,
    /// Limits, codecs, threads.
    pub env: &'a Env,
}

/// Collects findings about an object of a node.
pub(super) struct FindingCollector<'a> {
    /// All findings.
    pub report: &'a mut CheckReport,
    /// The path of the node.
    pub node: &'a str,
    /// The key of the object.
    pub key: String,
}

impl<'a> FindingCollector<'a> {
    /// Returns a collector for the object with this name of a node.
    pub(super) fn object(report: &'a mut CheckReport, node: &'a Node, name: &str) -> Self {
        Self {
            report,
            node: &node.path,
            key: join(&node.path, name),
        }
    }

    /// Adds a finding.
    pub(super) fn say(&mut self, rule: Rule, what: impl Into<String>) {
        let finding = Finding::new(rule, self.key.clone(), what);
        self.report.add(self.node, finding);
    }

    /// Adds a finding with a specific remedy.
    pub(super) fn advise(
        &mut self,
        rule: Rule,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        let mut finding = Finding::new(rule, self.key.clone(), what);
        finding.remedy = remedy.into().into();
        self.report.add(self.node, finding);
    }
}

/// Returns the name of the object that defines a node.
pub(super) fn main_object(node: &Node) -> Option<&'static str> {
    let names = ["zarr.json", ".zarray", ".zgroup"];
    names
        .into_iter()
        .find(|name| node.objects.contains_key(*name))
}

/// Returns the name of the object with a node's attributes.
pub(super) fn attributes_object(node: &Node) -> &'static str {
    match node.version {
        Some(ZarrVersion::V3) => "zarr.json",
        Some(ZarrVersion::V2) | None => ".zattrs",
    }
}

/// Returns a part of netCDF's metadata of a node, and the name of the object that contains it.
pub(super) fn part(node: &Node, part: NczarrPart) -> Option<(&Json, &'static str)> {
    let attributes = node
        .attributes()
        .map(|json| (json, attributes_object(node)));
    let own = main_object(node).and_then(|name| Some((node.json(name)?, name)));
    let mut objects = [attributes, own].into_iter().flatten();
    let found = objects.find_map(|(json, name)| Some((part.find(&[json])?, name)));
    found.or_else(|| {
        let mut keys = part.keys().iter();
        keys.find_map(|name| Some((node.json(name)?, *name)))
    })
}
