//! The stored data of scientific datasets.

use super::dd::TagRef;
use super::file::Hdf4File;
use super::ntype::Hdf4NumberType;
use super::special::{
    ChunkedElement, Compressed, ElementCoder, NbitSettings, SpecialData, SzipSettings,
};
use crate::arithmetic::length;
use crate::chunk::layout::Layout;
use crate::error::{Error, ErrorKind, Result};
use crate::filter::hdf4::ids as coders;
use crate::filter::ids;
use crate::model::{FilterSpec, StorageLayout, StoredElement};

/// The data and number type of a variable.
#[derive(Debug, Clone)]
pub struct SdsData {
    /// The number type.
    pub ty: Hdf4NumberType,
    /// The stored bytes of an unwritten number.
    pub fill: Vec<u8>,
    /// The data.
    pub data: Data,
}

/// The location and form of data.
#[derive(Debug, Clone)]
pub enum Data {
    /// No data was written.
    Nothing,
    /// A contiguous byte run.
    Run(ByteRun),
    /// One compressed run.
    Compressed(Compressed),
    /// Chunks.
    Chunked(ChunkedElement),
}

/// A byte run of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteRun {
    /// The element.
    pub id: TagRef,
    /// Offset of the first byte.
    pub at: u64,
    /// Number of bytes.
    pub len: u64,
    /// Whether the bytes are in another file.
    pub external: bool,
}

impl Data {
    /// Returns the data of elements.
    ///
    /// # Errors
    /// Returns read errors. The result of a damaged element is its own error.
    pub fn of(file: &Hdf4File, ids: &[TagRef]) -> Result<Vec<Result<Self>>> {
        let specials = file.specials(ids)?;
        let data = |(id, special): (&TagRef, Result<Option<SpecialData>>)| match special? {
            None => {
                let len = length(&file.descriptor(*id)?.range);
                Ok(Self::run(*id, len, false))
            }
            Some(SpecialData::Linked(linked)) => Ok(Self::run(*id, linked.len, false)),
            Some(SpecialData::External(external)) => Ok(Self::run(*id, external.len, true)),
            Some(SpecialData::Compressed(compressed)) if compressed.len == 0 => Ok(Self::Nothing),
            Some(SpecialData::Compressed(compressed)) => Ok(Self::Compressed(compressed)),
            Some(SpecialData::Chunked(chunked)) => Ok(Self::Chunked(chunked)),
        };
        Ok(ids.iter().zip(specials).map(data).collect())
    }

    fn run(id: TagRef, len: u64, external: bool) -> Self {
        match len {
            0 => Self::Nothing,
            len => Self::Run(ByteRun {
                id,
                at: 0,
                len,
                external,
            }),
        }
    }

    /// Number of records of `record` bytes.
    #[must_use]
    pub fn records(&self, record: u64) -> u64 {
        let len = match self {
            Self::Nothing => 0,
            Self::Run(run) => run.len,
            Self::Compressed(compressed) => compressed.len,
            Self::Chunked(chunked) => return chunked.shape.first().copied().unwrap_or(0),
        };
        len / record.max(1)
    }

    /// Whether the data is in another file.
    #[must_use]
    pub fn is_external(&self) -> bool {
        match self {
            Self::Run(run) => run.external,
            Self::Nothing | Self::Compressed(_) | Self::Chunked(_) => false,
        }
    }

    /// The storage as shown by `ncdump -s`.
    #[must_use]
    pub fn storage(&self) -> StorageLayout {
        match self {
            Self::Nothing | Self::Run(_) | Self::Compressed(_) => StorageLayout::Contiguous,
            Self::Chunked(chunked) => StorageLayout::Chunked(chunked.chunk.clone()),
        }
    }

    /// The compression coder.
    #[must_use]
    pub fn coder(&self) -> ElementCoder {
        match self {
            Self::Nothing | Self::Run(_) => ElementCoder::None,
            Self::Compressed(compressed) => compressed.coder,
            Self::Chunked(chunked) => chunked.coder.unwrap_or(ElementCoder::None),
        }
    }

