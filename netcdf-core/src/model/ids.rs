//! Ids of schema objects: indices into the schema's arenas, in definition order.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);
        impl $name {
            /// Returns the index into the schema's arena.
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// A group; the root is 0.
    GroupId
);
id!(
    /// A dimension, numbered over the whole dataset.
    DimId
);
id!(
    /// A variable, numbered over the whole dataset. netCDF's varid is the index within the group.
    VarId
);
id!(
    /// A user-defined type, numbered over the whole dataset from 0; netCDF's `nc_type` is 32 more.
    TypeId
);

impl GroupId {
    /// The root group.
    pub const ROOT: Self = Self(0);
}
