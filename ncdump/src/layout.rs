//! `--layout`: how a dataset is stored, and what sets of rules say of it.

use std::sync::Arc;

use netcdf_core::chunk::{Dataset, Engine, Reader};
use netcdf_core::copy::report::ratio;
use netcdf_core::env::Env;
use netcdf_core::error::{Error, Result};
use netcdf_core::format;
use netcdf_core::io::locator::Location;
use netcdf_core::json::{Between, Json};
use netcdf_core::model::{Schema, VarId};
use netcdf_core::survey::{Rules, Shortcoming, Survey, VariableSurvey, survey};
use netcdf_core::tool::table::Table;
use netcdf_core::tool::{self, Io, Status};

use crate::cli::{Cli, RuleName};
use crate::options::Job;
use crate::{NAME, access, environment, say};

/// Columns of the table.
const HEAD: [&str; 9] = [
    "variable", "shape", "chunk", "chunks", "smallest", "largest", "stored", "raw", "filters",
];
/// Columns of numbers.
const RIGHT: [usize; 5] = [3, 4, 5, 6, 7];

/// Prints the layout of a dataset: success, failure if it falls short of the rules that are required, and the status of misuse for any
/// trouble.
pub(crate) fn run(cli: &Cli, io: &mut Io) -> Status {
    let env = environment(cli, false);
    let done = look(cli, &env, io);
    tool::tell(NAME, &env.notes, io);
    cli.network.tell(NAME, &env, io);
    match done.and_then(|status| env.notes.check().map(|()| status)) {
        Ok(status) => status,
        Err(e) => match tool::cancelled(&env.cancel) {
            Some(status) => status,
            None if e.is_broken_pipe() => Status::Success,
            None => {
                tool::report(NAME, &e, io);
                Status::Usage
            }
        },
    }
}

fn look(cli: &Cli, env: &Env, io: &mut Io) -> Result<Status> {
    tool::catch_limits()?;
    let (Job::Cdl(request) | Job::Json(request)) = Job::new(cli)? else {
        return Err(Error::internal("a layout beside another listing"));
    };
    let access = access(cli.allow_external, cli.trace, env);
    let input = access.input(&Location::new(&cli.input)?, &mut *io.stdin)?;
    let resource = Arc::clone(input.name());
    let reader = format::open(input, env)?;
    let look = || -> Result<Found> {
        let chosen = request.chosen(reader.schema())?;
        let engine = Engine::new(env);
        let set = Dataset::new(&*reader, env).with(&engine);
        Found::of(set, chosen)
    };
    let found = look().map_err(|e| e.of(&resource))?;
    let text = match cli.json {
        true => found.json(&*reader, env).line(Between::CommaBlank)? + "\n",
        false => found.table(&*reader, env, cli),
    };
    say(io, &text)?;
    let required = cli.require.map(rules);
    let short = |(rules, missed): &(Rules, Vec<Shortcoming>)| {
        required == Some(*rules) && !missed.is_empty()
    };
    Ok(match found.missed.iter().any(short) {
        true => Status::Failure,
        false => Status::Success,
    })
}

fn rules(name: RuleName) -> Rules {
    match name {
        RuleName::Cloud => Rules::Cloud,
        RuleName::Cmip7 => Rules::Cmip7,
        RuleName::Paged => Rules::Paged,
    }
}

/// How a dataset is stored, and where it falls short of each set of rules.
struct Found {
    survey: Survey,
    missed: Vec<(Rules, Vec<Shortcoming>)>,
}

impl Found {
    /// Rules are about all variables; `chosen` are those that are shown.
    fn of(set: Dataset<'_>, chosen: Option<Vec<VarId>>) -> Result<Self> {
        let schema = set.reader.schema();
        let mut survey = survey(set, schema.var_ids())?;
        let missed = Rules::ALL.map(|(rules, _)| (rules, rules.shortcomings(&survey, schema)));
        if let Some(chosen) = chosen {
            survey.vars.retain(|var| chosen.contains(&var.var));
        }
        let missed = missed.into_iter().collect();
        Ok(Self { survey, missed })
    }

