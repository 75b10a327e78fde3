//! The facts about a variable of an input that the rules compare.

use netcdf_core::chunk::{Dataset, ElementForm, Layout};
use netcdf_core::copy::plan::missing_value_outside_attributes;
use netcdf_core::error::{Error, ErrorKind, OrInternal as _, Result};
use netcdf_core::format::has_own_metadata;
use netcdf_core::model::{
    Atomic, Attribute, Kind, Name, Schema, StoredElement, Values, VarId, Variable,
};

use super::dimension::{JoinedDimension, dim_path};
use super::references::CfReferences;

/// Attributes with one value for the whole: a different value in another input changes the meaning of its data.
pub(super) const MEANING: [&str; 16] = [
    "units",
    "calendar",
    "standard_name",
    "_Unsigned",
    "positive",
    "flag_values",
    "flag_masks",
    "flag_meanings",
    "cell_methods",
    "grid_mapping",
    "coordinates",
    "bounds",
    "climatology",
    "scale_factor",
    "add_offset",
    "missing_value",
];

/// Attributes with one value for the whole if the data is packed.
pub(super) const VALID: [&str; 3] = ["valid_min", "valid_max", "valid_range"];

/// The facts about a variable of an input.
#[derive(Debug)]
pub(super) struct InputVariable {
    pub(super) path: String,
    /// The type as text, with the definition of a user-defined type.
    pub(super) ty: String,
    pub(super) element: StoredElement,
    /// Whether the strings are characters, which pure Zarr stores as strings of one byte.
    pub(super) has_character_strings: bool,
    pub(super) dims: Vec<String>,
    /// The lengths of dimensions, 0 for the joined dimension.
    pub(super) shape: Vec<u64>,
    /// The number of the joined dimension in the variable.
    pub(super) axis: Option<usize>,
    /// The attributes that the rules compare. A missing value outside the attributes counts as `_FillValue`.
    pub(super) attributes: Vec<Attribute>,
    /// The inherited attributes `units` and `calendar` of bounds.
    pub(super) units: Option<Vec<u8>>,
    pub(super) calendar: Option<Vec<u8>>,
    /// The value of missing elements.
    pub(super) fill: Option<Values>,
    pub(super) storage: StorageFacts,
}

/// The storage of a variable in an input.
#[derive(Debug, PartialEq)]
pub(super) struct StorageFacts {
    pub(super) kind: Kind,
    /// The layout, with length 0 along the joined dimension.
    pub(super) layout: Layout,
    pub(super) form: Option<ElementForm>,
    pub(super) has_index: bool,
    /// Whether the stored extent is the shape, and the reader has chunks.
    pub(super) whole: bool,
}

impl InputVariable {
    /// Collects the facts about a variable.
    ///
    /// # Errors
    /// Returns errors of the layout.
    pub(super) fn new(
        set: Dataset<'_>,
        id: VarId,
        (joined, references): (&JoinedDimension, &CfReferences),
    ) -> Result<Self> {
        let schema = set.reader.schema();
        let var = schema.var(id).or_internal("a variable")?;
        let dims: Vec<String> = var.dims.iter().map(|dim| dim_path(schema, *dim)).collect();
        let axis = joined.axis_of(&dims);
        if dims
            .iter()
            .enumerate()
            .any(|(n, dim)| Some(n) != axis && axis.and_then(|a| dims.get(a)) == Some(dim))
        {
            let what = "the joined dimension occurs twice in a variable";
            return Err(Error::new(ErrorKind::Unsupported, what).in_object(&schema.var_path(id)));
        }
        let storage = StorageFacts::new(set, id, axis)?;
        let mut shape = schema.shape(id);
        if let Some(len) = axis.and_then(|axis| shape.get_mut(axis)) {
            *len = 0;
        }
        let parent = references.parent(id).and_then(|id| schema.var(id));
        let text = |name: &str| {
            let own = crate::time::attribute_text(var, name);
            let inherited = parent.and_then(|var| crate::time::attribute_text(var, name));
            own.or(inherited).map(<[u8]>::to_vec)
        };
        let mut facts = Self {
            path: schema.var_path(id),
            ty: type_text(schema, var),
            element: storage.layout.element,
            has_character_strings: has_character_strings(schema.kind, var),
            dims,
            shape,
            axis,
            attributes: compared(var, references.is_grid_mapping(id)),
            units: text("units"),
            calendar: text("calendar"),
            fill: var.unwritten(),
            storage,
        };
        if !facts.is_coordinate() {
            facts.attributes.extend(fill_attribute(schema.kind, var));
        }
        Ok(facts)
    }

