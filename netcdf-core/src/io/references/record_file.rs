//! A parquet file of references: one row per chunk, with the columns `path`, `offset`, `size` and `raw`.

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Compression, ZstdLevel};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::urls::Urls;
use crate::error::{Error, ErrorKind, Result};
use crate::io::reference::Reference;

/// The maximum number of rows per file.
pub(super) const MAX_ROWS: usize = 4 << 20;

/// The columns. Only the offset and the size are in all rows.
const SCHEMA: &str = "message schema { optional binary path (UTF8); required int64 offset; required int64 size; optional binary raw; }";

/// The types of the columns for pandas, which otherwise reads the numbers as doubles.
const PANDAS: &str = r#"{"columns": [
{"field_name": "path", "metadata": null, "name": "path", "numpy_type": "object", "pandas_type": "unicode"},
{"field_name": "offset", "metadata": null, "name": "offset", "numpy_type": "int64", "pandas_type": "int64"},
{"field_name": "size", "metadata": null, "name": "size", "numpy_type": "int64", "pandas_type": "int64"},
{"field_name": "raw", "metadata": null, "name": "raw", "numpy_type": "object", "pandas_type": "bytes"}],
"column_indexes": [], "index_columns": [], "partition_columns": []}"#;

/// The references of a file; `None` for missing chunks.
pub(super) type Rows = Vec<Option<Reference>>;

/// The columns of a file.
#[derive(Default)]
struct RecordColumns {
    path: Vec<Option<ByteArray>>,
    offset: Vec<Option<i64>>,
    size: Vec<Option<i64>>,
    raw: Vec<Option<ByteArray>>,
}

/// Decodes a file.
///
/// # Errors
/// Returns [`ErrorKind::Corrupt`] for damaged files and wrong columns, and [`ErrorKind::Limit`] for too many rows.
pub(super) fn decode(bytes: Vec<u8>, urls: &mut Urls) -> Result<Rows> {
    // The decoder is not written for hostile files.
    let read = std::panic::catch_unwind(|| columns(bytes));
    let panicked = |_| ParquetError::General("the decoder panicked".to_owned());
    let columns = read.map_err(panicked).flatten().map_err(damaged)?;
    let rows = columns.offset.len();
    let mut out = Vec::with_capacity(rows);
    for row in 0..rows {
        out.push(columns.reference(row, urls)?);
    }
    Ok(out)
}

fn damaged(e: ParquetError) -> Error {
    Error::new(ErrorKind::Corrupt, format!("damaged parquet file: {e}"))
}

fn columns(bytes: Vec<u8>) -> Result<RecordColumns, ParquetError> {
    let reader = SerializedFileReader::new(Bytes::from(bytes))?;
    let rows = reader.metadata().file_metadata().num_rows();
    if usize::try_from(rows)
        .ok()
        .is_none_or(|rows| rows > MAX_ROWS)
    {
        let what = format!("{rows} rows, the limit is {MAX_ROWS}");
        return Err(ParquetError::General(what));
    }
    let mut out = RecordColumns::default();
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group)?;
        for n in 0..group.num_columns() {
            let name = group.metadata().column(n).column_path().string();
            let column = || group.get_column_reader(n);
            match name.as_str() {
                "path" => texts(column()?, &mut out.path)?,
                "raw" => texts(column()?, &mut out.raw)?,
                "offset" => numbers(column()?, &mut out.offset)?,
                "size" => numbers(column()?, &mut out.size)?,
                _ => {}
            }
        }
    }
    Ok(out)
}

fn texts(column: ColumnReader, out: &mut Vec<Option<ByteArray>>) -> Result<(), ParquetError> {
    match column {
        ColumnReader::ByteArrayColumnReader(reader) => values(reader, out),
        // Writers choose any type for a column without values.
        ColumnReader::Int32ColumnReader(reader) => nulls(reader, out),
        ColumnReader::Int64ColumnReader(reader) => nulls(reader, out),
        ColumnReader::BoolColumnReader(reader) => nulls(reader, out),
        ColumnReader::DoubleColumnReader(reader) => nulls(reader, out),
        _ => Err(ParquetError::General("a column is not text".to_owned())),
    }
}

fn numbers(column: ColumnReader, out: &mut Vec<Option<i64>>) -> Result<(), ParquetError> {
    match column {
        ColumnReader::Int64ColumnReader(reader) => values(reader, out),
        ColumnReader::Int32ColumnReader(reader) => {
            let mut all: Vec<Option<i32>> = vec![];
            values(reader, &mut all)?;
            out.extend(all.into_iter().map(|n| n.map(i64::from)));
            Ok(())
        }
        _ => {
            let what = "a column is not a whole number".to_owned();
            Err(ParquetError::General(what))
        }
    }
}

/// Reads the values of a column that contains no values.
fn nulls<T: DataType, V>(
    reader: ColumnReaderImpl<T>,
    out: &mut Vec<Option<V>>,
) -> Result<(), ParquetError> {
    let mut all: Vec<Option<T::T>> = vec![];
    values(reader, &mut all)?;
    if all.iter().any(Option::is_some) {
        return Err(ParquetError::General("a column is not text".to_owned()));
    }
    out.extend(all.iter().map(|_| None));
    Ok(())
}

/// Reads all values of a column.
fn values<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    out: &mut Vec<Option<T::T>>,
) -> Result<(), ParquetError> {
    loop {
        let (mut levels, mut found) = (vec![], vec![]);
        let left = (MAX_ROWS - out.len().min(MAX_ROWS)).min(1 << 16);
        let (rows, ..) = reader.read_records(left, Some(&mut levels), None, &mut found)?;
        if rows == 0 {
            return Ok(());
        }
        let mut found = found.into_iter();
        match levels.is_empty() {
            true => out.extend(found.map(Some)),
            false => out.extend(levels.iter().map(|level| match level {
                0 => None,
                _ => found.next(),
            })),
        }
    }
}

