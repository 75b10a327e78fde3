//! The text as `serde_json` reads it, byte by byte; where it is; and the first mistake.

use std::cell::{Cell, RefCell};
use std::io::{self, Read};

use netcdf_core::Error;
use netcdf_core::io::Source;
use serde::de::{self, DeserializeSeed, SeqAccess};

/// Bytes read at a time.
const PIECE: u64 = 64 << 10;

/// What all that read the same text share.
pub(super) struct InputContext {
    /// Offset of the next byte.
    at: Cell<u64>,
    /// The line of that byte, from 1.
    line: Cell<u32>,
    /// Where reading ends with an error, because something takes too much memory.
    most: Cell<u64>,
    /// Where the last value began.
    mark: Cell<u64>,
    /// The first mistake, and its offset.
    failure: RefCell<Option<(u64, String)>>,
    /// The way to it from the root, innermost step first.
    path: RefCell<Vec<PathStep>>,
    fatal: RefCell<Option<Error>>,
}

/// A mistake in the text.
#[derive(Debug)]
pub(super) struct ReadFailure {
    at: u64,
    what: String,
    /// The way from the root, innermost first.
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
    /// For a text from `at` on.
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

    /// Offset of the next byte.
    pub(super) fn at(&self) -> u64 {
        self.at.get()
    }

    /// The line of the next byte.
    pub(super) fn line(&self) -> u32 {
        self.line.get()
    }

    /// Notes that a value begins here, of which the first byte was read if it is an item or a key.
    pub(super) fn begin(&self, read: u64) -> u64 {
        let at = self.at() - read.min(self.at());
        self.mark.set(at);
        at
    }

    /// Allows this many further bytes.
    pub(super) fn allow(&self, bytes: u64) {
        self.most.set(self.at().saturating_add(bytes));
    }

    /// Allows all bytes; returns up to where they were allowed.
    pub(super) fn allow_all(&self) -> u64 {
        self.most.replace(u64::MAX)
    }

    /// Allows the bytes up to an offset.
    pub(super) fn allow_until(&self, most: u64) {
        self.most.set(most);
    }

    /// A mistake where the last value began.
    pub(super) fn wrong<E: de::Error>(&self, what: impl Into<String>) -> E {
        self.wrong_at(self.mark.get(), what)
    }

    /// A mistake.
    pub(super) fn wrong_at<E: de::Error>(&self, at: u64, what: impl Into<String>) -> E {
        self.failure
            .borrow_mut()
            .get_or_insert_with(|| (at, what.into()));
        E::custom("wrong")
    }

    /// The end, because of an error that is not a mistake in the text.
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
    /// An error that is not a mistake in the text.
    pub(super) fn failure(&self, e: &serde_json::Error) -> Result<ReadFailure, Error> {
        if let Some(error) = self.fatal.borrow_mut().take() {
            return Err(error);
        }
        let path = self.path.take();
        let (at, what) = self.failure.take().unwrap_or_else(|| self.found(e));
        Ok(ReadFailure { at, what, path })
    }

    /// A mistake that `serde_json` found.
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
    /// The message, with the path within `base`.
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

    /// The offset of the mistake, without blanks before it.
    pub(super) fn place(&self, source: &dyn Source) -> u64 {
        skip_blanks(source, self.at)
    }

    /// The same mistake, in a part of a text that begins at `start`.
    pub(super) fn moved(self, start: u64) -> Self {
        let at = self.at.saturating_add(start);
        Self { at, ..self }
    }
}

/// The offset of the first byte from `at` on that is not blank.
pub(super) fn skip_blanks(source: &dyn Source, at: u64) -> u64 {
    let left = usize::try_from(source.len().saturating_sub(at)).unwrap_or(usize::MAX);
    let mut bytes = vec![0; left.min(4096)];
    if source.read_at(at, &mut bytes).is_err() {
        return at;
    }
    let blanks = bytes.iter().take_while(|b| b.is_ascii_whitespace());
    at + blanks.count() as u64
}

/// The bytes of a source from a position on.
pub(super) struct SourceInput<'a> {
    source: &'a dyn Source,
    context: &'a InputContext,
    /// Bytes that were read, and how many of them were passed on.
    buffer: Vec<u8>,
    used: usize,
}

impl<'a> SourceInput<'a> {
    /// From the position of `context` on.
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
        // `serde_json` asks for one byte at a time.
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
            true => Err(io::Error::other("too long to be kept in memory")),
            false => Ok(1),
        }
    }
}
