//! `nccopy`: copies, options, jobs with many inputs, copies in parts.
#![forbid(unsafe_code)]

mod append;
mod append_forms;
mod cloud;
mod copying;
mod digests;
mod directories;
mod edited_in_place;
mod emit;
mod everyday;
mod fill_values;
mod hostile_journals;
mod in_place;
mod jobs;
mod join;
mod join_inputs;
mod join_rules;
mod nccopy;
mod nccopy_options;
mod parts;
mod parts_finish;
mod parts_stages;
mod recover;
mod reference_forms;
mod reference_hostile;
mod reference_joins;
mod references;
mod replaced;
mod series;
mod split;

use netcdf_tools_tests::harness::Sandbox;

/// Returns a sandbox with the netCDF-4 file `a.nc`, generated from CDL.
fn made(cdl: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("a.cdl", cdl);
    let args = ["ncgen", "--no-sync", "-k", "nc4", "-o", "@a.nc", "@a.cdl"];
    let _ = sandbox.run(ncgen::run, &args).clean();
    sandbox
}
