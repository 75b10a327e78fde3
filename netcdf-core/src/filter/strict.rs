//! The strict stored form of chunks, which the reference decoders of HDF5 and of Zarr decode identically.
//!
//! Our decoders accept more than libhdf5's plugins, netCDF-C and numcodecs. A copy moves a stored chunk to a dataset of another kind only
//! in the strict form. Each filter checks its own form: [`Filter::is_strict`], [`Filter::decode_strictly`].

use std::borrow::Cow;

use super::chain::{FilterChain, FilterStage};
use super::codec::ids::GZIP;
use super::deflate::{self, DeflateStream};
use super::ids::DEFLATE;
use super::substitutes::decodes_alike;
use super::{ChunkContext, Filter, StrictCheck, corrupt, gzip};
use crate::error::{Error, OrInternal as _, Result};
use crate::model::FilterSpec;

/// A deflate filter that two chains store in different containers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rewrap {
    /// The filter's position in both chains.
    at: usize,
    /// Whether the new container is gzip, not zlib.
    gzip: bool,
}

impl Rewrap {
    /// Returns the deflate filter in which two chains differ, if all other filters decode alike.
    #[must_use]
    pub fn of(from: &[FilterSpec], to: &[FilterSpec]) -> Option<Self> {
        let pairs: Vec<_> = from.iter().zip(to).collect();
        let at = pairs.iter().position(|(a, b)| a.id != b.id)?;
        let (a, b) = pairs.get(at)?;
        let gzip = match (a.id, b.id) {
            (DEFLATE, GZIP) => true,
            (GZIP, DEFLATE) => false,
            _ => return None,
        };
        let mut others = pairs.iter().enumerate().filter(|(n, _)| *n != at);
        let alike = others.all(|(_, (a, b))| decodes_alike(a, b));
        let same = a.params == b.params && from.len() == to.len();
        (alike && same).then_some(Self { at, gzip })
    }

    /// Returns the stream in the chunk `input`, decoded in `scratch`; `None` if the container has additional bytes.
    fn unwrap<'a>(
        self,
        context: &ChunkContext,
        input: &'a [u8],
        scratch: &'a mut Vec<u8>,
    ) -> Result<Option<DeflateStream<'a>>> {
        scratch.clear();
        let stream = match self.gzip {
            true => deflate::bare(context, input, scratch).map(Some)?,
            false => gzip::bare(context, input, scratch)?,
        };
        let decoded = scratch.as_slice();
        let fits = context.len.is_none_or(|len| len == decoded.len());
        let stream = stream.filter(|_| fits);
        Ok(stream.map(|stream| DeflateStream { stream, decoded }))
    }

    /// Returns the stream in the new container.
    fn wrap(self, stream: &DeflateStream<'_>) -> Vec<u8> {
        match self.gzip {
            true => gzip::wrapped(stream),
            false => deflate::wrapped(stream),
        }
    }
}

impl FilterStage {
    fn check(&self) -> StrictCheck {
        let filter = self.filter.as_ref();
        filter.map_or(StrictCheck::Nothing, |filter| filter.strict_check())
    }

    fn available(&self) -> Result<&dyn Filter> {
        let filter = self.filter.as_ref().map_err(Error::again)?;
        Ok(&**filter)
    }

    /// Decodes through the filter, and returns whether `bytes` are in the strict form. The output is complete only if they are.
    fn decode_strictly(&self, bytes: &[u8], out: &mut Vec<u8>) -> Result<bool> {
        let (filter, context) = (self.available()?, &self.context);
        if !filter.is_strict(context, bytes) {
            return Ok(false);
        }
        let strict = filter.decode_strictly(context, bytes, out)?;
        Ok(strict && context.len.is_none_or(|len| len == out.len()))
    }
}

/// Returns the stages from the first stage with a check on. Stages before a missing filter cannot be checked.
fn checked(stages: &[FilterStage]) -> &[FilterStage] {
    let missing = stages.iter().rposition(|stage| stage.filter.is_err());
    let known = stages.get(missing.map_or(0, |n| n.saturating_add(1))..);
    let known = known.unwrap_or_default();
    let has_check = |stage: &FilterStage| stage.check() != StrictCheck::Nothing;
    let first = known.iter().position(has_check);
    first.and_then(|n| known.get(n..)).unwrap_or_default()
}

