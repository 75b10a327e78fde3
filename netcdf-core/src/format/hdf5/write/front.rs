//! The metadata of a file as one block: object offsets and patched values.

use super::argument;
use super::dataset::{self, DatasetState};
use super::dense;
use super::extension::extension;
use super::header::{self, CONSTANT, LONGEST, NOT_SHARED, WrittenMessage};
use super::messages;
use super::metadata_heap::MetadataHeap;
use super::part::{Hole, MetadataPart};
use super::path;
use super::plan::{
    FilePlan, MadeDatasets, ObjectId, PlannedAttribute, PlannedGroup, PlannedObject,
};
use super::space::PagedSpace;
use crate::arithmetic::exact;
use crate::bytes::sink::narrow;
use crate::error::{Context as _, OrInternal as _, Result};
use crate::format::hdf5::datatype::Datatype;
use crate::format::hdf5::message;
use crate::model::FileSpace;

/// The block start, after the superblock.
pub(super) const START: u64 = 48;
/// Maximum number of links or attributes in a header.
const COMPACT: usize = 8;

/// The metadata block with the offset of every object.
#[derive(Debug)]
pub(super) struct Front {
    /// The block; checksums are computed later.
    pub part: MetadataPart,
    /// Root group address.
    pub root: u64,
    /// The state for writing dataset data; `None` for all other objects.
    pub data: Vec<Option<DatasetState>>,
    /// Superblock extension address, if the file has one.
    pub extension: Option<u64>,
    /// Offset of the page size in the block, if there are pages.
    pub page_size_at: Option<usize>,
}

/// A block under construction.
struct FrontBuilder<'a> {
    plan: &'a FilePlan,
    part: MetadataPart,
    pages: Option<PagedSpace>,
    heap: MetadataHeap,
    /// The number of links to each object.
    counts: Vec<u64>,
    addresses: Vec<u64>,
    data: Vec<Option<DatasetState>>,
}

impl Front {
    /// Lays out the metadata of all objects.
    ///
    /// # Errors
    /// Returns [`crate::ErrorKind::Limit`] for values beyond the format, and [`crate::ErrorKind::Argument`] for contradictory plans, with
    /// the object's path.
    pub(super) fn new(plan: &FilePlan, more: MadeDatasets<'_>, space: FileSpace) -> Result<Self> {
        let pages = PagedSpace::of(space)?;
        let all = plan.objects.len() + more.count;
        let mut builder = FrontBuilder {
            plan,
            part: MetadataPart::in_pages(pages),
            pages,
            heap: MetadataHeap::in_pages(pages),
            counts: link_counts(plan, all)?,
            addresses: Vec::with_capacity(all),
            data: Vec::with_capacity(all),
        };
        for object in &plan.objects {
            builder.next(object)?;
        }
        for n in 0..more.count {
            let dataset = (more.make)(n)?;
            builder.next(&PlannedObject::Dataset(Box::new(dataset)))?;
        }
        builder.finish(space)
    }
}

/// The number of links to each object. The root group counts one additional link.
fn link_counts(plan: &FilePlan, all: usize) -> Result<Vec<u64>> {
    let mut counts = vec![0; all];
    if let Some(root) = counts.first_mut() {
        *root = 1;
    }
    for object in &plan.objects {
        let PlannedObject::Group(group) = object else {
            continue;
        };
        for link in &group.links {
            let index = usize::try_from(link.to.0).ok();
            let count = index.and_then(|n| counts.get_mut(n));
            let missing = || argument("a link to an object that does not exist");
            *count.ok_or_else(missing)? += 1;
        }
    }
    Ok(counts)
}

/// Checks that names are unique.
fn unique(names: &[&[u8]], what: &str) -> Result<()> {
    let mut sorted = names.to_vec();
    sorted.sort_unstable();
    let twice = sorted.windows(2).find_map(|pair| match pair {
        [a, b] if a == b => Some(String::from_utf8_lossy(a)),
        _ => None,
    });
    match twice {
        Some(name) => Err(argument(format!("two {what} named {name}"))),
        None => Ok(()),
    }
}

