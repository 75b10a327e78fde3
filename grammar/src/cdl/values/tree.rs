//! Lists of values of any type, with braces: for strings and user-defined types, and inside several unlimited dimensions.

use std::ops::Range;

use super::build;
use super::element::{Element, Fit, describe, not_a};
use super::scan::{Owned, Scan};
use crate::cdl::constant::Constant;
use crate::escape::{unescape_name, unescape_text};
use netcdf_core::error::{Error, ErrorKind};
use netcdf_core::model::{Atomic, DataType, Field, Name, Schema, TypeId, TypeKind, Values};

/// Why reading ends before the end of the list.
pub(super) enum Stop {
    /// The list makes no sense from here on, which was reported.
    Syntax,
    /// The source or the sink failed.
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// The result of reading a part of a list.
pub(super) type Outcome<T> = Result<T, Stop>;

/// How a list ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// With `}`.
    Brace,
    /// With the text.
    End,
}

/// Reads elements of any type.
pub(super) struct Tree<'s, 'a> {
    pub(super) scan: &'s mut Scan<'a>,
    pub(super) schema: &'s Schema,
    /// A token that was looked at.
    peeked: Option<(Option<Owned>, Range<u64>)>,
}

impl<'s, 'a> Tree<'s, 'a> {
    pub(super) fn new(scan: &'s mut Scan<'a>, schema: &'s Schema) -> Self {
        Self {
            scan,
            schema,
            peeked: None,
        }
    }

    /// The next token, or `None` at the end of the list, and its place.
    fn next(&mut self) -> Outcome<(Option<Owned>, Range<u64>)> {
        match self.peeked.take() {
            Some(peeked) => Ok(peeked),
            None => self.scan.take()?.ok_or(Stop::Syntax),
        }
    }

    fn peek(&mut self) -> Outcome<&Option<Owned>> {
        let next = self.next()?;
        Ok(&self.peeked.insert(next).0)
    }

    /// True if the next token is `constant`, one of those without a value; it is passed then.
    fn passes(&mut self, constant: &Constant<'_>) -> Outcome<bool> {
        let found = self.peek()?.as_ref();
        let found = found.is_some_and(|token| token.with(|c| c == constant));
        if found {
            self.peeked = None;
        }
        Ok(found)
    }

    pub(super) fn error(&mut self, place: Range<u64>, what: impl Into<String>) -> Stop {
        self.scan.problems.error(place, what);
        Stop::Syntax
    }

    /// Says that a value does not fit; reading goes on unless there were too many errors.
    fn unfit(&mut self, place: Range<u64>, what: String) -> Outcome<()> {
        self.scan.problems.error(place, what);
        if self.scan.problems.is_full() {
            return Err(Stop::Syntax);
        }
        Ok(())
    }

    /// Items with commas between them, up to the end of the list, which is passed; how many.
    pub(super) fn items(
        &mut self,
        until: Until,
        mut item: impl FnMut(&mut Self, u64) -> Outcome<()>,
    ) -> Outcome<u64> {
        if until == Until::Brace && self.closes()? {
            return Ok(0);
        }
        let mut count = 0;
        loop {
            item(self, count)?;
            count += 1;
            if !self.goes_on(until)? {
                return Ok(count);
            }
        }
    }

    /// Passes `}`, if it is next.
    pub(super) fn closes(&mut self) -> Outcome<bool> {
        self.passes(&Constant::Close)
    }

