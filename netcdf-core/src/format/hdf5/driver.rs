//! Driver information ("II.B. Disk Format: Level 0B" and "IV.A.2.u"): detects one part of a file split by HDF5.

use super::file::Hdf5File;
use super::message;
use super::object_header::ObjectHeader;
use crate::error::{Error, ErrorKind, Result};

/// Drivers that split a file: identification, name, and instructions to join the parts.
const PARTS: [(&[u8; 8], &str, &str); 2] = [
    (b"NCSAfami", "family", "use `h5repart` to join the parts"),
    (
        b"NCSAmult",
        "multi",
        "use `h5repack --source-vfd-name=multi` to join the parts",
    ),
];

/// Checks that a too short file is not one part of a split file. A part with all metadata, as written by the multi driver, is accepted.
///
/// # Errors
/// Returns [`ErrorKind::Unsupported`] for a part without all metadata.
pub(super) fn check(file: &Hdf5File) -> Result<()> {
    let Some(identification) = identification(file) else {
        return Ok(());
    };
    match PARTS.iter().find(|(id, ..)| **id == identification) {
        Some((_, driver, remedy)) => {
            let what = format!("one part of a file that the HDF5 driver {driver} has split");
            let e = Error::new(ErrorKind::Unsupported, what).of(file.name());
            Err(e.with_remedy(*remedy))
        }
        None => Ok(()),
    }
}

/// The driver identification of a file. Returns `None` without a driver. Damage also returns `None`; a later read reports the damage.
fn identification(file: &Hdf5File) -> Option<[u8; 8]> {
    let block = file.superblock();
    if let Some(address) = block.driver {
        let bytes = file.read(address, 16).ok()?;
        return bytes.data.last_chunk().copied();
    }
    let header = ObjectHeader::read(file, block.extension?).ok()?;
    let body = header.body_of(file, message::DRIVER).ok()??;
    let mut c = body.fields(file);
    c.version(0..=0, "driver information").ok()?;
    c.bytes(8).ok()?.try_into().ok()
}
