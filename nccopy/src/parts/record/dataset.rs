//! The plan record of one dataset.

use std::path::PathBuf;

use netcdf_core::chunk::rechunk::StageChunks;
use netcdf_core::chunk::view::IndexRun;
use netcdf_core::copy::parts::IntermediatePlan;
use netcdf_core::error::Result;
use netcdf_core::json::Json;
use netcdf_core::sum::Digest;
use netcdf_grammar::hyperslab::SelectedIndices;

use super::members::{RecordMembers, files_json, files_of, lacks, utf8};

/// The data that the parts of one dataset share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DatasetRecord {
    /// The input.
    pub input: InputRecord,
    /// The indices of `--select`.
    pub selected: Vec<SelectedIndices>,
    /// The store that the parts write concurrently. Without one, parts write segments.
    pub store: Option<StorePlace>,
    /// The digest of the output's schema and storage.
    pub schema: Digest,
    /// The number of parts of the first stage, which precede the other parts; 0 for one stage.
    pub first_stage: u64,
    /// The estimated costs of the copy.
    pub estimate: Json,
    /// The copied variables in order.
    pub variables: Vec<VariableRecord>,
}

/// The location of a store that the parts write concurrently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StorePlace {
    /// A directory, which is renamed to the output at the end.
    Directory(PathBuf),
    /// The remote output. A claim with this tag locks out other runs.
    Claimed(String),
}

/// An input with its state when the plan was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InputRecord {
    /// The path or URL.
    pub path: String,
    /// The size, and the modification time or the tag.
    pub state: Option<String>,
    /// The digest of the metadata.
    pub metadata: Digest,
    /// The other files that contain its data, with their states.
    pub files: Vec<(String, String)>,
}

/// A copied variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct VariableRecord {
    /// The path in the input.
    pub path: String,
    /// The element bytes in the output, before filters.
    pub bytes: u64,
    /// Whether `--finish` copies it.
    pub at_finish: bool,
    /// Whether unwritten elements read the same in input and output.
    pub same_fill: bool,
    /// The chunks in the intermediate store.
    pub between: Option<StageChunks>,
}

impl DatasetRecord {
    /// Returns the members of a plan.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`](netcdf_core::error::ErrorKind::Argument) for a path that is not UTF-8.
    pub(crate) fn members(&self) -> Result<Vec<(&'static str, Json)>> {
        let (store, claim) = match &self.store {
            Some(StorePlace::Directory(path)) => (Json::text(utf8(path.to_str())?), Json::Null),
            Some(StorePlace::Claimed(tag)) => (Json::Null, Json::text(tag)),
            None => (Json::Null, Json::Null),
        };
        let variables = self.variables.iter().map(VariableRecord::json);
        Ok(vec![
            ("input", self.input.json()),
            (
                "select",
                Json::Array(self.selected.iter().map(indices_json).collect()),
            ),
            ("store", store),
            ("claim", claim),
            ("schema", Json::text(&self.schema.to_string())),
            ("first_stage", Json::int(self.first_stage)),
            ("estimate", self.estimate.clone()),
            ("variables", Json::Array(variables.collect())),
        ])
    }

    /// # Errors
    /// Returns [`ErrorKind::Corrupt`](netcdf_core::error::ErrorKind::Corrupt).
    pub(crate) fn from_json(json: &Json) -> Result<Self> {
        let of = RecordMembers(json);
        let selected = of.list("select")?.iter().map(indices_of);
        let variables = of.list("variables")?.iter().map(VariableRecord::from_json);
        Ok(Self {
            input: InputRecord::from_json(of.get("input")?)?,
            selected: selected.collect::<Result<_>>()?,
            store: StorePlace::from_json(json)?,
            schema: of.digest("schema")?,
            first_stage: of.number("first_stage")?,
            estimate: of.get("estimate")?.clone(),
            variables: variables.collect::<Result<_>>()?,
        })
    }

