//! A netCDF-4 file being written.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::check::check;
use super::codecs;
use super::datatypes::WrittenTypes;
use super::encode;
use super::order::Scales;
use super::plan::{ObjectIds, PlanInput};
use super::storage::VariableStorage;
use crate::cancel::Cancel;
use crate::chunk::form::ElementForm;
use crate::chunk::layout::{ChunkRef, Layout};
use crate::chunk::{BulkWriter, ChunkIndexWriter, PutRules, Writer};
use crate::env::Env;
use crate::error::{Context as _, Error, ErrorKind, OrInternal as _, Result};
use crate::format::hdf5::write::{FileWriter, MadeDatasets, ObjectId, PlannedData, SourceRange};
use crate::format::netcdf4::form::form;
use crate::io::{Source, Target};
use crate::model::recent_values::RecentValues;
use crate::model::{CreateOptions, DimId, FileSpace, Schema, Values, VarId};
use crate::notes::{Note, Notes};

/// A netCDF-4 file being written.
#[derive(Debug)]
pub(crate) struct Netcdf4Writer {
    pub(super) file: FileWriter,
    pub(super) schema: Schema,
    scales: Scales,
    pub(super) objects: ObjectIds,
    /// Parallel to `schema.vars`.
    vars: Vec<WrittenVariable>,
    /// The end of the written elements, by variable with heap data but without chunks.
    pub(super) heap_ends: BTreeMap<VarId, u64>,
    pub(super) cancel: Cancel,
    notes: Arc<Notes>,
}

/// The state of a variable.
#[derive(Debug)]
pub(super) struct WrittenVariable {
    pub(super) stored: Arc<VariableStorage>,
    /// Whether the variable has data.
    pub(super) written: bool,
}

impl Netcdf4Writer {
    /// Checks the schema and plans the file.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Strict`], [`ErrorKind::BadName`], [`ErrorKind::Exists`] and [`ErrorKind::BadType`] for a schema that the kind
    /// cannot store, [`ErrorKind::Argument`] and [`ErrorKind::VarSize`] for impossible storage, and errors of the filters.
    pub(crate) fn create(
        target: Box<dyn Target>,
        mut schema: Schema,
        options: CreateOptions,
        env: &Env,
    ) -> Result<Self> {
        let scales = Scales::of(&schema);
        check(&schema, &scales)?;
        let objects = ObjectIds::new(&schema, &scales)?;
        let types = WrittenTypes::new(&schema, objects.first_type())?;
        let mut shared = RecentValues::default();
        let mut stored = Vec::with_capacity(schema.vars.len());
        for id in schema.var_ids() {
            env.cancel.check()?;
            let one = codecs::stored(&mut schema, id, &types, env)?;
            stored.push(shared.share(Arc::new(one)));
        }
        let known = PlanInput {
            schema: &schema,
            scales: &scales,
            objects: &objects,
            types: &types,
            stored: &stored,
            options,
        };
        let file = create_file(target, &known, options.space)?.unless(&env.cancel);
        let vars = variables(&known)?;
        Ok(Self {
            file,
            schema,
            scales,
            objects,
            vars,
            heap_ends: BTreeMap::new(),
            cancel: env.cancel.clone(),
            notes: Arc::clone(&env.notes),
        })
    }

    pub(super) fn var(&self, id: VarId) -> Result<&WrittenVariable> {
        self.vars.get(id.index()).ok_or_else(missing)
    }

    /// Returns the dataset of a variable, and marks the variable as written.
    fn begin(&mut self, id: VarId) -> Result<ObjectId> {
        self.vars.get_mut(id.index()).ok_or_else(missing)?.written = true;
        Ok(self.objects.var(id))
    }

    /// Returns the grid position of a chunk with this row-major index. The slowest varying dimension may still grow.
    fn place(&self, id: VarId, index: u64) -> Result<Vec<u64>> {
        let PlannedData::Chunked(shape) = &self.var(id)?.stored.place else {
            let what = "the variable has no chunks";
            return Err(Error::new(ErrorKind::Argument, what));
        };
        let extent = self.schema.shape(id);
        let mut rest = index;
        let cells = extent.iter().zip(shape).skip(1).rev();
        let mut place = Vec::with_capacity(shape.len());
        for (len, chunk) in cells {
            let cells = len.div_ceil((*chunk).max(1)).max(1);
            place.push(rest % cells);
            rest /= cells;
        }
        place.push(rest);
        place.reverse();
        Ok(place)
    }

    /// Returns the byte offset of an element in a variable's data.
    pub(super) fn byte(&self, id: VarId, element: u64) -> Result<u64> {
        let size = self.var(id)?.stored.layout.element.size;
        element.checked_mul(size).ok_or_else(|| {
            let what = "data beyond the end of the variable";
            Error::new(ErrorKind::Argument, what)
        })
    }

