//! A filter of a plugin.

use std::ffi::{CStr, c_uint};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use super::abi::{self, OPTIONAL, REVERSE};
use super::buffer::Buffer;
use super::host::{self, Call};
use super::library::Library;
use crate::error::{Error, ErrorKind, Result};
use crate::filter::output::{allocate, bad, too_long, truncated};
use crate::filter::user::unfit;
use crate::filter::{Context, Encoded, Filter, optional};
use crate::model::FilterSpec;

/// Filters known to undo chunks in several threads at a time.
const DECODES_IN_THREADS: &[u32] = &[1, 2, 3, 4, 307, 32000, 32004, 32008, 32013, 32015, 32026];
/// Filters known to be applied in several threads at a time.
const ENCODES_IN_THREADS: &[u32] = &[307, 32004, 32008, 32013, 32015];
/// HDF5's number of szip.
const SZIP: u32 = 4;
/// HDF5's number of the checksum, and its bytes.
const FLETCHER32: u32 = 3;
const CHECKSUM: usize = 4;

/// A plugin that was loaded, with the filter that it has.
pub struct Plugin {
    /// The filter's number.
    pub id: u32,
    /// What the plugin calls its filter.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    library: Arc<Library>,
    functions: Functions,
}

#[derive(Clone, Copy)]
struct Functions {
    can_apply: Option<abi::CanApply>,
    set_local: Option<abi::SetLocal>,
    filter: abi::Apply,
    encodes: bool,
    decodes: bool,
}

impl std::fmt::Debug for Plugin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "filter {} of {}", self.id, self.path.display())
    }
}

impl Plugin {
    /// The filter that a library has.
    ///
    /// # Errors
    /// Why it has none.
    pub(super) fn of(library: Arc<Library>, path: PathBuf) -> Result<Self, String> {
        let class = library.filter_class()?;
        let id = u32::try_from(class.id).ok().filter(|&id| id <= 0xffff);
        let id = id.ok_or_else(|| format!("filter {} is none that HDF5 has", class.id))?;
        let filter = class.filter.ok_or("its filter has no function")?;
        let name = match class.name.is_null() {
            true => String::new(),
            // SAFETY: the name of a class is null or a text that ends with a NUL, and stays.
            false => unsafe { CStr::from_ptr(class.name) }
                .to_string_lossy()
                .into_owned(),
        };
        Ok(Self {
            id,
            name,
            path,
            functions: Functions {
                can_apply: class.can_apply,
                set_local: class.set_local,
                filter,
                encodes: class.encoder_present != 0,
                decodes: class.decoder_present != 0,
            },
            library,
        })
    }

    /// How the filter is called in messages.
    fn label(&self) -> String {
        format!("filter {} of {}", self.id, self.path.display())
    }

    /// From the user's parameters to those that are stored.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] for chunks and types that it cannot be applied to; [`ErrorKind::Argument`] for
    /// parameters that it does not take.
    pub fn prepare(&self, context: &Context, user: &[u32]) -> Result<Vec<u32>> {
        let call = Call::new(context, &self.spec(given(self.id, user)));
        let call = self.applicable(call)?;
        let Some(set_local) = self.functions.set_local else {
            return Ok(user.to_vec());
        };
        let held = self.library.lock();
        // SAFETY: the function is the plugin's own, the call is there for its questions.
        let (done, call) =
            call.during(|| unsafe { set_local(host::LIST, host::TYPE, host::SPACE) });
        drop(held);
        let said = call.as_ref().map(Call::said).unwrap_or_default();
        let params = call.as_ref().and_then(|call| call.params(self.id));
        match params {
            Some(params) if done >= 0 => Ok(params.to_vec()),
            Some(_) | None => {
                let list = user
                    .iter()
                    .map(u32::to_string)
                    .collect::<Vec<_>>()
                    .join(",");
                let what = format!("{} does not take the parameters {list}{said}", self.label());
                let remedy = "stored parameters are not always those that it takes from a user";
                Err(Error::new(ErrorKind::Argument, what).with_remedy(remedy))
            }
        }
    }

    /// That the filter with these stored parameters can be applied to a chunk.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] if it cannot.
    pub fn check(&self, context: &Context, params: &[u32]) -> Result<()> {
        let call = Call::new(context, &self.spec(params.to_vec()));
        self.applicable(call).map(|_| ())
    }

    fn spec(&self, params: Vec<u32>) -> FilterSpec {
        FilterSpec {
            id: self.id,
            params,
        }
    }

    /// The call, if the filter can be applied to its chunk.
    fn applicable(&self, call: Call) -> Result<Call> {
        if !self.functions.encodes {
            return Err(unfit(&self.label(), "the plugin can only undo it"));
        }
        let Some(can_apply) = self.functions.can_apply else {
            return Ok(call);
        };
        let held = self.library.lock();
        // SAFETY: the function is the plugin's own, the call is there for its questions.
        let (answer, call) =
            call.during(|| unsafe { can_apply(host::LIST, host::TYPE, host::SPACE) });
        drop(held);
        match call {
            Some(call) if answer > 0 => Ok(call),
            call => {
                let said = call.as_ref().map(Call::said).unwrap_or_default();
                let what = format_args!("it cannot be applied to this type or chunk{said}");
                Err(unfit(&self.label(), what))
            }
        }
    }

