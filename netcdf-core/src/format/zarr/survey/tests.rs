use super::*;
use crate::io::memory_store::MemoryStore;

const V2: &str = r#"{"zarr_format":2,"shape":[4],"chunks":[2],"dtype":"<i4","fill_value":0,"order":"C",
    "filters":null,"compressor":null}"#;

fn store(keys: &[(&str, &str)]) -> Arc<dyn Store> {
    let store = MemoryStore::new("m");
    for (key, text) in keys {
        store.put(key, text.as_bytes()).unwrap();
    }
    Arc::new(store)
}

fn survey(keys: &[(&str, &str)]) -> StoreSurvey {
    StoreSurvey::read(&store(keys), &Env::default()).unwrap()
}

#[test]
fn keys_are_what_their_arrays_say() {
    let found = survey(&[
        (".zgroup", r#"{"zarr_format":2}"#),
        ("g/.zgroup", "{"),
        ("g/v/.zarray", V2),
        ("g/v/.zattrs", "{}"),
        ("g/v/0", ""),
        ("w/.zarray", "{}"),
    ]);
    let paths: Vec<_> = found.nodes.iter().map(Node::shown).collect();
    assert_eq!(paths, ["/", "/g", "/g/v", "/w"]);
    assert!(matches!(
        found.node("/g").unwrap().what,
        NodeContent::Broken(_)
    ));
    assert!(matches!(
        found.node("w").unwrap().what,
        NodeContent::Broken(_)
    ));
    assert_eq!(found.role("g/v/.zattrs"), Role::Metadata);
    assert_eq!(found.role("g/v/1"), Role::Chunk(2, vec![1]));
    assert_eq!(found.role("g/v/2"), Role::Other(Some(2)));
    assert_eq!(found.role("g/v/0/0"), Role::Other(Some(2)));
    assert_eq!(found.role("g/x"), Role::Other(None));
    assert!(!found.consolidated_only);
}

#[test]
fn consolidated_metadata_stands_for_what_is_not_there() {
    let all = format!(r#"{{"metadata":{{".zgroup":{{"zarr_format":2}},"v/.zarray":{V2}}}}}"#);
    let found = survey(&[(".zmetadata", &all), ("v/1", "")]);
    assert!(found.consolidated_only);
    assert!(found.node("v").unwrap().array().is_some());
    assert_eq!(found.role("v/1"), Role::Chunk(1, vec![1]));
    let found = survey(&[(".zmetadata", &all), (".zgroup", "{}"), ("v/.zarray", V2)]);
    assert!(!found.consolidated_only);
}

#[test]
fn an_empty_store_is_none() {
    assert!(!survey(&[("a/b", "")]).is_store());
}

#[test]
fn what_belongs_to_no_node_is_foreign() {
    let group = r#"{"zarr_format":2}"#;
    let found = |keys: &[(&str, &str)]| {
        let found = foreign(&store(keys), &Env::default().cancel).unwrap();
        found.to_string()
    };
    let own = [
        (".zgroup", group),
        (".zmetadata", "{}"),
        ("g/.zgroup", group),
        ("g/v/.zarray", V2),
        ("g/v/.zattrs", "{}"),
        ("g/v/1", ""),
    ];
    assert_eq!(found(&own), "");
    let mut more = own.to_vec();
    more.extend([
        ("g/notes.txt", ""),
        // The grid has no chunk at this position.
        ("g/v/2", ""),
        // A foreign file with the name of Zarr metadata.
        ("g/zarr.json", "{}"),
        ("h/.zattrs", "notes"),
        // A separate store, not a member of any group.
        ("other/s/.zgroup", group),
    ]);
    assert_eq!(found(&more), "g/notes.txt, g/v/2, g/zarr.json and 2 more");
    let all = found(&[("zarr.json", "notes"), ("src/thesis.txt", "")]);
    assert_eq!(all, "src/thesis.txt, zarr.json");
}
