"""Writes the crates of the executable netcdf-tools and of the C library as a list in SPDX, and the texts of their licences: crates.py TARGET LIST TEXTS

Crates that only run during the build (build scripts, procedural macros) are not linked, and not in the list.
"""

import collections
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import tomllib

ROOT = "netcdf-tools"
# The executable, and the C library.
ROOTS = (ROOT, "netcdf-capi")
TEXT = re.compile(r"(licen[cs]e|copying|notice|copyright|unlicense)", re.IGNORECASE)
# Directories of C libraries within crates.
LIBRARIES = ("", "zstd", "libdeflate")
# Texts of licences that the crates offer but that we do not use.
UNUSED = re.compile(r"zstd/COPYING|GPL", re.IGNORECASE)


def metadata(target):
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def linked(data):
    """The packages in the executable, sorted by name."""
    packages = {p["id"]: p for p in data["packages"]}
    nodes = {n["id"]: n for n in data["resolve"]["nodes"]}
    found, todo = {}, [i for i, p in packages.items() if p["name"] in ROOTS]
    while todo:
        one = todo.pop()
        if one in found or any("proc-macro" in t["kind"] for t in packages[one]["targets"]):
            continue
        found[one] = packages[one]
        todo += [d["pkg"] for d in nodes[one]["deps"] if any(k["kind"] is None for k in d["dep_kinds"])]
    return sorted(found.values(), key=lambda p: (p["name"], p["version"]))


def licence_files(package):
    crate = pathlib.Path(package["manifest_path"]).parent
    files = [f for library in LIBRARIES if (crate / library).is_dir() for f in sorted((crate / library).iterdir())]
    return [f for f in files if f.is_file() and TEXT.match(f.name) and not UNUSED.search(f.as_posix())]


def texts(packages):
    """Each text once, after the names of its crates."""
    crates = collections.defaultdict(list)
    for package in packages:
        for file in licence_files(package):
            text = file.read_text(encoding="utf-8", errors="replace").strip()
            crates["\n".join(line.rstrip() for line in text.splitlines())].append(f"{package['name']} {package['version']}")
    parts = [f"{', '.join(dict.fromkeys(names))}\n{'=' * 78}\n{text}\n" for text, names in crates.items()]
    return "The executable and the C library contain the following crates. Each text follows the names of its crates.\n\n" + "\n\n".join(parts)


def entry(package, sums):
    name, version = package["name"], package["version"]
    licence = re.sub(r"\s*/\s*", " OR ", package["license"])
    found = {"name": name, "SPDXID": f"SPDXRef-{name.replace('_', '-')}-{version.replace('+', '-')}", "versionInfo": version,
             "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseDeclared": licence, "licenseConcluded": licence,
             "copyrightText": "NOASSERTION"}
    if package["source"]:
        found["externalRefs"] = [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                  "referenceLocator": f"pkg:cargo/{name}@{version}"}]
        found["checksums"] = [{"algorithm": "SHA256", "checksumValue": sums[name, version]}]
    return found


def document(packages):
    lock = tomllib.loads(pathlib.Path("Cargo.lock").read_text(encoding="utf-8"))
    sums = {(p["name"], p["version"]): p.get("checksum") for p in lock["package"]}
    entries = [entry(package, sums) for package in packages]
    root = next(e for e in entries if e["name"] == ROOT)
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"])))
    digest = hashlib.sha256(json.dumps(entries).encode()).hexdigest()
    relation = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": root["SPDXID"]}]
    relation += [{"spdxElementId": root["SPDXID"], "relationshipType": "CONTAINS", "relatedSpdxElement": e["SPDXID"]}
                 for e in entries if e is not root]
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"{ROOT}-{root['versionInfo']}",
            "documentNamespace": f"urn:sha256:{digest}", "creationInfo": {"created": created, "creators": ["Tool: netcdf-tools-crates"]},
            "packages": entries, "relationships": relation}


def main():
    target, listed, written = sys.argv[1:]
    packages = linked(metadata(target))
    bare = [p["name"] for p in packages if p["source"] and not licence_files(p)]
    if bare:
        sys.exit(f"crates without the text of a licence: {', '.join(bare)}")
    pathlib.Path(written).write_text(texts(packages), encoding="utf-8")
    pathlib.Path(listed).write_text(json.dumps(document(packages), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
