//! Finds the chunk that the command line names.

use netcdf_core::error::{Error, ErrorKind, Result};

use crate::array::{OpenArray, numbers};
use crate::cli::ChunkArgs;
use crate::table::shape;

/// Returns the coordinates of the chunk, or `None` for all chunks.
///
/// # Errors
/// Returns [`ErrorKind::Argument`] for a chunk or element outside the array.
pub(super) fn wanted(args: &ChunkArgs, opened: &OpenArray<'_>) -> Result<Option<Vec<u64>>> {
    let grid = opened.grid();
    if args.all {
        return Ok(None);
    }
    if let Some(at) = &args.at {
        let element = parse(at)?;
        fits((&element, at), &opened.shape, "element")?;
        let place = element.iter().zip(&opened.chunk);
        return Ok(Some(place.map(|(at, n)| at / (*n).max(1)).collect()));
    }
    let Some(index) = &args.index else {
        return match grid.iter().all(|&cells| cells == 1) {
            true => Ok(Some(vec![0; grid.len()])),
            false => Err(which(&grid)),
        };
    };
    let place = parse(index)?;
    // A scalar has one chunk with the key `0` in version 2.
    let place = match grid.is_empty() && place == [0] {
        true => vec![],
        false => place,
    };
    fits((&place, index), &grid, "chunk")?;
    Ok(Some(place))
}

/// Parses numbers separated by commas or dots.
fn parse(text: &str) -> Result<Vec<u64>> {
    let numbers = text.split([',', '.']).map(|n| n.trim().parse().ok());
    let numbers: Option<Vec<u64>> = match text.is_empty() || text == "-" {
        true => Some(vec![]),
        false => numbers.collect(),
    };
    numbers.ok_or_else(|| {
        let what = format!("\"{text}\": expected numbers separated by commas");
        Error::new(ErrorKind::Argument, what)
    })
}

/// Checks that the chunk or element exists.
fn fits((place, text): (&[u64], &str), lengths: &[u64], name: &str) -> Result<()> {
    if place.len() != lengths.len() {
        let (have, want) = (place.len(), lengths.len());
        let what = format!("{name} {text} has {have} numbers, the array has {want} dimensions");
        return Err(Error::new(ErrorKind::Argument, what));
    }
    if place.iter().zip(lengths).any(|(at, len)| at >= len) {
        let all = shape(lengths);
        let what = format!("no {name} {text}: there are {all} of them, counted from 0");
        return Err(Error::new(ErrorKind::Argument, what));
    }
    Ok(())
}

/// Returns the error for a missing chunk argument: the array has several chunks or none.
fn which(grid: &[u64]) -> Error {
    if grid.contains(&0) {
        return Error::new(
            ErrorKind::Argument,
            "the array has no elements, and so no chunks",
        );
    }
    let last: Vec<u64> = grid.iter().map(|cells| cells.saturating_sub(1)).collect();
    let first = numbers(&vec![0; grid.len()]);
    let what = format!(
        "which chunk? There are chunks from {first} to {}",
        numbers(&last)
    );
    Error::new(ErrorKind::Argument, what).with_remedy("--all shows all stored chunks")
}
