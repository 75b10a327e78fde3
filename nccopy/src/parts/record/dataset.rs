//! What the parts of one dataset share.

use std::path::PathBuf;

use netcdf_core::chunk::rechunk::StageChunks;
use netcdf_core::chunk::view::IndexRun;
use netcdf_core::copy::parts::Through;
use netcdf_core::error::Result;
use netcdf_core::json::Json;
use netcdf_core::sum::Digest;
use netcdf_grammar::hyperslab::SelectedIndices;

use super::members::{RecordMembers, files_json, files_of, lacks, utf8};

/// What the parts of one dataset share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DatasetRecord {
    /// The input.
    pub input: InputRecord,
    /// The indices of `--select`.
    pub selected: Vec<SelectedIndices>,
    /// The store that the parts write together; without one, parts write segments.
    pub store: Option<StorePlace>,
    /// The digest of the output's schema and storage.
    pub schema: Digest,
    /// The number of parts of the first stage, which come first; 0 if there is one stage.
    pub first_stage: u64,
    /// What the copy is going to take, by typical figures.
    pub estimate: Json,
    /// The variables whose data is copied, in their order.
    pub variables: Vec<VariableRecord>,
}

/// The place of a store that the parts write together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StorePlace {
    /// A directory, until it gets the output's name.
    Directory(PathBuf),
    /// That of the output, on another machine. A claim with this tag keeps others away.
    Claimed(String),
}

/// An input as it was when the plan was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InputRecord {
    /// Its path or URL.
    pub path: String,
    /// Its size, and the time of its last change or its tag.
    pub state: Option<String>,
    /// The digest of its metadata.
    pub metadata: Digest,
    /// The other files that have its data, with their states.
    pub files: Vec<(String, String)>,
}

/// A variable whose data is copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct VariableRecord {
    /// Its path in the input.
    pub path: String,
    /// Bytes of its elements in the output, before filters.
    pub bytes: u64,
    /// Whether it is copied when the parts are joined.
    pub at_finish: bool,
    /// Whether elements that are not stored read the same in the input and the output.
    pub same_fill: bool,
    /// How it is stored between the stages, if it is.
    pub between: Option<StageChunks>,
}

impl DatasetRecord {
    /// As members of a plan.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`](netcdf_core::error::ErrorKind::Argument) for a path that is not UTF-8.
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
    /// [`ErrorKind::Corrupt`](netcdf_core::error::ErrorKind::Corrupt).
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

    /// The variables that go through a store between two stages.
    pub(crate) fn through(&self) -> Option<Through> {
        let between = self.variables.iter().map(|var| var.between.clone());
        Through::new(between.collect())
    }
}

impl StorePlace {
    /// The place that a plan names, if it does.
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

/// `[start, count, stride]` for each run.
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
