//! NcML 2.2: the metadata of datasets as XML.
//!
//! Datasets of the classic model are printed as by the C tool, including type names that NcML does not define. The C tool refuses the
//! netCDF-4 model. For the netCDF-4 model, the output follows the schema of NcML 2.2.

mod attribute;
mod variable;

use std::path::Path;

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::model::{Group, GroupId, Name, Schema, TypeKind, VarId};
use netcdf_core::notes::{Note, Notes};
use netcdf_grammar::cdl::write::DataSelection;
use netcdf_grammar::escape::{trim_nuls, xml_text};

use crate::request::{Digits, DumpRequest};

/// Maximum number of written compound fields. Repeated types count repeatedly: nested types can have more fields than the file has bytes.
const FIELDS: usize = 1 << 18;

/// Returns the metadata of a dataset as NcML.
///
/// # Errors
/// Returns [`ErrorKind::Limit`] for types with too many nested fields.
pub(crate) fn write(
    schema: &Schema,
    path: &Path,
    request: &DumpRequest,
    selection: &DataSelection,
    notes: &Notes,
) -> Result<Vec<u8>> {
    let enhanced = schema.kind.is_enhanced();
    let short = |id| {
        enhanced
            || request.header
            || selection
                .variables
                .as_ref()
                .is_some_and(|v| !v.contains(&id))
            || (selection.coordinates && !is_coordinate(schema, id))
            || has_no_records(schema, id)
    };
    let mut ncml = Ncml {
        schema,
        digits: request.digits,
        enhanced,
        indent: 0,
        fields: FIELDS,
        short: &short,
        started: 0,
        escaped: 0,
        out: Vec::new(),
    };
    ncml.dataset(path)?;
    if ncml.escaped > 0 {
        notes.say(note(path, ncml.escaped));
    }
    Ok(ncml.out)
}

/// Checks whether a variable has rank 1 and the name of a dimension.
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

/// A document under construction.
struct Ncml<'a> {
    schema: &'a Schema,
    digits: Digits,
    /// Whether the dataset has the netCDF-4 model.
    enhanced: bool,
    /// Indentation of elements, in blanks.
    indent: usize,
    /// The remaining number of fields.
    fields: usize,
    /// Returns whether a variable without attributes is written as a single tag.
    short: &'a dyn Fn(VarId) -> bool,
    /// The start offset of the last element.
    started: usize,
    /// The number of escaped texts, which XML cannot represent.
    escaped: usize,
    out: Vec<u8>,
}

