//! Values of user-defined types.

use super::build;
use super::element::describe;
use super::tree::{ElementTree, ListOutcome, Until, unknown_type};
use crate::cdl::constant::{Constant, UNDEFINED_MEMBER};
use crate::escape::unescape_name;
use crate::number::Literal;
use netcdf_core::model::{DataType, Field, Name, TypeId, TypeKind, Values};

impl ElementTree<'_, '_> {
    /// Reads one value of a user-defined type.
    pub(super) fn user(&mut self, id: TypeId, fill: &Values, out: &mut Values) -> ListOutcome<()> {
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
    ) -> ListOutcome<()> {
        let what = format!("a member of enum {ty}");
        let (token, place) = self.constant(&what)?;
        let found = token.with(|constant| match constant {
            Constant::Name(text) => find_member(ty, members, text),
            // Files may have values without a member, printed as numbers.
            Constant::Number(Literal::Integer(integer, _)) => integer.value(),
            Constant::Number(_) | Constant::Char(_) | Constant::String(_) => None,
            Constant::Opaque(_) | Constant::Fill | Constant::Nil => None,
            Constant::Open | Constant::Close | Constant::Comma => None,
        });
        match found {
            Some(value) if build::push_integer(out, value) => Ok(()),
            Some(value) => {
                build::push_copies(out, fill, 1);
                self.unfit(place, format!("{value} does not fit enum {ty}"))
            }
            None => {
                build::push_copies(out, fill, 1);
                let found = token.with(describe);
                self.unfit(place, format!("expected {what}, found {found}"))
            }
        }
    }

    fn opaque(&mut self, ty: &Name, size: usize, out: &mut Vec<u8>) -> ListOutcome<()> {
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
                format!("longer than the {size} bytes of opaque type {ty}; the rest is dropped");
            self.scan.problems.warning(place, what);
        }
        out.resize(end, 0);
        Ok(())
    }

    fn vlen(&mut self, base: DataType, lists: &mut Vec<Values>) -> ListOutcome<()> {
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

    fn compound(&mut self, fields: &[Field], columns: &mut [Values]) -> ListOutcome<()> {
        let open = self.open("the fields of a compound value")?;
        let mut rest = fields.iter().zip(columns.iter_mut());
        self.items(Until::Brace, |tree, _| match rest.next() {
            Some((field, column)) => tree.field(field, column),
            None => {
                let what = format!("more values than the type's {} fields", fields.len());
                Err(tree.error(open.clone(), what))
            }
        })?;
        for (field, column) in rest {
            self.fill_up(field.ty, column, build::field_len(field))?;
        }
        Ok(())
    }

    /// Appends fill values.
    fn fill_up(&mut self, ty: DataType, out: &mut Values, count: u64) -> ListOutcome<()> {
        let fill = self.fill(ty)?;
        build::push_copies(out, &fill, count);
        Ok(())
    }

    fn field(&mut self, field: &Field, out: &mut Values) -> ListOutcome<()> {
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
            let what = format!(
                "{count} values for the {len} elements of field {}",
                field.name
            );
            return Err(self.error(open, what));
        }
        self.fill_up(field.ty, out, len - count)
    }
}

/// Returns the value of a member, named as `member`, `enum.member` or `/group/enum.member`.
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
    let undefined = || (name == UNDEFINED_MEMBER).then_some(0);
    found.map(|(_, value)| *value).or_else(undefined)
}

/// Converts hexadecimal digits to bytes; an odd number of digits is padded with 0.
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
