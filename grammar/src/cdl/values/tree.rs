//! Value lists of any type with braces: strings, user-defined types, and variables with several unlimited dimensions.

use std::ops::Range;

use super::build;
use super::element::{Element, Fit, describe, expected};
use super::scan::{Owned, Scan};
use crate::cdl::constant::Constant;
use crate::escape::unescape_text;
use crate::number::{FloatForm, FloatFormat, Literal, NumberToken, Precision};
use netcdf_core::error::{Error, ErrorKind};
use netcdf_core::model::{Atomic, DataType, Schema, Values};

/// Appends a number as a string, as `ncdump` prints it in data.
fn number_text(number: &Literal, out: &mut Vec<u8>) {
    let mut token = NumberToken::new();
    let format = |digits| FloatFormat::new(Precision::Digits(digits), FloatForm::Data);
    match number {
        Literal::Integer(integer, _) => {
            let sign = if integer.negative { "-" } else { "" };
            out.extend_from_slice(format!("{sign}{}", integer.magnitude).as_bytes());
        }
        Literal::Float(value) => format(7).write_f32(*value, &mut token),
        Literal::Double(value) => format(15).write_f64(*value, &mut token),
    }
    token.append_to(out);
}

/// The reasons for stopping before the end of the list.
pub(super) enum ListStop {
    /// A syntax error, which is already reported.
    Syntax,
    /// An error of the source or the sink.
    Failed(Error),
}

impl From<Error> for ListStop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// The result of reading a fragment of a list.
pub(super) type ListOutcome<T> = Result<T, ListStop>;

/// The end of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// `}`.
    Brace,
    /// The end of the text.
    End,
}

/// Reads elements of any type.
pub(super) struct ElementTree<'s, 'a> {
    pub(super) scan: &'s mut Scan<'a>,
    pub(super) schema: &'s Schema,
    /// The next token, if already read.
    peeked: Option<(Option<Owned>, Range<u64>)>,
}

impl<'s, 'a> ElementTree<'s, 'a> {
    pub(super) fn new(scan: &'s mut Scan<'a>, schema: &'s Schema) -> Self {
        Self {
            scan,
            schema,
            peeked: None,
        }
    }

    /// Returns the next token and its byte range; `None` at the end of the list.
    fn next(&mut self) -> ListOutcome<(Option<Owned>, Range<u64>)> {
        match self.peeked.take() {
            Some(peeked) => Ok(peeked),
            None => self.scan.take()?.ok_or(ListStop::Syntax),
        }
    }

    fn peek(&mut self) -> ListOutcome<&Option<Owned>> {
        let next = self.next()?;
        Ok(&self.peeked.insert(next).0)
    }

    /// Skips the next token if it equals `constant`, a token without a value. Returns whether it did.
    pub(super) fn passes(&mut self, constant: &Constant<'_>) -> ListOutcome<bool> {
        let found = self.peek()?.as_ref();
        let found = found.is_some_and(|token| token.with(|c| c == constant));
        if found {
            self.peeked = None;
        }
        Ok(found)
    }

    pub(super) fn error(&mut self, place: Range<u64>, what: impl Into<String>) -> ListStop {
        self.scan.problems.error(place, what);
        ListStop::Syntax
    }

    /// Reports a value that does not fit. Reading continues unless there are too many errors.
    pub(super) fn unfit(&mut self, place: Range<u64>, what: String) -> ListOutcome<()> {
        self.scan.problems.error(place, what);
        if self.scan.problems.is_full() {
            return Err(ListStop::Syntax);
        }
        Ok(())
    }

    /// Reads items separated by commas up to and including the end of the list. Returns their number.
    pub(super) fn items(
        &mut self,
        until: Until,
        mut item: impl FnMut(&mut Self, u64) -> ListOutcome<()>,
    ) -> ListOutcome<u64> {
        if until == Until::Brace && self.closes()? {
            return Ok(0);
        }
        let mut count = 0;
        loop {
            item(self, count)?;
            count += 1;
            if !self.continues(until)? {
                return Ok(count);
            }
        }
    }

    /// Skips a `}` if it is next. Returns whether it did.
    pub(super) fn closes(&mut self) -> ListOutcome<bool> {
        self.passes(&Constant::Close)
    }

