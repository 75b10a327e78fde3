//! CDL and JSON, and the specifications of filters and chunks.

use netcdf_core::model::{Endianness, Values};
use netcdf_core::{Error, ErrorKind, Result};
use netcdf_grammar::cdl::values::{self, ValueList, Problems, ValueSink};
use netcdf_grammar::cdl::{self, TextForm, ReadOptions};
use netcdf_grammar::{chunk_spec, filter_spec, json};

use crate::{limits, source};

/// CDL or JSON: declarations, then the data. The first byte selects the kind of the output.
pub fn cdl(input: &[u8]) {
    let Some((number, text)) = input.split_first() else {
        return;
    };
    let options = ReadOptions {
        kind: netcdf_core::format::kind_named(&(number % 8).to_string()),
        limits: limits(),
        strict: number & 8 != 0,
    };
    let source = source(text);
    let read = match json::read::is_json(&*source) {
        Ok(true) => json::read::read(&*source, &options),
        Ok(false) | Err(_) => cdl::read(&*source, &options),
    };
    let Ok(cdl) = read else {
        return;
    };
    for list in cdl.data.iter().chain(&cdl.replaced) {
        let list = ValueList {
            source: &*source,
            bytes: list.bytes.clone(),
            var: list.var,
            form: list.form,
        };
        let mut problems = Problems::default();
        let read = match list.form {
            TextForm::Cdl => {
                let _ = values::lengths(&list, &cdl.schema, &mut Problems::default());
                values::read
            }
            TextForm::Json => json::read::values,
        };
        let _ = read(
            &list,
            &cdl.schema,
            Endianness::Big,
            &mut problems,
            &mut Nowhere(0),
        );
    }
}

/// Counts bytes, and fails at a limit.
struct Nowhere(usize);

impl Nowhere {
    fn take(&mut self, bytes: usize) -> Result<()> {
        self.0 = self.0.saturating_add(bytes);
        match self.0 > 1 << 20 {
            true => Err(Error::new(ErrorKind::Limit, "enough bytes")),
            false => Ok(()),
        }
    }
}

impl ValueSink for Nowhere {
    fn bytes(&mut self, _: u64, bytes: &[u8]) -> Result<()> {
        self.take(bytes.len())
    }

    fn values(&mut self, _: u64, values: &Values) -> Result<()> {
        self.take(values.len())
    }
}

/// The filter and chunk options of nccopy.
pub fn specs(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let _ = filter_spec::filters(text);
    let _ = filter_spec::assignment(text);
    let _ = filter_spec::quantization(text);
    let _ = chunk_spec::parse(text);
}
