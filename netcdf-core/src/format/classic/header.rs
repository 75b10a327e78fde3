//! Reads and writes the header of a classic file ("The Format in Detail").

use super::layout::{VariablePlace, vsize};
use crate::chunk::elements;
use crate::error::{Context, Error, ErrorKind, Result};
use crate::io::Source;
use crate::limits::Limits;
use crate::model::name::Interner;
use crate::model::{
    Atomic, Attribute, DimId, Dimension, Endianness, GroupId, Kind, Name, Schema, Storage, Variable,
};

/// Tag of the dimension list.
const NC_DIMENSION: u32 = 10;
/// Tag of the variable list.
const NC_VARIABLE: u32 = 11;
/// Tag of an attribute list.
const NC_ATTRIBUTE: u32 = 12;

/// The contents of a header.
#[derive(Debug)]
pub(crate) struct CdfHeader {
    /// The schema. The record dimension has length 0; [`CdfHeader::records`] is the length.
    pub schema: Schema,
    /// The record count; `None` for STREAMING.
    pub records: Option<u64>,
    /// The byte offset of each variable's data.
    pub begins: Vec<u64>,
    /// The header length in bytes.
    pub len: u64,
}

/// Reads a header.
///
/// # Errors
/// Returns [`ErrorKind::Truncated`] or [`ErrorKind::Corrupt`], with the byte offset.
pub(crate) fn read(source: &dyn Source, kind: Kind, limits: &Limits) -> Result<CdfHeader> {
    let mut input = HeaderInput::new(source, kind, limits);
    input.take(4)?;
    let records = input.count()?;
    let streaming = if kind == Kind::CDF5 {
        u64::MAX
    } else {
        u32::MAX.into()
    };
    let mut schema = Schema::new(kind);
    input.dims(&mut schema)?;
    let attributes = input.attributes()?;
    if let Some(root) = schema.groups.first_mut() {
        root.attributes = attributes;
    }
    let begins = input.vars(&mut schema)?;
    schema.vars.shrink_to_fit();
    let records = (records != streaming).then_some(records);
    Ok(CdfHeader {
        schema,
        records,
        begins,
        len: input.offset(),
    })
}

/// Header bytes, read from the source in blocks.
struct HeaderInput<'a> {
    source: &'a dyn Source,
    limits: &'a Limits,
    names: Interner,
    wide_counts: bool,
    wide_offsets: bool,
    classic_types: bool,
    /// Bytes starting at offset `base`.
    block: Vec<u8>,
    base: u64,
    pos: usize,
}

/// The minimum size of an attribute: name, type and number of values.
const LEAST_ATTRIBUTE: u64 = 12;
/// The minimum number of bytes to read at a time.
const BLOCK: u64 = 256 << 10;

impl<'a> HeaderInput<'a> {
    fn new(source: &'a dyn Source, kind: Kind, limits: &'a Limits) -> Self {
        Self {
            source,
            limits,
            names: Interner::default(),
            wide_counts: kind == Kind::CDF5,
            wide_offsets: kind != Kind::CLASSIC,
            classic_types: kind != Kind::CDF5,
            block: Vec::new(),
            base: 0,
            pos: 0,
        }
    }

    fn offset(&self) -> u64 {
        self.base.saturating_add(self.pos as u64)
    }

    fn error(&self, kind: ErrorKind, what: String) -> Error {
        Error::new(kind, what).at(self.source.name(), self.offset())
    }

    /// Returns the next `n` bytes.
    fn take(&mut self, n: u64) -> Result<&[u8]> {
        let have = self.block.len().saturating_sub(self.pos) as u64;
        if have < n {
            self.refill(n)?;
        }
        let size = usize::try_from(n).unwrap_or(usize::MAX);
        let start = self.pos;
        self.pos = self.pos.saturating_add(size);
        Ok(self.block.get(start..self.pos).unwrap_or_default())
    }

    fn refill(&mut self, n: u64) -> Result<()> {
        let at = self.offset();
        let left = self.source.len().saturating_sub(at);
        if left < n {
            let what = format!("the header is truncated: expected {n} bytes, found {left}");
            return Err(self.error(ErrorKind::Truncated, what));
        }
        let size = self.limits.metadata(n.max(BLOCK.min(left)), "the header")?;
        self.block.resize(size, 0);
        self.source.read_at(at, &mut self.block)?;
        (self.base, self.pos) = (at, 0);
        Ok(())
    }

    fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_be_bytes(
            self.take(4)?.try_into().unwrap_or_default(),
        ))
    }

    fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_be_bytes(
            self.take(8)?.try_into().unwrap_or_default(),
        ))
    }

    /// Reads a NON_NEG or the record count, which may be STREAMING.
    fn count(&mut self) -> Result<u64> {
        if self.wide_counts {
            self.u64()
        } else {
            self.u32().map(u64::from)
        }
    }

    /// Reads the number of entries of a list with this tag.
    fn list(&mut self, tag: u32, what: &str) -> Result<u64> {
        let at = self.offset();
        let found = self.u32()?;
        let count = self.count()?;
        if found == tag || (found == 0 && count == 0) {
            return Ok(count);
        }
        let what = format!("{what}: expected list tag {tag} (or 0, 0 for none), found {found}");
        Err(Error::new(ErrorKind::Corrupt, what).at(self.source.name(), at))
    }

    /// Reads `n` bytes, and skips the padding up to the next multiple of four.
    fn padded(&mut self, n: u64) -> Result<&[u8]> {
        let size = n.checked_next_multiple_of(4);
        let size =
            size.ok_or_else(|| self.error(ErrorKind::Corrupt, format!("a length of {n} bytes")))?;
        let keep = usize::try_from(n).unwrap_or(usize::MAX);
        Ok(self.take(size)?.get(..keep).unwrap_or_default())
    }

    /// Reads a name. Early programs included the padding zeros in the name's length.
    fn name(&mut self) -> Result<Name> {
        let len = self.count()?;
        let mut names = std::mem::take(&mut self.names);
        let text = |bytes: &[u8]| bytes.iter().take_while(|&&b| b != 0).count();
        let name = self
            .padded(len)
            .map(|bytes| names.stored(bytes.get(..text(bytes)).unwrap_or(bytes)));
        self.names = names;
        name
    }

    /// Allocates a list of `count` entries with at least `least` bytes each in the file.
    fn room<T>(&self, count: u64, least: u64) -> Vec<T> {
        let left = self.source.len().saturating_sub(self.offset());
        Vec::with_capacity(usize::try_from(count.min(left / least)).unwrap_or(0))
    }

    fn dims(&mut self, schema: &mut Schema) -> Result<()> {
        let mut unlimited = false;
        for _ in 0..self.list(NC_DIMENSION, "dimensions")? {
            let name = self.name()?;
            let at = self.offset();
            let len = self.count()?;
            if len == 0 && std::mem::replace(&mut unlimited, true) {
                let what = format!("dimension {name}: a second record dimension");
                return Err(Error::new(ErrorKind::Corrupt, what).at(self.source.name(), at));
            }
            let group = GroupId::ROOT;
            schema.add_dim(Dimension {
                name,
                group,
                len,
                unlimited: len == 0,
            });
        }
        Ok(())
    }

    fn attributes(&mut self) -> Result<Vec<Attribute>> {
        let count = self.list(NC_ATTRIBUTE, "attributes")?;
        let mut list = self.room(count, LEAST_ATTRIBUTE);
        for _ in 0..count {
            let name = self.name()?;
            let ty = self.data_type()?;
            let count = self.count()?;
            let size = count.checked_mul(ty.size().unwrap_or(1) as u64);
            let size = size.ok_or_else(|| {
                self.error(ErrorKind::Corrupt, format!("a length of {count} values"))
            })?;
            let values = elements::decode(ty, Endianness::Big, self.padded(size)?)?;
            list.push(Attribute {
                name,
                ty: ty.into(),
                values,
            });
        }
        Ok(list)
    }

    fn data_type(&mut self) -> Result<Atomic> {
        let at = self.offset();
        let number = self.u32()?;
        let known = Atomic::from_number(number).filter(|&t| t != Atomic::String);
        known
            .filter(|t| !self.classic_types || t.is_classic())
            .ok_or_else(|| {
                let what = format!("unknown type {number}");
                Error::new(ErrorKind::Corrupt, what).at(self.source.name(), at)
            })
    }

    /// Adds the variables to the schema, and returns the byte offsets.
    fn vars(&mut self, schema: &mut Schema) -> Result<Vec<u64>> {
        let mut begins = Vec::new();
        for _ in 0..self.list(NC_VARIABLE, "variables")? {
            let name = self.name()?;
            let dims = self.dim_ids(schema).in_object(|| format!("/{name}"))?;
            let attributes = self.attributes().in_object(|| format!("/{name}"))?;
            let ty = self.data_type().in_object(|| format!("/{name}"))?.into();
            self.count()?; // vsize is redundant and not always right
            begins.push(if self.wide_offsets {
                self.u64()?
            } else {
                self.u32()?.into()
            });
            let storage = Storage::default();
            schema.add_var(Variable {
                name,
                group: GroupId::ROOT,
                ty,
                dims,
                attributes,
                storage,
            });
        }
        Ok(begins)
    }

    fn dim_ids(&mut self, schema: &Schema) -> Result<Vec<DimId>> {
        let rank = self.count()?;
        if rank > u64::from(self.limits.rank) {
            let what = format!("{rank} dimensions, the limit is {}", self.limits.rank);
            return Err(self.error(ErrorKind::Corrupt, what));
        }
        let mut dims = Vec::new();
        for place in 0..rank {
            let at = self.offset();
            let number = self.count()?;
            let id = u32::try_from(number).ok().map(DimId);
            match id.and_then(|id| schema.dim(id)) {
                None => return Err(wrong_dim(self.source, at, number)),
                Some(d) if d.unlimited && place > 0 => {
                    let what = format!("the record dimension {} is not the first", d.name);
                    return Err(Error::new(ErrorKind::Unlimited, what).at(self.source.name(), at));
                }
                Some(_) => dims.extend(id),
            }
        }
        Ok(dims)
    }
}

