//! The bytes of a zip member.

use std::ops::Range;

use super::directory::ZipMember;
use crate::arithmetic::{Amount, claimed};
use crate::bytes::cursor::Cursor;
use crate::error::{Error, ErrorKind, Result};
use crate::io::source::{Source, read_range, truncated};
use crate::limits::{room, zeros};

const LOCAL: &[u8] = b"PK\x03\x04";
/// The length of a local header without the name.
pub(super) const LOCAL_SIZE: u64 = 30;

const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// The maximum expansion of deflate: bytes per compressed byte.
const MOST: u64 = 1032;

const ENCRYPTED: u16 = 1;

impl ZipMember {
    /// Whether the bytes are stored uncompressed.
    pub(super) fn is_stored(&self) -> bool {
        self.method == STORED && self.flags & ENCRYPTED == 0
    }

    /// The offset of the data in the file.
    pub(super) fn stored_at(&self, source: &dyn Source) -> Result<u64> {
        if self.is_stored() && self.packed != self.size {
            let what = format!("a different stored size, {}", self.packed);
            return Err(self.wrong(&what));
        }
        let header = self.local(source)?;
        if !header.starts_with(LOCAL) {
            let what = "damaged zip file: no local header at the recorded offset";
            return Err(Error::new(ErrorKind::Corrupt, what).at(source.name(), self.header));
        }
        let mut cursor = Cursor::new(&header, source.name(), self.header);
        cursor.skip(26)?;
        let (name, extra) = (u64::from(cursor.u16_le()?), u64::from(cursor.u16_le()?));
        if !self.is_named(&header) {
            let what =
                "damaged zip file: the header of a member has another name than the directory";
            return Err(Error::new(ErrorKind::Corrupt, what).at(source.name(), self.header));
        }
        let start = claimed(self.header, LOCAL_SIZE + name + extra).end;
        let have = source.len().saturating_sub(start);
        match self.packed > have {
            true => Err(truncated(source.name(), start, self.packed, have)),
            false => Ok(start),
        }
    }

    /// Reads the local header, and as many bytes as the name has in the directory.
    fn local(&self, source: &dyn Source) -> Result<Vec<u8>> {
        let len = LOCAL_SIZE + u64::from(self.name.0);
        read_range(source, &claimed(self.header, len))
    }

    /// Whether the local header has the same name as the directory.
    fn is_named(&self, local: &[u8]) -> bool {
        let len = local.get(26..28) == Some(&self.name.0.to_le_bytes());
        let name = local.get(30..).unwrap_or_default();
        (len && libdeflater::crc32(name) == self.name.1) || cfg!(fuzzing)
    }

    /// Whether the local header exists, but has another name than the directory.
    pub(super) fn has_other_name(&self, source: &dyn Source) -> bool {
        let local = self.local(source).unwrap_or_default();
        local.starts_with(LOCAL) && !self.is_named(&local)
    }

    /// Checks a range of the member's bytes.
    pub(super) fn check_range(&self, range: &Range<u64>) -> Result<()> {
        if range.start <= range.end && range.end <= self.size.min(self.packed) {
            return Ok(());
        }
        let what = format!(
            "{} bytes, but bytes {} to {} are needed",
            self.size, range.start, range.end
        );
        Err(Error::new(ErrorKind::Truncated, what))
    }

    /// Reads all bytes of the member.
    pub(super) fn bytes(&self, source: &dyn Source) -> Result<Vec<u8>> {
        self.check_method()?;
        let start = self.stored_at(source)?;
        room(Amount::of(self.packed).count(), "a member of a zip file")?;
        let packed = read_range(source, &claimed(start, self.packed))?;
        let bytes = match self.is_stored() {
            true => packed,
            false => self.inflate(&packed)?,
        };
        if bytes.len() as u64 != self.size {
            return Err(self.wrong("a size that differs from the directory"));
        }
        self.check_sum(&bytes)?;
        Ok(bytes)
    }

    /// Checks the CRC-32 of the member's bytes.
    pub(super) fn check_sum(&self, bytes: &[u8]) -> Result<()> {
        if libdeflater::crc32(bytes) == self.crc || cfg!(fuzzing) {
            return Ok(());
        }
        let what = "a member of the zip file is damaged: its checksum does not match";
        Err(Error::new(ErrorKind::Checksum, what))
    }

    fn wrong(&self, what: &str) -> Error {
        let what = format!(
            "damaged zip file: a member of {} bytes has {what}",
            self.size
        );
        Error::new(ErrorKind::Corrupt, what)
    }

    fn check_method(&self) -> Result<()> {
        let what = match self.method {
            _ if self.flags & ENCRYPTED != 0 => "encrypted".to_owned(),
            STORED | DEFLATED => return Ok(()),
            method => format!("compressed by method {method}"),
        };
        let what = format!("a member of the zip file is {what}, which is not supported");
        let e = Error::new(ErrorKind::Unsupported, what);
        Err(e.with_remedy("unzip it, and use the directory"))
    }

    /// Inflates a member, after a plausibility check of the size in the directory.
    fn inflate(&self, packed: &[u8]) -> Result<Vec<u8>> {
        let most = (Amount::of(self.packed) * MOST + MOST).get();
        let size = usize::try_from(self.size)
            .ok()
            .filter(|_| self.size <= most);
        let size = size.ok_or_else(|| self.wrong("too few compressed bytes"))?;
        let mut bytes = zeros(size, "a member of a zip file")?;
        let mut inflater = libdeflater::Decompressor::new();
        let made = inflater.deflate_decompress(packed, &mut bytes);
        match made {
            Ok(made) if made == size => Ok(bytes),
            Ok(_) => Err(self.wrong("fewer bytes")),
            Err(_) => Err(self.wrong("data that cannot be inflated")),
        }
    }
}
