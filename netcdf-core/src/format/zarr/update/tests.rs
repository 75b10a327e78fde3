//! Changes in place of Zarr stores, at every moment.

use std::sync::Arc;

use super::*;
use crate::chunk::{Dataset, Writer, elements};
use crate::format::create;
use crate::io::memory_store::{MemoryStore, MemoryStoreTarget};
use crate::io::patched_store::changing_store::ChangingStore;
use crate::io::patched_store::recorded_keys::{Keys, RecordedKeys, store_of};
use crate::io::{Container, Store, StoreTarget};
use crate::model::{
    Atomic, CreateOptions, Dimension, FilterSpec, GroupId, Kind, Name, Storage, StorageLayout,
    Values, Variable,
};

/// The number of random subsets of unsynced calls.
const TRIES: usize = 4;

/// The number of readers beside each change.
const READERS: u64 = 20;

/// The kinds of stores, with and without consolidated metadata.
const STORES: [(Kind, bool); 8] = [
    (Kind::PURE_ZARR3, false),
    (Kind::PURE_ZARR3, true),
    (Kind::NCZARR, false),
    (Kind::NCZARR, true),
    (Kind::PURE_ZARR, false),
    (Kind::PURE_ZARR, true),
    (Kind::NCZARR3, false),
    (Kind::NCZARR3, true),
];

fn name(text: &str) -> Name {
    Name::stored(text.as_bytes())
}

/// Variables with and without filters, with records and without, in the root and in a group.
fn schema(kind: Kind, records: u64) -> Schema {
    let mut schema = Schema::new(kind);
    let is_pure = kind.as_zarr().unwrap().pure;
    let dim = |schema: &mut Schema, called: &str, len, group| {
        schema.add_dim(Dimension {
            name: name(called),
            group,
            len,
            unlimited: called == "time" && !is_pure,
        })
    };
    let (time, x) = (
        dim(&mut schema, "time", records, GroupId::ROOT),
        dim(&mut schema, "x", 3, GroupId::ROOT),
    );
    let group = schema.add_group(GroupId::ROOT, name("g"));
    // Dimensions of pure Zarr belong to one group.
    let own = match is_pure {
        true => dim(&mut schema, "other", 4, group),
        false => time,
    };
    let mut var = |called: &str, group, ty: Atomic, dims: &[DimId], chunk: &[u64]| {
        let deflate = FilterSpec {
            id: 1,
            params: vec![1],
        };
        schema.add_var(Variable {
            name: name(called),
            group,
            ty: ty.into(),
            dims: dims.to_vec(),
            attributes: vec![],
            storage: Storage {
                layout: Some(StorageLayout::Chunked(chunk.to_vec())),
                filters: vec![deflate; usize::from(called == "t")],
                ..Storage::default()
            },
        });
    };
    var("time", GroupId::ROOT, Atomic::Double, &[time], &[2]);
    var("t", GroupId::ROOT, Atomic::Short, &[time, x], &[3, 2]);
    var("across", GroupId::ROOT, Atomic::Int, &[x, time], &[3, 2]);
    var("fixed", GroupId::ROOT, Atomic::Int, &[x], &[2]);
    var("scalar", GroupId::ROOT, Atomic::Float, &[], &[]);
    var("u", group, Atomic::Int, &[own], &[4]);
    schema
}

/// Returns values of a region, which depend on the index, plus `added`.
fn values(ty: Atomic, region: &Region, added: u64) -> Vec<u8> {
    let count = product(&region.count).unwrap();
    let one = |n: u64| {
        let at = crate::chunk::scatter::place(n, &region.count);
        let at = at.iter().zip(&region.start).map(|(at, start)| at + start);
        at.fold(added, |sum, at| sum * 10 + at)
    };
    let numbers = (0..count).map(one);
    let values = match ty {
        Atomic::Double => Values::Double(numbers.map(|n| n as f64).collect()),
        Atomic::Short => Values::Short(numbers.map(|n| n as i16).collect()),
        Atomic::Int => Values::Int(numbers.map(|n| n as i32).collect()),
        _ => Values::Float(numbers.map(|n| n as f32).collect()),
    };
    let mut bytes = vec![];
    elements::encode(&values, crate::model::Endianness::Little, &mut bytes).unwrap();
    bytes
}

