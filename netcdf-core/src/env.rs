//! What is passed down to everything that opens, reads or writes: no global state.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroU16;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::chunk::pool::Pool;
use crate::error::{Error, ErrorKind, Result, plain_part};
use crate::limits::Limits;

/// The surroundings of a run, made once in `main` (or by a test) and passed down.
#[derive(Debug, Default)]
pub struct Env {
    /// What files may make us allocate.
    pub limits: Limits,
    /// Chunk filters that can be used.
    pub filters: crate::filter::Table,
    /// Threads and memory budget.
    pub pool: Pool,
    /// Reports that are not fatal.
    pub notes: Notes,
    /// Damage that concerns one attribute or object only.
    pub damage: Damage,
    /// Set by a signal.
    pub cancel: Cancel,
    /// Bytes done, for a progress bar.
    pub progress: Progress,
    /// Memory for chunks and bands.
    pub buffers: Arc<crate::chunk::buffers::Buffers>,
    /// Memory for jobs that want much of it.
    pub memory: Memory,
    /// Where temporary files are made; without it, where the system has them.
    pub scratch: Option<std::path::PathBuf>,
    /// Whether a dataset may name files outside of its directory.
    pub allow_external: bool,
    /// What a copy makes up in place of data that is not there.
    pub made_up: MadeUp,
    /// What is made: no dataset may need it.
    pub outputs: crate::io::siblings::Outputs,
}

impl Env {
    /// The default surroundings with this number of threads; with `None`, one a core.
    #[must_use]
    pub fn with_threads(threads: Option<NonZeroU16>) -> Self {
        let mut env = Self::default();
        if let Some(threads) = threads {
            env.pool = Pool::new(threads.get().into());
        }
        env
    }
}

/// What may be made up in place of data that is not there. As a rule it may be: that is what readers do.
#[derive(Debug, Clone, Copy, Default)]
pub struct MadeUp {
    /// Sources of virtual datasets that are missing are errors; fill values do not stand for them.
    pub refuse_missing: bool,
    /// Outputs of more than a gigabyte that are nearly all fill values are errors.
    pub refuse_large: bool,
}

/// Bytes of memory that a job may take which has to hold much data at a time, as to change the
/// shapes of chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory(pub u64);

impl Default for Memory {
    fn default() -> Self {
        Self(256 << 20)
    }
}

/// A report that is not fatal.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Note {
    /// The object or resource concerned.
    pub object: String,
    /// What is to be said.
    pub what: String,
    /// The way out, if there is one.
    pub remedy: Option<String>,
}

impl std::fmt::Display for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}: {}",
            plain_part(&self.object),
            plain_part(&self.what)
        )?;
        match &self.remedy {
            Some(remedy) => write!(f, " ({})", plain_part(remedy)),
            None => Ok(()),
        }
    }
}

/// Names in a line: all if they are few, else the first of them and how many more there are.
#[must_use]
pub fn few(names: &[impl AsRef<str>]) -> String {
    const MOST: usize = 4;
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    if let Some((first, rest)) = names.split_at_checked(MOST - 1)
        && rest.len() > 1
    {
        return format!("{} and {} more", first.join(", "), rest.len());
    }
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        Some(_) | None => names.concat(),
    }
}

/// Makes one note of those that say the same of several objects, in the place of the first of them.
#[must_use]
pub fn together(notes: Vec<Note>) -> Vec<Note> {
    let mut all: Vec<(Note, Vec<String>)> = vec![];
    let mut places: HashMap<(String, Option<String>), usize, foldhash::fast::RandomState> =
        HashMap::default();
    for note in notes {
        let same = (note.what.clone(), note.remedy.clone());
        let place = *places.entry(same).or_insert(all.len());
        match all.get_mut(place) {
            Some((_, objects)) => objects.push(note.object),
            None => {
                let objects = vec![note.object.clone()];
                all.push((note, objects));
            }
        }
    }
    let one = |(note, objects): (Note, Vec<String>)| Note {
        object: few(&objects),
        ..note
    };
    all.into_iter().map(one).collect()
}

/// The one way for a report that is not fatal. Tools print the notes; `--strict` makes them fatal.
#[derive(Debug, Default)]
pub struct Notes {
    said: Mutex<Said>,
    /// The option that makes them errors.
    strict: Option<&'static str>,
}

/// The notes in order, and which they are.
#[derive(Debug, Default)]
struct Said {
    notes: Vec<Note>,
    known: HashSet<Note, foldhash::fast::RandomState>,
    /// Whether any of them says that something is not as asked, or lost.
    counts: bool,
}

