//! Names of the parts of a dataset.
//!
//! | text | replacement |
//! |---|---|
//! | `%Y`, `%m`, `%d`, `%H`, `%M`, `%S` | year, month, day, hour, minute, second of the first time |
//! | `%n` | number of the part from 0, with leading zeros |
//! | `%v` | name of the variable |
//! | `%%` | a percent sign |

use std::collections::BTreeMap;

use netcdf_core::error::{Error, ErrorKind, Result};

use super::SplitPart;

/// Returns the names of parts.
///
/// # Errors
/// Returns [`ErrorKind::Argument`] for unknown text after `%`, for text that a part does not have, and for parts with one name.
pub fn part_names(pattern: &str, parts: &[SplitPart]) -> Result<Vec<String>> {
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let width = parts.len().to_string().len();
    let mut names = vec![];
    for (number, part) in parts.iter().enumerate() {
        let digits = number.to_string();
        let zeros = "0".repeat(width.saturating_sub(digits.len()));
        let name = name(pattern, part, &(zeros + &digits))?;
        if let Some(other) = known.insert(name.clone(), number) {
            let what = format!("the parts {other} and {number} have the same name {name}");
            let e = Error::new(ErrorKind::Argument, what);
            return Err(e.with_remedy(
                "add %n (number), %v (variable), or %Y, %m, %d, %H (time) to the name",
            ));
        }
        names.push(name);
    }
    Ok(names)
}

fn name(pattern: &str, part: &SplitPart, number: &str) -> Result<String> {
    let mut name = String::new();
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        match c {
            '%' => name.push_str(&field(rest.next(), part, number)?),
            c => name.push(c),
        }
    }
    Ok(name)
}

/// Returns the replacement of a character after `%`.
fn field(c: Option<char>, part: &SplitPart, number: &str) -> Result<String> {
    let shown = c.map_or_else(String::new, String::from);
    let wrong = |what: &str| {
        Error::new(
            ErrorKind::Argument,
            format!("%{shown} in the output name: {what}"),
        )
    };
    let time = || {
        part.time
            .as_ref()
            .ok_or_else(|| wrong("the parts have no times"))
    };
    Ok(match c {
        Some('%') => "%".to_owned(),
        Some('n') => number.to_owned(),
        Some('v') => {
            let path = part.variable.as_deref();
            let path = path.ok_or_else(|| wrong("only --split vars has variables"))?;
            path.trim_start_matches('/').replace('/', "_")
        }
        Some('Y') => format!("{:04}", time()?.year),
        Some('m') => format!("{:02}", time()?.month),
        Some('d') => format!("{:02}", time()?.day),
        Some('H') => format!("{:02}", time()?.hour),
        Some('M') => format!("{:02}", time()?.minute),
        Some('S') => format!("{:02}", time()?.second),
        Some(_) | None => return Err(wrong("expected one of %Y %m %d %H %M %S %n %v %%")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(variable: &str) -> SplitPart {
        SplitPart {
            indices: None,
            variable: Some(variable.to_owned()),
            time: None,
        }
    }

    #[test]
    fn names_of_variables_and_numbers() {
        let parts: Vec<_> = ["/a", "/g/b"].map(part).into();
        let names = |pattern| part_names(pattern, &parts).map_err(|e| e.to_string());
        assert_eq!(names("%v.nc").unwrap(), ["a.nc", "g_b.nc"]);
        assert_eq!(names("x%%%n.nc").unwrap(), ["x%0.nc", "x%1.nc"]);
        assert!(
            names("x.nc")
                .unwrap_err()
                .contains("have the same name x.nc")
        );
        assert!(names("%Y%n.nc").unwrap_err().contains("no times"));
        assert!(names("%q").unwrap_err().contains("expected one of"));
    }
}