    /// Returns the variables that use the intermediate store.
    pub(crate) fn through(&self) -> Option<IntermediatePlan> {
        let between = self.variables.iter().map(|var| var.between.clone());
        IntermediatePlan::new(between.collect())
    }
}

impl StorePlace {
    /// Returns the store location in a plan, if there is one.
    fn from_json(json: &Json) -> Result<Option<Self>> {
        let path = RecordMembers(json).get("store")?.as_str();
        let claim = json.get("claim").and_then(Json::as_str);
        match (path, claim) {
            (None, None) => Ok(None),
            (Some(path), None) => Ok(Some(Self::Directory(path.into()))),
            (None, Some(tag)) => Ok(Some(Self::Claimed(tag.to_owned()))),
            (Some(_), Some(_)) => Err(lacks("claim")),
        }
    }
}

impl InputRecord {
    fn json(&self) -> Json {
        Json::object([
            ("path", Json::text(&self.path)),
            (
                "state",
                self.state.as_deref().map_or(Json::Null, Json::text),
            ),
            ("metadata", Json::text(&self.metadata.to_string())),
            ("files", files_json(&self.files)),
        ])
    }

    fn from_json(json: &Json) -> Result<Self> {
        let of = RecordMembers(json);
        Ok(Self {
            path: of.text("path")?.to_owned(),
            state: of.get("state")?.as_str().map(str::to_owned),
            metadata: of.digest("metadata")?,
            files: files_of(&of)?,
        })
    }
}

impl VariableRecord {
    fn json(&self) -> Json {
        Json::object([
            ("path", Json::text(&self.path)),
            ("bytes", Json::int(self.bytes)),
            ("at_finish", Json::Bool(self.at_finish)),
            ("same_fill", Json::Bool(self.same_fill)),
            (
                "between",
                self.between.as_ref().map_or(Json::Null, between_json),
            ),
        ])
    }

    fn from_json(json: &Json) -> Result<Self> {
        let of = RecordMembers(json);
        Ok(Self {
            path: of.text("path")?.to_owned(),
            bytes: of.number("bytes")?,
            at_finish: of.truth("at_finish")?,
            same_fill: of.truth("same_fill")?,
            between: match of.get("between")? {
                Json::Null => None,
                json => Some(between_of(json)?),
            },
        })
    }
}

/// Returns `[start, count, stride]` for each run.
fn indices_json(indices: &SelectedIndices) -> Json {
    let run = |run: &IndexRun| Json::ints(&[run.start, run.count, run.stride]);
    Json::object([
        ("dimension", Json::text(&indices.dim)),
        ("runs", Json::Array(indices.runs.iter().map(run).collect())),
    ])
}

fn indices_of(json: &Json) -> Result<SelectedIndices> {
    let of = RecordMembers(json);
    let run = |json: &Json| {
        let mut numbers = json.items()?.iter().map(Json::as_u64);
        Some(IndexRun {
            start: numbers.next()??,
            count: numbers.next()??,
            stride: numbers.next()??,
        })
    };
    let runs: Option<Vec<IndexRun>> = of.list("runs")?.iter().map(run).collect();
    Ok(SelectedIndices {
        dim: of.text("dimension")?.to_owned(),
        runs: runs.ok_or_else(|| lacks("runs"))?,
    })
}

fn between_json(between: &StageChunks) -> Json {
    Json::object([
        ("chunk", Json::ints(&between.chunk)),
        ("shard", Json::ints(&between.shard)),
    ])
}

fn between_of(json: &Json) -> Result<StageChunks> {
    let of = RecordMembers(json);
    let shape = |name| {
        let lengths = of.list(name)?.iter().map(Json::as_u64);
        let lengths: Option<Vec<u64>> = lengths.collect();
        lengths.ok_or_else(|| lacks(name))
    };
    Ok(StageChunks {
        chunk: shape("chunk")?,
        shard: shape("shard")?,
    })
}
