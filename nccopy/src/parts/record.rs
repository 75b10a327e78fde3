//! What is stored about a plan and its parts, as JSON (docs/machines.md).

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use netcdf_core::chunk::PutChunks;
use netcdf_core::copy::parts::segment::Written;
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::json::{Between, Json};
use netcdf_core::model::VarId;
use netcdf_core::sum::Digest;

/// The version of `plan.json`.
const VERSION: u64 = 1;
/// The program that made a plan. Parts are made by the same version, as others may encode chunks in another way.
pub const PROGRAM: &str = concat!("netcdf-tools ", env!("CARGO_PKG_VERSION"));

/// What all parts share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanRecord {
    /// The directory in which the plan was made: relative paths start there.
    pub directory: PathBuf,
    /// The command line, without the name of the program.
    pub arguments: Vec<OsString>,
    /// The input.
    pub input: InputRecord,
    /// The path or URL of the output.
    pub output: String,
    /// The store that the parts write together, until it gets the output's name; without one, parts write segments.
    pub store: Option<PathBuf>,
    /// The digest of the output's schema and storage.
    pub schema: Digest,
    /// How many parts there are.
    pub parts: u64,
    /// Bytes of all elements that parts copy.
    pub bytes: u64,
    /// The variables whose data is copied, in their order.
    pub variables: Vec<VariableRecord>,
}

/// An input as it was when the plan was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputRecord {
    /// Its path or URL.
    pub path: String,
    /// Its size, and the time of its last change or its tag.
    pub state: Option<String>,
    /// The digest of its metadata.
    pub metadata: Digest,
}

/// A variable whose data is copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableRecord {
    /// Its path in the input.
    pub path: String,
    /// Bytes of its elements in the output, before filters.
    pub bytes: u64,
    /// Whether it is copied when the parts are joined.
    pub at_finish: bool,
    /// Whether elements that are not stored read the same in the input and the output.
    pub same_fill: bool,
}

/// What a finished part says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoneRecord {
    /// The digest of the plan.
    pub plan: Digest,
    /// The segment, or what was put into the store.
    pub written: Written,
    /// The chunks that were put into the store.
    pub chunks: Vec<PutChunks>,
    /// How long it took.
    pub seconds: String,
}

impl PlanRecord {
    /// As JSON: a line for each member, and for each item of the lists.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] for arguments that are not UTF-8.
    pub fn text(&self) -> Result<String> {
        let arguments = self
            .arguments
            .iter()
            .map(|a| Ok(Json::text(utf8(a.to_str())?)));
        let variables = self.variables.iter().map(VariableRecord::json);
        lines(&[
            ("plan", Json::int(VERSION)),
            ("program", Json::text(PROGRAM)),
            ("directory", Json::text(utf8(self.directory.to_str())?)),
            ("arguments", Json::Array(arguments.collect::<Result<_>>()?)),
            ("input", self.input.json()),
            ("output", Json::text(&self.output)),
            ("store", self.store()?),
            ("schema", Json::text(&self.schema.to_string())),
            ("parts", Json::int(self.parts)),
            ("bytes", Json::int(self.bytes)),
            ("variables", Json::Array(variables.collect())),
        ])
    }

    fn store(&self) -> Result<Json> {
        match &self.store {
            Some(path) => Ok(Json::text(utf8(path.to_str())?)),
            None => Ok(Json::Null),
        }
    }

    /// # Errors
    /// [`ErrorKind::Unsupported`] for a plan of another version; [`ErrorKind::Corrupt`].
    pub fn from_json(json: &Json) -> Result<Self> {
        let of = Members(json);
        let (version, program) = (of.number("plan")?, of.text("program")?);
        if version != VERSION || program != PROGRAM {
            let what = format!(
                "a plan of {program}, version {version}; this is {PROGRAM}, version {VERSION}"
            );
            let e = Error::new(ErrorKind::Unsupported, what);
            return Err(e.with_remedy(
                "make all parts with the program that made the plan, or make the plan again",
            ));
        }
        let arguments = of.list("arguments")?.iter().map(|one| match one.as_str() {
            Some(text) => Ok(text.into()),
            None => Err(lacks("arguments")),
        });
        let variables = of.list("variables")?.iter().map(VariableRecord::from_json);
        let input = of.get("input")?;
        Ok(Self {
            directory: of.text("directory")?.into(),
            arguments: arguments.collect::<Result<_>>()?,
            input: InputRecord::from_json(input)?,
            output: of.text("output")?.to_owned(),
            store: of.get("store")?.as_str().map(PathBuf::from),
            schema: of.digest("schema")?,
            parts: of.number("parts")?,
            bytes: of.number("bytes")?,
            variables: variables.collect::<Result<_>>()?,
        })
    }

