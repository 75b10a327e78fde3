//! Malformed classic headers: one test for each error, with the whole message and the offset.

use netcdf_core::ErrorKind;
use netcdf_core::env::Env;
use netcdf_tools_tests::builder::{Builder, Classic};
use netcdf_tools_tests::damage::read_all;

const DIMENSION: u32 = 10;
const VARIABLE: u32 = 11;
const ATTRIBUTE: u32 = 12;
const SHORT: u32 = 3;
const INT: u32 = 4;

/// A valid file with a label for every field: a record dimension `t` and `x` = 2, an attribute, a fixed variable `f(x)` of shorts and a
/// record variable `r(t, x)` of ints with one record.
fn good(version: u8) -> Builder {
    let header = with_data_at(version, 0).at("f data");
    with_data_at(version, header as u64)
}

#[rustfmt::skip] // one line for each structure of the format
fn with_data_at(version: u8, begin: u64) -> Builder {
    Classic::new(version, 1)
        .label("dims").list(DIMENSION, 2)
        .label("t").name("t").label("t length").count(0)
        .label("x").name("x").label("x length").count(2)
        .label("atts").list(ATTRIBUTE, 1)
        .label("a").name("a").label("a type").be32(SHORT).label("a count").count(1)
        .label("a values").raw(&[0, 7, 0, 0])
        .label("vars").list(VARIABLE, 2)
        .label("f").name("f").label("f rank").count(1).label("f dim").count(1)
        .label("f atts").absent()
        .label("f type").be32(SHORT).label("f size").count(4).label("f begin").begin(begin)
        .label("r").name("r").label("r rank").count(2).label("r dim").count(0).label("r dim 2").count(1)
        .label("r atts").absent()
        .label("r type").be32(INT).label("r size").count(8).label("r begin").begin(begin + 4)
        .label("f data").raw(&[0, 1, 0, 2])
        .label("r data").raw(&[0, 0, 0, 3, 0, 0, 0, 4])
        .done()
}

/// Opens a file and reads everything; returns the first error.
fn refusal(file: Builder) -> (ErrorKind, String) {
    let read = read_all(&file.build(), &Env::default());
    let error = match read {
        Err(e) => e,
        Ok(data) => data
            .into_iter()
            .find_map(Result::err)
            .expect("nothing was refused"),
    };
    (error.kind(), error.to_string())
}

#[test]
fn the_good_file_is_good() {
    for version in [1, 2, 5] {
        let file = good(version);
        let data = read_all(&file.build(), &Env::default()).expect("a good file");
        let text: Vec<_> = data
            .into_iter()
            .map(|values| format!("{:?}", values.expect("its data")))
            .collect();
        assert_eq!(text, ["Short([1, 2])", "Int([3, 4])"], "version {version}");
    }
}

macro_rules! refused {
    ($($name:ident: $version:literal $change:expr => $kind:ident $message:literal;)*) => {$(
        #[test]
        fn $name() {
            let change: fn(Builder) -> Builder = $change;
            let (kind, message) = refusal(change(good($version)));
            assert_eq!((kind, message.as_str()), (ErrorKind::$kind, $message));
        }
    )*};
}

