//! Attributes of HDF5 objects as netCDF attributes.

use super::builder::FileBuilder;
use super::companions::{AttributeOwner, PendingAttribute};
use super::numbers;
use super::types::Home;
use super::values::ValueDecoder;
use crate::error::{Error, Result};
use crate::format::hdf5::dataspace;
use crate::format::hdf5::datatype::TypeClass;
use crate::format::hdf5::message::attribute::AttributeMessage as Stored;
use crate::model::{Atomic, Attribute, DataType, GroupId, Values};
use crate::notes::Note;

/// Returns the attribute path.
pub(super) fn attribute_path(owner: &str, name: &[u8]) -> String {
    format!("{owner}:{}", String::from_utf8_lossy(name))
}

impl FileBuilder<'_> {
    /// Adds an attribute to its owner.
    ///
    /// # Errors
    /// Returns damage that is not tolerated.
    pub(super) fn attribute(
        &mut self,
        owner: AttributeOwner,
        file: u32,
        stored: Stored,
    ) -> Result<()> {
        let name = self.names.stored(&stored.name);
        let Some(ty) = self.simple_type(owner, &stored) else {
            let place = self.attributes(owner).len();
            let (ty, values) = (Atomic::Byte.into(), Values::Byte(vec![]));
            self.attributes(owner).push(Attribute { name, ty, values });
            self.pending.push(PendingAttribute {
                owner,
                place,
                file,
                stored,
            });
            return Ok(());
        };
        match self.values(file, &stored, ty) {
            Ok(values) => self.attributes(owner).push(Attribute { name, ty, values }),
            Err(e) => self.skip_value(owner, &stored, e)?,
        }
        Ok(())
    }

    /// Returns the type of a numeric or text attribute, or `None` for user-defined types.
    fn simple_type(&self, owner: AttributeOwner, stored: &Stored) -> Option<DataType> {
        let scalar = stored.dataspace.class != dataspace::DataspaceClass::Simple;
        match &stored.datatype.class {
            TypeClass::String { .. } if scalar => Some(Atomic::Char.into()),
            TypeClass::String { .. } => Some(Atomic::String.into()),
            _ => {
                if stored.dataspace.dims.len() > 1
                    && !matches!(stored.datatype.class, TypeClass::VlenString { .. })
                {
                    self.say_flat(owner, stored);
                }
                numbers::atomic(&stored.datatype).map(DataType::from)
            }
        }
    }

    fn say_flat(&self, owner: AttributeOwner, stored: &Stored) {
        self.env.notes.say(Note {
            object: self.attribute_path(owner, stored),
            what: format!(
                "an attribute of shape {:?} is shown as a list",
                stored.dataspace.dims
            ),
            remedy: None,
        });
    }

    fn values(&self, file: u32, stored: &Stored, ty: DataType) -> Result<Values> {
        let file = self.files.get(file)?;
        let mut decoder = ValueDecoder::new(&file, &self.schema);
        decoder.decode(&stored.datatype, ty, &stored.data)
    }

    fn owner_path(&self, owner: AttributeOwner) -> String {
        match owner {
            AttributeOwner::Group(id) => self.schema.group_path(id),
            AttributeOwner::Var(id) => self.schema.var_path(id),
        }
    }

    fn attribute_path(&self, owner: AttributeOwner, stored: &Stored) -> String {
        attribute_path(&self.owner_path(owner), &stored.name)
    }

    fn skip_value(&self, owner: AttributeOwner, stored: &Stored, e: Error) -> Result<()> {
        self.skip_in_attribute(&self.owner_path(owner), &stored.name, e)
    }

    /// Returns the attributes of a group or variable.
    pub(super) fn attributes(&mut self, owner: AttributeOwner) -> &mut Vec<Attribute> {
        let found = match owner {
            AttributeOwner::Group(id) => self
                .schema
                .groups
                .get_mut(id.index())
                .map(|g| &mut g.attributes),
            AttributeOwner::Var(id) => self
                .schema
                .vars
                .get_mut(id.index())
                .map(|v| &mut v.attributes),
        };
        found.unwrap_or(&mut self.nowhere)
    }

    /// Sets the types and values of attributes with user-defined types. All types are known at this point.
    ///
    /// # Errors
    /// Returns damage that is not tolerated.
    pub(super) fn settle_attributes(&mut self) -> Result<()> {
        self.name_enums();
        // Last to first, so that the indexes stay valid when an attribute is removed.
        for mut pending in std::mem::take(&mut self.pending).into_iter().rev() {
            match self.settled(&mut pending) {
                Ok((ty, values)) => {
                    if let Some(a) = self.attributes(pending.owner).get_mut(pending.place) {
                        (a.ty, a.values) = (ty, values);
                    }
                }
                Err(e) => {
                    self.skip_value(pending.owner, &pending.stored, e)?;
                    let all = self.attributes(pending.owner);
                    if pending.place < all.len() {
                        all.remove(pending.place);
                    }
                }
            }
        }
        Ok(())
    }

    /// Defines unnamed enums of attributes with generated names, as for variables. The attributes report errors later.
    fn name_enums(&mut self) {
        for pending in &self.pending {
            let datatype = &pending.stored.datatype;
            let group = match pending.owner {
                AttributeOwner::Group(id) => Some(id),
                AttributeOwner::Var(id) => self.schema.var(id).map(|var| var.group),
            };
            if matches!(datatype.class, TypeClass::Enum { .. }) {
                let file = pending.file;
                let home = Home { file, group };
                let _ = self.types.data_type(&mut self.schema, datatype, home);
            }
        }
    }

    fn settled(&mut self, pending: &mut PendingAttribute) -> Result<(DataType, Values)> {
        let path = self.attribute_path(pending.owner, &pending.stored);
        self.reduce(pending.file, &mut pending.stored.datatype, &path)?;
        let home = Home {
            file: pending.file,
            group: self.env.raw_types.then_some(GroupId::ROOT),
        };
        let ty = self
            .types
            .data_type(&mut self.schema, &pending.stored.datatype, home)?;
        Ok((ty, self.values(pending.file, &pending.stored, ty)?))
    }
}
