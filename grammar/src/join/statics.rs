//! Compares the values of variables without the joined dimension.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use netcdf_core::chunk::{Dataset, ReadCache, Reader};
use netcdf_core::env::Env;
use netcdf_core::error::{OrInternal as _, Result};
use netcdf_core::model::strings::characters;
use netcdf_core::model::{Region, Values, VarId};
use netcdf_core::sum::{Digest, characters_digest, chunks_digest, elements_digest};

use super::dimension::var_of;
use super::facts::InputVariable;
use super::mismatch::mismatch;
use super::opener::InputOpener;
use super::types::are_characters;

/// The maximum size of a chunk that is compared as stored, in bytes.
const STORED: usize = 64 << 20;
/// The maximum number of values that are read to find a difference.
const SHOWN: u64 = 1 << 22;

/// The values of the first named input.
pub(super) struct StaticReference<'a> {
    opener: &'a InputOpener,
    reader: &'a dyn Reader,
    cache: ReadCache,
    env: &'a Env,
    /// The facts about the variables, by path.
    facts: BTreeMap<String, InputVariable>,
    digests: Mutex<BTreeMap<(VarId, DigestForm), Digest>>,
    /// The paths of different variables, if differences are no errors.
    different: Option<Mutex<BTreeSet<String>>>,
}

/// The compared form of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum DigestForm {
    /// Chunks as stored.
    Chunks,
    /// Decoded elements.
    Elements,
    /// Characters, or strings of one byte as characters.
    Characters,
}

impl DigestForm {
    fn of(self, set: Dataset<'_>, id: VarId) -> Result<Digest> {
        match self {
            Self::Chunks => chunks_digest(set, id),
            Self::Elements => elements_digest(set, id),
            Self::Characters => characters_digest(set, id),
        }
    }
}

impl<'a> StaticReference<'a> {
    /// Creates the reference from the first named input.
    pub(super) fn new(
        (opener, reader): (&'a InputOpener, &'a dyn Reader),
        facts: Vec<InputVariable>,
        env: &'a Env,
    ) -> Self {
        Self {
            opener,
            reader,
            cache: ReadCache::new(env),
            env,
            facts: facts.into_iter().map(|f| (f.path.clone(), f)).collect(),
            digests: Mutex::default(),
            different: None,
        }
    }

    /// Returns a reference that collects different variables.
    pub(super) fn collecting(self) -> Self {
        Self {
            different: Some(Mutex::default()),
            ..self
        }
    }

    /// Returns the paths of different variables.
    pub(super) fn different(&self) -> BTreeSet<String> {
        let different = self.different.as_ref();
        let different = different.map(|d| d.lock().unwrap_or_else(PoisonError::into_inner).clone());
        different.unwrap_or_default()
    }

    /// Returns whether a variable is known to be different.
    fn is_different(&self, path: &str) -> bool {
        let lock = |d: &Mutex<BTreeSet<String>>| {
            d.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .contains(path)
        };
        self.different.as_ref().is_some_and(lock)
    }

    fn set(&self) -> Dataset<'_> {
        Dataset::new(self.reader, self.env).with(&self.cache)
    }

    /// Returns a digest of a variable of the first input.
    fn digest(&self, id: VarId, form: DigestForm) -> Result<Digest> {
        let lock = || self.digests.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&(id, form)) {
            return Ok(*known);
        }
        let digest = form.of(self.set(), id)?;
        lock().insert((id, form), digest);
        Ok(digest)
    }

    /// Checks that a variable has the values of the first input. Variables with another type or shape are left to the other rules.
    ///
    /// # Errors
    /// Returns the first difference, with both names.
    pub(super) fn check(
        &self,
        number: usize,
        (set, id): (Dataset<'_>, VarId),
        facts: &InputVariable,
    ) -> Result<()> {
        let Some(known) = self.facts.get(&facts.path) else {
            return Ok(());
        };
        if self.has_other_meaning([known, facts]) {
            return Ok(());
        }
        let form = match are_characters([known, facts]) {
            true => DigestForm::Characters,
            false => DigestForm::Elements,
        };
        let is_other_type = known.ty != facts.ty && form == DigestForm::Elements;
        if is_other_type || known.shape != facts.shape || self.is_different(&facts.path) {
            return Ok(());
        }
        let own = var_of(self.reader.schema(), &facts.path).or_internal("a variable")?;
        let same = |form| {
            Ok::<_, netcdf_core::Error>(self.digest(own, form)? == DigestForm::of(form, set, id)?)
        };
        if has_comparable_chunks([known, facts]) && same(DigestForm::Chunks)? {
            return Ok(());
        }
        match (same(form)?, &self.different) {
            (true, _) => Ok(()),
            (false, Some(different)) => {
                let mut different = different.lock().unwrap_or_else(PoisonError::into_inner);
                different.insert(facts.path.clone());
                Ok(())
            }
            (false, None) => {
                let names = [self.opener.name(0), self.opener.name(number)];
                let difference = first_difference([(self.set(), own), (set, id)])?;
                let what = format!(
                    "different values of {}, which lacks the joined dimension{difference}",
                    facts.path
                );
                let e = mismatch([&names[0], &names[1]], &what);
                Err(e.with_remedy("use --static first for the values of the first input"))
            }
        }
    }
}

impl StaticReference<'_> {
    /// Adds a variable to the different variables if equal elements have another meaning.
    fn has_other_meaning(&self, [known, facts]: [&InputVariable; 2]) -> bool {
        let meaning = |facts: &InputVariable| {
            format!("{} {:?} {:?}", facts.ty, facts.units, facts.attributes)
        };
        let Some(different) = self
            .different
            .as_ref()
            .filter(|_| meaning(known) != meaning(facts))
        else {
            return false;
        };
        let mut different = different.lock().unwrap_or_else(PoisonError::into_inner);
        different.insert(facts.path.clone());
        true
    }
}

/// Returns whether two variables have the same elements if their chunks have the same bytes.
fn has_comparable_chunks([a, b]: [&InputVariable; 2]) -> bool {
    let small = a
        .storage
        .layout
        .chunk_bytes()
        .is_some_and(|bytes| bytes <= STORED);
    small && a.storage == b.storage && a.is_plain() && a.storage.whole
}

/// Returns the first different element as text.
fn first_difference(vars: [(Dataset<'_>, VarId); 2]) -> Result<String> {
    let read = |(set, id): (Dataset<'_>, VarId)| {
        let region = Region::whole(&set.reader.schema().shape(id));
        match region.elements().is_some_and(|n| n <= SHOWN) {
            true => set.read(id, &region).map(Some),
            false => Ok(None),
        }
    };
    let [a, b] = [read(vars[0])?, read(vars[1])?];
    let (Some(mut a), Some(mut b)) = (a, b) else {
        return Ok(String::new());
    };
    if a.data_type() != b.data_type() {
        (a, b) = (characters(a), characters(b));
    }
    let one = |values: &Values, n: usize| format!("{:?}", values.slice(n..n + 1));
    let place = (0..a.len()).find(|n| one(&a, *n) != one(&b, *n));
    Ok(place.map_or_else(String::new, |n| {
        format!(": element {n} is {} and {}", shown(&a, n), shown(&b, n))
    }))
}

/// Returns an element as text.
fn shown(values: &Values, n: usize) -> String {
    let text = format!("{:?}", values.slice(n..n + 1));
    let inner = text
        .split_once('[')
        .and_then(|(_, rest)| rest.rsplit_once(']'));
    inner.map_or_else(|| text.clone(), |(inner, _)| inner.to_owned())
}
