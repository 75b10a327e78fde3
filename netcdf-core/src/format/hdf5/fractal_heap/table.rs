//! The doubling table, which maps heap offsets to blocks.

/// The block sizes in the heap header, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BlockTable {
    /// log2 of the number of blocks per row.
    width_bits: u32,
    /// log2 of the block size in the first two rows. The block size doubles with each further row.
    start_bits: u32,
    /// log2 of the maximum direct block size.
    direct_bits: u32,
    /// log2 of the heap address space.
    pub heap_bits: u32,
}

/// The position of an offset in an indirect block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TablePosition {
    /// The row.
    pub row: u32,
    /// The child number, over all rows.
    pub child: usize,
    /// Offset of the child in the indirect block.
    pub start: u64,
    /// Bytes covered by the child.
    pub size: u64,
}

impl BlockTable {
    /// A table with blocks of `start` to `direct` bytes, `width` blocks per row, and a heap of 2^`bits` bytes.
    ///
    /// # Errors
    /// Returns a description of the contradiction.
    pub(crate) fn new(width: u16, start: u64, direct: u64, bits: u16) -> Result<Self, String> {
        let power = |n: u64| n.is_power_of_two().then(|| n.ilog2());
        let all = (power(width.into()), power(start), power(direct));
        let fail = || {
            format!(
                "a fractal heap of 2^{bits} bytes, rows of {width} blocks of {start} to {direct} bytes"
            )
        };
        let (Some(width_bits), Some(start_bits), Some(direct_bits)) = all else {
            return Err(fail());
        };
        let table = Self {
            width_bits,
            start_bits,
            direct_bits,
            heap_bits: bits.into(),
        };
        let fits = width_bits + start_bits <= table.heap_bits && table.heap_bits <= 64;
        match start <= direct && direct <= LARGEST && fits {
            true => Ok(table),
            false => Err(fail()),
        }
    }

    /// Bytes of a heap offset.
    pub(crate) fn offset_len(&self) -> usize {
        usize::try_from(self.heap_bits.div_ceil(8)).unwrap_or(8)
    }

    /// Bytes of an object length, for objects of at most `most` bytes in the largest direct block.
    pub(crate) fn length_len(&self, most: u32) -> usize {
        let direct = self.direct_bits.div_ceil(8);
        let object = most.max(1).ilog2() / 8 + 1;
        usize::try_from(direct.min(object)).unwrap_or(4)
    }

    /// Size of the first direct block.
    pub(crate) fn start(&self) -> u64 {
        1 << self.start_bits
    }

    /// Number of blocks per row.
    pub(crate) fn width(&self) -> u64 {
        1 << self.width_bits
    }

    /// Number of direct block rows in a sufficiently large indirect block.
    pub(crate) fn direct_rows(&self) -> u32 {
        self.direct_bits - self.start_bits + 2
    }

    /// Number of rows in an indirect block that covers the whole heap.
    pub(crate) fn most_rows(&self) -> u32 {
        self.heap_bits - self.width_bits - self.start_bits + 1
    }

    /// Number of rows in the indirect block that covers `size` bytes; `None` below one row.
    pub(crate) fn rows(&self, size: u64) -> Option<u32> {
        let bits = size.checked_ilog2()?;
        Some(bits.checked_sub(self.width_bits + self.start_bits)? + 1)
    }

    /// The position of an offset within an indirect block.
    pub(crate) fn place(&self, offset: u64) -> TablePosition {
        let first = self.width_bits + self.start_bits;
        let top = offset.checked_ilog2().filter(|&bits| bits >= first);
        let (row, from, bits) = match top {
            None => (0, 0, self.start_bits),
            Some(bits) => (bits - first + 1, 1 << bits, bits - self.width_bits),
        };
        let column = (offset - from) >> bits;
        let child = (u64::from(row) << self.width_bits) + column;
        TablePosition {
            row,
            child: usize::try_from(child).unwrap_or(usize::MAX),
            start: from + (column << bits),
            size: 1 << bits,
        }
    }
}

/// Maximum direct block size in the C library.
const LARGEST: u64 = 1 << 31;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_double_from_the_third_row_on() {
        let table = BlockTable::new(4, 512, 2048, 32).unwrap();
        let at = |offset| {
            let p = table.place(offset);
            (p.row, p.child, p.start, p.size)
        };
        assert_eq!(at(0), (0, 0, 0, 512));
        assert_eq!(at(2047), (0, 3, 1536, 512));
        assert_eq!(at(2048), (1, 4, 2048, 512));
        assert_eq!(at(4096), (2, 8, 4096, 1024));
        assert_eq!(at(8192 + 2048), (3, 13, 8192 + 2048, 2048));
        assert_eq!(at(16384), (4, 16, 16384, 4096));
        assert_eq!((table.direct_rows(), table.most_rows()), (4, 22));
        assert_eq!((table.rows(4096), table.rows(1024)), (Some(2), None));
    }

    #[test]
    fn every_offset_is_in_its_block() {
        let table = BlockTable::new(2, 512, 1024, 64).unwrap();
        for offset in (0..63).map(|b| 1u64 << b).chain([u64::MAX]) {
            let place = table.place(offset);
            assert!(place.start <= offset && offset - place.start < place.size);
        }
    }

    #[test]
    fn refuses_odd_sizes() {
        assert!(BlockTable::new(3, 512, 2048, 32).is_err());
        assert!(BlockTable::new(4, 512, 256, 32).is_err());
        assert!(BlockTable::new(4, 512, 1 << 32, 40).is_err());
        assert!(BlockTable::new(4, 512, 2048, 8).is_err());
        assert!(BlockTable::new(4, 512, 2048, 65).is_err());
        assert!(BlockTable::new(0, 0, 0, 32).is_err());
    }
}
