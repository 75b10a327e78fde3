//! Updates attributes that name renamed variables, dimensions and groups.

use std::collections::BTreeMap;

use super::{CfNames, NamesForm, form};
use crate::model::{Attribute, DimId, GroupId, Name, Schema, Values, VarId};

/// New names of objects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewNames {
    /// New dimension names.
    pub dims: BTreeMap<DimId, Name>,
    /// New variable names.
    pub vars: BTreeMap<VarId, Name>,
    /// New group names.
    pub groups: BTreeMap<GroupId, Name>,
}

/// The meaning of the words in an attribute.
#[derive(Clone, Copy)]
enum AttributeWords {
    /// Variable names in this syntax.
    Vars(NamesForm),
    /// Dimension names.
    Dims,
    /// `cell_methods`: names of dimensions or variables before a colon.
    Methods,
}

/// Attributes that name dimensions, beside the suffix `_dimension`.
const DIMENSIONS: [&[u8]; 3] = [b"compress", b"sample_dimension", b"instance_dimension"];

/// Rewrites attributes that name renamed objects (CF conventions, UGRID). Returns the rewritten attributes as `path@attribute`. `old` has
/// the old names; the function changes the attributes of `new`, which has the same ids.
#[must_use]
pub fn follow(old: &Schema, new: &mut Schema, names: &NewNames) -> Vec<String> {
    let renamed = Renamed {
        known: CfNames::new(old),
        names,
    };
    let mut changed = vec![];
    for (id, group) in (0..).map(GroupId).zip(&mut new.groups) {
        let path = old.group_path(id);
        renamed.attributes(&mut group.attributes, id, |name| {
            changed.push(format!("{path}@{name}"));
        });
    }
    for (id, var) in (0..).map(VarId).zip(&mut new.vars) {
        let path = old.var_path(id);
        renamed.attributes(&mut var.attributes, var.group, |name| {
            changed.push(format!("{path}@{name}"));
        });
    }
    changed
}

struct Renamed<'a> {
    known: CfNames<'a>,
    names: &'a NewNames,
}

impl Renamed<'_> {
    fn attributes(&self, list: &mut [Attribute], group: GroupId, mut changed: impl FnMut(&Name)) {
        for attribute in list {
            let Some(words) = words_of(attribute.name.as_bytes()) else {
                continue;
            };
            if self.values(&mut attribute.values, words, group) {
                changed(&attribute.name);
            }
        }
    }

    /// Rewrites a text or a list of texts. Returns whether a text changed.
    fn values(&self, values: &mut Values, words: AttributeWords, group: GroupId) -> bool {
        let new = |text: &[u8]| rewritten(text, words, |word| self.word(word, words, group));
        match values {
            Values::Char(text) => match new(text) {
                Some(other) => {
                    *text = other;
                    true
                }
                None => false,
            },
            Values::String(list) => {
                let mut any = false;
                for text in list.iter_mut().flatten() {
                    if let Some(other) = new(text) {
                        *text = other.into();
                        any = true;
                    }
                }
                any
            }
            _ => false,
        }
    }

    /// Returns the new text of a word that names a renamed object.
    fn word(&self, word: &[u8], words: AttributeWords, group: GroupId) -> Option<Vec<u8>> {
        match words {
            AttributeWords::Vars(_) => self.var(word, group),
            AttributeWords::Dims => self.dim(self.find_dim(word, group)?),
            // A dimension takes precedence over a variable with the same name.
            AttributeWords::Methods => match self.find_dim(word, group) {
                Some(dim) => self.dim(dim),
                None => self.var(word, group),
            },
        }
    }

    /// Returns the new name of a dimension.
    fn dim(&self, id: DimId) -> Option<Vec<u8>> {
        let name = self.names.dims.get(&id);
        name.map(|name| name.as_bytes().to_vec())
    }

    /// Returns the dimension with this name in a group or its nearest ancestor.
    fn find_dim(&self, word: &[u8], group: GroupId) -> Option<DimId> {
        let schema = self.known.schema;
        let mut at = Some(group);
        while let Some(group) = at {
            let mut dims = (0..).map(DimId).zip(&schema.dims);
            let found = dims.find(|(_, dim)| dim.group == group && dim.name.as_bytes() == word);
            if let Some((id, _)) = found {
                return Some(id);
            }
            at = self.known.parent(group);
        }
        None
    }

    fn var(&self, word: &[u8], group: GroupId) -> Option<Vec<u8>> {
        let id = self.known.find(word, group)?;
        let last = |word: &[u8]| match self.names.vars.get(&id) {
            Some(name) => name.as_bytes().to_vec(),
            None => word.to_vec(),
        };
        if !word.contains(&b'/') {
            return Some(last(word)).filter(|new| new != word);
        }
        let mut at = match word.first() {
            Some(b'/') => GroupId::ROOT,
            Some(_) | None => group,
        };
        let parts: Vec<&[u8]> = word.split(|&b| b == b'/').collect();
        let (name, groups) = parts.split_last()?;
        let mut path = vec![];
        for part in groups {
            let new = match *part {
                b"" | b"." => part.to_vec(),
                b".." => {
                    at = self.known.parent(at)?;
                    part.to_vec()
                }
                _ => {
                    at = *self.known.groups.get(&(at, *part))?;
                    let new = self.names.groups.get(&at);
                    new.map_or(*part, Name::as_bytes).to_vec()
                }
            };
            path.push(new);
        }
        path.push(last(name));
        Some(path.join(&b'/')).filter(|new| new != word)
    }
}

