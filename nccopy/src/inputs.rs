//! Which files are copied to which.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::io::file::{self, Id};

/// One copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copy {
    /// The dataset.
    pub input: PathBuf,
    /// The file to be made.
    pub output: PathBuf,
}

/// Files of a directory that is a Zarr store.
const ZARR: [&str; 4] = ["zarr.json", ".zgroup", ".zarray", ".zattrs"];

/// The copies that a command line is about. The last path is a directory if it ends in `/` or if there are several inputs.
///
/// # Errors
/// [`ErrorKind::Argument`] if an output would be an input, if two would be the same file, and for a directory that is none.
pub fn copies(inputs: &[PathBuf], output: &Path) -> Result<Vec<Copy>> {
    let slash = output.as_os_str().as_encoded_bytes().last() == Some(&b'/');
    let copies = if inputs.len() > 1 || slash {
        check_directory(output)?;
        let into = |input: &PathBuf| {
            let output = output.join(base(input)?);
            let input = input.clone();
            Ok(Copy { input, output })
        };
        inputs.iter().map(into).collect::<Result<Vec<_>>>()?
    } else {
        let one = |input: &PathBuf| Copy {
            input: input.clone(),
            output: file::or_stdout(output),
        };
        inputs.iter().map(one).collect()
    };
    refuse_twice(&copies)?;
    refuse_same(&copies)?;
    Ok(copies)
}

fn check_directory(path: &Path) -> Result<()> {
    let wrong =
        |what: &'static str| Err(Error::new(ErrorKind::Argument, what).of(&path.to_string_lossy()));
    if !path.is_dir() {
        return wrong("not a directory, which several copies or a `/` at the end ask for");
    }
    if ZARR.iter().any(|name| path.join(name).exists()) {
        return wrong("this directory is a Zarr store, files do not go into it");
    }
    Ok(())
}

/// The name of a file within its directory.
fn base(input: &Path) -> Result<&OsStr> {
    let name = input.file_name().filter(|_| input.as_os_str() != "-");
    name.ok_or_else(|| {
        let what = "an input without a name cannot go into a directory";
        Error::new(ErrorKind::Argument, what).of(&input.to_string_lossy())
    })
}

fn refuse_twice(copies: &[Copy]) -> Result<()> {
    let mut seen: BTreeMap<PathBuf, &Path> = BTreeMap::new();
    for Copy { input, output } in copies {
        if let Some(other) = seen.insert(file::real(output), input) {
            let (a, b) = (other.to_string_lossy(), input.to_string_lossy());
            let what = format!("{a} and {b} would both become this file");
            return Err(Error::new(ErrorKind::Argument, what).of(&output.to_string_lossy()));
        }
    }
    Ok(())
}

/// Nothing is ever copied onto itself or another input, by whatever names.
fn refuse_same(copies: &[Copy]) -> Result<()> {
    let paths: HashSet<&Path> = copies.iter().map(|c| c.input.as_path()).collect();
    let ids: HashSet<Id> = paths.iter().filter_map(|path| Id::of_path(path)).collect();
    for Copy { output, .. } in copies {
        let same = || Id::of_path(output).is_some_and(|id| ids.contains(&id));
        if paths.contains(output.as_path()) || same() {
            let what = "output would overwrite input";
            return Err(Error::new(ErrorKind::Argument, what).of(&output.to_string_lossy()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(list: &[&Path]) -> Vec<PathBuf> {
        list.iter().map(|p| p.to_path_buf()).collect()
    }

    #[test]
    fn the_output_is_a_directory_if_it_has_to_be() {
        let dir = tempfile::tempdir().unwrap();
        let slash = PathBuf::from(format!("{}/", dir.path().display()));
        let (a, b) = (Path::new("in/a.nc"), Path::new("b.nc"));
        let outputs = |inputs: &[&Path], output: &Path| {
            let copies = copies(&paths(inputs), output)?;
            Ok::<_, Error>(copies.into_iter().map(|c| c.output).collect::<Vec<_>>())
        };
        let inside = |name| dir.path().join(name);
        assert_eq!(
            outputs(&[a, b], dir.path()).unwrap(),
            [inside("a.nc"), inside("b.nc")]
        );
        assert_eq!(outputs(&[a], &slash).unwrap(), [inside("a.nc")]);
        assert_eq!(
            outputs(&[a], dir.path()).unwrap(),
            [dir.path()],
            "no slash: a file"
        );
        assert!(outputs(&[a, b], &inside("nosuch")).is_err());
        assert!(outputs(&[a, Path::new("-")], dir.path()).is_err());
        let twice = outputs(&[a, Path::new("out/a.nc")], dir.path()).unwrap_err();
        assert!(twice.what().contains("in/a.nc and out/a.nc"), "{twice}");
        std::fs::write(inside(".zgroup"), "{}").unwrap();
        assert!(outputs(&[a, b], dir.path()).is_err(), "a store");
    }

    #[test]
    #[cfg(unix)]
    fn links_do_not_make_two_outputs_of_one() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let inside = |name| dir.path().join(name);
        let (a, b) = (Path::new("in/a.nc"), Path::new("in/b.nc"));
        let made = || copies(&paths(&[a, b]), dir.path());
        symlink("a.nc", inside("b.nc")).unwrap();
        let e = made().unwrap_err();
        assert!(e.what().contains("in/a.nc and in/b.nc would both"), "{e}");
        std::fs::write(inside("a.nc"), "x").unwrap();
        assert!(made().is_err(), "and so if it is there");
    }

    #[test]
    #[cfg(unix)]
    fn no_input_is_an_output() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (dir.path().join("a.nc"), dir.path().join("b.nc"));
        std::fs::write(&a, "x").unwrap();
        std::os::unix::fs::symlink(&a, &b).unwrap();
        assert!(copies(&paths(&[&a]), &b).is_err());
        assert!(copies(&paths(&[&a, Path::new("c.nc")]), dir.path()).is_err());
    }
}
