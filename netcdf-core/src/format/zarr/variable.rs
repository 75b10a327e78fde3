//! A variable of an array: type, dimensions, attributes, storage.

use super::array::{Described, Heap};
use super::attrs;
use super::dtype::{Dtype, Stored, Time};
use super::fill;
use super::nczarr::{self, Extras, Part};
use super::schema::{Array, Builder, Objects};
use super::strings;
use super::types::declare;
use super::values::decode;
use crate::chunk::layout::{Element, Layout};
use crate::error::{Error, ErrorKind, Result};
use crate::filter::codec;
use crate::filter::{About, Context};
use crate::json::Json;
use crate::model::region::product;
use crate::model::storage::Fill;
use crate::model::{
    Atomic, Attribute, DataType, DimId, FilterSpec, GroupId, Storage, StorageLayout, Values,
    Variable, ZarrVersion,
};

impl Builder<'_> {
    /// Adds the array below a prefix as a variable.
    ///
    /// # Errors
    /// Damage of its metadata; those of the store.
    pub fn array(&mut self, group: GroupId, name: &str, prefix: &str) -> Result<()> {
        let (mut described, objects, extras) = self.describe(prefix)?;
        settle(&mut described, &extras, self.zarr.pure);
        let dims = self.dims((group, name), &mut described, &objects, &extras);
        let ty = declare(&mut self.schema, &described.stored, (group, name));
        let layout = self.layout(ty, &mut described)?;
        if let Some(problem) = &described.problem {
            let path = self.path(group, name);
            self.note(&path, format!("its data cannot be read: {problem}"));
        }
        let storage = storage(&described, &layout);
        let attributes = self.variable_attributes((prefix, ty), &described, &objects)?;
        let name = self.name(name);
        self.schema.add_var(Variable {
            name,
            group,
            ty,
            dims,
            attributes,
            storage,
        });
        let prefix = prefix.to_owned();
        self.arrays.push(Array {
            described,
            prefix,
            layout,
        });
        Ok(())
    }

    /// How the array is stored, and why it cannot be read if that is so.
    fn layout(&mut self, ty: DataType, described: &mut Described) -> Result<Layout> {
        if let Dtype::Unknown(name, _) = &described.stored.dtype {
            let what = format!("its type {name} is not known");
            described.problem.get_or_insert(what);
        }
        let heap = described.heap.is_some();
        let size = if heap {
            strings::SIZE
        } else {
            described.stored.size().unwrap_or(1)
        };
        let plain = matches!(
            described.stored.dtype,
            Dtype::Number(_) | Dtype::Char | Dtype::Time(_)
        );
        let element = Element {
            ty,
            size,
            order: described.stored.endianness(),
            plain,
        };
        let netcdf = !self.zarr.pure;
        let fill = match (heap, &described.fill) {
            (true, _) => Some(strings::missing()),
            // What is not stored then is not defined: zeros, for netCDF-C and zarr-python as well.
            (_, Json::Null) => usize::try_from(size).ok().map(|size| vec![0; size]),
            (_, json) => fill::stored(&described.stored, json, netcdf),
        };
        let mut layout = Layout {
            extent: described.shape.clone(),
            chunk: described.chunk.clone(),
            element,
            filters: vec![],
            fill,
            quantize: None,
        };
        let context = self.context(&layout, heap);
        let table = &self.meta.env.filters;
        match codec::filters(described.version, &described.filters, &context, table) {
            Ok(filters) => {
                layout.filters = filters.into_iter().map(|f| of_szip(f, &layout)).collect()
            }
            Err(e) => {
                described.problem.get_or_insert(e.to_string());
            }
        }
        Ok(layout)
    }

    /// What the first filter is given on writing.
    fn context(&self, layout: &Layout, heap: bool) -> Context {
        Context {
            shape: layout.chunk.clone(),
            element: layout.element,
            fill: layout.fill.clone(),
            len: layout.chunk_bytes().filter(|_| !heap),
            about: About {
                dims: layout.extent.clone(),
                ..About::new(&self.schema, layout.element.ty, &[])
            },
        }
    }

    /// The dimensions of a variable, defined where they are not.
    fn dims(
        &mut self,
        (group, name): (GroupId, &str),
        described: &mut Described,
        objects: &Objects,
        extras: &Extras,
    ) -> Vec<DimId> {
        if extras.scalar && described.shape.iter().all(|&n| n == 1) {
            described.scalar();
            return vec![];
        }
        let shape = described.shape.clone();
        if let Some(paths) = extras
            .dims
            .as_ref()
            .filter(|paths| paths.len() == shape.len())
        {
            let known: Option<Vec<_>> = paths.iter().map(|path| self.find(path)).collect();
            let fits = |(d, &n): (&DimId, &u64)| {
                let dim = self.schema.dim(*d);
                dim.is_some_and(|d| d.len == n || (d.unlimited && n < d.len))
            };
            match known {
                Some(known) if known.iter().zip(&shape).all(fits) => return known,
                _ => self.note(
                    &self.path(group, name),
                    "its dimensions are not those of its shape",
                ),
            }
        }
        let names = self.dimension_names(described, objects, shape.len());
        let mut dims = Vec::with_capacity(shape.len());
        for (n, &len) in shape.iter().enumerate() {
            let named = names
                .as_ref()
                .and_then(|names| names.get(n).cloned().flatten());
            let dim = match named.as_deref() {
                Some(dim) => self.named(group, (dim, len), name),
                None => self.anonymous(len),
            };
            dims.push(dim);
        }
        dims
    }

    /// The names that the array gives its dimensions: those of version 3, or those of xarray.
    fn dimension_names(
        &self,
        described: &Described,
        objects: &Objects,
        rank: usize,
    ) -> Option<Vec<Option<String>>> {
        if described.names.is_some() {
            return described.names.clone();
        }
        if self.meta.store.hints().no_xarray && described.version == ZarrVersion::V2 {
            return None;
        }
        let names = nczarr::array_dimensions(&objects.attributes)?;
        let plain = |name: &String| !name.is_empty() && !name.contains('/');
        let usable = names.len() == rank && names.iter().all(plain);
        usable.then(|| names.into_iter().map(Some).collect())
    }

    /// The dimension of this path.
    fn find(&self, path: &str) -> Option<DimId> {
        let (groups, name) = path
            .trim_start_matches('/')
            .rsplit_once('/')
            .unwrap_or(("", path.trim_start_matches('/')));
        let mut group = GroupId::ROOT;
        for part in groups.split('/').filter(|part| !part.is_empty()) {
            let mut below = self.schema.group(group)?.groups.iter();
            group = *below.find(|&&g| self.schema.group(g).is_some_and(|g| g.name.is(part)))?;
        }
        self.dim_of(group, name)
    }

    fn dim_of(&self, group: GroupId, name: &str) -> Option<DimId> {
        let mut dims = self.schema.group(group)?.dims.iter();
        dims.find(|&&d| self.schema.dim(d).is_some_and(|d| d.name.is(name)))
            .copied()
    }

    /// The dimension of this name in a group; one without a name, if that has another length.
    fn named(&mut self, group: GroupId, (dim, len): (&str, u64), var: &str) -> DimId {
        let Some(known) = self.dim_of(group, dim) else {
            return self.define(group, dim, len, len == 0);
        };
        let has = self.schema.dim(known).map_or(0, |d| d.len);
        if has == len {
            return known;
        }
        let what =
            format!("its dimension {dim} has length {len}, that of another variable has {has}");
        self.note(&self.path(group, var), what);
        self.anonymous(len)
    }

    /// The dimension of this length that has no name in Zarr.
    fn anonymous(&mut self, len: u64) -> DimId {
        let mut name = format!("_Anonymous_Dim_{len}");
        while let Some(known) = self.dim_of(GroupId::ROOT, &name) {
            if self.schema.dim(known).is_some_and(|d| d.len == len) {
                return known;
            }
            name.push('_');
        }
        self.define(GroupId::ROOT, &name, len, len == 0)
    }

    /// The attributes of a group.
    pub fn group_attributes(&mut self, group: GroupId, json: &Json, types: Option<&Json>) {
        if group == GroupId::ROOT {
            let properties = json.get("_NCProperties").and_then(Json::as_str);
            self.properties = properties.map(|p| p.as_bytes().to_vec());
        }
        let attributes = self.attributes(json, types, None);
        if let Some(group) = self.schema.groups.get_mut(group.index()) {
            group.attributes = attributes;
        }
    }

    /// The attributes of a node; `fill` is the type of `_FillValue`, if there is nothing recorded.
    fn attributes(
        &mut self,
        json: &Json,
        types: Option<&Json>,
        fill: Option<Atomic>,
    ) -> Vec<Attribute> {
        let mut attributes: Vec<Attribute> = vec![];
        for (name, value) in json.members() {
            if nczarr::is_hidden(name) || name.is_empty() {
                continue;
            }
            let recorded =
                nczarr::recorded(types, name).and_then(|ty| attrs::recorded(ty, self.zarr.pure));
            let ty = recorded.or(fill.filter(|_| name == "_FillValue"));
            let (values, _) = attrs::values(value, ty);
            let name = self.name(name);
            if attributes.iter().all(|a| a.name != name) {
                attributes.extend(Attribute::atomic(name, values));
            }
        }
        attributes
    }

    /// The attributes of a variable, with those that its type adds.
    fn variable_attributes(
        &mut self,
        (prefix, ty): (&str, DataType),
        described: &Described,
        objects: &Objects,
    ) -> Result<Vec<Attribute>> {
        let types = self.part(Part::Attributes, prefix, objects)?;
        let json = &objects.attributes;
        let mut attributes = self.attributes(json, types.as_ref(), ty.atomic());
        if let Some(own) = json.get("_FillValue")
            && let Some(values) = self.fill_value(&described.stored, ty, own)
            && let Some(fill) = attributes.iter_mut().find(|a| a.name.is("_FillValue"))
        {
            (fill.ty, fill.values) = (ty, values);
        }
        if let Dtype::Time(time) = &described.stored.dtype
            && let Some(units) = units(time)
            && !attributes.iter().any(|a| a.name.is("units"))
        {
            let name = self.name("units");
            attributes.extend(Attribute::atomic(name, Values::Char(units.into_bytes())));
        }
        let dimensions = json.get("_ARRAY_DIMENSIONS").is_some();
        if self.shows_fill(described)
            && !dimensions
            && !attributes.iter().any(|a| a.name.is("_FillValue"))
        {
            let values = self.fill_value(&described.stored, ty, &described.fill);
            // Nor that which arrays have of whose nothing is said.
            let default = ty.atomic().map(Atomic::default_fill);
            let values = values.filter(|values| Some(values) != default.as_ref());
            let name = self.name("_FillValue");
            attributes.extend(values.map(|values| Attribute { name, ty, values }));
        }
        Ok(attributes)
    }

    /// netCDF-C shows the fill value as an attribute of arrays without dimensions of which nothing is said of dimensions
    /// either, and of no others.
    fn shows_fill(&self, described: &Described) -> bool {
        let v2 = described.version == ZarrVersion::V2;
        v2 && self.zarr.pure && described.rank == 0 && described.fill != Json::Null
    }

    /// The fill value that an attribute gives, in the variable's type.
    fn fill_value(&self, stored: &Stored, ty: DataType, json: &Json) -> Option<Values> {
        if ty == DataType::Atomic(Atomic::String) {
            return None;
        }
        let json = match json.items() {
            Some([one]) => one,
            Some(_) => return None,
            None => json,
        };
        // xarray writes them so, whatever the type of the numbers.
        let double = |text: &[u8]| {
            let bytes: [u8; 8] = fill::base64(text)?.try_into().ok()?;
            Some(Json::Number(format!("{:?}", f64::from_le_bytes(bytes))))
        };
        let bytes = fill::stored(stored, json, !self.zarr.pure).or_else(|| match json {
            Json::Text(text) => fill::stored(stored, &double(text)?, true),
            _ => None,
        })?;
        let values = decode(&self.schema, stored, ty, &bytes).ok()?;
        (values.len() == 1).then_some(values)
    }
}

