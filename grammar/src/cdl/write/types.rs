//! Declarations of user-defined types.

use netcdf_core::model::{Atomic, Field, Group, GroupId, Name, TypeId, TypeKind};

use super::CdlWriter;
use super::group::STEP;
use super::variables::push_defined;

impl CdlWriter<'_, '_> {
    pub(super) fn types(&mut self, group: &Group) {
        if group.types.is_empty() {
            return;
        }
        self.line(b"types:\n");
        self.wrap.indent += STEP;
        for &id in &group.types {
            self.user_type(id);
        }
        self.wrap.indent -= STEP;
    }

    fn user_type(&mut self, id: TypeId) {
        let schema = self.schema;
        let Some(ty) = schema.user_type(id) else {
            return;
        };
        self.indent();
        let mut name = Vec::new();
        push_defined(&ty.name, self.schema.kind, &mut name);
        match &ty.kind {
            TypeKind::Enum { base, members } => self.enumeration(*base, &name, members),
            TypeKind::Opaque { size } => {
                self.out.bytes(format!("opaque({size}) ").as_bytes());
                self.out.bytes(&name);
                self.out.bytes(b" ;\n");
            }
            TypeKind::Vlen { base } => {
                self.type_name(ty.group, *base);
                self.out.bytes(b"(*) ");
                self.out.bytes(&name);
                self.out.bytes(b" ;\n");
            }
            TypeKind::Compound { fields, .. } => self.compound(ty.group, &name, fields),
        }
    }

    fn enumeration(&mut self, base: Atomic, name: &[u8], members: &[(Name, i128)]) {
        let mut item = base.name().as_bytes().to_vec();
        item.extend_from_slice(b" enum ");
        item.extend_from_slice(name);
        item.extend_from_slice(b" {");
        let (wrap, out) = (&mut self.wrap, &mut self.out.text);
        wrap.put(&item, out);
        for (i, (member, value)) in members.iter().enumerate() {
            item.clear();
            push_defined(member, self.schema.kind, &mut item);
            let last = i + 1 == members.len();
            let end = if last { "} ;\n" } else { ", " };
            item.extend_from_slice(format!(" = {value}{end}").as_bytes());
            wrap.put(&item, out);
        }
        if members.is_empty() {
            out.extend_from_slice(b"} ;\n");
        }
        wrap.end_line();
    }

    fn compound(&mut self, group: GroupId, name: &[u8], fields: &[Field]) {
        self.out.bytes(b"compound ");
        self.out.bytes(name);
        self.out.bytes(b" {\n");
        for field in fields {
            self.line(b"  ");
            self.type_name(group, field.ty);
            self.out.bytes(b" ");
            push_defined(&field.name, self.schema.kind, &mut self.out.text);
            let dims: Vec<_> = field.dims.iter().map(u64::to_string).collect();
            if !dims.is_empty() {
                self.out.bytes(format!("({})", dims.join(", ")).as_bytes());
            }
            self.out.bytes(b" ;\n");
        }
        self.line(b"}; // ");
        self.out.bytes(name);
        self.out.bytes(b"\n");
    }
}
