"""The seeds of the targets that are about Zarr, made by zarr-python, numcodecs and netCDF-C (netCDF4)."""
import io
import json
import pathlib
import struct
import tempfile
import warnings
import zipfile

import netCDF4
import numcodecs
import numpy as np
import zarr
from numcodecs import zarr3
from zarr.codecs import BloscCodec, Crc32cCodec, GzipCodec, TransposeCodec, ZstdCodec
from zarr.storage import MemoryStore

METADATA = (".zgroup", ".zarray", ".zattrs", ".zmetadata", ".nczarr", ".nczgroup", ".nczarray", ".nczattr", "zarr.json")
TYPES = "?,i1,u1,<i2,>u2,<i4,<u4,>i8,<u8,<f4,>f8,<c8,S5,<U3,<M8[s],<m8[ms]".split(",")


def all_seeds(seed):
    """Creates all seeds; `seed` takes a target and an input."""
    warnings.simplefilter("ignore")
    stores = [("zarr_v2", keys) for keys in [*version_2(), *netcdf(""), *generations()]]
    stores += [("zarr_v3", keys) for keys in [*version_3(), *netcdf(",v3")]]
    for number, (target, keys) in enumerate(stores):
        for flags in (0, 1, 4) if number % 4 == 0 else (0,):
            seed(target, flat(keys, flags))
        for text in (text for key, text in keys.items() if is_metadata(key)):
            seed("json", text)
        if number % 6 == 0:
            zips(seed, keys)
    texts(seed)
    indexes(seed)
    codecs(seed)


def is_metadata(key):
    return key.rsplit("/", 1)[-1] in METADATA


def flat(keys, flags):
    """A store as the target takes it apart: metadata, and one chunk for all keys."""
    metadata = [(key, text) for key, text in keys.items() if is_metadata(key)][:15]
    chunks = [data for key, data in keys.items() if not is_metadata(key)]
    parts = b"".join(key.encode() + b"\n" + text + b"\0" for key, text in metadata)
    return bytes([flags | len(metadata) << 4]) + parts + (max(chunks, key=len) if chunks else b"")


def short(keys):
    """The keys with their metadata on one line."""
    line = lambda text: json.dumps(json.loads(text), separators=(",", ":")).encode()
    return {key: line(text) if is_metadata(key) else text for key, text in keys.items()}


def made(version, **options):
    """A store with a group, and an array in it and one at its root."""
    store = MemoryStore()
    root = zarr.open_group(store, zarr_format=version, attributes={"title": "x", "n": [1, 2.5, None]})
    shape, dtype = options.pop("shape", (8, 6)), options["dtype"]
    count = int(np.prod(shape))
    values = [f"t{n}" * (n % 3) for n in range(count)] if dtype in (str, "S5", "<U3") else np.arange(count) % 100
    values = np.array(values, dtype=object if dtype is str else None).reshape(shape)
    for group in (root, root.create_group("g")):
        array = group.create_array("v", shape=shape, attributes={"units": "m", "scale": 0.5}, **options)
        array[...] = values if dtype is str else values.astype(dtype)
    zarr.consolidate_metadata(store)
    return short({key: data.to_bytes() for key, data in sorted(store._store_dict.items())})


def possible(version, ways):
    """The stores that zarr-python can make."""
    for way in ways:
        try:
            yield made(version, **way)
        except (TypeError, ValueError, NotImplementedError, KeyError, RuntimeError) as error:
            print(f"left out: {way}: {error}")


def version_2():
    n = numcodecs
    plain = dict(chunks=(4, 3), compressors=None)
    yield from possible(2, [dict(plain, dtype=dtype) for dtype in [*TYPES, str]])
    compressors = [n.Zlib(1), n.GZip(1), n.BZ2(1), n.LZ4(), n.Zstd(), n.LZMA(), n.Blosc(), n.Blosc("zstd", 5, 2)]
    yield from possible(2, [dict(plain, dtype="<i4", compressors=c) for c in compressors])
    filters = [[f] for f in numbers("<f4")] + [[n.Shuffle(4)], [n.Delta("<f4"), n.Fletcher32()]]
    yield from possible(2, [dict(plain, dtype="<f4", filters=f) for f in filters])
    more = [dict(order="F"), dict(chunk_key_encoding={"name": "v2", "separator": "/"}), dict(fill_value=7)]
    yield from possible(2, [dict(plain, dtype="<i2", **other) for other in more])
    yield from possible(2, [dict(shape=(), chunks=(), dtype="<f8", fill_value=np.nan, compressors=None)])


