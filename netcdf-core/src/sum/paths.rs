//! Object paths in bytes, because names may have any encoding.

use crate::model::{GroupId, Name, Schema, VarId};

/// Returns the path of a group: `/`, `/g`, `/g/h`.
pub(super) fn group_path(schema: &Schema, id: GroupId) -> Vec<u8> {
    let parent = |id: &GroupId| schema.group(*id).and_then(|group| group.parent);
    let way = std::iter::successors(Some(id), parent).take(schema.groups.len());
    let groups = way.filter_map(|id| schema.group(id).filter(|group| group.parent.is_some()));
    let names: Vec<&[u8]> = groups.map(|group| group.name.as_bytes()).collect();
    let mut path = vec![];
    for name in names.into_iter().rev() {
        path.push(b'/');
        path.extend_from_slice(name);
    }
    match path.is_empty() {
        true => vec![b'/'],
        false => path,
    }
}

/// Returns the path of an object in a group: `/x`, `/g/x`.
pub(super) fn path(schema: &Schema, group: GroupId, name: &Name) -> Vec<u8> {
    let mut path = group_path(schema, group);
    if path.last() != Some(&b'/') {
        path.push(b'/');
    }
    path.extend_from_slice(name.as_bytes());
    path
}

/// Returns the path of a variable, in bytes. The path is empty for an invalid id.
#[must_use]
pub fn var_path(schema: &Schema, id: VarId) -> Vec<u8> {
    let var = schema.var(id);
    var.map_or_else(Vec::new, |var| path(schema, var.group, &var.name))
}

/// Returns paths and lengths of dimensions. Fixed and unlimited dimensions are not distinguished.
pub(super) fn dims(schema: &Schema) -> Vec<(Vec<u8>, Vec<u8>)> {
    let one = |dim: &crate::model::Dimension| {
        let path = path(schema, dim.group, &dim.name);
        (path, dim.len.to_le_bytes().to_vec())
    };
    schema.dims.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Kind;

    #[test]
    fn paths_have_the_bytes_of_names() {
        let mut schema = Schema::new(Kind::NETCDF4);
        let g = schema.add_group(GroupId::ROOT, Name::stored(b"g\xff"));
        let h = schema.add_group(g, Name::stored(b"h"));
        assert_eq!(group_path(&schema, GroupId::ROOT), b"/");
        assert_eq!(group_path(&schema, h), b"/g\xff/h");
        assert_eq!(path(&schema, h, &Name::stored(b"x")), b"/g\xff/h/x");
        assert_eq!(path(&schema, GroupId::ROOT, &Name::stored(b"x")), b"/x");
        assert_eq!(var_path(&schema, VarId(0)), b"");
    }
}
