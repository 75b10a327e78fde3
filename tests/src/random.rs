//! Random datasets of the classic kinds.

use netcdf_core::chunk::elements;
use netcdf_core::env::Env;
use netcdf_core::format;
use netcdf_core::io::memory::MemoryTarget;
use netcdf_core::model::{
    Atomic, Attribute, CreateOptions, DimId, Dimension, Endianness, GroupId, Kind, Name, Schema,
    Storage, VarId, Variable,
};
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// The ingredients of a random dataset. Numbers are taken modulo the available choices.
#[derive(Debug, Clone)]
pub struct Seed {
    kind: Kind,
    names: Vec<String>,
    /// Dimension lengths, and whether the first dimension is unlimited.
    dims: (Vec<u64>, bool),
    /// Number of records.
    records: u64,
    vars: Vec<VarSeed>,
    attributes: Vec<ValueSeed>,
}

#[derive(Debug, Clone)]
struct VarSeed {
    ty: Index,
    dims: Vec<Index>,
    attributes: Vec<ValueSeed>,
    bytes: Vec<u8>,
}

#[derive(Debug, Clone)]
struct ValueSeed {
    ty: Index,
    bytes: Vec<u8>,
}

const TYPES: [Atomic; 11] = [
    Atomic::Byte,
    Atomic::Char,
    Atomic::Short,
    Atomic::Int,
    Atomic::Float,
    Atomic::Double,
    Atomic::UByte,
    Atomic::UShort,
    Atomic::UInt,
    Atomic::Int64,
    Atomic::UInt64,
];

/// Names with characters that CDL escapes, keywords, blanks, leading digits, other scripts.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z][a-z0-9_]{0,6}",
        "[A-Za-z0-9_äΩ日😀][ -.0-~éж]{0,8}[!-.0-~ü]",
        select(vec![
            "char",
            "int",
            "data",
            "variables",
            "netcdf",
            "group",
            "NaN",
            "Infinity",
            "1e5",
            "_",
            "nil",
            "string",
            "unlimited",
            "types",
            "ubyte",
            "int64"
        ])
        .prop_map(str::to_owned),
    ]
}

fn value() -> impl Strategy<Value = ValueSeed> {
    (any::<Index>(), prop::collection::vec(any::<u8>(), 0..40))
        .prop_map(|(ty, bytes)| ValueSeed { ty, bytes })
}

fn var() -> impl Strategy<Value = VarSeed> {
    let dims = prop::collection::vec(any::<Index>(), 0..4);
    let attributes = prop::collection::vec(value(), 0..4);
    let bytes = prop::collection::vec(any::<u8>(), 1..64);
    (any::<Index>(), dims, attributes, bytes).prop_map(|(ty, dims, attributes, bytes)| VarSeed {
        ty,
        dims,
        attributes,
        bytes,
    })
}

/// Returns a strategy for random datasets.
pub fn seed() -> impl Strategy<Value = Seed> {
    let kind = select(vec![Kind::CLASSIC, Kind::OFFSET64, Kind::CDF5]);
    let names = prop::collection::hash_set(name(), 24).prop_map(|names| {
        let mut names: Vec<_> = names.into_iter().collect();
        names.sort();
        names
    });
    let dims = (prop::collection::vec(1..5_u64, 0..4), any::<bool>());
    let vars = prop::collection::vec(var(), 0..5);
    let attributes = prop::collection::vec(value(), 0..4);
    (kind, names, dims, 0..4_u64, vars, attributes).prop_map(
        |(kind, names, dims, records, vars, attributes)| Seed {
            kind,
            names,
            dims,
            records,
            vars,
            attributes,
        },
    )
}

impl Seed {
    /// Returns the kind of the dataset.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the dataset as a file.
    ///
    /// # Panics
    /// Panics if the writer fails.
    #[must_use]
    pub fn file(&self) -> Vec<u8> {
        let schema = self.schema();
        let (target, out) = MemoryTarget::new("random.nc");
        let mut writer = format::create(
            Box::new(target),
            schema.clone(),
            CreateOptions::default(),
            &Env::default(),
        )
        .expect("a sound schema");
        for (id, var) in schema.var_ids().zip(&self.vars) {
            let bytes = self.data(&schema, id, var);
            writer.put_run(id, 0, &bytes).expect("memory");
        }
        writer.finish().expect("memory");
        let file = out.lock().expect("the lock is not poisoned").take();
        file.expect("what was finished")
    }

