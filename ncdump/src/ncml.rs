//! NcML 2.2: the metadata of datasets of the classic model as XML.

use std::path::Path;

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::model::{Attribute, DataType, Group, Kind, Schema, Values, VarId, Variable};
use netcdf_grammar::cdl::write::Selection;
use netcdf_grammar::escape::{trim_nuls, xml_text};
use netcdf_grammar::number::{FloatFormat, Form, Token};

use crate::options::{Digits, Request};

/// The metadata of a dataset as NcML.
///
/// # Errors
/// [`ErrorKind::Unsupported`] for the netCDF-4 data model.
pub(crate) fn write(
    schema: &Schema,
    path: &Path,
    request: &Request,
    selection: &Selection,
) -> Result<Vec<u8>> {
    if schema.kind == Kind::Netcdf4 {
        let what = "NcML output (-x) currently only permitted for netCDF classic model";
        return Err(Error::new(ErrorKind::Unsupported, what));
    }
    let mut ncml = Ncml {
        schema,
        digits: request.digits,
        out: Vec::new(),
    };
    ncml.dataset(path, |id| {
        request.header
            || selection
                .variables
                .as_ref()
                .is_some_and(|v| !v.contains(&id))
            || (selection.coordinates && !is_coordinate(schema, id))
            || has_no_records(schema, id)
    });
    Ok(ncml.out)
}

/// Whether a variable has rank 1 and the name of a dimension.
fn is_coordinate(schema: &Schema, id: VarId) -> bool {
    let var = schema.var(id).filter(|v| v.dims.len() == 1);
    var.is_some_and(|v| schema.dims.iter().any(|d| d.name == v.name))
}

fn has_no_records(schema: &Schema, id: VarId) -> bool {
    let Some(var) = schema.var(id) else {
        return false;
    };
    let mut dims = var.dims.iter().filter_map(|&d| schema.dim(d));
    dims.any(|d| d.unlimited && d.len == 0)
}

/// A document in the making.
struct Ncml<'a> {
    schema: &'a Schema,
    digits: Digits,
    out: Vec<u8>,
}

impl Ncml<'_> {
    /// `short` tells which variables have no element of their own behind their attributes.
    fn dataset(&mut self, path: &Path, short: impl Fn(VarId) -> bool) {
        self.bytes("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<netcdf");
        let namespace = "https://www.unidata.ucar.edu/namespaces/netcdf/ncml-2.2";
        self.value("xmlns", namespace.as_bytes());
        self.value("location", path.as_os_str().as_encoded_bytes());
        self.bytes(">\n");
        let schema = self.schema;
        let root = schema.root();
        self.dimensions(root);
        for attribute in &root.attributes {
            if !attribute.name.is("_NCProperties") {
                self.attribute("  ", attribute);
            }
        }
        for &id in &root.vars {
            if let Some(var) = schema.var(id) {
                self.variable(var, short(id));
            }
        }
        self.bytes("</netcdf>\n");
    }

    fn dimensions(&mut self, root: &Group) {
        let schema = self.schema;
        for dim in root.dims.iter().filter_map(|&d| schema.dim(d)) {
            self.bytes("  <dimension");
            self.value("name", trim_nuls(dim.name.as_bytes()));
            self.value("length", dim.len.to_string().as_bytes());
            if dim.unlimited {
                self.value("isUnlimited", b"true");
            }
            self.bytes(" />\n");
        }
    }

    fn variable(&mut self, var: &Variable, short: bool) {
        self.bytes("  <variable");
        self.value("name", trim_nuls(var.name.as_bytes()));
        let dims = var.dims.iter().filter_map(|&d| self.schema.dim(d));
        let shape: Vec<_> = dims.map(|d| trim_nuls(d.name.as_bytes())).collect();
        if !shape.is_empty() {
            self.value("shape", &shape.join(&b' '));
        }
        if let DataType::Atomic(ty) = var.ty {
            self.value("type", ty.name().as_bytes());
        }
        if var.attributes.is_empty() && short {
            return self.bytes(" />\n");
        }
        self.bytes(">\n");
        for attribute in &var.attributes {
            self.attribute("    ", attribute);
        }
        self.bytes("  </variable>\n");
    }

    /// Text has no type: it is what NcML takes a value for.
    fn attribute(&mut self, indent: &str, attribute: &Attribute) {
        self.bytes(indent);
        self.bytes("<attribute");
        self.value("name", trim_nuls(attribute.name.as_bytes()));
        if let Values::Char(text) = &attribute.values {
            self.value("value", trim_nuls(text));
        } else {
            if let DataType::Atomic(ty) = attribute.ty {
                self.value("type", ty.name().as_bytes());
            }
            let values = self.numbers(&attribute.values);
            self.value("value", &values);
        }
        self.bytes(" />\n");
    }

    fn numbers(&self, values: &Values) -> Vec<u8> {
        let float = FloatFormat::new(self.digits.float, Form::Ncml);
        let double = FloatFormat::new(self.digits.double, Form::Ncml);
        match values {
            Values::Byte(v) => list(v, |x, t| t.write_i32(x.into())),
            Values::Short(v) => list(v, |x, t| t.write_i32(x.into())),
            Values::Int(v) => list(v, |x, t| t.write_i32(x)),
            Values::Int64(v) => list(v, |x, t| t.write_i64(x)),
            Values::UByte(v) => list(v, |x, t| t.write_u32(x.into())),
            Values::UShort(v) => list(v, |x, t| t.write_u32(x.into())),
            Values::UInt(v) => list(v, |x, t| t.write_u32(x)),
            Values::UInt64(v) => list(v, |x, t| t.write_u64(x)),
            Values::Float(v) => list(v, |x, t| float.write_f32(x, t)),
            Values::Double(v) => list(v, |x, t| double.write_f64(x, t)),
            // The classic model may hold strings in netCDF-4 files: the first one is the value.
            Values::String(v) => v
                .first()
                .and_then(|s| s.as_deref())
                .unwrap_or_default()
                .into(),
            Values::Char(text) => text.clone(),
            Values::Enum(..) | Values::Opaque { .. } => Vec::new(),
            Values::Vlen(..) | Values::Compound { .. } => Vec::new(),
        }
    }

    /// ` key="value"`
    fn value(&mut self, key: &str, value: &[u8]) {
        self.bytes(" ");
        self.bytes(key);
        self.bytes("=\"");
        xml_text(value, &mut self.out);
        self.bytes("\"");
    }

    fn bytes(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }
}

fn list<T: Copy>(values: &[T], write: impl Fn(T, &mut Token)) -> Vec<u8> {
    let (mut token, mut out) = (Token::new(), Vec::new());
    for (i, &x) in values.iter().enumerate() {
        if i > 0 {
            out.push(b' ');
        }
        write(x, &mut token);
        token.append_to(&mut out);
    }
    out
}
