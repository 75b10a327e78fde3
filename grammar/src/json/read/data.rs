//! Streaming reader for the data of a variable.

use std::marker::PhantomData;

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::model::{Atomic, DataType, Endianness, Schema, Values};
use serde::de::{DeserializeSeed, Deserializer};

use super::input::{InputContext, SourceInput};
use super::leaves::{CharLeaf, CharSink, VALUE_TEXT, ValueLeaf};
use super::levels::{ArrayLevel, Leaf};
use super::number::{JsonNumeric, read_number};
use super::value::empty;
use crate::cdl::values::{Problems, ValueList, ValueSink};
use crate::json::names::written;

/// Batch size in stored bytes.
const BYTES: usize = 1 << 16;
/// Batch size in values other than numbers and characters, and in bytes of their text.
const VALUES: usize = 1 << 12;
const VALUES_TEXT: u64 = 1 << 20;

/// Reads the data of a variable and returns the number of elements. The schema must have the lengths of all dimensions. `problems` receives
/// errors; after an error, the output of the sink is useless.
///
/// # Errors
/// Returns errors of the source and of the sink, and [`ErrorKind::NotFound`] for a variable outside the schema.
pub fn values(
    list: &ValueList<'_>,
    schema: &Schema,
    order: Endianness,
    problems: &mut Problems,
    sink: &mut dyn ValueSink,
) -> Result<Option<u64>> {
    let var = schema.var(list.var);
    let var = var.ok_or_else(|| Error::new(ErrorKind::NotFound, "no such variable"))?;
    let shape = schema.shape(list.var);
    let reading = LeafReading {
        context: &InputContext::new(list.bytes.start),
        list,
        shape: &shape,
    };
    let batch = BatchSink::new(sink, order);
    let read = match var.ty.atomic() {
        Some(Atomic::Byte) => reading.run(NumberLeaves::<i8>::new(batch)),
        Some(Atomic::Short) => reading.run(NumberLeaves::<i16>::new(batch)),
        Some(Atomic::Int) => reading.run(NumberLeaves::<i32>::new(batch)),
        Some(Atomic::Int64) => reading.run(NumberLeaves::<i64>::new(batch)),
        Some(Atomic::UByte) => reading.run(NumberLeaves::<u8>::new(batch)),
        Some(Atomic::UShort) => reading.run(NumberLeaves::<u16>::new(batch)),
        Some(Atomic::UInt) => reading.run(NumberLeaves::<u32>::new(batch)),
        Some(Atomic::UInt64) => reading.run(NumberLeaves::<u64>::new(batch)),
        Some(Atomic::Float) => reading.run(NumberLeaves::<f32>::new(batch)),
        Some(Atomic::Double) => reading.run(NumberLeaves::<f64>::new(batch)),
        Some(Atomic::Char) => reading.run(CharLeaf(batch)),
        Some(Atomic::String) | None => reading.run(OtherLeaves {
            values: empty(schema, var.ty)?,
            schema,
            ty: var.ty,
            sink: batch.sink,
            element: 0,
            flushed: reading.context.at(),
        }),
    };
    match read? {
        Ok(()) => {}
        Err(e) => {
            let failure = reading.context.failure(&e)?;
            let at = failure.place(list.source);
            problems.error(at..at + 1, failure.message(&path(schema, list)));
        }
    }
    Ok(Some(shape.iter().fold(1, |n, &len| n.saturating_mul(len))))
}

/// Returns the path of the data in the text.
fn path(schema: &Schema, list: &ValueList<'_>) -> String {
    let Some(var) = schema.var(list.var) else {
        return String::new();
    };
    let mut path = format!("/variables/{}/data", written(var.name.as_bytes()));
    let mut group = schema.group(var.group);
    while let Some(inner) = group
        && let Some(parent) = inner.parent
    {
        path = format!("/groups/{}{path}", written(inner.name.as_bytes()));
        group = schema.group(parent);
    }
    path
}

struct LeafReading<'a> {
    context: &'a InputContext,
    list: &'a ValueList<'a>,
    shape: &'a [u64],
}

impl LeafReading<'_> {
    /// Passes the data to a leaf. The inner result is the first mistake.
    fn run<L: DataLeaf>(&self, mut leaf: L) -> Result<std::result::Result<(), serde_json::Error>> {
        let context = self.context;
        let mut from =
            serde_json::Deserializer::from_reader(SourceInput::new(self.list.source, context));
        context.allow(VALUE_TEXT);
        let read = ArrayLevel::value(context, self.shape, &mut leaf).deserialize(&mut from);
        if read.is_ok() {
            leaf.flush(context.at())?;
        }
        Ok(read)
    }
}

