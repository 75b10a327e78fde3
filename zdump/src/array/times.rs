//! Times as dates: values with the attributes `units` and `calendar`, as shown by `ncdump -t`, and NumPy's times.

use netcdf_core::format::zarr::{Dtype, StoredType};
use netcdf_core::json::Json;
use netcdf_core::model::Values;
use netcdf_grammar::time::{Count, Formatted, Separator, TimeUnits};

use super::values::number;
use crate::out::plain;
use netcdf_core::format::zarr::survey::Node;

/// NumPy's value for "not a time".
const NAT: &str = "NaT";

/// How numbers are converted to times.
#[derive(Debug)]
pub(crate) struct Times {
    units: TimeUnits,
    /// The factors that a number is multiplied with, then divided by, to get one in these units.
    factor: (f64, f64),
    /// Whether the least number stands for "not a time".
    nat: bool,
}

impl Times {
    /// The conversion for an array, if its elements are times.
    pub fn of(node: &Node, stored: &StoredType) -> Option<Self> {
        match &stored.dtype {
            Dtype::Time(time) => {
                #[expect(clippy::cast_precision_loss, reason = "factors are small")]
                let factor = time.factor as f64;
                let (unit, per) = unit(&time.unit).filter(|_| time.since)?;
                let since = format!("{unit} since 1970-01-01");
                Some(Self {
                    units: TimeUnits::parse(since.as_bytes(), Some(b"proleptic_gregorian"))?,
                    factor: (factor, per),
                    nat: true,
                })
            }
            Dtype::Number(_) | Dtype::Half | Dtype::Brain => {
                let attributes = node.attributes()?;
                let text = |name| attributes.get(name).and_then(Json::as_str);
                let calendar = text("calendar").map(str::as_bytes);
                Some(Self {
                    units: TimeUnits::parse(text("units")?.as_bytes(), calendar)?,
                    factor: (1.0, 1.0),
                    nat: false,
                })
            }
            Dtype::Char | Dtype::Bool | Dtype::Complex(_) | Dtype::Bytes(_) => None,
            Dtype::Utf32(_) | Dtype::Raw(_) | Dtype::Struct(_) | Dtype::Text => None,
            Dtype::Blob | Dtype::Unknown(..) => None,
        }
    }

    /// Value `n` as a date in quotes; `None` if it is not a date.
    pub fn date(&self, values: &Values, n: usize) -> Option<String> {
        if self.nat && matches!(values, Values::Int64(v) if v.get(n) == Some(&i64::MIN)) {
            return Some(NAT.to_owned());
        }
        let number = number(values, n)?;
        let value = match values {
            Values::Int64(v) if self.factor == (1.0, 1.0) => Count::Whole((*v.get(n)?).into()),
            _ => Count::Real(number.real() * self.factor.0 / self.factor.1),
        };
        let mut text = vec![];
        match self.units.format(value, Separator::Blank, &mut text) {
            Formatted::Time => Some(plain(&String::from_utf8_lossy(&text))),
            Formatted::NotFinite | Formatted::OutOfRange => None,
        }
    }
}

/// The unit to count in for a unit of NumPy, and how many of NumPy's units make one.
fn unit(numpy: &str) -> Option<(&'static str, f64)> {
    Some(match numpy {
        "Y" => ("years", 1.0),
        "M" => ("months", 1.0),
        "W" => ("weeks", 1.0),
        "D" => ("days", 1.0),
        "h" => ("hours", 1.0),
        "m" => ("minutes", 1.0),
        "s" => ("seconds", 1.0),
        "ms" => ("milliseconds", 1.0),
        "us" | "μs" => ("microseconds", 1.0),
        "ns" => ("nanoseconds", 1.0),
        "ps" => ("seconds", 1e12),
        "fs" => ("seconds", 1e15),
        "as" => ("seconds", 1e18),
        _ => return None,
    })
}
