//! Conversion of elements that are not plain: texts in chunks, and values that the reader resolves.

use std::collections::{BTreeSet, VecDeque};

use super::Dataset;
use super::requests::lost;
use super::variable::ReadVariable;
use crate::chunk::decode::ChunkDecoder;
use crate::chunk::layout::{ChunkRef, Layout};
use crate::chunk::read_cache::{ChunkElements, Usage};
use crate::chunk::scatter::Block;
use crate::chunk::texts::{Texts, place};
use crate::chunk::visit::Locate;
use crate::error::{OrInternal as _, Result};
use crate::model::{Values, VarId};

/// The maximum number of text chunks per fetch.
const TOGETHER: usize = 16;
/// The maximum number of cached text chunks, and the maximum size of the cached texts in bytes.
const CHUNKS: usize = 32;
const BYTES: usize = 64 << 20;

impl Dataset<'_> {
    /// Converts stored elements that are not plain to values.
    ///
    /// # Errors
    /// Returns errors from [`Reader::resolve`](crate::chunk::Reader::resolve), and from reading chunks with texts.
    pub fn resolve(&self, var: VarId, bytes: &[u8]) -> Result<Values> {
        let Some(texts) = self.reader.texts(var) else {
            return self.reader.resolve(var, bytes, self.env);
        };
        let layout = Layout {
            filters: texts.filters.clone(),
            ..self.reader.layout(var)?
        };
        let kept = self.cache_of(var);
        let variable = ReadVariable {
            set: *self,
            var,
            layout: &layout,
            assembly: None,
            decoder: ChunkDecoder::of_texts(self.reader, self.env, var, (&layout, texts))?,
            usage: kept.map(Usage::all),
        };
        TextsOfChunks::new(&variable, texts, bytes).values(bytes)
    }
}

/// The texts of the chunks that elements refer to.
struct TextsOfChunks<'v, 'a> {
    variable: &'v ReadVariable<'a>,
    texts: &'v Texts,
    /// The chunks of the following elements, in the order of their first elements, if one fetch for several chunks is better.
    ahead: VecDeque<u64>,
    /// The packed texts of chunks, oldest first.
    at_hand: VecDeque<(u64, ChunkElements)>,
}

impl<'v, 'a> TextsOfChunks<'v, 'a> {
    fn new(variable: &'v ReadVariable<'a>, texts: &'v Texts, bytes: &[u8]) -> Self {
        Self {
            variable,
            texts,
            ahead: match variable.set.reader.bytes().latency() {
                true => in_order(bytes),
                false => VecDeque::new(),
            },
            at_hand: VecDeque::new(),
        }
    }

    /// Returns the texts of elements.
    fn values(mut self, bytes: &[u8]) -> Result<Values> {
        let mut values = Vec::with_capacity(bytes.len() / 16);
        for element in bytes.as_chunks::<16>().0 {
            let text = match place(element) {
                None => Some(self.texts.fill.as_slice()),
                Some((chunk, n)) => {
                    let texts = self.texts;
                    texts.text(self.of(chunk)?, n)
                }
            };
            values.push(text.map(Box::from));
        }
        Ok(Values::String(values))
    }

    /// Returns the packed texts of a chunk.
    fn of(&mut self, chunk: u64) -> Result<&[u8]> {
        let known =
            |all: &VecDeque<(u64, ChunkElements)>| all.iter().rposition(|(n, _)| *n == chunk);
        if known(&self.at_hand).is_none() {
            self.find(chunk)?;
        }
        let found = known(&self.at_hand).and_then(|n| self.at_hand.get(n));
        Ok(found.or_internal("the cached texts")?.1.as_ref())
    }

    /// Caches the texts of a chunk, and also the texts of the next chunks if one fetch reads all.
    fn find(&mut self, chunk: u64) -> Result<()> {
        self.variable.set.env.cancel.check()?;
        if self.ahead.front() == Some(&chunk) {
            let group = self.ahead.len().min(TOGETHER);
            let group: Vec<u64> = self.ahead.drain(..group).collect();
            self.find_together(&group)?;
        }
        if self.at_hand.iter().all(|(n, _)| *n != chunk) {
            let located = self.located(chunk)?.ok_or_else(lost)?;
            let elements = self.variable.elements(&located)?;
            self.put(chunk, elements.ok_or_else(lost)?);
        }
        Ok(())
    }

    /// Caches the texts of chunks, in reverse order. Ignores the error of a chunk, because the later read reports it.
    fn find_together(&mut self, chunks: &[u64]) -> Result<()> {
        let mut located = vec![];
        for &chunk in chunks.iter().rev() {
            located.extend(self.located(chunk)?);
        }
        let mut found = vec![];
        self.variable.elements_of(&located, |n, elements| {
            found.extend(elements.ok().flatten().map(|elements| (n, elements)));
            Ok(())
        })?;
        found.sort_by_key(|(n, _)| *n);
        for (n, elements) in found {
            if let Some(chunk) = located.get(n) {
                self.put(chunk.index, elements);
            }
        }
        Ok(())
    }

    /// Caches the texts of a chunk, and evicts the oldest texts beyond the limits.
    fn put(&mut self, chunk: u64, texts: ChunkElements) {
        self.at_hand.push_back((chunk, texts));
        let bytes =
            |all: &VecDeque<(u64, ChunkElements)>| all.iter().map(|(_, t)| t.len()).sum::<usize>();
        while self.at_hand.len() > CHUNKS || self.at_hand.len() > 1 && bytes(&self.at_hand) > BYTES
        {
            self.at_hand.pop_front();
        }
    }

    /// Returns the location of a chunk, if it may be stored.
    fn located(&self, chunk: u64) -> Result<Option<ChunkRef>> {
        let start = self.variable.layout.place(chunk);
        let count = vec![1; start.len()];
        let mut found = None;
        let set = self.variable.set;
        let (var, one) = (self.variable.var, Block { start, count });
        set.locate_chunks(var, &one, Locate::Candidates, &mut |chunk| {
            found = Some(chunk);
            Ok(())
        })?;
        Ok(found)
    }
}

/// Returns the chunks that elements refer to, in the order of their first elements.
fn in_order(bytes: &[u8]) -> VecDeque<u64> {
    let (mut seen, mut order) = (BTreeSet::new(), VecDeque::new());
    for element in bytes.as_chunks::<16>().0 {
        let chunk = place(element).map(|(chunk, _)| chunk);
        order.extend(chunk.filter(|&chunk| seen.insert(chunk)));
    }
    order
}
