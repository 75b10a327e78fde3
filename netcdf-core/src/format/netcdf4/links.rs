//! Resolves links to objects.

use super::FileObject;
use super::files::Files;
use super::paths::Paths;
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::format::hdf5::message::link::LinkedObject;

/// Maximum number of soft links in a chain.
const SOFT_LINKS: u32 = 16;

/// State for resolving links.
pub(super) struct LinkPath<'a> {
    /// The files that links have reached so far. Further files are opened on demand.
    pub files: &'a mut Files,
    pub paths: &'a mut Paths,
    pub env: &'a Env,
}

impl LinkPath<'_> {
    /// Returns the target object of a link, which is number `depth` in a chain of links.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`] for dangling links, [`ErrorKind::Unsupported`] for links that cannot be resolved, or damage.
    pub(super) fn target(
        &mut self,
        from: FileObject,
        target: &LinkedObject,
        depth: u32,
    ) -> Result<FileObject> {
        match target {
            LinkedObject::Hard(address) => Ok(FileObject {
                file: from.file,
                address: *address,
            }),
            LinkedObject::Soft(path) => self.lookup(from, path, depth + 1),
            LinkedObject::External { file, path } => {
                let within =
                    |e: Error| e.within(&format!("a link to {} of {}", shown(path), shown(file)));
                let number = self
                    .files
                    .sibling(from.file, file, self.env)
                    .map_err(within)?;
                let root = self.root(number)?;
                self.lookup(root, path, depth + 1)
            }
            LinkedObject::User(class) => {
                let what =
                    format!("a link of the user-defined class {class}, which cannot be followed");
                Err(Error::new(ErrorKind::Unsupported, what))
            }
        }
    }

    /// Returns the root group of a file.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`] for an unknown file number.
    pub(super) fn root(&self, file: u32) -> Result<FileObject> {
        let address = self.files.get(file)?.superblock().root;
        Ok(FileObject { file, address })
    }

    /// Returns the object at a path. A relative path starts at `from`. `depth` is the number of links resolved so far.
    ///
    /// # Errors
    /// Returns the errors of [`LinkPath::target`].
    pub(super) fn lookup(
        &mut self,
        from: FileObject,
        path: &[u8],
        depth: u32,
    ) -> Result<FileObject> {
        if depth > SOFT_LINKS {
            return Err(Error::new(
                ErrorKind::Unsupported,
                "a chain of links that is too long, or a loop",
            ));
        }
        let mut at = from;
        if path.first() == Some(&b'/') {
            at = self.root(from.file)?;
        }
        for name in path
            .split(|&b| b == b'/')
            .filter(|n| !n.is_empty() && *n != b".")
        {
            let file = self.files.get(at.file)?;
            let target = self.paths.step(&file, at.address, name)?;
            let target = target.ok_or_else(|| dangling(path))?;
            at = self.target(at, &target, depth)?;
        }
        Ok(at)
    }
}

/// Maximum length of a path in messages, in bytes.
const SHOWN: usize = 256;

/// Returns the error for a source of a virtual dataset that is a group or a type.
pub(super) fn no_dataset() -> Error {
    Error::new(ErrorKind::NotFound, "the object is not a dataset")
}

/// Returns the error for a dangling path.
fn dangling(path: &[u8]) -> Error {
    let what = format!("a link to {}, which does not exist", shown(path));
    Error::new(ErrorKind::NotFound, what)
}

/// Returns a path as shown in messages. Long paths are truncated.
pub(super) fn shown(path: &[u8]) -> String {
    let start = path.get(..SHOWN).unwrap_or(path);
    let more = if start.len() < path.len() { "…" } else { "" };
    format!("{}{more}", String::from_utf8_lossy(start))
}

/// Checks whether the target of a link does not exist or cannot be resolved. Damage, and system failures to open or read a file, do not
/// count.
pub(super) fn is_skippable(e: &Error) -> bool {
    let is_other = matches!(e.kind(), ErrorKind::Unsupported | ErrorKind::UnknownFormat);
    is_other || e.is_absence()
}
