//! Filter parameters by name.

use netcdf_core::filter::modes;
use netcdf_core::filter::parameter_names::{Parameter, ParameterForm, ParameterMode};

use super::words::words;
use crate::diagnostic::nearest;
use crate::mistake::Mistake;

/// A parameter in the text, with its position.
#[derive(Debug, Clone, Copy)]
pub(super) struct GivenParameter<'a> {
    pub(super) name: &'a str,
    /// The text after the `=`, if present.
    pub(super) value: Option<(&'a str, usize)>,
    pub(super) at: usize,
}

type Result<T> = std::result::Result<T, Mistake>;

/// Returns the numbers for the `given` parameters of a filter; `called` is its name in messages.
pub(super) fn by_name(id: u32, called: &str, given: &[GivenParameter<'_>]) -> Result<Vec<u32>> {
    let modes = modes(id);
    for (n, one) in given.iter().enumerate() {
        if !names(modes).any(|name| name == one.name) {
            return Err(unknown(modes, called, one));
        }
        if given.iter().take(n).any(|other| other.name == one.name) {
            let message = format!("`{}` is given twice", one.name);
            return Err(Mistake::new(one.at, message));
        }
    }
    let has = |mode: &&ParameterMode| {
        let has = |one: &GivenParameter<'_>| mode.parameters.iter().any(|p| p.name == one.name);
        given.iter().all(has)
    };
    let Some(mode) = modes.iter().find(has) else {
        let names: Vec<_> = given.iter().map(|one| one.name).collect();
        let names = names.join(", ");
        let message = format!("{called} does not take these parameters together: {names}");
        return Err(Mistake::new(given.last().map_or(0, |g| g.at), message));
    };
    let mut numbers = mode.before.to_vec();
    for parameter in mode.parameters {
        let said = given.iter().find(|one| one.name == parameter.name);
        match (said, parameter.default) {
            (Some(one), _) => numbers.extend(value(parameter, one)?),
            (None, Some(default)) => numbers.push(default),
            (None, None) => return Err(missing(parameter, given)),
        }
    }
    Ok(numbers)
}

fn names(modes: &[ParameterMode]) -> impl Iterator<Item = &'static str> {
    modes.iter().flat_map(|m| m.parameters).map(|p| p.name)
}

fn unknown(modes: &[ParameterMode], called: &str, one: &GivenParameter<'_>) -> Mistake {
    let mut known: Vec<_> = names(modes).collect();
    let mut seen = std::collections::BTreeSet::new();
    known.retain(|name| seen.insert(*name));
    let message = match known.is_empty() {
        true => format!("{called} has no named parameters"),
        false => format!(
            "{called} has no parameter `{}` ({})",
            one.name,
            known.join(", ")
        ),
    };
    let near = nearest(one.name, known.into_iter());
    Mistake::new(one.at, message).with_hint(near.map(|near| format!("did you mean `{near}`?")))
}

fn missing(parameter: &Parameter, given: &[GivenParameter<'_>]) -> Mistake {
    let at = given.first().map_or(0, |one| one.at);
    Mistake::new(at, format!("`{}` is missing", parameter.name))
}

fn value(parameter: &Parameter, one: &GivenParameter<'_>) -> Result<Vec<u32>> {
    let name = parameter.name;
    let (text, at) = match (parameter.form, one.value) {
        (ParameterForm::Flag, None) => return Ok(vec![]),
        (ParameterForm::Flag, Some((_, at))) => {
            return Err(Mistake::new(at, format!("`{name}` takes no value")));
        }
        (ParameterForm::Number | ParameterForm::Double | ParameterForm::Word(_), None) => {
            let message = format!("`{name}` needs a value: {name}={}", example(parameter));
            return Err(Mistake::new(one.at, message));
        }
        (ParameterForm::Number | ParameterForm::Double | ParameterForm::Word(_), Some(value)) => {
            value
        }
    };
    match parameter.form {
        ParameterForm::Flag => Ok(vec![]),
        ParameterForm::Word(words) => {
            let is = |(word, _): &&(&str, u32)| word.eq_ignore_ascii_case(text);
            let found = words.iter().find(is).map(|(_, number)| vec![*number]);
            found.ok_or_else(|| {
                let all = words.iter().map(|(word, _)| *word);
                let list = all.clone().collect::<Vec<_>>().join(", ");
                let near = nearest(text, all).map(|near| format!("did you mean `{near}`?"));
                Mistake::new(at, format!("`{name}` must be one of {list}")).with_hint(near)
            })
        }
        ParameterForm::Number => {
            let number = text.parse::<i64>().ok();
            let word = number.and_then(|n| match n {
                0.. => u32::try_from(n).ok(),
                _ => i32::try_from(n).ok().map(i32::cast_unsigned),
            });
            let word = word.map(|word| vec![word]);
            word.ok_or_else(|| {
                Mistake::new(at, format!("`{name}` must be a whole number of 32 bits"))
            })
        }
        ParameterForm::Double => {
            let number = text.parse::<f64>().ok().filter(|n| n.is_finite());
            let two = number.map(|n| words(n.to_bits()).to_vec());
            two.ok_or_else(|| Mistake::new(at, format!("`{name}` must be a number")))
        }
    }
}

fn example(parameter: &Parameter) -> &'static str {
    match parameter.form {
        ParameterForm::Word([(word, _), ..]) => word,
        ParameterForm::Double => "0.5",
        ParameterForm::Word([]) | ParameterForm::Number | ParameterForm::Flag => "5",
    }
}

