//! `--append` and `--join` of inputs whose formats store missing values, characters and filters in different forms.

use crate::series::{data, make, nccopy, ncdump};
use netcdf_tools_tests::harness::Sandbox;

/// Returns the bytes of a store's numbers.
fn bytes<const N: usize, T: Copy>(values: [T; 3], of: fn(T) -> [u8; N]) -> Vec<u8> {
    values.into_iter().flat_map(of).collect()
}

/// Creates a store of Zarr version 2 as xarray writes it: `v` has its missing value only in `fill_value`.
fn store(sandbox: &Sandbox, name: &str, start: i32, fill: i16) {
    let array = |dtype: &str, fill: &str| {
        let text = format!(
            r#"{{"zarr_format": 2, "shape": [3], "dtype": "{dtype}", "chunks": [3], "fill_value": {fill}, "order": "C", "compressor": null, "filters": null}}"#
        );
        text.into_bytes()
    };
    let dims = r#"{"_ARRAY_DIMENSIONS": ["time"], "units": "days since 2000-01-01"}"#;
    let times = [start, start + 1, start + 2];
    let _ = sandbox.store(
        name,
        &[
            (".zgroup", br#"{"zarr_format": 2}"#.to_vec()),
            ("time/.zarray", array("<i4", "0")),
            ("time/.zattrs", dims.as_bytes().to_vec()),
            ("time/0", bytes(times, i32::to_le_bytes)),
            ("v/.zarray", array("<i2", &fill.to_string())),
            ("v/.zattrs", br#"{"_ARRAY_DIMENSIONS": ["time"]}"#.to_vec()),
            ("v/0", bytes([10, fill, 30], i16::to_le_bytes)),
        ],
    );
}

/// Creates a netCDF-4 file with the values of [`store`].
fn file(sandbox: &Sandbox, name: &str, start: i32, fill: Option<i16>) {
    let attribute = fill.map(|fill| format!("v:_FillValue = {fill}s ;"));
    let cdl = format!(
        "netcdf x {{ dimensions: time = UNLIMITED ; variables: int time(time) ; time:units = \"days since 2000-01-01\" ; short v(time) ; {}
        data: time = {start}, {}, {} ; v = 10, {}, 30 ; }}",
        attribute.unwrap_or_default(),
        start + 1,
        start + 2,
        fill.unwrap_or(20)
    );
    make(sandbox, (name, "nc4"), &cdl);
}

/// Returns the values of `v` as a netCDF reader decodes them.
fn decoded(sandbox: &Sandbox, name: &str) -> String {
    let copy = ["--quiet", "--overwrite", name, "@decoded.nc"];
    let _ = nccopy(sandbox, &copy).clean();
    data(sandbox, "v", &["@decoded.nc"])
}

const NOTE: &str = "replaced the missing values of some inputs with the missing value of the first";

#[test]
fn fill_values_of_version_2_are_missing_values() {
    let sandbox = Sandbox::new();
    store(&sandbox, "b.zarr", 3, -999);
    file(&sandbox, "b.nc", 3, Some(100));
    for (output, input) in [
        ("@out.zarr", "@b.zarr"),
        ("@out.zarr", "@b.nc"),
        ("@out.nc", "@b.zarr"),
    ] {
        let _ = std::fs::remove_dir_all(sandbox.path("out.zarr"));
        store(&sandbox, "out.zarr", 0, -1);
        file(&sandbox, "out.nc", 0, Some(-9));
        let appended = nccopy(&sandbox, &["--append=time", input, output]);
        assert!(
            appended.code == 0 && appended.message().contains(NOTE),
            "{appended}"
        );
        let values = decoded(&sandbox, output);
        assert_eq!(values, "v = 10, _, 30, 10, _, 30 ;", "{input} {output}");
        let repeated = nccopy(&sandbox, &["--append=time", input, output]);
        assert!(
            repeated.code == 0 && repeated.message().contains("skipped 3 records"),
            "{repeated}"
        );
    }
}

