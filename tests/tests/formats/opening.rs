//! Opening a dataset reads metadata only.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use netcdf_core::chunk::Dataset;
use netcdf_core::env::Env;
use netcdf_core::io::{Container, Source};
use netcdf_core::model::{Region, Values, VarId};
use netcdf_core::{Result, format};
use netcdf_tools_tests::builder::Classic;
use netcdf_tools_tests::harness::Sandbox;

/// A file, or a file header followed by unreadable zeros. Records the bytes read.
#[derive(Debug)]
struct Counting {
    name: Arc<str>,
    header: Vec<u8>,
    zeros: u64,
    read: AtomicU64,
    ranges: Mutex<Vec<Range<u64>>>,
}

impl Source for Counting {
    fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn len(&self) -> u64 {
        self.header.len() as u64 + self.zeros
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<()> {
        self.read.fetch_add(buf.len() as u64, Ordering::Relaxed);
        self.ranges
            .lock()
            .unwrap()
            .push(offset..offset + buf.len() as u64);
        for (at, byte) in (offset..).zip(buf) {
            *byte = self.header.get(at as usize).copied().unwrap_or(0);
        }
        Ok(())
    }
}

impl Counting {
    fn new(header: Vec<u8>, zeros: u64) -> Arc<Self> {
        Arc::new(Self {
            name: "large.nc".into(),
            header,
            zeros,
            read: AtomicU64::new(0),
            ranges: Mutex::default(),
        })
    }

    /// Returns the bytes read since the last call.
    fn taken(&self) -> u64 {
        self.ranges.lock().unwrap().clear();
        self.read.swap(0, Ordering::Relaxed)
    }
}

#[test]
fn opening_reads_the_header_and_not_much_more() {
    let header = Classic::new(1, 0)
        .list(10, 1)
        .name("x")
        .count(1 << 28)
        .absent();
    let header = header.list(11, 1).name("v").count(1).count(0).absent();
    let header = header.be32(4).count(1 << 30).begin(80).done().build();
    assert_eq!(header.len(), 80);
    let source = Counting::new(header, 1 << 30);
    let env = Env::default();
    let reader = format::open(Container::Source(source.clone()), &env).expect("a good file");
    assert_eq!(reader.schema().shape(VarId(0)), [1 << 28]);
    let metadata = source.taken();
    assert!(
        metadata < 1 << 20,
        "{metadata} bytes were read to open a file"
    );

    let region = Region::boxed(vec![1 << 20], vec![4]);
    let values = Dataset::new(&*reader, &env)
        .read(VarId(0), &region)
        .expect("its data");
    assert_eq!(values.len(), 4);
    let start = 80 + (4 << 20);
    let ranges = source.ranges.lock().unwrap();
    let [only] = ranges.as_slice() else {
        panic!("read for four values: {ranges:?}");
    };
    assert_eq!(*only, start..start + 16);
}

/// A dataset of 2^16 chunks: neither opening nor reading one chunk reads the whole index. Contiguous data is read in part.
#[test]
fn opening_hdf5_reads_no_index_of_chunks() {
    let sandbox = Sandbox::new();
    let count = 1 << 16;
    let numbers = |from: u32| {
        let numbers: Vec<_> = (from..from + count).map(|n| n.to_string()).collect();
        numbers.join(", ")
    };
    let cdl = format!(
        "netcdf large {{ dimensions: x = {count} ; variables: int chunked(x) ; chunked:_ChunkSizes = 1 ; int whole(x) ; \
         whole:_Storage = \"contiguous\" ; data: chunked = {} ; whole = {} ; }}",
        numbers(0),
        numbers(7)
    );
    sandbox.write("large.cdl", cdl);
    let made = sandbox.run(
        ncgen::run,
        &["ncgen", "-4", "-o", "@large.nc", "@large.cdl"],
    );
    let _ = made.clean();
    let file = std::fs::read(sandbox.path("large.nc")).unwrap();
    assert!(file.len() > 2 << 20, "an index of {} bytes", file.len());

    let source = Counting::new(file, 0);
    let env = Env::default();
    let reader = format::open(Container::Source(source.clone()), &env).expect("a good file");
    assert_eq!(reader.schema().shape(VarId(0)), [u64::from(count)]);
    let opening = source.taken();
    assert!(opening < 1 << 16, "{opening} bytes to open");

    let data = Dataset::new(&*reader, &env);
    let region = Region::boxed(vec![40_000], vec![4]);
    let values = data.read(VarId(0), &region).expect("its data");
    assert_eq!(values, Values::Int(vec![40_000, 40_001, 40_002, 40_003]));
    let chunks = source.taken();
    assert!(chunks < 1 << 18, "{chunks} bytes for four chunks");

    let values = data.read(VarId(1), &region).expect("its data");
    assert_eq!(values, Values::Int(vec![40_007, 40_008, 40_009, 40_010]));
    assert_eq!(source.taken(), 16);
}
