//! The filter chain of a variable, built once and used for all its chunks.

use super::{ChunkContext, Encoded, Filter, FilterTable, corrupt};
use crate::error::{Error, ErrorKind, Result};
use crate::limits;
use crate::model::FilterSpec;

/// A sequence of filters in encoding order.
pub struct FilterChain {
    stages: Vec<FilterStage>,
    /// The input of the first filter on encoding: the chunk.
    context: ChunkContext,
}

/// A filter of a chain, or the error if it is not available.
pub(super) struct FilterStage {
    pub(super) filter: Result<Box<dyn Filter>>,
    /// The input of the filter on encoding, if all filters before it are applied.
    pub(super) context: ChunkContext,
    /// The filter's bit in a chunk's mask.
    bit: u32,
}

impl FilterStage {
    /// Decodes the output of the filter to its input.
    pub(super) fn decode(
        &self,
        context: &ChunkContext,
        bytes: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let filter = self.filter.as_ref().map_err(Error::again)?;
        filter.decode(context, bytes, out)?;
        match context.len.filter(|&len| len != out.len()) {
            None => Ok(()),
            Some(len) => {
                let found = out.len();
                Err(corrupt(format!(
                    "a chunk of {found} bytes after its filters, expected {len}"
                )))
            }
        }
    }

    /// Like [`Self::decode`], but accepts a result of any length.
    pub(super) fn decode_any_length(
        &self,
        context: &ChunkContext,
        bytes: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let Err(e) = self.decode(context, bytes, out) else {
            return Ok(());
        };
        if e.kind() != ErrorKind::Corrupt || context.len.is_none() {
            return Err(e);
        }
        out.clear();
        let any = context.of_other_length();
        let again = self.decode(&any, bytes, out);
        let fits = again.is_ok() && out.len() <= any.limit();
        if fits { Ok(()) } else { Err(e) }
    }
}

impl std::fmt::Debug for FilterChain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "FilterChain of {} filters", self.stages.len())
    }
}

impl FilterTable {
    /// Builds the filters of a variable, in encoding order. A filter's error appears only when a chunk needs the filter: some files
    /// list filters that no chunk uses.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] for more filters than a chunk's mask has bits.
    pub fn chain(&self, filters: &[FilterSpec], context: &ChunkContext) -> Result<FilterChain> {
        FilterChain::new(self, filters, context)
    }
}

impl FilterChain {
    pub(super) fn new(
        table: &FilterTable,
        filters: &[FilterSpec],
        context: &ChunkContext,
    ) -> Result<Self> {
        let mut stages = Vec::with_capacity(filters.len());
        let mut next = context.clone();
        for (n, spec) in (0_u32..).zip(filters) {
            let bit = 1_u32.checked_shl(n).ok_or_else(|| {
                corrupt(format!(
                    "{} filters, at most 32 are possible",
                    filters.len()
                ))
            })?;
            let filter = table
                .entry_of(spec)
                .and_then(|entry| entry.build(&spec.params, &next));
            let context = step(&filter, &mut next);
            stages.push(FilterStage {
                filter,
                context,
                bit,
            });
        }
        Ok(Self {
            stages,
            context: context.clone(),
        })
    }

    /// Decodes a chunk through the filters, last first. Skips the filters that `mask` excludes (bit `n` for filter `n`). `scratch` is
    /// working memory that callers reuse for all chunks; its contents do not matter.
    ///
    /// # Errors
    /// Returns [`ErrorKind::FilterUnavailable`] for a missing filter, [`ErrorKind::Corrupt`] if the result of a filter does not have the
    /// known length, and errors of the filters.
    pub fn decode(&self, mask: u32, bytes: Vec<u8>, scratch: &mut Vec<u8>) -> Result<Vec<u8>> {
        self.decode_stages(mask, bytes, scratch, FilterStage::decode)
    }

    /// Like [`Self::decode`], but accepts shorter and longer chunks, up to twice the shape's size plus 64 KiB.
    ///
    /// # Errors
    /// Returns the same errors as [`Self::decode`].
    pub fn decode_any_length(
        &self,
        mask: u32,
        bytes: Vec<u8>,
        scratch: &mut Vec<u8>,
    ) -> Result<Vec<u8>> {
        self.decode_stages(mask, bytes, scratch, FilterStage::decode_any_length)
    }

