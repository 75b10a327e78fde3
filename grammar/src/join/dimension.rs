//! The joined dimension, and its coordinate.

use netcdf_core::error::{Error, ErrorKind, OrInternal as _, Result};
use netcdf_core::model::cf::coordinate_variable;
use netcdf_core::model::{Atomic, DimId, Name, Schema, VarId, Variable};
use netcdf_core::notes::few;

use crate::object_name::{refers_to, unknown_name, with_option};
use crate::time::{TimeUnits, attribute_text};

/// The dimension along which inputs follow each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum JoinedDimension {
    /// A dimension of the inputs.
    Along {
        /// The path of the dimension.
        path: String,
        /// The path of the variable that orders the inputs.
        coordinate: Option<String>,
    },
    /// A dimension that the inputs lack.
    New {
        /// The name of the dimension.
        name: String,
        /// The path of the scalar variable that becomes the coordinate.
        coordinate: Option<String>,
    },
    /// No dimension: the inputs have different variables.
    Merge,
}

impl JoinedDimension {
    /// Returns the number of the dimension in a list of dimension paths.
    pub(super) fn axis_of(&self, dims: &[String]) -> Option<usize> {
        match self {
            Self::Along { path, .. } => dims.iter().position(|dim| dim == path),
            Self::New { .. } | Self::Merge => None,
        }
    }

    /// Returns the length of an input along the dimension.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`] for an input without the dimension.
    pub(super) fn length(&self, schema: &Schema) -> Result<u64> {
        let Self::Along { path, .. } = self else {
            return Ok(1);
        };
        let dim = dim_of(schema, path).and_then(|id| schema.dim(id));
        let dim =
            dim.ok_or_else(|| Error::new(ErrorKind::NotFound, format!("no dimension {path}")))?;
        Ok(dim.len)
    }

    /// Returns the name for messages.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Along { path, .. } => path.trim_start_matches('/'),
            Self::New { name, .. } => name,
            Self::Merge => "",
        }
    }

    /// Returns the option of the join, for notes.
    pub(super) fn option(&self) -> String {
        match self {
            Self::Along { .. } => format!("--join={}", self.name()),
            Self::New { name, .. } => format!("--join-new {name}"),
            Self::Merge => "--merge".to_owned(),
        }
    }

    fn coordinate(&self) -> Option<&str> {
        match self {
            Self::Along { coordinate, .. } | Self::New { coordinate, .. } => coordinate.as_deref(),
            Self::Merge => None,
        }
    }

    /// Returns a dimension of the inputs, and the variable that orders the inputs.
    pub(super) fn along(schema: &Schema, dim: DimId) -> Self {
        let coordinate = ordering_variable(schema, dim);
        Self::Along {
            path: dim_path(schema, dim),
            coordinate: coordinate.map(|id| schema.var_path(id)),
        }
    }
}

/// Returns the dimension that a join adds. A numeric scalar variable of the name becomes the coordinate.
///
/// # Errors
/// Returns [`ErrorKind::Exists`] if the inputs have a dimension or another variable of the name, and [`ErrorKind::BadName`].
pub(super) fn new_dimension(name: &str, schema: &Schema) -> Result<JoinedDimension> {
    let name = Name::checked(name.as_bytes())?.to_string();
    let exists = |what: &str| {
        let e = Error::new(ErrorKind::Exists, format!("--join-new {name}: {what}"));
        Err(e.with_remedy("choose another name, or use --join for a dimension of the inputs"))
    };
    if dim_of(schema, &format!("/{name}")).is_some() {
        return exists("the inputs have this dimension");
    }
    let found = var_of(schema, &format!("/{name}"));
    match found.and_then(|id| schema.var(id)) {
        Some(var) if !var.dims.is_empty() => exists("the variable of this name is not a scalar"),
        Some(_) => Ok(JoinedDimension::New {
            coordinate: Some(format!("/{name}")),
            name,
        }),
        None => Ok(JoinedDimension::New {
            name,
            coordinate: None,
        }),
    }
}

/// Returns the path of a dimension.
pub(super) fn dim_path(schema: &Schema, id: DimId) -> String {
    let Some(dim) = schema.dim(id) else {
        return String::new();
    };
    let group = schema.group_path(dim.group);
    format!("{}/{}", group.trim_end_matches('/'), dim.name)
}

