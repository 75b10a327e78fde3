//! Converts the parsed parts of a text to a schema, with the lowering code of CDL. Groups, dimensions and types precede variables and
//! attributes, so that the order of the text does not matter.

use netcdf_core::io::Source;
use netcdf_core::model::GroupId;

use super::object::MemberName;
use super::parts::{DimensionPart, FieldPart, JsonGroup, TypePart, VariablePart};
use super::words::JsonWord;
use crate::cdl::ast::{self, TypeBody, TypeDeclaration};
use crate::cdl::lower::{Lower, LowerPass};
use crate::cdl::{DataList, TextForm};
use crate::json::names::{reference_to_cdl, to_cdl, type_to_cdl};

/// The schema under construction.
pub(super) struct Define<'s> {
    pub(super) lower: Lower<'s>,
    pub(super) source: &'s dyn Source,
    /// Whether the text has a member `kind`.
    pub(super) has_kind: bool,
}

/// A CDL word with its offset.
pub(super) struct CdlWord {
    text: String,
    at: usize,
}

impl CdlWord {
    pub(super) fn name(key: &MemberName) -> Self {
        Self::new(to_cdl(&key.name), key.at)
    }

    pub(super) fn new(text: String, at: u64) -> Self {
        // Text offsets fit `usize`.
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        Self { text, at }
    }

    pub(super) fn ty(word: &JsonWord) -> Self {
        Self::new(type_to_cdl(&word.text), word.at)
    }

    fn plain(word: &JsonWord) -> Self {
        Self::new(word.text.clone(), word.at)
    }

    pub(super) fn word(&self) -> ast::StatementWord<'_> {
        let (text, at) = (&self.text, self.at);
        ast::StatementWord { text, at }
    }
}

impl<'s> Define<'s> {
    pub(super) fn new(lower: Lower<'s>, source: &'s dyn Source) -> Self {
        Self {
            lower,
            source,
            has_kind: false,
        }
    }

    /// Defines the dataset; `lower` collects the mistakes.
    pub(super) fn dataset(&mut self, root: &JsonGroup) {
        self.lower.first_pass();
        self.group(root);
        let mut progress = true;
        while progress && self.lower.postponed() > 0 {
            let before = self.lower.postponed();
            self.lower.types_pass(true);
            self.group(root);
            progress = self.lower.postponed() < before;
        }
        if self.lower.postponed() > 0 {
            self.lower.types_pass(false);
            self.group(root);
        }
        if !self.lower.report.has_errors() {
            self.lower.second_pass();
            self.group(root);
        }
    }

    /// Defines the objects of a group that belong to the current pass.
    fn group(&mut self, part: &JsonGroup) {
        match self.lower.pass {
            LowerPass::Definitions => {
                part.types.iter().for_each(|ty| self.user_type(ty));
                part.dims.iter().for_each(|dim| self.dimension(dim));
            }
            LowerPass::Types => part.types.iter().for_each(|ty| self.user_type(ty)),
            LowerPass::All | LowerPass::Forward | LowerPass::Rest => {
                part.variables.iter().for_each(|var| self.variable(var));
                self.attributes(None, &part.attributes);
            }
        }
        for (key, sub) in &part.groups {
            self.within(&["groups", &key.name], |define| define.subgroup(key, sub));
        }
    }

    fn subgroup(&mut self, key: &MemberName, part: &JsonGroup) {
        let name = CdlWord::name(key);
        let Some(group) = self.lower.open_group(name.word()) else {
            return;
        };
        let outer: GroupId = std::mem::replace(&mut self.lower.group, group);
        self.group(part);
        self.lower.group = outer;
    }

    /// Runs `define` with a longer path.
    pub(super) fn within(&mut self, steps: &[&str], define: impl FnOnce(&mut Self)) {
        let length = self.lower.path.len();
        for step in steps {
            self.lower.path.extend(["/", step]);
        }
        define(self);
        self.lower.path.truncate(length);
    }

    /// Reports a mistake at an offset, with the path.
    pub(super) fn error(&mut self, at: u64, what: &str) {
        let at = super::input::skip_blanks(self.source, at);
        self.lower
            .error(usize::try_from(at).unwrap_or(usize::MAX), what);
    }

    fn missing(&mut self, key: &MemberName, member: &str) {
        self.error(key.at, &format!("`{member}` is missing"));
    }

