//! CDL reader: converts pieces of text to a schema and a list of data sections.

use std::borrow::Cow;
use std::fmt;

use netcdf_core::Error;
use netcdf_core::io::Source;
use netcdf_core::limits::Limits;
use netcdf_core::model::{DimId, GroupId, Kind, Schema};

use super::constant::skip_blanks;
use super::data_list::{DataList, TextForm};
use super::lower::{Lower, LowerPass, Needs, order_types};
use super::parse::{self, SyntaxError};
use super::split::{
    CdlPieceKind, GroupSection, KEYWORDS, ListPosition, Splitter, Statement, StatementEnd,
    Unfinished,
};
use crate::diagnostic::{Anchor, Diagnostics, Reporter};

/// A dataset in CDL, without the values of variables.
#[derive(Debug, Clone)]
pub struct CdlDataset {
    /// The schema. The kind is the requested kind, the kind of `_Format`, or the oldest kind with all features.
    pub schema: Schema,
    /// The dataset name: the text between `netcdf` and `{`, without blanks and control characters.
    pub name: Vec<u8>,
    /// The data lists in text order, at most one per variable.
    pub data: Vec<DataList>,
    /// Data lists replaced by later lists for the same variable.
    pub replaced: Vec<DataList>,
    /// The value of `_Format`.
    pub format: Option<Kind>,
    /// Features that some kinds lack.
    pub needs: Needs,
    /// Lengths of unlimited dimensions that the text declares separately from data, as in JSON.
    pub lengths: Vec<(DimId, u64)>,
    /// Warnings about the text.
    pub warnings: Diagnostics,
}

/// Reader options.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The requested kind. In kinds without the types of CDF-5, or without string, the keywords of these types are ordinary names.
    pub kind: Option<Kind>,
    /// Limits on nesting and rank.
    pub limits: Limits,
    /// Whether warnings are errors.
    pub strict: bool,
}

/// The reasons why reading fails.
#[derive(Debug)]
pub enum CdlError {
    /// An I/O error or a wrong request.
    Other(Error),
    /// Errors in the text.
    Text(Diagnostics),
}

impl fmt::Display for CdlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Other(e) => e.fmt(f),
            Self::Text(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for CdlError {}

impl From<Diagnostics> for CdlError {
    fn from(errors: Diagnostics) -> Self {
        Self::Text(errors)
    }
}

impl From<Error> for CdlError {
    fn from(e: Error) -> Self {
        Self::Other(e)
    }
}

/// Reads CDL. Only the positions of data lists are stored, so memory does not grow with the data.
///
/// # Errors
/// Returns [`CdlError::Other`] for errors of the source, and [`CdlError::Text`] with up to twenty errors in the text.
pub fn read(source: &dyn Source, options: &ReadOptions) -> Result<CdlDataset, CdlError> {
    let (mut name, mut lower) = run(source, options, new_lower(source, options))?;
    if lower.pass == LowerPass::Forward {
        // The text refers to a later group: read all groups, dimensions and types first, then the remaining declarations.
        let mut first = new_lower(source, options);
        first.first_pass();
        (_, lower) = run(source, options, first)?;
        let mut progress = true;
        while progress && lower.postponed() > 0 {
            let before = lower.postponed();
            lower.types_pass(true);
            (_, lower) = run(source, options, lower)?;
            progress = lower.postponed() < before;
        }
        if lower.postponed() > 0 {
            lower.types_pass(false);
            (_, lower) = run(source, options, lower)?;
        }
        lower.second_pass();
        (name, lower) = run(source, options, lower)?;
    }
    lower.warn_of_texts();
    let mut schema = lower.schema;
    order_types(&mut schema);
    schema.kind = options
        .kind
        .or(lower.format)
        .unwrap_or_else(|| lower.needs.kind());
    let warnings = lower.report.finish()?;
    let (data, replaced) = (lower.data, lower.replaced);
    let (format, needs) = (lower.format, lower.needs);
    Ok(CdlDataset {
        schema,
        name,
        data,
        replaced,
        format,
        needs,
        lengths: vec![],
        warnings,
    })
}

fn new_lower<'s>(source: &'s dyn Source, options: &ReadOptions) -> Lower<'s> {
    let report = Reporter::new(source).strict(options.strict);
    Lower::new(report, options.kind, options.limits.clone())
}

