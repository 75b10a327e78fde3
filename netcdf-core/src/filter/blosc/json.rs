//! The Zarr codec.

use super::NAME;
use super::params::prepare;
use crate::error::{ErrorKind, Result};
use crate::filter::codec::{Config, DescriptionUse, Members, digits, whole, word};
use crate::json::Json;
use crate::model::ZarrVersion;

/// The compressors, by number.
const COMPRESSORS: [&str; 6] = ["blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"];

/// The shuffles by number, with their names in version 3.
const SHUFFLES: [&str; 3] = ["noshuffle", "shuffle", "bitshuffle"];

/// Converts the codec members to stored parameters.
pub(super) fn read(config: &Config<'_>) -> Result<Vec<u32>> {
    let name = config.text("cname")?.unwrap_or("lz4");
    let compressor = index_of(&COMPRESSORS, name);
    let compressor =
        compressor.ok_or_else(|| config.unsupported(format_args!("compressor {name}")))?;
    let level = config.int("clevel", 5)?;
    let level = u32::try_from(level).ok().filter(|n| *n <= 9).unwrap_or(9);
    let size = match config.plain {
        true => u32::try_from(config.int("typesize", 1)?).unwrap_or(0),
        false => u32::try_from(config.context.element.size).unwrap_or(0),
    };
    let size = if (1..=255).contains(&size) { size } else { 1 };
    let shuffle = shuffle(config, size)?;
    let block = config.int("blocksize", 0)?;
    let block =
        u32::try_from(block).map_err(|_| config.wrong(format_args!("blocks of {block}")))?;
    let stored = [0, 0, 0, 0, level, shuffle, compressor, block];
    let user = match block {
        0 => stored.get(..7),
        _ => stored.get(..),
    };
    // After some filters the chunk length is unknown, and the chunk size parameter has no meaning.
    let mut params = prepare(config.context, user.unwrap_or_default())?;
    if let Some(param) = params.get_mut(2) {
        *param = size;
    }
    Ok(params)
}

fn shuffle(config: &Config<'_>, size: u32) -> Result<u32> {
    let named = |json: &&Json| digits(json).is_none();
    if let Some(Json::Text(_)) = config.get("shuffle").filter(named) {
        let name = config.text("shuffle")?.unwrap_or_default();
        let known = index_of(&SHUFFLES, name);
        return known.ok_or_else(|| config.wrong(format_args!("shuffle {name}")));
    }
    match config.int("shuffle", 1)? {
        // The default shuffle depends on the type: bits for single bytes, else bytes.
        -1 if size == 1 => Ok(2),
        -1 => Ok(1),
        n => {
            let known = u32::try_from(n).ok().filter(|n| *n <= 2);
            known.ok_or_else(|| config.wrong(format_args!("shuffle {n}")))
        }
    }
}

fn index_of(names: &[&str], name: &str) -> Option<u32> {
    let index = names.iter().position(|n| *n == name)?;
    u32::try_from(index).ok()
}

/// Converts stored parameters to codec members.
pub(super) fn write(params: &[u32], shown: &DescriptionUse<'_>) -> Result<Members> {
    let pick = |n: usize, default| params.get(n).copied().unwrap_or(default);
    let (size, level, shuffle) = (pick(2, 1), pick(4, 5), pick(5, 1));
    let named = |names: &[&'static str], n: u32| {
        let name = usize::try_from(n).ok().and_then(|n| names.get(n).copied());
        name.ok_or_else(|| {
            let what = format!("{NAME}: no codec has the parameters {params:?}");
            crate::Error::new(ErrorKind::Unsupported, what)
        })
    };
    let compressor = word("cname", named(&COMPRESSORS, pick(6, 0))?);
    let (level, block) = (whole("clevel", level), whole("blocksize", pick(7, 0)));
    let named = word("shuffle", named(&SHUFFLES, shuffle)?);
    Ok(match shown.version {
        ZarrVersion::V2 => vec![level, block, compressor, whole("shuffle", shuffle)],
        ZarrVersion::V3 => vec![whole("typesize", size), compressor, level, named, block],
    })
}
