//! The error type of the library.
//!
//! Every error has a message with the defect and the expected value. If known, it also has the object (`/group/variable`), the resource
//! (file or URL) with the byte offset, and a remedy. The innermost caller that knows a fact adds it; outer callers never overwrite it.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::shown::{ShownAddress, ShownText, number_agreement, without_secrets};

/// Result with the library's [`Error`]; `Result<()>` is eight bytes.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The error kinds that callers distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An operation of the operating system failed.
    Io,
    /// Bytes that the structure refers to are missing.
    Truncated,
    /// A structure contradicts its specification.
    Corrupt,
    /// An unknown version, class or type: the structure is newer than this library, or damaged.
    Unknown,
    /// A file in an unknown format.
    UnknownFormat,
    /// A known feature that this library or build does not support.
    Unsupported,
    /// The data has a filter that is not available (`NC_ENOFILTER`).
    FilterUnavailable,
    /// The variable does not have this filter (`NC_ENOFILTER` of `nc_inq_var_filter_info`).
    NoFilter,
    /// A netCDF-4 setting for a dataset of another kind (`NC_ENOTNC4`).
    NotNetcdf4,
    /// An unknown variable id (`NC_ENOTVAR`).
    NoVariable,
    /// A scalar where dimensions are required.
    Scalar,
    /// Variable-length data, which filters cannot process.
    VariableLength,
    /// A definition outside define mode (`NC_ENOTINDEFINE`).
    NotInDefineMode,
    /// Data access in define mode, or entering it twice (`NC_EINDEFINE`).
    InDefineMode,
    /// A change of a dataset opened for reading (`NC_EPERM`).
    ReadOnly,
    /// An object that the format cannot store (`NC_ENOTBUILT`, such as user-defined types in NCZarr).
    NotInFormat,
    /// A dimension id that is unknown or not valid for the call (`NC_EBADDIM`).
    NoDimension,
    /// The start of a region is outside its variable (`NC_EINVALCOORDS`).
    Coordinates,
    /// The end of a region is outside its variable (`NC_EEDGE`).
    Edge,
    /// A stride of 0 (`NC_ESTRIDE`).
    Stride,
    /// A definition for a variable that already has data (`NC_ELATEDEF`).
    LateDefinition,
    /// A named object does not exist.
    NotFound,
    /// A named object already exists.
    Exists,
    /// A dataset opened for changes was changed by another process.
    Changed,
    /// A store key without a value that is only a prefix of other keys (`NC_EEMPTY`).
    NoContent,
    /// A limit of this library was reached.
    Limit,
    /// A checksum does not match.
    Checksum,
    /// The caller's arguments are invalid or contradict each other.
    Argument,
    /// A value does not fit its type (`NC_ERANGE`).
    Range,
    /// A name with characters that netCDF does not allow (`NC_EBADNAME`).
    BadName,
    /// A type that the format does not have, or a fill value of a different type (`NC_EBADTYPE`).
    BadType,
    /// A dimension length beyond the format's limit (`NC_EDIMSIZE`).
    DimSize,
    /// A variable size beyond the format's limit (`NC_EVARSIZE`).
    VarSize,
    /// A netCDF-4 construct in the classic model (`NC_ESTRICTNC3`).
    Strict,
    /// An unlimited dimension where the format does not allow one (`NC_EUNLIMPOS`, `NC_EUNLIMIT`).
    Unlimited,
    /// Another process holds a lock or a claim; a later attempt may succeed.
    Busy,
    /// Cancelled by a signal.
    Cancelled,
    /// A fault of this library.
    Internal,
}

/// An error with its location; see the module documentation.
#[derive(Debug)]
pub struct Error(Box<ErrorInner>);

#[derive(Debug)]
struct ErrorInner {
    kind: ErrorKind,
    what: Cow<'static, str>,
    object: Option<Arc<str>>,
    place: Option<(Arc<str>, Option<u64>)>,
    remedy: Option<Cow<'static, str>>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// Returns an error for an impossible state, with the location in the source code. An error is better than a wrong result.
    #[must_use]
    #[track_caller]
    #[cold]
    pub fn internal(what: &str) -> Self {
        let at = std::panic::Location::caller();
        let what = format!("internal error, {what} ({}:{})", at.file(), at.line());
        Self::new(ErrorKind::Internal, what)
            .with_remedy("please report it with the command and, if possible, the input")
    }

