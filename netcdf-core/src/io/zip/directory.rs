//! The central directory of a zip file: its members and their offsets.

use std::collections::BTreeMap;

use crate::arithmetic::claimed;
use crate::bytes::cursor::Cursor;
use crate::error::{Error, ErrorKind, Result};
use crate::io::invalid_entries::{EntryDefect, InvalidEntries, InvalidEntry};
use crate::io::key;
use crate::io::source::{Source, read_range};
use crate::limits::Limits;

/// A member of a zip file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ZipMember {
    /// The offset of the local header.
    pub header: u64,
    /// The compressed size in bytes.
    pub packed: u64,
    /// The uncompressed size in bytes.
    pub size: u64,
    /// The compression method.
    pub method: u16,
    /// The general purpose flags.
    pub flags: u16,
    /// The CRC-32 of the uncompressed bytes.
    pub crc: u32,
    /// The length and CRC-32 of the name.
    pub name: (u16, u32),
}

/// The offset of the directory in bytes, and the number of members.
#[derive(Debug, Clone, Copy)]
struct Directory {
    start: u64,
    size: u64,
    count: u64,
    /// The offset of the first byte of the zip data.
    skew: u64,
}

const END: &[u8] = b"PK\x05\x06";
const END_SIZE: usize = 22;
/// The maximum length of the comment at the end.
const COMMENT: u64 = 65535;
const LOCATOR: &[u8] = b"PK\x06\x07";
const LOCATOR_SIZE: u64 = 20;
const END_64: &[u8] = b"PK\x06\x06";
const END_64_SIZE: u64 = 56;
const ENTRY: &[u8] = b"PK\x01\x02";

/// Reads the members of a zip file by name. If names repeat, the last member wins, as in every zip tool. Names that cannot be keys are
/// skipped. `invalid` records invalid entries.
pub(super) fn read(
    source: &dyn Source,
    limits: &Limits,
    invalid: &InvalidEntries,
) -> Result<BTreeMap<String, ZipMember>> {
    let directory = find(source)?;
    limits
        .metadata(directory.size, "the directory of a zip file")
        .map_err(|e| e.at(source.name(), directory.start))?;
    let bytes = read_range(source, &claimed(directory.start, directory.size))?;
    let mut cursor = Cursor::new(&bytes, source.name(), directory.start);
    let mut members = BTreeMap::new();
    let mut count = 0u64;
    while cursor.remaining() > 0 {
        let (name, mut member) = entry(&mut cursor)?;
        count += 1;
        member.header = claimed(member.header, directory.skew).end;
        let (bytes, name) = (name, std::str::from_utf8(name).unwrap_or_default());
        let name = name.strip_prefix("./").unwrap_or(name);
        if key::check(name).is_ok() {
            if members.insert(name.to_owned(), member).is_some() {
                invalid.add(InvalidEntry::new(EntryDefect::Twice, bytes));
            }
        } else if !is_folder(bytes, name) {
            invalid.add(InvalidEntry::new(EntryDefect::NoKey, bytes));
        }
    }
    if count != directory.count {
        let what = format!(
            "{} members, but the directory lists {count}",
            directory.count
        );
        return Err(damaged(source, directory.start, what));
    }
    Ok(members)
}

/// Whether an entry represents a directory. A directory is not a key.
fn is_folder(bytes: &[u8], name: &str) -> bool {
    let folder = name.strip_suffix('/');
    bytes == b"./" || folder.is_some_and(|name| key::check(name).is_ok())
}

fn damaged(source: &dyn Source, at: u64, what: String) -> Error {
    let what = format!("damaged zip file: {what}");
    Error::new(ErrorKind::Corrupt, what).at(source.name(), at)
}

/// Finds the directory with the end record of the file.
fn find(source: &dyn Source) -> Result<Directory> {
    let len = source.len();
    let most = COMMENT + END_SIZE as u64;
    let base = len.saturating_sub(most);
    let tail = read_range(source, &(base..len))?;
    let at = (0..tail.len().saturating_sub(END_SIZE - 1))
        .rev()
        .find(|&at| {
            let record = tail.get(at..).unwrap_or_default();
            let comment = |r: &[u8]| Some(u16::from_le_bytes([*r.get(20)?, *r.get(21)?]));
            let end = comment(record).map(|n| at + END_SIZE + usize::from(n));
            record.starts_with(END) && end == Some(tail.len())
        });
    let Some(at) = at else {
        let what = "the zip file is truncated: it has no directory at its end";
        let e = match super::is_zip(source)? {
            true => Error::new(ErrorKind::Truncated, what)
                .with_remedy("the file was cut off: fetch or make it again"),
            false => Error::new(ErrorKind::UnknownFormat, "not a zip file"),
        };
        return Err(e.of(source.name()));
    };
    let end = base + at as u64;
    let record = tail.get(at..).unwrap_or_default();
    let mut cursor = Cursor::new(record, source.name(), end);
    cursor.skip(4)?;
    let (disk, first) = (cursor.u16_le()?, cursor.u16_le()?);
    let (_, count) = (cursor.u16_le()?, cursor.u16_le()?);
    let (size, start) = (cursor.u32_le()?, cursor.u32_le()?);
    let is_64 = count == u16::MAX || size == u32::MAX || start == u32::MAX;
    if let Some(found) = find_64(source, end)?.filter(|_| is_64) {
        return Ok(found);
    }
    if disk != first || (disk != 0 && disk != u16::MAX) {
        let what = "the zip file is one part of several";
        return Err(Error::new(ErrorKind::Unsupported, what).of(source.name()));
    }
    let found = (u64::from(start), u64::from(size), u64::from(count));
    placed(source, end, found)
}

