//! Reading, writing and copying at file positions.

use std::fs::File;
use std::ops::Range;

#[cfg(target_os = "linux")]
use crate::arithmetic::Amount;

/// The maximum number of bytes in one write call. Larger writes make Linux use larger runs of free memory for the page cache. A virtual
/// machine may first have to get such runs from its host, which took up to ten times as long. If runs are available, they save a quarter of
/// the time.
pub(in crate::io) const PIECE: usize = 32 << 10;

/// Writes blocks that end at multiples of [`PIECE`]. Unaligned blocks take 50% longer, because the kernel then uses several small runs of
/// memory.
pub(super) fn write_pieces(file: &File, offset: u64, bytes: &[u8]) -> std::io::Result<()> {
    let (mut at, mut rest) = (offset, bytes);
    while !rest.is_empty() {
        let room = PIECE - usize::try_from(at % PIECE as u64).unwrap_or(0);
        let (piece, more) = rest.split_at(room.min(rest.len()));
        write_all_at(file, piece, at)?;
        at += piece.len() as u64;
        rest = more;
    }
    Ok(())
}

/// Copies `range` within the kernel as far as possible, and returns the number of copied bytes. The caller copies the rest. An unaligned
/// start is first copied up to a multiple of [`PIECE`], because the kernel continues in steps from the start.
#[cfg(target_os = "linux")]
pub(super) fn copy_in_kernel(from: &File, to: &File, range: &Range<u64>, offset: u64) -> u64 {
    let (mut source, mut target) = (range.start, offset);
    while source < range.end {
        let whole = PIECE as u64;
        let most = match target % whole {
            0 => 1 << 30,
            begun => whole - begun,
        };
        let left = Amount::of((range.end - source).min(most)).count();
        match rustix::fs::copy_file_range(from, Some(&mut source), to, Some(&mut target), left) {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
    }
    source - range.start
}

#[cfg(not(target_os = "linux"))]
pub(super) fn copy_in_kernel(_: &File, _: &File, _: &Range<u64>, _: u64) -> u64 {
    0
}

#[cfg(unix)]
pub(super) fn read_exact_at(file: &File, buf: &mut [u8], offset: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buf, offset)
}

#[cfg(unix)]
pub(super) fn write_all_at(file: &File, bytes: &[u8], offset: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(windows)]
pub(super) fn read_exact_at(
    file: &File,
    mut buf: &mut [u8],
    mut offset: u64,
) -> std::io::Result<()> {
    while !buf.is_empty() {
        let n = std::os::windows::fs::FileExt::seek_read(file, buf, offset)?;
        if n == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        buf = buf.get_mut(n..).unwrap_or_default();
        offset += n as u64;
    }
    Ok(())
}

#[cfg(windows)]
pub(super) fn write_all_at(file: &File, mut bytes: &[u8], mut offset: u64) -> std::io::Result<()> {
    while !bytes.is_empty() {
        let n = std::os::windows::fs::FileExt::seek_write(file, bytes, offset)?;
        if n == 0 {
            return Err(std::io::ErrorKind::WriteZero.into());
        }
        bytes = bytes.get(n..).unwrap_or_default();
        offset += n as u64;
    }
    Ok(())
}
