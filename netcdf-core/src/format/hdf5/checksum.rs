//! Metadata checksums.

use super::file_bytes::{FileBytes, StructureBytes};
use crate::bytes::sums::lookup3;
use crate::error::{Error, ErrorKind, Result};

impl StructureBytes {
    /// Verifies the checksum in the last four bytes.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Checksum`] and [`ErrorKind::Truncated`].
    pub fn verify(&self, file: &FileBytes, what: &str) -> Result<()> {
        verify(file, &self.data, self.address, what)
    }
}

/// Like [`StructureBytes::verify`], for bytes at an address.
///
/// # Errors
/// Returns [`ErrorKind::Checksum`] and [`ErrorKind::Truncated`].
pub(crate) fn verify(
    file: &FileBytes,
    data: &[u8],
    address: Option<u64>,
    what: &str,
) -> Result<()> {
    let fail = |kind, text: String| match address {
        Some(a) => Err(file.error(kind, a, text)),
        None => Err(Error::new(kind, text).of(file.name())),
    };
    let Some((body, sum)) = data.split_last_chunk::<4>() else {
        return fail(
            ErrorKind::Truncated,
            format!("too short for the checksum of {what}"),
        );
    };
    let (stored, computed) = (u32::from_le_bytes(*sum), lookup3(body));
    if agree(stored, computed) {
        return Ok(());
    }
    let text = format!("the checksum of {what} is {computed:08x}, but {stored:08x} is stored");
    fail(ErrorKind::Checksum, text)
}

/// Whether two checksums agree.
pub(super) fn agree(stored: u32, computed: u32) -> bool {
    #[cfg(test)]
    if IGNORE.get() {
        return true;
    }
    // Fuzzers almost never produce a correct checksum.
    stored == computed || cfg!(fuzzing)
}

#[cfg(test)]
thread_local! {
    static IGNORE: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Ignores wrong metadata checksums in this thread. Tests of damaged files then reach the code after the check, as an attacker with
/// corrected checksums would.
#[cfg(test)]
pub(super) fn ignore_checksums(ignore: bool) {
    IGNORE.set(ignore);
}
