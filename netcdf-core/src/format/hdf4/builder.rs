//! Builds the schema of an HDF4 file.

use std::collections::HashMap;

use super::names::Names;
use super::ntype::Hdf4NumberType;
use super::sds_data::{Data, SdsData};
use crate::chunk::elements;
use crate::env::Env;
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::model::{
    Attribute, DimId, Dimension, FilterSpec, GroupId, Kind, Name, Schema, Storage, Values, Variable,
};
use crate::notes::Note;

/// The length of a dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Hdf4Length {
    /// A fixed length.
    Fixed(u64),
    /// The length of the longest variable along this dimension.
    Unlimited,
}

/// A variable to define.
#[derive(Debug)]
pub(super) struct NewVariable {
    /// The stored name.
    pub name: Vec<u8>,
    /// The number type.
    pub ty: Hdf4NumberType,
    /// The dimensions.
    pub dims: Vec<DimId>,
    /// The attributes, with stored names.
    pub attributes: Vec<NewAttribute>,
    /// The data.
    pub data: Data,
}

/// An attribute to define.
#[derive(Debug, Clone)]
pub(super) struct NewAttribute {
    /// The stored name.
    pub name: Vec<u8>,
    /// The values.
    pub values: Values,
}

/// The schema under construction, and how variables are stored.
#[derive(Debug)]
pub(super) struct Builder<'a> {
    env: &'a Env,
    /// The schema so far.
    pub schema: Schema,
    /// The stored data of each variable.
    pub stored: Vec<SdsData>,
    dims: HashMap<(Vec<u8>, Hdf4Length), DimId, foldhash::fast::RandomState>,
    dim_names: Names,
    var_names: Names,
    /// Remaining byte limit for attributes.
    attribute_budget: u64,
}

impl<'a> Builder<'a> {
    /// An empty schema. `attribute_budget` limits the total bytes of all attributes.
    #[must_use]
    pub(super) fn new(kind: Kind, attribute_budget: u64, env: &'a Env) -> Self {
        Self {
            env,
            schema: Schema::new(kind),
            stored: vec![],
            dims: HashMap::default(),
            dim_names: Names::default(),
            var_names: Names::default(),
            attribute_budget,
        }
    }

    /// Returns the dimension with a stored name and length. The same name with another length is another dimension.
    pub(super) fn dim(&mut self, stored: &[u8], length: Hdf4Length) -> DimId {
        let key = (stored.to_vec(), length);
        if let Some(&known) = self.dims.get(&key) {
            return known;
        }
        let name = self.dim_names.add(stored);
        self.renamed(&format!("dimension {name}"), stored, &name);
        let dim = self.schema.add_dim(Dimension {
            name,
            group: GroupId::ROOT,
            len: match length {
                Hdf4Length::Fixed(len) => len,
                Hdf4Length::Unlimited => 0,
            },
            unlimited: length == Hdf4Length::Unlimited,
        });
        self.dims.insert(key, dim);
        dim
    }

    /// Adds a variable.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] if the parts of the variable contradict each other.
    pub(super) fn variable(&mut self, new: NewVariable) -> Result<()> {
        let later = new.dims.get(1..).unwrap_or_default();
        if later.iter().any(|&d| self.is_unlimited(d)) {
            let what = "an unlimited dimension that is not the first one";
            return Err(Error::new(ErrorKind::Corrupt, what));
        }
        let shape: Vec<u64> = new.dims.iter().map(|&d| self.length(d)).collect();
        new.data.check(&shape, new.ty)?;
        let name = self.var_names.add(&new.name);
        self.renamed(&format!("/{name}"), &new.name, &name);
        let attributes = self.attributes(new.attributes, &format!("/{name}"));
        let stored = SdsData {
            ty: new.ty,
            fill: fill(&new.data, &attributes, new.ty),
            data: new.data,
        };
        self.grow(new.dims.first(), &stored, &shape);
        self.schema.add_var(Variable {
            name,
            group: GroupId::ROOT,
            ty: new.ty.atomic.into(),
            dims: new.dims,
            attributes,
            storage: Storage {
                layout: Some(stored.data.storage()),
                filters: shown_filters(&stored, &shape),
                endianness: Some(new.ty.order),
                ..Storage::default()
            },
        });
        self.stored.push(stored);
        Ok(())
    }

    /// Adds attributes of the dataset.
    pub(super) fn globals(&mut self, new: Vec<NewAttribute>) {
        let attributes = self.attributes(new, "");
        if let Some(root) = self.schema.groups.first_mut() {
            root.attributes = attributes;
        }
    }