#[test]
fn inputs_of_version_2_at_once_and_one_by_one_are_equal() {
    let sandbox = Sandbox::new();
    for (name, start, fill) in [
        ("one.zarr", 0, -1),
        ("all.zarr", 0, -1),
        ("a.zarr", 0, -1),
        ("b.zarr", 3, -999),
        ("c.zarr", 6, -5),
    ] {
        store(&sandbox, name, start, fill);
    }
    let append = ["--append=time", "--quiet"];
    for inputs in [
        &["@b.zarr", "@one.zarr"][..],
        &["@c.zarr", "@one.zarr"],
        &["@c.zarr", "@b.zarr", "@all.zarr"],
    ] {
        let _ = nccopy(&sandbox, &[&append[..], inputs].concat()).clean();
    }
    let join = [
        "--join=time",
        "--quiet",
        "@c.zarr",
        "@a.zarr",
        "@b.zarr",
        "@joined.nc",
    ];
    let _ = nccopy(&sandbox, &join).clean();
    for output in ["@one.zarr", "@all.zarr", "@joined.nc"] {
        let values = decoded(&sandbox, output);
        assert_eq!(values, "v = 10, _, 30, 10, _, 30, 10, _, 30 ;", "{output}");
    }
}

/// zarr-python stores the fill value 0 of coordinates, although 0 is a valid time.
#[test]
fn times_have_no_missing_values() {
    let sandbox = Sandbox::new();
    store(&sandbox, "b.zarr", 0, -999);
    let units = r#"{"_ARRAY_DIMENSIONS": ["time"], "units": "days since 2000-01-04"}"#;
    sandbox.write("b.zarr/time/.zattrs", units);
    file(&sandbox, "out.nc", 0, Some(-1));
    let _ = nccopy(&sandbox, &["--append", "--quiet", "@b.zarr", "@out.nc"]).clean();
    let times = data(&sandbox, "time", &["@out.nc"]);
    assert_eq!(times, "time = 0, 1, 2, 3, 4, 5 ;");
}

#[test]
fn a_valid_element_that_version_2_masks_is_refused() {
    let sandbox = Sandbox::new();
    store(&sandbox, "out.zarr", 0, 20);
    file(&sandbox, "b.nc", 3, None);
    let refused = nccopy(&sandbox, &["--append=time", "@b.nc", "@out.zarr"]);
    assert_eq!(refused.code, 1, "{refused}");
    assert!(
        refused
            .message()
            .contains("a valid element equals the missing value 20"),
        "{refused}"
    );
}

#[test]
fn an_output_without_missing_value_gets_the_value_of_the_input() {
    let sandbox = Sandbox::new();
    store(&sandbox, "b.zarr", 3, -999);
    file(&sandbox, "b.nc", 3, Some(-999));
    for input in ["@b.nc", "@b.zarr"] {
        file(&sandbox, "out.nc", 0, None);
        let _ = nccopy(&sandbox, &["--append", "--quiet", input, "@out.nc"]).clean();
        assert_eq!(decoded(&sandbox, "@out.nc"), "v = 10, 20, 30, 10, _, 30 ;");
    }
}

#[test]
fn added_variables_of_version_2_declare_their_missing_values() {
    let sandbox = Sandbox::new();
    store(&sandbox, "b.zarr", 0, -999);
    let cdl = "netcdf x { dimensions: time = UNLIMITED ; variables: int time(time) ; time:units = \"days since 2000-01-01\" ; data: time = 0, 1, 2 ; }";
    make(&sandbox, ("out.nc", "nc4"), cdl);
    let _ = nccopy(
        &sandbox,
        &["--add-variables", "--quiet", "@b.zarr", "@out.nc"],
    )
    .clean();
    assert_eq!(data(&sandbox, "v", &["@out.nc"]), "v = 10, _, 30 ;");
}

/// Creates a netCDF-4 file with characters.
fn characters(sandbox: &Sandbox, name: &str, times: &str, [names, fixed]: [&str; 2]) {
    let cdl = format!(
        "netcdf x {{ dimensions: time = UNLIMITED ; n = 3 ; variables: int time(time) ; time:units = \"days since 2000-01-01\" ; char c(time, n) ;
        char s(n) ; data: time = {times} ; c = {names} ; s = \"{fixed}\" ; }}"
    );
    make(sandbox, (name, "nc4"), &cdl);
}

