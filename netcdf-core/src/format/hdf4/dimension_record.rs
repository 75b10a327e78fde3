//! Dimension records: rank, lengths and number types of a numeric data group.

use super::dd::TagRef;
use super::file::Hdf4File;
use super::ntype::Hdf4NumberType;
use super::special::{length, u16_be};
use crate::bytes::Cursor;
use crate::error::{Error, ErrorKind, Result};

/// A dimension record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DimensionRecord {
    /// Lengths of the dimensions.
    pub shape: Vec<u64>,
    /// The type of the data.
    pub ty: Hdf4NumberType,
    /// The number type of each dimension scale; `None` without a netCDF equivalent.
    pub scales: Vec<Option<Hdf4NumberType>>,
}

impl DimensionRecord {
    /// Parses a record and reads its number types.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`], [`ErrorKind::Corrupt`], [`ErrorKind::Limit`], and [`ErrorKind::Unsupported`] for types without a
    /// netCDF equivalent.
    pub fn parse(c: &mut Cursor<'_>, file: &Hdf4File) -> Result<Self> {
        let rank = u16_be(c)?;
        if u32::from(rank) > file.limits().rank {
            let what = format!("{rank} dimensions, the limit is {}", file.limits().rank);
            return Err(c.error(ErrorKind::Limit, what));
        }
        let shape = (0..rank).map(|_| length(c)).collect::<Result<_>>()?;
        let types = (0..=rank).map(|_| Ok(TagRef::new(u16_be(c)?, u16_be(c)?)));
        let types = types.collect::<Result<Vec<TagRef>>>()?;
        let mut distinct = types.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let read = file.read(&distinct)?;
        let parsed = read.into_iter().map(|bytes| Hdf4NumberType::parse(&bytes?));
        let parsed: Vec<Result<Hdf4NumberType>> = parsed.collect();
        let of = |id: &TagRef| {
            let place = distinct.binary_search(id).ok();
            place.and_then(|place| parsed.get(place))
        };
        let missing = || Error::internal("a number type that was not read");
        let (data, scales) = types.split_first().ok_or_else(missing)?;
        let ty = match of(data).ok_or_else(missing)? {
            Ok(ty) => *ty,
            Err(e) => return Err(e.again()),
        };
        let scale = |id: &TagRef| of(id).and_then(|ty| ty.as_ref().ok()).copied();
        Ok(Self {
            shape,
            ty,
            scales: scales.iter().map(scale).collect(),
        })
    }
}
