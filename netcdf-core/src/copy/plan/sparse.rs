//! Variables with missing chunks.

use super::Plan;
use super::storage::grows;
use crate::chunk::layout::Layout;
use crate::chunk::{Dataset, elements};
use crate::error::Result;
use crate::format::{BareFill, bare_fill, traits};
use crate::model::region::product;
use crate::model::{FillMode, Kind, StorageLayout, Values, VarId, Variable};

/// Lets output variables keep their fill value if some input chunks are missing, because these chunks stay missing in the output. Variables
/// without a fill value in the input get none in the output: missing elements read as zeros in both datasets, which the netCDF-4 writer and
/// [`CopyJob`](crate::copy::CopyJob) ensure. Fill values that no attribute repeats are also kept; if readers mask these values, only if
/// necessary. Variables that can grow always keep the input's fill value, as the value of skipped records.
///
/// # Errors
/// Returns errors of locating stored chunks, and [`crate::ErrorKind::Cancelled`].
pub fn keep_fill_values(set: Dataset<'_>, plan: &mut Plan) -> Result<()> {
    let reader = set.reader;
    let kind = plan.schema.kind;
    let traits = traits(kind);
    let masked = bare_fill(kind) == BareFill::Missing;
    for pair in &plan.data {
        let to = plan.schema.var(pair.to);
        let grows = to.is_some_and(|var| grows(&plan.schema, var));
        let var = plan.schema.var_mut(pair.to)?;
        let chunked = traits.all_chunked || var.storage.chunk().is_some();
        let had = reader.schema().var(pair.from).map(|v| v.storage.fill);
        let empty = || Ok(may_lack_data(kind, var) && has_nothing(set, pair.from)?);
        if had != Some(FillMode::Fill) || !(chunked || empty()?) {
            continue;
        }
        let layout = reader.layout(pair.from)?;
        let unwritten = undeclared_fill(&layout, var).filter(|_| !traits.stores_all);
        let lost = var.storage.fill == FillMode::NoFill || unwritten.is_some();
        if lost && (grows || is_sparse(set, pair.from)?) {
            let own = var.attribute("_FillValue").is_some() && unwritten.is_none();
            let declared = var.storage.fill == FillMode::Fill || own || !masked;
            (var.storage.fill, var.storage.unwritten) = match declared {
                true => (FillMode::Fill, unwritten),
                false => (FillMode::NoFill, unwritten.or_else(|| var.fill_value())),
            };
        }
    }
    Ok(())
}

/// Returns whether a variable in a dataset of this kind may have no data and no allocated space.
pub(in crate::copy) fn may_lack_data(kind: Kind, var: &Variable) -> bool {
    !traits(kind).stores_all && var.storage.layout != Some(StorageLayout::Compact)
}

/// Returns whether the input stores no element of a variable.
///
/// # Errors
/// Returns errors of locating stored chunks.
pub(in crate::copy) fn has_nothing(set: Dataset<'_>, var: VarId) -> Result<bool> {
    let all = traits(set.reader.schema().kind).stores_all || set.reader.assembles(var);
    Ok(!all && !set.has_chunks(var)?)
}

/// Returns the value of missing elements in the input, if the output's attributes specify a different value.
fn undeclared_fill(from: &Layout, to: &Variable) -> Option<Values> {
    let ty = from.element.plain_type()?;
    let value = elements::decode(ty, from.element.order, from.fill.as_ref()?).ok()?;
    let fits = value.len() == 1 && to.ty == ty.into();
    (fits && to.fill_value().as_ref() != Some(&value)).then_some(value)
}

