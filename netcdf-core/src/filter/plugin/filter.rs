//! The filter of a plugin.

use std::ffi::c_uint;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use super::abi::{OPTIONAL, REVERSE};
use super::helper::{HelperFailure, HelperRequest, Helpers};
use super::host::PluginCall;
use super::library::Library;
use super::local::{FilterCall, FilterResult, Local, LookResult, PluginDescription};
use super::trust::CheckedFile;
use crate::error::{Error, ErrorKind, Result};
use crate::filter::output::{allocate, bad, too_long, truncated};
use crate::filter::user_params::{listed, unfit};
use crate::filter::{ChunkContext, Encoded, Filter, optional};
use crate::model::FilterSpec;

/// HDF5's number for szip.
const SZIP: u32 = 4;
/// HDF5's number for the checksum. [`CHECKSUM`] is the checksum size in bytes.
const FLETCHER32: u32 = 3;
const CHECKSUM: usize = 4;

/// A loaded plugin, with its filter.
pub struct Plugin {
    /// The filter number.
    pub id: u32,
    /// The filter name that the plugin reports.
    pub name: String,
    /// The plugin file.
    pub path: PathBuf,
    described: PluginDescription,
    host: PluginHost,
}

/// The process that runs a plugin.
enum PluginHost {
    /// This process.
    InProcess(Local),
    /// Separate helper processes.
    Helper(Arc<Helpers>, CheckedFile),
}

impl std::fmt::Debug for Plugin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "filter {} of {}", self.id, self.path.display())
    }
}

impl Plugin {
    /// Returns the filter of a library.
    ///
    /// # Errors
    /// Returns the reason if the library has no filter.
    pub(super) fn of(library: Arc<Library>, path: PathBuf) -> Result<Self, String> {
        let local = Local::of(library)?;
        Ok(Self::at(
            local.described.clone(),
            path,
            PluginHost::InProcess(local),
        ))
    }

    /// Returns the filter of a file that helpers load.
    ///
    /// # Errors
    /// Returns the reason if the file has no filter.
    pub(super) fn in_helper(
        helpers: &Arc<Helpers>,
        file: &CheckedFile,
        path: PathBuf,
    ) -> Result<Self, String> {
        let described = helpers.describe(file).map_err(HelperFailure::text)?;
        let host = PluginHost::Helper(Arc::clone(helpers), file.clone());
        Ok(Self::at(described, path, host))
    }

    fn at(described: PluginDescription, path: PathBuf, host: PluginHost) -> Self {
        Self {
            id: described.id,
            name: described.name.clone(),
            path,
            described,
            host,
        }
    }

    /// Returns the filter name for messages.
    fn label(&self) -> String {
        format!("filter {} of {}", self.id, self.path.display())
    }

    /// Converts the user's parameters to stored parameters.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`] for chunks and types that the filter cannot be applied to, and [`ErrorKind::Argument`] for
    /// parameters that it rejects.
    pub fn prepare(&self, context: &ChunkContext, user: &[u32]) -> Result<Vec<u32>> {
        let call = || PluginCall::new(context, &self.spec(given(self.id, user)));
        self.applicable(call())?;
        if !self.described.prepares {
            return Ok(user.to_vec());
        }
        let result = self.look(Local::set_local, HelperRequest::SetLocal, call())?;
        match result.params {
            Some(params) if result.answer >= 0 => Ok(params),
            Some(_) | None => {
                let list = listed(user);
                let (label, messages) = (self.label(), result.messages);
                let what = format!("{label} does not take the parameters {list}{messages}");
                let remedy = "stored parameters may differ from the user's parameters";
                Err(Error::new(ErrorKind::Argument, what).with_remedy(remedy))
            }
        }
    }

    /// Checks that the filter with these stored parameters can be applied to a chunk.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`] if it cannot.
    pub fn check(&self, context: &ChunkContext, params: &[u32]) -> Result<()> {
        let call = PluginCall::new(context, &self.spec(params.to_vec()));
        self.applicable(call)
    }

    fn spec(&self, params: Vec<u32>) -> FilterSpec {
        FilterSpec {
            id: self.id,
            params,
        }
    }