    /// The filter with stored parameters.
    pub fn build(self: &Arc<Self>, params: &[u32]) -> Box<dyn Filter> {
        Box::new(Applied {
            plugin: Arc::clone(self),
            params: params.to_vec(),
            fits: OnceLock::new(),
        })
    }
}

/// Parameters as the functions of libhdf5 for a user hand them on: of szip, options that are always or never set.
fn given(id: u32, user: &[u32]) -> Vec<u32> {
    let mut params = user.to_vec();
    if let (SZIP, Some(options)) = (id, params.first_mut()) {
        *options = *options & !2 | 0x81;
    }
    params
}

/// A plugin's filter with its parameters.
struct Applied {
    plugin: Arc<Plugin>,
    params: Vec<u32>,
    /// Whether the filter can be applied, once that is known.
    fits: OnceLock<Option<String>>,
}

/// What the function of a plugin gave: its buffer, the bytes in it, and what it said.
struct Given {
    buffer: Buffer,
    len: usize,
    said: String,
}

impl Applied {
    /// Calls the plugin's function.
    fn call(&self, context: &Context, flags: c_uint, input: &[u8]) -> Result<Given> {
        let plugin = &*self.plugin;
        let no_memory = || {
            let what = format!("no memory for {} bytes of a chunk", input.len());
            Error::new(ErrorKind::Limit, what)
        };
        let mut buffer = Buffer::of(input).ok_or_else(no_memory)?;
        let may = if flags & REVERSE == 0 {
            ENCODES_IN_THREADS
        } else {
            DECODES_IN_THREADS
        };
        let flags = flags | if optional(plugin.id) { OPTIONAL } else { 0 };
        let held = (!may.contains(&plugin.id)).then(|| plugin.library.lock());
        let call = Call::new(context, &plugin.spec(self.params.clone()));
        let (len, call) = call.during(|| {
            buffer.lend(|size, block| {
                let (count, params) = (self.params.len(), self.params.as_ptr());
                // SAFETY: the function is the plugin's own; the block is one of the C allocator of at least
                // the size given and has the input, all places are valid.
                unsafe { (plugin.functions.filter)(flags, count, params, input.len(), size, block) }
            })
        });
        drop(held);
        let said = call.as_ref().map(Call::said).unwrap_or_default();
        Ok(Given { buffer, len, said })
    }

    /// That the filter can be applied; asked once.
    fn fits(&self, context: &Context) -> Result<()> {
        let plugin = &self.plugin;
        let why = self.fits.get_or_init(|| {
            let checked = plugin.check(context, &self.params);
            checked.err().map(|e| e.what().to_string())
        });
        match why {
            None => Ok(()),
            Some(why) => Err(Error::new(ErrorKind::Unsupported, why.clone())),
        }
    }
}

impl Given {
    /// The bytes, unless the function failed: it gives 0 then, or -1, or an error of its compressor, which
    /// is as large.
    fn bytes(&self) -> Option<&[u8]> {
        match self.len {
            0 => None,
            len => self.buffer.bytes(len),
        }
    }

    /// Whether the function says that it wrote more than its block has: it has overwritten other memory.
    fn overran(&self) -> bool {
        let is_size = self.len > 0 && isize::try_from(self.len).is_ok();
        is_size && self.buffer.is_there() && self.bytes().is_none()
    }

    /// What is wrong, in words.
    fn why(&self) -> String {
        let what = match self.len {
            0 => "it failed".to_owned(),
            n if isize::try_from(n).is_err() => "it failed".to_owned(),
            n => format!("it gives {n} bytes, more than it has memory for"),
        };
        format!("{what}{}", self.said)
    }
}

impl Filter for Applied {
    fn output(&self, context: &Context) -> Context {
        let mut behind = context.of_any_length();
        behind.len = match self.plugin.id {
            2 => context.len,
            FLETCHER32 => context.len.and_then(|len| len.checked_add(CHECKSUM)),
            _ => None,
        };
        behind
    }

    fn decode(&self, context: &Context, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        let label = self.plugin.label();
        if !self.plugin.functions.decodes {
            let what = format!("{label}: the plugin can only apply it");
            return Err(Error::new(ErrorKind::Unsupported, what));
        }
        // The function of netCDF-C for the checksum reads before the chunk.
        if self.plugin.id == FLETCHER32 && input.len() < CHECKSUM {
            return Err(truncated(&label));
        }
        let given = self.call(context, REVERSE, input)?;
        let bytes = given.bytes().ok_or_else(|| bad(&label, given.why()))?;
        let wanted = match context.len {
            // Some give more: what is behind the chunk means nothing.
            Some(len) => bytes.get(..len).unwrap_or(bytes),
            None => bytes,
        };
        if wanted.len() > context.limit() {
            return Err(too_long(&label, wanted.len(), context.limit()));
        }
        allocate(&label, output, wanted.len())?;
        output.extend_from_slice(wanted);
        Ok(())
    }

    fn encode(&self, context: &Context, input: &[u8], output: &mut Vec<u8>) -> Result<Encoded> {
        self.fits(context)?;
        let given = self.call(context, 0, input)?;
        let label = self.plugin.label();
        match given.bytes() {
            Some(bytes) => {
                allocate(&label, output, bytes.len())?;
                output.extend_from_slice(bytes);
                Ok(Encoded::Applied)
            }
            None if optional(self.plugin.id) && !given.overran() => Ok(Encoded::Declined),
            None => Err(unfit(&label, given.why())),
        }
    }
}