/// Returns a store with `records` records.
fn store((kind, consolidated): (Kind, bool), records: u64) -> Keys {
    let (env, schema) = (Env::default(), schema(kind, records));
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new("s"));
    let (target, _) = MemoryStoreTarget::new(Arc::clone(&store));
    let target: Box<dyn StoreTarget> = Box::new(target);
    let mut options = CreateOptions::default();
    options.zarr.consolidated = consolidated;
    let mut writer = create(target, schema.clone(), options, &env).unwrap();
    for var in schema.var_ids() {
        put_all(&mut *writer, var, &env);
    }
    writer.finish().unwrap();
    keys(&*store)
}

fn put_all(writer: &mut dyn Writer, var: VarId, env: &Env) {
    let layout = writer.layout(var).unwrap();
    let ty = writer.schema().var(var).unwrap().ty.atomic().unwrap();
    if layout.chunk.is_empty() {
        let whole = Region::whole(&[]);
        return writer.put_run(var, 0, &values(ty, &whole, 0)).unwrap();
    }
    let encoder = ChunkEncoder::new(writer, env, var, &layout).unwrap();
    for index in 0..product(&layout.grid()).unwrap() {
        let region = layout.chunk_region(index);
        let chunk = encoder.encode(&region, values(ty, &region, 0)).unwrap();
        writer.put_chunk(var, index, 0, &chunk.bytes).unwrap();
    }
}

fn keys(store: &dyn Store) -> Keys {
    let mut found = Keys::new();
    let mut visit = |key: &str, _| {
        found.insert(key.to_owned(), store.get(key)?.unwrap());
        Ok(())
    };
    store.walk("", &mut visit).unwrap();
    found
}

fn open(raw: &RecordedKeys) -> Result<Box<dyn Update>> {
    let store = PatchedStore::new(Box::new(raw.clone()), Arc::new(raw.clone()));
    let update = crate::format::update_store(&Arc::new(store), &Env::default())?;
    Ok(update.unwrap())
}

fn in_place(placed: Result<Placement>) {
    assert_eq!(placed.unwrap(), Placement::InPlace);
}

fn var(reader: &dyn Reader, called: &str) -> VarId {
    let schema = reader.schema();
    let mut vars = schema.var_ids().zip(&schema.vars);
    vars.find(|(_, var)| var.name == name(called)).unwrap().0
}

fn extend(update: &mut dyn Update, more: u64) -> u64 {
    let schema = update.reader().schema();
    let at = schema.dims.iter().position(|dim| dim.name == name("time"));
    let len = schema.dims[at.unwrap()].len;
    let dim = DimId(u32::try_from(at.unwrap()).unwrap());
    in_place(update.set_len(dim, len + more));
    len
}

/// Stores the chunks of a variable that have records from `from` on.
fn put(update: &mut dyn Update, called: &str, from: u64, added: u64) {
    let id = var(update.reader(), called);
    let layout = update.reader().layout(id).unwrap();
    let schema = update.reader().schema();
    let variable = schema.var(id).unwrap();
    let ty = variable.ty.atomic().unwrap();
    let is_time = |dim: &DimId| schema.dim(*dim).unwrap().name == name("time");
    let axis = variable.dims.iter().position(is_time);
    let env = Env::default();
    let target = (schema, update.rules(id));
    let encoder = ChunkEncoder::of(target, &env, id, &layout).unwrap();
    for index in 0..product(&layout.grid()).unwrap() {
        let region = layout.chunk_region(index);
        if axis.is_none_or(|axis| region.start[axis] + region.count[axis] > from) {
            let chunk = encoder.encode(&region, values(ty, &region, added)).unwrap();
            in_place(update.put_chunk(id, index, 0, &chunk.bytes));
        }
    }
}

