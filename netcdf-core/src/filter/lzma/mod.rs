//! LZMA in the formats `.xz`, the older `.lzma`, and raw.
//!
//! | | |
//! |---|---|
//! | HDF5 number | none |
//! | Names | `lzma` |
//! | Parameters | the members of the codec in Zarr, as text: `format` (1 xz, 2 alone, 3 raw), `check`, `preset`, `filters`, as Python's module `lzma` has them |
//! | Parameters | the codec members in Zarr, as text: `format` (1 xz, 2 alone, 3 raw), `check`, `preset`, `filters`, as in Python's module `lzma` |
//! | Stored form | a stream of the format; more xz streams may follow an xz stream |
//! | Also read by | numcodecs and software built on it |
//!
//! The encoder supports only the filter delta before LZMA. The decoder supports filters for machine code in xz streams only. Dictionaries
//! larger than [`MEMORY`] are rejected.

mod settings;

use std::io::{Read, Write};

use lzma_rust2::{
    Lzma2Options, Lzma2Reader, Lzma2Writer, LzmaReader, LzmaWriter, XzOptions, XzReader, XzWriter,
    filter::delta::{DeltaReader, DeltaWriter},
};

use super::codec::{CodecStage, ids};
use super::ids::DEFLATE;
use super::output::{bad, too_long, unsupported};
use super::user_params::wrong;
use super::{
    ChunkContext, CodecNames, Encoded, Filter, FilterEntry, FilterReplacement, Policy, StrictCheck,
};
use crate::error::Result;
use settings::{LzmaFormat, Settings};

/// The entry in the filter table.
pub(crate) const ENTRY: FilterEntry = FilterEntry {
    id: ids::LZMA,
    name: NAME,
    codec: Some(CodecNames {
        name: NAME,
        v3: "numcodecs.lzma",
        stage: CodecStage::Bytes,
        read: settings::from_codec,
        write: |params, _| settings::to_codec(params),
    }),
    policy: Policy {
        in_hdf5: |_| FilterReplacement::substitute(DEFLATE, &[9]),
        ..Policy::PLAIN
    },
    named: &[],
    prepare: |_, user| match user {
        [] => Ok(settings::params(&[])),
        _ if Settings::read(user).is_ok() => Ok(user.to_vec()),
        _ => Err(wrong(NAME, "no parameters, or stored ones", user)),
    },
    build: |params, _| Ok(Box::new(Lzma(Settings::read(params)?))),
};

const NAME: &str = "lzma";

/// The maximum dictionary size in bytes.
pub(crate) const MEMORY: u32 = 1 << 30;

struct Lzma(Settings);

impl Filter for Lzma {
    fn decode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        let limit = context.limit();
        let mut reader = self.reader(input)?.take((limit as u64).saturating_add(1));
        reader.read_to_end(output).map_err(|e| bad(NAME, e))?;
        if output.len() > limit {
            return Err(too_long(NAME, "more", limit));
        }
        Ok(())
    }

    fn strict_check(&self) -> StrictCheck {
        StrictCheck::Headers
    }

    /// Python's lzma rejects zeros after the last xz stream.
    fn is_strict(&self, _: &ChunkContext, input: &[u8]) -> bool {
        !input.starts_with(b"\xFD7zXZ\0") || input.ends_with(b"YZ")
    }

    fn encode(&self, _: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<Encoded> {
        let settings = &self.0;
        if let Some(other) = &settings.unknown {
            return Err(unsupported(NAME, format_args!("{other} cannot be written")));
        }
        let made = match settings.form {
            LzmaFormat::Xz => self.xz(input, output),
            LzmaFormat::Alone => alone(settings, input, output),
            LzmaFormat::Raw => self.raw(input, output),
        };
        made.map_err(|e| bad(NAME, e))?;
        Ok(Encoded::Applied)
    }
}

impl Lzma {
    /// Returns a decoder for `input`.
    fn reader<'a>(&self, input: &'a [u8]) -> Result<Box<dyn Read + 'a>> {
        let (settings, most) = (&self.0, MEMORY / 1024 + 1024);
        let reader: Box<dyn Read + 'a> = match settings.form {
            LzmaFormat::Xz if !settings.any || input.starts_with(b"\xFD7zXZ\0") => {
                return Ok(Box::new(XzReader::new_mem_limit(input, true, most)));
            }
            LzmaFormat::Xz | LzmaFormat::Alone => {
                let alone = LzmaReader::new_mem_limit(input, most, None);
                return Ok(Box::new(alone.map_err(|e| bad(NAME, e))?));
            }
            LzmaFormat::Raw if settings.unknown.is_some() => {
                let other = settings.unknown.as_deref().unwrap_or_default();
                return Err(unsupported(NAME, other));
            }
            LzmaFormat::Raw if settings.first => {
                let lzma = &settings.lzma;
                let props = lzma.get_props();
                let raw = LzmaReader::new_with_props(input, u64::MAX, props, lzma.dict_size, None);
                Box::new(raw.map_err(|e| bad(NAME, e))?)
            }
            LzmaFormat::Raw => Box::new(Lzma2Reader::new(input, settings.lzma.dict_size, None)),
        };
        let distances = settings.distances.iter().rev();
        Ok(distances.fold(reader, |reader, distance| {
            Box::new(DeltaReader::new(reader, *distance as usize))
        }))
    }

    fn xz(&self, input: &[u8], output: &mut Vec<u8>) -> std::io::Result<()> {
        let settings = &self.0;
        let mut options = XzOptions {
            lzma_options: settings.options(input.len()),
            check_type: settings.check,
            ..XzOptions::default()
        };
        for distance in settings.distances.iter().rev() {
            options.prepend_pre_filter(lzma_rust2::FilterType::Delta, *distance);
        }
        let mut writer = XzWriter::new(output, options)?;
        writer.write_all(input)?;
        writer.finish().map(|_| ())
    }

    fn raw(&self, input: &[u8], output: &mut Vec<u8>) -> std::io::Result<()> {
        let settings = &self.0;
        let mut bytes = input.to_vec();
        for distance in &settings.distances {
            let mut next = Vec::with_capacity(bytes.len());
            DeltaWriter::new(&mut next, *distance as usize).write_all(&bytes)?;
            bytes = next;
        }
        if settings.first {
            let options = settings.options(input.len());
            let mut writer = LzmaWriter::new_no_header(output, &options, true)?;
            writer.write_all(&bytes)?;
            return writer.finish().map(|_| ());
        }
        let options = Lzma2Options {
            lzma_options: settings.options(input.len()),
            ..Lzma2Options::default()
        };
        let mut writer = Lzma2Writer::new(output, options);
        writer.write_all(&bytes)?;
        writer.finish().map(|_| ())
    }
}

fn alone(settings: &Settings, input: &[u8], output: &mut Vec<u8>) -> std::io::Result<()> {
    let mut writer = LzmaWriter::new_use_header(output, &settings.options(input.len()), None)?;
    writer.write_all(input)?;
    writer.finish().map(|_| ())
}

#[cfg(test)]
mod tests;
