//! Reads filter specifications for `.ci/filterspecs`, which compares them with the results of the C parser.
//!
//! Standard input holds texts, each followed by a NUL. A line is printed for each: `ok` and the filters as `ID,P,P|ID`, or
//! `error`, the position in bytes and the message.

use std::io::Read;
use std::process::ExitCode;

use netcdf_core::model::FilterSpec;
use netcdf_grammar::filter_spec;

/// Parses the texts of standard input.
pub(crate) fn main() -> ExitCode {
    let mut texts = String::new();
    std::io::stdin().read_to_string(&mut texts).unwrap();
    for text in texts.split_terminator('\0') {
        match filter_spec::filters(text) {
            Ok(filters) => println!("ok {}", shown(&filters)),
            Err(wrong) => println!("error {} {}", wrong.at, wrong.message),
        }
    }
    ExitCode::SUCCESS
}

fn shown(filters: &[FilterSpec]) -> String {
    let one = |filter: &FilterSpec| {
        let numbers = std::iter::once(&filter.id).chain(&filter.params);
        numbers.map(u32::to_string).collect::<Vec<_>>().join(",")
    };
    filters.iter().map(one).collect::<Vec<_>>().join("|")
}
