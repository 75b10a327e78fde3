// Included by the build scripts of programs that load HDF5 plugins.

/// Links targets of a kind (`bins`, `tests`, …) so that plugins find the functions of libhdf5 in them. Exports only these names: otherwise
/// a plugin could call our zstd instead of its own. A few plugins use libm without declaring it.
fn export_to_plugins(targets: &str) {
    // The crates are in directories of different depths.
    let above = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let mut lists = above.map(|directory| directory.join("netcdf-core/src/filter/plugin/host/exports.list"));
    let list = lists.find(|list| list.is_file()).unwrap_or_default();
    let list = list.display();
    println!("cargo:rerun-if-changed={list}");
    let list = format!("-Wl,--dynamic-list={list}");
    let system = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    let arguments: &[&str] = match system.as_str() {
        "windows" => &[],
        "macos" => &["-Wl,-export_dynamic"],
        _ => &["-Wl,--push-state,--no-as-needed,-lm,--pop-state", &list],
    };
    for argument in arguments {
        println!("cargo:rustc-link-arg-{targets}={argument}");
    }
}
