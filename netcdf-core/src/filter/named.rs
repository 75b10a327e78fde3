//! Names of the parameters that a user gives to filters, as in `blosc,codec=zstd,level=5`. Those of a filter stand in its row of
//! the table.

use super::BUILT_IN;

/// Parameters that are given together: the numbers that stand for them follow those of the mode.
#[derive(Debug, Clone, Copy)]
pub struct Mode {
    /// The numbers before the parameters.
    pub before: &'static [u32],
    /// In the order in which their numbers stand.
    pub parameters: &'static [Parameter],
}

/// A parameter with a name.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// What it is called.
    pub name: &'static str,
    /// What it is given as.
    pub form: Form,
    /// Its number if it is left out, which it may not be without one.
    pub default: Option<u32>,
}

/// What a parameter is given as.
#[derive(Debug, Clone, Copy)]
pub enum Form {
    /// A whole number of 32 bits, with or without a sign.
    Number,
    /// A number, which becomes a double in two numbers, the lower half first.
    Double,
    /// One of these words.
    Word(&'static [(&'static str, u32)]),
    /// Its name alone.
    Flag,
}

impl Mode {
    /// The parameters of a filter that has one mode.
    #[must_use]
    pub const fn of(parameters: &'static [Parameter]) -> Self {
        Self {
            before: &[],
            parameters,
        }
    }
}

impl Parameter {
    /// A whole number, with what it is if it is left out.
    #[must_use]
    pub const fn number(name: &'static str, default: u32) -> Self {
        Self {
            default: Some(default),
            ..Self::required(name, Form::Number)
        }
    }

    /// One of some words, with the number that there is if it is left out.
    #[must_use]
    pub const fn word(
        name: &'static str,
        words: &'static [(&'static str, u32)],
        default: u32,
    ) -> Self {
        Self {
            default: Some(default),
            ..Self::required(name, Form::Word(words))
        }
    }

    /// What cannot be left out.
    #[must_use]
    pub const fn required(name: &'static str, form: Form) -> Self {
        Self {
            name,
            form,
            default: None,
        }
    }
}

/// The parameters of a filter that is built in; nothing if it has none, or of another one.
#[must_use]
pub fn modes(id: u32) -> &'static [Mode] {
    let row = BUILT_IN.iter().find(|row| row.id == id);
    row.map_or(&[], |row| row.named)
}
