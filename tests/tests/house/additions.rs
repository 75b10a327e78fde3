//! docs/compatibility.md lists each option that the C tools lack, once per tool.

use clap::Command;
use netcdf_tools_tests::files::root;

/// Returns the rows of the option table: options, and the tools with these options.
fn rows() -> Vec<(Vec<String>, String)> {
    let path = root().join("docs/compatibility.md");
    let page = std::fs::read_to_string(path).expect("a page");
    let (_, table) = page
        .split_once("### Options\n")
        .expect("a table of options");
    let (table, _) = table.split_once("\n### ").expect("a section behind it");
    let row = |line: &str| {
        let mut cells = line.trim_matches('|').split(" | ").map(str::trim);
        let (options, tools) = (cells.next()?, cells.next()?);
        let words = options.split(['`', ' ', ',']);
        let options = words.filter(|word| word.starts_with("--"));
        Some((options.map(str::to_owned).collect(), tools.to_owned()))
    };
    table
        .lines()
        .filter(|line| line.starts_with("| `"))
        .filter_map(row)
        .collect()
}

#[test]
fn additions_are_listed_once() {
    let rows = rows();
    let mut listed = 0;
    let commands: [Command; 3] = [
        ncdump::cli::command(),
        ncgen::cli::command(),
        nccopy::cli::command(),
    ];
    for command in &commands {
        let tool = command.get_name();
        for arg in command
            .get_arguments()
            .filter(|arg| arg.get_short().is_none() && !arg.is_hide_set())
        {
            let Some(long) = arg.get_long() else { continue };
            let option = format!("--{long}");
            let has = |(options, tools): &&(Vec<String>, String)| {
                let of_tool = tools == "all" || tools.contains(&format!("`{tool}`"));
                of_tool && options.contains(&option)
            };
            let count = rows.iter().filter(has).count();
            assert_eq!(
                count, 1,
                "{tool} {option}: add one row to the table `Options` in docs/compatibility.md"
            );
            listed += 1;
        }
    }
    let known = |option: &String| {
        let long = option.trim_start_matches('-');
        let mut all = commands.iter().flat_map(Command::get_arguments);
        all.any(|arg| arg.get_long() == Some(long))
    };
    for option in rows.iter().flat_map(|(options, _)| options) {
        assert!(
            known(option),
            "docs/compatibility.md: no tool has the option {option}"
        );
    }
    assert!(listed > 80, "{listed} options");
}
