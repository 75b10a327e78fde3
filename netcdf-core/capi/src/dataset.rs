//! An open dataset with facts that the C interface derives from it, and a group of it as the subject of a call.

use std::collections::HashMap;
use std::ffi::{c_float, c_int};
use std::path::Path;
use std::sync::{OnceLock, RwLock};
use std::time::SystemTime;

use netcdf_core::api::{Dataset, Owner};
use netcdf_core::model::kind::StorageFormat;
use netcdf_core::model::{
    Attribute, DataType, DimId, Dimension, Group, GroupId, Name, Schema, TypeId, UserType, VarId,
    Variable,
};

use crate::border::{InText, KeptImage};
use crate::elements::SmallReads;
use crate::error_number::ErrorNumber;
use crate::layout::Layouts;

/// The variable number of the global attributes (`NC_GLOBAL`).
pub(crate) const GLOBAL: c_int = -1;

/// The number of variables in a group from which an index is faster than a search.
const INDEXED: usize = 16;

/// The arguments of `nc_open`.
#[derive(Debug)]
pub(crate) struct OpenArguments {
    pub(crate) path: Vec<u8>,
    pub(crate) mode: c_int,
}

/// Size and time of a file: they change if the file grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileState {
    len: u64,
    changed: Option<SystemTime>,
}

impl FileState {
    /// Returns the state of a local file.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let data = std::fs::metadata(path).ok()?;
        Some(Self {
            len: data.len(),
            changed: data.modified().ok(),
        })
    }
}

/// The settings of a chunk cache. They have no effect: a dataset has one cache.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CacheSettings {
    pub(crate) size: usize,
    pub(crate) slots: usize,
    pub(crate) preemption: c_float,
}

impl CacheSettings {
    /// The defaults of netCDF-C.
    pub(crate) const DEFAULT: Self = Self {
        size: 16 << 20,
        slots: 4133,
        preemption: 0.75,
    };

    /// Returns the arguments of a function that changes the settings.
    pub(crate) fn checked(
        size: usize,
        slots: usize,
        preemption: c_float,
    ) -> Result<Self, ErrorNumber> {
        match (0.0..=1.0).contains(&preemption) {
            true => Ok(Self {
                size,
                slots,
                preemption,
            }),
            false => Err(ErrorNumber::EINVAL),
        }
    }
}

/// A dataset, and facts that are computed on first use.
pub(crate) struct LoadedDataset {
    pub(crate) data: Dataset,
    /// The state of the file when it was opened; `None` for other datasets.
    pub(crate) state: Option<FileState>,
    /// The memory of a dataset in memory.
    pub(crate) image: Option<KeptImage>,
    /// The paths of the variables and groups with damaged attributes.
    pub(crate) damaged: Vec<String>,
    pub(crate) small_reads: SmallReads,
    /// Changed settings of variables.
    pub(crate) caches: RwLock<HashMap<VarId, CacheSettings, foldhash::fast::RandomState>>,
    layouts: OnceLock<Layouts>,
    variables: OnceLock<HashMap<(GroupId, Name), usize, foldhash::fast::RandomState>>,
}

impl LoadedDataset {
    pub(crate) fn new(data: Dataset, state: Option<FileState>) -> Self {
        Self {
            data,
            state,
            image: None,
            damaged: vec![],
            small_reads: SmallReads::default(),
            caches: RwLock::default(),
            layouts: OnceLock::new(),
            variables: OnceLock::new(),
        }
    }

    pub(crate) fn schema(&self) -> &Schema {
        self.data.schema()
    }

    /// As in netCDF-C, no attribute of an object can be read if one is damaged.
    fn has_damaged_attributes(&self, owner: Owner) -> bool {
        let path = || match owner {
            Owner::Variable(id) => self.schema().var_path(id),
            Owner::Group(id) => self.schema().group_path(id),
        };
        !self.damaged.is_empty() && self.damaged.contains(&path())
    }

