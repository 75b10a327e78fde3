use netcdf_core::error::{ErrorKind, Result};
use netcdf_core::model::{
    Atomic, Attribute, DataType, DimId, Dimension, GroupId, Kind, Name, Schema, Storage, TypeKind,
    UserType, Values, Variable,
};

use super::{AttributeEdit, EditedSchema, Rename, apply};

fn name(text: &str) -> Name {
    Name::stored(text.as_bytes())
}

fn text(own: &str, value: &str) -> Attribute {
    Attribute::atomic(name(own), Values::Char(value.as_bytes().to_vec())).unwrap()
}

/// Dimensions `x` and `y`; variables `x(x)`, `t(x, y)` with `coordinates = "x lat"`, `lat(x)`; a group `g` with `t(x)` and an enum `e`.
fn schema() -> Schema {
    let mut s = Schema::new(Kind::NETCDF4);
    s.groups[0].attributes.push(text("title", "old"));
    let g = s.add_group(GroupId::ROOT, name("g"));
    s.add_type(UserType {
        name: name("e"),
        group: g,
        kind: TypeKind::Enum {
            base: Atomic::Byte,
            members: vec![(name("low"), 1), (name("high"), 2)],
        },
    });
    for dim in ["x", "y"] {
        s.add_dim(Dimension {
            name: name(dim),
            group: GroupId::ROOT,
            len: 3,
            unlimited: false,
        });
    }
    let root = GroupId::ROOT;
    let vars = [
        ("x", root, vec![0]),
        ("t", root, vec![0, 1]),
        ("lat", root, vec![0]),
        ("t", g, vec![0]),
    ];
    for (var, group, dims) in vars {
        s.add_var(Variable {
            name: name(var),
            group,
            ty: Atomic::Float.into(),
            dims: dims.into_iter().map(DimId).collect(),
            attributes: vec![text("coordinates", "x lat"), text("units", "K")],
            storage: Storage::default(),
        });
    }
    s
}

fn edited(renames: &[&str], attributes: &[&str]) -> Result<EditedSchema> {
    let renames: Result<Vec<_>> = renames.iter().map(|text| Rename::parse(text)).collect();
    let attributes: Result<Vec<_>> = attributes
        .iter()
        .map(|text| AttributeEdit::parse(text))
        .collect();
    apply(&schema(), &renames?, &attributes?)
}

/// Returns the names of dimensions, variables and groups.
fn names(renames: &[&str]) -> Vec<String> {
    let s = edited(renames, &[]).unwrap().schema;
    let dims = s.dims.iter().map(|dim| dim.name.to_string());
    let vars = s.var_ids().map(|id| s.var_path(id));
    dims.chain(vars).collect()
}

#[test]
fn names_stand_for_all_objects_that_have_them() {
    assert_eq!(
        names(&["x,lon"]),
        ["lon", "y", "/lon", "/t", "/lat", "/g/t"]
    );
    assert_eq!(
        names(&["t,temp"]),
        ["x", "y", "/x", "/temp", "/lat", "/g/temp"]
    );
    assert_eq!(
        names(&["/t,temp"]),
        ["x", "y", "/x", "/temp", "/lat", "/g/t"]
    );
    assert_eq!(
        names(&["g/t,temp"]),
        ["x", "y", "/x", "/t", "/lat", "/g/temp"]
    );
    assert_eq!(
        names(&["g,h", "lat,a\\,b"]),
        ["x", "y", "/x", "/t", "/a,b", "/h/t"]
    );
}

