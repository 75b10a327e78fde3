//! The syntax tree of declarations. Words are slices of the statement's text.

/// A word of a statement: a name, a path or a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatementWord<'t> {
    /// The text with escapes.
    pub text: &'t str,
    /// The byte offset in the statement.
    pub at: usize,
}

/// `name = size` or `name = UNLIMITED`
#[derive(Debug, Clone, PartialEq)]
pub struct DimensionStatement<'t> {
    /// The name.
    pub name: StatementWord<'t>,
    /// The size; `None` for `UNLIMITED`.
    pub size: Option<StatementWord<'t>>,
}

/// A type declaration.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeDeclaration<'t> {
    /// The name.
    pub name: StatementWord<'t>,
    /// The definition.
    pub body: TypeBody<'t>,
}

/// The classes of user-defined types.
#[derive(Debug, Clone, PartialEq)]
pub enum TypeBody<'t> {
    /// `base enum name { member = value, … }`
    Enum {
        /// The type of the values.
        base: StatementWord<'t>,
        /// Names and values.
        members: Vec<(StatementWord<'t>, StatementWord<'t>)>,
    },
    /// `opaque(size) name`
    Opaque(StatementWord<'t>),
    /// `base(*) name`
    Vlen(StatementWord<'t>),
    /// `compound name { type field, …; … }`
    Compound(Vec<FieldStatement<'t>>),
}

/// A field of a compound type.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldStatement<'t> {
    /// The field type.
    pub ty: StatementWord<'t>,
    /// The field name.
    pub name: StatementWord<'t>,
    /// The shape.
    pub dims: Vec<StatementWord<'t>>,
}

/// `type name(dimension, …), …`
#[derive(Debug, Clone, PartialEq)]
pub struct Variables<'t> {
    /// The type.
    pub ty: StatementWord<'t>,
    /// The variables, each with its dimensions.
    pub names: Vec<(StatementWord<'t>, Vec<StatementWord<'t>>)>,
}

/// `type variable:name =`, without the values.
#[derive(Debug, Clone, PartialEq)]
pub struct AttributeHead<'t> {
    /// The words before the colon: no word, a variable, a type, or a type and a variable.
    pub prefix: Vec<StatementWord<'t>>,
    /// The name.
    pub name: StatementWord<'t>,
}
