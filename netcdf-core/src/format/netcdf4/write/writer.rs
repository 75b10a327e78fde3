//! A netCDF-4 file being written.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::check::check;
use super::codecs;
use super::datatypes::WrittenTypes;
use super::encode;
use super::order::Scales;
use super::plan::{ObjectIds, PlanInput};
use super::storage::VariableStorage;
use crate::chunk::Writer;
use crate::chunk::form::ElementForm;
use crate::chunk::layout::{ChunkRef, Layout};
use crate::env::Env;
use crate::error::{Context as _, Error, ErrorKind, OrInternal as _, Result};
use crate::format::hdf5::message::fill::FillValue;
use crate::format::hdf5::write::{
    FilePlan, FileWriter, ObjectId, PlannedData, PlannedDataset, PlannedObject, SourceRange,
};
use crate::format::netcdf4::form::form;
use crate::io::{Source, Target};
use crate::limits;
use crate::model::{CreateOptions, DimId, Schema, Values, VarId};
use crate::notes::{Note, Notes};

/// A netCDF-4 file being written.
#[derive(Debug)]
pub(crate) struct Netcdf4Writer {
    file: FileWriter,
    schema: Schema,
    scales: Scales,
    objects: ObjectIds,
    /// Parallel to `schema.vars`.
    vars: Vec<WrittenVariable>,
    notes: Arc<Notes>,
}

/// The state of a variable.
#[derive(Debug)]
struct WrittenVariable {
    stored: VariableStorage,
    /// Whether the variable has data.
    written: bool,
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
        let ids = schema.var_ids();
        let stored = ids.map(|id| {
            env.cancel.check()?;
            codecs::stored(&mut schema, id, &types, env)
        });
        let mut stored: Vec<VariableStorage> = stored.collect::<Result<_>>()?;
        let known = PlanInput {
            schema: &schema,
            scales: &scales,
            objects: &objects,
            types: &types,
            stored: &stored,
            options,
        };
        let plan = known.plan()?;
        let with_heap = fills(&plan, &schema, &objects, &mut stored)?;
        let mut file = FileWriter::create(target, plan, options.space)?.unless(&env.cancel);
        for id in with_heap {
            let fill = schema.var(id).and_then(crate::model::Variable::fill_value);
            if let (Some(fill), Some(stored)) = (fill, stored.get_mut(id.index())) {
                let bytes = encode::store(&fill, stored.ty.datatype(), &mut file)?;
                stored.layout.fill = Some(bytes);
            }
        }
        let var = |stored| WrittenVariable {
            stored,
            written: false,
        };
        let vars = stored.into_iter().map(var).collect();
        Ok(Self {
            file,
            schema,
            scales,
            objects,
            vars,
            notes: Arc::clone(&env.notes),
        })
    }

    fn var(&self, id: VarId) -> Result<&WrittenVariable> {
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
    fn byte(&self, id: VarId, element: u64) -> Result<u64> {
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

    fn path(&self, id: VarId) -> String {
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

/// Copies the fill values of the plan to the layouts, and returns the variables with heap data in fill values.
///
/// # Errors
/// Returns [`ErrorKind::Limit`] for elements that are too large, with the variable's path.
fn fills(
    plan: &FilePlan,
    schema: &Schema,
    objects: &ObjectIds,
    stored: &mut [VariableStorage],
) -> Result<Vec<VarId>> {
    let mut with_heap = vec![];
    for (id, stored) in schema.var_ids().zip(stored) {
        let size = stored.layout.element.size;
        let dataset = dataset(plan, objects.var(id));
        stored.layout.fill = match dataset.map(|d| &d.fill.value) {
            Some(FillValue::User(bytes)) => Some(bytes.clone()),
            Some(FillValue::Default | FillValue::Undefined) | None => {
                let size = limits::element(size).in_object(|| schema.var_path(id))?;
                Some(vec![0; size])
            }
        };
        if dataset.is_some_and(|d| d.fill_heap.is_some()) {
            with_heap.push(id);
        }
    }
    Ok(with_heap)
}

fn dataset(plan: &FilePlan, id: ObjectId) -> Option<&PlannedDataset> {
    match plan.objects.get(usize::try_from(id.0).ok()?)? {
        PlannedObject::Dataset(dataset) => Some(dataset),
        PlannedObject::Group(_) | PlannedObject::Datatype(_) => None,
    }
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

    fn has_data(&self, var: VarId) -> bool {
        self.var(var).is_ok_and(|v| v.written)
    }

    fn takes_chunks(&self, var: VarId) -> bool {
        let stored = self.var(var).map(|v| &v.stored.place);
        stored.is_ok_and(|place| matches!(place, PlannedData::Chunked(_)))
    }

    fn has_index(&self) -> bool {
        true
    }

    fn expect_chunks(&mut self, chunks: &[(VarId, u64)]) -> Result<()> {
        for &(var, chunks) in chunks {
            let expect = self.file.expect_chunks(self.objects.var(var), chunks);
            expect.in_object(|| self.path(var))?;
        }
        self.file.end_metadata()
    }

    fn put_chunk(&mut self, var: VarId, index: u64, mask: u32, bytes: &[u8]) -> Result<()> {
        let place = self.place(var, index).in_object(|| self.path(var))?;
        let dataset = self.begin(var)?;
        let put = self.file.put_chunk(dataset, &place, mask, bytes);
        put.in_object(|| self.schema.var_path(var))
    }

    fn move_chunk(&mut self, var: VarId, chunk: &ChunkRef, source: &Arc<dyn Source>) -> Result<()> {
        let place = self.place(var, chunk.index).in_object(|| self.path(var))?;
        let dataset = self.begin(var)?;
        let range = chunk.range.clone();
        let from = SourceRange { source, range };
        let moved = self.file.move_chunk(dataset, &place, chunk.mask, &from);
        moved.in_object(|| self.schema.var_path(var))
    }

    fn put_run(&mut self, var: VarId, element: u64, bytes: &[u8]) -> Result<()> {
        let at = self.byte(var, element).in_object(|| self.path(var))?;
        let dataset = self.begin(var)?;
        let made = self.quantized(var, element, bytes)?;
        let put = self.file.put_bytes(dataset, at, &made);
        put.in_object(|| self.schema.var_path(var))
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

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.set_extents()?;
        self.note_scattered_indexes();
        self.file.finish()
    }
}
