//! Shapes of virtual datasets without a fixed length: the shapes depend on the sources.

use std::collections::HashMap;
use std::sync::Arc;

use super::links::{is_skippable, no_dataset};
use super::virtual_mappings::Virtual;
use super::virtual_sources::{HEADER, SourceNames, SourceObject, named};
use crate::env::Env;
use crate::error::{Error, Result};
use crate::format::hdf5::ObjectHeader;
use crate::format::hdf5::dataset::{self, Hdf5Dataset, Hdf5ObjectKind};
use crate::format::hdf5::message::layout::DataLayout;
use crate::format::hdf5::virtual_dataset::{Mapping, MappingSources};
use crate::notes::Note;

/// Cache of source shapes for one lookup.
struct SourceLookup<'a> {
    env: &'a Env,
    /// Shapes of sources, which several mappings may share.
    shapes: HashMap<SourceObject, Vec<u64>>,
    /// Whether all sources, including nested sources, could be opened.
    complete: bool,
}

/// Maximum number of cached shapes.
const MAX_SHAPES: usize = 1 << 16;

/// The lookup result of a source.
enum ExtentSource {
    Shape(Vec<u64>),
    /// The source does not exist. libhdf5 assumes no elements.
    Missing,
    /// The source cannot be opened, but may exist.
    Refused,
}

/// The extent of a virtual dataset, derived from the sources.
#[derive(Debug)]
pub(super) struct SourcesExtent {
    /// The shape.
    pub dims: Vec<u64>,
    /// The number of sources per mapping. A counting mapping has all sources before the first missing one; all other mappings have
    /// `u64::MAX`. Empty without counting mappings.
    pub counted: Vec<u64>,
    /// Whether all sources could be opened. For circular sources, the result depends on the lookup order.
    complete: bool,
}

impl Virtual {
    /// Returns the shape according to the sources. A dimension with an unlimited mapping ends where the sources of the mapping end, and not
    /// before any other mapping ends. Other mappings count even if the sources do not exist.
    ///
    /// # Errors
    /// Returns errors from reading mappings and source headers, or [`crate::ErrorKind::Limit`] for too many sources.
    pub(super) fn extent(
        &self,
        dataset: &Hdf5Dataset,
        object: &str,
        env: &Env,
    ) -> Result<SourcesExtent> {
        let dims = &dataset.dataspace.dims;
        let mappings = self.mappings(dataset)?;
        let mut reached: Vec<Option<u64>> = vec![None; dims.len()];
        let mut look = SourceLookup {
            env,
            shapes: HashMap::new(),
            complete: true,
        };
        let mut counted = vec![];
        for (number, mapping) in mappings.iter().enumerate() {
            let Some(dim) = mapping.target.unlimited() else {
                continue;
            };
            let stored = dims.get(dim).copied().unwrap_or(0);
            let end = if mapping.counts() {
                let (sources, end) = self.count(mapping, stored, &mut look)?;
                counted.resize(number, u64::MAX);
                counted.push(sources);
                end
            } else {
                self.reach(mapping, stored, &mut look)?
            };
            if let (Some(end), Some(most)) = (end, reached.get_mut(dim)) {
                *most = Some(most.map_or(end, |most| most.max(end)));
            }
        }
        for (dim, len) in reached.iter_mut().enumerate() {
            let others = mappings.iter().filter_map(|m| m.end(dim)).max();
            *len = len.map(|len| len.max(others.unwrap_or(0)));
        }
        let dims = shape(dataset, &reached, |cut| note_truncated(cut, object, env));
        Ok(SourcesExtent {
            dims,
            counted,
            complete: look.complete,
        })
    }

    /// Returns the end of a single-source mapping in the unlimited dimension of the target. If the source cannot be opened, the result is
    /// the stored length, so that reading the data fails.
    fn reach(
        &self,
        mapping: &Mapping,
        stored: u64,
        look: &mut SourceLookup,
    ) -> Result<Option<u64>> {
        Ok(match self.look_up(mapping, 0, look)? {
            ExtentSource::Shape(dims) => mapping
                .reach(MappingSources::Shape(&dims))
                .map(|(_, end)| end),
            ExtentSource::Missing => Some(0),
            ExtentSource::Refused => Some(stored),
        })
    }