    fn dimension(&mut self, (key, part): &(MemberName, DimensionPart)) {
        self.within(&["dimensions", &key.name], |define| {
            let name = CdlWord::name(key);
            let size = part.size.as_ref().filter(|_| !part.unlimited);
            if size.is_none() && !part.unlimited {
                return define.missing(key, "size");
            }
            let size = size.map(CdlWord::plain);
            define.lower.dimensions(&[ast::DimensionStatement {
                name: name.word(),
                size: size.as_ref().map(CdlWord::word),
            }]);
        });
    }

    fn user_type(&mut self, (key, part): &(MemberName, TypePart)) {
        self.within(&["types", &key.name], |define| {
            let class = part.class.as_ref();
            match class.map(|word| word.text.as_str()) {
                Some("enum") => define.enumeration(key, part),
                Some("opaque") => define.opaque(key, part),
                Some("vlen") => define.vlen(key, part),
                Some("compound") => define.compound(key, part),
                Some(_) | None => {
                    let at = class.map_or(key.at, |word| word.at);
                    define.error(at, "`class` must be enum, opaque, vlen or compound");
                }
            }
        });
    }

    fn declare(&mut self, key: &MemberName, body: TypeBody<'_>) {
        let name = CdlWord::name(key);
        self.lower.types(&[TypeDeclaration {
            name: name.word(),
            body,
        }]);
    }

    fn enumeration(&mut self, key: &MemberName, part: &TypePart) {
        let Some(base) = part.base.as_ref().map(CdlWord::ty) else {
            return self.missing(key, "base");
        };
        let Some(members) = &part.members else {
            return self.missing(key, "members");
        };
        let members = members.iter();
        let members: Vec<_> = members
            .map(|(name, value)| (CdlWord::name(name), CdlWord::plain(value)))
            .collect();
        let words = members.iter();
        let body = TypeBody::Enum {
            base: base.word(),
            members: words
                .map(|(name, value)| (name.word(), value.word()))
                .collect(),
        };
        self.declare(key, body);
    }

    fn opaque(&mut self, key: &MemberName, part: &TypePart) {
        match part.size.as_ref().map(CdlWord::plain) {
            Some(size) => self.declare(key, TypeBody::Opaque(size.word())),
            None => self.missing(key, "size"),
        }
    }

    fn vlen(&mut self, key: &MemberName, part: &TypePart) {
        match part.base.as_ref().map(CdlWord::ty) {
            Some(base) => self.declare(key, TypeBody::Vlen(base.word())),
            None => self.missing(key, "base"),
        }
    }

    fn compound(&mut self, key: &MemberName, part: &TypePart) {
        let Some(fields) = &part.fields else {
            return self.missing(key, "fields");
        };
        let mut words = vec![];
        for (name, field) in fields {
            let FieldPart {
                ty: Some(ty),
                shape,
            } = field
            else {
                return self.within(&["fields", &name.name], |d| d.missing(name, "type"));
            };
            let shape: Vec<_> = shape.iter().map(CdlWord::plain).collect();
            words.push((CdlWord::ty(ty), CdlWord::name(name), shape));
        }
        let fields = words.iter().map(|(ty, name, dims)| ast::FieldStatement {
            ty: ty.word(),
            name: name.word(),
            dims: dims.iter().map(CdlWord::word).collect(),
        });
        self.declare(key, TypeBody::Compound(fields.collect()));
    }

    fn variable(&mut self, (key, part): &(MemberName, VariablePart)) {
        self.within(&["variables", &key.name], |define| {
            let Some(ty) = part.ty.as_ref().map(CdlWord::ty) else {
                return define.missing(key, "type");
            };
            let name = CdlWord::name(key);
            let dims = part.shape.iter();
            let dims: Vec<_> = dims
                .map(|dim| CdlWord::new(reference_to_cdl(&dim.text), dim.at))
                .collect();
            define.lower.variables(&ast::Variables {
                ty: ty.word(),
                names: vec![(name.word(), dims.iter().map(CdlWord::word).collect())],
            });
            // An unknown variable is already reported.
            let Some(var) = define.lower.find_var(name.word()) else {
                return;
            };
            define.within(&["attributes"], |d| {
                d.attributes(Some(var), &part.attributes)
            });
            if let Some((bytes, line)) = part.data.clone() {
                let form = TextForm::Json;
                define.lower.data.push(DataList {
                    var,
                    bytes,
                    line,
                    form,
                });
            }
        });
    }
}
