//! The description of a joined dataset.

use std::sync::Arc;

use super::conversion::Conversion;
use crate::arithmetic::{Amount, exact};
use crate::chunk::Provenance;
use crate::chunk::layout::Layout;
use crate::error::Result;
use crate::model::{Schema, StoredElement, Values, VarId};

/// The size of the input number in a tagged element, in bytes.
const TAG: u64 = 4;

/// A joined dataset.
#[derive(Debug)]
pub struct JoinedDataset {
    /// The schema of the whole.
    pub schema: Schema,
    /// The variables, by id.
    pub variables: Vec<JoinedVariable>,
    /// For each input, the input's id of each variable of the whole.
    pub ids: Vec<Arc<[Option<VarId>]>>,
    /// The facts about the file of the whole.
    pub provenance: Provenance,
    /// Whether requests to any input take long.
    pub latency: bool,
    /// Whether the chunks of all inputs are in sources.
    pub has_sources: bool,
}

/// The dimension of a variable along which inputs follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JoinedAxis {
    /// The number of the dimension in the variable.
    pub index: usize,
    /// Whether the inputs lack the dimension.
    pub added: bool,
}

/// A run of elements from one input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// The input.
    pub input: usize,
    /// The first index in the whole.
    pub start: u64,
    /// The first index in the input.
    pub from: u64,
    /// The number of indices.
    pub len: u64,
    /// The dimension length in the input.
    pub of: u64,
}

/// The elements of a variable.
#[derive(Debug)]
pub enum JoinedContent {
    /// Runs of inputs, in the order of the axis. A variable without an axis has one run.
    Pieces(Arc<[Piece]>),
    /// Values in memory.
    Memory(Values),
}

/// A variable of a joined dataset.
#[derive(Debug)]
pub struct JoinedVariable {
    pub(super) layout: Layout,
    /// The layout of chunks in the inputs, without the axis if it is added.
    pub(super) axis: Option<JoinedAxis>,
    pub(super) content: JoinedContent,
    /// The conversion of each piece; empty without conversions.
    pub(super) conversions: Vec<Option<Arc<Conversion>>>,
    /// Whether chunks of inputs are chunks of the whole.
    pub(super) stacked: bool,
    /// Whether elements name their input.
    pub(super) tagged: bool,
    /// Whether the inputs have a chunk index.
    pub(super) has_index: bool,
    /// The memory for decoding a chunk of an input, in bytes.
    pub(super) decoding: u64,
}

/// The facts about a variable that determine its storage in the whole.
#[derive(Debug)]
pub struct JoinedVariableParts {
    /// The layout in the first input with the variable, with the element type of the whole.
    pub base: Layout,
    /// The shape in the whole.
    pub shape: Vec<u64>,
    /// The axis; `None` for a variable of one input.
    pub axis: Option<JoinedAxis>,
    /// The runs of inputs.
    pub pieces: Arc<[Piece]>,
    /// The conversion of each piece; empty without conversions.
    pub conversions: Vec<Option<Arc<Conversion>>>,
    /// Whether all inputs have the same layout apart from the length of the axis, and need no conversion.
    pub alike: bool,
    /// The maximum element size in bytes, if only an input can resolve its elements.
    pub tag: Option<u64>,
    /// Whether the inputs have a chunk index.
    pub has_index: bool,
}

impl JoinedVariable {
    /// Creates a variable from runs of inputs.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Internal`](crate::ErrorKind::Internal) for an element of 2^64 bytes.
    pub fn new(parts: JoinedVariableParts) -> Result<Self> {
        let layout = whole_layout(&parts);
        let stacked = parts.alike && parts.tag.is_none() && is_stacked(&parts, &layout);
        let decoding = match parts.base.filters.is_empty() {
            true => 0,
            false => (Amount::of(parts.base.chunk_bytes()) * 2u64).get(),
        };
        Ok(Self {
            layout: match stacked {
                true => layout,
                false => assembled(layout, parts.tag)?,
            },
            axis: parts.axis,
            content: JoinedContent::Pieces(parts.pieces),
            conversions: parts.conversions,
            stacked,
            tagged: parts.tag.is_some(),
            has_index: parts.has_index && stacked,
            decoding,
        })
    }

    /// Creates a variable of values in memory.
    #[must_use]
    pub fn in_memory(values: Values, element: StoredElement, shape: Vec<u64>) -> Self {
        Self {
            layout: Layout {
                chunk: shape.clone(),
                extent: shape,
                element,
                filters: vec![],
                fill: None,
                quantize: None,
            },
            axis: None,
            content: JoinedContent::Memory(values),
            conversions: vec![],
            stacked: false,
            tagged: false,
            has_index: false,
            decoding: 0,
        }
    }

    /// Returns whether chunks of inputs are chunks of the whole.
    #[must_use]
    pub fn is_stacked(&self) -> bool {
        self.stacked
    }

    /// Returns the indices along the first dimension at which inputs begin, except index 0.
    pub(super) fn borders(&self) -> Vec<u64> {
        let is_first = self.axis.is_some_and(|axis| axis.index == 0);
        let pairs = self.pieces().windows(2).filter(|_| is_first);
        let begins = pairs.filter_map(|pair| match pair {
            [a, b] if a.input != b.input => Some(b.start),
            _ => None,
        });
        begins.collect()
    }

    /// Returns the runs of inputs.
    #[must_use]
    pub fn pieces(&self) -> &[Piece] {
        match &self.content {
            JoinedContent::Pieces(pieces) => pieces,
            JoinedContent::Memory(_) => &[],
        }
    }
}

/// Returns the layout in the whole.
fn whole_layout(parts: &JoinedVariableParts) -> Layout {
    let mut chunk = parts.base.chunk.clone();
    if let Some(axis) = parts
        .axis
        .filter(|axis| axis.added && axis.index <= chunk.len())
    {
        chunk.insert(axis.index, 1);
    }
    Layout {
        extent: parts.shape.clone(),
        chunk,
        ..parts.base.clone()
    }
}

/// Returns the layout of an assembled variable. No chunk is longer than the variable.
fn assembled(layout: Layout, tag: Option<u64>) -> Result<Layout> {
    let lengths = layout.chunk.iter().zip(&layout.extent);
    let chunk = lengths.map(|(&chunk, &len)| chunk.clamp(1, len.max(1)));
    let element = layout.element;
    Ok(Layout {
        chunk: chunk.collect(),
        filters: vec![],
        quantize: None,
        element: match tag {
            Some(size) => StoredElement {
                size: (exact(size) + TAG).get()?,
                plain: false,
                ..element
            },
            None => element,
        },
        fill: layout.fill.filter(|_| tag.is_none()),
        ..layout
    })
}

/// Returns whether each run of an input consists of whole chunks. Only the last run may end within a chunk.
fn is_stacked(parts: &JoinedVariableParts, layout: &Layout) -> bool {
    let Some(axis) = parts.axis else {
        return true;
    };
    let Some(&chunk) = layout.chunk.get(axis.index).filter(|chunk| **chunk > 0) else {
        return false;
    };
    let begins =
        |piece: &Piece| piece.start.is_multiple_of(chunk) && piece.from.is_multiple_of(chunk);
    let Some((last, others)) = parts.pieces.split_last() else {
        return true;
    };
    let whole = |piece: &Piece| begins(piece) && piece.len.is_multiple_of(chunk);
    begins(last) && others.iter().all(whole)
}