    /// Returns whether the dataset has a classic format.
    pub(crate) fn is_classic(&self) -> bool {
        match self.data.kind().storage {
            StorageFormat::Cdf(_) => true,
            StorageFormat::Hdf5 | StorageFormat::Zarr(_) | StorageFormat::ReadOnly(_) => false,
        }
    }

    /// Returns the layouts of the types in the memory of C programs.
    pub(crate) fn layouts(&self) -> &Layouts {
        self.layouts.get_or_init(|| Layouts::new(self.schema()))
    }

    /// Returns the number of a variable within its group, by an index of all names.
    fn variable_number(&self, group: GroupId, name: &[u8]) -> Option<usize> {
        let index = self.variables.get_or_init(|| {
            let schema = self.schema();
            let groups = schema.group_ids().zip(&schema.groups);
            let numbered = groups.flat_map(|(id, g)| {
                let vars = g.vars.iter().enumerate();
                vars.filter_map(move |(n, &var)| Some(((id, schema.var(var)?.name.clone()), n)))
            });
            // The first of equal names wins.
            let mut index = HashMap::default();
            for (name, number) in numbered {
                index.entry(name).or_insert(number);
            }
            index
        });
        index.get(&(group, Name::stored(name))).copied()
    }
}

/// A group of an open dataset: the subject of most calls.
pub(crate) struct OpenGroup<'a> {
    pub(crate) loaded: &'a LoadedDataset,
    pub(crate) arguments: &'a OpenArguments,
    pub(crate) id: GroupId,
    /// Returns the id of another group of the dataset.
    pub(crate) ids: &'a dyn Fn(GroupId) -> Result<c_int, ErrorNumber>,
}

