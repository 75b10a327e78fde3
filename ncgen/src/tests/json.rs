//! Datasets from JSON.

use netcdf_core::model::{Kind, Values};
use netcdf_core::tool::Status;

use super::{failed, made, ncgen};

const TEXT: &str = r#"
{"kind": "cdf5", "dimensions": {"t": {"size": 2, "unlimited": true}, "x": 3},
 "variables": {
  "v": {"data": [[1, 2, 3], [4, 5, "9007199254740993"]], "type": "int64", "shape": ["t", "x"]},
  "c": {"type": "char", "shape": ["t", "x"], "data": ["ab", {"base64": "/w=="}]},
  "none": {"type": "float", "shape": ["t"]}}}"#;

#[test]
fn kinds_and_values() {
    let (kind, values) = made(&[], TEXT);
    assert_eq!(kind, Kind::CDF5);
    assert_eq!(
        values[0],
        Values::Int64(vec![1, 2, 3, 4, 5, 9_007_199_254_740_993])
    );
    assert_eq!(values[1], Values::Char(b"ab\0\xff\0\0".to_vec()));
    assert_eq!(values[2].len(), 2);
    assert_eq!(made(&["-4"], TEXT).0, Kind::NETCDF4);
}

#[test]
fn lengths_of_unlimited_dimensions_from_the_data() {
    let text = r#"{"dimensions": {"t": {"unlimited": true}}, "variables": {"v": {"type": "byte", "shape": ["t"], "data": [1, 2]}}}"#;
    assert_eq!(made(&[], text).1, [Values::Byte(vec![1, 2])]);
}

#[test]
fn mistakes_have_a_place_and_a_path() {
    let said = failed(&[], TEXT.replace("[4, 5,", "[4,").as_bytes());
    assert!(
        said.contains(":4:")
            && said.contains("error: /variables/v/data[1]: the list has 2 items, expected 3"),
        "{said}"
    );
    let (status, said) = ncgen(&[], b"{\"dimensions\": {\"x\": 1}, }");
    assert_eq!(status, Status::Failure);
    assert!(said.contains(":1:26: error: trailing comma"), "{said}");
    let deep = format!(
        r#"{{"variables": {{"v": {{"type": "int", "data": {}"#,
        "[".repeat(1_000_000)
    );
    failed(&[], deep.as_bytes());
}
