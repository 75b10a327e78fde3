use super::*;
use std::sync::Arc;

use netcdf_core::env::Env;
use netcdf_core::io::Store;
use netcdf_core::io::memory_store::MemoryStore;

#[test]
fn members_say_where_a_chunk_belongs() {
    let store = MemoryStore::new("m");
    let array =
        br#"{"zarr_format":2,"shape":[4],"chunks":[2],"dtype":"<i4","fill_value":0,"order":"C",
        "filters":null,"compressor":null}"#;
    store.put("g/v/.zarray", array).unwrap();
    let store: Arc<dyn Store> = Arc::new(store);
    let survey = StoreSurvey::read(&store, &Env::default()).unwrap();
    let json = |key| {
        let role = survey.role(key);
        let members = members(&survey, (key, 5), &role).into_iter();
        let members = members.map(|(name, value)| (name.to_owned(), value));
        String::from_utf8(Json::Object(members.collect()).to_bytes()).unwrap()
    };
    assert_eq!(
        json("g/v/1"),
        r#"{"key": "g/v/1", "size": 5, "kind": "chunk", "array": "/g/v", "place": [1]}"#
    );
    assert_eq!(
        json("g/v/x"),
        r#"{"key": "g/v/x", "size": 5, "kind": "other", "array": "/g/v", "place": null}"#
    );
    assert_eq!(
        json("g/v/.zarray"),
        r#"{"key": "g/v/.zarray", "size": 5, "kind": "metadata", "array": null, "place": null}"#
    );
}