    /// Converts the attributes of an object.
    fn attributes(&mut self, new: Vec<NewAttribute>, object: &str) -> Vec<Attribute> {
        let mut names = Names::default();
        let mut attributes = Vec::with_capacity(new.len());
        for NewAttribute {
            name: stored,
            values,
        } in new
        {
            let name = names.add(&stored);
            self.renamed(&format!("{object}:{name}"), &stored, &name);
            attributes.extend(Attribute::atomic(name, values));
        }
        attributes
    }

    /// Counts the bytes of an attribute before they are copied. Attributes of an intact file do not share bytes, so their total is smaller
    /// than the file.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] if the total exceeds the file.
    pub(super) fn count(&mut self, bytes: usize) -> Result<()> {
        let left = self.attribute_budget.checked_sub(bytes as u64);
        let shared = || Error::new(ErrorKind::Corrupt, "attributes share their bytes");
        self.attribute_budget = left.ok_or_else(shared)?;
        Ok(())
    }

    /// Checks a variable's number of dimensions.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`] for too many dimensions.
    pub(super) fn check_rank(&self, rank: usize) -> Result<()> {
        let most = self.env.limits.rank as usize;
        if rank <= most {
            return Ok(());
        }
        let what = format!("{rank} dimensions, the limit is {most}");
        Err(Error::new(ErrorKind::Limit, what))
    }

    /// Extends an unlimited dimension to the length of a variable.
    fn grow(&mut self, dim: Option<&DimId>, stored: &SdsData, shape: &[u64]) {
        let dim = dim.and_then(|d| self.schema.dims.get_mut(d.index()));
        if let Some(dim) = dim.filter(|d| d.unlimited) {
            dim.len = dim.len.max(stored.data.records(stored.record(shape)));
        }
    }

    fn length(&self, dim: DimId) -> u64 {
        self.schema.dim(dim).map_or(0, |d| d.len)
    }

    fn is_unlimited(&self, dim: DimId) -> bool {
        self.schema.dim(dim).is_some_and(|d| d.unlimited)
    }

    /// Notes that an object has another name in the file.
    fn renamed(&self, object: &str, stored: &[u8], name: &Name) {
        if name.as_bytes() == stored {
            return;
        }
        let shown = String::from_utf8_lossy(stored);
        let what = match Name::checked(stored) {
            Ok(_) => {
                format!("called \"{shown}\" in the file, where several objects have this name")
            }
            Err(_) => format!("called \"{shown}\" in the file, which netCDF does not allow"),
        };
        self.env.notes.say(Note {
            object: object.to_owned(),
            what,
            remedy: None,
        });
    }

    /// Handles an unreadable object: a note if netCDF cannot represent the object.
    ///
    /// # Errors
    /// Returns damage errors, unless the settings tolerate damage.
    pub(super) fn note_unreadable(&self, e: Error, object: &str) -> Result<()> {
        if e.kind() != ErrorKind::Unsupported {
            let e = Err::<(), _>(e).in_object(|| object.to_owned());
            return e.or_else(|e| self.env.damage.meet(e));
        }
        self.env.notes.skip(Note {
            object: object.to_owned(),
            what: format!("skipped: {}", e.what()),
            remedy: e.remedy().map(str::to_owned),
        });
        Ok(())
    }

    /// The path of a variable with a stored name.
    #[must_use]
    pub(super) fn path(stored: &[u8]) -> String {
        format!("/{}", String::from_utf8_lossy(stored))
    }
}

/// The filters shown in the schema: the filters of chunks.
fn shown_filters(stored: &SdsData, shape: &[u64]) -> Vec<FilterSpec> {
    match stored.data {
        Data::Chunked(_) => stored.layout(shape).filters,
        Data::Nothing | Data::Run(_) | Data::Compressed(_) => vec![],
    }
}

/// The stored bytes of an unwritten number: the fill value of the chunks, or the `_FillValue` attribute if its size matches the type.
fn fill(data: &Data, attributes: &[Attribute], ty: Hdf4NumberType) -> Vec<u8> {
    if let Data::Chunked(chunked) = data
        && chunked.fill.len() as u64 == ty.size()
    {
        return chunked.fill.clone();
    }
    let own = attributes.iter().find(|a| a.name.is("_FillValue"));
    let own = own.and_then(|a| {
        let mut bytes = vec![];
        elements::encode(&a.values, ty.order, &mut bytes).ok()?;
        let size = a.values.data_type()?.size()?;
        bytes.truncate(size);
        (bytes.len() as u64 == ty.size()).then_some(bytes)
    });
    own.unwrap_or_else(|| ty.unwritten())
}