    /// Examines the chunk of a call, in this process or in a helper.
    fn look(
        &self,
        here: fn(&Local, PluginCall) -> LookResult,
        request: HelperRequest,
        call: PluginCall,
    ) -> Result<LookResult> {
        match &self.host {
            PluginHost::InProcess(local) => Ok(here(local, call)),
            PluginHost::Helper(helpers, file) => helpers
                .look(request, file, &call)
                .map_err(|failure| failure.error(ErrorKind::Unsupported, &self.label())),
        }
    }

    /// Checks that the filter can be applied to the chunk of a call.
    fn applicable(&self, call: PluginCall) -> Result<()> {
        if !self.described.encodes {
            return Err(unfit(&self.label(), "the plugin can only decode"));
        }
        if !self.described.checks {
            return Ok(());
        }
        let result = self.look(Local::can_apply, HelperRequest::CanApply, call)?;
        if result.answer > 0 {
            return Ok(());
        }
        let messages = result.messages;
        let what = format_args!("it cannot be applied to this type or chunk{messages}");
        Err(unfit(&self.label(), what))
    }

    /// Builds the filter with stored parameters.
    pub fn build(self: &Arc<Self>, params: &[u32]) -> Box<dyn Filter> {
        Box::new(Applied {
            plugin: Arc::clone(self),
            params: params.to_vec(),
            fits: OnceLock::new(),
        })
    }
}

/// Adjusts the user's parameters like libhdf5's functions: some szip options are always or never set.
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
    /// The cached result of the check whether the filter can be applied.
    fits: OnceLock<Option<String>>,
}

impl Applied {
    /// Calls the plugin's function. If the plugin's process fails, the error has this kind.
    fn call(
        &self,
        context: &ChunkContext,
        input: &[u8],
        (flags, kind): (c_uint, ErrorKind),
    ) -> Result<FilterResult> {
        let plugin = &*self.plugin;
        let job = FilterCall {
            flags: flags | if optional(plugin.id) { OPTIONAL } else { 0 },
            params: &self.params,
            input,
        };
        let call = PluginCall::new(context, &plugin.spec(self.params.clone()));
        match &plugin.host {
            PluginHost::InProcess(local) => local.apply(call, &job).ok_or_else(|| {
                let what = format!("no memory for {} bytes of a chunk", input.len());
                Error::new(ErrorKind::Limit, what)
            }),
            PluginHost::Helper(helpers, file) => helpers
                .apply(file, &call, &job)
                .map_err(|failure| failure.error(kind, &plugin.label())),
        }
    }

    /// Checks once that the filter can be applied.
    fn fits(&self, context: &ChunkContext) -> Result<()> {
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

impl FilterResult {
    /// Checks whether the function claims to have written more than its block contains, so that it has overwritten other memory.
    fn overran(&self) -> bool {
        let is_size = self.len > 0 && isize::try_from(self.len).is_ok();
        is_size && self.is_there() && self.bytes().is_none()
    }

    /// Returns the reason for the failure, as text.
    fn why(&self) -> String {
        let what = match self.len {
            0 => "it failed".to_owned(),
            n if isize::try_from(n).is_err() => "it failed".to_owned(),
            n => format!("it returns {n} bytes, more than its buffer holds"),
        };
        format!("{what}{}", self.messages)
    }
}

impl Filter for Applied {
    fn output(&self, context: &ChunkContext) -> ChunkContext {
        let mut behind = context.of_any_length();
        behind.len = match self.plugin.id {
            2 => context.len,
            FLETCHER32 => context.len.and_then(|len| len.checked_add(CHECKSUM)),
            _ => None,
        };
        behind
    }

    fn decode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        let label = self.plugin.label();
        if !self.plugin.described.decodes {
            let what = format!("{label}: the plugin can only encode");
            return Err(Error::new(ErrorKind::Unsupported, what));
        }
        // netCDF-C's checksum function reads before the start of a chunk that is too short.
        if self.plugin.id == FLETCHER32 && input.len() < CHECKSUM {
            return Err(truncated(&label));
        }
        let given = self.call(context, input, (REVERSE, ErrorKind::Corrupt))?;
        let bytes = given.bytes().ok_or_else(|| bad(&label, given.why()))?;
        let wanted = match context.len {
            // Some plugins return more; bytes after the chunk have no meaning.
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

    fn encode(
        &self,
        context: &ChunkContext,
        input: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<Encoded> {
        self.fits(context)?;
        let given = self.call(context, input, (0, ErrorKind::Unsupported))?;
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
