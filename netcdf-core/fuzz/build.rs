//! Linker arguments of the fuzz targets.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // netcdf-core and the C interface define some of the same names, as in the shared library of the C interface.
    println!("cargo:rustc-link-arg=-Wl,-z,muldefs");
}