def version_3():
    plain = dict(chunks=(4, 3), compressors=None)
    yield from possible(3, [dict(plain, dtype=dtype) for dtype in [*TYPES, str]])
    compressors = [GzipCodec(level=1), ZstdCodec(), BloscCodec(), [GzipCodec(), Crc32cCodec()]]
    compressors += [zarr3.LZ4(), zarr3.BZ2(), zarr3.LZMA(), zarr3.Zlib(), zarr3.CRC32(), zarr3.Adler32()]
    yield from possible(3, [dict(plain, dtype="<i4", compressors=c) for c in compressors])
    filters = [[TransposeCodec(order=(1, 0))], [zarr3.Delta(dtype="<i4")], [zarr3.Shuffle(elementsize=4)]]
    yield from possible(3, [dict(plain, dtype="<i4", filters=f) for f in filters])
    shards = [dict(shards=(8, 6), compressors=c) for c in (None, GzipCodec(), Crc32cCodec())]
    shards.append(dict(shards={"shape": (4, 6), "index_location": "start"}, compressors=None))
    shards.append(dict(shards=(8, 6), filters=[TransposeCodec(order=(1, 0))]))
    yield from possible(3, [dict(chunks=(4, 3), dtype=dtype, **s) for s in shards for dtype in ("<i2", str)])
    inner = zarr.codecs.ShardingCodec(chunk_shape=(2, 3))
    yield from possible(3, [dict(chunks=(8, 6), dtype="u1", serializer=inner, compressors=None, filters=[])])
    more = [dict(dimension_names=("y", None)), dict(chunk_key_encoding={"name": "v2", "separator": "."})]
    yield from possible(3, [dict(plain, dtype="<i2", **other) for other in more])
    yield from possible(3, [dict(shape=(), chunks=(), dtype="<f8", fill_value=np.nan, compressors=None)])


def netcdf(version):
    """Stores of netCDF-C."""
    with tempfile.TemporaryDirectory() as folder:
        for number, mode in enumerate(("nczarr", "zarr")):
            path = f"{folder}/{number}.zarr"
            with netCDF4.Dataset(f"file://{path}#mode={mode},file{version}", "w") as data:
                data.setncatts({"title": "x", "n": np.array([1, 2], "i2")})
                data.createDimension("x", 4)
                data.createDimension("t", None)
                data.createVariable("x", "f8", ("x",), fill_value=-1.0)[:] = range(4)
                data.createVariable("v", "i2", ("t", "x"), zlib=True, chunksizes=(2, 2))[:] = np.ones((3, 4))
                data.createVariable("c", "S1", ("x",))[:] = list(b"abcd")
                data.createVariable("s", str, ("x",))[:] = np.array(["a", "", "bcd", "e"], object)
                data.createVariable("one", "i4")[:] = 7
                data.createGroup("g").createVariable("u", "u1", ("x",)).units = "m"
            folder_of = pathlib.Path(path)
            files = sorted(p for p in folder_of.rglob("*") if p.is_file())
            yield short({str(p.relative_to(folder_of)): p.read_bytes() for p in files})


def generations():
    """Stores as written by older versions of netCDF-C."""
    array = dict(zarr_format=2, shape=[4], chunks=[2], dtype="<i2", fill_value=-9, order="C", filters=None, compressor=None)
    old, types = dict(dims={"x": 4}, vars=["v"], groups=[]), {"types": {"a": "<i2", "t": "<U1"}}
    chunk = {"v/1": b"\1\0\2\0"}
    yield separate(array, old, types) | chunk
    for upper in (True, False):
        name = lambda text: text.upper() if upper else text
        group = {"zarr_format": 2, name("_nczarr_superblock"): {"version": "2.0.0"}, name("_nczarr_group"): old}
        v = array | {name("_nczarr_array"): {"dimrefs": ["/x"], "storage": "chunked"}}
        keys = {".zgroup": group, "v/.zarray": v, "v/.zattrs": {"a": 1, "t": "x", name("_nczarr_attr"): types}}
        yield {key: json.dumps(value).encode() for key, value in keys.items()} | chunk


def separate(array, group, types):
    keys = {".zgroup": {"zarr_format": 2}, ".nczarr": {"zarr_format": 2, "nczarr_version": "1.0.0"}, ".nczgroup": group}
    keys |= {"v/.zarray": array, "v/.nczarray": {"dimrefs": ["/x"], "storage": "chunked"}}
    keys |= {"v/.zattrs": {"a": 1, "t": "x"}, "v/.nczattr": types}
    return {key: json.dumps(value).encode() for key, value in keys.items()}


def zips(seed, keys):
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        for prefix in ("", "a/"):
            file = io.BytesIO()
            with zipfile.ZipFile(file, "w", method) as out:
                for key, data in list(keys.items())[:8]:
                    with out.open(prefix + key, "w", force_zip64=bool(prefix)) as member:
                        member.write(data)
                out.comment = b"c" if prefix else b""
            seed("zip", file.getvalue())


