//! Changes classic files in place: new records, values, attributes and names.
//!
//! Records are written behind the count, and the count is written last. If the count is the only change of the old bytes, foreign programs
//! never see anything but the old or the new count.

use std::cmp::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::header;
use super::layout::check_records;
use super::new_records::{FilledSource, NewRecords};
use super::reader::ClassicReader;
use super::runs;
use crate::arithmetic::exact;
use crate::chunk::{Placement, Reader, Update};
use crate::env::Env;
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::io::Source;
use crate::io::patched::PatchedFile;
use crate::model::{DimId, FillMode, Kind, Schema, VarId};
use crate::notes::{Note, Notes};

/// The byte offset of the record count in the header.
const COUNT_AT: u64 = 4;
/// The maximum padding after a variable in bytes, which some programs do not write at the end of a file.
const PADDING: u64 = 3;

/// A classic file that is changed in place.
pub(super) struct ClassicUpdate {
    file: Arc<PatchedFile>,
    /// The dataset with all changes.
    reader: ClassicReader,
    records: Arc<Mutex<NewRecords>>,
    committed: CommittedHeader,
    notes: Arc<Notes>,
}

/// The header of the file on disk.
struct CommittedHeader {
    records: u64,
    len: u64,
    /// The schema, if the schema of the reader has changed.
    schema: Option<Schema>,
}

impl ClassicUpdate {
    /// Opens a file.
    ///
    /// # Errors
    /// Returns the errors of [`ClassicReader::open`].
    pub(super) fn open(file: Arc<PatchedFile>, env: &Env) -> Result<Self> {
        let reader = ClassicReader::open(Arc::clone(&file) as Arc<dyn Source>, env)?;
        if reader.file_len().is_none() {
            let what = "data beyond 2^64 bytes";
            return Err(Error::new(ErrorKind::Corrupt, what).of(file.name()));
        }
        let mut records = NewRecords::new(Arc::clone(&file), &reader.schema, &reader.places)?;
        records.restart(reader.records);
        let records = Arc::new(Mutex::new(records));
        let filled = FilledSource {
            file: Arc::clone(&file),
            records: Arc::clone(&records),
        };
        Ok(Self {
            committed: CommittedHeader {
                records: reader.records,
                len: reader.header,
                schema: None,
            },
            notes: Arc::clone(&env.notes),
            reader: reader.reading(Arc::new(filled)),
            records,
            file,
        })
    }

    fn kind(&self) -> Kind {
        self.reader.schema.kind
    }

    fn new_records(&self) -> MutexGuard<'_, NewRecords> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the stored form of a record count.
    fn count(&self, records: u64) -> Result<Vec<u8>> {
        if self.kind() == Kind::CDF5 {
            return Ok(records.to_be_bytes().to_vec());
        }
        let narrow = u32::try_from(records).ok();
        Ok(narrow.or_internal("a record count")?.to_be_bytes().to_vec())
    }

    /// Writes the true count to a header with STREAMING, so that new data does not become visible before the commit.
    fn end_streaming(&mut self) -> Result<()> {
        if self.reader.streaming {
            let count = self.count(self.committed.records)?;
            self.file.correct(COUNT_AT, &count)?;
            self.reader.streaming = false;
        }
        Ok(())
    }

    /// Returns the length of the file that the header on disk requires.
    fn committed_end(&self) -> Result<u64> {
        let end = self.reader.places.end(self.committed.records)?;
        Ok(end.max(self.committed.len))
    }

    /// Sets the length that the header requires: removes bytes that belong to no record, and extends a file without its last fill values.
    fn adjust_length(&mut self) -> Result<()> {
        let (want, have) = (self.committed_end()?, self.file.committed_len());
        let note = |what| Note {
            object: self.file.name().to_string(),
            what,
            remedy: None,
        };
        match want.cmp(&have) {
            Ordering::Equal => return Ok(()),
            Ordering::Less => {
                let what = format!("removed {} bytes after the last record", have - want);
                self.notes.remark(note(what));
            }
            Ordering::Greater if want - have <= PADDING => {}
            Ordering::Greater => {
                self.check_complete(have)?;
                let what = format!(
                    "extended by {} zero bytes, as the header requires",
                    want - have
                );
                self.notes.say(note(what));
            }
        }
        self.file.set_committed_len(want)
    }

    /// Checks that only a part of the last record, or of the last variable without records, is missing in a file of `have` bytes. Programs
    /// without fill values can omit this part, or all data of an empty file. Other short files were cut off.
    fn check_complete(&self, have: u64) -> Result<()> {
        let records = self.committed.records;
        let last = self.reader.places.last_part(records)?;
        let is_empty = records == 0 && have <= self.data_at();
        if is_empty || last.is_none_or(|last| have >= last) {
            return Ok(());
        }
        let what = format!(
            "the file is truncated: {have} bytes, but the header requires {}",
            self.committed_end()?
        );
        let e = Error::new(ErrorKind::Truncated, what).of(self.file.name());
        Err(match self.complete_records(have) {
            Some(count) => e.with_remedy(format!(
                "fetch it again, or copy its {count} complete records with nccopy --select"
            )),
            None => e.with_remedy("fetch it again"),
        })
    }