/// Reads the text once and returns the dataset name.
fn run<'s>(
    source: &'s dyn Source,
    options: &ReadOptions,
    lower: Lower<'s>,
) -> Result<(Vec<u8>, Lower<'s>), Error> {
    let mut reader = CdlReader {
        splitter: Splitter::new(source),
        lower,
        groups: vec![],
        section: None,
        // The limit includes the root group.
        depth: usize::try_from(options.limits.groups.saturating_sub(1)).unwrap_or(usize::MAX),
    };
    let errors = reader.lower.report.errors();
    let name = reader.head(source)?;
    if reader.lower.report.errors() == errors {
        reader.body()?;
    }
    Ok((name, reader.lower))
}

/// The reader's state between two pieces.
struct CdlReader<'s> {
    splitter: Splitter<'s>,
    lower: Lower<'s>,
    /// The groups that enclose the current one, each with its last section.
    groups: Vec<(GroupId, Option<CdlGroupPart>)>,
    section: Option<CdlGroupPart>,
    /// Maximum group depth.
    depth: usize,
}

/// The sections of a group, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CdlGroupPart {
    Section(GroupSection),
    Groups,
}

impl CdlReader<'_> {
    /// Returns the dataset name.
    fn head(&mut self, source: &dyn Source) -> Result<Vec<u8>, Error> {
        let start = Anchor { offset: 0, line: 1 };
        let mut mark = [0; 2];
        if source.len() >= 2 {
            source.read_at(0, &mut mark)?;
        }
        if matches!(mark, [0xff, 0xfe] | [0xfe, 0xff]) || mark[0] == 0 && source.len() >= 2 {
            let message = "the text is in UTF-16 or UTF-32; CDL must be in UTF-8";
            self.lower.report.error(start, 0, message);
            return Ok(vec![]);
        }
        match self.splitter.head()? {
            Ok(_) => {}
            Err(place) if self.splitter.text().is_empty() => {
                let message = "CDL begins with `netcdf NAME {`";
                self.lower.report.error(place, place.offset, message);
            }
            Err(place) => {
                let message = "expected `{` after the name of the dataset";
                self.lower.report.error(place, place.offset, message);
            }
        }
        Ok(self
            .splitter
            .text()
            .iter()
            .copied()
            .filter(|&b| b > b' ')
            .collect())
    }

    fn body(&mut self) -> Result<(), Error> {
        loop {
            let piece = self.splitter.next_piece()?;
            self.lower.start = piece.start;
            match &piece.kind {
                CdlPieceKind::Section(section) => self.open_section(*section),
                CdlPieceKind::GroupStart => self.open_group(),
                CdlPieceKind::GroupEnd => match self.groups.pop() {
                    Some((group, section)) => {
                        self.lower.group = group;
                        self.section = section;
                        self.tell_splitter();
                    }
                    None => return self.trailer(),
                },
                CdlPieceKind::Statement(statement) => self.statement(statement),
                CdlPieceKind::Data(list) => self.data(list),
                CdlPieceKind::End => {
                    if !self.lower.report.has_errors() {
                        self.lower
                            .error(0, "expected `}`, found the end of the text");
                    }
                    return Ok(());
                }
            }
            if self.lower.report.is_full() || self.lower.pass == LowerPass::Forward {
                return Ok(());
            }
        }
    }

    /// Checks that only blanks and comments follow the dataset.
    fn trailer(&mut self) -> Result<(), Error> {
        let piece = self.splitter.next_piece()?;
        if piece.kind != CdlPieceKind::End {
            self.lower.start = piece.start;
            self.lower
                .error(0, "unexpected text after the dataset's `}`");
        }
        Ok(())
    }

    fn tell_splitter(&mut self) {
        let data = self.section == Some(CdlGroupPart::Section(GroupSection::Data));
        self.splitter.in_data(data);
        let mut names = KEYWORDS.to_vec();
        names.retain(|name| self.lower.has_var(name));
        self.splitter.set_names(names);
    }

    fn open_section(&mut self, section: GroupSection) {
        let part = Some(CdlGroupPart::Section(section));
        match self.section {
            Some(CdlGroupPart::Section(old)) if old == section => {
                self.lower
                    .error(0, format!("{section} appears twice in this group"));
            }
            Some(CdlGroupPart::Section(old)) if self.section > part => {
                self.lower
                    .error(0, format!("{section} must come before {old}"));
            }
            Some(CdlGroupPart::Groups) => {
                self.lower.error(
                    0,
                    format!("{section} must come before the groups in this group"),
                );
            }
            Some(CdlGroupPart::Section(_)) | None => {}
        }
        self.section = part;
        self.tell_splitter();
    }

    fn open_group(&mut self) {
        if self.groups.len() >= self.depth {
            let message = format!("groups nested more than {} deep", self.depth);
            self.lower.error(0, message);
        }
        let text = self.splitter.text();
        let group = match utf8(text).and_then(|text| {
            let word = parse::group(&text)?;
            Ok(self.lower.open_group(word))
        }) {
            Ok(group) => group,
            Err(e) => {
                self.lower.error(e.at, e.message);
                None
            }
        };
        // Parse a group without a usable name as if it were the enclosing group, to report further errors.
        self.groups
            .push((self.lower.group, Some(CdlGroupPart::Groups)));
        self.lower.group = group.unwrap_or(self.lower.group);
        self.section = None;
        self.tell_splitter();
    }

    fn data(&mut self, list: &ListPosition) {
        if matches!(self.lower.pass, LowerPass::Definitions | LowerPass::Types) {
            return;
        }
        let found = utf8(self.splitter.text()).and_then(|text| {
            let word = parse::data(&text)?;
            self.lower.data_list(word, |var| DataList {
                var,
                bytes: list.bytes.clone(),
                line: list.start.line,
                form: TextForm::Cdl,
            });
            Ok(())
        });
        if let Err(e) = found {
            self.lower.error(e.at, e.message);
        }
        match list.end {
            StatementEnd::Semicolon | StatementEnd::Brace => {}
            StatementEnd::Missing => {
                self.lower.report.error(
                    list.start,
                    list.bytes.end,
                    "expected `;` at the end of the list",
                );
            }
            StatementEnd::Unfinished(what, place) => self.unfinished(what, place),
        }
    }

    fn unfinished(&mut self, what: Unfinished, place: Anchor) {
        let message = match what {
            Unfinished::String => "the string has no closing quote",
            Unfinished::Comment => "the comment has no closing `*/`",
        };
        self.lower.report.error(place, place.offset, message);
    }

    fn statement(&mut self, statement: &Statement) {
        if let StatementEnd::Unfinished(what, place) = statement.end {
            return self.unfinished(what, place);
        }
        let errors = self.lower.report.errors();
        if self.is_of_other_pass(statement) {
            return self.names_for_splitter();
        }
        if let Err(e) = self.declaration(statement) {
            let text = self.splitter.text();
            let cut = statement.end == StatementEnd::Missing && e.at >= text.trim_ascii_end().len();
            let message = match e.message.strip_suffix("found `;`") {
                Some(expected) if cut => format!("{expected}found the end of the declaration"),
                _ => e.message,
            };
            self.lower.error(e.at, message);
            if statement.colon.is_none() {
                self.lower.record_failed(text);
            }
        } else if statement.end == StatementEnd::Missing && errors == self.lower.report.errors() {
            self.missing_semicolon(statement);
        }
        if std::mem::take(&mut self.lower.keyword_variables) {
            self.tell_splitter();
        }
    }

    /// Returns whether another pass reads the statement.
    fn is_of_other_pass(&self, statement: &Statement) -> bool {
        let defines = |section| self.section == Some(CdlGroupPart::Section(section));
        let definition = statement.colon.is_none()
            && (defines(GroupSection::Types) || defines(GroupSection::Dimensions));
        match self.lower.pass {
            LowerPass::All | LowerPass::Forward => false,
            LowerPass::Definitions => !definition,
            LowerPass::Types => !(definition && defines(GroupSection::Types)),
            LowerPass::Rest => definition,
        }
    }

    /// Records variables with section names in a skipped statement.
    fn names_for_splitter(&mut self) {
        if !matches!(self.lower.pass, LowerPass::Definitions | LowerPass::Types)
            || self.section != Some(CdlGroupPart::Section(GroupSection::Variables))
        {
            return;
        }
        let text = self.splitter.text();
        if let Ok(variables) = utf8(text).as_deref().map(parse::variables)
            && let Ok(variables) = variables
        {
            self.lower.keyword_names(&variables);
        }
        if std::mem::take(&mut self.lower.keyword_variables) {
            self.tell_splitter();
        }
    }

    fn declaration(&mut self, statement: &Statement) -> Result<(), SyntaxError> {
        let text = self.splitter.text();
        if statement.colon.is_some() {
            let list = statement.equals.map_or(text.len(), |at| at + 1);
            let head = utf8(text.get(..list).unwrap_or_default())?;
            self.lower.attribute(&parse::attribute(&head)?, text, list);
            return Ok(());
        }
        let text = utf8(text)?;
        let expected = match self.section {
            Some(CdlGroupPart::Section(GroupSection::Types)) => {
                self.lower.types(&parse::types(&text)?);
                return Ok(());
            }
            Some(CdlGroupPart::Section(GroupSection::Dimensions)) => {
                self.lower.dimensions(&parse::dimensions(&text)?);
                return Ok(());
            }
            Some(CdlGroupPart::Section(GroupSection::Variables)) => {
                self.lower.variables(&parse::variables(&text)?);
                return Ok(());
            }
            Some(CdlGroupPart::Section(GroupSection::Data)) => "a variable, `=` and its values",
            Some(CdlGroupPart::Groups) => "an attribute, `group:` or `}`",
            None => "an attribute, `types:`, `dimensions:`, `variables:`, `data:`, `group:` or `}`",
        };
        Err(SyntaxError {
            at: 0,
            message: format!("expected {expected}"),
        })
    }

    /// Reports a missing semicolon after a valid declaration. It is optional after a type.
    fn missing_semicolon(&mut self, statement: &Statement) {
        let types = self.section == Some(CdlGroupPart::Section(GroupSection::Types));
        if !types || statement.colon.is_some() {
            let end = self.splitter.text().trim_ascii_end().len();
            self.lower.error(end, "expected `;`");
        }
    }
}

