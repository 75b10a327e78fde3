//! The Data Layout message ("IV.A.2.i", versions 1 to 5): the place of a dataset's data.

use crate::error::{ErrorKind, Result};
use crate::format::hdf5::fields::Fields;

/// Where the data of a dataset is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DataLayout {
    /// In the message itself.
    Compact(Vec<u8>),
    /// In one piece.
    Contiguous {
        /// Its address; `None` if no storage is allocated (yet).
        address: Option<u64>,
        /// Its size in bytes; versions 1 and 2 leave it to the dataspace.
        size: Option<u64>,
    },
    /// In chunks.
    Chunked(ChunkedLayout),
    /// In other datasets; the global heap has the mappings.
    Virtual {
        /// Address of the collection of the global heap; `None` without mappings.
        heap: Option<u64>,
        /// Number of the object in the collection.
        index: u32,
    },
}

/// The layout of a chunked dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkedLayout {
    /// Elements of a chunk per dimension, none of them 0.
    pub dims: Vec<u64>,
    /// Bytes of an element. [`Dataset`](crate::format::hdf5::dataset::Hdf5Dataset) sets the size of the datatype.
    pub element_size: u64,
    /// Whether chunks that extend beyond the extent are stored without filters.
    pub edges_unfiltered: bool,
    /// Where chunks are looked up.
    pub index: ChunkIndexKind,
    /// The address of the index; `None` before the first chunk.
    pub address: Option<u64>,
}

/// Where chunks are looked up ("VII. Appendix C").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChunkIndexKind {
    /// A B-tree of version 1.
    BTree1,
    /// The only chunk; size in bytes and mask, if it went through filters.
    Single(Option<(u64, u32)>),
    /// All chunks in their order, of their full size.
    Implicit,
    /// A fixed array.
    FixedArray,
    /// An extensible array.
    ExtensibleArray,
    /// A B-tree of version 2.
    BTree2,
}

impl ChunkIndexKind {
    /// True if the places of chunks are read from a structure in the file, not computed.
    #[must_use]
    pub fn is_read(self) -> bool {
        match self {
            Self::BTree1 | Self::FixedArray | Self::ExtensibleArray | Self::BTree2 => true,
            Self::Single(_) | Self::Implicit => false,
        }
    }
}

impl DataLayout {
    /// Reads the body of the message.
    ///
    /// # Errors
    /// [`ErrorKind::Truncated`], [`ErrorKind::Corrupt`], [`ErrorKind::Unknown`].
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

/// Versions 1 and 2: the same fields for all classes.
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

/// Flag: chunks at the edges are stored without filters.
const EDGES_UNFILTERED: u8 = 0x01;
/// Flag: the only chunk went through filters.
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
    // Settings that the indexes' own headers repeat: bits of pages and the like.
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

/// `rank` sizes of `width` bytes.
fn sizes(c: &mut Fields, rank: u8, width: u8) -> Result<Vec<u64>> {
    (0..rank).map(|_| c.uint_le(width.into())).collect()
}

/// The layout from the lengths of a chunk, the last of which is the size of an element.
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
