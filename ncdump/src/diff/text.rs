//! Findings as lines that begin with a path.

use netcdf_core::diff::{
    AttributeValues, DatasetSide, Difference, DifferenceKind, DifferentElement, DifferentValues,
    Farthest, ObjectKind,
};
use netcdf_core::shown::ShownText;

use super::value::ValueForms;

/// Returns the line of a finding.
pub(super) fn line(forms: &ValueForms<'_>, difference: &Difference) -> String {
    let Difference {
        kind,
        path,
        attribute,
        finding,
    } = difference;
    let owner = match attribute {
        Some(name) => format!("{path}:{name}"),
        None => path.clone(),
    };
    let said = said(forms, *kind, finding);
    format!("{}: {}\n", ShownText::new(&owner), ShownText::new(&said))
}

fn said(forms: &ValueForms<'_>, kind: ObjectKind, finding: &DifferenceKind) -> String {
    match finding {
        DifferenceKind::Only(side) => {
            format!("{} only in the {} dataset", kind.name(), name(*side))
        }
        DifferenceKind::Length([a, b]) => format!("dimension of length {a} and {b}"),
        DifferenceKind::Type([a, b], compared) => format!("type {a} and {b}{}", unless(*compared)),
        DifferenceKind::Dimensions([a, b], compared) => {
            format!(
                "dimensions ({}) and ({}){}",
                a.join(", "),
                b.join(", "),
                unless(*compared)
            )
        }
        DifferenceKind::Shape([a, b]) => format!("shape {} and {}", index(a), index(b)),
        DifferenceKind::Part(part, both) => format!("type, {part}: {}", either(both)),
        DifferenceKind::Attribute(values) => of_attribute(forms, values),
        DifferenceKind::Values(values) => of_values(forms, values),
        DifferenceKind::Storage(both) if kind == ObjectKind::Dimension => {
            format!("dimension {}", either(both))
        }
        DifferenceKind::Storage(both) => either(both),
        DifferenceKind::Order(kind, [a, b]) => {
            let (a, b) = order(a, b);
            format!("order of {}s: {a} and {b}", kind.name())
        }
    }
}

pub(super) fn name(side: DatasetSide) -> &'static str {
    match side {
        DatasetSide::First => "first",
        DatasetSide::Second => "second",
    }
}

fn unless(compared: bool) -> &'static str {
    match compared {
        true => "",
        false => ", so values are not compared",
    }
}

/// Describes values that one or both datasets have.
fn either(both: &[Option<String>; 2]) -> String {
    match both {
        [Some(a), Some(b)] => format!("{a} and {b}"),
        [Some(a), None] => format!("{a} only in the first dataset"),
        [None, Some(b)] => format!("{b} only in the second dataset"),
        [None, None] => String::new(),
    }
}

/// Returns the names from the first to the last different position.
fn order(a: &[String], b: &[String]) -> (String, String) {
    let same = |(a, b): &(&String, &String)| a == b;
    let first = a.iter().zip(b).take_while(same).count();
    let last = a.iter().rev().zip(b.iter().rev()).take_while(same).count();
    let middle = |names: &[String]| {
        let end = names.len().saturating_sub(last);
        names.get(first..end).unwrap_or_default().join(", ")
    };
    (middle(a), middle(b))
}

fn of_attribute(forms: &ValueForms<'_>, attribute: &AttributeValues) -> String {
    let [a, b] = forms.pair(&attribute.values);
    let [x, y] = &attribute.types;
    match (x == y, attribute.equal) {
        (true, _) => format!("{a} and {b}"),
        (false, true) => format!("type {x} and {y}, equal: {a}"),
        (false, false) => format!("type {x} and {y}: {a} and {b}"),
    }
}

fn of_values(forms: &ValueForms<'_>, values: &DifferentValues) -> String {
    let DifferentValues {
        differing,
        compared,
        ..
    } = values;
    let mut said = match &values.common {
        Some(shape) => format!(
            "{differing} of {compared} elements of the common part {}",
            index(shape)
        ),
        None => format!("{differing} of {}", elements(*compared)),
    };
    said.push_str(if *differing == 1 {
        " differs"
    } else {
        " differ"
    });
    match &values.absolute {
        Some(most) => said.push_str(&of_sizes(forms, values, most)),
        None => said.push_str(&format!("; first at {}", place(forms, &values.first))),
    }
    if values.without_size > 0 && values.absolute.is_some() {
        said.push_str(&format!("; {} without a size", values.without_size));
    }
    said
}

/// Describes the largest differences, and the first one if it is at another element.
fn of_sizes(forms: &ValueForms<'_>, values: &DifferentValues, most: &Farthest) -> String {
    let at = place(forms, &most.element);
    let is_there = |element: &DifferentElement| element.index == most.element.index;
    let mut said = match &values.relative {
        Some(other) if is_there(&other.element) => {
            let (by, relative) = (size(most.by), size(other.by));
            format!("; largest by {by}, relative {relative}, at {at}")
        }
        Some(other) => {
            let there = place(forms, &other.element);
            let (by, relative) = (size(most.by), size(other.by));
            format!("; largest by {by} at {at}; relative by {relative} at {there}")
        }
        None => format!("; largest by {} at {at}", size(most.by)),
    };
    if !is_there(&values.first) {
        said.push_str(&format!("; first at {}", place(forms, &values.first)));
    }
    said
}

/// Formats a difference. A fraction has six digits.
fn size(by: f64) -> String {
    const WHOLE: f64 = 1e15;
    if by.fract() == 0.0 && by.abs() < WHOLE {
        return by.to_string();
    }
    let digits = format!("{by:.5e}").parse().unwrap_or(by);
    match (1e-4..WHOLE).contains(&digits.abs()) {
        true => digits.to_string(),
        false => format!("{digits:e}"),
    }
}

fn elements(n: u64) -> String {
    match n {
        1 => "1 element".to_owned(),
        n => format!("{n} elements"),
    }
}

/// Formats an element with coordinates and values: `[3,4] (lat=30): 1 and 2`.
fn place(forms: &ValueForms<'_>, element: &DifferentElement) -> String {
    let coordinates = element.coordinates.iter();
    let texts: Vec<_> = coordinates
        .map(|one| format!("{}={}", one.name, forms.coordinate(one)))
        .collect();
    let coordinates = match texts.is_empty() {
        true => String::new(),
        false => format!(" ({})", texts.join(", ")),
    };
    let field = element.field.as_ref();
    let field = field.map_or_else(String::new, |field| format!(", field {field}"));
    let [a, b] = forms.pair(&element.values);
    format!("{}{coordinates}{field}: {a} and {b}", index(&element.index))
}

fn index(at: &[u64]) -> String {
    let numbers: Vec<_> = at.iter().map(u64::to_string).collect();
    format!("[{}]", numbers.join(","))
}