fn append(update: &mut dyn Update, more: u64) {
    let from = extend(update, more);
    for called in ["time", "t", "across"] {
        put(update, called, from, 0);
    }
    let u = var(update.reader(), "u");
    if update.reader().schema().shape(u) == [from + more] {
        put(update, "u", from, 0);
    }
}

fn put_scalar(update: &mut dyn Update) {
    let id = var(update.reader(), "scalar");
    in_place(update.put_run(id, 0, &[1, 2, 3, 4]));
}

/// A change, which also checks its placement.
type Change = fn(&mut dyn Update);

/// Kinds of changes; `true`: values below the old shape do not change.
const CHANGES: [(&str, Change, bool); 12] = [
    ("one record", |u| append(u, 1), true),
    ("five records", |u| append(u, 5), true),
    (
        "records one by one",
        |u| (0..3).for_each(|_| append(u, 1)),
        true,
    ),
    ("only the length", |u| _ = extend(u, 3), true),
    ("a length far away", |u| _ = extend(u, 40), true),
    (
        "one of the variables",
        |u| {
            let from = extend(u, 4);
            put(u, "t", from, 0);
        },
        true,
    ),
    ("values", |u| put(u, "fixed", 0, 7), false),
    ("old records", |u| put(u, "t", 0, 7), false),
    ("a scalar", put_scalar, false),
    (
        "a scalar and records",
        |u| {
            put_scalar(u);
            append(u, 2);
        },
        false,
    ),
    (
        "old and new records",
        |u| {
            extend(u, 2);
            put(u, "t", 0, 3);
        },
        false,
    ),
    (
        "chunks twice",
        |u| {
            put(u, "across", 0, 3);
            put(u, "across", 0, 4);
            append(u, 1);
        },
        false,
    ),
];

/// The metadata and all values of a dataset.
fn content(reader: &dyn Reader) -> String {
    read(reader).unwrap()
}

fn read(reader: &dyn Reader) -> Result<String> {
    let (env, schema) = (Env::default(), reader.schema());
    let mut out = format!("{schema:?}");
    for var in schema.var_ids() {
        let region = Region::whole(&schema.shape(var));
        out += &format!("{:?}", Dataset::new(reader, &env).read(var, &region)?);
    }
    Ok(out)
}

/// Returns the content for our readers.
fn seen(keys: &Keys) -> String {
    let container = Container::Store(store_of(keys));
    content(&*crate::format::open(container, &Env::default()).unwrap())
}

/// The shape of each variable, and the values in it or in a smaller shape, as programs see them that do not know the journal.
fn seen_by_others(keys: &Keys, shapes: Option<&[Vec<u64>]>) -> Vec<(Vec<u64>, String)> {
    let store = store_of(keys);
    let version = match keys.contains_key("zarr.json") {
        true => ZarrVersion::V3,
        false => ZarrVersion::V2,
    };
    let env = Env::default();
    let reader = ZarrReader::open(store, version, &env).unwrap();
    let one = |(n, id): (usize, VarId)| {
        let own = reader.data(id).unwrap().array.layout.extent.clone();
        let region = Region::whole(shapes.map_or(&own, |shapes| &shapes[n]));
        let values = Dataset::new(&reader, &env).read(id, &region).unwrap();
        (own, format!("{values:?}"))
    };
    reader.schema().var_ids().enumerate().map(one).collect()
}

/// Changes a store. Returns the recorded calls.
fn changed(old: &Keys, change: Change) -> RecordedKeys {
    let raw = RecordedKeys::new(old);
    let mut update = open(&raw).unwrap();
    change(&mut *update);
    assert_eq!(seen(&raw.keys()), seen(old));
    let pending = content(update.reader());
    update.commit(FillMode::Fill).unwrap();
    assert_eq!(content(update.reader()), pending);
    drop(update);
    assert_eq!(seen(&raw.keys()), pending);
    raw
}

