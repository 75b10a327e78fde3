//! Shared filter code: output within the limits of the context, and errors.

use std::fmt::Display;

use super::{ChunkContext, corrupt};
use crate::error::{Error, ErrorKind, Result};

/// Returns the error for a chunk that `filter` cannot have written.
pub(super) fn bad(filter: &str, what: impl Display) -> Error {
    corrupt(format!("{filter}: {what}"))
}

/// Returns the error for a truncated chunk.
#[cold]
pub(super) fn truncated(filter: &str) -> Error {
    let what = format!("{filter}: the chunk is truncated");
    Error::new(ErrorKind::Truncated, what)
}

/// Returns the error for an unsupported feature of `filter`.
pub(super) fn unsupported(filter: &str, what: impl Display) -> Error {
    Error::new(ErrorKind::Unsupported, format!("{filter}: {what}"))
}

/// Reserves memory for the decoded size `claimed` by the chunk. If the context does not know the length, the output grows with the actual
/// data instead.
pub(super) fn reserve(
    filter: &str,
    context: &ChunkContext,
    claimed: u64,
    output: &mut Vec<u8>,
) -> Result<usize> {
    let len = context.checked_len(claimed, filter)?;
    if context.len.is_some() {
        allocate(filter, output, len)?;
    }
    Ok(len)
}

/// Appends `n` zero bytes and returns them for writing.
pub(super) fn extend<'a>(filter: &str, output: &'a mut Vec<u8>, n: usize) -> Result<&'a mut [u8]> {
    let start = output.len();
    allocate(filter, output, n)?;
    output.resize(start.saturating_add(n), 0);
    Ok(output.get_mut(start..).unwrap_or_default())
}

/// Appends the output of `work`, which writes into `most` zeroed bytes and returns the number of used bytes.
pub(super) fn append_with(
    filter: &str,
    output: &mut Vec<u8>,
    most: usize,
    work: impl FnOnce(&mut [u8]) -> Result<usize>,
) -> Result<()> {
    let start = output.len();
    let made = work(extend(filter, output, most)?)?;
    output.truncate(start.saturating_add(made));
    Ok(())
}

/// Appends the output of `work`, preceded by its length in the byte order of `order`.
pub(super) fn sized(
    output: &mut Vec<u8>,
    order: fn(u32) -> [u8; 4],
    work: impl FnOnce(&mut Vec<u8>) -> Result<()>,
) -> Result<()> {
    let start = output.len();
    output.extend_from_slice(&[0; 4]);
    work(output)?;
    let len = output.len().saturating_sub(start).saturating_sub(4);
    let len = u32::try_from(len).unwrap_or(u32::MAX);
    if let Some(slot) = output.get_mut(start..).and_then(|o| o.first_chunk_mut()) {
        *slot = order(len);
    }
    Ok(())
}

/// Reserves memory for `n` more bytes.
pub(super) fn allocate(filter: &str, output: &mut Vec<u8>, n: usize) -> Result<()> {
    output.try_reserve_exact(n).map_err(|_| {
        let what = format!("{filter}: no memory for {n} bytes of a chunk");
        Error::new(ErrorKind::Limit, what)
    })
}

/// Returns the error for output above the limit of the context.
pub(super) fn too_long(filter: &str, claimed: impl Display, limit: usize) -> Error {
    bad(
        filter,
        format_args!("the chunk decodes to {claimed} bytes, expected at most {limit}"),
    )
}

/// Returns parameter `n` of a filter.
pub(super) fn parameter(filter: &str, params: &[u32], n: usize) -> Result<u32> {
    params.get(n).copied().ok_or_else(|| {
        let found = params.len();
        bad(
            filter,
            format_args!("{found} parameters, expected more than {n}"),
        )
    })
}

/// Splits `n` bytes off the start of `input`.
#[inline]
pub(super) fn take<'a>(filter: &str, input: &mut &'a [u8], n: usize) -> Result<&'a [u8]> {
    let (taken, rest) = input.split_at_checked(n).ok_or_else(|| truncated(filter))?;
    *input = rest;
    Ok(taken)
}

/// Splits `N` bytes off the start of `input`.
#[inline]
pub(super) fn array<const N: usize>(filter: &str, input: &mut &[u8]) -> Result<[u8; N]> {
    let (taken, rest) = input.split_first_chunk().ok_or_else(|| truncated(filter))?;
    *input = rest;
    Ok(*taken)
}
