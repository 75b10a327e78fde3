//! The end of the file in the superblock ("II. Disk Format: Level 0A").

use crate::arithmetic::exact;
use crate::bytes::sums::lookup3;
use crate::error::{OrInternal as _, Result};
use crate::format::hdf5::superblock::Superblock;
use crate::io::Source as _;
use crate::io::patched::PatchedFile;
use crate::io::source::read_range;

/// Bytes of an address. Files with other sizes are written anew.
const ADDRESS: u64 = 8;

/// Returns the offset of the base address, which the other addresses follow.
fn base_at(version: u8) -> u64 {
    match version {
        0 => 24,
        1 => 28,
        _ => 12,
    }
}

/// Writes the end of the file to the superblock. The end moves with each change, so that readers notice the change.
///
/// # Errors
/// Returns I/O errors.
pub(crate) fn write_end(file: &PatchedFile, superblock: &Superblock) -> Result<()> {
    if file.len() == file.committed_len() {
        file.append(&[0; 8])?;
    }
    let place = superblock.base;
    let old = read_range(file, &(place..place.saturating_add(superblock.size())))?;
    let mut bytes = old.clone();
    let at = exact(base_at(superblock.version));
    let stored = field(&bytes, at.index()?)?;
    // A user block that was prepended to a finished file is not part of the base address.
    let end = match u64::from_le_bytes(stored) {
        base if base == place => file.len(),
        _ => (exact(file.len()) - place).get()?,
    };
    let end_at = (at + 2 * ADDRESS).index()?;
    let slot = bytes.get_mut(end_at..end_at.saturating_add(8));
    slot.or_internal("the end in the superblock")?
        .copy_from_slice(&end.to_le_bytes());
    if superblock.version >= 2 {
        let summed = bytes.len().saturating_sub(4);
        let sum = lookup3(bytes.get(..summed).unwrap_or_default());
        let slot = bytes.get_mut(summed..);
        slot.or_internal("the checksum of the superblock")?
            .copy_from_slice(&sum.to_le_bytes());
    }
    file.replace_known(place, &old, &bytes)
}

fn field(bytes: &[u8], at: usize) -> Result<[u8; 8]> {
    let bytes = bytes.get(at..at.saturating_add(8));
    bytes
        .and_then(|bytes| bytes.try_into().ok())
        .or_internal("a field of the superblock")
}
