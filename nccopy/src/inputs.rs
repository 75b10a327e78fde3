//! The inputs and outputs of all copies.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::io::address::{Address, Addresses};
use netcdf_core::io::dir;
use netcdf_core::io::file::{self, FileId};
use netcdf_core::io::locator::{Destination, Location, OutputForm, OutputRequest};
use netcdf_core::notes::Note;
use netcdf_core::shown::ShownAddress;
use netcdf_grammar::split::SplitPart;

use crate::batch;
use crate::request::CopyRequest;
use crate::walk::{DirectoryWalk, is_folder};

/// One copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CopyPair {
    /// The dataset, by path or URL.
    pub input: PathBuf,
    /// The dataset's local path, or the short form of a remote address.
    pub local: PathBuf,
    /// The dataset's address if it is remote.
    pub remote: Option<Address>,
    /// The output.
    pub output: Destination,
    /// Whether nccopy creates a missing output directory.
    pub makes_folder: bool,
    /// The copied part of the input; `None` for the whole input.
    pub part: Option<SplitPart>,
}

/// Copies, and notes about skipped entries.
pub(crate) type ListedCopies = (Vec<CopyPair>, Vec<Note>);

/// Options that map inputs to outputs.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct OutputRules<'a> {
    /// The requested output kind and form.
    pub asked: OutputRequest,
    /// The suffix of output names in a directory.
    pub suffix: Option<&'a OsStr>,
    /// Whether a directory includes its subdirectories.
    pub recursive: bool,
    /// Whether this is a dry run. The output directory may then be missing.
    pub dry_run: bool,
}

impl<'a> OutputRules<'a> {
    /// Returns the rules of a request.
    pub(crate) fn of(request: &'a CopyRequest) -> Self {
        Self {
            asked: request.output,
            suffix: request.files.suffix.as_deref(),
            recursive: request.files.recursive,
            dry_run: request.dry_run().is_some(),
        }
    }
}

impl CopyPair {
    /// Returns the copy of one input to an output of exactly this name.
    ///
    /// # Errors
    /// Returns the errors of [`Location::new`] and [`Destination::resolve`].
    pub(crate) fn of(input: &Path, output: &Path, asked: OutputRequest) -> Result<Self> {
        let at = Location::new(input)?;
        Ok(Self {
            input: input.to_owned(),
            local: at.path().to_owned(),
            remote: at.remote().cloned(),
            output: Destination::resolve(&Location::new(output)?, asked)?,
            makes_folder: false,
            part: None,
        })
    }
}

/// Returns the copies of a command line. `output` is a directory if there are several inputs, if an input is a directory, or if `output`
/// ends in `/` and is not a Zarr store to replace. [`batch::name`] returns the names in the directory.
///
/// # Errors
/// Returns [`ErrorKind::Argument`] if an output is also an input, if two outputs are the same file, or if the directory does not exist.
/// Returns errors of [`Location::new`], [`batch::name`], [`Destination::resolve`] and [`DirectoryWalk::of`].
pub(crate) fn copies(
    inputs: &[PathBuf],
    output: &Path,
    rules: OutputRules<'_>,
) -> Result<ListedCopies> {
    let asked = rules.asked;
    let elsewhere = is_elsewhere(output);
    let slash = match elsewhere {
        true => parted(output).0.ends_with('/'),
        false => output.as_os_str().as_encoded_bytes().last() == Some(&b'/'),
    };
    let folders = inputs.iter().any(|input| is_folder(input));
    let store = slash && is_zarr(output, asked) && dir::is_store(output);
    let into = inputs.len() > 1 || folders || (slash && !store);
    let mut notes = vec![];
    if let ([one], true) = (inputs, folders && !slash && !elsewhere && !output.is_dir()) {
        return Err(no_dataset(one, output));
    }
    match into {
        // Object stores have no directories. An existing store is detected when the copy begins.
        _ if elsewhere => {}
        true if folders && slash && !output.exists() => {}
        true => notes.extend(check_directory(output, rules)?),
        false => check_output(inputs, output, (asked, rules.suffix))?,
    }
    if !into {
        let copies: Result<Vec<_>> = inputs
            .iter()
            .map(|input| CopyPair::of(input, output, asked))
            .collect();
        let copies = copies?;
        check(&copies)?;
        return Ok((copies, notes));
    }
    let (copies, skipped) = into_directory(inputs, output, rules)?;
    notes.extend(skipped);
    check(&copies)?;
    Ok((copies, notes))
}

/// The name of joined inputs in messages.
pub(crate) const JOINED: &str = "(joined)";

