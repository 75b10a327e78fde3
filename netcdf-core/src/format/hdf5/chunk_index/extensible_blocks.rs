//! The division of an extensible array into blocks ("VII.D. The Extensible Array Index").
//!
//! The first elements are in the index block. The next elements are in data blocks that the index block points to. Super blocks point to
//! all further data blocks. Super block `s` covers `2^s` times the elements of the first super block: `2^(s/2)` data blocks with
//! `2^((s+1)/2)` times the elements of the smallest data block. Large data blocks are divided into pages.

/// The settings of an array, as in its header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ExtensibleSettings {
    /// Bits of the maximum number of elements.
    pub bits: u8,
    /// Number of elements in the index block.
    pub direct: u8,
    /// Number of elements in the smallest data block.
    pub smallest: u8,
    /// The minimum number of data block addresses in a super block.
    pub pointers: u8,
    /// Bits of the number of elements per page.
    pub(in crate::format::hdf5) page_bits: u8,
}

/// The blocks of an array, as computed from its settings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExtensibleBlocks {
    /// Number of elements in the index block.
    pub direct: u64,
    /// Number of elements in the smallest data block.
    smallest: u64,
    /// Number of super blocks with data block addresses in the index block.
    pub inlined: u32,
    /// Number of super block addresses in the index block.
    pub supers: u64,
    /// Number of elements per page.
    pub page: u64,
    /// Width in bytes of the offset at the block start.
    pub number: u64,
}

/// A super block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SuperBlock {
    /// The super block number.
    pub number: u32,
    /// Number of data blocks.
    pub blocks: u64,
    /// Number of elements per data block.
    pub elements: u64,
}

/// The position of an element outside the index block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ElementPosition {
    /// The element number, counted from the first element outside the index block.
    pub number: u64,
    pub of: SuperBlock,
    /// The data block number within the super block.
    pub block: u64,
    /// The element number within the data block.
    pub element: u64,
}

impl ExtensibleBlocks {
    /// Returns the blocks for these settings; `None` for invalid settings.
    pub(crate) fn new(settings: ExtensibleSettings) -> Option<Self> {
        let (smallest, pointers) = (settings.smallest, settings.pointers);
        let inlined = 2 * pointers.checked_ilog2()?;
        let supers = u32::from(settings.bits).checked_sub(smallest.checked_ilog2()?)?;
        let supers = (supers + 1).checked_sub(inlined)?;
        let powers = smallest.is_power_of_two() && pointers.is_power_of_two();
        (powers && settings.bits <= 64).then_some(Self {
            direct: settings.direct.into(),
            smallest: smallest.into(),
            inlined,
            supers: supers.into(),
            page: 1u64.checked_shl(settings.page_bits.into())?,
            number: u64::from(settings.bits).div_ceil(8),
        })
    }

    /// Returns the position of element `number`, counted from the first element outside the index block.
    pub(crate) fn place(&self, number: u64) -> Option<ElementPosition> {
        let super_block = (number / self.smallest).checked_add(1)?.ilog2();
        let before = self.start_of(super_block)?;
        let of = SuperBlock {
            number: super_block,
            blocks: blocks_of(super_block),
            elements: (1u64 << super_block.div_ceil(2)).checked_mul(self.smallest)?,
        };
        let rest = number - before;
        Some(ElementPosition {
            number,
            of,
            block: rest / of.elements,
            element: rest % of.elements,
        })
    }

    /// Returns the number of the first element of a super block, counted from the first element outside the index block.
    pub(crate) fn start_of(&self, super_block: u32) -> Option<u64> {
        (1u64.checked_shl(super_block)? - 1).checked_mul(self.smallest)
    }

    /// Returns the first element number after a data block page.
    pub(super) fn end_of_page(&self, place: ElementPosition) -> u64 {
        let left = self.page - place.element % self.page;
        self.direct
            .saturating_add(place.number)
            .saturating_add(left)
    }

    /// Returns the first element number after a data block.
    pub(super) fn end_of_block(&self, place: ElementPosition) -> u64 {
        let left = place.of.elements - place.element;
        self.direct
            .saturating_add(place.number)
            .saturating_add(left)
    }

    /// Returns the first element number after the data blocks of a super block.
    pub(super) fn end_of_super(&self, place: ElementPosition) -> u64 {
        let blocks = place.of.blocks.saturating_sub(place.block + 1);
        let more = blocks.saturating_mul(place.of.elements);
        self.end_of_block(place).saturating_add(more)
    }

    /// Returns the number of pages per data block, if the block has pages.
    pub(crate) fn pages(&self, of: SuperBlock) -> Option<u64> {
        (of.elements > self.page).then(|| of.elements / self.page)
    }

    /// Returns the number of data block addresses in the index block.
    pub(crate) fn inlined_blocks(&self) -> u64 {
        blocks_before(self.inlined)
    }
}

/// Returns the number of data blocks in the super blocks before a super block.
pub(crate) fn blocks_before(super_block: u32) -> u64 {
    (0..super_block).map(blocks_of).sum()
}

/// Returns the number of data blocks per super block.
fn blocks_of(super_block: u32) -> u64 {
    1u64.checked_shl(super_block / 2).unwrap_or(u64::MAX)
}
