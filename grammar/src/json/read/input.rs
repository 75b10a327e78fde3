//! JSON text as `serde_json` reads it, byte by byte, with the position and the first mistake.

use std::cell::{Cell, RefCell};
use std::io::{self, Read};

use netcdf_core::Error;
use netcdf_core::io::Source;
use serde::de::{self, DeserializeSeed, SeqAccess};

/// Block size of reads in bytes.
const PIECE: u64 = 64 << 10;

/// The state shared by all deserializers of a text.
pub(super) struct InputContext {
    /// The offset of the next byte.
    at: Cell<u64>,
    /// The line of the next byte, from 1.
    line: Cell<u32>,
    /// The memory limit: reading beyond this offset is an error.
    most: Cell<u64>,
    /// The start of the last value.
    mark: Cell<u64>,
    /// The first mistake with its offset.
    failure: RefCell<Option<(u64, String)>>,
    /// The path of the mistake from the root, innermost step first.
    path: RefCell<Vec<PathStep>>,
    fatal: RefCell<Option<Error>>,
}

/// A mistake in the text.
#[derive(Debug)]
pub(super) struct ReadFailure {
    at: u64,
    what: String,
    /// The path from the root, innermost step first.
    path: Vec<PathStep>,
}

/// A step of a path.
#[derive(Debug)]
pub(super) enum PathStep {
    /// A member of an object.
    Member(String),
    /// An item of an array.
    Item(u64),
}

impl InputContext {
    /// Creates a context for a text that starts at `at`.
    pub(super) fn new(at: u64) -> Self {
        Self {
            at: Cell::new(at),
            line: Cell::new(1),
            most: Cell::new(u64::MAX),
            mark: Cell::new(at),
            failure: RefCell::new(None),
            path: RefCell::new(vec![]),
            fatal: RefCell::new(None),
        }
    }

    /// Returns the offset of the next byte.
    pub(super) fn at(&self) -> u64 {
        self.at.get()
    }

    /// Returns the line of the next byte.
    pub(super) fn line(&self) -> u32 {
        self.line.get()
    }

    /// Records the start of a value. For items and keys, the first byte was already read.
    pub(super) fn begin(&self, read: u64) -> u64 {
        let at = self.at() - read.min(self.at());
        self.mark.set(at);
        at
    }

    /// Allows `bytes` further bytes.
    pub(super) fn allow(&self, bytes: u64) {
        self.most.set(self.at().saturating_add(bytes));
    }

    /// Removes the memory limit and returns the old one.
    pub(super) fn allow_all(&self) -> u64 {
        self.most.replace(u64::MAX)
    }

    /// Sets the memory limit to an offset.
    pub(super) fn allow_until(&self, most: u64) {
        self.most.set(most);
    }

    /// Records a mistake at the start of the last value.
    pub(super) fn wrong<E: de::Error>(&self, what: impl Into<String>) -> E {
        self.wrong_at(self.mark.get(), what)
    }

    /// Records a mistake at an offset.
    pub(super) fn wrong_at<E: de::Error>(&self, at: u64, what: impl Into<String>) -> E {
        self.failure
            .borrow_mut()
            .get_or_insert_with(|| (at, what.into()));
        E::custom("wrong")
    }

    /// Stops reading because of an error outside the text.
    pub(super) fn stop<E: de::Error>(&self, error: Error) -> E {
        *self.fatal.borrow_mut() = Some(error);
        E::custom("stopped")
    }

    /// Adds a step to the path of a mistake.
    pub(super) fn inside<E>(&self, step: PathStep, e: E) -> E {
        self.path.borrow_mut().push(step);
        e
    }

