//! Streaming reader for the data of a variable.

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::model::{Atomic, DataType, Endianness, Schema, Values};
use serde::de::{DeserializeSeed, Deserializer};

use super::input::{InputContext, SourceInput};
use super::leaves::ValueLeaf;
use super::levels::{ArrayLevel, Leaf};
use super::number::{JsonNumeric, NumberVisitor};
use super::text::TextSeed;
use super::value::empty;
use crate::cdl::values::{Problems, ValueList, ValueSink};
use crate::json::names::written;

/// Batch size in stored bytes.
const BYTES: usize = 1 << 16;
/// Batch size in values other than numbers and characters, and in bytes of their text.
const VALUES: usize = 1 << 12;
const VALUES_TEXT: u64 = 1 << 20;
/// Maximum text length of a value or a string in bytes.
const VALUE_TEXT: u64 = 1 << 29;

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
    let sink = BatchSink::new(sink, order);
    let read = match var.ty.atomic() {
        Some(Atomic::Byte) => reading.numbers::<i8>(sink),
        Some(Atomic::Short) => reading.numbers::<i16>(sink),
        Some(Atomic::Int) => reading.numbers::<i32>(sink),
        Some(Atomic::Int64) => reading.numbers::<i64>(sink),
        Some(Atomic::UByte) => reading.numbers::<u8>(sink),
        Some(Atomic::UShort) => reading.numbers::<u16>(sink),
        Some(Atomic::UInt) => reading.numbers::<u32>(sink),
        Some(Atomic::UInt64) => reading.numbers::<u64>(sink),
        Some(Atomic::Float) => reading.numbers::<f32>(sink),
        Some(Atomic::Double) => reading.numbers::<f64>(sink),
        Some(Atomic::Char) => reading.characters(sink),
        Some(Atomic::String) | None => reading.others((schema, var.ty), sink.sink),
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

type ReadResult = Result<std::result::Result<(), serde_json::Error>>;

struct LeafReading<'a> {
    context: &'a InputContext,
    list: &'a ValueList<'a>,
    shape: &'a [u64],
}

impl LeafReading<'_> {
    fn run<L: Leaf>(&self, leaf: &mut L) -> std::result::Result<(), serde_json::Error> {
        let mut from =
            serde_json::Deserializer::from_reader(SourceInput::new(self.list.source, self.context));
        let (context, shape, read) = (self.context, self.shape, 0);
        context.allow(VALUE_TEXT);
        ArrayLevel {
            context,
            shape,
            leaf,
            read,
        }
        .deserialize(&mut from)
    }

    fn numbers<T: JsonNumeric>(&self, to: BatchSink<'_>) -> ReadResult {
        let ty = std::marker::PhantomData::<T>;
        let mut leaf = NumberLeaves { to, ty };
        let read = self.run(&mut leaf);
        if read.is_ok() {
            leaf.to.flush()?;
        }
        Ok(read)
    }

    fn characters(&self, to: BatchSink<'_>) -> ReadResult {
        let mut leaf = CharacterLeaves { to };
        let read = self.run(&mut leaf);
        if read.is_ok() {
            leaf.to.flush()?;
        }
        Ok(read)
    }

    fn others(&self, (schema, ty): (&Schema, DataType), sink: &mut dyn ValueSink) -> ReadResult {
        let mut leaf = OtherLeaves {
            values: empty(schema, ty)?,
            schema,
            ty,
            sink,
            element: 0,
            flushed: self.context.at(),
        };
        let read = self.run(&mut leaf);
        if read.is_ok() {
            leaf.flush(self.context.at())?;
        }
        Ok(read)
    }
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

    /// Appends the missing trailing characters of a text.
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

struct NumberLeaves<'a, T> {
    to: BatchSink<'a>,
    ty: std::marker::PhantomData<T>,
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
        let value = from.deserialize_any(NumberVisitor::<T>::new(context))?;
        self.to.number(value).map_err(|e| context.stop(e))
    }
}

struct CharacterLeaves<'a> {
    to: BatchSink<'a>,
}

impl Leaf for CharacterLeaves<'_> {
    const TEXT: bool = true;
    fn one<'de, D: Deserializer<'de>>(
        &mut self,
        context: &InputContext,
        from: D,
    ) -> std::result::Result<(), D::Error> {
        self.text(context, 1, from)
    }
    fn text<'de, D: Deserializer<'de>>(
        &mut self,
        context: &InputContext,
        len: u64,
        from: D,
    ) -> std::result::Result<(), D::Error> {
        context.allow(VALUE_TEXT);
        let (mut found, to) = (0u64, &mut self.to);
        let mut put = |bytes: &[u8]| {
            found += bytes.len() as u64;
            // Excess length is reported below.
            context.allow(VALUE_TEXT);
            match found <= len {
                true => to.characters(bytes),
                false => Ok(()),
            }
        };
        let (put, list) = (&mut put as &mut dyn FnMut(&[u8]) -> Result<()>, true);
        TextSeed { context, put, list }.deserialize(from)?;
        match len.checked_sub(found) {
            Some(zeros) => self.to.zeros(zeros).map_err(|e| context.stop(e)),
            None => Err(context.wrong(format!("the text has {found} bytes, expected {len}"))),
        }
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

impl OtherLeaves<'_> {
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
