//! Statistics of variables (`--stats`), as a table or JSON.

use std::io::Write;

use netcdf_core::arithmetic::Amount;
use netcdf_core::chunk::Dataset;
use netcdf_core::error::{Error, ErrorKind, OrInternal as _, Result};
use netcdf_core::json::{Between, Json};
use netcdf_core::model::{DataType, Schema, Values, VarId};
use netcdf_core::shown;
use netcdf_core::stats::{Extreme, Histogram, Statistics, statistics};
use netcdf_core::tool::table::TextTable;
use netcdf_grammar::cdl::write::constants;
use netcdf_grammar::number::Precision;

/// Columns of the table.
const HEAD: [&str; 11] = [
    "variable",
    "type",
    "count",
    "missing",
    "minimum",
    "at",
    "maximum",
    "at",
    "mean",
    "deviation",
    "histogram",
];

/// The right-aligned columns.
const RIGHT: [usize; 6] = [2, 3, 4, 6, 8, 9];

/// The bar characters by height.
const HEIGHTS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/// The requested statistics.
pub(crate) struct StatisticsRequest<'a> {
    /// The name of the file, as given.
    pub(crate) file: &'a str,
    /// The text before the table.
    pub(crate) heading: String,
    /// The selected variables.
    pub(crate) chosen: Option<Vec<VarId>>,
    /// Whether stored values are unpacked.
    pub(crate) unpack: bool,
    /// Whether to print JSON.
    pub(crate) json: bool,
}

/// A variable with its statistics, or without if it has no numbers.
struct StatsRow {
    path: String,
    ty: String,
    count: u64,
    made: Option<Statistics>,
}

/// Prints the statistics of variables. Skips unreadable variables, with an error in `omitted`.
///
/// # Errors
/// Returns write errors and [`ErrorKind::Cancelled`].
pub(crate) fn write(
    set: Dataset<'_>,
    request: &StatisticsRequest<'_>,
    omitted: &mut Vec<Error>,
    out: &mut dyn Write,
) -> Result<()> {
    let schema = set.reader.schema();
    let all = || schema.var_ids().collect();
    let mut rows = vec![];
    for id in request.chosen.clone().unwrap_or_else(all) {
        match statistics(set, id, request.unpack) {
            Ok(made) => rows.push(row(schema, id, made)?),
            Err(e) if e.kind() == ErrorKind::Cancelled => return Err(e),
            Err(e) => omitted.push(e),
        }
    }
    let text = match request.json {
        true => json(request, rows)?,
        false => request.heading.clone() + &table(schema, &rows),
    };
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|e| Error::io("cannot write", "(stdout)", e))
}

fn row(schema: &Schema, id: VarId, made: Option<Statistics>) -> Result<StatsRow> {
    let var = schema.var(id).or_internal("a variable")?;
    let ty = match var.ty {
        DataType::Atomic(ty) => ty.name().to_owned(),
        DataType::User(id) => {
            let name = schema.user_type(id).map(|ty| ty.name.to_string());
            name.unwrap_or_default()
        }
    };
    Ok(StatsRow {
        path: schema.var_path(id),
        ty,
        count: Amount::product(&schema.shape(id)).get(),
        made,
    })
}

fn table(schema: &Schema, rows: &[StatsRow]) -> String {
    let mut table = TextTable::flush_right(&RIGHT);
    table.row(HEAD);
    for row in rows {
        let mut cells = vec![row.path.clone(), row.ty.clone(), row.count.to_string()];
        if let Some(made) = &row.made {
            let number = |x: Option<f64>| {
                x.map_or("-".to_owned(), |x| {
                    text(schema, &Values::Double(vec![x]), 7)
                })
            };
            cells.push(made.missing.to_string());
            cells.extend(extreme(schema, made.least.as_ref()));
            cells.extend(extreme(schema, made.most.as_ref()));
            cells.extend([number(made.mean), number(made.deviation)]);
            cells.push(made.histogram.as_ref().map_or("-".to_owned(), bars));
        } else {
            cells.extend(vec!["-".to_owned(); HEAD.len() - cells.len()]);
        }
        table.row(cells);
    }
    table.text()
}

