use super::*;
use netcdf_core::io::memory_store::MemoryStore;

/// Returns a store with these keys.
pub(crate) fn store(keys: &[(&str, &[u8])]) -> Arc<dyn Store> {
    let store = MemoryStore::new("m");
    for (key, bytes) in keys {
        store.put(key, bytes).unwrap();
    }
    Arc::new(store)
}

const V2: &[u8] =
    br#"{"zarr_format":2,"shape":[5,3],"chunks":[2,2],"dtype":"|u1","fill_value":7,"order":"C",
    "filters":null,"compressor":null}"#;

#[test]
fn chunks_are_located_and_decoded() {
    let keys = [
        ("v/.zarray", V2),
        ("v/0.0", &[1, 2, 3][..]),
        ("v/0.1", &[1, 2, 3, 4]),
        ("v/2.1", &[1, 2, 3]),
        ("v/x", b""),
    ];
    let (store, env) = (store(&keys), Env::default());
    let survey = StoreSurvey::read(&store, &env).unwrap();
    let node = find(&survey, &store, "/v").unwrap();
    let opened = OpenArray::new(&store, &env, node).unwrap();
    assert_eq!(opened.grid(), [3, 2]);
    assert_eq!(opened.locate(&[1, 1]).unwrap(), None);
    let place = opened.locate(&[0, 1]).unwrap().unwrap();
    assert_eq!((place.key.as_str(), &place.range), ("v/0.1", &(0..4)));
    assert_eq!(
        opened.decode(&place).unwrap(),
        Values::UByte(vec![1, 2, 3, 4])
    );
    assert_eq!(opened.inside(&opened.block(&[2, 1])), [1, 1]);
    // All elements inside the array are present.
    let place = opened.locate(&[2, 1]).unwrap().unwrap();
    assert_eq!(
        opened.decode(&place).unwrap(),
        Values::UByte(vec![1, 2, 3, 7])
    );
    let place = opened.locate(&[0, 0]).unwrap().unwrap();
    let e = opened.decode(&place).unwrap_err();
    assert!(e.what().contains("chunk 0,0 of /v: 3 bytes"), "{e}");
    assert_eq!((e.object(), e.remedy().is_some()), (Some("v/0.0"), true));
    let mut found = vec![];
    opened
        .stored(&mut |batch| {
            found.extend(batch.into_iter().map(|p| p.unwrap().place));
            Ok(())
        })
        .unwrap();
    assert_eq!(found, [[0, 0], [0, 1], [2, 1]]);
}

#[test]
fn what_is_no_array_is_said() {
    let keys = [
        (".zgroup", &b"{}"[..]),
        ("w/.zarray", b"{}"),
        ("v/.zarray", V2),
    ];
    let (store, env) = (store(&keys), Env::default());
    let survey = StoreSurvey::read(&store, &env).unwrap();
    for (path, what) in [("/", "a group"), ("w", "no shape"), ("x", "no array")] {
        let e = find(&survey, &store, path).unwrap_err();
        assert!(e.what().starts_with(what), "{e}");
    }
}

#[test]
fn scalars_and_characters_of_netcdf() {
    let scalar =
        br#"{"zarr_format":2,"shape":[1],"chunks":[1],"dtype":">S1","fill_value":"","order":"C",
        "filters":null,"compressor":null}"#;
    let keys = [
        ("c/.zarray", &scalar[..]),
        ("c/.zattrs", br#"{"_nczarr_array":{"scalar":1}}"#),
        ("c/0", b"x"),
    ];
    let (store, env) = (store(&keys), Env::default());
    let survey = StoreSurvey::read(&store, &env).unwrap();
    let opened = OpenArray::new(&store, &env, survey.node("c").unwrap()).unwrap();
    assert!(opened.shape.is_empty() && opened.chars);
    let place = opened.locate(&[]).unwrap().unwrap();
    assert_eq!(opened.decode(&place).unwrap(), Values::Char(b"x".to_vec()));
    assert_eq!(opened.fill, Some(Values::Char(vec![0])));
}

#[test]
fn characters_of_old_netcdf_have_one_byte_each() {
    let old = br#"{"zarr_format":2,"shape":[3],"chunks":[3],"dtype":"<U1","fill_value":"\u0000","order":"C",
        "filters":null,"compressor":null}"#;
    let keys = [
        ("c/.zarray", &old[..]),
        ("c/.nczarray", b"{}"),
        ("c/0", b"abc"),
        ("d/.zarray", &old[..]),
        ("d/0", b"abc"),
    ];
    let (store, env) = (store(&keys), Env::default());
    let survey = StoreSurvey::read(&store, &env).unwrap();
    let values = |path: &str| {
        let opened = OpenArray::new(&store, &env, survey.node(path).unwrap()).unwrap();
        let place = opened.locate(&[0]).unwrap().unwrap();
        opened.decode(&place)
    };
    assert_eq!(values("c").unwrap(), Values::Char(b"abc".to_vec()));
    assert!(
        values("d").is_err(),
        "in arrays of other writers it is damage"
    );
}

#[test]
fn chunks_without_numbers_are_no_silent_loss() {
    let huge = br#"{"zarr_format":2,"shape":[1099511627776,1099511627776],"chunks":[1,1],"dtype":"|u1","fill_value":0,
        "order":"C","filters":null,"compressor":null}"#;
    let (store, env) = (
        store(&[("v/.zarray", &huge[..]), ("v/5.6", b"x")]),
        Env::default(),
    );
    let survey = StoreSurvey::read(&store, &env).unwrap();
    let opened = OpenArray::new(&store, &env, survey.node("v").unwrap()).unwrap();
    let e = opened.stored(&mut |_| Ok(())).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Limit);
    assert!(opened.locate(&[5, 6]).unwrap().is_some());
}
