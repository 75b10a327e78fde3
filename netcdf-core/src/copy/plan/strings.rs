//! String lengths for outputs that store strings with a fixed size.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use super::{CopiedVariable, Plan};
use crate::arithmetic::Amount;
use crate::chunk::scatter::Block;
use crate::chunk::visit::{Locate, VisitStop};
use crate::chunk::{Dataset, InBands};
use crate::error::{Error, ErrorKind, Result};
use crate::format::{has_own_metadata, traits};
use crate::model::strings::{DEFAULT, OF_VARIABLE};
use crate::model::{Atomic, Region, Values, VarId, Variable};

/// Approximate number of elements read at a time.
const BAND: u64 = 1 << 16;
/// Only stored chunks are read if at most one chunk in this many is stored.
const SPARSE: u64 = 4;

/// Sets the string length of the output's string variables, if the output stores strings with a fixed size. The length comes from the
/// input's string length if the input has one, otherwise from the longest string.
///
/// # Errors
/// Returns errors of reading the strings.
pub fn size_strings(set: Dataset<'_>, plan: &mut Plan) -> Result<()> {
    size(set, plan, |pair| Ok(longest(set, pair.from)?.bytes))
}

/// Like [`size_strings`], but reads no data. A variable without a string length in the metadata gets the minimum length, and is added to
/// [`Plan::unsized_strings`].
///
/// # Errors
/// Returns [`ErrorKind::Internal`], like [`size_strings`].
pub fn size_known_strings(set: Dataset<'_>, plan: &mut Plan) -> Result<()> {
    let mut unknown = BTreeSet::new();
    size(set, plan, |pair| {
        unknown.insert(pair.to);
        Ok(0)
    })?;
    plan.unsized_strings = unknown;
    Ok(())
}

/// Sizes strings. `unknown` returns the length for a variable whose metadata has no length.
fn size(
    set: Dataset<'_>,
    plan: &mut Plan,
    mut unknown: impl FnMut(CopiedVariable) -> Result<u64>,
) -> Result<()> {
    if !traits(plan.schema.kind).sized_strings {
        return Ok(());
    }
    let counts_characters = !has_own_metadata(plan.schema.kind);
    for &CopiedVariable { from, to } in &plan.data {
        let var = plan.schema.var_mut(to)?;
        if var.ty != Atomic::String.into() {
            continue;
        }
        let fill = longest_fill(var);
        let source = set.reader.schema().var(from).map(|v| &v.storage);
        let characters = source.and_then(|s| s.characters);
        var.storage.characters = characters.map(|n| n.max(fill.characters));
        // UTF-8 takes at most four bytes per character.
        let said = characters
            .filter(|_| counts_characters)
            .map(|n| (Amount::of(n) * 4u64).get());
        let bytes = match source.and_then(|s| s.max_string).or(said) {
            Some(width) => width,
            None => unknown(CopiedVariable { from, to })?,
        };
        var.storage.max_string = Some(bytes.max(fill.bytes).max(1));
    }
    Ok(())
}

/// Like [`size_strings`], for a dataset in an update. Strings without a length attribute keep their length or the default length, and get a
/// larger length for longer strings.
///
/// # Errors
/// Returns errors of reading the strings, and [`ErrorKind::Argument`] for invalid length attributes.
pub fn widen_strings(set: Dataset<'_>, plan: &mut Plan) -> Result<()> {
    let said = plan.schema.said_string_size()?.is_some();
    if !traits(plan.schema.kind).sized_strings || said {
        return Ok(());
    }
    for &CopiedVariable { from, to } in &plan.data {
        let var = plan.schema.var_mut(to)?;
        if var.ty != Atomic::String.into() || var.attribute(OF_VARIABLE).is_some() {
            continue;
        }
        let longest = longest(set, from)?.max(longest_fill(var));
        let usual = var.storage.max_string.unwrap_or(DEFAULT);
        var.storage.max_string = Some(usual.max(longest.bytes));
        if let Some(n) = &mut var.storage.characters {
            *n = longest.characters.max(*n);
        }
    }
    Ok(())
}

