//! The SD model: datasets, dimensions and attributes in Vgroups.

use std::collections::{BTreeSet, HashMap};

use super::attributes;
use super::builder::{Builder, NewAttribute, NewVariable};
use super::catalog::Catalog;
use super::dd::TagRef;
use super::dims;
use super::elements::NamedElements;
use super::file::Hdf4File;
use super::ntype::Hdf4NumberType;
use super::sds_data::Data;
use super::tags;
use super::vgroup::Vgroup;
use crate::error::{Error, ErrorKind, Result};
use crate::model::DimId;

/// The class of the Vgroup with all datasets.
const ROOT: &str = "CDF0.0";
/// The class of datasets.
const VARIABLE: &str = "Var0.0";

/// The class of Vdatas with dataset values. Old libhdf4 versions wrote them; today's libhdf4 ignores them.
const RECORDS: &str = "Data0.0";

/// The elements needed to define the datasets.
struct SdParts<'a> {
    catalog: &'a Catalog,
    elements: NamedElements,
    data: HashMap<TagRef, Result<Data>, foldhash::fast::RandomState>,
}

/// The Vgroup with all datasets, if present.
#[must_use]
pub(super) fn root(catalog: &Catalog) -> Option<&Vgroup> {
    catalog.vgroups.values().find(|group| group.is(ROOT))
}

/// Defines all objects in the Vgroup with the datasets.
///
/// # Errors
/// Returns read errors, and damage errors unless the settings tolerate damage.
pub(super) fn build(
    builder: &mut Builder<'_>,
    file: &Hdf4File,
    catalog: &Catalog,
    root: &Vgroup,
) -> Result<()> {
    let variables = variables(root, catalog);
    let parts = SdParts::read(file, catalog, root, &variables)?;
    for group in &variables {
        let path = Builder::path(&group.name);
        let defined = parts.variable(builder, group, &path);
        defined.or_else(|e| builder.note_unreadable(e, &path))?;
    }
    let globals = parts.attributes(builder, root, "")?;
    builder.globals(globals);
    Ok(())
}

/// The datasets in file order.
fn variables<'a>(root: &Vgroup, catalog: &'a Catalog) -> Vec<&'a Vgroup> {
    let mut seen = BTreeSet::new();
    let groups = root.with(tags::VGROUP).filter(|&r| seen.insert(r));
    let groups = groups.filter_map(|reference| catalog.vgroups.get(&reference));
    groups.filter(|group| group.is(VARIABLE)).collect()
}

impl<'a> SdParts<'a> {
    /// Reads all elements in one step.
    fn read(
        file: &Hdf4File,
        catalog: &'a Catalog,
        root: &Vgroup,
        variables: &[&Vgroup],
    ) -> Result<Self> {
        let mut small = vec![];
        let mut data = vec![];
        for group in variables.iter().copied().chain([root]) {
            small.extend(attribute_records(group, catalog));
            small.extend(group.members.iter().filter(|m| m.tag == tags::NUMBER_TYPE));
            small.extend(dimensions(group, catalog).filter_map(|dim| dims::needed(dim, catalog)));
            data.extend(
                data_of(group, catalog).filter(|&id| file.descriptors().find(id).is_some()),
            );
        }
        data.sort_unstable();
        data.dedup();
        let found = Data::of(file, &data)?;
        Ok(Self {
            catalog,
            elements: NamedElements::read(file, small)?,
            data: data.into_iter().zip(found).collect(),
        })
    }

    fn variable(&self, builder: &mut Builder<'_>, group: &Vgroup, path: &str) -> Result<()> {
        let ty = self.number_type(group)?;
        builder.check_rank(dimensions(group, self.catalog).count())?;
        let dims = dimensions(group, self.catalog);
        let dims = dims.map(|dim| self.dim(builder, dim));
        let dims = dims.collect::<Result<Vec<DimId>>>()?;
        let data = match data_of(group, self.catalog).and_then(|id| self.data.get(&id)) {
            Some(Ok(data)) => data.clone(),
            Some(Err(e)) => return Err(e.again()),
            None => Data::Nothing,
        };
        let attributes = self.attributes(builder, group, path)?;
        builder.variable(NewVariable {
            name: group.name.clone(),
            ty,
            dims,
            attributes,
            data,
        })
    }

