//! Chunks that are longer than expected.

use super::*;
use crate::env::Env;
use crate::io::store::Content;

/// Bytes of a chunk.
const WHOLE: u64 = 12;

/// Expects half of each chunk; a chunk then has `whole` bytes.
struct Longer {
    inner: Chunked,
    runtime: Runtime,
    whole: u64,
}

impl Reader for Longer {
    fn schema(&self) -> &Schema {
        self.inner.schema()
    }
    fn provenance(&self) -> Provenance {
        self.inner.provenance()
    }
    fn layout(&self, var: VarId) -> Result<Layout> {
        self.inner.layout(var)
    }
    fn locate(
        &self,
        var: VarId,
        chunks: &Block,
        visit: &mut dyn FnMut(ChunkRef) -> Result<()>,
    ) -> Result<()> {
        self.inner.locate(var, chunks, visit)
    }
    fn candidates(
        &self,
        var: VarId,
        chunks: &Block,
        visit: &mut dyn FnMut(ChunkRef) -> Result<()>,
    ) -> Result<()> {
        self.locate(var, chunks, &mut |mut chunk| {
            chunk.range.end -= WHOLE / 2;
            visit(chunk)
        })
    }
    fn fetch(&self, chunks: &[ChunkRef]) -> Result<Vec<Vec<u8>>> {
        self.inner.fetch(chunks)
    }
    fn fetch_stored(&self, chunks: &[ChunkRef]) -> Result<Vec<Content>> {
        let fetched = self.fetch(chunks)?.into_iter();
        let contents = fetched.map(|bytes| match bytes.len() as u64 {
            have if have < self.whole => Content::Longer(WHOLE),
            have => {
                let admitted = self.runtime.admitted();
                assert!(admitted >= have, "{admitted} bytes admitted");
                Content::Bytes(bytes)
            }
        });
        Ok(contents.collect())
    }
    fn object(&self, _: u32) -> Option<&Arc<dyn Source>> {
        None
    }
    fn origin(&self, chunk: &ChunkRef) -> Option<Arc<str>> {
        Some(format!("chunk {}", chunk.index).into())
    }
    fn resolve(&self, var: VarId, bytes: &[u8], env: &Env) -> Result<Values> {
        self.inner.resolve(var, bytes, env)
    }
}

/// Reads all from chunks of `whole` bytes.
fn read(whole: u64) -> (Result<Values>, Runtime) {
    let [_, inner] = readers();
    let runtime = Runtime::sized(2, 5);
    let env = Env {
        filters: table(),
        runtime: runtime.clone(),
        ..Env::default()
    };
    let reader = Longer {
        inner,
        runtime: runtime.clone(),
        whole,
    };
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