#[test]
fn only_the_variable_or_only_the_dimension() {
    assert_eq!(
        names(&["var:x,lon"]),
        ["x", "y", "/lon", "/t", "/lat", "/g/t"]
    );
    assert_eq!(
        names(&["dim:x,lon"]),
        ["lon", "y", "/x", "/t", "/lat", "/g/t"]
    );
    assert_eq!(
        names(&["dim:x,a", "var:/x,b", "var:g/t,c"]),
        ["a", "y", "/b", "/t", "/lat", "/g/c"]
    );
    // Objects with the literal name take precedence; a backslash or a path selects the ordinary meaning.
    let literal = |renames: &[&str]| {
        let mut s = schema();
        s.vars[2].name = name("var:x");
        let renames: Vec<_> = renames.iter().map(|r| Rename::parse(r).unwrap()).collect();
        let s = apply(&s, &renames, &[]).unwrap().schema;
        let vars: Vec<_> = s.vars.iter().map(|v| v.name.to_string()).collect();
        vars.join(" ")
    };
    assert_eq!(literal(&["var:x,a"]), "x t a t");
    assert_eq!(literal(&["var\\:x,a"]), "x t a t");
    assert_eq!(literal(&["var:/x,a"]), "a t var:x t");
    assert_eq!(literal(&["var:var:x,a"]), "x t a t");
}

#[test]
fn cell_methods_name_dimensions() {
    let mut s = schema();
    s.vars[1].attributes = vec![text("cell_methods", "x: mean lat: point")];
    let methods = |rename: &str| {
        let s = apply(&s, &[Rename::parse(rename).unwrap()], &[]);
        let s = s.unwrap().schema;
        let methods = s.vars[1].attribute("cell_methods").unwrap();
        String::from_utf8_lossy(methods.values.as_text().unwrap()).into_owned()
    };
    assert_eq!(methods("var:x,lon"), "x: mean lat: point");
    assert_eq!(methods("dim:x,lon"), "lon: mean lat: point");
    assert_eq!(methods("x,lon"), "lon: mean lat: point");
    assert_eq!(methods("var:lat,phi"), "x: mean phi: point");
}

#[test]
fn names_are_those_of_the_input() {
    assert_eq!(
        names(&["x,y", "y,x"]),
        ["y", "x", "/y", "/t", "/lat", "/g/t"]
    );
    let s = edited(&["t,u"], &["t@units=\"m\""]).unwrap().schema;
    assert_eq!(
        s.vars[1].attribute("units").unwrap().values.as_text(),
        Some(&b"m"[..])
    );
}

#[test]
fn references_follow_new_names() {
    let done = edited(&["lat,latitude"], &[]).unwrap();
    let found = done.schema.vars[3].attribute("coordinates").unwrap();
    assert_eq!(found.values.as_text(), Some(&b"x latitude"[..]));
    assert_eq!(
        done.remarks[0].to_string(),
        "--rename: also changes /x@coordinates, /t@coordinates, /lat@coordinates and /g/t@coordinates"
    );
}

#[test]
fn attributes_get_other_names() {
    let s = edited(&["t@units,unit", "@title,heading"], &[])
        .unwrap()
        .schema;
    assert!(s.vars[1].attribute("unit").is_some() && s.vars[3].attribute("units").is_none());
    assert!(s.vars[0].attribute("units").is_some());
    assert_eq!(s.groups[0].attributes[0].name, name("heading"));
    let s = edited(&["x@units,coordinates"], &[]).unwrap_err();
    assert_eq!(s.kind(), ErrorKind::Exists);
}

#[test]
fn invalid_renames() {
    let cases = [
        ("lat", "the new name is missing"),
        (",a", "the old name is missing"),
        ("a,b,c", "more than one comma"),
        ("lat,a/b", "contains a slash"),
        ("lat,", "is empty"),
        ("lta,b", "did you mean lat?"),
        ("lat,t", "variable, group or type t already exists"),
        ("x,y", "dimension y already exists"),
        ("/g/t,e", "variable, group or type e already exists"),
        ("lat@nothing,b", "no attribute nothing"),
        ("nothing@units,b", "nothing: No such variable"),
        ("dim:lat,b", "no dimension lat"),
        ("var:y,b", "no variable y"),
        ("var:lta,b", "did you mean lat?"),
        ("dim:x,y", "dimension y already exists"),
        ("var\\:x,y", "no dimension, variable or group var:x"),
    ];
    for (text, part) in cases {
        let e = edited(&[text], &[]).unwrap_err().to_string();
        assert!(e.contains(part), "{text}: {e}");
    }
    let e = edited(&["lat,a", "/lat,b"], &[]).unwrap_err().to_string();
    assert!(e.contains("two new names"), "{e}");
}