    fn decode_stages(
        &self,
        mask: u32,
        mut bytes: Vec<u8>,
        scratch: &mut Vec<u8>,
        decode: fn(&FilterStage, &ChunkContext, &[u8], &mut Vec<u8>) -> Result<()>,
    ) -> Result<Vec<u8>> {
        let masked = self.masked(mask);
        let applied = self.stages.iter().rev().filter(|s| s.bit & mask == 0);
        for (n, stage) in applied.enumerate() {
            let context = masked.get(n).unwrap_or(&stage.context);
            scratch.clear();
            decode(stage, context, &bytes, scratch)?;
            std::mem::swap(&mut bytes, scratch);
        }
        Ok(bytes)
    }

    /// Checks whether a chunk skipped all filters.
    #[must_use]
    pub fn skips_all(&self, mask: u32) -> bool {
        self.stages.iter().all(|s| s.bit & mask != 0)
    }

    /// Returns the filters in encoding order.
    pub(super) fn stages(&self) -> &[FilterStage] {
        &self.stages
    }

    /// Returns the input length of each filter in bytes on encoding; `None` after a filter with output of variable length.
    #[must_use]
    pub fn lengths(&self) -> Vec<Option<usize>> {
        self.stages.iter().map(|stage| stage.context.len).collect()
    }

    /// Returns the number of filters.
    #[must_use]
    pub fn len(&self) -> usize {
        self.stages.len()
    }

    /// Checks whether the chain has no filters.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.stages.is_empty()
    }

    /// Decodes a chunk through a single filter, given by its index in encoding order. The chunk must have used all filters, and the
    /// filters after this one must already be decoded. Accepts shorter and longer chunks, like [`Self::decode_any_length`].
    ///
    /// # Errors
    /// Returns errors of [`Self::decode`], and [`ErrorKind::Argument`] if the chain has no filter with this index.
    pub fn decode_filter(&self, filter: usize, bytes: &[u8]) -> Result<Vec<u8>> {
        let stage = self.stages.get(filter).ok_or_else(|| {
            let what = format!("no filter {filter} in a chain of {}", self.stages.len());
            Error::new(ErrorKind::Argument, what)
        })?;
        let mut out = Vec::new();
        stage.decode_any_length(&stage.context, bytes, &mut out)?;
        Ok(out)
    }

    /// Encodes a chunk with the filters, first to last. Returns the chunk's mask, with bit `n` set if filter `n` declined, and the stored
    /// bytes. `scratch` is working memory as in [`Self::decode`].
    ///
    /// # Errors
    /// Returns [`ErrorKind::FilterUnavailable`] for a missing filter, [`ErrorKind::Argument`] if the chunk's length does not match its
    /// shape, [`ErrorKind::Unsupported`] if a mandatory filter declines, and errors of the filters.
    pub fn encode(&self, mut bytes: Vec<u8>, scratch: &mut Vec<u8>) -> Result<(u32, Vec<u8>)> {
        if let Some(len) = self.context.len.filter(|&len| len != bytes.len()) {
            let what = format!("a chunk of {} bytes to write, not {len}", bytes.len());
            return Err(Error::new(ErrorKind::Argument, what));
        }
        let mut mask = 0;
        // The context differs after a filter that declined.
        let mut other: Option<ChunkContext> = None;
        for stage in &self.stages {
            let filter = stage.filter.as_ref().map_err(Error::again)?;
            let context = other.as_ref().unwrap_or(&stage.context);
            scratch.clear();
            if bytes.len() >= limits::TRIED {
                // Incompressible chunks grow slightly.
                let most = bytes.len().saturating_add(bytes.len() / 64);
                if scratch.capacity() < most {
                    *scratch = vec![];
                }
                limits::reserve(scratch, most, "a chunk")?;
            }
            match filter.encode(context, &bytes, scratch)? {
                Encoded::Applied => {
                    std::mem::swap(&mut bytes, scratch);
                    other = other.map(|context| filter.output(&context));
                }
                Encoded::Declined if self.context.about.mandatory => return Err(declined()),
                Encoded::Declined => {
                    mask |= stage.bit;
                    other.get_or_insert_with(|| stage.context.clone());
                }
            }
        }
        Ok((mask, bytes))
    }

    /// Returns the contexts of the applied filters, last first; empty if all filters are applied.
    fn masked(&self, mask: u32) -> Vec<ChunkContext> {
        if self.stages.iter().all(|s| s.bit & mask == 0) {
            return vec![];
        }
        let mut next = self.context.clone();
        let applied = self.stages.iter().filter(|s| s.bit & mask == 0);
        let mut contexts: Vec<ChunkContext> = applied.map(|s| step(&s.filter, &mut next)).collect();
        contexts.reverse();
        contexts
    }
}

