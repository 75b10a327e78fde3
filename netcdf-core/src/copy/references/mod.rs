//! Copies that contain references to the input's chunks instead of the chunks.
//!
//! [`ReferencePlan::new`] decides for each variable whether its chunks can be referred to, and sets the storage of the output accordingly.
//! Variables that readers of references cannot decode are stored inline. [`write()`] stores the references. Only inline data and samples of
//! chunks with certain filters are read.

mod codecs;
mod frames;
mod located_chunks;
mod names;
mod variable;

use std::collections::BTreeMap;
use std::time::Instant;

use super::methods::Method;
use super::{Changes, CopiedVariable, CopyReport, Plan, VarReport};
use crate::arithmetic::Amount;
use crate::chunk::decode::fill;
use crate::chunk::{Dataset, ReferenceWriter, Writer};
use crate::error::{Context as _, Error, ErrorKind, OrInternal as _, Result, list_names};
use crate::io::reference::{Reference, SourceState};
use crate::model::{DimId, StorageLayout, VarId, Variable};
use names::ReferenceNames;
use variable::ReferencedVariable;

/// The maximum size in bytes of a coordinate that is stored inline.
const COORDINATE: u64 = 64 << 10;

/// Options for references.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferenceOptions {
    /// The maximum size in bytes of a variable that is stored inline.
    pub inline: u64,
    /// The target size in bytes of references to contiguous data.
    pub chunk_size: u64,
    /// Prefixes of source names, and their replacements.
    pub url_prefixes: Vec<(String, String)>,
}

impl Default for ReferenceOptions {
    fn default() -> Self {
        Self {
            inline: 1 << 20,
            chunk_size: 16 << 20,
            url_prefixes: vec![],
        }
    }
}

/// The references of a copy.
#[derive(Debug, Default)]
pub struct ReferencePlan {
    /// The references by input variable. Variables without an entry are stored inline.
    variables: BTreeMap<VarId, Vec<(u64, Reference)>>,
    /// The states of the sources, by the names in the references.
    sources: BTreeMap<String, SourceState>,
    /// The variables that can be neither referred to nor stored inline, with the reasons.
    unreadable: Vec<(VarId, String)>,
}

impl ReferencePlan {
    /// Locates the chunks of all variables, and sets the storage of the plan's variables.
    ///
    /// # Errors
    /// Returns errors of locating chunks, and [`ErrorKind::Argument`] for sources that other programs cannot open.
    pub fn new(set: Dataset<'_>, plan: &mut Plan, options: &ReferenceOptions) -> Result<Self> {
        let mut out = Self::default();
        let mut names = ReferenceNames::new(&options.url_prefixes);
        for pair in plan.data.clone() {
            let path = || set.reader.schema().var_path(pair.from);
            let bytes = stored_bytes(set, plan, pair);
            let small = bytes <= options.inline;
            let is_inline = small && bytes <= COORDINATE && is_coordinate(set, pair.from);
            let found = match is_inline {
                true => Err(String::new()),
                false => variable::located(set, (plan, pair), options).in_object(path)?,
            };
            let grows = plan.schema.var(pair.to).is_some_and(|var| {
                let mut dims = var.dims.iter();
                dims.any(|&dim| plan.schema.is_unlimited(dim))
            });
            let var = plan.schema.var_mut(pair.to)?;
            match found {
                Ok(found) => {
                    let references = out.named(found, var, &mut names).in_object(path)?;
                    out.variables.insert(pair.from, references);
                }
                Err(_) if small => store_inline(var, grows),
                Err(why) => out.unreadable.push((pair.from, why)),
            }
        }
        Ok(out)
    }

    /// Sets the storage of an output variable, and returns its references with the names that other programs use.
    fn named(
        &mut self,
        found: ReferencedVariable,
        var: &mut Variable,
        names: &mut ReferenceNames<'_>,
    ) -> Result<Vec<(u64, Reference)>> {
        found.apply(&mut var.storage);
        for (url, state) in found.sources {
            if let Some((name, state)) = names.source(&url, state)? {
                self.sources.insert(name, state);
            }
        }
        let name = |(index, reference)| Ok((index, names.reference(reference)?));
        found.chunks.into_iter().map(name).collect()
    }

    /// Returns the variables that can be neither referred to nor stored inline.
    #[must_use]
    pub fn unreadable(&self) -> &[(VarId, String)] {
        &self.unreadable
    }

