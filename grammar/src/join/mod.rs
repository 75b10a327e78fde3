//! Joins many datasets to one dataset (`--join`).
//!
//! Each rule about inputs that do not fit is in its own file. An error names both inputs, the values and a remedy.
//!
//! | file | contents |
//! |---|---|
//! | `request` | the request of a join |
//! | `list` | the inputs that names stand for |
//! | `opener` | opening of inputs |
//! | `dimension`, `coordinate` | the joined dimension, and its coordinate values |
//! | `dimension_search` | the joined dimension without a name |
//! | `references` | bounds and grid mappings |
//! | `facts` | the compared facts about a variable |
//! | `attribute_values`, `mismatch` | texts of messages |
//! | `headers` | the facts about all inputs |
//! | `statics` | values of variables without the joined dimension |
//! | `differences`, `globals` | attributes that may differ |
//! | `order` | the order of inputs, overlaps and gaps |
//! | `append`, `repeated` | records that extend the first input, and records that it already has |
//! | `types`, `units`, `packing`, `missing`, `attributes` | rules for one variable in two inputs |
//! | `repack` | data with several packings |
//! | `relation` | all rules for one variable |
//! | `labels` | labels along a new dimension |
//! | `extend` | variables and dimensions that the first input lacks |
//! | `whole`, `describe`, `whole_variable` | the description of the whole, and of its variables |

mod append;
mod attribute_values;
mod attributes;
mod coordinate;
mod describe;
mod differences;
mod dimension;
mod dimension_search;
mod extend;
mod facts;
mod globals;
mod headers;
mod labels;
mod list;
mod mismatch;
mod missing;
mod opener;
mod order;
mod packing;
mod references;
mod relation;
mod repack;
mod repeated;
mod request;
mod statics;
mod types;
mod units;
mod whole;
mod whole_variable;

use std::collections::BTreeSet;
use std::io::Read;
use std::sync::Arc;

use netcdf_core::chunk::joined::{JoinedDataset, JoinedReader};
use netcdf_core::chunk::{Dataset, ReadCache, Reader};
use netcdf_core::copy::NewRecords;
use netcdf_core::env::Env;
use netcdf_core::error::{Error, ErrorKind, OrInternal as _, Result};
use netcdf_core::io::locator::InputAccess;
use netcdf_core::model::Schema;
use netcdf_core::notes::{Note, few};
use netcdf_core::sum::Digest;

use append::OrderedRuns;
use dimension::{
    JoinedDimension, coordinate, dim_of, named_dimension, new_dimension, refuse_tiles,
};
use dimension_search::DimensionSearch;
use facts::InputVariable;
use headers::{HeaderPass, Headers};
use labels::{LabelSource, label_ranges};
use opener::{InputOpener, OpenedHeader};
use order::{InputOrdering, InputRun};
use references::CfReferences;
use statics::StaticReference;
use whole::{Described, Whole};

use crate::object_name::with_option;
use crate::selection;

pub use request::{
    Conflicts, InputNames, JoinKind, JoinOrder, JoinRequest, Lacking, NewDimension, Overlap,
    Repack, StaticCheck,
};

/// An open joined dataset.
pub struct OpenJoin<'a> {
    /// The whole.
    pub reader: JoinedReader<'a>,
    /// A text that changes with the inputs.
    pub state: String,
    /// Whether the whole has no more than the first input that it extends.
    pub is_unchanged: bool,
    /// The records that extend the first input.
    pub records: Option<NewRecords>,
}

/// Opens many datasets as one dataset. `stdin` may have a list of inputs.
///
/// # Errors
/// Returns errors of opening and reading inputs, and the properties of inputs that do not fit.
pub fn open<'a>(
    request: &JoinRequest,
    access: InputAccess,
    stdin: &mut dyn Read,
    env: &'a Env,
) -> Result<OpenJoin<'a>> {
    let paths = request.inputs.listed(stdin)?.to_vec();
    if paths.is_empty() {
        return Err(Error::new(ErrorKind::Argument, "no inputs to join"));
    }
    let opener = Arc::new(InputOpener {
        access,
        paths,
        extends: request.extends,
    });
    let join = Join {
        request,
        opener: &opener,
        labels: labels(request),
        env,
    };
    let DescribedJoin {
        dataset,
        signatures,
        is_unchanged,
        records,
    } = join.described()?;
    let state = Digest::of_bytes(format!("{signatures:?}").as_bytes()).to_string();
    Ok(OpenJoin {
        reader: reader((dataset, signatures), &opener, request.open_files, env),
        state,
        is_unchanged,
        records,
    })
}

