//! The syntax of declarations as written, without their meaning. Words are parts of the statement's text.

/// A word of a statement: a name, a path or a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word<'t> {
    /// As written, with escapes.
    pub text: &'t str,
    /// Position in the statement in bytes.
    pub at: usize,
}

/// `name = size` or `name = UNLIMITED`
#[derive(Debug, Clone, PartialEq)]
pub struct Dimension<'t> {
    /// The name.
    pub name: Word<'t>,
    /// The size; `None` for `UNLIMITED`.
    pub size: Option<Word<'t>>,
}

/// A type's declaration.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeDeclaration<'t> {
    /// The name.
    pub name: Word<'t>,
    /// Its definition.
    pub body: TypeBody<'t>,
}

/// The kinds of types.
#[derive(Debug, Clone, PartialEq)]
pub enum TypeBody<'t> {
    /// `base enum name { member = value, … }`
    Enum {
        /// The type of the values.
        base: Word<'t>,
        /// Names and values.
        members: Vec<(Word<'t>, Word<'t>)>,
    },
    /// `opaque(size) name`
    Opaque(Word<'t>),
    /// `base(*) name`
    Vlen(Word<'t>),
    /// `compound name { type field, …; … }`
    Compound(Vec<Field<'t>>),
}

/// A field of a compound type.
#[derive(Debug, Clone, PartialEq)]
pub struct Field<'t> {
    /// Its type.
    pub ty: Word<'t>,
    /// Its name.
    pub name: Word<'t>,
    /// Its shape.
    pub dims: Vec<Word<'t>>,
}

/// `type name(dimension, …), …`
#[derive(Debug, Clone, PartialEq)]
pub struct Variables<'t> {
    /// The type.
    pub ty: Word<'t>,
    /// The variables, each with its dimensions.
    pub names: Vec<(Word<'t>, Vec<Word<'t>>)>,
}

/// `type variable:name =`, without the values.
#[derive(Debug, Clone, PartialEq)]
pub struct AttributeHead<'t> {
    /// The words before the colon: nothing, a variable, a type, or a type and a variable.
    pub prefix: Vec<Word<'t>>,
    /// The name.
    pub name: Word<'t>,
}