impl RecordColumns {
    /// Returns the reference in a row.
    fn reference(&self, row: usize, urls: &mut Urls) -> Result<Option<Reference>> {
        let text = |column: &[Option<ByteArray>]| column.get(row).cloned().flatten();
        let number = |column: &[Option<i64>]| {
            let value = column.get(row).copied().flatten().unwrap_or(0);
            u64::try_from(value).map_err(|_| wrong("a negative offset or size"))
        };
        if let Some(raw) = text(&self.raw) {
            return Ok(Some(Reference::Inline(raw.data().into())));
        }
        let Some(path) = text(&self.path) else {
            return Ok(None);
        };
        let path = path.as_utf8().map_err(|_| wrong("a path is not UTF-8"))?;
        let url = urls.shared(path);
        Ok(Some(match (number(&self.offset)?, number(&self.size)?) {
            (0, 0) => Reference::Whole(url),
            (offset, len) => Reference::Range { url, offset, len },
        }))
    }
}

fn wrong(what: &'static str) -> Error {
    Error::new(ErrorKind::Corrupt, what)
}

/// Encodes a file.
///
/// # Errors
/// Returns [`ErrorKind::Range`] for offsets beyond 2^63, and [`ErrorKind::Unsupported`] for references that the form cannot express.
pub(super) fn encode(rows: &[Option<Reference>]) -> Result<Vec<u8>> {
    let (mut path, mut raw) = (TextColumn::default(), TextColumn::default());
    let (mut offsets, mut sizes) = (vec![], vec![]);
    for row in rows {
        let (offset, len) = match row {
            None => (0, 0),
            Some(Reference::Inline(bytes)) => {
                raw.add(Some(bytes));
                path.add(None);
                (0, 0)
            }
            Some(Reference::Whole(url)) => {
                path.add(Some(url.as_bytes()));
                raw.add(None);
                (0, 0)
            }
            Some(Reference::Range { url, offset, len }) => {
                if (*offset, *len) == (0, 0) {
                    let what = "an empty chunk, which parquet references cannot express";
                    return Err(Error::new(ErrorKind::Unsupported, what));
                }
                path.add(Some(url.as_bytes()));
                raw.add(None);
                (*offset, *len)
            }
        };
        if row.is_none() {
            path.add(None);
            raw.add(None);
        }
        offsets.push(i64::try_from(offset).map_err(|_| beyond())?);
        sizes.push(i64::try_from(len).map_err(|_| beyond())?);
    }
    let written = written((&path, &raw), (&offsets, &sizes));
    let failed = |e| Error::internal(&format!("parquet: {e}"));
    written.map_err(failed)
}

fn beyond() -> Error {
    Error::new(ErrorKind::Range, "an offset beyond 2^63")
}

/// A column of optional texts.
#[derive(Default)]
struct TextColumn {
    values: Vec<ByteArray>,
    levels: Vec<i16>,
}

impl TextColumn {
    fn add(&mut self, value: Option<&[u8]>) {
        self.levels.push(i16::from(value.is_some()));
        self.values
            .extend(value.map(|value| ByteArray::from(value.to_vec())));
    }
}

fn written(
    (path, raw): (&TextColumn, &TextColumn),
    (offsets, sizes): (&[i64], &[i64]),
) -> Result<Vec<u8>, ParquetError> {
    let schema = Arc::new(parse_message_type(SCHEMA)?);
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_key_value_metadata(Some(vec![KeyValue::new(
            "pandas".to_owned(),
            PANDAS.to_owned(),
        )]))
        .set_created_by("netcdf-tools".to_owned())
        .build();
    let mut out = vec![];
    let mut writer = SerializedFileWriter::new(&mut out, schema, Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    for n in 0..4 {
        let none = || ParquetError::General("no column".to_owned());
        let mut column = group.next_column()?.ok_or_else(none)?;
        match n {
            0 | 3 => {
                let text = if n == 0 { path } else { raw };
                let column = column.typed::<ByteArrayType>();
                column.write_batch(&text.values, Some(&text.levels), None)?;
            }
            _ => {
                let numbers = if n == 1 { offsets } else { sizes };
                let column = column.typed::<Int64Type>();
                column.write_batch(numbers, None, None)?;
            }
        }
        column.close()?;
    }
    group.close()?;
    writer.close()?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_survive() {
        let url: Arc<str> = "s3://bucket/a.nc".into();
        let rows = vec![
            None,
            Some(Reference::Whole(Arc::clone(&url))),
            Some(Reference::Range {
                url,
                offset: 1 << 40,
                len: 7,
            }),
            Some(Reference::Inline(b"\0\xff".as_slice().into())),
            None,
        ];
        let bytes = encode(&rows).unwrap();
        assert_eq!(decode(bytes, &mut Urls::default()).unwrap(), rows);
        assert_eq!(encode(&rows).unwrap(), encode(&rows).unwrap());
    }

    #[test]
    fn damage_is_an_error() {
        let url: Arc<str> = "a.nc".into();
        let row = Some(Reference::Range {
            url,
            offset: 1,
            len: 2,
        });
        let bytes = encode(&vec![row; 100]).unwrap();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x55;
            let _ = decode(damaged, &mut Urls::default());
            let _ = decode(bytes[..at].to_vec(), &mut Urls::default());
        }
    }
}
