//! The command line of `zmapio`: options of one letter, alone or combined, before or after the store.

use std::ffi::OsString;
use std::path::PathBuf;

use super::format::{ElementPrinter, ShownType};

/// The usage message, printed for a wrong command line and for `-v`.
pub(super) const USAGE: &str = "usage: zdump --compat [-t <type>[/<length>]][-d][-v][-h][-x objdump][-F <format>][-T <level>][-Xm] <file>\n";

/// The objects to print, and their format.
#[derive(Debug)]
pub(super) struct PrintOptions {
    /// The store.
    pub store: PathBuf,
    /// The display type of all chunks.
    pub ty: ShownType,
    /// The format of numbers.
    pub printer: ElementPrinter,
    /// The given options.
    pub given: GivenOptions,
}

/// The options of the command line.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate flag")]
pub(super) struct GivenOptions {
    /// `-t`
    pub ty: Option<ShownType>,
    /// `-F`
    format: Option<String>,
    /// `-x`
    pub action: bool,
    /// `-h`: chunks are not printed.
    pub metadata_only: bool,
    /// `-d`: all keys are listed on standard error first.
    pub debug: bool,
    /// `-Xm`: consolidated metadata is not printed.
    pub no_consolidated: bool,
    /// `-T`: operations on the store are traced.
    pub trace: bool,
}

/// Parses the command line. Returns `None` if the usage message is requested.
///
/// # Errors
/// Returns the error message.
pub(super) fn parse(args: &[OsString]) -> Result<Option<PrintOptions>, String> {
    let (mut given, mut files) = (GivenOptions::default(), vec![]);
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.to_str().and_then(|a| a.strip_prefix('-')) {
            None | Some("") => files.push(arg.clone()),
            Some("-") => files.extend(args.by_ref().cloned()),
            Some(letters) => {
                if given.options(letters, &mut args)? {
                    return Ok(None);
                }
            }
        }
    }
    given.with_store(files).map(Some)
}

impl GivenOptions {
    /// Parses the options in one argument. Returns whether the usage message is requested.
    fn options<'a>(
        &mut self,
        letters: &str,
        args: &mut impl Iterator<Item = &'a OsString>,
    ) -> Result<bool, String> {
        let mut rest = letters.chars();
        while let Some(letter) = rest.next() {
            match letter {
                'd' => self.debug = true,
                'h' => self.metadata_only = true,
                'v' => return Ok(true),
                't' | 'x' | 'F' | 'T' | 'X' => {
                    let value = match rest.as_str() {
                        "" => args.next().and_then(|v| v.to_str()),
                        here => Some(here),
                    };
                    let value = value.ok_or_else(|| format!("option -{letter} needs a value"))?;
                    self.value(letter, value)?;
                    return Ok(false);
                }
                other => return Err(format!("unknown option -{other}")),
            }
        }
        Ok(false)
    }

    fn value(&mut self, letter: char, value: &str) -> Result<(), String> {
        match letter {
            't' => self.ty = Some(ShownType::named(value)?),
            'F' => self.format = Some(value.to_owned()),
            'T' => self.trace = value.parse().is_ok_and(|level: i64| level > 0),
            'X' if value.chars().all(|c| c == 'm') => self.no_consolidated = true,
            'X' => return Err(format!("unknown -X argument {value}: it takes m")),
            _ => match value.to_ascii_lowercase().as_str() {
                "objdump" => self.action = true,
                "clear" => {
                    return Err("-x clear is refused: zdump never writes to a store".to_owned());
                }
                _ => return Err(format!("unknown action {value}: there is objdump")),
            },
        }
        Ok(())
    }

    fn with_store(self, files: Vec<OsString>) -> Result<PrintOptions, String> {
        let [file] = <[OsString; 1]>::try_from(files).map_err(|files| match files.len() {
            0 => "no input file specified",
            _ => "only one input file argument permitted",
        })?;
        let ty = self.ty.unwrap_or_default();
        Ok(PrintOptions {
            store: unescaped(file),
            printer: ElementPrinter::new(ty, self.format.as_deref())?,
            ty,
            given: self,
        })
    }
}

/// Removes the backslashes with which scripts quote the `#` of URLs.
fn unescaped(file: OsString) -> PathBuf {
    match file.to_str() {
        Some(text) if text.contains("://") && text.contains('\\') => {
            let mut name = String::new();
            let mut chars = text.chars();
            while let Some(c) = chars.next() {
                name.extend(if c == '\\' { chars.next() } else { Some(c) });
            }
            name.into()
        }
        Some(_) | None => file.into(),
    }
}
