//! `--history`: prepends date and command to the global attribute `history`, as NCO and CDO do.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use netcdf_core::model::{Atomic, Attribute, Name, Schema, Values};
use netcdf_core::notes::Note;
use netcdf_core::shown::{ShownAddress, without_secrets};

use crate::shell::quoted;

const NAME: &str = "history";
/// The option for the time of a plan.
pub(crate) const TIME: &str = "--history-time=";

/// Returns the command in shell syntax, with secrets removed from addresses. `args` begin with the program name.
pub(crate) fn command(args: &[OsString]) -> String {
    let given = given(args).map(|word| quoted(&shown(word)));
    let words = std::iter::once("nccopy".to_owned()).chain(given);
    words.collect::<Vec<_>>().join(" ")
}

/// Returns the arguments except `paths`, with secrets removed from addresses.
pub(crate) fn options(args: &[OsString], paths: &[PathBuf]) -> Vec<String> {
    let mut paths: Vec<&OsStr> = paths.iter().map(|path| path.as_os_str()).collect();
    let mut left = vec![];
    // Paths usually follow the options.
    for word in given(args).rev() {
        match paths.iter().rposition(|path| path == word) {
            Some(place) => drop(paths.remove(place)),
            None => left.push(shown(word)),
        }
    }
    left.reverse();
    left
}

/// Returns the arguments of the user. Plans add their time.
fn given(args: &[OsString]) -> impl DoubleEndedIterator<Item = &OsString> {
    let added = |word: &OsString| word.to_str().is_some_and(|word| word.starts_with(TIME));
    args.iter().skip(1).filter(move |word| !added(word))
}

fn shown(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    without_secrets(ShownAddress::new(&word).text()).into_owned()
}

/// Prepends a line to the history. Returns a note if the attribute is not text.
pub(crate) fn add(schema: &mut Schema, line: &[u8]) -> Option<Note> {
    let attributes = &mut schema.groups.first_mut()?.attributes;
    let Some(found) = attributes.iter_mut().find(|a| a.name.is(NAME)) else {
        attributes.push(Attribute {
            name: Name::checked(NAME.as_bytes()).ok()?,
            ty: Atomic::Char.into(),
            values: Values::Char(line.to_vec()),
        });
        return None;
    };
    match &mut found.values {
        Values::Char(text) => *text = joined(line, text),
        Values::String(texts) => match texts.as_mut_slice() {
            [one] => *one = Some(joined(line, one.as_deref().unwrap_or_default()).into()),
            _ => texts.insert(0, Some(line.into())),
        },
        _ => {
            return Some(Note {
                object: NAME.to_owned(),
                what: "unchanged by --history: the attribute is not text".to_owned(),
                remedy: None,
            });
        }
    }
    None
}

/// Removes the line that [`add`] prepended.
pub(crate) fn take_out(schema: &mut Schema, line: &[u8]) {
    let Some(root) = schema.groups.first_mut() else {
        return;
    };
    root.attributes
        .retain(|a| !(a.name.is(NAME) && a.values == Values::Char(line.to_vec())));
    let Some(found) = root.attributes.iter_mut().find(|a| a.name.is(NAME)) else {
        return;
    };
    let rest = |text: &[u8]| match text.strip_prefix(line)? {
        [] => Some(vec![]),
        [b'\n', rest @ ..] => Some(rest.to_vec()),
        _ => None,
    };
    match &mut found.values {
        Values::Char(text) => *text = rest(text).unwrap_or_else(|| text.clone()),
        Values::String(texts) => match texts.as_mut_slice() {
            [Some(one)] => {
                if let Some(rest) = rest(one) {
                    *one = rest.into();
                }
            }
            [Some(first), ..] if **first == *line => {
                texts.remove(0);
            }
            _ => {}
        },
        _ => {}
    }
}

/// Joins a new line and the previous history.
fn joined(line: &[u8], before: &[u8]) -> Vec<u8> {
    let before = before.strip_suffix(b"\0").unwrap_or(before);
    match before.is_empty() {
        true => line.to_vec(),
        false => [line, b"\n", before].concat(),
    }
}
