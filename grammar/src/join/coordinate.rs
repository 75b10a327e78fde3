//! The coordinate values of an input along the joined dimension.

use std::cmp::Ordering;

use netcdf_core::chunk::Dataset;
use netcdf_core::error::{Error, ErrorKind, OrInternal as _, Result};
use netcdf_core::model::{Region, Values, VarId};

use crate::time::{Calendar, Count, Formatted, Separator, TimeUnits, attribute_text, counts};

/// A coordinate value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Position {
    /// Nanoseconds since 1970-01-01 in the calendar.
    Time(i128, Calendar),
    /// A whole number.
    Whole(i128),
    /// Any other number.
    Real(f64),
    /// A text.
    Text(Vec<u8>),
}

impl Position {
    /// Compares two values; `None` for NaN and for values of different kinds.
    pub(super) fn order(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Time(a, calendar), Self::Time(b, other)) if calendar == other => Some(a.cmp(b)),
            (Self::Whole(a), Self::Whole(b)) => Some(a.cmp(b)),
            (Self::Text(a), Self::Text(b)) => Some(a.cmp(b)),
            (Self::Whole(_) | Self::Real(_), Self::Whole(_) | Self::Real(_)) => {
                self.number()?.partial_cmp(&other.number()?)
            }
            (Self::Time(..) | Self::Text(_) | Self::Whole(_) | Self::Real(_), _) => None,
        }
    }

    fn number(&self) -> Option<f64> {
        match self {
            Self::Time(n, _) | Self::Whole(n) => Some(*n as f64),
            Self::Real(x) => Some(*x),
            Self::Text(_) => None,
        }
    }

    /// Returns the distance to a later value; `None` for texts.
    pub(super) fn step(&self, next: &Self) -> Option<f64> {
        match (self, next) {
            (Self::Time(a, _), Self::Time(b, _)) | (Self::Whole(a), Self::Whole(b)) => {
                Some(b.checked_sub(*a)? as f64)
            }
            _ => Some(next.number()? - self.number()?),
        }
    }

    /// Returns the text for messages.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Time(n, calendar) => time_text(*n, *calendar),
            Self::Whole(n) => n.to_string(),
            Self::Real(x) => x.to_string(),
            Self::Text(text) => String::from_utf8_lossy(text)
                .trim_end_matches('\0')
                .to_owned(),
        }
    }
}

/// Returns a time as a date.
fn time_text(nanoseconds: i128, calendar: Calendar) -> String {
    let units = TimeUnits::parse(
        b"nanoseconds since 1970-01-01",
        Some(calendar.name().as_bytes()),
    );
    let mut text = vec![];
    let formatted = match units {
        Some(Ok(units)) => units.format(Count::Whole(nanoseconds), Separator::T, &mut text),
        Some(Err(_)) | None => Formatted::OutOfRange,
    };
    match formatted {
        Formatted::Time => String::from_utf8_lossy(&text).trim_matches('"').to_owned(),
        Formatted::NotFinite | Formatted::OutOfRange => format!("{nanoseconds} ns"),
    }
}

/// Returns a distance of positions in words.
pub(super) fn step_text(step: f64, like: &Position) -> String {
    let step = step.abs();
    match like {
        Position::Time(..) => {
            let units = [
                ("days", 86400e9),
                ("hours", 3600e9),
                ("minutes", 60e9),
                ("seconds", 1e9),
            ];
            let whole = units.iter().find(|(_, ns)| step >= *ns && step % ns == 0.0);
            let (name, ns) = whole.copied().unwrap_or(("seconds", 1e9));
            format!("{} {name}", step / ns)
        }
        Position::Whole(_) | Position::Real(_) | Position::Text(_) => step.to_string(),
    }
}

/// The coordinate range of an input.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CoordinateRange {
    pub(super) first: Position,
    pub(super) last: Position,
    /// Whether values increase; `None` for a single value.
    pub(super) rises: Option<bool>,
    /// The step if it is regular.
    pub(super) step: Option<f64>,
}

/// Reads the coordinate values of an input.
///
/// # Errors
/// Returns read errors, and [`ErrorKind::Argument`] for values that are neither numbers nor texts.
pub(super) fn positions(set: Dataset<'_>, id: VarId) -> Result<Vec<Position>> {
    let schema = set.reader.schema();
    let var = schema.var(id).or_internal("the coordinate")?;
    let shape = schema.shape(id);
    let values = set.read(id, &Region::whole(&shape))?;
    if let Values::Char(text) = &values {
        let row = shape.get(1).and_then(|len| usize::try_from(*len).ok());
        let rows = text.chunks(row.unwrap_or(1).max(1));
        return Ok(rows.map(|row| Position::Text(row.to_vec())).collect());
    }
    let counts = counts(values).ok_or_else(|| {
        let what = format!("the coordinate {} is not numeric", schema.var_path(id));
        Error::new(ErrorKind::Argument, what).with_remedy("use --order given")
    })?;
    let text = |name: &str| attribute_text(var, name);
    let units = match text("units").and_then(|units| TimeUnits::parse(units, text("calendar"))) {
        Some(Ok(units)) if units.scale().is_some() => Some(units),
        Some(_) | None => None,
    };
    Ok(counts
        .into_iter()
        .map(|count| position(count, units.as_ref()))
        .collect())
}

fn position(count: Count, units: Option<&TimeUnits>) -> Position {
    let time = units.and_then(|units| Some((units.instant(count)?, units.calendar())));
    match (time, count) {
        (Some((time, calendar)), _) => Position::Time(time, calendar),
        (None, Count::Whole(n)) => Position::Whole(n),
        (None, count) => Position::Real(count.real()),
    }
}

/// Returns the range of monotonic values; `None` without values.
///
/// # Errors
/// Returns [`ErrorKind::Argument`] for values that neither increase nor decrease.
pub(super) fn span(positions: &[Position]) -> Result<Option<CoordinateRange>> {
    let (Some(first), Some(last)) = (positions.first(), positions.last()) else {
        return Ok(None);
    };
    let pairs = || {
        positions
            .windows(2)
            .filter_map(|pair| Some((pair.first()?, pair.last()?)))
    };
    let wanted = pairs().next().map(|(a, b)| a.order(b));
    let broken = pairs().find(|(a, b)| {
        let order = a.order(b);
        order.is_none_or(Ordering::is_eq) || Some(order) != wanted
    });
    if let Some((a, b)) = broken {
        let what = format!(
            "the values of the coordinate neither increase nor decrease: {} follows {}",
            b.text(),
            a.text()
        );
        return Err(Error::new(ErrorKind::Argument, what).with_remedy("use --order given"));
    }
    if first.order(first).is_none() {
        let e = Error::new(ErrorKind::Argument, "a coordinate value is NaN");
        return Err(e.with_remedy("use --order given"));
    }
    let mut steps = pairs().map(|(a, b)| a.step(b));
    let step = steps.next().flatten();
    Ok(Some(CoordinateRange {
        first: first.clone(),
        last: last.clone(),
        rises: wanted.map(|order| order == Some(Ordering::Less)),
        step: step.filter(|step| steps.all(|other| other.is_some_and(|o| is_near(o, *step)))),
    }))
}

/// Returns whether two steps are equal, apart from rounding.
pub(super) fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * b.abs()
}