#[test]
fn every_moment_of_every_change_has_one_of_two_states() {
    for (n, (what, change, is_append)) in CHANGES.into_iter().enumerate() {
        for of in STORES.into_iter().skip(n * 3 % 8).take(1) {
            let old = store(of, 5);
            let raw = changed(&old, change);
            assert!(raw.syncs() <= 5, "{what}: {} syncs", raw.syncs());
            let states = [&old, &raw.keys()].map(seen);
            assert_ne!(states[0], states[1], "{what}");
            let others = seen_by_others(&old, None);
            let shapes: Vec<_> = others.iter().map(|(shape, _)| shape.clone()).collect();
            let new = seen_by_others(&raw.keys(), None);
            let mut moments = 0;
            raw.every_moment(TRIES, &mut |keys| {
                moments += 1;
                let found = seen(keys);
                assert!(states.contains(&found), "{of:?} {what}, moment {moments}");
                if is_append {
                    let below = seen_by_others(keys, Some(&shapes));
                    let texts = |list: &[(Vec<u64>, String)]| -> Vec<String> {
                        list.iter().map(|(_, text)| text.clone()).collect()
                    };
                    assert_eq!(texts(&below), texts(&others), "{of:?} {what}");
                    let whole = seen_by_others(keys, None);
                    let mut both = whole.iter().zip(others.iter().zip(&new));
                    let fits = both.all(|(own, (old, new))| own == old || own == new);
                    assert!(fits, "{of:?} {what}: {whole:?}");
                }
                if moments % 7 == 0 {
                    let killed = RecordedKeys::new(keys);
                    let update = open(&killed).unwrap();
                    assert_eq!(content(update.reader()), found, "{of:?} {what}");
                    drop(update);
                    let has_hidden = killed.keys().keys().any(|key| key.contains(".netcdf"));
                    assert!(!has_hidden && seen(&killed.keys()) == found);
                }
            });
        }
    }
}

/// Reads a store while the calls of a change are replayed, as a copy does: at the end, it asks for changes.
fn read_beside(recorded: &RecordedKeys, seed: u64) -> Result<String> {
    let store: Arc<dyn Store> = Arc::new(ChangingStore::new(recorded, seed));
    let reader = crate::format::open(Container::Store(store), &Env::default())?;
    let found = read(&*reader)?;
    match reader.bytes().changed() {
        None => Ok(found),
        Some(key) => Err(Error::new(ErrorKind::Changed, "another state").of(&key)),
    }
}

#[test]
fn readers_beside_a_change_see_one_state_or_changed() {
    let (mut seen_old, mut seen_new, mut refused) = (0, 0, 0);
    for (n, (what, change, _)) in CHANGES.into_iter().enumerate() {
        for of in STORES.into_iter().skip(n % 3).step_by(3) {
            let old = store(of, 5);
            let raw = changed(&old, change);
            let [before, after] = [&old, &raw.keys()].map(seen);
            for seed in 0..READERS {
                match read_beside(&raw, seed) {
                    Ok(found) if found == before => seen_old += 1,
                    Ok(found) if found == after => seen_new += 1,
                    Ok(found) => panic!("{of:?} {what}, {seed}: {found}"),
                    Err(e) if [ErrorKind::Changed, ErrorKind::Busy].contains(&e.kind()) => {
                        refused += 1;
                    }
                    Err(e) => panic!("{of:?} {what}, {seed}: {e}"),
                }
            }
        }
    }
    let counts = [seen_old, seen_new, refused];
    assert!(counts.iter().all(|count| *count > 20), "{counts:?}");
}

#[test]
fn records_in_place_make_the_store_of_a_writer() {
    for of in STORES {
        let raw = RecordedKeys::new(&store(of, 1));
        let mut update = open(&raw).unwrap();
        let mut total = 1;
        for (n, more) in [1, 1, 3, 2, 1, 7, 1].into_iter().enumerate() {
            append(&mut *update, more);
            total += more;
            match n % 3 {
                0 => continue,
                1 => update.commit(FillMode::Fill).unwrap(),
                _ => {
                    update.commit(FillMode::Fill).unwrap();
                    drop(update);
                    update = open(&raw).unwrap();
                }
            }
            let (own, mut want) = (raw.keys(), store(of, total));
            assert_eq!(seen(&own), seen(&want), "{of:?}");
            if of.0 == Kind::PURE_ZARR {
                // The store records no fill value for the elements outside the shape.
                want.extend(
                    own.iter()
                        .filter(|(key, _)| !key.contains(".z"))
                        .map(|(key, bytes)| (key.clone(), bytes.clone())),
                );
            }
            assert!(own == want, "{of:?}");
        }
    }
}

