//! Limits on what a file may make us allocate or recurse into.

use crate::error::{Error, ErrorKind, Result};

/// Limits for every allocation and recursion whose size comes from a file.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Bytes that the metadata of one dataset may take in memory.
    pub metadata: u64,
    /// Nesting depth of groups.
    pub groups: u32,
    /// Nesting depth of types and links.
    pub depth: u32,
    /// Most dimensions of a variable (`NC_MAX_VAR_DIMS`).
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
    /// `bytes` as a size in memory, if the metadata limit allows it.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] beyond it.
    pub fn metadata(&self, bytes: u64, what: &str) -> Result<usize> {
        within(bytes, self.metadata, what)
    }

    /// `bytes` as a size in memory, if the machine can address it, regardless of the memory budget (one item
    /// always runs).
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] if it cannot.
    pub fn item(&self, bytes: u64, what: &str) -> Result<usize> {
        within(bytes, isize::MAX.unsigned_abs() as u64, what)
    }
}

/// Most bytes of an element: elements are read as a whole, and each has a fill value.
pub const ELEMENT: u64 = 1 << 28;

/// Copies of an element that a dataset holds apart from its data: fill values of layouts, filters and metadata.
const ELEMENTS: usize = 6;

/// Requests of at least this many bytes are tried first: a failed trial is an error, other failures end the
/// process.
pub const TRIED: usize = 1 << 24;

/// Bytes that must remain for requests that are not tried.
const SPARE: usize = 1 << 25;

/// Checks whether the machine has room for `len` bytes that a file asks for.
///
/// # Errors
/// [`ErrorKind::Limit`] if it has not.
pub fn room(len: usize, what: &str) -> Result<()> {
    if len < TRIED {
        return Ok(());
    }
    let mut tried = Vec::<u8>::new();
    let room = tried.try_reserve_exact(len.saturating_add(SPARE));
    std::hint::black_box(&tried); // else nothing is asked for
    room.map_err(|_| no_room(len, what))
}

/// Reserves room for `len` more bytes that a file asks for.
///
/// # Errors
/// As [`room`].
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

/// `len` zero bytes that a file asks for.
///
/// # Errors
/// As [`room`].
pub fn zeros(len: usize, what: &str) -> Result<Vec<u8>> {
    room(len, what)?;
    Ok(vec![0; len])
}

/// The bytes of an element as a size in memory, with room for its fill value wherever that is held.
///
/// # Errors
/// [`ErrorKind::Limit`] if there is no room, and for more than [`ELEMENT`].
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
