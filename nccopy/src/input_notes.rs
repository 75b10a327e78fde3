//! Notes of several inputs. Repeated notes are merged.

use std::collections::HashMap;
use std::path::Path;

use netcdf_core::notes::{CollectedNotes, Note, Notes, few};
use netcdf_core::shown::ShownAddress;
use netcdf_core::tool::{self, Io};

/// Merges and prints the notes of several inputs. Each note names its input. A repeated note is counted instead of printed again.
#[derive(Debug, Default)]
pub(crate) struct InputNotes {
    several: bool,
    /// Each printed note with the further inputs that caused the same note.
    printed: Vec<(Note, Vec<String>)>,
    indices: HashMap<Note, usize>,
}

impl InputNotes {
    /// Returns empty notes for this number of inputs.
    #[must_use]
    pub(crate) fn of(inputs: usize) -> Self {
        Self {
            several: inputs > 1,
            ..Self::default()
        }
    }

    /// Prints the notes of an input that no earlier input caused.
    pub(crate) fn print(&mut self, notes: &CollectedNotes, input: &Path, io: &mut Io) {
        let input = ShownAddress::of(input).into_text();
        let fresh = Notes::default();
        for note in notes.together() {
            if !self.several {
                fresh.say(note);
                continue;
            }
            let index = *self
                .indices
                .entry(note.clone())
                .or_insert(self.printed.len());
            if let Some((_, inputs)) = self.printed.get_mut(index) {
                inputs.push(input.clone());
                continue;
            }
            fresh.say(of(&input, note.clone()));
            self.printed.push((note, vec![]));
        }
        tool::tell("nccopy", &fresh, io);
    }

    /// Prints the further inputs of each repeated note.
    pub(crate) fn print_repeated(self, io: &mut Io) {
        let rest = Notes::default();
        for (note, inputs) in self.printed {
            if !inputs.is_empty() {
                rest.say(of(&few(&inputs), note));
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
