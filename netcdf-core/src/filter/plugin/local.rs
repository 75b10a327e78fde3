//! The functions of a plugin loaded in this process.

use std::ffi::{CStr, c_int, c_uint};
use std::sync::Arc;

use super::abi::{self, REVERSE};
use super::buffer::Buffer;
use super::host::{self, PluginCall};
use super::library::Library;
use super::threads;
use crate::filter::plugin::wire::{In, MessageWriter};

/// A plugin's description of its filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PluginDescription {
    /// The filter's number.
    pub id: u32,
    /// What the plugin calls its filter.
    pub name: String,
    pub encodes: bool,
    pub decodes: bool,
    /// Whether it has functions that check applicability, or that make parameters.
    pub asks: bool,
    pub prepares: bool,
}

impl PluginDescription {
    pub(super) fn put(&self, out: &mut MessageWriter) {
        out.number(self.id.into()).bytes(self.name.as_bytes());
        out.truth(self.encodes).truth(self.decodes);
        out.truth(self.asks).truth(self.prepares);
    }

    pub(super) fn get(read: &mut In<'_>) -> Option<Self> {
        Some(Self {
            id: read.small()?,
            name: read.text()?,
            encodes: read.truth()?,
            decodes: read.truth()?,
            asks: read.truth()?,
            prepares: read.truth()?,
        })
    }
}

/// The result of a function that looks at a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LookResult {
    pub answer: c_int,
    /// The messages, as the end of an error message.
    pub said: String,
    /// The filter's parameters after it.
    pub params: Option<Vec<u32>>,
}

impl LookResult {
    fn of(answer: c_int, call: Option<&PluginCall>, id: u32) -> Self {
        Self {
            answer,
            said: call.map(PluginCall::said).unwrap_or_default(),
            params: call.and_then(|call| call.params(id)).map(<[u32]>::to_vec),
        }
    }

    pub(super) fn put(&self, out: &mut MessageWriter) {
        // Only positive, 0 and negative are distinguished.
        out.number(u64::from(self.answer > 0))
            .truth(self.answer < 0);
        out.bytes(self.said.as_bytes()).truth(self.params.is_some());
        out.numbers(self.params.as_deref().unwrap_or_default());
    }

    pub(super) fn get(read: &mut In<'_>) -> Option<Self> {
        let (more, less) = (read.truth()?, read.truth()?);
        let said = read.text()?;
        let (are, params) = (read.truth()?, read.numbers()?);
        Some(Self {
            answer: c_int::from(more).saturating_sub(c_int::from(less)),
            said,
            params: are.then_some(params),
        })
    }
}

/// A request to the filter itself.
#[derive(Clone, Copy)]
pub(super) struct FilterCall<'a> {
    pub flags: c_uint,
    pub params: &'a [u32],
    pub input: &'a [u8],
}

/// The bytes that a filter made.
pub(super) enum MadeBytes {
    /// The block of memory that it left; the claimed bytes may exceed it.
    Block(Buffer),
    /// A copy of them.
    Copy(Vec<u8>),
    /// No bytes; says whether there is a block at all.
    Nothing {
        /// Whether there is a block.
        there: bool,
    },
}

/// The result of a filter's function: its buffer, the bytes in it, and its messages.
pub(super) struct FilterResult {
    pub made: MadeBytes,
    pub len: usize,
    pub said: String,
}

impl FilterResult {
    /// The bytes, unless the function failed: then it returns 0, -1, or an equally large error code of its
    /// compressor.
    pub(super) fn bytes(&self) -> Option<&[u8]> {
        match (&self.made, self.len) {
            (_, 0) | (MadeBytes::Nothing { .. }, _) => None,
            (MadeBytes::Block(buffer), len) => buffer.bytes(len),
            (MadeBytes::Copy(bytes), len) => (bytes.len() == len).then_some(bytes),
        }
    }

    /// Whether there is a block of memory: a plugin may have removed it.
    pub(super) fn is_there(&self) -> bool {
        match &self.made {
            MadeBytes::Block(buffer) => buffer.is_there(),
            MadeBytes::Copy(_) => true,
            MadeBytes::Nothing { there } => *there,
        }
    }
}

/// A plugin's filter in this process.
pub(super) struct Local {
    pub described: PluginDescription,
    library: Arc<Library>,
    can_apply: Option<abi::FilterCheck>,
    set_local: Option<abi::FilterCheck>,
    filter: abi::Apply,
}

impl Local {
    /// The filter of a library.
    ///
    /// # Errors
    /// Why it has none.
    pub(super) fn of(library: Arc<Library>) -> Result<Self, String> {
        let class = library.filter_class()?;
        let id = u32::try_from(class.id).ok().filter(|&id| id <= 0xffff);
        let id = id.ok_or_else(|| format!("HDF5 has no filter number {}", class.id))?;
        let filter = class.filter.ok_or("its filter has no function")?;
        let name = match class.name.is_null() {
            true => String::new(),
            // SAFETY: the name of a class is null or a NUL-terminated text, and stays valid.
            false => unsafe { CStr::from_ptr(class.name) }
                .to_string_lossy()
                .into_owned(),
        };
        Ok(Self {
            described: PluginDescription {
                id,
                name,
                encodes: class.encoder_present != 0,
                decodes: class.decoder_present != 0,
                asks: class.can_apply.is_some(),
                prepares: class.set_local.is_some(),
            },
            can_apply: class.can_apply,
            set_local: class.set_local,
            filter,
            library,
        })
    }

    /// Whether the filter can be applied to a chunk: positive for yes.
    pub(super) fn can_apply(&self, call: PluginCall) -> LookResult {
        self.look(self.can_apply, 1, call)
    }

    /// Makes stored parameters from those of the call.
    pub(super) fn set_local(&self, call: PluginCall) -> LookResult {
        self.look(self.set_local, 0, call)
    }

    /// Calls a function that looks at a chunk; without one, the answer is `usual`.
    fn look(
        &self,
        function: Option<abi::FilterCheck>,
        usual: c_int,
        call: PluginCall,
    ) -> LookResult {
        let Some(function) = function else {
            return LookResult::of(usual, Some(&call), self.described.id);
        };
        let held = threads::lock();
        // SAFETY: the function belongs to the plugin, and the call is set up for its queries.
        let question = || unsafe { function(host::LIST, host::TYPE, host::SPACE) };
        let (answer, call) = call.during(|| self.library.enter(question));
        drop(held);
        LookResult::of(answer, call.as_ref(), self.described.id)
    }

    /// Calls the filter's function; `None` if there is no memory for its input.
    pub(super) fn apply(&self, call: PluginCall, job: &FilterCall<'_>) -> Option<FilterResult> {
        let mut buffer = Buffer::of(job.input)?;
        let safe = self.library.threads;
        let may = match job.flags & REVERSE {
            0 => safe.encodes,
            _ => safe.decodes,
        };
        let held = (!may).then(threads::lock);
        let (len, call) = call.during(|| {
            buffer.lend(|size, block| {
                let (count, params) = (job.params.len(), abi::params(job.params));
                let (flags, used) = (job.flags, job.input.len());
                // SAFETY: the function belongs to the plugin; the block comes from the C allocator, has at least
                // the given size and contains the input; all pointers are valid.
                let work = || unsafe { (self.filter)(flags, count, params, used, size, block) };
                self.library.enter(work)
            })
        });
        drop(held);
        Some(FilterResult {
            made: MadeBytes::Block(buffer),
            len,
            said: call.as_ref().map(PluginCall::said).unwrap_or_default(),
        })
    }
}
