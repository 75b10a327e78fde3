//! The 16 header bytes: format version, codec version, flags, element size. The decoded size, the block size, and the stored size including
//! the header follow as `u32`.

use super::NAME;
use super::codec::BloscCodec;
use crate::error::Result;
use crate::filter::output::{array, bad, unsupported};

/// Bytes of the header.
pub(super) const SIZE: usize = 16;

/// The maximum block size that c-blosc accepts, in bytes.
pub(super) const MAX_BLOCK: usize = (0x7FFF_FFFF - 255 * 4) / 3;

pub(super) struct BloscHeader {
    /// The decoded size of the chunk in bytes.
    pub decoded: usize,
    /// The decoded bytes of each block except the last; not 0.
    pub block: usize,
    /// Bytes of the chunk including its header.
    pub stored: usize,
    /// Element size in bytes; not 0.
    pub element: usize,
    pub shuffle: BloscShuffle,
    /// Whether the chunk is uncompressed: the decoded bytes follow the header.
    pub copied: bool,
    /// Whether each byte of the elements may have its own stream.
    pub split: bool,
    pub codec: BloscCodec,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BloscShuffle {
    None,
    Bytes,
    Bits,
}

impl BloscHeader {
    pub(super) fn read(input: &[u8]) -> Result<Self> {
        let mut input = input;
        let [version, codec_version, flags, element] = array(NAME, &mut input)?;
        if version != 2 {
            return Err(unsupported(
                NAME,
                format_args!("format version {version}, not 2"),
            ));
        }
        let mut size = || Ok(u32::from_le_bytes(array(NAME, &mut input)?) as usize);
        let (decoded, block, stored) = (size()?, size()?, size()?);
        if element == 0 || block == 0 && decoded > 0 {
            let what = format_args!("elements of {element} bytes in blocks of {block}");
            return Err(bad(NAME, what));
        }
        if flags & 8 != 0 || flags & 5 == 5 {
            return Err(unsupported(NAME, format_args!("flags {flags:#x}")));
        }
        Ok(Self {
            decoded,
            block,
            stored,
            element: element.into(),
            shuffle: match (flags & 1 != 0, flags & 4 != 0) {
                (true, _) => BloscShuffle::Bytes,
                (false, true) => BloscShuffle::Bits,
                (false, false) => BloscShuffle::None,
            },
            copied: flags & 2 != 0,
            split: flags & 0x10 == 0,
            codec: BloscCodec::new(flags >> 5, codec_version)?,
        })
    }

    /// Checks whether c-blosc accepts these sizes. c-blosc divides a block into streams of equal length and does not check for a remainder.
    pub(super) fn is_strict(&self) -> bool {
        let whole = self.block.is_multiple_of(self.element) || !self.splits(self.block);
        let block = self.block <= self.decoded.max(1) && self.block <= MAX_BLOCK;
        match self.copied {
            true => block && self.stored == self.decoded.saturating_add(SIZE),
            false => block && whole,
        }
    }

    /// Returns the header bytes.
    pub(super) fn write(&self) -> [u8; SIZE] {
        let flag = |set: bool, bit: u8| if set { bit } else { 0 };
        let flags = flag(self.shuffle == BloscShuffle::Bytes, 1)
            | flag(self.copied, 2)
            | flag(self.shuffle == BloscShuffle::Bits, 4)
            | flag(!self.split, 0x10)
            | self.codec.number() << 5;
        let element = u8::try_from(self.element).unwrap_or(u8::MAX);
        let mut bytes = [0; SIZE];
        let sizes = [self.decoded, self.block, self.stored];
        let sizes = sizes.map(|n| u32::try_from(n).unwrap_or(u32::MAX).to_le_bytes());
        let all = [2, 1, flags, element]
            .into_iter()
            .chain(sizes.into_iter().flatten());
        bytes.iter_mut().zip(all).for_each(|(to, from)| *to = from);
        bytes
    }
}