    /// After an item: passes a comma, which means that there is another one, or the end of the list.
    pub(super) fn goes_on(&mut self, until: Until) -> Outcome<bool> {
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

    /// Says that there were more values than the variable has.
    pub(super) fn too_many(&mut self, limit: u64) {
        let at = self.scan.window.position();
        let what = format!("more than the {limit} values that the variable has, ignored");
        self.scan.problems.warning(at..at, what);
    }

    /// Says that there were more characters than the variable has.
    pub(super) fn too_long(&mut self, limit: u64) -> Stop {
        let at = self.scan.window.position();
        let what = format!("the list has more than the {limit} characters of the variable");
        self.error(at..at, what)
    }

    /// `{`, which begins what `what` says.
    pub(super) fn open(&mut self, what: &str) -> Outcome<Range<u64>> {
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

    /// One element of type `ty`; `fill` is what `_` means.
    pub(super) fn element(&mut self, ty: DataType, fill: &Values, out: &mut Values) -> Outcome<()> {
        if self.passes(&Constant::Fill)? {
            build::append(out, fill);
            return Ok(());
        }
        match ty {
            DataType::Atomic(_) => self.atomic(out),
            DataType::User(id) => self.user(id, fill, out),
        }
    }

    /// One element with the fill value of its type.
    fn inner(&mut self, ty: DataType, out: &mut Values) -> Outcome<()> {
        let fill = self.fill(ty)?;
        self.element(ty, &fill, out)
    }

    /// The fill value of a type.
    fn fill(&self, ty: DataType) -> Outcome<Values> {
        build::fill(self.schema, ty).ok_or_else(unknown_type)
    }

    fn empty(&self, ty: DataType) -> Outcome<Values> {
        build::empty(self.schema, ty).ok_or_else(unknown_type)
    }

    fn atomic(&mut self, out: &mut Values) -> Outcome<()> {
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

    /// The next token, which stands for one value.
    fn constant(&mut self, what: &str) -> Outcome<(Owned, Range<u64>)> {
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

    fn number<T: Element + Default>(&mut self, out: &mut Vec<T>) -> Outcome<()> {
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

    /// One character: a character constant or a string of one.
    fn char(&mut self, out: &mut Vec<u8>) -> Outcome<()> {
        let mut text = vec![];
        let place = self.text(&mut text)?;
        if text.len() > 1 {
            self.unfit(
                place,
                format!("{} characters where there is room for one", text.len()),
            )?;
        }
        out.push(text.first().copied().unwrap_or(0));
        Ok(())
    }

    /// The characters of one constant.
    fn text(&mut self, out: &mut Vec<u8>) -> Outcome<Range<u64>> {
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

    fn string(&mut self, out: &mut Vec<Option<Box<[u8]>>>) -> Outcome<()> {
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
            Constant::Number(_) | Constant::Opaque(_) | Constant::Fill | Constant::Name(_) => {
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

    fn user(&mut self, id: TypeId, fill: &Values, out: &mut Values) -> Outcome<()> {
        let ty = self.schema.user_type(id).ok_or_else(unknown_type)?;
        match (&ty.kind, out) {
            (TypeKind::Enum { members, .. }, out @ Values::Enum(..)) => {
                self.member(&ty.name, members, fill, out)
            }
            (TypeKind::Opaque { .. }, Values::Opaque { size, bytes, .. }) => {
                self.opaque(&ty.name, *size, bytes)
            }
            (TypeKind::Vlen { base }, Values::Vlen(_, lists)) => self.vlen(*base, lists),
            (TypeKind::Compound { fields, .. }, Values::Compound { len, columns, .. }) => {
                *len += 1;
                self.compound(fields, columns)
            }
            _ => Err(unknown_type()),
        }
    }

    fn member(
        &mut self,
        ty: &Name,
        members: &[(Name, i128)],
        fill: &Values,
        out: &mut Values,
    ) -> Outcome<()> {
        let what = format!("a member of enum {ty}");
        let (token, place) = self.constant(&what)?;
        let found = token.with(|constant| match constant {
            Constant::Name(text) => find_member(ty, members, text),
            Constant::Number(_) | Constant::Char(_) | Constant::String(_) => None,
            Constant::Opaque(_) | Constant::Fill | Constant::Nil => None,
            Constant::Open | Constant::Close | Constant::Comma => None,
        });
        match found {
            Some(value) if build::push_integer(out, value) => Ok(()),
            _ => {
                build::append(out, fill);
                let found = token.with(describe);
                self.unfit(place, format!("expected {what}, found {found}"))
            }
        }
    }

    fn opaque(&mut self, ty: &Name, size: usize, out: &mut Vec<u8>) -> Outcome<()> {
        let what = format!("a value of opaque type {ty}, as 0x…");
        let (token, place) = self.constant(&what)?;
        let end = out.len() + size;
        match token.constant {
            Constant::Opaque(_) => token.with(|constant| {
                if let Constant::Opaque(digits) = constant {
                    hexadecimal(digits, out);
                }
            }),
            _ => {
                let found = token.with(describe);
                self.unfit(place.clone(), format!("expected {what}, found {found}"))?;
            }
        }
        if out.len() > end {
            let what =
                format!("more than the {size} bytes of opaque type {ty}, stored without the rest");
            self.scan.problems.warning(place, what);
        }
        out.resize(end, 0);
        Ok(())
    }

    fn vlen(&mut self, base: DataType, lists: &mut Vec<Values>) -> Outcome<()> {
        self.open("a list of variable length")?;
        let mut list = self.empty(base)?;
        if build::is_text(base) {
            let text = self.texts(Until::Brace, 1)?;
            list = Values::Char(text);
        } else {
            self.items(Until::Brace, |tree, _| tree.inner(base, &mut list))?;
        }
        lists.push(list);
        Ok(())
    }

    fn compound(&mut self, fields: &[Field], columns: &mut [Values]) -> Outcome<()> {
        let open = self.open("the fields of a compound value")?;
        let mut rest = fields.iter().zip(columns.iter_mut());
        self.items(Until::Brace, |tree, _| match rest.next() {
            Some((field, column)) => tree.field(field, column),
            None => {
                let what = format!("more values than the {} fields", fields.len());
                Err(tree.error(open.clone(), what))
            }
        })?;
        for (field, column) in rest {
            self.fill_up(field.ty, column, build::field_len(field))?;
        }
        Ok(())
    }

    /// Appends fill values.
    fn fill_up(&mut self, ty: DataType, out: &mut Values, count: u64) -> Outcome<()> {
        let fill = self.fill(ty)?;
        (0..count).for_each(|_| build::append(out, &fill));
        Ok(())
    }

    fn field(&mut self, field: &Field, out: &mut Values) -> Outcome<()> {
        let len = build::field_len(field);
        if field.dims.is_empty() {
            return self.inner(field.ty, out);
        }
        if self.passes(&Constant::Fill)? {
            return self.fill_up(field.ty, out, len);
        }
        let open = self.open("the values of a field with dimensions")?;
        let count = if let Values::Char(text) = out {
            let row = field.dims.last().filter(|_| field.dims.len() > 1);
            let found = self.texts(Until::Brace, row.copied().unwrap_or(1))?;
            text.extend_from_slice(&found);
            found.len() as u64
        } else {
            self.items(Until::Brace, |tree, _| tree.inner(field.ty, out))?
        };
        if count > len {
            let what = format!("{count} values for the {len} of field {}", field.name);
            return Err(self.error(open, what));
        }
        self.fill_up(field.ty, out, len - count)
    }

    /// Characters and strings, each filled up to a multiple of `unit`, joined. Runs of characters are one string.
    pub(super) fn texts(&mut self, until: Until, unit: u64) -> Outcome<Vec<u8>> {
        let unit = usize::try_from(unit).unwrap_or(usize::MAX).max(1);
        let mut all = vec![];
        // Where a run of characters ends that more may follow.
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

fn unknown_type() -> Stop {
    Stop::Failed(Error::new(ErrorKind::NotFound, "no such type"))
}

fn expected(ty: Atomic, constant: &Constant<'_>) -> String {
    match not_a::<()>(ty, constant) {
        Fit::Not(why) | Fit::Lossy((), why) => why,
        Fit::Exact(()) => String::new(),
    }
}

/// The value of a member, named as `member`, `enum.member` or `/group/enum.member`.
fn find_member(ty: &Name, members: &[(Name, i128)], text: &[u8]) -> Option<i128> {
    let last = text.rsplit(|byte| *byte == b'/').next()?;
    let mut name = vec![];
    unescape_name(last, &mut name);
    let name = name.as_slice();
    let find = |name: &[u8]| members.iter().find(|(member, _)| member.as_bytes() == name);
    let found = find(name).or_else(|| {
        let member = name.strip_prefix(ty.as_bytes())?.strip_prefix(b".")?;
        find(member)
    });
    found.map(|(_, value)| *value)
}

/// Hexadecimal digits as bytes; an odd number of digits is filled up with 0.
fn hexadecimal(digits: &[u8], out: &mut Vec<u8>) {
    let value = |digit: &u8| {
        let value = char::from(*digit).to_digit(16).unwrap_or(0);
        u8::try_from(value).unwrap_or(0)
    };
    out.extend(digits.chunks(2).map(|pair| match pair {
        [high, low] => value(high) << 4 | value(low),
        [high] => value(high) << 4,
        _ => 0,
    }));
}