    /// After an item: skips a comma and returns true, or skips the end of the list and returns false.
    pub(super) fn continues(&mut self, until: Until) -> ListOutcome<bool> {
        let (token, place) = self.next()?;
        let end = match until {
            Until::Brace => "`}`",
            Until::End => "`;`",
        };
        match token {
            None if until == Until::End => Ok(false),
            None => Err(self.error(place, "expected `}`, found the end of the list")),
            Some(token) => match token.constant {
                Constant::Comma => Ok(true),
                Constant::Close if until == Until::Brace => Ok(false),
                _ => {
                    let found = token.with(describe);
                    let what = format!("expected `,` or {end}, found {found}");
                    Err(self.error(place, what))
                }
            },
        }
    }

    /// Reports more values than the variable has elements.
    pub(super) fn too_many(&mut self, limit: u64) {
        let at = self.scan.window.position();
        let what = format!("the variable has only {limit} values; the rest is ignored");
        self.scan.problems.warning(at..at, what);
    }

    /// Reports more characters than the variable has elements.
    pub(super) fn too_long(&mut self, limit: u64) -> ListStop {
        let at = self.scan.window.position();
        let what = format!("the list has more characters than the variable: {limit}");
        self.error(at..at, what)
    }

    /// Reads `{`; `what` names the list in messages.
    pub(super) fn open(&mut self, what: &str) -> ListOutcome<Range<u64>> {
        let (token, place) = self.next()?;
        match token {
            Some(token) if token.constant == Constant::Open => Ok(place),
            Some(token) => {
                let found = token.with(describe);
                Err(self.error(place, format!("expected `{{` before {what}, found {found}")))
            }
            None => Err(self.error(place, format!("expected `{{` before {what}, found the end"))),
        }
    }

    /// Reads one element of type `ty`; `fill` is the value of `_`.
    pub(super) fn element(
        &mut self,
        ty: DataType,
        fill: &Values,
        out: &mut Values,
    ) -> ListOutcome<()> {
        if self.passes(&Constant::Fill)? {
            build::push_copies(out, fill, 1);
            return Ok(());
        }
        match ty {
            DataType::Atomic(_) => self.atomic(out),
            DataType::User(id) => self.user(id, fill, out),
        }
    }

    /// Reads one element, with the fill value of its type.
    pub(super) fn inner(&mut self, ty: DataType, out: &mut Values) -> ListOutcome<()> {
        let fill = self.fill(ty)?;
        self.element(ty, &fill, out)
    }

    /// Returns the fill value of a type.
    pub(super) fn fill(&self, ty: DataType) -> ListOutcome<Values> {
        build::fill(self.schema, ty).ok_or_else(unknown_type)
    }

    pub(super) fn empty(&self, ty: DataType) -> ListOutcome<Values> {
        self.schema.empty_values(ty).ok_or_else(unknown_type)
    }

    fn atomic(&mut self, out: &mut Values) -> ListOutcome<()> {
        match out {
            Values::Byte(v) => self.number(v),
            Values::Short(v) => self.number(v),
            Values::Int(v) => self.number(v),
            Values::Int64(v) => self.number(v),
            Values::UByte(v) => self.number(v),
            Values::UShort(v) => self.number(v),
            Values::UInt(v) => self.number(v),
            Values::UInt64(v) => self.number(v),
            Values::Float(v) => self.number(v),
            Values::Double(v) => self.number(v),
            Values::Char(v) => self.char(v),
            Values::String(v) => self.string(v),
            Values::Enum(..) | Values::Opaque { .. } => Err(unknown_type()),
            Values::Vlen(..) | Values::Compound { .. } => Err(unknown_type()),
        }
    }

    /// Returns the next token, which must be a value.
    pub(super) fn constant(&mut self, what: &str) -> ListOutcome<(Owned, Range<u64>)> {
        let (token, place) = self.next()?;
        match token {
            None => Err(self.error(place, format!("expected {what}, found the end of the list"))),
            Some(token) => match token.constant {
                Constant::Open | Constant::Close | Constant::Comma => {
                    let found = token.with(describe);
                    Err(self.error(place, format!("expected {what}, found {found}")))
                }
                _ => Ok((token, place)),
            },
        }
    }

