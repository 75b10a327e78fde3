//! Codec libraries that change filter parameters: encoder and decoder get equal parameters.
#![cfg(target_os = "linux")]

use std::path::Path;

use netcdf_core::filter::plugin::{PluginSearch, Plugins};
use netcdf_core::filter::{ChunkContext, FilterTable, VariableFacts, codec};
use netcdf_core::json::Json;
use netcdf_core::model::{Atomic, Endianness, StoredElement, ZarrVersion};
use netcdf_tools_tests::files::root;
use netcdf_tools_tests::plugins::library;
use tempfile::TempDir;

/// The Zarr kinds.
const KINDS: [&str; 4] = ["zarr", "nczarr", "zarr3", "nczarr3"];

/// The filter adds the element size to each byte if the codec library passes the size.
const CDL: &str = "netcdf t {
dimensions:
\tx = 4 ;
\ty = 2 ;
variables:
\tint v(x, y) ;
\t\tv:_ChunkSizes = 4, 2 ;
\t\tv:_Filter = \"40100,23\" ;
\tshort w(x, y) ;
\t\tw:_ChunkSizes = 4, 2 ;
\t\tw:_Filter = \"40100,23\" ;
data:
 v = 1, 2, 3, 4, 5, 6, 7, 8 ;
 w = 1, 2, 3, 4, 5, 6, 7, 8 ;
}
";

/// A sandbox, and a library with the filter and its codec.
struct Place {
    files: TempDir,
    libraries: TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self {
            files: tempfile::tempdir().unwrap(),
            libraries: tempfile::tempdir().unwrap(),
        };
        let codec = root().join("tests/plugins/codec.c");
        let options = [codec.to_str().unwrap()];
        library(place.libraries.path(), "libboth.so", "filter.c", &options);
        std::fs::write(place.files.path().join("t.cdl"), CDL).unwrap();
        place
    }

    fn run(&self, args: &[&str]) -> String {
        let mut tool = netcdf_tools_tests::tool!();
        tool.env_remove("HDF5_PLUGIN_PRELOAD")
            .env("HDF5_PLUGIN_PATH", self.libraries.path())
            .current_dir(self.files.path())
            .args(args);
        let done = tool.output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{args:?}: {said}");
        String::from_utf8(done.stdout).unwrap()
    }

    /// Checks the values and the listed filters of a dataset.
    fn check(&self, name: &str) {
        let dumped = self.run(&["ncdump", "-s", name]);
        for var in ["v", "w"] {
            let values = format!(" {var} =\n  1, 2,\n  3, 4,\n  5, 6,\n  7, 8 ;\n");
            assert!(dumped.contains(&values), "{name}: {dumped}");
            let filter = format!("{var}:_Filter = \"40100,23\" ;");
            assert!(dumped.contains(&filter), "{name}: {dumped}");
        }
    }
}

#[test]
fn chunks_of_codec_libraries_read_back() {
    let place = Place::new();
    place.run(&["ncgen", "-k", "nc4", "-o", "t.nc", "t.cdl"]);
    for kind in KINDS {
        place.run(&["ncgen", "-k", kind, "-o", "made", "t.cdl"]);
        place.check("made");
        // A copy from HDF5, where no library changes the parameters.
        place.run(&["nccopy", "-k", kind, "t.nc", "copied"]);
        place.check("copied");
        place.run(&["nccopy", "-k", kind, "-F", "*,40100,23", "t.nc", "asked"]);
        place.check("asked");
        // Equal and different chunk shapes.
        place.run(&["nccopy", "-k", kind, "made", "moved"]);
        place.check("moved");
        place.run(&["nccopy", "-k", kind, "-c", "x/2,y/1", "made", "rechunked"]);
        place.check("rechunked");
        place.run(&["nccopy", "-k", "nc4", "made", "back.nc"]);
        place.check("back.nc");
        for name in ["made", "copied", "asked", "moved", "rechunked"] {
            std::fs::remove_dir_all(place.files.path().join(name)).unwrap();
        }
    }
}

fn chunk(size: u64, ty: Atomic) -> ChunkContext {
    ChunkContext {
        shape: vec![3],
        element: StoredElement {
            ty: ty.into(),
            size,
            order: Endianness::Little,
            plain: true,
        },
        fill: None,
        len: None,
        about: VariableFacts::default(),
    }
}

fn table(folder: &Path) -> FilterTable {
    let search = PluginSearch::only(vec![folder.to_owned()]);
    FilterTable::with_plugins(Plugins::new(search, false))
}

#[test]
fn the_same_working_parameters_are_described_by_the_chunks() {
    let folder = tempfile::tempdir().unwrap();
    library(folder.path(), "libcodec.so", "codec.c", &["-DSUM"]);
    let table = table(folder.path());
    let (shorts, ints) = (chunk(2, Atomic::Short), chunk(4, Atomic::Int));
    let texts = [
        (r#"{"id": "more", "more": 5}"#, shorts),
        (r#"{"id": "more", "more": 3}"#, ints),
    ];
    let version = ZarrVersion::V2;
    let made = texts.clone().map(|(text, context)| {
        let json = Json::parse(text.as_bytes()).unwrap();
        codec::from_json(version, &json, &context, &table).unwrap()
    });
    assert_eq!(made[0].params, [7]);
    assert_eq!(made[0], made[1]);
    for (text, context) in texts {
        let json = codec::to_json(version, &made[0], &context, &table).unwrap();
        assert_eq!(String::from_utf8(json.to_bytes()).unwrap(), text);
    }
}
