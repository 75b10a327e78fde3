use super::*;
use crate::array::OpenArray;
use crate::array::tests::store;
use netcdf_core::env::Env;
use std::cell::RefCell;
use std::io::Write;
use std::rc::Rc;

/// The lengths of the arrays.
const SHAPE: [usize; 2] = [7, 5];

/// Returns the next pseudo-random number.
fn next(seed: &mut u32) -> u32 {
    *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    *seed >> 24
}

/// Returns the keys of an array in chunks, and the values that readers see. Some chunks are missing.
fn array(seed: &mut u32, chunk: [usize; 2], fill: u8) -> (Vec<(String, Vec<u8>)>, Vec<u8>) {
    let metadata = format!(
        r#"{{"zarr_format":2,"shape":[7,5],"chunks":[{},{}],"dtype":"|u1","fill_value":{fill},"order":"C",
        "filters":null,"compressor":null}}"#,
        chunk[0], chunk[1]
    );
    let mut keys = vec![("v/.zarray".to_owned(), metadata.into_bytes())];
    let mut found = vec![fill; SHAPE[0] * SHAPE[1]];
    for row in 0..SHAPE[0].div_ceil(chunk[0]) {
        for column in 0..SHAPE[1].div_ceil(chunk[1]) {
            if next(seed).is_multiple_of(3) {
                continue;
            }
            let mut bytes = vec![];
            for i in row * chunk[0]..(row + 1) * chunk[0] {
                for j in column * chunk[1]..(column + 1) * chunk[1] {
                    let value = u8::try_from(next(seed) % 3).unwrap();
                    bytes.push(value);
                    if i < SHAPE[0] && j < SHAPE[1] {
                        found[i * SHAPE[1] + j] = value;
                    }
                }
            }
            keys.push((format!("v/{row}.{column}"), bytes));
        }
    }
    (keys, found)
}

/// A writer with readable output.
#[derive(Clone, Default)]
struct Kept(Rc<RefCell<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Returns the number of differing elements: of kind `values` and of kind `missing`.
fn counts(a: &[(String, Vec<u8>)], b: &[(String, Vec<u8>)]) -> (u64, u64) {
    let kept = Kept::default();
    let mut io = Io {
        stdin: Box::new(std::io::empty()),
        stdout: Box::new(kept.clone()),
        stderr: Box::new(std::io::sink()),
        terminal: false,
        screen: false,
    };
    let keys = |keys: &[(String, Vec<u8>)]| {
        let keys: Vec<_> = keys
            .iter()
            .map(|(k, b)| (k.as_str(), b.as_slice()))
            .collect();
        store(&keys)
    };
    let (env, a, b) = (Env::default(), keys(a), keys(b));
    let surveys = (
        StoreSurvey::read(&a, &env).unwrap(),
        StoreSurvey::read(&b, &env).unwrap(),
    );
    let x = OpenArray::new(&a, &env, surveys.0.node("v").unwrap()).unwrap();
    let y = OpenArray::new(&b, &env, surveys.1.node("v").unwrap()).unwrap();
    let mut report = DiffReport::new(CommandOut::new(true, &mut io, ("diff", "m")).unwrap());
    data::compare((&x, &y), &mut report).unwrap();
    let _ = report.end().unwrap();
    let text = String::from_utf8(kept.0.borrow().clone()).unwrap();
    let count = |kind: &str| {
        let lines = text
            .lines()
            .map(|line| Json::parse(line.as_bytes()).unwrap());
        let mut counts = lines
            .filter(|json| json.get("kind").and_then(Json::as_str) == Some(kind))
            .map(|json| json.get("count").and_then(Json::as_u64).unwrap());
        counts.next().unwrap_or(0)
    };
    (count("values"), count("missing"))
}

#[test]
fn differences_are_those_of_the_elements_whatever_the_chunks_are() {
    let mut seed = 7;
    let shapes = [[2, 2], [3, 5], [7, 1], [1, 5], [4, 3], [9, 9]];
    for round in 0..5 {
        for chunk in shapes {
            for other in shapes {
                let fills = (round % 3, next(&mut seed) % 3);
                let (a, x) = array(&mut seed, chunk, fills.0);
                let (b, y) = array(&mut seed, other, u8::try_from(fills.1).unwrap());
                let wanted = x.iter().zip(&y).filter(|(x, y)| x != y).count() as u64;
                let (values, missing) = counts(&a, &b);
                assert_eq!(values + missing, wanted, "{chunk:?} {other:?}");
                assert_eq!(counts(&a, &a), (0, 0));
            }
        }
    }
}
