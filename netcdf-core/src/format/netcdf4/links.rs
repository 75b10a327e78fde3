//! Where links lead.

use super::FileObject;
use super::files::Files;
use super::paths::Paths;
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::format::hdf5::message::link::LinkedObject;

/// Most soft links on the way to an object.
const SOFT_LINKS: u32 = 16;

/// State needed to follow links.
pub(super) struct LinkPath<'a> {
    /// The files reached by links so far; others are opened when needed.
    pub files: &'a mut Files,
    pub paths: &'a mut Paths,
    pub env: &'a Env,
}

impl LinkPath<'_> {
    /// The object behind a link; `depth` links led to this one.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`], [`ErrorKind::Unsupported`] for links that lead nowhere or cannot be followed;
    /// damage.
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

    /// The root group of a file.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`].
    pub(super) fn root(&self, file: u32) -> Result<FileObject> {
        let address = self.files.get(file)?.superblock().root;
        Ok(FileObject { file, address })
    }

    /// The object at a path, which starts at `from` unless it is absolute; `depth` links led here.
    ///
    /// # Errors
    /// As [`LinkPath::target`].
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

/// Bytes of a path that a message shows.
const SHOWN: usize = 256;

/// The error for a source of a virtual dataset that is a group or a type.
pub(super) fn no_dataset() -> Error {
    Error::new(ErrorKind::NotFound, "the object is not a dataset")
}

/// The error for a path with nothing at its end.
fn dangling(path: &[u8]) -> Error {
    let what = format!("a link to {}, which does not exist", shown(path));
    Error::new(ErrorKind::NotFound, what)
}

/// A path as shown in messages: very long ones are cut.
pub(super) fn shown(path: &[u8]) -> String {
    let start = path.get(..SHOWN).unwrap_or(path);
    let more = if start.len() < path.len() { "…" } else { "" };
    format!("{}{more}", String::from_utf8_lossy(start))
}

/// True if the target of a link does not exist or cannot be followed; false for damage, and for failures of the system
/// to open or read a file.
pub(super) fn may_be_left_out(e: &Error) -> bool {
    let is_other = matches!(e.kind(), ErrorKind::Unsupported | ErrorKind::UnknownFormat);
    is_other || e.is_absence()
}