/// Formats a value with the digits of a dump, and its index.
fn extreme(schema: &Schema, extreme: Option<&Extreme>) -> [String; 2] {
    match extreme {
        Some(extreme) => [text(schema, &extreme.value, 15), index(&extreme.index)],
        None => ["-", "-"].map(str::to_owned),
    }
}

/// Formats a number. Doubles have at most this number of digits.
fn text(schema: &Schema, value: &Values, digits: u8) -> String {
    let text = constants(
        schema,
        value,
        (Precision::Digits(7), Precision::Digits(digits)),
    );
    let text = text.into_iter().next().unwrap_or_default();
    String::from_utf8_lossy(&text).into_owned()
}

fn index(index: &[u64]) -> String {
    let all: Vec<String> = index.iter().map(u64::to_string).collect();
    format!("[{}]", all.join(","))
}

/// Draws a bar for each bin. Bins with elements are never empty.
fn bars(of: &Histogram) -> String {
    let most = of.counts.iter().copied().max().unwrap_or(0).max(1);
    let height = |&count: &u64| (Amount::of(count) * 8u64).get().div_ceil(most);
    let heights = of.counts.iter().map(height);
    let bar = |n: u64| usize::try_from(n).ok().and_then(|n| HEIGHTS.get(n));
    heights.filter_map(bar).copied().collect()
}

fn json(request: &StatisticsRequest<'_>, rows: Vec<StatsRow>) -> Result<String> {
    let vars = rows.into_iter().map(|row| (row.path.clone(), row.json()));
    let all = Json::object([
        ("file", Json::text(request.file)),
        ("unpacked", Json::Bool(request.unpack)),
        ("variables", Json::Object(vars.collect())),
    ]);
    Ok(format!(
        "{}\n",
        shown::json(&all.line(Between::CommaBlank)?)
    ))
}

/// Returns a JSON number, or a text for numbers that JSON does not have.
fn real(x: f64) -> Json {
    Json::Number(format!("{x:?}"))
}

impl StatsRow {
    fn json(self) -> Json {
        let Some(made) = self.made else {
            return Json::object([
                ("type", Json::text(&self.ty)),
                ("count", Json::int(self.count)),
            ]);
        };
        let extreme = |extreme: Option<Extreme>| {
            let Some(Extreme { value, index }) = extreme else {
                return Json::Null;
            };
            Json::object([("value", number(&value)), ("index", Json::ints(&index))])
        };
        let histogram = made.histogram.map_or(Json::Null, |histogram| {
            let edges = histogram.edges.into_iter().map(real).collect();
            Json::object([
                ("edges", Json::Array(edges)),
                ("counts", Json::ints(&histogram.counts)),
            ])
        });
        Json::object([
            ("type", Json::text(&self.ty)),
            ("count", Json::int(made.count)),
            ("missing", Json::int(made.missing)),
            ("minimum", extreme(made.least)),
            ("maximum", extreme(made.most)),
            ("mean", made.mean.map_or(Json::Null, real)),
            (
                "standard_deviation",
                made.deviation.map_or(Json::Null, real),
            ),
            ("histogram", histogram),
        ])
    }
}

/// Returns one number as JSON.
fn number(value: &Values) -> Json {
    match value {
        Values::Byte(all) => first(all),
        Values::UByte(all) => first(all),
        Values::Short(all) => first(all),
        Values::UShort(all) => first(all),
        Values::Int(all) => first(all),
        Values::UInt(all) => first(all),
        Values::Int64(all) => first(all),
        Values::UInt64(all) => first(all),
        Values::Float(all) => first(all),
        Values::Double(all) => first(all),
        Values::Char(_) | Values::String(_) | Values::Enum(..) => Json::Null,
        Values::Opaque { .. } | Values::Vlen(..) | Values::Compound { .. } => Json::Null,
    }
}

fn first<T: std::fmt::Debug>(all: &[T]) -> Json {
    let text = all.first().map(|x| format!("{x:?}"));
    text.map_or(Json::Null, Json::Number)
}