impl FrontBuilder<'_> {
    /// Lays out the next object.
    fn next(&mut self, object: &PlannedObject) -> Result<()> {
        let id = self.addresses.len();
        let count = self.counts.get(id).copied();
        let count = count.or_internal("an object without a count of links")?;
        let done = self.object(object, count);
        done.in_object(|| path::of(self.plan, id))
    }

    fn object(&mut self, object: &PlannedObject, links: u64) -> Result<()> {
        // The header precedes the other parts of the object, so their addresses depend on its length.
        let mut own = MetadataPart::in_pages(self.pages);
        let mut messages = match object {
            PlannedObject::Group(group) => self.group(group, &mut own)?,
            PlannedObject::Dataset(dataset) => {
                let mut messages = dataset::messages(dataset, &mut self.heap)?;
                self.attributes(&dataset.attributes, &mut messages, &mut own)?;
                messages
            }
            PlannedObject::Datatype(datatype) => vec![committed(datatype)?],
        };
        if links > 1 {
            let body = messages::reference_count(links)?;
            messages.push(WrittenMessage::new(message::REFERENCE_COUNT, 0, body));
        }
        let ordered = !matches!(object, PlannedObject::Datatype(_));
        let holes = self.part.holes();
        let mut header = MetadataPart::default();
        let mut bodies = header::write(&mut header, ordered, &messages)?;
        let at = self.part.begin(START, header.len())?;
        self.part.append(&header);
        let header_at = exact(at).index()?;
        bodies.iter_mut().for_each(|body| *body += header_at);
        self.addresses.push(START + at);
        let base = START + self.part.begin(START, own.len())?;
        self.part.append(&own);
        self.part.fill(holes, |hole| match hole {
            Hole::Own(place) => Ok(Some(base + place)),
            Hole::Object(_) | Hole::Heap(_) => Ok(None),
        })?;
        self.data.push(match object {
            PlannedObject::Dataset(dataset) => {
                Some(DatasetState::new(dataset, &messages, &bodies)?)
            }
            PlannedObject::Group(_) | PlannedObject::Datatype(_) => None,
        });
        Ok(())
    }

    fn group(
        &mut self,
        group: &PlannedGroup,
        own: &mut MetadataPart,
    ) -> Result<Vec<WrittenMessage>> {
        let link =
            |(n, link): (usize, &super::HardLink)| messages::link(&link.name, n as u64, link.to);
        let links: Vec<_> = group
            .links
            .iter()
            .enumerate()
            .map(link)
            .collect::<Result<_>>()?;
        let is_dense = links.len() > COMPACT || links.iter().any(|l| l.len() > LONGEST);
        let names: Vec<_> = group.links.iter().map(|l| &l.name[..]).collect();
        unique(&names, "links")?;
        let places = is_dense.then(|| dense::links(own, &names, &links));
        let count = links.len() as u64;
        let info = messages::dense_info(&count.to_le_bytes(), places.transpose()?);
        let mut all = vec![
            WrittenMessage::new(message::LINK_INFO, 0, info),
            WrittenMessage::new(message::GROUP_INFO, CONSTANT, messages::group_info()),
        ];
        self.attributes(&group.attributes, &mut all, own)?;
        if !is_dense {
            let message = |link| WrittenMessage::new(message::LINK, 0, link);
            all.extend(links.into_iter().map(message));
        }
        Ok(all)
    }

    fn attributes(
        &mut self,
        attributes: &[PlannedAttribute],
        to: &mut Vec<WrittenMessage>,
        own: &mut MetadataPart,
    ) -> Result<()> {
        if attributes.is_empty() {
            return Ok(());
        }
        let names: Vec<_> = attributes.iter().map(|a| &a.name[..]).collect();
        unique(&names, "attributes")?;
        let count: u16 = narrow(attributes.len() as u64, "the number of attributes")?;
        let bodies = attributes.iter().map(|a| self.attribute(a));
        let bodies: Vec<_> = bodies.collect::<Result<_>>()?;
        let is_dense = bodies.len() > COMPACT || bodies.iter().any(|b| b.len() > LONGEST);
        let places = is_dense.then(|| dense::attributes(own, &names, &bodies));
        let info = messages::dense_info(&count.to_le_bytes(), places.transpose()?);
        to.push(WrittenMessage::new(
            message::ATTRIBUTE_INFO,
            NOT_SHARED,
            info,
        ));
        if !is_dense {
            for (order, body) in (0..count).zip(bodies) {
                let message = WrittenMessage::new(message::ATTRIBUTE, 0, body);
                to.push(WrittenMessage { order, ..message });
            }
        }
        Ok(())
    }

    fn attribute(&mut self, attribute: &PlannedAttribute) -> Result<MetadataPart> {
        let name = || String::from_utf8_lossy(&attribute.name).into_owned();
        let made = dataset::sized(attribute).and_then(|()| {
            let data = self.heap.resolve(&attribute.data)?;
            messages::attribute(&attribute.name, &attribute.ty, &attribute.shape, &data)
        });
        made.map_err(|e| e.within(&format!("attribute {}", name())))
    }

    /// Appends the heap collections at the end, and resolves references to them.
    fn finish(mut self, space: FileSpace) -> Result<Front> {
        let collections = std::mem::take(&mut self.heap).finish()?;
        let base = START + self.part.begin(START, collections.len())?;
        self.part.append(&collections);
        let (extension, page_size_at) = self.extension(space)?;
        let Self {
            plan,
            mut part,
            addresses,
            data,
            ..
        } = self;
        part.fill(0, |hole| match hole {
            Hole::Object(ObjectId(n)) => {
                let known = usize::try_from(n).ok().and_then(|n| addresses.get(n));
                Ok(Some(
                    *known.ok_or_else(|| argument("a reference to no object"))?,
                ))
            }
            Hole::Heap(place) => Ok(Some(base + place)),
            Hole::Own(_) => Ok(None),
        })?;
        let root = match plan.objects.first() {
            Some(PlannedObject::Group(_)) => addresses.first().copied(),
            Some(PlannedObject::Dataset(_) | PlannedObject::Datatype(_)) | None => None,
        };
        let root = root.ok_or_else(|| argument("the first object is not the root group"))?;
        Ok(Front {
            part,
            root,
            data,
            extension,
            page_size_at,
        })
    }

    /// Appends the superblock extension, if the file has one. Returns its address and the page size offset.
    fn extension(&mut self, space: FileSpace) -> Result<(Option<u64>, Option<usize>)> {
        if space == FileSpace::Mixed {
            return Ok((None, None));
        }
        let mut own = MetadataPart::default();
        let size_at = extension(&mut own, self.pages.is_some())?;
        let at = self.part.begin(START, own.len())?;
        self.part.append(&own);
        let start = exact(at).index()?;
        Ok((Some(START + at), size_at.map(|size_at| start + size_at)))
    }
}

/// The message of a committed datatype.
fn committed(datatype: &Datatype) -> Result<WrittenMessage> {
    let mut body = MetadataPart::default();
    datatype.write(&mut body.sink)?;
    Ok(WrittenMessage::new(
        message::DATATYPE,
        CONSTANT | NOT_SHARED,
        body,
    ))
}
