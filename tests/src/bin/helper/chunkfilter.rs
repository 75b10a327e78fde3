//! Encodes and decodes chunks with filters, for `.ci/filters` and `.ci/plugins`, which compare with libhdf5, and for `.ci/codecs`, which
//! compares with numcodecs and zarr-python. With the argument `--prefer-plugins`, plugins take precedence over built-in filters.
//!
//! Each line of standard input is a job, with words separated by blanks:
//!
//! - `encode TYPE ORDER SHAPE FILTERS INPUT OUTPUT`: prepares a user's parameters, encodes the chunk in
//!   the file INPUT to the file OUTPUT and prints the mask and the stored filters.
//! - `decode TYPE ORDER SHAPE FILTERS INPUT OUTPUT MASK`: decodes stored filters; prints `ok`.
//! - `codec TYPE ORDER SHAPE NAME JSON -`: prints the parameters that a codec library returns for the JSON, the visible and the working
//!   parameters for the chunk, and the JSON that the library returns for the visible parameters.
//!
//! TYPE is a netCDF type, `half`, or `text9` for texts of 9 bytes, ORDER `little` or `big`, SHAPE numbers between commas (`-` for none), FILTERS `ID,P,P|ID`,
//! or `@FILE` with a list of codecs as JSON; `encode` then prints the codecs as written. Failures are printed as `error: …`.

use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, Write};
use std::process::ExitCode;

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::filter::plugin::Plugins;
use netcdf_core::filter::{ChunkContext, FilterTable, UsableFilter, VariableFacts, codec};
use netcdf_core::json::Json;
use netcdf_core::model::{Atomic, Endianness, FilterSpec, StoredElement, ZarrVersion};
use netcdf_core::tool::Io;

/// The filters and codecs that jobs use.
struct Filters {
    table: FilterTable,
    /// Whether plugins replace built-in filters.
    preferred: bool,
    codecs: Plugins,
}

/// Runs the jobs of standard input.
pub(crate) fn main(args: &[OsString]) -> ExitCode {
    let preferred = args.iter().any(|arg| arg == "--prefer-plugins");
    let plugins = || Plugins::from_environment(true);
    let filters = Filters {
        table: match preferred {
            true => FilterTable::with_plugins(plugins()),
            false => FilterTable::default(),
        },
        preferred,
        codecs: plugins(),
    };
    // Output of plugins must not mix with ours.
    let mut out = Io::process().stdout;
    for line in std::io::stdin().lock().lines() {
        filters.job(&line.unwrap(), &mut out);
    }
    ExitCode::SUCCESS
}

impl Filters {
    /// Runs the job of a line and prints its result.
    fn job(&self, line: &str, out: &mut dyn Write) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [
            what,
            ty,
            order,
            shape,
            filters,
            input,
            output,
            ref rest @ ..,
        ] = words[..]
        else {
            panic!("not a job: {line}");
        };
        let context = context(ty, order, shape);
        if what == "codec" {
            let made = of_library(&self.codecs, &context, filters, input);
            writeln!(out, "{made}").unwrap();
            return;
        }
        let bytes = fs::read(input).unwrap();
        let done = match (filters.strip_prefix('@'), what, rest) {
            (Some(list), ..) => codecs_of(what, list, context, bytes),
            (None, "encode", []) => {
                let table = (&self.table, self.preferred);
                encode(table, &context, &specs(filters), bytes)
            }
            (None, "decode", [mask]) => {
                let mask = mask.parse().unwrap();
                decode((&self.table, &context), &specs(filters), bytes, mask)
            }
            _ => panic!("not a job: {line}"),
        };
        match done {
            Ok((text, bytes)) => {
                fs::write(output, bytes).unwrap();
                writeln!(out, "{text}").unwrap();
            }
            Err(e) => writeln!(out, "error: {e}").unwrap(),
        }
    }
}

/// Encodes or decodes a chunk of Zarr.
fn codecs_of(
    what: &str,
    list: &str,
    mut context: ChunkContext,
    bytes: Vec<u8>,
) -> Result<(String, Vec<u8>)> {
    let table = FilterTable::default();
    let list = Json::parse(&fs::read(list).unwrap())?;
    let list = list.items().unwrap_or_default();
    let version = match list.iter().any(|codec| codec.get("id").is_some()) {
        true => ZarrVersion::V2,
        false => ZarrVersion::V3,
    };
    context.about.mandatory = true;
    let filters = codec::filters(version, list, &context, &table)?;
    let chain = table.chain(&filters, &context)?;
    if what == "decode" {
        let bytes = chain.decode(0, bytes, &mut Vec::new())?;
        return Ok(("ok".to_owned(), bytes));
    }
    table.check_encoding(&filters, &context)?;
    let (_, bytes) = chain.encode(bytes, &mut Vec::new())?;
    let written = Json::Array(codec::list(version, &filters, &context, &table)?).to_bytes();
    Ok((String::from_utf8(written).unwrap(), bytes))
}

