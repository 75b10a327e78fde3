//! An in-memory dataset with one variable of any shape, with any chunks, filters and gaps.

use super::*;
use crate::chunk::elements;
use crate::model::{DataType, Endianness, Field, TypeKind};
use crate::testing::{coordinates, field, row_major};

/// The properties of the variable.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    pub(super) dims: Vec<u64>,
    pub(super) extent: Vec<u64>,
    pub(super) chunk: Vec<u64>,
    /// The element size in bytes: 1 `byte`, 2 `short`, 8 `double`, 3 opaque, 5 a compound.
    pub(super) size: u64,
    /// The number of filters.
    pub(super) filters: u32,
    /// The seed that selects missing chunks and skipped filters.
    pub(super) seed: u64,
    /// Whether the reader assembles the elements.
    pub(super) assembled: bool,
}

pub(super) struct TestVariable {
    pub(super) shape: Shape,
    pub(super) dataset: MemoryDataset,
    /// The stored form of the fill value.
    fill: Vec<u8>,
}

fn hash(n: u64) -> u64 {
    let n = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (n ^ (n >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32
}

impl Shape {
    fn is_missing(&self, chunk: u64) -> bool {
        !self.assembled && hash(self.seed ^ (chunk + 1)).is_multiple_of(4)
    }

    /// Returns the filter mask of a stored chunk.
    fn mask(&self, chunk: u64) -> Option<u32> {
        let mask = (hash(self.seed ^ chunk ^ 77) % 4) as u32;
        (!self.is_missing(chunk)).then_some(mask)
    }

    fn element(&self, at: &[u64]) -> Vec<u8> {
        let n = hash(row_major(at, &self.dims).unwrap_or(u64::MAX) ^ 5);
        (0..self.size).map(|b| (n >> (b % 4)) as u8).collect()
    }

    fn is_stored(&self, at: &[u64]) -> bool {
        let lines = self.extent.iter().zip(&self.chunk);
        let grid: Vec<u64> = lines.map(|(n, chunk)| n.div_ceil(*chunk)).collect();
        let chunk: Vec<u64> = at.iter().zip(&self.chunk).map(|(i, c)| i / c).collect();
        let inside = row_major(at, &self.extent).is_some();
        inside && !self.is_missing(row_major(&chunk, &grid).unwrap())
    }

    /// Returns the elements of a region, computed one by one.
    fn model(&self, fill: &[u8], region: &Region) -> Vec<u8> {
        let one = |at: Vec<u64>| {
            let lines = region.start.iter().zip(&region.stride).zip(at);
            let at: Vec<u64> = lines.map(|((s, stride), i)| s + i * stride).collect();
            match self.is_stored(&at) {
                true => self.element(&at),
                false => fill.to_vec(),
            }
        };
        let count = Block::whole(&region.count);
        coordinates(&count).flat_map(one).collect()
    }
}

/// A type, its fill value if that is not the default, and the stored form of the fill value.
type Type = (DataType, Option<Values>, Vec<u8>);

fn define_type(made: &mut MemoryDataset, size: u64) -> Type {
    let atomic = match size {
        1 => Atomic::Byte,
        2 => Atomic::Short,
        8 => Atomic::Double,
        3 => return define_opaque(made),
        _ => return define_compound(made),
    };
    let mut fill = vec![];
    elements::encode(&atomic.default_fill(), Endianness::Little, &mut fill).unwrap();
    (atomic.into(), None, fill)
}

fn define_opaque(made: &mut MemoryDataset) -> Type {
    let (size, bytes) = (3, vec![7, 8, 9]);
    let ty = made.user(GroupId::ROOT, "t", TypeKind::Opaque { size: 3 });
    let fill = bytes.clone();
    let values = Values::Opaque { ty, size, bytes };
    (DataType::User(ty), Some(values), fill)
}

fn define_compound(made: &mut MemoryDataset) -> Type {
    let at = |name, ty: Atomic, offset| Field {
        offset,
        ..field(name, ty, &[])
    };
    let fields = vec![at("a", Atomic::Short, 1), at("b", Atomic::Byte, 4)];
    let kind = TypeKind::Compound { fields, size: 5 };
    let ty = made.user(GroupId::ROOT, "t", kind);
    let columns = vec![Values::Short(vec![0x0102]), Values::Byte(vec![5])];
    let len = 1;
    let values = Values::Compound { ty, len, columns };
    (DataType::User(ty), Some(values), vec![0, 2, 1, 0, 5])
}

impl TestVariable {
    pub(super) fn new(shape: Shape) -> Self {
        let mut dataset = MemoryDataset::new(Kind::NETCDF4);
        dataset.source = Some("made");
        let dims = dataset.dims(&shape.dims);
        let (ty, value, fill) = define_type(&mut dataset, shape.size);
        let var = dataset.define((GroupId::ROOT, "v"), ty, &dims);
        if let Some(value) = value {
            dataset.attribute(var, "_FillValue", value);
        }
        let layout = dataset.layout_mut(var);
        layout.extent.clone_from(&shape.extent);
        layout.chunk.clone_from(&shape.chunk);
        layout.element.size = shape.size;
        layout.filters = (0..shape.filters).map(|n| add_filter(n + 3)).collect();
        if shape.assembled {
            let (shape, fill) = (shape.clone(), fill.clone());
            dataset.assemble(var, move |part| shape.model(&fill, &part.region()));
        } else {
            dataset.store(var, |chunk| shape.mask(chunk), |at| shape.element(at));
        }
        Self {
            shape,
            dataset,
            fill,
        }
    }

    pub(super) fn layout(&self) -> Layout {
        self.dataset.layout(VarId(0)).unwrap()
    }

    /// Returns the elements of a region, computed one by one.
    pub(super) fn model(&self, region: &Region) -> Vec<u8> {
        self.shape.model(&self.fill, region)
    }

    /// Returns true if any element of a box is stored.
    pub(super) fn has_any(&self, part: &Region) -> bool {
        coordinates(&Block::of(part)).any(|at| self.shape.is_stored(&at))
    }

    /// Returns the largest number of requests for one location.
    pub(super) fn most_asked(&self) -> u64 {
        let counts = self.dataset.take_counts();
        let all = counts.fetched.values().chain(counts.assembled.values());
        all.max().copied().unwrap_or(0)
    }
}
