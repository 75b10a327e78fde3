//! Predefined attributes: labels, units, formats, ranges and calibrations, which the DFSD interface stores in separate elements.

use super::builder::NewAttribute;
use super::ntype::Hdf4NumberType;
use super::special::cut;
use crate::chunk::elements;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Atomic, Endianness, Values};

/// Attribute names of a label, a unit and a format.
const NAMES: [&str; 3] = ["long_name", "units", "format"];
/// Attribute names of a calibration.
const CALIBRATION: [&str; 4] = [
    "scale_factor",
    "scale_factor_err",
    "add_offset",
    "add_offset_err",
];
/// Size of a calibration in double precision.
const DOUBLE: usize = 36;

/// Labels, units and formats of a dataset and its dimensions.
#[derive(Debug)]
pub(super) struct PredefinedStrings<'a>([Vec<&'a [u8]>; 3]);

impl<'a> PredefinedStrings<'a> {
    /// Splits the string elements of a dataset with `rank` dimensions.
    #[must_use]
    pub(super) fn parse(labels: &'a [u8], units: &'a [u8], formats: &'a [u8], rank: usize) -> Self {
        Self([labels, units, formats].map(|all| {
            let parts = all.split(|&b| b == 0);
            parts.take(rank.saturating_add(1)).collect()
        }))
    }

    /// The attributes of the dataset.
    #[must_use]
    pub(super) fn of_dataset(&self) -> Vec<NewAttribute> {
        self.at(0)
    }

    /// The attributes of a dimension.
    #[must_use]
    pub(super) fn of_dimension(&self, n: usize) -> Vec<NewAttribute> {
        self.at(n.saturating_add(1))
    }

    fn at(&self, n: usize) -> Vec<NewAttribute> {
        let named = NAMES.iter().zip(&self.0);
        let named = named.filter_map(|(name, strings)| text(name, strings.get(n)?));
        named.collect()
    }
}

/// A text attribute, cut at the first zero byte. Returns `None` for empty text.
#[must_use]
pub(super) fn text(name: &str, text: &[u8]) -> Option<NewAttribute> {
    let attribute = any_text(name, text);
    (!attribute.values.is_empty()).then_some(attribute)
}

/// A text attribute, cut at the first zero byte.
#[must_use]
pub(super) fn any_text(name: &str, text: &[u8]) -> NewAttribute {
    new(name, Values::Char(cut(text).to_vec()))
}

/// The attributes of a range: the maximum and the minimum valid value.
///
/// # Errors
/// Returns [`ErrorKind::Truncated`].
pub(super) fn range(bytes: &[u8], ty: Hdf4NumberType) -> Result<Vec<NewAttribute>> {
    let values = numbers(bytes, ty.atomic, ty.order)?;
    let names = ["valid_max", "valid_min"];
    let named = (0..)
        .zip(names)
        .map(|(n, name)| new(name, values.slice(n..n + 1)));
    match values.len() {
        2.. => Ok(named.collect()),
        _ => Err(short(bytes)),
    }
}

/// The attributes of a calibration.
///
/// # Errors
/// Returns [`ErrorKind::Truncated`].
pub(super) fn calibration(bytes: &[u8]) -> Result<Vec<NewAttribute>> {
    let (factor, number, size) = match bytes.len() {
        DOUBLE => (Atomic::Double, Atomic::Int, 32),
        _ => (Atomic::Float, Atomic::Short, 16),
    };
    let (factors, rest) = bytes.split_at_checked(size).ok_or_else(|| short(bytes))?;
    let factors = numbers(factors, factor, Endianness::Big)?;
    let number = numbers(rest, number, Endianness::Big)?;
    if number.is_empty() {
        return Err(short(bytes));
    }
    let named = (0..).zip(CALIBRATION);
    let named = named.map(|(n, name)| new(name, factors.slice(n..n + 1)));
    let number = new("calibrated_nt", number.slice(0..1));
    Ok(named.chain([number]).collect())
}

fn numbers(bytes: &[u8], ty: Atomic, order: Endianness) -> Result<Values> {
    elements::decode(ty, order, bytes)
}

fn new(name: &str, values: Values) -> NewAttribute {
    let name = name.as_bytes().to_vec();
    NewAttribute { name, values }
}

fn short(bytes: &[u8]) -> Error {
    let what = format!("a predefined attribute of {} bytes", bytes.len());
    Error::new(ErrorKind::Truncated, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_attributes_of_dataset_and_dimensions() {
        let strings = PredefinedStrings::parse(b"t\0\0x\0\0\0", b"K\0", b"", 2);
        let shown = |all: Vec<NewAttribute>| {
            let one = |a: NewAttribute| {
                let text = a.values.as_text().unwrap_or_default().to_vec();
                let [name, text] = [a.name, text].map(|b| String::from_utf8(b).unwrap());
                format!("{name}={text}")
            };
            all.into_iter().map(one).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(shown(strings.of_dataset()), "long_name=t units=K");
        assert_eq!(shown(strings.of_dimension(0)), "");
        assert_eq!(shown(strings.of_dimension(1)), "long_name=x");
        assert_eq!(shown(strings.of_dimension(7)), "");
    }

    #[test]
    fn calibrations_have_single_or_double_precision() {
        let double: Vec<u8> = [1.5f64, 0.0, 2.0, 0.0]
            .iter()
            .flat_map(|x| x.to_be_bytes())
            .collect();
        let double = [&*double, &[0, 0, 0, 22]].concat();
        let got = calibration(&double).unwrap();
        assert_eq!(got[0].values, Values::Double(vec![1.5]));
        assert_eq!(got[2].values, Values::Double(vec![2.0]));
        assert_eq!(got[4].values, Values::Int(vec![22]));
        let single = [[0x3f, 0xc0, 0, 0]; 4].concat();
        let got = calibration(&[&*single, &[0, 22]].concat()).unwrap();
        assert_eq!(got[3].values, Values::Float(vec![1.5]));
        assert_eq!(got[4].values, Values::Short(vec![22]));
        for len in [0, 3, 15, 17] {
            assert!(calibration(&double[..len]).is_err());
        }
    }
}