    /// Returns consecutive elements starting at index `element`, quantized if the variable requires quantization.
    fn quantized<'a>(&self, id: VarId, element: u64, bytes: &'a [u8]) -> Result<Cow<'a, [u8]>> {
        let Some(quantizer) = self.var(id)?.stored.layout.quantize else {
            return Ok(bytes.into());
        };
        let mut made = bytes.to_vec();
        quantizer.run(element, &mut made);
        Ok(made.into())
    }

    pub(super) fn path(&self, id: VarId) -> String {
        self.schema.var_path(id)
    }

    /// Sets the lengths of datasets with unlimited dimensions. Variables with data, and scales, get the dimension length.
    fn set_extents(&mut self) -> Result<()> {
        let mut reached = vec![false; self.schema.dims.len()];
        for id in self.schema.var_ids() {
            let scale = self.scales.dimension(&self.schema, id).is_some();
            if scale || self.var(id)?.written {
                self.extend(id, &mut reached)?;
            }
        }
        // Readers take the dimension length from the longest variable, so at least one variable must have that length.
        for id in self.schema.var_ids() {
            let dims = self.schema.var(id).map(|v| v.dims.as_slice());
            let short = |d: &DimId| {
                let long = self
                    .schema
                    .dim(*d)
                    .is_some_and(|d| d.unlimited && d.len > 0);
                long && reached.get(d.index()) == Some(&false)
            };
            let dims = dims.or_internal("a variable without dimensions")?;
            if dims.iter().any(short) {
                self.extend(id, &mut reached)?;
            }
        }
        for (n, dim) in (0..).zip(&self.schema.dims) {
            let scale = self.objects.scale(DimId(n));
            let alone = self.scales.variable(DimId(n)).is_none();
            if let Some(scale) = scale.filter(|_| alone && dim.unlimited) {
                self.file.set_extent(scale, &[dim.len])?;
            }
        }
        Ok(())
    }

    /// Notes chunk indexes that continue among the data, although the index should precede all data.
    fn note_scattered_indexes(&self) {
        for id in self.schema.var_ids() {
            if self.file.exceeds(self.objects.var(id)) {
                self.notes.say(Note {
                    object: self.path(id),
                    what: "part of the chunk index is stored among the data: more chunks were written than expected".to_owned(),
                    remedy: None,
                });
            }
        }
    }

    fn extend(&mut self, id: VarId, reached: &mut [bool]) -> Result<()> {
        let dims = self.schema.var(id).map(|v| v.dims.as_slice());
        let dims = dims.or_internal("a variable without dimensions")?;
        for dim in dims {
            let reached = reached.get_mut(dim.index());
            *reached.or_internal("a dimension without a length")? = true;
        }
        let unlimited = |d: &DimId| self.schema.dim(*d).is_some_and(|d| d.unlimited);
        if dims.iter().any(unlimited) {
            let extent = self.schema.shape(id);
            self.file.set_extent(self.objects.var(id), &extent)?;
        }
        Ok(())
    }
}

/// Lays out the metadata of a file. Generates the datasets one by one to save memory.
fn create_file(
    target: Box<dyn Target>,
    known: &PlanInput<'_>,
    space: FileSpace,
) -> Result<FileWriter> {
    let (plan, uses, alone) = (known.plan()?, known.uses()?, known.alone());
    let vars = known.schema.vars.len();
    let make = |n: usize| match n.checked_sub(vars).and_then(|n| alone.get(n)) {
        Some(dim) => known.of_dimension(*dim, &uses),
        None => known.of_variable(
            VarId(u32::try_from(n).ok().or_internal("a variable number")?),
            &uses,
        ),
    };
    let count = vars + alone.len();
    let more = MadeDatasets { count, make: &make };
    FileWriter::with_datasets(target, (plan, more), space)
}

/// Returns the variables with their fill values. Equal storage shares memory.
fn variables(known: &PlanInput<'_>) -> Result<Vec<WrittenVariable>> {
    let mut shared = RecentValues::default();
    let mut vars = Vec::with_capacity(known.stored.len());
    for (id, stored) in known.schema.var_ids().zip(known.stored) {
        let (fill, heap_fill) = known.unwritten(id)?;
        let mut stored = Arc::clone(stored);
        let own = Arc::make_mut(&mut stored);
        (own.layout.fill, own.heap_fill) = (Some(fill), heap_fill);
        vars.push(WrittenVariable {
            stored: shared.share(stored),
            written: false,
        });
    }
    Ok(vars)
}

fn missing() -> Error {
    Error::new(ErrorKind::NotFound, "no such variable")
}

impl Writer for Netcdf4Writer {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn layout(&self, var: VarId) -> Result<Layout> {
        let stored = &self.var(var)?.stored;
        let mut layout = stored.layout.clone();
        layout.extent = self.schema.shape(var);
        if !matches!(stored.place, PlannedData::Chunked(_)) {
            layout.chunk.clone_from(&layout.extent);
        }
        Ok(layout)
    }

    fn rules(&self, var: VarId) -> PutRules {
        let stored = self.var(var).ok().map(|v| &*v.stored);
        PutRules {
            chunks: stored.is_some_and(|v| matches!(v.place, PlannedData::Chunked(_))),
            all_filters: false,
            heap_fill: stored.is_some_and(|v| v.heap_fill),
        }
    }