    /// Returns the number of complete records in a file of `have` bytes; `None` if there is none.
    fn complete_records(&self, have: u64) -> Option<u64> {
        let places = &self.reader.places;
        let bytes = have.checked_sub(places.records_at)?;
        let count = bytes.checked_div(places.record_size)?;
        (count > 0).then_some(count)
    }

    /// Extends the record dimension to at least `records`.
    fn grow(&mut self, records: u64) -> Result<()> {
        if records <= self.reader.records {
            return Ok(());
        }
        check_records(self.kind(), records)?;
        if self.reader.records == self.committed.records {
            self.end_streaming()?;
            self.adjust_length()?;
        }
        self.new_records().grow(records)?;
        self.set_records(records);
        Ok(())
    }

    /// Sets the record count of the reader.
    fn set_records(&mut self, records: u64) {
        let dims = self.reader.schema.dims.iter_mut();
        dims.filter(|d| d.unlimited).for_each(|d| d.len = records);
        self.reader.records = records;
    }

    /// Returns why a schema cannot be stored in place, if it cannot.
    fn obstacle(&self, schema: &Schema) -> Option<&'static str> {
        let own = &self.reader.schema;
        let mut dims = own.dims.iter().zip(&schema.dims);
        let mut vars = own.vars.iter().zip(&schema.vars);
        let same = own.kind == schema.kind
            && own.dims.len() == schema.dims.len()
            && own.vars.len() == schema.vars.len()
            && dims.all(|(a, b)| (a.unlimited, a.len) == (b.unlimited, b.len))
            && vars.all(|(a, b)| (a.ty, &a.dims) == (b.ty, &b.dims));
        (!same).then_some("dimensions or variables are new")
    }

    /// Returns the offset of the first data, which limits the header.
    fn data_at(&self) -> u64 {
        let begins = self.reader.places.vars.iter().map(|place| place.begin);
        begins.min().unwrap_or(self.reader.header)
    }

    /// Patches the header with the bytes that differ.
    fn patch_header(&self, new: &[u8]) -> Result<()> {
        self.file.replace(0, new)
    }
}

impl Update for ClassicUpdate {
    fn reader(&self) -> &dyn Reader {
        &self.reader
    }

    fn put_run(&mut self, var: VarId, element: u64, bytes: &[u8]) -> Result<Placement> {
        let beyond = || runs::beyond().in_object(&self.reader.schema.var_path(var));
        let place = self.reader.place(var)?;
        let size = place.ty.size().or_internal("a type without a size")? as u64;
        let from = element.checked_mul(size).ok_or_else(beyond)?;
        let end = from.checked_add(bytes.len() as u64).ok_or_else(beyond)?;
        if !place.record && end > place.slab {
            return Err(beyond());
        }
        if !self.new_records().accepts(var, &(from..end))? {
            return Ok(Placement::Anew("more than 64 MiB of stored values change"));
        }
        if place.record {
            self.grow(end.div_ceil(place.slab.max(1)))?;
        }
        if self.file.committed_len() < self.committed_end()? {
            self.adjust_length()?;
        }
        self.new_records().put(var, from, bytes)?;
        Ok(Placement::InPlace)
    }

    fn set_len(&mut self, dim: DimId, len: u64) -> Result<Placement> {
        if self.reader.schema.is_unlimited(dim) {
            self.grow(len)?;
        }
        Ok(Placement::InPlace)
    }

    fn define(&mut self, schema: &Schema) -> Result<Placement> {
        if let Some(reason) = self.obstacle(schema) {
            return Ok(Placement::Anew(reason));
        }
        let places = &self.reader.places.vars;
        let mut new = header::write(schema, self.committed.records, places)?;
        let len = new.len() as u64;
        if len > self.data_at() {
            return Ok(Placement::Anew("the header does not fit before the data"));
        }
        self.end_streaming()?;
        // The end of a longer old header becomes zero.
        new.resize(new.len().max(exact(self.reader.header).index()?), 0);
        self.patch_header(&new)?;
        let old = std::mem::replace(&mut self.reader.schema, schema.clone());
        self.committed.schema.get_or_insert(old);
        self.reader.header = len;
        self.new_records().define(schema)?;
        Ok(Placement::InPlace)
    }

    fn commit(&mut self, fill: FillMode) -> Result<()> {
        if self.reader.records > self.committed.records {
            match fill {
                FillMode::Fill => self.new_records().fill()?,
                FillMode::NoFill => {}
            }
            let count = self.count(self.reader.records)?;
            self.file.write(COUNT_AT, &count)?;
        }
        self.file.commit()?;
        self.committed = CommittedHeader {
            records: self.reader.records,
            len: self.reader.header,
            schema: None,
        };
        self.new_records().restart(self.committed.records);
        Ok(())
    }

    fn abandon(&mut self) -> Result<()> {
        self.file.abandon()?;
        if let Some(schema) = self.committed.schema.take() {
            self.new_records().define(&schema)?;
            self.reader.schema = schema;
        }
        self.reader.header = self.committed.len;
        self.set_records(self.committed.records);
        self.new_records().restart(self.committed.records);
        Ok(())
    }

    fn prepare_replacement(&self) -> Result<()> {
        self.file.check_unchanged()?;
        self.file.share_lock();
        Ok(())
    }
}
