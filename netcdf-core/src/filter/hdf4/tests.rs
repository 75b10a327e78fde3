//! Checks that libhdf4's encoded data of each coder (`testdata/hdf4/coders.txt`) decodes to libhdf4's decoded data, and that damaged data
//! is harmless.

use super::ids;
use crate::error::{ErrorKind, Result};
use crate::filter::codec::{ids as codecs, is_private};
use crate::filter::substitutes::replacement;
use crate::filter::tests::{build, context, damage};
use crate::filter::{FilterReplacement, FilterTable, names, visible};
use crate::model::{FilterSpec, Kind};

/// The coders, with the minimum number of test vectors for each.
const CODERS: [(&str, u32, usize); 5] = [
    ("rle", ids::RLE, 50),
    ("nbit", ids::NBIT, 250),
    ("skphuff", ids::SKPHUFF, 80),
    ("szip", ids::SZIP, 70),
    ("deflate", crate::filter::ids::DEFLATE, 20),
];

/// A line of the file.
struct Vector {
    id: u32,
    params: Vec<u32>,
    stored: Vec<u8>,
    plain: Vec<u8>,
}

impl Vector {
    fn of(line: &str) -> Self {
        let [coder, params, stored, plain] = *line.split(' ').collect::<Vec<_>>() else {
            panic!("{line}");
        };
        let number = |text: &str| text.parse().unwrap();
        let (_, id, _) = CODERS
            .into_iter()
            .find(|(name, ..)| *name == coder)
            .unwrap();
        Self {
            id,
            params: params
                .split(',')
                .filter(|p| *p != "-")
                .map(number)
                .collect(),
            stored: bytes(stored),
            plain: bytes(plain),
        }
    }

    fn decode(&self, stored: &[u8]) -> Result<Vec<u8>> {
        let (context, mut output) = (context(self.plain.len(), 1), vec![]);
        let filter = build(self.id, &self.params, &context)?;
        filter.decode(&context, stored, &mut output)?;
        Ok(output)
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    (0..hex.len()).step_by(2).map(digit).collect()
}

fn vectors() -> Vec<Vector> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("../testdata/hdf4/coders.txt")).unwrap();
    text.lines().map(Vector::of).collect()
}

#[test]
fn libhdf4_vectors_decode() {
    let vectors = vectors();
    for (name, id, least) in CODERS {
        let count = vectors.iter().filter(|v| v.id == id).count();
        assert!(count >= least, "{count} of {name}");
    }
    for (n, v) in vectors.iter().enumerate() {
        let found = v
            .decode(&v.stored)
            .unwrap_or_else(|e| panic!("line {}: {e}", n + 1));
        assert!(found == v.plain, "line {}: {found:02x?}", n + 1);
        let mut longer = v.stored.clone();
        longer.extend([0xA5; 9]);
        let found = v.decode(&longer).unwrap();
        assert!(found == v.plain, "line {} with bytes after it", n + 1);
    }
}

/// An older version of libhdf4 wrote szip without a header.
#[test]
fn szip_without_a_head() {
    const HEAD: u32 = 0x0001_0000;
    let mut count = 0;
    for mut v in vectors() {
        if v.id == ids::SZIP && v.stored[0] == 0 {
            v.params[0] -= HEAD;
            assert_eq!(v.decode(&v.stored[5..]).unwrap(), v.plain);
            count += 1;
        }
    }
    assert!(count > 40, "{count}");
}

#[test]
fn a_cut_stream_is_truncated() {
    for v in vectors().iter().filter(|v| v.stored.len() < 200) {
        for len in 0..v.stored.len() {
            match v.decode(&v.stored[..len]) {
                Err(e) => assert_eq!(e.kind(), ErrorKind::Truncated, "{:x} {e}", v.id),
                // The stream was longer than the data needs.
                Ok(found) => assert!(found == v.plain),
            }
        }
    }
}

#[test]
fn damage_does_no_harm() {
    let vectors = vectors();
    for (name, id, _) in CODERS {
        let of_coder = vectors.iter().filter(|v| v.id == id);
        let short: Vec<_> = of_coder.filter(|v| v.stored.len() < 150).collect();
        assert!(short.len() > 10, "{} of {name}", short.len());
        for v in short.iter().step_by(3) {
            damage(v.id, &v.params, v.plain.len(), &v.stored);
        }
    }
}

#[test]
fn bad_parameters_do_no_harm() {
    for v in vectors().iter_mut().step_by(5) {
        let params = v.params.clone();
        for n in 0..params.len() {
            for bit in 0..32 {
                v.params.clone_from(&params);
                v.params[n] ^= 1 << bit;
                let _ = v.decode(&v.stored);
            }
        }
    }
}

#[test]
fn data_of_unknown_length_is_refused() {
    for (_, id, params) in [
        ("rle", ids::RLE, &[][..]),
        ("nbit", ids::NBIT, &[24, 0, 0, 7, 8, 4]),
        ("skphuff", ids::SKPHUFF, &[4]),
        ("szip", ids::SZIP, &[32, 8, 8, 32, 8]),
    ] {
        let context = context(8, 4).of_any_length();
        let filter = build(id, params, &context).unwrap();
        let e = filter.decode(&context, &[0; 8], &mut vec![]).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Unsupported);
        let e = filter.encode(&context, &[0; 8], &mut vec![]).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Unsupported);
    }
}

/// The coders exist only in HDF4.
#[test]
fn coders_stay_in_hdf4() {
    let table = FilterTable::default();
    for (name, id, _) in CODERS.into_iter().filter(|c| is_private(c.1)) {
        assert!(id > codecs::BASE64);
        let params = vec![4];
        let spec = FilterSpec { id, params };
        assert_eq!(visible(&spec), None);
        for kind in [Kind::NETCDF4, Kind::PURE_ZARR, Kind::PURE_ZARR3] {
            assert_eq!(
                replacement(&spec, Kind::NETCDF4.storage, kind.storage),
                FilterReplacement::Drop
            );
        }
        let label = table.label(&spec);
        assert_eq!(label.name, Some(format!("hdf4_{name}")));
        assert_eq!(label.params, "");
        assert_eq!(table.codec_names(id), None);
        assert_eq!(names::number(&format!("hdf4_{name}")), None);
        let e = table.takes(&spec, &context(8, 4));
        assert!(e.is_ok(), "unsupported, which shows later");
    }
}
