//! Opening a dataset reads metadata only.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use netcdf_core::chunk::Dataset;
use netcdf_core::env::Env;
use netcdf_core::io::{Container, Source};
use netcdf_core::model::{Region, VarId};
use netcdf_core::{Result, format};
use netcdf_tools_tests::builder::Classic;

/// A header with 2^30 bytes of zeros behind it that are not there, and a record of what is read.
#[derive(Debug)]
struct Counting {
    name: Arc<str>,
    header: Vec<u8>,
    read: AtomicU64,
    ranges: Mutex<Vec<Range<u64>>>,
}

impl Source for Counting {
    fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn len(&self) -> u64 {
        self.header.len() as u64 + (1 << 30)
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
    let source = Arc::new(Counting {
        name: "large.nc".into(),
        header,
        read: AtomicU64::new(0),
        ranges: Mutex::default(),
    });
    let env = Env::default();
    let reader = format::open(Container::Source(source.clone()), &env).expect("a good file");
    assert_eq!(reader.schema().shape(VarId(0)), [1 << 28]);
    let metadata = source.read.swap(0, Ordering::Relaxed);
    assert!(
        metadata < 1 << 20,
        "{metadata} bytes were read to open a file"
    );

    source.ranges.lock().unwrap().clear();
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
