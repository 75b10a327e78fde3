//! Names of sources in references: absolute paths and URLs, because readers resolve relative paths from their working directory.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use crate::error::{Error, ErrorKind, Result};
use crate::io::reference::{Reference, SourceState};

/// The names of the sources.
pub(super) struct ReferenceNames<'a> {
    prefixes: &'a [(String, String)],
    known: HashMap<Arc<str>, SourceName>,
}

/// The name of a source in references.
#[derive(Clone)]
struct SourceName {
    name: Arc<str>,
    /// Whether readers find the source at another location than we do.
    elsewhere: bool,
}

impl<'a> ReferenceNames<'a> {
    pub(super) fn new(prefixes: &'a [(String, String)]) -> Self {
        Self {
            prefixes,
            known: HashMap::new(),
        }
    }

    /// Returns a reference with the name of its source.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] for a source that other programs cannot open.
    pub(super) fn reference(&mut self, reference: Reference) -> Result<Reference> {
        Ok(match reference {
            Reference::Inline(_) => reference,
            // Each chunk has its own source.
            Reference::Whole(url) => Reference::Whole(self.made(&url)?.name),
            Reference::Range { url, offset, len } => {
                let url = self.name(&url)?.name;
                Reference::Range { url, offset, len }
            }
        })
    }

    /// Returns the name of a source, and the part of its state that readers can check.
    ///
    /// # Errors
    /// Returns the errors of [`ReferenceNames::reference`].
    pub(super) fn source(
        &mut self,
        url: &Arc<str>,
        state: SourceState,
    ) -> Result<Option<(String, SourceState)>> {
        let name = self.name(url)?;
        let state = SourceState {
            state: state.state.filter(|_| !name.elsewhere),
            ..state
        };
        Ok(Some((name.name.to_string(), state)))
    }

    fn name(&mut self, url: &Arc<str>) -> Result<SourceName> {
        if let Some(name) = self.known.get(url) {
            return Ok(name.clone());
        }
        let name = self.made(url)?;
        self.known.insert(Arc::clone(url), name.clone());
        Ok(name)
    }

    fn made(&self, url: &str) -> Result<SourceName> {
        let absolute = match url.contains("://") {
            true => url.to_owned(),
            false => absolute(url)?,
        };
        let starts = |(from, _): &&(String, String)| absolute.starts_with(from.as_str());
        let longest = self.prefixes.iter().filter(starts);
        let longest = longest.max_by_key(|(from, _)| from.len());
        let replaced = longest.and_then(|(from, to)| {
            let rest = absolute.strip_prefix(from.as_str())?;
            Some(format!("{to}{rest}"))
        });
        Ok(SourceName {
            elsewhere: replaced.is_some(),
            name: replaced.unwrap_or(absolute).into(),
        })
    }
}

/// Returns the absolute path of a file.
fn absolute(path: &str) -> Result<String> {
    let wrong = |why: &str| {
        let what = format!("other programs cannot open this source: {why}");
        let e = Error::new(ErrorKind::Argument, what).of(path);
        Err(e.with_remedy("give the input as a file or address"))
    };
    if !Path::new(path).is_file() {
        return wrong("it is not a file");
    }
    let absolute = std::path::absolute(path).ok();
    match absolute.and_then(|path| path.into_os_string().into_string().ok()) {
        Some(path) => Ok(path),
        None => wrong("its path is not UTF-8"),
    }
}