    /// Returns whether the variable is the coordinate of its only dimension. Coordinates have no missing values, but zarr-python stores the
    /// fill value 0 for them.
    pub(super) fn is_coordinate(&self) -> bool {
        matches!(self.dims.as_slice(), [only] if *only == self.path)
    }

    /// Returns a compared attribute.
    pub(super) fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|a| a.name.is(name))
    }

    /// Returns whether stored signed integers are unsigned.
    pub(super) fn is_unsigned(&self) -> bool {
        let text = self.attribute("_Unsigned").and_then(|a| a.values.as_text());
        text.is_some_and(|text| text.trim_ascii_end().eq_ignore_ascii_case(b"true"))
    }

    /// Returns the bits of an element.
    pub(super) fn bits(&self) -> i32 {
        i32::try_from(self.element.size * 8).unwrap_or(0)
    }

    /// Returns whether the elements are stored like numbers or characters.
    pub(super) fn is_plain(&self) -> bool {
        self.element.plain_type().is_some()
    }
}

impl StorageFacts {
    fn new(set: Dataset<'_>, id: VarId, axis: Option<usize>) -> Result<Self> {
        let reader = set.reader;
        let mut layout = set.layout(id)?;
        let whole = layout.extent == reader.schema().shape(id) && !reader.assembles(id);
        if let Some(len) = axis.and_then(|axis| layout.extent.get_mut(axis)) {
            *len = 0;
        }
        Ok(Self {
            kind: reader.schema().kind,
            form: reader.form(id)?,
            has_index: reader.has_index(id),
            whole,
            layout,
        })
    }
}

/// Returns whether the rules compare an attribute of a variable.
pub(super) fn is_compared(var: &Variable, is_grid_mapping: bool, attribute: &Attribute) -> bool {
    let named = |names: &[&str]| names.iter().any(|name| attribute.name.is(name));
    let packed = var.attribute("scale_factor").is_some() || var.attribute("add_offset").is_some();
    is_grid_mapping || named(&MEANING) || named(&["_FillValue"]) || (packed && named(&VALID))
}

fn compared(var: &Variable, is_grid_mapping: bool) -> Vec<Attribute> {
    let all = var.attributes.iter();
    all.filter(|a| is_compared(var, is_grid_mapping, a))
        .cloned()
        .collect()
}

/// Returns whether the strings of a variable may be characters of another kind.
fn has_character_strings(kind: Kind, var: &Variable) -> bool {
    let is_zarr = kind.as_zarr().is_some() && !has_own_metadata(kind);
    is_zarr && var.ty == Atomic::String.into() && var.storage.max_string == Some(1)
}

/// Returns `_FillValue` for a missing value outside the attributes.
fn fill_attribute(kind: Kind, var: &Variable) -> Option<Attribute> {
    let values = missing_value_outside_attributes(kind, var)?;
    Some(Attribute {
        name: Name::stored(b"_FillValue"),
        ty: var.ty,
        values,
    })
}

/// Returns the type as text. Two inputs have the same type if the texts are equal.
fn type_text(schema: &Schema, var: &Variable) -> String {
    match var.ty.atomic() {
        Some(ty) => ty.name().to_owned(),
        None => format!("{:?} of {:?}", var.ty, schema.types),
    }
}
