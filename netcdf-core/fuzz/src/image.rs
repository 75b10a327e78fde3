//! Files in memory with a superblock of our own.

use std::sync::Arc;

use netcdf_core::bytes::sums::lookup3;
use netcdf_core::format::hdf5::File;

use crate::{limits, source};

/// The start of an input: numbers that choose what is done, then the bytes of a file.
pub struct Image<'a> {
    /// What is left of the numbers.
    numbers: &'a [u8],
    file: Arc<File>,
}

/// Bytes of the numbers before an image.
pub const NUMBERS: usize = 64;

impl<'a> Image<'a> {
    /// Takes an input apart: a byte for the sizes of addresses and lengths, numbers, an image.
    #[must_use]
    pub fn new(input: &'a [u8]) -> Option<Self> {
        let (head, image) = input.split_at_checked(NUMBERS)?;
        let (sizes, numbers) = head.split_first()?;
        let size = match sizes & 3 {
            0 | 1 => 8,
            2 => 4,
            _ => 2,
        };
        let mut bytes = superblock(size, image.len());
        bytes.extend_from_slice(image.get(bytes.len()..)?);
        let file = File::open(source(&bytes), &limits()).ok()?;
        let file = Arc::new(file);
        Some(Self { numbers, file })
    }

    /// The file.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }

    /// The next number of one byte; 0 behind the last.
    pub fn u8(&mut self) -> u8 {
        let Some((first, rest)) = self.numbers.split_first() else {
            return 0;
        };
        self.numbers = rest;
        *first
    }

    /// The next number of four bytes, as all addresses and lengths here have.
    pub fn u32(&mut self) -> u64 {
        (0..4).fold(0, |n, place| n | u64::from(self.u8()) << (8 * place))
    }
}

/// A superblock of version 2 for a file of `len` bytes, with addresses and lengths of `size` bytes.
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
