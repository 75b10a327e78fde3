//! The objects of a new file.
//!
//! Groups come first, then types, variables, and the scales of dimensions without a variable. Each kind is in id order, so that the id
//! determines the object.

use std::sync::Arc;

use super::datatypes::{WrittenTypes, text};
use super::encode;
use super::order::{LinkTarget, Scales};
use super::scales::{self, Use};
use super::storage::{self, VariableStorage};
use crate::arithmetic::exact;
use crate::error::{Context as _, Error, ErrorKind, OrInternal as _, Result};
use crate::format::hdf5::datatype::{Datatype, Endianness};
use crate::format::hdf5::message::fill::{Allocate, FillMessage, FillValue, Write};
use crate::format::hdf5::write::{
    FilePlan, HardLink, LONGEST, ObjectId, Payload, PlannedAttribute, PlannedData, PlannedDataset,
    PlannedGroup, PlannedObject, PlannedShape, PlannedType,
};
use crate::limits;
use crate::model::{
    self, CreateOptions, DataType, DimId, FillMode, GroupId, Kind, Schema, TypeId, TypeKind,
    Values, VarId, Variable,
};

/// Prefix of the stored name of a variable with a dimension's name that is not the dimension's scale.
const NON_COORDINATE: &[u8] = b"_nc4_non_coord_";

/// Maps ids to objects.
#[derive(Debug)]
pub(super) struct ObjectIds {
    types: u32,
    vars: u32,
    /// The scales of dimensions, parallel to `schema.dims`.
    scales: Vec<ObjectId>,
}

impl ObjectIds {
    /// Assigns an object to every id.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`] for more than 2^32 objects.
    pub(super) fn new(schema: &Schema, scales: &Scales) -> Result<Self> {
        let many = || Error::new(ErrorKind::Limit, "more than 2^32 objects");
        let count = |n: usize| u32::try_from(n).map_err(|_| many());
        let types = count(schema.groups.len())?;
        let vars = count(schema.groups.len() + schema.types.len())?;
        let mut next = count(schema.groups.len() + schema.types.len() + schema.vars.len())?;
        let mut all = vec![];
        for id in (0..count(schema.dims.len())?).map(DimId) {
            all.push(match scales.variable(id) {
                Some(var) => ObjectId(vars + var.0),
                None => {
                    next = next.checked_add(1).ok_or_else(many)?;
                    ObjectId(next - 1)
                }
            });
        }
        Ok(Self {
            types,
            vars,
            scales: all,
        })
    }

    /// Returns the object of the first type.
    pub(super) fn first_type(&self) -> ObjectId {
        ObjectId(self.types)
    }

    /// Returns the object of a type.
    fn ty(&self, id: TypeId) -> ObjectId {
        ObjectId(self.types + id.0)
    }

    /// Returns the dataset of a variable.
    pub(super) fn var(&self, id: VarId) -> ObjectId {
        ObjectId(self.vars + id.0)
    }

    /// Returns the scale of a dimension.
    pub(super) fn scale(&self, id: DimId) -> Option<ObjectId> {
        self.scales.get(id.index()).copied()
    }
}

/// The input for the plan of a new file.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlanInput<'a> {
    /// The file schema.
    pub schema: &'a Schema,
    /// The variables that are scales.
    pub scales: &'a Scales,
    /// The mapping from ids to objects.
    pub objects: &'a ObjectIds,
    /// The types.
    pub types: &'a WrittenTypes,
    /// Parallel to `schema.vars`.
    pub stored: &'a [Arc<VariableStorage>],
    /// The options given by the user.
    pub options: CreateOptions,
}

/// Returns the link name of a variable.
///
/// # Errors
/// Returns [`ErrorKind::Internal`] for an id without a variable.
pub(super) fn link_name(schema: &Schema, scales: &Scales, id: VarId) -> Result<Vec<u8>> {
    let name = schema.var(id).or_internal("no such variable")?;
    let name = name.name.as_bytes();
    Ok(match scales.clashes(schema, id) {
        true => [NON_COORDINATE, name].concat(),
        false => name.to_vec(),
    })
}

