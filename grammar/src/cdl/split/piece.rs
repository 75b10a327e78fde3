//! The pieces of CDL text that the splitter returns.

use std::fmt;
use std::ops::Range;

use crate::diagnostic::Anchor;

/// The sections of a group, in order.
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
    /// Returns the keyword without the colon.
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

/// A piece of text. [`super::Splitter::text`] returns its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CdlPiece {
    /// The piece kind.
    pub kind: CdlPieceKind,
    /// The start of the text.
    pub start: Anchor,
}

/// The piece kinds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CdlPieceKind {
    /// A section's keyword.
    Section(GroupSection),
    /// `group:`, a name and `{`. The text is the name.
    GroupStart,
    /// `}`, the end of a group.
    GroupEnd,
    /// A declaration or an attribute. The text ends before the `;`.
    Statement(Statement),
    /// A variable name, `=` and a value list. The text ends before the `=`.
    Data(ListPosition),
    /// The end of the text.
    End,
}

/// The structure of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statement {
    /// The offset of the first `=` outside of braces.
    pub equals: Option<usize>,
    /// The offset of the first `:`, if it precedes `=`.
    pub colon: Option<usize>,
    /// The end of the statement.
    pub end: StatementEnd,
}

/// The position of a value list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListPosition {
    /// The start of the values.
    pub start: Anchor,
    /// The byte range of the values, from after the `=` up to the `;`.
    pub bytes: Range<u64>,
    /// The end of the list.
    pub end: StatementEnd,
}

/// The ends of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatementEnd {
    /// `;`.
    Semicolon,
    /// The `}` of a type.
    Brace,
    /// The start of the next statement, with a missing `;`.
    Missing,
    /// The end of the text, within a string or comment that begins at the anchor.
    Unfinished(Unfinished, Anchor),
}

/// An unterminated construct.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfinished {
    /// A string.
    String,
    /// A comment.
    Comment,
}
