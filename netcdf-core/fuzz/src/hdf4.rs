//! HDF4: whole files, and their structures one by one.

use netcdf_core::bytes::Cursor;
use netcdf_core::chunk::scatter::Block;
use netcdf_core::env::{Damage, Env};
use netcdf_core::format::hdf4::chunk_table::ChunkTable;
use netcdf_core::format::hdf4::dd::{Descriptor, MAGIC, TagRef};
use netcdf_core::format::hdf4::dimension_record::DimensionRecord;
use netcdf_core::format::hdf4::file::Hdf4File;
use netcdf_core::format::hdf4::ntype::Hdf4NumberType;
use netcdf_core::format::hdf4::special::SpecialData;
use netcdf_core::format::hdf4::sds_data::{Data, SdsData};
use netcdf_core::format::hdf4::tags;
use netcdf_core::format::hdf4::vdata::Vdata;
use netcdf_core::format::hdf4::vgroup::Vgroup;
use netcdf_core::io::Container;
use netcdf_core::io::siblings::SiblingAccess;
use netcdf_core::model::VarId;
use netcdf_core::{Error, ErrorKind, format};

use crate::{env, limits, source, variables};

/// Maximum bytes of a file.
const MOST: usize = 1 << 16;
/// Maximum number of elements per tag.
const ELEMENTS: usize = 8;
/// Tags of elements.
const TAGS: [u16; 12] = [
    tags::LINKED,
    tags::COMPRESSED,
    tags::CHUNK,
    tags::NUMBER_TYPE,
    tags::SCIENTIFIC_DATA_GROUP,
    tags::DIMENSION_RECORD,
    tags::DATA,
    tags::SCALES,
    tags::NUMERIC_DATA_GROUP,
    tags::VDATA_HEADER,
    tags::VDATA,
    tags::VGROUP,
];

/// A whole file: opens it, and reads the start of all variables. Damage is tolerated, and each
/// error reports its location. If the first byte is even, a file follows, otherwise a list of
/// [`elements`].
pub fn hdf4(input: &[u8]) {
    let Some((form, rest)) = input.split_first() else {
        return;
    };
    let file = match form & 1 {
        0 => signed(rest),
        _ => elements(rest),
    };
    if file.len() > MOST {
        return;
    }
    let env = Env {
        damage: Damage::tolerated(),
        ..env()
    };
    let errors = match format::open(Container::Source(source(&file)), &env) {
        Ok(reader) => variables(&*reader, &env, u64::MAX),
        Err(e) => vec![e],
    };
    errors.iter().chain(&env.damage.take()).for_each(check);
    let _ = env.notes.take();
}

/// The allowed errors.
fn check(e: &Error) {
    let kinds = [ErrorKind::Argument, ErrorKind::Internal];
    assert!(!kinds.contains(&e.kind()), "{e}");
    assert!(e.resource().is_some() || e.object().is_some(), "{e}");
}

/// Returns a file with the signature and these bytes.
fn signed(bytes: &[u8]) -> Vec<u8> {
    let rest = bytes.get(MAGIC.len()..).unwrap_or_default();
    [&MAGIC, rest].concat()
}

/// Returns a file of elements. Each element is a tag, a reference number, a length (two bytes
/// each), and its bytes.
fn elements(mut input: &[u8]) -> Vec<u8> {
    let mut parts = vec![];
    while let Some((&[t, r, q, s, high, low], rest)) = input.split_first_chunk() {
        let len = usize::from(u16::from_be_bytes([high, low]));
        let (bytes, rest) = rest.split_at(len.min(rest.len()));
        parts.push(([t, r, q, s], bytes));
        input = rest;
    }
    let mut file = MAGIC.to_vec();
    file.extend((parts.len() as u16).to_be_bytes());
    file.extend([0; 4]);
    let mut at = file.len() + 12 * parts.len();
    for (id, bytes) in &parts {
        file.extend(id);
        file.extend((at as u32).to_be_bytes());
        file.extend((bytes.len() as u32).to_be_bytes());
        at += bytes.len();
    }
    for (_, bytes) in parts {
        file.extend(bytes);
    }
    file
}

/// The structures of a file, with or without references to them: descriptors, special elements,
/// tables of chunks and of blocks, Vgroups, Vdatas, number types and dimension records.
pub fn hdf4_structures(input: &[u8]) {
    let image = signed(input);
    if image.len() > MOST {
        return;
    }
    let Ok(file) = Hdf4File::open(source(&image), &limits(), &SiblingAccess::default()) else {
        return;
    };
    for tag in TAGS {
        for descriptor in file.descriptors().with(tag).take(ELEMENTS) {
            element(&file, descriptor);
        }
    }
}

fn element(file: &Hdf4File, descriptor: &Descriptor) {
    let id = descriptor.id;
    if descriptor.special {
        special(file, id);
    }
    let Some(Ok(bytes)) = file.read(&[id]).ok().and_then(|mut read| read.pop()) else {
        return;
    };
    let mut c = Cursor::new(&bytes, file.source().name(), descriptor.range.start);
    match id.tag {
        tags::NUMBER_TYPE => drop(Hdf4NumberType::parse(&bytes)),
        tags::DIMENSION_RECORD => drop(DimensionRecord::parse(&mut c, file)),
        tags::VGROUP => drop(Vgroup::parse(&mut c)),
        tags::VDATA_HEADER => vdata(file, id, &mut c),
        _ => {}
    }
}

/// The fields of a Vdata.
fn vdata(file: &Hdf4File, id: TagRef, header: &mut Cursor<'_>) {
    let Ok(vdata) = Vdata::parse(header) else {
        return;
    };
    let records = TagRef::new(tags::VDATA, id.reference);
    let Some(Ok(bytes)) = file.read(&[records]).ok().and_then(|mut read| read.pop()) else {
        return;
    };
    for field in 0..4 {
        if let Ok(column) = vdata.column(field, &bytes) {
            let _ = column.values().count();
        }
    }
}

/// A special element: the location of its bytes, or its table of chunks.
fn special(file: &Hdf4File, id: TagRef) {
    if let Ok(place) = file.place(id)
        && let Some(object) = file.object(place.object)
    {
        let start = place.range.start;
        let mut bytes = [0; 64];
        let len = (place.range.end - start).min(bytes.len() as u64) as usize;
        let _ = object.read_at(start, &mut bytes[..len]);
    }
    let Some(Ok(Some(SpecialData::Chunked(chunked)))) =
        file.specials(&[id]).ok().and_then(|mut all| all.pop())
    else {
        return;
    };
    let shape = chunked.shape.clone();
    let code = 20 + 2 * (chunked.element as u16 / 2 % 4);
    let Ok(ty) = Hdf4NumberType::of_code(code) else {
        return;
    };
    let data = Data::Chunked(chunked.clone());
    if data.check(&shape, ty).is_err() {
        return;
    }
    let fill = ty.unwritten();
    let layout = SdsData { ty, fill, data }.layout(&shape);
    if let Ok(table) = ChunkTable::read(file, VarId(0), &chunked, &layout) {
        let grid = layout.grid();
        let start = grid.iter().map(|n| n / 2).collect();
        let count = vec![4; grid.len()];
        let _ = table.visit(&layout, &Block { start, count }, &mut |_| Ok(()));
    }
}
