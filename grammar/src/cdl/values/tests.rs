use super::*;
use crate::diagnostic::Severity;
use netcdf_core::chunk::elements;
use netcdf_core::io::memory::MemorySource;
use netcdf_core::model::{Atomic, Attribute, Dimension, GroupId, Kind, Name, Storage, Variable};
use proptest::prelude::*;

/// A sink in memory.
#[derive(Default)]
struct Kept {
    bytes: Vec<u8>,
    size: usize,
}

impl ValueSink for Kept {
    fn bytes(&mut self, element: u64, bytes: &[u8]) -> Result<()> {
        assert_eq!(element as usize * self.size, self.bytes.len());
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn values(&mut self, _: u64, _: &Values) -> Result<()> {
        panic!("no values expected")
    }
}

/// Returns a schema with a variable `v` with dimensions of these lengths; 0 is unlimited.
fn schema(ty: Atomic, dims: &[u64], fill: Option<Values>) -> Schema {
    let mut schema = Schema::new(Kind::CDF5);
    let dims = dims.iter().enumerate().map(|(i, &len)| {
        schema.add_dim(Dimension {
            name: Name::stored(format!("d{i}").as_bytes()),
            group: GroupId::ROOT,
            len,
            unlimited: len == 0,
        })
    });
    let dims = dims.collect();
    let fill = fill.map(|values| Attribute::atomic(Name::stored(b"_FillValue"), values).unwrap());
    schema.add_var(Variable {
        name: Name::stored(b"v"),
        group: GroupId::ROOT,
        ty: ty.into(),
        dims,
        attributes: fill.into_iter().collect(),
        storage: Storage::default(),
    });
    schema
}

fn read_all(text: &[u8], schema: &Schema) -> (Values, Problems) {
    let ty = schema.var(VarId(0)).unwrap().ty.atomic().unwrap();
    let mut kept = Kept {
        size: ty.size().unwrap(),
        ..Kept::default()
    };
    let source = MemorySource::new("x.cdl", [b"v =", text, b";"].concat());
    let list = ValueList {
        source: &source,
        bytes: 3..3 + text.len() as u64,
        var: VarId(0),
        form: TextForm::Cdl,
    };
    let mut problems = Problems::default();
    let order = Endianness::Big;
    let count = read(&list, schema, order, &mut problems, &mut kept).unwrap();
    let count = count.unwrap();
    assert_eq!(count as usize * kept.size, kept.bytes.len());
    (elements::decode(ty, order, &kept.bytes).unwrap(), problems)
}

fn good(ty: Atomic, dims: &[u64], text: &str) -> Values {
    let (values, problems) = read_all(text.as_bytes(), &schema(ty, dims, None));
    assert_eq!(problems.found(), [], "{text}");
    values
}

/// Returns the first problem: severity, text and message.
fn bad(ty: Atomic, dims: &[u64], text: &str) -> (Severity, String, String) {
    let (_, problems) = read_all(text.as_bytes(), &schema(ty, dims, None));
    let problem = problems.found().first().expect(text).clone();
    let range = problem.range.start as usize - 3..problem.range.end as usize - 3;
    (problem.severity, text[range].to_owned(), problem.what)
}

#[test]
fn numbers_in_many_forms() {
    let text = " 1, -2 ,3\n,\t+4,/* 5, */ _, // 6\n 0x10, 'a' , 017, 9s, 1e2 ";
    assert_eq!(
        good(Atomic::Int, &[0], text),
        Values::Int(vec![1, -2, 3, 4, -2_147_483_647, 16, 97, 15, 9, 100])
    );
    let text = "1, .5, -1.5e2, 2.f, _, 1d, Infinity";
    assert_eq!(
        good(Atomic::Float, &[0], text),
        Values::Float(vec![
            1.,
            0.5,
            -150.,
            2.,
            f32::from_bits(0x7cf0_0000),
            1.,
            f32::INFINITY
        ])
    );
}

#[test]
fn fill_is_the_variables_own() {
    let schema = schema(Atomic::Short, &[3], Some(Values::Short(vec![7])));
    let (values, problems) = read_all(b"_, 1,_", &schema);
    assert_eq!(
        (values, problems.found()),
        (Values::Short(vec![7, 1, 7]), &[][..])
    );
}

#[test]
fn short_lists_end_early_and_long_ones_are_cut() {
    assert_eq!(
        good(Atomic::Int, &[2, 2], "1, 2, 3"),
        Values::Int(vec![1, 2, 3])
    );
    let (values, problems) = read_all(b"1, 2, 3, 4", &schema(Atomic::Int, &[2], None));
    assert_eq!(values, Values::Int(vec![1, 2]));
    assert_eq!((problems.warnings(), problems.errors()), (1, 0));
    assert_eq!(bad(Atomic::Int, &[2], "1, 2, 3, 4").1, "3");
    assert_eq!(bad(Atomic::Int, &[], "1, 2").0, Severity::Warning);
}

#[test]
fn values_out_of_range() {
    assert_eq!(bad(Atomic::Byte, &[], "300").0, Severity::Warning);
    for (ty, text, part) in [
        (Atomic::Int, "1, 99999999999, 3", "99999999999"),
        (Atomic::Int, "NaN", "NaN"),
        (Atomic::Int, "1, NIL", "NIL"),
        (Atomic::Int, "red", "red"),
        (Atomic::Float, "1e300", "1e300"),
        (Atomic::Double, "1, \"open", "\"open"),
    ] {
        let (severity, found, _) = bad(ty, &[0], text);
        assert_eq!(
            (severity, found.as_str()),
            (Severity::Error, part),
            "{text}"
        );
    }
}

#[test]
fn several_errors_of_a_list_are_found() {
    let (_, problems) = read_all(
        b"NaN, 1, red, 99999999999",
        &schema(Atomic::Int, &[0], None),
    );
    assert_eq!(problems.errors(), 3);
    let many = "red, ".repeat(100) + "red";
    let (_, problems) = read_all(many.as_bytes(), &schema(Atomic::Int, &[0], None));
    assert_eq!(problems.found().len() as u64, Problems::MOST);
}

#[test]
fn syntax_of_lists() {
    for (text, part) in [
        ("", ""),
        ("1,", ""),
        ("1 2", "2"),
        ("1,,2", ","),
        (",1", ","),
        ("{1, 2}", "{"),
        ("1}", "}"),
        ("1 $", "$"),
        ("12abc", "12abc"),
        ("1.5.2, 1", "1.5.2"),
    ] {
        let (severity, found, what) = bad(Atomic::Int, &[0], text);
        assert_eq!(
            (severity, found.as_str()),
            (Severity::Error, part),
            "{text}: {what}"
        );
    }
}

fn text(dims: &[u64], text: &str) -> String {
    let Values::Char(bytes) = good(Atomic::Char, dims, text) else {
        unreachable!()
    };
    String::from_utf8(bytes).unwrap().replace('\0', "~")
}

#[test]
fn strings_are_filled_up_to_rows() {
    assert_eq!(text(&[3, 4], "\"ab\", \"cdef\", \"g\""), "ab~~cdefg~~~");
    assert_eq!(text(&[0, 4], "\"ab\", \"ef\""), "ab~~ef~~");
    assert_eq!(text(&[0, 2], "\"\", \"a\""), "~~a~");
    assert_eq!(text(&[2, 3], "'a', 'b', \"c\""), "ab~c~~");
    assert_eq!(text(&[4, 2], "\"abc\", _"), "abc~~~");
    assert_eq!(text(&[0, 1], "\"x1\", \"zz\""), "x1zz");
    assert_eq!(text(&[2, 2], "{\"a\"}, {\"b\"}"), "a~b~");
}

#[test]
fn texts_of_one_dimension_are_joined() {
    assert_eq!(text(&[4], "\"ab\", \"c\""), "abc");
    assert_eq!(text(&[4], "\"\", \"c\""), "~c");
    assert_eq!(text(&[0], "\"ab\",'c', \"\""), "abc");
    assert_eq!(text(&[], "\"q\""), "q");
    assert_eq!(text(&[], "\"\""), "~");
    assert_eq!(text(&[4], "'a', 98b, 'c', 100ub"), "abcd");
    assert_eq!(text(&[8], "\"\\x41\\102\\n\\\"\\q;\" // \"x\""), "AB\n\"q;");
}

#[test]
fn texts_that_do_not_fit() {
    for (dims, text, part) in [
        (&[3][..], "\"ab\", \"cd\"", "\""),
        (&[5], "\"hello world\"", "\""),
        (&[], "\"ab\"", "\""),
        (&[3], "\"a\", 65", "65"),
        (&[3], "\"a\", NIL", "NIL"),
        (&[3], "\"a\\x4\"", "\\"),
        (&[3], "\"a", "\""),
        (&[3], "{\"a\"}", "{"),
        (&[3, 3], "{\"a\"", ""),
        (&[3, 3], "\"a\"}", "}"),
        (&[3], "\"a\" \"b\"", "\""),
        (&[3], "/* a", "/* a"),
    ] {
        let (severity, found, what) = bad(Atomic::Char, dims, text);
        assert_eq!(
            (severity, found.as_str()),
            (Severity::Error, part),
            "{text}: {what}"
        );
    }
}

#[test]
fn window_ends_do_not_change_the_result() {
    let numbers: Vec<i32> = (0..200_000)
        .map(|i| i * 7919 % 1_000_003 - 500_000)
        .collect();
    let text: Vec<String> = numbers.iter().map(i32::to_string).collect();
    let text = text.join(", /* a comment */ ");
    assert_eq!(good(Atomic::Int, &[0], &text), Values::Int(numbers));
    let letters: Vec<u8> = (0..3_000_000u32)
        .map(|i| b' ' + (i * 7 % 94) as u8)
        .collect();
    let mut escaped = vec![b'"'];
    crate::escape::escape_text(&letters, crate::escape::TextStyle::CHAR_DATA, &mut escaped);
    escaped.push(b'"');
    let (values, problems) = read_all(&escaped, &schema(Atomic::Char, &[0], None));
    assert_eq!((values, problems.found()), (Values::Char(letters), &[][..]));
}

/// Returns values as plain text.
fn plain(values: &Values) -> Vec<String> {
    fn all<T: std::fmt::Debug>(v: &[T]) -> Vec<String> {
        v.iter()
            .map(|x| format!("{x:?}").replace("inf", "Infinity"))
            .collect()
    }
    match values {
        Values::Byte(v) => all(v),
        Values::Short(v) => all(v),
        Values::Int(v) => all(v),
        Values::Int64(v) => all(v),
        Values::UByte(v) => all(v),
        Values::UShort(v) => all(v),
        Values::UInt(v) => all(v),
        Values::UInt64(v) => all(v),
        Values::Float(v) => v
            .iter()
            .map(|x| format!("{x:?}f").replace("inff", "Infinityf"))
            .collect(),
        Values::Double(v) => all(v),
        _ => vec![],
    }
}

proptest! {
    #[test]
    fn there_and_back(number in 1u32..12, bytes in proptest::collection::vec(any::<u8>(), 8..400), blank in "[ \n\t]{0,3}") {
        let ty = Atomic::from_number(number).unwrap();
        prop_assume!(ty != Atomic::Char);
        let values = elements::decode(ty, Endianness::Big, &bytes).unwrap();
        let text = plain(&values).join(&format!("{blank},{blank}"));
        let found = good(ty, &[0], &text);
        // NaN has many bit patterns but one word.
        let nan = match (&values, &found) {
            (Values::Float(a), Values::Float(b)) => a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()),
            (Values::Double(a), Values::Double(b)) => a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()),
            (a, b) => a == b,
        };
        prop_assert!(nan, "{:?} {:?}", values, found);
    }

    #[test]
    fn any_bytes_are_harmless(number in 1u32..12, text in proptest::collection::vec(any::<u8>(), 0..60)) {
        let ty = Atomic::from_number(number).unwrap();
        for dims in [&[][..], &[2, 3], &[0, 2]] {
            read_all(&text, &schema(ty, dims, None));
        }
    }
}
