//! The Data Layout message ("IV.A.2.i", versions 1 to 5): the storage of a dataset.

use crate::error::{ErrorKind, Result};
use crate::format::hdf5::fields::Fields;

/// The data location of a dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DataLayout {
    /// In the message.
    Compact(Vec<u8>),
    /// Contiguous.
    Contiguous {
        /// The data address; `None` if no storage is allocated.
        address: Option<u64>,
        /// Size in bytes; `None` in versions 1 and 2, which define it by the dataspace.
        size: Option<u64>,
    },
    /// Chunked.
    Chunked(ChunkedLayout),
    /// Mapped from other datasets. The global heap contains the mappings.
    Virtual {
        /// Address of the global heap collection; `None` without mappings.
        heap: Option<u64>,
        /// Object index in the collection.
        index: u32,
    },
}

/// The layout of a chunked dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkedLayout {
    /// Chunk length in elements per dimension, never 0.
    pub dims: Vec<u64>,
    /// Bytes per element. [`Dataset`](crate::format::hdf5::dataset::Hdf5Dataset) sets it to the datatype size.
    pub element_size: u64,
    /// Whether partial chunks are stored without filters.
    pub edges_unfiltered: bool,
    /// The kind of chunk index.
    pub index: ChunkIndexKind,
    /// The index address; `None` before the first chunk.
    pub address: Option<u64>,
}

/// Chunk index kinds ("VII. Appendix C").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChunkIndexKind {
    /// A version 1 B-tree.
    BTree1,
    /// The only chunk; stored size in bytes and filter mask, for a filtered chunk.
    Single(Option<(u64, u32)>),
    /// All chunks in row-major order, without compression.
    Implicit,
    /// A fixed array.
    FixedArray,
    /// An extensible array.
    ExtensibleArray,
    /// A version 2 B-tree.
    BTree2,
}

impl ChunkIndexKind {
    /// Whether chunk locations are read from a structure in the file, not computed.
    #[must_use]
    pub fn is_read(self) -> bool {
        match self {
            Self::BTree1 | Self::FixedArray | Self::ExtensibleArray | Self::BTree2 => true,
            Self::Single(_) | Self::Implicit => false,
        }
    }
}

impl DataLayout {
    /// Reads the message body.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`], [`ErrorKind::Corrupt`] and [`ErrorKind::Unknown`].
    pub fn parse(c: &mut Fields) -> Result<Self> {
        let version = c.version(1..=5, "a data layout")?;
        if version < 3 {
            return parse_old(c);
        }
        let class = c.u8()?;
        match class {
            0 => {
                let size = c.u16_le()?;
                Ok(Self::Compact(c.bytes(size.into())?.to_vec()))
            }
            1 => Ok(Self::Contiguous {
                address: c.address()?,
                size: Some(c.length()?),
            }),
            2 if version == 3 => chunked_3(c).map(Self::Chunked),
            2 => chunked_4(c).map(Self::Chunked),
            3 if version > 3 => Ok(Self::Virtual {
                heap: c.address()?,
                index: c.u32_le()?,
            }),
            _ => Err(unknown_class(c, class)),
        }
    }
}

fn unknown_class(c: &Fields, class: u8) -> crate::error::Error {
    let what = format!("data layout class {class}, expected 0 to 2, or 3 from version 4 on");
    c.error(ErrorKind::Unknown, what)
}

/// Reads versions 1 and 2: the same fields for all classes.
fn parse_old(c: &mut Fields) -> Result<DataLayout> {
    let (rank, class) = (c.u8()?, c.u8()?);
    c.skip(5)?;
    let address = if class == 0 { None } else { c.address()? };
    let sizes = sizes(c, rank, 4)?;
    match class {
        0 => {
            let size = c.u32_le()?;
            let size = usize::try_from(size).map_err(|_| c.short(size.into()))?;
            Ok(DataLayout::Compact(c.bytes(size)?.to_vec()))
        }
        1 => Ok(DataLayout::Contiguous {
            address,
            size: None,
        }),
        2 => chunked(c, sizes, false, ChunkIndexKind::BTree1, address).map(DataLayout::Chunked),
        _ => Err(unknown_class(c, class)),
    }
}

fn chunked_3(c: &mut Fields) -> Result<ChunkedLayout> {
    let rank = c.u8()?;
    let address = c.address()?;
    let sizes = sizes(c, rank, 4)?;
    chunked(c, sizes, false, ChunkIndexKind::BTree1, address)
}

/// Flag: partial chunks are stored without filters.
const EDGES_UNFILTERED: u8 = 0x01;
/// Flag: the only chunk is filtered.
const SINGLE_FILTERED: u8 = 0x02;

fn chunked_4(c: &mut Fields) -> Result<ChunkedLayout> {
    let (flags, rank, width) = (c.u8()?, c.u8()?, c.u8()?);
    let mut sizes = sizes(c, rank, width)?;
    if let Some(element) = sizes.last_mut() {
        // Readers of this version take the size from the datatype.
        *element = (*element).max(1);
    }
    let kind = c.u8()?;
    let filtered = (kind == 1 && flags & SINGLE_FILTERED != 0)
        .then(|| Ok((c.length()?, c.u32_le()?)))
        .transpose()?;
    // Settings repeated in the index headers, for example page bits.
    c.skip(match kind {
        1 | 2 => 0,
        3 => 1,
        4 => 5,
        5 => 6,
        _ => {
            let what = format!("chunk index type {kind}, expected 1 to 5");
            return Err(c.error(ErrorKind::Unknown, what));
        }
    })?;
    let address = c.address()?;
    let index = match kind {
        1 => ChunkIndexKind::Single(filtered),
        2 => ChunkIndexKind::Implicit,
        3 => ChunkIndexKind::FixedArray,
        4 => ChunkIndexKind::ExtensibleArray,
        _ => ChunkIndexKind::BTree2,
    };
    chunked(c, sizes, flags & EDGES_UNFILTERED != 0, index, address)
}

/// Reads `rank` sizes of `width` bytes.
fn sizes(c: &mut Fields, rank: u8, width: u8) -> Result<Vec<u64>> {
    (0..rank).map(|_| c.uint_le(width.into())).collect()
}

/// Builds the layout from chunk lengths; the last length is the element size.
fn chunked(
    c: &Fields,
    mut sizes: Vec<u64>,
    edges_unfiltered: bool,
    index: ChunkIndexKind,
    address: Option<u64>,
) -> Result<ChunkedLayout> {
    let element_size = sizes.pop().unwrap_or(0);
    if sizes.is_empty() || sizes.contains(&0) || element_size == 0 {
        let what = format!("a chunk of {sizes:?} elements of {element_size} bytes");
        return Err(c.error(ErrorKind::Corrupt, what));
    }
    Ok(ChunkedLayout {
        dims: sizes,
        element_size,
        edges_unfiltered,
        index,
        address,
    })
}
