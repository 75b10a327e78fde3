//! Shortcuts for types, attributes and datasets.

use netcdf_core::format::hdf5::datatype::{
    Charset, Datatype, Endianness, FloatFields, Member, Padding, ReferenceTarget, TypeClass,
    ValueBits,
};
use netcdf_core::format::hdf5::message::fill::{Allocate, FillMessage, FillValue, Write};
use netcdf_core::format::hdf5::write::{
    FilePlan, HardLink, ObjectId, Payload, PlannedAttribute, PlannedData, PlannedDataset,
    PlannedGroup, PlannedObject, PlannedShape, PlannedType,
};

/// Returns a type with a size and a class.
pub fn of(size: u64, class: TypeClass) -> Datatype {
    Datatype {
        size,
        class,
        committed: None,
    }
}

fn bits(order: Endianness, precision: u16) -> ValueBits {
    ValueBits {
        order,
        offset: 0,
        precision,
    }
}

/// Returns a little-endian integer type with `size` bytes.
pub fn int(size: u16, signed: bool) -> Datatype {
    let bits = bits(Endianness::Little, 8 * size);
    of(size.into(), TypeClass::Integer { bits, signed })
}

/// Returns a 32-bit floating-point type.
pub fn float(order: Endianness) -> Datatype {
    let fields = FloatFields {
        sign: 31,
        exponent: (23, 8),
        bias: 127,
        mantissa: (0, 23),
        normalization: 2,
        vax: false,
    };
    let bits = bits(order, 32);
    of(4, TypeClass::Float { bits, fields })
}

/// Returns a text type of fixed length.
pub fn text(len: u64) -> Datatype {
    let (padding, charset) = (Padding::NullTerminated, Charset::Ascii);
    of(len, TypeClass::String { padding, charset })
}

/// Returns a text type of any length.
pub fn string() -> Datatype {
    let charset = Charset::Utf8;
    of(16, TypeClass::VlenString { charset })
}

/// Returns a sequence type of any length.
pub fn vlen(base: Datatype) -> Datatype {
    let base = Box::new(base);
    of(16, TypeClass::Vlen { base })
}

/// Returns an object reference type.
pub fn reference() -> Datatype {
    of(8, TypeClass::Reference(ReferenceTarget::Object))
}

/// Returns an array type.
pub fn array(dims: &[u64], base: Datatype) -> Datatype {
    let size = dims.iter().product::<u64>() * base.size;
    let (dims, base) = (dims.to_vec(), Box::new(base));
    of(size, TypeClass::Array { dims, base })
}

/// Returns a compound type without gaps.
pub fn compound(fields: &[(&str, Datatype)]) -> Datatype {
    let mut size = 0;
    let mut members = vec![];
    for (name, datatype) in fields {
        members.push(Member {
            name: name.as_bytes().to_vec(),
            offset: size,
            datatype: datatype.clone(),
        });
        size += datatype.size;
    }
    of(size, TypeClass::Compound { members })
}

/// Returns bytes without references to fill in.
pub fn plain(bytes: &[u8]) -> Payload {
    Payload {
        bytes: bytes.to_vec(),
        ..Payload::default()
    }
}

/// Returns texts, each as a heap object; `None` for no object.
pub fn strings(all: &[Option<&str>]) -> Payload {
    let mut payload = plain(&vec![0; 16 * all.len()]);
    for (n, text) in all.iter().enumerate() {
        if let Some(text) = text {
            let len = u32::try_from(text.len()).unwrap();
            payload.heap.push((16 * n, len, plain(text.as_bytes())));
        }
    }
    payload
}

/// Returns an attribute.
pub fn attribute(name: &str, ty: Datatype, shape: PlannedShape, data: Payload) -> PlannedAttribute {
    PlannedAttribute {
        name: name.as_bytes().to_vec(),
        ty: PlannedType::Here(ty),
        shape,
        data,
    }
}

/// Returns an attribute of numbers.
pub fn ints(name: &str, all: &[i32]) -> PlannedAttribute {
    let bytes: Vec<u8> = all.iter().flat_map(|n| n.to_le_bytes()).collect();
    let shape = PlannedShape::Simple(vec![all.len() as u64]);
    attribute(name, int(4, true), shape, plain(&bytes))
}

/// Returns a dataset without attributes and filters, with the default fill value.
pub fn dataset(ty: Datatype, lens: &[u64], place: PlannedData) -> PlannedDataset {
    let allocate = match &place {
        PlannedData::Compact => Allocate::Early,
        PlannedData::Contiguous => Allocate::Late,
        PlannedData::Chunked(_) => Allocate::Incremental,
    };
    PlannedDataset {
        ty: PlannedType::Here(ty),
        shape: match lens {
            [] => PlannedShape::Scalar,
            _ => PlannedShape::Simple(lens.to_vec()),
        },
        max: None,
        fill: FillMessage {
            allocate: Some(allocate),
            write: Some(Write::IfSet),
            value: FillValue::Default,
        },
        fill_heap: None,
        place,
        filters: vec![],
        attributes: vec![],
    }
}

/// Returns a plan with an empty root group.
pub fn plan() -> FilePlan {
    FilePlan {
        objects: vec![PlannedObject::Group(PlannedGroup::default())],
    }
}

/// Adds an object under a name to a group.
pub fn add(plan: &mut FilePlan, group: ObjectId, name: &str, object: PlannedObject) -> ObjectId {
    let to = ObjectId(u32::try_from(plan.objects.len()).unwrap());
    plan.objects.push(object);
    link(plan, group, name, to);
    to
}

/// Adds a link.
pub fn link(plan: &mut FilePlan, group: ObjectId, name: &str, to: ObjectId) {
    let name = name.as_bytes().to_vec();
    self::group(plan, group).links.push(HardLink { name, to });
}

/// Returns a group of a plan.
pub fn group(plan: &mut FilePlan, id: ObjectId) -> &mut PlannedGroup {
    match &mut plan.objects[id.0 as usize] {
        PlannedObject::Group(group) => group,
        PlannedObject::Dataset(_) | PlannedObject::Datatype(_) => panic!("no group"),
    }
}

/// Adds a dataset to the root group.
pub fn add_dataset(plan: &mut FilePlan, name: &str, dataset: PlannedDataset) -> ObjectId {
    add(
        plan,
        ObjectId::ROOT,
        name,
        PlannedObject::Dataset(Box::new(dataset)),
    )
}
