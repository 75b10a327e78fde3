//! Findings as JSON.

use netcdf_core::diff::{
    DatasetSide, Difference, DifferenceKind, DifferentElement, DifferentValues, ElementCoordinate,
    Farthest,
};
use netcdf_core::json::{Between, Json};
use netcdf_core::shown::ShownAddress;

use super::DiffOutcome;

use super::text::name;
use super::value::ValueForms;

use crate::request::DiffRequest;

/// Returns the whole output as one line.
pub(super) fn document(request: &DiffRequest, outcome: &DiffOutcome) -> String {
    let [a, b] = request
        .inputs
        .each_ref()
        .map(|path| Json::text(ShownAddress::of(path).text()));
    let errors = outcome.errors.iter().map(|e| Json::text(&e.to_string()));
    let same = !outcome.differ && outcome.errors.is_empty();
    let document = Json::object([
        ("first", a),
        ("second", b),
        ("same", Json::Bool(same)),
        ("differences", Json::Array(outcome.findings.clone())),
        ("errors", Json::Array(errors.collect())),
    ]);
    let line = document.line(Between::CommaBlank);
    line.map_or_else(|_| String::new(), |line| line + "\n")
}

/// Returns a finding as JSON.
pub(super) fn finding(forms: &ValueForms<'_>, difference: &Difference) -> Json {
    let Difference {
        kind,
        path,
        attribute,
        finding,
    } = difference;
    let mut members = vec![
        ("path", Json::text(path)),
        ("kind", Json::text(kind.name())),
    ];
    let name = attribute.as_deref().map(Json::text);
    members.extend(name.map(|name| ("attribute", name)));
    let (what, more) = said(forms, finding);
    members.push(("difference", Json::text(what)));
    members.extend(more);
    Json::object(members)
}

type DiffMembers = Vec<(&'static str, Json)>;

/// Returns the word for a finding, and its members.
fn said(forms: &ValueForms<'_>, finding: &DifferenceKind) -> (&'static str, DiffMembers) {
    match finding {
        DifferenceKind::Only(side) => ("only", vec![("in", Json::text(name(*side)))]),
        DifferenceKind::Length(both) => ("length", pair(both.map(Json::int))),
        DifferenceKind::Type(both, compared) => (
            "type",
            compared_pair(both.each_ref().map(|t| Json::text(t)), *compared),
        ),
        DifferenceKind::Dimensions(both, compared) => (
            "dimensions",
            compared_pair(both.each_ref().map(|n| texts(n)), *compared),
        ),
        DifferenceKind::Shape(both) => ("shape", pair(both.each_ref().map(|n| Json::ints(n)))),
        DifferenceKind::Part(part, both) => {
            let mut members = vec![("part", Json::text(part))];
            members.extend(pair(both.each_ref().map(maybe)));
            ("definition", members)
        }
        DifferenceKind::Attribute(both) => {
            let [x, y] = both.types.each_ref().map(|t| Json::text(t));
            let [a, b] = &both.values;
            let mut members = vec![
                ("types", Json::Array(vec![x, y])),
                ("equal", Json::Bool(both.equal)),
            ];
            members.extend(pair([
                forms.json(DatasetSide::First, a),
                forms.json(DatasetSide::Second, b),
            ]));
            ("attribute", members)
        }
        DifferenceKind::Values(values) => ("values", of_values(forms, values)),
        DifferenceKind::Storage(both) => ("storage", pair(both.each_ref().map(maybe))),
        DifferenceKind::Order(kind, both) => {
            let mut members = vec![("of", Json::text(kind.name()))];
            members.extend(pair(both.each_ref().map(|n| texts(n))));
            ("order", members)
        }
    }
}

fn pair([a, b]: [Json; 2]) -> DiffMembers {
    vec![("first", a), ("second", b)]
}

fn compared_pair(both: [Json; 2], compared: bool) -> DiffMembers {
    let mut members = pair(both);
    members.push(("compared", Json::Bool(compared)));
    members
}

fn maybe(text: &Option<String>) -> Json {
    text.as_deref().map_or(Json::Null, Json::text)
}

fn texts(names: &[String]) -> Json {
    Json::Array(names.iter().map(|name| Json::text(name)).collect())
}

fn of_values(forms: &ValueForms<'_>, values: &DifferentValues) -> DiffMembers {
    let mut members = vec![
        ("differing", Json::int(values.differing)),
        ("compared", Json::int(values.compared)),
        ("without_size", Json::int(values.without_size)),
    ];
    let common = values.common.as_deref().map(Json::ints);
    members.extend(common.map(|shape| ("common", shape)));
    let farthest = |most: &Farthest| {
        let mut all = vec![("by", Json::int(most.by))];
        all.extend(of_element(forms, &most.element));
        Json::object(all)
    };
    let absolute = values.absolute.as_ref().map(farthest);
    members.extend(absolute.map(|most| ("largest", most)));
    let relative = values.relative.as_ref().map(farthest);
    members.extend(relative.map(|most| ("largest_relative", most)));
    members.push(("first_at", Json::object(of_element(forms, &values.first))));
    members
}

fn of_element(forms: &ValueForms<'_>, element: &DifferentElement) -> DiffMembers {
    let mut members = vec![("index", Json::ints(&element.index))];
    if !element.coordinates.is_empty() {
        let one =
            |c: &ElementCoordinate| (c.name.clone(), forms.json(DatasetSide::First, &c.value));
        let all = element.coordinates.iter().map(one).collect();
        members.push(("coordinates", Json::Object(all)));
    }
    let field = element.field.as_deref().map(Json::text);
    members.extend(field.map(|field| ("field", field)));
    let [a, b] = &element.values;
    members.extend(pair([
        forms.json(DatasetSide::First, a),
        forms.json(DatasetSide::Second, b),
    ]));
    members
}
