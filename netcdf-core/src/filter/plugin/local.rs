//! The functions of a plugin loaded in this process.

use std::ffi::{CStr, c_int, c_uint};
use std::sync::Arc;

use super::abi::{self, REVERSE};
use super::buffer::Buffer;
use super::host::{self, PluginCall};
use super::library::Library;
use super::threads;
use crate::filter::plugin::wire::MessageReader;
#[cfg(unix)]
use crate::filter::plugin::wire::MessageWriter;

/// A plugin's description of its filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PluginDescription {
    /// The filter number.
    pub id: u32,
    /// The filter name that the plugin reports.
    pub name: String,
    pub encodes: bool,
    pub decodes: bool,
    /// Whether the plugin has functions that check applicability (`checks`) or compute parameters (`prepares`).
    pub checks: bool,
    pub prepares: bool,
}

impl PluginDescription {
    #[cfg(unix)]
    pub(super) fn put(&self, out: &mut MessageWriter) {
        out.number(self.id.into()).bytes(self.name.as_bytes());
        out.truth(self.encodes).truth(self.decodes);
        out.truth(self.checks).truth(self.prepares);
    }

    pub(super) fn get(read: &mut MessageReader<'_>) -> Option<Self> {
        Some(Self {
            id: read.small()?,
            name: read.text()?,
            encodes: read.truth()?,
            decodes: read.truth()?,
            checks: read.truth()?,
            prepares: read.truth()?,
        })
    }
}

/// The result of a function that examines a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LookResult {
    pub answer: c_int,
    /// The plugin's messages, as the end of an error message.
    pub messages: String,
    /// The filter's parameters after the call.
    pub params: Option<Vec<u32>>,
}

impl LookResult {
    fn of(answer: c_int, call: Option<&PluginCall>, id: u32) -> Self {
        Self {
            answer,
            messages: call.map(PluginCall::message_text).unwrap_or_default(),
            params: call.and_then(|call| call.params(id)).map(<[u32]>::to_vec),
        }
    }

    #[cfg(unix)]
    pub(super) fn put(&self, out: &mut MessageWriter) {
        // Only positive numbers, 0 and negative numbers are distinguished.
        out.number(u64::from(self.answer > 0))
            .truth(self.answer < 0);
        out.bytes(self.messages.as_bytes())
            .truth(self.params.is_some());
        out.numbers(self.params.as_deref().unwrap_or_default());
    }

    pub(super) fn get(read: &mut MessageReader<'_>) -> Option<Self> {
        let (more, less) = (read.truth()?, read.truth()?);
        let messages = read.text()?;
        let (has_params, params) = (read.truth()?, read.numbers()?);
        Some(Self {
            answer: c_int::from(more).saturating_sub(c_int::from(less)),
            messages,
            params: has_params.then_some(params),
        })
    }
}

/// A call of the filter function.
#[derive(Clone, Copy)]
pub(super) struct FilterCall<'a> {
    pub flags: c_uint,
    pub params: &'a [u32],
    pub input: &'a [u8],
}

/// The bytes that a filter returned.
pub(super) enum MadeBytes {
    /// The memory block that the filter returned. The claimed length may exceed its size.
    Block(Buffer),
    /// A copy of the bytes.
    Copy(Vec<u8>),
    /// No bytes.
    Nothing {
        /// Whether a memory block exists.
        there: bool,
    },
}

/// The result of a filter function: its buffer, the bytes in the buffer, and its messages.
pub(super) struct FilterResult {
    pub made: MadeBytes,
    pub len: usize,
    pub messages: String,
}

impl FilterResult {
    /// Returns the bytes; `None` if the function failed and returned 0, -1, or an equally large error code of its compressor.
    pub(super) fn bytes(&self) -> Option<&[u8]> {
        match (&self.made, self.len) {
            (_, 0) | (MadeBytes::Nothing { .. }, _) => None,
            (MadeBytes::Block(buffer), len) => buffer.bytes(len),
            (MadeBytes::Copy(bytes), len) => (bytes.len() == len).then_some(bytes),
        }
    }

    /// Checks whether a memory block exists: a plugin may have removed it.
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
    /// Returns the filter of a library.
    ///
    /// # Errors
    /// Returns the reason if the library has no filter.
    pub(super) fn of(library: Arc<Library>) -> Result<Self, String> {
        let class = library.filter_class()?;
        let id = u32::try_from(class.id).ok().filter(|&id| id <= 0xffff);
        let id = id.ok_or_else(|| format!("HDF5 has no filter number {}", class.id))?;
        let filter = class.filter.ok_or("the filter has no function")?;
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
                checks: class.can_apply.is_some(),
                prepares: class.set_local.is_some(),
            },
            can_apply: class.can_apply,
            set_local: class.set_local,
            filter,
            library,
        })
    }

    /// Checks whether the filter can be applied to a chunk; a positive answer means yes.
    pub(super) fn can_apply(&self, call: PluginCall) -> LookResult {
        self.look(self.can_apply, 1, call)
    }

    /// Converts the parameters of the call to stored parameters.
    pub(super) fn set_local(&self, call: PluginCall) -> LookResult {
        self.look(self.set_local, 0, call)
    }

    /// Calls a function that examines a chunk; without a function, the answer is `usual`.
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

    /// Calls the filter function; returns `None` if memory for its input is exhausted.
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
                // SAFETY: the function belongs to the plugin. The block comes from the C allocator, has at least the given size, and
                // contains the input. All pointers are valid.
                let work = || unsafe { (self.filter)(flags, count, params, used, size, block) };
                self.library.enter(work)
            })
        });
        drop(held);
        Some(FilterResult {
            made: MadeBytes::Block(buffer),
            len,
            messages: call
                .as_ref()
                .map(PluginCall::message_text)
                .unwrap_or_default(),
        })
    }
}