/// Returns whether some chunks of a variable are missing.
fn is_sparse(set: Dataset<'_>, var: VarId) -> Result<bool> {
    set.env.cancel.check()?;
    if traits(set.reader.schema().kind).stores_all {
        return Ok(false);
    }
    if set.reader.assembles(var) {
        return Ok(true);
    }
    let layout = set.layout(var)?;
    let stored = set.chunks_stored(var)?;
    Ok(product(&layout.grid()) != Some(stored) || layout.extent != set.reader.schema().shape(var))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::chunk::Reader;
    use crate::copy::{self, CopyOptions};
    use crate::env::Env;
    use crate::format;
    use crate::io::Container;
    use crate::io::memory::{MemorySource, MemoryTarget};
    use crate::model::{
        Atomic, Attribute, CreateOptions, Dimension, Endianness, GroupId, Name, Region, Schema,
        Storage,
    };

    const LEN: u64 = 1 << 24;
    const CHUNK: u64 = 1 << 20;

    /// Returns v(x) with 2^24 numbers and one stored chunk. Missing elements read as 7.
    fn sample(said: i16, order: Endianness) -> Vec<u8> {
        let name = |text: &str| Name::stored(text.as_bytes());
        let mut s = Schema::new(Kind::NETCDF4);
        let dim = s.add_dim(Dimension {
            name: name("x"),
            group: GroupId::ROOT,
            len: LEN,
            unlimited: false,
        });
        let fill = Attribute::atomic(name("_FillValue"), Values::Short(vec![said]));
        s.add_var(Variable {
            name: name("v"),
            group: GroupId::ROOT,
            ty: Atomic::Short.into(),
            dims: vec![dim],
            attributes: fill.into_iter().collect(),
            storage: Storage {
                layout: Some(StorageLayout::Chunked(vec![CHUNK])),
                endianness: Some(order),
                unwritten: Some(Values::Short(vec![7])),
                ..Storage::default()
            },
        });
        let (target, out) = MemoryTarget::new("in.nc");
        let options = CreateOptions::default();
        let mut w = format::create(Box::new(target), s, options, &Env::default()).unwrap();
        let chunk = vec![1; usize::try_from(CHUNK * 2).unwrap()];
        w.put_chunk(VarId(0), 3, 0, &chunk).unwrap();
        w.finish().unwrap();
        let bytes = out.lock().unwrap().take();
        bytes.unwrap()
    }

    fn open(bytes: Vec<u8>) -> Box<dyn Reader> {
        let source = Container::Source(Arc::new(MemorySource::new("a.nc", bytes)));
        format::open(source, &Env::default()).unwrap()
    }

    /// Returns the first elements, and the elements around the end of the stored chunk.
    fn read(reader: &dyn Reader) -> [Values; 2] {
        let env = Env::default();
        let part = |start| Region::boxed(vec![start], vec![2]);
        [0, 4 * CHUNK - 1].map(|at| {
            Dataset::new(reader, &env)
                .read(VarId(0), &part(at))
                .unwrap()
        })
    }

    #[test]
    fn what_is_not_stored_reads_the_same_and_is_not_stored() {
        let env = Env::default();
        for (said, order) in [
            (7, Endianness::Little),
            (5, Endianness::Little),
            (5, Endianness::Big),
        ] {
            let input = open(sample(said, order));
            let there = [vec![7, 7], vec![257, 7]].map(Values::Short);
            assert_eq!(read(&*input), there);
            let mut plan = copy::plan(input.schema(), &CopyOptions::default()).unwrap();
            keep_fill_values(Dataset::new(&*input, &env), &mut plan).unwrap();
            let (target, out) = MemoryTarget::new("out.nc");
            let create = CreateOptions::default();
            let writer = format::create(Box::new(target), plan.schema.clone(), create, &env);
            copy::run(Dataset::new(&*input, &env), &plan, writer.unwrap()).unwrap();
            let bytes = out.lock().unwrap().take().unwrap();
            assert!(bytes.len() < 3 << 20, "{} bytes", bytes.len());
            let output = open(bytes);
            assert_eq!(read(&*output), there);
            let fill = &output.schema().vars[0].attributes[0];
            assert_eq!(fill.values, Values::Short(vec![said]));
        }
    }
}
