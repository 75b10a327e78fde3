//! Man pages, generated from the definition of a command line.

mod details;
pub mod nccopy;
pub mod ncdump;
pub mod ncgen;
pub mod settings;
pub mod zdump;

use std::fmt::Write as _;
use std::io;

use clap::{Arg, Command};
use clap_mangen::Man;
use netcdf_core::tool::release::DATE;
use settings::{ENVIRONMENT, FILES};

/// Names and their descriptions.
pub type Entries = &'static [(&'static str, &'static str)];

/// The parts of a man page that are not in the definition of the command line.
#[derive(Debug, Clone, Copy)]
pub struct Extra {
    /// The examples of `--help`.
    pub first_examples: Entries,
    /// Further command lines, and their purposes.
    pub examples: Entries,
    /// Paragraphs after the description.
    pub notes: &'static [&'static str],
    /// Exit status.
    pub status: Entries,
    /// Command lines of further uses, without the tool's name.
    pub uses: &'static [&'static str],
    /// Further lists of environment variables.
    pub environment: &'static [Entries],
    /// Further lists of files.
    pub files: &'static [Entries],
    /// Sentences that follow the help of an option, by the id of the option.
    pub details: &'static [Entries],
}

/// The location of the pages that help texts and notes name.
const PAGES: &str = "The pages docs/*.md are below share/doc/netcdf\\-tools of an installed package, and in the source repository.";

/// The status of a successful run.
const SUCCESS: (&str, &str) = ("0", "success, including a closed output pipe (EPIPE)");

/// The status of a usage error.
const USAGE: (&str, &str) = ("2", "wrong command line");

/// The status of an interrupted run.
const STOPPED: (&str, &str) = (
    "128+N",
    "stopped by signal N (SIGHUP, SIGINT or SIGTERM); no output remains",
);

/// Returns the man page of a tool, in roff.
///
/// # Panics
/// Never: memory can be written to.
#[must_use]
pub fn page(command: &Command, extra: Extra) -> String {
    let command = &detailed(command, extra.details);
    let name = command.get_name().to_owned();
    let version = command.get_version().unwrap_or_default().to_owned();
    let man = Man::new(command.clone());
    let mut page = format!(
        ".TH {} 1 \"{DATE}\" \"netcdf\\-tools {version}\" \"netCDF tools\"\n",
        name.to_uppercase()
    );
    page.push_str(&section(|out| man.render_name_section(out)));
    let _ = write!(page, ".SH SYNOPSIS\n{}\n", synopsis(command, extra.uses));
    page.push_str(&section(|out| man.render_description_section(out)));
    for note in extra.notes {
        let _ = write!(page, ".PP\n{}\n", escape(note));
    }
    let options = section(|out| man.render_options_section(out));
    page.push_str(&with_subsections(command, options));
    page.push_str(&commands(command));
    page.push_str(&list("EXIT STATUS", extra.status));
    let environment = [&[ENVIRONMENT], extra.environment].concat().concat();
    page.push_str(&list("ENVIRONMENT", &environment));
    let files = [&[FILES], extra.files].concat().concat();
    page.push_str(&list("FILES", &files));
    page.push_str(&list(
        "EXAMPLES",
        &[extra.first_examples, extra.examples].concat(),
    ));
    let others = ["ncdump", "ncgen", "nccopy", "zdump"]
        .into_iter()
        .filter(|other| *other != name);
    let others: Vec<_> = others.map(|other| format!("\\fB{other}\\fR(1)")).collect();
    let _ = write!(
        page,
        ".SH \"SEE ALSO\"\n{}\n.PP\n{PAGES}\n",
        others.join(", ")
    );
    page
}

/// Returns the command with details after the help of options.
fn detailed(command: &Command, details: &[Entries]) -> Command {
    command.clone().mut_args(|arg| {
        let values = arg.get_possible_values();
        let are_described = values.iter().any(|value| value.get_help().is_some());
        let hidden = arg.is_hide_possible_values_set() && !are_described;
        let arg = arg.hide_possible_values(hidden);
        let mut entries = details.iter().copied().flatten();
        let detail = entries.find(|(id, _)| arg.get_id() == id);
        let help = arg.get_help().map(ToString::to_string);
        match (help, detail) {
            (Some(help), Some((_, detail))) => arg.help(format!("{help}. {detail}")),
            (_, None) | (None, _) => arg,
        }
    })
}

/// Turns the headings of options from sections into subsections.
fn with_subsections(command: &Command, options: String) -> String {
    let headings = command.get_arguments().filter_map(Arg::get_help_heading);
    headings.fold(options, |options, heading| {
        let title = heading.to_uppercase();
        let section = match title.contains(' ') {
            true => format!(".SH \"{title}\"\n"),
            false => format!(".SH {title}\n"),
        };
        options.replace(&section, &format!(".SS \"{heading}\"\n"))
    })
}

/// Returns the commands of a tool, each with its arguments and options. Empty for tools without commands.
fn commands(command: &Command) -> String {
    let mut built = command.clone();
    built.build();
    let mut section = String::new();
    let shown = built.get_subcommands_mut();
    for sub in shown.filter(|sub| sub.get_name() != "help") {
        if section.is_empty() {
            section.push_str(".SH COMMANDS\n");
        }
        let usage = usage(sub);
        let about = sub.get_about().map(ToString::to_string);
        let about = escape(&about.unwrap_or_default());
        let _ = write!(section, ".SS \"{}\"\n{about}.\n", escape(&usage));
        let own = sub.get_arguments().filter(|a| !a.is_global_set());
        for arg in own.filter(|a| a.get_id() != "help") {
            let help = arg.get_help().map(ToString::to_string);
            let help = escape(&help.unwrap_or_default());
            let _ = write!(
                section,
                ".TP\n\\fB{}\\fR\n{help}\n",
                escape(&arg.to_string())
            );
        }
    }
    section
}