#[test]
fn values_are_those_of_cdl() {
    let set = |text: &str| {
        let s = edited(&[], &[text]).unwrap().schema;
        let attribute = s.vars[2].attributes.last().unwrap().clone();
        (attribute.ty, attribute.values)
    };
    let cases = [
        ("lat@a=1, 2", Values::Int(vec![1, 2])),
        ("lat@a = 1.5f", Values::Float(vec![1.5])),
        ("lat@a=\"text; = @\"", Values::Char(b"text; = @".to_vec())),
        ("short lat@a=7", Values::Short(vec![7])),
        (
            "string lat@a=\"x\", \"y\"",
            Values::String(vec![Some((*b"x").into()), Some((*b"y").into())]),
        ),
        ("lat@a=NaNf", Values::Float(vec![f32::NAN])),
        ("lat@_FillValue=-999", Values::Float(vec![-999.0])),
    ];
    for (given, want) in cases {
        let (ty, values) = set(given);
        assert_eq!(format!("{values:?}"), format!("{want:?}"), "{given}");
        assert_eq!(Some(ty), want.data_type().map(DataType::Atomic));
    }
    let (_, values) = set("e lat@a=high");
    assert!(matches!(values, Values::Enum(..)), "{values:?}");
}

#[test]
fn owners_are_lists_and_groups() {
    let units = |text: &str| {
        let s = edited(&[], &[text]).unwrap().schema;
        let vars = s.vars.iter().map(|v| v.attribute("units").is_some());
        let groups = s
            .groups
            .iter()
            .map(|g| g.attributes.iter().any(|a| a.name.is("units")));
        vars.chain(groups).collect::<Vec<bool>>()
    };
    assert_eq!(units("@units=\"1\""), [true, true, true, true, true, false]);
    assert_eq!(
        units("/g/@units=\"1\""),
        [true, true, true, true, false, true]
    );
    assert_eq!(units("!t@units"), [true, false, true, false, false, false]);
    assert_eq!(units("!*@uni*"), [false; 6]);
    assert_eq!(
        units("!/t,lat@units"),
        [true, false, false, true, false, false]
    );
}

#[test]
fn an_attribute_stays_in_its_place() {
    let s = edited(&[], &["lat@coordinates=\"x\""]).unwrap().schema;
    let names: Vec<_> = s.vars[2]
        .attributes
        .iter()
        .map(|a| a.name.to_string())
        .collect();
    assert_eq!(names, ["coordinates", "units"]);
}

#[test]
fn missing_attributes_to_remove_are_notes() {
    let done = edited(&[], &["!lat@nothing"]).unwrap();
    assert_eq!(
        done.notes[0].to_string(),
        "--attribute: !lat@nothing: no such attribute"
    );
    assert_eq!(done.schema, schema());
}

#[test]
fn invalid_attribute_edits() {
    let cases = [
        ("lat=1", "there is no `@`"),
        ("lat@a", "there is no `=`"),
        ("lat@=1", "the name after `@` is missing"),
        ("!lat@", "the name after `@` is missing"),
        ("lat@a=", "expected a value"),
        ("lat@a=some text", "texts must be in quotes"),
        ("lat@a=\"open", "--attribute:1:7"),
        ("lat@a=1,,2", "expected a value, found `,`"),
        ("byte lat@a=300", "300"),
        ("shor lat@a=3", "there is a type `short`"),
        ("lat@_ChunkSizes=3", "is not an attribute"),
        ("lat@_FillValue=3, 4", "must have one value"),
        ("lta@a=1", "did you mean `lat`?"),
        ("lat@a/b=1", "contains a slash"),
    ];
    for (given, part) in cases {
        let e = edited(&[], &[given])
            .map(|_| ())
            .expect_err(given)
            .to_string();
        assert!(e.contains(part), "{given}: {e}");
    }
}
