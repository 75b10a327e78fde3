//! Files in memory with a generated superblock.

use std::sync::Arc;

use netcdf_core::bytes::sums::lookup3;
use netcdf_core::format::hdf5::Hdf5File;

use crate::{limits, source};

/// The start of an input: numbers that control the run, then the bytes of a file.
pub struct Image<'a> {
    numbers: Numbers<'a>,
    file: Arc<Hdf5File>,
}

/// The remaining numbers of an input.
pub struct Numbers<'a>(pub &'a [u8]);

/// Bytes of the numbers before an image.
pub const NUMBERS: usize = 64;

impl<'a> Image<'a> {
    /// Splits an input into a byte for the sizes of addresses and lengths, numbers, and an image.
    #[must_use]
    pub fn new(input: &'a [u8]) -> Option<Self> {
        let (head, image) = input.split_at_checked(NUMBERS)?;
        let (sizes, numbers) = head.split_first()?;
        let mut bytes = superblock(width(*sizes), image.len());
        bytes.extend_from_slice(image.get(bytes.len()..)?);
        let file = Hdf5File::open(source(&bytes), &limits()).ok()?;
        let file = Arc::new(file);
        let numbers = Numbers(numbers);
        Some(Self { numbers, file })
    }

    /// Returns the file.
    #[must_use]
    pub fn file(&self) -> &Hdf5File {
        &self.file
    }

    /// Returns the next number of one byte; 0 after the last number.
    pub fn u8(&mut self) -> u8 {
        self.numbers.u8()
    }

    /// Returns the next number of four bytes, the size of all addresses and lengths here.
    pub fn u32(&mut self) -> u64 {
        self.numbers.u32()
    }
}

impl Numbers<'_> {
    /// Returns the next number of one byte; 0 after the last number.
    pub fn u8(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    /// Returns the next number of two bytes.
    pub fn u16(&mut self) -> u64 {
        u64::from(self.u8()) | u64::from(self.u8()) << 8
    }

    /// Returns the next number of four bytes.
    pub fn u32(&mut self) -> u64 {
        self.u16() | self.u16() << 16
    }
}

/// Returns the bytes per address and length, from the first byte of an input.
#[must_use]
pub fn width(sizes: u8) -> u8 {
    match sizes & 3 {
        0 | 1 => 8,
        2 => 4,
        _ => 2,
    }
}

/// Returns a superblock of version 2 for a file of `len` bytes, with addresses and lengths of
/// `size` bytes.
#[must_use]
pub fn superblock(size: u8, len: usize) -> Vec<u8> {
    let mut bytes = b"\x89HDF\r\n\x1a\n".to_vec();
    bytes.extend([2, size, size, 0]);
    let mut put = |n: u64| bytes.extend(n.to_le_bytes().iter().take(size.into()));
    put(0);
    put(u64::MAX);
    put((len as u64).min(0xfff0));
    put(48);
    let sum = lookup3(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}