impl Ncml<'_> {
    fn dataset(&mut self, path: &Path) -> Result<()> {
        self.bytes("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        self.open("netcdf");
        let namespace = "https://www.unidata.ucar.edu/namespaces/netcdf/ncml-2.2";
        self.value("xmlns", namespace.as_bytes());
        self.value("location", path.as_os_str().as_encoded_bytes());
        self.bytes(">\n");
        self.within(|ncml| ncml.contents(GroupId::ROOT))?;
        self.bytes("</netcdf>\n");
        Ok(())
    }

    /// Writes the content of a group.
    fn contents(&mut self, id: GroupId) -> Result<()> {
        let schema = self.schema;
        let Some(group) = schema.group(id) else {
            return Ok(());
        };
        self.enumerations(group);
        self.dimensions(group);
        for attribute in &group.attributes {
            self.attribute(attribute);
        }
        for &var in &group.vars {
            self.variable(var)?;
        }
        for &sub in &group.groups {
            self.subgroup(sub)?;
        }
        Ok(())
    }

    fn subgroup(&mut self, id: GroupId) -> Result<()> {
        let schema = self.schema;
        let Some(group) = schema.group(id) else {
            return Ok(());
        };
        self.open("group");
        self.name(&group.name);
        self.bytes(">\n");
        self.within(|ncml| ncml.contents(id))?;
        self.close("group");
        Ok(())
    }

    /// Writes the enum types of a group that NcML can represent.
    fn enumerations(&mut self, group: &Group) {
        let schema = self.schema;
        for ty in group.types.iter().filter_map(|&id| schema.user_type(id)) {
            let TypeKind::Enum { base, members } = &ty.kind else {
                continue;
            };
            let Some(word) = variable::enumeration(*base, members) else {
                continue;
            };
            self.open("enumTypedef");
            self.name(&ty.name);
            self.value("type", word.as_bytes());
            self.bytes(">\n");
            self.within(|ncml| {
                for (member, value) in members {
                    ncml.open("enum");
                    ncml.value("key", value.to_string().as_bytes());
                    ncml.bytes(">");
                    ncml.text("the name", trim_nuls(member.as_bytes()));
                    ncml.bytes("</enum>\n");
                }
            });
            self.close("enumTypedef");
        }
    }

    fn dimensions(&mut self, group: &Group) {
        let schema = self.schema;
        for dim in group.dims.iter().filter_map(|&d| schema.dim(d)) {
            self.open("dimension");
            self.name(&dim.name);
            self.value("length", dim.len.to_string().as_bytes());
            if dim.unlimited {
                self.value("isUnlimited", b"true");
            }
            self.bytes(" />\n");
        }
    }

    /// Returns a reference to an object from within a group: the name if it is unambiguous, otherwise the path. `has` checks whether a
    /// group defines an object of that name.
    fn reference(
        &self,
        from: GroupId,
        (home, name): (GroupId, &Name),
        has: impl Fn(&Group) -> bool,
    ) -> Vec<u8> {
        let parent = |id: &GroupId| self.schema.group(*id).and_then(|g| g.parent);
        let upwards = |from| {
            std::iter::successors(Some(from), parent)
                .take(self.schema.groups.len())
                .filter_map(|id| Some((id, self.schema.group(id)?)))
        };
        let found = upwards(from).find(|(_, group)| has(group));
        let mut text = trim_nuls(name.as_bytes()).to_vec();
        if found.is_none_or(|(id, _)| id != home) {
            for (_, group) in upwards(home).filter(|(_, g)| g.parent.is_some()) {
                text = [group.name.as_bytes(), &text].join(&b'/');
            }
            text.insert(0, b'/');
        }
        text
    }

    /// Runs `write` with one more level of indentation.
    fn within<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        self.indent += 2;
        let written = write(self);
        self.indent -= 2;
        written
    }

    /// Writes `<element`.
    fn open(&mut self, element: &str) {
        self.started = self.out.len();
        self.out.resize(self.out.len() + self.indent, b' ');
        self.bytes("<");
        self.bytes(element);
    }

    /// Writes `</element>`.
    fn close(&mut self, element: &str) {
        self.out.resize(self.out.len() + self.indent, b' ');
        self.bytes(&format!("</{element}>\n"));
    }

    fn name(&mut self, name: &Name) {
        self.value("name", trim_nuls(name.as_bytes()));
    }

    /// Writes ` key="value"`.
    fn value(&mut self, key: &str, value: &[u8]) {
        self.bytes(" ");
        self.bytes(key);
        self.bytes("=\"");
        self.text(key, value);
        self.bytes("\"");
    }

    /// Writes text in an element. For escaped text, writes a comment about this key before the element.
    fn text(&mut self, key: &str, text: &[u8]) {
        if !xml_text(text, &mut self.out) {
            return;
        }
        self.escaped += 1;
        let mut comment = vec![b' '; self.indent];
        comment.extend(b"<!-- ");
        comment.extend(key.as_bytes());
        comment.extend(
            b" of the next element: \\ooo is a byte that XML cannot hold, \\\\ a backslash -->\n",
        );
        let at = self.started;
        self.started += comment.len();
        self.out.splice(at..at, comment);
    }

    fn bytes(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }
}

/// Returns the note about escaped texts.
fn note(path: &Path, texts: usize) -> Note {
    let texts = match texts {
        1 => "a text has".to_owned(),
        n => format!("{n} texts have"),
    };
    Note {
        object: path.to_string_lossy().into_owned(),
        what: format!(
            "{texts} characters that XML cannot hold; they are written as in CDL (`\\ooo`, and `\\\\` for a backslash), \
             which a comment before the element says"
        ),
        remedy: None,
    }
}

/// Returns the error for types with too many fields.
fn too_many_fields() -> Error {
    let what =
        format!("NcML repeats types wherever they are used, which makes more than {FIELDS} fields");
    Error::new(ErrorKind::Limit, what).with_remedy("CDL does not repeat them")
}