/// Checks whether `bytes`, which used all of these stages, are in the strict form. `scratch` is working memory.
fn is_strict(stages: &[FilterStage], bytes: &[u8], scratch: &mut Vec<u8>) -> Result<bool> {
    let mut decoded: Option<Vec<u8>> = None;
    for (n, stage) in checked(stages).iter().enumerate().rev() {
        let bytes = decoded.as_deref().unwrap_or(bytes);
        if n == 0 && stage.check() != StrictCheck::Decoding {
            return Ok(stage.available()?.is_strict(&stage.context, bytes));
        }
        scratch.clear();
        let strict = stage.decode_strictly(bytes, scratch)?;
        if n == 0 || !strict {
            return Ok(strict);
        }
        decoded = Some(std::mem::take(scratch));
    }
    Ok(true)
}

impl FilterChain {
    /// Returns the effort of checking a chunk.
    #[must_use]
    pub fn strict_check(&self) -> StrictCheck {
        let checked = checked(self.stages());
        let most = checked.iter().map(FilterStage::check).max();
        match most.unwrap_or(StrictCheck::Nothing) {
            // The headers of inner filters are available only after decoding.
            StrictCheck::Headers if checked.len() > 1 => StrictCheck::Decoding,
            check => check,
        }
    }

    /// Checks whether a chunk that used all filters is in the strict form. `scratch` is working memory as in [`FilterChain::decode`].
    ///
    /// # Errors
    /// Returns errors of [`FilterChain::decode`] if the check needs decoding.
    pub fn is_strict(&self, bytes: &[u8], scratch: &mut Vec<u8>) -> Result<bool> {
        is_strict(self.stages(), bytes, scratch)
    }

    /// Decodes a chunk that used all filters like [`FilterChain::decode_any_length`], and checks that it is in the strict form.
    ///
    /// # Errors
    /// Returns errors of [`FilterChain::decode_any_length`], and [`Corrupt`](crate::ErrorKind::Corrupt) for a chunk that is not in the
    /// strict form.
    pub fn decode_strictly(&self, mut bytes: Vec<u8>, scratch: &mut Vec<u8>) -> Result<Vec<u8>> {
        let unchecked = self.len().saturating_sub(checked(self.stages()).len());
        for (n, stage) in self.stages().iter().enumerate().rev() {
            scratch.clear();
            match n < unchecked {
                true => stage.decode_any_length(&stage.context, &bytes, scratch)?,
                false if stage.decode_strictly(&bytes, scratch)? => {}
                false => return Err(corrupt("a form that not all readers accept")),
            }
            std::mem::swap(&mut bytes, scratch);
        }
        Ok(bytes)
    }

    /// Moves the deflate stream of a chunk that used all filters to the container of the chain `to`; returns `None` if the chunk is not in
    /// the strict form. The stream is decoded once, for its checksum and length, and not compressed again.
    ///
    /// # Errors
    /// Returns errors of [`FilterChain::decode`] and [`FilterChain::encode`].
    pub fn rewrapped(
        &self,
        (rewrap, to): (Rewrap, &Self),
        bytes: &[u8],
        scratch: &mut Vec<u8>,
    ) -> Result<Option<Vec<u8>>> {
        let parts = self.stages().split_at_checked(rewrap.at);
        let (inner, outer) = parts.or_internal("a filter")?;
        let (stage, outer) = outer.split_first().or_internal("a filter")?;
        let bytes = before_stages(outer, bytes)?;
        let Some(stream) = rewrap.unwrap(&stage.context, &bytes, scratch)? else {
            return Ok(None);
        };
        let made = rewrap.wrap(&stream);
        let strict = is_strict(inner, stream.decoded, &mut Vec::new())?;
        let behind = to.stages().iter().skip(rewrap.at.saturating_add(1));
        let made = behind.into_iter().try_fold(made, |made, stage| {
            let mut next = Vec::new();
            stage
                .available()?
                .encode(&stage.context, &made, &mut next)?;
            Ok::<_, Error>(next)
        })?;
        Ok(strict.then_some(made))
    }
}

/// Returns the chunk bytes before these last stages.
fn before_stages<'a>(stages: &[FilterStage], bytes: &'a [u8]) -> Result<Cow<'a, [u8]>> {
    let mut bytes = Cow::Borrowed(bytes);
    for stage in stages.iter().rev() {
        let mut next = Vec::new();
        stage.decode(&stage.context, &bytes, &mut next)?;
        bytes = Cow::Owned(next);
    }
    Ok(bytes)
}
