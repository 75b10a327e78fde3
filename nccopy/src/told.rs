//! Notes of several inputs. Repeated notes are merged.

use std::collections::HashMap;
use std::path::Path;

use netcdf_core::notes::{CollectedNotes, Note, Notes, few};
use netcdf_core::shown::ShownAddress;
use netcdf_core::tool::{self, Io};

/// Merges and prints the notes of several inputs. Each note names its input. A repeated note is counted instead of printed again.
#[derive(Debug, Default)]
pub(crate) struct Told {
    several: bool,
    /// Each printed note with the further inputs that caused the same note.
    said: Vec<(Note, Vec<String>)>,
    places: HashMap<Note, usize>,
}

impl Told {
    /// Returns empty notes for this number of inputs.
    #[must_use]
    pub(crate) fn of(inputs: usize) -> Self {
        Self {
            several: inputs > 1,
            ..Self::default()
        }
    }

    /// Prints the notes of an input that no earlier input caused.
    pub(crate) fn tell(&mut self, notes: &CollectedNotes, input: &Path, io: &mut Io) {
        let input = ShownAddress::of(input).into_text();
        let fresh = Notes::default();
        for note in notes.together() {
            if !self.several {
                fresh.say(note);
                continue;
            }
            let place = *self.places.entry(note.clone()).or_insert(self.said.len());
            if let Some((_, others)) = self.said.get_mut(place) {
                others.push(input.clone());
                continue;
            }
            fresh.say(of(&input, note.clone()));
            self.said.push((note, vec![]));
        }
        tool::tell("nccopy", &fresh, io);
    }

    /// Prints the further inputs of each repeated note.
    pub(crate) fn rest(self, io: &mut Io) {
        let rest = Notes::default();
        for (note, others) in self.said {
            if !others.is_empty() {
                rest.say(of(&few(&others), note));
            }
        }
        tool::tell("nccopy", &rest, io);
    }
}

/// Returns a note that names its input.
fn of(input: &str, note: Note) -> Note {
    let object = match note.object.starts_with(input) {
        true => note.object,
        false => format!("{input}: {}", note.object),
    };
    Note { object, ..note }
}
