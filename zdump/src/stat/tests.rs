use super::*;
use netcdf_core::env::Env;
use netcdf_core::model::ZarrVersion;

#[test]
fn raw_bytes_are_those_of_what_is_stored() {
    let array = |dtype: &str| {
        let text = format!(
            r#"{{"zarr_format":2,"shape":[5],"chunks":[2],"dtype":"{dtype}","fill_value":0,"order":"C",
            "filters":[{{"id":"vlen-utf8"}}],"compressor":null}}"#
        );
        let json = Json::parse(text.as_bytes()).unwrap();
        RawArray::new(&json, ZarrVersion::V2, &Env::default()).unwrap()
    };
    assert_eq!(raw_of(&array("<i4"), Some(5)), Some(20));
    assert_eq!(raw_of(&array("<i4"), None), None);
    assert_eq!(raw_of(&array("|O"), Some(2)), None);
    // The last chunk has two elements, and one of them is in the array.
    assert_eq!(array("<i4").elements_at(&[1]), Some(2));
    assert_eq!(array("<i4").elements_at(&[2]), Some(1));
}