/// Returns the result of a codec library for JSON.
fn of_library(plugins: &Plugins, context: &ChunkContext, name: &str, json: &str) -> String {
    let Some(codec) = plugins.codec(name) else {
        return format!("error: no codec {name}: {}", plugins.searched());
    };
    let made = || {
        let params = codec.parameters(json.as_bytes())?;
        let made = codec.modify(context, &params)?;
        let json = codec.json(&made.visible)?;
        let json = String::from_utf8_lossy(&json).into_owned();
        let (visible, working) = (made.visible, made.working);
        Ok(format!(
            "{} {params:?} {visible:?} {working:?} {json}",
            codec.filter
        ))
    };
    made().unwrap_or_else(|e: netcdf_core::Error| format!("error: {e}"))
}

fn encode(
    (table, preferred): (&FilterTable, bool),
    context: &ChunkContext,
    user: &[FilterSpec],
    bytes: Vec<u8>,
) -> Result<(String, Vec<u8>)> {
    let stored = user.iter().map(|spec| {
        let entry = table.entry(spec.id)?;
        if preferred && matches!(entry, UsableFilter::BuiltIn(_)) {
            let what = "there is no plugin";
            return Err(Error::new(ErrorKind::FilterUnavailable, what));
        }
        let params = entry.prepare(context, &spec.params)?;
        Ok(FilterSpec {
            id: spec.id,
            params,
        })
    });
    let stored = stored.collect::<Result<Vec<FilterSpec>>>()?;
    let chain = table.chain(&stored, context)?;
    let (mask, bytes) = chain.encode(bytes, &mut Vec::new())?;
    let text = stored.iter().map(|spec| {
        let numbers = std::iter::once(&spec.id).chain(&spec.params);
        numbers.map(u32::to_string).collect::<Vec<_>>().join(",")
    });
    let text = text.collect::<Vec<_>>().join("|");
    Ok((format!("{mask} {text}"), bytes))
}

fn decode(
    (table, context): (&FilterTable, &ChunkContext),
    stored: &[FilterSpec],
    bytes: Vec<u8>,
    mask: u32,
) -> Result<(String, Vec<u8>)> {
    let chain = table.chain(stored, context)?;
    let bytes = chain.decode(mask, bytes, &mut Vec::new())?;
    Ok(("ok".to_owned(), bytes))
}

fn context(ty: &str, order: &str, shape: &str) -> ChunkContext {
    let half = ty == "half";
    let text: Option<usize> = ty.strip_prefix("text").map(|size| size.parse().unwrap());
    let ty = match ty {
        _ if text.is_some() => Atomic::String,
        "byte" => Atomic::Byte,
        "ubyte" => Atomic::UByte,
        "short" => Atomic::Short,
        "ushort" => Atomic::UShort,
        "int" => Atomic::Int,
        "uint" => Atomic::UInt,
        "int64" => Atomic::Int64,
        "uint64" => Atomic::UInt64,
        "float" => Atomic::Float,
        "double" => Atomic::Double,
        "half" => Atomic::Float,
        _ => panic!("not a type: {ty}"),
    };
    let shape = shape.split(',').filter(|n| *n != "-");
    let shape: Vec<u64> = shape.map(|n| n.parse().unwrap()).collect();
    let size = text.or(half.then_some(2)).or(ty.size()).unwrap();
    let elements = shape.iter().product::<u64>();
    ChunkContext {
        shape,
        element: StoredElement {
            ty: ty.into(),
            size: size as u64,
            order: match order {
                "big" => Endianness::Big,
                _ => Endianness::Little,
            },
            plain: !half && text.is_none(),
        },
        fill: None,
        len: Some(usize::try_from(elements).unwrap() * size),
        about: VariableFacts::default(),
    }
}

fn specs(text: &str) -> Vec<FilterSpec> {
    let spec = |text: &str| {
        let mut numbers = text.split(',').map(|n| n.parse().unwrap());
        FilterSpec {
            id: numbers.next().unwrap(),
            params: numbers.collect(),
        }
    };
    text.split('|').map(spec).collect()
}