/// The filter as netCDF-C applies it: it derives the length of szip's scan lines from the length of the last dimension,
/// where HDF5 takes that of the chunk.
fn of_szip(mut filter: FilterSpec, layout: &Layout) -> FilterSpec {
    let last = layout.extent.last().copied().unwrap_or(1);
    if let (4, [_, block, _, line]) = (filter.id, filter.params.as_mut_slice()) {
        let block = u64::from(*block);
        let most = block.saturating_mul(128);
        let elements = product(&layout.chunk).unwrap_or(u64::MAX);
        let len = match last {
            last if last < block => most.min(elements),
            last if last <= 4096 => most.min(last),
            _ => most,
        };
        *line = u32::try_from(len).unwrap_or(*line);
    }
    filter
}

/// Takes netCDF's types where Zarr has none.
fn settle(described: &mut Described, extras: &Extras, pure: bool) {
    let stored = &mut described.stored;
    let alias = extras.alias.as_deref();
    let dtype = match (&stored.dtype, alias) {
        (Dtype::Number(Atomic::UByte), Some("char")) => Dtype::Char,
        (Dtype::Raw(n), Some("string")) => Dtype::Bytes(*n),
        // netCDF-C writes `>S1` for characters, and wrote `<U1`, with one byte for each.
        (Dtype::Bytes(1), _) if stored.order.is_some() && !pure => Dtype::Char,
        (Dtype::Utf32(1), _) if !pure && extras.dims.is_some() => Dtype::Char,
        (other, _) => other.clone(),
    };
    let text = matches!(dtype, Dtype::Char | Dtype::Bytes(_));
    stored.dtype = dtype;
    stored.order = stored.order.filter(|_| !text);
}