/// Returns the text as UTF-8: names must be UTF-8, comments may contain any bytes.
fn utf8(text: &[u8]) -> Result<Cow<'_, str>, SyntaxError> {
    if let Ok(text) = std::str::from_utf8(text) {
        return Ok(Cow::Borrowed(text));
    }
    String::from_utf8(without_comments(text))
        .map(Cow::Owned)
        .map_err(|e| {
            let at = e.utf8_error().valid_up_to();
            let byte = text.get(at).copied().unwrap_or(0);
            let message =
                format!("byte 0x{byte:02x} is not UTF-8; in a name, write it as `\\%{byte:02x}`");
            SyntaxError { at, message }
        })
}

/// Replaces comments with blanks.
fn without_comments(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    while let Some(rest) = text.get(out.len()..).filter(|rest| !rest.is_empty()) {
        match rest {
            [b'/', b'/', ..] | [b'/', b'*', ..] => {
                let end = match skip_blanks(text, out.len()) {
                    Ok(end) => end,
                    Err(_) => text.len(),
                };
                out.resize(end.max(out.len() + 1), b' ');
            }
            [b'\\', escaped, ..] => out.extend([b'\\', *escaped]),
            [byte, ..] => out.push(*byte),
            [] => {}
        }
    }
    out
}

#[cfg(test)]
mod tests;