    /// Returns the number of sources of a counting mapping, and the end of the sources; see [`Virtual::reach`].
    fn count(
        &self,
        mapping: &Mapping,
        stored: u64,
        look: &mut SourceLookup,
    ) -> Result<(u64, Option<u64>)> {
        let mut number = 0;
        let (most, least) = loop {
            match self.look_up(mapping, number, look)? {
                ExtentSource::Shape(_) => number += 1,
                ExtentSource::Missing => break (number, 0),
                ExtentSource::Refused => break (u64::MAX, stored),
            }
        };
        let end = mapping.reach(MappingSources::Sources(number));
        Ok((most, end.map(|(_, end)| end.max(least))))
    }

    /// Looks up a source. Notes the reason if the shape of the source is ignored.
    fn look_up(
        &self,
        mapping: &Mapping,
        number: u64,
        look: &mut SourceLookup,
    ) -> Result<ExtentSource> {
        let names = mapping.names(number);
        match self.shape(&names, look) {
            Ok(shape) => Ok(ExtentSource::Shape(shape)),
            Err(e) if e.is_missing() => {
                // Counting always ends at a missing source. Only a missing first source is worth a note.
                if !mapping.counts() || number == 0 {
                    note_ignored_source("is missing, and", &names, &e, look.env);
                }
                Ok(ExtentSource::Missing)
            }
            Err(e) if is_skippable(&e) => {
                note_ignored_source("cannot be opened, and", &names, &e, look.env);
                look.complete = false;
                Ok(ExtentSource::Refused)
            }
            Err(e) => Err(e),
        }
    }

    fn shape(&self, names: &SourceNames, look: &mut SourceLookup) -> Result<Vec<u64>> {
        look.env.cancel.check()?;
        let (file, address) = self.nesting.find(&self.file, names, look.env)?;
        let object = (Arc::clone(file.name()), address);
        let known = look.shapes.get(&object).cloned();
        if let Some(known) = known.or_else(|| self.nesting.shape(&object)) {
            return Ok(known);
        }
        self.nesting.spend(HEADER, 0, &self.file)?;
        let header = ObjectHeader::read(&file, address)?;
        if dataset::kind(&header) != Hdf5ObjectKind::Dataset {
            return Err(no_dataset());
        }
        let dataset = Hdf5Dataset::read(&file, &header)?;
        let shape = match dataset.layout {
            DataLayout::Virtual { .. } => {
                let within = Self::new(file, self.nesting.deeper());
                let extent = within.extent(&dataset, &named(names), look.env)?;
                look.complete &= extent.complete;
                if extent.complete {
                    self.nesting.keep(object.clone(), extent.dims.clone());
                }
                extent.dims
            }
            DataLayout::Compact(_) | DataLayout::Contiguous { .. } | DataLayout::Chunked(_) => {
                dataset.dataspace.dims.clone()
            }
        };
        if look.shapes.len() >= MAX_SHAPES {
            look.shapes.clear();
        }
        look.shapes.insert(object, shape.clone());
        Ok(shape)
    }
}

/// Returns the stored shape, with lengths from `reached` if known. Truncates a length beyond the maximum shape, and reports both lengths
/// through `cut`. libhdf5 rejects a truncated dataset.
fn shape(
    dataset: &Hdf5Dataset,
    reached: &[Option<u64>],
    mut cut: impl FnMut((u64, u64)),
) -> Vec<u64> {
    let mut dims = dataset.dataspace.dims.clone();
    let most = dataset.dataspace.max.iter().copied();
    let most = most.chain(std::iter::repeat(None));
    for ((len, reached), most) in dims.iter_mut().zip(reached).zip(most) {
        let Some(reached) = *reached else { continue };
        *len = reached;
        if let Some(most) = most.filter(|most| *most < reached) {
            cut((reached, most));
            *len = most;
        }
    }
    dims
}

fn note_ignored_source(why: &str, names: &SourceNames, e: &Error, env: &Env) {
    env.notes.say(Note {
        object: named(names),
        what: format!(
            "this source of a virtual dataset {why} does not count towards its length: {e}"
        ),
        remedy: None,
    });
}