/// Returns the variable whose values order the inputs: the coordinate variable, WRF's `Times`, or the only time variable over the dimension.
fn ordering_variable(schema: &Schema, dim: DimId) -> Option<VarId> {
    let numeric = |id: &VarId| {
        let ty = schema.var(*id).and_then(|var| var.ty.atomic());
        ty.is_some_and(|ty| !matches!(ty, Atomic::Char | Atomic::String))
    };
    let all = || schema.var_ids().zip(&schema.vars);
    let texts = |var: &Variable| {
        let first = var.dims.first() == Some(&dim) && var.dims.len() == 2;
        first && var.name.is("Times") && var.ty.atomic() == Some(Atomic::Char)
    };
    let times = |var: &Variable| {
        let text = |name: &str| attribute_text(var, name);
        let units = text("units").and_then(|units| TimeUnits::parse(units, text("calendar")));
        var.dims == [dim] && matches!(units, Some(Ok(_)))
    };
    coordinate_variable(schema, dim)
        .filter(numeric)
        .or_else(|| all().find(|(_, var)| texts(var)).map(|(id, _)| id))
        .or_else(|| {
            let mut found = all().filter(|(_, var)| times(var)).map(|(id, _)| id);
            found.next().filter(|_| found.next().is_none())
        })
}

/// Returns the dimension with a name or path.
///
/// # Errors
/// Returns [`ErrorKind::NotFound`] for an unknown name, and [`ErrorKind::Argument`] for several dimensions with the name.
pub(super) fn named_dimension(schema: &Schema, name: &str) -> Result<JoinedDimension> {
    named(schema, name).map_err(|e| with_option("--join", name, e))
}

fn named(schema: &Schema, name: &str) -> Result<JoinedDimension> {
    let dims = (0..).map(DimId).zip(&schema.dims);
    let same = |group, own: &[u8]| refers_to(schema, name.as_bytes(), (group, own));
    let found = dims.filter(|(_, dim)| same(dim.group, dim.name.as_bytes()));
    let found: Vec<DimId> = found.map(|(id, _)| id).collect();
    match found.as_slice() {
        [one] => Ok(JoinedDimension::along(schema, *one)),
        [] => {
            let known = schema.dims.iter().map(|dim| dim.name.as_bytes());
            Err(unknown_name("dimension", name.as_bytes(), known))
        }
        several => Err(candidates(
            "several dimensions have this name",
            schema,
            several,
        )),
    }
}

/// Returns the dimension with a path.
pub(super) fn dim_of(schema: &Schema, path: &str) -> Option<DimId> {
    let ids = (0..).map(DimId).take(schema.dims.len());
    ids.into_iter().find(|id| dim_path(schema, *id) == path)
}

/// Returns the variable with a path.
pub(super) fn var_of(schema: &Schema, path: &str) -> Option<VarId> {
    let mut ids = schema.var_ids();
    ids.find(|id| schema.var_path(*id) == path)
}

/// Returns an error that lists dimensions.
pub(super) fn candidates(what: &str, schema: &Schema, dims: &[DimId]) -> Error {
    let e = Error::new(ErrorKind::Argument, what.to_owned());
    let names: Vec<String> = dims.iter().map(|dim| dim_path(schema, *dim)).collect();
    let names: Vec<&str> = names
        .iter()
        .map(|name| name.trim_start_matches('/'))
        .collect();
    match names.first() {
        None => e.with_remedy("the first input has no dimensions"),
        Some(first) => {
            let all = few(&names);
            e.with_remedy(format!(
                "name a dimension, as in --join={first}; dimensions: {all}"
            ))
        }
    }
}

/// Refuses tiles of a decomposed domain, which need a join along several dimensions.
///
/// # Errors
/// Returns [`ErrorKind::Unsupported`].
pub(super) fn refuse_tiles(schema: &Schema) -> Result<()> {
    let domain = schema.root().attributes.iter();
    let domain = domain
        .map(|a| a.name.to_string())
        .find(|name| name.starts_with("DOMAIN_"));
    let tiled = schema
        .vars
        .iter()
        .find(|var| var.attribute("domain_decomposition").is_some());
    let tiled = tiled.map(|var| format!("{}:domain_decomposition", var.name));
    match domain.or(tiled) {
        None => Ok(()),
        Some(attribute) => {
            let what = format!("a tile of a decomposed domain (attribute {attribute})");
            let e = Error::new(ErrorKind::Unsupported, what);
            Err(e.with_remedy(
                "a join has one dimension: combine the tiles with another program first",
            ))
        }
    }
}

/// Returns the coordinate of the joined dimension in an input.
///
/// # Errors
/// Returns [`ErrorKind::NotFound`] for an input without the coordinate.
pub(super) fn coordinate(schema: &Schema, joined: &JoinedDimension) -> Result<Option<VarId>> {
    let Some(path) = joined.coordinate() else {
        return Ok(None);
    };
    let id = var_of(schema, path).ok_or_else(|| {
        let what = format!("no coordinate {path} of the joined dimension");
        Error::new(ErrorKind::NotFound, what)
    })?;
    let var = schema.var(id).or_internal("the coordinate")?;
    let is_text = matches!(var.ty.atomic(), None | Some(Atomic::String | Atomic::Char));
    let orders = !is_text || var.dims.len() == 2;
    Ok(orders.then_some(id))
}
