//! Tests of numbers and characters.

use netcdf_core::model::{Atomic, Endianness, GroupId, Kind, Values};
use netcdf_core::testing::{MemoryDataset, text};

use super::{cdl, from};
use crate::cdl::write::{
    Annotation, CdlOptions, DataSelection, Forms, Language, NumberText, NumberToWrite,
    SpecialAttributes,
};
use crate::number::Precision;

const ROOT: GroupId = GroupId::ROOT;

/// Returns two rows of three ints, three doubles, a scalar, and two texts.
fn small(order: Endianness) -> MemoryDataset {
    let mut m = MemoryDataset::new(Kind::CLASSIC);
    m.order = order;
    let t = m.dim(ROOT, "t", 2, true);
    let x = m.dim(ROOT, "x", 3, false);
    let ints = Values::Int(vec![1, 2, -2_147_483_647, 4, 5, 6]);
    let i = m.var(ROOT, "i", Atomic::Int, &[t, x], ints);
    m.attribute(i, "valid", Values::Short(vec![1, 2]));
    let doubles = Values::Double(vec![0.1, f64::NAN, -0.0]);
    let d = m.var(ROOT, "x", Atomic::Double, &[x], doubles);
    m.attribute(d, "_FillValue", Values::Double(vec![0.0]));
    m.var(ROOT, "sc", Atomic::Byte, &[], Values::Byte(vec![-127]));
    m.var(ROOT, "c", Atomic::Char, &[t, x], text("a\n\0\0b\0"));
    m
}

fn annotated(rows: bool, values: bool, language: Language) -> String {
    let options = CdlOptions {
        annotation: Annotation {
            rows,
            values,
            language,
        },
        ..CdlOptions::default()
    };
    let text = cdl(&small(Endianness::Little), &options);
    from(&text, "data:").to_owned()
}

#[test]
fn a_classic_dataset() {
    for order in [Endianness::Big, Endianness::Little] {
        let m = small(order);
        let options = CdlOptions {
            name: b"1 a/b".to_vec(),
            ..CdlOptions::default()
        };
        let expected = concat!(
            "netcdf \\1\\ a/b {\ndimensions:\n",
            "\tt = UNLIMITED ; // (2 currently)\n\tx = 3 ;\n",
            "variables:\n\tint i(t, x) ;\n\t\ti:valid = 1s, 2s ;\n",
            "\tdouble x(x) ;\n\t\tx:_FillValue = 0. ;\n\tbyte sc ;\n\tchar c(t, x) ;\n",
            "data:\n\n i =\n  1, 2, _,\n  4, 5, 6 ;\n\n x = 0.1, NaN, -0 ;\n\n sc = -127 ;\n",
            "\n c =\n  \"a\\n\",\n  \"\\000b\" ;\n}\n",
        );
        assert_eq!(cdl(&m, &options), expected);
    }
}

#[test]
fn rows_are_annotated() {
    let c = annotated(true, false, Language::C);
    assert!(c.contains(" i =\n  // i(0, 0-2)\n    1, 2, _,\n  // i(1, 0-2)\n    4, 5, 6 ;\n"));
    let f = annotated(true, false, Language::Fortran);
    assert!(f.contains("  // c(1-3 ,2)\n    \"\\000b\" ;\n"));
}

#[test]
fn values_are_annotated() {
    let c = annotated(false, true, Language::C);
    let rows = concat!(
        " i =\n  1,   // i(0,0)\n    2,   // i(0,1)\n    _,  // i(0,2)\n",
        "    4,   // i(1,0)\n    5,   // i(1,1)\n    6;  // i(1,2)\n    \n"
    );
    assert!(c.contains(rows));
    assert!(c.contains("\n sc = -127;  // sc(0)\n    \n"));
    let f = annotated(false, true, Language::Fortran);
    assert!(f.contains("6;  // i(3,2)\n"));
    assert!(f.contains("\"\\000b\";  // c(3,2)\n    }\n"));
}

#[test]
fn a_selection_of_the_data() {
    let only = |selection| CdlOptions {
        data: Some(selection),
        ..CdlOptions::default()
    };
    let coordinates = DataSelection {
        coordinates: true,
        ..DataSelection::default()
    };
    let text = cdl(&small(Endianness::Little), &only(coordinates));
    assert_eq!(from(&text, "data:"), "data:\n\n x = 0.1, NaN, -0 ;\n}\n");
    let header = CdlOptions {
        data: None,
        special: SpecialAttributes::Shown,
        ..CdlOptions::default()
    };
    let text = cdl(&small(Endianness::Little), &header);
    assert_eq!(
        from(&text, "\tchar"),
        "\tchar c(t, x) ;\n\n// global attributes:\n\t\t:_Format = \"classic\" ;\n}\n"
    );
}