    /// Returns an error of `kind`; `what` contains the defect and the expected value.
    #[must_use]
    pub fn new(kind: ErrorKind, what: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(ErrorInner {
            kind,
            what: number_agreement(what.into()),
            object: None,
            place: None,
            remedy: None,
            source: None,
        }))
    }

    /// Returns an error of the operating system during the operation `what` on `resource`.
    #[must_use]
    pub fn io(what: &str, resource: &str, source: std::io::Error) -> Self {
        let mut e = Self::new(ErrorKind::Io, format!("{what}: {}", plain(&source)));
        e.0.source = Some(Box::new(source));
        e.0.place = Some((resource.into(), None));
        e
    }

    /// Returns the kind.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the message without location and remedy. It may contain text from a file.
    #[must_use]
    pub fn what(&self) -> ShownText<'_> {
        ShownText::new(&self.0.what)
    }

    /// Returns the path of the object.
    #[must_use]
    pub fn object(&self) -> Option<&str> {
        self.0.object.as_deref()
    }

    /// Returns the resource: file name or URL.
    #[must_use]
    pub fn resource(&self) -> Option<&str> {
        self.0.place.as_ref().map(|(r, _)| &**r)
    }

    /// Returns the byte offset in the resource.
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        self.0.place.as_ref().and_then(|(_, o)| *o)
    }

    /// Returns the remedy, if there is one.
    #[must_use]
    pub fn remedy(&self) -> Option<&str> {
        self.0.remedy.as_deref()
    }

    /// Adds resource and byte offset if no resource is known. If the error has the same resource without an offset, adds the offset.
    #[must_use]
    pub fn at(mut self, resource: &Arc<str>, offset: u64) -> Self {
        match &mut self.0.place {
            None => self.0.place = Some((Arc::clone(resource), Some(offset))),
            Some((known, place @ None)) if known == resource => *place = Some(offset),
            Some(_) => {}
        }
        self
    }

    /// Adds the resource if no resource is known.
    #[must_use]
    pub fn of(mut self, resource: &str) -> Self {
        self.0.place.get_or_insert_with(|| (resource.into(), None));
        self
    }

    /// Adds the object's path if no path is known.
    #[must_use]
    pub fn in_object(mut self, path: &str) -> Self {
        self.0.object.get_or_insert_with(|| path.into());
        self
    }

    /// Replaces a placeholder in the remedy with `name`.
    #[must_use]
    pub fn naming(mut self, placeholder: &str, name: &str) -> Self {
        if let Some(remedy) = &mut self.0.remedy {
            *remedy = remedy.replace(placeholder, name).into();
        }
        self
    }

    /// Adds a sentence behind the remedy.
    #[must_use]
    pub(crate) fn with_further_remedy(mut self, sentence: &'static str) -> Self {
        self.0.remedy = Some(match self.0.remedy.take() {
            Some(remedy) => format!("{remedy}; {sentence}").into(),
            None => sentence.into(),
        });
        self
    }

    /// Adds the remedy if no remedy is known.
    #[must_use]
    pub fn with_remedy(mut self, remedy: impl Into<Cow<'static, str>>) -> Self {
        self.0.remedy.get_or_insert_with(|| remedy.into());
        self
    }

    /// Prefixes the message with its subject.
    #[must_use]
    pub fn within(mut self, what: &str) -> Self {
        self.0.what = format!("{what}: {}", self.0.what).into();
        self
    }

    /// Returns a copy of the error, without its source.
    #[must_use]
    pub fn again(&self) -> Self {
        let e = &self.0;
        Self(Box::new(ErrorInner {
            kind: e.kind,
            what: e.what.clone(),
            object: e.object.clone(),
            place: e.place.clone(),
            remedy: e.remedy.clone(),
            source: None,
        }))
    }

    /// Returns true if bytes are damaged or cannot be checked.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        matches!(
            self.kind(),
            ErrorKind::Truncated
                | ErrorKind::Corrupt
                | ErrorKind::Checksum
                | ErrorKind::Unknown
                | ErrorKind::Limit
        )
    }

    /// Returns the operating system's error number (`errno`), if the system reported the error.
    #[must_use]
    pub fn system_number(&self) -> Option<i32> {
        let source = self.0.source.as_ref()?;
        source.downcast_ref::<std::io::Error>()?.raw_os_error()
    }

    /// Returns true for an output pipe closed by its reader (EPIPE).
    #[must_use]
    pub fn is_broken_pipe(&self) -> bool {
        self.system() == Some(std::io::ErrorKind::BrokenPipe)
    }

    /// Returns true if the process or the system has no free file descriptor: a later attempt may succeed.
    #[must_use]
    pub fn is_too_many_files(&self) -> bool {
        let source = self.0.source.as_ref();
        let source = source.and_then(|e| e.downcast_ref::<std::io::Error>());
        source.is_some_and(is_too_many)
    }

    /// Returns true if a file does not exist or must not be read, and false if the system failed to open or read it.
    #[must_use]
    pub fn is_absence(&self) -> bool {
        use std::io::ErrorKind as System;
        match self.kind() {
            ErrorKind::NotFound => true,
            ErrorKind::Io => matches!(
                self.system(),
                Some(
                    System::NotFound
                        | System::PermissionDenied
                        | System::NotADirectory
                        | System::IsADirectory
                        | System::InvalidFilename
                        | System::InvalidInput
                )
            ),
            _ => false,
        }
    }

    /// Returns true if the file or object does not exist. An existing file that cannot or must not be opened is not missing.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        use std::io::ErrorKind as System;
        let system = self.system();
        self.kind() == ErrorKind::NotFound
            || matches!(system, Some(System::NotFound | System::NotADirectory))
    }

    /// Returns the error kind of the operating system.
    fn system(&self) -> Option<std::io::ErrorKind> {
        let source = self.0.source.as_ref()?;
        source.downcast_ref::<std::io::Error>().map(|e| e.kind())
    }
}

