//! The superblock ("II. Disk Format: Level 0A", versions 0 to 3).

use super::fields::{FieldSizes, Fields};
use crate::bytes::Cursor;
use crate::bytes::sums::lookup3;
use crate::error::{Error, ErrorKind, Result};
use crate::io::Source;
use crate::io::source::truncated;

/// The first eight bytes of the superblock.
pub(crate) const SIGNATURE: [u8; 8] = *b"\x89HDF\r\n\x1a\n";

/// The contents of the superblock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Superblock {
    /// The superblock version.
    pub version: u8,
    /// The base address: the source offset of address 0, which is the user block length in bytes.
    pub base: u64,
    /// Bytes from the base address to the end of the file.
    pub len: u64,
    /// Sizes of addresses and lengths.
    pub sizes: FieldSizes,
    /// Address of the root group's object header.
    pub root: u64,
    /// Address of the superblock extension's object header.
    pub extension: Option<u64>,
    /// Address of the driver information block (versions 0 and 1).
    pub driver: Option<u64>,
}

/// Finds the superblock, at byte 0, 512, 1024, 2048 and so on.
///
/// # Errors
/// Returns read errors.
pub(crate) fn find(source: &dyn Source) -> Result<Option<u64>> {
    let mut place = 0u64;
    while place.checked_add(8).is_some_and(|end| end <= source.len()) {
        let mut head = [0; 8];
        source.read_at(place, &mut head)?;
        if head == SIGNATURE {
            return Ok(Some(place));
        }
        place = if place == 0 {
            512
        } else {
            place.saturating_mul(2)
        };
    }
    Ok(None)
}

impl Superblock {
    /// Finds and reads the superblock.
    ///
    /// # Errors
    /// Returns [`ErrorKind::UnknownFormat`], [`ErrorKind::Truncated`], [`ErrorKind::Corrupt`], [`ErrorKind::Checksum`] and
    /// [`ErrorKind::Unsupported`].
    pub fn read(source: &dyn Source) -> Result<Self> {
        Self::read_with_bytes(source).map(|(superblock, _)| superblock)
    }

    /// Like [`Superblock::read`], but also returns the bytes of the superblock.
    ///
    /// # Errors
    /// Returns errors from [`Superblock::read`].
    pub(super) fn read_with_bytes(source: &dyn Source) -> Result<(Self, Vec<u8>)> {
        let Some(place) = find(source)? else {
            return Err(Error::new(ErrorKind::UnknownFormat, "not an HDF5 file").of(source.name()));
        };
        let have = source.len().saturating_sub(place);
        let mut data = vec![0; usize::try_from(have.min(MAX_LEN)).unwrap_or(0)];
        source.read_at(place, &mut data)?;
        let mut c = Cursor::new(&data, source.name(), place);
        c.skip(8)?;
        let (version, at) = (c.u8()?, c.offset());
        let superblock = match version {
            0 | 1 => read_old(c, version, place),
            2 | 3 => read_new(c, version, (place, &data)),
            _ => {
                let what = format!("version {version} of the superblock, expected 0 to 3");
                Err(Error::new(ErrorKind::Unsupported, what).at(source.name(), at))
            }
        }?;
        data.truncate(usize::try_from(superblock.size()).unwrap_or(0));
        Ok((superblock, data))
    }

    /// The superblock length in bytes.
    #[must_use]
    pub(super) fn size(&self) -> u64 {
        let offset = u64::from(self.sizes.offset);
        match self.version {
            // Includes the symbol table entry of the root group.
            0 => 48 + 6 * offset,
            1 => 52 + 6 * offset,
            _ => 16 + 4 * offset,
        }
    }

    /// Checks that the source has the length in the superblock.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`] for a source that is too short.
    pub fn check_length(&self, source: &dyn Source) -> Result<()> {
        let have = source.len().saturating_sub(self.base);
        if self.len > have {
            let error = truncated(source.name(), source.len(), self.len, have);
            return Err(error.with_remedy("the file was cut off: fetch or make it again"));
        }
        Ok(())
    }
}

/// Upper bound for the superblock length.
const MAX_LEN: u64 = 256;

/// The fields after the sizes of addresses and lengths.
fn sized(mut c: Cursor<'_>) -> Result<Fields<'_>> {
    let at = c.clone();
    let sizes = FieldSizes {
        offset: c.u8()?,
        length: c.u8()?,
    };
    match (sizes.offset, sizes.length) {
        (2 | 4 | 8, 2 | 4 | 8) => Ok(Fields { cursor: c, sizes }),
        (o, l) => {
            let what = format!("offsets of {o} and lengths of {l} bytes, expected 2, 4 or 8");
            Err(at.error(ErrorKind::Corrupt, what))
        }
    }
}

/// Returns the base address, and the length up to the end of the file. If a user block was prepended to a finished file, the stored base
/// address is still 0. The superblock location takes precedence.
fn base(stored: Option<u64>, place: u64, eof: u64) -> (u64, u64) {
    match stored {
        Some(base) if base == place => (base, eof.saturating_sub(base)),
        Some(_) | None => (place, eof.saturating_sub(stored.unwrap_or(0))),
    }
}

fn defined(c: &mut Fields, what: &str) -> Result<u64> {
    let address = c.address()?;
    address.ok_or_else(|| c.error(ErrorKind::Corrupt, format!("{what} is undefined")))
}

/// Versions 0 and 1.
fn read_old(mut c: Cursor, version: u8, place: u64) -> Result<Superblock> {
    c.skip(4)?; // versions of free space, root group; reserved; version of shared header messages
    let mut c = sized(c)?;
    c.skip(1)?;
    c.skip(2 + 2 + 4)?; // leaf and internal k of groups, consistency flags
    if version == 1 {
        c.skip(2 + 2)?; // internal k of chunks, reserved
    }
    let stored = c.address()?;
    c.address()?; // free space
    let eof = defined(&mut c, "the end of the file")?;
    let driver = c.address()?;
    c.length()?; // the root group's name
    let root = defined(&mut c, "the root group")?;
    let (base, len) = base(stored, place, eof);
    Ok(Superblock {
        version,
        base,
        len,
        sizes: c.sizes(),
        root,
        extension: None,
        driver,
    })
}

/// Versions 2 and 3.
fn read_new(c: Cursor, version: u8, (place, data): (u64, &[u8])) -> Result<Superblock> {
    let mut c = sized(c)?;
    c.skip(1)?; // consistency flags
    let stored = c.address()?;
    let extension = c.address()?;
    let eof = defined(&mut c, "the end of the file")?;
    let root = defined(&mut c, "the root group")?;
    let summed = data.get(..c.position()).unwrap_or_default();
    let (computed, stored_sum) = (lookup3(summed), c.u32_le()?);
    if computed != stored_sum && !cfg!(fuzzing) {
        let what = format!(
            "the checksum of the superblock is {computed:08x}, but {stored_sum:08x} is stored"
        );
        return Err(c.error(ErrorKind::Checksum, what));
    }
    let (base, len) = base(stored, place, eof);
    Ok(Superblock {
        version,
        base,
        len,
        sizes: c.sizes(),
        root,
        extension,
        driver: None,
    })
}