/// Breaks lines one value at a time, according to the rule.
fn broken(name: &str, items: &[String], length: usize) -> String {
    let (mut text, mut column) = (format!("\n {name} = "), name.len() + 4);
    for (i, item) in items.iter().enumerate() {
        let item = if i + 1 < items.len() {
            format!("{item}, ")
        } else {
            item.clone()
        };
        if column + item.len() > length - 2 && item.len() > 2 {
            text += "\n    ";
            column = 4;
        }
        column += item.len();
        text += &item;
    }
    text + " ;\n}\n"
}

#[test]
fn long_rows_are_joined_seamlessly() {
    for len in [3, 70_000, 65_536 * 2 + 5] {
        let values: Vec<i32> = (0..len).map(|i| (i * 7919) % 100_003 - 300).collect();
        let items: Vec<_> = values.iter().map(i32::to_string).collect();
        let mut m = MemoryDataset::new(Kind::CLASSIC);
        let x = m.dim(ROOT, "n", values.len() as u64, false);
        m.var(ROOT, "v", Atomic::Int, &[x], Values::Int(values));
        for line_length in [10, 80] {
            let options = CdlOptions {
                line_length,
                ..CdlOptions::default()
            };
            let text = cdl(&m, &options);
            assert!(text.ends_with(&broken("v", &items, line_length)), "{len}");
        }
    }
}

#[test]
fn long_texts_show_zeros_only_within() {
    let mut bytes = vec![0; 700_000];
    bytes[0] = b'a';
    bytes[400_000] = b'b';
    let mut m = MemoryDataset::new(Kind::CLASSIC);
    let x = m.dim(ROOT, "n", bytes.len() as u64, false);
    m.var(ROOT, "v", Atomic::Char, &[x], Values::Char(bytes));
    let text = cdl(&m, &CdlOptions::default());
    let expected = format!("\n v = \"a{}b\" ;\n}}\n", "\\000".repeat(399_999));
    assert!(text.ends_with(&expected));
}

#[test]
fn keywords_have_a_backslash_where_they_could_be_read_as_such() {
    for (kind, name, expected) in [
        (Kind::CLASSIC, "NaN", "\\NaN"),
        (Kind::CLASSIC, "uint", "uint"),
        (Kind::CDF5, "uint", "\\uint"),
    ] {
        let mut m = MemoryDataset::new(kind);
        let x = m.dim(ROOT, name, 1, false);
        let v = m.var(ROOT, name, Atomic::Int, &[x], Values::Int(vec![1]));
        m.attribute(v, name, Values::Int(vec![2]));
        let options = CdlOptions {
            name: name.into(),
            ..CdlOptions::default()
        };
        let text = format!(
            "netcdf {name} {{\ndimensions:\n\t{expected} = 1 ;\nvariables:\n\tint {expected}({expected}) ;\n\
             \t\t{expected}:{name} = 2 ;\ndata:\n\n {expected} = 1 ;\n}}\n"
        );
        assert_eq!(cdl(&m, &options), text);
    }
}

#[test]
fn one_row_of_text_has_a_string_a_line() {
    let mut m = MemoryDataset::new(Kind::CLASSIC);
    let x = m.dim(ROOT, "x", 4, false);
    m.var(ROOT, "c", Atomic::Char, &[x], text("a\nb\0"));
    let text = cdl(&m, &CdlOptions::default());
    assert!(text.ends_with("\n c = \"a\\n\",\n    \"b\" ;\n}\n"));
}

#[test]
fn digits_are_as_asked_for() {
    let digits = |float, double| {
        let mut m = MemoryDataset::new(Kind::CLASSIC);
        let v = m.var(ROOT, "v", Atomic::Float, &[], Values::Float(vec![0.1]));
        m.attribute(v, "a", Values::Double(vec![0.1 + 0.2]));
        let options = CdlOptions {
            float,
            double,
            ..CdlOptions::default()
        };
        let text = cdl(&m, &options);
        from(&text, "\t\tv:a").to_owned()
    };
    assert_eq!(
        digits(Precision::Digits(9), Precision::Digits(3)),
        "\t\tv:a = 0.3 ;\ndata:\n\n v = 0.100000001 ;\n}\n"
    );
    assert_eq!(
        digits(Precision::Exact, Precision::Exact),
        "\t\tv:a = 0.30000000000000004 ;\ndata:\n\n v = 0.1 ;\n}\n"
    );
}

