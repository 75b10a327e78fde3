//! Shared checks of user's parameters and of chunks before encoding.

use std::fmt::Display;

use super::ChunkContext;
use crate::error::{Error, ErrorKind, Result};
use crate::model::region::product;

/// Returns the error for parameters that `filter` does not accept.
pub(super) fn wrong(filter: &str, expected: impl Display, user: &[u32]) -> Error {
    let found = match user {
        [] => "none".to_owned(),
        _ => listed(user),
    };
    let what = format!("{filter} takes {expected}, not {found}");
    Error::new(ErrorKind::Argument, what)
}

/// Formats parameters for messages and commands.
pub(super) fn listed(params: &[u32]) -> String {
    params
        .iter()
        .map(u32::to_string)
        .collect::<Vec<_>>()
        .join(",")
}

/// Checks that the user gives no parameters.
pub(super) fn none(filter: &str, user: &[u32]) -> Result<Vec<u32>> {
    match user {
        [] => Ok(vec![]),
        _ => Err(wrong(filter, "no parameters", user)),
    }
}

/// Returns the error for a chunk or type that `filter` cannot encode.
pub(super) fn unfit(filter: &str, what: impl Display) -> Error {
    Error::new(ErrorKind::Unsupported, format!("{filter}: {what}"))
}

/// Returns the element size in bytes, as a parameter.
pub(super) fn element_size(filter: &str, context: &ChunkContext) -> Result<u32> {
    let size = context.element.size;
    let fits = u32::try_from(size).ok().filter(|&n| n > 0);
    fits.ok_or_else(|| unfit(filter, format_args!("elements of {size} bytes")))
}

/// Returns the element count of a chunk.
pub(super) fn chunk_elements(filter: &str, context: &ChunkContext) -> Result<u64> {
    let shape = &context.shape;
    product(shape).ok_or_else(|| unfit(filter, format_args!("a chunk of shape {shape:?}")))
}

/// Returns the chunk size, as a parameter.
pub(super) fn chunk_bytes(filter: &str, context: &ChunkContext) -> Result<u32> {
    let bytes = chunk_elements(filter, context)?.checked_mul(context.element.size);
    let fits = bytes.and_then(|n| u32::try_from(n).ok());
    fits.ok_or_else(|| unfit(filter, "a chunk of 4 GiB or more"))
}

/// Returns the error for a chunk of `found` bytes if the stored parameters expect another length.
#[cold]
pub(super) fn wrong_length(filter: &str, found: usize, expected: Option<usize>) -> Error {
    let expected = expected.map_or_else(|| "fewer".to_owned(), |n| n.to_string());
    let what = format!("{filter}: a chunk of {found} bytes to write, not {expected}");
    Error::new(ErrorKind::Argument, what)
}
