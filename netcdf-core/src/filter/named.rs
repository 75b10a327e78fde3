//! Names of the parameters that users give to filters, as in `blosc,codec=zstd,level=5`. The names of a filter's
//! parameters are in its table entry.

/// Parameters that belong together: in the list of numbers, theirs follow those of the mode.
#[derive(Debug, Clone, Copy)]
pub struct ParameterMode {
    /// The numbers before the parameters.
    pub before: &'static [u32],
    /// In the order of their numbers.
    pub parameters: &'static [Parameter],
}

/// A parameter with a name.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// How it is given.
    pub form: ParameterForm,
    /// Its number if left out; without a default it is required.
    pub default: Option<u32>,
}

/// How a parameter is given.
#[derive(Debug, Clone, Copy)]
pub enum ParameterForm {
    /// A whole number of 32 bits, signed or unsigned.
    Number,
    /// A number, stored as a double in two parameters, the lower half first.
    Double,
    /// One of these words.
    Word(&'static [(&'static str, u32)]),
    /// Its name alone.
    Flag,
}

impl ParameterMode {
    /// The parameters of a filter with a single mode.
    #[must_use]
    pub const fn of(parameters: &'static [Parameter]) -> Self {
        Self {
            before: &[],
            parameters,
        }
    }
}

impl Parameter {
    /// A whole number, with its default.
    #[must_use]
    pub const fn number(name: &'static str, default: u32) -> Self {
        Self {
            default: Some(default),
            ..Self::required(name, ParameterForm::Number)
        }
    }

    /// One of some words, with the default number.
    #[must_use]
    pub const fn word(
        name: &'static str,
        words: &'static [(&'static str, u32)],
        default: u32,
    ) -> Self {
        Self {
            default: Some(default),
            ..Self::required(name, ParameterForm::Word(words))
        }
    }

    /// Makes the parameter required.
    #[must_use]
    pub const fn required(name: &'static str, form: ParameterForm) -> Self {
        Self {
            name,
            form,
            default: None,
        }
    }
}
