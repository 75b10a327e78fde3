//! Keys of groups, arrays and chunks. Keys have no leading slash. A prefix is empty or ends with a slash.

use crate::model::{GroupId, Schema, VarId, ZarrVersion};

/// Returns the group key prefix.
#[must_use]
pub(crate) fn group(schema: &Schema, id: GroupId) -> String {
    let path = schema.group_path(id);
    match path.trim_start_matches('/') {
        "" => String::new(),
        path => format!("{path}/"),
    }
}

/// Returns the variable key prefix.
#[must_use]
pub(crate) fn var(schema: &Schema, id: VarId) -> String {
    let path = schema.var_path(id);
    format!("{}/", path.trim_start_matches('/'))
}

/// Returns the chunk key, relative to the variable's prefix.
#[must_use]
pub(crate) fn chunk(version: ZarrVersion, place: &[u64]) -> String {
    let place: Vec<String> = place.iter().map(u64::to_string).collect();
    match version {
        ZarrVersion::V2 if place.is_empty() => "0".to_owned(),
        ZarrVersion::V2 => place.join("."),
        ZarrVersion::V3 if place.is_empty() => "c".to_owned(),
        ZarrVersion::V3 => format!("c/{}", place.join("/")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks() {
        assert_eq!(chunk(ZarrVersion::V2, &[1, 0, 12]), "1.0.12");
        assert_eq!(chunk(ZarrVersion::V2, &[]), "0");
        assert_eq!(chunk(ZarrVersion::V3, &[1, 0]), "c/1/0");
        assert_eq!(chunk(ZarrVersion::V3, &[]), "c");
    }
}