impl Notes {
    /// Notes that are errors: see [`Notes::check`].
    #[must_use]
    pub fn strict() -> Self {
        Self::strict_because("--strict")
    }

    /// Notes that are errors with this option.
    #[must_use]
    pub fn strict_because(option: &'static str) -> Self {
        Self {
            strict: Some(option),
            ..Self::default()
        }
    }

    /// Whether notes are errors.
    #[must_use]
    pub fn is_strict(&self) -> bool {
        self.strict.is_some()
    }

    /// Looks whether to go on, where nothing is done yet that cannot be undone.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] if notes are errors and there are any but remarks.
    pub fn check(&self) -> Result<()> {
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        match self.strict {
            Some(option) if said.counts => {
                let what = format!("stopped, as notes are errors with {option}");
                Err(Error::new(ErrorKind::Argument, what))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Adds a note, unless it was said already.
    pub fn say(&self, note: Note) {
        self.add(note, true);
    }

    /// Adds a note of what is good to know, but neither lost nor done in another way than asked: it is no error, whatever notes
    /// are.
    pub fn remark(&self, note: Note) {
        self.add(note, false);
    }

    fn add(&self, note: Note, counts: bool) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        said.counts |= counts;
        if said.known.insert(note.clone()) {
            said.notes.push(note);
        }
    }

    /// Takes what was said so far, in order.
    #[must_use]
    pub fn take(&self) -> Vec<Note> {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *said).notes
    }
}

/// What becomes of damage that concerns one attribute or object only. As a rule it is an error like any
/// other; who tolerates it has to ask for it, say it, and fail in the end.
#[derive(Debug, Default)]
pub struct Damage(Option<Mutex<Vec<Error>>>);

/// What has so much damage is better not shown.
const MOST_DAMAGE: usize = 100;

impl Damage {
    /// What is damaged is left out, and kept in mind.
    #[must_use]
    pub fn tolerated() -> Self {
        Self(Some(Mutex::default()))
    }

    /// Takes note of damage.
    ///
    /// # Errors
    /// The error itself if it is not tolerated: no damage is, or there was much before, or it is
    /// none.
    pub fn meet(&self, e: Error) -> Result<()> {
        let damage = e.is_damage();
        self.keep(e, damage)
    }

    /// Takes note of an object of a store that cannot be had, for whatever reason: that is damage of one object, too.
    ///
    /// # Errors
    /// As [`Damage::meet`]; that the run is cancelled is none.
    pub fn meet_lost(&self, e: Error) -> Result<()> {
        let lost = matches!(
            e.kind(),
            ErrorKind::Io | ErrorKind::Unsupported | ErrorKind::NoContent | ErrorKind::BadName
        );
        let damage = lost || e.is_damage();
        self.keep(e, damage)
    }

    fn keep(&self, e: Error, damage: bool) -> Result<()> {
        let Some(found) = &self.0 else {
            return Err(e);
        };
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        if found.len() >= MOST_DAMAGE || !damage {
            return Err(e);
        }
        found.push(e);
        Ok(())
    }

    /// Takes what was tolerated so far, in order.
    #[must_use]
    pub fn take(&self) -> Vec<Error> {
        self.0.as_ref().map_or_else(Vec::new, |found| {
            std::mem::take(&mut *found.lock().unwrap_or_else(PoisonError::into_inner))
        })
    }
}

/// Cancellation: the number of the signal that asked for it, 0 for none.
#[derive(Debug, Clone, Default)]
pub struct Cancel(pub Arc<AtomicUsize>);

impl Cancel {
    /// The signal that cancelled the run.
    #[must_use]
    pub fn signal(&self) -> Option<usize> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            signal => Some(signal),
        }
    }

    /// # Errors
    /// [`ErrorKind::Cancelled`] once a signal came.
    pub fn check(&self) -> Result<()> {
        match self.signal() {
            None => Ok(()),
            Some(n) => Err(Error::new(
                ErrorKind::Cancelled,
                format!("stopped by signal {n}"),
            )),
        }
    }
}

/// Bytes to do and done; a tool with a terminal shows them.
#[derive(Debug, Clone, Default)]
pub struct Progress(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    total: std::sync::atomic::AtomicU64,
    done: std::sync::atomic::AtomicU64,
}

