//! Linker arguments of the shared library.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let system = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if system != "linux" {
        return;
    }
    // netcdf-core also defines some of the names, for HDF5 plugins in the tools. The first definition is used: this crate's.
    println!("cargo:rustc-link-arg=-Wl,-z,muldefs");
    for argument in [
        // Programs that are linked with netCDF-C 4.9.3 or 4.10 need this name.
        "-Wl,-soname,libnetcdf.so.22",
        // `pthread_atfork` handlers must stay mapped.
        "-Wl,-z,nodelete",
        // Only this crate's functions are visible: not the functions for HDF5 plugins, and no codec.
        "-Wl,--exclude-libs,ALL",
    ] {
        println!("cargo:rustc-cdylib-link-arg={argument}");
    }
}