/// Returns the reader of a described join.
fn reader<'a>(
    (dataset, signatures): (JoinedDataset, Vec<u64>),
    opener: &Arc<InputOpener>,
    open_files: usize,
    env: &'a Env,
) -> JoinedReader<'a> {
    let (opens, opener) = (Arc::clone(opener), Arc::clone(opener));
    let again = move |number: usize| {
        let signature = signatures.get(number).or_internal("an input")?;
        opens.again(number, *signature, env)
    };
    let name = move |number| opener.name(number);
    JoinedReader::new(dataset, (Box::new(again) as _, open_files), name, env)
}

/// The description of a join.
struct DescribedJoin {
    dataset: JoinedDataset,
    /// The signatures of the inputs.
    signatures: Vec<u64>,
    is_unchanged: bool,
    records: Option<NewRecords>,
}

/// The facts about the inputs of a join.
#[derive(Clone, Copy)]
struct JoinFacts<'a> {
    joined: &'a JoinedDimension,
    headers: &'a Headers,
    /// The paths of variables that get a new dimension.
    extended: &'a BTreeSet<String>,
}

/// Returns the source of the labels that a request names.
fn labels(request: &JoinRequest) -> Option<LabelSource> {
    match &request.kind {
        JoinKind::New(new) => new.labels.as_deref().map(LabelSource::new),
        JoinKind::Along(_) | JoinKind::Merge => None,
    }
}

/// A join in progress.
struct Join<'a> {
    request: &'a JoinRequest,
    opener: &'a Arc<InputOpener>,
    labels: Option<LabelSource>,
    env: &'a Env,
}

