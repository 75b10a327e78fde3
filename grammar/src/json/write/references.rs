//! References to dimensions and types from a group: the name if the name is unambiguous there, else the path.

use netcdf_core::model::{DataType, DimId, GroupId};

use crate::json::names::{written, written_type};
use crate::write::Scope;

/// Writes references.
pub(super) struct References<'a>(pub(super) Scope<'a>);

impl References<'_> {
    /// A reference to a dimension.
    pub(super) fn dimension(&self, from: GroupId, id: DimId) -> String {
        let Some(dim) = self.0.schema.dim(id) else {
            return String::new();
        };
        let name = written(dim.name.as_bytes());
        match self.0.is_dim(from, id) {
            true => name,
            false => self.path(dim.group) + &name,
        }
    }

    /// A reference to a type.
    pub(super) fn data_type(&self, from: GroupId, ty: DataType) -> String {
        let id = match ty {
            DataType::Atomic(atomic) => return atomic.name().to_owned(),
            DataType::User(id) => id,
        };
        let Some(user) = self.0.schema.user_type(id) else {
            return String::new();
        };
        match self.0.is_type(from, id) {
            true => written_type(user.name.as_bytes()),
            false => self.path(user.group) + &written(user.name.as_bytes()),
        }
    }

    /// The path of a group with a slash at its end.
    fn path(&self, id: GroupId) -> String {
        let groups = self.0.path(id).into_iter();
        let names = groups.map(|group| written(group.name.as_bytes()) + "/");
        names.fold("/".to_owned(), |path, name| path + &name)
    }
}