/// Returns the error for a chunk that would have to skip a mandatory filter.
#[cold]
fn declined() -> Error {
    let what =
        "a filter cannot be applied to a chunk, and the format does not allow chunks without it";
    Error::new(ErrorKind::Unsupported, what).with_remedy("choose other filters: -F '*,zstd,3'")
}

/// Returns the context of a filter. `next` becomes the context after the filter.
fn step(filter: &Result<Box<dyn Filter>>, next: &mut ChunkContext) -> ChunkContext {
    let behind = match filter {
        Ok(filter) => filter.output(next),
        Err(_) => next.of_any_length(),
    };
    std::mem::replace(next, behind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::FilterEntry;
    use crate::filter::tests::context;

    fn spec(id: u32, params: &[u32]) -> FilterSpec {
        FilterSpec {
            id,
            params: params.to_vec(),
        }
    }

    /// Applies all filters that `mask` does not skip.
    fn encode(specs: &[FilterSpec], mask: u32, chunk: &[u8]) -> Vec<u8> {
        let left = |(n, _): &(usize, &FilterSpec)| mask >> n & 1 == 0;
        let left: Vec<_> = specs.iter().enumerate().filter(left).collect();
        let left: Vec<_> = left.into_iter().map(|(_, s)| s.clone()).collect();
        let chain = FilterTable::default().chain(&left, &context(chunk.len(), 4));
        let stored = chain.unwrap().encode(chunk.to_vec(), &mut vec![9; 3]);
        let (mask, stored) = stored.unwrap();
        assert_eq!(mask, 0);
        stored
    }

    /// A filter that appends as many bytes as its first parameter says. It rejects chunks that begin with 1, and chunks of unknown length.
    struct Picky(usize);

    impl Filter for Picky {
        fn output(&self, context: &ChunkContext) -> ChunkContext {
            let len = context.len.map(|len| len + self.0);
            ChunkContext {
                len,
                ..context.clone()
            }
        }

        fn decode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
            assert_eq!(context.len, Some(input.len() - self.0));
            output.extend(&input[..input.len() - self.0]);
            Ok(())
        }

        fn encode(
            &self,
            context: &ChunkContext,
            input: &[u8],
            output: &mut Vec<u8>,
        ) -> Result<Encoded> {
            assert_eq!(context.len, Some(input.len()));
            assert!(output.is_empty());
            output.extend(input);
            output.extend(vec![0; self.0]);
            Ok(match input {
                [1, ..] => Encoded::Declined,
                _ => Encoded::Applied,
            })
        }
    }

    const PICKY: FilterEntry = FilterEntry {
        id: 300,
        name: "picky",
        codec: None,
        policy: super::super::Policy::PLAIN,
        named: &[],
        prepare: |_, _| Ok(vec![]),
        build: |params, _| Ok(Box::new(Picky(params[0] as usize))),
    };

    #[test]
    fn declined_filters_only_set_their_mask_bit() {
        let specs = [
            spec(2, &[4]),
            spec(300, &[5]),
            spec(3, &[]),
            spec(300, &[1]),
        ];
        let mut rows = FilterTable::default().rows;
        rows.push(PICKY);
        let chain = FilterTable::new(rows)
            .chain(&specs, &context(12, 4))
            .unwrap();
        let mut scratch = vec![7; 100];
        for (first, mask, len) in [(0, 0, 22), (1, 0b1010, 16)] {
            let chunk: Vec<u8> = (first..first + 12).collect();
            let (found, stored) = chain.encode(chunk.clone(), &mut scratch).unwrap();
            assert_eq!((found, stored.len()), (mask, len));
            assert_eq!(chain.decode(mask, stored, &mut scratch).unwrap(), chunk);
        }
        let e = chain.encode(vec![0; 11], &mut scratch).unwrap_err();
        assert_eq!(e.what(), "a chunk of 11 bytes to write, not 12");
    }

    #[test]
    fn mandatory_filters_cannot_decline() {
        let rows = vec![PICKY];
        let mut context = context(12, 4);
        context.about.mandatory = true;
        let specs = [spec(300, &[5])];
        let chain = FilterTable::new(rows).chain(&specs, &context).unwrap();
        assert!(chain.encode(vec![0; 12], &mut vec![]).is_ok());
        let e = chain.encode(vec![1; 12], &mut vec![]).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Unsupported);
    }

    #[test]
    fn a_missing_filter_cannot_be_applied() {
        let chain = FilterTable::default().chain(&[spec(999, &[])], &context(12, 4));
        let e = chain.unwrap().encode(vec![0; 12], &mut vec![]).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::FilterUnavailable);
    }

    #[test]
    fn decodes_the_filters_of_the_mask() {
        let chunk: Vec<u8> = (0..400_u32).flat_map(|n| (n / 3).to_le_bytes()).collect();
        let specs = [spec(2, &[4]), spec(3, &[]), spec(1, &[6])];
        let context = context(chunk.len(), 4);
        let chain = FilterTable::default().chain(&specs, &context).unwrap();
        let mut scratch = vec![1, 2, 3];
        for mask in 0..8 {
            let stored = encode(&specs, mask, &chunk);
            assert_eq!(chain.decode(mask, stored, &mut scratch).unwrap(), chunk);
        }
        let stored = encode(&specs, 0, &chunk);
        let e = chain.decode(1, stored, &mut scratch);
        assert_ne!(e.unwrap(), chunk, "without its last step it is shuffled");
    }

    #[test]
    fn a_missing_filter_matters_when_a_chunk_needs_it() {
        let chunk = vec![7; 12];
        let specs = [spec(2, &[4]), spec(999, &[]), spec(2, &[])];
        let chain = FilterTable::default()
            .chain(&specs, &context(12, 4))
            .unwrap();
        let read = |mask| chain.decode(mask, chunk.clone(), &mut vec![]);
        assert_eq!(read(2).unwrap(), chunk);
        for _ in 0..2 {
            assert_eq!(read(0).unwrap_err().kind(), ErrorKind::FilterUnavailable);
        }
    }

    #[test]
    fn a_chunk_of_another_length_is_corrupt() {
        let specs = [spec(2, &[4])];
        let chain = FilterTable::default()
            .chain(&specs, &context(12, 4))
            .unwrap();
        let e = chain.decode(0, vec![0; 8], &mut vec![]).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Corrupt);
    }

    #[test]
    fn chunks_of_any_length_are_decoded() {
        for specs in [
            vec![spec(1, &[6])],
            vec![spec(2, &[4]), spec(1, &[6])],
            vec![spec(3, &[]), spec(2, &[4]), spec(32015, &[3])],
            vec![spec(2, &[4]), spec(3, &[])],
        ] {
            let chain = FilterTable::default()
                .chain(&specs, &context(40, 4))
                .unwrap();
            for len in [20_u8, 40, 44] {
                let chunk: Vec<u8> = (0..len).collect();
                let stored = encode(&specs, 0, &chunk);
                let made = chain.decode_any_length(0, stored.clone(), &mut vec![]);
                assert_eq!(made.unwrap(), chunk, "{len} {specs:?}");
                let strict = chain.decode(0, stored, &mut vec![]);
                assert_eq!(strict.is_ok(), len == 40, "{len} {specs:?}");
            }
            let stored = encode(&specs, 0, &vec![0; 100 << 10]);
            assert!(chain.decode_any_length(0, stored, &mut vec![]).is_err());
        }
    }

    #[test]
    fn as_many_filters_as_the_mask_has_bits() {
        let specs = vec![spec(2, &[4]); 33];
        let table = FilterTable::default();
        assert!(table.chain(&specs[1..], &context(4, 4)).is_ok());
        let e = table.chain(&specs, &context(4, 4)).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Corrupt);
    }
}