impl Join<'_> {
    /// Returns the description of the whole.
    fn described(&self) -> Result<DescribedJoin> {
        let named = |e: Error| e.of(&self.opener.name(0));
        if let Some(labels) = &self.labels {
            labels.check_count(self.opener.paths.len())?;
        }
        let first = self.opener.open(0, self.env)?;
        let joined = self.dimension(&first)?;
        let statics = match self.request.statics {
            StaticCheck::Check => Some(self.reference(&first, &joined).map_err(named)?),
            StaticCheck::First | StaticCheck::Planned => None,
        };
        let pass = HeaderPass {
            opener: self.opener,
            joined: &joined,
            order: self.request.order,
            labels: self.labels.as_ref(),
            schema: first.reader.schema(),
            statics: statics.as_ref(),
            env: self.env,
        };
        let mut headers = pass.run()?;
        self.add_label_ranges(&mut headers)?;
        let OrderedRuns {
            runs,
            repeated,
            skipped,
        } = self.runs(&joined, &headers)?;
        let different = statics.as_ref().map(StaticReference::different);
        let extended = self.extended(
            &joined,
            first.reader.schema(),
            different.unwrap_or_default(),
        )?;
        let whole = JoinFacts {
            joined: &joined,
            headers: &headers,
            extended: &extended,
        };
        self.check_repeated(whole, repeated)?;
        if skipped > 0 {
            let what = format!("skipped {skipped} records that the output already has");
            self.remark(&self.option(&joined), what);
        }
        let dataset = self.whole(whole, &runs)?;
        Ok(DescribedJoin {
            is_unchanged: match joined {
                JoinedDimension::Merge => {
                    dataset.schema.vars.len() == first.reader.schema().vars.len()
                }
                JoinedDimension::Along { .. } | JoinedDimension::New { .. } => {
                    runs.iter().all(|run| run.input == 0)
                }
            },
            records: self.records(&joined, &headers, &dataset.schema),
            dataset,
            signatures: headers.signatures(),
        })
    }

    /// Returns the records that extend the first input.
    fn records(
        &self,
        joined: &JoinedDimension,
        headers: &Headers,
        schema: &Schema,
    ) -> Option<NewRecords> {
        let JoinedDimension::Along { path, .. } = joined else {
            return None;
        };
        let dim = dim_of(schema, path).filter(|_| self.request.extends)?;
        Some(NewRecords {
            dim,
            from: headers.inputs.first()?.len,
            len: schema.dim(dim)?.len,
        })
    }

    /// Returns the option of the join, for notes.
    fn option(&self, joined: &JoinedDimension) -> String {
        match (self.request.extends, joined) {
            (true, JoinedDimension::Along { .. }) => format!("--append={}", joined.name()),
            (true, JoinedDimension::Merge) => "--add-variables".to_owned(),
            (_, _) => joined.option(),
        }
    }

    /// Returns the joined dimension.
    fn dimension(&self, first: &OpenedHeader) -> Result<JoinedDimension> {
        let name = match &self.request.kind {
            JoinKind::Along(name) => name.as_deref(),
            JoinKind::New(new) => return new_dimension(&new.name, first.reader.schema()),
            JoinKind::Merge => return Ok(JoinedDimension::Merge),
        };
        let found = self.along(first, name);
        found.map_err(|e| e.of(&self.opener.name(0)))
    }

    /// Returns the dimension of the inputs with a name, or the only possible dimension.
    fn along(&self, first: &OpenedHeader, name: Option<&str>) -> Result<JoinedDimension> {
        let schema = first.reader.schema();
        refuse_tiles(schema)?;
        let search = DimensionSearch {
            opener: self.opener,
            first: &*first.reader,
            env: self.env,
        };
        match name {
            Some(name) => named_dimension(schema, name),
            None => search.run(),
        }
    }

    /// Returns the first named input as a reference for variables without the joined dimension.
    fn reference<'r>(
        &'r self,
        first: &'r OpenedHeader,
        joined: &JoinedDimension,
    ) -> Result<StaticReference<'r>> {
        let set = Dataset::new(&*first.reader, self.env);
        let schema = first.reader.schema();
        let references = CfReferences::new(schema);
        let ids = schema.var_ids();
        let facts = ids.map(|id| InputVariable::new(set, id, (joined, &references)));
        let facts = facts.collect::<Result<Vec<_>>>()?;
        let named = (&**self.opener, &*first.reader as &dyn Reader);
        let reference = StaticReference::new(named, facts, self.env);
        Ok(match joined {
            JoinedDimension::New { .. } => reference.collecting(),
            JoinedDimension::Along { .. } | JoinedDimension::Merge => reference,
        })
    }

    /// Sets the coordinate ranges of labelled inputs.
    fn add_label_ranges(&self, headers: &mut Headers) -> Result<()> {
        if !self.labels.as_ref().is_some_and(LabelSource::orders) {
            return Ok(());
        }
        let labels = headers.inputs.iter().map(|input| input.label.as_deref());
        let labels: Option<Vec<&str>> = labels.collect();
        let ranges = label_ranges(&labels.or_internal("labels of all inputs")?)?;
        for (input, range) in headers.inputs.iter_mut().zip(ranges) {
            input.span = Some(range);
        }
        Ok(())
    }

    /// Returns the runs of inputs in order.
    fn runs(&self, joined: &JoinedDimension, headers: &Headers) -> Result<OrderedRuns> {
        let values = |number: usize| {
            let opened = self.opener.open(number, self.env)?;
            let cache = ReadCache::new(self.env);
            let set = Dataset::new(&*opened.reader, self.env).with(&cache);
            let id = match self.labels {
                Some(_) => None,
                None => coordinate(set.reader.schema(), joined)?,
            };
            match id {
                Some(id) => {
                    coordinate::positions(set, id).map_err(|e| e.of(&self.opener.name(number)))
                }
                None => {
                    let range = headers.input(number)?.span.as_ref();
                    Ok(range.map(|range| range.first.clone()).into_iter().collect())
                }
            }
        };
        let ordering = InputOrdering {
            headers: &headers.inputs,
            order: match joined {
                JoinedDimension::Merge => JoinOrder::Given,
                JoinedDimension::New { .. }
                    if self.labels.as_ref().is_some_and(|l| !l.orders()) =>
                {
                    JoinOrder::Given
                }
                JoinedDimension::Along { .. } | JoinedDimension::New { .. } => self.request.order,
            },
            overlap: self.request.overlap,
            dim: joined.name(),
            option: &self.option(joined),
            name: &|number| self.opener.name(number),
            values: &values,
            notes: &self.env.notes,
        };
        match (self.request.extends, joined) {
            (true, JoinedDimension::Along { .. }) => ordering.appended(),
            (_, _) => Ok(ordering.runs()?.into()),
        }
    }

    /// Returns the paths of variables that get a new dimension.
    fn extended(
        &self,
        joined: &JoinedDimension,
        schema: &Schema,
        different: BTreeSet<String>,
    ) -> Result<BTreeSet<String>> {
        let (JoinedDimension::New { name, .. }, JoinKind::New(new)) = (joined, &self.request.kind)
        else {
            return Ok(BTreeSet::new());
        };
        let mut all = different;
        if !new.each.is_empty() {
            let ids = selection::variables(schema, &new.each);
            let ids = ids.map_err(|e| with_option("--each", &each_text(&new.each), e))?;
            all.extend(ids.into_iter().map(|id| schema.var_path(id)));
        }
        let path = format!("/{name}");
        let own = dimension::var_of(schema, &path);
        let references = CfReferences::new(schema);
        let bounds = schema
            .var_ids()
            .filter(|id| own.is_some() && references.parent(*id) == own);
        all.extend(bounds.chain(own).map(|id| schema.var_path(id)));
        Ok(all)
    }

    /// Returns the description of the whole.
    fn whole(&self, facts: JoinFacts<'_>, runs: &[InputRun]) -> Result<JoinedDataset> {
        let first = match (self.request.extends, runs.first()) {
            (true, _) | (false, None) => 0,
            (false, Some(run)) => run.input,
        };
        let reader = self.opener.open(first, self.env)?.reader;
        let mut schema = reader.schema().clone();
        let removed = facts.headers.extents.apply(&mut schema);
        self.conflicts(facts.headers, &mut schema)?;
        let described = self.described_runs(facts, runs, (&*reader, schema))?;
        self.note_changes(&described, &removed);
        Ok(described.dataset)
    }

    /// Returns the description of runs of inputs. `schema` is the schema of the first input, whose reader is given.
    fn described_runs(
        &self,
        facts: JoinFacts<'_>,
        runs: &[InputRun],
        (reader, schema): (&dyn Reader, Schema),
    ) -> Result<Described> {
        let whole = Whole {
            request: self.request,
            headers: facts.headers,
            runs,
            joined: facts.joined,
            extended: facts.extended,
            name: &|number| self.opener.name(number),
            open: &|number| Ok(self.opener.open(number, self.env)?.reader),
            env: self.env,
        };
        whole.describe(reader, schema)
    }

    /// Applies the rule for attributes with several values.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] if attributes with several values are errors.
    fn conflicts(&self, headers: &Headers, schema: &mut Schema) -> Result<()> {
        let names: Vec<&String> = headers.differences.iter().collect();
        if names.is_empty() {
            return Ok(());
        }
        let what = match self.request.conflicts {
            Conflicts::First => "attributes with several values have the value of the first input",
            Conflicts::Common => "skipped: attributes with several values",
            Conflicts::Error => "attributes with several values",
        };
        let what = format!("{what}: {}", few(&names));
        match self.request.conflicts {
            Conflicts::Error => {
                let e = Error::new(ErrorKind::Argument, what);
                return Err(e.with_remedy("--conflicts common omits them"));
            }
            Conflicts::Common => differences::remove(schema, &headers.differences),
            Conflicts::First => {}
        }
        self.remark("--join", what);
        Ok(())
    }

    /// Adds notes about the changes of the whole.
    fn note_changes(&self, described: &Described, removed: &[String]) {
        if !removed.is_empty() {
            let what = format!("skipped: attributes of single inputs: {}", few(removed));
            self.remark("--join", what);
        }
        for (path, what) in &described.notes {
            self.remark(path, what.clone());
        }
        if self.request.statics == StaticCheck::First {
            let what = "variables without the joined dimension have the values of the first input";
            self.remark("--static first", what.to_owned());
        }
    }

    fn remark(&self, object: &str, what: String) {
        self.env.notes.remark(Note {
            object: object.to_owned(),
            what,
            remedy: None,
        });
    }
}

/// Returns names as in the option.
fn each_text(names: &[Vec<u8>]) -> String {
    let names = names.iter().map(|name| String::from_utf8_lossy(name));
    names.collect::<Vec<_>>().join(",")
}