fn wrong_dim(source: &dyn Source, at: u64, number: u64) -> Error {
    Error::new(
        ErrorKind::Corrupt,
        format!("no dimension has number {number}"),
    )
    .at(source.name(), at)
}

/// Returns the length in bytes of the header that [`write()`] creates.
///
/// # Errors
/// Returns the errors of [`write()`].
pub(crate) fn len(schema: &Schema) -> Result<u64> {
    let place = VariablePlace {
        ty: Atomic::Byte,
        begin: 0,
        slab: 0,
        record: false,
    };
    Ok(write(schema, 0, &vec![place; schema.vars.len()])?.len() as u64)
}

/// Writes the header of a classic file with its variables at `places`.
///
/// # Errors
/// Returns [`ErrorKind::BadType`] for a type that the kind does not have, and [`ErrorKind::DimSize`] or [`ErrorKind::VarSize`] for a number
/// that the kind cannot store.
pub(crate) fn write(schema: &Schema, records: u64, places: &[VariablePlace]) -> Result<Vec<u8>> {
    let mut out = HeaderOutput {
        bytes: Vec::new(),
        kind: schema.kind,
    };
    out.bytes
        .extend([b'C', b'D', b'F', super::version(schema.kind).unwrap_or(1)]);
    out.count(records)?;
    out.list(NC_DIMENSION, schema.dims.len())?;
    for dim in &schema.dims {
        out.name(&dim.name)?;
        out.count(if dim.unlimited { 0 } else { dim.len })?;
    }
    out.attributes(&schema.root().attributes)?;
    out.list(NC_VARIABLE, schema.vars.len())?;
    for ((id, var), place) in schema.var_ids().zip(&schema.vars).zip(places) {
        out.var(var, place).in_object(|| schema.var_path(id))?;
    }
    Ok(out.bytes)
}

/// A header being written.
struct HeaderOutput {
    bytes: Vec<u8>,
    kind: Kind,
}

impl HeaderOutput {
    fn u32(&mut self, n: u32) {
        self.bytes.extend(n.to_be_bytes());
    }

    fn count(&mut self, n: u64) -> Result<()> {
        if self.kind == Kind::CDF5 {
            self.bytes.extend(n.to_be_bytes());
            return Ok(());
        }
        let narrow = u32::try_from(n).map_err(|_| {
            let what = format!("a count of {n} is too large for {} files", self.kind.name());
            Error::new(ErrorKind::DimSize, what)
        })?;
        self.u32(narrow);
        Ok(())
    }

    fn list(&mut self, tag: u32, count: usize) -> Result<()> {
        self.u32(if count == 0 { 0 } else { tag });
        self.count(count as u64)
    }

    fn pad(&mut self) {
        let len = self.bytes.len().next_multiple_of(4);
        self.bytes.resize(len, 0);
    }

    fn name(&mut self, name: &Name) -> Result<()> {
        self.count(name.as_bytes().len() as u64)?;
        self.bytes.extend_from_slice(name.as_bytes());
        self.pad();
        Ok(())
    }

    fn attributes(&mut self, list: &[Attribute]) -> Result<()> {
        self.list(NC_ATTRIBUTE, list.len())?;
        for attribute in list {
            self.attribute(attribute)
                .in_object(|| format!(":{}", attribute.name))?;
        }
        Ok(())
    }

    fn attribute(&mut self, attribute: &Attribute) -> Result<()> {
        self.name(&attribute.name)?;
        self.data_type(attribute.values.data_type())?;
        self.count(attribute.values.len() as u64)?;
        elements::encode(&attribute.values, Endianness::Big, &mut self.bytes)?;
        self.pad();
        Ok(())
    }

    fn data_type(&mut self, ty: Option<Atomic>) -> Result<()> {
        let allowed =
            |t: &Atomic| t.is_classic() || (self.kind == Kind::CDF5 && t.size().is_some());
        let Some(ty) = ty.filter(allowed) else {
            let name = ty.map_or("a user-defined type", Atomic::name);
            let what = format!("{} files do not have type {name}", self.kind.name());
            return Err(Error::new(ErrorKind::BadType, what));
        };
        self.u32(ty.number());
        Ok(())
    }

    fn var(&mut self, var: &Variable, place: &VariablePlace) -> Result<()> {
        self.name(&var.name)?;
        self.count(var.dims.len() as u64)?;
        for dim in &var.dims {
            self.count(dim.0.into())?;
        }
        self.attributes(&var.attributes)?;
        self.data_type(var.ty.atomic())?;
        self.count(vsize(self.kind, place.slab)?)?;
        match self.kind {
            Kind::CLASSIC => self.count(place.begin),
            _ => {
                self.bytes.extend(place.begin.to_be_bytes());
                Ok(())
            }
        }
    }
}
