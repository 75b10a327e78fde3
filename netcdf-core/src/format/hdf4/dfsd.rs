//! Datasets of files without Vgroups, as written by the older DFSD interface: numeric data groups (NDG), and their predecessors, scientific
//! data groups (SDG).
//!
//! Names follow libhdf4: `Data-Set-` with the reference number of the group, and `fakeDim` with a running number for dimensions. Each
//! dimension has a variable with its scale. libhdf4 omits the variable if the dimension has a label, a unit or a format, but no scale. This
//! module keeps the variable, with these texts as attributes.

use std::collections::BTreeSet;

use super::annotations::Annotations;
use super::builder::{Builder, Hdf4Length, NewAttribute, NewVariable};
use super::dd::TagRef;
use super::dimension_record::DimensionRecord;
use super::elements::NamedElements;
use super::file::Hdf4File;
use super::ntype::Hdf4NumberType;
use super::predefined::{self, PredefinedStrings};
use super::sds_data::{ByteRun, Data};
use super::tags;
use crate::bytes::Cursor;
use crate::error::{Error, ErrorKind, Result};
use crate::io::source::read_range;
use crate::model::DimId;

/// A group and its contents.
struct DfsdGroup {
    id: TagRef,
    members: Vec<TagRef>,
}

/// Bytes of a dimension in a record: its length, and the identifier of the scale's number type.
const DIMENSION: u64 = 8;
/// Maximum number of group dimensions in a small file. Groups can share records.
const DIMENSIONS: u64 = 1 << 16;

/// Tags of small elements that are read completely.
const SMALL: [u16; 8] = [
    tags::DIMENSION_RECORD,
    tags::LABELS,
    tags::UNITS,
    tags::FORMATS,
    tags::MAX_MIN,
    tags::COORDINATE_SYSTEM,
    tags::CALIBRATION,
    tags::LINK,
];

/// Defines all datasets.
///
/// # Errors
/// Returns read errors, and damage errors unless the settings tolerate damage.
pub(super) fn build(builder: &mut Builder<'_>, file: &Hdf4File) -> Result<()> {
    let groups = groups(builder, file)?;
    let members = groups.iter().flat_map(|group| &group.members);
    let small = members.filter(|m| SMALL.contains(&m.tag)).copied();
    let notes = [tags::DATA_LABEL, tags::DATA_DESCRIPTION];
    let notes = notes.iter().flat_map(|&tag| file.descriptors().with(tag));
    let elements = NamedElements::read(file, small.chain(notes.map(|d| d.id)).collect())?;
    let annotations = Annotations::new(file, &elements);
    let mut dims = 0u64;
    for group in separate(groups, &elements) {
        let parts = DfsdParts::read(builder, file, &elements, &annotations, &group);
        let defined = parts.and_then(|parts| {
            check_dimensions(file, dims, &parts.record)?;
            parts.define(builder, &mut dims)
        });
        let path = format!("/{}", name(group.id));
        defined.or_else(|e| builder.note_unreadable(e, &path))?;
    }
    Ok(())
}

/// Checks that groups do not have far more dimensions than the file has bytes: all groups may share one record.
fn check_dimensions(file: &Hdf4File, before: u64, record: &DimensionRecord) -> Result<()> {
    let most = (file.source().len() / DIMENSION).max(DIMENSIONS);
    let dims = before.saturating_add(record.shape.len() as u64);
    if dims <= most {
        return Ok(());
    }
    let what = format!("dimension {dims} of the file, the limit is {most}");
    Err(Error::new(ErrorKind::Limit, what))
}

fn name(group: TagRef) -> String {
    format!("Data-Set-{}", group.reference)
}

fn ids(file: &Hdf4File) -> impl Iterator<Item = TagRef> {
    let tags = [tags::NUMERIC_DATA_GROUP, tags::SCIENTIFIC_DATA_GROUP];
    let found = tags
        .into_iter()
        .flat_map(|tag| file.descriptors().with(tag));
    found.map(|descriptor| descriptor.id)
}

/// The groups of a file, numeric data groups first.
fn groups(builder: &Builder<'_>, file: &Hdf4File) -> Result<Vec<DfsdGroup>> {
    let mut seen = BTreeSet::new();
    let ids: Vec<TagRef> = ids(file).filter(|&id| seen.insert(id)).collect();
    let mut groups = vec![];
    for (id, bytes) in ids.iter().zip(file.read(&ids)?) {
        let bytes = match bytes {
            Ok(bytes) => bytes,
            Err(e) => {
                builder.note_unreadable(e, &format!("/{}", name(*id)))?;
                continue;
            }
        };
        let member = |four: &[u8]| {
            let &[a, b, c, d] = four.first_chunk()?;
            let (tag, reference) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
            Some(TagRef::new(tag, reference))
        };
        let members = bytes.chunks_exact(4).filter_map(member).collect();
        groups.push(DfsdGroup { id: *id, members });
    }
    Ok(groups)
}

/// Drops scientific data groups that a numeric data group replaces.
fn separate(groups: Vec<DfsdGroup>, elements: &NamedElements) -> Vec<DfsdGroup> {
    let mut same = BTreeSet::new();
    for member in groups.iter().flat_map(|group| &group.members) {
        let link = (member.tag == tags::LINK).then(|| elements.bytes(*member));
        if let Some(&[.., c, d]) = link.and_then(Result::ok).and_then(|b| b.first_chunk::<8>()) {
            same.insert(u16::from_be_bytes([c, d]));
        }
    }
    let old = |group: &DfsdGroup| group.id.tag == tags::SCIENTIFIC_DATA_GROUP;
    let separate = |group: &DfsdGroup| !old(group) || !same.contains(&group.id.reference);
    groups.into_iter().filter(separate).collect()
}

