//! Text attributes and NaN that change in a round trip.

use super::attributes::{self, AttributeForm};
use super::check::lists;
use super::fill;
use super::numbers::Style;
use crate::env::Env;
use crate::error::list_names;
use crate::json::Json;
use crate::model::{Atomic, Attribute, Schema, Values, Variable, Zarr, ZarrVersion};
use crate::notes::Note;

use crate::format::zarr::attrs;

/// The change of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AttributeChange {
    /// A single NUL becomes an empty text.
    Emptied,
    /// JSON text is stored as JSON, with new spacing.
    Respaced,
    /// NaN loses the sign, because JSON has only one NaN.
    Unsigned,
}

/// Notes attributes with texts or NaN that change. Another note covers invalid UTF-8.
pub(super) fn note_changed(schema: &Schema, zarr: Zarr, env: &Env) {
    let form = AttributeForm {
        recorded: !zarr.pure,
        style: Style::of(zarr),
        json_texts: schema.json_texts,
    };
    let changed: Vec<(AttributeChange, String)> = lists(schema)
        .iter()
        .flat_map(|(path, var, attributes)| {
            let own = |a: &Attribute| var.is_some_and(|var| fill::is_own(var, a));
            let changes = attributes.iter().map(move |a| match own(a) {
                true => (nan(a), a),
                false => (nan(a).or_else(|| change(a, form)), a),
            });
            changes.filter_map(move |(change, a)| Some((change?, format!("{path}:{}", a.name))))
        })
        .collect();
    for (change, what) in [
        (
            AttributeChange::Emptied,
            "Zarr stores one NUL as an empty text, so these attributes become empty",
        ),
        (
            AttributeChange::Respaced,
            "JSON texts are stored as JSON, and their spaces may change",
        ),
        (
            AttributeChange::Unsigned,
            "Zarr has one NaN, so sign and other bits of NaN in these attributes change",
        ),
    ] {
        let these = changed.iter().filter(|(one, _)| *one == change);
        let names: Vec<String> = these.map(|(_, name)| name.clone()).collect();
        remark(env, what, &names);
    }
    if zarr.version == ZarrVersion::V3 {
        note_unreadable_fills(schema, env);
        if zarr.pure {
            note_empty_fills(schema, env);
        }
    }
}

/// Notes fill values that are not stored because xarray would reject the store.
fn note_unreadable_fills(schema: &Schema, env: &Env) {
    let vars = schema.var_ids().zip(&schema.vars);
    let unreadable = |var: &Variable| {
        let mut attributes = var.attributes.iter();
        attributes.any(|a| fill::is_unreadable(var, a))
    };
    for (id, _) in vars.filter(|(_, var)| unreadable(var)) {
        env.notes.say(Note {
            object: schema.var_path(id),
            what: "skipped: a _FillValue that is not one value of the variable's type; xarray rejects version 3 stores with this attribute"
                .to_owned(),
            remedy: Some("use -k zarr or -k nczarr to keep it".to_owned()),
        });
    }
}

/// Notes fill values of NUL and empty texts. Pure version 3 cannot represent these values.
fn note_empty_fills(schema: &Schema, env: &Env) {
    let vars = schema.var_ids().zip(&schema.vars);
    for (id, _) in vars.filter(|(_, var)| fill::is_empty_text(var)) {
        env.notes.say(Note {
            object: schema.var_path(id),
            what: "skipped: pure Zarr version 3 cannot store a _FillValue of NUL or an empty text"
                .to_owned(),
            remedy: Some("use -k nczarr3 to keep it".to_owned()),
        });
    }
}

fn remark(env: &Env, what: &str, names: &[String]) {
    if !names.is_empty() {
        env.notes.remark(Note {
            object: "/".to_owned(),
            what: format!("{what}: {}", list_names(names)),
            remedy: None,
        });
    }
}

/// Returns the change of a text attribute in a round trip, if any.
fn change(attribute: &Attribute, form: AttributeForm) -> Option<AttributeChange> {
    let Values::Char(text) = &attribute.values else {
        return None;
    };
    if *text == [0] {
        return Some(AttributeChange::Emptied);
    }
    let stored = attributes::store(attribute, form).ok()?;
    let as_json = !matches!(stored.json, Json::Text(_));
    let recorded = form.recorded.then_some(Atomic::Char);
    let same = attrs::values(&stored.json, recorded).0 == attribute.values;
    (as_json && !same).then_some(AttributeChange::Respaced)
}

/// Returns the change of NaN in a round trip, if any.
fn nan(attribute: &Attribute) -> Option<AttributeChange> {
    let other = match &attribute.values {
        Values::Float(v) => v
            .iter()
            .any(|x| x.is_nan() && x.to_bits() != f32::NAN.to_bits()),
        Values::Double(v) => v
            .iter()
            .any(|x| x.is_nan() && x.to_bits() != f64::NAN.to_bits()),
        Values::Byte(_) | Values::UByte(_) | Values::Short(_) | Values::UShort(_) => false,
        Values::Int(_) | Values::UInt(_) | Values::Int64(_) | Values::UInt64(_) => false,
        Values::Char(_) | Values::String(_) | Values::Enum(..) | Values::Opaque { .. } => false,
        Values::Vlen(..) | Values::Compound { .. } => false,
    };
    other.then_some(AttributeChange::Unsigned)
}
