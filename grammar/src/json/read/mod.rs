//! JSON reader: a first pass finds the definitions and the data positions, and [`values`] streams the data of a variable.
//!
//! | module | content |
//! |---|---|
//! | `input` | the text as `serde_json` reads it, with positions and mistakes |
//! | `object` | objects with known members |
//! | `parts` | the parsed parts of a dataset |
//! | `words` | strings, sizes, and lists of strings or sizes |
//! | `define` | conversion of parts to a schema |
//! | `settings` | attributes |
//! | `measure` | lengths of unlimited dimensions |
//! | `levels` | nested arrays |
//! | `leaves` | value lists that grow while values are read |
//! | `number`, `text`, `kinds`, `value` | values of any type |
//! | `data` | the data of a variable |

mod data;
mod define;
mod input;
mod kinds;
mod leaves;
mod levels;
mod measure;
mod number;
mod object;
mod parts;
mod settings;
mod text;
mod value;
mod words;

pub use data::values;

use netcdf_core::io::Source;

use crate::cdl::lower::Lower;
use crate::cdl::{CdlDataset, CdlError, ReadOptions};
use crate::diagnostic::{Anchor, Reporter};
use define::Define;
use netcdf_core::format::kind_named;
use parts::DatasetPart;

/// The start of a text.
const START: Anchor = Anchor { offset: 0, line: 1 };

/// Returns whether a text is JSON: the first nonblank character is `{`. CDL never begins with `{`.
///
/// # Errors
/// Returns errors of the source.
pub fn is_json(source: &dyn Source) -> netcdf_core::Result<bool> {
    const MARK: &[u8] = b"\xef\xbb\xbf";
    let mut at = 0;
    while at < source.len() {
        let len = usize::try_from(source.len() - at).unwrap_or(usize::MAX);
        let mut piece = vec![0; len.min(4096)];
        source.read_at(at, &mut piece)?;
        let text = match at {
            0 => piece.strip_prefix(MARK).unwrap_or(&piece),
            _ => &piece,
        };
        if let Some(first) = text.iter().find(|b| !b.is_ascii_whitespace()) {
            return Ok(*first == b'{');
        }
        at += piece.len() as u64;
    }
    Ok(false)
}

/// Reads JSON. Only the positions of data are stored, so memory does not grow with the data.
///
/// # Errors
/// Returns [`CdlError::Other`] for errors of the source, and [`CdlError::Text`] for errors in the text.
pub fn read(source: &dyn Source, options: &ReadOptions) -> Result<CdlDataset, CdlError> {
    let text = match parts::parse(source, options)? {
        Ok(text) => text,
        Err(failure) => {
            let mut reporter = Reporter::new(source);
            reporter.error(START, failure.place(source), failure.message(""));
            return Err(reporter.finish().map_or_else(CdlError::from, |_| {
                netcdf_core::Error::internal("a mistake that is none").into()
            }));
        }
    };
    let report = Reporter::new(source).strict(options.strict);
    let lower = Lower::new(report, options.kind, options.limits.clone());
    let mut define = Define::new(lower, source);
    define.has_kind = text.kind.is_some();
    define.dataset(&text.root);
    let mut cdl = finish(define.lower, &text, options)?;
    cdl.lengths = measure::lengths(source, &mut cdl.schema, &text.root, &cdl.data)?;
    Ok(cdl)
}

/// Returns the dataset unless there were errors.
fn finish(
    mut lower: Lower<'_>,
    text: &DatasetPart,
    options: &ReadOptions,
) -> Result<CdlDataset, CdlError> {
    lower.warn_of_texts();
    let named = text.kind.as_deref().and_then(kind_named);
    let format = lower.format.or(named);
    let mut schema = lower.schema;
    schema.kind = options
        .kind
        .or(format)
        .unwrap_or_else(|| lower.needs.kind());
    let warnings = lower.report.finish()?;
    Ok(CdlDataset {
        schema,
        name: text.name.clone().unwrap_or_default().into_bytes(),
        data: lower.data,
        replaced: vec![],
        format,
        needs: lower.needs,
        lengths: vec![],
        warnings,
    })
}