def texts(seed):
    for text in ['{"a":[1,2.50,-0,1e5],"b":{"c":null,"a":true}}', "[0.,1.,NaN,-Infinity,01,0x10]", '"\\u00e9\\ud83d\\ude00\\/"']:
        seed("json", text.encode())
    urls = "a.nc,-,file://a/b.c#mode=nczarr,file:///a?b=c#zarr&zip,file://x\\#mode=zarr\\,v3,s3://b/k#mode=nczarr\\,s3,"
    urls += "https://h/a.nc#bytes,file://x#mode=xarray\\,noxarray\\,consolidated,file://a.zip#mode=zarr\\,v2\\,zip,dods://h/a"
    for number, url in enumerate(urls.replace("\\,", "\0").split(",")):
        for kind in (number % 6, 40 + number % 6):
            seed("names", bytes([kind]) + url.replace("\0", ",").encode())
    seed("names", "\5.zgroup\nv/.zarray\nv/0.0\nv/c/0/1\n../x\nv\nü/a b/..x".encode())


def indexes(seed):
    for flags in range(8):
        pairs = struct.pack(("<", ">")[flags >> 1 & 1] + "8Q", 0, 5, 5, 7, 2**64 - 1, 2**64 - 1, 3, 1)
        index, data = pairs + bytes(4 * (flags >> 2 & 1)), bytes(12)
        head = bytes([1, flags, 4, 4, 0, 0, 2, 2, 0, 0]).ljust(16, b"\0")
        seed("shard_index", head + (index + data if flags & 1 else data + index))


def numbers(dtype):
    """Codecs of numcodecs for numbers."""
    n = numcodecs
    yield from (n.Delta(dtype), n.Delta(dtype, "<i2"), n.AsType("<f4", dtype), n.AsType("<i2", dtype))
    yield from (n.FixedScaleOffset(1, 10, dtype, "u1"), n.FixedScaleOffset(0.5, 2, dtype, "<i2"), n.Quantize(2, "<f4"))
    yield from (n.BitRound(5), n.PackBits())


def codecs(seed):
    """Chunks of one codec, or two."""
    n = numcodecs
    types = {"i1": 0, "<i2": 2, "<i4": 3, "<f4": 4, "<f8": 5, "u1": 6, ">i4": 3}
    raw = [{"id": "lzma", "format": 3, "check": -1, "filters": [{"id": 3, "dist": 4}, {"id": 33, "preset": 1}]}]
    others = [n.GZip(1), n.LZ4(), n.LZMA(), n.LZMA(2), *map(n.get_codec, raw), n.Base64(), n.CRC32(), n.CRC32C()]
    others += [n.CRC32("end"), n.Adler32(), n.JenkinsLookup3(), n.Zlib(1), n.BZ2(1), n.Zstd(), n.Blosc(), n.Fletcher32()]
    others += [n.Shuffle(4), n.Blosc("lz4", 5, 2)]
    zfpy = [{"id": "zfpy", "mode": 4, "tolerance": 0.1}, {"id": "zfpy", "mode": 3, "precision": 9}, {"id": "zfpy", "mode": 2, "rate": 8}]
    for dtype, number in types.items():
        chunk = (np.arange(12) % 7).astype(dtype).reshape(3, 4)
        for codec in [*numbers(dtype), *others, *zfpy]:
            try:
                codec = n.get_codec(codec) if isinstance(codec, dict) else codec
                stored = bytes(np.ascontiguousarray(codec.encode(chunk)))
            except (TypeError, ValueError, ImportError, RuntimeError):
                continue  # not a type for this codec
            config = codec.get_config()
            rest = {key: value for key, value in config.items() if key != "id"}
            name = config["id"] if config["id"] in ("gzip", "blosc", "zstd", "crc32c") else "numcodecs." + config["id"]
            head = bytes([number, 3, 4, dtype.startswith(">")])
            one(seed, head, [config], stored)
            one(seed, bytes([*head[:3], head[3] | 2]), [{"name": name, "configuration": rest}], stored)
            one(seed, bytes([*head[:3], head[3] | 8]), [config, {"id": "gzip", "level": 1}], bytes(n.GZip(1).encode(stored)))
    one(seed, bytes([3, 3, 4, 2]), [{"name": "transpose", "configuration": {"order": [1, 0]}}], bytes(48))
    one(seed, bytes([11, 4, 0, 8]), [{"id": "vlen-utf8"}], n.VLenUTF8().encode(np.array(["a", "", "bcd", "e"], object)))


def one(seed, head, codecs, stored):
    seed("codecs", head + json.dumps(codecs, separators=(",", ":")).encode() + b"\0" + bytes(stored))