    /// Checks that the chunk shape fits a variable.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] on a mismatch.
    pub fn check(&self, shape: &[u64], ty: Hdf4NumberType) -> Result<()> {
        let Self::Chunked(chunked) = self else {
            return Ok(());
        };
        let what = if chunked.element != ty.size() {
            format!(
                "chunks of numbers of {} bytes, not {}",
                chunked.element,
                ty.size()
            )
        } else if chunked.shape.len() != shape.len() {
            let (rank, own) = (chunked.shape.len(), shape.len());
            format!("chunks of {rank} dimensions in a variable of {own}")
        } else if chunked.chunk.contains(&0) {
            "chunks without elements".to_owned()
        } else {
            return Ok(());
        };
        Err(Error::new(ErrorKind::Corrupt, what))
    }
}

impl SdsData {
    /// The chunk layout for a variable of this shape.
    #[must_use]
    pub fn layout(&self, shape: &[u64]) -> Layout {
        let extent = self.extent(shape);
        let chunk = match &self.data {
            Data::Chunked(chunked) => chunked.chunk.clone(),
            Data::Nothing | Data::Run(_) | Data::Compressed(_) => extent.clone(),
        };
        let element = self.ty.element();
        Layout {
            extent,
            chunk,
            element,
            filters: filter(self.data.coder(), element).into_iter().collect(),
            fill: Some(self.fill.clone()),
            quantize: None,
        }
    }

    /// The stored extent for a variable shape.
    fn extent(&self, shape: &[u64]) -> Vec<u64> {
        let stored = match &self.data {
            Data::Nothing => return shape.to_vec(),
            Data::Chunked(chunked) => {
                let fitting = shape.iter().zip(&chunked.shape);
                return fitting.map(|(&n, &stored)| n.min(stored)).collect();
            }
            Data::Run(_) | Data::Compressed(_) => self.data.records(self.record(shape)),
        };
        let mut extent = shape.to_vec();
        if let Some(first) = extent.first_mut() {
            *first = stored.min(*first);
        }
        extent
    }

    /// Bytes per record: all elements with the same index in the first dimension.
    #[must_use]
    pub fn record(&self, shape: &[u64]) -> u64 {
        let rest = shape.get(1..).unwrap_or_default();
        rest.iter()
            .fold(self.ty.size(), |all, &n| all.saturating_mul(n))
    }
}

/// The filter that decodes a coder.
fn filter(coder: ElementCoder, element: StoredElement) -> Option<FilterSpec> {
    let (id, params) = match coder {
        ElementCoder::Rle => (coders::RLE, vec![]),
        ElementCoder::Nbit(nbit) => (coders::NBIT, nbit_parameters(nbit, element)),
        ElementCoder::SkippingHuffman(codes) => (coders::SKPHUFF, vec![codes]),
        ElementCoder::Deflate(level) => (ids::DEFLATE, vec![level.into()]),
        ElementCoder::Szip(szip) => (coders::SZIP, szip_parameters(szip)),
        ElementCoder::None | ElementCoder::Other(_) => return None,
    };
    Some(FilterSpec { id, params })
}

fn nbit_parameters(nbit: NbitSettings, element: StoredElement) -> Vec<u32> {
    vec![
        nbit.number_type,
        nbit.sign_extend.into(),
        nbit.fill_one.into(),
        nbit.start,
        nbit.len,
        u32::try_from(element.size).unwrap_or(u32::MAX),
    ]
}

fn szip_parameters(szip: SzipSettings) -> Vec<u32> {
    let (block, bits) = (szip.block.into(), szip.bits.into());
    vec![szip.mask, block, szip.scanline, bits, szip.pixels]
}

/// Checks that a coder is known.
///
/// # Errors
/// Returns [`ErrorKind::Unsupported`] for an unknown coder.
pub fn check_coder(coder: ElementCoder) -> Result<()> {
    let ElementCoder::Other(code) = coder else {
        return Ok(());
    };
    let what = format!("coder {code} of HDF4 is not supported");
    Err(Error::new(ErrorKind::Unsupported, what))
}