refused! {
    no_bytes: 1 |f| f.cut("magic")
        => UnknownFormat "file.nc: this is an empty file, not a netCDF file (fetch or make it again)";
    another_magic: 1 |f| f.patch("magic", b"CDG\x01")
        => UnknownFormat "file.nc: not a netCDF file: unknown file format";
    another_version: 1 |f| f.patch("magic", b"CDF\x03")
        => UnknownFormat "file.nc: not a netCDF file: unknown file format";
    no_record_count: 1 |f| f.cut("records")
        => Truncated "file.nc: the header is truncated: expected 4 bytes, found 0 at byte 4";
    no_dimensions: 1 |f| f.cut("dims")
        => Truncated "file.nc: the header is truncated: expected 4 bytes, found 0 at byte 8";
    another_tag_for_dimensions: 1 |f| f.patch32("dims", 12)
        => Corrupt "file.nc: dimensions: expected list tag 10 (or 0, 0 for none), found 12 at byte 8";
    no_tag_but_a_length: 1 |f| f.patch32("atts", 0)
        => Corrupt "file.nc: attributes: expected list tag 12 (or 0, 0 for none), found 0 at byte 40";
    another_tag_for_attributes: 1 |f| f.patch32("f atts", 11)
        => Corrupt "file.nc: attributes: expected list tag 12 (or 0, 0 for none), found 11 in /f at byte 92";
    another_tag_for_variables: 1 |f| f.patch32("vars", 10)
        => Corrupt "file.nc: variables: expected list tag 11 (or 0, 0 for none), found 10 at byte 68";
    more_dimensions_than_bytes: 1 |f| f.patch("dims", &[0, 0, 0, 10, 255, 255, 255, 255]).cut("atts")
        => Truncated "file.nc: the header is truncated: expected 4 bytes, found 0 at byte 40";
    a_name_longer_than_the_file: 1 |f| f.patch32("t", u32::MAX)
        => Truncated "file.nc: the header is truncated: expected 4294967296 bytes, found 144 at byte 20";
    a_name_of_nearly_all_bytes_there_are: 5 |f| f.patch64("t", u64::MAX)
        => Corrupt "file.nc: a length of 18446744073709551615 bytes at byte 32";
    a_second_record_dimension: 1 |f| f.patch32("x length", 0)
        => Corrupt "file.nc: dimension x: a second record dimension at byte 36";
    a_type_that_does_not_exist: 1 |f| f.patch32("a type", 0)
        => Corrupt "file.nc: unknown type 0 at byte 56";
    a_type_of_cdf5_in_cdf1: 1 |f| f.patch32("a type", 7)
        => Corrupt "file.nc: unknown type 7 at byte 56";
    a_string_in_cdf5: 5 |f| f.patch32("f type", 12)
        => Corrupt "file.nc: unknown type 12 in /f at byte 156";
    a_type_that_does_not_exist_of_a_variable: 2 |f| f.patch32("r type", 99)
        => Corrupt "file.nc: unknown type 99 in /r at byte 144";
    more_values_than_bytes: 1 |f| f.patch32("a count", u32::MAX)
        => Truncated "file.nc: the header is truncated: expected 8589934592 bytes, found 100 at byte 64";
    more_values_than_numbers: 5 |f| f.patch64("a count", u64::MAX)
        => Corrupt "file.nc: a length of 18446744073709551615 values at byte 100";
    more_dimensions_than_possible: 1 |f| f.patch32("f rank", 1025)
        => Corrupt "file.nc: 1025 dimensions, the limit is 1024 in /f at byte 88";
    a_dimension_that_does_not_exist: 1 |f| f.patch32("f dim", 2)
        => Corrupt "file.nc: no dimension has number 2 in /f at byte 88";
    a_dimension_number_beyond_32_bits: 5 |f| f.patch64("f dim", 1 << 32)
        => Corrupt "file.nc: no dimension has number 4294967296 in /f at byte 136";
    a_record_dimension_in_second_place: 1 |f| f.patch32("r dim 2", 0)
        => Unlimited "file.nc: the record dimension t is not the first in /r at byte 128";
    a_size_beyond_64_bits: 5 |f| f.patch64("x length", u64::MAX)
        => VarSize "file.nc: one or more variable sizes violate format constraints in /f";
    data_within_the_header: 1 |f| f.patch32("f begin", 8)
        => Corrupt "file.nc: data at byte 8, expected from 152 on in /f";
    variables_that_overlap: 1 |f| f.patch32("f begin", 200).patch32("r dim", 1).patch32("r begin", 200)
        => Corrupt "file.nc: data at byte 200, expected from 204 on in /r";
    data_cut_off: 1 |f| f.cut("r data")
        => Truncated "file.nc: the file is truncated: expected 8 bytes, found 0 in /r at byte 156";
    data_behind_the_end: 2 |f| f.patch64("r begin", 1 << 40)
        => Truncated "file.nc: the file is truncated: expected 8 bytes, found 0 in /r at byte 1099511627776";
    data_beyond_64_bits: 2 |f| f.patch64("r begin", u64::MAX - 3)
        => Corrupt "file.nc: data beyond 2^64 bytes in /r";
    more_records_than_bytes: 1 |f| f.patch32("records", 1 << 30)
        => Truncated "file.nc: the file is truncated: expected 8589934592 bytes, found 8 in /r at byte 156";
    more_records_than_numbers: 5 |f| f.patch64("records", u64::MAX - 1)
        => Limit "a dimension of 2^63 elements or more in /r";
}