impl PlanInput<'_> {
    /// Returns the file plan.
    ///
    /// # Errors
    /// Returns [`ErrorKind::BadType`] with the object's path for values with a type other than the declared type.
    pub(super) fn plan(&self) -> Result<FilePlan> {
        let mut objects = vec![];
        for (n, group) in (0..).zip(&self.schema.groups) {
            let path = || self.schema.group_path(GroupId(n));
            let made = self.group(GroupId(n), group);
            objects.push(PlannedObject::Group(made.in_object(path)?));
        }
        objects.extend(self.types.committed().cloned().map(PlannedObject::Datatype));
        Ok(FilePlan { objects })
    }

    /// Returns the dimensions without a variable, ordered by id.
    pub(super) fn alone(&self) -> Vec<DimId> {
        let dims = (0..).map(DimId).take(self.schema.dims.len());
        dims.filter(|dim| self.scales.variable(*dim).is_none())
            .collect()
    }

    /// Plans the dataset for a variable.
    ///
    /// # Errors
    /// Returns the errors of [`PlanInput::plan`].
    pub(super) fn of_variable(&self, id: VarId, uses: &[Vec<Use>]) -> Result<PlannedDataset> {
        let var = self.schema.var(id).or_internal("no such variable")?;
        let made = self.variable(id, var, uses);
        made.in_object(|| self.schema.var_path(id))
    }

    /// Plans the scale for a dimension without a variable.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`] for an id without a dimension.
    pub(super) fn of_dimension(&self, id: DimId, uses: &[Vec<Use>]) -> Result<PlannedDataset> {
        let dim = self.schema.dim(id).or_internal("no such dimension")?;
        let uses = uses.get(id.index());
        let uses = uses.or_internal("a dimension without uses")?;
        Ok(scales::without_variable(dim, id, uses))
    }

    /// Returns the stored form of an unwritten element, and whether the form refers to the heap.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`] with the variable's path if an element is too large, and the errors of [`PlanInput::plan`].
    pub(super) fn unwritten(&self, id: VarId) -> Result<(Vec<u8>, bool)> {
        let made = || {
            let var = self.schema.var(id).or_internal("no such variable")?;
            let stored = self.stored.get(id.index());
            let stored = stored.or_internal("no such variable")?;
            let (fill, heap) = self.fill(var, stored)?;
            let bytes = match fill.value {
                FillValue::User(bytes) => bytes,
                FillValue::Default | FillValue::Undefined => {
                    vec![0; limits::element(stored.layout.element.size)?]
                }
            };
            Ok((bytes, heap.is_some()))
        };
        made().in_object(|| self.schema.var_path(id))
    }

    /// The variables that use each dimension, except scales: group by group, as netCDF-C attaches
    /// them.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`] for ids without objects.
    pub(super) fn uses(&self) -> Result<Vec<Vec<Use>>> {
        let mut uses = vec![vec![]; self.schema.dims.len()];
        for &id in self.schema.groups.iter().flat_map(|g| &g.vars) {
            let var = self.schema.var(id).or_internal("no such variable")?;
            if self.scales.dimension(self.schema, id).is_some() {
                continue;
            }
            for (n, dim) in (0..).zip(&var.dims) {
                let uses = uses.get_mut(dim.index());
                uses.or_internal("no such dimension")?
                    .push((self.objects.var(id), n));
            }
        }
        Ok(uses)
    }

    fn group(&self, id: GroupId, group: &model::Group) -> Result<PlannedGroup> {
        let mut attributes = vec![];
        if id == GroupId::ROOT {
            attributes.push(scales::plain_text("_NCProperties", PROPERTIES));
            if self.schema.kind == Kind::NETCDF4_CLASSIC {
                attributes.push(scales::one_int("_nc3_strict", 1));
            }
        }
        for attribute in &group.attributes {
            attributes.push(self.attribute(attribute)?);
        }
        Ok(PlannedGroup {
            links: self.links(id, group)?,
            attributes,
        })
    }

    fn links(&self, id: GroupId, group: &model::Group) -> Result<Vec<HardLink>> {
        let schema = self.schema;
        let link = |name: &[u8], to| HardLink {
            name: name.to_vec(),
            to,
        };
        let types = group.types.iter().map(|&t| {
            let ty = schema.user_type(t).or_internal("no such type")?;
            Ok(link(ty.name.as_bytes(), self.objects.ty(t)))
        });
        let groups = group.groups.iter().map(|&g| {
            let group = schema.group(g).or_internal("no such group")?;
            Ok(link(group.name.as_bytes(), ObjectId(g.0)))
        });
        let items = self.scales.order(schema, id).into_iter();
        let items = items.map(|item| match item {
            LinkTarget::Dim(d) => {
                let dim = schema.dim(d).or_internal("no such dimension")?;
                Ok(link(dim.name.as_bytes(), self.scale(d)?))
            }
            LinkTarget::Var(v) => {
                let name = link_name(schema, self.scales, v)?;
                Ok(link(&name, self.objects.var(v)))
            }
        });
        types.chain(groups).chain(items).collect()
    }

    fn scale(&self, dim: DimId) -> Result<ObjectId> {
        let scale = self.objects.scale(dim);
        scale.or_internal("a dimension without a scale")
    }

    fn attribute(&self, attribute: &model::Attribute) -> Result<PlannedAttribute> {
        let made = || {
            if let Values::Char(bytes) = &attribute.values {
                return Ok((
                    PlannedType::Here(text(bytes.len() as u64)),
                    bytes.clone().into(),
                ));
            }
            let ty = self.types.of(attribute.ty, Endianness::Little)?;
            let data = encode::payload(&attribute.values, ty.datatype())?;
            Ok((ty, data))
        };
        let name = || format!("attribute {}", attribute.name);
        let (ty, data) = made().map_err(|e: Error| e.within(&name()))?;
        let shape = match (&attribute.values, attribute.values.len() as u64) {
            (_, 0) => PlannedShape::Null,
            (Values::Char(_), _) => PlannedShape::Scalar,
            (_, len) => PlannedShape::Simple(vec![len]),
        };
        Ok(PlannedAttribute {
            name: attribute.name.as_bytes().to_vec(),
            ty,
            shape,
            data,
        })
    }

    fn variable(&self, id: VarId, var: &Variable, uses: &[Vec<Use>]) -> Result<PlannedDataset> {
        let stored = self.stored.get(id.index());
        let stored = stored.ok_or_else(|| Error::new(ErrorKind::NotFound, "no such variable"))?;
        let dims = var.dims.iter().map(|&d| self.schema.dim(d));
        let dims: Option<Vec<_>> = dims.collect();
        let dims = dims.or_internal("no such dimension")?;
        let lens = dims.iter().map(|d| if d.unlimited { 0 } else { d.len });
        let max = dims.iter().map(|d| (!d.unlimited).then_some(d.len));
        let unlimited = dims.iter().any(|d| d.unlimited);
        let (fill, fill_heap) = self.fill(var, stored)?;
        let filters = stored.layout.filters.iter();
        Ok(PlannedDataset {
            ty: stored.ty.clone(),
            shape: if dims.is_empty() {
                PlannedShape::Scalar
            } else {
                PlannedShape::Simple(lens.collect())
            },
            max: unlimited.then(|| max.collect()),
            fill,
            fill_heap,
            place: stored.place.clone(),
            filters: filters.map(|f| (f.clone(), storage::optional(f))).collect(),
            attributes: self.attributes(id, var, uses)?,
        })
    }

    fn attributes(
        &self,
        id: VarId,
        var: &Variable,
        uses: &[Vec<Use>],
    ) -> Result<Vec<PlannedAttribute>> {
        let scale = self.scales.dimension(self.schema, id);
        let mut all = vec![];
        if !var.dims.is_empty() {
            all.push(scales::coordinates(&var.dims));
        }
        if let Some(dim) = scale {
            all.extend(scales::marks(var.name.as_bytes(), dim));
        }
        for attribute in &var.attributes {
            all.push(self.attribute(attribute)?);
        }
        match scale {
            Some(dim) => {
                let uses = uses.get(dim.index());
                let uses = uses.or_internal("a dimension without uses")?;
                all.extend(scales::reference_list(uses));
            }
            None if var.dims.is_empty() => {}
            None => {
                let of = var.dims.iter().map(|&d| self.scale(d));
                all.push(scales::dimension_list(&of.collect::<Result<Vec<_>>>()?));
            }
        }
        Ok(all)
    }

    /// Returns the fill value, and the heap data if any.
    fn fill(
        &self,
        var: &Variable,
        stored: &VariableStorage,
    ) -> Result<(FillMessage, Option<Payload>)> {
        let allocate = match stored.place {
            PlannedData::Compact => Allocate::Early,
            PlannedData::Contiguous => Allocate::Late,
            PlannedData::Chunked(_) => Allocate::Incremental,
        };
        let message = |write, value| FillMessage {
            allocate: Some(allocate),
            write: Some(write),
            value,
        };
        let fixed = var.ty.fixed_size(self.schema).is_some();
        let none = var.storage.fill == FillMode::NoFill
            || (self.options.no_fill && fixed && var.ty.atomic().is_some());
        if none {
            // Not `Never`: libhdf5 would return memory contents for data without storage.
            return Ok((message(Write::IfSet, FillValue::Default), None));
        }
        let data = self.fill_value(var, stored.ty.datatype())?;
        let value = FillValue::User(data.bytes.clone());
        let heap = (!data.heap.is_empty()).then_some(data);
        Ok((message(Write::IfSet, value), heap))
    }

    /// Returns the encoded fill value of a variable. Variables of user-defined types, except enums, have a default of zeros.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`] for a fill value that is too large for an object header. The check precedes the memory allocation.
    fn fill_value(&self, var: &Variable, datatype: &Datatype) -> Result<Payload> {
        if datatype.size > LONGEST as u64 {
            let what = format!(
                "a fill value of {} bytes is too large: HDF5 allows {LONGEST} at most",
                datatype.size
            );
            return Err(Error::new(ErrorKind::Limit, what));
        }
        let values = var.unwritten().or_else(|| self.enum_fill(var.ty));
        match values {
            Some(values) => encode::payload(&values, datatype).map_err(|e| e.within("fill value")),
            None => {
                let size = exact(datatype.size).index()?;
                Ok(vec![0; size].into())
            }
        }
    }

    fn enum_fill(&self, ty: DataType) -> Option<Values> {
        let DataType::User(id) = ty else {
            return None;
        };
        match &self.schema.user_type(id)?.kind {
            TypeKind::Enum { base, .. } => Some(Values::Enum(id, Box::new(base.default_fill()))),
            TypeKind::Opaque { .. } | TypeKind::Vlen { .. } | TypeKind::Compound { .. } => None,
        }
    }
}

/// The writing software, in netCDF-C's form.
const PROPERTIES: &str = concat!("version=2,netcdf-tools=", env!("CARGO_PKG_VERSION"));
