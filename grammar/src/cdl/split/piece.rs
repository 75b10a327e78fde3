//! The pieces that the splitter returns.

use std::fmt;
use std::ops::Range;

use crate::diagnostic::Anchor;

/// The sections of a group, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GroupSection {
    /// `types:`
    Types,
    /// `dimensions:`
    Dimensions,
    /// `variables:`
    Variables,
    /// `data:`
    Data,
}

impl GroupSection {
    /// The keyword, without its colon.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Types => "types",
            Self::Dimensions => "dimensions",
            Self::Variables => "variables",
            Self::Data => "data",
        }
    }
}

impl fmt::Display for GroupSection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}:`", self.name())
    }
}

/// A piece of the text. Its content is in [`super::Splitter::text`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CdlPiece {
    /// Its kind.
    pub kind: CdlPieceKind,
    /// Where its text begins.
    pub start: Anchor,
}

/// The kinds of pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CdlPieceKind {
    /// A section's keyword.
    Section(GroupSection),
    /// `group:`, its name, `{`. The text is the name.
    GroupStart,
    /// `}`, the end of a group.
    GroupEnd,
    /// A declaration or an attribute. The text goes up to its `;`.
    Statement(Statement),
    /// A variable's name, `=` and a list of values. The text goes up to the `=`.
    Data(ListPosition),
    /// The end of the text.
    End,
}

/// The structure of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statement {
    /// Position in the text of the first `=` outside of braces.
    pub equals: Option<usize>,
    /// Position in the text of the first `:`, if it comes before `=`.
    pub colon: Option<usize>,
    /// How it ends.
    pub end: StatementEnd,
}

/// The position of a list of values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListPosition {
    /// Where the values begin.
    pub start: Anchor,
    /// The bytes of the values, from after the `=` up to the `;`.
    pub bytes: Range<u64>,
    /// How it ends.
    pub end: StatementEnd,
}

/// How a statement ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatementEnd {
    /// With `;`.
    Semicolon,
    /// With the `}` of a type.
    Brace,
    /// With the beginning of something else.
    Missing,
    /// With the text, within a string or comment that begins there.
    Unfinished(Unfinished, Anchor),
}

/// A construct without an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfinished {
    /// A string.
    String,
    /// A comment.
    Comment,
}