fn note_truncated((len, most): (u64, u64), object: &str, env: &Env) {
    env.notes.say(Note {
        object: object.to_owned(),
        what: format!(
            "truncated: the sources of this virtual dataset reach length {len}, the maximum is {most}"
        ),
        remedy: Some("read the source files directly".to_owned()),
    });
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::chunk::{Dataset as Engine, Reader};
    use crate::env::Damage;
    use crate::format::netcdf4::reader::Netcdf4Reader;
    use crate::io::file::FileSource;
    use crate::model::{Region, Values, VarId};

    fn path(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../testdata/hdf5")
            .join(name)
    }

    fn open(path: &Path, env: &Env) -> Netcdf4Reader {
        Netcdf4Reader::open(Arc::new(FileSource::open(path).unwrap()), env).unwrap()
    }

    fn var(reader: &Netcdf4Reader, name: &str) -> VarId {
        let mut ids = (0..).map(VarId);
        let found = ids.find(|&id| reader.schema().var_path(id) == format!("/{name}"));
        found.unwrap()
    }

    /// Returns name, shape and values in the form of testdata/hdf5/make_virtual_extent.py.
    fn line(reader: &Netcdf4Reader, name: &str, env: &Env) -> String {
        let id = var(reader, name);
        let shape = reader.schema().shape(id);
        let read = Engine::new(reader, env).read(id, &Region::whole(&shape));
        let Values::Int(values) = read.unwrap() else {
            panic!("{name} is of another type");
        };
        let shape = shape.iter().map(u64::to_string);
        let values = values.iter().map(ToString::to_string);
        let words = std::iter::once(name.to_owned()).chain(shape);
        let words = words.chain(std::iter::once(":".to_owned())).chain(values);
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn lengths_are_those_of_libhdf5() {
        let env = Env::default();
        let reader = open(&path("virtual_extent.h5"), &env);
        let text = std::fs::read_to_string(path("virtual_extent.txt")).unwrap();
        assert_eq!(text.lines().count(), 20);
        for expected in text.lines() {
            let name = expected.split(' ').next().unwrap();
            let found = line(&reader, name, &env);
            // libhdf5 rejects datasets with sources beyond the maximum length.
            let cut = expected == "most error" && found == "most 6 1 : 0 1 2 3 4 5";
            assert!(cut || found == expected, "{found}, not {expected}");
        }
        let notes: Vec<_> = env.notes.take().iter().map(ToString::to_string).collect();
        let said = |what: &str| notes.iter().filter(|n| n.contains(what)).count();
        assert_eq!(
            said(".:none: this source of a virtual dataset is missing, and does not"),
            1
        );
        assert_eq!(
            said(".:none0: this source of a virtual dataset is missing, and does not"),
            1
        );
        assert_eq!(
            said(
                "/most: truncated: the sources of this virtual dataset reach length 10, the maximum"
            ),
            1
        );
    }

    /// A source that exists but cannot be opened does not count as empty.
    #[test]
    fn refused_sources_are_not_taken_for_empty_ones() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.h5");
        std::fs::copy(path("virtual_refused.h5"), &file).unwrap();
        let lens = |env: &Env| {
            let reader = open(&file, env);
            let len = |name| reader.schema().shape(var(&reader, name))[0];
            let read =
                Engine::new(&reader, env).read(var(&reader, "counting"), &Region::whole(&[6]));
            (len("one"), len("counting"), read.is_ok())
        };
        // Without a file, the dataset has no elements, as in libhdf5.
        let env = Env::default();
        assert_eq!(lens(&env), (0, 0, true));
        assert!(
            env.notes.take()[0]
                .what
                .contains("is missing, and does not count")
        );
        for name in ["source.h5", "source0.h5"] {
            std::fs::write(folder.path().join(name), b"not HDF5").unwrap();
        }
        let env = Env::default();
        assert_eq!(lens(&env), (4, 6, false));
        assert!(
            env.notes.take()[0]
                .what
                .contains("cannot be opened, and does not count")
        );
    }

    #[test]
    fn sources_within_sources_have_an_end() {
        let env = Env {
            damage: Damage::tolerated(),
            ..Env::default()
        };
        // Sources with several paths are read once.
        let reader = open(&path("hostile/virtual_levels.h5"), &env);
        assert_eq!(reader.schema().vars.len(), 48);
        assert_eq!(reader.schema().shape(var(&reader, "0_0")), [4, 6]);
        assert!(env.damage.take().is_empty());
        // Circular sources.
        let reader = open(&path("hostile/virtual_circles.h5"), &env);
        assert_eq!(reader.schema().vars.len(), 0);
        let damage = env.damage.take();
        let first = damage.first().unwrap();
        assert_eq!(first.kind(), crate::ErrorKind::Limit);
        assert_eq!(first.object(), Some("/0"));
        assert!(first.resource().unwrap().ends_with("virtual_circles.h5"));
    }
}
