//! Elements that name their input: heap data, and elements in a form that only their input can resolve.
//!
//! An element of the whole is the number of the input (4 bytes, little-endian), the element of the input, and zeros.

use super::inputs::lacking;
use super::reader::JoinedReader;
use crate::env::Env;
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::limits;
use crate::model::{Values, VarId};

/// The number in elements of no input.
const NOTHING: u32 = u32::MAX;

/// Returns the elements of an input in the form of the whole. `size` is the element size in the whole, `inner` in the input.
pub(super) fn tagged(input: usize, bytes: &[u8], (size, inner): (u64, u64)) -> Result<Vec<u8>> {
    let (size, inner) = (limits::element(size)?, limits::element(inner)?);
    let input = u32::try_from(input).ok().or_internal("an input number")?;
    let count = bytes.len() / inner.max(1);
    let len = count.checked_mul(size).or_internal("a region in memory")?;
    let mut out = limits::zeros(len, "a region")?;
    let places = out.chunks_exact_mut(size.max(1));
    for (to, from) in places.zip(bytes.chunks_exact(inner.max(1))) {
        let (tag, rest) = to.split_at_mut(4);
        tag.copy_from_slice(&input.to_le_bytes());
        let rest = rest.get_mut(..inner).or_internal("a tagged element")?;
        rest.copy_from_slice(from);
    }
    Ok(out)
}

/// Returns a missing element.
pub(super) fn nothing(size: u64) -> Result<Vec<u8>> {
    let mut element = limits::zeros(limits::element(size)?, "an element")?;
    let tag = element.get_mut(..4).or_internal("a tagged element")?;
    tag.copy_from_slice(&NOTHING.to_le_bytes());
    Ok(element)
}

/// Returns the input of an element.
fn input_of(element: &[u8]) -> Option<u32> {
    Some(u32::from_le_bytes(*element.first_chunk::<4>()?))
}

impl JoinedReader<'_> {
    /// Converts tagged elements to values.
    pub(super) fn resolve_tagged(&self, var: VarId, bytes: &[u8], env: &Env) -> Result<Values> {
        let size = limits::element(self.variable(var)?.layout.element.size)?.max(1);
        let elements: Vec<&[u8]> = bytes.chunks_exact(size).collect();
        let mut all: Option<Values> = None;
        for run in elements.chunk_by(|a, b| input_of(a) == input_of(b)) {
            let input = run.first().and_then(|element| input_of(element));
            let values = match input.or_internal("a tagged element")? {
                NOTHING => self.missing_values(var, run.len())?,
                input => self.resolve_run(var, input, run, env)?,
            };
            append(&mut all, values)?;
        }
        match (all, self.variable(var)?.pieces().first()) {
            (Some(values), _) => Ok(values),
            (None, Some(piece)) => {
                let (input, id) = self.input(piece.input, var)?;
                input.set(env).resolve(id.ok_or_else(lacking)?, &[])
            }
            (None, None) => self.missing_values(var, 0),
        }
    }

    /// Converts elements of one input to values.
    fn resolve_run(&self, var: VarId, input: u32, run: &[&[u8]], env: &Env) -> Result<Values> {
        let number = usize::try_from(input).ok().or_internal("an input number")?;
        let (input, id) = self.input(number, var)?;
        let id = id.ok_or_else(lacking)?;
        let set = input.set(env);
        let inner = limits::element(set.layout(id)?.element.size)?;
        let mut bytes = Vec::with_capacity(inner * run.len());
        for element in run {
            let element = element.get(4..).and_then(|rest| rest.get(..inner));
            bytes.extend_from_slice(element.or_internal("a tagged element")?);
        }
        set.values(id, &set.layout(id)?, &bytes)
    }

    /// Returns the values of missing elements.
    fn missing_values(&self, var: VarId, count: usize) -> Result<Values> {
        let known = self.description.schema.var(var);
        let one = known.and_then(|var| var.unwritten()).ok_or_else(|| {
            let what = "missing elements of a user-defined type without a fill value";
            Error::new(ErrorKind::Unsupported, what)
        })?;
        let mut all = one.slice(0..0);
        for _ in 0..count {
            if !all.append(one.clone()) {
                return Err(Error::internal("a fill value of the type"));
            }
        }
        Ok(all)
    }
}

fn append(all: &mut Option<Values>, more: Values) -> Result<()> {
    let added = match all {
        Some(all) => all.append(more),
        None => {
            *all = Some(more);
            true
        }
    };
    added.then_some(()).ok_or_else(|| {
        let what = "values of another type than in the first input";
        Error::new(ErrorKind::BadType, what)
    })
}
