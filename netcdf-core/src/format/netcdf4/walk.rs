//! Walks the object tree. Every link is followed, except where a group would contain itself.

use std::sync::Arc;

use super::attributes::attribute_path;
use super::builder::FileBuilder;
use super::companions::AttributeOwner;
use super::hidden_attributes;
use super::links::{is_skippable, no_dataset};
use super::type_reduction::unsupported;
use super::types::NewType;
use super::{FileObject, hidden_attributes::is_reserved};
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::format::hdf5::dataset::{self, Hdf5ObjectKind as Object};
use crate::format::hdf5::message::link::{LinkMessage, LinkedObject};
use crate::format::hdf5::{Hdf5File, ObjectHeader, attributes as hdf5_attributes, group};
use crate::model::{GroupId, Kind};

/// Maximum total number of repeated groups, shown under another name.
const REPEATS: u32 = 256;

/// The number of headers per prefetch request, and the usual maximum header size in bytes.
const AHEAD: usize = 64;
const HEADER: u64 = 512;

impl FileBuilder<'_> {
    /// Walks the whole tree.
    ///
    /// # Errors
    /// Returns damage that is not tolerated. Objects that netCDF cannot express only cause notes.
    pub(super) fn walk(&mut self) -> Result<()> {
        let file = self.files.get(0)?;
        let address = file.superblock().root;
        let root = FileObject { file: 0, address };
        let header = ObjectHeader::read(&file, address).in_object(|| "/".to_owned())?;
        let walked = self.members(GroupId::ROOT, root, header, &mut vec![]);
        walked.map_err(|e| match e.is_damage() {
            true => e.in_object("/"),
            false => e,
        })
    }

    /// Adds the dataset with the object header at an address as a variable of the root group.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`] if the object is not a dataset, or damage.
    pub(super) fn single(&mut self, address: u64) -> Result<()> {
        let file = self.files.get(0)?;
        file.start();
        let header = ObjectHeader::read(&file, address)?;
        if dataset::kind(&header) != Object::Dataset {
            return Err(no_dataset());
        }
        self.dataset(
            GroupId::ROOT,
            b"source",
            FileObject { file: 0, address },
            &header,
        )
    }

    fn group(&mut self, id: GroupId, place: FileObject, above: &mut Vec<FileObject>) -> Result<()> {
        let header = ObjectHeader::read(&*self.files.get(place.file)?, place.address)?;
        self.members(id, place, header, above)
    }

    /// Walks a group. The members precede the subgroups, because subgroups refer to types and dimensions of the group. `above` lists the
    /// enclosing groups.
    fn members(
        &mut self,
        id: GroupId,
        place: FileObject,
        header: ObjectHeader,
        above: &mut Vec<FileObject>,
    ) -> Result<()> {
        let file = self.files.get(place.file)?;
        if dataset::kind(&header) != Object::Group {
            let what = "expected a group with a symbol table or link info";
            return Err(file.error(ErrorKind::Corrupt, place.address, what));
        }
        self.group_attributes(id, place.file, &header)?;
        let links = group::links(&file, &header)?;
        drop((file, header));
        above.push(place);
        let mut groups = vec![];
        for (n, link) in links.iter().enumerate() {
            self.env.cancel.check()?;
            if n % AHEAD == 0 {
                self.prefetch(place, links.get(n..).unwrap_or_default())?;
            }
            match self.target(place, &link.target) {
                Ok(found) => self.object(id, link, found, &mut groups)?,
                Err(e) if is_skippable(&e) => self.note(self.path(id, &link.name), &e),
                Err(e) => self.report_damage(e, || self.path(id, &link.name))?,
            }
        }
        for (name, found) in groups {
            self.subgroup(id, &name, found, above)?;
        }
        above.pop();
        Ok(())
    }

    /// Prefetches the headers of the next objects in one request.
    fn prefetch(&mut self, group: FileObject, links: &[LinkMessage]) -> Result<()> {
        let hard = links
            .iter()
            .take(AHEAD)
            .filter_map(|link| match link.target {
                LinkedObject::Hard(address) => Some(address..address.checked_add(HEADER)?),
                LinkedObject::Soft(_) | LinkedObject::External { .. } | LinkedObject::User(_) => {
                    None
                }
            });
        let headers: Vec<_> = hard.collect();
        self.files.get(group.file)?.prefetch(&headers);
        Ok(())
    }

    fn subgroup(
        &mut self,
        parent: GroupId,
        name: &[u8],
        place: FileObject,
        above: &mut Vec<FileObject>,
    ) -> Result<()> {
        let path = self.path(parent, name);
        if above.len() >= usize::try_from(self.env.limits.groups).unwrap_or(usize::MAX) {
            let what = format!("groups nested more than {} deep", self.env.limits.groups);
            return self.report_damage(Error::new(ErrorKind::Limit, what), || path);
        }
        let again = self.shown.entry(place).or_insert(0);
        *again += 1;
        let repeated = *again > 1;
        if repeated {
            self.repeats += 1;
        }
        let why = if above.contains(&place) {
            "a group within itself"
        } else if repeated && self.repeats > REPEATS {
            "a group that is already shown under other names"
        } else {
            let name = self.names.stored(name);
            let id = self.schema.add_group(parent, name);
            let depth = above.len();
            let walked = self.group(id, place, above);
            above.truncate(depth);
            return walked.or_else(|e| self.report_damage(e, || path));
        };
        self.note(path, &Error::new(ErrorKind::Unsupported, why));
        Ok(())
    }

    /// Adds an object. Groups are collected in `groups` for later.
    fn object(
        &mut self,
        group: GroupId,
        link: &LinkMessage,
        place: FileObject,
        groups: &mut Vec<(Vec<u8>, FileObject)>,
    ) -> Result<()> {
        let file = self.files.get(place.file)?;
        let header = ObjectHeader::read(&file, place.address);
        let taken = header.and_then(|header| match dataset::kind(&header) {
            Object::Group => {
                groups.push((link.name.clone(), place));
                Ok(())
            }
            Object::Dataset => {
                let before = self.vars.len();
                let added = self.dataset(group, &link.name, place, &header);
                if self.vars.len() == before && place.file == 0 {
                    self.unseen.push(place.address);
                }
                added
            }
            Object::Datatype => self.committed(group, &link.name, place, &header),
            Object::Unknown => {
                let what = "an object of unknown kind, expected a group, dataset or datatype";
                Err(file.error(ErrorKind::Corrupt, place.address, what))
            }
        });
        taken.or_else(|e| self.skip(&self.path(group, &link.name), e))
    }

    fn committed(
        &mut self,
        group: GroupId,
        name: &[u8],
        place: FileObject,
        header: &ObjectHeader,
    ) -> Result<()> {
        let file = self.files.get(place.file)?;
        self.skip_type_attributes(group, name, (&file, header))?;
        let mut datatype = dataset::datatype(&file, header)?;
        Arc::make_mut(&mut datatype).committed = Some(place.address);
        if super::numbers::atomic(&datatype).is_some() {
            // netCDF cannot name an atomic type. Variables have the atomic type.
            return Ok(());
        }
        self.reduce(place.file, &mut datatype, &self.path(group, name))?;
        let name = self.names.stored(name);
        let new = NewType { name, group };
        self.types.define(&mut self.schema, new, &datatype, place)?;
        Ok(())
    }

    /// Reports the attributes of a committed type, which netCDF does not support.
    fn skip_type_attributes(
        &self,
        group: GroupId,
        name: &[u8],
        (file, header): (&Hdf5File, &ObjectHeader),
    ) -> Result<()> {
        let path = self.path(group, name);
        let unsupported = unsupported("attributes of types");
        let done = hdf5_attributes::visit(file, header, |attribute| match attribute {
            Ok(attribute) => {
                self.note(attribute_path(&path, &attribute.name), &unsupported);
                Ok(())
            }
            Err(e) => self.skip_attribute(&path, e),
        });
        done.or_else(|e| self.report_damage(e, || path.clone()))
    }

    /// Adds the group attributes, and evaluates root attributes that describe the whole file.
    fn group_attributes(&mut self, id: GroupId, file: u32, header: &ObjectHeader) -> Result<()> {
        let handle = self.files.get(file)?;
        hdf5_attributes::visit(&handle, header, |attribute| {
            let attribute = match attribute {
                Ok(a) => a,
                Err(e) => return self.skip_attribute(&self.schema.group_path(id), e),
            };
            if id == GroupId::ROOT && attribute.name == hidden_attributes::STRICT {
                self.schema.kind = Kind::NETCDF4_CLASSIC;
            }
            if id == GroupId::ROOT && attribute.name == hidden_attributes::PROPERTIES {
                self.of_netcdf4 = true;
                match hidden_attributes::properties(&handle, &attribute) {
                    Ok(properties) => self.properties = properties,
                    Err(e) => self.skip("/_NCProperties", e)?,
                }
            }
            if is_reserved(&attribute.name) {
                return Ok(());
            }
            self.attribute(AttributeOwner::Group(id), file, attribute)
        })
        .or_else(|e| match e.is_damage() {
            true => self.report_damage(e, || self.schema.group_path(id)),
            false => Err(e),
        })
    }
}
