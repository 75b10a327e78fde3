//! A dataset in memory with chunked variables: the copy writes it, and reads it again.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use super::*;
use crate::chunk::layout::ChunkRef;
use crate::chunk::{BulkWriter, PutRules};
use crate::filter::{ChunkContext, Encoded, Filter, FilterTable};
use crate::io::Source;
use crate::model::StoredElement;
use crate::testing::{MemoryDataset, add_filter, table};

/// Adds its parameter to every byte; declines chunks that begin with a multiple of seven.
struct Add(u8);

impl Filter for Add {
    fn output(&self, context: &ChunkContext) -> ChunkContext {
        context.clone()
    }
    fn decode(&self, _: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        output.extend(input.iter().map(|b| b.wrapping_sub(self.0)));
        Ok(())
    }
    fn encode(&self, _: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<Encoded> {
        if input.first().is_some_and(|b| b.is_multiple_of(7)) {
            return Ok(Encoded::Declined);
        }
        output.extend(input.iter().map(|b| b.wrapping_add(self.0)));
        Ok(Encoded::Applied)
    }
}

pub(super) fn filters() -> FilterTable {
    table(|params, _| Ok(Box::new(Add(u8::try_from(params[0]).unwrap()))))
}

/// The storage of a variable.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Form {
    pub(super) chunk: Vec<u64>,
    /// Parameters of filters.
    pub(super) filters: Vec<u32>,
    pub(super) order: Endianness,
}

/// The stored chunks and values.
#[derive(Debug, Clone, Default)]
pub(super) struct Store {
    pub(super) schema: Option<Schema>,
    forms: Vec<Form>,
    /// Per variable and chunk: mask and bytes.
    pub(super) chunks: BTreeMap<(u32, u64), (u32, Vec<u8>)>,
    /// Chunks that were moved.
    pub(super) moved: u64,
    pub(super) finished: bool,
}

impl Store {
    fn layout(&self, var: VarId) -> Layout {
        let schema = self.schema.as_ref().unwrap();
        let form = &self.forms[var.index()];
        let ty = schema.var(var).unwrap().ty;
        Layout {
            extent: schema.shape(var),
            chunk: form.chunk.clone(),
            element: StoredElement {
                ty,
                size: ty.fixed_size(schema).unwrap_or(4),
                order: form.order,
                plain: ty.fixed_size(schema).is_some(),
            },
            filters: form.filters.iter().map(|&n| add_filter(n)).collect(),
            fill: None,
            quantize: None,
        }
    }

    /// Returns the stored chunks as a dataset. Strings are numbers as text, multiples of five are NIL.
    pub(super) fn dataset(&self) -> MemoryDataset {
        let mut made = MemoryDataset::new(Kind::NETCDF4);
        (made.schema, made.source) = (self.schema.clone().unwrap(), Some("store"));
        for (n, _) in self.forms.iter().enumerate() {
            made.add_layout(self.layout(VarId(n as u32)));
        }
        for (&(var, index), (mask, bytes)) in &self.chunks {
            made.put(VarId(var), index, *mask, bytes);
        }
        for var in made.schema.var_ids() {
            let text = |n: u64| (!n.is_multiple_of(5)).then(|| n.to_string().into_bytes().into());
            made.set_heap(var, move |n| Values::String(vec![text(n)]));
        }
        made
    }
}

/// Writes into a store.
pub(super) struct Mock(Arc<Mutex<Store>>, Schema, Vec<Vec<u8>>);

impl Mock {
    pub(super) fn create(schema: Schema, forms: Vec<Form>) -> (Box<dyn Writer>, Arc<Mutex<Store>>) {
        let store = Store {
            schema: Some(schema.clone()),
            forms,
            ..Store::default()
        };
        let store = Arc::new(Mutex::new(store));
        (Box::new(Self(Arc::clone(&store), schema, vec![])), store)
    }
}

impl Writer for Mock {
    fn schema(&self) -> &Schema {
        &self.1
    }
    fn layout(&self, var: VarId) -> Result<Layout> {
        Ok(self.0.lock().unwrap().layout(var))
    }
    fn put_chunk(&mut self, var: VarId, index: u64, mask: u32, bytes: &[u8]) -> Result<()> {
        let mut store = self.0.lock().unwrap();
        let layout = store.layout(var);
        assert!(index < layout.grid().iter().product(), "{index} {layout:?}");
        let before = store
            .chunks
            .range((var.0, 0)..=(var.0, u64::MAX))
            .next_back();
        assert!(before.is_none_or(|((_, i), _)| *i < index), "in order");
        store.chunks.insert((var.0, index), (mask, bytes.to_vec()));
        Ok(())
    }
    fn put_run(&mut self, _: VarId, _: u64, _: &[u8]) -> Result<()> {
        panic!("all is in chunks")
    }
    fn rules(&self, _: VarId) -> PutRules {
        PutRules {
            chunks: true,
            all_filters: false,
            heap_fill: false,
        }
    }
    fn bulk(&mut self) -> Option<&mut dyn BulkWriter> {
        Some(self)
    }
    /// Replaces strings by numbers; the heap lists the strings.
    fn put_heap(&mut self, _: VarId, values: &Values) -> Result<Vec<u8>> {
        let Values::String(all) = values else {
            panic!()
        };
        let mut out = vec![];
        for text in all {
            let number = u32::try_from(self.2.len()).unwrap();
            self.2.push(text.as_deref().unwrap_or(b"NIL").to_vec());
            out.extend(number.to_le_bytes());
        }
        Ok(out)
    }
    fn set_len(&mut self, dim: DimId, len: u64) -> Result<()> {
        let dim = &mut self.1.dims[dim.index()];
        dim.len = dim.len.max(len);
        self.0.lock().unwrap().schema = Some(self.1.clone());
        Ok(())
    }
    fn finish(self: Box<Self>) -> Result<()> {
        self.0.lock().unwrap().finished = true;
        Ok(())
    }
}

impl BulkWriter for Mock {
    fn move_chunk(&mut self, var: VarId, chunk: &ChunkRef, source: &Arc<dyn Source>) -> Result<()> {
        let bytes = crate::io::source::read_range(&**source, &chunk.range)?;
        self.0.lock().unwrap().moved += 1;
        self.put_chunk(var, chunk.index, chunk.mask, &bytes)
    }
    fn move_run(&mut self, _: VarId, _: u64, _: &Arc<dyn Source>, _: Range<u64>) -> Result<()> {
        panic!("all is in chunks")
    }
}