/// Pure Zarr stores characters as strings.
#[test]
fn characters_are_appended_to_pure_zarr() {
    for kind in ["zarr", "zarr3"] {
        let sandbox = Sandbox::new();
        characters(&sandbox, "a.nc", "0, 1", ["\"abc\", \"de\"", "xyz"]);
        characters(&sandbox, "b.nc", "2, 3", ["\"fgh\", \"i\"", "xyz"]);
        characters(&sandbox, "c.nc", "10, 11", ["\"fgh\", \"i\"", "xyw"]);
        characters(&sandbox, "d.nc", "2, 3", ["\"fgh\", \"j\"", "xyz"]);
        characters(&sandbox, "e.nc", "6, 7", ["\"rst\", \"uvw\"", "xyz"]);
        let append = |input| nccopy(&sandbox, &["--append=time", "-k", kind, input, "@all.zarr"]);
        for input in ["@a.nc", "@b.nc"] {
            let appended = append(input);
            assert_eq!(appended.code, 0, "{kind} {appended}");
        }
        let both = [
            "--join=time",
            "-k",
            kind,
            "--quiet",
            "@a.nc",
            "@b.nc",
            "@both.zarr",
        ];
        let _ = nccopy(&sandbox, &both).clean();
        let _ = ncdump(&sandbox, &["--diff", "@all.zarr", "@both.zarr"]).clean();
        let repeated = append("@b.nc");
        assert!(
            repeated.message().contains("skipped 2 records"),
            "{kind} {repeated}"
        );
        let other = append("@c.nc");
        let message = "different values of /s, which lacks the joined dimension: element 2";
        assert!(
            other.code == 1 && other.message().contains(message),
            "{kind} {other}"
        );
        let other = append("@d.nc");
        assert!(
            other.code == 1 && other.message().contains("but /c is"),
            "{kind} {other}"
        );
        let _ = nccopy(&sandbox, &["-k", kind, "--quiet", "@e.nc", "@e.zarr"]).clean();
        let third = append("@e.zarr");
        assert_eq!(third.code, 0, "{kind} {third}");
        let strings = data(&sandbox, "c", &["@all.zarr"]);
        let metadata = ["all.zarr/c/.zarray", "all.zarr/c/zarr.json"].map(|key| sandbox.path(key));
        let text = metadata
            .iter()
            .find_map(|path| std::fs::read_to_string(path).ok());
        let is_one_byte =
            |text: &String| text.contains("|S1") || text.contains("\"length_bytes\": 1}");
        assert!(text.as_ref().is_some_and(is_one_byte), "{kind} {text:?}");
        assert!(
            strings.ends_with("\"u\", \"v\", \"w\" ;"),
            "{kind} {strings}"
        );
    }
}

#[test]
fn errors_of_appends_name_a_way_out() {
    let sandbox = Sandbox::new();
    let packed = |name: &str, time: &str, (scale, units): (&str, &str)| {
        let cdl = format!(
            "netcdf x {{ dimensions: time = UNLIMITED ; variables: double time(time) ; int h(time) ; h:units = \"{units} since 2000-01-01\" ;
            short p(time) ; p:scale_factor = {scale} ; data: time = {time} ; h = 1 ; p = 1 ; }}"
        );
        make(&sandbox, (name, "nc4"), &cdl);
    };
    packed("out.nc", "0", ("0.5", "days"));
    packed("b.nc", "1", ("2.", "days"));
    packed("nan.nc", "NaN", ("0.5", "days"));
    packed("hours.nc", "1", ("0.5", "hours"));
    for (input, remedy) in [
        (
            "@b.nc",
            "(join the output and the inputs to a new dataset with --join --repack)",
        ),
        ("@nan.nc", "a coordinate value is NaN (use --order given)"),
        (
            "@hours.nc",
            "(join the output and the inputs to a new dataset with --join --time-units)",
        ),
    ] {
        let refused = nccopy(&sandbox, &["--append", input, "@out.nc"]);
        assert!(
            refused.code == 1 && refused.message().contains(remedy),
            "{refused}"
        );
    }
    let join = [
        "--join", "--repack", "--quiet", "@out.nc", "@b.nc", "@new.nc",
    ];
    let _ = nccopy(&sandbox, &join).clean();
    assert_eq!(data(&sandbox, "p", &["@new.nc"]), "p = 0.5, 2 ;");
}