/// Returns true if the process or the system has no free file descriptor.
pub(crate) fn is_too_many(e: &std::io::Error) -> bool {
    #[cfg(unix)]
    {
        use rustix::io::Errno;
        let number = errno(e).map(Errno::from_raw_os_error);
        number.is_some_and(|e| [Errno::MFILE, Errno::NFILE].contains(&e))
    }
    #[cfg(not(unix))]
    {
        let _ = e;
        false
    }
}

/// Returns the error number of the operating system. `tempfile` wraps errors and adds a path, so that only the text contains the number.
#[cfg(unix)]
fn errno(e: &std::io::Error) -> Option<i32> {
    let of_text = || {
        let text = e.to_string();
        let (_, number) = text.split_once("(os error ")?;
        number.split_once(')')?.0.parse().ok()
    };
    e.raw_os_error().or_else(of_text)
}

/// Returns the operating system's message without Rust's `(os error N)`.
pub(crate) fn plain(e: &std::io::Error) -> String {
    let text = e.to_string();
    match text.find(" (os error") {
        Some(end) => text.get(..end).unwrap_or(&text).to_owned(),
        None => text,
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let e = &self.0;
        if let Some((resource, _)) = &e.place {
            write!(f, "{}: ", plain_part(ShownAddress::new(resource).text()))?;
        }
        let what = without_secrets(&e.what);
        match e.kind {
            // Only messages about a command line contain line breaks of ours.
            ErrorKind::Argument => write!(f, "{}", ShownText::new(&what).lines())?,
            _ => write!(f, "{}", plain_part(&what))?,
        }
        if let Some(object) = &e.object {
            write!(f, " in {}", plain_part(object))?;
        }
        if let Some((_, Some(offset))) = &e.place {
            write!(f, " at byte {offset}")?;
        }
        if let Some(remedy) = &e.remedy {
            write!(f, " ({})", plain_part(&without_secrets(remedy)))?;
        }
        Ok(())
    }
}

/// Returns a message part, which may be any name from a file, truncated after [`SHOWN`] characters.
pub(crate) fn plain_part(text: &str) -> ShownText<'_> {
    ShownText::new(text).at_most(SHOWN)
}

/// The maximum length of a message part in characters.
const SHOWN: usize = 4096;

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|e| e as _)
    }
}

/// Conversion of `Option` and `Result` to results with an [`Error::internal`].
pub trait OrInternal<T> {
    /// Returns the value.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Internal`] with the location of the call if the value is missing; `what` names the value.
    fn or_internal(self, what: &str) -> Result<T>;
}

impl<T> OrInternal<T> for Option<T> {
    #[track_caller]
    fn or_internal(self, what: &str) -> Result<T> {
        match self {
            Some(value) => Ok(value),
            None => Err(Error::internal(what)),
        }
    }
}

