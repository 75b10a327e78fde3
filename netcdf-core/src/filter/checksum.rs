//! numcodecs' checksum codecs: the unchanged bytes, with a checksum before or after them.
//!
//! | | |
//! |---|---|
//! | HDF5 number | none |
//! | Names | `crc32`, `crc32c`, `adler32`, `jenkins_lookup3`. The first three have a location. `crc32c` is also a codec of Zarr 3 |
//! | Parameters | of the first three: checksum location, 0 before the data (default of `crc32` and `adler32`) or 1 after it (default of `crc32c`). Of `jenkins_lookup3`: the initial value (0) |
//! | Stored form | the data and 4 checksum bytes, little-endian; `jenkins_lookup3` always appends the checksum |
//! | Specification | IEEE 802.3 (CRC-32), RFC 3720 (CRC-32C), RFC 1950 (Adler-32), Bob Jenkins' lookup3; Zarr 3, "CRC32C codec" |
//! | Also read by | numcodecs and software built on it |

use super::codec::{CodecStage, Config, DescriptionUse, Members, ids, whole, word};
use super::ids::FLETCHER32;
use super::output::allocate;
use super::user_params::wrong;
use super::{ChunkContext, CodecNames, Encoded, Filter, FilterEntry, FilterReplacement, Policy};
use crate::bytes::sums::lookup3_from;
use crate::error::{Error, ErrorKind, Result};

/// HDF5 has a different checksum filter.
const POLICY: Policy = Policy {
    in_hdf5: |_| FilterReplacement::substitute(FLETCHER32, &[]),
    ..Policy::PLAIN
};

/// The table entry of CRC-32.
pub(crate) const CRC32: FilterEntry = FilterEntry {
    id: ids::CRC32,
    name: "crc32",
    codec: Some(CodecNames {
        name: "crc32",
        v3: "numcodecs.crc32",
        stage: CodecStage::Bytes,
        read: |config| read_location(config, START),
        write: |params, _| Ok(location_member(params, START)),
    }),
    policy: POLICY,
    named: &[],
    prepare: |_, user| parameter("crc32", user, START),
    build: |params, _| Ok(Checksum::build("crc32", crc32, params, START)),
};

/// The table entry of CRC-32C.
pub(crate) const CRC32C: FilterEntry = FilterEntry {
    id: ids::CRC32C,
    name: "crc32c",
    codec: Some(CodecNames {
        name: "crc32c",
        v3: "crc32c",
        stage: CodecStage::Bytes,
        read: |config| read_location(config, END),
        write: crc32c_members,
    }),
    policy: POLICY,
    named: &[],
    prepare: |_, user| parameter("crc32c", user, END),
    build: |params, _| Ok(Checksum::build("crc32c", crc32c::crc32c, params, END)),
};

/// The table entry of Adler-32.
pub(crate) const ADLER32: FilterEntry = FilterEntry {
    id: ids::ADLER32,
    name: "adler32",
    codec: Some(CodecNames {
        name: "adler32",
        v3: "numcodecs.adler32",
        stage: CodecStage::Bytes,
        read: |config| read_location(config, START),
        write: |params, _| Ok(location_member(params, START)),
    }),
    policy: POLICY,
    named: &[],
    prepare: |_, user| parameter("adler32", user, START),
    build: |params, _| {
        let sum = |data: &[u8]| simd_adler32::adler32(&data);
        Ok(Checksum::build("adler32", sum, params, START))
    },
};

/// The table entry of lookup3.
pub(crate) const JENKINS_LOOKUP3: FilterEntry = FilterEntry {
    id: ids::JENKINS_LOOKUP3,
    name: JENKINS,
    codec: Some(CodecNames {
        name: JENKINS,
        v3: "numcodecs.jenkins_lookup3",
        stage: CodecStage::Bytes,
        read: initial,
        write: |params, _| {
            let initial = params.first().copied().unwrap_or(0);
            let none = ("prefix".to_owned(), crate::json::Json::Null);
            Ok(vec![whole("initval", initial), none])
        },
    }),
    policy: POLICY,
    named: &[],
    prepare: |_, user| match user {
        [] => Ok(vec![0]),
        [initial] => Ok(vec![*initial]),
        _ => Err(wrong(JENKINS, "one initial value", user)),
    },
    build: |params, _| {
        let initial = params.first().copied().unwrap_or(0);
        let sum = move |data: &[u8]| lookup3_from(initial, data);
        Ok(Checksum::build(JENKINS, sum, &[], END))
    },
};

const JENKINS: &str = "jenkins_lookup3";

/// The checksum comes before the data.
const START: u32 = 0;
const END: u32 = 1;

/// Bytes of a checksum.
const SIZE: usize = 4;

struct Checksum<S> {
    name: &'static str,
    sum: S,
    first: bool,
}

impl<S: Fn(&[u8]) -> u32 + Send + Sync + 'static> Checksum<S> {
    fn build(name: &'static str, sum: S, params: &[u32], default: u32) -> Box<dyn Filter> {
        let location = params.first().copied().unwrap_or(default);
        let first = location == START;
        Box::new(Self { name, sum, first })
    }
}

impl<S: Fn(&[u8]) -> u32 + Send + Sync> Filter for Checksum<S> {
    fn output(&self, context: &ChunkContext) -> ChunkContext {
        ChunkContext {
            len: context.len.and_then(|len| len.checked_add(SIZE)),
            ..context.clone()
        }
    }