#[cfg(test)]
mod tests {
    use crate::filter_spec::{filter, filters, words};

    fn params(text: &str) -> Result<Vec<u32>, String> {
        filter(text).map(|f| f.params).map_err(|e| e.shown(text))
    }

    #[test]
    fn names_become_the_numbers_that_stand_for_them() {
        for (named, numbers) in [
            ("zstd,level=3", "zstd,3"),
            ("zstd,level=-5", "zstd,-5"),
            ("32015,level=3", "32015,3"),
            ("gzip,level=9", "1,9"),
            ("bzip2, level=1", "307,1"),
            ("lz4,block=4096", "lz4,4096"),
            ("blosc,codec=zstd,level=7", "blosc,0,0,0,0,7,1,5"),
            ("blosc,level=7", "blosc,0,0,0,0,7,1,0"),
            ("blosc,shuffle=bits", "blosc,0,0,0,0,5,2,0"),
            ("blosc,codec=LZ4", "blosc,0,0,0,0,5,1,1"),
            ("bitshuffle,codec=lz4", "bitshuffle,0,2"),
            ("bitshuffle,codec=zstd,level=4", "bitshuffle,0,3,4"),
            ("bitshuffle,block=64", "bitshuffle,64,0"),
            ("szip,coding=ec,block=16", "szip,4,16"),
            ("szip,block=16", "szip,32,16"),
            ("zfp,accuracy=0.001", "zfp,3,0,0.001d"),
            ("zfp,rate=8", "zfp,1,0,8.0d"),
            ("zfp,precision=12", "zfp,2,0,12"),
            ("zfp,reversible", "zfp,5"),
            (
                "zfp,minbits=1,maxbits=2,maxprec=3,minexp=-4",
                "zfp,4,0,1,2,3,-4",
            ),
            ("bitgroom,digits=3", "bitgroom,3"),
            ("bitround,bits=9", "bitround,9"),
        ] {
            assert_eq!(params(named), params(numbers), "{named}");
        }
        assert_eq!(params("szip,coding=ec").unwrap(), [4, 8]);
        let chain = filters("shuffle|zstd,level=3|fletcher32").unwrap();
        assert_eq!(chain.len(), 3);
        assert_eq!(
            params("zfp,rate=0.5").unwrap()[2..],
            words(0.5f64.to_bits())
        );
    }

    #[test]
    fn mistakes_name_what_there_is() {
        for (text, want) in [
            (
                "blosc,kodec=zstd",
                "blosc has no parameter `kodec` (level, shuffle, codec)\n  blosc,kodec=zstd\n        ^\n  hint: did you mean \
                 `codec`?",
            ),
            (
                "blosc,codec=zst",
                "`codec` must be one of blosclz, lz4, lz4hc, snappy, zlib, zstd\n  blosc,codec=zst\n              ^\n  hint: did \
                 you mean `zstd`?",
            ),
            (
                "zstd,best",
                "zstd has no parameter `best` (level)\n  zstd,best\n       ^",
            ),
            (
                "zstd,level",
                "`level` needs a value: level=5\n  zstd,level\n       ^",
            ),
            (
                "zstd,level=x",
                "`level` must be a whole number of 32 bits\n  zstd,level=x\n             ^",
            ),
            (
                "shuffle,size=4",
                "shuffle has no named parameters\n  shuffle,size=4\n          ^",
            ),
            (
                "zfp,rate=8,accuracy=1",
                "zfp does not take these parameters together: rate, accuracy\n  zfp,rate=8,accuracy=1\n             ^",
            ),
            (
                "zfp,minbits=8",
                "`maxbits` is missing\n  zfp,minbits=8\n      ^",
            ),
            (
                "bitshuffle,level=3",
                "`codec` is missing\n  bitshuffle,level=3\n             ^",
            ),
            (
                "zfp,reversible=1",
                "`reversible` takes no value\n  zfp,reversible=1\n                 ^",
            ),
            (
                "blosc,5,codec=zstd",
                "give either all parameters by name or none\n  blosc,5,codec=zstd\n          ^",
            ),
            (
                "zstd,level=3,level=4",
                "`level` is given twice\n  zstd,level=3,level=4\n               ^",
            ),
        ] {
            assert_eq!(params(text).unwrap_err(), want);
        }
    }
}