/// Takes the data of a variable.
trait DataLeaf: Leaf {
    /// Passes the pending data to the sink. The text was read up to offset `at`.
    fn flush(&mut self, at: u64) -> Result<()>;
}

/// Passes stored bytes to the sink in batches.
struct BatchSink<'a> {
    sink: &'a mut dyn ValueSink,
    order: Endianness,
    bytes: Vec<u8>,
    /// The first element of the batch, and the number of elements.
    element: u64,
    count: u64,
}

impl<'a> BatchSink<'a> {
    fn new(sink: &'a mut dyn ValueSink, order: Endianness) -> Self {
        Self {
            sink,
            order,
            bytes: vec![],
            element: 0,
            count: 0,
        }
    }

    #[inline]
    fn number<T: JsonNumeric>(&mut self, value: T) -> Result<()> {
        value.store(self.order, &mut self.bytes);
        self.count += 1;
        self.full()
    }

    #[inline]
    fn full(&mut self) -> Result<()> {
        match self.bytes.len() >= BYTES {
            true => self.flush(),
            false => Ok(()),
        }
    }

    fn flush(&mut self) -> Result<()> {
        if self.count > 0 {
            self.sink.bytes(self.element, &self.bytes)?;
        }
        self.bytes.clear();
        self.element += std::mem::take(&mut self.count);
        Ok(())
    }
}

impl CharSink for BatchSink<'_> {
    const STREAMED: bool = true;
    fn characters(&mut self, mut text: &[u8]) -> Result<()> {
        while !text.is_empty() {
            let (now, rest) = text.split_at(text.len().min(BYTES));
            self.bytes.extend_from_slice(now);
            self.count += now.len() as u64;
            self.full()?;
            text = rest;
        }
        Ok(())
    }

    fn zeros(&mut self, count: u64) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        if count < BYTES as u64 {
            let zeros = usize::try_from(count).unwrap_or(0);
            self.bytes.resize(self.bytes.len() + zeros, 0);
            self.count += count;
            return self.full();
        }
        self.flush()?;
        self.sink.repeat(self.element, 0, count)?;
        self.element += count;
        Ok(())
    }
}

impl DataLeaf for CharLeaf<BatchSink<'_>> {
    fn flush(&mut self, _: u64) -> Result<()> {
        self.0.flush()
    }
}

struct NumberLeaves<'a, T> {
    to: BatchSink<'a>,
    ty: PhantomData<T>,
}

impl<'a, T> NumberLeaves<'a, T> {
    fn new(to: BatchSink<'a>) -> Self {
        let ty = PhantomData;
        Self { to, ty }
    }
}

impl<T: JsonNumeric> Leaf for NumberLeaves<'_, T> {
    const TEXT: bool = false;
    #[inline]
    fn one<'de, D: Deserializer<'de>>(
        &mut self,
        context: &InputContext,
        from: D,
    ) -> std::result::Result<(), D::Error> {
        context.allow(VALUE_TEXT);
        let value: T = read_number(context, from)?;
        self.to.number(value).map_err(|e| context.stop(e))
    }
}

impl<T: JsonNumeric> DataLeaf for NumberLeaves<'_, T> {
    fn flush(&mut self, _: u64) -> Result<()> {
        self.to.flush()
    }
}

struct OtherLeaves<'a> {
    schema: &'a Schema,
    ty: DataType,
    sink: &'a mut dyn ValueSink,
    values: Values,
    /// The first element of the batch.
    element: u64,
    /// The start of the batch in the text.
    flushed: u64,
}

impl DataLeaf for OtherLeaves<'_> {
    fn flush(&mut self, at: u64) -> Result<()> {
        let count = self.values.len() as u64;
        if count > 0 {
            let values = std::mem::replace(&mut self.values, empty(self.schema, self.ty)?);
            self.sink.values(self.element, &values)?;
        }
        self.element += count;
        self.flushed = at;
        Ok(())
    }
}

impl Leaf for OtherLeaves<'_> {
    const TEXT: bool = false;
    fn one<'de, D: Deserializer<'de>>(
        &mut self,
        context: &InputContext,
        from: D,
    ) -> std::result::Result<(), D::Error> {
        context.allow(VALUE_TEXT);
        let mut leaf = ValueLeaf {
            schema: self.schema,
            ty: self.ty,
            values: &mut self.values,
        };
        leaf.one(context, from)?;
        let at = context.at();
        match self.values.len() >= VALUES || at - self.flushed >= VALUES_TEXT {
            true => self.flush(at).map_err(|e| context.stop(e)),
            false => Ok(()),
        }
    }
}