    fn table(&self, reader: &dyn Reader, env: &Env, cli: &Cli) -> String {
        let mut table = Table::flush_right(&RIGHT);
        table.row(HEAD);
        for var in &self.survey.vars {
            table.row(row(reader.schema(), var, env));
        }
        let mut text = table.text();
        if let Some(metadata) = self.survey.metadata {
            let place = match self.survey.first() {
                Some(first) if first < metadata.last => "among the data",
                Some(_) | None => "in front",
            };
            text.push_str(&format!("\nmetadata: {place}\n"));
            if let Some(page) = metadata.page {
                text.push_str(&format!("pages: {page} bytes\n"));
            }
        }
        let mut table = Table::default();
        for ((_, missed), (_, name)) in self.missed.iter().zip(Rules::ALL) {
            for shortcoming in missed {
                let object = shortcoming.object.as_deref().unwrap_or("file");
                table.row([name, object, &shortcoming.what]);
            }
            if missed.is_empty() {
                table.row([name, "met", ""]);
            }
        }
        text.push('\n');
        text.push_str(&table.text());
        let mendable = self
            .missed
            .iter()
            .any(|(rules, missed)| *rules == Rules::Cmip7 && !missed.is_empty());
        if mendable {
            let input = cli.input.to_string_lossy();
            text.push_str(&format!("\nnccopy --cloud=cmip7 {input} OUTPUT\n"));
        }
        text
    }

    fn json(&self, reader: &dyn Reader, env: &Env) -> Json {
        let schema = reader.schema();
        let vars = self.survey.vars.iter().map(|var| object(schema, var, env));
        let mut members = vec![("variables", Json::Array(vars.collect()))];
        if let Some(metadata) = self.survey.metadata {
            let first = self.survey.first();
            let is_front = first.is_none_or(|first| metadata.last < first);
            let mut place = vec![
                ("last", Json::int(metadata.last)),
                ("in_front", Json::Bool(is_front)),
            ];
            place.extend(first.map(|first| ("first_data", Json::int(first))));
            place.extend(metadata.page.map(|page| ("page", Json::int(page))));
            members.push(("metadata", Json::object(place)));
        }
        let rules = self
            .missed
            .iter()
            .zip(Rules::ALL)
            .map(|((_, missed), (_, name))| {
                let missed = missed.iter().map(|one| {
                    let mut members = vec![("what", Json::text(&one.what))];
                    members.extend(one.object.iter().map(|path| ("variable", Json::text(path))));
                    Json::object(members)
                });
                (name, Json::Array(missed.collect()))
            });
        members.push(("falls_short_of", Json::object(rules)));
        Json::object(members)
    }
}

fn lengths(shape: &[u64]) -> String {
    let lengths: Vec<_> = shape.iter().map(u64::to_string).collect();
    lengths.join("x")
}

fn filters(schema: &Schema, var: VarId, env: &Env) -> Vec<String> {
    let filters = schema.var(var).map(|v| v.storage.filters.as_slice());
    let one = |filter| {
        let label = env.filters.label(filter);
        label.name.unwrap_or_else(|| filter.id.to_string())
    };
    filters.unwrap_or_default().iter().map(one).collect()
}

fn row(schema: &Schema, var: &VariableSurvey, env: &Env) -> [String; HEAD.len()] {
    let size = |n: usize| {
        var.sizes
            .map_or("-".to_owned(), |sizes| sizes[n].to_string())
    };
    let filters = filters(schema, var.var, env).join("|");
    [
        schema.var_path(var.var),
        lengths(&var.shape),
        var.chunk.as_deref().map_or("-".to_owned(), lengths),
        var.chunks.to_string(),
        size(0),
        size(1),
        var.stored.to_string(),
        var.raw.to_string(),
        if filters.is_empty() {
            "-".to_owned()
        } else {
            filters
        },
    ]
}

fn object(schema: &Schema, var: &VariableSurvey, env: &Env) -> Json {
    let mut members = vec![
        ("path", Json::text(&schema.var_path(var.var))),
        ("shape", Json::ints(&var.shape)),
    ];
    members.extend(
        var.chunk
            .as_deref()
            .map(|chunk| ("chunk", Json::ints(chunk))),
    );
    let names = filters(schema, var.var, env);
    members.push((
        "filters",
        Json::Array(names.iter().map(|name| Json::text(name)).collect()),
    ));
    members.push(("chunks", Json::int(var.chunks)));
    if let Some([least, most]) = var.sizes {
        members.push(("smallest", Json::int(least)));
        members.push(("largest", Json::int(most)));
    }
    members.push(("stored", Json::int(var.stored)));
    members.push(("raw", Json::int(var.raw)));
    let ratio = ratio(var.raw, var.stored).map_or(Json::Null, |r| Json::Number(format!("{r:.4}")));
    members.push(("ratio", ratio));
    Json::object(members)
}
