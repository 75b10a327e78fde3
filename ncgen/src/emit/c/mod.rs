//! C programs.

mod attributes;
mod data;
mod define;
mod names;
mod storage;
mod types;
mod values;

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::format::kind_row;
use netcdf_core::model::GroupId;

use super::out::{ProgramOut, put};
use super::program::{Program, mode};
use super::quote::c_string;
use names::CNames;
use values::ValuePrinter;

/// Prints the program.
///
/// # Errors
/// Returns errors of the source and of `out`, and signals.
pub(super) fn write(program: &Program<'_>, out: &mut ProgramOut<'_>) -> Result<()> {
    // Fail before any output.
    let _ = target(program)?;
    let names = CNames::new(&program.schema, &program.dataset);
    head(program, out)?;
    types::declare(program, &names, out)?;
    storage::constants(program, &names, out)?;
    put!(out, "{CHECK}")?;
    let comment = program.file.replace("*/", "* /");
    put!(out, "int\n{}() {{/* create {comment} */\n", program.main)?;
    put!(out, "\n    int  stat;  /* return status */\n")?;
    put!(out, "    int  ncid;  /* netCDF id */\n")?;
    define::declare(program, &names, out)?;
    create(program, &names, out)?;
    types::define(program, &names, out)?;
    define::dimensions(program, &names, out)?;
    define::variables(program, &names, out)?;
    let mut printer = ValuePrinter::new(&program.schema, &names);
    attributes::write(program, &names, &mut printer, out)?;
    end_definitions(program, &names, out)?;
    if !program.header_only {
        data::write(program, &names, &mut printer, out)?;
    }
    let root = names.group(GroupId::ROOT);
    put!(out, "    stat = nc_close({root});\n{OK}    return 0;\n}}\n")
}

/// The line that follows each call.
const OK: &str = "    CHECK_ERR(stat);\n";

/// Writes a netCDF call with a status check.
macro_rules! call {
    ($out:expr, $($text:tt)*) => {
        $out.put(format_args!("    stat = {};\n{}", format_args!($($text)*), $crate::emit::c::OK))
    };
}
use call;

const CHECK: &str = r#"void
check_err(const int stat, int line, const char* file, const char* func) {
    if (stat != NC_NOERR) {
        (void)fprintf(stderr,"line %d of %s.%s: %s\n", line, file, func, nc_strerror(stat));
        fflush(stderr);
        exit(1);
    }
}

#define CHECK_ERR(err) check_err(err, __LINE__, __FILE__, __func__)

"#;

/// Macros for NaN and infinite values, with the names that [`values`] uses.
const UNUSUAL: &str = "
#define nanf (0.0f/0.0f)
#define nan  (0.0/0.0)
#define inff (1.0f/0.0f)
#define inf  (1.0/0.0)
#define infinityf inff
#define infinity  inf

";

fn head(program: &Program<'_>, out: &mut ProgramOut<'_>) -> Result<()> {
    for header in ["stdio", "stdlib", "netcdf"] {
        put!(out, "#include <{header}.h>\n")?;
    }
    put!(out, "\n{}\n", if program.unusual { UNUSUAL } else { "" })
}

/// Creates the file and its groups.
fn create(program: &Program<'_>, names: &CNames, out: &mut ProgramOut<'_>) -> Result<()> {
    let schema = &program.schema;
    let mode: String = mode(schema.kind)
        .iter()
        .map(|flag| format!("|NC_{flag}"))
        .collect();
    let file = c_string(target(program)?.as_bytes());
    put!(out, "\n    /* enter define mode */\n")?;
    call!(out, "nc_create({file}, NC_CLOBBER{mode}, &ncid)")?;
    if names.classic {
        return Ok(());
    }
    put!(out, "    {} = ncid;\n", names.group(GroupId::ROOT))?;
    for (group, id) in schema.groups.iter().zip(0..).map(|(g, n)| (g, GroupId(n))) {
        let Some(parent) = group.parent else { continue };
        let (parent, id) = (names.group(parent), names.group(id));
        let name = c_string(group.name.as_bytes());
        call!(out, "nc_def_grp({parent}, {name}, &{id})")?;
    }
    Ok(())
}

/// Returns the name of the program's output: for Zarr, a URL with the format.
fn target(program: &Program<'_>) -> Result<String> {
    let file = &program.file;
    let Some(row) = kind_row(program.schema.kind) else {
        return Ok(file.clone());
    };
    match row.url {
        _ if file.contains("://") => Ok(file.clone()),
        Some(mode) => {
            let container = if file.ends_with(".zip") {
                "zip"
            } else {
                "file"
            };
            Ok(format!("file://{file}#mode={mode},{container}"))
        }
        None if row.in_c => Ok(file.clone()),
        None => {
            let what = "C programs cannot make Zarr version 3, which netCDF-C cannot write";
            let remedy = "use -k nczarr or -k zarr, or -b for a dataset";
            Err(Error::new(ErrorKind::Unsupported, what).with_remedy(remedy))
        }
    }
}

fn end_definitions(program: &Program<'_>, names: &CNames, out: &mut ProgramOut<'_>) -> Result<()> {
    let root = names.group(GroupId::ROOT);
    if program.no_fill {
        put!(
            out,
            "    /* don't initialize variables with fill values */\n"
        )?;
        call!(out, "nc_set_fill({root}, NC_NOFILL, 0)")?;
    }
    put!(out, "\n    /* leave define mode */\n")?;
    call!(out, "nc_enddef ({root})")
}