/// Returns a section that the generator renders.
fn section(render: impl FnOnce(&mut dyn io::Write) -> io::Result<()>) -> String {
    let mut out = Vec::new();
    render(&mut out).expect("memory can be written to");
    String::from_utf8(out).expect("roff is text")
}

fn usage(command: &Command) -> String {
    let usage = command.clone().render_usage().to_string();
    usage.trim_start_matches("Usage: ").to_owned()
}

/// Returns the synopsis: usage lines of the tool, further uses, and usage lines of commands. The first line has all options.
fn synopsis(command: &Command, uses: &[&str]) -> String {
    let name = command.get_name();
    let mut built = command.clone();
    built.build();
    let options: Vec<_> = built
        .get_arguments()
        .filter(|a| !a.is_positional() && !a.is_hide_set() && !is_about_itself(a))
        .map(|a| format!("[{}]", option(a)))
        .collect();
    let usage = usage(command);
    let mut lines = vec![];
    for (n, line) in usage.lines().map(str::trim).enumerate() {
        let rest = escape(line.trim_start_matches(name));
        let rest = match n {
            0 => rest.replacen("[OPTIONS]", &options.join(" "), 1),
            _ => rest.replacen("[OPTIONS]", "[\\fIoptions\\fR]", 1),
        };
        lines.push(format!("\\fB{name}\\fR{rest}"));
    }
    lines.extend(uses.iter().map(|line| {
        let line = escape(line).replace("[OPTIONS]", "[\\fIoptions\\fR]");
        format!("\\fB{name}\\fR {line}")
    }));
    let commands = built.get_subcommands_mut();
    for sub in commands.filter(|sub| sub.get_name() != "help") {
        let usage = self::usage(sub);
        let rest = escape(usage.trim_start_matches(name));
        let own = sub.get_arguments();
        let own = own.filter(|a| !a.is_positional() && !a.is_hide_set() && !a.is_global_set());
        let own: Vec<_> = own
            .filter(|a| !is_about_itself(a))
            .map(|a| format!("[{}]", option(a)))
            .collect();
        let rest = rest.replacen("[OPTIONS]", own.join(" ").trim(), 1);
        lines.push(format!("\\fB{name}\\fR{}", rest.replace("  ", " ")));
    }
    lines.join("\n.br\n")
}

fn is_about_itself(arg: &Arg) -> bool {
    arg.get_id() == "help" || arg.get_id() == "version"
}

/// Returns an option in bold, and its value in italics.
fn option(arg: &Arg) -> String {
    let shown = escape(&arg.to_string());
    let shown = shown.replace('<', "\\fI").replace('>', "\\fR");
    match shown.find(['=', ' ', '[']) {
        Some(end) => {
            let (name, value) = shown.split_at(end);
            format!("\\fB{name}\\fR{value}")
        }
        None => format!("\\fB{shown}\\fR"),
    }
}

/// Returns a section of terms and their descriptions.
fn list(title: &str, entries: &[(&str, &str)]) -> String {
    let mut section = format!(".SH \"{title}\"\n");
    for (term, text) in entries {
        let _ = write!(section, ".TP\n\\fB{}\\fR\n{}\n", escape(term), escape(text));
    }
    section
}

/// Escapes text for roff.
fn escape(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('-', "\\-");
    match text.starts_with(['.', '\'']) {
        true => format!("\\&{text}"),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_all_sections() {
        let command = Command::new("tool")
            .version("1")
            .about("Does it")
            .arg(clap::Arg::new("x").short('x').help("X it"))
            .arg(clap::Arg::new("y").short('y').help_heading("Other uses"))
            .subcommand(
                Command::new("look")
                    .about("Looks at it")
                    .arg(clap::Arg::new("WHAT").help("What")),
            );
        let extra = Extra {
            status: &[("7", "odd")],
            details: &[&[("x", "Twice.")]],
            uses: &["--other [OPTIONS] <FILE>"],
            environment: &[&[("TOOL_HOME", "its home")]],
            files: &[&[("~/.tool", "settings")]],
            first_examples: &[("tool", "Runs it")],
            examples: &[("tool -x", "Does X")],
            notes: &[".odd start"],
        };
        let page = page(&command, extra);
        for want in [
            ".SH NAME\ntool \\- Does it",
            "\\fB\\-x\\fR",
            "X it. Twice.",
            ".SS \"Other uses\"\n.TP\n\\fB\\-y",
            "\\fBtool\\fR\nRuns it",
            "\\&.odd start",
            ".SS \"tool look [WHAT]\"\nLooks at it.\n.TP\n\\fB[WHAT]\\fR\nWhat\n",
            ".SH \"EXIT STATUS\"",
            "\\fB7\\fR\nodd",
            "\\fBtool\\fR \\-\\-other [\\fIoptions\\fR] <FILE>",
            ".SH \"ENVIRONMENT\"\n.TP\n\\fBNCTRACING",
            "\\fBTOOL_HOME\\fR\nits home",
            "\\fB~/.tool\\fR\nsettings",
            "\\fBtool \\-x\\fR\nDoes X",
            "\\fBnccopy\\fR(1)",
        ] {
            assert!(page.contains(want), "{want} is not in\n{page}");
        }
    }
}
