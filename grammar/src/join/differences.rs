//! Attributes with several values that no rule compares.

use std::collections::BTreeSet;

use netcdf_core::model::{Attribute, Schema, Variable};

use super::attribute_values::is_same;
use super::dimension::var_of;
use super::facts::is_compared;
use super::globals::is_extent;
use super::references::CfReferences;

/// Returns the names of the attributes that differ between the first input and another input.
pub(super) fn other_attributes(
    [first, other]: [&Schema; 2],
    references: &CfReferences,
) -> Vec<String> {
    let mut found = groups([first, other]);
    for (id, var) in other.var_ids().zip(&other.vars) {
        let path = other.var_path(id);
        let Some(known) = var_of(first, &path).and_then(|id| first.var(id)) else {
            continue;
        };
        let name = path.trim_start_matches('/');
        found.extend(variable(name, [known, var], references.is_grid_mapping(id)));
    }
    found
}

/// Returns the different attributes of groups.
fn groups([first, other]: [&Schema; 2]) -> Vec<String> {
    let known: Vec<_> = first
        .group_ids()
        .map(|id| (first.group_path(id), id))
        .collect();
    let mut found = vec![];
    for (id, group) in other.group_ids().zip(&other.groups) {
        let path = other.group_path(id);
        let same = known.iter().find(|(name, _)| *name == path);
        let Some(same) = same.and_then(|(_, id)| first.group(*id)) else {
            continue;
        };
        let lists = [&same.attributes, &group.attributes];
        let names = different(lists.map(|list| list.iter().filter(|a| !is_extent(a)).collect()));
        found.extend(
            names
                .into_iter()
                .map(|a| format!("{}:{a}", path.trim_start_matches('/'))),
        );
    }
    found
}

fn variable(name: &str, vars: [&Variable; 2], is_grid_mapping: bool) -> Vec<String> {
    let others = vars.map(|var| {
        let others = var.attributes.iter();
        others
            .filter(|a| !is_compared(var, is_grid_mapping, a))
            .collect()
    });
    let names = different(others);
    names
        .into_iter()
        .map(|attribute| format!("{name}:{attribute}"))
        .collect()
}

/// Returns the names of attributes with different values.
fn different([first, other]: [Vec<&Attribute>; 2]) -> Vec<String> {
    let lacks = |list: &[&Attribute], one: &Attribute| {
        let same = list.iter().find(|a| a.name == one.name);
        same.is_none_or(|same| !is_same(same, one))
    };
    let forward = first.iter().filter(|a| lacks(&other, a));
    let back = other.iter().filter(|a| lacks(&first, a));
    forward.chain(back).map(|a| a.name.to_string()).collect()
}

/// Removes attributes such as `v:comment` from a schema.
pub(super) fn remove(schema: &mut Schema, names: &BTreeSet<String>) {
    let groups: Vec<String> = schema.group_ids().map(|id| schema.group_path(id)).collect();
    let vars: Vec<String> = schema.var_ids().map(|id| schema.var_path(id)).collect();
    let keeps = |path: &str, attribute: &Attribute| {
        let name = format!("{}:{}", path.trim_start_matches('/'), attribute.name);
        !names.contains(&name)
    };
    for (group, path) in schema.groups.iter_mut().zip(&groups) {
        group.attributes.retain(|a| keeps(path, a));
    }
    for (var, path) in schema.vars.iter_mut().zip(&vars) {
        var.attributes.retain(|a| keeps(path, a));
    }
}
