//! Datasets as CDL, JSON, comma-separated values and NcML.

use std::io::Write;
use std::path::Path;

use netcdf_core::chunk::{Dataset, Reader};
use netcdf_core::error::{Error, Result};
use netcdf_core::notes::Notes;
use netcdf_grammar::cdl::write::{self, CdlOptions};
use netcdf_grammar::json;

use crate::csv::CellForms;
use crate::forms::DumpForms;
use crate::request::DumpRequest;
use crate::{csv, ncml};

impl DumpRequest {
    /// Writes a dataset as CDL. `omitted` receives the reasons for skipped data.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`](netcdf_core::ErrorKind::NotFound) for unknown names, and errors of reading and writing.
    pub(crate) fn write(
        &self,
        set: &Dataset<'_>,
        name: &[u8],
        omitted: &mut Vec<Error>,
        out: &mut dyn Write,
    ) -> Result<()> {
        let schema = set.reader.schema();
        let forms = DumpForms::new(schema, self.digits, (self.times, &set.env.notes));
        let selection = self.select.selection(schema)?;
        let options = CdlOptions {
            name: name.to_vec(),
            data: (!self.header).then_some(selection),
            annotation: self.annotation,
            line_length: self.line_length,
            float: self.digits.float,
            double: self.digits.double,
            special: self.special,
            fill_type: self.fill_type,
            forms: Some(&forms),
            damaged: !omitted.is_empty(),
        };
        write::write(set, &options, omitted, out)
    }

    /// Writes a dataset as JSON. `omitted` receives the reasons for skipped data.
    ///
    /// # Errors
    /// Returns the errors of [`DumpRequest::write`].
    pub(crate) fn json(
        &self,
        set: &Dataset<'_>,
        name: &[u8],
        omitted: &mut Vec<Error>,
        out: &mut dyn Write,
    ) -> Result<()> {
        let selection = self.select.selection(set.reader.schema())?;
        let options = json::write::JsonOptions {
            name: name.to_vec(),
            data: (!self.header).then_some(selection),
            special: self.special,
        };
        json::write::write(set, &options, omitted, out)
    }

    /// Writes the selected variables as comma-separated values.
    ///
    /// # Errors
    /// Returns the errors of [`csv::write`], and [`ErrorKind::NotFound`](netcdf_core::ErrorKind::NotFound) for unknown names.
    pub(crate) fn csv(&self, set: Dataset<'_>, out: &mut dyn Write) -> Result<()> {
        let schema = set.reader.schema();
        let vars = self.select.chosen(schema)?.unwrap_or_default();
        let forms = DumpForms::new(schema, self.digits, (self.times, &set.env.notes));
        let forms = CellForms {
            forms: &forms,
            digits: self.digits,
        };
        csv::write(set, &vars, forms, out)
    }

    /// Returns the metadata of a dataset as NcML.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`](netcdf_core::ErrorKind::NotFound) for unknown names, and
    /// [`ErrorKind::Limit`](netcdf_core::ErrorKind::Limit) for types with too many nested fields.
    pub(crate) fn ncml(&self, reader: &dyn Reader, path: &Path, notes: &Notes) -> Result<Vec<u8>> {
        let selection = self.select.selection(reader.schema())?;
        ncml::write(reader.schema(), path, self, &selection, notes)
    }
}
