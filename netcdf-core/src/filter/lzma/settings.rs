//! The settings of Python's module `lzma`.

use lzma_rust2::{CheckType, EncodeMode, LzmaOptions, MfType};

use super::{MEMORY, NAME};
use crate::error::Result;
use crate::filter::codec::{Config, Members, digits, pack_text, unpack_text};
use crate::filter::output::{bad, unsupported};
use crate::json::Json;

/// The container format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LzmaFormat {
    Xz,
    Alone,
    Raw,
}

/// The settings of an encoder or decoder.
#[derive(Debug)]
pub(super) struct Settings {
    pub form: LzmaFormat,
    /// Whether the decoder detects the format from the stream.
    pub any: bool,
    pub check: CheckType,
    /// Distances of the delta filters before LZMA.
    pub distances: Vec<u32>,
    /// Whether the stream is LZMA1, not LZMA2.
    pub first: bool,
    pub lzma: LzmaOptions,
    /// The name of an unsupported filter.
    pub unknown: Option<String>,
}

/// Filter numbers.
const LZMA1: i64 = 0x4000_0000_0000_0001;
const LZMA2: i64 = 0x21;
const DELTA: i64 = 3;

/// The maximum number of filters.
const FILTERS: usize = 4;

/// Converts members to parameters.
pub(super) fn params(members: &[(String, Json)]) -> Vec<u32> {
    pack_text(&Json::Object(members.to_vec()).to_bytes())
}

/// The codec members that affect the stored form.
const MEMBERS: [&str; 4] = ["format", "check", "preset", "filters"];

/// Converts codec members to stored parameters.
pub(super) fn from_codec(config: &Config<'_>) -> Result<Vec<u32>> {
    let member = |key: &&str| Some((String::from(*key), unquoted(config.get(key)?)));
    let members: Members = MEMBERS.iter().filter_map(member).collect();
    let params = params(&members);
    Settings::read(&params).map(|_| params)
}

/// Returns JSON with numbers in place of texts that contain numbers. The members are texts or numbers, but never both.
fn unquoted(json: &Json) -> Json {
    match json {
        Json::Array(items) => Json::Array(items.iter().map(unquoted).collect()),
        Json::Object(members) => {
            let member = |(key, value): &(String, Json)| (key.clone(), unquoted(value));
            Json::Object(members.iter().map(member).collect())
        }
        Json::Text(_) => digits(json).map_or_else(|| json.clone(), Json::int),
        Json::Null | Json::Bool(_) | Json::Number(_) => json.clone(),
    }
}

/// Converts stored parameters to codec members.
pub(super) fn to_codec(params: &[u32]) -> Result<Members> {
    let json = text(params)?;
    let usual = [Json::int(1), Json::int(-1), Json::Null, Json::Null];
    let member = |(key, usual): (&str, Json)| {
        let value = json.get(key).cloned().unwrap_or(usual);
        (key.to_owned(), value)
    };
    Ok(MEMBERS.into_iter().zip(usual).map(member).collect())
}

fn text(params: &[u32]) -> Result<Json> {
    let text = unpack_text(params);
    Json::parse(&text.ok_or_else(|| bad(NAME, "the parameters hold no text"))?)
}

/// Returns a whole number of the members; the default if it is missing.
fn int(json: &Json, key: &str, default: i64) -> Result<i64> {
    match json.get(key) {
        None | Some(Json::Null) => Ok(default),
        Some(value) => {
            let n = value.as_number().and_then(|text| text.parse().ok());
            n.ok_or_else(|| bad(NAME, format_args!("`{key}` is not a whole number")))
        }
    }
}

/// Returns a whole number up to `most`, or an error.
fn among(json: &Json, key: &str, default: u32, most: u32) -> Result<u32> {
    let n = int(json, key, default.into())?;
    let known = u32::try_from(n).ok().filter(|n| *n <= most);
    known.ok_or_else(|| bad(NAME, format_args!("`{key}` is {n}, at most {most}")))
}