    fn put_chunk(&mut self, var: VarId, index: u64, mask: u32, bytes: &[u8]) -> Result<()> {
        let place = self.place(var, index).in_object(|| self.path(var))?;
        let dataset = self.begin(var)?;
        let put = self.file.put_chunk(dataset, &place, mask, bytes);
        put.in_object(|| self.schema.var_path(var))
    }

    fn put_run(&mut self, var: VarId, element: u64, bytes: &[u8]) -> Result<()> {
        let at = self.byte(var, element).in_object(|| self.path(var))?;
        let dataset = self.begin(var)?;
        if self.rules(var).heap_fill {
            let end = self.end(var, element, bytes.len())?;
            self.reach(var, (element, end))
                .in_object(|| self.path(var))?;
        }
        let made = self.quantized(var, element, bytes)?;
        let put = self.file.put_bytes(dataset, at, &made);
        put.in_object(|| self.schema.var_path(var))
    }

    fn put_heap(&mut self, var: VarId, values: &Values) -> Result<Vec<u8>> {
        let stored = &self.vars.get(var.index()).ok_or_else(missing)?.stored;
        let put = encode::store(values, stored.ty.datatype(), &mut self.file);
        put.in_object(|| self.schema.var_path(var))
    }

    fn form(&self, var: VarId) -> Result<Option<ElementForm>> {
        Ok(form(self.var(var)?.stored.ty.datatype()))
    }

    fn set_len(&mut self, dim: DimId, len: u64) -> Result<()> {
        if len > i64::MAX.unsigned_abs() {
            let what = format!("a dimension of length {len} is too long");
            return Err(Error::new(ErrorKind::DimSize, what));
        }
        let dim = self.schema.dims.get_mut(dim.index());
        if let Some(dim) = dim.filter(|d| d.unlimited) {
            dim.len = dim.len.max(len);
        }
        Ok(())
    }

    fn bulk(&mut self) -> Option<&mut dyn BulkWriter> {
        Some(self)
    }

    fn chunk_index(&mut self) -> Option<&mut dyn ChunkIndexWriter> {
        Some(self)
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.fill_heap_gaps()?;
        self.set_extents()?;
        self.note_scattered_indexes();
        self.file.finish()
    }
}

impl BulkWriter for Netcdf4Writer {
    fn move_chunk(&mut self, var: VarId, chunk: &ChunkRef, source: &Arc<dyn Source>) -> Result<()> {
        let place = self.place(var, chunk.index).in_object(|| self.path(var))?;
        let dataset = self.begin(var)?;
        let range = chunk.range.clone();
        let from = SourceRange { source, range };
        let moved = self.file.move_chunk(dataset, &place, chunk.mask, &from);
        moved.in_object(|| self.schema.var_path(var))
    }

    fn move_run(
        &mut self,
        var: VarId,
        element: u64,
        source: &Arc<dyn Source>,
        range: Range<u64>,
    ) -> Result<()> {
        let at = self.byte(var, element).in_object(|| self.path(var))?;
        let dataset = self.begin(var)?;
        let moved = self.file.move_bytes(dataset, at, source, range);
        moved.in_object(|| self.schema.var_path(var))
    }
}

impl ChunkIndexWriter for Netcdf4Writer {
    fn expect_chunks(&mut self, chunks: &[(VarId, u64)]) -> Result<()> {
        for &(var, chunks) in chunks {
            let expect = self.file.expect_chunks(self.objects.var(var), chunks);
            expect.in_object(|| self.path(var))?;
        }
        self.file.end_metadata()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::memory::MemoryTarget;
    use crate::model::{Atomic, Dimension, FilterSpec, GroupId, Kind, Name, Storage, Variable};

    /// A copy of a file with 100,000 variables needs this memory for each variable.
    #[test]
    fn equal_variables_share_their_storage() {
        let mut schema = Schema::new(Kind::NETCDF4);
        let x = schema.add_dim(Dimension {
            name: Name::stored(b"x"),
            group: GroupId::ROOT,
            len: 4,
            unlimited: false,
        });
        for name in [b"a", b"b"] {
            let (id, params) = (1, vec![1]);
            schema.add_var(Variable {
                name: Name::stored(name),
                group: GroupId::ROOT,
                ty: Atomic::Int.into(),
                dims: vec![x],
                attributes: vec![],
                storage: Storage {
                    filters: vec![FilterSpec { id, params }],
                    ..Storage::default()
                },
            });
        }
        let target = Box::new(MemoryTarget::new("t.nc").0);
        let (options, env) = (CreateOptions::default(), Env::default());
        let writer = Netcdf4Writer::create(target, schema.clone(), options, &env).unwrap();
        let [a, b] = &writer.vars[..] else { panic!() };
        assert!(Arc::ptr_eq(&a.stored, &b.stored));
        assert_eq!(writer.schema.vars.as_ptr(), schema.vars.as_ptr());
        assert!(size_of::<WrittenVariable>() <= 16);
    }
}
