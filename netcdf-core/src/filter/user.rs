//! Shared checks of a user's parameters and of the chunks that filters are applied to.

use std::fmt::Display;

use super::ChunkContext;
use crate::error::{Error, ErrorKind, Result};
use crate::model::region::product;

/// The error for parameters that `filter` does not take.
pub(super) fn wrong(filter: &str, expected: impl Display, user: &[u32]) -> Error {
    let found = match user {
        [] => "none".to_owned(),
        _ => listed(user),
    };
    let what = format!("{filter} takes {expected}, not {found}");
    Error::new(ErrorKind::Argument, what)
}

/// Parameters in messages and commands.
pub(super) fn listed(params: &[u32]) -> String {
    params
        .iter()
        .map(u32::to_string)
        .collect::<Vec<_>>()
        .join(",")
}

/// The parameters of a filter that takes none.
pub(super) fn none(filter: &str, user: &[u32]) -> Result<Vec<u32>> {
    match user {
        [] => Ok(vec![]),
        _ => Err(wrong(filter, "no parameters", user)),
    }
}

/// The error for a chunk or type that `filter` cannot be applied to.
pub(super) fn unfit(filter: &str, what: impl Display) -> Error {
    Error::new(ErrorKind::Unsupported, format!("{filter}: {what}"))
}

/// Bytes of an element, as a parameter.
pub(super) fn element_size(filter: &str, context: &ChunkContext) -> Result<u32> {
    let size = context.element.size;
    let fits = u32::try_from(size).ok().filter(|&n| n > 0);
    fits.ok_or_else(|| unfit(filter, format_args!("elements of {size} bytes")))
}

/// Elements of a chunk.
pub(super) fn chunk_elements(filter: &str, context: &ChunkContext) -> Result<u64> {
    let shape = &context.shape;
    product(shape).ok_or_else(|| unfit(filter, format_args!("a chunk of shape {shape:?}")))
}

/// Bytes of a chunk, as a parameter.
pub(super) fn chunk_bytes(filter: &str, context: &ChunkContext) -> Result<u32> {
    let bytes = chunk_elements(filter, context)?.checked_mul(context.element.size);
    let fits = bytes.and_then(|n| u32::try_from(n).ok());
    fits.ok_or_else(|| unfit(filter, "a chunk of 4 GiB or more"))
}

/// The error for a chunk of `found` bytes if the stored parameters are for another length.
#[cold]
pub(super) fn wrong_length(filter: &str, found: usize, expected: Option<usize>) -> Error {
    let expected = expected.map_or_else(|| "fewer".to_owned(), |n| n.to_string());
    let what = format!("{filter}: a chunk of {found} bytes to write, not {expected}");
    Error::new(ErrorKind::Argument, what)
}
