//! Stored attributes and storage attributes.

use netcdf_core::model::{Attribute, Group, GroupId, Variable};

use super::JsonWriter;
use super::value::{JsonForm, JsonValue, push_attribute};
use crate::cdl::write::{SpecialAttributes, SpecialValue, of_dataset, of_variable};
use crate::json::names::written_attribute;
use crate::json::text::{push_bytes, push_text};

impl JsonWriter<'_, '_> {
    pub(super) fn group_attributes(&mut self, id: GroupId, group: &Group) {
        let root = id == GroupId::ROOT;
        let special = match self.options.special {
            SpecialAttributes::Shown | SpecialAttributes::Filters if root => {
                of_dataset(self.schema, &self.set.reader.provenance())
            }
            SpecialAttributes::Shown | SpecialAttributes::Filters | SpecialAttributes::Hidden => {
                vec![]
            }
        };
        let special = special.into_iter().map(|s| (s.name, s.value)).collect();
        self.attributes(id, group.attributes.iter().collect(), special);
    }

    pub(super) fn variable_attributes(&mut self, var: &Variable) {
        let special = match self.options.special {
            SpecialAttributes::Hidden => vec![],
            SpecialAttributes::Shown => of_variable(self.schema, var, false),
            SpecialAttributes::Filters => of_variable(self.schema, var, true),
        };
        let special = special.into_iter().map(|s| (s.name, s.value)).collect();
        self.attributes(var.group, var.attributes.iter().collect(), special);
    }

    fn attributes(
        &mut self,
        group: GroupId,
        stored: Vec<&Attribute>,
        special: Vec<(&'static str, SpecialValue)>,
    ) {
        if stored.is_empty() && special.is_empty() {
            return;
        }
        self.out.begin_member("attributes");
        for attribute in stored {
            self.attribute(group, attribute);
        }
        for (name, value) in special {
            self.special(name, &value);
        }
        self.out.end();
    }

    fn attribute(&mut self, group: GroupId, attribute: &Attribute) {
        self.out.key(&written_attribute(attribute.name.as_bytes()));
        let out = &mut self.out.block.text;
        out.extend_from_slice(b"{\"type\": ");
        push_text(&self.references.data_type(group, attribute.ty), out);
        out.extend_from_slice(b", \"data\": ");
        let text = JsonValue {
            schema: self.schema,
            form: JsonForm,
        };
        push_attribute(&text, &attribute.values, out);
        out.push(b'}');
    }

    fn special(&mut self, name: &str, value: &SpecialValue) {
        self.out.key(name);
        let out = &mut self.out.block.text;
        match value {
            SpecialValue::Text(text) => {
                out.extend_from_slice(b"{\"type\": \"char\", \"data\": ");
                push_bytes(text, out);
            }
            SpecialValue::Numbers(numbers) => {
                out.extend_from_slice(b"{\"type\": \"int64\", \"data\": ");
                let numbers: Vec<_> = numbers.iter().map(u64::to_string).collect();
                let list = match numbers.as_slice() {
                    [one] => one.clone(),
                    _ => format!("[{}]", numbers.join(", ")),
                };
                out.extend_from_slice(list.as_bytes());
            }
        }
        out.push(b'}');
    }
}
