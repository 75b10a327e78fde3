//! Elements that arrive in row-major order, as from text.

use proptest::prelude::*;

use super::chunked::{LE, classic, copy, dimension, env, form, read};
use super::mock::{self, Mock, Store};
use super::*;
use crate::chunk::Assembler;

/// Assembles elements from `bytes` in runs of these lengths, repeated; elements from number `gap` on come after a gap.
fn assembled(
    reader: &dyn Reader,
    to: &mock::Form,
    (lengths, memory, threads): (&[usize], u64, usize),
    bytes: &[u8],
) -> Result<Store> {
    let env = env(threads, memory);
    let p = plan(reader.schema(), &super::to(Kind::NETCDF4))?;
    let (mut writer, store) = Mock::create(p.schema.clone(), vec![to.clone()]);
    let var = VarId(0);
    lengthen(reader, p.data[0], &mut *writer)?;
    let shape = reader.schema().shape(var);
    let mut all = Assembler::new(&*writer, var, &shape, (&env, memory))?;
    let size = writer.layout(var)?.element.size as usize;
    let (mut at, mut lengths) = (0, lengths.iter().cycle());
    while at < bytes.len() {
        let end = bytes.len().min(at + lengths.next().unwrap() * size);
        all.put_run((at / size) as u64, &bytes[at..end], &mut *writer)?;
        at = end;
    }
    all.finish(&mut *writer)?;
    let store = store.lock().unwrap().clone();
    Ok(store)
}

fn elements_of(values: &Values) -> Vec<u8> {
    let mut bytes = vec![];
    elements::encode(values, LE, &mut bytes).unwrap();
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// For any runs, memory limit and number of threads, the chunks equal the chunks of a copy.
    #[test]
    fn runs_become_the_chunks_of_a_copy(
        dims in prop::collection::vec(dimension(), 0..5),
        lengths in prop::collection::vec(1usize..40, 1..5),
        records in any::<bool>(),
        memory in prop::sample::select(vec![0u64, 50, 400, 3000, 1 << 20]),
        threads in 1usize..4,
    ) {
        let column = |n: usize| dims.iter().map(|d| d[n]).collect::<Vec<u64>>();
        let bytes = classic(&column(0), Atomic::Short, records && !dims.is_empty());
        let env = env(1, 1 << 20);
        let input = open(&bytes, &env).unwrap();
        let form = form(&column(1), &[3], LE);
        let (_, want) = copy(&*input, &form, &env);
        let stored = elements_of(&read(&*input, &env));
        let got = assembled(&*input, &form, (&lengths, memory, threads), &stored).unwrap();
        prop_assert_eq!(got.chunks, want.chunks);
    }
}

/// Elements that never arrive become fill values, within rows of chunks with elements and after them.
#[test]
fn gaps_are_fill() {
    let env = env(2, 1 << 20);
    let input = open(&classic(&[20, 3], Atomic::Short, true), &env).unwrap();
    let form = form(&[4, 2], &[3], LE);
    let mut all = vec![];
    for memory in [0, 60, 1 << 20] {
        let p = plan(input.schema(), &to(Kind::NETCDF4)).unwrap();
        let (mut writer, store) = Mock::create(p.schema.clone(), vec![form.clone()]);
        lengthen(&*input, p.data[0], &mut *writer).unwrap();
        let mut a = Assembler::new(&*writer, VarId(0), &[20, 3], (&env, memory)).unwrap();
        a.put_run(2, &[1, 0], &mut *writer).unwrap();
        a.put_run(31, &[2, 0], &mut *writer).unwrap();
        let e = a.put_run(31, &[2, 0], &mut *writer).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Argument);
        a.finish(&mut *writer).unwrap();
        let store = store.lock().unwrap().clone();
        assert_eq!(store.chunks.len(), 3 * 2, "{memory}");
        let Values::Short(values) = read(&store.dataset(), &env) else {
            panic!()
        };
        let want = (0..60).map(|n| match n {
            2 => 1,
            31 => 2,
            _ => -32767,
        });
        assert!(values.into_iter().eq(want));
        all.push(store.chunks);
    }
    assert!(all.windows(2).all(|w| w[0] == w[1]));
}

/// The length of the first dimension need not be known.
#[test]
fn the_first_dimension_grows() {
    let env = env(2, 1 << 20);
    let input = open(&classic(&[9, 3], Atomic::Short, true), &env).unwrap();
    let form = form(&[4, 2], &[3], LE);
    let (_, want) = copy(&*input, &form, &env);
    for memory in [0, 1 << 20] {
        let p = plan(input.schema(), &to(Kind::NETCDF4)).unwrap();
        let (mut writer, store) = Mock::create(p.schema.clone(), vec![form.clone()]);
        let mut a = Assembler::new(&*writer, VarId(0), &[0, 3], (&env, memory)).unwrap();
        writer.set_len(DimId(0), 9).unwrap();
        let bytes = elements_of(&read(&*input, &env));
        a.put_run(0, &bytes, &mut *writer).unwrap();
        a.finish(&mut *writer).unwrap();
        assert_eq!(store.lock().unwrap().chunks, want.chunks);
    }
}
