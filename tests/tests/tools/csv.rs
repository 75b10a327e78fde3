//! Tables of `ncdump --csv`.

use netcdf_tools_tests::harness::{CommandOutput, Sandbox};
use netcdf_tools_tests::snapshots;

fn csv(args: &[&str]) -> CommandOutput {
    let args = [&["ncdump", "--csv"], args].concat();
    Sandbox::new().run(ncdump::run, &args)
}

snapshots! {
    csv =>
    two_variables_with_dates: "-t", "-v", "temperature,pressure", "%classic/weather-1.nc";
    indices_and_a_part: "-i", "--select", "time,1,1", "-v", "quality", "%classic/weather-1.nc";
    texts: "-v", "name", "%classic/weather-1.nc";
    different_dimensions: "-v", "temperature,quality", "%classic/weather-1.nc";
    no_variables: "%classic/weather-1.nc";
}

/// Auxiliary coordinates, texts with commas, quotes and line ends, scalars, user types, groups.
#[test]
fn columns_of_all_sorts() {
    let sandbox = Sandbox::new();
    let cdl = r#"netcdf odd {
        types: byte enum colour { red = 1, blue = 2 } ; compound pair { int a ; float b ; } ;
        dimensions: y = 2 ; x = 2 ; s = UNLIMITED ; n = 8 ;
        variables: double lat(y, x) ; char station(s, n) ;
          float t(y, x) ; t:coordinates = "lat nothing" ;
          string name(s) ; name:coordinates = "station" ; colour c(s) ; pair p(s) ; ubyte b(s) ; int one ;
        data: lat = 1.5, 2.5, 3.5, 4.5 ; t = 1, _, NaNf, 1e30 ;
          station = "a,b", "c\"d" ; name = "two\nlines", NIL ; c = red, blue ; p = {1, 2.5}, {3, 4.5} ;
          b = 255, 0 ; one = 7 ;
        group: g { variables: int64 one ; data: one = -9007199254740993 ; }
    }"#;
    sandbox.write("odd.cdl", cdl);
    let args = ["ncgen", "-k", "nc4", "-o", "@odd.nc", "@odd.cdl"];
    let _ = sandbox.run(ncgen::run, &args).clean();
    for (vars, expected) in [
        (
            "t",
            "y,x,lat,t\n0,0,1.5,1\n0,1,2.5,\n1,0,3.5,NaN\n1,1,4.5,1e+30\n",
        ),
        (
            "name,c,p,b",
            "s,station,name,c,p,b\n0,\"a,b\",\"two\nlines\",red,\"{1, 2.5}\",255\n1,\"c\"\"d\",,blue,\"{3, 4.5}\",0\n",
        ),
        ("/one", "one\n7\n"),
        ("/g/one", "/g/one\n-9007199254740993\n"),
        ("station", "s,station\n0,\"a,b\"\n1,\"c\"\"d\"\n"),
    ] {
        let args = ["ncdump", "--csv", "-v", vars, "@odd.nc"];
        let output = sandbox.run(ncdump::run, &args).clean();
        assert_eq!(output.text(), expected, "{vars}");
    }
}

/// Many bands, on any number of threads.
#[test]
fn large_tables_are_in_order() {
    let sandbox = Sandbox::new();
    let values: Vec<_> = (0..30_000).map(|n| n.to_string()).collect();
    let cdl = format!(
        "netcdf l {{ dimensions: y = 3 ; x = 10000 ; variables: int v(y, x) ; int x(x) ; data: v = {} ; x = {} ; }}",
        values.join(","),
        values[..10_000].join(",")
    );
    sandbox.write("l.cdl", cdl);
    let args = ["ncgen", "-k", "nc3", "-o", "@l.nc", "@l.cdl"];
    let _ = sandbox.run(ncgen::run, &args).clean();
    let lines = (0..30_000).map(|n| format!("{},{},{n}\n", n / 10_000, n % 10_000));
    let expected = format!("y,x,v\n{}", lines.collect::<String>());
    for threads in ["1", "3"] {
        let args = ["ncdump", "--csv", "--threads", threads, "-v", "v", "@l.nc"];
        assert!(sandbox.run(ncdump::run, &args).clean().text() == expected);
    }
}
