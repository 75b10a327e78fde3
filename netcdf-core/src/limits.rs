//! What a file may make us allocate or recurse into.

use crate::error::{Error, ErrorKind, Result};

/// Bounds that every allocation and recursion sized by a file passes.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Bytes that the metadata of one dataset may take in memory.
    pub metadata: u64,
    /// Nesting of groups, types, links.
    pub depth: u32,
    /// Dimensions of a variable (`NC_MAX_VAR_DIMS`).
    pub rank: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            metadata: 4 << 30,
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

    /// `bytes` as a size in memory, whatever the memory budget (one item always runs), if the
    /// machine can address it.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] where it cannot.
    pub fn item(&self, bytes: u64, what: &str) -> Result<usize> {
        within(bytes, isize::MAX.unsigned_abs() as u64, what)
    }
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