/// Returns the copy of joined inputs to one output.
///
/// # Errors
/// Returns [`ErrorKind::Argument`] for a directory as output, and if the output is one of the inputs. Returns the errors of
/// [`Destination::resolve`].
pub(crate) fn joined(all: &[PathBuf], output: &Path, asked: OutputRequest) -> Result<CopyPair> {
    let none = || Error::new(ErrorKind::Argument, "no inputs to join");
    let first = CopyPair::of(all.first().ok_or_else(none)?, output, asked)?;
    if !is_zarr(output, asked) && output.is_dir() {
        let what = "a directory, but joined inputs become one dataset";
        wrong(output, (what, "name the output file after the inputs"))?;
    }
    let copy = CopyPair {
        input: JOINED.into(),
        ..first
    };
    refuse_inputs(all, std::slice::from_ref(&copy))?;
    Ok(copy)
}

/// Checks that the output of a join is new: in `nccopy --join in/*.nc`, the output is missing, and the last input has its place.
///
/// # Errors
/// Returns [`ErrorKind::Argument`] for an existing local output.
pub(crate) fn check_joined(copy: &CopyPair) -> Result<()> {
    let path = &copy.output.path;
    if copy.output.remote.is_some() || file::in_place(path) || !path.exists() {
        return Ok(());
    }
    let what = "the last name is the output of the join, and it exists";
    wrong(path, (what, "use --overwrite to replace it"))
}

/// Checks that no output of joined inputs is one of the inputs.
///
/// # Errors
/// Returns [`ErrorKind::Argument`].
pub(crate) fn refuse_inputs(all: &[PathBuf], copies: &[CopyPair]) -> Result<()> {
    let Some(first) = copies.first() else {
        return Ok(());
    };
    let pair = |input: &PathBuf| {
        let at = Location::new(input)?;
        Ok(CopyPair {
            input: input.clone(),
            local: at.path().to_owned(),
            remote: at.remote().cloned(),
            ..first.clone()
        })
    };
    let mut pairs = all.iter().map(pair).collect::<Result<Vec<_>>>()?;
    pairs.extend_from_slice(copies);
    refuse_same(&pairs)
}

/// Returns the error for an input directory whose output is not a directory.
fn no_dataset(input: &Path, output: &Path) -> Error {
    let what =
        "a directory, but not a Zarr store: it has no .zgroup, .zarray, .zattrs or zarr.json";
    let e = Error::new(ErrorKind::Argument, what).of(&input.to_string_lossy());
    let output = output.to_string_lossy();
    e.with_remedy(format!(
        "use the output {output}/ to copy all datasets in the directory"
    ))
}

/// Returns copies into a directory. An input directory stands for its datasets, whose copies have the same relative paths.
///
/// # Errors
/// Returns the errors of [`copies`].
pub(crate) fn into_directory(
    inputs: &[PathBuf],
    output: &Path,
    rules: OutputRules<'_>,
) -> Result<ListedCopies> {
    let (asked, elsewhere) = (rules.asked, is_elsewhere(output));
    let (mut copies, mut notes) = (vec![], vec![]);
    for input in inputs {
        if !is_folder(input) {
            let name = batch::name(Location::new(input)?.path(), asked, rules.suffix)?;
            let output = inside(output, Path::new(&name), elsewhere);
            copies.push(CopyPair::of(input, &output, asked)?);
            continue;
        }
        let walk = match DirectoryWalk::of(input, rules.recursive) {
            // The copy of this input fails later. The job continues with the other inputs.
            Err(e) if e.kind() == ErrorKind::Argument && inputs.len() > 1 => {
                let name = batch::name(input, asked, rules.suffix)?;
                let output = inside(output, Path::new(&name), elsewhere);
                copies.push(CopyPair::of(input, &output, asked)?);
                continue;
            }
            walk => walk?,
        };
        notes.extend(walk.note(input));
        for dataset in &walk.datasets {
            let place = place(dataset, input, rules)?;
            let mut copy = CopyPair::of(dataset, &inside(output, &place, elsewhere), asked)?;
            copy.makes_folder = copy.output.remote.is_none();
            copies.push(copy);
        }
    }
    Ok((copies, notes))
}

/// Returns the path of a copy relative to the output directory.
fn place(dataset: &Path, root: &Path, rules: OutputRules<'_>) -> Result<PathBuf> {
    let name = batch::name(dataset, rules.asked, rules.suffix)?;
    let below = dataset.strip_prefix(root).unwrap_or(dataset);
    Ok(below.parent().unwrap_or(Path::new("")).join(name))
}