    fn number_type(&self, group: &Vgroup) -> Result<Hdf4NumberType> {
        let mut types = group.members.iter().rev();
        let ty = types.find(|m| m.tag == tags::NUMBER_TYPE);
        if let Some(ty) = ty {
            return Hdf4NumberType::parse(self.elements.bytes(*ty)?);
        }
        let vdata = records_of(group, self.catalog).and_then(|r| self.catalog.vdatas.get(&r));
        let field = vdata.and_then(|vdata| vdata.fields.first());
        let missing = || Error::new(ErrorKind::Corrupt, "a dataset without a type");
        field.ok_or_else(missing)?.number_type()
    }

    fn dim(&self, builder: &mut Builder<'_>, group: &Vgroup) -> Result<DimId> {
        let length = dims::length(group, self.catalog, &self.elements)?;
        Ok(builder.dim(&group.name, length))
    }

    /// Dataset or file attributes.
    fn attributes(
        &self,
        builder: &mut Builder<'_>,
        group: &Vgroup,
        path: &str,
    ) -> Result<Vec<NewAttribute>> {
        let mut found = vec![];
        for id in attribute_records(group, self.catalog) {
            let Some(vdata) = self.catalog.vdatas.get(&id.reference) else {
                continue;
            };
            let bytes = match vdata.is_empty() {
                true => Ok(&[][..]),
                false => self.elements.bytes(id),
            };
            let parsed = bytes.and_then(|bytes| {
                builder.count(vdata.name.len().saturating_add(bytes.len()))?;
                attributes::parse(vdata, bytes)
            });
            match parsed {
                Ok(attribute) => found.push(attribute),
                Err(e) => {
                    let name = String::from_utf8_lossy(&vdata.name);
                    builder.note_unreadable(e, &format!("{path}:{name}"))?;
                }
            }
        }
        Ok(found)
    }
}

/// The attribute records of a Vgroup.
fn attribute_records(group: &Vgroup, catalog: &Catalog) -> impl Iterator<Item = TagRef> {
    let vdatas = group.with(tags::VDATA_HEADER);
    let is_attribute = |reference: &u16| {
        let vdata = catalog.vdatas.get(reference);
        vdata.is_some_and(|vdata| vdata.is(attributes::CLASS))
    };
    let vdatas = vdatas.filter(is_attribute);
    vdatas.map(|reference| TagRef::new(tags::VDATA, reference))
}

/// The dimensions of a dataset.
fn dimensions<'a>(group: &Vgroup, catalog: &'a Catalog) -> impl Iterator<Item = &'a Vgroup> {
    let groups = group.with(tags::VGROUP);
    let groups = groups.filter_map(|reference| catalog.vgroups.get(&reference));
    groups.filter(|group| dims::is_dimension(group))
}

/// The data element of a dataset. The last one wins.
fn data_of(group: &Vgroup, catalog: &Catalog) -> Option<TagRef> {
    let mut members = group.members.iter().rev();
    let data = members.find(|m| m.tag == tags::DATA).copied();
    let records = || records_of(group, catalog);
    data.or_else(|| Some(TagRef::new(tags::VDATA, records()?)))
}

/// The Vdata with the data of a dataset.
fn records_of(group: &Vgroup, catalog: &Catalog) -> Option<u16> {
    let mut vdatas = group.with(tags::VDATA_HEADER);
    vdatas.find(|reference| {
        let vdata = catalog.vdatas.get(reference);
        vdata.is_some_and(|vdata| vdata.is(RECORDS))
    })
}
