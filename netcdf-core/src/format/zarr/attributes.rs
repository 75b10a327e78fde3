//! The attributes of groups and arrays.

use super::array::ArrayDescription;
use super::dtype::{Dtype, StoredType, Time};
use super::nczarr::{self, NczarrPart, Recorded};
use super::schema::{NodeObjects, StoreBuilder};
use super::values::decode;
use super::{attrs, fill};
use crate::error::Result;
use crate::json::Json;
use crate::model::name::ByName;
use crate::model::strings::{ENCODING, is_utf8};
use crate::model::{Atomic, Attribute, DataType, GroupId, Values, ZarrVersion};

impl StoreBuilder<'_> {
    /// Returns the group attributes.
    pub(super) fn group_attributes(&mut self, group: GroupId, json: &Json, types: Option<&Json>) {
        if group == GroupId::ROOT {
            let properties = json.get("_NCProperties").and_then(Json::as_str);
            self.properties = properties.map(|p| p.as_bytes().to_vec());
        }
        let path = self.schema.group_path(group);
        let attributes = self.attributes(&path, json, (types, None));
        if let Some(group) = self.schema.groups.get_mut(group.index()) {
            group.attributes = attributes;
        }
    }

    /// Returns the node attributes. `fill` is the type of `_FillValue` if no type is recorded. The last entry wins if names repeat, as
    /// in other JSON readers.
    fn attributes(
        &mut self,
        path: &str,
        json: &Json,
        (types, fill): (Option<&Json>, Option<Atomic>),
    ) -> Vec<Attribute> {
        let types = Recorded::of(types);
        let mut attributes: Vec<Attribute> = vec![];
        let mut known: ByName<usize> = ByName::default();
        for (name, value) in json.members() {
            if nczarr::is_hidden(name) {
                continue;
            }
            if name.is_empty() {
                self.note(path, "skipped: an attribute without a name");
                continue;
            }
            let recorded = types.get(name);
            let recorded = recorded.and_then(|ty| attrs::recorded(ty, self.zarr.pure));
            let ty = recorded.or(fill.filter(|_| name == "_FillValue"));
            let values = match value {
                Json::Null if ty.is_none() && self.meta.env.exact_null => attrs::null(),
                value => attrs::values(value, ty).0,
            };
            let Some(attribute) = Attribute::atomic(self.name(name), values) else {
                continue;
            };
            let at = *known
                .entry(attribute.name.clone())
                .or_insert(attributes.len());
            match attributes.get_mut(at) {
                Some(old) => *old = attribute,
                None => attributes.push(attribute),
            }
        }
        attributes
    }

    /// Returns the variable attributes, including attributes that follow from the type.
    ///
    /// # Errors
    /// Returns store errors.
    pub(super) fn variable_attributes(
        &mut self,
        (prefix, ty): (&str, DataType),
        described: &ArrayDescription,
        objects: &NodeObjects,
    ) -> Result<Vec<Attribute>> {
        let types = self.part(NczarrPart::Attributes, prefix, objects)?;
        let json = &objects.attributes;
        let path = format!("/{}", prefix.trim_end_matches('/'));
        let mut attributes = self.attributes(&path, json, (types.as_ref(), ty.atomic()));
        if let Some(own) = json.get("_FillValue")
            && let Some(values) = self
                .fill_value(&described.stored, ty, own)
                .or_else(|| self.latin_fill(described, own))
            && let Some(fill) = attributes.iter_mut().find(|a| a.name.is("_FillValue"))
        {
            (fill.ty, fill.values) = (ty, values);
        }
        if self.zarr.pure && matches!(described.stored.dtype, Dtype::Bytes(_)) {
            attributes.retain(|a| !declares_utf8(a));
        }
        let has = |name: &str| attributes.iter().any(|a| a.name.is(name));
        let units = match &described.stored.dtype {
            Dtype::Time(time) if !has("units") => units(time),
            _ => None,
        };
        let fill = match has("_FillValue") {
            false => self.shown_fill(described, ty, (json, types.as_ref())),
            true => None,
        };
        let (named, value) = (self.name("units"), self.name("_FillValue"));
        let units = units.map(|units| Values::Char(units.into_bytes()));
        attributes.extend(units.and_then(|units| Attribute::atomic(named, units)));
        if let Some(values) = fill {
            let before = nczarr::recorded_before(types.as_ref(), "_FillValue");
            let is_before = |a: &Attribute| before.iter().any(|name| a.name.is(name));
            // In CDL of fixed-size texts, `_nczarr_maxstrlen` follows `_FillValue`.
            let sized = matches!(described.stored.dtype, Dtype::Bytes(_) | Dtype::Utf32(_));
            let place = match (self.zarr.pure, described.version) {
                (true, ZarrVersion::V3) if sized => 0,
                (true, _) => attributes.len(),
                (false, _) => attributes.iter().take_while(|a| is_before(a)).count(),
            };
            attributes.insert(
                place,
                Attribute {
                    name: value,
                    ty,
                    values,
                },
            );
        }
        Ok(attributes)
    }

    /// Returns the fill value of an array if netCDF shows the value as an attribute. Pure version 2 shows the value only for arrays without
    /// dimensions and without `_ARRAY_DIMENSIONS`, like netCDF-C. Pure version 3 shows the value only for texts. Default fill values are
    /// not shown. NCZarr version 3 records the type of a `_FillValue` that is stored only in `fill_value`.
    fn shown_fill(
        &self,
        described: &ArrayDescription,
        ty: DataType,
        (json, types): (&Json, Option<&Json>),
    ) -> Option<Values> {
        let dtype = &described.stored.dtype;
        let recorded = !self.zarr.pure && Recorded::of(types).get("_FillValue").is_some();
        let shown = match described.version {
            ZarrVersion::V2 => {
                self.zarr.pure && described.rank == 0 && json.get("_ARRAY_DIMENSIONS").is_none()
            }
            // Writers store the value only in `fill_value`, because xarray accepts no attribute for texts.
            ZarrVersion::V3 if self.zarr.pure => {
                matches!(dtype, Dtype::Text | Dtype::Bytes(_) | Dtype::Utf32(_))
            }
            ZarrVersion::V3 => recorded,
        };
        if !shown || described.fill == Json::Null {
            return None;
        }
        let values = match (dtype, &described.fill) {
            (Dtype::Text | Dtype::Utf32(_), Json::Text(text)) => {
                Values::String(vec![Some(text.as_slice().into())])
            }
            (_, fill) => self.fill_value(&described.stored, ty, fill)?,
        };
        let default = ty.atomic().map(Atomic::default_fill);
        (recorded || Some(&values) != default.as_ref()).then_some(values)
    }

    /// Returns the fill value of an array without a `_FillValue` attribute, in the variable's type. Truth values have no fill value,
    /// because both values are data.
    pub(super) fn fill_without_attribute(
        &self,
        described: &ArrayDescription,
        ty: DataType,
        attributes: &[Attribute],
    ) -> Option<Values> {
        let said = attributes.iter().any(|a| a.name.is("_FillValue"));
        let none = described.fill == Json::Null || described.stored.dtype == Dtype::Bool;
        if said || none || !self.zarr.pure {
            return None;
        }
        self.fill_value(&described.stored, ty, &described.fill)
    }

    /// Returns the bytes of a `_FillValue` of pure version 2 that is not UTF-8. The attribute stores the bytes as Latin-1, `fill_value`
    /// stores them in base64.
    fn latin_fill(&self, described: &ArrayDescription, own: &Json) -> Option<Values> {
        let v2 = self.zarr.pure && described.version == ZarrVersion::V2;
        let fixed = v2 && matches!(described.stored.dtype, Dtype::Bytes(_));
        let (Json::Text(text), Json::Text(coded), true) = (own, &described.fill, fixed) else {
            return None;
        };
        let bytes = fill::base64(coded)?;
        let latin: String = bytes.iter().copied().map(char::from).collect();
        let changed = latin.as_bytes() == text.as_slice() && !is_utf8(&bytes);
        changed.then(|| Values::String(vec![Some(bytes.into())]))
    }

    /// Returns a fill value from JSON, in the variable's type.
    fn fill_value(&self, stored: &StoredType, ty: DataType, json: &Json) -> Option<Values> {
        // In version 3, xarray writes the bytes of fixed-size texts in base64.
        let coded = self.zarr.pure && self.zarr.version == ZarrVersion::V3;
        let fixed = matches!(stored.dtype, Dtype::Bytes(_));
        if ty == DataType::Atomic(Atomic::String) && !(coded && fixed) {
            return None;
        }
        let json = match json.items() {
            Some([one]) => one,
            // The two parts of one complex number.
            Some(_) if matches!(stored.dtype, Dtype::Complex(_)) => json,
            Some(_) => return None,
            None => json,
        };
        // xarray writes numbers of all types as doubles.
        let double = |text: &[u8]| {
            let bytes: [u8; 8] = fill::base64(text)?.try_into().ok()?;
            Some(Json::Number(format!("{:?}", f64::from_le_bytes(bytes))))
        };
        let bytes = fill::stored(stored, json, !self.zarr.pure).or_else(|| match json {
            Json::Text(text) => fill::stored(stored, &double(text)?, true),
            _ => None,
        })?;
        let values = decode(&self.schema, stored, ty, &bytes).ok()?;
        (values.len() == 1).then_some(values)
    }
}

/// Checks whether an attribute only declares that bytes are UTF-8. netCDF strings are always UTF-8.
fn declares_utf8(attribute: &Attribute) -> bool {
    attribute.name.is(ENCODING) && matches!(&attribute.values, Values::Char(text) if is_utf8(text))
}

/// Returns the CF units of a time type.
fn units(time: &Time) -> Option<String> {
    let unit = match time.unit.as_str() {
        "Y" => "years",
        "M" => "months",
        "W" => "weeks",
        "D" => "days",
        "h" => "hours",
        "m" => "minutes",
        "s" => "seconds",
        "ms" => "milliseconds",
        "us" | "μs" | "µs" => "microseconds",
        "ns" => "nanoseconds",
        "ps" => "picoseconds",
        "fs" => "femtoseconds",
        "as" => "attoseconds",
        _ => return None,
    };
    let factor = match time.factor {
        0 | 1 => String::new(),
        n => format!("{n} "),
    };
    let since = if time.since { " since 1970-01-01" } else { "" };
    Some(format!("{factor}{unit}{since}"))
}
