//! Times as dates: values with the attributes `units` and `calendar`, as shown by `ncdump -t`, and NumPy's times.

use netcdf_core::format::zarr::{Dtype, StoredType};
use netcdf_core::json::Json;
use netcdf_core::model::Values;
use netcdf_core::notes::Notes;
use netcdf_grammar::time::{Count, Formatted, Separator, TimeUnits};

use super::values::{AnyNumber, number};
use crate::out::plain;
use netcdf_core::format::zarr::survey::Node;

/// NumPy's value for "not a time".
const NAT: &str = "NaT";

/// A conversion of numbers to times.
#[derive(Debug)]
pub(crate) struct Times {
    units: TimeUnits,
    /// Numbers are multiplied by the first factor and divided by the second one to convert them to these units.
    factor: (u64, u64),
    /// Whether the minimum number stands for "not a time".
    nat: bool,
}

impl Times {
    /// Returns the conversion for an array, if its elements are times. A note reports an unreadable reference time of the array `path`.
    pub(crate) fn of(
        node: &Node,
        stored: &StoredType,
        (path, notes): (&str, &Notes),
    ) -> Option<Self> {
        match &stored.dtype {
            Dtype::Time(time) => {
                let (unit, per) = unit(&time.unit).filter(|_| time.since)?;
                let since = format!("{unit} since 1970-01-01");
                let units = TimeUnits::parse(since.as_bytes(), Some(b"proleptic_gregorian"))?;
                Some(Self {
                    units: units.ok()?,
                    factor: (time.factor, per),
                    nat: true,
                })
            }
            Dtype::Number(_) | Dtype::Half | Dtype::Brain => {
                let attributes = node.attributes()?;
                let text = |name| attributes.get(name).and_then(Json::as_str);
                let calendar = text("calendar").map(str::as_bytes);
                let note = match TimeUnits::parse(text("units")?.as_bytes(), calendar)? {
                    Ok(units) => {
                        units.note(path).into_iter().for_each(|n| notes.say(n));
                        return Some(Self {
                            units,
                            factor: (1, 1),
                            nat: false,
                        });
                    }
                    Err(unread) => unread.note(path),
                };
                notes.say(note);
                None
            }
            Dtype::Char | Dtype::Bool | Dtype::Complex(_) | Dtype::Bytes(_) => None,
            Dtype::Utf32(_) | Dtype::Raw(_) | Dtype::Struct(_) | Dtype::Text => None,
            Dtype::Blob | Dtype::Unknown(..) => None,
        }
    }

    /// Returns value `n` as a date in quotes, or `None` if it is not a date.
    pub(crate) fn date(&self, values: &Values, n: usize) -> Option<String> {
        if self.nat && matches!(values, Values::Int64(v) if v.get(n) == Some(&i64::MIN)) {
            return Some(NAT.to_owned());
        }
        let (factor, per) = (i128::from(self.factor.0), i128::from(self.factor.1));
        let value = match number(values, n)? {
            AnyNumber::Whole(whole) => Count::Whole(whole.checked_mul(factor)?.div_euclid(per)),
            AnyNumber::Real(real) => Count::Real(real),
        };
        let mut text = vec![];
        match self.units.format(value, Separator::Blank, &mut text) {
            Formatted::Time => Some(plain(&String::from_utf8_lossy(&text))),
            Formatted::NotFinite | Formatted::OutOfRange => None,
        }
    }
}

/// Returns the counting unit for a NumPy unit, and the number of NumPy units per counting unit.
fn unit(numpy: &str) -> Option<(&'static str, u64)> {
    Some(match numpy {
        "Y" => ("years", 1),
        "M" => ("months", 1),
        "W" => ("weeks", 1),
        "D" => ("days", 1),
        "h" => ("hours", 1),
        "m" => ("minutes", 1),
        "s" => ("seconds", 1),
        "ms" => ("milliseconds", 1),
        "us" | "μs" => ("microseconds", 1),
        "ns" => ("nanoseconds", 1),
        "ps" => ("nanoseconds", 1_000),
        "fs" => ("nanoseconds", 1_000_000),
        "as" => ("nanoseconds", 1_000_000_000),
        _ => return None,
    })
}