    fn number<T: Element + Default>(&mut self, out: &mut Vec<T>) -> ListOutcome<()> {
        let what = format!("a value of type {}", T::TYPE.name());
        let (token, place) = self.constant(&what)?;
        match token.with(T::from_constant) {
            Fit::Exact(element) => out.push(element),
            Fit::Lossy(element, why) => {
                self.scan.problems.warning(place, why);
                out.push(element);
            }
            Fit::Not(why) => {
                out.push(T::default());
                self.unfit(place, why)?;
            }
        }
        Ok(())
    }

    /// Reads one character: a character constant, or a string with one character.
    fn char(&mut self, out: &mut Vec<u8>) -> ListOutcome<()> {
        let mut text = vec![];
        let place = self.text(&mut text)?;
        if text.len() > 1 {
            self.unfit(
                place,
                format!("found {} characters, expected one", text.len()),
            )?;
        }
        out.push(text.first().copied().unwrap_or(0));
        Ok(())
    }

    /// Reads the characters of one constant.
    fn text(&mut self, out: &mut Vec<u8>) -> ListOutcome<Range<u64>> {
        let (token, place) = self.constant("a string or a character constant")?;
        let found = token.with(|constant| match constant {
            Constant::Char(byte) => {
                out.push(*byte);
                Ok(())
            }
            Constant::Fill => {
                out.push(0);
                Ok(())
            }
            Constant::String(text) => unescape_text(text, out).map_err(|e| e.to_string()),
            Constant::Number(_) | Constant::Opaque(_) | Constant::Nil | Constant::Name(_) => {
                Err(format!(
                    "expected a string or a character constant, found {}",
                    describe(constant)
                ))
            }
            Constant::Open | Constant::Close | Constant::Comma => Ok(()),
        });
        if let Err(what) = found {
            self.unfit(place.clone(), what)?;
        }
        Ok(place)
    }

    fn string(&mut self, out: &mut Vec<Option<Box<[u8]>>>) -> ListOutcome<()> {
        let (token, place) = self.constant("a string")?;
        let mut text = vec![];
        let found = token.with(|constant| match constant {
            Constant::Nil => Ok(false),
            Constant::String(raw) => unescape_text(raw, &mut text)
                .map(|()| true)
                .map_err(|e| e.to_string()),
            Constant::Char(byte) => {
                text.push(*byte);
                Ok(true)
            }
            Constant::Number(number) => {
                number_text(number, &mut text);
                Ok(true)
            }
            Constant::Opaque(_) | Constant::Fill | Constant::Name(_) => {
                Err(expected(Atomic::String, constant))
            }
            Constant::Open | Constant::Close | Constant::Comma => Ok(false),
        });
        match found {
            Ok(true) => out.push(Some(text.into())),
            Ok(false) => out.push(None),
            Err(what) => {
                out.push(None);
                self.unfit(place, what)?;
            }
        }
        Ok(())
    }

    /// Reads characters and strings, pads each to a multiple of `unit`, and joins them. A run of characters is one string.
    pub(super) fn texts(&mut self, until: Until, unit: u64) -> ListOutcome<Vec<u8>> {
        let unit = usize::try_from(unit).unwrap_or(usize::MAX).max(1);
        let mut all = vec![];
        // The end of a run of characters, which may continue.
        let mut run: Option<usize> = None;
        self.items(until, |tree, _| {
            let char = tree.peek()?.as_ref();
            let char = char.is_some_and(|token| matches!(token.constant, Constant::Char(_)));
            if let Some(end) = run.take().filter(|_| char) {
                all.truncate(end);
            }
            let before = all.len();
            tree.text(&mut all)?;
            run = char.then_some(all.len());
            if unit > 1 {
                let length = all.len().max(before + 1);
                all.resize(length.div_ceil(unit).saturating_mul(unit), 0);
            }
            Ok(())
        })?;
        Ok(all)
    }
}

pub(super) fn unknown_type() -> ListStop {
    ListStop::Failed(Error::new(ErrorKind::NotFound, "no such type"))
}
