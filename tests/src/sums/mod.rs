//! The datasets of an HDF5 file and checksums of their bytes, read only by the HDF5 layer and the chunk layer. Virtual datasets are the
//! exception: the netCDF-4 layer finds their sources.
//!
//! Each object is listed once, under the name that sorts first:
//!
//! | line (fields between tabs) | contents |
//! |---|---|
//! | `A` path count | the attributes of an object |
//! | `D` path sum bytes | a dataset: FNV-1a-64 of its elements, in the byte order of the file |
//! | `V` path | a dataset with heap data: text and lists of any length, references |
//! | `N` path | a dataset without elements, or with more bytes than are summed |
//! | `E` path text | an object that cannot be read |
//! | `F` text | a file that cannot be read |

mod reader;
mod walk;

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use netcdf_core::chunk::{Dataset, Reader};
use netcdf_core::env::Env;
use netcdf_core::format::hdf5::datatype::{Datatype, TypeClass};
use netcdf_core::format::hdf5::message::layout::DataLayout;
use netcdf_core::format::hdf5::{Hdf5File, ObjectHeader, dataset, dataspace};
use netcdf_core::io::{Container, locator};
use netcdf_core::model::{Region, VarId};
use netcdf_core::{Error, ErrorKind, Result, format};

use reader::Raw;

/// Maximum bytes of a dataset with a sum.
const MOST: u64 = 2_000_000_000;
/// Bytes read at a time.
const SLAB: u64 = 64 << 20;

/// Writes the lines of a file.
///
/// # Errors
/// Returns errors of writing. Problems of the file itself become lines.
pub fn list(path: &Path, out: &mut dyn Write) -> io::Result<()> {
    let env = Env::with_threads(std::num::NonZeroU16::new(1));
    match open(path, &env) {
        Ok(file) => walk::objects(path, &file, &env, out),
        Err(e) => writeln!(out, "F\t{e}"),
    }
}

fn open(path: &Path, env: &Env) -> Result<Arc<Hdf5File>> {
    match locator::input(&locator::Location::of_path(path), &mut io::empty())? {
        Container::Source(source) => Ok(Arc::new(Hdf5File::open(source, &env.limits)?)),
        Container::Store(store) => unreachable!("a path is a file: {}", store.name()),
    }
}

/// Returns the class of a dataset, and the remainder of its line. `at` has the paths of the file and of the dataset.
fn dataset(
    at: (&Path, &str),
    file: &Arc<Hdf5File>,
    header: &ObjectHeader,
    env: &Env,
) -> Result<(char, String)> {
    let dataset = dataset::Hdf5Dataset::read(file, header)?;
    let space = &dataset.dataspace;
    if space.class == dataspace::DataspaceClass::Null {
        return Ok(('N', String::new()));
    }
    if has_parts_elsewhere(&dataset.datatype) {
        return Ok(('V', String::new()));
    }
    let bytes = space.elements();
    let bytes = bytes.and_then(|n| n.checked_mul(dataset.datatype.size));
    let Some(bytes) = bytes.filter(|&n| n <= MOST) else {
        return Ok(('N', String::new()));
    };
    let sum = if matches!(dataset.layout, DataLayout::Virtual { .. }) {
        let reader = format::open(
            locator::input(&locator::Location::of_path(at.0), &mut io::empty())?,
            env,
        )?;
        let vars = || reader.schema().var_ids();
        let var = vars().find(|&v| reader.schema().var_path(v) == at.1);
        let var = var.ok_or_else(|| Error::new(ErrorKind::NotFound, "no variable"))?;
        sum(&*reader, var, env)?
    } else {
        let sum = sum(&Raw::new(Arc::clone(file), dataset, env)?, VarId(0), env)?;
        assert_eq!(sum.bytes, bytes, "the slabs are the dataset");
        sum
    };
    Ok(('D', format!("\t{:016x}\t{}", sum.sum, sum.bytes)))
}

/// Returns the sum of a variable's elements in stored form.
fn sum(reader: &dyn Reader, var: VarId, env: &Env) -> Result<Fnv> {
    let set = Dataset::new(reader, env);
    let layout = set.layout(var)?;
    let mut sum = Fnv::default();
    for slab in slabs(&layout.extent, layout.element.size) {
        sum.add(&set.read_stored(var, &layout, &slab)?);
    }
    Ok(sum)
}

/// Returns whether elements refer to data elsewhere.
fn has_parts_elsewhere(datatype: &Datatype) -> bool {
    match &datatype.class {
        TypeClass::Vlen { .. } | TypeClass::VlenString { .. } | TypeClass::Reference(_) => true,
        TypeClass::Compound { members } => members.iter().any(|m| has_parts_elsewhere(&m.datatype)),
        TypeClass::Array { base, .. }
        | TypeClass::Enum { base, .. }
        | TypeClass::Complex { base } => has_parts_elsewhere(base),
        TypeClass::Integer { .. } | TypeClass::Float { .. } | TypeClass::Bitfield { .. } => false,
        TypeClass::Time | TypeClass::String { .. } | TypeClass::Opaque { .. } => false,
    }
}

/// Returns a dataset in slabs of about [`SLAB`] bytes, in row-major order.
fn slabs(shape: &[u64], size: u64) -> Vec<Region> {
    let mut slabs = vec![];
    cut(Region::whole(shape), 0, size, &mut slabs);
    slabs
}

fn cut(region: Region, dim: usize, size: u64, slabs: &mut Vec<Region>) {
    let bytes = region.elements().unwrap_or(u64::MAX).saturating_mul(size);
    let Some(&len) = region.count.get(dim).filter(|_| bytes > SLAB) else {
        slabs.push(region);
        return;
    };
    let step = (SLAB / (bytes / len).max(1)).max(1);
    for start in (0..len).step_by(usize::try_from(step).unwrap()) {
        let mut part = region.clone();
        part.start[dim] = start;
        part.count[dim] = step.min(len - start);
        cut(part, dim + 1, size, slabs);
    }
}

/// The Fowler–Noll–Vo hash FNV-1a with 64 bits.
struct Fnv {
    sum: u64,
    bytes: u64,
}

impl Default for Fnv {
    fn default() -> Self {
        Self {
            sum: 0xcbf2_9ce4_8422_2325,
            bytes: 0,
        }
    }
}

impl Fnv {
    fn add(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.sum = (self.sum ^ u64::from(b)).wrapping_mul(0x100_0000_01b3);
        }
        self.bytes += bytes.len() as u64;
    }
}

/// Returns an error on one line.
fn line(e: &Error) -> String {
    e.to_string().replace(['\n', '\t'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_authors() {
        let mut sum = Fnv::default();
        sum.add(b"foo");
        sum.add(b"bar");
        assert_eq!((sum.sum, sum.bytes), (0x8594_4171_f739_67e8, 6));
    }

    #[test]
    fn slabs_cover_the_dataset_in_order() {
        let shape = [3, 1 << 14, 5000];
        let slabs = slabs(&shape, 1);
        assert!(slabs.len() > 3);
        let mut next = 0;
        for slab in slabs {
            let at = (slab.start[0] * shape[1] + slab.start[1]) * shape[2] + slab.start[2];
            assert_eq!(at, next);
            next += slab.elements().unwrap();
        }
        assert_eq!(next, shape.iter().product::<u64>());
    }
}