/// What `ncdump -s` shows of the storage.
fn storage(described: &Described, layout: &Layout) -> Storage {
    let fill = match described.fill {
        Json::Null => Fill::NoFill,
        _ => Fill::Fill,
    };
    Storage {
        layout: Some(StorageLayout::Chunked(layout.chunk.clone())),
        filters: layout.filters.clone(),
        prepared: true,
        endianness: described.stored.order,
        fill,
        codecs: described.codecs.as_ref().map(Json::to_bytes),
        quantize: None,
        unwritten: None,
        max_string: match described.stored.dtype {
            Dtype::Bytes(width) => Some(width),
            _ => None,
        },
        shard: described.shards.first().map(|s| s.shape.clone()),
    }
}

/// The CF units of numbers of time.
fn units(time: &Time) -> Option<String> {
    let unit = match time.unit.as_str() {
        "Y" => "years",
        "M" => "months",
        "W" => "weeks",
        "D" => "days",
        "h" => "hours",
        "m" => "minutes",
        "s" => "seconds",
        "ms" => "milliseconds",
        "us" | "μs" | "µs" => "microseconds",
        "ns" => "nanoseconds",
        "ps" => "picoseconds",
        "fs" => "femtoseconds",
        "as" => "attoseconds",
        _ => return None,
    };
    let factor = match time.factor {
        0 | 1 => String::new(),
        n => format!("{n} "),
    };
    let since = if time.since { " since 1970-01-01" } else { "" };
    Some(format!("{factor}{unit}{since}"))
}

impl Array {
    /// That the data can be read.
    ///
    /// # Errors
    /// [`ErrorKind::FilterUnavailable`], with the reason, if it cannot.
    pub fn readable(&self) -> Result<()> {
        match &self.described.problem {
            None => Ok(()),
            Some(problem) => {
                let what = format!("the data cannot be read: {problem}");
                Err(Error::new(ErrorKind::FilterUnavailable, what))
            }
        }
    }

    /// Whether values of any length are in its chunks, and how.
    #[must_use]
    pub fn heap(&self) -> Option<Heap> {
        self.described.heap
    }
}

/// A number of no variable.
#[must_use]
pub fn no_variable() -> Error {
    Error::new(ErrorKind::NotFound, "no such variable")
}
