//! Limits for allocation and recursion with sizes from files.

use crate::error::{Error, ErrorKind, Result};

/// Limits for every allocation and recursion with a size from a file.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The maximum memory for the metadata of one dataset, in bytes.
    pub metadata: u64,
    /// The maximum nesting depth of groups.
    pub groups: u32,
    /// The maximum nesting depth of types and links.
    pub depth: u32,
    /// The maximum number of dimensions of a variable (`NC_MAX_VAR_DIMS`).
    pub rank: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            metadata: 4 << 30,
            groups: 256,
            depth: 64,
            rank: 1024,
        }
    }
}

impl Limits {
    /// Returns `bytes` as a size in memory, within the metadata limit.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`] if the metadata limit is exceeded.
    pub fn metadata(&self, bytes: u64, what: &str) -> Result<usize> {
        within(bytes, self.metadata, what)
    }

    /// Returns `bytes` as a size in memory if the machine can address it. The memory budget does not apply, because
    /// one item can always run.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`] if the machine cannot address it.
    pub fn item(&self, bytes: u64, what: &str) -> Result<usize> {
        within(bytes, isize::MAX.unsigned_abs() as u64, what)
    }
}

/// The maximum element size in bytes: elements are read as a whole, and each has a fill value.
pub const ELEMENT: u64 = 1 << 28;

/// The number of copies of an element in memory apart from the data: fill values of layouts, filters and metadata.
const ELEMENTS: usize = 6;

/// The minimum size of allocations that are tried first. A failed trial is an error; a failure without a trial ends
/// the process.
pub const TRIED: usize = 1 << 24;

/// The bytes that must remain for allocations without a trial.
const SPARE: usize = 1 << 25;

/// Checks whether the machine has memory for `len` bytes, a number from a file.
///
/// # Errors
/// Returns [`ErrorKind::Limit`] if it has not.
pub fn room(len: usize, what: &str) -> Result<()> {
    if len < TRIED {
        return Ok(());
    }
    let mut tried = Vec::<u8>::new();
    let room = tried.try_reserve_exact(len.saturating_add(SPARE));
    std::hint::black_box(&tried); // prevents removal of the allocation
    room.map_err(|_| no_room(len, what))
}

/// Reserves memory for `len` more bytes, a number from a file.
///
/// # Errors
/// Returns [`ErrorKind::Limit`] without enough memory.
pub fn reserve(bytes: &mut Vec<u8>, len: usize, what: &str) -> Result<()> {
    if bytes.capacity() - bytes.len() >= len {
        return Ok(());
    }
    room(len, what)?;
    let room = bytes.try_reserve(len);
    room.map_err(|_| no_room(len, what))
}

fn no_room(len: usize, what: &str) -> Error {
    let what = format!("no memory for the {len} bytes of {what}");
    Error::new(ErrorKind::Limit, what)
}

/// Returns `len` zero bytes, a number from a file.
///
/// # Errors
/// Returns [`ErrorKind::Limit`] without enough memory.
pub fn zeros(len: usize, what: &str) -> Result<Vec<u8>> {
    room(len, what)?;
    Ok(vec![0; len])
}

/// Returns the element size as a size in memory. Checks the memory for all copies of a fill value.
///
/// # Errors
/// Returns [`ErrorKind::Limit`] without enough memory, and above [`ELEMENT`].
pub fn element(bytes: u64) -> Result<usize> {
    let size = usize::try_from(bytes).ok().filter(|_| bytes <= ELEMENT);
    let size = size.ok_or_else(|| {
        let what = format!("elements of {bytes} bytes, the limit is {ELEMENT}");
        Error::new(ErrorKind::Limit, what)
    })?;
    room(size.saturating_mul(ELEMENTS), "fill values")?;
    Ok(size)
}

fn within(bytes: u64, limit: u64, what: &str) -> Result<usize> {
    let size = usize::try_from(bytes).ok().filter(|_| bytes <= limit);
    size.ok_or_else(|| {
        Error::new(
            ErrorKind::Limit,
            format!("{what} takes {bytes} bytes, the limit is {limit}"),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_room_is_an_error() {
        assert_eq!(zeros(3, "x").unwrap(), [0; 3]);
        let e = zeros(1 << 60, "a chunk").unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Limit);
        assert!(e.what().ends_with("bytes of a chunk"), "{e}");
    }

    #[test]
    fn memory_is_asked_for_before_it_is_taken() {
        let mut bytes = vec![1, 2];
        reserve(&mut bytes, 30, "x").unwrap();
        assert!(bytes.capacity() >= 32 && bytes == [1, 2]);
        let e = reserve(&mut bytes, 1 << 60, "a chunk").unwrap_err();
        assert_eq!((e.kind(), bytes), (ErrorKind::Limit, vec![1, 2]));
        assert_eq!(element(8).unwrap(), 8);
        for large in [ELEMENT + 1, u64::MAX] {
            let e = element(large).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Limit);
        }
    }

    #[test]
    fn refuses_beyond_the_limit() {
        let limits = Limits {
            metadata: 10,
            ..Limits::default()
        };
        assert_eq!(limits.metadata(10, "x").unwrap(), 10);
        assert_eq!(
            limits.metadata(11, "x").unwrap_err().kind(),
            ErrorKind::Limit
        );
    }
}