    /// Reads item `i` of a list; `None` after the last item.
    pub(super) fn item<'de, A: SeqAccess<'de>, S: DeserializeSeed<'de>>(
        &self,
        list: &mut A,
        i: u64,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        let item = list.next_element_seed(seed);
        item.map_err(|e| self.inside(PathStep::Item(i), e))
    }

    /// What went wrong.
    ///
    /// # Errors
    /// Returns an error outside the text, for instance an I/O error.
    pub(super) fn failure(&self, e: &serde_json::Error) -> Result<ReadFailure, Error> {
        if let Some(error) = self.fatal.borrow_mut().take() {
            return Err(error);
        }
        let path = self.path.take();
        let (at, what) = self.failure.take().unwrap_or_else(|| self.found(e));
        Ok(ReadFailure { at, what, path })
    }

    /// Returns a mistake that `serde_json` found.
    fn found(&self, e: &serde_json::Error) -> (u64, String) {
        let text = e.to_string();
        let what = text.rfind(" at line ").and_then(|end| text.get(..end));
        let at = match e.is_data() {
            true => self.mark.get(),
            false => self.at().saturating_sub(1),
        };
        (at, what.unwrap_or(&text).to_owned())
    }
}

impl ReadFailure {
    /// Returns the message, with the path within `base`.
    pub(super) fn message(&self, base: &str) -> String {
        let mut path = base.to_owned();
        for step in self.path.iter().rev() {
            match step {
                PathStep::Member(name) => path.extend(["/", name]),
                PathStep::Item(i) => path.push_str(&format!("[{i}]")),
            }
        }
        match path.is_empty() {
            true => self.what.clone(),
            false => format!("{path}: {}", self.what),
        }
    }

    /// Returns the offset of the mistake, after leading blanks.
    pub(super) fn place(&self, source: &dyn Source) -> u64 {
        skip_blanks(source, self.at)
    }

    /// Moves the mistake of a text fragment that begins at `start`.
    pub(super) fn moved(self, start: u64) -> Self {
        let at = self.at.saturating_add(start);
        Self { at, ..self }
    }
}

/// Returns the offset of the first byte from `at` that is not blank.
pub(super) fn skip_blanks(source: &dyn Source, at: u64) -> u64 {
    let left = usize::try_from(source.len().saturating_sub(at)).unwrap_or(usize::MAX);
    let mut bytes = vec![0; left.min(4096)];
    if source.read_at(at, &mut bytes).is_err() {
        return at;
    }
    let blanks = bytes.iter().take_while(|b| b.is_ascii_whitespace());
    at + blanks.count() as u64
}

/// The bytes of a source from a position.
pub(super) struct SourceInput<'a> {
    source: &'a dyn Source,
    context: &'a InputContext,
    /// The buffered bytes, and the number of bytes already consumed.
    buffer: Vec<u8>,
    used: usize,
}

impl<'a> SourceInput<'a> {
    /// Returns an input that starts at the position of `context`.
    pub(super) fn new(source: &'a dyn Source, context: &'a InputContext) -> Self {
        Self {
            source,
            context,
            buffer: vec![],
            used: 0,
        }
    }

    #[cold]
    fn refill(&mut self) -> io::Result<()> {
        let at = self.context.at();
        let len = self.source.len().saturating_sub(at).min(PIECE);
        self.buffer.resize(usize::try_from(len).unwrap_or(0), 0);
        self.used = 0;
        if let Err(e) = self.source.read_at(at, &mut self.buffer) {
            *self.context.fatal.borrow_mut() = Some(e);
            return Err(io::Error::other("cannot read"));
        }
        Ok(())
    }
}

impl Read for SourceInput<'_> {
    #[inline]
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.used == self.buffer.len() {
            self.refill()?;
        }
        // `serde_json` requests single bytes.
        let (Some(slot), Some(&byte)) = (out.first_mut(), self.buffer.get(self.used)) else {
            return Ok(0);
        };
        *slot = byte;
        self.used += 1;
        let context = self.context;
        context.at.set(context.at() + 1);
        if byte == b'\n' {
            context.line.set(context.line().saturating_add(1));
        }
        match context.at() > context.most.get() {
            true => Err(io::Error::other("too long for memory")),
            false => Ok(1),
        }
    }
}
