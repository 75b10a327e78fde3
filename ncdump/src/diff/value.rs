//! Values as CDL text, with all digits if necessary.

use netcdf_core::diff::{DatasetSide, ElementCoordinate};
use netcdf_core::json::Json;
use netcdf_core::model::{Schema, Values, VarId};
use netcdf_core::notes::Notes;
use netcdf_core::shown::ShownText;
use netcdf_grammar::cdl::write::{Forms as _, constants, number};
use netcdf_grammar::escape::{TextStyle, quote_text};
use netcdf_grammar::number::Precision;
use netcdf_grammar::time::{Separator, TimeUnits, attribute_text};

use crate::forms::DumpForms;
use crate::request::Digits;

/// The maximum number of attribute values and text characters in the output.
const VALUES: usize = 10;
const CHARACTERS: usize = 200;

/// The digits of float and double in a dump, and all digits.
const USUAL: [Precision; 2] = [Precision::Digits(7), Precision::Digits(15)];
const EXACT: [Precision; 2] = [Precision::Exact, Precision::Exact];

/// The forms of the values of two datasets.
pub(super) struct ValueForms<'a> {
    schemas: [&'a Schema; 2],
    /// Times of the first dataset, as dates.
    times: DumpForms<'a>,
}

impl<'a> ValueForms<'a> {
    pub(super) fn new(schemas: [&'a Schema; 2], notes: &'a Notes) -> Self {
        Self {
            schemas,
            times: DumpForms::new(
                schemas[0],
                Digits::default(),
                (Some(Separator::Blank), notes),
            ),
        }
    }

    fn constants(&self, side: DatasetSide, values: &Values, digits: [Precision; 2]) -> Vec<String> {
        let schema = match side {
            DatasetSide::First => self.schemas[0],
            DatasetSide::Second => self.schemas[1],
        };
        let all = constants(schema, values, digits.into());
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        all.into_iter().map(text).map(plain).collect()
    }

    /// Formats different values. Uses the digits of a dump, or all digits if the texts would be equal.
    pub(super) fn pair(&self, [a, b]: &[Values; 2]) -> [String; 2] {
        let both = |digits| {
            [
                self.text(DatasetSide::First, a, digits),
                self.text(DatasetSide::Second, b, digits),
            ]
        };
        let [a, b] = both(USUAL);
        match a == b {
            true => both(EXACT),
            false => [a, b],
        }
    }

    /// Formats one or more values as a text of limited length.
    fn text(&self, side: DatasetSide, values: &Values, digits: [Precision; 2]) -> String {
        if let Values::Char(text) = values {
            let mut quoted = vec![];
            quote_text(text, TextStyle::STRING, &mut quoted);
            return short(&String::from_utf8_lossy(&quoted));
        }
        let few = values.slice(0..VALUES);
        let mut texts: Vec<_> = self
            .constants(side, &few, digits)
            .iter()
            .map(|t| short(t))
            .collect();
        match values.len() {
            0 => "no values".to_owned(),
            len => {
                texts.extend((len > VALUES).then(|| format!("… ({len} values)")));
                texts.join(", ")
            }
        }
    }

    /// Returns values as JSON: a text for characters, otherwise one value or a list.
    pub(super) fn json(&self, side: DatasetSide, values: &Values) -> Json {
        if let Values::Char(text) = values {
            return Json::Text(text.clone());
        }
        let mut all: Vec<Json> = match values {
            Values::String(texts) => {
                let text = |t: &Option<Box<[u8]>>| match t {
                    Some(text) => Json::Text(text.to_vec()),
                    None => Json::Null,
                };
                texts.iter().map(text).collect()
            }
            values => {
                let number = values.data_type().is_some();
                let one = |text: String| match number {
                    true => Json::Number(text),
                    false => Json::Text(text.into_bytes()),
                };
                let all = self.constants(side, values, EXACT);
                all.into_iter().map(one).collect()
            }
        };
        match all.len() {
            1 => all.remove(0),
            _ => Json::Array(all),
        }
    }

    /// Formats a coordinate. A time becomes a date.
    pub(super) fn coordinate(&self, coordinate: &ElementCoordinate) -> String {
        let date = self.date(coordinate.var, &coordinate.value);
        date.unwrap_or_else(|| self.text(DatasetSide::First, &coordinate.value, USUAL))
    }

    fn date(&self, var: VarId, value: &Values) -> Option<String> {
        let number = number(value, 0)?;
        if !self.has_time(var) {
            return None;
        }
        let mut out = vec![];
        let written = self.times.data(var)?.write(number, &mut out);
        written.then(|| String::from_utf8_lossy(&out).trim_matches('"').to_owned())
    }

    /// Checks whether a variable has time units.
    fn has_time(&self, var: VarId) -> bool {
        let units = self.schemas[0].var(var);
        let units = units.and_then(|var| attribute_text(var, "units"));
        units.is_some_and(|units| TimeUnits::parse(units, None).is_some())
    }
}

/// Removes the CDL suffix: `NaN` instead of `NaNf`. Types are shown elsewhere.
fn plain(text: String) -> String {
    match text.strip_suffix('f') {
        Some(word @ ("NaN" | "Infinity" | "-Infinity")) => word.to_owned(),
        Some(_) | None => text,
    }
}

fn short(text: &str) -> String {
    ShownText::new(text).at_most(CHARACTERS).to_string()
}
