//! Zarr in memory.

use std::sync::Arc;

use netcdf_core::env::Env;
use netcdf_core::format;
use netcdf_core::io::memory::MemorySource;
use netcdf_core::io::memory_store::{MemoryStore, MemoryStoreTarget};
use netcdf_core::io::{Store, StoreTarget};
use netcdf_core::model::{CreateOptions, Kind};
use netcdf_grammar::cdl::ReadOptions;
use netcdf_grammar::diagnostic::Reporter;

/// Returns the store created from a text.
fn stored(kind: Kind, text: &str) -> netcdf_core::error::Result<Arc<dyn Store>> {
    let source = MemorySource::new("x.cdl", text.as_bytes().to_vec());
    let env = Env::default();
    let options = ReadOptions {
        kind: Some(kind),
        ..ReadOptions::default()
    };
    let cdl = netcdf_grammar::cdl::read(&source, &options).unwrap();
    assert!(cdl.needs.conflict(kind).is_none());
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new("s"));
    let (target, _) = MemoryStoreTarget::new(Arc::clone(&store));
    let target: Box<dyn StoreTarget> = Box::new(target);
    let schema = cdl.schema.clone();
    let mut writer = format::create(target, schema, CreateOptions::default(), &env)?;
    let mut reporter = Reporter::new(&source);
    crate::data::write(&cdl, &source, &mut *writer, &mut reporter, &env)?;
    assert!(!reporter.has_errors());
    writer.finish()?;
    Ok(store)
}

fn key(store: &Arc<dyn Store>, key: &str) -> Vec<u8> {
    store.get(key).unwrap().expect(key)
}

const TEXT: &str = "netcdf x { dimensions: n = 3 ; t = UNLIMITED ;
variables: int a(t, n) ; a:_ChunkSizes = 2, 2 ; a:_Endianness = \"big\" ; char c(t, n) ; double d ;
string s(n) ; s:_nczarr_maxstrlen = 4 ; short e(t) ; int nf(n) ; nf:_NoFill = \"true\" ; float q(n) ;
q:_QuantizeBitGroomNumberOfSignificantDigits = 3 ; byte none ;
data: a = 1, 2, 3, 4, 5 ; c = \"a\", \"bc\", \"d\" ; d = 0.1 ; s = \"ab\", _, \"cdef\" ; nf = 1, 2, 3 ; q = 1, 2, 3 ; }";

#[test]
fn chunks_are_whole_and_filled() {
    let store = stored(Kind::NCZARR, TEXT).unwrap();
    let fill = (-2_147_483_647_i32).to_be_bytes();
    let ints = |list: &[Option<i32>]| -> Vec<u8> {
        let bytes = |n: &Option<i32>| n.map_or(fill, i32::to_be_bytes);
        list.iter().flat_map(bytes).collect()
    };
    let first = ints(&[Some(1), Some(2), Some(4), Some(5)]);
    assert_eq!(key(&store, "a/0.0"), first);
    assert_eq!(key(&store, "a/0.1"), ints(&[Some(3), None, None, None]));
    assert_eq!(key(&store, "c/0.0"), b"a\0\0");
    assert_eq!(key(&store, "c/2.0"), b"d\0\0");
    assert_eq!(key(&store, "d/0"), 0.1_f64.to_le_bytes());
    assert_eq!(key(&store, "s/0"), b"ab\0\0\0\0\0\0cdef");
    assert_eq!(store.children("e/").unwrap(), [".zarray", ".zattrs"]);
    assert_eq!(store.children("none/").unwrap(), [".zarray", ".zattrs"]);
    let text = |k: &str| String::from_utf8(key(&store, k)).unwrap();
    assert!(text("a/.zarray").contains(r#""shape": [3,3], "dtype": ">i4", "chunks": [2,2]"#));
    assert!(text("e/.zarray").contains(r#""shape": [3], "dtype": "<i2", "chunks": [2048]"#));
    assert!(text("s/.zarray").contains(r#""dtype": "|S4""#));
    assert!(text("nf/.zarray").contains(r#""fill_value": null"#));
    assert!(text("q/.zattrs").starts_with(r#"{"_QuantizeBitGroomNumberOfSignificantDigits": 3, "#));
}

#[test]
fn a_string_that_is_too_long_is_an_error() {
    let text =
        "netcdf x { dimensions: n = 1 ; variables: string s(n) ; :_nczarr_default_maxstrlen = 2 ;
        data: s = \"abc\" ; }";
    let e = stored(Kind::NCZARR, text).unwrap_err();
    assert_eq!(e.object(), Some("/s"));
    assert!(e.remedy().unwrap().contains("_nczarr_maxstrlen = 3"));
}
