//! An encoding step from values to stored bytes.

use netcdf_core::chunk::texts::TextCodec;
use netcdf_core::env::Env;
use netcdf_core::error::Result;
use netcdf_core::filter::UsableFilter;
use netcdf_core::filter::codec::is_private;
use netcdf_core::format::zarr::raw::RawArray;
use netcdf_core::format::zarr::{Dtype, Shard};
use netcdf_core::json::Json;
use netcdf_core::model::{Endianness, FilterSpec, ZarrVersion};

use crate::table::shape;
use crate::words::{codec_name, codec_params, configured, stated_name};

/// An encoding step.
#[derive(Debug)]
pub(super) struct CodecStep {
    /// The role: `filter`, `byte order`, `texts`, `shards`.
    role: &'static str,
    /// The names in Zarr versions 2 and 3.
    names: [Option<String>; 2],
    /// The number and parameters of the HDF5 filter.
    hdf5: Option<FilterSpec>,
    /// The parameters in readable form.
    params: String,
    /// The codec in the metadata. `None` for steps that follow from the type of a version 2 array.
    json: Option<Json>,
    /// Whether the step can be decoded.
    pub state: StepState,
}

/// Whether this installation can decode a step.
#[derive(Debug)]
pub(super) enum StepState {
    /// A built-in codec.
    BuiltIn,
    /// A plugin in this file.
    Plugin(String),
    /// A missing codec, with a message.
    Missing(String),
    /// An invalid codec, with the error.
    Wrong(String),
}

impl StepState {
    /// Returns the message for a step that cannot be decoded.
    pub(super) fn message(&self) -> Option<&str> {
        match self {
            Self::BuiltIn | Self::Plugin(_) => None,
            Self::Missing(what) | Self::Wrong(what) => Some(what),
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::BuiltIn => "built in",
            Self::Plugin(_) => "plugin",
            Self::Missing(_) => "missing",
            Self::Wrong(_) => "wrong",
        }
    }
}

impl CodecStep {
    fn new(role: &'static str, names: [Option<&str>; 2], params: String) -> Self {
        Self {
            role,
            names: names.map(|name| name.map(str::to_owned)),
            hdf5: None,
            params,
            json: None,
            state: StepState::BuiltIn,
        }
    }

    /// Checks whether the codec is missing.
    pub(super) fn is_missing(&self) -> bool {
        match self.state {
            StepState::Missing(_) => true,
            StepState::BuiltIn | StepState::Plugin(_) | StepState::Wrong(_) => false,
        }
    }

    /// Returns the cells of the table, except the first one.
    pub(super) fn cells(&self) -> [String; 6] {
        let [v2, v3] = self.names.clone();
        let or = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        let state = match &self.state {
            StepState::Plugin(path) => format!("plugin {path}"),
            other => other.name().to_owned(),
        };
        [
            self.role.to_owned(),
            or(v2),
            or(v3),
            or(self.hdf5.as_ref().map(|spec| spec.id.to_string())),
            state,
            self.params.clone(),
        ]
    }

    /// Returns the JSON members of the step.
    pub(super) fn members(&self) -> Vec<(&'static str, Json)> {
        let text = |text: Option<&str>| text.map_or(Json::Null, Json::text);
        let [v2, v3] = &self.names;
        let spec = self.hdf5.as_ref();
        let params = spec.map(|spec| spec.params.iter().map(Json::int).collect());
        let file = match &self.state {
            StepState::Plugin(path) => Some(path.as_str()),
            StepState::BuiltIn | StepState::Missing(_) | StepState::Wrong(_) => None,
        };
        vec![
            ("role", Json::text(self.role)),
            ("v2", text(v2.as_deref())),
            ("v3", text(v3.as_deref())),
            ("hdf5", spec.map_or(Json::Null, |spec| Json::int(spec.id))),
            ("hdf5_params", params.map_or(Json::Null, Json::Array)),
            ("stated", self.json.clone().unwrap_or(Json::Null)),
            ("state", Json::text(self.state.name())),
            ("file", text(file)),
            ("remedy", text(self.state.message())),
        ]
    }
}

/// Returns the steps of an array in the order of writing.
pub(super) fn steps(array: &RawArray, env: &Env) -> Vec<CodecStep> {
    let mut filters = array.filters(env).into_iter();
    let mut steps = vec![];
    let described = &array.described;
    match described.version {
        ZarrVersion::V2 => {
            steps.extend(described.heap.map(|heap| of_texts(heap, array)));
            steps.extend(described.stored.order.map(of_order));
        }
        ZarrVersion::V3 => {
            let codecs = described.codecs.as_ref().and_then(Json::items);
            let mut shards = described.shards.iter();
            let mut way = CodecWalk {
                array,
                env,
                filters: &mut filters,
                steps: &mut steps,
            };
            way.follow(codecs.unwrap_or_default(), &mut shards);
        }
    }
    // The steps of version 2, and version 3 steps that the traversal did not reach.
    steps.extend(filters.map(|(json, spec)| of_filter((json, spec), env)));
    steps
}

