//! The record of a finished part.

use netcdf_core::chunk::PutChunks;
use netcdf_core::copy::parts::segment::SegmentContent;
use netcdf_core::error::Result;
use netcdf_core::json::{Between, Json};
use netcdf_core::model::VarId;
use netcdf_core::sum::Digest;

use super::members::{RecordMembers, files_json, files_of, lacks};

/// The record of a finished part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DoneRecord {
    /// The digest of the plan.
    pub plan: Digest,
    /// Bytes and digest of the segment or of the stored keys. For a part of many files, bytes and digest of the inputs.
    pub written: SegmentContent,
    /// The chunks that the part wrote into the store.
    pub chunks: Vec<PutChunks>,
    /// The files that could not be copied, each with its error.
    pub failed: Vec<FailedFile>,
    /// The store keys that the part read: number, bytes, and a digest of sizes and times or tags.
    pub reads: Option<String>,
    /// The other files of the input that the part opened, with their states.
    pub files: Vec<(String, String)>,
    /// The seconds that the part took.
    pub seconds: String,
}

/// A file that could not be copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FailedFile {
    /// The path or URL.
    pub input: String,
    /// The error message.
    pub error: String,
}

impl DoneRecord {
    /// Returns the record as a line of JSON.
    ///
    /// # Errors
    /// Returns errors of writing JSON.
    pub(crate) fn text(&self) -> Result<String> {
        let json = Json::object([
            ("plan", Json::text(&self.plan.to_string())),
            ("bytes", Json::int(self.written.bytes)),
            ("digest", Json::text(&self.written.digest.to_string())),
            (
                "chunks",
                Json::Array(self.chunks.iter().map(chunks_json).collect()),
            ),
            (
                "failed",
                Json::Array(self.failed.iter().map(FailedFile::json).collect()),
            ),
            (
                "reads",
                self.reads.as_deref().map_or(Json::Null, Json::text),
            ),
            ("files", files_json(&self.files)),
            ("seconds", Json::Number(self.seconds.clone())),
        ]);
        Ok(format!("{}\n", json.line(Between::CommaBlank)?))
    }

    /// # Errors
    /// Returns [`ErrorKind::Corrupt`](netcdf_core::error::ErrorKind::Corrupt).
    pub(crate) fn from_json(json: &Json) -> Result<Self> {
        let of = RecordMembers(json);
        Ok(Self {
            plan: of.digest("plan")?,
            written: SegmentContent {
                bytes: of.number("bytes")?,
                digest: of.digest("digest")?,
            },
            chunks: of
                .list("chunks")?
                .iter()
                .map(chunks_of)
                .collect::<Result<_>>()?,
            failed: of
                .list("failed")?
                .iter()
                .map(FailedFile::from_json)
                .collect::<Result<_>>()?,
            reads: of.get("reads")?.as_str().map(str::to_owned),
            files: files_of(&of)?,
            seconds: of
                .get("seconds")?
                .as_number()
                .unwrap_or_default()
                .to_owned(),
        })
    }
}

impl FailedFile {
    fn json(&self) -> Json {
        Json::object([
            ("input", Json::text(&self.input)),
            ("error", Json::text(&self.error)),
        ])
    }

    fn from_json(json: &Json) -> Result<Self> {
        let of = RecordMembers(json);
        Ok(Self {
            input: of.text("input")?.to_owned(),
            error: of.text("error")?.to_owned(),
        })
    }
}

/// Returns the chunks of a variable: its number, and runs of chunk numbers.
fn chunks_json(chunks: &PutChunks) -> Json {
    let runs = chunks
        .runs
        .iter()
        .map(|(start, end)| Json::ints(&[*start, *end]));
    Json::object([
        ("variable", Json::int(chunks.var.0)),
        ("runs", Json::Array(runs.collect())),
    ])
}

fn chunks_of(json: &Json) -> Result<PutChunks> {
    let of = RecordMembers(json);
    let var = u32::try_from(of.number("variable")?).map_err(|_| lacks("variable"))?;
    let run = |json: &Json| match json.items()? {
        [start, end] => Some((start.as_u64()?, end.as_u64()?)),
        _ => None,
    };
    let runs = of
        .list("runs")?
        .iter()
        .map(|json| run(json).ok_or_else(|| lacks("runs")));
    Ok(PutChunks {
        var: VarId(var),
        runs: runs.collect::<Result<_>>()?,
    })
}
