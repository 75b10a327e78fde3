//! The data of a variable: bands are converted to text in parallel and written in order.

use netcdf_core::chunk::{Dataset, InBands, Layout};
use netcdf_core::error::{Context as _, Error, ErrorKind, Result};
use netcdf_core::model::{Atomic, DataType, Region, VarId};

use super::JsonWriter;
use super::number::JsonNumber;
use super::rows::JsonRows;
use super::value::{JsonForm, JsonValue};
use crate::json::text::push_bytes;
use crate::write::{BAND, BandValues, ROW, RowGrid, Span, band_len, band_values, separate};

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
        let band = band_len(BAND, &shape);
        let rows = JsonRows {
            grid: RowGrid { shape },
            indent: self.out.indent() + 2,
            text,
        };
        if text && rows.grid.len() > ROW {
            return self.long_texts(id, &rows, begun);
        }
        let region = Region::whole(&rows.grid.shape);
        let content = JsonContent {
            set: self.set,
            id,
            layout,
            values: JsonValue {
                schema,
                form: JsonForm,
            },
        };
        let out = &mut self.out;
        self.set.bands(
            id,
            InBands::new(region, band),
            |band, stored| {
                let part = content.part(&rows, band, stored);
                part.in_object(|| schema.var_path(id))
            },
            |part| {
                if !std::mem::replace(begun, true) {
                    out.key("data");
                }
                out.block.long(&part)
            },
        )
    }

    /// Writes long rows of characters, each as a list of strings.
    fn long_texts(&mut self, id: VarId, rows: &JsonRows, begun: &mut bool) -> Result<()> {
        let mut index = vec![0; rows.grid.outer().len()];
        loop {
            let mut pieces = TextPieces::default();
            for at in (0..rows.grid.len()).step_by(1 << 16) {
                let (mut start, mut count) = (index.clone(), vec![1; index.len()]);
                start.push(at);
                count.push(ROW.min(rows.grid.len() - at));
                let values = self.set.read(id, &Region::boxed(start, count))?;
                if !std::mem::replace(begun, true) {
                    self.out.key("data");
                }
                if at == 0 {
                    rows.begin(&index, &mut self.out.block.text);
                    self.out.block.text.push(b'[');
                }
                let last = at + ROW >= rows.grid.len();
                let text = values.as_text().unwrap_or_default();
                pieces.put(text, last, &mut self.out.block.text);
                self.out.block.pass()?;
            }
            self.out.block.text.push(b']');
            rows.end(&index, &mut self.out.block.text);
            if !rows.grid.advance(&mut index) {
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
    values: JsonValue<'a>,
}

impl JsonContent<'_> {
    /// Returns the text of a band.
    fn part(&self, rows: &JsonRows, band: &Region, stored: Vec<u8>) -> Result<Vec<u8>> {
        let values = match band_values(self.set, self.id, &self.layout, stored)? {
            BandValues::Atomic(ty, stored) => return Ok(plain(ty, rows, band, &stored)),
            BandValues::Other(values) => values,
        };
        let mut next = 0;
        Ok(text(rows, band, |n, out| {
            self.values.items(&values, next..next + n, out);
            next += n;
        }))
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

/// The text of a band; `put` appends that many further values.
fn text(rows: &JsonRows, band: &Region, mut put: impl FnMut(usize, &mut Vec<u8>)) -> Vec<u8> {
    let Span {
        rows: count,
        values,
        begins,
        ends,
        ..
    } = rows.grid.span(band);
    let mut index = rows.grid.index(band);
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
        rows.grid.advance(&mut index);
    }
    out
}
