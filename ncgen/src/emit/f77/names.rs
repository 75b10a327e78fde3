//! Identifiers of a Fortran program, each unique. Fortran does not distinguish upper and lower case.

use std::collections::{HashMap, HashSet};

use super::super::name;
use super::super::program::Program;

/// Reserved variable names, which the program itself uses.
const RESERVED: &[&str] = &[
    "stat",
    "ncid",
    "oldfil",
    "nodims",
    "zero",
    "check_err",
    "char",
    "ior",
    "textval",
    "int1val",
    "int2val",
    "intval",
    "realval",
    "doubleval",
];

/// Maximum characters of a base name. Compilers accept 63 characters in total.
const LONGEST: usize = 40;

/// The identifiers, in the order of the schema.
pub(super) struct FortranNames {
    pub(super) dims: Vec<String>,
    pub(super) vars: Vec<String>,
}

impl FortranNames {
    pub(super) fn new(program: &Program<'_>) -> Self {
        let schema = &program.schema;
        let dims = schema.dims.iter().map(|d| d.name.as_bytes());
        let dims = unique(dims, &mut HashSet::new());
        let mut taken: HashSet<String> = RESERVED.iter().map(|&name| name.to_owned()).collect();
        taken.insert(program.main.to_ascii_lowercase());
        let vars = schema.vars.iter().map(|v| v.name.as_bytes());
        let vars = unique(vars, &mut taken);
        Self { dims, vars }
    }
}

fn unique<'a>(names: impl Iterator<Item = &'a [u8]>, taken: &mut HashSet<String>) -> Vec<String> {
    // The last number of each name: many names may have the same prefix.
    let mut numbers = HashMap::new();
    let claim = |bytes: &[u8]| {
        let whole = name::whole(bytes);
        // Fortran names begin with a letter.
        let first: String = whole
            .trim_start_matches('_')
            .chars()
            .take(LONGEST)
            .collect();
        let first = if first.starts_with(|c: char| c.is_ascii_alphabetic()) {
            first
        } else {
            format!("U_{first}")
        };
        let mut own = first.clone();
        let number = numbers.entry(first.to_ascii_lowercase()).or_insert(1u32);
        while is_other(&own) || taken.contains(&own.to_ascii_lowercase()) {
            *number = number.saturating_add(1);
            own = format!("{first}_{number}");
        }
        taken.insert(own.to_ascii_lowercase());
        own
    };
    names.map(claim).collect()
}

/// Checks whether the program uses names of this form.
fn is_other(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let suffixes = ["_len", "_dim", "_id", "_rank", "_dims", "_start", "_count"];
    let prefixes = ["nf_", "nf90_", "write_"];
    suffixes.iter().any(|s| name.ends_with(s)) || prefixes.iter().any(|p| name.starts_with(p))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_twice() {
        let names: [&[u8]; 5] = [b"T", b"t", b"stat", b"t_id", b"__1"];
        let mut taken = HashSet::from(["stat".to_owned()]);
        let names = unique(names.into_iter(), &mut taken);
        assert_eq!(names, ["T", "t_2", "stat_2", "t_id_2", "U_1"]);
    }
}
