//! JSON of a store as other readers of JSON take it: netCDF-C writes numbers that are none.

use netcdf_core::json::Json;

/// The same value for every reader: numbers that are none in JSON (`NaN`, `1.`, `01`) become texts.
pub(crate) fn strict(json: &Json) -> Json {
    match json {
        Json::Number(text) if !is_number(text) => Json::text(text),
        Json::Array(items) => Json::Array(items.iter().map(strict).collect()),
        Json::Object(members) => {
            let members = members.iter().map(|(k, v)| (k.clone(), strict(v)));
            Json::Object(members.collect())
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) => json.clone(),
    }
}

/// Whether a number is one of JSON's grammar.
fn is_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let text = text.strip_prefix('-').unwrap_or(text);
    let (number, exponent) = match text.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, Some(exponent)),
        None => (text, None),
    };
    let (whole, fraction) = match number.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (number, None),
    };
    let exponent = exponent.map(|e| e.strip_prefix(['+', '-']).unwrap_or(e));
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_json() {
        for yes in ["0", "-1", "1.5", "10e5", "1E-7", "0.0e+1"] {
            assert!(is_number(yes), "{yes}");
        }
        for no in ["NaN", "01", "1.", ".5", "+1", "1e", "-", "0x1", "Infinity"] {
            assert!(!is_number(no), "{no}");
        }
        let json = Json::parse(br#"{"a": [NaN,1.], "b": 1.0}"#).unwrap();
        let json = strict(&json).to_bytes();
        assert_eq!(json, br#"{"a": ["NaN","1."], "b": 1.0}"#);
    }
}