    /// A path of the command line, wherever this process is.
    pub fn located(&self, path: &Path) -> PathBuf {
        match path.to_string_lossy().contains("://") {
            true => path.to_owned(),
            false => self.directory.join(path),
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
        ])
    }

    fn from_json(json: &Json) -> Result<Self> {
        let of = Members(json);
        Ok(Self {
            path: of.text("path")?.to_owned(),
            state: of.get("state")?.as_str().map(str::to_owned),
            metadata: of.digest("metadata")?,
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
        ])
    }

    fn from_json(json: &Json) -> Result<Self> {
        let of = Members(json);
        Ok(Self {
            path: of.text("path")?.to_owned(),
            bytes: of.number("bytes")?,
            at_finish: of.truth("at_finish")?,
            same_fill: of.truth("same_fill")?,
        })
    }
}

impl DoneRecord {
    /// As a line of JSON.
    ///
    /// # Errors
    /// Those of writing JSON.
    pub fn text(&self) -> Result<String> {
        let json = Json::object([
            ("plan", Json::text(&self.plan.to_string())),
            ("bytes", Json::int(self.written.bytes)),
            ("digest", Json::text(&self.written.digest.to_string())),
            (
                "chunks",
                Json::Array(self.chunks.iter().map(chunks_json).collect()),
            ),
            ("seconds", Json::Number(self.seconds.clone())),
        ]);
        Ok(format!("{}\n", json.line(Between::CommaBlank)?))
    }

    /// # Errors
    /// [`ErrorKind::Corrupt`].
    pub fn from_json(json: &Json) -> Result<Self> {
        let of = Members(json);
        Ok(Self {
            plan: of.digest("plan")?,
            written: Written {
                bytes: of.number("bytes")?,
                digest: of.digest("digest")?,
            },
            chunks: of
                .list("chunks")?
                .iter()
                .map(chunks_of)
                .collect::<Result<_>>()?,
            seconds: of
                .get("seconds")?
                .as_number()
                .unwrap_or_default()
                .to_owned(),
        })
    }
}

/// The chunks of a variable: its number, and the runs of their numbers.
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
    let of = Members(json);
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

/// The members of an object.
struct Members<'a>(&'a Json);

impl<'a> Members<'a> {
    fn get(&self, name: &str) -> Result<&'a Json> {
        self.0.get(name).ok_or_else(|| lacks(name))
    }

    fn text(&self, name: &str) -> Result<&'a str> {
        self.get(name)?.as_str().ok_or_else(|| lacks(name))
    }

    fn number(&self, name: &str) -> Result<u64> {
        self.get(name)?.as_u64().ok_or_else(|| lacks(name))
    }

    fn list(&self, name: &str) -> Result<&'a [Json]> {
        self.get(name)?.items().ok_or_else(|| lacks(name))
    }

    fn digest(&self, name: &str) -> Result<Digest> {
        Digest::parse(self.text(name)?.as_bytes()).ok_or_else(|| lacks(name))
    }

    fn truth(&self, name: &str) -> Result<bool> {
        match self.get(name)? {
            Json::Bool(value) => Ok(*value),
            Json::Null | Json::Number(_) | Json::Text(_) | Json::Array(_) | Json::Object(_) => {
                Err(lacks(name))
            }
        }
    }
}

fn lacks(name: &str) -> Error {
    let what = format!("expected a member `{name}`, as nccopy writes it");
    Error::new(ErrorKind::Corrupt, what)
}

fn utf8(text: Option<&str>) -> Result<&str> {
    let what = "--plan: paths and options must be UTF-8";
    text.ok_or_else(|| Error::new(ErrorKind::Argument, what))
}

/// An object with a line for each member, and for each item of the lists.
fn lines(members: &[(&str, Json)]) -> Result<String> {
    let mut text = String::from("{");
    for (n, (name, value)) in members.iter().enumerate() {
        text.push_str(if n > 0 { ",\n" } else { "\n" });
        let _ = write!(text, "  \"{name}\": ");
        match value.items() {
            Some(items) if !items.is_empty() => {
                let items = items.iter().map(|item| item.line(Between::CommaBlank));
                let items = items.collect::<Result<Vec<_>>>()?;
                let _ = write!(text, "[\n    {}\n  ]", items.join(",\n    "));
            }
            Some(_) | None => text.push_str(&value.line(Between::CommaBlank)?),
        }
    }
    text.push_str("\n}\n");
    Ok(text)
}
