//! Vdatas: tables of records.

use super::ntype::Hdf4NumberType;
use super::special::{length, u16_be};
use super::vgroup::text;
use crate::arithmetic::Amount;
use crate::bytes::Cursor;
use crate::error::{Error, ErrorKind, Result};

/// The last version with old type numbers.
const OLD_TYPES: u16 = 2;
/// The current codes of the old type numbers.
const OLD_CODES: [u16; 8] = [0, 4, 24, 5, 24, 20, 22, 6];

/// The header of a Vdata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vdata {
    /// The fields of a record, in order.
    pub fields: Vec<VdataField>,
    /// Number of records.
    pub records: u64,
    /// Whether data is stored record by record, not field by field.
    pub by_record: bool,
    /// The name.
    pub name: Vec<u8>,
    /// The class, which defines its purpose.
    pub class: Vec<u8>,
}

/// A field of a Vdata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VdataField {
    /// The number type code, with flags.
    pub code: u16,
    /// Bytes per record.
    pub size: u16,
}

impl VdataField {
    /// The number type of the field.
    ///
    /// # Errors
    /// Returns errors from [`Hdf4NumberType::of_code`].
    pub fn number_type(&self) -> Result<Hdf4NumberType> {
        Hdf4NumberType::of_code(self.code)
    }
}

impl Vdata {
    /// Parses the header.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`] and [`ErrorKind::Corrupt`].
    pub fn parse(c: &mut Cursor<'_>) -> Result<Self> {
        let by_record = u16_be(c)? == 0;
        let records = length(c)?;
        u16_be(c)?; // bytes of a record
        let count = usize::from(u16_be(c)?);
        let mut column = || -> Result<Vec<u16>> {
            let bytes = c.bytes(count.saturating_mul(2))?;
            let number = |pair: &[u8]| pair.first_chunk().map_or(0, |&b| u16::from_be_bytes(b));
            Ok(bytes.chunks_exact(2).map(number).collect())
        };
        let (codes, sizes) = (column()?, column()?);
        let (_offsets, _orders) = (column()?, column()?);
        for _ in 0..count {
            text(c)?; // name of a field
        }
        let (name, class) = (text(c)?, text(c)?);
        c.skip(4.min(c.remaining()))?; // an unused header continuation
        let old = u16_be(c).is_ok_and(|version| version <= OLD_TYPES);
        let fields = codes.into_iter().zip(sizes);
        let fields = fields.map(|(code, size)| VdataField {
            code: if old { today(code) } else { code },
            size,
        });
        Ok(Self {
            fields: fields.collect(),
            records,
            by_record,
            name,
            class,
        })
    }

    /// Whether the Vdata has this class.
    #[must_use]
    pub fn is(&self, class: &str) -> bool {
        self.class == class.as_bytes()
    }

    /// Bytes of all records.
    #[must_use]
    pub fn len(&self) -> u64 {
        let record = self.fields.iter().map(|f| u64::from(f.size)).sum::<u64>();
        (Amount::of(record) * self.records).get()
    }

    /// Whether there are no records.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the values of a field, record by record. `bytes` are all records.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`] for missing bytes, and [`ErrorKind::Corrupt`] for a missing field.
    pub fn column<'a>(&self, field: usize, bytes: &'a [u8]) -> Result<FieldColumn<'a>> {
        let size = |f: &VdataField| usize::from(f.size);
        let before = self.fields.iter().take(field).map(size).sum::<usize>();
        let record = self.fields.iter().map(size).sum::<usize>();
        let len = self.fields.get(field).map(size).filter(|&n| n > 0);
        let len = len.ok_or_else(|| Error::new(ErrorKind::Corrupt, "a Vdata without a field"))?;
        let whole = usize::try_from(self.len()).ok();
        let bytes = whole.and_then(|n| bytes.get(..n)).ok_or_else(|| {
            let what = format!("{} bytes of {} records", bytes.len(), self.records);
            Error::new(ErrorKind::Truncated, what)
        })?;
        let (start, step) = match self.by_record {
            true => (before, record),
            false => (before.saturating_mul(bytes.len() / record.max(1)), len),
        };
        let bytes = bytes.get(start..).unwrap_or_default();
        Ok(FieldColumn { bytes, step, len })
    }
}

/// The values of a field.
#[derive(Debug, Clone, Copy)]
pub struct FieldColumn<'a> {
    bytes: &'a [u8],
    step: usize,
    len: usize,
}

impl<'a> FieldColumn<'a> {
    /// The field bytes of each record. More bytes follow the last record if data is stored field by field.
    pub fn values(self) -> impl Iterator<Item = &'a [u8]> {
        let records = self.bytes.chunks(self.step);
        records.map_while(move |record| record.get(..self.len))
    }
}

fn today(code: u16) -> u16 {
    let known = OLD_CODES.get(usize::from(code)).copied();
    known.unwrap_or(code)
}
