//! A dataset with one variable, in memory, of any shape, chunks, filters and gaps.

use crate::env::Env;
use std::collections::BTreeMap;
use std::sync::Mutex;

use super::*;
use crate::io::memory::MemorySource;
use crate::model::{Attribute, DataType, Field, TypeKind, UserType};

/// The properties of the variable.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    pub(super) dims: Vec<u64>,
    pub(super) extent: Vec<u64>,
    pub(super) chunk: Vec<u64>,
    /// Bytes of an element: 1 `byte`, 2 `short`, 8 `double`, 3 opaque, 5 a compound.
    pub(super) size: u64,
    /// Number of filters.
    pub(super) filters: u32,
    /// Decides which chunks are missing, and which filters are skipped.
    pub(super) seed: u64,
    /// The reader makes the elements itself.
    pub(super) assembled: bool,
}

pub(super) struct Made {
    pub(super) shape: Shape,
    schema: Schema,
    refs: BTreeMap<u64, ChunkRef>,
    pub(super) source: Arc<dyn Source>,
    /// How often each chunk, or each element made by the reader, was asked for.
    pub(super) asked: Mutex<BTreeMap<u64, u64>>,
}

fn hash(n: u64) -> u64 {
    let n = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (n ^ (n >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32
}

fn row_major(at: &[u64], dims: &[u64]) -> u64 {
    at.iter().zip(dims).fold(0, |n, (i, len)| n * len + i)
}

/// All indices of a box, row-major.
pub(super) fn indices(count: &[u64]) -> Vec<Vec<u64>> {
    count.iter().fold(vec![vec![]], |all, &n| {
        let one = |at: Vec<u64>| (0..n).map(move |i| [&at[..], &[i]].concat());
        all.into_iter().flat_map(one).collect()
    })
}

impl Shape {
    fn layout(&self, ty: DataType) -> Layout {
        let spec = |n| FilterSpec {
            id: 300,
            params: vec![n + 3],
        };
        Layout {
            extent: self.extent.clone(),
            chunk: self.chunk.clone(),
            element: Element {
                ty,
                size: self.size,
                order: Endianness::Little,
                plain: ty.atomic().is_some(),
            },
            fill: None,
            filters: (0..self.filters).map(spec).collect(),
            quantize: None,
        }
    }

    fn is_missing(&self, chunk: u64) -> bool {
        !self.assembled && hash(self.seed ^ (chunk + 1)).is_multiple_of(4)
    }

    fn mask(&self, chunk: u64) -> u32 {
        (hash(self.seed ^ chunk ^ 77) % 4) as u32
    }

    fn element(&self, at: &[u64]) -> Vec<u8> {
        let n = hash(row_major(at, &self.dims) ^ 5);
        (0..self.size).map(|b| (n >> (b % 4)) as u8).collect()
    }

    /// The type, and the bytes of its fill value.
    fn add_type(&self, schema: &mut Schema) -> (DataType, Option<Attribute>, Vec<u8>) {
        let atomic = match self.size {
            1 => Atomic::Byte,
            2 => Atomic::Short,
            8 => Atomic::Double,
            _ => return self.add_user_type(schema),
        };
        let mut fill = vec![];
        elements::encode(&atomic.default_fill(), Endianness::Little, &mut fill).unwrap();
        (atomic.into(), None, fill)
    }

    fn add_user_type(&self, schema: &mut Schema) -> (DataType, Option<Attribute>, Vec<u8>) {
        let field = |name: &[u8], ty: Atomic, offset| Field {
            name: Name::stored(name),
            ty: ty.into(),
            dims: vec![],
            offset,
        };
        let fields = vec![field(b"a", Atomic::Short, 1), field(b"b", Atomic::Byte, 4)];
        let kind = match self.size {
            3 => TypeKind::Opaque { size: 3 },
            size => TypeKind::Compound { fields, size },
        };
        let ty = schema.add_type(UserType {
            name: Name::stored(b"t"),
            group: GroupId::ROOT,
            kind,
        });
        let (values, bytes) = match self.size {
            3 => {
                let bytes = vec![7, 8, 9];
                (Values::Opaque { ty, size: 3, bytes }, vec![7, 8, 9])
            }
            _ => {
                let columns = vec![Values::Short(vec![0x0102]), Values::Byte(vec![5])];
                let len = 1;
                (Values::Compound { ty, len, columns }, vec![0, 2, 1, 0, 5])
            }
        };
        let fill = Attribute {
            name: Name::stored(b"_FillValue"),
            ty: DataType::User(ty),
            values,
        };
        (DataType::User(ty), Some(fill), bytes)
    }
}

impl Made {
    pub(super) fn new(shape: Shape) -> Self {
        let mut schema = Schema::new(Kind::NETCDF4);
        let group = GroupId::ROOT;
        let dim = |&len: &u64| {
            schema.add_dim(Dimension {
                name: Name::stored(b"d"),
                group,
                len,
                unlimited: false,
            })
        };
        let dims = shape.dims.iter().map(dim).collect();
        let (ty, fill, _) = shape.add_type(&mut schema);
        schema.add_var(Variable {
            name: Name::stored(b"v"),
            group,
            ty,
            dims,
            attributes: fill.into_iter().collect(),
            storage: Storage::default(),
        });
        let (bytes, refs) = Self::store(&shape, &shape.layout(ty));
        Self {
            shape,
            schema,
            refs,
            source: Arc::new(MemorySource::new("made", bytes)),
            asked: Mutex::default(),
        }
    }

    fn store(shape: &Shape, layout: &Layout) -> (Vec<u8>, BTreeMap<u64, ChunkRef>) {
        let (mut file, mut refs) = (vec![1, 2, 3], BTreeMap::new());
        for index in 0..layout.grid().iter().product() {
            if shape.is_missing(index) || shape.assembled {
                continue;
            }
            let block = layout.block(index);
            let mask = shape.mask(index);
            let start = file.len() as u64;
            for at in indices(&block.count) {
                let at: Vec<u64> = at.iter().zip(&block.start).map(|(a, b)| a + b).collect();
                for byte in shape.element(&at) {
                    let add = |n: usize, f: &FilterSpec| match mask >> n & 1 {
                        0 => f.params[0] as u8,
                        _ => 0,
                    };
                    let adds = layout.filters.iter().enumerate().map(|(n, f)| add(n, f));
                    file.push(byte.wrapping_add(adds.sum::<u8>()));
                }
            }
            let range = start..file.len() as u64;
            let object = 0;
            refs.insert(
                index,
                ChunkRef {
                    index,
                    object,
                    range,
                    mask,
                },
            );
        }
        (file, refs)
    }

    /// The elements of a region, one by one.
    pub(super) fn model(&self, region: &Region) -> Vec<u8> {
        let (_, _, fill) = self.shape.add_type(&mut Schema::new(Kind::NETCDF4));
        let layout = self.layout(VarId(0)).unwrap();
        let mut out = vec![];
        for at in indices(&region.count) {
            let lines = region.start.iter().zip(&region.stride).zip(at);
            let at: Vec<u64> = lines.map(|((s, stride), i)| s + i * stride).collect();
            let inside = at.iter().zip(&layout.extent).all(|(i, n)| i < n);
            let chunk: Vec<u64> = at.iter().zip(&layout.chunk).map(|(i, c)| i / c).collect();
            let chunk = row_major(&chunk, &layout.grid());
            if inside && !self.shape.is_missing(chunk) {
                out.extend(self.shape.element(&at));
            } else {
                out.extend(&fill);
            }
        }
        out
    }

    /// True if any of the elements of a box is stored.
    pub(super) fn has_any(&self, part: &Region) -> bool {
        let layout = self.layout(VarId(0)).unwrap();
        indices(&part.count).iter().any(|at| {
            let at: Vec<u64> = at.iter().zip(&part.start).map(|(a, b)| a + b).collect();
            let chunk: Vec<u64> = at.iter().zip(&layout.chunk).map(|(i, c)| i / c).collect();
            let inside = at.iter().zip(&layout.extent).all(|(i, n)| i < n);
            inside && !self.shape.is_missing(row_major(&chunk, &layout.grid()))
        })
    }

    /// The largest count of requests for one place.
    pub(super) fn most_asked(&self) -> u64 {
        let asked = std::mem::take(&mut *self.asked.lock().unwrap());
        asked.into_values().max().unwrap_or(0)
    }

    fn ask(&self, what: u64) {
        *self.asked.lock().unwrap().entry(what).or_default() += 1;
    }
}

impl Reader for Made {
    fn schema(&self) -> &Schema {
        &self.schema
    }
    fn provenance(&self) -> Provenance {
        Provenance::default()
    }
    fn layout(&self, var: VarId) -> Result<Layout> {
        Ok(self.shape.layout(self.schema.var(var).unwrap().ty))
    }
    fn locate(
        &self,
        var: VarId,
        chunks: &Block,
        visit: &mut dyn FnMut(ChunkRef) -> Result<()>,
    ) -> Result<()> {
        assert!(!self.shape.assembled);
        let grid = self.layout(var)?.grid();
        for at in indices(&chunks.count) {
            let at: Vec<u64> = at.iter().zip(&chunks.start).map(|(a, b)| a + b).collect();
            assert!(at.iter().zip(&grid).all(|(i, n)| i < n));
            if let Some(chunk) = self.refs.get(&row_major(&at, &grid)) {
                visit(chunk.clone())?;
            }
        }
        Ok(())
    }
    fn fetch(&self, chunks: &[ChunkRef]) -> Result<Vec<Vec<u8>>> {
        chunks.iter().for_each(|c| self.ask(c.range.start));
        let ranges: Vec<_> = chunks.iter().map(|c| c.range.clone()).collect();
        self.source.read_ranges(&ranges)
    }
    fn object(&self, object: u32) -> Option<&Arc<dyn Source>> {
        (object == 0).then_some(&self.source)
    }
    fn resolve(&self, _: VarId, _: &[u8], _: &Env) -> Result<Values> {
        unimplemented!()
    }
    fn assembles(&self, _: VarId) -> bool {
        self.shape.assembled
    }
    fn read_box(&self, _: VarId, part: &Block, _: &Env) -> Result<Vec<u8>> {
        assert!(self.shape.assembled);
        for at in indices(&part.count) {
            let at: Vec<u64> = at.iter().zip(&part.start).map(|(a, b)| a + b).collect();
            self.ask(row_major(&at, &self.shape.dims));
        }
        Ok(self.model(&Region::boxed(part.start.clone(), part.count.clone())))
    }
}
