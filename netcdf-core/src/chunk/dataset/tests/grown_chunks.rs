//! Chunks that are longer than expected.

use super::*;
use crate::arithmetic::length;
use crate::io::store::KeyContent;

/// The chunk size in bytes.
const WHOLE: u64 = 12;

/// Reads the variable from chunks with `whole` bytes. Candidates have half the length.
fn read(whole: u64) -> (Result<Values>, Runtime) {
    let [_, mut reader] = readers();
    let runtime = Runtime::sized(2, 5);
    let env = Env {
        filters: add_table(),
        runtime: runtime.clone(),
        ..Env::default()
    };
    (reader.shortfall, reader.names_chunks) = (WHOLE / 2, true);
    let budget = runtime.clone();
    reader.content = Some(Box::new(move |chunk| {
        let (len, admitted) = (length(&chunk.range), budget.admitted());
        assert!(len < WHOLE || admitted >= len, "{admitted} bytes admitted");
        (len < whole).then_some(KeyContent::Longer(WHOLE))
    }));
    let values = Dataset::new(&reader, &env).read(VarId(0), &Region::whole(&[5, 7]));
    (values, runtime)
}

#[test]
fn longer_chunks_are_admitted_before_they_are_read() {
    let (values, runtime) = read(WHOLE);
    let all = (0..5).flat_map(|y| (0..7).map(move |x| expected(y, x)));
    assert_eq!(values.unwrap(), Values::Short(all.collect()));
    assert_eq!(runtime.admitted(), 0);
}

#[test]
fn chunks_that_grow_again_are_an_error() {
    let (values, runtime) = read(WHOLE + 1);
    let e = values.unwrap_err();
    assert!(e.to_string().contains("became longer"), "{e}");
    assert_eq!(e.resource(), Some("chunk 0"));
    assert_eq!(runtime.admitted(), 0);
}
