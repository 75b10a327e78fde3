//! Labels of inputs along a new dimension.

use std::path::Path;

use netcdf_core::error::{Error, ErrorKind, OrInternal as _, Result};
use netcdf_core::model::{Schema, Values};

use super::attribute_values::plain_text;
use super::coordinate::{CoordinateRange, Position};

/// The source of labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LabelSource {
    /// A label for each input, in the order of the command line.
    List(Vec<String>),
    /// A global attribute.
    Attribute(String),
    /// The text of file names between a prefix and a suffix.
    Pattern(String, String),
}

impl LabelSource {
    /// Parses the value of `--labels`.
    pub(super) fn new(text: &str) -> Self {
        if let Some(name) = text.strip_prefix('@') {
            return Self::Attribute(name.to_owned());
        }
        match text.split_once('*') {
            Some((before, after)) => Self::Pattern(before.to_owned(), after.to_owned()),
            None => Self::List(
                text.split(',')
                    .map(|label| label.trim().to_owned())
                    .collect(),
            ),
        }
    }

    /// Returns the label of an input.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] for an input without a label.
    pub(super) fn label(&self, number: usize, path: &Path, schema: &Schema) -> Result<String> {
        let wrong = |what: String| Error::new(ErrorKind::Argument, what);
        match self {
            Self::List(labels) => labels.get(number).cloned().ok_or_else(|| {
                wrong(format!(
                    "--labels: {} labels are too few for the inputs",
                    labels.len()
                ))
            }),
            Self::Attribute(name) => {
                let attribute = schema.root().attributes.iter().find(|a| a.name.is(name));
                let attribute = attribute
                    .ok_or_else(|| wrong(format!("--labels: no global attribute {name}")))?;
                Ok(plain_text(attribute))
            }
            Self::Pattern(before, after) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let rest = name.strip_prefix(before.as_str());
                let label = rest.and_then(|rest| rest.strip_suffix(after.as_str()));
                label.map(str::to_owned).ok_or_else(|| {
                    wrong(format!(
                        "--labels: the file name has not the form {before}*{after}"
                    ))
                })
            }
        }
    }

    /// Returns whether labels determine the order of inputs. A list is in the order of the command line.
    pub(super) fn orders(&self) -> bool {
        !matches!(self, Self::List(_))
    }

    /// Checks that each label of a list has an input.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] for a list of another length.
    pub(super) fn check_count(&self, inputs: usize) -> Result<()> {
        match self {
            Self::List(labels) if labels.len() != inputs => {
                let what = format!("--labels: {} labels for {inputs} inputs", labels.len());
                Err(Error::new(ErrorKind::Argument, what))
            }
            Self::List(_) | Self::Attribute(_) | Self::Pattern(..) => Ok(()),
        }
    }
}

/// Returns labels as numbers if all are numbers, else as strings.
pub(super) fn label_values(labels: &[&str]) -> Values {
    let all = |parse: &dyn Fn(&str) -> bool| labels.iter().all(|label| parse(label));
    if all(&|label| label.parse::<i32>().is_ok()) {
        let values = labels.iter().filter_map(|label| label.parse().ok());
        return Values::Int(values.collect());
    }
    if all(&|label| label.parse::<f64>().is_ok()) {
        let values = labels.iter().filter_map(|label| label.parse().ok());
        return Values::Double(values.collect());
    }
    let texts = labels.iter().map(|label| Some(label.as_bytes().into()));
    Values::String(texts.collect())
}

/// Returns the coordinate ranges of labels.
///
/// # Errors
/// Returns an internal error for values of another type.
pub(super) fn label_ranges(labels: &[&str]) -> Result<Vec<CoordinateRange>> {
    let range = |position: Position| CoordinateRange {
        first: position.clone(),
        last: position,
        rises: None,
        step: None,
    };
    let positions: Vec<Position> = match label_values(labels) {
        Values::Int(values) => values
            .iter()
            .map(|n| Position::Whole((*n).into()))
            .collect(),
        Values::Double(values) => values.iter().map(|x| Position::Real(*x)).collect(),
        Values::String(texts) => {
            let text = |text: &Option<Box<[u8]>>| {
                text.as_deref().map(|text| Position::Text(text.to_vec()))
            };
            texts.iter().filter_map(text).collect()
        }
        _ => vec![],
    };
    (positions.len() == labels.len())
        .then_some(())
        .or_internal("positions of labels")?;
    Ok(positions.into_iter().map(range).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_numbers_if_all_are() {
        assert_eq!(label_values(&["1", "20"]), Values::Int(vec![1, 20]));
        assert_eq!(label_values(&["1", "2.5"]), Values::Double(vec![1.0, 2.5]));
        let texts = label_values(&["1", "b"]);
        assert_eq!(
            texts,
            Values::String(vec![Some((*b"1").into()), Some((*b"b").into())])
        );
    }

    #[test]
    fn labels_of_file_names() {
        let source = LabelSource::new("r*.nc");
        let schema = Schema::new(netcdf_core::model::Kind::NETCDF4);
        let label = |path: &str| source.label(0, Path::new(path), &schema);
        assert_eq!(label("d/r12.nc").unwrap(), "12");
        assert!(label("d/x12.nc").is_err());
        assert_eq!(
            LabelSource::new("a, b"),
            LabelSource::List(vec!["a".into(), "b".into()])
        );
    }
}