    fn schema(&self) -> Schema {
        let mut schema = Schema::new(self.kind);
        let mut names = self
            .names
            .iter()
            .map(|n| Name::checked(n.as_bytes()).expect("a good name"));
        let mut next = || names.next().expect("enough names");
        let (lens, unlimited) = &self.dims;
        for (n, &len) in lens.iter().enumerate() {
            let unlimited = *unlimited && n == 0;
            let len = if unlimited { 0 } else { len };
            schema.add_dim(Dimension {
                name: next(),
                group: GroupId::ROOT,
                len,
                unlimited,
            });
        }
        for var in &self.vars {
            let dims = self.dims(var);
            schema.add_var(Variable {
                name: next(),
                group: GroupId::ROOT,
                ty: self.ty(var.ty).into(),
                dims,
                attributes: self.attributes(&var.attributes),
                storage: Storage::default(),
            });
        }
        schema.groups[0].attributes = self.attributes(&self.attributes);
        schema
    }

    fn ty(&self, index: Index) -> Atomic {
        let count = if self.kind == Kind::CDF5 {
            TYPES.len()
        } else {
            6
        };
        TYPES[index.index(count)]
    }

    /// Returns the dimensions of a variable; the unlimited dimension, if used, comes first.
    fn dims(&self, var: &VarSeed) -> Vec<DimId> {
        let (lens, unlimited) = &self.dims;
        if lens.is_empty() {
            return vec![];
        }
        let mut dims: Vec<_> = var.dims.iter().map(|i| i.index(lens.len())).collect();
        if *unlimited {
            let record = dims.contains(&0);
            dims.retain(|&d| d != 0);
            dims.splice(0..0, record.then_some(0));
        }
        dims.into_iter().map(|d| DimId(d as u32)).collect()
    }

    /// Returns attributes with the names after the names of dimensions and variables. All variables may share attribute names.
    fn attributes(&self, seeds: &[ValueSeed]) -> Vec<Attribute> {
        let names = self.names.iter().rev();
        let attribute = |(seed, name): (&ValueSeed, &String)| {
            let ty = self.ty(seed.ty);
            let size = ty.size().expect("fixed size");
            let mut bytes = seed.bytes.clone();
            bytes.resize(bytes.len().max(size) / size * size, 1);
            if ty == Atomic::Char {
                trim(&mut bytes);
            }
            let values =
                elements::decode(ty, Endianness::Big, &plain(ty, bytes)).expect("fixed size");
            Attribute {
                name: Name::checked(name.as_bytes()).expect("a good name"),
                ty: ty.into(),
                values,
            }
        };
        seeds.iter().zip(names).map(attribute).collect()
    }

    fn data(&self, schema: &Schema, id: VarId, seed: &VarSeed) -> Vec<u8> {
        let var = schema.var(id).expect("its variable");
        let size = self.ty(seed.ty).size().expect("fixed size");
        let shape = schema.shape(id);
        let skip = usize::from(schema.is_record(var));
        let records = if skip == 1 { self.records } else { 1 };
        let count = shape[skip..].iter().product::<u64>() * records;
        let bytes = seed
            .bytes
            .iter()
            .copied()
            .cycle()
            .take(count as usize * size)
            .collect();
        plain(self.ty(seed.ty), bytes)
    }
}

/// Shortens a text to a form that CDL can express: without trailing NULs; an empty text is one NUL.
fn trim(text: &mut Vec<u8>) {
    let end = text
        .iter()
        .rposition(|&b| b != 0)
        .map_or(0, |last| last + 1);
    text.truncate(end);
    if text.is_empty() {
        text.push(0);
    }
}

/// Replaces NaNs by a single NaN, because CDL does not distinguish NaNs.
fn plain(ty: Atomic, mut bytes: Vec<u8>) -> Vec<u8> {
    match ty {
        Atomic::Float => bytes.chunks_exact_mut(4).for_each(|b| {
            if f32::from_be_bytes([b[0], b[1], b[2], b[3]]).is_nan() {
                b.copy_from_slice(&f32::NAN.to_be_bytes());
            }
        }),
        Atomic::Double => bytes.chunks_exact_mut(8).for_each(|b| {
            if f64::from_be_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]).is_nan() {
                b.copy_from_slice(&f64::NAN.to_be_bytes());
            }
        }),
        _ => {}
    }
    bytes
}