    fn decode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        let name = self.name;
        let parts = match self.first {
            true => input.split_first_chunk::<SIZE>(),
            false => input.split_last_chunk().map(|(data, sum)| (sum, data)),
        };
        let Some((stored, data)) = parts else {
            let what = format!("{name}: {} bytes are too few for a checksum", input.len());
            return Err(Error::new(ErrorKind::Truncated, what));
        };
        let (found, stored) = ((self.sum)(data), u32::from_le_bytes(*stored));
        if found != stored && !cfg!(fuzzing) {
            let what = format!("{name}: checksum {found:08x}, stored is {stored:08x}");
            return Err(Error::new(ErrorKind::Checksum, what));
        }
        let len = context.checked_len(data.len() as u64, name)?;
        allocate(name, output, len)?;
        output.extend_from_slice(data);
        Ok(())
    }

    fn encode(&self, _: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<Encoded> {
        allocate(self.name, output, input.len().saturating_add(SIZE))?;
        let sum = (self.sum)(input).to_le_bytes();
        let (before, behind) = match self.first {
            true => (&sum[..], &[][..]),
            false => (&[][..], &sum[..]),
        };
        output.extend_from_slice(before);
        output.extend_from_slice(input);
        output.extend_from_slice(behind);
        Ok(Encoded::Applied)
    }
}

fn crc32(data: &[u8]) -> u32 {
    let mut crc = libdeflater::Crc::new();
    crc.update(data);
    crc.sum()
}

fn parameter(name: &str, user: &[u32], default: u32) -> Result<Vec<u32>> {
    match user {
        [] => Ok(vec![default]),
        [START | END] => Ok(user.to_vec()),
        _ => Err(wrong(name, "0 (before the data) or 1 (after it)", user)),
    }
}

/// Reads the checksum location from the codec's JSON.
fn read_location(config: &Config<'_>, default: u32) -> Result<Vec<u32>> {
    match config.text("location")? {
        None => Ok(vec![default]),
        Some("start") => Ok(vec![START]),
        Some("end") => Ok(vec![END]),
        Some(other) => Err(config.wrong(format_args!("location {other}"))),
    }
}

/// Returns the JSON member for a checksum location other than the default.
fn location_member(params: &[u32], default: u32) -> Members {
    match params.first() {
        Some(&START) if default != START => vec![word("location", "start")],
        Some(&END) if default != END => vec![word("location", "end")],
        _ => vec![],
    }
}

/// Zarr 3 only allows the checksum after the data.
fn crc32c_members(params: &[u32], shown: &DescriptionUse<'_>) -> Result<Members> {
    let members = location_member(params, END);
    match shown.version {
        crate::model::ZarrVersion::V3 if !members.is_empty() => {
            let what = "crc32c: Zarr 3 has no checksum before the data";
            Err(Error::new(ErrorKind::Unsupported, what))
        }
        crate::model::ZarrVersion::V2 | crate::model::ZarrVersion::V3 => Ok(members),
    }
}

fn initial(config: &Config<'_>) -> Result<Vec<u32>> {
    if config.get("prefix").is_some() {
        return Err(config.unsupported("a prefix"));
    }
    let initial = config.int("initval", 0)?;
    let fits = u32::try_from(initial);
    let fits = fits.map_err(|_| config.wrong(format_args!("initial value {initial}")));
    Ok(vec![fits?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::tests::{build, context, damage, decode};

    /// numcodecs 0.16's encoding of the bytes 0 to 12.
    const VECTORS: [(u32, &[u32], &str); 8] = [
        (ids::CRC32, &[0], "b846fee6000102030405060708090a0b0c"),
        (ids::CRC32, &[1], "000102030405060708090a0b0cb846fee6"),
        (ids::CRC32C, &[1], "000102030405060708090a0b0cda459ac6"),
        (ids::CRC32C, &[0], "da459ac6000102030405060708090a0b0c"),
        (ids::ADLER32, &[0], "4f007901000102030405060708090a0b0c"),
        (ids::ADLER32, &[1], "000102030405060708090a0b0c4f007901"),
        (
            ids::JENKINS_LOOKUP3,
            &[0],
            "000102030405060708090a0b0c16689dbc",
        ),
        (
            ids::JENKINS_LOOKUP3,
            &[5],
            "000102030405060708090a0b0c96e1bad2",
        ),
    ];

    fn bytes(hex: &str) -> Vec<u8> {
        let digits: Vec<char> = hex.chars().collect();
        let pairs = digits.chunks(2).map(|pair| pair.iter().collect::<String>());
        pairs
            .map(|pair| u8::from_str_radix(&pair, 16).unwrap())
            .collect()
    }

    #[test]
    fn matches_numcodecs() {
        let data: Vec<u8> = (0..13).collect();
        for (id, params, stored) in VECTORS {
            let stored = bytes(stored);
            assert_eq!(decode(id, params, 13, &stored).unwrap(), data, "{id:x}");
            let (context, mut made) = (context(13, 1), vec![]);
            let filter = build(id, params, &context).unwrap();
            filter.encode(&context, &data, &mut made).unwrap();
            assert_eq!(made, stored);
            assert_eq!(filter.output(&context).len, Some(17));
            damage(id, params, 13, &stored);
        }
    }

    #[test]
    fn changed_data_is_detected() {
        for id in [ids::CRC32, ids::CRC32C, ids::ADLER32, ids::JENKINS_LOOKUP3] {
            let (context, mut made) = (context(50, 1), vec![]);
            let filter = build(id, &[0], &context).unwrap();
            filter.encode(&context, &[7; 50], &mut made).unwrap();
            for n in 0..made.len() {
                made[n] ^= 4;
                let e = decode(id, &[0], 50, &made).unwrap_err();
                assert_eq!(e.kind(), ErrorKind::Checksum);
                made[n] ^= 4;
            }
            let e = decode(id, &[0], 50, &made[..3]).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Truncated);
        }
    }
}
