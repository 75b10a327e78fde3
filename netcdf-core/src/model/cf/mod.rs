//! CF conventions: finds the coordinates of a dataset and the variables that attributes name.
//!
//! A name without a path is looked up in the group of the variable with the attribute, then in the parent groups.

mod renaming;

pub use renaming::{NewNames, follow};

use std::collections::{BTreeMap, BTreeSet};

use super::{Attribute, DimId, GroupId, Schema, Values, VarId};

/// The syntax of an attribute value that names variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NamesForm {
    /// Variable names.
    Names,
    /// Variable names after words that end in a colon: `a: var1 b: var2`.
    AfterColon,
    /// Variable names, including names before a colon: `crs: x y`.
    BeforeAndAfterColon,
}

/// Attributes that name variables. A copy needs the exact values of these variables. The flag is true for coordinates and for variables
/// that locate coordinates.
const ATTRIBUTES: &[(&str, NamesForm, bool)] = &[
    ("coordinates", NamesForm::Names, true),
    ("bounds", NamesForm::Names, true),
    ("climatology", NamesForm::Names, true),
    ("ancillary_variables", NamesForm::Names, false),
    ("cell_measures", NamesForm::AfterColon, false),
    ("formula_terms", NamesForm::AfterColon, true),
    ("grid_mapping", NamesForm::BeforeAndAfterColon, true),
    ("geometry", NamesForm::Names, true),
    ("nodes", NamesForm::Names, true),
    ("node_count", NamesForm::Names, true),
    ("part_node_count", NamesForm::Names, true),
    ("interior_ring", NamesForm::Names, true),
    ("mesh", NamesForm::Names, true),
];

/// Suffixes of attribute names of UGRID and of CF geometries.
const ENDS: [&[u8]; 2] = [b"_coordinates", b"_connectivity"];

/// A variable that an attribute names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedVariable {
    /// The attribute.
    pub attribute: String,
    /// The named variable.
    pub var: VarId,
    /// Whether the variable is a coordinate, or locates coordinates like bounds and grid mappings.
    pub locates: bool,
}