impl Settings {
    /// Parses the settings from the parameters.
    pub(super) fn read(params: &[u32]) -> Result<Self> {
        let json = text(params)?;
        let format = int(&json, "format", 1)?;
        let mut settings = Self {
            form: match format {
                0 | 1 => LzmaFormat::Xz,
                2 => LzmaFormat::Alone,
                3 => LzmaFormat::Raw,
                _ => return Err(unsupported(NAME, format_args!("format {format}"))),
            },
            any: format == 0,
            check: check(&json)?,
            distances: vec![],
            first: false,
            lzma: preset(&json)?,
            unknown: (format == 0).then(|| "format 0".to_owned()),
        };
        match json.get("filters") {
            None | Some(Json::Null) if settings.form == LzmaFormat::Raw => {
                return Err(bad(NAME, "format 3 without `filters`"));
            }
            None | Some(Json::Null) => {}
            Some(filters) => settings.filters(filters)?,
        }
        Ok(settings)
    }

    /// Returns the options to encode `len` bytes. The dictionary is no larger than `len`, because its tables take ten times its size.
    pub(super) fn options(&self, len: usize) -> LzmaOptions {
        let most = len.checked_next_power_of_two();
        let most = most.and_then(|n| u32::try_from(n).ok());
        LzmaOptions {
            dict_size: self.lzma.dict_size.min(most.unwrap_or(MEMORY).max(4096)),
            ..self.lzma.clone()
        }
    }

    fn filters(&mut self, filters: &Json) -> Result<()> {
        let filters = filters.items().unwrap_or_default();
        let (last, before) = filters
            .split_last()
            .filter(|(_, before)| before.len() < FILTERS)
            .ok_or_else(|| bad(NAME, "`filters` is not a list of one to four"))?;
        for filter in before {
            match int(filter, "id", 0)? {
                DELTA => {
                    let distance = among(filter, "dist", 1, 256)?;
                    self.distances.push(distance.max(1));
                }
                id => self.unknown = Some(format!("filter {id}")),
            }
        }
        match int(last, "id", 0)? {
            LZMA1 => self.first = true,
            LZMA2 => self.first = false,
            id => return Err(bad(NAME, format_args!("filter {id} as the last one"))),
        }
        if (self.form == LzmaFormat::Alone) != self.first && self.form != LzmaFormat::Raw {
            return Err(bad(NAME, "the format does not have these filters"));
        }
        self.lzma = options(last)?;
        Ok(())
    }
}

fn check(json: &Json) -> Result<CheckType> {
    match int(json, "check", -1)? {
        0 => Ok(CheckType::None),
        1 => Ok(CheckType::Crc32),
        -1 | 4 => Ok(CheckType::Crc64),
        10 => Ok(CheckType::Sha256),
        other => Err(bad(NAME, format_args!("check {other}"))),
    }
}

fn preset(json: &Json) -> Result<LzmaOptions> {
    // The upper bits only request a slower search.
    let preset = int(json, "preset", 6)? & 0x1F;
    let preset = u32::try_from(preset).ok().filter(|n| *n <= 9);
    let preset = preset.ok_or_else(|| bad(NAME, "a preset above 9"))?;
    Ok(LzmaOptions::with_preset(preset))
}

fn options(filter: &Json) -> Result<LzmaOptions> {
    let usual = preset(filter)?;
    let size = int(filter, "dict_size", usual.dict_size.into())?;
    let size = u32::try_from(size).ok().filter(|n| *n <= MEMORY);
    let [lc, lp] = [
        among(filter, "lc", usual.lc, 4)?,
        among(filter, "lp", usual.lp, 4)?,
    ];
    if lc.saturating_add(lp) > 4 {
        return Err(bad(NAME, "`lc` and `lp` add up to more than 4"));
    }
    let nice = among(filter, "nice_len", usual.nice_len, u32::MAX)?;
    let depth = among(filter, "depth", 0, 1 << 16)?;
    Ok(LzmaOptions {
        dict_size: size
            .ok_or_else(|| bad(NAME, format_args!("a dictionary above {MEMORY} bytes")))?
            .max(4096),
        lc,
        lp,
        pb: among(filter, "pb", usual.pb, 4)?,
        mode: match int(filter, "mode", 0)? {
            1 => EncodeMode::Fast,
            2 => EncodeMode::Normal,
            _ => usual.mode,
        },
        nice_len: nice.clamp(LzmaOptions::NICE_LEN_MIN, LzmaOptions::NICE_LEN_MAX),
        mf: match int(filter, "mf", 0)? {
            3 | 4 => MfType::Hc4,
            0x12..=0x14 => MfType::Bt4,
            _ => usual.mf,
        },
        depth_limit: match i32::try_from(depth) {
            Ok(depth @ 1..) => depth,
            Ok(_) | Err(_) => usual.depth_limit,
        },
        preset_dict: None,
    })
}
