//! The part of the metadata that all versions share.

use super::attributes::{self, AttributeForm};
use super::numbers::Style;
use super::storage::ArrayStorage;
use super::{fill, strings};
use crate::env::Env;
use crate::error::{OrInternal as _, Result};
use crate::format::nil;
use crate::format::zarr::node::FORMAT_NAME;
use crate::json::Json;
use crate::model::{
    Atomic, Attribute, CreateOptions, DimId, Dimension, Group, GroupId, Name, Schema, VarId,
    Variable, Zarr, ZarrVersion,
};
use crate::notes::Note;

/// The member of an object.
pub(crate) type JsonMember = (String, Json);

/// The input for generating metadata.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MetadataInput<'a> {
    /// The dataset schema, with the final dimension lengths.
    pub schema: &'a Schema,
    /// The version, and whether the dataset has netCDF's own metadata.
    pub zarr: Zarr,
    /// The options given by the user.
    pub options: CreateOptions,
    /// The receiver of notes about losses.
    pub env: &'a Env,
}

/// Returns a name as JSON.
#[must_use]
pub(crate) fn name(name: &Name) -> Json {
    Json::Text(name.as_bytes().to_vec())
}

/// Attributes in stored form, with their types.
#[derive(Debug, Default)]
pub(crate) struct StoredAttributes {
    /// The attributes.
    pub members: Vec<JsonMember>,
    /// The types; `None` for netCDF's own metadata.
    pub types: Vec<(String, Option<Atomic>)>,
}

impl StoredAttributes {
    /// Adds an attribute.
    pub(crate) fn add(&mut self, name: &str, json: Json, ty: Option<Atomic>) {
        self.members.push((name.to_owned(), json));
        self.types.push((name.to_owned(), ty));
    }
}

impl MetadataInput<'_> {
    /// Returns the number style.
    #[must_use]
    pub(crate) fn style(&self) -> Style {
        Style::of(self.zarr)
    }

    /// Marks fixed-size strings as text.
    pub(crate) fn mark_texts(
        &self,
        var: &Variable,
        stored: &ArrayStorage,
        written: &mut StoredAttributes,
    ) {
        if stored.fixed_text && strings::is_marked(self.schema, var) {
            written.members.push(strings::mark());
        }
    }

    /// Returns the dimension path.
    #[must_use]
    pub(crate) fn dim_path(&self, dim: &Dimension) -> Json {
        let group = self.schema.group_path(dim.group);
        let mut path = group.trim_end_matches('/').as_bytes().to_vec();
        path.push(b'/');
        path.extend_from_slice(dim.name.as_bytes());
        Json::Text(path)
    }

    /// Returns the attributes of the schema.
    ///
    /// # Errors
    /// Returns the errors of [`attributes::store`].
    pub(crate) fn own<'a>(
        &self,
        attributes: impl IntoIterator<Item = &'a Attribute>,
        path: &dyn Fn() -> String,
    ) -> Result<StoredAttributes> {
        let form = AttributeForm {
            recorded: !self.zarr.pure,
            style: self.style(),
            json_texts: self.schema.json_texts,
        };
        let mut written = StoredAttributes::default();
        for attribute in attributes {
            let stored = attributes::store(attribute, form)?;
            if stored.changed {
                self.env.notes.say(not_utf8(attribute, path()));
            }
            if stored.nil {
                self.env
                    .notes
                    .say(nil(&format!("{}:{}", path(), attribute.name), FORMAT_NAME));
            }
            written.add(&attribute.name.to_string(), stored.json, Some(stored.ty));
        }
        Ok(written)
    }

    /// Returns a variable.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Internal`](crate::ErrorKind::Internal) for an id without a variable.
    pub(crate) fn var(&self, id: VarId) -> Result<&Variable> {
        self.schema.var(id).or_internal("no such variable")
    }

    /// Returns a group.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Internal`](crate::ErrorKind::Internal) for an id without a group.
    pub(crate) fn group(&self, id: GroupId) -> Result<&Group> {
        self.schema.group(id).or_internal("no such group")
    }

    /// Returns the attributes of a variable in the schema.
    ///
    /// # Errors
    /// Returns the errors of [`attributes::store`].
    pub(crate) fn of_var(&self, id: VarId) -> Result<StoredAttributes> {
        let var = self.var(id)?;
        let attributes = var.attributes.iter();
        let v3 = self.zarr.version == ZarrVersion::V3;
        let unreadable = |a: &Attribute| v3 && fill::is_unreadable(var, a);
        let attributes =
            attributes.filter(|a| !fill::is_in_fill_value_only(var, a) && !unreadable(a));
        self.own(attributes, &|| self.schema.var_path(id))
    }

    /// Returns the attributes of a group in the schema.
    ///
    /// # Errors
    /// Returns the errors of [`attributes::store`].
    pub(crate) fn of_group(&self, id: GroupId) -> Result<StoredAttributes> {
        let path = || self.schema.group_path(id).trim_end_matches('/').to_owned();
        self.own(&self.group(id)?.attributes, &path)
    }

    /// Returns the dimensions with these ids.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Internal`](crate::ErrorKind::Internal) for an id without a dimension.
    pub(crate) fn dims(&self, ids: &[DimId]) -> Result<Vec<&Dimension>> {
        let dim = |&id: &DimId| self.schema.dim(id).or_internal("no such dimension");
        ids.iter().map(dim).collect()
    }

    /// Returns the variable names and the subgroup names of a group.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Internal`](crate::ErrorKind::Internal) for an id without an object.
    pub(crate) fn contents(&self, group: &Group) -> Result<(Json, Json)> {
        let var = |&id: &VarId| Ok(name(&self.var(id)?.name));
        let subgroup = |&id: &GroupId| Ok(name(&self.group(id)?.name));
        let vars = group.vars.iter().map(var).collect::<Result<_>>()?;
        let groups = group.groups.iter().map(subgroup).collect::<Result<_>>()?;
        Ok((Json::Array(vars), Json::Array(groups)))
    }
}

fn not_utf8(attribute: &Attribute, path: String) -> Note {
    Note {
        object: format!("{path}:{}", attribute.name),
        what: "is not UTF-8, as texts in Zarr datasets must be: interpreted as Latin-1".to_owned(),
        remedy: None,
    }
}
