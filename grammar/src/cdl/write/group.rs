//! Group output: the sections in order, then the subgroups.

use netcdf_core::error::Result;
use netcdf_core::model::{Group, GroupId, VarId};

use super::data::OmittedData;
use super::variables::push_defined;
use super::{CdlWriter, SpecialAttributes};

/// Additional indentation per group level.
pub(super) const STEP: usize = 2;

impl CdlWriter<'_, '_> {
    /// Writes the text between the braces of a group.
    pub(super) fn group(&mut self, id: GroupId) -> Result<()> {
        let schema = self.schema;
        let Some(group) = schema.group(id) else {
            return Ok(());
        };
        self.types(group);
        self.dimensions(group);
        self.declarations(group)?;
        self.group_attributes(id, group);
        self.out.pass()?;
        self.group_data(id, group)?;
        for &sub in &group.groups {
            self.subgroup(sub)?;
        }
        Ok(())
    }

    fn subgroup(&mut self, id: GroupId) -> Result<()> {
        let mut name = Vec::new();
        let schema = self.schema;
        if let Some(group) = schema.group(id) {
            push_defined(&group.name, self.schema.kind, &mut name);
        }
        self.out.bytes(b"\n");
        self.line(b"group: ");
        self.out.bytes(&name);
        self.out.bytes(b" {\n");
        self.wrap.indent += STEP;
        self.group(id)?;
        self.line(b"} // group ");
        self.out.bytes(&name);
        self.out.bytes(b"\n");
        self.wrap.indent -= STEP;
        Ok(())
    }

    fn declarations(&mut self, group: &Group) -> Result<()> {
        if !group.vars.is_empty() {
            self.line(b"variables:\n");
        }
        for &id in &group.vars {
            self.variable(id);
            self.out.pass()?;
        }
        Ok(())
    }

    fn group_attributes(&mut self, id: GroupId, group: &Group) {
        let root = id == GroupId::ROOT;
        let special = self.options.special != SpecialAttributes::Hidden;
        if !group.attributes.is_empty() || special {
            self.out.bytes(b"\n");
            let whose: &[u8] = if root { b"global" } else { b"group" };
            self.line(b"// ");
            self.out.bytes(whose);
            self.out.bytes(b" attributes:\n");
        }
        for attribute in &group.attributes {
            self.attribute(id, &[], attribute);
            self.out.bytes(b" ;\n");
        }
        if root && special {
            self.dataset_specials();
        }
    }

    fn group_data(&mut self, id: GroupId, group: &Group) -> Result<()> {
        let Some(selection) = &self.options.data else {
            return Ok(());
        };
        let wanted = selection.groups.as_ref();
        if group.vars.is_empty() || wanted.is_some_and(|groups| !groups.contains(&id)) {
            return Ok(());
        }
        self.line(b"data:\n");
        for &var in &group.vars {
            if self.scope.is_selected(selection, id, var)
                && let Some(why) = self.variable_data(var)?
            {
                self.omit(var, why);
            }
        }
        Ok(())
    }

    /// Writes a comment in place of a variable's missing data.
    fn omit(&mut self, id: VarId, OmittedData { why, from }: OmittedData) {
        let mut name = Vec::new();
        if let Some(var) = self.schema.var(id) {
            push_defined(&var.name, self.schema.kind, &mut name);
        }
        self.out.bytes(b"\n");
        self.line(b" // ");
        self.out.bytes(&name);
        self.out.bytes(b": data ");
        if let Some(index) = from {
            let index: Vec<_> = index.iter().map(u64::to_string).collect();
            let from = format!("from index ({}) on ", index.join(","));
            self.out.bytes(from.as_bytes());
        }
        self.out.bytes(b"omitted: ");
        self.comment_text(why.what());
        self.out.bytes(b"\n");
        self.omitted.push(why);
    }
}