impl<'a> OpenGroup<'a> {
    pub(crate) fn data(&self) -> &'a Dataset {
        &self.loaded.data
    }

    pub(crate) fn schema(&self) -> &'a Schema {
        self.loaded.schema()
    }

    pub(crate) fn is_classic(&self) -> bool {
        self.loaded.is_classic()
    }

    /// Returns the bytes of a name to look up. As in netCDF-C, long names are invalid in netCDF-4 and unknown in classic files.
    pub(crate) fn name<'n>(
        &self,
        name: &'n InText,
        unknown: ErrorNumber,
    ) -> Result<&'n [u8], ErrorNumber> {
        name.name().map_err(|e| match e {
            ErrorNumber::EMAXNAME if self.is_classic() => unknown,
            other => other,
        })
    }

    /// Returns the error number for a name that was not found. As in netCDF-C, other text than UTF-8 is invalid in netCDF-4.
    pub(crate) fn not_found(&self, name: &[u8], unknown: ErrorNumber) -> ErrorNumber {
        match self.is_classic() || std::str::from_utf8(name).is_ok() {
            true => unknown,
            false => ErrorNumber::EBADNAME,
        }
    }

    pub(crate) fn group(&self) -> Result<&'a Group, ErrorNumber> {
        self.schema().group(self.id).ok_or(ErrorNumber::EBADID)
    }

    /// Returns the group and its ancestors, innermost first.
    pub(crate) fn with_ancestors(&self) -> impl Iterator<Item = &'a Group> + use<'a> {
        let schema = self.schema();
        let parent = |g: &&'a Group| g.parent.and_then(|id| schema.group(id));
        std::iter::successors(schema.group(self.id), parent).take(schema.groups.len())
    }

    /// Returns a variable by its number in the group.
    pub(crate) fn variable_id(&self, number: c_int) -> Result<VarId, ErrorNumber> {
        let number = usize::try_from(number).ok();
        let vars = &self.group()?.vars;
        let id = number.and_then(|n| vars.get(n));
        id.copied().ok_or(ErrorNumber::ENOTVAR)
    }

    pub(crate) fn variable(&self, number: c_int) -> Result<&'a Variable, ErrorNumber> {
        let id = self.variable_id(number)?;
        self.schema().var(id).ok_or(ErrorNumber::ENOTVAR)
    }

    /// Returns the number of dimensions of a variable.
    pub(crate) fn rank(&self, id: VarId) -> usize {
        self.schema().var(id).map_or(0, |var| var.dims.len())
    }

    /// Returns the number of the variable with a name.
    pub(crate) fn variable_number(&self, name: &[u8]) -> Result<usize, ErrorNumber> {
        let vars = &self.group()?.vars;
        let found = match vars.len() > INDEXED {
            true => self.loaded.variable_number(self.id, name),
            false => {
                let named = |id: &VarId| {
                    let var = self.schema().var(*id);
                    var.is_some_and(|v| v.name.as_bytes() == name)
                };
                vars.iter().position(named)
            }
        };
        found.ok_or_else(|| self.not_found(name, ErrorNumber::ENOTVAR))
    }

    /// Returns the owner of attributes: a variable, or the group.
    pub(crate) fn owner(&self, number: c_int) -> Result<Owner, ErrorNumber> {
        match number {
            GLOBAL => Ok(self.id.into()),
            number => Ok(self.variable_id(number)?.into()),
        }
    }

    pub(crate) fn attributes(&self, number: c_int) -> Result<&'a [Attribute], ErrorNumber> {
        if self.loaded.has_damaged_attributes(self.owner(number)?) {
            return Err(ErrorNumber::EATTMETA);
        }
        match number {
            GLOBAL => Ok(&self.group()?.attributes),
            number => Ok(&self.variable(number)?.attributes),
        }
    }

    pub(crate) fn dimension(&self, id: c_int) -> Result<&'a Dimension, ErrorNumber> {
        let id = u32::try_from(id).map_err(|_| ErrorNumber::EBADDIM)?;
        let dim = self.schema().dim(DimId(id));
        dim.ok_or(ErrorNumber::EBADDIM)
    }

    /// Returns a type by its number.
    pub(crate) fn data_type(&self, number: c_int) -> Result<DataType, ErrorNumber> {
        let number = u32::try_from(number).map_err(|_| ErrorNumber::EBADTYPE)?;
        if let Some(atomic) = netcdf_core::model::Atomic::from_number(number) {
            return Ok(atomic.into());
        }
        let id = number.checked_sub(FIRST_USER_TYPE).map(TypeId);
        let known = id.filter(|&id| self.schema().user_type(id).is_some());
        known.map(DataType::User).ok_or(ErrorNumber::EBADTYPE)
    }

    /// Returns a user-defined type by its number.
    pub(crate) fn user_type(&self, number: c_int) -> Result<&'a UserType, ErrorNumber> {
        match self.data_type(number)? {
            DataType::Atomic(_) => Err(ErrorNumber::EBADTYPE),
            DataType::User(id) => self.schema().user_type(id).ok_or(ErrorNumber::EBADTYPE),
        }
    }

    /// Returns the size of a value in the memory of C programs.
    pub(crate) fn memory_size(&self, ty: DataType) -> Result<usize, ErrorNumber> {
        let layout = self.loaded.layouts().of(ty);
        layout.map(|l| l.size).ok_or(ErrorNumber::EBADTYPE)
    }
}

/// The number of the first user-defined type (`NC_FIRSTUSERTYPEID`).
const FIRST_USER_TYPE: u32 = 32;

/// Returns the number of a type.
pub(crate) fn type_number(ty: DataType) -> c_int {
    c_int::try_from(ty.number()).unwrap_or(c_int::MAX)
}

/// Returns a count as an `int`.
pub(crate) fn int(n: usize) -> c_int {
    c_int::try_from(n).unwrap_or(c_int::MAX)
}

/// Returns a length as a `size_t`.
pub(crate) fn size(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// Returns the form in which datasets store a name: Unicode normalisation form C.
pub(crate) fn stored_name(name: &[u8]) -> Vec<u8> {
    let normal = match name.is_ascii() {
        true => None,
        false => Name::checked(name).ok(),
    };
    normal.map_or_else(|| name.to_vec(), |normal| normal.as_bytes().to_vec())
}
