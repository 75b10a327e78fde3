//! Where links lead.

use super::Place;
use super::walk::Builder;
use crate::error::{Error, ErrorKind, Result};
use crate::format::hdf5::message::link::Target;

/// Soft links on the way to an object.
const SOFT_LINKS: u32 = 16;

impl Builder<'_> {
    /// The object behind a link; `depth` links led to this one.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`], [`ErrorKind::Unsupported`] for links that lead nowhere or cannot be followed;
    /// damage.
    pub fn target(&mut self, from: Place, target: &Target, depth: u32) -> Result<Place> {
        match target {
            Target::Hard(address) => Ok(Place {
                file: from.file,
                address: *address,
            }),
            Target::Soft(path) => self.lookup(from, path, depth + 1),
            Target::External { file, path } => {
                let within =
                    |e: Error| e.within(&format!("a link to {} of {}", shown(path), shown(file)));
                let number = self
                    .files
                    .sibling(from.file, file, self.env)
                    .map_err(within)?;
                let address = self.files.get(number)?.superblock().root;
                self.lookup(
                    Place {
                        file: number,
                        address,
                    },
                    path,
                    depth + 1,
                )
            }
            Target::User(class) => {
                let what = format!("a link of the user-defined class {class}");
                Err(Error::new(ErrorKind::Unsupported, what))
            }
        }
    }

    /// The object of a path, which starts at `from` unless it is absolute.
    ///
    /// # Errors
    /// As [`Builder::target`].
    pub fn lookup(&mut self, from: Place, path: &[u8], depth: u32) -> Result<Place> {
        if depth > SOFT_LINKS {
            return Err(Error::new(
                ErrorKind::Unsupported,
                "a link that leads to links without end",
            ));
        }
        let mut at = from;
        if path.first() == Some(&b'/') {
            at.address = self.files.get(from.file)?.superblock().root;
        }
        for name in path
            .split(|&b| b == b'/')
            .filter(|n| !n.is_empty() && *n != b".")
        {
            let file = self.files.get(at.file)?;
            let target = self.paths.step(&file, at, name)?;
            let target = target.ok_or_else(|| dangling(path))?;
            at = self.target(at, &target, depth)?;
        }
        Ok(at)
    }
}

/// Bytes of a path that a message shows.
const SHOWN: usize = 256;

/// The error for a path with nothing at its end.
pub fn dangling(path: &[u8]) -> Error {
    let what = format!("a link to {}, which is not there", shown(path));
    Error::new(ErrorKind::NotFound, what)
}

/// A path as a message shows it: cut where it is very long.
pub fn shown(path: &[u8]) -> String {
    let start = path.get(..SHOWN).unwrap_or(path);
    let more = if start.len() < path.len() { "…" } else { "" };
    format!("{}{more}", String::from_utf8_lossy(start))
}

/// True if the target of a link is not there or nothing that we can follow; false for damage.
pub fn may_be_left_out(e: &Error) -> bool {
    matches!(
        e.kind(),
        ErrorKind::Unsupported | ErrorKind::NotFound | ErrorKind::Io | ErrorKind::UnknownFormat
    )
}
