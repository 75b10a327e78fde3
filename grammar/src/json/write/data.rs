//! The data of a variable: bands are converted to text in parallel and written in order.

use netcdf_core::chunk::{Dataset, InBands, Layout, elements};
use netcdf_core::error::{Context as _, Error, ErrorKind, Result};
use netcdf_core::model::{Atomic, DataType, Endianness, Region, VarId};

use super::JsonWriter;
use super::number::JsonNumber;
use super::rows::{JsonRowSpan, JsonRows};
use super::value::JsonValueText;
use crate::json::text::push_bytes;

/// Band size in elements: small enough for elements and text to stay in the processor cache.
const BAND: u64 = 1 << 15;
/// Maximum length of a row that is not split into bands. A longer text is split into a list of strings of this length.
const ROW: u64 = 1 << 16;

impl JsonWriter<'_, '_> {
    /// Writes the data of a variable. If a filter is missing, writes no data and returns the error.
    pub(super) fn variable_data(&mut self, id: VarId) -> Result<Option<Error>> {
        let mut begun = false;
        let written = self.set.check_filters(id);
        match written.and_then(|()| self.values(id, &mut begun)) {
            Ok(()) => Ok(None),
            Err(e) if e.kind() == ErrorKind::FilterUnavailable && !begun => Ok(Some(e)),
            Err(e) => Err(e),
        }
    }

    /// Writes the data of a variable. `begun` becomes true with the first output.
    fn values(&mut self, id: VarId, begun: &mut bool) -> Result<()> {
        let schema = self.schema;
        let layout = self.set.layout(id)?;
        let shape = schema.shape(id);
        let text = layout.element.ty == DataType::Atomic(Atomic::Char) && !shape.is_empty();
        let rows = JsonRows {
            shape,
            indent: self.out.indent() + 2,
            text,
        };
        if text && rows.len() > ROW {
            return self.long_texts(id, &rows, begun);
        }
        let region = Region::whole(&rows.shape);
        let most = BAND.max(
            rows.shape
                .last()
                .copied()
                .filter(|&len| len <= ROW)
                .unwrap_or(0),
        );
        let content = JsonContent {
            set: self.set,
            id,
            layout,
            values: JsonValueText { schema },
        };
        let out = &mut self.out;
        self.set.bands(
            id,
            InBands::new(region, most),
            |band, stored| {
                let part = content.part(&rows, band, stored);
                part.in_object(|| schema.var_path(id))
            },
            |part| {
                if !std::mem::replace(begun, true) {
                    out.key("data");
                }
                out.long(&part)
            },
        )
    }

    /// Writes long rows of characters, each as a list of strings.
    fn long_texts(&mut self, id: VarId, rows: &JsonRows, begun: &mut bool) -> Result<()> {
        let mut index = vec![0; rows.outer().len()];
        loop {
            let mut pieces = TextPieces::default();
            for at in (0..rows.len()).step_by(1 << 16) {
                let (mut start, mut count) = (index.clone(), vec![1; index.len()]);
                start.push(at);
                count.push(ROW.min(rows.len() - at));
                let values = self.set.read(id, &Region::boxed(start, count))?;
                if !std::mem::replace(begun, true) {
                    self.out.key("data");
                }
                if at == 0 {
                    rows.begin(&index, &mut self.out.text);
                    self.out.text.push(b'[');
                }
                let last = at + ROW >= rows.len();
                let text = values.as_text().unwrap_or_default();
                pieces.put(text, last, &mut self.out.text);
                self.out.pass()?;
            }
            self.out.text.push(b']');
            rows.end(&index, &mut self.out.text);
            if !rows.advance(&mut index) {
                return Ok(());
            }
        }
    }
}

/// The strings of a split text. A character at a split point belongs to the later string.
#[derive(Default)]
struct TextPieces {
    /// The first bytes of an incomplete character.
    begun: Vec<u8>,
    any: bool,
}

