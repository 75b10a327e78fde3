//! Groups, dimensions, types and variables.

use netcdf_core::error::Result;
use netcdf_core::model::{Atomic, Dimension, Field, Group, GroupId, Name, TypeKind, UserType};
use netcdf_core::model::{VarId, Variable};

use super::JsonWriter;
use super::number::integer;
use crate::json::names::written;
use crate::json::text::push_text;
use crate::write::separate;

impl JsonWriter<'_, '_> {
    pub(super) fn dataset(&mut self) -> Result<()> {
        self.out.begin();
        let name = String::from_utf8_lossy(&self.options.name);
        self.out.member("name", name.as_bytes());
        let kind = self.schema.kind.name();
        self.out.member("kind", kind.as_bytes());
        self.group(GroupId::ROOT)?;
        self.out.end();
        self.out.block.text.push(b'\n');
        Ok(())
    }

    /// Writes the members of a group.
    fn group(&mut self, id: GroupId) -> Result<()> {
        let schema = self.schema;
        let Some(group) = schema.group(id) else {
            return Ok(());
        };
        self.types(group);
        self.dimensions(group);
        self.group_attributes(id, group);
        self.variables(id, group)?;
        if group.groups.is_empty() {
            return Ok(());
        }
        self.out.begin_member("groups");
        for &sub in &group.groups {
            let name = schema.group(sub).map(|g| written(g.name.as_bytes()));
            self.out.begin_member(&name.unwrap_or_default());
            self.group(sub)?;
            self.out.end();
        }
        self.out.end();
        Ok(())
    }

    fn dimensions(&mut self, group: &Group) {
        if group.dims.is_empty() {
            return;
        }
        self.out.begin_member("dimensions");
        let schema = self.schema;
        for dim in group.dims.iter().filter_map(|&d| schema.dim(d)) {
            self.dimension(dim);
        }
        self.out.end();
    }

    fn dimension(&mut self, dim: &Dimension) {
        let size = match dim.unlimited {
            true => format!("{{\"size\": {}, \"unlimited\": true}}", dim.len),
            false => dim.len.to_string(),
        };
        self.out.plain(&written(dim.name.as_bytes()), &size);
    }

    fn types(&mut self, group: &Group) {
        if group.types.is_empty() {
            return;
        }
        self.out.begin_member("types");
        let schema = self.schema;
        for ty in group.types.iter().filter_map(|&id| schema.user_type(id)) {
            self.out.begin_member(&written(ty.name.as_bytes()));
            self.user_type(ty);
            self.out.end();
        }
        self.out.end();
    }

    fn user_type(&mut self, ty: &UserType) {
        match &ty.kind {
            TypeKind::Enum { base, members } => self.enumeration(*base, members),
            TypeKind::Opaque { size } => {
                self.out.member("class", b"opaque");
                self.out.plain("size", &size.to_string());
            }
            TypeKind::Vlen { base } => {
                self.out.member("class", b"vlen");
                let base = self.references.data_type(ty.group, *base);
                self.out.member("base", base.as_bytes());
            }
            TypeKind::Compound { fields, .. } => {
                self.out.member("class", b"compound");
                self.out.begin_member("fields");
                fields.iter().for_each(|field| self.field(ty.group, field));
                self.out.end();
            }
        }
    }

    fn enumeration(&mut self, base: Atomic, members: &[(Name, i128)]) {
        self.out.member("class", b"enum");
        self.out.member("base", base.name().as_bytes());
        self.out.begin_member("members");
        for (name, value) in members {
            self.out.key(&written(name.as_bytes()));
            integer(*value, &mut self.out.block.text);
        }
        self.out.end();
    }

    fn field(&mut self, from: GroupId, field: &Field) {
        self.out.key(&written(field.name.as_bytes()));
        let out = &mut self.out.block.text;
        out.extend_from_slice(b"{\"type\": ");
        push_text(&self.references.data_type(from, field.ty), out);
        if !field.dims.is_empty() {
            let sizes: Vec<_> = field.dims.iter().map(u64::to_string).collect();
            out.extend_from_slice(format!(", \"shape\": [{}]", sizes.join(", ")).as_bytes());
        }
        out.push(b'}');
    }

    fn variables(&mut self, id: GroupId, group: &Group) -> Result<()> {
        if group.vars.is_empty() {
            return Ok(());
        }
        self.out.begin_member("variables");
        let schema = self.schema;
        for &var in &group.vars {
            if let Some(variable) = schema.var(var) {
                self.out.begin_member(&written(variable.name.as_bytes()));
                self.variable(id, var, variable)?;
                self.out.end();
                self.out.block.pass()?;
            }
        }
        self.out.end();
        Ok(())
    }

    fn variable(&mut self, group: GroupId, id: VarId, var: &Variable) -> Result<()> {
        let ty = self.references.data_type(var.group, var.ty);
        self.out.member("type", ty.as_bytes());
        self.out.key("shape");
        self.out.block.text.push(b'[');
        for (i, &dim) in var.dims.iter().enumerate() {
            separate(i, &mut self.out.block.text);
            let name = self.references.dimension(var.group, dim);
            push_text(&name, &mut self.out.block.text);
        }
        self.out.block.text.push(b']');
        self.variable_attributes(var);
        let selection = self.options.data.as_ref();
        if !selection.is_some_and(|s| self.references.0.is_selected(s, group, id)) {
            return Ok(());
        }
        if let Some(why) = self.variable_data(id)? {
            self.omitted.push(why);
        }
        Ok(())
    }
}
