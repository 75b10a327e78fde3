//! Strings in outputs with fixed-size strings: the size of the longest string.

use netcdf_core::env::Env;
use netcdf_core::error::Result;
use netcdf_core::format::traits;
use netcdf_core::io::Source;
use netcdf_core::model::strings::{DEFAULT, OF_VARIABLE};
use netcdf_core::model::{Atomic, Endianness, Schema, Values};
use netcdf_grammar::cdl::CdlDataset;
use netcdf_grammar::cdl::values::{self, Problems, ValueSink};

use crate::lists::{self, text};

/// Sets the fixed size of string variables to their longest string, unless an attribute sets the size.
///
/// # Errors
/// Returns errors of the source, signals, and [`Argument`](netcdf_core::ErrorKind::Argument) for attributes that are not lengths.
pub(crate) fn widen(
    schema: &mut Schema,
    cdl: &CdlDataset,
    source: &dyn Source,
    env: &Env,
) -> Result<()> {
    if !traits(schema.kind).sized_strings || schema.said_string_size()?.is_some() {
        return Ok(());
    }
    // Lists are read with the final dimension lengths.
    let mut whole = lists::with_lengths(schema.clone(), cdl);
    for list in &cdl.data {
        let Some(var) = schema.var(list.var) else {
            continue;
        };
        if var.ty != Atomic::String.into() || var.attribute(OF_VARIABLE).is_some() {
            continue;
        }
        let mut longest = LongestString { len: DEFAULT, env };
        if let Some(Values::String(fill)) = var.fill_value() {
            longest.look(&fill);
        }
        // Mistakes are reported when the list is written.
        let mut problems = Problems::default();
        let text = text(list, source);
        if lists::needs_lengths(list, &whole) {
            for (dim, len) in values::lengths(&text, &whole, &mut problems)? {
                if let Some(dim) = whole.dims.get_mut(dim.index()) {
                    dim.len = dim.len.max(len);
                }
            }
        }
        lists::read(
            &text,
            &whole,
            Endianness::Little,
            &mut problems,
            &mut longest,
        )?;
        if let Some(var) = schema.vars.get_mut(list.var.index()) {
            var.storage.max_string = Some(longest.len);
        }
    }
    Ok(())
}

/// Finds the length of the longest string, in bytes.
struct LongestString<'a> {
    len: u64,
    env: &'a Env,
}

impl LongestString<'_> {
    fn look(&mut self, strings: &[Option<Box<[u8]>>]) {
        let lengths = strings.iter().flatten().map(|s| s.len() as u64);
        self.len = lengths.fold(self.len, u64::max);
    }
}

impl ValueSink for LongestString<'_> {
    fn bytes(&mut self, _: u64, _: &[u8]) -> Result<()> {
        self.env.cancel.check()
    }

    fn values(&mut self, _: u64, values: &Values) -> Result<()> {
        if let Values::String(strings) = values {
            self.look(strings);
        }
        self.env.cancel.check()
    }
}