fn words_of(attribute: &[u8]) -> Option<AttributeWords> {
    if attribute == b"cell_methods" {
        return Some(AttributeWords::Methods);
    }
    if DIMENSIONS.contains(&attribute) || attribute.ends_with(b"_dimension") {
        return Some(AttributeWords::Dims);
    }
    form(attribute).map(|(form, _)| AttributeWords::Vars(form))
}

/// Returns the text with rewritten words, or `None` if no word changes.
fn rewritten(
    text: &[u8],
    words: AttributeWords,
    new: impl Fn(&[u8]) -> Option<Vec<u8>>,
) -> Option<Vec<u8>> {
    let mut out = vec![];
    let (mut changed, mut depth) = (false, 0i32);
    let blank = |b: &u8| b.is_ascii_whitespace() || *b == 0;
    for piece in text.chunk_by(|a, b| blank(a) == blank(b)) {
        for part in parts(piece, words) {
            let other = match part {
                WordPart::Name(name) if depth == 0 => new(name),
                WordPart::Name(_) | WordPart::Other(_) => None,
            };
            changed |= other.is_some();
            match (&other, part) {
                (Some(other), _) => out.extend_from_slice(other),
                (None, WordPart::Name(same) | WordPart::Other(same)) => out.extend_from_slice(same),
            }
        }
        // Comments of cell methods are in parentheses.
        if let AttributeWords::Methods = words {
            let count = |byte: u8| piece.iter().filter(|b| **b == byte).count();
            depth += i32::try_from(count(b'(')).ok()? - i32::try_from(count(b')')).ok()?;
        }
    }
    changed.then_some(out)
}