/// The names of a dataset: resolves the references in attributes.
#[derive(Debug)]
pub struct CfNames<'s> {
    schema: &'s Schema,
    vars: BTreeMap<(GroupId, &'s [u8]), VarId>,
    groups: BTreeMap<(GroupId, &'s [u8]), GroupId>,
}

impl<'s> CfNames<'s> {
    /// Collects the names of a dataset.
    #[must_use]
    pub fn new(schema: &'s Schema) -> Self {
        let vars = schema.var_ids().zip(&schema.vars);
        let groups = (0..).map(GroupId).zip(&schema.groups);
        Self {
            schema,
            vars: vars
                .map(|(id, v)| ((v.group, v.name.as_bytes()), id))
                .collect(),
            groups: groups
                .filter_map(|(id, g)| Some(((g.parent?, g.name.as_bytes()), id)))
                .collect(),
        }
    }

    /// Returns the variable that `name` refers to in a group.
    fn find(&self, name: &[u8], group: GroupId) -> Option<VarId> {
        match name.contains(&b'/') {
            true => self.at_path(name, group),
            false => self.above(name, group),
        }
    }

    /// Returns the variable with this name in a group or its nearest ancestor.
    fn above(&self, name: &[u8], group: GroupId) -> Option<VarId> {
        let mut at = Some(group);
        while let Some(group) = at {
            if let Some(id) = self.vars.get(&(group, name)) {
                return Some(*id);
            }
            // Parents precede their groups, so the loop ends.
            at = self.parent(group);
        }
        None
    }

    fn parent(&self, group: GroupId) -> Option<GroupId> {
        let parent = self.schema.group(group)?.parent;
        parent.filter(|above| *above < group)
    }

    /// Returns the variable at a path relative to the root or to a group.
    fn at_path(&self, path: &[u8], from: GroupId) -> Option<VarId> {
        let mut parts = path.split(|&b| b == b'/').filter(|part| !part.is_empty());
        let mut group = match path.first() {
            Some(b'/') => GroupId::ROOT,
            Some(_) | None => from,
        };
        let name = parts.next_back()?;
        for part in parts {
            group = match part {
                b"." => group,
                b".." => self.parent(group)?,
                _ => *self.groups.get(&(group, part))?,
            };
        }
        self.vars.get(&(group, name)).copied()
    }

    /// Returns the variables that attributes of a group or of its variables name.
    #[must_use]
    pub fn named(&self, attributes: &[Attribute], group: GroupId) -> Vec<NamedVariable> {
        let mut found = vec![];
        for attribute in attributes {
            let Some((form, locates)) = form(attribute.name.as_bytes()) else {
                continue;
            };
            let text = text(&attribute.values);
            for name in words(&text, form) {
                let Some(var) = self.find(name, group) else {
                    continue;
                };
                found.push(NamedVariable {
                    attribute: attribute.name.to_string(),
                    var,
                    locates,
                });
            }
        }
        found
    }

    /// Returns the coordinate variables of a variable's dimensions, by their equal names.
    #[must_use]
    pub fn coordinates(&self, var: VarId) -> Vec<VarId> {
        let Some(var) = self.schema.var(var) else {
            return vec![];
        };
        let dims = var.dims.iter().filter_map(|&dim| self.schema.dim(dim));
        let found = dims.filter_map(|dim| {
            let near = self.above(dim.name.as_bytes(), var.group)?;
            let is_coordinate = |id: &VarId| is_coordinate(self.schema, *id);
            Some(near).filter(is_coordinate)
        });
        found.collect()
    }
}

/// Returns the syntax of an attribute that names variables.
fn form(name: &[u8]) -> Option<(NamesForm, bool)> {
    let known = ATTRIBUTES.iter().find(|(n, ..)| n.as_bytes() == name);
    let known = known.map(|&(_, form, locates)| (form, locates));
    known.or_else(|| {
        let ends = ENDS.iter().any(|end| name.ends_with(end));
        ends.then_some((NamesForm::Names, true))
    })
}

/// Returns the text of an attribute, with the strings of a list joined. Other values give an empty text.
fn text(values: &Values) -> Vec<u8> {
    match values {
        Values::Char(text) => text.clone(),
        Values::String(list) => {
            let list: Vec<&[u8]> = list.iter().flatten().map(AsRef::as_ref).collect();
            list.join(&b' ')
        }
        _ => vec![],
    }
}

/// Returns the names in a text.
fn words(text: &[u8], form: NamesForm) -> impl Iterator<Item = &[u8]> {
    let words = text.split(|b| b.is_ascii_whitespace() || *b == 0);
    words
        .flat_map(move |word| {
            let mut parts = word.split(|&b| b == b':');
            let first = parts.next();
            let (first, rest) = match (form, word.contains(&b':')) {
                // A name may contain a colon.
                (NamesForm::Names, _) => (Some(word), None),
                (NamesForm::AfterColon, true) => (None, parts.next()),
                (NamesForm::AfterColon | NamesForm::BeforeAndAfterColon, _) => {
                    (first, parts.next())
                }
            };
            first.into_iter().chain(rest)
        })
        .filter(|word| !word.is_empty())
}

/// Whether a variable has the name of one of its dimensions, or an attribute for its axis.
fn is_coordinate(schema: &Schema, id: VarId) -> bool {
    let Some(var) = schema.var(id) else {
        return false;
    };
    let mut dims = var.dims.iter().filter_map(|&dim| schema.dim(dim));
    dims.any(|dim| dim.name == var.name)
}

/// Returns the coordinate variable of a dimension: a variable of an atomic type in the dimension's group, with the same name and no other
/// dimension.
#[must_use]
pub fn coordinate_variable(schema: &Schema, dim: DimId) -> Option<VarId> {
    let known = schema.dim(dim)?;
    let vars = &schema.group(known.group)?.vars;
    let is = |id: &&VarId| {
        let var = schema.var(**id);
        var.is_some_and(|v| v.name == known.name && v.dims == [dim] && v.ty.atomic().is_some())
    };
    vars.iter().find(is).copied()
}

/// Attributes that only coordinates have.
const AXES: [&str; 2] = ["axis", "_CoordinateAxisType"];

/// Returns the variables that a copy must store exactly, with the reason: coordinates, and variables named by attributes.
#[must_use]
pub fn exact(schema: &Schema) -> BTreeMap<VarId, String> {
    let names = CfNames::new(schema);
    let mut all = BTreeMap::new();
    for (id, var) in schema.var_ids().zip(&schema.vars) {
        if is_coordinate(schema, id) {
            all.insert(id, "a coordinate variable".to_owned());
        }
        if let Some(axis) = AXES.iter().find(|axis| var.attribute(axis).is_some()) {
            let why = || format!("a coordinate according to its attribute {axis}");
            all.entry(id).or_insert_with(why);
        }
    }
    let groups = (0..).map(GroupId).zip(&schema.groups);
    let groups = groups.map(|(id, g)| (schema.group_path(id), names.named(&g.attributes, id)));
    let vars = schema.var_ids().zip(&schema.vars);
    let vars = vars.map(|(id, v)| (schema.var_path(id), names.named(&v.attributes, v.group)));
    for (owner, references) in groups.chain(vars) {
        for NamedVariable { attribute, var, .. } in references {
            let why = || format!("named by {attribute} of {owner}");
            all.entry(var).or_insert_with(why);
        }
    }
    all
}

/// Returns the variables outside `vars` that locate the values of `vars`: coordinate variables of their dimensions; coordinates, bounds,
/// grid mappings and similar variables that their attributes name; and the variables that these variables need in turn.
#[must_use]
pub fn located_by(schema: &Schema, vars: &BTreeSet<VarId>) -> BTreeSet<VarId> {
    let names = CfNames::new(schema);
    let mut all = vars.clone();
    let mut next: Vec<VarId> = vars.iter().copied().collect();
    while let Some(id) = next.pop() {
        let Some(var) = schema.var(id) else {
            continue;
        };
        let named = names.named(&var.attributes, var.group);
        let named = named.into_iter().filter(|n| n.locates).map(|n| n.var);
        let found = names.coordinates(id).into_iter().chain(named);
        next.extend(found.filter(|id| all.insert(*id)));
    }
    all.retain(|id| !vars.contains(id));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Atomic, Dimension, Kind, Name, Storage, Variable};

    fn text(name: &str, text: &str) -> Attribute {
        let values = Values::Char(text.as_bytes().to_vec());
        Attribute::atomic(Name::stored(name.as_bytes()), values).unwrap()
    }

    /// Group, name and attributes of a variable without dimensions.
    type Var<'a> = (u32, &'a str, &'a [(&'a str, &'a str)]);

    fn schema(vars: &[Var]) -> Schema {
        let mut s = Schema::new(Kind::NETCDF4);
        let g = s.add_group(GroupId::ROOT, Name::stored(b"g"));
        s.add_group(g, Name::stored(b"h"));
        for &(group, name, attributes) in vars {
            s.add_var(Variable {
                name: Name::stored(name.as_bytes()),
                group: GroupId(group),
                ty: Atomic::Float.into(),
                dims: vec![],
                attributes: attributes.iter().map(|(n, v)| text(n, v)).collect(),
                storage: Storage::default(),
            });
        }
        s
    }

    fn said(s: &Schema) -> Vec<String> {
        let one = |(id, why): (&VarId, &String)| format!("{}: {why}", s.var_path(*id));
        exact(s).iter().map(one).collect()
    }

    #[test]
    fn attributes_name_variables() {
        let s = schema(&[
            (
                0,
                "t",
                &[
                    ("coordinates", "lat lon"),
                    ("grid_mapping", "crs: x y"),
                    ("formula_terms", "a: A b:B"),
                    ("comment", "other"),
                ],
            ),
            (0, "lat", &[("bounds", "lat_b")]),
            (0, "lon", &[]),
            (0, "lat_b", &[]),
            (0, "crs", &[]),
            (0, "x", &[]),
            (0, "A", &[]),
            (0, "B", &[]),
            (0, "other", &[]),
            (0, "a", &[]),
            (0, "z", &[("axis", "Z")]),
            (0, "mesh", &[("node_coordinates", "mx")]),
            (0, "mx", &[]),
        ]);
        assert_eq!(
            said(&s),
            [
                "/lat: named by coordinates of /t",
                "/lon: named by coordinates of /t",
                "/lat_b: named by bounds of /lat",
                "/crs: named by grid_mapping of /t",
                "/x: named by grid_mapping of /t",
                "/A: named by formula_terms of /t",
                "/B: named by formula_terms of /t",
                "/z: a coordinate according to its attribute axis",
                "/mx: named by node_coordinates of /mesh",
            ]
        );
    }

    #[test]
    fn names_are_looked_for_upwards_and_at_paths() {
        let s = schema(&[
            (0, "lat", &[]),
            (0, "lon", &[]),
            (1, "lat", &[]),
            (
                2,
                "t",
                &[
                    ("coordinates", "lat lon /g/p ../p2 nosuch"),
                    ("bounds", "k/b"),
                ],
            ),
            (1, "p", &[]),
            (1, "p2", &[]),
            (1, "b", &[]),
        ]);
        assert_eq!(
            said(&s),
            [
                "/lon: named by coordinates of /g/h/t",
                "/g/lat: named by coordinates of /g/h/t",
                "/g/p: named by coordinates of /g/h/t",
                "/g/p2: named by coordinates of /g/h/t",
            ]
        );
    }

    #[test]
    fn lists_of_strings_and_groups_name_variables_too() {
        let mut s = schema(&[(0, "lat", &[]), (0, "lon", &[]), (0, "t", &[])]);
        let list = ["lat", "lon"].map(|n| Some(n.as_bytes().into()));
        let list = Values::String(list.to_vec());
        let named = Attribute::atomic(Name::stored(b"coordinates"), list).unwrap();
        s.vars[2].attributes.push(named);
        assert_eq!(said(&s).len(), 2);
        let whole = s.vars[2].attributes.pop();
        s.groups[0].attributes.extend(whole);
        assert_eq!(said(&s)[0], "/lat: named by coordinates of /");
    }

    #[test]
    fn a_coordinate_variable_is_called_as_its_dimension() {
        let mut s = schema(&[(0, "x", &[]), (0, "t", &[])]);
        let x = s.add_dim(Dimension {
            name: Name::stored(b"x"),
            group: GroupId::ROOT,
            len: 2,
            unlimited: false,
        });
        s.vars[0].dims.push(x);
        s.vars[1].dims.push(x);
        assert_eq!(said(&s), ["/x: a coordinate variable"]);
        let names = CfNames::new(&s);
        assert_eq!(names.coordinates(VarId(1)), [VarId(0)]);
        s.vars[0].dims.clear();
        assert!(CfNames::new(&s).coordinates(VarId(1)).is_empty());
    }

    #[test]
    fn locating_variables_are_found_transitively() {
        let s = schema(&[
            (
                0,
                "t",
                &[
                    ("coordinates", "lat"),
                    ("grid_mapping", "crs"),
                    ("ancillary_variables", "error"),
                ],
            ),
            (0, "lat", &[("bounds", "lat_b")]),
            (0, "lat_b", &[]),
            (0, "crs", &[]),
            (0, "error", &[]),
            (0, "other", &[("coordinates", "lat t")]),
        ]);
        let of = |id| located_by(&s, &[VarId(id)].into());
        assert_eq!(of(0), [VarId(1), VarId(2), VarId(3)].into());
        assert_eq!(of(1), [VarId(2)].into());
        assert!(of(4).is_empty());
    }
}
