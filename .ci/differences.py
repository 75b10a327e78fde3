"""Differences between a reader's views of a file and of its copy, and the classes of differences that are not faults."""

import re

import texts
from common import paths_left_out

MISSING = "not there"
HDF5 = {"h5dump", "h5py"}
LIBNETCDF = {"ncdump", "ncdump (new)", "ncks", "netCDF4-python", "xarray"}


class Pair:
    """A reader's views of a file and of its copy."""

    def __init__(self, reader, file, steps, said):
        self.reader, self.file, self.steps = reader, file, steps
        self.flags = [o for step in steps for o in step]
        self.left_out = [path.replace(":", "@") for path in paths_left_out("nccopy", said)]

    def compare(self, before, after):
        """Returns (item, before, after) for each difference."""
        self.before, self.after = before, after
        if isinstance(after, str):
            yield "file", "read", after
            return
        if "-u" in self.flags:
            before = {k: re.sub(r"UNLIMITED ; // \(([1-9]\d*) currently\)", r"\1 ;", v) for k, v in before.items()}
            before = {k: v.replace(" True", " False") if k.startswith("dim ") and v != "0 True" else v for k, v in before.items()}
        if before == after:
            return
        if "text" in before:
            try:
                before, after = (texts.text_items(t["text"]) for t in (before, after))
            except (ValueError, AttributeError, IndexError):
                yield "text", *first_lines_that_differ(before["text"], after["text"])
                return
            if before == after:
                yield "text", "order", "another order"
        for key in list(before) + [k for k in after if k not in before]:
            old, new = before.get(key, MISSING), after.get(key, MISSING)
            if old != new and not (self.reader == "h5py" and self.file.kind != "nc4" and key.split()[0] in ("dim", "group")):
                yield key, old, new

    def explain(self, item, old, new):
        """Returns the class of a difference, None if it has no class."""
        return next((name for name, rule in CLASSES.items() if rule(self, item, old, new)), None)


def first_lines_that_differ(a, b):
    a, b = a.splitlines(), b.splitlines()
    return next(((x, y) for x, y in zip(a, b) if x != y), (f"{len(a)} lines", f"{len(b)} lines"))


def path_of(item):
    return re.sub(r"^\w+ ", "", item)


def object_left_out(pair, item, old, new):
    """Objects that our notes report as skipped, and references, which netCDF does not have."""
    if any(re.search(re.escape(f"{path}.") + "[^.]+$", p) for p in pair.left_out for path in [path_of(item)]):
        return True  # a field of it
    place, name = place_of(item)
    whole = f"{place}@{name}" if name else place
    named = any(whole == p or whole.startswith((f"{p}/", f"{p}@", f"{p}.")) for p in pair.left_out)
    reference = "Reference" in old or re.match(r'(DATASET|GROUP|DATATYPE|REGION) "|NULL', old) is not None
    return new == MISSING and (named or reference)


def text_attributes(pair, _item, old, new):
    """Attributes of one string in the classic model. In a variable named data, their text is mistaken for data."""
    classic = {"nc3", "nc5", "nc6", "nc7"} & set(pair.flags)
    name = old.removeprefix("string ")
    return bool(classic) and name != old and (new == name or new == MISSING and re.match("data ?:", name) is not None)


def fixed(pair, item, old, new):
    """-u: records of several unlimited dimensions have no braces."""
    return "-u" in pair.flags and re.sub(r"[{}]", "", old) == re.sub(r"[{}]", "", new)


def fewer_records(pair, item, old, new):
    """Variables with fewer records than their dimension get fill values."""
    if pair.reader == "h5dump":
        return new.startswith(old) and len(new) > len(old)
    if pair.reader not in HDF5 or isinstance(pair.after, str):
        return False
    shapes = [re.findall(r"\d+", v.get("var " + path_of(item), "").partition("]")[0]) for v in (pair.before, pair.after)]
    more = any(int(a) < int(b) for a, b in zip(*shapes))
    return len(shapes[0]) == len(shapes[1]) and more


def never_set(pair, item, old, _new):
    """The input reads differently each time."""
    again = pair.file.again(pair.reader)
    return isinstance(again, dict) and (item in again or "text" in again) \
        and (texts.text_items(again["text"]) if "text" in again else again).get(item) != old


def read_otherwise(pair, item, old, new):
    """Objects that our ncdump and the C tool read differently in the input, or that only our ncdump reads. The difference must be in the
    same object; .ci/h5live compares both tools."""
    if pair.file.kind != "nc4" or pair.reader not in LIBNETCDF:
        return False
    ours = pair.file.ours()
    same = without_braces(ours.get(item, MISSING)) == without_braces(new)
    if same or pair.reader.startswith("ncdump"):
        return same
    place, name = place_of(item)
    if old == MISSING and any(place_of(k) == (place, name) for k in ours):
        return True  # of an attribute or a variable that the library leaves out
    return place in pair.file.read_otherwise()


