//! A filter with a stored form that tests can compute.

use crate::error::Result;
use crate::filter::{Build, ChunkContext, Encoded, Filter, FilterEntry, FilterTable, Policy};
use crate::model::FilterSpec;

/// The filter number.
const ID: u32 = 300;

/// Adds its parameter to every byte.
struct Add(u8);

impl Filter for Add {
    fn decode(&self, _: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        output.extend(input.iter().map(|b| b.wrapping_sub(self.0)));
        Ok(())
    }
    fn encode(&self, _: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<Encoded> {
        output.extend(input.iter().map(|b| b.wrapping_add(self.0)));
        Ok(Encoded::Applied)
    }
}

/// Returns the specification of a filter that adds a number to every byte.
#[must_use]
pub fn add_filter(number: u32) -> FilterSpec {
    FilterSpec {
        id: ID,
        params: vec![number],
    }
}

/// Returns a table with the filter of [`add_filter`].
#[must_use]
pub fn add_table() -> FilterTable {
    table(|params, _| Ok(Box::new(Add(params[0] as u8))))
}

/// Returns a table with one filter under the filter number of [`add_filter`].
#[must_use]
pub fn table(build: Build) -> FilterTable {
    FilterTable::new(vec![FilterEntry {
        id: ID,
        name: "test",
        codec: None,
        policy: Policy::PLAIN,
        named: &[],
        prepare: |_, user| Ok(user.to_vec()),
        build,
    }])
}

/// Applies filters of [`add_filter`] to chunk bytes. A mask bit skips a filter.
pub(super) fn apply(filters: &[FilterSpec], mask: u32, bytes: &mut [u8]) {
    let applied = filters
        .iter()
        .enumerate()
        .filter(|(n, _)| mask >> n & 1 == 0);
    let sum = applied.map(|(_, filter)| filter.params[0] as u8);
    let sum = sum.fold(0, u8::wrapping_add);
    bytes.iter_mut().for_each(|b| *b = b.wrapping_add(sum));
}