/// The contents of a dataset.
struct DfsdParts<'a> {
    id: TagRef,
    record: DimensionRecord,
    strings: PredefinedStrings<'a>,
    attributes: Vec<NewAttribute>,
    scales: Option<TagRef>,
    /// A flag per dimension: whether the dimension has a scale.
    scaled: Vec<u8>,
    data: Data,
}

impl<'a> DfsdParts<'a> {
    fn read(
        builder: &mut Builder<'_>,
        file: &Hdf4File,
        elements: &'a NamedElements,
        annotations: &Annotations<'_>,
        group: &DfsdGroup,
    ) -> Result<Self> {
        let find = |tag| group.members.iter().rev().find(|m| m.tag == tag).copied();
        let record = find(tags::DIMENSION_RECORD).ok_or_else(|| {
            let what = "a group without dimension lengths";
            Error::new(ErrorKind::Corrupt, what)
        })?;
        let place = file.descriptor(record)?.range.start;
        let bytes = elements.bytes(record)?;
        let mut cursor = Cursor::new(bytes, file.source().name(), place);
        let record = DimensionRecord::parse(&mut cursor, file)?;
        let strings = |tag| match find(tag) {
            Some(id) => elements.bytes(id),
            None => Ok(&[][..]),
        };
        let strings = PredefinedStrings::parse(
            strings(tags::LABELS)?,
            strings(tags::UNITS)?,
            strings(tags::FORMATS)?,
            record.shape.len(),
        );
        let scales = find(tags::SCALES).filter(|&id| file.descriptors().find(id).is_some());
        let scaled = match scales {
            Some(id) => flags(file, id, record.shape.len())?,
            None => vec![],
        };
        let data = find(tags::DATA).filter(|&id| file.descriptors().find(id).is_some());
        let data = match data {
            Some(id) => Data::of(file, &[id])?.pop(),
            None => None,
        };
        Ok(Self {
            id: group.id,
            attributes: attributes(builder, elements, annotations, group, record.ty)?,
            record,
            strings,
            scales,
            scaled,
            data: data.unwrap_or(Ok(Data::Nothing))?,
        })
    }

    fn define(self, builder: &mut Builder<'_>, number: &mut u64) -> Result<()> {
        let mut dims = vec![];
        let mut at = self.record.shape.len() as u64;
        for (n, (&len, &scale)) in self
            .record
            .shape
            .iter()
            .zip(&self.record.scales)
            .enumerate()
        {
            let name = format!("fakeDim{number}");
            *number = number.saturating_add(1);
            let dim = builder.dim(name.as_bytes(), Hdf4Length::Fixed(len));
            dims.push(dim);
            let Some(ty) = scale else {
                continue;
            };
            let data = self.scale(n, ty.size().saturating_mul(len), &mut at);
            let attributes = self.strings.of_dimension(n);
            count(builder, &attributes)?;
            let variable = NewVariable {
                name: name.into_bytes(),
                ty,
                dims: vec![dim],
                attributes,
                data,
            };
            builder.variable(variable)?;
        }
        self.dataset(builder, dims)
    }

    /// The scale of a dimension. Scales are stored consecutively.
    fn scale(&self, dimension: usize, len: u64, at: &mut u64) -> Data {
        match (self.scales, self.scaled.get(dimension)) {
            (Some(id), Some(1..)) if len > 0 => {
                let run = ByteRun {
                    id,
                    at: *at,
                    len,
                    external: false,
                };
                *at = at.saturating_add(len);
                Data::Run(run)
            }
            _ => Data::Nothing,
        }
    }

    fn dataset(self, builder: &mut Builder<'_>, dims: Vec<DimId>) -> Result<()> {
        let strings = self.strings.of_dataset();
        count(builder, &strings)?;
        let mut attributes = self.attributes;
        attributes.extend(strings);
        builder.variable(NewVariable {
            name: name(self.id).into_bytes(),
            ty: self.record.ty,
            dims,
            attributes,
            data: self.data,
        })
    }
}

/// The leading bytes of the element with all scales.
fn flags(file: &Hdf4File, scales: TagRef, rank: usize) -> Result<Vec<u8>> {
    let place = file.place(scales)?;
    let end = place
        .range
        .end
        .min(place.range.start.saturating_add(rank as u64));
    let source = file.object(place.object);
    let source = source.ok_or_else(|| Error::internal("an element of no object"))?;
    read_range(&**source, &(place.range.start..end))
}

/// The attributes before the strings, in libhdf4's order.
fn attributes(
    builder: &mut Builder<'_>,
    elements: &NamedElements,
    annotations: &Annotations<'_>,
    group: &DfsdGroup,
    ty: Hdf4NumberType,
) -> Result<Vec<NewAttribute>> {
    let mut found = vec![];
    let predefined = [tags::COORDINATE_SYSTEM, tags::CALIBRATION, tags::MAX_MIN];
    let members = group.members.iter();
    for member in members.filter(|member| predefined.contains(&member.tag)) {
        let bytes = elements.bytes(*member)?;
        builder.count(bytes.len())?;
        match member.tag {
            tags::CALIBRATION => found.extend(predefined::calibration(bytes)?),
            tags::MAX_MIN => found.extend(predefined::range(bytes, ty)?),
            _ => found.extend(predefined::text("coordsys", bytes)),
        }
    }
    let annotations = annotations.of(group.id);
    count(builder, &annotations)?;
    found.extend(annotations);
    Ok(found)
}

/// Counts the bytes of text attributes.
fn count(builder: &mut Builder<'_>, texts: &[NewAttribute]) -> Result<()> {
    texts
        .iter()
        .try_for_each(|text| builder.count(text.values.len()))
}