def place_of(item):
    """Returns the object path of an item, and the attribute name if the item is an attribute. Items come from Python's readers (`att
    /g/v@name`), h5dump (`/g/v@name`) or CDL (`att g v:name`)."""
    kind, _, rest = item.partition(" ")
    if item.startswith("/"):
        path, _, name = item.partition("@")
    elif rest.startswith("/"):
        path, _, name = rest.partition("@") if kind == "att" else (rest, "", "")
    else:
        group, _, own = rest.partition(" ")
        own, _, name = own.partition(":") if kind == "att" else (own, "", "")
        path = "/".join(["", *filter(None, [group, own])])
    return path.rstrip("/") or "/", name


def objects_read_otherwise(ours, theirs):
    """Returns the paths of objects that differ between two CDL texts, and of variables whose type or dimension differs."""
    differing = {k for k in ours.keys() | theirs.keys() if ours.get(k) != theirs.get(k)}
    found = {place_of(k)[0] for k in differing}
    names = {place_of(k)[0].rpartition("/")[2] for k in differing if k.startswith(("type ", "dim "))}
    for key, value in ours.items():
        if key.startswith("var ") and names & set(re.split(r"[\s(),/]+", value)):
            found.add(place_of(key)[0])
    return found


def without_braces(text):
    """The C ncdump prints text in compounds with extra braces."""
    return re.sub(r"[{}]", "", text)


def several_names(pair, item, old, new):
    """h5dump and h5py show an object under one of its names."""
    path = path_of(item).partition("@")[0]
    return pair.reader in HDF5 and old == MISSING and new != MISSING and path in pair.file.paths()


def phony(_pair, item, old, new):
    if "phony_dim_" not in item + old + new:
        return False
    return item.startswith("dim ") and MISSING in (old, new) or re.sub(r"phony_dim_\d+", "", old) == re.sub(r"phony_dim_\d+", "", new)


def is_of(pair, item, kind):
    """Checks whether an item is a variable or an attribute of a user-defined type, or of a type of this class."""
    place, name = place_of(item)
    ours = pair.file.ours()
    types = {place_of(k)[0].rpartition("/")[2] for k, v in ours.items() if k.startswith("type ") and v.startswith(kind)}
    own = (v for k, v in ours.items() if k.startswith("att " if name else "var ") and place_of(k) == (place, name))
    return any(v.partition(" ")[0].rpartition("/")[2] in types for v in own)


def text_became_characters(pair, item, _old, new):
    """Text fields became character arrays; h5py compares the values."""
    return pair.reader == "h5dump" and is_of(pair, item, "compound") and new.startswith("{") and '[ "' in new


def tags(pair, item, _old, new):
    """Opaque types whose tag h5py reads as a NumPy type."""
    opaque = any(v.startswith("opaque") for v in pair.file.ours().values())
    key = "var " + path_of(item)
    return pair.reader in HDF5 | {"h5netcdf"} and opaque and (
        " V" in new or isinstance(pair.after, dict) and " V" in pair.after.get(key, ""))


def not_read_before(_pair, _item, old, _new):
    return old.startswith("cannot be read")


def nco_types(pair, item, old, new):
    """NCO fails for user-defined types, or skips the groups that define or use them, with their attributes."""
    ours = pair.file.ours()
    if pair.reader != "ncks" or not any(k.startswith("type ") for k in ours):
        return False
    if "-45" in new or "types" in new or "types" in old:
        return True
    group = place_of(item)[0] if item.startswith("att ") else "/" + path_of(item)
    within = (k for k in ours if k.startswith(("type ", "var ")) and place_of(k)[0].rpartition("/")[0] == group)
    return new == MISSING and item.startswith(("group ", "att ")) and any(
        k.startswith("type ") or is_of(pair, k, "") for k in within)


def h5netcdf_types(pair, item, _old, new):
    of_file = item == "file" and any(k.startswith("type ") for k in pair.file.ours())
    return pair.reader == "h5netcdf" and (of_file or is_of(pair, item, "")) and ("cannot be read" in new or "Error" in new)


def without_elements(pair, item, old, new):
    """netCDF stores attributes without elements in a null dataspace."""
    return pair.reader == "h5py" and item.startswith("att ") and old in ("b''", "''", "[]") and new == "'Empty'"


def cut_texts(pair, _item, old, new):
    """netCDF strings end at their first zero byte."""
    return pair.reader == "h5dump" and re.sub(r'\\000(?:\\.|[^"\\])*', "", old) == new != old


def not_utf8(pair, item, _old, new):
    """netCDF has no text in other encodings: the C tools write the bytes into strings, as our tools do."""
    return pair.reader == "h5netcdf" and item == "file" and "UnicodeDecodeError" in new


CLASSES = {
    "fixed dimensions": fixed,
    "strings of attributes in the classic model": text_attributes,
    "objects without a netCDF equivalent are skipped": object_left_out,
    "numbers of phony dimensions": phony,
    "objects with several names": several_names,
    "the input is read in another way": read_otherwise,
    "text in compounds has its length": text_became_characters,
    "tags of opaque types": tags,
    "attributes without elements": without_elements,
    "strings that are not UTF-8": not_utf8,
    "strings end at a zero byte": cut_texts,
    "values that the reader does not take": not_read_before,
    "NCO and types of users": nco_types,
    "fewer records than the dimension has": fewer_records,
    "memory that was never set": never_set,
    "h5netcdf and types of users": h5netcdf_types,
}