impl Progress {
    /// Adds to the bytes to do.
    pub fn expect(&self, bytes: u64) {
        self.0.total.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Adds to the bytes done.
    pub fn advance(&self, bytes: u64) {
        self.0.done.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Bytes done and to do.
    #[must_use]
    pub fn get(&self) -> (u64, u64) {
        (
            self.0.done.load(Ordering::Relaxed),
            self.0.total.load(Ordering::Relaxed),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_several_objects_is_said_once() {
        let note = |object: &str, what: &str| Note {
            object: object.to_owned(),
            what: what.to_owned(),
            remedy: None,
        };
        let notes = ["a", "b", "c", "d", "e"].map(|o| note(o, "odd"));
        let said = |n: usize| {
            let mut notes = notes[..n].to_vec();
            notes.insert(1, note("x", "even"));
            together(notes)
                .iter()
                .map(Note::to_string)
                .collect::<Vec<_>>()
        };
        assert_eq!(said(1), ["a: odd", "x: even"]);
        assert_eq!(said(2), ["a and b: odd", "x: even"]);
        assert_eq!(said(4), ["a, b, c and d: odd", "x: even"]);
        assert_eq!(said(5), ["a, b, c and 2 more: odd", "x: even"]);
    }

    #[test]
    fn notes_are_said_once() {
        let notes = Notes::default();
        let note = Note {
            object: "/v".into(),
            what: "odd".into(),
            remedy: None,
        };
        notes.say(note.clone());
        notes.say(note.clone());
        assert_eq!(notes.take(), [note]);
        assert!(notes.take().is_empty());
    }

    #[test]
    fn notes_are_lines() {
        let note = Note {
            object: "/a\x1b[31m\nX".into(),
            what: "to /\x1b[2J".into(),
            remedy: Some("\n".into()),
        };
        assert_eq!(note.to_string(), "/a\\x1b[31m\\nX: to /\\x1b[2J (\\n)");
    }

    #[test]
    fn notes_are_errors_on_demand() {
        let note = || Note {
            object: "/v".into(),
            what: "odd".into(),
            remedy: None,
        };
        let (notes, strict) = (Notes::default(), Notes::strict());
        assert!(strict.check().is_ok());
        notes.say(note());
        strict.say(note());
        assert!(notes.check().is_ok() && strict.check().is_err());
    }

    /// Comparing each with all before it takes minutes.
    #[test]
    fn very_many_notes_are_said() {
        let notes = Notes::default();
        for n in 0..100_000 {
            notes.say(Note {
                object: format!("/v{n}"),
                what: "odd".into(),
                remedy: None,
            });
        }
        assert_eq!(notes.take().len(), 100_000);
    }

    #[test]
    fn damage_is_tolerated_on_demand_and_not_without_end() {
        let damage = || Error::new(ErrorKind::Checksum, "odd");
        assert!(Damage::default().meet(damage()).is_err());
        let tolerated = Damage::tolerated();
        for _ in 0..MOST_DAMAGE {
            assert!(tolerated.meet(damage()).is_ok());
        }
        assert!(tolerated.meet(damage()).is_err());
        assert_eq!(tolerated.take().len(), MOST_DAMAGE);
        assert!(tolerated.take().is_empty());
    }

    #[test]
    fn only_damage_is_tolerated() {
        let tolerated = Damage::tolerated();
        for kind in [ErrorKind::Cancelled, ErrorKind::Io, ErrorKind::Unsupported] {
            let e = tolerated.meet(Error::new(kind, "odd")).unwrap_err();
            assert_eq!(e.kind(), kind);
        }
        assert!(tolerated.take().is_empty());
    }

    #[test]
    fn what_a_store_does_not_give_is_damage() {
        let tolerated = Damage::tolerated();
        for kind in [ErrorKind::Io, ErrorKind::NoContent, ErrorKind::Corrupt] {
            assert!(tolerated.meet_lost(Error::new(kind, "odd")).is_ok());
        }
        let cancelled = || Error::new(ErrorKind::Cancelled, "odd");
        assert!(tolerated.meet_lost(cancelled()).is_err());
        assert!(Damage::default().meet_lost(cancelled()).is_err());
        assert_eq!(tolerated.take().len(), 3);
    }

    #[test]
    fn cancel_names_the_signal() {
        let cancel = Cancel::default();
        assert!(cancel.check().is_ok());
        cancel.0.store(15, Ordering::Relaxed);
        assert_eq!(cancel.check().unwrap_err().kind(), ErrorKind::Cancelled);
        assert_eq!(cancel.signal(), Some(15));
    }
}