/// Checks whether a path is a remote address.
fn is_elsewhere(path: &Path) -> bool {
    Location::new(path).is_ok_and(|at| at.remote().is_some())
}

/// Checks that no output is an input or another output.
///
/// # Errors
/// Returns [`ErrorKind::Argument`].
pub(crate) fn check(copies: &[CopyPair]) -> Result<()> {
    refuse_twice(copies)?;
    refuse_same(copies)
}

/// Splits a URL into the address, and query and fragment.
fn parted(url: &Path) -> (String, String) {
    let url = url.to_string_lossy().replace("\\#", "#");
    let end = url.find(['?', '#']).unwrap_or(url.len());
    let (address, rest) = url.split_at(end);
    (address.to_owned(), rest.to_owned())
}

/// Returns the path of a copy in a directory, or its URL below an address.
fn inside(output: &Path, name: &Path, elsewhere: bool) -> PathBuf {
    if !elsewhere {
        return output.join(name);
    }
    let (address, rest) = parted(output);
    let (address, name) = (address.trim_end_matches('/'), name.to_string_lossy());
    PathBuf::from(format!("{address}/{name}{rest}"))
}

/// Checks whether an output of this name would be Zarr.
fn is_zarr(output: &Path, asked: OutputRequest) -> bool {
    let output = Location::new(output).and_then(|at| Destination::resolve(&at, asked));
    output.is_ok_and(|output| output.form != OutputForm::File)
}

