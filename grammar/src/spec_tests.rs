//! The dataset for the tests of specifications.

use netcdf_core::model::{
    Atomic, DimId, Dimension, GroupId, Kind, Name, Schema, Storage, Variable,
};

/// Returns a schema with dimensions `time` (unlimited, 3), `x` (10), `/g/y` (5), and variables `temp(time, x)`, `time(time)`, and some with
/// unusual names and in groups.
pub(crate) fn schema() -> Schema {
    let mut s = Schema::new(Kind::NETCDF4);
    let g = s.add_group(GroupId::ROOT, Name::stored(b"g"));
    let h = s.add_group(g, Name::stored(b"h"));
    for (name, group, len, unlimited) in [
        ("time", GroupId::ROOT, 3, true),
        ("x", GroupId::ROOT, 10, false),
        ("y", g, 5, false),
    ] {
        let name = Name::stored(name.as_bytes());
        s.add_dim(Dimension {
            name,
            group,
            len,
            unlimited,
        });
    }
    for (name, group, dims) in [
        ("temp", GroupId::ROOT, &[0, 1][..]),
        ("time", GroupId::ROOT, &[0]),
        ("x*", GroupId::ROOT, &[1]),
        ("xy", GroupId::ROOT, &[1]),
        ("a b", GroupId::ROOT, &[]),
        ("größe", GroupId::ROOT, &[]),
        ("temp", g, &[2]),
        ("deep", h, &[2]),
    ] {
        s.add_var(Variable {
            name: Name::stored(name.as_bytes()),
            group,
            ty: Atomic::Int.into(),
            dims: dims.iter().map(|&d| DimId(d)).collect(),
            attributes: vec![],
            storage: Storage::default(),
        });
    }
    s
}
