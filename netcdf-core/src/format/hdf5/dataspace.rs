//! Dataspaces ("IV.A.2.b", versions 1 and 2).

use super::fields::Fields;
use crate::error::{ErrorKind, Result};
use crate::model::region::product;

/// The shape of a dataset or an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dataspace {
    /// Scalar, simple or null.
    pub class: DataspaceClass,
    /// Length in elements per dimension.
    pub dims: Vec<u64>,
    /// Maximum length in elements per dimension; `None` for unlimited. Has the same length as `dims`.
    pub max: Vec<Option<u64>>,
}

/// Dataspace classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataspaceClass {
    /// One element.
    Scalar,
    /// An array.
    Simple,
    /// No elements.
    Null,
}

impl Dataspace {
    /// Reads the message body.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`], [`ErrorKind::Unknown`] and [`ErrorKind::Corrupt`].
    pub fn parse(c: &mut Fields) -> Result<Self> {
        let version = c.version(1..=2, "a dataspace")?;
        let (rank, flags) = (c.u8()?, c.u8()?);
        let class = if version == 1 {
            c.skip(5)?;
            if rank == 0 {
                DataspaceClass::Scalar
            } else {
                DataspaceClass::Simple
            }
        } else {
            let class = c.u8()?;
            match class {
                0 => DataspaceClass::Scalar,
                1 => DataspaceClass::Simple,
                2 => DataspaceClass::Null,
                _ => return Err(c.error(ErrorKind::Corrupt, format!("dataspace class {class}"))),
            }
        };
        if class != DataspaceClass::Simple && rank > 0 {
            let kind = match class {
                DataspaceClass::Scalar => "scalar",
                DataspaceClass::Simple | DataspaceClass::Null => "null",
            };
            let what = format!("a {kind} dataspace of {rank} dimensions, expected none");
            return Err(c.error(ErrorKind::Corrupt, what));
        }
        let dims: Vec<_> = (0..rank).map(|_| c.length()).collect::<Result<_>>()?;
        let max: Vec<Option<u64>> = if flags & 1 != 0 {
            (0..rank)
                .map(|_| c.length_or_none())
                .collect::<Result<_>>()?
        } else {
            dims.iter().copied().map(Some).collect()
        };
        let above = |(n, max): (&u64, &Option<u64>)| max.is_some_and(|max| *n > max);
        if dims.iter().zip(&max).any(above) {
            let max = max
                .iter()
                .map(|m| m.map_or("unlimited".into(), |n| n.to_string()));
            let max: Vec<String> = max.collect();
            let max = max.join(", ");
            let what = format!("a shape of {dims:?}, beyond its maximum of [{max}]");
            return Err(c.error(ErrorKind::Corrupt, what));
        }
        Ok(Self { class, dims, max })
    }

    /// Number of elements; `None` beyond 2^64.
    #[must_use]
    pub fn elements(&self) -> Option<u64> {
        match self.class {
            DataspaceClass::Scalar => Some(1),
            DataspaceClass::Simple => product(&self.dims),
            DataspaceClass::Null => Some(0),
        }
    }
}