/// [`Error::at`] and similar methods on results.
pub trait Context<T> {
    /// See [`Error::at`].
    ///
    /// # Errors
    /// Returns the given error with its location.
    fn at(self, resource: &Arc<str>, offset: u64) -> Result<T>;
    /// See [`Error::in_object`].
    ///
    /// # Errors
    /// Returns the given error with its object.
    fn in_object(self, path: impl FnOnce() -> String) -> Result<T>;
}

impl<T> Context<T> for Result<T> {
    fn at(self, resource: &Arc<str>, offset: u64) -> Self {
        self.map_err(|e| e.at(resource, offset))
    }
    fn in_object(self, path: impl FnOnce() -> String) -> Self {
        self.map_err(|e| {
            if e.object().is_some() {
                e
            } else {
                e.in_object(&path())
            }
        })
    }
}

/// The maximum number of listed names.
const NAMED: usize = 8;

/// Returns the first few names and the number of omitted names.
#[must_use]
pub fn list_names(names: &[String]) -> String {
    let shown = names.get(..NAMED.min(names.len())).unwrap_or_default();
    let more = match names.len() - shown.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_cut() {
        let names: Vec<_> = (0..10).map(|n| n.to_string()).collect();
        assert_eq!(list_names(&names), "0, 1, 2, 3, 4, 5, 6, 7 and 2 more");
        assert_eq!(list_names(&names[..8]), "0, 1, 2, 3, 4, 5, 6, 7");
    }

    #[test]
    fn says_everything_it_knows() {
        let resource: Arc<str> = "a.nc".into();
        let e = Error::new(ErrorKind::Truncated, "need 4 bytes, have 3")
            .at(&resource, 96)
            .at(&"other".into(), 1)
            .in_object("/g/t")
            .with_remedy("fetch the file again");
        assert_eq!(
            e.to_string(),
            "a.nc: need 4 bytes, have 3 in /g/t at byte 96 (fetch the file again)"
        );
    }

    #[test]
    fn names_are_no_more_than_text() {
        let resource: Arc<str> = "no\x1b[31m\nfile".into();
        let e = |kind| {
            let e = Error::new(kind, "a\tb\r\u{9b}\u{202e}é").at(&resource, 9);
            e.in_object("/e\x1b]0;x\x07").to_string()
        };
        assert_eq!(
            e(ErrorKind::Io),
            "no\\x1b[31m\\nfile: a\\tb\\r\\x9b\\u202eé in /e\\x1b]0;x\\x07 at byte 9"
        );
        assert!(e(ErrorKind::Argument).contains("a\tb"));
        let long = Error::new(ErrorKind::Io, "é".repeat(1 << 16)).to_string();
        assert_eq!(long.chars().count(), SHOWN + 1);
        assert!(long.ends_with("é…"));
        let whole = "é".repeat(SHOWN);
        assert_eq!(Error::new(ErrorKind::Io, whole.clone()).to_string(), whole);
    }

    #[test]
    fn system_errors_have_an_offset_too() {
        let resource: Arc<str> = "a.nc".into();
        let e = || Error::io("cannot read", "a.nc", std::io::Error::from_raw_os_error(5));
        let placed = e().at(&resource, 96).at(&resource, 3);
        assert_eq!(
            placed.to_string(),
            "a.nc: cannot read: Input/output error at byte 96"
        );
        assert_eq!(e().at(&"b.nc".into(), 96).offset(), None);
    }

    #[test]
    fn a_failure_of_the_system_is_no_absence() {
        let of = |number| Error::io("open", "no.nc", std::io::Error::from_raw_os_error(number));
        // ENOENT, EACCES, ENOTDIR, EISDIR, ENAMETOOLONG
        assert!([2, 13, 20, 21, 36].map(of).iter().all(Error::is_absence));
        // EIO, ENFILE, EMFILE
        assert!(![5, 23, 24].map(of).iter().any(Error::is_absence));
        assert!([2, 20].map(of).iter().all(Error::is_missing));
        assert!(![5, 13, 24].map(of).iter().any(Error::is_missing));
        assert!(Error::new(ErrorKind::NotFound, "").is_absence());
        assert!(!Error::new(ErrorKind::Corrupt, "").is_absence());
    }

    #[test]
    fn result_is_one_word() {
        assert_eq!(size_of::<Result<()>>(), 8);
    }

    #[test]
    fn system_errors_read_as_in_c() {
        let e = Error::io("open", "no.nc", std::io::Error::from_raw_os_error(2));
        assert_eq!(e.to_string(), "no.nc: open: No such file or directory");
    }
}
