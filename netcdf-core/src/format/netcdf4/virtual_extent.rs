//! The shapes of virtual datasets without a fixed length: as far as their sources reach.

use std::collections::HashMap;
use std::sync::Arc;

use super::links::{may_be_left_out, no_dataset};
use super::virtual_data::Virtual;
use super::virtual_sources::{HEADER, Names, Object, is_missing, named};
use crate::env::{Env, Note};
use crate::error::{Error, Result};
use crate::format::hdf5::ObjectHeader;
use crate::format::hdf5::dataset::{self, Dataset, Kind};
use crate::format::hdf5::message::layout::Layout;
use crate::format::hdf5::virtual_dataset::{Mapping, Reach};

/// The sources that were looked at.
struct Look<'a> {
    env: &'a Env,
    /// Shapes of sources that several mappings may have.
    shapes: HashMap<Object, Vec<u64>>,
    /// Whether all of them could be opened, and theirs.
    complete: bool,
}

/// Shapes that are kept.
const KEPT: usize = 1 << 16;

/// What is known of a source.
enum Source {
    Shape(Vec<u64>),
    /// There is none: libhdf5 takes it for one without elements.
    Missing,
    /// It is there, or may be, but cannot be opened.
    Refused,
}

/// What the sources of a virtual dataset say of it.
#[derive(Debug)]
pub struct Extent {
    /// Its shape.
    pub dims: Vec<u64>,
    /// How many sources its mappings have, in their order: of those that count them, the sources before
    /// the first that is missing; `u64::MAX` of all others. Empty if none counts.
    pub counted: Vec<u64>,
    /// Whether all sources could be opened: of datasets that have each other as sources, what is known depends on the one
    /// that was asked first.
    complete: bool,
}

impl Virtual {
    /// The shape that the sources give: a dimension in which a mapping is unlimited is as long as the
    /// sources reach.
    ///
    /// # Errors
    /// Those of reading the mappings and the headers of sources; [`crate::ErrorKind::Limit`] if there are too many.
    pub fn extent(&self, dataset: &Dataset, env: &Env) -> Result<Extent> {
        let dims = &dataset.dataspace.dims;
        let mappings = self.mappings(dataset)?;
        let mut reached: Vec<Option<u64>> = vec![None; dims.len()];
        let mut look = Look {
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
                self.reach(mapping, &mut look)?
            };
            if let (Some(end), Some(most)) = (end, reached.get_mut(dim)) {
                *most = Some(most.map_or(end, |most| most.max(end)));
            }
        }
        let dims = dataset.dataspace.dims.iter().zip(reached);
        let dims = dims.map(|(stored, reached)| reached.unwrap_or(*stored));
        let dims = dims.collect();
        Ok(Extent {
            dims,
            counted,
            complete: look.complete,
        })
    }

    /// How far a mapping with one source reaches in the dimension in which its target is unlimited. None
    /// without the source.
    fn reach(&self, mapping: &Mapping, look: &mut Look) -> Result<Option<u64>> {
        Ok(match self.look(mapping, 0, look)? {
            Source::Shape(dims) => mapping.reach(Reach::Shape(&dims)).map(|(_, end)| end),
            Source::Missing | Source::Refused => None,
        })
    }

    /// The number of sources of a mapping that counts them, and how far it reaches with them; see
    /// [`Virtual::reach`].
    fn count(&self, mapping: &Mapping, stored: u64, look: &mut Look) -> Result<(u64, Option<u64>)> {
        let mut number = 0;
        let (most, least) = loop {
            match self.look(mapping, number, look)? {
                Source::Shape(_) => number += 1,
                Source::Missing => break (number, 0),
                Source::Refused => break (u64::MAX, stored),
            }
        };
        let end = mapping.reach(Reach::Sources(number));
        Ok((most, end.map(|(_, end)| end.max(least))))
    }

    /// Looks at a source, and says why its shape does not count.
    fn look(&self, mapping: &Mapping, number: u64, look: &mut Look) -> Result<Source> {
        let names = mapping.names(number);
        match self.shape(&names, look) {
            Ok(shape) => Ok(Source::Shape(shape)),
            Err(e) if is_missing(&e) => {
                // The last one of those that are counted is never there.
                if !mapping.counts() || number == 0 {
                    say_not_counted("is missing, and", &names, &e, look.env);
                }
                Ok(Source::Missing)
            }
            Err(e) if may_be_left_out(&e) => {
                say_not_counted("cannot be opened, and", &names, &e, look.env);
                look.complete = false;
                Ok(Source::Refused)
            }
            Err(e) => Err(e),
        }
    }

    fn shape(&self, names: &Names, look: &mut Look) -> Result<Vec<u64>> {
        look.env.cancel.check()?;
        let (file, address) = self.nesting.find(&self.file, names, look.env)?;
        let object = (Arc::clone(file.name()), address);
        let known = look.shapes.get(&object).cloned();
        if let Some(known) = known.or_else(|| self.nesting.shape(&object)) {
            return Ok(known);
        }
        self.nesting.spend(HEADER, 0, &self.file)?;
        let header = ObjectHeader::read(&file, address)?;
        if dataset::kind(&header) != Kind::Dataset {
            return Err(no_dataset());
        }
        let dataset = Dataset::read(&file, &header)?;
        let shape = match dataset.layout {
            Layout::Virtual { .. } => {
                let within = Self::new(file, self.nesting.deeper());
                let extent = within.extent(&dataset, look.env)?;
                look.complete &= extent.complete;
                if extent.complete {
                    self.nesting.keep(object.clone(), extent.dims.clone());
                }
                extent.dims
            }
            Layout::Compact(_) | Layout::Contiguous { .. } | Layout::Chunked(_) => {
                dataset.dataspace.dims
            }
        };
        if look.shapes.len() >= KEPT {
            look.shapes.clear();
        }
        look.shapes.insert(object, shape.clone());
        Ok(shape)
    }
}

fn say_not_counted(why: &str, names: &Names, e: &Error, env: &Env) {
    env.notes.say(Note {
        object: named(names),
        what: format!("this source of a virtual dataset {why} does not count for its length: {e}"),
        remedy: None,
    });
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::env::Damage;
    use crate::format::Reader;
    use crate::format::netcdf4::reader::Netcdf4Reader;
    use crate::io::file::FileSource;
    use crate::model::VarId;

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

    #[test]
    fn sources_within_sources_have_an_end() {
        let env = Env {
            damage: Damage::tolerated(),
            ..Env::default()
        };
        // The same ones on many ways are looked at once.
        let reader = open(&path("hostile/virtual_levels.h5"), &env);
        assert_eq!(reader.schema().vars.len(), 48);
        assert_eq!(reader.schema().shape(var(&reader, "0_0")), [4, 6]);
        assert!(env.damage.take().is_empty());
        // Around in circles.
        let reader = open(&path("hostile/virtual_circles.h5"), &env);
        assert_eq!(reader.schema().vars.len(), 0);
        let damage = env.damage.take();
        let first = damage.first().unwrap();
        assert_eq!(first.kind(), crate::ErrorKind::Limit);
        assert_eq!(first.object(), Some("/0"));
        assert!(first.resource().unwrap().ends_with("virtual_circles.h5"));
    }
}
