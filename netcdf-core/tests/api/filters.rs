//! The filters on chunks that libhdf5 stored; `testdata/filters.py` makes the chunks.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use netcdf_core::error::ErrorKind;
use netcdf_core::filter::{ChunkContext, FilterChain, FilterTable};
use netcdf_core::model::{Atomic, Endianness, FilterSpec, StoredElement};

/// A stored chunk and its data.
struct Vector {
    name: &'static str,
    filters: Vec<FilterSpec>,
    size: u64,
    stored: Vec<u8>,
    data: Vec<u8>,
}

impl Vector {
    fn context(&self, len: Option<usize>) -> ChunkContext {
        ChunkContext {
            shape: vec![self.data.len() as u64 / self.size],
            element: StoredElement {
                ty: Atomic::Byte.into(),
                size: self.size,
                order: Endianness::Little,
                plain: true,
            },
            fill: None,
            len,
            about: netcdf_core::filter::VariableFacts::default(),
        }
    }

    fn chain(&self, len: Option<usize>) -> FilterChain {
        let context = self.context(len);
        FilterTable::default()
            .chain(&self.filters, &context)
            .unwrap()
    }

    /// Whether one of the filters has this number.
    fn uses(&self, id: u32) -> bool {
        self.filters.iter().any(|f| f.id == id)
    }
}

fn vectors() -> Vec<Vector> {
    let text = include_str!("filters/vectors.txt");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split(' ').collect();
            let [name, filters, size, stored, data] = fields[..] else {
                panic!("{line}");
            };
            Vector {
                name,
                filters: filters.split('+').map(spec).collect(),
                size: size.parse().unwrap(),
                stored: hex(stored),
                data: hex(data),
            }
        })
        .collect()
}

fn spec(text: &str) -> FilterSpec {
    let (id, params) = text.split_once(':').unwrap();
    let params = params.split(',').filter(|p| !p.is_empty());
    FilterSpec {
        id: id.parse().unwrap(),
        params: params.map(|p| p.parse().unwrap()).collect(),
    }
}

fn hex(text: &str) -> Vec<u8> {
    let digit = |n| u8::from_str_radix(&text[n..n + 2], 16).unwrap();
    (0..text.len()).step_by(2).map(digit).collect()
}

#[test]
fn reads_what_libhdf5_wrote() {
    let mut scratch = Vec::new();
    let mut seen = [0; 7];
    for vector in vectors() {
        for len in [Some(vector.data.len()), None] {
            let chain = vector.chain(len);
            let data = chain.decode(0, vector.stored.clone(), &mut scratch);
            assert_eq!(data.unwrap(), vector.data, "{}", vector.name);
        }
        for filter in &vector.filters {
            seen[filter.id as usize] += 1;
        }
    }
    assert!(seen[1..].iter().all(|&n| n >= 5), "{seen:?}");
}

#[test]
fn wrong_lengths_are_errors() {
    for vector in vectors() {
        let len = vector.data.len();
        for wrong in [0, 1, len - 1, len + 1, len * 2] {
            let stored = vector.stored.clone();
            let decoded = vector.chain(Some(wrong)).decode(0, stored, &mut vec![]);
            assert!(decoded.is_err(), "{} as {wrong}", vector.name);
        }
    }
}

#[test]
fn cut_chunks_are_errors() {
    for vector in vectors() {
        let chain = vector.chain(Some(vector.data.len()));
        for len in 0..vector.stored.len() {
            let stored = vector.stored[..len].to_vec();
            match chain.decode(0, stored, &mut vec![]) {
                Err(e) => assert!(matches!(
                    e.kind(),
                    ErrorKind::Truncated | ErrorKind::Corrupt | ErrorKind::Checksum
                )),
                Ok(data) => {
                    // libhdf5 writes a byte more than the bits take, szip fills up its last block
                    let spare = vector.uses(5) || vector.uses(6) || vector.uses(4);
                    assert!(spare && len + 16 > vector.stored.len(), "{}", vector.name);
                    assert_eq!(data, vector.data, "{}", vector.name);
                }
            }
        }
    }
}

#[test]
fn damage_leads_to_errors_or_other_data() {
    for vector in vectors() {
        let known = vector.chain(Some(vector.data.len()));
        let unknown = vector.chain(None);
        let limit = vector.context(None).limit();
        let mut scratch = Vec::new();
        for bit in 0..vector.stored.len() * 8 {
            let mut stored = vector.stored.clone();
            stored[bit / 8] ^= 1 << (bit % 8);
            if let Ok(data) = known.decode(0, stored.clone(), &mut scratch) {
                assert_eq!(data.len(), vector.data.len());
            }
            if let Ok(data) = unknown.decode(0, stored, &mut scratch) {
                assert!(data.len() <= limit);
            }
        }
    }
}

#[test]
fn damaged_parameters_lead_to_errors_or_other_data() {
    for vector in vectors() {
        for (n, filter) in vector.filters.iter().enumerate() {
            for at in 0..filter.params.len() {
                for wrong in [0, 1, 3, 7, 255, 1 << 20, u32::MAX] {
                    let mut filters = vector.filters.clone();
                    filters[n].params[at] = wrong;
                    let context = vector.context(Some(vector.data.len()));
                    let chain = FilterTable::default().chain(&filters, &context).unwrap();
                    let stored = vector.stored.clone();
                    if let Ok(data) = chain.decode(0, stored, &mut vec![]) {
                        assert_eq!(data.len(), vector.data.len());
                    }
                }
            }
            let mut filters = vector.filters.clone();
            filters[n].params.pop();
            let context = vector.context(Some(vector.data.len()));
            let chain = FilterTable::default().chain(&filters, &context).unwrap();
            let _ = chain.decode(0, vector.stored.clone(), &mut vec![]);
        }
    }
}

#[test]
fn what_can_be_written_is_read_back() {
    for vector in vectors() {
        let chain = vector.chain(Some(vector.data.len()));
        let encoded = chain.encode(vector.data.clone(), &mut vec![]);
        if vector.uses(5) || vector.uses(6) {
            // An nbit that changes nothing on reading is not written either.
            assert_eq!(encoded.unwrap_err().kind(), ErrorKind::Unsupported);
            continue;
        }
        let (mask, stored) = encoded.unwrap();
        let back = chain.decode(mask, stored.clone(), &mut vec![]);
        assert_eq!(back.unwrap(), vector.data, "{}", vector.name);
        if vector.filters.iter().all(|f| f.id == 2 || f.id == 3) {
            assert_eq!((mask, stored), (0, vector.stored), "{}", vector.name);
        }
    }
}
