//! Notes: messages that are not errors.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, ErrorKind, Result, plain_part};
use crate::shown::{number_agreement, without_secrets};

/// A message that is not fatal.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Note {
    /// The object or resource of the message.
    pub object: String,
    /// The message.
    pub what: String,
    /// The remedy, if any.
    pub remedy: Option<String>,
}

impl std::fmt::Display for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}: {}",
            plain_part(&without_secrets(&self.object)),
            plain_part(&without_secrets(&number_agreement(
                self.what.clone().into()
            )))
        )?;
        match &self.remedy {
            Some(remedy) => write!(f, " ({})", plain_part(&without_secrets(remedy))),
            None => Ok(()),
        }
    }
}

/// The maximum number of object names in a remark.
const FEW: usize = 3;

/// The maximum number of lost objects in a line: damaged files can have millions.
const MANY: usize = 1000;

/// Returns a list of names: all names if there are few, else the first names and the number of omitted names.
#[must_use]
pub fn few(names: &[impl AsRef<str>]) -> String {
    first(names, FEW)
}

/// Returns the first names, and the number of omitted names if at least two are omitted.
fn first(names: &[impl AsRef<str>], most: usize) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.split_at_checked(most) {
        Some((first, rest)) if rest.len() > 1 => {
            return format!("{} and {} more", first.join(", "), rest.len());
        }
        Some(_) | None => {}
    }
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        Some(_) | None => names.concat(),
    }
}

/// Notes in the order in which they were added.
#[derive(Debug, Default)]
pub struct CollectedNotes(Vec<(Note, Weight)>);

/// The weight of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weight {
    /// Lost data, or a deviation from the request.
    Loss,
    /// A skipped object, which counts as a loss.
    Skipped,
    /// Useful information without a loss.
    Remark,
    /// A note to be printed before the work. Losses were counted when the note was added.
    Urgent,
    /// An urgent note that is already printed.
    Printed,
}

impl CollectedNotes {
    /// Returns the notes in the order in which they were added.
    pub fn notes(&self) -> impl Iterator<Item = &Note> {
        self.0.iter().map(|(note, _)| note)
    }

    /// Merges notes with the same message about several objects, at the position of the first note. A loss lists all objects, a remark only
    /// some.
    #[must_use]
    pub fn together(&self) -> Vec<Note> {
        let mut all: Vec<(&Note, Weight, Vec<&str>)> = vec![];
        let mut places: HashMap<_, usize, foldhash::fast::RandomState> = HashMap::default();
        let unprinted = |(_, weight): &&(Note, Weight)| *weight != Weight::Printed;
        for (note, weight) in self.0.iter().filter(unprinted) {
            let place = *places
                .entry((&note.what, &note.remedy))
                .or_insert(all.len());
            match all.get_mut(place) {
                Some((_, heaviest, objects)) => {
                    objects.push(&note.object);
                    if *weight != Weight::Remark {
                        *heaviest = Weight::Loss;
                    }
                }
                None => all.push((note, *weight, vec![&note.object])),
            }
        }
        let one = |(note, weight, objects): (&Note, Weight, Vec<&str>)| Note {
            object: match weight {
                Weight::Loss | Weight::Skipped | Weight::Urgent | Weight::Printed => {
                    first(&objects, MANY)
                }
                Weight::Remark => first(&objects, FEW),
            },
            ..note.clone()
        };
        all.into_iter().map(one).collect()
    }
}

/// A collector of messages that are not fatal. Tools print the notes; `--strict` makes them fatal.
#[derive(Debug, Default)]
pub struct Notes {
    log: Mutex<NoteLog>,
    /// The option that makes notes errors.
    strict: Option<&'static str>,
}

/// The notes in order, and as a set.
#[derive(Debug, Default)]
struct NoteLog {
    notes: Vec<(Note, Weight)>,
    known: HashSet<Note, foldhash::fast::RandomState>,
    /// Whether any note is a loss.
    has_loss: bool,
}

impl Notes {
    /// Returns a collector that treats notes as errors, see [`Notes::check`].
    #[must_use]
    pub fn strict() -> Self {
        Self::strict_because("--strict")
    }

    /// Returns a collector that treats notes as errors because of this option.
    #[must_use]
    pub fn strict_because(option: &'static str) -> Self {
        Self {
            strict: Some(option),
            ..Self::default()
        }
    }

    /// Returns true if notes are errors.
    #[must_use]
    pub fn is_strict(&self) -> bool {
        self.strict.is_some()
    }