impl TextPieces {
    fn put(&mut self, text: &[u8], last: bool, out: &mut Vec<u8>) {
        let mut piece = std::mem::take(&mut self.begun);
        piece.extend_from_slice(text);
        if let Err(e) = std::str::from_utf8(&piece)
            && e.error_len().is_none()
            && !last
        {
            self.begun = piece.split_off(e.valid_up_to());
        }
        if std::mem::replace(&mut self.any, true) {
            out.extend_from_slice(b", ");
        }
        push_bytes(&piece, out);
    }
}

/// The values of a variable with the options for writing them.
struct JsonContent<'a> {
    set: &'a Dataset<'a>,
    id: VarId,
    layout: Layout,
    values: JsonValueText<'a>,
}

impl JsonContent<'_> {
    /// Returns the text of a band.
    fn part(&self, rows: &JsonRows, band: &Region, mut stored: Vec<u8>) -> Result<Vec<u8>> {
        let element = &self.layout.element;
        if element.plain_type().is_none() {
            let values = self.set.resolve(self.id, &stored)?;
            if values.data_type().and_then(Atomic::size).is_none() {
                let mut next = 0;
                return Ok(text(rows, band, |n, out| {
                    for i in next..next + n {
                        separate(i - next, out);
                        self.values.one(&values, i, out);
                    }
                    next += n;
                }));
            }
            stored.clear();
            elements::encode(&values, Endianness::Big, &mut stored)?;
        } else if element.order == Endianness::Little {
            let size = usize::try_from(element.size).unwrap_or(1);
            elements::swap(&mut stored, size);
        }
        Ok(plain(
            element.ty.atomic().unwrap_or(Atomic::Byte),
            rows,
            band,
            &stored,
        ))
    }
}

/// Returns the text of a band of atomic values.
fn plain(ty: Atomic, rows: &JsonRows, band: &Region, stored: &[u8]) -> Vec<u8> {
    match ty {
        Atomic::Byte => numbers::<i8>(rows, band, stored),
        Atomic::Short => numbers::<i16>(rows, band, stored),
        Atomic::Int => numbers::<i32>(rows, band, stored),
        Atomic::Int64 => numbers::<i64>(rows, band, stored),
        Atomic::UByte => numbers::<u8>(rows, band, stored),
        Atomic::UShort => numbers::<u16>(rows, band, stored),
        Atomic::UInt => numbers::<u32>(rows, band, stored),
        Atomic::UInt64 => numbers::<u64>(rows, band, stored),
        Atomic::Float => numbers::<f32>(rows, band, stored),
        Atomic::Double => numbers::<f64>(rows, band, stored),
        Atomic::Char => {
            let mut rest = stored;
            text(rows, band, |n, out| {
                let (row, left) = rest.split_at_checked(n).unwrap_or((rest, &[]));
                push_bytes(row, out);
                rest = left;
            })
        }
        // Strings are never plain.
        Atomic::String => vec![],
    }
}

fn numbers<T: JsonNumber>(rows: &JsonRows, band: &Region, stored: &[u8]) -> Vec<u8> {
    let mut values = T::split(stored).iter().map(T::read);
    text(rows, band, |n, out| {
        for (i, value) in values.by_ref().take(n).enumerate() {
            separate(i, out);
            value.push(out);
        }
    })
}

fn separate(i: usize, out: &mut Vec<u8>) {
    if i > 0 {
        out.extend_from_slice(b", ");
    }
}

/// Returns the text of a band; `put` appends a number of values.
fn text(rows: &JsonRows, band: &Region, mut put: impl FnMut(usize, &mut Vec<u8>)) -> Vec<u8> {
    let JsonRowSpan {
        rows: count,
        values,
        begins,
        ends,
    } = rows.span(band);
    let mut index = rows.index(band);
    let mut out = Vec::with_capacity(count.saturating_mul(values).saturating_mul(8));
    for _ in 0..count {
        match begins {
            true => rows.begin(&index, &mut out),
            false => out.extend_from_slice(b", "),
        }
        put(values, &mut out);
        if ends {
            rows.end(&index, &mut out);
        }
        rows.advance(&mut index);
    }
    out
}