/// A fragment of a word.
#[derive(Clone, Copy)]
enum WordPart<'t> {
    Name(&'t [u8]),
    Other(&'t [u8]),
}

/// Splits a word into names and separators.
fn parts(word: &[u8], words: AttributeWords) -> Vec<WordPart<'_>> {
    let colon = word.iter().position(|b| *b == b':');
    let form = match words {
        AttributeWords::Dims | AttributeWords::Vars(NamesForm::Names) => {
            return vec![WordPart::Name(word)];
        }
        AttributeWords::Vars(form) => Some(form),
        AttributeWords::Methods => None,
    };
    let Some((first, rest)) = colon.and_then(|at| word.split_at_checked(at)) else {
        return match form {
            Some(_) => vec![WordPart::Name(word)],
            None => vec![WordPart::Other(word)],
        };
    };
    let (colon, rest) = rest.split_at_checked(1).unwrap_or((rest, b""));
    let colon = WordPart::Other(colon);
    match form {
        None => vec![WordPart::Name(first), colon, WordPart::Other(rest)],
        Some(NamesForm::AfterColon) => vec![WordPart::Other(first), colon, WordPart::Name(rest)],
        Some(NamesForm::BeforeAndAfterColon | NamesForm::Names) => {
            vec![WordPart::Name(first), colon, WordPart::Name(rest)]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Atomic, Dimension, Kind, Storage, Variable};

    fn name(text: &str) -> Name {
        Name::stored(text.as_bytes())
    }

    /// `lat(y)`, `lon(x)` and `b` in the root, `h` in the group `g`, and `v` in `g` with an attribute.
    fn schema(attribute: &str, text: &str) -> Schema {
        let mut s = Schema::new(Kind::NETCDF4);
        let g = s.add_group(GroupId::ROOT, name("g"));
        for dim in ["y", "x", "time"] {
            s.add_dim(Dimension {
                name: name(dim),
                group: GroupId::ROOT,
                len: 2,
                unlimited: false,
            });
        }
        let vars = [
            ("lat", GroupId::ROOT),
            ("lon", GroupId::ROOT),
            ("b", GroupId::ROOT),
            ("h", g),
            ("v", g),
        ];
        for (var, group) in vars {
            s.add_var(Variable {
                name: name(var),
                group,
                ty: Atomic::Int.into(),
                dims: vec![],
                attributes: vec![],
                storage: Storage::default(),
            });
        }
        let values = Values::Char(text.as_bytes().to_vec());
        s.vars[4]
            .attributes
            .extend(Attribute::atomic(name(attribute), values));
        s
    }

    fn names() -> NewNames {
        NewNames {
            dims: [(DimId(0), name("j")), (DimId(2), name("t"))].into(),
            vars: [(VarId(0), name("latitude")), (VarId(3), name("height"))].into(),
            groups: [(GroupId(1), name("grp"))].into(),
        }
    }

    fn followed(attribute: &str, text: &str) -> String {
        let old = schema(attribute, text);
        let mut new = old.clone();
        let changed = follow(&old, &mut new, &names());
        let found = new.vars[4].attributes[0].values.as_text().unwrap();
        let found = String::from_utf8_lossy(found).into_owned();
        let want = match found == text {
            true => vec![],
            false => vec![format!("/g/v@{attribute}")],
        };
        assert_eq!(changed, want);
        found
    }

    #[test]
    fn references_follow() {
        let cases = [
            ("coordinates", "lat  lon\0", "latitude  lon\0"),
            ("coordinates", "latx lon", "latx lon"),
            (
                "coordinates",
                "/lat /g/h ../lat h",
                "/latitude /grp/height ../latitude height",
            ),
            ("bounds", "b", "b"),
            (
                "cell_measures",
                "lat: lat area:h",
                "lat: latitude area:height",
            ),
            ("formula_terms", "h: lat b:b", "h: latitude b:b"),
            ("grid_mapping", "lat: h lon", "latitude: height lon"),
            (
                "cell_methods",
                "time: y: mean (lat: x y: z) lat: sum",
                "t: j: mean (lat: x y: z) latitude: sum",
            ),
            ("compress", "y x", "j x"),
            ("sample_dimension", "time", "t"),
            ("face_dimension", "y", "j"),
            ("node_coordinates", "lat lon", "latitude lon"),
            ("comment", "lat lon", "lat lon"),
            ("long_name", "time", "time"),
        ];
        for (attribute, text, want) in cases {
            assert_eq!(followed(attribute, text), want, "{attribute}");
        }
    }

    #[test]
    fn lists_of_strings_follow_too() {
        let mut old = schema("comment", "");
        let list = ["lat", "lon"].map(|n| Some(n.as_bytes().into()));
        let list = Attribute::atomic(name("coordinates"), Values::String(list.to_vec()));
        old.groups[0].attributes.extend(list);
        let mut new = old.clone();
        assert_eq!(follow(&old, &mut new, &names()), ["/@coordinates"]);
        let want = ["latitude", "lon"].map(|n| Some(n.as_bytes().into()));
        assert_eq!(
            new.groups[0].attributes[0].values,
            Values::String(want.to_vec())
        );
    }
}
