"""CDL text as a set of items, for comparisons that ignore names, type order and line breaks.

The module reads the output of ncdump, even if the output is not valid CDL (names without backslashes).
"""

import re

KEYWORDS = {"types", "dimensions", "variables", "data"}
# The type, if present, the variable of a variable attribute, and the name.
ATTRIBUTE = re.compile(r"(?:((?:\\.|[^\s:\\])+) )?((?:\\.|[^\s:\\])*):(.*?) = ")


def statements(text):
    """Returns the statements of a CDL text, without comments. `group: NAME {` and `}` are statements."""
    out, start, depth, at = [], 0, 0, text.index("{") + 1
    start = at
    while at < len(text):
        c = text[at]
        if c == '"':
            at = end_of_string(text, at)
        elif c == "\\":
            at += 1
        elif text.startswith("//", at):
            end = text.find("\n", at)
            text = text[:at] + text[end if end >= 0 else len(text):]
            continue
        elif c == "{":
            if depth == 0 and re.match(r"\s*group: ", text[start:at]):
                out.append(text[start:at].strip())
                start = at + 1
            else:
                depth += 1
        elif c == "}":
            if depth == 0:
                out.append("}")
                start = at + 1
            else:
                depth -= 1
        elif c == ";" and depth == 0:
            out.append(text[start:at].strip())
            start = at + 1
        elif c == ":" and depth == 0 and text[start:at].strip() in KEYWORDS:
            out.append(text[start:at + 1].strip())
            start = at + 1
        at += 1
    return out


def end_of_string(text, at):
    at += 1
    while at < len(text) and text[at] != '"':
        at += 2 if text[at] == "\\" else 1
    return at


def unescape(text):
    """Removes the backslashes of names."""
    text = re.sub(r"\\%([0-9a-f]{2})", lambda m: chr(int(m.group(1), 16)), text)
    return re.sub(r"\\(.)", r"\1", text)


def squeeze(text):
    return re.sub(r"\s+", " ", text).strip()


def squeeze_outside(text):
    """Like `squeeze`, but keeps the contents of strings."""
    return re.sub(r'(\\.|"(?:\\.|[^"\\])*")|\s+', lambda m: m[1] or " ", text).strip()


class Cdl:
    """The items of a text by (kind, group, names); `raw` contains the items as printed."""

    def __init__(self, text):
        text = re.sub(r"^\s*// (?:global|group) attributes:$", "variables:", text, flags=re.MULTILINE)
        text = re.sub(r"UNLIMITED ; // \((\d+) currently\)", r"UNLIMITED(\1) ;", text)
        self.items, self.raw = {}, {}
        self.types, self.dims, self.vars, self.att_types = {}, {}, {}, {}
        group, section = (), ""
        for statement in statements(text):
            if statement == "}":
                group, section = group[:-1], ""
            elif statement.startswith("group: "):
                group, section = group + (unescape(statement[7:]),), ""
                self.put(("group", group), statement)
            elif statement.rstrip(":") in KEYWORDS and statement.endswith(":"):
                section = statement[:-1]
            else:
                self.statement(group, section, statement)

    def put(self, key, raw):
        while key in self.items:  # the same name twice
            key += ("again",)
        self.items[key] = squeeze(unescape(raw))
        self.raw[key] = squeeze_outside(raw)

    def statement(self, group, section, text):
        flat = squeeze_outside(text)
        if section == "dimensions":
            name, _, length = flat.rpartition(" = ")
            self.dims[group, unescape(name)] = length
            self.put(("dim", group, unescape(name)), flat)
        elif section == "types":
            self.type(group, flat)
        elif section == "data":
            name, _, values = flat.partition(" = ") if " = " in flat else flat.partition(" =")
            self.put(("data", group, unescape(name)), flat)
        elif m := ATTRIBUTE.match(flat):
            key = "att", group, f"{unescape(m[2])}:{unescape(m[3])}"
            self.att_types[key] = m[1] and unescape(m[1])
            self.put(key, flat)
        elif section == "variables":
            self.variable(group, flat)
        else:
            self.put(("att", group, unescape(flat.partition(" = ")[0])), flat)

    def variable(self, group, flat):
        m = re.match(r"((?:\\.|\S)+) (.*?)(?:\(([^()]*)\))?$", flat)
        ty, name, dims = m.groups()
        name = unescape(name)
        self.vars[group, name] = (unescape(ty), [unescape(d) for d in dims.split(", ")] if dims else [])
        self.put(("var", group, name), flat)

    def type(self, group, flat):
        if m := re.match(r"compound (.*?) \{(.*)\}$", flat):
            fields = [re.match(r"((?:\\.|\S)+) (.*?)(\([^()]*\))?$", f.strip()) for f in m[2].split(" ;")[:-1]]
            found = "compound", [(unescape(f[1]), unescape(f[2]), f[3] or "") for f in fields]
            name = m[1]
        elif m := re.match(r"(\S+) enum (.*?) \{(.*)\}$", flat):
            found, name = ("enum", f"{m[1]} {unescape(m[3])}"), m[2]
        elif m := re.match(r"opaque\((\d+)\) (.*)$", flat):
            found, name = ("opaque", m[1]), m[2]
        elif m := re.match(r"(.*?)\(\*\) (.*)$", flat):
            found, name = ("vlen", unescape(m[1])), m[2]
        else:
            raise ValueError(f"not a type: {flat}")
        self.types[group, unescape(name)] = found
        self.put(("type", group, unescape(name)), flat)

    # The structure of types and shapes, independent of invented names.

    def find(self, table, group, name):
        """Returns the entry of a name in a group or its outer groups."""
        if name.startswith("/"):
            *path, last = name[1:].split("/")
            return table.get((tuple(path), last))
        scopes = (group[:depth] for depth in range(len(group), -1, -1))
        return next((table[s, name] for s in scopes if (s, name) in table), None)

    def shape(self, group, name):
        """Returns the dimensions of a variable: names, or lengths for phony dimensions."""
        dims = self.vars[group, name][1]
        return [self.find(self.dims, group, d) if "phony_dim_" in d else d for d in dims]

    def structure(self, group, ty, text_lengths=True):
        """Returns the structure of a type, down to the atomic types; compound fields are a list."""
        found = self.find(self.types, group, ty)
        if found is None:
            return ty
        kind, what = found
        if kind == "vlen":
            return ["vlen", self.structure(group, what, text_lengths)]
        if kind != "compound":
            return [kind, what]
        return ["compound"] + [self.field(group, f, text_lengths) for f in what]

    def field(self, group, field, text_lengths):
        ty, name, dims = field
        if ty == "char" and not text_lengths:
            dims = re.sub(r", \d+\)$", ")", dims) if "," in dims else ""
        return [name, dims, self.structure(group, ty, text_lengths)]


def item_name(key):
    """Returns the key of an item as text."""
    return " ".join("/".join(k) if isinstance(k, tuple) else str(k) for k in key)
