//! Filter pipelines of variables, from special attributes.

use netcdf_core::error::ErrorKind;
use netcdf_core::filter::ids::{DEFLATE, FLETCHER32, SHUFFLE};
use netcdf_core::format::traits;
use netcdf_core::model::{FilterSpec, Kind, VarId};

use super::Lower;
use crate::cdl::ast::StatementWord;

/// The filters that the attributes of a variable define.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct AttributeChain {
    /// `_Fletcher32`
    pub(super) fletcher32: bool,
    /// `_Shuffle`
    pub(super) shuffle: bool,
    /// `_DeflateLevel`; 0 disables the filter.
    pub(super) level: u32,
    /// The filters of all `_Filter` attributes.
    pub(super) filters: Vec<FilterSpec>,
}

impl AttributeChain {
    /// Returns the filters in the order of ncgen, independent of the attribute order.
    fn definitions(&self) -> impl Iterator<Item = FilterSpec> {
        let own = [
            self.fletcher32.then_some((FLETCHER32, vec![])),
            self.shuffle.then_some((SHUFFLE, vec![])),
            (self.level > 0).then(|| (DEFLATE, vec![self.level])),
        ];
        let own = own.into_iter().flatten();
        own.map(|(id, params)| FilterSpec { id, params })
            .chain(self.filters.iter().cloned())
    }
}

impl Lower<'_> {
    /// Applies the attribute `word` to the filters of a variable.
    pub(super) fn chain(
        &mut self,
        var: VarId,
        word: StatementWord<'_>,
        change: impl FnOnce(&mut AttributeChain),
    ) {
        let chain = self.chains.entry(var).or_default();
        change(chain);
        let definitions: Vec<_> = chain.definitions().collect();
        // Without a requested kind, the attribute implies netCDF-4. Another kind reports unsupported filters at the end.
        match self.kind {
            None => self.schema.kind = Kind::NETCDF4,
            Some(kind) if !traits(kind).settings => return,
            Some(_) => {}
        }
        self.storage(var, |s| s.filters.clear());
        for filter in definitions {
            let Err(e) = self.schema.define_filter(var, filter) else {
                continue;
            };
            let message = format!("{}: {}", word.text, e.what());
            // Report a mistake only once per attribute.
            self.chains.remove(&var);
            return match e.kind() {
                ErrorKind::VariableLength => {
                    let path = self.schema.var_path(var);
                    self.warning(
                        word.at,
                        format!("{message}; {path} is stored without this filter"),
                    );
                }
                _ => self.error(word.at, message),
            };
        }
    }
}
