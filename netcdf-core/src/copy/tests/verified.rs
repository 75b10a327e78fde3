//! Outputs that are read back before they are visible.

use super::*;
use crate::io::Target;
use crate::io::held::hold;

/// Copies and compares; returns the visible output.
fn checked(
    bytes: &[u8],
    options: &Options,
    damage: impl Fn(&mut dyn Target),
) -> (Result<()>, Option<Vec<u8>>) {
    let env = Env {
        memory: crate::env::Memory(2000),
        ..Env::default()
    };
    let reader = open(bytes, &env).unwrap();
    let plan = plan(reader.schema(), options).unwrap();
    let (target, out) = MemoryTarget::new("out.nc");
    let (target, kept) = hold(Box::new(target));
    let create = CreateOptions {
        no_fill: true,
        ..CreateOptions::default()
    };
    let writer = format::create(target, plan.schema.clone(), create, &env).unwrap();
    run(Dataset::new(&*reader, &env), &plan, writer).unwrap();
    let mut target = kept.take().unwrap().target("a file").unwrap();
    damage(&mut *target);
    target.commit().unwrap();
    // The held target was committed to be damaged: it is held once more.
    let written = out.lock().unwrap().take().unwrap();
    let (target, out) = MemoryTarget::new("out.nc");
    let (target, kept) = hold(Box::new(target));
    let mut target = target.target("a file").unwrap();
    target.write_at(0, &written).unwrap();
    target.commit().unwrap();
    env.progress
        .expect(super::verify::bytes(&*reader, &plan).unwrap());
    let result = verify(Dataset::new(&*reader, &env), &plan, &kept).map(|_| ());
    let (done, total) = env.progress.get();
    assert!(total > 0 && (done == total || result.is_err()));
    let visible = out.lock().unwrap().take();
    (result, visible)
}

#[test]
fn what_agrees_becomes_visible() {
    for kind in [Kind::CLASSIC, Kind::CDF5, Kind::NETCDF4] {
        let mut s = mixed(Kind::CLASSIC);
        let text = Attribute::atomic(Name::stored(b"text"), Values::Char(b"x".to_vec()));
        s.vars[0].attributes.extend(text);
        let bytes = make(s, 30);
        let (result, visible) = checked(&bytes, &to(kind), |_| ());
        result.unwrap();
        assert_eq!(values(&visible.unwrap()), values(&bytes), "{kind:?}");
    }
}

#[test]
fn what_differs_stays_hidden() {
    let mut s = dataset(Kind::CLASSIC, &[0, 100]);
    add(&mut s, b"v", Atomic::Short, &[0, 1]);
    let text = Attribute::atomic(Name::stored(b"text"), Values::Char(b"abcd".to_vec()));
    s.vars[0].attributes.extend(text);
    let bytes = make(s, 70);
    let end = bytes.len() as u64;
    let (result, visible) = checked(&bytes, &to(Kind::CDF5), |target| {
        // CDF-5 headers have wider numbers; the data is the same from the end on.
        let len = target.written().unwrap().len();
        assert!(len > end);
        target.write_at(len - 2 * 103, &[0xff]).unwrap();
    });
    let e = result.unwrap_err();
    assert_eq!((e.kind(), e.object()), (ErrorKind::Corrupt, Some("/v")));
    assert!(e.what().contains("element [68, 97] differs"), "{e}");
    assert_eq!(visible, None);
    let at = bytes.windows(4).position(|w| w == b"abcd").unwrap() as u64;
    let (result, visible) = checked(&bytes, &to(Kind::CLASSIC), |target| {
        target.write_at(at, b"x").unwrap();
    });
    assert!(
        result
            .unwrap_err()
            .what()
            .contains("attribute text differs")
    );
    assert_eq!(visible, None);
}
