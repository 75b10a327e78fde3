//! Damaged chunks: `ncdump` omits the data of the variable and continues.

use netcdf_tools_tests::harness::{CommandOutput, Sandbox};

/// A marker value with unique bytes in the file.
const MARKER: u32 = 0x1bad_cafe;

/// Writes a netCDF-4 file with checksums, and damages the chunk with the marker.
fn damaged(cdl: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let cdl = cdl.replace("MARKER", &MARKER.to_string());
    sandbox.write("good.cdl", &cdl);
    let args = ["ncgen", "-k", "nc4", "-o", "@bad.nc", "@good.cdl"];
    let _ = sandbox.run(ncgen::run, &args).clean();
    let mut bytes = sandbox.read("bad.nc");
    let marker = MARKER.to_le_bytes();
    let at: Vec<_> = (0..bytes.len() - 4)
        .filter(|&at| bytes[at..at + 4] == marker)
        .collect();
    assert!(!at.is_empty());
    for at in at {
        bytes[at] ^= 1;
    }
    sandbox.write("bad.nc", bytes);
    sandbox
}

/// Dumps the file, and checks that `ncgen` reads the text.
fn dumped(sandbox: &Sandbox, options: &[&str]) -> CommandOutput {
    let args = [&["ncdump"], options, &["@bad.nc"]].concat();
    let output = sandbox.run(ncdump::run, &args);
    assert_eq!(output.code, 1, "{output}");
    assert!(output.message().contains("checksum"), "{output}");
    sandbox.write("back.cdl", &output.stdout);
    let args = ["ncgen", "-k", "nc4", "-o", "@back.nc", "@back.cdl"];
    let _ = sandbox.run(ncgen::run, &args).clean();
    output
}

#[test]
fn a_comment_stands_for_a_damaged_chunk() {
    let cdl = "netcdf d { dimensions: x = 2 ; variables: int a(x) ; a:_Fletcher32 = \"true\" ; int b(x) ;\n\
               data: a = MARKER, 2 ; b = 5, 6 ; }";
    let sandbox = damaged(cdl);
    let text = dumped(&sandbox, &[]).text();
    let (_, data) = text.split_once("data:\n").unwrap();
    let (comment, rest) = data.split_at(data.find("\n b = ").unwrap());
    assert!(
        comment.starts_with("\n // a: data omitted: chunk (0)"),
        "{text}"
    );
    assert_eq!(comment.lines().count(), 2, "{text}");
    assert_eq!(rest, "\n b = 5, 6 ;\n}\n");
    // JSON, digests and statistics have no comments.
    for option in ["--json", "--sum", "--stats"] {
        let output = sandbox.run(ncdump::run, &["ncdump", option, "@bad.nc"]);
        assert_eq!(output.code, 1, "{output}");
    }
}

/// `ncdump` writes values while it reads, so a list may have begun.
#[test]
fn a_list_ends_at_a_damaged_chunk() {
    let zeros = |count: usize| "0,".repeat(count);
    let rows = format!("{{{}7}}", zeros(32_999));
    let cdl = format!(
        "netcdf d {{ dimensions: t = UNLIMITED ; y = UNLIMITED ; variables: int u(t, y), last ;\n\
         u:_Fletcher32 = \"true\" ; u:_ChunkSizes = 1, 33000 ;\n\
         data: u = {rows}, {{MARKER}} ; last = 7 ; }}",
    );
    let sandbox = damaged(&cdl);
    for options in [[].as_slice(), &["-b", "c"]] {
        let text = dumped(&sandbox, options).text();
        let (_, comment) = text.split_once("{_} ;\n // u: data ").expect("a comment");
        let expected = "from index (1,0) on omitted: chunk (1, 0), ";
        assert!(comment.starts_with(expected), "{comment}");
        assert!(text.ends_with(" last = 7 ;\n}\n"), "{}", text.len());
    }
}
