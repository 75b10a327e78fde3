//! The schema under construction, with companion tables.

use std::collections::HashMap;

use super::FileObject;
use super::companions::{
    FoundDimension, FoundVariable, PendingAttribute, RecentParts, UnsizedScales,
};
use super::files::Files;
use super::links::LinkPath;
use super::paths::Paths;
use super::types::FileTypes;
use super::virtual_sources::Nesting;
use crate::env::Env;
use crate::error::Result;
use crate::format::hdf5::message::link::LinkedObject;
use crate::model::name::Interner;
use crate::model::{Attribute, GroupId, Kind, Schema};

/// The schema and its companion tables, built while a file is read.
pub(super) struct FileBuilder<'a> {
    pub env: &'a Env,
    pub files: Files,
    pub schema: Schema,
    pub names: Interner,
    pub types: FileTypes,
    /// Parts of recent datasets. Equal parts share memory.
    pub parts: RecentParts,
    /// Parallel to `schema.dims`.
    pub dims: Vec<FoundDimension>,
    /// Parallel to `schema.vars`.
    pub vars: Vec<FoundVariable>,
    /// Scales without a length.
    pub unsized_scales: UnsizedScales,
    /// netCDF's id of the next dimension.
    pub next_dim: i64,
    /// Attributes with types that are resolved at the end.
    pub pending: Vec<PendingAttribute>,
    /// `_NCProperties`
    pub properties: Option<Vec<u8>>,
    /// Whether an attribute `_NCProperties` exists, with any contents. The attribute is a mark of netCDF-4.
    pub of_netcdf4: bool,
    /// The number of hidden dataset attributes, which are marks of netCDF-4.
    pub marks: u32,
    /// The nesting depth of this file as a source of virtual datasets.
    pub nesting: Nesting,
    /// The number of groups shown again under another name.
    pub(super) repeats: u32,
    pub paths: Paths,
    pub(super) shown: HashMap<FileObject, u32>,
    /// Attributes without an existing owner.
    pub nowhere: Vec<Attribute>,
    /// The header addresses of datasets in the main file that are not variables.
    pub unseen: Vec<u64>,
}

impl<'a> FileBuilder<'a> {
    /// Returns an empty builder.
    pub(super) fn new(files: Files, env: &'a Env) -> Self {
        Self {
            env,
            files,
            schema: Schema::new(Kind::NETCDF4),
            names: Interner::default(),
            types: FileTypes::default(),
            parts: RecentParts::default(),
            dims: vec![],
            vars: vec![],
            unsized_scales: UnsizedScales::default(),
            next_dim: 0,
            pending: vec![],
            properties: None,
            of_netcdf4: false,
            marks: 0,
            nesting: Nesting::default(),
            repeats: 0,
            paths: Paths::default(),
            shown: HashMap::new(),
            nowhere: vec![],
            unseen: vec![],
        }
    }

    /// Returns the path of an object in a group.
    pub(super) fn path(&self, group: GroupId, name: &[u8]) -> String {
        let group = self.schema.group_path(group);
        let group = group.trim_end_matches('/');
        format!("{group}/{}", String::from_utf8_lossy(name))
    }

    /// Returns the target of a link, see [`LinkPath::target`].
    ///
    /// # Errors
    /// Returns the errors of [`LinkPath::target`].
    pub(super) fn target(&mut self, from: FileObject, target: &LinkedObject) -> Result<FileObject> {
        let mut way = LinkPath {
            files: &mut self.files,
            paths: &mut self.paths,
            env: self.env,
        };
        way.target(from, target, 0)
    }
}