/// Chunks and elements that a foreign program left outside the shape do not become visible.
#[test]
fn growth_shows_fill_values() {
    for of in STORES {
        let short = RecordedKeys::new(&store(of, 3));
        let mut update = open(&short).unwrap();
        extend(&mut *update, 6);
        update.commit(FillMode::Fill).unwrap();
        drop(update);
        // A longer store with the metadata of the short one.
        let mut keys = store(of, 9);
        let metadata = |key: &&String| key.contains(".z") || key.ends_with("json");
        for key in store(of, 3).keys().filter(metadata) {
            keys.insert(key.clone(), store(of, 3)[key].clone());
        }
        let raw = RecordedKeys::new(&keys);
        let mut update = open(&raw).unwrap();
        extend(&mut *update, 6);
        update.commit(FillMode::Fill).unwrap();
        drop(update);
        assert_eq!(seen(&raw.keys()), seen(&short.keys()), "{of:?}");
    }
}

#[test]
fn abandoned_changes_leave_the_store() {
    for (n, (what, change, _)) in CHANGES.into_iter().enumerate() {
        let old = store(STORES[n % 8], 5);
        let raw = RecordedKeys::new(&old);
        let mut update = open(&raw).unwrap();
        let state = content(update.reader());
        change(&mut *update);
        update.abandon().unwrap();
        assert_eq!(content(update.reader()), state, "{what}");
        change(&mut *update);
        drop(update);
        assert_eq!(raw.keys(), old, "{what}");
    }
}

/// Replaces text in all metadata.
fn replaced(mut keys: Keys, old: &str, new: &str) -> Keys {
    for (key, bytes) in &mut keys {
        if key.contains(".z") || key.ends_with("json") {
            let text = String::from_utf8(bytes.clone()).unwrap();
            *bytes = text.replace(old, new).into_bytes();
        }
    }
    keys
}

#[test]
fn what_does_not_fit_is_written_anew() {
    let grow = |keys: &Keys| {
        let raw = RecordedKeys::new(keys);
        let mut update = open(&raw).unwrap();
        let schema = update.reader().schema();
        let at = schema.dims.iter().position(|dim| dim.len == 5).unwrap();
        let placed = update
            .set_len(DimId(u32::try_from(at).unwrap()), 6)
            .unwrap();
        drop(update);
        assert_eq!(raw.keys(), *keys);
        placed
    };
    let pure = store((Kind::PURE_ZARR3, false), 5);
    assert_eq!(grow(&pure), Placement::InPlace);
    let mut both = pure.clone();
    both.insert("t/.zarray".to_owned(), b"{}".to_vec());
    assert!(matches!(grow(&both), Placement::Anew(_)));
    let anonymous = replaced(pure, "\"dimension_names\"", "\"other\"");
    assert!(matches!(grow(&anonymous), Placement::Anew(_)));
    for kind in [Kind::PURE_ZARR, Kind::NCZARR3] {
        let mut keys = store((kind, true), 5);
        let root = if kind == Kind::PURE_ZARR {
            ".zmetadata"
        } else {
            "zarr.json"
        };
        let text = String::from_utf8(keys[root].clone()).unwrap();
        // The consolidated metadata is older than the metadata.
        let old = text.replace("\"shape\": [5", "\"shape\": [4");
        assert_ne!(old, text);
        keys.insert(root.to_owned(), old.into_bytes());
        assert!(matches!(grow(&keys), Placement::Anew(_)), "{kind:?}");
    }
    let raw = RecordedKeys::new(&store((Kind::NCZARR, false), 5));
    let mut update = open(&raw).unwrap();
    let schema = update.reader().schema().clone();
    assert!(matches!(
        update.define(&schema).unwrap(),
        Placement::Anew(_)
    ));
    let e = update.put_chunk(VarId(0), 99, 0, &[]).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Argument);
}