    /// Checks whether to continue. Callers use it before an irreversible step.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] if notes are errors and some are not just remarks.
    pub fn check(&self) -> Result<()> {
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        match self.strict {
            Some(option) if log.has_loss => {
                let what = format!("stopped because notes are errors with {option}");
                Err(Error::new(ErrorKind::Argument, what))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Adds a note unless the same note exists.
    pub fn say(&self, note: Note) {
        self.add(note, Weight::Loss);
    }

    /// Adds a note of a skipped object.
    pub fn skip(&self, note: Note) {
        self.add(note, Weight::Skipped);
    }

    /// Returns the notes of [`Notes::skip`].
    #[must_use]
    pub fn skipped(&self) -> Vec<Note> {
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let skipped = log
            .notes
            .iter()
            .filter(|(_, weight)| *weight == Weight::Skipped);
        skipped.map(|(note, _)| note.clone()).collect()
    }

    /// Adds a remark: useful information about neither a loss nor a deviation from the request. It is never an error.
    pub fn remark(&self, note: Note) {
        self.add(note, Weight::Remark);
    }

    /// Adds a note that tools print before they start to work ([`Notes::take_urgent`]).
    pub fn urgent(&self, note: Note) {
        self.add(note, Weight::Urgent);
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.has_loss = true;
    }

    /// Adds a remark that tools print before they start to work ([`Notes::take_urgent`]).
    pub fn urgent_remark(&self, note: Note) {
        self.add(note, Weight::Urgent);
    }

    /// Returns the urgent notes for printing. [`CollectedNotes::together`] then omits them; [`CollectedNotes::notes`] has them.
    #[must_use]
    pub fn take_urgent(&self) -> Vec<Note> {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let urgent = log.notes.iter_mut();
        let urgent = urgent.filter(|(_, weight)| *weight == Weight::Urgent);
        let printed = urgent.map(|(note, weight)| {
            *weight = Weight::Printed;
            note.clone()
        });
        printed.collect()
    }

    fn add(&self, note: Note, weight: Weight) {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.has_loss |= matches!(weight, Weight::Loss | Weight::Skipped);
        if log.known.insert(note.clone()) {
            log.notes.push((note, weight));
        }
    }

    /// Adds all notes of another collector.
    pub fn absorb(&self, other: &Self) {
        let CollectedNotes(notes) = other.take_all();
        for (note, weight) in notes {
            self.add(note, weight);
        }
    }

    /// Takes the notes, in order.
    #[must_use]
    pub fn take(&self) -> Vec<Note> {
        let taken = self.take_all();
        taken.0.into_iter().map(|(note, _)| note).collect()
    }

    /// Takes all notes except remarks.
    #[must_use]
    pub fn take_losses(&self) -> Vec<Note> {
        let (remarks, losses): (Vec<_>, Vec<_>) = self
            .take_all()
            .0
            .into_iter()
            .partition(|(_, weight)| *weight == Weight::Remark);
        remarks.into_iter().for_each(|(note, _)| self.remark(note));
        losses.into_iter().map(|(note, _)| note).collect()
    }

    /// Returns a copy of the notes.
    #[must_use]
    pub fn so_far(&self) -> CollectedNotes {
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        CollectedNotes(log.notes.clone())
    }

    /// Takes the notes, for [`CollectedNotes::together`].
    #[must_use]
    pub fn take_all(&self) -> CollectedNotes {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        CollectedNotes(std::mem::take(&mut *log).notes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_of_several_objects_are_merged() {
        let note = |object: &str, what: &str| Note {
            object: object.to_owned(),
            what: what.to_owned(),
            remedy: None,
        };
        let printed = |n: usize, add: fn(&Notes, Note)| {
            let notes = Notes::default();
            for (place, object) in ["a", "b", "c", "d", "e"][..n].iter().enumerate() {
                add(&notes, note(object, "odd"));
                if place == 0 {
                    notes.say(note("x", "even"));
                }
            }
            let together = notes.take_all().together();
            let lines: Vec<_> = together.iter().map(Note::to_string).collect();
            lines.join("\n")
        };
        let remarks = |n| printed(n, Notes::remark);
        assert_eq!(remarks(1), "a: odd\nx: even");
        assert_eq!(remarks(2), "a and b: odd\nx: even");
        assert_eq!(remarks(4), "a, b, c and d: odd\nx: even");
        assert_eq!(remarks(5), "a, b, c and 2 more: odd\nx: even");
        assert_eq!(printed(5, Notes::say), "a, b, c, d and e: odd\nx: even");
    }

    #[test]
    fn repeated_notes_are_dropped() {
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
    fn urgent_notes_are_printed_once() {
        let notes = Notes::strict();
        let note = |what: &str| Note {
            object: "o.nc".into(),
            what: what.into(),
            remedy: None,
        };
        notes.urgent_remark(note("a"));
        assert!(notes.check().is_ok());
        notes.urgent(note("b"));
        assert!(notes.check().is_err());
        assert_eq!(notes.take_urgent(), [note("a"), note("b")]);
        assert!(notes.take_urgent().is_empty());
        notes.urgent(note("c"));
        let taken = notes.take_all();
        assert_eq!(taken.together(), [note("c")]);
        assert_eq!(taken.notes().count(), 3);
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

    /// Comparing each note with all earlier notes takes minutes.
    #[test]
    fn very_many_notes_are_fast() {
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
}