/// Finds the directory of a large file. A ZIP64 end record and a locator precede the normal end record.
fn find_64(source: &dyn Source, end: u64) -> Result<Option<Directory>> {
    let Some(at) = end.checked_sub(LOCATOR_SIZE) else {
        return Ok(None);
    };
    let bytes = read_range(source, &(at..end))?;
    if !bytes.starts_with(LOCATOR) {
        return Ok(None);
    }
    let mut cursor = Cursor::new(&bytes, source.name(), at);
    cursor.skip(8)?;
    let said = cursor.u64_le()?;
    // If bytes precede the first member, the record is directly before the locator.
    for start in [Some(said), at.checked_sub(END_64_SIZE)]
        .into_iter()
        .flatten()
    {
        let record = claimed(start, END_64_SIZE);
        if record.end > at {
            continue;
        }
        let bytes = read_range(source, &record)?;
        if !bytes.starts_with(END_64) {
            continue;
        }
        let mut cursor = Cursor::new(&bytes, source.name(), start);
        cursor.skip(32)?;
        let (count, size, from) = (cursor.u64_le()?, cursor.u64_le()?, cursor.u64_le()?);
        return placed(source, start, (from, size, count)).map(Some);
    }
    Err(damaged(
        source,
        at,
        "the directory does not end at the expected offset".to_owned(),
    ))
}

/// The directory that ends at the offset `end`.
fn placed(
    source: &dyn Source,
    end: u64,
    (from, size, count): (u64, u64, u64),
) -> Result<Directory> {
    let wrong = || {
        let what = format!("{size} bytes of directory from byte {from}, which is past its end");
        damaged(source, end, what)
    };
    let start = end.checked_sub(size).ok_or_else(wrong)?;
    let skew = start.checked_sub(from).ok_or_else(wrong)?;
    Ok(Directory {
        start,
        size,
        count,
        skew,
    })
}

/// Reads an entry of the directory: name and description of a member.
fn entry<'a>(cursor: &mut Cursor<'a>) -> Result<(&'a [u8], ZipMember)> {
    let at = cursor.offset();
    if cursor.bytes(4)? != ENTRY {
        let what = "damaged zip file: no directory entry at the expected offset";
        return Err(Error::new(ErrorKind::Corrupt, what).at(cursor.resource(), at));
    }
    cursor.skip(4)?;
    let (flags, method) = (cursor.u16_le()?, cursor.u16_le()?);
    cursor.skip(4)?;
    let crc = cursor.u32_le()?;
    let (packed, size) = (cursor.u32_le()?, cursor.u32_le()?);
    let (length, extra, comment) = (cursor.u16_le()?, cursor.u16_le()?, cursor.u16_le()?);
    cursor.skip(8)?;
    let header = cursor.u32_le()?;
    let name = cursor.bytes(length.into())?;
    let at = cursor.offset();
    let extra = Cursor::new(cursor.bytes(extra.into())?, cursor.resource(), at);
    cursor.skip(comment.into())?;
    let mut member = ZipMember {
        name: (length, libdeflater::crc32(name)),
        header: header.into(),
        packed: packed.into(),
        size: size.into(),
        method,
        flags,
        crc,
    };
    extend(&mut member, extra)?;
    Ok((name, member))
}

/// Reads 64-bit sizes from the extra field.
fn extend(member: &mut ZipMember, mut extra: Cursor<'_>) -> Result<()> {
    const LARGE: u64 = u32::MAX as u64;
    const ZIP64: u16 = 1;
    let mut wanted = [&mut member.size, &mut member.packed, &mut member.header];
    // Some writers append garbage.
    while extra.remaining() >= 4 {
        let (id, len) = (extra.u16_le()?, extra.u16_le()?);
        let at = extra.offset();
        let Ok(field) = extra.bytes(len.into()) else {
            break;
        };
        if id != ZIP64 {
            continue;
        }
        let mut field = Cursor::new(field, extra.resource(), at);
        for value in wanted.iter_mut().filter(|value| ***value == LARGE) {
            **value = field.u64_le()?;
        }
        break;
    }
    Ok(())
}