fn wrong(path: &Path, (what, remedy): (&'static str, &str)) -> Result<()> {
    let e = Error::new(ErrorKind::Argument, what).of(&path.to_string_lossy());
    Err(e.with_remedy(remedy.to_owned()))
}

/// Checks that copies can be written to a directory. Returns a note if a dry run finds no directory.
fn check_directory(path: &Path, rules: OutputRules<'_>) -> Result<Option<Note>> {
    if !path.exists() {
        let (what, remedy) = no_directory(path, rules.asked);
        if !rules.dry_run {
            wrong(path, (what, &remedy))?;
        }
        return Ok(Some(Note {
            object: path.to_string_lossy().into_owned(),
            what: "no such directory yet".to_owned(),
            remedy: Some(format!("before the copy, {remedy}")),
        }));
    }
    if !path.is_dir() {
        let what = "not a directory; several inputs, or a `/` at the end, need one";
        wrong(path, (what, "give a directory after the inputs"))?;
    }
    if dir::is_store(path) {
        let what = "this directory is a Zarr store; copies cannot go into it";
        wrong(path, (what, "name another directory"))?;
    }
    Ok(None)
}

/// Returns message and remedy for a missing directory.
fn no_directory(path: &Path, asked: OutputRequest) -> (&'static str, String) {
    let what = "no such directory; several inputs, or a `/` at the end, need one";
    let name = path.to_string_lossy();
    let name = name.trim_end_matches('/');
    let remedy = match is_zarr(path, asked) {
        true => format!(
            "write {name}, without `/`, to make one Zarr store of this name, or make the directory: mkdir {name}"
        ),
        false => format!("make it: mkdir {name}"),
    };
    (what, remedy)
}

/// Checks the name of a single output. To copy into a directory, its name must end in `/`.
fn check_output(
    inputs: &[PathBuf],
    path: &Path,
    (asked, suffix): (OutputRequest, Option<&OsStr>),
) -> Result<()> {
    if suffix.is_some() {
        let what = "--suffix names copies in a directory, but the output is not a directory";
        return wrong(path, (what, "put a `/` after the directory's name"));
    }
    let store = dir::is_store(path);
    let empty = || std::fs::read_dir(path).is_ok_and(|mut list| list.next().is_none());
    if !path.is_dir() || (is_zarr(path, asked) && (store || empty())) {
        return Ok(());
    }
    if store {
        let what = "a Zarr store; a file does not replace it";
        return wrong(
            path,
            (what, "choose another name, or request Zarr: -k zarr3"),
        );
    }
    let name = inputs
        .first()
        .map(|input| batch::name(Location::new(input)?.path(), asked, None));
    let name = name.transpose()?.unwrap_or_default();
    let inside = path.join(name);
    let (path_, inside) = (path.to_string_lossy(), inside.to_string_lossy());
    let remedy = format!("write {path_}/ or {inside} to put the copy into it");
    wrong(path, ("a directory", &remedy))
}

fn refuse_twice(copies: &[CopyPair]) -> Result<()> {
    let mut seen: BTreeMap<PathBuf, &Path> = BTreeMap::new();
    for CopyPair { input, output, .. } in copies {
        let output = output.path.as_path();
        if let Some(other) = seen.insert(file::real(output), input) {
            let (a, b) = (ShownAddress::of(other), ShownAddress::of(input));
            let (a, b) = (a.text(), b.text());
            let what = format!("{a} and {b} would both become this file");
            return Err(Error::new(ErrorKind::Argument, what).of(&output.to_string_lossy()));
        }
    }
    Ok(())
}

/// Checks that no output is also an input, under any name.
fn refuse_same(copies: &[CopyPair]) -> Result<()> {
    let inputs: Vec<&Path> = copies.iter().map(|c| c.local.as_path()).collect();
    let paths: HashSet<&Path> = inputs.iter().copied().collect();
    let ids: HashSet<FileId> = inputs
        .iter()
        .filter_map(|path| FileId::of_path(file::input_path(path)))
        .collect();
    let places = Places::of(&inputs);
    let far: Addresses<'_> = copies.iter().filter_map(|c| c.remote.as_ref()).collect();
    for CopyPair { output, .. } in copies {
        let elsewhere = output.remote.as_ref().is_some_and(|own| far.overlap(own));
        let output = output.path.as_path();
        let same = || FileId::of_path(output).is_some_and(|id| ids.contains(&id));
        if elsewhere || paths.contains(output) || same() || places.overlap(output) {
            let what = "output would overwrite input";
            return Err(Error::new(ErrorKind::Argument, what).of(&output.to_string_lossy()));
        }
    }
    Ok(())
}

/// The real paths of inputs, sorted: the content of a directory follows the directory.
struct Places {
    all: BTreeSet<PathBuf>,
    /// Zarr stores. Each overlaps with all paths in it.
    stores: BTreeSet<PathBuf>,
}

impl Places {
    fn of(inputs: &[&Path]) -> Self {
        let real = |path: &&Path| file::real(file::input_path(path));
        let stores = inputs.iter().filter(|path| path.is_dir());
        Self {
            stores: stores.map(real).collect(),
            all: inputs.iter().map(real).collect(),
        }
    }

    /// Checks whether an output is an input, is inside an input, or contains an input.
    fn overlap(&self, output: &Path) -> bool {
        let real = file::real(output);
        let inside = || real.ancestors().any(|above| self.stores.contains(above));
        let around = || {
            let next = self.all.range(real.clone()..).next();
            next.is_some_and(|input| input.starts_with(&real))
        };
        inside() || (output.is_dir() && around())
    }
}

/// Checks that no output is the same file as another output or as an input, under another name (hard link).
///
/// # Errors
/// Returns [`ErrorKind::Argument`].
pub(crate) fn check_links(copies: &[CopyPair]) -> Result<()> {
    let mut seen: HashSet<_> = copies
        .iter()
        .filter_map(|c| FileId::of_path(&c.local))
        .collect();
    for copy in copies {
        let Some(id) = FileId::of_path(&copy.output.path) else {
            continue;
        };
        if !seen.insert(id) {
            let what = "the file has several names, and --keep-links would overwrite it twice, or overwrite an input";
            return Err(
                Error::new(ErrorKind::Argument, what).of(&copy.output.path.to_string_lossy())
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use netcdf_core::model::Kind;

    #[test]
    fn copies_on_other_machines_have_addresses() {
        let outputs = |inputs: &[&str], output: &str| {
            let inputs: Vec<_> = inputs.iter().map(PathBuf::from).collect();
            let copies = copies(&inputs, Path::new(output), OutputRequest::default())?;
            let short = |copy: CopyPair| copy.output.remote.unwrap().short();
            Ok::<_, Error>(copies.into_iter().map(short).collect::<Vec<_>>())
        };
        for (inputs, output, want) in [
            (&["a.nc"][..], "s3://b/k.nc", &["s3://b/k.nc"][..]),
            (&["x/a.nc"], "s3://b/k/", &["s3://b/k/a.nc"]),
            (&["a.nc", "c.nc"], "s3://b", &["s3://b/a.nc", "s3://b/c.nc"]),
            (
                &["a.nc", "c.nc"],
                "s3://b/k#mode=zarr,s3",
                &["s3://b/k/a.nc", "s3://b/k/c.nc"],
            ),
            (&["s3://b/x.nc"], "s3://b/k/", &["s3://b/k/x.nc"]),
        ] {
            assert_eq!(outputs(inputs, output).unwrap(), want, "{output}");
        }
        for (input, output) in [
            ("s3://b/x.nc", "s3://b/x.nc"),
            ("s3://b/x#mode=zarr", "https://h/b/x#mode=zarr,s3"),
            ("s3://b/x/y#mode=zarr", "s3://b/x#mode=zarr"),
            ("s3://b/x.nc", "s3://b/"),
        ] {
            let e = outputs(&[input], output).unwrap_err();
            assert!(e.to_string().contains("overwrite input"), "{input}: {e}");
        }
    }

    fn copies(inputs: &[PathBuf], output: &Path, asked: OutputRequest) -> Result<Vec<CopyPair>> {
        let rules = OutputRules {
            asked,
            ..OutputRules::default()
        };
        super::copies(inputs, output, rules).map(|(copies, _)| copies)
    }

    fn paths(list: &[&Path]) -> Vec<PathBuf> {
        list.iter().map(|p| p.to_path_buf()).collect()
    }

    #[test]
    fn the_output_is_a_directory_if_it_has_to_be() {
        let dir = tempfile::tempdir().unwrap();
        let slash = PathBuf::from(format!("{}/", dir.path().display()));
        let (a, b) = (Path::new("in/a.nc"), Path::new("b.nc"));
        let outputs = |inputs: &[&Path], output: &Path| {
            let copies = copies(&paths(inputs), output, OutputRequest::default())?;
            let path = |copy: CopyPair| copy.output.path;
            Ok::<_, Error>(copies.into_iter().map(path).collect::<Vec<_>>())
        };
        let inside = |name| dir.path().join(name);
        assert_eq!(
            outputs(&[a, b], dir.path()).unwrap(),
            [inside("a.nc"), inside("b.nc")]
        );
        assert_eq!(outputs(&[a], &slash).unwrap(), [inside("a.nc")]);
        let e = outputs(&[a], dir.path()).unwrap_err();
        let inner = inside("a.nc").display().to_string();
        assert!(e.to_string().contains(&inner), "no slash: a file; {e}");
        assert!(outputs(&[a, b], &inside("nosuch")).is_err());
        assert!(outputs(&[a, Path::new("-")], dir.path()).is_err());
        let twice = outputs(&[a, Path::new("out/a.nc")], dir.path()).unwrap_err();
        assert!(twice.what().contains("in/a.nc and out/a.nc"), "{twice}");
        std::fs::write(inside(".zgroup"), "{}").unwrap();
        assert!(outputs(&[a, b], dir.path()).is_err(), "a store");
        assert!(
            outputs(&[a], &slash).is_err(),
            "a store, and no kind of Zarr"
        );
        let zarr = OutputRequest {
            kind: Some(Kind::NCZARR),
            ..OutputRequest::default()
        };
        let replaced = copies(&paths(&[a]), &slash, zarr).unwrap();
        assert_eq!(replaced[0].output.path, slash);
        assert!(copies(&paths(&[a, b]), dir.path(), zarr).is_err());
    }

    #[test]
    fn no_input_is_in_an_output_and_no_output_in_an_input() {
        let dir = tempfile::tempdir().unwrap();
        let store = dir.path().join("s.zarr");
        std::fs::create_dir(&store).unwrap();
        std::fs::write(store.join(".zgroup"), "{}").unwrap();
        let inner = store.join("a.nc");
        std::fs::write(&inner, "x").unwrap();
        let url =
            |path: &Path| PathBuf::from(format!("file://{}#mode=nczarr,file", path.display()));
        let refused = |input: PathBuf, output: PathBuf| {
            let e = copies(&[input], &output, OutputRequest::default()).unwrap_err();
            e.what() == "output would overwrite input"
        };
        assert!(refused(inner.clone(), url(&store)));
        assert!(refused(url(&store), store.join("new.nc")));
        assert!(refused(store.clone(), url(&store)));
        assert!(refused(url(&store), url(&store.join("."))));
        let other = copies(
            &[inner],
            &url(&dir.path().join("t")),
            OutputRequest::default(),
        );
        assert_eq!(other.unwrap()[0].output.kind, Some(Kind::NCZARR));
    }

    #[test]
    #[cfg(unix)]
    fn links_do_not_make_two_outputs_of_one() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let inside = |name| dir.path().join(name);
        let (a, b) = (Path::new("in/a.nc"), Path::new("in/b.nc"));
        let made = || copies(&paths(&[a, b]), dir.path(), OutputRequest::default());
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
        let none = OutputRequest::default();
        assert!(copies(&paths(&[&a]), &b, none).is_err());
        assert!(copies(&paths(&[&a, Path::new("c.nc")]), dir.path(), none).is_err());
    }
}