    /// Checks that all variables can be referred to or stored inline.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`] with the variables and reasons.
    pub fn check(&self, set: Dataset<'_>) -> Result<()> {
        let named = |(var, why): &(VarId, String)| {
            let path = set.reader.schema().var_path(*var);
            format!("{path} ({why})")
        };
        let names: Vec<_> = self.unreadable.iter().map(named).collect();
        if names.is_empty() {
            return Ok(());
        }
        let what = format!(
            "references to these variables cannot be read: {}",
            list_names(&names)
        );
        let e = Error::new(ErrorKind::Unsupported, what);
        let remedy = "raise --inline to store the values, use --skip-unreadable, or copy the data with -k zarr";
        Err(e.with_remedy(remedy))
    }
}

/// Returns the approximate size of a variable's elements in the output, in bytes.
fn stored_bytes(set: Dataset<'_>, plan: &Plan, pair: CopiedVariable) -> u64 {
    let elements = Amount::product(&set.reader.schema().shape(pair.from));
    let var = plan.schema.var(pair.to);
    let size = var.map_or(8, |var| {
        let string = var.storage.max_string;
        string.unwrap_or_else(|| plan.schema.memory_size(var.ty))
    });
    (elements * size.max(1)).get()
}

/// Returns whether a variable has the name of its only dimension.
fn is_coordinate(set: Dataset<'_>, var: VarId) -> bool {
    let schema = set.reader.schema();
    schema.var(var).is_some_and(|var| {
        let same = |dim: &DimId| schema.dim(*dim).is_some_and(|dim| dim.name == var.name);
        var.dims.len() == 1 && var.dims.iter().all(same)
    })
}

/// Sets the storage of an inline variable: one chunk without filters. A variable that grows has chunks.
fn store_inline(var: &mut Variable, grows: bool) {
    let storage = &mut var.storage;
    storage.layout = (!grows).then_some(StorageLayout::Contiguous);
    storage.filters.clear();
    (storage.codecs, storage.shard, storage.prepared) = (None, None, false);
}

/// Writes references and inline data, and finishes the output.
///
/// # Errors
/// Returns the errors of [`super::run`].
pub fn write(
    set: Dataset<'_>,
    (plan, references): (&Plan, ReferencePlan),
    mut writer: Box<dyn Writer>,
) -> Result<CopyReport> {
    let ReferencePlan {
        variables, sources, ..
    } = references;
    let mut inline = plan.clone();
    inline
        .data
        .retain(|pair| !variables.contains_key(&pair.from));
    let jobs = super::jobs(set, &inline, &mut *writer)?;
    set.env.notes.check()?;
    let mut done = super::execute(set, jobs, &mut *writer)?;
    for pair in &plan.data {
        let Some(chunks) = variables.get(&pair.from) else {
            continue;
        };
        done.push((pair.from, put(set, (*pair, chunks), &mut *writer)?));
    }
    let keys = keys(&mut *writer)?;
    for (url, state) in sources {
        keys.put_source(&url, state);
    }
    super::completed(set, plan, done, writer)
}

fn keys(writer: &mut dyn Writer) -> Result<&mut dyn ReferenceWriter> {
    writer.references().or_internal("a writer of references")
}

/// Checks that missing chunks read the same in the output as in the input.
fn check_fill(
    set: Dataset<'_>,
    (pair, stored): (CopiedVariable, usize),
    writer: &dyn Writer,
) -> Result<()> {
    let to = writer.layout(pair.to)?;
    if Amount::product(&to.grid()).get() == stored as u64 {
        return Ok(());
    }
    let from = set.fill(pair.from, &set.layout(pair.from)?)?;
    if from == fill(writer.schema(), pair.to, &to)? {
        return Ok(());
    }
    let what = "missing chunks would read as another fill value";
    let e = Error::new(ErrorKind::Unsupported, what);
    Err(e.with_remedy("copy the data with -k zarr3"))
}

/// Writes the references of a variable.
fn put(
    set: Dataset<'_>,
    (pair, chunks): (CopiedVariable, &[(u64, Reference)]),
    writer: &mut dyn Writer,
) -> Result<VarReport> {
    let start = Instant::now();
    let path = set.reader.schema().var_path(pair.from);
    check_fill(set, (pair, chunks.len()), writer).in_object(|| path.clone())?;
    let keys = keys(writer)?;
    for (index, reference) in chunks {
        set.env.cancel.check()?;
        keys.put_reference(pair.to, *index, reference)?;
    }
    let shape = set.reader.schema().shape(pair.from);
    let size = set.layout(pair.from)?.element.size;
    Ok(VarReport {
        path,
        method: Method::Chunks,
        raw: (Amount::product(&shape) * size).get(),
        before: 0,
        after: 0,
        time: start.elapsed(),
        changes: Changes::default(),
    })
}
