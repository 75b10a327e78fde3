//! Declarations of dimensions and variables, and references to dimensions and types.

use netcdf_core::model::{DataType, DimId, Dimension, Group, GroupId, Kind, Name, VarId, Variable};

use super::{CdlWriter, SpecialAttributes};
use crate::cdl::lower::is_reserved;
use crate::escape::{escape_name, is_keyword, trim_nuls};

/// Names that would begin a section before a colon.
const SECTIONS: [&str; 5] = ["variables", "dimensions", "data", "group", "types"];

impl CdlWriter<'_, '_> {
    pub(super) fn dimensions(&mut self, group: &Group) {
        if !group.dims.is_empty() {
            self.line(b"dimensions:\n");
        }
        let schema = self.schema;
        for dim in group.dims.iter().filter_map(|&d| schema.dim(d)) {
            self.dimension(dim);
        }
    }

    fn dimension(&mut self, dim: &Dimension) {
        self.line(b"\t");
        push_defined(&dim.name, self.schema.kind, &mut self.out.text);
        let len = if dim.unlimited {
            format!(" = UNLIMITED ; // ({} currently)\n", dim.len)
        } else {
            format!(" = {} ;\n", dim.len)
        };
        self.out.bytes(len.as_bytes());
    }

    /// Writes a variable declaration with its attributes.
    pub(super) fn variable(&mut self, id: VarId) {
        let schema = self.schema;
        let Some(var) = schema.var(id) else { return };
        let mut name = Vec::new();
        push_defined(&var.name, self.schema.kind, &mut name);
        self.line(b"\t");
        self.type_name(var.group, var.ty);
        self.out.bytes(b" ");
        self.out.bytes(&name);
        self.shape(var);
        self.out.bytes(b" ;\n");
        if SECTIONS.iter().any(|section| var.name.is(section)) {
            name.push(b' ');
        }
        self.variable_attributes(id, var, &name);
        if self.options.special != SpecialAttributes::Hidden {
            self.variable_specials(var, &name);
        }
    }

    /// Writes the dimensions of a variable in parentheses. Scalars have no parentheses.
    fn shape(&mut self, var: &Variable) {
        for (i, &dim) in var.dims.iter().enumerate() {
            self.out.bytes(if i == 0 { b"(" } else { b", " });
            self.dimension_name(var.group, dim);
        }
        if !var.dims.is_empty() {
            self.out.bytes(b")");
        }
    }

    /// Writes a reference to a dimension from a group: the name alone if it resolves to the dimension.
    fn dimension_name(&mut self, from: GroupId, id: DimId) {
        let schema = self.schema;
        let Some(dim) = schema.dim(id) else { return };
        if !self.scope.is_dim(from, id) {
            self.group_path(dim.group);
        }
        push_defined(&dim.name, self.schema.kind, &mut self.out.text);
    }

    /// Writes a reference to a type from a group.
    pub(super) fn type_name(&mut self, from: GroupId, ty: DataType) {
        let id = match ty {
            DataType::Atomic(atomic) => return self.out.bytes(atomic.name().as_bytes()),
            DataType::User(id) => id,
        };
        let schema = self.schema;
        let Some(user) = schema.user_type(id) else {
            return;
        };
        if !self.scope.is_type(from, id) {
            self.group_path(user.group);
        }
        push_defined(&user.name, self.schema.kind, &mut self.out.text);
    }

    /// Appends the path of a group with a slash at its end.
    fn group_path(&mut self, id: GroupId) {
        self.out.bytes(b"/");
        for group in self.scope.path(id) {
            push_defined(&group.name, self.schema.kind, &mut self.out.text);
            self.out.bytes(b"/");
        }
    }
}

/// Appends a name at a position without keywords. Trailing zeros of padded names are dropped.
pub(super) fn push_name(name: &Name, out: &mut Vec<u8>) {
    push_word(trim_nuls(name.as_bytes()), out);
}

/// Like [`push_name`].
fn push_word(word: &[u8], out: &mut Vec<u8>) {
    if is_keyword(word) {
        out.extend_from_slice(word);
    } else {
        escape_name(word, out);
    }
}

/// Appends the name in a definition for a dataset of this kind, with a backslash if the name is a keyword.
pub(super) fn push_defined(name: &Name, kind: Kind, out: &mut Vec<u8>) {
    let text = std::str::from_utf8(trim_nuls(name.as_bytes()));
    if text.is_ok_and(|text| is_reserved(text, Some(kind))) {
        out.push(b'\\');
    }
    push_name(name, out);
}

/// Appends a path, in which slashes are not part of names.
pub(super) fn push_path(path: &[u8], out: &mut Vec<u8>) {
    for (i, name) in path.split(|&b| b == b'/').enumerate() {
        if i > 0 {
            out.push(b'/');
        }
        push_word(name, out);
    }
}