/// The maximum number of bytes, and the maximum number of Unicode characters, over some strings.
#[derive(Debug, Clone, Copy, Default)]
struct LongestText {
    bytes: u64,
    characters: u64,
}

impl LongestText {
    fn max(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.max(other.bytes),
            characters: self.characters.max(other.characters),
        }
    }
}

/// Returns the longest string of a variable's fill value.
fn longest_fill(var: &Variable) -> LongestText {
    match var.fill_value() {
        Some(Values::String(fill)) => longest_of(&fill),
        Some(_) | None => LongestText::default(),
    }
}

/// Returns the longest string of a variable. If few chunks are stored, only these chunks and one unwritten element are read.
fn longest(set: Dataset<'_>, var: VarId) -> Result<LongestText> {
    let whole = Region::whole(&set.reader.schema().shape(var));
    let Some(stored) = few_stored(set, var, &whole)? else {
        return longest_in(set, var, whole);
    };
    let mut all = LongestText::default();
    for region in stored {
        all = all.max(longest_in(set, var, region)?);
    }
    Ok(all)
}

/// Returns the regions of all stored chunks if at most one in [`SPARSE`] is stored, and one missing element if the search for it is short.
/// Returns `None` for all other variables.
fn few_stored(set: Dataset<'_>, var: VarId, whole: &Region) -> Result<Option<Vec<Region>>> {
    if set.reader.assembles(var) || whole.count.contains(&0) {
        return Ok(None);
    }
    let layout = set.layout(var)?;
    let chunks = Amount::product(&layout.grid()).get();
    let most = chunks / SPARSE;
    let (mut indices, mut many) = (vec![], false);
    let grid = Block::whole(&layout.grid());
    set.locate_chunks(var, &grid, Locate::Again, &mut |chunk| {
        indices.push(chunk.index);
        many = indices.len() as u64 > most;
        if many { Err(VisitStop::Enough) } else { Ok(()) }
    })?;
    if many {
        return Ok(None);
    }
    indices.sort_unstable();
    let unwritten = (0..).zip(&indices).find(|(n, index)| n != *index);
    let unwritten = unwritten.map_or(indices.len() as u64, |(n, _)| n);
    let clipped = |index: u64, most: u64| {
        let block = layout.block(index);
        let lengths = block.count.iter().zip(&block.start).zip(&whole.count);
        let count =
            lengths.map(|((&n, &start), &len)| n.min((Amount::of(len) - start).get()).min(most));
        Region::boxed(block.start.clone(), count.collect())
    };
    let stored = indices.iter().map(|index| clipped(*index, u64::MAX));
    let one = (unwritten < chunks).then(|| clipped(unwritten, 1));
    Ok(Some(stored.chain(one).collect()))
}

/// Returns the longest string of a region.
fn longest_in(set: Dataset<'_>, var: VarId, region: Region) -> Result<LongestText> {
    let found = Mutex::new(LongestText::default());
    set.bands(
        var,
        InBands::new(region, BAND),
        |_, bytes| {
            let Values::String(strings) = set.resolve(var, &bytes)? else {
                let what = "values that are not strings";
                return Err(Error::new(ErrorKind::BadType, what));
            };
            let longest = longest_of(&strings);
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            *found = found.max(longest);
            Ok(())
        },
        |()| Ok(()),
    )?;
    Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
}

fn longest_of(strings: &[Option<Box<[u8]>>]) -> LongestText {
    let long = |text: &[u8]| LongestText {
        bytes: text.len() as u64,
        characters: String::from_utf8_lossy(text).chars().count() as u64,
    };
    let strings = strings.iter().flatten().map(|text| long(text));
    strings.fold(LongestText::default(), LongestText::max)
}
