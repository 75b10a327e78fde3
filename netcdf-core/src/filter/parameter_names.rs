//! Names of filter parameters, as in `blosc,codec=zstd,level=5`. The table entry of a filter contains its parameter names.

/// Parameters of one mode of a filter. In the parameter list, their numbers follow the numbers of the mode.
#[derive(Debug, Clone, Copy)]
pub struct ParameterMode {
    /// The mode numbers before the parameters.
    pub before: &'static [u32],
    /// The parameters, ordered by number.
    pub parameters: &'static [Parameter],
}

/// A named parameter.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// The parameter name.
    pub name: &'static str,
    /// The form of the value.
    pub form: ParameterForm,
    /// The default number; a parameter without a default is required.
    pub default: Option<u32>,
}

/// The form of a parameter's value.
#[derive(Debug, Clone, Copy)]
pub enum ParameterForm {
    /// A whole number of 32 bits, signed or unsigned.
    Number,
    /// A number, stored as a double in two parameters, the lower half first.
    Double,
    /// One of these words.
    Word(&'static [(&'static str, u32)]),
    /// The name alone, without a value.
    Flag,
}

impl ParameterMode {
    /// Returns the parameters of a single-mode filter.
    #[must_use]
    pub const fn of(parameters: &'static [Parameter]) -> Self {
        Self {
            before: &[],
            parameters,
        }
    }
}

impl Parameter {
    /// Returns a whole-number parameter with its default.
    #[must_use]
    pub const fn number(name: &'static str, default: u32) -> Self {
        Self {
            default: Some(default),
            ..Self::required(name, ParameterForm::Number)
        }
    }

    /// Returns a parameter with a set of words, and the default number.
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

    /// Returns a required parameter.
    #[must_use]
    pub const fn required(name: &'static str, form: ParameterForm) -> Self {
        Self {
            name,
            form,
            default: None,
        }
    }
}