#[test]
fn fill_values_are_compared_exactly() {
    let fill = 1.0f32;
    let next = f32::from_bits(fill.to_bits() + 1);
    let mut m = MemoryDataset::new(Kind::CLASSIC);
    let x = m.dim(ROOT, "x", 2, false);
    let v = m.var(
        ROOT,
        "v",
        Atomic::Float,
        &[x],
        Values::Float(vec![fill, next]),
    );
    m.attribute(v, "_FillValue", Values::Float(vec![fill]));
    let n = m.var(
        ROOT,
        "n",
        Atomic::Double,
        &[x],
        Values::Double(vec![-f64::NAN, 1.0]),
    );
    m.attribute(n, "_FillValue", Values::Double(vec![f64::NAN]));
    let text = cdl(&m, &CdlOptions::default());
    assert_eq!(
        from(&text, "data:"),
        "data:\n\n v = _, 1 ;\n\n n = _, 1 ;\n}\n"
    );
}

#[test]
fn attributes_of_all_types() {
    let mut m = MemoryDataset::new(Kind::CDF5);
    let v = m.var(ROOT, "data", Atomic::Int, &[], Values::Int(vec![0]));
    for (name, values) in [
        ("b", Values::Byte(vec![-1])),
        ("ub", Values::UByte(vec![255])),
        ("us", Values::UShort(vec![1])),
        ("u", Values::UInt(vec![1])),
        ("l", Values::Int64(vec![1, -1])),
        ("ul", Values::UInt64(vec![1])),
        ("f", Values::Float(vec![1.0, f32::NAN])),
        ("e", Values::Double(vec![])),
        ("t", text("a\nb\0\0")),
        ("_FillValue", Values::Int(vec![7])),
    ] {
        m.attribute(v, name, values);
    }
    let options = CdlOptions {
        data: None,
        fill_type: true,
        ..CdlOptions::default()
    };
    let expected = concat!(
        "\t\tdata :b = -1b ;\n\t\tdata :ub = 255UB ;\n\t\tdata :us = 1US ;\n",
        "\t\tdata :u = 1U ;\n\t\tdata :l = 1LL, -1LL ;\n\t\tdata :ul = 1ULL ;\n",
        "\t\tdata :f = 1.f, NaNf ;\n\t\tdata :e = \"\" ;\n",
        "\t\tdata :t = \"a\\n\",\n\t\t\t\"b\" ;\n\t\tint data :_FillValue = 7 ;\n}\n"
    );
    assert_eq!(from(&cdl(&m, &options), "\t\tdata :b"), expected);
}

/// Even numbers in brackets, odd numbers in CDL's own format.
struct Brackets;

impl NumberText for Brackets {
    fn write(&self, number: NumberToWrite, out: &mut Vec<u8>) -> bool {
        let NumberToWrite::Signed(x) = number else {
            return false;
        };
        if x % 2 == 0 {
            out.extend_from_slice(format!("[{x}]").as_bytes());
        }
        x % 2 == 0
    }
}

impl Forms for Brackets {
    fn data(&self, _: netcdf_core::model::VarId) -> Option<Box<dyn NumberText>> {
        Some(Box::new(Self))
    }
    fn comment(&self, _: netcdf_core::model::VarId) -> Option<Box<dyn NumberText>> {
        Some(Box::new(Self))
    }
}

#[test]
fn numbers_have_other_forms() {
    let mut m = MemoryDataset::new(Kind::CLASSIC);
    let x = m.dim(ROOT, "x", 3, false);
    let v = m.var(
        ROOT,
        "v",
        Atomic::Short,
        &[x],
        Values::Short(vec![1, 2, -32767]),
    );
    m.attribute(v, "two", Values::Int(vec![2, 3]));
    m.attribute(v, "many", Values::Int((0..20).map(|i| i * 1000).collect()));
    m.attribute(v, "text", text("x"));
    let options = CdlOptions {
        forms: Some(&Brackets),
        line_length: 40,
        ..CdlOptions::default()
    };
    let expected = concat!(
        "\t\tv:two = 2, 3 ; // [2], 3\n",
        "\t\tv:many = 0, 1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000, 10000, ",
        "11000, 12000, 13000, 14000, 15000, 16000, 17000, 18000, 19000 ;\n",
        "\t\t  // [0], [1000],\n\t\t  // [2000], [3000],\n\t\t  // [4000], [5000],\n",
        "\t\t  // [6000], [7000],\n\t\t  // [8000], [9000],\n\t\t  // [10000], [11000],\n",
        "\t\t  // [12000], [13000],\n\t\t  // [14000], [15000],\n",
        "\t\t  // [16000], [17000],\n\t\t  // [18000], [19000]\n\t\tv:text",
    );
    let text = cdl(&m, &options);
    assert!(from(&text, "\t\tv:two").starts_with(expected), "{text}");
    assert!(text.ends_with("\n v = 1, [2], _ ;\n}\n"));
}