/// A traversal of version 3 codecs.
struct CodecWalk<'w, 'a, I> {
    array: &'a RawArray,
    env: &'w Env,
    filters: &'w mut I,
    steps: &'w mut Vec<CodecStep>,
}

impl<'a, I: Iterator<Item = (&'a Json, Result<FilterSpec>)>> CodecWalk<'_, 'a, I> {
    /// Adds the steps of these codecs and of the codecs in shards, at this shard depth.
    fn follow<'s>(&mut self, codecs: &[Json], shards: &mut impl Iterator<Item = &'s Shard>) {
        for codec in codecs {
            let name = stated_name(codec);
            let mut step = match name {
                Some("bytes" | "endian") => {
                    let order = self.array.described.stored.order;
                    order.map_or_else(|| of_bytes(""), of_order)
                }
                Some("vlen-utf8" | "vlen-bytes") => match self.array.described.heap {
                    Some(heap) => of_texts(heap, self.array),
                    None => CodecStep::new("texts", [name, name], String::new()),
                },
                Some("sharding_indexed") => {
                    let Some(shard) = shards.next() else { return };
                    self.steps.push(of_shard(shard, codec, self.array));
                    let inner = configured(codec, "codecs").and_then(Json::items);
                    let inner = inner.unwrap_or_default();
                    return self.follow(inner, shards);
                }
                Some(_) | None => match self.filters.next() {
                    Some(filter) => of_filter(filter, self.env),
                    None => return,
                },
            };
            step.json = Some(codec.clone());
            self.steps.push(step);
        }
    }
}

fn of_filter((json, spec): (&Json, Result<FilterSpec>), env: &Env) -> CodecStep {
    let stated = codec_name(json);
    let mut step = CodecStep::new("filter", [None, None], String::new());
    match spec {
        Ok(spec) => {
            let label = env.filters.label(&spec);
            let names = env.filters.codec_names(spec.id);
            let known = names.map(|(v2, v3)| [Some(v2), Some(v3)]);
            let known = known.unwrap_or_else(|| [label.name.as_deref().or(stated); 2]);
            step.names = known.map(|name| name.filter(|n| !n.is_empty()).map(str::to_owned));
            step.params = codec_params(json);
            step.state = match env.filters.entry(spec.id) {
                Ok(UsableFilter::BuiltIn(_)) => StepState::BuiltIn,
                Ok(UsableFilter::Plugin(plugin)) => {
                    StepState::Plugin(plugin.path.display().to_string())
                }
                Err(_) => StepState::Missing(message(&spec, env)),
            };
            step.hdf5 = Some(spec).filter(|spec| !is_private(spec.id));
        }
        Err(e) => {
            step.names = [stated, stated].map(|name| name.map(str::to_owned));
            step.params = String::from_utf8_lossy(&json.to_bytes()).into_owned();
            step.state = StepState::Wrong(e.to_string());
        }
    }
    step.json = Some(json.clone());
    step
}

/// Returns the message about a missing filter, with an installation hint.
fn message(spec: &FilterSpec, env: &Env) -> String {
    let found = env.filters.check(std::slice::from_ref(spec), 0);
    found.err().map(|e| e.to_string()).unwrap_or_default()
}

fn of_order(order: Endianness) -> CodecStep {
    of_bytes(match order {
        Endianness::Little => "little",
        Endianness::Big => "big",
    })
}

fn of_bytes(order: &str) -> CodecStep {
    CodecStep::new("byte order", [None, Some("bytes")], order.to_owned())
}

fn of_texts(heap: TextCodec, array: &RawArray) -> CodecStep {
    let bytes = array.described.stored.dtype == Dtype::Blob;
    let lengths = Some(if bytes { "vlen-bytes" } else { "vlen-utf8" });
    let (names, what) = match heap {
        TextCodec::Lengths => ([lengths; 2], "number, then length and bytes of each"),
        TextCodec::Json => ([Some("json2"), None], "a list in JSON"),
    };
    CodecStep::new("texts", names, what.to_owned())
}

/// Returns the step of a shard. The codecs of the chunks are separate steps.
fn of_shard(shard: &Shard, codec: &Json, array: &RawArray) -> CodecStep {
    let place = if shard.index_first { "first" } else { "last" };
    let sum = if shard.checksum { " with crc32c" } else { "" };
    let inner = configured(codec, "chunk_shape").and_then(Json::items);
    let inner = inner.map(|items| items.iter().filter_map(Json::as_u64).collect());
    let inner: Vec<u64> = inner.unwrap_or_else(|| array.described.chunk.clone());
    let params = format!(
        "{} in {}, index {place}{sum}",
        shape(&inner),
        shape(&shard.shape)
    );
    let mut step = CodecStep::new("shards", [None, Some("sharding_indexed")], params);
    step.json = Some(codec.clone());
    step
}
